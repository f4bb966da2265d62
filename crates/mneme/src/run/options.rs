//! From the words of a command line to what the engine and the solver get.

use super::{PULSE, Run, RunError};
use crate::cli::{CacheKind, Check, GlobalsHold, MayAlias, OnOff, RunArgs, UninitRead};
use crate::{cli, corpus, handlers, inputs};
use mneme_engine::{
    Aliases, Callers, Candidates, Globals, MergeOptions, Mode, OnDemand, Options, Outside, Search, SeedTest, Sides,
    Sizes, Uninit,
};
use mneme_report::KTest;
use mneme_solver::{BackendChoice, Cache, ChainOptions};
use mneme_term::Terms;
use std::path::PathBuf;
use std::time::Duration;

/// Instructions of a path through a function that is explored alone: what goes round in a structure with a cycle ends.
const LONGEST_ALONE: u64 = 100_000;

impl Run<'_> {
    pub(super) fn chain(&self) -> ChainOptions {
        let args = self.args;
        ChainOptions {
            backend: match &args.solver {
                Some(command) => BackendChoice::Process(command.clone()),
                None => BackendChoice::Portfolio,
            },
            log_queries: args.log_queries.clone(),
            cache: match args.cache {
                CacheKind::AddressAware => Some(Cache::AddressAware),
                CacheKind::Plain => Some(Cache::Plain),
                CacheKind::None => None,
            },
            quantifier_procedure: args.quantifier_procedure == OnOff::On,
            cache_dir: args.cache_dir.clone(),
            paranoid: args.paranoid.then(|| self.alarm.clone()),
            interrupt: self.halt.interrupt().clone(),
        }
    }

    pub(super) fn options(&self) -> Options {
        let args = self.args;
        let search = Search::ALL
            .iter()
            .find(|(name, _)| *name == args.search)
            .expect("clap accepts only known searches")
            .1;
        let sizes = Sizes::ALL.iter().find(|(known, ..)| *known == args.sizes);
        let sides = Sides::ALL.iter().find(|(known, ..)| *known == args.solve_sides);
        Options {
            search,
            sides: sides.expect("clap accepts only known ways").2,
            sizes: sizes.expect("clap accepts only known modes").2,
            capacity: args.capacity,
            terms: match args.tables {
                OnOff::On => Terms::new,
                OnOff::Off => Terms::without_tables,
            },
            seed: args.seed,
            deadline: self.deadline,
            max_memory: self.max_memory,
            max_states: args.max_states,
            max_instructions: args.max_instructions,
            max_path: args.max_path.or(args.function.as_ref().map(|_| LONGEST_ALONE)),
            max_depth: args.max_depth,
            solver_timeout: Some(Duration::from_secs_f64(args.solver_timeout)),
            max_calls: args.max_calls,
            max_stack: args.max_stack,
            merge: merge(args),
            args: self.words(),
            program_name: self.name(),
            outside: Outside::default(),
            check_overflow: args.check.contains(&Check::Overflow),
            check_leaks: args.check.contains(&Check::Leaks),
            check_escapes: args.check.contains(&Check::Escapes),
            check_termination: args.check.contains(&Check::Termination),
            check_alignment: args.check.contains(&Check::Alignment),
            check_null_offsets: args.check.contains(&Check::NullOffsets),
            check_allocations: args.check.contains(&Check::Allocations),
            uninit: match args.uninit {
                UninitRead::Any => Uninit::Any,
                UninitRead::Fault => Uninit::Fault,
            },
            loops: args.loops(),
            prove: args.prove(),
            on_demand: on_demand(args),
            same_as: args.same_as.clone(),
            contract: contract(args),
            handlers: handlers::options(args),
            malloc_may_fail: args.malloc_may_fail,
            minimise: args.minimise,
            given: None,
            unknown_calls: cli::unknown_calls_of(&args.unknown_calls),
            inline_depth: None,
            loop_rounds: None,
            callers: Callers::Any,
            seeds: self.seeds.clone(),
            save_every: Some(PULSE),
            resume: None,
            known: Vec::new(),
            halt: self.halt.clone(),
            progress: self.progress.clone(),
            // The binary that is running, whatever happened to its file.
            native_helper: vec!["/proc/self/exe".into(), cli::NATIVE_HELPER.into()],
            collect_always: args.collect_always,
            check_points_to: args.check_points_to,
        }
    }
}

/// What a function that is explored alone is given.
fn on_demand(args: &RunArgs) -> Option<OnDemand> {
    args.function.as_ref().map(|_| OnDemand {
        depth: args.structure_depth,
        elements: args.elements,
        globals: match args.globals {
            GlobalsHold::Any => Globals::Any,
            GlobalsHold::Initial => Globals::Initial,
        },
        aliases: match args.aliases {
            MayAlias::SameType => Aliases::SameType,
            MayAlias::Overlapping => Aliases::Overlapping,
            MayAlias::Never => Aliases::Never,
        },
    })
}

/// The function that says what another may be given.
fn contract(args: &RunArgs) -> Option<String> {
    args.contract.as_ref()?;
    Some(format!("{}_contract", args.function.as_ref()?))
}

/// How the run merges paths.
fn merge(args: &RunArgs) -> MergeOptions {
    let mode = Mode::ALL.iter().find(|(known, ..)| *known == args.merge);
    let loops = Candidates::ALL.iter().find(|(known, ..)| *known == args.merge_loops);
    MergeOptions {
        mode: mode.expect("clap accepts only known modes").2,
        loops: loops.expect("clap accepts only known candidates").2,
        at: args.merge_at.clone(),
        most_states: args.merge_states,
        incremental: args.merge_incremental == OnOff::On,
        paranoid: args.paranoid,
    }
}

/// The inputs of the tests to start from.
pub(super) fn seeds(places: &[PathBuf]) -> Result<Vec<SeedTest>, RunError> {
    let mut seeds = Vec::new();
    for place in places {
        let unreadable = |source| RunError::Seeds {
            path: place.clone(),
            source,
        };
        let files = match place.is_dir() {
            true => corpus::files(place).map_err(|error| unreadable(error.into()))?,
            false => vec![place.clone()],
        };
        for file in files {
            if corpus::is_raw(&file) {
                seeds.push(corpus::seed(&file).map_err(|error| unreadable(error.into()))?);
                continue;
            }
            let test = KTest::read(&file).map_err(unreadable)?;
            let objects = test.objects.into_iter().map(|object| (object.name, object.bytes));
            seeds.push(inputs::with_sizes(objects.collect()));
        }
    }
    Ok(seeds)
}
