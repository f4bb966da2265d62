//! `mneme check`.

use super::{ALONE, CHECKS, LIMITS, OUTPUT, PROGRAM, SOLVER};
use super::{CompileArgs, Format, seconds};
use crate::models::Chosen;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(
    after_help = "Flags of a compiler (-O2, -std=c99, -include x.h …) may stand anywhere.\n\n\
                  Exit codes: 0 all paths of all functions explored and nothing found, 1 findings, 2 usage or input\n\
                  error, or results that cannot be written, 3 nothing found but incomplete."
)]
pub struct CheckArgs {
    /// C files, bitcode (.bc) or LLVM assembly (.ll), linked together
    #[arg(value_name = "FILE", required_unless_present = "database")]
    pub files: Vec<PathBuf>,
    /// The compilation database (compile_commands.json, or the directory that it is in) with the flags of each file;
    /// without FILE, all C files in it are checked
    #[arg(short = 'p', value_name = "PATH", help_heading = PROGRAM)]
    pub database: Option<PathBuf>,
    #[command(flatten)]
    pub compile: CompileArgs,

    /// Check only this function; may be given several times
    #[arg(long, value_name = "FUNCTION", help_heading = ALONE)]
    pub function: Vec<String>,
    /// Memory model
    #[arg(long, value_name = "MODEL", required = false, hide_short_help = true, help_heading = ALONE)]
    pub model: String,
    /// The model of that name, with its options.
    #[arg(skip)]
    pub chosen: Option<Chosen>,
    /// How many objects deep the structures are that a function is given
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64), hide_short_help = true, help_heading = ALONE)]
    pub structure_depth: u32,
    /// Most elements of a buffer that a function is given, rounded up to a power of two
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=4096), hide_short_help = true, help_heading = ALONE)]
    pub elements: u64,

    /// Also report what only an unusual caller brings about: null where the function does not test for it, values that
    /// it does not bound, pointers to one object, buffers that are too small, failed assertions
    #[arg(long, help_heading = CHECKS)]
    pub odd_callers: bool,

    /// What happens at the call of a function that is not there
    #[arg(long, value_name = "WHAT", default_value = "havoc", value_parser = super::unknown_calls(), hide_short_help = true, help_heading = ALONE)]
    pub unknown_calls: String,
    /// Calls that are executed inside each other; a deeper one counts as unknown
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true, help_heading = LIMITS)]
    pub inline_depth: u32,
    /// How often one call decides the same branch of a loop
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..), hide_short_help = true, help_heading = LIMITS)]
    pub loop_rounds: u32,
    /// Seconds of processor time for each function
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds, help_heading = LIMITS)]
    pub function_time: f64,
    /// Seconds to compile and explore, in all
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = LIMITS)]
    pub max_time: Option<f64>,
    /// Mebibytes of memory for each function
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(..1 << 40), hide_short_help = true, help_heading = LIMITS)]
    pub max_memory: u64,
    /// Seconds for one solver query
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds, hide_short_help = true, help_heading = LIMITS)]
    pub solver_timeout: f64,
    /// Functions that are explored at the same time [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256), help_heading = LIMITS)]
    pub jobs: Option<u32>,

    /// Where the results go [default: mneme-out]
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Replay every finding natively and say whether a sanitizer sees it; confirmed ones come first
    #[arg(long, help_heading = OUTPUT)]
    pub confirm: bool,
    /// Judge the warnings of another analyser (SARIF) instead: each is confirmed by a native run, refuted within the
    /// bounds of the exploration, or unknown
    #[arg(long, value_name = "FILE", conflicts_with_all = ["function", "confirm", "baseline", "write_baseline", "odd_callers"], help_heading = OUTPUT)]
    pub confirm_sarif: Vec<PathBuf>,
    /// Known findings: they are marked, and do not affect the exit code
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub baseline: Option<PathBuf>,
    /// Write the findings of this run as a baseline
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub write_baseline: Option<PathBuf>,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub format: Format,
    /// Print nothing but findings
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,

    /// Keep the results of functions in this directory: a later run explores only what has changed
    #[arg(long, value_name = "DIR", help_heading = SOLVER)]
    pub cache_dir: Option<PathBuf>,
}

impl CheckArgs {
    /// The model of the run, with its options.
    pub fn chosen(&self) -> &Chosen {
        self.chosen.as_ref().expect("clap accepts only known models")
    }
}
