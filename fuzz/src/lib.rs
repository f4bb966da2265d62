//! What the targets share: a program from a file, and a short exploration that nobody watches.

use mneme_engine::{Frontier, Options, Silent};
use mneme_memory::objects::Objects;
use mneme_program::{Program, ProgramError, RuntimeModule};
use std::path::Path;
use std::time::{Duration, Instant};

/// How much of the C library a program is linked with.
#[derive(Copy, Clone, PartialEq)]
pub enum Library {
    Whole,
    /// What harnesses and short programs call: linking the rest takes longer than all else that is done with a small
    /// file.
    Harness,
}

const HARNESS: [&str; 7] = ["assert", "exit", "klee", "memory", "mneme", "string", "svcomp"];

pub fn load(path: &Path, library: Library) -> Result<Program, ProgramError> {
    let wanted = |name| library == Library::Whole || HARNESS.contains(&name);
    let runtime = mneme_runtime::modules(64).iter().filter(|module| wanted(module.name));
    let runtime = runtime.map(|module| RuntimeModule {
        name: module.name,
        bitcode: module.bitcode,
    });
    let options = mneme_program::Options {
        includes: vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/runtime/include")],
        runtime: runtime.collect(),
        ..Default::default()
    };
    mneme_program::load(&[path.to_owned()], &options)
}

/// Explores for a fraction of a second, from the root or from where an earlier run was.
pub fn explore(program: &Program, resume: Option<Frontier>) {
    let solver = mneme_solver::chain(&Default::default()).expect("the linked solvers start");
    let options = Options {
        deadline: Some(Instant::now() + Duration::from_millis(300)),
        max_instructions: Some(20_000),
        max_states: Some(50),
        solver_timeout: Some(Duration::from_millis(100)),
        save_every: Some(Duration::ZERO),
        resume,
        ..Options::default()
    };
    let _ = mneme_engine::explore::<Objects>(program, &options, &Default::default(), solver, &mut Silent);
}
