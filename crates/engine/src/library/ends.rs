//! How a program ends.

use crate::state::{Pending, Results, State};
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
        if state.first.is_some() {
            return self.one_ends(state, code);
        }
        state.exit_code = code;
        if self.options.check_leaks {
            self.leaks_at_exit(state);
        }
        while let Some(frame) = state.frames.pop() {
            if let Results::Served(served) | Results::Heard(served) = frame.results {
                state.serving.leave(served);
            }
        }
        let destructors = self.program.destructors.iter();
        let destructors = destructors.map(|&function| Pending::Call {
            function,
            args: Vec::new(),
        });
        let cleanup = self.handlers.cleanup.iter().rev();
        let cleanup = cleanup.map(|&function| Pending::Handler { function });
        state.pending = Rc::new(cleanup.chain(destructors).collect());
        Flow::On
    }
}
