//! State merging (thesis chapter 5): paths that fork inside a loop are merged where they leave it.
//!
//! A *context* begins where a path forks inside a loop that is a candidate, where the program says so
//! (`klee_open_merge`), or at a call of a function that the user has named. Its states run until each has left the
//! loop, and wait there; a liveness counter says how many still run (Algorithm 3). Then those that left by the same
//! exit are merged (`join.rs`). A state that ends inside is a lost child in the execution tree (`tree.rs`). Contexts
//! nest: what leaves an inner one becomes children in the tree of the outer.
//!
//! A context with too many states is given up: those that wait are merged, the others continue alone, and that is
//! counted. So is, under `--merge auto`, one that takes too long, since all other states wait for it.

mod check;
mod context;
mod episode;
mod expect;
mod join;
mod patterns;
mod region;
mod rounds;
mod tree;

pub use context::Merging;
pub(crate) use context::{Member, Root};
pub use region::Watch;

use mneme_program::FunctionId;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The part of a state that concerns merging.
#[derive(Clone, Default)]
pub struct Standing {
    /// Where it is among states that are to be merged.
    pub member: Option<Member>,
    /// It waits for others, because the program says so.
    pub waits: bool,
    /// How often the path was merged by a pattern: a number for the next.
    pub patterns: u32,
    /// Loops in which too many states waited for each other.
    pub crowded: Rc<BTreeSet<(FunctionId, u32)>>,
}

/// How a run merges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeOptions {
    pub mode: Mode,
    pub loops: Candidates,
    /// The states of a call of one of these functions are merged when it returns.
    pub at: Vec<String>,
    /// How many states a context may have.
    pub most_states: usize,
    /// Merge states that do not differ at the start of every round of a loop.
    pub incremental: bool,
    /// Check every merge against its members.
    pub paranoid: bool,
}

impl Default for MergeOptions {
    fn default() -> Self {
        MergeOptions {
            mode: Mode::Auto,
            loops: Candidates::Inputs,
            at: Vec::new(),
            most_states: 256,
            incremental: true,
            paranoid: false,
        }
    }
}

impl MergeOptions {
    fn encoding(&self) -> Encoding {
        match self.mode {
            Mode::Loops => Encoding::Plain,
            Mode::None | Mode::Tree | Mode::Patterns | Mode::Auto => Encoding::Tree,
        }
    }
}

/// Which loops merge their paths, and how the result is encoded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    None,
    Loops,
    Tree,
    /// By patterns of paths, and the rest like this.
    Patterns,
    /// The same, where it is expected to pay.
    Auto,
}

impl Mode {
    pub const ALL: [(&'static str, &'static str, Mode); 5] = [
        ("none", "every path stays alone", Mode::None),
        ("loops", "paths of a loop become one, as a disjunction", Mode::Loops),
        ("tree", "the same, written as the tree in which they forked", Mode::Tree),
        (
            "patterns",
            "paths that are the same but for numbers become one, with a quantified condition; the others as with `tree`",
            Mode::Patterns,
        ),
        (
            "auto",
            "the same, for paths whose differences decide nothing later",
            Mode::Auto,
        ),
    ];
}

/// Which forks make a loop a candidate.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Candidates {
    /// Those that depend on the size of an object.
    Sizes,
    /// Those that depend on an input.
    Inputs,
    All,
}

impl Candidates {
    pub const ALL: [(&'static str, &'static str, Candidates); 3] = [
        ("sizes", "loops that depend on a symbolic size", Candidates::Sizes),
        ("inputs", "loops that depend on an input", Candidates::Inputs),
        ("all", "every loop in which paths fork", Candidates::All),
    ];
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Encoding {
    /// A disjunction of path conditions, and chains of if-then-else over them.
    Plain,
    /// Algorithms 5 and 6.
    Tree,
}
