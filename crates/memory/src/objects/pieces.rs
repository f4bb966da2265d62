//! Splitting: a large object that is accessed at symbolic offsets keeps its bytes in pieces of equal size (thesis
//! §3.2.4), so that a piece's contents, and the terms over them, stay small. It remains one object: bounds and life are
//! unaffected.
//!
//! An access that may straddle a border between pieces is left to the whole object, which is reassembled for it.

use super::Objects;
use super::home::{Home, moved};
use super::options::{PieceSize, Split};
use crate::contents::{Contents, Default as Unwritten, maybe};
use crate::places::{Part, Place, Places};
use crate::{Cx, Heap};
use mneme_term::{BaseId, Strided, TermId, Terms, Value};
use std::ops::Range;
use std::rc::Rc;

/// The smallest piece: where the thesis' sweep begins.
const SMALLEST: u64 = 32;
/// At most this many pieces that an access may be in count as few.
const FEW: usize = 2;

#[derive(Clone, Debug)]
pub struct Pieces {
    /// Bytes of each but the last, a multiple of 8.
    size: u64,
    len: u64,
    pub parts: Vec<Contents>,
}

/// Where an access at a symbolic offset can begin, and the numbers of the pieces that it can be in.
struct Reach {
    places: Strided,
    numbers: Vec<usize>,
}

impl Pieces {
    fn new(terms: &mut Terms, whole: Contents, len: u64, size: u64) -> Pieces {
        let (whole, always) = (Rc::new(whole), terms.tru());
        let starts = (0..len).step_by(size as usize);
        let part = |start: u64| {
            let bytes = size.min(len - start);
            let mut part = Contents::new(bytes, terms.pointer_width(), Unwritten::Zero);
            let (from, bytes) = (Value::Int(start), Value::Int(bytes));
            part.copy(terms, always, Value::Int(0), &whole, from, bytes);
            part
        };
        Pieces {
            size,
            len,
            parts: starts.map(part).collect(),
        }
    }

    /// Reassembles the contents.
    pub fn assemble(&self, terms: &mut Terms) -> Contents {
        let always = terms.tru();
        let mut whole = Contents::new(self.len, terms.pointer_width(), Unwritten::Zero);
        for (number, part) in self.parts.iter().enumerate() {
            let range = self.range(number);
            let (start, bytes) = (Value::Int(range.start), Value::Int(range.end - range.start));
            whole.copy(terms, always, start, &Rc::new(part.clone()), Value::Int(0), bytes);
        }
        whole
    }

    fn range(&self, number: usize) -> Range<u64> {
        let start = number as u64 * self.size;
        start..(start + self.size).min(self.len)
    }

    /// The piece that contains `n` bytes at a concrete place, and the offset in it.
    fn find(&self, at: u64, n: u32) -> Option<(usize, u64)> {
        let (number, within) = ((at / self.size) as usize, at % self.size);
        (within + n as u64 <= self.size && number < self.parts.len()).then_some((number, within))
    }

    #[inline]
    pub fn fast_load(&self, at: u64, n: u32) -> Option<Value> {
        let (number, within) = self.find(at, n)?;
        self.parts[number].fast_load(within, n)
    }

    #[inline]
    pub fn fast_store(&mut self, at: u64, n: u32, value: Value) -> bool {
        let place = self.find(at, n);
        place.is_some_and(|(number, within)| self.parts[number].fast_store(within, n, value))
    }

    /// Where `n` bytes can be, according to the terms.
    fn reach(&self, terms: &Terms, offset: TermId, n: u32) -> Reach {
        let last = self.len.saturating_sub(n as u64) as i64;
        let Some(places) = terms.strided(offset).between(0, last) else {
            // Nowhere: the caller continues under a condition that never holds.
            let places = Strided::one(0);
            return Reach {
                places,
                numbers: vec![0],
            };
        };
        let number = |at: i64| (at as u64 / self.size) as usize;
        let reached = |&number: &usize| self.places_in(number, places).is_some();
        let numbers = (number(places.low)..=number(places.high)).filter(reached).collect();
        Reach { places, numbers }
    }

    fn places_in(&self, number: usize, places: Strided) -> Option<Strided> {
        let range = self.range(number);
        places.between(range.start as i64, range.end as i64 - 1)
    }

    /// The condition that an offset is in this piece or an earlier one.
    fn up_to(&self, terms: &mut Terms, offset: TermId, number: usize) -> TermId {
        let end = terms.constant(terms.pointer_width(), self.range(number).end);
        terms.ult(offset, end)
    }

    fn inside(&self, terms: &mut Terms, offset: TermId, number: usize) -> TermId {
        let upper = self.up_to(terms, offset, number);
        if number == 0 {
            return upper;
        }
        let before = self.up_to(terms, offset, number - 1);
        let not_before = terms.not(before);
        terms.and(not_before, upper)
    }

    /// The offset in a piece, for an offset that lies in it. If there are many pieces of 2^k bytes, it is the same term
    /// for all (the low bits), so a comparison made for one piece serves the others, and pieces with equal contents
    /// have equal values. If there are few, it is the distance, since a range that ends near a border would be lost;
    /// the same holds for a stride that does not divide the size of a piece.
    fn within(&self, terms: &mut Terms, offset: TermId, reach: &Reach, number: usize) -> Value {
        let (width, start) = (terms.pointer_width(), self.range(number).start);
        if let Some(Strided { low, stride: 0, .. }) = self.places_in(number, reach.places) {
            return Value::Int(low as u64 - start);
        }
        let is_regular = self.size.is_power_of_two() && self.size.is_multiple_of(reach.places.stride);
        let within = if is_regular && reach.numbers.len() > FEW {
            let bits = terms.extract(offset, 0, self.size.trailing_zeros());
            terms.zext(bits, width)
        } else {
            let start = terms.constant(width, start);
            terms.sub(offset, start)
        };
        terms.to_value(within)
    }

    /// The value of `n` bytes, which do not straddle a border.
    fn read(&self, terms: &mut Terms, offset: TermId, n: u32) -> Value {
        // Neighbouring pieces with the same value, most of them never written, are one case: the last piece, and the
        // value.
        let mut runs: Vec<(usize, TermId)> = Vec::new();
        let reach = self.reach(terms, offset, n);
        for &number in &reach.numbers {
            let within = self.within(terms, offset, &reach, number);
            let here = self.parts[number].read(terms, &mut maybe, within, n);
            let here = terms.of_value(here, 8 * n);
            match runs.last_mut() {
                Some((last, value)) if *value == here => *last = number,
                _ => runs.push((number, here)),
            }
        }
        let value = self.choose(terms, offset, &runs);
        terms.to_value(value)
    }

    /// Binary, so that no case is behind many others.
    fn choose(&self, terms: &mut Terms, offset: TermId, runs: &[(usize, TermId)]) -> TermId {
        if let [(_, value)] = *runs {
            return value;
        }
        let (below, above) = runs.split_at(runs.len() / 2);
        let (last, _) = below[below.len() - 1];
        let condition = self.up_to(terms, offset, last);
        let (below, above) = (self.choose(terms, offset, below), self.choose(terms, offset, above));
        terms.ite(condition, below, above)
    }

    fn write(&mut self, terms: &mut Terms, guard: TermId, offset: TermId, n: u32, value: Value) {
        let reach = self.reach(terms, offset, n);
        for &number in &reach.numbers {
            let inside = self.inside(terms, offset, number);
            let guard = terms.and(guard, inside);
            let within = self.within(terms, offset, &reach, number);
            self.parts[number].write(terms, &mut maybe, guard, within, n, value);
        }
    }

    /// Calls `f(part, start in it, bytes, distance from the start)` for the pieces of a concrete range.
    fn each(&mut self, range: Range<u64>, mut f: impl FnMut(&mut Contents, u64, u64, u64)) {
        let mut at = range.start;
        while at < range.end {
            let number = (at / self.size) as usize;
            let end = self.range(number).end.min(range.end);
            let within = at % self.size;
            f(&mut self.parts[number], within, end - at, at - range.start);
            at = end;
        }
    }

    /// Writes a concrete range.
    pub fn spread(&mut self, terms: &mut Terms, guard: TermId, range: Range<u64>, what: &Part) {
        self.each(range, |piece, at, bytes, distance| {
            let part = match *what {
                Part::Byte(byte) => Part::Byte(byte),
                Part::Bytes(all) => Part::Bytes(&all[distance as usize..(distance + bytes) as usize]),
                Part::Copy { from, at } => Part::Copy {
                    from,
                    at: moved(terms, at, distance),
                },
            };
            part.write(piece, terms, guard, Value::Int(at), Value::Int(bytes));
        });
    }

    /// Whether `n` bytes at a symbolic offset always lie in one piece.
    fn fits(&self, terms: &mut Terms, offset: TermId, n: u32) -> bool {
        aligned(terms, offset, n) && self.size.is_multiple_of(n as u64)
    }

    /// The value of `n` bytes at a place that does not need the whole object.
    pub fn read_at(&self, cx: &mut Cx, place: &Place, n: u32) -> Option<Value> {
        match (place.offset, place.piece) {
            (Value::Int(at), _) => {
                let (number, within) = self.find(at, n)?;
                Some(self.parts[number].read(cx.terms, &mut maybe, Value::Int(within), n))
            }
            (_, Some(number)) => {
                let offset = cx.word(place.offset);
                let reach = self.reach(cx.terms, offset, n);
                let within = self.within(cx.terms, offset, &reach, number);
                Some(self.parts[number].read(cx.terms, &mut maybe, within, n))
            }
            (_, None) => {
                let offset = cx.word(place.offset);
                self.fits(cx.terms, offset, n).then(|| self.read(cx.terms, offset, n))
            }
        }
    }

    /// Writes at a place that does not need the whole object. False: it does, and nothing happened.
    pub fn write_at(&mut self, terms: &mut Terms, place: &Place, n: u32, value: Value) -> bool {
        if let Value::Int(at) = place.offset {
            let Some((number, within)) = self.find(at, n) else {
                return false;
            };
            self.parts[number].write(terms, &mut maybe, place.guard, Value::Int(within), n, value);
            return true;
        }
        let width = terms.pointer_width();
        let offset = terms.of_value(place.offset, width);
        match place.piece {
            Some(number) => {
                let reach = self.reach(terms, offset, n);
                let within = self.within(terms, offset, &reach, number);
                self.parts[number].write(terms, &mut maybe, place.guard, within, n, value);
            }
            None if self.fits(terms, offset, n) => self.write(terms, place.guard, offset, n, value),
            None => return false,
        }
        true
    }
}

/// Whether an offset is a multiple of `n`, a power of two.
fn aligned(terms: &mut Terms, offset: TermId, n: u32) -> bool {
    n.is_power_of_two() && n <= 8 && terms.known_zero_low_bits(offset) >= n.trailing_zeros()
}

impl Split {
    /// The size of the pieces of an object.
    fn piece(self, len: u64) -> u64 {
        match self.size {
            PieceSize::Bytes(bytes) => bytes.next_multiple_of(8),
            // Roughly as many pieces as a piece has words.
            PieceSize::Auto => {
                let side = (8 * len).isqrt().max(SMALLEST);
                1 << side.ilog2()
            }
        }
    }
}

impl Heap<Objects> {
    /// Splits the large objects that an access at a symbolic offset may meet.
    pub(super) fn split_for(&mut self, cx: &mut Cx, len: Value, places: &Places) {
        let (Some(split), Value::Int(n @ 1..=8)) = (self.model.split, len) else {
            return;
        };
        for place in places {
            let Value::Term(offset) = place.offset else { continue };
            let Some(entry) = self.directory.get(place.base) else {
                continue;
            };
            let len = entry.header.room;
            let Home::Whole(whole) = &entry.payload else { continue };
            if len <= split.above || split.piece(len) >= len || !aligned(cx.terms, offset, n as u32) {
                continue;
            }
            let pieces = Pieces::new(cx.terms, whole.clone(), len, split.piece(len));
            let rows = &mut cx.counters.resolution;
            rows.add("splits", 1);
            rows.add("pieces", pieces.parts.len() as u64);
            rows.most("largest_split", len);
            *self.directory.home_mut(place.base) = Home::Pieces(pieces);
        }
    }

    /// A place in a split object as places in its pieces, which a forking policy keeps apart.
    pub(super) fn apart(&self, cx: &mut Cx, place: Place, n: u32) -> Places {
        let home = self.directory.get(place.base).map(|entry| &entry.payload);
        let (Some(Home::Pieces(pieces)), Value::Term(offset)) = (home, place.offset) else {
            return Places::from_iter([place]);
        };
        if !pieces.fits(cx.terms, offset, n) {
            return Places::from_iter([place]);
        }
        let Reach { numbers, .. } = pieces.reach(cx.terms, offset, n);
        let in_piece = |number: usize| {
            let inside = pieces.inside(cx.terms, offset, number);
            let guard = cx.terms.and(place.guard, inside);
            Place {
                guard,
                piece: Some(number),
                ..place.clone()
            }
        };
        numbers.into_iter().map(in_piece).collect()
    }

    /// Reassembles an object.
    pub(super) fn assemble(&mut self, terms: &mut Terms, base: BaseId) {
        let home = self.directory.home_mut(base);
        if let Home::Pieces(pieces) = home {
            let whole = pieces.assemble(terms);
            *home = Home::Whole(whole);
        }
    }

    /// The pieces of a split object.
    pub(super) fn pieces_mut(&mut self, base: BaseId) -> Option<&mut Pieces> {
        match self.directory.home_mut(base) {
            Home::Pieces(pieces) => Some(pieces),
            _ => None,
        }
    }
}
