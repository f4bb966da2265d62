//! Changes to the user's module before it is lowered. All of them keep every behaviour of the C program, undefined
//! behaviour included.
//!
//! LLVM's `simplifycfg` turns `a && b` without side effects into one branch, which halves the paths of much C code. It
//! also takes undefined behaviour as a licence to delete code, and Mneme is there to find that code. So each
//! `unreachable` gets a call before it, which the pass keeps, and every function is marked so that null may be a valid
//! address.

use super::{Module, owned_message};
use llvm_sys::prelude::*;
use llvm_sys::transforms::pass_builder;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode, core, error};
use std::ptr;

/// The call before `unreachable`: the engine reports it.
const UNREACHABLE: &std::ffi::CStr = c"__mneme_unreachable";
/// `-finstrument-functions` is carried out by a pass even in unoptimised code.
const PASSES: &std::ffi::CStr = c"function(ee-instrument,ee-instrument<post-inline>,simplifycfg)";

impl Module {
    pub fn simplify(&mut self) -> Result<(), String> {
        self.forget_constancy_tests();
        self.keep_undefined_behaviour();
        // SAFETY: live module, valid names; no target machine is needed by these passes; the options are ours.
        let failed = unsafe {
            let options = pass_builder::LLVMCreatePassBuilderOptions();
            let failed = pass_builder::LLVMRunPasses(self.raw, PASSES.as_ptr(), ptr::null_mut(), options);
            pass_builder::LLVMDisposePassBuilderOptions(options);
            failed
        };
        // SAFETY: the C API of LLVM 19 reads debug records only in the old format.
        unsafe { core::LLVMSetIsNewDbgInfoFormat(self.raw, 0) };
        if failed.is_null() {
            return Ok(());
        }
        // SAFETY: an error is consumed by asking for its message, which is ours to free like LLVM's other strings.
        Err(owned_message(unsafe { error::LLVMGetErrorMessage(failed) }))
    }

    /// Every instruction of the functions with a body.
    fn raw_instructions(&self) -> Vec<LLVMValueRef> {
        let mut all = Vec::new();
        // SAFETY: walks the module's own lists, which do not change meanwhile.
        unsafe {
            let mut function = core::LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                let mut block = core::LLVMGetFirstBasicBlock(function);
                while !block.is_null() {
                    let mut instruction = core::LLVMGetFirstInstruction(block);
                    while !instruction.is_null() {
                        all.push(instruction);
                        instruction = core::LLVMGetNextInstruction(instruction);
                    }
                    block = core::LLVMGetNextBasicBlock(block);
                }
                function = core::LLVMGetNextFunction(function);
            }
        }
        all
    }

    fn keep_undefined_behaviour(&mut self) {
        let attribute = super::attribute_kind("null_pointer_is_valid");
        // SAFETY: functions, blocks and instructions of this module; calls are inserted before terminators, which stay
        // valid.
        unsafe {
            let mut function = core::LLVMGetFirstFunction(self.raw);
            while !function.is_null() {
                let attribute = core::LLVMCreateEnumAttribute(self.context.raw, attribute, 0);
                core::LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
                function = core::LLVMGetNextFunction(function);
            }
            let unreachable = |v| core::LLVMGetInstructionOpcode(v) == LLVMOpcode::LLVMUnreachable;
            let ends: Vec<LLVMValueRef> = self
                .raw_instructions()
                .into_iter()
                .filter(|&v| unreachable(v))
                .collect();
            if ends.is_empty() {
                return;
            }
            let void = core::LLVMVoidTypeInContext(self.context.raw);
            let signature = core::LLVMFunctionType(void, ptr::null_mut(), 0, 0);
            let mut callee = core::LLVMGetNamedFunction(self.raw, UNREACHABLE.as_ptr());
            if callee.is_null() {
                callee = core::LLVMAddFunction(self.raw, UNREACHABLE.as_ptr(), signature);
            }
            let builder = core::LLVMCreateBuilderInContext(self.context.raw);
            for end in ends {
                // After a call that does not return, there is nothing else to keep.
                let before = core::LLVMGetPreviousInstruction(end);
                let calls = !before.is_null() && core::LLVMGetInstructionOpcode(before) == LLVMOpcode::LLVMCall;
                if calls && core::LLVMGetIntrinsicID(core::LLVMGetCalledValue(before)) == 0 {
                    continue;
                }
                core::LLVMPositionBuilderBefore(builder, end);
                core::LLVMBuildCall2(builder, signature, callee, ptr::null_mut(), 0, c"".as_ptr());
            }
            core::LLVMDisposeBuilder(builder);
        }
    }

    /// `__builtin_constant_p` of something that is not a constant is 0, and its operand is not evaluated.
    fn forget_constancy_tests(&mut self) {
        // SAFETY: calls of the intrinsic have one operand and an integer result; what is erased has no uses left.
        unsafe {
            for call in self.raw_instructions() {
                if core::LLVMGetInstructionOpcode(call) != LLVMOpcode::LLVMCall {
                    continue;
                }
                let callee = super::Value::new(core::LLVMGetCalledValue(call));
                if !callee.is_some_and(|callee| callee.name().starts_with("llvm.is.constant.")) {
                    continue;
                }
                let operand = core::LLVMGetOperand(call, 0);
                let constant = core::LLVMIsConstant(operand) != 0;
                let answer = core::LLVMConstInt(core::LLVMTypeOf(call), constant.into(), 0);
                core::LLVMReplaceAllUsesWith(call, answer);
                core::LLVMInstructionEraseFromParent(call);
                erase_unused(operand);
            }
        }
    }
}

/// Erases a load or address computation that is no longer used, and what only it used.
///
/// # Safety
/// `value` is a live value, and no handle to it or its operands is used afterwards.
unsafe fn erase_unused(value: LLVMValueRef) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        // SAFETY: each value is live: it is erased once, when it has no uses, and operands outlive their users.
        unsafe {
            if core::LLVMIsAInstruction(value).is_null() || !core::LLVMGetFirstUse(value).is_null() {
                continue;
            }
            use LLVMOpcode::*;
            let harmless = match core::LLVMGetInstructionOpcode(value) {
                LLVMLoad => core::LLVMGetVolatile(value) == 0,
                LLVMGetElementPtr | LLVMSExt | LLVMZExt | LLVMTrunc | LLVMBitCast | LLVMPtrToInt | LLVMIntToPtr => true,
                _ => false,
            };
            if harmless {
                let count = core::LLVMGetNumOperands(value) as u32;
                pending.extend((0..count).map(|i| core::LLVMGetOperand(value, i)));
                core::LLVMInstructionEraseFromParent(value);
            }
        }
    }
}
