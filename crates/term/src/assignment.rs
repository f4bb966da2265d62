//! Assignments of values to symbols, and the interface that evaluation needs.

use crate::{BaseId, Bits, FunId, SymbolId};
use std::collections::BTreeMap;

/// Everything that evaluation asks for. Total: every question has an answer.
pub trait Model {
    fn bits(&self, s: SymbolId, width: u32) -> Bits;
    fn element(&self, s: SymbolId, index: u64, width: u32) -> Bits;
    fn address(&self, b: BaseId) -> u64;
    fn apply(&self, f: FunId, args: &[Bits], width: u32) -> Bits;
}

/// A total assignment: what is not listed is 0.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Assignment {
    pub values: BTreeMap<SymbolId, Bits>,
    pub arrays: BTreeMap<SymbolId, ArrayValue>,
}

#[derive(Clone, Default, PartialEq, Debug)]
pub struct ArrayValue {
    pub entries: BTreeMap<u64, Bits>,
    pub default: Option<Bits>,
}

impl ArrayValue {
    pub fn element(&self, index: u64, width: u32) -> Bits {
        self.entries
            .get(&index)
            .or(self.default.as_ref())
            .cloned()
            .unwrap_or(Bits::zero(width))
    }
}

impl Assignment {
    /// This assignment with the addresses of bases given by the closure. Functions evaluate to 0.
    pub fn with_addresses<'a>(&'a self, address: &'a dyn Fn(BaseId) -> u64) -> impl Model + 'a {
        WithAddresses {
            assignment: self,
            address,
        }
    }
}

struct WithAddresses<'a> {
    assignment: &'a Assignment,
    address: &'a dyn Fn(BaseId) -> u64,
}

impl Model for WithAddresses<'_> {
    fn bits(&self, s: SymbolId, width: u32) -> Bits {
        self.assignment.values.get(&s).cloned().unwrap_or(Bits::zero(width))
    }

    fn element(&self, s: SymbolId, index: u64, width: u32) -> Bits {
        match self.assignment.arrays.get(&s) {
            Some(array) => array.element(index, width),
            None => Bits::zero(width),
        }
    }

    fn address(&self, b: BaseId) -> u64 {
        (self.address)(b)
    }

    fn apply(&self, _: FunId, _: &[Bits], width: u32) -> Bits {
        Bits::zero(width)
    }
}
