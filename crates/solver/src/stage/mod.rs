//! The stages above the backend, one file each, in the order of the chain.

mod agnostic;
mod canonical;
mod canonical_cache;
mod components;
mod differences;
mod domains;
mod elements;
mod equalities;
mod independence;
mod kept;
mod log;
mod lowering;
mod nearby;
mod own_assignment;
mod paranoid;
mod quantified;
mod recent;
mod refuted;
mod statistics;
mod trivial;

pub use agnostic::{Looks, looks, ordered};
pub use canonical::Cache;
pub use canonical_cache::CanonicalCache;
pub use components::Components;
pub use differences::Differences;
pub use domains::Domains;
pub use elements::Elements;
pub use equalities::Equalities;
pub use independence::Independence;
pub use kept::Kept;
pub use log::Log;
pub use lowering::Lowering;
pub(crate) use lowering::lower;
pub use nearby::Nearby;
pub use own_assignment::OwnAssignment;
pub use paranoid::{Alarm, Difference, Paranoid};
pub use quantified::{Instances, Quantified};
pub use recent::Recent;
pub use refuted::Refuted;
pub use statistics::Statistics;
pub use trivial::Trivial;

use crate::Solver;

/// The stage below.
pub type Next = Box<dyn Solver>;

#[cfg(test)]
mod tests;
