//! How paths end, and the tests that they leave.

use crate::fault::Error;
use crate::observer::{Printed, TestCase};
use crate::options::Callers;
use crate::state::State;
use crate::stats::ONE_NUMBER;
use crate::worker::Worker;
use mneme_finding::Location;
use mneme_memory::{Model, Reason};
use mneme_term::{TermId, Value};

impl<M: Model> Worker<'_, M> {
    pub fn complete(&mut self, state: &State<M>) {
        if self.is_silent() {
            return;
        }
        self.stats.paths.completed += 1;
        if !self.observer.wants_tests() {
            self.options.progress.publish(&self.stats);
            return;
        }
        let plain = state.path.covers_new.then(|| self.plain(state)).flatten();
        let test = self.test_case(plain.as_ref().unwrap_or(state), true);
        *self.stats.exit_values.entry(test.exit_code.unwrap_or(0)).or_default() += 1;
        if self.options.check_leaks {
            self.count_still_reachable(state);
        }
        self.observer.completed(&test);
        self.complete_for_witnesses(state, test);
        self.options.progress.publish(&self.stats);
    }

    /// A merged path has a test for each member that was the first to reach something: one test may not cover what
    /// another does.
    fn complete_for_witnesses(&mut self, state: &State<M>, test: TestCase) {
        let mut written = vec![test];
        // Plain inputs may lead through another member than the one that reached something.
        if self.options.minimise && self.stats.merging.contexts > 0 {
            let mut test = self.test_case(state, true);
            test.path = test.path.wrapping_sub(1);
            if written[0].inputs != test.inputs {
                self.observer.completed(&test);
                written.push(test);
            }
        }
        for (index, witness) in state.notes.witnesses.iter().enumerate() {
            let bases = state.memory.bases();
            let address = |base| bases.concrete_address(base);
            let model = witness.inputs.with_addresses(&address);
            let holds = |&clause: &TermId| self.terms.eval_bool(clause, &model);
            // The newest clauses tell the members apart.
            if !state.path.condition.clauses().iter().rev().all(holds) {
                continue;
            }
            let mut other = state.clone();
            let nothing = self.terms.tru();
            other
                .path
                .condition
                .assume(&mut self.terms, nothing, witness.inputs.clone());
            let mut test = self.test_case(&other, true);
            test.path = test.path.wrapping_add(index as u64 + 1);
            test.covers_new = true;
            if written.iter().all(|known| known.inputs != test.inputs) {
                self.observer.completed(&test);
                written.push(test);
            }
        }
    }

    pub fn stop(&mut self, state: &State<M>, reason: &Reason) {
        let place = self.stack(state).into_iter().find(|place| !place.runtime);
        self.stop_at(place.as_ref(), reason);
    }

    /// From here on the path has one of several values.
    pub(crate) fn lose_values(&mut self, state: &State<M>) {
        self.stats.concretised += 1;
        if !self.is_silent() {
            let place = self.stack(state).into_iter().find(|place| !place.runtime);
            self.observer.narrowed(ONE_NUMBER, place.as_ref());
        }
    }

    pub(crate) fn stop_at(&mut self, place: Option<&Location>, reason: &Reason) {
        if self.is_silent() {
            return;
        }
        let reason = reason.to_string();
        self.stats.stop(reason.clone(), 1);
        self.observer.stopped(&reason, place);
        self.options.progress.publish(&self.stats);
    }

    pub fn error(&mut self, state: &State<M>, error: &Error) {
        if let Some(why) = self.broken_handler(state, error) {
            let reason = self.at_place(state, why);
            self.abandon(state, &reason);
            return;
        }
        if self.is_reference(state) {
            self.stats.paths.excluded += 1;
            // With a larger object it would go on.
            if self.is_beyond_given(state, error) {
                self.stop(state, &Reason::Limit("the size of objects made on demand"));
            }
            return;
        }
        let usual = self.options.callers == Callers::Usual;
        if usual && (error.is_of_assertions() || self.rests_on_nulls(state, error)) {
            self.stats.paths.excluded += 1;
            return;
        }
        self.stats.paths.faulted += 1;
        self.error_going_on(state, error);
        if self.is_beyond_given(state, error) {
            self.stop(state, &Reason::Limit("the size of objects made on demand"));
        }
        self.options.progress.publish(&self.stats);
    }

    /// Reports an error that does not end the path.
    pub fn error_going_on(&mut self, state: &State<M>, error: &Error) {
        if self.repeats(state) {
            return;
        }
        let Some(novelty) = self.novelty(state, error) else {
            return;
        };
        let plain = self.plain(state);
        let state = plain.as_ref().unwrap_or(state);
        let (finding, test) = self.explain(state, error);
        self.observer.found(&finding, &test, novelty);
    }

    pub fn test_case(&mut self, state: &State<M>, exits: bool) -> TestCase {
        let call = self.call_of(state, exits);
        let bases = state.memory.bases();
        let numbers: Vec<(mneme_term::BaseId, u64)> = state
            .addresses
            .seen
            .iter()
            .map(|seen| (seen.base, self.evaluate(state, seen.address).low_u64()))
            .collect();
        let address = |b| match numbers.iter().find(|(base, _)| *base == b) {
            Some(&(_, number)) => number,
            None => bases.concrete_address(b),
        };
        let model = state.path.condition.assignment().with_addresses(&address);
        let inputs = state.path.inputs.iter().map(|input| {
            let len = match input.len {
                Value::Term(len) => self.terms.eval_u64(len, &model) as usize,
                _ => input.bytes.len(),
            };
            let bytes = input
                .bytes
                .iter()
                .take(len)
                .map(|&byte| self.terms.eval_u64(byte, &model) as u8)
                .collect();
            (input.name.to_string(), bytes)
        });
        let inputs = inputs.collect();
        let exit_code = exits.then(|| match state.exit_code {
            Value::Int(n) => n as u32,
            Value::Term(t) => self.terms.eval(t, &model).low_u64() as u32,
            _ => 0,
        });
        let byte = |&value: &Value| match value {
            Value::Term(t) => self.terms.eval_u64(t, &model) as u8,
            Value::Int(n) => n as u8,
            _ => 0,
        };
        let output = exits.then(|| Printed {
            bytes: state.output.bytes.iter().map(byte).collect(),
            complete: !state.output.cut,
        });
        let uninitialised = self.unwritten_needs(state, exits);
        let failing = state
            .allocations
            .fallible
            .iter()
            .filter(|allocation| self.terms.eval_u64(allocation.fails, &model) == 1);
        TestCase {
            inputs,
            exit_code: exit_code.map(|code| code & 0xff),
            path: state.path.trail.digest(),
            failing_allocations: failing.map(|allocation| allocation.number).collect(),
            uninitialised,
            placed: self.placement_needs(state),
            call,
            output,
            covers_new: state.path.covers_new,
        }
    }
}
