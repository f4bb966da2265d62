//! `mneme tests`.

use super::{Format, OUTPUT};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 all tests could be read, 2 some could not, or usage error.")]
pub struct TestsArgs {
    /// Directories of results, or tests (.ktest)
    #[arg(value_name = "PATH", default_value = "mneme-out")]
    pub paths: Vec<PathBuf>,
    /// Write the inputs of a fuzzer's target to this directory, one file for each test, as a corpus
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub as_corpus: Option<PathBuf>,
    /// Write the tests to this directory, as C files; what they need besides a C compiler is put there, too
    #[arg(long, value_name = "DIR", conflicts_with = "as_corpus", help_heading = OUTPUT)]
    pub as_c: Option<PathBuf>,
    /// How they are printed
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub format: Format,
}
