//! Orders, and conjunctions and disjunctions of comparisons of one term with constants.
//!
//! With a constant, only the strict orders are used: `x <= 4` is `x < 5`.

use crate::arena::Children;
use crate::base::address_range;
use crate::facts::mask;
use crate::{Bits, Op, TermId, Terms};

impl Terms {
    pub fn ugt(&mut self, a: TermId, b: TermId) -> TermId {
        self.ult(b, a)
    }

    pub fn uge(&mut self, a: TermId, b: TermId) -> TermId {
        self.ule(b, a)
    }

    pub fn sgt(&mut self, a: TermId, b: TermId) -> TermId {
        self.slt(b, a)
    }

    pub fn sge(&mut self, a: TermId, b: TermId) -> TermId {
        self.sle(b, a)
    }

    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.fls;
        }
        if width == 1 {
            let not_a = self.not(a);
            return self.and(not_a, b);
        }
        if let Some(t) = self.fold_constants(a, b, |x, y| Bits::from_bool(x.ult(y))) {
            return t;
        }
        if width <= 64 {
            let (x, y) = (self.facts(a), self.facts(b));
            if x.hi < y.lo {
                return self.tru;
            }
            if x.lo >= y.hi {
                return self.fls;
            }
            // Only the end of the range is left.
            if let Some(limit) = self.as_const(b)
                && x.lo + 1 == limit
            {
                let end = self.constant(width, x.lo);
                return self.eq(a, end);
            }
            if let Some(limit) = self.as_const(b)
                && x.hi == limit
            {
                return self.ne(a, b);
            }
            if let Some(limit) = self.as_const(a) {
                if y.hi - 1 == limit {
                    let end = self.constant(width, y.hi);
                    return self.eq(b, end);
                }
                if y.lo == limit {
                    return self.ne(a, b);
                }
            }
        } else if let Some(t) = self.ult_wide_ends(a, b) {
            return t;
        }
        if let Some(t) = self.rewrite(|terms| terms.ult_rules(a, b)).flatten() {
            return t;
        }
        self.mk(Op::Ult, 1, &[a, b])
    }

    /// Comparisons with the ends of the range, for widths without facts.
    fn ult_wide_ends(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some(limit) = self.as_bits(b) {
            if limit.is_zero() {
                return Some(self.fls);
            }
            if limit.is_one() {
                let zero = self.constant_bits(&Bits::zero(limit.width()));
                return Some(self.eq(a, zero));
            }
            if limit.is_ones() {
                return Some(self.ne(a, b));
            }
        }
        if let Some(limit) = self.as_bits(a) {
            if limit.is_ones() {
                return Some(self.fls);
            }
            if limit.is_zero() {
                return Some(self.ne(a, b));
            }
        }
        None
    }

    fn ult_rules(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some((x, y)) = self.narrow_pair(a, b, true) {
            return Some(self.ult(x, y));
        }
        if let (Op::SExt, Op::SExt) = (self.op(a), self.op(b)) {
            // Sign extension keeps the unsigned order, too.
            let (x, y) = (self.children(a)[0], self.children(b)[0]);
            if self.width(x) == self.width(y) {
                return Some(self.ult(x, y));
            }
        }
        if let Some((x, y)) = self.offsets_of_one_base(a, b) {
            return Some(self.slt(x, y));
        }
        self.compare_choice(a, b, Terms::ult)
    }

    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.tru;
        }
        if width == 1 {
            return self.implies(a, b);
        }
        if let Some(limit) = self.as_bits(b) {
            if limit.is_ones() {
                return self.tru;
            }
            let next = self.constant_bits(&limit.add(&Bits::one(width)));
            return self.ult(a, next);
        }
        if let Some(limit) = self.as_bits(a) {
            if limit.is_zero() {
                return self.tru;
            }
            let previous = self.constant_bits(&limit.sub(&Bits::one(width)));
            return self.ult(previous, b);
        }
        // Decided or rewritten with the sides exchanged.
        if width <= 64 {
            let (x, y) = (self.facts(a), self.facts(b));
            if x.hi <= y.lo {
                return self.tru;
            }
            if x.lo > y.hi {
                return self.fls;
            }
        }
        if let Some(t) = self.rewrite(|terms| terms.ult_rules(b, a)).flatten() {
            return self.not(t);
        }
        self.mk(Op::Ule, 1, &[a, b])
    }

    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.fls;
        }
        if width == 1 {
            // As signed numbers, 1 is -1.
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        if let Some(t) = self.fold_constants(a, b, |x, y| Bits::from_bool(x.slt(y))) {
            return t;
        }
        if self.surely_not_negative(a) && self.surely_not_negative(b) {
            return self.ult(a, b);
        }
        if width <= 64 {
            let (x, y) = (self.facts(a).signed(width), self.facts(b).signed(width));
            if x.1 < y.0 {
                return self.tru;
            }
            if x.0 >= y.1 {
                return self.fls;
            }
        }
        let smallest = Bits::power(width, width - 1);
        if let Some(limit) = self.as_bits(b) {
            if limit == smallest {
                return self.fls;
            }
            if limit.sub(&Bits::one(width)) == smallest {
                let end = self.constant_bits(&smallest);
                return self.eq(a, end);
            }
            if limit == smallest.not() {
                return self.ne(a, b);
            }
        }
        if let Some(limit) = self.as_bits(a) {
            if limit == smallest.not() {
                return self.fls;
            }
            if limit.add(&Bits::one(width)) == smallest.not() {
                let end = self.constant_bits(&smallest.not());
                return self.eq(b, end);
            }
            if limit == smallest {
                return self.ne(a, b);
            }
        }
        if let Some(t) = self.rewrite(|terms| terms.slt_rules(a, b)).flatten() {
            return t;
        }
        self.mk(Op::Slt, 1, &[a, b])
    }

    fn slt_rules(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if let Some((x, y)) = self.narrow_pair(a, b, false) {
            return Some(self.slt(x, y));
        }
        // A constant that the narrow operand cannot reach decides by the operand's sign.
        let width = self.width(a);
        for (extended, other, left) in [(a, b, true), (b, a, false)] {
            if let (Op::SExt, &[x], Some(limit)) = (self.op(extended), self.children(extended), self.as_bits(other)) {
                let inner = self.width(x);
                if limit.extract(0, inner).sext(width) != limit {
                    // Every narrow value is below a large positive limit and above a large negative one.
                    return Some(self.boolean(limit.sign() != left));
                }
            }
        }
        self.compare_choice(a, b, Terms::slt)
    }

    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.tru;
        }
        if width == 1 {
            return self.implies(b, a);
        }
        let smallest = Bits::power(width, width - 1);
        if let Some(limit) = self.as_bits(b) {
            if limit == smallest.not() {
                return self.tru;
            }
            let next = self.constant_bits(&limit.add(&Bits::one(width)));
            return self.slt(a, next);
        }
        if let Some(limit) = self.as_bits(a) {
            if limit == smallest {
                return self.tru;
            }
            let previous = self.constant_bits(&limit.sub(&Bits::one(width)));
            return self.slt(previous, b);
        }
        if self.surely_not_negative(a) && self.surely_not_negative(b) {
            return self.ule(a, b);
        }
        if width <= 64 {
            let (x, y) = (self.facts(a).signed(width), self.facts(b).signed(width));
            if x.1 <= y.0 {
                return self.tru;
            }
            if x.0 > y.1 {
                return self.fls;
            }
        }
        if let Some(t) = self.rewrite(|terms| terms.slt_rules(b, a)).flatten() {
            return self.not(t);
        }
        self.mk(Op::Sle, 1, &[a, b])
    }

    /// Both operands without their common extension (a constant counts as extended if its value allows it).
    fn narrow_pair(&mut self, a: TermId, b: TermId, unsigned: bool) -> Option<(TermId, TermId)> {
        let extension = if unsigned { Op::ZExt } else { Op::SExt };
        let inner = |terms: &Terms, t: TermId| match (terms.op(t), terms.children(t)) {
            (op, &[x]) if op == extension => Some(terms.width(x)),
            _ => None,
        };
        let needed = |terms: &Terms, t: TermId| {
            let bits = terms.as_bits(t)?;
            Some(if unsigned {
                bits.bit_length().max(1)
            } else {
                let magnitude = if bits.sign() { bits.not() } else { bits };
                magnitude.bit_length() + 1
            })
        };
        let width = match (inner(self, a), inner(self, b)) {
            (Some(x), Some(y)) => x.max(y),
            (Some(x), None) if needed(self, b)? <= x => x,
            (None, Some(y)) if needed(self, a)? <= y => y,
            _ => return None,
        };
        if width == self.width(a) {
            return None;
        }
        Some((self.extract(a, 0, width), self.extract(b, 0, width)))
    }

    /// Compares a choice that has a constant arm with a constant.
    fn compare_choice(&mut self, a: TermId, b: TermId, f: fn(&mut Terms, TermId, TermId) -> TermId) -> Option<TermId> {
        let arms = |terms: &Terms, t: TermId, other: TermId| match (terms.op(t), terms.children(t)) {
            (Op::Ite, &[c, x, y]) if terms.is_const(other) && (terms.is_const(x) || terms.is_const(y)) => {
                Some((c, x, y))
            }
            _ => None,
        };
        if let Some((c, x, y)) = arms(self, a, b) {
            let (then, other) = (f(self, x, b), f(self, y, b));
            return Some(self.ite(c, then, other));
        }
        if let Some((c, x, y)) = arms(self, b, a) {
            let (then, other) = (f(self, a, x), f(self, a, y));
            return Some(self.ite(c, then, other));
        }
        None
    }

    /// The offsets of two pointers with the same base, if comparing them as signed numbers compares the addresses
    /// wherever the base lies: no sum may wrap below 0 (a base is at least 4096) or past the end of the address space.
    fn offsets_of_one_base(&mut self, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
        let (base, x) = self.split_pointer(a)?;
        let (other, y) = self.split_pointer(b)?;
        if base != other {
            return None;
        }
        let width = self.pointer_width;
        let (lowest, _) = address_range(width)?;
        let reach = 1i64 << if width == 64 { 46 } else { 28 };
        let fits = |t: TermId| {
            let (lo, hi) = self.facts(t).signed(width);
            lo >= -(lowest as i64) && hi <= reach
        };
        (fits(x) && fits(y)).then_some((x, y))
    }

    /// Several comparisons of one term with constants in an `And` or `Or` of booleans.
    pub(crate) fn combine_literals(&mut self, op: Op, operands: &[TermId]) -> Option<TermId> {
        // In a disjunction, negated literals intersect: a | b = ~(~a & ~b).
        let positive = op == Op::And;
        for (i, &p) in operands.iter().enumerate() {
            let Some((x, first)) = self.interval(p, positive) else {
                continue;
            };
            for (j, &q) in operands.iter().enumerate().skip(i + 1) {
                let Some((y, second)) = self.interval(q, positive) else {
                    continue;
                };
                if x != y {
                    continue;
                }
                let Some(meet) = first.meet(second, mask(self.width(x))) else {
                    continue;
                };
                let merged = self.interval_term(x, meet);
                let merged = if positive { merged } else { self.not(merged) };
                if merged == if positive { self.fls } else { self.tru } {
                    return Some(merged);
                }
                let mut rest: Children = operands
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|&(k, _)| k != i && k != j)
                    .map(|(_, t)| t)
                    .collect();
                rest.push(merged);
                return Some(self.fold(&rest, |t, a, b| if positive { t.and(a, b) } else { t.or(a, b) }));
            }
        }
        None
    }

    /// A literal, or its negation, as a set of values of a term of at most 64 bits.
    fn interval(&self, literal: TermId, positive: bool) -> Option<(TermId, Interval)> {
        let (atom, positive) = match (self.op(literal), self.children(literal)) {
            (Op::Not, &[atom]) => (atom, !positive),
            _ => (literal, positive),
        };
        let &[a, b] = self.children(atom) else { return None };
        let all = mask(self.width(a));
        let (x, set) = match (self.op(atom), self.as_const(a), self.as_const(b)) {
            (Op::Eq, None, Some(c)) => (a, Interval::Within(c, c)),
            (Op::Ult, None, Some(c)) => (a, Interval::Within(0, c - 1)),
            (Op::Ult, Some(c), None) => (b, Interval::Within(c + 1, all)),
            _ => return None,
        };
        Some((x, if positive { set } else { set.complement(all) }))
    }

    fn interval_term(&mut self, x: TermId, set: Interval) -> TermId {
        let width = self.width(x);
        match set {
            Interval::Empty => self.fls,
            Interval::Within(lo, hi) if lo == hi => {
                let value = self.constant(width, lo);
                self.eq(x, value)
            }
            Interval::Within(0, hi) => {
                let hi = self.constant(width, hi);
                self.ule(x, hi)
            }
            Interval::Within(lo, _) => {
                let lo = self.constant(width, lo);
                self.ule(lo, x)
            }
            Interval::Except(c) => {
                let value = self.constant(width, c);
                self.ne(x, value)
            }
        }
    }
}

/// A set of values. `Within` with neither bound at its end never leaves `meet`.
#[derive(Copy, Clone, PartialEq)]
enum Interval {
    Empty,
    Within(u64, u64),
    Except(u64),
}

impl Interval {
    fn complement(self, all: u64) -> Interval {
        match self {
            Interval::Empty => Interval::Within(0, all),
            Interval::Except(c) => Interval::Within(c, c),
            Interval::Within(0, hi) if hi < all => Interval::Within(hi + 1, all),
            Interval::Within(lo, hi) if hi == all && lo > 0 => Interval::Within(0, lo - 1),
            Interval::Within(lo, hi) if lo == hi => Interval::Except(lo),
            Interval::Within(..) => Interval::Empty,
        }
    }

    /// The intersection, if it is one literal again.
    fn meet(self, other: Interval, all: u64) -> Option<Interval> {
        match (self, other) {
            (Interval::Empty, _) | (_, Interval::Empty) => Some(Interval::Empty),
            (Interval::Within(a, b), Interval::Within(c, d)) => {
                let (lo, hi) = (a.max(c), b.min(d));
                if lo > hi {
                    Some(Interval::Empty)
                } else if lo == hi || lo == 0 || hi == all {
                    Some(Interval::Within(lo, hi))
                } else {
                    None
                }
            }
            (Interval::Except(a), Interval::Except(b)) => (a == b).then_some(self),
            (Interval::Within(lo, hi), Interval::Except(c)) | (Interval::Except(c), Interval::Within(lo, hi)) => {
                if c < lo || c > hi {
                    Some(Interval::Within(lo, hi))
                } else if lo == hi {
                    Some(Interval::Empty)
                } else if c == lo && hi == all {
                    Some(Interval::Within(lo + 1, hi))
                } else if c == hi && lo == 0 {
                    Some(Interval::Within(lo, hi - 1))
                } else {
                    None
                }
            }
        }
    }
}
