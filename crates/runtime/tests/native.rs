//! The runtime against the C library of this machine: its sources are compiled natively, their symbols prefixed with
//! `rt_`, and each family is run by a driver in `native/` that compares both on many inputs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

fn clang() -> String {
    env::var("CLANG").unwrap_or_else(|_| "clang-19".to_owned())
}

/// Runs a command and returns its output; panics with that output if it fails.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed:\n{text}");
    text.into_owned()
}

fn c_sources(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(CRATE).join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

/// The whole runtime as one native object.
fn object(machine: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("native{machine}"));
    fs::create_dir_all(&dir).unwrap();
    let sources = c_sources("src");
    run(Command::new(clang())
        .current_dir(&dir)
        .args([machine, "-std=c11", "-O1", "-ffreestanding", "-fno-builtin"])
        .args(["-nostdlibinc", "-fno-pic", "-fno-stack-protector"])
        .args(["-Wall", "-Wextra", "-Werror", "-c"])
        .args(&sources));
    let parts = sources
        .iter()
        .map(|source| Path::new(source.file_stem().unwrap()).with_extension("o"));
    run(Command::new(clang())
        .current_dir(&dir)
        .args([machine, "-r", "-nostdlib", "-o", "runtime-all.o"])
        .args(parts));
    let object = dir.join("runtime-all.o");
    run(Command::new("objcopy").arg("--prefix-symbols=rt_").arg(&object));
    object
}

fn test_family(name: &str, machine: &str) {
    static OBJECT_64: OnceLock<PathBuf> = OnceLock::new();
    static OBJECT_32: OnceLock<PathBuf> = OnceLock::new();
    let object = match machine {
        "-m64" => OBJECT_64.get_or_init(|| object(machine)),
        _ => OBJECT_32.get_or_init(|| object(machine)),
    };
    let native = Path::new(CRATE).join("tests/native");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}{machine}"));
    run(Command::new(clang())
        .args([machine, "-O1", "-fno-builtin", "-fno-pie", "-no-pie", "-w"])
        .arg(native.join(format!("{name}.c")))
        .arg(native.join("primitives.c"))
        .arg(object)
        .arg("-lm")
        .arg("-o")
        .arg(&program));
    let report = run(&mut Command::new(&program));
    println!("{report}");
}

/// Whether programs for 32 bits can be linked here, which needs the package gcc-multilib.
fn has_32_bits() -> bool {
    let probe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("probe32");
    let source = probe.with_extension("c");
    fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let status = Command::new(clang())
        .arg("-m32")
        .arg(&source)
        .arg("-o")
        .arg(&probe)
        .output();
    status.is_ok_and(|output| output.status.success())
}

#[test]
fn strings() {
    test_family("string", "-m64");
}

#[test]
fn characters() {
    test_family("ctype", "-m64");
}

#[test]
fn stdlib() {
    test_family("stdlib", "-m64");
}

#[test]
fn printf() {
    test_family("printf", "-m64");
}

#[test]
fn strtod() {
    test_family("strtod", "-m64");
}

#[test]
fn scanf() {
    test_family("scanf", "-m64");
}

#[test]
fn wide_characters() {
    test_family("wchar", "-m64");
}

#[test]
fn dates_options_and_names() {
    test_family("calendar", "-m64");
}

#[test]
fn all_with_32_bits() {
    if !has_32_bits() {
        eprintln!("skipped: programs for 32 bits cannot be linked here (gcc-multilib)");
        return;
    }
    for family in [
        "string", "ctype", "stdlib", "printf", "strtod", "scanf", "wchar", "calendar",
    ] {
        test_family(family, "-m32");
    }
}
