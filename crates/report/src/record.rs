//! What is predicted for each test: the lines of `tests.jsonl`, with which `mneme replay` compares native runs.
//!
//! One JSON object per line, appended when the test is written: a killed run leaves a readable file.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use mneme_finding::{Access, Call, Finding, Object};
use serde::{Deserialize, Serialize};

/// One test and what a native run of it has to show.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestRecord {
    /// File name of the test.
    pub test: String,
    /// What the program exits with; absent if it does not get there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// Why the path was left before its end; nothing is predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<String>,
    /// A resumed run continues this path, and replaces the test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// What the program writes to standard output before it exits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<OutputRecord>,
    /// Which of the allocations that the program's own code asks for fail, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing_allocations: Vec<u32>,
    /// What the path needs besides its inputs but a native run cannot be made to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_inputs: Option<String>,
    /// Identifies the path that the test takes, so that it is not written twice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How the function was called, if it was run alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// The finding that the test shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingRecord>,
}

/// The beginning of a program's output.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OutputRecord {
    /// As it is, where it is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// In hexadecimal, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// There is no more.
    pub complete: bool,
}

impl OutputRecord {
    pub fn new(bytes: &[u8], complete: bool) -> OutputRecord {
        let text = std::str::from_utf8(bytes).ok().map(str::to_owned);
        let hex = || bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        OutputRecord {
            hex: text.is_none().then(hex),
            text,
            complete,
        }
    }

    /// What the program writes; a file that was tampered with has nothing after the damage.
    pub fn bytes(&self) -> Vec<u8> {
        let digits = self.hex.as_deref().unwrap_or_default().as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        match &self.text {
            Some(text) => text.clone().into_bytes(),
            None => digits.chunks(2).map_while(byte).collect(),
        }
    }
}

/// What identifies a finding natively.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FindingRecord {
    /// The id of its rule.
    pub rule: String,
    pub message: String,
    pub file: String,
    pub line: u32,
    /// Other places that it mentions, such as where the object was allocated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<(String, u32)>,
    /// The object that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Object>,
    /// What was done to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
}

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> FindingRecord {
        let related = finding.notes.iter().filter_map(|note| note.location.as_ref());
        let related = related.filter(|place| !place.file.is_empty());
        FindingRecord {
            rule: finding.rule.as_str().into(),
            message: finding.message.clone(),
            file: finding.location.file.clone(),
            line: finding.location.line,
            related: related.map(|place| (place.file.clone(), place.line)).collect(),
            object: finding.object.clone(),
            access: finding.access.clone(),
        }
    }
}

/// A line of a file that has one JSON object per line.
pub(crate) fn json_line(data: &impl Serialize) -> String {
    let mut line = serde_json::to_string(data).expect("plain data has a JSON form");
    line.push('\n');
    line
}

/// All records of a directory of results, in the order of the tests; none if there is no such file. Of several records
/// of a test the last counts: a shorter path to its finding was found. An incomplete last line is ignored.
pub fn read_records(dir: &Path) -> io::Result<Vec<TestRecord>> {
    let text = match fs::read_to_string(dir.join(FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut records: Vec<TestRecord> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for record in text
        .lines()
        .filter_map(|line| serde_json::from_str::<TestRecord>(line).ok())
    {
        match positions.get(&record.test) {
            Some(&position) => records[position] = record,
            None => {
                positions.insert(record.test.clone(), records.len());
                records.push(record);
            }
        }
    }
    Ok(records)
}

/// The file with one line for each test; `None` if it has no more already.
pub(crate) fn tidied(dir: &Path) -> io::Result<Option<String>> {
    let text = fs::read_to_string(dir.join(FILE))?;
    let records = read_records(dir)?;
    let lines = || records.iter().map(json_line).collect();
    Ok((records.len() < text.lines().count()).then(lines))
}

/// The name of the file.
pub(crate) const FILE: &str = "tests.jsonl";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_of_a_test_counts() {
        let dir = tempfile::tempdir().unwrap();
        let record = |test: &str, exit_code| TestRecord {
            test: test.into(),
            exit_code: Some(exit_code),
            ..TestRecord::default()
        };
        let lines = [record("a", 1), record("b", 2), record("a", 3)].map(|record| json_line(&record));
        fs::write(dir.path().join(FILE), lines.concat()).unwrap();
        assert_eq!(read_records(dir.path()).unwrap(), [record("a", 3), record("b", 2)]);
        let tidy = tidied(dir.path()).unwrap().unwrap();
        assert_eq!(tidy, lines[2].clone() + &lines[1]);
        fs::write(dir.path().join(FILE), tidy).unwrap();
        assert_eq!(tidied(dir.path()).unwrap(), None);
    }

    #[test]
    fn output_is_escaped_once() {
        let line = |bytes: &[u8]| json_line(&OutputRecord::new(bytes, true));
        assert_eq!(
            line(b"a\t\"b\"\n"),
            "{\"text\":\"a\\t\\\"b\\\"\\n\",\"complete\":true}\n"
        );
        assert_eq!(line(b"\xff\x00"), "{\"hex\":\"ff00\",\"complete\":true}\n");
        for bytes in [&b"a\tb\n"[..], b"\xff\x00", b""] {
            assert_eq!(OutputRecord::new(bytes, true).bytes(), bytes);
        }
    }

    #[test]
    fn records_read_back_and_a_cut_line_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read_records(dir.path()).unwrap(), []);
        let completed = TestRecord {
            test: "test000001.ktest".into(),
            exit_code: Some(3),
            ..TestRecord::default()
        };
        assert_eq!(
            json_line(&completed),
            "{\"test\":\"test000001.ktest\",\"exit_code\":3}\n"
        );
        let faulted = TestRecord {
            test: "test000002-abort.ktest".into(),
            finding: Some(FindingRecord {
                rule: "abort".into(),
                message: "the program aborts".into(),
                file: "a.c".into(),
                line: 7,
                related: vec![("a.c".into(), 2)],
                ..FindingRecord::default()
            }),
            ..TestRecord::default()
        };
        let cut = &json_line(&completed)[..20];
        let text = format!("{}{}{cut}", json_line(&completed), json_line(&faulted));
        fs::write(dir.path().join(FILE), text).unwrap();
        assert_eq!(read_records(dir.path()).unwrap(), [completed, faulted]);
    }
}
