//! Linking: the user's modules become one, then the runtime is added.
//!
//! The user's definitions take precedence over the runtime's, as a program's own `malloc` does over the C library's.
//! Parts of the runtime that are not needed are left out later, by reachability ([`Linked::reached`]), so that programs
//! stay small.

use crate::ProgramError;
use crate::RuntimeModule;
use crate::llvm::{Context, Linkage, Module, Value, trial};
use rustc_hash::FxHashSet;
use std::rc::Rc;

const TRIPLE_64: &std::ffi::CStr = c"x86_64-pc-linux-gnu";
const LAYOUT_64: &std::ffi::CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Functions of the runtime that the engine calls on its own.
const ENGINE_CALLS: &[&str] = &["__mneme_run_atexit"];

/// Names that mean something to the harness whatever the program defines under them: SV-COMP asks whether they are
/// called.
const HARNESS_MEANS: &[&str] = &["reach_error"];

/// One module with all code, which knows which parts are the user's.
pub(crate) struct Linked {
    pub module: Module,
    /// Identities of the user's definitions.
    user: FxHashSet<usize>,
}

/// Tests whether LLVM survives reading a module that we did not compile.
pub(crate) fn try_reading(name: &str, bytes: &[u8]) -> Result<(), ProgramError> {
    trial(name, bytes).map_err(|reason| bad_bitcode(name, &reason))
}

/// LLVM quotes the line it does not understand, which may be anything: only its first, readable line is passed on.
fn bad_bitcode(name: &str, message: &str) -> ProgramError {
    let line = message.trim().lines().next().unwrap_or_default();
    let reason = line.chars().filter(|c| !c.is_control()).collect();
    ProgramError::BadBitcode {
        name: name.to_owned(),
        reason,
    }
}

/// Reads one module and checks that Mneme executes its target.
pub(crate) fn read(context: &Rc<Context>, name: &str, bytes: &[u8]) -> Result<Module, ProgramError> {
    let mut module = context
        .parse(name, bytes)
        .map_err(|message| bad_bitcode(name, &message))?;
    let triple = module.triple();
    if triple.is_empty() {
        module.set_target(TRIPLE_64, LAYOUT_64);
    }
    let architecture = triple.split('-').next().unwrap_or_default();
    let known = matches!(
        architecture,
        "" | "x86_64" | "amd64" | "i386" | "i486" | "i586" | "i686"
    );
    let layout = module.layout();
    if !known || !layout.is_little_endian() || !matches!(layout.pointer_bits(), 32 | 64) {
        return Err(ProgramError::Target {
            name: name.to_owned(),
            target: triple,
        });
    }
    Ok(module)
}

/// Links the user's modules, in order, and then the runtime's.
pub(crate) fn link(
    context: &Rc<Context>,
    modules: Vec<Module>,
    runtime: &[RuntimeModule],
) -> Result<Linked, ProgramError> {
    let failed = |reason: String| ProgramError::Link { reason };
    let mut modules = modules.into_iter();
    let Some(mut module) = modules.next() else {
        return Err(ProgramError::NoInput);
    };
    for other in modules {
        same_target(&module, &other)?;
        module.link(other).map_err(failed)?;
    }
    module.simplify().map_err(failed)?;
    if !runtime.is_empty() {
        HARNESS_MEANS.iter().for_each(|name| module.set_aside(name));
    }
    let user: FxHashSet<usize> = definitions(&module).map(Value::identity).collect();
    if let Some(mut whole) = link_runtime(context, runtime)? {
        same_target(&module, &whole)?;
        yield_to_user(&mut whole, &module);
        module.link(whole).map_err(failed)?;
    }
    Ok(Linked { module, user })
}

/// The parts of the runtime as one module; of two definitions the first counts.
fn link_runtime(context: &Rc<Context>, parts: &[RuntimeModule]) -> Result<Option<Module>, ProgramError> {
    let mut whole: Option<Module> = None;
    for part in parts {
        let mut module = read(context, part.name, part.bitcode)?;
        for name in visible(&module) {
            module.set_linkage(&name, Linkage::LLVMWeakAnyLinkage);
        }
        match &mut whole {
            None => whole = Some(module),
            Some(whole) => whole.link(module).map_err(|reason| ProgramError::Link { reason })?,
        }
    }
    Ok(whole)
}

fn same_target(a: &Module, b: &Module) -> Result<(), ProgramError> {
    let (a, b) = (a.layout().pointer_bits(), b.layout().pointer_bits());
    if a == b {
        return Ok(());
    }
    let reason = format!("one part is compiled for {a} bits and another for {b} bits");
    Err(ProgramError::Link { reason })
}

/// What a module defines. Copies for inlining (`available_externally`) do not count: any other definition replaces
/// them.
fn definitions(module: &Module) -> impl Iterator<Item = Value<'_>> {
    let all = module.functions().chain(module.globals()).chain(module.aliases());
    all.filter(|v| !v.is_declaration() && v.linkage() != Linkage::LLVMAvailableExternallyLinkage)
}

/// Names of the definitions that are visible to other modules.
fn visible(module: &Module) -> Vec<String> {
    let seen = |v: &Value| !v.is_local() && !crate::lower::is_special(*v);
    definitions(module).filter(seen).map(Value::name).collect()
}

/// Makes every definition of the runtime one that is used only where it is needed and the user has none. If the two are
/// different things (a variable called `read`), the runtime keeps its own privately.
fn yield_to_user(runtime: &mut Module, program: &Module) {
    for name in visible(runtime) {
        let other = program.symbol(&name).filter(|o| !o.is_local());
        let is_function = runtime.symbol(&name).map(Value::is_function);
        let linkage = match other {
            Some(other) if Some(other.is_function()) != is_function => Linkage::LLVMInternalLinkage,
            _ if ENGINE_CALLS.contains(&name.as_str()) => Linkage::LLVMWeakAnyLinkage,
            _ => Linkage::LLVMLinkOnceAnyLinkage,
        };
        runtime.set_linkage(&name, linkage);
    }
}

impl Linked {
    /// Whether something defined comes from the runtime.
    pub fn is_runtime(&self, value: Value) -> bool {
        !value.is_declaration()
            && value.linkage() != Linkage::LLVMAvailableExternallyLinkage
            && !self.user.contains(&value.identity())
    }

    /// Functions and variables that the user defined, or that these need.
    pub fn reached(&self) -> FxHashSet<Value<'_>> {
        let mut reached = FxHashSet::default();
        let mut constants = FxHashSet::default();
        let mut pending = Vec::new();
        for value in self.module.functions().chain(self.module.globals()) {
            if crate::lower::is_special(value) {
                if value.name().ends_with("tors") {
                    pending.extend(value.initializer());
                }
            } else if self.user.contains(&value.identity()) || ENGINE_CALLS.contains(&value.name().as_str()) {
                pending.push(value);
            }
        }
        while let Some(value) = pending.pop() {
            if !value.is_constant() || !constants.insert(value) {
                continue;
            }
            if value.is_function() {
                reached.insert(value);
                let instructions = value.blocks().into_iter().flat_map(|b| b.instructions());
                pending.extend(instructions.flat_map(|i| i.operands()).filter(|o| o.is_constant()));
            } else {
                if value.is_variable() {
                    reached.insert(value);
                }
                pending.extend(value.operands());
            }
        }
        reached
    }
}
