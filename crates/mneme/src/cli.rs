//! What the command line accepts.

use crate::models;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use mneme_engine::Search;
use std::ffi::OsString;
use std::path::PathBuf;

/// A symbolic executor for C and LLVM bitcode whose memory model is a choice.
#[derive(Parser, Debug)]
#[command(name = "mneme", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Say more about what happens
    #[arg(long, global = true)]
    pub verbose: bool,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore a program: find the inputs that break it and write them as tests
    Run(Box<RunArgs>),
    /// Run tests natively under sanitizers and compare with what was predicted
    Replay(Box<ReplayArgs>),
    /// List the memory models
    Models,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    /// C files, bitcode (.bc) or LLVM assembly (.ll), linked together
    #[arg(value_name = "FILE", required_unless_present = "list_models")]
    pub files: Vec<PathBuf>,

    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,

    /// Where the results go
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Replay every finding natively and say whether a sanitizer sees it
    #[arg(long, help_heading = "Output")]
    pub confirm: bool,
    /// Show what the program writes
    #[arg(long, help_heading = "Output")]
    pub program_output: bool,
    /// Print nothing but findings
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,

    /// Memory model
    #[arg(long, value_name = "MODEL", default_value = "objects", value_parser = PossibleValuesParser::new(models::names()), help_heading = "Exploration")]
    pub model: String,
    /// Print the names of the memory models and exit
    #[arg(long, help_heading = "Exploration")]
    pub list_models: bool,
    /// Which path goes on next
    #[arg(long, value_name = "SEARCH", default_value = "default", value_parser = PossibleValuesParser::new(Search::ALL.map(|(name, _)| name)), help_heading = "Exploration")]
    pub search: String,
    /// Seed of random choices
    #[arg(long, default_value_t = 0, help_heading = "Exploration")]
    pub seed: u64,
    /// The most bytes that an allocation of symbolic size gets
    #[arg(long, value_name = "BYTES", default_value_t = 4096, help_heading = "Exploration")]
    pub capacity: u64,

    /// More errors to report
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = ["overflow", "leaks"], help_heading = "Errors")]
    pub check: Vec<String>,
    /// A program that looks at memory nobody wrote: report it, or give it any value
    #[arg(long, value_name = "WHAT", default_value = "fault", value_parser = ["fault", "any"], help_heading = "Errors")]
    pub uninit: String,
    /// Let every allocation fail, too
    #[arg(long, help_heading = "Errors")]
    pub malloc_may_fail: bool,

    /// Seconds of exploration
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Limits")]
    pub max_time: Option<f64>,
    /// Mebibytes of memory
    #[arg(long, value_name = "MIB", help_heading = "Limits")]
    pub max_memory: Option<u64>,
    /// States at once
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_states: Option<usize>,
    /// Instructions on all paths together
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_instructions: Option<u64>,
    /// Forks along one path
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_depth: Option<u32>,
    /// Calls active at once before the program counts as out of stack
    #[arg(long, value_name = "N", default_value_t = 1 << 16, help_heading = "Limits")]
    pub max_stack: usize,
    /// Seconds for one question to the solver
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, help_heading = "Limits")]
    pub solver_timeout: f64,

    /// SMT-LIB solver to use instead of the built-in CaDiCaL and Z3, as a command
    #[arg(long, value_name = "COMMAND", help_heading = "Solver")]
    pub solver: Option<String>,
    /// Write every query that reaches the solver to this directory, as SMT-LIB 2
    #[arg(long, value_name = "DIR", help_heading = "Solver")]
    pub log_queries: Option<PathBuf>,

    #[command(flatten)]
    pub compile: CompileArgs,

    /// Collect unused terms after every step (slow; for tests)
    #[arg(long, hide = true)]
    pub collect_always: bool,
}

/// How a program is compiled, for exploration and natively.
#[derive(Args, Debug)]
pub struct CompileArgs {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=V]", help_heading = "Compilation")]
    pub defines: Vec<String>,
    /// Directory for #include
    #[arg(short = 'I', value_name = "DIR", help_heading = "Compilation")]
    pub includes: Vec<PathBuf>,
    /// Compile for 32 bits (-m32)
    #[arg(long = "m32", help_heading = "Compilation")]
    pub target32: bool,
    /// Flags for clang instead of `-O1 -Xclang -disable-llvm-passes`
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Compilation")]
    pub cflags: Option<String>,
    /// One more flag for clang
    #[arg(
        long = "clang-flag",
        value_name = "FLAG",
        allow_hyphen_values = true,
        help_heading = "Compilation"
    )]
    pub clang_flags: Vec<String>,
    /// The compiler
    #[arg(long, value_name = "PATH", help_heading = "Compilation")]
    pub clang: Option<PathBuf>,
}

#[derive(Args, Debug)]
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

    /// The error that the test has to show, such as `double-free@list.c:12`, instead of what the run wrote down
    #[arg(long, value_name = "RULE[@FILE:LINE]", conflicts_with = "expect_exit")]
    pub expect: Option<String>,
    /// The exit code that the test has to end with, instead of what the run wrote down
    #[arg(long, value_name = "N")]
    pub expect_exit: Option<u8>,
    /// Seconds that one test may take
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: f64,

    #[command(flatten)]
    pub compile: CompileArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('s').parse::<f64>() {
        Ok(n) if n.is_finite() && n >= 0.0 => Ok(n),
        _ => Err("give a number of seconds, such as 60".into()),
    }
}

/// The arguments as clap takes them: `-m32` is spelled like a compiler's option.
pub fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut ours = true;
    args.map(|arg| {
        ours &= arg != "--";
        if ours && arg == "-m32" { "--m32".into() } else { arg }
    })
    .collect()
}

/// What is wrong with the command line, without the usage that follows it.
pub fn one_sentence(message: &str) -> String {
    let first = message.split("\n\n").next().unwrap_or(message);
    let words: Vec<&str> = first.trim_start_matches("error: ").split_whitespace().collect();
    format!("{}; `mneme run --help` lists the options", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_wrong_option_is_told_in_one_sentence() {
        let error = Cli::try_parse_from(["mneme", "run", "--frob", "a.c"]).unwrap_err();
        let expected = "unexpected argument '--frob' found; `mneme run --help` lists the options";
        assert_eq!(one_sentence(&error.to_string()), expected);
    }

    #[test]
    fn options_of_a_compiler_and_of_the_program_are_told_apart() {
        let words = ["mneme", "run", "-DX=1", "-I", "inc", "-m32", "a.c", "--", "-m32"];
        let cli = Cli::parse_from(arguments(words.iter().map(|&word| word.into())));
        let Command::Run(run) = cli.command else {
            panic!("it is a run")
        };
        assert_eq!(
            (run.compile.defines, run.compile.target32, run.args),
            (vec!["X=1".to_string()], true, vec!["-m32".to_string()])
        );
    }
}
