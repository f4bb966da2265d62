//! `setjmp` and `longjmp`. A frame keeps the places where it called `setjmp`; the buffer holds the number of one.
//! `longjmp` looks for the frame that knows the number: frames that have returned are gone, and buffers may be copied.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fault::Error;
use crate::state::{Frame, Mark, State};
use crate::then::{Task, Then};
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_term::{TermId, Value};
use std::rc::Rc;

const GONE: &str = "`longjmp` into a function that has returned, or that never called `setjmp`";

/// Which word of the buffer holds the number. Code around `__builtin_setjmp` fills others by itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Buffer {
    Library,
    Builtin,
}

impl<M: Model> Worker<'_, M> {
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
            .marks()
            .iter()
            .find(|mark| mark.pc == pc)
            .map(|mark| mark.number);
        let number = known.unwrap_or_else(|| {
            state.marks = number;
            state.frame_mut().rare_mut().marks.push(Mark { number, pc, dst });
            number
        });
        let (place, word) = (self.mark_place(buffer, kind), self.pointer());
        let number = Value::Int(u64::from(number));
        let branches = self.with_memory(state, |memory, cx| memory.store(cx, place, word.bytes(), number));
        let then = dst.map_or(Then::Advance, |dst| Then::Give(dst, Value::ZERO));
        self.commit_memory(state, branches, |()| then.clone())
    }

    /// Returns from `setjmp` again: everything called since is gone.
    pub fn long_jump(&mut self, state: &mut State<M>, buffer: Value, kind: Buffer, value: Value) -> Flow {
        let (place, word) = (self.mark_place(buffer, kind), self.pointer());
        let place = match self.defined_pointer(state, place) {
            Ok(place) => place,
            Err(flow) => return flow,
        };
        let branches = self.with_memory(state, |memory, cx| memory.load(cx, place, word.bytes()));
        let number = Value::Undef;
        state.task = Some(Rc::new(Task::Jump { number, value }));
        self.commit_memory(state, branches, Then::Deliver)
    }

    pub(crate) fn long_jump_to(&mut self, state: &mut State<M>, number: Value, value: Value) -> Flow {
        match number {
            Value::Int(number) => match return_again(state, number, value) {
                true => Flow::On,
                false => self.fail(state, Error::InvalidCall(GONE.into())),
            },
            Value::Term(number) if !self.terms.has_uninit(number) => self.long_jump_to_one(state, number, value),
            _ => {
                let what = "`longjmp` with a buffer that `setjmp` did not fill";
                self.fail(state, Error::InvalidCall(what.into()))
            }
        }
    }

    /// Which of the calls of `setjmp` it is depends on the inputs.
    fn long_jump_to_one(&mut self, state: &mut State<M>, number: TermId, value: Value) -> Flow {
        let width = self.terms.width(number);
        let marks = state.frames.iter().flat_map(|frame| frame.marks());
        let known: Vec<u64> = marks.map(|mark| u64::from(mark.number)).collect();
        let mut none = self.terms.tru();
        let mut outcomes = Outcomes::new();
        for mark in known {
            let constant = self.terms.constant(width, mark);
            let guard = self.terms.eq(number, constant);
            let other = self.terms.not(guard);
            none = self.terms.and(none, other);
            outcomes.push(Outcome::new(guard, Ending::Go(Then::Jump { mark, value })));
        }
        outcomes.push(Outcome::new(none, Ending::Error(Error::InvalidCall(GONE.into()))));
        outcomes.retain(|outcome| !self.terms.is_false(outcome.guard));
        self.commit(state, outcomes)
    }
}

/// Continues where `setjmp` returns again with `value`. False: no frame knows the number.
pub(crate) fn return_again<M: Model>(state: &mut State<M>, number: u64, value: Value) -> bool {
    let knows = |mark: &&Mark| u64::from(mark.number) == number;
    let known = |frame: &Rc<Frame>| frame.marks().iter().find(knows).copied();
    let Some((index, mark)) =
        { state.frames.iter().enumerate().rev() }.find_map(|(index, frame)| Some((index, known(frame)?)))
    else {
        return false;
    };
    for frame in state.frames.split_off(index + 1).into_iter().rev() {
        state.bury(&frame);
    }
    state.leaks.held.pop(index + 1);
    let frame = Rc::make_mut(&mut state.frames[index]);
    frame.pc = mark.pc + 1;
    if let Some(dst) = mark.dst {
        frame.slots[dst as usize] = value;
    }
    true
}
