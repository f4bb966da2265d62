//! The corpus under every resolution policy: the treatment of pointers to several objects changes how many paths there
//! are, and nothing else. Programs in which no pointer may refer to several objects are run only once, to determine
//! that.

mod shared;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use mneme_testkit::{Outcome, Run, run};
use shared::each_case;

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

fn main() -> ExitCode {
    each_case(|case| {
        // A run that splits objects has no flat addresses.
        let own = case
            .command
            .options
            .iter()
            .any(|option| option == "--resolve" || option == "--split");
        let concerned = case.model == MODEL && case.expected.pending.is_none() && !own;
        let test = || {
            Trial::test(case.name(), move || {
                agree(&case.mneme, &case.program.path, &case.command)
            })
        };
        concerned.then(test)
    })
}

fn agree(mneme: &Path, program: &Path, command: &Run) -> Result<(), Failed> {
    let with = |options: &[&str]| -> Result<Outcome, Failed> {
        let mut command = command.clone();
        command.options.extend(options.iter().map(|&option| option.to_owned()));
        run(mneme, program, &command, MODEL).map_err(|error| format!("{options:?}: {error}").into())
    };
    let forked = with(&["--resolve", "fork"])?;
    if forked.stats.resolution.multiple == 0 {
        return Ok(());
    }
    for options in OTHERS {
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
