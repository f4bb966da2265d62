//! Which operations the program itself does, and where.
//!
//! In LLVM a shift past the width, a signed overflow or a conversion out of range is harmless as long as nothing
//! depends on the result, so optimisers compute such things before they know whether the program would. The operation
//! alone therefore does not tell what the program does at a place from what a compiler has moved there; a mark does.
//! Code that no optimiser has seen is marked here, function by function and operation by operation; LLVM removes the
//! mark from each operation that it moves.

use super::{Module, attribute_kind};
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode, core};
use std::ffi::CStr;
use std::ptr;

/// The attribute of functions and the metadata of operations that are unchanged from the source.
pub(super) const OWN: &CStr = c"mneme.own";

/// What is known about how a module was made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Translated from C, and nothing more.
    Source,
    /// Anything may have been done to functions that do not say otherwise (`optnone`).
    Unknown,
}

impl Module {
    /// Marks what is unchanged from the source.
    pub fn mark_own(&mut self, origin: Origin) {
        let untouched = attribute_kind("optnone");
        let kind = self.own_kind();
        // SAFETY: functions, blocks and instructions of this module; attributes and metadata are of its context.
        unsafe {
            let node = core::LLVMMDNodeInContext2(self.context.raw, ptr::null_mut(), 0);
            let node = core::LLVMMetadataAsValue(self.context.raw, node);
            let mut function = core::LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                let attribute = core::LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, untouched);
                if origin == Origin::Source || !attribute.is_null() {
                    self.mark_function(function, kind, node);
                }
                function = core::LLVMGetNextFunction(function);
            }
        }
    }

    /// The kind of the metadata that marks operations.
    pub fn own_kind(&self) -> u32 {
        self.metadata_kind(&OWN.to_string_lossy())
    }

    /// # Safety
    /// `function` is a function of this module, `node` metadata of its context.
    unsafe fn mark_function(&self, function: LLVMValueRef, kind: u32, node: LLVMValueRef) {
        // SAFETY: walks the function's own lists, which metadata does not change.
        unsafe {
            let length = OWN.count_bytes() as u32;
            let attribute = core::LLVMCreateStringAttribute(self.context.raw, OWN.as_ptr(), length, c"".as_ptr(), 0);
            core::LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
            let mut block = core::LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                let mut instruction = core::LLVMGetFirstInstruction(block);
                while !instruction.is_null() {
                    if may_lack_result(instruction) {
                        core::LLVMSetMetadata(instruction, kind, node);
                    }
                    instruction = core::LLVMGetNextInstruction(instruction);
                }
                block = core::LLVMGetNextBasicBlock(block);
            }
        }
    }
}

/// Whether the operation has no result for some operands, but does not trap on them.
///
/// # Safety
/// `instruction` is a live instruction.
unsafe fn may_lack_result(instruction: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: a call has a callee.
    unsafe {
        match core::LLVMGetInstructionOpcode(instruction) {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMFPToUI | LLVMFPToSI => true,
            LLVMCall => {
                let callee = super::Value::new(core::LLVMGetCalledValue(instruction));
                let called = |name| callee.is_some_and(|callee| callee.name().starts_with(name));
                called("llvm.abs.") || called("llvm.experimental.constrained.fpto")
            }
            _ => false,
        }
    }
}
