//! Evaluation on machine integers, for terms whose parts all have at most 64 bits: almost all terms of programs.
//!
//! A tenth of the general evaluation's cost: no value is allocated, and small terms are not even memoised. Recursive,
//! to a bounded depth. `None` means "not supported here", and the general evaluation takes over.

use super::Evaluator;
use crate::{Bits, Op, TermId, sign_extend, truncate};

/// Deeper terms are left to the general evaluation, which does not recurse.
const DEPTH: u32 = 200;
/// From this many nodes on, values are memoised: a term is a graph, and visiting it as a tree can take exponential
/// time.
const FORGETFUL: u32 = 32;

impl Evaluator<'_> {
    pub(super) fn small(&mut self, t: TermId) -> Option<u64> {
        self.small_at(t, DEPTH)
    }

    fn small_at(&mut self, t: TermId, depth: u32) -> Option<u64> {
        let terms = self.terms;
        if let Some(value) = terms.as_const(t) {
            return Some(value);
        }
        let width = terms.width(t);
        let depth = depth.checked_sub(1)?;
        if width > 64 {
            return None;
        }
        if self.visits >= FORGETFUL
            && let Some(&value) = self.small.get(&t)
        {
            return Some(value);
        }
        self.visits += 1;
        let value = self.small_op(t, width, depth)?;
        if self.visits >= FORGETFUL {
            self.small.insert(t, value);
        }
        Some(value)
    }

    fn small_op(&mut self, t: TermId, width: u32, depth: u32) -> Option<u64> {
        let terms = self.terms;
        let children = terms.children(t);
        let op = terms.op(t);
        let value = match op {
            // A bound variable may shadow a symbol of the model.
            Op::Symbol(_) if !self.bound.is_empty() => return None,
            Op::Symbol(s) => self.model.bits(s, width).low_u64(),
            Op::Base(b) => truncate(self.model.address(b), width),
            Op::Ite => {
                let taken = if self.small_at(children[0], depth)? == 1 { 1 } else { 2 };
                self.small_at(children[taken], depth)?
            }
            Op::Lookup(table) => {
                let index = self.small_at(children[0], depth)?;
                let entries = terms.table(table);
                let at = entries.binary_search_by_key(&index, |entry| entry.0);
                self.small_at(at.map_or(children[1], |i| entries[i].1), depth)?
            }
            Op::Select => self.small_read(t, width, depth)?,
            Op::Not => truncate(!self.small_at(children[0], depth)?, width),
            Op::Add | Op::And | Op::Or | Op::Xor => {
                let mut total = self.small_at(children[0], depth)?;
                for &child in &children[1..] {
                    // What decides the whole: the rest does not matter.
                    if op == Op::And && total == 0 || op == Op::Or && total == truncate(u64::MAX, width) {
                        break;
                    }
                    let next = self.small_at(child, depth)?;
                    total = match op {
                        Op::Add => total.wrapping_add(next),
                        Op::And => total & next,
                        Op::Or => total | next,
                        _ => total ^ next,
                    };
                }
                truncate(total, width)
            }
            Op::Concat => {
                let mut total = 0;
                for &child in children {
                    let part = self.small_at(child, depth)?;
                    // No shift by 64: a part of 64 bits would be the whole word.
                    total = total << terms.width(child) | part;
                }
                total
            }
            Op::Extract { low, .. } => truncate(self.small_at(children[0], depth)? >> low, width),
            Op::ZExt => self.small_at(children[0], depth)?,
            Op::SExt => {
                let from = terms.width(children[0]);
                truncate(sign_extend(self.small_at(children[0], depth)?, from) as u64, width)
            }
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                let operands = terms.width(children[0]);
                let (a, b) = (self.small_at(children[0], depth)?, self.small_at(children[1], depth)?);
                let signed = |v| sign_extend(v, operands);
                (match op {
                    Op::Eq => a == b,
                    Op::Ult => a < b,
                    Op::Ule => a <= b,
                    Op::Slt => signed(a) < signed(b),
                    _ => signed(a) <= signed(b),
                }) as u64
            }
            Op::Mul => {
                let (a, b) = (self.small_at(children[0], depth)?, self.small_at(children[1], depth)?);
                truncate(a.wrapping_mul(b), width)
            }
            Op::UDiv | Op::URem | Op::SDiv | Op::SRem | Op::Shl | Op::Member | Op::LShr | Op::AShr => {
                let (a, b) = (self.small_at(children[0], depth)?, self.small_at(children[1], depth)?);
                self.apply(t, &[Bits::new(width, a), Bits::new(width, b)]).low_u64()
            }
            Op::Const | Op::Store | Op::ConstArray | Op::Apply(_) | Op::Forall(_) => return None,
        };
        Some(value)
    }

    /// Looks through writes until one matches.
    fn small_read(&mut self, t: TermId, width: u32, depth: u32) -> Option<u64> {
        let terms = self.terms;
        let [mut array, index] = *terms.children(t) else {
            unreachable!("a read has an array and an index")
        };
        let index = self.small_at(index, depth)?;
        loop {
            let children = terms.children(array);
            match terms.op(array) {
                Op::Symbol(s) => return Some(self.model.element(s, index, width).low_u64()),
                Op::ConstArray => return self.small_at(children[0], depth),
                Op::Store if self.small_at(children[1], depth)? == index => return self.small_at(children[2], depth),
                Op::Store => array = children[0],
                Op::Ite => array = children[if self.small_at(children[0], depth)? == 1 { 1 } else { 2 }],
                _ => return None,
            }
        }
    }
}
