//! `--seed-tests`: the paths of given tests come first, and all others after them.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A password behind many forks.
const PROGRAM: &str = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char word[7];
  unsigned short noise;
  klee_make_symbolic(word, sizeof word, "word");
  klee_make_symbolic(&noise, sizeof noise, "noise");
  int n = 0;
  for (int i = 0; i < 7; i++)
    if (noise >> i & 1) n++;
  const char *secret = "Mneme 3";
  for (int i = 0; i < 7; i++)
    if (word[i] != (unsigned char)secret[i]) return n;
  return 100 + n;
}
"#;

fn run(dir: &Path, words: &str) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .current_dir(dir)
        .arg("run")
        .args(words.split_whitespace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn stats(dir: &Path, out: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(dir.join(out).join("stats.json")).unwrap()).unwrap()
}

fn records(dir: &Path, out: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join(out).join("tests.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_path_of_a_seed_is_completed_first_and_no_path_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("program.c"), PROGRAM).unwrap();
    run(dir, "program.c --merge none --out plain");
    let (place, record) = records(dir, "plain")
        .into_iter()
        .enumerate()
        .find(|(_, record)| record["exit_code"] == 105)
        .expect("the password is found");
    assert!(place > 0, "without a seed the path comes later");
    let test = format!("plain/{}", record["test"].as_str().unwrap());
    for model in ["objects", "planes-naive"] {
        run(
            dir,
            &format!("program.c --merge none --seed-tests {test} --model {model} --out seeded"),
        );
        assert_eq!(records(dir, "seeded")[0]["exit_code"], 105);
        let (plain, seeded) = (stats(dir, "plain"), stats(dir, "seeded"));
        for key in ["paths", "exit_values", "forks", "exact"] {
            assert_eq!(plain[key], seeded[key], "{key}");
        }
    }
    // All tests of a run as seeds: every path is one of theirs.
    run(dir, "program.c --merge none --seed-tests plain --out again");
    assert_eq!(stats(dir, "again")["paths"], stats(dir, "plain")["paths"]);
    assert_eq!(stats(dir, "again")["queries"]["backend"], 0);
}

#[test]
fn a_seed_for_another_program_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("program.c"), PROGRAM).unwrap();
    std::fs::write(
        dir.join("other.c"),
        PROGRAM
            .replace("\"word\"", "\"key\"")
            .replace("short noise", "char noise"),
    )
    .unwrap();
    run(dir, "other.c --max-depth 100 --out other");
    run(dir, "program.c --out plain");
    let output = run(dir, "program.c --verbose --seed-tests other --out seeded");
    assert_eq!(stats(dir, "seeded")["paths"], stats(dir, "plain")["paths"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("seed tests lack inputs"), "{said}");
}

/// On a pipe nothing moves: the progress line is for terminals.
#[test]
fn nothing_is_said_on_a_pipe_but_results() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("program.c"), PROGRAM).unwrap();
    let output = run(dir.path(), "program.c");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(!output.stdout.contains(&b'\r'));
}
