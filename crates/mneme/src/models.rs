//! The registry of memory models: one line each. The choice is erased here, once.

use crate::cli::{Addressing, LoopsChoice, ReadsChoice, RunArgs};
use mneme_engine::{EngineError, Loops, Observer, Options, Stats, explore};
use mneme_memory::objects::{self, Addresses, Objects, Resolve, Split};
use mneme_memory::planes::Planes;
use mneme_memory::planes_naive::{self, PlanesNaive, Reads};
use mneme_program::{PointsTo, Program, SegmentId};
use mneme_solver::Solver;
use std::sync::Arc;

/// Explores with the model's own options, which it takes from the arguments.
type Explore = fn(&Program, &RunArgs, &Options, Box<dyn Solver>, &mut dyn Observer) -> Result<Stats, EngineError>;

pub struct Model {
    pub name: &'static str,
    pub about: &'static str,
    pub explore: Explore,
    /// How loops run unless the user chooses.
    pub loops: Loops,
}

pub const MODELS: &[Model] = &[
    Model {
        name: "objects",
        about: "bytes of each object on their own; --resolve says what a pointer to several does",
        explore: |program, args, options, solver, observer| {
            let model = in_parts(objects(args), program);
            explore::<Objects>(program, options, &model, solver, observer)
        },
        loops: Loops::Classic,
    },
    Model {
        name: "planes",
        about: "segment-offset-plane: conditional values instead of forks, sizes without a bound",
        explore: |program, _, options, solver, observer| explore::<Planes>(program, options, &(), solver, observer),
        loops: Loops::Compact,
    },
    Model {
        name: "planes-naive",
        about: "segment-offset-plane as a list of write records; slow, for comparison",
        explore: |program, args, options, solver, observer| {
            explore::<PlanesNaive>(program, options, &planes_naive(args), solver, observer)
        },
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

/// The options of `objects`.
pub fn objects(args: &RunArgs) -> objects::Options {
    let defaults = objects::Options::default();
    let policy = |name: &String| Resolve::ALL.iter().find(|(known, ..)| known == name);
    objects::Options {
        addresses: match args.addresses {
            Some(Addressing::Flat) => Addresses::Flat,
            Some(Addressing::Relocatable) | None => Addresses::Relocatable,
        },
        resolve: args
            .resolve
            .as_ref()
            .and_then(policy)
            .map_or(defaults.resolve, |&(.., policy)| policy),
        split: args.split.map(|size| Split {
            size,
            above: args.split_above,
        }),
        contexts: args.contexts,
        partition: None,
    }
}

/// The option by which objects move, if one is given.
pub fn moving(args: &RunArgs) -> Option<&'static str> {
    match objects(args).resolve {
        Resolve::DynamicSegments => Some("--resolve dynamic-segments"),
        Resolve::StaticSegments => Some("--resolve static-segments"),
        _ => args.split.map(|_| "--split"),
    }
}

/// Static segments need to know which objects a pointer of the program may refer to.
fn in_parts(mut options: objects::Options, program: &Program) -> objects::Options {
    if options.resolve == Resolve::StaticSegments {
        let parts = PointsTo::new(program).partition(program);
        let parts = parts.into_iter().map(|part| part.map(|SegmentId(number)| number));
        options.partition = Some(Arc::new(parts.collect()));
    }
    options
}

fn planes_naive(args: &RunArgs) -> planes_naive::Options {
    planes_naive::Options {
        reads: match args.naive_reads {
            Some(ReadsChoice::Solver) => Reads::Solver,
            Some(ReadsChoice::List) | None => Reads::List,
        },
    }
}
