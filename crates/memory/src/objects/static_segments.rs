//! `static-segments`: the segmented memory model (thesis §3.1, §3.2.3.1). A points-to analysis of the whole program
//! says which allocation sites one pointer may refer to; the objects of such sites live in one segment from their
//! allocation on, so an access needs no query. If the objects of a pointer are in no common segment, because the
//! segment would be too large or the analysis lost the pointer, the access forks.

use super::{Objects, dynamic_segments, fork};
use crate::places::Places;
use crate::{Cx, Group, Heap};
use mneme_term::{BaseId, Value};

/// The most bytes of a segment.
const LARGE: u64 = 1 << 16;

/// What the sites of one part of the partition have made so far.
#[derive(Copy, Clone, Debug)]
pub(super) enum Share {
    One(BaseId),
    Segment(u32),
    TooLarge,
}

pub(super) fn gather(memory: &mut Heap<Objects>, cx: &mut Cx, p: Value, places: Places) -> Vec<Group> {
    let bases: Vec<BaseId> = places.iter().map(|place| place.base).collect();
    if memory.common_segment(&bases).is_none() {
        // A stack object whose lifetime has begun again has its own bytes.
        bases.iter().for_each(|&base| enter(memory, cx, base));
    }
    match memory.common_segment(&bases) {
        Some(_) => dynamic_segments::join(memory, cx, p, places),
        None => fork::gather(cx, places),
    }
}

/// Puts an object into the segment of its part.
pub(super) fn enter(memory: &mut Heap<Objects>, cx: &mut Cx, base: BaseId) {
    let Some(part) = part(memory, base) else { return };
    let lives = |base: BaseId| memory.directory.get(base).is_some();
    let share = match memory.model.shares.get(part).copied() {
        Some(Share::One(first)) if first == base => return,
        Some(Share::One(first)) if lives(first) => match memory.bytes(&[first, base]) {
            0..=LARGE => Share::Segment(memory.join(cx, &[first, base])),
            _ => Share::TooLarge,
        },
        Some(Share::Segment(number)) if memory.model.segments.has(number) => {
            match memory.model.segments.get(number).end() + memory.bytes(&[base]) {
                0..=LARGE => {
                    memory.enter(cx, number, base);
                    Share::Segment(number)
                }
                _ => Share::TooLarge,
            }
        }
        Some(Share::TooLarge) => return,
        _ => Share::One(base),
    };
    memory.model.shares.insert(part, share);
}

/// The part that the objects of a base's site belong to.
fn part(memory: &Heap<Objects>, base: BaseId) -> Option<u32> {
    let site = memory.directory.header(base)?.site as usize;
    *memory.model.partition.as_ref()?.get(site)?
}
