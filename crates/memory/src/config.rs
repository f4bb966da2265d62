//! The settings of a run that concern memory. Every field has a usable default; a model takes what concerns it.

use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    pub sizes: Sizes,
    /// The most bytes of an object whose size is symbolic, where the model needs a bound.
    pub capacity: u64,
    pub addresses: Addresses,
    pub resolve: Resolve,
    /// How many calls around an allocation distinguish its objects from others of the same instruction (thesis
    /// §3.2.3.3). For dynamic segments.
    pub contexts: u32,
    /// The part of each allocation site: a pointer refers to objects of one part. For static segments.
    pub partition: Option<Arc<Vec<Option<u32>>>>,
    pub split: Option<Split>,
    pub tables: Tables,
    pub naive_reads: NaiveReads,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            sizes: Sizes::Symbolic,
            capacity: 4096,
            addresses: Addresses::Relocatable,
            resolve: Resolve::Auto,
            contexts: 4,
            partition: None,
            split: None,
            tables: Tables::On,
            naive_reads: NaiveReads::List,
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

/// What happens to a symbolic size (thesis §5.4.1).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// Its greatest possible value up to the capacity, and no other: *Base*.
    Max,
    /// One path for each of its values: *ForkEager*.
    Eager,
    /// It stays a term; paths fork where something depends on it: *ForkLazy*.
    Symbolic,
}

impl Sizes {
    pub const ALL: [(&'static str, &'static str, Sizes); 3] = [
        ("max", "its greatest value up to the capacity, and no other", Sizes::Max),
        ("eager", "one path for each of its values", Sizes::Eager),
        ("symbolic", "it stays symbolic", Sizes::Symbolic),
    ];
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

/// How an object of known contents is read at a symbolic offset.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Tables {
    /// As a table of whole entries.
    On,
    /// As an array with a write for each entry: what most engines do, for comparison.
    Off,
}

/// How `planes-naive` reads through its list of writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NaiveReads {
    /// From the newest write to one that is certainly read, with a query for each that may be.
    List,
    /// One expression over all of them, which the solver simplifies: what the paper measures.
    Solver,
}
