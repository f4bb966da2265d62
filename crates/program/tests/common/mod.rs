//! What the tests of this crate share: snippets of C become programs.

use mneme_program::*;
use std::path::PathBuf;

/// A directory with the given files; it lives as long as the first value.
pub fn files(contents: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<PathBuf>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let paths = contents
        .iter()
        .map(|(name, bytes)| {
            let path = directory.path().join(name);
            std::fs::write(&path, bytes).expect("a file");
            path
        })
        .collect();
    (directory, paths)
}

pub fn load_with(source: &str, options: &Options) -> Program {
    let (_directory, paths) = files(&[("test.c", source.as_bytes())]);
    load(&paths, options).unwrap_or_else(|e| panic!("{e}"))
}

/// Compiles a snippet; a `main` is added.
#[allow(dead_code)]
pub fn program(source: &str) -> Program {
    load_with(
        &format!("{source}\nint main(void) {{ return 0; }}"),
        &Options::default(),
    )
}

/// The listing of one function of a snippet.
#[allow(dead_code)]
pub fn listing(source: &str, function: &str) -> String {
    program(source).listing(function).expect("the function is there")
}

/// Asserts that the lines appear in this order.
#[allow(dead_code)]
#[track_caller]
pub fn assert_lines(listing: &str, lines: &[&str]) {
    let mut rest = listing.lines().map(str::trim);
    for &line in lines {
        assert!(
            rest.any(|found| found == line),
            "no line `{line}` here, or not in that order, in\n{listing}"
        );
    }
}
