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
    let cflags = std::env::var("MNEME_CFLAGS").ok().map(|flags| vec![flags]);
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    let (mut passed, mut wrong) = (0, 0);
    for file in &files {
        let extra_flags = vec!["-w".into()];
        let options = Options {
            target32,
            cflags: cflags.clone(),
            extra_flags,
            ..Options::default()
        };
        let Ok(program) = load(std::slice::from_ref(file), &options) else {
            continue;
        };
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

/// Executes a program; it returns 0 if all is as C says.
fn check(source: &str, options: &Options) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("program.c");
    std::fs::write(&path, source).expect("a file");
    let program = load(&[path], options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run(&program), End::Exit(0), "{program}");
}

/// As written, optimised (which brings vectors and intrinsics), and with small pointers.
fn check_all(source: &str) {
    check(source, &Options::default());
    check(
        source,
        &Options {
            target32: true,
            ..Options::default()
        },
    );
    for level in ["-O2", "-O3"] {
        check(
            source,
            &Options {
                cflags: Some(vec![level.into()]),
                ..Options::default()
            },
        );
    }
}

#[test]
fn integers_and_control_flow() {
    check_all(include_str!("programs/control.c"));
}

#[test]
fn objects_and_addresses() {
    check_all(include_str!("programs/objects.c"));
}

#[test]
fn calls() {
    check_all(include_str!("programs/calls.c"));
}

#[test]
fn vectors_and_wide_integers() {
    check(include_str!("programs/wide.c"), &Options::default());
    check(
        include_str!("programs/wide.c"),
        &Options {
            cflags: Some(vec!["-O2".into()]),
            ..Options::default()
        },
    );
}
