//! Handlers that a user writes: what they see, how they are combined, and what is said about broken ones.

use std::process::{Command, Output};

/// A program with one symbolic load of a table of four bytes.
const LOAD: &str = r#"
#include <mneme.h>
int main(void) {
  unsigned char table[4] = {10, 20, 30, 40};
  unsigned i = mneme_uint("i");
  mneme_assume(i < 4);
  unsigned char got = table[i];
  mneme_assert(got == 11 || got == 21 || got == 31 || got == 41);
  mneme_assert(table[2] == 30);
  return 0;
}
"#;

struct Ended {
    code: Option<i32>,
    said: String,
}

/// Runs `program` with handlers of these names and texts.
fn run(program: &str, handlers: &[(&str, &str)], options: &[&str]) -> Ended {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("program.c");
    std::fs::write(&file, program).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.arg("run").arg(&file).arg("--out").arg(dir.path().join("out"));
    for (name, text) in handlers {
        let handler = dir.path().join(name);
        std::fs::write(&handler, text).unwrap();
        command.arg("--handler").arg(handler);
    }
    let Output { status, stdout, stderr } = command.args(options).output().unwrap();
    let said = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    Ended {
        code: status.code(),
        said,
    }
}

const PLUS_ONE: &str = r#"
#include <mneme_handler.h>
uint8_t mneme_load_8(const void *p) { return mneme_next_load_8(p) + 1; }
"#;

#[test]
fn a_value_comes_back_through_all_handlers_of_a_stack() {
    let ended = run(LOAD, &[("plus_one.c", PLUS_ONE)], &["--handler", "fork-objects"]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let twice = run(
        LOAD,
        &[("plus_one.c", PLUS_ONE), ("minus.c", &PLUS_ONE.replace("+ 1", "+ 2"))],
        &[],
    );
    assert_eq!(twice.code, Some(1), "{}", twice.said);
}

#[test]
fn accesses_of_a_handler_are_not_served_unless_it_asks_for_it() {
    let plain = "#include <mneme_handler.h>\nuint8_t mneme_load_8(const void *p) { return *(const uint8_t *)p + 1; }\n";
    let ended = run(LOAD, &[("plain.c", plain)], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    let endless = plain.replace("{ return", "{ mneme_translate(true); return");
    let ended = run(LOAD, &[("endless.c", &endless)], &[]);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    let stop = "handlers that serve their own accesses without end (";
    assert!(ended.said.contains(stop), "{}", ended.said);
}

#[test]
fn a_handler_that_calls_itself_without_end_is_a_stop_and_no_error_of_the_program() {
    let endless = r#"
#include <mneme_handler.h>
static uint8_t down(const uint8_t *p, int n) {
  volatile uint8_t here = n;
  uint8_t below = n ? down(p, n + 1) : *p;
  return below ^ here;
}
uint8_t mneme_load_8(const void *p) { return down(p, 1); }
"#;
    let ended = run(LOAD, &[("endless.c", endless)], &["--max-stack", "65536"]);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    let stop = "a handler that needs more stack than is left";
    assert!(ended.said.contains(stop), "{}", ended.said);
}

#[test]
fn an_error_of_a_handler_is_a_stop_and_no_error_of_the_program() {
    let stops = |handler: &str, words: &str, options: &[&str]| {
        let text = format!("#include <mneme_handler.h>\n{handler}\n");
        let ended = run(LOAD, &[("broken.c", &text)], options);
        assert_eq!(ended.code, Some(3), "{}", ended.said);
        assert!(ended.said.contains(words), "{words}: {}", ended.said);
    };
    let load = "uint8_t mneme_load_8(const void *p)";
    stops(
        &format!(
            "static volatile uint8_t own[2];\n{load} {{ return own[mneme_offset_in(p, mneme_object_of(p))] + 11; }}"
        ),
        "an error in a handler, read outside the bounds of an object at broken.c:3",
        &[],
    );
    stops(
        &format!("static volatile int zero;\n{load} {{ return 100 / zero; }}"),
        "an error in a handler, division by zero at broken.c:3",
        &[],
    );
    stops(
        &format!("void free(void *);\n{load} {{ free((void *)p); return 11; }}"),
        "an error in a handler, free of a pointer that malloc did not return at broken.c:3",
        &[],
    );
    stops(
        &format!("{load} {{ for (;;); }}"),
        "a loop comes back to where it was",
        &[],
    );
    let decides =
        "void mneme_on_malloc(void *p, size_t size, bool zeroed) { if (*(volatile char *)p) mneme_note(\"\"); }";
    let allocating = "#include <stdlib.h>\nint main(void) { free(malloc(4)); return 0; }\n";
    let text = format!("#include <mneme_handler.h>\n{decides}\n");
    let ended = run(allocating, &[("decides.c", &text)], &[]);
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    let words = "a handler that decides by memory that was never written (mneme_is_unwritten) at decides.c:2";
    assert!(ended.said.contains(words), "{}", ended.said);
}

#[test]
fn what_a_handler_has_and_prints_is_not_the_programs() {
    let program = LOAD.replace("got == 11", "got == 10 || got == 20 || got == 30 || got == 40");
    let handler = r#"
#include <mneme_handler.h>
#include <stdio.h>
void *malloc(size_t size);
uint8_t mneme_load_8(const void *p) {
  char *lost = malloc(4);
  *lost = 1;
  printf("a load at %zu\n", mneme_size_of(mneme_object_of(p)));
  return mneme_next_load_8(p);
}
"#;
    let options = ["--check", "leaks", "--malloc-may-fail", "--confirm"];
    let ended = run(&program, &[("own.c", handler)], &options);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.said.contains("a load at 4\n"), "{}", ended.said);
    assert!(!ended.said.contains("unconfirmed"), "{}", ended.said);
}

#[test]
fn what_a_handler_reports_no_native_run_can_confirm() {
    let watching = ["--watch", "seen", "--confirm"];
    let program = "int seen;\nint main(void) { seen = 1; return 0; }\n";
    let ended = run(program, &[], &watching);
    assert_eq!(ended.code, Some(1), "{}", ended.said);
    assert!(ended.said.contains("program.c:2:23: not checkable"), "{}", ended.said);
}

#[test]
fn addresses_that_a_handler_computes_with_are_not_seen() {
    let masking = r#"
#include <mneme_handler.h>
uint8_t mneme_load_8(const void *p) {
  const char *object = mneme_object_of(p);
  size_t low = (uintptr_t)p & 15, at = (const char *)p - object;
  if ((uintptr_t)p % 8 == 3 || low > 20 || (const char *)p < object || at > 3)
    return *(const uint8_t *)p + 1;
  return mneme_next_load_8(p) + 1;
}
"#;
    let ended = run(LOAD, &[("masking.c", masking)], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(ended.said.contains("all paths explored"), "{}", ended.said);
}

#[test]
fn handlers_hear_of_calls_in_turn_and_the_calls_are_made() {
    let program = r#"
#include <mneme.h>
#include <stdlib.h>
#include <string.h>
static int add(char a, int b) { return a + b; }
int main(void) {
  int (*indirect)(char, int) = add;
  int i = mneme_int("i");
  mneme_assume(i == 1 || i == 2);
  mneme_assert(add(2, i) + indirect(1, 2) == 5 + i);
  mneme_assert(atoi("-3") == -3);
  return 0;
}
"#;
    let hearing = r#"
#include <mneme_handler.h>
static int adds, others;
MNEME_BEFORE(add, uint8_t a, uint32_t b, uint64_t missing) {
  adds++;
  if (a > 2 || !mneme_possible(b == 2) || missing != 0)
    mneme_fault("other arguments");
}
MNEME_BEFORE(atoi, const char *text) { others += *text == '-'; }
void mneme_cleanup(void) {
  if (adds != 2 || others != 1)
    mneme_fault("another number of calls");
}
"#;
    let ended = run(program, &[("one.c", hearing), ("two.c", hearing)], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
}

#[test]
fn the_heap_checker_itself_finds_each_transition_to_an_error() {
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/c/handlers/heap_transitions_bad.c"
    );
    let text = std::fs::read_to_string(program).unwrap();
    let both = ["--handler", "heap-check", "--concrete-handler", "heap-check"];
    let ended = run(&text, &[], &both);
    let count = |message: &str| ended.said.matches(&format!("]: {message}")).count();
    assert_eq!(count("freed memory is used"), 3, "{}", ended.said);
    assert_eq!(count("a block is freed twice"), 1, "{}", ended.said);
    let unwritten = "memory of the heap is read before it is written";
    assert_eq!(count(unwritten), 3, "{}", ended.said);
}

#[test]
fn taint_and_watch_name_what_exists() {
    let said = |options: &[&str]| {
        let ended = run(LOAD, &[], options);
        assert_eq!(ended.code, Some(2), "{}", ended.said);
        ended.said
    };
    assert!(said(&["--taint", "i:nowhere"]).contains("`nowhere`, which the program neither defines nor calls"));
    assert!(said(&["--taint", "i:"]).contains("--taint i: is not FUNCTION or INPUT:FUNCTION"));
    assert!(said(&["--watch", "nowhere"]).contains("`nowhere`, which is not a global variable"));
    assert!(said(&["--watch", "table[i]"]).contains("--watch table[i] is not the name of a variable"));
    let parts = |watched: &str| {
        let program = "struct { int a[2][3]; char b; } all;\nint main(void) { return all.b; }\n";
        run(program, &[], &["--watch", watched])
    };
    assert_eq!(parts("all.a[1][2]+3").code, Some(0));
    for (wrong, words) in [
        ("all.c", "`all` has no member `c`"),
        ("all.a[2]", "`all.a` has no element 2"),
        ("all.a[1][3]", "`all.a[1]` has no element 3"),
        ("all.a[1].b", "`all.a[1]` has no member `b`"),
        ("all.b[0]", "`all.b` has no element 0"),
        ("all.a[1]+4:9", "`all.a[1]` has 12 bytes"),
        ("all+28", "`all` has 28 bytes"),
    ] {
        let ended = parts(wrong);
        assert!(
            ended.code == Some(2) && ended.said.contains(words),
            "{wrong}: {}",
            ended.said
        );
    }
}

#[test]
fn what_a_handler_does_at_the_beginning_and_the_end_counts() {
    let counting = r#"
#include <mneme_handler.h>
static int began, inputs;
void mneme_init(void) { began = 1; }
void mneme_signal(void *p, size_t size) { inputs += size == 4 && p != NULL; }
void mneme_cleanup(void) {
  if (began != 1 || inputs != 1)
    mneme_fault("it was not called");
}
"#;
    let program = LOAD.replace("got == 11", "got == 10 || got == 20 || got == 30 || got == 40");
    let ended = run(&program, &[("counting.c", counting)], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
}

#[test]
fn values_of_every_width_pass() {
    let program = r#"
#include <mneme.h>
int main(void) {
  unsigned __int128 wide[2] = {(unsigned __int128)5 << 64 | 6, 7};
  double reals[2] = {1.5, 2.5};
  int *pointers[2], x = 3, y = 4;
  pointers[0] = &x, pointers[1] = &y;
  unsigned i = mneme_uint("i");
  mneme_assume(i < 2);
  wide[i] += 1;
  mneme_assert(wide[0] == ((unsigned __int128)5 << 64 | 7) || wide[1] == 8);
  mneme_assert(reals[i] == 1.5 + i);
  *pointers[i] += 1;
  mneme_assert(x + y == 8);
}
"#;
    for handler in ["fork-objects", "range-check", "concretize"] {
        let ended = run(program, &[], &["--handler", handler]);
        let expected = if handler == "concretize" { 3 } else { 0 };
        assert_eq!(ended.code, Some(expected), "{handler}: {}", ended.said);
    }
}

#[test]
fn a_broken_handler_is_told_before_the_run() {
    let error = |handler: &str, words: &[&str]| {
        let ended = run(LOAD, &[("broken.c", handler)], &[]);
        assert_eq!(ended.code, Some(2), "{}", ended.said);
        for word in words {
            assert!(ended.said.contains(word), "{word}: {}", ended.said);
        }
    };
    error("int nothing;\n", &["`broken` serves nothing", "mneme_load_8"]);
    let include = "#include <mneme_handler.h>\n";
    error(
        &format!("{include}int mneme_load_8(const void *p) {{ return 0; }}\n"),
        &["conflicting types", "broken.c"],
    );
    error(
        &format!("{include}int mneme_load_9(const void *p) {{ return 0; }}\n"),
        &["mneme_load_9", "prototype"],
    );
    error(
        &format!("{include}uint8_t mneme_load_8(const void *p) {{ return peek(p); }}\n"),
        &["peek"],
    );
    let unknown = run(LOAD, &[], &["--handler", "frok"]);
    assert!(
        unknown.said.contains("no handler `frok`") && unknown.said.contains("fork-objects"),
        "{}",
        unknown.said
    );
    let missing = run(LOAD, &[], &["--handler", "nowhere/x.c"]);
    assert!(missing.said.contains("no handler file nowhere/x.c"), "{}", missing.said);
}

/// Counts loads of 16 bits; with `-DMNEME_TLB` it wants to see one per object only.
const COUNTING: &str = r#"
#include <mneme_handler.h>
static unsigned loads;
uint16_t mneme_load_16(const void *p) {
  loads++;
#ifdef MNEME_TLB
  mneme_tlb_insert(p);
#endif
  return mneme_next_load_16(p);
}
void mneme_cleanup(void) {
  if (loads != EXPECTED)
    mneme_fault("another number of loads");
}
"#;

#[test]
fn concrete_accesses_are_served_until_the_tlb_keeps_them_away() {
    let program = r#"
static volatile short a[4], b;
int main(void) {
  int sum = 0;
  for (int k = 0; k < 4; k++)
    sum += a[k] + b;
  return sum;
}
"#;
    let dir = tempfile::tempdir().unwrap();
    let (file, handler) = (dir.path().join("program.c"), dir.path().join("counting.c"));
    std::fs::write(&file, program).unwrap();
    for (variant, tlb, expected) in [("", "128", 8), (":tlb", "128", 2), (":tlb", "1", 8), (":tlb", "0", 8)] {
        std::fs::write(&handler, COUNTING.replace("EXPECTED", &expected.to_string())).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_mneme"))
            .arg("run")
            .arg(&file)
            .args([
                "--concrete-handler",
                &format!("{}{variant}", handler.display()),
                "--tlb",
                tlb,
            ])
            .arg("--out")
            .arg(dir.path().join("out"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{variant} {tlb}: {said}");
    }
}

#[test]
fn a_run_that_ends_inside_a_handler_is_continued_there() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("program.c");
    std::fs::write(
        &file,
        LOAD.replace("got == 11", "got == 10 || got == 20 || got == 30 || got == 40"),
    )
    .unwrap();
    let run = |out: &str, options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
        command.arg("run").args(options);
        if !options.contains(&"--resume") {
            command.arg(&file).args(["--handler", "fork-address", "--out", out]);
        }
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let out = dir.path().join("out").display().to_string();
    let (_, whole) = run(&out, &[]);
    assert!(whole.contains("4 paths completed"), "{whole}");
    for most in ["60", "90", "120"] {
        let out = dir.path().join(most).display().to_string();
        let (code, said) = run(&out, &["--max-instructions", most]);
        assert_eq!(code, Some(3), "{said}");
        let (code, said) = run(&out, &["--resume", &out]);
        assert_eq!(code, Some(0), "{most}: {said}");
        assert!(said.contains("4 paths completed"), "{most}: {said}");
    }
}
