//! Ranges of bytes that functions of the C library work on: what they read, and copies whose source and target must not
//! overlap.

use crate::commit::Ending;
use crate::fault::Error;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Model};
use mneme_program::Call;
use mneme_term::{Case, TermId, Value};

/// Do two ranges that begin at the same byte overlap?
#[derive(Copy, Clone, PartialEq, Eq)]
pub enum Same {
    Allowed,
    Overlaps,
}

impl<M: Model> Worker<'_, M> {
    /// Checks that all of these bytes can be read, or written.
    pub(super) fn access_all(&mut self, state: &mut State<M>, p: Value, len: Value, kind: AccessKind) -> Flow {
        for value in [p, len] {
            if let Err(flow) = self.defined_pointer(state, value) {
                return flow;
            }
        }
        let branches = self.with_memory(state, |memory, cx| memory.check(cx, p, len, kind));
        self.commit_memory(state, branches, |()| Then::Advance)
    }

    /// May two pointers belong to the same object, as far as their terms show?
    pub(super) fn may_share(&mut self, state: &mut State<M>, call: &Call, pointers: [Value; 2]) -> Flow {
        let [a, b] = pointers.map(|pointer| self.objects_of(pointer));
        let share = a.iter().any(|a| b.iter().any(|b| a.base == b.base));
        self.answer(state, call, Value::bool(share))
    }

    /// Checks that source and target of a copy do not overlap.
    pub(super) fn check_apart(&mut self, state: &mut State<M>, starts: [Value; 2], sizes: [Value; 2]) -> Flow {
        for value in starts.into_iter().chain(sizes) {
            if let Err(flow) = self.defined_pointer(state, value) {
                return flow;
            }
        }
        let overlap = self.overlap(starts, sizes, Same::Overlaps);
        let error = Ending::Error(Error::OverlappingCopy);
        self.fork(state, overlap, error, Ending::Go(Then::Advance))
    }

    /// The condition that two ranges overlap. Those of different objects never do: what leaves one is out of bounds.
    pub(crate) fn overlap(&mut self, starts: [Value; 2], sizes: [Value; 2], same: Same) -> TermId {
        if let [Value::Ptr { base: a, .. }, Value::Ptr { base: b, .. }] = starts
            && a != b
        {
            return self.terms.fls();
        }
        let [a, b] = starts.map(|start| self.objects_of(start));
        let width = self.pointer_width();
        let sizes = sizes.map(|size| self.term(size, width));
        let mut overlap = self.terms.fls();
        for a in &a {
            let Some(b) = b.iter().find(|b| a.base == b.base) else {
                continue;
            };
            let here = self.ranges_meet([a.offset, b.offset], sizes, same);
            let chosen = self.terms.and(a.guard, b.guard);
            let case = self.terms.and(chosen, here);
            overlap = self.terms.or(overlap, case);
        }
        overlap
    }

    /// The condition that ranges at two offsets of one object share a byte.
    fn ranges_meet(&mut self, offsets: [TermId; 2], sizes: [TermId; 2], same: Same) -> TermId {
        let width = self.pointer_width();
        let terms = &mut self.terms;
        let zero = terms.constant(width, 0);
        let forth = terms.sub(offsets[0], offsets[1]);
        let back = terms.sub(offsets[1], offsets[0]);
        let (in_second, in_first) = (terms.ult(forth, sizes[1]), terms.ult(back, sizes[0]));
        let mut meet = terms.or(in_second, in_first);
        for size in sizes {
            let some = terms.ne(size, zero);
            meet = terms.and(meet, some);
        }
        if same == Same::Allowed {
            let moved = terms.ne(forth, zero);
            meet = terms.and(meet, moved);
        }
        meet
    }

    /// The objects that a pointer may belong to, each once, with its guard and the offset in it.
    fn objects_of(&mut self, pointer: Value) -> Vec<Case> {
        let pointer = self.term(pointer, self.program.target.pointer_width);
        let cases = self.terms.cases(pointer);
        cases.iter().filter(|case| case.base.is_some()).copied().collect()
    }
}
