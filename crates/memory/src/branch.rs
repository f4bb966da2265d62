//! What can happen when memory is used: the result of every operation.
//!
//! Three kinds of trouble are never mixed: a [`Fault`] is the analysed program's error and our product; a [`Reason`]
//! says why a path cannot continue (counted as incompleteness); errors of Mneme itself are neither.

use crate::{Heap, Model};
use mneme_solver::Unknown;
use mneme_term::{BaseId, TermId};
use smallvec::SmallVec;
use std::fmt;

/// One possible outcome. The guards of an operation's branches are disjoint and cover the path.
#[derive(Debug, Clone)]
pub struct Branch<M: Model, T> {
    pub guard: TermId,
    /// What is known of symbols that the operation has just made, for all inputs: for instance, that one is below a
    /// bound.
    pub facts: Option<TermId>,
    pub memory: Heap<M>,
    pub end: End<T>,
}

/// All possible outcomes. Their order means nothing: a caller takes the only one ([`Branches::sole`]) or decides
/// between all by their guards.
#[derive(Debug, Clone)]
pub struct Branches<M: Model, T>(SmallVec<[Branch<M, T>; 1]>);

impl<M: Model, T> Branches<M, T> {
    pub fn new() -> Self {
        Branches(SmallVec::new())
    }

    pub fn push(&mut self, branch: Branch<M, T>) {
        self.0.push(branch);
    }

    /// The only possible outcome. `None`: there are several.
    pub fn sole(self) -> Option<Branch<M, T>> {
        let mut branches = self.0;
        branches.pop().filter(|_| branches.is_empty())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Branch<M, T>> {
        self.0.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Branch<M, T>> {
        self.0.iter_mut()
    }
}

impl<M: Model, T> Default for Branches<M, T> {
    fn default() -> Self {
        Branches::new()
    }
}

impl<M: Model, T> IntoIterator for Branches<M, T> {
    type Item = Branch<M, T>;
    type IntoIter = smallvec::IntoIter<[Branch<M, T>; 1]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, M: Model, T> IntoIterator for &'a Branches<M, T> {
    type Item = &'a Branch<M, T>;
    type IntoIter = std::slice::Iter<'a, Branch<M, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<M: Model, T> FromIterator<Branch<M, T>> for Branches<M, T> {
    fn from_iter<I: IntoIterator<Item = Branch<M, T>>>(branches: I) -> Self {
        Branches(branches.into_iter().collect())
    }
}

impl<M: Model, T> Extend<Branch<M, T>> for Branches<M, T> {
    fn extend<I: IntoIterator<Item = Branch<M, T>>>(&mut self, branches: I) {
        self.0.extend(branches);
    }
}

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
    /// A construct of the language or library, by name, with its location.
    Unsupported(String),
    /// A limit set by the user.
    Limit(&'static str),
    /// Memory beyond what an object of unknown size was given.
    Capacity,
    /// A loop that comes back to where it was.
    Endless,
    /// A path of an earlier run no longer behaves as it did.
    Changed,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reason::Solver(unknown) => write!(f, "solver: {unknown}"),
            Reason::Unsupported(what) => write!(f, "unsupported: {what}"),
            Reason::Limit(what) => write!(f, "limit: {what}"),
            Reason::Changed => write!(f, "a saved path does not run as it did"),
            Reason::Endless => write!(f, "a loop comes back to where it was and never ends"),
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
    /// The offset in it (or the plain address), pointer width.
    pub offset: TermId,
    /// How many bytes were accessed, pointer width; `None` for `free`.
    pub len: Option<TermId>,
}
