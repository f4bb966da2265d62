//! `__builtin_return_address` and `__builtin_frame_address`.

use crate::image::{OwnSite, own_site};
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{Alloc, Init, Model};
use mneme_program::Intrinsic;
use mneme_term::{BaseKind, Value};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// The place after the call in the caller: inside its function, and different for each call.
    pub(super) fn return_address(&self, state: &State<M>, level: Value) -> Value {
        let Value::Int(level) = level else { return Value::ZERO };
        let caller = (level as usize)
            .checked_add(2)
            .and_then(|up| state.frames.len().checked_sub(up));
        caller.map_or(Value::ZERO, |index| {
            let frame = &state.frames[index];
            Value::Ptr {
                base: self.image.function_bases[frame.function.index()],
                offset: u64::from(frame.pc) + 1,
            }
        })
    }

    /// The first stack object of the frame, or one made for it.
    pub(super) fn frame_address(&mut self, state: &mut State<M>, intrinsic: &Intrinsic, level: Value) -> Flow {
        let index = match level {
            Value::Int(level) => (level as usize)
                .checked_add(1)
                .and_then(|up| state.frames.len().checked_sub(up)),
            _ => None,
        };
        let Some(index) = index else {
            return self.results(state, intrinsic, &[Value::ZERO]);
        };
        if let Some(&base) = state.frames[index].locals.first() {
            return self.results(state, intrinsic, &[Value::Ptr { base, offset: 0 }]);
        }
        let word = u64::from(self.pointer().bytes());
        let what = Alloc {
            kind: BaseKind::Stack,
            size: Value::Int(2 * word),
            align: 16,
            site: own_site(self.program, OwnSite::Frame),
            init: Init::Undefined,
        };
        let branches = self.with_memory(state, |memory, cx| memory.alloc(cx, what));
        match self.sole(state, branches) {
            Ok(address) => {
                if let Value::Ptr { base, .. } = address {
                    Rc::make_mut(&mut state.frames[index]).locals.push(base);
                }
                self.results(state, intrinsic, &[address])
            }
            Err(flow) => flow,
        }
    }
}
