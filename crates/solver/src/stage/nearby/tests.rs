use std::rc::Rc;

use mneme_term::{Assignment, TermId};

use super::*;
use crate::testing::{Bench, NeverAsked};
use crate::{NoBases, Query};

fn holds(bench: &Bench, clause: TermId, assignment: &Assignment) -> bool {
    bench.terms.eval_bool(clause, &assignment.with_addresses(&|_| 0))
}

/// Assumes the clauses one after the other, each answered by a change of the last assignment.
fn assume_all(bench: &mut Bench, path: &mut Vec<TermId>, clauses: &[TermId]) -> Rc<Assignment> {
    let mut solver = Nearby::new(Box::new(NeverAsked));
    let mut hint = Rc::new(Assignment::default());
    for &goal in clauses {
        if !holds(bench, goal, &hint) {
            let query = Query {
                assumptions: path,
                goal,
                bases: &NoBases,
                hint: Some(&hint),
            };
            let Answer::Sat(found) = solver.check(&mut bench.terms, &query, Budget::UNLIMITED) else {
                panic!("the next stage is never asked")
            };
            hint = found;
        }
        path.push(goal);
    }
    for &clause in &*path {
        assert!(holds(bench, clause, &hint));
    }
    hint
}

fn values(bench: &mut Bench, count: u64) -> (Vec<TermId>, Vec<TermId>) {
    let mut byte = |name: String| bench.symbol(&name, 8);
    let bytes: Vec<_> = { 0..count }
        .map(|i| [byte(format!("high{i}")), byte(format!("low{i}"))])
        .collect();
    let words: Vec<TermId> = { bytes.iter() }
        .map(|&[high, low]| bench.terms.concat(high, low))
        .collect();
    let limit = bench.terms.constant(16, count);
    let bounds = words.iter().map(|&word| bench.terms.ult(word, limit)).collect();
    (words, bounds)
}

/// The benchmark of symMMU's section 5.5: the last clauses leave a permutation, which a SAT solver does not find.
#[test]
fn of_many_places_one_is_found_that_is_not_needed() {
    let mut bench = Bench::new();
    let count = 270;
    let (words, mut path) = values(&mut bench, count);
    let some_is = |value| {
        let value = bench.terms.constant(16, value);
        let is: Vec<TermId> = words.iter().map(|&word| bench.terms.eq(word, value)).collect();
        is.into_iter().reduce(|a, b| bench.terms.or(a, b)).expect("some words")
    };
    let clauses: Vec<TermId> = (0..count).map(some_is).collect();
    let found = assume_all(&mut bench, &mut path, &clauses);
    let model = found.with_addresses(&|_| 0);
    let mut all: Vec<u64> = words.iter().map(|&word| bench.terms.eval_u64(word, &model)).collect();
    all.sort_unstable();
    assert_eq!(all, (0..count).collect::<Vec<_>>());
}

/// The same with the handler `profile`, which keeps each access apart from all earlier ones.
#[test]
fn a_value_is_found_that_no_other_has() {
    let mut bench = Bench::new();
    let count = 50;
    let (words, mut path) = values(&mut bench, count);
    let apart = |i: usize| {
        let same: Vec<TermId> = (0..i).map(|j| bench.terms.eq(words[i], words[j])).collect();
        let any = same
            .into_iter()
            .reduce(|a, b| bench.terms.or(a, b))
            .expect("some words");
        bench.terms.not(any)
    };
    let clauses: Vec<TermId> = (1..words.len()).map(apart).collect();
    assume_all(&mut bench, &mut path, &clauses);
}

/// Written out, the goal has 2^60 parts.
#[test]
fn shared_parts_are_read_once() {
    let mut bench = Bench::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| bench.symbol(name, 8));
    let zero = bench.terms.constant(8, 0);
    let mut part = bench.terms.eq(z, zero);
    for level in 0..60 {
        let other = bench.symbol(&format!("other{level}"), 8);
        let other = bench.terms.eq(other, x);
        let (not_part, not_other) = (bench.terms.not(part), bench.terms.not(other));
        let both = bench.terms.and(part, other);
        let neither = bench.terms.and(not_part, not_other);
        part = bench.terms.or(both, neither);
    }
    let differ = bench.terms.ne(x, y);
    let goal = bench.terms.and(differ, part);
    assume_all(&mut bench, &mut Vec::new(), &[goal]);
}
