//! The options of `objects`. Every field has a usable default.

use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub addresses: Addresses,
    pub resolve: Resolve,
    /// How many calls around an allocation tell its objects from others of the same instruction (thesis §3.2.3.3). For
    /// dynamic segments.
    pub contexts: u32,
    /// The part of each allocation site: a pointer refers to objects of one part. For static segments.
    pub partition: Option<Arc<Vec<Option<u32>>>>,
    pub split: Option<Split>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            addresses: Addresses::Relocatable,
            resolve: Resolve::Auto,
            contexts: 4,
            partition: None,
            split: None,
        }
    }
}

/// Whether the bytes of an object may move. The addresses that a program sees do not depend on it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Addresses {
    /// They stay where they are: objects are neither joined nor split.
    Flat,
    #[default]
    Relocatable,
}

/// What an access through a pointer to several objects does.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Resolve {
    /// One path for each object.
    Fork,
    /// One path: conditional values and conditional writes.
    Merge,
    /// One path: objects that one pointer of the program may refer to live in one segment.
    StaticSegments,
    /// One path: the objects move into one segment when an access meets them together.
    DynamicSegments,
    /// Whichever seems best for the access.
    #[default]
    Auto,
}

impl Resolve {
    pub const ALL: [(&'static str, &'static str, Resolve); 5] = [
        ("fork", "one path for each object", Resolve::Fork),
        ("merge", "one path, with conditional values and writes", Resolve::Merge),
        (
            "static-segments",
            "one path; objects that a points-to analysis cannot tell apart live in one segment",
            Resolve::StaticSegments,
        ),
        (
            "dynamic-segments",
            "one path; objects move into one segment when a pointer may refer to them",
            Resolve::DynamicSegments,
        ),
        ("auto", "the best of these for each access", Resolve::Auto),
    ];

    pub fn name(self) -> &'static str {
        let named = Resolve::ALL.iter().find(|&&(.., policy)| policy == self);
        named.expect("every policy has a name").0
    }
}

/// Objects that are accessed at symbolic offsets are split if they have more than `above` bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Split {
    pub size: PieceSize,
    pub above: u64,
}

/// Bytes of a piece.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PieceSize {
    Bytes(u64),
    /// By the size of the object.
    Auto,
}
