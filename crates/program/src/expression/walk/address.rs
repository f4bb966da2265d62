//! From a pointer back to the object that it refers to, or to a part of one.

use super::super::print::{Binding, Text, infix};
use super::{DEEPEST, Walk, string_literal};
use crate::Type;
use crate::c_type::Kind;
use crate::ir::*;

/// What a pointer refers to.
pub(super) enum Address {
    /// The address of an object or of a part of one.
    Place { text: String, ty: Type },
    /// A pointer value; what it points to follows from its type.
    Pointer(Text),
}

impl Walk<'_> {
    pub(super) fn address(&mut self, pc: u32, operand: Operand) -> Option<Address> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let address = self.address_inner(pc, operand);
        self.depth -= 1;
        address
    }

    fn address_inner(&mut self, pc: u32, operand: Operand) -> Option<Address> {
        let width = self.program.target.pointer_width as u16;
        let slot = match operand.kind() {
            OperandKind::Constant(index) => {
                let function = self.function;
                return match function.constants[index as usize] {
                    Constant::Global { global, offset } => self.global(global, offset),
                    _ => Some(Address::Pointer(self.value(pc, operand, width))),
                };
            }
            OperandKind::Slot(slot) => slot,
        };
        let Some(at) = self.definition(pc, slot) else {
            return Some(Address::Pointer(self.value(pc, operand, width)));
        };
        match self.function.code[at as usize] {
            Inst::Alloca { site, .. } | Inst::ByvalCopy { site, .. } => self.variable(site),
            Inst::Move { src, .. } | Inst::Freeze { src, .. } => self.address(at, src),
            Inst::Field { base, offset, .. } => {
                let base = self.address(at, base)?;
                self.shift(base, offset)
            }
            Inst::Index {
                width,
                base,
                index,
                scale,
                ..
            } => {
                let base = self.address(at, base)?;
                self.index(at, base, index, width, scale.into())
            }
            Inst::Gep { base, gep, .. } => {
                let gep = &self.function.geps[gep.index()];
                let (mut place, mut offset) = (self.address(at, base)?, gep.offset);
                for &(index, width, scale) in &gep.indices {
                    if offset != 0 && self.element(&place, scale).is_none() {
                        place = self.shift(place, offset)?;
                        offset = 0;
                    }
                    place = self.index(at, place, index, width, scale)?;
                }
                self.shift(place, offset)
            }
            _ => Some(Address::Pointer(self.value(pc, operand, width))),
        }
    }

    /// Constants without a name in C have one that begins with a dot.
    fn variable(&self, site: SiteId) -> Option<Address> {
        let site = &self.program.sites[site.index()];
        Some(Address::Place {
            text: site.name.clone().filter(|name| !name.starts_with('.'))?,
            ty: site.c_type?.into(),
        })
    }

    pub(super) fn global(&mut self, global: GlobalId, offset: i64) -> Option<Address> {
        let global = &self.program.globals[global.index()];
        if let Some(place) = self.variable(global.site) {
            return self.shift(place, offset);
        }
        let literal = match &global.init[..] {
            [(0, InitData::Bytes(bytes))] if global.constant => string_literal(bytes)?,
            _ => return None,
        };
        Some(Address::Pointer(Text::new(literal, Binding::Postfix, None))).filter(|_| offset == 0)
    }

    fn shift(&mut self, address: Address, offset: i64) -> Option<Address> {
        if offset == 0 {
            return Some(address);
        }
        match address {
            Address::Place { text, ty } => {
                let (path, ty) = self.program.part_at(ty, offset)?;
                Some(Address::Place { text: text + &path, ty })
            }
            Address::Pointer(pointer) => {
                let to = self.pointed_to(&pointer)?;
                let size = self.program.size_of(to).map_or(i64::MAX, |size| size as i64);
                if (0..size).contains(&offset) {
                    let (path, ty) = self.program.part_at(to, offset)?;
                    let text = through(&pointer, &path);
                    return Some(Address::Place { text, ty });
                }
                if size == 0 {
                    return None;
                }
                let (path, ty) = self.program.part_at(to, offset.rem_euclid(size))?;
                let text = format!(
                    "{}[{}]{path}",
                    pointer.within(Binding::Postfix),
                    offset.div_euclid(size)
                );
                Some(Address::Place { text, ty })
            }
        }
    }

    /// What an index of that scale selects from: a path to an array inside the place, and the type of its elements.
    fn element(&self, address: &Address, scale: u64) -> Option<(String, Type)> {
        match address {
            Address::Place { ty, .. } => self.array_within(*ty, scale),
            Address::Pointer(pointer) => {
                let to = self.pointed_to(pointer)?;
                if self.program.size_of(to) == Some(scale) {
                    return Some((String::new(), to));
                }
                self.array_within(to, scale)
            }
        }
    }

    fn array_within(&self, ty: Type, scale: u64) -> Option<(String, Type)> {
        let (mut path, mut ty) = (String::new(), ty);
        for _ in 0..DEEPEST {
            match self.program.kind(ty) {
                Kind::Array { of, .. } if self.program.size_of(of) == Some(scale) => return Some((path, of)),
                Kind::Array { of, .. } => {
                    path.push_str("[0]");
                    ty = of;
                }
                Kind::Struct { fields, .. } => {
                    let field = fields.iter().find(|field| field.offset_bits == 0)?;
                    if let Some(name) = &field.name {
                        path.push('.');
                        path.push_str(name);
                    }
                    ty = field.c_type.into();
                }
                _ => return None,
            }
        }
        None
    }

    fn index(&mut self, pc: u32, address: Address, index: Operand, width: u16, scale: u64) -> Option<Address> {
        let element = self.element(&address, scale);
        let index_text = self.value(pc, index, width);
        let index = &index_text.text;
        let bytewise = scale == 1;
        match (address, element) {
            (Address::Place { text, .. }, Some((path, ty))) => Some(Address::Place {
                text: format!("{text}{path}[{index}]"),
                ty,
            }),
            (Address::Pointer(pointer), Some((path, ty))) => {
                let array = if path.is_empty() && self.pointed_to(&pointer) != Some(ty) {
                    format!("(*{})", pointer.within(Binding::Unary))
                } else {
                    through(&pointer, &path)
                };
                Some(Address::Place {
                    text: format!("{array}[{index}]"),
                    ty,
                })
            }
            (Address::Place { text, ty }, None) if self.program.size_of(ty) == Some(scale) => Some(Address::Place {
                text: further(&text, &index_text),
                ty,
            }),
            (Address::Pointer(pointer), None) if bytewise && !pointer.is_unknown() => {
                Some(Address::Pointer(Text::new(
                    format!("(char *){} + {index}", pointer.within(Binding::Unary)),
                    Binding::Sum,
                    None,
                )))
            }
            _ => None,
        }
    }

    /// The scalar that an address refers to.
    pub(super) fn access(&mut self, pc: u32, operand: Operand, ty: Scalar) -> Option<String> {
        let (text, pointer, _) = self.object(pc, operand, ty.bytes().into(), Some(ty.kind))?;
        self.pointer = pointer;
        Some(text)
    }

    /// Its text, the pointer it goes through, and its type.
    pub(super) fn object(
        &mut self,
        pc: u32,
        operand: Operand,
        bytes: u64,
        kind: Option<ScalarKind>,
    ) -> Option<(String, Option<String>, Option<Type>)> {
        match self.address(pc, operand)? {
            Address::Place { text, ty } => {
                let pointer = self.root_pointer(pc, operand);
                match self.program.first_part(ty, bytes, kind) {
                    Some((path, ty)) => Some((text + &path, pointer, Some(ty))),
                    None => Some((text, pointer, Some(ty))),
                }
            }
            Address::Pointer(pointer) if pointer.is_unknown() => None,
            Address::Pointer(pointer) => {
                let to = self.pointed_to(&pointer);
                let part = to.and_then(|to| self.program.first_part(to, bytes, kind));
                let (path, ty) = part.map_or((String::new(), to), |(path, ty)| (path, Some(ty)));
                let text = if path.is_empty() {
                    format!("*{}", pointer.within(Binding::Unary))
                } else {
                    through(&pointer, &path)
                };
                Some((text, Some(pointer.text), ty))
            }
        }
    }

    /// The pointer value that an address computation began with; a variable's own address does not count.
    fn root_pointer(&mut self, pc: u32, operand: Operand) -> Option<String> {
        let OperandKind::Slot(slot) = operand.kind() else {
            return None;
        };
        let at = self.definition(pc, slot)?;
        match self.function.code[at as usize] {
            Inst::Alloca { .. } | Inst::ByvalCopy { .. } => None,
            Inst::Field { base, .. } | Inst::Index { base, .. } | Inst::Gep { base, .. } => self.root_pointer(at, base),
            Inst::Move { src, .. } | Inst::Freeze { src, .. } => self.root_pointer(at, src),
            _ => {
                let parts = self.parts.len();
                let text = self.value(pc, operand, self.program.target.pointer_width as u16);
                self.parts.truncate(parts);
                Some(text.text).filter(|_| text.binding >= Binding::Unary)
            }
        }
    }

    /// An address as a value.
    pub(super) fn pointer_text(&self, address: Address) -> Text {
        match address {
            Address::Pointer(text) => text,
            Address::Place { text, ty } if matches!(self.program.kind(ty), Kind::Array { .. }) => {
                Text::new(text, Binding::Postfix, Some(ty))
            }
            Address::Place { text, .. } => Text::new(format!("&{text}"), Binding::Unary, None),
        }
    }

    pub(super) fn pointed_to(&self, pointer: &Text) -> Option<Type> {
        match self.program.kind(pointer.ty?) {
            Kind::Pointer { to } => Some(to),
            Kind::Array { of, .. } => Some(of),
            _ => None,
        }
    }
}

/// `p->a.b`, `p[2]`: a part of what `p` points to.
fn through(pointer: &Text, path: &str) -> String {
    let pointer = pointer.within(Binding::Postfix);
    match path.strip_prefix('.') {
        Some(member) => format!("{pointer}->{member}"),
        None if path.is_empty() => pointer,
        None => format!("(*{pointer}){path}"),
    }
}

/// An element that many further on: `(&v[1])[i]` is `v[i + 1]`.
fn further(text: &str, index: &Text) -> String {
    let simple = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let element = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    match element.filter(|(_, first)| simple(first)) {
        Some((array, "0")) => format!("{array}[{}]", index.text),
        Some((array, first)) => {
            let first = Text::new(first, Binding::Postfix, None);
            format!("{array}[{}]", infix(index, "+", &first, Binding::Sum).text)
        }
        None => format!("(&{text})[{}]", index.text),
    }
}
