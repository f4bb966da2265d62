//! Linking: the user's modules become one, then the runtime is added.
//!
//! The user's definitions win over the runtime's, as a program's own `malloc` wins over the C library's. What of the runtime nobody
//! needs is left out later, by reachability ([`Linked::reached`]), so that programs stay small.

use crate::ProgramError;
use crate::RuntimeModule;
use crate::llvm::{Context, Linkage, Module, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

const TRIPLE_64: &std::ffi::CStr = c"x86_64-pc-linux-gnu";
const LAYOUT_64: &std::ffi::CStr =
    c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// One module with all code, which knows what of it is the user's.
pub(crate) struct Linked {
    pub module: Module,
    /// Identities of the user's definitions.
    user: FxHashSet<usize>,
}

/// Reads one module and sees to it that it is of a target that Mneme executes.
pub(crate) fn read(
    context: &Rc<Context>,
    name: &str,
    bytes: &[u8],
) -> Result<Module, ProgramError> {
    let bad = |reason: String| ProgramError::BadBitcode { name: name.to_owned(), reason };
    let mut module = context.parse(name, bytes).map_err(|message| bad(message.trim().to_owned()))?;
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
        return Err(ProgramError::Target { name: name.to_owned(), target: triple });
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
    let user: FxHashSet<usize> = definitions(&module).map(Value::identity).collect();
    for part in runtime {
        let mut other = read(context, part.name, part.bitcode)?;
        same_target(&module, &other)?;
        yield_to_user(&mut other, &module);
        module.link(other).map_err(failed)?;
    }
    Ok(Linked { module, user })
}

fn same_target(a: &Module, b: &Module) -> Result<(), ProgramError> {
    let (a, b) = (a.layout().pointer_bits(), b.layout().pointer_bits());
    if a == b {
        return Ok(());
    }
    let reason = format!("one part is compiled for {a} bits and another for {b} bits");
    Err(ProgramError::Link { reason })
}

fn definitions(module: &Module) -> impl Iterator<Item = Value<'_>> {
    module
        .functions()
        .chain(module.globals())
        .chain(module.aliases())
        .filter(|v| !v.is_declaration())
}

/// Makes every definition of the runtime weaker than one of the user's. Where the two are different things (a variable called `read`),
/// the runtime keeps its own for itself.
fn yield_to_user(runtime: &mut Module, program: &Module) {
    let visible: Vec<(String, Linkage)> = definitions(runtime)
        .filter(|v| !v.is_local() && !crate::lower::is_special(*v))
        .map(|v| {
            let name = v.name();
            let other = program.symbol(&name).filter(|o| !o.is_local());
            let differs = other.is_some_and(|o| o.is_function() != v.is_function());
            let linkage = match differs {
                true => Linkage::LLVMInternalLinkage,
                false => Linkage::LLVMWeakAnyLinkage,
            };
            (name, linkage)
        })
        .collect();
    for (name, linkage) in visible {
        runtime.set_linkage(&name, linkage);
    }
}

impl Linked {
    /// Whether something defined comes from the runtime.
    pub fn is_runtime(&self, value: Value) -> bool {
        !value.is_declaration() && !self.user.contains(&value.identity())
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
            } else if self.user.contains(&value.identity()) {
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
