//! `mneme replay`: runs tests natively; `mneme run --confirm` does so for findings.

use crate::cli::{CompileArgs, Format, ReplayArgs, RunArgs};
use crate::exit;
use crate::writer::Writer;
use mneme_finding::Confirmations;
use mneme_replay::{Confirmation, Expectation, Outcome, Place, Prediction, ReplayError, Replayer, Source};
use mneme_report::{TestRecord, read_records, test_files};
use mneme_solver::Interrupt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the test of a finding may run.
const TEST_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Program(#[from] mneme_program::ProgramError),
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("there is no test in {}", .0.display())]
    NoTests(PathBuf),
    #[error("--expect and --expect-exit go with one test, and {} is a directory", .0.display())]
    OneExpectation(PathBuf),
    #[error("`{0}` is not an expectation; write RULE or RULE@FILE:LINE, such as double-free@list.c:12")]
    Expectation(String),
    #[error("there is no file {}; check the path", .0.display())]
    NoSuchFile(PathBuf),
}

pub fn replay(args: &ReplayArgs) -> Result<u8, Error> {
    args.files.iter().try_for_each(|file| mneme_program::admit(file))?;
    if !args.test.exists() {
        return Err(Error::NoSuchFile(args.test.clone()));
    }
    let asked = asked(args)?;
    let timeout = Duration::from_secs_f64(args.timeout);
    let mut replayer = Replayer::new(source(&args.files, &args.compile), timeout)?;
    let mut replayed = Vec::new();
    for (path, prediction) in tests(args)? {
        let prediction = asked.clone().or(prediction);
        let seen = see(&mut replayer, &path, prediction.as_ref(), args)?;
        let test = Replayed { path, prediction, seen };
        if args.format == Format::Text {
            say!("{}", test.line());
        }
        replayed.push(test);
    }
    let counts = counts(&replayed);
    let unpredicted = replayed.iter().filter(|test| test.prediction.is_none()).count();
    match args.format {
        Format::Json => say!("{:#}", document(&replayed, &counts, unpredicted)),
        Format::Text if args.test.is_dir() => say!("{}", totals(&counts, unpredicted)),
        Format::Text => {}
    }
    Ok(match (counts.unconfirmed, counts.not_checkable) {
        (1.., _) => exit::FINDINGS,
        (0, 1..) => exit::INCOMPLETE,
        (0, 0) => exit::CLEAN,
    })
}

/// A test that was run, and the result.
struct Replayed {
    path: PathBuf,
    prediction: Option<Prediction>,
    seen: Seen,
}

enum Seen {
    Judged(Confirmation),
    /// What happened where nothing was predicted.
    Described(String),
}

impl Replayed {
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn line(&self) -> String {
        let name = self.name();
        match &self.seen {
            Seen::Described(seen) => format!("{name}: {seen} (nothing is predicted)"),
            Seen::Judged(confirmation) => match self.prediction.as_ref().map(|prediction| &prediction.outcome) {
                Some(Outcome::Finding(expected)) => format!("{name}: {} {confirmation}", expected.rule),
                _ => format!("{name}: {confirmation}"),
            },
        }
    }

    fn json(&self) -> Value {
        let predicted = self.prediction.as_ref().map(|prediction| match &prediction.outcome {
            Outcome::Exit(code) => json!({ "exit_code": code }),
            Outcome::Finding(expected) => json!({
                "rule": expected.rule.as_str(),
                "file": expected.place.as_ref().map(|place| place.file.display().to_string()),
                "line": expected.place.as_ref().map(|place| place.line),
            }),
        });
        let (verdict, reason) = match &self.seen {
            Seen::Judged(confirmation) => (Some(confirmation.verdict()), confirmation.reason()),
            Seen::Described(seen) => (None, seen.as_str()),
        };
        json!({ "test": self.name(), "predicted": predicted, "verdict": verdict, "reason": reason })
    }
}

/// Runs a test. One damaged test of many is no reason to skip the others.
fn see(
    replayer: &mut Replayer,
    test: &Path,
    prediction: Option<&Prediction>,
    args: &ReplayArgs,
) -> Result<Seen, ReplayError> {
    let arguments = args.args.as_deref();
    let seen = match prediction {
        Some(prediction) => replayer.check(test, prediction, arguments).map(Seen::Judged),
        None => replayer.describe(test, arguments).map(|described| match described {
            Ok(seen) => Seen::Described(seen),
            Err(reason) => Seen::Judged(Confirmation::NotCheckable(reason)),
        }),
    };
    match seen {
        Err(ReplayError::Test { source, .. }) if args.test.is_dir() => {
            Ok(Seen::Judged(Confirmation::NotCheckable(source.to_string())))
        }
        seen => seen,
    }
}

fn counts(replayed: &[Replayed]) -> Confirmations {
    let mut counts = Confirmations::default();
    for test in replayed {
        if let Seen::Judged(confirmation) = &test.seen {
            counts.add(confirmation);
        }
    }
    counts
}

/// All tests as one document; `docs/json.md` says what is in it.
fn document(replayed: &[Replayed], counts: &Confirmations, unpredicted: usize) -> Value {
    json!({
        "version": 1,
        "tests": replayed.iter().map(Replayed::json).collect::<Vec<_>>(),
        "totals": {
            "confirmed": counts.confirmed,
            "unconfirmed": counts.unconfirmed,
            "not_checkable": counts.not_checkable,
            "unpredicted": unpredicted,
        },
    })
}

/// Replays the findings of a run and marks them in all its outputs.
pub fn confirm(args: &RunArgs, writer: &mut Writer, interrupt: &Interrupt) -> Result<Confirmations, ReplayError> {
    let mut counts = Confirmations::default();
    if writer.findings.is_empty() {
        return Ok(counts);
    }
    let predictions: BTreeMap<String, Prediction> = read_records(writer.out().path())
        .unwrap_or_default()
        .iter()
        .filter_map(|record| Some((record.test.clone(), Prediction::from_record(record)?)))
        .collect();
    let mut replayer = Replayer::new(source(&args.files, &args.compile), TEST_TIMEOUT)?;
    let mut confirmations = Vec::new();
    for finding in &writer.findings {
        let test = finding.test.as_ref();
        let confirmation = match test.and_then(|test| Some((test, predictions.get(test)?))) {
            _ if interrupt.is_set() => Confirmation::NotCheckable("the run was interrupted".into()),
            None => Confirmation::NotCheckable("the test could not be written".into()),
            Some((test, prediction)) => replayer.check(&writer.out().path().join(test), prediction, None)?,
        };
        counts.add(&confirmation);
        if args.format == Format::Text {
            let (rule, line) = (finding.rule.as_str(), finding.location.line);
            say!("{rule} at line {line}: {confirmation}");
        }
        confirmations.push(confirmation);
    }
    writer.confirmed(confirmations);
    Ok(counts)
}

fn source(files: &[PathBuf], compile: &CompileArgs) -> Source {
    let words = compile.cflags.iter().flat_map(|flags| flags.split_whitespace());
    let mut flags: Vec<OsString> = words.map(Into::into).collect();
    flags.extend(compile.defines.iter().map(|define| format!("-D{define}").into()));
    for directory in &compile.includes {
        flags.extend(["-I".into(), directory.into()]);
    }
    flags.extend(compile.clang_flags.iter().map(Into::into));
    Source {
        files: files.to_vec(),
        flags,
        target32: compile.target32,
        clang: compile.clang.clone(),
    }
}

/// The tests to be replayed, each with its prediction.
fn tests(args: &ReplayArgs) -> Result<Vec<(PathBuf, Option<Prediction>)>, Error> {
    let dir = match args.test.is_dir() {
        true => args.test.as_path(),
        false => args.test.parent().unwrap_or(Path::new("")),
    };
    let unreadable = |source| Error::Unreadable {
        path: dir.to_owned(),
        source,
    };
    let records: BTreeMap<String, TestRecord> = read_records(dir)
        .map_err(unreadable)?
        .into_iter()
        .map(|record| (record.test.clone(), record))
        .collect();
    let mut paths = vec![args.test.clone()];
    if args.test.is_dir() {
        paths = test_files(dir).map_err(unreadable)?;
    }
    if paths.is_empty() {
        return Err(Error::NoTests(dir.to_owned()));
    }
    let prediction = |path: &PathBuf| {
        let record = records.get(path.file_name()?.to_str()?);
        record
            .and_then(Prediction::from_record)
            .or_else(|| Prediction::from_name(path))
    };
    Ok(paths
        .into_iter()
        .map(|path| {
            let prediction = prediction(&path);
            (path, prediction)
        })
        .collect())
}

/// What the command line predicts.
fn asked(args: &ReplayArgs) -> Result<Option<Prediction>, Error> {
    let asked = match (&args.expect, args.expect_exit) {
        (Some(text), _) => {
            let expectation = expectation(text).ok_or_else(|| Error::Expectation(text.clone()))?;
            Some(Outcome::Finding(expectation))
        }
        (None, code) => code.map(Outcome::Exit),
    };
    match asked {
        Some(_) if args.test.is_dir() => Err(Error::OneExpectation(args.test.clone())),
        asked => Ok(asked.map(Prediction::from)),
    }
}

/// `RULE` or `RULE@FILE:LINE`.
fn expectation(text: &str) -> Option<Expectation> {
    let (rule, place) = match text.split_once('@') {
        Some((rule, place)) => (rule, Some(place.rsplit_once(':')?)),
        None => (text, None),
    };
    let mut expectation = Expectation::of_rule(rule.parse().ok()?);
    if let Some((file, line)) = place {
        expectation.place = Some(Place::new(file, line.parse().ok()?)?);
    }
    Some(expectation)
}

fn totals(counts: &Confirmations, unpredicted: usize) -> String {
    let rest = match unpredicted {
        0 => String::new(),
        n => format!(", {n} without a prediction"),
    };
    format!(
        "{} confirmed, {} unconfirmed, {} not checkable{rest}",
        counts.confirmed, counts.unconfirmed, counts.not_checkable
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_name_a_rule_and_maybe_a_line() {
        let full = expectation("double-free@src/list.c:12").unwrap();
        assert_eq!(full.place, Place::new("src/list.c", 12));
        assert_eq!(full.rule.as_str(), "double-free");
        assert_eq!(expectation("abort").unwrap().place, None);
        for wrong in ["frob", "abort@a.c", "abort@a.c:x", "abort@a.c:0", ""] {
            assert_eq!(expectation(wrong), None, "{wrong}");
        }
    }
}
