//! Bytes as C writes them: the initialiser of an object of a C type.
//!
//! Numbers are little-endian, as on every supported target.

use crate::c_type::{Encoding, Kind, Type};
use crate::ir::{CField, Program};
use std::fmt::Write;

/// Elements and characters beyond these are left out.
const SHOWN: usize = 64;
/// Nesting beyond this is left out.
const DEEPEST: u32 = 8;

impl Program {
    /// The initialiser that gives these bytes to an object of type `ty`, or to an array of such objects.
    pub fn literal(&self, ty: Type, bytes: &[u8]) -> Option<String> {
        self.literal_naming(ty, bytes, &|_| None)
    }

    /// The same, where pointers that `name` knows are written as it says.
    pub fn literal_naming(&self, ty: Type, bytes: &[u8], name: Names) -> Option<String> {
        let printer = Printer { program: self, name };
        match self.size_of(ty) {
            Some(size) if size == bytes.len() as u64 => printer.value(ty, bytes, DEEPEST),
            Some(size) if size < bytes.len() as u64 && self.flexible_array(ty).is_some() => {
                printer.value(ty, bytes, DEEPEST)
            }
            Some(size) if size > 0 && (bytes.len() as u64).is_multiple_of(size) => printer.elements(ty, bytes, DEEPEST),
            _ => None,
        }
    }
}

/// The name of what the pointer with this number refers to.
type Names<'a> = &'a dyn Fn(u64) -> Option<String>;

struct Printer<'a> {
    program: &'a Program,
    name: Names<'a>,
}

impl Printer<'_> {
    fn kind(&self, ty: Type) -> Kind<'_> {
        self.program.kind(ty)
    }

    fn size_of(&self, ty: Type) -> Option<u64> {
        self.program.size_of(ty)
    }

    fn value(&self, ty: Type, bytes: &[u8], depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match self.kind(ty) {
            Kind::Base { encoding, .. } => base(encoding, bytes),
            Kind::Enum { .. } => Some(integer(bytes)?.to_string()),
            Kind::Pointer { .. } => Some(match integer(bytes)? {
                0 => "NULL".into(),
                n => match (self.name)(n) {
                    Some(name) => name,
                    None => format!("({}){n:#x}", self.program.type_name(ty)),
                },
            }),
            Kind::Array { of, .. } => self.elements(of, bytes, depth),
            Kind::Struct { fields, union, .. } => {
                let fields = if union { fields.get(..1)? } else { fields };
                let mut members = Vec::new();
                for field in fields {
                    let value = self.member(field, bytes, depth)?;
                    members.push(match &field.name {
                        Some(name) => format!(".{name} = {value}"),
                        None => value,
                    });
                }
                Some(format!("{{ {} }}", members.join(", ")))
            }
            Kind::Void | Kind::Function | Kind::Unknown => None,
        }
    }

    fn member(&self, field: &CField, bytes: &[u8], depth: u32) -> Option<String> {
        let ty = Type::from(field.c_type);
        let first = (field.offset_bits / 8) as usize;
        if field.size_bits == 0 {
            let rest = bytes.get(first..).filter(|rest| !rest.is_empty());
            return match (rest, self.kind(ty)) {
                (Some(rest), Kind::Array { of, .. }) => self.elements(of, rest, depth),
                _ => Some("{}".into()),
            };
        }
        let end = (field.offset_bits + field.size_bits).div_ceil(8) as usize;
        let bytes = bytes.get(first..end)?;
        if self.size_of(ty).is_some_and(|size| size * 8 == field.size_bits) && field.offset_bits.is_multiple_of(8) {
            return self.value(ty, bytes, depth);
        }
        // A bit-field.
        let unused = 128u64.checked_sub(field.size_bits)?;
        let bits = wide(bytes)? >> (field.offset_bits % 8) << unused;
        let signed = matches!(self.kind(ty), Kind::Base { encoding, .. } if encoding.is_signed());
        Some(match signed {
            true => ((bits as i128) >> unused).to_string(),
            false => (bits >> unused).to_string(),
        })
    }

    fn elements(&self, of: Type, bytes: &[u8], depth: u32) -> Option<String> {
        if let Kind::Base { encoding, bytes: 1, .. } = self.kind(of)
            && encoding.is_character()
        {
            return Some(text(bytes));
        }
        let size = usize::try_from(self.size_of(of)?).ok().filter(|&size| size > 0)?;
        let used = bytes.len() - bytes.iter().rev().take_while(|byte| **byte == 0).count();
        let used = used.div_ceil(size);
        let mut values = Vec::new();
        for element in bytes.chunks(size).take(used.clamp(1, SHOWN)) {
            values.push(self.value(of, element, depth)?);
        }
        let rest = if used > SHOWN { ", …" } else { "" };
        if used == 0 {
            return Some("{0}".into());
        }
        Some(format!("{{{}{rest}}}", values.join(", ")))
    }
}

fn wide(bytes: &[u8]) -> Option<u128> {
    let mut whole = [0; 16];
    whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u128::from_le_bytes(whole))
}

fn integer(bytes: &[u8]) -> Option<u64> {
    wide(bytes).and_then(|n| u64::try_from(n).ok())
}

fn base(encoding: Encoding, bytes: &[u8]) -> Option<String> {
    let n = wide(bytes)?;
    let unused = 128 - 8 * bytes.len() as u32;
    let signed = ((n << unused) as i128) >> unused;
    Some(match encoding {
        Encoding::Float => match bytes.len() {
            4 => float(
                f32::from_bits(n as u32).into(),
                format!("{:?}f", f32::from_bits(n as u32)),
            ),
            8 => float(f64::from_bits(n as u64), format!("{:?}", f64::from_bits(n as u64))),
            _ => return None,
        },
        Encoding::Char | Encoding::UnsignedChar if bytes.len() == 1 && matches!(bytes[0], b' '..=b'~') => {
            format!("'{}'", escaped(bytes, '\''))
        }
        Encoding::Signed | Encoding::Char => signed.to_string(),
        Encoding::Unsigned | Encoding::UnsignedChar | Encoding::Bool => n.to_string(),
        Encoding::Other => return None,
    })
}

fn float(value: f64, text: String) -> String {
    match (value.is_nan(), value.is_infinite()) {
        (true, _) => "NAN".into(),
        (_, true) if value < 0.0 => "-INFINITY".into(),
        (_, true) => "INFINITY".into(),
        _ => text,
    }
}

/// A string constant without the zero bytes at its end, which C fills in.
fn text(bytes: &[u8]) -> String {
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let shown = &bytes[..used.min(SHOWN)];
    let rest = if used > SHOWN { "…" } else { "" };
    format!("\"{}\"{rest}", escaped(shown, '"'))
}

/// Escapes with three octal digits: unlike `\x`, they do not swallow what follows.
fn escaped(bytes: &[u8], quote: char) -> String {
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            byte if *byte == quote as u8 => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(*byte as char),
            byte => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out
}
