//! Numbers of a run.

use crate::coverage::Coverage;
use mneme_memory::Counters;
use mneme_program::Program;
use mneme_solver::StageStats;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Heap blocks that are left when a program ends.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Reachable {
    pub bytes: u64,
    pub blocks: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// How often the run was begun or resumed.
    pub sessions: u64,
    pub completed: u64,
    pub faulted: u64,
    pub stopped: u64,
    pub stop_reasons: BTreeMap<String, u64>,
    /// Paths whose inputs the harness excludes (`assume`).
    pub excluded: u64,
    /// Values and addresses that had to be numbers: other values were lost.
    pub concretised: u64,
    /// Symbolic sizes that were given their greatest value.
    pub sizes_fixed: u64,
    /// Inputs that a seed test did not give, or gave with another size.
    pub seed_gaps: u64,
    pub instructions: u64,
    /// Of these, executed in the general way.
    pub slow_steps: u64,
    pub forks: u64,
    /// Loops that became one node.
    pub loops_summarised: u64,
    /// Loops that did not, by reason.
    pub loops_in_vain: BTreeMap<&'static str, u64>,
    pub states_peak: u64,
    pub collections: u64,
    pub covered_instructions: u64,
    /// Lines with code of the program's own functions, by index of the file, and whether they were reached.
    pub lines: BTreeMap<(u32, u32), bool>,
    /// The program's own functions that were entered, by index.
    pub entered: Vec<u32>,
    pub exit_values: BTreeMap<u32, u64>,
    /// The most that a completed path left on the heap with something referring to it, if leaks are looked for.
    pub still_reachable: Reachable,
    pub explore: Duration,
    pub solver: Duration,
    pub stages: Vec<StageStats>,
    pub merging: MergeStats,
    pub counters: Counters,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MergeStats {
    /// Contexts that were opened, and those that were given up.
    pub contexts: u64,
    pub given_up: u64,
    /// How often states became one, and how many.
    pub merges: u64,
    pub states: u64,
    /// How often states did not become one, and why.
    pub kept_apart: BTreeMap<String, u64>,
    /// Sizes of merged constraints and values, written out.
    pub constraints: u64,
    pub values: u64,
}

impl MergeStats {
    pub(crate) fn kept_apart(&mut self, why: &str) {
        *self.kept_apart.entry(why.into()).or_default() += 1;
    }
}

impl Stats {
    /// Adds which lines and functions were reached.
    pub(crate) fn reached(&mut self, program: &Program, coverage: &Coverage) {
        self.covered_instructions = coverage.instructions(program);
        for (index, function) in program
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| !function.runtime)
        {
            let reached = |block| coverage.is_reached(function, block);
            for block in &function.blocks {
                for loc in &function.locs[block.start as usize..block.end as usize] {
                    if loc.line > 0 && (loc.file as usize) < program.files.len() {
                        *self.lines.entry((loc.file, loc.line)).or_default() |= reached(block);
                    }
                }
            }
            if function.blocks.first().is_some_and(reached) {
                self.entered.push(index as u32);
            }
        }
    }

    /// Counts a path that could not go on.
    pub fn stop(&mut self, reason: String, paths: u64) {
        self.stopped += paths;
        *self.stop_reasons.entry(reason).or_default() += paths;
    }

    pub fn loop_tried_in_vain(&mut self, why: &'static str) {
        *self.loops_in_vain.entry(why).or_default() += 1;
    }

    /// Nothing was lost: no stop, no concretisation, no cut.
    pub fn exact(&self) -> bool {
        self.stopped == 0 && self.concretised == 0 && self.sizes_fixed == 0
    }
}
