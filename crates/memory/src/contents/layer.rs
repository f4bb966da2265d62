//! What was written at concrete offsets: bytes, pointers and terms in lazily made chunks. Absent bytes are transparent.

use super::chunk::{ABSENT, CONCRETE, Chunk, Run};
use mneme_term::{Bits, TermId, Terms, Tracer, Value};
use smallvec::SmallVec;
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a chunk of a large object; smaller objects are one chunk of their own size.
pub const CHUNK: u64 = 4096;

#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Most objects have at most one.
    chunks: SmallVec<[Option<Rc<Chunk>>; 1]>,
}

/// What a part of a layer holds.
pub enum Piece<'a> {
    Absent(u64),
    Bytes(&'a [u8]),
    /// `bytes` bytes, from byte `from` on, of a value of `size` bytes.
    Value {
        value: Value,
        size: u32,
        from: u32,
        bytes: u32,
    },
}

/// How much of a range is present.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Presence {
    None,
    Some,
    All,
}

/// The shape of an object that its chunks follow.
#[derive(Copy, Clone, Debug)]
pub struct Shape {
    /// Its length, or a bound of it.
    pub len: u64,
    /// Bytes of a pointer.
    pub word: u32,
}

/// What a new chunk holds.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Fresh {
    Nothing,
    Zeros,
}

/// Calls `f(offset, bytes)` for the parts of a range that lie in one chunk each.
pub fn parts(range: Range<u64>, mut f: impl FnMut(u64, u32)) {
    let mut at = range.start;
    while at < range.end {
        let bytes = (CHUNK - at % CHUNK).min(range.end - at);
        f(at, bytes as u32);
        at += bytes;
    }
}

impl Layer {
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(Option::is_none)
    }

    /// The chunk of an offset, and the position in it.
    #[inline(always)]
    pub fn chunk(&self, offset: u64) -> Option<(&Chunk, u32)> {
        let chunk = self.chunks.get((offset / CHUNK) as usize)?.as_ref()?;
        Some((chunk, (offset % CHUNK) as u32))
    }

    #[inline(always)]
    pub fn chunk_mut(&mut self, offset: u64, shape: Shape, fresh: Fresh) -> (&mut Chunk, u32) {
        let index = (offset / CHUNK) as usize;
        if index >= self.chunks.len() {
            self.chunks.resize(index + 1, None);
        }
        let slot = &mut self.chunks[index];
        if slot.is_none() {
            let len = (shape.len - index as u64 * CHUNK).min(CHUNK) as usize;
            let tag = match fresh {
                Fresh::Nothing => ABSENT,
                Fresh::Zeros => CONCRETE,
            };
            *slot = Some(Rc::new(Chunk::new(len, tag, shape.word)));
        }
        let chunk = Rc::make_mut(slot.as_mut().expect("just made"));
        (chunk, (offset % CHUNK) as u32)
    }

    /// How many chunks there is room for.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Whether all layers share the chunk with this number.
    pub fn share(layers: &[&Layer], index: usize) -> bool {
        let chunk = |layer: &Layer| layer.chunks.get(index).and_then(|chunk| chunk.as_ref().map(Rc::as_ptr));
        layers.iter().all(|layer| chunk(layer) == chunk(layers[0]))
    }

    /// What is at `at`, up to `end`, which is in the same chunk.
    pub fn piece(&self, at: u64, end: u64, mut f: impl FnMut(Piece)) {
        let mut first = true;
        self.pieces(at..end, |_, piece| {
            if std::mem::take(&mut first) {
                f(piece);
            }
        });
    }

    /// Whether any chunk reaches into a range.
    pub fn touches(&self, range: Range<u64>) -> bool {
        self.spans(range).next().is_some()
    }

    /// The chunks that reach into a range: their number, and the part of the range in each.
    fn spans(&self, range: Range<u64>) -> impl Iterator<Item = (usize, Range<u32>)> + use<> {
        let mut out: SmallVec<[(usize, Range<u32>); 2]> = SmallVec::new();
        if range.is_empty() {
            return out.into_iter();
        }
        let first = (range.start / CHUNK) as usize;
        let last = ((range.end - 1) / CHUNK).min(self.chunks.len() as u64) as usize;
        for (index, chunk) in self
            .chunks
            .iter()
            .enumerate()
            .skip(first)
            .take((last + 1).saturating_sub(first))
        {
            let Some(chunk) = chunk else { continue };
            let start = index as u64 * CHUNK;
            let from = range.start.saturating_sub(start).min(chunk.len() as u64) as u32;
            let to = (range.end - start).min(chunk.len() as u64) as u32;
            if from < to {
                out.push((index, from..to));
            }
        }
        out.into_iter()
    }

    /// The pieces of a range, in order.
    pub fn pieces(&self, range: Range<u64>, mut f: impl FnMut(u64, Piece)) {
        parts(range, |start, n| {
            let Some((chunk, first)) = self.chunk(start) else {
                return f(start, Piece::Absent(n as u64));
            };
            let mut done = 0;
            while done < n {
                let at = first + done;
                let offset = start + done as u64;
                done += match chunk.run(at, n - done) {
                    Run::Concrete(k) => {
                        f(offset, Piece::Bytes(&chunk.bytes()[at as usize..(at + k) as usize]));
                        k
                    }
                    Run::Absent(k) => {
                        f(offset, Piece::Absent(k as u64));
                        k
                    }
                    Run::Cell { cell, from, bytes } => {
                        let (value, size) = (cell.value, cell.bytes);
                        f(
                            offset,
                            Piece::Value {
                                value,
                                size,
                                from,
                                bytes,
                            },
                        );
                        bytes
                    }
                    Run::Pointer {
                        base,
                        offset: to,
                        from,
                        bytes,
                    } => {
                        let (value, size) = (Value::Ptr { base, offset: to }, chunk.word());
                        f(
                            offset,
                            Piece::Value {
                                value,
                                size,
                                from,
                                bytes,
                            },
                        );
                        bytes
                    }
                };
            }
        });
    }

    /// Everything present in a range.
    pub fn present(&self, range: Range<u64>, mut f: impl FnMut(u64, Piece)) {
        for (index, part) in self.spans(range) {
            let start = index as u64 * CHUNK;
            self.pieces(start + part.start as u64..start + part.end as u64, &mut f);
        }
    }

    pub fn presence(&self, at: u64, n: u32) -> Presence {
        let (mut some, mut all) = (false, true);
        self.pieces(at..at + n as u64, |_, piece| match piece {
            Piece::Absent(_) => all = false,
            _ => some = true,
        });
        match (some, all) {
            (false, _) => Presence::None,
            (true, false) => Presence::Some,
            (true, true) => Presence::All,
        }
    }

    /// A range extended to all values that it cuts.
    pub fn whole(&self, range: Range<u64>) -> Range<u64> {
        let mut whole = range.clone();
        self.pieces(range, |at, piece| {
            if let Piece::Value { size, from, .. } = piece {
                whole.start = whole.start.min(at - from as u64);
                whole.end = whole.end.max(at + (size - from) as u64);
            }
        });
        whole
    }

    /// The value of `n` bytes at `at`, all of them present.
    pub fn read(&self, terms: &mut Terms, at: u64, n: u32) -> TermId {
        let mut whole: Option<TermId> = None;
        self.pieces(at..at + n as u64, |_, piece| {
            let part = piece.term(terms);
            whole = Some(match whole {
                Some(low) => terms.concat(part, low),
                None => part,
            });
        });
        whole.expect("a read has at least one byte")
    }

    pub fn write(&mut self, terms: &mut Terms, at: u64, n: u32, value: Value, shape: Shape, fresh: Fresh) {
        if at % CHUNK + n as u64 <= CHUNK {
            let (chunk, at) = self.chunk_mut(at, shape, fresh);
            chunk.store_any(terms, at, n, value);
            return;
        }
        let term = terms.of_value(value, 8 * n);
        parts(at..at + n as u64, |start, bytes| {
            let part = terms.extract(term, 8 * (start - at) as u32, 8 * bytes);
            let part = terms.to_value(part);
            let (chunk, at) = self.chunk_mut(start, shape, fresh);
            chunk.store_any(terms, at, bytes, part);
        });
    }

    pub fn write_bytes(&mut self, terms: &mut Terms, at: u64, bytes: &[u8], shape: Shape, fresh: Fresh) {
        parts(at..at + bytes.len() as u64, |start, n| {
            let from = (start - at) as usize;
            let (chunk, at) = self.chunk_mut(start, shape, fresh);
            chunk.store_bytes(terms, at, &bytes[from..from + n as usize]);
        });
    }

    pub fn erase(&mut self, terms: &mut Terms, range: Range<u64>) {
        for (index, part) in self.spans(range) {
            let slot = &mut self.chunks[index];
            let chunk = slot.as_mut().expect("spans are of chunks that exist");
            if part == (0..chunk.len()) {
                *slot = None;
            } else if chunk.next_present(part.start, part.end).is_some() {
                Rc::make_mut(chunk).erase(terms, part.start, part.end - part.start);
            }
        }
    }

    /// Erases zeros, where the bytes below are zeros too.
    pub fn erase_zeros(&mut self, range: Range<u64>) {
        for (index, part) in self.spans(range) {
            let chunk = self.chunks[index].as_mut().expect("spans are of chunks that exist");
            Rc::make_mut(chunk).erase_zeros(part.start, part.end);
        }
    }

    /// Takes out what is present in a range.
    pub fn take(&mut self, terms: &mut Terms, range: Range<u64>) -> Layer {
        let mut taken = Layer::default();
        for (index, part) in self.spans(range.clone()) {
            let chunk = self.chunks[index].as_ref().expect("spans are of chunks that exist");
            if chunk.next_present(part.start, part.end).is_none() {
                continue;
            }
            let mut chunk = chunk.clone();
            if part != (0..chunk.len()) {
                let len = chunk.len();
                let inner = Rc::make_mut(&mut chunk);
                inner.erase(terms, 0, part.start);
                inner.erase(terms, part.end, len - part.end);
            }
            taken.chunks.resize(index + 1, None);
            taken.chunks[index] = Some(chunk);
        }
        self.erase(terms, range);
        taken
    }

    /// The places of a window where some of the `n` bytes are present, in order. Ends when `f` returns false.
    pub fn places(&self, window: Window, n: u32, mut f: impl FnMut(u64) -> bool) {
        if window.low > window.high {
            return;
        }
        let mut next = window.low;
        for (index, part) in self.spans(window.low..window.high.saturating_add(n as u64)) {
            let chunk = self.chunks[index].as_ref().expect("spans are of chunks that exist");
            let start = index as u64 * CHUNK;
            loop {
                let from = next.saturating_sub(start).min(CHUNK) as u32;
                let Some(found) = chunk.next_present(from.max(part.start), part.end) else {
                    break;
                };
                let found = start + found as u64;
                // The first place not yet visited whose bytes reach this far.
                let Some(at) = window.align((found + 1).saturating_sub(n as u64).max(next)) else {
                    return;
                };
                if at > window.high || at <= found && !f(at) {
                    return;
                }
                next = if at > found { at } else { at + window.stride };
            }
        }
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        for chunk in self.chunks.iter().flatten() {
            for cell in chunk.cells.values() {
                tracer.value(cell.value);
            }
        }
    }
}

/// Where an access can begin, given what is known of its offset: `low`, `low + stride`, … up to `high`. Empty if `low`
/// is above `high`.
#[derive(Copy, Clone, Debug)]
pub struct Window {
    pub low: u64,
    pub high: u64,
    stride: u64,
}

impl Window {
    const EMPTY: Window = Window {
        low: 1,
        high: 0,
        stride: 1,
    };

    /// The first place from `at` on.
    fn align(&self, at: u64) -> Option<u64> {
        match at.checked_sub(self.low) {
            Some(beyond) => self.low.checked_add(beyond.checked_next_multiple_of(self.stride)?),
            None => Some(self.low),
        }
    }

    /// How many places it has, minus one: the count itself may overflow 64 bits.
    pub fn steps(&self) -> u64 {
        (self.high - self.low) / self.stride
    }

    pub fn contains(&self, at: u64) -> bool {
        self.low <= at && at <= self.high && (at - self.low).is_multiple_of(self.stride)
    }

    pub fn at(place: u64) -> Window {
        Window {
            low: place,
            high: place,
            stride: 1,
        }
    }

    /// The window of `n` bytes at `offset` inside an object of at most `len` bytes.
    pub fn of(terms: &Terms, offset: TermId, n: u32, len: u64) -> Window {
        let Some(last) = len.checked_sub(n as u64) else {
            return Window::EMPTY;
        };
        // An object has less than half of all addresses: a negative offset is outside.
        let most = i64::MAX >> (64 - terms.pointer_width());
        let last = i64::try_from(last).map_or(most, |last| last.min(most));
        match terms.strided(offset).between(0, last) {
            Some(places) => Window {
                low: places.low as u64,
                high: places.high as u64,
                stride: places.stride.max(1),
            },
            None => Window::EMPTY,
        }
    }
}

impl Piece<'_> {
    pub fn term(&self, terms: &mut Terms) -> TermId {
        match *self {
            Piece::Absent(_) => unreachable!("only what is present has a value"),
            Piece::Bytes(bytes) => terms.constant_bits(&Bits::from_bytes_le(8 * bytes.len() as u32, bytes)),
            Piece::Value {
                value,
                size,
                from,
                bytes,
            } => {
                let term = terms.of_value(value, 8 * size);
                terms.extract(term, 8 * from, 8 * bytes)
            }
        }
    }
}
