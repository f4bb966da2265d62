//! Tests of functions as C (symMMU, section 5.7.2): a file that rebuilds the objects that a function is given, calls
//! it, and prints what it returns and what the objects hold then. It needs a C compiler and nothing of Mneme.
//!
//! A pointer is printed by the object it refers to, never as a number. Objects are allocated on the heap, one block
//! each, so that a sanitizer sees where they end; where the path depends on their addresses, their low bits and their
//! order are the same.

use mneme_finding::{Argument, Call, Given, Home, Kind, Passed, Target};
use std::fmt::Write;

/// Where the function comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The file that defines it, which becomes part of the test: what is `static` in it can be reached.
    Source(String),
    /// Another file that defines it.
    OtherSource(String),
    /// It is linked from elsewhere. These headers declare it; if there are none, the test itself does, with types that
    /// the machine passes alike. So it needs to know nothing of the library.
    Library { headers: Vec<String> },
}

/// What every file begins with, behind the function itself.
const HELPERS: &str = include_str!("fixture.c");

/// A file with these calls of functions, which are of one library; the number that its command line names says which is
/// made, else the first.
pub fn fixture(tests: &[(u64, &Call)], unit: &Unit) -> String {
    let mut out = String::new();
    match unit {
        Unit::Source(file) | Unit::OtherSource(file) => {
            let _ = writeln!(out, "#define main {PROGRAM_MAIN}\n#include \"{file}\"\n#undef main\n");
        }
        Unit::Library { headers } => {
            for header in headers {
                let _ = writeln!(out, "#include <{header}>");
            }
        }
    }
    out.push_str(HELPERS);
    let mut declared = None;
    if let Some((_, call)) = tests.first() {
        match unit {
            Unit::Source(_) => {}
            Unit::Library { headers } if headers.is_empty() => {
                declare_function(&mut out, call);
                declared = Some(FOREIGN);
            }
            Unit::OtherSource(_) | Unit::Library { .. } => check_widths(&mut out, call),
        }
    }
    for (number, call) in tests {
        let name = match (declared, &*call.function) {
            (Some(name), _) => name,
            (None, "main") => PROGRAM_MAIN,
            (None, name) => name,
        };
        test(&mut out, *number, call, name);
    }
    let first = tests.first().map_or(0, |(number, _)| *number);
    let _ = writeln!(
        out,
        "\nint main(int argc, char **argv) {{\n  switch (argc > 1 ? atoi(argv[1]) : {first}) {{"
    );
    for (number, _) in tests {
        let _ = writeln!(out, "  case {number}:\n    mneme_test_{number}();\n    break;");
    }
    out.push_str("  }\n  return fflush(stdout);\n}\n");
    out
}

/// What `main` of the source is called, since the fixture has one, too.
const PROGRAM_MAIN: &str = "mneme_program_main";
/// What a function is called that no header declares: a compiler may know its own name, and what it does.
const FOREIGN: &str = "mneme_function";
/// What a compiler complains of where a structure has another width than in the source that the tests were made from.
pub const OTHER_WIDTH: &str = "mneme: another width";

/// Declares a function by what the machine passes.
fn declare_function(out: &mut String, call: &Call) {
    let result = match call.result {
        Kind::Nothing => "void".into(),
        Kind::Number { bytes } => format!("uint{}_t", 8 * bytes.next_power_of_two()),
        Kind::Float { bytes: 4 } => "float".into(),
        Kind::Float { .. } => "double".into(),
        Kind::Pointer => "const void *".into(),
    };
    let parameter = |argument: &Argument| match &argument.value {
        Passed::Pointer(_) => "void *".into(),
        Passed::Structure(_) => argument.c_type.clone(),
        Passed::Float(bytes) if bytes.len() == 4 => "float".into(),
        Passed::Float(bytes) if bytes.len() > 8 => "long double".into(),
        Passed::Float(_) => "double".into(),
        Passed::Number(bytes) => number_type(bytes, argument.signed),
    };
    let mut parameters: Vec<String> = call.arguments.iter().map(parameter).collect();
    if parameters.is_empty() {
        parameters.push("void".into());
    }
    let _ = writeln!(
        out,
        "\n{result} {FOREIGN}({}) __asm__(\"{}\");",
        parameters.join(", "),
        call.function
    );
}

/// Structures must be as wide here as where the tests were made.
fn check_widths(out: &mut String, call: &Call) {
    for argument in &call.arguments {
        let Some(bytes) = argument.structure.filter(|&bytes| bytes > 0) else {
            continue;
        };
        let c_type = &argument.c_type;
        let of = match argument.value {
            Passed::Pointer(_) => format!("*({c_type})0"),
            _ => c_type.clone(),
        };
        let _ = writeln!(out, "\n_Static_assert(sizeof({of}) == {bytes}, \"{OTHER_WIDTH}\");");
    }
}

fn number_type(bytes: &[u8], signed: bool) -> String {
    let sign = if signed { "" } else { "u" };
    format!("{sign}int{}_t", 8 * bytes.len().next_power_of_two())
}

fn test(out: &mut String, number: u64, call: &Call, name: &str) {
    let _ = writeln!(out, "\nstatic void mneme_test_{number}(void) {{");
    let count = call.objects.len();
    let _ = writeln!(out, "  static struct mneme_object mneme_given[{}];", count.max(1));
    for argument in &call.arguments {
        if let Passed::Structure(index) = argument.value {
            let _ = writeln!(out, "  static {} mneme_structure_{index};", argument.c_type);
        }
    }
    // Where the path depends on addresses, blocks are made from the first to the last.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&index| placed(&call.objects[index]));
    let mut before = None;
    for index in order {
        let object = &call.objects[index];
        declare(out, index, object, before);
        before = placed(object).map(|_| index).or(before);
    }
    for (index, object) in call.objects.iter().enumerate() {
        for (offset, target) in &object.pointers {
            let _ = writeln!(
                out,
                "  mneme_point(&mneme_given[{index}], {offset}, {});",
                address(*target)
            );
        }
    }
    let _ = writeln!(out, "  mneme_all = mneme_given;\n  mneme_count = {count};");
    if !call.returns.is_empty() {
        let values: Vec<String> = call.returns.iter().map(returned).collect();
        let _ = writeln!(out, "  const uint64_t mneme_values[] = {{{}}};", values.join(", "));
        let _ = writeln!(
            out,
            "  mneme_returns = mneme_values;\n  mneme_calls = {};",
            values.len()
        );
    }
    let arguments: Vec<String> = call.arguments.iter().map(value).collect();
    let called = format!("{name}({})", arguments.join(", "));
    match call.result {
        Kind::Nothing => {
            let _ = writeln!(out, "  {called};");
        }
        Kind::Number { .. } | Kind::Float { .. } => {
            let _ = writeln!(out, "  __auto_type mneme_result = {called};");
            let _ = writeln!(out, "  mneme_tell_number(&mneme_result, sizeof mneme_result);");
        }
        Kind::Pointer => {
            let _ = writeln!(out, "  const void *mneme_result = (const void *){called};");
            let _ = writeln!(
                out,
                "  printf(\"returned \");\n  mneme_tell(mneme_result);\n  printf(\"\\n\");"
            );
        }
    }
    for (index, object) in call.objects.iter().enumerate() {
        if object.remains && object.home != Home::Argument {
            let _ = writeln!(out, "  mneme_show(&mneme_given[{index}]);");
        }
    }
    out.push_str("}\n");
}

/// The address of a block, if it matters.
fn placed(object: &Given) -> Option<u64> {
    object.address.filter(|_| object.home == Home::Heap)
}

/// Bytes of a page: a test can choose the low bits of an address.
const PAGE: u64 = 4096;

/// An object with its bytes, still without its pointers. If its address matters, it is behind another one.
fn declare(out: &mut String, index: usize, object: &Given, before: Option<usize>) {
    let bytes: Vec<String> = object.bytes.iter().map(u8::to_string).collect();
    let pointers: Vec<String> = object.pointers.iter().map(|(offset, _)| offset.to_string()).collect();
    let _ = writeln!(
        out,
        "  static const unsigned char mneme_bytes_{index}[] = {{{}}};",
        bytes.join(", ")
    );
    let _ = writeln!(
        out,
        "  static const size_t mneme_pointers_{index}[] = {{{}}};",
        if pointers.is_empty() {
            "0".into()
        } else {
            pointers.join(", ")
        }
    );
    let size = object.bytes.len();
    let place = match object.home {
        Home::Heap => match (object.address, before) {
            (None, _) => format!("malloc({size})"),
            (Some(address), None) => format!("mneme_place({size}, {}, NULL)", address % PAGE),
            (Some(address), Some(before)) => format!("mneme_place({size}, {}, &mneme_given[{before}])", address % PAGE),
        },
        Home::Variable => format!("(void *)&{}", object.name),
        Home::Argument => format!("(void *)&mneme_structure_{index}"),
    };
    let _ = writeln!(
        out,
        "  mneme_make(&mneme_given[{index}], \"{}\", {place}, mneme_bytes_{index}, {size}, mneme_pointers_{index}, {});",
        object.name,
        object.pointers.len()
    );
}

/// A pointer as an expression of type `void *`.
fn address(target: Target) -> String {
    match target {
        Target::Null => "NULL".into(),
        Target::Object(index, 0) => format!("mneme_given[{index}].at"),
        Target::Object(index, offset) => format!("mneme_given[{index}].at + {offset}"),
        Target::Code => "(void *)mneme_code".into(),
        Target::Elsewhere => "mneme_elsewhere".into(),
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte))
}

/// What a function that is passed returns, as the bits of a register.
fn returned(value: &Passed) -> String {
    match value {
        Passed::Pointer(target) => format!("(uintptr_t)({})", address(*target)),
        Passed::Number(bytes) | Passed::Float(bytes) => format!("{:#x}u", number(bytes)),
        Passed::Structure(_) => "0".into(),
    }
}

fn value(argument: &Argument) -> String {
    match &argument.value {
        Passed::Pointer(target) => format!("(void *)({})", address(*target)),
        Passed::Structure(index) => format!("mneme_structure_{index}"),
        Passed::Number(bytes) => format!("({}){:#x}u", number_type(bytes, argument.signed), number(bytes)),
        Passed::Float(bytes) if bytes.len() == 4 => format!("mneme_float({:#x}u)", number(bytes)),
        Passed::Float(bytes) if bytes.len() > 8 => {
            let (low, high) = bytes.split_at(8);
            format!("mneme_extended({:#x}u, {:#x}u)", number(low), number(high))
        }
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
            address: None,
            text: String::new(),
            remains: true,
        };
        Call {
            function: "last".into(),
            arguments: vec![Argument {
                name: "p".into(),
                c_type: "struct node *".into(),
                value: Passed::Pointer(Target::Object(0, 0)),
                structure: Some(16),
                signed: false,
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
        let program = Call {
            function: "main".into(),
            result: Kind::Number { bytes: 4 },
            ..Call::default()
        };
        let text = fixture(
            &[(4, &call), (5, &program)],
            &Unit::Source(source.display().to_string()),
        );
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
        // Another function of the same file.
        let output = std::process::Command::new(&binary).arg("5").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "returned 0x00000001\n");
    }

    /// A function of a library is called by its name alone; a narrow number is extended as its type says.
    #[test]
    fn a_function_of_a_library_needs_no_header() {
        let number = |bytes: &[u8], signed| Argument {
            c_type: "any_name".into(),
            value: Passed::Number(bytes.to_vec()),
            structure: None,
            signed,
            ..list().arguments[0].clone()
        };
        let call = Call {
            function: "f".into(),
            arguments: vec![number(&[0xfe, 0xff], true), number(&[7], false)],
            result: Kind::Float { bytes: 4 },
            ..Call::default()
        };
        let text = fixture(&[(1, &call)], &Unit::Library { headers: Vec::new() });
        assert!(
            text.contains("float mneme_function(int16_t, uint8_t) __asm__(\"f\");"),
            "{text}"
        );
        assert!(
            text.contains("mneme_function((int16_t)0xfffeu, (uint8_t)0x7u)"),
            "{text}"
        );
    }
}
