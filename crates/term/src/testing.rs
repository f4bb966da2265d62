//! For tests: random expressions that can be built as terms and, independently, evaluated and written without any simplification.
//!
//! An [`Expr`] is a plain tree. `build` goes through the simplifying constructors; `eval` and `smtlib` do not know them. Where the two
//! differ, a rule is wrong. The generator is biased to what rules look for: corner constants, repeated and related subterms.

use crate::hash::mix;
use crate::smtlib::{literal, sort_name};
use crate::{
    ArrayValue, BaseId, BaseInfo, BaseKind, Bits, FunId, Model, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms,
    address_range,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A small deterministic generator of numbers (SplitMix64).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    #[expect(clippy::should_implement_trait, reason = "an endless source, not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// A constant, often a special one.
    pub fn bits(&mut self, width: u32) -> Bits {
        let one = Bits::one(width);
        match self.below(12) {
            0 | 1 => Bits::zero(width),
            2 => one,
            3 => Bits::ones(width),
            4 => Bits::power(width, width - 1),
            5 => Bits::power(width, width - 1).not(),
            6 => Bits::power(width, self.below(width as u64) as u32),
            7 => Bits::power(width, self.below(width as u64) as u32).sub(&one),
            8 => Bits::power(width, self.below(width as u64) as u32).neg(),
            9 | 10 => Bits::new(width, self.below(20)),
            _ => {
                let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.next()).collect();
                Bits::from_words(width, &words)
            }
        }
    }
}

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
enum Kind {
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
    kind: Rc<Kind>,
    sort: Sort,
}

/// Values of everything that an expression mentions.
#[derive(Clone, Default, Debug)]
pub struct Env {
    pub values: BTreeMap<String, Bits>,
    pub arrays: BTreeMap<String, ArrayValue>,
    /// Addresses of the bases of [`test_base`], by number.
    pub addresses: Vec<u64>,
}

pub const BASES: u32 = 5;
const FUNCTION: &str = "f";

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

impl Expr {
    fn new(kind: Kind, sort: Sort) -> Expr {
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

    /// SMT-LIB text of the tree as it is. Symbols and bases are free, by name (`base!N`); booleans are `(_ BitVec 1)`.
    pub fn smtlib(&self) -> String {
        let bool_to_bits = |text: String| format!("(ite {text} #b1 #b0)");
        match &*self.kind {
            Kind::Const(bits) => literal(bits),
            Kind::Symbol(name, _) => name.clone(),
            Kind::Base(i) => format!("base!{i}"),
            Kind::Lookup(keys, c) => {
                let (index, mut text) = (c[0].smtlib(), c[1].smtlib());
                for (&k, value) in keys.iter().zip(&c[2..]).filter(|&(&k, _)| c[0].holds(k)) {
                    let key = literal(&Bits::new(c[0].width(), k));
                    text = format!("(ite (= {index} {key}) {} {text})", value.smtlib());
                }
                text
            }
            Kind::Forall(name, limit, body) => bool_to_bits(format!(
                "(forall (({name} {})) (=> (bvult {name} {}) (= {} #b1)))",
                sort_name(limit.sort),
                limit.smtlib(),
                body.smtlib()
            )),
            Kind::Op(operator, c) => {
                let args: Vec<String> = c.iter().map(Expr::smtlib).collect();
                let all = args.join(" ");
                let extra = self.width().saturating_sub(c[0].width());
                let word = |name: &str| format!("({name} {all})");
                let truth = |name: &str| bool_to_bits(format!("({name} {all})"));
                match operator {
                    Operator::Add => word("bvadd"),
                    Operator::Sub => word("bvsub"),
                    Operator::Mul => word("bvmul"),
                    Operator::UDiv => word("bvudiv"),
                    Operator::URem => word("bvurem"),
                    Operator::SDiv => word("bvsdiv"),
                    Operator::SRem => word("bvsrem"),
                    Operator::And => word("bvand"),
                    Operator::Or => word("bvor"),
                    Operator::Xor => word("bvxor"),
                    Operator::Shl => word("bvshl"),
                    Operator::LShr => word("bvlshr"),
                    Operator::AShr => word("bvashr"),
                    Operator::Not => word("bvnot"),
                    Operator::Neg => word("bvneg"),
                    Operator::Eq => truth("="),
                    Operator::Ne => truth("distinct"),
                    Operator::Ult => truth("bvult"),
                    Operator::Ule => truth("bvule"),
                    Operator::Ugt => truth("bvugt"),
                    Operator::Uge => truth("bvuge"),
                    Operator::Slt => truth("bvslt"),
                    Operator::Sle => truth("bvsle"),
                    Operator::Sgt => truth("bvsgt"),
                    Operator::Sge => truth("bvsge"),
                    Operator::Implies => format!("(bvor (bvnot {}) {})", args[0], args[1]),
                    Operator::Ite => format!("(ite (= {} #b1) {} {})", args[0], args[1], args[2]),
                    Operator::Concat => word("concat"),
                    Operator::Extract(low) => word(&format!("(_ extract {} {low})", low + self.width() - 1)),
                    Operator::ZExt => word(&format!("(_ zero_extend {extra})")),
                    Operator::SExt => word(&format!("(_ sign_extend {extra})")),
                    Operator::Select => word("select"),
                    Operator::Store => word("store"),
                    Operator::ConstArray => word(&format!("(as const {})", sort_name(self.sort))),
                    Operator::Apply => word(FUNCTION),
                }
            }
        }
    }

    /// The free symbols.
    fn symbols(&self, found: &mut BTreeMap<String, Sort>) {
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

    /// Whether a key is a value of this term's width.
    fn holds(&self, key: u64) -> bool {
        Bits::new(self.width(), key).to_u64() == Some(key)
    }

    /// Declarations for [`Expr::smtlib`]: every free symbol, base and function, each once.
    pub fn smtlib_declarations(&self) -> String {
        let mut lines = std::collections::BTreeSet::new();
        self.declare(&mut lines);
        lines.into_iter().collect()
    }

    fn declare(&self, lines: &mut std::collections::BTreeSet<String>) {
        match &*self.kind {
            Kind::Const(_) | Kind::Symbol(_, SymbolKind::Bound) => {}
            Kind::Symbol(name, _) => {
                lines.insert(format!("(declare-const {name} {})\n", sort_name(self.sort)));
            }
            Kind::Base(i) => {
                lines.insert(format!("(declare-const base!{i} {})\n", sort_name(self.sort)));
            }
            Kind::Op(operator, c) => {
                if *operator == Operator::Apply {
                    let byte = sort_name(Sort::Bits(8));
                    lines.insert(format!("(declare-fun {FUNCTION} ({byte} {byte}) {byte})\n"));
                }
                c.iter().for_each(|e| e.declare(lines));
            }
            Kind::Lookup(_, c) => c.iter().for_each(|e| e.declare(lines)),
            Kind::Forall(_, limit, body) => {
                limit.declare(lines);
                body.declare(lines);
            }
        }
    }
}

impl Env {
    /// The model that gives terms built from expressions the values of this environment.
    pub fn model<'a>(&'a self, terms: &'a Terms) -> impl Model + 'a {
        EnvModel { env: self, terms }
    }

    /// Some function, the same everywhere.
    fn apply(args: &[Bits], width: u32) -> Bits {
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

/// Generates expressions and environments.
pub struct Gen {
    pub random: Random,
    pointer_width: u32,
    /// Expressions made before, to be repeated.
    pool: Vec<Expr>,
    /// Bound variables in scope.
    scope: Vec<Expr>,
    bound: u32,
    /// Whether expressions may mention bases.
    pub pointers: bool,
    /// Whether expressions may be quantified.
    pub quantifiers: bool,
}

/// Symbols of each width; few, so that they meet.
const SYMBOLS: u64 = 3;
const ARRAY: Sort = Sort::Array { index: 8, element: 8 };

impl Gen {
    pub fn new(seed: u64) -> Gen {
        Gen::with_pointer_width(seed, 64)
    }

    pub fn with_pointer_width(seed: u64, pointer_width: u32) -> Gen {
        Gen {
            random: Random::new(seed),
            pointer_width,
            pool: Vec::new(),
            scope: Vec::new(),
            bound: 0,
            pointers: true,
            quantifiers: true,
        }
    }

    pub fn expr(&mut self, width: u32, depth: u32) -> Expr {
        let expr = self.fresh(width, depth);
        if self.scope.is_empty() {
            if self.pool.len() >= 40 {
                let at = self.random.below(40) as usize;
                self.pool[at] = expr.clone();
            } else {
                self.pool.push(expr.clone());
            }
        }
        expr
    }

    fn fresh(&mut self, width: u32, depth: u32) -> Expr {
        if depth == 0 || self.random.below(12) == 0 {
            return self.leaf(width);
        }
        if self.random.below(5) == 0 {
            let same: Vec<Expr> = self
                .pool
                .iter()
                .filter(|e| e.sort == Sort::Bits(width))
                .cloned()
                .collect();
            if !same.is_empty() {
                return self.random.pick(&same).clone();
            }
        }
        if self.random.below(6) == 0
            && let Some(expr) = self.pattern(width, depth)
        {
            return expr;
        }
        match self.random.below(if width == 1 { 16 } else { 13 }) {
            0..=4 => self.binary(width, depth),
            5 => {
                let operator = *self.random.pick(&[Operator::Not, Operator::Neg]);
                let x = self.expr(width, depth - 1);
                Expr::op(operator, Sort::Bits(width), vec![x])
            }
            6 | 7 => {
                let c = self.expr(1, depth - 1);
                let (a, b) = (self.expr(width, depth - 1), self.expr(width, depth - 1));
                Expr::op(Operator::Ite, Sort::Bits(width), vec![c, a, b])
            }
            8 if width > 1 => {
                let high = 1 + self.random.below(width as u64 - 1) as u32;
                let high = if width > 8 && self.random.below(2) == 0 {
                    high.next_multiple_of(8).min(width - 1)
                } else {
                    high
                };
                let (a, b) = (self.expr(high, depth - 1), self.expr(width - high, depth - 1));
                Expr::op(Operator::Concat, Sort::Bits(width), vec![a, b])
            }
            9 => {
                let from = *self.random.pick(&[8, 32, 64, 65, 128]);
                if from <= width {
                    return self.binary(width, depth);
                }
                let x = self.expr(from, depth - 1);
                let most = (from - width) as u64;
                let low = match self.random.below(3) {
                    0 => 0,
                    1 => (self.random.below(most + 1) / 8 * 8) as u32,
                    _ => self.random.below(most + 1) as u32,
                };
                Expr::op(Operator::Extract(low), Sort::Bits(width), vec![x])
            }
            10 if width > 1 => {
                let narrow: Vec<u32> = [1, 8, 32, 64].into_iter().filter(|&w| w < width).collect();
                let from = *self.random.pick(&narrow);
                let operator = *self.random.pick(&[Operator::ZExt, Operator::SExt]);
                let x = self.expr(from, depth - 1);
                Expr::op(operator, Sort::Bits(width), vec![x])
            }
            11 => self.lookup(width, depth),
            12 if width == 8 && self.random.below(2) == 0 => {
                let (a, b) = (self.expr(8, depth - 1), self.expr(8, depth - 1));
                Expr::op(Operator::Apply, Sort::Bits(8), vec![a, b])
            }
            12 if width == 8 => {
                let (a, i) = (self.array(depth - 1), self.expr(8, depth - 1));
                Expr::op(Operator::Select, Sort::Bits(8), vec![a, i])
            }
            13.. if self.quantifiers && self.random.below(8) == 0 => self.forall(depth),
            13.. => self.comparison(depth),
            _ => self.binary(width, depth),
        }
    }

    fn leaf(&mut self, width: u32) -> Expr {
        let in_scope: Vec<Expr> = self
            .scope
            .iter()
            .filter(|e| e.sort == Sort::Bits(width))
            .cloned()
            .collect();
        if !in_scope.is_empty() && self.random.below(2) == 0 {
            return self.random.pick(&in_scope).clone();
        }
        match self.random.below(10) {
            0..=3 => Expr::constant(self.random.bits(width)),
            4..=6 if width == self.pointer_width && self.pointers => {
                Expr::new(Kind::Base(self.random.below(BASES as u64) as u32), Sort::Bits(width))
            }
            _ => {
                let name = format!("x{width}_{}", self.random.below(SYMBOLS));
                Expr::new(Kind::Symbol(name, SymbolKind::Input), Sort::Bits(width))
            }
        }
    }

    fn binary(&mut self, width: u32, depth: u32) -> Expr {
        use Operator::*;
        let all = [
            Add, Add, Add, Sub, Sub, Mul, UDiv, URem, SDiv, SRem, And, And, Or, Or, Xor, Shl, LShr, AShr,
        ];
        let operator = *self.random.pick(&all);
        let a = self.expr(width, depth - 1);
        let b = match self.random.below(4) {
            0 => Expr::constant(self.random.bits(width)),
            1 if matches!(operator, Shl | LShr | AShr) => {
                Expr::constant(Bits::new(width, self.random.below(width as u64 + 2)))
            }
            _ => self.expr(width, depth - 1),
        };
        let children = if self.random.below(4) == 0 {
            vec![b, a]
        } else {
            vec![a, b]
        };
        Expr::op(operator, Sort::Bits(width), children)
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        use Operator::*;
        let all = [Eq, Eq, Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge, Implies];
        let operator = *self.random.pick(&all);
        let width = if operator == Implies {
            1
        } else {
            *self.random.pick(&[1, 8, 8, 32, 64, 64, 65, 128])
        };
        let a = self.expr(width, depth - 1);
        let b = match self.random.below(3) {
            0 => Expr::constant(self.random.bits(width)),
            1 if width > 1 => {
                // Something that has a part in common with the other side.
                let c = Expr::constant(self.random.bits(width));
                Expr::op(
                    *self.random.pick(&[Add, Xor, And, Mul]),
                    Sort::Bits(width),
                    vec![a.clone(), c],
                )
            }
            _ => self.expr(width, depth - 1),
        };
        let children = if self.random.below(3) == 0 {
            vec![b, a]
        } else {
            vec![a, b]
        };
        Expr::op(operator, Sort::Bits(1), children)
    }

    /// Shapes that random choice would hardly ever make.
    fn pattern(&mut self, width: u32, depth: u32) -> Option<Expr> {
        match (width, self.random.below(4)) {
            (1, 0) if self.pointers => Some(self.pointer_comparison(depth)),
            (1, _) => Some(self.literals(depth)),
            (_, 0 | 1) if width == self.pointer_width && self.pointers => Some(self.pointer(depth)),
            (2.., _) => Some(self.rejoined(width, depth)),
            _ => None,
        }
    }

    /// Base + offset with an offset of small range, sometimes negative; or a choice between pointers.
    pub fn pointer(&mut self, depth: u32) -> Expr {
        let sort = Sort::Bits(self.pointer_width);
        if depth > 1 && self.random.below(2) == 0 {
            return self.pointer_choice(depth);
        }
        let base = Expr::new(Kind::Base(self.random.below(BASES as u64) as u32), sort);
        let offset = match self.random.below(4) {
            0 => return base,
            1 => Expr::constant(self.random.bits(self.pointer_width)),
            _ => {
                let narrow = *self.random.pick(&[8, 12, 13, 16, 31]);
                let x = self.expr(narrow, depth.saturating_sub(1));
                Expr::op(*self.random.pick(&[Operator::ZExt, Operator::SExt]), sort, vec![x])
            }
        };
        Expr::op(Operator::Add, sort, vec![base, offset])
    }

    fn pointer_choice(&mut self, depth: u32) -> Expr {
        let sort = Sort::Bits(self.pointer_width);
        let (a, mut b) = (self.pointer(depth - 1), self.pointer(depth - 1));
        match self.random.below(4) {
            0 => {
                let (index, c) = (self.expr(8, 1), self.pointer(1));
                let some = [a, b, c, Expr::constant(Bits::zero(self.pointer_width))];
                let mut children = vec![index, self.random.pick(&some).clone()];
                let keys: Vec<u64> = (0..2 + self.random.below(6)).collect();
                children.extend(keys.iter().map(|_| self.random.pick(&some).clone()));
                Expr::new(Kind::Lookup(keys, children), sort)
            }
            1 => {
                let by = self.leaf(self.pointer_width);
                Expr::op(*self.random.pick(&[Operator::Add, Operator::Sub]), sort, vec![a, by])
            }
            choice => {
                if choice == 2 {
                    b = self.leaf(self.pointer_width);
                }
                let c = self.expr(1, 1);
                Expr::op(Operator::Ite, sort, vec![c, a, b])
            }
        }
    }

    fn pointer_comparison(&mut self, depth: u32) -> Expr {
        use Operator::*;
        let operator = *self.random.pick(&[Eq, Ult, Ule, Slt]);
        let (a, b) = (self.pointer(depth), self.pointer(depth));
        Expr::op(operator, Sort::Bits(1), vec![a, b])
    }

    /// A conjunction or disjunction of comparisons of one term with close constants.
    fn literals(&mut self, depth: u32) -> Expr {
        use Operator::*;
        let width = *self.random.pick(&[3, 8, 64, 65]);
        let x = self.expr(width, depth - 1);
        let near = self.random.bits(width);
        let connective = *self.random.pick(&[And, Or]);
        let literal = |random: &mut Random| {
            let c = Expr::constant(near.add(&Bits::new(width, random.below(4))));
            let operator = *random.pick(&[Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge]);
            Expr::op(operator, Sort::Bits(1), vec![x.clone(), c])
        };
        let mut expr = literal(&mut self.random);
        for _ in 0..1 + self.random.below(3) {
            let next = literal(&mut self.random);
            expr = Expr::op(connective, Sort::Bits(1), vec![expr, next]);
        }
        expr
    }

    /// A concatenation of extracts of one term, most of which continue each other.
    fn rejoined(&mut self, width: u32, depth: u32) -> Expr {
        let source = if self.random.below(2) == 0 { width } else { width + 8 };
        let x = self.expr(source, depth - 1);
        let y = Expr::op(Operator::Not, Sort::Bits(source), vec![x.clone()]);
        let mut above = width;
        let mut parts: Vec<Expr> = Vec::new();
        while above > 0 {
            let size = 1 + self.random.below(above as u64) as u32;
            above -= size;
            let slip = if self.random.below(6) == 0 {
                self.random.below((source - above - size) as u64 + 1) as u32
            } else {
                0
            };
            let from = if self.random.below(6) == 0 { &y } else { &x };
            parts.push(Expr::op(
                Operator::Extract(above + slip),
                Sort::Bits(size),
                vec![from.clone()],
            ));
        }
        // Nested either way.
        while parts.len() > 1 {
            let at = self.random.below(parts.len() as u64 - 1) as usize;
            let low = parts.remove(at + 1);
            let sort = Sort::Bits(parts[at].width() + low.width());
            parts[at] = Expr::op(Operator::Concat, sort, vec![parts[at].clone(), low]);
        }
        parts.remove(0)
    }

    fn lookup(&mut self, width: u32, depth: u32) -> Expr {
        let index_width = *self.random.pick(&[1, 3, 8, 8, 32, 64]);
        let index = self.expr(index_width, depth - 1);
        let step = *self.random.pick(&[1, 1, 8]);
        let count = self.random.below(10);
        let mut keys: Vec<u64> = (0..count).map(|_| self.random.below(12) * step).collect();
        keys.sort_unstable();
        keys.dedup();
        let some: Vec<Expr> = (0..3).map(|_| self.expr(width, (depth - 1).min(1))).collect();
        let mut children = vec![index, self.random.pick(&some).clone()];
        let constants = self.random.below(2) == 0;
        for _ in &keys {
            let value = if constants {
                Expr::constant(self.random.bits(width))
            } else {
                self.random.pick(&some).clone()
            };
            children.push(value);
        }
        Expr::new(Kind::Lookup(keys, children), Sort::Bits(width))
    }

    fn forall(&mut self, depth: u32) -> Expr {
        self.bound += 1;
        let name = format!("i{}", self.bound);
        let limit = self.expr(3, (depth - 1).min(2));
        let limit = Expr::op(Operator::ZExt, Sort::Bits(8), vec![limit]);
        self.scope
            .push(Expr::new(Kind::Symbol(name.clone(), SymbolKind::Bound), Sort::Bits(8)));
        let body = self.comparison(depth.max(2) - 1);
        self.scope.pop();
        Expr::new(Kind::Forall(name, limit, body), Sort::Bits(1))
    }

    /// An array of bytes with byte indices.
    pub fn array(&mut self, depth: u32) -> Expr {
        match self.random.below(if depth == 0 { 2 } else { 6 }) {
            0 => Expr::new(
                Kind::Symbol(format!("a{}", self.random.below(2)), SymbolKind::Input),
                ARRAY,
            ),
            1 => {
                let value = self.expr(8, depth.saturating_sub(1));
                Expr::op(Operator::ConstArray, ARRAY, vec![value])
            }
            2 => {
                let c = self.expr(1, depth - 1);
                let (a, b) = (self.array(depth - 1), self.array(depth - 1));
                Expr::op(Operator::Ite, ARRAY, vec![c, a, b])
            }
            _ => {
                let (a, i, v) = (self.array(depth - 1), self.expr(8, depth - 1), self.expr(8, depth - 1));
                Expr::op(Operator::Store, ARRAY, vec![a, i, v])
            }
        }
    }

    /// Values for everything that the expression mentions, and a layout of the bases.
    pub fn env(&mut self, expr: &Expr) -> Env {
        let mut symbols = BTreeMap::new();
        expr.symbols(&mut symbols);
        let mut env = Env {
            addresses: self.layout(),
            ..Env::default()
        };
        for (name, sort) in symbols {
            match sort {
                Sort::Bits(width) => {
                    let value = self.value(width, &env.addresses);
                    env.values.insert(name, value);
                }
                Sort::Array { element, .. } => {
                    let entries = (0..6)
                        .map(|_| (self.random.below(256), self.random.bits(element)))
                        .collect();
                    env.arrays.insert(
                        name,
                        ArrayValue {
                            entries,
                            default: Some(self.random.bits(element)),
                        },
                    );
                }
            }
        }
        env
    }

    fn value(&mut self, width: u32, addresses: &[u64]) -> Bits {
        if width == self.pointer_width && self.random.below(3) == 0 {
            // A number near an address.
            let address = *self.random.pick(addresses);
            return Bits::new(width, address.wrapping_add(self.random.below(5)).wrapping_sub(2));
        }
        self.random.bits(width)
    }

    /// Different, aligned addresses anywhere within the limits; often close to each other or to an end.
    fn layout(&mut self) -> Vec<u64> {
        let (low, high) = address_range(self.pointer_width).expect("a supported pointer width");
        let mut addresses: Vec<u64> = Vec::new();
        while addresses.len() < BASES as usize {
            let align = test_base(addresses.len() as u32).align;
            let near = match self.random.below(4) {
                0 => low,
                1 => high - 4 * align,
                2 if !addresses.is_empty() => *self.random.pick(&addresses),
                _ => low + self.random.below(high - low),
            };
            let address = near.saturating_add(self.random.below(40)).next_multiple_of(align);
            if (low..=high).contains(&address) && !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        addresses
    }
}
