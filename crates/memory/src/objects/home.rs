//! Homes: where the bytes of a base live. Moving them is the only thing that joining changes; pointers are not visited, since a
//! pointer names its base, and the numbers that a program sees are `Layout`'s.

use crate::Cx;
use crate::contents::{Contents, maybe};
use crate::directory::Directory;
use crate::merge::{Place, Shelf};
use crate::objects::Objects;
use mneme_program::Scalar;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(super) enum Home {
    Whole(Contents),
    /// Bytes of a segment, from `delta` on.
    Member {
        segment: u32,
        delta: u64,
    },
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
    /// The contents that hold a live base, and where in them it begins.
    pub(super) fn contents(&self, base: BaseId) -> (&Contents, u64) {
        match &self
            .directory
            .get(base)
            .expect("resolution names objects that exist")
            .payload
        {
            Home::Whole(contents) => (contents, 0),
            Home::Member { segment, delta } => (&self.segments.get(*segment).contents, *delta),
        }
    }

    fn contents_mut(&mut self, base: BaseId) -> (&mut Contents, u64) {
        let entry = self
            .directory
            .get_mut(base)
            .expect("resolution names objects that exist");
        match &mut entry.payload {
            Home::Whole(contents) => (contents, 0),
            Home::Member { segment, delta } => (&mut self.segments.get_mut(*segment).contents, *delta),
        }
    }

    /// The number that stands at a concrete place.
    pub(super) fn number(&self, base: BaseId, at: u64, n: u32) -> Option<u64> {
        let (contents, delta) = self.contents(base);
        match contents.fast_load(at + delta, n)? {
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
        match &entry.payload {
            Home::Whole(contents) => contents.fast_load(offset, n),
            Home::Member { segment, delta } => self.segments.get(*segment).contents.fast_load(offset + delta, n),
        }
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
        let (contents, delta) = self.contents_mut(base);
        let offset = moved(terms, offset, delta);
        contents.write(terms, &mut maybe, guard, offset, n, value);
    }

    pub(super) fn init(&mut self, base: BaseId, offset: u64, bytes: &[u8]) {
        let (contents, delta) = self.contents_mut(base);
        contents.init(offset + delta, bytes);
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
        }
    }

    pub(super) fn trace_homes(&self, tracer: &mut Tracer) {
        self.directory.headers().for_each(|(_, header)| header.trace(tracer));
        for entry in self.directory.live() {
            if let Home::Whole(contents) = &entry.payload {
                contents.trace(tracer);
            }
        }
        self.segments.trace(tracer);
    }
}

impl Shelf for Objects {
    fn read_at(&self, cx: &mut Cx, place: &Place, n: u32) -> Value {
        let (contents, delta) = self.contents(place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.read(cx.terms, &mut maybe, offset, n)
    }

    fn write_at(&mut self, cx: &mut Cx, place: &Place, n: u32, value: Value) {
        self.write(cx.terms, place.guard, place.base, place.offset, n, value);
    }

    fn fill_at(&mut self, cx: &mut Cx, place: &Place, byte: Value, len: Value) {
        let (contents, delta) = self.contents_mut(place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.fill(cx.terms, place.guard, offset, byte, len);
    }

    fn snapshot(&self, cx: &mut Cx, place: &Place) -> (Rc<Contents>, Value) {
        let (contents, delta) = self.contents(place.base);
        (Rc::new(contents.clone()), moved(cx.terms, place.offset, delta))
    }

    fn copy_at(&mut self, cx: &mut Cx, place: &Place, from: &Rc<Contents>, at: Value, len: Value) {
        let (contents, delta) = self.contents_mut(place.base);
        let offset = moved(cx.terms, place.offset, delta);
        contents.copy(cx.terms, place.guard, offset, from, at, len);
    }
}

impl Directory<Home> {
    pub(super) fn home_mut(&mut self, base: BaseId) -> &mut Home {
        &mut self.get_mut(base).expect("resolution names objects that exist").payload
    }
}
