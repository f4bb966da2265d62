//! Compiles and links what a run is given.

use super::RunError;
use crate::cli::{Check, CompileArgs, RunArgs, VariablesHome};
use crate::flags::Flags;
use crate::{handlers, inputs};
use mneme_program::{Program, RuntimeModule, Variables};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A directory with the headers for harnesses.
fn headers() -> Result<tempfile::TempDir, RunError> {
    let headers = tempfile::tempdir().map_err(RunError::Headers)?;
    mneme_runtime::write_headers(headers.path()).map_err(RunError::Headers)?;
    Ok(headers)
}

/// Files of which no function begins the program.
pub fn load_library(files: &[PathBuf], compile: &CompileArgs) -> Result<Program, RunError> {
    let headers = headers()?;
    let options = mneme_program::Options {
        library: true,
        ..compilation(compile, &[], headers.path())
    };
    Ok(mneme_program::load(files, &options)?)
}

pub(super) fn load(args: &RunArgs, cancel: &Arc<AtomicBool>) -> Result<Program, RunError> {
    let headers = headers()?;
    let options = mneme_program::Options {
        handlers: handlers::sources(args, headers.path())?,
        variables: match args.variables {
            VariablesHome::Slots => Variables::Slots,
            VariablesHome::Memory => Variables::Memory,
        },
        entry: args.compile.entry.clone(),
        function: args.function.clone(),
        max_len: Some(args.max_len),
        symbolic_inputs: inputs::are_symbolic(&inputs::words(args, false)),
        cancel: cancel.clone(),
        ..compilation(&args.compile, &args.check, headers.path())
    };
    let files: Vec<PathBuf> = args.files.iter().chain(&args.contract).cloned().collect();
    let mut program = mneme_program::load(&files, &options)?;
    handlers::complete(args, &mut program)?;
    Ok(program)
}

/// How a program is compiled and what is linked to it, whatever it begins with.
fn compilation(compile: &CompileArgs, checks: &[Check], headers: &Path) -> mneme_program::Options {
    let mut includes = compile.includes.clone();
    includes.push(headers.to_path_buf());
    let width = if compile.target32 { 32 } else { 64 };
    let runtime = mneme_runtime::modules(width);
    let flags = Flags::of(compile);
    let optimised = flags.optimised.then(Vec::new);
    let own = compile.cflags.as_ref();
    mneme_program::Options {
        defines: compile.defines.clone(),
        includes,
        target32: compile.target32,
        cflags: own
            .map(|flags| flags.split_whitespace().map(String::from).collect())
            .or(optimised),
        runtime: runtime
            .iter()
            .map(|module| RuntimeModule {
                name: module.name,
                bitcode: module.bitcode,
            })
            .collect(),
        clang: compile.clang.clone(),
        extra_flags: compiled_checks(checks)
            .chain(flags.compile)
            .chain(compile.clang_flags.clone())
            .collect(),
        flags_of: {
            let all = compile.flags_of.iter();
            all.map(|(file, flags)| (file.clone(), flags.compile.clone())).collect()
        },
        ..mneme_program::Options::default()
    }
}

/// Checks that clang adds to the program, since only clang knows the types.
fn compiled_checks(checks: &[Check]) -> impl Iterator<Item = String> {
    let names = checks.iter().filter_map(|check| match check {
        Check::Overflow => Some("shift-base"),
        Check::Subobjects => Some("array-bounds"),
        Check::Conversions => Some("implicit-integer-truncation"),
        Check::Float => Some("float-divide-by-zero"),
        Check::Unsigned => Some("unsigned-integer-overflow"),
        Check::Leaks
        | Check::Escapes
        | Check::Alignment
        | Check::NullOffsets
        | Check::Termination
        | Check::Allocations => None,
    });
    // Whether a length has a sign is not in the bitcode.
    names
        .chain(["vla-bound"])
        .flat_map(|name| [format!("-fsanitize={name}"), format!("-fno-sanitize-recover={name}")])
}
