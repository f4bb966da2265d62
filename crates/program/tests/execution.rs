//! Lowered programs behave like compiled ones: executed on plain numbers by the machine of these tests.

mod machine;

use machine::{End, run};
use mneme_program::{Options, load};

/// Executes a program, which returns 0 if everything is as C says.
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
