//! The command line of Mneme. One file per subcommand; no logic that a library user would want.

/// Prints a line of results. If the reader is gone (`mneme … | head`), that is no reason to stop.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = crate::progress::aside(|| writeln!(std::io::stdout(), $($text)*));
    }};
}

mod baseline;
mod cli;
mod models;
mod pages;
mod progress;
mod replay;
mod resume;
mod run;
mod tests;
mod watchdog;
mod writer;

/// Exploring makes and drops many small things: objects, pages, terms.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::Parser;
use cli::{Cli, Command};
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

fn main() -> ExitCode {
    let words = cli::arguments(std::env::args_os());
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return ExitCode::from(exit::CLEAN);
        }
        Err(error) => {
            eprintln!("mneme: {}", cli::one_sentence(&error, &words));
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
    let result = match &cli.command {
        Command::Run(options) => run::run(options).map_err(|error| error.to_string()),
        Command::Replay(options) => replay::replay(options).map_err(|error| error.to_string()),
        Command::Tests(options) => Ok(tests::tests(options)),
        Command::Completions { shell } => Ok(pages::completions(*shell)),
        Command::Man { command } => Ok(pages::man(command.as_deref())),
        Command::NativeHelper => mneme_engine::serve_native_calls()
            .map(|()| exit::CLEAN)
            .map_err(|error| error.to_string()),
        Command::Models => {
            models::MODELS
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
