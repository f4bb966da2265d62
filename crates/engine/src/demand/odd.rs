//! Errors that only an unusual caller of a function brings about.
//!
//! A function that is explored alone is given everything, and most functions do not expect everything: that a pointer
//! is not null, or an index not too large, goes without saying. What the function itself tests is another matter: if it
//! compares a pointer with null and then uses it where it is null, something is wrong whoever calls it. So an error is
//! *odd* if it is one of several outcomes at its place, and nothing on the path before has to do with why it comes to
//! it: no clause that depends only on what the error's guard depends on keeps this guard from holding for more inputs.
//! Clauses that are there because an earlier error was odd do not count. For an access out of bounds, the guard is that
//! of the side on which it leaves the object: `i > 0` says nothing of the end.

use crate::commit::{Ending, Outcome};
use crate::fault::Error;
use crate::options::Callers;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{FaultKind, Model, Reason, Truth};
use mneme_solver::{Answer, Query, depends_only_on};
use mneme_term::{Assignment, SymbolKind, TermId};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// Is the outcome an odd error? `state` is before it, and has other outcomes, too.
    pub(crate) fn is_odd(&mut self, state: &State<M>, outcome: &Outcome<M>, witness: &Rc<Assignment>) -> bool {
        let (Ending::Error(error) | Ending::Fail(_, error)) = &outcome.end else {
            return false;
        };
        if self.options.on_demand.is_none() {
            return false;
        }
        if self.is_beyond_given(state, error) {
            return true;
        }
        if self.rests_on_rounds(state, outcome.guard) {
            return true;
        }
        let side = self.side(state, error, witness);
        let guard = self.terms.and(outcome.guard, side);
        if !self.terms.has_kind(guard, SymbolKind::Input) {
            return false;
        }
        let clauses = state.path.condition.clauses().to_vec();
        let tested = |clause: &TermId| !state.notes.supposed.contains(clause);
        !clauses.into_iter().rev().filter(tested).any(|clause| {
            depends_only_on(&self.terms, clause, guard) && {
                let other = self.terms.not(clause);
                let beyond = self.terms.and(guard, other);
                self.is_possible_anywhere(state, beyond)
            }
        })
    }

    /// An odd error is not told.
    pub(crate) fn exclude_odd(&mut self, state: &State<M>, end: &Ending) {
        self.stats.paths.excluded += 1;
        if let Ending::Error(error) | Ending::Fail(_, error) = end
            && self.is_beyond_given(state, error)
        {
            self.stop(state, &Reason::Limit("the size of objects made on demand"));
        }
    }

    /// The side on which an access leaves its object; true for other errors.
    fn side(&mut self, state: &State<M>, error: &Error, witness: &Rc<Assignment>) -> TermId {
        let Error::Memory(fault) = error else {
            return self.terms.tru();
        };
        if !matches!(fault.kind, FaultKind::OutOfBounds(_)) {
            return self.terms.tru();
        }
        let zero = self.terms.constant(self.pointer_width(), 0);
        let before = self.terms.slt(fault.offset, zero);
        match self.evaluate_with(state, before, witness).is_zero() {
            true => self.terms.not(before),
            false => before,
        }
    }

    /// Whether a condition can hold at all, whatever the path.
    fn is_possible_anywhere(&mut self, state: &State<M>, condition: TermId) -> bool {
        let query = Query {
            assumptions: &[],
            goal: condition,
            bases: state.memory.bases(),
            hint: None,
        };
        let budget = self.budget();
        !matches!(self.solver.check(&mut self.terms, &query, budget), Answer::Unsat)
    }

    /// A pointer that the path allows to be null and to be something else is not null: most callers pass one, and the
    /// function has not asked. `None`: there is nothing to suppose.
    pub(super) fn suppose_not_null(&mut self, state: &mut State<M>, pointer: TermId) -> Option<Flow> {
        if self.options.callers != Callers::Usual {
            return None;
        }
        // With an offset, a null pointer is a small number.
        let cases = self.terms.cases(pointer);
        let mut is_null = self.terms.fls();
        for case in cases.iter().filter(|case| case.base.is_none()) {
            is_null = self.terms.or(is_null, case.guard);
        }
        if self.terms.is_false(is_null) || cases.iter().all(|case| case.base.is_none()) {
            return None;
        }
        let not_null = self.terms.not(is_null);
        match (self.may(state, is_null), self.may(state, not_null)) {
            (Truth::Sometimes(_), Truth::Sometimes(_)) => {
                self.stats.paths.excluded += 1;
                let known = state.path.condition.clauses().len();
                let flow = self.restrict(state, not_null, Then::Again);
                state.suppose(known);
                Some(flow)
            }
            _ => None,
        }
    }
}
