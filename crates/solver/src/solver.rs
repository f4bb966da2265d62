//! The interface of every stage of the chain, and what each stage counts.

use std::time::{Duration, Instant};

use mneme_finding::Stage;
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
    fn stats(&self, out: &mut Vec<Stage>);
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        (**self).check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        (**self).trace(tracer)
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        (**self).stats(out)
    }
}

/// Counts what a stage does. The time of the stages below does not count: see [`Tally::below`].
#[derive(Debug)]
pub(crate) struct Tally {
    stage: &'static str,
    asked: u64,
    answered: u64,
    time: Duration,
    entered: Instant,
}

impl Tally {
    pub fn new(stage: &'static str) -> Tally {
        Tally {
            stage,
            asked: 0,
            answered: 0,
            time: Duration::ZERO,
            entered: Instant::now(),
        }
    }

    /// A query arrives.
    pub fn enter(&mut self) {
        self.asked += 1;
        self.entered = Instant::now();
    }

    /// This stage answers on its own.
    pub fn answer(&mut self, answer: Answer) -> Answer {
        self.answered += 1;
        self.time += self.entered.elapsed();
        answer
    }

    /// The query goes down: the clock of this stage stops.
    pub fn below(&mut self) {
        self.time += self.entered.elapsed();
    }

    /// An answer came up from below and needs work: the clock runs again until [`Tally::hand_up`].
    pub fn back(&mut self) {
        self.entered = Instant::now();
    }

    pub fn hand_up(&mut self, answer: Answer) -> Answer {
        self.time += self.entered.elapsed();
        answer
    }

    pub fn row(&self) -> Stage {
        Stage {
            name: self.stage.into(),
            asked: self.asked,
            answered: self.answered,
            time_s: self.time.as_secs_f64(),
            ..Stage::default()
        }
    }
}
