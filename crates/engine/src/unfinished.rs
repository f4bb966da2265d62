//! Tests of paths that were left before their end: a state has inputs that lead as far as it got, so a run that ends at
//! a limit leaves more than the paths that it happened to finish.

use crate::halt::Cause;
use crate::observer::Future;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Model, Reason};
use std::time::{Duration, Instant};

/// How long tests may be written after a limit that the run must not exceed by much.
const LAST_MINUTE: Duration = Duration::from_millis(500);

impl<M: Model> Worker<'_, M> {
    /// Stops a path here for good, for a reason that is counted, and reports inputs that lead here.
    pub(crate) fn abandon(&mut self, state: &State<M>, reason: &Reason) {
        self.stop(state, reason);
        self.report_unfinished(state, reason, Future::None);
    }

    /// Stops a path at a limit that a later run may raise; that run continues it after this many finished `steps`.
    pub(crate) fn park(&mut self, state: &State<M>, steps: u64, limit: &'static str) {
        let reason = Reason::Limit(limit);
        self.stop(state, &reason);
        self.sessions.park(&state.path, steps, limit);
        self.report_unfinished(state, &reason, Future::Resumable);
    }

    /// Reports inputs for every state that a limit ends, those first that reached something new most recently.
    pub(crate) fn abandon_all(&mut self, mut states: Vec<State<M>>, cause: Cause) {
        let until = match cause {
            Cause::Unwritable => return,
            Cause::Instructions => None,
            Cause::Time | Cause::Settled | Cause::Memory | Cause::Interrupted => Some(Instant::now() + LAST_MINUTE),
        };
        // What an earlier session left is still on its way, and has tests.
        let count = states.len();
        states.retain(|state| state.path.guide.is_none());
        if states.len() == count {
            self.observer.caught_up();
        }
        if !self.observer.wants_tests() {
            return;
        }
        states.sort_by_key(|state| state.path.steps - state.path.last_new.min(state.path.steps));
        let reason = Reason::Limit(cause.name());
        for (done, state) in states.iter().enumerate() {
            if until.is_some_and(|until| Instant::now() > until) {
                let left = states.len() - done;
                tracing::warn!(left, "the limit leaves no time for tests of all unfinished paths");
                return;
            }
            self.report_unfinished(state, &reason, Future::Resumable);
        }
    }

    fn report_unfinished(&mut self, state: &State<M>, reason: &Reason, future: Future) {
        if self.observer.wants_tests() && !self.repeats(state) {
            let plain = state.path.covers_new.then(|| self.plain(state)).flatten();
            let test = self.test_case(plain.as_ref().unwrap_or(state), false);
            self.observer.unfinished(&test, &reason.to_string(), future);
        }
    }
}
