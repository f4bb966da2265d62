//! The text of simplified terms and that of the plain expressions mean the same to Z3, where it is installed.

use mneme_term::testing::{BASES, Expr, Gen, test_base};
use mneme_term::{Sort, Symbol, SymbolKind, Terms, address_range};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Asks whether the built term can differ from the expression it was built from.
fn script(terms: &mut Terms, expr: &Expr) -> String {
    let term = expr.build(terms);
    let result = terms.symbol_id(Symbol {
        name: "result".into(),
        kind: SymbolKind::Fresh,
        sort: Sort::Bits(expr.width()),
    });
    let result = terms.symbol(result);
    let equal = terms.eq(result, term);
    let mut text = terms
        .smtlib(&[equal])
        .replace("(set-logic QF_AUFBV)", "(set-logic ALL)")
        .replace("(check-sat)\n", "");
    let declarations = expr.smtlib_declarations();
    for line in declarations
        .lines()
        .filter(|line| !text.lines().any(|known| known == *line))
        .collect::<Vec<_>>()
    {
        writeln!(text, "{line}").expect("strings grow");
    }
    let (low, high) = address_range(64).expect("64 bits");
    let used: Vec<u32> = (0..BASES)
        .filter(|i| text.contains(&format!("declare-const base!{i} ")))
        .collect();
    for &i in &used {
        writeln!(
            text,
            "(assert (bvule #x{low:016x} base!{i}))\n(assert (bvule base!{i} #x{high:016x}))"
        )
        .expect("strings grow");
        let align = test_base(i).align;
        writeln!(text, "(assert (= (bvurem base!{i} #x{align:016x}) #x0000000000000000))").expect("strings grow");
        for j in used.iter().filter(|&&j| j < i) {
            writeln!(text, "(assert (distinct base!{i} base!{j}))").expect("strings grow");
        }
    }
    writeln!(text, "(assert (distinct result {}))\n(check-sat)", expr.smtlib()).expect("strings grow");
    text
}

fn z3(script: &str) -> Option<String> {
    let mut child = Command::new("z3")
        .args(["-in", "-t:2000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().expect("piped").write_all(script.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn z3_finds_no_difference() {
    let factor: u64 = std::env::var("MNEME_TEST_FACTOR").map_or(1, |n| n.parse().expect("a number"));
    let mut decided = 0;
    let count = 100 * factor;
    for seed in 0..count {
        let width = [1, 8, 32, 64, 65][seed as usize % 5];
        let mut generator = Gen::new(seed << 20 | 9);
        generator.expr(width, 2);
        let expr = generator.expr(width, 3);
        let mut terms = Terms::new(64);
        let script = script(&mut terms, &expr);
        let Some(answer) = z3(&script) else { return };
        assert!(
            !answer.contains("error") && !answer.starts_with("sat"),
            "seed {seed}: {answer}\n{script}"
        );
        decided += answer.starts_with("unsat") as u64;
    }
    assert!(decided * 4 > count * 3, "Z3 decided only {decided} of {count}");
}
