//! The rules of `mneme-term` against Z3: what the constructors make of a random expression equals the expression as
//! written.
//!
//! `MNEME_FUZZ_CASES` sets the number of cases, `MNEME_FUZZ_SEED` where they start. Needs the `z3` command; without it
//! nothing is tested, and the test says so.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mneme_term::testing::{BASES, Gen, test_base};
use mneme_term::{Sort, Symbol, SymbolKind, Terms, address_range};

struct Oracle {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    fn start() -> Option<Oracle> {
        let mut child = Command::new("z3")
            .arg("-in")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Oracle { child, input, output })
    }

    fn verdict(&mut self, script: &str) -> String {
        // The memory of one process grows; a reset between cases keeps it small.
        write!(self.input, "(reset)\n(set-option :timeout 400)\n{script}").expect("z3 takes the script");
        self.input.flush().expect("z3 takes the script");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("z3 answers");
        line.trim().to_string()
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// What every layout guarantees about the bases.
fn layout(pointer_width: u32) -> String {
    let (low, high) = address_range(pointer_width).expect("a supported pointer width");
    let mut text = String::new();
    for i in 0..BASES {
        let align = test_base(i).align;
        write!(
            text,
            "(assert (and (bvuge base!{i} (_ bv{low} {pointer_width})) (bvule base!{i} (_ bv{high} {pointer_width})) \
             (= (bvurem base!{i} (_ bv{align} {pointer_width})) (_ bv0 {pointer_width}))))"
        )
        .expect("strings grow");
    }
    let names: Vec<String> = (0..BASES).map(|i| format!("base!{i}")).collect();
    writeln!(text, "(assert (distinct {}))", names.join(" ")).expect("strings grow");
    text
}

/// A script that is satisfiable if the rules changed the meaning of the expression.
fn script(seed: u64, width: u32, depth: u32) -> String {
    let mut terms = Terms::new(64);
    for i in 0..BASES {
        terms.base_id(test_base(i));
    }
    let expr = Gen::new(seed).expr(width, depth);
    let term = expr.build(&mut terms);
    let name = "result!".to_string();
    let result = terms.symbol_id(Symbol {
        name,
        kind: SymbolKind::Fresh,
        sort: Sort::Bits(width),
    });
    let result = terms.symbol(result);
    let same = terms.eq(result, term);
    let simplified = terms.smtlib(&[same]);
    let mut declarations = expr.smtlib_declarations();
    for i in 0..BASES {
        let line = format!("(declare-const base!{i} (_ BitVec 64))\n");
        if !declarations.contains(&line) {
            declarations.push_str(&line);
        }
    }
    let mut text = String::from("(set-logic ALL)\n");
    text.push_str(&declarations);
    for line in simplified.lines() {
        let declared = line.starts_with("(declare") && declarations.contains(line);
        if !declared && !line.starts_with("(set-logic") && !line.starts_with("(check-sat") {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.push_str(&layout(64));
    writeln!(text, "(assert (not (= result! {})))\n(check-sat)", expr.smtlib()).expect("strings grow");
    text
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

#[test]
fn simplified_terms_equal_what_was_written() {
    let Some(mut oracle) = Oracle::start() else {
        eprintln!("skipped: there is no `z3` command");
        return;
    };
    let (cases, first) = (setting("MNEME_FUZZ_CASES", 400), setting("MNEME_FUZZ_SEED", 1));
    let (mut decided, mut wrong) = (0, Vec::new());
    for case in first..first + cases {
        let width = [1, 8, 32, 64, 65, 128][case as usize % 6];
        let depth = 1 + (case / 6 % 3) as u32;
        let script = script(case, width, depth);
        match oracle.verdict(&script).as_str() {
            "unsat" => decided += 1,
            "unknown" | "timeout" => {}
            "sat" => {
                let path = std::env::temp_dir().join(format!("mneme-rule-{case}.smt2"));
                std::fs::write(&path, &script).expect("the temporary directory can be written");
                eprintln!(
                    "case {case} (width {width}, depth {depth}) changes its meaning: {}",
                    path.display()
                );
                wrong.push(case);
            }
            other => panic!("case {case}: z3 says {other}\n{script}"),
        }
    }
    println!("{decided} of {cases} cases decided");
    assert!(wrong.is_empty(), "rules changed the meaning of cases {wrong:?}");
    assert!(decided * 2 > cases, "only {decided} of {cases} cases were decided");
}
