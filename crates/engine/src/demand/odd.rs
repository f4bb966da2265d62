//! Errors that only an unusual caller of a function brings about.
//!
//! A function that is explored alone is given everything, and most functions do not expect everything: that a pointer
//! is not null, or an index not too large, goes without saying. What the function itself tests is another matter: if it
//! compares a pointer with null and then uses it where it is null, something is wrong whoever calls it. So an error is
//! *odd* if it is one of several outcomes at its place, and nothing on the path before has to do with why it comes to
//! it: no clause that depends only on what the error's guard depends on keeps this guard from holding for more inputs.
//! Clauses that are there because an earlier error was odd do not count. For an access out of bounds, the guard is that
//! of the side on which it leaves the object: `i > 0` says nothing of the end. And these clauses must keep it from being
//! as far outside as it can be at all: `i < n` with any `n` is no bound.
//!
//! A function tests its arguments for its own sake. If one that was called and has returned has found that a pointer of
//! the caller's is null, that says nothing of what its caller expects: accesses through null on such a path are odd.
//! Those that do not need the pointer to be null are found on the path where it is not. And where it compares two of the
//! caller's pointers (`top == end`), they point into one buffer for most callers. Objects made on demand are not like
//! that, and two pointers that are equal are both null: what happens on such a path is odd.

use super::Stage;
use crate::commit::{Ending, Outcome};
use crate::fault::Error;
use crate::options::Callers;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{FaultKind, Model, Reason, Truth};
use mneme_program::Inst;
use mneme_solver::{Answer, Query, depends_only_on};
use mneme_term::{Assignment, SymbolKind, TermId, Value};
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
        let clauses = state.path.condition.clauses().iter().copied();
        let tested =
            |clause: &TermId| !state.notes.supposed.contains(clause) && depends_only_on(&self.terms, *clause, guard);
        let tests: Vec<TermId> = clauses.filter(tested).collect();
        let bounds = tests.iter().rev().any(|&clause| {
            let other = self.terms.not(clause);
            let beyond = self.terms.and(guard, other);
            self.is_possible_anywhere(state, beyond)
        });
        !bounds || self.may_be_farthest(state, error, guard, &tests)
    }

    /// Whether the tests allow an access out of bounds to be as far outside as its type allows.
    fn may_be_farthest(&mut self, state: &State<M>, error: &Error, guard: TermId, tests: &[TermId]) -> bool {
        let Error::Memory(fault) = error else {
            return false;
        };
        if !matches!(fault.kind, FaultKind::OutOfBounds(_)) || self.terms.as_const(fault.offset).is_some() {
            return false;
        }
        let range = self.terms.strided(fault.offset);
        let width = self.terms.width(fault.offset);
        // The guard includes the side.
        [range.low, range.high].into_iter().any(|end| {
            let end = self.terms.constant(width, end as u64 & (u64::MAX >> (64 - width)));
            let at_end = self.terms.eq(fault.offset, end);
            let farthest = self.terms.and(guard, at_end);
            let allowed = tests.iter().fold(farthest, |all, &test| self.terms.and(all, test));
            !self.terms.is_false(allowed) && self.is_possible_anywhere(state, allowed)
        })
    }

    /// What a choice says of pointers of the caller's: a function that was called finds that one is null, or a comparison
    /// of two that both are.
    pub(crate) fn note_nulls(&mut self, state: &mut State<M>, guard: TermId) {
        if self.options.callers != Callers::Usual || self.options.on_demand.is_none() {
            return;
        }
        let Some(frame) = state.frames.last() else {
            return;
        };
        let function = frame.function;
        let inst = self.program.function(function).code.get(frame.pc as usize);
        let compares = matches!(inst, Some(Inst::CmpBranch { .. }));
        let is_inner = state.frames.len() > 1;
        if !is_inner && !compares {
            return;
        }
        let nulls = self.nulls_of_given(state);
        if nulls.contains(&guard) {
            if is_inner {
                Rc::make_mut(&mut state.notes.found_null).push(function);
            }
            return;
        }
        if !compares || state.notes.equates_nulls {
            return;
        }
        let decided = nulls
            .into_iter()
            .filter(|&null| depends_only_on(&self.terms, null, guard));
        let decided: Vec<TermId> = decided.collect();
        let are_null = |null: &&TermId| !self.evaluate(state, **null).is_zero();
        if decided.iter().filter(are_null).count() < 2 {
            return;
        }
        let mut forced = decided.iter().map(|&null| {
            let otherwise = self.terms.not(null);
            matches!(self.may(state, otherwise), Truth::Never)
        });
        state.notes.equates_nulls = forced.all(|forced| forced);
    }

    /// For each pointer that the caller gave: that it is null.
    fn nulls_of_given(&mut self, state: &State<M>) -> Vec<TermId> {
        let passed = state.demand.args.iter().filter_map(|argument| match argument.value {
            Value::Term(term) => Some(term),
            _ => None,
        });
        let held = state.demand.objects.iter().flat_map(|object| match &object.stage {
            Stage::Born(contents) => &contents.pointers[..],
            _ => &[],
        });
        let pointers: Vec<TermId> = passed.chain(held.map(|&(_, pointer)| pointer)).collect();
        let mut out = Vec::new();
        for pointer in pointers {
            let cases = self.terms.cases(pointer);
            out.extend(cases.iter().find(|case| case.base.is_none()).map(|case| case.guard));
        }
        out
    }

    /// Does an error rest on what such choices say? An access through null comes from a test in a function that was
    /// called and has returned, or two of the caller's pointers are equal because both are null.
    pub(crate) fn rests_on_nulls(&self, state: &State<M>, error: &Error) -> bool {
        if state.notes.equates_nulls {
            return true;
        }
        let Error::Memory(fault) = error else { return false };
        let active = |function| state.frames.iter().any(|frame| frame.function == function);
        matches!(fault.kind, FaultKind::Null(_)) && state.notes.found_null.iter().any(|&function| !active(function))
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
