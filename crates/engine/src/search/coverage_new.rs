//! Prefers states that reached new code recently: a random choice weighted by how long ago that was.

use super::{Facts, Rng, Searcher, StateId};

#[derive(Default)]
pub struct CoverageNew {
    /// In order of arrival, so that the choice depends on the run alone.
    states: Vec<StateId>,
}

/// How many states a draw looks at; drawing among all of them would cost more than it helps when there are thousands.
const SAMPLE: usize = 64;

impl Searcher for CoverageNew {
    fn select(&mut self, facts: &[Facts], rng: &mut Rng) -> StateId {
        let n = self.states.len();
        let sample: Vec<StateId> = if n <= SAMPLE {
            self.states.clone()
        } else {
            (0..SAMPLE).map(|_| self.states[rng.below(n as u64) as usize]).collect()
        };
        let weight = |state: StateId| {
            let since = facts.get(state.0 as usize).map_or(0, |facts| facts.since_new);
            1.0 / (1.0 + since as f64 / 1000.0)
        };
        let total: f64 = sample.iter().map(|&state| weight(state)).sum();
        let mut left = rng.fraction() * total;
        for &state in &sample {
            left -= weight(state);
            if left <= 0.0 {
                return state;
            }
        }
        *sample.last().expect("there is a state to select")
    }

    fn added(&mut self, _: Option<StateId>, children: &[StateId]) {
        self.states.extend(children);
    }

    fn removed(&mut self, state: StateId) {
        if self.states.last() == Some(&state) {
            self.states.pop();
        } else {
            self.states.retain(|&s| s != state);
        }
    }
}
