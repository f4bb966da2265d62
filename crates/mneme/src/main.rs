//! The command line of Mneme with its own models.

use std::process::ExitCode;

/// Exploring makes and drops many small things: objects, pages, terms.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mneme::main(mneme::MODELS)
}
