//! When a loop is left, and by which exit.

use super::courses::put;
use super::first::First;
use super::search::Counter;
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_term::{Op, SymbolId, TermId, Terms};

/// When an exit is taken, regardless of the others.
pub(super) struct Leaving {
    /// By the parts of its condition that have a closed form.
    pub first: First,
    /// The other parts do not leave in iteration τ.
    pub goes_on: Option<TermId>,
}

impl Leaving {
    pub(super) fn of(terms: &mut Terms, guard: TermId, tau: SymbolId) -> Leaving {
        let mut leaving = Leaving {
            first: First::never(terms),
            goes_on: None,
        };
        for part in disjuncts(terms, guard) {
            match First::of(terms, part, tau) {
                Some(first) => leaving.first = leaving.first.earlier(terms, first),
                None => {
                    let not = terms.not(part);
                    leaving.goes_on = Some(match leaving.goes_on {
                        Some(others) => terms.and(others, not),
                        None => not,
                    });
                }
            }
        }
        leaving
    }
}

impl<M: Model> Worker<'_, M> {
    /// When an exit is taken before all others, and after how many iterations.
    pub(super) fn way_out(
        &mut self,
        leavings: &[Leaving],
        index: usize,
        counter: Option<&Counter>,
        tau: SymbolId,
    ) -> (TermId, TermId) {
        let terms = &mut self.terms;
        let this = leavings[index].first;
        if let Some(counter) = counter {
            let count = terms.symbol(counter.symbol);
            let taken = |terms: &mut Terms, leaving: &Leaving| {
                let same = terms.eq(leaving.first.index, count);
                let ends = terms.and(leaving.first.exists, same);
                match leaving.goes_on {
                    Some(goes_on) => {
                        let here = put(terms, goes_on, tau, count);
                        let found = terms.not(here);
                        terms.or(ends, found)
                    }
                    None => ends,
                }
            };
            let mut guard = taken(terms, &leavings[index]);
            for earlier in &leavings[..index] {
                let other = taken(terms, earlier);
                let not = terms.not(other);
                guard = terms.and(guard, not);
            }
            return (guard, count);
        }
        let mut guard = this.exists;
        for (other, leaving) in leavings.iter().enumerate() {
            // Of two in the same iteration, the body reaches the first one first.
            let beaten = match other {
                _ if other == index => continue,
                _ if other < index => {
                    let later = terms.ult(this.index, leaving.first.index);
                    let not = terms.not(later);
                    terms.and(leaving.first.exists, not)
                }
                _ => {
                    let earlier = terms.ult(leaving.first.index, this.index);
                    terms.and(leaving.first.exists, earlier)
                }
            };
            let first = terms.not(beaten);
            guard = terms.and(guard, first);
        }
        (guard, this.index)
    }
}

pub(super) fn disjuncts(terms: &mut Terms, guard: TermId) -> Vec<TermId> {
    match (terms.op(guard), terms.children(guard).to_vec()) {
        (Op::Or, parts) => parts,
        (Op::Not, inner) if terms.op(inner[0]) == Op::And => {
            let parts = terms.children(inner[0]).to_vec();
            parts.into_iter().map(|part| terms.not(part)).collect()
        }
        _ => vec![guard],
    }
}
