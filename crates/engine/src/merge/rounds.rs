//! States of a context that are merged at the start of a round of its loop because nothing distinguishes them any more
//! (thesis §6.3, incremental merging).
//!
//! A round with several paths that compute the same (`while (*p == ' ' || *p == '\t') p++`) doubles the states every
//! time, though there are no more different ones than rounds. So states wait where a round begins until no other state
//! of the context runs. Then those that are least far continue, after equal ones have been merged: no value is chosen,
//! only path conditions become a disjunction. Variables that only grow in the loop tell how far a state is.

use super::Encoding;
use super::context::{Context, Region};
use super::expect::Mergeable;
use super::join::{Arrived, Merged};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Apart, Model};
use mneme_program::Slot;
use mneme_term::Value;
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// Has a running state reached a place where it may have to wait?
    pub(crate) fn pauses(&mut self, state: &State<M>) -> bool {
        self.is_outside(state) || self.is_round_over(state)
    }

    /// Is a state where the next round of its context's loop begins?
    pub(crate) fn is_round_over(&mut self, state: &State<M>) -> bool {
        let Some(member) = state.merge.member else {
            return false;
        };
        let incremental = self.options.merge.incremental && self.options.merge.encoding() == Encoding::Tree;
        if member.let_go == state.path.steps || !incremental {
            return false;
        }
        match &self.merging.context(member.context).region {
            Region::Loop { depth, region, .. } => state.frames.len() == *depth && state.frame().pc == region.header,
            Region::Call { .. } | Region::Hand => false,
        }
    }

    /// A state counted as running waits where a round begins.
    pub(crate) fn await_others(&mut self, mut state: State<M>) {
        self.narrow(&mut state);
        let member = state.merge.member.expect("only members wait");
        let node = member.node;
        self.merging
            .context(member.context)
            .waiting
            .push(Arrived { node, state });
    }

    /// The states that continue, in contexts where all wait.
    pub(crate) fn next_rounds(&mut self) -> Vec<State<M>> {
        let mut out = Vec::new();
        for number in 0..self.merging.contexts.len() {
            let all_wait = |context: &Context<M>| !context.waiting.is_empty() && context.live == context.waiting.len();
            if self.merging.contexts[number].as_ref().is_some_and(all_wait) {
                let mut context = self.merging.contexts[number].take().expect("just seen");
                out.extend(self.next_round(number as u32, &mut context));
                self.merging.contexts[number] = Some(context);
            }
        }
        out
    }

    fn next_round(&mut self, number: u32, context: &mut Context<M>) -> Vec<State<M>> {
        context.rounds += 1;
        let ready = least_far(context);
        let mut out = Vec::new();
        for group in self.equal_ones(ready) {
            match self.become_one(context, &group) {
                Ok(state) => {
                    context.live -= group.len() - 1;
                    out.push(state);
                }
                Err(Apart(why)) => {
                    self.stats.merging.kept_apart(why);
                    out.extend(group.into_iter().map(|waiting| waiting.state));
                }
            }
        }
        for state in &mut out {
            let member = state.merge.member.as_mut().expect("only members wait");
            member.let_go = state.path.steps;
            debug_assert_eq!(member.context, number);
        }
        out
    }

    fn become_one(&mut self, context: &mut Context<M>, group: &[Arrived<M>]) -> Result<State<M>, Apart> {
        let [first, .., _] = group else {
            return Ok(group[0].state.clone());
        };
        let member = first.state.merge.member.expect("only members wait");
        let merged = self.merge_states(&context.tree, &context.root, Mergeable::Same, group, context.merged)?;
        context.merged += 1;
        self.stats.merging.merges += 1;
        self.stats.merging.states += group.len() as u64;
        let Merged { mut state, leaves, .. } = merged;
        let clauses = state.path.condition.clauses().len();
        let node = context.tree.rejoin(&mut self.terms, &leaves, clauses);
        state.merge.member = Some(super::Member { node, ..member });
        Ok(state)
    }

    /// Groups of states that agree on all slots that are read later, in the order of the tree.
    fn equal_ones(&mut self, mut ready: Vec<Arrived<M>>) -> Vec<Vec<Arrived<M>>> {
        ready.sort_by_key(|waiting| waiting.node);
        let mut groups: Vec<(Vec<Value>, Vec<Arrived<M>>)> = Vec::new();
        let alone = ready.len() == 1;
        for waiting in ready {
            let values = if alone {
                Vec::new()
            } else {
                self.live_values(&waiting.state)
            };
            match groups.iter_mut().find(|(other, _)| *other == values) {
                Some((_, group)) => group.push(waiting),
                None => groups.push((values, vec![waiting])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn live_values(&mut self, state: &State<M>) -> Vec<Value> {
        let mut out = Vec::new();
        for (level, frame) in state.frames.iter().enumerate() {
            let live = self.live_slots(frame, level + 1 == state.frames.len());
            let values = frame.slots.iter().zip(live).filter(|(_, live)| *live);
            out.extend(values.map(|(&value, _)| match is_out_of_scope(state, value) {
                true => Value::Undef,
                false => value,
            }));
        }
        out
    }
}

/// The address of a variable that is out of scope: nothing can use it, and each time the scope is entered it is
/// another.
fn is_out_of_scope<M: Model>(state: &State<M>, value: Value) -> bool {
    matches!(value, Value::Ptr { base, .. } if state.memory.is_out_of_scope(base))
}

/// Removes from a context the waiting states whose counters are least.
fn least_far<M: Model>(context: &mut Context<M>) -> Vec<Arrived<M>> {
    let Region::Loop { region, .. } = &context.region else {
        return std::mem::take(&mut context.waiting);
    };
    let region = Rc::clone(region);
    let far = |waiting: &Arrived<M>| progress(&waiting.state, &region.counters);
    let least = context.waiting.iter().map(far).min();
    let (ready, later) = std::mem::take(&mut context.waiting)
        .into_iter()
        .partition(|waiting| Some(far(waiting)) == least);
    context.waiting = later;
    ready
}

fn progress<M: Model>(state: &State<M>, counters: &[Slot]) -> Vec<u64> {
    let far = |&slot: &Slot| match state.frame().slots[slot as usize] {
        Value::Int(n) => n,
        Value::Ptr { offset, .. } => offset,
        Value::Term(_) | Value::Undef => 0,
    };
    counters.iter().map(far).collect()
}
