//! What a program reads from outside.

use super::INPUTS;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What the program reads from outside. `inputs.rs` turns the options into words among the program's arguments, behind
/// those that were given.
#[derive(Args, Debug)]
pub struct InputArgs {
    /// Make symbolic what the program reads
    #[arg(long = "sym", value_name = "WHAT", help_heading = INPUTS)]
    pub all: Option<SymbolicWhat>,
    /// One symbolic argument of up to N characters
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=4096), hide_short_help = true, help_heading = INPUTS)]
    pub sym_arg: Vec<u32>,
    /// Between MIN and MAX symbolic arguments of up to N characters each
    #[arg(long, value_names = ["MIN", "MAX", "N"], num_args = 3, value_parser = clap::value_parser!(u32).range(..=4096), help_heading = INPUTS)]
    pub sym_args: Vec<u32>,
    /// No symbolic argument begins with a dash
    #[arg(long, hide_short_help = true, help_heading = INPUTS)]
    pub sym_args_no_dash: bool,
    /// Symbolic standard input of up to N bytes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1 << 20), help_heading = INPUTS)]
    pub sym_stdin: Option<u32>,
    /// A symbolic file of up to N bytes
    #[arg(long, value_names = ["NAME", "N"], num_args = 2, hide_short_help = true, help_heading = INPUTS)]
    pub sym_file: Vec<String>,
    /// Make LEN bytes of a real file symbolic, from OFFSET on
    #[arg(long, value_name = "FILE:OFFSET:LEN", value_parser = file_part, hide_short_help = true, help_heading = INPUTS)]
    pub sym_bytes: Vec<String>,
    /// A symbolic environment variable of up to N characters, or not set
    #[arg(long, value_names = ["NAME", "N"], num_args = 2, hide_short_help = true, help_heading = INPUTS)]
    pub sym_env: Vec<String>,
    /// Whoever the program connects to or waits for sends up to N symbolic bytes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20), hide_short_help = true, help_heading = INPUTS)]
    pub sym_socket: Option<u32>,
    /// Up to N calls that read, write, open or change files fail or do only a part
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = INPUTS)]
    pub sym_failures: Option<u32>,
    /// rand and its like return any number
    #[arg(long, hide_short_help = true, help_heading = INPUTS)]
    pub sym_rand: bool,
    /// The clock shows any time, which does not go back
    #[arg(long, hide_short_help = true, help_heading = INPUTS)]
    pub sym_time: bool,
    /// The current directory of the program, whose files it can read [default: the current one]
    #[arg(long, value_name = "DIR", hide_short_help = true, help_heading = INPUTS)]
    pub root: Option<PathBuf>,
}

/// What can be made symbolic at once.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub enum SymbolicWhat {
    /// Arguments, standard input, files, environment variables, random numbers, the clock
    All,
}

/// `FILE:OFFSET:LEN`, as the runtime takes it apart.
fn file_part(text: &str) -> Result<String, String> {
    let mut parts = text.rsplitn(3, ':');
    let mut number = || {
        parts
            .next()
            .is_some_and(|part| part.parse::<u32>().is_ok_and(|n| n < 1 << 24))
    };
    match number() && number() && parts.next().is_some_and(|file| !file.is_empty()) {
        true => Ok(text.to_owned()),
        false => Err("give a file, an offset and a number of bytes, such as image.png:8:4".into()),
    }
}
