//! The options of a run.

use crate::frontier::Frontier;
use crate::halt::Halt;
use crate::handlers::HandlerOptions;
use crate::merge::MergeOptions;
use crate::outside::Outside;
use crate::progress::Progress;
use crate::seeds::SeedTest;
use mneme_finding::Finding;
use mneme_term::Terms;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// More than fit the default stack.
pub const DEFAULT_CALLS: usize = 1 << 18;
/// What Linux gives a program.
pub const DEFAULT_STACK: u64 = 8 << 20;

#[derive(Clone, Debug)]
pub struct Options {
    pub search: Search,
    pub sides: Sides,
    pub seed: u64,
    /// When exploring ends.
    pub deadline: Option<Instant>,
    /// Bytes of resident memory.
    pub max_memory: Option<u64>,
    pub max_states: Option<usize>,
    pub max_instructions: Option<u64>,
    /// Instructions of one path.
    pub max_path: Option<u64>,
    /// Forks along one path.
    pub max_depth: Option<u32>,
    pub solver_timeout: Option<Duration>,
    /// Calls active at once before the program counts as out of stack.
    pub max_calls: usize,
    /// Bytes of stack.
    pub max_stack: u64,
    pub sizes: Sizes,
    /// The most bytes of an object whose size is symbolic, where the model needs a bound.
    pub capacity: u64,
    /// Makes the terms of a run, for pointers of so many bits.
    pub terms: fn(u32) -> Terms,
    pub merge: MergeOptions,
    /// `argv` without the program's name.
    pub args: Vec<String>,
    pub program_name: String,
    /// What the program reads of the world outside where it is not symbolic.
    pub outside: Outside,
    /// Report signed overflow.
    pub check_overflow: bool,
    /// Report memory leaks.
    pub check_leaks: bool,
    /// Report local variables that the caller of the first function can still reach when it returns.
    pub check_escapes: bool,
    /// Report loops that never end.
    pub check_termination: bool,
    /// Report accesses whose address is not aligned as their type wants it; the path goes on.
    pub check_alignment: bool,
    /// Report offsets that are added to null pointers; the path goes on.
    pub check_null_offsets: bool,
    /// Report allocations that are too large to be meant; the path goes on.
    pub check_allocations: bool,
    pub uninit: Uninit,
    pub loops: Loops,
    /// When to try to prove by invariants of its loops that nothing is left to find.
    pub prove: Prove,
    /// The program's `main` is a function that is run alone: what it is given is made on demand.
    pub on_demand: Option<OnDemand>,
    /// The function with which it is compared: both run on the same arguments, and every path where they differ is an
    /// error.
    pub same_as: Option<String>,
    /// The function that says what a function run alone may be given.
    pub contract: Option<String>,
    /// Every allocation may also fail.
    pub malloc_may_fail: bool,
    pub unknown_calls: UnknownCalls,
    /// Calls of the program's own functions that are executed inside each other; a deeper one counts as unknown.
    pub inline_depth: Option<usize>,
    /// How often one call decides the same branch of a loop.
    pub loop_rounds: Option<u32>,
    pub callers: Callers,
    pub handlers: HandlerOptions,
    /// Only tests that cover something new matter, and their inputs become as short and plain as their paths allow.
    pub minimise: bool,
    /// The program gets these inputs and no others: there is one path.
    pub given: Option<GivenTest>,
    /// Tests whose paths are explored first.
    pub seeds: Vec<SeedTest>,
    /// Report to the observer what is left to explore, at most this often.
    pub save_every: Option<Duration>,
    /// Continue from here.
    pub resume: Option<Frontier>,
    /// Errors of an earlier session that are not reported again.
    pub known: Vec<Finding>,
    /// Set from outside: the run ends as soon as it can.
    pub halt: Halt,
    /// Where others can see how far the run is.
    pub progress: Arc<Progress>,
    /// Starts a process that runs [`serve_native_calls`](crate::serve_native_calls); without one, a native call is a
    /// counted stop.
    pub native_helper: Vec<OsString>,
    /// Collect terms after every slice: slow, for tests.
    pub collect_always: bool,
    /// Panic where a pointer refers to what the points-to analysis excludes: slow, for tests.
    pub check_points_to: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            search: Search::Default,
            sides: Sides::Mixed,
            seed: 0,
            deadline: None,
            max_memory: None,
            max_states: None,
            max_instructions: None,
            max_path: None,
            max_depth: None,
            solver_timeout: Some(Duration::from_secs(30)),
            max_calls: DEFAULT_CALLS,
            max_stack: DEFAULT_STACK,
            sizes: Sizes::Symbolic,
            capacity: 4096,
            terms: Terms::new,
            merge: MergeOptions::default(),
            args: Vec::new(),
            program_name: "program".into(),
            outside: Outside::default(),
            check_overflow: false,
            check_leaks: false,
            check_escapes: false,
            check_alignment: false,
            check_null_offsets: false,
            check_termination: false,
            check_allocations: false,
            uninit: Uninit::Fault,
            loops: Loops::Classic,
            prove: Prove::Never,
            on_demand: None,
            same_as: None,
            contract: None,
            malloc_may_fail: false,
            unknown_calls: UnknownCalls::Stop,
            inline_depth: None,
            loop_rounds: None,
            callers: Callers::Any,
            handlers: HandlerOptions::default(),
            minimise: false,
            given: None,
            seeds: Vec::new(),
            save_every: None,
            resume: None,
            known: Vec::new(),
            halt: Halt::new(),
            progress: Arc::default(),
            native_helper: Vec::new(),
            collect_always: false,
            check_points_to: false,
        }
    }
}

/// A test that is run as it is.
#[derive(Clone, Debug, Default)]
pub struct GivenTest {
    pub inputs: SeedTest,
    /// Which of the allocations that the program's own code asks for fail, from 0.
    pub failing_allocations: Vec<u32>,
}

/// What happens at the call of a function of which nothing is known.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnknownCalls {
    /// The path ends there.
    Stop,
    /// It returns anything, and everything that it can reach holds anything.
    Havoc,
    /// It returns anything, and changes nothing.
    Return,
}

impl UnknownCalls {
    pub const ALL: [(&'static str, &'static str, UnknownCalls); 3] = [
        ("stop", "the path ends there", UnknownCalls::Stop),
        (
            "havoc",
            "it returns anything, and what it can reach holds anything then",
            UnknownCalls::Havoc,
        ),
        (
            "return",
            "it returns anything and changes nothing",
            UnknownCalls::Return,
        ),
    ];
}

/// Who calls a function that is run alone.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Callers {
    Any,
    /// Only those that keep to what the function leaves unsaid: no null where it does not test for null, no number
    /// beyond what it can take where it does not bound it, nothing that its assertions exclude.
    Usual,
}

/// What a function that is run alone is given.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OnDemand {
    /// How many objects deep structures are.
    pub depth: u32,
    /// The most elements of an object that a pointer to a scalar refers to.
    pub elements: u64,
    pub globals: Globals,
    pub aliases: Aliases,
}

/// What the global variables hold that a function finds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Globals {
    /// Anything.
    Any,
    /// What they were initialised with.
    Initial,
}

/// What else a pointer of which nothing is known may refer to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Aliases {
    /// Objects of the same type that are there already.
    SameType,
    /// The same; and what arguments point to may overlap: one begins inside another, or has other elements.
    Overlapping,
    /// Nothing: every pointer has an object of its own.
    Never,
}

/// When proofs are tried.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Prove {
    Never,
    /// When a path has made so many decisions that a loop may have no bound.
    Deep,
    Soon,
}

/// What happens when a program uses unwritten memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Uninit {
    /// It is an error.
    Fault,
    /// It gets any value, as in SV-COMP.
    Any,
}

/// How to execute loops whose number of iterations depends on inputs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Loops {
    /// One path for each number of iterations.
    Classic,
    /// Where the variables change regularly, one path for all.
    Compact,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Search {
    Dfs,
    Bfs,
    RandomPath,
    CoverageNew,
    /// Random paths, new coverage and depth first in turn.
    Default,
}

impl Search {
    pub const ALL: [(&'static str, Search); 5] = [
        ("default", Search::Default),
        ("dfs", Search::Dfs),
        ("bfs", Search::Bfs),
        ("random-path", Search::RandomPath),
        ("coverage-new", Search::CoverageNew),
    ];
}

/// When to ask the solver whether a side of a fork is possible that the state's own inputs do not follow.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sides {
    /// At the fork.
    Eager,
    /// At the fork if that does not take long, otherwise when other paths have had their turn.
    Mixed,
    /// At the fork if no solver is needed.
    Lazy,
}

impl Sides {
    pub const ALL: [(&'static str, &'static str, Sides); 3] = [
        ("eager", "at the fork", Sides::Eager),
        (
            "mixed",
            "at the fork if that does not take long, otherwise later",
            Sides::Mixed,
        ),
        ("lazy", "later, unless no solver is needed", Sides::Lazy),
    ];
}

/// What happens to a symbolic size (thesis §5.4.1).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// Its greatest possible value up to the capacity, and no other: *Base*.
    Max,
    /// One path for each of its values: *ForkEager*.
    Eager,
    /// It stays a term; paths fork where something depends on it: *ForkLazy*.
    Symbolic,
}

impl Sizes {
    pub const ALL: [(&'static str, &'static str, Sizes); 3] = [
        ("max", "its greatest value up to the capacity, and no other", Sizes::Max),
        ("eager", "one path for each of its values", Sizes::Eager),
        ("symbolic", "it stays symbolic", Sizes::Symbolic),
    ];
}
