//! Several files, and the runtime below them.

mod common;

use common::files;
use mneme_program::*;

/// A runtime module from C; leaked, because the real ones are part of the binary.
fn runtime(source: &str) -> RuntimeModule {
    let (_directory, paths) = files(&[("runtime.c", source.as_bytes())]);
    let output = std::process::Command::new("clang-19")
        .args([
            "-c",
            "-g",
            "-O1",
            "-Xclang",
            "-disable-llvm-passes",
            "-fno-builtin",
            "-emit-llvm",
            "-o",
            "-",
        ])
        .arg(&paths[0])
        .output()
        .expect("clang runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    RuntimeModule {
        name: "runtime",
        bitcode: output.stdout.leak(),
    }
}

const RUNTIME: &str = "
    typedef unsigned long size_t;
    static int helper(int x) { return x + 1; }
    static int calls;
    int unused_variable = 4;
    size_t strlen(const char *s) { size_t n = 0; calls++; while (s[n]) n++; return n; }
    char *strdup(const char *s) { size_t n = strlen(s) + 1; return (char *)s + helper(n); }
    int unused_function(void) { return helper(unused_variable); }
    int read(int fd, void *p, size_t n) { return fd; }
    int through_read(void) { return read(1, 0, 0); }
    void *malloc(size_t n) { return 0; }
    void abort(void) { for (;;); }";

fn link(source: &str) -> Program {
    let (_directory, paths) = files(&[("user.c", source.as_bytes())]);
    let options = Options {
        runtime: vec![runtime(RUNTIME)],
        ..Options::default()
    };
    load(&paths, &options).unwrap_or_else(|e| panic!("{e}"))
}

fn defined<'p>(program: &'p Program, name: &str) -> Option<&'p Function> {
    program.functions.iter().find(|f| f.name == name && !f.is_declaration())
}

#[test]
fn only_the_needed_parts_of_the_runtime_are_linked() {
    let program = link("char *strdup(const char *); int main(void) { return strdup(\"x\") != 0; }");
    for name in ["strdup", "strlen", "helper"] {
        assert!(defined(&program, name).is_some_and(|f| f.runtime), "{name}");
    }
    assert!(defined(&program, "unused_function").is_none() && defined(&program, "abort").is_none());
    assert!(program.globals.iter().any(|g| g.name == "calls" && g.runtime));
    assert!(!program.globals.iter().any(|g| g.name == "unused_variable"));
    assert!(!defined(&program, "main").unwrap().runtime);
}

#[test]
fn the_users_definition_wins() {
    let program = link(
        "unsigned long strlen(const char *s) { return 42; } void *malloc(unsigned long n) { return (void *)n; }
         void abort(void) { __builtin_trap(); } char *strdup(const char *);
         int main(void) { if (!malloc(1)) abort(); return strdup(\"x\") != 0; }",
    );
    for name in ["strlen", "malloc", "abort"] {
        assert!(defined(&program, name).is_some_and(|f| !f.runtime), "{name}");
        assert_eq!(program.functions.iter().filter(|f| f.name == name).count(), 1);
    }
    assert!(program.listing("strlen").unwrap().contains("return 42"));
    assert!(
        program.listing("strdup").unwrap().contains("call strlen("),
        "the runtime calls the user's"
    );
}

#[test]
fn a_static_function_of_the_same_name_is_another_function() {
    let program = link(
        "static int helper(int x) { return x * 2; } static int read(int x) { return helper(x); }
         int through_read(void); int main(void) { return read(1) + through_read(); }",
    );
    let users: Vec<&Function> = program
        .functions
        .iter()
        .filter(|f| f.source_name.as_deref() == Some("read"))
        .collect();
    assert_eq!(users.len(), 2);
    assert_eq!(users.iter().filter(|f| f.runtime).count(), 1);
    assert!(users.iter().find(|f| !f.runtime).unwrap().signature.params.len() == 1);
}

#[test]
fn a_variable_named_like_a_runtime_function_is_not_a_conflict() {
    let program = link("int read = 3; int through_read(void); int main(void) { return read + through_read(); }");
    assert!(program.globals.iter().any(|g| g.name == "read" && !g.runtime));
    assert!(defined(&program, "through_read").is_some_and(|f| f.runtime));
}

#[test]
fn a_weak_definition_of_the_user_wins_too() {
    let program = link(
        "__attribute__((weak)) unsigned long strlen(const char *s) { return 42; }
         int main(void) { return strlen(\"\"); }",
    );
    assert!(!defined(&program, "strlen").unwrap().runtime);
}

#[test]
fn parts_of_the_runtime_use_each_other() {
    let first = runtime("int second(void); int first(void) { return second(); } int shared = 1;");
    let second = runtime("extern int shared; int second(void) { return shared; } int first(void) { return 9; }");
    for runtime in [vec![first, second], vec![second, first]] {
        let (_directory, paths) = files(&[("user.c", b"int first(void); int main(void) { return first(); }")]);
        let wins = runtime[0].bitcode == first.bitcode;
        let program = load(
            &paths,
            &Options {
                runtime,
                ..Options::default()
            },
        )
        .unwrap();
        assert_eq!(
            defined(&program, "second").is_some(),
            wins,
            "the first definition counts"
        );
        assert!(defined(&program, "first").unwrap().runtime);
    }
}

#[test]
fn an_inline_copy_of_a_header_yields_to_the_runtime() {
    let source = "extern inline __attribute__((gnu_inline)) unsigned long strlen(const char *s) { return 7; }
         int main(int c, char **v) { return strlen(v[0]); }";
    let program = link(source);
    assert!(defined(&program, "strlen").unwrap().runtime);
}

#[test]
fn files_are_linked_and_statics_stay_apart() {
    let a = "static int n = 1; int other(void); int shared; int main(void) { return n + other() + shared; }";
    let b = "static int n = 2; extern int shared; int other(void) { return n + shared; }";
    let (_directory, paths) = files(&[("a.c", a.as_bytes()), ("b.c", b.as_bytes())]);
    let program = load(&paths, &Options::default()).unwrap();
    let named = |name: &str| {
        let site = |g: &Global| program.sites[g.site.index()].name.as_deref() == Some(name);
        program.globals.iter().filter(|g| site(g)).count()
    };
    assert_eq!((named("n"), named("shared")), (2, 1));
    assert_eq!(program.functions.len(), 2);
    assert_eq!(program.files.len(), 2);
}

#[test]
fn a_runtime_for_another_width_is_an_error() {
    let (_directory, paths) = files(&[("user.c", b"int main(void) { return 0; }")]);
    let runtime = vec![runtime("int f(void) { return 0; }")];
    let options = Options {
        runtime,
        target32: true,
        ..Options::default()
    };
    let error = load(&paths, &options).unwrap_err();
    assert!(matches!(error, ProgramError::Link { .. }), "{error}");
}

#[test]
fn calls_through_another_type_stay_direct() {
    let program = link("int f(int a) { return a; } int main(void) { return ((int (*)(int, int))f)(1, 2); }");
    let main = program.function(program.main.unwrap());
    assert_eq!(
        main.calls[0].callee,
        Callee::Direct(program.find_function("f").unwrap())
    );
    assert_eq!((main.calls[0].signature.params.len(), main.calls[0].args.len()), (2, 2));
}
