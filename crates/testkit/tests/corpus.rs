//! Runs the C corpus: one test for each program, `RUN` line and model.
//!
//! Without a name, a run gets the first of its models and two others, chosen by the program's name, so that every model
//! sees about half of the corpus; `MNEME_SETTINGS=all` runs all. `cargo test -p mneme-testkit --test corpus NAME` runs
//! those whose name contains NAME, with all models; `-- --ignored` runs the pending ones, to see whether they still have
//! to wait.

mod shared;

use std::env;
use std::process::ExitCode;

use libtest_mimic::Arguments;
use shared::{Case, number_of};

/// Models besides the first that a run gets.
const OTHERS: usize = 2;

fn main() -> ExitCode {
    let is_named = Arguments::from_args().filter.is_some();
    let all = is_named || env::var("MNEME_SETTINGS").is_ok_and(|asked| asked == "all");
    shared::each_case(|case| (all || is_in_turn(&case)).then(|| shared::trial(case)))
}

fn is_in_turn(case: &Case) -> bool {
    match case.nth {
        (0, _) => true,
        (nth, count) => (nth + number_of(&case.program.name)) % (count - 1) < OTHERS,
    }
}
