//! Integers and floating point: arithmetic, comparisons, casts, selection. Vectors go element by element.

use super::function::FunctionLowering;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{IntPredicate, RealPredicate, Value};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn binary(&mut self, v: Value<'m>, op: BinOp, dst: Slot) -> Lowered<()> {
        let width = self.element_type(v)?.bits;
        let nsw = v.has_nsw();
        let undefined = self.undefined_of(v);
        let (a, b) = (self.flat(v.operand(0))?, self.flat(v.operand(1))?);
        for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
            self.emit(Inst::Bin {
                op,
                width,
                nsw,
                undefined,
                dst: dst + i as u32,
                a,
                b,
            });
        }
        Ok(())
    }

    /// What a missing result means: it depends on whether the operation is where the program does it.
    pub(super) fn undefined_of(&self, v: Value<'m>) -> Undefined {
        match v.is_own(self.cx.own_kind) {
            true => Undefined::Error,
            false => Undefined::Poison,
        }
    }

    /// The type of the scalars in a value (all are alike wherever this is used).
    fn element_type(&mut self, v: Value<'m>) -> Lowered<Scalar> {
        match self.cx.shapes.of(v.ty())?.leaves.first() {
            Some(leaf) => Ok(leaf.scalar),
            None => unsupported(format!("an operation on {}", v.ty())),
        }
    }

    /// The width of a format that is computed with.
    pub(super) fn float_width(&mut self, v: Value<'m>, what: &str) -> Lowered<u16> {
        match self.element_type(v)? {
            Scalar {
                kind: ScalarKind::Float | ScalarKind::Extended,
                bits,
            } => Ok(bits),
            _ => unsupported(format!("{what} {}", v.ty())),
        }
    }

    pub(super) fn float_binary(&mut self, v: Value<'m>, op: FloatOp, dst: Slot) -> Lowered<()> {
        self.float_arithmetic(op, v.operand(0), v.operand(1), dst)
    }

    pub(super) fn float_arithmetic(&mut self, op: FloatOp, a: Value<'m>, b: Value<'m>, dst: Slot) -> Lowered<()> {
        let width = self.float_width(a, "arithmetic on")?;
        let (a, b) = (self.flat(a)?, self.flat(b)?);
        for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
            self.emit(Inst::FloatBin {
                op,
                width,
                dst: dst + i as u32,
                a,
                b,
            });
        }
        Ok(())
    }

    pub(super) fn float_negate(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let width = self.float_width(v, "arithmetic on")?;
        for (i, src) in self.flat(v.operand(0))?.into_iter().enumerate() {
            self.emit(Inst::FloatNeg {
                width,
                dst: dst + i as u32,
                src,
            });
        }
        Ok(())
    }

    pub(super) fn compare(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let (pred, width) = self.comparison(v)?;
        let (a, b) = (self.flat(v.operand(0))?, self.flat(v.operand(1))?);
        for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
            self.emit(Inst::Cmp {
                pred,
                width,
                dst: dst + i as u32,
                a,
                b,
            });
        }
        Ok(())
    }

    /// Predicate and width of an integer comparison.
    pub(super) fn comparison(&mut self, v: Value<'m>) -> Lowered<(Pred, u16)> {
        let pred = match v.int_predicate() {
            IntPredicate::LLVMIntEQ => Pred::Eq,
            IntPredicate::LLVMIntNE => Pred::Ne,
            IntPredicate::LLVMIntULT => Pred::Ult,
            IntPredicate::LLVMIntULE => Pred::Ule,
            IntPredicate::LLVMIntUGT => Pred::Ugt,
            IntPredicate::LLVMIntUGE => Pred::Uge,
            IntPredicate::LLVMIntSLT => Pred::Slt,
            IntPredicate::LLVMIntSLE => Pred::Sle,
            IntPredicate::LLVMIntSGT => Pred::Sgt,
            IntPredicate::LLVMIntSGE => Pred::Sge,
        };
        Ok((pred, self.element_type(v.operand(0))?.bits))
    }

    pub(super) fn float_compare(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let pred = match v.real_predicate() {
            RealPredicate::LLVMRealPredicateFalse => FloatPred::False,
            RealPredicate::LLVMRealOEQ => FloatPred::Oeq,
            RealPredicate::LLVMRealOGT => FloatPred::Ogt,
            RealPredicate::LLVMRealOGE => FloatPred::Oge,
            RealPredicate::LLVMRealOLT => FloatPred::Olt,
            RealPredicate::LLVMRealOLE => FloatPred::Ole,
            RealPredicate::LLVMRealONE => FloatPred::One,
            RealPredicate::LLVMRealORD => FloatPred::Ord,
            RealPredicate::LLVMRealUNO => FloatPred::Uno,
            RealPredicate::LLVMRealUEQ => FloatPred::Ueq,
            RealPredicate::LLVMRealUGT => FloatPred::Ugt,
            RealPredicate::LLVMRealUGE => FloatPred::Uge,
            RealPredicate::LLVMRealULT => FloatPred::Ult,
            RealPredicate::LLVMRealULE => FloatPred::Ule,
            RealPredicate::LLVMRealUNE => FloatPred::Une,
            RealPredicate::LLVMRealPredicateTrue => FloatPred::True,
        };
        self.float_comparison(pred, v.operand(0), v.operand(1), dst)
    }

    pub(super) fn float_comparison(&mut self, pred: FloatPred, a: Value<'m>, b: Value<'m>, dst: Slot) -> Lowered<()> {
        let width = self.float_width(a, "comparison of")?;
        let (a, b) = (self.flat(a)?, self.flat(b)?);
        for (i, (&a, &b)) in a.iter().zip(&b).enumerate() {
            self.emit(Inst::FloatCmp {
                pred,
                width,
                dst: dst + i as u32,
                a,
                b,
            });
        }
        Ok(())
    }

    pub(super) fn int_cast(&mut self, v: Value<'m>, op: CastOp, dst: Slot) -> Lowered<()> {
        let from = self.element_type(v.operand(0))?.bits;
        let to = self.element_type(v)?.bits;
        for (i, src) in self.flat(v.operand(0))?.into_iter().enumerate() {
            self.emit(Inst::Cast {
                op,
                from,
                to,
                dst: dst + i as u32,
                src,
            });
        }
        Ok(())
    }

    pub(super) fn float_cast(&mut self, v: Value<'m>, op: FloatCast, dst: Slot) -> Lowered<()> {
        let (from, to) = (self.element_type(v.operand(0))?, self.element_type(v)?);
        if [from, to].iter().any(|s| s.kind == ScalarKind::OtherFloat) {
            return unsupported(format!("conversion of {} to {}", v.operand(0).ty(), v.ty()));
        }
        let (from, to) = (from.bits, to.bits);
        let undefined = self.undefined_of(v);
        for (i, src) in self.flat(v.operand(0))?.into_iter().enumerate() {
            self.emit(Inst::FloatCast {
                op,
                from,
                to,
                undefined,
                dst: dst + i as u32,
                src,
            });
        }
        Ok(())
    }

    /// Between pointers and integers: the bits stay the same.
    pub(super) fn pointer_cast(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let from = self.element_type(v.operand(0))?.bits;
        let to = self.element_type(v)?.bits;
        for (i, src) in self.flat(v.operand(0))?.into_iter().enumerate() {
            self.resize(src, from, to, dst + i as u32);
        }
        Ok(())
    }

    /// `dst = src`, truncated or zero-extended to another width.
    pub(super) fn resize(&mut self, src: Operand, from: u16, to: u16, dst: Slot) {
        self.emit(match from.cmp(&to) {
            std::cmp::Ordering::Equal => Inst::Move { dst, src },
            std::cmp::Ordering::Less => Inst::Cast {
                op: CastOp::ZExt,
                from,
                to,
                dst,
                src,
            },
            std::cmp::Ordering::Greater => Inst::Cast {
                op: CastOp::Trunc,
                from,
                to,
                dst,
                src,
            },
        });
    }

    pub(super) fn select(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let shape = self.cx.shapes.of(v.ty())?;
        let conds = self.flat(v.operand(0))?;
        let (yes, no) = (self.flat(v.operand(1))?, self.flat(v.operand(2))?);
        let lanewise = v.operand(0).ty().is_vector();
        for (i, scalar) in shape.scalars().enumerate() {
            let cond = conds[if lanewise { i } else { 0 }];
            let dst = dst + i as u32;
            self.emit(Inst::Select {
                width: scalar.bits,
                dst,
                cond,
                yes: yes[i],
                no: no[i],
            });
        }
        Ok(())
    }
}
