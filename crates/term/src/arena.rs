//! The arena: hash-consed nodes, and reading them.
//!
//! Invariants. Equal nodes have equal ids (`intern` is the only way to make one). A node's children live as long as the
//! node. A node never changes, but its id may be reused after `collect` has freed it. Operands are ordered by
//! structural hashes, which depend on neither ids nor history, so different workers build the same terms.
//!
//! `Add`, `And`, `Or`, `Xor` and `Concat` are n-ary; see the crate documentation for the normal forms.

use crate::base::Bases;
use crate::facts::Facts;
use crate::flags::Flags;
use crate::hash::mix;
use crate::index::{EMPTY, Index};
use crate::op::Op;
use crate::pointer::Case;
use crate::support::Support;
use crate::symbol::{Function, Symbols};
use crate::{BaseId, BaseInfo, Bits, FunId, Sort, Symbol, SymbolId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::Rc;

/// A term in its `Terms`. Deliberately without an order: use `structural_hash` where one is needed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TermId(pub(crate) u32);

/// The entries of a `Lookup`: pairs of key and term, sorted by key.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TableId(pub(crate) u32);

pub(crate) type Children = SmallVec<[TermId; 4]>;

pub(crate) struct Node {
    pub op: Op,
    /// The width of the value, or of an array's elements.
    pub width: u32,
    /// The width of an array's index; 0 for bit-vectors.
    pub index_width: u32,
    /// Number of nodes of the term written out as a tree, saturating.
    pub size: u32,
    /// Number of leaves, saturating, if the term is a tree of `Ite` and `Lookup` over constants or pointers.
    pub leaves: u16,
    pub flags: Flags,
    pub hash: u64,
    pub facts: Facts,
    pub children: Children,
    pub support: OnceCell<Rc<Support>>,
}

pub(crate) struct Table {
    pub entries: Rc<[(u64, TermId)]>,
    pub hash: u64,
    pub facts: Facts,
    pub flags: Flags,
    pub size: u32,
    pub leaves: u16,
}

/// All terms of one worker.
pub struct Terms {
    pub(crate) pointer_width: u32,
    pub(crate) nodes: Vec<Node>,
    pub(crate) free: Vec<u32>,
    pub(crate) index: Index,
    /// Constants wider than 64 bits. Narrower ones are their node's known bits.
    pub(crate) wide: FxHashMap<TermId, Bits>,
    pub(crate) symbols: Symbols,
    pub(crate) bases: Bases,
    pub(crate) tables: Vec<Option<Table>>,
    pub(crate) table_ids: FxHashMap<Rc<[(u64, TermId)]>, TableId>,
    pub(crate) free_tables: Vec<u32>,
    pub(crate) cases: FxHashMap<TermId, Rc<[Case]>>,
    /// Whether a look-up among known entries is a table; otherwise it is a read of an array with one write per entry.
    pub(crate) with_tables: bool,
    /// Number of active rewriting rules that build new terms; bounds their recursion.
    pub(crate) depth: u32,
    pub(crate) fls: TermId,
    pub(crate) tru: TermId,
}

impl Terms {
    pub fn new(pointer_width: u32) -> Terms {
        let mut terms = Terms {
            pointer_width,
            nodes: Vec::new(),
            free: Vec::new(),
            index: Index::default(),
            wide: FxHashMap::default(),
            symbols: Symbols::default(),
            bases: Bases::default(),
            tables: Vec::new(),
            table_ids: FxHashMap::default(),
            free_tables: Vec::new(),
            cases: FxHashMap::default(),
            with_tables: true,
            depth: 0,
            fls: TermId(0),
            tru: TermId(0),
        };
        terms.fls = terms.constant(1, 0);
        terms.tru = terms.constant(1, 1);
        terms
    }

    /// Terms in which `lookup` makes arrays instead of tables: slow, for comparison with engines that have no tables.
    pub fn without_tables(pointer_width: u32) -> Terms {
        let with_tables = false;
        Terms {
            with_tables,
            ..Terms::new(pointer_width)
        }
    }

    pub fn pointer_width(&self) -> u32 {
        self.pointer_width
    }

    /// Live nodes.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Never empty: true and false always exist.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An estimate of the memory held.
    pub fn bytes(&self) -> usize {
        let tables: usize = self.tables.iter().flatten().map(|t| t.entries.len() * 16 + 96).sum();
        self.nodes.capacity() * size_of::<Node>()
            + self.index.bytes()
            + self.wide.len() * 96
            + tables
            + self.cases.len() * 64
            + self.symbols.bytes()
            + self.bases.bytes()
    }

    // ---- reading ----

    pub(crate) fn node(&self, t: TermId) -> &Node {
        &self.nodes[t.0 as usize]
    }

    pub fn op(&self, t: TermId) -> Op {
        self.node(t).op
    }

    /// The operands. Those of a `Lookup` are index and default only: its entries are in its table.
    pub fn children(&self, t: TermId) -> &[TermId] {
        &self.node(t).children
    }

    /// The entries of a `Lookup`, sorted by key.
    pub fn table(&self, table: TableId) -> &[(u64, TermId)] {
        &self.table_data(table).entries
    }

    pub(crate) fn table_data(&self, table: TableId) -> &Table {
        self.tables[table.0 as usize]
            .as_ref()
            .expect("tables live as long as the lookups that use them")
    }

    /// All operands, the entries of a lookup's table included.
    pub fn for_each_child(&self, t: TermId, mut f: impl FnMut(TermId)) {
        let node = self.node(t);
        node.children.iter().for_each(|&c| f(c));
        if let Op::Lookup(table) = node.op {
            self.table(table).iter().for_each(|&(_, c)| f(c));
        }
    }

    /// The width of a bit-vector, or of an array's elements.
    pub fn width(&self, t: TermId) -> u32 {
        self.node(t).width
    }

    pub fn sort(&self, t: TermId) -> Sort {
        let node = self.node(t);
        match node.index_width {
            0 => Sort::Bits(node.width),
            index => Sort::Array {
                index,
                element: node.width,
            },
        }
    }

    /// The value of a constant of at most 64 bits.
    pub fn as_const(&self, t: TermId) -> Option<u64> {
        let node = self.node(t);
        (node.op == Op::Const && node.width <= 64).then_some(node.facts.ones)
    }

    pub fn as_bits(&self, t: TermId) -> Option<Bits> {
        let node = self.node(t);
        match node.op {
            Op::Const if node.width <= 64 => Some(Bits::new(node.width, node.facts.ones)),
            Op::Const => Some(self.wide[&t].clone()),
            _ => None,
        }
    }

    pub(crate) fn is_const(&self, t: TermId) -> bool {
        self.node(t).op == Op::Const
    }

    pub fn is_true(&self, t: TermId) -> bool {
        t == self.tru
    }

    pub fn is_false(&self, t: TermId) -> bool {
        t == self.fls
    }

    /// Independent of ids and of the order in which terms were made.
    pub fn structural_hash(&self, t: TermId) -> u64 {
        self.node(t).hash
    }

    /// Number of nodes of the term written out as a tree, saturating.
    pub fn depth_or_size(&self, t: TermId) -> u32 {
        self.node(t).size
    }

    // ---- leaves ----

    pub fn tru(&self) -> TermId {
        self.tru
    }

    pub fn fls(&self) -> TermId {
        self.fls
    }

    pub fn boolean(&mut self, b: bool) -> TermId {
        if b { self.tru } else { self.fls }
    }

    pub fn constant(&mut self, width: u32, value: u64) -> TermId {
        if width > 64 {
            return self.constant_bits(&Bits::new(width, value));
        }
        let value = crate::truncate(value, width);
        let hash = mix(mix(Op::Const.code(), width as u64), value);
        let nodes = &self.nodes;
        let found = self.index.find(hash, |id| {
            let node = &nodes[id as usize];
            node.hash == hash && node.op == Op::Const && node.width == width && node.facts.ones == value
        });
        match found {
            Some(id) => TermId(id),
            None => self.push(Node::leaf(
                Op::Const,
                width,
                hash,
                Facts::exact(width, value),
                Flags::CONST,
            )),
        }
    }

    pub fn constant_bits(&mut self, bits: &Bits) -> TermId {
        let width = bits.width();
        if width <= 64 {
            return self.constant(width, bits.low_u64());
        }
        let hash = bits
            .words()
            .iter()
            .fold(mix(Op::Const.code(), width as u64), |h, &w| mix(h, w));
        let (nodes, wide) = (&self.nodes, &self.wide);
        let found = self.index.find(hash, |id| {
            let node = &nodes[id as usize];
            node.hash == hash && node.op == Op::Const && wide.get(&TermId(id)) == Some(bits)
        });
        match found {
            Some(id) => TermId(id),
            None => {
                let t = self.push(Node::leaf(Op::Const, width, hash, Facts::unknown(width), Flags::CONST));
                self.wide.insert(t, bits.clone());
                t
            }
        }
    }

    pub fn symbol_id(&mut self, s: Symbol) -> SymbolId {
        self.symbols.intern(s)
    }

    pub fn symbol_info(&self, s: SymbolId) -> &Symbol {
        self.symbols.info(s)
    }

    pub fn symbol(&mut self, s: SymbolId) -> TermId {
        match self.symbols.info(s).sort {
            Sort::Bits(width) => self.intern(Op::Symbol(s), width, 0, Children::new()),
            Sort::Array { index, element } => self.intern(Op::Symbol(s), element, index, Children::new()),
        }
    }

    pub fn base_id(&mut self, info: BaseInfo) -> BaseId {
        self.bases.intern(info)
    }

    pub fn base_info(&self, b: BaseId) -> BaseInfo {
        self.bases.info(b)
    }

    pub fn base(&mut self, b: BaseId) -> TermId {
        self.intern(Op::Base(b), self.pointer_width, 0, Children::new())
    }

    pub fn function(&mut self, name: &str, args: &[u32], result: u32) -> FunId {
        self.symbols.intern_function(Function {
            name: name.to_string(),
            args: args.to_vec(),
            result,
        })
    }

    pub fn function_info(&self, f: FunId) -> &Function {
        self.symbols.function(f)
    }

    // ---- making nodes ----

    /// Makes a bit-vector node exactly as given: rewriting has happened before.
    pub(crate) fn mk(&mut self, op: Op, width: u32, children: &[TermId]) -> TermId {
        self.intern(op, width, 0, Children::from_slice(children))
    }

    pub(crate) fn intern(&mut self, op: Op, width: u32, index_width: u32, children: Children) -> TermId {
        let hash = self.hash_of(op, width, index_width, &children);
        let nodes = &self.nodes;
        let found = self.index.find(hash, |id| {
            let node = &nodes[id as usize];
            node.hash == hash
                && node.op == op
                && node.width == width
                && node.index_width == index_width
                && node.children == children
        });
        if let Some(id) = found {
            return TermId(id);
        }
        let facts = self.compute_facts(op, width, index_width, &children);
        // A term whose every bit is known is a constant, whatever it was made of.
        if index_width == 0 && width <= 64 && facts.lo == facts.hi {
            return self.constant(width, facts.lo);
        }
        let flags = self.compute_flags(op, width, &children);
        let (size, leaves) = self.compute_size(op, &children, flags);
        self.push(Node {
            op,
            width,
            index_width,
            size,
            leaves,
            flags,
            hash,
            facts,
            children,
            support: OnceCell::new(),
        })
    }

    fn hash_of(&self, op: Op, width: u32, index_width: u32, children: &[TermId]) -> u64 {
        let payload = match op {
            Op::Symbol(s) | Op::Forall(s) => self.symbols.hash(s),
            Op::Base(b) => self.bases.info(b).hash(),
            Op::Extract { low, .. } => low as u64,
            Op::Lookup(table) => self.table_data(table).hash,
            Op::Apply(f) => self.symbols.function_hash(f),
            _ => 0,
        };
        let start = mix(mix(op.code(), (index_width as u64) << 32 | width as u64), payload);
        children.iter().fold(start, |hash, &c| mix(hash, self.node(c).hash))
    }

    fn push(&mut self, node: Node) -> TermId {
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id != EMPTY);
                self.nodes.push(node);
                id.expect("fewer than 2^32 live terms")
            }
        };
        let nodes = &self.nodes;
        self.index.insert(id, |id| nodes[id as usize].hash);
        TermId(id)
    }

    /// `entries` must be sorted by key, without duplicates.
    pub(crate) fn intern_table(&mut self, entries: Vec<(u64, TermId)>) -> TableId {
        let entries: Rc<[(u64, TermId)]> = entries.into();
        if let Some(&id) = self.table_ids.get(&entries) {
            return id;
        }
        let hash = entries
            .iter()
            .fold(entries.len() as u64, |h, &(k, t)| mix(mix(h, k), self.node(t).hash));
        let table = self.summarise_table(entries.clone(), hash);
        let id = match self.free_tables.pop() {
            Some(id) => {
                self.tables[id as usize] = Some(table);
                TableId(id)
            }
            None => {
                self.tables.push(Some(table));
                TableId(self.tables.len() as u32 - 1)
            }
        };
        self.table_ids.insert(entries, id);
        id
    }

    /// Sorts commutative operands by structural hash, constants last.
    pub(crate) fn sort_operands(&self, operands: &mut [TermId]) {
        operands.sort_by_key(|&t| (self.is_const(t), self.node(t).hash));
    }

    /// Runs a rewriting rule that builds terms, unless too many are active already: then the caller keeps the term as
    /// it is.
    pub(crate) fn rewrite<R>(&mut self, rule: impl FnOnce(&mut Terms) -> R) -> Option<R> {
        self.rewrite_within(24, rule)
    }

    /// The same with its own limit, for rules that enter several operands: without a memo, their cost doubles with each
    /// level.
    pub(crate) fn rewrite_within<R>(&mut self, limit: u32, rule: impl FnOnce(&mut Terms) -> R) -> Option<R> {
        if self.depth >= limit {
            return None;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        Some(result)
    }
}

impl Node {
    fn leaf(op: Op, width: u32, hash: u64, facts: Facts, flags: Flags) -> Node {
        Node {
            op,
            width,
            index_width: 0,
            size: 1,
            leaves: 1,
            flags,
            hash,
            facts,
            children: Children::new(),
            support: OnceCell::new(),
        }
    }
}
