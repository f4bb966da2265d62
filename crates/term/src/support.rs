//! Sets of symbols and bases, computed when first asked for.

use crate::{BaseId, Op, SymbolId, TableId, TermId, Terms};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The free symbols and the bases of a term, sorted.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Support {
    pub symbols: Vec<SymbolId>,
    pub bases: Vec<BaseId>,
}

impl Terms {
    /// The free symbols, sorted by id.
    pub fn symbols(&self, t: TermId) -> &[SymbolId] {
        &self.support(t).symbols
    }

    /// The bases, sorted by id.
    pub fn bases(&self, t: TermId) -> &[BaseId] {
        &self.support(t).bases
    }

    pub(crate) fn support(&self, t: TermId) -> &Support {
        if let Some(support) = self.node(t).support.get() {
            return support;
        }
        let support = self.compute_support(t);
        self.node(t).support.get_or_init(|| support)
    }

    /// Walks down to nodes whose sets are known. Only the root's set is kept: keeping one for every node would be
    /// quadratic.
    fn compute_support(&self, root: TermId) -> Rc<Support> {
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut tables: FxHashSet<TableId> = FxHashSet::default();
        let mut symbols: FxHashSet<SymbolId> = FxHashSet::default();
        let mut bases: FxHashSet<BaseId> = FxHashSet::default();
        let mut largest: Option<&Rc<Support>> = None;
        let mut stack = vec![root];
        while let Some(t) = stack.pop() {
            let node = self.node(t);
            if !node.flags.has_leaves() || !seen.insert(t) {
                continue;
            }
            if let Some(known) = node.support.get() {
                symbols.extend(&known.symbols);
                bases.extend(&known.bases);
                if largest.is_none_or(|l| l.symbols.len() + l.bases.len() < known.symbols.len() + known.bases.len()) {
                    largest = Some(known);
                }
                continue;
            }
            match node.op {
                Op::Symbol(s) => {
                    symbols.insert(s);
                }
                Op::Base(b) => {
                    bases.insert(b);
                }
                Op::Forall(bound) => {
                    stack.push(node.children[0]);
                    let body = self.support(node.children[1]);
                    symbols.extend(body.symbols.iter().filter(|&&s| s != bound));
                    bases.extend(&body.bases);
                }
                Op::Lookup(table) => {
                    stack.extend(&node.children);
                    if tables.insert(table) {
                        stack.extend(self.table(table).iter().map(|&(_, t)| t));
                    }
                }
                _ => stack.extend(&node.children),
            }
        }
        if let Some(same) = largest
            && same.symbols.len() == symbols.len()
            && same.bases.len() == bases.len()
        {
            return same.clone();
        }
        let mut support = Support {
            symbols: symbols.into_iter().collect(),
            bases: bases.into_iter().collect(),
        };
        support.symbols.sort_unstable();
        support.bases.sort_unstable();
        Rc::new(support)
    }
}
