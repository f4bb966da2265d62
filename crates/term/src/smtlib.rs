//! SMT-LIB 2 text of a set of assertions: a complete script.
//!
//! Subterms that are mentioned more than once get a name (`define-fun`, or `let` below a quantifier), and so do
//! subterms that would nest too deeply for a recursive reader: the text is linear in the number of nodes. Terms of
//! width 1 are written as `Bool` where comparisons and connectives make them, and converted where a bit is wanted.
//! Bases that have not been replaced are constants `base!N`.

use crate::{Bits, FunId, Op, Sort, SymbolId, SymbolKind, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Deeper terms are cut by definitions.
const MAX_NESTING: u32 = 100;

impl Terms {
    /// A script that declares everything, asserts these terms of width 1 and ends with `(check-sat)`.
    pub fn smtlib(&self, assertions: &[TermId]) -> String {
        let mut writer = Writer {
            terms: self,
            names: FxHashMap::default(),
            out: String::new(),
            lets: 0,
        };
        writer.script(assertions);
        writer.out
    }

    /// The name of a symbol in `smtlib`: quoted if necessary, numbered if another symbol has the same name.
    pub fn smtlib_name(&self, s: SymbolId) -> String {
        let name = &self.symbol_info(s).name;
        let taken = !self.symbols.is_first_of_its_name(s);
        if taken {
            quote(&format!("{name}!{}", s.0))
        } else {
            quote(name)
        }
    }
}

fn quote(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_!.$".contains(c);
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_string()
    } else {
        format!("|{}|", name.replace(['|', '\\'], "_"))
    }
}

/// A constant in SMT-LIB: `#x…` or `#b…`.
pub(crate) fn literal(bits: &Bits) -> String {
    let width = bits.width();
    if width.is_multiple_of(4) {
        let digits: String = bits.words().iter().rev().map(|w| format!("{w:016x}")).collect();
        format!("#x{}", &digits[digits.len() - width as usize / 4..])
    } else {
        let digits: String = (0..width).rev().map(|i| if bits.bit(i) { '1' } else { '0' }).collect();
        format!("#b{digits}")
    }
}

pub(crate) fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}

/// How a term of width 1 is written.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Form {
    Bool,
    Bits,
}

enum Piece {
    Term(TermId, Form),
    Text(String),
}

struct Writer<'a> {
    terms: &'a Terms,
    names: FxHashMap<TermId, String>,
    out: String,
    /// Number of `let` variables made so far.
    lets: usize,
}

impl Writer<'_> {
    fn script(&mut self, assertions: &[TermId]) {
        let mut mentions = FxHashMap::default();
        let order = self.terms.postorder(assertions, &mut mentions);
        let extended = order
            .iter()
            .any(|&t| matches!(self.terms.op(t), Op::Forall(_) | Op::ConstArray));
        writeln!(self.out, "(set-logic {})", if extended { "ALL" } else { "QF_AUFBV" }).expect("strings grow");
        self.declare(&order);
        let mut nesting: FxHashMap<TermId, u32> = FxHashMap::default();
        for &t in &order {
            let mut deepest = 0;
            self.terms
                .for_each_child(t, |c| deepest = deepest.max(nesting.get(&c).copied().unwrap_or(0)));
            let is_leaf = self.terms.children(t).is_empty();
            let wanted = !is_leaf && (mentions[&t] > 1 || deepest >= MAX_NESTING);
            if wanted && !self.terms.has_kind(t, SymbolKind::Bound) {
                let name = format!("t!{}", self.names.len() + 1);
                write!(self.out, "(define-fun {name} () {} ", self.native_sort(t)).expect("strings grow");
                self.write(t, self.form(t));
                self.out.push_str(")\n");
                self.names.insert(t, name);
            } else {
                nesting.insert(t, deepest + 1);
            }
        }
        for &t in assertions {
            self.out.push_str("(assert ");
            self.write(t, Form::Bool);
            self.out.push_str(")\n");
        }
        self.out.push_str("(check-sat)\n");
    }

    fn declare(&mut self, order: &[TermId]) {
        let mut bound: FxHashSet<SymbolId> = FxHashSet::default();
        let mut functions: Vec<FunId> = Vec::new();
        for &t in order {
            match self.terms.op(t) {
                Op::Forall(s) => {
                    bound.insert(s);
                }
                Op::Apply(f) if !functions.contains(&f) => functions.push(f),
                _ => {}
            }
        }
        for &t in order {
            let name = match self.terms.op(t) {
                Op::Symbol(s) if !bound.contains(&s) => self.terms.smtlib_name(s),
                Op::Base(b) => format!("base!{}", b.0),
                _ => continue,
            };
            let sort = sort_name(self.terms.sort(t));
            writeln!(self.out, "(declare-const {name} {sort})").expect("strings grow");
        }
        for f in functions {
            let function = self.terms.function_info(f);
            let args: Vec<String> = function.args.iter().map(|&w| sort_name(Sort::Bits(w))).collect();
            let result = sort_name(Sort::Bits(function.result));
            writeln!(
                self.out,
                "(declare-fun {} ({}) {result})",
                quote(&function.name),
                args.join(" ")
            )
            .expect("strings grow");
        }
    }

    /// The form in which a term is written without a conversion.
    fn form(&self, t: TermId) -> Form {
        let boolean = matches!(self.terms.sort(t), Sort::Bits(1))
            && matches!(
                self.terms.op(t),
                Op::Const
                    | Op::Eq
                    | Op::Ult
                    | Op::Ule
                    | Op::Slt
                    | Op::Sle
                    | Op::And
                    | Op::Or
                    | Op::Xor
                    | Op::Not
                    | Op::Ite
                    | Op::Lookup(_)
                    | Op::Forall(_)
            );
        if boolean { Form::Bool } else { Form::Bits }
    }

    fn native_sort(&self, t: TermId) -> String {
        match self.form(t) {
            Form::Bool => "Bool".into(),
            Form::Bits => sort_name(self.terms.sort(t)),
        }
    }

    fn write(&mut self, t: TermId, form: Form) {
        let mut stack = vec![Piece::Term(t, form)];
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(&text),
                Piece::Term(t, wanted) => {
                    let native = self.form(t);
                    match (native, wanted) {
                        (Form::Bool, Form::Bits) => {
                            self.out.push_str("(ite ");
                            stack.push(Piece::Text(" #b1 #b0)".into()));
                        }
                        (Form::Bits, Form::Bool) => {
                            self.out.push_str("(= ");
                            stack.push(Piece::Text(" #b1)".into()));
                        }
                        _ => {}
                    }
                    if let Some(name) = self.names.get(&t) {
                        self.out.push_str(name);
                    } else if let Op::Forall(s) = self.terms.op(t) {
                        self.forall(t, s);
                    } else {
                        let from = stack.len();
                        stack.extend(self.pieces(t));
                        stack[from..].reverse();
                    }
                }
            }
        }
    }

    fn forall(&mut self, t: TermId, bound: SymbolId) {
        let terms = self.terms;
        let (limit, body) = (terms.children(t)[0], terms.children(t)[1]);
        let (name, sort) = (terms.smtlib_name(bound), sort_name(terms.symbol_info(bound).sort));
        write!(self.out, "(forall (({name} {sort})) (=> (bvult {name} ").expect("strings grow");
        self.write(limit, Form::Bits);
        self.out.push_str(") ");
        // Shared terms that mention the variable are named inside, unless they also mention one of an inner quantifier.
        let mut mentions = FxHashMap::default();
        let order = terms.postorder(&[body], &mut mentions);
        let mut inner: FxHashSet<SymbolId> = FxHashSet::default();
        for &u in &order {
            if let Op::Forall(s) = terms.op(u) {
                inner.insert(s);
            }
        }
        let mut local = Vec::new();
        for u in order {
            let symbols = terms.symbols(u);
            let shared = mentions[&u] > 1 && !terms.children(u).is_empty() && !self.names.contains_key(&u);
            if shared && symbols.contains(&bound) && !symbols.iter().any(|s| inner.contains(s)) {
                let name = self.fresh("l");
                write!(self.out, "(let (({name} ").expect("strings grow");
                self.write(u, self.form(u));
                self.out.push_str(")) ");
                self.names.insert(u, name);
                local.push(u);
            }
        }
        self.write(body, Form::Bool);
        for u in local {
            self.names.remove(&u);
            self.out.push(')');
        }
        self.out.push_str("))");
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.lets += 1;
        format!("{prefix}!{}", self.lets)
    }

    fn pieces(&mut self, t: TermId) -> Vec<Piece> {
        let terms = self.terms;
        let children = terms.children(t);
        let width = terms.width(t);
        let form = self.form(t);
        let call = |name: &str, forms: Form| {
            let mut pieces = vec![Piece::Text(format!("({name}"))];
            for &c in children {
                pieces.extend([Piece::Text(" ".into()), Piece::Term(c, forms)]);
            }
            pieces.push(Piece::Text(")".into()));
            pieces
        };
        let bits = |name: &str| call(name, Form::Bits);
        let connective = |boolean: &str, word: &str| match form {
            Form::Bool => call(boolean, Form::Bool),
            Form::Bits => call(word, Form::Bits),
        };
        let inner = children.first().map_or(0, |&c| terms.width(c));
        match terms.op(t) {
            Op::Const => {
                let value = terms.as_bits(t).expect("a constant");
                let text = if width == 1 {
                    value.is_one().to_string()
                } else {
                    literal(&value)
                };
                vec![Piece::Text(text)]
            }
            Op::Symbol(s) => vec![Piece::Text(terms.smtlib_name(s))],
            Op::Base(b) => vec![Piece::Text(format!("base!{}", b.0))],
            Op::Add => bits("bvadd"),
            Op::Mul if terms.as_bits(children[1]).is_some_and(|c| c.is_ones()) => {
                vec![
                    Piece::Text("(bvneg ".into()),
                    Piece::Term(children[0], Form::Bits),
                    Piece::Text(")".into()),
                ]
            }
            Op::Mul => bits("bvmul"),
            Op::UDiv => bits("bvudiv"),
            Op::URem => bits("bvurem"),
            Op::SDiv => bits("bvsdiv"),
            Op::SRem => bits("bvsrem"),
            Op::And => connective("and", "bvand"),
            Op::Or => connective("or", "bvor"),
            Op::Xor => connective("xor", "bvxor"),
            Op::Not => connective("not", "bvnot"),
            Op::Shl | Op::Member => bits("bvshl"),
            Op::LShr => bits("bvlshr"),
            Op::AShr => bits("bvashr"),
            Op::Eq => bits("="),
            Op::Ult => bits("bvult"),
            Op::Ule => bits("bvule"),
            Op::Slt => bits("bvslt"),
            Op::Sle => bits("bvsle"),
            Op::Ite => {
                let text = |s: &str| Piece::Text(s.into());
                let (c, a, b) = (children[0], children[1], children[2]);
                vec![
                    text("(ite "),
                    Piece::Term(c, Form::Bool),
                    text(" "),
                    Piece::Term(a, form),
                    text(" "),
                    Piece::Term(b, form),
                    text(")"),
                ]
            }
            Op::Concat => bits("concat"),
            Op::Extract { high, low } => bits(&format!("(_ extract {high} {low})")),
            Op::ZExt => bits(&format!("(_ zero_extend {})", width - inner)),
            Op::SExt => bits(&format!("(_ sign_extend {})", width - inner)),
            Op::Select => bits("select"),
            Op::Store => bits("store"),
            Op::ConstArray => bits(&format!("(as const {})", sort_name(terms.sort(t)))),
            Op::Lookup(table) => self.lookup(t, terms.table(table), form),
            Op::Apply(f) => bits(&quote(&terms.function_info(f).name)),
            Op::Forall(_) => unreachable!("quantifiers are written by themselves"),
        }
    }

    /// A binary search over the keys; index and default have names.
    fn lookup(&mut self, t: TermId, entries: &[(u64, TermId)], form: Form) -> Vec<Piece> {
        let (index, default) = (self.terms.children(t)[0], self.terms.children(t)[1]);
        let (index_name, default_name) = (self.fresh("i"), self.fresh("d"));
        let mut pieces = vec![
            Piece::Text(format!("(let (({index_name} ")),
            Piece::Term(index, Form::Bits),
            Piece::Text(format!(") ({default_name} ")),
            Piece::Term(default, form),
            Piece::Text(")) ".into()),
        ];
        let search = Search {
            index: &index_name,
            default: &default_name,
            width: self.terms.width(index),
            form,
        };
        search.pieces(entries, &mut pieces);
        pieces.push(Piece::Text(")".into()));
        pieces
    }
}

struct Search<'a> {
    index: &'a str,
    default: &'a str,
    width: u32,
    form: Form,
}

impl Search<'_> {
    /// Recursion of logarithmic depth.
    fn pieces(&self, entries: &[(u64, TermId)], out: &mut Vec<Piece>) {
        let key = |k: u64| literal(&Bits::new(self.width, k));
        if let [(k, t)] = entries {
            out.push(Piece::Text(format!("(ite (= {} {}) ", self.index, key(*k))));
            out.push(Piece::Term(*t, self.form));
            out.push(Piece::Text(format!(" {})", self.default)));
            return;
        }
        let (low, high) = entries.split_at(entries.len() / 2);
        out.push(Piece::Text(format!("(ite (bvult {} {}) ", self.index, key(high[0].0))));
        self.pieces(low, out);
        out.push(Piece::Text(" ".into()));
        self.pieces(high, out);
        out.push(Piece::Text(")".into()));
    }
}
