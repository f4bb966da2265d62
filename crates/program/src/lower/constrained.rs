//! `llvm.experimental.constrained.*`: arithmetic that specifies its rounding and exception behaviour. Mneme rounds to
//! nearest and has no flags to raise, so the constraints change nothing; intrinsics with a plain twin (`sqrt`, `fma` …)
//! are lowered as that.

use super::function::FunctionLowering;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::Value;

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Constrained {
    Arithmetic(FloatOp),
    Cast(FloatCast),
    /// The predicate is the third argument, in metadata.
    Compare,
}

impl Constrained {
    /// Determined by what follows `llvm.experimental.constrained.`.
    pub fn of(name: &str) -> Option<Constrained> {
        use Constrained::*;
        Some(match name.split('.').next()? {
            "fadd" => Arithmetic(FloatOp::Add),
            "fsub" => Arithmetic(FloatOp::Sub),
            "fmul" => Arithmetic(FloatOp::Mul),
            "fdiv" => Arithmetic(FloatOp::Div),
            "frem" => Arithmetic(FloatOp::Rem),
            "fptosi" => Cast(FloatCast::FToSI),
            "fptoui" => Cast(FloatCast::FToUI),
            "sitofp" => Cast(FloatCast::SIToF),
            "uitofp" => Cast(FloatCast::UIToF),
            "fptrunc" | "fpext" => Cast(FloatCast::FToF),
            "fcmp" | "fcmps" => Compare,
            _ => return None,
        })
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn constrained(
        &mut self,
        v: Value<'m>,
        constrained: Constrained,
        args: &[Value<'m>],
        dst: Slot,
    ) -> Lowered<()> {
        match constrained {
            Constrained::Arithmetic(op) => self.float_arithmetic(op, args[0], args[1], dst),
            // The operand comes first, as in the plain instruction.
            Constrained::Cast(op) => self.float_cast(v, op, dst),
            Constrained::Compare => {
                let name = v.args().get(2).and_then(|arg| arg.meta_text()).unwrap_or_default();
                match predicate(&name) {
                    Some(pred) => self.float_comparison(pred, args[0], args[1], dst),
                    None => unsupported(format!("the comparison {name}")),
                }
            }
        }
    }
}

fn predicate(name: &str) -> Option<FloatPred> {
    Some(match name {
        "oeq" => FloatPred::Oeq,
        "ogt" => FloatPred::Ogt,
        "oge" => FloatPred::Oge,
        "olt" => FloatPred::Olt,
        "ole" => FloatPred::Ole,
        "one" => FloatPred::One,
        "ord" => FloatPred::Ord,
        "uno" => FloatPred::Uno,
        "ueq" => FloatPred::Ueq,
        "ugt" => FloatPred::Ugt,
        "uge" => FloatPred::Uge,
        "ult" => FloatPred::Ult,
        "ule" => FloatPred::Ule,
        "une" => FloatPred::Une,
        _ => return None,
    })
}
