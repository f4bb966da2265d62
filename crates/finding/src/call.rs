//! How a function that was run alone was called: what a test of it has to rebuild, and what it must then see.

use serde::{Deserialize, Serialize};

/// One call of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Call {
    pub function: String,
    /// The source file that defines it.
    pub file: String,
    pub arguments: Vec<Argument>,
    /// What pointers refer to, and the global variables that the function looked at.
    pub objects: Vec<Given>,
    /// What functions that it is given return, call by call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returns: Vec<Passed>,
    pub result: Kind,
    /// What is printed after the call, one line each; nothing for a call that does not return.
    pub prints: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Argument {
    pub name: String,
    /// As C writes it.
    pub c_type: String,
    pub value: Passed,
    /// Bytes of the structure that it is or points to; 0 where the source does not define it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<u64>,
    /// A narrow number is extended by its sign.
    #[serde(default)]
    pub signed: bool,
    /// As C writes it, for readers.
    pub text: String,
}

/// What is passed for a parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Passed {
    /// By its bytes.
    Number(Vec<u8>),
    Float(Vec<u8>),
    Pointer(Target),
    /// The structure that is the object with this index.
    Structure(usize),
}

/// What a pointer refers to.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Target {
    Null,
    /// The object with this index, at this offset.
    Object(usize, i64),
    /// A function, which returns what `Call::returns` says.
    Code,
    /// Something that the call did not bring along.
    Elsewhere,
}

/// An object that the call brings along.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Given {
    /// The pointer that it belongs to (`p->next`), or the name of a variable.
    pub name: String,
    pub home: Home,
    pub bytes: Vec<u8>,
    /// Offsets of its pointers and what they refer to.
    pub pointers: Vec<(u64, Target)>,
    /// Where the path depends on it: on its low bits, or on whether it is before or behind others.
    pub address: Option<u64>,
    /// As C writes it, for readers.
    pub text: String,
    /// Whether it is still there after the call.
    pub remains: bool,
}

/// Where an object of a call lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Home {
    Heap,
    /// It is a global variable.
    Variable,
    /// It is passed by value.
    Argument,
}

/// What a function returns, as far as a test prints it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Kind {
    #[default]
    Nothing,
    Number {
        bytes: u32,
    },
    Float {
        bytes: u32,
    },
    Pointer,
}

impl Given {
    /// As C writes it: `*p` for what `p` points to.
    pub fn shown(&self) -> String {
        match self.home {
            Home::Heap => format!("*{}", self.name),
            Home::Variable | Home::Argument => self.name.clone(),
        }
    }
}

/// What a finding of a function run alone assumes of the caller, from the plainest to what a caller may rule out.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// Only the values of numbers.
    Values,
    /// What is not known: what functions and rounds of loops did that were not executed, or unknown locations hold.
    Calls,
    /// That pointers refer to the same object.
    Aliasing,
    /// That a pointer is null.
    Null,
    /// That an object is not larger than it is.
    Extent,
    /// That an allocation fails whose result nobody tests.
    Failure,
    /// A value that the function neither tests nor bounds, or that its assertions exclude.
    Unchecked,
}

impl Assumption {
    /// Whether only an unusual caller does so: one that breaks a rule which most functions leave unsaid.
    pub fn is_odd(self) -> bool {
        self >= Assumption::Aliasing
    }

    pub fn describe(self) -> &'static str {
        match self {
            Assumption::Values => "the values of numbers alone",
            Assumption::Aliasing => "pointers that refer to one object",
            Assumption::Null => "a caller that passes a null pointer",
            Assumption::Extent => "an object that is no larger than this",
            Assumption::Calls => {
                "what functions and rounds of loops may do that are not executed, or unknown places hold"
            }
            Assumption::Failure => "an allocation that fails",
            Assumption::Unchecked => "a caller that passes what the function does not check",
        }
    }
}

impl Call {
    /// The bytes of an object as a test prints them: two digits each, and pointers by what they refer to.
    pub fn printed(&self, name: &str, bytes: &[Option<u8>], pointers: &[(u64, Target)], word: u64) -> String {
        let mut line = format!("{name}:");
        let mut at = 0;
        while let Some(byte) = bytes.get(at as usize) {
            if let Some((_, target)) = pointers.iter().find(|(offset, _)| *offset == at) {
                line.push_str(&format!(" <{}>", self.target(*target)));
                at += word;
                continue;
            }
            match byte {
                Some(byte) => line.push_str(&format!(" {byte:02x}")),
                None => line.push_str(" ??"),
            }
            at += 1;
        }
        line
    }

    /// "`p` points to 3 bytes, `n` is 7".
    pub fn shape(&self) -> String {
        let part = |argument: &Argument| {
            let name = &argument.name;
            match (&argument.value, argument.text.strip_prefix("pointer to ")) {
                (Passed::Pointer(Target::Null), _) => format!("`{name}` is null"),
                (Passed::Pointer(_), Some(bytes)) => format!("`{name}` points to {bytes}"),
                (Passed::Pointer(target), None) => format!("`{name}` points to `{}`", self.target(*target)),
                (Passed::Structure(_), _) => format!("`{name}` is a structure"),
                (Passed::Number(_) | Passed::Float(_), _) => format!("`{name}` is {}", argument.text),
            }
        };
        let parts: Vec<String> = self.arguments.iter().map(part).collect();
        parts.join(", ")
    }

    /// What a pointer refers to, as a test prints it.
    pub fn target(&self, target: Target) -> String {
        match target {
            Target::Null => "NULL".into(),
            Target::Object(index, offset) => match self.objects.get(index) {
                Some(object) if offset == 0 => object.name.clone(),
                Some(object) => format!("{}{offset:+}", object.name),
                None => "elsewhere".into(),
            },
            Target::Code | Target::Elsewhere => "elsewhere".into(),
        }
    }
}
