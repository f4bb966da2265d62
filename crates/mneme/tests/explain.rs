//! What a run says of its findings, in every format.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `mneme run` on a program in an empty directory; the results are in `out` there.
fn run(dir: &Path, source: &str, options: &[&str]) -> Output {
    std::fs::write(dir.join("a.c"), source).expect("a file");
    Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["run", "a.c", "--out", "out"])
        .args(options)
        .current_dir(dir)
        .output()
        .expect("mneme runs")
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("one JSON document")
}

/// Whatever order the paths come in, the one with the fewest decisions is in all outputs.
const LONG_AND_SHORT: &str = "#include <mneme.h>
int main(void) {
  int table[4] = {0};
  unsigned n = mneme_uint(\"n\");
  mneme_assume(n <= 3);
  int rounds = 0;
  for (unsigned i = 0; i < n; i++)
    rounds++;
  return table[4 + rounds];
}
";

/// The symbolic heap, in the notation of separation logic.
#[test]
fn a_finding_shows_the_symbolic_heap() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdlib.h>
int main(void) {
  char c = 7, *p = malloc(2);
  p[0] = c;
  return p[2];
}
";
    let options = ["--model", "heaplets", "--dump-heap"];
    let output = run(dir.path(), source, &options);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "Π  = true",
        "Σs = &main:c ↦ 7 * &main:p ↦ malloc!3@0⁰, ",
        "Σh = malloc!3@0 ↦ 7, −",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let without = run(dir.path(), source, &["--model", "heaplets"]);
    assert!(!String::from_utf8_lossy(&without.stdout).contains("Σh"));
}

/// The store of regions: what l-values are called in C, and what is bound to them. `node` is symbolic, and so is its
/// region.
#[test]
fn a_finding_shows_the_store_of_regions() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <stdlib.h>
struct node { int value; struct node *next; };
struct pair { int a; int f[4]; };
int walk(struct node *node, int n) {
  struct pair x = {1, {2, 3, 4, 5}};
  struct node *last = node->next;
  if (last)
    return x.f[n & 3];
  node->value = 6;
  return last->value;
}
";
    let options = ["--model", "regions", "--dump-regions", "--function", "walk"];
    let output = run(dir.path(), source, &options);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "SymRegion{node}[0].value = 6",
        "the regions of the path hold\n",
        "node = null or SymRegion{node}\n",
        "SymRegion{node}[0].next = null or SymRegion{node} or ",
        "x.a = 1",
        "x.f[3] = 5",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn json_is_one_document_with_everything() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), LONG_AND_SHORT, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let document = json(&output.stdout);
    let finding = &document["findings"][0];
    assert_eq!(finding["rule"], "out-of-bounds-read");
    assert_eq!(finding["expression"], "table[4 + rounds]");
    assert_eq!(finding["location"]["line"], 9);
    let (object, access) = (&finding["object"], &finding["access"]);
    assert_eq!(
        (
            &object["kind"],
            &object["name"],
            &object["size"],
            &object["made"]["line"]
        ),
        (&"stack".into(), &"table".into(), &16.into(), &3.into())
    );
    assert_eq!(object["type"], "int[4]");
    let past = serde_json::json!({ "side": "past", "bytes": 0 });
    assert_eq!(
        (
            &access["kind"],
            &access["length"],
            &access["offset"],
            &access["outside"]
        ),
        (&"read".into(), &4.into(), &16.into(), &past)
    );
    let sarif = json(&std::fs::read(dir.path().join("out/findings.sarif")).unwrap());
    let properties = &sarif["runs"][0]["results"][0]["properties"];
    assert_eq!((&properties["object"], &properties["access"]), (object, access));
    let records = mneme_report::read_records(&dir.path().join("out")).unwrap();
    let record = records.iter().find_map(|record| record.finding.as_ref()).unwrap();
    assert_eq!(record.access.as_ref().unwrap().outside.unwrap().bytes, 0);
    assert_eq!(finding["inputs"][0]["name"], "n");
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
    assert_eq!(document["stats"]["paths"]["faulted"], 4);
}

#[test]
fn the_shortest_path_is_kept_in_all_outputs() {
    for search in ["dfs", "bfs", "default"] {
        let dir = tempfile::tempdir().unwrap();
        let output = run(dir.path(), LONG_AND_SHORT, &["--format", "json", "--search", search]);
        let document = json(&output.stdout);
        let finding = &document["findings"][0];
        assert_eq!(finding["inputs"][0]["literal"], "0", "with {search}");
        let path = finding["path"].as_array().unwrap();
        assert_eq!(path.len(), 1, "with {search}");
        assert_eq!(path[0]["message"], "`i < n` is false");
        let out = dir.path().join("out");
        let text = std::fs::read_to_string(out.join("findings.txt")).unwrap();
        assert!(text.contains("n = 0 (bytes 00 00 00 00)"), "with {search}:\n{text}");
        let sarif = json(&std::fs::read(out.join("findings.sarif")).unwrap());
        assert_eq!(
            sarif["runs"][0]["results"][0]["properties"]["inputs"]["n"]["bytes"],
            "00 00 00 00"
        );
        let test = out.join(finding["test"].as_str().unwrap());
        let object = &mneme_report::KTest::read(&test).unwrap().objects[0];
        assert_eq!(object.bytes, [0; 4], "with {search}");
    }
}

/// Two paths of the same length: the one whose input reads better is told.
#[test]
fn of_equal_paths_the_simpler_input_is_told() {
    for (first, second) in [("0x80", "'A'"), ("'A'", "0x80")] {
        let source = format!(
            "#include <mneme.h>
#include <stdlib.h>
int main(void) {{
  int c = mneme_between(0, 255, \"c\");
  switch (c) {{
  case {first}:
  case {second}:
    switch (c) {{
    case {first}: c = 1; break;
    case {second}: c = 1; break;
    }}
    abort();
  }}
  return 0;
}}
"
        );
        let dir = tempfile::tempdir().unwrap();
        let output = run(dir.path(), &source, &["--format", "json"]);
        let document = json(&output.stdout);
        assert_eq!(document["findings"][0]["inputs"][0]["bytes"], "41 00 00 00", "{source}");
    }
}

#[test]
fn what_is_still_reachable_is_counted_and_no_leak() {
    let source = "#include <stdlib.h>\nstatic char *kept; int main(void) { kept = malloc(96); return 0; }";
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), source, &["--check", "leaks"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("still reachable at the end of a path: up to 1 block, 96 bytes (no leaks)"),
        "{text}"
    );
    let stats = json(&std::fs::read(dir.path().join("out/stats.json")).unwrap());
    assert_eq!(stats["still_reachable"]["bytes"], 96);
}

/// Where a pointer can mean several objects, the path says which: by name, or by where it was allocated.
#[test]
fn the_path_says_which_object_a_pointer_means() {
    let source = "#include <mneme.h>
#include <stdlib.h>
static int add(int n) { return n + 1; }
static int sub(int n) { return n - 1; }
int main(void) {
  int a = 1, b[2] = {2, 3};
  int *heap[2];
  for (int i = 0; i < 2; i++) {
    heap[i] = malloc(sizeof(int));
    *heap[i] = i;
  }
  int *all[4] = {&a, b, heap[0], heap[1]};
  int (*steps[2])(int) = {add, sub};
  unsigned i = mneme_uint(\"i\"), j = mneme_uint(\"j\");
  mneme_assume(i < 4 && j < 2);
  int *p = all[i];
  int n = *p;
  n = steps[j](n);
  if (n == 2 && i == 3) abort();
  if (n == 1 && i == 1) abort();
  return n;
}
";
    let dir = tempfile::tempdir().unwrap();
    for resolve in ["fork", "merge", "dynamic-segments", "auto"] {
        let output = run(dir.path(), source, &["--format", "json", "--resolve", resolve]);
        check_objects_of_path(&json(&output.stdout));
    }
}

/// Whether the path forks there or not: the inputs of the finding say which object it is.
fn check_objects_of_path(document: &serde_json::Value) {
    let messages = |line: u32| -> Vec<String> {
        let findings = document["findings"].as_array().unwrap().iter();
        let finding = findings
            .into_iter()
            .find(|finding| finding["location"]["line"] == line)
            .unwrap();
        let path = finding["path"].as_array().unwrap().iter();
        path.map(|step| step["message"].as_str().unwrap().to_owned()).collect()
    };
    let path = messages(19);
    assert!(
        path.contains(&"`*p` is in a heap object of 4 bytes, allocated at a.c:9, the 2nd there".to_owned()),
        "{path:?}"
    );
    assert!(
        path.contains(&"`steps[j](n)` calls the function `add`".to_owned()),
        "{path:?}"
    );
    let path = messages(20);
    assert!(
        path.contains(&"`*p` is in `b` (8 bytes, `int[2]`)".to_owned()),
        "{path:?}"
    );
    assert!(
        path.contains(&"`steps[j](n)` calls the function `sub`".to_owned()),
        "{path:?}"
    );
}

#[test]
fn the_path_says_which_allocation_fails() {
    let source = "#include <stdlib.h>
int main(void) {
  char *p = malloc(1), *q = malloc(2);
  if (p && !q) abort();
  return 0;
}
";
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), source, &["--format", "json", "--malloc-may-fail"]);
    let path = json(&output.stdout)["findings"][0]["path"].to_string();
    assert!(
        path.contains("`malloc(1)` succeeds") && path.contains("`malloc(2)` fails"),
        "{path}"
    );
}
