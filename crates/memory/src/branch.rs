//! What can happen when memory is used: the answer of every operation.
//!
//! Three kinds of trouble are never mixed: a [`Fault`] is the analysed program's error and our product; a [`Reason`] says why a path
//! cannot go on (counted as incompleteness); errors of Mneme itself are neither.

use mneme_solver::Unknown;
use mneme_term::{BaseId, TermId};
use smallvec::SmallVec;
use std::fmt;

/// One thing that can happen. The guards of an operation's branches are disjoint and cover the path.
#[derive(Debug, Clone)]
pub struct Branch<M, T> {
    pub guard: TermId,
    pub memory: M,
    pub end: End<T>,
}

pub type Branches<M, T> = SmallVec<[Branch<M, T>; 1]>;

#[derive(Debug, Clone, PartialEq)]
pub enum End<T> {
    Done(T),
    Fault(Fault),
    Stop(Reason),
}

/// Why a path cannot be continued.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    Solver(Unknown),
    /// A construct of the language or library, by name, with its place.
    Unsupported(String),
    /// A limit the user set.
    Limit(&'static str),
    /// Memory beyond what an object of unknown size is given.
    Capacity,
    /// A loop that does nothing.
    Endless,
    /// A path of an earlier run does not run as it did.
    Changed,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::Solver(unknown) => write!(f, "solver: {unknown}"),
            Reason::Unsupported(what) => write!(f, "unsupported: {what}"),
            Reason::Limit(what) => write!(f, "limit: {what}"),
            Reason::Changed => write!(f, "a saved path does not run as it did"),
            Reason::Endless => write!(f, "a loop that does nothing never ends"),
            Reason::Capacity => write!(f, "an allocation larger than the capacity"),
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    Read,
    Write,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    OutOfBounds(AccessKind),
    Null(AccessKind),
    Wild(AccessKind),
    UseAfterFree(AccessKind),
    UseAfterReturn(AccessKind),
    UseAfterScope(AccessKind),
    /// The program has declared the bytes out of bounds.
    Poisoned(AccessKind),
    WriteToConstant,
    DoubleFree,
    InvalidFree,
}

/// An error of the analysed program in its use of memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The object the pointer belongs to, if it belongs to one.
    pub base: Option<BaseId>,
    /// Where in it (or which plain address), pointer width.
    pub offset: TermId,
    /// How many bytes were accessed, pointer width; `None` for `free`.
    pub len: Option<TermId>,
}
