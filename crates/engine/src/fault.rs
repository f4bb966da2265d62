//! Errors of the analysed program and what they are called; what is said of them is in `explain`.

use crate::observer::CodePlace;
use mneme_memory::{AccessKind, Fault, FaultKind};
use mneme_term::{BaseId, TermId};

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Memory(Fault),
    /// What happens next depends on this term, which depends on memory that nobody wrote.
    Uninitialised(TermId),
    DivisionByZero,
    SignedOverflow,
    /// Source and target of a copy overlap.
    OverlappingCopy,
    /// Nothing refers to this heap object any more.
    Leak(BaseId),
    InvalidShift {
        width: u32,
    },
    /// An operation had no result for this reason, which was used at a place.
    NoResult(Box<Error>, Option<CodePlace>),
    Assertion(String),
    Abort,
    /// The error location of a harness.
    Reached,
    InvalidCall(String),
    StackExhaustion(Exhausted),
    Unreachable,
    /// What the harness reports by itself.
    Reported(String),
}

/// What there was too much of for the stack.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Exhausted {
    Calls,
    /// The size of a local variable.
    Bytes(u64),
}

impl Error {
    pub fn rule(&self) -> &'static str {
        use AccessKind::{Read, Write};
        match self {
            Error::Memory(fault) => match fault.kind {
                FaultKind::OutOfBounds(Read) => "out-of-bounds-read",
                FaultKind::OutOfBounds(Write) => "out-of-bounds-write",
                FaultKind::Null(_) => "null-dereference",
                FaultKind::Wild(_) => "wild-dereference",
                FaultKind::UseAfterFree(_) => "use-after-free",
                FaultKind::UseAfterReturn(_) => "use-after-return",
                FaultKind::UseAfterScope(_) => "use-after-scope",
                FaultKind::Poisoned(_) => "use-of-poisoned",
                FaultKind::WriteToConstant => "write-to-constant",
                FaultKind::DoubleFree => "double-free",
                FaultKind::InvalidFree => "invalid-free",
            },
            Error::Uninitialised(_) => "uninitialized-read",
            Error::DivisionByZero => "division-by-zero",
            Error::SignedOverflow => "signed-overflow",
            Error::OverlappingCopy => "overlapping-copy",
            Error::Leak(_) => "memory-leak",
            Error::InvalidShift { .. } => "invalid-shift",
            Error::NoResult(error, _) => error.rule(),
            Error::Assertion(_) | Error::Reported(_) => "assertion-failure",
            Error::Abort => "abort",
            Error::Reached => "reach-error",
            Error::InvalidCall(_) => "invalid-call",
            Error::StackExhaustion(_) => "stack-exhaustion",
            Error::Unreachable => "unreachable",
        }
    }
}
