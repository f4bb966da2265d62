//! The only place that makes states.
//!
//! Whatever has several possible results (a branch, a switch, a memory access, a call through a pointer) arrives here
//! as outcomes with disjoint guards that cover the path. The one that the state's own assignment satisfies is known to
//! be feasible; for the others the solver is asked. Each feasible outcome becomes a state, a finding or a counted stop.

use crate::fault::Error;
use crate::frontier::{Guidance, Guide};
use crate::seeds::Seed;
use crate::state::State;
use crate::then::Then;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Branch, Branches, End, Heap, Model, Reason, Truth};
use mneme_term::{Assignment, TermId};
use smallvec::SmallVec;
use std::rc::Rc;

/// The guards should cover the path, but do not.
const UNCOVERED: &str = "internal: no outcome is possible";

pub struct Outcome<M: Model> {
    pub guard: TermId,
    /// What is known about symbols made for this outcome, for all inputs. It is added to the path even where the guard
    /// follows from the path and is not added.
    pub facts: Option<TermId>,
    /// `None`: unchanged.
    pub memory: Option<Heap<M>>,
    pub end: Ending,
}

pub enum Ending {
    Go(Then),
    /// The path continues there and fails at once.
    Fail(Then, Error),
    Error(Error),
    Stop(Reason),
}

pub type Outcomes<M> = SmallVec<[Outcome<M>; 2]>;

/// A feasible outcome, with inputs that lead to it.
struct Feasible<M: Model> {
    choice: u32,
    outcome: Outcome<M>,
    witness: Rc<Assignment>,
    seeds: Rc<Vec<Seed>>,
    guide: Option<Guide>,
}

impl<M: Model> Outcome<M> {
    pub fn new(guard: TermId, end: Ending) -> Self {
        Outcome {
            guard,
            facts: None,
            memory: None,
            end,
        }
    }

    /// A branch of a memory operation; `then` says what happens to its result.
    pub fn of<T>(branch: Branch<M, T>, then: impl Fn(T) -> Then) -> Self {
        Outcome {
            guard: branch.guard,
            facts: branch.facts,
            memory: Some(branch.memory),
            end: match branch.end {
                End::Done(value) => Ending::Go(then(value)),
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
        then: impl Fn(T) -> Then,
    ) -> Flow {
        let outcomes = branches.into_iter().map(|branch| Outcome::of(branch, &then)).collect();
        self.commit(state, outcomes)
    }

    /// The result of an operation that has only one branch, such as an allocation. If a model returns several, that is
    /// a counted stop.
    pub fn sole<T>(&mut self, state: &mut State<M>, branches: Branches<M, T>) -> Result<T, Flow> {
        let Some(branch) = branches.sole() else {
            return Err(self.unsupported(state, "several outcomes of a memory operation that has one"));
        };
        state.memory = branch.memory;
        self.take_facts(state, branch.facts)?;
        match branch.end {
            End::Done(value) => Ok(value),
            End::Fault(fault) => Err(self.fail(state, Error::Memory(fault))),
            End::Stop(reason) => Err(self.give_up(state, reason)),
        }
    }

    pub fn commit(&mut self, state: &mut State<M>, mut outcomes: Outcomes<M>) -> Flow {
        let deciding = self.merging.deciding.take();
        if self.recording.is_some() {
            return self.record(state, outcomes);
        }
        if outcomes.len() == 1 {
            let outcome = outcomes.pop().expect("one outcome");
            return self.follow_only(state, outcome);
        }
        // The model's own query may have failed.
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
        // Any of the heaps knows the addresses that occur in the guards.
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
            Guidance::Free => self.go_all_ways(state, outcomes, deciding),
            Guidance::Ways(ways) => self.go_again(state, outcomes, &ways),
            Guidance::Determined => {
                let holds = |outcome: &Outcome<M>| self.evaluate(state, outcome.guard).low_u64() == 1;
                match outcomes.iter().position(holds) {
                    Some(index) => self.follow_only(state, outcomes.swap_remove(index)),
                    None => self.give_up(state, Reason::Changed),
                }
            }
            Guidance::Lost => self.give_up(state, Reason::Changed),
        }
    }

    /// Follows all feasible outcomes.
    fn go_all_ways(&mut self, state: &mut State<M>, outcomes: Outcomes<M>, deciding: Option<TermId>) -> Flow {
        let mut feasible = Vec::new();
        let mut lost = Vec::new();
        for (choice, outcome) in outcomes.into_iter().enumerate() {
            let condition = self.condition(&outcome);
            let (seeds, known) = self.seeds_with(state, condition);
            let truth = match known {
                Some(witness) => Truth::Sometimes(witness),
                None => self.may(state, condition),
            };
            match truth {
                Truth::Never => {}
                Truth::Sometimes(witness) => feasible.push(Feasible {
                    choice: choice as u32,
                    outcome,
                    witness,
                    seeds,
                    guide: None,
                }),
                Truth::Unknown(why) => match self.limit_reached() {
                    Some(_) => return self.unanswered(state, why),
                    None => lost.push(Reason::Solver(why)),
                },
            }
        }
        if lost.is_empty() && !self.is_covered(state, &feasible) {
            lost.push(self.at_place(state, UNCOVERED));
        }
        // If only one guard is feasible, it follows from the path and need not be added.
        let decided = feasible.len() == 1 && lost.is_empty();
        if !decided {
            self.before_fork(state, deciding.filter(|_| feasible.len() > 1));
        }
        if self.merging.again.take().is_some() {
            return self.give_up(state, Reason::Changed);
        }
        if !lost.is_empty() {
            self.lost_way(state);
        }
        lost.iter().for_each(|reason| self.stop(state, reason));
        self.stats.forks += (feasible.len() as u64).saturating_sub(1);
        match decided {
            true => {
                let Feasible {
                    outcome,
                    witness,
                    seeds,
                    ..
                } = feasible.pop().expect("the only one");
                state.seeds = seeds;
                if let Some(facts) = outcome.facts {
                    state.path.assume(&mut self.terms, facts, witness);
                }
                self.follow(state, outcome)
            }
            false => self.go_ways(state, feasible),
        }
    }

    /// Follows the outcomes of an earlier run that are not explored yet.
    fn go_again(&mut self, state: &mut State<M>, outcomes: Outcomes<M>, ways: &[(Choice, Guide)]) -> Flow {
        let mut feasible = Vec::new();
        let mut found = 0;
        for (index, outcome) in outcomes.into_iter().enumerate() {
            let choice = index as u32;
            let Some(&(_, guide)) = ways.iter().find(|(way, _)| *way == Choice::Outcome(choice)) else {
                continue;
            };
            found += 1;
            let condition = self.condition(&outcome);
            match (self.may(state, condition), &outcome.end) {
                (Truth::Sometimes(witness), Ending::Go(_)) => feasible.push(Feasible {
                    choice,
                    seeds: self.seeds_with(state, condition).0,
                    outcome,
                    witness,
                    guide: Some(guide),
                }),
                (Truth::Unknown(why), _) => {
                    self.unanswered(state, why);
                    if self.cut {
                        return Flow::End;
                    }
                }
                _ => self.stop(state, &Reason::Changed),
            }
        }
        for _ in found..ways.len() {
            self.stop(state, &Reason::Changed);
        }
        self.go_ways(state, feasible)
    }

    /// Makes a state for each outcome; one of them replaces `state`.
    fn go_ways(&mut self, state: &mut State<M>, ways: Vec<Feasible<M>>) -> Flow {
        let mut alive = None;
        let last = ways.len().saturating_sub(1);
        let mut origin = Some(state.clone());
        for (index, way) in ways.into_iter().enumerate() {
            let mut next = if index == last { origin.take() } else { origin.clone() }.expect("taken only at the last");
            let Outcome { guard, facts, .. } = way.outcome;
            next.seeds = way.seeds;
            next.path.assume(&mut self.terms, guard, way.witness.clone());
            if let Some(facts) = facts {
                next.path.assume(&mut self.terms, facts, way.witness);
            }
            self.count_choice(&mut next, guard);
            match way.guide {
                Some(_) => next.guide = way.guide,
                None => self.after_fork(&mut next, guard),
            }
            let object = self.referent(&next);
            next.decide_object(Choice::Outcome(way.choice), object);
            next.depth += 1;
            match self.follow(&mut next, way.outcome) {
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

    /// The condition of an outcome: guard and facts.
    fn condition(&mut self, outcome: &Outcome<M>) -> TermId {
        match outcome.facts {
            Some(facts) => self.terms.and(outcome.guard, facts),
            None => outcome.guard,
        }
    }

    /// Does one of the guards hold for the state's own assignment? Together they should cover the path.
    fn is_covered(&self, state: &State<M>, feasible: &[Feasible<M>]) -> bool {
        let own = state.path.assignment();
        let is_own = |way: &Feasible<M>| Rc::ptr_eq(&way.witness, own);
        let holds = |way: &Feasible<M>| !self.evaluate(state, way.outcome.guard).is_zero();
        feasible.iter().any(is_own) || feasible.iter().any(holds)
    }

    /// Follows the only outcome. A guard that mentions addresses is not checked: the addresses that the program sees may
    /// differ from the layout.
    fn follow_only(&mut self, state: &mut State<M>, mut outcome: Outcome<M>) -> Flow {
        if let Some(memory) = outcome.memory.take() {
            state.memory = memory;
        }
        let guard = outcome.guard;
        let unchecked = self.terms.is_true(guard) || self.terms.has_base(guard);
        if !unchecked && self.evaluate(state, guard).is_zero() {
            return self.unsupported(state, UNCOVERED);
        }
        match self.take_facts(state, outcome.facts) {
            Ok(()) => self.follow(state, outcome),
            Err(flow) => flow,
        }
    }

    /// Adds the facts of the only outcome to the path.
    fn take_facts(&mut self, state: &mut State<M>, facts: Option<TermId>) -> Result<(), Flow> {
        let Some(facts) = facts else { return Ok(()) };
        match self.may(state, facts) {
            Truth::Sometimes(witness) => {
                self.narrow_to(state, facts, witness);
                Ok(())
            }
            Truth::Never => Err(self.unsupported(state, UNCOVERED)),
            Truth::Unknown(why) => Err(self.unanswered(state, why)),
        }
    }

    fn follow(&mut self, state: &mut State<M>, outcome: Outcome<M>) -> Flow {
        if let Some(memory) = outcome.memory {
            state.memory = memory;
        }
        match outcome.end {
            Ending::Go(then) => {
                self.resume(state, then);
                Flow::On
            }
            Ending::Fail(then, error) => {
                self.resume(state, then);
                self.fail(state, error)
            }
            Ending::Error(error) => self.fail(state, error),
            Ending::Stop(reason) => self.give_up(state, reason),
        }
    }

    /// Ends the path, for a reason that is counted.
    fn give_up(&mut self, state: &State<M>, reason: Reason) -> Flow {
        if let Reason::Solver(why) = reason {
            return self.unanswered(state, why);
        }
        self.stop(state, &reason);
        Flow::End
    }

    /// Forks on `condition`.
    pub fn fork(&mut self, state: &mut State<M>, condition: TermId, yes: Ending, no: Ending) -> Flow {
        let negation = self.terms.not(condition);
        let ways = [(condition, yes), (negation, no)].into_iter();
        let outcomes = ways
            .filter(|(guard, _)| !self.terms.is_false(*guard))
            .map(|(guard, end)| Outcome::new(guard, end))
            .collect();
        self.commit(state, outcomes)
    }
}

#[cfg(test)]
mod tests;
