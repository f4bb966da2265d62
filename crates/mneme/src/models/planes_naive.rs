//! The options of `planes-naive` on the command line.

use super::ModelArgs;
use clap::{Args, ValueEnum};
use mneme_memory::planes_naive::{Options, PlanesNaive, Reads};
use mneme_program::Program;

#[derive(Args, Debug)]
#[command(next_help_heading = "Model planes-naive")]
pub struct PlanesNaiveArgs {
    /// How a read looks for its value among all writes
    #[arg(long, value_name = "HOW", default_value = "list", hide_short_help = true)]
    naive_reads: ReadsChoice,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum ReadsChoice {
    /// From the newest write back, asking the solver about each candidate
    List,
    /// One expression over all writes, which the solver simplifies; slow, as in the paper
    Solver,
}

impl ModelArgs for PlanesNaiveArgs {
    type Model = PlanesNaive;

    fn options(&self, _: &Program) -> Options {
        Options {
            reads: match self.naive_reads {
                ReadsChoice::Solver => Reads::Solver,
                ReadsChoice::List => Reads::List,
            },
        }
    }
}
