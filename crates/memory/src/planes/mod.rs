//! The `planes` model: segment-offset-plane memory (Trtík, Strejček: *Symbolic Memory with Pointers*).
//!
//! A segment is a base, an address is segment:offset, both terms. A load through a pointer with several segments is one
//! conditional value, a store is one conditional write into each segment: no path forks because a pointer is symbolic.
//! Sizes are terms without a bound. The parts shared with other models are already indexed by segment: `Directory` is
//! the plane *Sizes*, `Contents` has the boostMap and the iteList of a segment (section 3), for all planes at once. A
//! value is cut into bytes only for a reader of another width, which is the extension of writes to other planes that
//! section 4 asks for, made when a reader needs it.
//!
//! Whether two addresses collide is decided in this order: by what the terms know (ranges, low bits), by the inputs
//! that the path carries, and by the solver with its caches. After [`MOST_QUESTIONS`] questions of one operation, or if
//! the solver gives up, a collision counts as possible.

mod operations;
#[cfg(test)]
mod tests;

use crate::contents::{Ask, Contents};
use crate::directory::{Directory, Header};
use crate::places::{self, Place, Places, Taken};
use crate::{Apart, Cx, Heap, Join, Loops, Model, Progression, Spread, Truth};
use mneme_solver::Solver;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use operations::{Direction, Structure};
use std::time::Instant;

/// How many questions about collisions one operation may ask.
const MOST_QUESTIONS: u32 = 32;

#[derive(Copy, Clone, Default, Debug)]
pub struct Planes;

fn read_at(sizes: &Directory<Contents>, cx: &mut Cx, place: &Place, n: u32) -> Value {
    let begin = Instant::now();
    let contents = sizes.contents(place.base);
    let structure = match place.offset {
        Value::Int(at) if contents.fast_load(at, n).is_some() => Structure::Map,
        _ => Structure::List,
    };
    let value = collisions(cx, sizes, place.guard, Direction::Read, |terms, ask| {
        contents.read(terms, ask, place.offset, n)
    });
    operations::read(cx.counters, structure, begin);
    value
}

fn write_at(sizes: &mut Directory<Contents>, cx: &mut Cx, place: &Place, n: u32, value: Value) {
    let begin = Instant::now();
    let mut contents = sizes.contents(place.base).clone();
    let records = contents.list_length();
    // Not under the guard: where it does not hold, the old value stays.
    let always = cx.terms.tru();
    collisions(cx, sizes, always, Direction::Write, |terms, ask| {
        contents.write(terms, ask, place.guard, place.offset, n, value);
    });
    let structure = match place.offset {
        Value::Int(_) if contents.list_length() == records => Structure::Map,
        _ => Structure::List,
    };
    operations::write(cx.counters, structure, begin);
    *sizes.contents_mut(place.base) = contents;
}

fn write_cells(heap: &mut Heap<Planes>, cx: &mut Cx, base: BaseId, what: &Progression) {
    let begin = Instant::now();
    heap.directory.contents_mut(base).progress(cx.terms, what);
    cx.counters.operations.add("multi_writes", 1);
    operations::write(cx.counters, Structure::List, begin);
}

/// Counts a write of `len` bytes.
fn multi_write(cx: &mut Cx, place: &Place, len: Value, begin: Instant) {
    let structure = match (place.offset, len) {
        (Value::Int(_), Value::Int(_)) if cx.terms.is_true(place.guard) => Structure::Map,
        _ => Structure::List,
    };
    cx.counters
        .operations
        .add("multi_writes", matches!(len, Value::Term(_)).into());
    operations::write(cx.counters, structure, begin);
}

/// Queries that reached the backend.
fn backend_queries(solver: &dyn Solver) -> u64 {
    let mut rows = Vec::new();
    solver.stats(&mut rows);
    rows.last().map_or(0, |row| row.asked)
}

/// Calls `f` with an oracle that says whether a collision is possible where `guard` holds.
fn collisions<T>(
    cx: &mut Cx,
    sizes: &Directory<Contents>,
    guard: TermId,
    direction: Direction,
    f: impl FnOnce(&mut Terms, &mut Ask) -> T,
) -> T {
    let Cx {
        terms,
        solver,
        path,
        budget,
        counters,
        site,
        at,
        calls,
        seen,
    } = cx;
    let mut questions = MOST_QUESTIONS;
    let mut ask = |terms: &mut Terms, condition: TermId| {
        let condition = terms.and(guard, condition);
        if terms.is_true(condition) || terms.is_false(condition) || questions == 0 {
            return !terms.is_false(condition);
        }
        questions -= 1;
        let (before, begin) = (backend_queries(&**solver), Instant::now());
        let mut cx = Cx {
            terms,
            solver: &mut **solver,
            path,
            budget: *budget,
            counters,
            site: *site,
            at: *at,
            calls: *calls,
            seen,
        };
        let possible = !matches!(cx.may(sizes, condition), Truth::Never);
        let time = begin.elapsed();
        let reached = backend_queries(&**solver) > before;
        operations::asked(counters, direction, reached, time);
        possible
    };
    f(terms, &mut ask)
}

impl Model for Planes {
    type Options = ();
    type Payload = Contents;
    type Snapshot = Vec<Taken>;

    const BOUNDED_SIZES: bool = false;
    const LOOPS: Option<Loops<Self>> = Some(Loops {
        write_cells,
        families: true,
    });

    fn new(_: &()) -> Self {
        Planes
    }

    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Contents {
        Contents::of_object(base, header, pointer_width)
    }

    #[inline(always)]
    fn fast_load(&self, contents: &Contents, offset: u64, n: u32) -> Option<Value> {
        contents.fast_load(offset, n)
    }

    #[inline(always)]
    fn fast_store(&mut self, contents: &mut Contents, offset: u64, n: u32, value: Value) -> bool {
        contents.fast_store(offset, n, value)
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value {
        places::choose(cx, places, n, |cx, place| read_at(&heap.directory, cx, place, n))
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value) {
        places
            .iter()
            .for_each(|place| write_at(&mut heap.directory, cx, place, n, value));
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Vec<Taken>>) {
        let begin = Instant::now();
        places::spread(cx, places, len, what, |cx, place, part| {
            let contents = heap.directory.contents_mut(place.base);
            part.write(contents, cx.terms, place.guard, place.offset, len);
            multi_write(cx, place, len, begin);
        });
    }

    fn snapshot(heap: &Heap<Self>, _: &mut Cx, places: &Places) -> Vec<Taken> {
        heap.directory.take(places)
    }

    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        let directories: Vec<_> = members.iter().map(|member| &member.directory).collect();
        let directory = Directory::merge_contents(join, &directories)?;
        Ok(Heap {
            directory,
            model: Planes,
        })
    }

    fn is_unchanged(heap: &Heap<Self>, other: &Heap<Self>, base: BaseId) -> bool {
        heap.directory.shares(&other.directory, base)
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        heap.directory.references(terms, base)
    }

    fn trace(&self, directory: &Directory<Contents>, tracer: &mut Tracer) {
        directory.trace_contents(tracer);
    }
}
