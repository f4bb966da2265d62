//! LLVM's scalar intrinsics.

use super::Buffer;
use super::float::is_native;
use crate::fault::Error;
use crate::native::{Arg, Returns};
use crate::state::State;
use crate::worker::{Flow, Worker};
use crate::{concrete, soft_float};
use mneme_memory::Model;
use mneme_program::{Intrinsic, IntrinsicOp as Op, Undefined};
use mneme_term::{TermId, Value};

impl<M: Model> Worker<'_, M> {
    pub(super) fn step_intrinsic(&mut self, state: &mut State<M>, intrinsic: &Intrinsic) -> Flow {
        let args: Vec<Value> = intrinsic.args.iter().map(|&arg| self.get(state, arg)).collect();
        let width = intrinsic.width as u32;
        match intrinsic.op {
            Op::Trap => self.fail(state, Error::Abort),
            Op::Assume => {
                // A hint of the compiler: where it does not hold, the program has no meaning.
                state.advance();
                Flow::On
            }
            Op::VaStart => self.va_start(state, args[0]),
            Op::VaCopy => self.va_copy(state, args[0], args[1]),
            Op::VaEnd => {
                state.advance();
                Flow::On
            }
            Op::ObjectSize => self.object_size(state, intrinsic, &args),
            Op::PtrMask => {
                let (p, mask) = (self.term(args[0], width), self.term(args[1], width));
                let masked = self.terms.and(p, mask);
                let value = self.terms.to_value(masked);
                self.results(state, intrinsic, &[value])
            }
            Op::Bool => {
                let byte = self.arg_term(state, args[0], width);
                let one = self.terms.constant(width, 1);
                let invalid = self.terms.ugt(byte, one);
                // That it is unwritten is reported where it matters.
                let missing = match self.may_be_undefined(invalid) {
                    true => Vec::new(),
                    false => vec![(invalid, Error::InvalidBool(args[0]))],
                };
                let dst = intrinsic.dst.expect("it is the byte that was read");
                self.unless_missing(state, Undefined::Error, missing, byte, dst)
            }
            Op::SetJump => self.set_jump(state, args[0], Buffer::Builtin, intrinsic.dst),
            Op::LongJump => self.long_jump(state, args[0], Buffer::Builtin, Value::Int(1)),
            Op::ReturnAddress => {
                let address = self.return_address(state, args[0]);
                self.results(state, intrinsic, &[address])
            }
            Op::FrameAddress => self.frame_address(state, intrinsic, args[0]),
            Op::Abs if self.options.check_overflow && args[1] == Value::Int(1) => {
                let a = self.arg_term(state, args[0], width);
                let value = self.integer(Op::Abs, width, &[a])[0];
                let overflow = self.overflow_of_abs(width, a);
                let missing = overflow
                    .map(|guard| (guard, Error::SignedOverflow))
                    .into_iter()
                    .collect();
                let dst = intrinsic.dst.expect("an absolute value is a result");
                self.unless_missing(state, intrinsic.undefined, missing, value, dst)
            }
            // Where zero has no number of zeros; clang itself counts them for `ffs` before it asks.
            op @ (Op::Ctlz | Op::Cttz) if args[1] == Value::Int(1) => {
                let a = self.arg_term(state, args[0], width);
                let value = self.integer(op, width, &[a])[0];
                let zero = self.terms.constant(width, 0);
                let missing = vec![(self.terms.eq(a, zero), Error::BitCount)];
                let dst = intrinsic.dst.expect("a count is a result");
                self.unless_missing(state, intrinsic.undefined, missing, value, dst)
            }
            op if op.is_on_floats() => self.float_intrinsic(state, intrinsic, &args),
            op => {
                let terms: Vec<TermId> = args
                    .iter()
                    .zip(&intrinsic.args)
                    .map(|(&arg, _)| arg)
                    .map(|arg| self.arg_term(state, arg, width))
                    .collect();
                let results = self.integer(op, width, &terms);
                let values: Vec<Value> = results.into_iter().map(|t| self.terms.to_value(t)).collect();
                self.results(state, intrinsic, &values)
            }
        }
    }

    fn arg_term(&mut self, state: &mut State<M>, value: Value, width: u32) -> TermId {
        match self.bits(state, value) {
            Value::Term(term) => term,
            value => self.term(value, width),
        }
    }

    pub(super) fn results(&mut self, state: &mut State<M>, intrinsic: &Intrinsic, values: &[Value]) -> Flow {
        if let Some(dst) = intrinsic.dst {
            for (index, &value) in values.iter().enumerate() {
                state.set(dst + index as u32, value);
            }
        }
        state.advance();
        Flow::On
    }

    fn integer(&mut self, op: Op, width: u32, args: &[TermId]) -> Vec<TermId> {
        let t = &mut self.terms;
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let one = match op {
            Op::Abs => {
                let zero = t.constant(width, 0);
                let negative = t.slt(a, zero);
                let negated = t.neg(a);
                t.ite(negative, negated, a)
            }
            Op::SMin | Op::SMax => {
                let less = t.slt(a, b);
                if op == Op::SMin {
                    t.ite(less, a, b)
                } else {
                    t.ite(less, b, a)
                }
            }
            Op::UMin | Op::UMax => {
                let less = t.ult(a, b);
                if op == Op::UMin {
                    t.ite(less, a, b)
                } else {
                    t.ite(less, b, a)
                }
            }
            Op::CtPop => {
                let mut sum = t.constant(width, 0);
                for i in 0..width {
                    let bit = t.extract(a, i, 1);
                    let bit = t.resize_zext(bit, width);
                    sum = t.add(sum, bit);
                }
                sum
            }
            Op::Ctlz | Op::Cttz => {
                // The last test made decides, so the bit nearest to the counted end is tested last.
                let mut count = t.constant(width, width as u64);
                for i in 0..width {
                    let (bit, zeros) = if op == Op::Ctlz {
                        (i, width - 1 - i)
                    } else {
                        (width - 1 - i, width - 1 - i)
                    };
                    let bit = t.extract(a, bit, 1);
                    let zeros = t.constant(width, zeros as u64);
                    count = t.ite(bit, zeros, count);
                }
                count
            }
            Op::BSwap | Op::BitReverse => {
                let step = if op == Op::BSwap { 8 } else { 1 };
                let mut whole = t.extract(a, 0, step);
                for i in 1..width / step {
                    let part = t.extract(a, i * step, step);
                    whole = t.concat(whole, part);
                }
                whole
            }
            Op::FShl | Op::FShr => {
                let wide = 2 * width;
                let both = t.concat(a, b);
                let modulus = t.constant(width, width as u64);
                let amount = t.urem(args[2], modulus);
                let amount = t.zext(amount, wide);
                if op == Op::FShl {
                    let shifted = t.shl(both, amount);
                    t.extract(shifted, width, width)
                } else {
                    let shifted = t.lshr(both, amount);
                    t.extract(shifted, 0, width)
                }
            }
            Op::SAddOverflow
            | Op::UAddOverflow
            | Op::SSubOverflow
            | Op::USubOverflow
            | Op::SMulOverflow
            | Op::UMulOverflow => {
                let (result, overflow) = self.overflow(op, width, a, b);
                return vec![result, overflow];
            }
            Op::SAddSat | Op::UAddSat | Op::SSubSat | Op::USubSat => {
                let (plain, signed) = match op {
                    Op::SAddSat => (Op::SAddOverflow, true),
                    Op::UAddSat => (Op::UAddOverflow, false),
                    Op::SSubSat => (Op::SSubOverflow, true),
                    _ => (Op::USubOverflow, false),
                };
                let (result, overflow) = self.overflow(plain, width, a, b);
                let t = &mut self.terms;
                let zero = t.constant(width, 0);
                let ones = t.not(zero);
                let limit = if signed {
                    let one = t.constant(width, 1);
                    let top = t.constant(width, width as u64 - 1);
                    let least = t.shl(one, top);
                    let most = t.not(least);
                    let negative = t.slt(a, zero);
                    t.ite(negative, least, most)
                } else if op == Op::UAddSat {
                    ones
                } else {
                    zero
                };
                t.ite(overflow, limit, result)
            }
            _ => unreachable!("{op:?} is not an integer operation"),
        };
        vec![one]
    }

    /// Result and overflow bit, by computing with enough bits.
    fn overflow(&mut self, op: Op, width: u32, a: TermId, b: TermId) -> (TermId, TermId) {
        let t = &mut self.terms;
        let signed = matches!(op, Op::SAddOverflow | Op::SSubOverflow | Op::SMulOverflow);
        let multiply = matches!(op, Op::SMulOverflow | Op::UMulOverflow);
        let wide = if multiply { 2 * width } else { width + 1 };
        let extend = |t: &mut mneme_term::Terms, x| if signed { t.sext(x, wide) } else { t.zext(x, wide) };
        let (x, y) = (extend(t, a), extend(t, b));
        let exact = match op {
            Op::SAddOverflow | Op::UAddOverflow => t.add(x, y),
            Op::SSubOverflow | Op::USubOverflow => t.sub(x, y),
            _ => t.mul(x, y),
        };
        let result = t.extract(exact, 0, width);
        let back = extend(t, result);
        (result, t.ne(back, exact))
    }

    fn object_size(&mut self, state: &mut State<M>, intrinsic: &Intrinsic, args: &[Value]) -> Flow {
        let unknown = match args.get(1) {
            Some(Value::Int(1)) => Value::Int(0),
            _ => Value::Int(mneme_term::truncate(u64::MAX, intrinsic.result_width as u32)),
        };
        let value = match args[0] {
            Value::Ptr { base, offset } => match state.memory.size(base) {
                Some(Value::Int(size)) => Value::Int(size.saturating_sub(offset)),
                _ => unknown,
            },
            _ => unknown,
        };
        self.results(state, intrinsic, &[value])
    }

    fn float_intrinsic(&mut self, state: &mut State<M>, intrinsic: &Intrinsic, args: &[Value]) -> Flow {
        let width = intrinsic.width as u32;
        if let Some(value) = self.spoiled(state, args, intrinsic.result_width.into()) {
            let exponent = self.spoiled(state, args, 32).unwrap_or(value);
            return match intrinsic.op {
                Op::FrExp => self.results(state, intrinsic, &[value, exponent]),
                _ => self.results(state, intrinsic, &[value]),
            };
        }
        match intrinsic.op {
            Op::Math(name) => return self.math(state, intrinsic, name, args),
            Op::FrExp => {
                let bits = self.concretise_wide(state, args[0], width);
                let (fraction, exponent) = soft_float::split(width, bits);
                let fraction = self.wide(width, fraction);
                return self.results(state, intrinsic, &[fraction, Value::Int(u64::from(exponent as u32))]);
            }
            Op::Powi | Op::LdExp => return self.soft_intrinsic(state, intrinsic, args),
            _ if !is_native(width) => return self.soft_intrinsic(state, intrinsic, args),
            _ => {}
        }
        let bits: Vec<u64> = args.iter().map(|&arg| self.concretise(state, arg, 64)).collect();
        let x = concrete::float(width, bits[0]);
        let y = bits.get(1).map_or(0.0, |&b| concrete::float(width, b));
        let encode = |value: f64| {
            if width == 32 {
                (value as f32).to_bits() as u64
            } else {
                value.to_bits()
            }
        };
        let result_width = intrinsic.result_width as u32;
        let sign = 1u64 << (width - 1);
        let single = width == 32;
        macro_rules! math {
            ($name:ident) => {
                if single {
                    (x as f32).$name().to_bits() as u64
                } else {
                    x.$name().to_bits()
                }
            };
        }
        let result = match intrinsic.op {
            Op::FAbs => bits[0] & !sign,
            Op::CopySign => (bits[0] & !sign) | (bits[1] & sign),
            Op::Sqrt => math!(sqrt),
            Op::Floor => encode(x.floor()),
            Op::Ceil => encode(x.ceil()),
            Op::FTrunc => encode(x.trunc()),
            Op::Round => encode(x.round()),
            Op::Rint | Op::NearbyInt | Op::RoundEven => encode(x.round_ties_even()),
            Op::MinNum => encode(x.min(y)),
            Op::MaxNum => encode(x.max(y)),
            Op::Minimum | Op::Maximum => return self.soft_intrinsic(state, intrinsic, args),
            Op::Fma if single => {
                let z = f32::from_bits(bits[2] as u32);
                (x as f32).mul_add(y as f32, z).to_bits() as u64
            }
            Op::Fma => x.mul_add(y, f64::from_bits(bits[2])).to_bits(),
            Op::LRint => mneme_term::truncate(x.round_ties_even() as i64 as u64, result_width),
            Op::LRound => mneme_term::truncate(x.round() as i64 as u64, result_width),
            Op::FToSISat => {
                let low = -(2f64.powi(result_width as i32 - 1));
                let value = x.clamp(low, -low);
                let most = (1u64 << (result_width - 1)) - 1;
                if x.is_nan() {
                    0
                } else if value >= -low {
                    most
                } else {
                    mneme_term::truncate(value as i64 as u64, result_width)
                }
            }
            Op::FToUISat => {
                let most = mneme_term::truncate(u64::MAX, result_width);
                if x.is_nan() || x <= 0.0 {
                    0
                } else {
                    (x as u64).min(most)
                }
            }
            Op::IsFpClass => return self.soft_intrinsic(state, intrinsic, args),
            op => return self.unsupported(state, format!("the floating-point operation {op:?}")),
        };
        self.results(state, intrinsic, &[Value::Int(result)])
    }

    fn soft_intrinsic(&mut self, state: &mut State<M>, intrinsic: &Intrinsic, args: &[Value]) -> Flow {
        let (width, result_width) = (intrinsic.width as u32, intrinsic.result_width as u32);
        let bits: Vec<u128> = args
            .iter()
            .map(|&arg| self.concretise_wide(state, arg, width.max(64)))
            .collect();
        if (intrinsic.op, width) == (Op::Sqrt, 128) {
            return self.math(state, intrinsic, "sqrt", args);
        }
        match soft_float::intrinsic(intrinsic.op, width, result_width, &bits) {
            Some(result) => {
                let result = self.wide(result_width, result);
                self.results(state, intrinsic, &[result])
            }
            None => self.unsupported(
                state,
                format!("the floating-point operation {:?} on {width} bits", intrinsic.op),
            ),
        }
    }

    /// A function of `math.h`, from the machine's own library.
    fn math(&mut self, state: &mut State<M>, intrinsic: &Intrinsic, name: &'static str, args: &[Value]) -> Flow {
        let width = intrinsic.width as u32;
        let (suffix, returns) = match width {
            32 => ("f", Returns::Float),
            64 => ("", Returns::Float),
            80 => ("l", Returns::Extended),
            128 => ("f128", Returns::Float),
            _ => return self.unsupported(state, format!("`{name}` on floating-point numbers of {width} bits")),
        };
        let numbers = args.iter().map(|&arg| {
            let bits = self.concretise_wide(state, arg, width);
            if width == 80 {
                Arg::Extended(bits)
            } else {
                Arg::Float(bits)
            }
        });
        let numbers: Vec<Arg> = numbers.collect();
        match self.native.call(&format!("{name}{suffix}"), &numbers, returns) {
            Some(reply) => {
                let result = self.wide(width, reply.result);
                self.results(state, intrinsic, &[result])
            }
            None => self.unsupported(state, format!("a native call of `{name}{suffix}` that failed")),
        }
    }
}
