//! `mneme equiv` proves pairs of functions the same, or finds where they differ; tests of functions are replayed as C.

use std::path::Path;
use std::process::{Command, Output};

const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/equiv/pairs.c");

fn mneme(dir: &Path, words: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(words)
        .current_dir(dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, text)
}

fn verdict(name: &str) -> (i32, String) {
    let dir = tempfile::tempdir().unwrap();
    let (f, g) = (format!("{name}_a"), format!("{name}_b"));
    let (output, text) = mneme(dir.path(), &["equiv", &f, &g, PAIRS, "--max-time", "600"]);
    (output.status.code().unwrap(), text)
}

#[test]
fn equal_functions_are_proved_equal() {
    let names = [
        "ones", "length", "sort", "max", "average", "sign", "swap", "power", "parse", "pair", "note", "gray",
        "absolute", "times", "end", "filled", "drop", "half",
    ];
    for name in names {
        let (code, text) = verdict(name);
        assert_eq!(code, 0, "{name}: {text}");
        assert!(text.contains("do the same for all inputs"), "{name}: {text}");
    }
}

/// Lists of any length cannot all be explored, nor can buffers.
#[test]
fn equality_within_limits_is_no_proof() {
    for name in ["reverse", "copy"] {
        let (code, text) = verdict(name);
        assert_eq!(code, 3, "{name}: {text}");
        assert!(text.contains("no difference between"), "{name}: {text}");
    }
}

#[test]
fn differences_are_found() {
    let forgotten = ["bad_max", "bad_power", "bad_sort", "bad_reverse", "bad_parse"];
    let unseen = ["bad_end", "bad_return", "bad_errno", "bad_filled", "bad_drop"];
    for name in forgotten.iter().chain(&unseen) {
        let (code, text) = verdict(name);
        assert_eq!(code, 1, "{name}: {text}");
        assert!(text.contains("behaviour-differs"), "{name}: {text}");
    }
}

/// Findings are confirmed by C files that call the function, and so is what the other tests predict.
#[test]
fn tests_of_functions_are_replayed_as_c() {
    let dir = tempfile::tempdir().unwrap();
    let source = "struct node { int value; struct node *next; };\n\
                  int count(struct node *p, int *total) {\n\
                    int n = 0;\n\
                    for (; p; p = p->next) n++;\n\
                    *total += n;\n\
                    return 10 / (n - 2);\n\
                  }\n";
    std::fs::write(dir.path().join("a.c"), source).unwrap();
    let run = ["run", "--function", "count", "--aliases", "never", "--confirm", "a.c"];
    let (output, text) = mneme(dir.path(), &run);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for expected in [
        "null-dereference at a.c:5:8: confirmed",
        "division-by-zero at a.c:6:11: confirmed",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let (output, text) = mneme(dir.path(), &["replay", "mneme-out", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (_, text) = mneme(dir.path(), &["tests", "mneme-out", "--as-c", "c"]);
    assert!(text.contains("files in c"), "{text}");
}

/// Structures by value arrive in their registers, and blocks lie where the path needs them: every test does what is
/// predicted.
#[test]
fn tests_of_functions_pass_structures_and_choose_addresses() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdint.h>\n\
                  struct holder { long n; int *p; };\n\
                  struct point { float x, y; };\n\
                  int f(struct holder h, struct point q, unsigned char *a, unsigned char *b) {\n\
                    if (!h.p || !a || !b || a == b) return 0;\n\
                    if (*h.p == 5) return 1;\n\
                    if ((uintptr_t)a % 4 == 3 && (uintptr_t)b % 8 == 2) {\n\
                      if (a < b) return 3;\n\
                      return 4;\n\
                    }\n\
                    return h.n == *h.p ? 10 / (*a - 7) : 5;\n\
                  }\n";
    std::fs::write(dir.path().join("a.c"), source).unwrap();
    let (_, text) = mneme(dir.path(), &["run", "--function", "f", "--confirm", "a.c"]);
    assert!(text.contains("division-by-zero at a.c:11:"), "{text}");
    let tests = std::fs::read_to_string(dir.path().join("mneme-out/tests.jsonl")).unwrap();
    for code in [0, 1, 3, 4, 5] {
        assert!(tests.contains(&format!("returned 0x{code:08x}")), "{code}: {tests}");
    }
    let (output, text) = mneme(dir.path(), &["replay", "mneme-out", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{text}");
}
