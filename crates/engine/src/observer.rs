//! What the engine tells the outside while it works. Everything is told when it happens, so that a crash loses nothing.

use crate::frontier::Frontier;
use mneme_term::BaseKind;

/// Concrete inputs that lead along one path.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    pub inputs: Vec<(String, Vec<u8>)>,
    /// What the program exits with; `None` if it does not get there.
    pub exit_code: Option<u32>,
    /// Names the path: the same in every run.
    pub path: u64,
    /// Which of the allocations that the program's own code asks for fail, from 0; `None` is one inside the C library.
    pub failing_allocations: Vec<Option<u32>>,
    /// Memory that nobody wrote and whose contents the path or its result depends on, with `Uninit::Any`.
    pub uninitialised: Vec<String>,
    /// Objects that lie at certain addresses on this path, because the program compared them with integers.
    pub placed: Vec<String>,
    /// What a path that is completed writes to standard output.
    pub output: Option<Printed>,
}

/// The beginning of a path's standard output.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    pub bytes: Vec<u8>,
    /// There is no more.
    pub complete: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CodePlace {
    pub function: String,
    pub file: Option<String>,
    pub line: u32,
    pub column: u32,
    /// In Mneme's runtime, not in the user's program.
    pub runtime: bool,
}

/// The object that an error is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub kind: BaseKind,
    /// As messages call it.
    pub text: String,
    /// Of the variable or function.
    pub name: Option<String>,
    pub c_type: Option<String>,
    /// In bytes, on the path of the error.
    pub size: Option<u64>,
    /// Where it is declared or allocated.
    pub made: Option<CodePlace>,
    /// Where it was freed or its scope ends.
    pub ended: Option<CodePlace>,
}

/// What was done to memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub verb: Verb,
    /// In bytes; `free` has none.
    pub length: Option<u64>,
    pub place: Place,
    /// `None`: it is inside its object, or has none.
    pub outside: Option<Outside>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verb {
    Read,
    Write,
    Free,
}

/// Where an access begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In bytes from the start of its object.
    Offset(i64),
    /// There is no object.
    Address(u64),
}

/// How an access is outside of its object.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Outside {
    /// It begins that many bytes before the object.
    Before(u64),
    /// It begins that many bytes past the end.
    Past(u64),
    /// It begins inside and ends that many bytes past the end.
    Across(u64),
}

/// A decision on the path to an error.
#[derive(Clone, Debug, PartialEq)]
pub struct PathStep {
    pub message: String,
    pub place: CodePlace,
    /// How often in a row, alone or with its neighbours.
    pub times: u32,
}

/// An error of the analysed program.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// A rule id, such as `out-of-bounds-read`.
    pub rule: &'static str,
    pub message: String,
    /// Innermost first; never empty.
    pub stack: Vec<CodePlace>,
    /// Index into `stack` of the innermost place in the user's program.
    pub place: usize,
    /// What stands there in C.
    pub expression: Option<String>,
    /// The object that it is about.
    pub object: Option<Object>,
    /// What was done to it.
    pub access: Option<Access>,
    /// What else is to know: where an object was allocated.
    pub notes: Vec<(String, Option<CodePlace>)>,
    pub test: TestCase,
    /// The inputs of the test as C writes them, where their types are known.
    pub literals: Vec<Option<String>>,
    /// What was decided on the way.
    pub path: Vec<PathStep>,
}

/// What is new about a finding.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Novelty {
    /// It is the first of its kind at its place.
    First,
    /// It was found before, on a longer path.
    Shorter,
}

pub trait Observer {
    /// A path was completed.
    fn completed(&mut self, test: &TestCase);
    /// A path ended in an error that is the first of its kind at its place, or was found on a longer path only.
    fn found(&mut self, finding: &Finding, novelty: Novelty);
    /// A path could not be continued.
    fn stopped(&mut self, reason: &str, place: Option<&CodePlace>);
    /// What is left to explore, now and then and at the end.
    fn save(&mut self, frontier: &Frontier);
    /// The program wrote to a file descriptor.
    fn output(&mut self, fd: u64, bytes: &[u8]);
}
