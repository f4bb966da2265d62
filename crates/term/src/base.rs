//! Bases: the identity of an allocation.
//!
//! A base records its allocation site and its ordinal there (the *n*th allocation of that site), never its address or
//! size: those belong to a state. Equal histories give equal infos, hence equal ids. Ids are never reused.

use crate::hash::mix;
use rustc_hash::FxHashMap;

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BaseId(pub u32);

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BaseKind {
    Global,
    Function,
    Stack,
    Heap,
}

/// `n` counts the allocations at `site` on one path. `align` is a power of two (0 counts as 1).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct BaseInfo {
    pub kind: BaseKind,
    pub site: u32,
    pub align: u64,
    pub n: u32,
}

impl BaseInfo {
    pub(crate) fn hash(&self) -> u64 {
        let kind = match self.kind {
            BaseKind::Global => 1,
            BaseKind::Function => 2,
            BaseKind::Stack => 3,
            BaseKind::Heap => 4,
        };
        mix(mix(mix(kind, self.site as u64), self.align), self.n as u64)
    }
}

#[derive(Default)]
pub(crate) struct Bases {
    infos: Vec<BaseInfo>,
    /// The bases of a site by ordinal: a site that allocates in a loop makes millions of them, one after the other.
    by_site: FxHashMap<(BaseKind, u32, u64), Vec<Option<BaseId>>>,
}

impl Bases {
    pub fn intern(&mut self, info: BaseInfo) -> BaseId {
        let of_site = self.by_site.entry((info.kind, info.site, info.align)).or_default();
        let n = info.n as usize;
        if n >= of_site.len() {
            of_site.resize(n + 1, None);
        }
        *of_site[n].get_or_insert_with(|| {
            self.infos.push(info);
            BaseId(self.infos.len() as u32 - 1)
        })
    }

    pub fn info(&self, b: BaseId) -> BaseInfo {
        self.infos[b.0 as usize]
    }

    pub fn bytes(&self) -> usize {
        self.infos.len() * 2 * size_of::<BaseInfo>()
    }
}

/// The addresses that any layout may give to a base: `[low, high]`, both included. `None` for pointer widths without
/// such a guarantee.
pub fn address_range(pointer_width: u32) -> Option<(u64, u64)> {
    match pointer_width {
        64 => Some((4096, (1 << 47) - 1)),
        32 => Some((4096, (3 << 30) - 1)),
        _ => None,
    }
}
