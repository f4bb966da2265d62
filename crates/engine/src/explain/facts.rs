//! The object that an error is about, and what was done to it: the facts that messages are made of.

use crate::fault::Error;
use crate::observer::{Access, Object, Outside, Place, Verb};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{AccessKind, Fault, FaultKind, Model};
use mneme_term::{BaseId, Value, sign_extend};

impl<M: Model> Worker<'_, M> {
    pub(super) fn object_facts(&self, state: &State<M>, error: &Error) -> Option<Object> {
        let base = match error {
            Error::Memory(fault) => fault.base?,
            Error::Leak(base) => *base,
            _ => return None,
        };
        let header = state.memory.header(base)?;
        let site = self.program.sites.get(header.site as usize);
        Some(Object {
            kind: header.kind,
            text: self.object_name(state, base),
            name: site.and_then(super::object::c_name).map(str::to_owned),
            c_type: site
                .and_then(|site| site.c_type)
                .map(|ty| self.program.type_name(ty.into())),
            size: self.size_of(state, base),
            made: self.origin_note(state, base).and_then(|(_, place)| place),
            ended: self.death_note(state, base).and_then(|(_, place)| place),
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
            verb: verb(fault.kind),
            length,
            place: match fault.base {
                Some(_) => Place::Offset(signed),
                None => Place::Address(offset),
            },
            outside: match fault.kind {
                FaultKind::OutOfBounds(_) if fault.base.is_some() => Some(outside(signed, length, size.unwrap_or(0))),
                // Where a dead object was, or beside it.
                FaultKind::UseAfterFree(_) | FaultKind::UseAfterReturn(_) | FaultKind::UseAfterScope(_) => {
                    let beside = |&size: &u64| !is_inside(signed, length, size);
                    size.filter(beside).map(|size| outside(signed, length, size))
                }
                _ => None,
            },
        }
    }

    /// How large an object is on this path.
    pub(crate) fn size_of(&self, state: &State<M>, base: BaseId) -> Option<u64> {
        match state.memory.header(base)?.size {
            Value::Int(n) => Some(n),
            Value::Term(term) => Some(self.evaluate(state, term).low_u64()),
            Value::Ptr { .. } | Value::Undef => None,
        }
    }
}

fn verb(kind: FaultKind) -> Verb {
    use FaultKind::{
        DoubleFree, InvalidFree, Null, OutOfBounds, Poisoned, UseAfterFree, UseAfterReturn, UseAfterScope, Wild,
        WriteToConstant,
    };
    match kind {
        OutOfBounds(kind) | Null(kind) | Wild(kind) | UseAfterFree(kind) | UseAfterReturn(kind)
        | UseAfterScope(kind) | Poisoned(kind) => match kind {
            AccessKind::Read => Verb::Read,
            AccessKind::Write => Verb::Write,
        },
        WriteToConstant => Verb::Write,
        DoubleFree | InvalidFree => Verb::Free,
    }
}

fn is_inside(offset: i64, length: Option<u64>, size: u64) -> bool {
    let end = |begin: u64| begin.checked_add(length.unwrap_or(1));
    u64::try_from(offset).is_ok_and(|begin| end(begin).is_some_and(|end| end <= size))
}

fn outside(offset: i64, length: Option<u64>, size: u64) -> Outside {
    match u64::try_from(offset) {
        Err(_) => Outside::Before(offset.unsigned_abs()),
        Ok(begin) if begin >= size => Outside::Past(begin - size),
        Ok(begin) => Outside::Across(begin.saturating_add(length.unwrap_or(1)).saturating_sub(size)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_is_before_past_or_across() {
        assert_eq!(outside(-4, Some(4), 16), Outside::Before(4));
        assert_eq!(outside(16, Some(4), 16), Outside::Past(0));
        assert_eq!(outside(20, None, 16), Outside::Past(4));
        assert_eq!(outside(14, Some(4), 16), Outside::Across(2));
        assert_eq!(outside(0, Some(1), 0), Outside::Past(0));
    }
}
