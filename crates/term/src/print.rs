//! Readable, C-like text. Large terms name their shared subterms first: `let t1 = …; t1 * t1`.

use crate::{BaseKind, Bits, Op, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{self, Display, Write};

/// Terms of at most this many nodes (as a tree) are written without names.
const INLINE_SIZE: u32 = 60;

impl Terms {
    pub fn display(&self, t: TermId) -> impl Display + '_ {
        Readable { terms: self, root: t }
    }
}

struct Readable<'a> {
    terms: &'a Terms,
    root: TermId,
}

enum Piece {
    Term(TermId),
    Text(String),
}

impl Display for Readable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: FxHashMap<TermId, usize> = FxHashMap::default();
        if self.terms.depth_or_size(self.root) > INLINE_SIZE {
            for (i, t) in self.terms.shared(&[self.root]).into_iter().enumerate() {
                write!(f, "let t{} = ", i + 1)?;
                self.write(f, t, &names)?;
                f.write_str("; ")?;
                names.insert(t, i + 1);
            }
        }
        self.write(f, self.root, &names)
    }
}

impl Readable<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>, t: TermId, names: &FxHashMap<TermId, usize>) -> fmt::Result {
        let mut stack = self.pieces(t);
        stack.reverse();
        while let Some(piece) = stack.pop() {
            match piece {
                Piece::Text(text) => f.write_str(&text)?,
                Piece::Term(t) => match names.get(&t) {
                    Some(name) => write!(f, "t{name}")?,
                    None if self.is_compound(t) => {
                        stack.push(Piece::Text(")".into()));
                        let from = stack.len();
                        stack.extend(self.pieces(t));
                        stack[from..].reverse();
                        f.write_char('(')?;
                    }
                    None => {
                        let from = stack.len();
                        stack.extend(self.pieces(t));
                        stack[from..].reverse();
                    }
                },
            }
        }
        Ok(())
    }

    /// Whether the text of a term needs parentheses inside another one.
    fn is_compound(&self, t: TermId) -> bool {
        use Op::*;
        match self.terms.op(t) {
            Mul => !self.is_negation(t),
            Add | UDiv | URem | SDiv | SRem | And | Or | Xor | Shl | LShr | AShr | Eq | Ult | Ule | Slt | Sle | Ite
            | Concat => true,
            Not => matches!(self.terms.op(self.terms.children(t)[0]), Eq),
            _ => false,
        }
    }

    fn is_negation(&self, t: TermId) -> bool {
        self.terms.op(t) == Op::Mul
            && self
                .terms
                .as_bits(self.terms.children(t)[1])
                .is_some_and(|c| c.is_ones())
    }

    fn pieces(&self, t: TermId) -> Vec<Piece> {
        let terms = self.terms;
        let c = terms.children(t);
        let (boolean, width) = (terms.width(t) == 1, terms.width(t));
        match terms.op(t) {
            Op::Const => vec![Piece::Text(constant(&terms.as_bits(t).expect("a constant")))],
            Op::Symbol(s) => vec![Piece::Text(terms.symbol_info(s).name.clone())],
            Op::Base(b) => vec![Piece::Text(self.base(b))],
            Op::Add => self.sum(c),
            Op::Mul if self.is_negation(t) => prefix("-", c[0]),
            Op::Mul => infix(" * ", c),
            Op::UDiv => infix(" /u ", c),
            Op::URem => infix(" %u ", c),
            Op::SDiv => infix(" /s ", c),
            Op::SRem => infix(" %s ", c),
            Op::And => infix(if boolean { " && " } else { " & " }, c),
            Op::Or => infix(if boolean { " || " } else { " | " }, c),
            Op::Xor => infix(if boolean { " != " } else { " ^ " }, c),
            Op::Not if boolean && terms.op(c[0]) == Op::Eq => infix(" != ", terms.children(c[0])),
            Op::Not => prefix(if boolean { "!" } else { "~" }, c[0]),
            Op::Shl => infix(" << ", c),
            Op::Member => call("member", c),
            Op::LShr => infix(" >>u ", c),
            Op::AShr => infix(" >>s ", c),
            Op::Eq => infix(" == ", c),
            Op::Ult => infix(" <u ", c),
            Op::Ule => infix(" <=u ", c),
            Op::Slt => infix(" <s ", c),
            Op::Sle => infix(" <=s ", c),
            Op::Ite => {
                let text = |s: &str| Piece::Text(s.into());
                vec![
                    Piece::Term(c[0]),
                    text(" ? "),
                    Piece::Term(c[1]),
                    text(" : "),
                    Piece::Term(c[2]),
                ]
            }
            Op::Concat => infix(" ++ ", c),
            Op::Extract { high, low } => {
                vec![
                    Piece::Term(c[0]),
                    Piece::Text(if high == low {
                        format!("[{low}]")
                    } else {
                        format!("[{high}:{low}]")
                    }),
                ]
            }
            Op::ZExt => call(&format!("zext{width}"), c),
            Op::SExt => call(&format!("sext{width}"), c),
            Op::Select => vec![
                Piece::Term(c[0]),
                Piece::Text("[".into()),
                Piece::Term(c[1]),
                Piece::Text("]".into()),
            ],
            Op::Store => call("store", c),
            Op::ConstArray => call("array", c),
            Op::Lookup(table) => {
                let mut pieces = vec![
                    Piece::Text("lookup(".into()),
                    Piece::Term(c[0]),
                    Piece::Text("; ".into()),
                ];
                for &(k, t) in terms.table(table) {
                    pieces.extend([Piece::Text(format!("{k}: ")), Piece::Term(t), Piece::Text(", ".into())]);
                }
                pieces.extend([Piece::Text("else ".into()), Piece::Term(c[1]), Piece::Text(")".into())]);
                pieces
            }
            Op::Apply(f) => call(&terms.function_info(f).name, c),
            Op::Forall(s) => {
                let name = &terms.symbol_info(s).name;
                vec![
                    Piece::Text(format!("forall({name} < ")),
                    Piece::Term(c[0]),
                    Piece::Text(": ".into()),
                    Piece::Term(c[1]),
                    Piece::Text(")".into()),
                ]
            }
        }
    }

    fn sum(&self, summands: &[TermId]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (i, &t) in summands.iter().enumerate() {
            let negative = self.terms.as_bits(t).filter(|c| c.sign());
            match negative {
                Some(c) if i > 0 => pieces.push(Piece::Text(format!(" - {}", constant(&c.neg())))),
                _ if i > 0 && self.is_negation(t) => {
                    pieces.extend([Piece::Text(" - ".into()), Piece::Term(self.terms.children(t)[0])]);
                }
                _ => {
                    if i > 0 {
                        pieces.push(Piece::Text(" + ".into()));
                    }
                    pieces.push(Piece::Term(t));
                }
            }
        }
        pieces
    }

    fn base(&self, b: crate::BaseId) -> String {
        let info = self.terms.base_info(b);
        let kind = match info.kind {
            BaseKind::Global => "global",
            BaseKind::Function => "function",
            BaseKind::Stack => "stack",
            BaseKind::Heap => "heap",
        };
        format!("&{kind}{}.{}", info.site, info.n)
    }
}

fn constant(bits: &Bits) -> String {
    match bits.to_u64() {
        Some(n) if n < 1024 => n.to_string(),
        _ => bits.to_hex(),
    }
}

fn infix(operator: &str, operands: &[TermId]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(operands.len() * 2);
    for (i, &t) in operands.iter().enumerate() {
        if i > 0 {
            pieces.push(Piece::Text(operator.into()));
        }
        pieces.push(Piece::Term(t));
    }
    pieces
}

fn prefix(operator: &str, t: TermId) -> Vec<Piece> {
    vec![Piece::Text(operator.into()), Piece::Term(t)]
}

fn call(name: &str, args: &[TermId]) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(format!("{name}("))];
    pieces.extend(infix(", ", args));
    pieces.push(Piece::Text(")".into()));
    pieces
}

impl Terms {
    /// The subterms that are worth a name: not leaves, and mentioned more than once. Inner ones first.
    pub(crate) fn shared(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut mentions: FxHashMap<TermId, u32> = FxHashMap::default();
        let order = self.postorder(roots, &mut mentions);
        order
            .into_iter()
            .filter(|t| mentions[t] > 1 && !self.children(*t).is_empty())
            .collect()
    }

    /// All subterms, children first, with the number of times each is mentioned.
    pub(crate) fn postorder(&self, roots: &[TermId], mentions: &mut FxHashMap<TermId, u32>) -> Vec<TermId> {
        let mut order = Vec::new();
        let mut entered: FxHashSet<TermId> = FxHashSet::default();
        let mut stack: Vec<(TermId, bool)> = roots.iter().rev().map(|&t| (t, false)).collect();
        while let Some((t, leaving)) = stack.pop() {
            if leaving {
                order.push(t);
                continue;
            }
            *mentions.entry(t).or_default() += 1;
            if entered.insert(t) {
                stack.push((t, true));
                let from = stack.len();
                self.for_each_child(t, |c| stack.push((c, false)));
                stack[from..].reverse();
            }
        }
        order
    }
}
