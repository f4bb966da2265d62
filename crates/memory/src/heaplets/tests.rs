//! The rules of the slides by their names, as far as they are about memory; those about calls and assumptions are the
//! engine's and are C programs in `tests/c/heaplets`. Then the three allocation checks, and what the slides' variants
//! of them answer instead.

use super::{AllocCheck, Formula, Heaplets, Options};
use crate::testing::Bench;
use crate::{AccessKind, Death, End, FaultKind, Init, Name, Truth};
use mneme_term::{BaseId, BaseKind, TermId, Value};
use std::collections::BTreeMap;

type Rules = Bench<Heaplets>;

fn rules(check: AllocCheck) -> Rules {
    let options = Options {
        check,
        ..Options::default()
    };
    Bench::with_options(64, &options)
}

fn model() -> Rules {
    rules(AllocCheck::Model)
}

/// The checks that can run here: one needs a program that may be missing.
fn checks() -> Vec<AllocCheck> {
    let cvc5 = std::process::Command::new("cvc5").arg("--version").output();
    let mut all = vec![AllocCheck::Smt, AllocCheck::Model];
    all.extend(cvc5.is_ok().then_some(AllocCheck::Sl));
    all
}

fn at(base: BaseId, offset: u64) -> Value {
    Value::Ptr { base, offset }
}

/// The faults that an operation can end in on the path, and whether it can succeed.
fn ends<T>(bench: &mut Rules, branches: crate::Branches<Heaplets, T>) -> (Vec<FaultKind>, bool) {
    let (mut faults, mut good) = (Vec::new(), false);
    for branch in branches {
        if bench.may(branch.guard) {
            match branch.end {
                End::Fault(fault) => faults.push(fault.kind),
                End::Done(_) => good = true,
                End::Stop(reason) => panic!("{reason}"),
            }
        }
    }
    (faults, good)
}

fn loads(bench: &mut Rules, p: Value, n: u32) -> (Vec<FaultKind>, bool) {
    let branches = bench.with(|heap, cx| heap.load(cx, p, n));
    ends(bench, branches)
}

fn stores(bench: &mut Rules, p: Value, n: u32, value: Value) -> (Vec<FaultKind>, bool) {
    let branches = bench.with(|heap, cx| heap.store(cx, p, n, value));
    ends(bench, branches)
}

fn frees(bench: &mut Rules, p: Value) -> (Vec<FaultKind>, bool) {
    let branches = bench.with(|heap, cx| heap.free(cx, p));
    ends(bench, branches)
}

fn free(bench: &mut Rules, p: Value) {
    bench.done(|heap, cx| heap.free(cx, p));
}

fn variable(bench: &mut Rules, bytes: u64) -> BaseId {
    bench.alloc(BaseKind::Stack, bytes, Init::Undefined)
}

fn malloc(bench: &mut Rules, bytes: u64) -> BaseId {
    bench.alloc(BaseKind::Heap, bytes, Init::Undefined)
}

/// The text of the heap; segments are called a, b, … in the order of their bases.
fn text(bench: &mut Rules, clauses: &[TermId]) -> String {
    let memory = bench.memory.clone();
    let name = |base: BaseId| {
        let text = char::from(b'a' + base.0 as u8).to_string();
        Some(Name { text, pointee: None })
    };
    Formula::of(&memory, &mut bench.terms, clauses, &[], &name).to_string()
}

// ---- locations and values

#[test]
fn const_and_lhs_and_var() {
    let mut bench = model();
    let x = variable(&mut bench, 4);
    bench.store_at(x, 0, 4, Value::Int(0x0403_0201));
    assert_eq!(bench.load_at(x, 0, 4), Value::Int(0x0403_0201));
    assert_eq!(bench.load_at(x, 2, 1), Value::Int(3), "bytes are little endian");
}

#[test]
fn ptr_and_addressof() {
    let mut bench = model();
    let (x, p) = (variable(&mut bench, 4), variable(&mut bench, 8));
    bench.store_at(p, 0, 8, at(x, 0));
    let through = bench.load_at(p, 0, 8);
    assert_eq!(through, at(x, 0));
    bench.store(through, 4, Value::Int(7));
    assert_eq!(bench.load_at(x, 0, 4), Value::Int(7));
}

/// `F = E + E' · sizeof(type(*x))`, here with a symbolic E'.
#[test]
fn array_and_ptrarithmetic() {
    for check in checks() {
        let mut bench = rules(check);
        let a = variable(&mut bench, 12);
        for k in 0..3 {
            bench.store_at(a, 4 * k, 4, Value::Int(10 + k));
        }
        let i = bench.symbol("i", 64);
        bench.below(i, 3);
        let four = bench.word(4);
        let offset = bench.terms.mul(i, four);
        let p = bench.at(a, offset);
        let value = bench.load(p, 4);
        for k in 0..3 {
            let k_term = bench.word(k);
            let is_k = bench.terms.eq(i, k_term);
            assert!(bench.is_when(is_k, value, 10 + k, 4), "{check:?}");
        }
    }
}

#[test]
fn field() {
    let mut bench = model();
    let x = variable(&mut bench, 16);
    bench.store_at(x, 8, 8, Value::Int(5));
    assert_eq!(bench.load_at(x, 8, 8), Value::Int(5));
}

#[test]
fn binexp_and_cast() {
    let mut bench = model();
    let (x, i) = (variable(&mut bench, 8), bench.symbol("i", 32));
    let one = bench.terms.constant(32, 1);
    let sum = bench.terms.add(i, one);
    let wide = bench.terms.sext(sum, 64);
    bench.store_at(x, 0, 8, Value::Term(wide));
    let value = bench.load_at(x, 0, 4);
    assert!(bench.equal(value, sum));
}

// ---- statements

#[test]
fn declare() {
    let mut bench = model();
    assert_eq!(text(&mut bench, &[]), "Π  = true\nΣs = emp\nΣh = emp");
    variable(&mut bench, 4);
    assert_eq!(text(&mut bench, &[]), "Π  = true\nΣs = a ↦ −, −, −, −\nΣh = emp");
}

/// The memory of the slides: `&i ↦ i⁰, i¹, i², i³ * &c ↦ c * &a ↦ a[0], a[1], a[2]`.
#[test]
fn assign() {
    let mut bench = model();
    let (i, c, a) = (
        variable(&mut bench, 4),
        variable(&mut bench, 1),
        variable(&mut bench, 3),
    );
    let value = bench.symbol("i", 32);
    bench.store_at(i, 0, 4, Value::Term(value));
    bench.store_at(c, 0, 1, Value::Int(99));
    for k in 0..3 {
        bench.store_at(a, k, 1, Value::Int(k));
    }
    let expected = "Π  = true\nΣs = a ↦ i⁰, i¹, i², i³ * b ↦ 99 * c ↦ 0, 1, 2\nΣh = emp";
    assert_eq!(text(&mut bench, &[]), expected);
}

#[test]
fn assign_inv_r() {
    let mut bench = model();
    let x = variable(&mut bench, 4);
    let read = AccessKind::Read;
    assert_eq!(
        loads(&mut bench, at(x, 1), 4),
        (vec![FaultKind::OutOfBounds(read)], false)
    );
    assert_eq!(
        loads(&mut bench, Value::Int(0), 4),
        (vec![FaultKind::Null(read)], false)
    );
}

#[test]
fn assign_inv_w() {
    let mut bench = model();
    let x = variable(&mut bench, 4);
    let write = AccessKind::Write;
    let zero = Value::Int(0);
    assert_eq!(
        stores(&mut bench, at(x, 4), 1, zero),
        (vec![FaultKind::OutOfBounds(write)], false)
    );
    assert_eq!(stores(&mut bench, zero, 1, zero), (vec![FaultKind::Null(write)], false));
}

/// `p ↦ x⁰, …, x³ * x ↦ −, −`, with pointers of four bytes.
#[test]
fn malloc_adds_a_segment() {
    let mut bench = Rules::new(32);
    let p = variable(&mut bench, 4);
    let x = malloc(&mut bench, 2);
    bench.store_at(p, 0, 4, at(x, 0));
    let expected = "Π  = true\nΣs = a ↦ b⁰, b¹, b², b³\nΣh = b ↦ −, −";
    assert_eq!(text(&mut bench, &[]), expected);
}

#[test]
fn free_removes_the_segment() {
    let mut bench = model();
    let x = malloc(&mut bench, 2);
    free(&mut bench, at(x, 0));
    assert_eq!(text(&mut bench, &[]), "Π  = true\nΣs = emp\nΣh = emp");
    let stale = vec![FaultKind::UseAfterFree(AccessKind::Read)];
    assert_eq!(loads(&mut bench, at(x, 0), 1), (stale, false));
}

/// Not in Σh: a variable, or a segment that is gone.
#[test]
fn free_inv1() {
    let mut bench = model();
    let x = variable(&mut bench, 4);
    assert_eq!(frees(&mut bench, at(x, 0)), (vec![FaultKind::InvalidFree], false));
    let gone = malloc(&mut bench, 4);
    free(&mut bench, at(gone, 0));
    assert_eq!(frees(&mut bench, at(gone, 0)), (vec![FaultKind::DoubleFree], false));
}

/// `segmentSize(E) = −1`: not where a segment starts.
#[test]
fn free_inv2() {
    let mut bench = model();
    let x = malloc(&mut bench, 4);
    assert_eq!(frees(&mut bench, at(x, 1)), (vec![FaultKind::InvalidFree], false));
}

/// Π decides what is feasible, and the formula shows it.
#[test]
fn assume() {
    let mut bench = model();
    let (x, i) = (variable(&mut bench, 4), bench.symbol("i", 64));
    let p = bench.at(x, i);
    assert_eq!(
        loads(&mut bench, p, 1),
        (vec![FaultKind::OutOfBounds(AccessKind::Read)], true)
    );
    bench.below(i, 4);
    assert_eq!(loads(&mut bench, p, 1), (Vec::new(), true));
    let four = bench.word(4);
    let clause = bench.terms.ult(i, four);
    assert!(
        text(&mut bench, &[clause]).starts_with("Π  = i <u 4"),
        "{}",
        text(&mut bench, &[clause])
    );
}

/// `oos(x)`, and what FUNRET does to Σ^P.
#[test]
fn outofscope() {
    let mut bench = model();
    let x = variable(&mut bench, 4);
    bench.memory.end(x, Death::Scope);
    assert_eq!(text(&mut bench, &[]), "Π  = true\nΣs = emp\nΣh = emp");
    let stale = vec![FaultKind::UseAfterScope(AccessKind::Read)];
    assert_eq!(loads(&mut bench, at(x, 0), 4), (stale, false));
}

// ---- allocation checks

/// Where E may be, and whether it may be nowhere.
fn targets(bench: &mut Rules, p: Value, n: u32) -> (Vec<u64>, bool) {
    let access = crate::Access {
        p,
        len: Value::Int(n.into()),
        kind: AccessKind::Read,
    };
    let resolution = bench.with(|mut heap, cx| super::check::resolve(&mut heap, cx, &access));
    let (mut places, mut fault) = (Vec::new(), false);
    for resolved in resolution.targets {
        match resolved.target {
            crate::Target::Object {
                offset: Value::Int(k), ..
            } => places.push(k),
            crate::Target::Fault(_) => fault = true,
            other => panic!("{other:?}"),
        }
    }
    (places, fault)
}

/// All three answer every heaplet that E may equal under Π, and the fault only where Π allows it.
#[test]
fn allocated_under_the_path() {
    for check in checks() {
        let mut bench = rules(check);
        let x = malloc(&mut bench, 4);
        let i = bench.symbol("i", 64);
        let p = bench.at(x, i);
        bench.below(i, 6);
        assert_eq!(targets(&mut bench, p, 1), (vec![0, 1, 2, 3], true), "{check:?}");
        assert_eq!(targets(&mut bench, p, 2), (vec![0, 1, 2], true), "{check:?}");
        bench.below(i, 2);
        assert_eq!(targets(&mut bench, p, 1), (vec![0, 1], false), "{check:?}");
        assert_eq!(targets(&mut bench, p, 3), (vec![0, 1], false), "{check:?}");
    }
}

/// One query for each heaplet, or one for each that is found and one more; none for the very same expression.
#[test]
fn the_checks_differ_in_queries() {
    let mut asked = BTreeMap::new();
    for check in [AllocCheck::Smt, AllocCheck::Model] {
        let mut bench = rules(check);
        let x = malloc(&mut bench, 32);
        let i = bench.symbol("i", 64);
        bench.below(i, 2);
        let (p, same) = (bench.at(x, i), at(x, 3));
        targets(&mut bench, same, 1);
        assert_eq!(bench.counters.resolution.get("queries"), 0);
        targets(&mut bench, p, 1);
        asked.insert(format!("{check:?}"), bench.counters.resolution.get("queries"));
    }
    // One of them is whether E is outside of the segment.
    assert_eq!(asked["Smt"], 32 + 1);
    assert_eq!(asked["Model"], 2 + 1 + 1);
}

/// The slides' variants, on the heaplets of one segment: they do not see Π, and SAT(F = E) means "may".
mod slides {
    use super::*;

    /// The first heaplet that E may equal, whatever Π says.
    pub fn smt(bench: &mut Rules, e: TermId, heaplets: &[TermId]) -> Option<usize> {
        let mut equal = |k: TermId| bench.terms.eq(k, e);
        let equals: Vec<TermId> = heaplets.iter().map(|&k| equal(k)).collect();
        let mut free = model();
        std::mem::swap(&mut free.terms, &mut bench.terms);
        std::mem::swap(&mut free.memory, &mut bench.memory);
        let may = |condition: &TermId| {
            let truth = free.with(|memory, cx| cx.may(memory.bases(), *condition));
            matches!(truth, Truth::Sometimes(_))
        };
        let found = equals.iter().position(may);
        std::mem::swap(&mut free.terms, &mut bench.terms);
        std::mem::swap(&mut free.memory, &mut bench.memory);
        found
    }

    /// `¬SAT(Σ * E ↦ −)`: E is certainly one of them.
    pub fn sl(bench: &mut Rules, e: TermId, heaplets: &[TermId]) -> bool {
        let mut one = bench.terms.fls();
        for &k in heaplets {
            let equal = bench.terms.eq(k, e);
            one = bench.terms.or(one, equal);
        }
        bench.must(one)
    }
}

/// With i unknown, the slides' SMT variant says "allocated" and names the first heaplet, SL says "not allocated"; Π may
/// exclude that heaplet, too. Here the answer is all heaplets and the fault.
#[test]
fn may_is_not_must() {
    let mut bench = model();
    let x = malloc(&mut bench, 4);
    let i = bench.symbol("i", 64);
    let e = bench.terms.pointer(x, i);
    let heaplets: Vec<TermId> = (0..4)
        .map(|k| {
            let k = bench.word(k);
            bench.terms.pointer(x, k)
        })
        .collect();
    let p = bench.at(x, i);
    assert_eq!(slides::smt(&mut bench, e, &heaplets), Some(0));
    assert!(!slides::sl(&mut bench, e, &heaplets));
    assert_eq!(targets(&mut bench, p, 1), (vec![0, 1, 2, 3], true));
    let two = bench.word(2);
    let from_two = bench.terms.ule(two, i);
    bench.assume(from_two);
    bench.below(i, 4);
    assert_eq!(
        slides::smt(&mut bench, e, &heaplets),
        Some(0),
        "Π excludes this heaplet"
    );
    assert_eq!(targets(&mut bench, p, 1), (vec![2, 3], false));
}
