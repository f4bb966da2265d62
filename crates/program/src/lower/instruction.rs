//! Which file lowers which instruction.

use super::function::FunctionLowering;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{Opcode, Value};

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers an instruction that is not a terminator, or a constant expression, into the slots that begin at `dst`.
    pub(super) fn operation(&mut self, v: Value<'m>, opcode: Opcode, dst: Slot) -> Lowered<()> {
        use Opcode::*;
        match opcode {
            LLVMAdd => self.binary(v, BinOp::Add, dst),
            LLVMSub => self.binary(v, BinOp::Sub, dst),
            LLVMMul => self.binary(v, BinOp::Mul, dst),
            LLVMUDiv => self.binary(v, BinOp::UDiv, dst),
            LLVMSDiv => self.binary(v, BinOp::SDiv, dst),
            LLVMURem => self.binary(v, BinOp::URem, dst),
            LLVMSRem => self.binary(v, BinOp::SRem, dst),
            LLVMAnd => self.binary(v, BinOp::And, dst),
            LLVMOr => self.binary(v, BinOp::Or, dst),
            LLVMXor => self.binary(v, BinOp::Xor, dst),
            LLVMShl => self.binary(v, BinOp::Shl, dst),
            LLVMLShr => self.binary(v, BinOp::LShr, dst),
            LLVMAShr => self.binary(v, BinOp::AShr, dst),
            LLVMFAdd => self.float_binary(v, FloatOp::Add, dst),
            LLVMFSub => self.float_binary(v, FloatOp::Sub, dst),
            LLVMFMul => self.float_binary(v, FloatOp::Mul, dst),
            LLVMFDiv => self.float_binary(v, FloatOp::Div, dst),
            LLVMFRem => self.float_binary(v, FloatOp::Rem, dst),
            LLVMFNeg => self.float_negate(v, dst),
            LLVMICmp => self.compare(v, dst),
            LLVMFCmp => self.float_compare(v, dst),
            LLVMTrunc => self.int_cast(v, CastOp::Trunc, dst),
            LLVMZExt => self.int_cast(v, CastOp::ZExt, dst),
            LLVMSExt => self.int_cast(v, CastOp::SExt, dst),
            LLVMFPToUI => self.float_cast(v, FloatCast::FToUI, dst),
            LLVMFPToSI => self.float_cast(v, FloatCast::FToSI, dst),
            LLVMUIToFP => self.float_cast(v, FloatCast::UIToF, dst),
            LLVMSIToFP => self.float_cast(v, FloatCast::SIToF, dst),
            LLVMFPTrunc | LLVMFPExt => self.float_cast(v, FloatCast::FToF, dst),
            LLVMPtrToInt | LLVMIntToPtr => self.pointer_cast(v, dst),
            LLVMBitCast => self.bit_cast(v, dst),
            LLVMFreeze => self.freeze(v, dst),
            LLVMSelect => self.select(v, dst),
            LLVMExtractValue => self.extract_value(v, dst),
            LLVMInsertValue => self.insert_value(v, dst),
            LLVMExtractElement => self.extract_element(v, dst),
            LLVMInsertElement => self.insert_element(v, dst),
            LLVMShuffleVector => self.shuffle(v, dst),
            LLVMAlloca => self.alloca(v, dst),
            LLVMLoad => self.load(v, dst),
            LLVMStore => self.store(v),
            LLVMGetElementPtr => self.element_address(v, dst),
            LLVMAtomicRMW => self.atomic_update(v, dst),
            LLVMAtomicCmpXchg => self.compare_exchange(v, dst),
            LLVMFence => Ok(()),
            LLVMCall => self.call(v, dst),
            LLVMVAArg => unsupported("the va_arg instruction"),
            LLVMAddrSpaceCast => unsupported("pointers of other address spaces"),
            LLVMLandingPad | LLVMCatchPad | LLVMCleanupPad => unsupported("exception handling"),
            other => unsupported(format!("the instruction {}", opcode_name(other))),
        }
    }

    fn freeze(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        for (i, src) in self.flat(v.operand(0))?.into_iter().enumerate() {
            self.emit(Inst::Freeze {
                dst: dst + i as u32,
                src,
            });
        }
        Ok(())
    }

    pub(super) fn moves(&mut self, dst: Slot, sources: &[Operand]) {
        for (i, &src) in sources.iter().enumerate() {
            self.emit(Inst::Move {
                dst: dst + i as u32,
                src,
            });
        }
    }
}

pub(super) fn opcode_name(opcode: Opcode) -> String {
    format!("{opcode:?}").trim_start_matches("LLVM").to_lowercase()
}
