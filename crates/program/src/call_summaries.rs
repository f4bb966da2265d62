//! What calls leave behind: a summary of each function.
//!
//! A function *writes nothing* if neither it nor anything that it calls writes memory but its own local variables: so
//! whoever does not execute a call of it knows that memory is as before. Recursive functions are assumed to write
//! nothing until something says otherwise, which gives the greatest such set.

use crate::ir::*;

/// For each function, whether it writes nothing.
pub struct CallSummaries(Vec<bool>);

impl CallSummaries {
    pub fn of(program: &Program) -> CallSummaries {
        let mut pure: Vec<bool> = program.functions.iter().map(writes_only_locals).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (id, function) in program.functions.iter().enumerate() {
                let calls = |pure: &[bool]| {
                    let direct = |call: &Call| match call.callee {
                        Callee::Direct(callee) => pure[callee.index()],
                        Callee::Indirect(_) => false,
                    };
                    function.calls.iter().all(direct)
                };
                if pure[id] && !calls(&pure) {
                    pure[id] = false;
                    changed = true;
                }
            }
        }
        CallSummaries(pure)
    }

    pub fn writes_nothing(&self, function: FunctionId) -> bool {
        self.0[function.index()]
    }
}

/// Calls aside, does it write only memory that is gone when it returns?
fn writes_only_locals(function: &Function) -> bool {
    if function.is_declaration() {
        return false;
    }
    let locals = locals(function);
    let is_local = |operand: Operand| matches!(operand.kind(), OperandKind::Slot(slot) if locals[slot as usize]);
    function.code.iter().all(|inst| match *inst {
        Inst::Store { ptr, .. } => is_local(ptr),
        Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } => is_local(dst),
        Inst::Unsupported { .. } => false,
        Inst::Intrinsic { id } => {
            let op = function.intrinsics[id.index()].op;
            !matches!(
                op,
                IntrinsicOp::VaStart
                    | IntrinsicOp::VaCopy
                    | IntrinsicOp::SetJump
                    | IntrinsicOp::LongJump
                    | IntrinsicOp::FrExp
            )
        }
        _ => true,
    })
}

/// The slots that hold nothing but addresses in the function's own variables.
fn locals(function: &Function) -> Vec<bool> {
    let slots = function.slots as usize;
    let mut locals = vec![false; slots];
    // What a slot is copied or computed from; anything else that is put there makes it foreign.
    let mut from: Vec<(Slot, Operand)> = Vec::new();
    let mut foreign: Vec<Slot> = (0..function.signature.params.len() as Slot).collect();
    for inst in &function.code {
        match *inst {
            Inst::Alloca { dst, .. } => locals[dst as usize] = true,
            Inst::Move { dst, src } => from.push((dst, src)),
            Inst::Field { dst, base, .. } | Inst::Index { dst, base, .. } | Inst::Gep { dst, base, .. } => {
                from.push((dst, base));
            }
            _ => inst.for_each_def(function, &mut |slot| foreign.push(slot)),
        }
        for edge in inst.edges(function) {
            from.extend(&function.edges[edge.index()].moves);
        }
    }
    from.iter().for_each(|&(slot, _)| locals[slot as usize] = true);
    foreign.into_iter().for_each(|slot| locals[slot as usize] = false);
    let mut changed = true;
    while changed {
        changed = false;
        for &(slot, source) in &from {
            let local = matches!(source.kind(), OperandKind::Slot(source) if locals[source as usize]);
            if locals[slot as usize] && !local {
                locals[slot as usize] = false;
                changed = true;
            }
        }
    }
    locals
}
