//! What a native run shows about a prediction.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Does a native run show what was predicted, and how is that known?
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Confirmation {
    /// It was seen, at the predicted place.
    Confirmed(String),
    /// Something else was seen.
    Unconfirmed(String),
    /// No native run can show it, or there was none.
    NotCheckable(String),
}

impl Confirmation {
    /// The verdict as one word for tools and the start of a line for people.
    pub fn verdict(&self) -> &'static str {
        match self {
            Confirmation::Confirmed(_) => "confirmed",
            Confirmation::Unconfirmed(_) => "unconfirmed",
            Confirmation::NotCheckable(_) => "not checkable",
        }
    }

    /// What was seen, or why nothing could be.
    pub fn reason(&self) -> &str {
        match self {
            Confirmation::Confirmed(reason)
            | Confirmation::Unconfirmed(reason)
            | Confirmation::NotCheckable(reason) => reason,
        }
    }
}

impl fmt::Display for Confirmation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.verdict(), self.reason())
    }
}
