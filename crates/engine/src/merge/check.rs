//! `--paranoid`: checks every merge against its members with the solver. The merged condition must be the disjunction
//! of theirs; with a pattern, for some value of its k (Theorem 6.2.7). Where a member's condition holds, the values of
//! all frames must be the member's, and a load of any byte must give, or fail with, what it does in the member's
//! memory.

use super::patterns::{Repeated, instance};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Apart, Heap, Model, Truth};
use mneme_program::Scalar;
use mneme_term::{BaseId, BaseKind, TermId, Value};
use std::collections::BTreeSet;

/// How many bytes are compared: from the start of each object, and in all.
const OF_EACH: u64 = 4096;
const OF_ALL: u64 = 1 << 16;

impl<M: Model> Worker<'_, M> {
    pub(super) fn check_merge(
        &mut self,
        states: &[&State<M>],
        own: &[TermId],
        merged: &State<M>,
        common: usize,
        condition: TermId,
        repeated: Option<&Repeated>,
    ) -> Result<(), Apart> {
        let mut start = merged.clone();
        let always = self.terms.tru();
        start.path.condition.restart(&mut self.terms, common, always);
        let any = super::tree::disjunction(&mut self.terms, own);
        let none = self.terms.not(any);
        let more = self.terms.and(condition, none);
        self.never(&start, more, "the condition holds where no member's does")?;
        for (index, &own) in own.iter().enumerate() {
            let here = match repeated {
                Some(Repeated { times, of_members }) => instance(&mut self.terms, condition, *times, of_members[index]),
                None => condition,
            };
            let fails = self.terms.not(here);
            let less = self.terms.and(own, fails);
            self.never(&start, less, "a member's condition does not imply the condition")?;
        }
        let bytes = bytes_to_compare(states, merged);
        for (state, &own) in states.iter().zip(own) {
            // For every value of a pattern's k.
            let own = self.terms.and(own, condition);
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
            self.never(&start, here, "a value is not the member's")?;
            let differs = self.different_bytes(state, merged, &bytes);
            let here = self.terms.and(own, differs);
            self.never(&start, here, "a byte of memory is not the member's")?;
        }
        Ok(())
    }

    /// The condition under which a byte of a member differs from that of the merged memory.
    fn different_bytes(&mut self, state: &State<M>, merged: &State<M>, bytes: &[(BaseId, u64)]) -> TermId {
        let ty = Scalar::int(8);
        let mut differs = self.terms.fls();
        let (mut member, mut merged) = (state.clone(), merged.clone());
        for &(base, offset) in bytes {
            if member.memory.size(base).is_none() || merged.memory.size(base).is_none() {
                continue;
            }
            let quick = |memory: &Heap<M>| memory.fast_load(base, offset, ty.bytes());
            if let (Some(one), Some(other)) = (quick(&member.memory), quick(&merged.memory))
                && one == other
            {
                continue;
            }
            let place = Value::Ptr { base, offset };
            let (one, its) = self.byte_of(&mut member, place);
            let (other, others) = self.byte_of(&mut merged, place);
            let unlike = self.terms.ne(one, other);
            let both = self.terms.and(its, others);
            let unlike = self.terms.and(both, unlike);
            let only_one = self.terms.xor(its, others);
            let here = self.terms.or(unlike, only_one);
            differs = self.terms.or(differs, here);
        }
        differs
    }

    fn width_of(&self, value: Value) -> Option<u32> {
        match value {
            Value::Term(term) => Some(self.terms.width(term)),
            Value::Ptr { .. } => Some(self.pointer_width()),
            _ => None,
        }
    }

    /// A wrong merge is reported and not made: its members continue separately, so that nothing else is lost.
    fn never(&mut self, state: &State<M>, condition: TermId, what: &str) -> Result<(), Apart> {
        let Truth::Sometimes(_) = self.may(state, condition) else {
            return Ok(());
        };
        let reason = format!("internal error: a merge is wrong: {what}; please report it");
        let place = self.stack(state).into_iter().find(|place| !place.runtime);
        tracing::error!(line = place.as_ref().map(|place| place.line), "{reason}");
        self.stats.stop(reason.clone(), 1);
        self.observer.stopped(&reason, place.as_ref());
        Err(Apart("it would be wrong"))
    }
}

/// Bytes of the objects that are alive in any of them, including the first byte past the end of each.
fn bytes_to_compare<M: Model>(states: &[&State<M>], merged: &State<M>) -> Vec<(BaseId, u64)> {
    let mut bases: BTreeSet<BaseId> = BTreeSet::new();
    for state in states.iter().copied().chain([merged]) {
        for kind in [BaseKind::Heap, BaseKind::Stack, BaseKind::Global] {
            bases.extend(state.memory.alive(kind));
        }
    }
    let mut bytes = Vec::new();
    let mut left = OF_ALL;
    for base in bases {
        let sizes = states.iter().filter_map(|state| state.memory.header(base));
        let size = sizes.map(|header| header.room).max().unwrap_or(0);
        let count = (size + 1).min(OF_EACH).min(left);
        left -= count;
        bytes.extend((0..count).map(|offset| (base, offset)));
    }
    bytes
}
