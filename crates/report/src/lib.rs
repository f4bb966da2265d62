//! What a run hands to people and to other tools: findings as text and as SARIF, `.ktest` files, statistics, and the
//! directory they are written to.
//!
//! Plain data comes in and strings or files come out. Deliberately absent: exploration, terms, program state. Nothing
//! here knows how a finding was found, so every engine, and a test, can build one by hand.

mod finding;
mod ktest;
mod out_dir;
mod place;
mod render;
mod rule;
mod sarif;
mod stats;

pub use finding::{Finding, Frame, Location, Note};
pub use ktest::{KTest, KTestError, KTestObject};
pub use out_dir::{OutDir, OutDirError};
pub use render::{Style, input_literal, render, render_with};
pub use rule::{Level, Rule, UnknownRule};
pub use sarif::sarif;
pub use stats::{Coverage, Memory, Paths, Queries, Stage, States, Stats, Time};
