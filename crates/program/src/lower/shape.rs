//! How an LLVM type is flattened into scalars, and where each of them lies in memory.

use crate::ir::{Scalar, ScalarKind};
use crate::llvm::{Layout, Type, TypeKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// First-class values with more scalars than this are not lowered.
const MOST_LEAVES: usize = 4096;

/// A construct that Mneme does not execute; the text says which, for the user.
#[derive(Clone, Debug)]
pub struct Unsupported(pub String);

pub type Lowered<T> = Result<T, Unsupported>;

pub fn unsupported<T>(what: impl Into<String>) -> Lowered<T> {
    Err(Unsupported(what.into()))
}

#[derive(Copy, Clone, Debug)]
pub struct Leaf {
    pub scalar: Scalar,
    /// Bytes from the start of the value in memory.
    pub offset: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub leaves: SmallVec<[Leaf; 1]>,
    /// It contains a vector whose elements are not whole bytes: such vectors are packed bit by bit in memory.
    pub packed: bool,
    /// It is a struct or array around such vectors.
    pub mixed: bool,
}

impl Shape {
    pub fn len(&self) -> usize {
        self.leaves.len()
    }

    pub fn scalars(&self) -> impl Iterator<Item = Scalar> {
        self.leaves.iter().map(|leaf| leaf.scalar)
    }
}

/// The shapes of all types met so far.
pub struct Shapes<'m> {
    layout: Layout<'m>,
    pointer_bits: u16,
    known: FxHashMap<Type<'m>, Lowered<Rc<Shape>>>,
}

impl<'m> Shapes<'m> {
    pub fn new(layout: Layout<'m>) -> Shapes<'m> {
        Shapes {
            layout,
            pointer_bits: layout.pointer_bits() as u16,
            known: FxHashMap::default(),
        }
    }

    pub fn of(&mut self, ty: Type<'m>) -> Lowered<Rc<Shape>> {
        if let Some(shape) = self.known.get(&ty) {
            return shape.clone();
        }
        let mut shape = Shape::default();
        let result = self.flatten(ty, 0, &mut shape).map(|()| {
            shape.mixed = shape.packed && !ty.is_vector();
            Rc::new(shape)
        });
        self.known.insert(ty, result.clone());
        result
    }

    fn flatten(&self, ty: Type<'m>, offset: u64, shape: &mut Shape) -> Lowered<()> {
        match ty.kind() {
            TypeKind::LLVMVoidTypeKind => Ok(()),
            TypeKind::LLVMStructTypeKind if ty.is_sized() => (0..ty.field_count()).try_for_each(|i| {
                let start = self.layout.field_offset(ty, i);
                self.flatten(ty.field(i), offset + start, shape)
            }),
            TypeKind::LLVMArrayTypeKind => {
                let (element, length) = (ty.element(), ty.length());
                let size = self.layout.size(element);
                if length > MOST_LEAVES as u64 {
                    return unsupported(format!("values of type {ty}"));
                }
                (0..length).try_for_each(|i| self.flatten(element, offset + i * size, shape))
            }
            TypeKind::LLVMVectorTypeKind => {
                let scalar = self.scalar(ty.element())?;
                shape.packed |= !scalar.bits.is_multiple_of(8);
                for i in 0..ty.length() {
                    let offset = offset + i * u64::from(scalar.bytes());
                    self.push(shape, Leaf { scalar, offset }, ty)?;
                }
                Ok(())
            }
            _ => {
                let scalar = self.scalar(ty)?;
                self.push(shape, Leaf { scalar, offset }, ty)
            }
        }
    }

    fn push(&self, shape: &mut Shape, leaf: Leaf, ty: Type<'m>) -> Lowered<()> {
        if shape.leaves.len() >= MOST_LEAVES {
            return unsupported(format!("values of type {ty}"));
        }
        shape.leaves.push(leaf);
        Ok(())
    }

    fn scalar(&self, ty: Type<'m>) -> Lowered<Scalar> {
        let (kind, bits) = match ty.kind() {
            TypeKind::LLVMIntegerTypeKind => match u16::try_from(ty.int_bits()) {
                Ok(bits) => (ScalarKind::Int, bits),
                Err(_) => return unsupported(format!("integers of type {ty}")),
            },
            TypeKind::LLVMPointerTypeKind if ty.address_space() == 0 => (ScalarKind::Pointer, self.pointer_bits),
            TypeKind::LLVMFloatTypeKind => (ScalarKind::Float, 32),
            TypeKind::LLVMDoubleTypeKind => (ScalarKind::Float, 64),
            TypeKind::LLVMHalfTypeKind => (ScalarKind::Float, 16),
            TypeKind::LLVMFP128TypeKind => (ScalarKind::Float, 128),
            TypeKind::LLVMX86_FP80TypeKind => (ScalarKind::Extended, 80),
            TypeKind::LLVMBFloatTypeKind => (ScalarKind::OtherFloat, 16),
            TypeKind::LLVMPPC_FP128TypeKind => (ScalarKind::OtherFloat, 128),
            _ => return unsupported(format!("values of type {ty}")),
        };
        Ok(Scalar { kind, bits })
    }
}
