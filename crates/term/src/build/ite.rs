//! If-then-else, and mapping a function over the leaves of a tree of choices.

use crate::flags::Flags;
use crate::{Bits, Op, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Trees with more leaves than this are left alone by rules that would copy them.
const MAX_LEAVES: u16 = 1024;

impl Terms {
    pub fn ite(&mut self, c: TermId, t: TermId, e: TermId) -> TermId {
        assert!(self.width(c) == 1 && self.sort(t) == self.sort(e), "ill-sorted ite");
        if c == self.tru || t == e {
            return t;
        }
        if c == self.fls {
            return e;
        }
        if let (Op::Not, &[d]) = (self.op(c), self.children(c)) {
            return self.ite(d, e, t);
        }
        let width = self.width(t);
        let index_width = self.node(t).index_width;
        if index_width == 0 {
            if width == 1 {
                if let Some(t) = self.ite_boolean(c, t, e) {
                    return t;
                }
            } else if let Some(t) = self.ite_extension(c, t, e, width) {
                return t;
            }
        }
        if let Some(base) = self.common_base([t, e].into_iter()) {
            let (t, e) = (self.sub(t, base), self.sub(e, base));
            let offset = self.ite(c, t, e);
            return self.add(base, offset);
        }
        if let Some(t) = self.rewrite(|terms| terms.ite_nested(c, t, e)).flatten() {
            return t;
        }
        self.intern(Op::Ite, width, index_width, [c, t, e].into_iter().collect())
    }

    fn ite_boolean(&mut self, c: TermId, t: TermId, e: TermId) -> Option<TermId> {
        let (tru, fls) = (self.tru, self.fls);
        if t == tru || t == c {
            return Some(self.or(c, e));
        }
        if e == fls || e == c {
            return Some(self.and(c, t));
        }
        if t == fls || self.complementary(t, c) {
            let not_c = self.not(c);
            return Some(self.and(not_c, e));
        }
        if e == tru || self.complementary(e, c) {
            let not_c = self.not(c);
            return Some(self.or(not_c, t));
        }
        if self.complementary(t, e) {
            let differ = self.xor(c, t);
            return Some(self.not(differ));
        }
        None
    }

    /// `c ? 1 : 0` and `c ? -1 : 0` are extensions of the condition.
    fn ite_extension(&mut self, c: TermId, t: TermId, e: TermId, width: u32) -> Option<TermId> {
        let (x, y) = (self.as_bits(t)?, self.as_bits(e)?);
        let (c, x) = match (x.is_zero(), y.is_zero()) {
            (false, true) => (c, x),
            (true, false) => (self.not(c), y),
            _ => return None,
        };
        if x.is_one() {
            Some(self.mk(Op::ZExt, width, &[c]))
        } else if x.is_ones() {
            Some(self.mk(Op::SExt, width, &[c]))
        } else {
            None
        }
    }

    fn ite_nested(&mut self, c: TermId, t: TermId, e: TermId) -> Option<TermId> {
        // The same condition below is already decided.
        let (then, other) = (self.assume_condition(t, c, true), self.assume_condition(e, c, false));
        if (then, other) != (t, e) {
            return Some(self.ite(c, then, other));
        }
        if let (Op::Ite, &[d, a, b]) = (self.op(e), self.children(e)) {
            if a == t {
                let either = self.or(c, d);
                return Some(self.ite(either, t, b));
            }
            if b == t {
                let not_c = self.not(c);
                let both = self.and(not_c, d);
                return Some(self.ite(both, a, t));
            }
        }
        if let (Op::Ite, &[d, a, b]) = (self.op(t), self.children(t)) {
            if b == e {
                let both = self.and(c, d);
                return Some(self.ite(both, a, e));
            }
            if a == e {
                let not_d = self.not(d);
                let both = self.and(c, not_d);
                return Some(self.ite(both, b, e));
            }
        }
        // x = k ? k : x
        if let (Op::Eq, &[x, k]) = (self.op(c), self.children(c))
            && ((t, e) == (k, x) || (t, e) == (x, k))
        {
            return Some(e);
        }
        self.ite_of_extensions(c, t, e).or_else(|| self.ite_into_table(c, t, e))
    }

    /// A choice between extensions (or an extension and a constant that is one) is an extension of a choice.
    fn ite_of_extensions(&mut self, c: TermId, t: TermId, e: TermId) -> Option<TermId> {
        let wide = self.width(t);
        let (op, inner) = match (self.op(t), self.op(e)) {
            (op @ (Op::ZExt | Op::SExt), other) if other == op || other == Op::Const => (op, self.children(t)[0]),
            (Op::Const, op @ (Op::ZExt | Op::SExt)) => (op, self.children(e)[0]),
            _ => return None,
        };
        let width = self.width(inner);
        let fits = |terms: &Terms, arm: TermId| match terms.as_bits(arm) {
            Some(bits) if op == Op::ZExt => bits.bit_length() <= width,
            Some(bits) => bits.extract(0, width).sext(wide) == bits,
            None => terms.width(terms.children(arm)[0]) == width,
        };
        if !fits(self, t) || !fits(self, e) {
            return None;
        }
        let (x, y) = (self.extract(t, 0, width), self.extract(e, 0, width));
        let choice = self.ite(c, x, y);
        Some(if op == Op::ZExt {
            self.zext(choice, wide)
        } else {
            self.sext(choice, wide)
        })
    }

    /// The arm of `t` that is taken when `c` has the given value, if `t` is a choice on `c`.
    fn assume_condition(&self, t: TermId, c: TermId, value: bool) -> TermId {
        match (self.op(t), self.children(t)) {
            (Op::Ite, &[d, a, b]) if d == c => {
                if value {
                    a
                } else {
                    b
                }
            }
            _ => t,
        }
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// `f` applied to the leaves of a tree of `Ite` and `Lookup`, each shared node once. `None` if the tree is too
    /// large.
    pub(crate) fn map_leaves(
        &mut self,
        tree: TermId,
        f: &mut dyn FnMut(&mut Terms, TermId) -> TermId,
    ) -> Option<TermId> {
        if self.node(tree).leaves > MAX_LEAVES && !self.has_few_nodes(tree) {
            return None;
        }
        self.rewrite(|terms| terms.map_tree(tree, f))
    }

    /// Many leaves may be few shared nodes: merged paths make such trees.
    fn has_few_nodes(&self, tree: TermId) -> bool {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = vec![tree];
        while let Some(t) = stack.pop() {
            if !self.is_tree(t) || !seen.insert(t) {
                continue;
            }
            stack.extend_from_slice(&self.children(t)[1..]);
            if let Op::Lookup(table) = self.op(t) {
                stack.extend(self.table(table).iter().map(|&(_, c)| c));
            }
            if seen.len() + stack.len() > usize::from(MAX_LEAVES) {
                return false;
            }
        }
        true
    }

    pub(crate) fn map_tree(&mut self, tree: TermId, f: &mut dyn FnMut(&mut Terms, TermId) -> TermId) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut stack = vec![tree];
        while let Some(&t) = stack.last() {
            if done.contains_key(&t) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            let inner = self.is_tree(t);
            if inner {
                let arms = &self.children(t)[1..];
                stack.extend(arms.iter().filter(|c| !done.contains_key(c)));
                if let Op::Lookup(table) = self.op(t) {
                    stack.extend(
                        self.table(table)
                            .iter()
                            .map(|&(_, c)| c)
                            .filter(|c| !done.contains_key(c)),
                    );
                }
                if stack.len() > waiting {
                    continue;
                }
            }
            stack.pop();
            let mapped = match self.op(t) {
                Op::Ite if inner => {
                    let (c, a, b) = (self.children(t)[0], self.children(t)[1], self.children(t)[2]);
                    self.ite(c, done[&a], done[&b])
                }
                Op::Lookup(table) if inner => {
                    let (index, default) = (self.children(t)[0], self.children(t)[1]);
                    let entries: Vec<_> = self.table(table).iter().map(|&(k, c)| (k, done[&c])).collect();
                    self.lookup(index, &entries, done[&default])
                }
                Op::ZExt | Op::SExt if self.width(self.children(t)[0]) == 1 => {
                    let (c, width) = (self.children(t)[0], self.width(t));
                    let ones = Bits::ones(1);
                    let set = if self.op(t) == Op::ZExt {
                        ones.zext(width)
                    } else {
                        ones.sext(width)
                    };
                    let (set, zero) = (self.constant_bits(&set), self.constant(width, 0));
                    let (set, zero) = (f(self, set), f(self, zero));
                    self.ite(c, set, zero)
                }
                Op::Extract { low, .. } if self.flags(t).has(Flags::CONST) => {
                    let (whole, width) = (self.children(t)[0], self.width(t));
                    self.map_tree(whole, &mut |terms, leaf| {
                        let part = terms.extract(leaf, low, width);
                        f(terms, part)
                    })
                }
                _ => f(self, t),
            };
            done.insert(t, mapped);
        }
        done[&tree]
    }

    /// Whether `t` is an inner node of a tree of constants or pointers.
    fn is_tree(&self, t: TermId) -> bool {
        let flags = self.flags(t);
        matches!(self.op(t), Op::Ite | Op::Lookup(_)) && (flags.has(Flags::CONST) || flags.has(Flags::POINTER))
    }

    /// A function of constants applied to the leaves of a tree of constants.
    pub(crate) fn map_constants(&mut self, tree: TermId, f: impl Fn(&Bits) -> Bits) -> Option<TermId> {
        self.map_leaves(tree, &mut |terms, leaf| {
            let value = terms.as_bits(leaf).expect("all leaves are constants");
            terms.constant_bits(&f(&value))
        })
    }
}
