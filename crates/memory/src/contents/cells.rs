//! Many cells that a summarised loop writes at once.

use mneme_term::{SymbolId, TermId, Terms, Tracer};

/// Cells of `bytes` bytes at equal distances of `stride`, which is at least `bytes`. Cell number i, for i below
/// `count`, holds `value` with i in place of the symbol `index`. `count` has pointer width.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Cells {
    pub count: TermId,
    pub stride: u64,
    pub bytes: u32,
    pub index: SymbolId,
    pub value: TermId,
}

/// Cells from `start` on, which has pointer width; all of them lie inside the object.
#[derive(Clone, Debug)]
pub struct Progression {
    pub start: TermId,
    pub cells: Cells,
}

impl Cells {
    /// How far they reach, with what lies between them.
    pub fn len(&self, terms: &mut Terms) -> TermId {
        let stride = terms.constant(terms.pointer_width(), self.stride);
        terms.mul(self.count, stride)
    }

    /// The most that it can be.
    pub fn longest(&self, terms: &Terms) -> u64 {
        terms.range(self.count).1.saturating_mul(self.stride)
    }

    /// The number of the cell at a distance from the start, and the distance from where that cell begins.
    fn locate(&self, terms: &mut Terms, distance: TermId) -> (TermId, TermId) {
        let stride = terms.constant(terms.pointer_width(), self.stride);
        (terms.udiv(distance, stride), terms.urem(distance, stride))
    }

    /// What the cell with this number holds.
    pub fn nth(&self, terms: &mut Terms, number: TermId) -> TermId {
        let variable = terms.symbol(self.index);
        let number = terms.resize_zext(number, terms.width(variable));
        terms.substitute(self.value, &mut |_, t| (t == variable).then_some(number))
    }

    /// What the cell at a distance from the start holds, and the distance from where it begins.
    pub fn at(&self, terms: &mut Terms, distance: TermId) -> (TermId, TermId) {
        let (number, rest) = self.locate(terms, distance);
        (self.nth(terms, number), rest)
    }

    /// The condition under which all of `n` bytes at a distance from the start are in a cell.
    pub fn cover(&self, terms: &mut Terms, distance: TermId, n: u32) -> TermId {
        if n > self.bytes {
            return terms.fls();
        }
        let (number, rest) = self.locate(terms, distance);
        let last = terms.constant(terms.pointer_width(), u64::from(self.bytes - n));
        let (counted, inside) = (terms.ult(number, self.count), terms.ule(rest, last));
        terms.and(counted, inside)
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        tracer.term(self.count);
        tracer.term(self.value);
    }
}
