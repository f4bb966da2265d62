//! The registry of memory models: one line each. The choice is erased here, once.

use crate::cli::{LoopsChoice, RunArgs};
use mneme_engine::{EngineError, Loops, Observer, Options, Stats, explore};
use mneme_memory::objects::Objects;
use mneme_memory::planes::Planes;
use mneme_memory::planes_naive::PlanesNaive;
use mneme_program::Program;
use mneme_solver::Solver;

type Explore = fn(&Program, &Options, Box<dyn Solver>, &mut dyn Observer) -> Result<Stats, EngineError>;

pub struct Model {
    pub name: &'static str,
    pub about: &'static str,
    pub explore: Explore,
    /// How loops run unless the user says it.
    pub loops: Loops,
}

pub const MODELS: &[Model] = &[
    Model {
        name: "objects",
        about: "bytes of each object on their own; --resolve says what a pointer to several does",
        explore: explore::<Objects>,
        loops: Loops::Classic,
    },
    Model {
        name: "planes",
        about: "segment-offset-plane: conditional values instead of forks, sizes without a bound",
        explore: explore::<Planes>,
        loops: Loops::Compact,
    },
    Model {
        name: "planes-naive",
        about: "segment-offset-plane as a list of write records; slow, for comparison",
        explore: explore::<PlanesNaive>,
        loops: Loops::Classic,
    },
];

pub fn find(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}

pub fn names() -> Vec<&'static str> {
    MODELS.iter().map(|model| model.name).collect()
}

/// How loops are executed.
pub fn loops(args: &RunArgs) -> Loops {
    match args.loops {
        Some(LoopsChoice::Classic) => Loops::Classic,
        Some(LoopsChoice::Compact) => Loops::Compact,
        None => find(&args.model).map_or(Loops::Classic, |model| model.loops),
    }
}
