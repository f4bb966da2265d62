//! `mneme difftest`.

use super::{ALONE, Format, LIMITS, OUTPUT, PROGRAM, seconds};
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "A library is a word of the shell: C files with flags (\"b.c util.c -DNEW\"; the first defines the functions),\n\
                  archives (libb.a), or a compiler with its library (gcc, \"musl-gcc -static\").\n\n\
                  Exit codes: 0 all functions do the same on all tests, 1 some differ, 2 usage or input error,\n\
                  3 none differs, but some were left out."
)]
pub struct DifftestArgs {
    /// The first library; tests are made from it if it is C files, and from the other likewise
    #[arg(value_name = "A")]
    pub first: String,
    /// The other library
    #[arg(value_name = "B")]
    pub second: String,
    /// Options of `mneme run` for making the tests
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,

    /// A function to compare
    #[arg(long = "function", value_name = "FUNCTION", required_unless_present = "functions", help_heading = PROGRAM)]
    pub names: Vec<String>,
    /// Functions to compare, one on each line, with the C files that tests are made from if these are not those of
    /// --from
    #[arg(long, value_name = "FILE", help_heading = PROGRAM)]
    pub functions: Option<PathBuf>,
    /// C files and flags of a compiler: tests are made from these instead; may be given several times
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, help_heading = PROGRAM)]
    pub from: Vec<String>,
    /// A header of the libraries that declares the functions; needed where they take structures
    #[arg(long = "header", value_name = "HEADER", help_heading = PROGRAM)]
    pub headers: Vec<String>,

    /// Most tests of a function
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = ALONE)]
    pub max_tests: usize,
    /// Seconds to make the tests of a function
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds, help_heading = LIMITS)]
    pub max_time: f64,
    /// Seconds that one test may take
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds, help_heading = LIMITS)]
    pub timeout: f64,
    /// Functions that are compared at a time [default: processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    pub jobs: Option<u64>,

    /// Where tests and fixtures go
    #[arg(long, value_name = "DIR", default_value = "mneme-diff", help_heading = OUTPUT)]
    pub out: PathBuf,
    /// How results are printed (json: at the end)
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub format: Format,
}
