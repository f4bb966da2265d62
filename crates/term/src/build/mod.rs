//! Constructors: building a term simplifies it.
//!
//! Every rule is an equivalence under SMT-LIB semantics, for every assignment and every layout of bases. Rules look a
//! bounded number of levels down, and those that build further terms go through `Terms::rewrite`, which bounds the
//! recursion: building a node on top of a deep term costs no stack.

mod arith;
mod array;
mod bitvec;
mod bitwise;
mod compare;
mod equality;
mod ite;
mod linear;
mod member;
mod parts;
mod quantifier;
mod table;

use crate::{Op, TermId, Terms};

impl Terms {
    /// The operation applied to these operands through its constructor. `entries` are the entries of a `Lookup`'s
    /// table.
    pub(crate) fn rebuild(&mut self, t: TermId, children: &[TermId], entries: Option<&[(u64, TermId)]>) -> TermId {
        let c = children;
        let width = self.width(t);
        match self.op(t) {
            Op::Const | Op::Symbol(_) | Op::Base(_) => t,
            Op::Add => self.fold(c, Terms::add),
            Op::And => self.fold(c, Terms::and),
            Op::Or => self.fold(c, Terms::or),
            Op::Xor => self.fold(c, Terms::xor),
            Op::Concat => self.fold(c, Terms::concat),
            Op::Mul => self.mul(c[0], c[1]),
            Op::UDiv => self.udiv(c[0], c[1]),
            Op::URem => self.urem(c[0], c[1]),
            Op::SDiv => self.sdiv(c[0], c[1]),
            Op::SRem => self.srem(c[0], c[1]),
            Op::Not => self.not(c[0]),
            Op::Shl => self.shl(c[0], c[1]),
            Op::Member => self.member_at(c[0], c[1]),
            Op::LShr => self.lshr(c[0], c[1]),
            Op::AShr => self.ashr(c[0], c[1]),
            Op::Eq => self.eq(c[0], c[1]),
            Op::Ult => self.ult(c[0], c[1]),
            Op::Ule => self.ule(c[0], c[1]),
            Op::Slt => self.slt(c[0], c[1]),
            Op::Sle => self.sle(c[0], c[1]),
            Op::Ite => self.ite(c[0], c[1], c[2]),
            Op::Extract { low, .. } => self.extract(c[0], low, width),
            Op::ZExt => self.zext(c[0], width),
            Op::SExt => self.sext(c[0], width),
            Op::Select => self.select(c[0], c[1]),
            Op::Store => self.store(c[0], c[1], c[2]),
            Op::ConstArray => self.const_array(self.node(t).index_width, c[0]),
            Op::Lookup(table) => match entries {
                Some(entries) => self.lookup(c[0], entries, c[1]),
                None => {
                    let entries = self.table_data(table).entries.clone();
                    self.lookup(c[0], &entries, c[1])
                }
            },
            Op::Apply(f) => self.apply(f, c),
            Op::Forall(bound) => self.forall(bound, c[0], c[1]),
        }
    }

    fn fold(&mut self, operands: &[TermId], f: impl Fn(&mut Terms, TermId, TermId) -> TermId) -> TermId {
        operands[1..].iter().fold(operands[0], |a, &b| f(self, a, b))
    }

    #[track_caller]
    fn same_width(&self, a: TermId, b: TermId) -> u32 {
        let (x, y) = (self.node(a), self.node(b));
        assert!(
            x.width == y.width && x.index_width == 0 && y.index_width == 0,
            "operands of different sorts: {:?} and {:?}",
            self.sort(a),
            self.sort(b)
        );
        x.width
    }
}
