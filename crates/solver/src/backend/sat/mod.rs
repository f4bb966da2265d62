//! Bit-blasting: the query as a circuit, its clauses to the SAT solver CaDiCaL.
//!
//! A circuit and a solver are made for each query and thrown away with it. A kept solver gets slower with every query, and what
//! queries have in common is small: the stages above have cut away what was asked before.
//!
//! Not every query is for SAT: [`Sat::pose`] says so before anything is tried.

mod blast;
mod gates;
mod problem;
#[cfg(test)]
mod tests;
mod words;

use std::time::Duration;

use mneme_term::{Terms, Tracer};

use self::blast::Size;
pub(super) use self::problem::{Effort, Verdict};
use super::{has_bases, verified};
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Query, Solver, StageStats, Unknown};

pub struct Sat {
    interrupt: Interrupt,
    tally: Tally,
}

impl Sat {
    /// How many of a budget's steps a conflict counts for: about what Z3 calls a step takes that much less time.
    const STEPS_PER_CONFLICT: u64 = 100;

    pub fn new(interrupt: Interrupt) -> Self {
        Sat {
            interrupt,
            tally: Tally::new("sat"),
        }
    }

    /// Makes a circuit of the query. `None` if it is not for SAT.
    pub(super) fn pose<'a>(&mut self, terms: &'a Terms, query: &Query) -> Option<Posed<'a>> {
        self.tally.enter();
        let problem = problem::Problem::new(terms, query.clauses(), Size::DEFAULT);
        self.tally.below();
        match problem {
            Ok(problem) => Some(Posed { problem, terms }),
            Err(why) => {
                tracing::debug!(?why, "not for SAT");
                None
            }
        }
    }

    /// Runs a posed query for a while.
    pub(super) fn run(&mut self, posed: &mut Posed, query: &Query, effort: Effort) -> Answer {
        self.tally.back();
        let answer = match posed.problem.run(effort, &self.interrupt) {
            Verdict::Sat(found) => verified(posed.terms, query, found),
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(why) => Answer::Unknown(why),
        };
        match answer {
            Answer::Unknown(Unknown::Timeout) => self.tally.hand_up(answer),
            answer => self.tally.answer(answer),
        }
    }

    /// What a budget allows.
    pub(super) fn effort(budget: Budget) -> Effort {
        Effort {
            conflicts: budget.steps.map(|steps| steps.div_ceil(Self::STEPS_PER_CONFLICT)),
            time: budget.time,
        }
    }
}

/// A query that CaDiCaL has in its hands.
pub(super) struct Posed<'a> {
    problem: problem::Problem<'a>,
    terms: &'a Terms,
}

/// Why a query need not be started: the reasons that all backends share.
pub(super) fn stopped(terms: &Terms, query: &Query, budget: Budget, interrupt: &Interrupt) -> Option<Unknown> {
    match () {
        _ if interrupt.is_set() => Some(Unknown::Interrupted),
        _ if budget.time == Some(Duration::ZERO) || budget.steps == Some(0) => Some(Unknown::Timeout),
        _ if has_bases(terms, query.clauses()) => Some(Unknown::Failed),
        _ => None,
    }
}

impl Solver for Sat {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        if let Some(why) = stopped(terms, query, budget, &self.interrupt) {
            self.tally.enter();
            return self.tally.answer(Answer::Unknown(why));
        }
        match self.pose(terms, query) {
            Some(mut posed) => self.run(&mut posed, query, Self::effort(budget)),
            None => Answer::Unknown(Unknown::GaveUp),
        }
    }

    fn trace(&self, _: &mut Tracer) {}

    fn stats(&self, out: &mut Vec<StageStats>) {
        out.push(self.tally.row());
    }
}
