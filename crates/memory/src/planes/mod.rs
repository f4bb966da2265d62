//! The `planes` model: segment-offset-plane memory (Trtík, Strejček: *Symbolic Memory with Pointers*).
//!
//! A segment is a base, an address is segment:offset, both terms. A load through a pointer with several segments is one conditional
//! value, a store is one conditional write into each segment: no path forks because a pointer is symbolic. Sizes are terms without
//! a bound. What is shared with other models is indexed by segment already: `Directory` is the plane *Sizes*, `Contents` has the
//! boostMap and the iteList of a segment (section 3), for all planes at once. A value is cut into bytes only for a reader of another
//! width, which is the extension of writes to other planes that section 4 asks for, made where a reader shows that it is needed.
//!
//! Whether two addresses collide is asked in this order: what the terms know (ranges, low bits), the inputs that the path carries, the
//! solver with its caches. After [`PATIENCE`] questions of one operation, and where the solver gives up, they may.

#[cfg(test)]
mod tests;

use crate::branch::{AccessKind, Branch, Branches, End};
use crate::contents::{Ask, Contents, answered_by_contents};
use crate::directory::{Alloc, Directory, only, out_of_addresses, push};
use crate::merge::{self, Place, Places, Shelf};
use crate::operations::{Direction, Structure};
use crate::resolve::Resolved;
use crate::{Cx, Memory, Source, Truth};
use mneme_program::Scalar;
use mneme_solver::Solver;
use mneme_term::{TermId, Terms, Value};
use smallvec::SmallVec;
use std::rc::Rc;
use std::time::Instant;

/// How many questions about collisions one operation may ask.
const PATIENCE: u32 = 32;

#[derive(Clone, Default, Debug)]
pub struct Planes {
    sizes: Directory<Contents>,
}

impl Planes {
    /// One branch for all the places where the access is in order, one for each fault.
    fn all<T>(
        self,
        cx: &mut Cx,
        targets: SmallVec<[Resolved; 2]>,
        nothing: impl Fn() -> T,
        act: impl FnOnce(&mut Cx, &mut Planes, Places) -> T,
    ) -> Branches<Self, T> {
        let (mut places, mut out) = merge::sort(&self, cx, targets, nothing);
        let good = merge::together(cx, &mut places);
        if !cx.terms.is_false(good) {
            let mut memory = self;
            if let [place] = &places[..] {
                memory.sizes.settle(place.base);
            }
            let value = act(cx, &mut memory, places);
            out.push(Branch {
                guard: good,
                memory,
                end: End::Done(value),
            });
        }
        out
    }
}

impl Shelf for Planes {
    fn read_at(&self, cx: &mut Cx, place: &Place, n: u32) -> Value {
        let begin = Instant::now();
        let contents = self.sizes.contents(place.base);
        let structure = match place.offset {
            Value::Int(at) if contents.fast_load(at, n).is_some() => Structure::Map,
            _ => Structure::List,
        };
        let value = collisions(cx, &self.sizes, place.guard, Direction::Read, |terms, ask| {
            contents.read(terms, ask, place.offset, n)
        });
        cx.counters.operations.read(structure, begin);
        value
    }

    fn write_at(&mut self, cx: &mut Cx, place: &Place, n: u32, value: Value) {
        let begin = Instant::now();
        let mut contents = self.sizes.contents(place.base).clone();
        let records = contents.list_length();
        // Not under the guard: where it does not hold, the old value stays.
        let always = cx.terms.tru();
        collisions(cx, &self.sizes, always, Direction::Write, |terms, ask| {
            contents.write(terms, ask, place.guard, place.offset, n, value);
        });
        let structure = match place.offset {
            Value::Int(_) if contents.list_length() == records => Structure::Map,
            _ => Structure::List,
        };
        cx.counters.operations.write(structure, begin);
        *self.sizes.contents_mut(place.base) = contents;
    }

    fn fill_at(&mut self, cx: &mut Cx, place: &Place, byte: Value, len: Value) {
        let begin = Instant::now();
        let contents = self.sizes.contents_mut(place.base);
        contents.fill(cx.terms, place.guard, place.offset, byte, len);
        multi_write(cx, place, len, begin);
    }

    fn snapshot(&self, _: &mut Cx, place: &Place) -> (Rc<Contents>, Value) {
        (Rc::new(self.sizes.contents(place.base).clone()), place.offset)
    }

    fn copy_at(&mut self, cx: &mut Cx, place: &Place, from: &Rc<Contents>, at: Value, len: Value) {
        let begin = Instant::now();
        let contents = self.sizes.contents_mut(place.base);
        contents.copy(cx.terms, place.guard, place.offset, from, at, len);
        multi_write(cx, place, len, begin);
    }
}

/// Counts a write of `len` bytes.
fn multi_write(cx: &mut Cx, place: &Place, len: Value, begin: Instant) {
    let structure = match (place.offset, len) {
        (Value::Int(_), Value::Int(_)) if cx.terms.is_true(place.guard) => Structure::Map,
        _ => Structure::List,
    };
    cx.counters.operations.multi_writes += u64::from(matches!(len, Value::Term(_)));
    cx.counters.operations.write(structure, begin);
}

/// Queries that reached the backend.
fn backend_queries(solver: &dyn Solver) -> u64 {
    let mut rows = Vec::new();
    solver.stats(&mut rows);
    rows.last().map_or(0, |row| row.asked)
}

/// Calls `f` with an answer to the question whether a collision is possible where `guard` holds.
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
    let mut patience = PATIENCE;
    let mut ask = |terms: &mut Terms, condition: TermId| {
        let condition = terms.and(guard, condition);
        if terms.is_true(condition) || terms.is_false(condition) || patience == 0 {
            return !terms.is_false(condition);
        }
        patience -= 1;
        counters.collisions += 1;
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
        counters.operations.asked(direction, reached, time);
        possible
    };
    f(terms, &mut ask)
}

impl Memory for Planes {
    answered_by_contents!(sizes, free_any);

    const BOUNDED_SIZES: bool = false;

    fn alloc(mut self, cx: &mut Cx, what: Alloc) -> Branches<Self, Value> {
        let room = self.sizes.room(cx, what.size);
        match self.sizes.add_contents(cx.terms, what, room) {
            Some(base) => only(cx.terms, self, End::Done(Value::Ptr { base, offset: 0 })),
            None => out_of_addresses(cx.terms, self),
        }
    }

    fn load(self, cx: &mut Cx, p: Value, ty: Scalar) -> Branches<Self, Value> {
        let n = ty.bytes();
        let targets = self.sizes.resolve(cx, p, Value::Int(n as u64), AccessKind::Read);
        let undefined = || unreachable!("a load has at least one byte");
        self.all(cx, targets, undefined, |cx, memory, places| {
            merge::read(memory, cx, &places, n)
        })
    }

    fn store(self, cx: &mut Cx, p: Value, ty: Scalar, value: Value) -> Branches<Self, ()> {
        let n = ty.bytes();
        let targets = self.sizes.resolve(cx, p, Value::Int(n as u64), AccessKind::Write);
        let act = |cx: &mut Cx, memory: &mut Planes, places: Places| {
            places.iter().for_each(|place| memory.write_at(cx, place, n, value));
        };
        self.all(cx, targets, || (), act)
    }

    fn copy(self, cx: &mut Cx, dst: Value, src: Value, len: Value) -> Branches<Self, ()> {
        let mut out = Branches::new();
        let sources = self.sizes.resolve(cx, src, len, AccessKind::Read);
        let mut read = None;
        let branches = self.all(cx, sources, || (), |_, _, places| read = Some(places));
        for branch in branches {
            let (End::Done(()), Some(sources)) = (&branch.end, &read) else {
                out.push(branch);
                continue;
            };
            let sources = merge::sources(&branch.memory, cx, sources);
            let targets = branch.memory.sizes.resolve(cx, dst, len, AccessKind::Write);
            let act = |cx: &mut Cx, memory: &mut Planes, places: Places| {
                merge::copy(memory, cx, &places, &sources, len);
            };
            for inner in branch.memory.all(cx, targets, || (), act) {
                let guard = cx.terms.and(branch.guard, inner.guard);
                push(cx.terms, &mut out, guard, || (inner.memory, inner.end));
            }
        }
        out
    }

    fn fill(self, cx: &mut Cx, dst: Value, byte: Value, len: Value) -> Branches<Self, ()> {
        let targets = self.sizes.resolve(cx, dst, len, AccessKind::Write);
        let act = |cx: &mut Cx, memory: &mut Planes, places: Places| {
            places.iter().for_each(|place| memory.fill_at(cx, place, byte, len));
        };
        self.all(cx, targets, || (), act)
    }

    fn make_symbolic(self, cx: &mut Cx, p: Value, len: Value, source: Source) -> Branches<Self, ()> {
        let symbol = match source {
            Source::Bits(symbol) => {
                let value = cx.terms.symbol(symbol);
                let ty = Scalar::int(cx.terms.width(value) as u16);
                return self.store(cx, p, ty, Value::Term(value));
            }
            Source::Bytes(symbol) => symbol,
        };
        let targets = self.sizes.resolve(cx, p, len, AccessKind::Write);
        let from = Contents::of_symbol(cx.terms, symbol, len);
        let act = |cx: &mut Cx, memory: &mut Planes, places: Places| {
            for place in &places {
                memory.copy_at(cx, place, &from, Value::Int(0), len);
            }
        };
        self.all(cx, targets, || (), act)
    }

    fn check(self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Branches<Self, ()> {
        let targets = self.sizes.resolve(cx, p, len, kind);
        self.all(cx, targets, || (), |_, _, _| ())
    }
}
