//! Queries about debug information.

use super::*;

impl<'m> Value<'m> {
    pub fn debug_location(self) -> Option<Meta<'m>> {
        // SAFETY: an instruction, checked first.
        if self.is_instruction() {
            Meta::new(unsafe { debuginfo::LLVMInstructionGetDebugLoc(self.0) })
        } else {
            None
        }
    }

    pub fn subprogram(self) -> Option<Meta<'m>> {
        if !self.is_function() {
            return None;
        }
        // SAFETY: a function.
        Meta::new(unsafe { debuginfo::LLVMGetSubprogram(self.0) })
    }

    /// The metadata that an operand of a debug intrinsic wraps.
    pub fn as_meta(self) -> Option<Meta<'m>> {
        // SAFETY: live value, of whichever kind.
        Meta::new(unsafe { core::LLVMValueAsMetadata(self.0) })
    }

    /// The value that an operand of a debug intrinsic describes.
    pub fn described_value(self) -> Option<Value<'m>> {
        let kind = self.as_meta()?.kind();
        if !matches!(
            kind,
            MetaKind::LLVMLocalAsMetadataMetadataKind | MetaKind::LLVMConstantAsMetadataMetadataKind
        ) || self.kind() != ValueKind::LLVMMetadataAsValueValueKind
        {
            return None;
        }
        let mut raw = ptr::null_mut();
        // SAFETY: metadata that wraps one value: LLVM writes exactly one operand.
        unsafe { core::LLVMGetMDNodeOperands(self.0, &mut raw) };
        Value::new(raw)
    }

    pub fn is_metadata(self) -> bool {
        self.kind() == ValueKind::LLVMMetadataAsValueValueKind
    }

    /// The text of a metadata string.
    pub fn meta_text(self) -> Option<String> {
        // SAFETY: a metadata string, checked first; LLVM lends the text.
        unsafe {
            if core::LLVMIsAMDString(self.0).is_null() {
                return None;
            }
            let mut length = 0;
            let start = core::LLVMGetMDString(self.0, &mut length);
            Some(lent_text(start, length as usize)).filter(|t| !t.is_empty())
        }
    }

    /// Metadata of that kind attached to a global variable.
    pub fn global_metadata(self, kind: u32) -> Option<Meta<'m>> {
        if self.kind() != ValueKind::LLVMGlobalVariableValueKind {
            return None;
        }
        // SAFETY: the entries are copied for us, read within their count and freed once.
        unsafe {
            let mut count = 0;
            let entries = core::LLVMGlobalCopyAllMetadata(self.0, &mut count);
            let found = (0..count as c_uint)
                .find(|&i| core::LLVMValueMetadataEntriesGetKind(entries, i) == kind)
                .map(|i| core::LLVMValueMetadataEntriesGetMetadata(entries, i));
            core::LLVMDisposeValueMetadataEntries(entries);
            found.and_then(Meta::new)
        }
    }
}

/// Operands of a metadata node; each may be absent.
pub struct MetaOperands<'m>(Vec<Option<Value<'m>>>);

impl<'m> MetaOperands<'m> {
    pub fn node(&self, index: usize) -> Option<Meta<'m>> {
        self.0.get(index).copied().flatten()?.as_meta()
    }

    pub fn text(&self, index: usize) -> Option<String> {
        self.0.get(index).copied().flatten()?.meta_text()
    }

    pub fn int(&self, index: usize) -> Option<u64> {
        self.0.get(index).copied().flatten()?.int_value()
    }

    pub fn nodes(&self) -> impl Iterator<Item = Meta<'m>> {
        self.0.iter().filter_map(|v| v.and_then(Value::as_meta))
    }
}

impl<'m> Meta<'m> {
    pub fn kind(self) -> MetaKind {
        // SAFETY: live metadata.
        unsafe { debuginfo::LLVMGetMetadataKind(self.0) }
    }

    fn is_location(self) -> bool {
        matches!(self.kind(), MetaKind::LLVMDILocationMetadataKind)
    }

    fn is_type(self) -> bool {
        matches!(
            self.kind(),
            MetaKind::LLVMDIBasicTypeMetadataKind
                | MetaKind::LLVMDIDerivedTypeMetadataKind
                | MetaKind::LLVMDICompositeTypeMetadataKind
                | MetaKind::LLVMDISubroutineTypeMetadataKind
        )
    }

    /// Line, column and scope of a location.
    pub fn location(self) -> Option<(u32, u32, Meta<'m>)> {
        if !self.is_location() {
            return None;
        }
        // SAFETY: a location.
        unsafe {
            Some((
                debuginfo::LLVMDILocationGetLine(self.0),
                debuginfo::LLVMDILocationGetColumn(self.0),
                Meta::new(debuginfo::LLVMDILocationGetScope(self.0))?,
            ))
        }
    }

    /// File of a scope.
    pub fn scope_file(self) -> Option<Meta<'m>> {
        let is_scope = matches!(
            self.kind(),
            MetaKind::LLVMDISubprogramMetadataKind
                | MetaKind::LLVMDILexicalBlockMetadataKind
                | MetaKind::LLVMDILexicalBlockFileMetadataKind
                | MetaKind::LLVMDICompileUnitMetadataKind
                | MetaKind::LLVMDIFileMetadataKind
        );
        // SAFETY: a scope, checked first.
        if is_scope {
            Meta::new(unsafe { debuginfo::LLVMDIScopeGetFile(self.0) })
        } else {
            None
        }
    }

    /// Directory and name of a file.
    pub fn file_path(self) -> Option<(String, String)> {
        if !matches!(self.kind(), MetaKind::LLVMDIFileMetadataKind) {
            return None;
        }
        let (mut directory, mut name) = (0, 0);
        // SAFETY: a file; LLVM lends both strings.
        unsafe {
            let a = debuginfo::LLVMDIFileGetDirectory(self.0, &mut directory);
            let b = debuginfo::LLVMDIFileGetFilename(self.0, &mut name);
            Some((lent_text(a, directory as usize), lent_text(b, name as usize)))
        }
    }

    pub fn subprogram_line(self) -> u32 {
        if !matches!(self.kind(), MetaKind::LLVMDISubprogramMetadataKind) {
            return 0;
        }
        // SAFETY: a subprogram.
        unsafe { debuginfo::LLVMDISubprogramGetLine(self.0) }
    }

    /// File and line of a local or global variable.
    pub fn variable_place(self) -> Option<(Option<Meta<'m>>, u32)> {
        if !matches!(
            self.kind(),
            MetaKind::LLVMDILocalVariableMetadataKind | MetaKind::LLVMDIGlobalVariableMetadataKind
        ) {
            return None;
        }
        // SAFETY: a variable.
        unsafe {
            Some((
                Meta::new(debuginfo::LLVMDIVariableGetFile(self.0)),
                debuginfo::LLVMDIVariableGetLine(self.0),
            ))
        }
    }

    /// The variable of a "global variable expression".
    pub fn global_variable(self) -> Option<Meta<'m>> {
        if !matches!(self.kind(), MetaKind::LLVMDIGlobalVariableExpressionMetadataKind) {
            return None;
        }
        // SAFETY: a global variable expression.
        Meta::new(unsafe { debuginfo::LLVMDIGlobalVariableExpressionGetVariable(self.0) })
    }

    /// DWARF tag of a type or variable.
    pub fn tag(self) -> u16 {
        // SAFETY: LLVM answers 0 for nodes without a tag.
        unsafe { debuginfo::LLVMGetDINodeTag(self.0) }
    }

    pub fn type_name(self) -> Option<String> {
        if !self.is_type() {
            return None;
        }
        let mut length = 0;
        // SAFETY: a type; LLVM lends the text.
        let start = unsafe { debuginfo::LLVMDITypeGetName(self.0, &mut length) };
        Some(lent_text(start, length)).filter(|t| !t.is_empty())
    }

    /// Size and offset of a type or member, in bits.
    pub fn type_bits(self) -> (u64, u64) {
        if !self.is_type() {
            return (0, 0);
        }
        // SAFETY: a type.
        unsafe {
            (
                debuginfo::LLVMDITypeGetSizeInBits(self.0),
                debuginfo::LLVMDITypeGetOffsetInBits(self.0),
            )
        }
    }

    pub fn operands(self, module: &'m Module) -> MetaOperands<'m> {
        // SAFETY: wrapping metadata as a value changes the context only; the operands are read within their count, and
        // only of nodes.
        unsafe {
            if matches!(
                self.kind(),
                MetaKind::LLVMMDStringMetadataKind
                    | MetaKind::LLVMConstantAsMetadataMetadataKind
                    | MetaKind::LLVMLocalAsMetadataMetadataKind
            ) {
                return MetaOperands(Vec::new());
            }
            let value = core::LLVMMetadataAsValue(module.context.raw, self.0);
            if core::LLVMIsAMDNode(value).is_null() {
                return MetaOperands(Vec::new());
            }
            let count = core::LLVMGetMDNodeNumOperands(value) as usize;
            let mut raw: Vec<LLVMValueRef> = vec![ptr::null_mut(); count];
            core::LLVMGetMDNodeOperands(value, raw.as_mut_ptr());
            MetaOperands(raw.into_iter().map(Value::new).collect())
        }
    }
}
