//! Updates of contents: writes at symbolic places and what came after them, and how they bear on a read.

use super::contents::Contents;
use mneme_term::{TermId, Terms, Tracer, truncate};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A write at a symbolic place, or one that came after such a write. Offsets and lengths have pointer width.
#[derive(Clone, Debug)]
pub enum Update {
    Write {
        offset: TermId,
        value: TermId,
        bytes: u32,
    },
    Fill {
        offset: TermId,
        len: TermId,
        byte: TermId,
    },
    Copy {
        offset: TermId,
        len: TermId,
        from: Rc<Contents>,
        at: TermId,
    },
}

/// How an update bears on a read.
pub enum Hit {
    Never,
    Always(TermId),
    Maybe(TermId, TermId),
    Partly,
}

pub fn fold(terms: &mut Terms, oldest: TermId, newer: &[(TermId, TermId)]) -> TermId {
    newer
        .iter()
        .rev()
        .fold(oldest, |rest, &(condition, value)| terms.ite(condition, value, rest))
}

impl Update {
    pub fn trace(&self, tracer: &mut Tracer, seen: &mut FxHashSet<*const Contents>) {
        match self {
            Update::Write { offset, value, .. } => [offset, value].into_iter().for_each(|&t| tracer.term(t)),
            Update::Fill { offset, len, byte } => [offset, len, byte].into_iter().for_each(|&t| tracer.term(t)),
            Update::Copy { offset, len, from, at } => {
                [offset, len, at].into_iter().for_each(|&t| tracer.term(t));
                if seen.insert(Rc::as_ptr(from)) {
                    from.trace_new(tracer, seen);
                }
            }
        }
    }

    pub fn at(&self, terms: &mut Terms, offset: TermId, n: u32) -> Hit {
        let width = terms.pointer_width();
        match *self {
            Update::Write {
                offset: start,
                value,
                bytes,
            } => {
                if bytes == n && start == offset {
                    return Hit::Always(value);
                }
                if apart(terms, start, bytes as u64, offset, n as u64) {
                    return Hit::Never;
                }
                let distance = terms.sub(offset, start);
                if let Some(skip) = terms.as_const(distance) {
                    let before = truncate(skip.wrapping_neg(), width);
                    if skip >= bytes as u64 && before >= n as u64 {
                        return Hit::Never;
                    }
                    if skip < bytes as u64 && skip + n as u64 <= bytes as u64 {
                        return Hit::Always(terms.extract(value, 8 * skip as u32, 8 * n));
                    }
                }
                if bytes == n && aligned(terms, distance, n) {
                    let same = terms.eq(start, offset);
                    return Hit::Maybe(same, value);
                }
                if n > 1 {
                    return Hit::Partly;
                }
                let size = terms.constant(width, bytes as u64);
                let inside = terms.ult(distance, size);
                let wide = (8 * bytes).max(width);
                let value = terms.zext(value, wide);
                let distance = terms.resize_zext(distance, wide);
                let three = terms.constant(wide, 3);
                let shift = terms.shl(distance, three);
                let shifted = terms.lshr(value, shift);
                let byte = terms.extract(shifted, 0, 8);
                Hit::Maybe(inside, byte)
            }
            Update::Fill {
                offset: start,
                len,
                byte,
            } => {
                let (_, most) = terms.range(len);
                if apart(terms, start, most, offset, n as u64) {
                    return Hit::Never;
                }
                if n > 1 {
                    return Hit::Partly;
                }
                let distance = terms.sub(offset, start);
                let inside = terms.ult(distance, len);
                maybe(terms, inside, byte)
            }
            Update::Copy {
                offset: start,
                len,
                ref from,
                at,
            } => {
                let (_, most) = terms.range(len);
                if apart(terms, start, most, offset, n as u64) {
                    return Hit::Never;
                }
                if n > 1 {
                    return Hit::Partly;
                }
                let distance = terms.sub(offset, start);
                let inside = terms.ult(distance, len);
                if terms.is_false(inside) {
                    return Hit::Never;
                }
                let place = terms.add(at, distance);
                if from.is_outside(terms, place, 1) {
                    return Hit::Never;
                }
                let byte = from.read_term(terms, place, 1);
                maybe(terms, inside, byte)
            }
        }
    }

    fn range(&self, terms: &mut Terms) -> (TermId, TermId) {
        match *self {
            Update::Write { offset, bytes, .. } => (offset, terms.constant(terms.pointer_width(), bytes as u64)),
            Update::Fill { offset, len, .. } | Update::Copy { offset, len, .. } => (offset, len),
        }
    }

    /// When it covers all of a word of `n` bytes at `offset` with what may be a pointer, and that. Parts of wider writes are none.
    pub fn covers(&self, terms: &mut Terms, offset: TermId, n: u32) -> Option<(TermId, TermId)> {
        match *self {
            Update::Write {
                offset: start,
                value,
                bytes,
            } if bytes == n => Some((terms.eq(start, offset), value)),
            Update::Write { .. } | Update::Fill { .. } => None,
            Update::Copy {
                offset: start,
                len,
                ref from,
                at,
            } => {
                let distance = terms.sub(offset, start);
                let place = terms.add(at, distance);
                if from.is_outside(terms, place, n) {
                    return None;
                }
                let size = terms.constant(terms.pointer_width(), n as u64);
                let fits = terms.ule(size, len);
                let last = terms.sub(len, size);
                let begins = terms.ule(distance, last);
                let value = from.read_term(terms, place, n);
                Some((terms.and(fits, begins), value))
            }
        }
    }

    /// When it touches any of `n` bytes at `offset`.
    pub fn touches(&self, terms: &mut Terms, offset: TermId, n: u32) -> TermId {
        let width = terms.pointer_width();
        let (start, len) = self.range(terms);
        let size = terms.constant(width, n as u64);
        let (after, before) = (terms.sub(offset, start), terms.sub(start, offset));
        let (reaches, reached) = (terms.ult(after, len), terms.ult(before, size));
        let zero = terms.constant(width, 0);
        let some = terms.ne(len, zero);
        let touches = terms.or(reaches, reached);
        terms.and(some, touches)
    }
}

fn maybe(terms: &Terms, condition: TermId, value: TermId) -> Hit {
    if terms.is_true(condition) {
        Hit::Always(value)
    } else if terms.is_false(condition) {
        Hit::Never
    } else {
        Hit::Maybe(condition, value)
    }
}

/// Surely disjoint ranges, by what is known of the two offsets (both inside an object, so neither range wraps).
fn apart(terms: &Terms, a: TermId, a_len: u64, b: TermId, b_len: u64) -> bool {
    let (a_low, a_high) = terms.range(a);
    let (b_low, b_high) = terms.range(b);
    a_high.saturating_add(a_len) <= b_low || b_high.saturating_add(b_len) <= a_low
}

/// Is the distance of two places surely a multiple of `n`?
fn aligned(terms: &Terms, distance: TermId, n: u32) -> bool {
    n.is_power_of_two() && terms.known_zero_low_bits(distance) >= n.trailing_zeros()
}
