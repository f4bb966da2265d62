//! Which places of the program have been reached: blocks, by the number of their first instruction, and edges between
//! them, numbered behind all instructions.

use mneme_program::{Block, Function, Program};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones share what was reached: another thread may read it at any time.
#[derive(Clone, Debug)]
pub struct Coverage {
    reached: Arc<[AtomicBool]>,
    /// The places that were reached, in order.
    order: Arc<Mutex<Vec<u32>>>,
}

impl Coverage {
    pub fn new(places: u32) -> Coverage {
        Coverage {
            reached: (0..places).map(|_| AtomicBool::new(false)).collect(),
            order: Arc::default(),
        }
    }

    /// Marks a block or an edge; true if it had not been reached before.
    #[inline(always)]
    pub fn reach(&self, place: u32) -> bool {
        let reached = &self.reached[place as usize];
        if reached.load(Ordering::Relaxed) {
            return false;
        }
        reached.store(true, Ordering::Relaxed);
        self.is_new(place);
        true
    }

    /// Marks an edge and the block that it leads to; true if the edge had not been taken before.
    #[inline(always)]
    pub fn take(&self, edge: u32, block: u32) -> bool {
        let is_new = self.reach(edge);
        if is_new {
            self.reach(block);
        }
        is_new
    }

    #[cold]
    fn is_new(&self, place: u32) {
        self.order().push(place);
    }

    fn order(&self) -> MutexGuard<'_, Vec<u32>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_reached(&self, function: &Function, block: &Block) -> bool {
        self.reached[(function.first_inst + block.start) as usize].load(Ordering::Relaxed)
    }

    /// The places that were reached, in order, for [`Coverage::reach`].
    pub fn places(&self) -> Vec<u32> {
        self.order().clone()
    }

    /// How many places were reached.
    pub fn count(&self) -> usize {
        self.order().len()
    }

    /// Forgets all but the first `count` places, and returns the others.
    pub fn forget(&self, count: usize) -> Vec<u32> {
        let mut order = self.order();
        let from = count.min(order.len());
        let others = order.split_off(from);
        let unreach = |&place: &u32| self.reached[place as usize].store(false, Ordering::Relaxed);
        others.iter().for_each(unreach);
        others
    }

    /// Puts these back behind the first `count` places, before what was reached in the meantime.
    pub fn remember(&self, count: usize, others: &[u32]) {
        let new = self.forget(count);
        others.iter().chain(&new).for_each(|&place| _ = self.reach(place));
    }

    /// The places of the user's program that were reached.
    pub fn own_places(&self, program: &Program) -> Vec<u32> {
        let own = program.functions.iter().filter(|function| !function.runtime);
        let numbered = own.flat_map(|function| {
            let blocks = function.blocks.iter().map(|block| function.first_inst + block.start);
            let edges = (0..function.edges.len() as u32).map(|edge| function.first_edge + edge);
            blocks.chain(edges)
        });
        numbered
            .filter(|&place| self.reached[place as usize].load(Ordering::Relaxed))
            .collect()
    }

    /// How many instructions were reached.
    pub fn instructions(&self, program: &Program) -> u64 {
        let blocks = program
            .functions
            .iter()
            .flat_map(|function| function.blocks.iter().map(move |block| (function, block)));
        blocks
            .filter(|(function, block)| self.is_reached(function, block))
            .map(|(_, block)| (block.end - block.start) as u64)
            .sum()
    }
}
