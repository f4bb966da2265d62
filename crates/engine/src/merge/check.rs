//! `--paranoid`: every merge is checked against its members with the solver. The condition is their disjunction, and where a member's
//! condition holds, the values of all frames are the member's.

use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Memory, Truth};
use mneme_term::{TermId, Value};

impl<M: Memory> Worker<'_, M> {
    pub(super) fn check_merge(
        &mut self,
        states: &[&State<M>],
        own: &[TermId],
        merged: &State<M>,
        common: usize,
        condition: TermId,
    ) {
        let mut start = merged.clone();
        let always = self.terms.tru();
        start.path.restart(&mut self.terms, common, always);
        let any = super::tree::disjunction(&mut self.terms, own);
        let differs = self.terms.xor(any, condition);
        self.never(&start, differs, "the condition is not that of the members");
        for (state, &own) in states.iter().zip(own) {
            let mut differs = self.terms.fls();
            for (frame, other) in merged.frames.iter().zip(&state.frames) {
                for (&value, &own) in frame.slots.iter().zip(&other.slots) {
                    if value == own || value == Value::Undef || own == Value::Undef {
                        continue;
                    }
                    let width = self.width_of(value).or(self.width_of(own));
                    let Some(width) = width else { continue };
                    let (value, own) = (self.term(value, width), self.term(own, width));
                    let other = self.terms.ne(value, own);
                    differs = self.terms.or(differs, other);
                }
            }
            let here = self.terms.and(own, differs);
            self.never(&start, here, "a value is not the member's");
        }
    }

    fn width_of(&self, value: Value) -> Option<u32> {
        match value {
            Value::Term(term) => Some(self.terms.width(term)),
            Value::Ptr { .. } => Some(self.pointer_width()),
            _ => None,
        }
    }

    fn never(&mut self, state: &State<M>, condition: TermId, what: &str) {
        if let Truth::Sometimes(_) = self.may(state, condition) {
            panic!("a merge is wrong: {what}");
        }
    }
}
