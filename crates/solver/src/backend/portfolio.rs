//! Bit-blasting and Z3 in turns: what CaDiCaL does not decide within some conflicts goes to Z3 for a while, then back
//! to CaDiCaL for longer, and so on until the budget is spent. Which of the two decides a hard query, and how soon, is
//! a matter of luck.
//!
//! The order of the attempts is always the same. Each query is counted once in the row "backend", the last one.

use std::time::{Duration, Instant};

use mneme_term::{Terms, Tracer};

use super::sat::{Effort, Refused, Sat, Size};
use super::stopped;
use super::z3::Z3;
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Patience, Query, Solver, Stage, Unknown};

pub struct Portfolio {
    sat: Sat,
    z3: Z3,
    interrupt: Interrupt,
    tally: Tally,
}

impl Portfolio {
    /// A second or less for small circuits; some seconds for 20,000 clauses.
    const FIRST_CONFLICTS: u64 = 20_000;
    /// For a query that should not take long.
    const FEW_CONFLICTS: u64 = 300;
    /// Long enough for Z3's own attempts.
    const FIRST_SLICE: Duration = Duration::from_secs(2);

    pub fn new(interrupt: Interrupt) -> Self {
        Portfolio {
            sat: Sat::new(interrupt.clone()),
            z3: Z3::new(interrupt.clone()),
            interrupt,
            tally: Tally::new("backend"),
        }
    }

    fn ask(&mut self, terms: &Terms, query: &Query, budget: Budget) -> Answer {
        if let Some(why) = stopped(terms, query, budget, &self.interrupt) {
            return Answer::Unknown(why);
        }
        if budget.patience == Patience::Brief {
            return self.ask_briefly(terms, query, budget);
        }
        let begin = Instant::now();
        let left = || budget.time.map(|time| time.saturating_sub(begin.elapsed()));
        let Ok(mut posed) = self.sat.pose(terms, query, Size::DEFAULT) else {
            let time = left();
            return self.z3.decide(terms, query, Budget { time, ..budget });
        };
        let steps = Sat::effort(budget).conflicts;
        let (mut conflicts, mut slice) = (Self::FIRST_CONFLICTS, Self::FIRST_SLICE);
        loop {
            let effort = Effort {
                conflicts: Some(steps.map_or(conflicts, |steps| steps.min(conflicts))),
                time: left(),
            };
            match self.sat.run(&mut posed, query, effort) {
                Answer::Unknown(Unknown::Timeout) => {}
                Answer::Unknown(Unknown::Failed | Unknown::GaveUp) => {
                    let time = left();
                    return self.z3.decide(terms, query, Budget { time, ..budget });
                }
                answer => return answer,
            }
            if left() == Some(Duration::ZERO) {
                return Answer::Unknown(Unknown::Timeout);
            }
            let time = Some(left().map_or(slice, |left| left.min(slice)));
            match self.z3.decide(terms, query, Budget { time, ..budget }) {
                Answer::Unknown(Unknown::Timeout) => {}
                Answer::Unknown(Unknown::Failed | Unknown::GaveUp) => {
                    let effort = Effort {
                        conflicts: steps,
                        time: left(),
                    };
                    return self.sat.run(&mut posed, query, effort);
                }
                answer => return answer,
            }
            if budget.steps.is_some() || left() == Some(Duration::ZERO) {
                return Answer::Unknown(Unknown::Timeout);
            }
            conflicts = conflicts.saturating_mul(2);
            slice *= 2;
        }
    }

    /// Small circuits, for a few conflicts. What has no circuit is Z3's, which has no measure of size.
    fn ask_briefly(&mut self, terms: &Terms, query: &Query, budget: Budget) -> Answer {
        let full = Budget {
            patience: Patience::Full,
            ..budget
        };
        let mut posed = match self.sat.pose(terms, query, Size::SMALL) {
            Ok(posed) => posed,
            Err(Refused::NoCircuit) => return self.z3.decide(terms, query, full),
            Err(Refused::TooLarge) => return Answer::Unknown(Unknown::Postponed),
        };
        let effort = Effort {
            conflicts: Some(Self::FEW_CONFLICTS),
            time: budget.time,
        };
        match self.sat.run(&mut posed, query, effort) {
            Answer::Unknown(Unknown::Timeout | Unknown::GaveUp) => Answer::Unknown(Unknown::Postponed),
            answer => answer,
        }
    }
}

impl Solver for Portfolio {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        let answer = self.ask(terms, query, budget);
        if !matches!(answer, Answer::Unknown(Unknown::Postponed)) {
            self.tally.enter();
            return self.tally.answer(answer);
        }
        answer
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.sat.trace(tracer);
        self.z3.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        self.sat.stats(out);
        self.z3.stats(out);
        out.push(self.tally.row());
    }
}
