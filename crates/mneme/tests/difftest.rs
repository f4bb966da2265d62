//! `mneme difftest` finds the functions in which two libraries differ, and says which it leaves out.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const FIRST: &str = "
int count(const char *s, char c) { int n = 0; while (*s) n += *s++ == c; return n; }
char *skip(char *s) { while (*s == ' ') s++; return s; }
unsigned low(unsigned x) { return x & -x; }
double half(double x, short by) { return x / 2 + (by < 0); }
void nothing(int x) { (void)x; }
struct opaque;
int use(struct opaque *p) { return p != 0; }
struct pair { int a, b; };
int sum(struct pair *p) { return p->a + p->b; }
int crash(int *p) { return *(int *)0 + *p; }
int missing(int x) { return x; }
";

/* A percent sign hides what follows it; a tab is skipped, too; a pair is wider. */
const SECOND: &str = "
int count(const char *s, char c) { int n = 0; while (*s) { n += *s == c; if (*s == '%' && s[1]) s++; s++; } return n; }
char *skip(char *s) { while (*s == ' ' || *s == '\\t') s++; return s; }
unsigned low(unsigned x) { return x & (~x + 1); }
double half(double x, short by) { return x / 2 + (by < 0); }
void nothing(int x) { (void)x; }
struct opaque;
int use(struct opaque *p) { return p != 0; }
struct pair { long a, b; };
int sum(struct pair *p) { return (int)(p->a + p->b); }
int crash(int *p) { return *(int *)0 + *p; }
";

fn mneme(dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.args(words).current_dir(dir).output().unwrap()
}

fn libraries() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.c"), FIRST).unwrap();
    std::fs::write(dir.path().join("b.c"), SECOND).unwrap();
    dir
}

fn verdict<'a>(document: &'a Value, function: &str) -> &'a Value {
    let functions = document["functions"].as_array().unwrap();
    functions.iter().find(|one| one["function"] == function).unwrap()
}

#[test]
fn differing_functions_are_listed_with_their_inputs() {
    let dir = libraries();
    let list = "count # differs\n\nskip\nlow\nhalf\nnothing\nuse\nsum\ncrash\nmissing\nabsent\n";
    std::fs::write(dir.path().join("list"), list).unwrap();
    let limits = [
        "--max-time",
        "30",
        "--max-tests",
        "20",
        "--format",
        "json",
        "a.c",
        "b.c",
    ];
    let words = ["difftest", "--functions", "list"].into_iter().chain(limits);
    let options = ["--", "--elements", "4"];
    let output = mneme(dir.path(), &words.chain(options).collect::<Vec<_>>());
    assert_eq!(
        output.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    for function in ["low", "half"] {
        assert_eq!(
            verdict(&document, function)["verdict"],
            "same",
            "{function}: {document:#}"
        );
    }
    for (function, reason) in [
        ("nothing", "returns nothing"),
        ("use", "unknown width"),
        ("sum", "another width in `b.c`"),
        ("crash", "always goes wrong"),
        ("missing", "missing"),
        ("absent", "does not define"),
    ] {
        let left_out = verdict(&document, function);
        assert_eq!(left_out["verdict"], "left-out", "{function}: {document:#}");
        assert!(
            left_out["reason"].as_str().unwrap().contains(reason),
            "{function}: {left_out}"
        );
    }
    // The smallest text that shows it is a tab, which the first library does not skip.
    let skip = &verdict(&document, "skip")["difference"];
    assert_eq!(skip["a"][0], "returned <s>", "{skip}");
    assert_eq!(skip["b"][0], "returned <s+1>", "{skip}");
    let fixtures: Vec<&str> = skip["fixtures"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for (fixture, expected) in fixtures.iter().zip(["returned <s>", "returned <s+1>"]) {
        let built = Command::new("cc")
            .args(["-w", fixture, "-o", "fixture"])
            .current_dir(dir.path())
            .status();
        assert!(built.unwrap().success());
        let shown = Command::new(dir.path().join("fixture")).output().unwrap();
        assert!(String::from_utf8_lossy(&shown.stdout).starts_with(expected));
    }
}

/// A library is called by the names of its functions; narrow arguments and results in other registers arrive.
#[test]
fn archives_need_no_header() {
    let dir = libraries();
    let script = "cc -c a.c -o a.o && ar rcs liba.a a.o && cc -c b.c -o b.o && ar rcs libb.a b.o";
    assert!(
        Command::new("sh")
            .args(["-c", script])
            .current_dir(dir.path())
            .status()
            .unwrap()
            .success()
    );
    let words = "difftest --from a.c --from b.c --function skip --function half --max-time 100 --max-tests 20 liba.a";
    let words: Vec<&str> = words.split(' ').collect();
    let end = ["--", "--elements", "4"];
    let output = mneme(dir.path(), &[&words[..], &["cc libb.a"], &end[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("skip: differs on"), "{text}");
    assert!(text.contains("half: the same on"), "{text}");
    assert!(
        text.contains("2 functions: 1 the same, 1 different, 0 left out"),
        "{text}"
    );
}

/// What callers see to is no input: the contract rules it out, and what is left is explored.
#[test]
fn contracts_rule_shapes_out() {
    let dir = tempfile::tempdir().unwrap();
    let source = "int last(const int *p, unsigned n) { return p[n - 1]; }\n";
    std::fs::write(dir.path().join("a.c"), source).unwrap();
    let contract = "#include <mneme.h>\n\
                    void last_contract(const int *p, unsigned n) {\n\
                      mneme_requires(p != NULL);\n\
                      mneme_requires(n > 0 && n <= mneme_extent(p) / sizeof *p);\n\
                    }\n";
    std::fs::write(dir.path().join("contract.c"), contract).unwrap();
    let run = ["run", "--function", "last", "--elements", "4", "a.c"];
    let output = mneme(dir.path(), &run);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("`p` is null"), "{text}");
    let output = mneme(dir.path(), &[&run[..], &["--contract", "contract.c"]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("all paths explored"), "{text}");
    std::fs::write(dir.path().join("other.c"), "void last_contract(int n) { (void)n; }\n").unwrap();
    let output = mneme(dir.path(), &[&run[..], &["--contract", "other.c"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("the contract defines no `last_contract`"), "{error}");
}

/// Callers in the same program bring findings about, or cannot.
#[test]
fn callers_refute_findings() {
    let dir = tempfile::tempdir().unwrap();
    let source = "static int last(const int *p, unsigned n) { return p[n - 1]; }\n\
                  int any(unsigned n) { int a[3] = {1, 2, 3}; return last(a, n); }\n\
                  int main(void) { int a[2] = {1, 2}; return last(a, 2); }\n";
    std::fs::write(dir.path().join("a.c"), source).unwrap();
    let run = ["run", "--function", "last", "--elements", "2", "--from-callers", "a.c"];
    let text = |output: Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let told = text(mneme(dir.path(), &run));
    assert!(
        told.contains("out-of-bounds-read at a.c:1:52: brought about by `any`"),
        "{told}"
    );
    let refuted = "null-dereference at a.c:1:52: refuted: no known caller brings it about (`any`, `main`)";
    assert!(told.contains(refuted), "{told}");
    // Somebody may call it through a pointer.
    let taken = format!("{source}int (*table[])(const int *, unsigned) = {{last}};\n");
    std::fs::write(dir.path().join("a.c"), taken).unwrap();
    let told = text(mneme(dir.path(), &run));
    assert!(told.contains("not all callers are known"), "{told}");
}
