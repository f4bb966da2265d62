//! The assignment that a state carries satisfies its path condition: if it also satisfies the goal, nothing needs to be
//! asked.

use std::rc::Rc;

use mneme_term::{BaseId, Terms, Tracer};

use super::Next;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

/// Evaluates the goal under the hint, with bases at the addresses that the state's layout gives them.
pub struct OwnAssignment {
    next: Next,
    tally: Tally,
}

impl OwnAssignment {
    pub fn new(next: Next) -> Self {
        OwnAssignment {
            next,
            tally: Tally::new("own assignment"),
        }
    }
}

impl Solver for OwnAssignment {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if let Some(hint) = query.hint {
            let address = |b: BaseId| query.bases.concrete_address(b);
            if terms.eval_bool(query.goal, &hint.with_addresses(&address)) {
                return self.tally.answer(Answer::Sat(Rc::clone(hint)));
            }
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
