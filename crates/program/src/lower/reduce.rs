//! `llvm.vector.reduce.*`: reduces all elements of a vector to one, from the first to the last.

use super::function::FunctionLowering;
use super::shape::Lowered;
use crate::ir::*;
use crate::llvm::Value;

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Reduction {
    Integer(BinOp),
    Choice(IntrinsicOp),
    /// Begins with an initial value that comes before the vector.
    Float(FloatOp),
}

impl Reduction {
    /// Determined by what follows `llvm.vector.reduce.`.
    pub fn of(name: &str) -> Option<Reduction> {
        use Reduction::*;
        Some(match name.split('.').next()? {
            "add" => Integer(BinOp::Add),
            "mul" => Integer(BinOp::Mul),
            "and" => Integer(BinOp::And),
            "or" => Integer(BinOp::Or),
            "xor" => Integer(BinOp::Xor),
            "smax" => Choice(IntrinsicOp::SMax),
            "smin" => Choice(IntrinsicOp::SMin),
            "umax" => Choice(IntrinsicOp::UMax),
            "umin" => Choice(IntrinsicOp::UMin),
            "fmax" => Choice(IntrinsicOp::MaxNum),
            "fmin" => Choice(IntrinsicOp::MinNum),
            "fmaximum" => Choice(IntrinsicOp::Maximum),
            "fminimum" => Choice(IntrinsicOp::Minimum),
            "fadd" => Float(FloatOp::Add),
            "fmul" => Float(FloatOp::Mul),
            _ => return None,
        })
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn reduce(&mut self, reduction: Reduction, args: &[Value<'m>], dst: Slot) -> Lowered<()> {
        let vector = args[args.len() - 1];
        let width = self.cx.shapes.of(vector.ty())?.leaves[0].scalar.bits;
        let mut lanes = self.flat(vector)?;
        if let Reduction::Float(_) = reduction {
            lanes.insert(0, self.scalar(args[0])?);
        }
        let so_far = self.temporary(1);
        self.emit(Inst::Move {
            dst: so_far,
            src: lanes[0],
        });
        let a = Operand::slot(so_far);
        for &b in &lanes[1..] {
            let dst = so_far;
            match reduction {
                Reduction::Integer(op) => self.emit(Inst::Bin {
                    op,
                    width,
                    nsw: false,
                    undefined: Undefined::Poison,
                    dst,
                    a,
                    b,
                }),
                Reduction::Float(op) => self.emit(Inst::FloatBin { op, width, dst, a, b }),
                Reduction::Choice(op) => self.push_intrinsic(Intrinsic {
                    op,
                    width,
                    result_width: width,
                    undefined: Undefined::Poison,
                    dst: Some(dst),
                    args: vec![a, b],
                }),
            }
        }
        self.emit(Inst::Move { dst, src: a });
        Ok(())
    }
}
