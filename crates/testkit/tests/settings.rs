//! The corpus over `--resolve` x `--split` x `--sizes` x `--merge`: these settings determine how many paths there are
//! and what they cost, but never what is wrong with a program.
//!
//! A program gets a few rows of a covering array, in which any two values of two options meet; its name determines
//! which rows. A program whose paths never fork is unaffected, and run once. `MNEME_SETTINGS=all` runs the full
//! product, `MNEME_SETTINGS=tree` all rows of the array that have `--merge tree`, and so on.

mod shared;

use std::collections::BTreeSet;
use std::env;
use std::fmt;
use std::process::ExitCode;

use libtest_mimic::{Failed, Trial};
use mneme_finding::Rule;
use mneme_testkit::{Outcome, run};
use shared::{Case, each_case, number_of};

const RESOLVE: [&str; 5] = ["fork", "merge", "static-segments", "dynamic-segments", "auto"];
const SPLIT: [&str; 4] = ["none", "8", "256", "auto"];
const SIZES: [&str; 3] = ["symbolic", "eager", "max"];
const MERGE: [&str; 4] = ["tree", "loops", "none", "auto"];
/// The most bytes of a symbolic size, where each size is its own path or only the greatest is used.
const CAPACITY: &str = "16";
/// Exceeding this limit is not an error: settings differ in how hard their queries are.
const SECONDS: &str = "10";
/// Exit code of `mneme` if there is nothing to run.
const USAGE: i32 = 2;
/// How many rows a program gets.
const ROWS: usize = 2;

/// One setting of all options.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Row {
    resolve: &'static str,
    split: &'static str,
    sizes: &'static str,
    merge: &'static str,
}

/// Every policy with every piece size; the other options are spread so that any two of their values also meet.
fn covering() -> Vec<Row> {
    let pairs = (0..RESOLVE.len()).flat_map(|resolve| (0..SPLIT.len()).map(move |split| (resolve, split)));
    let row = |(resolve, split): (usize, usize)| Row {
        resolve: RESOLVE[resolve],
        split: SPLIT[split],
        sizes: SIZES[(resolve + split) % SIZES.len()],
        merge: MERGE[(resolve + 3 * split) % MERGE.len()],
    };
    pairs.map(row).collect()
}

fn product() -> Vec<Row> {
    let mut rows = Vec::new();
    for resolve in RESOLVE {
        for split in SPLIT {
            for sizes in SIZES {
                rows.extend(MERGE.map(|merge| Row {
                    resolve,
                    split,
                    sizes,
                    merge,
                }));
            }
        }
    }
    rows
}

impl Row {
    /// The options of this row, except where the run sets its own.
    fn options(&self, own: &[String]) -> Vec<&'static str> {
        let mut options = vec!["--resolve", self.resolve, "--sizes", self.sizes, "--merge", self.merge];
        options.extend(["--max-time", SECONDS]);
        match self.split {
            "none" => {}
            // Small objects, too.
            "8" => options.extend(["--split", "8", "--split-above", "8"]),
            other => options.extend(["--split", other, "--split-above", "64"]),
        }
        if self.sizes != "symbolic" {
            options.extend(["--capacity", CAPACITY]);
        }
        let is_own = |option: &str| own.iter().any(|own| own == option);
        let given = options.chunks(2).filter(|pair| !is_own(pair[0]));
        given.flatten().copied().collect()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.options(&[]).join(" "))
    }
}

/// The rows of a program: the requested ones, or those that its name selects.
fn rows_of(name: &str, asked: Option<&str>) -> Vec<Row> {
    let all = covering();
    match asked {
        Some("all") => return product(),
        Some(merge) => return all.into_iter().filter(|row| row.merge == merge).collect(),
        None => {}
    }
    let first = number_of(name);
    (0..ROWS).map(|row| all[(first + row * 7) % all.len()]).collect()
}

fn main() -> ExitCode {
    assert_pairs();
    let asked = env::var("MNEME_SETTINGS").ok();
    if let Some(asked) = asked
        .as_deref()
        .filter(|&asked| asked != "all" && !MERGE.contains(&asked))
    {
        eprintln!(
            "MNEME_SETTINGS is {asked}; it can be all, or one of {}",
            MERGE.join(", ")
        );
        return ExitCode::FAILURE;
    }
    each_case(|case| {
        let runs = case.expected.pending.is_none() && case.expected.exit != USAGE;
        let concerned = case.model == "objects" && runs;
        concerned.then(|| {
            let rows = rows_of(&case.name(), asked.as_deref());
            Trial::test(case.name(), move || rows_hold(&case, &rows))
        })
    })
}

/// Checks that the array covers what it promises.
fn assert_pairs() {
    let rows = covering();
    let values = |row: &Row| [row.resolve, row.split, row.sizes, row.merge];
    let (all, some): (Vec<_>, Vec<_>) = (
        product().iter().map(values).collect(),
        rows.iter().map(values).collect(),
    );
    for (one, other) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        let pairs =
            |rows: &[[&'static str; 4]]| -> BTreeSet<_> { rows.iter().map(|row| (row[one], row[other])).collect() };
        assert_eq!(
            pairs(&all),
            pairs(&some),
            "of the options {one} and {other} some values never meet"
        );
    }
}

fn rows_hold(case: &Case, rows: &[Row]) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for row in rows {
        let mut command = case.command.clone();
        let options = row.options(&command.options);
        command.options.extend(options.into_iter().map(str::to_owned));
        match run(&case.mneme, &case.program.path, &command, &case.model) {
            Err(error) => wrong.push(format!("{row}: {error}")),
            Ok(outcome) => {
                wrong.extend(
                    differences(case, row, &outcome)
                        .into_iter()
                        .map(|what| format!("{row}: {what}")),
                );
                if outcome.stats.forks == 0 {
                    break;
                }
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// Every finding must be expected, whatever the setting. An exact run must find everything that is expected, and a run
/// must be exact unless it is inexact by default, `--sizes` has left some sizes out, or time is up.
fn differences(case: &Case, row: &Row, outcome: &Outcome) -> Vec<String> {
    let expected = &case.expected;
    let found: BTreeSet<(u32, Rule)> = outcome.findings.iter().map(|found| (found.line, found.rule)).collect();
    let mut wrong = Vec::new();
    for (line, rule) in found.difference(&expected.faults) {
        wrong.push(format!("unexpected: {rule} on line {line}"));
    }
    let stats = &outcome.stats;
    let late = stats.exact_reasons.contains_key("limit: time");
    let left_out = row.sizes != "symbolic" || expected.exact == Some(false) || !expected.stops.is_empty();
    let may_be_inexact = late || left_out;
    if !stats.exact && !may_be_inexact {
        wrong.push(format!("not exact: {:?}", stats.exact_reasons));
    }
    if stats.exact || !may_be_inexact {
        for (line, rule) in expected.faults.difference(&found) {
            wrong.push(format!("missing: {rule} on line {line}"));
        }
    }
    // A merged path shows one of several exit codes, as an example.
    if let Some(values) = &expected.values
        && let Some(code) = stats.exit_values.keys().find(|code| !values.contains_key(code))
    {
        wrong.push(format!("no path ends with exit code {code}"));
    }
    wrong
}
