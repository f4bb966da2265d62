//! Memory leaks: heap objects that nothing refers to any more.
//!
//! Whenever something that may hold a pointer is lost (a variable overwritten or out of scope, a frame popped, an
//! object freed, the end of the program), the heap objects it referred to are searched for from all other roots: the
//! globals, the variables and live temporaries of all frames, and everything these refer to. A symbolic pointer refers
//! to all its bases, so a leak is reported only if no input keeps the object. What only a lost object refers to is lost
//! with it and not reported separately. An object whose address the program has used as a number may be recovered from
//! one (lists whose links are combined by `^`): it is searched for only at the end. A leak does not end the path.

mod held;

pub use held::Held;

use crate::fault::Error;
use crate::state::{Frame, State};
use crate::worker::Worker;
use mneme_finding::StillReachable;
use mneme_memory::{Model, Truth};
use mneme_program::{Liveness, Scalar};
use mneme_term::{BaseId, BaseKind, Terms, Value};
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// What is known about leaks on a path.
#[derive(Clone, Default)]
pub struct Leaks {
    pub reported: Rc<BTreeSet<BaseId>>,
    /// What is certainly no leak.
    pub held: Held,
}

/// How many objects are examined before it is worthwhile to find out about all.
const FAR: usize = 256;

pub(crate) fn bases_of(terms: &Terms, value: Value, out: &mut Vec<BaseId>) {
    match value {
        Value::Ptr { base, .. } => out.push(base),
        Value::Term(term) => out.extend(terms.bases(term)),
        _ => {}
    }
}

impl<M: Model> Worker<'_, M> {
    /// Heap objects that a value refers to and that are not yet reported.
    pub fn owned_by(&self, state: &State<M>, values: &[Value]) -> Vec<BaseId> {
        let mut bases = Vec::new();
        values
            .iter()
            .for_each(|&value| bases_of(&self.terms, value, &mut bases));
        bases.retain(|&base| self.may_leak(state, base));
        bases
    }

    /// Heap objects that the contents of an object refer to.
    pub fn owned_by_object(&mut self, state: &State<M>, base: BaseId) -> Vec<BaseId> {
        let mut bases = state.memory.references(&mut self.terms, base);
        bases.retain(|&base| self.may_leak(state, base));
        bases
    }

    fn may_leak(&self, state: &State<M>, base: BaseId) -> bool {
        let is_heap = self.terms.base_info(base).kind == BaseKind::Heap;
        let of_program = || !self.is_of_handler(base);
        is_heap && of_program() && state.memory.is_alive(base) && !state.leaks.reported.contains(&base)
    }

    /// Reports those of `candidates` that were lost for good and that nothing in the state refers to. `kept` are values
    /// in flight; `frames` is how many of the frames still count.
    pub fn report_leaks(&mut self, state: &mut State<M>, candidates: Vec<BaseId>, kept: &[Value], frames: usize) {
        let doubtful = |base: &BaseId| !state.memory.is_exposed(*base) && !state.leaks.held.contains(*base);
        let candidates: Vec<BaseId> = candidates.into_iter().filter(doubtful).collect();
        self.report_unreachable(state, candidates, kept, frames);
    }

    fn report_unreachable(&mut self, state: &mut State<M>, candidates: Vec<BaseId>, kept: &[Value], frames: usize) {
        if candidates.is_empty() {
            return;
        }
        if self.is_trial() {
            _ = self.irregular("it may lose memory");
            return;
        }
        let wanted: FxHashSet<BaseId> = candidates.into_iter().collect();
        let mut roots = self.roots(kept, &state.frames[..frames]);
        // Whoever called a function that is run alone still has what it was given.
        roots.extend(state.demand.bases());
        let (reached, all) = self.reach(state, roots, &wanted);
        if all {
            if reached.len() > FAR && !state.leaks.held.is_known() {
                self.hold(state);
            }
            return;
        }
        let mut lost: Vec<BaseId> = wanted.into_iter().filter(|base| !reached.contains(base)).collect();
        lost.sort_unstable();
        let mut referred = FxHashSet::default();
        for &base in &lost {
            let references = state.memory.references(&mut self.terms, base);
            referred.extend(references.into_iter().filter(|&other| other != base));
        }
        // The first of a list, then what is left of rings.
        lost.sort_by_key(|base| referred.contains(base));
        let mut gone = FxHashSet::default();
        for base in lost {
            if gone.contains(&base) {
                continue;
            }
            match self.where_it_is(state, base) {
                Some(there) => self.error_going_on(&there, &Error::Leak(base)),
                None => continue,
            }
            self.lose(state, base, &reached, &mut gone);
        }
    }

    /// What is reachable only from a lost object is lost with it. `gone` are the objects for which that was done.
    fn lose(&mut self, state: &mut State<M>, base: BaseId, reached: &FxHashSet<BaseId>, gone: &mut FxHashSet<BaseId>) {
        let mut pending = vec![base];
        while let Some(base) = pending.pop() {
            if reached.contains(&base) || !state.memory.is_alive(base) || !gone.insert(base) {
                continue;
            }
            pending.extend(state.memory.references(&mut self.terms, base));
            if self.may_leak(state, base) {
                Rc::make_mut(&mut state.leaks.reported).insert(base);
            }
        }
    }

    /// The state narrowed to the inputs for which the object exists. `None`: there are none, as far as is known.
    fn where_it_is(&mut self, state: &State<M>, base: BaseId) -> Option<State<M>> {
        let header = state.memory.header(base)?;
        if header.gone().is_empty() {
            return Some(state.clone());
        }
        let there = header.there(&mut self.terms);
        let Truth::Sometimes(witness) = self.may(state, there) else {
            return None;
        };
        let mut narrowed = state.clone();
        narrowed.path.condition.assume(&mut self.terms, there, witness);
        Some(narrowed)
    }

    /// What roots refer to directly, the nearest first.
    fn roots(&mut self, kept: &[Value], frames: &[Rc<Frame>]) -> Vec<BaseId> {
        let mut pending = Vec::new();
        kept.iter()
            .for_each(|&value| bases_of(&self.terms, value, &mut pending));
        for frame in frames.iter().rev() {
            let function = self.program.function(frame.function);
            let liveness = self
                .liveness
                .entry(frame.function)
                .or_insert_with(|| Liveness::of(function));
            let live = liveness.after(function, frame.pc);
            let variables = &self.image.variables[frame.function.index()];
            for (slot, &value) in frame.slots.iter().enumerate() {
                if live[slot] || variables[slot] {
                    bases_of(&self.terms, value, &mut pending);
                }
            }
            pending.extend(&frame.locals);
            frame
                .variadic()
                .iter()
                .for_each(|arg| bases_of(&self.terms, arg.value, &mut pending));
        }
        pending.extend(&self.image.global_bases);
        pending
    }

    /// Finds out what all variables and objects refer to, cursors excepted.
    fn hold(&mut self, state: &mut State<M>) {
        state.leaks.held.choose_cursors();
        let mut roots = Vec::new();
        for (depth, frame) in state.frames.iter().enumerate() {
            let variables = &self.image.variables[frame.function.index()];
            for (slot, &value) in frame.slots.iter().enumerate() {
                if variables[slot] && !state.leaks.held.is_cursor((depth, slot as u32)) {
                    bases_of(&self.terms, value, &mut roots);
                }
            }
            roots.extend(&frame.locals);
        }
        roots.extend(&self.image.global_bases);
        let (objects, _) = self.reach(state, roots, &FxHashSet::default());
        state.leaks.held.set(objects);
    }

    /// A store at this place overwrites no reference.
    pub fn overwrites_nothing(&self, state: &State<M>, p: Value, ty: Scalar) -> bool {
        let Value::Ptr { base, offset } = p else {
            return false;
        };
        let mut bases = Vec::new();
        let old = state.memory.fast_load(base, offset, ty.bytes());
        old.is_some_and(|old| {
            bases_of(&self.terms, old, &mut bases);
            bases.is_empty()
        })
    }

    /// A variable is overwritten.
    pub fn overwrite_variable(&self, state: &mut State<M>, slot: u32, old: Value) {
        let mut bases = Vec::new();
        bases_of(&self.terms, old, &mut bases);
        if !bases.is_empty() {
            let depth = state.frames.len() - 1;
            state.leaks.held.overwrite((depth, slot));
        }
    }

    /// These objects and what they refer to, directly or indirectly; or a part of that which contains everything
    /// wanted, mostly found near the roots. Breadth first, so that a list need not be walked to find its second node.
    fn reach(&mut self, state: &State<M>, roots: Vec<BaseId>, wanted: &FxHashSet<BaseId>) -> (FxHashSet<BaseId>, bool) {
        let mut missing = wanted.len();
        let mut reached = FxHashSet::default();
        let mut pending = VecDeque::from(roots);
        while let Some(base) = pending.pop_front() {
            if !reached.insert(base) {
                continue;
            }
            if wanted.contains(&base) {
                missing -= 1;
                if missing == 0 {
                    return (reached, true);
                }
            }
            if state.memory.is_alive(base) {
                pending.extend(state.memory.references(&mut self.terms, base));
            }
        }
        (reached, false)
    }

    /// What the value that a store at a concrete place is about to overwrite refers to.
    pub fn overwritten(&mut self, state: &State<M>, p: Value, ty: Scalar) -> Vec<BaseId> {
        let Value::Ptr { base, offset } = p else {
            return Vec::new();
        };
        match state.memory.fast_load(base, offset, ty.bytes()) {
            Some(value) => self.owned_by(state, &[value]),
            // If a model does not answer at once, what the object refers to before and after the store is compared.
            None => self.owned_by_object(state, base),
        }
    }

    /// What only the frame about to be popped refers to is lost; when `main` returns, also everything else that nothing
    /// refers to.
    pub fn leaks_at_return(&mut self, state: &mut State<M>, results: &[Value]) {
        let frames = state.frames.len() - 1;
        if Some(state.frame().function) == self.program.main && frames == 0 {
            let candidates = self.unfreed(state);
            self.report_unreachable(state, candidates, results, frames);
        } else {
            let lost = self.owned_by_frame(state);
            state.leaks.held.pop(frames);
            self.report_leaks(state, lost, results, frames);
        }
    }

    fn owned_by_frame(&mut self, state: &State<M>) -> Vec<BaseId> {
        let frame = state.frames.last().expect("a running state has a frame").clone();
        let mut owned = self.owned_by(state, &frame.slots);
        for &base in &frame.locals {
            owned.extend(self.owned_by_object(state, base));
        }
        owned
    }

    /// At the end of the program, everything unreachable is lost.
    pub fn leaks_at_exit(&mut self, state: &mut State<M>) {
        let candidates = self.unfreed(state);
        let frames = state.frames.len();
        self.report_unreachable(state, candidates, &[], frames);
    }

    fn unfreed(&self, state: &State<M>) -> Vec<BaseId> {
        let all: Vec<BaseId> = state.memory.alive(BaseKind::Heap);
        all.into_iter().filter(|&base| self.may_leak(state, base)).collect()
    }

    /// What is left at the end but no leak: something still referred to it when the program ended.
    pub fn count_still_reachable(&mut self, state: &State<M>) {
        let left: Vec<BaseId> = state.memory.alive(BaseKind::Heap);
        let left: Vec<BaseId> = left
            .into_iter()
            .filter(|base| !state.leaks.reported.contains(base))
            .collect();
        let size = |base: &BaseId| self.size_of(state, *base).unwrap_or(0);
        let reachable = StillReachable {
            bytes: left.iter().map(size).sum(),
            blocks: left.len() as u64,
        };
        let most = &mut self.stats.still_reachable;
        if (reachable.bytes, reachable.blocks) > (most.bytes, most.blocks) {
            *most = reachable;
        }
    }
}
