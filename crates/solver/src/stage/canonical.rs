//! The canonical form of a query: equal for queries that differ only in the names of symbols, the addresses of objects,
//! the order of clauses and operands, and the constants on the two sides of a comparison. So `x<1 ∧ x+y+4<7` and
//! `x+z+1<4 ∧ x<1` are one query if the sums cannot wrap.
//!
//! 1. Comparisons are normalised: a constant on both sides is taken off both, if the known ranges rule out wrapping.
//! 2. Every term has a *shape*, a hash that is independent of names. Clauses are sorted by it, and by how their symbols
//!    occur elsewhere.
//! 3. The clauses are walked in that order. Symbols are numbered by first occurrence; operands of commutative
//!    operations are visited in the order of their shapes, then of the numbers that their symbols already have.
//! 4. Bases whose address does not matter (see `agnostic`) are numbered like symbols, and come with what a renaming
//!    must preserve: kind, alignment, life, capacity and size of their objects, and the order of those whose order
//!    matters. Any other base stands for its address.
//!
//! The walk is digested to 128 bits; nothing is built. Isomorphic queries can still get different keys if they have
//! symmetries that the sorting does not break: that costs a query, not a wrong answer.

use std::cell::Cell;

use mneme_term::{BaseId, BaseKind, Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;

use super::agnostic::{Agnostic, Uses};
use crate::BaseTable;
use crate::ground::Addresses;

/// Whether addresses are part of a canonical form.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Cache {
    /// Only where the answer depends on them.
    #[default]
    AddressAware,
    /// Always.
    Plain,
}

/// A query's digest, and its symbols in the order of their numbers.
pub(crate) struct Canonical {
    pub key: u128,
    /// The form itself, if requested.
    pub form: Option<Box<[u64]>>,
    pub symbols: Vec<SymbolId>,
    pub bases: Bases,
}

/// What the form says of addresses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Bases {
    /// There are no bases.
    None,
    /// Nothing, though there are bases. The number distinguishes where they lie.
    Renamed(u64),
    /// Some.
    Pinned,
}

/// What a renaming of bases preserves.
struct Preserved {
    base: BaseId,
    words: [u64; 4],
    size: TermId,
}

/// Makes canonical forms. Remembers shapes and normalised clauses until terms are collected.
#[derive(Default)]
pub(crate) struct Canonizer {
    kind: Cache,
    /// Whether forms are requested in addition to their digests.
    pub keep_forms: bool,
    agnostic: Agnostic,
    shapes: FxHashMap<TermId, u64>,
    normalised: FxHashMap<TermId, TermId>,
    stale: Cell<bool>,
}

impl Canonizer {
    const BOUND: usize = 1 << 18;

    pub fn terms_are_collected(&self) {
        self.stale.set(true);
    }

    pub fn new(kind: Cache) -> Canonizer {
        Canonizer {
            kind,
            ..Canonizer::default()
        }
    }

    pub fn canonical(
        &mut self,
        terms: &mut Terms,
        clauses: impl Iterator<Item = TermId>,
        addresses: &Addresses,
        table: &dyn BaseTable,
    ) -> Canonical {
        if self.stale.take() || self.shapes.len() > Self::BOUND {
            self.shapes.clear();
            self.normalised.clear();
            self.agnostic.forget();
        }
        let clauses: Vec<TermId> = clauses.map(|clause| self.normalise(terms, clause)).collect();
        let uses = match (addresses.is_empty(), self.kind) {
            (true, _) => Uses::default(),
            (false, Cache::AddressAware) => self.agnostic.uses(terms, &clauses, table),
            (false, Cache::Plain) => Uses::all_pinned(addresses.bases()),
        };
        let objects = self.objects(terms, addresses, &uses, table);
        // How a symbol or a base occurs: what it is, and the shapes of the clauses it is in.
        let mut colours: FxHashMap<Name, u64> = objects
            .iter()
            .map(|object| {
                (
                    Name::Base(object.base),
                    object.words.iter().fold(3, |hash, &w| mix(hash, w)),
                )
            })
            .collect();
        let mut sorted: Vec<Ranked> = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let shape = self.shape(terms, clause);
            each_name(terms, clause, |name| {
                let colour = colours.entry(name).or_default();
                *colour = colour.wrapping_add(mix(shape, 7));
            });
            sorted.push(Ranked {
                shape,
                context: 0,
                clause,
            });
        }
        for ranked in &mut sorted {
            let mut context = 0u64;
            each_name(terms, ranked.clause, |name| {
                context = context.wrapping_add(mix(colours[&name], 11));
            });
            ranked.context = context;
        }
        sorted.sort_by_key(|ranked| (ranked.shape, ranked.context));
        let mut walk = Walk {
            terms,
            shapes: &self.shapes,
            addresses,
            uses: &uses,
            objects: &objects,
            colours,
            numbers: FxHashMap::default(),
            seen: FxHashMap::default(),
            symbols: Vec::new(),
            bases: Vec::new(),
            digest: Digest::new(self.keep_forms),
        };
        for ranked in &sorted {
            walk.clause(ranked.clause);
        }
        let bases = walk.finish_bases();
        Canonical {
            key: walk.digest.finish(),
            form: walk.digest.form.map(Vec::into_boxed_slice),
            symbols: walk.symbols,
            bases,
        }
    }

    /// The objects of the numbered bases.
    fn objects(
        &mut self,
        terms: &mut Terms,
        addresses: &Addresses,
        uses: &Uses,
        table: &dyn BaseTable,
    ) -> Vec<Preserved> {
        let mut objects = Vec::new();
        for base in addresses.bases().filter(|&b| !uses.is_pinned(b)) {
            let info = terms.base_info(base);
            let extent = table.extent(terms, base);
            let kind = match info.kind {
                BaseKind::Global => 1,
                BaseKind::Function => 2,
                BaseKind::Stack => 3,
                BaseKind::Heap => 4,
            };
            self.shape(terms, extent.size);
            objects.push(Preserved {
                base,
                words: [kind, info.align, table.is_alive(base).into(), extent.capacity],
                size: extent.size,
            });
        }
        objects
    }

    /// The clause with its comparison normalised.
    fn normalise(&mut self, terms: &mut Terms, clause: TermId) -> TermId {
        if let Some(&known) = self.normalised.get(&clause) {
            return known;
        }
        let normal = shifted(terms, clause).unwrap_or(clause);
        self.normalised.insert(clause, normal);
        normal
    }

    fn shape(&mut self, terms: &Terms, root: TermId) -> u64 {
        let mut stack = vec![(root, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.shapes.contains_key(&t) {
                continue;
            }
            if ready {
                let shape = self.node_shape(terms, t);
                self.shapes.insert(t, shape);
            } else {
                stack.push((t, true));
                terms.for_each_child(t, |child| stack.push((child, false)));
            }
        }
        self.shapes[&root]
    }

    fn node_shape(&self, terms: &Terms, t: TermId) -> u64 {
        let mut hash = 1;
        header(terms, t, &mut |word| hash = mix(hash, word));
        if is_commutative(terms.op(t)) {
            let sum = terms
                .children(t)
                .iter()
                .fold(0u64, |sum, c| sum.wrapping_add(mix(self.shapes[c], 13)));
            return mix(hash, sum);
        }
        terms.for_each_child(t, |child| hash = mix(hash, self.shapes[&child]));
        hash
    }
}

/// What is numbered.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Name {
    Symbol(SymbolId),
    Base(BaseId),
}

fn each_name(terms: &Terms, t: TermId, mut see: impl FnMut(Name)) {
    terms.symbols(t).iter().for_each(|&s| see(Name::Symbol(s)));
    if terms.has_base(t) {
        terms.bases(t).iter().for_each(|&b| see(Name::Base(b)));
    }
}

struct Ranked {
    shape: u64,
    context: u64,
    clause: TermId,
}

/// `a + c < b + d` as `a + (c - m) < b + (d - m)` with `m` the smaller constant, where neither sum wraps.
fn shifted(terms: &mut Terms, clause: TermId) -> Option<TermId> {
    let op = terms.op(clause);
    if op == Op::Not {
        let inner = terms.children(clause)[0];
        let inner = shifted(terms, inner)?;
        return Some(terms.not(inner));
    }
    if !matches!(op, Op::Ult | Op::Ule | Op::Slt | Op::Sle) {
        return None;
    }
    let (left, right) = (terms.children(clause)[0], terms.children(clause)[1]);
    let width = terms.width(left);
    if width > 63 {
        return None;
    }
    let (left, c) = without_constant(terms, left)?;
    let (right, d) = without_constant(terms, right)?;
    let shift = c.min(d);
    // Signed comparisons are unsigned ones while both sides stay below the sign bit.
    let limit = match op {
        Op::Ult | Op::Ule => (1u64 << width) - 1,
        _ => (1u64 << (width - 1)) - 1,
    };
    let fits = |terms: &Terms, t: TermId, c: u64| terms.range(t).1.checked_add(c).is_some_and(|high| high <= limit);
    if shift == 0 || !fits(terms, left, c) || !fits(terms, right, d) {
        return None;
    }
    let (c, d) = (terms.constant(width, c - shift), terms.constant(width, d - shift));
    let (left, right) = (terms.add(left, c), terms.add(right, d));
    Some(match op {
        Op::Ult => terms.ult(left, right),
        Op::Ule => terms.ule(left, right),
        Op::Slt => terms.slt(left, right),
        _ => terms.sle(left, right),
    })
}

/// A sum without its constant, and the constant. A constant is zero plus itself.
fn without_constant(terms: &mut Terms, t: TermId) -> Option<(TermId, u64)> {
    let width = terms.width(t);
    if let Some(value) = terms.as_const(t) {
        return Some((terms.constant(width, 0), value));
    }
    if terms.op(t) != Op::Add {
        return None;
    }
    let &last = terms.children(t).last()?;
    let value = terms.as_const(last)?;
    Some((terms.sub(t, last), value))
}

/// The walk over a query that numbers its symbols.
struct Walk<'a> {
    terms: &'a Terms,
    shapes: &'a FxHashMap<TermId, u64>,
    addresses: &'a Addresses,
    uses: &'a Uses,
    /// Sorted by base.
    objects: &'a [Preserved],
    colours: FxHashMap<Name, u64>,
    numbers: FxHashMap<Name, u32>,
    /// Terms in the order of their first visit: a second visit is a reference.
    seen: FxHashMap<TermId, u32>,
    symbols: Vec<SymbolId>,
    /// In the order of their numbers.
    bases: Vec<BaseId>,
    digest: Digest,
}

const REFERENCE: u64 = 101;
const ADDRESS: u64 = 102;
const CLAUSE: u64 = 103;
const OBJECT: u64 = 104;
const ORDER: u64 = 105;

impl Walk<'_> {
    fn clause(&mut self, clause: TermId) {
        self.digest.push(CLAUSE);
        let mut stack = vec![clause];
        while let Some(t) = stack.pop() {
            let next = self.seen.len() as u32;
            match *self.seen.entry(t).or_insert(next) {
                number if number == next => self.node(t, &mut stack),
                number => {
                    self.digest.push(REFERENCE);
                    self.digest.push(number.into());
                }
            }
        }
    }

    fn node(&mut self, t: TermId, stack: &mut Vec<TermId>) {
        match self.terms.op(t) {
            Op::Base(b) if self.uses.is_pinned(b) => {
                self.digest.push(ADDRESS);
                self.digest.push(self.address(b));
                return;
            }
            Op::Base(b) => {
                // Every node is visited once: this is the first occurrence of the base.
                self.digest.push(OBJECT);
                self.numbers.insert(Name::Base(b), self.bases.len() as u32);
                self.bases.push(b);
                return;
            }
            Op::Symbol(s) | Op::Forall(s) => {
                header(self.terms, t, &mut |word| self.digest.push(word));
                let number = self.number(s);
                self.digest.push(number.into());
            }
            _ => header(self.terms, t, &mut |word| self.digest.push(word)),
        }
        let from = stack.len();
        self.terms.for_each_child(t, |child| stack.push(child));
        self.digest.push((stack.len() - from) as u64);
        if is_commutative(self.terms.op(t)) {
            let shape = |t: &TermId| self.shapes[t];
            stack[from..].sort_by(|a, b| shape(a).cmp(&shape(b)).then_with(|| self.tie(*a).cmp(&self.tie(*b))));
        }
        stack[from..].reverse();
    }

    /// What distinguishes two terms of one shape: the numbers of their symbols and bases, or how these occur if they
    /// have no numbers yet.
    fn tie(&self, t: TermId) -> (u32, u64) {
        let mut lowest = u32::MAX;
        let mut sum = 0u64;
        each_name(self.terms, t, |name| {
            let own = match self.numbers.get(&name) {
                Some(&number) => {
                    lowest = lowest.min(number);
                    number.into()
                }
                None => self.colours.get(&name).copied().unwrap_or(0),
            };
            sum = sum.wrapping_add(mix(own, 17));
        });
        (lowest, sum)
    }

    fn number(&mut self, s: SymbolId) -> u32 {
        let next = self.symbols.len() as u32;
        let number = *self.numbers.entry(Name::Symbol(s)).or_insert(next);
        if number == next {
            self.symbols.push(s);
        }
        number
    }

    fn address(&self, b: BaseId) -> u64 {
        self.addresses.get(b).expect("the address of every base is known")
    }

    /// Adds what a renaming of the bases has to preserve.
    fn finish_bases(&mut self) -> Bases {
        let objects = self.objects;
        let mut place = 5;
        for base in std::mem::take(&mut self.bases) {
            let at = objects.binary_search_by_key(&base, |object| object.base);
            let object = &objects[at.expect("every base that is numbered has an object")];
            object.words.iter().for_each(|&word| self.digest.push(word));
            self.clause(object.size);
            place = mix(place, self.address(base));
        }
        let mut ordered = self.uses.ordered().to_vec();
        ordered.sort_by_key(|&b| self.address(b));
        self.digest.push(ORDER);
        for base in ordered {
            let number = self.numbers[&Name::Base(base)];
            self.digest.push(number.into());
        }
        match (self.addresses.is_empty(), self.uses.pins_nothing()) {
            (true, _) => Bases::None,
            (false, true) => Bases::Renamed(place),
            (false, false) => Bases::Pinned,
        }
    }
}

fn is_commutative(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq)
}

/// What a node is, without names and children. No header is a prefix of another.
fn header(terms: &Terms, t: TermId, push: &mut dyn FnMut(u64)) {
    let op = terms.op(t);
    push(op.code());
    match terms.sort(t) {
        Sort::Bits(width) => push(width.into()),
        Sort::Array { index, element } => push((u64::from(index) << 32) | u64::from(element) | 1 << 63),
    }
    match op {
        Op::Const => {
            let bits = terms.as_bits(t).expect("a constant has a value");
            bits.words().iter().for_each(|&word| push(word));
        }
        Op::Extract { low, .. } => push(low.into()),
        Op::Lookup(table) => {
            let entries = terms.table(table);
            push(entries.len() as u64);
            entries.iter().for_each(|&(key, _)| push(key));
        }
        // Functions are not renamed: their names are part of the form.
        Op::Apply(f) => {
            let name = &terms.function_info(f).name;
            push(name.len() as u64);
            name.bytes().for_each(|byte| push(byte.into()));
        }
        Op::Forall(s) => {
            if let Sort::Bits(width) = terms.symbol_info(s).sort {
                push(width.into());
            }
        }
        _ => {}
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd6e8_feb8_6659_fd93);
    (product as u64 ^ (product >> 64) as u64).wrapping_add(hash.rotate_left(29) ^ word)
}

/// Two independent 64-bit hashes of a sequence of words.
struct Digest {
    lanes: [u64; 2],
    words: u64,
    /// The words, if requested.
    form: Option<Vec<u64>>,
}

/// The digest of a form.
pub(super) fn digest(form: &[u64]) -> u128 {
    let mut digest = Digest::new(false);
    form.iter().for_each(|&word| digest.push(word));
    digest.finish()
}

impl Digest {
    fn new(keep_form: bool) -> Self {
        Digest {
            form: keep_form.then(Vec::new),
            lanes: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
            words: 0,
        }
    }

    fn push(&mut self, word: u64) {
        self.words += 1;
        if let Some(form) = &mut self.form {
            form.push(word);
        }
        self.lanes[0] = mix(self.lanes[0], word);
        let product = u128::from(self.lanes[1] ^ 0xa409_3822_299f_31d1)
            * u128::from(word.rotate_left(32) ^ 0x082e_fa98_ec4e_6c89);
        self.lanes[1] = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.words ^ word.rotate_left(11));
    }

    fn finish(&self) -> u128 {
        u128::from(mix(self.lanes[0], self.words)) << 64 | u128::from(mix(self.lanes[1], self.lanes[0]))
    }
}
