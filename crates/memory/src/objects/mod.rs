//! The `objects` model: every base has its own bytes (thesis §2.2, KLEE's model, with bounds by the pointer's own base).
//!
//! Composed of three parts: *homes* (where the bytes of a base are: on their own, or in a segment that it shares with others),
//! *resolution* (what an access through a pointer to several objects does: one file for each policy) and *contents* (bytes, cells,
//! updates). Addresses are `Layout`'s and have nothing to do with homes.

mod auto;
mod contexts;
mod dynamic_segments;
#[cfg(test)]
mod figures;
mod fork;
mod home;
mod join;
mod merge;
mod pieces;
mod segment;
mod static_segments;
#[cfg(test)]
mod tests;

use crate::branch::{AccessKind, Branches, End};
use crate::config::{Addresses, Resolve, Split};
use crate::contents::{Contents, Default as Unwritten};
use crate::directory::{Alloc, Directory, Init, answered_by_directory, only, out_of_addresses, push};
use crate::merge::{Place, Places, Shelf};
use crate::{Apart, Config, Cx, Join, Memory, Pages, Progression, Source};
use contexts::Contexts;
use home::Home;
use mneme_program::Scalar;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use segment::Segments;
use smallvec::smallvec;
use static_segments::Share;
use std::sync::Arc;

#[derive(Clone, Default, Debug)]
pub struct Objects {
    directory: Directory<Home>,
    segments: Segments,
    addresses: Addresses,
    resolve: Resolve,
    split: Option<Split>,
    /// The part of each site, for static segments, and what each part has made.
    partition: Option<Arc<Vec<Option<u32>>>>,
    shares: Pages<Share>,
    contexts: Contexts,
    /// How many ways `auto` has forked on the path to this memory, as a product; 0 is none yet.
    ways: u32,
}

/// Places that share a branch.
struct Group {
    guard: TermId,
    places: Places,
    /// The only object that it is about: where the guard holds, it is there.
    sole: Option<BaseId>,
}

impl Objects {
    /// What `len` bytes at `p` can be: `act` does the work at places that share a branch, where the access is in order.
    fn access<T>(
        mut self,
        cx: &mut Cx,
        p: Value,
        len: Value,
        kind: AccessKind,
        nothing: impl Fn() -> T,
        mut act: impl FnMut(&mut Cx, &mut Objects, &Places) -> T,
    ) -> Branches<Self, T> {
        let targets = self.directory.resolve(cx, p, len, kind);
        let (mut places, mut out) = crate::merge::sort(&self, cx, targets, nothing);
        if self.resolve == Resolve::Auto
            && let Some(only) = auto::decided(&self, cx, &places)
        {
            // The path excludes all the others, what goes wrong with them included.
            places = smallvec![only];
            out = Branches::new();
        }
        self.split_for(cx, len, &places);
        if let (Resolve::Fork, Some(_), Value::Int(n @ 1..=8)) = (self.resolve, self.split, len) {
            places = places
                .into_iter()
                .flat_map(|place| self.apart(cx, place, n as u32))
                .collect();
        }
        let mut groups = self.gather(cx, p, len, kind, places);
        let last = groups.pop();
        let mut follow = |cx: &mut Cx, mut memory: Objects, group: Group| {
            if let Some(base) = group.sole {
                memory.directory.settle(base);
            }
            let value = act(cx, &mut memory, &group.places);
            push(cx.terms, &mut out, group.guard, || (memory, End::Done(value)));
        };
        for group in groups {
            follow(cx, self.clone(), group);
        }
        if let Some(group) = last {
            follow(cx, self, group);
        }
        out
    }

    /// Which places share a branch.
    fn gather(&mut self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind, places: Places) -> Vec<Group> {
        if places.len() < 2 {
            return fork::gather(cx, places);
        }
        match self.resolve {
            Resolve::Fork => fork::gather(cx, places),
            Resolve::Merge => merge::gather(cx, places),
            Resolve::DynamicSegments => dynamic_segments::gather(self, cx, p, places),
            Resolve::StaticSegments => static_segments::gather(self, cx, p, places),
            Resolve::Auto => auto::gather(self, cx, p, len, kind, places),
        }
    }

    /// Adds an object of at most `room` bytes.
    fn add(&mut self, terms: &mut Terms, what: Alloc, room: u64) -> Option<BaseId> {
        let width = terms.pointer_width();
        self.directory.add(terms, what, room, |base| {
            let unwritten = match what.init {
                Init::Zero => Unwritten::Zero,
                Init::Undefined => Unwritten::Undefined { base, round: 0 },
            };
            Home::Whole(Contents::new(room, width, unwritten))
        })
    }
}

impl Memory for Objects {
    answered_by_directory!(directory);

    const PROGRESSIONS: bool = true;

    fn free(mut self, cx: &mut Cx, p: Value) -> Branches<Self, ()> {
        let directory = std::mem::take(&mut self.directory);
        let wrap = |directory| Objects {
            directory,
            ..self.clone()
        };
        match self.resolve {
            Resolve::Fork => directory.free_each(cx, p, wrap),
            _ => directory.free_any(cx, p, wrap),
        }
    }

    fn new(pointer_width: u32, config: &Config) -> Self {
        Objects {
            directory: Directory::new(pointer_width),
            segments: Segments::default(),
            addresses: config.addresses,
            resolve: config.resolve,
            split: config.split,
            partition: config.partition.clone(),
            shares: Pages::default(),
            contexts: Contexts::new(config),
            ways: 0,
        }
    }

    #[inline]
    fn fast_load(&self, base: BaseId, offset: u64, ty: Scalar) -> Option<Value> {
        self.load_now(base, offset, ty)
    }

    #[inline]
    fn fast_store(&mut self, base: BaseId, offset: u64, ty: Scalar, value: Value) -> bool {
        self.store_now(base, offset, ty, value)
    }

    fn fast_alloc(&mut self, terms: &mut Terms, what: Alloc) -> Option<BaseId> {
        match what.size {
            Value::Int(len) if self.resolve != Resolve::StaticSegments && !self.contexts.has_calls() => {
                self.add(terms, what, len)
            }
            _ => None,
        }
    }

    fn alloc(mut self, cx: &mut Cx, what: Alloc) -> Branches<Self, Value> {
        let room = self.directory.room(cx, what.size);
        let base = self.add(cx.terms, what, room);
        if let Some(base) = base {
            self.contexts.enter(cx, base, what.site);
        }
        if let (Some(base), Resolve::StaticSegments) = (base, self.resolve) {
            static_segments::enter(&mut self, cx, base);
        }
        match base {
            Some(base) => only(cx.terms, self, End::Done(Value::Ptr { base, offset: 0 })),
            None => out_of_addresses(cx.terms, self),
        }
    }

    fn begin(&mut self, base: BaseId) {
        let width = self.directory.pointer_width();
        self.directory.begin(base, |header| {
            let round = header.round;
            Home::Whole(Contents::new(header.room, width, Unwritten::Undefined { base, round }))
        });
    }

    fn load(self, cx: &mut Cx, p: Value, ty: Scalar) -> Branches<Self, Value> {
        let n = ty.bytes();
        let undefined = || unreachable!("a load has at least one byte");
        let len = Value::Int(n as u64);
        self.access(cx, p, len, AccessKind::Read, undefined, |cx, memory, places| {
            crate::merge::read(memory, cx, places, n)
        })
    }

    fn store(self, cx: &mut Cx, p: Value, ty: Scalar, value: Value) -> Branches<Self, ()> {
        let n = ty.bytes();
        let len = Value::Int(n as u64);
        let act = |cx: &mut Cx, memory: &mut Objects, places: &Places| {
            places.iter().for_each(|place| memory.write_at(cx, place, n, value));
        };
        self.access(cx, p, len, AccessKind::Write, || (), act)
    }

    fn copy(self, cx: &mut Cx, dst: Value, src: Value, len: Value) -> Branches<Self, ()> {
        let mut out = Branches::new();
        let mut read = Vec::new();
        let sources = self.access(
            cx,
            src,
            len,
            AccessKind::Read,
            || None,
            |cx, memory, places| {
                read.push(crate::merge::sources(memory, cx, places));
                Some(read.len() - 1)
            },
        );
        for source in sources {
            let end = match source.end {
                End::Done(Some(number)) => Ok(number),
                End::Done(None) => Err(End::Done(())),
                End::Fault(fault) => Err(End::Fault(fault)),
                End::Stop(reason) => Err(End::Stop(reason)),
            };
            let number = match end {
                Ok(number) => number,
                Err(end) => {
                    push(cx.terms, &mut out, source.guard, || (source.memory, end));
                    continue;
                }
            };
            let act = |cx: &mut Cx, memory: &mut Objects, places: &Places| {
                crate::merge::copy(memory, cx, places, &read[number], len);
            };
            let branches = source.memory.access(cx, dst, len, AccessKind::Write, || (), act);
            for branch in branches {
                let guard = cx.terms.and(source.guard, branch.guard);
                push(cx.terms, &mut out, guard, || (branch.memory, branch.end));
            }
        }
        out
    }

    fn fill(self, cx: &mut Cx, dst: Value, byte: Value, len: Value) -> Branches<Self, ()> {
        let act = |cx: &mut Cx, memory: &mut Objects, places: &Places| {
            places.iter().for_each(|place| memory.fill_at(cx, place, byte, len));
        };
        self.access(cx, dst, len, AccessKind::Write, || (), act)
    }

    fn make_symbolic(self, cx: &mut Cx, p: Value, len: Value, source: Source) -> Branches<Self, ()> {
        let symbol = match source {
            Source::Bits(symbol) => {
                let value = cx.terms.symbol(symbol);
                let bytes = cx.terms.width(value) / 8;
                let act = |cx: &mut Cx, memory: &mut Objects, places: &Places| {
                    let write = |place: &Place| memory.write_at(cx, place, bytes, Value::Term(value));
                    places.iter().for_each(write);
                };
                return self.access(cx, p, len, AccessKind::Write, || (), act);
            }
            Source::Bytes(symbol) => symbol,
        };
        let from = Contents::of_symbol(cx.terms, symbol, len);
        let act = |cx: &mut Cx, memory: &mut Objects, places: &Places| {
            for place in places {
                memory.copy_at(cx, place, &from, Value::Int(0), len);
            }
        };
        self.access(cx, p, len, AccessKind::Write, || (), act)
    }

    fn progress(&mut self, cx: &mut Cx, base: BaseId, what: &Progression) {
        self.progress_in(cx.terms, base, what);
    }

    fn check(self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Branches<Self, ()> {
        self.access(cx, p, len, kind, || (), |_, _, _| ())
    }

    fn init_bytes(&mut self, base: BaseId, offset: u64, bytes: &[u8]) {
        self.init(base, offset, bytes);
    }

    fn init_value(&mut self, terms: &mut Terms, base: BaseId, offset: u64, ty: Scalar, value: Value) {
        let always = terms.tru();
        self.write(terms, always, base, Value::Int(offset), ty.bytes(), value);
    }

    fn merge(join: &mut Join, members: &[&Self]) -> Result<Self, Apart> {
        join::merge(join, members)
    }

    fn references(&self, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        self.references_of(terms, base)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.trace_homes(tracer);
    }
}
