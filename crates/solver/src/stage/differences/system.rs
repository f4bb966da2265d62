//! Bounds on the differences of sums, and what follows from them.

use mneme_term::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::reading::{Comparison, Gap, Parts, Reading, Relation, Side};

/// Sums beyond this number are left out, those that have least to do with the goal.
const MOST_SUMS: usize = 16;

/// Bounds on the differences of sums.
pub struct System<'a> {
    terms: &'a Terms,
    /// The first is 0.
    sums: Vec<Parts>,
    /// `sums[i] - sums[j] <= bounds[i][j]`; so far as known, and otherwise a large number.
    bounds: Vec<Vec<i128>>,
    /// What single parts are known to be, from clauses as well.
    ranges: FxHashMap<TermId, (i128, i128)>,
    /// `sums[i] - sums[j]` is not one of these.
    excluded: FxHashMap<(usize, usize), FxHashSet<i128>>,
    gaps: Vec<Between>,
}

/// A gap: `at - rest` is less than 0, or at least `until - rest + offset`, for `at = other + difference`.
#[derive(Copy, Clone)]
struct Between {
    rest: usize,
    until: usize,
    other: usize,
    difference: i128,
    offset: i128,
}

const UNBOUNDED: i128 = 1 << 100;

impl<'a> System<'a> {
    /// The first reading is that of the goal.
    pub fn of(terms: &'a Terms, readings: &[&Reading]) -> Self {
        let mut system = System {
            terms,
            sums: sums_around(readings),
            bounds: Vec::new(),
            ranges: FxHashMap::default(),
            excluded: FxHashMap::default(),
            gaps: Vec::new(),
        };
        let comparisons = || readings.iter().flat_map(|reading| &reading.comparisons);
        // What a clause says of one part makes others exact.
        for comparison in comparisons() {
            system.narrow(comparison);
        }
        system.start();
        for comparison in comparisons() {
            system.assume(comparison);
        }
        for gap in readings.iter().flat_map(|reading| &reading.gaps) {
            system.gaps.extend(system.between(gap));
        }
        system
    }

    fn between(&self, gap: &Gap) -> Option<Between> {
        Some(Between {
            rest: self.number(&gap.rest)?,
            until: self.number(&gap.until)?,
            other: self.number(&gap.differ.right.parts)?,
            difference: self.difference(&gap.differ)?,
            offset: gap.offset,
        })
    }

    fn range_of_part(&self, part: TermId) -> (i128, i128) {
        self.ranges.get(&part).copied().unwrap_or_else(|| {
            let (low, high) = self.terms.range(part);
            (low.into(), high.into())
        })
    }

    fn range(&self, parts: &Parts) -> (i128, i128) {
        parts.iter().fold((0, 0), |(low, high), &part| {
            let (least, most) = self.range_of_part(part);
            (low + least, high + most)
        })
    }

    fn number(&self, parts: &Parts) -> Option<usize> {
        self.sums.iter().position(|sum| sum == parts)
    }

    /// Learns the range of a part that is compared with a constant.
    fn narrow(&mut self, comparison: &Comparison) {
        let ((&[part], []) | ([], &[part])) = (&comparison.left.parts[..], &comparison.right.parts[..]) else {
            return;
        };
        if self.number(&comparison.left.parts).is_none() || self.number(&comparison.right.parts).is_none() {
            return;
        }
        let (low, high) = self.range_of_part(part);
        let part_is_left = !comparison.left.parts.is_empty();
        let narrowed = match self.bound(comparison) {
            Some(most) if part_is_left => (low, high.min(most)),
            Some(most) => (low.max(-most), high),
            None => return,
        };
        self.ranges.insert(part, narrowed);
    }

    /// `left - right` is at most this, as sums of parts.
    fn bound(&self, comparison: &Comparison) -> Option<i128> {
        let (strict, signed) = match comparison.relation {
            Relation::Less { signed } => (1, signed),
            Relation::AtMost { signed } => (0, signed),
            Relation::Equal | Relation::Different => return None,
        };
        let offset = |side: &Side| exact(self.range(&side.parts), side.offset, comparison.width, signed);
        let (left, right) = (offset(&comparison.left)?, offset(&comparison.right)?);
        Some(right - left - strict)
    }

    /// `left - right` as sums of parts, where the comparison says that both sides are equal, modulo the width.
    fn difference(&self, comparison: &Comparison) -> Option<i128> {
        let modulus = 1i128 << comparison.width;
        let wrapped = (comparison.right.offset - comparison.left.offset).rem_euclid(modulus);
        let (least, most) = (self.range(&comparison.left.parts), self.range(&comparison.right.parts));
        let (low, high) = (least.0 - most.1, least.1 - most.0);
        // The only number in the range that is congruent, if there are no two.
        let first = low + (wrapped - low).rem_euclid(modulus);
        (first + modulus > high).then_some(first)
    }

    /// The bounds that follow from ranges, and from parts that are in two sums.
    fn start(&mut self) {
        let count = self.sums.len();
        self.bounds = vec![vec![UNBOUNDED; count]; count];
        for i in 0..count {
            for j in 0..count {
                let (only_left, only_right) = without_common(&self.sums[i], &self.sums[j]);
                self.bounds[i][j] = self.range(&only_left).1 - self.range(&only_right).0;
            }
        }
    }

    fn assume(&mut self, comparison: &Comparison) {
        let (Some(i), Some(j)) = (
            self.number(&comparison.left.parts),
            self.number(&comparison.right.parts),
        ) else {
            return;
        };
        match comparison.relation {
            Relation::Equal => {
                if let Some(difference) = self.difference(comparison) {
                    self.at_most(i, j, difference);
                    self.at_most(j, i, -difference);
                }
            }
            Relation::Different => {
                if let Some(difference) = self.difference(comparison) {
                    self.excluded.entry((i, j)).or_default().insert(difference);
                    self.excluded.entry((j, i)).or_default().insert(-difference);
                }
            }
            Relation::Less { .. } | Relation::AtMost { .. } => {
                if let Some(most) = self.bound(comparison) {
                    self.at_most(i, j, most);
                }
            }
        }
    }

    fn at_most(&mut self, i: usize, j: usize, most: i128) {
        let bound = &mut self.bounds[i][j];
        *bound = most.min(*bound);
    }

    pub fn is_contradictory(&mut self) -> bool {
        loop {
            self.close();
            if (0..self.sums.len()).any(|i| self.bounds[i][i] < 0) {
                return true;
            }
            let mut changed = false;
            for (&(i, j), excluded) in &self.excluded {
                let bound = &mut self.bounds[i][j];
                while excluded.contains(bound) {
                    *bound -= 1;
                    changed = true;
                }
            }
            if !changed && !self.cross_gaps() {
                return false;
            }
        }
    }

    /// What is not below a gap is above it, and the other way round.
    fn cross_gaps(&mut self) -> bool {
        let mut changed = false;
        for at in 0..self.gaps.len() {
            let Between {
                rest,
                until,
                other,
                difference,
                offset,
            } = self.gaps[at];
            let (i, j, most) = if self.bounds[rest][other] <= difference {
                (until, other, difference - offset)
            } else if self.bounds[other][until] < offset - difference {
                (other, rest, -difference - 1)
            } else {
                continue;
            };
            changed |= most < self.bounds[i][j];
            self.at_most(i, j, most);
        }
        changed
    }

    /// Shortest paths (Floyd and Warshall).
    fn close(&mut self) {
        let count = self.sums.len();
        for via in 0..count {
            for i in 0..count {
                for j in 0..count {
                    let around = self.bounds[i][via] + self.bounds[via][j];
                    self.at_most(i, j, around.min(UNBOUNDED));
                }
            }
        }
    }
}

/// The offset as a signed integer with which a side, whose parts are in a range, does not wrap around.
fn exact((low, high): (i128, i128), offset: i128, width: u32, signed: bool) -> Option<i128> {
    let modulus = 1i128 << width;
    let (least, most) = match signed {
        true => (-modulus / 2, modulus / 2 - 1),
        false => (0, modulus - 1),
    };
    // Where the whole range is moved by a multiple of the modulus, or not at all.
    let first = offset.rem_euclid(modulus);
    [first, first - modulus]
        .into_iter()
        .find(|offset| least <= low + offset && high + offset <= most)
}

fn without_common(left: &Parts, right: &Parts) -> (Parts, Parts) {
    let mut right = right.clone();
    let mut only_left = left.clone();
    only_left.retain(|part| match right.iter().position(|other| other == part) {
        Some(at) => {
            right.remove(at);
            false
        }
        None => true,
    });
    (only_left, right)
}

/// 0, the sums of the goal, and those that are compared with them, directly or through others.
fn sums_around(readings: &[&Reading]) -> Vec<Parts> {
    let mut sums = vec![Parts::new()];
    let add = |sums: &mut Vec<Parts>, parts: &Parts| {
        let new = sums.len() < MOST_SUMS && !sums.contains(parts);
        if new {
            sums.push(parts.clone());
        }
        new
    };
    for comparison in &readings[0].comparisons {
        add(&mut sums, &comparison.left.parts);
        add(&mut sums, &comparison.right.parts);
    }
    loop {
        let before = sums.len();
        for reading in readings {
            let compared = reading
                .comparisons
                .iter()
                .map(|one| [&one.left.parts, &one.right.parts]);
            let gaps = reading.gaps.iter().flat_map(|gap| {
                let other = &gap.differ.right.parts;
                [[&gap.until, other], [&gap.rest, other]]
            });
            for pair in compared.chain(gaps) {
                if pair.iter().any(|parts| !parts.is_empty() && sums.contains(parts)) {
                    pair.iter().for_each(|parts| _ = add(&mut sums, parts));
                }
            }
        }
        if sums.len() == before {
            break;
        }
    }
    // What a sum consists of may be bounded alone.
    let parts: Vec<TermId> = sums.iter().filter(|sum| sum.len() > 1).flatten().copied().collect();
    for part in parts {
        add(&mut sums, &[part].into_iter().collect());
    }
    sums
}
