//! Poisoning: memory that a program's own allocator declares out of bounds.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::state::State;
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
        self.commit_memory(state, branches, |state, ()| state.advance())
    }

    /// Whether the byte at `p` cannot be read, for whatever reason.
    pub(super) fn is_poisoned(&mut self, state: &mut State<M>, call: &Call, p: Value) -> Flow {
        let branches = self.with_memory(state, |memory, cx| memory.check(cx, p, Value::Int(1), AccessKind::Read));
        let outcomes: Outcomes<M, Value> = branches
            .into_iter()
            .map(|branch| Outcome {
                guard: branch.guard,
                memory: Some(branch.memory),
                end: match branch.end {
                    End::Done(()) => Ending::Go(Value::bool(false)),
                    End::Fault(_) => Ending::Go(Value::bool(true)),
                    End::Stop(reason) => Ending::Stop(reason),
                },
            })
            .collect();
        let dst = (!call.results.is_empty()).then_some(call.dst);
        self.commit(state, outcomes, move |state, value| {
            if let Some(dst) = dst {
                state.set(dst, value);
            }
            state.advance();
        })
    }
}
