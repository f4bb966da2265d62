//! Floating point in software, bit for bit: the formats that Rust has no type for (`half`, the x87's 80 bits, `fp128`),
//! and conversions between all formats and integers of up to 128 bits. Everything rounds to the nearest, ties to even.

use mneme_program::{FloatCast, FloatOp, FloatPred, IntrinsicOp};
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Category, Float, FloatConvert, Round as Rounding, Status};
use std::cmp::Ordering;

/// Runs the body with `$format` standing for the format of that many bits.
macro_rules! with_format {
    ($width:expr, $format:ident => $body:expr) => {
        match $width {
            16 => {
                type $format = Half;
                $body
            }
            32 => {
                type $format = Single;
                $body
            }
            64 => {
                type $format = Double;
                $body
            }
            80 => {
                type $format = X87DoubleExtended;
                $body
            }
            _ => {
                type $format = Quad;
                $body
            }
        }
    };
}

pub fn bin(op: FloatOp, width: u32, a: u128, b: u128) -> u128 {
    with_format!(width, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let result = match op {
            FloatOp::Add => a + b,
            FloatOp::Sub => a - b,
            FloatOp::Mul => a * b,
            FloatOp::Div => a / b,
            FloatOp::Rem => a.c_fmod(b),
        };
        result.value.to_bits()
    })
}

pub fn cmp(pred: FloatPred, width: u32, a: u128, b: u128) -> bool {
    let order = with_format!(width, F => F::from_bits(a).partial_cmp(&F::from_bits(b)));
    let (less, equal, greater) = (
        order == Some(Ordering::Less),
        order == Some(Ordering::Equal),
        order == Some(Ordering::Greater),
    );
    let unordered = order.is_none();
    match pred {
        FloatPred::False => false,
        FloatPred::True => true,
        FloatPred::Ord => !unordered,
        FloatPred::Uno => unordered,
        FloatPred::Oeq => equal,
        FloatPred::One => less || greater,
        FloatPred::Ogt => greater,
        FloatPred::Oge => greater || equal,
        FloatPred::Olt => less,
        FloatPred::Ole => less || equal,
        FloatPred::Ueq => unordered || equal,
        FloatPred::Une => !equal,
        FloatPred::Ugt => !less && !equal,
        FloatPred::Uge => !less,
        FloatPred::Ult => !greater && !equal,
        FloatPred::Ule => !greater,
    }
}

/// The low `width` bits.
fn low(value: u128, width: u32) -> u128 {
    if width >= 128 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

pub fn cast(op: FloatCast, from: u32, to: u32, a: u128) -> u128 {
    match op {
        FloatCast::FToF => with_format!(from, F => with_format!(to, T => {
            let converted: T = F::from_bits(a).convert(&mut false).value;
            converted.to_bits()
        })),
        FloatCast::FToSI => low(to_signed(from, to, a).unwrap_or(1 << (to - 1)), to),
        FloatCast::FToUI => {
            let unsigned = with_format!(from, F => F::from_bits(a).to_u128(to as usize));
            if unsigned.status.contains(Status::INVALID_OP) {
                // What does not fit is converted as a signed number of 64 bits, as the machine does.
                low(to_signed(from, 64, a).unwrap_or(1 << 63), to)
            } else {
                unsigned.value
            }
        }
        FloatCast::UIToF => with_format!(to, T => T::from_u128(a).value.to_bits()),
        FloatCast::SIToF => {
            let shift = 128 - from;
            let value = ((a << shift) as i128) >> shift;
            with_format!(to, T => T::from_i128(value).value.to_bits())
        }
    }
}

/// Does a number without its fraction fit an integer of `to` bits?
pub fn fits(op: FloatCast, from: u32, to: u32, a: u128) -> bool {
    match op {
        FloatCast::FToSI => to_signed(from, to, a).is_some(),
        FloatCast::FToUI => {
            let unsigned = with_format!(from, F => F::from_bits(a).to_u128(to as usize));
            !unsigned.status.contains(Status::INVALID_OP)
        }
        FloatCast::FToF | FloatCast::UIToF | FloatCast::SIToF => true,
    }
}

/// `None` where the number does not fit.
fn to_signed(from: u32, to: u32, a: u128) -> Option<u128> {
    let signed = with_format!(from, F => F::from_bits(a).to_i128(to as usize));
    (!signed.status.contains(Status::INVALID_OP)).then_some(signed.value as u128)
}

/// An intrinsic on numbers of `width` bits whose result has `result` bits; `None` for those that are not computed here.
/// Arguments that are integers come zero-extended.
pub fn intrinsic(op: IntrinsicOp, width: u32, result: u32, args: &[u128]) -> Option<u128> {
    use IntrinsicOp::*;
    let sign = 1u128 << (width - 1);
    let rounding = match op {
        Floor => Rounding::TowardNegative,
        Ceil => Rounding::TowardPositive,
        FTrunc => Rounding::TowardZero,
        Round | LRound => Rounding::NearestTiesToAway,
        _ => Rounding::NearestTiesToEven,
    };
    with_format!(width, F => {
        let x = F::from_bits(args[0]);
        let y = F::from_bits(args.get(1).copied().unwrap_or(0));
        Some(match op {
            FAbs => args[0] & !sign,
            CopySign => (args[0] & !sign) | (args[1] & sign),
            Floor | Ceil | FTrunc | Round | RoundEven | Rint | NearbyInt => {
                x.round_to_integral(rounding).value.to_bits()
            }
            MinNum => x.min(y).to_bits(),
            MaxNum => x.max(y).to_bits(),
            Minimum => x.minimum(y).to_bits(),
            Maximum => x.maximum(y).to_bits(),
            Fma => x.mul_add(y, F::from_bits(args[2])).value.to_bits(),
            LRint | LRound => {
                let whole = x.round_to_integral(rounding).value;
                low(to_signed(width, result, whole.to_bits()).unwrap_or(1 << (result - 1)), result)
            }
            // Conversions to integers saturate by themselves; NaN becomes zero.
            FToSISat => low(x.to_i128(result as usize).value as u128, result),
            FToUISat => x.to_u128(result as usize).value,
            LdExp => x.scalbn(args[1] as u32 as i32).to_bits(),
            Powi => power(x, args[1] as u32 as i32).to_bits(),
            IsFpClass => args[1] >> class(x) & 1,
            Sqrt if width == 80 => square_root(args[0]),
            _ => return None,
        })
    })
}

/// Fraction and exponent, as `frexp` gives them.
pub fn split(width: u32, a: u128) -> (u128, i32) {
    with_format!(width, F => {
        let x = F::from_bits(a);
        if !x.is_finite_non_zero() {
            return (a, 0);
        }
        let mut exponent = 0;
        let fraction = x.frexp(&mut exponent);
        (fraction.to_bits(), exponent)
    })
}

/// By squaring, in the order in which the compiler's own library multiplies.
fn power<F: Float>(x: F, n: i32) -> F {
    let (mut factor, mut left, mut result) = (x, n.unsigned_abs(), F::from_u128(1).value);
    loop {
        if left & 1 == 1 {
            result = (result * factor).value;
        }
        left /= 2;
        if left == 0 {
            break;
        }
        factor = (factor * factor).value;
    }
    if n < 0 {
        (F::from_u128(1).value / result).value
    } else {
        result
    }
}

/// The number of the class in the mask of `llvm.is.fpclass`.
fn class<F: Float>(x: F) -> u32 {
    let signed = |negative, positive| if x.is_negative() { negative } else { positive };
    match x.category() {
        Category::NaN => u32::from(!x.is_signaling()),
        Category::Infinity => signed(2, 9),
        Category::Zero => signed(5, 6),
        Category::Normal if x.is_denormal() => signed(4, 7),
        Category::Normal => signed(3, 8),
    }
}

/// The square root of a number of the x87's format, rounded to the nearest. A root never lies half-way between two
/// numbers.
fn square_root(bits: u128) -> u128 {
    let x = X87DoubleExtended::from_bits(bits);
    if x.is_nan() || x.is_zero() || x.is_pos_infinity() {
        return bits;
    }
    if x.is_negative() {
        return X87DoubleExtended::qnan(None).to_bits() | 1 << 79;
    }
    // x = m * 2^e with an even e and 2^126 <= m < 2^128, so that the root of m has 64 bits.
    let mut exponent = x.ilogb() - 127;
    let mut m = x.scalbn(-exponent).to_u128(128).value;
    if exponent & 1 != 0 {
        m >>= 1;
        exponent += 1;
    }
    let mut root = m.isqrt();
    if m - root * root > root {
        root += 1;
    }
    X87DoubleExtended::from_u128(root).value.scalbn(exponent / 2).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: u128 = 0x3fff_8000_0000_0000_0000;

    fn extended(value: f64) -> u128 {
        cast(FloatCast::FToF, 64, 80, value.to_bits() as u128)
    }

    #[test]
    fn the_x87_format_has_64_bits_of_precision() {
        assert_eq!(extended(1.0), ONE);
        let third = bin(FloatOp::Div, 80, ONE, extended(3.0));
        assert_eq!(third, 0x3ffd_aaaa_aaaa_aaaa_aaab);
        assert_eq!(cast(FloatCast::FToF, 80, 64, third), (1.0f64 / 3.0).to_bits() as u128);
        let great = cast(FloatCast::UIToF, 64, 80, u64::MAX as u128);
        assert_eq!(cast(FloatCast::FToUI, 80, 64, great), u64::MAX as u128);
    }

    #[test]
    fn roots_are_rounded_correctly() {
        for n in [1.0, 2.0, 3.0, 0.5, 1e-300, 1e300, 12345.678] {
            let root = intrinsic(IntrinsicOp::Sqrt, 80, 80, &[extended(n)]).unwrap();
            let narrow = cast(FloatCast::FToF, 80, 64, root) as u64;
            assert_eq!(narrow, f64::sqrt(n).to_bits(), "{n}");
        }
        let root = intrinsic(IntrinsicOp::Sqrt, 80, 80, &[extended(2.0)]).unwrap();
        assert_eq!(root, 0x3fff_b504_f333_f9de_6484, "fsqrt of 2");
    }

    #[test]
    fn integers_of_128_bits_convert() {
        let most = cast(FloatCast::SIToF, 128, 64, i128::MAX as u128) as u64;
        assert_eq!(f64::from_bits(most), i128::MAX as f64);
        let back = cast(FloatCast::FToSI, 64, 128, (-1e30f64).to_bits() as u128);
        assert_eq!(back as i128, -1e30f64 as i128);
    }

    #[test]
    fn unordered_comparisons() {
        let nan = extended(f64::NAN);
        assert!(cmp(FloatPred::Une, 80, nan, nan) && !cmp(FloatPred::Oeq, 80, nan, nan));
        assert!(cmp(FloatPred::Ult, 80, nan, ONE) && !cmp(FloatPred::Olt, 80, nan, ONE));
        assert!(cmp(FloatPred::Olt, 80, extended(-1.0), ONE) && cmp(FloatPred::Ule, 80, ONE, ONE));
    }
}
