//! The engine: states, stepping, forking, searching. It knows the `Heap` and the `Model` trait, and no particular
//! model.
//!
//! - [`worker`]: one thread with its terms and solver. [`explore`](mod@explore): its loop over states, and the limits.
//!   `start`: the first state. `asking`: conditions and values. `endings`: the tests that paths leave.
//! - [`fast`]: concrete instructions in one loop. `step`: every instruction in full generality.
//! - [`commit`]: the only place that makes states. `then`: what happens after an outcome.
//! - `handlers`: accesses that are served by C code. `library`: functions without a body. [`native`]: calls in a helper
//!   process.

mod addresses;
mod asking;
pub mod chosen;
mod commit;
mod concrete;
mod coverage;
mod demand;
mod endings;
mod endless;
mod escapes;
mod explain;
mod explore;
mod fast;
mod fault;
mod frontier;
mod halt;
mod handlers;
mod hooks;
mod image;
mod inputs;
mod leaks;
mod library;
mod loops;
mod merge;
mod native;
mod observer;
mod options;
mod outside;
mod path;
mod plain;
mod progress;
mod prove;
mod referent;
mod search;
mod seeds;
mod sessions;
mod shortest;
mod soft_float;
mod start;
mod state;
mod static_check;
mod stats;
mod step;
pub mod testing;
mod then;
mod trail;
mod undefined;
mod unfinished;
mod waiting;
mod worker;

pub use explore::{processor_time, resident_bytes};
pub use frontier::{Figures, Frontier, Tree};
pub use halt::{Cause, Halt};
pub use handlers::{HandlerError, HandlerOptions};
pub use merge::{Candidates, MergeOptions, Mode};
pub use native::serve_native_calls;
pub use observer::{Future, Novelty, Observer, Printed, Silent, TestCase};
pub use options::{
    Aliases, Callers, DEFAULT_CALLS, DEFAULT_STACK, GivenTest, Globals, Loops, OnDemand, Options, Prove, Search, Sides,
    Sizes, Uninit, UnknownCalls,
};
pub use outside::Outside;
pub use progress::Progress;
pub use seeds::SeedTest;
pub use stats::Stats;
pub use trail::{Choice, Decision, Trail};

use mneme_memory::Model;
use mneme_program::Program;
use mneme_solver::Solver;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("the program's global variables do not fit the address space of its target")]
    GlobalsTooLarge,
    #[error("`{function}` cannot be run alone: {why}")]
    NotAlone { function: String, why: &'static str },
    #[error(
        "`{other}` cannot be compared with `{function}`: the program has to define it, with the same parameters and result"
    )]
    NotAlike { function: String, other: String },
    #[error("the contract defines no `{contract}` that takes what `{function}` takes and returns nothing")]
    NoContract { function: String, contract: String },
    #[error(transparent)]
    Handler(#[from] HandlerError),
}

/// Explores `program` with memory model `M`, whose own options are `model`.
pub fn explore<M: Model>(
    program: &Program,
    options: &Options,
    model: &M::Options,
    solver: Box<dyn Solver>,
    observer: &mut dyn Observer,
) -> Result<Stats, EngineError> {
    if options.on_demand.is_some() {
        demand::can_be_alone(program, options)?;
    }
    let (mut worker, first) = worker::Worker::<M>::new(program, options, model, solver, observer)?;
    worker.explore(first);
    Ok(worker.stats)
}
