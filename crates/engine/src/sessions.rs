//! Sessions: a run may continue where an earlier one stopped, and stops so that a later one can continue.
//!
//! As long as a state repeats what an earlier session did, its path has a guide: at every point, the saved tree says
//! which way to go.

use crate::coverage::Coverage;
use crate::frontier::{Again, Beginning, Figures, Frontier, Guidance, Guide, Parked, Tree};
use crate::path::Path;
use crate::state::State;
use crate::stats::Stats;
use crate::trail::Choice;
use crate::waiting::Waiting;
use crate::worker::Worker;
use mneme_memory::{Model, Truth};
use mneme_term::TermId;

pub(crate) struct Sessions<'a> {
    /// What the earlier session has left.
    earlier: Option<&'a Frontier>,
    /// States ended by a limit of this session.
    parked: Vec<Parked>,
}

impl<'a> Sessions<'a> {
    pub fn new(earlier: Option<&'a Frontier>) -> Self {
        Sessions {
            earlier,
            parked: Vec::new(),
        }
    }

    // ---- the earlier session

    fn tree(&self) -> Option<&'a Tree> {
        self.earlier.map(|frontier| &frontier.tree)
    }

    /// Where in the tree the first state is.
    pub fn start(&self) -> Option<Guide> {
        self.earlier.map(|_| Guide::default())
    }

    pub fn has_left_nothing(&self) -> bool {
        self.tree().is_some_and(Tree::is_empty)
    }

    /// Blocks and edges that were reached.
    pub fn reached(&self) -> &'a [u32] {
        self.earlier.map_or(&[], |frontier| &frontier.reached)
    }

    pub fn stats(&self) -> Stats {
        self.earlier
            .map(|frontier| frontier.figures.stats())
            .unwrap_or_default()
    }

    /// Instructions that earlier sessions executed.
    pub fn instructions(&self) -> u64 {
        self.earlier.map_or(0, |frontier| frontier.figures.instructions)
    }

    /// Adds what earlier sessions measured to the figures of this one.
    pub fn add_measured(&self, stats: &mut Stats) {
        match self.earlier {
            Some(frontier) => frontier.figures.add_measured(stats),
            None => stats.sessions = 1,
        }
    }

    // ---- on the way

    /// Instructions that a path repeats before the next decision in the tree. `None`: it is free from here on.
    pub fn ahead(&self, path: &mut Path) -> Option<u64> {
        let ahead = self
            .tree()
            .zip(path.guide)
            .and_then(|(tree, guide)| tree.ahead(path, guide));
        if ahead.is_none() {
            path.guide = None;
        }
        ahead
    }

    /// What the earlier session did at the path's point.
    fn guidance(&self, path: &mut Path) -> Guidance {
        self.tree().map_or(Guidance::Free, |tree| tree.guidance(path))
    }

    /// The merging contexts that the earlier session opened where the path is.
    pub fn contexts(&self, path: &Path) -> Option<Again> {
        self.tree()?.contexts(path)
    }

    // ---- the later session

    /// Keeps the path of a state that a limit has ended after this many finished `steps`.
    pub fn park(&mut self, path: &Path, steps: u64, limit: &'static str) {
        self.parked.push(Parked::new(path, steps, limit));
    }

    pub fn parked(&self) -> usize {
        self.parked.len()
    }

    /// What is counted, without the states that a later session meets again.
    pub fn counted(&self, stats: &Stats) -> Figures {
        Figures::counted(stats, &self.parked)
    }

    /// `beginning` stands for all states in open contexts, which are not among `states`.
    pub fn frontier<'s, M: Model + 's>(
        &self,
        states: impl Iterator<Item = &'s State<M>>,
        waiting: &'s Waiting<M>,
        beginning: Option<&Beginning>,
        stats: &Stats,
        coverage: &Coverage,
    ) -> Frontier {
        let paths = states.map(|state| &state.path);
        let unsolved = waiting.iter().map(|side| (&side.state.path, side.choice));
        Frontier::of(paths, unsolved, beginning, &self.parked, self.tree(), stats, coverage)
    }
}

impl<M: Model> Worker<'_, M> {
    /// The path comes to a point where there is something to decide: what did an earlier session do there?
    pub(crate) fn at_point(&mut self, state: &mut State<M>) -> Guidance {
        state.path.points += 1;
        self.guidance(state)
    }

    /// The same for a point that is already counted.
    pub(crate) fn guidance(&mut self, state: &mut State<M>) -> Guidance {
        let guided = state.path.guide.is_some();
        let guidance = self.sessions.guidance(&mut state.path);
        // The run was saved in the middle of an instruction; from here on it is new.
        self.stats.instructions += u64::from(guided && state.path.guide.is_none());
        guidance
    }

    /// The number that a term was given in an earlier run. If the path does not allow it, its next point shows that.
    pub(crate) fn choose_again(&mut self, state: &mut State<M>, term: TermId, ways: &[(Choice, Guide)]) -> u64 {
        if let [(Choice::Value(number), guide)] = *ways {
            let width = self.terms.width(term);
            let constant = self.terms.constant(width, number);
            let equal = self.terms.eq(term, constant);
            match self.may(state, equal) {
                Truth::Sometimes(witness) => {
                    self.narrow_to(state, equal, witness);
                    state.decide(Choice::Value(number));
                    state.path.guide = Some(guide);
                    return number;
                }
                Truth::Unknown(_) => self.cut |= self.limit_reached().is_some(),
                Truth::Never => {}
            }
        }
        self.evaluate(state, term).low_u64()
    }
}
