//! The `objects` model: every base has its own bytes (thesis §2.2, KLEE's model, with bounds by the pointer's own
//! base).
//!
//! Composed of three parts: *homes* (where the bytes of a base are: on their own, or in a segment shared with others),
//! *resolution* (what an access through a pointer to several objects does: one file per policy) and *contents* (bytes,
//! cells, updates). Addresses come from `Layout` and are independent of homes.

mod auto;
mod contexts;
mod dynamic_segments;
#[cfg(test)]
mod figures;
mod fork;
mod home;
mod join;
mod merge;
mod options;
mod pieces;
mod segment;
mod static_segments;
#[cfg(test)]
mod tests;

use crate::contents::Contents;
use crate::directory::{Directory, Entry, Header};
use crate::places::{self, Places, Taken};
use crate::{Access, Apart, Birth, Branches, Cx, Group, Heap, Join, Loops, Model, Pages, Resolution, Spread};
use contexts::Contexts;
pub use home::Home;
use mneme_term::{BaseId, Terms, Tracer, Value};
pub use options::{Addresses, Options, PieceSize, Resolve, Split};
use segment::Segments;
use static_segments::Share;
use std::sync::Arc;

#[derive(Clone, Default, Debug)]
pub struct Objects {
    segments: Segments,
    addresses: Addresses,
    resolve: Resolve,
    split: Option<Split>,
    /// The part of each site, for static segments, and what each part has made.
    partition: Option<Arc<Vec<Option<u32>>>>,
    shares: Pages<Share>,
    contexts: Contexts,
    /// How many ways `auto` has forked on the path so far, as a product; 0 is none yet.
    ways: u32,
}

/// Enters a new object where the contexts of allocations and the segments know it.
fn born(heap: &mut Heap<Objects>, cx: &mut Cx, base: BaseId) {
    if let Some(header) = heap.directory.header(base) {
        heap.model.contexts.enter(cx, base, header.site);
    }
    if heap.model.resolve == Resolve::StaticSegments {
        static_segments::enter(heap, cx, base);
    }
}

impl Model for Objects {
    type Options = Options;
    type Payload = Home;
    type Snapshot = Vec<Taken>;

    const LOOPS: Option<Loops<Self>> = Some(Loops {
        write_cells: Heap::write_cells,
        families: false,
    });

    fn new(options: &Options) -> Self {
        Objects {
            segments: Segments::default(),
            addresses: options.addresses,
            resolve: options.resolve,
            split: options.split,
            partition: options.partition.clone(),
            shares: Pages::default(),
            contexts: Contexts::new(options),
            ways: 0,
        }
    }

    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Home {
        Home::Whole(Contents::of_object(base, header, pointer_width))
    }

    fn births(&self) -> Option<Birth<Self>> {
        let minds = self.resolve == Resolve::StaticSegments || self.contexts.has_calls();
        minds.then_some(born)
    }

    fn free(heap: Heap<Self>, cx: &mut Cx, p: Value) -> Branches<Self, ()> {
        match heap.model.resolve {
            Resolve::Fork => heap.free_each(cx, p),
            _ => heap.free_any(cx, p),
        }
    }

    fn resolve(heap: &mut Heap<Self>, cx: &mut Cx, access: &Access) -> Resolution {
        let mut resolution = heap.directory.resolve(cx, access.p, access.len, access.kind);
        if heap.model.resolve == Resolve::Auto
            && let Some(only) = auto::decided(heap, cx, &resolution.targets)
        {
            // The path excludes all the others, including their faults.
            resolution.targets.swap(0, only);
            resolution.targets.truncate(1);
        }
        resolution
    }

    fn gather(heap: &mut Heap<Self>, cx: &mut Cx, access: &Access, mut places: Places) -> Vec<Group> {
        heap.split_for(cx, access.len, &places);
        if let (Resolve::Fork, Some(_), Value::Int(n @ 1..=8)) = (heap.model.resolve, heap.model.split, access.len) {
            let apart = |place| heap.apart(cx, place, n as u32);
            places = places.into_iter().flat_map(apart).collect();
        }
        if places.len() < 2 {
            return fork::gather(cx, places);
        }
        match heap.model.resolve {
            Resolve::Fork => fork::gather(cx, places),
            Resolve::Merge => merge::gather(cx, places),
            Resolve::DynamicSegments => dynamic_segments::gather(heap, cx, access.p, places),
            Resolve::StaticSegments => static_segments::gather(heap, cx, access.p, places),
            Resolve::Auto => auto::gather(heap, cx, access, places),
        }
    }

    #[inline(always)]
    fn fast_load(&self, home: &Home, offset: u64, n: u32) -> Option<Value> {
        match home {
            Home::Whole(contents) => contents.fast_load(offset, n),
            Home::Member { segment, delta } => self.segments.get(*segment).contents.fast_load(offset + delta, n),
            Home::Pieces(pieces) => pieces.fast_load(offset, n),
        }
    }

    #[inline(always)]
    fn fast_store(&mut self, home: &mut Home, offset: u64, n: u32, value: Value) -> bool {
        match home {
            Home::Whole(contents) => contents.fast_store(offset, n, value),
            Home::Member { segment, delta } => {
                let segment = self.segments.get_mut(*segment);
                segment.contents.fast_store(offset + *delta, n, value)
            }
            Home::Pieces(pieces) => pieces.fast_store(offset, n, value),
        }
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value {
        places::choose(cx, places, n, |cx, place| heap.read_at(cx, place, n))
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value) {
        places.iter().for_each(|place| heap.write_at(cx, place, n, value));
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Vec<Taken>>) {
        places::spread(cx, places, len, what, |cx, place, part| {
            heap.spread_at(cx, place, len, part)
        });
    }

    fn snapshot(heap: &Heap<Self>, cx: &mut Cx, places: &Places) -> Vec<Taken> {
        places.iter().map(|place| heap.take_at(cx, place)).collect()
    }

    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        join::merge(join, members)
    }

    fn is_unchanged(heap: &Heap<Self>, other: &Heap<Self>, base: BaseId) -> bool {
        // The bytes of a member are in its segment.
        let own = |entry: &Entry<Home>| !matches!(entry.payload, Home::Member { .. });
        heap.directory.shares(&other.directory, base) && heap.directory.get(base).is_some_and(own)
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        heap.references_of(terms, base)
    }

    fn trace(&self, directory: &Directory<Home>, tracer: &mut Tracer) {
        for entry in directory.live() {
            match &entry.payload {
                Home::Whole(contents) => contents.trace(tracer),
                Home::Pieces(pieces) => pieces.parts.iter().for_each(|part| part.trace(tracer)),
                Home::Member { .. } => {}
            }
        }
        self.segments.trace(tracer);
    }
}
