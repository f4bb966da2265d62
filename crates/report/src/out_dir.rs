//! The directory that a run writes to.
//!
//! Invariants: only directories that are empty or that Mneme made (they contain the file `.mneme`) are touched; of an
//! old run exactly the files that a run writes are removed; what is rewritten is replaced by renaming, so that a reader
//! never meets half a file.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::ktest::{KTest, KTestError};
use crate::record::{self, TestRecord};
use mneme_finding::Finding;
use mneme_finding::Stats;

const DEFAULT: &str = "mneme-out";
const MARKER: &str = ".mneme";
const FINDINGS: &str = "findings.txt";
const SARIF: &str = "findings.sarif";
const COVERAGE: &str = "coverage.info";
const STATS: &str = "stats.json";
/// The findings once more, one JSON object per line: a resumed run reads them here.
const KNOWN: &str = "findings.jsonl";
const FRONTIER: &str = "frontier.json";
/// The folder of what the program has read from outside: its standard input, and files, in a folder of their own.
const OUTSIDE: &str = "outside";
/// Ending of a file that is not complete yet.
const PARTIAL: &str = ".partial";

/// Where a directory of results has the standard input of the program, and the files that it has read.
pub fn outside_of(results: &Path) -> (PathBuf, PathBuf) {
    let outside = results.join(OUTSIDE);
    (outside.join("stdin"), outside.join("files"))
}

/// Why results cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutDirError {
    #[error("`{}` is not a directory", .0.display())]
    NotADirectory(PathBuf),
    #[error("`{}` is not empty and was not made by mneme: give another directory with --out", .0.display())]
    Foreign(PathBuf),
    #[error("there is no run in `{}` to continue: give the directory of one", .0.display())]
    NoRun(PathBuf),
    #[error("cannot write `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Test { path: PathBuf, source: KTestError },
}

/// A directory of results, ready to be written to.
#[derive(Clone, Debug)]
pub struct OutDir {
    path: PathBuf,
}

impl OutDir {
    /// Makes the directory (`mneme-out` unless another is requested), or empties the one of an earlier run.
    pub fn create(requested: Option<&Path>) -> Result<OutDir, OutDirError> {
        let out = OutDir {
            path: requested.unwrap_or(Path::new(DEFAULT)).to_owned(),
        };
        if out.path.exists() && !out.path.is_dir() {
            return Err(OutDirError::NotADirectory(out.path));
        }
        fs::create_dir_all(&out.path).map_err(out.failed(""))?;
        let names = out.names()?;
        if !names.is_empty() && !names.iter().any(|name| name == MARKER) {
            return Err(OutDirError::Foreign(out.path));
        }
        for name in names.iter().filter(|name| is_result(name)) {
            fs::remove_file(out.path.join(name)).map_err(out.failed(name))?;
        }
        let outside = out.path.join(OUTSIDE);
        if outside.is_dir() {
            fs::remove_dir_all(outside).map_err(out.failed(OUTSIDE))?;
        }
        fs::write(out.path.join(MARKER), "").map_err(out.failed(MARKER))?;
        Ok(out)
    }

    /// The directory of a run that is to be continued. A line that a killed run did not finish is removed.
    pub fn reopen(path: &Path) -> Result<OutDir, OutDirError> {
        let out = OutDir { path: path.to_owned() };
        if !out.path.join(MARKER).exists() {
            return Err(OutDirError::NoRun(out.path));
        }
        // The run was killed after it removed the old file and before it renamed the new one, which was complete.
        let frontier = out.path.join(FRONTIER);
        if !frontier.exists() {
            let _ = fs::rename(out.path.join(format!("{FRONTIER}{PARTIAL}")), frontier);
        }
        for name in [record::FILE, KNOWN] {
            let text = match fs::read(out.path.join(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                text => text.map_err(out.failed(name))?,
            };
            let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            if whole < text.len() {
                out.replace(name, &text[..whole])?;
            }
        }
        Ok(out)
    }

    /// The highest number of an existing test.
    pub fn last_test(&self) -> Result<u64, OutDirError> {
        let names = self.names()?;
        Ok(names.iter().filter_map(|name| test_number(name)).max().unwrap_or(0))
    }

    /// The findings so far.
    pub fn known_findings(&self) -> Result<Vec<Finding>, OutDirError> {
        let text = match fs::read_to_string(self.path.join(KNOWN)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(self.failed(KNOWN))?,
        };
        let mut findings: Vec<Finding> = Vec::new();
        for finding in text
            .lines()
            .filter_map(|line| serde_json::from_str::<Finding>(line).ok())
        {
            // A shorter path to it, or another caller that leads to it.
            let same = |known: &&mut Finding| known.test.is_some() && known.is_same_error(&finding);
            match findings.iter_mut().find(same) {
                Some(known) => *known = finding,
                None => findings.push(finding),
            }
        }
        Ok(findings)
    }

    /// Adds a finding to those that a resumed run knows.
    pub fn append_known(&self, finding: &Finding) -> Result<(), OutDirError> {
        self.append(KNOWN, &record::json_line(finding))
    }

    /// Writes what is left to explore.
    pub fn write_frontier(&self, text: &[u8]) -> Result<(), OutDirError> {
        self.replace(FRONTIER, text)
    }

    /// What was left to explore.
    pub fn read_frontier(&self) -> Result<Vec<u8>, OutDirError> {
        match fs::read(self.path.join(FRONTIER)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(OutDirError::NoRun(self.path.clone())),
            text => text.map_err(self.failed(FRONTIER)),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the standard input of the program is kept, and the files that it has read.
    pub fn outside(&self) -> (PathBuf, PathBuf) {
        outside_of(&self.path)
    }

    /// Writes test case `number` and returns its file name. `suffix` says what the test shows, such as a rule's id.
    pub fn write_test(&self, number: u64, test: &KTest, suffix: Option<&str>) -> Result<String, OutDirError> {
        let name = match suffix {
            Some(suffix) => format!("test{number:06}-{suffix}.ktest"),
            None => format!("test{number:06}.ktest"),
        };
        let bytes = test.to_bytes().map_err(|source| OutDirError::Test {
            path: self.path.join(&name),
            source,
        })?;
        // One write of a few bytes: a temporary name would cost more than the test.
        let path = self.path.join(&name);
        if let Err(error) = fs::write(&path, &bytes) {
            let _ = fs::remove_file(&path);
            return Err(self.failed(&name)(error));
        }
        Ok(name)
    }

    /// Removes these tests and what is predicted for them.
    pub fn remove_tests(&self, names: &BTreeSet<String>) -> Result<(), OutDirError> {
        let kept = record::read_records(&self.path).map_err(self.failed(record::FILE))?;
        let kept = kept.iter().filter(|record| !names.contains(&record.test));
        let lines: String = kept.map(record::json_line).collect();
        self.replace(record::FILE, lines.as_bytes())?;
        for name in names {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.failed(name)(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds a rendered finding to `findings.txt`.
    pub fn append_finding(&self, text: &str) -> Result<(), OutDirError> {
        self.append(FINDINGS, &entry(text))
    }

    /// Replaces `findings.txt` by these rendered findings.
    pub fn write_findings(&self, texts: &[String]) -> Result<(), OutDirError> {
        let entries: String = texts.iter().map(|text| entry(text)).collect();
        self.replace(FINDINGS, entries.as_bytes())
    }

    /// Adds the prediction for a test to `tests.jsonl`.
    pub fn append_record(&self, record: &TestRecord) -> Result<(), OutDirError> {
        self.append(record::FILE, &record::json_line(record))
    }

    /// Leaves one line for each test in `tests.jsonl`: the last, where a shorter path to a finding was found.
    pub fn tidy_records(&self) -> Result<(), OutDirError> {
        match record::tidied(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(record::FILE)(error)),
            Ok(Some(text)) => self.replace(record::FILE, text.as_bytes()),
            _ => Ok(()),
        }
    }

    /// Writes `findings.sarif`.
    pub fn write_sarif(&self, log: &serde_json::Value) -> Result<(), OutDirError> {
        self.replace(SARIF, format!("{log:#}\n").as_bytes())
    }

    /// Writes `coverage.info`.
    pub fn write_coverage(&self, text: &str) -> Result<(), OutDirError> {
        self.replace(COVERAGE, text.as_bytes())
    }

    /// Writes `stats.json`.
    pub fn write_stats(&self, stats: &Stats) -> Result<(), OutDirError> {
        self.replace(STATS, stats.to_json().as_bytes())
    }

    fn append(&self, name: &str, text: &str) -> Result<(), OutDirError> {
        let file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.path.join(name));
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(self.failed(name))
    }

    /// The file appears with all its contents or not at all.
    fn replace(&self, name: &str, contents: &[u8]) -> Result<(), OutDirError> {
        let partial = self.path.join(format!("{name}{PARTIAL}"));
        let path = self.path.join(name);
        let written = fs::write(&partial, contents).and_then(|()| {
            // Renaming over a file makes ext4 flush it first, which takes long on a busy disk.
            let _ = fs::remove_file(&path);
            fs::rename(&partial, &path)
        });
        if written.is_err() {
            let _ = fs::remove_file(&partial);
        }
        written.map_err(self.failed(name))
    }

    fn names(&self) -> Result<Vec<String>, OutDirError> {
        let entries = fs::read_dir(&self.path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(self.failed(""))?;
        Ok(entries
            .into_iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect())
    }

    fn failed(&self, name: &str) -> impl FnOnce(io::Error) -> OutDirError + use<> {
        let path = if name.is_empty() {
            self.path.clone()
        } else {
            self.path.join(name)
        };
        |source| OutDirError::Io { path, source }
    }
}

/// The number in the file name of a test.
pub fn test_number(name: &str) -> Option<u64> {
    name.strip_prefix("test")?.split(['-', '.']).next()?.parse().ok()
}

/// A finding in `findings.txt`.
fn entry(text: &str) -> String {
    format!("{}\n\n", text.trim_end())
}

fn is_result(name: &str) -> bool {
    let name = name.strip_suffix(PARTIAL).unwrap_or(name);
    matches!(
        name,
        FINDINGS | SARIF | STATS | COVERAGE | KNOWN | FRONTIER | record::FILE
    ) || name.starts_with("test") && name.ends_with(".ktest")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sarif::sarif;
    use mneme_finding::Location;
    use mneme_finding::Rule;

    fn names(dir: &Path) -> Vec<String> {
        let mut names = OutDir { path: dir.to_owned() }.names().unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_run_writes_its_results() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/out");
        let out = OutDir::create(Some(&path)).unwrap();
        assert_eq!(
            out.write_test(1, &KTest::new("prog"), None).unwrap(),
            "test000001.ktest"
        );
        assert_eq!(
            out.write_test(12, &KTest::new("prog"), Some("abort")).unwrap(),
            "test000012-abort.ktest"
        );
        out.append_finding("one\n").unwrap();
        out.append_finding("two").unwrap();
        out.write_sarif(&sarif(
            &[Finding::new(Rule::Abort, Location::default())],
            Path::new("/"),
        ))
        .unwrap();
        out.write_stats(&Stats::default()).unwrap();
        out.write_stats(&Stats {
            instructions: 7,
            ..Stats::default()
        })
        .unwrap();
        let expected = [
            ".mneme",
            "findings.sarif",
            "findings.txt",
            "stats.json",
            "test000001.ktest",
            "test000012-abort.ktest",
        ];
        assert_eq!(names(&path), expected);
        assert_eq!(fs::read_to_string(path.join("findings.txt")).unwrap(), "one\n\ntwo\n\n");
        let stats = Stats::from_json(&fs::read_to_string(path.join("stats.json")).unwrap()).unwrap();
        assert_eq!(stats.instructions, 7);
    }

    #[test]
    fn the_next_run_removes_results_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let out = OutDir::create(Some(dir.path())).unwrap();
        out.write_test(1, &KTest::new("prog"), None).unwrap();
        out.append_finding("old").unwrap();
        fs::write(dir.path().join("notes.md"), "mine").unwrap();
        fs::write(dir.path().join("stats.json.partial"), "{").unwrap();
        OutDir::create(Some(dir.path())).unwrap();
        assert_eq!(names(dir.path()), [".mneme", "notes.md"]);
    }

    #[test]
    fn a_foreign_directory_is_refused_and_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("stats.json"), "precious").unwrap();
        let error = OutDir::create(Some(dir.path())).unwrap_err();
        assert!(
            error.to_string().contains("is not empty and was not made by mneme"),
            "{error}"
        );
        assert_eq!(names(dir.path()), ["stats.json"]);
    }

    #[test]
    fn a_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(
            OutDir::create(Some(&file)),
            Err(OutDirError::NotADirectory(_))
        ));
    }
}
