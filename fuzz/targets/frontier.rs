//! The frontier of an earlier run: it is refused, or a run goes on from it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mneme::resume;
use mneme_fuzz::Library;
use mneme_program::Program;
use mneme_report::OutDir;
use std::path::Path;

thread_local! {
    static PROGRAM: Program = {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("targets/frontier.c");
        mneme_fuzz::load(&source, Library::Whole).expect("the program compiles")
    };
}

fuzz_target!(|data: &[u8]| {
    let dir = tempfile::tempdir().unwrap();
    let out = OutDir::create(Some(dir.path())).unwrap();
    out.write_frontier(data).unwrap();
    if let Ok(saved) = resume::Saved::read(dir.path()) {
        PROGRAM.with(|program| mneme_fuzz::explore(program, Some(saved.frontier)));
    }
});
