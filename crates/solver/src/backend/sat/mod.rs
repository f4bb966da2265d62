//! Bit-blasting: the query as a circuit, its clauses to the SAT solver CaDiCaL.
//!
//! A circuit and a solver are made for each query and thrown away with it: a long-lived solver was seen to degrade
//! (DEPENDENCIES.md). Keeping one for some queries with activation literals has not been measured. What is kept are the
//! values of the last answers, which the next search tries first.
//!
//! Not every query suits SAT: [`Sat::pose`] says so before anything is tried.

mod blast;
mod gates;
mod problem;
#[cfg(test)]
mod tests;
mod words;

use mneme_term::{Assignment, Bits, SymbolId, Terms, Tracer};
use rustc_hash::FxHashMap;

pub(super) use self::blast::{Refused, Size};
pub(super) use self::problem::Effort;
use self::problem::{Problem, Verdict};
use super::{stopped, verified};
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Query, Solver, Stage, Unknown};

pub struct Sat {
    /// The values of symbols in the last answers that mentioned them.
    values: FxHashMap<SymbolId, Bits>,
    interrupt: Interrupt,
    tally: Tally,
}

impl Sat {
    /// How many of a budget's steps a conflict counts for. A rough guess: Z3's steps are much smaller.
    const STEPS_PER_CONFLICT: u64 = 100;
    /// How many values are remembered before the memory is cleared.
    const BOUND: usize = 1 << 16;

    pub fn new(interrupt: Interrupt) -> Self {
        Sat {
            values: FxHashMap::default(),
            interrupt,
            tally: Tally::new("sat"),
        }
    }

    /// Makes a circuit of the query, unless it does not suit SAT or would be larger than `size`.
    pub(super) fn pose<'a>(&mut self, terms: &'a Terms, query: &Query, size: Size) -> Result<Posed<'a>, Refused> {
        self.tally.enter();
        let problem = Problem::new(terms, query.clauses(), size);
        self.tally.below();
        match problem {
            Ok(mut problem) => {
                problem.prefer(&self.values);
                Ok(Posed { problem, terms })
            }
            Err(why) => {
                tracing::debug!(?why, "not for SAT");
                Err(why)
            }
        }
    }

    /// Runs a posed query for a while.
    pub(super) fn run(&mut self, posed: &mut Posed, query: &Query, effort: Effort) -> Answer {
        self.tally.back();
        let answer = match posed.problem.run(effort, &self.interrupt) {
            Verdict::Sat(found) => {
                self.remember(&found);
                verified(posed.terms, query, found)
            }
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(why) => Answer::Unknown(why),
        };
        match answer {
            Answer::Unknown(Unknown::Timeout) => self.tally.hand_up(answer),
            answer => self.tally.answer(answer),
        }
    }

    fn remember(&mut self, found: &Assignment) {
        if self.values.len() > Self::BOUND {
            self.values.clear();
        }
        self.values
            .extend(found.values.iter().map(|(&s, value)| (s, value.clone())));
    }

    /// What a budget allows.
    pub(super) fn effort(budget: Budget) -> Effort {
        Effort {
            conflicts: budget.steps.map(|steps| steps.div_ceil(Self::STEPS_PER_CONFLICT)),
            time: budget.time,
        }
    }
}

/// A query that was handed to CaDiCaL.
pub(super) struct Posed<'a> {
    problem: Problem<'a>,
    terms: &'a Terms,
}

impl Solver for Sat {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        if let Some(why) = stopped(terms, query, budget, &self.interrupt) {
            self.tally.enter();
            return self.tally.answer(Answer::Unknown(why));
        }
        match self.pose(terms, query, Size::DEFAULT) {
            Ok(mut posed) => self.run(&mut posed, query, Self::effort(budget)),
            Err(_) => Answer::Unknown(Unknown::GaveUp),
        }
    }

    fn trace(&self, _: &mut Tracer) {}

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
    }
}
