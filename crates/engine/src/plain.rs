//! Inputs that are easy to read: of those that lead along a path, the shortest, and of these the plainest.
//!
//! First come sizes and numbers: zero if it can be, else as near to zero as can be. Then bytes of strings and buffers,
//! from the first on, so that a string ends as soon as it can: zero if it can be, else a letter, else what can be
//! printed. What has been decided holds for what follows. The path condition stays as it is: only the assignment
//! changes.

use crate::state::{Input, State};
use crate::worker::Worker;
use mneme_memory::{Model, Truth};
use mneme_program::Kind;
use mneme_term::{TermId, Value};
use std::time::{Duration, Instant};

/// How long the inputs of one test may take; then the rest stays as it is.
const LONGEST_CHOICE: Duration = Duration::from_millis(500);

/// A path whose inputs are being chosen.
struct Choosing<'a, 'w, M: Model> {
    worker: &'a mut Worker<'w, M>,
    state: State<M>,
    until: Instant,
}

impl<M: Model> Worker<'_, M> {
    /// The state with plain inputs; `None` where they are not asked for.
    pub(crate) fn plain(&mut self, state: &State<M>) -> Option<State<M>> {
        if !self.options.minimise || self.is_silent() {
            return None;
        }
        let mut choosing = Choosing {
            worker: self,
            state: state.clone(),
            until: Instant::now() + LONGEST_CHOICE,
        };
        choosing.choose();
        let inputs = choosing.state.path.condition.assignment().clone();
        let mut plain = state.clone();
        let nothing = self.terms.tru();
        plain.path.condition.assume(&mut self.terms, nothing, inputs);
        Some(plain)
    }
}

impl<M: Model> Choosing<'_, '_, M> {
    fn choose(&mut self) {
        let inputs = self.state.path.inputs.clone();
        let (numbers, texts): (Vec<&Input>, Vec<&Input>) = inputs.iter().partition(|input| self.unit(input) > 1);
        for input in inputs.iter() {
            if let Value::Term(len) = input.len {
                self.near_zero(len);
            }
        }
        for input in numbers {
            for bytes in input.bytes.chunks(self.unit(input)) {
                let number = bytes.iter().rev().copied();
                let number = number.reduce(|high, low| self.worker.terms.concat(high, low));
                number.into_iter().for_each(|number| self.near_zero(number));
            }
        }
        texts.into_iter().for_each(|input| self.plain_text(&input.bytes));
    }

    /// How many bytes of the input are a number; 1 for text and what has no type.
    fn unit(&self, input: &Input) -> usize {
        let program = self.worker.program;
        let mut next = input.c_type;
        while let Some(ty) = next {
            next = match program.kind(ty) {
                Kind::Array { of, .. } => Some(of),
                Kind::Base { bytes, .. } | Kind::Enum { bytes }
                    if (input.bytes.len() as u64).is_multiple_of(bytes.max(1)) =>
                {
                    return bytes as usize;
                }
                _ => None,
            };
        }
        1
    }

    fn value(&self, term: TermId) -> u64 {
        self.worker.evaluate(&self.state, term).low_u64()
    }

    /// Decides the term where it can have this value.
    fn try_value(&mut self, term: TermId, value: u64) -> bool {
        let width = self.worker.terms.width(term);
        let value = self.worker.terms.constant(width, value);
        let goal = self.worker.terms.eq(term, value);
        self.try_goal(goal)
    }

    /// Keeps to the goal from now on if the path allows it.
    fn try_goal(&mut self, goal: TermId) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() || self.worker.terms.is_false(goal) {
            return false;
        }
        match self.worker.may_within(&self.state, goal, left) {
            Truth::Sometimes(witness) => {
                let condition = &mut self.state.path.condition;
                condition.assume(&mut self.worker.terms, goal, witness);
                true
            }
            Truth::Never | Truth::Unknown(_) => false,
        }
    }

    /// Zero, or the least number, or the greatest of those that are negative in any case.
    fn near_zero(&mut self, term: TermId) {
        if self.worker.terms.symbols(term).is_empty() || self.try_value(term, 0) {
            return;
        }
        let width = self.worker.terms.width(term);
        let sign = self.worker.terms.extract(term, width - 1, 1);
        let positive = self.worker.terms.not(sign);
        let distance = match width == 1 || self.try_goal(positive) {
            true => term,
            false => self.worker.terms.not(term),
        };
        let (mut least, mut most) = (0, self.value(distance));
        while least < most && Instant::now() < self.until {
            // Small numbers are likely.
            let middle = match least {
                0 => most.min(1),
                _ => least + (most - least) / 2,
            };
            let bound = self.worker.terms.constant(width, middle);
            let goal = self.worker.terms.ule(distance, bound);
            match self.try_goal(goal) {
                true => most = self.value(distance),
                false => least = middle + 1,
            }
        }
        self.try_value(distance, most);
    }

    /// Zeros where they can be, in halves: much of an input usually is.
    fn plain_text(&mut self, bytes: &[TermId]) {
        let mut zeros = self.worker.terms.tru();
        for &byte in bytes {
            let zero = self.worker.terms.constant(8, 0);
            let is_zero = self.worker.terms.eq(byte, zero);
            zeros = self.worker.terms.and(zeros, is_zero);
        }
        if self.worker.terms.is_true(zeros) || self.try_goal(zeros) {
            return;
        }
        match bytes {
            &[byte] => self.plain_byte(byte),
            bytes => {
                let (first, last) = bytes.split_at(bytes.len().div_ceil(2));
                self.plain_text(first);
                self.plain_text(last);
            }
        }
    }

    /// A byte that cannot be zero.
    fn plain_byte(&mut self, byte: TermId) {
        if self.worker.terms.symbols(byte).is_empty() || self.try_value(byte, b'a'.into()) {
            return;
        }
        let classes = [(b'a', b'z'), (b'A', b'Z'), (b'0', b'9'), (b' ', b'~')];
        let _ = classes
            .into_iter()
            .any(|(first, last)| self.try_range(byte, first, last));
        let now = self.value(byte);
        self.try_value(byte, now);
    }

    fn try_range(&mut self, byte: TermId, first: u8, last: u8) -> bool {
        let (first, last) = (
            self.worker.terms.constant(8, first.into()),
            self.worker.terms.constant(8, last.into()),
        );
        let (above, below) = (self.worker.terms.uge(byte, first), self.worker.terms.ule(byte, last));
        let both = self.worker.terms.and(above, below);
        self.try_goal(both)
    }
}
