//! Handlers: C files that serve the memory accesses of a program (symMMU §3.3). They are compiled with the program's
//! clang and linked like the runtime: `mneme_handler.h` gives each function that the engine calls a name of its own
//! handler, and everything else in the file stays private to it.

use crate::compile;
use crate::{Options, ProgramError};
use std::path::PathBuf;

/// How the names of the functions begin that the engine calls, `__mneme_handler_load_8__NAME`, and of all that handlers
/// keep to themselves, `__mneme_handler_NAME.count`.
pub const HANDLER_PREFIX: &str = "__mneme_handler_";

/// A C file that includes `mneme_handler.h`.
#[derive(Clone, Debug)]
pub struct Handler {
    /// A C identifier that no other handler of the program has.
    pub name: String,
    pub file: PathBuf,
    /// Passed to clang unchanged.
    pub flags: Vec<String>,
    /// A global variable of the program that it refers to, static or not.
    pub global: Option<String>,
}

/// Quick to interpret, as the runtime is. A function that the engine does not call and that is not static is a mistake,
/// such as a misspelt name.
const FLAGS: &[&str] = &[
    "-std=c11",
    "-O1",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-strict-aliasing",
    "-Xclang",
    "-disable-lifetime-markers",
    "-Wno-unused-function",
    "-Werror=missing-prototypes",
    "-Werror=implicit-function-declaration",
    "-Werror=int-conversion",
];

/// The bitcode of each handler.
pub(crate) fn compile_all(options: &Options) -> Result<Vec<Vec<u8>>, ProgramError> {
    let one = |handler: &Handler| {
        let own = Options {
            defines: vec![format!("MNEME_HANDLER={}", handler.name)],
            extra_flags: handler.flags.clone(),
            includes: options.includes.clone(),
            target32: options.target32,
            cflags: Some(FLAGS.iter().map(ToString::to_string).collect()),
            clang: options.clang.clone(),
            cancel: options.cancel.clone(),
            ..Options::default()
        };
        compile::compile(&handler.file, &own)
    };
    options.handlers.iter().map(one).collect()
}
