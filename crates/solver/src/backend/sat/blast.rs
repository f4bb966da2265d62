//! From terms to gates, iteratively over the DAG, with a memo that lives for one query.
//!
//! Arrays never become words. What is made of an array is a *read* at an index: reads of writes, choices and tables of
//! arrays are choices between reads further down; reads of an array symbol are fresh words that are equal where their
//! indices are (Ackermann).
//!
//! What has no circuit (quantifiers, functions) or one that is too large is refused: see [`Refused`].

use std::rc::Rc;

use mneme_term::{Bits, Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::gates::{Gates, Lit};
use super::words::{Summand, Word};

/// Why a query does not suit a SAT solver.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in crate::backend) enum Refused {
    /// No circuit for this operation.
    NoCircuit,
    TooLarge,
}

/// How large a circuit may be.
#[derive(Copy, Clone, Debug)]
pub(in crate::backend) struct Size {
    pub gates: usize,
    /// The product of the numbers of unknown bits of the operands of a product or quotient.
    pub product: usize,
    /// The number of pairs of reads of one array symbol whose indices may be equal, and one of which is unknown.
    pub pairs: usize,
}

impl Size {
    /// Products of 64 unknown bits are still blasted.
    pub const DEFAULT: Size = Size {
        gates: 2_000_000,
        product: 64 * 64,
        pairs: 1 << 13,
    };
    /// Some milliseconds at most, unless there are many conflicts.
    pub const SMALL: Size = Size {
        gates: 20_000,
        ..Size::DEFAULT
    };
}

/// What the circuit computes.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Item {
    Value(TermId),
    /// The element of an array at an index.
    Read(TermId, TermId),
}

/// A read of an array symbol.
pub(super) struct Read {
    at: TermId,
    pub index: Rc<[Lit]>,
    pub element: Rc<[Lit]>,
}

pub(super) struct Blaster<'a> {
    terms: &'a Terms,
    size: Size,
    pub gates: Gates,
    memo: FxHashMap<Item, Rc<[Lit]>>,
    /// Quotient and remainder share their circuit.
    divisions: FxHashMap<(TermId, TermId, bool), (Word, Word)>,
    pub symbols: Vec<(SymbolId, Rc<[Lit]>)>,
    /// In the order of their first read.
    pub arrays: Vec<(SymbolId, Vec<Read>)>,
    /// How many pairs of reads have been compared.
    pairs: usize,
    /// What must hold in addition to the clauses.
    pub side: Vec<Lit>,
}

type Needed = SmallVec<[Item; 8]>;

impl<'a> Blaster<'a> {
    pub fn new(terms: &'a Terms, size: Size) -> Self {
        Blaster {
            terms,
            size,
            gates: Gates::new(),
            memo: FxHashMap::default(),
            divisions: FxHashMap::default(),
            symbols: Vec::new(),
            arrays: Vec::new(),
            pairs: 0,
            side: Vec::new(),
        }
    }

    pub fn blast(&mut self, t: TermId) -> Result<Rc<[Lit]>, Refused> {
        let mut stack = vec![Item::Value(t)];
        let mut needed = Needed::new();
        while let Some(&item) = stack.last() {
            if self.memo.contains_key(&item) {
                stack.pop();
                continue;
            }
            needed.clear();
            self.needs(item, &mut needed)?;
            needed.retain(|item| !self.memo.contains_key(item));
            if !needed.is_empty() {
                stack.extend_from_slice(&needed);
                continue;
            }
            stack.pop();
            let word = match item {
                Item::Value(t) => self.value(t)?,
                Item::Read(array, index) => self.read(array, index)?,
            };
            self.memo.insert(item, word);
            if self.gates.len() + self.memo.len() > self.size.gates {
                return Err(Refused::TooLarge);
            }
        }
        Ok(self.known(Item::Value(t)))
    }

    /// Lists what must be known before the item can be made.
    fn needs(&self, item: Item, needed: &mut Needed) -> Result<(), Refused> {
        let terms = self.terms;
        let mut value = |t| needed.push(Item::Value(t));
        match item {
            Item::Value(t) => match terms.op(t) {
                Op::Const => {}
                Op::Base(_) | Op::Apply(_) | Op::Forall(_) => return Err(Refused::NoCircuit),
                Op::Select => needed.push(Item::Read(terms.children(t)[0], terms.children(t)[1])),
                Op::Add => terms.children(t).iter().for_each(|&c| value(self.multiple(c).0)),
                Op::Mul => match self.multiple(t) {
                    (x, Some(_)) => value(x),
                    (_, None) => terms.children(t).iter().for_each(|&c| value(c)),
                },
                Op::Eq if terms.sort(terms.children(t)[0]) != Sort::Bits(terms.width(terms.children(t)[0])) => {
                    return Err(Refused::NoCircuit);
                }
                _ => terms.for_each_child(t, value),
            },
            Item::Read(array, index) => match (terms.op(array), terms.children(array)) {
                (Op::Symbol(_), _) => value(index),
                (Op::Store, &[below, at, stored]) => {
                    [index, at, stored].into_iter().for_each(value);
                    needed.push(Item::Read(below, index));
                }
                (Op::ConstArray, &[same]) => value(same),
                (Op::Ite, &[c, a, b]) => {
                    value(c);
                    needed.extend([Item::Read(a, index), Item::Read(b, index)]);
                }
                (Op::Lookup(table), &[key, default]) => {
                    value(key);
                    needed.push(Item::Read(default, index));
                    needed.extend(terms.table(table).iter().map(|&(_, a)| Item::Read(a, index)));
                }
                _ => return Err(Refused::NoCircuit),
            },
        }
        Ok(())
    }

    fn known(&self, item: Item) -> Rc<[Lit]> {
        Rc::clone(&self.memo[&item])
    }

    /// Splits `x * c` with a constant `c` into `x` and `c`; anything else is itself.
    fn multiple(&self, t: TermId) -> (TermId, Option<Bits>) {
        if let (Op::Mul, &[x, factor]) = (self.terms.op(t), self.terms.children(t)) {
            for (x, factor) in [(x, factor), (factor, x)] {
                if let Some(c) = self.terms.as_bits(factor) {
                    return (x, Some(c));
                }
            }
        }
        (t, None)
    }

    fn value(&mut self, t: TermId) -> Result<Rc<[Lit]>, Refused> {
        let terms = self.terms;
        let width = terms.width(t);
        let children = terms.children(t);
        let child = |blaster: &Self, i: usize| blaster.known(Item::Value(children[i]));
        let (op, gates) = (terms.op(t), &mut self.gates);
        Ok(match op {
            Op::Const => constant(&terms.as_bits(t).expect("a constant")).into(),
            Op::Symbol(s) => {
                let word: Rc<[Lit]> = gates.word(width).into();
                self.symbols.push((s, Rc::clone(&word)));
                word
            }
            Op::Add => self.sum(t).into(),
            Op::Mul if self.multiple(t).1.is_some() => self.sum(t).into(),
            Op::Mul => {
                let (a, b) = (child(self, 0), child(self, 1));
                self.affordable(&a, &b)?;
                self.gates.mul(&a, &b).into()
            }
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem => self.division(op, children[0], children[1])?.into(),
            Op::And => self.fold(children, Gates::and).into(),
            Op::Or => self.fold(children, Gates::or).into(),
            Op::Xor => self.fold(children, Gates::xor).into(),
            Op::Not => child(self, 0).iter().map(|&a| !a).collect(),
            Op::Shl | Op::Member => {
                let (a, by) = (child(self, 0), child(self, 1));
                let reversed: Word = a.iter().rev().copied().collect();
                let mut shifted = self.gates.shift_right(&reversed, &by, Lit::FALSE);
                shifted.reverse();
                shifted.into()
            }
            Op::LShr | Op::AShr => {
                let (a, by) = (child(self, 0), child(self, 1));
                let fill = if op == Op::LShr { Lit::FALSE } else { a[a.len() - 1] };
                self.gates.shift_right(&a, &by, fill).into()
            }
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                let (a, b) = (child(self, 0), child(self, 1));
                let gates = &mut self.gates;
                Rc::from([match op {
                    Op::Eq => gates.equal(&a, &b),
                    Op::Ult => gates.less(&a, &b),
                    Op::Ule => !gates.less(&b, &a),
                    Op::Slt => gates.signed_less(&a, &b),
                    _ => !gates.signed_less(&b, &a),
                }])
            }
            Op::Ite => {
                let (c, a, b) = (child(self, 0), child(self, 1), child(self, 2));
                self.gates.mux_word(c[0], &a, &b).into()
            }
            Op::Concat => {
                let parts = (0..children.len()).rev().map(|i| child(self, i));
                parts.flat_map(|part| part.to_vec()).collect()
            }
            Op::Extract { high, low } => child(self, 0)[low as usize..=high as usize].into(),
            Op::ZExt | Op::SExt => {
                let mut word = child(self, 0).to_vec();
                let fill = if op == Op::ZExt {
                    Lit::FALSE
                } else {
                    word[word.len() - 1]
                };
                word.resize(width as usize, fill);
                word.into()
            }
            Op::Select => self.known(Item::Read(children[0], children[1])),
            Op::Lookup(table) => {
                let known = |&(key, t): &(u64, TermId)| (key, self.known(Item::Value(t)).to_vec());
                let entries: Vec<(u64, Word)> = terms.table(table).iter().map(known).collect();
                let (index, default) = (child(self, 0), child(self, 1));
                self.gates.lookup(&index, &entries, &default.to_vec()).into()
            }
            Op::Base(_) | Op::Store | Op::ConstArray | Op::Apply(_) | Op::Forall(_) => return Err(Refused::NoCircuit),
        })
    }

    fn fold(&mut self, children: &[TermId], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Word {
        let first = self.known(Item::Value(children[0])).to_vec();
        children[1..].iter().fold(first, |word, &c| {
            let next = self.known(Item::Value(c));
            self.gates.zip(&word, &next, gate)
        })
    }

    /// A sum of multiples, or a single multiple. Constant factors become few additions and subtractions.
    fn sum(&mut self, t: TermId) -> Word {
        let terms = self.terms;
        let width = terms.width(t) as usize;
        let mut total = Bits::zero(terms.width(t));
        let mut words = Vec::new();
        let parts = if terms.op(t) == Op::Add {
            terms.children(t)
        } else {
            &[t]
        };
        for &part in parts {
            match terms.as_bits(part) {
                Some(c) => total = total.add(&c),
                None => {
                    let (x, factor) = self.multiple(part);
                    let digits = factor.map_or_else(|| vec![(0, false)], |c| signed_digits(&c));
                    words.push((self.known(Item::Value(x)), digits));
                }
            }
        }
        let summands: Vec<Summand> = words
            .iter()
            .flat_map(|(word, digits)| {
                digits
                    .iter()
                    .map(|&(shift, negative)| Summand { word, shift, negative })
            })
            .collect();
        self.gates.sum(width, &constant(&total), &summands)
    }

    /// Checks that multiplying these words is not too expensive.
    fn affordable(&self, a: &[Lit], b: &[Lit]) -> Result<(), Refused> {
        let unknown = |word: &[Lit]| word.iter().filter(|lit| !lit.is_constant()).count();
        match unknown(a) * unknown(b) > self.size.product {
            true => Err(Refused::TooLarge),
            false => Ok(()),
        }
    }

    fn division(&mut self, op: Op, a: TermId, b: TermId) -> Result<Word, Refused> {
        let signed = matches!(op, Op::SDiv | Op::SRem);
        let key = (a, b, signed);
        if !self.divisions.contains_key(&key) {
            let (a, b) = (self.known(Item::Value(a)), self.known(Item::Value(b)));
            self.affordable(&a, &b)?;
            let both = match signed {
                true => self.gates.signed_divide(&a, &b),
                false => self.gates.divide(&a, &b),
            };
            self.divisions.insert(key, both);
        }
        let (quotient, rest) = &self.divisions[&key];
        Ok(if matches!(op, Op::UDiv | Op::SDiv) {
            quotient
        } else {
            rest
        }
        .clone())
    }

    fn read(&mut self, array: TermId, index: TermId) -> Result<Rc<[Lit]>, Refused> {
        let terms = self.terms;
        Ok(match (terms.op(array), terms.children(array)) {
            (Op::Symbol(s), _) => self.read_symbol(s, index, terms.width(array))?,
            (Op::Store, &[below, at, stored]) => {
                let (i, j) = (self.known(Item::Value(index)), self.known(Item::Value(at)));
                let (hit, miss) = (self.known(Item::Value(stored)), self.known(Item::Read(below, index)));
                let same = self.gates.equal(&i, &j);
                self.gates.mux_word(same, &hit, &miss).into()
            }
            (Op::ConstArray, &[same]) => self.known(Item::Value(same)),
            (Op::Ite, &[c, a, b]) => {
                let c = self.known(Item::Value(c))[0];
                let (a, b) = (self.known(Item::Read(a, index)), self.known(Item::Read(b, index)));
                self.gates.mux_word(c, &a, &b).into()
            }
            (Op::Lookup(table), &[key, default]) => {
                let known = |&(key, t): &(u64, TermId)| (key, self.known(Item::Read(t, index)).to_vec());
                let entries: Vec<(u64, Word)> = terms.table(table).iter().map(known).collect();
                let default = self.known(Item::Read(default, index)).to_vec();
                let key = self.known(Item::Value(key));
                self.gates.lookup(&key, &entries, &default).into()
            }
            _ => return Err(Refused::NoCircuit),
        })
    }

    /// A fresh word, equal to that of every other read whose index is equal.
    fn read_symbol(&mut self, s: SymbolId, index: TermId, width: u32) -> Result<Rc<[Lit]>, Refused> {
        let term = index;
        let index = self.known(Item::Value(term));
        let at = self
            .arrays
            .iter()
            .position(|&(array, _)| array == s)
            .unwrap_or_else(|| {
                self.arrays.push((s, Vec::new()));
                self.arrays.len() - 1
            });
        let (gates, reads) = (&mut self.gates, &mut self.arrays[at].1);
        if let Some(same) = reads.iter().find(|read| read.index == index) {
            return Ok(Rc::clone(&same.element));
        }
        let element: Rc<[Lit]> = gates.word(width).into();
        for other in reads.iter() {
            if self.terms.surely_different(term, other.at) {
                continue;
            }
            let same = gates.equal(&index, &other.index);
            if same != Lit::FALSE {
                self.pairs += 1;
                if self.pairs > self.size.pairs {
                    return Err(Refused::TooLarge);
                }
                let equal = gates.equal(&element, &other.element);
                self.side.push(gates.or(!same, equal));
            }
        }
        let read = Read {
            at: term,
            index,
            element: Rc::clone(&element),
        };
        reads.push(read);
        Ok(element)
    }
}

fn constant(bits: &Bits) -> Word {
    (0..bits.width()).map(|i| Lit::constant(bits.bit(i))).collect()
}

/// A number as a sum of powers of two, each added or subtracted, no two of them adjacent. Modulo the width.
fn signed_digits(c: &Bits) -> Vec<(usize, bool)> {
    let mut digits = Vec::new();
    let mut carry = false;
    for i in 0..c.width() {
        let next = i + 1 < c.width() && c.bit(i + 1);
        if c.bit(i) != carry {
            digits.push((i as usize, next));
            carry = next;
        }
    }
    digits
}
