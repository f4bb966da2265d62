//! Loads, stores, stack objects, block operations.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::{Error, Exhausted};
use crate::handlers::Request;
use crate::library::{LARGEST_OBJECT, Same};
use crate::loops::Access;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Alloc, Branches, Death, Header, Init, Life, Model, Truth};
use mneme_program::{Operand, Scalar, SiteId};
use mneme_term::{BaseId, BaseKind, Origin, Value};

impl<M: Model> Worker<'_, M> {
    /// The pointer operand of an access; an error if where it points depends on unwritten memory.
    fn pointer_operand(&mut self, state: &mut State<M>, ptr: Operand) -> Result<Value, Flow> {
        let value = self.get(state, ptr);
        self.defined_pointer(state, value)
    }

    pub(crate) fn defined_pointer(&mut self, state: &mut State<M>, value: Value) -> Result<Value, Flow> {
        if let Value::Term(term) = value
            && let Some(flow) = self.check_defined(state, term)
        {
            return Err(flow);
        }
        Ok(value)
    }

    pub(super) fn step_load(&mut self, state: &mut State<M>, ty: Scalar, dst: u32, ptr: Operand) -> Flow {
        let p = match self.pointer_operand(state, ptr) {
            Ok(p) => p,
            Err(flow) => return flow,
        };
        let (kind, place, value) = (AccessKind::Read, p, None);
        let request = Request { kind, ty, place, value };
        match self.serve(state, request, dst) {
            Some(flow) => flow,
            None => self.load_at(state, ty, dst, p),
        }
    }

    /// Loads from a pointer that is defined, by the built-in resolution.
    pub(crate) fn load_at(&mut self, state: &mut State<M>, ty: Scalar, dst: u32, p: Value) -> Flow {
        self.remember_pointer(state, p);
        let faulted = self.stats.paths.faulted;
        let branches = self.with_memory(state, |memory, cx| memory.load(cx, p, ty.bytes()));
        let flow = self.commit_memory(state, branches, |value| Then::Give(dst, value));
        self.classify(p, flow, faulted);
        let access = Access {
            kind: AccessKind::Read,
            place: p,
            ty,
            value: None,
        };
        self.accessed(state, flow, access);
        flow
    }

    pub(super) fn step_store(&mut self, state: &mut State<M>, ty: Scalar, ptr: Operand, value: Operand) -> Flow {
        let p = match self.pointer_operand(state, ptr) {
            Ok(p) => p,
            Err(flow) => return flow,
        };
        let value = self.get(state, value);
        let request = Request {
            kind: AccessKind::Write,
            ty,
            place: p,
            value: Some(value),
        };
        match self.serve(state, request, 0) {
            Some(flow) => flow,
            None => self.store_at(state, ty, p, value),
        }
    }

    /// Stores to a pointer that is defined, by the built-in resolution.
    pub(crate) fn store_at(&mut self, state: &mut State<M>, ty: Scalar, p: Value, value: Value) -> Flow {
        let lost = if self.options.check_leaks {
            self.overwritten(state, p, ty)
        } else {
            Vec::new()
        };
        self.remember_pointer(state, p);
        let keeps = self.options.check_leaks && self.overwrites_nothing(state, p, ty);
        let held = keeps.then(|| state.leaks.held.clone());
        let branches = self.with_memory(state, |memory, cx| memory.store(cx, p, ty.bytes(), value));
        if let Some(held) = held {
            state.leaks.held = held;
        }
        let then = Then::lose(lost, Then::Advance);
        let faulted = self.stats.paths.faulted;
        let flow = self.commit_memory(state, branches, |()| then.clone());
        self.classify(p, flow, faulted);
        let access = Access {
            kind: AccessKind::Write,
            place: p,
            ty,
            value: Some(value),
        };
        self.accessed(state, flow, access);
        flow
    }

    /// A variable kept in a slot gets a value, or becomes undefined when its scope begins or ends.
    pub(super) fn step_slot_store(&mut self, state: &mut State<M>, slot: u32, value: Value) -> Flow {
        let old = state.frame().slots[slot as usize];
        state.set(slot, value);
        if self.options.check_leaks {
            self.overwrite_variable(state, slot, old);
            let lost = self.owned_by(state, &[old]);
            let frames = state.frames.len();
            self.report_leaks(state, lost, &[], frames);
        }
        state.advance();
        Flow::On
    }

    pub(super) fn step_slot_load(
        &mut self,
        state: &mut State<M>,
        ty: Scalar,
        dst: u32,
        slot: u32,
        site: SiteId,
    ) -> Flow {
        let mut value = state.frame().slots[slot as usize];
        if value == Value::Undef {
            let name = format!("uninit!slot!{}!{}", site.0, state.unnamed);
            value = self.fresh_undefined(state, name, Origin::Site(site.0), ty.width());
            state.set(slot, value);
        }
        self.done(state, dst, value)
    }

    pub(super) fn step_alloca(
        &mut self,
        state: &mut State<M>,
        width: u32,
        dst: u32,
        size: u32,
        count: Operand,
        site: SiteId,
    ) -> Flow {
        let fixed = self.program.sites[site.index()].fixed;
        let count = self.get(state, count);
        if !fixed && let Err(flow) = self.fit_stack(state, width, size, count) {
            return flow;
        }
        let pointer_width = self.pointer_width();
        let size = match count {
            Value::Int(n) => Value::Int(n.wrapping_mul(size as u64)),
            _ => {
                let count = self.term(count, width);
                let count = self.terms.resize_zext(count, pointer_width);
                let size = self.terms.constant(pointer_width, size as u64);
                let bytes = self.terms.mul(count, size);
                let bytes = self.terms.to_value(bytes);
                match self.size(state, bytes, None) {
                    Ok(size) => size,
                    Err(flow) => return flow,
                }
            }
        };
        let bytes = self.dynamic_bytes(size, site.0);
        let branches = self.new_variable(state, size, site.0);
        self.commit_memory(state, branches, |object| Then::Own {
            slot: dst,
            object,
            bytes,
        })
    }

    /// What a stack object adds to the frame while the call is active. One of symbolic size is checked separately, and
    /// does not count in later calls.
    fn dynamic_bytes(&self, size: Value, site: u32) -> u64 {
        match (size, self.program.sites.get(site as usize)) {
            (Value::Int(size), Some(site)) if !site.fixed => size.next_multiple_of(site.align.max(1)),
            _ => 0,
        }
    }

    /// Keeps the part of the path where `count` elements of `size` bytes fit the rest of the stack.
    fn fit_stack(&mut self, state: &mut State<M>, width: u32, size: u32, count: Value) -> Result<(), Flow> {
        let taken = state.frame().stack;
        let most = self.options.max_stack.saturating_sub(taken) / u64::from(size.max(1));
        let exhausted = |needed| Error::StackExhaustion(Exhausted::Bytes { needed, taken });
        let count = match count {
            Value::Int(n) if n <= most && n.saturating_mul(size.into()) <= LARGEST_OBJECT => return Ok(()),
            Value::Int(n) => {
                let needed = Value::Int(n.saturating_mul(size.into()));
                return Err(self.fail(state, exhausted(needed)));
            }
            count => self.term(count, width),
        };
        if let Some(flow) = self.check_defined(state, count) {
            return Err(flow);
        }
        if width < 64 && most >> width != 0 {
            return Ok(());
        }
        let limit = self.terms.constant(width, most);
        let fits = self.terms.ule(count, limit);
        let too_many = self.terms.not(fits);
        match self.may(state, too_many) {
            Truth::Never => return Ok(()),
            Truth::Unknown(why) => return Err(self.unanswered(state, why)),
            Truth::Sometimes(_) => {}
        }
        let wide = self.terms.resize_zext(count, 64);
        let size = self.terms.constant(64, size.into());
        let needed = self.terms.mul(wide, size);
        let needed = self.terms.to_value(needed);
        let (yes, no) = (Ending::Go(Then::Again), Ending::Error(exhausted(needed)));
        Err(self.fork(state, fits, yes, no))
    }

    pub(super) fn step_lifetime(&mut self, state: &mut State<M>, ptr: Operand, starts: bool) -> Flow {
        let Value::Ptr { base, offset: 0 } = self.get(state, ptr) else {
            state.advance();
            return Flow::On;
        };
        let Some((BaseKind::Stack, life, size, site)) = state
            .memory
            .header(base)
            .map(|header| (header.kind, header.life, header.size, header.site))
        else {
            state.advance();
            return Flow::On;
        };
        let ended = |header: &Header| !header.gone().is_empty();
        let ended_somewhere = state.memory.header(base).is_some_and(ended);
        match (starts, life) {
            (false, _) => {
                let lost = if self.options.check_leaks {
                    self.owned_by_object(state, base)
                } else {
                    Vec::new()
                };
                state.memory.end(base, Death::Scope);
                state.leaks.held.forget();
                let frames = state.frames.len();
                self.report_leaks(state, lost, &[], frames);
            }
            (true, Life::Alive) if !ended_somewhere => state.memory.begin(base),
            (true, life) => {
                if life == Life::Alive {
                    state.memory.end(base, Death::Scope);
                }
                return self.revive(state, base, size, site);
            }
        }
        state.advance();
        Flow::On
    }

    /// A stack object, aligned as its site says.
    fn new_variable(&mut self, state: &mut State<M>, size: Value, site: u32) -> Branches<M, Value> {
        let what = Alloc {
            kind: BaseKind::Stack,
            size,
            align: self.program.sites[site as usize].align,
            site,
            init: Init::Undefined,
        };
        self.with_memory(state, |memory, cx| memory.alloc(cx, what))
    }

    /// A variable whose scope is entered again is another object: pointers kept from before stay stale.
    fn revive(&mut self, state: &mut State<M>, base: BaseId, size: Value, site: u32) -> Flow {
        let branches = self.new_variable(state, size, site);
        self.commit_memory(state, branches, |fresh| Then::Revive { old: base, fresh })
    }

    /// Results of instructions in this frame follow a variable to its new object, since a compiler may compute its
    /// address once for all rounds of a loop.
    pub(crate) fn follow_variable(&mut self, state: &mut State<M>, old: BaseId, fresh: Value) {
        let variables = &self.image.variables[state.frame().function.index()];
        let frame = state.frame_mut();
        frame.pc += 1;
        let Value::Ptr { base: fresh, .. } = fresh else { return };
        frame.locals.push(fresh);
        for (slot, _) in { frame.slots.iter_mut().zip(variables) }.filter(|(_, variable)| !**variable) {
            if let Value::Ptr { base, .. } = slot
                && *base == old
            {
                *base = fresh;
            }
        }
    }

    /// The saved value is the number of stack objects of the frame.
    pub(super) fn step_stack_save(&mut self, state: &mut State<M>, dst: u32) -> Flow {
        let count = state.frame().locals.len() as u64;
        self.done(state, dst, Value::Int(count))
    }

    pub(super) fn step_stack_restore(&mut self, state: &mut State<M>, ptr: Operand) -> Flow {
        if let Value::Int(count) = self.get(state, ptr) {
            let frame = state.frame_mut();
            let gone = frame.locals.split_off((count as usize).min(frame.locals.len()));
            for base in gone {
                let size = state.memory.size(base);
                let bytes = size.map_or(0, |size| self.dynamic_bytes(size, self.terms.base_info(base).site));
                let frame = state.frame_mut();
                frame.stack = frame.stack.saturating_sub(bytes);
                state.memory.end(base, Death::Scope);
            }
            state.leaks.held.forget();
        }
        state.advance();
        Flow::On
    }

    pub(super) fn step_byval(&mut self, state: &mut State<M>, slot: u32, size: u32, site: SiteId) -> Flow {
        let from = state.frame().slots[slot as usize];
        let size = Value::Int(size as u64);
        let branches = self.new_variable(state, size, site.0);
        let to = match self.sole(state, branches) {
            Ok(to) => to,
            Err(flow) => return flow,
        };
        let branches = self.with_memory(state, |memory, cx| memory.copy(cx, to, from, size));
        self.commit_memory(state, branches, |()| Then::Own {
            slot,
            object: to,
            bytes: 0,
        })
    }

    /// A length operand at pointer width.
    fn length(&mut self, state: &State<M>, width: u32, len: Operand) -> Value {
        match self.get(state, len) {
            Value::Term(term) if width != self.pointer_width() => {
                let wide = self.terms.resize_zext(term, self.program.target.pointer_width);
                self.terms.to_value(wide)
            }
            value => value,
        }
    }

    pub(super) fn step_copy(
        &mut self,
        state: &mut State<M>,
        width: u32,
        may_overlap: bool,
        [dst, src, len]: [Operand; 3],
    ) -> Flow {
        let len = self.length(state, width, len);
        let (dst, src) = (self.get(state, dst), self.get(state, src));
        let code = if may_overlap { "move" } else { "copy" };
        if let Some(flow) = self.run_support(state, code, 2, &[dst, src, len]) {
            return flow;
        }
        match may_overlap {
            true => self.copy_block(state, dst, src, len, Then::Advance),
            false => self.copy_apart(state, dst, src, len, Then::Advance),
        }
    }

    pub(crate) fn copy_block(&mut self, state: &mut State<M>, dst: Value, src: Value, len: Value, then: Then) -> Flow {
        for value in [dst, src, len] {
            if let Err(flow) = self.defined_pointer(state, value) {
                return flow;
            }
        }
        let branches = self.with_memory(state, |memory, cx| memory.copy(cx, dst, src, len));
        self.commit_memory(state, branches, |()| then.clone())
    }

    /// Like `copy_block`, but ranges that overlap are an error unless they are identical: compilers copy structures
    /// onto themselves.
    pub(crate) fn copy_apart(&mut self, state: &mut State<M>, dst: Value, src: Value, len: Value, then: Then) -> Flow {
        for value in [dst, src, len] {
            if let Err(flow) = self.defined_pointer(state, value) {
                return flow;
            }
        }
        let overlap = self.overlap([dst, src], [len, len], Same::Allowed);
        if self.terms.is_true(overlap) {
            return self.fail(state, Error::OverlappingCopy);
        }
        let branches = self.with_memory(state, |memory, cx| memory.copy(cx, dst, src, len));
        let outcome = |branch| Outcome::of(branch, |()| then.clone());
        let mut outcomes: Outcomes<M> = branches.into_iter().map(outcome).collect();
        if !self.terms.is_false(overlap) {
            let apart = self.terms.not(overlap);
            for outcome in &mut outcomes {
                outcome.guard = self.terms.and(outcome.guard, apart);
            }
            outcomes.retain(|outcome| !self.terms.is_false(outcome.guard));
            outcomes.push(Outcome::new(overlap, Ending::Error(Error::OverlappingCopy)));
        }
        self.commit(state, outcomes)
    }

    pub(super) fn step_fill(
        &mut self,
        state: &mut State<M>,
        width: u32,
        dst: Operand,
        byte: Operand,
        len: Operand,
    ) -> Flow {
        let len = self.length(state, width, len);
        let (dst, byte) = (self.get(state, dst), self.get(state, byte));
        if let Some(flow) = self.run_support(state, "fill", 1, &[dst, byte, len]) {
            return flow;
        }
        self.fill_block(state, dst, byte, len, Then::Advance)
    }

    pub(crate) fn fill_block(&mut self, state: &mut State<M>, dst: Value, byte: Value, len: Value, then: Then) -> Flow {
        for value in [dst, len] {
            if let Err(flow) = self.defined_pointer(state, value) {
                return flow;
            }
        }
        let branches = self.with_memory(state, |memory, cx| memory.fill(cx, dst, byte, len));
        self.commit_memory(state, branches, |()| then.clone())
    }
}
