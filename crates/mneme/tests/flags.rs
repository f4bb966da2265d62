//! Flags of a compiler on the command line, as they stand in makefiles: where they go, and what is said of bad ones.

use std::path::Path;
use std::process::{Command, Output};

/// Compiles only with the flags that it asks for.
const PICKY: &str = r#"
#include <math.h>
#include <mneme.h>
#include <own.h>
#if __STDC_VERSION__ != 199901L || !defined(FORCED) || defined(UNWANTED)
#error "a flag is missing"
#endif
int main(int argc, char **argv) {
  int table[LIMIT] = {0};
  unsigned i = mneme_uint("i");
  if (argc > 1 && argv[1][1] == 'O') return 7;
  if (i > LIMIT) return (int)floor(1.5);
  return table[i];
}
"#;

const FLAGS: &[&str] = &[
    "-g",
    "-Wall",
    "-Werror",
    "-std=c99",
    "-lm",
    "-include",
    "forced.h",
    "-isystem",
    "headers",
    "-pthread",
    "-Wno-what",
    "-DUNWANTED",
    "-UUNWANTED",
    "-fno-strict-aliasing",
    "-fsanitize=fuzzer,address",
    "-MF",
    "a.d",
    "-o",
    "a.out",
];

fn place() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("headers")).unwrap();
    std::fs::write(dir.path().join("headers/own.h"), "#define LIMIT 8\n").unwrap();
    std::fs::write(dir.path().join("forced.h"), "#define FORCED\n").unwrap();
    std::fs::write(dir.path().join("picky.c"), PICKY).unwrap();
    dir
}

fn mneme(dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.args(words).current_dir(dir).output().expect("mneme runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn flags_may_stand_before_and_behind_the_files() {
    let dir = place();
    for level in [&[][..], &["-O0"], &["-O2"]] {
        let before = [&["run", "--confirm"], FLAGS, level, &["picky.c"]].concat();
        let behind = [&["run", "picky.c", "--confirm"], level, FLAGS].concat();
        for words in [before, behind] {
            let output = mneme(dir.path(), &words);
            let shown = text(&output);
            assert_eq!(output.status.code(), Some(1), "{words:?}: {shown}");
            assert!(
                shown.contains("out-of-bounds-read at picky.c:13:10: confirmed"),
                "{words:?}: {shown}"
            );
            // What clang has optimised has no names for objects on the stack.
            assert_eq!(
                shown.contains("`table` (32 bytes, `int[8]`)"),
                level != ["-O2"],
                "{shown}"
            );
        }
    }
    let words = [&["replay", "mneme-out", "-O2"], FLAGS, &["picky.c"]].concat();
    let output = mneme(dir.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(!dir.path().join("a.out").exists() && !dir.path().join("a.d").exists());
}

#[test]
fn flags_behind_two_dashes_are_the_programs() {
    let dir = place();
    let words = [&["run", "picky.c"], FLAGS, &["--", "-O2"]].concat();
    let output = mneme(dir.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("1 path completed"), "{}", text(&output));
}

#[test]
fn a_resumed_run_has_the_flags_of_its_first_session() {
    let dir = place();
    let words = [&["run", "picky.c", "--max-instructions", "20"], FLAGS].concat();
    let output = mneme(dir.path(), &words);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    let output = mneme(dir.path(), &["run", "--resume", "mneme-out"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
}

#[test]
fn a_bad_flag_is_told_in_one_line() {
    let dir = place();
    let expected = "mneme: clang does not accept its flags: unknown argument: '-fwhat'\n";
    let words = [&["run", "picky.c", "-fwhat"], FLAGS].concat();
    let output = mneme(dir.path(), &words);
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(2), expected));
}
