//! The operations.

use crate::{BaseId, FunId, SymbolId, TableId};

/// What a node does with its children. Semantics as in SMT-LIB.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Const,
    Symbol(SymbolId),
    Base(BaseId),
    /// Index, shift (a constant): the distance of the member with this number from the first of its family, `index <<
    /// shift`. It is never taken apart: what is added to it is an offset in the member (see `Terms::split_member`).
    Member,
    /// n-ary; at most one constant, last.
    Add,
    /// Binary. A constant factor is last; `-x` is `x * -1` and `x << 3` is `x * 8`.
    Mul,
    UDiv,
    URem,
    SDiv,
    SRem,
    /// n-ary, like `Or` and `Xor`; at most one constant, last.
    And,
    Or,
    Xor,
    Not,
    Shl,
    LShr,
    AShr,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    /// Condition, then, else. Also on arrays.
    Ite,
    /// n-ary, most significant part first.
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        high: u32,
        low: u32,
    },
    ZExt,
    SExt,
    /// Array, index.
    Select,
    /// Array, index, value.
    Store,
    /// The value of every element.
    ConstArray,
    /// Index, default. The entries are in the table: see `Terms::table`.
    Lookup(TableId),
    Apply(FunId),
    /// Limit, body: the body holds for all values of the symbol below the limit (unsigned).
    Forall(SymbolId),
}

impl Op {
    /// A number for hashing; what an operation holds is hashed separately.
    pub fn code(self) -> u64 {
        match self {
            Op::Const => 1,
            Op::Symbol(_) => 2,
            Op::Base(_) => 3,
            Op::Add => 4,
            Op::Mul => 5,
            Op::UDiv => 6,
            Op::URem => 7,
            Op::SDiv => 8,
            Op::SRem => 9,
            Op::And => 10,
            Op::Or => 11,
            Op::Xor => 12,
            Op::Not => 13,
            Op::Shl => 14,
            Op::LShr => 15,
            Op::AShr => 16,
            Op::Eq => 17,
            Op::Ult => 18,
            Op::Ule => 19,
            Op::Slt => 20,
            Op::Sle => 21,
            Op::Ite => 22,
            Op::Concat => 23,
            Op::Extract { .. } => 24,
            Op::ZExt => 25,
            Op::SExt => 26,
            Op::Select => 27,
            Op::Store => 28,
            Op::ConstArray => 29,
            Op::Lookup(_) => 30,
            Op::Apply(_) => 31,
            Op::Forall(_) => 32,
            Op::Member => 33,
        }
    }
}
