//! Sums in normal form: a constant plus multiples of terms that are not sums.
//!
//! `Linear` is the sum while it is worked on. As a term it is an `Add` of its monomials, ordered by hash with bases
//! first and the constant last; a monomial is a term, or `Mul` of a term and a constant. A sum never has more than
//! [`LIMIT`] monomials: a longer one keeps one operand as an opaque summand.

use crate::arena::Children;
use crate::strided::gcd;
use crate::{Bits, Op, Strided, TermId, Terms, sign_extend};
use smallvec::SmallVec;

pub(crate) const LIMIT: usize = 16;

pub(crate) struct Linear {
    pub width: u32,
    /// Terms that are neither constants nor sums, with non-zero coefficients.
    pub monomials: SmallVec<[(TermId, Bits); 8]>,
    pub constant: Bits,
}

impl Linear {
    pub fn new(width: u32) -> Linear {
        Linear {
            width,
            monomials: SmallVec::new(),
            constant: Bits::zero(width),
        }
    }

    pub fn scale(&mut self, factor: &Bits) {
        self.constant = self.constant.mul(factor);
        for (_, c) in &mut self.monomials {
            *c = c.mul(factor);
        }
        self.monomials.retain(|(_, c)| !c.is_zero());
    }
}

/// A sum as `factor · rest + addend`, where the product of signed numbers does not wrap.
pub(crate) struct Quotient {
    pub rest: TermId,
    pub factor: i64,
    pub addend: u64,
}

impl Terms {
    /// A sum without its constant and without the common factor of its coefficients. `None`: it has neither, or they
    /// are not known to be exact.
    pub(crate) fn divide(&mut self, sum: TermId) -> Option<Quotient> {
        let width = self.width(sum);
        if width > 64 || self.has_base(sum) {
            return None;
        }
        let mut whole = Linear::new(width);
        self.accumulate(&mut whole, sum, &Bits::one(width));
        self.normalise(&mut whole);
        let addend = whole.constant.low_u64();
        whole.constant = Bits::zero(width);
        let factor = self.common_factor(&whole).unwrap_or(1);
        if (factor, addend) == (1, 0) {
            return None;
        }
        for (_, c) in &mut whole.monomials {
            *c = Bits::new(width, (sign_extend(c.low_u64(), width) / factor) as u64);
        }
        let rest = self.linear_term(&whole);
        Some(Quotient { rest, factor, addend })
    }

    /// The terms whose multiples in a sum may wrap, so that the sum is not known to keep its stride. None if all
    /// coefficients are powers of two: wrapping does not affect those strides.
    pub fn wrapping_factors(&self, sum: TermId) -> Vec<TermId> {
        let width = self.width(sum);
        let mut whole = Linear::new(width);
        self.accumulate(&mut whole, sum, &Bits::one(width));
        let is_exact = |x: TermId, c: &Bits| {
            let product = self.strided(x).times(sign_extend(c.low_u64(), width));
            product.is_some_and(|product| product.fits(width - 2))
        };
        let is_power = |c: &Bits| c.as_power().or_else(|| c.neg().as_power()).is_some();
        match whole.monomials.iter().all(|(_, c)| is_power(c)) {
            true => Vec::new(),
            false => whole
                .monomials
                .iter()
                .filter(|(x, c)| !is_exact(*x, c))
                .map(|&(x, _)| x)
                .collect(),
        }
    }

    /// The common divisor of all coefficients of a sum that has no constant and does not wrap.
    fn common_factor(&self, sum: &Linear) -> Option<i64> {
        let (mut factor, mut all) = (0, Strided::one(0));
        for (x, c) in &sum.monomials {
            let c = sign_extend(c.low_u64(), sum.width);
            factor = gcd(factor, c.unsigned_abs());
            all = all.plus(self.strided(*x).times(c)?)?;
        }
        let factor = i64::try_from(factor).ok()?;
        (factor > 0 && all.fits(sum.width)).then_some(factor)
    }

    /// Adds `scale · t` to the sum.
    pub(crate) fn accumulate(&self, sum: &mut Linear, t: TermId, scale: &Bits) {
        match self.op(t) {
            Op::Add => self
                .children(t)
                .iter()
                .for_each(|&c| self.accumulate_monomial(sum, c, scale)),
            _ => self.accumulate_monomial(sum, t, scale),
        }
    }

    fn accumulate_monomial(&self, sum: &mut Linear, t: TermId, scale: &Bits) {
        match (self.op(t), self.children(t)) {
            (Op::Const, _) => {
                let value = self.as_bits(t).expect("a constant");
                sum.constant = sum.constant.add(&value.mul(scale));
            }
            (Op::Mul, &[x, c]) if self.is_const(c) => {
                let factor = self.as_bits(c).expect("a constant");
                sum.monomials.push((x, factor.mul(scale)));
            }
            // ~x = -x - 1
            (Op::Not, &[x]) if !matches!(self.op(x), Op::Add) => {
                sum.constant = sum.constant.sub(scale);
                self.accumulate_monomial(sum, x, &scale.neg());
            }
            _ => sum.monomials.push((t, scale.clone())),
        }
    }

    /// Sorts the monomials and collects like terms.
    pub(crate) fn normalise(&self, sum: &mut Linear) {
        let order = |t: TermId| (!matches!(self.op(t), Op::Base(_)), self.structural_hash(t));
        sum.monomials.sort_by_key(|(t, _)| order(*t));
        sum.monomials.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.add(&next.1);
            }
            same
        });
        sum.monomials.retain(|(_, c)| !c.is_zero());
    }

    /// The term of a normalised sum.
    pub(crate) fn linear_term(&mut self, sum: &Linear) -> TermId {
        let width = sum.width;
        match &sum.monomials[..] {
            [] => return self.constant_bits(&sum.constant),
            [(x, c)] if c.is_ones() && sum.constant.is_ones() && self.op(*x) != Op::Add => {
                return self.mk(Op::Not, width, &[*x]);
            }
            _ => {}
        }
        let mut summands: Children = Children::new();
        for (x, c) in &sum.monomials {
            summands.push(self.monomial(*x, c));
        }
        if !sum.constant.is_zero() {
            let constant = self.constant_bits(&sum.constant);
            summands.push(constant);
        }
        match summands[..] {
            [only] => only,
            _ => self.mk(Op::Add, width, &summands),
        }
    }

    fn monomial(&mut self, x: TermId, coefficient: &Bits) -> TermId {
        if coefficient.is_one() {
            return x;
        }
        let c = self.constant_bits(coefficient);
        self.mk(Op::Mul, coefficient.width(), &[x, c])
    }

    /// `t + c` where only the constant of a sum changes: the most frequent pointer arithmetic.
    pub(crate) fn add_constant(&mut self, t: TermId, c: &Bits) -> Option<TermId> {
        let mut summands = Children::new();
        let mut constant = c.clone();
        match (self.op(t), self.children(t)) {
            (Op::Add, [rest @ .., last]) if self.is_const(*last) => {
                constant = constant.add(&self.as_bits(*last)?);
                summands.extend_from_slice(rest);
            }
            (Op::Add, all) => summands.extend_from_slice(all),
            (Op::Mul | Op::Not | Op::Const, _) => return None,
            _ => summands.push(t),
        }
        if summands.len() == 1 && (constant.is_zero() || self.op(summands[0]) == Op::Mul) {
            return None;
        }
        if !constant.is_zero() {
            let constant = self.constant_bits(&constant);
            summands.push(constant);
        }
        Some(self.mk(Op::Add, c.width(), &summands))
    }

    /// `a + scale · b`.
    pub(crate) fn add_scaled(&mut self, a: TermId, b: TermId, scale: &Bits) -> TermId {
        let width = scale.width();
        let mut sum = Linear::new(width);
        self.accumulate(&mut sum, a, &Bits::one(width));
        self.accumulate(&mut sum, b, scale);
        self.normalise(&mut sum);
        if sum.monomials.len() > LIMIT {
            self.pack(&mut sum, a);
        }
        self.linear_term(&sum)
    }

    /// Packs the monomials of `keep`, except bases, into one opaque summand, so that the sum is short again.
    fn pack(&mut self, sum: &mut Linear, keep: TermId) {
        let mut inner = Linear::new(sum.width);
        let mut whole = Linear::new(sum.width);
        self.accumulate(&mut whole, keep, &Bits::one(sum.width));
        self.normalise(&mut whole);
        for (x, c) in &whole.monomials {
            let unchanged = sum.monomials.contains(&(*x, c.clone()));
            if unchanged && !matches!(self.op(*x), Op::Base(_)) {
                inner.monomials.push((*x, c.clone()));
            }
        }
        if inner.monomials.len() < 2 {
            // Both operands changed almost everything: pack the first half of the result instead.
            inner.monomials = sum.monomials.iter().take(LIMIT / 2 + 1).cloned().collect();
            inner.monomials.retain(|(x, _)| !matches!(self.op(*x), Op::Base(_)));
        }
        sum.monomials.retain(|m| !inner.monomials.contains(m));
        let packed = self.linear_term(&inner);
        sum.monomials.push((packed, Bits::one(sum.width)));
        self.normalise(sum);
    }
}
