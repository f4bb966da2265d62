//! malloc and its family.

use super::returning;
use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::Error;
use crate::state::{Fallible, Frame, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{Alloc, Branch, Branches, Death, End, Fault, FaultKind, Init, Life, Model, NO_SITE, Truth};
use mneme_program::{Call, OperandKind};
use mneme_term::{BaseId, BaseKind, Sort, Symbol, SymbolKind, TermId, Value};
use std::rc::Rc;

/// Larger requests fail, as they would on the real machine.
pub const LARGEST_OBJECT: u64 = u32::MAX as u64;

/// What `malloc` promises.
pub const HEAP_ALIGNMENT: u64 = 16;

impl<M: Model> Worker<'_, M> {
    pub(super) fn malloc(&mut self, state: &mut State<M>, call: &Call, size: Value) -> Flow {
        self.allocate(state, call, size, HEAP_ALIGNMENT, Init::Undefined)
    }

    pub(super) fn calloc(&mut self, state: &mut State<M>, call: &Call, count: Value, size: Value) -> Flow {
        let width = self.pointer_width();
        let bytes = match (count, size) {
            (Value::Int(a), Value::Int(b)) => Value::Int(a.saturating_mul(b)),
            _ => {
                // As a product of twice the width, so that an overflow is seen as too large.
                let (a, b) = (self.term(count, width), self.term(size, width));
                let (a, b) = (self.terms.zext(a, 2 * width), self.terms.zext(b, 2 * width));
                let product = self.terms.mul(a, b);
                let low = self.terms.extract(product, 0, width);
                let high = self.terms.extract(product, width, width);
                let zero = self.terms.constant(width, 0);
                let fits = self.terms.eq(high, zero);
                let ones = self.terms.not(zero);
                let bytes = self.terms.ite(fits, low, ones);
                self.terms.to_value(bytes)
            }
        };
        self.allocate(state, call, bytes, HEAP_ALIGNMENT, Init::Zero)
    }

    pub(super) fn aligned_alloc(&mut self, state: &mut State<M>, call: &Call, align: Value, size: Value) -> Flow {
        let align = self.concretise(state, align, self.program.target.pointer_width);
        if !align.is_power_of_two() || align > 1 << 20 {
            return self.refuse(state, call);
        }
        self.allocate(state, call, size, align.max(HEAP_ALIGNMENT), Init::Undefined)
    }

    /// Whether the program's own code asks for an allocation, be it through a function of the C library that makes just this one.
    fn own_allocation(&self, state: &State<M>) -> bool {
        let function = |frame: &Rc<Frame>| self.program.function(frame.function);
        let mut frames = state.frames.iter().rev().map(function);
        let Some(innermost) = frames.next() else {
            return false;
        };
        let single = matches!(innermost.name.as_str(), "strdup" | "strndup");
        match single && innermost.runtime {
            true => frames.next().is_some_and(|caller| !caller.runtime),
            false => !innermost.runtime,
        }
    }

    /// The how-manieth allocation this is that the program's own code asks for.
    fn count_allocation(&self, state: &mut State<M>) -> Option<u32> {
        let number = state.asked;
        let own = self.own_allocation(state);
        state.asked += u32::from(own);
        own.then_some(number)
    }

    /// Answers an allocation with null.
    fn refusal(&self, state: &State<M>, call: &Call) -> impl Fn(&mut State<M>) + use<M> {
        let own = self.own_allocation(state);
        let answer = returning(call, Value::ZERO);
        move |state| {
            state.asked += u32::from(own);
            answer(state);
        }
    }

    fn refuse(&mut self, state: &mut State<M>, call: &Call) -> Flow {
        self.refusal(state, call)(state);
        Flow::On
    }

    fn allocate(&mut self, state: &mut State<M>, call: &Call, size: Value, align: u64, init: Init) -> Flow {
        let refusal = self.refusal(state, call);
        let size = match self.size(state, size, Some(&refusal)) {
            Ok(Value::Int(size)) if size > LARGEST_OBJECT => return self.refuse(state, call),
            Ok(size) => size,
            Err(flow) => return flow,
        };
        let number = self.count_allocation(state);
        let what = Alloc {
            kind: BaseKind::Heap,
            size,
            align,
            site: self.allocation_site(state, call),
            init,
        };
        if self.recording.is_some() {
            return self.record_allocation(state, call, what);
        }
        let branches = self.with_memory(state, |memory, cx| memory.alloc(cx, what));
        let outcomes = match self.options.malloc_may_fail {
            true => match branches.sole() {
                Some(made) => self.made_or_null(state, number, made),
                None => return self.unsupported(state, "several outcomes of an allocation that may fail"),
            },
            false => branches.into_iter().map(Outcome::from).collect(),
        };
        let dst = (!call.results.is_empty()).then_some(call.dst);
        self.commit(state, outcomes, move |state, value| {
            if let Some(dst) = dst {
                state.set(dst, value);
            }
            state.advance();
        })
    }

    /// The program's own call, not the one inside `strdup`.
    fn allocation_site(&self, state: &State<M>, call: &Call) -> u32 {
        match self.calling_site(state) {
            NO_SITE => call.site.0,
            site => site,
        }
    }

    /// Whether an allocation fails, whatever the inputs are: a symbol of its own decides.
    fn failure(&mut self, state: &mut State<M>, number: Option<u32>) -> TermId {
        let name = format!("malloc fails!{}", state.unnamed);
        state.unnamed += 1;
        let symbol = Symbol {
            name,
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(1),
        };
        let symbol = self.terms.symbol_id(symbol);
        let fails = self.terms.symbol(symbol);
        Rc::make_mut(&mut state.fallible).push(Fallible { fails, number });
        fails
    }

    /// The allocation gives what was made, or null.
    fn made_or_null(
        &mut self,
        state: &mut State<M>,
        number: Option<u32>,
        made: Branch<M, Value>,
    ) -> Outcomes<M, Value> {
        let fails = self.failure(state, number);
        // Without the object: the one that was made is dead and nobody has its address.
        let mut without = made.memory.clone();
        if let End::Done(Value::Ptr { base, .. }) = made.end {
            without.end(base, Death::Scope);
        }
        let works = self.terms.not(fails);
        let made = Branch { guard: works, ..made };
        let null = Branch {
            guard: fails,
            facts: made.facts.clone(),
            memory: without,
            end: End::Done(Value::ZERO),
        };
        [made, null].into_iter().map(Outcome::from).collect()
    }

    pub(super) fn free(&mut self, state: &mut State<M>, p: Value) -> Flow {
        let p = match self.defined_pointer(state, p) {
            Ok(p) => p,
            Err(flow) => return flow,
        };
        if self.recording.is_some() {
            return self.record_free(state, p);
        }
        let lost = match p {
            Value::Ptr { base, .. } if self.options.check_leaks => self.owned_by_object(state, base),
            _ => Vec::new(),
        };
        let site = self.calling_site(state);
        let branches = self.with_memory(state, |memory, cx| {
            cx.site = site;
            memory.free(cx, p)
        });
        let flow = self.commit_memory(state, branches, |_, ()| ());
        if flow == Flow::On {
            let frames = state.frames.len();
            self.report_leaks(state, lost, &[], frames);
        }
        self.advance_all(state, flow)
    }

    pub(super) fn realloc(&mut self, state: &mut State<M>, call: &Call, p: Value, size: Value) -> Flow {
        let (base, old) = match p {
            Value::Int(0) => return self.malloc(state, call, size),
            _ if let Some((base, size)) = self.member_start(state, p) => {
                let memory = state.memory.clone();
                let ways = self.with_memory(state, |memory, cx| memory.free(cx, p));
                state.memory = memory.clone();
                let faulty = |way: &Branch<M, ()>| matches!(way.end, End::Fault(_));
                let possible = |worker: &mut Self, guard| !matches!(worker.may(state, guard), Truth::Never);
                if ways.iter().any(|way| faulty(way) && possible(self, way.guard)) {
                    // The way where it can be freed meets the call again, with the block as it was.
                    return self.commit_memory(state, ways, move |state, ()| state.memory = memory.clone());
                }
                (base, size)
            }
            Value::Ptr { base, offset } => match state.memory.header(base) {
                Some(header) if header.life == Life::Alive && header.kind == BaseKind::Heap && offset == 0 => {
                    if !header.gone().is_empty() {
                        // The way where it is there meets the call again.
                        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
                        return self.commit_memory(state, as_of_free(branches), |_, _| ());
                    }
                    (base, header.size)
                }
                // Whatever is wrong with it, freeing it says.
                _ => return self.free(state, p),
            },
            Value::Term(_) | Value::Int(_) => {
                // Each way meets the call again, with its pointer decided.
                let OperandKind::Slot(slot) = call.args[0].value.kind() else {
                    return self.free(state, p);
                };
                let outcomes = self.starts(state, p);
                return self.commit(state, outcomes, move |state, start| state.set(slot, start));
            }
            _ => return self.free(state, p),
        };
        match self.is_nothing(state, call, size) {
            Ok(true) => return self.free_for_nothing(state, call, p),
            Ok(false) => {}
            Err(flow) => return flow,
        }
        let refusal = self.refusal(state, call);
        let size = match self.size(state, size, Some(&refusal)) {
            Ok(Value::Int(size)) if size > LARGEST_OBJECT => return self.refuse(state, call),
            Ok(size) => size,
            Err(flow) => return flow,
        };
        if self.options.malloc_may_fail && !state.granted {
            return self.ask_for_more(state, call);
        }
        state.granted = false;
        let what = Alloc {
            kind: BaseKind::Heap,
            size,
            align: HEAP_ALIGNMENT,
            site: self.allocation_site(state, call),
            init: Init::Undefined,
        };
        let branches = self.with_memory(state, |memory, cx| memory.alloc(cx, what));
        let fresh = match self.sole(state, branches) {
            Ok(fresh) => fresh,
            Err(flow) => return flow,
        };
        // What is poisoned of the old block is moved like the rest of it.
        state.memory.clean(base);
        let from = p;
        let kept = match (size, old) {
            (Value::Int(size), Value::Int(old)) => Value::Int(size.min(old)),
            _ => {
                let width = self.pointer_width();
                let (size, old) = (self.term(size, width), self.term(old, width));
                let shrinks = self.terms.ult(size, old);
                let kept = self.terms.ite(shrinks, size, old);
                self.terms.to_value(kept)
            }
        };
        let flow = self.copy_block(state, fresh, from, kept, |_| ());
        if flow != Flow::On {
            return flow;
        }
        let site = self.calling_site(state);
        let branches = self.with_memory(state, |memory, cx| {
            cx.site = site;
            memory.free(cx, from)
        });
        let resume = returning(call, fresh);
        self.commit_memory(state, branches, move |state, ()| resume(state))
    }

    /// Is the size that `realloc` is called with 0? Where that depends on the inputs, each way meets the call again.
    fn is_nothing(&mut self, state: &mut State<M>, call: &Call, size: Value) -> Result<bool, Flow> {
        let size = match size {
            Value::Int(n) => return Ok(n == 0),
            size => self.term(size, self.program.target.pointer_width),
        };
        if let Some(flow) = self.check_defined(state, size) {
            return Err(flow);
        }
        let zero = self.terms.constant(self.program.target.pointer_width, 0);
        let nothing = self.terms.eq(size, zero);
        let OperandKind::Slot(slot) = call.args[1].value.kind() else {
            return Ok(false);
        };
        match self.may(state, nothing) {
            Truth::Never => Ok(false),
            Truth::Unknown(why) => Err(self.unanswered(state, why)),
            Truth::Sometimes(_) => {
                let (yes, no) = (Ending::Go(true), Ending::Go(false));
                Err(self.fork(state, nothing, yes, no, move |state, nothing| {
                    if nothing {
                        state.set(slot, Value::ZERO);
                    }
                }))
            }
        }
    }

    /// `realloc(p, 0)` frees the block and gives null, as glibc's does.
    fn free_for_nothing(&mut self, state: &mut State<M>, call: &Call, p: Value) -> Flow {
        self.count_allocation(state);
        let flow = self.free(state, p);
        if call.results.is_empty() {
            return flow;
        }
        self.spawned
            .iter_mut()
            .for_each(|state| state.set(call.dst, Value::ZERO));
        if flow != Flow::End {
            state.set(call.dst, Value::ZERO);
        }
        flow
    }

    /// The base and the size of the block at whose start a pointer is, if that is one of many that a loop made.
    fn member_start(&mut self, state: &State<M>, p: Value) -> Option<(BaseId, Value)> {
        let p = match p {
            Value::Ptr { .. } | Value::Term(_) => self.term(p, self.program.target.pointer_width),
            _ => return None,
        };
        let (base, distance) = self.terms.split_pointer(p)?;
        let header = state.memory.header(base).filter(|header| header.family.is_some())?;
        let (_, offset) = self.terms.split_member(distance)?;
        (self.terms.as_const(offset) == Some(0)).then_some((base, header.size))
    }

    /// What a pointer to be reallocated can be: null, or the start of an object that is there.
    fn starts(&mut self, state: &mut State<M>, p: Value) -> Outcomes<M, Value> {
        let width = self.pointer_width();
        let zero = self.terms.constant(width, 0);
        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
        let mut outcomes = Outcomes::new();
        for branch in as_of_free(branches) {
            let (offset, start) = match &branch.end {
                End::Done(info) => (info.offset, info.start),
                End::Fault(fault) if fault.base.is_none() => (self.terms.to_value(fault.offset), Value::ZERO),
                End::Fault(fault) => {
                    let end = Ending::Error(Error::Memory(fault.clone()));
                    outcomes.push(Outcome {
                        guard: branch.guard,
                        memory: Some(branch.memory),
                        end,
                    });
                    continue;
                }
                End::Stop(reason) => {
                    outcomes.push(Outcome {
                        guard: branch.guard,
                        memory: Some(branch.memory),
                        end: Ending::Stop(reason.clone()),
                    });
                    continue;
                }
            };
            let offset = self.term(offset, width);
            let right = self.terms.eq(offset, zero);
            let wrong = self.terms.not(right);
            let fault = Fault {
                kind: FaultKind::InvalidFree,
                base: match &branch.end {
                    End::Done(info) => Some(info.base),
                    _ => None,
                },
                offset,
                len: None,
            };
            for (condition, end) in [(right, Ending::Go(start)), (wrong, Ending::Error(Error::Memory(fault)))] {
                let guard = self.terms.and(branch.guard, condition);
                if !self.terms.is_false(guard) {
                    let memory = Some(branch.memory.clone());
                    outcomes.push(Outcome { guard, memory, end });
                }
            }
        }
        outcomes
    }

    /// `realloc` may give null and leave the old block alone; where it does not, the state meets the call again.
    fn ask_for_more(&mut self, state: &mut State<M>, call: &Call) -> Flow {
        let number = self.count_allocation(state);
        let fails = self.failure(state, number);
        let refused = returning(call, Value::ZERO);
        self.fork(
            state,
            fails,
            Ending::Go(true),
            Ending::Go(false),
            move |state, fails| {
                if fails {
                    refused(state);
                } else {
                    state.granted = true;
                }
            },
        )
    }

    pub(super) fn object_size_of(&mut self, state: &mut State<M>, call: &Call, p: Value) -> Flow {
        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
        let dst = (!call.results.is_empty()).then_some(call.dst);
        self.commit_memory(state, branches, move |state, info| {
            if let Some(dst) = dst {
                state.set(dst, info.size);
            }
            state.advance();
        })
    }
}

/// What is wrong with a pointer that is to be freed, in the words of `free`.
fn as_of_free<M: Model, T>(mut branches: Branches<M, T>) -> Branches<M, T> {
    for branch in branches.iter_mut() {
        if let End::Fault(fault) = &mut branch.end {
            fault.kind = match fault.kind {
                FaultKind::UseAfterFree(_) => FaultKind::DoubleFree,
                _ => FaultKind::InvalidFree,
            };
        }
    }
    branches
}
