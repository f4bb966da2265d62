//! A finding: one error of the analysed program, with everything a reader needs to believe it.

use crate::access::{Access, Object};
use crate::call::Assumption;
use crate::confirmation::Confirmation;
use crate::identity::{BaselineState, Identity};
use crate::rule::Rule;
use serde::{Deserialize, Serialize};

/// A place in the analysed program. An empty `file` or a `line` of 0 means that debug information does not say.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Location {
    /// The path as the compiler recorded it.
    pub file: String,
    /// From 1; 0 when unknown.
    pub line: u32,
    /// In bytes, from 1; 0 when unknown.
    pub column: u32,
    /// The C function that contains the place; empty when unknown.
    pub function: String,
    /// In Mneme's runtime, not in the user's program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runtime: bool,
}

impl Location {
    /// The file without its directories, and the line.
    pub fn brief(&self) -> String {
        let name = self.file.rsplit('/').next().filter(|name| !name.is_empty());
        format!("{}:{}", name.unwrap_or("?"), self.line)
    }
}

/// One active call.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Frame {
    pub function: String,
    pub location: Location,
}

/// A remark that helps to understand a finding: where the object was allocated, where it was freed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    pub message: String,
    pub location: Option<Location>,
}

impl Note {
    pub fn new(message: impl Into<String>, location: Option<Location>) -> Note {
        Note {
            message: message.into(),
            location,
        }
    }
}

/// A decision on the path to an error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub message: String,
    pub location: Location,
    /// How often in a row, alone or with its neighbours.
    pub times: u32,
}

/// A symbolic input with its value.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
    /// As C writes it, where the type is known.
    pub literal: Option<String>,
}

/// Another way to an error: its place is also reached through these calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Way {
    /// The active calls, innermost first.
    pub stack: Vec<Frame>,
    /// File name of the test case that shows it.
    pub test: Option<String>,
}

/// One error of the analysed program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub rule: Rule,
    pub message: String,
    pub location: Location,
    /// The C expression there, if debug information has it.
    pub expression: Option<String>,
    /// The object that it is about.
    pub object: Option<Object>,
    /// What was done to it.
    pub access: Option<Access>,
    /// The active calls, innermost first.
    pub stack: Vec<Frame>,
    /// Other callers that lead to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ways: Vec<Way>,
    pub notes: Vec<Note>,
    /// File name of the test case that shows the error.
    pub test: Option<String>,
    /// The symbolic inputs with the values that lead to the error.
    pub inputs: Vec<Input>,
    /// What it assumes of the caller; `None` for a whole program.
    #[serde(default)]
    pub assumption: Option<Assumption>,
    /// The decisions on the path to the error, from the start of the program.
    pub path: Vec<Step>,
    /// What a native run of the test showed; `None` before there was one.
    pub confirmation: Option<Confirmation>,
    /// How later runs recognise it.
    pub identity: Option<Identity>,
    /// Is it in the baseline? `None` without one.
    pub baseline: Option<BaselineState>,
}

impl Finding {
    /// Which of these calls is the first outside of the function that has the error.
    pub fn caller<'a>(&self, stack: &'a [Frame]) -> Option<&'a Location> {
        let place = stack.iter().position(|frame| frame.location == self.location)?;
        let mut outer = stack[place + 1..].iter().map(|frame| &frame.location);
        outer.find(|location| !location.runtime)
    }

    /// The callers that it is known to be reached from.
    pub fn callers(&self) -> impl Iterator<Item = Option<&Location>> {
        let stacks = std::iter::once(&self.stack).chain(self.ways.iter().map(|way| &way.stack));
        stacks.map(|stack| self.caller(stack))
    }

    /// For a leak: where its block was allocated.
    pub fn lost_block(&self) -> Option<&Location> {
        let object = self.object.as_ref().filter(|_| self.rule == Rule::MemoryLeak)?;
        object.made.as_ref()
    }

    /// Are both the same error, perhaps reached by different paths?
    pub fn is_same_error(&self, other: &Finding) -> bool {
        self.rule == other.rule && self.location == other.location && self.lost_block() == other.lost_block()
    }

    /// A finding with the rule's own message, of which only the place is known.
    pub fn new(rule: Rule, location: Location) -> Finding {
        Finding {
            rule,
            message: rule.default_message().to_owned(),
            location,
            expression: None,
            object: None,
            access: None,
            stack: Vec::new(),
            ways: Vec::new(),
            notes: Vec::new(),
            test: None,
            inputs: Vec::new(),
            assumption: None,
            path: Vec::new(),
            confirmation: None,
            identity: None,
            baseline: None,
        }
    }
}
