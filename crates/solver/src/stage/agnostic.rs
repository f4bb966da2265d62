//! Which bases of a query may lie anywhere: whether it can be satisfied does not depend on their addresses.
//!
//! After chapter 4 of the thesis (definitions 4.4.1 to 4.4.11, lemmas 4.4.12 to 4.4.14). A comparison of pointers is
//! *agnostic* if every pointer in it is null (or a similarly small integer) or inside its object, one past the end
//! included: then pointers into different objects differ wherever the objects lie, and their order is that of the
//! objects. A pointer's offset is bounded by its range and by the clauses that bound it, so a bounds guard helps the
//! comparison it guards. Every other use of a base (its bits, hashes, differences across objects, comparisons with
//! integers, offsets that may leave the object) *pins* it: the answer depends on its address.
//!
//! Objects are disjoint while they live; if pointers to different objects are compared and one of the objects is dead,
//! all are pinned.

use std::rc::Rc;

use mneme_term::{BaseId, Op, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::BaseTable;

/// No object begins below this address.
const LOWEST: u64 = 4096;
/// How deep sums and products are searched for a bound.
const DEPTH: u32 = 8;

/// How a query uses its bases.
#[derive(Default)]
pub(crate) struct Uses {
    /// Sorted.
    pinned: Vec<BaseId>,
    /// Bases whose order in memory matters, sorted.
    ordered: Vec<BaseId>,
}

impl Uses {
    /// Every address matters.
    pub fn all_pinned(bases: impl Iterator<Item = BaseId>) -> Uses {
        let mut pinned: Vec<BaseId> = bases.collect();
        pinned.sort_unstable();
        Uses {
            pinned,
            ordered: Vec::new(),
        }
    }

    pub fn is_pinned(&self, b: BaseId) -> bool {
        self.pinned.binary_search(&b).is_ok()
    }

    pub fn pins_nothing(&self) -> bool {
        self.pinned.is_empty()
    }

    /// Without the pinned ones.
    pub fn ordered(&self) -> &[BaseId] {
        &self.ordered
    }
}

/// How a condition depends on where objects lie.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Looks {
    /// It only distinguishes pointers from one another and from null.
    No,
    /// It compares pointers with a number at which an object could lie.
    AtNumbers,
    /// It depends on bits, or on distances between objects.
    AtBits,
}

/// How the condition depends on the addresses of bases, given that the clauses hold.
pub fn looks(terms: &mut Terms, condition: TermId, clauses: &[TermId], table: &dyn BaseTable) -> Looks {
    if !terms.has_base(condition) {
        return Looks::No;
    }
    let clause = read(terms, condition);
    if !clause.pinned.is_empty() {
        return Looks::AtBits;
    }
    let all = |terms: &mut Terms, bounds: &Bounds| {
        let each = clause
            .comparisons
            .iter()
            .map(|comparison| comparison.looks(terms, bounds, table));
        each.max().unwrap_or(Looks::No)
    };
    match all(terms, &Bounds::default()) {
        Looks::No => Looks::No,
        _ => {
            let bounds = Bounds::of(terms, clauses);
            all(terms, &bounds)
        }
    }
}

/// Objects whose order in memory the condition compares.
pub fn ordered(terms: &mut Terms, condition: TermId) -> Vec<BaseId> {
    if !terms.has_base(condition) {
        return Vec::new();
    }
    let clause = read(terms, condition);
    let compares = |comparison: &&Comparison| comparison.kind == Kind::Order && comparison.has_several();
    let mut bases: Vec<BaseId> = { clause.comparisons.iter() }
        .filter(compares)
        .flat_map(Comparison::bases)
        .collect();
    bases.sort_unstable();
    bases.dedup();
    bases
}

/// How one clause uses bases, judged by the clause alone.
#[derive(Default)]
struct Clause {
    pinned: Vec<BaseId>,
    comparisons: Vec<Comparison>,
}

/// Terms that are compared with one another.
struct Comparison {
    kind: Kind,
    leaves: Vec<Leaf>,
}

/// One of the values of a choice.
struct Leaf {
    /// `None`: an integer.
    base: Option<BaseId>,
    offset: TermId,
    reached: Reached,
}

impl Leaf {
    fn is_reached(&self, terms: &Terms, bounds: &Bounds) -> bool {
        match self.reached {
            Reached::Always => true,
            Reached::Beyond(index, keys) => bounds.most(terms, index, DEPTH) >= keys,
        }
    }
}

/// When a leaf matters.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Reached {
    Always,
    /// The default of a table with keys from 0: if its index is not less than their number.
    Beyond(TermId, u64),
}

#[derive(Copy, Clone, PartialEq)]
enum Kind {
    Equality,
    Order,
}

/// Remembers what clauses do until terms are collected.
#[derive(Default)]
pub(crate) struct Agnostic {
    known: FxHashMap<TermId, Rc<Clause>>,
}

impl Agnostic {
    pub fn forget(&mut self) {
        self.known.clear();
    }

    pub fn uses(&mut self, terms: &mut Terms, clauses: &[TermId], table: &dyn BaseTable) -> Uses {
        let mut pinned: FxHashSet<BaseId> = FxHashSet::default();
        let mut ordered: FxHashSet<BaseId> = FxHashSet::default();
        let mut bounds = None;
        for &clause in clauses {
            if !terms.has_base(clause) {
                continue;
            }
            let clause = match self.known.get(&clause) {
                Some(known) => known.clone(),
                None => {
                    let read = Rc::new(read(terms, clause));
                    self.known.insert(clause, read.clone());
                    read
                }
            };
            pinned.extend(&clause.pinned);
            for comparison in &clause.comparisons {
                let bounds = bounds.get_or_insert_with(|| Bounds::of(terms, clauses));
                if !comparison.is_agnostic(terms, bounds, table) {
                    pinned.extend(comparison.bases());
                } else if comparison.kind == Kind::Order && comparison.has_several() {
                    ordered.extend(comparison.bases());
                }
            }
        }
        ordered.retain(|b| !pinned.contains(b));
        let sorted = |set: FxHashSet<BaseId>| {
            let mut list: Vec<BaseId> = set.into_iter().collect();
            list.sort_unstable();
            list
        };
        Uses {
            pinned: sorted(pinned),
            ordered: sorted(ordered),
        }
    }
}

fn read(terms: &mut Terms, clause: TermId) -> Clause {
    let mut found = Clause::default();
    let mut seen = FxHashSet::default();
    let mut stack = vec![clause];
    while let Some(t) = stack.pop() {
        if !terms.has_base(t) || !seen.insert(t) {
            continue;
        }
        let kind = match terms.op(t) {
            Op::Base(b) => {
                found.pinned.push(b);
                continue;
            }
            // Bounds of its variable do not belong to the query.
            Op::Forall(_) => {
                found.pinned.extend_from_slice(terms.bases(t));
                continue;
            }
            Op::Eq => Some(Kind::Equality),
            Op::Ult | Op::Ule => Some(Kind::Order),
            _ => None,
        };
        match (kind, terms.children(t)) {
            (Some(kind), &[left, right]) if terms.width(left) == terms.pointer_width() => {
                let mut comparison = Comparison {
                    kind,
                    leaves: Vec::new(),
                };
                comparison.add(terms, left, &mut stack);
                comparison.add(terms, right, &mut stack);
                found.comparisons.push(comparison);
            }
            _ => terms.for_each_child(t, |child| stack.push(child)),
        }
    }
    found
}

impl Comparison {
    /// Adds the leaves of a choice. The terms that choose and displace are examined on their own.
    fn add(&mut self, terms: &mut Terms, root: TermId, others: &mut Vec<TermId>) {
        let mut seen = FxHashSet::default();
        let mut stack = vec![(root, Reached::Always)];
        while let Some((t, reached)) = stack.pop() {
            if !seen.insert((t, reached)) {
                continue;
            }
            match terms.op(t) {
                Op::Ite => {
                    let [condition, yes, no] = *terms.children(t) else {
                        unreachable!("three parts")
                    };
                    others.push(condition);
                    stack.extend([(yes, reached), (no, reached)]);
                }
                Op::Lookup(table) => {
                    let [index, default] = *terms.children(t) else {
                        unreachable!("two parts")
                    };
                    others.push(index);
                    let entries = terms.table(table);
                    let dense = entries.iter().zip(0..).take_while(|((key, _), n)| key == n).count();
                    stack.extend(entries.iter().map(|&(_, entry)| (entry, reached)));
                    stack.push((default, Reached::Beyond(index, dense as u64)));
                }
                _ => {
                    let (base, offset) = match terms.split_pointer(t) {
                        Some((base, offset)) => (Some(base), offset),
                        None => (None, t),
                    };
                    others.push(offset);
                    self.leaves.push(Leaf { base, offset, reached });
                }
            }
        }
    }

    /// Whether every pointer is inside its object, and every integer is null or near it.
    fn is_agnostic(&self, terms: &mut Terms, bounds: &Bounds, table: &dyn BaseTable) -> bool {
        let alone = !self.has_several();
        self.leaves.iter().all(|leaf| {
            if !leaf.is_reached(terms, bounds) {
                return true;
            }
            let most = bounds.most(terms, leaf.offset, DEPTH);
            match leaf.base {
                Some(b) => most <= table.extent(terms, b).capacity && (alone || table.is_alive(b)),
                None => most < LOWEST,
            }
        })
    }

    /// Pointers to a single object are distinguished from one another and from null by their offsets. Of several
    /// objects, dead or alive, no two share an address.
    fn looks(&self, terms: &mut Terms, bounds: &Bounds, table: &dyn BaseTable) -> Looks {
        let reached: Vec<&Leaf> = self
            .leaves
            .iter()
            .filter(|leaf| leaf.is_reached(terms, bounds))
            .collect();
        let mut bases: Vec<BaseId> = reached.iter().filter_map(|leaf| leaf.base).collect();
        bases.sort_unstable();
        bases.dedup();
        let mut is_outside = |leaf: &Leaf| {
            leaf.base
                .is_some_and(|base| bounds.most(terms, leaf.offset, DEPTH) > table.extent(terms, base).capacity)
        };
        if bases.len() > 1 && reached.iter().any(|leaf| is_outside(leaf)) {
            return Looks::AtBits;
        }
        let (low, high) = mneme_term::address_range(terms.pointer_width()).unwrap_or((0, u64::MAX));
        // For a pointer to equal this number, its object would have to begin there.
        let asks = |number: &Leaf, pointer: &Leaf| match terms.as_const(number.offset) {
            Some(n) => {
                let begin = n.wrapping_sub(terms.as_const(pointer.offset).unwrap_or(0));
                (low..=high).contains(&mneme_term::truncate(begin, terms.pointer_width()))
            }
            None => bounds.most(terms, number.offset, DEPTH) >= LOWEST,
        };
        let (pointers, numbers): (Vec<&Leaf>, Vec<&Leaf>) = reached.into_iter().partition(|leaf| leaf.base.is_some());
        match pointers
            .iter()
            .any(|pointer| numbers.iter().any(|number| asks(number, pointer)))
        {
            true => Looks::AtNumbers,
            false => Looks::No,
        }
    }

    fn bases(&self) -> impl Iterator<Item = BaseId> {
        self.leaves.iter().filter_map(|leaf| leaf.base)
    }

    fn has_several(&self) -> bool {
        let first = self.bases().next();
        self.bases().any(|b| Some(b) != first)
    }
}

/// Upper bounds of terms, stated by the clauses of a query.
#[derive(Default)]
struct Bounds {
    unsigned: FxHashMap<TermId, u64>,
    signed: FxHashMap<TermId, u64>,
    /// Terms that are not negative as signed numbers.
    natural: FxHashSet<TermId>,
}

impl Bounds {
    fn of(terms: &Terms, clauses: &[TermId]) -> Bounds {
        let mut bounds = Bounds::default();
        for &clause in clauses {
            for part in crate::path::conjuncts(terms, clause) {
                bounds.add(terms, part);
            }
        }
        bounds
    }

    /// `a < b`, `a <= b`, or the negation of one, where one side is a constant.
    fn add(&mut self, terms: &Terms, clause: TermId) {
        let (clause, negated) = match terms.op(clause) {
            Op::Not => (terms.children(clause)[0], true),
            _ => (clause, false),
        };
        let op = terms.op(clause);
        if !matches!(op, Op::Ult | Op::Ule | Op::Slt | Op::Sle) || terms.width(terms.children(clause)[0]) > 64 {
            return;
        }
        let strict = matches!(op, Op::Ult | Op::Slt) != negated;
        let signed = matches!(op, Op::Slt | Op::Sle);
        let [left, right] = *terms.children(clause) else { return };
        let (low, high) = if negated { (right, left) } else { (left, right) };
        let negative = |value: u64| signed && value >> (terms.width(low) - 1) & 1 == 1;
        if let Some(limit) = terms.as_const(high) {
            if negative(limit) || strict && limit == 0 {
                return;
            }
            let list = if signed { &mut self.signed } else { &mut self.unsigned };
            let limit = limit - u64::from(strict);
            list.entry(low)
                .and_modify(|known| *known = limit.min(*known))
                .or_insert(limit);
        } else if let Some(least) = terms.as_const(low)
            && signed
            && (!negative(least) || strict && mneme_term::sign_extend(least, terms.width(low)) == -1)
        {
            self.natural.insert(high);
        }
    }

    /// An upper bound of the term, given that the clauses hold.
    fn most(&self, terms: &Terms, t: TermId, depth: u32) -> u64 {
        let mut most = terms.range(t).1;
        if let Some(&limit) = self.unsigned.get(&t) {
            most = most.min(limit);
        }
        if let Some(&limit) = self.signed.get(&t)
            && self.natural.contains(&t)
        {
            most = most.min(limit);
        }
        let width = terms.width(t);
        if depth == 0 || width > 64 {
            return most;
        }
        let children = terms.children(t);
        let inner = |t: TermId| self.most(terms, t, depth - 1);
        let sum = match (terms.op(t), children) {
            (Op::ZExt, &[x]) => Some(inner(x)),
            (Op::SExt, &[x]) => Some(inner(x)).filter(|most| most >> (terms.width(x) - 1) == 0),
            (Op::Add, parts) => parts.iter().try_fold(0u64, |sum, &part| sum.checked_add(inner(part))),
            (Op::Mul, &[x, factor]) => inner(x).checked_mul(inner(factor)),
            (Op::Ite, &[_, a, b]) => Some(inner(a).max(inner(b))),
            // The bits of a concatenation above its low part.
            (Op::Concat, &[high, low]) => {
                let shifted = inner(high).checked_mul(1u64.checked_shl(terms.width(low)).unwrap_or(0));
                shifted.and_then(|high| high.checked_add(inner(low)))
            }
            _ => None,
        };
        match sum {
            Some(sum) if width == 64 || sum >> width == 0 => most.min(sum),
            _ => most,
        }
    }
}
