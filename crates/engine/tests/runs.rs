//! Laws of runs, on random programs: a run that starts from seeds, and one that is cut short and resumed again and
//! again, take the same paths as a plain one.

use mneme_engine::{Frontier, MergeOptions, Mode, Novelty, Observer};
use mneme_engine::{Options, SeedTest, Stats, TestCase, explore};
use mneme_finding::{Finding, Location};
use mneme_memory::objects::Objects;
use mneme_program::Program;
use mneme_solver::{ChainOptions, chain};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

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
const AFTER: &str = "    free(block);\n    return r & 0xff;\n}\n";

/// A statement of a program that decides by its inputs.
#[derive(Clone, Debug)]
enum Statement {
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

fn statement() -> impl Strategy<Value = Statement> {
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

fn compile(statements: &[Statement]) -> Program {
    let mut text = BEFORE.to_string();
    write_all(&mut text, statements);
    text.push_str(AFTER);
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("program.c");
    std::fs::write(&file, text).expect("it can be written");
    mneme_program::load(&[file], &mneme_program::Options::default()).expect("clang accepts it")
}

#[derive(Default)]
struct Heard {
    /// How often each path was completed.
    completed: BTreeMap<u64, u32>,
    tests: Vec<SeedTest>,
    saved: Option<Frontier>,
}

impl Observer for Heard {
    fn completed(&mut self, test: &TestCase) {
        *self.completed.entry(test.path).or_default() += 1;
        self.tests.push(test.inputs.clone());
    }
    fn found(&mut self, _: &Finding, test: &TestCase, _: Novelty) {
        self.tests.push(test.inputs.clone());
    }
    fn stopped(&mut self, _: &str, _: Option<&Location>) {}
    fn save(&mut self, frontier: &Frontier) {
        self.saved = Some(frontier.clone());
    }
    fn output(&mut self, _: u64, _: &[u8]) {}
}

fn run(program: &Program, options: &Options, heard: &mut Heard) -> Stats {
    let solver = chain(&ChainOptions::default()).expect("a solver");
    explore::<Objects>(program, options, &Default::default(), solver, heard).expect("the globals fit")
}

/// What has to agree. An exit code may depend on the inputs, which are examples.
fn figures(stats: &Stats) -> impl PartialEq + std::fmt::Debug + use<> {
    let ends = (stats.paths.completed, stats.paths.faulted, stats.paths.excluded);
    (ends, stats.paths.stop_reasons.clone(), stats.forks, stats.concretised)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn seeds_and_resuming_change_nothing(
        statements in prop::collection::vec(statement(), 1..5),
        may_fail: bool,
        share in 100..2000u64,
    ) {
        let program = compile(&statements);
        // A run that is cut while states wait for each other starts that again, and would never end with a small share.
        let merge = MergeOptions { mode: Mode::None, ..MergeOptions::default() };
        let options = Options { malloc_may_fail: may_fail, merge, ..Options::default() };
        let mut plain = Heard::default();
        let expected = run(&program, &options, &mut plain);
        prop_assert!(plain.completed.values().all(|&times| times == 1));

        let mut seeded = Heard::default();
        let seeds = plain.tests.iter().step_by(2).cloned().collect();
        let stats = run(&program, &Options { seeds, ..options.clone() }, &mut seeded);
        prop_assert_eq!(figures(&stats), figures(&expected), "with seeds");
        prop_assert_eq!(&seeded.completed, &plain.completed, "with seeds");

        let mut pieces = Heard::default();
        let mut cut = Options {
            max_instructions: Some(share),
            save_every: Some(Duration::ZERO),
            ..options
        };
        let mut sessions = 0;
        let resumed = loop {
            let stats = run(&program, &cut, &mut pieces);
            if !stats.paths.stop_reasons.keys().any(|reason| reason.starts_with("limit: instructions")) {
                break stats;
            }
            cut.resume = pieces.saved.take();
            sessions += 1;
            prop_assert!(sessions < 2000, "it never ends");
        };
        prop_assert_eq!(figures(&resumed), figures(&expected), "in {} sessions", sessions + 1);
        prop_assert_eq!(&pieces.completed, &plain.completed, "in {} sessions", sessions + 1);
        prop_assert_eq!(resumed.instructions, expected.instructions);
    }
}
