//! Bitcode, from its bytes to a short exploration. LLVM may die of damaged bytes: it reads them in a copy of the
//! process first (`program/src/llvm/trial.rs`), and so it does here.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mneme_fuzz::Library;

fuzz_target!(|data: &[u8]| {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.bc");
    std::fs::write(&path, data).unwrap();
    if let Ok(program) = mneme_fuzz::load(&path, Library::Harness) {
        mneme_fuzz::explore(&program, None);
    }
});
