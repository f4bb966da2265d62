//! Output, and strings that the engine reads from memory.

use crate::state::State;
use crate::step::calling;
use crate::then::{Print, Task, Then};
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, End, Model};
use mneme_program::Scalar;
use mneme_term::{BaseId, TermId, Value};
use std::rc::Rc;

const LONGEST_STRING: u64 = 4096;

/// At most this much of a path's output is kept.
const MOST_OUTPUT: usize = 4096;

/// Keeps what is written to standard output, as long as it is known for every input of the path.
fn record<M: Model>(state: &mut State<M>, values: &[Value], exact: bool) {
    if state.output.cut || values.is_empty() {
        return;
    }
    let output = Rc::make_mut(&mut state.output);
    if exact {
        let room = MOST_OUTPUT - output.bytes.len();
        output.bytes.extend(&values[..values.len().min(room)]);
        output.cut = values.len() > room;
    } else {
        output.cut = true;
    }
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn write(&mut self, state: &mut State<M>, fd: Value, place: Value, len: Value) -> Flow {
        let branches = self.with_memory(state, |memory, cx| memory.check(cx, place, len, AccessKind::Read));
        let bytes = Vec::new();
        let print = Print { fd, place, len, bytes };
        state.task = Some(Rc::new(Task::Print(print)));
        self.commit_memory(state, branches, |()| Then::Again)
    }

    /// Writes what is known: as many bytes as the state's assignment says.
    pub(crate) fn print(&mut self, state: &mut State<M>, mut print: Print) -> Flow {
        match print.len {
            Value::Int(n) => {
                while (print.bytes.len() as u64) < n {
                    let (k, ty) = (Value::Int(print.bytes.len() as u64), Scalar::int(8));
                    let place = self.displace(print.place, k);
                    if let Value::Ptr { base, offset } = place
                        && let Some(value) = state.memory.fast_load(base, offset, ty.bytes())
                    {
                        print.bytes.push(value);
                        continue;
                    }
                    let branches = self.with_memory(state, |memory, cx| memory.load(cx, place, ty.bytes()));
                    state.task = Some(Rc::new(Task::Print(print)));
                    return self.commit_memory(state, branches, Then::Deliver);
                }
            }
            Value::Term(len) => {
                let n = self.evaluate(state, len).low_u64();
                print.bytes = (0..n).map(|k| self.byte_before(state, print.place, k, len)).collect();
            }
            _ => {}
        }
        let Print {
            fd, len, bytes: values, ..
        } = print;
        if let Some(flow) = self.check_output(state, &values) {
            return flow;
        }
        let fd = match fd {
            Value::Int(fd) => fd,
            _ => 1,
        };
        let bytes: Vec<u8> = values.iter().map(|&value| self.example_byte(state, value)).collect();
        let of_handler = state.serving.is_active();
        if !self.repeats(state) {
            match of_handler {
                true => self.observer.printed(&bytes),
                false => self.observer.output(fd, &bytes),
            }
        }
        if fd == 1 && !of_handler {
            record(state, &values, matches!(len, Value::Int(_)));
        }
        let call = calling(self.program, state.frame());
        self.answer(state, call, len)
    }

    /// The byte at `p + k` where `len` is more than k, else 0: nothing is read where nothing is written.
    fn byte_before(&mut self, state: &mut State<M>, p: Value, k: u64, len: TermId) -> Value {
        let place = self.displace(p, Value::Int(k));
        let (byte, readable) = self.byte_of(state, place);
        let count = self.terms.constant(self.terms.width(len), k);
        let within = self.terms.ult(count, len);
        let within = self.terms.and(within, readable);
        let zero = self.terms.constant(8, 0);
        let byte = self.terms.ite(within, byte, zero);
        self.terms.to_value(byte)
    }

    /// What is written must not depend on unwritten memory.
    fn check_output(&mut self, state: &mut State<M>, bytes: &[Value]) -> Option<Flow> {
        let undefined = |value: &Value| match *value {
            Value::Term(term) if self.terms.has_uninit(term) => Some(term),
            _ => None,
        };
        let undefined: Vec<TermId> = bytes.iter().filter_map(undefined).collect();
        let all = undefined.into_iter().reduce(|low, high| self.terms.concat(high, low))?;
        self.check_defined(state, all)
    }

    /// The place that a pointer refers to under the state's assignment.
    fn example_place(&mut self, state: &State<M>, p: Value) -> Option<(BaseId, u64)> {
        match p {
            Value::Ptr { base, offset } => Some((base, offset)),
            Value::Term(term) => {
                let cases = self.terms.cases(term);
                let case = cases
                    .iter()
                    .find(|case| self.evaluate(state, case.guard).low_u64() == 1)?;
                Some((case.base?, self.evaluate(state, case.offset).low_u64()))
            }
            _ => None,
        }
    }

    /// A byte of memory and the condition for reading it, without changing the state.
    pub(crate) fn byte_of(&mut self, state: &mut State<M>, place: Value) -> (TermId, TermId) {
        let memory = state.memory.clone();
        let branches = self.with_memory(state, |memory, cx| memory.load(cx, place, 1));
        state.memory = memory;
        let (mut byte, mut readable) = (self.terms.constant(8, 0), self.terms.fls());
        for branch in branches {
            if let End::Done(value) = branch.end {
                let value = self.term(value, 8);
                byte = self.terms.ite(branch.guard, value, byte);
                readable = self.terms.or(readable, branch.guard);
            }
        }
        (byte, readable)
    }

    /// A byte of memory under the state's assignment. `None`: it cannot be read there.
    fn byte_at(&mut self, state: &mut State<M>, base: BaseId, offset: u64) -> Option<u8> {
        if let Some(value) = state.memory.fast_load(base, offset, 1) {
            return Some(self.example_byte(state, value));
        }
        let (byte, readable) = self.byte_of(state, Value::Ptr { base, offset });
        let readable = self.evaluate(state, readable).low_u64() == 1;
        readable.then(|| self.evaluate(state, byte).low_u64() as u8)
    }

    fn example_byte(&mut self, state: &State<M>, value: Value) -> u8 {
        match value {
            Value::Term(term) => self.evaluate(state, term).low_u64() as u8,
            Value::Int(n) => n as u8,
            Value::Ptr { .. } | Value::Undef => unreachable!("a byte is an integer or a term"),
        }
    }

    pub(crate) fn string(&mut self, state: &mut State<M>, p: Value) -> String {
        let Some((base, offset)) = self.example_place(state, p) else {
            return String::new();
        };
        let bytes: Vec<u8> = (0..LONGEST_STRING)
            .map_while(|k| self.byte_at(state, base, offset + k).filter(|&byte| byte != 0))
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// All bytes of an object from `offset` on, if every one of them is concrete.
    pub(super) fn object_bytes(&mut self, state: &mut State<M>, base: BaseId, offset: u64) -> Option<Vec<u8>> {
        let Value::Int(size) = state.memory.size(base)? else {
            return None;
        };
        let byte = |offset| {
            let (byte, readable) = self.byte_of(state, Value::Ptr { base, offset });
            let byte = self.terms.as_const(byte)?;
            self.terms.is_true(readable).then_some(byte as u8)
        };
        (offset..size).map(byte).collect()
    }
}
