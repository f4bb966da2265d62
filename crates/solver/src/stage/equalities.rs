//! Equality substitution: where a clause defines a symbol, the definition replaces it everywhere.
//!
//! `x == 5`, `x == y + 1`, `p`, `¬p` and `concat(a, b) == 0x4142` define symbols. Substituting and simplifying again
//! often decides the goal, and otherwise makes queries equal that differed only in what was known of the symbols.
//! Eliminated symbols get their values back, in reverse order, by evaluation.

use std::rc::Rc;

use mneme_term::{Assignment, Bits, Op, Sort, SymbolId, TermId, Terms, Tracer};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Next;
use crate::ground::Ground;
use crate::path::conjuncts;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct Equalities {
    next: Next,
    tally: Tally,
}

/// `symbol` stands for `value`, which does not mention it.
#[derive(Copy, Clone)]
struct Definition {
    symbol: SymbolId,
    value: TermId,
}

/// Clauses without an obvious contradiction, and what was eliminated from them, in order.
struct Reduced {
    clauses: Vec<TermId>,
    eliminated: Vec<Definition>,
}

impl Equalities {
    /// Chains of definitions longer than this are left to the solver.
    const ROUNDS: usize = 8;

    pub fn new(next: Next) -> Self {
        Equalities {
            next,
            tally: Tally::new("equalities"),
        }
    }

    /// `None` if a clause became false.
    fn reduce(terms: &mut Terms, query: &Query) -> Option<Reduced> {
        let mut reduced = Reduced {
            clauses: Vec::new(),
            eliminated: Vec::new(),
        };
        let mut seen = FxHashSet::default();
        for clause in query.clauses() {
            reduced.add(terms, &mut seen, clause)?;
        }
        for _ in 0..Self::ROUNDS {
            let definitions = pick(terms, &reduced.clauses);
            if definitions.is_empty() {
                break;
            }
            let map: FxHashMap<TermId, TermId> =
                definitions.iter().map(|d| (terms.symbol(d.symbol), d.value)).collect();
            let mut symbols: Vec<SymbolId> = definitions.iter().map(|d| d.symbol).collect();
            symbols.sort_unstable();
            seen.clear();
            for clause in std::mem::take(&mut reduced.clauses) {
                let touched = terms.symbols(clause).iter().any(|s| symbols.binary_search(s).is_ok());
                let clause = if touched {
                    terms.substitute_map(clause, &map)
                } else {
                    clause
                };
                reduced.add(terms, &mut seen, clause)?;
            }
            reduced.eliminated.extend(definitions);
        }
        Some(reduced)
    }
}

impl Reduced {
    /// `None` if the clause is false.
    fn add(&mut self, terms: &Terms, seen: &mut FxHashSet<TermId>, clause: TermId) -> Option<()> {
        for part in conjuncts(terms, clause) {
            if terms.is_false(part) {
                return None;
            }
            if seen.insert(part) {
                self.clauses.push(part);
            }
        }
        Some(())
    }

    /// An assignment of the clauses, with the eliminated symbols added.
    fn restore(&self, terms: &mut Terms, query: &Query, found: &Assignment) -> Assignment {
        let mut restored = found.clone();
        let addresses = Ground::of(terms, query.clauses(), query.bases).under(terms, found);
        for definition in self.eliminated.iter().rev() {
            let value = addresses.eval(terms, definition.value, &restored);
            restored.values.insert(definition.symbol, value);
        }
        restored
    }
}

/// Definitions to substitute at once: constants if there are any, else symbols by terms in which no defined symbol
/// occurs.
fn pick(terms: &mut Terms, clauses: &[TermId]) -> Vec<Definition> {
    let mut constants = Vec::new();
    let mut others = Vec::new();
    for &clause in clauses {
        define(terms, clause, &mut constants, &mut others);
    }
    let mut defined = FxHashSet::default();
    if !constants.is_empty() {
        // A second, different value for a symbol stays a clause, and turns false.
        constants.retain(|d: &Definition| defined.insert(d.symbol));
        return constants;
    }
    let mut used = FxHashSet::default();
    others.retain(|d: &Definition| {
        let inside = terms.symbols(d.value);
        let fits = !defined.contains(&d.symbol)
            && !used.contains(&d.symbol)
            && !inside.contains(&d.symbol)
            && !inside.iter().any(|s| defined.contains(s));
        if fits {
            defined.insert(d.symbol);
            used.extend(inside.iter().copied());
        }
        fits
    });
    others
}

/// The definitions in the clause.
fn define(terms: &mut Terms, clause: TermId, constants: &mut Vec<Definition>, others: &mut Vec<Definition>) {
    match terms.op(clause) {
        Op::Symbol(symbol) => constants.push(Definition {
            symbol,
            value: terms.tru(),
        }),
        Op::Not => {
            if let Op::Symbol(symbol) = terms.op(terms.children(clause)[0]) {
                constants.push(Definition {
                    symbol,
                    value: terms.fls(),
                });
            }
        }
        Op::Eq => {
            let (left, right) = (terms.children(clause)[0], terms.children(clause)[1]);
            for (side, value) in [(left, right), (right, left)] {
                if let Op::Symbol(symbol) = terms.op(side)
                    && matches!(terms.sort(side), Sort::Bits(_))
                {
                    let list = if terms.as_bits(value).is_some() {
                        &mut *constants
                    } else {
                        &mut *others
                    };
                    list.push(Definition { symbol, value });
                    return;
                }
            }
            if let (Op::Concat, Some(value)) = (terms.op(left), terms.as_bits(right)) {
                let children = terms.children(left).to_vec();
                parts(terms, &children, &value, constants);
            }
        }
        _ => {}
    }
}

/// The symbols among the parts of a concatenation that equals `value`.
fn parts(terms: &mut Terms, parts: &[TermId], value: &Bits, constants: &mut Vec<Definition>) {
    let mut low = value.width();
    for &part in parts {
        let width = terms.width(part);
        low -= width;
        if let Op::Symbol(symbol) = terms.op(part) {
            let value = terms.constant_bits(&value.extract(low, width));
            constants.push(Definition { symbol, value });
        }
    }
}

impl Solver for Equalities {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        let Some(reduced) = Self::reduce(terms, query) else {
            return self.tally.answer(Answer::Unsat);
        };
        let Some((&goal, assumptions)) = reduced.clauses.split_first() else {
            let answer = Answer::Sat(Rc::new(reduced.restore(terms, query, &Assignment::default())));
            return self.tally.answer(answer);
        };
        self.tally.below();
        let answer = self.next.check(
            terms,
            &Query {
                assumptions,
                goal,
                bases: query.bases,
                hint: None,
            },
            budget,
        );
        self.tally.back();
        let answer = match answer {
            Answer::Sat(found) if !reduced.eliminated.is_empty() => {
                Answer::Sat(Rc::new(reduced.restore(terms, query, &found)))
            }
            other => other,
        };
        self.tally.hand_up(answer)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        out.push(self.tally.row());
        self.next.stats(out);
    }
}
