//! Compares a prediction with what a native run showed.

use crate::instrument::Instrumented;
use crate::observe::{Access, Departure, Event, Frame, Kind, Observation, file_name};
use crate::process::Ending;
use mneme_finding::{Confirmation, Outside, Rule};
use mneme_report::OutputRecord;
use std::path::{Component, Path, PathBuf};

use Confirmation::{Confirmed, NotCheckable, Unconfirmed};

/// Bytes around an object that AddressSanitizer always watches.
const REDZONE: u64 = 16;

/// A line of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    pub file: PathBuf,
    pub line: u32,
}

impl SourceLine {
    /// `None` if the line is unknown.
    pub fn new(file: &str, line: u32) -> Option<SourceLine> {
        (line > 0).then(|| SourceLine {
            file: file.into(),
            line,
        })
    }

    fn is(&self, frame: &Frame) -> bool {
        self.line == frame.line && same_file(&self.file, &frame.file)
    }
}

/// Whether both name the same file: one may be relative to a folder that the other names.
fn same_file(a: &Path, b: &Path) -> bool {
    let plain = |path: &Path| -> PathBuf {
        path.components()
            .filter(|part| !matches!(part, Component::CurDir | Component::ParentDir))
            .collect()
    };
    let (a, b) = (plain(a), plain(b));
    a.ends_with(&b) || b.ends_with(&a)
}

/// A predicted finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub rule: Rule,
    /// Where it must be seen; anywhere if unknown.
    pub place: Option<SourceLine>,
    /// Other places that belong to it: a leak is reported where its block was allocated.
    pub related: Vec<SourceLine>,
    /// On which side of its object it lies, and how far.
    pub outside: Option<Outside>,
    /// The size of its object, in bytes.
    pub object_size: Option<u64>,
}

impl Expectation {
    /// A finding of which only the rule is known.
    pub fn of_rule(rule: Rule) -> Expectation {
        Expectation {
            rule,
            place: None,
            related: Vec::new(),
            outside: None,
            object_size: None,
        }
    }

    fn is_seen_at(&self, event: &Event) -> bool {
        let here = |place: &SourceLine| event.frames.iter().any(|frame| place.is(frame));
        match &self.place {
            None => true,
            // The stack does not show where a wild jump came from, and after a jump into the middle of code there may
            // be none.
            Some(_) if event.kind == Kind::WildJump && event.place().is_none() => true,
            Some(_) if self.rule == Rule::InvalidCall && event.kind == Kind::Segv && event.frames.is_empty() => true,
            // Nor does it show which `return` gave the exit code.
            Some(_) if event.kind == Kind::UndefinedExit => true,
            // A stack overflow is detected where memory beyond the end is first used.
            Some(_) if event.kind == Kind::StackOverflow => true,
            Some(place) => here(place) || self.rule == Rule::MemoryLeak && self.related.iter().any(here),
        }
    }

    /// Whether it is so far outside its object that it may be inside another.
    fn is_far(&self) -> bool {
        self.outside.is_some_and(|outside| outside.bytes > REDZONE)
    }
}

/// A test that should end with an exit code, after some output.
pub fn exit(code: u8, stdout: Option<&OutputRecord>, seen: &Observation) -> Confirmation {
    let happened = seen.summary();
    match (seen.ending, &seen.departure) {
        (Ending::TimedOut(_), _) | (_, Some(Departure::Unsupported(_))) => NotCheckable(happened),
        _ if seen.last().is_some_and(|event| event.kind == Kind::OutOfMemory) => NotCheckable(happened),
        (Ending::Exited(real), None) if real == i32::from(code) && seen.last().is_none() => {
            match stdout.and_then(|expected| other_output(expected, &seen.stdout)) {
                None => Confirmed(happened),
                Some(difference) => Unconfirmed(format!("{happened}, but {difference}")),
            }
        }
        _ => Unconfirmed(format!("{happened}, predicted was an exit with {code}")),
    }
}

/// How the output differs from the prediction.
fn other_output(expected: &OutputRecord, real: &[u8]) -> Option<String> {
    let wanted = expected.bytes();
    let same = match expected.complete {
        true => real == wanted,
        false => real.starts_with(&wanted),
    };
    let (real, wanted) = (real.escape_ascii().to_string(), wanted.escape_ascii().to_string());
    // Readers want to see the line in which they begin to differ.
    let line = |text: &str, from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.split_inclusive("\\n").next().unwrap_or_default().to_owned()
    };
    let common = real.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
    let start = wanted[..common].rfind("\\n").map_or(0, |at| at + 2);
    (!same).then(|| {
        format!(
            "it writes \"{}\" where \"{}\" was predicted",
            line(&real, start),
            line(&wanted, start)
        )
    })
}

/// A test that should show a finding.
pub fn finding(expected: &Expectation, seen: &Observation, instrumented: Instrumented) -> Confirmation {
    let fitting = || seen.events.iter().filter(|event| fits(expected, event));
    if let Some(event) = fitting().find(|event| expected.is_seen_at(event)) {
        return Confirmed(at_expected_line(event, expected));
    }
    let happened = seen.summary();
    if let Some(event) = fitting().next() {
        let wanted = expected.place.as_ref().map_or(String::new(), |place| {
            format!(" rather than at {}:{}", file_name(&place.file), place.line)
        });
        return Unconfirmed(format!("{event}{wanted}"));
    }
    match (seen.ending, &seen.departure) {
        (Ending::TimedOut(_), None) if expected.rule == Rule::EndlessLoop => return Confirmed(happened),
        (Ending::TimedOut(_), _) | (_, Some(Departure::Excluded(_) | Departure::Unsupported(_))) => {
            return NotCheckable(happened);
        }
        _ => {}
    }
    match seen.last().map(|event| event.kind) {
        Some(Kind::OutOfMemory) => NotCheckable(happened),
        // A leak does not end a path: another fault may come before the end.
        Some(_) if expected.rule == Rule::MemoryLeak => {
            NotCheckable(format!("{happened}; leaks are looked for where a run ends by itself"))
        }
        None if seen.departure.is_none() => match blind_spot(expected, instrumented) {
            Some(why) => NotCheckable(format!("{happened}; {why}")),
            None => Unconfirmed(format!("{happened} without a report")),
        },
        _ => Unconfirmed(happened),
    }
}

/// The event, reported at the line where it was expected.
fn at_expected_line(event: &Event, expected: &Expectation) -> String {
    let is_expected = |frame: &&Frame| expected.place.as_ref().is_some_and(|place| place.is(frame));
    match event.frames.iter().find(is_expected) {
        Some(frame) => format!("{} at {frame}", event.text),
        None => event.to_string(),
    }
}

/// Whether a report matches the expected fault.
fn fits(expected: &Expectation, event: &Event) -> bool {
    // A native run does not know which object an access belongs to: outside its own, it may hit anything.
    let invalid_access = matches!(
        event.kind,
        Kind::OutOfBounds
            | Kind::Poisoned
            | Kind::UseAfterFree
            | Kind::UseAfterReturn
            | Kind::UseAfterScope
            | Kind::Segv
            | Kind::NullSegv
    );
    let outside = matches!(event.kind, Kind::Index | Kind::Overlap);
    let does = |access: Access| event.access.is_none_or(|real| real == access);
    let kinds: &[Kind] = match expected.rule {
        Rule::UseAfterFree | Rule::UseAfterReturn | Rule::UseAfterScope if expected.outside.is_some() => {
            return invalid_access;
        }
        Rule::OutOfBoundsRead => return outside || invalid_access && does(Access::Read),
        Rule::OutOfBoundsWrite => return outside || invalid_access && does(Access::Write),
        Rule::WildDereference => return invalid_access,
        Rule::WriteToConstant => return event.kind == Kind::Segv && does(Access::Write),
        Rule::NullDereference => &[Kind::NullPointer, Kind::NullSegv],
        // Pages that were given back to the system are not there.
        Rule::UseAfterFree => &[Kind::UseAfterFree, Kind::Segv],
        Rule::UseAfterReturn => &[Kind::UseAfterReturn],
        Rule::UseAfterScope => &[Kind::UseAfterScope],
        Rule::UseOfPoisoned => &[Kind::Poisoned],
        Rule::DoubleFree => &[Kind::DoubleFree],
        // The sanitizer looks for its own data before the pointer.
        Rule::InvalidFree => &[Kind::InvalidFree, Kind::Segv],
        Rule::UninitializedRead => &[Kind::Uninitialised, Kind::UndefinedExit],
        Rule::DivisionByZero => &[Kind::DivisionByZero, Kind::ZeroDivisor, Kind::DivisionOverflow],
        Rule::InvalidShift => &[Kind::ShiftDistance],
        Rule::InvalidConversion => &[Kind::ConversionRange],
        Rule::SignedOverflow => &[Kind::SignedOverflow, Kind::DivisionOverflow, Kind::ShiftOverflow],
        Rule::OverlappingCopy => &[Kind::Overlap],
        Rule::SubobjectOverrun => &[Kind::Index],
        Rule::InvalidArraySize => &[Kind::ArraySize],
        Rule::InvalidBool => &[Kind::BoolValue],
        // It is seen by its time.
        Rule::EndlessLoop => &[],
        Rule::MisalignedAccess => &[Kind::Misaligned],
        // A member is named by what is asked of it.
        Rule::NullOffset => &[Kind::NullOffset, Kind::NullPointer],
        Rule::InvalidBitCount => &[Kind::BitCount],
        Rule::LossyConversion => &[Kind::LossyConversion],
        Rule::FloatDivisionByZero => &[Kind::ZeroDivisor],
        Rule::UnsignedOverflow => &[Kind::UnsignedOverflow],
        Rule::ExcessiveAllocation => &[Kind::ExcessiveAllocation],
        Rule::AssertionFailure => &[Kind::Assertion],
        Rule::Abort => &[Kind::Abort],
        // What a program's own `reach_error` does.
        Rule::ReachError => &[Kind::ReachError, Kind::Assertion, Kind::Abort],
        Rule::InvalidCall => &[
            Kind::FunctionType,
            Kind::WildJump,
            Kind::NullPointer,
            Kind::NullSegv,
            Kind::Segv,
            // `longjmp` into a function that has returned comes back to where it was called.
            Kind::Unreachable,
        ],
        Rule::StackExhaustion => &[Kind::StackOverflow],
        Rule::Unreachable => &[Kind::Unreachable],
        Rule::MemoryLeak => &[Kind::Leak],
        // No sanitizer knows what a function should do, or looks at pointers that nobody follows.
        Rule::BehaviourDiffers | Rule::StackEscape => &[],
        // Handlers are not there.
        Rule::HandlerReport => &[],
    };
    kinds.contains(&event.kind)
}

/// Why a run that ends without a report does not refute a finding.
fn blind_spot(expected: &Expectation, instrumented: Instrumented) -> Option<&'static str> {
    match expected.rule {
        Rule::OutOfBoundsRead
        | Rule::OutOfBoundsWrite
        | Rule::UseAfterFree
        | Rule::UseAfterReturn
        | Rule::UseAfterScope
            if expected.is_far() =>
        {
            Some("an access this far outside its object can meet another one, which AddressSanitizer cannot tell")
        }
        Rule::OutOfBoundsRead | Rule::OutOfBoundsWrite if expected.object_size == Some(0) => {
            Some("AddressSanitizer gives an allocation of 0 bytes one byte")
        }
        Rule::ReachError => Some("the program's own `reach_error` does nothing that a native run shows"),
        Rule::HandlerReport => Some("what a handler looks for, no native run shows"),
        Rule::UseOfPoisoned => Some("AddressSanitizer poisons whole groups of 8 bytes only"),
        Rule::StackEscape => Some("no sanitizer looks at a pointer before it is followed"),
        Rule::UseAfterScope => Some("a variable whose scope is entered again has the same address as before"),
        Rule::StackExhaustion => Some("the native stack has room for more than --max-stack and --max-calls allow"),
        Rule::InvalidShift
        | Rule::InvalidConversion
        | Rule::SignedOverflow
        | Rule::SubobjectOverrun
        | Rule::InvalidArraySize
        | Rule::InvalidBitCount
        | Rule::InvalidBool
        | Rule::MisalignedAccess
        | Rule::NullOffset
        | Rule::LossyConversion
        | Rule::FloatDivisionByZero
        | Rule::UnsignedOverflow
        | Rule::Unreachable
        | Rule::InvalidCall
            if instrumented == Instrumented::Bitcode =>
        {
            Some("UndefinedBehaviorSanitizer needs the C source")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
