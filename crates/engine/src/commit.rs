//! The only place that makes states.
//!
//! Whatever has several possible results (a branch, a switch, a memory access, a call through a pointer) arrives here
//! as outcomes with disjoint guards that cover the path. The one that the state's own assignment satisfies is known to
//! be feasible; for the others the solver is asked. Each feasible outcome becomes a state, a finding or a counted stop.

use crate::fault::Error;
use crate::frontier::{Guidance, Guide};
use crate::hooks::Fork;
use crate::options::Callers;
use crate::state::State;
use crate::then::Then;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Branch, Branches, End, Heap, Model, Reason, Truth};
use mneme_solver::{Patience, Unknown};
use mneme_term::{Assignment, TermId, Tracer};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::rc::Rc;

/// The guards should cover the path, but do not.
const UNCOVERED: &str = "internal: no outcome is possible";

#[derive(Clone)]
pub struct Outcome<M: Model> {
    pub guard: TermId,
    /// What is known about symbols made for this outcome, for all inputs. It is added to the path even where the guard
    /// follows from the path and is not added.
    pub facts: Option<TermId>,
    /// `None`: unchanged.
    pub memory: Option<Heap<M>>,
    pub end: Ending,
}

#[derive(Clone)]
pub enum Ending {
    Go(Then),
    /// The path continues there and fails at once.
    Fail(Then, Error),
    Error(Error),
    Stop(Reason),
}

pub type Outcomes<M> = SmallVec<[Outcome<M>; 2]>;

/// A feasible outcome, with inputs that lead to it.
pub(crate) struct Feasible<M: Model> {
    pub choice: u32,
    pub outcome: Outcome<M>,
    pub witness: Rc<Assignment>,
    pub guide: Option<Guide>,
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

    pub fn trace(&self, tracer: &mut Tracer) {
        tracer.term(self.guard);
        self.facts.iter().for_each(|&facts| tracer.term(facts));
        self.memory.iter().for_each(|memory| memory.trace(tracer));
        match &self.end {
            Ending::Go(then) => then.trace(tracer),
            Ending::Fail(then, error) => {
                then.trace(tracer);
                error.trace(tracer);
            }
            Ending::Error(error) => error.trace(tracer),
            Ending::Stop(_) => {}
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

    pub fn commit(&mut self, state: &mut State<M>, outcomes: Outcomes<M>) -> Flow {
        self.commit_branch(state, outcomes, None)
    }

    /// The outcomes of a branch, which depend on the value of `deciding`.
    pub(crate) fn commit_branch(
        &mut self,
        state: &mut State<M>,
        outcomes: Outcomes<M>,
        deciding: Option<TermId>,
    ) -> Flow {
        let mut outcomes = match self.divert(state, outcomes) {
            Ok(outcomes) => outcomes,
            Err(flow) => return flow,
        };
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
        let guidance = match self.before_choice(state, &mut outcomes) {
            Ok(guidance) => guidance,
            Err(flow) => return flow,
        };
        match guidance {
            Guidance::Free => self.go_all_ways(state, outcomes, deciding),
            Guidance::Ways(ways) => self.go_again(state, outcomes, &ways),
            Guidance::Determined => {
                let holds = |outcome: &Outcome<M>| self.evaluate(state, outcome.guard).low_u64() == 1;
                match outcomes.iter().position(holds) {
                    Some(index) => {
                        state.path.trail.pass(state.path.points, Choice::Outcome(index as u32));
                        self.follow_only(state, outcomes.swap_remove(index))
                    }
                    None => self.give_up(state, Reason::Changed),
                }
            }
            Guidance::Lost => self.give_up(state, Reason::Changed),
        }
    }

    /// Follows all feasible outcomes.
    fn go_all_ways(&mut self, state: &mut State<M>, outcomes: Outcomes<M>, deciding: Option<TermId>) -> Flow {
        let patience = self.patience(state, &outcomes, deciding);
        let mut feasible = Vec::new();
        let mut lost = Vec::new();
        let mut waiting = Vec::new();
        let ways = outcomes.into_iter().enumerate();
        let mut open: VecDeque<(u32, Outcome<M>, Patience)> = ways
            .map(|(choice, outcome)| (choice as u32, outcome, patience))
            .collect();
        while let Some((choice, outcome, patience)) = open.pop_front() {
            let condition = self.condition(&outcome);
            match self.may_seeded(state, condition, patience) {
                Truth::Never => {}
                Truth::Sometimes(witness) => feasible.push(Feasible {
                    choice,
                    outcome,
                    witness,
                    guide: None,
                }),
                Truth::Unknown(Unknown::Postponed) => waiting.push((choice, outcome)),
                Truth::Unknown(why) => match self.limit_reached() {
                    Some(_) => return self.unanswered(state, why),
                    None => lost.push(Reason::Solver(why)),
                },
            }
            // One must be there that the state can follow.
            if open.is_empty() && !waiting.is_empty() && !self.is_covered(state, &feasible) {
                let ways = waiting.drain(..);
                open.extend(ways.map(|(choice, outcome)| (choice, outcome, Patience::Full)));
            }
        }
        if lost.is_empty() && !self.is_covered(state, &feasible) {
            lost.push(self.at_place(state, UNCOVERED));
        }
        // If only one guard is feasible, it follows from the path and need not be added.
        let fork = Fork {
            ways: feasible.len(),
            lost: !lost.is_empty(),
            waiting: !waiting.is_empty(),
            deciding,
        };
        if let Err(reason) = self.before_fork(state, &fork) {
            return self.give_up(state, reason);
        }
        lost.iter().for_each(|reason| self.stop(state, reason));
        for (choice, outcome) in waiting {
            self.wait(state, choice, outcome);
        }
        self.stats.forks += (feasible.len() as u64).saturating_sub(1);
        match fork.is_decided() {
            true => {
                let Feasible {
                    choice,
                    outcome,
                    witness,
                    ..
                } = feasible.pop().expect("the only one");
                state.path.trail.pass(state.path.points, Choice::Outcome(choice));
                if let Some(facts) = outcome.facts {
                    self.narrow_to(state, facts, witness);
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
            let is_it = |way: Choice| way == Choice::Outcome(choice) || way == Choice::Unsolved(choice);
            let Some(&(way, guide)) = ways.iter().find(|(way, _)| is_it(*way)) else {
                continue;
            };
            found += 1;
            if way == Choice::Unsolved(choice) {
                self.wait(state, choice, outcome);
                continue;
            }
            let condition = self.condition(&outcome);
            match (self.may(state, condition), &outcome.end) {
                (Truth::Sometimes(witness), Ending::Go(_)) => feasible.push(Feasible {
                    choice,
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
    pub(crate) fn go_ways(&mut self, state: &mut State<M>, ways: Vec<Feasible<M>>) -> Flow {
        let mut alive = None;
        let last = ways.len().saturating_sub(1);
        let mut origin = Some(state.clone());
        let odd: Vec<bool> = ways
            .iter()
            .map(|way| self.is_odd(state, &way.outcome, &way.witness))
            .collect();
        let supposes = odd.contains(&true);
        for (index, way) in ways.into_iter().enumerate() {
            let odd = odd[index];
            let mut next = if index == last { origin.take() } else { origin.clone() }.expect("taken only at the last");
            let Outcome { guard, facts, .. } = way.outcome;
            let known = next.path.condition.clauses().len();
            self.narrow_to(&mut next, guard, way.witness.clone());
            if supposes {
                next.suppose(known);
            }
            if let Some(facts) = facts {
                self.narrow_to(&mut next, facts, way.witness);
            }
            next.path.guide = way.guide;
            self.after_choice(&mut next, guard, Choice::Outcome(way.choice));
            // One of them shows what was reached on the way here.
            next.path.covers_new &= alive.is_none();
            next.notes.odd = odd;
            if odd && self.options.callers == Callers::Usual {
                self.exclude_odd(&next, &way.outcome.end);
                continue;
            }
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
    pub(crate) fn condition(&mut self, outcome: &Outcome<M>) -> TermId {
        match outcome.facts {
            Some(facts) => self.terms.and(outcome.guard, facts),
            None => outcome.guard,
        }
    }

    /// Does one of the guards hold for the state's own assignment? Together they should cover the path.
    fn is_covered(&self, state: &State<M>, feasible: &[Feasible<M>]) -> bool {
        let own = state.path.condition.assignment();
        let is_own = |way: &Feasible<M>| Rc::ptr_eq(&way.witness, own);
        let holds = |way: &Feasible<M>| !self.evaluate(state, way.outcome.guard).is_zero();
        feasible.iter().any(is_own) || feasible.iter().any(holds)
    }

    /// Follows the only outcome. A guard that mentions addresses is not checked: the addresses that the program sees
    /// may differ from the layout.
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
        self.abandon(state, &reason);
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
