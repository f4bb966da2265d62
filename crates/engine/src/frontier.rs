//! The frontier: what is left to explore, as paths from the root, so that another process can continue.
//!
//! It holds the decisions of all live states as a tree, and the figures so far. A resumed run starts at the root and
//! follows the tree: at a point in the tree, a state follows only the choices that lead to a saved state, because all
//! others were explored before; at a leaf it is free. Points that are not in the tree had one feasible outcome.
//! Decisions determine a path, so nothing else has to be saved; the number of steps is checked, to be sure that the
//! same decisions lead to the same point.
//!
//! A state that has left merging contexts is saved as the state that began the first of them, with its ordinal among
//! those that left. A resumed run goes through the contexts again (`merge/episode.rs`).

use crate::coverage::Coverage;
use crate::path::Path;
use crate::stats::Stats;
use crate::trail::{Choice, Trail, Waypoint};
use mneme_finding::{Accesses, Merging, Paths, Stage, StillReachable};
use mneme_memory::Reason;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that a later run needs in order to continue.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Frontier {
    pub figures: Figures,
    /// Blocks and edges that were reached.
    pub reached: Vec<u32>,
    pub tree: Tree,
}

/// Figures that add up over all sessions of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Figures {
    pub completed: u64,
    pub faulted: u64,
    pub stop_reasons: BTreeMap<String, u64>,
    pub excluded: u64,
    pub concretised: u64,
    pub sizes_fixed: u64,
    pub inputs: u64,
    /// Source, option, count.
    pub concrete: Vec<(String, String, u64)>,
    pub instructions: u64,
    pub forks: u64,
    pub states_peak: u64,
    pub exit_values: BTreeMap<u32, u64>,
    pub sessions: u64,
    /// Bytes and blocks.
    pub still_reachable: (u64, u64),
    pub explore_nanos: u64,
    pub solver_nanos: u64,
    pub stages: Vec<Stage>,
    pub merging: Merging,
    pub accesses: Accesses,
}

impl Figures {
    /// What is counted. Parked states are not over: a resumed run meets them again.
    pub(crate) fn counted(stats: &Stats, parked: &[Parked]) -> Figures {
        let mut stop_reasons = stats.paths.stop_reasons.clone();
        for parked in parked {
            let reason = Reason::Limit(parked.limit).to_string();
            if let Some(count) = stop_reasons.get_mut(&reason) {
                *count -= 1;
            }
        }
        stop_reasons.retain(|_, count| *count > 0);
        Figures {
            completed: stats.paths.completed,
            faulted: stats.paths.faulted,
            stop_reasons,
            excluded: stats.paths.excluded,
            concretised: stats.concretised,
            sizes_fixed: stats.sizes_fixed,
            inputs: stats.inputs,
            concrete: stats
                .concrete
                .iter()
                .map(|((what, option), &count)| (what.clone(), option.clone(), count))
                .collect(),
            instructions: stats.instructions,
            forks: stats.forks,
            exit_values: stats.exit_values.clone(),
            still_reachable: (stats.still_reachable.bytes, stats.still_reachable.blocks),
            merging: stats.merging.clone(),
            accesses: stats.accesses,
            ..Figures::default()
        }
    }

    /// These, and what is measured.
    fn measured(self, stats: &Stats) -> Figures {
        Figures {
            states_peak: stats.states_peak,
            sessions: stats.sessions,
            explore_nanos: nanos(stats.explore),
            solver_nanos: nanos(stats.solver),
            stages: stats.stages.clone(),
            ..self
        }
    }

    /// Adds what earlier sessions measured to the times and queries of this one.
    pub(crate) fn add_measured(&self, stats: &mut Stats) {
        stats.sessions = self.sessions + 1;
        stats.explore += Duration::from_nanos(self.explore_nanos);
        stats.solver += Duration::from_nanos(self.solver_nanos);
        for row in &mut stats.stages {
            if let Some(before) = self.stages.iter().find(|before| before.name == row.name) {
                row.add(before);
            }
        }
    }

    /// Are the figures small enough to be added up, and to keep growing?
    fn are_sound(&self) -> bool {
        const MOST: u64 = 1 << 60;
        let counts = [
            self.completed,
            self.faulted,
            self.excluded,
            self.concretised,
            self.sizes_fixed,
            self.inputs,
            self.instructions,
            self.forks,
            self.states_peak,
            self.sessions,
            self.still_reachable.0,
            self.still_reachable.1,
            self.explore_nanos,
            self.solver_nanos,
        ];
        let merging = [
            self.merging.patterns,
            self.merging.contexts,
            self.merging.given_up,
            self.merging.merges,
            self.merging.states,
            self.merging.constraints,
            self.merging.values,
            self.accesses.valid,
            self.accesses.invalid,
            self.accesses.contingent,
            self.accesses.served,
            self.accesses.narrowed,
            self.accesses.invented,
        ];
        let tables = self.stop_reasons.values().chain(self.exit_values.values());
        let tables = tables.chain(self.merging.kept_apart.values()).chain(&merging);
        let tables = tables.chain(self.concrete.iter().map(|(_, _, count)| count));
        let stages = self.stages.iter();
        let stages = stages.flat_map(|stage| {
            [&stage.asked, &stage.answered]
                .into_iter()
                .chain(stage.details.figures())
        });
        let mut all = counts.iter().chain(tables).chain(stages);
        let sum = all.try_fold(0u64, |sum, &count| sum.checked_add(count));
        sum.is_some_and(|sum| sum <= MOST)
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats {
            paths: Paths {
                completed: self.completed,
                faulted: self.faulted,
                stopped: self.stop_reasons.values().sum(),
                stop_reasons: self.stop_reasons.clone(),
                excluded: self.excluded,
            },
            concretised: self.concretised,
            sizes_fixed: self.sizes_fixed,
            inputs: self.inputs,
            concrete: self
                .concrete
                .iter()
                .map(|(what, option, count)| ((what.clone(), option.clone()), *count))
                .collect(),
            instructions: self.instructions,
            forks: self.forks,
            states_peak: self.states_peak,
            exit_values: self.exit_values.clone(),
            still_reachable: StillReachable {
                bytes: self.still_reachable.0,
                blocks: self.still_reachable.1,
            },
            merging: self.merging.clone(),
            accesses: self.accesses,
            ..Stats::default()
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A state ended by a limit of the run, which a later run with more room continues: only its path is kept.
pub(crate) struct Parked {
    trail: Trail,
    steps: u64,
    guide: Option<Guide>,
    limit: &'static str,
}

impl Parked {
    /// `steps`: the instructions that it has executed and finished.
    pub fn new(path: &Path, steps: u64, limit: &'static str) -> Parked {
        Parked {
            trail: path.trail.clone(),
            steps,
            guide: path.guide,
            limit,
        }
    }
}

/// The decisions of live states. The first node is the root; parents come before their children.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tree {
    nodes: Vec<Node>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Node {
    /// Successive decisions from the parent's to this node.
    way: Vec<Step>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<u32>,
    /// A state is here that has executed this many instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alive: Option<u64>,
}

/// A decision: point, steps, kind and value of the choice. Short, because there are very many.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Step(u64, u64, u8, u64);

impl Step {
    fn new(point: u64, steps: u64, choice: Choice) -> Step {
        match choice {
            Choice::Outcome(index) => Step(point, steps, 0, index.into()),
            Choice::Value(value) => Step(point, steps, 1, value),
            Choice::Defined => Step(point, steps, 2, 0),
            Choice::Unsolved(index) => Step(point, steps, UNSOLVED, index.into()),
            Choice::Merged(_) | Choice::LeftContext { .. } => unreachable!("what leads into a context is no waypoint"),
        }
    }

    /// Contexts begin here; `covered` places had been reached.
    fn episode(point: u64, steps: u64, covered: u32) -> Step {
        Step(point, steps, EPISODE, covered.into())
    }

    /// The ordinal of a state among those that left them, with a part of its path's digest.
    fn out(point: u64, steps: u64, out: Out) -> Step {
        Step(point, steps, OUT, u64::from(out.number) << 32 | u64::from(out.name))
    }

    fn choice(self) -> Option<Choice> {
        Some(match self.2 {
            0 => Choice::Outcome(self.3 as u32),
            1 => Choice::Value(self.3),
            2 => Choice::Defined,
            UNSOLVED => Choice::Unsolved(self.3 as u32),
            _ => return None,
        })
    }
}

const EPISODE: u8 = 3;
const OUT: u8 = 4;
const UNSOLVED: u8 = 5;

/// A state that has left merging contexts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    pub number: u32,
    /// Tells paths apart.
    name: u32,
}

impl Out {
    /// `path` is the digest of the path before it.
    pub fn new(number: u32, path: u64) -> Out {
        Out {
            number,
            name: path as u32,
        }
    }
}

/// The position of a state in the tree: the next decision of a node, or its end.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Guide {
    node: u32,
    at: u32,
}

/// What the tree says at a point.
pub enum Guidance {
    /// Nothing: the state is free to explore.
    Free,
    /// One outcome is feasible: the one that the state's own assignment satisfies.
    Determined,
    /// These choices, and where in the tree they lead.
    Ways(Vec<(Choice, Guide)>),
    /// The path differs from the saved one: the program or Mneme has changed.
    Lost,
}

/// Merging contexts that an earlier run went through.
pub(crate) struct Again {
    /// Blocks that had been reached when they began.
    pub covered: usize,
    /// The states that left them and are not explored yet.
    pub ways: Vec<(Out, Guide)>,
}

impl Tree {
    /// A program that has not been started.
    pub fn root() -> Tree {
        Tree {
            nodes: vec![Node {
                alive: Some(0),
                ..Node::default()
            }],
        }
    }

    /// Nothing is left to explore.
    pub fn is_empty(&self) -> bool {
        !self.nodes.iter().any(|node| node.alive.is_some())
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.nodes.iter().filter(|node| node.alive.is_some()).count()
    }

    /// Is there a root, and does every other node have one parent, before it? Otherwise shared nodes would be followed
    /// once for each combination.
    fn is_sound(&self) -> bool {
        let mut has_parent = vec![false; self.nodes.len()];
        let mut ahead = |(index, node): (usize, &Node)| {
            let mut first = |&child: &u32| {
                let child = child as usize;
                child > index
                    && has_parent
                        .get_mut(child)
                        .is_some_and(|known| !std::mem::replace(known, true))
            };
            node.children.iter().all(&mut first) && (index == 0 || !node.way.is_empty())
        };
        !self.nodes.is_empty() && self.nodes.iter().enumerate().all(&mut ahead)
    }

    /// Instructions that a state executes before the next decision in the tree. `None`: the tree has ended, and the
    /// state is free.
    pub(crate) fn ahead(&self, path: &Path, guide: Guide) -> Option<u64> {
        let node = &self.nodes[guide.node as usize];
        if (guide.at as usize) < node.way.len() || !node.children.is_empty() {
            return Some(u64::MAX);
        }
        let end = node.alive.unwrap_or(0);
        (path.steps < end).then(|| end - path.steps)
    }

    /// A state that turns out to be free no longer follows the tree.
    pub(crate) fn guidance(&self, path: &mut Path) -> Guidance {
        let Some(guide) = path.guide else {
            return Guidance::Free;
        };
        let node = &self.nodes[guide.node as usize];
        let next = self.next(guide);
        match next.first() {
            // Saved in the middle of a step, after its first decision: the rest of the step is new.
            None if node.alive.is_some_and(|end| end < path.steps) => {
                path.guide = None;
                Guidance::Free
            }
            None => Guidance::Determined,
            Some((step, _)) if step.0 > path.points => Guidance::Determined,
            Some(_) => {
                let here = |step: &Step| step.0 == path.points && step.1 == path.steps;
                let way = |&(step, guide): &(Step, Guide)| Some((step.choice().filter(|_| here(&step))?, guide));
                next.iter()
                    .map(way)
                    .collect::<Option<_>>()
                    .map_or(Guidance::Lost, Guidance::Ways)
            }
        }
    }

    /// The decisions that follow, and where they lead.
    fn next(&self, guide: Guide) -> Vec<(Step, Guide)> {
        let node = &self.nodes[guide.node as usize];
        match node.way.get(guide.at as usize) {
            Some(&step) => {
                let at = guide.at + 1;
                vec![(step, Guide { at, ..guide })]
            }
            None => {
                let first = |&node: &u32| Some((*self.nodes[node as usize].way.first()?, Guide { node, at: 1 }));
                node.children.iter().filter_map(first).collect()
            }
        }
    }

    /// The merging contexts that begin where the state is.
    pub(crate) fn contexts(&self, path: &Path) -> Option<Again> {
        let here = |step: &Step, kind: u8| (step.0, step.1, step.2) == (path.points, path.steps, kind);
        let [(begin, guide)] = self.next(path.guide?)[..] else {
            return None;
        };
        if !here(&begin, EPISODE) {
            return None;
        }
        let outs = self.next(guide);
        let outs = outs.iter().filter(|(step, _)| here(step, OUT));
        let way = |&(Step(.., value), guide): &(Step, Guide)| {
            let out = Out {
                number: (value >> 32) as u32,
                name: value as u32,
            };
            (out, guide)
        };
        Some(Again {
            covered: begin.3 as usize,
            ways: outs.map(way).collect(),
        })
    }
}

/// Makes the tree of live states.
struct Builder {
    nodes: Vec<Node>,
    /// Nodes by the cell of the trail that they stand for.
    known: FxHashMap<usize, u32>,
}

impl Builder {
    /// The node where a trail ends.
    fn node(&mut self, trail: &Trail) -> u32 {
        let mut new = Vec::new();
        let mut parent = 0;
        for waypoint in trail.waypoints() {
            if let Some(&node) = self.known.get(&waypoint.identity) {
                parent = node;
                break;
            }
            new.push(waypoint);
        }
        for waypoint in new.into_iter().rev() {
            parent = self.behind(parent, &waypoint);
            self.known.insert(waypoint.identity, parent);
        }
        parent
    }

    /// The node of a waypoint that follows the one of `parent`.
    fn behind(&mut self, parent: u32, waypoint: &Waypoint) -> u32 {
        let decision = waypoint.decision;
        let (point, steps) = (decision.point, decision.steps);
        let Choice::LeftContext { number, covered, .. } = decision.choice else {
            return self.child(parent, vec![Step::new(point, steps, decision.choice)]);
        };
        let begin = Step::episode(point, steps, covered);
        let mut siblings = self.nodes[parent as usize].children.iter();
        let known = siblings.find(|&&child| self.nodes[child as usize].way == [begin]);
        let episode = match known {
            Some(&child) => child,
            None => self.child(parent, vec![begin]),
        };
        self.child(
            episode,
            vec![Step::out(point, steps, Out::new(number, waypoint.before))],
        )
    }

    fn child(&mut self, parent: u32, way: Vec<Step>) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node { way, ..Node::default() });
        self.nodes[parent as usize].children.push(index);
        index
    }

    /// What is ahead of a state that still follows an older tree.
    fn graft(&mut self, place: u32, old: &Tree, guide: Guide) {
        let mut pending = vec![(place, guide.node, guide.at as usize)];
        while let Some((place, node, at)) = pending.pop() {
            let node = &old.nodes[node as usize];
            let place = match node.way[at..] {
                [] => place,
                ref rest => self.child(place, rest.to_vec()),
            };
            self.nodes[place as usize].alive = node.alive;
            pending.extend(node.children.iter().rev().map(|&child| (place, child, 0)));
        }
    }

    /// Contracts chains of nodes.
    fn finish(self) -> Tree {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        let mut pending = vec![(0u32, None::<usize>)];
        while let Some((from, parent)) = pending.pop() {
            let mut node = self.nodes[from as usize].clone();
            while let ([only], None) = (&node.children[..], node.alive) {
                let next = &self.nodes[*only as usize];
                node.way.extend(&next.way);
                node.alive = next.alive;
                node.children = next.children.clone();
            }
            let index = nodes.len();
            if let Some(parent) = parent {
                nodes[parent].children.push(index as u32);
            }
            let children = std::mem::take(&mut node.children);
            nodes.push(node);
            pending.extend(children.into_iter().rev().map(|child| (child, Some(index))));
        }
        Tree { nodes }
    }
}

impl Frontier {
    /// For a run that has not begun.
    pub fn root() -> Frontier {
        Frontier {
            tree: Tree::root(),
            ..Frontier::default()
        }
    }

    /// Can a run continue from here? The contents of a file may be anything.
    pub fn is_sound(&self) -> bool {
        self.figures.are_sound() && self.tree.is_sound()
    }

    /// `unsolved` are paths that would make this choice next, if that is possible; `beginning` stands for all states in
    /// open contexts, whose paths are not among `paths`; `followed` is the tree that some still follow.
    pub(crate) fn of<'a>(
        paths: impl Iterator<Item = &'a Path>,
        unsolved: impl Iterator<Item = (&'a Path, u32)>,
        beginning: Option<&Beginning>,
        parked: &[Parked],
        followed: Option<&Tree>,
        stats: &Stats,
        coverage: &Coverage,
    ) -> Frontier {
        let mut builder = Builder {
            nodes: vec![Node::default()],
            known: FxHashMap::default(),
        };
        let parked = &parked[..beginning.map_or(parked.len(), |beginning| beginning.parked)];
        let paths = paths.map(|path| (&path.trail, path.steps, path.guide));
        let parked_states = parked.iter().map(|parked| (&parked.trail, parked.steps, parked.guide));
        let begun = beginning.map(|beginning| (&beginning.trail, beginning.steps, beginning.guide));
        for (trail, steps, at) in paths.chain(parked_states).chain(begun) {
            let place = builder.node(trail);
            match at.zip(followed) {
                Some((at, tree)) => builder.graft(place, tree, at),
                None => builder.nodes[place as usize].alive = Some(steps),
            }
        }
        for (path, choice) in unsolved {
            let place = builder.node(&path.trail);
            let step = Step::new(path.points, path.steps, Choice::Unsolved(choice));
            let side = builder.child(place, vec![step]);
            builder.nodes[side as usize].alive = Some(path.steps);
        }
        let figures = match beginning {
            Some(beginning) => beginning.figures.clone(),
            None => Figures::counted(stats, parked),
        };
        let mut reached = coverage.places();
        if let Some(beginning) = beginning {
            reached.truncate(beginning.covered);
            reached.extend(&beginning.forgotten);
        }
        Frontier {
            figures: figures.measured(stats),
            reached,
            tree: builder.finish(),
        }
    }
}

/// The state that began the first of the open contexts, and how far the run was then.
pub(crate) struct Beginning {
    pub trail: Trail,
    /// Instructions that it had executed and finished.
    pub steps: u64,
    pub guide: Option<Guide>,
    pub figures: Figures,
    /// How many states were parked.
    pub parked: usize,
    /// How many places had been reached; then those that a run repeating the contexts has set aside meanwhile.
    pub covered: usize,
    pub forgotten: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::Decision;
    use mneme_program::FunctionId;

    fn trail(ways: &[u32]) -> Trail {
        let mut trail = Trail::default();
        extend(&mut trail, ways);
        trail
    }

    fn extend(trail: &mut Trail, ways: &[u32]) {
        for &way in ways {
            let point = trail.len() as u64 + 1;
            trail.push(Decision {
                point,
                function: FunctionId(0),
                pc: 0,
                steps: 10 * point,
                choice: Choice::Outcome(way),
                object: None,
            });
        }
    }

    #[test]
    fn a_tree_shares_beginnings_and_joins_chains() {
        let start = trail(&[0, 1, 0]);
        let (mut a, mut b) = (start.clone(), start);
        extend(&mut a, &[0, 1]);
        extend(&mut b, &[1]);
        let mut builder = Builder {
            nodes: vec![Node::default()],
            known: FxHashMap::default(),
        };
        for (trail, steps) in [(&a, 70), (&b, 80)] {
            let place = builder.node(trail);
            builder.nodes[place as usize].alive = Some(steps);
        }
        let tree = builder.finish();
        assert_eq!(tree.nodes.len(), 3);
        assert_eq!(tree.states(), 2);
        assert!(tree.is_sound());
        let lengths: Vec<usize> = tree.nodes.iter().map(|node| node.way.len()).collect();
        assert_eq!(lengths, [3, 2, 1]);
        // A state at the root that follows this tree has all of it ahead.
        let mut again = Builder {
            nodes: vec![Node::default()],
            known: FxHashMap::default(),
        };
        again.graft(0, &tree, Guide::default());
        assert_eq!(again.finish(), tree);
    }

    #[test]
    fn links_out_of_a_tree_are_seen() {
        let mut tree = Tree::root();
        assert!(tree.is_sound() && !tree.is_empty());
        tree.nodes[0].children.push(7);
        assert!(!tree.is_sound());
        assert!(!Tree::default().is_sound(), "there is no root");
    }

    #[test]
    fn ways_that_join_again_are_seen() {
        let node = |children: &[u32]| Node {
            way: vec![Step(1, 1, 0, 0)],
            children: children.to_vec(),
            alive: None,
        };
        let tree = |nodes: &[&[u32]]| Tree {
            nodes: nodes.iter().map(|children| node(children)).collect(),
        };
        assert!(tree(&[&[1, 2], &[3], &[], &[]]).is_sound());
        assert!(!tree(&[&[1, 1], &[]]).is_sound());
        assert!(!tree(&[&[1, 2], &[3], &[3], &[]]).is_sound());
    }

    #[test]
    fn figures_that_no_run_reaches_are_seen() {
        let mut frontier = Frontier::root();
        assert!(frontier.is_sound());
        frontier.figures.instructions = u64::MAX;
        assert!(!frontier.is_sound());
        frontier.figures.instructions = 1;
        frontier.figures.exit_values.insert(0, u64::MAX);
        assert!(!frontier.is_sound());
    }
}
