//! Which changes of unknowns could make a clause hold.

use mneme_term::{Bits, Evaluator, Op, SymbolId, SymbolKind, TermId, Terms};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::{CHOICES, Change, LAST_CHOICES, Place};

/// Reads clauses under an assignment, and with a value for the variable of a quantifier.
pub struct Reading<'a> {
    /// The whole clause.
    pub clause: TermId,
    pub terms: &'a Terms,
    pub values: Evaluator<'a>,
    /// The variable must not change.
    pub bound: Option<SymbolId>,
    /// Parts that were read already, as they are wanted: clauses share many.
    read: FxHashSet<(TermId, bool)>,
}

impl<'a> Reading<'a> {
    pub fn new(clause: TermId, terms: &'a Terms, values: Evaluator<'a>, bound: Option<SymbolId>) -> Self {
        Reading {
            clause,
            terms,
            values,
            bound,
            read: FxHashSet::default(),
        }
    }

    pub fn holds(&mut self, t: TermId) -> bool {
        self.values.eval_bool(t)
    }

    /// Changes that may make a clause as wanted. They are not checked.
    pub fn changes(&mut self, t: TermId, wanted: bool, out: &mut Vec<Change>) {
        if out.len() >= CHOICES + LAST_CHOICES {
            return;
        }
        let terms = self.terms;
        let children = terms.children(t);
        if is_compound(terms.op(t)) && !self.read.insert((t, wanted)) {
            return;
        }
        match terms.op(t) {
            Op::Not => self.changes(children[0], !wanted, out),
            Op::And | Op::Or if terms.width(t) == 1 => {
                // One that holds is left alone.
                let wrong = children.iter().filter(|&&child| self.values.eval_bool(child) != wanted);
                let wrong: SmallVec<[TermId; 4]> = wrong.copied().collect();
                if wanted != (terms.op(t) == Op::And) {
                    wrong.iter().for_each(|&child| self.changes(child, wanted, out));
                    return;
                }
                if let Some(&first) = wrong.first()
                    && (wrong.len() == 1 || out.len() < CHOICES)
                {
                    self.changes(first, wanted, out);
                }
                if wrong.len() > 1 {
                    out.extend(self.together(&wrong, wanted));
                }
            }
            Op::Ite => {
                let arm = if self.holds(children[0]) { 1 } else { 2 };
                self.changes(children[arm], wanted, out);
            }
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                let (a, b) = (children[0], children[1]);
                let (x, y) = (self.values.eval(a), self.values.eval(b));
                let one = Bits::one(x.width());
                let (above, below) = (Bits::add, Bits::sub);
                let (least, most) = (Bits::zero(x.width()), Bits::ones(x.width()));
                let equal = (y.clone(), x.clone());
                let values = match (terms.op(t), wanted) {
                    (Op::Eq, true) => vec![equal],
                    (Op::Eq, false) => vec![(above(&y, &one), above(&x, &one)), (below(&y, &one), below(&x, &one))],
                    (Op::Ult | Op::Slt, true) => vec![(below(&y, &one), above(&x, &one)), (least, most)],
                    (Op::Ule | Op::Sle, false) => vec![(above(&y, &one), below(&x, &one)), (most, least)],
                    _ => vec![equal, (most, least)],
                };
                for (to_a, to_b) in values {
                    out.extend(self.set(a, to_a));
                    out.extend(self.set(b, to_b));
                }
                if terms.op(t) == Op::Eq && !wanted && out.len() < 2 * CHOICES {
                    self.apart([a, b], out);
                }
            }
            Op::Symbol(_) | Op::Select | Op::Extract { .. } => out.extend(self.set(t, Bits::from_bool(wanted))),
            _ => {}
        }
    }

    /// One change of each comparison, such as of both bytes of a word. `None` if one cannot be changed.
    fn together(&mut self, all: &[TermId], wanted: bool) -> Option<Change> {
        if all.len() > CHOICES || all.iter().any(|&t| is_compound(self.terms.op(t))) {
            return None;
        }
        let mut change = Change::new();
        for &t in all {
            let mut found = Vec::new();
            self.changes(t, wanted, &mut found);
            change.extend(found.into_iter().next()?);
        }
        Some(change)
    }

    /// For sides of an equality that must not hold, the least value that no equality of the clause compares them with.
    fn apart(&mut self, sides: [TermId; 2], out: &mut Vec<Change>) {
        let terms = self.terms;
        for side in sides {
            let mut taken = FxHashSet::default();
            let mut read = FxHashSet::default();
            let mut stack = vec![self.clause];
            while let Some(t) = stack.pop() {
                if !read.insert(t) {
                    continue;
                }
                match (terms.op(t), terms.children(t)) {
                    (Op::Eq, &[a, b]) if a == side => _ = taken.insert(self.values.eval(b)),
                    (Op::Eq, &[a, b]) if b == side => _ = taken.insert(self.values.eval(a)),
                    (Op::Not | Op::And | Op::Or, parts) if terms.width(t) == 1 => stack.extend(parts),
                    _ => {}
                }
            }
            let width = terms.width(side);
            let mut least = (0..=taken.len() as u64).map(|value| Bits::new(width, value));
            let free = least.find(|value| !taken.contains(value));
            out.extend(free.and_then(|value| self.set(side, value)));
        }
    }

    /// What makes a term have a value, if one unknown alone can do it.
    pub fn set(&mut self, t: TermId, value: Bits) -> Option<Change> {
        let terms = self.terms;
        let children = terms.children(t);
        match terms.op(t) {
            Op::Symbol(symbol) => {
                let free = self.bound != Some(symbol) && terms.symbol_info(symbol).kind != SymbolKind::Bound;
                free.then(|| smallvec![(Place::Scalar(symbol), value)])
            }
            Op::Select => {
                let Op::Symbol(array) = terms.op(children[0]) else {
                    return None;
                };
                let at = self.values.eval(children[1]).low_u64();
                Some(smallvec![(Place::Element(array, at), value)])
            }
            Op::Ite => {
                let arm = if self.holds(children[0]) { 1 } else { 2 };
                self.set(children[arm], value)
            }
            Op::Not => self.set(children[0], value.not()),
            Op::ZExt => {
                let narrow = value.extract(0, terms.width(children[0]));
                (narrow.zext(value.width()) == value).then(|| self.set(children[0], narrow))?
            }
            Op::SExt => {
                let narrow = value.extract(0, terms.width(children[0]));
                (narrow.sext(value.width()) == value).then(|| self.set(children[0], narrow))?
            }
            Op::Extract { low, .. } => {
                let width = terms.width(children[0]);
                let mask = Bits::ones(value.width()).zext(width).shl_by(low);
                let rest = self.values.eval(children[0]).and(&mask.not());
                self.set(children[0], rest.or(&value.zext(width).shl_by(low)))
            }
            Op::Concat => {
                let mut all = Change::new();
                let mut low = 0;
                for &part in children.iter().rev() {
                    let width = terms.width(part);
                    let wanted = value.extract(low, width);
                    if self.values.eval(part) != wanted {
                        all.extend(self.set(part, wanted)?);
                    }
                    low += width;
                }
                Some(all)
            }
            Op::Add => {
                let sum = self.values.eval(t);
                let missing = value.sub(&sum);
                children.iter().find_map(|&part| {
                    let now = self.values.eval(part);
                    self.set(part, now.add(&missing))
                })
            }
            Op::Mul => {
                let factor = terms.as_bits(children[1])?;
                let quotient = match factor.bit(0) {
                    true => value.mul(&factor.odd_inverse()),
                    false => value.udiv(&factor),
                };
                (quotient.mul(&factor) == value).then(|| self.set(children[0], quotient))?
            }
            _ => None,
        }
    }
}

fn is_compound(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Not | Op::Ite)
}
