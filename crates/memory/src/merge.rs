//! Several places in one branch: a load is a conditional value, a store a conditional write into each.
//!
//! Shared by models that keep the bytes of a base where [`Shelf`] says; which places go together is theirs to decide.

use crate::contents::Contents;
use crate::directory::push;
use crate::resolve::{Resolved, Target};
use crate::{Branches, Cx, End};
use mneme_term::{BaseId, TermId, Value};
use smallvec::SmallVec;
use std::rc::Rc;

/// Where an access may be in order: inside `base`, where `guard` holds. The guards of one access are disjoint.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub guard: TermId,
    pub base: BaseId,
    pub offset: Value,
    /// The piece that it is in, of a base whose bytes are in pieces.
    pub piece: Option<usize>,
}

pub(crate) type Places = SmallVec<[Place; 1]>;

/// The bytes of bases, one place at a time. Writes happen where the place's guard holds.
pub(crate) trait Shelf {
    fn read_at(&self, cx: &mut Cx, place: &Place, n: u32) -> Value;
    fn write_at(&mut self, cx: &mut Cx, place: &Place, n: u32, value: Value);
    fn fill_at(&mut self, cx: &mut Cx, place: &Place, byte: Value, len: Value);
    /// What the bytes around a place are now, and where in them the place is.
    fn snapshot(&self, cx: &mut Cx, place: &Place) -> (Rc<Contents>, Value);
    fn copy_at(&mut self, cx: &mut Cx, place: &Place, from: &Rc<Contents>, at: Value, len: Value);
}

/// What a copy reads: one of these, under its guard.
pub(crate) struct Source {
    guard: TermId,
    from: Rc<Contents>,
    at: Value,
}

/// Where an access is in order, and the branches where it is not or touches nothing.
pub(crate) fn sort<M: Clone, T>(
    memory: &M,
    cx: &mut Cx,
    targets: SmallVec<[Resolved; 2]>,
    nothing: impl Fn() -> T,
) -> (Places, Branches<M, T>) {
    let (mut places, mut out) = (Places::new(), Branches::new());
    for Resolved { guard, target } in targets {
        match target {
            Target::Object { base, offset } => places.push(Place {
                guard,
                base,
                offset,
                piece: None,
            }),
            Target::Fault(fault) => push(cx.terms, &mut out, guard, || (memory.clone(), End::Fault(fault))),
            Target::Nothing => push(cx.terms, &mut out, guard, || (memory.clone(), End::Done(nothing()))),
        }
    }
    (places, out)
}

/// The guard of one branch for all of the places. Where there is only one, the branch's guard says so for all that follows.
pub(crate) fn together(cx: &mut Cx, places: &mut Places) -> TermId {
    let mut any = cx.terms.fls();
    for place in places.iter() {
        any = cx.terms.or(any, place.guard);
    }
    if let [place] = &mut places[..] {
        place.guard = cx.terms.tru();
    }
    any
}

/// The value of `n` bytes at `places`.
pub(crate) fn read(shelf: &impl Shelf, cx: &mut Cx, places: &Places, n: u32) -> Value {
    let mut value: Option<TermId> = None;
    for place in places.iter().rev() {
        let here = shelf.read_at(cx, place, n);
        if places.len() == 1 {
            return here;
        }
        let here = cx.terms.of_value(here, 8 * n);
        value = Some(match value {
            Some(rest) => cx.terms.ite(place.guard, here, rest),
            None => here,
        });
    }
    cx.terms.to_value(value.expect("a read has a place"))
}

pub(crate) fn sources(shelf: &impl Shelf, cx: &mut Cx, places: &Places) -> Vec<Source> {
    let source = |place: &Place| {
        let (from, at) = shelf.snapshot(cx, place);
        let guard = place.guard;
        Source { guard, from, at }
    };
    places.iter().map(source).collect()
}

/// Copies `len` bytes from whichever source it is to whichever place it is.
pub(crate) fn copy(shelf: &mut impl Shelf, cx: &mut Cx, places: &Places, sources: &[Source], len: Value) {
    for place in places {
        for source in sources {
            let guard = cx.terms.and(place.guard, source.guard);
            let place = Place { guard, ..place.clone() };
            shelf.copy_at(cx, &place, &source.from, source.at, len);
        }
    }
}
