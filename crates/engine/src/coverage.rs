//! Which blocks have been reached, by the number of their first instruction in the program.

use mneme_program::{Block, Function, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Clones share what was reached: another thread may read it at any time.
#[derive(Clone, Debug)]
pub struct Coverage {
    reached: Arc<[AtomicBool]>,
}

impl Coverage {
    pub fn new(instructions: u32) -> Coverage {
        Coverage {
            reached: (0..instructions).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// Marks a block; true if nobody had reached it before.
    #[inline(always)]
    pub fn reach(&self, block: u32) -> bool {
        let reached = &self.reached[block as usize];
        if reached.load(Ordering::Relaxed) {
            return false;
        }
        reached.store(true, Ordering::Relaxed);
        true
    }

    pub fn is_reached(&self, function: &Function, block: &Block) -> bool {
        self.reached[(function.first_inst + block.start) as usize].load(Ordering::Relaxed)
    }

    /// The blocks that were reached, for [`Coverage::reach`].
    pub fn blocks(&self) -> Vec<u32> {
        let reached = self.reached.iter().enumerate();
        reached
            .filter(|(_, reached)| reached.load(Ordering::Relaxed))
            .map(|(block, _)| block as u32)
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
