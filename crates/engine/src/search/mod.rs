//! Which state runs next. A searcher sees ids and a few facts, never states.

mod breadth_first;
mod coverage_new;
mod depth_first;
mod in_turn;
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
    /// `parent` forked: `children` are new beside it. `None`: the first state, or one that was left behind long ago.
    fn added(&mut self, parent: Option<StateId>, children: &[StateId]);
    fn removed(&mut self, state: StateId);
}

pub fn searcher(search: Search) -> Box<dyn Searcher> {
    match search {
        Search::Dfs => Box::new(depth_first::DepthFirst::default()),
        Search::Bfs => Box::new(breadth_first::BreadthFirst::default()),
        Search::RandomPath => Box::new(random_path::RandomPath::default()),
        Search::CoverageNew => Box::new(coverage_new::CoverageNew::default()),
        Search::Default => Box::new(in_turn::InTurn::new(vec![
            Box::new(random_path::RandomPath::default()),
            Box::new(coverage_new::CoverageNew::default()),
            Box::new(depth_first::DepthFirst::default()),
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
            searcher.added(None, &[StateId(4)]);
            let mut live = vec![0u32, 1, 2, 3, 4];
            let facts = [Facts::default(); 5];
            while !live.is_empty() {
                let StateId(id) = searcher.select(&facts, &mut rng);
                assert!(live.contains(&id), "{name} selected {id}, which is not among {live:?}");
                live.retain(|&x| x != id);
                searcher.removed(StateId(id));
            }
        }
    }

    /// What others have made in the meantime comes behind the states of its own path.
    #[test]
    fn depth_first_stays_on_its_path_beside_others() {
        let mut searcher = searcher(Search::Dfs);
        let mut rng = Rng::new(0);
        searcher.added(None, &[StateId(0)]);
        assert_eq!(searcher.select(&[], &mut rng), StateId(0));
        searcher.added(Some(StateId(0)), &[StateId(1)]);
        searcher.added(None, &[StateId(2)]);
        assert_eq!(searcher.select(&[], &mut rng), StateId(1));
        searcher.added(Some(StateId(0)), &[StateId(3)]);
        searcher.added(Some(StateId(1)), &[StateId(4)]);
        let mut order = Vec::new();
        for _ in 0..5 {
            let state = searcher.select(&[], &mut rng);
            order.push(state.0);
            searcher.removed(state);
        }
        assert_eq!(order, [4, 1, 0, 2, 3]);
    }

    #[test]
    fn depth_first_takes_the_newest_and_breadth_first_who_waited_longest() {
        for (search, expected) in [(Search::Dfs, 2), (Search::Bfs, 1)] {
            let mut searcher = searcher(search);
            searcher.added(None, &[StateId(0)]);
            searcher.select(&[], &mut Rng::new(0));
            searcher.added(Some(StateId(0)), &[StateId(1), StateId(2)]);
            assert_eq!(searcher.select(&[], &mut Rng::new(0)), StateId(expected));
        }
    }
}
