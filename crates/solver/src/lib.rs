//! The solver chain of Mneme: queries over terms, and what answers them.
//!
//! A [`Query`] asks whether a goal can hold under the assumptions of a path; an [`Answer`] is an assignment, or says
//! that there is none, or that the answer is unknown and [why](Unknown). Everything that answers is a [`Solver`]: the
//! backends, and the stages above them, each one file, each a decorator. [`chain`] puts them together.
//!
//! Invariants:
//! - `Sat` always comes with an assignment that was evaluated on the clauses; if a solver gets that wrong, the answer
//!   is `Unknown::Failed`.
//! - `Unsat` comes from a backend, from simplification, or from an earlier `Unsat` of the same or fewer clauses.
//! - Stages above [`Lowering`](stage::Lowering) see bases; backends never do.
//! - Term ids are reused after a collection: what a stage remembers by term is marked by `trace`, or forgotten.
//!
//! Deliberately absent: program state (the caller supplies assumptions and a table of bases), and any global.

mod backend;
mod chain;
mod error;
mod footprint;
pub use footprint::depends_only_on;
mod ground;
mod interrupt;
mod intervals;
mod path;
mod query;
mod solver;
pub mod stage;
#[cfg(test)]
mod testing;

pub use backend::{Atom, Choice, Portfolio, Process, Sat, Separation, Simplifier, Spatial, Z3, parse_values};
pub use chain::{BackendChoice, ChainOptions, chain};
pub use error::SolverError;
pub use interrupt::Interrupt;
pub use mneme_finding::Stage;
pub use path::PathCondition;
pub use query::{Answer, BaseTable, Budget, Extent, NoBases, Patience, Query, Unknown};
pub use solver::Solver;
pub use stage::{Alarm, Cache, Difference, Looks, looks, ordered};
