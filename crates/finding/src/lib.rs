//! What a run finds and counts, as plain data: the vocabulary shared by the engine, the reports and the command line.
//!
//! Everything here can be written and read back. Deliberately absent: how something is found, and how it is shown.

mod access;
mod call;
mod confirmation;
mod finding;
mod identity;
mod rows;
mod rule;
mod stats;

pub use access::{Access, AccessKind, Object, ObjectKind, Outside, Side};
pub use call::{Argument, Assumption, Call, Given, Home, Kind, Passed, Target};
pub use confirmation::Confirmation;
pub use finding::{Finding, Frame, Input, Location, Note, Step, Way};
pub use identity::{BaselineState, Identity};
pub use rows::Rows;
pub use rule::{Level, Rule, UnknownRule};
pub use stats::{
    Accesses, Confirmations, Coverage, Invariant, Loops, Memory, Merging, Paths, Proof, Queries, Stage, States, Stats,
    StillReachable, Time,
};
