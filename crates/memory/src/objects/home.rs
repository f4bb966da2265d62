//! Homes: where the bytes of a base live. They are the only thing that joining and splitting change; pointers are not visited, since a
//! pointer names its base, and the numbers that a program sees are `Layout`'s.

use super::Objects;
use super::pieces::{self, Pieces};
use crate::contents::{Contents, maybe};
use crate::directory::{Directory, Entry};
use crate::merge::{Place, Shelf};
use crate::{Cx, Progression};
use mneme_program::Scalar;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use std::borrow::Cow;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(super) enum Home {
    Whole(Contents),
    /// Bytes of a segment, from `delta` on.
    Member {
        segment: u32,
        delta: u64,
    },
    Pieces(Pieces),
}

/// Where a place lies in the contents of a home.
pub(super) fn moved(terms: &mut Terms, offset: Value, delta: u64) -> Value {
    match (offset, delta) {
        (offset, 0) => offset,
        (Value::Int(at), delta) => Value::Int(at + delta),
        (offset, delta) => {
            let width = terms.pointer_width();
            let (offset, delta) = (terms.of_value(offset, width), terms.constant(width, delta));
            let there = terms.add(offset, delta);
            terms.to_value(there)
        }
    }
}

impl Objects {
    /// The contents that hold a live base, and where in them it begins; those of a split object are put together for it.
    pub(super) fn contents(&self, terms: &mut Terms, base: BaseId) -> (Cow<'_, Contents>, u64) {
        match &self.entry(base).payload {
            Home::Whole(contents) => (Cow::Borrowed(contents), 0),
            Home::Member { segment, delta } => (Cow::Borrowed(&self.segments.get(*segment).contents), *delta),
            Home::Pieces(pieces) => (Cow::Owned(pieces.assemble(terms)), 0),
        }
    }

    fn entry(&self, base: BaseId) -> &Entry<Home> {
        self.directory.get(base).expect("resolution names objects that exist")
    }

    /// The same, to be changed: a split object is one piece from here on.
    fn contents_mut(&mut self, terms: &mut Terms, base: BaseId) -> (&mut Contents, u64) {
        self.assemble(terms, base);
        match self.directory.home_mut(base) {
            Home::Whole(contents) => (contents, 0),
            Home::Member { segment, delta } => (&mut self.segments.get_mut(*segment).contents, *delta),
            Home::Pieces(_) => unreachable!("just assembled"),
        }
    }

    /// What stands at a concrete place, if no term has to be built for it.
    #[inline]
    fn standing(&self, home: &Home, at: u64, n: u32) -> Option<Value> {
        match home {
            Home::Whole(contents) => contents.fast_load(at, n),
            Home::Member { segment, delta } => self.segments.get(*segment).contents.fast_load(at + delta, n),
            Home::Pieces(pieces) => pieces.fast_load(at, n),
        }
    }

    /// The number that stands at a concrete place.
    pub(super) fn number(&self, base: BaseId, at: u64, n: u32) -> Option<u64> {
        match self.standing(&self.entry(base).payload, at, n)? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn load_now(&self, base: BaseId, offset: u64, ty: Scalar) -> Option<Value> {
        let entry = self.directory.get(base)?;
        let n = ty.bytes();
        if !entry.header.reaches(offset, n as u64) {
            return None;
        }
        self.standing(&entry.payload, offset, n)
    }

    #[inline]
    pub(super) fn store_now(&mut self, base: BaseId, offset: u64, ty: Scalar, value: Value) -> bool {
        let Some(entry) = self.directory.get_mut(base) else {
            return false;
        };
        let n = ty.bytes();
        if entry.header.constant || !entry.header.reaches(offset, n as u64) {
            return false;
        }
        match &mut entry.payload {
            Home::Whole(contents) => contents.fast_store(offset, n, value),
            Home::Member { segment, delta } => {
                let segment = self.segments.get_mut(*segment);
                segment.contents.fast_store(offset + *delta, n, value)
            }
            Home::Pieces(pieces) => pieces.fast_store(offset, n, value),
        }
    }

    pub(super) fn write(
        &mut self,
        terms: &mut Terms,
        guard: TermId,
        base: BaseId,
        offset: Value,
        n: u32,
        value: Value,
    ) {
        let (contents, delta) = self.contents_mut(terms, base);
        let offset = moved(terms, offset, delta);
        contents.write(terms, &mut maybe, guard, offset, n, value);
    }

    pub(super) fn progress_in(&mut self, terms: &mut Terms, base: BaseId, what: &Progression) {
        let (contents, delta) = self.contents_mut(terms, base);
        let delta = terms.constant(terms.pointer_width(), delta);
        let start = terms.add(what.start, delta);
        contents.progress(terms, &Progression { start, ..what.clone() });
    }

    pub(super) fn init(&mut self, base: BaseId, offset: u64, bytes: &[u8]) {
        match self.directory.home_mut(base) {
            Home::Whole(contents) => contents.init(offset, bytes),
            Home::Member { segment, delta } => self.segments.get_mut(*segment).contents.init(offset + *delta, bytes),
            Home::Pieces(pieces) => pieces.each(offset..offset + bytes.len() as u64, |part, at, len, distance| {
                part.init(at, &bytes[distance as usize..(distance + len) as usize]);
            }),
        }
    }

    pub(super) fn references_of(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        let Some(entry) = self.directory.get(base) else {
            return Vec::new();
        };
        match &entry.payload {
            Home::Whole(contents) => contents.references(terms),
            Home::Member { segment, delta } => {
                let range = *delta..*delta + entry.header.room;
                self.segments.get(*segment).contents.references_in(terms, range)
            }
            Home::Pieces(pieces) => {
                let mut out: Vec<BaseId> = Vec::new();
                pieces.parts.iter().for_each(|part| out.extend(part.references(terms)));
                out
            }
        }
    }

    pub(super) fn trace_homes(&self, tracer: &mut Tracer) {
        self.directory.headers().for_each(|(_, header)| header.trace(tracer));
        for entry in self.directory.live() {
            match &entry.payload {
                Home::Whole(contents) => contents.trace(tracer),
                Home::Pieces(pieces) => pieces.parts.iter().for_each(|part| part.trace(tracer)),
                Home::Member { .. } => {}
            }
        }
        self.segments.trace(tracer);
    }
}

impl Shelf for Objects {
    fn read_at(&self, cx: &mut Cx, place: &Place, n: u32) -> Value {
        if let Home::Pieces(pieces) = &self.entry(place.base).payload
            && let Some(value) = pieces.read_at(cx, place, n)
        {
            return value;
        }
        let (contents, delta) = self.contents(cx.terms, place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.read(cx.terms, &mut maybe, offset, n)
    }

    fn write_at(&mut self, cx: &mut Cx, place: &Place, n: u32, value: Value) {
        if let Some(pieces) = self.pieces_mut(place.base)
            && pieces.write_at(cx.terms, place, n, value)
        {
            return;
        }
        self.write(cx.terms, place.guard, place.base, place.offset, n, value);
    }

    fn fill_at(&mut self, cx: &mut Cx, place: &Place, byte: Value, len: Value) {
        if let (Value::Int(at), Value::Int(len)) = (place.offset, len)
            && let Some(pieces) = self.pieces_mut(place.base)
        {
            return pieces::fill(pieces, cx.terms, place.guard, at..at + len, byte);
        }
        let (contents, delta) = self.contents_mut(cx.terms, place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.fill(cx.terms, place.guard, offset, byte, len);
    }

    fn snapshot(&self, cx: &mut Cx, place: &Place) -> (Rc<Contents>, Value) {
        let (contents, delta) = self.contents(cx.terms, place.base);
        (Rc::new(contents.into_owned()), moved(cx.terms, place.offset, delta))
    }

    fn copy_at(&mut self, cx: &mut Cx, place: &Place, from: &Rc<Contents>, start: Value, len: Value) {
        if let (Value::Int(at), Value::Int(len)) = (place.offset, len)
            && let Some(pieces) = self.pieces_mut(place.base)
        {
            return pieces::copy(pieces, cx.terms, place.guard, at..at + len, from, start);
        }
        let (contents, delta) = self.contents_mut(cx.terms, place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.copy(cx.terms, place.guard, offset, from, start, len);
    }
}

impl Directory<Home> {
    pub(super) fn home_mut(&mut self, base: BaseId) -> &mut Home {
        &mut self.get_mut(base).expect("resolution names objects that exist").payload
    }
}
