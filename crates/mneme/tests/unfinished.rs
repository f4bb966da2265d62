//! A run that ends at a limit leaves tests of the paths that it did not finish, and a resumed run replaces them.

use mneme_report::{TestRecord, read_records};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// 512 paths, of which a few are enough to reach every line.
const MANY: &str = r#"
#include <mneme.h>
static unsigned add(unsigned short bits, int i, unsigned sum) {
  if (bits >> i & 1) sum += i;
  return i < 8 ? add(bits, i + 1, sum) : sum;
}
int main(void) {
  unsigned short bits = mneme_ushort("bits") & 0x1ff;
  return add(bits, 0, 0) > 20;
}
"#;

struct Dir(tempfile::TempDir);

impl Dir {
    fn new() -> Dir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("p.c"), MANY).unwrap();
        Dir(dir)
    }

    fn run(&self, words: &str) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
        let words = words.split_whitespace();
        let output = command.current_dir(self.0.path()).arg("run").args(words).output();
        assert_ne!(output.unwrap().status.code(), Some(2));
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("mneme-out")
    }

    fn records(&self) -> Vec<TestRecord> {
        read_records(&self.out()).unwrap()
    }

    fn unfinished(&self) -> Vec<TestRecord> {
        self.records()
            .into_iter()
            .filter(|record| record.unfinished.is_some())
            .collect()
    }

    fn stats(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.out().join("stats.json")).unwrap()).unwrap()
    }
}

fn tests(dir: &Path) -> usize {
    let names = std::fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".ktest")).count()
}

#[test]
fn every_path_that_a_limit_ends_has_a_test_until_it_is_resumed() {
    let dir = Dir::new();
    for limit in ["--max-instructions 2000", "--max-states 5"] {
        dir.run(&format!("p.c {limit} --merge none"));
        let left = dir.unfinished();
        assert!(left.len() > 3, "{limit}: {}", left.len());
        assert_eq!(dir.stats()["paths"]["stopped"], left.len(), "{limit}");
        assert!(left.iter().all(|record| record.resumable && record.exit_code.is_none()));
        assert!(left.iter().all(|record| dir.out().join(&record.test).exists()));
        assert_eq!(tests(&dir.out()), dir.records().len());
        // This one has hardly begun to repeat what was done.
        dir.run("--resume mneme-out --max-instructions 1");
        assert!(dir.unfinished().len() >= left.len(), "{limit}");
        dir.run("--resume mneme-out");
        assert_eq!(dir.unfinished(), [], "{limit}");
        assert_eq!((tests(&dir.out()), dir.records().len()), (512, 512), "{limit}");
    }
}

#[test]
fn a_path_that_stops_for_good_keeps_its_test() {
    let dir = Dir::new();
    let program = MANY.replace("return add", "if (bits == 7) asm(\"cpuid\");\n  return add");
    std::fs::write(dir.0.path().join("p.c"), program).unwrap();
    dir.run("p.c --max-instructions 2000 --merge none --search dfs");
    dir.run("--resume mneme-out");
    let [record] = &dir.unfinished()[..] else {
        panic!("{:?}", dir.unfinished());
    };
    assert!(
        !record.resumable
            && record
                .unfinished
                .as_ref()
                .is_some_and(|reason| reason.contains("assembly"))
    );
}

#[test]
fn only_the_tests_that_are_wanted_are_written() {
    let dir = Dir::new();
    dir.run("p.c --max-instructions 2000 --merge none --tests completed");
    assert_eq!(dir.unfinished(), []);
    dir.run("p.c --merge none --tests covering");
    let few = dir.records().len();
    assert!((1..=4).contains(&few), "{few}");
}
