//! Ranges of bytes whose accesses the handlers of concrete accesses have asked not to see (symMMU §3.3.4).
//!
//! Each state has its own, so that a path is the same whatever runs in between. One range per object; when there are
//! too many, the oldest is dropped.

use mneme_term::BaseId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Ranges that are found without a look-up.
const NEAR: usize = 16;

#[derive(Clone, Default, PartialEq)]
pub struct Tlb {
    /// `None`: none.
    entries: Option<Rc<Entries>>,
}

#[derive(Clone, Default)]
struct Entries {
    ranges: FxHashMap<BaseId, Range<u64>>,
    /// The oldest first.
    order: VecDeque<BaseId>,
    /// Some of the ranges, each at a place that its object determines.
    near: [Option<(BaseId, u64, u64)>; NEAR],
}

impl PartialEq for Entries {
    fn eq(&self, other: &Entries) -> bool {
        self.ranges == other.ranges && self.order == other.order
    }
}

impl Entries {
    fn near(&mut self, base: BaseId) -> &mut Option<(BaseId, u64, u64)> {
        &mut self.near[base.0 as usize % NEAR]
    }

    fn remove(&mut self, base: BaseId) {
        self.ranges.remove(&base);
        self.order.retain(|&other| other != base);
        if let Some((near, ..)) = *self.near(base)
            && near == base
        {
            *self.near(base) = None;
        }
    }
}

impl Tlb {
    #[inline(always)]
    pub fn passes(&self, base: BaseId, offset: u64, bytes: u64) -> bool {
        let Some(entries) = &self.entries else { return false };
        let inside = |start: u64, end: u64| start <= offset && offset.saturating_add(bytes) <= end;
        match entries.near[base.0 as usize % NEAR] {
            Some((near, start, end)) if near == base => inside(start, end),
            _ => entries
                .ranges
                .get(&base)
                .is_some_and(|range| inside(range.start, range.end)),
        }
    }

    pub fn insert(&mut self, base: BaseId, range: Range<u64>, most: usize) {
        if most == 0 {
            return;
        }
        let entries = Rc::make_mut(self.entries.get_or_insert_default());
        entries.remove(base);
        if entries.order.len() >= most
            && let Some(&oldest) = entries.order.front()
        {
            entries.remove(oldest);
        }
        entries.order.push_back(base);
        *entries.near(base) = Some((base, range.start, range.end));
        entries.ranges.insert(base, range);
    }

    pub fn remove(&mut self, base: BaseId) {
        if let Some(entries) = &mut self.entries
            && entries.ranges.contains_key(&base)
        {
            Rc::make_mut(entries).remove(base);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_range_is_dropped_when_there_are_too_many() {
        let mut tlb = Tlb::default();
        let before = tlb.clone();
        for number in [0, 1, 17] {
            tlb.insert(BaseId(number), 0..8, 2);
        }
        assert!(!tlb.passes(BaseId(0), 0, 1) && tlb.passes(BaseId(1), 0, 8) && tlb.passes(BaseId(17), 7, 1));
        assert!(!tlb.passes(BaseId(17), 7, 2), "it ends outside the range");
        tlb.remove(BaseId(1));
        tlb.insert(BaseId(17), 4..8, 2);
        assert!(!tlb.passes(BaseId(1), 0, 1) && !tlb.passes(BaseId(17), 0, 1) && tlb.passes(BaseId(17), 4, 4));
        assert!(!before.passes(BaseId(17), 4, 4), "states do not share them");
        tlb.insert(BaseId(5), 0..8, 0);
        assert!(!tlb.passes(BaseId(5), 0, 1));
    }
}
