//! Runs the C corpus: one test for each program, `RUN` line and model.
//!
//! `cargo test -p mneme-testkit --test corpus NAME` runs those whose name contains NAME; `-- --ignored` runs the
//! pending ones, to see whether they still have to wait.

mod shared;

use std::process::ExitCode;

fn main() -> ExitCode {
    shared::each_case(|case| Some(shared::trial(case)))
}
