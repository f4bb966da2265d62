//! Episodes: from the opening of a first context until none is open.
//!
//! Nothing else runs meanwhile, so an episode is like one step of the state that began it: some paths end in it, and
//! others leave it, always the same ones in the same order. While it lasts, a run is saved as it was when the episode
//! began. Later, a state that left it is saved by its ordinal. A resumed run repeats the episode silently and continues
//! with the states that are left.

use super::Merging;
use crate::frontier::{Again, Beginning, Guide, Out};
use crate::state::State;
use crate::stats::Stats;
use crate::trail::{Choice, Decision};
use crate::worker::Worker;
use mneme_memory::{Model, Reason};
use mneme_program::FunctionId;

pub struct Episode<M: Model> {
    beginning: Beginning,
    /// Where on the path it began.
    point: u64,
    steps: u64,
    /// What has left it.
    out: Vec<State<M>>,
    repeated: Option<Repeated>,
}

/// An earlier session went through this episode.
struct Repeated {
    /// The figures before it: everything that happens in it is already counted.
    stats: Box<Stats>,
    /// The states that left it and are not explored yet.
    ways: Vec<(Out, Guide)>,
}

impl<M: Model> Merging<M> {
    pub(crate) fn beginning(&self) -> Option<&Beginning> {
        self.episode.as_ref().map(|episode| &episode.beginning)
    }

    /// The states that have left an episode that is not over.
    pub(crate) fn come_out(&self) -> impl Iterator<Item = &State<M>> {
        self.episode.iter().flat_map(|episode| &episode.out)
    }
}

impl<M: Model> Worker<'_, M> {
    /// Was everything that happens now done and counted by an earlier session?
    pub(crate) fn is_silent(&self) -> bool {
        let episode = self.merging.episode.as_ref();
        episode.is_some_and(|episode| episode.repeated.is_some())
    }

    /// Does the state only repeat what an earlier session did and counted?
    pub(crate) fn repeats(&self, state: &State<M>) -> bool {
        state.path.guide.is_some() || self.is_silent()
    }

    /// The path comes to a point where contexts may open. Did an earlier session open some that are not explored yet?
    pub(crate) fn meet_contexts(&mut self, state: &mut State<M>) -> bool {
        state.path.points += 1;
        self.merging.again = self.sessions.contexts(&state.path);
        self.merging.again.is_some()
    }

    /// A state outside all contexts opens one, in the middle of an instruction.
    pub(super) fn begin_episode(&mut self, state: &mut State<M>, again: Option<Again>) {
        let guide = state.path.guide.take();
        let mut figures = self.sessions.counted(&self.stats);
        // A resumed run begins with this instruction.
        figures.instructions -= u64::from(again.is_none());
        let covered = again.as_ref().map(|again| again.covered);
        let forgotten = covered.map(|count| self.coverage.forget(count)).unwrap_or_default();
        self.merging.episode = Some(Episode {
            beginning: Beginning {
                trail: state.path.trail.clone(),
                steps: state.path.steps - 1,
                guide,
                figures,
                parked: self.sessions.parked(),
                covered: self.coverage.count(),
                forgotten,
            },
            point: state.path.points,
            steps: state.path.steps,
            out: Vec::new(),
            repeated: again.map(|again| Repeated {
                stats: Box::new(self.stats.clone()),
                ways: again.ways,
            }),
        });
    }

    /// Holds back states that have left an episode until it is over; the others stay in the list.
    pub(crate) fn keep_back(&mut self, states: &mut Vec<State<M>>) {
        if let Some(episode) = &mut self.merging.episode {
            let (inside, mut out) = std::mem::take(states)
                .into_iter()
                .partition(|state| state.merge.member.is_some());
            *states = inside;
            episode.out.append(&mut out);
        }
    }

    /// The states that leave an episode that is over.
    pub(crate) fn end_episode(&mut self) -> Vec<State<M>> {
        if self.merging.contexts.iter().any(Option::is_some) {
            return Vec::new();
        }
        let Some(Episode {
            beginning,
            point,
            steps,
            mut out,
            repeated,
        }) = self.merging.episode.take()
        else {
            return Vec::new();
        };
        let left = repeated.map(|repeated| self.end_silence(&beginning, repeated));
        let count = left.as_ref().map(Vec::len);
        let mut found = 0;
        let mut number = 0;
        out.retain_mut(|state| {
            let came = Out::new(number, state.path.trail.digest());
            let place = state.frames.last().map(|frame| (frame.function, frame.pc));
            let (function, pc) = place.unwrap_or((FunctionId(0), 0));
            state.path.trail.push(Decision {
                point,
                function,
                pc,
                steps,
                choice: Choice::LeftContext {
                    number,
                    since: beginning.trail.len() as u32,
                    covered: beginning.covered as u32,
                },
                object: None,
            });
            number += 1;
            let Some(left) = &left else {
                return true;
            };
            let way = left.iter().find(|(out, _)| *out == came);
            state.path.guide = way.map(|&(_, guide)| guide);
            found += usize::from(way.is_some());
            way.is_some()
        });
        for _ in found..count.unwrap_or(0) {
            self.stop_at(None, &Reason::Changed);
        }
        out
    }

    /// A limit ends the run: a silently repeated episode counts as not begun. Is there one?
    pub(crate) fn forget_silent(&mut self) -> bool {
        match self.merging.episode.take() {
            Some(Episode {
                beginning,
                repeated: Some(repeated),
                ..
            }) => {
                self.end_silence(&beginning, repeated);
                true
            }
            other => {
                self.merging.episode = other;
                false
            }
        }
    }

    /// Resets the figures to what they were before a repeated episode. Returns its states that are left.
    fn end_silence(&mut self, beginning: &Beginning, repeated: Repeated) -> Vec<(Out, Guide)> {
        self.stats = *repeated.stats;
        self.coverage.remember(beginning.covered, &beginning.forgotten);
        repeated.ways
    }
}
