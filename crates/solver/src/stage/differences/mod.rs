//! Queries that sums of numbers refute: `n < x + y + 3`, where it is known that `x + y + 2 <= n` and `x + y + 2 != n`.
//!
//! A loop asks at every iteration whether it leaves an object, and on most paths the answer is no, because of a few
//! comparisons among hundreds of clauses. Each comparison is read as a bound on the difference of two sums of
//! non-negative integers, where the known ranges exclude that anything wraps around. If shortest paths over these
//! bounds make a negative cycle, the query is unsatisfiable. What is not of this form is left out, so that only *unsat*
//! is an answer.

mod reading;
mod system;

use std::cell::Cell;
use std::rc::Rc;

use mneme_term::{TermId, Terms, Tracer};
use rustc_hash::FxHashMap;

use super::Next;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};
use reading::{Reading, read};
use system::System;

/// A goal that is a disjunction of more than this is not refuted here.
const MOST_CASES: usize = 4;
const BOUND: usize = 1 << 16;

pub struct Differences {
    next: Next,
    known: FxHashMap<TermId, Rc<Reading>>,
    /// Set when terms are collected: `known` names terms that may be gone.
    stale: Cell<bool>,
    tally: Tally,
}

impl Differences {
    pub fn new(next: Next) -> Self {
        Differences {
            next,
            known: FxHashMap::default(),
            stale: Cell::new(false),
            tally: Tally::new("differences"),
        }
    }

    fn is_refuted(&mut self, terms: &Terms, query: &Query) -> bool {
        if self.stale.take() || self.known.len() > BOUND {
            self.known.clear();
        }
        let mut goal = Reading::default();
        let mut cases = Vec::new();
        read(terms, query.goal, true, &mut goal, &mut cases);
        // One disjunction is treated case by case; a part of the goal may suffice without it.
        let cases: Vec<Reading> = { cases.first().into_iter().flatten() }
            .map(|&(case, positive)| {
                let mut all = goal.clone();
                read(terms, case, positive, &mut all, &mut Vec::new());
                all
            })
            .collect();
        let cases = match cases.len() {
            1..=MOST_CASES => cases,
            _ => vec![goal],
        };
        if cases.iter().any(|case| case.comparisons.is_empty()) {
            return false;
        }
        let clauses = query.assumptions.iter();
        let assumed: Vec<Rc<Reading>> = clauses.map(|&clause| self.reading(terms, clause)).collect();
        let refuted = |case: &Reading| {
            let readings: Vec<&Reading> = std::iter::once(case)
                .chain(assumed.iter().map(|reading| &**reading))
                .collect();
            System::of(terms, &readings).is_contradictory()
        };
        cases.iter().all(refuted)
    }

    fn reading(&mut self, terms: &Terms, clause: TermId) -> Rc<Reading> {
        let known = self.known.entry(clause).or_insert_with(|| {
            let mut all = Reading::default();
            read(terms, clause, true, &mut all, &mut Vec::new());
            Rc::new(all)
        });
        known.clone()
    }
}

impl Solver for Differences {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if self.is_refuted(terms, query) {
            return self.tally.answer(Answer::Unsat);
        }
        self.tally.below();
        self.next.check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.stale.set(true);
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}

#[cfg(test)]
mod tests;
