//! The registry of memory models: what the command line offers, and the options of each. The type of a model is erased
//! here, once.

mod heaplets;
mod objects;
mod planes_naive;
mod regions;

use clap::builder::{Resettable, StyledStr};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use mneme_engine::{EngineError, Loops, Observer, Options, Prove, Stats};
use mneme_memory::planes::Planes;
use mneme_program::Program;
use mneme_solver::Solver;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The models of Mneme. The first is the default. It is a static so that the engine is compiled for each of them once:
/// a constant would be compiled again in each binary that uses it.
pub static MODELS: &[Model] = &[
    Model::new::<objects::ObjectsArgs>(
        "objects",
        "bytes of each object on their own; --resolve says what a pointer to several does",
    ),
    Model::plain::<Planes>(
        "planes",
        "segment-offset-plane: conditional values instead of forks, sizes without a bound",
    )
    .with_loops(Loops::Compact),
    Model::new::<planes_naive::PlanesNaiveArgs>(
        "planes-naive",
        "segment-offset-plane as a list of write records; slow, for comparison",
    ),
    Model::new::<regions::RegionsArgs>(
        "regions",
        "a static analyser's region store: every l-value has a region",
    )
    .for_check(),
    Model::new::<heaplets::HeapletsArgs>("heaplets", "separation logic: a symbolic heap of byte-wise points-to")
        .with_proofs(Prove::Deep),
];

/// The options of a model on the command line of `mneme run`.
pub trait ModelArgs: Args {
    type Model: mneme_memory::Model;

    /// Options that may be given without a value.
    const BARE: &'static [Bare] = &[];

    /// Whether the options go together; if not, a sentence that says what to do.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// What the model gets.
    fn options(&self, program: &Program) -> <Self::Model as mneme_memory::Model>::Options;
}

/// An option that may be given without a value, though a file may follow it.
#[derive(Copy, Clone, Debug)]
pub struct Bare {
    /// Such as `--split`.
    pub option: &'static str,
    pub default: &'static str,
    /// Whether the next word is meant to be its value.
    pub is_value: fn(&str) -> bool,
}

/// A model without options.
#[derive(Args, Debug)]
#[group(skip)]
struct NoArgs<M: mneme_memory::Model> {
    #[arg(skip)]
    model: PhantomData<fn() -> M>,
}

impl<M: mneme_memory::Model> ModelArgs for NoArgs<M> {
    type Model = M;

    fn options(&self, _: &Program) -> M::Options {
        M::Options::default()
    }
}

type Explore = fn(&ArgMatches, &Program, &Options, Box<dyn Solver>, &mut dyn Observer) -> Result<Stats, EngineError>;

/// A memory model that the command line offers.
#[derive(Copy, Clone, Debug)]
pub struct Model {
    pub name: &'static str,
    pub about: &'static str,
    /// How loops run unless the user chooses.
    pub loops: Loops,
    /// Whether `mneme check` runs it unless the user chooses.
    pub checks: bool,
    /// Whether it needs a bound for sizes that depend on inputs.
    pub is_bounded: bool,
    /// When proofs are tried unless the user chooses.
    pub prove: Prove,
    pub bare: &'static [Bare],
    /// Adds the options of the model to a command.
    augment: fn(Command) -> Command,
    check: fn(&ArgMatches) -> Result<(), String>,
    explore: Explore,
}

impl Model {
    /// A model with the options `A`.
    pub const fn new<A: ModelArgs>(name: &'static str, about: &'static str) -> Model {
        Model {
            name,
            about,
            loops: Loops::Classic,
            checks: false,
            is_bounded: <A::Model as mneme_memory::Model>::BOUNDED_SIZES,
            prove: Prove::Never,
            bare: A::BARE,
            augment: A::augment_args,
            check: |words| read::<A>(words).check(),
            explore: |words, program, options, solver, observer| {
                let model = read::<A>(words).options(program);
                mneme_engine::explore::<A::Model>(program, options, &model, solver, observer)
            },
        }
    }

    /// A model without options.
    pub const fn plain<M: mneme_memory::Model>(name: &'static str, about: &'static str) -> Model {
        Model::new::<NoArgs<M>>(name, about)
    }

    pub const fn with_loops(self, loops: Loops) -> Model {
        Model { loops, ..self }
    }

    /// The model of `mneme check`.
    pub const fn for_check(self) -> Model {
        Model { checks: true, ..self }
    }

    pub const fn with_proofs(self, prove: Prove) -> Model {
        Model { prove, ..self }
    }

    /// The command with the options of this model.
    pub fn add_options(&self, command: Command) -> Command {
        // Otherwise clap would take a comment on the options for the description of the command.
        let resettable = |text: Option<&StyledStr>| text.cloned().map_or(Resettable::Reset, Resettable::Value);
        let (about, long_about) = (resettable(command.get_about()), resettable(command.get_long_about()));
        (self.augment)(command).about(about).long_about(long_about)
    }

    /// The options of this model.
    fn own(&self) -> Vec<Arg> {
        let command = self.add_options(Command::new(self.name));
        command.get_arguments().cloned().collect()
    }
}

fn read<A: ModelArgs>(words: &ArgMatches) -> A {
    A::from_arg_matches(words).expect("clap has parsed the options of every model")
}

/// The model of a run, and the words of its command line.
#[derive(Clone, Debug)]
pub struct Chosen {
    model: Model,
    words: ArgMatches,
    stray: Option<Stray>,
    unbounded: Option<&'static str>,
}

/// An option of another model, which would have no effect.
#[derive(Clone, Debug)]
pub struct Stray {
    pub option: String,
    /// The model that it belongs to.
    pub of: &'static str,
}

impl Chosen {
    /// The model of this name.
    pub fn new(models: &[Model], name: &str, words: &ArgMatches) -> Option<Chosen> {
        let model = *models.iter().find(|model| model.name == name)?;
        let given = |option: &Arg| words.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
        let mut strays = models.iter().filter(|other| other.name != name).flat_map(|other| {
            let given = other.own().into_iter().filter(given);
            given.map(|option| Stray {
                option: spelt(&option),
                of: other.name,
            })
        });
        let stray = strays.next();
        Some(Chosen {
            model,
            words: words.clone(),
            stray,
            unbounded: models.iter().find(|model| !model.is_bounded).map(|model| model.name),
        })
    }

    /// A model that needs no bound for sizes that depend on inputs.
    pub fn unbounded(&self) -> Option<&'static str> {
        self.unbounded
    }

    /// When proofs are tried unless the user chooses.
    pub fn prove(&self) -> Prove {
        self.model.prove
    }

    /// How loops run unless the user chooses.
    pub fn loops(&self) -> Loops {
        self.model.loops
    }

    /// An option of another model is probably a mistake.
    pub fn stray(&self) -> Option<&Stray> {
        self.stray.as_ref()
    }

    /// Whether the options of the model go together.
    pub fn check(&self) -> Result<(), String> {
        (self.model.check)(&self.words)
    }

    /// The options of the model that have a value, defaults included.
    pub fn in_force(&self) -> Vec<(String, String)> {
        let value = |option: &Arg| {
            let words = self.words.get_raw(option.get_id().as_str())?;
            let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
            Some((spelt(option), words.join(" ")))
        };
        self.model.own().iter().filter_map(value).collect()
    }

    pub fn explore(
        &self,
        program: &Program,
        options: &Options,
        solver: Box<dyn Solver>,
        observer: &mut dyn Observer,
    ) -> Result<Stats, EngineError> {
        (self.model.explore)(&self.words, program, options, solver, observer)
    }
}

fn spelt(option: &Arg) -> String {
    format!("--{}", option.get_long().unwrap_or(option.get_id().as_str()))
}
