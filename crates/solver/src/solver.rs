//! The interface of every stage of the chain, and what each stage counts.

use std::time::{Duration, Instant};

use mneme_term::{Terms, Tracer};

use crate::{Answer, Budget, Query};

/// Something that answers queries: a backend, or a stage that answers what it can and passes the rest on.
pub trait Solver {
    /// An assignment in a `Sat` answer satisfies all assumptions and the goal, checked by evaluation.
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer;

    /// Called before [`Terms::collect`]: marks the terms that are kept, and forgets the others. Term ids are reused
    /// after a collection, so an unmarked id must not be looked up again.
    fn trace(&self, tracer: &mut Tracer);

    /// Its own row, then those of the stages below.
    fn stats(&self, out: &mut Vec<StageStats>);
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        (**self).check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        (**self).trace(tracer)
    }

    fn stats(&self, out: &mut Vec<StageStats>) {
        (**self).stats(out)
    }
}

/// One row of the statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStats {
    pub stage: &'static str,
    /// Queries that reached this stage.
    pub asked: u64,
    /// Queries that went no further.
    pub answered: u64,
    /// Answers given by this stage, without those it only passed up.
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Time spent in this stage and, for the first row, in all of them.
    pub time: Duration,
    /// Further counters of the stage, by name.
    pub details: Vec<(&'static str, u64)>,
}

/// Counts what a stage does. The time of the stages below does not count: see [`Tally::below`].
#[derive(Debug)]
pub(crate) struct Tally {
    row: StageStats,
    entered: Instant,
}

impl Tally {
    pub fn new(stage: &'static str) -> Tally {
        let row = StageStats {
            stage,
            asked: 0,
            answered: 0,
            sat: 0,
            unsat: 0,
            unknown: 0,
            time: Duration::ZERO,
            details: Vec::new(),
        };
        Tally {
            row,
            entered: Instant::now(),
        }
    }

    /// A query arrives.
    pub fn enter(&mut self) {
        self.row.asked += 1;
        self.entered = Instant::now();
    }

    /// This stage answers on its own.
    pub fn answer(&mut self, answer: Answer) -> Answer {
        self.row.answered += 1;
        match answer {
            Answer::Sat(_) => self.row.sat += 1,
            Answer::Unsat => self.row.unsat += 1,
            Answer::Unknown(_) => self.row.unknown += 1,
        }
        self.row.time += self.entered.elapsed();
        answer
    }

    /// The query goes down: the clock of this stage stops.
    pub fn below(&mut self) {
        self.row.time += self.entered.elapsed();
    }

    /// An answer came up from below and needs work: the clock runs again until [`Tally::hand_up`].
    pub fn back(&mut self) {
        self.entered = Instant::now();
    }

    pub fn hand_up(&mut self, answer: Answer) -> Answer {
        self.row.time += self.entered.elapsed();
        answer
    }

    pub fn row(&self) -> StageStats {
        self.row.clone()
    }
}
