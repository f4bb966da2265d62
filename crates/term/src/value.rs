//! The engine's values: what a slot or a cell holds.
//!
//! Invariants (one representation each): widths up to 64 never use `Term` for a constant or for constant base +
//! constant offset; `Int` is zero-extended to its width; `Ptr` has the target's pointer width. Values wider than 64
//! bits are always `Term`. `Undef` is the state of a slot that was never written; it becomes a symbol of kind *uninit*
//! when it is read.

use crate::{BaseId, Op, TermId, Terms};

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Undef,
    Int(u64),
    Ptr { base: BaseId, offset: u64 },
    Term(TermId),
}

impl Value {
    pub const ZERO: Value = Value::Int(0);

    pub fn bool(b: bool) -> Value {
        Value::Int(b as u64)
    }
}

/// `v` with the bits above `width` cleared (`width` in 1..=64).
#[inline(always)]
pub fn truncate(v: u64, width: u32) -> u64 {
    if width >= 64 { v } else { v & ((1u64 << width) - 1) }
}

/// `v`, a value of `width` bits, sign-extended to 64 bits.
#[inline(always)]
pub fn sign_extend(v: u64, width: u32) -> i64 {
    let shift = 64 - width.min(64);
    ((v << shift) as i64) >> shift
}

impl Terms {
    /// The term of a value of `width` bits. `Undef` has none: the caller names it first.
    pub fn of_value(&mut self, v: Value, width: u32) -> TermId {
        match v {
            Value::Int(n) => self.constant(width, n),
            Value::Ptr { base, offset } => {
                let offset = self.constant(self.pointer_width(), offset);
                self.pointer(base, offset)
            }
            Value::Term(t) => t,
            Value::Undef => panic!("a value that was never written has no term"),
        }
    }

    /// The value that represents a term.
    pub fn to_value(&self, t: TermId) -> Value {
        if self.width(t) > 64 {
            return Value::Term(t);
        }
        if let Some(n) = self.as_const(t) {
            return Value::Int(n);
        }
        match self.op(t) {
            Op::Base(base) => Value::Ptr { base, offset: 0 },
            Op::Add => {
                let children = self.children(t);
                if let [a, b] = *children {
                    for (x, y) in [(a, b), (b, a)] {
                        if let (Op::Base(base), Some(offset)) = (self.op(x), self.as_const(y)) {
                            return Value::Ptr { base, offset };
                        }
                    }
                }
                Value::Term(t)
            }
            _ => Value::Term(t),
        }
    }
}
