//! What is known of an object besides its bytes: where it is, how large, and whether it still exists.

use crate::branch::{AccessKind, FaultKind};
use crate::family::Family;
use crate::shadow::Shadow;
use mneme_term::{BaseKind, TermId, Terms, Tracer, Value};
use std::rc::Rc;

/// A request for an object.
#[derive(Copy, Clone, Debug)]
pub struct Alloc {
    pub kind: BaseKind,
    /// Bytes, pointer width.
    pub size: Value,
    pub align: u64,
    /// Where in the program; the *n*th object of a site on a path has the same base on every path.
    pub site: u32,
    pub init: Init,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Init {
    Zero,
    /// Every byte is a fresh symbol of kind *uninit*.
    Undefined,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Life {
    Alive,
    Freed,
    Ended(Death),
    /// It was never made, or not yet.
    Unborn,
}

/// For which inputs an object that is otherwise alive does not exist, and why.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Gone {
    pub when: TermId,
    pub life: Life,
    /// The site of the call that freed it.
    pub freed: u32,
}

/// How a stack object died.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Death {
    Return,
    Scope,
}

#[derive(Clone, Debug)]
pub struct Header {
    pub address: u64,
    /// Bytes, pointer width.
    pub size: Value,
    pub kind: BaseKind,
    pub site: u32,
    pub init: Init,
    pub life: Life,
    /// The site of the call that freed it.
    pub freed: u32,
    pub constant: bool,
    /// The program has seen its address as a number.
    pub exposed: bool,
    /// Something on the path depends on its address.
    pub pinned: bool,
    /// A bound of its size: the addresses reserved for it.
    pub room: u64,
    /// How often its lifetime has begun again.
    pub round: u32,
    /// How many bytes from its start can be accessed without further checks: its size while it is alive and nothing is
    /// poisoned.
    pub(crate) reach: u64,
    pub(crate) shadow: Option<Rc<Shadow>>,
    /// With disjoint guards. Empty unless it is alive.
    pub(crate) gone: Option<Rc<Vec<Gone>>>,
    /// It stands for many objects; size and offsets of faults are those of one of them.
    pub family: Option<Rc<Family>>,
}

impl Header {
    pub(super) fn live(&mut self, life: Life) {
        self.life = life;
        self.gone = None;
        self.shade(None);
    }

    pub(super) fn shade(&mut self, shadow: Option<Rc<Shadow>>) {
        self.shadow = shadow;
        self.measure();
    }

    /// Computes its reach.
    pub(crate) fn measure(&mut self) {
        self.reach = match (self.life, self.size, &self.shadow, &self.gone) {
            (Life::Alive, Value::Int(size), None, None) if self.family.is_none() => size,
            _ => 0,
        };
    }

    /// For which inputs it does not exist although its life is `Alive`.
    pub fn gone(&self) -> &[Gone] {
        self.gone.as_ref().map_or(&[], |gone| gone)
    }

    /// The condition under which it exists, as far as its life is concerned.
    pub fn there(&self, terms: &mut Terms) -> TermId {
        if self.life != Life::Alive {
            return terms.fls();
        }
        let mut there = terms.tru();
        for gone in self.gone() {
            let here = terms.not(gone.when);
            there = terms.and(there, here);
        }
        there
    }

    /// Whether `n` bytes at `offset` need no further checks.
    #[inline]
    pub(crate) fn reaches(&self, offset: u64, n: u64) -> bool {
        n <= self.reach && offset <= self.reach - n
    }

    /// Can no operation on pointers and sizes tell the two objects apart? What they hold is another question.
    pub fn is_like(&self, other: &Header) -> bool {
        let unmarked = |header: &Header| header.shadow.is_none() && header.family.is_none();
        self.kind == other.kind
            && self.size == other.size
            && self.room == other.room
            && self.life == other.life
            && self.constant == other.constant
            && unmarked(self)
            && unmarked(other)
            && self.gone() == other.gone()
    }

    /// Has anything on the path looked at its address?
    pub fn is_looked_at(&self) -> bool {
        self.exposed || self.pinned
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        tracer.value(self.size);
        if let Some(shadow) = &self.shadow {
            shadow.trace(tracer);
        }
        self.gone().iter().for_each(|gone| tracer.term(gone.when));
        if let Some(family) = &self.family {
            family.trace(tracer);
        }
    }
}

impl Life {
    /// The kind of fault for an access to a dead object.
    pub fn stale(self, kind: AccessKind) -> FaultKind {
        match self {
            Life::Alive => FaultKind::OutOfBounds(kind),
            Life::Freed => FaultKind::UseAfterFree(kind),
            Life::Ended(Death::Return) => FaultKind::UseAfterReturn(kind),
            Life::Ended(Death::Scope) => FaultKind::UseAfterScope(kind),
            Life::Unborn => FaultKind::Wild(kind),
        }
    }
}
