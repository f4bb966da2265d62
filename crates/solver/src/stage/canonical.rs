//! The canonical form of a query: equal for queries that differ only in the names of symbols, the order of clauses and operands, and
//! the constants on the two sides of a comparison. So `x<1 ∧ x+y+4<7` and `x+z+1<4 ∧ x<1` are one query, where the sums cannot wrap.
//!
//! 1. Comparisons are normalised: a constant on both sides is taken off both, if the known ranges rule out wrapping.
//! 2. Every term has a *shape*, a hash that knows nothing of names. Clauses are sorted by it, and by how their symbols occur elsewhere.
//! 3. The clauses are walked in that order. Symbols are numbered by first occurrence; operands of commutative operations are visited
//!    in the order of their shapes, then of the numbers their symbols have already. A base stands for its address.
//!
//! The walk is digested to 128 bits; nothing is built. Isomorphic queries can still get different keys, if they have symmetries that
//! the sorting does not break: that costs a query, not an answer.

use std::cell::Cell;

use mneme_term::{Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::ground::Addresses;

/// A query's digest, and its symbols in the order of their numbers.
pub(crate) struct Canonical {
    pub key: u128,
    pub symbols: Vec<SymbolId>,
}

/// Makes canonical forms. Remembers shapes and normalised clauses until terms are collected.
#[derive(Default)]
pub(crate) struct Canonizer {
    shapes: FxHashMap<TermId, u64>,
    normalised: FxHashMap<TermId, TermId>,
    stale: Cell<bool>,
}

impl Canonizer {
    const BOUND: usize = 1 << 18;

    pub fn terms_are_collected(&self) {
        self.stale.set(true);
    }

    pub fn canonical(
        &mut self,
        terms: &mut Terms,
        clauses: impl Iterator<Item = TermId>,
        addresses: &Addresses,
    ) -> Canonical {
        if self.stale.take() || self.shapes.len() > Self::BOUND {
            self.shapes.clear();
            self.normalised.clear();
        }
        let mut sorted: Vec<Ranked> = Vec::new();
        for clause in clauses {
            let clause = self.normalise(terms, clause);
            sorted.push(Ranked {
                shape: self.shape(terms, clause),
                context: 0,
                clause,
            });
        }
        // How a symbol occurs: the shapes of the clauses it is in.
        let mut colours: FxHashMap<SymbolId, u64> = FxHashMap::default();
        for ranked in &sorted {
            for &s in terms.symbols(ranked.clause) {
                let colour = colours.entry(s).or_default();
                *colour = colour.wrapping_add(mix(ranked.shape, 7));
            }
        }
        for ranked in &mut sorted {
            let symbols = terms.symbols(ranked.clause).iter();
            ranked.context = symbols.fold(0, |sum: u64, s| sum.wrapping_add(mix(colours[s], 11)));
        }
        sorted.sort_by_key(|ranked| (ranked.shape, ranked.context));
        let mut walk = Walk {
            terms,
            shapes: &self.shapes,
            addresses,
            colours,
            numbers: FxHashMap::default(),
            seen: FxHashMap::default(),
            symbols: Vec::new(),
            digest: Digest::new(),
        };
        for ranked in &sorted {
            walk.clause(ranked.clause);
        }
        Canonical {
            key: walk.digest.finish(),
            symbols: walk.symbols,
        }
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
    colours: FxHashMap<SymbolId, u64>,
    numbers: FxHashMap<SymbolId, u32>,
    /// Terms in the order of their first visit: a second visit is a reference.
    seen: FxHashMap<TermId, u32>,
    symbols: Vec<SymbolId>,
    digest: Digest,
}

const REFERENCE: u64 = 101;
const ADDRESS: u64 = 102;
const CLAUSE: u64 = 103;

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
            Op::Base(b) => {
                self.digest.push(ADDRESS);
                self.digest
                    .push(self.addresses.get(b).expect("the address of every base is known"));
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

    /// What tells two terms of one shape apart: the numbers of their symbols, or how they occur if they have none yet.
    fn tie(&self, t: TermId) -> (u32, u64) {
        let symbols = self.terms.symbols(t);
        let lowest = symbols
            .iter()
            .filter_map(|s| self.numbers.get(s))
            .min()
            .copied()
            .unwrap_or(u32::MAX);
        let sum = symbols.iter().fold(0u64, |sum, s| {
            let own = self
                .numbers
                .get(s)
                .map_or_else(|| self.colours.get(s).copied().unwrap_or(0), |&n| n.into());
            sum.wrapping_add(mix(own, 17))
        });
        (lowest, sum)
    }

    fn number(&mut self, s: SymbolId) -> u32 {
        let next = self.symbols.len() as u32;
        let number = *self.numbers.entry(s).or_insert(next);
        if number == next {
            self.symbols.push(s);
        }
        number
    }
}

fn is_commutative(op: Op) -> bool {
    matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::Eq)
}

/// What a node is, without names and children. No header is the beginning of another.
fn header(terms: &Terms, t: TermId, push: &mut dyn FnMut(u64)) {
    let op = terms.op(t);
    push(code(op));
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

fn code(op: Op) -> u64 {
    match op {
        Op::Const => 1,
        Op::Symbol(_) => 2,
        Op::Base(_) => 3,
        Op::Add => 4,
        Op::Mul => 5,
        Op::UDiv => 6,
        Op::URem => 7,
        Op::SDiv => 8,
        Op::SRem => 9,
        Op::And => 10,
        Op::Or => 11,
        Op::Xor => 12,
        Op::Not => 13,
        Op::Shl => 14,
        Op::LShr => 15,
        Op::AShr => 16,
        Op::Eq => 17,
        Op::Ult => 18,
        Op::Ule => 19,
        Op::Slt => 20,
        Op::Sle => 21,
        Op::Ite => 22,
        Op::Concat => 23,
        Op::Extract { .. } => 24,
        Op::ZExt => 25,
        Op::SExt => 26,
        Op::Select => 27,
        Op::Store => 28,
        Op::ConstArray => 29,
        Op::Lookup(_) => 30,
        Op::Apply(_) => 31,
        Op::Forall(_) => 32,
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
}

impl Digest {
    fn new() -> Self {
        Digest {
            lanes: [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344],
            words: 0,
        }
    }

    fn push(&mut self, word: u64) {
        self.words += 1;
        self.lanes[0] = mix(self.lanes[0], word);
        let product = u128::from(self.lanes[1] ^ 0xa409_3822_299f_31d1)
            * u128::from(word.rotate_left(32) ^ 0x082e_fa98_ec4e_6c89);
        self.lanes[1] = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.words ^ word.rotate_left(11));
    }

    fn finish(&self) -> u128 {
        u128::from(mix(self.lanes[0], self.words)) << 64 | u128::from(mix(self.lanes[1], self.lanes[0]))
    }
}
