//! Addresses: the numbers that a program sees when it looks at a pointer's bits.
//!
//! Every kind of object has its own region of the address space, filled upwards. A gap follows each object, so that one
//! past the end never equals a neighbour. Only when a region is full (with 32-bit pointers, a loop that makes a
//! gigabyte of stack objects) is its largest hole reused: a range with no live object, and no dead one whose address
//! the program has seen as a number. Addresses depend only on the path, and every address lies in `[4096, 2^47)`
//! (`[4096, 3 GiB)` with 32-bit pointers), which the rewriting rules for pointers rely on.

use mneme_term::BaseKind;

#[derive(Clone, Debug)]
pub struct Layout {
    next: [u64; 4],
    limit: [u64; 4],
}

/// The fewest bytes between objects.
pub const GAP: u64 = 16;

/// The smallest fraction of a region that is worth reusing, as a divisor: searching for it visits every object.
const WORTHWHILE: u64 = 16;

/// Start and end of the regions of functions, globals, heap and stack.
fn regions(pointer_width: u32) -> [(u64, u64); 4] {
    match pointer_width {
        64 => [
            (0x40_0000, 0x1000_0000),
            (0x1000_0000, 0x10_0000_0000),
            (0x10_0000_0000, 0x7000_0000_0000),
            (0x7000_0000_0000, 0x7fff_ffff_0000),
        ],
        _ => [
            (0x10_0000, 0x100_0000),
            (0x100_0000, 0x2000_0000),
            (0x2000_0000, 0x8000_0000),
            (0x8000_0000, 0xbfff_0000),
        ],
    }
}

fn region(kind: BaseKind) -> usize {
    match kind {
        BaseKind::Function => 0,
        BaseKind::Global => 1,
        BaseKind::Heap => 2,
        BaseKind::Stack => 3,
    }
}

impl Layout {
    pub fn new(pointer_width: u32) -> Layout {
        let regions = regions(pointer_width);
        Layout {
            next: regions.map(|(start, _)| start),
            limit: regions.map(|(_, end)| end),
        }
    }

    /// An address for `size` bytes, or `None` if the region is full.
    pub fn place(&mut self, kind: BaseKind, size: u64, align: u64) -> Option<u64> {
        let region = region(kind);
        let address = self.next[region].checked_next_multiple_of(align.max(1))?;
        let end = address.checked_add(size)?.checked_add(GAP)?;
        if end > self.limit[region] {
            return None;
        }
        self.next[region] = end;
        Some(address)
    }

    /// What is free in all of several layouts. `None`: they continue in different holes.
    pub fn join(layouts: &[&Layout]) -> Option<Layout> {
        let mut joined = (*layouts.first()?).clone();
        for layout in layouts {
            if layout.limit != joined.limit {
                return None;
            }
            for (next, other) in joined.next.iter_mut().zip(layout.next) {
                *next = (*next).max(other);
            }
        }
        Some(joined)
    }

    /// Continues in the largest hole between the objects that must keep their addresses (first byte and first byte
    /// behind), if it is worthwhile.
    pub fn recycle(&mut self, kind: BaseKind, pointer_width: u32, mut kept: Vec<(u64, u64)>) {
        let (start, end) = regions(pointer_width)[region(kind)];
        kept.sort_unstable();
        let mut free = start;
        let mut largest = (start, start);
        for (from, to) in kept.into_iter().chain([(end, end)]) {
            let from = from.min(end);
            if from.saturating_sub(free) > largest.1 - largest.0 {
                largest = (free, from);
            }
            free = free.max(to.saturating_add(GAP));
        }
        if largest.1 - largest.0 >= (end - start) / WORTHWHILE {
            (self.next[region(kind)], self.limit[region(kind)]) = largest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A region is filled and all but two objects die: what is placed next lies in the largest hole and nowhere else.
    #[test]
    fn a_full_region_is_used_again_around_what_lives() {
        let mut layout = Layout::new(32);
        let size = 1 << 20;
        let mut all = Vec::new();
        while let Some(address) = layout.place(BaseKind::Stack, size, 16) {
            all.push(address);
        }
        let kept = vec![(all[700], all[700] + size), (all[2], all[2] + size)];
        layout.recycle(BaseKind::Stack, 32, kept);
        let mut again = Vec::new();
        while let Some(address) = layout.place(BaseKind::Stack, size, 16) {
            again.push(address);
        }
        assert_eq!(again.len(), 697, "the objects between the two that live");
        assert!(
            again
                .iter()
                .all(|&address| address > all[2] + size && address + size < all[700])
        );
        layout.recycle(BaseKind::Stack, 32, vec![(all[0], all[0] + (1 << 30))]);
        assert_eq!(
            layout.place(BaseKind::Stack, size, 16),
            None,
            "nothing worthwhile is left"
        );
    }
}
