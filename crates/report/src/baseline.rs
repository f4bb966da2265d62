//! Known findings: those that a team has seen and that should not fail its builds again.
//!
//! A finding is recognised by its rule, file, function and the text of its source line, a leak also by the text of the
//! line where its block was allocated, so that edits elsewhere do not make it new; if the same text occurs several
//! times in a function, the baseline counts. It is a text file with one JSON object per line, sorted, so that its
//! changes read well in a review.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::place::{relative, source};
use mneme_finding::{BaselineState, Finding, Identity, Location};

/// The first line of the file, which says what it is.
const HEADER: &str = r#"{"mneme-baseline":1}"#;
/// The largest file that is read; a hundred thousand findings fit.
const MOST_BYTES: u64 = 1 << 26;

/// The identity of a finding; the source is read from disk.
pub fn identify(finding: &Finding, cwd: &Path) -> Identity {
    let file = relative(&finding.location.file, cwd);
    let text = |place: &Location| source_line(&cwd.join(relative(&place.file, cwd)), place.line);
    Identity {
        file: file.to_owned(),
        function: finding.location.function.clone(),
        rule: finding.rule.to_string(),
        text: text(&finding.location).unwrap_or_default(),
        block: finding.lost_block().and_then(text).unwrap_or_default(),
    }
}

fn source_line(file: &Path, line: u32) -> Option<String> {
    let index = line.checked_sub(1)? as usize;
    let source = source(file)?;
    let line = source.split(|byte| *byte == b'\n').nth(index)?;
    let text = String::from_utf8_lossy(line);
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Known findings, each with how often it occurs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Baseline {
    known: BTreeMap<Identity, u64>,
}

/// Why a baseline could not be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("there is no baseline {}; `--write-baseline` makes one", .0.display())]
    Missing(PathBuf),
    #[error("the baseline {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is no baseline: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("the baseline {} cannot be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

/// One line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    function: String,
    rule: String,
    text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    block: String,
    #[serde(default = "once", skip_serializing_if = "is_once")]
    count: u64,
}

fn once() -> u64 {
    1
}

fn is_once(count: &u64) -> bool {
    *count == 1
}

impl Baseline {
    /// Adds one occurrence.
    pub fn add(&mut self, identity: Identity) {
        *self.known.entry(identity).or_default() += 1;
    }

    /// Is a finding known? Each known one matches as often as it is counted.
    pub fn take(&mut self, identity: &Identity) -> BaselineState {
        match self.known.get_mut(identity) {
            Some(count @ 1..) => {
                *count -= 1;
                BaselineState::Unchanged
            }
            _ => BaselineState::New,
        }
    }

    /// How many occurrences were not matched.
    pub fn left(&self) -> u64 {
        self.known.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    pub fn read(path: &Path) -> Result<Baseline, BaselineError> {
        let unreadable = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::NotFound => BaselineError::Missing(path.to_owned()),
            _ => BaselineError::Unreadable {
                path: path.to_owned(),
                source,
            },
        };
        let malformed = |reason: String| BaselineError::Malformed {
            path: path.to_owned(),
            reason,
        };
        let about = fs::metadata(path).map_err(unreadable)?;
        if about.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
        }
        if !about.is_file() || about.len() > MOST_BYTES {
            return Err(malformed("it is not a file of a reasonable size".into()));
        }
        Baseline::from_bytes(&fs::read(path).map_err(unreadable)?).map_err(malformed)
    }

    /// The contents of a baseline file, or what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Baseline, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())?;
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line.trim_end()) != Some(HEADER) {
            return Err(format!("it does not begin with the line {HEADER}"));
        }
        let mut baseline = Baseline::default();
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let entry: Entry = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
            let identity = Identity {
                file: entry.file,
                function: entry.function,
                rule: entry.rule,
                text: entry.text,
                block: entry.block,
            };
            let count = baseline.known.entry(identity).or_default();
            *count = count.saturating_add(entry.count);
        }
        Ok(baseline)
    }

    /// Writes the file; the old one stays intact until the new one is complete.
    pub fn write(&self, path: &Path) -> Result<(), BaselineError> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        fs::write(&partial, self.to_text())
            .and_then(|()| fs::rename(&partial, path))
            .map_err(|source| BaselineError::Unwritable {
                path: path.to_owned(),
                source,
            })
    }

    fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (identity, count) in &self.known {
            let entry = Entry {
                file: identity.file.clone(),
                function: identity.function.clone(),
                rule: identity.rule.clone(),
                text: identity.text.clone(),
                block: identity.block.clone(),
                count: *count,
            };
            text.push_str(&serde_json::to_string(&entry).expect("plain data has a JSON form"));
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_finding::Rule;

    fn identity(text: &str) -> Identity {
        Identity {
            file: "a.c".into(),
            function: "main".into(),
            rule: "abort".into(),
            text: text.into(),
            block: String::new(),
        }
    }

    #[test]
    fn a_finding_is_recognised_when_its_line_moves_and_is_indented() {
        let dir = tempfile::tempdir().unwrap();
        let at = |line| {
            let location = Location {
                file: dir.path().join("a.c").to_str().unwrap().into(),
                line,
                column: 3,
                function: "main".into(),
                ..Location::default()
            };
            identify(&Finding::new(Rule::Abort, location), dir.path())
        };
        fs::write(dir.path().join("a.c"), "int main(void) {\n  abort( );\n}\n").unwrap();
        let before = at(2);
        assert_eq!(before, identity("abort( );"));
        fs::write(
            dir.path().join("a.c"),
            "// new\nint main(void) {\n\t\tabort(  );\r\n}\n",
        )
        .unwrap();
        assert_eq!(at(3), before);
        assert_ne!(at(2).fingerprint(), before.fingerprint());
        // A hash that changed would make every known finding of every user new.
        assert_eq!(before.fingerprint(), "1de9dd23eeebf1b8");
        assert_eq!(at(99).text, "");
    }

    #[test]
    fn duplicates_are_counted() {
        let mut baseline = Baseline::default();
        baseline.add(identity("x();"));
        baseline.add(identity("x();"));
        let mut states = || baseline.take(&identity("x();"));
        assert_eq!(states(), BaselineState::Unchanged);
        assert_eq!(states(), BaselineState::Unchanged);
        assert_eq!(states(), BaselineState::New);
        assert_eq!(baseline.take(&identity("y();")), BaselineState::New);
        assert_eq!(baseline.left(), 0);
    }

    #[test]
    fn what_is_written_is_sorted_and_reads_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("known");
        let mut baseline = Baseline::default();
        for text in ["y(\"\\n\");", "x();", "x();"] {
            baseline.add(identity(text));
        }
        baseline.write(&path).unwrap();
        let expected = r#"{"mneme-baseline":1}
{"file":"a.c","function":"main","rule":"abort","text":"x();","count":2}
{"file":"a.c","function":"main","rule":"abort","text":"y(\"\\n\");"}
"#;
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(Baseline::read(&path).unwrap(), baseline);
    }

    #[test]
    fn a_bad_file_is_told_in_one_sentence() {
        let bad = |text: &str| Baseline::from_bytes(text.as_bytes()).unwrap_err();
        assert_eq!(bad(""), "it does not begin with the line {\"mneme-baseline\":1}");
        let reason = bad("{\"mneme-baseline\":1}\n\n{\"file\":3}\n");
        assert!(reason.starts_with("line 3: invalid type"), "{reason}");
        assert!(Baseline::from_bytes(b"\xff").unwrap_err().contains("UTF-8"));
        let missing = Baseline::read(Path::new("/nowhere/known")).unwrap_err();
        assert_eq!(
            missing.to_string(),
            "there is no baseline /nowhere/known; `--write-baseline` makes one"
        );
        assert!(Baseline::read(Path::new("/dev/zero")).is_err());
        assert!(Baseline::read(Path::new("/")).is_err());
    }
}
