//! What the parameters of small functions are used for.

mod common;

use mneme_program::*;

#[track_caller]
fn check(source: &str, function: &str, expected: Uses) {
    let program = common::program(source);
    let id = program.find_function(function).expect("the function is there");
    let uses = UseMap::default().before(&program, id, 0);
    assert_eq!(uses[0], expected, "{}", program.listing(function).unwrap_or_default());
}

#[test]
fn a_value_that_nothing_depends_on_is_used_for_nothing() {
    check("int f(int a) { int b = a + 1; b = 2; return b; }", "f", Uses::NONE);
}

#[test]
fn an_index_and_a_pointer_are_places() {
    check(
        "char t[8]; char f(int a) { int b = a + 1; return t[b]; }",
        "f",
        Uses::PLACE,
    );
    check("char f(char *a) { char *b = a + 1; return *b; }", "f", Uses::PLACE);
}

#[test]
fn a_result_is_returned() {
    check("int f(int a) { return 2 * a; }", "f", Uses::RETURNED);
}

#[test]
fn branches_that_end_loops_are_distinguished_from_others() {
    check("int f(int a) { if (a > 3) return 1; return 0; }", "f", Uses::BRANCH);
    check(
        "int f(int a) { int n = 0; while (n < a) n++; return n; }",
        "f",
        Uses::ROUNDS,
    );
}

#[test]
fn what_goes_to_memory_is_stored() {
    check("int g; void f(int a) { g = a; }", "f", Uses::STORED);
}

#[test]
fn calls_are_looked_into() {
    let callee = "char t[8]; static int twice(int a) { return 2 * a; } static char at(int a) { return t[a]; }";
    check(
        &format!("{callee} int f(int a) {{ return twice(a); }}"),
        "f",
        Uses::RETURNED,
    );
    check(
        &format!("{callee} int f(int a) {{ return t[twice(a)]; }}"),
        "f",
        Uses::PLACE,
    );
    check(&format!("{callee} int f(int a) {{ return at(a); }}"), "f", Uses::PLACE);
}

#[test]
fn functions_that_call_each_other_have_the_uses_of_all() {
    let odd = "int g; int odd(int, int); int even(int n, int a) { return n ? odd(n - 1, a) : 1; }
               int odd(int n, int a) { g = a; return n ? even(n - 1, a) : 0; }";
    check(
        &format!("{odd} int f(int a) {{ return even(7, a); }}"),
        "f",
        Uses::STORED,
    );
}

#[test]
fn an_unknown_function_may_do_anything() {
    check("void unknown(int); void f(int a) { unknown(a); }", "f", Uses::PLACE);
    check("void (*g)(int); void f(int a) { g(a); }", "f", Uses::PLACE);
}
