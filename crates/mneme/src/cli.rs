//! What the command line accepts, and how it is explained.
//!
//! `--help` shows what most people need, `--help-all` everything: an option that only some need has `hide_short_help`.
//! Every option belongs to a heading. The help, the completions and the man page all come from here.

use crate::flags;
use crate::models::{Chosen, Model};
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use mneme_engine::{Candidates, DEFAULT_CALLS, DEFAULT_STACK, Loops, Mode, Search, TestCase};
use mneme_engine::{Sides, Sizes};
use std::ffi::OsString;
use std::path::PathBuf;

const PROGRAM: &str = "Program";
const INPUTS: &str = "Inputs";
const EXPLORATION: &str = "Exploration";
const ALONE: &str = "A function alone";
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
    // The last of an option given twice counts: scripts add options to those that they have.
    args_override_self = true,
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

/// The commands that have pages of their own.
const COMMANDS: [&str; 5] = ["run", "replay", "equiv", "tests", "models"];

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore a program: find the inputs that break it and write them as tests
    Run(Box<RunArgs>),
    /// Run tests natively under sanitizers and compare with what was predicted
    Replay(Box<ReplayArgs>),
    /// Prove that two functions do the same for all inputs, or find one on which they differ
    Equiv(EquivArgs),
    /// List the tests of a run, or KLEE's, with their inputs and what the program does on them
    Tests(TestsArgs),
    /// List the memory models
    Models,
    /// Print the help, of mneme or of a command
    Help {
        /// The command
        #[arg(value_name = "COMMAND", value_parser = COMMANDS)]
        command: Option<String>,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page, of mneme or of a command
    Man {
        /// The command
        #[arg(value_name = "COMMAND", value_parser = COMMANDS)]
        command: Option<String>,
    },
    /// Call functions of the C library for a run
    #[command(name = NATIVE_HELPER, hide = true)]
    NativeHelper,
    /// Run a test where it can do no harm
    #[command(name = CONFINED_RUN, hide = true)]
    ConfinedRun {
        /// What to run, and how
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        order: Vec<OsString>,
    },
}

/// What a run starts this binary with to have native functions called.
pub const NATIVE_HELPER: &str = "native-helper";
/// What a replay starts this binary with to have a test run.
pub const CONFINED_RUN: &str = "confined-run";

#[derive(Args, Debug)]
#[command(
    after_help = "Flags of a compiler (-O2, -std=c99, -include x.h, -lm …) may stand anywhere before `--`.\n\n\
                  Exit codes: 0 all paths explored and nothing found, 1 findings, 2 usage or input error, or\n\
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
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Memory model
    #[arg(long, value_name = "MODEL", required = false, help_heading = EXPLORATION)]
    pub model: String,
    /// The model of that name, with its options: [`parse`] finds it among the models that there are.
    #[arg(skip)]
    pub chosen: Option<Chosen>,
    /// Print the names of the memory models and exit
    #[arg(long, hide_short_help = true, help_heading = EXPLORATION)]
    pub list_models: bool,
    /// Which path to continue next
    #[arg(long, value_name = "SEARCH", default_value = "default", value_parser = PossibleValuesParser::new(Search::ALL.map(|(name, _)| name)), help_heading = EXPLORATION)]
    pub search: String,
    /// When to solve a side of a fork that the inputs at hand do not follow
    #[arg(long, value_name = "WHEN", default_value = "mixed", value_parser = side_modes(), hide_short_help = true, help_heading = EXPLORATION)]
    pub solve_sides: String,
    /// Seed for random choices
    #[arg(long, value_name = "N", default_value_t = 0, hide_short_help = true, help_heading = EXPLORATION)]
    pub seed: u64,
    /// How to run loops whose number of iterations depends on inputs
    #[arg(long, value_name = "HOW", help_heading = EXPLORATION)]
    pub loops: Option<LoopsChoice>,
    /// Explore the paths of these tests first: .ktest files, KLEE's included, a fuzzer's inputs, or directories of them
    #[arg(long, value_name = "TESTS", hide_short_help = true, help_heading = EXPLORATION)]
    pub seed_tests: Vec<PathBuf>,
    /// How to treat the symbolic size of an allocation or input
    #[arg(long, value_name = "MODE", default_value = "symbolic", value_parser = size_modes(), hide_short_help = true, help_heading = EXPLORATION)]
    pub sizes: String,
    /// Most bytes for an allocation or input of symbolic size; a model that needs no bound limits only inputs unless sizes are fixed
    #[arg(long, value_name = "BYTES", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true, help_heading = EXPLORATION)]
    pub capacity: u64,

    /// Most bytes of the input of a fuzzer's target (LLVMFuzzerTestOneInput)
    #[arg(long, value_name = "BYTES", default_value_t = 32, hide_short_help = true, help_heading = EXPLORATION)]
    pub max_len: u64,

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
    /// Take quantified queries, which `--merge patterns` makes, apart before the solver sees their quantifiers
    #[arg(long, value_name = "WHETHER", default_value = "on", hide_short_help = true, help_heading = EXPLORATION)]
    pub quantifier_procedure: OnOff,
    /// Merge paths of a loop that do not differ at the start of every round, too
    #[arg(long, value_name = "WHETHER", default_value = "on", hide_short_help = true, help_heading = EXPLORATION)]
    pub merge_incremental: OnOff,

    /// Read known contents at symbolic offsets as tables; `off` reads them as arrays, for comparison
    #[arg(long, value_name = "WHETHER", default_value = "on", hide_short_help = true, help_heading = EXPLORATION)]
    pub tables: OnOff,
    /// Where to keep local variables whose address is never taken
    #[arg(long, value_name = "WHERE", default_value = "slots", hide_short_help = true, help_heading = EXPLORATION)]
    pub variables: VariablesHome,

    /// Explore this function alone, on arguments that may be anything
    #[arg(long, value_name = "FUNCTION", conflicts_with = "entry", help_heading = EXPLORATION)]
    pub function: Option<String>,
    /// Run this function after it on the same arguments, and report where the two differ
    #[arg(long, value_name = "FUNCTION", requires = "function", hide_short_help = true, help_heading = ALONE)]
    pub same_as: Option<String>,
    /// How many objects deep the structures are that it is given
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64), hide_short_help = true, help_heading = ALONE)]
    pub structure_depth: u32,
    /// Most elements of a buffer that it is given, rounded up to a power of two
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=4096), hide_short_help = true, help_heading = ALONE)]
    pub elements: u64,
    /// What the global variables hold that it finds
    #[arg(long, value_name = "WHAT", default_value = "any", hide_short_help = true, help_heading = ALONE)]
    pub globals: GlobalsHold,
    /// What the pointers that it is given may have in common
    #[arg(long, value_name = "WHAT", default_value = "same-type", hide_short_help = true, help_heading = ALONE)]
    pub aliases: MayAlias,
    /// Serve accesses through symbolic pointers by these handlers, the first outermost: names of policies, or C files
    #[arg(long = "handler", value_name = "NAME|FILE.c", value_delimiter = ',', hide_short_help = true, help_heading = EXPLORATION)]
    pub handlers: Vec<String>,
    /// The same for accesses through concrete pointers
    #[arg(long = "concrete-handler", value_name = "NAME|FILE.c", value_delimiter = ',', hide_short_help = true, help_heading = EXPLORATION)]
    pub concrete_handlers: Vec<String>,
    /// Report every path that writes this global variable, or some of its bytes
    #[arg(long, value_name = "NAME[+OFFSET[:SIZE]]", hide_short_help = true, help_heading = CHECKS)]
    pub watch: Option<String>,
    /// Objects that one path may keep from handlers of concrete accesses
    #[arg(long, value_name = "N", default_value_t = 128, hide_short_help = true, help_heading = EXPLORATION)]
    pub tlb: usize,

    /// Additional errors to report
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = CHECKS)]
    pub check: Vec<Check>,
    /// What happens when the program uses memory that was never written
    #[arg(long, value_name = "WHAT", default_value = "fault", hide_short_help = true, help_heading = CHECKS)]
    pub uninit: UninitRead,
    /// Also explore the failure of every allocation
    #[arg(long, hide_short_help = true, help_heading = CHECKS)]
    pub malloc_may_fail: bool,

    /// Seconds to compile and explore; the run ends at most 2 s later
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
    /// Instructions of one path [default: 100000 for a function alone, else no limit]
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = LIMITS)]
    pub max_path: Option<u64>,
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
    /// Continue a run that was ended, without FILE by its own command line
    #[arg(long, value_name = "DIR", conflicts_with = "out", help_heading = OUTPUT)]
    pub resume: Option<PathBuf>,
    /// Which paths get tests, besides those of findings
    #[arg(long, value_name = "WHICH", default_value = "all", help_heading = OUTPUT)]
    pub tests: WhichTests,
    /// Replay every finding natively and say whether a sanitizer sees it
    #[arg(long, help_heading = OUTPUT)]
    pub confirm: bool,
    /// Known findings: they are marked, and do not affect the exit code
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub baseline: Option<PathBuf>,
    /// Write the findings of this run as a baseline
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub write_baseline: Option<PathBuf>,
    /// How findings are printed (json: at the end)
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

/// What global variables hold before a function that is explored alone.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum GlobalsHold {
    /// Anything, but for constants
    Any,
    /// What they were initialised with
    Initial,
}

/// What pointers may have in common that a function is given.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum MayAlias {
    /// Those of one type may refer to one object
    SameType,
    /// Each refers to an object of its own
    Never,
}

/// What the program reads from outside. `inputs.rs` turns the options into words among the program's arguments, behind
/// those that were given.
#[derive(Args, Debug)]
pub struct InputArgs {
    /// Make symbolic what the program reads
    #[arg(long = "sym", value_name = "WHAT", help_heading = INPUTS)]
    pub all: Option<SymbolicWhat>,
    /// One symbolic argument of up to N characters
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=4096), hide_short_help = true, help_heading = INPUTS)]
    pub sym_arg: Vec<u32>,
    /// Between MIN and MAX symbolic arguments of up to N characters each
    #[arg(long, value_names = ["MIN", "MAX", "N"], num_args = 3, value_parser = clap::value_parser!(u32).range(..=4096), help_heading = INPUTS)]
    pub sym_args: Vec<u32>,
    /// No symbolic argument begins with a dash
    #[arg(long, hide_short_help = true, help_heading = INPUTS)]
    pub sym_args_no_dash: bool,
    /// Symbolic standard input of up to N bytes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1 << 20), help_heading = INPUTS)]
    pub sym_stdin: Option<u32>,
    /// A symbolic file of up to N bytes
    #[arg(long, value_names = ["NAME", "N"], num_args = 2, hide_short_help = true, help_heading = INPUTS)]
    pub sym_file: Vec<String>,
    /// A symbolic environment variable of up to N characters, or not set
    #[arg(long, value_names = ["NAME", "N"], num_args = 2, hide_short_help = true, help_heading = INPUTS)]
    pub sym_env: Vec<String>,
    /// rand and its like return any number
    #[arg(long, hide_short_help = true, help_heading = INPUTS)]
    pub sym_rand: bool,
    /// The clock shows any time, which does not go back
    #[arg(long, hide_short_help = true, help_heading = INPUTS)]
    pub sym_time: bool,
    /// The current directory of the program, whose files it can read [default: the current one]
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = INPUTS)]
    pub root: Option<PathBuf>,
}

/// What can be made symbolic at once.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum SymbolicWhat {
    /// Arguments, standard input, files, environment variables, random numbers, the clock
    All,
}

/// How loops run whose number of iterations depends on inputs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum LoopsChoice {
    /// One path for each number of iterations
    Classic,
    /// Where variables change regularly, one path for all
    Compact,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum OnOff {
    On,
    Off,
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
    /// Loops that come back to exactly the state that they were in
    Termination,
    /// Accesses at addresses that are not aligned for their type
    Alignment,
    /// Implicit conversions to a narrower integer type that change the value
    Conversions,
    /// Floating-point divisions by zero
    Float,
}

/// Which paths get tests, besides those of findings.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum WhichTests {
    /// Those that were completed, and those that were left unfinished
    All,
    /// Those that were completed
    Completed,
    /// Of all, those that were the first to reach some part of the program
    Covering,
}

impl WhichTests {
    pub fn wants(self, test: &TestCase, completed: bool) -> bool {
        match self {
            WhichTests::All => true,
            WhichTests::Completed => completed,
            WhichTests::Covering => test.covers_new,
        }
    }
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
    /// One more flag for clang, as it is
    #[arg(long = "clang-flag", value_name = "FLAG", allow_hyphen_values = true, hide_short_help = true, help_heading = PROGRAM)]
    pub clang_flags: Vec<String>,
    /// Flags of a compiler, as `flags.rs` found them among the words
    #[arg(long = "compiler-word", value_name = "FLAG", allow_hyphen_values = true, hide = true)]
    pub words: Vec<String>,
    /// Begin with this function, which takes no arguments, instead of main
    #[arg(long, value_name = "FUNCTION", help_heading = PROGRAM)]
    pub entry: Option<String>,
    /// The compiler [default: clang-19]
    #[arg(long, value_name = "PATH", hide_short_help = true, help_heading = PROGRAM)]
    pub clang: Option<PathBuf>,
}

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

#[derive(Args, Debug)]
#[command(
    after_help = "Options are those of `mneme run`. Inputs for which the first function itself goes wrong are left out.\n\n\
                  Exit codes: 0 they do the same for all inputs, 1 they differ, 2 usage or input error,\n\
                  3 no difference was found, but not all paths were explored."
)]
pub struct EquivArgs {
    /// The function that is right
    #[arg(value_name = "FUNCTION")]
    pub first: String,
    /// The function that should do the same
    #[arg(value_name = "FUNCTION")]
    pub second: String,
    /// C files, bitcode (.bc) or LLVM assembly (.ll), linked together, and options of `mneme run`
    #[arg(
        value_name = "FILE",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub rest: Vec<OsString>,
}

#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 all tests could be read, 2 some could not, or usage error.")]
pub struct TestsArgs {
    /// Directories of results, or tests (.ktest)
    #[arg(value_name = "PATH", default_value = "mneme-out")]
    pub paths: Vec<PathBuf>,
    /// Write the inputs of a fuzzer's target to this directory, one file for each test, as a corpus
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub as_corpus: Option<PathBuf>,
    /// Write the tests of a function that was run alone to this directory, as C files that need nothing of Mneme
    #[arg(long, value_name = "DIR", conflicts_with = "as_corpus", help_heading = OUTPUT)]
    pub as_c: Option<PathBuf>,
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

/// The command line with these models; the first is the default.
pub fn command(models: &[Model]) -> clap::Command {
    let names = models
        .iter()
        .map(|model| PossibleValue::new(model.name).help(model.about));
    let names = PossibleValuesParser::from(names.collect::<Vec<_>>());
    let compact = models.iter().filter(|model| model.loops == Loops::Compact);
    let compact = compact.map(|model| model.name).collect::<Vec<_>>().join(", ");
    let default = models.first().map(|model| model.name);
    Cli::command().mut_subcommand("run", |run| {
        let run = run.mut_arg("model", |arg| arg.default_values(default).value_parser(names));
        let run = run.mut_arg("loops", |arg| {
            let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
            arg.help(format!("{about} [default: compact for {compact}, else classic]"))
        });
        models.iter().fold(run, |run, model| model.add_options(run))
    })
}

/// What the words of a command line ask for.
pub fn parse(models: &[Model], words: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = command(models).try_get_matches_from(words)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let (Command::Run(args), Some((_, words))) = (&mut cli.command, matches.subcommand()) {
        args.chosen = Chosen::new(models, &args.model, words);
    }
    Ok(cli)
}

impl RunArgs {
    /// The model of the run, with its options.
    pub fn chosen(&self) -> &Chosen {
        self.chosen.as_ref().expect("clap accepts only known models")
    }

    pub fn has_handlers(&self) -> bool {
        !self.handlers.is_empty() || !self.concrete_handlers.is_empty() || self.watch.is_some()
    }

    /// How loops are executed.
    pub fn loops(&self) -> Loops {
        match self.loops {
            // A summary makes accesses of its own, which no handler would see.
            _ if self.has_handlers() => Loops::Classic,
            Some(LoopsChoice::Classic) => Loops::Classic,
            Some(LoopsChoice::Compact) => Loops::Compact,
            None => self.chosen().loops(),
        }
    }
}

fn merge_modes() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Mode)| PossibleValue::new(name).help(about);
    Mode::ALL.iter().map(value).collect::<Vec<_>>().into()
}

fn merge_loops() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Candidates)| PossibleValue::new(name).help(about);
    Candidates::ALL.iter().map(value).collect::<Vec<_>>().into()
}

fn side_modes() -> PossibleValuesParser {
    let value = |&(name, about, _): &(&'static str, &'static str, Sides)| PossibleValue::new(name).help(about);
    Sides::ALL.iter().map(value).collect::<Vec<_>>().into()
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

/// The arguments as clap takes them: flags of a compiler are marked, `-m32` is spelled like one, and an option that may be given without
/// a value gets its default where what follows is not meant to be one (the file in `--split a.c`).
pub fn arguments(models: &[Model], args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let bare: Vec<_> = models.iter().flat_map(|model| model.bare).collect();
    let mut ours = true;
    let mut args = with_marked_flags(models, args.collect()).into_iter().peekable();
    let mut out = Vec::new();
    while let Some(arg) = args.next() {
        ours &= arg != "--";
        let next = args.peek().and_then(|next| next.to_str());
        let alone = bare
            .iter()
            .find(|bare| ours && arg == bare.option && !next.is_some_and(bare.is_value));
        out.push(match (arg.to_str(), alone) {
            (Some("-m32"), _) if ours => "--m32".into(),
            (_, Some(bare)) => format!("{}={}", bare.option, bare.default).into(),
            _ => arg,
        });
    }
    out
}

/// The words with those of a compiler marked, where the command compiles a program.
fn with_marked_flags(models: &[Model], mut words: Vec<OsString>) -> Vec<OsString> {
    let cli = command(models);
    let place = words
        .iter()
        .skip(1)
        .position(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let Some(at) = place.map(|place| place + 1) else {
        return words;
    };
    let compiles = |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_id() == "words");
    let command = words[at].to_str().and_then(|name| cli.find_subcommand(name));
    if let Some(command) = command.filter(compiles) {
        let rest = words.split_off(at + 1);
        words.extend(flags::marked(rest.into_iter(), command));
    }
    words
}

/// What is wrong with the command line, without the usage that follows it.
pub fn one_sentence(models: &[Model], error: &clap::Error, words: &[OsString]) -> String {
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
    let whole = command(models);
    let known = |word: &&OsString| whole.get_subcommands().any(|command| *word == command.get_name());
    let command = match words.iter().skip(1).find(known) {
        Some(command) => format!(" {}", command.display()),
        None => String::new(),
    };
    let hint = match suggestion(error).or_else(|| flags::one_dash_too_few(words, &whole)) {
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
    use crate::models::MODELS;

    #[test]
    fn flags_of_a_compiler_may_stand_anywhere() {
        let words = [
            "mneme",
            "--verbose",
            "run",
            "-O2",
            "a.c",
            "--max-time",
            "5",
            "-include",
            "x.h",
            "b.c",
            "-lm",
            "--",
            "-g",
        ];
        let words = arguments(MODELS, words.iter().map(|&word| word.into()));
        let cli = parse(MODELS, &words).unwrap();
        let Command::Run(run) = cli.command else {
            panic!("it is a run")
        };
        assert_eq!(run.compile.words, ["-O2", "-include", "x.h", "-lm"]);
        assert_eq!((run.files.len(), run.args), (2, vec!["-g".to_string()]));
        let expected = "unexpected argument '-m' found; did you mean `--max-time`?";
        assert_eq!(complaint(&["mneme", "run", "a.c", "-max-time", "5"]), expected);
    }

    #[test]
    fn the_definition_is_consistent() {
        command(MODELS).debug_assert();
    }

    fn complaint(words: &[&str]) -> String {
        let words = arguments(MODELS, words.iter().map(|&word| word.into()));
        one_sentence(MODELS, &parse(MODELS, &words).unwrap_err(), &words)
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
            let words = ["mneme", "run", option, "a.c"].map(OsString::from);
            assert!(parse(MODELS, &words).is_err(), "{option}");
        }
    }

    #[test]
    fn every_option_has_a_heading_and_help() {
        for command in command(MODELS).get_subcommands() {
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

    fn run(words: &[&str]) -> RunArgs {
        let words = ["mneme", "run"].iter().chain(words);
        let words = arguments(MODELS, words.map(|&word| word.into()));
        match parse(MODELS, &words).unwrap().command {
            Command::Run(run) => *run,
            other => panic!("it is a run, not {other:?}"),
        }
    }

    #[test]
    fn splitting_needs_no_number() {
        let split = |words: &[&str]| {
            let run = run(words);
            let mut options = run.chosen().in_force();
            options.retain(|(name, _)| name.starts_with("--split"));
            assert_eq!(run.files, [PathBuf::from("a.c")]);
            options
                .into_iter()
                .map(|(_, value)| value)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(split(&["--split", "a.c"]), "256 300");
        assert_eq!(split(&["a.c", "--split"]), "256 300");
        assert_eq!(split(&["--split", "--split-above", "9", "a.c"]), "256 9");
        assert_eq!(split(&["--split", "32", "a.c"]), "32 300");
        assert_eq!(split(&["--split", "auto", "a.c"]), "auto 300");
        assert!(complaint(&["mneme", "run", "--split", "7", "a.c"]).contains("from 8 on"));
    }

    #[test]
    fn the_last_of_an_option_given_twice_counts() {
        let words = ["--max-time=1", "--search", "dfs", "-DA", "--check", "leaks", "a.c"];
        let more = [
            "--max-time=2",
            "--search",
            "bfs",
            "-DB",
            "--check",
            "overflow",
            "--quiet",
            "--quiet",
        ];
        let run = run(&[&words[..], &more[..]].concat());
        assert_eq!((run.max_time, run.search.as_str()), (Some(2.0), "bfs"));
        assert_eq!(
            (run.compile.defines.len(), run.check.len()),
            (2, 2),
            "what is a list grows"
        );
    }

    #[test]
    fn options_belong_to_a_model() {
        let stray = |words: &[&str]| {
            run(words)
                .chosen()
                .stray()
                .map(|stray| (stray.option.clone(), stray.of))
        };
        assert_eq!(stray(&["--resolve", "fork", "a.c"]), None);
        assert_eq!(stray(&["--model", "planes", "a.c"]), None);
        let found = stray(&["--model", "planes", "--resolve", "fork", "a.c"]);
        assert_eq!(found, Some(("--resolve".into(), "objects")));
        let flat = run(&["--addresses", "flat", "--split", "a.c"]).chosen().check();
        assert!(flat.unwrap_err().starts_with("--split moves objects"));
    }

    #[test]
    fn options_of_a_compiler_and_of_the_program_are_told_apart() {
        let run = run(&["-DX=1", "-I", "inc", "-m32", "a.c", "--", "-m32"]);
        assert_eq!(
            (run.compile.defines, run.compile.target32, run.args),
            (vec!["X=1".to_string()], true, vec!["-m32".to_string()])
        );
    }
}
