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
