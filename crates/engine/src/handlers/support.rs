//! C code that the engine runs for the sake of handlers (`runtime/handlers/support.c`): operations on blocks of memory,
//! so that their accesses are served, and the calls of handlers that listen to events.

use super::{HandlerStack, entry};
use crate::fast;
use crate::state::{Frame, Results, State};
use crate::step::calling;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Call, FunctionId, HANDLER_PREFIX, Program};
use mneme_term::Value;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What handlers can listen to, in the order of `support.c`.
pub(super) const EVENTS: [&str; 4] = ["signal", "on_malloc", "on_free", "on_realloc"];
const SIGNAL: usize = 0;
/// The first of those that are about the heap.
pub(super) const ALLOCATIONS: usize = 1;

/// The name of the C file.
const SUPPORT: &str = "support";

/// Is this the name of something that the file defines?
pub(crate) fn is_support(name: &str) -> bool {
    let called = name.strip_suffix(SUPPORT).is_some_and(|rest| rest.ends_with("__"));
    let own = name
        .strip_prefix(HANDLER_PREFIX)
        .and_then(|rest| rest.strip_prefix(SUPPORT));
    called || own.is_some_and(|rest| rest.starts_with('.'))
}

/// A library function that C code stands in for, and the name of that code.
const BLOCKS: [(&str, &str); 4] = [
    ("memcpy", "memcpy"),
    ("memmove", "memmove"),
    ("memset", "memset"),
    ("__mneme_write", "write"),
];
const ALLOCATORS: [(&str, &str); 7] = [
    ("malloc", "malloc"),
    ("calloc", "calloc"),
    ("realloc", "realloc"),
    ("aligned_alloc", "aligned_alloc"),
    ("memalign", "aligned_alloc"),
    ("free", "free"),
    ("cfree", "free"),
];

#[derive(Clone, Debug, Default)]
pub(super) struct Support {
    all: FxHashMap<&'static str, FunctionId>,
    blocks: FxHashMap<&'static str, FunctionId>,
    allocations: FxHashMap<&'static str, FunctionId>,
}

impl Support {
    pub fn find(program: &Program) -> Support {
        let of = |&(name, code): &(&'static str, &str)| Some((name, entry(program, code, SUPPORT)?));
        let direct = ["move", "copy", "fill", "va_start", "signal_all"].map(|name| (name, name));
        Support {
            all: direct.iter().filter_map(of).collect(),
            blocks: BLOCKS.iter().filter_map(of).collect(),
            allocations: ALLOCATORS.iter().filter_map(of).collect(),
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// Would handlers serve accesses through one of these pointers?
    fn serves_any(&self, state: &State<M>, pointers: &[Value]) -> bool {
        self.handlers.any && !state.serving.is_off() && pointers.iter().any(|&p| self.handlers.wants(p))
    }

    /// C code that stands in for a function of the library.
    pub(crate) fn stand_in(&self, state: &State<M>, name: &str, args: &[Value]) -> Option<FunctionId> {
        if !self.handlers.any || state.serving.is_off() {
            return None;
        }
        let support = &self.handlers.support;
        let id = match support.blocks.get(name) {
            Some(&id) => self.serves_any(state, args).then_some(id)?,
            None => {
                let listens = self.handlers.listen_to_allocations();
                *support.allocations.get(name).filter(|_| listens)?
            }
        };
        let own = state.frame().function;
        let itself = |all: &FxHashMap<&str, FunctionId>| all.values().any(|&id| id == own);
        (!itself(&support.blocks) && !itself(&support.allocations)).then_some(id)
    }

    /// Does a handler serve an access of an operation that copies a block?
    pub(super) fn serves_a_copy(&self, state: &State<M>) -> bool {
        let handler = |frame: &Rc<Frame>| matches!(frame.results, Results::Served(_));
        let served = state
            .frames
            .iter()
            .position(handler)
            .and_then(|place| place.checked_sub(1));
        let Some(frame) = served.map(|place| &state.frames[place]) else {
            return false;
        };
        let Support { all, blocks, .. } = &self.handlers.support;
        let copies = ["move", "copy"].map(|name| all.get(name));
        let copies = copies
            .into_iter()
            .chain(["memcpy", "memmove"].map(|name| blocks.get(name)));
        copies.flatten().any(|&id| id == frame.function)
    }

    /// Runs C code in place of the instruction that the state is at, if handlers serve accesses through the pointers
    /// among its arguments.
    pub(crate) fn run_support(
        &mut self,
        state: &mut State<M>,
        name: &str,
        pointers: usize,
        args: &[Value],
    ) -> Option<Flow> {
        if !self.serves_any(state, &args[..pointers]) {
            return None;
        }
        let id = *self.handlers.support.all.get(name)?;
        Some(self.push_support(state, id, args))
    }

    fn push_support(&mut self, state: &mut State<M>, id: FunctionId, args: &[Value]) -> Flow {
        let callee = self.program.function(id);
        let stack = state.frame().stack.saturating_add(callee.frame);
        let mut slots = vec![Value::Undef; callee.slots as usize];
        slots[..args.len()].copy_from_slice(args);
        state
            .frames
            .push(Rc::new(fast::new_frame(id, slots, Results::Slots(0), stack)));
        self.coverage.reach(callee.first_inst);
        Flow::On
    }

    /// An input was made by the call that the state is at.
    pub(crate) fn signal(&mut self, state: &mut State<M>) {
        let listens = !self.handlers.listeners[SIGNAL].is_empty() && !state.serving.is_off();
        let id = self.handlers.support.all.get("signal_all").copied().filter(|_| listens);
        let Some(id) = id else {
            state.advance();
            return;
        };
        let call = calling(self.program, state.frame());
        let args: Vec<Value> = call.args.iter().take(2).map(|arg| self.get(state, arg.value)).collect();
        self.push_support(state, id, &args);
    }

    /// Handlers hear of a call before it is made: one after the other, and then the call goes on.
    pub(crate) fn tell_of_call(&mut self, state: &mut State<M>, call: &Call, id: FunctionId) -> Option<Flow> {
        let hooks = self.handlers.before.get(&id)?;
        if state.serving.is_off() {
            return None;
        }
        let Some(&hook) = hooks.get(state.serving.told) else {
            state.serving.told = 0;
            return None;
        };
        state.serving.told += 1;
        let params = &self.program.function(hook).signature.params;
        let mut args = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            args.push(match call.args.get(index) {
                Some(arg) if arg.ty.bits == param.bits => self.get(state, arg.value),
                Some(arg) if arg.ty.bits <= 64 && param.bits <= 64 => {
                    let value = self.get(state, arg.value);
                    let term = self.term(value, arg.ty.width());
                    let term = self.terms.resize_zext(term, param.width());
                    self.terms.to_value(term)
                }
                _ => Value::ZERO,
            });
        }
        Some(self.hear(state, hook, &args))
    }

    pub(super) fn listeners(&mut self, state: &mut State<M>, call: &Call, event: Value) -> Flow {
        let count = match event {
            Value::Int(event) => self.handlers.listeners.get(event as usize).map_or(0, Vec::len),
            _ => 0,
        };
        self.answer(state, call, Value::Int(count as u64))
    }

    /// Calls a handler that listens: event, number of the listener, block, old block, size, whether it is zeroed.
    pub(super) fn tell_listener(&mut self, state: &mut State<M>, args: &[Value]) -> Flow {
        let &[Value::Int(event), Value::Int(listener), p, old, size, zeroed] = args else {
            return self.unsupported(state, "an event that depends on the inputs");
        };
        let args = match event {
            0 => vec![p, size],
            1 => vec![p, size, zeroed],
            2 => vec![p],
            _ => vec![p, old, size],
        };
        let id = self.handlers.listeners[event as usize][listener as usize];
        self.call_handler(state, HandlerStack::Symbolic, id, &args, 0, false)
    }
}
