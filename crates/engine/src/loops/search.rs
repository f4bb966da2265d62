//! Exits without a closed form: a counter κ that has exactly one value for every input.

use super::courses::put;
use super::first::{COUNT, First};
use super::iteration::Why;
use super::leaving::Leaving;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Model, Truth};
use mneme_term::{Assignment, Bits, Sort, Symbol, SymbolId, SymbolKind, TermId};
use std::rc::Rc;
use std::time::Duration;

/// A quantified condition with at most this many instances is written out.
const WRITTEN_OUT: u64 = 256;
/// Searches over at most this many places are executed: a path for each costs less than continuing with a symbolic
/// place.
pub(super) const FEW_PLACES: u64 = 64;
/// Searches that may go farther are executed: evaluating a quantified condition means counting.
const FARTHEST: u64 = 1 << 12;
/// The most nodes of all instances of a search's condition.
const LARGEST_SEARCH: u64 = 1 << 13;
/// How long the solver may take for one exit of a search with a quantified condition.
const PROBE: Duration = Duration::from_millis(500);

pub(super) struct Counter {
    pub symbol: SymbolId,
    /// It is at most this.
    pub limit: TermId,
    /// The condition that the search continues in iteration τ.
    pub goes_on: TermId,
    pub tau: SymbolId,
    pub definition: TermId,
}

impl<M: Model> Worker<'_, M> {
    /// A counter for the exits without a closed form.
    pub(super) fn counter(
        &mut self,
        state: &State<M>,
        leavings: &[Leaving],
        valid: TermId,
        limit: First,
        tau: SymbolId,
    ) -> Result<Option<Counter>, Why> {
        let searched: Vec<TermId> = leavings.iter().filter_map(|leaving| leaving.goes_on).collect();
        if searched.is_empty() {
            return Ok(None);
        }
        let most = self
            .most(state, leavings, valid, limit.index)
            .ok_or("a search without a small bound")?;
        if most <= FEW_PLACES {
            return Err("a search over few places");
        }
        let terms = &mut self.terms;
        let goes_on = searched.into_iter().fold(terms.tru(), |all, one| terms.and(all, one));
        if u64::from(terms.depth_or_size(goes_on)).saturating_mul(most) > LARGEST_SEARCH {
            return Err("a search that is too hard for the solver");
        }
        let symbol = terms.symbol_id(Symbol {
            name: format!("iterations!{}", state.loops.summaries),
            kind: SymbolKind::Fresh,
            sort: Sort::Bits(COUNT),
        });
        let count = terms.symbol(symbol);
        let within = terms.ule(count, limit.index);
        let before = match most {
            most if most <= WRITTEN_OUT => {
                let mut all = terms.tru();
                for index in 0..most {
                    let index = terms.constant(COUNT, index);
                    let here = put(terms, goes_on, tau, index);
                    let counted = terms.ult(index, count);
                    let holds = terms.implies(counted, here);
                    all = terms.and(all, holds);
                }
                all
            }
            _ => terms.forall(tau, count, goes_on),
        };
        let ends = terms.eq(count, limit.index);
        let here = put(terms, goes_on, tau, count);
        let found = terms.not(here);
        let stops = terms.or(ends, found);
        let mut definition = terms.and(within, before);
        definition = terms.and(definition, stops);
        Ok(Some(Counter {
            symbol,
            limit: limit.index,
            goes_on,
            tau,
            definition: terms.implies(valid, definition),
        }))
    }

    /// The greatest number of iterations, if it is small.
    pub(super) fn most(&mut self, state: &State<M>, leavings: &[Leaving], valid: TermId, limit: TermId) -> Option<u64> {
        let sure = leavings
            .iter()
            .filter(|leaving| self.terms.is_true(leaving.first.exists))
            .map(|leaving| self.terms.range(leaving.first.index).1)
            .min();
        if sure.is_some_and(|most| most <= WRITTEN_OUT) {
            return sure;
        }
        let steps = [FEW_PLACES, WRITTEN_OUT, FARTHEST];
        self.at_most(state, valid, limit, &steps)
    }

    /// The first of some numbers that the number of iterations cannot exceed.
    pub(super) fn at_most(&mut self, state: &State<M>, valid: TermId, limit: TermId, steps: &[u64]) -> Option<u64> {
        steps.iter().copied().find(|&most| {
            let most = self.terms.constant(COUNT, most);
            let more = self.terms.ult(most, limit);
            let more = self.terms.and(valid, more);
            matches!(self.may(state, more), Truth::Never)
        })
    }

    /// Can the solver tell quickly which exits are feasible? A quantified condition may be too much for it.
    pub(super) fn is_decidable(&mut self, state: &State<M>, counter: Option<&Counter>, guards: &[TermId]) -> bool {
        let Some(counter) = counter.filter(|counter| self.terms.has_forall(counter.definition)) else {
            return true;
        };
        let mut defined = state.clone();
        let assignment = self.with_count(state, counter, state.path.condition.assignment());
        defined
            .path
            .condition
            .assume(&mut self.terms, counter.definition, assignment);
        guards
            .iter()
            .all(|&guard| !matches!(self.may_within(&defined, guard, PROBE), Truth::Unknown(_)))
    }

    /// Values of inputs, together with the counter that they determine.
    pub(super) fn with_count(&self, state: &State<M>, counter: &Counter, values: &Assignment) -> Rc<Assignment> {
        let bases = state.memory.bases();
        let address = |b| bases.concrete_address(b);
        let mut values = values.clone();
        let limit = self.terms.eval_u64(counter.limit, &values.with_addresses(&address));
        // Where the summary does not apply, any number will do.
        let limit = limit.min(FARTHEST);
        let mut goes_on = |count: &u64| {
            values.values.insert(counter.tau, Bits::new(COUNT, *count));
            self.terms.eval_bool(counter.goes_on, &values.with_addresses(&address))
        };
        let count = (0..limit).find(|count| !goes_on(count)).unwrap_or(limit);
        values.values.remove(&counter.tau);
        values.values.insert(counter.symbol, Bits::new(COUNT, count));
        Rc::new(values)
    }
}
