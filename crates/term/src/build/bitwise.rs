//! And, or, xor, not (the boolean ones at width 1), shifts.

use crate::arena::Children;
use crate::flags::Flags;
use crate::{Bits, Op, TermId, Terms};

/// Longer lists of operands keep one side as an opaque operand.
const MAX_OPERANDS: usize = 16;

impl Terms {
    pub fn not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some(bits) = self.as_bits(a) {
            return self.constant_bits(&bits.not());
        }
        match (self.op(a), self.children(a)) {
            (Op::Not, &[x]) => x,
            (Op::Ult, &[x, y]) => self.ule(y, x),
            (Op::Ule, &[x, y]) => self.ult(y, x),
            (Op::Slt, &[x, y]) => self.sle(y, x),
            (Op::Sle, &[x, y]) => self.slt(y, x),
            // ~x = -1 - x
            (Op::Add | Op::Mul, _) => {
                let ones = self.constant_bits(&Bits::ones(width));
                self.sub(ones, a)
            }
            (Op::Ite, _) if self.flags(a).has(Flags::CONST) => self
                .map_constants(a, Bits::not)
                .unwrap_or_else(|| self.mk(Op::Not, width, &[a])),
            _ => self.mk(Op::Not, width, &[a]),
        }
    }

    /// Whether `a` is the negation of `b`, by a shallow test.
    pub(crate) fn complementary(&self, a: TermId, b: TermId) -> bool {
        match (self.op(a), self.children(a), self.op(b), self.children(b)) {
            (Op::Not, &[x], _, _) if x == b => true,
            (_, _, Op::Not, &[y]) => y == a,
            (Op::Ult, &[x, y], Op::Ule, &[v, w]) | (Op::Ule, &[x, y], Op::Ult, &[v, w]) => (x, y) == (w, v),
            (Op::Slt, &[x, y], Op::Sle, &[v, w]) | (Op::Sle, &[x, y], Op::Slt, &[v, w]) => (x, y) == (w, v),
            // x < c and c - 1 < x
            (Op::Ult | Op::Slt, &[x, y], other, &[v, w]) if other == self.op(a) => {
                let next = |small: TermId, large: TermId| match (self.as_bits(small), self.as_bits(large)) {
                    (Some(s), Some(l)) => s.add(&Bits::one(s.width())) == l && !l.is_zero(),
                    _ => false,
                };
                x == w && next(v, y) || y == v && next(x, w)
            }
            _ => false,
        }
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.same_width(a, b);
        self.lattice(Op::And, a, b)
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        self.same_width(a, b);
        self.lattice(Op::Or, a, b)
    }

    /// And, or: idempotent, with a neutral and an absorbing constant, each the dual of the other.
    fn lattice(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return a;
        }
        let neutral = if op == Op::And {
            Bits::ones(width)
        } else {
            Bits::zero(width)
        };
        let combine = if op == Op::And { Bits::and } else { Bits::or };
        for (x, y) in [(a, b), (b, a)] {
            if let Some(bits) = self.as_bits(x) {
                if bits == neutral {
                    return y;
                }
                if bits == neutral.not() {
                    return x;
                }
            }
        }
        if let Some(t) = self.fold_constants(a, b, combine) {
            return t;
        }
        let mut operands = Children::new();
        let mut constant = neutral.clone();
        self.flatten(op, a, &mut operands, &mut constant, combine);
        self.flatten(op, b, &mut operands, &mut constant, combine);
        if constant == neutral.not() {
            return self.constant_bits(&constant);
        }
        self.sort_operands(&mut operands);
        operands.dedup();
        if operands.len() > MAX_OPERANDS {
            operands = [a, b].into_iter().collect();
            constant = neutral.clone();
            self.sort_operands(&mut operands);
        }
        if width == 1 || operands.len() <= 4 {
            if self.has_complement(&operands) {
                return self.constant_bits(&neutral.not());
            }
            self.absorb(op, &mut operands);
        }
        if constant != neutral {
            return self.lattice_constant(op, operands, constant);
        }
        if width > 1 && operands.len() == 2 {
            let (x, y) = (operands[0], operands[1]);
            let rule = if op == Op::And { Terms::and_pair } else { Terms::or_pair };
            if let Some(t) = self.rewrite(|terms| rule(terms, x, y)).flatten() {
                return t;
            }
        }
        if width == 1
            && operands.len() >= 2
            && let Some(t) = self.rewrite(|terms| terms.combine_literals(op, &operands)).flatten()
        {
            return t;
        }
        match operands[..] {
            [] => self.constant_bits(&neutral),
            [only] => only,
            _ => self.mk(op, width, &operands),
        }
    }

    fn flatten(
        &self,
        op: Op,
        t: TermId,
        operands: &mut Children,
        constant: &mut Bits,
        combine: fn(&Bits, &Bits) -> Bits,
    ) {
        let own = [t];
        for &c in if self.op(t) == op { self.children(t) } else { &own } {
            match self.as_bits(c) {
                Some(bits) => *constant = combine(constant, &bits),
                None => operands.push(c),
            }
        }
    }

    fn has_complement(&self, operands: &[TermId]) -> bool {
        operands
            .iter()
            .enumerate()
            .any(|(i, &x)| operands[..i].iter().any(|&y| self.complementary(x, y)))
    }

    /// `x & (x | y)` is `x`, `x & (~x | y)` is `x & y`; dually for or.
    fn absorb(&mut self, op: Op, operands: &mut Children) {
        let dual = if op == Op::And { Op::Or } else { Op::And };
        if !operands.iter().any(|&x| self.op(x) == dual) {
            return;
        }
        let all = operands.clone();
        let mut changed = false;
        operands.clear();
        for &x in &all {
            if self.op(x) != dual {
                operands.push(x);
                continue;
            }
            let inner = Children::from_slice(self.children(x));
            // Also `(x & y & z) | (x & y)`: an operand implied by a shorter one of its own kind.
            let implied = |y: TermId| {
                let other = self.children(y);
                self.op(y) == dual && other.len() < inner.len() && other.iter().all(|i| inner.contains(i))
            };
            if all.iter().any(|&y| inner.contains(&y) || implied(y)) {
                changed = true;
                continue;
            }
            let refuted = |terms: &Terms, i: TermId| all.iter().any(|&y| y != x && terms.complementary(i, y));
            let kept: Children = inner.iter().copied().filter(|&i| !refuted(self, i)).collect();
            if kept.len() == inner.len() {
                operands.push(x);
                continue;
            }
            changed = true;
            let width = self.width(x);
            let rest = match kept[..] {
                [] => self.constant_bits(&if dual == Op::Or {
                    Bits::zero(width)
                } else {
                    Bits::ones(width)
                }),
                [only] => only,
                _ => self.mk(dual, width, &kept),
            };
            operands.push(rest);
        }
        if changed {
            // The result may be an operand of the same kind again.
            if operands.iter().any(|&x| self.op(x) == op || self.is_const(x)) {
                let rebuilt = self.rewrite(|terms| terms.fold(operands, |t, a, b| t.lattice(op, a, b)));
                match rebuilt {
                    Some(t) => *operands = [t].into_iter().collect(),
                    None => *operands = all,
                }
            } else {
                self.sort_operands(operands);
                operands.dedup();
            }
        }
    }

    /// Operands and one constant that is neither neutral nor absorbing.
    fn lattice_constant(&mut self, op: Op, mut operands: Children, constant: Bits) -> TermId {
        let width = constant.width();
        let rest = match operands[..] {
            [] => return self.constant_bits(&constant),
            [only] => only,
            _ => self.mk(op, width, &operands),
        };
        if width <= 64 {
            let facts = self.facts(rest);
            let c = constant.low_u64();
            // Bits that the constant would force are known already.
            let idle = match op {
                Op::And => !c & !facts.zeros & crate::facts::mask(width) == 0,
                _ => c & !facts.ones == 0,
            };
            if idle {
                return rest;
            }
            // (p + 39) & ~15 with an aligned p: the masked bits are known, and subtracted.
            let masked = !c & crate::facts::mask(width);
            if op == Op::And && self.op(rest) == Op::Add && masked & !(facts.zeros | facts.ones) == 0 {
                let known = self.constant(width, facts.ones & masked);
                return self.sub(rest, known);
            }
        }
        if self.flags(rest).has(Flags::CONST) {
            let f = if op == Op::And { Bits::and } else { Bits::or };
            if let Some(t) = self.map_constants(rest, |x| f(x, &constant)) {
                return t;
            }
        }
        if op == Op::And
            && let Some(t) = self.rewrite(|terms| terms.mask(rest, &constant)).flatten()
        {
            return t;
        }
        if op == Op::Or {
            let c = self.constant_bits(&constant);
            if let Some(t) = self.rewrite(|terms| terms.or_pair(rest, c)).flatten() {
                return t;
            }
        }
        operands = match self.op(rest) == op {
            true => Children::from_slice(self.children(rest)),
            false => [rest].into_iter().collect(),
        };
        let c = self.constant_bits(&constant);
        operands.push(c);
        self.mk(op, width, &operands)
    }

    /// And with a mask that is one run of ones: zeros, a part, zeros.
    fn mask(&mut self, t: TermId, mask: &Bits) -> Option<TermId> {
        let width = mask.width();
        let (low, top) = (mask.trailing_zeros(), mask.bit_length());
        if mask.count_ones() != top - low {
            // Above the mask there is nothing: a narrower And will do.
            return (self.op(t) == Op::ZExt).then(|| self.mask_extension(t, mask)).flatten();
        }
        let part = self.extract(t, low, top - low);
        let shifted = if low > 0 {
            let zeros = self.constant(low, 0);
            self.concat(part, zeros)
        } else {
            part
        };
        Some(self.zext(shifted, width))
    }

    fn mask_extension(&mut self, t: TermId, mask: &Bits) -> Option<TermId> {
        let x = self.children(t)[0];
        let narrow = self.constant_bits(&mask.extract(0, self.width(x)));
        let inner = self.and(x, narrow);
        Some(self.zext(inner, mask.width()))
    }

    fn and_pair(&mut self, x: TermId, y: TermId) -> Option<TermId> {
        let width = self.width(x);
        if let (Op::ZExt, &[a], Op::ZExt, &[b]) = (self.op(x), self.children(x), self.op(y), self.children(y)) {
            let narrow = self.width(a).min(self.width(b));
            let (a, b) = (self.extract(a, 0, narrow), self.extract(b, 0, narrow));
            let inner = self.and(a, b);
            return Some(self.zext(inner, width));
        }
        // And with a boolean extended over all bits is a choice.
        self.choice(x, y, |terms, c, other| {
            let zero = terms.constant(width, 0);
            terms.ite(c, other, zero)
        })
    }

    fn or_pair(&mut self, x: TermId, y: TermId) -> Option<TermId> {
        let width = self.width(x);
        if let Some(t) = self.or_disjoint(x, y).or_else(|| self.or_disjoint(y, x)) {
            return Some(t);
        }
        if let (Op::ZExt, &[a], Op::ZExt, &[b]) = (self.op(x), self.children(x), self.op(y), self.children(y)) {
            let narrow = self.width(a).max(self.width(b));
            if narrow < width {
                let (a, b) = (self.zext(a, narrow), self.zext(b, narrow));
                let inner = self.or(a, b);
                return Some(self.zext(inner, width));
            }
        }
        self.choice(x, y, |terms, c, other| {
            let ones = terms.constant_bits(&Bits::ones(width));
            terms.ite(c, ones, other)
        })
    }

    fn choice(&mut self, x: TermId, y: TermId, f: impl Fn(&mut Terms, TermId, TermId) -> TermId) -> Option<TermId> {
        for (stretched, other) in [(x, y), (y, x)] {
            if let (Op::SExt, &[c]) = (self.op(stretched), self.children(stretched))
                && self.width(c) == 1
            {
                return Some(f(self, c, other));
            }
        }
        None
    }

    /// `high | low` where the low bits of `high` are zero and `low` has no others: bytes joined, or an addition.
    fn or_disjoint(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let width = self.width(high);
        let seam = self.bit_length(low);
        if seam >= width || self.known_zero_low_bits(high) < seam {
            return None;
        }
        let top = self.extract(high, seam, width - seam);
        if matches!(self.op(top), Op::Extract { .. } | Op::Add | Op::Mul) {
            return Some(self.add(high, low));
        }
        let bottom = self.extract(low, 0, seam);
        Some(self.concat(top, bottom))
    }

    /// An upper bound on the number of significant bits.
    pub(crate) fn bit_length(&self, t: TermId) -> u32 {
        match (self.as_bits(t), self.op(t)) {
            (Some(bits), _) => bits.bit_length(),
            (None, Op::ZExt) if self.width(t) > 64 => self.width(self.children(t)[0]),
            (None, _) if self.width(t) <= 64 => 64 - self.facts(t).hi.leading_zeros(),
            _ => self.width(t),
        }
    }

    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.constant(width, 0);
        }
        if let Some(t) = self.fold_constants(a, b, Bits::xor) {
            return t;
        }
        let mut operands = Children::new();
        let mut constant = Bits::zero(width);
        for t in [a, b] {
            // Negations and constants come out.
            let t = match (self.op(t), self.children(t)) {
                (Op::Not, &[x]) => {
                    constant = constant.not();
                    x
                }
                _ => t,
            };
            self.flatten(Op::Xor, t, &mut operands, &mut constant, Bits::xor);
        }
        if operands.len() > MAX_OPERANDS {
            operands = [a, b].into_iter().collect();
            constant = Bits::zero(width);
        }
        self.sort_operands(&mut operands);
        let mut kept = Children::new();
        for &x in &operands {
            if kept.last() == Some(&x) {
                kept.pop();
            } else {
                kept.push(x);
            }
        }
        let negate = constant.is_ones() && !kept.is_empty();
        if !negate && !constant.is_zero() {
            let c = self.constant_bits(&constant);
            kept.push(c);
        }
        let result = match kept[..] {
            [] => self.constant_bits(&constant),
            [only] => only,
            [x, y] if self.op(x) == Op::ZExt && self.op(y) == Op::ZExt => {
                let (a, b) = (self.children(x)[0], self.children(y)[0]);
                let narrow = self.width(a).max(self.width(b));
                let (a, b) = (self.zext(a, narrow), self.zext(b, narrow));
                match self.rewrite(|terms| terms.xor(a, b)) {
                    Some(inner) => self.zext(inner, width),
                    None => self.mk(Op::Xor, width, &kept),
                }
            }
            _ => self.mk(Op::Xor, width, &kept),
        };
        if negate { self.not(result) } else { result }
    }

    pub fn shl(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let Some(t) = self.fold_constants(a, b, Bits::shl) {
            return t;
        }
        if let Some(by) = self.as_bits(b) {
            let factor = Bits::one(width).shl(&by);
            let factor = self.constant_bits(&factor);
            return self.mul(a, factor);
        }
        if self.shifts_out(a, b, width) {
            return self.constant(width, 0);
        }
        self.mk(Op::Shl, width, &[a, b])
    }

    pub fn lshr(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let Some(t) = self.fold_constants(a, b, Bits::lshr) {
            return t;
        }
        if let Some(by) = self.as_bits(b) {
            let by = by.to_u64().map_or(width, |n| n.min(width as u64) as u32);
            return self.lshr_constant(a, by);
        }
        if self.shifts_out(a, b, width) {
            return self.constant(width, 0);
        }
        self.mk(Op::LShr, width, &[a, b])
    }

    pub(crate) fn lshr_constant(&mut self, a: TermId, by: u32) -> TermId {
        let width = self.width(a);
        if by >= width {
            return self.constant(width, 0);
        }
        let part = self.extract(a, by, width - by);
        self.zext(part, width)
    }

    pub fn ashr(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let Some(t) = self.fold_constants(a, b, Bits::ashr) {
            return t;
        }
        if self.surely_not_negative(a) {
            return self.lshr(a, b);
        }
        if let Some(by) = self.as_bits(b) {
            let by = by.to_u64().map_or(width - 1, |n| n.min(width as u64 - 1) as u32);
            let part = self.extract(a, by, width - by);
            return self.sext(part, width);
        }
        self.mk(Op::AShr, width, &[a, b])
    }

    fn shifts_out(&self, a: TermId, by: TermId, width: u32) -> bool {
        self.as_bits(a).is_some_and(|c| c.is_zero()) || width <= 64 && self.facts(by).lo >= width as u64
    }
}
