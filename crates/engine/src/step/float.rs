//! Floating point, computed concretely: a symbolic operand gets one value, and that is counted.

use crate::concrete;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::Memory;
use mneme_program::{FloatCast, FloatOp, FloatPred, Operand};
use mneme_term::Value;

impl<M: Memory> Worker<'_, M> {
    fn number(&mut self, state: &mut State<M>, operand: Operand, width: u32) -> u64 {
        let value = self.get(state, operand);
        self.concretise(state, value, width)
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
        let (a, b) = (self.number(state, a, width), self.number(state, b, width));
        self.done(state, dst, Value::Int(concrete::float_bin(op, width, a, b)))
    }

    pub(super) fn step_float_neg(&mut self, state: &mut State<M>, width: u32, dst: u32, src: Operand) -> Flow {
        let bits = self.number(state, src, width);
        self.done(state, dst, Value::Int(bits ^ (1 << (width - 1))))
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
        let (a, b) = (self.number(state, a, width), self.number(state, b, width));
        self.done(state, dst, Value::bool(concrete::float_cmp(pred, width, a, b)))
    }

    pub(super) fn step_float_cast(
        &mut self,
        state: &mut State<M>,
        op: FloatCast,
        from: u32,
        to: u32,
        dst: u32,
        src: Operand,
    ) -> Flow {
        if from > 64 || to > 64 {
            return self.unsupported(
                state,
                format!("conversion between a floating-point number and {} bits", from.max(to)),
            );
        }
        let bits = self.number(state, src, from);
        self.done(state, dst, Value::Int(concrete::float_cast(op, from, to, bits)))
    }
}
