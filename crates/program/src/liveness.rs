//! Which slots an instruction reads and writes, and which are read later on some path.

use crate::ir::*;

impl Inst {
    /// Calls `f` with every slot that the instruction reads; the moves on edges do not count.
    pub fn for_each_use(&self, function: &Function, f: &mut dyn FnMut(Slot)) {
        let mut operand = |o: Operand| {
            if let OperandKind::Slot(slot) = o.kind() {
                f(slot);
            }
        };
        match *self {
            Inst::Move { src, .. }
            | Inst::Freeze { src, .. }
            | Inst::Cast { src, .. }
            | Inst::FloatNeg { src, .. }
            | Inst::FloatCast { src, .. } => operand(src),
            Inst::Bin { a, b, .. }
            | Inst::Cmp { a, b, .. }
            | Inst::FloatBin { a, b, .. }
            | Inst::FloatCmp { a, b, .. }
            | Inst::CmpBranch { a, b, .. } => [a, b].into_iter().for_each(operand),
            Inst::Select { cond, yes, no, .. } => [cond, yes, no].into_iter().for_each(operand),
            Inst::Field { base, .. } => operand(base),
            Inst::Index { base, index, .. } => [base, index].into_iter().for_each(operand),
            Inst::Gep { base, gep, .. } => {
                operand(base);
                function.geps[gep.index()]
                    .indices
                    .iter()
                    .for_each(|&(index, ..)| operand(index));
            }
            Inst::Load { ptr, .. } => operand(ptr),
            Inst::Store { ptr, value, .. } => [ptr, value].into_iter().for_each(operand),
            Inst::Alloca { count, .. } => operand(count),
            Inst::SlotLoad { slot, .. } | Inst::ByvalCopy { slot, .. } => f(slot),
            Inst::SlotStore { value, .. } => operand(value),
            Inst::LifetimeStart { ptr, .. } | Inst::LifetimeEnd { ptr, .. } | Inst::StackRestore { ptr } => {
                operand(ptr)
            }
            Inst::MemCopy { dst, src, len, .. } => [dst, src, len].into_iter().for_each(operand),
            Inst::MemSet { dst, byte, len, .. } => [dst, byte, len].into_iter().for_each(operand),
            Inst::Intrinsic { id } => function.intrinsics[id.index()].args.iter().copied().for_each(operand),
            Inst::Call { call } => {
                let call = &function.calls[call.index()];
                call.args.iter().for_each(|arg| operand(arg.value));
                if let Callee::Indirect(callee) = call.callee {
                    operand(callee);
                }
            }
            Inst::Return { first, count } => {
                let operands = &function.operands[first as usize..(first + count) as usize];
                operands.iter().copied().for_each(operand);
            }
            Inst::Branch { cond, .. } => operand(cond),
            Inst::Switch { switch } => operand(function.switches[switch.index()].value),
            Inst::SlotInit { .. }
            | Inst::StackSave { .. }
            | Inst::Jump { .. }
            | Inst::Unreachable
            | Inst::Spin
            | Inst::Unsupported { .. } => {}
        }
    }

    /// Calls `f` with every slot the instruction writes.
    pub fn for_each_def(&self, function: &Function, f: &mut dyn FnMut(Slot)) {
        match *self {
            Inst::Move { dst, .. }
            | Inst::Freeze { dst, .. }
            | Inst::Bin { dst, .. }
            | Inst::Cmp { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::FloatBin { dst, .. }
            | Inst::FloatNeg { dst, .. }
            | Inst::FloatCmp { dst, .. }
            | Inst::FloatCast { dst, .. }
            | Inst::Field { dst, .. }
            | Inst::Index { dst, .. }
            | Inst::Gep { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Alloca { dst, .. }
            | Inst::SlotLoad { dst, .. }
            | Inst::StackSave { dst } => f(dst),
            Inst::SlotInit { slot } | Inst::SlotStore { slot, .. } | Inst::ByvalCopy { slot, .. } => f(slot),
            Inst::Intrinsic { id } => {
                let intrinsic = &function.intrinsics[id.index()];
                // Those with an overflow bit have two results; a second one that is not there is never read.
                intrinsic.dst.into_iter().for_each(f);
            }
            Inst::Call { call } => {
                let call = &function.calls[call.index()];
                (0..call.results.len() as u32).for_each(|i| f(call.dst + i));
            }
            _ => {}
        }
    }

    /// The edges by which it leaves its block.
    pub fn edges(&self, function: &Function) -> Vec<EdgeId> {
        match *self {
            Inst::Jump { edge } => vec![edge],
            Inst::Branch { yes, no, .. } | Inst::CmpBranch { yes, no, .. } => vec![yes, no],
            Inst::Switch { switch } => {
                let switch = &function.switches[switch.index()];
                let cases = switch.cases.iter().map(|&(_, edge)| edge);
                cases.chain([switch.default]).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// For each block, the slots that are live when it is entered.
pub struct Liveness {
    entering: Vec<Vec<bool>>,
}

impl Liveness {
    pub fn of(function: &Function) -> Liveness {
        let empty = vec![false; function.slots as usize];
        let mut liveness = Liveness {
            entering: vec![empty; function.blocks.len()],
        };
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..function.blocks.len()).rev() {
                let Block { start, end, .. } = function.blocks[block];
                let live = liveness.from(function, start, end);
                if live != liveness.entering[block] {
                    liveness.entering[block] = live;
                    changed = true;
                }
            }
        }
        liveness
    }

    /// The slots that are read from the beginning of a block on, before they are written.
    pub fn entering(&self, block: BlockId) -> &[bool] {
        &self.entering[block.0 as usize]
    }

    /// The slots that are read after the instruction at `pc`, before they are written.
    pub fn after(&self, function: &Function, pc: u32) -> Vec<bool> {
        let block = function.blocks.partition_point(|block| block.end <= pc);
        self.from(function, pc + 1, function.blocks[block].end)
    }

    /// The slots that are read by the instruction at `pc` or after it, before they are written.
    pub fn before(&self, function: &Function, pc: u32) -> Vec<bool> {
        let block = function.blocks.partition_point(|block| block.end <= pc);
        self.from(function, pc, function.blocks[block].end)
    }

    /// What is live before `start`, given that the block ends at `end`.
    fn from(&self, function: &Function, start: u32, end: u32) -> Vec<bool> {
        let mut live = vec![false; function.slots as usize];
        if let Some(last) = end.checked_sub(1) {
            for edge in function.code[last as usize].edges(function) {
                let edge = &function.edges[edge.index()];
                let mut there = self.entering[edge.target.0 as usize].clone();
                for &(dst, _) in &edge.moves {
                    there[dst as usize] = false;
                }
                for &(_, src) in &edge.moves {
                    if let OperandKind::Slot(slot) = src.kind() {
                        there[slot as usize] = true;
                    }
                }
                live.iter_mut().zip(there).for_each(|(live, there)| *live |= there);
            }
        }
        for pc in (start..end).rev() {
            let inst = &function.code[pc as usize];
            inst.for_each_def(function, &mut |slot| live[slot as usize] = false);
            inst.for_each_use(function, &mut |slot| live[slot as usize] = true);
        }
        live
    }
}
