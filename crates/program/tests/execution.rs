//! Lowered programs do what the compiler's do: executed on plain numbers by the machine of these tests.

mod machine;

use machine::{End, run};
use mneme_program::{Options, load};
use std::path::PathBuf;

/// Runs gcc's own execution tests; one-off: `MNEME_TORTURE=…/gcc.c-torture/execute cargo test … -- --ignored`.
#[test]
#[ignore = "needs the sources of gcc's test suite, named by MNEME_TORTURE"]
fn the_execution_tests_of_gcc() {
    let directory = std::env::var("MNEME_TORTURE").expect("MNEME_TORTURE names the directory");
    let target32 = std::env::var("MNEME_M32").is_ok();
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let (mut passed, mut wrong) = (0, 0);
    for file in &files {
        let options = Options { target32, extra_flags: vec!["-w".into()], ..Options::default() };
        let Ok(program) = load(std::slice::from_ref(file), &options) else { continue };
        match run(&program) {
            End::Exit(0) => passed += 1,
            End::Stop(why) => println!("{}: {why}", file.display()),
            end => {
                wrong += 1;
                println!("WRONG {}: {end:?}", file.display());
            }
        }
    }
    println!("{passed} passed, {wrong} wrong, of {}", files.len());
}
