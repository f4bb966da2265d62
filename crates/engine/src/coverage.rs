//! Which blocks have been reached, by the number of their first instruction in the program.

use mneme_program::{Block, Function, Program};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones share what was reached: another thread may read it at any time.
#[derive(Clone, Debug)]
pub struct Coverage {
    reached: Arc<[AtomicBool]>,
    /// The blocks that were reached, in order.
    order: Arc<Mutex<Vec<u32>>>,
}

impl Coverage {
    pub fn new(instructions: u32) -> Coverage {
        Coverage {
            reached: (0..instructions).map(|_| AtomicBool::new(false)).collect(),
            order: Arc::default(),
        }
    }

    /// Marks a block; true if it had not been reached before.
    #[inline(always)]
    pub fn reach(&self, block: u32) -> bool {
        let reached = &self.reached[block as usize];
        if reached.load(Ordering::Relaxed) {
            return false;
        }
        reached.store(true, Ordering::Relaxed);
        self.is_new(block);
        true
    }

    #[cold]
    fn is_new(&self, block: u32) {
        self.order().push(block);
    }

    fn order(&self) -> MutexGuard<'_, Vec<u32>> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_reached(&self, function: &Function, block: &Block) -> bool {
        self.reached[(function.first_inst + block.start) as usize].load(Ordering::Relaxed)
    }

    /// The blocks that were reached, in order, for [`Coverage::reach`].
    pub fn blocks(&self) -> Vec<u32> {
        self.order().clone()
    }

    /// How many blocks were reached.
    pub fn count(&self) -> usize {
        self.order().len()
    }

    /// Forgets all but the first `count` blocks, and returns the others.
    pub fn forget(&self, count: usize) -> Vec<u32> {
        let mut order = self.order();
        let from = count.min(order.len());
        let others = order.split_off(from);
        let unreach = |&block: &u32| self.reached[block as usize].store(false, Ordering::Relaxed);
        others.iter().for_each(unreach);
        others
    }

    /// Puts these back behind the first `count` blocks, before what was reached in the meantime.
    pub fn remember(&self, count: usize, others: &[u32]) {
        let new = self.forget(count);
        others.iter().chain(&new).for_each(|&block| _ = self.reach(block));
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
