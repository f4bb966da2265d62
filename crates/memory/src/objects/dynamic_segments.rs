//! `dynamic-segments`: the objects that a pointer can really refer to, and only those, move into one segment when the
//! access happens (thesis §3.2.3.2). The access is then one access to the segment, at the delta of the object that the
//! pointer's own base selects; bounds were checked against that object before.

use super::{Objects, fork};
use crate::places::{Place, Places, together};
use crate::{Cx, Group, Heap};
use mneme_term::{BaseId, TermId, Value};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Up to this many bytes are joined without asking which objects are possible.
const SMALL: u64 = 4096;

pub(super) fn gather(memory: &mut Heap<Objects>, cx: &mut Cx, p: Value, places: Places) -> Vec<Group> {
    let bases: Vec<BaseId> = places.iter().map(|place| place.base).collect();
    let places = match memory.common_segment(&bases) {
        // One object too many only makes the segment larger: not worth a query while it is small.
        None if memory.bytes(&bases) > SMALL => memory.possible(cx, places),
        _ => places,
    };
    match places.len() {
        0 | 1 => fork::gather(cx, places),
        _ => join(memory, cx, p, places),
    }
}

/// One branch in which all of these places are one place of a segment.
pub(super) fn join(memory: &mut Heap<Objects>, cx: &mut Cx, p: Value, mut places: Places) -> Vec<Group> {
    cx.counters.resolution.add("forks_avoided", places.len() as u64 - 1);
    let guard = together(cx, &mut places);
    vec![Group {
        guard,
        places: smallvec![joined(memory, cx, p, &places)],
        sole: None,
    }]
}

/// The place in a segment that stands for all of these, where the guard of one of them holds.
fn joined(memory: &mut Heap<Objects>, cx: &mut Cx, p: Value, places: &Places) -> Place {
    let bases: Vec<BaseId> = places.iter().map(|place| place.base).collect();
    memory.join(cx, &bases);
    let delta = |base| memory.seat(base).expect("just joined").1;
    let anchor = bases
        .iter()
        .copied()
        .min_by_key(|&base| delta(base))
        .expect("there are several");
    let offset = match by_leaves(cx, p, places, delta) {
        Some(offset) => offset,
        None => by_guards(cx, places, delta),
    };
    let start = cx.word_const(delta(anchor));
    let offset = cx.terms.sub(offset, start);
    Place {
        guard: cx.terms.tru(),
        base: anchor,
        offset: cx.terms.to_value(offset),
        piece: None,
    }
}

/// The pointer itself with deltas in place of its bases, so that a table of pointers becomes a table of deltas. Only if
/// the pointer's leaves are all there is: a plain integer among them may also stand for an object.
fn by_leaves(cx: &mut Cx, p: Value, places: &Places, delta: impl Fn(BaseId) -> u64) -> Option<TermId> {
    let Value::Term(p) = p else { return None };
    let named = cx
        .terms
        .cases(p)
        .iter()
        .filter_map(|case| case.base)
        .collect::<Vec<_>>();
    let mut starts: FxHashMap<BaseId, TermId> = FxHashMap::default();
    for place in places {
        if !named.contains(&place.base) {
            return None;
        }
        let start = cx.word_const(delta(place.base));
        starts.insert(place.base, start);
    }
    if cx
        .terms
        .cases(p)
        .iter()
        .any(|case| case.base.is_none() && cx.terms.as_const(case.offset) != Some(0))
    {
        return None;
    }
    // Anything that is not among the places is excluded by the branch's guard: any offset will do.
    let (elsewhere, nothing) = (places[0].offset, cx.word_const(delta(places[0].base)));
    let elsewhere = cx.word(elsewhere);
    let elsewhere = cx.terms.add(elsewhere, nothing);
    Some(cx.terms.map_pointer(
        p,
        &mut |terms, base, offset| match base.and_then(|base| starts.get(&base)) {
            Some(&start) => terms.add(start, offset),
            None => elsewhere,
        },
    ))
}

fn by_guards(cx: &mut Cx, places: &Places, delta: impl Fn(BaseId) -> u64) -> TermId {
    let mut all: Option<TermId> = None;
    for place in places.iter().rev() {
        let start = cx.word_const(delta(place.base));
        let offset = cx.word(place.offset);
        let here = cx.terms.add(start, offset);
        all = Some(match all {
            Some(rest) => cx.terms.ite(place.guard, here, rest),
            None => here,
        });
    }
    all.expect("there are several")
}
