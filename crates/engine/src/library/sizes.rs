//! Symbolic sizes of objects and inputs (thesis §5.2.1): kept within a capacity, forked over, or fixed to the greatest.
//!
//! Everything about a size is decided here, before memory is involved: a size returned by [`Worker::size`] is a number,
//! or a term that the path keeps within limits. Where paths fork for that, the instruction is executed again.

use super::alloc::LARGEST_OBJECT;
use crate::commit::{Ending, Outcome};
use crate::frontier::Guidance;
use crate::options::Sizes;
use crate::state::State;
use crate::then::Then;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason, Truth, largest_symbolic};
use mneme_term::{TermId, Value};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// The size of an object in bytes, or of an input. Where it is larger than any object, the path stops, or continues
    /// with the `refusal`.
    pub(crate) fn size(&mut self, state: &mut State<M>, size: Value, refusal: Option<Then>) -> Result<Value, Flow> {
        if let Value::Int(_) = size {
            return Ok(size);
        }
        let size = self.term(size, self.pointer_width());
        if let Some(flow) = self.check_defined(state, size) {
            return Err(flow);
        }
        let sizes = self.options.sizes;
        if sizes == Sizes::Max {
            return self.greatest_size(state, size).map(Value::Int);
        }
        self.limit(state, size, refusal)?;
        let here = self.evaluate(state, size).low_u64();
        let number = self.terms.constant(self.pointer_width(), here);
        let same = self.terms.eq(size, number);
        let other = self.terms.not(same);
        match (self.may(state, other), sizes) {
            (Truth::Never, _) => Ok(Value::Int(here)),
            (Truth::Unknown(why), Sizes::Eager) => Err(self.unanswered(state, why)),
            (_, Sizes::Eager) => Err(self.fork(state, same, Ending::Go(Then::Again), Ending::Go(Then::Again))),
            _ => {
                self.note_size(size);
                Ok(Value::Term(size))
            }
        }
    }

    /// Keeps the part of the path where `size` is within the capacity. The rest is refused or stops.
    fn limit(&mut self, state: &mut State<M>, size: TermId, refusal: Option<Then>) -> Result<(), Flow> {
        let width = self.pointer_width();
        let capacity = self.capacity(state, size);
        let limit = self.terms.constant(width, capacity);
        let larger = self.terms.ult(limit, size);
        if matches!(self.may(state, larger), Truth::Never) {
            return Ok(());
        }
        let fits = self.terms.not(larger);
        let mut ways = vec![(fits, Ending::Go(Then::Again))];
        let stop = Ending::Stop(Reason::Capacity);
        match refusal {
            Some(refusal) => {
                let largest = self.terms.constant(width, LARGEST_OBJECT);
                let refused = self.terms.ult(largest, size);
                let granted = self.terms.not(refused);
                ways.push((self.terms.and(larger, granted), stop));
                ways.push((refused, Ending::Go(refusal)));
            }
            None => ways.push((larger, stop)),
        }
        ways.retain(|(guard, _)| !self.terms.is_false(*guard));
        let outcomes = ways.into_iter().map(|(guard, end)| Outcome::new(guard, end));
        Err(self.commit(state, outcomes.collect()))
    }

    /// The most that `size` may be.
    fn capacity(&mut self, state: &mut State<M>, size: TermId) -> u64 {
        match self.options.sizes == Sizes::Symbolic && !M::BOUNDED_SIZES {
            true => largest_symbolic(self.pointer_width()),
            false => self.bounded_capacity(state, size),
        }
    }

    /// The user's capacity, doubled until the path allows a size within it. If that was once necessary, the path uses
    /// as much for later objects of the same site.
    pub(super) fn bounded_capacity(&mut self, state: &mut State<M>, size: TermId) -> u64 {
        let width = self.pointer_width();
        let largest = largest_symbolic(width);
        let given = self.options.capacity.clamp(1, largest);
        let place = state.frame().instruction();
        let learnt = state.allocations.capacities.get(&place).copied().unwrap_or(given);
        let mut capacity = learnt;
        while capacity < largest {
            let limit = self.terms.constant(width, capacity);
            let fits = self.terms.ule(size, limit);
            if !matches!(self.may(state, fits), Truth::Never) {
                break;
            }
            capacity = capacity.saturating_mul(2).min(largest);
        }
        if capacity > learnt {
            Rc::make_mut(&mut state.allocations.capacities).insert(place, capacity);
        }
        capacity
    }

    /// A bound of a size within limits, not much larger than the least bound.
    pub(super) fn bound(&mut self, state: &mut State<M>, size: TermId) -> Result<u64, Flow> {
        let width = self.pointer_width();
        let mut bound = 64;
        loop {
            let limit = self.terms.constant(width, bound);
            let larger = self.terms.ult(limit, size);
            match self.may(state, larger) {
                Truth::Never => return Ok(bound),
                Truth::Sometimes(_) => bound *= 8,
                Truth::Unknown(why) => return Err(self.unanswered(state, why)),
            }
        }
    }

    /// Fixes a symbolic size to its greatest possible value up to the capacity; the path is narrowed to it, and that is
    /// counted.
    fn greatest_size(&mut self, state: &mut State<M>, size: TermId) -> Result<u64, Flow> {
        match self.at_point(state) {
            Guidance::Free => {}
            Guidance::Ways(ways) => return Ok(self.choose_again(state, size, &ways)),
            Guidance::Determined | Guidance::Lost => return Ok(self.evaluate(state, size).low_u64()),
        }
        let width = self.pointer_width();
        let mut most = self.capacity(state, size);
        let limit = self.terms.constant(width, most);
        let small = self.terms.ule(size, limit);
        let mut witness = match self.may(state, small) {
            Truth::Sometimes(witness) => witness,
            Truth::Never => {
                self.abandon(state, &Reason::Capacity);
                return Err(Flow::End);
            }
            Truth::Unknown(why) => return Err(self.unanswered(state, why)),
        };
        let value_in = |worker: &Self, witness: &mneme_term::Assignment| {
            let bases = state.memory.bases();
            let address = |b| bases.concrete_address(b);
            worker.terms.eval_u64(size, &witness.with_addresses(&address))
        };
        let mut least = value_in(self, &witness);
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            let low = self.terms.constant(width, middle);
            let above = self.terms.uge(size, low);
            let both = self.terms.and(above, small);
            match self.may(state, both) {
                Truth::Sometimes(better) => {
                    least = value_in(self, &better);
                    witness = better;
                }
                Truth::Never => most = middle - 1,
                Truth::Unknown(_) => break,
            }
        }
        let chosen = self.terms.constant(width, least);
        let equal = self.terms.eq(size, chosen);
        let other = self.terms.not(equal);
        if !matches!(self.may(state, other), Truth::Never) {
            self.stats.sizes_fixed += 1;
            self.narrow_to(state, equal, witness);
            state.decide(Choice::Value(least));
        }
        Ok(least)
    }
}
