//! One worker: one thread with its terms, its solver chain and its searcher.

use crate::EngineError;
use crate::addresses::Addresses;
use crate::coverage::Coverage;
use crate::demand::Demand;
use crate::fault::Error;
use crate::frontier::Guidance;
use crate::handlers::{Handlers, Serving};
use crate::image::{self, Image, OwnSite, own_site};
use crate::leaks::Leaks;
use crate::library::Allocations;
use crate::loops::{Attempts, Summaries};
use crate::merge::{Merging, Standing};
use crate::native::Native;
use crate::observer::{Observer, Printed, TestCase};
use crate::options::{Callers, Options, Tables};
use crate::path::Path;
use crate::prove::Proving;
use crate::seeds::Seeds;
use crate::sessions::Sessions;
use crate::shortest::{Known, Which};
use crate::state::{Frame, Notes, Pending, Stack, State};
use crate::stats::Stats;
use crate::then::Then;
use crate::trail::Choice;
use crate::waiting::Waiting;
use mneme_finding::{Finding, Location};
use mneme_memory::{Alloc, Counters, Cx, Heap, Init, Model, Reason, Truth};
use mneme_program::{FunctionId, Liveness, Loc, Operand, OperandKind, PointsTo, Program, Scalar, ScalarKind};
use mneme_solver::{Answer, Budget, Patience, Query, Solver};
use mneme_term::{Assignment, BaseKind, TermId, Terms, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

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
    /// States that the last step made, besides the one it ran.
    pub spawned: Vec<State<M>>,
    /// Sides of forks that are not solved yet.
    pub(crate) waiting: Waiting<M>,
    /// For functions whose frames were checked for leaks.
    pub liveness: FxHashMap<FunctionId, Liveness>,
    /// Errors already reported, with the best path to each.
    pub found: FxHashMap<Which, Known>,
    pub(crate) sessions: Sessions<'a>,
    pub(crate) merging: Merging<M>,
    pub(crate) summaries: Summaries,
    pub(crate) proving: Proving,
    /// The last step hit a limit before it was finished.
    pub(crate) cut: bool,
    pub(crate) started: Instant,
    pub(crate) solver_time: Duration,
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
        let mut terms = Terms::new(program.target.pointer_width);
        if options.tables == Tables::Off {
            terms.forgo_tables();
        }
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
            handlers,
            native: Native::new(&options.native_helper),
            spawned: Vec::new(),
            waiting: Waiting::default(),
            liveness: FxHashMap::default(),
            found: known(program, options),
            merging: Merging::default(),
            summaries: Summaries::default(),
            proving: Proving::default(),
            cut: false,
            started: Instant::now(),
            solver_time: Duration::ZERO,
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

    fn first_state(&mut self, memory: Heap<M>) -> Option<State<M>> {
        let mut state = State {
            memory,
            frames: Vec::new(),
            pending: Rc::default(),
            exit_code: Value::ZERO,
            output: Rc::default(),
            task: None,
            marks: 0,
            unnamed: 0,
            allocations: Allocations::default(),
            addresses: Addresses::default(),
            demand: Demand::default(),
            first: None,
            serving: Serving::default(),
            path: Path {
                seeds: Seeds::all(&self.options.seeds),
                guide: self.sessions.start(),
                ..Path::default()
            },
            merge: Standing::default(),
            loops: Attempts::default(),
            leaks: Leaks::default(),
            notes: Notes::default(),
        };
        if self.options.on_demand.is_some() {
            self.enter_alone(&mut state)?;
            return Some(state);
        }
        let handler = |&function: &FunctionId| Pending::Handler { function };
        let mut pending: Vec<Pending> = self.handlers.cleanup.iter().rev().map(handler).collect();
        pending.push(Pending::Exit);
        if let Some(main) = self.program.main {
            let all = self.arguments(&mut state)?;
            pending.push(match self.program.inputs {
                Some(function) => Pending::Call { function, args: all },
                None => self.main_with(main, &all),
            });
        }
        for &function in self.program.constructors.iter().rev() {
            pending.push(Pending::Call {
                function,
                args: Vec::new(),
            });
        }
        pending.extend(self.handlers.init.iter().rev().map(handler));
        state.pending = Rc::new(pending);
        Some(state)
    }

    /// `main` with as many of its arguments as it takes.
    pub fn main_with(&self, main: FunctionId, all: &[Value]) -> Pending {
        let count = self.program.function(main).signature.params.len();
        let all = all.iter().copied().chain(std::iter::repeat(Value::ZERO));
        Pending::Main {
            function: main,
            args: all.take(count).collect(),
        }
    }

    /// `argc`, `argv`, `envp`.
    fn arguments(&mut self, state: &mut State<M>) -> Option<Vec<Value>> {
        let pointer = self.pointer();
        let step = pointer.bytes() as u64;
        let strings = std::iter::once(&self.options.program_name).chain(&self.options.args);
        let mut pointers = Vec::new();
        for string in strings {
            let mut bytes = string.clone().into_bytes();
            bytes.push(0);
            let base = self.make(state, OwnSite::Arguments, bytes.len() as u64)?;
            image::with_cx(&mut self.terms, &mut *self.solver, |cx| {
                state.memory.init_bytes(cx, base, 0, &bytes);
            });
            pointers.push(Value::Ptr { base, offset: 0 });
        }
        let argc = pointers.len() as u64;
        let argv = self.make(state, OwnSite::ArgumentVector, (argc + 1) * step)?;
        for (index, value) in pointers.into_iter().enumerate() {
            let at = index as u64 * step;
            image::with_cx(&mut self.terms, &mut *self.solver, |cx| {
                state.memory.init_value(cx, argv, at, step as u32, value);
            });
        }
        let envp = self.make(state, OwnSite::Environment, step)?;
        Some(vec![
            Value::Int(argc),
            Value::Ptr { base: argv, offset: 0 },
            Value::Ptr { base: envp, offset: 0 },
        ])
    }

    pub(crate) fn make(&mut self, state: &mut State<M>, site: OwnSite, size: u64) -> Option<mneme_term::BaseId> {
        let site = own_site(self.program, site);
        let what = Alloc {
            kind: BaseKind::Global,
            size: Value::Int(size),
            align: 16,
            site,
            init: Init::Zero,
        };
        image::allocate(&mut state.memory, &mut self.terms, &mut *self.solver, what)
    }

    // ---- endings

    pub fn complete(&mut self, state: &State<M>) {
        if self.is_silent() {
            return;
        }
        self.stats.paths.completed += 1;
        let plain = state.path.covers_new.then(|| self.plain(state)).flatten();
        let test = self.test_case(plain.as_ref().unwrap_or(state), true);
        *self.stats.exit_values.entry(test.exit_code.unwrap_or(0)).or_default() += 1;
        if self.options.check_leaks {
            self.count_still_reachable(state);
        }
        self.observer.completed(&test);
        self.complete_for_witnesses(state, test);
        self.options.progress.publish(&self.stats);
    }

    /// A merged path has a test for each member that was the first to reach something: one test may not cover what
    /// another does.
    fn complete_for_witnesses(&mut self, state: &State<M>, test: TestCase) {
        let mut written = vec![test];
        // Plain inputs may lead through another member than the one that reached something.
        if self.options.minimise && self.stats.merging.contexts > 0 {
            let mut test = self.test_case(state, true);
            test.path = test.path.wrapping_sub(1);
            if written[0].inputs != test.inputs {
                self.observer.completed(&test);
                written.push(test);
            }
        }
        for (index, witness) in state.notes.witnesses.iter().enumerate() {
            let bases = state.memory.bases();
            let address = |base| bases.concrete_address(base);
            let model = witness.inputs.with_addresses(&address);
            let holds = |&clause: &TermId| self.terms.eval_bool(clause, &model);
            // The newest clauses tell the members apart.
            if !state.path.condition.clauses().iter().rev().all(holds) {
                continue;
            }
            let mut other = state.clone();
            let nothing = self.terms.tru();
            other
                .path
                .condition
                .assume(&mut self.terms, nothing, witness.inputs.clone());
            let mut test = self.test_case(&other, true);
            test.path = test.path.wrapping_add(index as u64 + 1);
            test.covers_new = true;
            if written.iter().all(|known| known.inputs != test.inputs) {
                self.observer.completed(&test);
                written.push(test);
            }
        }
    }

    pub fn stop(&mut self, state: &State<M>, reason: &Reason) {
        let place = self.stack(state).into_iter().find(|place| !place.runtime);
        self.stop_at(place.as_ref(), reason);
    }

    pub(crate) fn stop_at(&mut self, place: Option<&Location>, reason: &Reason) {
        if self.is_silent() {
            return;
        }
        let reason = reason.to_string();
        self.stats.stop(reason.clone(), 1);
        self.observer.stopped(&reason, place);
        self.options.progress.publish(&self.stats);
    }

    pub fn error(&mut self, state: &State<M>, error: &Error) {
        if let Some(why) = self.broken_handler(state, error) {
            let reason = self.at_place(state, why);
            self.abandon(state, &reason);
            return;
        }
        if self.is_reference(state) {
            self.stats.paths.excluded += 1;
            return;
        }
        if self.options.callers == Callers::Usual && error.is_of_assertions() {
            self.stats.paths.excluded += 1;
            return;
        }
        self.stats.paths.faulted += 1;
        self.error_going_on(state, error);
        if self.is_beyond_given(state, error) {
            self.stop(state, &Reason::Limit("the size of objects made on demand"));
        }
        self.options.progress.publish(&self.stats);
    }

    /// Reports an error that does not end the path.
    pub fn error_going_on(&mut self, state: &State<M>, error: &Error) {
        if self.repeats(state) {
            return;
        }
        let Some(novelty) = self.novelty(state, error) else {
            return;
        };
        let plain = self.plain(state);
        let state = plain.as_ref().unwrap_or(state);
        let (finding, test) = self.explain(state, error);
        self.observer.found(&finding, &test, novelty);
    }

    pub fn test_case(&mut self, state: &State<M>, exits: bool) -> TestCase {
        let call = self.call_of(state, exits);
        let bases = state.memory.bases();
        let numbers: Vec<(mneme_term::BaseId, u64)> = state
            .addresses
            .seen
            .iter()
            .map(|seen| (seen.base, self.evaluate(state, seen.address).low_u64()))
            .collect();
        let address = |b| match numbers.iter().find(|(base, _)| *base == b) {
            Some(&(_, number)) => number,
            None => bases.concrete_address(b),
        };
        let model = state.path.condition.assignment().with_addresses(&address);
        let inputs = state.path.inputs.iter().map(|input| {
            let len = match input.len {
                Value::Term(len) => self.terms.eval_u64(len, &model) as usize,
                _ => input.bytes.len(),
            };
            let bytes = input
                .bytes
                .iter()
                .take(len)
                .map(|&byte| self.terms.eval_u64(byte, &model) as u8)
                .collect();
            (input.name.to_string(), bytes)
        });
        let inputs = inputs.collect();
        let exit_code = exits.then(|| match state.exit_code {
            Value::Int(n) => n as u32,
            Value::Term(t) => self.terms.eval(t, &model).low_u64() as u32,
            _ => 0,
        });
        let byte = |&value: &Value| match value {
            Value::Term(t) => self.terms.eval_u64(t, &model) as u8,
            Value::Int(n) => n as u8,
            _ => 0,
        };
        let output = exits.then(|| Printed {
            bytes: state.output.bytes.iter().map(byte).collect(),
            complete: !state.output.cut,
        });
        let uninitialised = self.unwritten_needs(state, exits);
        let failing = state
            .allocations
            .fallible
            .iter()
            .filter(|allocation| self.terms.eval_u64(allocation.fails, &model) == 1);
        TestCase {
            inputs,
            exit_code: exit_code.map(|code| code & 0xff),
            path: state.path.trail.digest(),
            failing_allocations: failing.map(|allocation| allocation.number).collect(),
            uninitialised,
            placed: self.placement_needs(state),
            call,
            output,
            covers_new: state.path.covers_new,
        }
    }

    // ---- asking

    pub(crate) fn budget(&self) -> Budget {
        let left = self
            .options
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = match (left, self.options.solver_timeout) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget {
            time,
            ..Budget::UNLIMITED
        }
    }

    /// Can `condition` hold on the path?
    pub fn may(&mut self, state: &State<M>, condition: TermId) -> Truth {
        self.may_with(state, condition, self.budget())
    }

    /// The same, within a time limit.
    pub fn may_within(&mut self, state: &State<M>, condition: TermId, most: Duration) -> Truth {
        let mut budget = self.budget();
        budget.time = budget
            .time
            .map(|time| time.min(most))
            .or((most < Duration::MAX).then_some(most));
        self.may_with(state, condition, budget)
    }

    /// The same, if the solver need not think about it for longer.
    pub(crate) fn may_soon(&mut self, state: &State<M>, condition: TermId, patience: Patience) -> Truth {
        let budget = Budget {
            patience,
            ..self.budget()
        };
        self.may_with(state, condition, budget)
    }

    fn may_with(&mut self, state: &State<M>, condition: TermId, budget: Budget) -> Truth {
        let hint = state.path.condition.assignment().clone();
        let query = Query {
            assumptions: state.path.condition.clauses(),
            goal: condition,
            bases: state.memory.bases(),
            hint: Some(&hint),
        };
        let begin = Instant::now();
        let answer = self.solver.check(&mut self.terms, &query, budget);
        self.solver_time += begin.elapsed();
        match answer {
            Answer::Sat(witness) => Truth::Sometimes(witness),
            Answer::Unsat => Truth::Never,
            Answer::Unknown(why) => Truth::Unknown(why),
        }
    }

    /// Runs a memory operation on the state's memory.
    pub fn with_memory<T>(&mut self, state: &mut State<M>, act: impl FnOnce(Heap<M>, &mut Cx) -> T) -> T {
        let budget = self.budget();
        let mut cx = Cx {
            terms: &mut self.terms,
            solver: &mut *self.solver,
            path: &state.path.condition,
            budget,
            counters: &mut self.counters,
            site: mneme_memory::NO_SITE,
            at: state.frame().instruction(),
            calls: &Stack(&state.frames),
            seen: &state.addresses.seen,
        };
        state.leaks.held.forget();
        act(std::mem::take(&mut state.memory), &mut cx)
    }

    /// The same for an operation that only changes the memory.
    pub fn change_memory(&mut self, state: &mut State<M>, change: impl FnOnce(&mut Heap<M>, &mut Cx)) {
        state.memory = self.with_memory(state, |mut memory, cx| {
            change(&mut memory, cx);
            memory
        });
    }

    /// The value of `term` under the state's assignment.
    pub fn evaluate(&self, state: &State<M>, term: TermId) -> mneme_term::Bits {
        self.evaluate_with(state, term, state.path.condition.assignment())
    }

    pub(crate) fn evaluate_with(&self, state: &State<M>, term: TermId, assignment: &Assignment) -> mneme_term::Bits {
        let bases = state.memory.bases();
        let address = |b| bases.concrete_address(b);
        self.terms.eval(term, &assignment.with_addresses(&address))
    }

    /// One value for a term that must be concrete; the path is narrowed to it. Counted, since other values are lost.
    pub fn concretise(&mut self, state: &mut State<M>, value: Value, width: u32) -> u64 {
        match value {
            Value::Int(n) => n,
            Value::Ptr { base, offset } => match state.addresses.seen.iter().find(|seen| seen.base == base) {
                Some(seen) => {
                    let offset = self.terms.constant(width, offset);
                    let address = self.terms.add(seen.address, offset);
                    self.concretise(state, Value::Term(address), width)
                }
                None => {
                    self.lose_other_addresses(state, base);
                    state.memory.expose(base).wrapping_add(offset)
                }
            },
            Value::Undef => 0,
            Value::Term(term) => {
                self.expose_seen(state, term);
                let number = match self.at_point(state) {
                    Guidance::Free => self.choose(state, term),
                    Guidance::Ways(ways) => self.choose_again(state, term, &ways),
                    Guidance::Determined | Guidance::Lost => self.evaluate(state, term).low_u64(),
                };
                debug_assert!(width >= 64 || number >> width == 0);
                number
            }
        }
    }

    fn choose(&mut self, state: &mut State<M>, term: TermId) -> u64 {
        let bits = match state.path.seeds.values().next() {
            Some(values) => self.evaluate_with(state, term, values),
            None => self.evaluate(state, term),
        };
        if self.terms.as_bits(term).is_none() {
            let constant = self.terms.constant_bits(&bits);
            let equal = self.terms.eq(term, constant);
            let other = self.terms.not(equal);
            if !self.terms.is_true(equal) && !matches!(self.may(state, other), Truth::Never) {
                self.stats.concretised += 1;
                let witness = state.path.condition.assignment().clone();
                self.narrow_to(state, equal, witness);
                state.decide(Choice::Value(bits.low_u64()));
            }
        }
        bits.low_u64()
    }

    /// Keeps only the inputs for which `condition` holds; the others are excluded, not lost.
    pub fn restrict(&mut self, state: &mut State<M>, condition: TermId, then: Then) -> Flow {
        if self.terms.is_true(condition) {
            self.resume(state, then);
            return Flow::On;
        }
        match self.may(state, condition) {
            Truth::Never => {
                self.stats.paths.excluded += 1;
                Flow::End
            }
            Truth::Sometimes(witness) => {
                self.narrow_to(state, condition, witness);
                self.resume(state, then);
                Flow::On
            }
            Truth::Unknown(why) => self.unanswered(state, why),
        }
    }

    // ---- small helpers

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
fn known(program: &Program, options: &Options) -> FxHashMap<Which, Known> {
    let place = |place: &Location| {
        let index = program.files.iter().position(|known| *known == place.file);
        Loc {
            file: index.map_or(u32::MAX, |index| index as u32),
            line: place.line,
            column: place.column,
        }
    };
    let which = |known: &Finding| Which {
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
