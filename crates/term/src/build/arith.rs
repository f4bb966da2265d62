//! Addition, multiplication, division.

use super::linear::Linear;
use crate::flags::Flags;
use crate::{Bits, Op, TermId, Terms};

impl Terms {
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if width == 1 {
            return self.xor(a, b);
        }
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            return self.constant_bits(&x.add(&y));
        }
        for (x, y) in [(a, b), (b, a)] {
            if self.as_bits(x).is_some_and(|c| c.is_zero()) {
                return y;
            }
            if let Some(t) = self.add_into_tree(x, y, Terms::add) {
                return t;
            }
            if let Some(c) = self.as_bits(x)
                && let Some(t) = self.add_constant(y, &c)
            {
                return t;
            }
        }
        self.add_scaled(a, b, &Bits::one(width))
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if width == 1 {
            return self.xor(a, b);
        }
        if a == b {
            return self.constant(width, 0);
        }
        if self.as_bits(b).is_some_and(|c| c.is_zero()) {
            return a;
        }
        if let Some(t) = self
            .add_into_tree(a, b, Terms::sub)
            .or_else(|| self.subtract_pointer(a, b))
        {
            return t;
        }
        self.add_scaled(a, b, &Bits::ones(width))
    }

    pub fn neg(&mut self, a: TermId) -> TermId {
        let minus_one = self.constant_bits(&Bits::ones(self.width(a)));
        self.mul(a, minus_one)
    }

    /// A summand goes to the leaves of a tree of pointers, so that every leaf is base + offset again; a constant also
    /// goes to the leaves of a tree of constants.
    fn add_into_tree(
        &mut self,
        tree: TermId,
        other: TermId,
        f: fn(&mut Terms, TermId, TermId) -> TermId,
    ) -> Option<TermId> {
        if !matches!(self.op(tree), Op::Ite | Op::Lookup(_)) {
            return None;
        }
        let flags = self.flags(tree);
        let pushes = flags.has(Flags::POINTER) && !self.flags(other).has(Flags::POINTER)
            || flags.has(Flags::CONST) && self.is_const(other);
        if !pushes {
            return None;
        }
        self.map_leaves(tree, &mut |terms, leaf| f(terms, leaf, other))
    }

    /// The difference between a choice of pointers and one pointer, either way round: a number where they have the same
    /// base.
    fn subtract_pointer(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let is_choice = |t| matches!(self.op(t), Op::Ite | Op::Lookup(_)) && self.flags(t).has(Flags::POINTER);
        let has = |t, base| is_choice(t) && self.bases(t).contains(&base);
        match (self.sole_base(a), self.sole_base(b)) {
            (None, Some(base)) if has(a, base) => self.map_leaves(a, &mut |terms, leaf| terms.sub(leaf, b)),
            (Some(base), None) if has(b, base) => self.map_leaves(b, &mut |terms, leaf| terms.sub(a, leaf)),
            _ => None,
        }
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if width == 1 {
            return self.and(a, b);
        }
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(x), Some(y)) => return self.constant_bits(&x.mul(&y)),
            (Some(c), None) => return self.mul_constant(b, &c),
            (None, Some(c)) => return self.mul_constant(a, &c),
            (None, None) => {}
        }
        // A product with a boolean is a choice.
        for (x, y) in [(a, b), (b, a)] {
            if let (Op::ZExt, &[c]) = (self.op(x), self.children(x))
                && self.width(c) == 1
            {
                let zero = self.constant(width, 0);
                return self.ite(c, y, zero);
            }
        }
        // Constant factors come out.
        let (x, c) = self.split_factor(a);
        let (y, d) = self.split_factor(b);
        let mut factors = [x, y];
        self.sort_operands(&mut factors);
        let product = self.mk(Op::Mul, width, &factors);
        match (c, d) {
            (None, None) => product,
            (c, d) => {
                let one = Bits::one(width);
                let factor = c.unwrap_or(one.clone()).mul(&d.unwrap_or(one));
                self.mul_constant(product, &factor)
            }
        }
    }

    fn split_factor(&self, t: TermId) -> (TermId, Option<Bits>) {
        match (self.op(t), self.children(t)) {
            (Op::Mul, &[x, c]) if self.is_const(c) => (x, self.as_bits(c)),
            _ => (t, None),
        }
    }

    fn mul_constant(&mut self, t: TermId, factor: &Bits) -> TermId {
        if factor.is_zero() {
            return self.constant_bits(factor);
        }
        if factor.is_one() {
            return t;
        }
        if let Some(value) = self.as_bits(t) {
            return self.constant_bits(&value.mul(factor));
        }
        if self.flags(t).has(Flags::CONST) && matches!(self.op(t), Op::Ite | Op::Lookup(_)) {
            let mapped = self.map_leaves(t, &mut |terms, leaf| terms.mul_constant(leaf, factor));
            if let Some(mapped) = mapped {
                return mapped;
            }
        }
        let mut sum = Linear::new(factor.width());
        self.accumulate(&mut sum, t, &Bits::one(factor.width()));
        self.normalise(&mut sum);
        sum.scale(factor);
        self.linear_term(&sum)
    }

    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if width == 1 {
            // x / 0 = 1 and x / 1 = x.
            let not_b = self.not(b);
            return self.or(a, not_b);
        }
        if let Some(t) = self.fold_constants(a, b, Bits::udiv) {
            return t;
        }
        if let Some(divisor) = self.as_bits(b) {
            if divisor.is_zero() {
                return self.constant_bits(&Bits::ones(width));
            }
            if let Some(shift) = divisor.as_power() {
                return self.lshr_constant(a, shift);
            }
        }
        if self.surely_ult(a, b) {
            return self.constant(width, 0);
        }
        // Division by zero depends on the width.
        if self.facts(b).lo > 0
            && let Some(t) = self.divide_narrow(a, b, Terms::udiv)
        {
            return t;
        }
        self.mk(Op::UDiv, width, &[a, b])
    }

    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if width == 1 {
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        if let Some(t) = self.fold_constants(a, b, Bits::urem) {
            return t;
        }
        if let Some(divisor) = self.as_bits(b) {
            if divisor.is_zero() {
                return a;
            }
            match divisor.as_power() {
                Some(0) => return self.constant(width, 0),
                Some(bits) => {
                    let low = self.extract(a, 0, bits);
                    return self.zext(low, width);
                }
                None => {}
            }
        }
        if self.surely_ult(a, b) {
            return a;
        }
        if let Some(t) = self.divide_narrow(a, b, Terms::urem) {
            return t;
        }
        self.mk(Op::URem, width, &[a, b])
    }

    /// Unsigned division of zero-extended numbers, in the width they had.
    fn divide_narrow(&mut self, a: TermId, b: TermId, f: fn(&mut Terms, TermId, TermId) -> TermId) -> Option<TermId> {
        let wide = self.width(a);
        let needs = |t: TermId| match (self.op(t), self.children(t)) {
            (Op::ZExt, &[x]) => self.width(x),
            (Op::Const, _) => self.bit_length(t).max(1),
            _ => wide,
        };
        let width = needs(a).max(needs(b));
        if width >= wide {
            return None;
        }
        let (x, y) = (self.extract(a, 0, width), self.extract(b, 0, width));
        let narrow = self.rewrite(|terms| f(terms, x, y))?;
        Some(self.zext(narrow, wide))
    }

    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let Some(t) = self.fold_constants(a, b, Bits::sdiv) {
            return t;
        }
        if width > 1 && self.as_bits(b).is_some_and(|c| c.is_one()) {
            return a;
        }
        if self.surely_not_negative(a) && self.surely_not_negative(b) {
            return self.udiv(a, b);
        }
        self.mk(Op::SDiv, width, &[a, b])
    }

    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let Some(t) = self.fold_constants(a, b, Bits::srem) {
            return t;
        }
        if let Some(divisor) = self.as_bits(b) {
            if divisor.is_zero() {
                return a;
            }
            if divisor.is_one() || divisor.is_ones() {
                return self.constant(width, 0);
            }
        }
        if self.surely_not_negative(a) && self.surely_not_negative(b) {
            return self.urem(a, b);
        }
        self.mk(Op::SRem, width, &[a, b])
    }

    /// Both constant; or a small tree of constants and a constant.
    pub(crate) fn fold_constants(
        &mut self,
        a: TermId,
        b: TermId,
        f: impl Fn(&Bits, &Bits) -> Bits + Copy,
    ) -> Option<TermId> {
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            return Some(self.constant_bits(&f(&x, &y)));
        }
        if let Some(y) = self.as_bits(b)
            && self.flags(a).has(Flags::CONST)
        {
            return self.map_constants(a, |x| f(x, &y));
        }
        if let Some(x) = self.as_bits(a)
            && self.flags(b).has(Flags::CONST)
        {
            return self.map_constants(b, |y| f(&x, y));
        }
        None
    }

    pub(crate) fn surely_not_negative(&self, t: TermId) -> bool {
        match (self.width(t), self.as_bits(t)) {
            (_, Some(bits)) => !bits.sign(),
            (width @ ..=64, None) => self.facts(t).zeros >> (width - 1) & 1 == 1,
            _ => self.op(t) == Op::ZExt,
        }
    }

    pub(crate) fn surely_ult(&self, a: TermId, b: TermId) -> bool {
        self.width(a) <= 64 && self.facts(a).hi < self.facts(b).lo
    }
}
