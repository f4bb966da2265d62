//! What the engine reports while it works. Everything is reported when it happens, so that a crash loses nothing.

use crate::frontier::Frontier;
use mneme_finding::{Call, Finding, Location};
use serde::{Deserialize, Serialize};

/// Concrete inputs that lead along one path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestCase {
    pub inputs: Vec<(String, Vec<u8>)>,
    /// What the program exits with; `None` if it does not get there.
    pub exit_code: Option<u32>,
    /// Identifies the path: the same in every run.
    pub path: u64,
    /// Which of the allocations that the program's own code asks for fail, from 0; `None` is one inside the C library.
    pub failing_allocations: Vec<Option<u32>>,
    /// Unwritten memory whose contents the path or its result depends on, with `Uninit::Any`.
    pub uninitialised: Vec<String>,
    /// Objects that lie at certain addresses on this path, because the program compared them with integers.
    pub placed: Vec<String>,
    /// How the function was called, if it was run alone.
    pub call: Option<Call>,
    /// What a completed path writes to standard output.
    pub output: Option<Printed>,
    /// The path was the first to reach some part of the program.
    pub covers_new: bool,
}

/// The beginning of a path's standard output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Printed {
    pub bytes: Vec<u8>,
    /// There is no more.
    pub complete: bool,
}

/// What is new about a finding.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Novelty {
    /// It is the first of its kind at its location.
    First,
    /// It was found before, on a longer path.
    Shorter,
    /// It was found before, where another caller led to its function.
    OtherWay,
}

/// What becomes of an unfinished path.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Future {
    /// Nothing.
    None,
    /// A resumed run continues it.
    Resumable,
}

pub trait Observer {
    /// Whether it does anything with tests of paths that end without an error: otherwise none are made.
    fn wants_tests(&self) -> bool {
        true
    }

    /// A path was completed.
    fn completed(&mut self, test: &TestCase);
    /// A path ended in an error that is the first of its kind at its location, or was found only on a longer path or
    /// from other callers before. Its inputs are those of the test.
    fn found(&mut self, finding: &Finding, test: &TestCase, novelty: Novelty);
    /// A path was left before its end, for this reason: the inputs lead as far as it got.
    fn unfinished(&mut self, test: &TestCase, reason: &str, future: Future);
    /// Every path that an earlier session left for a later one has been continued; those that are left again are
    /// reported as unfinished again.
    fn caught_up(&mut self);
    /// A path could not be continued.
    fn stopped(&mut self, reason: &str, place: Option<&Location>);
    /// A path went on with a part of what was possible, for this reason.
    fn narrowed(&mut self, _reason: &str, _place: Option<&Location>) {}
    /// What is left to explore, from time to time and at the end.
    fn save(&mut self, frontier: &Frontier);
    /// The program wrote to a file descriptor.
    fn output(&mut self, fd: u64, bytes: &[u8]);
    /// A handler of memory accesses has printed this.
    fn printed(&mut self, _: &[u8]) {}
}

/// Ignores all events.
pub struct Silent;

impl Observer for Silent {
    fn completed(&mut self, _: &TestCase) {}
    fn found(&mut self, _: &Finding, _: &TestCase, _: Novelty) {}
    fn unfinished(&mut self, _: &TestCase, _: &str, _: Future) {}
    fn caught_up(&mut self) {}
    fn stopped(&mut self, _: &str, _: Option<&Location>) {}
    fn save(&mut self, _: &Frontier) {}
    fn output(&mut self, _: u64, _: &[u8]) {}
}
