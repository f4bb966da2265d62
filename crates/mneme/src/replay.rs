//! `mneme replay`: runs tests natively; `mneme run --confirm` does so for findings.

use crate::cli::{self, CompileArgs, Format, ReplayArgs};
use crate::exit;
use crate::flags::Flags;
use crate::writer::Writer;
use mneme_finding::Confirmations;
use mneme_replay::{Confirmation, Expectation, Outcome, Prediction, ReplayError, Replayer, Source, SourceLine};
use mneme_report::{TestRecord, Unit, fixture, read_records, spot, test_files, test_number};
use mneme_solver::Interrupt;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
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
    let (tests, records) = tests(args)?;
    let mut replayer = replayer(source(&args.files, &args.compile, &records), timeout)?;
    let mut replayed = Vec::new();
    for (path, prediction) in tests {
        let prediction = asked.clone().or(prediction);
        let number = call_number(&records, &path);
        let arguments = number.as_ref().map(std::slice::from_ref).or(args.args.as_deref());
        let seen = see(&mut replayer, &path, prediction.as_ref(), arguments, args.test.is_dir())?;
        let test = Replayed { path, prediction, seen };
        if args.format == Format::Text {
            say!("{}", test.line());
        }
        replayed.push(test);
    }
    let counts = counts(&replayed);
    let unpredicted = replayed.iter().filter(|test| test.prediction.is_none()).count();
    match args.format {
        Format::Json => say!("{:#}", document(&replayed, &counts, unpredicted, replayer.shortfalls())),
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
    arguments: Option<&[String]>,
    one_of_many: bool,
) -> Result<Seen, ReplayError> {
    let seen = match prediction {
        Some(prediction) => replayer.check(test, prediction, arguments).map(Seen::Judged),
        None => replayer.describe(test, arguments).map(|described| match described {
            Ok(seen) => Seen::Described(seen),
            Err(reason) => Seen::Judged(Confirmation::NotCheckable(reason)),
        }),
    };
    match seen {
        Err(ReplayError::Test { source, .. }) if one_of_many => {
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
fn document(replayed: &[Replayed], counts: &Confirmations, unpredicted: usize, shortfalls: &[String]) -> Value {
    json!({
        "version": 1,
        "tests": replayed.iter().map(Replayed::json).collect::<Vec<_>>(),
        "totals": {
            "confirmed": counts.confirmed,
            "unconfirmed": counts.unconfirmed,
            "not_checkable": counts.not_checkable,
            "unpredicted": unpredicted,
        },
        "unconfined": shortfalls,
    })
}

/// Replays the findings of a run and marks them in all its outputs.
pub fn confirm(
    (files, compile): (&[PathBuf], &CompileArgs),
    format: Format,
    writer: &mut Writer,
    interrupt: &Interrupt,
) -> Result<Confirmations, ReplayError> {
    let mut counts = Confirmations::default();
    if writer.findings.is_empty() {
        return Ok(counts);
    }
    let records = read_records(writer.out().path()).unwrap_or_default();
    let predictions: BTreeMap<String, Prediction> = records
        .iter()
        .filter_map(|record| Some((record.test.clone(), Prediction::from_record(record)?)))
        .collect();
    // Functions of several files are reached from one file of tests each.
    let home = |record: &TestRecord| record.call.as_ref().map(|call| call.file.clone());
    let mut homes: BTreeMap<Option<String>, Vec<TestRecord>> = BTreeMap::new();
    for record in &records {
        homes.entry(home(record)).or_default().push(record.clone());
    }
    let mut replayers = BTreeMap::new();
    let mut confirmations = Vec::new();
    for finding in &writer.findings {
        let test = finding.test.as_ref();
        let confirmation = match test.and_then(|test| Some((test, predictions.get(test)?))) {
            _ if interrupt.is_set() => Confirmation::NotCheckable("the run was interrupted".into()),
            None => Confirmation::NotCheckable("the test could not be written".into()),
            Some((test, prediction)) => {
                let path = writer.out().path().join(test);
                let number = call_number(&records, &path);
                let home = records.iter().find(|record| record.test == *test).and_then(home);
                let replayer = match replayers.entry(home) {
                    Entry::Occupied(made) => made.into_mut(),
                    Entry::Vacant(place) => {
                        let records = homes.get(place.key()).map(Vec::as_slice).unwrap_or_default();
                        place.insert(replayer(source(files, compile, records), TEST_TIMEOUT)?)
                    }
                };
                replayer.check(&path, prediction, number.as_ref().map(std::slice::from_ref))?
            }
        };
        counts.add(&confirmation);
        if format == Format::Text {
            say!(
                "{} at {}: {confirmation}",
                finding.rule,
                spot(&finding.location, writer.cwd())
            );
        }
        confirmations.push(confirmation);
    }
    writer.confirmed(confirmations);
    Ok(counts)
}

/// Says once what the kernel cannot keep a native run from.
fn replayer(source: Source, timeout: Duration) -> Result<Replayer, ReplayError> {
    let helper = ["/proc/self/exe".into(), cli::CONFINED_RUN.into()];
    let replayer = Replayer::new(source, timeout, &helper)?;
    if !replayer.shortfalls().is_empty() {
        let shortfalls = replayer.shortfalls().join("; ");
        eprintln!("mneme: native runs are not fully confined: {shortfalls}");
    }
    Ok(replayer)
}

/// The number of the call that a test of a function makes; `None` for tests of programs.
fn call_number(records: &[TestRecord], test: &Path) -> Option<String> {
    let name = test.file_name()?.to_str()?;
    let record = records.iter().find(|record| record.test == name)?;
    record.call.as_ref()?;
    test_number(name).map(|number| number.to_string())
}

/// What is compiled to run these tests. Those of a function that was run alone are one C file with a call for each.
fn source(files: &[PathBuf], compile: &CompileArgs, records: &[TestRecord]) -> Source {
    let mut source = program(files, compile);
    let call = |record: &'_ TestRecord| Some((test_number(&record.test)?, record.call.clone()?));
    let calls: Vec<_> = records.iter().filter_map(call).collect();
    if let Some((_, first)) = calls.first() {
        let calls: Vec<_> = calls.iter().map(|(number, call)| (*number, call)).collect();
        source.fixture = Some(fixture(&calls, &Unit::Source(first.file.clone())));
        let defining = Path::new(&first.file).canonicalize().ok();
        let is_it = |file: &PathBuf| file.canonicalize().ok() == defining;
        // The file of tests includes it.
        let own = source.flags_of.iter().find(|(file, _)| is_it(file));
        source
            .flags
            .extend(own.map(|(_, flags)| flags.clone()).unwrap_or_default());
        source.files.retain(|file| !is_it(file));
    }
    source
}

fn program(files: &[PathBuf], compile: &CompileArgs) -> Source {
    let words = compile.cflags.iter().flat_map(|flags| flags.split_whitespace());
    let mut flags: Vec<OsString> = words.map(Into::into).collect();
    flags.extend(compile.defines.iter().map(|define| format!("-D{define}").into()));
    for directory in &compile.includes {
        flags.extend(["-I".into(), directory.into()]);
    }
    let given = Flags::of(compile);
    flags.extend(given.native.into_iter().map(Into::into));
    flags.extend(compile.clang_flags.iter().map(Into::into));
    Source {
        files: files.to_vec(),
        fixture: None,
        flags,
        flags_of: {
            let native = |flags: &Flags| flags.native.iter().map(Into::into).collect();
            let all = compile.flags_of.iter();
            all.map(|(file, flags)| (file.clone(), native(flags))).collect()
        },
        link: given.link.into_iter().map(Into::into).collect(),
        entry: compile.entry.clone(),
        target32: compile.target32,
        clang: compile.clang.clone(),
    }
}

/// A test and what was predicted for it.
type Predicted = (PathBuf, Option<Prediction>);

/// The tests to be replayed, each with its prediction, and all that was recorded with them.
fn tests(args: &ReplayArgs) -> Result<(Vec<Predicted>, Vec<TestRecord>), Error> {
    let dir = match args.test.is_dir() {
        true => args.test.as_path(),
        false => args.test.parent().unwrap_or(Path::new("")),
    };
    let unreadable = |source| Error::Unreadable {
        path: dir.to_owned(),
        source,
    };
    let all = read_records(dir).map_err(unreadable)?;
    let records: BTreeMap<&str, &TestRecord> = all.iter().map(|record| (&*record.test, record)).collect();
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
            .and_then(|record| Prediction::from_record(record))
            .or_else(|| Prediction::from_name(path))
    };
    let predicted = |path: PathBuf| {
        let prediction = prediction(&path);
        (path, prediction)
    };
    let tests = paths.into_iter().map(predicted).collect();
    Ok((tests, all))
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
        expectation.place = Some(SourceLine::new(file, line.parse().ok()?)?);
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
        assert_eq!(full.place, SourceLine::new("src/list.c", 12));
        assert_eq!(full.rule.as_str(), "double-free");
        assert_eq!(expectation("abort").unwrap().place, None);
        for wrong in ["frob", "abort@a.c", "abort@a.c:x", "abort@a.c:0", ""] {
            assert_eq!(expectation(wrong), None, "{wrong}");
        }
    }
}
