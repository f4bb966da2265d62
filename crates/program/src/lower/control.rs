//! Terminators: branches with the moves that phi nodes become.

use super::function::FunctionLowering;
use super::instruction::opcode_name;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{Block as LlvmBlock, Opcode, Value};
use rustc_hash::FxHashMap;

/// The edges that leave one block; two jumps to the same block share an edge, because their moves are the same.
struct Exits<'m> {
    from: LlvmBlock<'m>,
    edges: FxHashMap<LlvmBlock<'m>, EdgeId>,
    successors: Vec<BlockId>,
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers a terminator; returns the successors of its block.
    pub(super) fn terminator(&mut self, block: LlvmBlock<'m>, v: Value<'m>, opcode: Opcode) -> Lowered<Vec<BlockId>> {
        let mut exits = Exits {
            from: block,
            edges: FxHashMap::default(),
            successors: Vec::new(),
        };
        match opcode {
            Opcode::LLVMRet => self.ret(v)?,
            Opcode::LLVMBr => self.branch(v, &mut exits)?,
            Opcode::LLVMSwitch => self.switch(v, &mut exits)?,
            Opcode::LLVMIndirectBr => self.computed_goto(v, &mut exits)?,
            Opcode::LLVMUnreachable => self.emit(Inst::Unreachable),
            Opcode::LLVMCallBr => return unsupported("inline assembly with jumps"),
            other => return unsupported(format!("exception handling ({})", opcode_name(other))),
        }
        Ok(exits.successors)
    }

    fn ret(&mut self, v: Value<'m>) -> Lowered<()> {
        let values = match v.operands().next() {
            Some(value) => self.flat(value)?,
            None => Default::default(),
        };
        let first = self.out.operands.len() as u32;
        let count = values.len() as u32;
        self.out.operands.extend(values);
        self.emit(Inst::Return { first, count });
        Ok(())
    }

    /// Whether a block consists of its terminator alone.
    fn is_alone(&self, block: LlvmBlock<'m>, v: Value<'m>) -> bool {
        let mut others = block.instructions().filter(|&i| i != v);
        others.all(|i| self.cx.is_debug_intrinsic(i))
    }

    fn branch(&mut self, v: Value<'m>, exits: &mut Exits<'m>) -> Lowered<()> {
        let targets = v.successors();
        let [yes, no] = targets[..] else {
            if targets[0] == exits.from && self.is_alone(exits.from, v) {
                self.emit(Inst::Spin);
                return Ok(());
            }
            let edge = self.edge(exits, targets[0])?;
            self.emit(Inst::Jump { edge });
            return Ok(());
        };
        let condition = v.operand(0);
        if self.slots.fused.contains(&condition) {
            let (pred, width) = self.comparison(condition)?;
            let a = self.scalar(condition.operand(0))?;
            let b = self.scalar(condition.operand(1))?;
            let (yes, no) = (self.edge(exits, yes)?, self.edge(exits, no)?);
            self.emit(Inst::CmpBranch {
                pred,
                width,
                a,
                b,
                yes,
                no,
            });
        } else {
            let cond = self.scalar(condition)?;
            let (yes, no) = (self.edge(exits, yes)?, self.edge(exits, no)?);
            self.emit(Inst::Branch { cond, yes, no });
        }
        Ok(())
    }

    fn switch(&mut self, v: Value<'m>, exits: &mut Exits<'m>) -> Lowered<()> {
        let width = self.scalar_type(v.operand(0))?.bits;
        if width > 64 {
            return unsupported(format!("a switch on {}", v.operand(0).ty()));
        }
        let value = self.scalar(v.operand(0))?;
        // Operands: value, default, then pairs of case and target; successors: default, then the targets.
        let targets = v.successors();
        let default = self.edge(exits, targets[0])?;
        let mut cases = Vec::with_capacity(targets.len() - 1);
        for (i, &target) in targets.iter().enumerate().skip(1) {
            let case = v.operand(2 * i as u32).int_value().unwrap_or_default();
            cases.push((case, self.edge(exits, target)?));
        }
        self.emit_switch(Switch {
            value,
            width,
            cases,
            default,
        });
        Ok(())
    }

    fn emit_switch(&mut self, mut switch: Switch) {
        switch.cases.sort_by_key(|&(case, _)| case);
        self.out.switches.push(switch);
        self.emit(Inst::Switch {
            switch: SwitchId(self.out.switches.len() as u32 - 1),
        });
    }

    /// `goto *p`: a switch over the numbers that stand for the labels' addresses.
    fn computed_goto(&mut self, v: Value<'m>, exits: &mut Exits<'m>) -> Lowered<()> {
        let value = self.scalar(v.operand(0))?;
        let width = self.cx.pointer_bits;
        let mut cases = Vec::new();
        for target in v.successors() {
            let edge = self.edge(exits, target)?;
            let case = (self.cx.label_address(target), edge);
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        let end = BlockId(self.blocks.len() as u32);
        self.dead_end = Some(end);
        exits.successors.push(end);
        let default = self.add_edge(Edge {
            target: end,
            pc: 0,
            moves: Vec::new(),
        });
        self.emit_switch(Switch {
            value,
            width,
            cases,
            default,
        });
        Ok(())
    }

    fn edge(&mut self, exits: &mut Exits<'m>, to: LlvmBlock<'m>) -> Lowered<EdgeId> {
        if let Some(&edge) = exits.edges.get(&to) {
            return Ok(edge);
        }
        let mut moves = Vec::new();
        for (phi, value) in self.phis.remove(&(exits.from, to)).unwrap_or_default() {
            let Some(slot) = self.slots.of_value(phi) else { continue };
            for (i, source) in self.flat(value)?.into_iter().enumerate() {
                moves.push((slot + i as u32, source));
            }
        }
        moves.retain(|&(slot, source)| source != Operand::slot(slot));
        let target = self.blocks[&to];
        let edge = self.add_edge(Edge { target, pc: 0, moves });
        exits.edges.insert(to, edge);
        exits.successors.push(target);
        Ok(edge)
    }

    fn add_edge(&mut self, edge: Edge) -> EdgeId {
        self.out.edges.push(edge);
        EdgeId(self.out.edges.len() as u32 - 1)
    }
}
