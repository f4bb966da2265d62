//! What a native run showed: its end, and the reports of the sanitizers in the order in which they were written.

use crate::process::{Ending, Finished};
use std::fmt;
use std::path::{Path, PathBuf};

/// What a report is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    OutOfBounds,
    /// A copy whose source and target overlap: if they are different objects, it leaves one of them.
    Overlap,
    /// An index that is too large for its array; the access may still be inside the object around it.
    Index,
    Poisoned,
    UseAfterFree,
    UseAfterReturn,
    UseAfterScope,
    DoubleFree,
    InvalidFree,
    /// A signal, near address zero.
    NullSegv,
    /// A signal, anywhere else.
    Segv,
    /// The program continues where there is no code; the call that led there is not on the stack.
    WildJump,
    NullPointer,
    Uninitialised,
    /// The exit code is unwritten memory; the code that set it is no longer on the stack.
    UndefinedExit,
    Leak,
    /// Of integers, where the program ends.
    DivisionByZero,
    /// Of integers, which then ends the program, or of floating-point numbers: the reports are alike.
    ZeroDivisor,
    /// The smallest number divided by minus one.
    DivisionOverflow,
    ShiftDistance,
    /// The operand of a left shift does not fit, or is negative.
    ShiftOverflow,
    /// A floating-point number that does not fit in an integer type.
    ConversionRange,
    /// An implicit conversion that changes the value.
    LossyConversion,
    /// A variable-length array whose length is not positive.
    ArraySize,
    /// A `_Bool` that is neither 0 nor 1.
    BoolValue,
    /// An access at an address that is not aligned for its type.
    Misaligned,
    /// An offset is added to a null pointer.
    NullOffset,
    /// The zeros of zero are counted.
    BitCount,
    SignedOverflow,
    UnsignedOverflow,
    /// More memory is asked for than can be meant.
    ExcessiveAllocation,
    Assertion,
    Abort,
    ReachError,
    Unreachable,
    FunctionType,
    StackOverflow,
    OutOfMemory,
    /// Undefined behaviour that no rule of Mneme covers; the run continues.
    Remark,
    /// Anything else that ends a run.
    Other,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub file: PathBuf,
    pub line: u32,
    /// 0 when unknown.
    pub column: u32,
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", file_name(&self.file), self.line)?;
        match self.column {
            0 => Ok(()),
            column => write!(f, ":{column}"),
        }
    }
}

/// One report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub kind: Kind,
    pub access: Option<Access>,
    /// Which tool reported it, and its name for the event.
    pub text: String,
    /// The first stack of the report, innermost first; calls without a known line are left out.
    pub frames: Vec<Frame>,
}

impl Event {
    fn new(kind: Kind, text: String) -> Event {
        Event {
            kind,
            access: None,
            text,
            frames: Vec::new(),
        }
    }

    /// Undefined behaviour that Mneme does not look for unless asked: a run continues after it as the machine does.
    pub fn is_tolerated(&self) -> bool {
        matches!(
            self.kind,
            Kind::Remark
                | Kind::SignedOverflow
                | Kind::ShiftOverflow
                | Kind::Index
                | Kind::FunctionType
                | Kind::ZeroDivisor
                | Kind::LossyConversion
                | Kind::Misaligned
                | Kind::NullOffset
                | Kind::UnsignedOverflow
                | Kind::ExcessiveAllocation
        )
    }

    /// The innermost call in a file that exists: not in a precompiled library, nor in Mneme's runtime.
    pub fn place(&self) -> Option<&Frame> {
        self.frames
            .iter()
            .find(|frame| frame.file.is_absolute() && frame.file.exists())
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.place() {
            Some(frame) => write!(f, " at {frame}"),
            None => Ok(()),
        }
    }
}

pub fn file_name(file: &Path) -> String {
    file.file_name()
        .unwrap_or(file.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// Why the replay library ended a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Departure {
    /// The harness excludes this input.
    Excluded(String),
    /// The program asks for an input that the test does not have.
    NoInput(String),
    /// The harness uses something without a native counterpart.
    Unsupported(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    pub ending: Ending,
    pub departure: Option<Departure>,
    pub events: Vec<Event>,
    /// The beginning of what it wrote to standard output.
    pub stdout: Vec<u8>,
}

impl Observation {
    pub fn new(finished: Finished) -> Observation {
        let mut reading = Reading::default();
        finished.stderr.lines().for_each(|line| reading.line(line));
        Observation {
            ending: finished.ending,
            departure: reading.departure,
            events: reading.events,
            stdout: finished.stdout,
        }
    }

    /// The report that ended the run, or the last one that should correspond to a finding of Mneme.
    pub fn last(&self) -> Option<&Event> {
        self.events.iter().rev().find(|event| !event.is_tolerated())
    }

    /// What happened, in a few words.
    pub fn summary(&self) -> String {
        match (&self.departure, self.last(), self.ending) {
            (Some(Departure::Excluded(why)), ..) => format!("the input is excluded: {why}"),
            (Some(Departure::NoInput(name)), ..) => {
                format!("the program asks for the input `{name}`, which the test does not have like this")
            }
            (Some(Departure::Unsupported(why)), ..) => why.clone(),
            (None, _, Ending::TimedOut(limit)) => {
                format!("the native run does not end within {} s", limit.as_secs_f64())
            }
            (None, Some(event), _) => event.to_string(),
            (None, None, Ending::Exited(code)) => match self.events.first() {
                Some(remark) => format!("it exits with {code} after {remark}"),
                None => format!("it exits with {code}"),
            },
            (None, None, Ending::Signalled(signal)) => format!("it ends by signal {signal}"),
        }
    }
}

/// The state of reading line by line.
#[derive(Default)]
struct Reading {
    events: Vec<Event>,
    departure: Option<Departure>,
    /// Whether further frames belong to the last event.
    open: bool,
}

impl Reading {
    fn line(&mut self, line: &str) {
        let line = without_process(line);
        if let Some(frame) = sanitizer_frame(line).or_else(|| valgrind_frame(line)) {
            if let (true, Some(event)) = (self.open, self.events.last_mut()) {
                event.frames.extend(frame);
            }
            return;
        }
        if let Some(event) = start(line) {
            return self.begin(event);
        }
        if let Some(told) = line.strip_prefix("mneme-replay: ") {
            return self.told(told);
        }
        if line.starts_with("valgrind: ") || line.starts_with("Valgrind: ") {
            self.departure
                .get_or_insert(Departure::Unsupported(line.trim().to_owned()));
            return;
        }
        let Some(event) = self.events.last_mut().filter(|_| self.open) else {
            return;
        };
        if line.contains("Maybe a wild jump") || line.contains("pc points to the zero page") {
            event.kind = Kind::WildJump;
            event.text.push_str(", a jump to what is not code");
        } else if let Some(access) = access(line).filter(|_| event.access.is_none() && event.frames.is_empty()) {
            event.access = Some(access);
            let size = line.split(" at 0x").next().filter(|head| head.contains(" of size "));
            event.text.extend(size.map(|size| format!(", {}", size.trim())));
        } else if !event.frames.is_empty() {
            self.open = false;
        }
    }

    fn begin(&mut self, event: Event) {
        self.open = true;
        let cause = self.events.last().map(|last| last.kind);
        // The message came first; now comes the stack of the abort that follows it.
        if event.kind == Kind::Abort && matches!(cause, Some(Kind::Assertion | Kind::ReachError | Kind::Overlap)) {
            return;
        }
        self.events.push(event);
    }

    /// Handles a message of the replay library.
    fn told(&mut self, told: &str) {
        let (key, text) = told.split_once(": ").unwrap_or((told, ""));
        let text = text.to_owned();
        let departure = match key {
            "excluded" => Departure::Excluded(text),
            "no-input" | "other-size" => Departure::NoInput(text),
            "unsupported" => Departure::Unsupported(text),
            "undefined-exit" => return self.begin(Event::new(Kind::UndefinedExit, text)),
            "excessive-allocation" => return self.begin(Event::new(Kind::ExcessiveAllocation, text)),
            "overlap" => return self.begin(Event::new(Kind::Overlap, text)),
            "reach-error" => return self.begin(Event::new(Kind::ReachError, text)),
            "assertion" => return self.begin(Event::new(Kind::Assertion, format!("assertion `{text}` fails"))),
            "report" => return self.begin(Event::new(Kind::Assertion, format!("the harness reports `{text}`"))),
            _ => return,
        };
        self.departure = Some(departure);
    }
}

/// The event that a line begins.
fn start(line: &str) -> Option<Event> {
    if let Some((_, report)) = line.split_once("ERROR: AddressSanitizer: ") {
        return Some(address_event("AddressSanitizer", report));
    }
    if let Some((_, report)) = line.split_once("ERROR: MemorySanitizer: ") {
        return Some(address_event("MemorySanitizer", report));
    }
    if line.contains("WARNING: MemorySanitizer: use-of-uninitialized-value") {
        let text = "MemorySanitizer: use-of-uninitialized-value".into();
        return Some(Event::new(Kind::Uninitialised, text));
    }
    if line.contains("depends on uninitialised value") || line.contains("Use of uninitialised value") {
        return Some(Event::new(Kind::Uninitialised, format!("valgrind: {}", line.trim())));
    }
    if line.contains("exit_group(status) contains uninitialised byte") {
        return Some(Event::new(Kind::UndefinedExit, format!("valgrind: {}", line.trim())));
    }
    if let Some((place, report)) = line.split_once(": runtime error: ") {
        let mut event = Event::new(undefined_kind(report), format!("UndefinedBehaviorSanitizer: {report}"));
        event.frames.extend(source_place(place));
        return Some(event);
    }
    if line.contains(" leak of ") && line.ends_with("allocated from:") {
        let text = format!(
            "LeakSanitizer: {}",
            line.trim_end_matches(" allocated from:").to_lowercase()
        );
        return Some(Event::new(Kind::Leak, text));
    }
    if line.contains("hard rss limit exhausted") {
        return Some(Event::new(
            Kind::OutOfMemory,
            "the memory limit of native runs is reached".into(),
        ));
    }
    // glibc: `program: file:line: function: Assertion `…' failed.`
    let (head, expression) = line.split_once(": Assertion `")?;
    let expression = expression.strip_suffix("' failed.")?;
    let mut event = Event::new(Kind::Assertion, format!("assertion `{expression}` fails"));
    event.frames.extend(head.split(": ").find_map(source_place));
    Some(event)
}

/// `report` is what follows the sanitizer's name: `heap-buffer-overflow on address 0x… at pc …`.
fn address_event(tool: &str, report: &str) -> Event {
    let name = report.split(" on address").next().unwrap_or(report);
    let name = name.split(" on unknown address").next().unwrap_or(name);
    let name = name.split([':', '(']).next().unwrap_or(name).trim();
    let kind = match name {
        "heap-buffer-overflow"
        | "stack-buffer-overflow"
        | "stack-buffer-underflow"
        | "dynamic-stack-buffer-overflow"
        | "global-buffer-overflow"
        | "container-overflow"
        | "intra-object-overflow"
        | "negative-size-param"
        | "unknown-crash" => Kind::OutOfBounds,
        "use-after-poison" => Kind::Poisoned,
        _ if name.ends_with("-param-overlap") => Kind::Overlap,
        "heap-use-after-free" => Kind::UseAfterFree,
        "stack-use-after-return" => Kind::UseAfterReturn,
        "stack-use-after-scope" => Kind::UseAfterScope,
        "stack-overflow" => Kind::StackOverflow,
        "SEGV" | "BUS" if near_zero(report) => Kind::NullSegv,
        "SEGV" | "BUS" => Kind::Segv,
        "FPE" => Kind::DivisionByZero,
        "ABRT" | "ILL" | "TRAP" => Kind::Abort,
        _ if name.starts_with("attempting double-free") => Kind::DoubleFree,
        _ if name.starts_with("attempting free") => Kind::InvalidFree,
        "out-of-memory" | "allocation-size-too-big" | "calloc-overflow" => Kind::OutOfMemory,
        _ => Kind::Other,
    };
    Event::new(kind, format!("{tool}: {}", name.split(" on 0x").next().unwrap_or(name)))
}

/// Whether the address of a signal is on the first page, or on the last (a field before a null pointer).
fn near_zero(report: &str) -> bool {
    let digits = report
        .split_once("address 0x")
        .map(|(_, rest)| rest.split(' ').next().unwrap_or(rest));
    let address = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    address.is_some_and(|address| address.wrapping_add(4096) < 8192)
}

fn undefined_kind(report: &str) -> Kind {
    let has = |text: &str| report.contains(text);
    match () {
        () if has("out of bounds for type") => Kind::Index,
        () if has("null pointer") && !has("applying") => Kind::NullPointer,
        () if has("non-zero offset") && has("to null pointer") => Kind::NullOffset,
        () if has("division by zero") => Kind::ZeroDivisor,
        () if has("implicit conversion from ") => Kind::LossyConversion,
        () if has("misaligned address") => Kind::Misaligned,
        () if has("not a valid value for type") => Kind::BoolValue,
        () if has("variable length array bound") => Kind::ArraySize,
        () if has("which is not a valid argument") => Kind::BitCount,
        () if has("division of ") => Kind::DivisionOverflow,
        () if has("shift exponent") => Kind::ShiftDistance,
        () if has("left shift of ") => Kind::ShiftOverflow,
        () if has("is outside the range of representable values") => Kind::ConversionRange,
        () if has("unsigned integer overflow") => Kind::UnsignedOverflow,
        () if has("signed integer overflow") => Kind::SignedOverflow,
        // `in type 'unsigned int'`, or `in type 'size_t' (aka 'unsigned long')`.
        () if has("negation of ") && has("'unsigned ") => Kind::UnsignedOverflow,
        () if has("negation of ") => Kind::SignedOverflow,
        () if has("unreachable program point") => Kind::Unreachable,
        () if has("incorrect function type") => Kind::FunctionType,
        () => Kind::Remark,
    }
}

fn access(line: &str) -> Option<Access> {
    match () {
        () if line.starts_with("READ of size") || line.contains("caused by a READ") => Some(Access::Read),
        () if line.starts_with("WRITE of size") || line.contains("caused by a WRITE") => Some(Access::Write),
        () => None,
    }
}

/// The line without `==123==`.
fn without_process(line: &str) -> &str {
    let Some((process, rest)) = line.strip_prefix("==").and_then(|rest| rest.split_once("==")) else {
        return line;
    };
    if process.bytes().all(|byte| byte.is_ascii_digit()) {
        rest.strip_prefix(' ').unwrap_or(rest)
    } else {
        line
    }
}

/// `    #1 0x55d0 in main /home/me/a.c:9:11`; `Some(None)` for a frame without a line.
fn sanitizer_frame(line: &str) -> Option<Option<Frame>> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (number, rest) = rest.split_once(" 0x")?;
    number.parse::<u32>().ok()?;
    let place = rest.split_once(" in ").and_then(|(_, call)| call.split_once(' '));
    Some(place.and_then(|(_, place)| source_place(place)))
}

/// `   at 0x10916B: main (/home/me/a.c:12)`.
fn valgrind_frame(line: &str) -> Option<Option<Frame>> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("at 0x").or_else(|| rest.strip_prefix("by 0x"))?;
    let place = rest.rsplit_once('(').and_then(|(_, place)| place.strip_suffix(')'));
    Some(place.and_then(source_place))
}

/// `file:line` or `file:line:column`.
fn source_place(text: &str) -> Option<Frame> {
    let (file, last) = text.trim().rsplit_once(':')?;
    let last = last.parse::<u32>().ok()?;
    let (file, line, column) = match file.rsplit_once(':').map(|(file, line)| (file, line.parse::<u32>())) {
        Some((file, Ok(line))) => (file, line, last),
        _ => (file, last, 0),
    };
    Some(Frame {
        file: PathBuf::from(file),
        line,
        column,
    })
}

#[cfg(test)]
mod tests;
