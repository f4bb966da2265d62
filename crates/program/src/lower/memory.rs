//! Memory: stack objects, loads, stores, addresses.

use super::constant::sign_extend;
use super::function::FunctionLowering;
use super::shape::{Lowered, Shape, unsupported};
use crate::ir::*;
use crate::llvm::{TypeKind, Value};
use std::rc::Rc;

/// The alignment of what `alloca` returns, on all targets.
const ALLOCA_ALIGNMENT: u64 = 16;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn alloca(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let ty = v.allocated_type();
        let align = match v.alignment() {
            0 => self.cx.layout.align(ty),
            align => align,
        };
        let site = self.stack_site(v, align);
        let in_entry = self.out.blocks.is_empty();
        if let Some(count) = v.operand(0).int_value().filter(|_| in_entry && ty.is_sized()) {
            self.take_stack(self.cx.layout.size(ty).saturating_mul(count), align);
            self.cx.sites[site.index()].fixed = true;
        }
        if let Some(kept) = self.slots.kept.get_mut(&v) {
            kept.site = Some(site);
            let slot = kept.slot;
            self.emit(Inst::SlotInit { slot });
            return Ok(());
        }
        if !ty.is_sized() {
            return unsupported(format!("a stack object of type {ty}"));
        }
        let count = v.operand(0);
        let width = self.scalar_type(count)?.bits;
        let size = self.cx.layout.size(ty);
        if let Ok(size) = u32::try_from(size) {
            let count = self.scalar(count)?;
            self.emit(Inst::Alloca {
                width,
                dst,
                size,
                count,
                site,
            });
            return Ok(());
        }
        match count.int_value().and_then(|n| n.checked_mul(size)) {
            Some(bytes) => {
                let count = self.int(64, bytes);
                self.emit(Inst::Alloca {
                    width: 64,
                    dst,
                    size: 1,
                    count,
                    site,
                });
                Ok(())
            }
            None => unsupported(format!("a stack object of type {ty}")),
        }
    }

    /// `alloca` that the compiler did not recognise, because the program declares it with another type of size.
    pub(super) fn alloca_function(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let count = v.args()[0];
        let width = self.scalar_type(count)?.bits;
        let count = self.scalar(count)?;
        let site = self.stack_site(v, ALLOCA_ALIGNMENT);
        self.emit(Inst::Alloca {
            width,
            dst,
            size: 1,
            count,
            site,
        });
        Ok(())
    }

    pub(super) fn load(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let shape = self.cx.shapes.of(v.ty())?;
        let address = v.operand(0);
        if let Some(kept) = self.slots.kept.get(&address)
            && let Some(site) = kept.site
        {
            let (slot, ty) = (kept.slot, shape.leaves[0].scalar);
            self.emit(Inst::SlotLoad { ty, dst, slot, site });
            return Ok(());
        }
        let ptr = self.scalar(address)?;
        let first = self.out.code.len();
        self.load_from(ptr, &shape, dst)?;
        self.demand_alignment(first, v.alignment());
        // In C, only `_Bool` has a range of its own.
        if v.has_metadata(self.cx.range_kind) && shape.len() == 1 && shape.leaves[0].scalar == Scalar::int(8) {
            self.push_intrinsic(Intrinsic {
                op: IntrinsicOp::Bool,
                width: 8,
                result_width: 8,
                undefined: Undefined::Error,
                dst: Some(dst),
                args: vec![Operand::slot(dst)],
            });
        }
        Ok(())
    }

    /// The first access from that instruction on is at a multiple of so many bytes.
    fn demand_alignment(&mut self, from: usize, bytes: u64) {
        let accesses = self.out.code[from..].iter_mut();
        let mut alignments = accesses.filter_map(|inst| match inst {
            Inst::Load { align, .. } | Inst::Store { align, .. } => Some(align),
            _ => None,
        });
        if let Some(align) = alignments.next() {
            *align = bytes.max(1).ilog2() as u8;
        }
    }

    /// Loads all scalars of a value.
    pub(super) fn load_from(&mut self, ptr: Operand, shape: &Rc<Shape>, dst: Slot) -> Lowered<()> {
        if shape.packed {
            let (bits, total) = packed_widths(shape)?;
            let whole = self.temporary(1);
            self.load_scalar(ptr, Scalar::int(total), whole);
            self.cut(Operand::slot(whole), total, bits, dst, shape.len() as u32);
            return Ok(());
        }
        for (i, leaf) in shape.leaves.iter().enumerate() {
            let place = self.field(ptr, leaf.offset as i64);
            self.load_scalar(place, leaf.scalar, dst + i as u32);
        }
        Ok(())
    }

    /// Integers that are not whole bytes have zeros above them in memory.
    pub(super) fn load_scalar(&mut self, ptr: Operand, ty: Scalar, dst: Slot) {
        if ty.bits.is_multiple_of(8) {
            self.emit(Inst::Load { ty, align: 0, dst, ptr });
            return;
        }
        let whole = Scalar::int(ty.bytes() as u16 * 8);
        let raw = self.temporary(1);
        self.emit(Inst::Load {
            ty: whole,
            align: 0,
            dst: raw,
            ptr,
        });
        self.resize(Operand::slot(raw), whole.bits, ty.bits, dst);
    }

    pub(super) fn store(&mut self, v: Value<'m>) -> Lowered<()> {
        let (value, address) = (v.operand(0), v.operand(1));
        let shape = self.cx.shapes.of(value.ty())?;
        let values = self.flat(value)?;
        if let Some(kept) = self.slots.kept.get(&address) {
            let (slot, ty) = (kept.slot, shape.leaves[0].scalar);
            self.emit(Inst::SlotStore {
                ty,
                slot,
                value: values[0],
            });
            return Ok(());
        }
        let ptr = self.scalar(address)?;
        let first = self.out.code.len();
        if shape.packed {
            let (bits, total) = packed_widths(&shape)?;
            let whole = self.glue(&values, bits);
            self.store_scalar(ptr, Scalar::int(total), whole);
        } else {
            for (leaf, &value) in shape.leaves.iter().zip(&values) {
                let place = self.field(ptr, leaf.offset as i64);
                self.store_scalar(place, leaf.scalar, value);
            }
        }
        self.demand_alignment(first, v.alignment());
        Ok(())
    }

    pub(super) fn store_scalar(&mut self, ptr: Operand, ty: Scalar, value: Operand) {
        if ty.bits.is_multiple_of(8) {
            self.emit(Inst::Store {
                ty,
                align: 0,
                ptr,
                value,
            });
            return;
        }
        let whole = Scalar::int(ty.bytes() as u16 * 8);
        let raw = self.temporary(1);
        self.resize(value, ty.bits, whole.bits, raw);
        self.emit(Inst::Store {
            ty: whole,
            align: 0,
            ptr,
            value: Operand::slot(raw),
        });
    }

    /// `base + offset`, folded if the base is the address of a global.
    pub(super) fn field(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        if let Some(folded) = self.shifted_constant(base, offset) {
            return folded;
        }
        let dst = self.temporary(1);
        self.emit(Inst::Field { dst, base, offset });
        Operand::slot(dst)
    }

    fn shifted_constant(&mut self, base: Operand, offset: i64) -> Option<Operand> {
        let OperandKind::Constant(index) = base.kind() else {
            return None;
        };
        let constant = self.out.constants[index as usize].clone();
        let folded = self.cx.shift_address(constant, offset)?;
        Some(self.pool(folded))
    }

    pub(super) fn element_address(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let lanes = self.cx.shapes.of(v.ty())?.len();
        let vector = v.ty().is_vector();
        let bases = self.flat(v.operand(0))?;
        let mut ty = v.gep_source_type();
        let mut offset = 0i64;
        let mut indices: Vec<Vec<(Operand, u16, u64)>> = vec![Vec::new(); lanes];
        for (i, index) in v.operands().skip(1).enumerate() {
            let same = if vector { index.splat() } else { Some(index) };
            if let Some(index) = same
                && let Some(n) = index.int_value()
            {
                let n = sign_extend(n, index.ty().int_bits());
                let Some((step, next)) = self.cx.gep_step(ty, i == 0, n) else {
                    return unsupported(format!("an address inside a value of type {ty}"));
                };
                offset = offset.wrapping_add(step);
                ty = next;
                continue;
            }
            if i > 0 {
                if !matches!(ty.kind(), TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind) {
                    return unsupported(format!("an address inside a value of type {ty}"));
                }
                ty = ty.element();
            }
            let scale = self.cx.layout.size(ty);
            let width = self.cx.shapes.of(index.ty())?.leaves[0].scalar.bits;
            let places = self.flat(index)?;
            if scale != 0 {
                for (lane, indices) in indices.iter_mut().enumerate() {
                    let index = of_lane(&places, lane);
                    indices.push(self.narrow_index(index, width, scale));
                }
            }
        }
        for (lane, indices) in indices.into_iter().enumerate() {
            self.emit_address(of_lane(&bases, lane), offset, indices, dst + lane as u32);
        }
        Ok(())
    }

    /// Only the low bits count of an index wider than a pointer.
    fn narrow_index(&mut self, index: Operand, width: u16, scale: u64) -> (Operand, u16, u64) {
        let pointer = self.cx.pointer_bits;
        if width <= pointer {
            return (index, width, scale);
        }
        let dst = self.temporary(1);
        self.resize(index, width, pointer, dst);
        (Operand::slot(dst), pointer, scale)
    }

    fn emit_address(&mut self, base: Operand, offset: i64, indices: Vec<(Operand, u16, u64)>, dst: Slot) {
        let inst = match indices[..] {
            [] => match (offset, self.shifted_constant(base, offset)) {
                (0, _) => Inst::Move { dst, src: base },
                (_, Some(src)) => Inst::Move { dst, src },
                _ => Inst::Field { dst, base, offset },
            },
            [(index, width, scale)] if offset == 0 && u32::try_from(scale).is_ok() => Inst::Index {
                width,
                dst,
                base,
                index,
                scale: scale as u32,
            },
            _ => {
                self.out.geps.push(Gep { offset, indices });
                Inst::Gep {
                    dst,
                    base,
                    gep: GepId(self.out.geps.len() as u32 - 1),
                }
            }
        };
        self.emit(inst);
    }
}

/// The operand of a lane of a vector; a scalar is the same for all lanes.
fn of_lane(values: &[Operand], lane: usize) -> Operand {
    values[if values.len() == 1 { 0 } else { lane }]
}

/// Widths of an element and of the whole of a vector that is packed bit by bit.
fn packed_widths(shape: &Shape) -> Lowered<(u16, u16)> {
    let bits = shape.leaves[0].scalar.bits;
    let total = u32::from(bits) * shape.len() as u32;
    if total > 128 || shape.mixed {
        return unsupported(format!("vectors of {bits}-bit integers in memory"));
    }
    Ok((bits, total as u16))
}
