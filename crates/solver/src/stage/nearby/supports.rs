//! What a change of some unknowns does to the clauses of a query, with few evaluations.

use std::rc::Rc;

use mneme_term::{Assignment, BaseId, Evaluator, Op, TermId, Terms};

use super::Change;
use crate::Query;
use crate::footprint::{Atom, Footprints};

/// What each clause of a query depends on, as far as that is known.
pub struct Supports<'a> {
    footprints: &'a Footprints,
    terms: &'a Terms,
    query: &'a Query<'a>,
    clauses: Vec<Support>,
}

struct Support {
    clause: TermId,
    /// What the clause depends on; of a disjunction that has been looked at, what a part depends on that holds.
    atoms: Rc<[Atom]>,
    is_part: bool,
}

impl<'a> Supports<'a> {
    pub fn new(footprints: &'a Footprints, terms: &'a Terms, query: &'a Query<'a>) -> Self {
        let whole = |clause| Support {
            clause,
            atoms: footprints.of(terms, clause),
            is_part: false,
        };
        Supports {
            footprints,
            terms,
            query,
            clauses: query.clauses().map(whole).collect(),
        }
    }

    /// The clauses that do not hold after a change: among those that did not before, and those that depend on it. None
    /// if there are `enough` of them.
    pub fn left(
        &mut self,
        before: &Assignment,
        after: &Assignment,
        broken: &[TermId],
        change: &Change,
        enough: usize,
    ) -> Option<Vec<TermId>> {
        let query = self.query;
        let address = |b: BaseId| query.bases.concrete_address(b);
        let (old, new) = (before.with_addresses(&address), after.with_addresses(&address));
        let (mut values, mut earlier) = (Evaluator::new(self.terms, &new), Evaluator::new(self.terms, &old));
        let mut left: Vec<TermId> = Vec::new();
        let depends = |atoms: &[Atom]| change.iter().any(|(place, _)| place.is_in(atoms));
        for support in &mut self.clauses {
            let clause = support.clause;
            let concerned = broken.contains(&clause)
                || depends(&support.atoms) && {
                    if !support.is_part {
                        let part = part_that_holds(self.terms, &mut earlier, clause);
                        support.atoms = self.footprints.of(self.terms, part);
                        support.is_part = true;
                    }
                    depends(&support.atoms)
                };
            if concerned && !left.contains(&clause) && !values.eval_bool(clause) {
                left.push(clause);
                if left.len() >= enough {
                    return None;
                }
            }
        }
        Some(left)
    }

    /// A change has been made.
    pub fn forget(&mut self, change: &Change) {
        for support in &mut self.clauses {
            if support.is_part && change.iter().any(|(place, _)| place.is_in(&support.atoms)) {
                support.atoms = self.footprints.of(self.terms, support.clause);
                support.is_part = false;
            }
        }
    }
}

/// A part of a clause that implies it and holds, if the clause is a disjunction that holds; else the clause.
fn part_that_holds(terms: &Terms, values: &mut Evaluator, clause: TermId) -> TermId {
    let mut part = clause;
    while terms.op(part) == Op::Or && terms.width(part) == 1 {
        match terms.children(part).iter().find(|&&child| values.eval_bool(child)) {
            Some(&child) => part = child,
            None => break,
        }
    }
    part
}
