//! Where a context ends: the instructions that belong to it.

use mneme_program::{Function, Inst, Loops};
use std::rc::Rc;

/// The loops of a function, by instruction.
pub struct LoopMap {
    loops: Rc<Loops>,
    regions: Vec<Rc<[bool]>>,
}

impl LoopMap {
    pub fn new(function: &Function, loops: Rc<Loops>) -> LoopMap {
        let regions = loops.all().iter().map(|found| {
            let mut inside = vec![false; function.code.len()];
            for block in &found.blocks {
                let block = &function.blocks[block.0 as usize];
                inside[block.start as usize..block.end as usize].fill(true);
            }
            inside.into()
        });
        LoopMap {
            regions: regions.collect(),
            loops,
        }
    }

    /// The innermost loop around an instruction: its number, and which instructions are inside.
    pub fn around(&self, function: &Function, pc: u32) -> Option<(u32, Rc<[bool]>)> {
        let block = function.blocks.partition_point(|block| block.end <= pc);
        let index = self.loops.innermost(mneme_program::BlockId(block as u32))?;
        Some((index, self.regions[index as usize].clone()))
    }
}

/// Is this the beginning of a block from which the program does not come back, such as the call of `abort`? Who gets there has
/// nothing to wait for.
pub fn is_dead_end(function: &Function, pc: u32) -> bool {
    let block = function.blocks.partition_point(|block| block.end <= pc);
    let last = function.blocks[block].end - 1;
    matches!(function.code[last as usize], Inst::Unreachable)
}

/// What a state that is inside a context must not do unseen: leave the region in the frame at this depth, or return from it.
#[derive(Copy, Clone)]
pub struct Watch<'a> {
    pub depth: usize,
    /// By instruction; empty: only returning counts.
    pub inside: &'a [bool],
}

impl Watch<'_> {
    pub fn nothing() -> Watch<'static> {
        Watch { depth: 0, inside: &[] }
    }

    /// Does going to this instruction of the frame at `depth` lead outside?
    #[inline(always)]
    pub fn is_left(&self, depth: usize, pc: usize) -> bool {
        depth == self.depth && self.inside.get(pc) == Some(&false)
    }
}
