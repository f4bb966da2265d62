//! What features do around a choice of `commit`, which knows these hooks and none of the features.
//!
//! In the order in which a choice meets them: a loop that is tried takes the outcomes away ([`Worker::divert`]);
//! guards that look at addresses become conditions on symbols, and an earlier session says which ways are left
//! ([`Worker::before_choice`]); outcomes that take the solver long may wait (`patience`, `wait`); seeds make outcomes
//! known to be possible (`may_seeded`); a fork may open a merging context ([`Worker::before_fork`]); and each way is
//! entered in what the features keep for its path ([`Worker::after_choice`]).

use crate::commit::Outcomes;
use crate::frontier::Guidance;
use crate::state::State;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason};
use mneme_term::TermId;

/// What is left of a choice.
pub(crate) struct Fork {
    /// How many outcomes are possible.
    pub ways: usize,
    /// Some were given up.
    pub lost: bool,
    /// Some are not solved yet.
    pub waiting: bool,
    /// What the branch depends on.
    pub deciding: Option<TermId>,
}

impl Fork {
    /// Does the only way follow from the path?
    pub fn is_decided(&self) -> bool {
        self.ways == 1 && !self.lost && !self.waiting
    }
}

impl<M: Model> Worker<'_, M> {
    /// `Err`: somebody else did what is to be done.
    pub(crate) fn divert(&mut self, state: &mut State<M>, outcomes: Outcomes<M>) -> Result<Outcomes<M>, Flow> {
        match self.is_trial() {
            true => Err(self.record(state, outcomes)),
            false => Ok(outcomes),
        }
    }

    /// Several outcomes are left. `Err`: the path ends here.
    pub(crate) fn before_choice(&mut self, state: &mut State<M>, outcomes: &mut Outcomes<M>) -> Result<Guidance, Flow> {
        if let Some(flow) = self.look_before_choice(state, outcomes) {
            return Err(flow);
        }
        Ok(match self.meet_contexts(state) {
            true => Guidance::Free,
            false => self.guidance(state),
        })
    }

    /// The outcomes that are possible are known. `Err`: the path does not go as in the earlier session.
    pub(crate) fn before_fork(&mut self, state: &mut State<M>, fork: &Fork) -> Result<(), Reason> {
        if !fork.is_decided() {
            self.open_at_fork(state, fork.deciding.filter(|_| fork.ways > 1));
        }
        if self.merging.has_missed_contexts() {
            return Err(Reason::Changed);
        }
        if fork.lost {
            self.merging.lost_way(state);
        }
        Ok(())
    }

    /// A state has been narrowed to the outcome with this guard.
    pub(crate) fn after_choice(&mut self, state: &mut State<M>, guard: TermId, choice: Choice) {
        self.count_choice(state, guard);
        self.note_nulls(state, guard);
        self.merging.after_fork(state, guard);
        let object = self.referent(state);
        state.decide_object(choice, object);
        state.path.depth += 1;
    }
}
