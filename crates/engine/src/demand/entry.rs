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
    /// A structure in several registers: what follows its first part, with the places of all parts.
    Parts {
        ty: Type,
        bytes: u64,
        parts: Vec<(u64, Scalar)>,
    },
    Pointer {
        to: Option<Type>,
        nonnull: bool,
        restrict: bool,
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
    let mut index = 0;
    while let Some((&scalar, behind)) = rest.split_first() {
        let declared = function.params.get(index);
        let c_type = declared.map(|param| Type::from(param.c_type));
        rest = behind;
        if c_type.is_some_and(|ty| program.size_of(ty) == Some(0)) {
            return Err("it takes an empty structure");
        }
        let passed = match (scalar.kind, c_type.map(|ty| (ty, program.kind(ty)))) {
            (ScalarKind::Pointer, Some((_, Kind::Pointer { to }))) => Passed::Pointer {
                to: Some(to),
                nonnull: declared.is_some_and(|param| param.nonnull),
                restrict: declared.is_some_and(|param| param.restrict),
                least: declared.map_or(0, |param| param.least),
            },
            (ScalarKind::Pointer, Some((ty, Kind::Struct { bytes, .. }))) => Passed::Structure { ty, bytes },
            (ScalarKind::Pointer, _) => Passed::Pointer {
                to: None,
                nonnull: false,
                restrict: false,
                least: 0,
            },
            (_, Some((ty, Kind::Struct { bytes, .. }))) => {
                let parts = parts(program, ty, scalar, behind).ok_or("it takes a structure in an unusual way")?;
                rest = &behind[parts.len() - 1..];
                Passed::Parts { ty, bytes, parts }
            }
            (ScalarKind::Int, Some((ty, Kind::Base { bytes, .. }))) if bytes > scalar.bytes().into() => {
                let parts = parts(program, ty, scalar, behind).ok_or("it takes a number in several parts")?;
                rest = &behind[parts.len() - 1..];
                Passed::Parts { ty, bytes, parts }
            }
            (_, Some((_, Kind::Pointer { .. }))) => return Err("it takes a pointer as a number"),
            (ScalarKind::OtherFloat, _) => return Err("it takes a floating-point number of an unusual width"),
            _ => Passed::Number,
        };
        let name = declared.and_then(|param| param.name.clone());
        out.push(Parameter {
            name: name.unwrap_or_else(|| format!("arg{index}")),
            c_type,
            scalar,
            passed,
        });
        index += 1;
    }
    match function.params.len() {
        0 => Ok(out),
        declared if declared == index => Ok(out),
        _ => Err("its parameters are not passed as C declares them"),
    }
}

/// Bytes of a register for structures.
const REGISTER: u64 = 8;

/// Where in a structure the scalars are that the machine passes for it: one or several for each eight bytes. `None`:
/// these scalars are not all of it.
fn parts(program: &Program, ty: Type, first: Scalar, behind: &[Scalar]) -> Option<Vec<(u64, Scalar)>> {
    let end = program.end_of_members(ty)?;
    let (mut parts, mut at) = (Vec::new(), 0u64);
    for &scalar in std::iter::once(&first).chain(behind) {
        let known = matches!(scalar.kind, ScalarKind::Int | ScalarKind::Pointer | ScalarKind::Float);
        let bytes = u64::from(scalar.bytes()).next_power_of_two();
        if !known || bytes > REGISTER {
            return None;
        }
        at = at.next_multiple_of(bytes);
        parts.push((at, scalar));
        // A number takes a register of its own; floats may share one.
        let is_float = scalar.kind == ScalarKind::Float;
        at += if is_float { bytes } else { REGISTER };
        if at >= end {
            return Some(parts);
        }
    }
    None
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
            if !matches!(parameter.passed, Passed::Result { .. }) {
                Rc::make_mut(&mut state.demand.args).push(Argument {
                    name: parameter.name.as_str().into(),
                    c_type: parameter.c_type,
                    value,
                    scalar: parameter.scalar,
                });
            }
            match (&parameter.passed, value) {
                (Passed::Parts { parts, .. }, Value::Ptr { base, .. }) => {
                    args.extend(self.parts_of(state, base, parts)?);
                }
                _ => args.push(value),
            }
        }
        self.keep_counts(state);
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
            Passed::Parts { ty, bytes, .. } => {
                let base = self.make(state, OwnSite::Caller, bytes)?;
                self.postponed(state, base, name, Some(ty), Stage::Latent);
                self.bear(state, base).ok()?;
                Some(Value::Ptr { base, offset: 0 })
            }
            Passed::Result { bytes } => {
                let base = self.make(state, OwnSite::Caller, bytes)?;
                state.demand.result_at = Some((base, bytes));
                Some(Value::Ptr { base, offset: 0 })
            }
            Passed::Structure { ty, bytes } => {
                let base = self.make(state, OwnSite::Caller, bytes)?;
                self.postponed(state, base, name, Some(ty), Stage::Latent);
                Some(Value::Ptr { base, offset: 0 })
            }
            Passed::Pointer {
                to,
                nonnull,
                restrict,
                least,
            } => {
                let which = self.input(state, name, Sort::Bits(8), 1, None);
                let want = Want {
                    name,
                    to,
                    depth: 0,
                    nonnull,
                    restrict,
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

    /// Where the source says which parameter counts the elements of another (`access`), callers see to it.
    fn keep_counts(&mut self, state: &mut State<M>) {
        let program = self.program;
        let Some(function) = program.main.map(|main| program.function(main)) else {
            return;
        };
        let name = function.source_name.as_ref().unwrap_or(&function.name);
        let width = self.pointer_width();
        for &(array, count) in program.counts.of_function(name) {
            let args = state.demand.args.clone();
            let (Some(array), Some(count)) = (args.get(array), args.get(count)) else {
                continue;
            };
            let to = array.c_type.map(|ty| program.kind(ty));
            let (Some(Kind::Pointer { to }), ScalarKind::Int) = (to, count.scalar.kind) else {
                continue;
            };
            let element = program.size_of(to).unwrap_or(1);
            let number = self.term(count.value, count.scalar.width());
            if element == 0 || self.terms.width(number) > width {
                continue;
            }
            let number = self.terms.zext(number, width);
            let zero = self.terms.constant(width, 0);
            let (mut all, mut most) = (self.terms.tru(), 0);
            let pointer = self.term(array.value, width);
            for case in self.terms.cases(pointer).iter() {
                let header = case.base.and_then(|base| state.memory.header(base));
                let holds = match header.map(|header| (header.size, header.room)) {
                    Some((size, room)) => {
                        most = most.max(room / element);
                        let size = self.term(size, width);
                        let rest = self.terms.sub(size, case.offset);
                        self.fits(number, element, rest, room)
                    }
                    None => self.terms.eq(number, zero),
                };
                let elsewhere = self.terms.not(case.guard);
                let holds = self.terms.or(elsewhere, holds);
                all = self.terms.and(all, holds);
            }
            self.keep(state, all, number, most);
        }
    }

    /// What the machine passes for a structure.
    fn parts_of(&mut self, state: &State<M>, base: BaseId, parts: &[(u64, Scalar)]) -> Option<Vec<Value>> {
        let part = |&(at, scalar): &(u64, Scalar)| {
            let value = self.value_now(state, base, at, scalar.bytes())?;
            let word = self.term(value, 8 * scalar.bytes());
            let low = self.terms.extract(word, 0, scalar.width());
            Some(self.terms.to_value(low))
        };
        parts.iter().map(part).collect()
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
            restrict: false,
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
