//! Places in abstract objects: exact offsets, and arithmetic progressions for variable indices.

use smallvec::SmallVec;

/// How many exact places of one object a set holds before they become a progression.
const EXACT: usize = 8;

/// The bytes `offset + k * stride` of an object, for every integer k; with stride 0 the byte at `offset`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    pub object: u32,
    pub offset: i64,
    pub stride: u64,
}

/// What pointer arithmetic does to a location.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shift {
    pub by: i64,
    /// Plus an unknown multiple of this.
    pub stride: u64,
}

impl Shift {
    pub const NONE: Shift = Shift { by: 0, stride: 0 };
    /// To anywhere in the object.
    pub const ANYWHERE: Shift = Shift { by: 0, stride: 1 };
}

impl Location {
    pub fn new(object: u32, offset: i64, stride: u64) -> Location {
        let offset = match i64::try_from(stride) {
            Ok(stride) if stride > 0 => offset.rem_euclid(stride),
            _ => offset,
        };
        Location { object, offset, stride }
    }

    pub fn start(object: u32) -> Location {
        Location::new(object, 0, 0)
    }

    pub fn shifted(self, shift: Shift) -> Location {
        let offset = self.offset.wrapping_add(shift.by);
        Location::new(self.object, offset, gcd(self.stride, shift.stride))
    }

    fn includes(self, other: Location) -> bool {
        match self.stride {
            0 => self == other,
            stride => {
                let stride = stride as i128;
                let distance = i128::from(other.offset) - i128::from(self.offset);
                other.stride as i128 % stride == 0 && distance % stride == 0
            }
        }
    }

    /// The smallest progression with all places of both.
    fn with(self, other: Location) -> Location {
        let distance = self.offset.abs_diff(other.offset);
        let stride = gcd(gcd(self.stride, other.stride), distance);
        Location::new(self.object, self.offset, stride)
    }

    /// Whether `bytes` bytes here and `more` bytes at another location of the same object may overlap.
    pub fn meets(self, bytes: u64, other: Location, more: u64) -> bool {
        let distance = i128::from(other.offset) - i128::from(self.offset);
        let (bytes, more) = (i128::from(bytes), i128::from(more));
        match gcd(self.stride, other.stride) {
            0 => distance < bytes && -distance < more,
            stride => {
                let stride = i128::from(stride);
                let distance = distance.rem_euclid(stride);
                distance < bytes || stride - distance < more
            }
        }
    }
}

pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Places of one object: offset and stride.
type Places = SmallVec<[(i64, u64); 2]>;

/// A set of locations, few of each object.
#[derive(Clone, Default, Debug)]
pub struct Set {
    /// Sorted by object.
    objects: Vec<(u32, Places)>,
}

impl Set {
    /// Adds a location; returns what is new, which may be a progression that includes it.
    pub fn insert(&mut self, location: Location) -> Option<Location> {
        let object = location.object;
        let index = match self.objects.binary_search_by_key(&object, |entry| entry.0) {
            Ok(index) => index,
            Err(index) => {
                self.objects.insert(index, (object, Places::new()));
                index
            }
        };
        let places = &mut self.objects[index].1;
        let of = |&(offset, stride): &(i64, u64)| Location { object, offset, stride };
        if places.iter().any(|place| of(place).includes(location)) {
            return None;
        }
        let added = match places.len() < EXACT {
            true => location,
            false => places.iter().map(of).fold(location, Location::with),
        };
        places.retain(|place| !added.includes(of(place)));
        places.push((added.offset, added.stride));
        Some(added)
    }

    pub fn iter(&self) -> impl Iterator<Item = Location> {
        self.objects.iter().flat_map(|(object, places)| {
            places.iter().map(|&(offset, stride)| Location {
                object: *object,
                offset,
                stride,
            })
        })
    }

    pub fn objects(&self) -> impl Iterator<Item = u32> {
        self.objects.iter().map(|(object, _)| *object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: i64, stride: u64) -> Location {
        Location::new(1, offset, stride)
    }

    #[test]
    fn fields_of_the_elements_of_an_array_meet_only_themselves() {
        // struct { long key; char *name; } table[]: keys at 0, names at 8, every 16 bytes.
        assert!(!at(0, 16).meets(8, at(8, 16), 8));
        assert!(at(8, 16).meets(8, at(24, 0), 8));
        assert!(!at(8, 16).meets(8, at(32, 0), 8));
        assert!(at(0, 16).meets(8, at(-12, 0), 8));
        assert!(at(0, 0).meets(8, at(7, 0), 1));
        assert!(!at(0, 0).meets(8, at(8, 0), 1));
        assert!(at(3, 1).meets(1, at(100, 0), 1));
    }

    #[test]
    fn an_incremented_pointer_becomes_a_progression() {
        let mut set = Set::default();
        let mut place = at(4, 0);
        for _ in 0..1000 {
            match set.insert(place) {
                Some(added) => place = added.shifted(Shift { by: 24, stride: 0 }),
                None => break,
            }
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [at(4, 24)]);
        assert_eq!(set.insert(at(4 + 24 * 77, 0)), None);
    }
}
