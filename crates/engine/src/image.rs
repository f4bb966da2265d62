//! The program prepared to run: constants as values, globals and functions as objects of the first state.

use crate::Options;
use mneme_memory::{Alloc, Counters, Cx, End, Heap, Init, Model};
use mneme_program::{Constant, Function, FunctionId, GlobalId, InitData, Inst, Loops, Program};
use mneme_solver::{Budget, PathCondition, Solver};
use mneme_term::{BaseId, BaseKind, Bits, Origin, Sort, Symbol, SymbolKind, Terms, Tracer, Value, truncate};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

pub struct Image {
    /// For each function its pool of constants.
    pub constants: Vec<Vec<Value>>,
    /// For each function, what the concrete path knows of it if it has no body.
    pub shortcuts: Vec<Option<Shortcut>>,
    pub function_bases: Vec<BaseId>,
    pub functions: FxHashMap<BaseId, FunctionId>,
    pub global_bases: Vec<BaseId>,
    /// For each function, which slots are C variables (not results of instructions).
    pub variables: Vec<Vec<bool>>,
    /// For each function, whether the states of a call are merged when it returns.
    merges_at: Vec<bool>,
    /// For each function, whether calls of it need more than a frame: states merge there, or handlers hear of it.
    observed: Vec<bool>,
    /// For functions that were asked for.
    loops: Vec<OnceCell<Rc<Loops>>>,
}

/// A library function that the concrete path executes itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shortcut {
    Malloc,
    Free,
}

impl Shortcut {
    fn of(function: &Function) -> Option<Shortcut> {
        let one_argument = function.is_declaration() && function.signature.params.len() == 1;
        match function.name.as_str() {
            "malloc" if one_argument => Some(Shortcut::Malloc),
            "free" if one_argument => Some(Shortcut::Free),
            _ => None,
        }
    }
}

impl Image {
    /// The loops of a function, found when first asked for.
    pub fn loops(&self, program: &Program, function: FunctionId) -> Rc<Loops> {
        let found = self.loops[function.index()].get_or_init(|| Rc::new(Loops::of(program.function(function))));
        found.clone()
    }

    #[inline(always)]
    pub fn is_observed(&self, function: FunctionId) -> bool {
        self.observed[function.index()]
    }

    /// Calls of this function are told to handlers.
    pub fn observe(&mut self, function: FunctionId) {
        self.observed[function.index()] = true;
    }

    pub fn merges_at(&self, function: FunctionId) -> bool {
        self.merges_at[function.index()]
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.constants.iter().flatten().for_each(|&v| tracer.value(v));
    }
}

/// Sites beyond those of the program, for objects that the engine itself makes.
#[derive(Copy, Clone)]
pub enum OwnSite {
    Arguments = 0,
    ArgumentVector = 1,
    VariableArguments = 2,
    Environment = 3,
    Frame = 4,
    /// Objects that a function run alone is given.
    OnDemand = 5,
    /// What a function run alone finds where its caller would have put a structure.
    Caller = 6,
}

pub fn own_site(program: &Program, site: OwnSite) -> u32 {
    program.sites.len() as u32 + site as u32
}

/// What memory may use before there is a path.
pub fn with_cx<T>(terms: &mut Terms, solver: &mut dyn Solver, act: impl FnOnce(&mut Cx) -> T) -> T {
    with_path(terms, solver, &PathCondition::new(), act)
}

/// What memory may use where nothing runs.
pub fn with_path<T>(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    path: &PathCondition,
    act: impl FnOnce(&mut Cx) -> T,
) -> T {
    act(&mut Cx {
        terms,
        solver,
        path,
        budget: Budget::UNLIMITED,
        counters: &mut Counters::default(),
        site: mneme_memory::NO_SITE,
        at: 0,
        calls: &mneme_memory::NoCalls,
        seen: &[],
    })
}

/// Allocates where only the address space can be too small.
pub fn allocate<M: Model>(
    memory: &mut Heap<M>,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    what: Alloc,
) -> Option<BaseId> {
    let whole = std::mem::take(memory);
    let branch = with_cx(terms, solver, |cx| whole.alloc(cx, what)).sole()?;
    *memory = branch.memory;
    match branch.end {
        End::Done(Value::Ptr { base, .. }) => Some(base),
        _ => None,
    }
}

/// Builds the image and the memory of the first state.
pub fn build<M: Model>(
    program: &Program,
    terms: &mut Terms,
    solver: &mut dyn Solver,
    options: &Options,
    model: &M::Options,
) -> Option<(Image, Heap<M>)> {
    let mut memory = Heap::new(program.target.pointer_width, model);
    let mut function_bases = Vec::new();
    let mut functions = FxHashMap::default();
    for (index, function) in program.functions.iter().enumerate() {
        let what = Alloc {
            kind: BaseKind::Function,
            size: Value::Int(1),
            align: 16,
            site: function.site.0,
            init: Init::Zero,
        };
        let base = allocate(&mut memory, terms, solver, what)?;
        function_bases.push(base);
        functions.insert(base, FunctionId(index as u32));
    }
    let mut global_bases = Vec::new();
    for global in &program.globals {
        let (size, align) = (Value::Int(global.size), global.align.max(1));
        let what = Alloc {
            kind: BaseKind::Global,
            size,
            align,
            site: global.site.0,
            init: Init::Zero,
        };
        global_bases.push(allocate(&mut memory, terms, solver, what)?);
    }
    let merges_at: Vec<bool> = program
        .functions
        .iter()
        .map(|function| named(function, &options.merge.at))
        .collect();
    let mut image = Image {
        constants: Vec::new(),
        shortcuts: program.functions.iter().map(Shortcut::of).collect(),
        function_bases,
        functions,
        global_bases,
        variables: program.functions.iter().map(variables).collect(),
        observed: merges_at.clone(),
        merges_at,
        loops: vec![OnceCell::new(); program.functions.len()],
    };
    image.constants = program
        .functions
        .iter()
        .map(|f| {
            f.constants
                .iter()
                .map(|constant| image.value(terms, constant))
                .collect()
        })
        .collect();
    for (index, global) in program.globals.iter().enumerate() {
        let id = GlobalId(index as u32);
        with_cx(terms, solver, |cx| image.initialise(program, cx, &mut memory, id))?;
        if global.constant {
            memory.protect(image.global_bases[index]);
        }
    }
    Some((image, memory))
}

/// Do any of these names refer to the function?
pub fn named(function: &Function, names: &[String]) -> bool {
    let known = [Some(&function.name), function.source_name.as_ref()];
    known.into_iter().flatten().any(|name| names.contains(name))
}

fn variables(function: &Function) -> Vec<bool> {
    let mut out = vec![false; function.slots as usize];
    for inst in &function.code {
        if let Inst::SlotInit { slot } | Inst::SlotStore { slot, .. } | Inst::SlotLoad { slot, .. } = *inst {
            out[slot as usize] = true;
        }
    }
    out
}

impl Image {
    pub fn value(&self, terms: &mut Terms, constant: &Constant) -> Value {
        match constant {
            Constant::Int(n) => Value::Int(*n),
            Constant::Wide { bits, words } => Value::Term(terms.constant_bits(&Bits::from_words(*bits, words))),
            Constant::Global { global, offset } => {
                let offset = truncate(*offset as u64, terms.pointer_width());
                Value::Ptr {
                    base: self.global_bases[global.index()],
                    offset,
                }
            }
            Constant::Function(function) => Value::Ptr {
                base: self.function_bases[function.index()],
                offset: 0,
            },
            Constant::Undef { bits } => {
                let name = format!("undef!{bits}");
                let symbol = terms.symbol_id(Symbol {
                    name,
                    kind: SymbolKind::Uninit(Origin::Value),
                    sort: Sort::Bits(*bits),
                });
                Value::Term(terms.symbol(symbol))
            }
        }
    }

    fn initialise<M: Model>(&self, program: &Program, cx: &mut Cx, memory: &mut Heap<M>, id: GlobalId) -> Option<()> {
        let base = self.global_bases[id.index()];
        let word = program.target.pointer_width / 8;
        for (offset, data) in &program.globals[id.index()].init {
            match data {
                InitData::Bytes(bytes) => memory.init_bytes(cx, base, *offset, bytes),
                InitData::Address(constant) => {
                    let value = self.value(cx.terms, constant);
                    memory.init_value(cx, base, *offset, word, value);
                }
                InitData::Difference { a, b, addend, bytes } => {
                    let a = self.value(cx.terms, a);
                    let b = self.value(cx.terms, b);
                    let mut address = |v| match v {
                        Value::Ptr { base, offset } => Some(memory.expose(base).wrapping_add(offset)),
                        Value::Int(n) => Some(n),
                        _ => None,
                    };
                    let difference = address(a)?.wrapping_sub(address(b)?).wrapping_add(*addend as u64);
                    memory.init_bytes(cx, base, *offset, &difference.to_le_bytes()[..*bytes as usize]);
                }
            }
        }
        Some(())
    }
}
