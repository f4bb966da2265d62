//! What Mneme links into every analysed program: C library functions, and the interfaces of KLEE, SV-COMP and Mneme
//! itself.
//!
//! The sources are C (`src/*.c`), compiled to LLVM bitcode by `build.rs`, once for each pointer width. They call a few
//! functions without a body, declared in `src/primitives.h`, which the engine executes. There is no logic in Rust here.
//!
//! Invariants: every function of the C interface is weak, so that a program may define its own; loops are textbook
//! loops, so that a symbolic byte forks no more often than necessary; debug information names the sources
//! `mneme/runtime/…`.

use std::path::Path;
use std::{fs, io};

/// One C file of the runtime.
#[derive(Debug, Clone, Copy)]
pub struct Module {
    /// Its name without extension: `string` for `src/string.c`.
    pub name: &'static str,
    /// LLVM 19 bitcode.
    pub bitcode: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/modules.rs"));

/// The headers a harness may include: path under the include folder, and text.
pub const HEADERS: [(&str, &str); 3] = [
    ("klee/klee.h", include_str!("../include/klee/klee.h")),
    ("mneme.h", include_str!("../include/mneme.h")),
    (
        "sanitizer/asan_interface.h",
        include_str!("../include/sanitizer/asan_interface.h"),
    ),
];

/// The headers of handlers, which are compiled on their own.
pub const HANDLER_HEADERS: [(&str, &str); 2] = [
    ("mneme_handler.h", include_str!("../include/mneme_handler.h")),
    ("mneme_shadow.h", include_str!("../include/mneme_shadow.h")),
];

/// Policies for memory accesses (symMMU §4): their names and C texts, compiled with the program that uses them.
pub const HANDLERS: [(&str, &str); 13] = [
    ("concretize", include_str!("../handlers/concretize.c")),
    ("constant", include_str!("../handlers/constant.c")),
    ("create-variable", include_str!("../handlers/create-variable.c")),
    ("fork-address", include_str!("../handlers/fork-address.c")),
    ("fork-objects", include_str!("../handlers/fork-objects.c")),
    ("heap-check", include_str!("../handlers/heap-check.c")),
    ("ite", include_str!("../handlers/ite.c")),
    ("pass", include_str!("../handlers/pass.c")),
    ("prioritize", include_str!("../handlers/prioritize.c")),
    ("profile", include_str!("../handlers/profile.c")),
    ("range-check", include_str!("../handlers/range-check.c")),
    ("taint", include_str!("../handlers/taint.c")),
    ("watch", include_str!("../handlers/watch.c")),
];

/// What is compiled along with handlers.
pub const HANDLER_SUPPORT: (&str, &str) = ("support", include_str!("../handlers/support.c"));

/// The sources that a native replay is linked with: the engine's primitives, which read from a test, and the interfaces
/// that are plain C on top of them. To be compiled with `-ffreestanding` in one folder with [`NATIVE_HEADERS`].
pub const NATIVE_SOURCES: [(&str, &str); 7] = [
    ("replay.c", include_str!("../native/replay.c")),
    ("klee.c", include_str!("klee.c")),
    ("mneme.c", include_str!("mneme.c")),
    ("svcomp.c", include_str!("svcomp.c")),
    ("cprover.c", include_str!("cprover.c")),
    ("fuzz.c", include_str!("fuzz.c")),
    ("inputs.c", include_str!("inputs.c")),
];

/// What a native replay is linked with if calls of the file layer fail in its test, or if it has connections; and the
/// functions that the program then calls through it (`--wrap`).
pub const NATIVE_LAYER: (&str, &str) = ("layer.c", include_str!("../native/layer.c"));
pub const LAYERED: [&str; 42] = [
    "dup",
    "ftruncate",
    "fsync",
    "fdatasync",
    "access",
    "stat",
    "lstat",
    "fstat",
    "mkdir",
    "mkdtemp",
    "mkstemp",
    "rmdir",
    "unlink",
    "rename",
    "creat",
    "opendir",
    "fopen",
    "fopen64",
    "freopen",
    "remove",
    "open",
    "open64",
    "openat",
    "read",
    "write",
    "close",
    "fclose",
    "fgetc",
    "getc",
    "getchar",
    "fgets",
    "fread",
    "fwrite",
    "fflush",
    "socket",
    "connect",
    "bind",
    "listen",
    "accept",
    "recv",
    "send",
    "setsockopt",
];

/// Functions of the C library that a native replay takes from here, because they must behave as in the exploration (the
/// clock) or because sanitizers do not watch the real ones. To be compiled with `-DPUBLIC=`, so that they override the
/// sanitizers' own.
pub const NATIVE_LIBRARY: [(&str, &str); 9] = [
    ("time.c", include_str!("time.c")),
    ("calendar.c", include_str!("calendar.c")),
    ("identity.c", include_str!("identity.c")),
    ("random.c", include_str!("random.c")),
    ("printf.c", include_str!("printf.c")),
    ("printf_float.c", include_str!("printf_float.c")),
    ("decimal.c", include_str!("decimal.c")),
    ("wprintf.c", include_str!("wprintf.c")),
    ("wchar.c", include_str!("wchar.c")),
];

/// Functions that a native program calls through the replay library (`--wrap`), which knows which allocations must
/// fail.
pub const ALLOCATORS: [&str; 6] = ["malloc", "calloc", "realloc", "aligned_alloc", "strdup", "strndup"];

/// What [`NATIVE_SOURCES`] and [`NATIVE_LIBRARY`] include.
pub const NATIVE_HEADERS: [(&str, &str); 4] = [
    ("libc.h", include_str!("libc.h")),
    ("primitives.h", include_str!("primitives.h")),
    ("printf.h", include_str!("printf.h")),
    ("decimal.h", include_str!("decimal.h")),
];

/// All modules for a target with pointers of 32 or 64 bits, in order of their names; none for other widths.
pub fn modules(pointer_width: u32) -> &'static [Module] {
    match pointer_width {
        64 => &MODULES_64,
        32 => &MODULES_32,
        _ => &[],
    }
}

/// Writes the headers under `dir`, which is then given to the compiler with `-I`.
pub fn write_headers(dir: &Path) -> io::Result<()> {
    write(&HEADERS, dir)?;
    write(&HANDLER_HEADERS, dir)
}

/// Writes [`NATIVE_SOURCES`], [`NATIVE_LIBRARY`] and [`NATIVE_HEADERS`] to `dir`.
pub fn write_native(dir: &Path) -> io::Result<()> {
    write(&NATIVE_SOURCES, dir)?;
    write(&[NATIVE_LAYER], dir)?;
    write(&NATIVE_LIBRARY, dir)?;
    write(&NATIVE_HEADERS, dir)
}

/// Writes what a test that is a C file needs beside it, for any compiler: headers to `include`, sources to `runtime`,
/// and two files with flags that follow the program's. The second is for tests in which calls of the file layer fail,
/// or which have connections. Returns the names of both.
pub fn write_beside_tests(dir: &Path) -> io::Result<[&'static str; 2]> {
    write_headers(&dir.join("include"))?;
    let runtime = dir.join("runtime");
    write(&NATIVE_HEADERS, &runtime)?;
    let own = ALLOCATORS
        .map(|name| format!("#define {name} __real_{name}\n"))
        .concat();
    let library = NATIVE_LIBRARY.iter().filter(|(name, _)| TESTED.contains(name));
    let (mut flags, mut layer) = (String::from("-w\n-Iinclude\n"), String::new());
    let parts = { NATIVE_SOURCES.iter() }.map(|part| (part, ""));
    for ((name, text), public) in parts.chain(library.map(|part| (part, "#define PUBLIC\n"))) {
        write(&[(name, &format!("{own}{public}{text}"))], &runtime)?;
        flags.push_str(&format!("runtime/{name}\n"));
    }
    let (name, text) = NATIVE_LAYER;
    write(&[(name, &format!("{own}{text}"))], &runtime)?;
    layer.push_str(&format!("@flags\nruntime/{name}\n"));
    let wrapped = |name: &&str| format!("-Wl,--wrap={name}\n");
    flags.push_str("-lm\n-pthread\n-Wl,-z,muldefs\n");
    flags.extend(["main", "exit", "tmpfile"].iter().chain(&ALLOCATORS).map(wrapped));
    layer.extend(LAYERED.iter().map(wrapped));
    write(&[("flags", &flags), ("layer-flags", &layer)], dir)?;
    Ok(["flags", "layer-flags"])
}

/// What has to answer as in the test; the rest of [`NATIVE_LIBRARY`] is there for sanitizers.
const TESTED: [&str; 2] = ["time.c", "random.c"];

fn write(files: &[(&str, &str)], dir: &Path) -> io::Result<()> {
    for (path, text) in files {
        let file = dir.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}
