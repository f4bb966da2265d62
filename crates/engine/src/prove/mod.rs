//! Proofs that loops are safe: every state at the head of a loop is covered by an abstract one.
//!
//! The whole program is executed once more, by a worker of its own, so that the run stays as it is if nothing can be
//! proved. Where a state comes to the head of a loop, it is compared with the abstract states that stand there
//! ([`head`]): if one of them covers it, the path ends; if not, one of them grows until it does, and is executed from
//! there. When nothing is left to execute, every state of every path is covered. Abstract states stand for more than
//! the program's own states, so what fails from them may be no error: any failure, stop or doubt ends the attempt, and
//! the run goes on as if there had been none. `docs/proofs.md` says why that is right.

mod chains;
mod compare;
mod fold;
mod head;
mod templates;

use crate::explore::{processor_time, resident_bytes};
use crate::merge::{Merging, Mode};
use crate::observer::Silent;
use crate::options::{Loops, Options, Prove, Sides};
use crate::seeds::SeedTest;
use crate::state::State;
use crate::waiting::Waiting;
use crate::worker::{Flow, Worker};
use chains::Chain;
use compare::{Folded, Matched};
use head::Head;
use mneme_finding::{Invariant, Proof};
use mneme_memory::{Model, Truth};
use mneme_program::{FunctionId, Inst};
use mneme_solver::{Answer, Budget, PathCondition, Query, Solver, Unknown};
use mneme_term::{BaseId, BaseKind, TermId, Terms, Tracer, Value};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why a proof fails.
type Why = &'static str;

/// When the first attempt is made.
const FIRST_ATTEMPT: Duration = Duration::from_millis(300);
/// So many decisions on one path are many.
const DEEP: usize = 100;
/// How often one abstract state may grow.
const MOST_GROWTH: u32 = 100;
/// How many abstract states one loop head may have beyond those that are kept apart.
const MOST_SHAPES: usize = 16;
/// The same where lists are folded.
const MOST_FOLDED: usize = 48;
/// So many abstract states of a loop head are lists as they are.
const UNFOLDED: usize = 4;
/// Longer invariants are shown as they were found.
const MOST_SHOWN: usize = 200;
/// How long the solver thinks about clauses.
const SHORT: Duration = Duration::from_millis(500);
/// What a proof must not pass over.
const DOUBT: Why = "a path that fails, stops, or depends on addresses";

/// The time of an attempt is over, or its memory is full.
const OVER: Why = "a limit";

/// How much longer than its processor time an attempt may take.
const BUSIEST: u32 = 8;

/// How an attempt goes about it.
#[derive(Copy, Clone, Debug)]
struct Way {
    /// Rounds of a loop that are executed as they are, as long as nothing is decided in it.
    rounds: u32,
    /// How many abstract states of a loop head that differ in numbers stay apart.
    apart: usize,
    /// Nodes of different shapes may be in one chain of a list.
    mixed: bool,
    /// What begins a chain is two nodes in a row: a block that another one owns may be all there is.
    rows: bool,
    /// Processor time.
    time: Duration,
}

const WAYS: [Way; 5] = [
    way(64, 1, 4),
    way(0, 1, 4),
    way(64, 10_000, 6),
    way(1000, 1, 6),
    way(1000, 20, 6),
];
/// Attempts whose time was over are made again with this many times as much, as long as that is not too long.
const LONGER: u32 = 4;
const LONGEST: Duration = Duration::from_secs(100);

const fn way(rounds: u32, apart: usize, seconds: u64) -> Way {
    Way {
        rounds,
        apart,
        mixed: false,
        rows: false,
        time: Duration::from_secs(seconds),
    }
}

/// What a worker does about proofs.
#[derive(Default)]
pub(crate) struct Proving {
    /// Has a path made many decisions?
    deep: bool,
    /// How many of the ways were tried, and those to try besides.
    tried: usize,
    next: Option<Way>,
    again: VecDeque<Way>,
    /// How long the attempts took.
    spent: Duration,
    /// Was a list folded in the last one?
    folds: bool,
    /// Symbols that were made.
    made: u64,
    /// When the attempt that this worker makes is over, in processor time.
    until: Option<Duration>,
}

impl Proving {
    fn next_way(&mut self) -> Option<Way> {
        let next = self.next.take().or_else(|| {
            let way = WAYS.get(self.tried).copied();
            self.tried += usize::from(way.is_some());
            way
        });
        next.or_else(|| self.again.pop_front())
    }

    fn failed(&mut self, way: Way, why: Why) {
        if self.folds && !way.mixed {
            self.next = Some(Way { mixed: true, ..way });
        } else if self.folds && !way.rows && why != OVER {
            self.next = Some(Way { rows: true, ..way });
        }
        let time = way.time * LONGER;
        if why == OVER && time <= LONGEST {
            self.again.push_back(Way { time, ..way });
        }
    }
}

/// A place where abstract states stand: the calls that are active, each where it is.
type Key = Vec<(FunctionId, u32)>;

pub(crate) struct Prover<M: Model> {
    way: Way,
    heads: Vec<Head<M>>,
    by_key: FxHashMap<Key, Vec<usize>>,
    /// Places that were stored to: guesses of where numbers begin and end.
    stored: BTreeSet<(u32, u64, u32)>,
    /// The sites of objects that were stored to at symbolic offsets.
    scattered: FxHashSet<u32>,
    work: Vec<Going<M>>,
    /// Was a list folded?
    folds: bool,
    /// For functions that were entered: the header of a loop at each instruction.
    headers: FxHashMap<FunctionId, Vec<bool>>,
}

/// A state on its way from an abstract one.
struct Going<M: Model> {
    state: State<M>,
    /// The abstract state that it comes from, as it was then.
    from: Option<(usize, u32)>,
    /// Where it was before: a state is covered only after it has moved.
    was: Option<Position>,
    visits: Vec<Visit>,
    chains: Rc<Vec<Chain>>,
    /// How often a chain was unfolded.
    unfolded: usize,
}

/// How a state stands to the abstract states of its place.
enum Near {
    Covered,
    /// This one could grow to cover it.
    Head(usize, Box<Matched>),
    Nothing,
}

/// How many calls are active, and where the last one is.
type Position = (usize, FunctionId, u32);

fn position<M: Model>(state: &State<M>) -> Position {
    (state.frames.len(), state.frame().function, state.frame().pc)
}

/// A loop that a path is in.
#[derive(Clone)]
struct Visit {
    depth: usize,
    pc: u32,
    rounds: u32,
    /// What was decided when it was entered.
    decided: (usize, usize, usize),
}

impl<M: Model> Prover<M> {
    /// Was something stored in just these bytes of one of the two objects?
    fn is_stored(&self, one: BaseId, other: BaseId, offset: u64, bytes: u32) -> bool {
        [one, other]
            .iter()
            .any(|base| self.stored.contains(&(base.0, offset, bytes)))
    }

    fn is_scattered(&self, site: u32) -> bool {
        self.scattered.contains(&site)
    }

    fn stored_places(&self) -> impl Iterator<Item = (BaseId, u64, u32)> {
        self.stored
            .iter()
            .map(|&(base, offset, bytes)| (BaseId(base), offset, bytes))
    }

    /// An abstract state is executed, in the place of a state that came to it.
    fn follow(&mut self, index: usize, going: &Going<M>) {
        let head = &self.heads[index];
        self.work.push(Going {
            state: head.state.clone(),
            from: Some((index, head.generation)),
            was: Some(position(&head.state)),
            visits: going.visits.clone(),
            chains: head.chains.clone(),
            unfolded: going.unfolded,
        });
    }

    fn is_stale(&self, going: &Going<M>) -> bool {
        going
            .from
            .is_some_and(|(head, generation)| self.heads[head].generation != generation)
    }
}

/// In the place of a solver that somebody else uses.
struct Lent;

impl Solver for Lent {
    fn check(&mut self, _: &mut Terms, _: &Query, _: Budget) -> Answer {
        Answer::Unknown(Unknown::Postponed)
    }
    fn trace(&self, _: &mut Tracer) {}
    fn stats(&self, _: &mut Vec<mneme_finding::Stage>) {}
}

/// Can a run with these options be proved?
fn is_provable(options: &Options) -> bool {
    let alone = options.on_demand.is_some() || options.same_as.is_some();
    let asks_more = options.check_termination || options.check_points_to;
    let served = !options.handlers.symbolic.is_empty() || !options.handlers.concrete.is_empty();
    options.prove != Prove::Never && !alone && !asks_more && !served
}

impl<M: Model> Worker<'_, M> {
    /// If it is time, tries to prove that nothing is left to find. Then nothing is left to explore.
    pub(crate) fn prove_if_due(&mut self) -> bool {
        if self.options.prove == Prove::Deep && !self.proving.deep {
            return false;
        }
        let spent = self.proving.spent;
        let ran = self.started.elapsed().saturating_sub(spent);
        if !is_provable(self.options) || ran < FIRST_ATTEMPT.max(spent) {
            return false;
        }
        let Some(way) = self.proving.next_way() else {
            return false;
        };
        let begin = Instant::now();
        let proof = self.attempt(way);
        self.proving.spent += begin.elapsed();
        match proof {
            Ok(proof) => {
                self.stats.proof = Some(proof);
                self.merging = Merging::default();
                self.waiting = Waiting::default();
                self.spawned.clear();
                true
            }
            Err(why) => {
                tracing::debug!(?way, why, time = ?begin.elapsed(), "not proved");
                self.proving.failed(way, why);
                false
            }
        }
    }

    /// A path goes on.
    pub(crate) fn note_depth(&mut self, state: &State<M>) {
        self.proving.deep |= state.path.trail.len() >= DEEP;
    }

    fn attempt(&mut self, way: Way) -> Result<Proof, Why> {
        let deadline = Instant::now() + way.time * BUSIEST;
        let resident = resident_bytes().unwrap_or(0);
        let mut options = Options {
            deadline: Some(self.options.deadline.map_or(deadline, |own| own.min(deadline))),
            // The run needs some of what is left if nothing is proved.
            max_memory: self
                .options
                .max_memory
                .map(|most| resident + most.saturating_sub(resident) / 2),
            loops: Loops::Classic,
            sides: Sides::Eager,
            seeds: Vec::<SeedTest>::new(),
            max_states: None,
            max_instructions: None,
            max_path: None,
            max_depth: None,
            save_every: None,
            resume: None,
            known: Vec::new(),
            progress: Arc::default(),
            native_helper: Vec::new(),
            collect_always: false,
            prove: Prove::Never,
            ..self.options.clone()
        };
        options.merge.mode = Mode::None;
        options.merge.at.clear();
        let terms = std::mem::replace(&mut self.terms, Terms::new(self.program.target.pointer_width));
        let solver = std::mem::replace(&mut self.solver, Box::new(Lent));
        let mut silent = Silent;
        let made = Worker::<M>::with(self.program, &options, self.model, terms, solver, &mut silent);
        let (mut worker, first) = made.unwrap_or_else(|_| unreachable!("the run itself has begun like this"));
        worker.proving.made = self.proving.made;
        worker.proving.until = Some(processor_time() + way.time);
        let mut proof = worker.cover_all(way, first);
        // What was found on the run itself may be met again.
        if !worker.found.keys().all(|which| self.found.contains_key(which)) {
            proof = Err("an abstract state fails");
        }
        self.proving.made = worker.proving.made;
        self.proving.folds = worker.proving.folds;
        let Worker { terms, solver, .. } = worker;
        (self.terms, self.solver) = (terms, solver);
        proof
    }

    /// Executes everything from the first state on, until all is covered.
    fn cover_all(&mut self, way: Way, first: State<M>) -> Result<Proof, Why> {
        let mut prover = Prover {
            way,
            heads: Vec::new(),
            by_key: FxHashMap::default(),
            stored: BTreeSet::new(),
            scattered: FxHashSet::default(),
            work: Vec::new(),
            folds: false,
            headers: FxHashMap::default(),
        };
        prover.work.push(Going {
            state: first,
            from: None,
            was: None,
            visits: Vec::new(),
            chains: Rc::default(),
            unfolded: 0,
        });
        let mut covered = Ok(());
        while let Some(going) = prover.work.pop()
            && covered.is_ok()
        {
            if !prover.is_stale(&going) {
                covered = self.go(&mut prover, going);
            }
        }
        self.proving.folds = prover.folds;
        covered?;
        self.proof(&prover)
    }

    fn is_over(&self) -> bool {
        let spent = |until| processor_time() >= until;
        self.limit_reached().is_some() || self.proving.until.is_some_and(spent)
    }

    /// Executes a state until it ends or is covered.
    fn go(&mut self, prover: &mut Prover<M>, mut going: Going<M>) -> Result<(), Why> {
        let mut steps = 0_u64;
        loop {
            steps += 1;
            if (steps.is_multiple_of(256) || self.cut) && self.is_over() {
                return Err(OVER);
            }
            if going.state.frames.is_empty() {
                match self.next_pending(&mut going.state) {
                    Flow::End => return self.ends(&going),
                    _ => continue,
                }
            }
            let here = position(&going.state);
            // An instruction may be executed in several steps.
            let moved = going.was.replace(here) != Some(here) && going.state.task.is_none();
            if moved && self.is_header(prover, &going.state) && self.come_to_head(prover, &mut going)? {
                return Ok(());
            }
            let inst = self.program.function(here.1).code[here.2 as usize];
            if matches!(inst, Inst::Spin) {
                return Ok(());
            }
            if let Some(touched) = self.touched(&going) {
                return self.unfold(prover, going, touched);
            }
            self.note_store(prover, &going.state, inst);
            let flow = match self.run_fast(&mut going.state, 1).instructions {
                0 => self.step(&mut going.state),
                _ => Flow::On,
            };
            going.state.path.steps += 1;
            self.doubts()?;
            for state in std::mem::take(&mut self.spawned) {
                prover.work.push(Going {
                    state,
                    from: going.from,
                    was: going.was,
                    visits: going.visits.clone(),
                    chains: going.chains.clone(),
                    unfolded: going.unfolded,
                });
            }
            if flow == Flow::End {
                return self.ends(&going);
            }
        }
    }

    /// A path has ended. If lost memory is looked for, no nodes may have been lost unseen.
    fn ends(&mut self, going: &Going<M>) -> Result<(), Why> {
        if self.options.check_leaks {
            { going.chains.iter() }.try_for_each(|chain| self.is_forward_in_place(&going.state, chain))?;
        }
        self.doubts()
    }

    /// Has anything happened that a proof must not pass over?
    fn doubts(&self) -> Result<(), Why> {
        let clear = !self.cut
            && self.stats.exact()
            && self.waiting.is_empty()
            && self.counters.address_dependent == 0
            && !self.merging.is_open();
        clear.then_some(()).ok_or(DOUBT)
    }

    /// Guesses of where numbers are in memory.
    fn note_store(&self, prover: &mut Prover<M>, state: &State<M>, inst: Inst) {
        let Inst::Store { ty, ptr, .. } = inst else { return };
        match self.get(state, ptr) {
            Value::Ptr { base, offset } => {
                let bytes = ty.bytes();
                if matches!(bytes, 1 | 2 | 4 | 8) && offset.is_multiple_of(bytes.into()) {
                    prover.stored.insert((base.0, offset, bytes));
                }
            }
            Value::Term(pointer) => {
                let bases = self.terms.bases(pointer);
                prover
                    .scattered
                    .extend(bases.iter().map(|&base| self.terms.base_info(base).site));
            }
            _ => {}
        }
    }

    fn is_header(&mut self, prover: &mut Prover<M>, state: &State<M>) -> bool {
        let frame = state.frame();
        let headers = prover.headers.entry(frame.function).or_insert_with(|| {
            let function = self.program.function(frame.function);
            let loops = self.image.loops(self.program, frame.function);
            let mut headers = vec![false; function.code.len()];
            for found in loops.all() {
                headers[function.blocks[found.header.0 as usize].start as usize] = true;
            }
            headers
        });
        headers[frame.pc as usize]
    }

    /// A state is at the head of a loop. True: it is covered, and what covers it is executed.
    fn come_to_head(&mut self, prover: &mut Prover<M>, going: &mut Going<M>) -> Result<bool, Why> {
        if self.is_early(prover.way, going) {
            return Ok(false);
        }
        if !going.state.addresses.seen.is_empty() {
            return Err("an address that is looked at");
        }
        { going.chains.iter() }.try_for_each(|chain| self.is_in_place(&going.state, chain))?;
        let key: Key = going
            .state
            .frames
            .iter()
            .map(|frame| (frame.function, frame.pc))
            .collect();
        let known = prover.by_key.get(&key).cloned().unwrap_or_default();
        let mut nearest = self.find_cover(prover, &known, &going.state, &going.chains);
        if matches!(nearest, Near::Nothing) && !known.is_empty() {
            let mut chains = (*going.chains).clone();
            let mut folded = going.state.clone();
            if self.fold(prover, &mut folded, &mut chains)? {
                prover.folds = true;
                nearest = self.find_cover(prover, &known, &folded, &chains);
                if !matches!(nearest, Near::Nothing) || known.len() >= UNFOLDED {
                    going.state = folded;
                    going.chains = Rc::new(chains);
                }
            }
        }
        match nearest {
            Near::Covered => return Ok(true),
            Near::Head(index, matched) => {
                let head = &prover.heads[index];
                if head.generation >= MOST_GROWTH {
                    return Err("a loop that changes ever more");
                }
                let grown = self.widen(head, &matched, &going.state)?;
                if matched.chains.is_some() {
                    self.check_growth(prover, head, &grown, going)?;
                }
                prover.heads[index] = grown;
                prover.follow(index, going);
                return Ok(true);
            }
            Near::Nothing => {}
        }
        let most = if prover.folds { MOST_FOLDED } else { MOST_SHAPES };
        if known.len() >= prover.way.apart.max(most) {
            return Err("a loop with ever more shapes of memory");
        }
        tracing::trace!(known = known.len(), folds = prover.folds, chains = ?going.chains, "another shape");
        let print = self.outline(prover, &going.state);
        let head = self.new_head(prover, &going.state, &going.chains, print)?;
        prover.by_key.entry(key).or_default().push(prover.heads.len());
        prover.heads.push(head);
        prover.follow(prover.heads.len() - 1, going);
        Ok(true)
    }

    /// The abstract state that covers a state, or the first that could grow to do so.
    fn find_cover(&mut self, prover: &Prover<M>, known: &[usize], state: &State<M>, chains: &[Chain]) -> Near {
        let print = self.outline(prover, state);
        let apart = known.len() < prover.way.apart;
        let mut nearest = Near::Nothing;
        for &index in known {
            if apart && prover.heads[index].print != print {
                continue;
            }
            let head = &prover.heads[index];
            let Some(matched) = self.correspond(prover, head.folded(), &head.holes, Folded { state, chains }) else {
                continue;
            };
            if self.is_covered_by(head, &matched, state) {
                return Near::Covered;
            }
            if matches!(nearest, Near::Nothing) {
                nearest = Near::Head(index, Box::new(matched));
            }
        }
        nearest
    }

    /// Does an abstract state with other chains than before cover what it must?
    fn check_growth(
        &mut self,
        prover: &Prover<M>,
        head: &Head<M>,
        grown: &Head<M>,
        going: &Going<M>,
    ) -> Result<(), Why> {
        let now = Folded {
            state: &going.state,
            chains: &going.chains,
        };
        for member in [head.folded(), now] {
            let matched = self.correspond(prover, grown.folded(), &grown.holes, member);
            let covered = matched.is_some_and(|matched| self.is_covered_by(grown, &matched, member.state));
            if !covered {
                return Err("a list that does not cover what it was made of");
            }
        }
        Ok(())
    }

    /// Is the loop only executed so far, without a decision? Then it goes on like that for some rounds.
    fn is_early(&mut self, way: Way, going: &mut Going<M>) -> bool {
        let state = &going.state;
        let (depth, frame) = (state.frames.len(), state.frame());
        let function = self.program.function(frame.function);
        let loops = self.image.loops(self.program, frame.function);
        let here = function.block_of(frame.pc);
        let is_in = |visit: &Visit| {
            let header = function.block_of(visit.pc);
            let index = loops.headed_by(header);
            visit.depth < depth || visit.depth == depth && index.is_some_and(|index| loops.get(index).contains(here))
        };
        going.visits.retain(is_in);
        let decided = (
            state.path.trail.len(),
            state.path.condition.clauses().len(),
            going.unfolded,
        );
        match { going.visits.iter_mut() }.find(|visit| visit.depth == depth && visit.pc == frame.pc) {
            Some(visit) => {
                visit.rounds += 1;
                visit.rounds < way.rounds && visit.decided == decided
            }
            None => {
                going.visits.push(Visit {
                    depth,
                    pc: frame.pc,
                    rounds: 0,
                    decided,
                });
                way.rounds > 0
            }
        }
    }

    /// What a state holds besides symbols, as a hash.
    fn outline(&mut self, prover: &Prover<M>, state: &State<M>) -> u64 {
        let mut values = Vec::new();
        for (base, offset, bytes) in prover.stored_places() {
            if self.terms.base_info(base).kind != BaseKind::Heap && state.memory.is_alive(base) {
                values.push(state.memory.fast_load(base, offset, bytes).unwrap_or(Value::Undef));
            }
        }
        for level in 0..state.frames.len() {
            let frame = state.frames[level].clone();
            let live = self.read_later(&frame, level + 1 == state.frames.len());
            values.extend(
                frame
                    .slots
                    .iter()
                    .zip(live)
                    .filter(|(_, live)| *live)
                    .map(|(value, _)| *value),
            );
        }
        let mut hasher = FxHasher::default();
        for value in values {
            match value {
                Value::Undef => 0_u8.hash(&mut hasher),
                Value::Int(number) => (1_u8, number).hash(&mut hasher),
                Value::Ptr { base, offset } => (2_u8, self.terms.base_info(base).site, offset).hash(&mut hasher),
                Value::Term(_) => 3_u8.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    /// What holds at the heads of loops, for people.
    fn proof(&mut self, prover: &Prover<M>) -> Result<Proof, Why> {
        let mut loops = Vec::new();
        for head in &prover.heads {
            let place = self.stack(&head.state).into_iter().find(|place| !place.runtime);
            let Some(place) = place else { continue };
            let clauses = self.without_implied(&head.state);
            let mut holds = self.describe_chains(&head.chains);
            holds.extend({ clauses.iter() }.map(|&clause| plain(&self.terms.display(clause).to_string())));
            loops.push(Invariant { place, holds });
        }
        self.doubts()?;
        loops.dedup();
        Ok(Proof { loops })
    }

    /// The clauses of a path without those that the others imply.
    fn without_implied(&mut self, state: &State<M>) -> Vec<TermId> {
        let mut clauses = state.path.condition.clauses().to_vec();
        let witness = state.path.condition.assignment().clone();
        let mut index = clauses.len();
        while index > 0 && clauses.len() <= MOST_SHOWN {
            index -= 1;
            let mut others = state.clone();
            others.path.condition = PathCondition::new();
            for (_, &clause) in clauses.iter().enumerate().filter(|(other, _)| *other != index) {
                others.path.condition.assume(&mut self.terms, clause, witness.clone());
            }
            let broken = self.terms.not(clauses[index]);
            if matches!(self.may_within(&others, broken, SHORT), Truth::Never) {
                clauses.remove(index);
            }
        }
        clauses
    }
}

/// Names without their numbers.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '#' {
            while letters.next_if(char::is_ascii_digit).is_some() {}
        } else {
            out.push(letter);
        }
    }
    out
}
