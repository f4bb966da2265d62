//! The options of a run.

use crate::frontier::Frontier;
use crate::halt::Halt;
use crate::merge::MergeOptions;
use crate::progress::Progress;
use crate::seeds::SeedTest;
use mneme_finding::Finding;
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
    pub seed: u64,
    /// When exploring ends.
    pub deadline: Option<Instant>,
    /// Bytes of resident memory.
    pub max_memory: Option<u64>,
    pub max_states: Option<usize>,
    pub max_instructions: Option<u64>,
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
    pub tables: Tables,
    pub merge: MergeOptions,
    /// `argv` without the program's name.
    pub args: Vec<String>,
    pub program_name: String,
    /// Report signed overflow.
    pub check_overflow: bool,
    /// Report memory leaks.
    pub check_leaks: bool,
    pub uninit: Uninit,
    pub loops: Loops,
    /// Every allocation may also fail.
    pub malloc_may_fail: bool,
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
            seed: 0,
            deadline: None,
            max_memory: None,
            max_states: None,
            max_instructions: None,
            max_depth: None,
            solver_timeout: Some(Duration::from_secs(30)),
            max_calls: DEFAULT_CALLS,
            max_stack: DEFAULT_STACK,
            sizes: Sizes::Symbolic,
            capacity: 4096,
            tables: Tables::On,
            merge: MergeOptions::default(),
            args: Vec::new(),
            program_name: "program".into(),
            check_overflow: false,
            check_leaks: false,
            uninit: Uninit::Fault,
            loops: Loops::Classic,
            malloc_may_fail: false,
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
    /// Random paths and new coverage in turn.
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

/// How an object of known contents is read at a symbolic offset.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Tables {
    /// As a table of whole entries.
    On,
    /// As an array with a write for each entry: what most engines do, for comparison.
    Off,
}
