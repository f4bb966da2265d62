//! Depth first and breadth first: a queue, taken from one end or the other.

use super::{Facts, Rng, Searcher, StateId};
use std::collections::VecDeque;

pub struct Queue {
    states: VecDeque<StateId>,
    newest_first: bool,
}

impl Queue {
    pub fn depth_first() -> Queue {
        Queue {
            states: VecDeque::new(),
            newest_first: true,
        }
    }

    pub fn breadth_first() -> Queue {
        Queue {
            states: VecDeque::new(),
            newest_first: false,
        }
    }
}

impl Searcher for Queue {
    fn select(&mut self, _: &[Facts], _: &mut Rng) -> StateId {
        let end = if self.newest_first {
            self.states.back()
        } else {
            self.states.front()
        };
        *end.expect("there is a state to select")
    }

    fn added(&mut self, parent: Option<StateId>, children: &[StateId]) {
        self.states.extend(children);
        // Breadth first: a state that forked goes behind those that have not yet had their turn.
        if !self.newest_first
            && let Some(parent) = parent
            && self.states.front() == Some(&parent)
        {
            self.states.rotate_left(1);
        }
    }

    fn removed(&mut self, state: StateId) {
        if self.states.back() == Some(&state) {
            self.states.pop_back();
        } else if self.states.front() == Some(&state) {
            self.states.pop_front();
        } else {
            self.states.retain(|&s| s != state);
        }
    }
}
