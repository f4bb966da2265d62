//! Follows a path to its end, then the newest of those that it left on its way.
//!
//! Beside other searchers it stays on its own paths: what others find comes last.

use super::{Facts, Rng, Searcher, StateId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Default)]
pub struct DepthFirst {
    /// The next one is last.
    states: BTreeMap<i64, StateId>,
    places: FxHashMap<StateId, i64>,
    /// The one that was selected last.
    current: Option<StateId>,
}

impl Searcher for DepthFirst {
    fn select(&mut self, _: &[Facts], _: &mut Rng) -> StateId {
        let (_, &state) = self.states.last_key_value().expect("there is a state to select");
        self.current = Some(state);
        state
    }

    fn added(&mut self, parent: Option<StateId>, children: &[StateId]) {
        let own = parent == self.current;
        for &child in children {
            let place = match own {
                true => self.states.last_key_value().map_or(0, |(last, _)| last + 1),
                false => self.states.first_key_value().map_or(0, |(first, _)| first - 1),
            };
            self.states.insert(place, child);
            self.places.insert(child, place);
        }
    }

    fn removed(&mut self, state: StateId) {
        if let Some(place) = self.places.remove(&state) {
            self.states.remove(&place);
        }
    }
}
