//! Findings and tests of the C corpus, replayed natively: what Mneme says of a program, the machine has to show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Programs with faults that a sanitizer sees, with the options of their run.
const CONFIRMED: &[(&str, &[&str])] = &[
    ("control/abort_bad.c", &[]),
    ("control/invalid_call_bad.c", &[]),
    ("control/function_pointer_bad.c", &[]),
    ("control/unreachable_bad.c", &[]),
    ("language/longjmp_bad.c", &[]),
    ("harness/cprover_bad.c", &["--entry", "harness"]),
    ("harness/fuzz_target_bad.c", &["--max-len", "6"]),
    ("harness/mneme_bad.c", &[]),
    ("harness/verifier_bad.c", &[]),
    ("integers/division_by_zero_bad.c", &[]),
    ("integers/invalid_shift_bad.c", &[]),
    ("library/strcpy_bad.c", &[]),
    ("memory/invalid_free_bad.c", &[]),
    ("memory/memcpy_bad.c", &[]),
    ("memory/use_after_free_beside_bad.c", &[]),
    ("memory/realloc_bad.c", &[]),
    ("memory/stack_exhaustion_bad.c", &[]),
    ("memory/stack_vla_bad.c", &[]),
    ("memory/realloc_zero_bad.c", &[]),
    ("memory/overlap_bad.c", &[]),
    ("memory/subobject_bad.c", &["--check", "subobjects"]),
    ("integers/conversion_bad.c", &[]),
    ("integers/bit_count_bad.c", &[]),
    ("memory/bool_bad.c", &[]),
    ("memory/misaligned_bad.c", &["--check", "alignment"]),
    ("pointers/null_offset_bad.c", &["--check", "null-offsets"]),
    ("integers/lossy_conversion_bad.c", &["--check", "conversions"]),
    ("language/float_division_bad.c", &["--check", "float"]),
    ("integers/unsigned_overflow_bad.c", &["--check", "unsigned"]),
    (
        "memory/excessive_allocation_bad.c",
        &["--check", "allocations", "--capacity", "64"],
    ),
    ("memory/vla_length_bad.c", &[]),
    ("integers/overflow_choice_bad.c", &["--check", "overflow"]),
    ("integers/shift_overflow_bad.c", &["--check", "overflow"]),
    ("library/memcmp_bad.c", &[]),
    ("memory/uninitialized_bad.c", &[]),
    ("memory/use_after_scope_bad.c", &[]),
    ("memory/wild_dereference_bad.c", &[]),
    ("memory/write_to_constant_bad.c", &[]),
    ("control/function_type_bad.c", &[]),
    ("library/wide_copy_bad.c", &[]),
    ("library/strdup_fails_bad.c", &["--malloc-may-fail"]),
    ("memory/malloc_fails_bad.c", &["--malloc-may-fail"]),
    ("memory/poison_pool_bad.c", &[]),
    ("memory/realloc_fails_bad.c", &["--malloc-may-fail", "--check", "leaks"]),
    ("memory/uninit_printed_bad.c", &[]),
    ("papers/sl_double_free.c", &[]),
    ("papers/sl_invalid_write.c", &[]),
    ("papers/sl_leak_scope.c", &["--check", "leaks"]),
    ("papers/sl_return_local.c", &[]),
    ("papers/symmmu_heap_dangling.c", &[]),
    ("papers/thesis_1_2_ptrs_symsize.c", &[]),
    ("papers/thesis_1_7_symsize_loop.c", &["-DWITNESS"]),
    ("papers/thesis_4_3_provenance.c", &[]),
    ("papers/thesis_5_1_uri_headers.c", &[]),
    ("papers/thesis_5_1_via_parse.c", &[]),
    // The first finding writes to an allocation of 0 bytes.
    ("papers/thesis_5_3_symsize_loop.c", &["-DOFFBYONE"]),
    ("papers/sop_fig2_unsafe.c", &[]),
    ("papers/symmmu_fig11_cpio.c", &[]),
];

/// Programs whose finding no native run can show, with why.
const NOT_CHECKABLE: &[(&str, &[&str], &str)] = &[(
    "papers/sl_ssa_dangling.c",
    &[],
    "a variable whose scope is entered again",
)];

/// Programs without faults: every path exits natively as predicted.
const AS_PREDICTED: &[&str] = &[
    "control/exit_codes_ok.c",
    "control/varargs_ok.c",
    "harness/verifier_ok.c",
    "integers/casts_ok.c",
    "integers/conversion_ok.c",
    "library/printf_ok.c",
    "library/printf_numbered_ok.c",
    "library/push_back_ok.c",
    "library/stream_modes_ok.c",
    "library/qsort_ok.c",
    "library/wide_strings_ok.c",
    "library/string_search_ok.c",
    "memory/overlap_ok.c",
    "memory/realloc_zero_ok.c",
    "memory/stack_deep_ok.c",
    "memory/struct_copy_ok.c",
    "papers/sl_list.c",
    "pointers/list_reverse_ok.c",
    "pointers/tagged_ok.c",
];

/// Programs whose paths become one in loops, with and without faults, and sizes that are to be chosen.
const MERGED: &[(&str, &[&str])] = &[
    ("control/merge_loops_ok.c", &["--merge", "tree"]),
    ("control/merge_loops_ok.c", &["--merge", "loops", "--merge-states", "3"]),
    ("control/merge_loops_bad.c", &["--merge", "tree"]),
    ("control/merge_loops_bad.c", &["--merge", "loops"]),
    ("control/merge_by_hand_bad.c", &[]),
    ("library/qsort_ok.c", &["--merge", "loops"]),
    ("library/strcpy_bad.c", &["--merge", "tree"]),
    ("library/strlen_bad.c", &["--merge", "loops"]),
    ("loops/blocks_bad.c", &["--merge", "tree"]),
    (
        "loops/search_ok.c",
        &["--merge", "tree", "--model", "planes", "--loops", "classic"],
    ),
    ("papers/symmmu_fig11_cpio.c", &["--merge", "tree"]),
    ("papers/thesis_1_2_ptrs_symsize.c", &["--merge", "tree"]),
    (
        "papers/thesis_1_8_strchr_chain.c",
        &["--merge", "tree", "--capacity", "8"],
    ),
];

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c").join(name)
}

fn mneme(args: &[&str], paths: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mneme"));
    command.args(args).args(paths).output().expect("mneme runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs with `--confirm`; the outputs of the run are in the folder.
fn confirm(name: &str, options: &[&str]) -> (tempfile::TempDir, Output) {
    let out = tempfile::tempdir().unwrap();
    let dir = out.path().to_str().unwrap();
    let args = [&["run", "--confirm", "--out", dir], options].concat();
    let output = mneme(&args, &[&corpus(name)]);
    (out, output)
}

#[test]
fn what_a_sanitizer_can_see_is_confirmed() {
    for (name, options) in CONFIRMED {
        let (out, output) = confirm(name, options);
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{name}: {shown}{}", text(&output.stderr));
        let stats = fs::read_to_string(out.path().join("stats.json")).unwrap();
        let stats = mneme_finding::Stats::from_json(&stats).unwrap();
        let counts = stats.confirmations.expect("findings were replayed");
        assert!(counts.confirmed > 0, "{name}: {shown}");
        assert_eq!((counts.unconfirmed, counts.not_checkable), (0, 0), "{name}: {shown}");
        let findings = fs::read_to_string(out.path().join("findings.txt")).unwrap();
        let marks = findings.lines().filter(|line| line.contains("= confirmed: "));
        assert_eq!(marks.count() as u64, counts.confirmed, "{name}: {findings}");
        let sarif = fs::read_to_string(out.path().join("findings.sarif")).unwrap();
        assert!(sarif.contains("\"verdict\": \"confirmed\""), "{name}");
    }
}

#[test]
fn what_none_can_see_is_said_to_be_not_checkable() {
    for (name, options, why) in NOT_CHECKABLE {
        let (_out, output) = confirm(name, options);
        let shown = text(&output.stdout);
        let line = shown.lines().find(|line| line.contains("not checkable: "));
        assert!(line.is_some_and(|line| line.contains(why)), "{name}: {shown}");
    }
}

#[test]
fn paths_without_faults_end_as_predicted() {
    for name in AS_PREDICTED {
        let out = tempfile::tempdir().unwrap();
        let run = mneme(
            &["run", "--quiet", "--out", out.path().to_str().unwrap()],
            &[&corpus(name)],
        );
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
        let output = mneme(&["replay"], &[out.path(), &corpus(name)]);
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{name}: {shown}{}", text(&output.stderr));
        assert!(
            shown.ends_with(" confirmed, 0 unconfirmed, 0 not checkable\n"),
            "{shown}"
        );
    }
}

/// A test of a merged path is an input of one of its members, and the program does on it what the path says.
#[test]
fn tests_of_merged_paths_are_confirmed() {
    for (name, options) in MERGED {
        let out = tempfile::tempdir().unwrap();
        let args = [&["run", "--quiet", "--out", out.path().to_str().unwrap()], *options].concat();
        let run = mneme(&args, &[&corpus(name)]);
        assert_ne!(run.status.code(), Some(2), "{name}: {}", text(&run.stderr));
        let stats = fs::read_to_string(out.path().join("stats.json")).unwrap();
        let stats = mneme_finding::Stats::from_json(&stats).unwrap();
        assert!(
            stats.merging.is_some_and(|merging| merging.merges > 0),
            "{name}: nothing was merged"
        );
        let output = mneme(&["replay"], &[out.path(), &corpus(name)]);
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{name} {options:?}: {shown}");
        let count = shown.lines().last().and_then(|line| line.split_whitespace().next());
        let confirmed: u64 = count.and_then(|count| count.parse().ok()).unwrap_or(0);
        let ended = stats.paths.completed + u64::from(stats.paths.faulted > 0);
        assert!(confirmed >= ended, "{name} {options:?}: {ended} paths and {shown}");
    }
}

#[test]
fn a_wrong_expectation_is_not_confirmed() {
    let name = "memory/double_free_bad.c";
    let (out, _) = confirm(name, &[]);
    let tests = fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().path());
    let test = tests
        .into_iter()
        .find(|path| path.to_string_lossy().contains("double-free"));
    let test = test.expect("the finding has a test");
    for (expect, code, said) in [
        (["--expect", "double-free@double_free_bad.c:16"], 0, "confirmed: "),
        (["--expect", "double-free@double_free_bad.c:15"], 1, "unconfirmed: "),
        (["--expect", "null-dereference"], 1, "unconfirmed: "),
        (["--expect-exit", "0"], 1, "unconfirmed: "),
    ] {
        let output = mneme(&[&["replay"][..], &expect].concat(), &[&test, &corpus(name)]);
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{expect:?}: {shown}");
        assert!(shown.contains(said), "{expect:?}: {shown}");
    }
}

/// With `--uninit any`, only what really depends on memory that nobody wrote is not checkable, and the reason names it.
#[test]
fn what_depends_on_unwritten_memory_is_not_checkable() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("p.c");
    fs::write(
        &program,
        "#include <mneme.h>
#include <stdlib.h>
int main(void) {
  int x, *block = malloc(4);
  int n = mneme_int(\"n\");
  if (n == 7) abort();
  if (n == 8 && x == 123456789) abort();
  if (n == 9 && *block == 123456789) abort();
  if (n == 10) return x;
  return 0;
}
",
    )
    .unwrap();
    let out = dir.path().join("out");
    let output = mneme(
        &["run", "--confirm", "--uninit", "any", "--out", out.to_str().unwrap()],
        &[&program],
    );
    let shown = text(&output.stdout);
    let line = |start: &str| {
        let of_finding = |line: &&str| line.starts_with("abort at ") && line.contains(start);
        let found = shown.lines().find(of_finding);
        found.unwrap_or_else(|| panic!("{start}: {shown}")).to_owned()
    };
    assert!(line("p.c:6:").contains(": confirmed: "), "{shown}");
    let needs = "not checkable: it exits with 0 without a report; the path needs certain values in memory that was never written";
    assert!(line("p.c:7:").ends_with(&format!("{needs}: `x` (p.c:4)")), "{shown}");
    assert!(
        line("p.c:8:").ends_with(&format!("{needs}: the block allocated at p.c:4")),
        "{shown}"
    );
    let replayed = text(&mneme(&["replay"], &[&out, &program]).stdout);
    assert!(replayed.contains(" 0 unconfirmed, "), "{replayed}");
}

#[test]
fn json_has_the_prediction_and_the_verdict_of_every_test() {
    let name = "memory/double_free_bad.c";
    let (out, _) = confirm(name, &[]);
    fs::write(out.path().join("broken.ktest"), "no test").unwrap();
    let output = mneme(&["replay", "--format", "json"], &[out.path(), &corpus(name)]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert_eq!(document["version"], 1);
    let tests = document["tests"].as_array().unwrap();
    let find = |part: &str| {
        let named = |test: &&serde_json::Value| test["test"].as_str().unwrap().contains(part);
        tests.iter().find(named).unwrap()
    };
    let finding = find("double-free");
    assert_eq!(finding["predicted"]["rule"], "double-free");
    assert_eq!(finding["predicted"]["line"], 16);
    assert_eq!(finding["verdict"], "confirmed");
    assert_eq!(find("broken")["verdict"], "not checkable");
    assert_eq!(find("broken")["predicted"], serde_json::Value::Null);
    assert_eq!(document["totals"]["not_checkable"], 1);
    assert_eq!(
        document["totals"]["confirmed"].as_u64().unwrap() as usize,
        tests.len() - 1
    );
}

#[test]
fn repeated_names_are_understood_as_mneme_and_as_klee_write_them() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("p.c");
    fs::write(
        &program,
        "#include <mneme.h>\nint main(void) { int a = mneme_int(\"n\"), b = mneme_int(\"n\"); return 10 * a + b; }\n",
    )
    .unwrap();
    let object = |name: &str, value: u8| mneme_report::KTestObject {
        name: name.into(),
        bytes: vec![value, 0, 0, 0],
    };
    for second in ["n", "n_1"] {
        let mut test = mneme_report::KTest::new("p");
        test.objects = vec![object("model_version", 1), object("n", 4), object(second, 2)];
        let path = dir.path().join("t.ktest");
        test.write(&path).unwrap();
        let output = mneme(&["replay", "--expect-exit", "42"], &[&path, &program]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        test.objects.pop();
        test.write(&path).unwrap();
        let output = mneme(&["replay", "--expect-exit", "42"], &[&path, &program]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        assert!(text(&output.stdout).contains("asks for the input `n`"));
    }
}
