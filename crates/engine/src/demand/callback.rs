//! Functions that a caller passes: nothing is known of what they do.
//!
//! A call of one returns anything, a new input, and changes nothing: less than such a function may do, which is counted.
//! A test brings along a function that returns the same values, one after another.

use super::birth::Want;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Call, Scalar, ScalarKind};
use mneme_term::{Sort, Tracer, Value};
use std::rc::Rc;

/// What a call has returned.
#[derive(Clone, PartialEq)]
pub(super) struct Returned {
    pub value: Value,
    pub scalar: Scalar,
}

impl Returned {
    pub(super) fn trace(&self, tracer: &mut Tracer) {
        tracer.value(self.value);
    }
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn call_back(&mut self, state: &mut State<M>, call: &Call, pointer: &str) -> Flow {
        if self.is_trial() {
            return self.irregular("it calls a function that is not executed");
        }
        let known = |scalar: &Scalar| matches!(scalar.kind, ScalarKind::Int | ScalarKind::Pointer);
        let fits = call.results.len() <= 1 && call.results.iter().all(|scalar| known(scalar) && scalar.bits <= 64);
        // Two functions, or two C libraries, call it in an order of their own.
        let of_library = self.program.function(state.frame().function).runtime;
        if !fits || of_library || state.first.is_some() {
            return self.unsupported(state, "a function of which nothing is known");
        }
        let what = "functions that the caller passes return anything and change nothing";
        *self.stats.approximated.entry(what).or_default() += 1;
        if call.noreturn {
            self.stats.paths.excluded += 1;
            return Flow::End;
        }
        let Some(&scalar) = call.results.first() else {
            self.resume(state, Then::Advance);
            return Flow::On;
        };
        let number = state.demand.returned.len() + 1;
        let name = format!("{pointer}()#{number}");
        let value = match scalar.kind {
            ScalarKind::Pointer => {
                let which = self.input(state, &name, Sort::Bits(8), 1, None);
                let want = Want {
                    name: &name,
                    to: None,
                    depth: 0,
                    nonnull: false,
                    restrict: false,
                    least: 0,
                };
                self.unknown_pointer(state, which, want)
            }
            _ => {
                let bytes = scalar.bytes();
                let whole = self.input(state, &name, Sort::Bits(8 * bytes), bytes.into(), None);
                let low = self.terms.extract(whole, 0, scalar.width());
                Some(self.terms.to_value(low))
            }
        };
        let Some(value) = value else {
            return self.no_room(state);
        };
        Rc::make_mut(&mut state.demand.returned).push(Returned { value, scalar });
        state.frame_mut().slots[call.dst as usize] = value;
        self.resume(state, Then::Advance);
        Flow::On
    }
}
