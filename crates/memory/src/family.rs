//! Many objects of one size that one loop has made: the multi-allocation of *Symbolic Memory with Pointers*, section 3.
//!
//! They share a base; the i-th begins at `i · stride` from it. The stride leaves so much room behind each that a pointer which runs off
//! its object does not come to the next one: what lies between two is out of bounds. Which of them were freed is a list.

use mneme_term::{TermId, Terms, Tracer};

/// How many objects to make.
#[derive(Copy, Clone, Debug)]
pub struct Many {
    /// Pointer width.
    pub count: TermId,
    /// A bound of it.
    pub most: u64,
    /// A power of two.
    pub stride: u64,
}

/// The members of a base that has many.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    pub count: TermId,
    pub stride: u64,
    pub(crate) freed: Vec<Freed>,
}

/// A member that was freed where `when` holds.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Freed {
    pub when: TermId,
    pub member: TermId,
}

impl Family {
    pub fn new(many: Many) -> Family {
        Family {
            count: many.count,
            stride: many.stride,
            freed: Vec::new(),
        }
    }

    /// The number of the member that an offset belongs to, and the offset in it.
    pub fn split(&self, terms: &mut Terms, offset: TermId) -> (TermId, TermId) {
        let stride = terms.constant(terms.pointer_width(), self.stride);
        (terms.udiv(offset, stride), terms.urem(offset, stride))
    }

    pub fn has(&self, terms: &mut Terms, member: TermId) -> TermId {
        terms.ult(member, self.count)
    }

    pub fn is_freed(&self, terms: &mut Terms, member: TermId) -> TermId {
        let mut freed = terms.fls();
        for one in &self.freed {
            let same = terms.eq(member, one.member);
            let here = terms.and(one.when, same);
            freed = terms.or(freed, here);
        }
        freed
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer) {
        tracer.term(self.count);
        for one in &self.freed {
            [one.when, one.member].into_iter().for_each(|t| tracer.term(t));
        }
    }
}
