//! Errors of the analysed program and what they are called; what is said of them is in `explain`.

use crate::observer::CodePlace;
use mneme_memory::{AccessKind, Fault, FaultKind};
use mneme_term::{BaseId, TermId, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Memory(Fault),
    /// What happens next depends on this term, which depends on memory that nobody wrote.
    Uninitialised(TermId),
    DivisionByZero,
    SignedOverflow,
    /// What is shifted to the left, and by how much: the result does not fit its signed type.
    ShiftOverflow(Value, Value),
    /// A floating-point number does not fit an integer of that many bits.
    InvalidConversion {
        width: u32,
    },
    /// Source and target of a copy overlap.
    OverlappingCopy,
    /// An index, and the type of the array that it leaves, as far as that is known.
    Subobject(Value, Option<String>),
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
    /// Bytes: of a call or a local variable, and of what was there before.
    Bytes {
        needed: Value,
        taken: u64,
    },
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
            Error::SignedOverflow | Error::ShiftOverflow(..) => "signed-overflow",
            Error::InvalidConversion { .. } => "invalid-conversion",
            Error::OverlappingCopy => "overlapping-copy",
            Error::Subobject(..) => "subobject-overrun",
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
