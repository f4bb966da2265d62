//! Known findings: marked everywhere, not counted for the exit code, and recognised after edits elsewhere.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = "#include <mneme.h>
int main(void) {
  int n = mneme_int(\"n\");
  if (n == 1)
    return 1 / (n - 1);
  if (n == 2)
    *(int *)0 = n;
  return 0;
}
";

fn mneme(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.current_dir(dir).args(args).output().expect("mneme runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a run with the baseline says, and its exit code.
fn run(dir: &Path, program: &str) -> (String, Option<i32>) {
    fs::write(dir.join("p.c"), program).unwrap();
    let output = mneme(dir, &["run", "p.c", "--out", "out", "--baseline", "known"]);
    (text(&output.stdout) + &text(&output.stderr), output.status.code())
}

fn states(dir: &Path) -> Vec<(String, String)> {
    let log = fs::read(dir.join("out/findings.sarif")).unwrap();
    let log: Value = serde_json::from_slice(&log).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let mut states: Vec<_> = results
        .iter()
        .map(|result| {
            assert!(result["partialFingerprints"]["mneme/v1"].is_string());
            let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
            (text("ruleId"), text("baselineState"))
        })
        .collect();
    states.sort();
    states
}

fn pairs(states: &[(&str, &str)]) -> Vec<(String, String)> {
    states.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

#[test]
fn known_findings_are_marked_and_do_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("p.c"), PROGRAM).unwrap();
    let output = mneme(dir, &["run", "p.c", "--out", "out", "--write-baseline", "known"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(
        states(dir),
        pairs(&[("division-by-zero", ""), ("null-dereference", "")])
    );
    let known = fs::read_to_string(dir.join("known")).unwrap();
    let expected = r#"{"mneme-baseline":1}
{"file":"p.c","function":"main","rule":"division-by-zero","text":"return 1 / (n - 1);"}
{"file":"p.c","function":"main","rule":"null-dereference","text":"*(int *)0 = n;"}
"#;
    assert_eq!(known, expected);

    let (shown, code) = run(dir, PROGRAM);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("2 findings (2 known)"), "{shown}");
    let findings = fs::read_to_string(dir.join("out/findings.txt")).unwrap();
    assert_eq!(
        findings.matches("= known: it is in the baseline").count(),
        2,
        "{findings}"
    );
    assert_eq!(
        states(dir),
        pairs(&[("division-by-zero", "unchanged"), ("null-dereference", "unchanged")])
    );

    let moved = PROGRAM
        .replace("int n", "// a remark\n\n  int unused = 0;\n  int  n")
        .replace("    return 1", "\treturn 1");
    let (shown, code) = run(dir, &moved);
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn a_new_finding_counts_and_one_that_is_gone_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("p.c"), PROGRAM).unwrap();
    mneme(dir, &["run", "p.c", "--out", "out", "--write-baseline", "known"]);

    let more = PROGRAM.replace("return 0;", "if (n == 3)\n    return 1 / (n - 3);\n  return 0;");
    let (shown, code) = run(dir, &more);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("3 findings (2 known)"), "{shown}");
    let expected = [
        ("division-by-zero", "new"),
        ("division-by-zero", "unchanged"),
        ("null-dereference", "unchanged"),
    ];
    assert_eq!(states(dir), pairs(&expected));

    let fixed = PROGRAM.replace("*(int *)0 = n;", "return 2;");
    let (shown, code) = run(dir, &fixed);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("1 finding of the baseline no longer occurs"), "{shown}");
}

/// The same text twice in a function: the baseline counts.
#[test]
fn a_second_copy_of_a_known_line_is_new() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("p.c"), PROGRAM).unwrap();
    mneme(dir, &["run", "p.c", "--out", "out", "--write-baseline", "known"]);
    let twice = PROGRAM.replace("return 0;", "if (n == 3)\n    *(int *)0 = n;\n  return 0;");
    let (shown, code) = run(dir, &twice);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("3 findings (2 known)"), "{shown}");
}

#[test]
fn a_bad_baseline_is_told_in_one_sentence_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let (shown, code) = run(dir, PROGRAM);
    assert_eq!(
        (code, shown.as_str()),
        (
            Some(2),
            "mneme: there is no baseline known; `--write-baseline` makes one\n"
        )
    );
    fs::write(dir.join("known"), "{}").unwrap();
    let (shown, code) = run(dir, PROGRAM);
    let expected = "mneme: known is no baseline: it does not begin with the line {\"mneme-baseline\":1}\n";
    assert_eq!((code, shown.as_str()), (Some(2), expected));
    assert!(!dir.join("out").exists());
}

/// Two blocks are lost at one place: each is a finding of its own.
#[test]
fn leaks_are_told_apart_by_their_blocks() {
    let program =
        "#include <stdlib.h>\nint main(void) {\n  void *p = malloc(8);\n  void *q = malloc(4);\n  return p == q;\n}\n";
    let one = program.replace("void *q = malloc(4)", "void *q = 0");
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let run = |program: &str, option: &str| {
        fs::write(dir.join("p.c"), program).unwrap();
        let output = mneme(
            dir,
            &["run", "p.c", "--check", "leaks", "--out", "out", option, "known"],
        );
        (text(&output.stdout), output.status.code())
    };
    run(&one, "--write-baseline");
    let known = fs::read_to_string(dir.join("known")).unwrap();
    let expected = r#"{"mneme-baseline":1}
{"file":"p.c","function":"main","rule":"memory-leak","text":"}","block":"void *p = malloc(8);"}
"#;
    assert_eq!(known, expected);

    let (shown, code) = run(program, "--baseline");
    assert_eq!(code, Some(1), "{shown}");
    let expected = [("memory-leak", "new"), ("memory-leak", "unchanged")];
    assert_eq!(states(dir), pairs(&expected), "{shown}");
    assert!(shown.contains("p.c:4:13"), "the new one is `q`: {shown}");
}
