//! Atomic updates. Mneme runs one thread: they are a load, an operation and a store.

use super::function::FunctionLowering;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{RmwOp, Value};

impl<'m> FunctionLowering<'_, 'm> {
    /// `dst = *p; *p = dst op value`
    pub(super) fn atomic_update(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let ptr = self.scalar(v.operand(0))?;
        let value = self.scalar(v.operand(1))?;
        let ty = self.scalar_type(v)?;
        self.load_scalar(ptr, ty, dst);
        let new = self.updated(v.rmw_operation(), ty, Operand::slot(dst), value)?;
        self.store_scalar(ptr, ty, new);
        Ok(())
    }

    fn updated(&mut self, op: RmwOp, ty: Scalar, old: Operand, value: Operand) -> Lowered<Operand> {
        use RmwOp::*;
        let width = ty.bits;
        let dst = self.temporary(2);
        let result = Operand::slot(dst);
        let bin = |op| Inst::Bin {
            op,
            width,
            nsw: false,
            undefined: Undefined::Poison,
            dst,
            a: old,
            b: value,
        };
        match op {
            LLVMAtomicRMWBinOpXchg => return Ok(value),
            LLVMAtomicRMWBinOpAdd => self.emit(bin(BinOp::Add)),
            LLVMAtomicRMWBinOpSub => self.emit(bin(BinOp::Sub)),
            LLVMAtomicRMWBinOpAnd => self.emit(bin(BinOp::And)),
            LLVMAtomicRMWBinOpOr => self.emit(bin(BinOp::Or)),
            LLVMAtomicRMWBinOpXor => self.emit(bin(BinOp::Xor)),
            LLVMAtomicRMWBinOpNand => {
                self.emit(bin(BinOp::And));
                let words = vec![u64::MAX; usize::from(width).div_ceil(64)];
                let ones = self.pool(super::constant::integer(width.into(), &words));
                self.emit(Inst::Bin {
                    op: BinOp::Xor,
                    width,
                    nsw: false,
                    undefined: Undefined::Poison,
                    dst,
                    a: result,
                    b: ones,
                });
            }
            LLVMAtomicRMWBinOpMax => self.keep_if(Pred::Sgt, width, old, value, dst),
            LLVMAtomicRMWBinOpMin => self.keep_if(Pred::Slt, width, old, value, dst),
            LLVMAtomicRMWBinOpUMax => self.keep_if(Pred::Ugt, width, old, value, dst),
            LLVMAtomicRMWBinOpUMin => self.keep_if(Pred::Ult, width, old, value, dst),
            LLVMAtomicRMWBinOpFAdd | LLVMAtomicRMWBinOpFSub if ty.kind == ScalarKind::Float => {
                let op = if op == LLVMAtomicRMWBinOpFAdd {
                    FloatOp::Add
                } else {
                    FloatOp::Sub
                };
                self.emit(Inst::FloatBin {
                    op,
                    width,
                    dst,
                    a: old,
                    b: value,
                });
            }
            other => return unsupported(format!("the atomic operation {}", name(other))),
        }
        Ok(result)
    }

    /// `dst = old pred value ? old : value`
    fn keep_if(&mut self, pred: Pred, width: u16, old: Operand, value: Operand, dst: Slot) {
        self.emit(Inst::Cmp {
            pred,
            width,
            dst: dst + 1,
            a: old,
            b: value,
        });
        let cond = Operand::slot(dst + 1);
        self.emit(Inst::Select {
            width,
            dst,
            cond,
            yes: old,
            no: value,
        });
    }

    /// Results: the old value, and whether it was the expected one.
    pub(super) fn compare_exchange(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let ptr = self.scalar(v.operand(0))?;
        let (expected, new) = (self.scalar(v.operand(1))?, self.scalar(v.operand(2))?);
        let ty = self.scalar_type(v.operand(1))?;
        let old = Operand::slot(dst);
        self.load_scalar(ptr, ty, dst);
        let width = ty.bits;
        self.emit(Inst::Cmp {
            pred: Pred::Eq,
            width,
            dst: dst + 1,
            a: old,
            b: expected,
        });
        let chosen = self.temporary(1);
        let cond = Operand::slot(dst + 1);
        self.emit(Inst::Select {
            width,
            dst: chosen,
            cond,
            yes: new,
            no: old,
        });
        self.store_scalar(ptr, ty, Operand::slot(chosen));
        Ok(())
    }
}

fn name(op: RmwOp) -> String {
    format!("{op:?}")
        .trim_start_matches("LLVMAtomicRMWBinOp")
        .to_lowercase()
}
