//! Numbers of a run.

use crate::coverage::Coverage;
use mneme_finding::{Accesses, Loops, Merging, Paths, Proof, Stage, StillReachable};
use mneme_memory::Counters;
use mneme_program::Program;
use std::collections::BTreeMap;
use std::time::Duration;

/// Why a run is less than exact in which other values of a path were lost.
pub(crate) const ONE_NUMBER: &str = "a symbolic value or an address had to be one number";

/// What the engine counts while it works. What it shares with the reports has the types of `finding`.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// How often the run was begun or resumed.
    pub sessions: u64,
    pub paths: Paths,
    /// Values and addresses that had to be concrete: other values were lost.
    pub concretised: u64,
    /// Symbolic sizes that were given their greatest value.
    pub sizes_fixed: u64,
    /// Inputs that a seed test did not give, or gave with another size.
    pub seed_gaps: u64,
    /// What was executed in a simpler way than the program says, and how often.
    pub approximated: BTreeMap<&'static str, u64>,
    /// Symbolic inputs, over all paths.
    pub inputs: u64,
    /// Sources of inputs that the program looked at and that were not symbolic, each with the option that would make
    /// it so, and how often.
    pub concrete: BTreeMap<(String, String), u64>,
    pub instructions: u64,
    /// Of these, executed in the general way.
    pub slow_steps: u64,
    /// Loads and stores of the others.
    pub fast_loads: u64,
    pub fast_stores: u64,
    pub forks: u64,
    pub loops: Loops,
    /// What proves that nothing is left to find.
    pub proof: Option<Proof>,
    pub states_peak: u64,
    pub collections: u64,
    pub covered_instructions: u64,
    /// Lines with code of the program's own functions, by index of the file, and whether they were reached.
    pub lines: BTreeMap<(u32, u32), bool>,
    /// The program's own functions that were entered, by index.
    pub entered: Vec<u32>,
    pub exit_values: BTreeMap<u32, u64>,
    /// The most that a completed path left on the heap and still referred to, if leaks are checked.
    pub still_reachable: StillReachable,
    pub explore: Duration,
    pub solver: Duration,
    pub stages: Vec<Stage>,
    pub merging: Merging,
    pub accesses: Accesses,
    pub counters: Counters,
    /// Blocks and edges of the user's program that a given test reaches.
    pub places: Vec<u32>,
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

    /// Counts a path that could not continue.
    pub fn stop(&mut self, reason: String, paths: u64) {
        self.paths.stopped += paths;
        *self.paths.stop_reasons.entry(reason).or_default() += paths;
    }

    pub fn loop_tried_in_vain(&mut self, why: &'static str) {
        *self.loops.executed.entry(why.into()).or_default() += 1;
    }

    /// Nothing was lost: no stop, no concretisation, no cut, no source of inputs that stayed concrete.
    pub fn exact(&self) -> bool {
        let complete = self.paths.stopped == 0
            && self.concretised == 0
            && self.sizes_fixed == 0
            && self.accesses.narrowed == 0
            && self.accesses.invented == 0;
        (complete || self.proof.is_some()) && self.concrete.is_empty() && self.approximated.is_empty()
    }

    /// Why the run is less than exact, with counts.
    pub fn inexact(&self) -> BTreeMap<String, u64> {
        let mut reasons = BTreeMap::new();
        if self.proof.is_none() {
            self.lost(&mut reasons);
        }
        let approximated = self.approximated.iter();
        reasons.extend(approximated.map(|(&what, &count)| (what.into(), count)));
        let concrete = self.concrete.iter();
        reasons.extend(concrete.map(|((what, option), &count)| (format!("{what} stayed concrete ({option})"), count)));
        reasons
    }

    fn lost(&self, reasons: &mut BTreeMap<String, u64>) {
        reasons.clone_from(&self.paths.stop_reasons);
        for (reason, count) in [
            (ONE_NUMBER, self.concretised),
            ("a symbolic size was given its greatest value", self.sizes_fixed),
            ("a handler left out some of what was possible", self.accesses.narrowed),
            ("a handler made up values", self.accesses.invented),
        ] {
            if count > 0 {
                reasons.insert(reason.into(), count);
            }
        }
    }
}
