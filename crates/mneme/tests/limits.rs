//! Limits hold within two seconds, whatever a run is doing, and its results are there.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// How late a run may be.
const LATE: Duration = Duration::from_secs(2);

struct Ended {
    output: Output,
    took: Duration,
    stats: String,
}

impl Ended {
    /// It ended in time, says why, and wrote its figures.
    fn because_of(&self, limit: &str, allowed: Duration) {
        let said = String::from_utf8_lossy(&self.output.stdout);
        assert!(
            self.took < allowed + LATE,
            "{:?} instead of {allowed:?}: {said}",
            self.took
        );
        assert_eq!(self.output.status.code(), Some(3), "{said}");
        assert!(
            said.contains(&format!("incomplete because: limit: {limit} (")),
            "{said}"
        );
        assert!(self.stats.contains(&format!("\"limit: {limit}\"")), "{}", self.stats);
    }
}

fn run(name: &str, text: &str, options: &[&str]) -> Ended {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(name);
    std::fs::write(&file, text).unwrap();
    let out = dir.path().join("out");
    let begin = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .arg("run")
        .arg(&file)
        .args(options)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    Ended {
        output,
        took: begin.elapsed(),
        stats: read(&out.join("stats.json")),
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// No solver factors this in the time of a test.
const FACTORING: &str = r#"
#include <mneme.h>
typedef unsigned __int128 wide;
int main(void) {
  wide a, b, n = ((wide)0xC6F0D1B0A9F3E5D7ull << 64) | 0x9E3779B97F4A7C15ull;
  mneme_symbolic(&a, sizeof a, "a");
  mneme_symbolic(&b, sizeof b, "b");
  if (a > 1 && b > 1 && a >> 64 == 0 && b >> 64 == 0 && a * b == n)
    return 1;
  return 0;
}
"#;

const SECONDS: Duration = Duration::from_secs(2);

#[test]
fn time_inside_a_solver_call() {
    for model in ["objects", "planes-naive"] {
        run("hard.c", FACTORING, &["--model", model, "--max-time", "2"]).because_of("time", SECONDS);
    }
}

/// Arrays of unknown size, read where others were written: questions for Z3.
const SORTING: &str = r#"
#include <mneme.h>
int main(void) {
  unsigned size;
  mneme_symbolic(&size, sizeof size, "size");
  int v[size];
  for (unsigned j = 1; j < size; j++) {
    int key = v[j], i = j - 1;
    while (i >= 0 && v[i] > key) {
      v[i + 1] = v[i];
      i = i - 1;
    }
    v[i + 1] = key;
  }
  return 0;
}
"#;

#[test]
fn an_interrupt_inside_a_solver_call() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("hard.c");
    std::fs::write(&file, SORTING).unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .arg("run")
        .arg(&file)
        .args(["--model", "planes", "--m32", "--uninit", "any", "--quiet", "--out"])
        .arg(dir.path().join("out"))
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(4));
    let interrupt = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
    assert!(
        interrupt.is_ok_and(|status| status.success()),
        "it has not ended by itself"
    );
    let begin = Instant::now();
    while run.try_wait().unwrap().is_none() {
        let waited = begin.elapsed();
        if waited > Duration::from_secs(10) {
            run.kill().unwrap();
            panic!("still running {waited:?} after the interrupt");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn time_inside_a_solver_process() {
    if Command::new("z3").arg("--version").output().is_err() {
        eprintln!("not tested: there is no z3");
        return;
    }
    run("hard.c", FACTORING, &["--solver", "z3 -in", "--max-time", "2"]).because_of("time", SECONDS);
    run("hard.c", FACTORING, &["--solver", "sleep 100", "--max-time", "2"]).because_of("time", SECONDS);
}

#[test]
fn solver_time() {
    let ended = run("hard.c", FACTORING, &["--solver-timeout", "2"]);
    assert!(ended.took < SECONDS + LATE, "{:?}", ended.took);
    let said = String::from_utf8_lossy(&ended.output.stdout);
    assert!(
        said.contains("solver: the solver ran out of its budget (1, at hard.c:8)"),
        "{said}"
    );
}

#[test]
fn time_in_a_loop_without_a_fork_and_in_a_flood_of_terms() {
    let concrete = "int main(void) { volatile unsigned n = 1; while (n) n += 2; return 0; }";
    run("loop.c", concrete, &["--max-time", "1"]).because_of("time", SECONDS / 2);
    let symbolic = r#"
        #include <mneme.h>
        static unsigned short in[4096];
        static unsigned a[1 << 16];
        int main(void) {
          mneme_symbolic(in, sizeof in, "in");
          for (unsigned i = 0; i < 4000; i++)
            a[in[i]] = a[in[i] ^ 1] + i;
          return a[in[4001]] & 1;
        }"#;
    for model in ["objects", "planes-naive"] {
        run("terms.c", symbolic, &["--model", model, "--max-time", "2"]).because_of("time", SECONDS);
    }
}

#[test]
fn time_in_the_compiler() {
    let expansion = "
        #define A(x) x x x x x x x x x x x x x x x x
        #define B(x) A(A(A(A(x))))
        int main(void) { int n = 0; B(B(n++;)) return n; }";
    run("macros.c", expansion, &["--max-time", "1"]).because_of("time", SECONDS / 2);
}

/// LLVM reads and the front end lowers a million instructions: neither looks at a clock, so the watchdog ends the run.
#[test]
fn time_in_a_step_that_cannot_be_interrupted() {
    let mut text = String::from("define i32 @main() {\n  %1 = add i32 0, 1\n");
    for n in 2..1_000_000 {
        writeln!(text, "  %{n} = add i32 %{}, 1", n - 1).unwrap();
    }
    text.push_str("  ret i32 %999999\n}\n");
    run("large.ll", &text, &["--max-time", "0.5"]).because_of("time", Duration::from_millis(500));
}

#[test]
fn memory() {
    let hog = r#"
        #include <mneme.h>
        #include <stdlib.h>
        int main(void) {
          unsigned n = 0;
          unsigned char c = mneme_uchar("c");
          for (;;) {
            unsigned char *p = malloc(1 << 20);
            for (unsigned i = 0; i < 1 << 20; i += 64) p[i] = c;
            n += p[7];
          }
        }"#;
    let ended = run("hog.c", hog, &["--max-memory", "300", "--max-time", "60"]);
    ended.because_of("memory", Duration::from_secs(20));
    let stats: serde_json::Value = serde_json::from_str(&ended.stats).unwrap();
    let peak = stats["memory"]["peak_bytes"].as_u64().unwrap();
    assert!(peak < 450 << 20, "{peak}");
}
