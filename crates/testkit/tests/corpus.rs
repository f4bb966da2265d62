//! Runs the C corpus: one test for each program, `RUN` line and model.
//!
//! `cargo test -p mneme-testkit --test corpus NAME` runs those whose name contains NAME; `-- --ignored` runs the pending
//! ones, which shows whether they still have to wait.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use mneme_testkit::{CorpusError, Program, Run, check, locate_mneme, models, programs, run};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>, CorpusError> {
    let mneme: Arc<Path> = locate_mneme()?.into();
    let models = models(&mneme)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/c")
        .canonicalize();
    let root = root.map_err(|source| CorpusError::Io {
        path: "tests/c".into(),
        source,
    })?;
    let mut trials = Vec::new();
    for program in programs(&root, &models)? {
        let program = Arc::new(program);
        for (index, command) in program.spec.runs().iter().enumerate() {
            for model in program.spec.models(index + 1, &models) {
                trials.push(trial(&mneme, &program, index + 1, command, model));
            }
        }
    }
    Ok(trials)
}

fn trial(mneme: &Arc<Path>, program: &Arc<Program>, number: usize, command: &Run, model: String) -> Trial {
    let expected = program.spec.expected(number, &model);
    let pending = expected.pending.clone();
    let shown = command.to_string();
    let name = match shown.as_str() {
        "" => format!("{} [{model}]", program.name),
        _ => format!("{} {shown} [{model}]", program.name),
    };
    let (mneme, program, command) = (mneme.clone(), program.clone(), command.clone());
    let test = Trial::test(name, move || {
        let outcome = run(&mneme, &program.path, &command, &model).map_err(|error| error.to_string())?;
        check(&expected, &outcome).map_err(Failed::from)
    });
    match pending {
        Some(reason) => test.with_kind(format!("pending: {reason}")).with_ignored_flag(true),
        None => test,
    }
}
