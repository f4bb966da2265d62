//! What a run finds and counts, as plain data: the vocabulary shared by the engine, the reports and the command line.
//!
//! Everything here can be written and read back. Deliberately absent: how something is found, and how it is shown.

mod access;
mod confirmation;
mod finding;
mod identity;
mod rule;
mod stats;

pub use access::{Access, AccessKind, Object, ObjectKind, Outside, Side};
pub use confirmation::Confirmation;
pub use finding::{Finding, Frame, Input, Location, Note, Step};
pub use identity::{BaselineState, Identity};
pub use rule::{Level, Rule, UnknownRule};
pub use stats::{
    Asked, Confirmations, Coverage, Done, Loops, Memory, Merging, Operations, Paths, Queries, Resolution, Stage,
    States, Stats, StillReachable, Time,
};
