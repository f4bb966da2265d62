//! What instructions are called in C.

mod common;

use common::*;
use mneme_program::*;

/// The expressions of a function's memory accesses, divisions, calls and tests, in order of execution.
fn expressions(program: &Program, name: &str) -> Vec<String> {
    let id = program.find_function(name).expect("the function is there");
    let wanted = |inst: &Inst| {
        let divides = matches!(inst, Inst::Bin { op, .. } if matches!(op, BinOp::SDiv | BinOp::UDiv | BinOp::SRem));
        divides
            || matches!(
                inst,
                Inst::Load { .. }
                    | Inst::Store { .. }
                    | Inst::MemCopy { .. }
                    | Inst::MemSet { .. }
                    | Inst::Call { .. }
                    | Inst::Branch { .. }
                    | Inst::CmpBranch { .. }
                    | Inst::Switch { .. }
            )
    };
    let code = program.function(id).code.iter().enumerate();
    code.filter(|(_, inst)| wanted(inst))
        .map(|(pc, _)| program.expression(id, pc as u32).map_or("?".into(), |e| e.text))
        .collect()
}

#[track_caller]
fn check(source: &str, expected: &[&str]) {
    assert_eq!(expressions(&program(source), "f"), expected);
}

const TYPES: &str = "struct node { int key; struct node *next; };
struct table { int n; struct node *buckets[5]; char name[8]; struct { short a[3]; union { int i; float x; } u; } s; };
typedef struct table table;
int grid[3][4];
struct table all[2];
";

#[track_caller]
fn check_with_types(source: &str, expected: &[&str]) {
    check(&format!("{TYPES}{source}"), expected);
}

#[test]
fn elements_further_on_and_copies_are_called_as_in_the_source() {
    check_with_types("int f(unsigned i) { return all[i + 1].n; }", &["all[i + 1].n"]);
    check(
        "void *memmove(void *, const void *, unsigned long); void f(char *p, unsigned long n) { memmove(p + 1, p, n); }",
        &["memmove(&p[1], p, n)"],
    );
}

#[test]
fn members_and_elements() {
    check_with_types(
        "int f(table *t, unsigned h) { return t->buckets[h]->next->key; }",
        &["t->buckets[h]", "t->buckets[h]->next", "t->buckets[h]->next->key"],
    );
    check_with_types("int f(table *t) { return t->n; }", &["t->n"]);
    check_with_types(
        "table *g(int); int f(int k) { return g(k)->s.a[1]; }",
        &["g(k)", "g(k)->s.a[1]"],
    );
    check_with_types(
        "int f(table *t, int i) { return t[i].name[i + 1]; }",
        &["t[i].name[i + 1]"],
    );
    check_with_types("int f(table *t, int i) { return t->s.a[i - 1]; }", &["t->s.a[i - 1]"]);
    check_with_types("int f(table *t) { return t->s.u.i; }", &["t->s.u.i"]);
    check_with_types("float f(table *t) { return t->s.u.x; }", &["t->s.u.x"]);
    check_with_types("int f(int i, int j) { return grid[i][j]; }", &["grid[i][j]"]);
    check_with_types(
        "int f(void) { return grid[1][2] + all[1].s.a[2]; }",
        &["grid[1][2]", "all[1].s.a[2]"],
    );
    check_with_types("int f(int i) { return all[i].name[3]; }", &["all[i].name[3]"]);
    check_with_types(
        "int f(int (*rows)[4], int i, int j) { return rows[i][j]; }",
        &["rows[i][j]"],
    );
}

#[test]
fn pointers() {
    check("int f(int *p) { return *p; }", &["*p"]);
    check("int f(int **p) { return **p; }", &["*p", "**p"]);
    check("int f(int *p) { return p[3]; }", &["p[3]"]);
    check("int f(int *p) { return p[-1]; }", &["p[-1]"]);
    check("int f(char *s, int i) { return *(s + i); }", &["s[i]"]);
    check("int f(const char *s) { while (*s) s++; return 0; }", &["*s", "*s != 0"]);
    check_with_types(
        "int f(struct node *p, int k) { while (p && p->key != k) p = p->next; return 0; }",
        &["p != NULL", "p->key", "p->key != k", "p->next"],
    );
}

#[test]
fn stores_name_their_target() {
    check("void f(int *p, int i) { p[i] = 7; }", &["p[i]"]);
    check("int f(int i) { int a[4]; a[i] = 1; return a[0]; }", &["a[i]", "a[0]"]);
    check_with_types("void f(table *t, table *o) { *t = *o; }", &["*t = *o"]);
}

#[test]
fn calls_and_computations() {
    check(
        "int g(int, int *); int f(int a, int b) { int x = 0; return g(a / b, &x); }",
        &["x", "a / b", "g(a / b, &x)"],
    );
    check(
        "int f(int a, int b) { return (a + 1) % (b - 2); }",
        &["(a + 1) % (b - 2)"],
    );
    check("int f(int (*g)(int), int a) { return g(a); }", &["g(a)"]);
    check("void g(const char *); void f(void) { g(\"abc\"); }", &["g(\"abc\")"]);
    check(
        "void *memset(void *, int, unsigned long); void f(char *p, long n) { memset(p, 0, n); }",
        &["memset(p, 0, n)"],
    );
}

#[test]
fn conditions() {
    check(
        "int f(int a, unsigned b) { if (a < 3 && b > 4) return 1; return 0; }",
        &["a < 3 && b > 4"],
    );
    // The front end inverts it, and swaps the edges.
    check(
        "int f(int a, int b) { if (a == 0 || !b) return 1; return 0; }",
        &["a != 0 && b != 0"],
    );
    check(
        "int f(char *s) { if (s[0] == 'x') return 1; return 0; }",
        &["*s", "*s == 'x'"],
    );
    check(
        "int f(int a) { switch (a & 7) { case 1: return 2; case 5: return 3; } return 0; }",
        &["a & 7"],
    );
}

#[test]
fn parts_are_the_integers() {
    let program = program("int f(int *p, int i, unsigned char j) { return p[i + j]; }");
    let id = program.find_function("f").unwrap();
    let code = &program.function(id).code;
    let pc = code.iter().position(|inst| matches!(inst, Inst::Load { .. })).unwrap();
    let expression = program.expression(id, pc as u32).unwrap();
    let parts: Vec<_> = expression
        .parts
        .iter()
        .map(|p| (p.text.as_str(), p.bits, p.signed))
        .collect();
    assert_eq!(parts, [("i", 32, true), ("j", 8, false)]);
    assert_eq!(expression.pointer.as_deref(), Some("p"));
}

#[test]
fn optimised_code_keeps_its_names() {
    let source =
        format!("{TYPES}int f(table *t, long h) {{ return t->buckets[h]->key; }} int main(void) {{ return 0; }}");
    let options = Options {
        cflags: Some(vec!["-O2".into(), "-fno-inline".into()]),
        ..Options::default()
    };
    let program = load_with(&source, &options);
    assert_eq!(expressions(&program, "f"), ["t->buckets[h]", "t->buckets[h]->key"]);
}

#[test]
fn types_as_c_writes_them() {
    let program = program("struct s { int a[2][3]; const char *p[4]; unsigned long n; int (*g)(void); } v;");
    let site = program
        .sites
        .iter()
        .find(|site| site.name.as_deref() == Some("v"))
        .unwrap();
    let Kind::Struct { fields, .. } = program.kind(site.c_type.unwrap().into()) else {
        panic!("a structure")
    };
    let names: Vec<_> = fields
        .iter()
        .map(|field| program.type_name(field.c_type.into()))
        .collect();
    assert_eq!(names, ["int[2][3]", "char *[4]", "unsigned long", "function pointer"]);
    assert_eq!(program.type_name(site.c_type.unwrap().into()), "struct s");
}
