//! Constants: folded to entries of the pool where possible, otherwise computed by instructions before their use.

use super::Lowering;
use super::function::{Flat, FunctionLowering};
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{Linkage, Opcode, Type, TypeKind, Value, ValueKind};

/// An integer constant of any width.
pub(super) fn integer(bits: u32, words: &[u64]) -> Constant {
    if bits <= 64 {
        Constant::Int(truncate(words.first().copied().unwrap_or(0), bits))
    } else {
        let mut words = words.to_vec();
        words.resize(bits.div_ceil(64) as usize, 0);
        Constant::Wide { bits, words }
    }
}

pub(super) fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

impl<'m> Lowering<'m> {
    /// The value of a scalar constant, if it can be named without computing.
    pub(super) fn fold(&mut self, value: Value<'m>) -> Option<Constant> {
        let ty = value.ty();
        match value.kind() {
            ValueKind::LLVMConstantIntValueKind if ty.int_bits() <= 64 => Some(Constant::Int(value.int_value()?)),
            ValueKind::LLVMConstantIntValueKind => Some(integer(ty.int_bits(), &value.int_words())),
            ValueKind::LLVMConstantFPValueKind => {
                let bits = self.scalar_bits(ty)?;
                let bits_value = value.float_bits(bits)?;
                Some(integer(bits, &bits_value.int_words()))
            }
            ValueKind::LLVMConstantPointerNullValueKind => Some(Constant::Int(0)),
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => Some(Constant::Undef {
                bits: self.scalar_bits(ty)?,
            }),
            ValueKind::LLVMFunctionValueKind => Some(if is_absent(value) {
                Constant::Int(0)
            } else {
                Constant::Function(*self.functions.get(&value)?)
            }),
            ValueKind::LLVMGlobalVariableValueKind => Some(if is_absent(value) {
                Constant::Int(0)
            } else {
                Constant::Global {
                    global: *self.globals.get(&value)?,
                    offset: 0,
                }
            }),
            ValueKind::LLVMGlobalAliasValueKind => self.fold(value.aliasee()?),
            ValueKind::LLVMBlockAddressValueKind => {
                let (_, block) = value.block_address()?;
                Some(Constant::Int(self.label_address(block)))
            }
            ValueKind::LLVMConstantExprValueKind => self.fold_expression(value),
            _ => None,
        }
    }

    fn scalar_bits(&mut self, ty: Type<'m>) -> Option<u32> {
        let shape = self.shapes.of(ty).ok()?;
        (shape.len() == 1).then(|| shape.leaves[0].scalar.width())
    }

    fn fold_expression(&mut self, value: Value<'m>) -> Option<Constant> {
        let bits = self.scalar_bits(value.ty())?;
        if value.ty().is_vector() {
            return None;
        }
        match value.opcode()? {
            Opcode::LLVMGetElementPtr => {
                let base = self.fold(value.operand(0))?;
                let offset = self.constant_offset(value)?;
                self.shift_address(base, offset)
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr | Opcode::LLVMBitCast => {
                let from = value.operand(0);
                let from_bits = self.scalar_bits(from.ty())?;
                match self.fold(from)? {
                    Constant::Int(n) => Some(Constant::Int(truncate(n, bits))),
                    other if from_bits == bits => Some(other),
                    _ => None,
                }
            }
            Opcode::LLVMTrunc => match self.fold(value.operand(0))? {
                Constant::Int(n) => Some(Constant::Int(truncate(n, bits))),
                _ => None,
            },
            op @ (Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMXor) => {
                let (a, b) = (self.fold(value.operand(0))?, self.fold(value.operand(1))?);
                fold_binary(op, bits, a, b)
            }
            _ => None,
        }
    }

    /// Bytes that the indices of a `getelementptr` add, if all are constant.
    pub(super) fn constant_offset(&mut self, gep: Value<'m>) -> Option<i64> {
        let mut ty = gep.gep_source_type();
        let mut offset = 0i64;
        for (i, index) in gep.operands().skip(1).enumerate() {
            let step = sign_extend(index.int_value()?, index.ty().int_bits());
            let (scale, next) = self.gep_step(ty, i == 0, step)?;
            offset = offset.wrapping_add(scale);
            ty = next;
        }
        Some(offset)
    }

    /// One constant step of a `getelementptr`: its bytes, and the type it arrives at.
    pub(super) fn gep_step(&self, ty: Type<'m>, first: bool, index: i64) -> Option<(i64, Type<'m>)> {
        if first {
            return Some((index.wrapping_mul(self.layout.size(ty) as i64), ty));
        }
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                let field = u32::try_from(index).ok()?;
                Some((self.layout.field_offset(ty, field) as i64, ty.field(field)))
            }
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                let element = ty.element();
                Some((index.wrapping_mul(self.layout.size(element) as i64), element))
            }
            _ => None,
        }
    }

    pub(super) fn shift_address(&self, base: Constant, by: i64) -> Option<Constant> {
        match base {
            _ if by == 0 => Some(base),
            Constant::Global { global, offset } => Some(Constant::Global {
                global,
                offset: offset.wrapping_add(by),
            }),
            Constant::Int(n) => Some(Constant::Int(truncate(
                n.wrapping_add(by as u64),
                self.pointer_bits.into(),
            ))),
            _ => None,
        }
    }
}

/// A weak declaration that nothing defines has the address zero.
fn is_absent(value: Value) -> bool {
    value.linkage() == Linkage::LLVMExternalWeakLinkage && value.is_declaration()
}

pub(super) fn sign_extend(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

fn fold_binary(op: Opcode, bits: u32, a: Constant, b: Constant) -> Option<Constant> {
    match (op, a, b) {
        (_, Constant::Int(a), Constant::Int(b)) => {
            let result = match op {
                Opcode::LLVMAdd => a.wrapping_add(b),
                Opcode::LLVMSub => a.wrapping_sub(b),
                Opcode::LLVMMul => a.wrapping_mul(b),
                _ => a ^ b,
            };
            Some(Constant::Int(truncate(result, bits)))
        }
        (Opcode::LLVMAdd, Constant::Global { global, offset }, Constant::Int(n))
        | (Opcode::LLVMAdd, Constant::Int(n), Constant::Global { global, offset }) => Some(Constant::Global {
            global,
            offset: offset.wrapping_add(sign_extend(n, bits)),
        }),
        (Opcode::LLVMSub, Constant::Global { global, offset }, Constant::Int(n)) => Some(Constant::Global {
            global,
            offset: offset.wrapping_sub(sign_extend(n, bits)),
        }),
        (Opcode::LLVMSub, Constant::Global { global: a, offset: x }, Constant::Global { global: b, offset: y })
            if a == b =>
        {
            Some(Constant::Int(truncate(x.wrapping_sub(y) as u64, bits)))
        }
        _ => None,
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The scalars of a constant. Those that need instructions get them here, before the use.
    pub(super) fn constant_operands(&mut self, value: Value<'m>) -> Lowered<Flat> {
        if let Some(known) = self.constant_values.get(&value) {
            return Ok(known.clone());
        }
        let shape = self.cx.shapes.of(value.ty())?;
        let computed_before = self.temporaries;
        let flat = if shape.len() == 1
            && let Some(constant) = self.cx.fold(value)
        {
            Flat::from_elem(self.pool(constant), 1)
        } else if value.is_undef() {
            shape
                .scalars()
                .map(|s| self.pool(Constant::Undef { bits: s.width() }))
                .collect()
        } else if value.is_null() {
            shape.scalars().map(|s| self.pool(integer(s.width(), &[0]))).collect()
        } else if let Some(opcode) = value.is_constant_expression().then(|| value.opcode()).flatten() {
            let dst = self.temporary(shape.len() as u32);
            self.operation(value, opcode, dst)?;
            (dst..dst + shape.len() as u32).map(Operand::slot).collect()
        } else if value.aggregate_element(0).is_some() {
            let mut flat = Flat::new();
            let mut index = 0;
            while flat.len() < shape.len()
                && let Some(element) = value.aggregate_element(index)
            {
                flat.extend(self.constant_operands(element)?);
                index += 1;
            }
            flat
        } else {
            return unsupported(describe(value));
        };
        if flat.len() != shape.len() {
            return unsupported(format!("a constant of type {}", value.ty()));
        }
        if self.temporaries == computed_before {
            self.constant_values.insert(value, flat.clone());
        }
        Ok(flat)
    }
}

fn describe(value: Value) -> String {
    match value.kind() {
        ValueKind::LLVMGlobalIFuncValueKind => format!("the indirect function {}", value.name()),
        ValueKind::LLVMFunctionValueKind => format!("the address of {}", value.name()),
        _ => format!("a constant of type {}", value.ty()),
    }
}
