//! `mneme replay`.

use super::{CompileArgs, EXPECTATION, Format, LIMITS, OUTPUT, seconds};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Flags of a compiler (-O2, -std=c99, -include x.h, -lm …) may stand anywhere before `--`.\n\n\
                  Exit codes: 0 all is confirmed, 1 something is unconfirmed, 2 usage or input error,\n\
                  3 something is not checkable."
)]
pub struct ReplayArgs {
    /// A test (.ktest), or a directory of results: all its tests
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// C files, bitcode (.bc) or LLVM assembly (.ll), linked together
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Arguments of the program instead of the test's own
    #[arg(last = true, value_name = "ARGS")]
    pub args: Option<Vec<String>>,
    #[command(flatten)]
    pub compile: CompileArgs,

    /// The error that the test has to show, such as `double-free@list.c:12`, instead of what the run predicted
    #[arg(long, value_name = "RULE[@FILE:LINE]", conflicts_with = "expect_exit", help_heading = EXPECTATION)]
    pub expect: Option<String>,
    /// The exit code that the test has to end with, instead of what the run predicted
    #[arg(long, value_name = "N", help_heading = EXPECTATION)]
    pub expect_exit: Option<u8>,

    /// Seconds that one test may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, help_heading = LIMITS)]
    pub timeout: f64,

    /// How verdicts are printed; json is one document at the end
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub format: Format,
}
