//! What `--watch` names: bytes of a global variable.

use crate::handlers::is_identifier;
use mneme_program::{CField, CType, CTypeId, Global, Program};
use std::ops::Range;

#[derive(Debug, thiserror::Error)]
pub enum Unwatchable {
    #[error("--watch names `{0}`, which is not a global variable of the program")]
    NoGlobal(String),
    #[error("--watch: what `{0}` consists of is not known; name bytes with +OFFSET:SIZE, or compile with -g")]
    NoType(String),
    #[error("--watch: `{0}` has no member `{1}`")]
    NoMember(String, String),
    #[error("--watch: `{0}` has no element {1}")]
    NoElement(String, u64),
    #[error("--watch: `{0}` has {1} bytes")]
    Outside(String, u64),
}

/// `NAME`, members and elements of it, and bytes of that.
#[derive(Debug, PartialEq)]
pub struct Watched {
    pub name: String,
    parts: Vec<Part>,
    offset: u64,
    /// `None`: to the end.
    size: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Member(String),
    Element(u64),
}

/// Something in the variable.
struct Place {
    text: String,
    start: u64,
    /// Of a member, which may be a few bits.
    bytes: Option<u64>,
    ty: CTypeId,
    /// The dimensions of an array that are left.
    counts: Vec<Option<u64>>,
}

impl Watched {
    pub fn parse(text: &str) -> Option<Watched> {
        let (path, bytes) = match text.split_once('+') {
            Some((path, bytes)) => (
                path,
                Some(bytes.split_once(':').map_or((bytes, None), |(at, n)| (at, Some(n)))),
            ),
            None => (text, None),
        };
        let (offset, size) = match bytes {
            None => (0, None),
            Some((offset, None)) => (offset.parse().ok()?, None),
            Some((offset, Some(size))) => (offset.parse().ok()?, Some(size.parse().ok().filter(|&size| size > 0)?)),
        };
        let (name, mut rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
        let mut parts = Vec::new();
        while !rest.is_empty() {
            if let Some(member) = rest.strip_prefix('.') {
                let (member, behind) = member.split_at(member.find(['.', '[']).unwrap_or(member.len()));
                parts.push(Part::Member(member.to_owned()));
                rest = behind;
            } else {
                let (index, behind) = rest.strip_prefix('[')?.split_once(']')?;
                parts.push(Part::Element(index.parse().ok()?));
                rest = behind;
            }
        }
        let is_named = |part: &Part| match part {
            Part::Member(name) => is_identifier(name),
            Part::Element(_) => true,
        };
        (is_identifier(name) && parts.iter().all(is_named)).then(|| Watched {
            name: name.to_owned(),
            parts,
            offset,
            size,
        })
    }

    /// The bytes of the variable.
    pub fn bytes(&self, program: &Program) -> Result<Range<u64>, Unwatchable> {
        let is_it = |global: &&Global| global.name == self.name && !global.external && !global.runtime;
        let Some(global) = program.globals.iter().find(is_it) else {
            return Err(Unwatchable::NoGlobal(self.name.clone()));
        };
        let (text, start, bytes) = match program.sites[global.site.index()].c_type {
            _ if self.parts.is_empty() => (self.name.clone(), 0, global.size),
            None => return Err(Unwatchable::NoType(self.name.clone())),
            Some(ty) => self.part(program, ty)?,
        };
        let end = self
            .offset
            .saturating_add(self.size.unwrap_or(bytes.saturating_sub(self.offset)));
        match self.offset < bytes && end <= bytes {
            true => Ok(start + self.offset..start + end),
            false => Err(Unwatchable::Outside(text, bytes)),
        }
    }

    /// What it is called, where it begins, and how many bytes it has.
    fn part(&self, program: &Program, ty: CTypeId) -> Result<(String, u64, u64), Unwatchable> {
        let mut place = Place {
            text: self.name.clone(),
            start: 0,
            bytes: None,
            ty,
            counts: Vec::new(),
        };
        for part in &self.parts {
            place.enter(program, part)?;
        }
        match place.bytes.or_else(|| place.size(program)) {
            Some(bytes) => Ok((place.text, place.start, bytes)),
            None => Err(Unwatchable::NoType(place.text)),
        }
    }
}

impl Place {
    fn enter(&mut self, program: &Program, part: &Part) -> Result<(), Unwatchable> {
        self.ty = plain(program, self.ty);
        let ty = &program.types[self.ty.index()];
        match part {
            Part::Member(name) => {
                let found = match ty {
                    CType::Struct { fields, .. } if self.counts.is_empty() => member(program, fields, name),
                    _ => None,
                };
                let Some((bits, field)) = found else {
                    return Err(Unwatchable::NoMember(self.text.clone(), name.clone()));
                };
                self.text = format!("{}.{name}", self.text);
                self.start += bits / 8;
                self.bytes = Some((bits % 8 + field.size_bits).div_ceil(8));
                self.ty = field.c_type;
            }
            &Part::Element(index) => {
                if let (true, CType::Array { of, counts }) = (self.counts.is_empty(), ty) {
                    self.ty = *of;
                    self.counts.clone_from(counts);
                }
                let is_there = self
                    .counts
                    .first()
                    .is_some_and(|count| count.is_none_or(|count| index < count));
                if !is_there {
                    return Err(Unwatchable::NoElement(self.text.clone(), index));
                }
                self.counts.remove(0);
                self.text = format!("{}[{index}]", self.text);
                self.bytes = None;
                let bytes = self.size(program).and_then(|bytes| bytes.checked_mul(index));
                self.start += bytes.ok_or_else(|| Unwatchable::NoType(self.text.clone()))?;
            }
        }
        Ok(())
    }

    fn size(&self, program: &Program) -> Option<u64> {
        array(size(program, self.ty)?, &self.counts)
    }
}

fn array(element: u64, counts: &[Option<u64>]) -> Option<u64> {
    counts
        .iter()
        .try_fold(element, |bytes, &count| bytes.checked_mul(count?))
}

/// A type without names and qualifiers.
fn plain(program: &Program, mut ty: CTypeId) -> CTypeId {
    while let CType::Typedef { of, .. } | CType::Qualified { of, .. } = program.types[ty.index()] {
        ty = of;
    }
    ty
}

fn size(program: &Program, ty: CTypeId) -> Option<u64> {
    match &program.types[plain(program, ty).index()] {
        CType::Base { bytes, .. } | CType::Struct { bytes, .. } | CType::Enum { bytes, .. } => Some(*bytes),
        CType::Pointer { .. } => Some(u64::from(program.target.pointer_width) / 8),
        CType::Array { of, counts } => array(size(program, *of)?, counts),
        _ => None,
    }
}

/// A member, perhaps of an anonymous structure in this one, and the bits in front of it.
fn member<'a>(program: &'a Program, fields: &'a [CField], name: &str) -> Option<(u64, &'a CField)> {
    fields.iter().find_map(|field| match &field.name {
        Some(known) => (known == name).then_some((field.offset_bits, field)),
        None => {
            let CType::Struct { fields, .. } = &program.types[plain(program, field.c_type).index()] else {
                return None;
            };
            let (bits, inner) = member(program, fields, name)?;
            Some((field.offset_bits + bits, inner))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_watched_is_a_path_and_perhaps_bytes() {
        let whole = |name: &str, parts: &[Part], offset, size| Watched {
            name: name.into(),
            parts: parts.to_vec(),
            offset,
            size,
        };
        let (member, element) = (|name: &str| Part::Member(name.into()), Part::Element);
        assert_eq!(Watched::parse("a"), Some(whole("a", &[], 0, None)));
        assert_eq!(Watched::parse("a+4"), Some(whole("a", &[], 4, None)));
        let parts = [member("b"), element(2), element(0), member("c")];
        assert_eq!(Watched::parse("a.b[2][0].c+1:2"), Some(whole("a", &parts, 1, Some(2))));
        for wrong in [
            "", "1.", "a.", "a[", "a[x]", "a]", "a b", "a.b c", "a+", "a+1:", "a+1:0", "a+-1", "a[1]b",
        ] {
            assert_eq!(Watched::parse(wrong), None, "{wrong}");
        }
    }
}
