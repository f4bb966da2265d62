//! Calls of functions of which nothing is known: they are not there, or their calls are deeper than the run goes.
//!
//! Such a call returns anything: a number is a new symbol, a pointer is one of which nothing is known, as an argument
//! is. With [`UnknownCalls::Havoc`], everything that it can reach holds anything afterwards: what its arguments lead
//! to, but for what it promises not to change (`const`), and the global variables. That goes through the operations
//! that every model has: the bytes of an object become those of an array, and the pointers among them, by its type,
//! unknown pointers. All of this is counted, and a finding says if it rests on it.

use super::birth::Owner;
use super::{Object, Stage};
use crate::fault::Error;
use crate::options::UnknownCalls;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_finding::{Location, Note};
use mneme_memory::{AccessKind, Fault, FaultKind, Life, Model};
use mneme_program::{Call, CallSummaries, Callee, Function, FunctionId, Inst, Kind, Scalar, ScalarKind, Type};
use mneme_term::{BaseId, BaseKind, Sort, Symbol, SymbolId, SymbolKind, TermId, Tracer, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Why a call is not executed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// The function is not there.
    Body,
    /// The call is too deep.
    Depth,
    /// Not a call: rounds of a loop that are not executed.
    Rounds,
    /// Not a call: an access at a location of which nothing is known.
    Location,
}

/// A call that was not executed, or something else of which the outcome is not known.
#[derive(Clone, PartialEq)]
pub(super) struct Unknown {
    name: Rc<str>,
    place: Option<Location>,
    missing: Missing,
    /// The number that it returned.
    result: Option<TermId>,
    /// What it returned and wrote.
    symbols: Vec<SymbolId>,
}

impl Unknown {
    pub(super) fn trace(&self, tracer: &mut Tracer) {
        self.result.iter().for_each(|&term| tracer.term(term));
    }

    pub(super) fn is_told_in(&self, symbols: &[SymbolId]) -> bool {
        symbols.iter().any(|symbol| self.symbols.contains(symbol))
    }
}

/// Calls that are told with a finding.
const MOST_TOLD: usize = 3;
/// Objects of more room are not made anew: what they hold is lost with the path.
const MOST_ROOM: u64 = 1 << 16;

impl<M: Model> Worker<'_, M> {
    /// A call of one of the program's own functions that is deeper than the run goes.
    pub(crate) fn not_inlined(&mut self, state: &mut State<M>, call: &Call, callee: &Function) -> Option<Flow> {
        let most = self.options.inline_depth.filter(|_| !callee.runtime)?;
        let own = |function| !self.program.function(function).runtime;
        let depth = state.frames.iter().filter(|frame| own(frame.function)).count();
        if depth < most {
            return None;
        }
        let args: Vec<Value> = call.args.iter().map(|arg| self.get(state, arg.value)).collect();
        Some(match self.options.unknown_calls {
            UnknownCalls::Stop => self.unsupported(state, "a call that is deeper than the run goes"),
            _ => self.unknown_call(state, call, &callee.name, &args, Missing::Depth),
        })
    }

    /// The call of a function of which nothing is known.
    pub(crate) fn unknown_call(
        &mut self,
        state: &mut State<M>,
        call: &Call,
        name: &str,
        args: &[Value],
        missing: Missing,
    ) -> Flow {
        if self.is_trial() {
            return self.irregular("it calls a function that is not executed");
        }
        if let Some(flow) = self.check_passed(state, args) {
            return flow;
        }
        let what = match missing {
            Missing::Depth => "calls that are too deep may do anything",
            _ => "calls of functions that are not there may do anything",
        };
        *self.stats.approximated.entry(what).or_default() += 1;
        if call.noreturn {
            self.stats.paths.excluded += 1;
            return Flow::End;
        }
        let program = self.program;
        let function = program.find_function(name).map(|id| program.function(id));
        let source_name = function.and_then(|function| function.source_name.clone());
        self.begin_unknown(state, &source_name.unwrap_or_else(|| name.to_owned()), missing);
        let writes = program.find_function(name).is_none_or(|id| !self.writes_nothing(id));
        let lasts = match self.options.unknown_calls {
            UnknownCalls::Havoc if writes => self.let_write(state, function, args),
            _ => Ok(()),
        };
        let returns = function.and_then(|function| function.returns).map(Type::from);
        match lasts.and_then(|()| self.any_results(state, &call.results, returns)) {
            Ok(results) => {
                let dst = call.dst as usize;
                state.frame_mut().slots[dst..dst + results.len()].copy_from_slice(&results);
                self.resume(state, Then::Advance);
                Flow::On
            }
            Err(flow) => flow,
        }
    }

    /// From now on, symbols are made for this.
    pub(super) fn begin_unknown(&mut self, state: &mut State<M>, name: &str, missing: Missing) {
        let place = self.stack(state).into_iter().find(|place| !place.runtime);
        Rc::make_mut(&mut state.demand.unknown).push(Unknown {
            name: name.into(),
            place,
            missing,
            result: None,
            symbols: Vec::new(),
        });
    }

    /// Whether calls of a function leave all memory as it is.
    pub(super) fn writes_nothing(&mut self, function: FunctionId) -> bool {
        let program = self.program;
        let summaries = self.call_summaries.get_or_insert_with(|| CallSummaries::of(program));
        summaries.writes_nothing(function)
    }

    /// An access at a location that is unknown (section 5.1 of the paper on regions): what is read there is unknown,
    /// too, and what is written there changes nothing that is known. Both are told.
    pub(super) fn unknown_location(&mut self, state: &mut State<M>, number: TermId, inst: Inst) -> Flow {
        if self.is_trial() {
            return self.irregular("it accesses an unknown location");
        }
        if let Inst::Call { call } = inst {
            let call = &self.program.function(state.frame().function).calls[call.index()];
            // A copy of an argument is an operation on many bytes.
            if let Callee::Indirect(callee) = call.callee
                && self.get(state, callee) == Value::Term(number)
            {
                let name = self.accessed_expression(state);
                return self.call_unknown(state, &name);
            }
        }
        let (Inst::Load { .. } | Inst::Store { .. }) = inst else {
            return self.unsupported(state, "an operation on many bytes at an unknown location");
        };
        *self
            .stats
            .approximated
            .entry("accesses of unknown locations may be anywhere")
            .or_default() += 1;
        let name = self.accessed_expression(state);
        self.begin_unknown(state, &name, Missing::Location);
        if let Inst::Load { ty, dst, .. } = inst {
            match self.any_results(state, &[ty], None) {
                Ok(results) => state.frame_mut().slots[dst as usize] = results[0],
                Err(flow) => return flow,
            }
        }
        self.resume(state, Then::Advance);
        Flow::On
    }

    /// What the instruction that is executed accesses or calls, as C writes it.
    fn accessed_expression(&self, state: &State<M>) -> String {
        let frame = state.frame();
        let expression = self.program.expression(frame.function, frame.pc);
        expression.map_or("what is accessed".into(), |expression| expression.text)
    }

    /// Nobody passes a pointer to a block that was freed, or a value that was never set.
    fn check_passed(&mut self, state: &mut State<M>, args: &[Value]) -> Option<Flow> {
        for &arg in args {
            match arg {
                Value::Ptr { base, offset } => {
                    let header = state.memory.header(base)?;
                    if header.kind == BaseKind::Heap && header.life == Life::Freed {
                        let fault = Fault {
                            kind: FaultKind::UseAfterFree(AccessKind::Read),
                            base: Some(base),
                            offset: self.terms.constant(self.pointer_width(), offset),
                            len: None,
                        };
                        return Some(self.fail(state, Error::Memory(fault)));
                    }
                }
                // Padding of a structure is passed with it.
                Value::Term(term) if !self.terms.has_kind(term, SymbolKind::Input) => {
                    if let Some(flow) = self.check_defined(state, term) {
                        return Some(flow);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// A symbol that the newest of the unknown calls made.
    pub(super) fn unknown_symbol(&mut self, state: &mut State<M>, part: &str, sort: Sort) -> SymbolId {
        let all = Rc::make_mut(&mut state.demand.unknown);
        let number = all.len();
        let call = all.last_mut().expect("there is a call");
        let name = format!("{}(){part}#{number}.{}", call.name, call.symbols.len());
        let symbol = self.terms.symbol_id(Symbol {
            name,
            kind: SymbolKind::Input,
            sort,
        });
        call.symbols.push(symbol);
        symbol
    }

    fn any_results(
        &mut self,
        state: &mut State<M>,
        results: &[Scalar],
        returns: Option<Type>,
    ) -> Result<Vec<Value>, Flow> {
        let mut out = Vec::new();
        for scalar in results {
            if scalar.kind == ScalarKind::Pointer && self.options.on_demand.is_some() {
                let to = returns.and_then(|ty| match self.program.kind(ty) {
                    Kind::Pointer { to } => Some(to),
                    _ => None,
                });
                out.push(self.any_pointer(state, to)?);
                continue;
            }
            let symbol = self.unknown_symbol(state, "", Sort::Bits(scalar.width()));
            let term = self.terms.symbol(symbol);
            let call = Rc::make_mut(&mut state.demand.unknown).last_mut();
            call.expect("there is a call").result = (results.len() == 1).then_some(term);
            out.push(self.terms.to_value(term));
        }
        Ok(out)
    }

    fn any_pointer(&mut self, state: &mut State<M>, to: Option<Type>) -> Result<Value, Flow> {
        let symbol = self.unknown_symbol(state, "", Sort::Bits(8));
        let which = self.terms.symbol(symbol);
        let name = format!("{}()", state.demand.unknown.last().expect("there is a call").name);
        let pointer = self.unknown_pointer(
            state,
            which,
            super::birth::Want {
                name: &name,
                to,
                depth: 0,
                nonnull: false,
                restrict: false,
                least: 0,
            },
        );
        pointer.ok_or_else(|| self.no_room(state))
    }

    /// Everything that the call can reach holds anything from now on.
    pub(super) fn let_write(
        &mut self,
        state: &mut State<M>,
        function: Option<&Function>,
        args: &[Value],
    ) -> Result<(), Flow> {
        let declared = |index: usize| function.and_then(|function| function.params.get(index));
        let kept = |index: usize| {
            let ty = declared(index).map(|param| self.program.kind(param.c_type.into()));
            matches!(ty, Some(Kind::Pointer { to }) if self.program.is_const(to))
        };
        let (mut kept_bases, mut pending) = (FxHashSet::default(), Vec::new());
        for (index, &arg) in args.iter().enumerate() {
            let mut bases = Vec::new();
            crate::leaks::bases_of(&self.terms, arg, &mut bases);
            if kept(index) {
                kept_bases.extend(bases.iter().copied());
            }
            pending.extend(bases);
        }
        let is_variable = |object: &&Object| self.is_variable(state, object);
        let globals = state.demand.objects.iter().filter(is_variable);
        pending.extend(globals.map(|object| object.base));
        let mut reached = FxHashSet::default();
        let mut written = Vec::new();
        while let Some(base) = pending.pop() {
            let alive = state.memory.is_alive(base) && !self.image.functions.contains_key(&base);
            if !alive || !reached.insert(base) {
                continue;
            }
            pending.extend(state.memory.references(&mut self.terms, base));
            // Who has the address may keep it.
            Rc::make_mut(&mut state.leaks.reported).insert(base);
            let constant = state.memory.header(base).is_none_or(|header| header.constant);
            if !constant && !kept_bases.contains(&base) {
                written.push(base);
            }
        }
        // In an order that depends on the path alone.
        written.sort_unstable();
        written.into_iter().try_for_each(|base| self.forget(state, base))
    }

    /// Nothing is known any more of what an object holds.
    pub(super) fn forget(&mut self, state: &mut State<M>, base: BaseId) -> Result<(), Flow> {
        let header = state.memory.header(base).expect("it is alive");
        let (room, site, family) = (header.room, header.site as usize, header.family.is_some());
        if room == 0 {
            return Ok(());
        }
        if family || room > MOST_ROOM {
            return Err(self.unsupported(state, "a function that is not executed and may write a large object"));
        }
        let site = self.program.sites.get(site);
        let known = state
            .demand
            .position(base)
            .map(|index| state.demand.objects[index].clone());
        let owner = match &known {
            Some(object) => Owner {
                name: object.name.clone(),
                c_type: object.c_type,
                depth: object.depth,
                variable: object.stage == Stage::Global || self.is_variable(state, object),
            },
            None => Owner {
                name: site.and_then(|site| site.name.as_deref()).unwrap_or("memory").into(),
                c_type: site.and_then(|site| site.c_type).map(Type::from),
                depth: 0,
                variable: true,
            },
        };
        let sort = Sort::Array {
            index: self.pointer_width(),
            element: 8,
        };
        let symbol = self.unknown_symbol(state, &format!(" {}", owner.name), sort);
        self.change_memory(state, |memory, cx| memory.init_symbol(cx, base, room, symbol));
        let array = self.terms.symbol(symbol);
        match self.options.on_demand {
            Some(_) => self.unknown_pointers(state, base, room, array, &owner).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Whether what leads to this state depends on calls that were not executed.
    pub(super) fn rests_on_calls(&self, state: &State<M>) -> bool {
        let clauses = state.path.condition.clauses().iter();
        let mut symbols = clauses.map(|&clause| self.terms.symbols(clause));
        symbols.any(|symbols| state.demand.unknown.iter().any(|call| call.is_told_in(symbols)))
    }

    /// Whether a condition depends on what a loop does in rounds that are not executed.
    pub(super) fn rests_on_rounds(&self, state: &State<M>, condition: TermId) -> bool {
        let symbols = self.terms.symbols(condition);
        let mut widened = state.demand.unknown.iter().filter(|one| one.missing == Missing::Rounds);
        widened.any(|one| one.is_told_in(symbols))
    }

    /// What is told of them with a finding: the last ones.
    pub(crate) fn unknown_calls(&self, state: &State<M>) -> Vec<Note> {
        let told = state.demand.unknown.iter().rev().take(MOST_TOLD).rev();
        told.map(|call| {
            let why = match call.missing {
                Missing::Body => "is not there",
                Missing::Depth => "is not executed, because the call is too deep",
                Missing::Rounds => {
                    let message = "the loop here makes more rounds, which may do anything";
                    return Note::new(message, call.place.clone());
                }
                Missing::Location => "is at an unknown location",
            };
            let verb = match call.missing {
                Missing::Location => "holds",
                _ => "returns",
            };
            let result = call.result.map(|term| self.evaluate(state, term));
            let result = result.map_or(String::new(), |bits| format!("; here it {verb} {}", bits.low_u64()));
            Note::new(format!("`{}` {why}{result}", call.name), call.place.clone())
        })
        .collect()
    }
}
