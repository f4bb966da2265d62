//! Contexts: which states belong together, which still run, and what happens when the last has arrived.

use super::episode::Episode;
use super::expect::{Expectations, Mergeable};
use super::join::{Arrived, Merged};
use super::region::{LoopMap, LoopRegion, is_dead_end};
use super::tree::Tree;
use super::{Candidates, Encoding, Mode};
use crate::frontier::Again;
use crate::state::State;
use crate::trail::{Members, Trail};
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_program::FunctionId;
use mneme_term::{SymbolId, SymbolKind, TermId, Tracer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::{Rc, Weak};

/// How many times `most_states` may arrive in a context in all, if merging makes them few again.
const ROOMS: usize = 4;
/// For a context that was opened because it should soon be over: how many instructions a path may execute in it, and
/// how often its states may wait for each other.
const SOON: u64 = 1 << 20;
const FEW_ROUNDS: u32 = 1 << 11;

/// The contexts of a run, by number.
pub struct Merging<M: Model> {
    pub(super) contexts: Vec<Option<Context<M>>>,
    /// Set while a context is open.
    pub(super) episode: Option<Episode<M>>,
    /// Set if the state about to fork repeats a fork at which an earlier session opened contexts.
    pub(super) again: Option<Again>,
    loops: FxHashMap<FunctionId, LoopMap>,
    pub(super) expectations: Expectations,
    /// Symbols that occur in sizes of objects.
    pub(crate) sizes: FxHashSet<SymbolId>,
    /// Merged paths, kept as long as something may be reported about them.
    members: Vec<Weak<Members>>,
}

impl<M: Model> Default for Merging<M> {
    fn default() -> Self {
        Merging {
            contexts: Vec::new(),
            episode: None,
            again: None,
            loops: FxHashMap::default(),
            expectations: Expectations::default(),
            sizes: FxHashSet::default(),
            members: Vec::new(),
        }
    }
}

/// The context that a state is in, and its node in the tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub(super) context: u32,
    pub(super) node: u32,
    /// Instructions that its path had executed when it was last released from the start of a round.
    pub(super) let_go: u64,
}

impl Member {
    pub(crate) fn context(self) -> u32 {
        self.context
    }
}

pub(super) struct Context<M: Model> {
    pub(super) region: Region,
    pub(super) tree: Tree,
    pub(super) root: Root,
    /// The context's own node in the tree of the outer one.
    outer: Option<Member>,
    /// States that run or wait in it, and inner contexts.
    pub(super) live: usize,
    /// Those that wait for others at the start of a round.
    pub(super) waiting: Vec<Arrived<M>>,
    /// How often some were released.
    pub(super) rounds: u32,
    arrived: Vec<Arrived<M>>,
    /// How many have arrived in all.
    arrivals: usize,
    /// How many merged states have left it.
    pub(super) merged: u32,
}

/// The beginning of a context.
pub struct Root {
    pub trail: Trail,
    pub points: u64,
    pub steps: u64,
    pub depth: u32,
    pub which: Mergeable,
}

/// Where a context ends.
#[derive(Clone)]
pub(super) enum Region {
    /// Outside the loop, in the frame at this depth.
    Loop {
        depth: usize,
        function: FunctionId,
        region: Rc<LoopRegion>,
    },
    /// When the frame at this depth has returned.
    Call { depth: usize },
    /// Where the program says so.
    Hand,
}

impl Region {
    fn is_loop(&self, at: usize, index: u32) -> bool {
        matches!(self, Region::Loop { depth, region, .. } if (*depth, region.number) == (at, index))
    }
}

/// Where a state is: function and instruction of every frame.
type Position = Vec<(FunctionId, u32)>;

/// When states are merged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Moment {
    /// While others still run. Patterns are not complete yet.
    Early,
    End,
}

/// What happened to a state in a context.
enum Whereabouts {
    Inside,
    Arrived,
    /// It does not get to where the others wait.
    Left,
}

impl<M: Model> Merging<M> {
    pub(super) fn context(&mut self, number: u32) -> &mut Context<M> {
        self.contexts[number as usize]
            .as_mut()
            .expect("members are in contexts that exist")
    }

    /// The frame and the loop that a member must not leave unnoticed.
    pub(crate) fn watch(&self, member: Member) -> Option<(usize, Option<Rc<LoopRegion>>)> {
        match &self.contexts[member.context as usize].as_ref()?.region {
            Region::Loop { depth, region, .. } => Some((*depth, Some(region.clone()))),
            Region::Call { depth } => Some((*depth, None)),
            Region::Hand => None,
        }
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = &State<M>> {
        let contexts = self.contexts.iter().flatten();
        let waiting = contexts.flat_map(|context| context.waiting.iter().chain(&context.arrived));
        waiting.map(|arrived| &arrived.state)
    }

    pub(super) fn remember(&mut self, members: &Rc<Members>) {
        if self.members.len() == self.members.capacity() {
            self.members.retain(|members| members.strong_count() > 0);
        }
        self.members.push(Rc::downgrade(members));
    }

    /// Do states wait for each other?
    pub(crate) fn is_open(&self) -> bool {
        self.episode.is_some()
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer) {
        for members in self.members.iter().filter_map(Weak::upgrade) {
            members.trace(tracer);
        }
        for context in self.contexts.iter().flatten() {
            context.tree.trace(tracer);
        }
        self.states()
            .chain(self.come_out())
            .for_each(|state| state.trace(tracer));
    }

    /// One side of a fork, whose condition the path has just assumed.
    pub(crate) fn after_fork(&mut self, state: &mut State<M>, condition: TermId) {
        if let Some(member) = state.merge.member {
            let clauses = state.path.condition.clauses().len();
            let node = self.context(member.context).tree.child(member.node, condition, clauses);
            state.merge.member = Some(Member { node, ..member });
        }
    }

    /// A side of the fork was given up.
    pub(crate) fn lost_way(&mut self, state: &State<M>) {
        if let Some(member) = state.merge.member {
            self.lost_in(member);
        }
    }

    pub(super) fn lost_in(&mut self, member: Member) {
        self.context(member.context).tree.lose(member.node);
    }

    /// An earlier session opened contexts at the last fork: has this one failed to do so?
    pub(crate) fn has_missed_contexts(&mut self) -> bool {
        self.again.take().is_some()
    }

    /// Counts a state as running in its context.
    pub(crate) fn joins(&mut self, state: &State<M>) {
        if let Some(member) = state.merge.member {
            self.context(member.context).live += 1;
        }
    }
}

impl<M: Model> Worker<'_, M> {
    // ---- forks

    /// Before a fork: opens a context if the fork makes a loop a candidate. What the path has assumed since its last
    /// fork becomes part of the tree.
    pub(crate) fn open_at_fork(&mut self, state: &mut State<M>, deciding: Option<TermId>) {
        if let Some(region) = self.loop_to_merge(state, deciding) {
            self.open_context(state, region);
        }
        self.narrow(state);
    }

    /// Is the state in a context, or would this fork open one?
    pub(crate) fn is_for_context(&mut self, state: &State<M>, deciding: Option<TermId>) -> bool {
        state.merge.member.is_some() || self.merging.again.is_some() || self.loop_to_merge(state, deciding).is_some()
    }

    /// The loop in which a context opens if the path forks here.
    fn loop_to_merge(&mut self, state: &State<M>, deciding: Option<TermId>) -> Option<Region> {
        let again = self.merging.again.is_some();
        if self.options.merge.mode == Mode::None || !(again || self.is_candidate(deciding?)) {
            return None;
        }
        let (depth, region) = self.loop_around(state)?;
        let inner = state
            .merge
            .member
            .map(|member| &self.merging.context(member.context).region);
        let (function, number) = (state.frames[depth - 1].function, region.number);
        let open = inner.is_some_and(|region| region.is_loop(depth, number));
        let promising = self.options.merge.mode != Mode::Auto || self.is_promising(state, function, number);
        (!open && (again || promising)).then_some(Region::Loop {
            depth,
            function,
            region,
        })
    }

    /// What the path has assumed without forking excludes inputs.
    pub(super) fn narrow(&mut self, state: &mut State<M>) {
        let Some(member) = state.merge.member else { return };
        let known = self.merging.context(member.context).tree.clauses(member.node);
        if state.path.condition.clauses().len() > known {
            let condition = self.added(state, known);
            self.merging.lost_way(state);
            self.merging.after_fork(state, condition);
        }
    }

    fn is_candidate(&self, deciding: TermId) -> bool {
        let mut symbols = self.terms.symbols(deciding).iter();
        match self.options.merge.loops {
            Candidates::All => true,
            // What a pattern or a summary of a loop counts is determined by inputs.
            Candidates::Inputs => symbols.any(|&symbol| {
                let kind = self.terms.symbol_info(symbol).kind;
                matches!(kind, SymbolKind::Input | SymbolKind::Fresh)
            }),
            Candidates::Sizes => symbols.any(|symbol| self.merging.sizes.contains(symbol)),
        }
    }

    /// The innermost loop that a state is in, in the innermost frame that is in one.
    fn loop_around(&mut self, state: &State<M>) -> Option<(usize, Rc<LoopRegion>)> {
        for (level, frame) in state.frames.iter().enumerate().rev() {
            let function = self.program.function(frame.function);
            let loops = self.image.loops(self.program, frame.function);
            let map = self.merging.loops.entry(frame.function);
            let map = map.or_insert_with(|| LoopMap::new(function, loops));
            if let Some(region) = map.around(function, frame.pc) {
                return Some((level + 1, region));
            }
        }
        None
    }

    /// The size of an object depends on these symbols.
    pub(crate) fn note_size(&mut self, size: TermId) {
        self.merging.sizes.extend(self.terms.symbols(size));
    }

    // ---- opening

    fn open_context(&mut self, state: &mut State<M>, region: Region) {
        if state.merge.member.is_none() {
            let again = self.merging.again.take();
            self.begin_episode(state, again);
        }
        self.narrow(state);
        let clauses = state.path.condition.clauses().len();
        let which = match (self.options.merge.mode, &region) {
            (Mode::Auto, Region::Loop { .. }) => Mergeable::Cold,
            _ => Mergeable::All,
        };
        let context = Context {
            region,
            tree: Tree::new(&self.terms, clauses),
            root: Root {
                trail: state.path.trail.clone(),
                points: state.path.points,
                steps: state.path.steps,
                depth: state.path.depth,
                which,
            },
            outer: state.merge.member,
            live: 1,
            waiting: Vec::new(),
            rounds: 0,
            arrived: Vec::new(),
            arrivals: 0,
            merged: 0,
        };
        let number = match self.merging.contexts.iter().position(Option::is_none) {
            Some(free) => free,
            None => {
                self.merging.contexts.push(None);
                self.merging.contexts.len() - 1
            }
        };
        self.merging.contexts[number] = Some(context);
        self.stats.merging.contexts += 1;
        state.merge.member = Some(Member {
            context: number as u32,
            node: Tree::ROOT,
            let_go: 0,
        });
    }

    /// `klee_open_merge`.
    pub(crate) fn open_by_hand(&mut self, state: &mut State<M>) {
        if self.may_open(state) {
            self.open_context(state, Region::Hand);
        }
    }

    /// When an earlier session is repeated, a context is opened only if states that left it are still to be explored.
    fn may_open(&mut self, state: &mut State<M>) -> bool {
        self.meet_contexts(state) || state.path.guide.is_none()
    }

    /// `klee_close_merge`.
    pub(crate) fn close_by_hand(&mut self, state: &mut State<M>) {
        if let Some(member) = state.merge.member
            && matches!(self.merging.context(member.context).region, Region::Hand)
        {
            state.merge.waits = true;
        }
    }

    /// A function was entered.
    pub(crate) fn open_at_call(&mut self, state: &mut State<M>) {
        if self.image.merges_at(state.frame().function) && self.may_open(state) {
            let depth = state.frames.len();
            self.open_context(state, Region::Call { depth });
        }
    }

    // ---- arriving

    fn whereabouts(&mut self, state: &State<M>) -> Whereabouts {
        let Some(member) = state.merge.member else {
            return Whereabouts::Inside;
        };
        let program = self.program;
        let region = &self.merging.context(member.context).region;
        let is_loop = matches!(region, Region::Loop { .. });
        let arrived = match region {
            Region::Hand => state.merge.waits,
            Region::Call { depth } => state.frames.len() < *depth,
            Region::Loop { depth, region, .. } => match state.frames.len() == *depth {
                true => !region.inside[state.frame().pc as usize],
                false => state.frames.len() < *depth,
            },
        };
        match arrived {
            _ if state.frames.is_empty() => Whereabouts::Left,
            false => Whereabouts::Inside,
            true if is_loop && is_dead_end(program.function(state.frame().function), state.frame().pc) => {
                Whereabouts::Left
            }
            true => Whereabouts::Arrived,
        }
    }

    /// Has a running state come to the end of its context?
    pub(crate) fn is_outside(&mut self, state: &State<M>) -> bool {
        state.merge.member.is_some() && !matches!(self.whereabouts(state), Whereabouts::Inside)
    }

    /// A state that is in the context but not counted as running reaches its end. `Some`: the context no longer
    /// concerns it, and it continues.
    pub(crate) fn arrive(&mut self, mut state: State<M>) -> Option<State<M>> {
        let member = state.merge.member?;
        if let Whereabouts::Left = self.whereabouts(&state) {
            state.merge.member = None;
            return Some(state);
        }
        self.narrow(&mut state);
        let node = state.merge.member.expect("just seen").node;
        state.merge.waits = false;
        let context = self.merging.context(member.context);
        context.arrived.push(Arrived { node, state });
        context.arrivals += 1;
        None
    }

    /// A state counted as running in a context has ended, or waits.
    pub(crate) fn leave_context(&mut self, member: Option<Member>) -> Vec<State<M>> {
        let Some(member) = member else {
            return Vec::new();
        };
        self.merging.context(member.context).live -= 1;
        self.close_finished(member.context)
    }

    /// Does a context take too long? It is given up then, unless the user asked for it.
    pub(crate) fn is_late(&mut self, state: &State<M>) -> bool {
        state.merge.member.is_some_and(|member| {
            let Context { root, rounds, .. } = self.merging.context(member.context);
            root.which == Mergeable::Cold && (state.path.steps - root.steps > SOON || *rounds > FEW_ROUNDS)
        })
    }

    /// Contexts with too many states are given up.
    pub(crate) fn is_overfull(&mut self, member: Option<Member>) -> bool {
        let most = self.options.merge.most_states;
        // Patterns need all of them, and make few states of many.
        let weight = match self.options.merge.mode {
            Mode::Patterns | Mode::Auto => 4,
            Mode::None | Mode::Loops | Mode::Tree => 1,
        };
        member.is_some_and(|member| {
            let context = self.merging.context(member.context);
            context.live + context.arrived.len() / weight > most
        })
    }

    /// Makes room in an overfull context by merging early the states that have arrived, though not without limit, since
    /// they wait as long as others run. `false`: there is no room.
    pub(crate) fn make_room(&mut self, member: Option<Member>) -> bool {
        let Some(member) = member else {
            return true;
        };
        let most = self.options.merge.most_states;
        let number = member.context as usize;
        let mut context = self.merging.contexts[number]
            .take()
            .expect("members are in contexts that exist");
        let patient = context.arrivals <= ROOMS * most && self.options.merge.encoding() == Encoding::Tree;
        if patient {
            let arrived = std::mem::take(&mut context.arrived);
            let merged = self.merge_context(
                &context.tree,
                &context.root,
                &mut context.merged,
                arrived,
                Moment::Early,
            );
            for Merged { state, leaves, .. } in merged {
                let node = match leaves[..] {
                    [only] => only,
                    _ => context
                        .tree
                        .rejoin(&mut self.terms, &leaves, state.path.condition.clauses().len()),
                };
                context.arrived.push(Arrived { node, state });
            }
        }
        let room = 2 * (context.live + context.arrived.len()) <= most;
        self.merging.contexts[number] = Some(context);
        patient && room
    }

    /// Gives up a context. The states that wait are merged; those that run continue outside of it.
    pub(crate) fn dissolve(&mut self, member: Member, mut out: Vec<State<M>>) -> Vec<State<M>> {
        self.stats.merging.given_up += 1;
        let number = member.context;
        let common = self.merging.context(number).tree.root_clauses();
        let outer = self.merging.context(number).outer;
        if let Some(outer) = outer {
            self.merging.lost_in(outer);
        }
        let crowded = match &self.merging.context(number).region {
            Region::Loop { function, region, .. } => Some((*function, region.number)),
            Region::Call { .. } | Region::Hand => None,
        };
        let waiting = std::mem::take(&mut self.merging.context(number).waiting);
        out.extend(waiting.into_iter().map(|waiting| waiting.state));
        for state in &mut out {
            if let Some(crowded) = crowded {
                Rc::make_mut(&mut state.merge.crowded).insert(crowded);
            }
            state.merge.member = outer;
            if outer.is_some() {
                let condition = self.added(state, common);
                self.merging.after_fork(state, condition);
                self.merging.joins(state);
            }
            self.merging.context(number).live -= 1;
        }
        for inner in 0..self.merging.contexts.len() {
            let Some(place) = self.merging.contexts[inner].as_ref().and_then(|context| context.outer) else {
                continue;
            };
            if place.context != number {
                continue;
            }
            let tree = &self.merging.contexts[number as usize]
                .as_ref()
                .expect("it is open")
                .tree;
            let (condition, clauses) = (tree.condition(&mut self.terms, &[place.node]), tree.clauses(place.node));
            let moved = outer.map(|outer| {
                let context = self.merging.context(outer.context);
                context.live += 1;
                Member {
                    node: context.tree.child(outer.node, condition, clauses),
                    ..outer
                }
            });
            self.merging.context(inner as u32).outer = moved;
            self.merging.context(number).live -= 1;
        }
        out.extend(self.close_finished(number));
        out
    }

    // ---- closing

    /// Closes a context in which nothing runs any more, and those around it; returns the states that continue.
    fn close_finished(&mut self, number: u32) -> Vec<State<M>> {
        let mut out = Vec::new();
        let mut next = Some(number);
        while let Some(number) = next.take() {
            if self.merging.context(number).live > 0 {
                break;
            }
            let mut context = self.merging.contexts[number as usize].take().expect("it is open");
            let outer = context.outer;
            let arrived = context.arrived;
            let merged = self.merge_context(&context.tree, &context.root, &mut context.merged, arrived, Moment::End);
            let Some(outer) = outer else {
                out.extend(merged.into_iter().map(|merged| {
                    let mut state = merged.state;
                    state.merge.member = None;
                    state
                }));
                break;
            };
            let mut leaves: Vec<u32> = merged.iter().flat_map(|merged| merged.leaves.iter().copied()).collect();
            leaves.sort_unstable();
            if context.tree.leads_elsewhere(&leaves) {
                self.merging.lost_in(outer);
            }
            // The condition of a pattern defines its k: it has to be written out.
            if merged.iter().any(|merged| merged.defines) {
                self.merging.lost_in(outer);
            }
            self.merging.context(outer.context).live -= 1;
            for Merged {
                mut state, condition, ..
            } in merged
            {
                state.merge.member = Some(outer);
                self.merging.after_fork(&mut state, condition);
                if self.is_outside(&state) {
                    out.extend(self.arrive(state));
                } else {
                    out.push(state);
                }
            }
            // Those that continue inside are counted before the context can close.
            let inside = |state: &&State<M>| state.merge.member.is_some_and(|member| member.context == outer.context);
            if !out.iter().any(|state| inside(&state)) {
                next = Some(outer.context);
            }
        }
        out.iter().for_each(|state| self.merging.joins(state));
        out
    }

    fn merge_context(
        &mut self,
        tree: &Tree,
        root: &Root,
        number: &mut u32,
        mut arrived: Vec<Arrived<M>>,
        moment: Moment,
    ) -> Vec<Merged<M>> {
        arrived.sort_by_key(|arrived| arrived.node);
        let place =
            |state: &State<M>| -> Position { state.frames.iter().map(|frame| (frame.function, frame.pc)).collect() };
        let mut groups: Vec<(Position, Vec<Arrived<M>>)> = Vec::new();
        for arrived in arrived {
            let place = place(&arrived.state);
            match groups.iter_mut().find(|(other, _)| *other == place) {
                Some((_, group)) => group.push(arrived),
                None => groups.push((place, vec![arrived])),
            }
        }
        groups.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut out = Vec::new();
        for (_, group) in groups {
            let group = match moment {
                Moment::Early => group,
                Moment::End => self.merge_by_patterns(tree, root, group, number, &mut out),
            };
            let groups = match root.which {
                Mergeable::All | Mergeable::Same => vec![group],
                Mergeable::Cold => self.alike_where_hot(group),
            };
            for group in groups {
                self.merge_group(tree, root, group, number, &mut out);
            }
        }
        out
    }
}
