use super::*;
use crate::NoBases;
use crate::testing::{Bench, z3};
use mneme_term::{Assignment, Bits};

fn refutes(stage: &mut Differences, bench: &Bench, clauses: &[TermId]) -> bool {
    let (&goal, assumptions) = clauses.split_last().expect("a goal");
    let query = Query {
        assumptions,
        goal,
        bases: &NoBases,
        hint: None,
    };
    stage.is_refuted(&bench.terms, &query)
}

/// `n` elements, the last of which ends a string, and an index that is the sum of two numbers of earlier loops.
#[test]
fn an_index_that_has_not_reached_the_end_stays_inside() {
    let mut bench = Bench::new();
    let mut stage = Differences::new(z3());
    let (n, j, k) = (bench.symbol("n", 64), bench.symbol("j", 8), bench.symbol("k", 8));
    let terms = &mut bench.terms;
    let [j, k] = [j, k].map(|t| terms.zext(t, 64));
    let sum = terms.add(j, k);
    let most = terms.constant(64, 200);
    let few = terms.ult(n, most);
    let plus = |terms: &mut Terms, number: u64| {
        let number = terms.constant(64, number);
        terms.add(sum, number)
    };
    let [two, five] = [2, 5].map(|number| plus(terms, number));
    let inside = terms.ule(two, n);
    let mut clauses = vec![few, inside];
    for number in [4, 2, 3] {
        let here = plus(terms, number);
        clauses.push(terms.ne(here, n));
    }
    let outside = terms.ult(n, five);
    let also = terms.eq(five, n);
    clauses.push(outside);
    assert!(refutes(&mut stage, &bench, &clauses));
    // It may be the last.
    clauses.pop();
    clauses.push(also);
    assert!(!refutes(&mut stage, &bench, &clauses));
    // Both cases of a disjunction are refuted.
    clauses.pop();
    let all = bench.terms.constant(64, u64::MAX);
    let wraps = bench.terms.eq(n, all);
    clauses.push(bench.terms.or(wraps, outside));
    assert!(refutes(&mut stage, &bench, &clauses));
    assert!(
        !refutes(&mut stage, &bench, &clauses[1..]),
        "one of them is not, without the bound of n"
    );
    let (x, one) = (bench.symbol("x", 64), bench.terms.constant(64, 1));
    let next = bench.terms.add(x, one);
    let less = bench.terms.ult(next, x);
    assert!(!refutes(&mut stage, &bench, &[less]));
}

/// `for all i < k: s + i + 1 != n`, as after a loop that has not met the end of a string.
#[test]
fn a_sum_that_skips_no_number_does_not_pass_another() {
    let mut bench = Bench::new();
    let mut stage = Differences::new(z3());
    let (n, s, k) = (bench.symbol("n", 64), bench.symbol("s", 8), bench.symbol("k", 8));
    let i = bench.symbol_id("i", 8);
    let terms = &mut bench.terms;
    let [s, times, time] = [s, k, terms.symbol(i)].map(|t| terms.zext(t, 64));
    let one = terms.constant(64, 1);
    let next = terms.add(s, one);
    let (here, end) = (terms.add(next, time), terms.add(next, times));
    let differ = terms.ne(here, n);
    let all = terms.forall(i, k, differ);
    let [below, above] = [terms.ult(s, n), terms.ult(n, s)];
    let (after, before) = (terms.ult(n, end), terms.ult(n, next));
    assert!(refutes(&mut stage, &bench, &[below, all, after]));
    assert!(!refutes(&mut stage, &bench, &[all, after]));
    assert!(!refutes(&mut stage, &bench, &[above, all, before]));
    let not_before = bench.terms.not(before);
    assert!(refutes(&mut stage, &bench, &[after, all, not_before]));
    // The number below which i is may be a constant.
    let five = bench.terms.constant(8, 5);
    let few = bench.terms.forall(i, five, differ);
    let (six, five) = (bench.terms.constant(64, 6), bench.terms.constant(64, 5));
    let (last, past) = (bench.terms.add(s, five), bench.terms.add(s, six));
    let [reached, passed] = [last, past].map(|end| bench.terms.ult(n, end));
    assert!(refutes(&mut stage, &bench, &[below, few, reached]));
    assert!(refutes(&mut stage, &bench, &[below, few, passed]));
    let next = bench.terms.add(past, one);
    let beyond = bench.terms.ult(n, next);
    assert!(!refutes(&mut stage, &bench, &[below, few, beyond]));
}

/// Random comparisons of sums of two bits, three bits and constants: what is refuted has no values.
#[test]
fn what_is_refuted_has_no_values() {
    let mut seed = 1u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    let (mut refuted, mut unsatisfiable) = (0, 0);
    let mut bench = Bench::new();
    let mut stage = Differences::new(z3());
    let symbols = [("a", 2), ("b", 3), ("c", 5)].map(|(name, width)| (bench.symbol_id(name, width), width));
    for _ in 0..4000 {
        let terms = &mut bench.terms;
        let wide = symbols.map(|(symbol, _)| {
            let t = terms.symbol(symbol);
            terms.zext(t, 5)
        });
        let mut side = |terms: &mut Terms| {
            let mut sum = terms.constant(5, [0, 1, 2, 3, 29, 30, 31, 16][random(8) as usize]);
            for t in wide {
                if random(3) == 0 {
                    sum = terms.add(sum, t);
                }
            }
            (sum, random(9))
        };
        let mut clauses = Vec::new();
        for _ in 0..4 {
            let ((left, kind), (right, negated)) = (side(terms), side(terms));
            let clause = match kind {
                0..=2 => terms.ult(left, right),
                3 => terms.slt(left, right),
                4 => terms.eq(left, right),
                _ => terms.ule(left, right),
            };
            clauses.push(if negated < 4 { terms.not(clause) } else { clause });
        }
        let satisfiable = (0..1u64 << 10).any(|all| {
            let mut values = Assignment::default();
            let mut from = 0;
            for (symbol, width) in symbols {
                values
                    .values
                    .insert(symbol, Bits::new(width, all >> from & ((1 << width) - 1)));
                from += width;
            }
            clauses
                .iter()
                .all(|&clause| bench.terms.eval_bool(clause, &values.with_addresses(&|_| 0)))
        });
        unsatisfiable += usize::from(!satisfiable);
        if refutes(&mut stage, &bench, &clauses) {
            refuted += 1;
            assert!(
                !satisfiable,
                "{}",
                clauses
                    .iter()
                    .map(|&t| format!("{} ", bench.terms.display(t)))
                    .collect::<String>()
            );
        }
    }
    assert!(refuted > 100, "{refuted} of {unsatisfiable}");
}
