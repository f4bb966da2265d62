//! What a run may be told of memory. Every field has a default that serves; a model takes what concerns it.

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The most bytes of an object whose size is symbolic.
    pub capacity: u64,
    pub resolve: Resolve,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            capacity: 4096,
            resolve: Resolve::Fork,
        }
    }
}

/// What an access through a pointer to several objects does.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Resolve {
    /// One path for each.
    #[default]
    Fork,
    /// One path: conditional values and conditional writes.
    Merge,
    /// One path: the objects move into one segment when they are met together.
    DynamicSegments,
}

impl Resolve {
    pub const ALL: [(&'static str, &'static str, Resolve); 3] = [
        ("fork", "one path for each object", Resolve::Fork),
        ("merge", "one path, with conditional values and writes", Resolve::Merge),
        (
            "dynamic-segments",
            "one path; objects move into one segment when a pointer may refer to them",
            Resolve::DynamicSegments,
        ),
    ];

    pub fn name(self) -> &'static str {
        let named = Resolve::ALL.iter().find(|&&(.., policy)| policy == self);
        named.expect("every policy has a name").0
    }
}
