//! What the tests over the whole corpus share: locations, and one trial for each run of a program.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use mneme_testkit::{CorpusError, Expected, Program, Run, check, locate_mneme, models, programs, run};

/// One run of one program with one model.
pub struct Case {
    pub mneme: Arc<Path>,
    pub program: Arc<Program>,
    /// The number of the run, from 1.
    #[allow(dead_code, reason = "most tests take all runs")]
    pub run: usize,
    pub command: Run,
    pub model: String,
    /// The number of the model among those of the run, from 0, and how many these are.
    #[allow(dead_code, reason = "most tests take all models, or one")]
    pub nth: (usize, usize),
    pub expected: Expected,
}

impl Case {
    /// Program and options, as they name a test.
    pub fn name(&self) -> String {
        match self.command.to_string().as_str() {
            "" => self.program.name.clone(),
            shown => format!("{} {shown}", self.program.name),
        }
    }
}

/// Runs the trial of each case of the corpus that has one.
#[allow(dead_code, reason = "one test has a binary of its own")]
pub fn each_case(trial: impl Fn(Case) -> Option<Trial>) -> ExitCode {
    match locate_mneme() {
        Ok(mneme) => each_case_of(&mneme, trial),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The same with this binary.
pub fn each_case_of(mneme: &Path, trial: impl Fn(Case) -> Option<Trial>) -> ExitCode {
    let arguments = Arguments::from_args();
    match cases(mneme) {
        Ok(cases) => libtest_mimic::run(&arguments, cases.into_iter().filter_map(trial).collect()).exit_code(),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Expects of a case what its program says.
#[allow(dead_code, reason = "other tests compare cases with each other")]
pub fn trial(case: Case) -> Trial {
    let pending = case.expected.pending.clone();
    let name = format!("{} [{}]", case.name(), case.model);
    let test = Trial::test(name, move || {
        let outcome = run(&case.mneme, &case.program.path, &case.command, &case.model);
        check(&case.expected, &outcome.map_err(|error| error.to_string())?).map_err(Failed::from)
    });
    match pending {
        Some(reason) => test.with_kind(format!("pending: {reason}")).with_ignored_flag(true),
        None => test,
    }
}

fn cases(mneme: &Path) -> Result<Vec<Case>, CorpusError> {
    let mneme: Arc<Path> = mneme.into();
    let models = models(&mneme)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/c")
        .canonicalize();
    let root = root.map_err(|source| CorpusError::Io {
        path: "tests/c".into(),
        source,
    })?;
    let mut cases = Vec::new();
    for program in programs(&root, &models)? {
        let program = Arc::new(program);
        for (index, command) in program.spec.runs().iter().enumerate() {
            let own = program.spec.models(index + 1, &models);
            let count = own.len();
            for (nth, model) in own.into_iter().enumerate() {
                cases.push(Case {
                    mneme: mneme.clone(),
                    expected: program.spec.expected(index + 1, &model),
                    program: program.clone(),
                    run: index + 1,
                    command: command.clone(),
                    model,
                    nth: (nth, count),
                });
            }
        }
    }
    Ok(cases)
}

/// A number that depends on a name alone, by which a program gets its rows of a covering array.
#[allow(dead_code, reason = "not every test that shares this has rows")]
pub fn number_of(name: &str) -> usize {
    name.bytes().fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 7919)
}
