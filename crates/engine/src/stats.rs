//! Numbers of a run.

use mneme_memory::Counters;
use mneme_solver::StageStats;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub completed: u64,
    pub faulted: u64,
    pub stopped: u64,
    pub stop_reasons: BTreeMap<String, u64>,
    /// Paths whose inputs the harness excludes (`assume`).
    pub excluded: u64,
    /// Values that had to be numbers: other values were lost.
    pub concretised: u64,
    /// Symbolic sizes that were given their greatest value.
    pub sizes_fixed: u64,
    pub instructions: u64,
    /// Of these, executed in the general way.
    pub slow_steps: u64,
    pub forks: u64,
    pub states_peak: u64,
    pub collections: u64,
    pub covered_instructions: u64,
    /// Lines with code of the program's own functions, by index of the file, and whether they were reached.
    pub lines: BTreeMap<(u32, u32), bool>,
    /// The program's own functions that were entered, by index.
    pub entered: Vec<u32>,
    pub exit_values: BTreeMap<u32, u64>,
    pub explore: Duration,
    pub solver: Duration,
    pub stages: Vec<StageStats>,
    pub counters: Counters,
}

impl Stats {
    /// Nothing was lost: no stop, no concretisation, no cut.
    pub fn exact(&self) -> bool {
        self.stopped == 0 && self.concretised == 0 && self.sizes_fixed == 0
    }
}
