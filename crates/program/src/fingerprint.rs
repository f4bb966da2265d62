//! Whether two programs behave the same.

use crate::ir::Program;
use std::fmt::{self, Write};

impl Program {
    /// Equal for programs with equal code and data. Names of files and lines do not count: they say where code comes
    /// from, not what it does.
    pub fn fingerprint(&self) -> u64 {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        let all = self.functions.iter().try_for_each(|f| {
            write!(
                digest,
                "{:?}{:?}{:?}{:?}{:?}",
                f.name, f.signature, f.code, f.constants, f.operands
            )?;
            write!(
                digest,
                "{:?}{:?}{:?}{:?}{:?}",
                f.edges, f.calls, f.switches, f.geps, f.intrinsics
            )
        });
        all.and_then(|()| write!(digest, "{:?}{:?}{:?}", self.target, self.globals, self.main))
            .and_then(|()| write!(digest, "{:?}", self.counts))
            .and_then(|()| write!(digest, "{:?}{:?}", self.constructors, self.destructors))
            .expect("a digest takes everything");
        digest.0
    }
}

/// FNV-1a over what is written to it.
struct Digest(u64);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
