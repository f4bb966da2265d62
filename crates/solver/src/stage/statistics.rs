//! The top of the chain: counts every question and every answer, and stops asking once the worker is interrupted.

use mneme_term::{Terms, Tracer};

use super::Next;
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Query, Solver, Stage, Unknown};

pub struct Statistics {
    next: Next,
    interrupt: Interrupt,
    tally: Tally,
}

impl Statistics {
    pub fn new(next: Next, interrupt: Interrupt) -> Self {
        Statistics {
            next,
            interrupt,
            tally: Tally::new("all"),
        }
    }
}

impl Solver for Statistics {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let answer = match self.interrupt.is_set() {
            true => Answer::Unknown(Unknown::Interrupted),
            false => self.next.check(terms, query, budget),
        };
        self.tally.answer(answer)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
