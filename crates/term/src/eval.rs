//! Evaluation under a model: iterative, memoised, lazy (only the arm of a choice that is taken, only the write that is
//! read).

mod small;

use crate::{Bits, Model, Op, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

impl Terms {
    pub fn eval(&self, t: TermId, model: &dyn Model) -> Bits {
        Evaluator::new(self, model).eval(t)
    }

    pub fn eval_bool(&self, t: TermId, model: &dyn Model) -> bool {
        self.eval(t, model).low_u64() == 1
    }

    pub fn eval_u64(&self, t: TermId, model: &dyn Model) -> u64 {
        self.eval(t, model).low_u64()
    }
}

/// Evaluates several terms under one model, remembering what they share.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a dyn Model,
    /// The variables of the quantifiers that are being evaluated.
    bound: Vec<(SymbolId, Bits)>,
    known: FxHashMap<TermId, Bits>,
    /// The memo of the evaluation on machine integers, and how many nodes it has visited.
    small: FxHashMap<TermId, u64>,
    visits: u32,
}

/// A term whose value is wanted. For a read, `array` is how far it has looked through the writes.
struct Frame {
    term: TermId,
    array: TermId,
}

enum Step {
    Value(Bits),
    /// The value of another term is needed first.
    Need(TermId),
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, model: &'a dyn Model) -> Evaluator<'a> {
        Evaluator {
            terms,
            model,
            bound: Vec::new(),
            known: FxHashMap::default(),
            small: FxHashMap::default(),
            visits: 0,
        }
    }

    pub fn eval(&mut self, t: TermId) -> Bits {
        if let Some(bits) = self.terms.as_bits(t) {
            return bits;
        }
        if let Some(value) = self.small(t) {
            return Bits::new(self.terms.width(t), value);
        }
        let mut stack = vec![self.frame(t)];
        while let Some(mut frame) = stack.pop() {
            if self.known.contains_key(&frame.term) {
                continue;
            }
            match self.step(&mut frame) {
                Step::Value(bits) => {
                    self.known.insert(frame.term, bits);
                }
                Step::Need(other) => {
                    stack.push(frame);
                    stack.push(self.frame(other));
                }
            }
        }
        self.known[&t].clone()
    }

    pub fn eval_bool(&mut self, t: TermId) -> bool {
        self.eval(t).low_u64() == 1
    }

    fn frame(&self, term: TermId) -> Frame {
        let array = match self.terms.op(term) {
            Op::Select => self.terms.children(term)[0],
            _ => term,
        };
        Frame { term, array }
    }

    fn value(&self, t: TermId) -> Option<Bits> {
        self.terms.as_bits(t).or_else(|| self.known.get(&t).cloned())
    }

    fn step(&mut self, frame: &mut Frame) -> Step {
        let terms = self.terms;
        let (t, width) = (frame.term, terms.width(frame.term));
        let children = terms.children(t);
        match terms.op(t) {
            Op::Const => Step::Value(terms.as_bits(t).expect("a constant")),
            Op::Symbol(s) => Step::Value(match self.bound.iter().rev().find(|(b, _)| *b == s) {
                Some((_, value)) => value.clone(),
                None => self.model.bits(s, width),
            }),
            Op::Base(b) => Step::Value(Bits::new(width, self.model.address(b))),
            Op::Ite => match self.value(children[0]) {
                None => Step::Need(children[0]),
                Some(c) => self.same_as(children[if c.is_one() { 1 } else { 2 }]),
            },
            Op::Lookup(table) => match self.value(children[0]) {
                None => Step::Need(children[0]),
                Some(index) => {
                    let entries = terms.table(table);
                    let at = index
                        .to_u64()
                        .and_then(|k| entries.binary_search_by_key(&k, |e| e.0).ok());
                    self.same_as(at.map_or(children[1], |i| entries[i].1))
                }
            },
            Op::Select => self.read(frame),
            Op::Forall(bound) => match self.value(children[0]) {
                None => Step::Need(children[0]),
                Some(limit) => Step::Value(self.forall(bound, &limit, children[1])),
            },
            _ => {
                let mut args: SmallVec<[Bits; 3]> = SmallVec::new();
                for &c in children {
                    match self.value(c) {
                        Some(bits) => args.push(bits),
                        None => return Step::Need(c),
                    }
                }
                Step::Value(self.apply(t, &args))
            }
        }
    }

    fn same_as(&self, t: TermId) -> Step {
        match self.value(t) {
            Some(bits) => Step::Value(bits),
            None => Step::Need(t),
        }
    }

    /// Looks through writes until one matches.
    fn read(&mut self, frame: &mut Frame) -> Step {
        let terms = self.terms;
        let index_term = terms.children(frame.term)[1];
        let Some(index) = self.value(index_term) else {
            return Step::Need(index_term);
        };
        loop {
            let children = terms.children(frame.array);
            match terms.op(frame.array) {
                Op::Store => match self.value(children[1]) {
                    None => return Step::Need(children[1]),
                    Some(at) if at == index => return self.same_as(children[2]),
                    Some(_) => frame.array = children[0],
                },
                Op::Ite => match self.value(children[0]) {
                    None => return Step::Need(children[0]),
                    Some(c) => frame.array = children[if c.is_one() { 1 } else { 2 }],
                },
                Op::Lookup(table) => match self.value(children[0]) {
                    None => return Step::Need(children[0]),
                    Some(k) => {
                        let entries = terms.table(table);
                        let at = k.to_u64().and_then(|k| entries.binary_search_by_key(&k, |e| e.0).ok());
                        frame.array = at.map_or(children[1], |i| entries[i].1);
                    }
                },
                Op::ConstArray => return self.same_as(children[0]),
                Op::Symbol(s) => {
                    return Step::Value(self.model.element(s, index.low_u64(), terms.width(frame.term)));
                }
                op => unreachable!("{op:?} is no array"),
            }
        }
    }

    /// Tries every value below the limit. The caller keeps limits small: they are bounds of loops and sizes of objects.
    fn forall(&self, bound: SymbolId, limit: &Bits, body: TermId) -> Bits {
        let width = limit.width();
        let mut value = Bits::zero(width);
        while value.ult(limit) {
            // A fresh memo: the values found for the body depend on the variable.
            let mut inner = Evaluator::new(self.terms, self.model);
            inner.bound = self.bound.clone();
            inner.bound.push((bound, value.clone()));
            if !inner.eval_bool(body) {
                return Bits::from_bool(false);
            }
            value = value.add(&Bits::one(width));
        }
        Bits::from_bool(true)
    }

    /// An operation on values that are all known.
    fn apply(&self, t: TermId, v: &[Bits]) -> Bits {
        let width = self.terms.width(t);
        let fold = |f: fn(&Bits, &Bits) -> Bits| v[1..].iter().fold(v[0].clone(), |a, b| f(&a, b));
        match self.terms.op(t) {
            Op::Add => fold(Bits::add),
            Op::And => fold(Bits::and),
            Op::Or => fold(Bits::or),
            Op::Xor => fold(Bits::xor),
            Op::Concat => fold(Bits::concat),
            Op::Mul => v[0].mul(&v[1]),
            Op::UDiv => v[0].udiv(&v[1]),
            Op::URem => v[0].urem(&v[1]),
            Op::SDiv => v[0].sdiv(&v[1]),
            Op::SRem => v[0].srem(&v[1]),
            Op::Not => v[0].not(),
            Op::Shl | Op::Member => v[0].shl(&v[1]),
            Op::LShr => v[0].lshr(&v[1]),
            Op::AShr => v[0].ashr(&v[1]),
            Op::Eq => Bits::from_bool(v[0] == v[1]),
            Op::Ult => Bits::from_bool(v[0].ult(&v[1])),
            Op::Ule => Bits::from_bool(v[0].ule(&v[1])),
            Op::Slt => Bits::from_bool(v[0].slt(&v[1])),
            Op::Sle => Bits::from_bool(v[0].sle(&v[1])),
            Op::Extract { low, .. } => v[0].extract(low, width),
            Op::ZExt => v[0].zext(width),
            Op::SExt => v[0].sext(width),
            Op::Apply(f) => self.model.apply(f, v, width),
            op => unreachable!("{op:?} is evaluated elsewhere"),
        }
    }
}
