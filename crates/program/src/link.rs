//! Linking: the user's modules become one, then the runtime is added.
//!
//! The user's definitions take precedence over the runtime's, as a program's own `malloc` does over the C library's.
//! Parts of the runtime that are not needed are left out later, by reachability ([`Linked::reached`]), so that programs
//! stay small.

use crate::RuntimeModule;
use crate::handler::{HANDLER_PREFIX, Handler};
use crate::llvm::{Context, Linkage, Module, Value, trial};
use crate::{Options, ProgramError};
use rustc_hash::FxHashSet;
use std::rc::Rc;

const TRIPLE_64: &std::ffi::CStr = c"x86_64-pc-linux-gnu";
const LAYOUT_64: &std::ffi::CStr = c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// Functions of the runtime that the engine calls on its own.
const ENGINE_CALLS: &[&str] = &["__mneme_run_atexit"];

fn is_engine_call(known: &[String], name: &str) -> bool {
    known.iter().any(|known| known == name) || name.starts_with(HANDLER_PREFIX)
}

/// The runtime's entries for programs that do not begin at a `main` of their own, and what is at the end of each.
const ENTRY_MAIN: &str = "__mneme_entry_main";
const ENTRY: &str = "__mneme_entry";
const FUZZ_MAIN: &str = "__mneme_fuzz_main";
const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";
const MAX_LEN: &str = "__mneme_max_len";
/// Where the runtime makes symbolic inputs.
pub(crate) const INPUTS: &str = "__mneme_make_inputs";

/// Names that mean something to the harness whatever the program defines under them: SV-COMP asks whether they are
/// called.
const HARNESS_MEANS: &[&str] = &["reach_error"];

/// One module with all code, which knows which parts are the user's.
pub(crate) struct Linked {
    pub module: Module,
    /// Identities of the user's definitions.
    user: FxHashSet<usize>,
    /// The function that the program begins with.
    pub begin: String,
    /// Functions that the engine calls on its own.
    engine_calls: Vec<String>,
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
    handlers: &[Vec<u8>],
    options: &Options,
) -> Result<Linked, ProgramError> {
    let runtime = options.runtime.as_slice();
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
    let begin = begin(&module, options)?;
    for name in options.handlers.iter().filter_map(|handler| handler.global.as_ref()) {
        module.set_linkage(name, Linkage::LLVMExternalLinkage);
    }
    let mut engine_calls: Vec<String> = ENGINE_CALLS.iter().map(|name| name.to_string()).collect();
    engine_calls.extend(options.symbolic_inputs.then(|| INPUTS.into()));
    engine_calls.push(begin.clone());
    let user: FxHashSet<usize> = definitions(&module).map(Value::identity).collect();
    if let Some(mut whole) = link_runtime(context, runtime)? {
        same_target(&module, &whole)?;
        for (handler, bitcode) in options.handlers.iter().zip(handlers) {
            whole.link(handler_module(context, handler, bitcode)?).map_err(failed)?;
        }
        yield_to_user(&mut whole, &module, &engine_calls);
        if let Some(longest) = options.max_len {
            whole.set_initial(MAX_LEN, longest);
        }
        module.link(whole).map_err(failed)?;
    }
    if let Some(entry) = &options.entry {
        module.stand_in(ENTRY, entry);
    }
    Ok(Linked {
        module,
        user,
        begin,
        engine_calls,
    })
}

/// The function of this name, or that the name is an alias of.
fn aliased<'m>(program: &'m Module, name: &str) -> Option<Value<'m>> {
    let mut symbol = program.symbol(name)?;
    while let Some(aliasee) = symbol.aliasee() {
        symbol = aliasee;
    }
    Some(symbol).filter(|symbol| symbol.is_function())
}

/// Where the program begins: at the function that was asked for, at `main`, or else with a fuzzer's target.
fn begin(program: &Module, options: &Options) -> Result<String, ProgramError> {
    let defined = |name: &str| {
        let function = program.symbol(name).filter(|symbol| symbol.is_function());
        function.filter(|function| !function.is_declaration())
    };
    if let Some(name) = &options.function {
        return match aliased(program, name) {
            Some(function) if !function.is_declaration() => Ok(function.name()),
            _ => Err(ProgramError::NoFunction { name: name.clone() }),
        };
    }
    if options.library {
        return Ok(String::new());
    }
    match &options.entry {
        Some(entry) => match defined(entry) {
            None => Err(ProgramError::NoEntry { name: entry.clone() }),
            Some(function) if !function.value_type().params().is_empty() => {
                Err(ProgramError::EntryTakes { name: entry.clone() })
            }
            Some(_) => Ok(ENTRY_MAIN.into()),
        },
        None if defined("main").is_none() && defined(FUZZ_TARGET).is_some() => Ok(FUZZ_MAIN.into()),
        None => Ok("main".into()),
    }
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

/// A handler, of which only the functions that the engine calls are visible to others. What else it defines has a name
/// by which it can be told, and which no C code has.
fn handler_module(context: &Rc<Context>, handler: &Handler, bitcode: &[u8]) -> Result<Module, ProgramError> {
    let mut module = read(context, &handler.name, bitcode)?;
    let own = |v: &Value| !crate::lower::is_special(*v) && !v.name().starts_with(HANDLER_PREFIX);
    let names: Vec<String> = definitions(&module).filter(own).map(Value::name).collect();
    for name in names {
        module.set_linkage(&name, Linkage::LLVMInternalLinkage);
        module.rename(&name, &format!("{HANDLER_PREFIX}{}.{name}", handler.name));
    }
    Ok(module)
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
fn yield_to_user(runtime: &mut Module, program: &Module, engine_calls: &[String]) {
    for name in visible(runtime) {
        let other = program.symbol(&name).filter(|o| !o.is_local());
        let is_function = runtime.symbol(&name).map(Value::is_function);
        let linkage = match other {
            Some(other) if Some(other.is_function()) != is_function => Linkage::LLVMInternalLinkage,
            _ if is_engine_call(engine_calls, &name) => Linkage::LLVMWeakAnyLinkage,
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
            } else if self.user.contains(&value.identity()) || is_engine_call(&self.engine_calls, &value.name()) {
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
