//! What is lost when an address is fixed.
//!
//! Some uses of an open address take it for the number that it is where the object happens to lie: an index, a mixture with inputs, a
//! condition on two objects, one after many choices (`address.rs`). Had the object lain elsewhere, the program might have gone
//! another way, which nobody explores then. So the run says that it is incomplete, unless the value is the same at all places near by, as
//! that of the bits is that alignment decides. The order of objects is the layout's, and nothing is lost with it.

use super::address::Asked;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Branches, End, Life, Memory};
use mneme_program::Pred;
use mneme_term::{BaseId, BaseKind, TermId, Value};

impl<M: Memory> Worker<'_, M> {
    /// A term is about to be given the value that it has where the objects in it lie.
    pub(super) fn settle_for(&mut self, state: &State<M>, term: TermId) {
        let bases = self.movable(state, term);
        self.settle_for_bases(state, term, &bases);
    }

    /// The same, with the objects that could be moved until now.
    pub(super) fn settle_for_bases(&mut self, state: &State<M>, term: TermId, bases: &[BaseId]) {
        if bases.is_empty() || self.terms.is_pointer(term) {
            return;
        }
        let changes = self.changes(state, term);
        for &base in bases {
            let mut lost = changes;
            if self.terms.width(term) == self.pointer_width() {
                // A pointer is no number, even if it was computed from bits: it moves with its object.
                let pointer = self.term(Value::Ptr { base, offset: 0 }, self.pointer_width());
                let distance = self.terms.sub(term, pointer);
                let otherwise = self.changes(state, distance);
                lost = self.terms.and(changes, otherwise);
            }
            if self.place(state, lost, base, Asked::Bits).is_some() {
                return self.lost_addresses(1);
            }
        }
    }

    /// That a term has another value than it has where the objects lie.
    fn changes(&mut self, state: &State<M>, term: TermId) -> TermId {
        let here = self.evaluate(state, term);
        let here = self.terms.constant_bits(&here);
        self.terms.ne(term, here)
    }

    /// All bits of a pointer are taken for a number.
    pub(super) fn settle_for_address(&mut self, state: &State<M>, base: BaseId) {
        let open = self.is_movable(state, base);
        self.lost_addresses(open.into());
    }

    /// Objects of pointers that inputs choose, and of parts of such pointers, whose bits nobody has looked at until now.
    pub(super) fn unseen(&self, state: &State<M>, values: &[Value]) -> Vec<BaseId> {
        let mixed = |value: &Value| match *value {
            Value::Term(term) if self.is_mixed(term) => Some(term),
            _ => None,
        };
        let bases = values.iter().filter_map(mixed).flat_map(|term| self.terms.bases(term));
        bases.copied().filter(|&base| self.is_unseen(state, base)).collect()
    }

    /// Parts of pointers that inputs choose are compared.
    pub(super) fn settle_for_parts(&mut self, state: &State<M>, values: [Value; 2]) {
        for value in values {
            if let Value::Term(term) = value {
                let bases = self.unseen(state, &[value]);
                self.settle_for_bases(state, term, &bases);
            }
        }
    }

    fn is_mixed(&self, term: TermId) -> bool {
        self.terms.has_base(term) && !self.terms.symbols(term).is_empty()
    }

    /// A pointer is compared with a number, and not by a choice: is there a place for which it comes out otherwise?
    pub(super) fn settle_for_number(&mut self, state: &State<M>, pred: Pred, width: u32, [a, b]: [Value; 2]) {
        let (pointing, pointer, number) = match (a, b) {
            (pointer, Value::Int(number)) => (pred, pointer, number),
            (Value::Int(number), pointer) => (super::placing::mirrored(pred), pointer, number),
            _ => return,
        };
        let pointer = self.term(pointer, width);
        let bases = self.movable(state, pointer);
        if bases.is_empty() || !self.terms.is_pointer(pointer) {
            return;
        }
        let (x, y) = (self.term(a, width), self.term(b, width));
        let condition = self.comparison(pred, x, y);
        let other = match self.evaluate(state, condition).low_u64() {
            0 => condition,
            _ => self.terms.not(condition),
        };
        let at = self.evaluate(state, pointer).low_u64();
        let differs = |&base: &BaseId| {
            let offset = at.wrapping_sub(state.memory.bases().concrete_address(base));
            let asked = self.other_side(state, pointing, base, offset, number);
            self.place(state, other, base, asked).is_some()
        };
        if bases.iter().any(differs) {
            self.lost_addresses(1);
        }
    }

    /// Memory answers with parts of pointers that inputs choose: where these point is no longer open. What is lost is counted when the
    /// program looks at them, since most are only copied.
    pub(super) fn pin_parts(&mut self, branches: &mut Branches<M, Value>) {
        for branch in branches {
            let End::Done(Value::Term(term)) = branch.end else {
                continue;
            };
            if self.is_mixed(term) && !self.terms.is_pointer(term) {
                for base in self.terms.bases(term).to_vec() {
                    branch.memory.pin(base);
                }
            }
        }
    }

    /// A loop that is tried on a copy is executed in the usual way if it looks at addresses.
    fn lost_addresses(&mut self, count: u64) {
        match self.recording {
            Some(_) => self.counters.address_dependent += count,
            None => self.stats.concretised += count,
        }
    }

    fn movable(&self, state: &State<M>, term: TermId) -> Vec<BaseId> {
        let bases = self.terms.bases(term).iter().copied();
        bases.filter(|&base| self.is_movable(state, base)).collect()
    }

    /// Does nothing on the path need to know where the object lies?
    pub(super) fn is_movable(&self, state: &State<M>, base: BaseId) -> bool {
        state.memory.header(base).is_some_and(|header| !header.pinned) && self.is_unseen(state, base)
    }

    /// Has the program not looked at the address of the object?
    fn is_unseen(&self, state: &State<M>, base: BaseId) -> bool {
        let unseen = state.memory.header(base).is_some_and(|header| {
            header.life == Life::Alive
                && header.kind != BaseKind::Function
                && header.family.is_none()
                && !header.exposed
        });
        let speaks_of_it = |&clause: &TermId| self.terms.has_base(clause) && self.terms.bases(clause).contains(&base);
        unseen
            && !self.program.function(state.frame().function).runtime
            && !state.path.clauses().iter().any(speaks_of_it)
    }
}
