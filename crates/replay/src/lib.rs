//! Tests as native runs: a program is compiled with sanitizers, run on a `.ktest`, and what happens is compared with
//! the prediction.
//!
//! A [`Replayer`] compiles a program once for each kind of instrumentation that is needed ([`instrument`]), runs tests
//! ([`process`]) where they can do no harm ([`confine`]), reads the reports of the sanitizers ([`observe`]) and
//! compares ([`judge`]). It never claims more than was observed: `Confirmed` needs a report of the predicted kind at
//! the predicted line.
//!
//! Deliberately absent: everything symbolic. A prediction is a rule and a place, wherever it comes from.

mod confine;
mod instrument;
mod judge;
mod observe;
mod process;

pub use confine::{Confinement, Room, confined_run};
pub use judge::{Expectation, SourceLine};
pub use mneme_finding::Confirmation;
pub use process::{Ending, Finished};

pub use instrument::Calls;
use instrument::{Instrumented, Tool, Workshop};
use mneme_finding::Rule;
use mneme_report::{KTest, OutputRecord, TestRecord};
use observe::Observation;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The program to be run natively.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// C files, bitcode or LLVM assembly.
    pub files: Vec<PathBuf>,
    /// One more C file, by its text: tests of a function that was run alone.
    pub fixture: Option<String>,
    /// For the compiler: `-D`, `-I` and others that affect the meaning of the program.
    pub flags: Vec<OsString>,
    /// More of them for single files.
    pub flags_of: BTreeMap<PathBuf, Vec<OsString>>,
    /// For the linker: libraries, and where they are.
    pub link: Vec<OsString>,
    /// The function without parameters that the program begins with, instead of `main`.
    pub entry: Option<String>,
    /// Compile for 32 bits.
    pub target32: bool,
    /// The compiler; `clang-19` if not given.
    pub clang: Option<PathBuf>,
}

/// What a native run of a test must show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prediction {
    pub outcome: Outcome,
    /// What it writes to standard output if it exits as predicted.
    pub stdout: Option<OutputRecord>,
    /// Which of the allocations made by the program's own code must fail, counted from 0.
    pub failing_allocations: Vec<u32>,
    /// What the path may depend on that a native run cannot reproduce; a different outcome then means nothing.
    pub beyond_inputs: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The program ends with this exit code and without a report.
    Exit(u8),
    Finding(Expectation),
}

impl From<Outcome> for Prediction {
    fn from(outcome: Outcome) -> Prediction {
        Prediction {
            outcome,
            stdout: None,
            failing_allocations: Vec::new(),
            beyond_inputs: None,
        }
    }
}

impl Prediction {
    /// The prediction recorded when the test was made; `None` if it has nothing that can be checked.
    pub fn from_record(record: &TestRecord) -> Option<Prediction> {
        let place = |(file, line): &(String, u32)| SourceLine::new(file, *line);
        let outcome = match &record.finding {
            None => Outcome::Exit(record.exit_code?),
            Some(finding) => Outcome::Finding(Expectation {
                rule: finding.rule.parse().ok()?,
                place: SourceLine::new(&finding.file, finding.line),
                related: finding.related.iter().filter_map(place).collect(),
                outside: finding.access.as_ref().and_then(|access| access.outside),
                object_size: finding.object.as_ref().and_then(|object| object.size),
            }),
        };
        Some(Prediction {
            outcome,
            stdout: record.stdout.clone(),
            failing_allocations: record.failing_allocations.clone(),
            beyond_inputs: record.beyond_inputs.clone(),
        })
    }

    /// The prediction in the name of a test: `test000001-double-free.ktest`.
    pub fn from_name(test: &Path) -> Option<Prediction> {
        let (_, rule) = test.file_stem()?.to_str()?.split_once('-')?;
        Some(Outcome::Finding(Expectation::of_rule(rule.parse().ok()?)).into())
    }
}

/// What can be wrong with a replay before anything runs.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("a temporary folder for the native program cannot be made: {0}")]
    Workshop(std::io::Error),
    #[error("{}: {source}", path.display())]
    Test {
        path: PathBuf,
        source: mneme_report::KTestError,
    },
}

/// A program that is compiled when the first test needs it, and then reused.
pub struct Replayer {
    workshop: Workshop,
    confinement: Confinement,
    timeout: Duration,
}

impl Replayer {
    /// `helper` starts a process that calls [`confined_run`] with the words that follow on its command line.
    pub fn new(source: Source, timeout: Duration, helper: &[OsString]) -> Result<Replayer, ReplayError> {
        let workshop = Workshop::new(source).map_err(ReplayError::Workshop)?;
        let confinement = Confinement::new(helper, workshop.folder());
        Ok(Replayer {
            workshop,
            confinement,
            timeout,
        })
    }

    /// What a native run can do although it should not, because the kernel cannot prevent it; in sentences.
    pub fn shortfalls(&self) -> &[String] {
        self.confinement.shortfalls()
    }

    /// Runs a test and compares with the prediction. `args` replace the test's own arguments.
    pub fn check(
        &mut self,
        test: &Path,
        prediction: &Prediction,
        args: Option<&[String]>,
    ) -> Result<Confirmation, ReplayError> {
        let tool = match &prediction.outcome {
            Outcome::Finding(expected) => tool_for(expected.rule),
            Outcome::Exit(_) => Tool::Address,
        };
        let mut confirmation = self.check_with(tool, test, prediction, args)?;
        // MemorySanitizer does not check everything: not the pointer of a call, for example.
        if tool == Tool::Memory && matches!(confirmation, Confirmation::Unconfirmed(_)) {
            let second = self.check_with(Tool::Valgrind, test, prediction, args)?;
            confirmation = match (confirmation, second) {
                (_, second @ Confirmation::Confirmed(_)) => second,
                (Confirmation::Unconfirmed(seen), Confirmation::NotCheckable(why)) => {
                    let reason = format!("{seen}; valgrind may see more than MemorySanitizer, but: {why}");
                    Confirmation::NotCheckable(reason)
                }
                (first, _) => first,
            };
        }
        Ok(match (confirmation, &prediction.beyond_inputs) {
            (Confirmation::Unconfirmed(seen), Some(why)) => Confirmation::NotCheckable(format!("{seen}; {why}")),
            (confirmation, _) => confirmation,
        })
    }

    fn check_with(
        &mut self,
        tool: Tool,
        test: &Path,
        prediction: &Prediction,
        args: Option<&[String]>,
    ) -> Result<Confirmation, ReplayError> {
        let mut check = |calls| -> Result<Confirmation, ReplayError> {
            let observed = self.observe(test, tool, args, &prediction.failing_allocations, calls)?;
            Ok(match observed {
                Err(reason) => Confirmation::NotCheckable(reason),
                Ok((build, observation)) => match &prediction.outcome {
                    Outcome::Exit(code) => judge::exit(*code, prediction.stdout.as_ref(), &observation),
                    Outcome::Finding(expected) => judge::finding(expected, &observation, build),
                },
            })
        };
        let seen = check(None)?;
        if !matches!(seen, Confirmation::Unconfirmed(_)) {
            return Ok(seen);
        }
        // It may have made files outside of its folder, where it may not write. The layer puts them into the folder.
        match check(Some(Calls::AsTested))? {
            again @ Confirmation::Confirmed(_) => Ok(again),
            _ => Ok(seen),
        }
    }

    /// Runs a test without a prediction and says what happens; the error says why it cannot be run.
    pub fn describe(&mut self, test: &Path, args: Option<&[String]>) -> Result<Result<String, String>, ReplayError> {
        let observed = self.observe(test, Tool::Address, args, &[], None)?;
        Ok(observed.map(|(_, observation)| observation.summary()))
    }

    #[allow(clippy::type_complexity)]
    fn observe(
        &mut self,
        test: &Path,
        tool: Tool,
        args: Option<&[String]>,
        failing: &[u32],
        calls: Option<Calls>,
    ) -> Result<Result<(Instrumented, Observation), String>, ReplayError> {
        let bad = |source| ReplayError::Test {
            path: test.to_owned(),
            source,
        };
        let ktest = KTest::read(test).map_err(bad)?;
        let absolute = test.canonicalize().map_err(|error| bad(error.into()))?;
        let binary = match self.workshop.binary(tool, calls.unwrap_or_else(|| Calls::of(&ktest))) {
            Ok(binary) => binary,
            Err(reason) => return Ok(Err(reason)),
        };
        let own = ktest.args.get(1..).unwrap_or_default();
        let name = ktest.args.first().map_or("program", String::as_str);
        let room = Room::new(self.workshop.folder()).map_err(ReplayError::Workshop)?;
        let mut command = self.workshop.command(&binary, &room);
        let (stdin, files) = mneme_report::outside_of(absolute.parent().unwrap_or(Path::new("/")));
        for from in [&files.with_file_name("names"), &files] {
            copy_files(from, &room.folder()).map_err(ReplayError::Workshop)?;
        }
        if stdin.is_file() {
            command.env("MNEME_REPLAY_STDIN", stdin);
        }
        let failing: Vec<String> = failing.iter().map(u32::to_string).collect();
        command
            .args(args.unwrap_or(own))
            .env("MNEME_REPLAY", absolute)
            .env("MNEME_REPLAY_FAIL", failing.join(","));
        let name = binary.is_started_directly().then_some(name);
        Ok(match self.confinement.run(command, name, &room, self.timeout) {
            Ok(Ok(finished)) => {
                tracing::debug!(test = %test.display(), ending = ?finished.ending, report = %finished.stderr, "native run");
                Ok((binary.instrumented, Observation::new(finished)))
            }
            Ok(Err(limit)) => Err(format!("the native run was ended: {limit}")),
            Err(error) => Err(format!("the native program cannot be started: {error}")),
        })
    }
}

/// Copies what the exploration has listed or read to where the native program looks for it.
fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    let Ok(entries) = std::fs::read_dir(from) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            std::fs::create_dir_all(&to)?;
            copy_files(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// The instrumentation that detects a fault of this rule.
fn tool_for(rule: Rule) -> Tool {
    match rule {
        Rule::UninitializedRead => Tool::Memory,
        Rule::MemoryLeak => Tool::Leak,
        _ => Tool::Address,
    }
}
