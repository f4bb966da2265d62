//! C types for readers: sizes, names, and the path from an object to the member at an offset.

use crate::ir::{CField, CType, CTypeId, Program, ScalarKind};

/// A type, or an array type without its first dimensions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Type {
    id: CTypeId,
    /// Dimensions of the array type that have been indexed.
    indexed: usize,
}

impl From<CTypeId> for Type {
    fn from(id: CTypeId) -> Type {
        Type { id, indexed: 0 }
    }
}

impl Type {
    /// Its number among the types of the program, if it is one of them.
    pub fn number(self) -> Option<u32> {
        (self.indexed == 0).then_some(self.id.0)
    }
}

/// A type without typedefs and qualifiers.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Kind<'a> {
    Void,
    Base {
        name: &'a str,
        bytes: u64,
        encoding: Encoding,
    },
    Pointer {
        to: Type,
    },
    Array {
        of: Type,
        count: Option<u64>,
    },
    Struct {
        bytes: u64,
        fields: &'a [CField],
        union: bool,
    },
    Enum {
        bytes: u64,
    },
    Function,
    Unknown,
}

/// How the bits of a base type are interpreted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Encoding {
    Signed,
    Unsigned,
    Char,
    UnsignedChar,
    Bool,
    Float,
    Other,
}

impl Encoding {
    /// From DWARF's numbers.
    fn of(dwarf: u32) -> Encoding {
        match dwarf {
            2 => Encoding::Bool,
            4 => Encoding::Float,
            5 => Encoding::Signed,
            6 => Encoding::Char,
            7 => Encoding::Unsigned,
            8 => Encoding::UnsignedChar,
            _ => Encoding::Other,
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Encoding::Signed | Encoding::Char)
    }

    pub fn is_character(self) -> bool {
        matches!(self, Encoding::Char | Encoding::UnsignedChar)
    }
}

/// The most typedefs and qualifiers around one type; no C program has more.
const LONGEST_CHAIN: usize = 64;

impl Program {
    /// Whether objects of the type may not be changed (`const`).
    pub fn is_const(&self, ty: Type) -> bool {
        let mut id = ty.id;
        for _ in 0..LONGEST_CHAIN {
            match self.types[id.index()] {
                CType::Qualified { constant: true, .. } => return true,
                CType::Typedef { of, .. } | CType::Qualified { of, .. } => id = of,
                _ => return false,
            }
        }
        false
    }

    pub fn kind(&self, ty: Type) -> Kind<'_> {
        let mut id = ty.id;
        for _ in 0..LONGEST_CHAIN {
            match &self.types[id.index()] {
                CType::Typedef { of, .. } | CType::Qualified { of, .. } => id = *of,
                CType::Array { of, counts } if ty.indexed >= counts.len() => {
                    return self.kind((*of).into());
                }
                CType::Array { of, counts } => {
                    let inner = Type {
                        id,
                        indexed: ty.indexed + 1,
                    };
                    return Kind::Array {
                        of: if inner.indexed < counts.len() {
                            inner
                        } else {
                            (*of).into()
                        },
                        count: counts[ty.indexed],
                    };
                }
                CType::Void => return Kind::Void,
                CType::Base { name, bytes, encoding } => {
                    return Kind::Base {
                        name,
                        bytes: *bytes,
                        encoding: Encoding::of(*encoding),
                    };
                }
                CType::Pointer { to } => return Kind::Pointer { to: (*to).into() },
                CType::Struct {
                    bytes, fields, union, ..
                } => {
                    return Kind::Struct {
                        bytes: *bytes,
                        fields,
                        union: *union,
                    };
                }
                CType::Enum { bytes, .. } => return Kind::Enum { bytes: *bytes },
                CType::Function => return Kind::Function,
                CType::Unknown => return Kind::Unknown,
            }
        }
        Kind::Unknown
    }

    /// The size in bytes of a type that has one.
    pub fn size_of(&self, ty: Type) -> Option<u64> {
        match self.kind(ty) {
            Kind::Base { bytes, .. } | Kind::Enum { bytes } | Kind::Struct { bytes, .. } => Some(bytes),
            Kind::Pointer { .. } => Some(u64::from(self.target.pointer_width) / 8),
            Kind::Array { of, count } => self.size_of(of)?.checked_mul(count?),
            Kind::Void | Kind::Function | Kind::Unknown => None,
        }
    }

    /// Where the last member of a structure ends: padding follows. Other types end with their size.
    pub fn end_of_members(&self, ty: Type) -> Option<u64> {
        let mut end = 0;
        let mut inside = vec![(ty, 0)];
        while let Some((ty, offset)) = inside.pop() {
            match self.kind(ty) {
                Kind::Struct { fields, .. } => {
                    for field in fields {
                        let whole = self.size_of(field.c_type.into()).map(|bytes| 8 * bytes) == Some(field.size_bits);
                        match whole && field.offset_bits.is_multiple_of(8) {
                            true => inside.push((field.c_type.into(), offset + field.offset_bits / 8)),
                            false => end = end.max(offset + (field.offset_bits + field.size_bits).div_ceil(8)),
                        }
                    }
                }
                Kind::Array { of, count: Some(count) } if count > 0 => {
                    inside.push((of, offset + (count - 1) * self.size_of(of)?));
                }
                Kind::Array { .. } => {}
                _ => end = end.max(offset + self.size_of(ty)?),
            }
        }
        Some(end)
    }

    /// The alignment in bytes of a type that has one.
    pub fn align_of(&self, ty: Type) -> u64 {
        match self.kind(ty) {
            Kind::Base { bytes, .. } | Kind::Enum { bytes } => bytes.clamp(1, 16).next_power_of_two(),
            Kind::Pointer { .. } => u64::from(self.target.pointer_width) / 8,
            Kind::Array { of, .. } => self.align_of(of),
            Kind::Struct { fields, .. } => {
                let all = fields.iter().map(|field| self.align_of(field.c_type.into()));
                all.max().unwrap_or(1)
            }
            Kind::Void | Kind::Function | Kind::Unknown => 1,
        }
    }

    /// Are both the same type, but for typedefs and qualifiers? Two files that include one header each have their own
    /// copy of a type, known by its name.
    pub fn is_same_type(&self, a: Type, b: Type) -> bool {
        let (mut a, mut b) = (a, b);
        for _ in 0..LONGEST_CHAIN {
            if a == b {
                return true;
            }
            match (self.kind(a), self.kind(b)) {
                (Kind::Pointer { to: x }, Kind::Pointer { to: y }) => (a, b) = (x, y),
                (Kind::Array { of: x, count: m }, Kind::Array { of: y, count: n }) if m == n => (a, b) = (x, y),
                (
                    Kind::Struct {
                        bytes: x,
                        fields: f,
                        union: u,
                    },
                    Kind::Struct {
                        bytes: y,
                        fields: g,
                        union: v,
                    },
                ) => {
                    return (x, u) == (y, v)
                        && f.len() == g.len()
                        && self.plain_name(a) == self.plain_name(b)
                        && f.iter()
                            .zip(g)
                            .all(|(f, g)| (&f.name, f.offset_bits) == (&g.name, g.offset_bits));
                }
                (x, y) => return x == y,
            }
        }
        false
    }

    /// The name of a type without typedefs and qualifiers.
    pub(crate) fn plain_name(&self, ty: Type) -> String {
        let mut id = ty.id;
        while let CType::Typedef { of, .. } | CType::Qualified { of, .. } = &self.types[id.index()] {
            id = *of;
        }
        self.type_name(id.into())
    }

    /// A type as C writes it (`int[10]`, `struct node *`), for messages.
    pub fn type_name(&self, ty: Type) -> String {
        let mut suffix = String::new();
        let mut ty = ty;
        for _ in 0..LONGEST_CHAIN {
            let text = match &self.types[ty.id.index()] {
                CType::Typedef { name, .. } if ty.indexed == 0 => name.clone(),
                CType::Typedef { of, .. } | CType::Qualified { of, .. } => {
                    ty.id = *of;
                    continue;
                }
                CType::Pointer { to } => {
                    if matches!(self.kind((*to).into()), Kind::Function) {
                        return format!("function pointer{suffix}");
                    }
                    suffix.insert(0, '*');
                    ty = (*to).into();
                    continue;
                }
                CType::Array { of, counts } => {
                    let dimension = |count: &Option<u64>| count.map_or("[]".into(), |n| format!("[{n}]"));
                    suffix.extend(counts[ty.indexed.min(counts.len())..].iter().map(dimension));
                    ty = (*of).into();
                    continue;
                }
                CType::Void => "void".into(),
                CType::Base { name, .. } => name.clone(),
                CType::Struct { name, union, .. } => named(if *union { "union" } else { "struct" }, name),
                CType::Enum { name, .. } => named("enum", name),
                CType::Function => "function".into(),
                CType::Unknown => return "unknown type".into(),
            };
            let gap = if suffix.starts_with('*') { " " } else { "" };
            return format!("{text}{gap}{suffix}");
        }
        "unknown type".into()
    }

    /// The outermost part of an object that begins at `offset`, and its path (`.a[2].b`). Arrays have parts beyond
    /// their ends.
    pub fn part_at(&self, ty: Type, offset: i64) -> Option<(String, Type)> {
        let (mut path, mut ty, mut offset) = (String::new(), ty, offset);
        while offset != 0 {
            (ty, offset) = self.step_into(ty, offset, &mut path)?;
        }
        Some((path, ty))
    }

    /// The part at the beginning of an object that an access of `bytes` bytes refers to, and its path. An access of a
    /// scalar (`kind`) refers to a scalar; among the members of a union, to one of its size and kind.
    pub fn first_part(&self, ty: Type, bytes: u64, kind: Option<ScalarKind>) -> Option<(String, Type)> {
        let (mut path, mut ty) = (String::new(), ty);
        loop {
            let fits = self.size_of(ty) == Some(bytes);
            match self.kind(ty) {
                Kind::Struct { .. } | Kind::Array { .. } if fits && kind.is_none() => return Some((path, ty)),
                Kind::Struct {
                    fields, union: true, ..
                } => {
                    let holds = |field: &&CField| self.holds(field.c_type.into(), bytes, kind);
                    let field = fields.iter().find(holds).or(fields.first())?;
                    push_member(&mut path, field)?;
                    ty = field.c_type.into();
                }
                Kind::Struct { .. } | Kind::Array { .. } => (ty, _) = self.step_into(ty, 0, &mut path)?,
                _ if fits => return Some((path, ty)),
                _ => return None,
            }
        }
    }

    fn holds(&self, ty: Type, bytes: u64, kind: Option<ScalarKind>) -> bool {
        let float = kind == Some(ScalarKind::Float);
        let same = match self.kind(ty) {
            Kind::Base { encoding, .. } => (encoding == Encoding::Float) == float,
            Kind::Pointer { .. } => matches!(kind, Some(ScalarKind::Pointer) | None),
            _ => kind.is_none(),
        };
        same && self.size_of(ty) == Some(bytes)
    }

    /// The element or member that contains `offset`.
    fn step_into(&self, ty: Type, offset: i64, path: &mut String) -> Option<(Type, i64)> {
        match self.kind(ty) {
            Kind::Array { of, .. } => {
                let size = i64::try_from(self.size_of(of)?).ok().filter(|&size| size > 0)?;
                path.push_str(&format!("[{}]", offset.div_euclid(size)));
                Some((of, offset.rem_euclid(size)))
            }
            Kind::Struct { fields, .. } => {
                let bits = u64::try_from(offset).ok()?.checked_mul(8)?;
                let covers = |field: &&CField| {
                    let flexible = field.size_bits == 0;
                    field.offset_bits <= bits && (flexible || bits < field.offset_bits + field.size_bits)
                };
                let field = fields.iter().find(covers)?;
                push_member(path, field)?;
                Some((field.c_type.into(), offset - (field.offset_bits / 8) as i64))
            }
            _ => None,
        }
    }
}

fn named(keyword: &str, name: &Option<String>) -> String {
    match name {
        Some(name) => format!("{keyword} {name}"),
        None => keyword.into(),
    }
}

/// Members of anonymous structures are named as if they were outside. Bit-fields share their bytes, so there is no
/// single name.
fn push_member(path: &mut String, field: &CField) -> Option<()> {
    if !field.size_bits.is_multiple_of(8) || !field.offset_bits.is_multiple_of(8) {
        return None;
    }
    if let Some(name) = &field.name {
        path.push('.');
        path.push_str(name);
    }
    Some(())
}
