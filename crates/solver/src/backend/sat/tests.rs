//! The circuits against evaluation, and answers against Z3.

use std::collections::BTreeMap;
use std::rc::Rc;

use mneme_term::testing::{Gen, Random};
use mneme_term::{ArrayValue, Assignment, Bits, SymbolId, TermId, Terms};

use super::blast::{Blaster, Refused, Size};
use super::gates::{Gates, Lit};
use super::*;
use crate::testing::{Bench, z3};

const UNLIMITED: Size = Size {
    gates: usize::MAX,
    product: usize::MAX,
    pairs: usize::MAX,
};

/// The value of `t` under the assignment, computed by its circuit.
fn by_circuit(terms: &Terms, t: TermId, assignment: &Assignment) -> Result<Bits, Refused> {
    let mut blaster = Blaster::new(terms, UNLIMITED);
    let word = blaster.blast(t)?;
    let mut inputs: BTreeMap<Lit, bool> = BTreeMap::new();
    for (s, word) in &blaster.symbols {
        let width = word.len() as u32;
        let value = assignment.values.get(s).cloned().unwrap_or(Bits::zero(width));
        inputs.extend(word.iter().enumerate().map(|(i, &lit)| (lit, value.bit(i as u32))));
    }
    // A read's index may depend on reads made before it, never on later ones.
    let bits = |values: &[bool], word: &[Lit]| {
        let mut words = vec![0; word.len().div_ceil(64)];
        for (i, &lit) in word.iter().enumerate() {
            words[i / 64] |= u64::from(Gates::value(values, lit)) << (i % 64);
        }
        Bits::from_words(word.len() as u32, &words)
    };
    for _ in 0..=blaster.arrays.iter().map(|(_, reads)| reads.len()).sum() {
        let values = blaster.gates.simulate(|lit| inputs.get(&lit).copied().unwrap_or(false));
        for (s, reads) in &blaster.arrays {
            for read in reads {
                let index = bits(&values, &read.index).low_u64();
                let array = assignment.arrays.get(s).cloned().unwrap_or_default();
                let element = array.element(index, read.element.len() as u32);
                let bits = read.element.iter().enumerate();
                inputs.extend(bits.map(|(i, &lit)| (lit, element.bit(i as u32))));
            }
        }
    }
    let values = blaster.gates.simulate(|lit| inputs.get(&lit).copied().unwrap_or(false));
    assert!(blaster.side.iter().all(|&lit| Gates::value(&values, lit)));
    Ok(bits(&values, &word))
}

fn by_evaluation(terms: &Terms, t: TermId, assignment: &Assignment) -> Bits {
    terms.eval(t, &assignment.with_addresses(&|_| 0))
}

fn random_assignment(terms: &Terms, t: TermId, random: &mut Random) -> Assignment {
    let mut assignment = Assignment::default();
    for &s in terms.symbols(t) {
        match terms.symbol_info(s).sort {
            mneme_term::Sort::Bits(width) => _ = assignment.values.insert(s, random.bits(width)),
            mneme_term::Sort::Array { element, .. } => {
                let array = ArrayValue {
                    entries: (0..256).map(|i| (i, random.bits(element))).collect(),
                    default: None,
                };
                assignment.arrays.insert(s, array);
            }
        }
    }
    assignment
}

type Build = fn(&mut Terms, TermId, TermId) -> TermId;

const OPERATIONS: [(&str, Build); 20] = [
    ("add", Terms::add),
    ("sub", Terms::sub),
    ("mul", Terms::mul),
    ("udiv", Terms::udiv),
    ("urem", Terms::urem),
    ("sdiv", Terms::sdiv),
    ("srem", Terms::srem),
    ("and", Terms::and),
    ("or", Terms::or),
    ("xor", Terms::xor),
    ("shl", Terms::shl),
    ("lshr", Terms::lshr),
    ("ashr", Terms::ashr),
    ("eq", Terms::eq),
    ("ult", Terms::ult),
    ("ule", Terms::ule),
    ("slt", Terms::slt),
    ("sle", Terms::sle),
    ("concat", Terms::concat),
    ("ite", |terms, a, b| {
        let c = terms.ult(a, b);
        terms.ite(c, a, b)
    }),
];

/// Both operands unknown, and either of them a constant.
#[test]
fn every_operation_is_what_evaluation_says() {
    let mut random = Random::new(1);
    for width in [1, 8, 32, 64, 65, 128] {
        let mut bench = Bench::new();
        let (x, y) = (bench.symbol("x", width), bench.symbol("y", width));
        for (name, build) in OPERATIONS {
            for round in 0..12 {
                let constant = bench.terms.constant_bits(&random.bits(width));
                let (a, b) = [(x, y), (x, constant), (constant, y)][round % 3];
                let t = build(&mut bench.terms, a, b);
                for _ in 0..6 {
                    let assignment = random_assignment(&bench.terms, t, &mut random);
                    let found = by_circuit(&bench.terms, t, &assignment);
                    let expected = by_evaluation(&bench.terms, t, &assignment);
                    assert_eq!(found, Ok(expected), "{name} of {width} bits: {assignment:?}");
                }
            }
        }
    }
}

#[test]
fn random_terms_are_what_evaluation_says() {
    let mut tried = 0;
    for seed in 0..600 {
        let mut generator = Gen::new(seed);
        (generator.pointers, generator.quantifiers) = (false, false);
        let mut terms = Terms::new(64);
        let width = [1, 8, 32, 64, 65, 128][seed as usize % 6];
        let t = generator.expr(width, 1 + seed as u32 % 4).build(&mut terms);
        if terms.has_apply(t) {
            assert_eq!(Blaster::new(&terms, UNLIMITED).blast(t), Err(Refused::NoCircuit));
            continue;
        }
        for _ in 0..4 {
            let assignment = random_assignment(&terms, t, &mut generator.random);
            let expected = by_evaluation(&terms, t, &assignment);
            assert_eq!(by_circuit(&terms, t, &assignment), Ok(expected), "{}", terms.display(t));
            tried += 1;
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn random_queries_are_answered_as_by_z3() {
    let (mut sat, mut reference) = (Sat::new(Interrupt::new()), z3());
    let (mut yes, mut no) = (0, 0);
    // One `Terms` for all: Z3 remembers terms by their ids.
    let mut terms = Terms::new(64);
    for seed in 5000..5300 {
        let mut generator = Gen::new(seed);
        (generator.pointers, generator.quantifiers) = (false, false);
        let clauses: Vec<TermId> = (0..3).map(|_| generator.expr(1, 3).build(&mut terms)).collect();
        if clauses.iter().any(|&clause| terms.has_apply(clause)) {
            continue;
        }
        let query = Query {
            assumptions: &clauses[1..],
            goal: clauses[0],
            bases: &crate::NoBases,
            hint: None,
        };
        let budget = Budget {
            steps: Some(100_000),
            ..Budget::UNLIMITED
        };
        let found = sat.check(&mut terms, &query, budget);
        match (&found, reference.check(&mut terms, &query, budget)) {
            (Answer::Sat(_), Answer::Sat(_)) => yes += 1,
            (Answer::Unsat, Answer::Unsat) => no += 1,
            (Answer::Unknown(why), _) => assert_ne!(*why, Unknown::Failed, "seed {seed}"),
            (_, Answer::Unknown(_)) => {}
            (_, expected) => panic!("seed {seed}: {found:?}, expected {expected:?}"),
        }
    }
    assert!(yes > 50 && no > 20, "{yes} satisfiable, {no} unsatisfiable");
}

/// Reads at two unknown positions: equal positions have equal elements, through writes and choices.
#[test]
fn arrays_at_unknown_positions() {
    let mut bench = Bench::new();
    let mut sat = Sat::new(Interrupt::new());
    let a = bench.array("a", 64, 8);
    let (i, j) = (bench.symbol("i", 64), bench.symbol("j", 64));
    let (at_i, at_j) = (bench.terms.select(a, i), bench.terms.select(a, j));
    let same = bench.terms.eq(at_i, at_j);
    let differ = bench.terms.not(same);
    let equal = bench.terms.eq(i, j);
    assert!(bench.ask(&mut sat, &[differ]).is_sat());
    assert!(bench.ask(&mut sat, &[equal, differ]).is_unsat());

    // (a[i := 7] or a)[j] == 9 while a[j] is not.
    let (seven, nine) = (bench.terms.constant(8, 7), bench.terms.constant(8, 9));
    let written = bench.terms.store(a, i, seven);
    let c = bench.symbol("c", 1);
    let either = bench.terms.ite(c, written, a);
    let read = bench.terms.select(either, j);
    let found = bench.terms.eq(read, nine);
    let before = bench.terms.eq(at_j, nine);
    let not_before = bench.terms.not(before);
    assert!(bench.ask(&mut sat, &[found, not_before]).is_unsat());
    assert!(bench.ask(&mut sat, &[found, before, c]).is_sat());

    // A single read, whose position no clause restricts.
    let five = bench.terms.constant(64, 5);
    let sum = bench.terms.add(i, five);
    let read = bench.terms.select(a, sum);
    let goal = bench.terms.eq(read, nine);
    let (s, value): (SymbolId, Rc<Assignment>) = match bench.ask(&mut sat, &[goal]) {
        Answer::Sat(found) => (bench.terms.symbols(a)[0], found),
        other => panic!("{other:?}"),
    };
    assert_eq!(value.arrays[&s].entries.values().next(), Some(&Bits::new(8, 9)));
}

#[test]
fn too_many_reads_and_too_wide_products_are_refused() {
    let mut bench = Bench::new();
    let mut sat = Sat::new(Interrupt::new());
    let a = bench.array("a", 64, 8);
    let mut clauses = Vec::new();
    for k in 0..140 {
        let i = bench.symbol(&format!("i{k}"), 64);
        let (read, limit) = (bench.terms.select(a, i), bench.terms.constant(8, k));
        clauses.push(bench.terms.ult(limit, read));
    }
    assert!(bench.ask(&mut sat, &clauses[..30]).is_sat());
    let refused = bench.ask(&mut sat, &clauses);
    assert!(matches!(refused, Answer::Unknown(Unknown::GaveUp)), "{refused:?}");

    let (x, y) = (bench.symbol("x", 128), bench.symbol("y", 128));
    let product = bench.terms.mul(x, y);
    let wide = bench.terms.ult(x, product);
    let refused = bench.ask(&mut sat, &[wide]);
    assert!(matches!(refused, Answer::Unknown(Unknown::GaveUp)), "{refused:?}");
    // With 64 bits each, the product is not too wide.
    let (x, y) = (bench.symbol("x", 64), bench.symbol("y", 64));
    let (x, y) = (bench.terms.zext(x, 128), bench.terms.zext(y, 128));
    let product = bench.terms.mul(x, y);
    let limit = bench.terms.constant_bits(&Bits::power(128, 100));
    let large = bench.terms.ult(limit, product);
    assert!(bench.ask(&mut sat, &[large]).is_sat());
}
