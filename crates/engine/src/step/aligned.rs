//! Accesses whose address is not a multiple of what their type wants.
//!
//! Such an access is undefined but works on most machines, so the path goes on after the report. Objects count as
//! aligned for every type: where they lie is decided when a program is linked or runs, and only an offset in an object
//! is a fault of the program.

use crate::fast;
use crate::fault::Error;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Truth};
use mneme_program::Operand;
use mneme_term::{TermId, Value};
use rustc_hash::FxHashMap;

impl<M: Model> Worker<'_, M> {
    /// Reports the access of the current instruction if its address may not be a multiple of 2 to the power `align`.
    /// `None`: it goes on.
    pub(super) fn check_aligned(&mut self, state: &mut State<M>, ptr: Operand, align: u8) -> Option<Flow> {
        let runtime = self.program.function(state.frame().function).runtime;
        if !self.options.check_alignment || align == 0 || runtime {
            return None;
        }
        let error = Error::Misaligned { align: 1 << align };
        let guard = match self.get(state, ptr) {
            Value::Ptr { offset, .. } if !fast::is_aligned(offset, align) => {
                self.error_going_on(state, &error);
                return None;
            }
            Value::Term(term) if self.terms.has_base(term) => self.misaligned(term, align),
            _ => return None,
        };
        if self.terms.is_false(guard) || self.may_be_undefined(guard) {
            return None;
        }
        if self.is_trial() {
            return self.doubt(state, guard);
        }
        self.report_where(state, guard, &error)
    }

    /// Reports an error that does not end the path, where the condition can hold. `None`: the path goes on.
    pub(crate) fn report_where(&mut self, state: &mut State<M>, guard: TermId, error: &Error) -> Option<Flow> {
        match self.may(state, guard) {
            Truth::Never => None,
            Truth::Unknown(why) => Some(self.unanswered(state, why)),
            Truth::Sometimes(witness) => {
                let mut faulty = state.clone();
                faulty.path.condition.assume(&mut self.terms, guard, witness);
                self.error_going_on(&faulty, error);
                None
            }
        }
    }

    /// The condition that an offset in an object has low bits.
    fn misaligned(&mut self, pointer: TermId, align: u8) -> TermId {
        let zero = self.terms.constant(self.pointer_width(), 0);
        let mut aligned = FxHashMap::default();
        for base in self.terms.bases(pointer).to_vec() {
            aligned.insert(self.terms.base(base), zero);
        }
        let offset = self.terms.substitute_map(pointer, &aligned);
        let low = self.terms.extract(offset, 0, align.into());
        let zero = self.terms.constant(align.into(), 0);
        self.terms.ne(low, zero)
    }
}
