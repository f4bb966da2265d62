//! Floating point, computed concretely: an operand that is one of a few numbers is decided first, one path for each;
//! any other symbolic operand gets one value, and that is counted. `float` and `double` are the machine's own, the rest
//! is computed in software.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::Error;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use crate::{concrete, soft_float};
use mneme_memory::{Model, Truth};
use mneme_program::{FloatCast, FloatOp, FloatPred, Function, Inst, Operand, Undefined};
use mneme_term::{Bits, Value};

/// The most numbers that an operand is decided between.
const NUMBERS: usize = 64;

/// A conversion from or to floating point without its operand.
#[derive(Copy, Clone)]
pub(super) struct Conversion {
    pub op: FloatCast,
    pub from: u32,
    pub to: u32,
    pub undefined: Undefined,
}

impl Conversion {
    /// Is the result of a conversion to an integer defined, that is, does the number without its fraction fit?
    fn fits(self, bits: u128) -> bool {
        match self.op {
            FloatCast::FToSI | FloatCast::FToUI if is_native(self.from) => {
                let whole = concrete::float(self.from, bits as u64).trunc();
                let bound = |bits: u32| 2f64.powi(bits as i32);
                match self.op {
                    FloatCast::FToSI => (-bound(self.to - 1)..bound(self.to - 1)).contains(&whole),
                    _ => (0.0..bound(self.to)).contains(&whole),
                }
            }
            FloatCast::FToSI | FloatCast::FToUI => soft_float::fits(self.op, self.from, self.to, bits),
            FloatCast::FToF | FloatCast::UIToF | FloatCast::SIToF => true,
        }
    }
}

/// Does the machine compute with this format?
pub(super) fn is_native(width: u32) -> bool {
    matches!(width, 32 | 64)
}

impl<M: Model> Worker<'_, M> {
    /// Decides which number an operand of floating-point arithmetic is, if there are few: those of merged paths, or the
    /// entries of a table. The instruction is executed again. `None`: there is nothing to decide.
    pub(super) fn decide_floats(&mut self, state: &mut State<M>, function: &Function, inst: Inst) -> Option<Flow> {
        let operands = match inst {
            Inst::FloatBin { a, b, .. } | Inst::FloatCmp { a, b, .. } => vec![a, b],
            Inst::FloatNeg { src, .. } | Inst::FloatCast { src, .. } => vec![src],
            Inst::Intrinsic { id } if function.intrinsics[id.index()].op.is_on_floats() => {
                function.intrinsics[id.index()].args.clone()
            }
            _ => return None,
        };
        for operand in operands {
            let Value::Term(term) = self.get(state, operand) else {
                continue;
            };
            if self.terms.has_uninit(term) {
                continue;
            }
            let Some(numbers) = self.terms.numbers(term, NUMBERS) else {
                continue;
            };
            let here = self.evaluate(state, term);
            let here = self.terms.constant_bits(&here);
            let another = self.terms.ne(term, here);
            if self.terms.is_false(another) || matches!(self.may(state, another), Truth::Never) {
                continue;
            }
            let mut outcomes: Outcomes<M> = Outcomes::new();
            for &number in numbers.iter() {
                let guard = self.terms.eq(term, number);
                outcomes.push(Outcome::new(guard, Ending::Go(Then::Again)));
            }
            return Some(self.commit(state, outcomes));
        }
        None
    }

    /// The numbers that two operands stand for, or the result of `width` bits if one is undefined.
    fn numbers(
        &mut self,
        state: &mut State<M>,
        operands: [Operand; 2],
        width: u32,
        result: u32,
    ) -> Result<[u128; 2], Value> {
        let values = operands.map(|operand| self.get(state, operand));
        match self.spoiled(state, &values, result) {
            Some(value) => Err(value),
            None => Ok(values.map(|value| self.concretise_wide(state, value, width))),
        }
    }

    /// Like `concretise`, for up to 128 bits. Both halves are separate decisions, so that a saved path has the whole
    /// value.
    pub(crate) fn concretise_wide(&mut self, state: &mut State<M>, value: Value, width: u32) -> u128 {
        let Value::Term(term) = value else {
            return self.concretise(state, value, width).into();
        };
        if width <= 64 {
            return self.concretise(state, value, width).into();
        }
        let counted = self.stats.concretised;
        let mut half = |worker: &mut Self, from: u32, width: u32| {
            let part = worker.terms.extract(term, from, width);
            let part = worker.terms.to_value(part);
            u128::from(worker.concretise(state, part, width))
        };
        let low = half(self, 0, 64);
        let high = half(self, 64, width - 64);
        self.stats.concretised = self.stats.concretised.min(counted + 1);
        high << 64 | low
    }

    /// The value with the low `width` of these bits.
    pub(crate) fn wide(&mut self, width: u32, bits: u128) -> Value {
        if width <= 64 {
            Value::Int(mneme_term::truncate(bits as u64, width))
        } else {
            Value::Term(self.terms.constant_bits(&Bits::from_u128(width, bits)))
        }
    }

    pub(super) fn step_float_bin(
        &mut self,
        state: &mut State<M>,
        op: FloatOp,
        width: u32,
        dst: u32,
        a: Operand,
        b: Operand,
    ) -> Flow {
        let [a, b] = match self.numbers(state, [a, b], width, width) {
            Ok(numbers) => numbers,
            Err(value) => return self.done(state, dst, value),
        };
        let result = if is_native(width) {
            Value::Int(concrete::float_bin(op, width, a as u64, b as u64))
        } else {
            let bits = soft_float::bin(op, width, a, b);
            self.wide(width, bits)
        };
        self.done(state, dst, result)
    }

    pub(super) fn step_float_neg(&mut self, state: &mut State<M>, width: u32, dst: u32, src: Operand) -> Flow {
        let [bits, _] = match self.numbers(state, [src, src], width, width) {
            Ok(numbers) => numbers,
            Err(value) => return self.done(state, dst, value),
        };
        let result = self.wide(width, bits ^ (1 << (width - 1)));
        self.done(state, dst, result)
    }

    pub(super) fn step_float_cmp(
        &mut self,
        state: &mut State<M>,
        pred: FloatPred,
        width: u32,
        dst: u32,
        a: Operand,
        b: Operand,
    ) -> Flow {
        let [a, b] = match self.numbers(state, [a, b], width, 1) {
            Ok(numbers) => numbers,
            Err(value) => return self.done(state, dst, value),
        };
        let holds = if is_native(width) {
            concrete::float_cmp(pred, width, a as u64, b as u64)
        } else {
            soft_float::cmp(pred, width, a, b)
        };
        self.done(state, dst, Value::bool(holds))
    }

    pub(super) fn step_float_cast(
        &mut self,
        state: &mut State<M>,
        conversion: Conversion,
        dst: u32,
        src: Operand,
    ) -> Flow {
        let Conversion {
            op,
            from,
            to,
            undefined,
        } = conversion;
        if from > 128 || to > 128 {
            return self.unsupported(
                state,
                format!("conversion between a floating-point number and {} bits", from.max(to)),
            );
        }
        let [bits, _] = match self.numbers(state, [src, src], from, to) {
            Ok(numbers) => numbers,
            Err(value) => return self.done(state, dst, value),
        };
        if !conversion.fits(bits) {
            return match undefined {
                Undefined::Error => self.fail(state, Error::InvalidConversion { width: to }),
                Undefined::Poison => {
                    let poison = self.poison(state, to);
                    self.done(state, dst, Value::Term(poison))
                }
            };
        }
        let native = match op {
            FloatCast::FToF => is_native(from) && is_native(to),
            FloatCast::FToUI | FloatCast::FToSI => is_native(from) && to <= 64,
            FloatCast::UIToF | FloatCast::SIToF => is_native(to) && from <= 64,
        };
        let result = if native {
            Value::Int(concrete::float_cast(op, from, to, bits as u64))
        } else {
            let bits = soft_float::cast(op, from, to, bits);
            self.wide(to, bits)
        };
        self.done(state, dst, result)
    }
}
