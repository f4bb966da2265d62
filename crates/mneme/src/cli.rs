//! What the command line accepts, and how it is explained.
//!
//! `--help` shows what most people need, `--help-all` everything: an option that only some need has `hide_short_help`.
//! Every option belongs to a heading. The help, the completions and the man page all come from here.

use crate::models;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use mneme_engine::Sizes;
use mneme_engine::{Candidates, DEFAULT_CALLS, DEFAULT_STACK, Mode, Search};
use mneme_memory::objects::{PieceSize, Resolve};
use std::ffi::OsString;
use std::path::PathBuf;

const PROGRAM: &str = "Program";
const EXPLORATION: &str = "Exploration";
const CHECKS: &str = "Checks";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";
const SOLVER: &str = "Solver";
const EXPECTATION: &str = "Expectation";
const HELP: &str = "Help";

/// A symbolic executor for C and LLVM bitcode whose memory model is a choice
#[derive(Parser, Debug)]
#[command(
    name = "mneme",
    version,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    subcommand_value_name = "COMMAND",
    after_help = "`mneme run --help` says how to explore a program."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Say more about what happens, and show every decision on the path to a finding
    #[arg(long, global = true, hide_short_help = true, help_heading = HELP)]
    pub verbose: bool,

    /// Print the options that most people need
    #[arg(long, short = 'h', global = true, action = ArgAction::HelpShort, help_heading = HELP)]
    help: Option<bool>,
    /// Print every option
    #[arg(long, global = true, action = ArgAction::HelpLong, help_heading = HELP)]
    help_all: Option<bool>,
    /// Print the version
    #[arg(long, short = 'V', action = ArgAction::Version, help_heading = HELP)]
    version: Option<bool>,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore a program: find the inputs that break it and write them as tests
    Run(Box<RunArgs>),
    /// Run tests natively under sanitizers and compare with what was predicted
    Replay(Box<ReplayArgs>),
    /// List the tests of a run, or KLEE's, with their inputs and what the program does on them
    Tests(TestsArgs),
    /// List the memory models
    Models,
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page, of mneme or of a command
    Man {
        /// The command
        #[arg(value_name = "COMMAND", value_parser = ["run", "replay", "tests", "models"])]
        command: Option<String>,
    },
    /// Call functions of the C library for a run
    #[command(name = NATIVE_HELPER, hide = true)]
    NativeHelper,
}

/// What a run starts this binary with to have native functions called.
pub const NATIVE_HELPER: &str = "native-helper";

#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 all paths explored and nothing found, 1 findings, 2 usage or input error, or\n\
                  results that cannot be written, 3 nothing found but incomplete."
)]
pub struct RunArgs {
    /// C files, bitcode (.bc) or LLVM assembly (.ll), linked together
    #[arg(value_name = "FILE", required_unless_present_any = ["list_models", "resume"])]
    pub files: Vec<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
    #[command(flatten)]
    pub compile: CompileArgs,

    /// Memory model
    #[arg(long, value_name = "MODEL", default_value = "objects", value_parser = model_names(), help_heading = EXPLORATION)]
    pub model: String,
    /// Print the names of the memory models and exit
    #[arg(long, hide_short_help = true, help_heading = EXPLORATION)]
    pub list_models: bool,
    /// Which path to continue next
    #[arg(long, value_name = "SEARCH", default_value = "default", value_parser = PossibleValuesParser::new(Search::ALL.map(|(name, _)| name)), help_heading = EXPLORATION)]
    pub search: String,
    /// Seed for random choices
    #[arg(long, value_name = "N", default_value_t = 0, hide_short_help = true, help_heading = EXPLORATION)]
    pub seed: u64,
    /// How to run loops whose number of iterations depends on inputs [default: compact for planes, else classic]
    #[arg(long, value_name = "HOW", help_heading = EXPLORATION)]
    pub loops: Option<LoopsChoice>,
    /// Explore the paths of these tests first: .ktest files, KLEE's included, or directories of them
    #[arg(long, value_name = "TESTS", hide_short_help = true, help_heading = EXPLORATION)]
    pub seed_tests: Vec<PathBuf>,
    /// How to treat the symbolic size of an allocation or input
    #[arg(long, value_name = "MODE", default_value = "symbolic", value_parser = size_modes(), hide_short_help = true, help_heading = EXPLORATION)]
    pub sizes: String,
    /// Most bytes for an allocation or input of symbolic size; `planes` limits only inputs unless sizes are fixed
    #[arg(long, value_name = "BYTES", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true, help_heading = EXPLORATION)]
    pub capacity: u64,

    /// Whether the bytes of objects may move; they do where objects are joined or split (objects)
    #[arg(long, value_name = "HOW", hide_short_help = true, help_heading = EXPLORATION)]
    pub addresses: Option<Addressing>,
    /// How to merge paths that fork inside a loop when they leave it
    #[arg(long, value_name = "MODE", default_value = "auto", value_parser = merge_modes(), hide_short_help = true, help_heading = EXPLORATION)]
    pub merge: String,
    /// In which loops to merge paths
    #[arg(long, value_name = "WHICH", default_value = "inputs", value_parser = merge_loops(), hide_short_help = true, help_heading = EXPLORATION)]
    pub merge_loops: String,
    /// Merge the paths of each call of this function when it returns
    #[arg(long, value_name = "FUNCTION", hide_short_help = true, help_heading = EXPLORATION)]
    pub merge_at: Vec<String>,
    /// How many states may wait to be merged before they continue separately
    #[arg(long, value_name = "N", default_value_t = 256, hide_short_help = true, help_heading = EXPLORATION)]
    pub merge_states: usize,

    /// How to access memory through a pointer to several objects (objects)
    #[arg(long, value_name = "POLICY", value_parser = policies(), hide_short_help = true, help_heading = EXPLORATION)]
    pub resolve: Option<String>,

    /// How many calls around an allocation tell objects apart, where dynamic segments remember what an instruction accessed (objects)
    #[arg(long, value_name = "CALLS", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=64), hide_short_help = true, help_heading = EXPLORATION)]
    pub contexts: u32,

    /// Split objects that are accessed at symbolic offsets into pieces of N bytes, 256 if no number is given (objects)
    #[arg(long, value_name = "N|auto", num_args = 0..=1, default_missing_value = PIECE, value_parser = piece_size, hide_short_help = true, help_heading = EXPLORATION)]
    pub split: Option<PieceSize>,
    /// Split only objects larger than this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 300, requires = "split", hide_short_help = true, help_heading = EXPLORATION)]
    pub split_above: u64,
    /// Read known contents at symbolic offsets as tables; `off` reads them as arrays, for comparison
    #[arg(long, value_name = "WHETHER", default_value = "on", hide_short_help = true, help_heading = EXPLORATION)]
    pub tables: OnOff,

    /// How a read looks for its value among all writes [default: list] (planes-naive)
    #[arg(long, value_name = "HOW", hide_short_help = true, help_heading = EXPLORATION)]
    pub naive_reads: Option<ReadsChoice>,
    /// Where to keep local variables whose address is never taken
    #[arg(long, value_name = "WHERE", default_value = "slots", hide_short_help = true, help_heading = EXPLORATION)]
    pub variables: VariablesHome,

    /// Additional errors to report
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = CHECKS)]
    pub check: Vec<Check>,
    /// What happens when the program uses memory that was never written
    #[arg(long, value_name = "WHAT", default_value = "fault", hide_short_help = true, help_heading = CHECKS)]
    pub uninit: UninitRead,
    /// Also explore the failure of every allocation
    #[arg(long, hide_short_help = true, help_heading = CHECKS)]
    pub malloc_may_fail: bool,

    /// Seconds for compiling and exploring; the run ends at most 2 seconds later
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = LIMITS)]
    pub max_time: Option<f64>,
    /// Mebibytes of memory
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(..1 << 40), help_heading = LIMITS)]
    pub max_memory: Option<u64>,
    /// States alive at once
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = LIMITS)]
    pub max_states: Option<usize>,
    /// Instructions executed, over all paths
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = LIMITS)]
    pub max_instructions: Option<u64>,
    /// Forks along one path
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = LIMITS)]
    pub max_depth: Option<u32>,
    /// Bytes of stack before it is exhausted: those of local variables, and 32 for each call
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_STACK, hide_short_help = true, help_heading = LIMITS)]
    pub max_stack: u64,
    /// Active calls before the stack is exhausted
    #[arg(long, value_name = "N", default_value_t = DEFAULT_CALLS, hide_short_help = true, help_heading = LIMITS)]
    pub max_calls: usize,
    /// Seconds for one solver query
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, hide_short_help = true, help_heading = LIMITS)]
    pub solver_timeout: f64,

    /// Where the results go [default: mneme-out]
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out: Option<PathBuf>,
    /// Continue a run that a limit, Ctrl-C or a crash ended; without FILE, with its original command line
    #[arg(long, value_name = "DIR", conflicts_with = "out", help_heading = OUTPUT)]
    pub resume: Option<PathBuf>,
    /// Replay every finding natively and say whether a sanitizer sees it
    #[arg(long, help_heading = OUTPUT)]
    pub confirm: bool,
    /// Known findings: they are marked, and do not affect the exit code
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub baseline: Option<PathBuf>,
    /// Write the findings of this run as a baseline
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub write_baseline: Option<PathBuf>,
    /// How findings are printed; json is one document at the end
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub format: Format,
    /// Print nothing but findings
    #[arg(long, help_heading = OUTPUT)]
    pub quiet: bool,
    /// Show what the program writes
    #[arg(long, hide_short_help = true, help_heading = OUTPUT)]
    pub program_output: bool,

    /// Which queries share an answer
    #[arg(long, value_name = "CACHE", default_value = "address-aware", hide_short_help = true, help_heading = SOLVER)]
    pub cache: CacheKind,
    /// Keep answers in this directory, for other runs
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = SOLVER)]
    pub cache_dir: Option<PathBuf>,
    /// Compare every answer with the solver's, and end with an internal error at the first difference (slow)
    #[arg(long, hide_short_help = true, help_heading = SOLVER)]
    pub paranoid: bool,
    /// SMT-LIB solver to use instead of the built-in CaDiCaL and Z3, as a command
    #[arg(long, value_name = "COMMAND", hide_short_help = true, help_heading = SOLVER)]
    pub solver: Option<String>,
    /// Write every query that reaches the solver to this directory, as SMT-LIB 2
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = SOLVER)]
    pub log_queries: Option<PathBuf>,

    /// Collect unused terms after every step (slow; for tests)
    #[arg(long, hide = true)]
    pub collect_always: bool,
    /// Compare what pointers refer to with the points-to analysis (slow; for tests)
    #[arg(long, hide = true)]
    pub check_points_to: bool,
}

/// How loops run whose number of iterations depends on inputs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum LoopsChoice {
    /// One path for each number of iterations
    Classic,
    /// Where variables change regularly, one path for all
    Compact,
}

/// Whether the bytes of objects may move.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Addressing {
    /// They stay where they are
    Flat,
    /// They may move
    Relocatable,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum OnOff {
    On,
    Off,
}

/// How `planes-naive` reads.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum ReadsChoice {
    /// From the newest write back, asking the solver about each candidate
    List,
    /// One expression over all writes, which the solver simplifies; slow, as in the paper
    Solver,
}

/// Where to keep local variables whose address is never taken.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum VariablesHome {
    /// Outside memory, so that no model has to look for them
    Slots,
    /// In memory, like all others; for comparison with engines that do so
    Memory,
}

/// Errors that are reported on demand.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Check {
    /// Signed arithmetic whose result does not fit its type
    Overflow,
    /// Heap objects whose last pointer is lost before they are freed
    Leaks,
    /// Indices that leave their array, though not the object around it
    Subobjects,
}

/// What happens when the program uses memory that was never written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum UninitRead {
    /// It is an error
    Fault,
    /// The memory may hold any value
    Any,
}

/// Which queries share an answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum CacheKind {
    /// Those that differ only in names, and in addresses that do not matter
    AddressAware,
    /// Those that differ only in names
    Plain,
    /// None; nothing is remembered
    None,
}

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
    /// One more flag for clang
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true, hide_short_help = true, help_heading = PROGRAM)]
    pub clang_flags: Vec<String>,
    /// The compiler [default: clang-19]
    #[arg(long, value_name = "PATH", hide_short_help = true, help_heading = PROGRAM)]
    pub clang: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 all is confirmed, 1 something is unconfirmed, 2 usage or input error,\n\
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

#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 all tests could be read, 2 some could not, or usage error.")]
pub struct TestsArgs {
    /// Directories of results, or tests (.ktest)
    #[arg(value_name = "PATH", default_value = "mneme-out")]
    pub paths: Vec<PathBuf>,
    /// How they are printed
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub format: Format,
}

/// How results are printed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Shells that take completions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

fn model_names() -> PossibleValuesParser {
    let value = |model: &models::Model| PossibleValue::new(model.name).help(model.about);
    models::MODELS.iter().map(value).collect::<Vec<_>>().into()
}

/// Bytes of a piece where `--split` says none (thesis §3.4.3).
const PIECE: &str = "256";

fn piece_size(text: &str) -> Result<PieceSize, String> {
    match (text, text.parse::<u64>()) {
        ("auto", _) => Ok(PieceSize::Auto),
        (_, Ok(bytes @ 8..=0xffff_ffff)) => Ok(PieceSize::Bytes(bytes)),
        _ => Err("give a number of bytes from 8 on, such as 256, or auto".into()),
    }
}

fn policies() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Resolve)| PossibleValue::new(name).help(about);
    Resolve::ALL.iter().map(value).collect::<Vec<_>>().into()
}

fn merge_modes() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Mode)| PossibleValue::new(name).help(about);
    Mode::ALL.iter().map(value).collect::<Vec<_>>().into()
}

fn merge_loops() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Candidates)| PossibleValue::new(name).help(about);
    Candidates::ALL.iter().map(value).collect::<Vec<_>>().into()
}

fn size_modes() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Sizes)| PossibleValue::new(name).help(about);
    Sizes::ALL.iter().map(value).collect::<Vec<_>>().into()
}

/// More than anyone waits, and less than what clocks can add.
const MOST_SECONDS: f64 = 1e9;

fn seconds(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('s').parse::<f64>() {
        Ok(n) if (0.0..=MOST_SECONDS).contains(&n) => Ok(n),
        _ => Err("give a number of seconds, such as 60".into()),
    }
}

/// The arguments as clap takes them: `-m32` is spelled like a compiler's option, and the file in `--split a.c` is not a
/// number of bytes.
pub fn arguments(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut ours = true;
    let mut args = args.peekable();
    let mut out = Vec::new();
    while let Some(arg) = args.next() {
        ours &= arg != "--";
        let size = |next: &OsString| {
            next.to_str()
                .is_some_and(|next| next == "auto" || next.starts_with(|c: char| c.is_ascii_digit()))
        };
        out.push(match arg.to_str() {
            Some("-m32") if ours => "--m32".into(),
            Some("--split") if ours && !args.peek().is_some_and(size) => format!("--split={PIECE}").into(),
            _ => arg,
        });
    }
    out
}

/// What is wrong with the command line, without the usage that follows it.
pub fn one_sentence(error: &clap::Error, words: &[OsString]) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command was given; `mneme --help` lists them".into();
    }
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or(&text);
    let first = first
        .trim_start_matches("error: ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let known = |word: &&OsString| {
        Cli::command()
            .get_subcommands()
            .any(|command| *word == command.get_name())
    };
    let command = match words.iter().skip(1).find(known) {
        Some(command) => format!(" {}", command.display()),
        None => String::new(),
    };
    let hint = match suggestion(error) {
        Some(suggestion) => format!("did you mean `{suggestion}`?"),
        None => format!("`mneme{command} --help` lists the options"),
    };
    let sentence = format!("{first}; {hint}");
    sentence.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn suggestion(error: &clap::Error) -> Option<String> {
    [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ]
    .into_iter()
    .find_map(|kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(several) => several.first().cloned(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    fn complaint(words: &[&str]) -> String {
        let words = arguments(words.iter().map(|&word| word.into()));
        one_sentence(&Cli::try_parse_from(&words).unwrap_err(), &words)
    }

    #[test]
    fn a_wrong_option_is_told_in_one_sentence() {
        let expected = "unexpected argument '--frob' found; `mneme run --help` lists the options";
        assert_eq!(complaint(&["mneme", "run", "--frob", "a.c"]), expected);
        let expected = "unexpected argument '--max-tim' found; did you mean `--max-time`?";
        assert_eq!(complaint(&["mneme", "run", "--max-tim", "1", "a.c"]), expected);
        let expected = "unrecognized subcommand 'rum'; did you mean `run`?";
        assert_eq!(complaint(&["mneme", "rum"]), expected);
        assert_eq!(complaint(&["mneme"]), "no command was given; `mneme --help` lists them");
        assert!(!complaint(&["mneme", "run", "--a\u{1b}[31m\n\nb", "a.c"]).contains(char::is_control));
    }

    #[test]
    fn numbers_that_overflow_are_refused() {
        for option in [
            "--max-time=1e300",
            "--max-time=inf",
            "--max-time=nan",
            "--max-time=-1",
            "--solver-timeout=1e10",
            "--max-memory=18446744073709551615",
            "-D=",
        ] {
            let words = ["mneme", "run", option, "a.c"];
            assert!(Cli::try_parse_from(words).is_err(), "{option}");
        }
    }

    #[test]
    fn every_option_has_a_heading_and_help() {
        for command in Cli::command().get_subcommands() {
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                let id = argument.get_id();
                assert!(
                    argument.is_positional() || argument.get_help_heading().is_some(),
                    "{}: {id}",
                    command.get_name()
                );
                assert!(argument.get_help().is_some(), "{}: {id}", command.get_name());
            }
        }
    }

    #[test]
    fn splitting_needs_no_number() {
        let split = |words: &[&str]| {
            let words = ["mneme", "run"].iter().chain(words);
            let cli = Cli::parse_from(arguments(words.map(|&word| word.into())));
            let Command::Run(run) = cli.command else {
                panic!("it is a run")
            };
            (run.split, run.split_above, run.files.len())
        };
        let default = Some(PieceSize::Bytes(256));
        assert_eq!(split(&["--split", "a.c"]), (default, 300, 1));
        assert_eq!(split(&["a.c", "--split"]), (default, 300, 1));
        assert_eq!(split(&["--split", "--split-above", "9", "a.c"]), (default, 9, 1));
        assert_eq!(split(&["--split", "32", "a.c"]), (Some(PieceSize::Bytes(32)), 300, 1));
        assert_eq!(split(&["--split", "auto", "a.c"]), (Some(PieceSize::Auto), 300, 1));
        assert!(complaint(&["mneme", "run", "--split", "7", "a.c"]).contains("from 8 on"));
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
