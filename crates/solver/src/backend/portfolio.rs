//! Bit-blasting and Z3 by turns: what CaDiCaL does not decide within some conflicts goes to Z3 for a while, then to CaDiCaL again for
//! longer, and so on until the budget is spent. Which of the two decides a hard query, and how soon, is a matter of luck.
//!
//! The order of the attempts is always the same. Each query is counted once in the row "backend", the last one.

use std::time::{Duration, Instant};

use mneme_term::{Terms, Tracer};

use super::sat::{Effort, Posed, Sat, stopped};
use super::z3::Z3;
use crate::solver::Tally;
use crate::{Answer, Budget, Interrupt, Query, Solver, StageStats, Unknown};

pub struct Portfolio {
    sat: Sat,
    z3: Z3,
    interrupt: Interrupt,
    tally: Tally,
}

impl Portfolio {
    /// About a second.
    const FIRST_CONFLICTS: u64 = 20_000;
    /// Long enough for Z3's own tries.
    const FIRST_SLICE: Duration = Duration::from_secs(2);

    pub fn new(interrupt: Interrupt) -> Self {
        Portfolio {
            sat: Sat::new(interrupt.clone()),
            z3: Z3::new(interrupt.clone()),
            interrupt,
            tally: Tally::new("backend"),
        }
    }

    fn ask(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        if let Some(why) = stopped(terms, query, budget, &self.interrupt) {
            return Answer::Unknown(why);
        }
        let begin = Instant::now();
        let left = || budget.time.map(|time| time.saturating_sub(begin.elapsed()));
        let Some(mut posed) = self.sat.pose(terms, query) else {
            return self.z3.check(terms, query, budget);
        };
        let steps = Sat::effort(budget).conflicts;
        let (mut conflicts, mut slice) = (Self::FIRST_CONFLICTS, Self::FIRST_SLICE);
        loop {
            let effort = Effort {
                conflicts: Some(steps.map_or(conflicts, |steps| steps.min(conflicts))),
                time: left(),
            };
            match self.sat.run(&mut posed, query, effort) {
                Answer::Unknown(Unknown::Timeout) if left().is_none_or(|left| !left.is_zero()) => {}
                answer => return answer,
            }
        }
    }
}
