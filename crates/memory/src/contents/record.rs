//! Records: writes that are not in the top layer, because their place is symbolic or something newer may collide with
//! them.

use super::layer::{Layer, Presence, Window};
use super::{Ask, Cells, Contents};
use mneme_term::{Strided, TermId, Terms, Tracer, truncate};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A read that can get at most this many different parts of a cell is a table of them.
const FEW_PARTS: u64 = 16;

#[derive(Clone, Debug)]
pub enum Record {
    /// A write at one place, where `guard` holds.
    At { guard: TermId, offset: TermId, span: Span },
    /// Writes at concrete places.
    Layer(Layer),
}

/// What is written, as a function of the distance from the start. Lengths have pointer width.
#[derive(Clone, Debug)]
pub enum Span {
    Cell {
        value: TermId,
        bytes: u32,
    },
    Fill {
        len: TermId,
        byte: TermId,
    },
    Cells(Cells),
    /// The bytes of `from` from `at` on.
    Copy {
        len: TermId,
        from: Rc<Contents>,
        at: TermId,
    },
}

/// How a record affects a read.
pub enum Hit {
    Never,
    Always(TermId),
    /// All bytes are this value where the condition holds, and none elsewhere.
    When(TermId, TermId),
    /// At these offsets all bytes are these values, and none elsewhere.
    Table(BTreeMap<u64, TermId>),
    /// Some bytes may be hit and others not.
    Partly,
}

/// One step of a read, newest first.
pub enum Over {
    When(TermId, TermId),
    /// By offset.
    Table(BTreeMap<u64, TermId>),
}

/// What was found so far for a read at `offset`.
pub struct Found {
    offset: TermId,
    window: Window,
    over: Vec<Over>,
    /// The places of the window that the tables cover.
    known: FxHashSet<u64>,
}

impl Found {
    pub fn new(offset: TermId, window: Window) -> Found {
        Found {
            offset,
            window,
            over: Vec::new(),
            known: FxHashSet::default(),
        }
    }

    pub fn push(&mut self, over: Over) {
        match (over, self.over.last_mut()) {
            (Over::Table(mut entries), last) => {
                entries.retain(|at, _| self.window.contains(*at) && self.known.insert(*at));
                match last {
                    // Consecutive tables are one table, however many writes they come from.
                    Some(Over::Table(table)) => table.extend(entries),
                    _ => self.over.push(Over::Table(entries)),
                }
            }
            (over, _) => self.over.push(over),
        }
    }

    /// Whether nothing older matters, because the tables cover all places.
    pub fn is_complete(&self) -> bool {
        self.known
            .len()
            .checked_sub(1)
            .is_some_and(|steps| steps as u64 == self.window.steps())
    }

    /// The value, if nothing older matters.
    pub fn complete(mut self, terms: &mut Terms) -> TermId {
        let Some(Over::Table(oldest)) = self.over.pop() else {
            unreachable!("it is a table that makes it complete")
        };
        let oldest: Vec<(u64, TermId)> = oldest.into_iter().collect();
        let oldest = terms.lookup_among(self.offset, &oldest);
        self.or(terms, oldest)
    }

    /// The newest value that applies, otherwise `oldest`.
    pub fn or(self, terms: &mut Terms, oldest: TermId) -> TermId {
        self.over.into_iter().rev().fold(oldest, |rest, over| match over {
            Over::When(condition, value) => terms.ite(condition, value, rest),
            Over::Table(entries) => {
                let entries: Vec<(u64, TermId)> = entries.into_iter().collect();
                terms.lookup(self.offset, &entries, rest)
            }
        })
    }
}

impl Record {
    pub fn trace(&self, tracer: &mut Tracer, seen: &mut FxHashSet<*const Contents>) {
        let (guard, offset, span) = match self {
            Record::Layer(layer) => return layer.trace(tracer),
            Record::At { guard, offset, span } => (guard, offset, span),
        };
        [guard, offset].into_iter().for_each(|&t| tracer.term(t));
        match span {
            Span::Cell { value, .. } => tracer.term(*value),
            Span::Fill { len, byte } => [len, byte].into_iter().for_each(|&t| tracer.term(t)),
            Span::Cells(cells) => cells.trace(tracer),
            Span::Copy { len, from, at } => {
                [len, at].into_iter().for_each(|&t| tracer.term(t));
                if seen.insert(Rc::as_ptr(from)) {
                    from.trace_new(tracer, seen);
                }
            }
        }
    }

    /// Whether two records are surely the same, by a quick test.
    pub fn is(&self, other: &Record) -> bool {
        match (self, other) {
            (Record::Layer(one), Record::Layer(other)) => {
                let chunks = one.chunks().max(other.chunks());
                (0..chunks).all(|index| Layer::share(&[one, other], index))
            }
            (
                Record::At { guard, offset, span },
                Record::At {
                    guard: other_guard,
                    offset: other_offset,
                    span: other_span,
                },
            ) => guard == other_guard && offset == other_offset && span.is(other_span),
            _ => false,
        }
    }

    /// The bytes it writes where its guard holds, if they are known: start and length.
    pub fn certain(&self, terms: &Terms) -> Option<(u64, u64)> {
        let Record::At { offset, span, .. } = self else {
            return None;
        };
        let start = terms.as_const(*offset)?;
        let len = match span {
            Span::Cell { bytes, .. } => *bytes as u64,
            Span::Fill { len, .. } | Span::Copy { len, .. } => terms.as_const(*len)?,
            Span::Cells(_) => return None,
        };
        Some((start, len))
    }

    pub fn hit(&self, terms: &mut Terms, ask: &mut Ask, place: TermId, n: u32, len: u64) -> Hit {
        let (guard, offset, span) = match self {
            Record::Layer(layer) => return layer.hit(terms, place, n, len),
            Record::At { guard, offset, span } => (*guard, *offset, span),
        };
        let (low, most) = match span {
            Span::Cell { bytes, .. } => (*bytes as u64, *bytes as u64),
            Span::Fill { len, .. } | Span::Copy { len, .. } => terms.range(*len),
            Span::Cells(cells) => (0, cells.longest(terms)),
        };
        if apart(terms, offset, most, place, n as u64) {
            return Hit::Never;
        }
        let distance = terms.sub(place, offset);
        let Some(near) = near(terms, distance, most, n) else {
            return Hit::Never;
        };
        if let Some(skip) = terms.as_const(distance) {
            let before = truncate(skip.wrapping_neg(), terms.pointer_width());
            if skip >= most && before >= n as u64 {
                return Hit::Never;
            }
            if skip < low && n as u64 <= low - skip {
                let value = span.value(terms, ask, distance, n);
                return value.map_or(Hit::Never, |value| when(terms, guard, value));
            }
        }
        // Wherever it is touched at all, it is written completely.
        let is_whole = near.low >= 0 && (near.high as u64).saturating_add(n as u64) <= low;
        if n > 1 && !is_whole && !span.is_all_or_nothing(terms, distance, n) {
            return span.settle(terms, ask, guard, distance, n);
        }
        if let (true, Some(start), Span::Cell { value, .. }) =
            (is_whole && terms.is_true(guard), terms.as_const(offset), span)
            && near.steps() < FEW_PARTS
        {
            let part = |skip: i64| (start + skip as u64, terms.extract(*value, 8 * skip as u32, 8 * n));
            return Hit::Table(near.iter().map(part).collect());
        }
        let condition = match is_whole {
            true => among(terms, distance, near),
            false => span.covers(terms, distance, n),
        };
        let condition = terms.and(guard, condition);
        if terms.is_false(condition) {
            return Hit::Never;
        }
        let value = span.value(terms, ask, distance, n);
        value.map_or(Hit::Never, |value| when(terms, condition, value))
    }

    /// For a word at `place` that was cut into `pieces`: when the record covers all of it with a possible pointer, and
    /// when it touches it at all.
    pub fn pointer(
        &self,
        terms: &mut Terms,
        ask: &mut Ask,
        place: TermId,
        n: u32,
        len: u64,
        pieces: TermId,
    ) -> SmallVec<[Over; 2]> {
        let mut out = SmallVec::new();
        let (guard, offset, span) = match self {
            Record::Layer(layer) => return layer.pointers(terms, place, n, len, pieces).into_iter().collect(),
            Record::At { guard, offset, span } => (*guard, *offset, span),
        };
        let distance = terms.sub(place, offset);
        let whole = match span {
            Span::Cell { bytes, .. } | Span::Cells(Cells { bytes, .. }) => *bytes == n,
            Span::Fill { .. } => false,
            Span::Copy { .. } => true,
        };
        if whole && let Some(value) = span.value(terms, ask, distance, n) {
            let covers = span.covers(terms, distance, n);
            out.push(Over::When(terms.and(guard, covers), value));
        }
        let touches = span.touches(terms, distance, n);
        out.push(Over::When(terms.and(guard, touches), pieces));
        out
    }
}

impl Span {
    fn is(&self, other: &Span) -> bool {
        match (self, other) {
            (
                Span::Cell { value, bytes },
                Span::Cell {
                    value: other_value,
                    bytes: other_bytes,
                },
            ) => value == other_value && bytes == other_bytes,
            (
                Span::Fill { len, byte },
                Span::Fill {
                    len: other_len,
                    byte: other_byte,
                },
            ) => len == other_len && byte == other_byte,
            (
                Span::Copy { len, from, at },
                Span::Copy {
                    len: other_len,
                    from: other_from,
                    at: other_at,
                },
            ) => len == other_len && at == other_at && Rc::ptr_eq(from, other_from),
            (Span::Cells(cells), Span::Cells(other)) => cells == other,
            _ => false,
        }
    }

    fn len(&self, terms: &mut Terms) -> TermId {
        match *self {
            Span::Cell { bytes, .. } => terms.constant(terms.pointer_width(), bytes as u64),
            Span::Fill { len, .. } | Span::Copy { len, .. } => len,
            Span::Cells(cells) => cells.len(terms),
        }
    }

    /// Whether `n` bytes at any such distance are written completely or not at all. This holds if all distances and
    /// lengths are multiples of `n`.
    fn is_all_or_nothing(&self, terms: &mut Terms, distance: TermId, n: u32) -> bool {
        if let Span::Cells(Cells { stride, bytes, .. }) = *self
            && (!stride.is_multiple_of(n.into()) || !bytes.is_multiple_of(n))
        {
            return false;
        }
        let len = self.len(terms);
        let aligned = |t| terms.known_zero_low_bits(t) >= n.trailing_zeros();
        n.is_power_of_two() && aligned(distance) && aligned(len)
    }

    /// The condition under which all of `n` bytes at a distance from the start are written.
    fn covers(&self, terms: &mut Terms, distance: TermId, n: u32) -> TermId {
        let width = terms.pointer_width();
        if matches!(self, Span::Cell { bytes, .. } if *bytes == n) {
            let zero = terms.constant(width, 0);
            return terms.eq(distance, zero);
        }
        if let Span::Cells(cells) = self {
            return cells.cover(terms, distance, n);
        }
        let len = self.len(terms);
        if n == 1 || self.is_all_or_nothing(terms, distance, n) {
            return terms.ult(distance, len);
        }
        let size = terms.constant(width, n as u64);
        let fits = terms.ule(size, len);
        let last = terms.sub(len, size);
        let begins = terms.ule(distance, last);
        terms.and(fits, begins)
    }

    /// The condition under which any of `n` bytes at a distance from the start are written; gaps between cells count as
    /// written.
    fn touches(&self, terms: &mut Terms, distance: TermId, n: u32) -> TermId {
        let width = terms.pointer_width();
        let len = self.len(terms);
        let zero = terms.constant(width, 0);
        let size = terms.constant(width, n as u64);
        let before = terms.sub(zero, distance);
        let (reaches, reached) = (terms.ult(distance, len), terms.ult(before, size));
        let some = terms.ne(len, zero);
        let near = terms.or(reaches, reached);
        terms.and(some, near)
    }

    /// Bytes that may be cut: the path may imply that they are not.
    fn settle(&self, terms: &mut Terms, ask: &mut Ask, guard: TermId, distance: TermId, n: u32) -> Hit {
        let touches = self.touches(terms, distance, n);
        let touched = terms.and(guard, touches);
        if !ask(terms, touched) {
            return Hit::Never;
        }
        let covers = self.covers(terms, distance, n);
        let outside = terms.not(covers);
        let cut = terms.and(touched, outside);
        if ask(terms, cut) {
            return Hit::Partly;
        }
        let condition = terms.and(guard, covers);
        let value = self.value(terms, ask, distance, n);
        value.map_or(Hit::Never, |value| when(terms, condition, value))
    }

    /// The `n` bytes at a distance from the start, given that they are written. `None`: they surely are not.
    fn value(&self, terms: &mut Terms, ask: &mut Ask, distance: TermId, n: u32) -> Option<TermId> {
        match *self {
            Span::Cell { value, bytes } if bytes == n => Some(value),
            Span::Cell { value, bytes } => Some(part(terms, value, bytes, distance, n)),
            Span::Cells(cells) => {
                let (value, rest) = cells.at(terms, distance);
                match cells.bytes == n {
                    true => Some(value),
                    false if cells.bytes < n => None,
                    false => Some(part(terms, value, cells.bytes, rest, n)),
                }
            }
            Span::Fill { byte, .. } => {
                let mut whole = byte;
                for _ in 1..n {
                    whole = terms.concat(byte, whole);
                }
                Some(whole)
            }
            Span::Copy { ref from, at, .. } => {
                let place = terms.add(at, distance);
                if from.is_outside(terms, place, n) {
                    return None;
                }
                Some(from.read_term(terms, ask, place, n))
            }
        }
    }
}

impl Layer {
    pub fn hit(&self, terms: &mut Terms, place: TermId, n: u32, len: u64) -> Hit {
        if let Some(at) = terms.as_const(place) {
            return match self.presence(at, n) {
                Presence::None => Hit::Never,
                Presence::Some => Hit::Partly,
                Presence::All => Hit::Always(self.read(terms, at, n)),
            };
        }
        let window = Window::of(terms, place, n, len);
        let mut places = Vec::new();
        let mut cut = false;
        self.places(window, n, |at| {
            cut = self.presence(at, n) == Presence::Some;
            places.push(at);
            !cut
        });
        if cut {
            return Hit::Partly;
        }
        if places.is_empty() {
            return Hit::Never;
        }
        let is_complete = places.len() as u64 - 1 == window.steps();
        let entries: Vec<(u64, TermId)> = places.into_iter().map(|at| (at, self.read(terms, at, n))).collect();
        match is_complete {
            true => Hit::Always(terms.lookup_among(place, &entries)),
            false => Hit::Table(entries.into_iter().collect()),
        }
    }

    /// Like `Record::pointer`.
    pub fn pointers(&self, terms: &mut Terms, place: TermId, n: u32, len: u64, pieces: TermId) -> Option<Over> {
        let mut places = Vec::new();
        let window = match terms.as_const(place) {
            Some(at) => Window::at(at),
            None => Window::of(terms, place, n, len),
        };
        self.places(window, n, |at| {
            places.push(at);
            true
        });
        let mut value = |at| match self.presence(at, n) {
            Presence::All => self.read(terms, at, n),
            _ => pieces,
        };
        let entries: BTreeMap<u64, TermId> = places.into_iter().map(|at| (at, value(at))).collect();
        (!entries.is_empty()).then_some(Over::Table(entries))
    }
}

/// `n` bytes, from `distance` on, of a value of `bytes` bytes.
fn part(terms: &mut Terms, value: TermId, bytes: u32, distance: TermId, n: u32) -> TermId {
    match terms.as_const(distance) {
        Some(skip) if skip + n as u64 <= bytes as u64 => terms.extract(value, 8 * skip as u32, 8 * n),
        // Shifted by an unknown distance, a pointer would become a number.
        _ if terms.has_base(value) => {
            let inside = terms.strided(distance).between(0, i64::from(bytes - n));
            let part = |skip: i64| (skip as u64, terms.extract(value, 8 * skip as u32, 8 * n));
            let parts: Vec<(u64, TermId)> = inside.into_iter().flat_map(Strided::iter).map(part).collect();
            match parts.is_empty() {
                true => terms.extract(value, 0, 8 * n),
                false => terms.lookup_among(distance, &parts),
            }
        }
        _ => {
            let wide = (8 * bytes).max(terms.pointer_width());
            let value = terms.zext(value, wide);
            let distance = terms.resize_zext(distance, wide);
            let three = terms.constant(wide, 3);
            let shift = terms.shl(distance, three);
            let shifted = terms.lshr(value, shift);
            terms.extract(shifted, 0, 8 * n)
        }
    }
}

/// The condition that a distance is one of `near`, which are all distances this close. Written so that neighbouring
/// bytes have the same condition.
fn among(terms: &mut Terms, distance: TermId, near: Strided) -> TermId {
    let width = terms.pointer_width();
    let (low, span) = (
        terms.constant(width, near.low as u64),
        terms.constant(width, near.high.abs_diff(near.low)),
    );
    let behind = terms.sub(distance, low);
    terms.ule(behind, span)
}

fn when(terms: &Terms, condition: TermId, value: TermId) -> Hit {
    if terms.is_true(condition) {
        Hit::Always(value)
    } else if terms.is_false(condition) {
        Hit::Never
    } else {
        Hit::When(condition, value)
    }
}

/// Whether two ranges are surely disjoint, given what is known of the two offsets (both inside an object, so neither
/// range wraps).
fn apart(terms: &Terms, a: TermId, a_len: u64, b: TermId, b_len: u64) -> bool {
    let (a_low, a_high) = terms.range(a);
    let (b_low, b_high) = terms.range(b);
    a_high.saturating_add(a_len) <= b_low || b_high.saturating_add(b_len) <= a_low
}

/// The distances from the start of a write of at most `most` bytes at which `n` bytes touch it. Both lie inside one
/// object, so a distance is a signed number.
fn near(terms: &Terms, distance: TermId, most: u64, n: u32) -> Option<Strided> {
    let last = i64::try_from(most).unwrap_or(i64::MAX).checked_sub(1)?;
    terms.strided(distance).between(1 - i64::from(n), last)
}
