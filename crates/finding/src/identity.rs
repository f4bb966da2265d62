//! How a finding is recognised in another run.

use serde::{Deserialize, Serialize};

/// What remains of a finding when other code changes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// Relative to the working directory where possible.
    pub file: String,
    pub function: String,
    pub rule: String,
    /// The source line, with single blanks; empty when the source is not there.
    pub text: String,
    /// For a leak, the line that allocates the block, likewise; otherwise empty.
    #[serde(default)]
    pub block: String,
}

impl Identity {
    /// A number for tools that compare runs: FNV-1a, which is the same everywhere and always.
    pub fn fingerprint(&self) -> String {
        let block = (!self.block.is_empty()).then_some(&self.block);
        let parts = [&self.file, &self.function, &self.rule, &self.text];
        let bytes = parts.into_iter().chain(block).flat_map(|part| part.bytes().chain([0]));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("{hash:016x}")
    }
}

/// Is a finding in the baseline? In SARIF's words.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum BaselineState {
    New,
    Unchanged,
}

impl BaselineState {
    pub fn as_str(self) -> &'static str {
        match self {
            BaselineState::New => "new",
            BaselineState::Unchanged => "unchanged",
        }
    }
}
