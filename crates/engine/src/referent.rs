//! Which object a pointer refers to on one side of a fork, recorded for readers of the path: later its value is gone.
//! Where nothing forks, the inputs of a finding say which object it is, and the pointer is kept until then.
//!
//! Read from the pointer's own cases under the assignment of that side, so no model is involved.

use crate::state::{Meant, State};
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_program::{Callee, Inst, Operand};
use mneme_term::{BaseId, BaseKind, Evaluator, TermId, Value};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many pointers are remembered.
const MOST_MEANT: usize = 32;

impl<M: Model> Worker<'_, M> {
    /// The object of the first pointer of the current instruction that may refer to several.
    pub(crate) fn referent(&mut self, state: &State<M>) -> Option<BaseId> {
        let pointers = self.pointers(state);
        pointers.into_iter().find_map(|operand| match self.get(state, operand) {
            Value::Term(term) => self.chosen(state, term),
            _ => None,
        })
    }

    /// Records a pointer that may refer to several objects.
    pub(crate) fn remember_pointer(&mut self, state: &mut State<M>, pointer: Value) {
        let Value::Term(pointer) = pointer else { return };
        let (function, pc) = (state.frame().function, state.frame().pc);
        if self.program.function(function).runtime || self.is_trial() || !self.terms.has_base(pointer) {
            return;
        }
        let cases = self.terms.cases(pointer);
        let several = cases.iter().filter(|case| case.base.is_some()).count() > 1;
        if !several || state.notes.meant.iter().any(|meant| meant.pointer == pointer) {
            return;
        }
        let meant = Meant {
            steps: state.path.steps,
            function,
            pc,
            pointer,
        };
        let all = Rc::make_mut(&mut state.notes.meant);
        if all.len() == MOST_MEANT {
            all.remove(0);
        }
        all.push(meant);
    }

    /// The operands of the current instruction that may choose between objects.
    fn pointers(&self, state: &State<M>) -> SmallVec<[Operand; 2]> {
        let mut pointers = SmallVec::new();
        let frame = state.frame();
        let function = self.program.function(frame.function);
        match function.code.get(frame.pc as usize) {
            Some(&Inst::Load { ptr, .. } | &Inst::Store { ptr, .. } | &Inst::MemSet { dst: ptr, .. }) => {
                pointers.push(ptr);
            }
            Some(&Inst::MemCopy { dst, src, .. }) => pointers.extend([dst, src]),
            Some(&Inst::Call { call }) => {
                let call = &function.calls[call.index()];
                match call.callee {
                    Callee::Indirect(pointer) => pointers.push(pointer),
                    Callee::Direct(_) => {
                        let width = self.pointer_width();
                        let wide = call.args.iter().filter(|arg| arg.ty.width() == width);
                        pointers.extend(wide.map(|arg| arg.value));
                    }
                }
            }
            _ => {}
        }
        pointers
    }

    pub(crate) fn chosen(&mut self, state: &State<M>, pointer: TermId) -> Option<BaseId> {
        if self.terms.width(pointer) != self.pointer_width() || !self.terms.has_base(pointer) {
            return None;
        }
        let cases = self.terms.cases(pointer);
        let bases = state.memory.bases();
        let address = |base| bases.concrete_address(base);
        let model = state.path.condition.assignment().with_addresses(&address);
        let mut values = Evaluator::new(&self.terms, &model);
        if let [only] = &*cases
            && only.base.is_some()
        {
            return None;
        }
        match cases.iter().find(|case| values.eval_bool(case.guard))?.base {
            Some(base) => Some(base),
            None => self.object_at(state, values.eval(pointer).low_u64()),
        }
    }

    /// What lives at an address.
    fn object_at(&self, state: &State<M>, address: u64) -> Option<BaseId> {
        let kinds = [BaseKind::Heap, BaseKind::Stack, BaseKind::Global, BaseKind::Function];
        let covers = |&base: &BaseId| {
            state.memory.header(base).is_some_and(
                |header| matches!(header.size, Value::Int(size) if address.wrapping_sub(header.address) < size),
            )
        };
        kinds
            .into_iter()
            .find_map(|kind| state.memory.alive(kind).into_iter().find(covers))
    }
}
