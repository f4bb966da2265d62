//! Where a context ends: the instructions that belong to it.

use mneme_program::{BinOp, Constant, Function, Inst, Loop, Loops, Operand, OperandKind, Slot};
use std::rc::Rc;

/// The loops of a function, by instruction.
pub struct LoopMap {
    loops: Rc<Loops>,
    regions: Vec<Rc<LoopRegion>>,
}

/// A loop as states run through it.
pub struct LoopRegion {
    pub number: u32,
    /// By instruction.
    pub inside: Vec<bool>,
    /// Where each round begins.
    pub header: u32,
    /// The same as `inside`, without the beginning of a round.
    pub in_round: Vec<bool>,
    /// Variables that only ever grow in it.
    pub counters: Vec<Slot>,
}

impl LoopMap {
    pub fn new(function: &Function, loops: Rc<Loops>) -> LoopMap {
        let regions = loops.all().iter().enumerate().map(|(index, found)| {
            let mut inside = vec![false; function.code.len()];
            for block in &found.blocks {
                let block = &function.blocks[block.0 as usize];
                inside[block.start as usize..block.end as usize].fill(true);
            }
            let header = function.blocks[found.header.0 as usize].start;
            let mut in_round = inside.clone();
            in_round[header as usize] = false;
            Rc::new(LoopRegion {
                number: index as u32,
                counters: counters(function, found),
                inside,
                header,
                in_round,
            })
        });
        LoopMap {
            regions: regions.collect(),
            loops,
        }
    }

    /// The innermost loop around an instruction.
    pub fn around(&self, function: &Function, pc: u32) -> Option<Rc<LoopRegion>> {
        let index = self.loops.innermost(function.block_of(pc))?;
        Some(self.regions[index as usize].clone())
    }
}

/// Variables that a loop only ever increases by positive constants.
fn counters(function: &Function, found: &Loop) -> Vec<Slot> {
    let mut stored: Vec<(Slot, bool)> = Vec::new();
    for block in &found.blocks {
        let block = &function.blocks[block.0 as usize];
        for pc in block.start..block.end {
            let (slot, grows) = match function.code[pc as usize] {
                Inst::SlotStore { slot, value, .. } => (slot, is_increment(function, block.start, pc, slot, value)),
                Inst::SlotInit { slot } | Inst::ByvalCopy { slot, .. } => (slot, false),
                _ => continue,
            };
            match stored.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, always)) => *always &= grows,
                None => stored.push((slot, grows)),
            }
        }
    }
    let mut counters: Vec<Slot> = stored
        .iter()
        .filter(|(_, grows)| *grows)
        .map(|&(slot, _)| slot)
        .collect();
    counters.sort_unstable();
    counters
}

/// Is `value` at `pc`, computed in the block that begins at `start`, the variable plus a positive constant?
fn is_increment(function: &Function, start: u32, pc: u32, variable: Slot, value: Operand) -> bool {
    let made_by = |operand: Operand, before: u32| {
        let OperandKind::Slot(slot) = operand.kind() else {
            return None;
        };
        (start..before).rev().find(|&pc| {
            let mut defines = false;
            function.code[pc as usize].for_each_def(function, &mut |def| defines |= def == slot);
            defines
        })
    };
    let grows = |operand: Operand| match operand.kind() {
        OperandKind::Constant(index) => matches!(function.constants[index as usize], Constant::Int(1..=0x7fff)),
        OperandKind::Slot(_) => false,
    };
    let Some(sum) = made_by(value, pc) else {
        return false;
    };
    let old = match function.code[sum as usize] {
        Inst::Bin {
            op: BinOp::Add, a, b, ..
        } if grows(b) => a,
        Inst::Field { base, offset: 1.., .. } => base,
        Inst::Index { base, index, .. } if grows(index) => base,
        _ => return false,
    };
    let read = made_by(old, sum).map(|pc| function.code[pc as usize]);
    matches!(read, Some(Inst::SlotLoad { slot, .. }) if slot == variable)
}

/// Does a block begin here from which the program does not come back, such as a call of `abort`? A state that gets
/// there has nothing to wait for.
pub fn is_dead_end(function: &Function, pc: u32) -> bool {
    let block = function.blocks.partition_point(|block| block.end <= pc);
    let last = function.blocks[block].end - 1;
    matches!(function.code[last as usize], Inst::Unreachable)
}

/// What a state inside a context must not do unnoticed: leave the region in the frame at this depth, or return from it.
#[derive(Copy, Clone)]
pub struct Watch<'a> {
    pub depth: usize,
    /// By instruction, where it may run; if empty, only returning counts.
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
