//! The purpose of each stage, on the smallest example that shows it. `tests/agreement.rs` checks that all answers are
//! right.

use std::rc::Rc;

use mneme_term::{Assignment, BaseInfo, BaseKind, Bits, TermId, Terms, Tracer};

use super::*;
use crate::testing::{Bench, Flat, NeverAsked, z3};
use crate::{Answer, BaseTable, Budget, Extent, NoBases, Query, Stage};

/// How many queries reached the stage, from its row of the statistics.
fn asked(solver: &dyn Solver, stage: &str) -> u64 {
    let mut rows = Vec::new();
    solver.stats(&mut rows);
    rows.iter()
        .find(|row| row.name == stage)
        .expect("a stage of the chain")
        .asked
}

fn less(bench: &mut Bench, t: TermId, limit: u64) -> TermId {
    let limit = bench.terms.constant(bench.terms.width(t), limit);
    bench.terms.ult(t, limit)
}

#[test]
fn trivial_goals_are_not_asked() {
    let mut bench = Bench::new();
    let x = bench.symbol("x", 8);
    let small = less(&mut bench, x, 5);
    let large = bench.terms.not(small);
    let mut solver = Trivial::new(Box::new(NeverAsked));
    let no = bench.terms.fls();
    assert!(bench.ask(&mut solver, &[no]).is_unsat());
    assert!(bench.ask(&mut solver, &[small, large]).is_unsat());
    let hint = Rc::new(Assignment::default());
    let query = Query {
        assumptions: &[small],
        goal: small,
        bases: &NoBases,
        hint: Some(&hint),
    };
    assert!(solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat());
}

#[test]
fn what_one_scalar_may_be_is_read_off_the_clauses() {
    let mut bench = Bench::new();
    let (n, c) = (bench.symbol("n", 64), bench.symbol("c", 8));
    let mut solver = Domains::new(Box::new(NeverAsked), "domains");
    let few = less(&mut bench, n, 9);
    let five = bench.terms.constant(64, 5);
    let (more, is_five) = (bench.terms.ult(five, n), bench.terms.eq(n, five));
    assert!(bench.ask(&mut solver, &[few, more]).is_sat());
    assert!(bench.ask(&mut solver, &[few, more, is_five]).is_unsat());
    // c * c == 49 has four solutions, of which one is a digit's value.
    let square = bench.terms.mul(c, c);
    let forty_nine = bench.terms.constant(8, 49);
    let squared = bench.terms.eq(square, forty_nine);
    let digit = less(&mut bench, c, 10);
    let Answer::Sat(found) = bench.ask(&mut solver, &[squared, digit]) else {
        panic!("7 * 7 is 49")
    };
    let id = bench.symbol_id("c", 8);
    assert_eq!(found.values[&id], Bits::new(8, 7));
}

#[test]
fn bytes_of_a_scalar_are_independent() {
    let mut bench = Bench::new();
    let word = bench.symbol("word", 32);
    let is = |bench: &mut Bench, low, width, value| {
        let part = bench.terms.extract(word, low, width);
        let value = bench.terms.constant(width, value);
        bench.terms.eq(part, value)
    };
    let (first, second) = (is(&mut bench, 0, 8, 0x61), is(&mut bench, 8, 8, 0x62));
    let last = is(&mut bench, 16, 16, 0x6463);
    let hint = Rc::new(Assignment {
        values: [(bench.symbol_id("word", 32), Bits::new(32, 0x6261))]
            .into_iter()
            .collect(),
        ..Assignment::default()
    });
    // Independence leaves out the first two bytes, and the equality decides what is left.
    let below = Equalities::new(Box::new(NeverAsked));
    let mut solver = Independence::new(Box::new(Elements::new(Box::new(below))));
    let query = Query {
        assumptions: &[first, second],
        goal: last,
        bases: &NoBases,
        hint: Some(&hint),
    };
    let Answer::Sat(found) = solver.check(&mut bench.terms, &query, Budget::UNLIMITED) else {
        panic!("the bytes have nothing to do with each other")
    };
    assert_eq!(found.values[&bench.symbol_id("word", 32)], Bits::new(32, 0x6463_6261));
}

#[test]
fn the_states_own_assignment_decides_with_addresses() {
    let mut bench = Bench::new();
    let base = bench.terms.base_id(BaseInfo {
        kind: BaseKind::Heap,
        site: 1,
        align: 8,
        n: 0,
    });
    let x = bench.symbol_id("x", 64);
    let (pointer, number) = (bench.terms.base(base), bench.terms.symbol(x));
    let goal = bench.terms.eq(pointer, number);
    let table = Flat { first: 0x20000 };
    let mut hint = Assignment::default();
    hint.values.insert(x, Bits::new(64, table.concrete_address(base)));
    let hint = Rc::new(hint);
    let query = Query {
        assumptions: &[],
        goal,
        bases: &table,
        hint: Some(&hint),
    };
    assert!(
        OwnAssignment::new(Box::new(NeverAsked))
            .check(&mut bench.terms, &query, Budget::UNLIMITED)
            .is_sat()
    );
}

/// Hands the query on and remembers how many assumptions it had.
struct Spy {
    next: Next,
    seen: Rc<std::cell::RefCell<Vec<usize>>>,
}

impl Solver for Spy {
    fn check(&mut self, terms: &mut Terms, query: &Query, budget: Budget) -> Answer {
        self.seen.borrow_mut().push(query.assumptions.len());
        self.next.check(terms, query, budget)
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.next.trace(tracer);
    }

    fn stats(&self, out: &mut Vec<Stage>) {
        self.next.stats(out);
    }
}

#[test]
fn independence_keeps_what_is_connected_and_the_hint_for_the_rest() {
    let mut bench = Bench::new();
    let ids: Vec<_> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|n| bench.symbol_id(n, 8))
        .collect();
    let symbols: Vec<TermId> = ids.iter().map(|&s| bench.terms.symbol(s)).collect();
    let [a, b, c, d, e] = symbols[..] else {
        unreachable!("five symbols")
    };
    // a < b < c are connected, d < e is not.
    let (ab, bc, de) = (bench.terms.ult(a, b), bench.terms.ult(b, c), bench.terms.ult(d, e));
    let mut hint = Assignment::default();
    for (&s, value) in ids.iter().zip([1, 2, 3, 40, 50]) {
        hint.values.insert(s, Bits::new(8, value));
    }
    let ten = bench.terms.constant(8, 10);
    let goal = bench.terms.ult(ten, a);
    let seen = Rc::default();
    let mut solver = Independence::new(Box::new(Spy {
        next: z3(),
        seen: Rc::clone(&seen),
    }));
    let hint = Rc::new(hint);
    let query = Query {
        assumptions: &[de, bc, ab],
        goal,
        bases: &NoBases,
        hint: Some(&hint),
    };
    let Answer::Sat(found) = solver.check(&mut bench.terms, &query, Budget::UNLIMITED) else {
        panic!("satisfiable")
    };
    assert_eq!(*seen.borrow(), [2]);
    assert_eq!(found.values[&ids[3]], Bits::new(8, 40));
    assert!(Bits::new(8, 10).ult(&found.values[&ids[0]]));
}

#[test]
fn elements_of_one_array_are_independent_scalars() {
    let mut bench = Bench::new();
    let array = bench.array("input", 64, 8);
    let at = |bench: &mut Bench, i: u64| {
        let i = bench.terms.constant(64, i);
        bench.terms.select(array, i)
    };
    let (first, second) = (at(&mut bench, 0), at(&mut bench, 1));
    let (one, goal) = (less(&mut bench, first, 9), less(&mut bench, second, 7));
    let not_zero = {
        let zero = bench.terms.constant(8, 0);
        bench.terms.ne(second, zero)
    };
    let hint = Rc::new(Assignment::default());
    let seen = Rc::default();
    let spy = Spy {
        next: z3(),
        seen: Rc::clone(&seen),
    };
    let mut solver = Independence::new(Box::new(Elements::new(Box::new(spy))));
    let goal = bench.terms.and(goal, not_zero);
    let query = Query {
        assumptions: &[one],
        goal,
        bases: &NoBases,
        hint: Some(&hint),
    };
    let Answer::Sat(found) = solver.check(&mut bench.terms, &query, Budget::UNLIMITED) else {
        panic!("satisfiable")
    };
    assert_eq!(*seen.borrow(), [0]);
    assert!(found.values.is_empty(), "scalars are put back into their array");
    // Read at a symbolic position, the array is one thing.
    let i = bench.symbol("i", 64);
    let somewhere = bench.terms.select(array, i);
    let goal = less(&mut bench, somewhere, 3);
    let large = bench.terms.not(goal);
    let query = Query {
        assumptions: &[one],
        goal: large,
        bases: &NoBases,
        hint: Some(&hint),
    };
    assert!(solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat());
    assert_eq!(*seen.borrow(), [0, 1]);
}

#[test]
fn equalities_decide_and_give_values_back() {
    let mut bench = Bench::new();
    let (x, y) = (bench.symbol("x", 8), bench.symbol("y", 8));
    let terms = &mut bench.terms;
    let (five, nine) = (terms.constant(8, 5), terms.constant(8, 9));
    let x_is = terms.eq(x, five);
    let sum = terms.add(x, nine);
    let y_is = terms.eq(y, sum);
    let goal = {
        let fourteen = terms.constant(8, 14);
        terms.eq(y, fourteen)
    };
    let other = terms.not(goal);
    let mut solver = Equalities::new(Box::new(NeverAsked));
    assert!(bench.ask(&mut solver, &[x_is, y_is, other]).is_unsat());
    let Answer::Sat(found) = bench.ask(&mut solver, &[y_is, x_is, goal]) else {
        panic!("satisfiable")
    };
    let y = bench.symbol_id("y", 8);
    assert_eq!(found.values[&y], Bits::new(8, 14));
}

#[test]
fn equal_bytes_are_equalities_of_each() {
    let mut bench = Bench::new();
    let (x, y, z) = (bench.symbol("x", 8), bench.symbol("y", 8), bench.symbol("z", 8));
    let terms = &mut bench.terms;
    let word = terms.concat(x, y);
    let value = terms.constant(16, 0x4142);
    let is = terms.eq(word, value);
    let same = terms.eq(z, y);
    let goal = {
        let b = terms.constant(8, 0x42);
        terms.ne(z, b)
    };
    assert!(
        bench
            .ask(&mut Equalities::new(Box::new(NeverAsked)), &[is, same, goal])
            .is_unsat()
    );
}

#[test]
fn components_are_asked_one_by_one() {
    let mut bench = Bench::new();
    let (x, y, z) = (bench.symbol("x", 8), bench.symbol("y", 8), bench.symbol("z", 8));
    let (xy, small) = (bench.terms.ult(x, y), less(&mut bench, z, 4));
    let mut solver = Components::new(z3());
    let Answer::Sat(found) = bench.ask(&mut solver, &[small, xy]) else {
        panic!("satisfiable")
    };
    assert_eq!(found.values.len(), 3);
    assert_eq!(asked(&solver, "z3"), 2);
}

#[test]
fn recent_assignments_are_tried() {
    let mut bench = Bench::new();
    let (x, y) = (bench.symbol("x", 8), bench.symbol("y", 8));
    let (less_than, small) = (bench.terms.ult(x, y), less(&mut bench, x, 200));
    let mut solver = Recent::new(z3());
    assert!(bench.ask(&mut solver, &[less_than]).is_sat());
    assert!(bench.ask(&mut solver, &[small, less_than]).is_sat());
    assert_eq!(asked(&solver, "z3"), 1);
}

#[test]
fn supersets_of_refuted_sets_are_refuted() {
    let mut bench = Bench::new();
    let (x, y, z) = (bench.symbol("x", 8), bench.symbol("y", 8), bench.symbol("z", 8));
    let (xy, yz, zx) = (bench.terms.ult(x, y), bench.terms.ult(y, z), bench.terms.ult(z, x));
    let more = less(&mut bench, z, 100);
    let mut solver = Refuted::new(z3());
    assert!(bench.ask(&mut solver, &[xy, yz, zx]).is_unsat());
    assert!(bench.ask(&mut solver, &[zx, more, xy, yz]).is_unsat());
    assert_eq!(asked(&solver, "z3"), 1);
    assert!(bench.ask(&mut solver, &[more, xy, yz]).is_sat());
}

/// The worked example of the design (§8), on sums that cannot wrap, as C's promoted bytes are.
#[test]
fn canonical_queries_of_the_design() {
    let mut bench = Bench::new();
    let names = ["x", "y", "z"];
    let [x, y, z] = names.map(|name| {
        let byte = bench.symbol(name, 8);
        bench.terms.zext(byte, 32)
    });
    let sum = |bench: &mut Bench, a: TermId, b: TermId, c: u64, limit: u64| {
        let (c, total) = (bench.terms.constant(32, c), bench.terms.add(a, b));
        let total = bench.terms.add(total, c);
        less(bench, total, limit)
    };
    let x_small = less(&mut bench, x, 1);
    let (first, second) = (sum(&mut bench, x, y, 4, 7), sum(&mut bench, x, z, 1, 4));
    let mut solver = CanonicalCache::new(z3(), Cache::default());
    assert!(bench.ask(&mut solver, &[x_small, first]).is_sat());
    let Answer::Sat(found) = bench.ask(&mut solver, &[second, x_small]) else {
        panic!("satisfiable")
    };
    assert_eq!(asked(&solver, "z3"), 1, "both are one entry");
    // The assignment is about the second query's symbols.
    let y = bench.symbol_id("y", 8);
    assert!(!found.values.contains_key(&y));
    let all = found.with_addresses(&|_| 0);
    assert!(bench.terms.eval_bool(second, &all) && bench.terms.eval_bool(x_small, &all));
}

/// If sums can wrap, the two queries of the example differ: 252 + 0 + 4 < 7, but not 252 + 0 + 1 < 4.
#[test]
fn canonical_queries_do_not_forget_wrapping() {
    let mut bench = Bench::new();
    let (x, y) = (bench.symbol("x", 8), bench.symbol("y", 8));
    let mut solver = CanonicalCache::new(z3(), Cache::default());
    let mut ask = |bench: &mut Bench, c: u64, limit: u64| {
        let (c, total) = (bench.terms.constant(8, c), bench.terms.add(x, y));
        let total = bench.terms.add(total, c);
        let small = less(bench, total, limit);
        let large = {
            let limit = bench.terms.constant(8, 100);
            let sum = bench.terms.add(x, y);
            bench.terms.ult(limit, sum)
        };
        let not_minus_one = {
            let minus_one = bench.terms.constant(8, 255);
            let sum = bench.terms.add(x, y);
            bench.terms.ne(sum, minus_one)
        };
        bench.ask(&mut solver, &[small, large, not_minus_one]).is_sat()
    };
    assert!(ask(&mut bench, 4, 7));
    assert!(!ask(&mut bench, 1, 4));
}

#[test]
fn renamed_queries_share_an_entry_and_names_do_not_matter() {
    let mut bench = Bench::new();
    let mut solver = CanonicalCache::new(z3(), Cache::default());
    for round in 0..20 {
        let [a, b, c] = [0, 1, 2].map(|i| bench.symbol(&format!("s{}", (round * 7 + i * 11) % 23), 8));
        let terms = &mut bench.terms;
        let product = terms.mul(a, b);
        let (ab, bc) = (terms.ult(product, c), terms.ult(b, c));
        let mixed = terms.xor(a, b);
        let seven = terms.constant(8, 7);
        let odd = terms.ult(seven, mixed);
        let clauses = if round % 2 == 0 { [ab, bc, odd] } else { [odd, ab, bc] };
        let Answer::Sat(found) = bench.ask(&mut solver, &clauses) else {
            panic!("satisfiable")
        };
        let model = found.with_addresses(&|_| 0);
        assert!(clauses.iter().all(|&clause| bench.terms.eval_bool(clause, &model)));
    }
    assert_eq!(asked(&solver, "z3"), 1);
}

#[test]
fn caches_know_that_bases_lie_elsewhere_in_other_states() {
    let mut bench = Bench::new();
    let base = bench.terms.base_id(BaseInfo {
        kind: BaseKind::Heap,
        site: 1,
        align: 1,
        n: 0,
    });
    let x = bench.symbol("x", 64);
    let pointer = bench.terms.base(base);
    let same = bench.terms.eq(x, pointer);
    let limit = bench.terms.constant(64, 0x30000);
    let low = bench.terms.ult(x, limit);
    let below: Next = Box::new(Lowering::new(z3()));
    let mut solver = Recent::new(Box::new(Refuted::new(Box::new(CanonicalCache::new(
        below,
        Cache::default(),
    )))));
    for (first, expected) in [(0x40000, false), (0x20000, true), (0x40000, false), (0x20000, true)] {
        let table = Flat { first };
        let query = Query {
            assumptions: &[same],
            goal: low,
            bases: &table,
            hint: None,
        };
        assert_eq!(
            solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat(),
            expected
        );
    }
    assert_eq!(asked(&solver, "z3"), 2);
}

/// One base anywhere between two limits: a layout with something to choose.
struct Somewhere {
    at: TermId,
    low: u64,
    high: u64,
}

impl BaseTable for Somewhere {
    fn address(&self, _: &mut Terms, _: mneme_term::BaseId) -> TermId {
        self.at
    }

    fn concrete_address(&self, _: mneme_term::BaseId) -> u64 {
        self.low
    }

    fn extent(&self, terms: &mut Terms, _: mneme_term::BaseId) -> Extent {
        Extent {
            size: terms.constant(64, 16),
            capacity: 16,
        }
    }

    fn is_alive(&self, _: mneme_term::BaseId) -> bool {
        true
    }

    fn layout(&self, terms: &mut Terms, _: &[mneme_term::BaseId]) -> Vec<TermId> {
        let (low, high) = (terms.constant(64, self.low), terms.constant(64, self.high));
        vec![terms.ule(low, self.at), terms.ule(self.at, high)]
    }
}

#[test]
fn layouts_with_a_choice_are_part_of_the_query() {
    let mut bench = Bench::new();
    let at = bench.symbol("where", 64);
    let table = Somewhere {
        at,
        low: 0x10000,
        high: 0x1ffff,
    };
    let base = bench.terms.base_id(BaseInfo {
        kind: BaseKind::Heap,
        site: 1,
        align: 1,
        n: 0,
    });
    let pointer = bench.terms.base(base);
    let mut solver = crate::chain(&crate::ChainOptions::default()).expect("Z3 is linked in");
    let hint = Rc::new(Assignment::default());
    for (place, possible) in [(0x18000, true), (0x28000, false), (0x18000, true)] {
        let place = bench.terms.constant(64, place);
        let goal = bench.terms.eq(pointer, place);
        let query = Query {
            assumptions: &[],
            goal,
            bases: &table,
            hint: Some(&hint),
        };
        assert_eq!(
            solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat(),
            possible
        );
    }
}

/// The objects of one state: address and size of each base.
struct Objects(Vec<(mneme_term::BaseId, u64, u64)>);

impl Objects {
    fn get(&self, b: mneme_term::BaseId) -> (u64, u64) {
        let object = self
            .0
            .iter()
            .find(|object| object.0 == b)
            .expect("an object of the state");
        (object.1, object.2)
    }
}

impl BaseTable for Objects {
    fn address(&self, terms: &mut Terms, b: mneme_term::BaseId) -> TermId {
        terms.constant(64, self.get(b).0)
    }

    fn concrete_address(&self, b: mneme_term::BaseId) -> u64 {
        self.get(b).0
    }

    fn extent(&self, terms: &mut Terms, b: mneme_term::BaseId) -> Extent {
        Extent {
            size: terms.constant(64, self.get(b).1),
            capacity: self.get(b).1,
        }
    }

    fn is_alive(&self, _: mneme_term::BaseId) -> bool {
        true
    }

    fn layout(&self, _: &mut Terms, _: &[mneme_term::BaseId]) -> Vec<TermId> {
        Vec::new()
    }
}

fn heap(bench: &mut Bench, n: u32) -> mneme_term::BaseId {
    bench.terms.base_id(BaseInfo {
        kind: BaseKind::Heap,
        site: 1,
        align: 1,
        n,
    })
}

fn detail(solver: &dyn Solver, name: &str) -> u64 {
    let mut rows = Vec::new();
    solver.stats(&mut rows);
    rows.iter().map(|row| row.details.get(name)).sum()
}

/// A query of Table 4.1: `array[i][j]` lies in the row that begins at `rows[row]`, and is 7 there. Its distance from
/// the beginning is what the guard says (lemma 4.4.14: `j`), as resolution reads it off the pointer.
fn of_table_4_1(bench: &mut Bench, rows: [mneme_term::BaseId; 2], row: usize, contents: &str) -> Vec<TermId> {
    let (i, j) = (bench.symbol("i", 64), bench.symbol("j", 64));
    let contents = bench.array(contents, 64, 8);
    let clauses = [less(bench, i, 2), less(bench, j, 2)];
    let terms = &mut bench.terms;
    let pointers = rows.map(|b| terms.base(b));
    let zero = terms.constant(64, 0);
    let pointer = terms.lookup(i, &[(0, pointers[0]), (1, pointers[1])], zero);
    let pointer = terms.add(pointer, j);
    let two = terms.constant(64, 2);
    let end = terms.add(pointers[row], two);
    let (from, to) = (terms.ule(pointers[row], pointer), terms.ult(pointer, end));
    let case = *terms
        .cases(pointer)
        .iter()
        .find(|case| case.base == Some(rows[row]))
        .expect("a row");
    assert_eq!(case.offset, j);
    let value = terms.select(contents, case.offset);
    let seven = terms.constant(8, 7);
    let goal = terms.eq(value, seven);
    [clauses[0], clauses[1], from, to, goal].to_vec()
}

/// The queries q5 to q8 of Table 4.1, with its addresses: q7 is q5 and q8 is q6 up to renaming β2, β3 to β5, β6 and the
/// arrays. With addresses in the key (q1 to q4) nothing is shared.
#[test]
fn queries_of_table_4_1() {
    for (kind, expected) in [(Cache::AddressAware, 2), (Cache::Plain, 4)] {
        let mut bench = Bench::new();
        let betas: Vec<_> = (0..7).map(|n| heap(&mut bench, n)).collect();
        let place = |n: usize, address: u64| (betas[n], 0x10000 + address, 2);
        let first = Objects(vec![place(2, 200), place(3, 300)]);
        let second = Objects(vec![place(5, 500), place(6, 600)]);
        let mut solver = CanonicalCache::new(Box::new(Lowering::new(z3())), kind);
        for (objects, rows, row, contents) in [
            (&first, [2, 3], 0, "a2"),
            (&first, [2, 3], 1, "a3"),
            (&second, [5, 6], 0, "a5"),
            (&second, [5, 6], 1, "a6"),
        ] {
            let clauses = of_table_4_1(&mut bench, rows.map(|n| betas[n]), row, contents);
            let (&goal, assumptions) = clauses.split_last().expect("a goal");
            let query = Query {
                assumptions,
                goal,
                bases: objects,
                hint: None,
            };
            let answer = solver.check(&mut bench.terms, &query, Budget::UNLIMITED);
            let Answer::Sat(found) = answer else {
                panic!("{contents} can be 7 there")
            };
            let address = |b| objects.concrete_address(b);
            let model = found.with_addresses(&address);
            assert!(
                clauses.iter().all(|&clause| bench.terms.eval_bool(clause, &model)),
                "{contents}"
            );
        }
        assert_eq!(asked(&solver, "z3"), expected, "{kind:?}");
    }
}

/// Fig. 4.3: `p > q`, and `*(p + 100) == *q` as KLEE asks it, with `p` of 10 and `q` of 50 bytes. The order of the two
/// objects is in the key; a pointer that may leave its object pins both.
#[test]
fn ill_behaved_queries_of_fig_4_3() {
    let mut bench = Bench::new();
    let (p, q) = (heap(&mut bench, 0), heap(&mut bench, 1));
    let objects = |at_p: u64, at_q: u64| Objects(vec![(p, at_p, 10), (q, at_q, 50)]);
    let flag = bench.symbol("flag", 1);
    let terms = &mut bench.terms;
    let (p, q) = (terms.base(p), terms.base(q));
    let hundred = terms.constant(64, 100);
    let far = terms.add(p, hundred);
    let (greater, inside) = (terms.ult(q, p), terms.eq(far, q));
    let [greater, inside] = [greater, inside].map(|clause| terms.and(clause, flag));
    let mut solver = CanonicalCache::new(Box::new(Lowering::new(z3())), Cache::AddressAware);
    let mut ask = |goal: TermId, objects: Objects| {
        let query = Query {
            assumptions: &[],
            goal,
            bases: &objects,
            hint: None,
        };
        solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat()
    };
    assert!(!ask(greater, objects(0x10000, 0x20000)));
    assert!(!ask(greater, objects(0x30000, 0x40000)), "the same order elsewhere");
    assert!(ask(greater, objects(0x20000, 0x10000)), "the other order");
    assert!(!ask(inside, objects(0x10000, 0x20000)));
    assert!(ask(inside, objects(0x10000, 0x10064)), "p + 100 is q");
    assert_eq!(detail(&solver, "hits at other addresses"), 1);
    assert_eq!(detail(&solver, "address-agnostic with bases"), 3);
}

/// A bounds guard helps the pointer it guards: without it, the offset may leave the object, and addresses matter.
#[test]
fn guards_make_comparisons_of_pointers_agnostic() {
    let mut bench = Bench::new();
    let (p, q) = (heap(&mut bench, 0), heap(&mut bench, 1));
    let x = bench.symbol("x", 64);
    let guard = less(&mut bench, x, 10);
    let (p_term, q_term) = (bench.terms.base(p), bench.terms.base(q));
    let inside = bench.terms.add(p_term, x);
    let goal = bench.terms.eq(inside, q_term);
    let mut solver = CanonicalCache::new(Box::new(Lowering::new(z3())), Cache::AddressAware);
    let mut ask = |assumptions: &[TermId], at_q: u64| {
        let objects = Objects(vec![(p, 0x10000, 10), (q, at_q, 50)]);
        let query = Query {
            assumptions,
            goal,
            bases: &objects,
            hint: None,
        };
        solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat()
    };
    assert!(ask(&[], 0x20000) && ask(&[], 0x30000));
    assert!(!ask(&[guard], 0x20000) && !ask(&[guard], 0x30000));
    assert_eq!(detail(&solver, "hits at other addresses"), 1);
}

/// What a renaming must preserve: an object of another size makes another query.
#[test]
fn objects_of_other_sizes_are_other_queries() {
    let mut bench = Bench::new();
    let (p, q) = (heap(&mut bench, 0), heap(&mut bench, 1));
    let flag = bench.symbol("flag", 1);
    let (p_term, q_term) = (bench.terms.base(p), bench.terms.base(q));
    let other_flag = bench.symbol("other", 1);
    let zero = bench.terms.constant(64, 0);
    let (chosen, other) = (
        bench.terms.ite(flag, p_term, q_term),
        bench.terms.ite(other_flag, p_term, zero),
    );
    let goal = bench.terms.eq(chosen, other);
    let mut solver = CanonicalCache::new(Box::new(Lowering::new(z3())), Cache::AddressAware);
    for (size, hits) in [(10, 0), (20, 0), (10, 1)] {
        let objects = Objects(vec![(p, 0x10000 + hits, size), (q, 0x20000, 50)]);
        let query = Query {
            assumptions: &[],
            goal,
            bases: &objects,
            hint: None,
        };
        assert!(solver.check(&mut bench.terms, &query, Budget::UNLIMITED).is_sat());
        assert_eq!(detail(&solver, "hits at other addresses"), hits);
    }
}

/// Gives the same answer to everything.
struct Always(Answer);

impl Solver for Always {
    fn check(&mut self, _: &mut Terms, _: &Query, _: Budget) -> Answer {
        self.0.clone()
    }

    fn trace(&self, _: &mut Tracer) {}

    fn stats(&self, _: &mut Vec<Stage>) {}
}

#[test]
fn a_wrong_answer_is_reported_and_ends_the_chain() {
    let mut bench = Bench::new();
    let x = bench.symbol("x", 8);
    let small = less(&mut bench, x, 5);
    let large = bench.terms.not(small);
    for (lie, goal, said) in [
        (Answer::Unsat, small, "unsatisfiable"),
        (
            Answer::Sat(Rc::default()),
            large,
            "satisfiable, with an assignment that is none",
        ),
    ] {
        let (alarm, interrupt) = (Alarm::default(), crate::Interrupt::new());
        let mut solver = Paranoid::new(Box::new(Always(lie)), z3(), alarm.clone(), interrupt.clone());
        assert!(matches!(bench.ask(&mut solver, &[goal]), Answer::Unknown(_)));
        let difference = alarm.difference().expect("it is wrong");
        assert_eq!(difference.said, said);
        assert!(difference.script.contains("(check-sat)"));
        assert!(interrupt.is_set());
    }
    let alarm = Alarm::default();
    let mut solver = Paranoid::new(z3(), z3(), alarm.clone(), crate::Interrupt::new());
    assert!(bench.ask(&mut solver, &[small]).is_sat());
    assert!(alarm.difference().is_none());
    assert_eq!(detail(&solver, "compared"), 1);
}

/// A second run asks nothing that the first one knows, and a kept assignment that does not hold is rejected.
#[test]
fn answers_outlive_a_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let keeping = || {
        let kept = Kept::open(directory.path(), "z3").expect("it can be made");
        CanonicalCache::keeping(z3(), Cache::AddressAware, kept)
    };
    for (run, asked_below) in [(0, 2), (1, 0)] {
        let mut bench = Bench::new();
        // Different names, and different numbers of symbols.
        let names = [["unused", "x", "y"], ["b", "a", "unused"]][run];
        let [first, second] = match run {
            0 => [bench.symbol(names[1], 8), bench.symbol(names[2], 8)],
            _ => [bench.symbol(names[0], 8), bench.symbol(names[1], 8)],
        };
        let (below, above) = (bench.terms.ult(first, second), bench.terms.ult(second, first));
        let mut solver = keeping();
        assert!(bench.ask(&mut solver, &[below]).is_sat());
        assert!(bench.ask(&mut solver, &[below, above]).is_unsat());
        assert_eq!(asked(&solver, "z3"), asked_below);
        assert_eq!(detail(&solver, "hits of other runs"), 2 - asked_below);
    }
}
