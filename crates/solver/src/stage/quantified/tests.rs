//! Examples 6.4.1 to 6.4.3, with the variable counted from 0: `for all i < k: s[i] != 0`.

use super::*;
use crate::testing::{Bench, z3};
use crate::{Interrupt, Z3};
use mneme_term::{ArrayValue, Symbol, SymbolKind};

struct Example {
    bench: Bench,
    n: SymbolId,
    k: SymbolId,
    s: SymbolId,
    clauses: Vec<TermId>,
}

/// (s[n] = 0) ∧ (1 ≤ k ≤ 10) ∧ (s[k−1] = 8) ∧ (∀i. 1 ≤ i ≤ k → s[i−1] ≠ 0)
fn example() -> Example {
    let mut bench = Bench::new();
    let (n, k) = (bench.symbol_id("n", 64), bench.symbol_id("k", 64));
    let terms = &mut bench.terms;
    let mut symbol = |name: &str, kind, sort| {
        terms.symbol_id(Symbol {
            name: name.into(),
            kind,
            sort,
        })
    };
    let s = symbol("s", SymbolKind::Input, Sort::Array { index: 64, element: 8 });
    let i = symbol("i", SymbolKind::Bound, Sort::Bits(64));
    let [array, at_n, count, variable] = [s, n, k, i].map(|symbol| terms.symbol(symbol));
    let [one, ten] = [1, 10].map(|number| terms.constant(64, number));
    let [zero, eight] = [0, 8].map(|number| terms.constant(8, number));
    let before = terms.sub(count, one);
    let [end, last, each] = [at_n, before, variable].map(|index| terms.select(array, index));
    let not_zero = terms.ne(each, zero);
    let clauses = vec![
        terms.eq(end, zero),
        terms.ule(one, count),
        terms.ule(count, ten),
        terms.eq(last, eight),
        terms.forall(i, count, not_zero),
    ];
    Example {
        bench,
        n,
        k,
        s,
        clauses,
    }
}

impl Example {
    fn assignment(&self, n: u64, k: u64, s: &[u64]) -> Assignment {
        let mut found = Assignment::default();
        found.values.insert(self.n, Bits::new(64, n));
        found.values.insert(self.k, Bits::new(64, k));
        let entries = s.iter().enumerate().map(|(at, &byte)| (at as u64, Bits::new(8, byte)));
        let array = ArrayValue {
            entries: entries.collect(),
            default: None,
        };
        found.arrays.insert(self.s, array);
        found
    }

    fn elements(&self, found: &Assignment) -> Vec<u64> {
        (0..8)
            .map(|at| found.arrays[&self.s].element(at, 8).low_u64())
            .collect()
    }

    fn parts(&mut self) -> Clauses {
        Clauses::of(&mut self.bench.terms, self.clauses.iter().copied()).expect("of the form of the thesis")
    }
}

/// Answers as it was told, in turn.
struct Told(Vec<Assignment>);

impl Solver for Told {
    fn check(&mut self, terms: &mut Terms, query: &Query, _: Budget) -> Answer {
        let answer = self.0.remove(0);
        let clauses: Vec<TermId> = query.clauses().collect();
        assert!(is_satisfied(terms, &clauses, &answer), "a model of the query asked");
        Answer::Sat(Rc::new(answer))
    }

    fn trace(&self, _: &mut Tracer) {}

    fn stats(&self, _: &mut Vec<Stage>) {}
}

#[test]
fn stripping_is_that_of_example_6_4_1() {
    let mut example = example();
    let parts = example.parts();
    let terms = &mut example.bench.terms;
    let stripped = strip(terms, &parts);
    assert_eq!(stripped[..4], example.clauses[..4]);
    let shown: Vec<String> = stripped[4..].iter().map(|&t| terms.display(t).to_string()).collect();
    // k >= 1 implies s[0] != 0, and not (1 <= n + 1 <= k).
    assert_eq!(shown, ["(k == 0) || (s[0] != 0)", "k <=u n"]);
    let all = parts.all(terms);
    let m = example.assignment(7, 7, &[1, 0, 0, 0, 0, 0, 8, 0]);
    assert!(is_satisfied(&example.bench.terms, &stripped, &m));
    assert!(!is_satisfied(&example.bench.terms, &all, &m));
    let m = example.assignment(1, 1, &[8, 0]);
    assert!(is_satisfied(&example.bench.terms, &all, &m));
}

#[test]
fn duplication_is_that_of_example_6_4_2() {
    let mut example = example();
    let parts = example.parts();
    let all = parts.all(&mut example.bench.terms);
    let duplicated = |m: &[u64]| {
        let m = example.assignment(7, 7, m);
        duplicate(&example.bench.terms, &parts, &m, &BTreeSet::new())
    };
    let one = duplicated(&[1, 0, 0, 0, 0, 0, 8, 0]);
    assert_eq!(example.elements(&one), [1, 1, 1, 1, 1, 1, 1, 0]);
    assert!(
        !is_satisfied(&example.bench.terms, &all, &one),
        "s[k - 1] = 8 is violated"
    );
    let other = duplicated(&[8, 0, 0, 0, 0, 0, 8, 0]);
    assert_eq!(example.elements(&other), [8, 8, 8, 8, 8, 8, 8, 0]);
    assert!(is_satisfied(&example.bench.terms, &all, &other));
}

#[test]
fn repair_is_that_of_example_6_4_3() {
    let mut example = example();
    let parts = example.parts();
    let terms = &mut example.bench.terms;
    let stripped = strip(terms, &parts);
    let m = example.assignment(7, 7, &[1, 1, 1, 1, 1, 1, 1, 0]);
    let (conflicts, query) = repair(&mut example.bench.terms, &parts, &stripped, &m);
    assert_eq!(conflicts, BTreeSet::from([(example.s, 6)]));
    let terms = &example.bench.terms;
    let mut shown: Vec<String> = query[stripped.len()..]
        .iter()
        .map(|&t| terms.display(t).to_string())
        .collect();
    shown.sort();
    assert_eq!(shown, ["k == 7", "n == 7", "s[6] != 0"]);
    // The whole procedure, with the models of the thesis.
    let m = example.assignment(7, 7, &[1, 0, 0, 0, 0, 0, 8, 0]);
    let mut solver = Quantified::new(Box::new(Told(vec![m; 3])));
    let clauses = example.clauses.clone();
    let Answer::Sat(found) = example.bench.ask(&mut solver, &clauses) else {
        panic!("it is satisfiable");
    };
    assert_eq!(example.elements(&found), [1, 1, 1, 1, 1, 1, 8, 0]);
    assert_eq!(solver.steps.get("repair"), 1);
}

/// The stages and Z3 alone agree, on the example and on variations of it.
#[test]
fn answers_are_those_of_z3() {
    let mut example = example();
    let bench = &mut example.bench;
    let (n, k) = (bench.terms.symbol(example.n), bench.terms.symbol(example.k));
    let seven = bench.terms.constant(64, 7);
    let inside = bench.terms.ult(n, k);
    let far = bench.terms.ult(seven, k);
    let not_all = bench.terms.not(example.clauses[4]);
    let or = bench.terms.or(inside, example.clauses[4]);
    let first = bench.terms.ule(n, seven);
    // Several quantified clauses in one disjunction, and what denies them.
    let all = example.clauses[4];
    let shifted = {
        let (i, s) = (bench.terms.symbol(example.n), bench.terms.symbol(example.s));
        let next = bench.terms.add(i, seven);
        let element = bench.terms.select(s, next);
        let zero = bench.terms.constant(8, 0);
        bench.terms.ne(element, zero)
    };
    let (one, other) = (bench.terms.and(inside, all), bench.terms.and(far, not_all));
    let either = bench.terms.or(one, other);
    let either = bench.terms.and(either, shifted);
    let neither = bench.terms.not(either);
    let variations = [
        vec![],
        vec![inside],
        vec![far],
        vec![not_all],
        vec![far, first],
        vec![either],
        vec![neither],
        vec![either, far, first],
        vec![neither, inside],
    ];
    for (index, more) in variations.iter().enumerate() {
        for base in [&example.clauses[..], &[&example.clauses[..4], &[or]].concat()] {
            let clauses = [base, more].concat();
            let expected = bench.ask(&mut Z3::new(Interrupt::new()), &clauses);
            let mut whole = Quantified::new(Box::new(Instances::new(z3())));
            let mut instances = Instances::new(z3());
            for solver in [&mut whole as &mut dyn Solver, &mut instances] {
                let answer = bench.ask(solver, &clauses);
                assert!(answer.is_sat() || answer.is_unsat(), "variation {index}");
                if !matches!(expected, Answer::Unknown(_)) {
                    assert_eq!(answer.is_sat(), expected.is_sat(), "variation {index}");
                }
                if let Answer::Sat(found) = &answer {
                    assert!(is_satisfied(&bench.terms, &clauses, found));
                }
            }
            assert_eq!(
                whole.tally.row().asked,
                whole.tally.row().answered + instances_asked(&whole)
            );
        }
    }
}

fn instances_asked(solver: &Quantified) -> u64 {
    let mut rows = Vec::new();
    solver.stats(&mut rows);
    rows.iter()
        .find(|row| row.name == "instances")
        .expect("the stage below")
        .asked
}
