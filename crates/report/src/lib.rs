//! What a run hands to people and to other tools: findings as text and as SARIF, `.ktest` files, statistics, and the
//! directory they are written to.
//!
//! Plain data comes in and strings or files come out. Deliberately absent: exploration, terms, program state. Nothing
//! here knows how a finding was found, so every engine, and a test, can build one by hand.

mod baseline;
mod fixture;
mod input;
mod json;
mod ktest;
mod lcov;
mod out_dir;
mod place;
mod record;
mod render;
mod sarif;
mod underline;

pub use baseline::{Baseline, BaselineError, identify};
pub use fixture::{OTHER_WIDTH, Unit, fixture};
pub use input::input_literal;
pub use json::{findings, json};
pub use ktest::{KTest, KTestError, KTestObject, test_files};
pub use lcov::{FileCoverage, lcov};
pub use out_dir::{OutDir, OutDirError, outside_of, test_number};
pub use place::{relative, spot};
pub use record::{FindingRecord, OutputRecord, TestRecord, read_records};
pub use render::{Detail, Style, render, render_with};
pub use sarif::sarif;
