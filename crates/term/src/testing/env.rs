//! Environments: values of symbols and addresses of bases, for expressions and for the terms built from them.

use crate::hash::mix;
use crate::{ArrayValue, BaseId, BaseInfo, BaseKind, Bits, FunId, Model, SymbolId, Terms};
use std::collections::BTreeMap;

/// Values of everything that an expression mentions.
#[derive(Clone, Default, Debug)]
pub struct Env {
    pub values: BTreeMap<String, Bits>,
    pub arrays: BTreeMap<String, ArrayValue>,
    /// Addresses of the bases of [`test_base`], by number.
    pub addresses: Vec<u64>,
}

pub const BASES: u32 = 5;
/// The uninterpreted function: two bytes to a byte.
pub(super) const FUNCTION: &str = "f";

/// The bases that expressions use; interned in this order, number `i` is `BaseId(i)` of fresh `Terms`.
pub fn test_base(i: u32) -> BaseInfo {
    let kind = [
        BaseKind::Global,
        BaseKind::Function,
        BaseKind::Stack,
        BaseKind::Heap,
        BaseKind::Heap,
    ];
    let align = [8, 1, 4, 16, 4096];
    BaseInfo {
        kind: kind[i as usize],
        site: i,
        align: align[i as usize],
        n: 0,
    }
}

impl Env {
    /// The model that gives terms built from expressions the values of this environment.
    pub fn model<'a>(&'a self, terms: &'a Terms) -> impl Model + 'a {
        EnvModel { env: self, terms }
    }

    /// An arbitrary function, the same everywhere.
    pub(super) fn apply(args: &[Bits], width: u32) -> Bits {
        Bits::new(width, args.iter().fold(7, |h, a| mix(h, a.low_u64())))
    }
}

struct EnvModel<'a> {
    env: &'a Env,
    terms: &'a Terms,
}

impl Model for EnvModel<'_> {
    fn bits(&self, s: SymbolId, width: u32) -> Bits {
        let name = &self.terms.symbol_info(s).name;
        self.env.values.get(name).cloned().unwrap_or(Bits::zero(width))
    }

    fn element(&self, s: SymbolId, index: u64, width: u32) -> Bits {
        let name = &self.terms.symbol_info(s).name;
        self.env
            .arrays
            .get(name)
            .map_or(Bits::zero(width), |array| array.element(index, width))
    }

    fn address(&self, b: BaseId) -> u64 {
        self.env.addresses[self.terms.base_info(b).site as usize]
    }

    fn apply(&self, _: FunId, args: &[Bits], width: u32) -> Bits {
        Env::apply(args, width)
    }
}
