//! The options of `heaplets` on the command line.

use super::ModelArgs;
use clap::{Args, ValueEnum};
use mneme_memory::heaplets::{AllocCheck, Heaplets, Options};
use mneme_program::Program;
use mneme_solver::Separation;
use std::env;

#[derive(Args, Debug)]
#[command(next_help_heading = "Model heaplets")]
pub struct HeapletsArgs {
    /// How to find out whether an address is allocated, and where
    #[arg(long, value_name = "HOW", default_value = "model", hide_short_help = true)]
    alloc_check: CheckChoice,
    /// Show the symbolic heap of the path with every finding
    #[arg(long, hide_short_help = true)]
    dump_heap: bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum CheckChoice {
    /// Ask cvc5, a solver for separation logic
    Sl,
    /// One query for each heaplet
    Smt,
    /// Look up the very same expression; then the model of each query names a heaplet
    Model,
}

impl ModelArgs for HeapletsArgs {
    type Model = Heaplets;

    /// The solver of separation logic is not one of those that are linked.
    fn check(&self) -> Result<(), String> {
        let separation = Separation::default();
        let program = separation.program();
        let in_folder = |folder: std::path::PathBuf| folder.join(program).is_file();
        let found = env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(in_folder));
        match self.alloc_check == CheckChoice::Sl && !found {
            true => Err(format!(
                "--alloc-check sl needs the program {program}: install Debian's package {program}, or choose smt or model"
            )),
            false => Ok(()),
        }
    }

    fn options(&self, _: &Program) -> Options {
        Options {
            check: match self.alloc_check {
                CheckChoice::Sl => AllocCheck::Sl,
                CheckChoice::Smt => AllocCheck::Smt,
                CheckChoice::Model => AllocCheck::Model,
            },
            dump: self.dump_heap,
        }
    }
}
