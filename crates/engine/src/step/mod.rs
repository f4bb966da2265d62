//! One instruction in full generality: symbolic operands, faults, library calls. A table of contents; each family has
//! its file.

mod aligned;
mod arithmetic;
mod call;
mod control;
mod float;
mod frames;
mod intrinsic;
mod jump;
mod memory;
mod null_offset;
mod varargs;

use arithmetic::Operation;
pub(crate) use control::{call_at, calling};
use float::Conversion;
pub use jump::Buffer;
pub(crate) use jump::return_again;

use crate::fault::Error;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::Inst;
use mneme_term::Value;

impl<M: Model> Worker<'_, M> {
    pub fn step(&mut self, state: &mut State<M>) -> Flow {
        let decisions = state.path.trail.len();
        loop {
            let flow = match state.task.take() {
                Some(task) => self.go_on(state, task),
                None => self.execute(state),
            };
            // After a decision the rest is a step of its own, so that a saved path knows how far it has come.
            let goes_on = flow == Flow::On && state.task.is_some() && state.path.trail.len() == decisions;
            if !goes_on || self.cut {
                return flow;
            }
        }
    }

    fn execute(&mut self, state: &mut State<M>) -> Flow {
        let program = self.program;
        let frame = state.frame();
        let function = program.function(frame.function);
        let inst = function.code[frame.pc as usize];
        if let Some(flow) = self.look_before_step(state, function, inst) {
            return flow;
        }
        if let Some(flow) = self.decide_floats(state, function, inst) {
            return flow;
        }
        if let Err(flow) = self.meet_demand(state, function, inst) {
            return flow;
        }
        match inst {
            Inst::Move { dst, src } => {
                let value = self.get(state, src);
                self.done(state, dst, value)
            }
            Inst::Bin {
                op,
                width,
                nsw,
                undefined,
                dst,
                a,
                b,
            } => {
                let width = width.into();
                let operation = Operation {
                    op,
                    width,
                    nsw,
                    undefined,
                };
                self.step_bin(state, operation, dst, [a, b])
            }
            Inst::Cmp { pred, width, dst, a, b } => {
                let value = self.compare(state, pred, width as u32, a, b);
                self.done(state, dst, value)
            }
            Inst::Cast { op, from, to, dst, src } => self.step_cast(state, op, from as u32, to as u32, dst, src),
            Inst::Select {
                width,
                dst,
                cond,
                yes,
                no,
            } => self.step_select(state, width as u32, dst, cond, yes, no),
            Inst::Freeze { dst, src } => {
                let value = self.get(state, src);
                let value = self.freeze(value);
                self.done(state, dst, value)
            }
            Inst::FloatBin { op, width, dst, a, b } => self.step_float_bin(state, op, width as u32, dst, a, b),
            Inst::FloatNeg { width, dst, src } => self.step_float_neg(state, width as u32, dst, src),
            Inst::FloatCmp { pred, width, dst, a, b } => self.step_float_cmp(state, pred, width as u32, dst, a, b),
            Inst::FloatCast {
                op,
                from,
                to,
                undefined,
                dst,
                src,
            } => {
                let conversion = Conversion {
                    op,
                    from: from.into(),
                    to: to.into(),
                    undefined,
                };
                self.step_float_cast(state, conversion, dst, src)
            }
            Inst::Field { dst, base, offset } => self.step_gep(state, dst, base, offset, &[]),
            Inst::Index {
                width,
                dst,
                base,
                index,
                scale,
            } => self.step_gep(state, dst, base, 0, &[(index, width, scale as u64)]),
            Inst::Gep { dst, base, gep } => {
                let gep = &function.geps[gep.index()];
                self.step_gep(state, dst, base, gep.offset, &gep.indices)
            }
            Inst::Load { ty, align, dst, ptr } => match self.check_aligned(state, ptr, align) {
                Some(flow) => flow,
                None => self.step_load(state, ty, dst, ptr),
            },
            Inst::Store { ty, align, ptr, value } => match self.check_aligned(state, ptr, align) {
                Some(flow) => flow,
                None => self.step_store(state, ty, ptr, value),
            },
            Inst::Alloca {
                width,
                dst,
                size,
                count,
                site,
            } => self.step_alloca(state, width as u32, dst, size, count, site),
            Inst::SlotInit { slot } => self.step_slot_store(state, slot, Value::Undef),
            Inst::SlotLoad { ty, dst, slot, site } => self.step_slot_load(state, ty, dst, slot, site),
            Inst::SlotStore { slot, value, .. } => {
                let value = self.get(state, value);
                self.step_slot_store(state, slot, value)
            }
            Inst::LifetimeStart { ptr, .. } => self.step_lifetime(state, ptr, true),
            Inst::LifetimeEnd { ptr, .. } => self.step_lifetime(state, ptr, false),
            Inst::StackSave { dst } => self.step_stack_save(state, dst),
            Inst::StackRestore { ptr } => self.step_stack_restore(state, ptr),
            Inst::ByvalCopy { slot, size, site } => self.step_byval(state, slot, size, site),
            Inst::MemCopy {
                width,
                overlap,
                dst,
                src,
                len,
            } => self.step_copy(state, width as u32, overlap, [dst, src, len]),
            Inst::MemSet { width, dst, byte, len } => self.step_fill(state, width as u32, dst, byte, len),
            Inst::Intrinsic { id } => self.step_intrinsic(state, &function.intrinsics[id.index()]),
            Inst::Call { call } => self.step_call(state, &function.calls[call.index()]),
            Inst::Return { first, count } => {
                self.step_return(state, &function.operands[first as usize..(first + count) as usize])
            }
            Inst::Jump { edge } => {
                self.take(state, edge);
                Flow::On
            }
            Inst::Branch { cond, yes, no } => {
                let cond = self.get(state, cond);
                self.branch(state, cond, yes, no)
            }
            Inst::CmpBranch {
                pred,
                width,
                a,
                b,
                yes,
                no,
            } => {
                let cond = self.compare(state, pred, width as u32, a, b);
                self.branch(state, cond, yes, no)
            }
            Inst::Switch { switch } => self.step_switch(state, &function.switches[switch.index()]),
            Inst::Unreachable => self.fail(state, Error::Unreachable),
            Inst::Spin => self.endless(state),
            Inst::Unsupported { what } => {
                let what = function.unsupported[what as usize].clone();
                self.unsupported(state, what)
            }
        }
    }

    /// The result of an instruction that has only one.
    pub fn done(&mut self, state: &mut State<M>, dst: u32, value: Value) -> Flow {
        state.set(dst, value);
        state.advance();
        Flow::On
    }
}
