//! Random C programs, and runs of them that are listened to.

#![allow(dead_code, reason = "each test uses a part of it")]

use mneme_engine::{Frontier, Future, Novelty, Observer, Options, SeedTest, Stats, TestCase, explore};
use mneme_finding::{Finding, Location};
use mneme_memory::objects::Objects;
use mneme_program::Program;
use mneme_solver::{ChainOptions, chain};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const BEFORE: &str = "
void klee_make_symbolic(void *, unsigned long, const char *);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void free(void *);
static int sum(int n, ...) {
    __builtin_va_list list;
    int all = 0;
    __builtin_va_start(list, n);
    while (n-- > 0)
        all += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return all;
}
static unsigned char table[6] = {3, 1, 4, 1, 5, 9};
int main(void) {
    unsigned char in[2];
    klee_make_symbolic(&in[0], 1, \"x\");
    klee_make_symbolic(&in[1], 1, \"y\");
    int r = 0, one = 1, *which[3] = {&r, &one, 0};
    unsigned char *block = malloc(2);
    if (!block)
        return 77;
    block[0] = block[1] = 0;
";
/// How a program ends.
#[derive(Copy, Clone)]
pub enum Exit {
    /// With one result for each path.
    Result,
    /// With a path for each result, of which there are eight.
    EachResult,
}

impl Exit {
    pub fn text(self) -> &'static str {
        match self {
            Exit::Result => "return r & 0xff;\n",
            Exit::EachResult => {
                "switch (r & 7) {
                    case 0: return 0;
                    case 1: return 1;
                    case 2: return 2;
                    case 3: return 3;
                    case 4: return 4;
                    case 5: return 5;
                    case 6: return 6;
                    default: return 7;
                }\n"
            }
        }
    }
}

/// A statement of a program that decides by its inputs.
#[derive(Clone, Debug)]
pub enum Statement {
    If(u8, u8, Vec<Statement>, Vec<Statement>),
    Switch(u8, Vec<Statement>),
    /// Out of bounds for some inputs.
    Look(u8, u8),
    /// Null for some inputs.
    Through(u8, u8),
    Repeat(u8, Vec<Statement>),
    Grow(u8, u8),
    Sum(u8),
    Trap(u8, u8),
}

pub fn statement() -> impl Strategy<Value = Statement> {
    let input = 0..2u8;
    let leaf = prop_oneof![
        (input.clone(), 4..8u8).prop_map(|(i, n)| Statement::Look(i, n)),
        (input.clone(), 2..4u8).prop_map(|(i, n)| Statement::Through(i, n)),
        (input.clone(), 1..4u8).prop_map(|(i, n)| Statement::Grow(i, n)),
        input.clone().prop_map(Statement::Sum),
        (input.clone(), any::<u8>()).prop_map(|(i, n)| Statement::Trap(i, n)),
    ];
    leaf.prop_recursive(3, 10, 3, move |inner| {
        let some = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            (0..2u8, any::<u8>(), some(), some()).prop_map(|(i, n, yes, no)| Statement::If(i, n, yes, no)),
            (0..2u8, some()).prop_map(|(i, ways)| Statement::Switch(i, ways)),
            (0..2u8, some()).prop_map(|(i, body)| Statement::Repeat(i, body)),
        ]
    })
}

fn write_all(out: &mut String, statements: &[Statement]) {
    statements.iter().for_each(|statement| write_one(out, statement));
}

fn write_one(out: &mut String, statement: &Statement) {
    match statement {
        Statement::If(i, n, yes, no) => {
            _ = writeln!(out, "if (in[{i}] < {n}) {{ r++;");
            write_all(out, yes);
            out.push_str("} else {\n");
            write_all(out, no);
            out.push_str("}\n");
        }
        Statement::Switch(i, ways) => {
            _ = writeln!(out, "switch (in[{i}] >> 5) {{");
            for (n, way) in ways.iter().enumerate() {
                _ = writeln!(out, "case {}: r += {};", 2 * n, n + 2);
                write_one(out, way);
                out.push_str("break;\n");
            }
            out.push_str("default: r += 9; }\n");
        }
        Statement::Look(i, n) => _ = writeln!(out, "r += table[in[{i}] % {n}];"),
        Statement::Through(i, n) => _ = writeln!(out, "r += *which[in[{i}] % {n}];"),
        Statement::Repeat(i, body) => {
            _ = writeln!(out, "for (int k = 0; k < in[{i}] % 3; k++) {{ r++;");
            write_all(out, body);
            out.push_str("}\n");
        }
        Statement::Grow(i, n) => {
            _ = writeln!(out, "{{ unsigned char *more = realloc(block, 2 + in[{i}] % {n});");
            out.push_str("if (!more) { free(block); return 78; } block = more; r += block[1]; }\n");
        }
        Statement::Sum(i) => _ = writeln!(out, "r += sum(2, in[{i}], 3);"),
        Statement::Trap(i, n) => _ = writeln!(out, "if (in[{i}] == {n}) __builtin_trap();"),
    }
}

pub fn program(statements: &[Statement], exit: Exit) -> Program {
    let mut text = BEFORE.to_string();
    write_all(&mut text, statements);
    text.push_str("free(block);\n");
    text.push_str(exit.text());
    text.push_str("}\n");
    compile(&text)
}

pub fn compile(text: &str) -> Program {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("program.c");
    std::fs::write(&file, text).expect("it can be written");
    mneme_program::load(&[file], &mneme_program::Options::default()).expect("clang accepts it")
}

#[derive(Default)]
pub struct Heard {
    /// How often each path was completed.
    pub completed: BTreeMap<u64, u32>,
    pub tests: Vec<SeedTest>,
    /// Rule and line of each finding.
    pub found: BTreeSet<(String, u32)>,
    pub saved: Option<Frontier>,
}

impl Observer for Heard {
    fn completed(&mut self, test: &TestCase) {
        *self.completed.entry(test.path).or_default() += 1;
        self.tests.push(test.inputs.clone());
    }
    fn found(&mut self, finding: &Finding, test: &TestCase, _: Novelty) {
        self.found.insert((finding.rule.to_string(), finding.location.line));
        self.tests.push(test.inputs.clone());
    }
    fn unfinished(&mut self, _: &TestCase, _: &str, _: Future) {}
    fn caught_up(&mut self) {}
    fn stopped(&mut self, _: &str, _: Option<&Location>) {}
    fn save(&mut self, frontier: &Frontier) {
        self.saved = Some(frontier.clone());
    }
    fn output(&mut self, _: u64, _: &[u8]) {}
}

pub fn run(program: &Program, options: &Options, heard: &mut Heard) -> Stats {
    let solver = chain(&ChainOptions::default()).expect("a solver");
    explore::<Objects>(program, options, &Default::default(), solver, heard).expect("the globals fit")
}
