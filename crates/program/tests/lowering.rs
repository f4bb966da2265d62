//! What C constructs are lowered to.

mod common;

use common::{assert_lines, listing, load_with, program};
use mneme_program::*;

#[test]
fn a_variable_whose_address_does_not_escape_is_kept_in_a_slot() {
    let text = listing("int twice(int n) { int m = n; return m + m; }", "twice");
    assert_lines(
        &text,
        &[
            "init %1",
            "slot i32 %1 = %0",
            "slot i32 %2 = %3",
            "%4 = slot i32 %2 \"m\"",
        ],
    );
    assert!(!text.contains("alloca"), "{text}");
}

#[test]
fn a_variable_whose_address_escapes_is_in_memory() {
    let text = listing("void use(int *); int f(void) { int n = 1; use(&n); return n; }", "f");
    assert_lines(
        &text,
        &[
            "%0 = alloca i32 1 * 4 \"n\"",
            "start %0 4",
            "store i32 1, %0",
            "end %0 4",
        ],
    );
}

#[test]
fn a_slot_is_uninitialised_again_when_its_variable_is_declared_again() {
    let source = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { int t; if (i) t = i; s += t; } return s; }";
    let text = listing(source, "f");
    let slot = text.lines().filter(|l| l.trim() == "init %4").count();
    assert!(slot >= 3, "alloca, start and end of the lifetime of t:\n{text}");
}

#[test]
fn a_comparison_is_fused_into_its_branch() {
    let text = listing("int f(int a, int b) { if (a < b) return 1; return 2; }", "f");
    assert!(text.contains("if slt i32 "), "{text}");
}

#[test]
fn a_comparison_with_another_use_is_not_fused() {
    let text = listing("int f(int a, int b) { return a < b; }", "f");
    assert!(text.contains("= slt i32 ") && !text.contains("if "), "{text}");
}

#[test]
fn phi_nodes_are_moves_on_edges() {
    let text = listing("int g(void); int f(int a) { return a && g(); }", "f");
    assert!(
        text.contains("then b1 else b2[%"),
        "the short circuit passes a constant:\n{text}"
    );
    assert!(text.lines().any(|l| l.trim().starts_with("jump b2[%")), "{text}");
}

#[test]
fn a_conjunction_without_side_effects_is_not_a_branch() {
    let text = listing("int f(int a, int b) { return a && b; }", "f");
    assert!(text.contains("select") && !text.contains("if "), "{text}");
}

#[test]
fn phi_nodes_that_swap_are_parallel_moves() {
    let source = "define i32 @main() {\nentry:\n br label %loop\nloop:\n %a = phi i32 [1, %entry], [%b, %loop]\n %b = phi i32 [2, %entry], [%a, %loop]\n %c = icmp eq i32 %a, 2\n br i1 %c, label %out, label %loop\nout:\n ret i32 %b\n}";
    let (_directory, paths) = common::files(&[("swap.ll", source.as_bytes())]);
    let program = load(&paths, &Options::default()).unwrap();
    let text = program.listing("main").unwrap();
    assert!(text.contains("b1[%0 = %1, %1 = %0]"), "{text}");
}

#[test]
fn addresses_are_folded() {
    let source = "struct s { int a; struct { long x, y; } in[4]; };
        long *field(struct s *p) { return &p->in[2].y; }
        int *index(int *p, long i) { return p + i; }
        long *both(struct s *p, long i) { return &p->in[i].y; }";
    assert!(listing(source, "field").contains("+32"), "{}", listing(source, "field"));
    assert!(
        listing(source, "index").contains("+ i64 %5 * 4"),
        "{}",
        listing(source, "index")
    );
    let text = listing(source, "both");
    assert!(text.contains(" * 16"), "{text}");
}

#[test]
fn a_step_and_an_offset_are_one_instruction() {
    let source = "define ptr @f(ptr %p, i32 %i) {\n %q = getelementptr [4 x { i32, i16 }], ptr %p, i64 1, i32 %i, i32 1\n ret ptr %q\n}\ndefine i32 @main() {\n ret i32 0\n}";
    let (_directory, paths) = common::files(&[("gep.ll", source.as_bytes())]);
    let program = load(&paths, &Options::default()).unwrap();
    assert_lines(
        &program.listing("f").unwrap(),
        &["%2 = %0 +36 + i32 %1 * 8", "return %2"],
    );
}

#[test]
fn addresses_of_globals_are_constants() {
    let source = "int table[10]; int *f(void) { return &table[3]; }";
    assert_lines(&listing(source, "f"), &["return @table+12"]);
}

#[test]
fn a_structure_by_value_is_copied_by_the_callee() {
    let source = "struct s { long a[4]; }; long f(struct s v) { return v.a[1]; }
        long g(struct s *p) { return f(*p); }";
    assert_lines(&listing(source, "f"), &["%0 = copy 32 bytes \"v\""]);
    assert!(
        listing(source, "g").contains("call f(byval(32) %"),
        "{}",
        listing(source, "g")
    );
}

#[test]
fn switches_are_sorted_and_share_edges() {
    let source = "int f(int c) { switch (c) { case 7: return 1; case -1: case 3: return 2; } return 0; }";
    let program = program(source);
    let function = program.function(program.find_function("f").unwrap());
    let switch = &function.switches[0];
    let values: Vec<u64> = switch.cases.iter().map(|c| c.0).collect();
    assert_eq!(values, [3, 7, 0xffff_ffff]);
    assert_eq!(switch.cases[0].1, switch.cases[2].1);
}

#[test]
fn variable_arguments_keep_their_types() {
    let source = "int printf(const char *, ...); void f(void) { printf(\"\", 1, 2.0, (char)3, 4L); }";
    let program = program(source);
    let function = program.function(program.find_function("f").unwrap());
    let call = &function.calls[0];
    let types: Vec<String> = call.args.iter().map(|a| a.ty.to_string()).collect();
    assert_eq!(types, ["ptr", "i32", "f64", "i32", "i64"]);
    assert!(call.signature.variadic && call.signature.params.len() == 1);
    assert!(call.args.iter().all(|a| a.leads && a.align == 8));
}

#[test]
fn a_structure_in_registers_is_several_slots() {
    let source = "struct s { long a; double b; }; struct s f(void); double g(void) { return f().b; }";
    let program = program(source);
    let function = program.function(program.find_function("g").unwrap());
    let types: Vec<String> = function.calls[0].results.iter().map(Scalar::to_string).collect();
    assert_eq!(types, ["i64", "f64"]);
}

#[test]
fn integers_that_are_not_whole_bytes_have_zeros_above_them_in_memory() {
    let source = "void f(_BitInt(20) *p, _BitInt(20) v) { *p = v; }\n_BitInt(20) g(_BitInt(20) *p) { return *p; }";
    let text = listing(source, "f");
    assert!(text.contains("store i32") || text.contains("store i24"), "{text}");
    let booleans = "define i1 @f(ptr %p, i1 %b) {\n store i1 %b, ptr %p\n %c = load i1, ptr %p\n ret i1 %c\n}\ndefine i32 @main() {\n ret i32 0\n}";
    let (_directory, paths) = common::files(&[("bool.ll", booleans.as_bytes())]);
    let program = load(&paths, &Options::default()).unwrap();
    let text = program.listing("f").unwrap();
    assert_lines(
        &text,
        &[
            "%3 = zext i1 %1 to i8",
            "store i8 %3, %0",
            "%3 = load i8 %0",
            "%2 = trunc i8 %3 to i1",
        ],
    );
}

#[test]
fn globals_have_bytes_and_addresses() {
    let source = "int a[3] = {1, 0, 0x0203}; struct { char c; int *p; short s; } v = {'x', &a[2], 5};
        int zero[1000]; int far[200] = {[0] = 1, [199] = 2}; int (*f)(void); extern int other; int *o = &other;
        long gap = (char *)&a[2] - (char *)&a[1];";
    let program = program(source);
    let global = |name: &str| program.globals.iter().find(|g| g.name == name).unwrap();
    assert_eq!(
        global("a").init,
        [(0, InitData::Bytes(vec![1, 0, 0, 0, 0, 0, 0, 0, 3, 2, 0, 0]))]
    );
    let a = GlobalId(program.globals.iter().position(|g| g.name == "a").unwrap() as u32);
    let address = InitData::Address(Constant::Global { global: a, offset: 8 });
    assert_eq!(
        global("v").init,
        [
            (0, InitData::Bytes(vec![b'x'])),
            (8, address),
            (16, InitData::Bytes(vec![5, 0]))
        ]
    );
    assert_eq!((global("v").size, global("v").align), (24, 8));
    assert!(global("zero").init.is_empty() && global("zero").size == 4000);
    assert_eq!(global("far").init.len(), 2, "the zeros between are left out");
    assert!(global("other").external && !global("o").external);
    assert_eq!(global("gap").init, [(0, InitData::Bytes(vec![4, 0, 0, 0, 0, 0, 0, 0]))]);
}

#[test]
fn a_difference_of_labels_and_addresses_is_data() {
    let source = "@a = global i32 1\n@b = global i32 2\n@d = global i32 trunc (i64 sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @a to i64)) to i32)\ndefine i32 @main() {\n ret i32 0\n}";
    let (_directory, paths) = common::files(&[("difference.ll", source.as_bytes())]);
    let program = load(&paths, &Options::default()).unwrap();
    let at = |n| Constant::Global {
        global: GlobalId(n),
        offset: 0,
    };
    assert_eq!(
        program.globals[2].init,
        [(
            0,
            InitData::Difference {
                a: at(1),
                b: at(0),
                addend: 0,
                bytes: 4
            }
        )]
    );
}

#[test]
fn constructors_run_by_priority_and_destructors_in_reverse() {
    let source =
        "__attribute__((constructor(300))) void late(void) {} __attribute__((constructor(200))) void early(void) {}
        __attribute__((destructor(200))) void last(void) {} __attribute__((destructor(300))) void first(void) {}";
    let program = program(source);
    let names = |ids: &[FunctionId]| -> Vec<String> { ids.iter().map(|&f| program.function(f).name.clone()).collect() };
    assert_eq!(names(&program.constructors), ["early", "late"]);
    assert_eq!(names(&program.destructors), ["first", "last"]);
}

#[test]
fn debug_information_names_places_and_types() {
    let source = "struct list { int key; struct list *next; unsigned flag : 3; };\nstruct list *head;\nvoid use(void *);\nint f(void) {\n  struct list node[2];\n  use(node);\n  return node[1].key;\n}";
    let program = program(source);
    let function = program.function(program.find_function("f").unwrap());
    assert_eq!((function.source_name.as_deref(), function.loc.line), (Some("f"), 4));
    let site = program
        .sites
        .iter()
        .find(|s| s.name.as_deref() == Some("node"))
        .unwrap();
    assert_eq!((site.kind.clone(), site.loc.line), (SiteKind::Stack, 5));
    assert!(program.files[site.loc.file as usize].ends_with("/test.c"));
    let CType::Array { of, counts } = &program.types[site.c_type.unwrap().index()] else {
        panic!("an array")
    };
    assert_eq!(counts, &[Some(2)]);
    let CType::Struct {
        name,
        bytes,
        fields,
        union: false,
    } = &program.types[of.index()]
    else {
        panic!("a structure")
    };
    assert_eq!((name.as_deref(), *bytes), (Some("list"), 24));
    assert_eq!((fields[2].offset_bits, fields[2].size_bits), (128, 3));
    assert_eq!(
        program.types[fields[1].c_type.index()],
        CType::Pointer { to: *of },
        "types may be cyclic"
    );
    let call = function
        .code
        .iter()
        .position(|i| matches!(i, Inst::Call { .. }))
        .unwrap();
    assert_eq!((function.locs[call].line, function.locs[call].column), (6, 3));
}

#[test]
fn pointers_of_the_small_target_have_32_bits() {
    let source = "long *p; int main(int argc, char **argv) { return sizeof(p) + (argv[argc] == 0); }";
    let program = load_with(
        source,
        &Options {
            target32: true,
            ..Options::default()
        },
    );
    assert_eq!(program.target.pointer_width, 32);
    assert_eq!(program.globals[0].size, 4);
    let main = program.function(program.main.unwrap());
    assert_eq!(
        main.signature.params[1],
        Scalar {
            kind: ScalarKind::Pointer,
            bits: 32
        }
    );
}

#[test]
fn empty_assembly_does_nothing_and_other_assembly_is_named() {
    let hint = listing(
        "int f(int x) { __asm__ volatile(\"\" : \"+r\"(x) : : \"memory\"); return x; }",
        "f",
    );
    assert!(!hint.contains("unsupported"), "{hint}");
    let real = listing(
        "int f(int x) { __asm__ volatile(\"bsf %1, %0\" : \"=r\"(x) : \"r\"(x)); return x; }",
        "f",
    );
    assert!(real.contains("unsupported: inline assembly"), "{real}");
}

#[test]
fn long_double_is_computed_with() {
    let source =
        "void copy(long double *a, long double *b) { *a = *b; } long double add(long double a) { return a + 1; }";
    assert!(
        listing(source, "copy").contains("load x80"),
        "{}",
        listing(source, "copy")
    );
    assert!(listing(source, "add").contains("fadd f80"));
}

#[test]
fn a_weak_declaration_that_nothing_defines_is_null() {
    let source = "extern void maybe(void) __attribute__((weak)); int f(void) { if (maybe) maybe(); return 0; }";
    let text = listing(source, "f");
    assert!(
        text.contains("then b1 else b2") && !text.contains("i64 @maybe"),
        "{text}"
    );
}

#[test]
fn lowering_twice_gives_the_same_program() {
    let source = include_str!("programs/broad.c");
    let once = load_with(source, &Options::default()).to_string();
    assert_eq!(once, load_with(source, &Options::default()).to_string());
}

#[test]
fn optimised_code_is_lowered_too() {
    for level in ["-O2", "-O3"] {
        let cflags = Some(vec![level.to_owned()]);
        let program = load_with(
            include_str!("programs/broad.c"),
            &Options {
                cflags,
                ..Options::default()
            },
        );
        assert!(program.instructions > 0);
    }
}
