//! Offsets that are added to null pointers. The result is undefined even if nobody follows it; since machines compute it
//! all the same, the path goes on after the report. Where the next instruction follows the pointer, that is the error.

use crate::fault::Error;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Inst, Operand};
use mneme_term::Value;

impl<M: Model> Worker<'_, M> {
    /// Reports the pointer arithmetic of the current instruction if its base is null and its result, which goes to
    /// `dst`, may be something else. `None`: it goes on.
    pub(super) fn check_null_offset(
        &mut self,
        state: &mut State<M>,
        base: Value,
        result: Value,
        dst: u32,
    ) -> Option<Flow> {
        if !self.options.check_null_offsets || base != Value::ZERO || self.is_unwatched(state, dst) {
            return None;
        }
        let guard = match result {
            Value::Int(0) | Value::Undef => return None,
            Value::Int(_) | Value::Ptr { .. } => {
                self.error_going_on(state, &Error::NullOffset);
                return None;
            }
            Value::Term(term) => {
                let null = self.terms.constant(self.pointer_width(), 0);
                self.terms.ne(term, null)
            }
        };
        if self.may_be_undefined(guard) {
            return None;
        }
        if self.is_trial() {
            return self.doubt(state, guard);
        }
        self.report_where(state, guard, &Error::NullOffset)
    }

    /// The runtime's own arithmetic, and pointers that the next instruction follows.
    fn is_unwatched(&self, state: &State<M>, dst: u32) -> bool {
        let frame = state.frame();
        let function = self.program.function(frame.function);
        let followed = match function.code.get(frame.pc as usize + 1) {
            Some(Inst::Load { ptr, .. } | Inst::Store { ptr, .. }) => *ptr == Operand::slot(dst),
            _ => false,
        };
        followed || function.runtime
    }
}
