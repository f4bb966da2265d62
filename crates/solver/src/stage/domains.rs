//! Queries about one scalar: each clause allows a set of values, and the query is satisfiable if the sets have a value
//! in common.
//!
//! After independence, substitution and splitting, most queries of C programs are of this kind: a character is in a
//! range, a counter below its bound. The set of a clause is computed once. Comparisons of the symbol, of a sum with a
//! constant, and of extensions with constants are read off the term, at any width up to 64; for a byte, any other
//! clause is tried on all 256 values. The rest is passed on, unless the clauses about the goal's symbol alone refute
//! it.

use std::cell::Cell;
use std::rc::Rc;

use mneme_term::{Assignment, Bits, Op, Sort, SymbolId, TermId, Terms, Tracer};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Next;
use crate::intervals::Intervals;
use crate::solver::Tally;
use crate::{Answer, Budget, Query, Solver, Stage};

pub struct Domains {
    next: Next,
    /// What the clauses seen so far allow; `None` where that is not known.
    known: FxHashMap<TermId, Option<Rc<Intervals>>>,
    /// Set when terms are collected: `known` names clauses that may be gone.
    stale: Cell<bool>,
    tally: Tally,
}

impl Domains {
    const BOUND: usize = 1 << 16;
    /// Terms with more nodes are not tried on all values.
    const NODES: usize = 64;
    /// How deep connectives may nest.
    const DEPTH: usize = 16;

    /// A chain can have several of these, distinguished by name.
    pub fn new(next: Next, name: &'static str) -> Self {
        Domains {
            next,
            known: FxHashMap::default(),
            stale: Cell::new(false),
            tally: Tally::new(name),
        }
    }

    /// `None` if the query does not suit this stage.
    fn decide(&mut self, terms: &Terms, query: &Query) -> Option<Answer> {
        let &[symbol] = terms.symbols(query.goal) else {
            return None;
        };
        let Sort::Bits(width @ 1..=64) = terms.symbol_info(symbol).sort else {
            return None;
        };
        let fits = |clause| terms.symbols(clause) == [symbol] && !terms.has_base(clause);
        if !fits(query.goal) {
            return None;
        }
        if self.stale.take() || self.known.len() > Self::BOUND {
            self.known.clear();
        }
        let mut left = Intervals::full(width);
        let mut complete = true;
        for clause in query.clauses() {
            let allowed = match fits(clause) {
                true => self.known.entry(clause).or_insert_with(|| {
                    let allowed = values(terms, clause, symbol, Self::DEPTH);
                    allowed.map(Rc::new)
                }),
                false => &None,
            };
            match allowed {
                Some(allowed) => left = left.intersect(allowed),
                None => complete = false,
            }
        }
        match left.first() {
            None => Some(Answer::Unsat),
            Some(value) if complete => {
                let mut found = Assignment::default();
                found.values.insert(symbol, Bits::new(width, value));
                Some(Answer::Sat(Rc::new(found)))
            }
            Some(_) => None,
        }
    }
}

/// The values of `symbol`, the only one of the clause, for which the clause holds.
fn values(terms: &Terms, clause: TermId, symbol: SymbolId, depth: usize) -> Option<Intervals> {
    let read = depth
        .checked_sub(1)
        .and_then(|depth| read(terms, clause, symbol, depth));
    read.or_else(|| tried(terms, clause, symbol))
}

fn read(terms: &Terms, clause: TermId, symbol: SymbolId, depth: usize) -> Option<Intervals> {
    let children = terms.children(clause);
    let mut of_children = children.iter().map(|&child| values(terms, child, symbol, depth));
    match terms.op(clause) {
        Op::Const => Some(constant(terms, clause, symbol)),
        Op::Not => Some(of_children.next()??.complement()),
        Op::And => of_children.reduce(|a, b| Some(a?.intersect(&b?)))?,
        Op::Or => of_children.reduce(|a, b| Some(a?.union(&b?)))?,
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => comparison(terms, clause, symbol),
        _ => None,
    }
}

fn constant(terms: &Terms, clause: TermId, symbol: SymbolId) -> Intervals {
    let full = Intervals::full(width(terms, symbol));
    if terms.is_true(clause) { full } else { full.complement() }
}

fn comparison(terms: &Terms, clause: TermId, symbol: SymbolId) -> Option<Intervals> {
    let (left, right) = (terms.children(clause)[0], terms.children(clause)[1]);
    let width = terms.width(left);
    if width > 64 {
        return None;
    }
    let op = terms.op(clause);
    let (side, allowed) = match (terms.as_const(left), terms.as_const(right)) {
        (None, Some(bound)) => {
            let allowed = match op {
                Op::Eq => Intervals::range(width, bound, bound),
                Op::Ult => Intervals::below(width, bound),
                Op::Ule => Intervals::above(width, bound).complement(),
                Op::Slt => Intervals::signed_below(width, bound),
                _ => Intervals::signed_above(width, bound).complement(),
            };
            (left, allowed)
        }
        (Some(bound), None) => {
            let allowed = match op {
                Op::Eq => Intervals::range(width, bound, bound),
                Op::Ult => Intervals::above(width, bound),
                Op::Ule => Intervals::below(width, bound).complement(),
                Op::Slt => Intervals::signed_above(width, bound),
                _ => Intervals::signed_below(width, bound).complement(),
            };
            (right, allowed)
        }
        _ => return None,
    };
    preimage(terms, side, symbol, allowed)
}

/// The values of `symbol` for which `t` is in `set`.
fn preimage(terms: &Terms, t: TermId, symbol: SymbolId, set: Intervals) -> Option<Intervals> {
    let children = terms.children(t);
    match (terms.op(t), children) {
        (Op::Symbol(s), _) => (s == symbol).then_some(set),
        (Op::Not, &[of]) => preimage(terms, of, symbol, set.inverted()),
        (Op::Add, &[of, addend]) => {
            let addend = terms.as_const(addend)?;
            preimage(terms, of, symbol, set.shifted(addend.wrapping_neg()))
        }
        (Op::ZExt, &[of]) => preimage(terms, of, symbol, set.narrowed(terms.width(of))),
        (Op::SExt, &[of]) => preimage(terms, of, symbol, set.signed_narrowed(terms.width(of))),
        _ => None,
    }
}

/// All values of a byte, one after the other.
fn tried(terms: &Terms, clause: TermId, symbol: SymbolId) -> Option<Intervals> {
    let width = width(terms, symbol);
    if width > 8 || !is_small(terms, clause) {
        return None;
    }
    let mut model = Assignment::default();
    let holds = (0..1u64 << width).filter(|&value| {
        model.values.insert(symbol, Bits::new(width, value));
        terms.eval_bool(clause, &model.with_addresses(&|_| 0))
    });
    Some(Intervals::of(width, holds))
}

fn is_small(terms: &Terms, t: TermId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if matches!(terms.op(t), Op::Forall(_) | Op::Apply(_)) || seen.len() > Domains::NODES {
            return false;
        }
        if seen.insert(t) {
            terms.for_each_child(t, |child| stack.push(child));
        }
    }
    true
}

fn width(terms: &Terms, symbol: SymbolId) -> u32 {
    let Sort::Bits(width) = terms.symbol_info(symbol).sort else {
        unreachable!("domains are of scalars")
    };
    width
}

impl Solver for Domains {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.tally.enter();
        if let Some(answer) = self.decide(terms, query) {
            return self.tally.answer(answer);
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
