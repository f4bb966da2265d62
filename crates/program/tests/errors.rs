//! What cannot be loaded gives a readable error; nothing panics, nothing aborts.

mod common;

use common::files;
use mneme_program::*;
use std::path::{Path, PathBuf};

fn failure(contents: &[(&str, &[u8])]) -> ProgramError {
    let (_directory, paths) = files(contents);
    load(&paths, &Options::default()).expect_err("an error")
}

fn bitcode(source: &str) -> Vec<u8> {
    let (_directory, paths) = files(&[("good.c", source.as_bytes())]);
    let output = std::process::Command::new("clang-19")
        .args(["-c", "-g", "-emit-llvm", "-o", "-"])
        .arg(&paths[0])
        .output()
        .expect("clang runs");
    assert!(output.status.success());
    output.stdout
}

#[test]
fn a_missing_file() {
    let error = load(&[PathBuf::from("/nowhere/x.c")], &Options::default()).unwrap_err();
    assert!(matches!(&error, ProgramError::NoSuchFile { path } if path == Path::new("/nowhere/x.c")));
    assert_eq!(error.to_string(), "there is no file /nowhere/x.c; check the path");
}

#[test]
fn no_file_at_all() {
    assert!(matches!(load(&[], &Options::default()), Err(ProgramError::NoInput)));
}

#[test]
fn a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let error = load(&[directory.path().to_owned()], &Options::default()).unwrap_err();
    assert!(matches!(error, ProgramError::Unreadable { .. }), "{error}");
}

/// A device never ends and a huge file fills the memory: neither is read, whatever its name.
#[test]
fn files_that_are_not_programs_are_not_read_to_the_end() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["zero.c", "zero.bc", "zero"] {
        let path = directory.path().join(name);
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = load(&[path], &Options::default()).unwrap_err();
        assert!(matches!(error, ProgramError::UnknownKind { .. }), "{name}: {error}");
    }
    for name in ["huge.c", "huge.bc", "huge"] {
        let path = directory.path().join(name);
        let file = std::fs::File::create(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let error = load(&[path], &Options::default()).unwrap_err();
        assert!(matches!(error, ProgramError::TooLarge { .. }), "{name}: {error}");
    }
}

/// Structures nested a hundred thousand deep.
#[test]
fn deep_types_need_no_deep_stack_of_the_caller() {
    let depth = 100_000;
    let mut text: String = (0..depth)
        .map(|i| format!("%t{i} = type {{ i8, %t{} }}\n", i + 1))
        .collect();
    text += &format!("%t{depth} = type {{ i8 }}\n@g = global %t0 zeroinitializer\n");
    text += "define i8 @main() {\n  %v = load i8, ptr @g\n  ret i8 %v\n}\n";
    let (_directory, paths) = files(&[("deep.ll", text.as_bytes())]);
    load(&paths, &Options::default()).unwrap();
}

#[test]
fn c_errors_are_reported_in_clangs_words() {
    let error = failure(&[("bad.c", b"int main(void) { return x; }")]);
    let ProgramError::Clang { message, .. } = &error else {
        panic!("{error}")
    };
    assert!(
        message.contains("bad.c:1:25: error: use of undeclared identifier 'x'"),
        "{message}"
    );
    assert!(
        message.contains("^"),
        "the whole message, with the source line: {message}"
    );
}

#[test]
fn a_missing_compiler() {
    let (_directory, paths) = files(&[("a.c", b"int main(void) { return 0; }")]);
    let options = Options {
        clang: Some("/nowhere/clang".into()),
        ..Options::default()
    };
    let error = load(&paths, &options).unwrap_err();
    assert!(matches!(error, ProgramError::ClangMissing { .. }), "{error}");
}

#[test]
fn no_main() {
    let error = failure(&[("a.c", b"int f(void) { return 0; }")]);
    assert!(matches!(error, ProgramError::NoMain));
    let error = failure(&[("a.c", b"int main(void); int f(void) { return main(); }")]);
    assert!(matches!(error, ProgramError::NoMain), "a declaration is not enough");
}

#[test]
fn truncated_bitcode() {
    let whole = bitcode("int main(void) { return 0; }");
    for length in [0, 3, 4, 5, 20, 100, whole.len() / 2, whole.len() - 40] {
        let error = failure(&[("cut.bc", &whole[..length])]);
        assert!(
            matches!(error, ProgramError::BadBitcode { .. } | ProgramError::NoMain),
            "{length}: {error}"
        );
    }
}

#[test]
fn bitcode_with_flipped_bytes_never_ends_the_process() {
    let whole = bitcode("struct s { int a; char b[3]; } v = {1, \"x\"}; int main(void) { return v.a + v.b[0]; }");
    for at in (8..whole.len()).step_by(97) {
        let mut broken = whole.clone();
        broken[at] ^= 0x41;
        let (_directory, paths) = files(&[("flipped.bc", &broken)]);
        let _ = load(&paths, &Options::default());
    }
}

#[test]
fn text_that_is_not_ir() {
    let error = failure(&[("text.ll", b"this is not IR")]);
    assert!(
        matches!(&error, ProgramError::BadBitcode { reason, .. } if reason.contains("expected")),
        "{error}"
    );
    let broken = b"define i32 @main() {\n %a = add i32 %b, 1\n %b = add i32 %a, 1\n ret i32 %a\n}";
    let error = failure(&[("cycle.ll", broken)]);
    assert!(
        matches!(error, ProgramError::BadBitcode { .. }),
        "the verifier objects: {error}"
    );
}

#[test]
fn a_file_of_another_kind() {
    let error = failure(&[("program.o", b"\x7fELF\x02\x01\x01")]);
    assert!(matches!(error, ProgramError::MachineCode { .. }), "{error}");
    let error = failure(&[("library.a", b"!<arch>\n")]);
    assert!(matches!(error, ProgramError::Archive { .. }), "{error}");
    let error = failure(&[("program", b"#!/bin/sh\n")]);
    assert!(matches!(error, ProgramError::UnknownKind { .. }), "{error}");
}

#[test]
fn bitcode_is_recognised_by_its_first_bytes() {
    let (_directory, paths) = files(&[("program", &bitcode("int main(void) { return 0; }"))]);
    assert!(load(&paths, &Options::default()).unwrap().main.is_some());
}

#[test]
fn another_machine() {
    let source = b"target triple = \"aarch64-unknown-linux-gnu\"\ndefine i32 @main() {\n ret i32 0\n}";
    let error = failure(&[("arm.ll", source)]);
    assert!(
        matches!(&error, ProgramError::Target { target, .. } if target.starts_with("aarch64")),
        "{error}"
    );
}

#[test]
fn two_definitions_of_one_function() {
    let error = failure(&[
        ("a.c", b"int f(void) { return 1; } int main(void) { return f(); }"),
        ("b.c", b"int f(void) { return 2; }"),
    ]);
    assert!(
        matches!(&error, ProgramError::Link { reason } if reason.contains("'f'")),
        "{error}"
    );
}
