//! Breadth first: a queue.

use super::{Facts, Rng, Searcher, StateId};
use std::collections::VecDeque;

#[derive(Default)]
pub struct BreadthFirst {
    states: VecDeque<StateId>,
}

impl Searcher for BreadthFirst {
    fn select(&mut self, _: &[Facts], _: &mut Rng) -> StateId {
        *self.states.front().expect("there is a state to select")
    }

    fn added(&mut self, parent: Option<StateId>, children: &[StateId]) {
        self.states.extend(children);
        // A state that forked goes behind those that have not yet had their turn.
        if let Some(parent) = parent
            && self.states.front() == Some(&parent)
        {
            self.states.rotate_left(1);
        }
    }

    fn removed(&mut self, state: StateId) {
        if self.states.front() == Some(&state) {
            self.states.pop_front();
        } else {
            self.states.retain(|&s| s != state);
        }
    }
}
