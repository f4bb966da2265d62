//! Symbols, their sorts, and uninterpreted functions.

use crate::hash::{hash_bytes, mix};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunId(pub(crate) u32);

/// What a symbol stands for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum SymbolKind {
    Input,
    /// Something that the program never gave a value.
    Uninit(Origin),
    Fresh,
    /// A variable of `forall`.
    Bound,
}

/// Where something without a value comes from. The numbers are the program's, which terms do not know.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// Unwritten bytes of an object of this site.
    Site(u32),
    /// An operation that has no result for its operands (*poison*).
    Operation { function: u32, pc: u32 },
    /// An argument, a result or a constant.
    Value,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    Bits(u32),
    Array { index: u32, element: u32 },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Symbol {
    pub name: String,
    pub kind: SymbolKind,
    pub sort: Sort,
}

/// An uninterpreted function: widths of its arguments and of its result.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    pub name: String,
    pub args: Vec<u32>,
    pub result: u32,
}

struct Entry {
    symbol: Symbol,
    hash: u64,
    /// Whether no earlier symbol has the same name.
    first: bool,
}

/// Interned symbols and functions with the hashes of their names. Never freed.
#[derive(Default)]
pub(crate) struct Symbols {
    symbols: Vec<Entry>,
    names: FxHashSet<String>,
    ids: FxHashMap<Symbol, SymbolId>,
    functions: Vec<(Function, u64)>,
    function_ids: FxHashMap<Function, FunId>,
}

impl Symbols {
    pub fn intern(&mut self, symbol: Symbol) -> SymbolId {
        if let Some(&id) = self.ids.get(&symbol) {
            return id;
        }
        let id = SymbolId(self.symbols.len() as u32);
        let hash = mix(hash_bytes(symbol.name.as_bytes()), 1);
        let first = self.names.insert(symbol.name.clone());
        self.symbols.push(Entry {
            symbol: symbol.clone(),
            hash,
            first,
        });
        self.ids.insert(symbol, id);
        id
    }

    pub fn info(&self, s: SymbolId) -> &Symbol {
        &self.symbols[s.0 as usize].symbol
    }

    pub fn hash(&self, s: SymbolId) -> u64 {
        self.symbols[s.0 as usize].hash
    }

    pub fn is_first_of_its_name(&self, s: SymbolId) -> bool {
        self.symbols[s.0 as usize].first
    }

    pub fn intern_function(&mut self, function: Function) -> FunId {
        if let Some(&id) = self.function_ids.get(&function) {
            return id;
        }
        let id = FunId(self.functions.len() as u32);
        let hash = mix(hash_bytes(function.name.as_bytes()), 2);
        self.functions.push((function.clone(), hash));
        self.function_ids.insert(function, id);
        id
    }

    pub fn function(&self, f: FunId) -> &Function {
        &self.functions[f.0 as usize].0
    }

    pub fn function_hash(&self, f: FunId) -> u64 {
        self.functions[f.0 as usize].1
    }

    pub fn bytes(&self) -> usize {
        self.symbols
            .iter()
            .map(|s| 2 * size_of::<Symbol>() + 3 * s.symbol.name.len())
            .sum()
    }
}
