//! Arrays that are only read at constant positions become that many scalars: no stage below, and no array theory, has
//! to see an array. Likewise, scalars of which only bytes are examined become that many bytes.
//!
//! The scalar that stands for `a[3]` is a symbol of its own, interned by array and position, so that equal clauses stay
//! equal. A symbol that is used whole anywhere in the query is left alone everywhere in it.

use std::cell::Cell;
use std::rc::Rc;

use mneme_term::{Assignment, Bits, Op, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Tracer};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Next;
use crate::footprint::{Atom, Footprints, bytes, parts};
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

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
        symbol: SymbolId,
        part: u64,
    ) -> TermId {
        let id = *scalars.entry((symbol, part)).or_insert_with(|| {
            let Symbol { name, kind, sort } = terms.symbol_info(symbol);
            // The name has everything that distinguishes the symbol from others. No input has the kind `Fresh`.
            let (name, width) = match *sort {
                Sort::Array { index, element } => (format!("element!{name}!{kind:?}!{index}!{part}"), element),
                Sort::Bits(width) => (format!("byte!{name}!{kind:?}!{width}!{part}"), 8),
            };
            terms.symbol_id(Symbol {
                name,
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(width),
            })
        });
        terms.symbol(id)
    }

    /// The clause with the parts of symbols outside `whole` replaced by scalars.
    fn rewrite(&mut self, terms: &mut Terms, clause: TermId, whole: &FxHashSet<SymbolId>) -> TermId {
        let atoms = self.footprints.of(terms, clause);
        if !atoms
            .iter()
            .any(|a| matches!(a, Atom::Part(symbol, _) if !whole.contains(symbol)))
        {
            return clause;
        }
        let all = !atoms
            .iter()
            .any(|a| matches!(a, Atom::Part(symbol, _) if whole.contains(symbol)));
        if all && let Some(&known) = self.rewritten.get(&clause) {
            return known;
        }
        let scalars = &mut self.scalars;
        let result = terms.substitute(clause, &mut |terms, t| {
            let (symbol, range) = parts(terms, t)?;
            if whole.contains(&symbol) {
                return None;
            }
            let (first, last) = (*range.start(), *range.end());
            let mut taken = Self::scalar(scalars, terms, symbol, first);
            for part in first + 1..=last {
                let next = Self::scalar(scalars, terms, symbol, part);
                taken = terms.concat(next, taken);
            }
            match terms.op(t) {
                Op::Extract { high, low } => Some(terms.extract(taken, low % 8, high - low + 1)),
                _ => Some(taken),
            }
        });
        if all {
            self.rewritten.insert(clause, result);
        }
        result
    }

    /// Puts values of scalars back into the symbols they are parts of.
    fn restore(&self, terms: &Terms, query: &Query, found: &Assignment) -> Assignment {
        let mut restored = found.clone();
        for clause in query.clauses() {
            for &atom in self.footprints.of(terms, clause).iter() {
                let Atom::Part(symbol, part) = atom else { continue };
                let Some(scalar) = self.scalars.get(&(symbol, part)) else {
                    continue;
                };
                let Some(value) = restored.values.remove(scalar) else {
                    continue;
                };
                match bytes(terms, symbol) {
                    Some(bytes) => {
                        let whole = restored.values.entry(symbol);
                        let whole = whole.or_insert_with(|| Bits::zero(8 * bytes));
                        *whole = whole.with_byte(part as u32, value.low_u64() as u8);
                    }
                    None => _ = restored.arrays.entry(symbol).or_default().entries.insert(part, value),
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
        let mut whole = FxHashSet::default();
        let mut found = false;
        for clause in query.clauses() {
            for &atom in self.footprints.of(terms, clause).iter() {
                match atom {
                    Atom::Part(..) => found = true,
                    Atom::Whole(symbol) => _ = whole.insert(symbol),
                }
            }
        }
        if !found {
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

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
