//! Members of families: many objects with one base, made by a loop (*Symbolic Memory with Pointers*, section 3:
//! negative segments).
//!
//! A pointer into one is `Base(b) + Member(index) + offset`. The paper keeps segment and offset apart; here they are
//! summands of one term, and `Member` is opaque to the rules for sums, so that an offset never becomes another index,
//! however large it is. A pointer without a `Member` is into member 0.

use crate::flags::Flags;
use crate::{Op, TermId, Terms};
use rustc_hash::FxHashMap;

impl Terms {
    /// The distance of the member with this number from the first, where members are `1 << shift` bytes apart.
    pub fn member(&mut self, index: TermId, shift: u32) -> TermId {
        let shift = self.constant(self.width(index), shift.into());
        self.member_at(index, shift)
    }

    pub(crate) fn member_at(&mut self, index: TermId, shift: TermId) -> TermId {
        match self.as_const(index) {
            Some(0) => index,
            _ => self.mk(Op::Member, self.width(index), &[index, shift]),
        }
    }

    pub fn has_member(&self, t: TermId) -> bool {
        self.flags(t).has(Flags::MEMBER)
    }

    /// The number of the member that a distance from the base of a family belongs to, and the offset in that member.
    /// `None`: the term does not determine the member (members were multiplied, or several added).
    pub fn split_member(&mut self, distance: TermId) -> Option<(TermId, TermId)> {
        let zero = self.constant(self.width(distance), 0);
        let mut known: FxHashMap<TermId, (TermId, TermId)> = FxHashMap::default();
        let mut stack = vec![distance];
        while let Some(&t) = stack.last() {
            if known.contains_key(&t) {
                stack.pop();
                continue;
            }
            let carriers = self.carriers(t)?;
            let missing: Vec<TermId> = carriers.into_iter().filter(|part| !known.contains_key(part)).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let children = self.children(t).to_vec();
            let parts = match self.op(t) {
                _ if !self.has_member(t) => (zero, t),
                Op::Member => (children[0], zero),
                Op::Add => {
                    let carrier = children
                        .iter()
                        .find(|&&part| self.has_member(part))
                        .expect("it has one");
                    let (index, inner) = known[carrier];
                    let rest = self.sub(t, *carrier);
                    (index, self.add(inner, rest))
                }
                Op::Ite => {
                    let (yes, no) = (known[&children[1]], known[&children[2]]);
                    (self.ite(children[0], yes.0, no.0), self.ite(children[0], yes.1, no.1))
                }
                Op::Lookup(table) => {
                    let entries = self.table(table).to_vec();
                    let other = known[&children[1]];
                    let indices: Vec<_> = entries.iter().map(|&(key, part)| (key, known[&part].0)).collect();
                    let inners: Vec<_> = entries.iter().map(|&(key, part)| (key, known[&part].1)).collect();
                    let index = self.lookup(children[0], &indices, other.0);
                    (index, self.lookup(children[0], &inners, other.1))
                }
                op => unreachable!("{op:?} has no carriers"),
            };
            known.insert(t, parts);
            stack.pop();
        }
        Some(known[&distance])
    }

    /// The parts of a distance that determine the member it belongs to.
    fn carriers(&self, t: TermId) -> Option<Vec<TermId>> {
        let children = self.children(t);
        if !self.has_member(t) {
            return Some(Vec::new());
        }
        match self.op(t) {
            Op::Member if !self.has_member(children[0]) => Some(Vec::new()),
            Op::Add => {
                let carriers: Vec<TermId> = children.iter().copied().filter(|&part| self.has_member(part)).collect();
                (carriers.len() == 1).then_some(carriers)
            }
            Op::Ite => Some(children[1..].to_vec()),
            Op::Lookup(table) => {
                let entries = self.table(table).iter().map(|&(_, part)| part);
                Some(entries.chain([children[1]]).collect())
            }
            _ => None,
        }
    }

    /// The same number with members as products, for code that counts bytes from the base: what it is added to is
    /// inside a member.
    pub fn flatten_members(&mut self, mut t: TermId) -> TermId {
        // Repeats while an index is itself computed from members.
        while self.has_member(t) {
            t = self.substitute(t, &mut |terms, part| match (terms.op(part), terms.children(part)) {
                (Op::Member, &[index, shift]) => Some(terms.shl(index, shift)),
                _ => (!terms.has_member(part)).then_some(part),
            });
        }
        t
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::input;
    use crate::{BaseInfo, BaseKind};

    /// Section 3 returns (γ - φ + 1) : 0; its neighbours are other segments at offset 0, and no offset leads from one
    /// to the other.
    #[test]
    fn an_offset_of_a_whole_stride_stays_an_offset() {
        let mut terms = Terms::new(64);
        let base = terms.base_id(BaseInfo {
            kind: BaseKind::Heap,
            site: 1,
            align: 16,
            n: 0,
        });
        let (i, c) = (input(&mut terms, "i", 64), input(&mut terms, "c", 1));
        let stride = terms.constant(64, 32);
        for index in [i, terms.constant(64, 3), terms.constant(64, 0)] {
            let start = terms.member(index, 5);
            let p = terms.pointer(base, start);
            let beyond = terms.add(p, stride);
            let (_, distance) = terms.split_pointer(beyond).unwrap();
            assert_eq!(terms.split_member(distance), Some((index, stride)));
        }
        // A choice between members is a choice of the index.
        let (three, four) = (terms.constant(64, 3), terms.constant(64, 4));
        let (at_i, at_three) = (terms.member(i, 5), terms.member(three, 5));
        let further = terms.add(at_three, four);
        let either = terms.ite(c, at_i, further);
        let sum = terms.add(either, stride);
        let (index, inner) = terms.split_member(sum).unwrap();
        assert_eq!(index, terms.ite(c, i, three));
        let (near, far) = (terms.constant(64, 32), terms.constant(64, 36));
        assert_eq!(inner, terms.ite(c, near, far));
        // The difference of two members belongs to no member.
        let apart = terms.sub(at_i, at_three);
        assert_eq!(terms.split_member(apart), None);
        let product = terms.mul(i, stride);
        let bytes = terms.constant(64, 96);
        let distance = terms.sub(product, bytes);
        assert_eq!(terms.flatten_members(apart), distance);
    }
}
