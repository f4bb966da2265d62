//! Which slot holds which value.
//!
//! - Parameters come first, in order.
//! - A stack variable of one scalar whose address does not escape is *kept*: it lives in a slot, not in memory
//!   ([`Variables`]).
//! - A scalar that is used only in its own block shares its slot with others of that kind, so that frames stay small. A
//!   result never shares the slot of an operand of its own instruction. In functions that call `setjmp` nothing is
//!   shared, because control comes back.
//! - A value that is its operand under another type or name (an address plus zero) is an *alias* and has its operand's
//!   slot.
//! - A comparison that only the branch right after it uses is *fused* into that branch and has no slot.

use super::Lowering;
use super::intrinsic::Known;
use crate::Variables;
use crate::ir::{IntrinsicOp, SiteId, Slot};
use crate::llvm::{Block, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A stack variable that lives in a slot.
#[derive(Copy, Clone, Debug)]
pub(super) struct Kept {
    pub slot: Slot,
    pub site: Option<SiteId>,
}

pub(super) struct Slots<'m> {
    first: FxHashMap<Value<'m>, Slot>,
    pub kept: FxHashMap<Value<'m>, Kept>,
    pub fused: FxHashSet<Value<'m>>,
    /// Instructions that need no code: aliases, and unused computations without effect.
    pub idle: FxHashSet<Value<'m>>,
    /// The value that an alias stands for.
    roots: FxHashMap<Value<'m>, Value<'m>>,
    pub count: u32,
    free: Vec<Slot>,
    /// Values in shared slots, with the number of uses still to come.
    remaining: FxHashMap<Value<'m>, u32>,
    share: bool,
}

impl<'m> Slots<'m> {
    pub fn of(cx: &mut Lowering<'m>, function: Value<'m>, params: u32) -> Slots<'m> {
        let mut slots = Slots {
            first: FxHashMap::default(),
            kept: FxHashMap::default(),
            fused: FxHashSet::default(),
            idle: FxHashSet::default(),
            roots: FxHashMap::default(),
            count: params,
            free: Vec::new(),
            remaining: FxHashMap::default(),
            share: !calls_twice_returning(cx, function),
        };
        let mut next = 0;
        for param in function.params() {
            slots.first.insert(param, next);
            next += cx.shapes.of(param.ty()).map_or(0, |shape| shape.len() as u32);
        }
        let blocks = function.blocks();
        if let Some(entry) = blocks.first()
            && cx.variables == Variables::Slots
        {
            slots.keep_variables(cx, *entry);
        }
        for &block in &blocks {
            slots.assign(cx, block);
        }
        slots
    }

    /// First slot of the value of an instruction or parameter.
    pub fn of_value(&self, value: Value<'m>) -> Option<Slot> {
        self.first.get(&value).copied()
    }

    fn keep_variables(&mut self, cx: &mut Lowering<'m>, entry: Block<'m>) {
        for alloca in entry.instructions().filter(|i| i.opcode() == Some(Opcode::LLVMAlloca)) {
            if is_keepable(cx, alloca) {
                let slot = self.fresh(1);
                self.kept.insert(alloca, Kept { slot, site: None });
            }
        }
    }

    fn fresh(&mut self, count: u32) -> Slot {
        let slot = self.count;
        self.count += count;
        slot
    }

    fn assign(&mut self, cx: &mut Lowering<'m>, block: Block<'m>) {
        let instructions: Vec<Value<'m>> = block.instructions().filter(|&i| !cx.is_debug_intrinsic(i)).collect();
        let fused = fused_comparison(cx, &instructions);
        for &instruction in &instructions {
            if Some(instruction) == fused {
                self.fused.insert(instruction);
                continue;
            }
            if self.assign_alias(cx, instruction) {
                continue;
            }
            if is_dead(instruction) {
                self.idle.insert(instruction);
            } else if !self.kept.contains_key(&instruction) {
                self.assign_result(cx, block, instruction);
            }
            self.release_operands(instruction);
            if let Some(comparison) = fused
                && Some(&instruction) == instructions.last()
            {
                self.release_operands(comparison);
            }
            if self.remaining.get(&instruction) == Some(&0) {
                self.release(instruction);
            }
        }
    }

    fn assign_alias(&mut self, cx: &mut Lowering<'m>, instruction: Value<'m>) -> bool {
        let Some(operand) = aliased(cx, instruction) else {
            return false;
        };
        let root = self.roots.get(&operand).copied().unwrap_or(operand);
        let Some(slot) = self.of_value(root) else { return false };
        self.first.insert(instruction, slot);
        self.roots.insert(instruction, root);
        self.idle.insert(instruction);
        true
    }

    fn assign_result(&mut self, cx: &mut Lowering<'m>, block: Block<'m>, instruction: Value<'m>) {
        let count = cx.shapes.of(instruction.ty()).map_or(0, |shape| shape.len() as u32);
        if count == 0 {
            return;
        }
        let local = if count == 1 && self.share {
            uses_in_block(cx, block, instruction)
        } else {
            None
        };
        let slot = match local {
            Some(uses) => {
                self.remaining.insert(instruction, uses);
                self.free.pop().unwrap_or_else(|| self.fresh(1))
            }
            None => self.fresh(count),
        };
        self.first.insert(instruction, slot);
    }

    fn release_operands(&mut self, instruction: Value<'m>) {
        for operand in instruction.operands() {
            let operand = self.roots.get(&operand).copied().unwrap_or(operand);
            if let Some(uses) = self.remaining.get_mut(&operand) {
                *uses = uses.saturating_sub(1);
                if *uses == 0 {
                    self.release(operand);
                }
            }
        }
    }

    fn release(&mut self, value: Value<'m>) {
        if self.remaining.remove(&value).is_some()
            && let Some(&slot) = self.first.get(&value)
        {
            self.free.push(slot);
        }
    }
}

/// Number of uses, including those of aliases, if all are in that block and none is a phi node (which is read on an
/// edge).
fn uses_in_block<'m>(cx: &mut Lowering<'m>, block: Block<'m>, value: Value<'m>) -> Option<u32> {
    if value.opcode() == Some(Opcode::LLVMPHI) {
        return None;
    }
    let mut uses = 0;
    for user in value.users() {
        if user.parent_block() != Some(block) || user.opcode() == Some(Opcode::LLVMPHI) {
            return None;
        }
        uses += if aliased(cx, user) == Some(value) {
            uses_in_block(cx, block, user)?
        } else {
            1
        };
    }
    Some(uses)
}

/// The operand that an instruction is another name of.
fn aliased<'m>(cx: &mut Lowering<'m>, instruction: Value<'m>) -> Option<Value<'m>> {
    let operand = match instruction.opcode()? {
        Opcode::LLVMGetElementPtr => (cx.constant_offset(instruction) == Some(0)).then(|| instruction.operand(0)),
        Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr | Opcode::LLVMFreeze => Some(instruction.operand(0)),
        Opcode::LLVMCall if cx.known_intrinsic(instruction.called_value()) == Some(Known::First) => {
            instruction.args().first().copied()
        }
        _ => None,
    }?;
    let mut width = |value: Value<'m>| match &cx.shapes.of(value.ty()).ok()?.leaves[..] {
        [leaf] => Some(leaf.scalar.bits),
        _ => None,
    };
    let same = width(instruction).is_some() && width(instruction) == width(operand);
    (same && !operand.is_constant()).then_some(operand)
}

/// Whether a computation is unused, has no effect and cannot fail.
fn is_dead(instruction: Value) -> bool {
    use Opcode::*;
    matches!(
        instruction.opcode(),
        Some(LLVMTrunc | LLVMZExt | LLVMSExt | LLVMICmp | LLVMSelect | LLVMGetElementPtr | LLVMBitCast)
    ) && instruction.users().next().is_none()
}

/// Whether a stack variable is one scalar whose address is only loaded from and stored to.
fn is_keepable<'m>(cx: &mut Lowering<'m>, alloca: Value<'m>) -> bool {
    if alloca.operand(0).int_value() != Some(1) {
        return false;
    }
    let Ok(shape) = cx.shapes.of(alloca.allocated_type()) else {
        return false;
    };
    let [leaf] = shape.leaves[..] else { return false };
    if shape.packed {
        return false;
    }
    let bits = leaf.scalar.bits;
    let mut fits = |ty| match cx.shapes.of(ty) {
        Ok(shape) => shape.len() == 1 && !shape.packed && shape.leaves[0].scalar.bits == bits,
        Err(_) => false,
    };
    let direct = alloca.users().all(|user| match user.opcode() {
        Some(Opcode::LLVMLoad) => fits(user.ty()),
        Some(Opcode::LLVMStore) => user.operand(0) != alloca && fits(user.operand(0).ty()),
        Some(Opcode::LLVMCall) => true,
        _ => false,
    });
    let only_markers = alloca.users().all(|user| {
        user.opcode() != Some(Opcode::LLVMCall)
            || matches!(cx.known_intrinsic(user.called_value()), Some(Known::Lifetime { .. }))
    });
    direct && only_markers
}

/// The comparison right before a conditional branch, if nothing else uses it. Debug intrinsics are already filtered
/// out.
fn fused_comparison<'m>(cx: &mut Lowering<'m>, instructions: &[Value<'m>]) -> Option<Value<'m>> {
    let [.., comparison, branch] = *instructions else {
        return None;
    };
    let fits = branch.opcode() == Some(Opcode::LLVMBr)
        && branch.operand_count() == 3
        && comparison.opcode() == Some(Opcode::LLVMICmp)
        && branch.operand(0) == comparison
        && comparison.users().count() == 1
        && cx
            .shapes
            .of(comparison.operand(0).ty())
            .is_ok_and(|shape| shape.len() == 1);
    fits.then_some(comparison)
}

fn calls_twice_returning<'m>(cx: &Lowering<'m>, function: Value<'m>) -> bool {
    let twice = cx.attributes.returns_twice;
    function.blocks().into_iter().flat_map(Block::instructions).any(|i| {
        i.opcode() == Some(Opcode::LLVMCall)
            && (i.call_attribute(twice)
                || i.called_value().has_function_attribute(twice)
                || cx.known_intrinsic(i.called_value()) == Some(Known::Whole(IntrinsicOp::SetJump)))
    })
}
