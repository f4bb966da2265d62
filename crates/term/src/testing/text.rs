//! Expression trees as SMT-LIB text, without any simplification.

use super::env::FUNCTION;
use super::expr::{Expr, Kind, Operator};
use crate::smtlib::{literal, sort_name};
use crate::{Bits, Sort, SymbolKind};
use std::collections::BTreeSet;

impl Expr {
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

    /// Whether a key is a value of this term's width.
    fn holds(&self, key: u64) -> bool {
        Bits::new(self.width(), key).to_u64() == Some(key)
    }

    /// Declarations for [`Expr::smtlib`]: every free symbol, base and function, each once.
    pub fn smtlib_declarations(&self) -> String {
        let mut lines = BTreeSet::new();
        self.declare(&mut lines);
        lines.into_iter().collect()
    }

    fn declare(&self, lines: &mut BTreeSet<String>) {
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
