//! Arithmetic on machine integers: what the fast path and the general one share.

use mneme_program::{BinOp, CastOp, FloatCast, FloatOp, FloatPred, Pred};
use mneme_term::{sign_extend, truncate};

/// `None` where the C program has no defined result: division by zero, a shift past the width. Widths up to 64.
#[inline(always)]
pub fn bin(op: BinOp, width: u32, a: u64, b: u64) -> Option<u64> {
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => return Some(a & b),
        BinOp::Or => return Some(a | b),
        BinOp::Xor => return Some(a ^ b),
        BinOp::UDiv => return a.checked_div(b),
        BinOp::URem => return a.checked_rem(b),
        // The quotient of the least number and -1 does not fit: the machine traps.
        BinOp::SDiv | BinOp::SRem if b == truncate(u64::MAX, width) && a == 1 << (width - 1) => return None,
        BinOp::SDiv if b != 0 => sign_extend(a, width).wrapping_div(sign_extend(b, width)) as u64,
        BinOp::SRem if b != 0 => sign_extend(a, width).wrapping_rem(sign_extend(b, width)) as u64,
        BinOp::SDiv | BinOp::SRem => return None,
        BinOp::Shl | BinOp::LShr | BinOp::AShr if b >= width as u64 => return None,
        BinOp::Shl => a << b,
        BinOp::LShr => return Some(a >> b),
        BinOp::AShr => (sign_extend(a, width) >> b) as u64,
    };
    Some(truncate(result, width))
}

#[inline(always)]
pub fn cmp(pred: Pred, width: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Ugt => a > b,
        Pred::Uge => a >= b,
        Pred::Slt => sa < sb,
        Pred::Sle => sa <= sb,
        Pred::Sgt => sa > sb,
        Pred::Sge => sa >= sb,
    }
}

#[inline(always)]
pub fn cast(op: CastOp, from: u32, to: u32, a: u64) -> u64 {
    match op {
        CastOp::Trunc => truncate(a, to),
        CastOp::ZExt => a,
        CastOp::SExt => truncate(sign_extend(a, from) as u64, to),
    }
}

/// A `float` or `double` by its bit pattern.
pub fn float(width: u32, bits: u64) -> f64 {
    if width == 32 {
        f32::from_bits(bits as u32) as f64
    } else {
        f64::from_bits(bits)
    }
}

pub fn float_bin(op: FloatOp, width: u32, a: u64, b: u64) -> u64 {
    macro_rules! apply {
        ($float:ty, $bits:ty) => {{
            let (a, b) = (<$float>::from_bits(a as $bits), <$float>::from_bits(b as $bits));
            let result = match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
                FloatOp::Rem => a % b,
            };
            result.to_bits() as u64
        }};
    }
    if width == 32 {
        apply!(f32, u32)
    } else {
        apply!(f64, u64)
    }
}

pub fn float_cmp(pred: FloatPred, width: u32, a: u64, b: u64) -> bool {
    let (a, b) = (float(width, a), float(width, b));
    let unordered = a.is_nan() || b.is_nan();
    match pred {
        FloatPred::False => false,
        FloatPred::True => true,
        FloatPred::Ord => !unordered,
        FloatPred::Uno => unordered,
        FloatPred::Oeq => a == b,
        FloatPred::One => !unordered && a != b,
        FloatPred::Ogt => a > b,
        FloatPred::Oge => a >= b,
        FloatPred::Olt => a < b,
        FloatPred::Ole => a <= b,
        FloatPred::Ueq => unordered || a == b,
        FloatPred::Une => a != b,
        FloatPred::Ugt => unordered || a > b,
        FloatPred::Uge => unordered || a >= b,
        FloatPred::Ult => unordered || a < b,
        FloatPred::Ule => unordered || a <= b,
    }
}

/// Conversions; integers up to 64 bits. Out-of-range floats give what x86-64 code gives, as the compiler would have
/// emitted it.
pub fn float_cast(op: FloatCast, from: u32, to: u32, a: u64) -> u64 {
    match op {
        FloatCast::FToF if from == to => a,
        FloatCast::FToF if from == 32 => (f32::from_bits(a as u32) as f64).to_bits(),
        FloatCast::FToF => (f64::from_bits(a) as f32).to_bits() as u64,
        FloatCast::FToSI => {
            // cvttsd2si, of 32 or 64 bits: the "indefinite integer" where the value does not fit, then the low bits.
            let value = float(from, a).trunc();
            let limit = if to <= 32 {
                -(i32::MIN as f64)
            } else {
                -(i64::MIN as f64)
            };
            let wide = if (-limit..limit).contains(&value) {
                value as i64
            } else {
                -limit as i64
            };
            truncate(wide as u64, to)
        }
        FloatCast::FToUI => {
            let value = float(from, a);
            let wide = if value < -(i64::MIN as f64) {
                value as i64 as u64
            } else {
                value as u64
            };
            truncate(wide, to)
        }
        FloatCast::UIToF => {
            if to == 32 {
                (a as f32).to_bits() as u64
            } else {
                (a as f64).to_bits()
            }
        }
        FloatCast::SIToF => {
            let value = sign_extend(a, from);
            if to == 32 {
                (value as f32).to_bits() as u64
            } else {
                (value as f64).to_bits()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_shifts_follow_c_at_every_width() {
        assert_eq!(bin(BinOp::SDiv, 8, 0x80, 0xff), None, "INT8_MIN / -1 does not fit");
        assert_eq!(
            bin(BinOp::SRem, 32, (-7i32) as u32 as u64, 3),
            Some((-1i32) as u32 as u64)
        );
        assert_eq!(bin(BinOp::UDiv, 16, 7, 0), None);
        assert_eq!(bin(BinOp::Shl, 8, 0xff, 4), Some(0xf0));
        assert_eq!(bin(BinOp::AShr, 8, 0x80, 7), Some(0xff));
        assert_eq!(bin(BinOp::LShr, 32, 1, 32), None);
    }

    #[test]
    fn float_conversions_are_those_of_the_machine() {
        assert_eq!(
            float_cast(FloatCast::FToSI, 64, 32, (-3.9f64).to_bits()),
            (-3i32) as u32 as u64
        );
        assert_eq!(
            float_cast(FloatCast::FToUI, 64, 64, 1.844674407370955e19f64.to_bits()),
            18446744073709549568
        );
        assert_eq!(float_cast(FloatCast::SIToF, 32, 64, u32::MAX as u64), (-1f64).to_bits());
        assert!(float_cmp(FloatPred::Une, 64, f64::NAN.to_bits(), 0));
    }
}
