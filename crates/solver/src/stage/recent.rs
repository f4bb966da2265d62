//! Tries earlier assignments on the new query: many queries of a path differ in one clause, and one of the last few
//! assignments often satisfies it.
//!
//! Answers mention only symbols of the query, so that components can be combined.

use std::collections::VecDeque;
use std::rc::Rc;

use mneme_term::{Assignment, SymbolId, TermId, Terms, Tracer};

use super::Next;
use crate::ground::Ground;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct Recent {
    next: Next,
    /// Latest first.
    assignments: VecDeque<Rc<Assignment>>,
    tally: Tally,
}

impl Recent {
    const BOUND: usize = 24;
    /// Queries whose clauses are larger in total are not evaluated this often.
    const LARGE: u32 = 20_000;

    pub fn new(next: Next) -> Self {
        // The first assignment to try: all zero.
        Recent {
            next,
            assignments: VecDeque::from([Rc::default()]),
            tally: Tally::new("recent assignments"),
        }
    }

    /// Not for layouts with a choice: their answers mention symbols that occur in no clause.
    fn find(&mut self, terms: &mut Terms, query: &Query) -> Option<Rc<Assignment>> {
        let size = query
            .clauses()
            .fold(0u32, |size, c| size.saturating_add(terms.depth_or_size(c)));
        let tries = if size > Self::LARGE { 4 } else { Self::BOUND };
        let addresses = Ground::of(terms, query.clauses(), query.bases).flat(terms)?;
        let candidates = self.assignments.iter().take(tries);
        let at = candidates
            .enumerate()
            .find(|(_, a)| addresses.satisfied(terms, query.clauses(), a))?
            .0;
        let found = self.assignments.remove(at).expect("a position in the list");
        self.assignments.push_front(found.clone());
        Some(found)
    }

    fn remember(&mut self, found: Rc<Assignment>) {
        self.assignments.push_front(found);
        self.assignments.truncate(Self::BOUND);
    }
}

/// The part of an assignment that concerns the query.
fn restrict(terms: &Terms, clauses: impl Iterator<Item = TermId>, whole: &Assignment) -> Assignment {
    let mut part = Assignment::default();
    let mut add = |s: SymbolId| {
        if let Some(value) = whole.values.get(&s) {
            part.values.insert(s, value.clone());
        } else if let Some(value) = whole.arrays.get(&s) {
            part.arrays.insert(s, value.clone());
        }
    };
    clauses.for_each(|clause| terms.symbols(clause).iter().for_each(|&s| add(s)));
    part
}

impl Solver for Recent {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if let Some(found) = self.find(terms, query) {
            let part = restrict(terms, query.clauses(), &found);
            return self.tally.answer(Answer::Sat(Rc::new(part)));
        }
        self.tally.below();
        let answer = self.next.check(terms, query, budget);
        if let Answer::Sat(found) = &answer {
            self.remember(found.clone());
        }
        answer
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
