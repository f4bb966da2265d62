//! Concatenation, extraction, extension.
//!
//! Normal forms: a `Concat` has no `Concat` or `ZExt` among its parts, no two adjacent constants, and no adjacent
//! extracts of one term that continue each other; leading zeros are a `ZExt`; `x` shifted left by a constant is a
//! `Mul`. So a value that was cut into parts is itself again when the parts are joined.

use crate::arena::Children;
use crate::flags::Flags;
use crate::{Bits, Op, TermId, Terms};
use smallvec::SmallVec;

impl Terms {
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let width = self.width(high) + self.width(low);
        if let (Some(h), Some(l)) = (self.as_bits(high), self.as_bits(low)) {
            return self.constant_bits(&h.concat(&l));
        }
        let mut parts: SmallVec<[TermId; 8]> = SmallVec::new();
        self.push_parts(&mut parts, high);
        self.push_parts(&mut parts, low);
        self.join_parts(&parts, width)
    }

    /// Appends the parts of `t`, merging at the seam.
    fn push_parts(&mut self, parts: &mut SmallVec<[TermId; 8]>, t: TermId) {
        match self.op(t) {
            Op::Concat => {
                for part in Children::from_slice(self.children(t)) {
                    self.push_part(parts, part);
                }
            }
            Op::ZExt => {
                let inner = self.children(t)[0];
                let zeros = self.constant(self.width(t) - self.width(inner), 0);
                self.push_part(parts, zeros);
                self.push_parts(parts, inner);
            }
            _ => self.push_part(parts, t),
        }
    }

    fn push_part(&mut self, parts: &mut SmallVec<[TermId; 8]>, part: TermId) {
        if let Some(&last) = parts.last()
            && let Some(merged) = self.merge_parts(last, part)
        {
            parts.pop();
            // The merged part may continue the part before it, or have parts of its own.
            self.push_parts(parts, merged);
        } else {
            parts.push(part);
        }
    }

    /// Two neighbouring parts as one.
    fn merge_parts(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (hw, lw) = (self.width(high), self.width(low));
        match (self.op(high), self.op(low)) {
            (Op::Const, Op::Const) => {
                let bits = self.as_bits(high)?.concat(&self.as_bits(low)?);
                Some(self.constant_bits(&bits))
            }
            (Op::Extract { low: at, .. }, Op::Extract { high: next, low: end }) => {
                let (x, y) = (self.children(high)[0], self.children(low)[0]);
                (x == y && at == next + 1).then(|| self.extract(x, end, hw + lw))
            }
            (Op::Not, Op::Not) => {
                let (x, y) = (self.children(high)[0], self.children(low)[0]);
                let merged = self.merge_parts(x, y)?;
                Some(self.not(merged))
            }
            (Op::SExt, _) | (Op::Extract { .. }, Op::SExt) if self.is_sign_fill(high, low) => {
                Some(self.sext(low, hw + lw))
            }
            (Op::Extract { .. }, _) if hw == 1 && self.is_sign_fill(high, low) => Some(self.sext(low, hw + lw)),
            (Op::Ite | Op::Lookup(_), _) | (_, Op::Ite | Op::Lookup(_))
                if self.has_base(high) || self.has_base(low) =>
            {
                self.concat_cases(high, low)
            }
            // Choices on the same condition are one choice, if that brings constants together.
            (Op::Ite, Op::Ite) => {
                let (&[c, a, b], &[d, x, y]) = (self.children(high), self.children(low)) else {
                    return None;
                };
                let constants = self.is_const(a) && self.is_const(x) && self.is_const(b) && self.is_const(y);
                (c == d && constants).then(|| {
                    let (t, e) = (self.concat(a, x), self.concat(b, y));
                    self.ite(c, t, e)
                })
            }
            (Op::Lookup(_), Op::Lookup(_)) => self.concat_lookups(high, low),
            _ => None,
        }
    }

    /// Whether every bit of `high` is the sign of `low`.
    fn is_sign_fill(&mut self, high: TermId, low: TermId) -> bool {
        let bit = match (self.op(high), self.children(high)) {
            (Op::SExt, &[bit]) if self.width(bit) == 1 => bit,
            _ if self.width(high) == 1 => high,
            _ => return false,
        };
        let sign = self.extract(low, self.width(low) - 1, 1);
        sign == bit
    }

    /// The concatenation of merged parts.
    fn join_parts(&mut self, parts: &[TermId], width: u32) -> TermId {
        if let [only] = parts {
            return *only;
        }
        if self.as_bits(parts[0]).is_some_and(|c| c.is_zero()) {
            let rest = width - self.width(parts[0]);
            let inner = self.join_parts(&parts[1..], rest);
            return self.zext(inner, width);
        }
        // The low bits of x followed by zeros: x shifted left.
        if let &[top, zeros] = parts
            && let (Op::Extract { low: 0, .. }, &[x]) = (self.op(top), self.children(top))
            && self.width(x) == width
            && self.as_bits(zeros).is_some_and(|c| c.is_zero())
        {
            let factor = self.constant_bits(&Bits::power(width, self.width(zeros)));
            return self.mul(x, factor);
        }
        self.mk(Op::Concat, width, parts)
    }

    /// `width` bits of `t` starting at bit `low`.
    pub fn extract(&mut self, t: TermId, low: u32, width: u32) -> TermId {
        let whole = self.width(t);
        assert!(
            width > 0 && low + width <= whole,
            "extract of {width} bits at {low} from {whole}"
        );
        if width == whole {
            return t;
        }
        if let Some(bits) = self.as_bits(t) {
            return self.constant_bits(&bits.extract(low, width));
        }
        if let Some(t) = self.extract_inside(t, low, width) {
            return t;
        }
        self.mk(
            Op::Extract {
                high: low + width - 1,
                low,
            },
            width,
            &[t],
        )
    }

    fn extract_inside(&mut self, t: TermId, low: u32, width: u32) -> Option<TermId> {
        let first = *self.children(t).first()?;
        match self.op(t) {
            Op::Extract { low: inner, .. } => Some(self.extract(first, inner + low, width)),
            Op::Concat => Some(self.extract_from_parts(t, low, width)),
            Op::ZExt | Op::SExt => Some(self.extract_from_extension(t, low, width)),
            Op::Not => {
                let part = self.rewrite(|terms| terms.extract(first, low, width))?;
                Some(self.not(part))
            }
            // Only where joining the parts restores the choice; elsewhere the extract itself counts as a tree of
            // constants.
            Op::Ite if low == 0 && self.is_small_const_tree(t) && self.bit_length(t) <= width => {
                self.map_constants(t, |bits| bits.extract(low, width))
            }
            Op::And | Op::Or | Op::Xor => self.extract_from_bitwise(t, low, width),
            Op::Mul => self.extract_from_product(t, low, width),
            Op::Add if low == 0 => self.extract_from_sum(t, width),
            _ => None,
        }
    }

    fn extract_from_parts(&mut self, t: TermId, low: u32, width: u32) -> TermId {
        let mut end = 0;
        let mut result: Option<TermId> = None;
        for part in Children::from_slice(self.children(t)).into_iter().rev() {
            let (start, size) = (end, self.width(part));
            end += size;
            let from = low.max(start);
            let to = (low + width).min(end);
            if from < to {
                let piece = self.extract(part, from - start, to - from);
                result = Some(match result {
                    Some(below) => self.concat(piece, below),
                    None => piece,
                });
            }
        }
        result.expect("the extract overlaps a part")
    }

    fn extract_from_extension(&mut self, t: TermId, low: u32, width: u32) -> TermId {
        let x = self.children(t)[0];
        let inner = self.width(x);
        let signed = self.op(t) == Op::SExt;
        if low + width <= inner {
            self.extract(x, low, width)
        } else if low < inner {
            let part = self.extract(x, low, inner - low);
            if signed {
                self.sext(part, width)
            } else {
                self.zext(part, width)
            }
        } else if signed {
            let sign = self.extract(x, inner - 1, 1);
            self.sext(sign, width)
        } else {
            self.constant(width, 0)
        }
    }

    /// Enters the operands if one shrinks to nothing or to something that is not an extract.
    fn extract_from_bitwise(&mut self, t: TermId, low: u32, width: u32) -> Option<TermId> {
        let operands = Children::from_slice(self.children(t));
        let idle = operands.iter().any(|&c| match self.as_bits(c) {
            Some(bits) => {
                let part = bits.extract(low, width);
                part.is_zero() || part.is_ones()
            }
            None => false,
        });
        let compound = |&c: &TermId| matches!(self.op(c), Op::Const | Op::ZExt | Op::SExt | Op::Concat);
        if !idle && !operands.iter().all(compound) {
            return None;
        }
        let op = self.op(t);
        self.rewrite_within(6, |terms| {
            let parts: Children = operands.iter().map(|&c| terms.extract(c, low, width)).collect();
            terms.fold(&parts, |terms, a, b| match op {
                Op::And => terms.and(a, b),
                Op::Or => terms.or(a, b),
                _ => terms.xor(a, b),
            })
        })
    }

    fn extract_from_product(&mut self, t: TermId, low: u32, width: u32) -> Option<TermId> {
        let (x, factor) = (self.children(t)[0], self.children(t)[1]);
        if let Some(shift) = self.as_bits(factor).and_then(|c| c.as_power()) {
            return self.rewrite(|terms| {
                if low >= shift {
                    terms.extract(x, low - shift, width)
                } else if low + width <= shift {
                    terms.constant(width, 0)
                } else {
                    let zeros = terms.constant(shift - low, 0);
                    let part = terms.extract(x, 0, low + width - shift);
                    terms.concat(part, zeros)
                }
            });
        }
        if low == 0 && self.narrows(x, width) && self.narrows(factor, width) {
            return self.rewrite(|terms| {
                let (a, b) = (terms.extract(x, 0, width), terms.extract(factor, 0, width));
                terms.mul(a, b)
            });
        }
        None
    }

    /// Low bits of a sum: summands that are multiples of 2^width vanish; the rest narrows if every summand does.
    fn extract_from_sum(&mut self, t: TermId, width: u32) -> Option<TermId> {
        let summands = Children::from_slice(self.children(t));
        let vanishes = |terms: &Terms, c: TermId| terms.known_zero_low_bits(c) >= width;
        let rest: Children = summands.iter().copied().filter(|&c| !vanishes(self, c)).collect();
        if rest.is_empty() {
            return Some(self.constant(width, 0));
        }
        if rest.len() < summands.len() {
            return self.rewrite(|terms| {
                let rest = terms.fold(&rest, Terms::add);
                terms.extract(rest, 0, width)
            });
        }
        let narrows = summands.iter().all(|&c| match (self.op(c), self.children(c)) {
            (Op::Mul, &[x, factor]) if self.is_const(factor) => self.narrows(x, width),
            _ => self.narrows(c, width),
        });
        if !narrows {
            return None;
        }
        self.rewrite(|terms| {
            let parts: Children = summands
                .iter()
                .map(|&c| match (terms.op(c), terms.children(c)) {
                    (Op::Mul, &[x, factor]) => {
                        let (x, factor) = (terms.extract(x, 0, width), terms.extract(factor, 0, width));
                        terms.mul(x, factor)
                    }
                    _ => terms.extract(c, 0, width),
                })
                .collect();
            terms.fold(&parts, Terms::add)
        })
    }

    /// Whether the low bits of `t` are a term that is not an extract.
    fn narrows(&self, t: TermId, width: u32) -> bool {
        match (self.op(t), self.children(t)) {
            (Op::Const, _) => true,
            (Op::ZExt | Op::SExt, &[x]) => self.width(x) <= width,
            (Op::Concat, parts) => {
                let mut end = 0;
                parts.iter().rev().any(|&p| {
                    end += self.width(p);
                    end == width
                })
            }
            _ => false,
        }
    }

    pub fn zext(&mut self, t: TermId, width: u32) -> TermId {
        let from = self.width(t);
        assert!(from <= width, "zext from {from} to {width}");
        if from == width {
            return t;
        }
        if let Some(bits) = self.as_bits(t) {
            return self.constant_bits(&bits.zext(width));
        }
        match self.op(t) {
            Op::ZExt => {
                let inner = self.children(t)[0];
                self.mk(Op::ZExt, width, &[inner])
            }
            // The cut-off bits were zeros anyway.
            Op::Extract { low: 0, .. } if self.bit_length(self.children(t)[0]) <= from => {
                let whole = self.children(t)[0];
                self.resize_zext(whole, width)
            }
            Op::Ite if self.is_small_const_tree(t) => self
                .map_constants(t, |bits| bits.zext(width))
                .unwrap_or_else(|| self.mk(Op::ZExt, width, &[t])),
            _ => self.mk(Op::ZExt, width, &[t]),
        }
    }

    pub fn sext(&mut self, t: TermId, width: u32) -> TermId {
        let from = self.width(t);
        assert!(from <= width, "sext from {from} to {width}");
        if from == width {
            return t;
        }
        if let Some(bits) = self.as_bits(t) {
            return self.constant_bits(&bits.sext(width));
        }
        if self.surely_not_negative(t) {
            return self.zext(t, width);
        }
        match self.op(t) {
            Op::SExt => {
                let inner = self.children(t)[0];
                self.mk(Op::SExt, width, &[inner])
            }
            Op::Ite if self.is_small_const_tree(t) => self
                .map_constants(t, |bits| bits.sext(width))
                .unwrap_or_else(|| self.mk(Op::SExt, width, &[t])),
            _ => self.mk(Op::SExt, width, &[t]),
        }
    }

    fn is_small_const_tree(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::CONST) && self.node(t).leaves <= 8
    }

    /// Extended, truncated or unchanged.
    pub fn resize_zext(&mut self, t: TermId, width: u32) -> TermId {
        if width < self.width(t) {
            self.extract(t, 0, width)
        } else {
            self.zext(t, width)
        }
    }

    /// Extended, truncated or unchanged.
    pub fn resize_sext(&mut self, t: TermId, width: u32) -> TermId {
        if width < self.width(t) {
            self.extract(t, 0, width)
        } else {
            self.sext(t, width)
        }
    }
}
