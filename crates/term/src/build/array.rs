//! Arrays: reads over known writes are resolved.

use crate::{Op, TermId, Terms};

/// How many writes a read looks through.
const MAX_STEPS: usize = 1000;

impl Terms {
    pub fn const_array(&mut self, index_width: u32, value: TermId) -> TermId {
        assert!((1..=64).contains(&index_width), "array index of {index_width} bits");
        let width = self.width(value);
        self.intern(Op::ConstArray, width, index_width, [value].into_iter().collect())
    }

    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let node = self.node(array);
        assert!(
            node.index_width == self.width(index),
            "select with an index of another width"
        );
        let width = node.width;
        let mut from = array;
        for _ in 0..MAX_STEPS {
            match (self.op(from), self.children(from)) {
                (Op::Store, &[_, at, value]) if at == index => return value,
                (Op::Store, &[below, at, _]) if self.surely_different(at, index) => from = below,
                (Op::ConstArray, &[value]) => return value,
                _ => break,
            }
        }
        if let (Op::Ite, &[c, a, b]) = (self.op(from), self.children(from))
            && let Some(t) = self.select_from_choice(c, a, b, index)
        {
            return t;
        }
        self.mk(Op::Select, width, &[from, index])
    }

    /// Enters a choice between arrays if that decides one side.
    fn select_from_choice(&mut self, c: TermId, a: TermId, b: TermId, index: TermId) -> Option<TermId> {
        self.rewrite_within(4, |terms| {
            let (x, y) = (terms.select(a, index), terms.select(b, index));
            let known = |t: TermId| terms.op(t) != Op::Select;
            (known(x) || known(y)).then(|| terms.ite(c, x, y))
        })
        .flatten()
    }

    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let node = self.node(array);
        assert!(
            node.index_width == self.width(index) && node.width == self.width(value),
            "store of an index or a value of another width"
        );
        let (width, index_width) = (node.width, node.index_width);
        match (self.op(array), self.children(array)) {
            (Op::Store, &[below, at, _]) if at == index => return self.store(below, index, value),
            (Op::ConstArray, &[same]) if same == value => return array,
            _ => {}
        }
        if let (Op::Select, &[from, at]) = (self.op(value), self.children(value))
            && (from, at) == (array, index)
        {
            return array;
        }
        self.intern(
            Op::Store,
            width,
            index_width,
            [array, index, value].into_iter().collect(),
        )
    }

    /// Whether two terms differ under every assignment, by a cheap test that builds no term.
    pub fn surely_different(&self, a: TermId, b: TermId) -> bool {
        if self.width(a) <= 64 && self.facts(a).differ(self.facts(b)) {
            return true;
        }
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            return x != y;
        }
        // The same sum with different constants.
        let split = |t: TermId| {
            let own = self.children(t);
            match own {
                [rest @ .., last] if self.op(t) == Op::Add && self.is_const(*last) => (rest, Some(*last)),
                _ if self.op(t) == Op::Add => (own, None),
                _ => (&[] as &[TermId], None),
            }
        };
        let ((mut x, c), (mut y, d)) = (split(a), split(b));
        let (own_a, own_b) = ([a], [b]);
        if x.is_empty() {
            x = &own_a;
        }
        if y.is_empty() {
            y = &own_b;
        }
        x == y && c != d
    }
}
