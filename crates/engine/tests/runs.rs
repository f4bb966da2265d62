//! Laws of runs, on random programs: a run that starts from seeds, and one that is cut short and resumed again and
//! again, take the same paths as a plain one.

mod common;

use common::{Exit, Heard, program, run, statement};
use mneme_engine::{MergeOptions, Mode, Options, Sides, Stats};
use proptest::prelude::*;
use std::time::Duration;

/// What has to agree. An exit code may depend on the inputs, which are examples.
fn figures(stats: &Stats) -> impl PartialEq + std::fmt::Debug + use<> {
    let ends = (stats.paths.completed, stats.paths.faulted, stats.paths.excluded);
    (ends, stats.paths.stop_reasons.clone(), stats.forks, stats.concretised)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seeds_and_resuming_and_when_sides_are_solved_change_nothing(
        statements in prop::collection::vec(statement(), 1..5),
        may_fail: bool,
        lazy: bool,
        share in 100..2000u64,
    ) {
        let program = program(&statements, Exit::Result);
        // A run that is cut while states wait for each other starts that again, and would never end with a small share.
        let merge = MergeOptions { mode: Mode::None, ..MergeOptions::default() };
        let options = Options { malloc_may_fail: may_fail, merge, sides: Sides::Eager, ..Options::default() };
        let mut plain = Heard::default();
        let expected = run(&program, &options, &mut plain);
        prop_assert!(plain.completed.values().all(|&times| times == 1));

        let sides = if lazy { Sides::Lazy } else { Sides::Mixed };
        let options = Options { sides, ..options };
        let mut seeded = Heard::default();
        let seeds = plain.tests.iter().step_by(2).cloned().collect();
        let stats = run(&program, &Options { seeds, ..options.clone() }, &mut seeded);
        prop_assert_eq!(figures(&stats), figures(&expected), "with seeds");
        prop_assert_eq!(&seeded.completed, &plain.completed, "with seeds");

        // A side that waits may count the instruction of its fork once more.
        let whole = run(&program, &options, &mut Heard::default());
        let mut pieces = Heard::default();
        let mut cut = Options {
            max_instructions: Some(share),
            save_every: Some(Duration::ZERO),
            ..options
        };
        let mut sessions = 0;
        let resumed = loop {
            let stats = run(&program, &cut, &mut pieces);
            if !stats.paths.stop_reasons.keys().any(|reason| reason.starts_with("limit: instructions")) {
                break stats;
            }
            cut.resume = pieces.saved.take();
            sessions += 1;
            prop_assert!(sessions < 2000, "it never ends");
        };
        prop_assert_eq!(figures(&resumed), figures(&expected), "in {} sessions", sessions + 1);
        prop_assert_eq!(&pieces.completed, &plain.completed, "in {} sessions", sessions + 1);
        prop_assert_eq!(resumed.instructions, whole.instructions);
    }
}
