//! Sets of clauses known to be unsatisfiable: a query that contains one is unsatisfiable.
//!
//! Two states may place a base differently, so a set is remembered with the addresses of its bases, and only where
//! these are constants. Entries hold terms and mark them at a collection; there is a bound on how many.

use std::collections::VecDeque;
use std::rc::Rc;

use mneme_term::{TermId, Terms, Tracer};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Next;
use crate::ground::{Addresses, Ground};
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct Refuted {
    next: Next,
    /// Each entry under its goal: any query that contains the set contains the goal.
    by_goal: FxHashMap<TermId, Vec<Rc<Entry>>>,
    /// Oldest first.
    order: VecDeque<Rc<Entry>>,
    tally: Tally,
}

struct Entry {
    goal: TermId,
    others: Box<[TermId]>,
    addresses: Addresses,
}

impl Refuted {
    const BOUND: usize = 4096;
    /// Larger sets are seldom contained in anything.
    const LARGE: usize = 64;
    /// Sets compared for one clause of a query.
    const TRIES: usize = 32;

    pub fn new(next: Next) -> Self {
        Refuted {
            next,
            by_goal: FxHashMap::default(),
            order: VecDeque::new(),
            tally: Tally::new("refuted sets"),
        }
    }

    fn contains_refuted(&self, terms: &mut Terms, query: &Query) -> bool {
        if !query.clauses().any(|clause| self.by_goal.contains_key(&clause)) {
            return false;
        }
        let clauses: FxHashSet<TermId> = query.clauses().collect();
        let Some(addresses) = Ground::of(terms, query.clauses(), query.bases).flat(terms) else {
            return false;
        };
        let candidates = query.clauses().filter_map(|clause| self.by_goal.get(&clause));
        candidates
            .flat_map(|entries| entries.iter().rev().take(Self::TRIES))
            .any(|entry| {
                entry.others.iter().all(|clause| clauses.contains(clause)) && entry.addresses.agree_with(&addresses)
            })
    }

    fn remember(&mut self, terms: &mut Terms, query: &Query) {
        if query.assumptions.len() > Self::LARGE {
            return;
        }
        let Some(addresses) = Ground::of(terms, query.clauses(), query.bases).flat(terms) else {
            return;
        };
        let entry = Rc::new(Entry {
            goal: query.goal,
            others: query.assumptions.into(),
            addresses,
        });
        self.by_goal.entry(query.goal).or_default().push(entry.clone());
        self.order.push_back(entry);
        if self.order.len() > Self::BOUND {
            let oldest = self.order.pop_front().expect("not empty");
            let left = self
                .by_goal
                .get_mut(&oldest.goal)
                .expect("every entry is under its goal");
            left.retain(|entry| !Rc::ptr_eq(entry, &oldest));
            if left.is_empty() {
                self.by_goal.remove(&oldest.goal);
            }
        }
    }
}

impl Solver for Refuted {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if self.contains_refuted(terms, query) {
            return self.tally.answer(Answer::Unsat);
        }
        self.tally.below();
        let answer = self.next.check(terms, query, budget);
        if answer.is_unsat() {
            self.remember(terms, query);
        }
        answer
    }

    fn trace(&self, tracer: &mut Tracer) {
        for entry in &self.order {
            tracer.term(entry.goal);
            entry.others.iter().for_each(|&clause| tracer.term(clause));
        }
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
