//! How wide the value of a slot is. The value itself does not say so (a number is a number), and slots are reused for
//! other values, so the next reader of the slot determines it.

use crate::ir::*;

/// The width of the value in a slot before the instruction at `pc`, according to its next readers. `None`: no reader
/// says.
pub fn width_before(function: &Function, pointer_width: u32, pc: u32, slot: Slot) -> Option<u32> {
    let mut seen: Vec<(u32, Slot)> = Vec::new();
    let mut open = vec![(pc, slot)];
    while let Some((pc, slot)) = open.pop() {
        if seen.contains(&(pc, slot)) {
            continue;
        }
        seen.push((pc, slot));
        let inst = &function.code[pc as usize];
        match reads(function, inst, pointer_width, slot) {
            Some(Reader::Width(width)) => return Some(width),
            Some(Reader::Slot(copy)) => open.push((pc + 1, copy)),
            None => {}
        }
        let mut written = false;
        inst.for_each_def(function, &mut |def| written |= def == slot);
        if written {
            continue;
        }
        if let Inst::Return { .. } | Inst::Unreachable | Inst::Spin | Inst::Unsupported { .. } = inst {
            continue;
        }
        let edges = inst.edges(function);
        if edges.is_empty() {
            open.push((pc + 1, slot));
        }
        for edge in edges {
            let edge = &function.edges[edge.index()];
            for &(dst, src) in &edge.moves {
                if src.kind() == OperandKind::Slot(slot) {
                    open.push((edge.pc, dst));
                }
            }
            if edge.moves.iter().all(|&(dst, _)| dst != slot) {
                open.push((edge.pc, slot));
            }
        }
    }
    None
}

/// What a read of a slot says about it.
enum Reader {
    Width(u32),
    /// It is copied: the next reader of the copy decides.
    Slot(Slot),
}

fn reads(function: &Function, inst: &Inst, pointer: u32, slot: Slot) -> Option<Reader> {
    let is = |operand: Operand| operand.kind() == OperandKind::Slot(slot);
    let any = |operands: &[Operand], width: u32| {
        let found = operands.iter().any(|&operand| is(operand));
        found.then_some(Reader::Width(width))
    };
    match *inst {
        Inst::Move { dst, src } | Inst::Freeze { dst, src } => is(src).then_some(Reader::Slot(dst)),
        Inst::Bin { width, a, b, .. }
        | Inst::Cmp { width, a, b, .. }
        | Inst::FloatBin { width, a, b, .. }
        | Inst::FloatCmp { width, a, b, .. }
        | Inst::CmpBranch { width, a, b, .. } => any(&[a, b], width.into()),
        Inst::Cast { from, src, .. } | Inst::FloatCast { from, src, .. } => any(&[src], from.into()),
        Inst::FloatNeg { width, src, .. } => any(&[src], width.into()),
        Inst::Select {
            width, cond, yes, no, ..
        } => any(&[cond], 1).or_else(|| any(&[yes, no], width.into())),
        Inst::Field { base, .. } => any(&[base], pointer),
        Inst::Index { width, base, index, .. } => any(&[base], pointer).or_else(|| any(&[index], width.into())),
        Inst::Gep { base, gep, .. } => any(&[base], pointer).or_else(|| {
            let indices = &function.geps[gep.index()].indices;
            let found = indices.iter().find(|&&(index, ..)| is(index));
            found.map(|&(_, width, _)| Reader::Width(width.into()))
        }),
        Inst::Load { ptr, .. } => any(&[ptr], pointer),
        Inst::Store { ty, ptr, value, .. } => any(&[value], ty.width()).or_else(|| any(&[ptr], pointer)),
        Inst::Alloca { width, count, .. } => any(&[count], width.into()),
        Inst::SlotLoad { ty, slot: read, .. } => (read == slot).then_some(Reader::Width(ty.width())),
        Inst::SlotStore { ty, value, .. } => any(&[value], ty.width()),
        Inst::ByvalCopy { slot: read, .. } => (read == slot).then_some(Reader::Width(pointer)),
        Inst::LifetimeStart { ptr, .. } | Inst::LifetimeEnd { ptr, .. } | Inst::StackRestore { ptr } => {
            any(&[ptr], pointer)
        }
        Inst::MemCopy {
            width, dst, src, len, ..
        } => any(&[dst, src], pointer).or_else(|| any(&[len], width.into())),
        Inst::MemSet {
            width, dst, byte, len, ..
        } => any(&[dst], pointer)
            .or_else(|| any(&[byte], 8))
            .or_else(|| any(&[len], width.into())),
        Inst::Call { call } => {
            let call = &function.calls[call.index()];
            let arg = call.args.iter().find(|arg| is(arg.value));
            let callee = match call.callee {
                Callee::Indirect(callee) => any(&[callee], pointer),
                Callee::Direct(_) => None,
            };
            arg.map(|arg| Reader::Width(arg.ty.width())).or(callee)
        }
        Inst::Branch { cond, .. } => any(&[cond], 1),
        Inst::Switch { switch } => {
            let switch = &function.switches[switch.index()];
            any(&[switch.value], switch.width.into())
        }
        Inst::Return { first, count } => {
            let operands = &function.operands[first as usize..(first + count) as usize];
            let at = operands.iter().position(|&operand| is(operand))?;
            let ty = function.signature.results.get(at)?;
            Some(Reader::Width(ty.width()))
        }
        // Arguments of intrinsics have several widths.
        Inst::Intrinsic { .. }
        | Inst::SlotInit { .. }
        | Inst::StackSave { .. }
        | Inst::Jump { .. }
        | Inst::Unreachable
        | Inst::Spin
        | Inst::Unsupported { .. } => None,
    }
}
