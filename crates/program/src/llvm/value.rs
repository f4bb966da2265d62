//! Queries about values: instructions, constants, globals and functions.

use super::*;

/// LLVM's number for the attributes of a function itself.
const FUNCTION_INDEX: c_uint = !0;
const RETURN_INDEX: c_uint = 0;

impl<'m> Value<'m> {
    pub fn kind(self) -> ValueKind {
        // SAFETY: live value.
        unsafe { core::LLVMGetValueKind(self.0) }
    }

    pub fn ty(self) -> Type<'m> {
        // SAFETY: live value.
        Type(unsafe { core::LLVMTypeOf(self.0) }, PhantomData)
    }

    pub fn name(self) -> String {
        let mut length = 0;
        // SAFETY: live value; LLVM lends the text.
        let start = unsafe { core::LLVMGetValueName2(self.0, &mut length) };
        lent_text(start, length)
    }

    /// The value as LLVM prints it.
    pub fn print(self) -> String {
        // SAFETY: live value; the message is ours.
        owned_message(unsafe { core::LLVMPrintValueToString(self.0) })
    }

    pub fn is_constant(self) -> bool {
        // SAFETY: live value.
        unsafe { core::LLVMIsConstant(self.0) != 0 }
    }

    pub fn is_instruction(self) -> bool {
        // SAFETY: live value.
        unsafe { !core::LLVMIsAInstruction(self.0).is_null() }
    }

    pub fn is_undef(self) -> bool {
        // SAFETY: live value.
        unsafe { core::LLVMIsUndef(self.0) != 0 }
    }

    pub fn is_null(self) -> bool {
        // SAFETY: live value.
        unsafe { self.is_constant() && core::LLVMIsNull(self.0) != 0 }
    }

    /// A number that stays the same while the value exists, even across changes of its module.
    pub fn identity(self) -> usize {
        self.0 as usize
    }

    // Operands and uses.

    fn is_user(self) -> bool {
        // SAFETY: live value.
        unsafe { !core::LLVMIsAUser(self.0).is_null() }
    }

    pub fn operand_count(self) -> u32 {
        // SAFETY: only users have operands.
        if self.is_user() {
            unsafe { core::LLVMGetNumOperands(self.0) as u32 }
        } else {
            0
        }
    }

    pub fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.operand_count());
        // SAFETY: one of the operands.
        Value(unsafe { core::LLVMGetOperand(self.0, index) }, PhantomData)
    }

    pub fn operands(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: indices stay below the count. An operand may be missing (a function without personality).
        (0..self.operand_count()).filter_map(move |i| Value::new(unsafe { core::LLVMGetOperand(self.0, i) }))
    }

    /// The users, one for each use.
    pub fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: walks the value's own use list, which does not change while `'m` is borrowed.
        let mut current = unsafe { core::LLVMGetFirstUse(self.0) };
        std::iter::from_fn(move || {
            if current.is_null() {
                return None;
            }
            // SAFETY: as above.
            unsafe {
                let user = core::LLVMGetUser(current);
                current = core::LLVMGetNextUse(current);
                Value::new(user)
            }
        })
    }

    // Constants.

    /// The low 64 bits of an integer constant.
    pub fn int_value(self) -> Option<u64> {
        if self.kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        let bits = self.ty().int_bits();
        if bits > 64 {
            return Some(self.int_words()[0]);
        }
        // SAFETY: an integer constant of at most 64 bits.
        Some(unsafe { core::LLVMConstIntGetZExtValue(self.0) })
    }

    /// All words of an integer constant, least significant first. The C API has no accessor beyond 64 bits: read the
    /// decimal text.
    pub fn int_words(self) -> Vec<u64> {
        let bits = self.ty().int_bits() as usize;
        if bits <= 64 {
            return vec![self.int_value().unwrap_or(0)];
        }
        let text = self.print();
        let digits = text.rsplit(' ').next().unwrap_or("0");
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, digits),
        };
        let mut words = vec![0u64; bits.div_ceil(64)];
        for digit in digits.bytes().filter(u8::is_ascii_digit) {
            let mut carry = u128::from(digit - b'0');
            for word in &mut words {
                let product = u128::from(*word) * 10 + carry;
                *word = product as u64;
                carry = product >> 64;
            }
        }
        if negative {
            let mut carry = true;
            for word in &mut words {
                let (sum, overflow) = (!*word).overflowing_add(carry as u64);
                *word = sum;
                carry = overflow;
            }
        }
        if !bits.is_multiple_of(64) {
            *words.last_mut().expect("at least one word") &= (1 << (bits % 64)) - 1;
        }
        words
    }

    /// The bit pattern of a floating-point constant, as an integer constant.
    pub fn float_bits(self, bits: u32) -> Option<Value<'m>> {
        if self.kind() != ValueKind::LLVMConstantFPValueKind {
            return None;
        }
        // SAFETY: a bit cast between types of one width; constants are interned in the context, the module is not
        // changed.
        unsafe {
            let context = core::LLVMGetTypeContext(self.ty().0);
            let integer = core::LLVMIntTypeInContext(context, bits);
            Value::new(core::LLVMConstBitCast(self.0, integer))
        }
    }

    /// Element of a constant array, struct or vector.
    pub fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        if !self.is_constant() {
            return None;
        }
        // SAFETY: LLVM answers null beyond the end and for other constants.
        Value::new(unsafe { core::LLVMGetAggregateElement(self.0, index) })
    }

    /// The value itself, or the common element of a constant vector.
    pub fn splat(self) -> Option<Value<'m>> {
        if !self.ty().is_vector() {
            return Some(self);
        }
        let first = self.aggregate_element(0)?;
        let alike = |i| self.aggregate_element(i) == Some(first);
        (1..self.ty().length() as u32).all(alike).then_some(first)
    }

    /// The bytes of a constant array of 8-bit integers.
    pub fn string_bytes(self) -> Option<&'m [u8]> {
        if self.kind() != ValueKind::LLVMConstantDataArrayValueKind {
            return None;
        }
        // SAFETY: a constant data array; LLVM lends its bytes.
        unsafe {
            if core::LLVMIsConstantString(self.0) == 0 {
                return None;
            }
            let mut length = 0;
            let start = core::LLVMGetAsString(self.0, &mut length);
            Some(lent_bytes(start, length))
        }
    }

    pub fn is_constant_expression(self) -> bool {
        self.kind() == ValueKind::LLVMConstantExprValueKind
    }

    /// Opcode of an instruction or of a constant expression.
    pub fn opcode(self) -> Option<Opcode> {
        // SAFETY: the accessor that fits the kind.
        unsafe {
            if self.is_constant_expression() {
                Some(core::LLVMGetConstOpcode(self.0))
            } else if self.is_instruction() {
                Some(core::LLVMGetInstructionOpcode(self.0))
            } else {
                None
            }
        }
    }

    pub fn block_address(self) -> Option<(Value<'m>, Block<'m>)> {
        if self.kind() != ValueKind::LLVMBlockAddressValueKind {
            return None;
        }
        // SAFETY: a block address.
        unsafe {
            Some((
                Value::new(core::LLVMGetBlockAddressFunction(self.0))?,
                Block::new(core::LLVMGetBlockAddressBasicBlock(self.0))?,
            ))
        }
    }

    // Globals and functions.

    pub fn is_function(self) -> bool {
        self.kind() == ValueKind::LLVMFunctionValueKind
    }

    pub fn is_variable(self) -> bool {
        self.kind() == ValueKind::LLVMGlobalVariableValueKind
    }

    fn is_global_value(self) -> bool {
        // SAFETY: live value.
        unsafe { !core::LLVMIsAGlobalValue(self.0).is_null() }
    }

    /// Type of the variable or function behind the address.
    pub fn value_type(self) -> Type<'m> {
        assert!(self.is_global_value());
        // SAFETY: a global value.
        Type(unsafe { core::LLVMGlobalGetValueType(self.0) }, PhantomData)
    }

    pub fn linkage(self) -> Linkage {
        assert!(self.is_global_value());
        // SAFETY: a global value.
        unsafe { core::LLVMGetLinkage(self.0) }
    }

    pub fn is_local(self) -> bool {
        matches!(
            self.linkage(),
            Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
        )
    }

    pub fn is_declaration(self) -> bool {
        assert!(self.is_global_value());
        // SAFETY: a global value.
        unsafe { core::LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn initializer(self) -> Option<Value<'m>> {
        if self.kind() != ValueKind::LLVMGlobalVariableValueKind {
            return None;
        }
        // SAFETY: a global variable.
        Value::new(unsafe { core::LLVMGetInitializer(self.0) })
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: a global variable, checked first.
        self.kind() == ValueKind::LLVMGlobalVariableValueKind && unsafe { core::LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn aliasee(self) -> Option<Value<'m>> {
        if self.kind() != ValueKind::LLVMGlobalAliasValueKind {
            return None;
        }
        // SAFETY: an alias.
        Value::new(unsafe { core::LLVMAliasGetAliasee(self.0) })
    }

    /// Alignment written at a global variable or an alloca, load or store; 0 if none is.
    pub fn alignment(self) -> u64 {
        let has_one = self.kind() == ValueKind::LLVMGlobalVariableValueKind
            || matches!(
                self.opcode(),
                Some(Opcode::LLVMAlloca | Opcode::LLVMLoad | Opcode::LLVMStore)
            );
        // SAFETY: a value that has an alignment.
        if has_one {
            unsafe { core::LLVMGetAlignment(self.0).into() }
        } else {
            0
        }
    }

    pub fn params(self) -> Vec<Value<'m>> {
        assert!(self.is_function());
        // SAFETY: a function and its parameters.
        unsafe {
            (0..core::LLVMCountParams(self.0))
                .filter_map(|i| Value::new(core::LLVMGetParam(self.0, i)))
                .collect()
        }
    }

    pub fn blocks(self) -> Vec<Block<'m>> {
        assert!(self.is_function());
        // SAFETY: a function; the buffer has room for all blocks.
        unsafe {
            let count = core::LLVMCountBasicBlocks(self.0) as usize;
            let mut raw: Vec<LLVMBasicBlockRef> = vec![ptr::null_mut(); count];
            core::LLVMGetBasicBlocks(self.0, raw.as_mut_ptr());
            raw.into_iter().filter_map(Block::new).collect()
        }
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: a function, checked first.
        self.is_function() && unsafe { core::LLVMGetIntrinsicID(self.0) != 0 }
    }

    pub fn has_function_attribute(self, kind: u32) -> bool {
        // SAFETY: a function, checked first.
        self.is_function() && unsafe { !core::LLVMGetEnumAttributeAtIndex(self.0, FUNCTION_INDEX, kind).is_null() }
    }

    pub fn has_result_attribute(self, kind: u32) -> bool {
        // SAFETY: a function, checked first.
        self.is_function() && unsafe { !core::LLVMGetEnumAttributeAtIndex(self.0, RETURN_INDEX, kind).is_null() }
    }

    /// Attribute of the parameter `index` (from 0) of a function.
    pub fn param_attribute(self, index: u32, kind: u32) -> Option<Attribute<'m>> {
        assert!(self.is_function());
        // SAFETY: a function; LLVM numbers parameters from 1.
        Attribute::new(unsafe { core::LLVMGetEnumAttributeAtIndex(self.0, index + 1, kind) })
    }

    // Instructions.

    fn assert_opcode(self, opcode: Opcode) {
        assert_eq!(self.opcode(), Some(opcode));
    }

    pub fn parent_block(self) -> Option<Block<'m>> {
        // SAFETY: an instruction, checked first.
        if self.is_instruction() {
            Block::new(unsafe { core::LLVMGetInstructionParent(self.0) })
        } else {
            None
        }
    }

    pub fn int_predicate(self) -> IntPredicate {
        self.assert_opcode(Opcode::LLVMICmp);
        // SAFETY: an integer comparison.
        unsafe { core::LLVMGetICmpPredicate(self.0) }
    }

    pub fn real_predicate(self) -> RealPredicate {
        self.assert_opcode(Opcode::LLVMFCmp);
        // SAFETY: a floating-point comparison.
        unsafe { core::LLVMGetFCmpPredicate(self.0) }
    }

    /// Whether a function, or one of its operations, is unchanged from the source.
    pub fn is_own(self, kind: u32) -> bool {
        let name = super::own::OWN;
        // SAFETY: a function or an instruction, checked first; the name lives during the call.
        unsafe {
            if self.is_function() {
                let length = name.count_bytes() as u32;
                !core::LLVMGetStringAttributeAtIndex(self.0, FUNCTION_INDEX, name.as_ptr(), length).is_null()
            } else {
                self.has_metadata(kind)
            }
        }
    }

    /// Whether it is an instruction with metadata of that kind.
    pub fn has_metadata(self, kind: u32) -> bool {
        // SAFETY: an instruction, checked first.
        self.is_instruction() && unsafe { !core::LLVMGetMetadata(self.0, kind).is_null() }
    }

    /// `nsw` on an addition, subtraction, multiplication or left shift.
    pub fn has_nsw(self) -> bool {
        matches!(
            self.opcode(),
            Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl)
        )
            // SAFETY: one of the operations that can carry the flag.
            && self.is_instruction() && unsafe { core::LLVMGetNSW(self.0) != 0 }
    }

    pub fn allocated_type(self) -> Type<'m> {
        self.assert_opcode(Opcode::LLVMAlloca);
        // SAFETY: an alloca.
        Type(unsafe { core::LLVMGetAllocatedType(self.0) }, PhantomData)
    }

    /// The type that the indices of a `getelementptr` walk through.
    pub fn gep_source_type(self) -> Type<'m> {
        self.assert_opcode(Opcode::LLVMGetElementPtr);
        // SAFETY: a getelementptr, instruction or constant.
        Type(unsafe { core::LLVMGetGEPSourceElementType(self.0) }, PhantomData)
    }

    /// Indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> &'m [u32] {
        assert!(matches!(
            self.opcode(),
            Some(Opcode::LLVMExtractValue | Opcode::LLVMInsertValue)
        ));
        // SAFETY: LLVM lends the array, which lives as long as the instruction.
        unsafe {
            let count = core::LLVMGetNumIndices(self.0) as usize;
            if count == 0 {
                return &[];
            }
            std::slice::from_raw_parts(core::LLVMGetIndices(self.0), count)
        }
    }

    /// Mask of a `shufflevector`; `None` is an undefined element.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        self.assert_opcode(Opcode::LLVMShuffleVector);
        // SAFETY: a shufflevector, instruction or constant.
        unsafe {
            (0..core::LLVMGetNumMaskElements(self.0))
                .map(|i| u32::try_from(core::LLVMGetMaskValue(self.0, i)).ok())
                .collect()
        }
    }

    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        self.assert_opcode(Opcode::LLVMPHI);
        // SAFETY: a phi and indices below its count.
        unsafe {
            (0..core::LLVMCountIncoming(self.0))
                .filter_map(|i| {
                    Some((
                        Value::new(core::LLVMGetIncomingValue(self.0, i))?,
                        Block::new(core::LLVMGetIncomingBlock(self.0, i))?,
                    ))
                })
                .collect()
        }
    }

    fn is_terminator(self) -> bool {
        // SAFETY: live value.
        unsafe { !core::LLVMIsATerminatorInst(self.0).is_null() }
    }

    pub fn successors(self) -> Vec<Block<'m>> {
        assert!(self.is_terminator());
        // SAFETY: a terminator and indices below its count.
        unsafe {
            (0..core::LLVMGetNumSuccessors(self.0))
                .filter_map(|i| Block::new(core::LLVMGetSuccessor(self.0, i)))
                .collect()
        }
    }

    pub fn rmw_operation(self) -> RmwOp {
        self.assert_opcode(Opcode::LLVMAtomicRMW);
        // SAFETY: an atomicrmw; LLVM 19 knows exactly the operations of the enumeration.
        unsafe { core::LLVMGetAtomicRMWBinOp(self.0) }
    }

    // Calls.

    fn assert_call(self) {
        assert!(matches!(
            self.opcode(),
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr)
        ));
    }

    pub fn called_value(self) -> Value<'m> {
        self.assert_call();
        // SAFETY: a call.
        Value(unsafe { core::LLVMGetCalledValue(self.0) }, PhantomData)
    }

    pub fn called_type(self) -> Type<'m> {
        self.assert_call();
        // SAFETY: a call.
        Type(unsafe { core::LLVMGetCalledFunctionType(self.0) }, PhantomData)
    }

    pub fn args(self) -> Vec<Value<'m>> {
        self.assert_call();
        // SAFETY: a call; its arguments are its first operands.
        unsafe {
            (0..core::LLVMGetNumArgOperands(self.0))
                .filter_map(|i| Value::new(core::LLVMGetOperand(self.0, i)))
                .collect()
        }
    }

    pub fn call_attribute(self, kind: u32) -> bool {
        self.assert_call();
        // SAFETY: a call.
        unsafe { !core::LLVMGetCallSiteEnumAttribute(self.0, FUNCTION_INDEX, kind).is_null() }
    }

    /// Attribute of argument `index` (from 0) of a call.
    pub fn arg_attribute(self, index: u32, kind: u32) -> Option<Attribute<'m>> {
        self.assert_call();
        // SAFETY: a call; LLVM numbers arguments from 1.
        Attribute::new(unsafe { core::LLVMGetCallSiteEnumAttribute(self.0, index + 1, kind) })
    }

    /// Text and constraints of inline assembly.
    pub fn inline_asm(self) -> Option<(String, String)> {
        if self.kind() != ValueKind::LLVMInlineAsmValueKind {
            return None;
        }
        let (mut text, mut constraints) = (0, 0);
        // SAFETY: inline assembly; LLVM lends both strings.
        unsafe {
            let a = core::LLVMGetInlineAsmAsmString(self.0, &mut text);
            let b = core::LLVMGetInlineAsmConstraintString(self.0, &mut constraints);
            Some((lent_text(a, text), lent_text(b, constraints)))
        }
    }
}
