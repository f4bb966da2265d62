//! Independent components: after substitution, parts of a query often share no symbol any more. Each part is asked
//! separately, so that the caches below see small queries that recur.
//!
//! The goal's part goes first: it is the one that can be unsatisfiable, if the assumptions are satisfiable.

use std::rc::Rc;

use mneme_term::{Assignment, SymbolId, TermId, Terms, Tracer};
use rustc_hash::FxHashMap;

use super::Next;
use crate::ground::Ground;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct Components {
    next: Next,
    tally: Tally,
}

impl Components {
    pub fn new(next: Next) -> Self {
        Components {
            next,
            tally: Tally::new("components"),
        }
    }
}

/// The clauses in groups without common symbols, each in order; groups ordered by their first clause.
fn partition(terms: &Terms, clauses: impl Iterator<Item = TermId>) -> Vec<Vec<TermId>> {
    let clauses: Vec<TermId> = clauses.collect();
    // A forest over clauses: `parent[i] <= i`, roots are the first clauses of their groups.
    let mut parent: Vec<usize> = (0..clauses.len()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut owner: FxHashMap<SymbolId, usize> = FxHashMap::default();
    for (i, &clause) in clauses.iter().enumerate() {
        for &s in terms.symbols(clause) {
            let other = *owner.entry(s).or_insert(i);
            let (a, b) = (root(&mut parent, i), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<TermId>> = Vec::new();
    let mut group_of: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, &clause) in clauses.iter().enumerate() {
        let group = *group_of.entry(root(&mut parent, i)).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(clause);
    }
    groups
}

impl Solver for Components {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let groups = partition(terms, query.clauses());
        if groups.len() == 1 || !Ground::of(terms, query.clauses(), query.bases).is_flat(terms) {
            self.tally.below();
            return self.next.check(terms, query, budget);
        }
        self.tally.below();
        let mut all = Assignment::default();
        for group in &groups {
            let part = Query {
                assumptions: &group[1..],
                goal: group[0],
                bases: query.bases,
                hint: None,
            };
            match self.next.check(terms, &part, budget) {
                Answer::Sat(found) => {
                    all.values.extend(found.values.iter().map(|(&s, v)| (s, v.clone())));
                    all.arrays.extend(found.arrays.iter().map(|(&s, v)| (s, v.clone())));
                }
                other => return other,
            }
        }
        Answer::Sat(Rc::new(all))
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
