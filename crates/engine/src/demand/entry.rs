//! Where a function that is run alone begins: its arguments, and what the globals hold.

use super::birth::Want;
use super::{Argument, Object, Stage};
use crate::image::OwnSite;
use crate::options::{Globals, Options};
use crate::state::{Pending, State};
use crate::worker::Worker;
use crate::{EngineError, OnDemand};
use mneme_memory::Model;
use mneme_program::{Function, Kind, Program, Scalar, ScalarKind, Type};
use mneme_term::{BaseId, Sort, Symbol, SymbolKind, Value};
use std::rc::Rc;

/// What a parameter is, as the machine passes it.
enum Passed {
    /// The address where the result goes.
    Result {
        bytes: u64,
    },
    /// The address of a structure that is passed by value.
    Structure {
        ty: Type,
        bytes: u64,
    },
    Pointer {
        to: Option<Type>,
        nonnull: bool,
        least: u64,
    },
    Number,
}

struct Parameter {
    name: String,
    c_type: Option<Type>,
    scalar: Scalar,
    passed: Passed,
}

/// The parameters of the program's first function, as C declares them and as the machine passes them.
fn parameters(program: &Program, function: &Function) -> Result<Vec<Parameter>, &'static str> {
    let scalars = &function.signature.params;
    let returned = function.returns.and_then(|ty| program.size_of(ty.into()));
    let is_structure = |ty: Type| matches!(program.kind(ty), Kind::Struct { .. });
    let mut out = Vec::new();
    let mut rest = &scalars[..];
    let large = function.returns.is_some_and(|ty| is_structure(ty.into()));
    if let (true, true, Some(bytes), Some((&scalar, others))) = (
        large,
        function.signature.results.is_empty(),
        returned,
        rest.split_first(),
    ) && bytes > 0
    {
        rest = others;
        out.push(Parameter {
            name: "result".into(),
            c_type: None,
            scalar,
            passed: Passed::Result { bytes },
        });
    }
    if !function.params.is_empty() && function.params.len() != rest.len() {
        return Err("it takes a structure in several parts");
    }
    for (index, &scalar) in rest.iter().enumerate() {
        let declared = function.params.get(index);
        let c_type = declared.map(|param| Type::from(param.c_type));
        let passed = match (scalar.kind, c_type.map(|ty| (ty, program.kind(ty)))) {
            (ScalarKind::Pointer, Some((_, Kind::Pointer { to }))) => Passed::Pointer {
                to: Some(to),
                nonnull: declared.is_some_and(|param| param.nonnull),
                least: declared.map_or(0, |param| param.least),
            },
            (ScalarKind::Pointer, Some((ty, Kind::Struct { bytes, .. }))) => Passed::Structure { ty, bytes },
            (ScalarKind::Pointer, _) => Passed::Pointer {
                to: None,
                nonnull: false,
                least: 0,
            },
            (_, Some((_, Kind::Struct { .. }))) => return Err("it takes a structure in a register"),
            (_, Some((_, Kind::Pointer { .. }))) => return Err("it takes a pointer as a number"),
            (ScalarKind::Extended | ScalarKind::OtherFloat, _) => return Err("it takes a `long double`"),
            _ => Passed::Number,
        };
        let name = declared.and_then(|param| param.name.clone());
        out.push(Parameter {
            name: name.unwrap_or_else(|| format!("arg{index}")),
            c_type,
            scalar,
            passed,
        });
    }
    Ok(out)
}

/// Whether the program's first function can be given arguments.
pub fn can_be_alone(program: &Program, options: &Options) -> Result<(), EngineError> {
    let Some(main) = program.main else { return Ok(()) };
    let function = program.function(main);
    let defined = |name: &str| {
        let found = program.find_function(name).map(|id| program.function(id));
        found.filter(|found| !found.is_declaration())
    };
    if let Some(contract) = &options.contract {
        let takes = &function.signature.params;
        let fits = |found: &Function| found.signature.params == *takes && found.signature.results.is_empty();
        if !defined(contract).is_some_and(fits) {
            let (function, contract) = (function.name.clone(), contract.clone());
            return Err(EngineError::NoContract { function, contract });
        }
    }
    if let Some(other) = &options.same_as {
        let same = |other: &Function| other.signature == function.signature;
        if !defined(other).is_some_and(same) {
            let (function, other) = (function.name.clone(), other.clone());
            return Err(EngineError::NotAlike { function, other });
        }
    }
    let refuse = |why| EngineError::NotAlone {
        function: function.source_name.clone().unwrap_or_else(|| function.name.clone()),
        why,
    };
    if function.signature.variadic {
        return Err(refuse("it takes a variable number of arguments"));
    }
    parameters(program, function).map(|_| ()).map_err(refuse)
}

impl<M: Model> Worker<'_, M> {
    /// The first state of a run of one function: nothing is known of what it is given. `None`: no room.
    pub(crate) fn enter_alone(&mut self, state: &mut State<M>) -> Option<()> {
        let function = self.program.main?;
        if self.on_demand().globals == Globals::Any {
            self.forget_globals(state);
        }
        let mut args = Vec::new();
        let parameters = parameters(self.program, self.program.function(function)).unwrap_or_default();
        for parameter in parameters {
            let value = self.argument(state, &parameter)?;
            args.push(value);
            if !matches!(parameter.passed, Passed::Result { .. }) {
                Rc::make_mut(&mut state.demand.args).push(Argument {
                    name: parameter.name.into(),
                    c_type: parameter.c_type,
                    value,
                    scalar: parameter.scalar,
                });
            }
        }
        let mut pending = self.expect_second(state, &args).unwrap_or_default();
        pending.push(Pending::Main {
            function,
            args: args.clone(),
        });
        // What it rules out is no path of the function.
        let contract = self.options.contract.as_ref();
        if let Some(function) = contract.and_then(|name| self.program.find_function(name)) {
            pending.push(Pending::Call { function, args });
        }
        state.pending = Rc::new(pending);
        Some(())
    }

    pub(super) fn on_demand(&self) -> OnDemand {
        self.options.on_demand.expect("only functions run alone make demands")
    }

    fn argument(&mut self, state: &mut State<M>, parameter: &Parameter) -> Option<Value> {
        let name = &parameter.name;
        match parameter.passed {
            Passed::Result { bytes } => {
                let base = self.make(state, OwnSite::Caller, bytes)?;
                Some(Value::Ptr { base, offset: 0 })
            }
            Passed::Structure { ty, bytes } => {
                let base = self.make(state, OwnSite::Caller, bytes)?;
                self.postponed(state, base, name, Some(ty), Stage::Latent);
                Some(Value::Ptr { base, offset: 0 })
            }
            Passed::Pointer { to, nonnull, least } => {
                let which = self.input(state, name, Sort::Bits(8), 1, None);
                let want = Want {
                    name,
                    to,
                    depth: 0,
                    nonnull,
                    least,
                };
                self.unknown_pointer(state, which, want)
            }
            Passed::Number => {
                let bits = parameter.scalar.width();
                let bytes = parameter.scalar.bytes();
                let whole = self.input(state, name, Sort::Bits(8 * bytes), bytes.into(), parameter.c_type);
                let low = self.terms.extract(whole, 0, bits);
                Some(self.terms.to_value(low))
            }
        }
    }

    /// An object that is there, of which nothing is known but its type.
    fn postponed(&mut self, state: &mut State<M>, base: BaseId, name: &str, c_type: Option<Type>, stage: Stage) {
        state.memory.postpone(base);
        let owned = self.terms.tru();
        Rc::make_mut(&mut state.demand.objects).push(Object {
            base,
            name: name.into(),
            c_type,
            depth: 0,
            owned,
            stage,
        });
    }

    /// Nothing is known of the program's variables any more. Constants stay, and so do variables inside of functions,
    /// which nobody else can set.
    fn forget_globals(&mut self, state: &mut State<M>) {
        for (index, global) in self.program.globals.iter().enumerate() {
            let site = &self.program.sites[global.site.index()];
            let Some(name) = site.name.as_deref().filter(|_| site.function.is_none()) else {
                continue;
            };
            let known =
                global.constant || global.only_read || global.runtime || global.external || global.name.contains('.');
            if known || global.size == 0 || name.starts_with('.') {
                continue;
            }
            let base = self.image.global_bases[index];
            self.postponed(state, base, name, site.c_type.map(Type::from), Stage::Global);
        }
    }

    /// A new input of the path, as a term of this sort. It has at most `most` bytes.
    pub(super) fn input(
        &mut self,
        state: &mut State<M>,
        name: &str,
        sort: Sort,
        most: u64,
        c_type: Option<Type>,
    ) -> mneme_term::TermId {
        let symbol = self.terms.symbol_id(Symbol {
            name: name.into(),
            kind: SymbolKind::Input,
            sort,
        });
        let term = self.terms.symbol(symbol);
        self.stats.inputs += u64::from(!self.repeats(state));
        self.stats.seed_gaps += { &mut state.path.seeds }.meet(&self.options.seeds, name, symbol, sort, most);
        let width = self.pointer_width();
        let byte = |worker: &mut Self, k: u64| match sort {
            Sort::Bits(_) => worker.terms.extract(term, 8 * k as u32, 8),
            Sort::Array { .. } => {
                let index = worker.terms.constant(width, k);
                worker.terms.select(term, index)
            }
        };
        let bytes = (0..most).map(|k| byte(self, k)).collect();
        Rc::make_mut(&mut state.path.inputs).push(crate::state::Input {
            name: name.into(),
            bytes,
            len: Value::Int(most),
            c_type,
        });
        term
    }
}
