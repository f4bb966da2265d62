//! The chain, from top to bottom. A query that need not be asked is not asked.

use std::path::PathBuf;

use crate::backend::{Portfolio, Process, Z3};
use crate::stage::{
    Alarm, Cache, CanonicalCache, Components, Differences, Domains, Elements, Equalities, Independence, Instances,
    Kept, Log, Lowering, Nearby, OwnAssignment, Paranoid, Quantified, Recent, Refuted, Statistics, Trivial,
};
use crate::{Interrupt, Solver, SolverError};

/// The backend that decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// CaDiCaL, with Z3 for queries that do not suit SAT or are too hard for it; both linked in.
    #[default]
    Portfolio,
    /// Z3 alone, linked in.
    Z3,
    /// A command that speaks SMT-LIB 2 on its standard input and output, such as `z3 -in` or `cvc5`.
    Process(String),
}

#[derive(Clone, Debug)]
pub struct ChainOptions {
    pub backend: BackendChoice,
    /// A directory for the queries that reach the backend, one numbered `.smt2` file each.
    pub log_queries: Option<PathBuf>,
    /// How answers are remembered; `None` for not at all.
    pub cache: Option<Cache>,
    /// Whether quantified queries go through the procedure for them before a backend sees their quantifiers.
    pub quantifier_procedure: bool,
    /// A directory for answers that outlive the run.
    pub cache_dir: Option<PathBuf>,
    /// Compares every answer with the backend's, and reports the first difference here.
    pub paranoid: Option<Alarm>,
    /// Makes the backend give up. Keep a clone.
    pub interrupt: Interrupt,
}

impl Default for ChainOptions {
    fn default() -> Self {
        ChainOptions {
            backend: BackendChoice::default(),
            log_queries: None,
            cache: Some(Cache::default()),
            quantifier_procedure: true,
            cache_dir: None,
            paranoid: None,
            interrupt: Interrupt::new(),
        }
    }
}

fn backend(options: &ChainOptions) -> Result<Box<dyn Solver>, SolverError> {
    let interrupt = &options.interrupt;
    Ok(match &options.backend {
        BackendChoice::Portfolio => Box::new(Portfolio::new(interrupt.clone())),
        BackendChoice::Z3 => Box::new(Z3::new(interrupt.clone())),
        BackendChoice::Process(command) => Box::new(Process::start(command, interrupt.clone())?),
    })
}

/// The answers of other runs, if requested.
fn kept(options: &ChainOptions) -> Result<Option<Kept>, SolverError> {
    let Some(directory) = &options.cache_dir else {
        return Ok(None);
    };
    let who = format!("{:?}, Z3 {}", options.backend, Z3::version());
    let kept = Kept::open(directory, &who);
    kept.map(Some).map_err(|source| SolverError::CacheDirectory {
        directory: directory.clone(),
        source,
    })
}

/// The solver that a worker asks.
pub fn chain(options: &ChainOptions) -> Result<Box<dyn Solver>, SolverError> {
    let interrupt = &options.interrupt;
    let mut solver = backend(options)?;
    if let Some(directory) = &options.log_queries {
        solver = Box::new(Log::new(solver, directory)?);
    }
    if options.quantifier_procedure {
        solver = Box::new(Instances::new(solver));
        solver = Box::new(Quantified::new(solver));
    }
    solver = Box::new(Lowering::new(solver));
    if let Some(kind) = options.cache {
        solver = match kept(options)? {
            Some(kept) => Box::new(CanonicalCache::keeping(solver, kind, kept)),
            None => Box::new(CanonicalCache::new(solver, kind)),
        };
        solver = Box::new(Refuted::new(solver));
        solver = Box::new(Recent::new(solver));
    }
    solver = Box::new(Domains::new(solver, "domains of components"));
    solver = Box::new(Components::new(solver));
    solver = Box::new(Equalities::new(solver));
    // This early, because substitution costs more than most such queries.
    solver = Box::new(Differences::new(solver));
    solver = Box::new(Domains::new(solver, "domains"));
    solver = Box::new(Elements::new(solver));
    if let Some(alarm) = &options.paranoid {
        let reference = Box::new(Lowering::new(backend(options)?));
        solver = Box::new(Paranoid::new(solver, reference, alarm.clone(), interrupt.clone()));
    }
    solver = Box::new(Independence::new(solver));
    solver = Box::new(Nearby::new(solver));
    solver = Box::new(OwnAssignment::new(solver));
    solver = Box::new(Trivial::new(solver));
    Ok(Box::new(Statistics::new(solver, interrupt.clone())))
}
