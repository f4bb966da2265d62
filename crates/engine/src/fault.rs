//! Errors of the analysed program: what they are called and what is said of them.

use crate::observer::{CodePlace, Finding};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{AccessKind, Fault, FaultKind, Header, Memory};
use mneme_program::{Loc, SiteKind};
use mneme_term::{BaseId, Value, sign_extend};

#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    Memory(Fault),
    Uninitialised,
    DivisionByZero,
    SignedOverflow,
    /// Nothing refers to this heap object any more.
    Leak(BaseId),
    InvalidShift {
        width: u32,
    },
    Assertion(String),
    Abort,
    /// The error location of a harness.
    Reached,
    InvalidCall(String),
    StackExhaustion,
    Unreachable,
    /// What the harness reports by itself.
    Reported(String),
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
            Error::Uninitialised => "uninitialized-read",
            Error::DivisionByZero => "division-by-zero",
            Error::SignedOverflow => "signed-overflow",
            Error::Leak(_) => "memory-leak",
            Error::InvalidShift { .. } => "invalid-shift",
            Error::Assertion(_) | Error::Reported(_) => "assertion-failure",
            Error::Abort => "abort",
            Error::Reached => "reach-error",
            Error::InvalidCall(_) => "invalid-call",
            Error::StackExhaustion => "stack-exhaustion",
            Error::Unreachable => "unreachable",
        }
    }
}

fn count(n: u64, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

impl<M: Memory> Worker<'_, M> {
    pub fn explain(&mut self, state: &State<M>, error: &Error) -> Finding {
        let mut stack = self.stack(state);
        if stack.is_empty() {
            stack.push(CodePlace {
                function: "main".into(),
                file: None,
                line: 0,
                column: 0,
                runtime: false,
            });
        }
        let place = stack.iter().position(|place| !place.runtime).unwrap_or(0);
        let mut notes = Vec::new();
        let mut message = match error {
            Error::Memory(fault) => self.memory_message(state, fault, &mut notes),
            Error::Uninitialised => "what happens next depends on memory that was never written".into(),
            Error::DivisionByZero => "division by zero".into(),
            Error::SignedOverflow => "the result does not fit the signed type".into(),
            Error::Leak(base) => {
                let object = self.object_name(state, *base);
                if let Some(place) = state.memory.header(*base).and_then(|header| self.site_place(header)) {
                    notes.push((format!("{object} is allocated here"), Some(place)));
                }
                format!("nothing refers to {object} any more, and it was not freed")
            }
            Error::InvalidShift { width } => format!("shift by {width} or more bits of a value of {width} bits"),
            Error::Assertion(text) => format!("assertion `{text}` fails"),
            Error::Abort => "the program aborts".into(),
            Error::Reached => "the error location is reached".into(),
            Error::InvalidCall(what) => what.clone(),
            Error::StackExhaustion => format!("more than {} calls are active at once", self.options.max_frames),
            Error::Unreachable => "code that the compiler took for unreachable is reached".into(),
            Error::Reported(text) => text.clone(),
        };
        if place > 0
            && !matches!(
                error,
                Error::Assertion(_) | Error::Abort | Error::Reached | Error::Reported(_)
            )
        {
            message = format!("{message} (inside `{}`)", stack[place - 1].function);
        }
        let test = self.test_case(state, false);
        Finding {
            rule: error.rule(),
            message,
            stack,
            place,
            notes,
            test,
        }
    }

    fn memory_message(
        &mut self,
        state: &State<M>,
        fault: &Fault,
        notes: &mut Vec<(String, Option<CodePlace>)>,
    ) -> String {
        let offset = self.evaluate(state, fault.offset).low_u64();
        let len = fault.len.map(|len| self.evaluate(state, len).low_u64());
        let Some(base) = fault.base else {
            return match fault.kind {
                FaultKind::InvalidFree => format!("free of {offset:#x}, which is not the address of an object"),
                FaultKind::Null(kind) => format!("{} through a null pointer (address {offset:#x})", verb(kind, len)),
                FaultKind::Wild(kind) => format!("{} at address {offset:#x}, where no object is", verb(kind, len)),
                _ => format!("invalid access at address {offset:#x}"),
            };
        };
        let header = state.memory.header(base);
        let object = self.object_name(state, base);
        if let Some(place) = header.and_then(|header| self.site_place(header)) {
            let what = if header.is_some_and(|header| header.kind == mneme_term::BaseKind::Heap) {
                "allocated"
            } else {
                "declared"
            };
            notes.push((format!("{object} is {what} here"), Some(place)));
        }
        let signed = sign_extend(offset, self.pointer_width());
        let size = match header.map(|header| header.size) {
            Some(Value::Int(n)) => n as i64,
            _ => 0,
        };
        match fault.kind {
            FaultKind::OutOfBounds(kind) => {
                let verb = verb(kind, len);
                if signed < 0 {
                    format!("{verb}, {} before {object}", count(signed.unsigned_abs(), "byte"))
                } else if signed >= size {
                    match signed - size {
                        0 => format!("{verb} just past the end of {object}"),
                        n => format!("{verb}, {} past the end of {object}", count(n as u64, "byte")),
                    }
                } else {
                    format!("{verb} at offset {signed}, which reaches past the end of {object}")
                }
            }
            FaultKind::UseAfterFree(kind) => format!("{} in {object}, which has been freed", verb(kind, len)),
            FaultKind::UseAfterReturn(kind) => format!("{} in {object}, whose function has returned", verb(kind, len)),
            FaultKind::UseAfterScope(kind) => format!("{} in {object}, whose scope has ended", verb(kind, len)),
            FaultKind::Poisoned(kind) => format!("{} in {object} where the program has poisoned it", verb(kind, len)),
            FaultKind::WriteToConstant => format!("{} in {object}, which is constant", verb(AccessKind::Write, len)),
            FaultKind::DoubleFree => format!("{object} is freed a second time"),
            FaultKind::InvalidFree if signed != 0 => format!("free of a pointer {signed} bytes into {object}"),
            FaultKind::InvalidFree => format!("free of {object}, which was not allocated on the heap"),
            FaultKind::Null(kind) | FaultKind::Wild(kind) => format!("{} in {object}", verb(kind, len)),
        }
    }

    fn site_place(&self, header: &Header) -> Option<CodePlace> {
        let site = self.program.sites.get(header.site as usize)?;
        let Loc { file, line, column } = site.loc;
        let file = self.program.files.get(file as usize)?.clone();
        let function = site.function.map(|id| self.program.function(id));
        let name = function.map_or(String::new(), |f| {
            f.source_name.clone().unwrap_or_else(|| f.name.clone())
        });
        let runtime = function.is_some_and(|f| f.runtime);
        (line > 0 && !runtime).then_some(CodePlace {
            function: name,
            file: Some(file),
            line,
            column,
            runtime,
        })
    }

    /// `buf` (10 bytes on the stack).
    fn object_name(&self, state: &State<M>, base: BaseId) -> String {
        let Some(header) = state.memory.header(base) else {
            return "an object".into();
        };
        let site = self.program.sites.get(header.site as usize);
        let size = match header.size {
            Value::Int(n) => count(n, "byte"),
            _ => "of symbolic size".into(),
        };
        match site {
            Some(site) => match (&site.kind, &site.name) {
                (SiteKind::Heap, _) => format!("a heap object of {size}"),
                (SiteKind::Function, Some(name)) => format!("the function `{name}`"),
                (_, Some(name)) => format!("`{name}` ({size})"),
                (SiteKind::Global, None) => format!("a constant of {size}"),
                (_, None) => format!("a stack object of {size}"),
            },
            None => format!("an argument of {size}"),
        }
    }
}

fn verb(kind: AccessKind, len: Option<u64>) -> String {
    let what = match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
    };
    match len {
        Some(n) => format!("{what} of {}", count(n, "byte")),
        None => what.into(),
    }
}
