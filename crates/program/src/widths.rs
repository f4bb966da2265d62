//! How many bits each slot of a function holds.

use crate::ir::*;

impl Function {
    /// For each slot its width, where its instructions tell; `pointer` is that of addresses.
    pub fn widths(&self, pointer: u32) -> Vec<Option<u32>> {
        let mut widths = vec![None; self.slots as usize];
        for (slot, ty) in self.signature.params.iter().enumerate() {
            widths[slot] = Some(ty.width());
        }
        let mut moves: Vec<(Slot, Slot)> = Vec::new();
        let mut copy = |dst: Slot, src: Operand| {
            if let OperandKind::Slot(src) = src.kind() {
                moves.push((dst, src));
            }
        };
        for inst in &self.code {
            let (dst, width) = match *inst {
                Inst::Move { dst, src } | Inst::Freeze { dst, src } => {
                    copy(dst, src);
                    continue;
                }
                Inst::Bin { dst, width, .. }
                | Inst::Select { dst, width, .. }
                | Inst::FloatBin { dst, width, .. }
                | Inst::FloatNeg { dst, width, .. } => (dst, width.into()),
                Inst::Cmp { dst, .. } | Inst::FloatCmp { dst, .. } => (dst, 1),
                Inst::Cast { dst, to, .. } | Inst::FloatCast { dst, to, .. } => (dst, to.into()),
                Inst::Field { dst, .. }
                | Inst::Index { dst, .. }
                | Inst::Gep { dst, .. }
                | Inst::Alloca { dst, .. } => (dst, pointer),
                Inst::Load { ty, dst, .. } => (dst, ty.width()),
                Inst::SlotLoad { ty, dst, slot, .. } => {
                    widths[slot as usize] = Some(ty.width());
                    (dst, ty.width())
                }
                Inst::SlotStore { ty, slot, .. } => (slot, ty.width()),
                Inst::Intrinsic { id } => {
                    let intrinsic = &self.intrinsics[id.index()];
                    let Some(dst) = intrinsic.dst else { continue };
                    (dst, intrinsic.result_width.into())
                }
                Inst::Call { call } => {
                    let call = &self.calls[call.index()];
                    for (index, ty) in call.results.iter().enumerate() {
                        widths[call.dst as usize + index] = Some(ty.width());
                    }
                    continue;
                }
                _ => continue,
            };
            widths[dst as usize] = Some(width);
        }
        for edge in &self.edges {
            edge.moves.iter().for_each(|&(dst, src)| copy(dst, src));
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(dst, src) in &moves {
                let (a, b) = (widths[dst as usize], widths[src as usize]);
                if a.is_none() != b.is_none() {
                    (widths[dst as usize], widths[src as usize]) = (a.or(b), a.or(b));
                    changed = true;
                }
            }
        }
        widths
    }
}
