//! malloc and its family.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::Error;
use crate::handlers::is_support;
use crate::state::{Frame, State, greatest};
use crate::step::calling;
use crate::then::{Block, Task, Then};
use crate::worker::{Flow, Worker};
use mneme_memory::{Alloc, Branch, Branches, Death, End, Fault, FaultKind, Init, Life, Model, NO_SITE, Truth};
use mneme_program::{Call, OperandKind, Slot};
use mneme_term::{BaseId, BaseKind, Sort, Symbol, SymbolKind, TermId, Tracer, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Larger requests fail, as they would on the real machine.
pub const LARGEST_OBJECT: u64 = u32::MAX as u64;

/// Larger requests are reported where that is asked for.
pub const EXCESSIVE: u64 = 1 << 30;

/// What `malloc` promises.
pub const HEAP_ALIGNMENT: u64 = 16;

/// The allocations of a path.
#[derive(Clone, Default)]
pub struct Allocations {
    /// How many the program's own code has asked for.
    pub asked: u32,
    /// Those that may fail.
    pub fallible: Rc<Vec<Fallible>>,
    /// Instructions that make objects of symbolic size for which the capacity was too small, and the capacity that they
    /// use instead.
    pub capacities: Rc<BTreeMap<u64, u64>>,
}

/// An allocation, and the symbol of one bit that says whether it fails.
#[derive(Copy, Clone, PartialEq)]
pub struct Fallible {
    pub fails: TermId,
    /// The nth that the program's own code asked for; `None` inside the C library.
    pub number: Option<u32>,
}

impl Allocations {
    pub fn trace(&self, tracer: &mut Tracer) {
        self.fallible.iter().for_each(|one| tracer.term(one.fails));
    }

    /// For members that agree on those that may fail.
    pub fn merge(members: &[&Allocations]) -> Allocations {
        let first = members[0];
        Allocations {
            asked: members.iter().map(|member| member.asked).max().unwrap_or(0),
            fallible: first.fallible.clone(),
            capacities: greatest(members.iter().map(|member| &member.capacities)),
        }
    }
}

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
            self.resume(state, refusal(call));
            return Flow::On;
        }
        self.allocate(state, call, size, align.max(HEAP_ALIGNMENT), Init::Undefined)
    }

    /// Does the program's own code ask for this allocation, perhaps through a function of the C library that makes only
    /// this one?
    fn own_allocation(&self, state: &State<M>) -> bool {
        if self.is_for_handler(state) {
            return false;
        }
        let function = |frame: &Rc<Frame>| self.program.function(frame.function);
        // C code that tells handlers about it acts for its caller.
        let frames = state.frames.iter().rev().map(function);
        let mut frames = frames.skip_while(|function| is_support(&function.name));
        let Some(innermost) = frames.next() else {
            return false;
        };
        let single = matches!(innermost.name.as_str(), "strdup" | "strndup");
        match single && innermost.runtime {
            true => frames.next().is_some_and(|caller| !caller.runtime),
            false => !innermost.runtime,
        }
    }

    /// The ordinal of this allocation among those that the program's own code asks for.
    pub(crate) fn count_allocation(&self, state: &mut State<M>) -> Option<u32> {
        let number = state.allocations.asked;
        let own = self.own_allocation(state);
        state.allocations.asked += u32::from(own);
        own.then_some(number)
    }

    /// The requested size of a block; an allocation that is too large returns null.
    fn block_size(&mut self, state: &mut State<M>, call: &Call, size: Value) -> Result<Value, Flow> {
        if let Some(flow) = self.check_allocation(state, size) {
            return Err(flow);
        }
        match self.size(state, size, Some(refusal(call)))? {
            Value::Int(size) if size > LARGEST_OBJECT => {
                self.resume(state, refusal(call));
                Err(Flow::On)
            }
            size => Ok(size),
        }
    }

    /// Reports a size that may be too large to be meant. `None`: the path goes on.
    fn check_allocation(&mut self, state: &mut State<M>, size: Value) -> Option<Flow> {
        if !self.options.check_allocations || self.is_trial() || !self.own_allocation(state) {
            return None;
        }
        let guard = match size {
            Value::Int(size) if size > EXCESSIVE => self.terms.tru(),
            Value::Term(size) => {
                let most = self.terms.constant(self.pointer_width(), EXCESSIVE);
                self.terms.ult(most, size)
            }
            _ => return None,
        };
        if self.may_be_undefined(guard) {
            return None;
        }
        self.report_where(state, guard, &Error::ExcessiveAllocation(size))
    }

    fn allocate(&mut self, state: &mut State<M>, call: &Call, size: Value, align: u64, init: Init) -> Flow {
        let size = match self.block_size(state, call, size) {
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
        if self.is_trial() {
            return self.record_allocation(state, call, what);
        }
        let branches = self.with_memory(state, |memory, cx| memory.alloc(cx, what));
        let branches = match self.may_fail(state) {
            true => match branches.sole() {
                Some(made) => self.made_or_null(state, number, made),
                None => return self.unsupported(state, "several outcomes of an allocation that may fail"),
            },
            false => branches,
        };
        self.commit_memory(state, branches, |value| Then::answer(call, value))
    }

    /// The program's own call, not the one inside `strdup`.
    fn allocation_site(&self, state: &State<M>, call: &Call) -> u32 {
        match self.calling_site(state) {
            NO_SITE => call.site.0,
            site => site,
        }
    }

    /// What a handler asks for does not run out.
    fn may_fail(&self, state: &State<M>) -> bool {
        self.options.malloc_may_fail && !self.is_for_handler(state)
    }

    /// Does an allocation fail, independently of the inputs? A symbol of its own decides.
    fn failure(&mut self, state: &mut State<M>, number: Option<u32>) -> TermId {
        let name = format!("malloc fails!{}", state.unnamed);
        state.unnamed += 1;
        let symbol = Symbol {
            name,
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(1),
        };
        let symbol = self.terms.symbol_id(symbol);
        let fails = match &self.options.given {
            Some(given) if number.is_some_and(|number| given.failing_allocations.contains(&number)) => self.terms.tru(),
            Some(_) => self.terms.fls(),
            None => self.terms.symbol(symbol),
        };
        Rc::make_mut(&mut state.allocations.fallible).push(Fallible { fails, number });
        fails
    }

    /// The allocation returns what was made, or null.
    fn made_or_null(
        &mut self,
        state: &mut State<M>,
        number: Option<u32>,
        made: Branch<M, Value>,
    ) -> Branches<M, Value> {
        let fails = self.failure(state, number);
        // Without the object: the one that was made is dead, and nothing has its address.
        let mut without = made.memory.clone();
        if let End::Done(Value::Ptr { base, .. }) = made.end {
            without.end(base, Death::Scope);
        }
        let works = self.terms.not(fails);
        let made = Branch { guard: works, ..made };
        let null = Branch {
            guard: fails,
            facts: made.facts,
            memory: without,
            end: End::Done(Value::ZERO),
        };
        [made, null].into_iter().collect()
    }

    pub(super) fn free(&mut self, state: &mut State<M>, p: Value, then: Then) -> Flow {
        let p = match self.defined_pointer(state, p) {
            Ok(p) => p,
            Err(flow) => return flow,
        };
        if self.is_trial() {
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
        let then = Then::lose(lost, then);
        self.commit_memory(state, branches, |()| then.clone())
    }

    pub(super) fn realloc(&mut self, state: &mut State<M>, call: &Call, p: Value, size: Value) -> Flow {
        let (base, old) = match p {
            Value::Int(0) => return self.malloc(state, call, size),
            _ if let Some((base, size)) = self.member_start(state, p) => {
                let memory = state.memory.clone();
                let mut ways = self.with_memory(state, |memory, cx| memory.free(cx, p));
                state.memory = memory;
                let faulty = |way: &Branch<M, ()>| matches!(way.end, End::Fault(_));
                let possible = |worker: &mut Self, guard| !matches!(worker.may(state, guard), Truth::Never);
                if ways.iter().any(|way| faulty(way) && possible(self, way.guard)) {
                    // It is not freed yet where it can be.
                    let orderly = ways.iter_mut().filter(|way| !faulty(way));
                    orderly.for_each(|way| way.memory = state.memory.clone());
                    return self.commit_memory(state, ways, |()| Then::Again);
                }
                (base, size)
            }
            Value::Ptr { base, offset } => match state.memory.header(base) {
                Some(header) if header.life == Life::Alive && header.kind == BaseKind::Heap && offset == 0 => {
                    if !header.gone().is_empty() {
                        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
                        return self.commit_memory(state, as_of_free(branches), |_| Then::Again);
                    }
                    (base, header.size)
                }
                // Freeing it reports whatever is wrong with it.
                _ => return self.free(state, p, Then::Advance),
            },
            Value::Term(_) | Value::Int(_) => {
                let OperandKind::Slot(slot) = call.args[0].value.kind() else {
                    return self.free(state, p, Then::Advance);
                };
                let outcomes = self.starts(state, p, slot);
                return self.commit(state, outcomes);
            }
            _ => return self.free(state, p, Then::Advance),
        };
        match self.is_nothing(state, call, size) {
            Ok(true) => {
                // Frees the block and returns null, as glibc's does.
                self.count_allocation(state);
                return self.free(state, p, Then::answer(call, Value::ZERO));
            }
            Ok(false) => {}
            Err(flow) => return flow,
        }
        let size = match self.block_size(state, call, size) {
            Ok(size) => size,
            Err(flow) => return flow,
        };
        let old = Block {
            start: p,
            base,
            size: old,
        };
        if !self.may_fail(state) {
            return self.grow(state, old, size);
        }
        // It may return null and leave the old block alone.
        let number = self.count_allocation(state);
        let fails = self.failure(state, number);
        state.task = Some(Rc::new(Task::Grow { old, size }));
        let refused = Ending::Go(Then::answer(call, Value::ZERO));
        self.fork(state, fails, refused, Ending::Go(Then::Again))
    }

    /// Makes the new block and moves over the part of the old one that is kept.
    pub(crate) fn grow(&mut self, state: &mut State<M>, old: Block, size: Value) -> Flow {
        let call = calling(self.program, state.frame());
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
        // Poisoned bytes of the old block are moved like the rest.
        state.memory.clean(old.base);
        let kept = match (size, old.size) {
            (Value::Int(size), Value::Int(old)) => Value::Int(size.min(old)),
            (size, old) => {
                let width = self.pointer_width();
                let (size, old) = (self.term(size, width), self.term(old, width));
                let shrinks = self.terms.ult(size, old);
                let kept = self.terms.ite(shrinks, size, old);
                self.terms.to_value(kept)
            }
        };
        let old = old.start;
        state.task = Some(Rc::new(Task::Release { old, fresh }));
        self.copy_block(state, fresh, old, kept, Then::Again)
    }

    /// Frees the old block; the call returns the new one.
    pub(crate) fn release(&mut self, state: &mut State<M>, old: Value, fresh: Value) -> Flow {
        let site = self.calling_site(state);
        let branches = self.with_memory(state, |memory, cx| {
            cx.site = site;
            memory.free(cx, old)
        });
        let call = calling(self.program, state.frame());
        self.commit_memory(state, branches, |()| Then::answer(call, fresh))
    }

    /// Is the size that `realloc` is called with 0? Where that depends on the inputs, it is decided first.
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
                let yes = Ending::Go(Then::Decide(slot, Value::ZERO));
                Err(self.fork(state, nothing, yes, Ending::Go(Then::Again)))
            }
        }
    }

    /// The base and size of the block that a pointer points to the start of, if it is one of many made by a loop.
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

    /// What a pointer in a slot that is to be reallocated can be: null, or the start of a live object.
    fn starts(&mut self, state: &mut State<M>, p: Value, slot: Slot) -> Outcomes<M> {
        let width = self.pointer_width();
        let zero = self.terms.constant(width, 0);
        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
        let mut outcomes = Outcomes::new();
        for branch in as_of_free(branches) {
            let (offset, start) = match &branch.end {
                End::Done(info) => (info.offset, info.start),
                End::Fault(fault) if fault.base.is_none() => (self.terms.to_value(fault.offset), Value::ZERO),
                End::Fault(_) | End::Stop(_) => {
                    outcomes.push(Outcome::of(branch, |_| Then::Again));
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
            let go = Ending::Go(Then::Decide(slot, start));
            for (condition, end) in [(right, go), (wrong, Ending::Error(Error::Memory(fault)))] {
                let guard = self.terms.and(branch.guard, condition);
                if !self.terms.is_false(guard) {
                    let memory = Some(branch.memory.clone());
                    outcomes.push(Outcome {
                        memory,
                        ..Outcome::new(guard, end)
                    });
                }
            }
        }
        outcomes
    }

    pub(super) fn object_size_of(&mut self, state: &mut State<M>, call: &Call, p: Value) -> Flow {
        let branches = self.with_memory(state, |memory, cx| memory.object(cx, p));
        self.commit_memory(state, branches, |info| Then::answer(call, info.size))
    }
}

/// An allocating call returns null.
fn refusal(call: &Call) -> Then {
    Then::Refuse((!call.results.is_empty()).then_some(call.dst))
}

/// What is wrong with a pointer to be freed, in terms of `free`.
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
