//! Substitution: simultaneous, memoised, re-simplifying.
//!
//! Replacements are not visited again. Bound symbols are not renamed: a replacement below a `forall` must not mention
//! its symbol.

use crate::arena::Children;
use crate::{Op, TableId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

impl Terms {
    /// `t` with every subterm replaced for which `f` returns a replacement. `f` is asked from the root downwards, and
    /// not below a replaced term.
    pub fn substitute(&mut self, t: TermId, f: &mut dyn FnMut(&mut Terms, TermId) -> Option<TermId>) -> TermId {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut asked: FxHashSet<TermId> = FxHashSet::default();
        let mut same_tables: FxHashSet<TableId> = FxHashSet::default();
        let mut stack = vec![t];
        while let Some(&next) = stack.last() {
            if done.contains_key(&next) {
                stack.pop();
                continue;
            }
            if asked.insert(next) {
                if let Some(replacement) = f(self, next) {
                    done.insert(next, replacement);
                    stack.pop();
                    continue;
                }
                let waiting = stack.len();
                stack.extend(self.children(next).iter().filter(|c| !done.contains_key(c)));
                if let Op::Lookup(table) = self.op(next)
                    && !same_tables.contains(&table)
                {
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
            let rebuilt = self.rebuild_with(next, &done, &mut same_tables);
            done.insert(next, rebuilt);
        }
        done[&t]
    }

    pub fn substitute_map(&mut self, t: TermId, map: &FxHashMap<TermId, TermId>) -> TermId {
        self.substitute(t, &mut |_, t| map.get(&t).copied())
    }

    fn rebuild_with(
        &mut self,
        t: TermId,
        done: &FxHashMap<TermId, TermId>,
        same_tables: &mut FxHashSet<TableId>,
    ) -> TermId {
        let children: Children = self.children(t).iter().map(|c| done[c]).collect();
        let mut unchanged = children[..] == *self.children(t);
        let mut entries = None;
        if let Op::Lookup(table) = self.op(t)
            && !same_tables.contains(&table)
        {
            let old = self.table(table);
            let new: Vec<_> = old.iter().map(|&(k, c)| (k, done[&c])).collect();
            if new == old {
                same_tables.insert(table);
            } else {
                unchanged = false;
                entries = Some(new);
            }
        }
        if unchanged {
            t
        } else {
            self.rebuild(t, &children, entries.as_deref())
        }
    }
}
