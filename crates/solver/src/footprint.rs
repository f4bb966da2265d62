//! Which unknowns a clause depends on, with elements of arrays and bytes of scalars as separate unknowns.
//!
//! An input is usually an array of bytes, or a scalar that the program looks at byte by byte; two clauses that read
//! different bytes of it have nothing to do with each other. A symbol that is used in any other way (an array that is
//! read at a position that is not a constant, stored to, or compared; a scalar that is added) is *whole*: all its parts
//! are one unknown.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::Rc;

use mneme_term::{Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// An element of an array, or a byte of a scalar, the lowest first.
    Part(SymbolId, u64),
    Whole(SymbolId),
}

/// The atoms of a term, sorted, without duplicates.
pub(crate) fn atoms(terms: &Terms, t: TermId) -> Vec<Atom> {
    let symbols = terms.symbols(t);
    if symbols
        .iter()
        .all(|&s| bytes(terms, s).is_none() && !is_array(terms, s))
    {
        return symbols.iter().map(|&s| Atom::Whole(s)).collect();
    }
    let mut atoms = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        match terms.op(t) {
            Op::Symbol(s) => atoms.push(Atom::Whole(s)),
            _ => match parts(terms, t) {
                Some((symbol, parts)) => atoms.extend(parts.map(|part| Atom::Part(symbol, part))),
                None => terms.for_each_child(t, |child| stack.push(child)),
            },
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    let whole: FxHashSet<SymbolId> = atoms
        .iter()
        .filter_map(|a| if let Atom::Whole(s) = a { Some(*s) } else { None })
        .collect();
    atoms.retain(|atom| !matches!(atom, Atom::Part(symbol, _) if whole.contains(symbol)));
    atoms
}

/// Whether `t` depends on something, and on nothing but what `of` depends on.
pub fn depends_only_on(terms: &Terms, t: TermId, of: TermId) -> bool {
    let (mine, theirs) = (atoms(terms, t), atoms(terms, of));
    let is_known = |atom: &Atom| match atom {
        Atom::Part(symbol, _) => theirs.contains(atom) || theirs.contains(&Atom::Whole(*symbol)),
        Atom::Whole(symbol) => {
            theirs.iter().any(|one| match one {
                Atom::Whole(other) | Atom::Part(other, _) => other == symbol,
            }) && !is_array(terms, *symbol)
                || theirs.contains(atom)
        }
    };
    !mine.is_empty() && mine.iter().all(is_known)
}

/// The parts that a term takes from a symbol, if it does nothing else: `array[7]`, or some bits of a scalar.
pub(crate) fn parts(terms: &Terms, t: TermId) -> Option<(SymbolId, RangeInclusive<u64>)> {
    let children = terms.children(t);
    match terms.op(t) {
        Op::Select => {
            let (Op::Symbol(array), Some(index)) = (terms.op(children[0]), terms.as_const(children[1])) else {
                return None;
            };
            Some((array, index..=index))
        }
        Op::Extract { high, low } => {
            let Op::Symbol(scalar) = terms.op(children[0]) else {
                return None;
            };
            bytes(terms, scalar)?;
            Some((scalar, low as u64 / 8..=high as u64 / 8))
        }
        _ => None,
    }
}

/// How many bytes a scalar has, if it is worthwhile to separate them.
pub(crate) fn bytes(terms: &Terms, symbol: SymbolId) -> Option<u32> {
    match terms.symbol_info(symbol).sort {
        Sort::Bits(width) if width > 8 && width % 8 == 0 => Some(width / 8),
        _ => None,
    }
}

fn is_array(terms: &Terms, symbol: SymbolId) -> bool {
    matches!(terms.symbol_info(symbol).sort, Sort::Array { .. })
}

/// The atoms of the clauses seen so far. Cleared when terms are collected.
#[derive(Default)]
pub(crate) struct Footprints {
    known: RefCell<FxHashMap<TermId, Rc<[Atom]>>>,
}

impl Footprints {
    /// More clauses than this are not worth remembering.
    const BOUND: usize = 1 << 17;

    pub fn of(&self, terms: &Terms, t: TermId) -> Rc<[Atom]> {
        let mut known = self.known.borrow_mut();
        if known.len() > Self::BOUND {
            known.clear();
        }
        known.entry(t).or_insert_with(|| atoms(terms, t).into()).clone()
    }

    pub fn forget(&self) {
        self.known.borrow_mut().clear();
    }
}
