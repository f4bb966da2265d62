//! Pointers: terms of pointer width that are base + offset, or choices between such terms.
//!
//! Constructors keep choices outermost: adding to an `Ite` or a `Lookup` over pointers adds at its leaves. `cases`
//! reads the candidates off the term; neither a solver nor an address is involved.

use crate::flags::Flags;
use crate::{BaseId, Bits, Op, TermId, Terms};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// One way to read a pointer: where `guard` holds, it is `base + offset`. Without a base, `offset` is the term itself.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub guard: TermId,
    pub base: Option<BaseId>,
    pub offset: TermId,
}

/// Entries of a table that share a base (then `members` has their offsets), or that share one target without a base.
struct Group {
    base: Option<BaseId>,
    target: TermId,
    members: Vec<(u64, TermId)>,
}

impl Terms {
    pub fn pointer(&mut self, b: BaseId, offset: TermId) -> TermId {
        let base = self.base(b);
        self.add(base, offset)
    }

    /// The base of a sum: the only summand that is one. Sums with multiples of bases, or with several, have none.
    pub(crate) fn sum_base(&self, summands: &[TermId]) -> Option<BaseId> {
        let mut base = None;
        for &t in summands {
            match (self.op(t), self.children(t)) {
                (Op::Base(b), _) if base.replace(b).is_some() => return None,
                (Op::Mul, &[x, _]) if matches!(self.op(x), Op::Base(_)) => return None,
                _ => {}
            }
        }
        base
    }

    /// The base of a pointer that is not a choice.
    pub(crate) fn sole_base(&self, t: TermId) -> Option<BaseId> {
        match self.op(t) {
            Op::Base(b) => Some(b),
            Op::Add if self.width(t) == self.pointer_width => self.sum_base(self.children(t)),
            _ => None,
        }
    }

    /// The base that pointers which are not choices have in common, if there is one: a choice between them is that base
    /// and a choice between offsets, so that differences are numbers.
    pub(crate) fn common_base(&mut self, mut pointers: impl Iterator<Item = TermId>) -> Option<TermId> {
        let base = self.sole_base(pointers.next()?)?;
        let is_common = pointers.all(|t| self.sole_base(t) == Some(base));
        is_common.then(|| self.base(base))
    }

    /// Base and offset of a pointer that is not a choice.
    pub fn split_pointer(&mut self, t: TermId) -> Option<(BaseId, TermId)> {
        let b = self.sole_base(t)?;
        let base = self.base(b);
        Some((b, self.sub(t, base)))
    }

    /// Whether bases occur in a term only as what it points to, never inside numbers.
    pub fn is_pointer(&mut self, t: TermId) -> bool {
        self.width(t) == self.pointer_width && self.cases(t).iter().all(|case| !self.has_base(case.offset))
    }

    /// The bases that a term of pointer width can have, with disjoint and covering guards, none of them literally
    /// false. Cases are in the order in which the term mentions them. A term that uses bases in another way (masked,
    /// multiplied …) is one case without a base.
    pub fn cases(&mut self, t: TermId) -> Rc<[Case]> {
        if let Some(known) = self.cases.get(&t) {
            return known.clone();
        }
        let leaves = self.pointer_leaves(t);
        let cases: Rc<[Case]> = self.merge_cases(leaves).into();
        self.cases.insert(t, cases.clone());
        cases
    }

    /// The choices of the pointer `t` with `f(base, offset)` in place of each leaf, which may have another width.
    pub fn map_pointer(
        &mut self,
        t: TermId,
        f: &mut dyn FnMut(&mut Terms, Option<BaseId>, TermId) -> TermId,
    ) -> TermId {
        let (tree, addend) = self.opaque_sum(t);
        self.map_tree(tree, &mut |terms, leaf| {
            let (base, offset) = match terms.split_pointer(leaf) {
                Some((base, offset)) => (Some(base), offset),
                None => (None, leaf),
            };
            let offset = addend.map_or(offset, |addend| terms.add(offset, addend));
            f(terms, base, offset)
        })
    }

    /// The leaves of the choices in `t`, each with the condition under which it is taken.
    ///
    /// Choices are visited from the root downwards, a shared one only after all that mention it, so the conditions of a
    /// leaf are collected in one guard and the work is linear in the number of nodes.
    fn pointer_leaves(&mut self, t: TermId) -> Vec<Case> {
        let (tree, addend) = self.opaque_sum(t);
        let order = self.choices_topological(tree);
        let mut guards: FxHashMap<TermId, TermId> = FxHashMap::default();
        guards.insert(tree, self.tru);
        let mut leaves: Vec<TermId> = Vec::new();
        let mut cases = Vec::new();
        for node in order {
            let guard = guards[&node];
            match self.op(node) {
                Op::Ite if self.is_choice(node) => {
                    let (c, a, b) = (self.children(node)[0], self.children(node)[1], self.children(node)[2]);
                    let not_c = self.not(c);
                    self.reach(&mut guards, guard, c, a);
                    self.reach(&mut guards, guard, not_c, b);
                }
                Op::Lookup(_) if self.is_choice(node) => self.reach_entries(&mut guards, &mut cases, guard, node),
                _ => leaves.push(node),
            }
        }
        for leaf in leaves {
            let guard = guards[&leaf];
            let (base, offset) = match self.split_pointer(leaf) {
                Some((base, offset)) => (Some(base), offset),
                None => (None, leaf),
            };
            cases.push(Case { guard, base, offset });
        }
        if let Some(addend) = addend {
            for case in &mut cases {
                case.offset = self.add(case.offset, addend);
            }
        }
        cases.retain(|case| case.guard != self.fls);
        cases
    }

    /// A sum over a choice that was too large for the constructors to enter: the choice, and what is added to each
    /// leaf.
    fn opaque_sum(&mut self, t: TermId) -> (TermId, Option<TermId>) {
        if self.op(t) != Op::Add || self.width(t) != self.pointer_width || self.flags(t).has(Flags::POINTER) {
            return (t, None);
        }
        let mut choices = self.children(t).iter().copied().filter(|&c| self.is_choice(c));
        match (choices.next(), choices.next()) {
            (Some(tree), None) => {
                let rest = self.add_scaled(t, tree, &Bits::ones(self.pointer_width));
                (tree, Some(rest))
            }
            _ => (t, None),
        }
    }

    fn is_choice(&self, t: TermId) -> bool {
        matches!(self.op(t), Op::Ite | Op::Lookup(_)) && self.flags(t).has(Flags::POINTER)
    }

    /// Choices and leaves below `tree`, every node before those it mentions.
    fn choices_topological(&self, tree: TermId) -> Vec<TermId> {
        enum Step {
            Enter(TermId),
            Leave(TermId),
        }
        let mut seen: rustc_hash::FxHashSet<TermId> = Default::default();
        let mut post = Vec::new();
        let mut stack = vec![Step::Enter(tree)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Leave(t) => post.push(t),
                Step::Enter(t) => {
                    if !seen.insert(t) {
                        continue;
                    }
                    stack.push(Step::Leave(t));
                    if self.is_choice(t) {
                        stack.extend(self.children(t)[1..].iter().map(|&c| Step::Enter(c)));
                        if let Op::Lookup(table) = self.op(t) {
                            stack.extend(self.table(table).iter().rev().map(|&(_, c)| Step::Enter(c)));
                        }
                    }
                }
            }
        }
        post.reverse();
        post
    }

    /// `node` is also reached where `guard` and `condition` hold.
    fn reach(&mut self, guards: &mut FxHashMap<TermId, TermId>, guard: TermId, condition: TermId, node: TermId) {
        let here = self.and(guard, condition);
        let known = guards.get(&node).copied().unwrap_or(self.fls);
        let all = self.or(known, here);
        guards.insert(node, all);
    }

    /// Entries of a table: equal targets have one guard, and the pointers with one base become one case whose offset is
    /// a table.
    fn reach_entries(
        &mut self,
        guards: &mut FxHashMap<TermId, TermId>,
        cases: &mut Vec<Case>,
        guard: TermId,
        node: TermId,
    ) {
        let (index, default) = (self.children(node)[0], self.children(node)[1]);
        let Op::Lookup(table) = self.op(node) else {
            unreachable!("called for lookups")
        };
        let entries = self.table_data(table).entries.clone();
        let mut groups: Vec<Group> = Vec::new();
        let mut group_of: FxHashMap<(Option<BaseId>, TermId), usize> = FxHashMap::default();
        for &(key, target) in entries.iter() {
            // One group per base; targets without a base are grouped only if they are equal.
            let (base, value) = match self.split_pointer(target) {
                Some((base, offset)) => (Some(base), offset),
                None => (None, target),
            };
            let id = (base, if base.is_some() { self.tru } else { target });
            let at = *group_of.entry(id).or_insert_with(|| {
                groups.push(Group {
                    base,
                    target,
                    members: Vec::new(),
                });
                groups.len() - 1
            });
            groups[at].members.push((key, value));
        }
        let (tru, fls) = (self.tru, self.fls);
        for Group { base, target, members } in groups {
            let set: Vec<_> = members.iter().map(|&(k, _)| (k, tru)).collect();
            let condition = self.lookup(index, &set, fls);
            match base {
                Some(_) => {
                    let offset = self.lookup(index, &members, members[0].1);
                    let guard = self.and(guard, condition);
                    cases.push(Case { guard, base, offset });
                    // The case covers these entries: they are not leaves of their own.
                    for &(key, _) in &members {
                        let target = entries[entries.binary_search_by_key(&key, |e| e.0).expect("a key")].1;
                        guards.entry(target).or_insert(fls);
                    }
                }
                None => self.reach(guards, guard, condition, target),
            }
        }
        let set: Vec<_> = entries.iter().map(|&(k, _)| (k, fls)).collect();
        let elsewhere = self.lookup(index, &set, tru);
        self.reach(guards, guard, elsewhere, default);
    }

    /// Merges cases with the same base; without a base, cases that are the same term.
    fn merge_cases(&mut self, leaves: Vec<Case>) -> Vec<Case> {
        let mut merged: Vec<Case> = Vec::new();
        let mut at: FxHashMap<(Option<BaseId>, TermId), usize> = FxHashMap::default();
        for case in leaves {
            let id = (case.base, if case.base.is_some() { self.tru } else { case.offset });
            match at.get(&id) {
                Some(&i) => {
                    let known = merged[i];
                    merged[i].offset = self.ite(case.guard, case.offset, known.offset);
                    merged[i].guard = self.or(known.guard, case.guard);
                }
                None => {
                    at.insert(id, merged.len());
                    merged.push(case);
                }
            }
        }
        merged
    }
}
