//! What handlers call: questions about pointers, the path, and the next handler (symMMU, Table 2).
//!
//! A pointer is a base and an offset, so that most questions are answered by its term. Each primitive asks at most one
//! query. What depends on the assignment of the state, and so on the solver, is a decision of the path.

use super::dispatch::Request;
use crate::commit::Ending;
use crate::fault::Error;
use crate::frontier::Guidance;
use crate::library::{Execute, number_of};
use crate::state::State;
use crate::then::Then;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_finding::Rule;
use mneme_memory::{AccessKind, End, Fault, Model, Reason, Truth};
use mneme_program::{Call, Scalar};
use mneme_term::{Assignment, BaseId, Op, Sort, Symbol, SymbolKind, TermId, Value};
use std::rc::Rc;
use std::str::FromStr;

/// Choices inside each other in which `mneme_is_unwritten` looks.
const DEEPEST_CHOICE: u32 = 64;

/// The primitives by name: the least number of arguments, and what is done.
pub(crate) fn known<M: Model>(name: &str) -> Option<(usize, Execute<M>)> {
    Some(match name {
        "mneme_next_load_8" => (1, |worker, state, call, args| worker.next_load(state, call, 8, args)),
        "mneme_next_load_16" => (1, |worker, state, call, args| worker.next_load(state, call, 16, args)),
        "mneme_next_load_32" => (1, |worker, state, call, args| worker.next_load(state, call, 32, args)),
        "mneme_next_load_64" => (1, |worker, state, call, args| worker.next_load(state, call, 64, args)),
        "mneme_next_store_8" => (2, |worker, state, _, args| worker.next_store(state, 8, args)),
        "mneme_next_store_16" => (2, |worker, state, _, args| worker.next_store(state, 16, args)),
        "mneme_next_store_32" => (2, |worker, state, _, args| worker.next_store(state, 32, args)),
        "mneme_next_store_64" => (2, |worker, state, _, args| worker.next_store(state, 64, args)),
        "mneme_object_of" => (1, |worker, state, call, args| worker.object_of(state, call, args[0])),
        "mneme_belongs_to" => (2, |worker, state, call, args| {
            worker.belongs_to(state, call, args[0], args[1])
        }),
        "mneme_candidates" => (1, |worker, state, call, args| {
            let count = worker.owners(state, args[0]).len() as u64;
            worker.answer(state, call, Value::Int(count))
        }),
        "mneme_candidate" => (2, |worker, state, call, args| {
            worker.candidate(state, call, args[0], args[1])
        }),
        "mneme_offset_in" => (2, |worker, state, call, args| {
            worker.offset_in(state, call, args[0], args[1])
        }),
        "mneme_size_of" => (1, |worker, state, call, args| {
            let base = worker.base_of(args[0]);
            let size = base.and_then(|base| Some(state.memory.header(base)?.size));
            worker.answer(state, call, size.unwrap_or(Value::ZERO))
        }),
        "mneme_pointer_value" => (1, |worker, state, call, args| {
            let inputs = worker.inputs_at_hand(state);
            let value = worker.pointer_value(state, args[0], &inputs);
            worker.answer(state, call, value)
        }),
        "mneme_pointer_where" => (2, |worker, state, call, args| {
            worker.pointer_where(state, call, args[0], args[1])
        }),
        "mneme_value" => (1, |worker, state, call, args| {
            let inputs = worker.inputs_at_hand(state);
            let value = worker.one_value(state, args[0], &inputs);
            worker.answer(state, call, value)
        }),
        "mneme_fresh" => (0, |worker, state, call, _| worker.fresh(state, call)),
        "mneme_is_alive" => (1, |worker, state, call, args| {
            let base = worker.base_of(args[0]);
            let header = base.and_then(|base| state.memory.header(base));
            // After merging, it may depend on inputs.
            let alive = header.map(|header| header.there(&mut worker.terms));
            let alive = alive.map_or(Value::ZERO, |alive| worker.terms.to_value(alive));
            worker.answer(state, call, alive)
        }),
        "mneme_is_symbolic" => (1, |worker, state, call, args| {
            let symbolic = matches!(args[0], Value::Term(_));
            worker.answer(state, call, Value::bool(symbolic))
        }),
        "mneme_is_unwritten" => (1, |worker, state, call, args| {
            let unwritten = match args[0] {
                Value::Term(term) => {
                    let when = worker.when_unwritten(term, DEEPEST_CHOICE);
                    worker.terms.to_value(when)
                }
                value => Value::bool(value == Value::Undef),
            };
            worker.answer(state, call, unwritten)
        }),
        "mneme_is_copy" => (0, |worker, state, call, _| {
            let copy = worker.serves_a_copy(state);
            worker.answer(state, call, Value::bool(copy))
        }),
        "mneme_hash" => (1, |worker, state, call, args| {
            let term = worker.term(args[0], call.args[0].ty.width());
            let hash = worker.terms.structural_hash(term);
            worker.answer(state, call, Value::Int(hash))
        }),
        "mneme_comes_from" => (2, |worker, state, call, args| {
            worker.comes_from(state, call, args[0], args[1])
        }),
        "mneme_fork" => (1, |worker, state, call, args| worker.fork_on(state, call, args[0])),
        "mneme_narrow" => (1, |worker, state, call, args| worker.keep_only(state, call, args[0])),
        "mneme_possible" => (1, |worker, state, call, args| worker.possible(state, call, args[0])),
        "mneme_fault" => (1, |worker, state, _, args| {
            let text = worker.string(state, args[0]);
            worker.fail(state, Error::OfHandler(Rule::HandlerReport, text))
        }),
        "mneme_fault_as" => (3, |worker, state, _, args| worker.fault_as(state, args)),
        "mneme_note" => (1, |worker, state, call, args| {
            let text = worker.string(state, args[0]);
            worker.error_going_on(state, &Error::OfHandler(Rule::HandlerReport, text));
            worker.answer(state, call, Value::ZERO)
        }),
        "mneme_tlb_insert" => (1, |worker, state, call, args| {
            worker.tlb_insert(state, call, args[0], None)
        }),
        "mneme_tlb_insert_range" => (2, |worker, state, call, args| {
            worker.tlb_insert(state, call, args[0], Some(args[1]))
        }),
        "mneme_tlb_invalidate" => (1, |worker, state, call, args| {
            if let Value::Ptr { base, .. } = args[0] {
                state.serving.tlb.remove(base);
            }
            worker.answer(state, call, Value::ZERO)
        }),
        "mneme_translate" => (1, |worker, state, call, args| {
            state.serving.translate(args[0] != Value::ZERO);
            worker.answer(state, call, Value::ZERO)
        }),
        "__mneme_listeners" => (1, |worker, state, call, args| worker.listeners(state, call, args[0])),
        "__mneme_tell" => (6, |worker, state, _, args| worker.tell_listener(state, args)),
        _ => return None,
    })
}

/// How many arguments of a primitive are places, where it takes any other value and does nothing with it: that may be
/// bytes of a pointer, which nobody has looked at.
pub(crate) fn places(name: &str) -> Option<usize> {
    match name {
        "mneme_is_unwritten" | "mneme_is_symbolic" | "mneme_comes_from" | "mneme_hash" => Some(0),
        name => name.starts_with("mneme_next_").then_some(1),
    }
}

/// An object that a pointer may belong to, or none, and when it does.
struct Owner {
    guard: TermId,
    object: Option<Object>,
}

/// An object, dead or alive, and where in it a pointer points.
struct Object {
    base: BaseId,
    start: Value,
    offset: Value,
}

impl<M: Model> Worker<'_, M> {
    fn next_load(&mut self, state: &mut State<M>, call: &Call, bits: u16, args: &[Value]) -> Flow {
        let ty = Scalar::int(bits);
        let request = Request {
            kind: AccessKind::Read,
            ty,
            place: args[0],
            value: None,
        };
        match self.pass_on(state, request, call.dst) {
            Some(flow) => flow,
            None => self.load_at(state, ty, call.dst, args[0]),
        }
    }

    fn next_store(&mut self, state: &mut State<M>, bits: u16, args: &[Value]) -> Flow {
        let ty = Scalar::int(bits);
        let request = Request {
            kind: AccessKind::Write,
            ty,
            place: args[0],
            value: Some(args[1]),
        };
        match self.pass_on(state, request, 0) {
            Some(flow) => flow,
            None => self.store_at(state, ty, args[0], args[1]),
        }
    }

    // ---- pointers

    /// The objects that a pointer may belong to, with disjoint guards that cover the path.
    fn owners(&mut self, state: &mut State<M>, p: Value) -> Vec<Owner> {
        let memory = state.memory.clone();
        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
        state.memory = memory;
        let mut owners = Vec::new();
        for branch in branches {
            let object = match branch.end {
                End::Done(info) => Some(Object {
                    base: info.base,
                    start: info.start,
                    offset: info.offset,
                }),
                End::Fault(Fault { base, offset, .. }) => base.map(|base| Object {
                    base,
                    start: Value::Ptr { base, offset: 0 },
                    offset: self.terms.to_value(offset),
                }),
                End::Stop(_) => None,
            };
            let guard = branch.guard;
            owners.push(Owner { guard, object });
        }
        owners
    }

    /// The object that a pointer to its start stands for.
    fn base_of(&mut self, object: Value) -> Option<BaseId> {
        match object {
            Value::Ptr { base, .. } => Some(base),
            Value::Term(term) => self.terms.split_pointer(term).map(|(base, _)| base),
            _ => None,
        }
    }

    /// One of the owners that the inputs lead to.
    fn one_owner(&mut self, state: &mut State<M>, p: Value, inputs: &Assignment) -> Option<Owner> {
        let mut owners = self.owners(state, p);
        let holds = |owner: &Owner| self.evaluate_with(state, owner.guard, inputs).low_u64() == 1;
        let index = owners.iter().position(holds).unwrap_or(0);
        let index = match owners.len() {
            0 | 1 => 0,
            _ => self.decide_number(state, index as u64) as usize,
        };
        (index < owners.len()).then(|| owners.swap_remove(index))
    }

    fn object_of(&mut self, state: &mut State<M>, call: &Call, p: Value) -> Flow {
        let inputs = self.inputs_at_hand(state);
        let owner = self.one_owner(state, p, &inputs);
        let start = owner.and_then(|owner| Some(owner.object?.start));
        self.answer(state, call, start.unwrap_or(Value::ZERO))
    }

    fn belongs_to(&mut self, state: &mut State<M>, call: &Call, p: Value, object: Value) -> Flow {
        let base = self.base_of(object);
        let mut belongs = self.terms.fls();
        for owner in self.owners(state, p) {
            if owner.object.map(|object| object.base) == base {
                belongs = self.terms.or(belongs, owner.guard);
            }
        }
        let belongs = self.terms.to_value(belongs);
        self.answer(state, call, belongs)
    }

    fn candidate(&mut self, state: &mut State<M>, call: &Call, p: Value, number: Value) -> Flow {
        let owners = self.owners(state, p);
        let owner = match number {
            Value::Int(number) => owners.get(number as usize),
            _ => None,
        };
        let start = owner.and_then(|owner| Some(owner.object.as_ref()?.start));
        self.answer(state, call, start.unwrap_or(Value::ZERO))
    }

    fn offset_in(&mut self, state: &mut State<M>, call: &Call, p: Value, object: Value) -> Flow {
        let base = self.base_of(object);
        let width = self.pointer_width();
        let mut offset = None;
        for owner in self.owners(state, p) {
            let Some(object) = owner.object.filter(|object| Some(object.base) == base) else {
                continue;
            };
            let here = self.term(object.offset, width);
            offset = Some(match offset {
                None => here,
                Some(other) => self.terms.ite(owner.guard, here, other),
            });
        }
        let offset = offset.map_or(Value::ZERO, |offset| self.terms.to_value(offset));
        self.answer(state, call, offset)
    }

    /// The value of a pointer for these inputs.
    fn pointer_value(&mut self, state: &mut State<M>, p: Value, inputs: &Assignment) -> Value {
        if !matches!(p, Value::Term(_)) {
            return p;
        }
        let owner = self.one_owner(state, p, inputs);
        match owner.and_then(|owner| owner.object) {
            None => self.one_value(state, p, inputs),
            Some(object) => {
                let offset = self.one_value(state, object.offset, inputs);
                self.displace(object.start, offset)
            }
        }
    }

    fn pointer_where(&mut self, state: &mut State<M>, call: &Call, p: Value, condition: Value) -> Flow {
        let condition = self.condition_of(condition, call.args[1].ty);
        match self.may(state, condition) {
            Truth::Sometimes(inputs) => {
                let value = self.pointer_value(state, p, &inputs);
                self.answer(state, call, value)
            }
            Truth::Never => self.answer(state, call, Value::ZERO),
            Truth::Unknown(why) => self.unanswered(state, why),
        }
    }

    // ---- values

    /// Inputs that lead along the path.
    fn inputs_at_hand(&self, state: &State<M>) -> Rc<Assignment> {
        let seed = state.path.seeds.values().next();
        seed.unwrap_or(state.path.condition.assignment()).clone()
    }

    /// The value of a number for these inputs.
    fn one_value(&mut self, state: &mut State<M>, value: Value, inputs: &Assignment) -> Value {
        match value {
            Value::Term(term) => {
                let number = self.evaluate_with(state, term, inputs).low_u64();
                Value::Int(self.decide_number(state, number))
            }
            value => value,
        }
    }

    /// A number that can be anything.
    fn fresh(&mut self, state: &mut State<M>, call: &Call) -> Flow {
        let name = format!("made by a handler!{}", state.unnamed);
        state.unnamed += 1;
        let symbol = self.terms.symbol_id(Symbol {
            name,
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(64),
        });
        let value = Value::Term(self.terms.symbol(symbol));
        state.serving.invented += 1;
        self.stats.accesses.invented += u64::from(state.path.guide.is_none());
        self.answer(state, call, value)
    }

    /// A number that depends on the inputs at hand, and is the same when the path is taken again.
    fn decide_number(&mut self, state: &mut State<M>, number: u64) -> u64 {
        match self.at_point(state) {
            Guidance::Free => {
                state.decide(Choice::Value(number));
                number
            }
            Guidance::Ways(ways) => match ways[..] {
                [(Choice::Value(number), guide)] => {
                    state.decide(Choice::Value(number));
                    state.path.guide = Some(guide);
                    number
                }
                _ => number,
            },
            Guidance::Determined | Guidance::Lost => number,
        }
    }

    /// When a value depends on memory that was never written: of a choice, as merging makes them, the side that is
    /// chosen counts.
    fn when_unwritten(&mut self, term: TermId, depth: u32) -> TermId {
        if !self.terms.has_uninit(term) {
            return self.terms.fls();
        }
        let children = self.terms.children(term).to_vec();
        match self.terms.op(term) {
            Op::Ite if depth > 0 && !self.terms.has_uninit(children[0]) => {
                let [yes, no] = [1, 2].map(|side| self.when_unwritten(children[side], depth - 1));
                self.terms.ite(children[0], yes, no)
            }
            Op::Concat | Op::Extract { .. } | Op::ZExt | Op::SExt if depth > 0 => {
                let parts: Vec<TermId> = children
                    .iter()
                    .map(|&part| self.when_unwritten(part, depth - 1))
                    .collect();
                let never = self.terms.fls();
                parts.into_iter().fold(never, |any, part| self.terms.or(any, part))
            }
            _ => self.terms.tru(),
        }
    }

    /// Does a value depend on an input of this name, or, without a name, on any?
    fn comes_from(&mut self, state: &mut State<M>, call: &Call, value: Value, name: Value) -> Flow {
        let wanted = match name {
            Value::Int(0) => None,
            name => Some(self.string(state, name)),
        };
        let comes = match value {
            Value::Term(term) => self.terms.symbols(term).iter().any(|&symbol| {
                let symbol = self.terms.symbol_info(symbol);
                let is_it = |wanted: &String| number_of(&symbol.name, wanted).is_some();
                symbol.kind == SymbolKind::Input && wanted.as_ref().is_none_or(is_it)
            }),
            _ => false,
        };
        self.answer(state, call, Value::bool(comes))
    }

    // ---- the path

    fn condition_of(&mut self, value: Value, ty: Scalar) -> TermId {
        let width = ty.width();
        let term = self.term(value, width);
        let zero = self.terms.constant(width, 0);
        self.terms.ne(term, zero)
    }

    /// A finding under the name of a rule.
    fn fault_as(&mut self, state: &mut State<M>, args: &[Value]) -> Flow {
        let (rule, text) = (self.string(state, args[0]), self.string(state, args[2]));
        let error = match Rule::from_str(&rule) {
            Ok(rule) => Error::OfHandler(rule, text),
            Err(_) => return self.unsupported(state, format!("the rule `{rule}` that a handler names")),
        };
        self.fail(state, error)
    }

    /// Concrete accesses to an object, or to a range of it, are not served any more.
    fn tlb_insert(&mut self, state: &mut State<M>, call: &Call, p: Value, size: Option<Value>) -> Flow {
        if let Value::Ptr { base, offset } = p {
            let whole = state.memory.header(base).map_or(0, |header| header.room);
            let range = match size {
                Some(Value::Int(size)) => offset..offset.saturating_add(size),
                _ => 0..whole,
            };
            state.serving.tlb.insert(base, range, self.handlers.tlb);
        }
        self.answer(state, call, Value::ZERO)
    }

    fn fork_on(&mut self, state: &mut State<M>, call: &Call, condition: Value) -> Flow {
        let condition = self.condition_of(condition, call.args[0].ty);
        if let Some(flow) = self.check_defined(state, condition) {
            return flow;
        }
        let [yes, no] = [true, false].map(|side| Ending::Go(Then::answer(call, Value::bool(side))));
        self.fork(state, condition, yes, no)
    }

    fn possible(&mut self, state: &mut State<M>, call: &Call, condition: Value) -> Flow {
        let condition = self.condition_of(condition, call.args[0].ty);
        match self.may(state, condition) {
            Truth::Sometimes(_) => self.answer(state, call, Value::bool(true)),
            Truth::Never => self.answer(state, call, Value::bool(false)),
            Truth::Unknown(why) => self.unanswered(state, why),
        }
    }

    /// Keeps the part of the path where a condition holds; that others are lost is counted.
    fn keep_only(&mut self, state: &mut State<M>, call: &Call, condition: Value) -> Flow {
        let condition = self.condition_of(condition, call.args[0].ty);
        let then = Then::answer(call, Value::ZERO);
        if self.terms.is_true(condition) {
            self.resume(state, then);
            return Flow::On;
        }
        let holds = self.evaluate(state, condition).low_u64() == 1;
        if holds && state.serving.narrowed {
            // Whether more is left out changes nothing, and can be the hardest question of all.
            let witness = state.path.condition.assignment().clone();
            self.narrow_to(state, condition, witness);
            self.resume(state, then);
            return Flow::On;
        }
        // The inputs at hand show that one of the sides is possible, so one question is enough.
        let asked = match holds {
            true => self.terms.not(condition),
            false => condition,
        };
        let witness = match (holds, self.may(state, asked)) {
            (_, Truth::Unknown(why)) => return self.unanswered(state, why),
            (true, Truth::Never) => {
                self.resume(state, then);
                return Flow::On;
            }
            (true, Truth::Sometimes(_)) => state.path.condition.assignment().clone(),
            (false, Truth::Sometimes(witness)) => witness,
            (false, Truth::Never) => {
                self.stop(state, &Reason::Limit("what a handler keeps of a path"));
                return Flow::End;
            }
        };
        state.serving.narrowed = true;
        self.stats.accesses.narrowed += u64::from(state.path.guide.is_none());
        self.narrow_to(state, condition, witness);
        self.resume(state, then);
        Flow::On
    }
}
