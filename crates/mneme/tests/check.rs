//! `mneme check`: functions alone, what is reported of them and what is not.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Some functions in one file, and what is wrong with them on the lines with a comment.
const LIBRARY: &str = r#"
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node *next; char *text; };
extern int outside(struct node *node);
extern void look(const struct node *node);
static int never_set = 1;

/* Most callers pass a node. */
int value_of(struct node *node) { return node->value; }

/* It tests for null, and forgets to return. */
int careless(struct node *node) {

  if (!node)
    look(node);
  return node->value; // null-dereference
}

/* The bound is one too many; no other index goes without saying. */
int at(int i) {
  static int table[10];
  if (i < 0 || i > 10)
    return -1;
  return table[i]; // out-of-bounds-read
}

int element(int i) {
  static int table[10];
  return table[i];
}

void keep(struct node *node) { node->text = malloc(4); }

int lose(int n) {
  char *text = malloc(4), *more = malloc(8);
  if (!text || !more)
    return -1;
  free(text);
  free(more);
  return 0;
} // memory-leak

int twice(struct node *node) {
  char *text = node->text;
  free(text);
  if (node->value == 3)
    free(text); // double-free
  return 0;
}

/* What `outside` does is not known: it may set the value. What `look` does not, is. */
int unknown(struct node *node) {
  node->value = 1;
  outside(node);
  if (node->value == 1)
    return 0;
  return 10 / (node->value - 2); // division-by-zero?
}

int known(struct node *node) {
  int zero = 0;
  node->value = 1;
  look(node);
  if (node->value != 1)
    return 1 / zero;
  return 0;
}

int constant(void) {
  int zero = 0;
  return never_set ? 0 : 1 / zero;
}

int divide(int a, int b) {
  if (b == 0)
    return a / b; // mneme: ignore division-by-zero
  return a / 3;
}

int *shared;
int *address_of_local(void) {
  int local = 1;
  return &local; // stack-escape
}

void left_behind(void) {
  int local = 1;
  shared = &local;
} // stack-escape

int taken_back(int **out) {
  int local = 1;
  *out = &local;
  *out = 0;
  return local;
}

/* Calls that are too deep: what writes nothing changes nothing. */
static int reads_6(const struct node *n) { return n->value; }
static int reads_5(const struct node *n) { return reads_6(n) + 1; }
static int reads_4(const struct node *n) { return reads_5(n) + 1; }
static int reads_3(const struct node *n) { return reads_4(n) + 1; }
static int writes_6(struct node *n) { return n->value = 0; }
static int writes_5(struct node *n) { return writes_6(n) + 1; }
static int writes_4(struct node *n) { return writes_5(n) + 1; }
static int writes_3(struct node *n) { return writes_4(n) + 1; }

int summary_of_readers(struct node *node) {
  int zero = 0, sum;
  node->value = 1;
  sum = reads_3(node);
  if (node->value != 1)
    return 1 / zero;
  return sum;
}

int summary_of_writers(struct node *node) {
  int zero = 0, sum;
  node->value = 1;
  sum = writes_3(node);
  if (node->value != 1)
    return 1 / zero; // division-by-zero
  return sum;
}

static int depth(const struct node *node) { return node->next ? 1 + depth(node->next) : 0; }

/* More rounds than are executed: the loop is widened, and what is behind it is reached. */
int behind_rounds(int n) {
  int i, zero = 0;
  for (i = 0; i < n; i++)
    if (i == 1000)
      break;
  if (i > 100)
    return 1 / zero; // division-by-zero
  return i;
}

int fills(int n) {
  int i, table[200];
  for (i = 0; i < n && i < 200; i++)
    table[i] = i;
  return n > 0 ? table[0] : 0;
}

/* Nothing is known of the place. */
int anywhere(unsigned long address) {
  int *place = (int *)address, zero = 0;
  *place = 3;
  if (*place == 7)
    return 1 / zero; // division-by-zero
  return depth((struct node *)place);
}

/* What is called there is not known. */
int call_anywhere(unsigned long address) {
  int (**place)(int) = (int (**)(int))address;
  return (*place)(1);
}

/* What is called tests its argument for its own sake. */
static int value_or_0(const struct node *node) { return node ? node->value : 0; }
int after_call(struct node *node) { return value_or_0(node) + node->value; }

static struct node *next_of(struct node *node) { return node ? node->next : 0; }
int after_next(struct node *node) {
  struct node *next = next_of(node);
  return next->value;
}

/* For most callers, both point into one buffer. */
struct stack { int *start, *top, *end; };
int push(struct stack *stack, int value) {
  if (stack->top == stack->end) {
    long size = (char *)stack->end - (char *)stack->start;
    int *more = stack->start ? realloc(stack->start, size * 2) : malloc(size ? size : 1);
    if (!more)
      return 0;
    stack->top = more;
    stack->start = more;
  }
  *stack->top++ = value;
  return 1;
}

/* A bound that may be anything is none: nobody passes a negative number. */
int before(int from, int to) {
  char *text;
  if (to < 1 || to > 100 || from >= to)
    return 0;
  text = calloc(to, 1);
  if (!text)
    return 0;
  text[from] = 1;
  free(text);
  return 1;
}

int many(const char *text) {
  int n = 0;
  while (*text++ == 'x')
    n++;
  return n;
}
"#;

struct Run {
    output: Output,
    document: Value,
}

fn check(dir: &Path, options: &[&str]) -> Run {
    let file = dir.join("library.c");
    if !file.exists() {
        std::fs::write(&file, LIBRARY).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args([
            "check",
            "library.c",
            "--format",
            "json",
            "--function-time",
            "20",
            "--out",
            "out",
        ])
        .args(options)
        .current_dir(dir)
        .output()
        .unwrap();
    let document = serde_json::from_slice(&output.stdout).unwrap_or_default();
    Run { output, document }
}

/// Lines with a finding, and the rule.
fn findings(run: &Run) -> Vec<(u64, String)> {
    let all = run.document["findings"].as_array().expect("a list of findings");
    let one = |finding: &Value| {
        let line = finding["location"]["line"].as_u64().unwrap();
        (line, finding["rule"].as_str().unwrap().to_owned())
    };
    let mut all: Vec<_> = all.iter().map(one).collect();
    all.sort();
    // Two blocks may be lost at one place.
    all.dedup();
    all
}

/// What the comments of the library say.
fn expected() -> Vec<(u64, String)> {
    let lines = LIBRARY.lines().enumerate();
    let one = |(index, line): (usize, &str)| {
        let (_, rule) = line.split_once("// ")?;
        (!rule.contains(' ') && !rule.ends_with('?')).then(|| (index as u64 + 1, rule.to_owned()))
    };
    lines.filter_map(one).collect()
}

#[test]
fn what_does_not_need_an_unusual_caller_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let run = check(dir.path(), &[]);
    assert_eq!(
        findings(&run),
        expected(),
        "{}",
        String::from_utf8_lossy(&run.output.stderr)
    );
    assert_eq!(run.output.status.code(), Some(1));
    let functions = run.document["functions"].as_array().unwrap();
    let many = functions
        .iter()
        .find(|function| function["function"] == "many")
        .unwrap();
    let reasons = many["exact_reasons"].as_object().unwrap();
    assert!(reasons.contains_key("loops of more rounds do anything"), "{reasons:?}");
    for file in ["check.json", "findings.txt", "findings.sarif"] {
        assert!(dir.path().join("out").join(file).exists(), "{file}");
    }
}

/// 2^24 paths of which a few reach everything.
#[test]
fn an_exploration_that_reaches_nothing_new_ends_early() {
    let dir = tempfile::tempdir().unwrap();
    let tests: String = (0..24)
        .map(|bit| format!("  if (n >> {bit} & 1) sum *= {bit};\n"))
        .collect();
    let code = format!("unsigned many(unsigned n) {{\n  unsigned sum = n;\n{tests}  return sum;\n}}\n");
    std::fs::write(dir.path().join("library.c"), code).unwrap();
    let run = check(dir.path(), &["--function-time", "4"]);
    let reasons = &run.document["functions"][0]["exact_reasons"];
    assert!(
        reasons["limit: nothing new was reached for long"].is_number(),
        "{reasons}"
    );
}

#[test]
fn odd_callers_are_shown_on_demand() {
    let dir = tempfile::tempdir().unwrap();
    let run = check(
        dir.path(),
        &["--odd-callers", "--function", "value_of", "--function", "element"],
    );
    let found = run.document["findings"].as_array().unwrap();
    let told = |rule: &str| {
        found
            .iter()
            .find(|f| f["rule"] == rule)
            .map(|f| f["assumption"].clone())
    };
    assert_eq!(told("null-dereference"), Some("null".into()));
    assert_eq!(told("out-of-bounds-read"), Some("unchecked".into()));
}

#[test]
fn results_of_functions_that_did_not_change_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let first = check(dir.path(), &["--cache-dir", "kept"]);
    let again = check(dir.path(), &["--cache-dir", "kept"]);
    assert_eq!(findings(&first), findings(&again));
    let kept = |run: &Run| run.document["kept"].as_u64().unwrap();
    let all = first.document["functions"].as_array().unwrap().len() as u64;
    assert_eq!((kept(&first), kept(&again)), (0, all));
    // The last function: nothing else depends on it, or moves.
    let text = LIBRARY.replace("== 'x'", "== 'y'");
    std::fs::write(dir.path().join("library.c"), text).unwrap();
    assert_eq!(kept(&check(dir.path(), &["--cache-dir", "kept"])), all - 1);
}

/// Each file has its own flags.
#[test]
fn a_compilation_database_names_files_and_flags() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().display();
    std::fs::create_dir(dir.path().join("inc")).unwrap();
    std::fs::write(dir.path().join("inc/divisor.h"), "#define DIVISOR(x) ((x) - NEVER)\n").unwrap();
    for (name, function) in [("a.c", "first"), ("b.c", "second")] {
        let program = format!(
            "#include \"divisor.h\"\nint {function}(int n) {{\n  if (n == NEVER)\n    return 1 / DIVISOR(n);\n  return 0;\n}}\n"
        );
        std::fs::write(dir.path().join(name), program).unwrap();
    }
    let database = format!(
        r#"[{{"directory": "{at}", "file": "a.c", "command": "cc -O2 -Iinc -DNEVER=7 -o a -c a.c"}},
            {{"directory": "{at}", "file": "b.c", "arguments": ["cc", "-Iinc", "-DNEVER=9", "-c", "b.c"]}}]"#
    );
    std::fs::write(dir.path().join("compile_commands.json"), database).unwrap();
    let run = |options: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
            .args(["check", "-p", ".", "--format", "json", "--confirm", "--out", "out"])
            .args(options)
            .current_dir(dir.path())
            .output()
            .unwrap();
        let document = serde_json::from_slice(&output.stdout).unwrap_or_default();
        Run { output, document }
    };
    let both = run(&[]);
    let shown = String::from_utf8_lossy(&both.output.stderr).into_owned();
    assert_eq!(findings(&both), [(4, "division-by-zero".into())], "{shown}");
    let all = both.document["findings"].as_array().unwrap();
    let arguments: Vec<_> = all
        .iter()
        .map(|finding| finding["inputs"][0]["literal"].as_str().unwrap())
        .collect();
    let mut arguments: Vec<_> = arguments
        .iter()
        .map(|literal| literal.split(' ').next().unwrap())
        .collect();
    arguments.sort_unstable();
    assert_eq!(arguments, ["7", "9"]);
    assert_eq!(
        both.document["confirmations"]["confirmed"], 2,
        "{:#}",
        both.document["confirmations"]
    );
    assert_eq!(run(&["b.c"]).document["findings"].as_array().unwrap().len(), 1);
    let unknown = run(&["c.c"]);
    let said = String::from_utf8_lossy(&unknown.output.stderr).into_owned();
    assert!(said.contains("`c.c` is not in"), "{said}");
    assert_eq!(unknown.output.status.code(), Some(2));
}

/// Warnings as another analyser writes them: one is right, one cannot be, one is of no kind that a run shows.
#[test]
fn warnings_of_another_analyser_are_judged() {
    let dir = tempfile::tempdir().unwrap();
    let program = "\
int right(int n) {
  int *p = 0;
  if (n > 5)
    return *p;
  return n;
}
int wrong(int n) {
  int x = 3, *p = 0;
  if (n > 5)
    p = &x;
  if (n > 7)
    return *p;
  return n;
}
";
    std::fs::write(dir.path().join("a.c"), program).unwrap();
    let warning = |rule: &str, line: u32| {
        format!(
            r#"{{"ruleId": "{rule}", "message": {{"text": "a warning"}}, "locations": [{{"physicalLocation":
                {{"artifactLocation": {{"uri": "file://{}/a.c"}}, "region": {{"startLine": {line}}}}}}}]}}"#,
            dir.path().display()
        )
    };
    let results = [
        warning("core.NullDereference", 12),
        warning("core.NullDereference", 4),
        warning("deadcode.DeadStores", 2),
    ]
    .join(", ");
    let log = format!(
        r#"{{"version": "2.1.0", "runs": [{{"tool": {{"driver": {{"name": "other"}}}}, "results": [{results}]}}]}}"#
    );
    std::fs::write(dir.path().join("other.sarif"), log).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args([
            "check",
            "a.c",
            "--confirm-sarif",
            "other.sarif",
            "--format",
            "json",
            "--out",
            "out",
        ])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |warning: &Value| {
        (
            warning["line"].as_u64().unwrap(),
            warning["verdict"].as_str().unwrap().to_owned(),
        )
    };
    let verdicts: Vec<_> = document["warnings"].as_array().unwrap().iter().map(of).collect();
    let expected = [(4, "confirmed"), (2, "unknown"), (12, "refuted within bounds")];
    assert_eq!(
        verdicts,
        expected.map(|(line, verdict)| (line, verdict.to_owned())),
        "{document:#}"
    );
    assert_eq!(output.status.code(), Some(1));
    let judged = std::fs::read(dir.path().join("out/judged-other.sarif")).unwrap();
    let judged: Value = serde_json::from_slice(&judged).unwrap();
    let first = &judged["runs"][0]["results"][0]["properties"]["mneme"];
    assert_eq!(first["verdict"], "refuted within bounds");
    // What is no SARIF is told.
    std::fs::write(dir.path().join("bad.sarif"), "{}").unwrap();
    let bad = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["check", "a.c", "--confirm-sarif", "bad.sarif"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("bad.sarif is not SARIF"));
}
