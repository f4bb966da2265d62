//! Garbage collection: mark and sweep without moving.
//!
//! Called at safe points: every `TermId` that will be used again must be marked. Ids of freed terms are reused. Caches
//! do not keep terms alive: their entries about dead terms are dropped. Symbols, functions and bases are never freed.

use crate::arena::Children;
use crate::{Op, TermId, Terms, Value};

/// Collects the roots. The sweep marks what they mention.
#[derive(Default)]
pub struct Tracer {
    roots: Vec<TermId>,
}

impl Tracer {
    pub fn term(&mut self, t: TermId) {
        self.roots.push(t);
    }

    pub fn value(&mut self, v: Value) {
        if let Value::Term(t) = v {
            self.roots.push(t);
        }
    }
}

impl Terms {
    /// Frees every term that is not reachable from the marked ones, and returns how many.
    pub fn collect(&mut self, mark: impl FnOnce(&mut Tracer)) -> usize {
        let mut tracer = Tracer::default();
        mark(&mut tracer);
        tracer.term(self.tru);
        tracer.term(self.fls);
        let (live, live_tables) = self.mark(tracer.roots);
        let is_live = |t: TermId| live[t.0 as usize];

        self.cases
            .retain(|&t, cases| is_live(t) && cases.iter().all(|c| is_live(c.guard) && is_live(c.offset)));
        self.wide.retain(|&t, _| is_live(t));
        self.table_ids.retain(|_, id| live_tables[id.0 as usize]);
        for (id, table) in self.tables.iter_mut().enumerate() {
            if !live_tables[id] && table.take().is_some() {
                self.free_tables.push(id as u32);
            }
        }
        let mut already_free = vec![false; self.nodes.len()];
        self.free.iter().for_each(|&id| already_free[id as usize] = true);
        let before = self.free.len();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            if !live[id] && !already_free[id] {
                node.children = Children::new();
                node.support.take();
                node.op = Op::Const;
                self.free.push(id as u32);
            }
        }
        let ids: Vec<u32> = (0..self.nodes.len() as u32).filter(|&id| live[id as usize]).collect();
        let nodes = &self.nodes;
        self.index.rebuild(ids.into_iter(), &|id| nodes[id as usize].hash);
        self.free.len() - before
    }

    fn mark(&self, mut stack: Vec<TermId>) -> (Vec<bool>, Vec<bool>) {
        let mut live = vec![false; self.nodes.len()];
        let mut live_tables = vec![false; self.tables.len()];
        while let Some(t) = stack.pop() {
            if std::mem::replace(&mut live[t.0 as usize], true) {
                continue;
            }
            stack.extend(self.children(t));
            if let Op::Lookup(table) = self.op(t)
                && !std::mem::replace(&mut live_tables[table.0 as usize], true)
            {
                stack.extend(self.table(table).iter().map(|&(_, c)| c));
            }
        }
        (live, live_tables)
    }
}
