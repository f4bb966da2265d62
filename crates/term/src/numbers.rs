//! The numbers that a term can be, if they are few: choices between constants, and what is computed from these.
//!
//! Code that needs a concrete number can enumerate a choice without losing a value. The conditions of the choices are
//! not examined, so some of the numbers may be impossible.

use crate::{Op, Sort, TermId, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Distinct constants; `None` if there are too many, or they are not known.
type Numbers = Option<Rc<[TermId]>>;

/// The most nodes that are visited.
const NODES: usize = 1 << 10;

impl Terms {
    /// All constants that `t` can be, if there are at most `most`.
    pub fn numbers(&mut self, t: TermId, most: usize) -> Option<Rc<[TermId]>> {
        let mut known: FxHashMap<TermId, Numbers> = FxHashMap::default();
        let mut open = vec![t];
        while let Some(&node) = open.last() {
            if known.len() > NODES {
                return None;
            }
            let chosen = self.chosen_from(node);
            let before = open.len();
            open.extend(chosen.iter().copied().filter(|child| !known.contains_key(child)));
            if open.len() == before {
                open.pop();
                let numbers = self.numbers_of(node, &chosen, &known, most);
                known.insert(node, numbers);
            }
        }
        known.remove(&t)?
    }

    /// The operands that determine the number; conditions and indices are left out.
    fn chosen_from(&self, t: TermId) -> Vec<TermId> {
        if self.sort(t) == Sort::Bits(1) {
            return Vec::new();
        }
        let children = self.children(t);
        match self.op(t) {
            Op::Ite => children[1..].to_vec(),
            Op::Lookup(table) => {
                let entries = self.table(table).iter().map(|&(_, entry)| entry);
                entries.chain([children[1]]).collect()
            }
            op if computes(op) => children.to_vec(),
            _ => Vec::new(),
        }
    }

    fn numbers_of(&mut self, t: TermId, chosen: &[TermId], known: &FxHashMap<TermId, Numbers>, most: usize) -> Numbers {
        let op = self.op(t);
        if op == Op::Const {
            return Some([t].into());
        }
        if self.sort(t) == Sort::Bits(1) {
            return Some([self.fls(), self.tru()].into());
        }
        let mut all: Vec<TermId> = Vec::new();
        let mut add = |number: TermId| {
            if !all.contains(&number) {
                all.push(number);
            }
            (all.len() <= most).then_some(())
        };
        if matches!(op, Op::Ite | Op::Lookup(_)) {
            for child in chosen {
                for &number in known[child].as_ref()?.iter() {
                    add(number)?;
                }
            }
            return Some(all.into());
        }
        if !computes(op) {
            return None;
        }
        let sets = chosen.iter().map(|child| known[child].clone());
        let sets: Vec<Rc<[TermId]>> = sets.collect::<Option<_>>()?;
        let count = sets
            .iter()
            .try_fold(1usize, |count, set| count.checked_mul(set.len()))?;
        if count > most.saturating_mul(most) {
            return None;
        }
        for index in 0..count {
            let mut left = index;
            let operands: Vec<TermId> = sets
                .iter()
                .map(|set| {
                    let operand = set[left % set.len()];
                    left /= set.len();
                    operand
                })
                .collect();
            let number = self.rebuild(t, &operands, None);
            if self.op(number) != Op::Const {
                return None;
            }
            add(number)?;
        }
        Some(all.into())
    }
}

/// Whether the result is a number if all operands are.
fn computes(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Mul
            | UDiv
            | URem
            | SDiv
            | SRem
            | And
            | Or
            | Xor
            | Not
            | Shl
            | LShr
            | AShr
            | Concat
            | ZExt
            | SExt
            | Extract { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Gen, input};

    fn values(terms: &mut Terms, t: TermId, most: usize) -> Option<Vec<u64>> {
        let numbers = terms.numbers(t, most)?;
        let mut values: Vec<u64> = numbers
            .iter()
            .map(|&n| terms.as_const(n).expect("a constant"))
            .collect();
        values.sort_unstable();
        Some(values)
    }

    #[test]
    fn choices_between_constants_are_few_numbers_whatever_they_depend_on() {
        let mut terms = Terms::new(64);
        let (x, y) = (input(&mut terms, "x", 32), input(&mut terms, "y", 32));
        let (below, equal) = (terms.ult(x, y), terms.eq(x, y));
        let [one, two, five] = [1, 2, 5].map(|n| terms.constant(8, n));
        let inner = terms.ite(equal, two, five);
        let choice = terms.ite(below, one, inner);
        assert_eq!(values(&mut terms, choice, 3), Some(vec![1, 2, 5]));
        assert_eq!(values(&mut terms, choice, 2), None, "too many");
        let high = terms.ite(equal, one, two);
        let both = terms.concat(high, choice);
        let all = vec![0x101, 0x102, 0x105, 0x201, 0x202, 0x205];
        assert_eq!(values(&mut terms, both, 8), Some(all));
        let counted = terms.zext(equal, 8);
        let counted = terms.add(counted, choice);
        assert_eq!(values(&mut terms, counted, 8), Some(vec![1, 2, 3, 5, 6]));
    }

    /// Under any inputs, the value is among the numbers: none is lost.
    #[test]
    fn no_number_is_missing() {
        let mut generator = Gen::new(11);
        let mut decided = 0;
        for _ in 0..4_000 {
            let expr = generator.expr(8, 4);
            let mut terms = Terms::new(64);
            let t = expr.build(&mut terms);
            let Some(numbers) = terms.numbers(t, 64) else {
                continue;
            };
            for _ in 0..8 {
                let env = generator.env(&expr);
                let value = terms.constant_bits(&expr.eval(&env));
                assert!(numbers.contains(&value), "{expr:?} in {env:?}");
            }
            decided += u32::from(numbers.len() > 1);
        }
        assert!(decided > 100, "only {decided} terms are choices");
    }

    #[test]
    fn an_input_is_not_a_choice() {
        let mut terms = Terms::new(64);
        let x = input(&mut terms, "x", 8);
        let y = input(&mut terms, "y", 8);
        let below = terms.ult(x, y);
        let one = terms.constant(8, 1);
        let choice = terms.ite(below, x, one);
        assert_eq!(values(&mut terms, choice, 64), None);
    }
}
