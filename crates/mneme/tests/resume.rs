//! A run that ends early goes on where it was: over all its sessions it finds what one run without an end finds.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Forks, a symbolic size, a value that has to be a number, bytes that nobody wrote, faults.
const MIXED: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
#include <math.h>
int main(void) {
  unsigned char in[6];
  unsigned n, maybe;
  klee_make_symbolic(in, sizeof in, "in");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_assume(n < 9);
  int sum = 0;
  for (unsigned i = 0; i < 4; i++) {
    switch (in[i] & 3) {
      case 0: sum++; break;
      case 1: sum += 2; break;
    }
  }
  if (in[4] == 7) maybe = 1;
  if (in[4] > 5 && maybe) sum += 16;
  char *p = malloc(n + 1);
  p[n & 15] = 1;
  if (in[5] & 1) sum += (int)floor(n * 0.5);
  int table[4] = {1, 2, 3, 4};
  return sum + table[in[0] & 7 ? 1 : in[5] % 5];
}
"#;

/// Many paths, quickly. There is no loop in which they become one.
const MANY: &str = r#"
#include <mneme.h>
#include <assert.h>
static unsigned add(unsigned short bits, int i, unsigned sum) {
  if (bits >> i & 1) sum += i;
  return i < 11 ? add(bits, i + 1, sum) : sum;
}
int main(void) {
  unsigned short bits = mneme_ushort("bits") & 0x7ff;
  unsigned sum = add(bits, 0, 0);
  assert(sum != 42);
  return sum;
}
"#;

/// Loops that fill, allocate, search and free, each of which is one node with `--loops compact`, and forks before and
/// after them.
const LOOPS: &str = r#"
#include <mneme.h>
#include <stdlib.h>
int main(void) {
  unsigned n = mneme_uint("n"), k = mneme_uint("k"), end = 0;
  char *rows[20], text[20];
  unsigned char in[5];
  mneme_symbolic(in, sizeof in, "in");
  mneme_assume(n <= 20 && k < n);
  int sum = 0;
  if (in[0] & 1) sum++;
  for (unsigned i = 0; i < n; i++) {
    rows[i] = malloc(3);
    rows[i][0] = i;
  }
  for (unsigned i = 0; i < n; i++) text[i] = 3 * i;
  if (in[1] & 1) sum += rows[k][0] == 7;
  while (end < 4 && in[end] != 9) end++;
  if (end == 3 && in[2] & 1) return rows[k][end];
  for (unsigned i = 0; i < k; i++) free(rows[i]);
  if (in[3] & 1) sum += 2 * (text[k] == 12);
  if (in[4] == 7) free(rows[in[2] % 20]);
  return sum + end;
}
"#;

/// Loops one after the other and inside functions, which paths leave in several ways, forks between them, merging by
/// hand, and faults.
const MERGED: &str = r#"
#include <klee/klee.h>
#include <stdlib.h>
static int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
static int find(const char *s, char c) {
  for (int i = 0; s[i]; i++)
    if (s[i] == c) return i;
  return -1;
}
int main(void) {
  char s[5];
  unsigned n;
  unsigned char k;
  klee_make_symbolic(s, sizeof s, "s");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(n <= 6);
  s[4] = 0;
  int found = find(s, 'x');
  int sum = 0;
  if (k & 1) sum += 1;
  if (k & 2) sum += 2;
  char *p = malloc(n + 1);
  for (unsigned i = 0; i < n; i++) {
    if (k == 64 && i == 3) abort();
    p[i] = s[i & 3];
    for (unsigned j = 0; j < i; j++)
      if (p[j] == '!') exit(7);
  }
  klee_open_merge();
  if (k & 8) sum += 4;
  else if (k & 16) sum += 8;
  klee_close_merge();
  if (k & 32) sum += 16 * length(s);
  if (found > 2 && n == 5) p[n + 1] = 1;
  free(p);
  return sum;
}
"#;

struct Dir {
    dir: tempfile::TempDir,
}

impl Dir {
    fn new(program: &str) -> Dir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("program.c"), program).unwrap();
        Dir { dir }
    }

    fn mneme(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
        command.current_dir(self.dir.path()).arg("run");
        command
    }

    fn run(&self, words: &str) -> Output {
        self.mneme().args(words.split_whitespace()).output().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// What a run found, over all its sessions. Instructions count, so that nothing was done twice.
    fn found(&self, out: &str) -> Vec<String> {
        let stats = json(&self.path(out).join("stats.json"));
        let mut all: Vec<String> = ["/paths", "/exit_values", "/exact", "/forks", "/instructions"]
            .iter()
            .map(|key| format!("{key} {}", stats.pointer(key).unwrap()))
            .collect();
        all.extend(self.findings(out));
        let tests = std::fs::read_dir(self.path(out)).unwrap();
        let tests = tests.filter(|entry| entry.as_ref().unwrap().path().extension() == Some("ktest".as_ref()));
        all.push(format!("{} tests", tests.count()));
        all
    }

    fn findings(&self, out: &str) -> BTreeSet<String> {
        let log = json(&self.path(out).join("findings.sarif"));
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        let line = |result: &Value| {
            result
                .pointer("/locations/0/physicalLocation/region/startLine")
                .cloned()
        };
        results
            .iter()
            .map(|result| format!("{} {:?}", result["ruleId"], line(result)))
            .collect()
    }

    fn is_over(&self, out: &str) -> bool {
        !std::fs::read_to_string(self.path(out).join("frontier.json"))
            .unwrap()
            .contains("\"alive\"")
    }
}

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn many_short_sessions_find_what_one_long_run_finds() {
    for (program, options, limit) in [
        (MIXED, "--model objects --merge none --solve-sides lazy", 2_000),
        (MIXED, "--model planes-naive --merge none", 3_000),
        (MANY, "--model objects --merge none", 9_000),
    ] {
        let dir = Dir::new(program);
        dir.run(&format!("program.c {options} --solve-sides eager --quiet --out whole"));
        let first = dir.run(&format!(
            "program.c {options} --max-instructions {limit} --quiet --out parts"
        ));
        assert_ne!(first.status.code(), Some(2), "{}", errors(&first));
        let mut sessions = 1;
        while !dir.is_over("parts") {
            let next = dir.run(&format!("--resume parts --max-instructions {limit} --quiet"));
            assert_ne!(next.status.code(), Some(2), "{}", errors(&next));
            sessions += 1;
            assert!(sessions < 200, "it does not come to an end");
        }
        assert!(sessions > 2, "{sessions} sessions show nothing");
        assert_eq!(dir.found("parts"), dir.found("whole"), "{options}, {sessions} sessions");
    }
}

/// A summary of a loop is made again in every session, and its ways out are the same.
#[test]
fn loops_that_became_one_node_are_gone_on_with() {
    let dir = Dir::new(LOOPS);
    dir.run("program.c --model planes --loops compact --merge none --quiet --out whole");
    let stats = json(&dir.path("whole/stats.json"));
    assert!(stats.pointer("/loops/summarised").and_then(Value::as_u64) >= Some(4));
    let first =
        dir.run("program.c --model planes --loops compact --merge none --max-instructions 250 --quiet --out parts");
    assert_ne!(first.status.code(), Some(2), "{}", errors(&first));
    let mut sessions = 1;
    while !dir.is_over("parts") {
        let next = dir.run("--resume parts --max-instructions 250 --quiet");
        assert_ne!(next.status.code(), Some(2), "{}", errors(&next));
        sessions += 1;
        assert!(sessions < 100, "it does not come to an end");
    }
    assert!(sessions > 3, "{sessions} sessions show nothing");
    assert_eq!(dir.found("parts"), dir.found("whole"), "{sessions} sessions");
}

/// What came out of loops as one path is found again, however often the run is cut short, and nothing is counted twice.
#[test]
fn merged_paths_are_gone_on_with() {
    for (options, limit) in [
        ("--merge tree", 1_200),
        ("--merge auto", 1_200),
        ("--merge tree --search bfs", 1_500),
        ("--merge loops --search random-path", 1_000),
        ("--merge tree --merge-states 3 --search dfs", 4_000),
        ("--merge tree --merge-at find", 1_200),
        ("--merge tree --model planes --loops classic", 1_200),
    ] {
        let dir = Dir::new(MERGED);
        dir.run(&format!("program.c {options} --quiet --out whole"));
        dir.run(&format!(
            "program.c {options} --max-instructions {limit} --quiet --out parts"
        ));
        let mut sessions = 1;
        while !dir.is_over("parts") {
            let next = dir.run(&format!("--resume parts --max-instructions {limit} --quiet"));
            assert_ne!(next.status.code(), Some(2), "{}", errors(&next));
            sessions += 1;
            assert!(sessions < 60, "{options}: it does not come to an end");
        }
        assert!(sessions > 2, "{options}: {sessions} sessions show nothing");
        let (mut parts, mut whole) = (dir.found("parts"), dir.found("whole"));
        if options.contains("random-path") {
            // Which path is the first to take an edge depends on the order, and so do tests of merged paths.
            parts.pop();
            whole.pop();
        }
        assert_eq!(parts, whole, "{options}, {sessions} sessions");
        let coverage = |out: &str| std::fs::read_to_string(dir.path(out).join("coverage.info")).unwrap();
        assert_eq!(coverage("parts"), coverage("whole"), "{options}");
    }
}

/// What a limit on states or on depth stops is left for a run with more room.
#[test]
fn paths_beyond_a_limit_are_gone_on_with() {
    for (program, limit) in [
        (MIXED, "--max-states 3"),
        (MANY, "--max-states 5 --search bfs"),
        (MIXED, "--max-depth 2"),
        (MANY, "--max-depth 4"),
    ] {
        let dir = Dir::new(program);
        dir.run("program.c --quiet --out whole");
        dir.run(&format!("program.c {limit} --quiet --out parts"));
        let stats = json(&dir.path("parts/stats.json"));
        assert_eq!(
            (&stats["exact"], &stats["sessions"]),
            (&false.into(), &1.into()),
            "{limit}"
        );
        assert!(!dir.is_over("parts"), "{limit}");
        let wider = limit.replace(|c: char| c.is_ascii_digit(), "7");
        let output = dir.run(&format!("--resume parts {wider} --quiet"));
        assert_ne!(output.status.code(), Some(2), "{}", errors(&output));
        let output = dir.run("--resume parts --quiet");
        assert_ne!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(dir.is_over("parts"), "{limit}");
        assert_eq!(dir.found("parts"), dir.found("whole"), "{limit}");
    }
}

/// A number of 80 bits that a path had to choose is the same when the path is gone again.
#[test]
fn wide_numbers_survive() {
    let program = r#"
#include <klee/klee.h>
int main(void) {
  union { unsigned char byte[16]; unsigned short half[8]; long double number; } u;
  unsigned char in[6];
  klee_make_symbolic(&u, sizeof u, "u");
  klee_make_symbolic(in, sizeof in, "in");
  klee_assume(u.half[4] == 0x4001 && u.byte[7] == 0x80 && u.byte[6] == 0);
  int n = (int)(u.number * 2);
  for (int i = 0; i < 6; i++)
    if (in[i] > 128) n += 10;
  return n;
}
"#;
    let dir = Dir::new(program);
    dir.run("program.c --quiet --out whole");
    dir.run("program.c --max-instructions 300 --quiet --out parts");
    assert!(!dir.is_over("parts"));
    dir.run("--resume parts --quiet");
    assert_eq!(dir.found("parts"), dir.found("whole"));
}

/// Figures are those of all sessions; what is not says so.
#[test]
fn figures_add_up_over_sessions() {
    let dir = Dir::new(MANY);
    dir.run("program.c --max-instructions 20000 --quiet --out parts");
    let first = json(&dir.path("parts/stats.json"));
    dir.run("--resume parts --quiet");
    let both = json(&dir.path("parts/stats.json"));
    assert_eq!((&first["sessions"], &both["sessions"]), (&1.into(), &2.into()));
    let number = |stats: &Value, key: &str| stats.pointer(key).and_then(Value::as_f64).unwrap();
    for key in [
        "/queries/asked",
        "/queries/stages/0/asked",
        "/time/explore_s",
        "/instructions",
    ] {
        assert!(number(&both, key) > number(&first, key), "{key}");
    }
    // What is left is most of the program: the second session alone asks this much more.
    assert!(number(&both, "/queries/asked") >= number(&first, "/queries/asked") + 100.0);
}

#[test]
fn a_killed_run_keeps_what_it_found_and_goes_on() {
    let dir = Dir::new(MANY);
    dir.run("program.c --quiet --out whole");
    for (round, patience) in [250, 400, 600, 900].into_iter().enumerate() {
        let out = format!("killed{round}");
        let mut child = dir
            .mneme()
            .args(["program.c", "--quiet", "--out", &out])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(patience));
        child.kill().unwrap();
        child.wait().unwrap();
        if !dir.path(&out).join("frontier.json").exists() {
            continue;
        }
        let before = match dir.path(&out).join("findings.sarif").exists() {
            true => dir.findings(&out),
            false => BTreeSet::new(),
        };
        let output = dir.run(&format!("--resume {out} --quiet"));
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(dir.findings(&out).is_superset(&before));
        assert_eq!(
            dir.found(&out)[..5],
            dir.found("whole")[..5],
            "killed after {patience} ms"
        );
        assert_eq!(dir.findings(&out), dir.findings("whole"));
    }
}

#[test]
fn a_run_is_not_resumed_as_another() {
    let dir = Dir::new(MANY);
    dir.run("program.c --max-instructions 2000 --out out");
    for (words, expected) in [
        (
            "program.c --resume out --capacity 64",
            "was made with --capacity 4096, not 64",
        ),
        (
            "program.c --resume out --model planes-naive",
            "was made with --model objects, not planes-naive",
        ),
        (
            "program.c --resume out --merge tree",
            "was made with --merge auto, not tree",
        ),
        ("program.c --resume nowhere", "there is no run in `nowhere`"),
    ] {
        let output = dir.run(words);
        assert_eq!(output.status.code(), Some(2));
        let said = errors(&output);
        assert!(said.contains(expected) && said.trim().lines().count() == 1, "{said}");
    }
    std::fs::write(dir.path("program.c"), MANY.replace("i < 11", "i < 10")).unwrap();
    let output = dir.run("--resume out");
    assert!(
        errors(&output).contains("the program has changed"),
        "{}",
        errors(&output)
    );
    let saved = std::fs::read_to_string(dir.path("out/frontier.json")).unwrap();
    let words = r#""program.c","--max-instructions","2000","--out","out""#;
    for (text, expected) in [
        (saved.replace(words, r#""--resume","out""#), "names no program"),
        (
            saved.replace(r#""nodes":["#, r#""nodes":[],"old":["#),
            "those of no run",
        ),
        ("{".into(), "cannot be read"),
    ] {
        std::fs::write(dir.path("out/frontier.json"), text).unwrap();
        let output = dir.run("--resume out");
        assert_eq!(output.status.code(), Some(2));
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    }
}

/// Files may not grow beyond a few blocks here: writing fails in the middle of the run.
#[test]
fn a_full_disk_ends_a_run_that_can_go_on() {
    let dir = Dir::new(MANY);
    dir.run("program.c --quiet --out whole");
    let limited = format!(
        "trap '' XFSZ; ulimit -f 32; exec {} run program.c --out small",
        env!("CARGO_BIN_EXE_mneme")
    );
    let output = Command::new("sh")
        .args(["-c", &limited])
        .current_dir(dir.dir.path())
        .output()
        .unwrap();
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("cannot write") && said.contains("--resume small"),
        "{said}"
    );
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    let summary = String::from_utf8_lossy(&output.stdout);
    assert!(summary.contains("limit: the results cannot be written"), "{summary}");
    let output = dir.run("--resume small --quiet");
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert_eq!(dir.found("small")[..5], dir.found("whole")[..5]);
    assert_eq!(dir.findings("small"), dir.findings("whole"));
}

#[test]
fn a_directory_that_cannot_be_written_is_told_in_one_sentence() {
    let dir = Dir::new(MANY);
    let output = dir.run("program.c --out /proc/nowhere");
    assert_eq!(output.status.code(), Some(2));
    let said = errors(&output);
    assert!(
        said.contains("cannot write `/proc/nowhere`") && said.trim().lines().count() == 1,
        "{said}"
    );
}

/// Coverage and figures are there before the run is over.
#[test]
fn coverage_is_on_disk_while_a_run_works() {
    let dir = Dir::new("int main(void) { volatile unsigned n = 1; while (n) n += 2; return 0; }");
    let mut child = dir
        .mneme()
        .args(["program.c", "--out", "out"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(4));
    child.kill().unwrap();
    child.wait().unwrap();
    let coverage = std::fs::read_to_string(dir.path("out/coverage.info")).unwrap();
    assert!(coverage.contains("DA:1,1"), "{coverage}");
    let stats = json(&dir.path("out/stats.json"));
    assert_eq!(stats["exact_reasons"]["the run is not over"], 1);
}
