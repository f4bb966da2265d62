//! Sides of forks that wait to be solved (Kapus, Busse and Cadar, "Pending constraints in symbolic execution for better
//! exploration and seeding", ASE 2020).
//!
//! A state has inputs that satisfy its path, and following these costs no query. Where the solver would take long to
//! say whether another side of a fork is possible, that side waits: a state before the fork, and the outcome that it
//! would follow. Paths that can go on without such a query go first, so that tests and errors come soon. A side that
//! turns out to be impossible leaves nothing behind.
//!
//! Invariants: sides wait outside merging contexts only, because a context is over when all its states have arrived.
//! What waits is part of the frontier, and of what a limit leaves unfinished.

use crate::commit::{Ending, Feasible, Outcome, Outcomes};
use crate::options::{Search, Sides};
use crate::search::Rng;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason, Truth};
use mneme_solver::Patience;
use mneme_term::{TermId, Tracer};

/// How often other states run before a side is solved although there are others.
const TURNS: u32 = 128;
/// How many sides are looked at in search of one that leads to something new.
const SAMPLE: usize = 64;

/// A side of a fork that may be impossible.
#[derive(Clone)]
pub struct Side<M: Model> {
    /// As it was before the fork.
    pub state: State<M>,
    /// Which of the outcomes it is.
    pub choice: u32,
    outcome: Outcome<M>,
}

/// The sides that wait, in the order in which they came.
pub struct Waiting<M: Model> {
    sides: Vec<Side<M>>,
    /// How often other states have run since one was solved.
    turns: u32,
    /// How many were taken.
    taken: u32,
}

impl<M: Model> Default for Waiting<M> {
    fn default() -> Self {
        Waiting {
            sides: Vec::new(),
            turns: 0,
            taken: 0,
        }
    }
}

impl<M: Model> Waiting<M> {
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Side<M>> {
        self.sides.iter()
    }

    /// Another state is about to run.
    pub fn pass(&mut self) {
        self.turns += 1;
    }

    /// Has everything else run for a while?
    pub fn is_due(&self) -> bool {
        self.turns >= TURNS && !self.is_empty()
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        for side in &self.sides {
            side.state.trace(tracer);
            side.outcome.trace(tracer);
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// How long the solver may think about the sides of a fork at once.
    pub(crate) fn patience(&mut self, state: &State<M>, outcomes: &Outcomes<M>, deciding: Option<TermId>) -> Patience {
        let patience = match self.options.sides {
            Sides::Eager => return Patience::Full,
            Sides::Mixed => Patience::Brief,
            Sides::Lazy => Patience::None,
        };
        // What is counted along a path would include forks that are none.
        let counted =
            self.options.max_depth.is_some() || outcomes.iter().any(|outcome| self.is_by_address(state, outcome.guard));
        match counted || self.is_for_context(state, deciding) {
            true => Patience::Full,
            false => patience,
        }
    }

    /// A side of a fork waits.
    pub(crate) fn wait(&mut self, state: &State<M>, choice: u32, outcome: Outcome<M>) {
        let mut state = state.clone();
        state.path.covers_new = false;
        state.path.guide = None;
        self.waiting.sides.push(Side { state, choice, outcome });
    }

    /// Solves a side; returns its state if it is possible and does not end at once.
    pub(crate) fn solve_next(&mut self, rng: &mut Rng) -> Option<State<M>> {
        let side = self.next_side(rng);
        let condition = self.condition(&side.outcome);
        match self.may(&side.state, condition) {
            Truth::Never => None,
            Truth::Sometimes(witness) => {
                let Side {
                    mut state,
                    choice,
                    outcome,
                } = side;
                self.stats.forks += 1;
                let way = Feasible {
                    choice,
                    outcome,
                    witness,
                    guide: None,
                };
                (self.go_ways(&mut state, vec![way]) != Flow::End).then_some(state)
            }
            Truth::Unknown(_) if self.limit_reached().is_some() => {
                self.waiting.sides.push(side);
                None
            }
            Truth::Unknown(why) => {
                self.stop(&side.state, &Reason::Solver(why));
                None
            }
        }
    }

    /// In turn: one that leads to something new, the newest, the oldest, any.
    fn next_side(&mut self, rng: &mut Rng) -> Side<M> {
        let count = self.waiting.len();
        let any = |rng: &mut Rng| rng.below(count as u64) as usize;
        self.waiting.turns = 0;
        self.waiting.taken = self.waiting.taken.wrapping_add(1);
        let index = match self.waiting.taken % 4 {
            _ if self.options.search == Search::Dfs => count - 1,
            1 => count - 1,
            2 => 0,
            3 => any(rng),
            _ => {
                let mut sample = (0..count.min(SAMPLE)).map(|nth| match count <= SAMPLE {
                    true => count - 1 - nth,
                    false => any(rng),
                });
                sample
                    .find(|&index| self.is_new(&self.waiting.sides[index]))
                    .unwrap_or(count - 1)
            }
        };
        self.waiting.sides.remove(index)
    }

    /// Does it lead to code that no path has reached?
    fn is_new(&self, side: &Side<M>) -> bool {
        let frame = side.state.frame();
        let function = self.program.function(frame.function);
        match side.outcome.end {
            Ending::Go(Then::Take(edge)) => {
                let target = function.edges[edge.index()].target;
                !self.coverage.is_reached(function, &function.blocks[target.0 as usize])
            }
            _ => false,
        }
    }
}
