//! `auto`: the policy that seems best for the access, from what this path knows. `docs/resolution.md` says why.

use super::{Group, Objects, dynamic_segments, fork, merge};
use crate::branch::AccessKind;
use crate::config::Addresses;
use crate::merge::{Place, Places};
use crate::{Cx, Truth};
use mneme_term::{BaseId, Value};

/// Forking, and asking whether only one of them is possible, is for this many objects at most.
const FEW: usize = 3;
/// How many ways one path may fork in all.
const MOST_WAYS: u32 = 4;
/// Writes to more objects than this move them into one segment: a record in each of them is met by all that is read later.
const MANY: usize = 8;
/// Objects with more bytes than this are not moved.
const LARGE: u64 = 1 << 16;

/// The only place of a few that the path allows, if that is easy to tell.
pub(super) fn decided(memory: &Objects, cx: &mut Cx, places: &Places) -> Option<Place> {
    if !(2..=FEW).contains(&places.len()) {
        return None;
    }
    let now = |place: &&Place| cx.holds_now(&memory.directory, place.guard);
    let place = places.iter().find(now)?;
    let another = cx.terms.not(place.guard);
    cx.counters.resolution_queries += 1;
    let never = matches!(cx.may_briefly(&memory.directory, another), Truth::Never);
    never.then(|| place.clone())
}

pub(super) fn gather(
    memory: &mut Objects,
    cx: &mut Cx,
    p: Value,
    len: Value,
    kind: AccessKind,
    places: Places,
) -> Vec<Group> {
    let bases: Vec<BaseId> = places.iter().map(|place| place.base).collect();
    if memory.common_segment(&bases).is_some() {
        return dynamic_segments::join(memory, cx, p, places);
    }
    match kind {
        AccessKind::Read if keeps_numbers(memory, len, &places) => {
            memory.ways = memory.ways.max(1) * places.len() as u32;
            fork::gather(cx, places)
        }
        AccessKind::Write if places.len() > MANY && movable(memory, &bases) => {
            dynamic_segments::join(memory, cx, p, places)
        }
        _ => merge::gather(cx, places),
    }
}

fn movable(memory: &Objects, bases: &[BaseId]) -> bool {
    memory.addresses == Addresses::Relocatable && memory.bytes(bases) <= LARGE
}

/// Do few objects hold different numbers there? Then a path for each computes with numbers from here on, which is much faster than
/// with a conditional value.
fn keeps_numbers(memory: &Objects, len: Value, places: &Places) -> bool {
    let ways = memory.ways.max(1) * places.len() as u32;
    let Value::Int(len @ 1..=8) = len else { return false };
    if places.len() > FEW || ways > MOST_WAYS {
        return false;
    }
    let number = |place: &Place| match place.offset {
        Value::Int(at) => memory.number(place.base, at, len as u32),
        _ => None,
    };
    let Some(first) = number(&places[0]) else { return false };
    let others: Option<Vec<u64>> = places[1..].iter().map(number).collect();
    others.is_some_and(|others| others.iter().any(|&other| other != first))
}
