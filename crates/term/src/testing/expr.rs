//! Expression trees: built through the constructors of `Terms`, or evaluated as they are.

use super::env::{BASES, Env, FUNCTION, test_base};
use crate::{Bits, Sort, Symbol, SymbolKind, TermId, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    Not,
    Neg,
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    Implies,
    Ite,
    Concat,
    Extract(u32),
    ZExt,
    SExt,
    Select,
    Store,
    ConstArray,
    Apply,
}

#[derive(Debug)]
pub(super) enum Kind {
    Const(Bits),
    Symbol(String, SymbolKind),
    Base(u32),
    Op(Operator, Vec<Expr>),
    /// Index, default, values of the keys.
    Lookup(Vec<u64>, Vec<Expr>),
    /// Name of the variable, limit, body.
    Forall(String, Expr, Expr),
}

/// A plain expression tree; clones share.
#[derive(Clone, Debug)]
pub struct Expr {
    pub(super) kind: Rc<Kind>,
    pub(super) sort: Sort,
}

impl Expr {
    pub(super) fn new(kind: Kind, sort: Sort) -> Expr {
        Expr {
            kind: Rc::new(kind),
            sort,
        }
    }

    pub fn constant(bits: Bits) -> Expr {
        let sort = Sort::Bits(bits.width());
        Expr::new(Kind::Const(bits), sort)
    }

    pub fn op(operator: Operator, sort: Sort, children: Vec<Expr>) -> Expr {
        Expr::new(Kind::Op(operator, children), sort)
    }

    pub fn sort(&self) -> Sort {
        self.sort
    }

    pub fn width(&self) -> u32 {
        match self.sort {
            Sort::Bits(width) => width,
            Sort::Array { element, .. } => element,
        }
    }

    /// Through the simplifying constructors.
    pub fn build(&self, terms: &mut Terms) -> TermId {
        for i in 0..BASES {
            terms.base_id(test_base(i));
        }
        self.build_inner(terms)
    }

    fn build_inner(&self, terms: &mut Terms) -> TermId {
        match &*self.kind {
            Kind::Const(bits) => terms.constant_bits(bits),
            Kind::Symbol(name, kind) => {
                let s = terms.symbol_id(Symbol {
                    name: name.clone(),
                    kind: *kind,
                    sort: self.sort,
                });
                terms.symbol(s)
            }
            Kind::Base(i) => {
                let b = terms.base_id(test_base(*i));
                terms.base(b)
            }
            Kind::Op(operator, children) => {
                let c: Vec<TermId> = children.iter().map(|e| e.build_inner(terms)).collect();
                self.build_operator(terms, *operator, &c)
            }
            Kind::Lookup(keys, children) => {
                let c: Vec<TermId> = children.iter().map(|e| e.build_inner(terms)).collect();
                let entries: Vec<_> = keys.iter().copied().zip(c[2..].iter().copied()).collect();
                terms.lookup(c[0], &entries, c[1])
            }
            Kind::Forall(name, limit, body) => {
                let sort = limit.sort;
                let bound = terms.symbol_id(Symbol {
                    name: name.clone(),
                    kind: SymbolKind::Bound,
                    sort,
                });
                let (limit, body) = (limit.build_inner(terms), body.build_inner(terms));
                terms.forall(bound, limit, body)
            }
        }
    }

    fn build_operator(&self, terms: &mut Terms, operator: Operator, c: &[TermId]) -> TermId {
        let width = self.width();
        match operator {
            Operator::Add => terms.add(c[0], c[1]),
            Operator::Sub => terms.sub(c[0], c[1]),
            Operator::Mul => terms.mul(c[0], c[1]),
            Operator::UDiv => terms.udiv(c[0], c[1]),
            Operator::URem => terms.urem(c[0], c[1]),
            Operator::SDiv => terms.sdiv(c[0], c[1]),
            Operator::SRem => terms.srem(c[0], c[1]),
            Operator::And => terms.and(c[0], c[1]),
            Operator::Or => terms.or(c[0], c[1]),
            Operator::Xor => terms.xor(c[0], c[1]),
            Operator::Shl => terms.shl(c[0], c[1]),
            Operator::LShr => terms.lshr(c[0], c[1]),
            Operator::AShr => terms.ashr(c[0], c[1]),
            Operator::Not => terms.not(c[0]),
            Operator::Neg => terms.neg(c[0]),
            Operator::Eq => terms.eq(c[0], c[1]),
            Operator::Ne => terms.ne(c[0], c[1]),
            Operator::Ult => terms.ult(c[0], c[1]),
            Operator::Ule => terms.ule(c[0], c[1]),
            Operator::Ugt => terms.ugt(c[0], c[1]),
            Operator::Uge => terms.uge(c[0], c[1]),
            Operator::Slt => terms.slt(c[0], c[1]),
            Operator::Sle => terms.sle(c[0], c[1]),
            Operator::Sgt => terms.sgt(c[0], c[1]),
            Operator::Sge => terms.sge(c[0], c[1]),
            Operator::Implies => terms.implies(c[0], c[1]),
            Operator::Ite => terms.ite(c[0], c[1], c[2]),
            Operator::Concat => terms.concat(c[0], c[1]),
            Operator::Extract(low) => terms.extract(c[0], low, width),
            Operator::ZExt => terms.zext(c[0], width),
            Operator::SExt => terms.sext(c[0], width),
            Operator::Select => terms.select(c[0], c[1]),
            Operator::Store => terms.store(c[0], c[1], c[2]),
            Operator::ConstArray => match self.sort {
                Sort::Array { index, .. } => terms.const_array(index, c[0]),
                Sort::Bits(_) => unreachable!("an array"),
            },
            Operator::Apply => {
                let f = terms.function(FUNCTION, &[8, 8], 8);
                terms.apply(f, c)
            }
        }
    }

    /// The value, computed directly from the tree.
    pub fn eval(&self, env: &Env) -> Bits {
        match &*self.kind {
            Kind::Const(bits) => bits.clone(),
            Kind::Symbol(name, _) => env.values.get(name).cloned().unwrap_or(Bits::zero(self.width())),
            Kind::Base(i) => Bits::new(self.width(), env.addresses[*i as usize]),
            Kind::Op(operator, children) => self.eval_operator(*operator, children, env),
            Kind::Lookup(keys, children) => children[Expr::entry(keys, &children[0].eval(env))].eval(env),
            Kind::Forall(name, limit, body) => {
                let limit = limit.eval(env);
                let holds = (0..limit.low_u64()).all(|i| {
                    let mut inner = env.clone();
                    inner.values.insert(name.clone(), Bits::new(limit.width(), i));
                    body.eval(&inner).is_one()
                });
                Bits::from_bool(holds)
            }
        }
    }

    /// Which child of a lookup its index selects.
    fn entry(keys: &[u64], index: &Bits) -> usize {
        let at = index.to_u64().and_then(|k| keys.iter().position(|&key| key == k));
        at.map_or(1, |i| i + 2)
    }

    fn eval_operator(&self, operator: Operator, c: &[Expr], env: &Env) -> Bits {
        let width = self.width();
        let v = |i: usize| c[i].eval(env);
        let truth = Bits::from_bool;
        match operator {
            Operator::Add => v(0).add(&v(1)),
            Operator::Sub => v(0).sub(&v(1)),
            Operator::Mul => v(0).mul(&v(1)),
            Operator::UDiv => v(0).udiv(&v(1)),
            Operator::URem => v(0).urem(&v(1)),
            Operator::SDiv => v(0).sdiv(&v(1)),
            Operator::SRem => v(0).srem(&v(1)),
            Operator::And => v(0).and(&v(1)),
            Operator::Or => v(0).or(&v(1)),
            Operator::Xor => v(0).xor(&v(1)),
            Operator::Shl => v(0).shl(&v(1)),
            Operator::LShr => v(0).lshr(&v(1)),
            Operator::AShr => v(0).ashr(&v(1)),
            Operator::Not => v(0).not(),
            Operator::Neg => v(0).neg(),
            Operator::Eq => truth(v(0) == v(1)),
            Operator::Ne => truth(v(0) != v(1)),
            Operator::Ult => truth(v(0).ult(&v(1))),
            Operator::Ule => truth(v(0).ule(&v(1))),
            Operator::Ugt => truth(v(1).ult(&v(0))),
            Operator::Uge => truth(v(1).ule(&v(0))),
            Operator::Slt => truth(v(0).slt(&v(1))),
            Operator::Sle => truth(v(0).sle(&v(1))),
            Operator::Sgt => truth(v(1).slt(&v(0))),
            Operator::Sge => truth(v(1).sle(&v(0))),
            Operator::Implies => v(0).not().or(&v(1)),
            Operator::Ite => v(if v(0).is_one() { 1 } else { 2 }),
            Operator::Concat => v(0).concat(&v(1)),
            Operator::Extract(low) => v(0).extract(low, width),
            Operator::ZExt => v(0).zext(width),
            Operator::SExt => v(0).sext(width),
            Operator::Select => c[0].eval_element(&v(1), env),
            Operator::Apply => Env::apply(&[v(0), v(1)], width),
            Operator::Store | Operator::ConstArray => unreachable!("arrays are evaluated at an index"),
        }
    }

    /// The element of an array.
    fn eval_element(&self, index: &Bits, env: &Env) -> Bits {
        match &*self.kind {
            Kind::Symbol(name, _) => match env.arrays.get(name) {
                Some(array) => array.element(index.low_u64(), self.width()),
                None => Bits::zero(self.width()),
            },
            Kind::Op(Operator::Store, c) if c[1].eval(env) == *index => c[2].eval(env),
            Kind::Op(Operator::Store, c) => c[0].eval_element(index, env),
            Kind::Op(Operator::ConstArray, c) => c[0].eval(env),
            Kind::Op(Operator::Ite, c) => c[if c[0].eval(env).is_one() { 1 } else { 2 }].eval_element(index, env),
            _ => unreachable!("no array"),
        }
    }

    /// The free symbols.
    pub(super) fn symbols(&self, found: &mut BTreeMap<String, Sort>) {
        match &*self.kind {
            Kind::Symbol(name, kind) if *kind != SymbolKind::Bound => {
                found.insert(name.clone(), self.sort);
            }
            Kind::Const(_) | Kind::Base(_) | Kind::Symbol(..) => {}
            Kind::Op(_, c) | Kind::Lookup(_, c) => c.iter().for_each(|e| e.symbols(found)),
            Kind::Forall(_, limit, body) => {
                limit.symbols(found);
                body.symbols(found);
            }
        }
    }
}
