//! Functions that are run alone: no shape occurs twice, and what tests predict is what C files that rebuild them show.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const SHAPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/c/functions");

fn mneme(dir: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(words)
        .current_dir(dir)
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

/// What the completed paths of a function were given: which pointer refers to what.
fn shapes(file: &str, function: &str, aliases: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = format!("{SHAPES}/{file}");
    mneme(
        dir.path(),
        &[
            "run",
            "--function",
            function,
            "--aliases",
            aliases,
            "--max-time",
            "100",
            &file,
        ],
    );
    let tests = std::fs::read_to_string(dir.path().join("mneme-out/tests.jsonl")).unwrap();
    let records = tests.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let completed = records.filter(|record| record["exit_code"].is_number());
    completed
        .map(|record| {
            let call = &record["call"];
            let arguments = call["arguments"].as_array().unwrap().iter().map(|arg| &arg["value"]);
            let objects = call["objects"]
                .as_array()
                .unwrap()
                .iter()
                .map(|object| &object["pointers"]);
            format!("{:?}", arguments.chain(objects).collect::<Vec<_>>())
        })
        .collect()
}

/// All lists and trees up to three nodes deep, and none twice.
#[test]
fn each_shape_occurs_once() {
    for (file, function, aliases, count) in [
        ("list_ok.c", "reverse", "same-type", 10),
        ("list_ok.c", "reverse", "never", 4),
        ("shapes_ok.c", "append", "never", 4),
        ("shapes_ok.c", "delete_last", "never", 4),
        ("shapes_ok.c", "delete_least", "never", 4),
        ("shapes_ok.c", "mirror", "never", 26),
        ("tree_ok.c", "size", "never", 26),
    ] {
        let all = shapes(file, function, aliases);
        assert_eq!(all.len(), count, "{function}: {all:#?}");
        let different: BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), count, "{function}: {all:#?}");
    }
}

/// Pointers that are found among bytes, elements behind the first, functions that are passed, wide floating-point numbers;
/// and names that a test might use itself.
#[test]
fn tests_bring_along_what_no_type_tells() {
    let dir = tempfile::tempdir().unwrap();
    let source = "struct value { int tag; union { int number; const char *text; } u; };\n\
                  struct entry { int n; struct entry *next; };\n\
                  int text(const struct value *v) {\n\
                    if (v->tag == 1) return v->u.text[0] == 'x' ? 10 / (v->u.text[0] - 120) : 1;\n\
                    return v->u.number == 5;\n\
                  }\n\
                  int second(const struct entry *e, void *p) {\n\
                    if (!e[1].next) return 1;\n\
                    int **q = p;\n\
                    if (q[1] && *q[1] == e[1].next->n) return 2;\n\
                    return e[1].next == e ? 3 : 4;\n\
                  }\n\
                  int passed(int (*f)(int), char *(*g)(void)) {\n\
                    if (!f || !g) return 0;\n\
                    char *s = g();\n\
                    return s && f(*s) == 7 ? 10 / (*s - 5) : f(1) > 3;\n\
                  }\n\
                  int all; int result(int bytes_0) { all += bytes_0; return all == 5; }\n\
                  int wide(long double x, int n) { return n > 3 ? n : x > 1; }\n";
    std::fs::write(dir.path().join("a.c"), source).unwrap();
    for (function, finding) in [
        ("text", Some("division-by-zero at a.c:4:")),
        ("second", None),
        ("passed", Some("division-by-zero at a.c:16:")),
        ("result", None),
        ("wide", None),
    ] {
        let (_, text) = mneme(dir.path(), &["run", "--function", function, "--confirm", "a.c"]);
        if let Some(finding) = finding {
            assert!(text.contains(finding), "{function}: {text}");
        }
        assert!(!text.contains("unconfirmed"), "{function}: {text}");
        let (code, text) = mneme(dir.path(), &["replay", "mneme-out", "a.c"]);
        assert_eq!(code, Some(0), "{function}: {text}");
    }
}
