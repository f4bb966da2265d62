//! From terms to Z3 ASTs, iteratively, with a memo that lives across queries.
//!
//! Terms of width 1 become `Bool`, so that the propositional structure is visible to the solver; where a bit is used as
//! a bit-vector it is wrapped again. Tables become balanced trees of comparisons. Array symbols become arrays: the
//! chain has removed those that are only read at constant positions.
//!
//! The memo names terms by id; ids are reused after a collection, so a collection empties it before the next query.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_uint};
use std::rc::Rc;

use mneme_term::{BaseId, Bits, FunId, Op, Sort, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;

use super::context::{Context, Scope};
use super::ffi::{self, Ast};

/// What is a constant for Z3.
#[derive(Copy, Clone)]
pub(super) enum Leaf {
    Symbol(SymbolId),
    Base(BaseId),
}

pub(super) struct Translation {
    pub context: Rc<Context>,
    memo: FxHashMap<TermId, Ast>,
    /// Terms of width 1 as bit-vectors.
    wrapped: FxHashMap<TermId, Ast>,
    symbols: FxHashMap<SymbolId, Ast>,
    bases: FxHashMap<BaseId, Ast>,
    functions: FxHashMap<FunId, ffi::FuncDecl>,
    /// What constants stand for.
    leaves: FxHashMap<Ast, Leaf>,
    /// By widths of index and element; (0, width) are bit-vectors, (0, 0) is `Bool`.
    sorts: RefCell<FxHashMap<(u32, u32), ffi::Sort>>,
    stale: Cell<bool>,
}

impl Translation {
    /// How many ASTs are kept before the memo is cleared.
    const BOUND: usize = 200_000;

    pub fn new(context: Rc<Context>) -> Self {
        Translation {
            context,
            memo: FxHashMap::default(),
            wrapped: FxHashMap::default(),
            symbols: FxHashMap::default(),
            bases: FxHashMap::default(),
            functions: FxHashMap::default(),
            leaves: FxHashMap::default(),
            sorts: RefCell::default(),
            stale: Cell::new(false),
        }
    }

    pub fn terms_are_collected(&self) {
        self.stale.set(true);
    }

    /// Asserts the clauses, or returns Z3's objection.
    pub fn assert(
        &mut self,
        terms: &Terms,
        clauses: impl Iterator<Item = TermId>,
        scope: &Scope<'_>,
    ) -> Result<(), String> {
        self.renew();
        for clause in clauses {
            let ast = self.translate(terms, clause);
            scope.assert(ast);
        }
        self.context.take_failure().map_or(Ok(()), Err)
    }

    /// Forgets what is stale, or everything if there is too much; before a translation.
    pub fn renew(&mut self) {
        if self.stale.take() || self.context.held() > Self::BOUND {
            self.clear();
        }
    }

    pub fn symbol(&self, s: SymbolId) -> Option<Ast> {
        self.symbols.get(&s).copied()
    }

    pub fn leaf(&self, constant: Ast) -> Option<Leaf> {
        self.leaves.get(&constant).copied()
    }

    fn clear(&mut self) {
        self.memo.clear();
        self.wrapped.clear();
        self.symbols.clear();
        self.bases.clear();
        self.functions.clear();
        self.leaves.clear();
        self.sorts.borrow_mut().clear();
        self.context.release();
    }

    pub fn translate(&mut self, terms: &Terms, root: TermId) -> Ast {
        let mut stack = vec![(root, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.memo.contains_key(&t) {
                continue;
            }
            if ready {
                let ast = self.node(terms, t);
                self.memo.insert(t, ast);
            } else {
                stack.push((t, true));
                terms.for_each_child(t, |child| stack.push((child, false)));
            }
        }
        self.memo[&root]
    }

    /// One node whose children are in the memo.
    fn node(&mut self, terms: &Terms, t: TermId) -> Ast {
        let width = terms.width(t);
        let children = terms.children(t);
        match terms.op(t) {
            Op::Const if width == 1 => self.boolean(terms.is_true(t)),
            Op::Const => self.number(&terms.as_bits(t).expect("a constant has a value")),
            Op::Symbol(s) => self.constant(terms, s),
            Op::Base(b) => self.base(terms, b),
            Op::Eq => self.equal(terms, children[0], children[1]),
            Op::Ite => {
                let [c, a, b] = [0, 1, 2].map(|i| self.memo[&children[i]]);
                self.ite(c, a, b)
            }
            Op::Forall(bound) => self.forall(terms, bound, children[0], children[1]),
            Op::Lookup(table) => self.lookup(terms, children[0], children[1], terms.table(table)),
            Op::Apply(f) => self.apply(terms, f, children),
            Op::Select => {
                let (array, index) = (self.memo[&children[0]], self.bits(terms, children[1]));
                // SAFETY (here and below): arguments are held ASTs of this context; the result is held at once.
                let element = self
                    .context
                    .hold(unsafe { ffi::Z3_mk_select(self.raw(), array, index) });
                self.unwrap(element, width)
            }
            Op::Store => {
                let array = self.memo[&children[0]];
                let (index, value) = (self.bits(terms, children[1]), self.bits(terms, children[2]));
                self.context
                    .hold(unsafe { ffi::Z3_mk_store(self.raw(), array, index, value) })
            }
            Op::ConstArray => {
                let Sort::Array { index, .. } = terms.sort(t) else {
                    unreachable!("a constant array is an array")
                };
                let value = self.bits(terms, children[0]);
                self.context
                    .hold(unsafe { ffi::Z3_mk_const_array(self.raw(), self.bits_sort(index), value) })
            }
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.compare(terms, terms.op(t), children),
            op if width == 1 => self.logic(terms, op, children),
            op => self.arithmetic(terms, op, width, children),
        }
    }

    /// Operations whose result is one bit.
    fn logic(&mut self, terms: &Terms, op: Op, children: &[TermId]) -> Ast {
        let arguments: Vec<Ast> = match op {
            Op::Extract { .. } => Vec::new(),
            _ => children.iter().map(|c| self.memo[c]).collect(),
        };
        match op {
            Op::And | Op::Mul => self.nary(ffi::Z3_mk_and, &arguments),
            Op::Or => self.nary(ffi::Z3_mk_or, &arguments),
            Op::Xor | Op::Add => self.fold(ffi::Z3_mk_xor, &arguments),
            Op::Not => self.not(arguments[0]),
            Op::Extract { high, low } => {
                let whole = self.bits(terms, children[0]);
                let bit = self
                    .context
                    .hold(unsafe { ffi::Z3_mk_extract(self.raw(), high, low, whole) });
                self.unwrap(bit, 1)
            }
            Op::ZExt | Op::SExt | Op::Concat => arguments[0],
            // What remains are divisions and shifts of single bits, rare enough to be left as they are.
            _ => {
                let arguments: Vec<Ast> = children.iter().map(|&c| self.bits(terms, c)).collect();
                let result = self.fold(binary(op), &arguments);
                self.unwrap(result, 1)
            }
        }
    }

    fn arithmetic(&mut self, terms: &Terms, op: Op, width: u32, children: &[TermId]) -> Ast {
        let arguments: Vec<Ast> = children.iter().map(|&c| self.bits(terms, c)).collect();
        let first = arguments[0];
        let growth = || width - terms.width(children[0]);
        match op {
            Op::Not => self.context.hold(unsafe { ffi::Z3_mk_bvnot(self.raw(), first) }),
            Op::Mul if terms.as_bits(children[1]).is_some_and(|b| b.is_ones()) => {
                self.context.hold(unsafe { ffi::Z3_mk_bvneg(self.raw(), first) })
            }
            Op::Extract { high, low } => self
                .context
                .hold(unsafe { ffi::Z3_mk_extract(self.raw(), high, low, first) }),
            Op::ZExt => self
                .context
                .hold(unsafe { ffi::Z3_mk_zero_ext(self.raw(), growth(), first) }),
            Op::SExt => self
                .context
                .hold(unsafe { ffi::Z3_mk_sign_ext(self.raw(), growth(), first) }),
            _ => self.fold(binary(op), &arguments),
        }
    }

    fn compare(&mut self, terms: &Terms, op: Op, children: &[TermId]) -> Ast {
        if terms.width(children[0]) > 1 {
            let arguments = [self.memo[&children[0]], self.memo[&children[1]]];
            return self.fold(binary(op), &arguments);
        }
        // Of one bit: 0 < 1 unsigned, -1 < 0 signed.
        let (a, b) = (self.memo[&children[0]], self.memo[&children[1]]);
        let (low, high) = if matches!(op, Op::Ult | Op::Ule) {
            (a, b)
        } else {
            (b, a)
        };
        let low = self.not(low);
        match op {
            Op::Ult | Op::Slt => self.nary(ffi::Z3_mk_and, &[low, high]),
            _ => self.nary(ffi::Z3_mk_or, &[low, high]),
        }
    }

    fn equal(&mut self, terms: &Terms, a: TermId, b: TermId) -> Ast {
        let (left, right) = (self.memo[&a], self.memo[&b]);
        match (terms.width(a), terms.sort(a)) {
            (1, Sort::Bits(_)) if terms.is_true(b) => left,
            (1, Sort::Bits(_)) if terms.is_false(b) => self.not(left),
            _ => self.context.hold(unsafe { ffi::Z3_mk_eq(self.raw(), left, right) }),
        }
    }

    fn forall(&mut self, terms: &Terms, bound: SymbolId, limit: TermId, body: TermId) -> Ast {
        let variable = self.constant(terms, bound);
        let below = match terms.symbol_info(bound).sort {
            Sort::Bits(1) => {
                let not = self.not(variable);
                let limit = self.memo[&limit];
                self.nary(ffi::Z3_mk_and, &[not, limit])
            }
            _ => self.fold(ffi::Z3_mk_bvult, &[variable, self.memo[&limit]]),
        };
        let outside = self.not(below);
        let body = self.nary(ffi::Z3_mk_or, &[outside, self.memo[&body]]);
        let c = self.raw();
        self.context
            .hold(unsafe { ffi::Z3_mk_forall_const(c, 0, 1, &variable, 0, std::ptr::null(), body) })
    }

    fn apply(&mut self, terms: &Terms, f: FunId, arguments: &[TermId]) -> Ast {
        let info = terms.function_info(f);
        let declaration = match self.functions.get(&f) {
            Some(&known) => known,
            None => {
                let name = CString::new(format!("f!{}", info.name.replace('\0', ""))).expect("NUL was removed");
                let domain: Vec<ffi::Sort> = info.args.iter().map(|&w| self.bits_sort(w)).collect();
                let (c, range) = (self.raw(), self.bits_sort(info.result));
                // SAFETY: sorts live in `sorts`; a declaration is an AST and is held as one.
                let made = unsafe {
                    let symbol = ffi::Z3_mk_string_symbol(c, name.as_ptr());
                    ffi::Z3_mk_func_decl(c, symbol, domain.len() as c_uint, domain.as_ptr(), range)
                };
                self.context.hold(made.cast());
                self.functions.insert(f, made);
                made
            }
        };
        let arguments: Vec<Ast> = arguments.iter().map(|&a| self.bits(terms, a)).collect();
        let c = self.raw();
        let result = unsafe { ffi::Z3_mk_app(c, declaration, arguments.len() as c_uint, arguments.as_ptr()) };
        let result = self.context.hold(result);
        self.unwrap(result, info.result)
    }

    /// A balanced tree over the ranges of keys on which the table is constant.
    fn lookup(&mut self, terms: &Terms, index: TermId, default: TermId, entries: &[(u64, TermId)]) -> Ast {
        let width = terms.width(index);
        let mut ranges: Vec<(u64, TermId)> = Vec::new();
        let mut start = |key: u64, value: TermId| match ranges.last() {
            Some(&(_, last)) if last == value => {}
            _ => ranges.push((key, value)),
        };
        let last = if width < 64 { (1 << width) - 1 } else { u64::MAX };
        let mut next = 0;
        for &(key, value) in entries.iter().take_while(|(key, _)| *key <= last) {
            if key > next {
                start(next, default);
            }
            start(key, value);
            next = key.wrapping_add(1);
        }
        // After the last possible key `next` is 0 again (64 bits) or past `last`; wider indices always go on.
        let wrapped = next == 0 && !entries.is_empty() && entries[0].0 <= last;
        if wrapped && width > 64 {
            let beyond = Bits::power(width, 64);
            let inside = self.tree(index, width, &ranges);
            let limit = self.number(&beyond);
            let below = self.fold(ffi::Z3_mk_bvult, &[self.memo[&index], limit]);
            return self.ite(below, inside, self.memo[&default]);
        }
        if !wrapped && next <= last {
            start(next, default);
        }
        self.tree(index, width, &ranges)
    }

    /// `ranges` are starts and values; the first start is not above any index that gets here.
    fn tree(&self, index: TermId, width: u32, ranges: &[(u64, TermId)]) -> Ast {
        match ranges {
            [(_, only)] => self.memo[only],
            // One key in the middle of something else.
            [(_, around), (key, value), (after, again)] if around == again && *after == key + 1 => {
                let (around, value) = (self.memo[around], self.memo[value]);
                let hit = if width == 1 {
                    self.memo[&index]
                } else {
                    let key = self.number(&Bits::new(width, *key));
                    self.fold(ffi::Z3_mk_eq, &[self.memo[&index], key])
                };
                self.ite(hit, value, around)
            }
            _ => {
                let middle = ranges.len() / 2;
                let low = self.tree(index, width, &ranges[..middle]);
                let high = self.tree(index, width, &ranges[middle..]);
                let below = if width == 1 {
                    self.not(self.memo[&index])
                } else {
                    let key = self.number(&Bits::new(width, ranges[middle].0));
                    self.fold(ffi::Z3_mk_bvult, &[self.memo[&index], key])
                };
                self.ite(below, low, high)
            }
        }
    }

    /// The constant of a symbol: a Boolean for width 1.
    fn constant(&mut self, terms: &Terms, s: SymbolId) -> Ast {
        if let Some(&known) = self.symbols.get(&s) {
            return known;
        }
        let sort = match terms.symbol_info(s).sort {
            // SAFETY: the context and the sorts are alive.
            Sort::Bits(1) => self.sort((0, 0), || unsafe { ffi::Z3_mk_bool_sort(self.raw()) }),
            Sort::Bits(width) => self.bits_sort(width),
            Sort::Array { index, element } => {
                let (domain, range) = (self.bits_sort(index), self.bits_sort(element));
                // SAFETY: as above.
                self.sort((index, element), || unsafe {
                    ffi::Z3_mk_array_sort(self.raw(), domain, range)
                })
            }
        };
        let c = self.raw();
        let ast = unsafe { ffi::Z3_mk_const(c, ffi::Z3_mk_int_symbol(c, s.0 as i32), sort) };
        let ast = self.context.hold(ast);
        self.symbols.insert(s, ast);
        self.leaves.insert(ast, Leaf::Symbol(s));
        ast
    }

    /// A base as an unknown number. Only for simplification: queries with bases are refused.
    fn base(&mut self, terms: &Terms, b: BaseId) -> Ast {
        if let Some(&known) = self.bases.get(&b) {
            return known;
        }
        let name = CString::new(format!("b!{}", b.0)).expect("no NUL in it");
        let (c, sort) = (self.raw(), self.bits_sort(terms.pointer_width()));
        let ast = unsafe { ffi::Z3_mk_const(c, ffi::Z3_mk_string_symbol(c, name.as_ptr()), sort) };
        let ast = self.context.hold(ast);
        self.bases.insert(b, ast);
        self.leaves.insert(ast, Leaf::Base(b));
        ast
    }

    /// A term in the memo, as a bit-vector.
    fn bits(&mut self, terms: &Terms, t: TermId) -> Ast {
        let ast = self.memo[&t];
        if terms.width(t) > 1 || matches!(terms.sort(t), Sort::Array { .. }) {
            return ast;
        }
        if let Some(&known) = self.wrapped.get(&t) {
            return known;
        }
        let (one, zero) = (self.number(&Bits::one(1)), self.number(&Bits::zero(1)));
        let wrapped = match terms.op(t) {
            Op::Const if terms.is_true(t) => one,
            Op::Const => zero,
            _ => self.ite(ast, one, zero),
        };
        self.wrapped.insert(t, wrapped);
        wrapped
    }

    /// A bit-vector as the representation of its width: a Boolean for one bit.
    fn unwrap(&mut self, ast: Ast, width: u32) -> Ast {
        if width > 1 {
            return ast;
        }
        let one = self.number(&Bits::one(1));
        self.context.hold(unsafe { ffi::Z3_mk_eq(self.raw(), ast, one) })
    }

    fn number(&self, bits: &Bits) -> Ast {
        let (c, width) = (self.raw(), bits.width());
        let ast = if width <= 64 {
            unsafe { ffi::Z3_mk_unsigned_int64(c, bits.low_u64(), self.bits_sort(width)) }
        } else {
            let digits: Vec<bool> = (0..width).map(|i| bits.bit(i)).collect();
            unsafe { ffi::Z3_mk_bv_numeral(c, width, digits.as_ptr()) }
        };
        self.context.hold(ast)
    }

    fn boolean(&self, value: bool) -> Ast {
        let c = self.raw();
        self.context
            .hold(unsafe { if value { ffi::Z3_mk_true(c) } else { ffi::Z3_mk_false(c) } })
    }

    fn not(&self, a: Ast) -> Ast {
        self.context.hold(unsafe { ffi::Z3_mk_not(self.raw(), a) })
    }

    pub fn ite(&self, c: Ast, a: Ast, b: Ast) -> Ast {
        self.context.hold(unsafe { ffi::Z3_mk_ite(self.raw(), c, a, b) })
    }

    pub fn nary(&self, make: ffi::Nary, arguments: &[Ast]) -> Ast {
        self.context
            .hold(unsafe { make(self.raw(), arguments.len() as c_uint, arguments.as_ptr()) })
    }

    /// `((a ∘ b) ∘ c) ∘ …`
    pub fn fold(&self, make: ffi::Binary, arguments: &[Ast]) -> Ast {
        let (first, rest) = arguments.split_first().expect("operations have arguments");
        rest.iter().fold(*first, |left, &right| {
            self.context.hold(unsafe { make(self.raw(), left, right) })
        })
    }

    fn bits_sort(&self, width: u32) -> ffi::Sort {
        // SAFETY: the context is alive.
        self.sort((0, width), || unsafe { ffi::Z3_mk_bv_sort(self.raw(), width) })
    }

    /// The sort, kept alive: Z3 frees one that nothing refers to.
    fn sort(&self, key: (u32, u32), make: impl FnOnce() -> ffi::Sort) -> ffi::Sort {
        if let Some(&known) = self.sorts.borrow().get(&key) {
            return known;
        }
        let sort = make();
        self.context.hold(sort.cast());
        self.sorts.borrow_mut().insert(key, sort);
        sort
    }

    fn raw(&self) -> ffi::Context {
        self.context.raw
    }
}

fn binary(op: Op) -> ffi::Binary {
    match op {
        Op::Add => ffi::Z3_mk_bvadd,
        Op::Mul => ffi::Z3_mk_bvmul,
        Op::UDiv => ffi::Z3_mk_bvudiv,
        Op::URem => ffi::Z3_mk_bvurem,
        Op::SDiv => ffi::Z3_mk_bvsdiv,
        Op::SRem => ffi::Z3_mk_bvsrem,
        Op::And => ffi::Z3_mk_bvand,
        Op::Or => ffi::Z3_mk_bvor,
        Op::Xor => ffi::Z3_mk_bvxor,
        Op::Shl | Op::Member => ffi::Z3_mk_bvshl,
        Op::LShr => ffi::Z3_mk_bvlshr,
        Op::AShr => ffi::Z3_mk_bvashr,
        Op::Ult => ffi::Z3_mk_bvult,
        Op::Ule => ffi::Z3_mk_bvule,
        Op::Slt => ffi::Z3_mk_bvslt,
        Op::Sle => ffi::Z3_mk_bvsle,
        Op::Concat => ffi::Z3_mk_concat,
        other => unreachable!("{other:?} is no binary operation on bit-vectors"),
    }
}
