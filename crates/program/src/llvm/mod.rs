//! Safe, thin handles over LLVM's C API: the only folder of this crate with `unsafe`.
//!
//! Invariants that make the handles sound:
//! - A [`Module`] keeps its context alive, and every handle borrows the module (`'m`), so no handle outlives what it
//!   points to.
//! - Anything that changes a module takes `&mut Module`, so no handle survives a change that could free its value.
//! - Accessors that LLVM defines only for one kind of value check that kind first.
//!
//! Deliberately absent: building instructions. Mneme reads modules; it changes them only to link them and to run the
//! passes of `simplify`.

mod meta;
mod own;
mod silence;
mod simplify;
mod trial;
mod value;

use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;
use std::sync::Once;

pub use own::Origin;
pub use silence::silently;
pub use trial::trial;

pub use llvm_sys::LLVMAtomicRMWBinOp as RmwOp;
pub use llvm_sys::LLVMIntPredicate as IntPredicate;
pub use llvm_sys::LLVMLinkage as Linkage;
pub use llvm_sys::LLVMOpcode as Opcode;
pub use llvm_sys::LLVMRealPredicate as RealPredicate;
pub use llvm_sys::LLVMTypeKind as TypeKind;
pub use llvm_sys::LLVMValueKind as ValueKind;
pub use llvm_sys::debuginfo::LLVMMetadataKind as MetaKind;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, analysis, core, debuginfo, error_handling, ir_reader, linker, target};

/// The text that LLVM returned, which we have to free.
fn owned_message(raw: *mut c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands over a NUL-terminated string that we free exactly once.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        core::LLVMDisposeMessage(raw);
        text
    }
}

/// A string that LLVM lends us as pointer and length.
fn lent_text(start: *const c_char, length: usize) -> String {
    String::from_utf8_lossy(lent_bytes(start, length)).into_owned()
}

fn lent_bytes<'m>(start: *const c_char, length: usize) -> &'m [u8] {
    if start.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: LLVM's string references point to `length` bytes that live as long as their module.
    unsafe { std::slice::from_raw_parts(start.cast(), length) }
}

extern "C" fn on_fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that lives during the call.
    let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
    eprintln!("mneme: LLVM cannot continue with this input: {reason}");
}

extern "C" fn on_diagnostic(info: LLVMDiagnosticInfoRef, sink: *mut c_void) {
    // SAFETY: `sink` is the boxed vector that the context owns; LLVM calls this on the thread that uses the context,
    // never while we hold a reference to it.
    unsafe {
        let text = owned_message(core::LLVMGetDiagInfoDescription(info));
        match core::LLVMGetDiagInfoSeverity(info) {
            LLVMDiagnosticSeverity::LLVMDSError => (*sink.cast::<Vec<String>>()).push(text),
            _ => tracing::debug!(message = %text, "llvm"),
        }
    }
}

/// An LLVM context and the errors that LLVM reported in it.
pub struct Context {
    raw: LLVMContextRef,
    errors: *mut Vec<String>,
}

impl Context {
    pub fn new() -> Rc<Context> {
        static HANDLER: Once = Once::new();
        // SAFETY: installed once, for the whole process.
        HANDLER.call_once(|| unsafe { error_handling::LLVMInstallFatalErrorHandler(Some(on_fatal_error)) });
        let errors = Box::into_raw(Box::<Vec<String>>::default());
        // SAFETY: `errors` outlives the context (both end in `drop`).
        let raw = unsafe {
            let raw = core::LLVMContextCreate();
            core::LLVMContextSetDiagnosticHandler(raw, Some(on_diagnostic), errors.cast());
            raw
        };
        Rc::new(Context { raw, errors })
    }

    fn take_errors(&self) -> String {
        // SAFETY: nothing else refers to the vector while LLVM is not running.
        std::mem::take(unsafe { &mut *self.errors }).join("; ")
    }

    /// Reads bitcode or textual IR and checks it; returns LLVM's complaint otherwise.
    pub fn parse(self: &Rc<Context>, name: &str, bytes: &[u8]) -> Result<Module, String> {
        let module = self.read(name, bytes)?;
        module.verify()?;
        // SAFETY: a live module.
        unsafe { core::LLVMSetIsNewDbgInfoFormat(module.raw, 0) };
        Ok(module)
    }

    fn read(self: &Rc<Context>, name: &str, bytes: &[u8]) -> Result<Module, String> {
        let c_name = CString::new(name.replace('\0', "?")).unwrap_or_default();
        let mut raw = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer is a copy that the parser takes over; `raw` and `message` are written before they are
        // read.
        let failed = unsafe {
            let buffer =
                core::LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), c_name.as_ptr());
            ir_reader::LLVMParseIRInContext(self.raw, buffer, &mut raw, &mut message) != 0
        };
        let message = owned_message(message);
        let errors = self.take_errors();
        if failed || raw.is_null() {
            return Err(if message.is_empty() { errors } else { message });
        }
        Ok(Module {
            raw,
            context: Rc::clone(self),
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules hold an `Rc` of the context, so all of them are gone.
        unsafe {
            core::LLVMContextDispose(self.raw);
            drop(Box::from_raw(self.errors));
        }
    }
}

pub struct Module {
    raw: LLVMModuleRef,
    context: Rc<Context>,
}

impl Drop for Module {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: ours alone; handles borrow `self`.
            unsafe { core::LLVMDisposeModule(self.raw) }
        }
    }
}

impl Module {
    fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: live module; the message is ours.
        let broken = unsafe {
            analysis::LLVMVerifyModule(
                self.raw,
                analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction,
                &mut message,
            ) != 0
        };
        let message = owned_message(message);
        if broken { Err(message) } else { Ok(()) }
    }

    pub fn triple(&self) -> String {
        // SAFETY: LLVM lends a NUL-terminated string.
        unsafe { CStr::from_ptr(core::LLVMGetTarget(self.raw)) }
            .to_string_lossy()
            .into_owned()
    }

    pub fn set_target(&mut self, triple: &CStr, layout: &CStr) {
        // SAFETY: both strings are valid; the layout is one of LLVM's own.
        unsafe {
            core::LLVMSetTarget(self.raw, triple.as_ptr());
            core::LLVMSetDataLayout(self.raw, layout.as_ptr());
        }
    }

    pub fn layout(&self) -> Layout<'_> {
        // SAFETY: the layout is part of the module.
        Layout(unsafe { target::LLVMGetModuleDataLayout(self.raw) }, PhantomData)
    }

    /// Moves everything of `other` into this module.
    pub fn link(&mut self, mut other: Module) -> Result<(), String> {
        let raw = std::mem::replace(&mut other.raw, ptr::null_mut());
        // SAFETY: both modules live in one context (the caller parsed them there: checked); the linker consumes `raw`.
        assert!(Rc::ptr_eq(&self.context, &other.context), "modules of two contexts");
        let failed = unsafe { linker::LLVMLinkModules2(self.raw, raw) != 0 };
        let errors = self.context.take_errors();
        if failed { Err(errors) } else { Ok(()) }
    }

    pub fn rename(&mut self, name: &str, to: &str) {
        if let Some(value) = self.symbol(name).map(|v| v.0) {
            // SAFETY: the value belongs to this module; LLVM copies the bytes of the name.
            unsafe { core::LLVMSetValueName2(value, to.as_ptr().cast(), to.len()) }
        }
    }

    pub fn set_linkage(&mut self, name: &str, linkage: Linkage) {
        // SAFETY: the value belongs to this module; no handle exists while it is borrowed mutably.
        if let Some(value) = self.symbol(name).map(|v| v.0) {
            unsafe { core::LLVMSetLinkage(value, linkage) }
        }
    }

    /// Removes a function without parameters and result from the program: its callers now call another of that name,
    /// from elsewhere.
    pub fn set_aside(&mut self, name: &str) {
        let plain = |function: &Value| {
            function.is_function()
                && !function.is_declaration()
                && function.value_type().params().is_empty()
                && function.value_type().return_type().kind() == TypeKind::LLVMVoidTypeKind
        };
        let Some(function) = self.symbol(name).filter(plain).map(|v| v.0) else {
            return;
        };
        let (Ok(c_name), Ok(aside)) = (CString::new(name), CString::new(format!("{name}.program"))) else {
            return;
        };
        // SAFETY: both functions belong to this module and are of one type; no handle exists while it is borrowed
        // mutably.
        unsafe {
            core::LLVMSetValueName2(function, aside.as_ptr(), aside.as_bytes().len());
            let other = core::LLVMAddFunction(self.raw, c_name.as_ptr(), core::LLVMGlobalGetValueType(function));
            core::LLVMReplaceAllUsesWith(function, other);
        }
    }

    /// Puts a function in the place of one that is only declared, and whose callers pass and take nothing.
    pub fn stand_in(&mut self, declared: &str, by: &str) {
        let (Some(declared), Some(by)) = (self.symbol(declared).map(|v| v.0), self.symbol(by).map(|v| v.0)) else {
            return;
        };
        // SAFETY: both are functions of this module, and so pointers; no handle exists while it is borrowed mutably.
        unsafe { core::LLVMReplaceAllUsesWith(declared, by) }
    }

    /// Gives an integer variable another initial value.
    pub fn set_initial(&mut self, name: &str, value: u64) {
        if let Some(global) = self.symbol(name).map(|v| v.0) {
            // SAFETY: the variable belongs to this module and is an integer: it is one of the runtime's own.
            unsafe {
                let ty = core::LLVMGlobalGetValueType(global);
                core::LLVMSetInitializer(global, core::LLVMConstInt(ty, value, 0));
            }
        }
    }

    /// The function, variable or alias of that name.
    pub fn symbol(&self, name: &str) -> Option<Value<'_>> {
        let c_name = CString::new(name).ok()?;
        // SAFETY: live module, valid name.
        unsafe {
            let function = core::LLVMGetNamedFunction(self.raw, c_name.as_ptr());
            let global = core::LLVMGetNamedGlobal(self.raw, c_name.as_ptr());
            let alias = core::LLVMGetNamedGlobalAlias(self.raw, c_name.as_ptr(), name.len());
            Value::new(function).or(Value::new(global)).or(Value::new(alias))
        }
    }

    pub fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: walks the module's own list.
        walk(unsafe { core::LLVMGetFirstFunction(self.raw) }, |v| unsafe {
            core::LLVMGetNextFunction(v)
        })
    }

    pub fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: walks the module's own list.
        walk(unsafe { core::LLVMGetFirstGlobal(self.raw) }, |v| unsafe {
            core::LLVMGetNextGlobal(v)
        })
    }

    pub fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: walks the module's own list.
        walk(unsafe { core::LLVMGetFirstGlobalAlias(self.raw) }, |v| unsafe {
            core::LLVMGetNextGlobalAlias(v)
        })
    }

    pub fn metadata_kind(&self, name: &str) -> u32 {
        // SAFETY: pointer and length of a live string.
        unsafe { core::LLVMGetMDKindIDInContext(self.context.raw, name.as_ptr().cast(), name.len() as c_uint) }
    }
}

/// LLVM's number for the name of an attribute.
pub fn attribute_kind(name: &str) -> u32 {
    // SAFETY: pointer and length of a live string.
    unsafe { core::LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

fn walk<'m>(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> impl Iterator<Item = Value<'m>> {
    let mut current = first;
    std::iter::from_fn(move || {
        let value = Value::new(current)?;
        current = next(current);
        Some(value)
    })
}

macro_rules! handles { ($($(#[$doc:meta])* $name:ident($raw:ty)),* $(,)?) => { $(
    $(#[$doc])*
    #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
    pub struct $name<'m>($raw, PhantomData<&'m Module>);
    impl $name<'_> {
        fn new(raw: $raw) -> Option<Self> {
            if raw.is_null() { None } else { Some($name(raw, PhantomData)) }
        }
    }
)* } }

handles! {
    /// An instruction, argument, constant, global or function.
    Value(LLVMValueRef),
    Type(LLVMTypeRef),
    Block(LLVMBasicBlockRef),
    /// A node of debug information.
    Meta(LLVMMetadataRef),
    Attribute(LLVMAttributeRef),
}

/// Sizes and offsets on the target. They exist only for sized types, which the functions check.
#[derive(Copy, Clone)]
pub struct Layout<'m>(target::LLVMTargetDataRef, PhantomData<&'m Module>);

impl<'m> Layout<'m> {
    pub fn pointer_bits(self) -> u32 {
        // SAFETY: live layout.
        unsafe { target::LLVMPointerSize(self.0) * 8 }
    }

    pub fn is_little_endian(self) -> bool {
        // SAFETY: live layout.
        unsafe {
            matches!(
                target::LLVMByteOrder(self.0),
                target::LLVMByteOrdering::LLVMLittleEndian
            )
        }
    }

    /// Distance between neighbours in an array.
    pub fn size(self, ty: Type<'m>) -> u64 {
        // SAFETY: LLVM computes sizes of sized types only.
        if ty.is_sized() {
            unsafe { target::LLVMABISizeOfType(self.0, ty.0) }
        } else {
            0
        }
    }

    pub fn align(self, ty: Type<'m>) -> u64 {
        // SAFETY: as for `size`.
        if ty.is_sized() {
            unsafe { target::LLVMABIAlignmentOfType(self.0, ty.0).into() }
        } else {
            1
        }
    }

    pub fn field_offset(self, ty: Type<'m>, field: u32) -> u64 {
        assert!(ty.kind() == TypeKind::LLVMStructTypeKind && field < ty.field_count() && ty.is_sized());
        // SAFETY: a sized struct and one of its fields.
        unsafe { target::LLVMOffsetOfElement(self.0, ty.0, field) }
    }
}

impl<'m> Type<'m> {
    pub fn kind(self) -> TypeKind {
        // SAFETY: live type.
        unsafe { core::LLVMGetTypeKind(self.0) }
    }

    pub fn is_sized(self) -> bool {
        // SAFETY: live type. Scalable vectors have no size that we could use.
        unsafe { core::LLVMTypeIsSized(self.0) != 0 && !self.is_scalable() }
    }

    fn is_scalable(self) -> bool {
        self.kind() == TypeKind::LLVMScalableVectorTypeKind
    }

    pub fn is_vector(self) -> bool {
        self.kind() == TypeKind::LLVMVectorTypeKind
    }

    pub fn int_bits(self) -> u32 {
        assert_eq!(self.kind(), TypeKind::LLVMIntegerTypeKind);
        // SAFETY: an integer type.
        unsafe { core::LLVMGetIntTypeWidth(self.0) }
    }

    /// Element type of an array or vector.
    pub fn element(self) -> Type<'m> {
        assert!(self.is_vector() || self.kind() == TypeKind::LLVMArrayTypeKind);
        // SAFETY: an array or a vector.
        Type(unsafe { core::LLVMGetElementType(self.0) }, PhantomData)
    }

    /// Number of elements of an array or vector.
    pub fn length(self) -> u64 {
        // SAFETY: the kind decides which accessor is right.
        unsafe {
            match self.kind() {
                TypeKind::LLVMArrayTypeKind => core::LLVMGetArrayLength2(self.0),
                TypeKind::LLVMVectorTypeKind => core::LLVMGetVectorSize(self.0).into(),
                _ => 0,
            }
        }
    }

    pub fn field_count(self) -> u32 {
        assert_eq!(self.kind(), TypeKind::LLVMStructTypeKind);
        // SAFETY: a struct type.
        unsafe { core::LLVMCountStructElementTypes(self.0) }
    }

    pub fn field(self, index: u32) -> Type<'m> {
        assert!(index < self.field_count());
        // SAFETY: a struct type and one of its fields.
        Type(unsafe { core::LLVMStructGetTypeAtIndex(self.0, index) }, PhantomData)
    }

    pub fn address_space(self) -> u32 {
        assert_eq!(self.kind(), TypeKind::LLVMPointerTypeKind);
        // SAFETY: a pointer type.
        unsafe { core::LLVMGetPointerAddressSpace(self.0) }
    }

    fn assert_function(self) {
        assert_eq!(self.kind(), TypeKind::LLVMFunctionTypeKind);
    }

    pub fn return_type(self) -> Type<'m> {
        self.assert_function();
        // SAFETY: a function type.
        Type(unsafe { core::LLVMGetReturnType(self.0) }, PhantomData)
    }

    pub fn params(self) -> Vec<Type<'m>> {
        self.assert_function();
        // SAFETY: a function type; the buffer has room for all parameters.
        unsafe {
            let count = core::LLVMCountParamTypes(self.0) as usize;
            let mut raw: Vec<LLVMTypeRef> = vec![ptr::null_mut(); count];
            core::LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(|t| Type(t, PhantomData)).collect()
        }
    }

    pub fn is_variadic(self) -> bool {
        self.assert_function();
        // SAFETY: a function type.
        unsafe { core::LLVMIsFunctionVarArg(self.0) != 0 }
    }
}

impl std::fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // SAFETY: live type; the message is ours.
        f.write_str(&owned_message(unsafe { core::LLVMPrintTypeToString(self.0) }))
    }
}

impl<'m> Block<'m> {
    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: walks the block's own list.
        walk(unsafe { core::LLVMGetFirstInstruction(self.0) }, |v| unsafe {
            core::LLVMGetNextInstruction(v)
        })
    }
}

impl Attribute<'_> {
    /// Size of the attribute's type, for `byval(T)`.
    pub fn type_value<'m>(self) -> Option<Type<'m>> {
        // SAFETY: asked of type attributes only.
        unsafe {
            if core::LLVMIsTypeAttribute(self.0) == 0 {
                return None;
            }
            Type::new(core::LLVMGetTypeAttributeValue(self.0)).map(|t| Type(t.0, PhantomData))
        }
    }

    pub fn int_value(self) -> u64 {
        // SAFETY: asked of enum attributes only.
        unsafe {
            if core::LLVMIsEnumAttribute(self.0) == 0 {
                0
            } else {
                core::LLVMGetEnumAttributeValue(self.0)
            }
        }
    }
}
