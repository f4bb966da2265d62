//! `mneme run`.

use super::{ALONE, CHECKS, EXPLORATION, LIMITS, OUTPUT, SOLVER};
use super::{CompileArgs, Format, InputArgs, seconds};
use crate::models::Chosen;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use mneme_engine::{Candidates, DEFAULT_CALLS, DEFAULT_STACK, Loops, Mode, Prove, Search, Sides, Sizes, TestCase};
use std::path::PathBuf;

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
    #[arg(long, value_name = "HOW", hide_short_help = true, help_heading = EXPLORATION)]
    pub loops: Option<LoopsChoice>,
    /// Try to prove by invariants of its loops that the program has no other errors than those found [default: deep for
    /// heaplets, else never]
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "soon", hide_short_help = true, help_heading = EXPLORATION)]
    pub prove: Option<ProveChoice>,
    /// Explore the paths of these tests first: .ktest files, KLEE's included, a fuzzer's inputs, or directories of them
    #[arg(long, value_name = "TESTS", hide_short_help = true, help_heading = EXPLORATION)]
    pub seed_tests: Vec<PathBuf>,
    /// How to treat the symbolic size of an allocation or input
    #[arg(long, value_name = "MODE", default_value = "symbolic", value_parser = size_modes(), hide_short_help = true, help_heading = EXPLORATION)]
    pub sizes: String,
    /// Most bytes for an allocation or input of symbolic size; a model that needs no bound limits only inputs unless
    /// sizes are fixed
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
    /// C file that says what its callers see to: a function FUNCTION_contract calls mneme_requires(…)
    #[arg(long, value_name = "FILE.c", requires = "function", hide_short_help = true, help_heading = ALONE)]
    pub contract: Option<PathBuf>,
    /// Run its callers, too, and say which of its findings they bring about and which are refuted
    #[arg(long, requires = "function", conflicts_with_all = ["contract", "same_as"], hide_short_help = true, help_heading = ALONE)]
    pub from_callers: bool,
    /// How many objects deep the structures are that it is given
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=64), hide_short_help = true, help_heading = ALONE)]
    pub structure_depth: u32,
    /// Most elements of a buffer that it is given, rounded up to a power of two
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=4096), hide_short_help = true, help_heading = ALONE)]
    pub elements: u64,
    /// What the global variables hold that it finds
    #[arg(long, value_name = "WHAT", default_value = "any", hide_short_help = true, help_heading = ALONE)]
    pub globals: GlobalsHold,
    /// What happens at the call of a function that is not there
    #[arg(long, value_name = "WHAT", default_value = "stop", value_parser = super::unknown_calls(), hide_short_help = true, help_heading = EXPLORATION)]
    pub unknown_calls: String,
    /// What the pointers that it is given may have in common
    #[arg(long, value_name = "WHAT", default_value = "same-type", hide_short_help = true, help_heading = ALONE)]
    pub aliases: MayAlias,
    /// Serve accesses through symbolic pointers by these handlers, the first outermost: names of policies, or C files
    #[arg(long = "handler", value_name = "NAME|FILE.c", value_delimiter = ',', hide_short_help = true, help_heading = EXPLORATION)]
    pub handlers: Vec<String>,
    /// The same for accesses through concrete pointers
    #[arg(long = "concrete-handler", value_name = "NAME|FILE.c", value_delimiter = ',', hide_short_help = true, help_heading = EXPLORATION)]
    pub concrete_handlers: Vec<String>,
    /// Report every path that writes this global variable, a part or some bytes of it
    #[arg(long, value_name = "NAME[.MEMBER|[N]]…[+OFFSET[:SIZE]]", hide_short_help = true, help_heading = CHECKS)]
    pub watch: Option<String>,
    /// Report every path on which bytes of this input, or of any, reach a call of this function
    #[arg(long, value_name = "[INPUT:]FUNCTION", hide_short_help = true, help_heading = CHECKS)]
    pub taint: Option<String>,
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
    /// Mebibytes of memory [default: seven eighths of what is free]
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
    /// Keep the fewest tests that cover as much, with plain inputs
    #[arg(long, conflicts_with = "tests", help_heading = OUTPUT)]
    pub minimise: bool,
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

impl RunArgs {
    /// The model of the run, with its options.
    pub fn chosen(&self) -> &Chosen {
        self.chosen.as_ref().expect("clap accepts only known models")
    }

    pub fn has_handlers(&self) -> bool {
        let named = !self.handlers.is_empty() || !self.concrete_handlers.is_empty();
        named || self.watch.is_some() || self.taint.is_some()
    }

    /// When proofs are tried.
    pub fn prove(&self) -> Prove {
        match self.prove {
            Some(ProveChoice::Soon) => Prove::Soon,
            Some(ProveChoice::Deep) => Prove::Deep,
            Some(ProveChoice::Never) => Prove::Never,
            None => self.chosen().prove(),
        }
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
    /// The same, and buffers of arguments may overlap: one begins inside of another
    Overlapping,
    /// Each refers to an object of its own
    Never,
}

/// How loops run whose number of iterations depends on inputs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum LoopsChoice {
    /// One path for each number of iterations
    Classic,
    /// Where variables change regularly, one path for all
    Compact,
}

/// When proofs are tried.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum ProveChoice {
    /// Soon, and again from time to time
    Soon,
    /// The same, but not before a path has made 100 decisions: a loop may have no bound
    Deep,
    Never,
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
    /// Local variables whose address the caller has when the first function returns
    Escapes,
    /// Indices that leave their array, though not the object around it
    Subobjects,
    /// Loops that come back to exactly the state that they were in
    Termination,
    /// Accesses at addresses that are not aligned for their type
    Alignment,
    /// Offsets that are added to null pointers, even if nobody follows the result
    NullOffsets,
    /// Implicit conversions to a narrower integer type that change the value
    Conversions,
    /// Floating-point divisions by zero
    Float,
    /// Unsigned arithmetic whose result does not fit and wraps
    Unsigned,
    /// Allocations of more than 1 GiB, such as those whose size nothing limits
    Allocations,
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
