//! Runs the C corpus: one test for each program, `RUN` line and model.
//!
//! `cargo test -p mneme-testkit --test corpus NAME` runs those whose name contains NAME; `-- --ignored` runs the
//! pending ones, to see whether they still have to wait.

mod shared;

use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use mneme_testkit::{check, run};
use shared::{Case, each_case};

fn main() -> ExitCode {
    each_case(|case| Some(trial(case)))
}

fn trial(case: Case) -> Trial {
    let pending = case.expected.pending.clone();
    let name = format!("{} [{}]", case.name(), case.model);
    let test = Trial::test(name, move || {
        let outcome = run(&case.mneme, &case.program.path, &case.command, &case.model);
        check(&case.expected, &outcome.map_err(|error| error.to_string())?).map_err(Failed::from)
    });
    match pending {
        Some(reason) => test.with_kind(format!("pending: {reason}")).with_ignored_flag(true),
        None => test,
    }
}
