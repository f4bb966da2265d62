//! Queries with universal clauses (thesis §6.4.1): how they are taken apart, and instances of the clauses.

use std::collections::BTreeSet;

use mneme_term::{Assignment, Bits, Op, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::clauses_of;

/// Instances at more places than this are not considered.
const MOST_PLACES: usize = 64;

/// `body` holds for all values of `bound` below `limit`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Universal {
    pub bound: SymbolId,
    pub limit: TermId,
    pub body: TermId,
}

/// A read of an array symbol: the array and the index.
pub type Read = (SymbolId, TermId);

/// An element of an array under an assignment.
pub type Element = (SymbolId, u64);

/// The clauses of a query: q(φ) and qf(φ). A universal clause about a conjunction is one for each of its parts.
#[derive(Clone, Default, Debug)]
pub struct Clauses {
    pub universal: Vec<Universal>,
    pub plain: Vec<TermId>,
}

impl Clauses {
    /// `None` if a quantifier is where none of our methods reaches it.
    pub fn of(terms: &mut Terms, clauses: impl Iterator<Item = TermId>) -> Option<Clauses> {
        let mut found = Clauses::default();
        for clause in clauses {
            for part in clauses_of(terms, clause) {
                found.add(terms, part)?;
            }
        }
        Some(found)
    }

    fn add(&mut self, terms: &mut Terms, clause: TermId) -> Option<()> {
        if !terms.has_forall(clause) {
            self.plain.push(clause);
            return Some(());
        }
        match (terms.op(clause), terms.children(clause).to_vec()) {
            (Op::Forall(bound), children) => {
                let (limit, body) = (children[0], children[1]);
                if terms.has_forall(body) || terms.has_forall(limit) {
                    return None;
                }
                let parts = clauses_of(terms, body).into_iter();
                self.universal
                    .extend(parts.map(|body| Universal { bound, limit, body }));
                Some(())
            }
            (Op::And, children) => children.into_iter().try_for_each(|child| self.add(terms, child)),
            (Op::Not, children) => self.refuse(terms, children[0]),
            (Op::Or, children) => self.any(terms, &children, true),
            _ => None,
        }
    }

    /// The negation of a clause: some value below the limit is a counterexample.
    fn refuse(&mut self, terms: &mut Terms, clause: TermId) -> Option<()> {
        match (terms.op(clause), terms.children(clause).to_vec()) {
            (Op::Forall(bound), children) => {
                let (limit, body) = (children[0], children[1]);
                if terms.has_forall(body) || terms.has_forall(limit) {
                    return None;
                }
                let info = terms.symbol_info(bound).clone();
                let example = terms.symbol_id(Symbol {
                    name: format!("example!{}!{:x}", info.name, terms.structural_hash(clause)),
                    kind: SymbolKind::Fresh,
                    sort: info.sort,
                });
                let (from, to) = (terms.symbol(bound), terms.symbol(example));
                let here = terms.substitute(body, &mut |_, t| (t == from).then_some(to));
                self.plain.push(terms.ult(to, limit));
                self.plain.push(terms.not(here));
                Some(())
            }
            (Op::Not, children) => self.add(terms, children[0]),
            (Op::Or, children) => children
                .into_iter()
                .try_for_each(|child| match terms.has_forall(child) {
                    true => self.refuse(terms, child),
                    false => {
                        self.plain.push(terms.not(child));
                        Some(())
                    }
                }),
            (Op::And, children) => self.any(terms, &children, false),
            _ => None,
        }
    }

    /// One of these holds, or fails. Of several that are quantified, a new symbol says which.
    fn any(&mut self, terms: &mut Terms, parts: &[TermId], holds: bool) -> Option<()> {
        let (quantified, plain): (Vec<_>, Vec<_>) = parts.iter().partition(|&&part| terms.has_forall(part));
        let mut other = terms.fls();
        for part in plain {
            let part = if holds { part } else { terms.not(part) };
            other = terms.or(other, part);
        }
        if let &[only] = &quantified[..] {
            return self.unless(terms, other, only, holds);
        }
        for part in quantified {
            let case = terms.symbol_id(Symbol {
                name: format!("case!{holds}!{:x}", terms.structural_hash(part)),
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(1),
            });
            let case = terms.symbol(case);
            let not = terms.not(case);
            self.unless(terms, not, part, holds)?;
            other = terms.or(other, case);
        }
        self.plain.push(other);
        Some(())
    }

    /// `other`, or a quantified clause: `a or for all i < k: b` is `for all i < (a ? 0 : k): b`.
    fn unless(&mut self, terms: &mut Terms, other: TermId, clause: TermId, holds: bool) -> Option<()> {
        let mut inner = Clauses::default();
        match holds {
            true => inner.add(terms, clause)?,
            false => inner.refuse(terms, clause)?,
        }
        for universal in inner.universal {
            let none = terms.constant(terms.width(universal.limit), 0);
            let limit = terms.ite(other, none, universal.limit);
            self.universal.push(Universal { limit, ..universal });
        }
        { inner.plain.into_iter() }.for_each(|clause| self.plain.push(terms.or(other, clause)));
        Some(())
    }

    /// The clauses that read no array.
    pub fn without_arrays(&self, terms: &Terms) -> Clauses {
        let plain = self.plain.iter().copied().filter(|&clause| !terms.has_array(clause));
        let universal = self.universal.iter().copied();
        Clauses {
            plain: plain.collect(),
            universal: universal
                .filter(|u| !terms.has_array(u.body) && !terms.has_array(u.limit))
                .collect(),
        }
    }

    /// The plain clauses, and instances of the others at the first place, the last, and where they say something about
    /// the plain ones.
    pub fn instantiated(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut out = self.plain.clone();
        for u in &self.universal {
            let (first, one) = (u.number(terms, 0), u.number(terms, 1));
            let last = terms.sub(u.limit, one);
            let mut places = u.places(terms, &self.plain);
            places.extend([first, last]);
            out.extend(places.into_iter().map(|t| u.instance(terms, t)));
        }
        out
    }

    pub fn all(&self, terms: &mut Terms) -> Vec<TermId> {
        let universal = self.universal.iter().map(|u| terms.forall(u.bound, u.limit, u.body));
        let universal: Vec<TermId> = universal.collect();
        self.plain.iter().copied().chain(universal).collect()
    }

    /// qarrays(φ): arrays that are read at a place that depends on a bound variable.
    pub fn arrays(&self, terms: &Terms) -> BTreeSet<SymbolId> {
        let of = |u: &Universal| u.reads(terms).into_iter().map(|(array, _)| array);
        self.universal.iter().flat_map(of).collect()
    }
}

impl Universal {
    /// vreads(ψ, i): the reads whose index contains the variable.
    pub fn reads(&self, terms: &Terms) -> Vec<Read> {
        let mut reads = reads(terms, self.body);
        reads.retain(|(_, index)| terms.symbols(*index).contains(&self.bound));
        reads
    }

    /// The variable, as wide as indices are.
    fn variable(&self, terms: &mut Terms, width: u32) -> TermId {
        let variable = terms.symbol(self.bound);
        terms.resize_zext(variable, width)
    }

    /// `t < limit`, where t may be wider.
    pub fn within(&self, terms: &mut Terms, t: TermId) -> TermId {
        let limit = terms.resize_zext(self.limit, terms.width(t));
        terms.ult(t, limit)
    }

    /// ψ[t/i], where t may be wider than the variable: it says what it should where t is below the limit.
    pub fn body_at(&self, terms: &mut Terms, t: TermId) -> TermId {
        let variable = terms.symbol(self.bound);
        let own = terms.width(variable);
        let wide = terms.resize_zext(variable, terms.width(t));
        let narrow = terms.resize_zext(t, own);
        let map: FxHashMap<TermId, TermId> = [(wide, t), (variable, narrow)].into_iter().collect();
        terms.substitute_map(self.body, &map)
    }

    /// `t < limit → ψ[t/i]`.
    pub fn instance(&self, terms: &mut Terms, t: TermId) -> TermId {
        let within = self.within(terms, t);
        let body = self.body_at(terms, t);
        terms.implies(within, body)
    }

    pub fn number(&self, terms: &mut Terms, n: u64) -> TermId {
        let width = terms.width(self.limit);
        terms.constant(width, n)
    }

    /// Places at which an instance may say something about the plain clauses: where it reads what they read, and where
    /// it says that the variable is something else.
    pub fn places(&self, terms: &mut Terms, plain: &[TermId]) -> Vec<TermId> {
        let mut places = Vec::new();
        let own = self.reads(terms);
        let mut elsewhere: Vec<Read> = Vec::new();
        let mut seen = FxHashSet::default();
        for &clause in plain {
            let here = reads(terms, clause).into_iter();
            elsewhere.extend(here.filter(|read| own.iter().any(|(array, _)| *array == read.0) && seen.insert(*read)));
        }
        for (array, index) in own {
            let width = terms.width(index);
            let variable = self.variable(terms, width);
            let offset = terms.sub(index, variable);
            if terms.symbols(offset).contains(&self.bound) {
                continue;
            }
            for &(other, at) in elsewhere.iter().filter(|(other, _)| *other == array) {
                debug_assert_eq!(other, array);
                places.push(terms.sub(at, offset));
            }
        }
        places.extend(self.excluded(terms));
        places.retain(|&t| !self.is_beyond(terms, t));
        let mut known = FxHashSet::default();
        places.retain(|t| known.insert(*t));
        places.truncate(MOST_PLACES);
        places
    }

    /// Numbers that the body compares the variable with.
    fn excluded(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![self.body];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) || !terms.symbols(t).contains(&self.bound) {
                continue;
            }
            terms.for_each_child(t, |child| stack.push(child));
            if let (Op::Eq, &[a, b]) = (terms.op(t), terms.children(t))
                && matches!(terms.sort(a), Sort::Bits(width) if width >= terms.width(self.limit))
            {
                let variable = self.variable(terms, terms.width(a));
                for (one, other) in [(a, b), (b, a)] {
                    let rest = terms.sub(one, variable);
                    if !terms.symbols(rest).contains(&self.bound) && !terms.symbols(other).contains(&self.bound) {
                        out.push(terms.sub(other, rest));
                    }
                }
            }
        }
        out
    }

    /// Is a place surely not below the limit, because it is the limit and something?
    fn is_beyond(&self, terms: &mut Terms, t: TermId) -> bool {
        let width = terms.width(t);
        let limit = terms.resize_zext(self.limit, width);
        let past = terms.sub(t, limit);
        terms.as_const(past).is_some_and(|past| past < 1 << (width - 1).min(62)) && width > terms.width(self.limit)
    }
}

/// The reads of array symbols in a term.
pub fn reads(terms: &Terms, t: TermId) -> Vec<Read> {
    let mut out = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let (Op::Select, &[array, index]) = (terms.op(t), terms.children(t))
            && let Op::Symbol(array) = terms.op(array)
        {
            out.push((array, index));
        }
        terms.for_each_child(t, |child| stack.push(child));
    }
    out
}

/// An assignment under which terms are evaluated, with a value for a bound variable.
pub struct With<'a> {
    pub terms: &'a Terms,
    pub values: Assignment,
}

impl With<'_> {
    pub fn bind(&mut self, u: &Universal, n: u64) {
        let width = self.terms.width(u.limit);
        self.values.values.insert(u.bound, Bits::new(width, n));
    }

    pub fn number(&self, t: TermId) -> u64 {
        self.terms.eval_u64(t, &self.values.with_addresses(&|_| 0))
    }

    pub fn holds(&self, t: TermId) -> bool {
        self.number(t) == 1
    }

    pub fn cells<'b>(&'b self, reads: &'b [Read]) -> impl Iterator<Item = Element> + 'b {
        reads.iter().map(|&(array, index)| (array, self.number(index)))
    }
}
