//! Equality.

use super::linear::Linear;
use crate::flags::Flags;
use crate::{Bits, Op, TermId, Terms};

impl Terms {
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.tru;
        }
        if width == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        if self.surely_different(a, b) {
            return self.fls;
        }
        if let Some(t) = self.fold_constants(a, b, |x, y| Bits::from_bool(x == y)) {
            return t;
        }
        let mut sides = [a, b];
        self.sort_operands(&mut sides);
        let [a, b] = sides;
        if let Some(t) = self.rewrite(|terms| terms.eq_rules(a, b)).flatten() {
            return t;
        }
        self.mk(Op::Eq, 1, &[a, b])
    }

    /// `b` is the constant, if one of them is.
    fn eq_rules(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(t) = self.eq_defaults(a, b) {
            return Some(t);
        }
        if let Some(t) = self.eq_pointers(a, b) {
            return Some(t);
        }
        if let Some(t) = self.eq_linear(a, b) {
            return t;
        }
        match self.as_bits(b) {
            Some(value) => self.eq_constant(a, &value),
            None => self.eq_terms(a, b),
        }
    }

    /// Rules for two terms of the same shape.
    fn eq_terms(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (ops, first) = ((self.op(a), self.op(b)), |t: &Terms, x: TermId| t.children(x)[0]);
        match ops {
            (Op::ZExt, Op::ZExt) => {
                let (x, y) = (first(self, a), first(self, b));
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zext(x, width), self.zext(y, width));
                Some(self.eq(x, y))
            }
            (Op::SExt, Op::SExt) => {
                let (x, y) = (first(self, a), first(self, b));
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sext(x, width), self.sext(y, width));
                Some(self.eq(x, y))
            }
            (Op::Concat, Op::Concat) | (Op::Concat, Op::ZExt) | (Op::ZExt, Op::Concat) => self.eq_parts(a, b),
            (Op::Ite, Op::Ite) => self.eq_choices(a, b),
            (Op::Ite, _) => self.eq_arm(a, b),
            (_, Op::Ite) => self.eq_arm(b, a),
            (Op::Not, Op::Not) => {
                let (x, y) = (first(self, a), first(self, b));
                Some(self.eq(x, y))
            }
            _ => None,
        }
    }

    /// The same table at the same index with two defaults: they matter only if the index is none of the keys.
    fn eq_defaults(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (Op::Lookup(table), Op::Lookup(other)) = (self.op(a), self.op(b)) else {
            return None;
        };
        let (&[index, x], &[same, y]) = (self.children(a), self.children(b)) else {
            return None;
        };
        if table != other || index != same {
            return None;
        }
        let entries = self.table(table);
        let (first, last) = (entries.first()?.0, entries.last()?.0);
        if last - first + 1 != entries.len() as u64 {
            return None;
        }
        let width = self.width(index);
        let [first, last] = [first, last].map(|key| self.constant(width, key));
        let (above, below) = (self.ule(first, index), self.ule(index, last));
        let (listed, equal) = (self.and(above, below), self.eq(x, y));
        Some(self.or(listed, equal))
    }

    fn eq_choices(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let (&[c, x, y], &[d, v, w]) = (self.children(a), self.children(b)) else {
            return None;
        };
        if c == d {
            return self.rewrite_within(6, |terms| {
                let (then, other) = (terms.eq(x, v), terms.eq(y, w));
                terms.ite(c, then, other)
            });
        }
        self.eq_arm(a, b).or_else(|| self.eq_arm(b, a))
    }

    /// `(c ? x : y) = x` holds if `c` does, or `y = x`.
    fn eq_arm(&mut self, choice: TermId, other: TermId) -> Option<TermId> {
        let &[c, x, y] = self.children(choice) else { return None };
        if x == other {
            let rest = self.eq(y, other);
            return Some(self.or(c, rest));
        }
        if y == other {
            let (rest, not_c) = (self.eq(x, other), self.not(c));
            return Some(self.or(not_c, rest));
        }
        None
    }

    /// Compares part by part, if the boundaries of the topmost or lowest parts coincide.
    fn eq_parts(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let low_seam = |t: &Terms, x: TermId| match (t.op(x), t.children(x)) {
            (Op::Concat, &[.., last]) => t.width(last),
            (_, children) => t.width(children[0]),
        };
        let (x, y) = (low_seam(self, a), low_seam(self, b));
        let width = self.width(a);
        if x != y || x == width {
            return None;
        }
        let (low_a, low_b) = (self.extract(a, 0, x), self.extract(b, 0, x));
        let low = self.eq(low_a, low_b);
        if low == self.fls {
            return Some(low);
        }
        let (high_a, high_b) = (self.extract(a, x, width - x), self.extract(b, x, width - x));
        let high = self.eq(high_a, high_b);
        Some(self.and(high, low))
    }

    fn eq_constant(&mut self, a: TermId, value: &Bits) -> Option<TermId> {
        let width = value.width();
        let children = self.children(a);
        match (self.op(a), children) {
            (Op::ZExt, &[x]) => {
                let inner = self.width(x);
                if value.bit_length() > inner {
                    return Some(self.fls);
                }
                let value = self.constant_bits(&value.extract(0, inner));
                Some(self.eq(x, value))
            }
            (Op::SExt, &[x]) => {
                let low = value.extract(0, self.width(x));
                if low.sext(width) != *value {
                    return Some(self.fls);
                }
                let value = self.constant_bits(&low);
                Some(self.eq(x, value))
            }
            (Op::Concat, _) => {
                let parts = crate::arena::Children::from_slice(children);
                let (mut end, mut all) = (width, self.tru);
                for part in parts {
                    let size = self.width(part);
                    end -= size;
                    let piece = self.constant_bits(&value.extract(end, size));
                    let equal = self.eq(part, piece);
                    if equal == self.fls {
                        return Some(equal);
                    }
                    all = self.and(all, equal);
                }
                Some(all)
            }
            (Op::Ite, &[c, x, y]) if self.is_const(x) || self.is_const(y) => {
                let constant = self.constant_bits(value);
                let (then, other) = (self.eq(x, constant), self.eq(y, constant));
                Some(self.ite(c, then, other))
            }
            (Op::Xor, &[.., last]) if self.is_const(last) => {
                let mask = self.as_bits(last)?;
                let rest = self.xor(a, last);
                let value = self.constant_bits(&value.xor(&mask));
                Some(self.eq(rest, value))
            }
            (Op::Xor, &[x, y]) if value.is_zero() => Some(self.eq(x, y)),
            (Op::Or, _) if value.is_zero() => self.all_equal(a, value),
            (Op::And, _) if value.is_ones() => self.all_equal(a, value),
            _ => None,
        }
    }

    fn all_equal(&mut self, t: TermId, value: &Bits) -> Option<TermId> {
        let constant = self.constant_bits(value);
        let mut all = self.tru;
        for part in crate::arena::Children::from_slice(self.children(t)) {
            let equal = self.eq(part, constant);
            all = self.and(all, equal);
        }
        Some(all)
    }

    /// Sums: common monomials cancel, the constant goes to the right, a single multiple is divided. `Some(None)`: a sum
    /// in normal form.
    fn eq_linear(&mut self, a: TermId, b: TermId) -> Option<Option<TermId>> {
        let is_sum = |terms: &Terms, t: TermId| {
            matches!(terms.op(t), Op::Add | Op::Not) || terms.op(t) == Op::Mul && terms.is_const(terms.children(t)[1])
        };
        if !is_sum(self, a) && !is_sum(self, b) {
            return None;
        }
        let width = self.width(a);
        let mut difference = Linear::new(width);
        self.accumulate(&mut difference, a, &Bits::one(width));
        self.accumulate(&mut difference, b, &Bits::ones(width));
        self.normalise(&mut difference);
        if self.different_bases(&difference) {
            // This compares addresses; the lowering of bases needs to see the two pointers.
            return Some(None);
        }
        if let Some((x, y)) = self.equal_multiples(&difference) {
            return Some(Some(self.eq(x, y)));
        }
        match &difference.monomials[..] {
            [] => Some(Some(self.boolean(difference.constant.is_zero()))),
            [(x, c)] => {
                let (x, c) = (*x, c.clone());
                Some(Some(self.eq_multiple(x, &c, &difference.constant.neg())))
            }
            _ => {
                let [left, right] = self.two_sides(difference);
                if self.surely_different(left, right) {
                    return Some(Some(self.fls));
                }
                let mut sides = [left, right];
                self.sort_operands(&mut sides);
                if sides == [a, b] {
                    return None;
                }
                // The sides are in normal form now; rules for other shapes may still apply to them.
                let is_plain = !is_sum(self, sides[0]) && !is_sum(self, sides[1]);
                let t = if is_plain {
                    self.eq(sides[0], sides[1])
                } else {
                    self.mk(Op::Eq, 1, &sides)
                };
                Some(Some(t))
            }
        }
    }

    /// The two factors in `c · x = c · y`, if they are so small that the products are equal only if they are: offsets of
    /// two elements.
    fn equal_multiples(&self, difference: &Linear) -> Option<(TermId, TermId)> {
        let [(x, c), (y, d)] = &difference.monomials[..] else {
            return None;
        };
        if !difference.constant.is_zero() || *c != d.neg() || c.is_one() || d.is_one() || difference.width > 64 {
            return None;
        }
        // Products are equal where the factors agree in these bits.
        let bits = difference.width - c.trailing_zeros();
        let fits = |t| bits == 64 || self.range(t).1 >> bits == 0;
        (fits(*x) && fits(*y)).then_some((*x, *y))
    }

    /// `c · x = value`.
    fn eq_multiple(&mut self, x: TermId, c: &Bits, value: &Bits) -> TermId {
        let width = c.width();
        let shift = c.trailing_zeros();
        if value.trailing_zeros() < shift {
            return self.fls;
        }
        let (odd, value) = (c.extract(shift, width - shift), value.extract(shift, width - shift));
        let value = self.constant_bits(&value.mul(&odd.odd_inverse()));
        let low = self.extract(x, 0, width - shift);
        self.eq(low, value)
    }

    /// Positive monomials left, negative ones and the constant right; of the two possible signs, the one that puts the
    /// first monomial left.
    fn two_sides(&mut self, mut difference: Linear) -> [TermId; 2] {
        let width = difference.width;
        if difference.monomials[0].1.sign() {
            difference.scale(&Bits::ones(width));
        }
        let (mut left, mut right) = (Linear::new(width), Linear::new(width));
        for (x, c) in difference.monomials {
            // The smallest number is its own negation: it stays on the left.
            if c.sign() && c.as_power().is_none() {
                right.monomials.push((x, c.neg()));
            } else {
                left.monomials.push((x, c));
            }
        }
        right.constant = difference.constant.neg();
        [self.linear_term(&left), self.linear_term(&right)]
    }

    fn different_bases(&self, sum: &Linear) -> bool {
        sum.monomials
            .iter()
            .filter(|(t, _)| matches!(self.op(*t), Op::Base(_)))
            .count()
            > 1
    }

    /// Compares trees of pointers with a constant or with one pointer, leaf by leaf.
    fn eq_pointers(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let (Op::Base(x), Op::Base(y)) = (self.op(a), self.op(b)) {
            // A layout never gives two bases the same address.
            return Some(self.boolean(x == y));
        }
        for (tree, other) in [(a, b), (b, a)] {
            let is_tree = matches!(self.op(tree), Op::Ite | Op::Lookup(_)) && self.flags(tree).has(Flags::POINTER);
            let simple = self.is_const(other)
                || self.flags(other).has(Flags::POINTER) && !matches!(self.op(other), Op::Ite | Op::Lookup(_));
            if is_tree && simple {
                return self.map_leaves(tree, &mut |terms, leaf| terms.eq(leaf, other));
            }
        }
        None
    }
}
