//! What other threads may know of a run while it works: for a progress line, and for writing the results of a run that
//! hangs.

use crate::coverage::Coverage;
use crate::stats::Stats;
use mneme_program::Program;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Path counts are those of the last path that ended; instructions and times are a moment old.
#[derive(Debug, Default)]
pub struct Progress {
    stats: Mutex<Stats>,
    states: AtomicU64,
    coverage: OnceLock<Coverage>,
}

impl Progress {
    /// The figures so far. The lines reached are not among them: see [`Progress::closing`].
    pub fn stats(&self) -> Stats {
        self.lock().clone()
    }

    /// States alive.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// Instructions of the program that were reached, and all.
    pub fn covered(&self, program: &Program) -> (u64, u64) {
        let coverage = self.coverage.get();
        (
            coverage.map_or(0, |coverage| coverage.instructions(program)),
            program.instructions as u64,
        )
    }

    /// How many places of the program were reached.
    pub fn reached(&self) -> usize {
        self.coverage.get().map_or(0, Coverage::count)
    }

    /// The figures so far, with what was reached: the same as if the run ended now.
    pub fn closing(&self, program: &Program) -> Stats {
        let mut stats = self.stats();
        if let Some(coverage) = self.coverage.get() {
            stats.reached(program, coverage);
        }
        stats
    }

    pub(crate) fn watch(&self, coverage: &Coverage) {
        let _ = self.coverage.set(coverage.clone());
    }

    pub(crate) fn publish(&self, stats: &Stats) {
        self.lock().clone_from(stats);
    }

    pub(crate) fn alive(&self, states: usize) {
        self.states.store(states as u64, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Stats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
