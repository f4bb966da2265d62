//! What the embedded modules guarantee to the engine: which functions they call without defining them, how symbols are
//! linked, and that the optimiser left loops as written.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use mneme_runtime::{HEADERS, modules, write_headers};

fn clang() -> Command {
    Command::new(env::var("CLANG").unwrap_or_else(|_| "clang-19".to_owned()))
}

/// The module as text, which clang prints when it reads bitcode.
fn disassemble(bitcode: &[u8]) -> String {
    let mut child = clang()
        .args(["-x", "ir", "-", "-S", "-emit-llvm", "-o", "-"])
        .args(["-Xclang", "-disable-llvm-passes", "-Wno-override-module"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(bitcode).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The name after the first `@` of a line.
fn symbol(line: &str) -> &str {
    let rest = line.split_once('@').expect("a symbol").1;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_.".contains(c));
    &rest[..end.unwrap_or(rest.len())]
}

/// What calls itself in the source, too.
const RECURSIVE: [&str; 4] = ["fnmatch", "merge_sort", "tdestroy", "walk"];

#[derive(Default)]
struct Facts {
    /// Name to the line that defines it, for functions.
    functions: BTreeMap<String, String>,
    declared: BTreeSet<String>,
    intrinsics: BTreeSet<String>,
}

fn facts(width: u32) -> Facts {
    let mut facts = Facts::default();
    for module in modules(width) {
        let text = disassemble(module.bitcode);
        let mut current = String::new();
        for line in text.lines() {
            let place = format!("{} ({width} bits): {line}", module.name);
            if line.starts_with("define ") {
                current = symbol(line).to_owned();
                if !line.contains(" internal ") {
                    let twice = facts.functions.insert(current.clone(), line.to_owned());
                    assert!(twice.is_none(), "defined twice: {place}");
                }
            } else if line.starts_with("declare ") && line.contains(" extern_weak ") {
                // The program may have it or not, and the code around the call knows.
            } else if line.starts_with("declare ") {
                let name = symbol(line).to_owned();
                match name.starts_with("llvm.") {
                    true => facts.intrinsics.insert(name),
                    false => facts.declared.insert(name),
                };
            } else if line.starts_with("  ") {
                assert!(
                    !line.contains(&format!(" @{current}(")) || RECURSIVE.contains(&&*current),
                    "calls itself: {place}"
                );
                assert!(
                    !line.contains(" x i8>") && !line.contains(" x i32>") && !line.contains(" x i64>"),
                    "vector: {place}"
                );
                assert!(
                    !line.contains("select i1") || !line.contains(" undef"),
                    "undefined: {place}"
                );
                // These two are meant to do arithmetic on numbers.
                let about_numbers = ["complex", "math"].contains(&module.name);
                for operation in [
                    " fadd ", " fsub ", " fmul ", " fdiv ", " fptosi ", " sitofp ", " uitofp ",
                ] {
                    assert!(about_numbers || !line.contains(operation), "floating point: {place}");
                }
            } else if line.contains("!DIFile(") {
                assert!(!line.contains("filename: \"/"), "absolute path: {place}");
            }
        }
        assert!(text.contains("mneme/runtime/"), "{}", module.name);
    }
    facts
}

/// Everything that `src/primitives.h` declares.
fn primitives() -> BTreeSet<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/primitives.h")).unwrap();
    let declarations = text.lines().filter(|l| l.ends_with(';') && l.contains('('));
    let name = |line: &str| {
        let before = line.split_once('(').unwrap().0;
        before.rsplit([' ', '*']).next().unwrap().to_owned()
    };
    declarations.map(name).collect()
}

#[test]
fn modules_keep_their_promises() {
    for width in [64, 32] {
        let facts = facts(width);
        let defined: BTreeSet<String> = facts.functions.keys().cloned().collect();
        let missing: Vec<_> = facts.declared.difference(&defined).collect();
        let primitives = primitives();
        let unknown: Vec<_> = missing.iter().filter(|name| !primitives.contains(**name)).collect();
        assert!(
            unknown.is_empty(),
            "called, but neither defined nor a primitive: {unknown:?}"
        );
        let both: Vec<_> = defined.intersection(&primitives).collect();
        assert!(both.is_empty(), "defined, although the engine provides it: {both:?}");
        for (name, line) in &facts.functions {
            let own = ["__mneme_", "__stream_", "__file_", "__descriptor_"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
            let internal = own && name != "__mneme_run_atexit";
            assert!(
                line.contains(" weak ") != internal,
                "only the C interface is weak: {line}"
            );
        }
        println!("{} functions, intrinsics: {:?}", defined.len(), facts.intrinsics);
    }
    assert!(modules(16).is_empty());
}

/// Compiles `source` with the headers in the include path; the definitions of the runtime must agree with them.
fn compile(name: &str, source: &str, flags: &[&str]) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("include-{name}"));
    write_headers(&dir).unwrap();
    let file = dir.join(name);
    fs::write(&file, source).unwrap();
    let output = clang()
        .args(["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(&dir)
        .args(flags)
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn headers_stand_alone() {
    for (path, _) in HEADERS {
        let source = format!("#include <{path}>\n");
        compile("alone.c", &source, &["-std=c11"]);
        compile("alone.cpp", &source, &["-std=c++17"]);
    }
    let all = "#include <assert.h>\n#include <klee/klee.h>\n#include <mneme.h>\n\
               int main(void) { klee_assert(1); mneme_assert(mneme_int(\"x\") == 0); }\n";
    compile("all.c", all, &["-std=c11", "-DNDEBUG"]);
    compile("all.cpp", all, &["-std=c++17"]);
}

#[test]
fn headers_agree_with_the_definitions() {
    for (header, file) in [("klee/klee.h", "klee"), ("mneme.h", "mneme")] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/{file}.c"));
        let both = format!("#include <{header}>\n#include {source:?}\n");
        compile(
            &format!("{file}.c"),
            &both,
            &["-std=c11", "-ffreestanding", "-Wno-pedantic"],
        );
    }
    // … and everything they declare exists: in the runtime, or in the engine.
    let defined: BTreeSet<String> = facts(64).functions.into_keys().collect();
    let mut engine = primitives();
    engine.extend(
        [
            "klee_warning_once",
            "klee_print_expr",
            "klee_print_range",
            "klee_stack_trace",
            "klee_set_forking",
        ]
        .map(str::to_owned),
    );
    engine.extend(["klee_define_fixed_object", "klee_alias_function"].map(str::to_owned));
    for (path, text) in HEADERS {
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '(') {
            let name = word.split_once('(').map_or("", |(name, _)| name);
            let is_function = (name.starts_with("klee_") || name.starts_with("mneme_")) && !name.ends_with("_assert");
            assert!(
                !is_function || defined.contains(name) || engine.contains(name),
                "{path}: {name} exists nowhere"
            );
        }
    }
}
