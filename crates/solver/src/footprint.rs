//! Which unknowns a clause depends on, with array elements told apart.
//!
//! An input is usually an array of bytes; two clauses that read different bytes of it have nothing to do with each other. An array
//! that is read at a position that is not a constant, stored to, or compared is *whole*: all its elements are one unknown.

use std::cell::RefCell;
use std::rc::Rc;

use mneme_term::{Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Atom {
    Scalar(SymbolId),
    Element(SymbolId, u64),
    Whole(SymbolId),
}

/// The atoms of a term, sorted, without duplicates.
pub(crate) fn atoms(terms: &Terms, t: TermId) -> Vec<Atom> {
    let symbols = terms.symbols(t);
    let is_scalar = |s: &SymbolId| matches!(terms.symbol_info(*s).sort, Sort::Bits(_));
    if symbols.iter().all(is_scalar) {
        return symbols.iter().map(|&s| Atom::Scalar(s)).collect();
    }
    let mut atoms = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![t];
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        match terms.op(t) {
            Op::Symbol(s) if is_scalar(&s) => atoms.push(Atom::Scalar(s)),
            Op::Symbol(s) => atoms.push(Atom::Whole(s)),
            _ => match element(terms, t) {
                Some((array, index)) => atoms.push(Atom::Element(array, index)),
                None => terms.for_each_child(t, |child| stack.push(child)),
            },
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    let whole: Vec<SymbolId> = atoms
        .iter()
        .filter_map(|a| if let Atom::Whole(s) = a { Some(*s) } else { None })
        .collect();
    atoms.retain(|atom| !matches!(atom, Atom::Element(array, _) if whole.contains(array)));
    atoms
}

/// `array[index]` of an array symbol at a constant position.
pub(crate) fn element(terms: &Terms, t: TermId) -> Option<(SymbolId, u64)> {
    if !matches!(terms.op(t), Op::Select) {
        return None;
    }
    let children = terms.children(t);
    match (terms.op(children[0]), terms.as_const(children[1])) {
        (Op::Symbol(array), Some(index)) => Some((array, index)),
        _ => None,
    }
}

/// The atoms of the clauses seen so far. Forgets all of them when terms are collected.
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
