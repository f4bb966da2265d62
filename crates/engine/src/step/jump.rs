//! `setjmp` and `longjmp`. A frame remembers the places where it called `setjmp`; the buffer holds the number of one. `longjmp` looks for
//! the frame that knows the number: frames that returned know nothing any more, and buffers may be copied.

use crate::fault::Error;
use crate::state::{Mark, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{Death, Memory};
use mneme_term::Value;
use std::cell::Cell;
use std::rc::Rc;

/// Which word of the buffer holds the number. Code around `__builtin_setjmp` fills others by itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Buffer {
    Library,
    Builtin,
}

impl<M: Memory> Worker<'_, M> {
    fn mark_place(&mut self, buffer: Value, kind: Buffer) -> Value {
        match kind {
            Buffer::Library => buffer,
            Buffer::Builtin => {
                let word = u64::from(self.pointer().bytes());
                self.displace(buffer, Value::Int(word))
            }
        }
    }

    /// The first return of `setjmp`, with 0.
    pub fn set_jump(&mut self, state: &mut State<M>, buffer: Value, kind: Buffer, dst: Option<u32>) -> Flow {
        let (pc, number) = (state.frame().pc, state.marks + 1);
        let known = state
            .frame()
            .marks
            .iter()
            .find(|mark| mark.pc == pc)
            .map(|mark| mark.number);
        let number = known.unwrap_or_else(|| {
            state.marks = number;
            state.frame_mut().marks.push(Mark { number, pc, dst });
            number
        });
        let (place, word) = (self.mark_place(buffer, kind), self.pointer());
        let number = Value::Int(u64::from(number));
        let branches = self.with_memory(state, |memory, cx| memory.store(cx, place, word, number));
        self.commit_memory(state, branches, move |state, ()| {
            if let Some(dst) = dst {
                state.set(dst, Value::ZERO);
            }
            state.advance();
        })
    }

    /// Returns from `setjmp` again: everything called since is gone.
    pub fn long_jump(&mut self, state: &mut State<M>, buffer: Value, kind: Buffer, value: Value) -> Flow {
        let (place, word) = (self.mark_place(buffer, kind), self.pointer());
        let place = match self.defined_pointer(state, place) {
            Ok(place) => place,
            Err(flow) => return flow,
        };
        let branches = self.with_memory(state, |memory, cx| memory.load(cx, place, word));
        if branches.len() > 1 {
            return self.unsupported(state, "`longjmp` with a symbolic buffer");
        }
        let number = Cell::new(None);
        let flow = self.commit_memory(state, branches, |_, value| number.set(Some(value)));
        if flow != Flow::On {
            return flow;
        }
        let Some(Value::Int(number)) = number.get() else {
            return self.fail(
                state,
                Error::InvalidCall("`longjmp` with a buffer that `setjmp` did not fill".into()),
            );
        };
        let knows = |mark: &Mark| u64::from(mark.number) == number;
        let Some(index) = state.frames.iter().rposition(|frame| frame.marks.iter().any(knows)) else {
            let what = "`longjmp` into a function that has returned, or that never called `setjmp`";
            return self.fail(state, Error::InvalidCall(what.into()));
        };
        for frame in state.frames.split_off(index + 1).into_iter().rev() {
            for &base in &frame.locals {
                state.memory.end(base, Death::Return);
            }
        }
        let frame = Rc::make_mut(&mut state.frames[index]);
        let mark = frame
            .marks
            .iter()
            .find(|mark| knows(mark))
            .copied()
            .expect("found before");
        frame.pc = mark.pc + 1;
        if let Some(dst) = mark.dst {
            frame.slots[dst as usize] = value;
        }
        Flow::On
    }
}
