//! Poisoning: memory that a program's own allocator declares out of bounds.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, End, Model, Shade};
use mneme_program::Call;
use mneme_term::Value;

impl<M: Model> Worker<'_, M> {
    pub(super) fn mark_poison(&mut self, state: &mut State<M>, p: Value, len: Value, shade: Shade) -> Flow {
        let p = match self.defined_pointer(state, p) {
            Ok(p) => p,
            Err(flow) => return flow,
        };
        let branches = self.with_memory(state, |memory, cx| memory.mark(cx, p, len, shade));
        self.commit_memory(state, branches, |()| Then::Advance)
    }

    /// Can the byte at `p` not be read, for whatever reason?
    pub(super) fn is_poisoned(&mut self, state: &mut State<M>, call: &Call, p: Value) -> Flow {
        let branches = self.with_memory(state, |memory, cx| memory.check(cx, p, Value::Int(1), AccessKind::Read));
        let mut outcomes: Outcomes<M> = Outcomes::new();
        for branch in branches {
            let poisoned = matches!(branch.end, End::Fault(_));
            let then = Then::answer(call, Value::bool(poisoned));
            let mut outcome = Outcome::of(branch, |()| then.clone());
            if poisoned {
                outcome.end = Ending::Go(then);
            }
            outcomes.push(outcome);
        }
        self.commit(state, outcomes)
    }
}
