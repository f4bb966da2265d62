//! `llvm.masked.*`: loads and stores of those elements of a vector whose bit in a mask is set.
//!
//! The same code serves all masks, so an element that is masked out is read from, or written to, a scratch object
//! instead.

use super::function::{Flat, FunctionLowering};
use super::shape::Lowered;
use crate::ir::*;
use crate::llvm::Value;

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Masked {
    /// Elements lie side by side.
    Load,
    Store,
    /// Each element has its own address.
    Gather,
    Scatter,
}

impl Masked {
    /// Determined by what follows `llvm.masked.`.
    pub fn of(name: &str) -> Option<Masked> {
        Some(match name.split('.').next()? {
            "load" => Masked::Load,
            "store" => Masked::Store,
            "gather" => Masked::Gather,
            "scatter" => Masked::Scatter,
            _ => return None,
        })
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn masked(&mut self, v: Value<'m>, masked: Masked, args: &[Value<'m>], dst: Slot) -> Lowered<()> {
        // load, gather: address, alignment, mask, otherwise; store, scatter: value, address, alignment, mask
        let (ty, address, mask) = match masked {
            Masked::Load | Masked::Gather => (v.ty(), args[0], args[2]),
            Masked::Store | Masked::Scatter => (args[0].ty(), args[1], args[3]),
        };
        let shape = self.cx.shapes.of(ty)?;
        let scalar = shape.leaves[0].scalar;
        let mask = self.flat(mask)?;
        let mut places = self.flat(address)?;
        if matches!(masked, Masked::Load | Masked::Store) {
            let start = places[0];
            places = shape
                .leaves
                .iter()
                .map(|leaf| self.field(start, leaf.offset as i64))
                .collect();
        }
        let (saved, scratch) = (self.temporary(1), self.temporary(1));
        self.emit(Inst::StackSave { dst: saved });
        let (site, count) = (self.stack_site(v, 16), self.int(64, 1));
        self.emit(Inst::Alloca {
            width: 64,
            dst: scratch,
            size: scalar.bytes(),
            count,
            site,
        });
        let places: Flat = (mask.iter().zip(&places))
            .map(|(&cond, &yes)| {
                let place = self.temporary(1);
                self.emit(Inst::Select {
                    width: self.cx.pointer_bits,
                    dst: place,
                    cond,
                    yes,
                    no: Operand::slot(scratch),
                });
                Operand::slot(place)
            })
            .collect();
        match masked {
            Masked::Load | Masked::Gather => {
                let otherwise = self.flat(args[3])?;
                for (i, &place) in places.iter().enumerate() {
                    let loaded = self.temporary(1);
                    self.load_scalar(place, scalar, loaded);
                    self.emit(Inst::Select {
                        width: scalar.bits,
                        dst: dst + i as u32,
                        cond: mask[i],
                        yes: Operand::slot(loaded),
                        no: otherwise[i],
                    });
                }
            }
            Masked::Store | Masked::Scatter => {
                for (&place, &value) in places.iter().zip(&self.flat(args[0])?) {
                    self.store_scalar(place, scalar, value);
                }
            }
        }
        let ptr = Operand::slot(saved);
        self.emit(Inst::StackRestore { ptr });
        Ok(())
    }
}
