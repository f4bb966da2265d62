//! Adjacent parts of pointers: the pointers of a table of records that was copied byte by byte are whole again.
//!
//! Each byte of such a word is a choice between bytes of pointers, and all bytes make the same choice. So the word is
//! that choice between whole pointers, provided that the parts of every case belong together; otherwise the word stays
//! bits, as it was written.

use crate::{Op, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More pairs of cases than this are left alone.
const MAX_PAIRS: usize = 1 << 12;

type Pair = (TermId, TermId);

/// How the choices of two terms coincide, if they do.
enum Alike {
    Choice {
        condition: TermId,
        arms: [Pair; 2],
    },
    Table {
        index: TermId,
        entries: Vec<(u64, Pair)>,
        default: Pair,
    },
    No,
}

impl Terms {
    /// Joins two neighbouring parts, if some case of them is a part of a pointer.
    pub(super) fn concat_cases(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        if matches!(self.alike((high, low)), Alike::No) {
            return None;
        }
        self.rewrite(|terms| terms.join_cases((high, low)))?
    }

    fn join_cases(&mut self, all: Pair) -> Option<TermId> {
        let mut done: FxHashMap<Pair, TermId> = FxHashMap::default();
        let mut stack = vec![all];
        while let Some(&pair) = stack.last() {
            if done.contains_key(&pair) {
                stack.pop();
                continue;
            }
            if done.len() + stack.len() > MAX_PAIRS {
                return None;
            }
            let waiting = stack.len();
            let joined = match self.alike(pair) {
                Alike::No => Some(self.join_whole(pair)?),
                Alike::Choice { condition, arms } => {
                    stack.extend(arms.iter().filter(|arm| !done.contains_key(arm)));
                    (stack.len() == waiting).then(|| self.ite(condition, done[&arms[0]], done[&arms[1]]))
                }
                Alike::Table {
                    index,
                    entries,
                    default,
                } => {
                    let arms = entries.iter().map(|(_, arm)| arm).chain([&default]);
                    stack.extend(arms.filter(|arm| !done.contains_key(arm)));
                    (stack.len() == waiting).then(|| {
                        let entries: Vec<_> = entries.iter().map(|(key, arm)| (*key, done[arm])).collect();
                        self.lookup(index, &entries, done[&default])
                    })
                }
            };
            if let Some(joined) = joined {
                stack.pop();
                done.insert(pair, joined);
            }
        }
        Some(done[&all])
    }

    /// One case: numbers, or parts of one pointer that belong together.
    fn join_whole(&mut self, (high, low): Pair) -> Option<TermId> {
        if self.chooses_pointers(high) || self.chooses_pointers(low) {
            return None;
        }
        let is_number = !self.has_base(high) && !self.has_base(low);
        let whole = self.concat(high, low);
        (is_number || !matches!(self.op(whole), Op::Concat | Op::ZExt)).then_some(whole)
    }

    fn chooses_pointers(&self, t: TermId) -> bool {
        self.has_base(t) && matches!(self.op(t), Op::Ite | Op::Lookup(_))
    }

    /// A number beside a choice is the same number beside each of its cases.
    fn alike(&self, (high, low): Pair) -> Alike {
        if !self.has_base(high) && !self.has_base(low) {
            return Alike::No;
        }
        match (self.op(high), self.op(low)) {
            (Op::Ite, Op::Ite) => {
                let (h, l) = (self.children(high), self.children(low));
                match h[0] == l[0] {
                    true => Alike::Choice {
                        condition: h[0],
                        arms: [(h[1], l[1]), (h[2], l[2])],
                    },
                    false => Alike::No,
                }
            }
            (Op::Ite, Op::Const) => {
                let h = self.children(high);
                Alike::Choice {
                    condition: h[0],
                    arms: [(h[1], low), (h[2], low)],
                }
            }
            (Op::Const, Op::Ite) => {
                let l = self.children(low);
                Alike::Choice {
                    condition: l[0],
                    arms: [(high, l[1]), (high, l[2])],
                }
            }
            (Op::Lookup(upper), Op::Lookup(lower)) => {
                let (h, l) = (self.children(high), self.children(low));
                if h[0] != l[0] {
                    return Alike::No;
                }
                let default = (h[1], l[1]);
                let mut entries: BTreeMap<u64, Pair> = BTreeMap::new();
                for &(key, part) in self.table(upper) {
                    entries.entry(key).or_insert(default).0 = part;
                }
                for &(key, part) in self.table(lower) {
                    entries.entry(key).or_insert(default).1 = part;
                }
                Alike::Table {
                    index: h[0],
                    entries: entries.into_iter().collect(),
                    default,
                }
            }
            (Op::Lookup(upper), Op::Const) => {
                let h = self.children(high);
                let entries = self
                    .table(upper)
                    .iter()
                    .map(|&(key, part)| (key, (part, low)))
                    .collect();
                Alike::Table {
                    index: h[0],
                    entries,
                    default: (h[1], low),
                }
            }
            (Op::Const, Op::Lookup(lower)) => {
                let l = self.children(low);
                let entries = self
                    .table(lower)
                    .iter()
                    .map(|&(key, part)| (key, (high, part)))
                    .collect();
                Alike::Table {
                    index: l[0],
                    entries,
                    default: (high, l[1]),
                }
            }
            _ => Alike::No,
        }
    }
}
