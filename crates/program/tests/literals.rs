//! Bytes as C initialisers.

mod common;

use common::*;

/// The literal of `bytes` for the global variable `v`.
fn literal(declaration: &str, bytes: &[u8]) -> Option<String> {
    let program = program(declaration);
    let site = program
        .sites
        .iter()
        .find(|site| site.name.as_deref() == Some("v"))
        .expect("v is there");
    program.literal(site.c_type.expect("it has a type").into(), bytes)
}

#[track_caller]
fn check(declaration: &str, bytes: &[u8], expected: &str) {
    assert_eq!(literal(declaration, bytes).as_deref(), Some(expected));
}

#[test]
fn scalars() {
    check("int v;", &[0, 0, 0, 0x80], "-2147483648");
    check("unsigned v;", &[0, 0, 0, 0x80], "2147483648");
    check("char v;", b"a", "'a'");
    check("char v;", &[0xff], "-1");
    check("unsigned char v;", &[0xff], "255");
    check("_Bool v;", &[1], "1");
    check("double v;", &1.5f64.to_le_bytes(), "1.5");
    check("float v;", &f32::NAN.to_le_bytes(), "NAN");
    check("int *v;", &[0; 8], "NULL");
    check("int *v;", &[0x10, 0, 0, 0, 0, 0, 0, 0], "(int *)0x10");
    check("enum { A, B } v;", &[1, 0, 0, 0], "1");
}

#[test]
fn arrays() {
    check("char v[4];", b"ab\0\0", "\"ab\"");
    check("char v[4];", b"a\0\xffz", "\"a\\000\\377z\"");
    check("int v[3];", &[1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0], "{1, 2}");
    check("int v[3];", &[0; 12], "{0}");
    check("short v[2][2];", &[1, 0, 2, 0, 3, 0, 0, 0], "{{1, 2}, {3}}");
    // A pointer's type is that of one of its elements.
    check("int v;", &[1, 0, 0, 0, 2, 0, 0, 0], "{1, 2}");
}

#[test]
fn structures() {
    check(
        "struct { int a; char b[4]; } v;",
        &[1, 0, 0, 0, b'x', 0, 0, 0],
        "{ .a = 1, .b = \"x\" }",
    );
    check(
        "struct { int a : 3; unsigned b : 5; } v;",
        &[0b1010_1111, 0, 0, 0],
        "{ .a = -1, .b = 21 }",
    );
    check("union { short a; char b[4]; } v;", &[7, 0, 0, 0], "{ .a = 7 }");
}

#[test]
fn sizes_that_do_not_fit_have_no_literal() {
    assert_eq!(literal("int v;", &[1, 2, 3]), None);
}
