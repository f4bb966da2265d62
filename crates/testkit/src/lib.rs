//! What tests of more than one crate share: the runner of the C corpus, and the [laws] of memory models.
//!
//! A program of the corpus carries its expectations in comments ([`Spec`]); [`run`] explores it with the `mneme`
//! binary, as a user would; [`check`] compares the outcome. The syntax is described in `CONTRIBUTING.md`.

mod check;
mod corpus;
mod directive;
pub mod example;
pub mod laws;
mod outcome;
mod scope;
mod spec;

pub use check::check;
pub use corpus::{CorpusError, Program, locate_mneme, models, programs};
pub use outcome::{Found, Outcome, RunError, run};
pub use scope::{Scope, Setting};
pub use spec::{Bound, Expected, Run, Spec, SpecError};
