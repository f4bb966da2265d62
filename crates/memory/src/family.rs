//! Many objects of one size, made by one loop: the multi-allocation of *Symbolic Memory with Pointers*, section 3.
//!
//! They share a base. A pointer to one of them names the member by a separate summand ([`mneme_term::Op::Member`]), as
//! the paper keeps segment and offset apart: whatever is added to it is an offset in that member, and out of bounds
//! when it leaves it. Their bytes and addresses follow each other at a distance that is a power of two. Freed members
//! are a list of progressions, one for each `free`, whether of one member or of one per iteration of a loop.

use mneme_term::{SymbolId, TermId, Terms, Tracer};

/// How many objects to make.
#[derive(Copy, Clone, Debug)]
pub struct Many {
    /// Pointer width.
    pub count: TermId,
    /// An upper bound of the count.
    pub most: u64,
}

/// The members of a base that has many.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    pub count: TermId,
    /// They are `1 << shift` bytes apart.
    pub shift: u32,
    pub(crate) freed: Vec<Freed>,
}

/// Members that were freed: of the `count` members whose numbers begin with `start` and are `step` apart, those for
/// which `when` holds, where the symbol `index` stands for *n* in the *n*th of them. `start` and `count` have pointer
/// width.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Freed {
    pub when: TermId,
    pub index: Option<SymbolId>,
    pub start: TermId,
    pub step: u64,
    pub count: TermId,
}

/// The fewest bytes left unused after a member.
const GAP: u64 = 16;

/// The shift for members of at most `room` bytes, if there is one.
pub(crate) fn shift(room: u64) -> Option<u32> {
    let stride = room.checked_add(GAP)?.checked_next_power_of_two()?;
    Some(stride.trailing_zeros())
}

impl Family {
    pub(crate) fn new(count: TermId, shift: u32) -> Family {
        Family {
            count,
            shift,
            freed: Vec::new(),
        }
    }

    /// The number of the member that a distance from the base belongs to, and the offset in that member. If the term
    /// does not say, as with any integer used as an address, it is the member that lies there.
    pub fn split(&self, terms: &mut Terms, distance: TermId) -> (TermId, TermId) {
        match terms.split_member(distance) {
            Some(parts) => parts,
            None => {
                let flat = terms.flatten_members(distance);
                self.divide(terms, flat)
            }
        }
    }

    /// The same for a distance in bytes.
    fn divide(&self, terms: &mut Terms, distance: TermId) -> (TermId, TermId) {
        let stride = terms.constant(terms.pointer_width(), 1 << self.shift);
        (terms.udiv(distance, stride), terms.urem(distance, stride))
    }

    /// A distance in bytes as a member and the offset in it.
    pub(crate) fn point(&self, terms: &mut Terms, distance: TermId) -> TermId {
        let (index, inner) = self.divide(terms, distance);
        let start = terms.member(index, self.shift);
        terms.add(start, inner)
    }

    pub fn has(&self, terms: &mut Terms, member: TermId) -> TermId {
        terms.ult(member, self.count)
    }

    pub fn is_freed(&self, terms: &mut Terms, member: TermId) -> TermId {
        let mut freed = terms.fls();
        for one in &self.freed {
            let distance = terms.sub(member, one.start);
            let step = terms.constant(terms.pointer_width(), one.step);
            let (number, rest) = (terms.udiv(distance, step), terms.urem(distance, step));
            let zero = terms.constant(terms.pointer_width(), 0);
            let (counted, met) = (terms.ult(number, one.count), terms.eq(rest, zero));
            let among = terms.and(counted, met);
            let when = match one.index {
                Some(index) => {
                    let variable = terms.symbol(index);
                    let number = terms.resize_zext(number, terms.width(variable));
                    terms.substitute(one.when, &mut |_, part| (part == variable).then_some(number))
                }
                None => one.when,
            };
            let here = terms.and(when, among);
            freed = terms.or(freed, here);
        }
        freed
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer) {
        tracer.term(self.count);
        for one in &self.freed {
            [one.when, one.start, one.count]
                .into_iter()
                .for_each(|t| tracer.term(t));
        }
    }
}
