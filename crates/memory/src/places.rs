//! Several places in one branch: a load is a conditional value, a store a conditional write into each.

use crate::contents::Contents;
use crate::{Cx, Spread};
use mneme_term::{BaseId, TermId, Terms, Value};
use smallvec::SmallVec;
use std::rc::Rc;

/// Where an access may be valid: inside `base`, where `guard` holds. The guards of one access are disjoint.
#[derive(Clone, Debug)]
pub struct Place {
    pub guard: TermId,
    pub base: BaseId,
    pub offset: Value,
    /// The piece that it is in, if the model has split the object and forks over its pieces.
    pub piece: Option<usize>,
}

pub type Places = SmallVec<[Place; 1]>;

/// What a copy reads: one of these, under its guard.
#[derive(Debug)]
pub struct Taken {
    pub guard: TermId,
    pub from: Rc<Contents>,
    pub at: Value,
}

/// The guard of one branch for all of the places. If there is only one place, the branch's guard covers it from then
/// on.
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

/// The value of `n` bytes at `places`: `read` gives the value at one of them.
pub fn choose(cx: &mut Cx, places: &Places, n: u32, mut read: impl FnMut(&mut Cx, &Place) -> Value) -> Value {
    let mut value: Option<TermId> = None;
    for place in places.iter().rev() {
        let here = read(cx, place);
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

/// What many bytes at one place become, for models that keep [`Contents`].
pub enum Part<'a> {
    Byte(Value),
    Bytes(&'a [u8]),
    /// The bytes of `from` from `at` on.
    Copy {
        from: &'a Rc<Contents>,
        at: Value,
    },
}

impl Part<'_> {
    pub fn write(&self, to: &mut Contents, terms: &mut Terms, guard: TermId, offset: Value, len: Value) {
        match (self, offset) {
            (Part::Byte(byte), _) => to.fill(terms, guard, offset, *byte, len),
            (Part::Bytes(bytes), Value::Int(at)) => to.init(at, bytes),
            (Part::Bytes(_), _) => unreachable!("objects just made are written at concrete places"),
            (Part::Copy { from, at }, _) => to.copy(terms, guard, offset, from, *at, len),
        }
    }
}

/// Calls `write` for each place, under the condition that it is this place and the bytes are this part.
pub fn spread(
    cx: &mut Cx,
    places: &Places,
    len: Value,
    what: &Spread<Vec<Taken>>,
    mut write: impl FnMut(&mut Cx, &Place, &Part),
) {
    match what {
        Spread::Byte(byte) => places.iter().for_each(|place| write(cx, place, &Part::Byte(*byte))),
        Spread::Bytes(bytes) => places.iter().for_each(|place| write(cx, place, &Part::Bytes(bytes))),
        Spread::Symbol(symbol) => {
            let (from, at) = (&Contents::of_symbol(cx.terms, *symbol, len), Value::Int(0));
            places
                .iter()
                .for_each(|place| write(cx, place, &Part::Copy { from, at }));
        }
        Spread::Copy(taken) => {
            for place in places {
                for Taken { guard, from, at } in taken.iter() {
                    let guard = cx.terms.and(place.guard, *guard);
                    write(cx, &Place { guard, ..place.clone() }, &Part::Copy { from, at: *at });
                }
            }
        }
    }
}
