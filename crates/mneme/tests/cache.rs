//! Answers that are remembered, within a run and across runs, change nothing of what a run finds.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs with several histories of allocations, pointers to several objects, errors, and strings.
const PROGRAMS: [&str; 9] = [
    "pointers/address_bits_bad.c",
    "pointers/address_field_bad.c",
    "pointers/equal_elsewhere_ok.c",
    "pointers/index_pointers_bad.c",
    "pointers/order_ok.c",
    "papers/thesis_1_6_address_queries.c",
    "papers/thesis_4_1_address_cache.c",
    "papers/thesis_4_3_provenance.c",
    "library/strtol_ok.c",
];

fn corpus(program: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/c")
        .join(program)
}

/// What a run explored: the paths that completed, the errors with their lines, and the inputs of each path.
#[derive(PartialEq, Debug)]
struct Explored {
    paths: BTreeSet<String>,
    findings: BTreeSet<String>,
    inputs: BTreeMap<String, Vec<u8>>,
    counts: Value,
}

struct Run {
    explored: Explored,
    stats: Value,
    warnings: String,
}

fn run(program: &Path, options: &[&str]) -> Run {
    let scratch = tempfile::tempdir().unwrap();
    let out = scratch.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.arg("run").arg(program).arg("--quiet").args(options);
    let output = command.arg("--out").arg(&out).output().expect("mneme runs");
    let stats: Value = serde_json::from_slice(&fs::read(out.join("stats.json")).unwrap()).unwrap();
    let tests = fs::read_to_string(out.join("tests.jsonl")).unwrap_or_default();
    let tests: Vec<Value> = tests.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (errors, completed): (Vec<_>, Vec<_>) = tests.iter().partition(|test| test["finding"].is_object());
    let finding = |test: &&Value| format!("{}:{}", test["finding"]["rule"], test["finding"]["line"]);
    let inputs = |test: &Value| fs::read(out.join(test["test"].as_str().unwrap())).unwrap();
    Run {
        explored: Explored {
            inputs: tests
                .iter()
                .map(|test| (test["path"].to_string(), inputs(test)))
                .collect(),
            paths: completed.iter().map(|test| test["path"].to_string()).collect(),
            findings: errors.iter().map(finding).collect(),
            counts: stats["paths"].clone(),
        },
        stats,
        warnings: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn backend(run: &Run) -> u64 {
    run.stats["queries"]["backend"].as_u64().unwrap()
}

#[test]
fn paths_do_not_depend_on_the_cache() {
    for program in PROGRAMS {
        let path = corpus(program);
        let usual = run(&path, &[]);
        assert!(!usual.explored.paths.is_empty(), "{program}");
        let kept = tempfile::tempdir().unwrap();
        let warm = ["--cache-dir", kept.path().to_str().unwrap()];
        let cold = ["--cache", "none"];
        for options in [cold, ["--cache", "plain"], warm, warm] {
            assert_eq!(run(&path, &options).explored, usual.explored, "{program}, {options:?}");
        }
    }
}

#[test]
fn a_second_run_asks_nothing_that_the_first_one_kept() {
    for program in PROGRAMS {
        let path = corpus(program);
        let kept = tempfile::tempdir().unwrap();
        let options = ["--paranoid", "--cache-dir", kept.path().to_str().unwrap()];
        let (first, second) = (run(&path, &options), run(&path, &options));
        assert_eq!(first.explored, second.explored, "{program}");
        assert_eq!(backend(&second), 0, "{program}");
        assert_eq!(second.warnings, "", "{program}");
    }
}

#[test]
fn damaged_answers_are_not_used_and_replaced() {
    let path = corpus("pointers/equal_elsewhere_ok.c");
    let kept = tempfile::tempdir().unwrap();
    let options = ["--cache-dir", kept.path().to_str().unwrap()];
    let usual = run(&path, &options);
    assert!(backend(&usual) > 0);
    let file = kept.path().join("answers");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    for damaged in [bytes, b"something else".to_vec(), Vec::new()] {
        fs::write(&file, damaged).unwrap();
        let again = run(&path, &options);
        assert_eq!(again.explored, usual.explored);
        assert_eq!(backend(&again), backend(&usual));
        assert_eq!(again.warnings.matches("WARN").count(), 1, "{}", again.warnings);
        assert_eq!(backend(&run(&path, &options)), 0, "it was replaced");
    }
}
