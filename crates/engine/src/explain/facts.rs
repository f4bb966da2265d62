//! The object that an error is about, and what was done to it: the facts that messages are made of.

use crate::fault::Error;
use crate::state::{Frame, Results, State};
use crate::worker::Worker;
use mneme_finding::{Access, AccessKind, Object, ObjectKind, Outside, Side};
use mneme_memory::{self as memory, Fault, FaultKind, Model};
use mneme_program::Inst;
use mneme_term::{BaseId, BaseKind, Value, sign_extend};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    pub(super) fn object_facts(&self, state: &State<M>, error: &Error) -> Option<Object> {
        let base = match error {
            Error::Memory(fault) => fault.base?,
            Error::Leak(base) | Error::Escape { local: base, .. } => *base,
            _ => return None,
        };
        let header = state.memory.header(base)?;
        let site = self.program.sites.get(header.site as usize);
        Some(Object {
            kind: match header.kind {
                BaseKind::Heap => ObjectKind::Heap,
                BaseKind::Stack => ObjectKind::Stack,
                BaseKind::Global => ObjectKind::Global,
                BaseKind::Function => ObjectKind::Function,
            },
            text: self.object_name(state, base),
            name: site.and_then(super::object::c_name).map(str::to_owned),
            c_type: site
                .and_then(|site| site.c_type)
                .map(|ty| self.program.type_name(ty.into())),
            size: self.size_of(state, base),
            made: self.origin_note(state, base).and_then(|note| note.location),
            ended: self.death_note(state, base).and_then(|note| note.location),
        })
    }

    pub(super) fn access_facts(&self, state: &State<M>, error: &Error) -> Option<Access> {
        match error {
            Error::Memory(fault) => Some(self.access(state, fault)),
            _ => None,
        }
    }

    pub(super) fn access(&self, state: &State<M>, fault: &Fault) -> Access {
        let offset = self.evaluate(state, fault.offset).low_u64();
        let length = fault.len.map(|len| self.evaluate(state, len).low_u64());
        let signed = sign_extend(offset, self.pointer_width());
        let size = fault.base.and_then(|base| self.size_of(state, base));
        Access {
            kind: access_kind(fault.kind),
            length,
            offset: fault.base.map(|_| signed),
            address: fault.base.is_none().then_some(offset),
            outside: match fault.kind {
                FaultKind::OutOfBounds(_) if fault.base.is_some() => Some(outside(signed, length, size.unwrap_or(0))),
                // Where a dead object was, or beside it.
                FaultKind::UseAfterFree(_) | FaultKind::UseAfterReturn(_) | FaultKind::UseAfterScope(_) => {
                    let beside = |&size: &u64| !is_inside(signed, length, size);
                    size.filter(beside).map(|size| outside(signed, length, size))
                }
                _ => None,
            },
            symbolic: self.is_symbolic(state, fault),
        }
    }

    /// Does the pointer of the access that failed depend on inputs? A handler acts for the code whose access it serves.
    fn is_symbolic(&self, state: &State<M>, fault: &Fault) -> bool {
        let handler = |frame: &Rc<Frame>| matches!(frame.results, Results::Served(_));
        let handler = state.frames.iter().position(handler).unwrap_or(state.frames.len());
        let pointer = handler.checked_sub(1).and_then(|place| {
            let frame = &state.frames[place];
            match self.program.function(frame.function).code.get(frame.pc as usize)? {
                Inst::Load { ptr, .. } | Inst::Store { ptr, .. } => Some(self.get_in(frame, *ptr)),
                _ => None,
            }
        });
        match pointer {
            Some(pointer) => matches!(pointer, Value::Term(_)),
            None => self.terms.as_const(fault.offset).is_none(),
        }
    }

    /// How large an object is on this path.
    pub(crate) fn size_of(&self, state: &State<M>, base: BaseId) -> Option<u64> {
        match state.memory.size(base)? {
            Value::Int(n) => Some(n),
            Value::Term(term) => Some(self.evaluate(state, term).low_u64()),
            Value::Ptr { .. } | Value::Undef => None,
        }
    }
}

fn access_kind(kind: FaultKind) -> AccessKind {
    use FaultKind::{
        DoubleFree, InvalidFree, Null, OutOfBounds, Poisoned, UseAfterFree, UseAfterReturn, UseAfterScope, Wild,
        WriteToConstant,
    };
    match kind {
        OutOfBounds(kind) | Null(kind) | Wild(kind) | UseAfterFree(kind) | UseAfterReturn(kind)
        | UseAfterScope(kind) | Poisoned(kind) => match kind {
            memory::AccessKind::Read => AccessKind::Read,
            memory::AccessKind::Write => AccessKind::Write,
        },
        WriteToConstant => AccessKind::Write,
        DoubleFree | InvalidFree => AccessKind::Free,
    }
}

fn is_inside(offset: i64, length: Option<u64>, size: u64) -> bool {
    let end = |begin: u64| begin.checked_add(length.unwrap_or(1));
    u64::try_from(offset).is_ok_and(|begin| end(begin).is_some_and(|end| end <= size))
}

fn outside(offset: i64, length: Option<u64>, size: u64) -> Outside {
    let (side, bytes) = match u64::try_from(offset) {
        Err(_) => (Side::Before, offset.unsigned_abs()),
        Ok(begin) if begin >= size => (Side::Past, begin - size),
        Ok(begin) => {
            let end = begin.saturating_add(length.unwrap_or(1));
            (Side::Across, end.saturating_sub(size))
        }
    };
    Outside { side, bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_before_past_or_across() {
        let at = |offset, length, size| {
            let Outside { side, bytes } = outside(offset, length, size);
            (side, bytes)
        };
        assert_eq!(at(-4, Some(4), 16), (Side::Before, 4));
        assert_eq!(at(16, Some(4), 16), (Side::Past, 0));
        assert_eq!(at(20, None, 16), (Side::Past, 4));
        assert_eq!(at(14, Some(4), 16), (Side::Across, 2));
        assert_eq!(at(0, Some(1), 0), (Side::Past, 0));
    }
}
