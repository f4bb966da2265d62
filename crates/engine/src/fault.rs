//! Errors of the analysed program and their names; what is reported about them is in `explain`.

use mneme_finding::{Location, Rule};
use mneme_memory::{AccessKind, Fault, FaultKind};
use mneme_term::{BaseId, TermId, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Memory(Fault),
    /// What happens next depends on this term, which depends on unwritten memory.
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
    /// An index, and the type of the array that it leaves, if known.
    Subobject(Value, Option<String>),
    /// Nothing refers to this heap object any more.
    Leak(BaseId),
    InvalidShift {
        width: u32,
    },
    /// An operation had no result, for this reason, and the result was used somewhere.
    NoResult(Box<Error>, Option<Location>),
    Assertion(String),
    Abort,
    /// The error location of a harness.
    Reached,
    InvalidCall(String),
    StackExhaustion(Exhausted),
    Unreachable,
    /// Something that the harness reports itself.
    Reported(String),
}

/// What was too large for the stack.
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
    pub fn rule(&self) -> Rule {
        use AccessKind::{Read, Write};
        match self {
            Error::Memory(fault) => match fault.kind {
                FaultKind::OutOfBounds(Read) => Rule::OutOfBoundsRead,
                FaultKind::OutOfBounds(Write) => Rule::OutOfBoundsWrite,
                FaultKind::Null(_) => Rule::NullDereference,
                FaultKind::Wild(_) => Rule::WildDereference,
                FaultKind::UseAfterFree(_) => Rule::UseAfterFree,
                FaultKind::UseAfterReturn(_) => Rule::UseAfterReturn,
                FaultKind::UseAfterScope(_) => Rule::UseAfterScope,
                FaultKind::Poisoned(_) => Rule::UseOfPoisoned,
                FaultKind::WriteToConstant => Rule::WriteToConstant,
                FaultKind::DoubleFree => Rule::DoubleFree,
                FaultKind::InvalidFree => Rule::InvalidFree,
            },
            Error::Uninitialised(_) => Rule::UninitializedRead,
            Error::DivisionByZero => Rule::DivisionByZero,
            Error::SignedOverflow | Error::ShiftOverflow(..) => Rule::SignedOverflow,
            Error::InvalidConversion { .. } => Rule::InvalidConversion,
            Error::OverlappingCopy => Rule::OverlappingCopy,
            Error::Subobject(..) => Rule::SubobjectOverrun,
            Error::Leak(_) => Rule::MemoryLeak,
            Error::InvalidShift { .. } => Rule::InvalidShift,
            Error::NoResult(error, _) => error.rule(),
            Error::Assertion(_) | Error::Reported(_) => Rule::AssertionFailure,
            Error::Abort => Rule::Abort,
            Error::Reached => Rule::ReachError,
            Error::InvalidCall(_) => Rule::InvalidCall,
            Error::StackExhaustion(_) => Rule::StackExhaustion,
            Error::Unreachable => Rule::Unreachable,
        }
    }
}
