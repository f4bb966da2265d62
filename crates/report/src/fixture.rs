//! Tests of functions as C (symMMU, section 5.7.2): a file that rebuilds the objects that a function is given, calls it,
//! and prints what it returns and what the objects hold then. It needs a C compiler and nothing of Mneme.
//!
//! A pointer is printed by the object it refers to, never as a number. Objects are allocated on the heap, one block each,
//! so that a sanitizer sees where they end; where the path depends on the address of one, its low bits are the same.

use mneme_finding::{Argument, Call, Given, Home, Kind, Passed, Target};
use std::fmt::Write;

/// Where the function comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The file that defines it, which becomes part of the test: what is `static` in it can be reached.
    Source(String),
    /// These headers declare it, and it is linked from elsewhere.
    Headers(Vec<String>),
}

/// What every file begins with, behind the function itself.
const HELPERS: &str = include_str!("fixture.c");

/// A file with these calls of one function; the number that its command line names says which is made, else the first.
pub fn fixture(tests: &[(u64, &Call)], unit: &Unit) -> String {
    let mut out = String::new();
    match unit {
        Unit::Source(file) => {
            let _ = writeln!(
                out,
                "#define main mneme_program_main\n#include \"{file}\"\n#undef main\n"
            );
        }
        Unit::Headers(headers) => {
            for header in headers {
                let _ = writeln!(out, "#include <{header}>");
            }
        }
    }
    out.push_str(HELPERS);
    for (number, call) in tests {
        test(&mut out, *number, call);
    }
    let first = tests.first().map_or(0, |(number, _)| *number);
    let _ = writeln!(
        out,
        "\nint main(int argc, char **argv) {{\n  switch (argc > 1 ? atoi(argv[1]) : {first}) {{"
    );
    for (number, _) in tests {
        let _ = writeln!(out, "  case {number}:\n    test_{number}();\n    break;");
    }
    out.push_str("  }\n  return fflush(stdout);\n}\n");
    out
}

fn test(out: &mut String, number: u64, call: &Call) {
    let _ = writeln!(out, "\nstatic void test_{number}(void) {{");
    let count = call.objects.len();
    let _ = writeln!(out, "  static struct mneme_object all[{}];", count.max(1));
    for argument in &call.arguments {
        if let Passed::Structure(index) = argument.value {
            let _ = writeln!(out, "  static {} structure_{index};", argument.c_type);
        }
    }
    for (index, object) in call.objects.iter().enumerate() {
        declare(out, index, object);
    }
    for (index, object) in call.objects.iter().enumerate() {
        for (offset, target) in &object.pointers {
            let _ = writeln!(out, "  mneme_point(&all[{index}], {offset}, {});", address(*target));
        }
    }
    let _ = writeln!(out, "  mneme_all = all;\n  mneme_count = {count};");
    let arguments: Vec<String> = call.arguments.iter().map(value).collect();
    let called = format!("{}({})", call.function, arguments.join(", "));
    match call.result {
        Kind::Nothing => {
            let _ = writeln!(out, "  {called};");
        }
        Kind::Number { .. } => {
            let _ = writeln!(out, "  __auto_type result = {called};");
            let _ = writeln!(out, "  mneme_tell_number(&result, sizeof result);");
        }
        Kind::Pointer => {
            let _ = writeln!(out, "  const void *result = (const void *){called};");
            let _ = writeln!(
                out,
                "  printf(\"returned \");\n  mneme_tell(result);\n  printf(\"\\n\");"
            );
        }
    }
    for (index, object) in call.objects.iter().enumerate() {
        if object.remains && object.home != Home::Argument {
            let _ = writeln!(out, "  mneme_show(&all[{index}]);");
        }
    }
    out.push_str("}\n");
}

/// An object with its bytes, still without its pointers.
fn declare(out: &mut String, index: usize, object: &Given) {
    let bytes: Vec<String> = object.bytes.iter().map(u8::to_string).collect();
    let pointers: Vec<String> = object.pointers.iter().map(|(offset, _)| offset.to_string()).collect();
    let _ = writeln!(
        out,
        "  static const unsigned char bytes_{index}[] = {{{}}};",
        bytes.join(", ")
    );
    let _ = writeln!(
        out,
        "  static const size_t pointers_{index}[] = {{{}}};",
        if pointers.is_empty() {
            "0".into()
        } else {
            pointers.join(", ")
        }
    );
    let size = object.bytes.len();
    let place = match object.home {
        Home::Heap => match object.low {
            Some(low) => format!("mneme_place({size}, {low})"),
            None => format!("malloc({size})"),
        },
        Home::Variable => format!("(void *)&{}", object.name),
        Home::Argument => format!("(void *)&structure_{index}"),
    };
    let _ = writeln!(
        out,
        "  mneme_make(&all[{index}], \"{}\", {place}, bytes_{index}, {size}, pointers_{index}, {});",
        object.name,
        object.pointers.len()
    );
}

/// A pointer as an expression of type `void *`.
fn address(target: Target) -> String {
    match target {
        Target::Null => "NULL".into(),
        Target::Object(index, 0) => format!("all[{index}].at"),
        Target::Object(index, offset) => format!("all[{index}].at + {offset}"),
        Target::Code => "(void *)mneme_code".into(),
        Target::Elsewhere => "mneme_elsewhere".into(),
    }
}

fn value(argument: &Argument) -> String {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
    match &argument.value {
        Passed::Pointer(target) => format!("(void *)({})", address(*target)),
        Passed::Structure(index) => format!("structure_{index}"),
        Passed::Number(bytes) => format!("(uint{}_t){:#x}u", 8 * bytes.len().next_power_of_two(), number(bytes)),
        Passed::Float(bytes) if bytes.len() == 4 => format!("mneme_float({:#x}u)", number(bytes)),
        Passed::Float(bytes) => format!("mneme_double({:#x}u)", number(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Call {
        let node = |name: &str, next| Given {
            name: name.into(),
            home: Home::Heap,
            bytes: vec![7; 16],
            pointers: vec![(8, next)],
            low: None,
            text: String::new(),
            remains: true,
        };
        Call {
            function: "last".into(),
            arguments: vec![Argument {
                name: "p".into(),
                c_type: "struct node *".into(),
                value: Passed::Pointer(Target::Object(0, 0)),
                text: String::new(),
            }],
            objects: vec![node("p", Target::Object(1, 0)), node("p->next", Target::Null)],
            result: Kind::Pointer,
            ..Call::default()
        }
    }

    /// The file compiles with a plain C compiler, and prints what was predicted.
    #[test]
    fn a_fixture_is_plain_c() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("list.c");
        std::fs::write(
            &source,
            "struct node { int v[2]; struct node *next; };\n\
             static struct node *last(struct node *p) { while (p->next) p = p->next; p->v[0] = 1; return p; }\n\
             int main(void) { return 1; }\n",
        )
        .unwrap();
        let call = list();
        let text = fixture(&[(4, &call)], &Unit::Source(source.display().to_string()));
        let file = dir.path().join("fixture.c");
        std::fs::write(&file, &text).unwrap();
        let binary = dir.path().join("fixture");
        let output = std::process::Command::new("cc")
            .args(["-Wall", "-Werror", "-Wno-unused-function", "-o"])
            .arg(&binary)
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let output = std::process::Command::new(&binary).arg("4").output().unwrap();
        let seven = " 07".repeat(8);
        let expected = format!("returned <p->next>\np:{seven} <p->next>\np->next: 01 00 00 00 07 07 07 07 <NULL>\n");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert!(output.status.success());
    }
}
