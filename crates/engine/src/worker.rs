//! One worker: one thread with its terms, its solver chain and its searcher.

use crate::EngineError;
use crate::coverage::Coverage;
use crate::fast;
use crate::fault::Error;
use crate::handlers::Handlers;
use crate::image::{self, Image};
use crate::loops::Summaries;
use crate::merge::Merging;
use crate::native::Native;
use crate::observer::Observer;
use crate::options::Options;
use crate::prove::Proving;
use crate::sessions::Sessions;
use crate::shortest::{ErrorId, Known};
use crate::state::{Frame, State};
use crate::stats::Stats;
use crate::waiting::Waiting;
use mneme_finding::{Finding, Location};
use mneme_memory::{Counters, Model, Reason};
use mneme_program::{
    CallSummaries, FunctionId, Liveness, Loc, Operand, OperandKind, PointsTo, Program, Scalar, ScalarKind,
};
use mneme_solver::Solver;
use mneme_term::{TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

pub struct Worker<'a, M: Model> {
    pub program: &'a Program,
    pub options: &'a Options,
    /// Those of the memory model.
    pub(crate) model: &'a M::Options,
    pub observer: &'a mut dyn Observer,
    pub terms: Terms,
    pub solver: Box<dyn Solver>,
    pub image: Image,
    pub coverage: Coverage,
    pub stats: Stats,
    pub counters: Counters,
    pub native: Native,
    pub(crate) handlers: Rc<Handlers>,
    /// For the fast loop.
    pub(crate) fast: fast::Options,
    /// States that the last step made, besides the one it ran.
    pub spawned: Vec<State<M>>,
    /// Sides of forks that are not solved yet.
    pub(crate) waiting: Waiting<M>,
    /// For functions whose frames were checked for leaks.
    pub liveness: FxHashMap<FunctionId, Liveness>,
    /// What functions leave behind, found when first asked for.
    pub(crate) call_summaries: Option<CallSummaries>,
    /// Errors already reported, with the best path to each.
    pub found: FxHashMap<ErrorId, Known>,
    pub(crate) sessions: Sessions<'a>,
    pub(crate) merging: Merging<M>,
    pub(crate) summaries: Summaries,
    pub(crate) proving: Proving,
    /// The last step hit a limit before it was finished.
    pub(crate) cut: bool,
    pub(crate) started: Instant,
    /// When the memory of the process was last looked at, and whether it was too much.
    pub(crate) memory: Cell<Option<(Instant, bool)>>,
    /// For tests: checked against what pointers refer to.
    pub(crate) points_to: Option<Rc<PointsTo<'a>>>,
    /// Nodes that were alive after the last collection.
    pub(crate) after_collection: usize,
}

/// What a step did to the state it ran.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Flow {
    On,
    /// It continues, and there are others in `spawned`.
    Fork,
    End,
}

impl<'a, M: Model> Worker<'a, M> {
    pub fn new(
        program: &'a Program,
        options: &'a Options,
        model: &'a M::Options,
        solver: Box<dyn Solver>,
        observer: &'a mut dyn Observer,
    ) -> Result<(Self, State<M>), EngineError> {
        let terms = (options.terms)(program.target.pointer_width);
        Worker::with(program, options, model, terms, solver, observer)
    }

    /// A worker with terms that others have made before.
    pub(crate) fn with(
        program: &'a Program,
        options: &'a Options,
        model: &'a M::Options,
        mut terms: Terms,
        mut solver: Box<dyn Solver>,
        observer: &'a mut dyn Observer,
    ) -> Result<(Self, State<M>), EngineError> {
        let handlers = Rc::new(Handlers::find(program, &options.handlers)?);
        let sessions = Sessions::new(options.resume.as_ref());
        let (mut image, memory) =
            image::build::<M>(program, &mut terms, &mut *solver, options, model).ok_or(EngineError::GlobalsTooLarge)?;
        handlers.heard().for_each(|function| image.observe(function));
        let mut worker = Worker {
            program,
            options,
            model,
            observer,
            terms,
            solver,
            image,
            coverage: Coverage::new(program.places),
            stats: sessions.stats(),
            sessions,
            counters: Counters::default(),
            fast: fast::Options::new(options, &handlers),
            handlers,
            native: Native::new(&options.native_helper),
            spawned: Vec::new(),
            waiting: Waiting::default(),
            liveness: FxHashMap::default(),
            call_summaries: None,
            found: known(program, options),
            merging: Merging::default(),
            summaries: Summaries::default(),
            proving: Proving::default(),
            cut: false,
            started: Instant::now(),
            memory: Cell::new(None),
            points_to: options.check_points_to.then(|| Rc::new(PointsTo::new(program))),
            after_collection: 0,
        };
        for &place in worker.sessions.reached() {
            if place < program.places {
                worker.coverage.reach(place);
            }
        }
        let first = worker.first_state(memory).ok_or(EngineError::GlobalsTooLarge)?;
        Ok((worker, first))
    }

    pub fn pointer(&self) -> Scalar {
        Scalar {
            kind: ScalarKind::Pointer,
            bits: self.program.target.pointer_width as u16,
        }
    }

    pub fn pointer_width(&self) -> u32 {
        self.program.target.pointer_width
    }

    pub fn get(&self, state: &State<M>, operand: Operand) -> Value {
        self.get_in(state.frame(), operand)
    }

    pub fn get_in(&self, frame: &Frame, operand: Operand) -> Value {
        match operand.kind() {
            OperandKind::Slot(slot) => frame.slots[slot as usize],
            OperandKind::Constant(index) => self.image.constants[frame.function.index()][index as usize],
        }
    }

    pub fn term(&mut self, value: Value, width: u32) -> TermId {
        self.terms.of_value(value, width)
    }

    pub fn fail(&mut self, state: &State<M>, error: Error) -> Flow {
        self.error(state, &error);
        Flow::End
    }

    pub fn unsupported(&mut self, state: &State<M>, what: impl Into<String>) -> Flow {
        let reason = self.at_place(state, what);
        self.abandon(state, &reason);
        Flow::End
    }

    /// A reason to stop at something unsupported, with the line of the program.
    pub(crate) fn at_place(&self, state: &State<M>, what: impl Into<String>) -> Reason {
        let mut what = what.into();
        if let Some(place) = self.stack(state).into_iter().find(|place| !place.runtime) {
            what = format!("{what} ({})", place.brief());
        }
        Reason::Unsupported(what)
    }

    /// The code locations of all frames, innermost first.
    pub fn stack(&self, state: &State<M>) -> Vec<Location> {
        let place = |id: FunctionId, pc: u32| {
            let function = self.program.function(id);
            let loc = function.locs.get(pc as usize).copied().unwrap_or_default();
            Location {
                function: function.source_name.clone().unwrap_or_else(|| function.name.clone()),
                file: self.program.files.get(loc.file as usize).cloned().unwrap_or_default(),
                line: loc.line,
                column: loc.column,
                runtime: function.runtime,
            }
        };
        state
            .frames
            .iter()
            .rev()
            .map(|frame| place(frame.function, frame.pc))
            .collect()
    }
}

/// What an earlier session found; the paths it reported stay.
fn known(program: &Program, options: &Options) -> FxHashMap<ErrorId, Known> {
    let place = |place: &Location| {
        let index = program.files.iter().position(|known| *known == place.file);
        Loc {
            file: index.map_or(u32::MAX, |index| index as u32),
            line: place.line,
            column: place.column,
        }
    };
    let which = |known: &Finding| ErrorId {
        rule: known.rule,
        place: place(&known.location),
        block: known.lost_block().map(place),
    };
    let told = |known: &Finding| Known {
        callers: known.callers().map(|caller| caller.map(place)).collect(),
        ..Known::default()
    };
    options.known.iter().map(|known| (which(known), told(known))).collect()
}
