//! The table behind hash-consing.

/// Open addressing over node ids; the key of an entry is in its node.
#[derive(Default)]
pub(crate) struct Index {
    slots: Vec<u32>,
    used: usize,
}

/// No id.
pub(crate) const EMPTY: u32 = u32::MAX;

impl Index {
    pub fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                EMPTY => return None,
                id if same(id) => return Some(id),
                _ => at = (at + 1) & mask,
            }
        }
    }

    pub fn insert(&mut self, id: u32, hash_of: impl Fn(u32) -> u64) {
        if (self.used + 1) * 3 > self.slots.len() * 2 {
            let ids: Vec<u32> = self.slots.iter().copied().filter(|&id| id != EMPTY).collect();
            self.rebuild(ids.into_iter(), &hash_of);
        }
        self.place(id, hash_of(id));
    }

    fn place(&mut self, id: u32, hash: u64) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = id;
        self.used += 1;
    }

    pub fn rebuild(&mut self, ids: impl ExactSizeIterator<Item = u32>, hash_of: &impl Fn(u32) -> u64) {
        let size = ((ids.len() + 1) * 3).next_power_of_two().max(1024);
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        self.used = 0;
        for id in ids {
            self.place(id, hash_of(id));
        }
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * 4
    }
}
