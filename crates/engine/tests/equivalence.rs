//! Laws of merging and of compact loops, on random programs: fewer paths have the same results and the same findings.

mod common;

use common::{Exit, Heard, compile, program, run, statement};
use mneme_engine::{Candidates, Loops, MergeOptions, Mode, Options};
use mneme_program::Program;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// What a complete run says about a program. `None`: it was not complete.
#[derive(PartialEq, Debug)]
struct Said {
    results: BTreeSet<u32>,
    found: BTreeSet<(String, u32)>,
}

/// Also how many merges or summaries there were.
fn said(program: &Program, options: &Options) -> (Option<Said>, u64) {
    let deadline = Some(Instant::now() + Duration::from_secs(10));
    let mut heard = Heard::default();
    let stats = run(
        program,
        &Options {
            deadline,
            ..options.clone()
        },
        &mut heard,
    );
    let wrong = stats
        .paths
        .stop_reasons
        .keys()
        .find(|reason| reason.contains("internal"));
    assert_eq!(wrong, None);
    let said = Said {
        results: stats.exit_values.keys().copied().collect(),
        found: heard.found,
    };
    (
        stats.exact().then_some(said),
        stats.merging.merges + stats.loops.summarised,
    )
}

/// Both runs say the same about every program, where both are complete; `least` of them are, and did something.
fn agree<T: std::fmt::Debug>(
    cases: u32,
    least: u32,
    programs: impl Strategy<Value = T>,
    make: impl Fn(&T) -> (Program, [Options; 2]),
) {
    let compared = Cell::new(0);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&programs, |one| {
            let (program, [plain, other]) = make(&one);
            let (expected, _) = said(&program, &plain);
            let (actual, merged) = said(&program, &other);
            if let (Some(expected), Some(actual)) = (expected, actual) {
                prop_assert_eq!(actual, expected);
                compared.set(compared.get() + u32::from(merged > 0));
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(
        compared.get() >= least,
        "only {} programs were compared",
        compared.get()
    );
}

/// Every merged state is also compared with its members by the solver (`paranoid`): condition, values, memory.
#[test]
fn a_merged_state_is_each_of_its_members() {
    let modes = prop_oneof![Just(Mode::Tree), Just(Mode::Loops)];
    let programs = (prop::collection::vec(statement(), 2..5), modes);
    agree(16, 3, programs, |(statements, mode)| {
        let options = |mode| Options {
            merge: MergeOptions {
                mode,
                loops: Candidates::All,
                paranoid: true,
                ..MergeOptions::default()
            },
            ..Options::default()
        };
        let program = program(statements, Exit::EachResult);
        (program, [options(Mode::None), options(*mode)])
    });
}

/// The number of a template for each part of a loop.
#[derive(Clone, Debug)]
struct Loop {
    shape: usize,
    bound: usize,
    /// Where it stores, and what.
    stores: Vec<(usize, usize)>,
    sum: usize,
}

const BOUNDS: [&str; 4] = ["in[0] % 9", "in[1] % 7", "n", "5"];
const INDICES: [&str; 5] = ["k", "k + 1", "7 - k", "2 * k", "3"];
const VALUES: [&str; 6] = ["3", "k", "3 * k + 1", "n", "in[1]", "in[k & 1]"];

fn one_loop() -> impl Strategy<Value = Loop> {
    let store = (0..INDICES.len(), 0..VALUES.len());
    let stores = prop::collection::vec(store, 0..3);
    (0..5usize, 0..BOUNDS.len(), stores, 0..VALUES.len()).prop_map(|(shape, bound, stores, sum)| Loop {
        shape,
        bound,
        stores,
        sum,
    })
}

fn write_loop(out: &mut String, one: &Loop) {
    let bound = BOUNDS[one.bound];
    let head = match one.shape {
        0 | 1 => format!("for (int k = 0; k < {bound}; k++)"),
        2 => format!("for (int k = 1; k <= {bound}; k += 2)"),
        3 => format!("for (int k = {bound}; k > 0; k--)"),
        _ => format!("for (int k = 0; k < 8 && a[k] != {bound}; k++)"),
    };
    _ = writeln!(out, "{head} {{");
    for &(index, value) in &one.stores {
        _ = writeln!(out, "b[{}] = {};", INDICES[index], VALUES[value]);
    }
    _ = writeln!(out, "r += {}; }}", VALUES[one.sum]);
}

#[test]
fn compact_loops_do_what_their_iterations_do() {
    let programs = prop::collection::vec(one_loop(), 1..3);
    agree(16, 5, programs, |loops| {
        let mut text = String::from(
            "void klee_make_symbolic(void *, unsigned long, const char *);
            static unsigned char a[8] = {3, 1, 4, 1, 5, 9, 2, 6}, b[9];
            int main(void) {
                unsigned char in[2], n;
                int r = 0;
                klee_make_symbolic(in, 2, \"in\");
                n = in[0] & 7;\n",
        );
        loops.iter().for_each(|one| write_loop(&mut text, one));
        text.push_str("r += b[0] + b[1] + 3 * b[3] + b[6] + b[8];\n");
        text.push_str(Exit::EachResult.text());
        text.push_str("}\n");
        let options = |loops| Options {
            loops,
            ..Options::default()
        };
        (compile(&text), [options(Loops::Classic), options(Loops::Compact)])
    });
}
