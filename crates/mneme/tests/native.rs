//! Functions of the C library that are called natively, in the helper process.

use std::path::Path;
use std::process::Command;

fn stats(dir: &Path, source: &str) -> mneme_finding::Stats {
    std::fs::write(dir.join("a.c"), source).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
        .args(["run", "a.c", "--out", "out"])
        .current_dir(dir)
        .output()
        .expect("mneme runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = std::fs::read_to_string(dir.join("out/stats.json")).expect("figures");
    mneme_finding::Stats::from_json(&text).expect("figures that read")
}

/// `remquo` writes through its last argument.
#[test]
fn a_crash_of_the_helper_stops_one_path_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let stats = stats(
        dir.path(),
        "#include <math.h>
#include <mneme.h>
int main(void) {
  volatile double x = 0.5;
  if (mneme_bool(\"wild\"))
    return remquo(x, 3, (int *)8) > 0;
  for (int i = 0; i < 100; i++)
    x = sqrt(x) + cos(x);
  return x > 3;
}
",
    );
    let reasons: Vec<&String> = stats.paths.stop_reasons.keys().collect();
    assert_eq!((stats.paths.completed, stats.paths.stopped), (1, 1), "{reasons:?}");
    assert!(
        reasons[0].contains("a native call of `remquo` that failed"),
        "{reasons:?}"
    );
}
