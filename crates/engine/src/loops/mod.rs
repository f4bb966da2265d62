//! Compact loops: a loop whose variables change regularly is one node with a counter, not a path for each number of
//! iterations (Slaby, Strejček, Trtík: *Compact Symbolic Execution*; the source of multi-writes in *Symbolic Memory
//! with Pointers*).
//!
//! A loop is tried where it would fork. One iteration is executed with symbolic values for what the loop carries
//! (`iteration`); if there is one path through the body and everything changes by a constant or is computed anew, all
//! of it is a function of the number τ of the iteration. Each exit then has a first τ at which it is taken: a term
//! where only such values are compared (`first`), otherwise a counter κ with a quantified clause (`summary`). What the
//! loop stored becomes writes of many cells at once. All exits go through `commit` with disjoint guards, together with
//! one for the inputs that the summary does not cover, which continues as usual.

mod courses;
mod effects;
mod first;
mod iteration;
mod leaving;
mod releases;
mod search;
mod summary;

pub(crate) use iteration::Access;
pub use summary::Departure;

use crate::options::Loops;
use crate::state::{State, greatest};
use crate::worker::{Flow, Worker};
use iteration::{Plan, Recording, Why};
use mneme_memory::Model;
use mneme_program::{FunctionId, Inst};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// After this many failed attempts on a path, a loop is not tried again.
const MAX_ATTEMPTS: u32 = 3;
/// For how many instructions a state is watched on its way to the header.
const WATCHED: u32 = 1000;

/// A state that stays in a loop after a fork in the middle of it is on its way to the header.
#[derive(Copy, Clone)]
pub struct Watch {
    function: FunctionId,
    index: u32,
    frames: usize,
    left: u32,
}

/// What a path knows of loops that may be summarised.
#[derive(Clone, Default)]
pub struct Attempts {
    /// It is on its way to the header of one.
    pub watch: Option<Watch>,
    /// How many attempts have failed, for each loop.
    pub tried: Rc<BTreeMap<(FunctionId, u32), u32>>,
    /// How many were summarised.
    pub summaries: u32,
}

impl Attempts {
    /// Nothing is on its way any more, and what has failed for one is not tried again for any.
    pub fn merge(members: &[&Attempts]) -> Attempts {
        Attempts {
            watch: None,
            tried: greatest(members.iter().map(|member| &member.tried)),
            summaries: members.iter().map(|member| member.summaries).max().unwrap_or(0),
        }
    }
}

/// What a worker knows of loops, independently of its states.
#[derive(Default)]
pub(crate) struct Summaries {
    /// Of loops that were tried; `Err`: they are never summarised.
    plans: FxHashMap<(FunctionId, u32), Result<Rc<Plan>, Why>>,
    /// Set while an iteration is executed on a copy of a state in order to summarise the loop.
    recording: Option<Recording>,
}

/// How far a watched state is.
pub enum Watched {
    /// It is not watched.
    No,
    OnItsWay,
    Summarised(Flow),
}

impl<M: Model> Worker<'_, M> {
    /// Is a copy of a state executed in order to summarise a loop? Then nothing is found, counted or decided.
    pub(crate) fn is_trial(&self) -> bool {
        self.summaries.recording.is_some()
    }

    /// At a branch that may leave a loop: tries to summarise the rest of it, if the branch is at its header. `None`:
    /// nothing has changed.
    pub(crate) fn compact_at_branch(&mut self, state: &mut State<M>) -> Option<Flow> {
        let (id, index) = self.leaving(state)?;
        let plan = self.known_plan(id, index)?;
        let pc = state.frame().pc;
        let function = self.program.function(id);
        let start = plan.header.start;
        // What comes before the branch is executed again.
        let again = |inst: &Inst| {
            !matches!(
                inst,
                Inst::Store { .. } | Inst::SlotStore { .. } | Inst::SlotInit { .. } | Inst::Call { .. }
            )
        };
        let at_header = (start..plan.header.end).contains(&pc);
        if !at_header || !function.code[start as usize..pc as usize].iter().all(again) {
            return None;
        }
        state.frame_mut().pc = start;
        let flow = self.compact(state, (id, index), &plan);
        if flow.is_none() {
            state.frame_mut().pc = pc;
        }
        flow
    }

    /// The innermost loop of the branch that the state is at, if the branch may leave it and loops are summarised.
    fn leaving(&self, state: &State<M>) -> Option<(FunctionId, u32)> {
        if self.options.loops == Loops::Classic || self.is_trial() {
            return None;
        }
        let frame = state.frame();
        let function = self.program.function(frame.function);
        let found = self.image.loops(self.program, frame.function);
        let index = found.innermost(function.block_of(frame.pc))?;
        let this = found.get(index);
        let leaves = |edge: &mneme_program::EdgeId| this.exits.contains(edge);
        function.code[frame.pc as usize]
            .edges(function)
            .iter()
            .any(leaves)
            .then_some((frame.function, index))
    }

    /// At a branch that may leave a loop: a state that stays is watched until it reaches the header.
    pub(crate) fn watch(&mut self, leaving: Option<(FunctionId, u32)>, state: &mut State<M>) {
        let Some((function, index)) = leaving else {
            return;
        };
        if self.known_plan(function, index).is_none() {
            return;
        }
        let frames = state.frames.len();
        state.loops.watch = Some(Watch {
            function,
            index,
            frames,
            left: WATCHED,
        });
    }

    /// The loop that may be left by the branch that the state is at, for `watch`.
    pub(crate) fn watchable(&self, state: &State<M>) -> Option<(FunctionId, u32)> {
        let key = self.leaving(state)?;
        let given_up = state.loops.tried.get(&key).is_some_and(|&times| times >= MAX_ATTEMPTS);
        (!given_up).then_some(key)
    }

    /// Checks on a state that is watched.
    pub(crate) fn watched(&mut self, state: &mut State<M>) -> Watched {
        // An unfinished instruction is finished first.
        if state.task.is_some() {
            return Watched::OnItsWay;
        }
        let Some(watch) = state.loops.watch else {
            return Watched::No;
        };
        let function = self.program.function(watch.function);
        let frame = state.frame();
        let inside = state.frames.len() == watch.frames && frame.function == watch.function;
        let plan = self.known_plan(watch.function, watch.index).filter(|_| inside);
        let Some(plan) = plan.filter(|plan| plan.contains(function.block_of(state.frame().pc))) else {
            state.loops.watch = None;
            return Watched::No;
        };
        if state.frame().pc == plan.header.start {
            state.loops.watch = None;
            let key = (watch.function, watch.index);
            return self.compact(state, key, &plan).map_or(Watched::No, Watched::Summarised);
        }
        state.loops.watch = (watch.left > 0).then_some(Watch {
            left: watch.left.saturating_sub(1),
            ..watch
        });
        Watched::OnItsWay
    }

    fn known_plan(&mut self, id: FunctionId, index: u32) -> Option<Rc<Plan>> {
        if !self.summaries.plans.contains_key(&(id, index)) {
            let plan = self.plan(id, index).map(Rc::new);
            if let Err(why) = plan {
                self.stats.loop_tried_in_vain(why);
            }
            self.summaries.plans.insert((id, index), plan);
        }
        self.summaries.plans[&(id, index)].as_ref().ok().cloned()
    }

    /// Summarises the loop whose header the state is at. `None`: nothing has changed.
    fn compact(&mut self, state: &mut State<M>, key: (FunctionId, u32), plan: &Plan) -> Option<Flow> {
        let tried = state.loops.tried.get(&key).copied().unwrap_or(0);
        if tried >= MAX_ATTEMPTS {
            return None;
        }
        match self.summarise(state, plan) {
            Ok(summary) => {
                self.stats.loops.summarised += u64::from(state.path.guide.is_none());
                Some(self.leave(state, key, summary))
            }
            Err(why) => {
                tracing::debug!(why, function = self.program.function(key.0).name, "loop not summarised");
                self.stats.loop_tried_in_vain(why);
                Rc::make_mut(&mut state.loops.tried).insert(key, tried + 1);
                None
            }
        }
    }
}
