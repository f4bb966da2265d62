//! The exploration loop: which state runs, for how long, and when it is over.

use crate::fast;
use crate::halt::Cause;
use crate::handlers::HandlerStack;
use crate::loops::Watched;
use crate::merge::Watch;
use crate::options::Search;
use crate::search::{Facts, Rng, Searcher, StateId, searcher};
use crate::state::{Pending, Results, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason};
use mneme_solver::Unknown;
use mneme_term::Value;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How often the memory of the process is looked at.
const MEMORY_INTERVAL: Duration = Duration::from_millis(5);

/// Instructions that a state runs before the searcher is asked again.
const SLICE: u64 = 200_000;
/// How often fast-changing figures are published.
const PULSE: Duration = Duration::from_millis(100);

/// The states that are alive, by number.
struct Pool<M: Model> {
    states: Vec<Option<State<M>>>,
    facts: Vec<Facts>,
    free: Vec<u32>,
    live: usize,
    /// Those that carry seeds; the next one is last.
    seeded: Vec<StateId>,
    /// Those that others wait for; the next one is last.
    members: Vec<StateId>,
}

impl<M: Model> Pool<M> {
    fn new(first: Option<State<M>>) -> Self {
        let mut pool = Pool {
            states: Vec::new(),
            facts: Vec::new(),
            free: Vec::new(),
            live: 0,
            seeded: Vec::new(),
            members: Vec::new(),
        };
        first.into_iter().for_each(|state| _ = pool.add(state));
        pool
    }

    fn add(&mut self, state: State<M>) -> StateId {
        let id = StateId(self.free.pop().unwrap_or_else(|| {
            self.states.push(None);
            self.facts.push(Facts::default());
            self.states.len() as u32 - 1
        }));
        self.live += 1;
        self.put(id, state);
        id
    }

    fn take(&mut self, id: StateId) -> State<M> {
        self.states[id.0 as usize]
            .take()
            .expect("a searcher selects live states")
    }

    fn put(&mut self, id: StateId, state: State<M>) {
        self.facts[id.0 as usize] = Facts {
            since_new: state.path.steps - state.path.last_new.min(state.path.steps),
        };
        if state.merge.member.is_some() {
            self.members.push(id);
        } else if !state.path.seeds.is_empty() {
            self.seeded.push(id);
        }
        self.states[id.0 as usize] = Some(state);
    }

    /// The state was taken and does not come back.
    fn remove(&mut self, id: StateId) {
        self.free.push(id.0);
        self.live -= 1;
    }

    fn iter(&self) -> impl Iterator<Item = &State<M>> {
        self.states.iter().flatten()
    }

    /// Removes and returns all members for which `is_in` holds.
    fn take_members(&mut self, is_in: impl Fn(&State<M>) -> bool) -> Vec<(StateId, State<M>)> {
        let ids = std::mem::take(&mut self.members);
        let (taken, left) = ids
            .into_iter()
            .partition(|id: &StateId| self.states[id.0 as usize].as_ref().is_some_and(&is_in));
        self.members = left;
        let taken: Vec<StateId> = taken;
        taken.into_iter().map(|id| (id, self.take(id))).collect()
    }
}

/// When the frontier is saved: at most once per interval, and rarely enough to take a small share of the time.
struct Saving {
    every: Option<Duration>,
    due: Instant,
}

impl Saving {
    /// One part in this many of the time between two saves may go into saving.
    const SHARE: u32 = 50;

    fn new(every: Option<Duration>) -> Saving {
        Saving {
            every,
            due: Instant::now(),
        }
    }

    fn if_due(&mut self, save: impl FnOnce()) {
        if self.every.is_some() && Instant::now() >= self.due {
            self.now(save);
        }
    }

    fn now(&mut self, save: impl FnOnce()) {
        let Some(every) = self.every else {
            return;
        };
        let begin = Instant::now();
        save();
        self.due = Instant::now() + every.max(begin.elapsed() * Self::SHARE);
    }
}

impl<M: Model> Worker<'_, M> {
    /// Runs until no state is left or a limit is reached.
    pub fn explore(&mut self, first: State<M>) {
        let mut pool = Pool::new((!self.sessions.has_left_nothing()).then_some(first));
        let mut searcher: Box<dyn Searcher> = searcher(self.options.search);
        let mut rng = Rng::new(self.options.seed);
        let mut published = Instant::now();
        self.options.progress.watch(&self.coverage);
        searcher.added(None, &[StateId(0)]);
        let mut saving = Saving::new(self.options.save_every);
        while pool.live + self.waiting.len() > 0 {
            self.stats.states_peak = self.stats.states_peak.max(pool.live as u64);
            self.options.progress.alive(pool.live + self.waiting.len());
            saving.if_due(|| self.save(&pool));
            if self.prove_if_due() {
                pool = Pool::new(None);
                break;
            }
            if let Some(cause) = self.limit_reached() {
                saving.now(|| self.save(&pool));
                self.stop_all(&pool, cause);
                break;
            }
            let next = self.next_state(&mut pool, &mut *searcher, &mut rng);
            let Some(id) = next else {
                let solved = self.solve_next(&mut rng);
                let solved = solved.and_then(|state| self.admit(&mut pool, state));
                solved.iter().for_each(|&id| searcher.added(None, &[id]));
                self.collect_if_useful(&pool);
                continue;
            };
            let mut state = pool.take(id);
            let flow = self.slice(&mut state);
            self.note_depth(&state);
            let mut children = self.settle(&mut pool);
            // A step cut short by a limit is not finished: its state is still there.
            let mut going_on = if self.cut {
                vec![state]
            } else if flow == Flow::End {
                self.leave_context(state.merge.member)
            } else if self.is_outside(&state) {
                let member = state.merge.member;
                let free = self.arrive(state);
                free.into_iter().chain(self.leave_context(member)).collect()
            } else if self.is_late(&state)
                || self.is_overfull(state.merge.member) && !self.make_room(state.merge.member)
            {
                let member = state.merge.member.expect("only contexts are given up");
                let mut alone = vec![state];
                for (id, state) in pool.take_members(|state| state.is_in(member)) {
                    // The searcher does not know the newest ones yet.
                    match children.iter().position(|&child| child == id) {
                        Some(child) => _ = children.remove(child),
                        None => searcher.removed(id),
                    }
                    pool.remove(id);
                    alone.push(state);
                }
                self.dissolve(member, alone)
            } else if self.is_round_over(&state) {
                self.await_others(state);
                Vec::new()
            } else {
                vec![state]
            };
            going_on.extend(self.next_rounds());
            self.keep_back(&mut going_on);
            going_on.extend(self.end_episode());
            let mut going_on = going_on.into_iter();
            let next = going_on.next();
            for state in going_on {
                children.extend(self.admit(&mut pool, state));
            }
            if !children.is_empty() {
                searcher.added(Some(id), &children);
            }
            match next {
                Some(state) => pool.put(id, state),
                None => {
                    searcher.removed(id);
                    pool.remove(id);
                }
            }
            self.collect_if_useful(&pool);
            if published.elapsed() >= PULSE {
                self.publish_times();
                published = Instant::now();
            }
        }
        if pool.live + self.waiting.len() == 0 {
            saving.now(|| self.save(&pool));
            self.observer.caught_up();
        }
        if self.stats.seed_gaps > 0 {
            let inputs = self.stats.seed_gaps;
            tracing::debug!(
                inputs,
                "seed tests lack inputs or give them with another size: they were filled with zeros or cut"
            );
        }
        self.options.progress.alive(0);
        self.publish_times();
        self.stats.reached(self.program, &self.coverage);
        if self.options.given.is_some() {
            self.stats.places = self.coverage.own_places(self.program);
        }
    }

    /// The state that runs now; `None`: a side of a fork is solved first.
    fn next_state(&mut self, pool: &mut Pool<M>, searcher: &mut dyn Searcher, rng: &mut Rng) -> Option<StateId> {
        // While contexts are open, nothing else runs.
        let id = pool.members.pop().or_else(|| pool.seeded.pop());
        if id.is_some() {
            return id;
        }
        if pool.live == 0 || self.options.search != Search::Dfs && self.waiting.is_due() {
            return None;
        }
        self.waiting.pass();
        Some(searcher.select(&pool.facts, rng))
    }

    /// Moves what the last slice spawned into the pool.
    fn settle(&mut self, pool: &mut Pool<M>) -> Vec<StateId> {
        let mut children = Vec::new();
        for child in std::mem::take(&mut self.spawned) {
            if self.is_outside(&child) {
                children.extend(self.arrive(child));
            } else {
                self.merging.joins(&child);
                children.push(child);
            }
        }
        self.keep_back(&mut children);
        children
            .into_iter()
            .filter_map(|child| self.admit(pool, child))
            .collect()
    }

    /// Adds another state to the pool if there is room; members are limited by their contexts.
    fn admit(&mut self, pool: &mut Pool<M>, state: State<M>) -> Option<StateId> {
        let most = self.options.max_states.filter(|_| state.merge.member.is_none());
        if most.is_some_and(|most| pool.live + 1 > most) {
            self.park(&state, state.path.steps, "states");
            return None;
        }
        Some(pool.add(state))
    }

    /// A limit ends the run.
    fn stop_all(&mut self, pool: &Pool<M>, cause: Cause) {
        let (mut inside, outside): (Vec<_>, Vec<_>) = pool
            .iter()
            .cloned()
            .partition(|state: &State<M>| state.merge.member.is_some());
        inside.extend(self.merging.states().chain(self.merging.come_out()).cloned());
        if self.forget_silent() {
            // These are on their way to a state that is left.
            inside.truncate(1);
            let guide = self.sessions.start();
            inside.iter_mut().for_each(|state| state.path.guide = guide);
        }
        inside.extend(outside);
        let reason = Reason::Limit(cause.name());
        inside.iter().for_each(|state| self.stop(state, &reason));
        let unsolved: Vec<State<M>> = self.waiting.iter().map(|side| side.state.clone()).collect();
        unsolved.iter().for_each(|state| self.stop(state, &reason));
        self.abandon_all(inside, cause);
    }

    fn save(&mut self, pool: &Pool<M>) {
        let begin = Instant::now();
        self.publish_times();
        let free = pool.iter().filter(|state| state.merge.member.is_none());
        let beginning = self.merging.beginning();
        let frontier = self
            .sessions
            .frontier(free, &self.waiting, beginning, &self.stats, &self.coverage);
        self.observer.save(&frontier);
        tracing::debug!(states = pool.live, time = ?begin.elapsed(), "saved the frontier");
    }

    fn publish_times(&mut self) {
        self.stats.explore = self.started.elapsed();
        self.stats.counters = self.counters.clone();
        let operations = &mut self.stats.counters.operations;
        operations.add("map_reads", self.stats.fast_loads);
        operations.add("map_writes", self.stats.fast_stores);
        self.stats.stages.clear();
        self.solver.stats(&mut self.stats.stages);
        // The first stage sees every query, those of the memory model included.
        let all = self.stats.stages.first().map_or(0.0, |all| all.time_s);
        self.stats.solver = Duration::from_secs_f64(all);
        self.sessions.add_measured(&mut self.stats);
        self.options.progress.publish(&self.stats);
    }

    /// Runs one state until it forks, ends, or has used up its share.
    fn slice(&mut self, state: &mut State<M>) -> Flow {
        if let Some(flow) = self.watch_for_return(state, SLICE) {
            return flow;
        }
        let end = state.path.steps + SLICE;
        loop {
            // What an earlier run did is repeated but not counted.
            let again = match self.is_silent() {
                true => Some(u64::MAX),
                false => self.sessions.ahead(&mut state.path),
            };
            if self.pauses(state) {
                return Flow::On;
            }
            if self.options.max_path.is_some_and(|most| state.path.steps >= most) {
                self.stop(state, &Reason::Limit("instructions of one path"));
                return Flow::End;
            }
            if state.frames.is_empty() {
                if self.next_pending(state) == Flow::End {
                    return Flow::End;
                }
                continue;
            }
            let end = self.options.max_path.map_or(end, |most| end.min(most));
            let share = end.saturating_sub(state.path.steps);
            let budget = again.map_or_else(|| self.instruction_budget(share), |ahead| ahead.min(share));
            if budget == 0 {
                return Flow::On;
            }
            let done = match self.watched_step(state, again) {
                Watched::Summarised(Flow::On) => continue,
                Watched::Summarised(flow) => return flow,
                Watched::OnItsWay => fast::Done::default(),
                // Every access is examined.
                Watched::No if self.points_to.is_some() => fast::Done::default(),
                Watched::No => self.run_fast(state, budget),
            };
            state.path.steps += done.instructions;
            self.count_fast(&done, again);
            if done.instructions >= budget {
                continue;
            }
            if self.pauses(state) {
                return Flow::On;
            }
            state.path.steps += 1;
            self.count(1, again);
            self.stats.slow_steps += 1;
            self.check_points_to(state);
            let flow = self.step(state);
            if self.cut {
                state.path.steps -= 1;
                self.stats.instructions -= again.map_or(1, |_| 0);
                return Flow::End;
            }
            if flow != Flow::On {
                return flow;
            }
            // A single step of a slow model may take long.
            let looks = self.options.halt.cause().is_some() || self.stats.slow_steps.is_multiple_of(64);
            if looks && self.limit_reached().is_some() {
                return Flow::On;
            }
        }
    }

    /// A summary of a loop counts as an instruction.
    fn watched_step(&mut self, state: &mut State<M>, again: Option<u64>) -> Watched {
        state.path.steps += 1;
        self.count(1, again);
        let watched = self.watched(state);
        if self.cut || !matches!(watched, Watched::Summarised(_)) {
            state.path.steps -= 1;
            self.stats.instructions -= again.map_or(1, |_| 0);
        }
        watched
    }

    /// Instructions that the fast loop can execute; in a context, no further than its end.
    pub(crate) fn run_fast(&mut self, state: &mut State<M>, budget: u64) -> fast::Done {
        let context = state.merge.member.and_then(|member| self.merging.watch(member));
        match context {
            Some((depth, region)) => {
                let inside = region.as_ref().map_or(&[][..], |region| &region.in_round);
                self.run_fast_within(state, budget, Some(Watch { depth, inside }))
            }
            None => self.run_fast_within(state, budget, None),
        }
    }

    /// The same, no further than to where `watch` says.
    pub(crate) fn run_fast_within(&mut self, state: &mut State<M>, budget: u64, watch: Option<Watch>) -> fast::Done {
        let Worker {
            program,
            image,
            terms,
            coverage,
            fast: options,
            ..
        } = self;
        let run = match (watch.is_some(), options.outermost.is_some()) {
            (false, false) => fast::run::<M, false, false>,
            (true, false) => fast::run::<M, true, false>,
            (false, true) => fast::run::<M, false, true>,
            (true, true) => fast::run::<M, true, true>,
        };
        let watch = watch.unwrap_or(Watch::nothing());
        run(program, image, terms, state, coverage, options, watch, budget)
    }

    /// Counts what the fast loop did.
    pub(crate) fn count_fast(&mut self, done: &fast::Done, again: Option<u64>) {
        self.count(done.instructions, again);
        self.stats.fast_loads += done.loads;
        self.stats.fast_stores += done.stores;
        self.stats.accesses.served += done.served;
    }

    pub(crate) fn count(&mut self, instructions: u64, again: Option<u64>) {
        if again.is_none() {
            self.stats.instructions += instructions;
        }
    }

    pub(crate) fn instruction_budget(&self, share: u64) -> u64 {
        match self.options.max_instructions {
            Some(most) => share.min(most.saturating_sub(self.executed())),
            None => share,
        }
    }

    /// Instructions of this session.
    fn executed(&self) -> u64 {
        self.stats.instructions.saturating_sub(self.sessions.instructions())
    }

    pub fn limit_reached(&self) -> Option<Cause> {
        let options = self.options;
        if let Some(cause) = options.halt.cause() {
            return Some(cause);
        }
        if options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Cause::Time);
        }
        if options.max_instructions.is_some_and(|most| self.executed() >= most) {
            return Some(Cause::Instructions);
        }
        options
            .max_memory
            .is_some_and(|most| self.uses_more_than(most))
            .then_some(Cause::Memory)
    }

    /// Reading how much memory the process has takes longer than many a step.
    fn uses_more_than(&self, most: u64) -> bool {
        let now = Instant::now();
        if let Some((seen, over)) = self.memory.get()
            && now - seen < MEMORY_INTERVAL
        {
            return over;
        }
        let over = resident_bytes().unwrap_or(0) > most;
        self.memory.set(Some((now, over)));
        over
    }

    /// The solver has no answer. If that is because the run is over, the step is cut short and nothing is lost: its
    /// state counts among those that the limit stopped. Otherwise the path ends here.
    pub fn unanswered(&mut self, state: &State<M>, why: Unknown) -> Flow {
        if self.limit_reached().is_some() {
            self.cut = true;
        } else {
            self.abandon(state, &Reason::Solver(why));
        }
        Flow::End
    }

    /// The next thing to run when no frame is left.
    pub fn next_pending(&mut self, state: &mut State<M>) -> Flow {
        match Rc::make_mut(&mut state.pending).pop() {
            Some(Pending::Call { function, args }) | Some(Pending::Main { function, args }) => {
                let callee = self.program.function(function);
                let mut fresh = vec![Value::Undef; callee.slots as usize];
                fresh[..args.len()].copy_from_slice(&args);
                let frame = fast::new_frame(function, fresh, Results::Slots(0), callee.frame);
                state.frames.push(Rc::new(frame));
                self.coverage.reach(callee.first_inst);
                match callee.frame > self.options.max_stack {
                    true => self.too_large_a_frame(state, 0),
                    false => Flow::On,
                }
            }
            Some(Pending::Handler { function }) => {
                self.call_handler(state, HandlerStack::Symbolic, function, &[], 0, false)
            }
            Some(Pending::Exit) => self.exit_handlers(state),
            Some(Pending::Second { function, args }) => self.begin_second(state, function, args),
            Some(Pending::Compare) => self.compare_both(state),
            None => {
                match state.path.guide {
                    Some(_) => self.stop(state, &Reason::Changed),
                    None => self.complete(state),
                }
                Flow::End
            }
        }
    }

    /// After `main` returned: first what `atexit` registered, then the destructors.
    fn exit_handlers(&mut self, state: &mut State<M>) -> Flow {
        let pending = Rc::make_mut(&mut state.pending);
        for &function in &self.program.destructors {
            pending.push(Pending::Call {
                function,
                args: Vec::new(),
            });
        }
        if let Some(function) = self.program.find_function("__mneme_run_atexit")
            && !self.program.function(function).is_declaration()
        {
            pending.push(Pending::Call {
                function,
                args: Vec::new(),
            });
        }
        Flow::On
    }

    fn collect_if_useful(&mut self, pool: &Pool<M>) {
        let len = self.terms.len();
        if !self.options.collect_always && (len < 1_000_000 || len < 2 * self.after_collection) {
            return;
        }
        let (image, solver, merging, waiting) = (&self.image, &self.solver, &self.merging, &self.waiting);
        self.terms.collect(|tracer| {
            image.trace(tracer);
            solver.trace(tracer);
            pool.iter().for_each(|state| state.trace(tracer));
            merging.trace(tracer);
            waiting.trace(tracer);
        });
        self.stats.collections += 1;
        self.after_collection = self.terms.len();
    }
}

/// Processor time of this process. A busy machine does not make it longer.
pub fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Linux; `time` is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Resident memory of this process.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
