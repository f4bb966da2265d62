//! Strided intervals: the bounds of a term, read as a signed number, and the step between its values.
//!
//! Known bits express congruence modulo 32, but not modulo 24, and the offset of a field in an array of records is of
//! that kind: `24 · i + 8`. A product or a sum that wraps keeps only congruences modulo powers of two, so ranges and
//! strides go together (Balakrishnan and Reps, *Analyzing Memory Accesses in x86 Executables*). Signed, because an
//! index of type `int` may be negative by its type, and lies inside an array only if it is not.
//!
//! They are computed on demand, top down and only a few levels deep; what every node carries are its
//! [facts](crate::facts).

use crate::{Op, TermId, Terms, sign_extend};

/// How many nodes one question visits, and how deep it goes.
const NODES: u32 = 1 << 12;
const DEPTH: u32 = 16;

/// `low`, `low + stride`, … up to `high`, which is one of them. A single number has stride 0.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Strided {
    pub low: i64,
    pub high: i64,
    pub stride: u64,
}

impl Strided {
    pub fn one(value: i64) -> Strided {
        Strided {
            low: value,
            high: value,
            stride: 0,
        }
    }

    /// The numbers from `low` to `high` that are congruent to `of` modulo `stride`. `None`: there are none, or the
    /// bounds do not fit in 64 bits.
    fn within(low: i128, high: i128, of: i128, stride: u64) -> Option<Strided> {
        let (low, high) = match stride as i128 {
            0 => (low.max(of), high.min(of)),
            step => (low + (of - low).rem_euclid(step), high - (high - of).rem_euclid(step)),
        };
        let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
        let stride = if low == high { 0 } else { stride };
        (low <= high).then_some(Strided { low, high, stride })
    }

    /// The numbers from `low` to `high` among these.
    pub fn between(self, low: i64, high: i64) -> Option<Strided> {
        let (low, high) = (self.low.max(low), self.high.min(high));
        Strided::within(low.into(), high.into(), self.low.into(), self.stride)
    }

    pub fn contains(self, value: i64) -> bool {
        self.between(value, value).is_some()
    }

    /// How many numbers there are, minus one: the count of all 64-bit numbers would overflow.
    pub fn steps(self) -> u64 {
        self.high.abs_diff(self.low).checked_div(self.stride).unwrap_or(0)
    }

    pub fn iter(self) -> impl Iterator<Item = i64> {
        (0..=self.steps()).map(move |step| self.low + (step * self.stride) as i64)
    }

    /// A strided interval that contains both.
    fn join(self, other: Strided) -> Strided {
        let apart = self.low.abs_diff(other.low);
        Strided {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            stride: gcd(gcd(self.stride, other.stride), apart),
        }
    }

    /// Sums, or products with a number. `None`: some results exceed 64 bits.
    pub(crate) fn plus(self, other: Strided) -> Option<Strided> {
        Some(Strided {
            low: self.low.checked_add(other.low)?,
            high: self.high.checked_add(other.high)?,
            stride: gcd(self.stride, other.stride),
        })
    }

    pub(crate) fn times(self, factor: i64) -> Option<Strided> {
        let (a, b) = (self.low.checked_mul(factor)?, self.high.checked_mul(factor)?);
        Some(Strided {
            low: a.min(b),
            high: a.max(b),
            stride: self.stride.checked_mul(factor.unsigned_abs())?,
        })
    }

    pub(crate) fn fits(self, width: u32) -> bool {
        sign_extend(self.low as u64, width) == self.low && sign_extend(self.high as u64, width) == self.high
    }
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Terms {
    /// The strided interval of a bit-vector of at most 64 bits, read as a signed number.
    pub fn strided(&self, t: TermId) -> Strided {
        self.strided_below(t, DEPTH, &mut { NODES })
    }

    fn strided_below(&self, t: TermId, depth: u32, nodes: &mut u32) -> Strided {
        let known = self.strided_by_facts(t);
        if known.stride == 0 || depth == 0 || *nodes == 0 {
            return known;
        }
        *nodes -= 1;
        let structure = self.strided_by_structure(t, depth - 1, nodes);
        let structure = structure.filter(|structure| structure.fits(self.width(t)));
        // The facts hold as well: their strides are only powers of two, but a bound may be tighter.
        structure.map_or(known, |structure| {
            structure.between(known.low, known.high).unwrap_or(known)
        })
    }

    /// What the range and the low bits say.
    fn strided_by_facts(&self, t: TermId) -> Strided {
        let (low, high) = self.signed_range(t);
        let (ones, zeros) = self.known_bits(t);
        let known = (ones | zeros).trailing_ones().min(63);
        let stride = 1u64 << known;
        let residue = ones & (stride - 1);
        let all = Strided { low, high, stride: 1 };
        Strided::within(low.into(), high.into(), residue.into(), stride).unwrap_or(all)
    }

    fn strided_by_structure(&self, t: TermId, depth: u32, nodes: &mut u32) -> Option<Strided> {
        let children = self.children(t);
        match self.op(t) {
            Op::Add => {
                let mut sum = Strided::one(0);
                for &child in children {
                    sum = sum.plus(self.strided_below(child, depth, nodes))?;
                }
                Some(sum)
            }
            Op::Mul => {
                let factor = sign_extend(self.as_const(children[1])?, self.width(t));
                self.strided_below(children[0], depth, nodes).times(factor)
            }
            Op::SExt => Some(self.strided_below(children[0], depth, nodes)),
            Op::ZExt => self.strided_unsigned(children[0], depth, nodes),
            Op::Extract { low: 0, .. } if self.width(children[0]) <= 64 => {
                Some(self.strided_below(children[0], depth, nodes))
            }
            Op::Concat => {
                let mut whole = self.strided_below(children[0], depth, nodes);
                for &low in &children[1..] {
                    let shifted = whole.times(1i64.checked_shl(self.width(low)).filter(|&factor| factor > 0)?)?;
                    whole = shifted.plus(self.strided_unsigned(low, depth, nodes)?)?;
                }
                Some(whole)
            }
            Op::Ite => {
                let (a, b) = (children[1], children[2]);
                let a = self.strided_below(a, depth, nodes);
                Some(a.join(self.strided_below(b, depth, nodes)))
            }
            Op::Lookup(table) => {
                let mut all = self.strided_below(children[1], depth, nodes);
                for &(_, entry) in self.table(table) {
                    all = all.join(self.strided_below(entry, depth, nodes));
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The same for a term read as an unsigned number. `None`: it may exceed the signed 64-bit range.
    fn strided_unsigned(&self, t: TermId, depth: u32, nodes: &mut u32) -> Option<Strided> {
        let signed = self.strided_below(t, depth, nodes);
        if signed.low >= 0 {
            return Some(signed);
        }
        let (low, high) = self.range(t);
        let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
        // Reading the sign as a digit adds a power of two, so only the low bits of the stride survive.
        let stride = 1u64 << signed.stride.trailing_zeros().min(self.width(t)).min(63);
        let residue = signed.low.rem_euclid(stride as i64);
        Strided::within(low.into(), high.into(), residue.into(), stride)
    }
}
