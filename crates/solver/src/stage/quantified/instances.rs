//! Quantified queries by instances: the clauses `for all i < k: ψ` are replaced by ψ at the first and last i, at the
//! indices of reads of the same arrays, and, as long as an assignment satisfies these but not the query, at the i for
//! which it fails.
//!
//! Instances are implied, so that *unsat* is an answer at any time; there are at most as many as k has values, so that
//! the search ends. A query with a quantifier elsewhere, or that takes too long, goes to the stage below.

use std::rc::Rc;

use mneme_term::{Assignment, TermId, Terms, Tracer};
use rustc_hash::FxHashSet;

use super::clauses::{Clauses, With};
use super::{ask, duplicate, is_satisfied, is_small, own};
use crate::solver::Tally;
use crate::stage::Next;
use crate::{Answer, Budget, Query, Solver, Stage};

/// How often the stage below is asked, and how many instances one answer adds.
const ROUNDS: usize = 24;
const AT_ONCE: usize = 32;

pub struct Instances {
    next: Next,
    rounds: u64,
    tally: Tally,
}

impl Instances {
    pub fn new(next: Next) -> Self {
        Instances {
            next,
            rounds: 0,
            tally: Tally::new("instances"),
        }
    }

    fn solve(&mut self, terms: &mut Terms, query: &Query, clauses: &Clauses, budget: Budget) -> Option<Answer> {
        let all = clauses.all(terms);
        let mut asked = clauses.instantiated(terms);
        let mut known: FxHashSet<TermId> = asked.iter().copied().collect();
        for _ in 0..ROUNDS {
            self.rounds += 1;
            let found = match ask(&mut self.next, &mut self.tally, terms, query, &asked, budget) {
                Answer::Unsat => return Some(Answer::Unsat),
                Answer::Unknown(_) => return None,
                Answer::Sat(found) => found,
            };
            if is_satisfied(terms, &all, &found) {
                return Some(Answer::Sat(found));
            }
            if !is_small(terms, clauses, &found) {
                return None;
            }
            let fixed = asked.iter().flat_map(|&clause| super::reads(terms, clause));
            let fixed: Vec<_> = fixed.filter(|&(_, index)| terms.symbols(index).is_empty()).collect();
            let with = With {
                terms,
                values: (*found).clone(),
            };
            let cells = with.cells(&fixed).collect();
            let duplicated = duplicate(terms, clauses, &found, &cells);
            if is_satisfied(terms, &all, &duplicated) {
                return Some(Answer::Sat(Rc::new(duplicated)));
            }
            let new = violated(terms, clauses, &found);
            let before = asked.len();
            asked.extend(new.into_iter().filter(|&clause| known.insert(clause)));
            if asked.len() == before {
                return None;
            }
        }
        None
    }
}

/// Instances that do not hold.
fn violated(terms: &mut Terms, clauses: &Clauses, found: &Assignment) -> Vec<TermId> {
    let mut with = With {
        terms,
        values: found.clone(),
    };
    let mut numbers = Vec::new();
    for u in &clauses.universal {
        let count = with.number(u.limit);
        let mut here = Vec::new();
        for n in 0..count {
            with.bind(u, n);
            if !with.holds(u.body) {
                here.push((*u, n));
            }
        }
        here.truncate(AT_ONCE);
        numbers.extend(here);
    }
    let mut out = Vec::new();
    for (u, n) in numbers {
        let n = u.number(terms, n);
        out.push(u.instance(terms, n));
    }
    out
}

impl Solver for Instances {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        if !query.clauses().any(|clause| terms.has_forall(clause)) {
            return self.next.check(terms, query, budget);
        }
        self.tally.enter();
        if let Some(clauses) = Clauses::of(terms, query.clauses())
            && let Some(answer) = self.solve(terms, query, &clauses, budget)
        {
            return self.tally.answer(own(terms, query, answer));
        }
        self.tally.below();
        self.next.check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(Stage {
            details: [("rounds", self.rounds)].into(),
            ..self.tally.row()
        });
        self.next.stats(out);
    }
}
