//! The corpus under the policies of resolution: what a pointer to several objects does changes how many paths there
//! are, and nothing else. A program is run with a few of them, chosen by its name; `MNEME_SETTINGS=all` runs all.
//! Programs in which no pointer may refer to several objects are run once, to find that out.

mod shared;

use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use mneme_testkit::{Outcome, Run, run};
use shared::{each_case, number_of};

/// The options that are compared with `--resolve fork`.
const OTHERS: [&[&str]; 7] = [
    &["--addresses", "flat"],
    &["--resolve", "auto"],
    &["--resolve", "merge"],
    &["--resolve", "dynamic-segments"],
    &["--resolve", "static-segments"],
    &["--resolve", "merge", "--split", "8", "--split-above", "8"],
    &["--resolve", "auto", "--tables", "off"],
];
const MODEL: &str = "objects";
/// Of these, how many a program gets.
const ROWS: usize = 2;

fn main() -> ExitCode {
    let all = env::var("MNEME_SETTINGS").is_ok_and(|asked| asked == "all");
    each_case(|case| {
        // A run that splits objects has no flat addresses.
        let own = case
            .command
            .options
            .iter()
            .any(|option| ["--resolve", "--split", "--tables"].contains(&option.as_str()));
        let concerned = case.model == MODEL && case.expected.pending.is_none() && !own;
        let test = || {
            let first = if all { 0 } else { number_of(&case.name()) };
            let rows = if all { OTHERS.len() } else { ROWS };
            let others: Vec<_> = (0..rows).map(|row| OTHERS[(first + 3 * row) % OTHERS.len()]).collect();
            Trial::test(case.name(), move || {
                agree(&case.mneme, &case.program.path, &case.command, &others)
            })
        };
        concerned.then(test)
    })
}

fn agree(mneme: &Path, program: &Path, command: &Run, others: &[&[&str]]) -> Result<(), Failed> {
    let with = |options: &[&str]| -> Result<Outcome, Failed> {
        let mut command = command.clone();
        command.options.extend(options.iter().map(|&option| option.to_owned()));
        run(mneme, program, &command, MODEL).map_err(|error| format!("{options:?}: {error}").into())
    };
    let forked = with(&["--resolve", "fork"])?;
    if forked.stats.resolution.get("multiple") == 0 {
        return Ok(());
    }
    for options in others {
        let other = with(options)?;
        compare(&forked, &other).map_err(|what| format!("{options:?}: {what}\n{}", other.stderr))?;
    }
    Ok(())
}

fn compare(forked: &Outcome, other: &Outcome) -> Result<(), String> {
    let findings = |outcome: &Outcome| -> BTreeSet<(&'static str, u32)> {
        outcome
            .findings
            .iter()
            .map(|found| (found.rule.as_str(), found.line))
            .collect()
    };
    let (expected, found) = (findings(forked), findings(other));
    if expected != found {
        return Err(format!("forking finds {expected:?}, this {found:?}"));
    }
    let stops = |outcome: &Outcome| outcome.stats.paths.stop_reasons.keys().cloned().collect::<Vec<_>>();
    if stops(forked) != stops(other) {
        return Err(format!(
            "forking stops for {:?}, this for {:?}",
            stops(forked),
            stops(other)
        ));
    }
    // A path for several objects shows one of several exit codes, as an example.
    let known = |code| forked.stats.exit_values.contains_key(code);
    match other.stats.exit_values.keys().find(|code| !known(code)) {
        Some(code) => Err(format!("no path of forking ends with exit code {code}")),
        None => Ok(()),
    }
}
