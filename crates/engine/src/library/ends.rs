//! How a program ends.

use crate::state::{Pending, State};
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_term::Value;
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// `_exit`: no more handlers of `atexit`; destructors of the program still run, as they do after `exit`.
    pub(super) fn exit(&mut self, state: &mut State<M>, code: Value) -> Flow {
        if let Some(flow) = self.check_exit_code(state, code) {
            return flow;
        }
        state.exit_code = code;
        if self.options.check_leaks {
            self.leaks_at_exit(state);
        }
        state.frames.clear();
        let destructors = self.program.destructors.iter();
        let pending = destructors.map(|&function| Pending::Call {
            function,
            args: Vec::new(),
        });
        state.pending = Rc::new(pending.collect());
        Flow::On
    }
}
