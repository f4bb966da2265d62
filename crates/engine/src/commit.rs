//! The only place that makes states.
//!
//! Whatever can go several ways (a branch, a switch, a memory access, a call through a pointer) arrives here as outcomes with disjoint,
//! covering guards. The one that the state's own assignment satisfies is feasible for free; the others are asked for. Each feasible
//! outcome becomes a state, a finding or a counted stop.

use crate::fault::Error;
use crate::frontier::{Guidance, Guide};
use crate::state::State;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Branch, Branches, End, Heap, Model, Reason, Truth};
use mneme_term::TermId;
use smallvec::SmallVec;
use std::cell::Cell;

pub struct Outcome<M: Model, T> {
    pub guard: TermId,
    /// `None`: as it was.
    pub memory: Option<Heap<M>>,
    pub end: Ending<T>,
}

pub enum Ending<T> {
    Go(T),
    /// It goes on there, and fails at once.
    Fail(T, Error),
    Error(Error),
    Stop(Reason),
}

pub type Outcomes<M, T> = SmallVec<[Outcome<M, T>; 2]>;

impl<M: Model, T> From<Branch<M, T>> for Outcome<M, T> {
    fn from(branch: Branch<M, T>) -> Self {
        Outcome {
            guard: branch.guard,
            memory: Some(branch.memory),
            end: match branch.end {
                End::Done(value) => Ending::Go(value),
                End::Fault(fault) => Ending::Error(Error::Memory(fault)),
                End::Stop(reason) => Ending::Stop(reason),
            },
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// Outcomes of a memory operation.
    pub fn commit_memory<T>(
        &mut self,
        state: &mut State<M>,
        branches: Branches<M, T>,
        resume: impl Fn(&mut State<M>, T),
    ) -> Flow {
        let outcomes = branches.into_iter().map(Outcome::from).collect();
        self.commit(state, outcomes, resume)
    }

    /// The result of an operation that ends in one way only, as an allocation does. That a model sees several is a counted stop.
    pub fn sole<T>(&mut self, state: &mut State<M>, branches: Branches<M, T>) -> Result<T, Flow> {
        let Some(branch) = branches.sole() else {
            return Err(self.unsupported(state, "several outcomes of a memory operation that has one"));
        };
        let result = Cell::new(None);
        let flow = self.follow(state, branch.into(), &|_, value| result.set(Some(value)));
        result.into_inner().ok_or(flow)
    }

    pub fn commit<T>(
        &mut self,
        state: &mut State<M>,
        mut outcomes: Outcomes<M, T>,
        resume: impl Fn(&mut State<M>, T),
    ) -> Flow {
        let deciding = self.merging.deciding.take();
        if self.recording.is_some() {
            return self.record(state, outcomes, &resume);
        }
        if outcomes.len() == 1 {
            let outcome = outcomes.pop().expect("one outcome");
            return self.follow(state, outcome, &resume);
        }
        // The model itself may have asked in vain.
        let unasked = outcomes.iter().find_map(|outcome| match outcome.end {
            Ending::Stop(Reason::Solver(why)) => Some(why),
            _ => None,
        });
        if let Some(why) = unasked
            && self.limit_reached().is_some()
        {
            return self.unanswered(state, why);
        }
        if self.cut {
            return Flow::End;
        }
        // Any of the memories knows the addresses that the guards speak of.
        if let Some(memory) = outcomes.iter().find_map(|outcome| outcome.memory.as_ref()) {
            state.memory = memory.clone();
        }
        self.see_guards(state, &mut outcomes);
        if let Some(flow) = self.end_if_crammed(state) {
            return flow;
        }
        state.points += 1;
        self.merging.again = self.tree.contexts(state);
        let guidance = match self.merging.again {
            Some(_) => Guidance::Free,
            None => self.guidance(state),
        };
        match guidance {
            Guidance::Free => {}
            Guidance::Ways(ways) => return self.go_again(state, outcomes, &ways, &resume),
            Guidance::Determined => {
                let holds = |outcome: &Outcome<M, T>| self.evaluate(state, outcome.guard).low_u64() == 1;
                let Some(index) = outcomes.iter().position(holds) else {
                    self.stop(state, &Reason::Changed);
                    return Flow::End;
                };
                return self.follow(state, outcomes.swap_remove(index), &resume);
            }
            Guidance::Lost => {
                self.stop(state, &Reason::Changed);
                return Flow::End;
            }
        }
        let mut feasible = Vec::new();
        let mut unknown = Vec::new();
        for (choice, outcome) in outcomes.into_iter().enumerate() {
            let (seeds, known) = self.seeds_with(state, outcome.guard);
            let truth = match known {
                Some(witness) => Truth::Sometimes(witness),
                None => self.may(state, outcome.guard),
            };
            match truth {
                Truth::Never => {}
                Truth::Sometimes(witness) => feasible.push((choice as u32, outcome, witness, seeds)),
                Truth::Unknown(why) => match self.limit_reached() {
                    Some(_) => return self.unanswered(state, why),
                    None => unknown.push(why),
                },
            }
        }
        // A guard that is the only possible one follows from the path: it need not be added.
        let decided = feasible.len() == 1 && unknown.is_empty();
        if !decided {
            self.before_fork(state, deciding.filter(|_| feasible.len() > 1));
        }
        if self.merging.again.take().is_some() {
            self.stop(state, &Reason::Changed);
            return Flow::End;
        }
        if !unknown.is_empty() {
            self.lost_way(state);
        }
        for why in unknown {
            self.stop(state, &Reason::Solver(why));
        }
        if feasible.is_empty() {
            return Flow::End;
        }
        self.stats.forks += feasible.len() as u64 - 1;
        let mut alive = None;
        let last = feasible.len() - 1;
        let mut origin = Some(state.clone());
        for (index, (choice, outcome, witness, seeds)) in feasible.into_iter().enumerate() {
            let mut next = if index == last { origin.take() } else { origin.clone() }.expect("taken only at the last");
            next.seeds = seeds;
            if !decided {
                next.path.assume(&mut self.terms, outcome.guard, witness);
                self.count_choice(&mut next, outcome.guard);
                self.after_fork(&mut next, outcome.guard);
                let object = self.referent(&next);
                next.decide_object(Choice::Outcome(choice), object);
                next.depth += 1;
            }
            match self.follow(&mut next, outcome, &resume) {
                Flow::End => {}
                _ if alive.is_none() => alive = Some(next),
                _ => self.spawned.push(next),
            }
        }
        match alive {
            Some(next) => {
                *state = next;
                if self.spawned.is_empty() { Flow::On } else { Flow::Fork }
            }
            None => Flow::End,
        }
    }

    /// Goes the ways of an earlier run that are not explored yet.
    fn go_again<T>(
        &mut self,
        state: &mut State<M>,
        outcomes: Outcomes<M, T>,
        ways: &[(Choice, Guide)],
        resume: &impl Fn(&mut State<M>, T),
    ) -> Flow {
        let mut feasible = Vec::new();
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let choice = Choice::Outcome(index as u32);
            let Some(&(_, guide)) = ways.iter().find(|(way, _)| *way == choice) else {
                continue;
            };
            match (self.may(state, outcome.guard), &outcome.end) {
                (Truth::Sometimes(witness), Ending::Go(_)) => feasible.push((choice, guide, outcome, witness)),
                (Truth::Unknown(why), _) => {
                    self.unanswered(state, why);
                    if self.cut {
                        return Flow::End;
                    }
                }
                _ => self.stop(state, &Reason::Changed),
            }
        }
        let mut alive = None;
        for (choice, guide, outcome, witness) in feasible {
            let mut next = state.clone();
            next.seeds = self.seeds_with(state, outcome.guard).0;
            next.path.assume(&mut self.terms, outcome.guard, witness);
            self.count_choice(&mut next, outcome.guard);
            let object = self.referent(&next);
            next.decide_object(choice, object);
            next.depth += 1;
            next.guide = Some(guide);
            self.follow(&mut next, outcome, resume);
            match alive {
                None => alive = Some(next),
                Some(_) => self.spawned.push(next),
            }
        }
        let Some(next) = alive else {
            return Flow::End;
        };
        *state = next;
        if self.spawned.is_empty() { Flow::On } else { Flow::Fork }
    }

    fn follow<T>(&mut self, state: &mut State<M>, outcome: Outcome<M, T>, resume: &impl Fn(&mut State<M>, T)) -> Flow {
        if let Some(memory) = outcome.memory {
            state.memory = memory;
        }
        match outcome.end {
            Ending::Go(value) => {
                resume(state, value);
                Flow::On
            }
            Ending::Fail(value, error) => {
                resume(state, value);
                self.error(state, &error);
                Flow::End
            }
            Ending::Error(error) => {
                self.error(state, &error);
                Flow::End
            }
            Ending::Stop(Reason::Solver(why)) => self.unanswered(state, why),
            Ending::Stop(reason) => {
                self.stop(state, &reason);
                Flow::End
            }
        }
    }

    /// Two ways: `condition` holds or not.
    pub fn fork<T>(
        &mut self,
        state: &mut State<M>,
        condition: TermId,
        yes: Ending<T>,
        no: Ending<T>,
        resume: impl Fn(&mut State<M>, T),
    ) -> Flow {
        let negation = self.terms.not(condition);
        let mut outcomes: Outcomes<M, T> = SmallVec::new();
        for (guard, end) in [(condition, yes), (negation, no)] {
            if !self.terms.is_false(guard) {
                outcomes.push(Outcome {
                    guard,
                    memory: None,
                    end,
                });
            }
        }
        self.commit(state, outcomes, resume)
    }
}
