//! The front end of Mneme: C and LLVM bitcode become Mneme's own instruction set ([`ir`]).
//!
//! [`load`] compiles C files with clang, reads and links all modules, adds the parts of the runtime that are needed,
//! and lowers the result once. Nothing of LLVM is visible outside: the result is plain data.

mod c_type;
mod call_summaries;
mod compile;
mod counts;
mod debug;
mod display;
mod expression;
mod fingerprint;
mod handler;
pub mod ir;
mod link;
mod literal;
mod liveness;
mod llvm;
mod loops;
mod lower;
mod next_read;
mod points_to;
mod source;
mod uses;

pub use c_type::{Encoding, Kind, Type};
pub use call_summaries::CallSummaries;
pub use counts::Counts;
pub use expression::{Expression, Part, Test};
pub use handler::{HANDLER_PREFIX, Handler};
pub use ir::*;
pub use liveness::Liveness;
pub use loops::{Loop, Loops};
pub use next_read::width_before;
pub use points_to::{PointsTo, SegmentId, Targets};
pub use source::admit;
pub use uses::{UseMap, Uses};

use source::SourceKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How C files are compiled and what is linked to them.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `NAME` or `NAME=VALUE`, as for `-D`.
    pub defines: Vec<String>,
    /// Directories for `#include`.
    pub includes: Vec<PathBuf>,
    /// Compile for 32 bits.
    pub target32: bool,
    /// Replaces the default optimisation flags.
    pub cflags: Option<Vec<String>>,
    /// Bitcode that is linked in; only the parts that are needed stay.
    pub runtime: Vec<RuntimeModule>,
    /// C files that serve the program's memory accesses.
    pub handlers: Vec<Handler>,
    /// The compiler; `clang-19` if not given.
    pub clang: Option<PathBuf>,
    /// Passed to clang unchanged.
    pub extra_flags: Vec<String>,
    /// More flags for single files, by the paths that they are loaded with.
    pub flags_of: BTreeMap<PathBuf, Vec<String>>,
    pub variables: Variables,
    /// The function without parameters that the program begins with, instead of `main`.
    pub entry: Option<String>,
    /// The function that is run alone, on arguments that nothing is known of, instead of `main`.
    pub function: Option<String>,
    /// Nothing begins: whoever loads the program chooses its `main` among the functions.
    pub library: bool,
    /// The longest input of a fuzzer's target.
    pub max_len: Option<u64>,
    /// The arguments say which inputs are symbolic: the runtime makes them before `main`.
    pub symbolic_inputs: bool,
    /// Set from another thread: loading ends with [`ProgramError::Cancelled`] as soon as possible.
    pub cancel: Arc<AtomicBool>,
}

/// Where a stack variable lives that is one scalar and whose address is never taken.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Variables {
    /// In a slot of its frame: no memory model sees it.
    #[default]
    Slots,
    /// In memory, like every other object: what most engines do, for comparison.
    Memory,
}

/// A part of Mneme's runtime, compiled to bitcode.
#[derive(Copy, Clone, Debug)]
pub struct RuntimeModule {
    pub name: &'static str,
    pub bitcode: &'static [u8],
}

/// Why a program could not be loaded; each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    #[error("no input file was given; name at least one .c, .bc or .ll file")]
    NoInput,
    #[error("there is no file {}; check the path", .path.display())]
    NoSuchFile { path: PathBuf },
    #[error("{} cannot be read: {source}", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is larger than 1 GiB, which is no program that Mneme can explore", .path.display())]
    TooLarge { path: PathBuf },
    #[error("{} is neither C nor LLVM bitcode; give a .c, .i, .bc or .ll file", .path.display())]
    UnknownKind { path: PathBuf },
    #[error("{} is machine code; compile it again with `clang -c -emit-llvm`, or give its sources", .path.display())]
    MachineCode { path: PathBuf },
    #[error("{} is an archive; unpack it with `ar x`, and give the files of bitcode that the program needs", .path.display())]
    Archive { path: PathBuf },
    #[error("{} cannot be run ({source}); install clang 19 or name the compiler", .clang.display())]
    ClangMissing { clang: PathBuf, source: std::io::Error },
    #[error("clang does not accept {}:\n{message}", .file.display())]
    Clang { file: PathBuf, message: String },
    #[error("clang does not accept its flags: {message}")]
    Flags { message: String },
    #[error("{name} is not bitcode that LLVM 19 can read ({reason}); compile it again with clang 19")]
    BadBitcode { name: String, reason: String },
    #[error("{name} is compiled for {target}; Mneme executes x86-64 and, with -m32, i386 code")]
    Target { name: String, target: String },
    #[error("the files cannot be linked: {reason}")]
    Link { reason: String },
    #[error("loading the program was cancelled")]
    Cancelled,
    #[error(
        "the program has no main function and no LLVMFuzzerTestOneInput; add the file that defines it, or name a function \
         with --entry"
    )]
    NoMain,
    #[error("--entry names `{name}`, which the program does not define: give the name of one of its functions")]
    NoEntry { name: String },
    #[error("--function names `{name}`, which the program does not define: give the name of one of its functions")]
    NoFunction { name: String },
    #[error("--entry names `{name}`, which takes arguments: write a function without any that calls it")]
    EntryTakes { name: String },
}

/// Compiles, links and lowers a program. C files (`.c`, `.i`), bitcode (`.bc`) and textual IR (`.ll`) are recognised by
/// their extension, others by their first bytes.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Program, ProgramError> {
    let sources = gather(files, options)?;
    let handlers = handler::compile_all(options)?;
    for (file, (kind, bytes)) in files.iter().zip(&sources) {
        wanted(options)?;
        if *kind == SourceKind::Module {
            link::try_reading(&file.to_string_lossy(), bytes)?;
        }
    }
    deeply(|| assemble(files, &sources, &handlers, options))
}

fn assemble(
    files: &[PathBuf],
    sources: &[(SourceKind, Vec<u8>)],
    handlers: &[Vec<u8>],
    options: &Options,
) -> Result<Program, ProgramError> {
    let context = llvm::Context::new();
    let mut modules = Vec::new();
    for (file, (kind, bytes)) in files.iter().zip(sources) {
        wanted(options)?;
        let read = || link::read(&context, &file.to_string_lossy(), bytes);
        let mut module = match kind {
            SourceKind::C => read(),
            SourceKind::Module => llvm::silently(read),
        }?;
        module.mark_own(match kind {
            SourceKind::C if options.cflags.is_none() => llvm::Origin::Source,
            _ => llvm::Origin::Unknown,
        });
        modules.push(module);
    }
    wanted(options)?;
    let linked = link::link(&context, modules, handlers, options)?;
    wanted(options)?;
    let mut program = lower::lower(&linked, options.variables);
    if program.main.is_none() && !options.library {
        return Err(ProgramError::NoMain);
    }
    // What callers see to matters only where none is known.
    if options.function.is_some() || options.library {
        for (file, (kind, _)) in files.iter().zip(sources) {
            if *kind == SourceKind::C {
                program
                    .counts
                    .extend(counts::read(&compile::preprocess(file, options)?));
            }
        }
    }
    Ok(program)
}

fn wanted(options: &Options) -> Result<(), ProgramError> {
    match options.cancel.load(Ordering::Relaxed) {
        true => Err(ProgramError::Cancelled),
        false => Ok(()),
    }
}

/// Bytes of stack for code that recurses over types and constants, in LLVM and here.
const DEEP: usize = 1 << 28;

/// Types and constants nest as deeply as a file says. Whatever LLVM could read on an ordinary stack, in the trial, is
/// processed on a stack many times as deep.
fn deeply<T: Send>(work: impl Fn() -> T + Sync) -> T {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(DEEP).spawn_scoped(scope, &work);
        match worker {
            Ok(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => work(),
        }
    })
}

/// The module of each file as bytes. C files are compiled in parallel; of several errors, that of the first file is
/// reported.
fn gather(files: &[PathBuf], options: &Options) -> Result<Vec<(SourceKind, Vec<u8>)>, ProgramError> {
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut results = Vec::new();
    for batch in files.chunks(workers) {
        std::thread::scope(|scope| {
            let running: Vec<_> = batch
                .iter()
                .map(|file| scope.spawn(|| module_bytes(file, options)))
                .collect();
            for worker in running {
                results.push(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
    }
    results.into_iter().collect()
}

fn module_bytes(file: &Path, options: &Options) -> Result<(SourceKind, Vec<u8>), ProgramError> {
    match source::read(file)? {
        (kind @ SourceKind::C, _) => Ok((kind, compile::compile(file, options)?)),
        module => Ok(module),
    }
}
