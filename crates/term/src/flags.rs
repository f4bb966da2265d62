//! Flags and sizes of nodes: which kinds of leaves occur, and whether a node is a tree of constants or of pointers.

use crate::arena::{Children, Table};
use crate::facts::Facts;
use crate::{Op, Sort, SymbolId, SymbolKind, TermId, Terms};
use std::rc::Rc;

/// Which kinds of leaves occur below a node, and what shape it has.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Flags(u16);

impl Flags {
    pub const NONE: Flags = Flags(0);
    pub const BASE: Flags = Flags(1);
    pub const INPUT: Flags = Flags(2);
    pub const UNINIT: Flags = Flags(4);
    pub const FRESH: Flags = Flags(8);
    pub const BOUND: Flags = Flags(16);
    pub const FORALL: Flags = Flags(32);
    pub const ARRAY: Flags = Flags(64);
    pub const APPLY: Flags = Flags(128);
    /// A constant, or a tree of `Ite`, `Lookup` and extended booleans whose leaves are all constants, or an extract of
    /// such.
    pub const CONST: Flags = Flags(256);
    /// A pointer (base, or base + offset), or a tree of `Ite` and `Lookup` with at least one such leaf.
    pub const POINTER: Flags = Flags(512);
    /// The distance of a member of a family occurs.
    pub const MEMBER: Flags = Flags(1024);
    const LEAVES: u16 = 255;
    const INHERITED: u16 = Flags::LEAVES | Flags::MEMBER.0;

    /// Whether anything but constants occurs.
    pub fn has_leaves(self) -> bool {
        self.0 & Flags::LEAVES != 0
    }

    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    pub fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    pub fn inherited(self) -> Flags {
        Flags(self.0 & Flags::INHERITED)
    }

    pub fn of_kind(kind: SymbolKind) -> Flags {
        match kind {
            SymbolKind::Input => Flags::INPUT,
            SymbolKind::Uninit(_) => Flags::UNINIT,
            SymbolKind::Fresh => Flags::FRESH,
            SymbolKind::Bound => Flags::BOUND,
        }
    }
}

impl Terms {
    pub(crate) fn flags(&self, t: TermId) -> Flags {
        self.node(t).flags
    }

    pub fn has_base(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::BASE)
    }

    /// Whether something occurs that the program never gave a value.
    pub fn has_uninit(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::UNINIT)
    }

    /// Whether a symbol of this kind occurs.
    pub fn has_kind(&self, t: TermId, kind: SymbolKind) -> bool {
        self.flags(t).has(Flags::of_kind(kind))
    }

    /// Whether an array (a symbol, or any operation on arrays) occurs.
    pub fn has_array(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::ARRAY)
    }

    pub fn has_forall(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::FORALL)
    }

    /// Whether an uninterpreted function is applied.
    pub fn has_apply(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::APPLY)
    }

    pub(crate) fn compute_flags(&self, op: Op, width: u32, children: &Children) -> Flags {
        let mut flags = children
            .iter()
            .fold(Flags::NONE, |flags, &c| flags.or(self.flags(c).inherited()));
        let all_const = |from: usize| children[from..].iter().all(|&c| self.flags(c).has(Flags::CONST));
        let some_pointer = |from: usize| children[from..].iter().any(|&c| self.flags(c).has(Flags::POINTER));
        match op {
            Op::Symbol(s) => {
                let symbol = self.symbol_info(s);
                flags = flags.or(Flags::of_kind(symbol.kind));
                if matches!(symbol.sort, Sort::Array { .. }) {
                    flags = flags.or(Flags::ARRAY);
                }
            }
            Op::Base(_) => flags = flags.or(Flags::BASE).or(Flags::POINTER),
            Op::Member => flags = flags.or(Flags::MEMBER),
            Op::Add if width == self.pointer_width && self.sum_base(children).is_some() => {
                flags = flags.or(Flags::POINTER);
            }
            Op::Ite if all_const(1) => flags = flags.or(Flags::CONST),
            Op::Ite if some_pointer(1) => flags = flags.or(Flags::POINTER),
            Op::ZExt | Op::SExt if self.width(children[0]) == 1 => flags = flags.or(Flags::CONST),
            Op::Extract { .. } if all_const(0) => flags = flags.or(Flags::CONST),
            Op::Lookup(table) => {
                let table = self.table_data(table);
                flags = flags.or(table.flags.inherited());
                if table.flags.has(Flags::CONST) && all_const(1) {
                    flags = flags.or(Flags::CONST);
                }
                if table.flags.has(Flags::POINTER) || some_pointer(1) {
                    flags = flags.or(Flags::POINTER);
                }
            }
            Op::ConstArray => flags = flags.or(Flags::ARRAY),
            Op::Apply(_) => flags = flags.or(Flags::APPLY),
            Op::Forall(bound) => {
                flags = flags.or(Flags::FORALL).without(Flags::BOUND);
                let free = |t: TermId, except: Option<SymbolId>| {
                    self.flags(t).has(Flags::BOUND)
                        && self
                            .symbols(t)
                            .iter()
                            .any(|&s| self.symbol_info(s).kind == SymbolKind::Bound && Some(s) != except)
                };
                if free(children[0], None) || free(children[1], Some(bound)) {
                    flags = flags.or(Flags::BOUND);
                }
            }
            _ => {}
        }
        flags
    }

    pub(crate) fn compute_size(&self, op: Op, children: &[TermId], flags: Flags) -> (u32, u16) {
        let mut size = children.iter().fold(1u32, |n, &c| n.saturating_add(self.node(c).size));
        let mut leaves = 1u16;
        let tree = flags.has(Flags::CONST) || flags.has(Flags::POINTER);
        match op {
            Op::Lookup(table) => {
                let table = self.table_data(table);
                size = size.saturating_add(table.size);
                leaves = table.leaves.saturating_add(self.node(children[1]).leaves);
            }
            Op::Ite if tree => {
                leaves = self
                    .node(children[1])
                    .leaves
                    .saturating_add(self.node(children[2]).leaves)
            }
            Op::ZExt | Op::SExt if tree => leaves = 2,
            Op::Extract { .. } if tree => leaves = self.node(children[0]).leaves,
            _ => {}
        }
        (size, leaves)
    }

    pub(crate) fn summarise_table(&self, entries: Rc<[(u64, TermId)]>, hash: u64) -> Table {
        let (mut facts, mut flags) = (None::<Facts>, Flags::CONST);
        let (mut size, mut leaves) = (0u32, 0u16);
        for &(_, t) in entries.iter() {
            let node = self.node(t);
            facts = Some(facts.map_or(node.facts, |f| f.join(node.facts)));
            if !node.flags.has(Flags::CONST) {
                flags = flags.without(Flags::CONST);
            }
            flags = flags.or(node.flags.without(Flags::CONST));
            size = size.saturating_add(node.size);
            leaves = leaves.saturating_add(node.leaves);
        }
        let facts = facts.unwrap_or(Facts::unknown(64));
        Table {
            entries,
            hash,
            facts,
            flags,
            size,
            leaves,
        }
    }
}
