//! The figures of a run and its coverage, as they are written.

use crate::cli::{Check, RunArgs};
use mneme_engine::Stats;
use mneme_finding::{Coverage, Memory, Queries, States, Time};
use mneme_program::Program;
use mneme_report::FileCoverage;
use std::collections::BTreeMap;
use std::time::Duration;

/// The figures of a run so far, as `stats.json` has them.
pub(super) fn report(args: &RunArgs, stats: &Stats, wall: Duration, program: Option<&Program>) -> mneme_finding::Stats {
    let exit_values = stats.exit_values.iter();
    let leaks = args.check.contains(&Check::Leaks);
    mneme_finding::Stats {
        model: args.model.clone(),
        sessions: stats.sessions,
        exact: stats.exact(),
        exact_reasons: stats.inexact(),
        paths: stats.paths.clone(),
        exit_values: exit_values.map(|(&code, &count)| (code as i32, count)).collect(),
        instructions: stats.instructions,
        forks: stats.forks,
        states: States {
            peak: stats.states_peak,
        },
        loops: stats.loops.clone(),
        proof: stats.proof.clone(),
        queries: Queries::of(&stats.stages),
        resolution: stats.counters.resolution.clone(),
        address_dependent: stats.counters.address_dependent,
        operations: stats.counters.operations.clone(),
        accesses: stats.accesses,
        merging: (stats.merging.contexts > 0).then(|| stats.merging.clone()),
        time: Time {
            wall_s: wall.as_secs_f64(),
            explore_s: stats.explore.as_secs_f64(),
            solver_s: stats.solver.as_secs_f64(),
        },
        memory: Memory {
            peak_bytes: peak_bytes(),
        },
        coverage: Coverage {
            instructions_covered: stats.covered_instructions,
            instructions_total: program.map_or(0, |program| program.instructions as u64),
        },
        still_reachable: leaks.then(|| stats.still_reachable.clone()),
        confirmations: None,
        options: options_in_force(args),
    }
}

fn options_in_force(args: &RunArgs) -> BTreeMap<String, String> {
    let loops = format!("{:?}", args.loops()).to_lowercase();
    let solver = args.solver.clone().unwrap_or_else(|| "cadical, z3".into());
    let mut options = BTreeMap::from([
        ("search", args.search.clone()),
        ("seed", args.seed.to_string()),
        ("sizes", args.sizes.clone()),
        ("loops", loops),
        ("merge", args.merge.clone()),
        ("capacity", args.capacity.to_string()),
        ("solver", solver),
        ("defines", args.compile.defines.join(" ")),
    ]);
    if let Some(seconds) = args.max_time {
        options.insert("max-time", seconds.to_string());
    }
    let own = args.chosen().in_force().into_iter();
    let own = own.map(|(name, value)| (name.trim_start_matches('-').to_owned(), value));
    let options = options.into_iter().map(|(name, value)| (name.to_owned(), value));
    options.chain(own).collect()
}

/// What was reached in each source file.
pub(super) fn coverage(stats: &Stats, program: &Program) -> String {
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    for (&(file, line), &reached) in &stats.lines {
        let file = files.entry(program.files[file as usize].clone()).or_default();
        file.lines.insert(line, reached);
    }
    for (index, function) in program.functions.iter().enumerate() {
        let Some(path) = program.files.get(function.loc.file as usize) else {
            continue;
        };
        if let Some(file) = files.get_mut(path)
            && !function.runtime
            && !function.is_declaration()
        {
            let name = function.source_name.clone().unwrap_or_else(|| function.name.clone());
            file.functions
                .push((name, function.loc.line, stats.entered.contains(&(index as u32))));
        }
    }
    mneme_report::lcov(&files)
}

/// The most memory this process has held.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
