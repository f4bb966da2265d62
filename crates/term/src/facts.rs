//! Known bits and ranges of nodes.
//!
//! They exist for widths up to 64, are computed from the children's when a node is made, and hold for every assignment
//! and every layout.

use crate::base::address_range;
use crate::{BaseId, Op, TermId, Terms, sign_extend, truncate};

/// What is known of a value of at most 64 bits: bits that are one, bits that are zero, and an unsigned range. Nothing
/// is known of other sorts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub ones: u64,
    pub zeros: u64,
    pub lo: u64,
    pub hi: u64,
}

pub(crate) fn mask(width: u32) -> u64 {
    truncate(u64::MAX, width)
}

impl Facts {
    pub fn exact(width: u32, value: u64) -> Facts {
        Facts {
            ones: value,
            zeros: !value & mask(width),
            lo: value,
            hi: value,
        }
    }

    pub fn unknown(width: u32) -> Facts {
        Facts {
            ones: 0,
            zeros: 0,
            lo: 0,
            hi: mask(width),
        }
    }

    fn bits(width: u32, ones: u64, zeros: u64) -> Facts {
        Facts {
            ones: ones & mask(width),
            zeros: zeros & mask(width),
            ..Facts::unknown(width)
        }
        .tighten(width)
    }

    fn range(width: u32, lo: u64, hi: u64) -> Facts {
        Facts {
            lo,
            hi,
            ..Facts::unknown(width)
        }
        .tighten(width)
    }

    /// Refines bits and range by each other.
    fn tighten(mut self, width: u32) -> Facts {
        let all = mask(width);
        self.lo = self.lo.max(self.ones);
        self.hi = self.hi.min(all & !self.zeros);
        debug_assert!(
            self.lo <= self.hi && self.ones & self.zeros == 0,
            "contradictory facts {self:?}"
        );
        // Above the highest bit in which the bounds differ, every value agrees with them.
        let differ = self.lo ^ self.hi;
        let same = if differ == 0 {
            all
        } else {
            all & !(u64::MAX >> differ.leading_zeros())
        };
        self.ones |= self.lo & same;
        self.zeros |= !self.lo & same & all;
        self
    }

    fn meet(self, other: Facts, width: u32) -> Facts {
        let met = Facts {
            ones: self.ones | other.ones,
            zeros: self.zeros | other.zeros,
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        };
        met.tighten(width)
    }

    pub fn join(self, other: Facts) -> Facts {
        Facts {
            ones: self.ones & other.ones,
            zeros: self.zeros & other.zeros,
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    fn trailing_zeros(self) -> u32 {
        (!self.zeros).trailing_zeros()
    }

    /// How many low bits are known without a gap.
    fn known_low(self) -> u32 {
        (!(self.zeros | self.ones)).trailing_zeros()
    }

    /// The range as signed numbers.
    pub fn signed(self, width: u32) -> (i64, i64) {
        let sign = 1u64 << (width - 1);
        if self.lo & sign == self.hi & sign {
            (sign_extend(self.lo, width), sign_extend(self.hi, width))
        } else {
            (sign_extend(sign, width), (sign - 1) as i64)
        }
    }

    /// Whether two values with these facts must differ.
    pub fn differ(self, other: Facts) -> bool {
        self.ones & other.zeros != 0 || self.zeros & other.ones != 0 || self.hi < other.lo || other.hi < self.lo
    }
}

impl Terms {
    // ---- asking ----

    pub(crate) fn facts(&self, t: TermId) -> Facts {
        self.node(t).facts
    }

    /// Unsigned and conservative; the full range for widths above 64.
    pub fn range(&self, t: TermId) -> (u64, u64) {
        let facts = self.facts(t);
        (facts.lo, facts.hi)
    }

    /// The range as signed numbers; the full range for widths above 64.
    pub fn signed_range(&self, t: TermId) -> (i64, i64) {
        match self.width(t) {
            width @ ..=64 => self.facts(t).signed(width),
            _ => (i64::MIN, i64::MAX),
        }
    }

    /// Trailing bits known to be zero (at most 64).
    pub fn known_zero_low_bits(&self, t: TermId) -> u32 {
        match self.as_bits(t) {
            Some(bits) => bits.trailing_zeros(),
            None => self.facts(t).trailing_zeros().min(self.width(t)),
        }
    }

    /// Masks of the bits known to be one and known to be zero.
    pub fn known_bits(&self, t: TermId) -> (u64, u64) {
        let facts = self.facts(t);
        (facts.ones, facts.zeros)
    }

    // ---- computing, when a node is made ----

    pub(crate) fn compute_facts(&self, op: Op, width: u32, index_width: u32, children: &[TermId]) -> Facts {
        let unknown = Facts::unknown(width);
        if width > 64 || index_width != 0 {
            return unknown;
        }
        let f = |i: usize| self.facts(children[i]);
        match op {
            Op::Base(b) => self.base_facts(b),
            Op::Add => self.add_facts(width, children),
            Op::Mul => mul_facts(width, f(0), f(1)),
            Op::UDiv if f(1).lo > 0 => Facts::range(width, f(0).lo / f(1).hi, f(0).hi / f(1).lo),
            Op::URem if f(1).lo > 0 => Facts::range(width, 0, f(0).hi.min(f(1).hi - 1)),
            Op::URem => Facts::range(width, 0, f(0).hi),
            Op::And => children
                .iter()
                .map(|&c| self.facts(c))
                .fold(Facts::exact(width, mask(width)), |a, b| {
                    let bits = Facts::bits(width, a.ones & b.ones, a.zeros | b.zeros);
                    bits.meet(Facts::range(width, 0, a.hi.min(b.hi)), width)
                }),
            Op::Or => children
                .iter()
                .map(|&c| self.facts(c))
                .fold(Facts::exact(width, 0), |a, b| {
                    let bits = Facts::bits(width, a.ones | b.ones, a.zeros & b.zeros);
                    bits.meet(Facts::range(width, a.lo.max(b.lo), mask(width)), width)
                }),
            Op::Xor => children
                .iter()
                .map(|&c| self.facts(c))
                .fold(Facts::exact(width, 0), |a, b| {
                    let ones = a.ones & b.zeros | a.zeros & b.ones;
                    Facts::bits(width, ones, a.ones & b.ones | a.zeros & b.zeros)
                }),
            Op::Not => {
                let bits = Facts::bits(width, f(0).zeros, f(0).ones);
                bits.meet(
                    Facts::range(width, mask(width) & !f(0).hi, mask(width) & !f(0).lo),
                    width,
                )
            }
            Op::Shl => {
                let zeros = f(0).trailing_zeros() as u64 + f(1).lo;
                Facts::bits(width, 0, if zeros >= 64 { u64::MAX } else { mask(zeros as u32) })
            }
            Op::Member => member_facts(width, f(0), f(1).lo as u32),
            Op::LShr => Facts::range(width, 0, if f(1).lo >= 64 { 0 } else { f(0).hi >> f(1).lo }),
            Op::Ite => f(1).join(f(2)),
            Op::Lookup(table) => f(1).join(self.table_data(table).facts),
            Op::Concat => {
                let (mut bits, mut lo, mut hi) = (unknown, 0, 0);
                for (i, &c) in children.iter().enumerate() {
                    let part = self.facts(c);
                    // The first part may be as wide as the whole only if it is the whole, which `concat` never builds.
                    let shift = if i == 0 { 0 } else { self.width(c) };
                    bits.ones = bits.ones << shift | part.ones;
                    bits.zeros = bits.zeros << shift | part.zeros;
                    lo = lo << shift | part.lo;
                    hi = hi << shift | part.hi;
                }
                Facts { lo, hi, ..bits }.tighten(width)
            }
            Op::ZExt => {
                let above = mask(width) & !mask(self.width(children[0]));
                Facts {
                    zeros: f(0).zeros | above,
                    ..f(0)
                }
            }
            Op::SExt => sext_facts(width, self.width(children[0]), f(0)),
            Op::Extract { low, .. } if self.width(children[0]) <= 64 => {
                let bits = Facts::bits(width, f(0).ones >> low, f(0).zeros >> low);
                let (lo, hi) = (f(0).lo >> low, f(0).hi >> low);
                // The range survives if the bits cut off above are the same at both ends.
                if width == 64 || lo >> width == hi >> width {
                    bits.meet(Facts::range(width, truncate(lo, width), truncate(hi, width)), width)
                } else {
                    bits
                }
            }
            _ => unknown,
        }
    }

    fn base_facts(&self, b: BaseId) -> Facts {
        let width = self.pointer_width;
        let align = self.base_info(b).align.max(1);
        let low_zeros = mask(align.trailing_zeros());
        match address_range(width) {
            // An aligned address that is not zero is at least the alignment.
            Some((lo, hi)) if align < hi => Facts {
                zeros: low_zeros,
                ones: 0,
                lo: lo.max(align),
                hi,
            }
            .tighten(width),
            _ => Facts::bits(width, 0, low_zeros),
        }
    }

    fn add_facts(&self, width: u32, children: &[TermId]) -> Facts {
        // Summed as mathematical integers; any representative modulo 2^width will do for a summand, so small negative
        // ones (constants and multiples with a negative factor) count as negative.
        let (mut lo, mut hi) = (0i128, 0i128);
        let mut known = width;
        let (mut low_sum, mut zeros) = (0u64, width);
        for &c in children {
            let (c_lo, c_hi) = self.summand_range(width, c);
            lo += c_lo;
            hi += c_hi;
            let facts = self.facts(c);
            known = known.min(facts.known_low());
            low_sum = low_sum.wrapping_add(facts.ones);
            zeros = zeros.min(facts.trailing_zeros());
        }
        let low = mask(known.min(64));
        let low_sum = low_sum & if known == 0 { 0 } else { low };
        let known_zeros = if known == 0 { 0 } else { low & !low_sum };
        let zero_mask = if zeros == 0 { 0 } else { mask(zeros) };
        let bits = Facts::bits(width, low_sum, known_zeros | zero_mask);
        if lo >> width == hi >> width {
            let modulus = |v: i128| truncate(v as u64, width);
            bits.meet(Facts::range(width, modulus(lo), modulus(hi)), width)
        } else {
            bits
        }
    }

    fn summand_range(&self, width: u32, t: TermId) -> (i128, i128) {
        let facts = self.facts(t);
        if self.op(t) == Op::Mul
            && let &[x, factor] = self.children(t)
            && let Some(factor) = self.as_const(factor)
        {
            let factor = sign_extend(factor, width);
            if factor.unsigned_abs() <= 1 << 31 {
                let x = self.facts(x);
                let (a, b) = (x.lo as i128 * factor as i128, x.hi as i128 * factor as i128);
                let wide = (a.min(b), a.max(b));
                // If the product is known not to wrap, its own facts may be tighter; they are never much wider.
                return if factor < 0 || wide.1 - wide.0 <= (facts.hi - facts.lo) as i128 {
                    wide
                } else {
                    (facts.lo as i128, facts.hi as i128)
                };
            }
        }
        if self.is_const(t) {
            let value = sign_extend(facts.ones, width) as i128;
            return (value, value);
        }
        (facts.lo as i128, facts.hi as i128)
    }
}

fn mul_facts(width: u32, a: Facts, b: Facts) -> Facts {
    let zeros = (a.trailing_zeros() + b.trailing_zeros()).min(width);
    let zero_mask = if zeros == 0 { 0 } else { mask(zeros) };
    let known = a.known_low().min(b.known_low()).min(width);
    let low = if known == 0 { 0 } else { mask(known) };
    let product = a.ones.wrapping_mul(b.ones) & low;
    let bits = Facts::bits(width, product, low & !product | zero_mask);
    match a.hi.checked_mul(b.hi) {
        Some(hi) if hi <= mask(width) => bits.meet(Facts::range(width, a.lo * b.lo, hi), width),
        _ => bits,
    }
}

/// The distance of a member is a multiple of the stride. Even if only one multiple is possible, the facts do not say
/// so: the distance must not fold into a number.
fn member_facts(width: u32, index: Facts, shift: u32) -> Facts {
    let multiple = Facts::bits(width, 0, mask(shift.min(width)));
    match index.hi.checked_mul(1 << shift) {
        Some(hi) if hi <= mask(width) => multiple.meet(Facts::range(width, 0, hi), width),
        _ => multiple,
    }
}

fn sext_facts(width: u32, from: u32, f: Facts) -> Facts {
    let sign = 1u64 << (from - 1);
    let above = mask(width) & !mask(from);
    if f.zeros & sign != 0 {
        Facts {
            zeros: f.zeros | above,
            ..f
        }
    } else if f.ones & sign != 0 {
        let extend = |v: u64| truncate(sign_extend(v, from) as u64, width);
        Facts {
            ones: f.ones | above,
            zeros: f.zeros,
            lo: extend(f.lo),
            hi: extend(f.hi),
        }
    } else {
        Facts::bits(width, f.ones & !sign, f.zeros & !sign)
    }
}
