//! The corpus on the example model of `docs/adding-a-model.md`: a model outside `mneme-memory` finds what the others
//! find. Of the runs of a program, one is chosen by the program's name; `MNEME_SETTINGS=all` runs all.

mod shared;

use std::env;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mneme = Path::new(env!("CARGO_BIN_EXE_mneme-example"));
    let all = env::var("MNEME_SETTINGS").is_ok_and(|asked| asked == "all");
    shared::each_case_of(mneme, |case| {
        let runs = case.program.spec.runs().len();
        let one = shared::number_of(&case.program.name) % runs + 1;
        let concerned = case.model == "example" && (all || case.run == one);
        concerned.then(|| shared::trial(case))
    })
}
