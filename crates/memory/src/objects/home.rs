//! Homes: where the bytes of a base live. Joining and splitting change nothing else; pointers are not visited, since a
//! pointer names its base, and the addresses that a program sees come from `Layout`.

use super::Objects;
use super::pieces::Pieces;
use crate::contents::{Contents, maybe};
use crate::directory::{Directory, Entry};
use crate::places::{Part, Place, Taken};
use crate::{Cx, Heap, Model, Progression};
use mneme_term::{BaseId, Terms, Value};
use std::borrow::Cow;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Home {
    Whole(Contents),
    /// Bytes of a segment, starting at `delta`.
    Member {
        segment: u32,
        delta: u64,
    },
    Pieces(Pieces),
}

/// The position of a place in the contents of a home.
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

impl Heap<Objects> {
    /// The contents that hold a live base, and where it begins in them; those of a split object are reassembled.
    pub(super) fn contents(&self, terms: &mut Terms, base: BaseId) -> (Cow<'_, Contents>, u64) {
        match &self.entry(base).payload {
            Home::Whole(contents) => (Cow::Borrowed(contents), 0),
            Home::Member { segment, delta } => (Cow::Borrowed(&self.model.segments.get(*segment).contents), *delta),
            Home::Pieces(pieces) => (Cow::Owned(pieces.assemble(terms)), 0),
        }
    }

    fn entry(&self, base: BaseId) -> &Entry<Home> {
        self.directory.get(base).expect("resolution names objects that exist")
    }

    /// The same for changes: a split object is in one piece from here on.
    fn contents_mut(&mut self, terms: &mut Terms, base: BaseId) -> (&mut Contents, u64) {
        self.assemble(terms, base);
        match self.directory.home_mut(base) {
            Home::Whole(contents) => (contents, 0),
            Home::Member { segment, delta } => (&mut self.model.segments.get_mut(*segment).contents, *delta),
            Home::Pieces(_) => unreachable!("just assembled"),
        }
    }

    /// The number at a concrete place, if it is one.
    pub(super) fn number(&self, base: BaseId, at: u64, n: u32) -> Option<u64> {
        match self.model.fast_load(&self.entry(base).payload, at, n)? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn write_cells(&mut self, cx: &mut Cx, base: BaseId, what: &Progression) {
        let (contents, delta) = self.contents_mut(cx.terms, base);
        let delta = cx.terms.constant(cx.terms.pointer_width(), delta);
        let start = cx.terms.add(what.start, delta);
        contents.progress(cx.terms, &Progression { start, ..what.clone() });
    }

    pub(super) fn references_of(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        let Some(entry) = self.directory.get(base) else {
            return Vec::new();
        };
        match &entry.payload {
            Home::Whole(contents) => contents.references(terms),
            Home::Member { segment, delta } => {
                let range = *delta..*delta + entry.header.room;
                self.model.segments.get(*segment).contents.references_in(terms, range)
            }
            Home::Pieces(pieces) => {
                let mut out: Vec<BaseId> = Vec::new();
                pieces.parts.iter().for_each(|part| out.extend(part.references(terms)));
                out
            }
        }
    }

    pub(super) fn read_at(&self, cx: &mut Cx, place: &Place, n: u32) -> Value {
        if let Home::Pieces(pieces) = &self.entry(place.base).payload
            && let Some(value) = pieces.read_at(cx, place, n)
        {
            return value;
        }
        let (contents, delta) = self.contents(cx.terms, place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.read(cx.terms, &mut maybe, offset, n)
    }

    pub(super) fn write_at(&mut self, cx: &mut Cx, place: &Place, n: u32, value: Value) {
        if let Some(pieces) = self.pieces_mut(place.base)
            && pieces.write_at(cx.terms, place, n, value)
        {
            return;
        }
        let (contents, delta) = self.contents_mut(cx.terms, place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.write(cx.terms, &mut maybe, place.guard, offset, n, value);
    }

    pub(super) fn spread_at(&mut self, cx: &mut Cx, place: &Place, len: Value, part: &Part) {
        if let (Value::Int(at), Value::Int(len)) = (place.offset, len)
            && let Some(pieces) = self.pieces_mut(place.base)
        {
            return pieces.spread(cx.terms, place.guard, at..at + len, part);
        }
        let (contents, delta) = self.contents_mut(cx.terms, place.base);
        let offset = moved(cx.terms, place.offset, delta);
        part.write(contents, cx.terms, place.guard, offset, len);
    }

    pub(super) fn take_at(&self, cx: &mut Cx, place: &Place) -> Taken {
        let (contents, delta) = self.contents(cx.terms, place.base);
        Taken {
            guard: place.guard,
            from: Rc::new(contents.into_owned()),
            at: moved(cx.terms, place.offset, delta),
        }
    }
}

impl Directory<Home> {
    pub(super) fn home_mut(&mut self, base: BaseId) -> &mut Home {
        &mut self.get_mut(base).expect("resolution names objects that exist").payload
    }
}
