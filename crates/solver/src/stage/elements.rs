//! Arrays that are only read at constant positions are that many scalars: no stage below, and no array theory, has to see an array.
//!
//! The scalar that stands for `a[3]` is a symbol of its own, interned by array and position, so that equal clauses stay equal.
//! An array that is used whole anywhere in the query is left alone everywhere in it.

use std::cell::Cell;
use std::rc::Rc;

use mneme_term::{Assignment, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Tracer};
use rustc_hash::FxHashMap;

use super::Next;
use crate::footprint::{Atom, Footprints, element};
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, StageStats};

pub struct Elements {
    next: Next,
    footprints: Footprints,
    /// The scalars. Symbols are never collected.
    scalars: FxHashMap<(SymbolId, u64), SymbolId>,
    /// Clauses with all their arrays replaced.
    rewritten: FxHashMap<TermId, TermId>,
    /// Set when terms are collected: `rewritten` names terms that may be gone.
    stale: Cell<bool>,
    tally: Tally,
}

impl Elements {
    const BOUND: usize = 1 << 16;

    pub fn new(next: Next) -> Self {
        Elements {
            next,
            footprints: Footprints::default(),
            scalars: FxHashMap::default(),
            rewritten: FxHashMap::default(),
            stale: Cell::new(false),
            tally: Tally::new("elements"),
        }
    }

    fn scalar(
        scalars: &mut FxHashMap<(SymbolId, u64), SymbolId>,
        terms: &mut Terms,
        array: SymbolId,
        index: u64,
    ) -> SymbolId {
        *scalars.entry((array, index)).or_insert_with(|| {
            let Symbol { name, kind, sort } = terms.symbol_info(array);
            let Sort::Array { index: width, element } = *sort else {
                unreachable!("elements are of arrays")
            };
            // Everything that tells the array from others is in the name. No input has the kind `Fresh`.
            let name = format!("element!{name}!{kind:?}!{width}!{index}");
            terms.symbol_id(Symbol {
                name,
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(element),
            })
        })
    }

    /// The clause with the elements of arrays outside `whole` replaced by scalars.
    fn rewrite(&mut self, terms: &mut Terms, clause: TermId, whole: &[SymbolId]) -> TermId {
        let atoms = self.footprints.of(terms, clause);
        if !atoms
            .iter()
            .any(|a| matches!(a, Atom::Element(array, _) if !whole.contains(array)))
        {
            return clause;
        }
        let all = !atoms
            .iter()
            .any(|a| matches!(a, Atom::Element(array, _) | Atom::Whole(array) if whole.contains(array)));
        if all && let Some(&known) = self.rewritten.get(&clause) {
            return known;
        }
        let scalars = &mut self.scalars;
        let result = terms.substitute(clause, &mut |terms, t| {
            if !terms.has_array(t) {
                return Some(t);
            }
            let (array, index) = element(terms, t)?;
            if whole.contains(&array) {
                return None;
            }
            let scalar = Self::scalar(scalars, terms, array, index);
            Some(terms.symbol(scalar))
        });
        if all {
            self.rewritten.insert(clause, result);
        }
        result
    }

    /// Values of scalars back into their arrays.
    fn restore(&self, terms: &Terms, query: &Query, found: &Assignment) -> Assignment {
        let mut restored = found.clone();
        for clause in query.clauses() {
            for &atom in self.footprints.of(terms, clause).iter() {
                if let Atom::Element(array, index) = atom
                    && let Some(scalar) = self.scalars.get(&(array, index))
                    && let Some(value) = restored.values.remove(scalar)
                {
                    restored.arrays.entry(array).or_default().entries.insert(index, value);
                }
            }
        }
        restored
    }
}

impl Solver for Elements {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if self.stale.take() || self.rewritten.len() > Self::BOUND {
            self.rewritten.clear();
        }
        let mut whole = Vec::new();
        let mut elements = false;
        for clause in query.clauses() {
            for &atom in self.footprints.of(terms, clause).iter() {
                match atom {
                    Atom::Scalar(_) => {}
                    Atom::Element(..) => elements = true,
                    Atom::Whole(array) => whole.push(array),
                }
            }
        }
        if !elements {
            self.tally.below();
            return self.next.check(terms, query, budget);
        }
        let goal = self.rewrite(terms, query.goal, &whole);
        let assumptions: Vec<TermId> = query
            .assumptions
            .iter()
            .map(|&a| self.rewrite(terms, a, &whole))
            .collect();
        self.tally.below();
        let answer = self.next.check(
            terms,
            &Query {
                assumptions: &assumptions,
                goal,
                hint: None,
                ..*query
            },
            budget,
        );
        self.tally.back();
        let answer = match answer {
            Answer::Sat(found) => Answer::Sat(Rc::new(self.restore(terms, query, &found))),
            other => other,
        };
        self.tally.hand_up(answer)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.stale.set(true);
        self.footprints.forget();
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<StageStats>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
