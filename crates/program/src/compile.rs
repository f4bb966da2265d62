//! Running clang: C becomes bitcode.
//!
//! The code is compiled as for `-O1` but without LLVM's passes: that way clang marks where the lifetime of a variable
//! starts and ends, and nothing that the programmer wrote has been optimised away. `__OPTIMIZE__` is undefined again,
//! so that the headers of the C library do not replace calls (`tolower`, `atoi`) by inline code that reads the
//! library's tables.

use crate::{Options, ProgramError};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

const CLANG: &str = "clang-19";
/// How often a compilation checks whether it was cancelled.
const PULSE: Duration = Duration::from_millis(20);

/// For every C file: debug information, and leniency like that of the compilers that old programs were written for.
const ALWAYS: &[&str] = &[
    "-c",
    "-emit-llvm",
    "-g",
    "-fno-color-diagnostics",
    "-ffp-contract=off",
    // Optimised code for shared libraries has tables of differences between addresses in place of pointers.
    "-fno-pic",
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

/// Compiles one file; returns the bitcode, or clang's messages as the error.
pub(crate) fn compile(file: &Path, options: &Options) -> Result<Vec<u8>, ProgramError> {
    let clang = options.clang.clone().unwrap_or_else(|| PathBuf::from(CLANG));
    let mut command = Command::new(&clang);
    command.args(arguments(file, options));
    let output = output(command, &options.cancel)
        .map_err(|source| ProgramError::ClangMissing { clang, source })?
        .ok_or(ProgramError::Cancelled)?;
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        let message = if message.trim().is_empty() {
            output.status.to_string()
        } else {
            message
        };
        if let Some(message) = about_flags(&message) {
            return Err(ProgramError::Flags { message });
        }
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

/// The text that clang compiles, of a file that it has compiled before.
pub(crate) fn preprocess(file: &Path, options: &Options) -> Result<String, ProgramError> {
    let clang = options.clang.clone().unwrap_or_else(|| PathBuf::from(CLANG));
    let mut command = Command::new(&clang);
    command.args(arguments(file, options)).arg("-E");
    let output = output(command, &options.cancel)
        .map_err(|source| ProgramError::ClangMissing { clang, source })?
        .ok_or(ProgramError::Cancelled)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What clang says of its flags, before it looks at a file; `None` if something else is wrong.
fn about_flags(message: &str) -> Option<String> {
    // Such lines begin with clang's own name, or with none: `clang-19: error: unknown argument: '-x'`.
    let complaint = |line: &str| {
        let (name, complaint) = line.split_once("error: ")?;
        let flags = name.is_empty() || name.starts_with("clang") && name.ends_with(": ") && !name.contains(".c:");
        flags.then(|| complaint.to_string())
    };
    let all: Vec<String> = message.lines().filter_map(complaint).collect();
    let crashed = message.contains("frontend command failed");
    (!all.is_empty() && !crashed).then(|| all.join("; "))
}

/// The output of a command, or `None` if it was cancelled, and so killed.
fn output(mut command: Command, cancel: &AtomicBool) -> io::Result<Option<Output>> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // SAFETY: prctl is a system call, which is allowed between fork and exec. The thread that the signal depends on
    // waits below until the child has ended.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
    let mut child = command.spawn()?;
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as _),
        child.stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    thread::scope(|scope| {
        let (sender, ended) = mpsc::channel::<()>();
        let readers = pipes.map(|pipe| {
            let sender = sender.clone();
            scope.spawn(move || {
                let _until_read = sender;
                let mut bytes = Vec::new();
                pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes))?;
                io::Result::Ok(bytes)
            })
        });
        drop(sender);
        while ended.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
            if cancel.load(Ordering::Relaxed) {
                child.kill()?;
            }
        }
        let [stdout, stderr] = readers.map(|reader| reader.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let status = child.wait()?;
        let (stdout, stderr) = (stdout?, stderr?);
        Ok((!cancel.load(Ordering::Relaxed)).then_some(Output { status, stdout, stderr }))
    })
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
    args.extend(options.flags_of.get(file).into_iter().flatten().map(Into::into));
    args.extend(["-o".into(), "-".into(), file.into()]);
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_about_flags_are_told_from_those_about_files() {
        let driver = "clang-19: warning: what\nclang-19: error: unknown argument: '-fblah'\n";
        assert_eq!(about_flags(driver).as_deref(), Some("unknown argument: '-fblah'"));
        let front_end = "error: invalid value 'c77' in '-std=c77'\nnote: use 'c89'\n";
        assert_eq!(
            about_flags(front_end).as_deref(),
            Some("invalid value 'c77' in '-std=c77'")
        );
        for other in [
            "a.c:1:1: error: unknown type name 'x'\n1 error generated.\n",
            "clang.c:1:1: fatal error: 'x.h' file not found\n",
            "clang: error: clang frontend command failed due to signal\n",
        ] {
            assert_eq!(about_flags(other), None, "{other}");
        }
    }
}
