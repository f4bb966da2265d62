//! Compiles every `src/*.c` to bitcode, for 64 and for 32 bits, and lists the results in `modules.rs`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

/// The targets: pointer width, and the triple that clang gives to analysed programs.
const TARGETS: [(u32, &str); 2] = [(64, "x86_64-pc-linux-gnu"), (32, "i386-pc-linux-gnu")];

/// Quick to interpret, but still the loops as written: nothing is vectorised, unrolled, or recognised as a call to a
/// library function (which would be the function itself).
const FLAGS: [&str; 20] = [
    "-std=c11",
    "-O1",
    "-g",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-math-errno", // the functions of math.h are the engine's own, and set errno themselves
    "-nostdlibinc",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-unroll-loops",
    "-fno-strict-aliasing",
    "-fno-stack-protector",
    "-Xclang",
    "-disable-lifetime-markers", // their clean-ups turn `return` inside a loop into selects
    "-fno-asynchronous-unwind-tables",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-c",
    "-emit-llvm",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-env-changed=CLANG");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let clang = find_clang();
    let resources = resource_dir(&clang);
    let sources = sources();
    let mut list = String::new();
    for (width, triple) in TARGETS {
        let dir = out.join(width.to_string());
        fs::create_dir_all(&dir).expect("OUT_DIR is writable");
        writeln!(list, "static MODULES_{width}: [Module; {}] = [", sources.len()).unwrap();
        for name in &sources {
            compile(&clang, &resources, triple, name, &dir.join(format!("{name}.bc")));
            writeln!(
                list,
                "    Module {{ name: {name:?}, bitcode: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{width}/{name}.bc\")) }},"
            )
            .unwrap();
        }
        list.push_str("];\n");
    }
    fs::write(out.join("modules.rs"), list).expect("OUT_DIR is writable");
}

/// The names of the C files, without extension, in order.
fn sources() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir("src")
        .expect("the crate has a src folder")
        .map(|entry| entry.expect("src is readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .map(|path| path.file_stem().unwrap().to_str().expect("names are ASCII").to_owned())
        .collect();
    names.sort();
    names
}

fn find_clang() -> PathBuf {
    let chosen = env::var_os("CLANG").map(PathBuf::from);
    let usual = ["clang-19", "/usr/lib/llvm-19/bin/clang"].map(PathBuf::from);
    for candidate in chosen.into_iter().chain(usual) {
        let works = Command::new(&candidate).arg("--version").output();
        if works.is_ok_and(|output| output.status.success()) {
            return candidate;
        }
    }
    fail("clang 19 was not found: run `make deps`, or set CLANG to its path")
}

/// Where clang keeps its own headers.
fn resource_dir(clang: &Path) -> String {
    let output = Command::new(clang).arg("-print-resource-dir").output();
    let output = output.expect("clang was found");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn compile(clang: &Path, resources: &str, triple: &str, name: &str, to: &Path) {
    let here = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    // Debug information and __FILE__ name sources as mneme/runtime/string.c, wherever they were compiled.
    let status = Command::new(clang)
        .args(FLAGS)
        .arg(format!("--target={triple}"))
        .arg(format!("-ffile-prefix-map={here}/src=mneme/runtime"))
        .arg(format!("-ffile-prefix-map={resources}=clang"))
        .arg("-fdebug-compilation-dir=.")
        .arg(format!("{here}/src/{name}.c"))
        .arg("-o")
        .arg(to)
        .status();
    match status {
        Ok(status) if status.success() => {}
        _ => fail(&format!("src/{name}.c does not compile for {triple}")),
    }
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    exit(1)
}
