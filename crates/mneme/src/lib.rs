//! The command line of Mneme, as a library so that a binary can have the same command line with more models
//! ([`main`]). One file per subcommand; no logic that a library user would want.

/// Prints a line of results. If the reader is gone (`mneme … | head`), that is no reason to stop.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = crate::progress::aside(|| writeln!(std::io::stdout(), $($text)*));
    }};
}

mod baseline;
mod callers;
mod check;
pub mod cli;
mod corpus;
mod difftest;
mod flags;
mod handlers;
mod ignore;
mod incomplete;
mod inputs;
mod minimise;
pub mod models;
mod pages;
mod progress;
mod replay;
pub mod resume;
mod run;
mod summary;
mod tests;
mod watch;
mod watchdog;
mod writer;

use cli::Command;
pub use models::{MODELS, Model};
use std::process::ExitCode;

/// Exit codes: what scripts rely on.
mod exit {
    pub const CLEAN: u8 = 0;
    pub const FINDINGS: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const INCOMPLETE: u8 = 3;
    /// A second Ctrl-C: what a shell says of a process that the signal killed.
    pub const INTERRUPTED: u8 = 130;
}

/// `mneme equiv f g FILE…` is a run of one function with another to compare it with.
fn equiv(models: &[Model], args: &cli::EquivArgs) -> Result<u8, String> {
    let own = ["mneme", "run", "--function", &args.first, "--same-as", &args.second].map(std::ffi::OsString::from);
    let words = cli::arguments(models, own.into_iter().chain(args.rest.iter().cloned()));
    match cli::parse(models, &words) {
        Ok(cli) => match &cli.command {
            Command::Run(options) => run::run(models, options).map_err(|error| error.to_string()),
            _ => unreachable!("the words say so"),
        },
        Err(error) => Err(cli::one_sentence(models, &error, &words)),
    }
}

/// What a binary with these models does from start to end; the first model is the default.
pub fn main(models: &[Model]) -> ExitCode {
    let words = cli::arguments(models, std::env::args_os());
    let mut cli = match cli::parse(models, &words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return ExitCode::from(exit::CLEAN);
        }
        Err(error) => {
            eprintln!("mneme: {}", cli::one_sentence(models, &error, &words));
            return ExitCode::from(exit::USAGE);
        }
    };
    let level = match cli.verbose {
        true => tracing::Level::DEBUG,
        false => tracing::Level::WARN,
    };
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .without_time()
        .with_target(false)
        .init();
    let result = match &mut cli.command {
        Command::Run(options) => run::run(models, options).map_err(|error| error.to_string()),
        Command::Check(options) => check::check(models, options).map_err(|error| error.to_string()),
        Command::Equiv(options) => equiv(models, options),
        Command::Difftest(options) => difftest::difftest(options).map_err(|error| error.to_string()),
        Command::Replay(options) => replay::replay(options).map_err(|error| error.to_string()),
        Command::Tests(options) => Ok(tests::tests(options)),
        Command::Help { command } => Ok(pages::help(cli::command(models), command.as_deref())),
        Command::Completions { shell } => Ok(pages::completions(cli::command(models), *shell)),
        Command::Man { command } => Ok(pages::man(cli::command(models), command.as_deref())),
        Command::NativeHelper => mneme_engine::serve_native_calls()
            .map(|()| exit::CLEAN)
            .map_err(|error| error.to_string()),
        Command::ConfinedRun { order } => Ok(mneme_replay::confined_run(order)),
        Command::Models => {
            models
                .iter()
                .for_each(|model| say!("{:<14} {}", model.name, model.about));
            Ok(exit::CLEAN)
        }
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("mneme: {error}");
            ExitCode::from(exit::USAGE)
        }
    }
}
