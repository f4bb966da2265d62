//! Output, and strings that the engine reads from memory.

use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, End, Memory};
use mneme_program::{Call, Scalar};
use mneme_term::{BaseId, SymbolKind, TermId, Value};
use std::rc::Rc;

const LONGEST_STRING: u64 = 4096;

/// The most that is kept of what a path writes.
const MOST_OUTPUT: usize = 4096;

/// Keeps what is written to standard output, as far as it is known for every input of the path.
fn record<M>(state: &mut State<M>, values: &[Value], exact: bool) {
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

impl<M: Memory> Worker<'_, M> {
    pub(super) fn write(&mut self, state: &mut State<M>, call: &Call, fd: Value, p: Value, len: Value) -> Flow {
        let branches = self.with_memory(state, |memory, cx| memory.check(cx, p, len, AccessKind::Read));
        let flow = self.commit_memory(state, branches, |_, ()| ());
        if flow != Flow::On {
            return flow;
        }
        let n = match len {
            Value::Term(term) => self.evaluate(state, term).low_u64(),
            Value::Int(n) => n,
            _ => 0,
        };
        let fd = match fd {
            Value::Int(fd) => fd,
            _ => 1,
        };
        if let Some((base, offset)) = self.example_place(state, p) {
            let values: Vec<Value> = (0..n).map_while(|k| self.byte_value(state, base, offset + k)).collect();
            if let Some(flow) = self.check_output(state, &values) {
                return flow;
            }
            let bytes: Vec<u8> = values.iter().map(|&value| self.example_byte(state, value)).collect();
            if !self.repeats(state) {
                self.observer.output(fd, &bytes);
            }
            let exact = matches!((p, len), (Value::Ptr { .. }, Value::Int(_)));
            if fd == 1 {
                record(state, &values, exact);
            }
        }
        self.answer(state, call, len)
    }

    /// What is written must not depend on memory that nobody wrote.
    fn check_output(&mut self, state: &mut State<M>, bytes: &[Value]) -> Option<Flow> {
        let undefined = |value: &Value| match *value {
            Value::Term(term) if self.terms.has_kind(term, SymbolKind::Uninit) => Some(term),
            _ => None,
        };
        let undefined: Vec<TermId> = bytes.iter().filter_map(undefined).collect();
        let all = undefined.into_iter().reduce(|low, high| self.terms.concat(high, low))?;
        self.check_defined(state, all)
    }

    /// A place that a pointer has under the state's assignment.
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

    /// A byte of memory.
    fn byte_value(&mut self, state: &mut State<M>, base: BaseId, offset: u64) -> Option<Value> {
        let ty = Scalar::int(8);
        if let Some(value) = state.memory.fast_load(base, offset, ty) {
            return Some(value);
        }
        let memory = state.memory.clone();
        let branches = self.with_memory(state, |memory, cx| memory.load(cx, Value::Ptr { base, offset }, ty));
        state.memory = memory;
        match branches.into_iter().next()?.end {
            End::Done(value) => Some(value),
            _ => None,
        }
    }

    /// A byte of memory, by example if it is symbolic.
    fn byte_at(&mut self, state: &mut State<M>, base: BaseId, offset: u64) -> Option<u8> {
        let value = self.byte_value(state, base, offset)?;
        Some(self.example_byte(state, value))
    }

    fn example_byte(&mut self, state: &State<M>, value: Value) -> u8 {
        match value {
            Value::Term(term) => self.evaluate(state, term).low_u64() as u8,
            Value::Int(n) => n as u8,
            Value::Ptr { .. } | Value::Undef => unreachable!("a byte is an integer or a term"),
        }
    }

    pub(super) fn string(&mut self, state: &mut State<M>, p: Value) -> String {
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
        let Value::Int(size) = state.memory.header(base)?.size else {
            return None;
        };
        let byte = |worker: &mut Self, state: &mut State<M>, at| match worker.byte_value(state, base, at)? {
            Value::Int(n) => Some(n as u8),
            _ => None,
        };
        (offset..size).map(|at| byte(self, state, at)).collect()
    }
}
