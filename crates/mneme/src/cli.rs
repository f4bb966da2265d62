//! What the command line accepts, and how it is explained: the arguments of each command are a file of their own.
//!
//! `--help` shows what most people need, `--help-all` everything: an option that only some need has `hide_short_help`.
//! Every option belongs to a heading. The help, the completions and the man page all come from here.

mod check;
mod compile;
mod difftest;
mod equiv;
mod inputs;
mod replay;
mod run;
mod tests;

use crate::flags;
use crate::models::{Chosen, Model};
pub use check::CheckArgs;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
pub use compile::CompileArgs;
pub use difftest::DifftestArgs;
pub use equiv::EquivArgs;
pub use inputs::InputArgs;
use mneme_engine::{Loops, UnknownCalls};
pub use replay::ReplayArgs;
pub use run::{CacheKind, Check, GlobalsHold, MayAlias, OnOff, RunArgs, UninitRead, VariablesHome, WhichTests};
use std::ffi::OsString;
pub use tests::TestsArgs;

const PROGRAM: &str = "Program";
const INPUTS: &str = "Inputs";
const EXPLORATION: &str = "Exploration";
const ALONE: &str = "A function alone";
const CHECKS: &str = "Checks";
const LIMITS: &str = "Limits";
const OUTPUT: &str = "Output";
const SOLVER: &str = "Solver";
const EXPECTATION: &str = "Expectation";
const HELP: &str = "Help";

/// A symbolic executor for C and LLVM bitcode whose memory model is a choice
#[derive(Parser, Debug)]
#[command(
    name = "mneme",
    version,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    // The last of an option given twice counts: scripts add options to those that they have.
    args_override_self = true,
    subcommand_value_name = "COMMAND",
    after_help = "`mneme run --help` says how to explore a program."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    /// Say more about what happens, and show every decision on the path to a finding
    #[arg(long, global = true, hide_short_help = true, help_heading = HELP)]
    pub verbose: bool,

    /// Print the options that most people need
    #[arg(long, short = 'h', global = true, action = ArgAction::HelpShort, help_heading = HELP)]
    help: Option<bool>,
    /// Print every option
    #[arg(long, global = true, action = ArgAction::HelpLong, help_heading = HELP)]
    help_all: Option<bool>,
    /// Print the version
    #[arg(long, short = 'V', action = ArgAction::Version, help_heading = HELP)]
    version: Option<bool>,
}

/// The commands that have pages of their own.
const COMMANDS: [&str; 7] = ["run", "check", "replay", "equiv", "difftest", "tests", "models"];

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explore a program: find the inputs that break it and write them as tests
    Run(Box<RunArgs>),
    /// Explore every function of the files alone, as a static analyser does, and report what it finds
    Check(Box<CheckArgs>),
    /// Run tests natively under sanitizers and compare with what was predicted
    Replay(Box<ReplayArgs>),
    /// Prove that two functions do the same for all inputs, or find one on which they differ
    Equiv(EquivArgs),
    /// Run functions of two libraries on the same tests, and list those that differ
    Difftest(DifftestArgs),
    /// List the tests of a run, or KLEE's, with their inputs and what the program does on them
    Tests(TestsArgs),
    /// List the memory models
    Models,
    /// Print the help, of mneme or of a command
    Help {
        /// The command
        #[arg(value_name = "COMMAND", value_parser = COMMANDS)]
        command: Option<String>,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Print the manual page, of mneme or of a command
    Man {
        /// The command
        #[arg(value_name = "COMMAND", value_parser = COMMANDS)]
        command: Option<String>,
    },
    /// Call functions of the C library for a run
    #[command(name = NATIVE_HELPER, hide = true)]
    NativeHelper,
    /// Run a test where it can do no harm
    #[command(name = CONFINED_RUN, hide = true)]
    ConfinedRun {
        /// What to run, and how
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        order: Vec<OsString>,
    },
}

/// What a run starts this binary with to have native functions called.
pub const NATIVE_HELPER: &str = "native-helper";
/// What a replay starts this binary with to have a test run.
pub const CONFINED_RUN: &str = "confined-run";

/// How results are printed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Shells that take completions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// The command line with these models; the first is the default.
pub fn command(models: &[Model]) -> clap::Command {
    let names = models
        .iter()
        .map(|model| PossibleValue::new(model.name).help(model.about));
    let names = PossibleValuesParser::from(names.collect::<Vec<_>>());
    let compact = models.iter().filter(|model| model.loops == Loops::Compact);
    let compact = compact.map(|model| model.name).collect::<Vec<_>>().join(", ");
    let default = models.first().map(|model| model.name);
    let analyser = models.iter().find(|model| model.checks).map(|model| model.name);
    let check_names = names.clone();
    let cli = Cli::command().mut_subcommand("check", |check| {
        let default = analyser.or(default);
        let check = check.mut_arg("model", |arg| arg.default_values(default).value_parser(check_names));
        models.iter().fold(check, |check, model| model.add_options(check))
    });
    cli.mut_subcommand("run", |run| {
        let run = run.mut_arg("model", |arg| arg.default_values(default).value_parser(names));
        let run = run.mut_arg("loops", |arg| {
            let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
            arg.help(format!("{about} [default: compact for {compact}, else classic]"))
        });
        models.iter().fold(run, |run, model| model.add_options(run))
    })
}

/// What the words of a command line ask for.
pub fn parse(models: &[Model], words: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = command(models).try_get_matches_from(words)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    if let Some((_, words)) = matches.subcommand() {
        match &mut cli.command {
            Command::Run(args) => args.chosen = Chosen::new(models, &args.model, words),
            Command::Check(args) => args.chosen = Chosen::new(models, &args.model, words),
            _ => {}
        }
    }
    Ok(cli)
}

/// The names of what may happen at the call of a function that is not there.
fn unknown_calls() -> PossibleValuesParser {
    let values = UnknownCalls::ALL.map(|(name, about, _)| PossibleValue::new(name).help(about));
    PossibleValuesParser::from(values)
}

/// What the name stands for.
pub fn unknown_calls_of(name: &str) -> UnknownCalls {
    let found = UnknownCalls::ALL.iter().find(|(known, ..)| *known == name);
    found.expect("clap accepts only known ways").2
}

/// More than anyone waits, and less than what clocks can add.
const MOST_SECONDS: f64 = 1e9;

fn seconds(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('s').parse::<f64>() {
        Ok(n) if (0.0..=MOST_SECONDS).contains(&n) => Ok(n),
        _ => Err("give a number of seconds, such as 60".into()),
    }
}

/// The arguments as clap takes them: flags of a compiler are marked, `-m32` is spelled like one, and an option that may
/// be given without a value gets its default where what follows is not meant to be one (the file in `--split a.c`).
pub fn arguments(models: &[Model], args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let bare: Vec<_> = models.iter().flat_map(|model| model.bare).collect();
    let mut ours = true;
    let mut args = with_marked_flags(models, args.collect()).into_iter().peekable();
    let mut out = Vec::new();
    while let Some(arg) = args.next() {
        ours &= arg != "--";
        let next = args.peek().and_then(|next| next.to_str());
        let alone = bare
            .iter()
            .find(|bare| ours && arg == bare.option && !next.is_some_and(bare.is_value));
        out.push(match (arg.to_str(), alone) {
            (Some("-m32"), _) if ours => "--m32".into(),
            (_, Some(bare)) => format!("{}={}", bare.option, bare.default).into(),
            _ => arg,
        });
    }
    out
}

/// The words with those of a compiler marked, where the command compiles a program.
fn with_marked_flags(models: &[Model], mut words: Vec<OsString>) -> Vec<OsString> {
    let cli = command(models);
    let place = words
        .iter()
        .skip(1)
        .position(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let Some(at) = place.map(|place| place + 1) else {
        return words;
    };
    let compiles = |command: &&clap::Command| command.get_arguments().any(|argument| argument.get_id() == "words");
    let command = words[at].to_str().and_then(|name| cli.find_subcommand(name));
    if let Some(command) = command.filter(compiles) {
        let rest = words.split_off(at + 1);
        words.extend(flags::marked(rest.into_iter(), command));
    }
    words
}

/// What is wrong with the command line, without the usage that follows it.
pub fn one_sentence(models: &[Model], error: &clap::Error, words: &[OsString]) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command was given; `mneme --help` lists them".into();
    }
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or(&text);
    let first = first
        .trim_start_matches("error: ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let whole = command(models);
    let known = |word: &&OsString| whole.get_subcommands().any(|command| *word == command.get_name());
    let command = match words.iter().skip(1).find(known) {
        Some(command) => format!(" {}", command.display()),
        None => String::new(),
    };
    let hint = match suggestion(error).or_else(|| flags::one_dash_too_few(words, &whole)) {
        Some(suggestion) => format!("did you mean `{suggestion}`?"),
        None => format!("`mneme{command} --help` lists the options"),
    };
    let sentence = format!("{first}; {hint}");
    sentence.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

fn suggestion(error: &clap::Error) -> Option<String> {
    [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ]
    .into_iter()
    .find_map(|kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(several) => several.first().cloned(),
        _ => None,
    })
}

#[cfg(test)]
mod unit {
    use super::*;
    use crate::models::MODELS;
    use std::path::PathBuf;

    #[test]
    fn flags_of_a_compiler_may_stand_anywhere() {
        let words = [
            "mneme",
            "--verbose",
            "run",
            "-O2",
            "a.c",
            "--max-time",
            "5",
            "-include",
            "x.h",
            "b.c",
            "-lm",
            "--",
            "-g",
        ];
        let words = arguments(MODELS, words.iter().map(|&word| word.into()));
        let cli = parse(MODELS, &words).unwrap();
        let Command::Run(run) = cli.command else {
            panic!("it is a run")
        };
        assert_eq!(run.compile.words, ["-O2", "-include", "x.h", "-lm"]);
        assert_eq!((run.files.len(), run.args), (2, vec!["-g".to_string()]));
        let expected = "unexpected argument '-m' found; did you mean `--max-time`?";
        assert_eq!(complaint(&["mneme", "run", "a.c", "-max-time", "5"]), expected);
    }

    #[test]
    fn the_definition_is_consistent() {
        command(MODELS).debug_assert();
    }

    fn complaint(words: &[&str]) -> String {
        let words = arguments(MODELS, words.iter().map(|&word| word.into()));
        one_sentence(MODELS, &parse(MODELS, &words).unwrap_err(), &words)
    }

    #[test]
    fn a_wrong_option_is_told_in_one_sentence() {
        let expected = "unexpected argument '--frob' found; `mneme run --help` lists the options";
        assert_eq!(complaint(&["mneme", "run", "--frob", "a.c"]), expected);
        let expected = "unexpected argument '--max-tim' found; did you mean `--max-time`?";
        assert_eq!(complaint(&["mneme", "run", "--max-tim", "1", "a.c"]), expected);
        let expected = "unrecognized subcommand 'rum'; did you mean `run`?";
        assert_eq!(complaint(&["mneme", "rum"]), expected);
        assert_eq!(complaint(&["mneme"]), "no command was given; `mneme --help` lists them");
        assert!(!complaint(&["mneme", "run", "--a\u{1b}[31m\n\nb", "a.c"]).contains(char::is_control));
    }

    #[test]
    fn numbers_that_overflow_are_refused() {
        for option in [
            "--max-time=1e300",
            "--max-time=inf",
            "--max-time=nan",
            "--max-time=-1",
            "--solver-timeout=1e10",
            "--max-memory=18446744073709551615",
            "-D=",
        ] {
            let words = ["mneme", "run", option, "a.c"].map(OsString::from);
            assert!(parse(MODELS, &words).is_err(), "{option}");
        }
    }

    #[test]
    fn every_option_has_a_heading_and_help() {
        for command in command(MODELS).get_subcommands() {
            for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
                let id = argument.get_id();
                assert!(
                    argument.is_positional() || argument.get_help_heading().is_some(),
                    "{}: {id}",
                    command.get_name()
                );
                assert!(argument.get_help().is_some(), "{}: {id}", command.get_name());
            }
        }
    }

    fn run(words: &[&str]) -> RunArgs {
        let words = ["mneme", "run"].iter().chain(words);
        let words = arguments(MODELS, words.map(|&word| word.into()));
        match parse(MODELS, &words).unwrap().command {
            Command::Run(run) => *run,
            other => panic!("it is a run, not {other:?}"),
        }
    }

    #[test]
    fn splitting_needs_no_number() {
        let split = |words: &[&str]| {
            let run = run(words);
            let mut options = run.chosen().in_force();
            options.retain(|(name, _)| name.starts_with("--split"));
            assert_eq!(run.files, [PathBuf::from("a.c")]);
            options
                .into_iter()
                .map(|(_, value)| value)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(split(&["--split", "a.c"]), "256 300");
        assert_eq!(split(&["a.c", "--split"]), "256 300");
        assert_eq!(split(&["--split", "--split-above", "9", "a.c"]), "256 9");
        assert_eq!(split(&["--split", "32", "a.c"]), "32 300");
        assert_eq!(split(&["--split", "auto", "a.c"]), "auto 300");
        assert!(complaint(&["mneme", "run", "--split", "7", "a.c"]).contains("from 8 on"));
    }

    #[test]
    fn the_last_of_an_option_given_twice_counts() {
        let words = ["--max-time=1", "--search", "dfs", "-DA", "--check", "leaks", "a.c"];
        let more = [
            "--max-time=2",
            "--search",
            "bfs",
            "-DB",
            "--check",
            "overflow",
            "--quiet",
            "--quiet",
        ];
        let run = run(&[&words[..], &more[..]].concat());
        assert_eq!((run.max_time, run.search.as_str()), (Some(2.0), "bfs"));
        assert_eq!(
            (run.compile.defines.len(), run.check.len()),
            (2, 2),
            "what is a list grows"
        );
    }

    #[test]
    fn options_belong_to_a_model() {
        let stray = |words: &[&str]| {
            run(words)
                .chosen()
                .stray()
                .map(|stray| (stray.option.clone(), stray.of))
        };
        assert_eq!(stray(&["--resolve", "fork", "a.c"]), None);
        assert_eq!(stray(&["--model", "planes", "a.c"]), None);
        let found = stray(&["--model", "planes", "--resolve", "fork", "a.c"]);
        assert_eq!(found, Some(("--resolve".into(), "objects")));
        let flat = run(&["--addresses", "flat", "--split", "a.c"]).chosen().check();
        assert!(flat.unwrap_err().starts_with("--split moves objects"));
    }

    #[test]
    fn options_of_a_compiler_and_of_the_program_are_told_apart() {
        let run = run(&["-DX=1", "-I", "inc", "-m32", "a.c", "--", "-m32"]);
        assert_eq!(
            (run.compile.defines, run.compile.target32, run.args),
            (vec!["X=1".to_string()], true, vec!["-m32".to_string()])
        );
    }
}
