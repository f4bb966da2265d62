//! Goals that are decided already: constants, and clauses that the path has decided.

use std::rc::Rc;

use mneme_term::{Terms, Tracer};

use super::Next;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

/// Answers a goal that is false, or whose negation is assumed; and, given a hint, one that is true or assumed.
pub struct Trivial {
    next: Next,
    tally: Tally,
}

impl Trivial {
    pub fn new(next: Next) -> Self {
        Trivial {
            next,
            tally: Tally::new("trivial"),
        }
    }

    fn decide(terms: &mut Terms, query: &Query) -> Option<Answer> {
        let goal = query.goal;
        if terms.is_false(goal) {
            return Some(Answer::Unsat);
        }
        if !terms.is_true(goal) {
            let negated = terms.not(goal);
            if query.assumptions.contains(&negated) {
                return Some(Answer::Unsat);
            }
            if !query.assumptions.contains(&goal) {
                return None;
            }
        }
        match query.hint {
            Some(hint) => Some(Answer::Sat(Rc::clone(hint))),
            None if query.assumptions.is_empty() => Some(Answer::Sat(Rc::default())),
            None => None,
        }
    }
}

impl Solver for Trivial {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if let Some(answer) = Self::decide(terms, query) {
            return self.tally.answer(answer);
        }
        self.tally.below();
        self.next.check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
