//! Calls of handlers in place of accesses.

use super::{Row, Tlb};
use crate::fast;
use crate::state::{Results, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Model};
use mneme_program::{FunctionId, Scalar, Slot};
use mneme_term::{BaseId, Value};
use std::rc::Rc;

/// Handlers that serve each other's accesses.
const DEEPEST: u32 = 64;

/// Why a path stops: it is no error of the program.
pub(crate) const NO_STACK: &str = "a handler that needs more stack than is left";

/// The handlers of symbolic accesses, or of concrete ones.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum HandlerStack {
    Symbolic,
    Concrete,
}

/// What is known about the frame of a handler.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Served {
    /// Where the result goes.
    pub dst: Slot,
    pub which: HandlerStack,
    /// The result is of 128 bits, which C functions return in two halves.
    pub halves: bool,
    /// Were accesses not served before?
    off: bool,
}

/// The handlers that are active on a path.
#[derive(Clone, Default, PartialEq)]
pub struct Serving {
    /// How many, one inside another.
    depth: u32,
    /// Accesses are not served at the moment.
    off: bool,
    pub tlb: Tlb,
    /// How often a handler made up a value.
    pub invented: u32,
    /// A handler left out some of what was possible.
    pub narrowed: bool,
    /// Handlers that have heard of the call that the path is at.
    pub told: usize,
}

impl Serving {
    /// A handler begins, unless too many are active already.
    pub fn enter(&mut self, dst: Slot, which: HandlerStack, halves: bool) -> Option<Served> {
        if self.depth >= DEEPEST {
            return None;
        }
        let off = std::mem::replace(&mut self.off, true);
        self.depth += 1;
        Some(Served {
            dst,
            which,
            halves,
            off,
        })
    }

    /// Do handlers of concrete accesses see this one?
    #[inline(always)]
    pub fn sees(&self, base: BaseId, offset: u64, bytes: u32) -> bool {
        !self.off && !self.tlb.passes(base, offset, bytes.into())
    }

    /// The frame of a handler is gone.
    pub fn leave(&mut self, served: Served) {
        self.off = served.off;
        self.depth -= 1;
    }

    /// Is the path in a handler?
    pub fn is_active(&self) -> bool {
        self.depth > 0
    }

    pub fn is_off(&self) -> bool {
        self.off
    }

    pub fn translate(&mut self, on: bool) {
        self.off = !on;
    }
}

/// An access of the program.
#[derive(Copy, Clone)]
pub struct Request {
    pub kind: AccessKind,
    pub ty: Scalar,
    pub place: Value,
    /// What is stored.
    pub value: Option<Value>,
}

impl<M: Model> Worker<'_, M> {
    /// Calls the handler of an access, if it has one; its result goes to `dst`.
    pub(crate) fn serve(&mut self, state: &mut State<M>, request: Request, dst: Slot) -> Option<Flow> {
        if !self.handlers.any || state.serving.off {
            return None;
        }
        let which = match request.place {
            Value::Term(_) => HandlerStack::Symbolic,
            Value::Ptr { base, offset } if !state.serving.sees(base, offset, request.ty.bytes()) => return None,
            _ => HandlerStack::Concrete,
        };
        let &(_, first) = self.handlers.stack(which).row(request.kind, request.ty)?.first()?;
        self.stats.accesses.served += 1;
        Some(self.call_with(state, which, first, request, dst))
    }

    fn call_with(
        &mut self,
        state: &mut State<M>,
        which: HandlerStack,
        id: FunctionId,
        request: Request,
        dst: Slot,
    ) -> Flow {
        let mut args = vec![request.place];
        let halves = request.ty.bits == 128;
        match request.value {
            Some(value) if halves => {
                let whole = self.term(value, 128);
                for low in [0, 64] {
                    let half = self.terms.extract(whole, low, 64);
                    args.push(self.terms.to_value(half));
                }
            }
            value => args.extend(value),
        }
        let halves = halves && request.kind == AccessKind::Read;
        self.call_handler(state, which, id, &args, dst, halves)
    }

    /// Pushes the frame of a handler's function. When it returns, the instruction that it was called at is done.
    pub(crate) fn call_handler(
        &mut self,
        state: &mut State<M>,
        which: HandlerStack,
        id: FunctionId,
        args: &[Value],
        dst: Slot,
        halves: bool,
    ) -> Flow {
        self.push_handler(state, id, args, |serving| {
            serving.enter(dst, which, halves).map(Results::Served)
        })
    }

    /// Pushes the frame of a handler's function that hears of the call that the state is at.
    pub(super) fn hear(&mut self, state: &mut State<M>, id: FunctionId, args: &[Value]) -> Flow {
        self.push_handler(state, id, args, |serving| {
            serving.enter(0, HandlerStack::Symbolic, false).map(Results::Heard)
        })
    }

    fn push_handler(
        &mut self,
        state: &mut State<M>,
        id: FunctionId,
        args: &[Value],
        enter: impl FnOnce(&mut Serving) -> Option<Results>,
    ) -> Flow {
        let callee = self.program.function(id);
        let taken = state.frames.last().map_or(0, |frame| frame.stack);
        let stack = taken.saturating_add(callee.frame);
        if state.frames.len() >= self.options.max_calls || stack > self.options.max_stack {
            return self.unsupported(state, NO_STACK);
        }
        let mut slots = vec![Value::Undef; callee.slots as usize];
        slots[..args.len()].copy_from_slice(args);
        let Some(results) = enter(&mut state.serving) else {
            return self.unsupported(state, "handlers that serve their own accesses without end");
        };
        let frame = fast::new_frame(id, slots, results, stack);
        state.frames.push(Rc::new(frame));
        self.coverage.reach(callee.first_inst);
        Flow::On
    }

    /// The access of a handler that passes it on: to the next handler, or to the built-in resolution.
    pub(super) fn pass_on(&mut self, state: &mut State<M>, request: Request, dst: Slot) -> Option<Flow> {
        let (which, active) = state.frames.iter().rev().find_map(|frame| match frame.results {
            Results::Served(served) => Some((served.which, frame.function)),
            _ => None,
        })?;
        let stack = self.handlers.stack(which);
        let of = |row: &Row| row.iter().find(|(_, id)| *id == active).map(|&(place, _)| place);
        let place = stack.rows().find_map(of)?;
        let row = stack.row(request.kind, request.ty)?;
        let &(_, next) = row.iter().find(|(other, _)| *other > place)?;
        Some(self.call_with(state, which, next, request, dst))
    }

    /// Counts an access through a symbolic pointer by what happened (symMMU §2.2): `flow`, and how many paths had ended
    /// in a fault before.
    pub(crate) fn classify(&mut self, p: Value, flow: Flow, faulted: u64) {
        let accesses = &mut self.stats.accesses;
        match (p, flow, self.stats.paths.faulted > faulted) {
            (Value::Term(_), Flow::On | Flow::Fork, false) => accesses.valid += 1,
            (Value::Term(_), Flow::On | Flow::Fork, true) => accesses.contingent += 1,
            (Value::Term(_), Flow::End, true) => accesses.invalid += 1,
            _ => {}
        }
    }

    /// The result of a handler's function, as the access has it.
    pub(crate) fn served_result(&mut self, served: Served, results: Vec<Value>) -> Vec<Value> {
        match results[..] {
            [low, high] if served.halves => {
                let (low, high) = (self.term(low, 64), self.term(high, 64));
                let whole = self.terms.concat(high, low);
                vec![self.terms.to_value(whole)]
            }
            _ => results,
        }
    }
}
