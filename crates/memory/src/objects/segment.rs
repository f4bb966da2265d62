//! Segments: contents that several bases share, each from its own delta on (thesis §3.2.3.2).
//!
//! A member keeps its life, size, constness and shadow, since those belong to its header: a segment only holds bytes.
//! Bytes that are no longer used stay in it until the segment has no member left.

use super::Objects;
use super::home::Home;
use crate::contents::{Contents, Default as Unwritten};
use crate::{Apart, Cx, Heap, Join, Pages};
use mneme_term::{BaseId, Terms, Tracer, Value};
use std::rc::Rc;

/// Deltas are multiples of this, like allocations, so that what is known of the low bits of offsets stays true.
const ALIGN: u64 = 16;

#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub contents: Contents,
    /// Ordered by delta; some may have died or moved away.
    pub members: Vec<BaseId>,
    /// The first byte after all members, a multiple of `ALIGN`.
    end: u64,
    /// How many bytes there is room for before the contents must be rebuilt.
    room: u64,
}

/// The segments of a heap. Numbers are never reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    all: Pages<Option<Rc<Segment>>>,
    next: u32,
}

impl Segments {
    pub fn get(&self, number: u32) -> &Segment {
        self.all
            .get(number)
            .and_then(Option::as_ref)
            .expect("members name segments that exist")
    }

    pub fn get_mut(&mut self, number: u32) -> &mut Segment {
        let slot = self.all.get_mut(number).and_then(Option::as_mut);
        Rc::make_mut(slot.expect("members name segments that exist"))
    }

    pub fn has(&self, number: u32) -> bool {
        self.all.get(number).is_some_and(Option::is_some)
    }

    fn add(&mut self, segment: Segment) -> u32 {
        let number = self.next;
        self.next += 1;
        self.all.insert(number, Some(Rc::new(segment)));
        number
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Segment)> {
        let there = self.all.iter();
        there.filter_map(|(number, segment)| segment.as_deref().map(|segment| (number, segment)))
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.iter().for_each(|(_, segment)| segment.contents.trace(tracer));
    }
}

impl Segment {
    fn new(terms: &Terms, room: u64) -> Segment {
        Segment {
            contents: Contents::new(room, terms.pointer_width(), Unwritten::Zero),
            members: Vec::new(),
            end: 0,
            room,
        }
    }

    pub fn end(&self) -> u64 {
        self.end
    }

    /// Takes in `len` bytes of `from`, starting at `at`. Returns where they are now.
    fn take(&mut self, terms: &mut Terms, base: BaseId, from: &Rc<Contents>, at: u64, len: u64) -> u64 {
        let delta = self.end;
        self.end = (delta + len).next_multiple_of(ALIGN);
        if self.end > self.room {
            self.room = self.end.max(2 * self.room);
            let old = Rc::new(self.contents.clone());
            self.contents = Contents::new(self.room, terms.pointer_width(), Unwritten::Zero);
            self.put(terms, 0, &old, 0, delta);
        }
        self.put(terms, delta, from, at, len);
        self.members.push(base);
        delta
    }

    fn put(&mut self, terms: &mut Terms, to: u64, from: &Rc<Contents>, at: u64, len: u64) {
        let always = terms.tru();
        let (to, at, len) = (Value::Int(to), Value::Int(at), Value::Int(len));
        self.contents.copy(terms, always, to, from, at, len);
    }
}

impl Heap<Objects> {
    /// The segment and delta of a base that is in one.
    pub(super) fn seat(&self, base: BaseId) -> Option<(u32, u64)> {
        match self.directory.get(base)?.payload {
            Home::Member { segment, delta } => Some((segment, delta)),
            Home::Whole(_) | Home::Pieces(_) => None,
        }
    }

    /// The segment that all of these are in, if there is one.
    pub(super) fn common_segment(&self, bases: &[BaseId]) -> Option<u32> {
        let (segment, _) = self.seat(*bases.first()?)?;
        let there = |&base: &BaseId| self.seat(base).is_some_and(|(other, _)| other == segment);
        bases.iter().all(there).then_some(segment)
    }

    /// The total size of these objects.
    pub(super) fn bytes(&self, bases: &[BaseId]) -> u64 {
        bases.iter().map(|&base| self.room_of(base)).sum()
    }

    fn room_of(&self, base: BaseId) -> u64 {
        self.directory.header(base).map_or(0, |header| header.room)
    }

    /// Moves live objects into one segment: an existing one that mostly consists of them, or a new one.
    pub(super) fn join(&mut self, cx: &mut Cx, bases: &[BaseId]) -> u32 {
        if let Some(segment) = self.common_segment(bases) {
            cx.counters.resolution.add("segments_reused", 1);
            return segment;
        }
        let number = match self.largest_share(bases) {
            Some(segment) => segment,
            None => {
                self.sweep();
                cx.counters.resolution.add("segments", 1);
                let room = bases
                    .iter()
                    .map(|&base| self.room_of(base).next_multiple_of(ALIGN))
                    .sum();
                self.model.segments.add(Segment::new(cx.terms, room))
            }
        };
        for &base in bases {
            self.enter(cx, number, base);
        }
        number
    }

    /// Moves a live object into a segment, unless it is already there.
    pub(super) fn enter(&mut self, cx: &mut Cx, number: u32, base: BaseId) {
        if self.seat(base).is_some_and(|(segment, _)| segment == number) {
            return;
        }
        let (contents, at) = self.contents(cx.terms, base);
        let (from, len) = (Rc::new(contents.into_owned()), self.room_of(base));
        let delta = self.model.segments.get_mut(number).take(cx.terms, base, &from, at, len);
        *self.directory.home_mut(base) = Home::Member { segment: number, delta };
        let rows = &mut cx.counters.resolution;
        rows.add("segment_members", 1);
        rows.add("segment_bytes", len);
        rows.most("largest_segment", self.model.segments.get(number).end);
    }

    /// The segment of the first of these that is in one, if at least half of its bytes belong to these objects.
    fn largest_share(&self, bases: &[BaseId]) -> Option<u32> {
        let number = bases.iter().find_map(|&base| self.seat(base))?.0;
        let theirs = bases
            .iter()
            .filter(|&&base| self.seat(base).is_some_and(|(there, _)| there == number));
        let bytes: u64 = theirs.map(|&base| self.room_of(base)).sum();
        (2 * bytes >= self.model.segments.get(number).end).then_some(number)
    }

    /// Forgets segments that have no member left.
    fn sweep(&mut self) {
        let empty = |(number, segment): (u32, &Segment)| {
            let there = |&base: &BaseId| self.seat(base).is_some_and(|(other, _)| other == number);
            (!segment.members.iter().any(there)).then_some(number)
        };
        let empty: Vec<u32> = self.model.segments.iter().filter_map(empty).collect();
        for number in empty {
            self.model.segments.all.insert(number, None);
        }
    }
}

/// The segments that all of several heaps have with the same members.
pub(super) fn alike(memories: &[&Heap<Objects>]) -> Vec<u32> {
    let shape = |memory: &Heap<Objects>, number: u32| {
        let segment = memory.model.segments.all.get(number).and_then(Option::as_deref);
        segment.map(|segment| (segment.members.clone(), segment.end, segment.room))
    };
    let numbers = memories[0].model.segments.iter().map(|(number, _)| number);
    numbers
        .filter(|&number| {
            let first = shape(memories[0], number);
            memories.iter().all(|memory| shape(memory, number) == first)
        })
        .collect()
}

/// The segments of `memories`, of which only those in `kept` are left.
pub(super) fn merge(join: &mut Join, memories: &[Heap<Objects>], kept: &[u32]) -> Result<Segments, Apart> {
    let mut merged = Segments {
        all: Pages::default(),
        next: memories
            .iter()
            .map(|memory| memory.model.segments.next)
            .max()
            .unwrap_or(0),
    };
    for &number in kept {
        let there = |memory: &Heap<Objects>| memory.model.segments.all.get(number).cloned().flatten();
        let segments: Vec<Rc<Segment>> = memories.iter().filter_map(there).collect();
        let first = segments[0].clone();
        if segments.iter().all(|segment| Rc::ptr_eq(segment, &first)) {
            merged.all.insert(number, Some(first));
            continue;
        }
        let contents: Vec<(usize, &Contents)> = segments
            .iter()
            .enumerate()
            .map(|(index, segment)| (index, &segment.contents))
            .collect();
        let contents = Contents::merge(join, &contents)?;
        let segment = Segment {
            contents,
            ..(*first).clone()
        };
        merged.all.insert(number, Some(Rc::new(segment)));
    }
    Ok(merged)
}
