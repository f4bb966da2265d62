//! Which state runs next. A searcher sees ids and a few facts, never states.

mod coverage_new;
mod in_turn;
mod queue;
mod random_path;
mod rng;

pub use rng::Rng;

use crate::options::Search;

#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u32);

/// What a searcher may know of a state.
#[derive(Copy, Clone, Debug, Default)]
pub struct Facts {
    /// Instructions since the state last reached new code.
    pub since_new: u64,
}

pub trait Searcher {
    /// One of the states that were added and not removed; there is at least one.
    fn select(&mut self, facts: &[Facts], rng: &mut Rng) -> StateId;
    /// `parent` forked: `children` are new beside it. `None`: the first state.
    fn added(&mut self, parent: Option<StateId>, children: &[StateId]);
    fn removed(&mut self, state: StateId);
}

pub fn searcher(search: Search) -> Box<dyn Searcher> {
    match search {
        Search::Dfs => Box::new(queue::Queue::depth_first()),
        Search::Bfs => Box::new(queue::Queue::breadth_first()),
        Search::RandomPath => Box::new(random_path::RandomPath::default()),
        Search::CoverageNew => Box::new(coverage_new::CoverageNew::default()),
        Search::Default => Box::new(in_turn::InTurn::new(vec![
            Box::new(random_path::RandomPath::default()),
            Box::new(coverage_new::CoverageNew::default()),
        ])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every searcher only ever selects live states and reaches all of them.
    #[test]
    fn every_searcher_selects_live_states_and_starves_none() {
        for (name, search) in Search::ALL {
            let mut searcher = searcher(search);
            let mut rng = Rng::new(7);
            searcher.added(None, &[StateId(0)]);
            searcher.added(Some(StateId(0)), &[StateId(1), StateId(2)]);
            searcher.added(Some(StateId(2)), &[StateId(3)]);
            let mut live = vec![0u32, 1, 2, 3];
            let facts = [Facts::default(); 4];
            while !live.is_empty() {
                let StateId(id) = searcher.select(&facts, &mut rng);
                assert!(live.contains(&id), "{name} selected {id}, which is not among {live:?}");
                live.retain(|&x| x != id);
                searcher.removed(StateId(id));
            }
        }
    }

    #[test]
    fn depth_first_takes_the_newest_and_breadth_first_who_waited_longest() {
        for (search, expected) in [(Search::Dfs, 2), (Search::Bfs, 1)] {
            let mut searcher = searcher(search);
            searcher.added(None, &[StateId(0)]);
            searcher.added(Some(StateId(0)), &[StateId(1), StateId(2)]);
            assert_eq!(searcher.select(&[], &mut Rng::new(0)), StateId(expected));
        }
    }
}
