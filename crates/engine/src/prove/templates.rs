//! What may hold at the head of a loop: comparisons of the holes with each other and with constants, built from
//! examples. They are guesses; the solver decides which of them are kept.

use mneme_term::{TermId, Terms, sign_extend, truncate};
use std::collections::BTreeSet;

/// A number that guesses are about.
pub(super) struct Atom {
    pub term: TermId,
    pub width: u32,
    /// Its values in some states.
    pub samples: Vec<u64>,
}

/// Beyond this many atoms, only few are compared with each other.
const RELATED: usize = 14;
/// The most constants that one atom is compared with.
const THRESHOLDS: usize = 40;
/// A number that was always one of so few values may be one of them for ever.
const FEW: usize = 4;

struct Guesses<'a> {
    terms: &'a mut Terms,
    out: Vec<TermId>,
}

impl Guesses<'_> {
    fn push(&mut self, guess: TermId) {
        if !self.terms.is_true(guess) && !self.terms.is_false(guess) && !self.out.contains(&guess) {
            self.out.push(guess);
        }
    }

    fn bounds(&mut self, atom: &Atom, thresholds: &[u64]) {
        let w = atom.width;
        let signed = |n: u64| sign_extend(n, w);
        let (low, high) = (
            atom.samples.iter().map(|&n| signed(n)).min().unwrap_or(0),
            atom.samples.iter().map(|&n| signed(n)).max().unwrap_or(0),
        );
        let most = atom.samples.iter().copied().max().unwrap_or(0);
        for &n in thresholds.iter().take(THRESHOLDS) {
            let n = truncate(n, w);
            let constant = self.terms.constant(w, n);
            if signed(n) <= low {
                let guess = self.terms.sle(constant, atom.term);
                self.push(guess);
            }
            if signed(n) >= high {
                let guess = self.terms.sle(atom.term, constant);
                self.push(guess);
            }
            if n >= most {
                let guess = self.terms.ule(atom.term, constant);
                self.push(guess);
            }
            if n <= 1 && !atom.samples.contains(&n) {
                let guess = self.terms.ne(atom.term, constant);
                self.push(guess);
            }
        }
    }

    fn one_of_few(&mut self, atom: &Atom) {
        let values: BTreeSet<u64> = atom.samples.iter().copied().collect();
        if values.is_empty() || values.len() > FEW {
            return;
        }
        let mut any = self.terms.fls();
        for value in values {
            let is_it = self.is_value(atom, value);
            any = self.terms.or(any, is_it);
        }
        self.push(any);
    }

    fn is_value(&mut self, atom: &Atom, value: u64) -> TermId {
        let constant = self.terms.constant(atom.width, value);
        self.terms.eq(atom.term, constant)
    }

    /// Bits among the lowest that are the same in all samples.
    fn low_bits(&mut self, atom: &Atom) {
        let Some(&first) = atom.samples.first() else { return };
        let changes = atom.samples.iter().fold(0, |all, n| all | (n ^ first));
        for lowest in [0xf, 3, 1] {
            let mask = truncate(!changes & lowest, atom.width);
            if mask != 0 && atom.width > 8 {
                let (bits, value) = (
                    self.terms.constant(atom.width, mask),
                    self.terms.constant(atom.width, first & mask),
                );
                let masked = self.terms.and(atom.term, bits);
                let guess = self.terms.eq(masked, value);
                self.push(guess);
            }
        }
    }

    /// How two atoms of one width compare, and whether one is a multiple of the other plus a constant.
    fn pair(&mut self, one: &Atom, other: &Atom) -> Vec<TermId> {
        let w = one.width;
        let signed = |n: u64| sign_extend(n, w);
        let both = || one.samples.iter().copied().zip(other.samples.iter().copied());
        let mut found = Vec::new();
        let difference = self.terms.sub(one.term, other.term);
        if let Some((a, b)) = both().next() {
            let constant = truncate(a.wrapping_sub(b), w);
            if both().all(|(a, b)| truncate(a.wrapping_sub(b), w) == constant) {
                let constant = self.terms.constant(w, constant);
                found.push(self.terms.eq(difference, constant));
            }
            let sum = truncate(a.wrapping_add(b), w);
            if both().all(|(a, b)| truncate(a.wrapping_add(b), w) == sum) {
                let (left, right) = (self.terms.add(one.term, other.term), self.terms.constant(w, sum));
                found.push(self.terms.eq(left, right));
            }
        }
        if both().all(|(a, b)| signed(a) <= signed(b)) {
            found.push(self.terms.sle(one.term, other.term));
        }
        if both().all(|(a, b)| signed(a) < signed(b)) {
            found.push(self.terms.slt(one.term, other.term));
        }
        if both().all(|(a, b)| a <= b) {
            found.push(self.terms.ule(one.term, other.term));
        }
        if both().all(|(a, b)| a < b) {
            found.push(self.terms.ult(one.term, other.term));
        }
        if both().all(|(a, b)| signed(a) <= signed(b).saturating_add(1)) {
            let step = self.terms.constant(w, 1);
            let next = self.terms.add(other.term, step);
            found.push(self.terms.sle(one.term, next));
        }
        found.extend(self.multiple(one, other));
        found
    }

    fn multiple(&mut self, one: &Atom, other: &Atom) -> Option<TermId> {
        let w = one.width;
        let points: Vec<(i64, i64)> = { one.samples.iter().zip(&other.samples) }
            .map(|(&a, &b)| (sign_extend(a, w), sign_extend(b, w)))
            .collect();
        let (a, b) = *points.first()?;
        let (c, d) = *points.iter().find(|(_, d)| *d != b)?;
        let (rise, run) = (c.checked_sub(a)?, d.checked_sub(b)?);
        if rise % run != 0 || rise / run == 1 || (rise / run).unsigned_abs() > 64 {
            return None;
        }
        let factor = rise / run;
        let rest = a.wrapping_sub(factor.wrapping_mul(b));
        let fits = |&(a, b): &(i64, i64)| {
            truncate(a.wrapping_sub(factor.wrapping_mul(b)) as u64, w) == truncate(rest as u64, w)
        };
        if !points.iter().all(fits) {
            return None;
        }
        let (factor, rest) = (
            self.terms.constant(w, truncate(factor as u64, w)),
            self.terms.constant(w, truncate(rest as u64, w)),
        );
        let scaled = self.terms.mul(factor, other.term);
        let right = self.terms.add(scaled, rest);
        Some(self.terms.eq(one.term, right))
    }

    /// How the sum of two atoms compares with a third one.
    fn triples(&mut self, atoms: &[&Atom]) {
        for (index, one) in atoms.iter().enumerate() {
            for other in &atoms[index + 1..] {
                for third in atoms {
                    let widths = one.width == other.width && one.width == third.width;
                    if widths && third.term != one.term && third.term != other.term {
                        self.triple(one, other, third);
                    }
                }
            }
        }
    }

    fn triple(&mut self, one: &Atom, other: &Atom, third: &Atom) {
        let w = one.width;
        let signed = |n: u64| sign_extend(n, w);
        let count = one.samples.len();
        let sum = |n: usize| truncate(one.samples[n].wrapping_add(other.samples[n]), w);
        let left = self.terms.add(one.term, other.term);
        let rest = |n: usize| truncate(sum(n).wrapping_sub(third.samples[n]), w);
        if count > 1 && (1..count).all(|n| rest(n) == rest(0)) {
            let (distance, constant) = (self.terms.sub(left, third.term), self.terms.constant(w, rest(0)));
            let guess = self.terms.eq(distance, constant);
            self.push(guess);
        }
        if (0..count).all(|n| signed(third.samples[n]) <= signed(sum(n))) {
            let guess = self.terms.sle(third.term, left);
            self.push(guess);
        }
        if (0..count).all(|n| signed(sum(n)) <= signed(third.samples[n])) {
            let guess = self.terms.sle(left, third.term);
            self.push(guess);
        }
    }
}

/// What holds in all samples. `thresholds` are constants worth comparing with.
pub(super) fn guesses(terms: &mut Terms, atoms: &[Atom], thresholds: &BTreeSet<u64>) -> Vec<TermId> {
    let mut all = Guesses { terms, out: Vec::new() };
    for atom in atoms {
        all.one_of_few(atom);
        let mut near = atom.samples.clone();
        near.extend(thresholds.iter().filter(|n| !atom.samples.contains(n)));
        all.bounds(atom, &near);
        all.low_bits(atom);
    }
    // Those that change come first.
    let changes = |atom: &&Atom| atom.samples.iter().any(|n| *n != atom.samples[0]);
    let mut related: Vec<&Atom> = atoms.iter().filter(changes).collect();
    related.extend(atoms.iter().filter(|atom| !changes(atom)));
    related.truncate(RELATED);
    for (index, one) in related.iter().enumerate() {
        for other in related.iter().take(index).chain(&related[index + 1..]) {
            if one.width == other.width {
                for guess in all.pair(one, other) {
                    all.push(guess);
                }
            }
        }
    }
    related.truncate(RELATED / 2);
    all.triples(&related);
    flagged(&mut all, atoms, &related);
    all.out
}

/// What holds while a number has a certain value, for numbers that have few.
fn flagged(all: &mut Guesses, atoms: &[Atom], related: &[&Atom]) {
    for flag in atoms {
        let values: BTreeSet<u64> = flag.samples.iter().copied().collect();
        if values.len() < 2 || values.len() > FEW {
            continue;
        }
        for value in values {
            let with = |atom: &Atom| {
                let picked = atom.samples.iter().zip(&flag.samples).filter(|(_, own)| **own == value);
                Atom {
                    samples: picked.map(|(n, _)| *n).collect(),
                    ..*atom
                }
            };
            let inside: Vec<Atom> = related
                .iter()
                .filter(|atom| atom.term != flag.term)
                .map(|atom| with(atom))
                .collect();
            let is_it = all.is_value(flag, value);
            for (index, one) in inside.iter().enumerate() {
                let mut found = Vec::new();
                if one.samples.iter().all(|n| *n == one.samples[0]) {
                    found.push(all.is_value(one, one.samples[0]));
                }
                for other in inside.iter().skip(index + 1).filter(|other| other.width == one.width) {
                    found.extend(all.pair(one, other));
                }
                for guess in found {
                    let guess = all.terms.implies(is_it, guess);
                    all.push(guess);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_term::{Sort, Symbol, SymbolKind};

    #[test]
    fn a_line_through_two_samples_is_a_guess() {
        let mut terms = Terms::new(64);
        let mut atom = |name: &str, samples: &[u64]| {
            let symbol = terms.symbol_id(Symbol {
                name: name.into(),
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(32),
            });
            Atom {
                term: terms.symbol(symbol),
                width: 32,
                samples: samples.to_vec(),
            }
        };
        let atoms = [atom("sum", &[0, 2]), atom("i", &[1, 2])];
        let found = guesses(&mut terms, &atoms, &BTreeSet::new());
        let (two, rest) = (terms.constant(32, 2), terms.constant(32, u64::from(u32::MAX - 1)));
        let twice = terms.mul(two, atoms[1].term);
        let line = terms.add(twice, rest);
        let expected = terms.eq(atoms[0].term, line);
        assert!(found.contains(&expected));
    }
}
