//! Global variables: their bytes, the addresses among them, and the functions that run before and after `main`.

use super::Lowering;
use super::constant::truncate;
use crate::ir::*;
use crate::llvm::{Linkage, Module, Opcode, Type, TypeKind, Value, ValueKind};

/// Up to this many zeros between two runs of bytes are stored as part of one run.
const SHORT_GAP: u64 = 64;

/// An initialiser that cannot be expressed; occurs only in assembly-like code.
struct NotRepresentable;

impl<'m> Lowering<'m> {
    pub(super) fn lower_global(&mut self, global: Value<'m>, runtime: bool) -> Global {
        let ty = global.value_type();
        let name = global.name();
        let natural = self.layout.align(ty);
        let align = if global.alignment() == 0 {
            natural
        } else {
            global.alignment()
        };
        let variable = self.debug.global(global);
        let site = Site {
            kind: SiteKind::Global,
            name: Some(
                variable
                    .as_ref()
                    .and_then(|v| v.name.clone())
                    .unwrap_or_else(|| name.clone()),
            ),
            align,
            loc: variable.as_ref().map_or(self.unknown_loc(), |v| v.loc),
            function: None,
            c_type: variable.and_then(|v| v.c_type),
            fixed: false,
        };
        let mut external = global.is_declaration();
        let mut init = Vec::new();
        if let Some(value) = global.initializer()
            && self.write(value, 0, &mut init).is_err()
        {
            tracing::warn!(global = %name, "the initialiser cannot be represented; the variable counts as external");
            init.clear();
            external = true;
        }
        let site = self.add_site(site);
        let constant = global.is_constant_global();
        Global {
            size: self.layout.size(ty),
            name,
            align,
            constant,
            only_read: global.is_local() && global.users().all(|user| user.opcode() == Some(Opcode::LLVMLoad)),
            external,
            init,
            site,
            runtime,
        }
    }

    fn write(&mut self, value: Value<'m>, at: u64, out: &mut Vec<(u64, InitData)>) -> Result<(), NotRepresentable> {
        if value.is_undef() || value.is_null() {
            return Ok(());
        }
        if let Some(bytes) = value.string_bytes() {
            push_bytes(out, at, bytes);
            return Ok(());
        }
        let ty = value.ty();
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => (0..ty.field_count()).try_for_each(|i| {
                let start = at + self.layout.field_offset(ty, i);
                self.write_element(value, i, start, out)
            }),
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                let size = self.element_distance(ty);
                if size == 0 && ty.length() > 0 {
                    return Err(NotRepresentable);
                }
                (0..ty.length()).try_for_each(|i| self.write_element(value, i as u32, at + i * size, out))
            }
            _ => self.write_scalar(value, at, out),
        }
    }

    /// The distance of elements. Vectors are packed; one with elements that are not whole bytes has none.
    fn element_distance(&mut self, ty: Type<'m>) -> u64 {
        if !ty.is_vector() {
            return self.layout.size(ty.element());
        }
        match self.shapes.of(ty.element()) {
            Ok(shape) if shape.leaves[0].scalar.bits.is_multiple_of(8) => shape.leaves[0].scalar.bytes().into(),
            _ => 0,
        }
    }

    fn write_element(
        &mut self,
        value: Value<'m>,
        index: u32,
        at: u64,
        out: &mut Vec<(u64, InitData)>,
    ) -> Result<(), NotRepresentable> {
        let element = value.aggregate_element(index).ok_or(NotRepresentable)?;
        self.write(element, at, out)
    }

    fn write_scalar(
        &mut self,
        value: Value<'m>,
        at: u64,
        out: &mut Vec<(u64, InitData)>,
    ) -> Result<(), NotRepresentable> {
        let shape = self.shapes.of(value.ty()).map_err(|_| NotRepresentable)?;
        let [leaf] = shape.leaves[..] else {
            return Err(NotRepresentable);
        };
        let bytes = leaf.scalar.bytes() as usize;
        match self.fold(value) {
            Some(Constant::Int(n)) => {
                push_bytes(out, at, &n.to_le_bytes()[..bytes.min(8)]);
            }
            Some(Constant::Wide { words, .. }) => {
                let all: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                push_bytes(out, at, &all[..bytes]);
            }
            Some(Constant::Undef { .. }) => {}
            Some(address) if leaf.scalar.bits == self.pointer_bits => {
                out.push((at, InitData::Address(address)));
            }
            _ => {
                let (a, b, addend) = self.difference(value).ok_or(NotRepresentable)?;
                out.push((
                    at,
                    InitData::Difference {
                        a,
                        b,
                        addend,
                        bytes: bytes as u32,
                    },
                ));
            }
        }
        Ok(())
    }

    /// `a - b + addend` of two addresses, possibly truncated.
    fn difference(&mut self, value: Value<'m>) -> Option<(Constant, Constant, i64)> {
        match value.opcode()? {
            Opcode::LLVMTrunc => self.difference(value.operand(0)),
            Opcode::LLVMSub => {
                let (a, b) = (self.fold(value.operand(0))?, self.fold(value.operand(1))?);
                let is_address = |c: &Constant| matches!(c, Constant::Global { .. } | Constant::Function(_));
                (is_address(&a) && is_address(&b)).then_some((a, b, 0))
            }
            Opcode::LLVMAdd => {
                let (x, y) = (value.operand(0), value.operand(1));
                let (inner, number) = if x.int_value().is_some() { (y, x) } else { (x, y) };
                let (a, b, addend) = self.difference(inner)?;
                let number = number.int_value()? as i64;
                Some((a, b, addend.wrapping_add(number)))
            }
            _ => None,
        }
    }

    /// The functions of `llvm.global_ctors` or `llvm.global_dtors`, by priority.
    pub(super) fn lower_structors(&mut self, module: &'m Module, list: &str) -> Vec<FunctionId> {
        let Some(entries) = module.symbol(list).and_then(|g| g.initializer()) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for i in 0..entries.ty().length() as u32 {
            let Some(entry) = entries.aggregate_element(i) else {
                continue;
            };
            let priority = entry.aggregate_element(0).and_then(|p| p.int_value()).unwrap_or(65535);
            let function = entry.aggregate_element(1).map(|f| self.resolve_alias(f));
            if let Some(function) = function
                && function.kind() == ValueKind::LLVMFunctionValueKind
                && let Some(&id) = self.functions.get(&function)
            {
                found.push((truncate(priority, 32), id));
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        if list.ends_with("dtors") {
            found.reverse();
        }
        found.into_iter().map(|(_, id)| id).collect()
    }
}

/// Special variables of LLVM are lists for tools, not variables of the program.
pub(crate) fn is_special(global: Value) -> bool {
    global.linkage() == Linkage::LLVMAppendingLinkage || global.name().starts_with("llvm.")
}

/// Adds bytes after all previous ones; long runs of zeros are left out.
fn push_bytes(out: &mut Vec<(u64, InitData)>, at: u64, bytes: &[u8]) {
    if bytes.iter().all(|&b| b == 0) {
        return;
    }
    if let Some((start, InitData::Bytes(last))) = out.last_mut() {
        let end = *start + last.len() as u64;
        if at - end <= SHORT_GAP {
            last.resize((at - *start) as usize, 0);
            last.extend_from_slice(bytes);
            return;
        }
    }
    out.push((at, InitData::Bytes(bytes.to_vec())));
}
