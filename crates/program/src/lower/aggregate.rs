//! Structs, arrays and vectors as values: they are flat, so taking them apart and putting them together are moves.

use super::function::{Flat, FunctionLowering};
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{Type, TypeKind, Value};

/// The widest integer that elements of a vector are joined into.
const WIDEST_GLUE: u32 = 128;

impl<'m> FunctionLowering<'_, 'm> {
    /// Position of the scalar that indices lead to.
    fn flat_position(&mut self, mut ty: Type<'m>, indices: &[u32]) -> Lowered<usize> {
        let mut position = 0;
        for &index in indices {
            match ty.kind() {
                TypeKind::LLVMStructTypeKind => {
                    for i in 0..index {
                        position += self.cx.shapes.of(ty.field(i))?.len();
                    }
                    ty = ty.field(index);
                }
                TypeKind::LLVMArrayTypeKind => {
                    ty = ty.element();
                    position += index as usize * self.cx.shapes.of(ty)?.len();
                }
                _ => return unsupported(format!("an element of a value of type {ty}")),
            }
        }
        Ok(position)
    }

    pub(super) fn extract_value(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let start = self.flat_position(v.operand(0).ty(), v.indices())?;
        let count = self.cx.shapes.of(v.ty())?.len();
        let source = self.flat(v.operand(0))?;
        self.moves(dst, &source[start..start + count]);
        Ok(())
    }

    pub(super) fn insert_value(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let start = self.flat_position(v.ty(), v.indices())?;
        let mut result = self.flat(v.operand(0))?;
        for (i, part) in self.flat(v.operand(1))?.into_iter().enumerate() {
            result[start + i] = part;
        }
        self.moves(dst, &result);
        Ok(())
    }

    pub(super) fn extract_element(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let source = self.flat(v.operand(0))?;
        let scalar = self.scalar_type(v)?;
        let index = v.operand(1);
        if let Some(i) = index.int_value() {
            let element = source.get(i as usize).copied();
            let src = element.unwrap_or_else(|| self.undefined(scalar));
            self.emit(Inst::Move { dst, src });
            return Ok(());
        }
        // The first element is the default: an index out of range is undefined.
        self.emit(Inst::Move { dst, src: source[0] });
        for (i, &element) in source.iter().enumerate().skip(1) {
            let cond = self.index_is(index, i as u64)?;
            let no = Operand::slot(dst);
            self.emit(Inst::Select {
                width: scalar.bits,
                dst,
                cond,
                yes: element,
                no,
            });
        }
        Ok(())
    }

    pub(super) fn insert_element(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let mut result = self.flat(v.operand(0))?;
        let element = self.scalar(v.operand(1))?;
        let scalar = self.scalar_type(v.operand(1))?;
        let index = v.operand(2);
        if let Some(i) = index.int_value() {
            if let Some(place) = result.get_mut(i as usize) {
                *place = element;
            }
            self.moves(dst, &result);
            return Ok(());
        }
        for (i, &old) in result.iter().enumerate() {
            let cond = self.index_is(index, i as u64)?;
            let dst = dst + i as u32;
            self.emit(Inst::Select {
                width: scalar.bits,
                dst,
                cond,
                yes: element,
                no: old,
            });
        }
        Ok(())
    }

    fn index_is(&mut self, index: Value<'m>, i: u64) -> Lowered<Operand> {
        let width = self.scalar_type(index)?.bits;
        let a = self.scalar(index)?;
        let b = self.int(width.into(), i);
        let dst = self.temporary(1);
        self.emit(Inst::Cmp {
            pred: Pred::Eq,
            width,
            dst,
            a,
            b,
        });
        Ok(Operand::slot(dst))
    }

    fn undefined(&mut self, scalar: Scalar) -> Operand {
        self.pool(Constant::Undef { bits: scalar.width() })
    }

    pub(super) fn shuffle(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let shape = self.cx.shapes.of(v.ty())?;
        let mut source = self.flat(v.operand(0))?;
        source.extend(self.flat(v.operand(1))?);
        for (i, (lane, scalar)) in v.shuffle_mask().into_iter().zip(shape.scalars()).enumerate() {
            let element = lane.and_then(|lane| source.get(lane as usize).copied());
            let src = element.unwrap_or_else(|| self.undefined(scalar));
            self.emit(Inst::Move {
                dst: dst + i as u32,
                src,
            });
        }
        Ok(())
    }

    /// Same bits, other type. Between vectors of different element widths the bits are joined and cut again.
    pub(super) fn bit_cast(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let (from, to) = (self.cx.shapes.of(v.operand(0).ty())?, self.cx.shapes.of(v.ty())?);
        let source = self.flat(v.operand(0))?;
        let (Some(old), Some(new)) = (from.leaves.first(), to.leaves.first()) else {
            return unsupported(format!("a cast to {}", v.ty()));
        };
        if old.scalar.bits == new.scalar.bits {
            self.moves(dst, &source);
            return Ok(());
        }
        let (old, new) = (old.scalar.bits, new.scalar.bits);
        if let Some(pieces) = self.regroup(&source, old, new)? {
            self.moves(dst, &pieces);
            return Ok(());
        }
        let total = u32::from(old) * source.len() as u32;
        if total > WIDEST_GLUE {
            return unsupported(format!("a cast of {} to {}", v.operand(0).ty(), v.ty()));
        }
        let whole = self.glue(&source, old);
        self.cut(whole, total as u16, new, dst, to.len() as u32);
        Ok(())
    }

    /// If several elements make one new element, or the other way round, no integer of the whole width is needed.
    fn regroup(&mut self, source: &[Operand], old: u16, new: u16) -> Lowered<Option<Flat>> {
        let mut pieces = Flat::new();
        if new > old && new.is_multiple_of(old) && u32::from(new) <= WIDEST_GLUE {
            for group in source.chunks(usize::from(new / old)) {
                pieces.push(self.glue(group, old));
            }
        } else if old > new && old.is_multiple_of(new) && u32::from(old) <= WIDEST_GLUE {
            let count = u32::from(old / new);
            for &element in source {
                let dst = self.temporary(count);
                self.cut(element, old, new, dst, count);
                pieces.extend((dst..dst + count).map(Operand::slot));
            }
        } else {
            return Ok(None);
        }
        Ok(Some(pieces))
    }

    /// Joins all parts into one integer, the first in the lowest bits.
    pub(super) fn glue(&mut self, parts: &[Operand], width: u16) -> Operand {
        let total = width * parts.len() as u16;
        if let [part] = *parts {
            return part;
        }
        let whole = self.temporary(2);
        for (i, &part) in parts.iter().enumerate() {
            let wide = if i == 0 { whole } else { whole + 1 };
            self.resize(part, width, total, wide);
            if i == 0 {
                continue;
            }
            let shift = self.int(total.into(), u64::from(width) * i as u64);
            let (a, dst) = (Operand::slot(whole + 1), whole + 1);
            self.emit(Inst::Bin {
                op: BinOp::Shl,
                width: total,
                nsw: false,
                undefined: Undefined::Poison,
                dst,
                a,
                b: shift,
            });
            let (a, b) = (Operand::slot(whole), Operand::slot(whole + 1));
            self.emit(Inst::Bin {
                op: BinOp::Or,
                width: total,
                nsw: false,
                undefined: Undefined::Poison,
                dst: whole,
                a,
                b,
            });
        }
        Operand::slot(whole)
    }

    /// The inverse of [`glue`](Self::glue).
    pub(super) fn cut(&mut self, whole: Operand, total: u16, width: u16, dst: Slot, count: u32) {
        for i in 0..count {
            let mut part = whole;
            if i > 0 {
                let b = self.int(total.into(), u64::from(width) * u64::from(i));
                let shifted = self.temporary(1);
                let inst = Inst::Bin {
                    op: BinOp::LShr,
                    width: total,
                    nsw: false,
                    undefined: Undefined::Poison,
                    dst: shifted,
                    a: whole,
                    b,
                };
                self.emit(inst);
                part = Operand::slot(shifted);
            }
            self.resize(part, total, width, dst + i);
        }
    }
}
