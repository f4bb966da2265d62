//! `--minimise`: few tests, plain inputs, the same coverage.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

fn mneme(folder: &Path, words: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .current_dir(folder)
        .args(words.split(' '))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn folder(program: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), program).unwrap();
    folder
}

/// The inputs of each test by name, without the tests' numbers.
fn tests(folder: &Path) -> Vec<Vec<(String, Vec<u8>)>> {
    let listed: Value = serde_json::from_str(&mneme(folder, "tests mneme-out --format json")).unwrap();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let inputs = |test: &Value| {
        let inputs = test["inputs"].as_array().unwrap().iter();
        let named = inputs.map(|input| {
            let bytes = input["bytes"].as_str().unwrap().as_bytes().chunks(2).map(byte);
            (input["name"].as_str().unwrap().to_owned(), bytes.collect())
        });
        named.collect()
    };
    listed["tests"].as_array().unwrap().iter().map(inputs).collect()
}

#[test]
fn one_test_that_goes_everywhere_is_enough() {
    let folder = folder(
        r#"
#include <mneme.h>
int main(void) {
  int x = mneme_int("x"), y = mneme_int("y"), seen = 0;
  if (x > 1000)
    seen |= 1;
  if (y < -5)
    seen |= 2;
  return seen;
}
"#,
    );
    mneme(folder.path(), "run a.c --merge none");
    assert_eq!(tests(folder.path()).len(), 4);
    let lines = |folder: &Path| std::fs::read_to_string(folder.join("mneme-out/coverage.info")).unwrap();
    let before = lines(folder.path());
    let text = mneme(folder.path(), "run a.c --merge none --minimise");
    assert!(text.contains("4 paths completed") && text.contains("2 tests"), "{text}");
    assert_eq!(lines(folder.path()), before);
    // Both sides of both conditions, with numbers as near to zero as can be.
    let mut numbers: Vec<Vec<i32>> = tests(folder.path())
        .iter()
        .map(|test| {
            let number = |(_, bytes): &(String, Vec<u8>)| i32::from_le_bytes(bytes[..].try_into().unwrap());
            test.iter().map(number).collect()
        })
        .collect();
    numbers.sort();
    let sides = [vec![vec![0, -6], vec![1001, 0]], vec![vec![0, 0], vec![1001, -6]]];
    assert!(sides.contains(&numbers), "{numbers:?}");
    let text = mneme(folder.path(), "replay mneme-out a.c");
    assert!(text.contains("2 confirmed, 0 unconfirmed"), "{text}");
}

#[test]
fn inputs_are_short_and_made_of_letters() {
    let folder = folder(
        r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  char line[16];
  if (argc < 2 || strlen(argv[1]) < 2)
    return 1;
  if (fgets(line, sizeof line, stdin) == NULL || line[0] < 'x')
    return 2;
  return 100 / (line[1] - 'q');
}
"#,
    );
    let text = mneme(
        folder.path(),
        "run a.c --minimise --merge none --sym-args 0 2 4 --sym-stdin 12 --confirm",
    );
    assert!(text.contains("division-by-zero at a.c:10:14: confirmed"), "{text}");
    let fault = tests(folder.path())
        .into_iter()
        .find(|test| {
            test.iter()
                .any(|(name, bytes)| name == "stdin" && bytes.ends_with(b"q"))
        })
        .expect("a test of the finding");
    let of = |wanted: &str| &fault.iter().find(|(name, _)| name == wanted).expect("an input").1[..];
    assert_eq!(of("n_args"), [1, 0, 0, 0]);
    assert_eq!(of("arg00")[2..], [0; 3]);
    assert_eq!(of("stdin"), b"xq");
    let text = mneme(folder.path(), "replay mneme-out a.c");
    assert!(text.contains(" 0 unconfirmed, 0 not checkable"), "{text}");
}

#[test]
fn coverage_is_kept_where_paths_are_merged() {
    let program = r#"
#include <klee/klee.h>
int main(void) {
  unsigned char text[6];
  int letters = 0, digits = 0, other = 0;
  klee_make_symbolic(text, sizeof text, "text");
  for (int i = 0; i < 6; i++) {
    if (text[i] >= 'a' && text[i] <= 'z')
      letters++;
    else if (text[i] >= '0' && text[i] <= '9')
      digits++;
    else
      other++;
  }
  return letters * 10 + digits;
}
"#;
    for merge in ["none", "tree", "auto"] {
        let folder = folder(program);
        let text = mneme(folder.path(), &format!("run a.c --minimise --merge {merge}"));
        // One text has letters, digits and others.
        let found = tests(folder.path());
        let covers = |class: fn(&u8) -> bool| found.iter().any(|test| test[0].1.iter().any(class));
        assert!(
            covers(u8::is_ascii_lowercase) && covers(u8::is_ascii_digit),
            "{merge}: {text} {found:?}"
        );
        assert!(
            covers(|byte| !byte.is_ascii_alphanumeric()),
            "{merge}: {text} {found:?}"
        );
        assert!(found.len() <= 3, "{merge}: {found:?}");
    }
}
