//! What a run may be told of memory. Every field has a default that serves; a model takes what concerns it.

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The most bytes of an object whose size is symbolic.
    pub capacity: u64,
}

impl Default for Config {
    fn default() -> Self {
        Config { capacity: 4096 }
    }
}
