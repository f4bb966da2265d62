//! The hierarchy of regions (section 4.1): memory spaces, the objects in them, and their fields and elements.
//!
//! A region is identified by what it is a part of and which part it is, so that aliased l-values are the same region:
//! [`Hierarchy`] makes each only once. Regions of objects come from bases; what is below them comes from the shape that
//! the program's types give to an object, or, where there is none, from the width of the access (a *view*).

use mneme_term::{BaseId, BaseKind, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What the program says about the type of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    Scalar { bytes: u64 },
    Struct { bytes: u64, fields: Vec<Field> },
    Array { of: Arc<Shape>, count: Option<u64> },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    pub name: Arc<str>,
    pub at: u64,
    pub shape: Arc<Shape>,
}

impl Shape {
    /// Its size, if it has one.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Shape::Scalar { bytes } | Shape::Struct { bytes, .. } => Some(*bytes),
            Shape::Array { of, count } => of.bytes()?.checked_mul((*count)?),
        }
    }
}

/// Shapes of objects by their sites, and of types by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    pub sites: Vec<Option<Shape>>,
    pub types: Vec<Option<Shape>>,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(u32);

/// A storage class.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    Stack,
    Heap,
    Static,
    Code,
    /// Where a symbolic pointer points.
    Unknown,
}

impl Space {
    pub fn of(kind: BaseKind) -> Space {
        match kind {
            BaseKind::Stack => Space::Stack,
            BaseKind::Heap => Space::Heap,
            BaseKind::Global => Space::Static,
            BaseKind::Function => Space::Code,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Region {
    Space(Space),
    /// A variable, a block from `malloc` or `alloca`, a string or a function.
    Object {
        space: RegionId,
        base: BaseId,
    },
    /// The memory that a symbolic pointer points to.
    Symbolic {
        space: RegionId,
        pointer: TermId,
    },
    Field {
        of: RegionId,
        name: Arc<str>,
    },
    /// Element `index` of `bytes` bytes; the index counts from the start of `of`.
    Element {
        of: RegionId,
        index: i64,
        bytes: u64,
    },
}

/// All regions, each only once.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    regions: Vec<Region>,
    ids: FxHashMap<Region, RegionId>,
}

impl Hierarchy {
    fn intern(&mut self, region: Region) -> RegionId {
        let Hierarchy { regions, ids } = self;
        *ids.entry(region.clone()).or_insert_with(|| {
            regions.push(region);
            RegionId(regions.len() as u32 - 1)
        })
    }

    pub fn get(&self, id: RegionId) -> &Region {
        &self.regions[id.0 as usize]
    }

    pub fn object(&mut self, base: BaseId, kind: BaseKind) -> RegionId {
        let space = self.intern(Region::Space(Space::of(kind)));
        self.intern(Region::Object { space, base })
    }

    pub fn symbolic(&mut self, pointer: TermId) -> RegionId {
        let space = self.intern(Region::Space(Space::Unknown));
        self.intern(Region::Symbolic { space, pointer })
    }

    pub fn field(&mut self, of: RegionId, name: &Arc<str>) -> RegionId {
        self.intern(Region::Field { of, name: name.clone() })
    }

    pub fn element(&mut self, of: RegionId, index: i64, bytes: u64) -> RegionId {
        self.intern(Region::Element { of, index, bytes })
    }

    /// The region around it; none around a memory space.
    pub fn parent(&self, id: RegionId) -> Option<RegionId> {
        match *self.get(id) {
            Region::Space(_) => None,
            Region::Object { space, .. } | Region::Symbolic { space, .. } => Some(space),
            Region::Field { of, .. } | Region::Element { of, .. } => Some(of),
        }
    }

    /// Arithmetic on pointers to `bytes` bytes, which happens to elements only (section 5.3): any other region is
    /// element 0 of itself.
    pub fn moved(&mut self, id: RegionId, by: i64, bytes: u64) -> RegionId {
        match *self.get(id) {
            Region::Element { of, index, bytes: each } if each == bytes => self.element(of, index + by, bytes),
            _ => self.element(id, by, bytes),
        }
    }

    /// The region of a scalar of `n` bytes at an offset of `of`, which has this shape. Where the shape has no such
    /// scalar, it is an element of a view of the smallest part around it.
    pub fn part(&mut self, of: RegionId, shape: Option<&Shape>, offset: u64, n: u64) -> RegionId {
        let (mut region, mut shape, mut offset) = (of, shape, offset);
        loop {
            let inner = match shape {
                Some(Shape::Struct { fields, .. }) => fields
                    .iter()
                    .rev()
                    .find(|field| field.at <= offset && field.covers(offset, n))
                    .map(|field| (self.field(region, &field.name), &*field.shape, offset - field.at)),
                Some(Shape::Array { of, .. }) => of.bytes().filter(|&each| each > 0).and_then(|each| {
                    let fits = offset % each + n <= each;
                    let index = (offset / each) as i64;
                    fits.then(|| (self.element(region, index, each), &**of, offset % each))
                }),
                Some(Shape::Scalar { bytes }) if offset == 0 && *bytes == n => return region,
                Some(Shape::Scalar { .. }) | None => None,
            };
            let Some((part, its_shape, rest)) = inner else {
                let (index, bytes) = match offset % n {
                    0 => (offset / n, n),
                    _ => (offset, 1),
                };
                return self.element(region, index as i64, bytes);
            };
            (region, shape, offset) = (part, Some(its_shape), rest);
        }
    }

    /// Its name as an l-value (`x.f[3]`, `SymRegion{p}->next`), given those of objects and of symbolic pointers.
    pub fn name(&self, id: RegionId, object: &dyn Fn(BaseId) -> String, pointer: &dyn Fn(TermId) -> String) -> String {
        match self.get(id) {
            Region::Space(space) => format!("{space:?}").to_lowercase(),
            Region::Object { base, .. } => object(*base),
            Region::Symbolic { pointer: term, .. } => format!("SymRegion{{{}}}", pointer(*term)),
            Region::Field { of, name } => {
                let arrow = match self.get(*of) {
                    Region::Symbolic { .. } => "->",
                    _ => ".",
                };
                format!("{}{arrow}{name}", self.name(*of, object, pointer))
            }
            Region::Element { of, index, .. } => format!("{}[{index}]", self.name(*of, object, pointer)),
        }
    }
}

impl Field {
    /// Whether `n` bytes at an offset of the structure lie in the field.
    fn covers(&self, offset: u64, n: u64) -> bool {
        self.shape.bytes().is_none_or(|bytes| offset + n <= self.at + bytes)
    }
}

/// The scalars of a shape, each with its offset and bytes, up to a number of them.
pub fn scalars(shape: &Shape, most: usize) -> Vec<(u64, u64)> {
    fn collect(shape: &Shape, at: u64, most: usize, all: &mut Vec<(u64, u64)>) {
        match shape {
            _ if all.len() >= most => {}
            Shape::Scalar { bytes } => all.push((at, *bytes)),
            Shape::Struct { fields, .. } => fields
                .iter()
                .for_each(|field| collect(&field.shape, at + field.at, most, all)),
            Shape::Array { of, count } => {
                let each = of.bytes().unwrap_or(0);
                for index in 0..count.unwrap_or(0) {
                    if all.len() >= most {
                        break;
                    }
                    collect(of, at + index * each, most, all);
                }
            }
        }
    }
    let mut all = Vec::new();
    collect(shape, 0, most, &mut all);
    all
}
