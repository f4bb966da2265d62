//! What happens after an outcome, as data.
//!
//! An outcome says by a [`Then`] how its path continues: a plain value that can be inspected, cloned and kept. Most end
//! the instruction. An instruction that makes several accesses (`realloc`, `va_start`, output) keeps the rest of itself
//! in a [`Task`] of the state, and each of its accesses ends in `Then::Again` or `Then::Deliver`: whatever an access
//! does to the state (it may fork, or be served elsewhere), the task is still there when the state runs again, and
//! nothing is done twice.

use crate::loops::Departure;
use crate::state::{Input, State};
use crate::step::return_again;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Call, EdgeId, FunctionId, Scalar, Slot};
use mneme_term::{BaseId, Tracer, Value};
use std::rc::Rc;

#[derive(Clone)]
pub enum Then {
    /// Execute the instruction, or the rest of it, again, now that the path knows more.
    Again,
    /// Like `Again`, with an operand decided.
    Decide(Slot, Value),
    /// The value that the state's task is waiting for.
    Deliver(Value),
    /// Continue with the next instruction.
    Advance,
    /// Set the result of the instruction.
    Give(Slot, Value),
    /// The allocation returns null.
    Refuse(Option<Slot>),
    Take(EdgeId),
    /// The frame owns a new object, which takes this many bytes of the stack.
    Own {
        slot: Slot,
        object: Value,
        bytes: u64,
    },
    /// The scope of a variable is entered again.
    Revive {
        old: BaseId,
        fresh: Value,
    },
    /// References to these objects were lost: check for leaks, then continue.
    Lose(Rc<[BaseId]>, Box<Then>),
    /// The program has one more input.
    Meet(Rc<Input>),
    /// `setjmp` returns again, at the place with this number.
    Jump {
        mark: u64,
        value: Value,
    },
    /// Leave a summarised loop.
    Leave(Rc<Departure>),
    /// Do not try to summarise this loop again.
    Forgo(FunctionId, u32),
}

impl Then {
    /// The result of a call, if the caller uses it.
    pub fn answer(call: &Call, value: Value) -> Then {
        match call.results.is_empty() {
            true => Then::Advance,
            false => Then::Give(call.dst, value),
        }
    }

    /// For an operation that overwrote or freed references to these objects.
    pub fn lose(objects: Vec<BaseId>, then: Then) -> Then {
        match objects.is_empty() {
            true => then,
            false => Then::Lose(objects.into(), Box::new(then)),
        }
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        match self {
            Then::Decide(_, value)
            | Then::Deliver(value)
            | Then::Give(_, value)
            | Then::Own { object: value, .. }
            | Then::Revive { fresh: value, .. }
            | Then::Jump { value, .. } => tracer.value(*value),
            Then::Lose(_, then) => then.trace(tracer),
            Then::Meet(input) => input.trace(tracer),
            Then::Leave(departure) => departure.trace(tracer),
            Then::Again | Then::Advance | Then::Refuse(_) | Then::Take(_) | Then::Forgo(..) => {}
        }
    }
}

/// What is left of an instruction that makes several accesses.
#[derive(Clone)]
pub enum Task {
    /// Make all of these writes, then continue.
    Write {
        writes: Rc<[Write]>,
        next: usize,
        then: Then,
    },
    /// `write`: the bytes read so far.
    Print(Print),
    /// `longjmp` needs the number of a place.
    Jump { number: Value, value: Value },
    /// `realloc` may make a block of this size.
    Grow { old: Block, size: Value },
    /// `realloc` has moved the contents.
    Release { old: Value, fresh: Value },
}

#[derive(Copy, Clone)]
pub enum Write {
    Store { place: Value, ty: Scalar, value: Value },
    Copy { to: Value, from: Value, len: u64 },
}

#[derive(Clone)]
pub struct Print {
    pub fd: Value,
    pub place: Value,
    pub len: Value,
    pub bytes: Vec<Value>,
}

/// A block to be reallocated.
#[derive(Copy, Clone)]
pub struct Block {
    pub start: Value,
    pub base: BaseId,
    pub size: Value,
}

impl Task {
    fn deliver(&mut self, value: Value) {
        match self {
            Task::Print(print) => print.bytes.push(value),
            Task::Jump { number, .. } => *number = value,
            Task::Write { .. } | Task::Grow { .. } | Task::Release { .. } => {
                unreachable!("it waits for no value")
            }
        }
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        let mut all = |values: &[Value]| values.iter().for_each(|&value| tracer.value(value));
        match self {
            Task::Write { writes, then, .. } => {
                writes.iter().for_each(|write| match *write {
                    Write::Store { place, value, .. } => all(&[place, value]),
                    Write::Copy { to, from, .. } => all(&[to, from]),
                });
                then.trace(tracer);
            }
            Task::Print(print) => {
                all(&[print.fd, print.place, print.len]);
                all(&print.bytes);
            }
            Task::Jump { number, value } => all(&[*number, *value]),
            Task::Grow { old, size } => all(&[old.start, old.size, *size]),
            Task::Release { old, fresh } => all(&[*old, *fresh]),
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// Continues after an outcome.
    pub(crate) fn resume(&mut self, state: &mut State<M>, then: Then) {
        let ends = !matches!(then, Then::Again | Then::Decide(..) | Then::Deliver(_) | Then::Lose(..));
        if ends {
            state.task = None;
        }
        match then {
            Then::Again => {}
            Then::Decide(slot, value) => state.set(slot, value),
            Then::Deliver(value) => {
                let task = state.task.as_mut().expect("somebody waits for it");
                Rc::make_mut(task).deliver(value);
            }
            Then::Lose(lost, then) => {
                let frames = state.frames.len();
                self.report_leaks(state, lost.to_vec(), &[], frames);
                self.resume(state, *then);
            }
            Then::Advance => state.advance(),
            Then::Give(slot, value) => {
                state.set(slot, value);
                state.advance();
            }
            Then::Refuse(slot) => {
                self.count_allocation(state);
                if let Some(slot) = slot {
                    state.set(slot, Value::ZERO);
                }
                state.advance();
            }
            Then::Take(edge) => self.take(state, edge),
            Then::Own { slot, object, bytes } => {
                let frame = state.frame_mut();
                frame.stack += bytes;
                if let Value::Ptr { base, .. } = object {
                    frame.locals.push(base);
                }
                frame.slots[slot as usize] = object;
                frame.pc += 1;
            }
            Then::Revive { old, fresh } => self.follow_variable(state, old, fresh),
            Then::Meet(input) => {
                Rc::make_mut(&mut state.path.inputs).push(Input::clone(&input));
                self.signal(state);
            }
            Then::Jump { mark, value } => _ = return_again(state, mark, value),
            Then::Leave(departure) => self.leave_loop(state, &departure),
            Then::Forgo(function, index) => self.forgo_loop(state, (function, index)),
        }
    }

    /// Does the next part of an unfinished instruction.
    pub(crate) fn go_on(&mut self, state: &mut State<M>, task: Rc<Task>) -> Flow {
        match Rc::unwrap_or_clone(task) {
            Task::Write { writes, next, then } => self.write_next(state, writes, next, then),
            Task::Print(print) => self.print(state, print),
            Task::Jump { number, value } => self.long_jump_to(state, number, value),
            Task::Grow { old, size } => self.grow(state, old, size),
            Task::Release { old, fresh } => self.release(state, old, fresh),
        }
    }

    /// Makes these writes, one after another.
    pub(crate) fn write_all(&mut self, state: &mut State<M>, writes: Vec<Write>, then: Then) -> Flow {
        self.write_next(state, writes.into(), 0, then)
    }

    fn write_next(&mut self, state: &mut State<M>, writes: Rc<[Write]>, next: usize, then: Then) -> Flow {
        let Some(&write) = writes.get(next) else {
            self.resume(state, then);
            return Flow::On;
        };
        state.task = Some(Rc::new(Task::Write {
            writes,
            next: next + 1,
            then,
        }));
        match write {
            Write::Store { place, ty, value } => {
                let branches = self.with_memory(state, |memory, cx| memory.store(cx, place, ty.bytes(), value));
                self.commit_memory(state, branches, |()| Then::Again)
            }
            Write::Copy { to, from, len } => self.copy_block(state, to, from, Value::Int(len), Then::Again),
        }
    }
}
