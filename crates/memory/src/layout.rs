//! Addresses: the numbers a program sees when it looks at a pointer's bits.
//!
//! Every kind of object has its own region of the address space, filled upwards and never reused. A gap follows each object, so that
//! one past the end never equals a neighbour. Addresses depend on the path alone, and every one lies in `[4096, 2^47)`
//! (`[4096, 3 GiB)` with 32-bit pointers), which the rewriting rules for pointers rely on.

use mneme_term::BaseKind;

#[derive(Clone, Debug)]
pub struct Layout {
    next: [u64; 4],
    limit: [u64; 4],
}

const GAP: u64 = 16;

impl Layout {
    pub fn new(pointer_width: u32) -> Layout {
        // functions, globals, heap, stack
        if pointer_width == 64 {
            let next = [0x40_0000, 0x1000_0000, 0x10_0000_0000, 0x7000_0000_0000];
            Layout {
                next,
                limit: [0x1000_0000, 0x10_0000_0000, 0x7000_0000_0000, 0x7fff_ffff_0000],
            }
        } else {
            let next = [0x10_0000, 0x100_0000, 0x2000_0000, 0x8000_0000];
            Layout {
                next,
                limit: [0x100_0000, 0x2000_0000, 0x8000_0000, 0xbfff_0000],
            }
        }
    }

    /// An address for `size` bytes, or `None` when the region is full.
    pub fn place(&mut self, kind: BaseKind, size: u64, align: u64) -> Option<u64> {
        let region = match kind {
            BaseKind::Function => 0,
            BaseKind::Global => 1,
            BaseKind::Heap => 2,
            BaseKind::Stack => 3,
        };
        let address = self.next[region].checked_next_multiple_of(align.max(1))?;
        let end = address.checked_add(size)?.checked_add(GAP)?;
        if end > self.limit[region] {
            return None;
        }
        self.next[region] = end;
        Some(address)
    }
}
