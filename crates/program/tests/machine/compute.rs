//! Arithmetic of the machine.

use super::{End, Machine, mask, signed};
use mneme_program::*;

pub fn compare(pred: Pred, width: u32, a: u128, b: u128) -> bool {
    let (a, b) = (mask(a, width), mask(b, width));
    let (x, y) = (signed(a, width), signed(b, width));
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Ugt => a > b,
        Pred::Uge => a >= b,
        Pred::Slt => x < y,
        Pred::Sle => x <= y,
        Pred::Sgt => x > y,
        Pred::Sge => x >= y,
    }
}

fn float(bits: u128, width: u16) -> f64 {
    if width == 32 {
        f32::from_bits(bits as u32).into()
    } else {
        f64::from_bits(bits as u64)
    }
}

fn bits(value: f64, width: u16) -> u128 {
    if width == 32 {
        (value as f32).to_bits().into()
    } else {
        value.to_bits().into()
    }
}

fn binary(op: BinOp, width: u16, a: u128, b: u128) -> u128 {
    let w = u32::from(width);
    let (x, y) = (signed(a, w), signed(b, w));
    match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(0),
        BinOp::SDiv => x.checked_div(y).unwrap_or(0) as u128,
        BinOp::URem => a.checked_rem(b).unwrap_or(0),
        BinOp::SRem => x.checked_rem(y).unwrap_or(0) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => a.checked_shl(b as u32).unwrap_or(0),
        BinOp::LShr => a.checked_shr(b as u32).unwrap_or(0),
        BinOp::AShr => (x >> (b as u32).min(127)) as u128,
    }
}

fn float_compare(pred: FloatPred, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match pred {
        FloatPred::False => false,
        FloatPred::Oeq => a == b,
        FloatPred::Ogt => a > b,
        FloatPred::Oge => a >= b,
        FloatPred::Olt => a < b,
        FloatPred::Ole => a <= b,
        FloatPred::One => !unordered && a != b,
        FloatPred::Ord => !unordered,
        FloatPred::Uno => unordered,
        FloatPred::Ueq => unordered || a == b,
        FloatPred::Ugt => unordered || a > b,
        FloatPred::Uge => unordered || a >= b,
        FloatPred::Ult => unordered || a < b,
        FloatPred::Ule => unordered || a <= b,
        FloatPred::Une => a != b,
        FloatPred::True => true,
    }
}

/// Instructions that compute one value from others.
pub fn compute(inst: &Inst, read: impl Fn(Operand) -> u128) -> (Slot, u128) {
    match *inst {
        Inst::Move { dst, src } | Inst::Freeze { dst, src } => (dst, read(src)),
        Inst::Bin {
            op, width, dst, a, b, ..
        } => {
            let w = u32::from(width);
            (dst, mask(binary(op, width, mask(read(a), w), mask(read(b), w)), w))
        }
        Inst::Cmp { pred, width, dst, a, b } => (dst, compare(pred, width.into(), read(a), read(b)).into()),
        Inst::Cast { op, from, to, dst, src } => {
            let value = mask(read(src), from.into());
            let value = if op == CastOp::SExt {
                signed(value, from.into()) as u128
            } else {
                value
            };
            (dst, mask(value, to.into()))
        }
        Inst::Select { dst, cond, yes, no, .. } => (dst, if read(cond) & 1 == 1 { read(yes) } else { read(no) }),
        Inst::FloatBin { op, width, dst, a, b } => {
            let (a, b) = (float(read(a), width), float(read(b), width));
            let value = match op {
                FloatOp::Add => a + b,
                FloatOp::Sub => a - b,
                FloatOp::Mul => a * b,
                FloatOp::Div => a / b,
                FloatOp::Rem => a % b,
            };
            (dst, bits(value, width))
        }
        Inst::FloatNeg { width, dst, src } => (dst, read(src) ^ (1 << (width - 1))),
        Inst::FloatCmp { pred, width, dst, a, b } => (
            dst,
            float_compare(pred, float(read(a), width), float(read(b), width)).into(),
        ),
        Inst::FloatCast {
            op, from, to, dst, src, ..
        } => {
            let raw = read(src);
            let value = match op {
                FloatCast::FToF => bits(float(raw, from), to),
                FloatCast::FToUI => mask(float(raw, from) as u128, to.into()),
                FloatCast::FToSI => mask(float(raw, from) as i128 as u128, to.into()),
                FloatCast::UIToF if to == 32 => (mask(raw, from.into()) as f32).to_bits().into(),
                FloatCast::SIToF if to == 32 => (signed(raw, from.into()) as f32).to_bits().into(),
                FloatCast::UIToF => bits(mask(raw, from.into()) as f64, to),
                FloatCast::SIToF => bits(signed(raw, from.into()) as f64, to),
            };
            (dst, value)
        }
        ref other => panic!("{other:?} computes nothing"),
    }
}

fn overflowing(op: IntrinsicOp, width: u32, a: u128, b: u128) -> Vec<u128> {
    use IntrinsicOp::*;
    let (x, y) = (signed(a, width), signed(b, width));
    let fits = |value: Option<i128>| value.is_some_and(|v| signed(mask(v as u128, width), width) == v);
    let (value, overflow) = match op {
        SAddOverflow => (a.wrapping_add(b), !fits(x.checked_add(y))),
        SSubOverflow => (a.wrapping_sub(b), !fits(x.checked_sub(y))),
        SMulOverflow => (a.wrapping_mul(b), !fits(x.checked_mul(y))),
        UAddOverflow => (a.wrapping_add(b), a.checked_add(b).is_none_or(|v| v != mask(v, width))),
        USubOverflow => (a.wrapping_sub(b), a < b),
        _ => (a.wrapping_mul(b), a.checked_mul(b).is_none_or(|v| v != mask(v, width))),
    };
    vec![mask(value, width), overflow.into()]
}

impl Machine<'_> {
    pub fn intrinsic(&mut self, intrinsic: &Intrinsic, args: &[u128], variadic: u64) -> Result<Vec<u128>, End> {
        use IntrinsicOp::*;
        let width = u32::from(intrinsic.width);
        let w = intrinsic.width;
        let arg = |i: usize| args.get(i).map_or(0, |&a| mask(a, width));
        let number = |i: usize| float(arg(i), w);
        let one = match intrinsic.op {
            Abs => signed(arg(0), width).unsigned_abs(),
            SMin => signed(arg(0), width).min(signed(arg(1), width)) as u128,
            SMax => signed(arg(0), width).max(signed(arg(1), width)) as u128,
            UMin => arg(0).min(arg(1)),
            UMax => arg(0).max(arg(1)),
            CtPop => arg(0).count_ones().into(),
            Bool => arg(0),
            Ctlz => u128::from(arg(0).leading_zeros() - (128 - width)),
            Cttz => u128::from(arg(0).trailing_zeros().min(width)),
            BSwap => arg(0).swap_bytes() >> (128 - width),
            BitReverse => arg(0).reverse_bits() >> (128 - width),
            FShl | FShr => {
                let amount = (arg(2) % u128::from(width)) as u32;
                let left = if intrinsic.op == FShl { amount } else { width - amount };
                let high = if left == width { 0 } else { arg(0) << left };
                let high = if left == width && intrinsic.op == FShr { 0 } else { high };
                high | if left == 0 { 0 } else { arg(1) >> (width - left) }
            }
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
                return Ok(overflowing(intrinsic.op, width, arg(0), arg(1)));
            }
            ObjectSize if args[1] & 1 == 1 => 0,
            ObjectSize => u128::MAX,
            Assume | VaEnd => return Ok(Vec::new()),
            Trap => return Err(End::Abort),
            VaStart => {
                let list = args[0] as u64;
                if self.program.target.pointer_width == 32 {
                    self.store(list, variadic.into(), 4)?;
                } else {
                    self.store(list, 48, 4)?;
                    self.store(list + 4, 176, 4)?;
                    self.store(list + 8, variadic.into(), 8)?;
                }
                return Ok(Vec::new());
            }
            VaCopy => {
                let size = if self.program.target.pointer_width == 32 { 4 } else { 24 };
                let (to, from) = (args[0] as usize, args[1] as usize);
                self.memory.copy_within(from..from + size, to);
                return Ok(Vec::new());
            }
            FAbs => bits(number(0).abs(), w),
            Sqrt => bits(number(0).sqrt(), w),
            Floor => bits(number(0).floor(), w),
            Ceil => bits(number(0).ceil(), w),
            FTrunc => bits(number(0).trunc(), w),
            CopySign => bits(number(0).copysign(number(1)), w),
            IsFpClass => {
                let class = match number(0) {
                    v if v.is_nan() => 0x003,
                    v if v.is_infinite() => {
                        if v > 0.0 {
                            0x200
                        } else {
                            0x004
                        }
                    }
                    v if v == 0.0 => {
                        if v.is_sign_positive() {
                            0x040
                        } else {
                            0x020
                        }
                    }
                    v if v.is_sign_positive() => 0x180,
                    _ => 0x018,
                };
                u128::from(args[1] & class != 0)
            }
            other => return Err(End::Stop(format!("the intrinsic {other:?}"))),
        };
        Ok(vec![mask(one, intrinsic.result_width.into())])
    }
}
