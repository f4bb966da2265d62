//! How a program is compiled.

use super::PROGRAM;
use crate::flags::Flags;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a program is compiled, for exploration and natively.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=V]", value_parser = NonEmptyStringValueParser::new(), help_heading = PROGRAM)]
    pub defines: Vec<String>,
    /// Directory for #include
    #[arg(short = 'I', value_name = "DIR", help_heading = PROGRAM)]
    pub includes: Vec<PathBuf>,
    /// Compile for 32 bits (also: -m32)
    #[arg(long = "m32", hide_short_help = true, help_heading = PROGRAM)]
    pub target32: bool,
    /// Flags for clang instead of `-O1 -Xclang -disable-llvm-passes`
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, hide_short_help = true, help_heading = PROGRAM)]
    pub cflags: Option<String>,
    /// One more flag for clang, as it is
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true, hide_short_help = true, help_heading = PROGRAM)]
    pub clang_flags: Vec<String>,
    /// Flags of a compiler, as `flags.rs` found them among the words
    #[arg(long = "compiler-word", value_name = "FLAG", allow_hyphen_values = true, hide = true)]
    pub words: Vec<String>,
    /// Flags of single files, from a compilation database.
    #[arg(skip)]
    pub flags_of: BTreeMap<PathBuf, Flags>,
    /// Begin with this function, which takes no arguments, instead of main
    #[arg(long, value_name = "FUNCTION", help_heading = PROGRAM)]
    pub entry: Option<String>,
    /// The compiler [default: clang-19]
    #[arg(long, value_name = "PATH", hide_short_help = true, help_heading = PROGRAM)]
    pub clang: Option<PathBuf>,
}
