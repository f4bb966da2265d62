//! Sets of machine integers as intervals.

/// Values of `width` bits, at most 64: closed intervals, sorted, with gaps between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Intervals {
    width: u32,
    ranges: Vec<(u64, u64)>,
}

impl Intervals {
    pub fn full(width: u32) -> Self {
        Self::range(width, 0, greatest(width))
    }

    pub fn empty(width: u32) -> Self {
        Intervals {
            width,
            ranges: Vec::new(),
        }
    }

    /// From `low` to `high`, both included.
    pub fn range(width: u32, low: u64, high: u64) -> Self {
        debug_assert!(low <= high && high <= greatest(width));
        Intervals {
            width,
            ranges: vec![(low, high)],
        }
    }

    /// Values in ascending order.
    pub fn of(width: u32, values: impl Iterator<Item = u64>) -> Self {
        let mut set = Self::empty(width);
        values.for_each(|value| set.push(value, value));
        set
    }

    pub fn below(width: u32, bound: u64) -> Self {
        match bound.checked_sub(1) {
            Some(last) => Self::range(width, 0, last),
            None => Self::empty(width),
        }
    }

    pub fn above(width: u32, bound: u64) -> Self {
        if bound == greatest(width) {
            return Self::empty(width);
        }
        Self::range(width, bound + 1, greatest(width))
    }

    /// Adding the sign bit orders signed values as unsigned ones are.
    pub fn signed_below(width: u32, bound: u64) -> Self {
        let sign = 1 << (width - 1);
        Self::below(width, bound ^ sign).shifted(sign)
    }

    pub fn signed_above(width: u32, bound: u64) -> Self {
        let sign = 1 << (width - 1);
        Self::above(width, bound ^ sign).shifted(sign)
    }

    pub fn first(&self) -> Option<u64> {
        self.ranges.first().map(|&(low, _)| low)
    }

    /// Appends values above all existing ones.
    fn push(&mut self, low: u64, high: u64) {
        match self.ranges.last_mut() {
            Some(last) if last.1.checked_add(1) == Some(low) => last.1 = high,
            _ => self.ranges.push((low, high)),
        }
    }

    pub fn intersect(&self, other: &Self) -> Self {
        let mut both = Self::empty(self.width);
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a, b)), Some(&(c, d))) = (self.ranges.get(i), other.ranges.get(j)) {
            if a.max(c) <= b.min(d) {
                both.push(a.max(c), b.min(d));
            }
            if b < d { i += 1 } else { j += 1 }
        }
        both
    }

    pub fn union(&self, other: &Self) -> Self {
        self.complement().intersect(&other.complement()).complement()
    }

    pub fn complement(&self) -> Self {
        let mut others = Self::empty(self.width);
        let mut next = Some(0);
        for &(low, high) in &self.ranges {
            if let Some(from) = next
                && from < low
            {
                others.push(from, low - 1);
            }
            next = (high < greatest(self.width)).then(|| high + 1);
        }
        if let Some(from) = next {
            others.push(from, greatest(self.width));
        }
        others
    }

    /// All values plus `by`, modulo the width.
    pub fn shifted(&self, by: u64) -> Self {
        let mask = greatest(self.width);
        let by = by & mask;
        if by == 0 {
            return self.clone();
        }
        // Values from `wraps` on wrap around to the start.
        let wraps = mask - by + 1;
        let mut moved = Self::empty(self.width);
        for &(low, high) in self.ranges.iter().filter(|&&(_, high)| high >= wraps) {
            moved.push(low.max(wraps) - wraps, high - wraps);
        }
        for &(low, high) in self.ranges.iter().filter(|&&(low, _)| low < wraps) {
            moved.push(low + by, high.min(wraps - 1) + by);
        }
        moved
    }

    /// All bits of all values flipped.
    pub fn inverted(&self) -> Self {
        let mask = greatest(self.width);
        let mut flipped = Self::empty(self.width);
        for &(low, high) in self.ranges.iter().rev() {
            flipped.push(mask - high, mask - low);
        }
        flipped
    }

    /// The values of `width` bits whose zero-extensions are in the set.
    pub fn narrowed(&self, width: u32) -> Self {
        let within = self.intersect(&Self::range(self.width, 0, greatest(width)));
        Intervals { width, ..within }
    }

    /// The values of `width` bits whose sign-extensions are in the set.
    pub fn signed_narrowed(&self, width: u32) -> Self {
        // Adding 2^(width-1) takes the sign-extended values to 0 up to 2^width - 1, in order.
        let half = 1 << (width - 1);
        self.shifted(half).narrowed(width).shifted(half)
    }
}

fn greatest(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 4;

    /// All sets of four-bit values that are a union of two intervals, and a few more.
    fn sets() -> Vec<Intervals> {
        (0..1u64 << 16)
            .step_by(97)
            .map(|mask| Intervals::of(WIDTH, (0..16).filter(move |v| mask >> v & 1 == 1)))
            .collect()
    }

    fn members(set: &Intervals) -> Vec<u64> {
        set.ranges.iter().flat_map(|&(low, high)| low..=high).collect()
    }

    /// Each operation against its definition, for every member.
    #[test]
    fn operations_are_those_of_sets() {
        let all = 0..16u64;
        let sets = sets();
        for (i, set) in sets.iter().enumerate() {
            let has = members(set);
            let expect = |holds: &dyn Fn(u64) -> bool| all.clone().filter(|&v| holds(v)).collect::<Vec<_>>();
            assert_eq!(members(&set.complement()), expect(&|v| !has.contains(&v)));
            assert_eq!(members(&set.inverted()), expect(&|v| has.contains(&(15 - v))));
            for by in 0..16 {
                assert_eq!(
                    members(&set.shifted(by)),
                    expect(&|v| has.contains(&((v + 16 - by) % 16)))
                );
            }
            let other = &sets[(i * 31 + 7) % sets.len()];
            let others = members(other);
            let both = |v: u64| has.contains(&v) && others.contains(&v);
            let either = |v: u64| has.contains(&v) || others.contains(&v);
            assert_eq!(members(&set.intersect(other)), expect(&both));
            assert_eq!(members(&set.union(other)), expect(&either));
            let narrow = |extend: &dyn Fn(u64) -> u64| (0..4).filter(|&v| has.contains(&extend(v))).collect::<Vec<_>>();
            assert_eq!(members(&set.narrowed(2)), narrow(&|v| v));
            assert_eq!(
                members(&set.signed_narrowed(2)),
                narrow(&|v| if v > 1 { v + 12 } else { v })
            );
        }
    }

    #[test]
    fn bounds_are_strict() {
        let signed = |v: u64| (v as i64) << 60 >> 60;
        for bound in 0..16 {
            let expect = |holds: &dyn Fn(u64) -> bool| (0..16).filter(|&v| holds(v)).collect::<Vec<_>>();
            assert_eq!(members(&Intervals::below(WIDTH, bound)), expect(&|v| v < bound));
            assert_eq!(members(&Intervals::above(WIDTH, bound)), expect(&|v| v > bound));
            let below = expect(&|v| signed(v) < signed(bound));
            assert_eq!(members(&Intervals::signed_below(WIDTH, bound)), below);
            let above = expect(&|v| signed(v) > signed(bound));
            assert_eq!(members(&Intervals::signed_above(WIDTH, bound)), above);
        }
    }

    #[test]
    fn the_widest_values_do_not_overflow() {
        let full = Intervals::full(64);
        assert_eq!(full.complement(), Intervals::empty(64));
        assert_eq!(Intervals::empty(64).complement(), full);
        assert_eq!(full.shifted(u64::MAX), full);
        assert_eq!(Intervals::above(64, u64::MAX), Intervals::empty(64));
        assert_eq!(Intervals::signed_below(64, 1 << 63), Intervals::empty(64));
    }
}
