//! What a worker asks: whether a condition can hold on a path, which value a term has, and what memory does.

use crate::frontier::Guidance;
use crate::state::{Stack, State};
use crate::then::Then;
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Cx, Heap, Model, Truth};
use mneme_solver::{Answer, Budget, Patience, Query};
use mneme_term::{Assignment, Bits, TermId, Value};
use std::time::{Duration, Instant};

impl<M: Model> Worker<'_, M> {
    pub(crate) fn budget(&self) -> Budget {
        let left = self
            .options
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let time = match (left, self.options.solver_timeout) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Budget {
            time,
            ..Budget::UNLIMITED
        }
    }

    /// Can `condition` hold on the path?
    pub fn may(&mut self, state: &State<M>, condition: TermId) -> Truth {
        self.may_with(state, condition, self.budget())
    }

    /// The same, within a time limit.
    pub fn may_within(&mut self, state: &State<M>, condition: TermId, most: Duration) -> Truth {
        let mut budget = self.budget();
        budget.time = budget
            .time
            .map(|time| time.min(most))
            .or((most < Duration::MAX).then_some(most));
        self.may_with(state, condition, budget)
    }

    /// The same, if the solver need not think about it for longer.
    pub(crate) fn may_soon(&mut self, state: &State<M>, condition: TermId, patience: Patience) -> Truth {
        let budget = Budget {
            patience,
            ..self.budget()
        };
        self.may_with(state, condition, budget)
    }

    fn may_with(&mut self, state: &State<M>, condition: TermId, budget: Budget) -> Truth {
        let hint = state.path.condition.assignment().clone();
        let query = Query {
            assumptions: state.path.condition.clauses(),
            goal: condition,
            bases: state.memory.bases(),
            hint: Some(&hint),
        };
        match self.solver.check(&mut self.terms, &query, budget) {
            Answer::Sat(witness) => Truth::Sometimes(witness),
            Answer::Unsat => Truth::Never,
            Answer::Unknown(why) => Truth::Unknown(why),
        }
    }

    /// Runs a memory operation on the state's memory.
    pub fn with_memory<T>(&mut self, state: &mut State<M>, act: impl FnOnce(Heap<M>, &mut Cx) -> T) -> T {
        let budget = self.budget();
        let mut cx = Cx {
            terms: &mut self.terms,
            solver: &mut *self.solver,
            path: &state.path.condition,
            budget,
            counters: &mut self.counters,
            site: mneme_memory::NO_SITE,
            // What a function is given is made before it begins.
            at: state.frames.last().map_or(0, |frame| frame.instruction()),
            calls: &Stack(&state.frames),
            seen: &state.addresses.seen,
        };
        state.leaks.held.forget();
        act(std::mem::take(&mut state.memory), &mut cx)
    }

    /// The same for an operation that only changes the memory.
    pub fn change_memory(&mut self, state: &mut State<M>, change: impl FnOnce(&mut Heap<M>, &mut Cx)) {
        state.memory = self.with_memory(state, |mut memory, cx| {
            change(&mut memory, cx);
            memory
        });
    }

    /// The value of `term` under the state's assignment.
    pub fn evaluate(&self, state: &State<M>, term: TermId) -> Bits {
        self.evaluate_with(state, term, state.path.condition.assignment())
    }

    pub(crate) fn evaluate_with(&self, state: &State<M>, term: TermId, assignment: &Assignment) -> Bits {
        let bases = state.memory.bases();
        let address = |b| bases.concrete_address(b);
        self.terms.eval(term, &assignment.with_addresses(&address))
    }

    /// One value for a term that must be concrete; the path is narrowed to it. Counted, since other values are lost.
    pub fn concretise(&mut self, state: &mut State<M>, value: Value, width: u32) -> u64 {
        match value {
            Value::Int(n) => n,
            Value::Ptr { base, offset } => match state.addresses.seen.iter().find(|seen| seen.base == base) {
                Some(seen) => {
                    let offset = self.terms.constant(width, offset);
                    let address = self.terms.add(seen.address, offset);
                    self.concretise(state, Value::Term(address), width)
                }
                None => {
                    self.lose_other_addresses(state, base);
                    state.memory.expose(base).wrapping_add(offset)
                }
            },
            Value::Undef => 0,
            Value::Term(term) => {
                self.expose_seen(state, term);
                let number = match self.at_point(state) {
                    Guidance::Free => self.choose(state, term),
                    Guidance::Ways(ways) => self.choose_again(state, term, &ways),
                    Guidance::Determined | Guidance::Lost => self.evaluate(state, term).low_u64(),
                };
                debug_assert!(width >= 64 || number >> width == 0);
                number
            }
        }
    }

    fn choose(&mut self, state: &mut State<M>, term: TermId) -> u64 {
        let bits = match state.path.seeds.values().next() {
            Some(values) => self.evaluate_with(state, term, values),
            None => self.evaluate(state, term),
        };
        if self.terms.as_bits(term).is_none() {
            let constant = self.terms.constant_bits(&bits);
            let equal = self.terms.eq(term, constant);
            let other = self.terms.not(equal);
            if !self.terms.is_true(equal) && !matches!(self.may(state, other), Truth::Never) {
                self.lose_values(state);
                let witness = state.path.condition.assignment().clone();
                self.narrow_to(state, equal, witness);
                state.decide(Choice::Value(bits.low_u64()));
            }
        }
        bits.low_u64()
    }

    /// Keeps only the inputs for which `condition` holds; the others are excluded, not lost.
    pub fn restrict(&mut self, state: &mut State<M>, condition: TermId, then: Then) -> Flow {
        if self.terms.is_true(condition) {
            self.resume(state, then);
            return Flow::On;
        }
        match self.may(state, condition) {
            Truth::Never => {
                self.stats.paths.excluded += 1;
                Flow::End
            }
            Truth::Sometimes(witness) => {
                self.narrow_to(state, condition, witness);
                self.resume(state, then);
                Flow::On
            }
            Truth::Unknown(why) => self.unanswered(state, why),
        }
    }
}
