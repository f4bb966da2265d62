//! What an error in the use of memory is about, as facts: the object, what was done to it, and how far outside of it.
//!
//! Messages tell people the same; programs, such as `mneme replay`, read it here.

use crate::finding::Location;
use serde::{Deserialize, Serialize};

/// Where the memory of an object is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    Heap,
    Stack,
    Global,
    Function,
}

/// The object that an error is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Object {
    pub kind: ObjectKind,
    /// As messages name it.
    pub text: String,
    /// Name of the variable or function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its C type, where it is declared with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub c_type: Option<String>,
    /// In bytes, on the path of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Where it is declared or allocated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<Location>,
    /// Where it was freed or its scope ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Location>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessKind {
    Read,
    Write,
    Free,
}

/// What was done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Access {
    pub kind: AccessKind,
    /// In bytes; `free` has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Where it begins, in bytes from the start of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Where it begins, if there is no object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u64>,
    /// `None`: it is inside the object, or there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outside: Option<Outside>,
    /// Its pointer depends on inputs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub symbolic: bool,
}

/// How an access lies outside its object.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outside {
    pub side: Side,
    pub bytes: u64,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// It begins this many bytes before the object.
    Before,
    /// It begins this many bytes past the end; 0 is just past it.
    Past,
    /// It begins inside and ends this many bytes past the end.
    Across,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_spelled_as_documented_and_read_back() {
        let access = Access {
            kind: AccessKind::Write,
            length: Some(4),
            offset: Some(-8),
            address: None,
            outside: Some(Outside {
                side: Side::Before,
                bytes: 8,
            }),
            symbolic: true,
        };
        let text = r#"{"kind":"write","length":4,"offset":-8,"outside":{"side":"before","bytes":8},"symbolic":true}"#;
        assert_eq!(serde_json::to_string(&access).unwrap(), text);
        assert_eq!(serde_json::from_str::<Access>(text).unwrap(), access);
    }
}
