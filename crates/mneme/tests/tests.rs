//! `mneme tests`: what is listed of a run's tests, of KLEE's, and of files that are none.

use mneme_report::{KTest, KTestObject};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn mneme(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.current_dir(dir).args(args).output().expect("mneme runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A directory with a run of a program of two paths, one of which is an error.
fn explored() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let program = "#include <mneme.h>\nint main(void) {\n  int n = mneme_int(\"n\");\n  mneme_assume(n == 0 || n == 7);\n  \
                   return 42 / n;\n}\n";
    fs::write(dir.path().join("p.c"), program).unwrap();
    let run = mneme(
        dir.path(),
        &["run", "p.c", "--out", "out", "--quiet", "--", "an argument"],
    );
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    dir
}

#[test]
fn the_tests_of_a_run_are_listed_with_outcome_and_inputs() {
    let dir = explored();
    let output = mneme(dir.path(), &["tests", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let expected = "out/test000002.ktest: exits with 6\n  arguments: an argument\n  n = 7 (0x7)  [07 00 00 00]\n";
    assert!(shown.contains(expected), "{shown}");
    let expected = "-division-by-zero.ktest: division-by-zero at p.c:5: ";
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.contains("\n  n = 0 (0x0)  [00 00 00 00]\n"), "{shown}");
}

#[test]
fn programs_get_the_same_as_json() {
    let dir = explored();
    let output = mneme(dir.path(), &["tests", "--format", "json", "out"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tests = document["tests"].as_array().unwrap();
    let completed = tests.iter().find(|test| test["exit_code"] == 6).unwrap();
    assert_eq!(completed["arguments"][0], "an argument");
    assert_eq!(completed["inputs"][0]["name"], "n");
    assert_eq!(completed["inputs"][0]["bytes"], "07000000");
    let faulted = tests.iter().find(|test| test["exit_code"].is_null()).unwrap();
    assert_eq!(faulted["finding"]["rule"], "division-by-zero");
    assert_eq!(document["damaged"].as_array().unwrap().len(), 0);
}

#[test]
fn a_test_of_another_tool_needs_no_predictions() {
    let dir = tempfile::tempdir().unwrap();
    let mut test = KTest::new("prog.bc");
    test.objects = vec![
        KTestObject {
            name: "model_version".into(),
            bytes: vec![1, 0, 0, 0],
        },
        KTestObject {
            name: "a\u{1b}[31mb".into(),
            bytes: vec![0; 1000],
        },
    ];
    test.write(&dir.path().join("klee.ktest")).unwrap();
    let output = mneme(dir.path(), &["tests", "klee.ktest"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(
        shown.starts_with("klee.ktest: nothing is predicted\n  model_version = 1 (0x1)  [01 00 00 00]\n"),
        "{shown}"
    );
    assert!(shown.contains("  a?[31mb       = {0} (1000 bytes)  [00 "), "{shown}");
    assert!(shown.ends_with(" 00 … 1000 bytes]\n"), "{shown}");
}

#[test]
fn what_is_no_test_is_told_in_a_sentence_each_and_the_others_are_listed() {
    let dir = explored();
    let out = dir.path().join("out");
    let whole = fs::read(out.join("test000002.ktest")).unwrap();
    fs::write(out.join("test000008.ktest"), &whole[..20]).unwrap();
    fs::write(out.join("test000009.ktest"), "").unwrap();
    fs::create_dir(out.join("test000010.ktest")).unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    let output = mneme(dir.path(), &["tests", "out", "none.ktest", "empty", "/dev/zero", "p.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("exits with 6"));
    let said = text(&output.stderr);
    let expected = "\
mneme: out/test000008.ktest: the .ktest file ends at byte 20, in the middle of an argument
mneme: out/test000009.ktest: this is not a .ktest file: it does not begin with `KTEST`
mneme: out/test000010.ktest: this is not a file; give a .ktest file
mneme: none.ktest: cannot access the .ktest file: No such file or directory (os error 2)
mneme: empty: there is no test in this directory
mneme: /dev/zero: this is not a file; give a .ktest file
mneme: p.c: this is not a .ktest file: it does not begin with `KTEST`
";
    assert_eq!(said, expected);
}

#[test]
fn a_merged_path_has_a_test_for_each_part_of_the_loop_that_it_has_reached_first() {
    let dir = tempfile::tempdir().unwrap();
    let program = "#include <mneme.h>\nint main(void) {\n  char s[3];\n  int x = 0, y = 0;\n  \
                   mneme_symbolic(s, sizeof s, \"s\");\n  for (int i = 0; i < 3; i++) {\n    if (s[i] == 'x')\n      x++;\n    \
                   else if (s[i] == 'y')\n      y++;\n  }\n  return x + y > 0;\n}\n";
    fs::write(dir.path().join("p.c"), program).unwrap();
    let run = mneme(
        dir.path(),
        &[
            "run", "p.c", "--out", "out", "--quiet", "--merge", "auto", "--format", "json",
        ],
    );
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let stats: Value = serde_json::from_slice(&fs::read(dir.path().join("out/stats.json")).unwrap()).unwrap();
    assert!(stats["paths"]["completed"].as_u64().unwrap() <= 2, "{stats}");
    let shown = text(&mneme(dir.path(), &["tests", "out"]).stdout);
    for reached in ['x', 'y'] {
        let inputs = shown.lines().filter(|line| line.contains("s = "));
        assert!(
            inputs.clone().any(|inputs| inputs.contains(reached)),
            "no {reached}: {shown}"
        );
    }
}

/// What the tests of a run of this program predict of standard output.
fn predicted(source: &str, options: &[&str]) -> Vec<(String, bool)> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("p.c"), source).unwrap();
    let args = [&["run", "p.c", "--out", "out", "--quiet"], options].concat();
    let run = mneme(dir.path(), &args);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let records = fs::read_to_string(dir.path().join("out/tests.jsonl")).unwrap();
    let record = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    let output = |line| {
        let stdout = record(line)["stdout"].clone();
        Some((stdout["text"].as_str()?.to_owned(), stdout["complete"] == true))
    };
    records.lines().filter_map(output).collect()
}

#[test]
fn the_output_of_an_object_of_symbolic_size_is_predicted() {
    let source = include_str!("../../../tests/c/memory/write_guard_ok.c");
    for model in ["objects", "planes", "planes-naive"] {
        assert_eq!(predicted(source, &["--model", model]), [("ab".into(), true)], "{model}");
    }
}

/// Two callers of one faulty function are two ways to one finding, each with its test.
#[test]
fn callers_of_a_faulty_function_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <mneme.h>
static int get(int *p, unsigned i) { return p[i]; }
static int first(int *p, unsigned i) { return get(p, i) + 1; }
static int second(int *p, unsigned i) { return get(p, i) + 2; }
int main(void) {
  int a[4] = {0};
  unsigned i = mneme_uint(\"i\");
  mneme_assume(i <= 4);
  return mneme_uint(\"k\") == 7 ? first(a, i) : second(a, i);
}
";
    fs::write(dir.path().join("p.c"), source).unwrap();
    let shown = text(&mneme(dir.path(), &["run", "p.c", "--out", "out"]).stdout);
    assert!(shown.contains("1 finding; 4 tests"), "{shown}");
    let findings = fs::read_to_string(dir.path().join("out/findings.txt")).unwrap();
    assert_eq!(findings.matches("error[").count(), 1, "{findings}");
    let also = findings
        .lines()
        .find(|line| line.contains("= also: from p.c:"))
        .unwrap();
    assert!(also.contains("-out-of-bounds-read.ktest"), "{findings}");
    let both = ["p.c:3:47", "p.c:4:48"].map(|caller| findings.contains(caller));
    assert_eq!(both, [true, true], "{findings}");
    let replayed = text(&mneme(dir.path(), &["replay", "out", "p.c"]).stdout);
    assert!(replayed.contains("4 confirmed"), "{replayed}");
}

/// A compiler and the folder are all that a test needs: inputs of every kind arrive.
#[test]
fn tests_of_programs_are_c_files() {
    let dir = tempfile::tempdir().unwrap();
    let program = "#include <mneme.h>\n#include <stdio.h>\n\
                   int main(int argc, char **argv) {\n  int x = mneme_int(\"x\"), c = getchar();\n  if (argc > 1 && argv[1][0] == 'q') return 9;\n  \
                   if (c == 'z') return 12;\n  return x > 3 ? 1 : x == -5 ? 5 : 0;\n}\n";
    fs::write(dir.path().join("p.c"), program).unwrap();
    let options = ["--quiet", "--", "--sym-args", "0", "1", "1", "--sym-stdin", "1"];
    let run = mneme(dir.path(), &[&["run", "p.c", "--out", "out"], &options[..]].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let written = mneme(dir.path(), &["tests", "out", "--as-c", "c"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let listed = mneme(dir.path(), &["tests", "out", "--format", "json"]);
    let document: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let mut codes = Vec::new();
    for test in document["tests"].as_array().unwrap() {
        let file = Path::new(test["file"].as_str().unwrap()).with_extension("c");
        let folder = dir.path().join("c");
        let mut compiler = Command::new("cc");
        compiler.current_dir(&folder).arg(file.file_name().unwrap());
        let built = compiler.args(["../p.c", "@flags", "-o", "test"]).output().unwrap();
        assert!(built.status.success(), "{}", text(&built.stderr));
        let ended = Command::new(folder.join("test")).current_dir(&folder).output().unwrap();
        assert_eq!(ended.status.code().map(i64::from), test["exit_code"].as_i64(), "{test}");
        codes.extend(ended.status.code());
    }
    codes.sort_unstable();
    codes.dedup();
    // By an argument, by standard input, and by what has the same path for several numbers.
    assert!(
        codes.len() > 2 && codes.contains(&9) && codes.contains(&12),
        "{codes:?}"
    );
}
