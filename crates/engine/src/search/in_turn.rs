//! Several searchers over the same states, asked in turn.

use super::{Facts, Rng, Searcher, StateId};

pub struct InTurn {
    searchers: Vec<Box<dyn Searcher>>,
    next: usize,
}

impl InTurn {
    pub fn new(searchers: Vec<Box<dyn Searcher>>) -> InTurn {
        InTurn { searchers, next: 0 }
    }
}

impl Searcher for InTurn {
    fn select(&mut self, facts: &[Facts], rng: &mut Rng) -> StateId {
        self.next = (self.next + 1) % self.searchers.len();
        self.searchers[self.next].select(facts, rng)
    }

    fn added(&mut self, parent: Option<StateId>, children: &[StateId]) {
        self.searchers
            .iter_mut()
            .for_each(|searcher| searcher.added(parent, children));
    }

    fn removed(&mut self, state: StateId) {
        self.searchers.iter_mut().for_each(|searcher| searcher.removed(state));
    }
}
