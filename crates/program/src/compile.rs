//! Running clang: C becomes bitcode.
//!
//! The code is compiled as for `-O1` but without LLVM's passes: that way clang marks where the lifetime of a variable starts and
//! ends, and nothing that the programmer wrote has been optimised away. `__OPTIMIZE__` is undefined again, so that the headers of the C
//! library do not replace calls (`tolower`, `atoi`) by inline code that reads the library's tables.

use crate::{Options, ProgramError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const CLANG: &str = "clang-19";

/// For every C file: debug information, and no stricter than the compilers that old programs were written for.
const ALWAYS: &[&str] = &[
    "-c",
    "-emit-llvm",
    "-g",
    "-fno-color-diagnostics",
    "-ffp-contract=off",
    "-fno-stack-protector",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

const OPTIMISATION: &[&str] = &[
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-U__OPTIMIZE__",
    "-U_FORTIFY_SOURCE",
];

/// Compiles one file; the bitcode is returned, clang's words are the error.
pub(crate) fn compile(file: &Path, options: &Options) -> Result<Vec<u8>, ProgramError> {
    let clang = options.clang.clone().unwrap_or_else(|| PathBuf::from(CLANG));
    let output = Command::new(&clang)
        .args(arguments(file, options))
        .output()
        .map_err(|source| ProgramError::ClangMissing { clang, source })?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let message = if message.trim().is_empty() {
            output.status.to_string()
        } else {
            message
        };
        return Err(ProgramError::Clang {
            file: file.to_owned(),
            message,
        });
    }
    if !message.is_empty() {
        tracing::debug!(file = %file.display(), warnings = %message, "clang");
    }
    Ok(output.stdout)
}

fn arguments(file: &Path, options: &Options) -> Vec<OsString> {
    let mut args: Vec<OsString> = ALWAYS.iter().map(Into::into).collect();
    match &options.cflags {
        Some(flags) => args.extend(flags.iter().map(Into::into)),
        None => args.extend(OPTIMISATION.iter().map(Into::into)),
    }
    if options.target32 {
        args.push("-m32".into());
    }
    args.extend(options.defines.iter().map(|d| format!("-D{d}").into()));
    for directory in &options.includes {
        args.extend(["-I".into(), directory.into()]);
    }
    args.extend(options.extra_flags.iter().map(Into::into));
    args.extend(["-o".into(), "-".into(), file.into()]);
    args
}
