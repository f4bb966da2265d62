//! The path condition of a state: what the program's decisions so far require of its inputs, and an assignment that
//! satisfies it.

use std::rc::Rc;

use mneme_term::{Assignment, Bits, Op, SymbolId, TermId, Terms, Tracer};

/// Clauses in the order in which they were assumed, and an assignment that satisfies all of them.
///
/// A clone shares both until one of the two assumes more: a fork copies two pointers. Thanks to the assignment, at most
/// one side of a branch needs a query.
#[derive(Clone, Debug, Default)]
pub struct PathCondition {
    clauses: Rc<Vec<TermId>>,
    assignment: Rc<Assignment>,
}

impl PathCondition {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clauses(&self) -> &[TermId] {
        &self.clauses
    }

    pub fn assignment(&self) -> &Rc<Assignment> {
        &self.assignment
    }

    /// Adds a clause, and takes `witness`, which satisfies the clause and all earlier ones, as the assignment.
    /// Conjunctions are split; `true` and clauses that are already present are dropped.
    pub fn assume(&mut self, terms: &mut Terms, clause: TermId, witness: Rc<Assignment>) {
        debug_assert!(!terms.is_false(clause), "a state must not assume false");
        self.assignment = witness;
        for part in clauses_of(terms, clause) {
            if !self.clauses.contains(&part) {
                Rc::make_mut(&mut self.clauses).push(part);
            }
        }
    }

    /// Keeps the first `len` clauses and adds one that the assignment satisfies.
    pub fn restart(&mut self, terms: &mut Terms, len: usize, clause: TermId) {
        Rc::make_mut(&mut self.clauses).truncate(len);
        let witness = self.assignment.clone();
        self.assume(terms, clause, witness);
    }

    /// The assignment with a value for a symbol that is in no clause.
    pub fn learn(&mut self, symbol: SymbolId, value: Bits) {
        Rc::make_mut(&mut self.assignment).values.insert(symbol, value);
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        for &clause in self.clauses.iter() {
            tracer.term(clause);
        }
    }
}

/// The parts of a conjunction, in order, without `true`. A clause that is not a conjunction is its only part.
pub(crate) fn conjuncts(terms: &Terms, clause: TermId) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut stack = vec![clause];
    while let Some(t) = stack.pop() {
        match terms.op(t) {
            Op::And => stack.extend(terms.children(t).iter().rev()),
            _ if terms.is_true(t) => {}
            _ => parts.push(t),
        }
    }
    parts
}

/// The same, also of what denies a disjunction.
pub(crate) fn clauses_of(terms: &mut Terms, clause: TermId) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut stack = vec![clause];
    while let Some(t) = stack.pop() {
        match (terms.op(t), terms.children(t)) {
            (Op::And, parts) => stack.extend(parts.iter().rev()),
            (Op::Not, &[inner]) if terms.op(inner) == Op::Or => {
                let denied = terms.children(inner).to_vec();
                stack.extend(denied.into_iter().rev().map(|part| terms.not(part)));
            }
            _ if terms.is_true(t) => {}
            _ => parts.push(t),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;

    #[test]
    fn splits_conjunctions_and_drops_what_is_known() {
        let mut bench = Bench::new();
        let (x, y) = (bench.symbol("x", 8), bench.symbol("y", 8));
        let terms = &mut bench.terms;
        let one = terms.constant(8, 1);
        let (a, b) = (terms.ult(x, y), terms.ult(one, y));
        let both = terms.and(a, b);
        let mut path = PathCondition::new();
        let yes = terms.tru();
        path.assume(terms, yes, Rc::default());
        assert!(path.clauses().is_empty());
        path.assume(terms, b, Rc::default());
        let fork = path.clone();
        path.assume(terms, both, Rc::default());
        assert_eq!(path.clauses(), [b, a]);
        assert_eq!(fork.clauses(), [b]);
        let (not_a, not_b) = (terms.not(a), terms.not(b));
        let either = terms.or(not_a, not_b);
        let neither = terms.not(either);
        let mut path = PathCondition::new();
        path.assume(terms, neither, Rc::default());
        assert_eq!(path.clauses().len(), 2);
    }
}
