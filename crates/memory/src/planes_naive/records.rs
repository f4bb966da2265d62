//! Write records, and reading through them.
//!
//! The paper's naive reader passes one nested expression to the solver (`simplified`); this one asks collision by
//! collision.

use super::{default, simplified};
use crate::directory::{Directory, Init};
use crate::{Cells, Cx, Truth};
use mneme_solver::Simplifier;
use mneme_term::{BaseId, SymbolId, TermId, Terms, Tracer, Value, truncate};
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;
use std::rc::Rc;

/// A possible address: segment (base) and offset, under a guard. The guards of a record are disjoint.
#[derive(Clone, Debug)]
pub struct Place {
    pub guard: TermId,
    pub base: BaseId,
    pub offset: TermId,
}

pub type Places = SmallVec<[Place; 1]>;

#[derive(Clone, Debug)]
pub struct Record {
    /// Where it begins; empty for records that name their base themselves.
    pub places: Places,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Span {
    /// An ordinary write of some bytes.
    Cell { bytes: u32, value: Value },
    /// A multi-write: all offsets ω with ω - ω₀ < len.
    Range { len: TermId, spread: Spread },
    /// A multi-write of cells at equal distances: all offsets ω₀ + i · stride for i < count, each with a term in i.
    Cells(Cells),
    /// Concrete bytes of an object just made.
    Block { base: BaseId, offset: u64, bytes: Rc<[u8]> },
    /// The lifetime of a stack object began again: everything older is gone.
    Reset { base: BaseId, round: u32, len: Value },
}

/// The value of a multi-write as a function of the distance from its start.
#[derive(Clone, Debug)]
pub enum Spread {
    Byte(TermId),
    Symbol(SymbolId),
    /// The bytes at that distance from `from`, according to the first `until` records.
    Copy {
        from: Places,
        until: usize,
    },
}

/// What a read needs in addition to the records.
#[derive(Copy, Clone)]
pub struct Reader<'a> {
    pub sizes: &'a Directory<()>,
    /// Simplifies nested expressions; without it, the solver is asked collision by collision.
    pub simplifier: Option<&'a RefCell<Simplifier>>,
}

impl Record {
    pub fn trace(&self, tracer: &mut Tracer) {
        let mut places = |places: &Places| {
            for place in places {
                tracer.term(place.guard);
                tracer.term(place.offset);
            }
        };
        places(&self.places);
        if let Span::Range {
            spread: Spread::Copy { from, .. },
            ..
        } = &self.span
        {
            places(from);
        }
        match &self.span {
            Span::Cell { value, .. } => tracer.value(*value),
            Span::Range { len, spread } => {
                tracer.term(*len);
                if let Spread::Byte(byte) = spread {
                    tracer.term(*byte);
                }
            }
            Span::Cells(cells) => cells.trace(tracer),
            Span::Block { .. } => {}
            Span::Reset { len, .. } => tracer.value(*len),
        }
    }
}

/// The bases that the records of an object may hold: pointers that a newer write surely covers do not count.
pub fn references(terms: &mut Terms, records: &[Record], base: BaseId) -> Vec<BaseId> {
    let mut out = Vec::new();
    let mut covered: Vec<(u64, u64)> = Vec::new();
    for record in records.iter().rev() {
        if matches!(record.span, Span::Reset { base: reset, .. } if reset == base) {
            break;
        }
        for place in record.places.iter().filter(|place| place.base == base) {
            let certain = record.places.len() == 1 && terms.is_true(place.guard);
            let start = terms.as_const(place.offset);
            let len = match &record.span {
                Span::Cell { bytes, .. } => Some(*bytes as u64),
                Span::Range { len, .. } => terms.as_const(*len),
                _ => None,
            };
            let range = start.zip(len).map(|(start, len)| (start, start + len));
            if range.is_some_and(|(start, end)| covered.iter().any(|&(from, to)| from <= start && end <= to)) {
                continue;
            }
            match &record.span {
                Span::Cell {
                    value: Value::Ptr { base, .. },
                    ..
                } => out.push(*base),
                Span::Cell {
                    value: Value::Term(term),
                    ..
                }
                | Span::Cells(Cells { value: term, .. }) => out.extend(terms.bases(*term)),
                Span::Range {
                    spread: Spread::Copy { from, until },
                    ..
                } => {
                    for source in from {
                        out.extend(references(terms, &records[..*until], source.base));
                    }
                }
                _ => {}
            }
            covered.extend(range.filter(|_| certain));
        }
    }
    out
}

pub fn bytes_of_symbol(cx: &mut Cx, symbol: SymbolId, index: TermId, n: u32) -> TermId {
    let array = cx.terms.symbol(symbol);
    join(cx, n, |cx, k| {
        let k = cx.word_const(k as u64);
        let at = cx.terms.add(index, k);
        cx.terms.select(array, at)
    })
}

/// `n` bytes, lowest first, as one term.
fn join(cx: &mut Cx, n: u32, mut byte: impl FnMut(&mut Cx, u32) -> TermId) -> TermId {
    let mut whole = byte(cx, 0);
    for k in 1..n {
        let next = byte(cx, k);
        whole = cx.terms.concat(next, whole);
    }
    whole
}

/// The value of `n` bytes at `places`: nested if-then-else over the records that may collide.
pub fn read(cx: &mut Cx, reader: Reader, records: &[Record], places: &Places, n: u32) -> TermId {
    if let Some(simplifier) = reader.simplifier {
        return simplified::read(cx, reader, simplifier, records, places, n);
    }
    let mut relevant: Vec<(TermId, TermId)> = Vec::new();
    for (index, record) in records.iter().enumerate().rev() {
        for place in places {
            match hit(cx, reader, records, index, record, place, n) {
                Hit::Never => {}
                Hit::Partly => return read_bytes(cx, reader, records, places, n),
                Hit::When(condition, value) => {
                    let condition = cx.terms.and(place.guard, condition);
                    if cx.terms.is_true(condition) || matches!(cx.may(reader.sizes, condition), Truth::Never) {
                        if cx.terms.is_true(condition) {
                            return fold(cx.terms, value, &relevant);
                        }
                        continue;
                    }
                    let otherwise = cx.terms.not(condition);
                    if places.len() == 1 && matches!(cx.may(reader.sizes, otherwise), Truth::Never) {
                        return fold(cx.terms, value, &relevant);
                    }
                    relevant.push((condition, value));
                }
            }
        }
    }
    let oldest = never_written(cx, reader, places, n);
    fold(cx.terms, oldest, &relevant)
}

/// `n` bytes at `places`, each read separately.
pub fn read_bytes(cx: &mut Cx, reader: Reader, records: &[Record], places: &Places, n: u32) -> TermId {
    let pieces = join(cx, n, |cx, k| {
        let k = cx.word_const(k as u64);
        let shifted = places.iter().map(|place| Place {
            offset: cx.terms.add(place.offset, k),
            ..place.clone()
        });
        let shifted: Places = shifted.collect();
        read(cx, reader, records, &shifted, 1)
    });
    let cut = 8 * n == cx.terms.pointer_width()
        && cx.terms.has_base(pieces)
        && cx.terms.cases(pieces).iter().any(|case| case.base.is_none());
    if cut {
        read_pointer(cx, reader, records, places, pieces)
    } else {
        pieces
    }
}

/// The default value of `n` bytes at `places`.
pub fn never_written(cx: &mut Cx, reader: Reader, places: &Places, n: u32) -> TermId {
    let mut oldest: Option<TermId> = None;
    for place in places {
        let init = reader
            .sizes
            .header(place.base)
            .map_or(Init::Undefined, |header| header.init);
        let value = default(cx, init, 0, place.base, place.offset, n);
        oldest = Some(match oldest {
            Some(rest) => cx.terms.ite(place.guard, value, rest),
            None => value,
        });
    }
    oldest.expect("a read has a place")
}

/// A word at `places`, equal to `pieces`, in a form that keeps the pointers in it whole: a word that one record covers,
/// or that none touches, is read as a whole. `pieces` is left for words that are cut by records.
fn read_pointer(cx: &mut Cx, reader: Reader, records: &[Record], places: &Places, pieces: TermId) -> TermId {
    let n = cx.terms.pointer_width() / 8;
    let mut layers: Vec<(TermId, TermId)> = Vec::new();
    for (index, record) in records.iter().enumerate().rev() {
        for place in places {
            let mut layer = |cx: &mut Cx, condition: TermId, value: TermId| {
                let condition = cx.terms.and(place.guard, condition);
                if !matches!(cx.may(reader.sizes, condition), Truth::Never) {
                    layers.push((condition, value));
                }
            };
            match hit(cx, reader, records, index, record, place, n) {
                Hit::Never => {}
                Hit::When(condition, value) => layer(cx, condition, value),
                Hit::Partly => {
                    for origin in record.places.iter().filter(|origin| origin.base == place.base) {
                        if let Some((condition, value)) =
                            covers(cx, reader, &records[..index], &record.span, origin, place, n)
                        {
                            let condition = cx.terms.and(origin.guard, condition);
                            layer(cx, condition, value);
                        }
                    }
                    let touched = touches(cx, record, place, n);
                    layer(cx, touched, pieces);
                }
            }
        }
    }
    let oldest = never_written(cx, reader, places, n);
    fold(cx.terms, oldest, &layers)
}

/// When a record covers all of a word with a possible pointer, and that pointer. Parts of wider writes do not count.
fn covers(
    cx: &mut Cx,
    reader: Reader,
    older: &[Record],
    span: &Span,
    origin: &Place,
    place: &Place,
    n: u32,
) -> Option<(TermId, TermId)> {
    match span {
        Span::Cell { bytes, value } if *bytes == n => {
            let same = cx.terms.eq(place.offset, origin.offset);
            Some((same, cx.terms.of_value(*value, 8 * n)))
        }
        Span::Range {
            len,
            spread: Spread::Copy { from, until },
        } => {
            let distance = cx.terms.sub(place.offset, origin.offset);
            let size = cx.word_const(n as u64);
            let fits = cx.terms.ule(size, *len);
            let last = cx.terms.sub(*len, size);
            let begins = cx.terms.ule(distance, last);
            let inside = cx.terms.and(fits, begins);
            let value = read_copied(cx, reader, older, from, *until, distance, n);
            Some((inside, value))
        }
        Span::Cells(cells) if cells.bytes == n => {
            let distance = cx.terms.sub(place.offset, origin.offset);
            Some(one_of_cells(cx, cells, distance, n))
        }
        _ => None,
    }
}

/// The condition under which a record touches any of `n` bytes at a place.
fn touches(cx: &mut Cx, record: &Record, place: &Place, n: u32) -> TermId {
    let size = cx.word_const(n as u64);
    let mut any = cx.terms.fls();
    let mut touch = |cx: &mut Cx, guard: TermId, start: TermId, len: TermId| {
        let (after, before) = (cx.terms.sub(place.offset, start), cx.terms.sub(start, place.offset));
        let (reaches, reached) = (cx.terms.ult(after, len), cx.terms.ult(before, size));
        let near = cx.terms.or(reaches, reached);
        let zero = cx.word_const(0);
        let some = cx.terms.ne(len, zero);
        let touched = cx.terms.and(some, near);
        let touched = cx.terms.and(guard, touched);
        any = cx.terms.or(any, touched);
    };
    for origin in record.places.iter().filter(|origin| origin.base == place.base) {
        let len = match &record.span {
            Span::Cell { bytes, .. } => cx.word_const(*bytes as u64),
            Span::Range { len, .. } => *len,
            Span::Cells(cells) => cells.len(cx.terms),
            Span::Block { .. } | Span::Reset { .. } => unreachable!("these name their base themselves"),
        };
        touch(cx, origin.guard, origin.offset, len);
    }
    if let Span::Block { base, offset, bytes } = &record.span
        && *base == place.base
    {
        let (guard, start, len) = (
            cx.terms.tru(),
            cx.word_const(*offset),
            cx.word_const(bytes.len() as u64),
        );
        touch(cx, guard, start, len);
    }
    any
}

/// The bytes at a distance from where a copy began to read, according to the first `until` records.
fn read_copied(
    cx: &mut Cx,
    reader: Reader,
    older: &[Record],
    from: &Places,
    until: usize,
    distance: TermId,
    n: u32,
) -> TermId {
    let shifted = from.iter().map(|from| Place {
        offset: cx.terms.add(from.offset, distance),
        ..from.clone()
    });
    let shifted: Places = shifted.collect();
    read(cx, reader, &older[..until], &shifted, n)
}

fn fold(terms: &mut Terms, oldest: TermId, newer: &[(TermId, TermId)]) -> TermId {
    newer
        .iter()
        .rev()
        .fold(oldest, |rest, &(condition, value)| terms.ite(condition, value, rest))
}

/// How a record affects a read of `n` bytes.
pub enum Hit {
    Never,
    /// All bytes are this value when the collision formula holds, and none otherwise.
    When(TermId, TermId),
    /// Some bytes may collide and others not.
    Partly,
}

pub fn hit(
    cx: &mut Cx,
    reader: Reader,
    records: &[Record],
    index: usize,
    record: &Record,
    place: &Place,
    n: u32,
) -> Hit {
    match &record.span {
        Span::Block { base, offset, bytes } => block(cx, *base, *offset, bytes, place, n),
        Span::Reset { base, .. } if *base != place.base => Hit::Never,
        Span::Reset { base, round, .. } => {
            let tru = cx.terms.tru();
            Hit::When(tru, default(cx, Init::Undefined, *round, *base, place.offset, n))
        }
        Span::Cell { .. } | Span::Range { .. } | Span::Cells(_) => {
            // The collision formula over all addresses of the record that share the segment.
            let mut found: Option<(TermId, TermId)> = None;
            for origin in record.places.iter().filter(|origin| origin.base == place.base) {
                let one = match &record.span {
                    Span::Cell { bytes, value } => cell(cx, *bytes, *value, origin, place, n),
                    Span::Range { len, spread } => range(cx, reader, &records[..index], *len, spread, origin, place, n),
                    Span::Cells(cells) => hit_cells(cx, cells, origin, place, n),
                    Span::Block { .. } | Span::Reset { .. } => unreachable!("these are handled above"),
                };
                match one {
                    Hit::Never => {}
                    Hit::Partly => return Hit::Partly,
                    Hit::When(condition, value) => {
                        let condition = cx.terms.and(origin.guard, condition);
                        found = Some(match found {
                            None => (condition, value),
                            Some((other, rest)) => {
                                (cx.terms.or(condition, other), cx.terms.ite(condition, value, rest))
                            }
                        });
                    }
                }
            }
            found.map_or(Hit::Never, |(condition, value)| Hit::When(condition, value))
        }
    }
}

fn cell(cx: &mut Cx, bytes: u32, value: Value, origin: &Place, place: &Place, n: u32) -> Hit {
    let width = cx.terms.pointer_width();
    let distance = cx.terms.sub(place.offset, origin.offset);
    if let Some(skip) = cx.terms.as_const(distance) {
        let before = truncate(skip.wrapping_neg(), width);
        if skip >= bytes as u64 && before >= n as u64 {
            return Hit::Never;
        }
        if skip < bytes as u64 && skip + n as u64 <= bytes as u64 {
            let value = cx.terms.of_value(value, 8 * bytes);
            let part = cx.terms.extract(value, 8 * skip as u32, 8 * n);
            return Hit::When(cx.terms.tru(), part);
        }
    }
    let value = cx.terms.of_value(value, 8 * bytes);
    if bytes == n && n.is_power_of_two() && cx.terms.known_zero_low_bits(distance) >= n.trailing_zeros() {
        let same = cx.terms.eq(place.offset, origin.offset);
        return Hit::When(same, value);
    }
    if n > 1 {
        return Hit::Partly;
    }
    let size = cx.word_const(bytes as u64);
    let inside = cx.terms.ult(distance, size);
    let byte = byte_of(cx, value, bytes, distance);
    Hit::When(inside, byte)
}

fn hit_cells(cx: &mut Cx, cells: &Cells, origin: &Place, place: &Place, n: u32) -> Hit {
    let &Cells { stride, bytes, .. } = cells;
    let distance = cx.terms.sub(place.offset, origin.offset);
    let aligned = n.is_power_of_two() && cx.terms.known_zero_low_bits(distance) >= n.trailing_zeros();
    let whole = n == 1 || bytes == n && aligned && stride.is_multiple_of(n.into());
    if !whole {
        return Hit::Partly;
    }
    let (condition, value) = one_of_cells(cx, cells, distance, n);
    Hit::When(condition, value)
}

/// When `n` bytes at a distance from the start are a cell, or a byte of one, and their value then.
fn one_of_cells(cx: &mut Cx, cells: &Cells, distance: TermId, n: u32) -> (TermId, TermId) {
    let condition = cells.cover(cx.terms, distance, n);
    let (value, rest) = cells.at(cx.terms, distance);
    let part = match cells.bytes == n {
        true => value,
        false => byte_of(cx, value, cells.bytes, rest),
    };
    (condition, part)
}

/// The byte of a value at a distance from its start.
fn byte_of(cx: &mut Cx, value: TermId, bytes: u32, distance: TermId) -> TermId {
    let mut entries: SmallVec<[(u64, TermId); 8]> = smallvec![];
    for k in 1..bytes {
        entries.push((k as u64, cx.terms.extract(value, 8 * k, 8)));
    }
    let first = cx.terms.extract(value, 0, 8);
    cx.terms.lookup(distance, &entries, first)
}

#[allow(clippy::too_many_arguments)]
fn range(
    cx: &mut Cx,
    reader: Reader,
    older: &[Record],
    len: TermId,
    spread: &Spread,
    origin: &Place,
    place: &Place,
    n: u32,
) -> Hit {
    let distance = cx.terms.sub(place.offset, origin.offset);
    let whole = match (cx.terms.as_const(distance), cx.terms.as_const(len)) {
        (Some(skip), Some(len)) => {
            let before = truncate(skip.wrapping_neg(), cx.terms.pointer_width());
            if skip >= len && before >= n as u64 {
                return Hit::Never;
            }
            skip < len && skip + n as u64 <= len
        }
        _ => false,
    };
    if n > 1 && !whole {
        return Hit::Partly;
    }
    let inside = if whole {
        cx.terms.tru()
    } else {
        cx.terms.ult(distance, len)
    };
    if cx.terms.is_false(inside) {
        return Hit::Never;
    }
    let value = match spread {
        Spread::Byte(byte) => join(cx, n, |_, _| *byte),
        Spread::Symbol(symbol) => bytes_of_symbol(cx, *symbol, distance, n),
        Spread::Copy { from, until } => read_copied(cx, reader, older, from, *until, distance, n),
    };
    Hit::When(inside, value)
}

fn block(cx: &mut Cx, base: BaseId, offset: u64, bytes: &[u8], place: &Place, n: u32) -> Hit {
    if base != place.base {
        return Hit::Never;
    }
    if let Some(at) = cx.terms.as_const(place.offset) {
        // If a copy does not reach this far, its place may lie outside the object, even before its beginning.
        let (end, limit) = (at.saturating_add(n as u64), offset + bytes.len() as u64);
        if at >= offset && end <= limit {
            let start = (at - offset) as usize;
            let bits = mneme_term::Bits::from_bytes_le(8 * n, &bytes[start..start + n as usize]);
            return Hit::When(cx.terms.tru(), cx.terms.constant_bits(&bits));
        }
        if end <= offset || at >= limit {
            return Hit::Never;
        }
    }
    if n > 1 {
        return Hit::Partly;
    }
    let start = cx.word_const(offset);
    let distance = cx.terms.sub(place.offset, start);
    let len = cx.word_const(bytes.len() as u64);
    let inside = cx.terms.ult(distance, len);
    let entries: Vec<(u64, TermId)> = bytes
        .iter()
        .enumerate()
        .map(|(k, &byte)| (k as u64, cx.terms.constant(8, byte as u64)))
        .collect();
    let zero = cx.terms.constant(8, 0);
    let value = cx.terms.lookup(distance, &entries, zero);
    Hit::When(inside, value)
}
