//! `auto`: the policy that seems best for the access, given what this path knows. `docs/resolution.md` gives the
//! reasons.

use super::options::Addresses;
use super::{Objects, dynamic_segments, fork, merge};
use crate::branch::AccessKind;
use crate::places::{Place, Places};
use crate::{Access, Cx, Group, Heap, Resolved, Target, Truth};
use mneme_term::{BaseId, Value};

/// The most objects for which it forks, or asks whether only one is possible.
const FEW: usize = 3;
/// How many ways one path may fork in total.
const MOST_WAYS: u32 = 4;
/// Writes to more objects than this move them into one segment: a record in each of them would affect every later read.
const MANY: usize = 8;
/// Larger objects are not moved.
const LARGE: u64 = 1 << 16;

/// The only one of a few objects that the path allows the access to meet, if that is easy to determine.
pub(super) fn decided(heap: &Heap<Objects>, cx: &mut Cx, targets: &[Resolved]) -> Option<usize> {
    let is_object = |resolved: &&Resolved| matches!(resolved.target, Target::Object { .. });
    if !(2..=FEW).contains(&targets.iter().filter(is_object).count()) {
        return None;
    }
    let now = |resolved: &Resolved| is_object(&resolved) && cx.holds_now(&heap.directory, resolved.guard);
    let index = targets.iter().position(now)?;
    let another = cx.terms.not(targets[index].guard);
    cx.counters.resolution.add("queries", 1);
    let never = matches!(cx.may_briefly(&heap.directory, another), Truth::Never);
    never.then_some(index)
}

pub(super) fn gather(memory: &mut Heap<Objects>, cx: &mut Cx, access: &Access, places: Places) -> Vec<Group> {
    let Access { p, len, kind } = *access;
    let bases: Vec<BaseId> = places.iter().map(|place| place.base).collect();
    if memory.common_segment(&bases).is_some() {
        return dynamic_segments::join(memory, cx, p, places);
    }
    match kind {
        AccessKind::Read if keeps_numbers(memory, len, &places) => {
            memory.model.ways = memory.model.ways.max(1) * places.len() as u32;
            fork::gather(cx, places)
        }
        AccessKind::Write if places.len() > MANY && movable(memory, &bases) => {
            dynamic_segments::gather(memory, cx, p, places)
        }
        _ => merge::gather(cx, places),
    }
}

fn movable(memory: &Heap<Objects>, bases: &[BaseId]) -> bool {
    memory.model.addresses == Addresses::Relocatable && memory.bytes(bases) <= LARGE
}

/// Whether a few objects hold different numbers there. Then one path per object computes with numbers from here on,
/// which is much faster than a conditional value.
fn keeps_numbers(memory: &Heap<Objects>, len: Value, places: &Places) -> bool {
    let ways = memory.model.ways.max(1) * places.len() as u32;
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
