//! Terms that are the same but for numbers (thesis §6.2.1 and §6.2.3): a hash that forgets constants, and the term in a
//! variable of which given terms are instances.
//!
//! Building a term simplifies it, so that instances of one formula need not look alike: `n > 0` is `n != 0`, and `s[k +
//! 0]` is `s[k]`. Hence terms are read in a form in which they do. Every number of more than one bit is a sum with a
//! constant, which may be 0. If some number is compared by order anywhere in the tree, then `t = 0` is read as `t < 1`,
//! also where it is written `a = b` because t is `a - b`. Operands whose order is the arena's are sorted by their hash.
//!
//! Reading may be wrong only in finding too little: what [`Shapes::general`] finds is substituted back and compared
//! with the instances.

use mneme_term::{Op, SymbolId, TermId, Terms, truncate};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Terms of more nodes, written out, are not looked into.
const LARGEST: u32 = 1 << 12;

/// What is remembered about the terms of one execution tree.
#[derive(Default)]
pub struct Shapes {
    forget: Forget,
    hashes: FxHashMap<TermId, u64>,
    /// Hashes of what is compared by order with a constant.
    ordered: FxHashSet<u64>,
}

/// Which constants terms may differ in.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Forget {
    /// Those of more than 8 bits. Bytes are characters: `c == ' '` and `c == ':'` are different conditions.
    Wide,
    #[default]
    All,
}

/// A term as it is read.
enum Reading {
    /// What does not change. `true` and `false` as well.
    Leaf,
    /// The summands that are no constants, and the constant.
    Sum(Vec<TermId>, u64),
    /// `a < b`, however it is written.
    Below(TermId, TermId),
    /// The operation of the term itself.
    Node,
}

impl Shapes {
    /// For the conditions of one tree.
    pub fn of(terms: &mut Terms, conditions: &[TermId], forget: Forget) -> Shapes {
        let mut shapes = Shapes {
            forget,
            ..Shapes::default()
        };
        let mut compared = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = conditions.to_vec();
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let (Op::Ult, &[a, b]) = (terms.op(t), terms.children(t)) {
                compared.extend(
                    [(a, b), (b, a)]
                        .into_iter()
                        .filter(|&(one, _)| terms.as_const(one).is_some()),
                );
            }
            terms.for_each_child(t, |child| stack.push(child));
        }
        let ordered = compared.iter().map(|&(_, t)| shapes.hash(terms, t)).collect();
        // Now `t = 0` reads differently.
        Shapes {
            forget,
            ordered,
            ..Shapes::default()
        }
    }

    /// Equal for terms that differ in constants only.
    pub fn hash(&mut self, terms: &mut Terms, t: TermId) -> u64 {
        if let Some(&known) = self.hashes.get(&t) {
            return known;
        }
        let mut hasher = FxHasher::default();
        let sort = terms.sort(t);
        sort.hash(&mut hasher);
        match self.read(terms, t) {
            Reading::Leaf => (0, terms.structural_hash(t)).hash(&mut hasher),
            Reading::Sum(parts, _) => {
                1.hash(&mut hasher);
                let mut hashes: Vec<u64> = parts.iter().map(|&part| self.hash_node(terms, part)).collect();
                hashes.sort_unstable();
                hashes.hash(&mut hasher);
            }
            Reading::Below(a, b) => (2, self.hash(terms, a), self.hash(terms, b)).hash(&mut hasher),
            Reading::Node => self.hash_node(terms, t).hash(&mut hasher),
        }
        let hash = hasher.finish();
        self.hashes.insert(t, hash);
        hash
    }

    /// The hash of an operation and its operands.
    fn hash_node(&mut self, terms: &mut Terms, t: TermId) -> u64 {
        let children = terms.children(t).to_vec();
        let op = terms.op(t);
        let mut hasher = FxHasher::default();
        if children.is_empty() {
            return terms.structural_hash(t);
        }
        op.hash(&mut hasher);
        let mut hashes: Vec<u64> = children.iter().map(|&child| self.hash(terms, child)).collect();
        if is_commutative(op) {
            hashes.sort_unstable();
        }
        hashes.hash(&mut hasher);
        hasher.finish()
    }

    fn read(&mut self, terms: &mut Terms, t: TermId) -> Reading {
        if terms.depth_or_size(t) > LARGEST {
            return Reading::Leaf;
        }
        let op = terms.op(t);
        match (op, terms.width(t)) {
            (Op::Const, 2..=8) if self.forget == Forget::Wide => Reading::Leaf,
            (_, 2..=8) if self.forget == Forget::Wide => Reading::Node,
            (Op::Const, 2..=64) => Reading::Sum(Vec::new(), terms.as_const(t).expect("of at most 64 bits")),
            (Op::Const | Op::Symbol(_) | Op::Base(_), 0..=1) => Reading::Leaf,
            (Op::Const, _) => Reading::Leaf,
            (Op::Eq, _) => self.zero(terms, t).map_or(Reading::Node, |number| {
                let one = terms.constant(terms.width(number), 1);
                Reading::Below(number, one)
            }),
            (Op::Not, 1) => {
                let inner = terms.children(t)[0];
                match terms.op(inner) == Op::Eq {
                    true => self.zero(terms, inner).map_or(Reading::Node, |number| {
                        let zero = terms.constant(terms.width(number), 0);
                        Reading::Below(zero, number)
                    }),
                    false => Reading::Node,
                }
            }
            (Op::Ult, _) => Reading::Below(terms.children(t)[0], terms.children(t)[1]),
            (Op::Add, 2..=64) => {
                let (constants, parts): (Vec<_>, Vec<_>) =
                    { terms.children(t).iter().copied() }.partition(|&part| terms.as_const(part).is_some());
                let constant = constants.iter().map(|&c| terms.as_const(c).expect("just seen")).sum();
                Reading::Sum(parts, constant)
            }
            (_, 2..=64) if !is_array(terms, t) => Reading::Sum(vec![t], 0),
            _ => Reading::Node,
        }
    }

    /// If an equality says that a number is 0 which is compared by order elsewhere: that number.
    fn zero(&mut self, terms: &mut Terms, equality: TermId) -> Option<TermId> {
        if self.ordered.is_empty() {
            return None;
        }
        let &[a, b] = terms.children(equality) else {
            return None;
        };
        if !(2..=64).contains(&terms.width(a)) || is_array(terms, a) {
            return None;
        }
        let numbers = [(a, b), (b, a)];
        numbers.into_iter().find_map(|(a, b)| {
            let number = terms.sub(a, b);
            let hash = self.hash(terms, number);
            self.ordered.contains(&hash).then_some(number)
        })
    }

    /// The operands in an order that instances share.
    fn sorted(&mut self, terms: &mut Terms, parts: &mut [TermId]) {
        let mut keyed: Vec<(u64, Vec<u64>, TermId)> = parts
            .iter()
            .map(|&part| (self.hash(terms, part), self.constants(terms, part), part))
            .collect();
        keyed.sort_by(|(hash, numbers, _), (other, others, _)| (hash, numbers).cmp(&(other, others)));
        for (to, (_, _, part)) in parts.iter_mut().zip(keyed) {
            *to = part;
        }
    }

    /// The constants of a small term, in the order in which they are read, to tell operands of one shape apart.
    fn constants(&mut self, terms: &mut Terms, t: TermId) -> Vec<u64> {
        let mut out = Vec::new();
        let mut stack = vec![t];
        let mut left = 64;
        while let Some(t) = stack.pop() {
            left -= 1;
            if left == 0 {
                break;
            }
            out.extend(terms.as_const(t));
            stack.extend(terms.children(t).iter().rev());
        }
        out
    }
}

/// Finds the term of which some terms are instances.
pub struct General<'a> {
    pub shapes: &'a mut Shapes,
    /// The numbers that the variable has in them.
    pub at: &'a [u64],
    /// The variable, 64 bits wide.
    pub variable: TermId,
    known: FxHashMap<Vec<TermId>, Option<TermId>>,
}

impl<'a> General<'a> {
    pub fn new(shapes: &'a mut Shapes, at: &'a [u64], variable: TermId) -> Self {
        General {
            shapes,
            at,
            variable,
            known: FxHashMap::default(),
        }
    }

    /// The term that is `instances[l]` where the variable is `at[l]`. The caller checks that it is.
    pub fn of(&mut self, terms: &mut Terms, instances: &[TermId]) -> Option<TermId> {
        if instances.iter().all(|&instance| instance == instances[0]) {
            return Some(instances[0]);
        }
        if let Some(&known) = self.known.get(instances) {
            return known;
        }
        let found = self.find(terms, instances);
        self.known.insert(instances.to_vec(), found);
        found
    }

    fn find(&mut self, terms: &mut Terms, instances: &[TermId]) -> Option<TermId> {
        let hash = self.shapes.hash(terms, instances[0]);
        let mut sums = Vec::new();
        let mut pairs = Vec::new();
        for &instance in instances {
            if self.shapes.hash(terms, instance) != hash {
                return None;
            }
            match self.shapes.read(terms, instance) {
                Reading::Leaf => return None,
                Reading::Sum(mut parts, constant) => {
                    self.shapes.sorted(terms, &mut parts);
                    sums.push((parts, constant));
                }
                Reading::Below(a, b) => pairs.push((a, b)),
                Reading::Node => {}
            }
        }
        if sums.len() == instances.len() {
            return self.sum(terms, terms.width(instances[0]), &sums);
        }
        if pairs.len() == instances.len() {
            let (one, other): (Vec<TermId>, Vec<TermId>) = pairs.into_iter().unzip();
            let (a, b) = (self.of(terms, &one)?, self.of(terms, &other)?);
            return Some(terms.ult(a, b));
        }
        match sums.is_empty() && pairs.is_empty() {
            true => self.node(terms, instances),
            false => None,
        }
    }

    fn sum(&mut self, terms: &mut Terms, width: u32, sums: &[(Vec<TermId>, u64)]) -> Option<TermId> {
        let count = sums[0].0.len();
        if sums.iter().any(|(parts, _)| parts.len() != count) {
            return None;
        }
        let constants: Vec<u64> = sums.iter().map(|&(_, constant)| constant).collect();
        let mut total = line(terms, self.variable, self.at, &constants, width)?;
        for column in 0..count {
            let parts: Vec<TermId> = sums.iter().map(|(parts, _)| parts[column]).collect();
            // Not `of`: a summand that is no sum would be read as one again.
            let part = match parts.iter().all(|&part| part == parts[0]) {
                true => parts[0],
                false => self.node(terms, &parts)?,
            };
            total = terms.add(total, part);
        }
        Some(total)
    }

    /// The same operation on operands that are instances.
    fn node(&mut self, terms: &mut Terms, instances: &[TermId]) -> Option<TermId> {
        let first = instances[0];
        let op = terms.op(first);
        let count = terms.children(first).len();
        let mut rows: Vec<Vec<TermId>> = Vec::new();
        for &instance in instances {
            if terms.op(instance) != op || terms.children(instance).len() != count || count == 0 {
                return None;
            }
            let mut children = terms.children(instance).to_vec();
            if is_commutative(op) {
                self.shapes.sorted(terms, &mut children);
            }
            rows.push(children);
        }
        let mut replaced: FxHashMap<TermId, TermId> = FxHashMap::default();
        for column in 0..count {
            let parts: Vec<TermId> = rows.iter().map(|row| row[column]).collect();
            let part = self.of(terms, &parts)?;
            if *replaced.entry(parts[0]).or_insert(part) != part {
                return None;
            }
        }
        let root = first;
        Some(terms.substitute(first, &mut |_, t| {
            if t == root { None } else { replaced.get(&t).copied() }
        }))
    }
}

/// `a * x + b` modulo 2^width, which is `values[l]` where x is `at[l]` (§6.2.3).
fn line(terms: &mut Terms, variable: TermId, at: &[u64], values: &[u64], width: u32) -> Option<TermId> {
    let first = truncate(values[0], width);
    if values.iter().all(|&value| truncate(value, width) == first) {
        return Some(terms.constant(width, first));
    }
    let (factor, offset) = coefficients(at, values, width)?;
    let x = terms.resize_zext(variable, width);
    let factor = terms.constant(width, factor);
    let offset = terms.constant(width, offset);
    let product = terms.mul(x, factor);
    Some(terms.add(product, offset))
}

/// a and b such that `a * at[l] + b = values[l]` modulo 2^width for all l. The difference of two neighbouring points
/// that is the least power of two gives a.
fn coefficients(at: &[u64], values: &[u64], width: u32) -> Option<(u64, u64)> {
    let pairs = || (1..at.len()).map(|l| (at[l].wrapping_sub(at[l - 1]), values[l].wrapping_sub(values[l - 1])));
    let (run, rise) = pairs()
        .filter(|&(run, _)| run != 0)
        .min_by_key(|&(run, _)| run.trailing_zeros())?;
    let shift = run.trailing_zeros();
    let rise = truncate(rise, width);
    if shift >= width || rise & ((1 << shift) - 1) != 0 {
        return None;
    }
    // a is determined modulo 2^(width - shift); read as a signed number it is the least.
    let bits = width - shift;
    let factor = truncate((rise >> shift).wrapping_mul(inverse(run >> shift)), bits);
    let factor = truncate(mneme_term::sign_extend(factor, bits) as u64, width);
    let offset = values[0].wrapping_sub(factor.wrapping_mul(at[0]));
    let fits = |(&x, &value): (&u64, &u64)| {
        truncate(factor.wrapping_mul(x).wrapping_add(offset), width) == truncate(value, width)
    };
    at.iter()
        .zip(values)
        .all(fits)
        .then_some((factor, truncate(offset, width)))
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

fn is_commutative(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Eq | Op::Add)
}

fn is_array(terms: &Terms, t: TermId) -> bool {
    matches!(terms.sort(t), mneme_term::Sort::Array { .. })
}

/// `t` with a number for a symbol.
pub fn instance(terms: &mut Terms, t: TermId, symbol: SymbolId, number: u64) -> TermId {
    let from = terms.symbol(symbol);
    let to = terms.constant(terms.width(from), number);
    terms.substitute(t, &mut |_, t| (t == from).then_some(to))
}

#[cfg(test)]
mod tests {
    use super::coefficients;

    #[test]
    fn lines_through_numbers() {
        // Example 6.2.3: a = 1, b = -1.
        assert_eq!(coefficients(&[1, 2], &[0, 1], 64), Some((1, u64::MAX)));
        assert_eq!(coefficients(&[0, 1, 2], &[0, 1, 2], 64), Some((1, 0)));
        assert_eq!(coefficients(&[0, 1, 2], &[97, 98, 100], 8), None);
        // Modulo 2^8.
        assert_eq!(coefficients(&[0, 1, 2], &[200, 0, 56], 8), Some((56, 200)));
        // Only every other number was seen, and every sixth with an odd factor.
        assert_eq!(coefficients(&[0, 2, 4], &[1, 7, 13], 32), Some((3, 1)));
        assert_eq!(coefficients(&[0, 2, 4], &[1, 2, 3], 32), None);
        assert_eq!(
            coefficients(&[1, 7], &[30, 0], 16),
            Some(((5u16.wrapping_neg()).into(), 35))
        );
    }
}
