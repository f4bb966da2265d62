//! The rules a program can break. Their ids are an interface: SARIF consumers and the C corpus name them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How bad a finding is, in SARIF's words.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Undefined behaviour or a violated assertion.
    Error,
    /// Defined behaviour that is nevertheless a defect.
    Warning,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// The text is not the id of a rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no rule named `{0}`")]
pub struct UnknownRule(pub String);

macro_rules! rules {
    ($($rule:ident, $level:ident, $id:literal, $description:literal, $message:literal;)*) => {
        /// What a finding says went wrong.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        pub enum Rule { $(#[doc = $description] #[serde(rename = $id)] $rule,)* }

        impl Rule {
            /// Every rule, in the order of their declaration; a rule's position is its index in SARIF.
            pub const ALL: &[Rule] = &[$(Rule::$rule,)*];

            /// The id: kebab-case, stable.
            pub fn as_str(self) -> &'static str {
                match self { $(Rule::$rule => $id,)* }
            }

            /// One sentence that explains the rule to a reader new to it.
            pub fn description(self) -> &'static str {
                match self { $(Rule::$rule => $description,)* }
            }

            /// The message of a finding when nothing more precise is known.
            pub fn default_message(self) -> &'static str {
                match self { $(Rule::$rule => $message,)* }
            }

            pub fn level(self) -> Level {
                match self { $(Rule::$rule => Level::$level,)* }
            }
        }
    };
}

rules! {
    OutOfBoundsRead, Error, "out-of-bounds-read",
        "Memory is read outside the object that the pointer belongs to.", "read outside the bounds of an object";
    OutOfBoundsWrite, Error, "out-of-bounds-write",
        "Memory is written outside the object that the pointer belongs to.", "write outside the bounds of an object";
    NullDereference, Error, "null-dereference",
        "A null pointer is dereferenced.", "dereference of a null pointer";
    WildDereference, Error, "wild-dereference",
        "A pointer that belongs to no object is dereferenced.", "dereference of a pointer to no object";
    UseAfterFree, Error, "use-after-free",
        "A heap object is used after it was freed.", "use of an object that was freed";
    UseAfterReturn, Error, "use-after-return",
        "A local variable is used after its function returned.", "use of a local variable of a function that returned";
    UseAfterScope, Error, "use-after-scope",
        "A local variable is used after the end of its block.", "use of a local variable outside its scope";
    DoubleFree, Error, "double-free",
        "A heap object is freed a second time.", "object freed twice";
    InvalidFree, Error, "invalid-free",
        "A pointer that is not the start of a heap object is freed.", "free of a pointer that malloc did not return";
    UninitializedRead, Error, "uninitialized-read",
        "The program's behaviour depends on memory that was never written.", "use of uninitialized memory";
    WriteToConstant, Error, "write-to-constant",
        "A constant object or a string literal is modified.", "write to a constant object";
    DivisionByZero, Error, "division-by-zero",
        "An integer is divided by zero.", "division by zero";
    InvalidShift, Error, "invalid-shift",
        "The distance of a shift is negative or not less than the width.", "shift by an invalid distance";
    InvalidConversion, Error, "invalid-conversion",
        "A floating-point number is converted to an integer type that cannot hold it.", "conversion out of range";
    SignedOverflow, Error, "signed-overflow",
        "The result of signed arithmetic, such as the least number divided by -1, does not fit its type.", "signed integer overflow";
    AssertionFailure, Error, "assertion-failure",
        "An assertion does not hold.", "assertion failed";
    Abort, Error, "abort",
        "The program calls abort or ends by a trap.", "program aborted";
    ReachError, Error, "reach-error",
        "The error function of a verification task is reached.", "error location reached";
    InvalidCall, Error, "invalid-call",
        "A call goes through a pointer to no function, or disagrees with the function's type.", "invalid function call";
    StackExhaustion, Error, "stack-exhaustion",
        "Calls or local variables need more stack than there is.", "stack exhausted";
    Unreachable, Error, "unreachable",
        "Code is reached that the program declares unreachable.", "unreachable code reached";
    MemoryLeak, Warning, "memory-leak",
        "The last pointer to a heap object is lost before it is freed.", "memory leaked";
    OverlappingCopy, Error, "overlapping-copy",
        "A copy that must be between separate ranges is between ranges that overlap.", "copy between overlapping ranges";
    BehaviourDiffers, Error, "behaviour-differs",
        "Two functions that are expected to do the same differ on some input.", "two functions differ";
    SubobjectOverrun, Error, "subobject-overrun",
        "An index leaves the array that it belongs to, though perhaps not the object around it.", "index outside of its array";
    UseOfPoisoned, Error, "use-of-poisoned",
        "Memory is accessed that the program itself has declared out of bounds.", "use of poisoned memory";
    InvalidArraySize, Error, "invalid-array-size",
        "The length of a variable-length array is not positive.", "array of a length that is not positive";
    InvalidBitCount, Error, "invalid-bit-count",
        "The leading or trailing zeros of zero are counted, which have no number.", "bits of zero counted";
    InvalidBool, Error, "invalid-bool",
        "A `_Bool` is read whose byte is neither 0 nor 1.", "read of an invalid `_Bool`";
    MisalignedAccess, Error, "misaligned-access",
        "Memory is accessed at an address that is not aligned for the type.", "misaligned access";
    NullOffset, Error, "null-offset",
        "An offset is added to a null pointer.", "offset from a null pointer";
    EndlessLoop, Error, "endless-loop",
        "A loop comes back to exactly the state that it was in, and never ends.", "endless loop";
    LossyConversion, Warning, "lossy-conversion",
        "An implicit conversion to a narrower integer type changes the value.", "conversion changes the value";
    UnsignedOverflow, Warning, "unsigned-overflow",
        "The result of unsigned arithmetic does not fit its type and wraps.", "unsigned integer overflow";
    ExcessiveAllocation, Warning, "excessive-allocation",
        "A heap object of more than 1 GiB is asked for, typically because nothing limits an input.", "excessive allocation";
    FloatDivisionByZero, Warning, "float-division-by-zero",
        "A floating-point number is divided by zero.", "floating-point division by zero";
    StackEscape, Warning, "stack-escape",
        "A function returns while something that its caller has still refers to one of its local variables.",
        "the address of a local variable outlives it";
    HandlerReport, Warning, "handler-report",
        "A handler of memory accesses, such as those behind --watch and --taint, reports what it looks for.", "reported by a handler";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(text: &str) -> Result<Rule, UnknownRule> {
        Rule::ALL
            .iter()
            .copied()
            .find(|rule| rule.as_str() == text)
            .ok_or_else(|| UnknownRule(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kebab_case_distinct_and_read_back() {
        for rule in Rule::ALL {
            assert_eq!(rule.as_str().parse(), Ok(*rule));
            assert!(rule.as_str().chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        }
    }

    #[test]
    fn an_unknown_id_is_named_in_the_error() {
        let error = "out-of-bound-read".parse::<Rule>().unwrap_err();
        assert_eq!(error.to_string(), "there is no rule named `out-of-bound-read`");
    }

    #[test]
    fn what_has_a_defined_result_is_a_warning() {
        let warnings: Vec<_> = Rule::ALL.iter().filter(|r| r.level() == Level::Warning).collect();
        let defined = [
            Rule::MemoryLeak,
            Rule::LossyConversion,
            Rule::UnsignedOverflow,
            Rule::ExcessiveAllocation,
            Rule::FloatDivisionByZero,
            Rule::StackEscape,
            Rule::HandlerReport,
        ];
        assert_eq!(warnings, defined.iter().collect::<Vec<_>>());
    }
}
