//! Ending a run from outside: at a limit, or because the user wants it.

use mneme_solver::Interrupt;
use std::sync::{Arc, OnceLock};

/// Why a run ends before all paths are explored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The user asked for it.
    Interrupted,
    Time,
    /// For long nothing new was reached.
    Settled,
    Memory,
    Instructions,
    /// The results can no longer be written.
    Unwritable,
}

impl Cause {
    /// The word after `limit:` in the reasons of stopped paths.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Interrupted => "interrupted",
            Cause::Time => "time",
            Cause::Settled => "nothing new was reached for long",
            Cause::Memory => "memory",
            Cause::Instructions => "instructions",
            Cause::Unwritable => "the results cannot be written",
        }
    }
}

/// Makes a run end as soon as it can, solver calls included, from any thread. Clones share one switch; the first cause
/// counts.
#[derive(Clone, Debug, Default)]
pub struct Halt {
    interrupt: Interrupt,
    cause: Arc<OnceLock<Cause>>,
}

impl Halt {
    pub fn new() -> Halt {
        Halt::default()
    }

    pub fn because(&self, cause: Cause) {
        let _ = self.cause.set(cause);
        self.interrupt.fire();
    }

    pub fn cause(&self) -> Option<Cause> {
        self.cause.get().copied()
    }

    /// The flag that the solver chain checks.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}
