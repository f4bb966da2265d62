//! What is reported about an error: one sentence in C's terms, and notes with their own locations.
//!
//! Everything is worked out when an error is found, from the state and the program; paths without errors pay nothing.

mod facts;
mod object;
mod path;
mod unwritten;

use crate::fault::{Error, Exhausted};
use crate::observer::TestCase;
use crate::state::{Frame, Input, State};
use crate::worker::Worker;
use mneme_finding::{self as finding, Finding, Location, Note, Outside, Side};
use mneme_memory::{AccessKind, Fault, FaultKind, Model};
use mneme_program::{Expression, Inst, Loc};
use mneme_term::{Origin, TermId, Value, sign_extend};

/// At most this many values are reported.
const MOST_VALUES: usize = 4;

pub(crate) fn count(n: u64, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// What the program does at the error.
struct Subject {
    expression: Option<Expression>,
    instruction: Option<Inst>,
    /// The library function in which it happens.
    inside: Option<String>,
}

impl Subject {
    /// `a[i]` reads 4 bytes; "read of 4 bytes" if there is no expression.
    fn access(&self, kind: AccessKind, len: Option<u64>) -> String {
        let (verb, noun) = match kind {
            AccessKind::Read => ("reads", "read"),
            AccessKind::Write => ("writes", "write"),
        };
        let bytes = len.map(|n| count(n, "byte"));
        match (&self.expression, bytes) {
            (Some(expression), Some(bytes)) => format!("`{}` {verb} {bytes}", expression.text),
            (Some(expression), None) => format!("`{}` {verb}", expression.text),
            (None, Some(bytes)) => format!("{noun} of {bytes}"),
            (None, None) => noun.into(),
        }
    }

    /// "`free(p)` frees", or "free of".
    fn free(&self, verb: &str, noun: &str) -> String {
        match &self.expression {
            Some(expression) => format!("`{}` {verb}", expression.text),
            None => noun.into(),
        }
    }

    /// The expression, or what stands for it.
    fn named(&self, otherwise: &str) -> String {
        match &self.expression {
            Some(expression) => format!("`{}`", expression.text),
            None => otherwise.into(),
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// The error as people and tools see it, and a test that shows it.
    pub fn explain(&mut self, state: &State<M>, error: &Error) -> (Finding, TestCase) {
        let mut stack = self.stack(state);
        if stack.is_empty() {
            stack.push(Location {
                function: "main".into(),
                ..Location::default()
            });
        }
        let place = state
            .frames
            .iter()
            .rev()
            .position(|frame| self.is_own(frame))
            .unwrap_or(0);
        let frame = state
            .frames
            .len()
            .checked_sub(place + 1)
            .map(|index| &*state.frames[index]);
        let of_program = !error.is_seen_by_clang();
        let subject = Subject {
            expression: frame
                .filter(|_| of_program)
                .and_then(|frame| self.program.expression(frame.function, frame.pc)),
            instruction: frame.and_then(|frame| {
                let code = &self.program.function(frame.function).code;
                code.get(frame.pc as usize).copied()
            }),
            inside: (place > 0).then(|| stack[place - 1].function.clone()),
        };
        let mut notes = Vec::new();
        let message = self.message(state, error, &subject, &mut notes);
        if state.serving.invented > 0 {
            let made = "a handler made up values on this path: only a replay can confirm it (--confirm)";
            notes.push(Note::new(made, None));
        }
        if let (Some(expression), Some(frame)) = (&subject.expression, frame)
            && values_matter(error)
        {
            notes.extend(self.values(state, frame, expression).map(|text| Note::new(text, None)));
        }
        notes.extend(self.unknown_calls(state));
        notes.extend(self.symbolic_heap(state));
        let test = self.test_case(state, false);
        let input = |(input, (name, bytes)): (&Input, &(String, Vec<u8>))| finding::Input {
            name: name.clone(),
            bytes: bytes.clone(),
            literal: input.c_type.and_then(|ty| self.program.literal(ty, bytes)),
        };
        let inputs = match &test.call {
            Some(call) => called_with(call),
            None => state.path.inputs.iter().zip(&test.inputs).map(input).collect(),
        };
        let assumption = test.call.as_ref().map(|call| self.assumption(state, error, call));
        if let (Some(rests_on), Some(call)) = (assumption, &test.call) {
            let shape = match call.arguments.is_empty() {
                true => String::new(),
                false => format!(": {}", call.shape()),
            };
            notes.push(Note::new(format!("this rests on {}{shape}", rests_on.describe()), None));
        }
        let location = stack[place].clone();
        let frame = |location: Location| finding::Frame {
            function: location.function.clone(),
            location,
        };
        let finding = Finding {
            message,
            stack: stack.into_iter().map(frame).collect(),
            expression: subject.expression.map(|expression| expression.text),
            object: self.object_facts(state, error),
            access: self.access_facts(state, error),
            notes,
            inputs,
            assumption,
            path: self.path_steps(state),
            ..Finding::new(error.rule(), location)
        };
        (finding, test)
    }

    /// Does the frame do what the program itself says? Mneme's library acts for its caller, and a caller copies the
    /// structures that it passes as arguments.
    fn is_own(&self, frame: &Frame) -> bool {
        let function = self.program.function(frame.function);
        let passes = matches!(function.code.get(frame.pc as usize), Some(Inst::ByvalCopy { .. }));
        !function.runtime && !passes
    }

    /// Where an error of this state is in the program's own code.
    pub(crate) fn own_place(&self, state: &State<M>) -> Loc {
        let frame = state.frames.iter().rposition(|frame| self.is_own(frame));
        let frame = frame.map_or(state.frames.last(), |own| state.frames.get(own));
        frame.map_or(Loc::default(), |frame| self.loc(frame))
    }

    /// Where the function that has an error of this state was called.
    pub(crate) fn caller(&self, state: &State<M>) -> Option<Loc> {
        let own = state.frames.iter().rposition(|frame| self.is_own(frame))?;
        let outer = state.frames[..own].iter().rev();
        let caller = outer
            .into_iter()
            .find(|frame| !self.program.function(frame.function).runtime);
        caller.map(|frame| self.loc(frame))
    }

    fn loc(&self, frame: &Frame) -> Loc {
        let locs = &self.program.function(frame.function).locs;
        locs.get(frame.pc as usize).copied().unwrap_or_default()
    }

    fn message(&mut self, state: &State<M>, error: &Error, subject: &Subject, notes: &mut Vec<Note>) -> String {
        match error {
            Error::Memory(fault) => self.memory_message(state, fault, subject, notes),
            Error::Uninitialised(term) => self.uninitialised_message(*term, subject, notes),
            Error::DivisionByZero => subject.free("divides by zero", "division by zero"),
            Error::SignedOverflow => format!(
                "the result of {} does not fit its signed type",
                subject.named("the computation")
            ),
            Error::ShiftOverflow(value, distance) => {
                let (value, distance) = (self.shown_number(state, *value), self.shown_number(state, *distance));
                format!("the result of {value} << {distance} does not fit its signed type")
            }
            Error::InvalidConversion { width } => format!(
                "{} converts a floating-point number that does not fit {width} bits",
                subject.named("the operation")
            ),
            Error::OverlappingCopy => {
                subject.free("copies between ranges that overlap", "copy between ranges that overlap")
            }
            Error::Subobject(index, array) => {
                let index = self.shown_number(state, *index);
                let array = array.as_ref().map_or("its array".into(), |array| format!("`{array}`"));
                format!("index {index} is outside of {array}, though perhaps not of the object around it")
            }
            Error::ArraySize(length) => {
                let length = self.shown_number(state, *length);
                format!("the length of the array is {length}")
            }
            Error::Endless => "the loop comes back to where it was, and never ends".into(),
            Error::Misaligned { align } => format!(
                "{} is at an address that is not a multiple of {align}",
                subject.named("what is accessed")
            ),
            Error::NullOffset => subject.free(
                "adds an offset to a null pointer",
                "an offset is added to a null pointer",
            ),
            Error::InvalidBool(byte) => {
                let byte = self.shown_number(state, *byte);
                format!("{} is a `_Bool` with the value {byte}", subject.named("what is read"))
            }
            Error::BitCount => subject.free("counts the bits of zero", "the bits of zero are counted"),
            Error::LossyConversion(before, after, narrow) => {
                let (before, after) = (self.shown_number(state, *before), self.shown_number(state, *after));
                let narrow = narrow.as_ref().map_or("a narrower type".into(), |ty| format!("`{ty}`"));
                format!("the implicit conversion to {narrow} changes {before} to {after}")
            }
            Error::UnsignedOverflow => "the result of unsigned arithmetic does not fit its type and wraps".into(),
            Error::ExcessiveAllocation(size) => {
                format!("{} bytes are asked for at once", self.shown_number(state, *size) as u64)
            }
            Error::FloatDivisionByZero => "a floating-point number is divided by zero".into(),
            Error::Leak(base) => {
                let object = self.object_name(state, *base);
                notes.extend(self.origin_note(state, *base));
                format!("nothing refers to {object} any longer, and it was not freed")
            }
            Error::Escape { local, holder } => {
                let object = self.object_name(state, *local);
                notes.extend(self.origin_note(state, *local));
                match holder {
                    None => format!("the address of {object} is returned"),
                    Some(holder) => {
                        let holder = self.object_name(state, *holder);
                        format!("{holder} still refers to {object} when the function returns")
                    }
                }
            }
            Error::InvalidShift { width } => format!(
                "{} shifts a value of {width} bits by {width} bits or more",
                subject.named("the operation")
            ),
            Error::NoResult(error, used) => {
                let here = self.own_place(state);
                let elsewhere = |place: &Location| place.line != here.line && place.line > 0;
                let used = used.clone().filter(elsewhere);
                notes.extend(used.map(|place| Note::new("its result is used here", Some(place))));
                self.message(state, error, subject, notes)
            }
            Error::Assertion(text) => format!("assertion `{text}` fails"),
            Error::Abort => "the program aborts".into(),
            Error::Reached => "the error location is reached".into(),
            Error::InvalidCall(what) => what.clone(),
            Error::StackExhaustion(Exhausted::Calls) => {
                format!("more than {} calls are active at once", self.options.max_calls)
            }
            Error::StackExhaustion(Exhausted::Bytes { needed, taken }) => format!(
                "{} needs about {} bytes of stack, but {taken} of the {} are already in use",
                subject.named("a local variable"),
                self.shown_number(state, *needed) as u64,
                self.options.max_stack
            ),
            Error::Unreachable => "code that the compiler took for unreachable is reached".into(),
            Error::Differs(what) => format!("the two functions differ in {what}"),
            Error::Reported(text) | Error::OfHandler(_, text) => text.clone(),
        }
    }

    fn memory_message(&mut self, state: &State<M>, fault: &Fault, subject: &Subject, notes: &mut Vec<Note>) -> String {
        let facts = self.access(state, fault);
        let len = facts.length;
        let Some((base, offset)) = fault.base.zip(facts.offset) else {
            let address = facts.address.unwrap_or_default();
            return address_message(fault.kind, address, len, subject, notes);
        };
        let object = self.object_name(state, base);
        notes.extend(self.origin_note(state, base));
        notes.extend(self.death_note(state, base));
        let access = |kind| subject.access(kind, len);
        match fault.kind {
            FaultKind::OutOfBounds(kind) => {
                let access = access(kind);
                let Some(Outside { side, bytes }) = facts.outside else {
                    return format!("{access} outside of {object}");
                };
                let far = count(bytes, "byte");
                match side {
                    Side::Before => format!("{access}, {far} before {object}"),
                    Side::Past if bytes == 0 => format!("{access} just past the end of {object}"),
                    Side::Past => format!("{access}, {far} past the end of {object}"),
                    Side::Across => format!("{access} from offset {offset} of {object}, {far} past its end"),
                }
            }
            FaultKind::UseAfterFree(kind) => format!("{} of {object}, which has been freed", access(kind)),
            FaultKind::UseAfterReturn(kind) => {
                format!("{} of {object}, whose function has returned", access(kind))
            }
            FaultKind::UseAfterScope(kind) => format!("{} of {object}, whose scope has ended", access(kind)),
            FaultKind::Poisoned(kind) => format!("{} of {object} where the program has poisoned it", access(kind)),
            FaultKind::WriteToConstant => format!("{} of {object}, which is constant", access(AccessKind::Write)),
            FaultKind::DoubleFree => match &subject.expression {
                Some(expression) => format!("`{}` frees {object} a second time", expression.text),
                None => format!("{object} is freed a second time"),
            },
            FaultKind::InvalidFree if offset != 0 => {
                let free = subject.free("frees a pointer", "free of a pointer");
                match offset {
                    1.. => format!("{free} {} into {object}", count(offset as u64, "byte")),
                    _ => format!("{free} {} before {object}", count(offset.unsigned_abs(), "byte")),
                }
            }
            FaultKind::InvalidFree => format!(
                "{} {object}, which was not allocated on the heap",
                subject.free("frees", "free of")
            ),
            FaultKind::Null(kind) | FaultKind::Wild(kind) => format!("{} of {object}", access(kind)),
        }
    }

    fn uninitialised_message(&mut self, term: TermId, subject: &Subject, notes: &mut Vec<Note>) -> String {
        for origin in self.unwritten(&[term]) {
            if let Origin::Site(site) = origin {
                notes.extend(self.unwritten_note(site));
            }
        }
        let what = match (&subject.expression, &subject.instruction) {
            _ if subject.inside.is_some() => {
                format!("what {} does next", subject.named("the library function"))
            }
            (Some(e), Some(Inst::Branch { .. } | Inst::CmpBranch { .. })) => format!("the condition `{}`", e.text),
            (Some(e), Some(Inst::Select { .. })) => format!("the condition `{}`", e.text),
            (Some(e), Some(Inst::Bin { .. })) => format!("the result of `{}`", e.text),
            (_, Some(Inst::Return { .. } | Inst::SlotStore { .. })) => "the exit code".into(),
            (Some(e), Some(Inst::Switch { .. })) => format!("the `switch` on `{}`", e.text),
            (Some(e), Some(Inst::Load { .. } | Inst::Store { .. })) => format!("the address of `{}`", e.text),
            (Some(e), Some(Inst::Call { .. } | Inst::MemCopy { .. } | Inst::MemSet { .. })) => {
                format!("what `{}` does", e.text)
            }
            _ => "what happens next".into(),
        };
        format!("{what} depends on memory that was never written")
    }

    /// A number of 64 bits, shown as signed.
    fn shown_number(&self, state: &State<M>, value: Value) -> i64 {
        match value {
            Value::Int(n) => n as i64,
            Value::Term(term) => self.evaluate(state, term).low_u64() as i64,
            Value::Ptr { .. } | Value::Undef => 0,
        }
    }

    /// "`i` is 10, `n` is 3".
    fn values(&self, state: &State<M>, frame: &Frame, expression: &Expression) -> Option<String> {
        let mut told = Vec::new();
        for part in expression.parts.iter().take(MOST_VALUES) {
            let n = match frame.slots.get(part.slot as usize)? {
                Value::Int(n) => *n,
                Value::Term(term) => self.evaluate(state, *term).low_u64(),
                Value::Ptr { .. } | Value::Undef => continue,
            };
            if part.signed {
                told.push(format!("`{}` is {}", part.text, sign_extend(n, part.bits.into())));
            } else {
                told.push(format!("`{}` is {n}", part.text));
            }
        }
        (!told.is_empty()).then(|| told.join(", "))
    }
}

/// The arguments of a call and what they lead to.
fn called_with(call: &finding::Call) -> Vec<finding::Input> {
    let arguments = call.arguments.iter().map(|arg| finding::Input {
        name: arg.name.clone(),
        bytes: match &arg.value {
            finding::Passed::Number(bytes) | finding::Passed::Float(bytes) => bytes.clone(),
            finding::Passed::Pointer(_) | finding::Passed::Structure(_) => Vec::new(),
        },
        literal: Some(arg.text.clone()),
    });
    let objects = call.objects.iter().map(|given| finding::Input {
        name: given.shown(),
        bytes: given.bytes.clone(),
        literal: Some(given.text.clone()),
    });
    arguments.chain(objects).collect()
}

/// An error at an address that belongs to no object.
fn address_message(
    kind: FaultKind,
    address: u64,
    len: Option<u64>,
    subject: &Subject,
    notes: &mut Vec<Note>,
) -> String {
    match kind {
        FaultKind::InvalidFree => format!(
            "{} {address:#x}, which is not the address of an object",
            subject.free("frees", "free of")
        ),
        FaultKind::Null(kind) => {
            let through = subject.expression.as_ref().and_then(|e| e.pointer.as_ref());
            if let Some(pointer) = through.filter(|_| subject.inside.is_none()) {
                notes.push(Note::new(format!("`{pointer}` is null"), None));
            }
            let access = subject.access(kind, len);
            match address {
                0 => format!("{access} through a null pointer"),
                _ => format!("{access} at address {address:#x}, through a null pointer"),
            }
        }
        FaultKind::Wild(kind) => format!(
            "{} at address {address:#x}, where no object is",
            subject.access(kind, len)
        ),
        _ => format!("invalid access at address {address:#x}"),
    }
}

/// Whether the numbers in the expression explain the error.
fn values_matter(error: &Error) -> bool {
    match error {
        Error::Memory(fault) => matches!(
            fault.kind,
            FaultKind::OutOfBounds(_) | FaultKind::Wild(_) | FaultKind::Null(_)
        ),
        Error::DivisionByZero | Error::SignedOverflow | Error::InvalidShift { .. } | Error::OverlappingCopy => true,
        _ => false,
    }
}
