//! The worked examples of *Symbolic Memory with Pointers*, sections 2 and 3, with the paper's numbers.

use super::Planes;
use crate::testing::{self, Bench};
use crate::{Alloc, Cells, End, FaultKind, Init, Many, Progression};
use mneme_term::{BaseId, BaseKind, Op, Sort, Symbol, SymbolKind, TermId, Value};

/// The state of Figure 2 after line 6, `A[3*i+1] = 999`.
struct Figure2 {
    bench: Bench<Planes>,
    /// The segments 1 (global data), 2 (stack) and 3 (from `malloc`).
    segments: [BaseId; 3],
    n: TermId,
    i: TermId,
    /// 4n.
    size: TermId,
}

/// Pointers have 4 bytes in the paper; with 8, numbers are sign-extended as in C.
fn figure_2(pointer_width: u32) -> Figure2 {
    let mut bench = Bench::<Planes>::new(pointer_width);
    let word = pointer_width / 8;
    let (n, i) = (bench.symbol("n", 32), bench.symbol("i", 32));
    // The example does not check bounds: these are inputs for which all accesses are inside.
    bench.below(n, 1 << 20);
    bench.below(i, 1 << 16);
    let four = bench.terms.constant(32, 4);
    let enough = bench.terms.ult(four, n);
    bench.assume(enough);
    let (three, one) = (bench.terms.constant(32, 3), bench.terms.constant(32, 1));
    let index = bench.terms.mul(i, three);
    let index = bench.terms.add(index, one);
    let inside = bench.terms.ult(index, n);
    bench.assume(inside);
    // Before line 3: Sizes = [(1:0, 4), (2:0, 1024)], A is NULL, n and i are on the stack.
    let data = bench.alloc(BaseKind::Global, word as u64, Init::Zero);
    let stack = bench.alloc(BaseKind::Stack, 1024, Init::Undefined);
    bench.store_at(data, 0, word, Value::Int(0));
    bench.store_at(stack, 0, 4, Value::Term(n));
    bench.store_at(stack, 4, 4, Value::Term(i));
    // 3: A = (int*)malloc(n * sizeof(int));
    let count = bench.terms.resize_sext(n, pointer_width);
    let four = bench.word(4);
    let size = bench.terms.mul(count, four);
    let heap = malloc(&mut bench, size);
    bench.store_at(data, 0, word, Value::Ptr { base: heap, offset: 0 });
    // 4, 5: A[3] = 777; A[4] = 888;
    for (index, value) in [(3, 777), (4, 888)] {
        let Value::Ptr { base, offset } = bench.load_at(data, 0, word) else {
            panic!("A is a pointer")
        };
        bench.store_at(base, offset + 4 * index, 4, Value::Int(value));
    }
    assert_eq!(
        bench.memory.directory.contents(heap).in_layer(),
        [(4 * 3, 4 * 5)],
        "constant addresses are in the boostMap"
    );
    // 6: A[3*i+1] = 999;
    let index = bench.terms.resize_sext(index, pointer_width);
    let offset = bench.terms.mul(index, four);
    let p = bench.at(heap, offset);
    bench.store(p, 4, Value::Int(999));
    Figure2 {
        bench,
        segments: [data, stack, heap],
        n,
        i,
        size,
    }
}

fn malloc(bench: &mut Bench<Planes>, size: TermId) -> BaseId {
    let what = Alloc {
        kind: BaseKind::Heap,
        size: Value::Term(size),
        align: 16,
        site: 1000,
        init: Init::Undefined,
    };
    match bench.done(|memory, cx| memory.alloc(cx, what)) {
        Value::Ptr { base, offset: 0 } => base,
        other => panic!("an allocation gave {other:?}"),
    }
}

const BOTH: [u32; 2] = [32, 64];

/// Sizes = [(1:0, 4), (2:0, 1024), (3:0, 4n)], the size of the third a term without a bound.
#[test]
fn figure_2_leaves_the_sizes_of_the_paper() {
    for width in BOTH {
        let Figure2 {
            bench, segments, size, ..
        } = figure_2(width);
        let sizes = segments.map(|segment| bench.memory.header(segment).expect("it was made").size);
        assert_eq!(
            sizes,
            [Value::Int(width as u64 / 8), Value::Int(1024), Value::Term(size)]
        );
    }
}

/// The collision table of section 3: of 2:0, 2:4, 3:12 and 3:16 only the last collides with 3:4(3i+1), so
/// boostMap = {(2:0, n), (2:4, i), (3:4*3, 777)} and iteList = [(3:4*4, 888), (3:4(3i+1), 999)].
#[test]
fn figure_2_moves_what_collides_and_nothing_else() {
    for width in BOTH {
        let Figure2 {
            bench,
            segments: [_, stack, heap],
            ..
        } = figure_2(width);
        assert_eq!(bench.memory.directory.contents(stack).in_layer(), [(0, 8)]);
        assert_eq!(bench.memory.directory.contents(heap).in_layer(), [(4 * 3, 4 * 4)]);
        let list = bench.memory.directory.contents(heap).in_list(&bench.terms);
        assert_eq!(list, [Some((4 * 4, 4)), None], "888, then 999 at a symbolic address");
    }
}

/// Reading A[3] is answered by the boostMap: 777, and no if-then-else.
#[test]
fn reading_a_3_gives_777_without_a_question() {
    for width in BOTH {
        let Figure2 {
            mut bench,
            segments: [.., heap],
            ..
        } = figure_2(width);
        let asked = bench.collisions();
        assert_eq!(bench.load_at(heap, 4 * 3, 4), Value::Int(777));
        assert_eq!(bench.collisions(), asked);
    }
}

/// A[4] is ite(i = 1, 999, 888), and no larger than that.
#[test]
fn reading_a_4_gives_999_or_888() {
    for width in BOTH {
        let Figure2 {
            mut bench,
            segments: [.., heap],
            i,
            ..
        } = figure_2(width);
        let value = bench.load_at(heap, 4 * 4, 4);
        let one = bench.terms.constant(32, 1);
        let is_one = bench.terms.eq(i, one);
        let (a, b) = (bench.terms.constant(32, 999), bench.terms.constant(32, 888));
        let expected = bench.terms.ite(is_one, a, b);
        assert!(bench.equal(value, expected));
        assert_eq!(bench.count(value, |op| op == Op::Ite), 1, "one choice");
        assert_eq!(bench.count(value, |op| matches!(op, Op::Lookup(_) | Op::Select)), 0);
        let size = bench.count(value, |_| true);
        assert!(size <= 10, "a small term, not {size} nodes");
    }
}

/// An unwritten cell has its default value δ: a symbol of kind *uninit* and nothing else. A[7] may have been written.
#[test]
fn an_unwritten_cell_has_its_default() {
    for width in BOTH {
        let Figure2 {
            mut bench,
            segments: [.., heap],
            n,
            i,
            ..
        } = figure_2(width);
        let eight = bench.terms.constant(32, 8);
        let enough = bench.terms.uge(n, eight);
        bench.assume(enough);
        let Value::Term(default) = bench.load_at(heap, 4 * 5, 4) else {
            panic!("a symbol")
        };
        assert!(bench.terms.has_uninit(default));
        let input = bench.terms.has_kind(default, SymbolKind::Input);
        assert!(!input, "5 = 3i + 1 has no solution");
        let value = bench.load_at(heap, 4 * 7, 4);
        let two = bench.terms.constant(32, 2);
        let is_two = bench.terms.eq(i, two);
        assert!(bench.is_when(is_two, value, 999, 4));
        let otherwise = bench.terms.not(is_two);
        assert!(!bench.is_when(otherwise, value, 999, 4));
    }
}

/// Section 2.3: `char A[n]; memset(A, 0, n)` is one record, (σ : λω. ω_A <= ω < ω_A + n, 0). With k < n, A[k] is 0
/// without a choice.
#[test]
fn memset_of_all_of_a_segment_is_one_multi_write() {
    for width in BOTH {
        let mut bench = Bench::<Planes>::new(width);
        let (n, k) = (bench.symbol("n", width), bench.symbol("k", width));
        bench.below(n, 1 << 20);
        let inside = bench.terms.ult(k, n);
        bench.assume(inside);
        let a = malloc(&mut bench, n);
        let start = Value::Ptr { base: a, offset: 0 };
        bench.fill(start, 0, Value::Term(n));
        assert_eq!(bench.memory.directory.contents(a).in_list(&bench.terms), [None]);
        let p = bench.at(a, k);
        assert_eq!(bench.load(p, 1), Value::Int(0));
    }
}

/// A[k] is 0 for k < n, and unchanged for k >= n; a concrete write afterwards is in the boostMap again.
#[test]
fn memset_of_a_part() {
    for width in BOTH {
        let mut bench = Bench::<Planes>::new(width);
        let a = bench.alloc(BaseKind::Stack, 16, Init::Undefined);
        let start = Value::Ptr { base: a, offset: 0 };
        bench.fill(start, 7, Value::Int(16));
        let (n, k) = (bench.symbol("n", width), bench.symbol("k", width));
        bench.below(n, 17);
        bench.below(k, 16);
        bench.fill(start, 0, Value::Term(n));
        let p = bench.at(a, k);
        let value = bench.load(p, 1);
        let inside = bench.terms.ult(k, n);
        let outside = bench.terms.not(inside);
        assert!(bench.is_when(inside, value, 0, 1));
        assert!(bench.is_when(outside, value, 7, 1));
        let value = bench.load_at(a, 2, 4);
        let four = bench.word(4);
        let exactly = bench.terms.eq(n, four);
        assert!(
            bench.is_when(exactly, value, 0x0707_0000, 4),
            "half inside, half outside"
        );
        bench.store_at(a, 3, 1, Value::Int(9));
        assert_eq!(bench.memory.fast_load(a, 3, 1), Some(Value::Int(9)));
    }
}

/// A pointer with several segments: one conditional write into each, one conditional value, no fork.
#[test]
fn symbolic_segments_do_not_fork() {
    let mut bench = Bench::<Planes>::new(64);
    let segments: Vec<BaseId> = (0..3).map(|_| bench.alloc(BaseKind::Heap, 8, Init::Zero)).collect();
    let i = bench.symbol("i", 64);
    bench.below(i, 3);
    let mut p = bench.terms.base(segments[2]);
    for k in [1, 0] {
        let (number, base) = (bench.word(k), bench.terms.base(segments[k as usize]));
        let here = bench.terms.eq(i, number);
        p = bench.terms.ite(here, base, p);
    }
    let p = bench.terms.to_value(p);
    bench.store(p, 4, Value::Int(42));
    let value = bench.load(p, 4);
    let always = bench.terms.tru();
    assert!(bench.is_when(always, value, 42, 4));
    for (k, &segment) in segments.iter().enumerate() {
        let value = bench.load_at(segment, 0, 4);
        let number = bench.word(k as u64);
        let here = bench.terms.eq(i, number);
        let elsewhere = bench.terms.not(here);
        assert!(bench.is_when(here, value, 42, 4));
        assert!(bench.is_when(elsewhere, value, 0, 4));
    }
}

/// A record that a newer one covers at the same address is useless, and removed.
#[test]
fn useless_records_are_removed() {
    let mut bench = Bench::<Planes>::new(64);
    let a = bench.alloc(BaseKind::Heap, 64, Init::Zero);
    let i = bench.symbol("i", 64);
    bench.below(i, 8);
    let four = bench.word(4);
    let offset = bench.terms.mul(i, four);
    let p = bench.at(a, offset);
    for value in 0..100 {
        bench.store(p, 4, Value::Int(value));
    }
    assert_eq!(bench.memory.directory.contents(a).in_list(&bench.terms).len(), 1);
    assert_eq!(bench.load(p, 4), Value::Int(99));
}

/// Section 4: what was written with one type is read with another.
#[test]
fn writes_are_visible_to_readers_of_every_type() {
    let mut bench = Bench::<Planes>::new(64);
    let a = bench.alloc(BaseKind::Heap, 16, Init::Zero);
    bench.store_at(a, 0, 4, Value::Int(0x4433_2211));
    bench.store_at(a, 3, 2, Value::Int(0xbbaa));
    assert_eq!(bench.load_at(a, 0, 8), Value::Int(0xbb_aa33_2211));
    let i = bench.symbol("i", 64);
    bench.below(i, 16);
    let p = bench.at(a, i);
    bench.store(p, 1, Value::Int(0xff));
    let value = bench.load_at(a, 0, 8);
    let two = bench.word(2);
    let second = bench.terms.eq(i, two);
    assert!(bench.is_when(second, value, 0xbb_aaff_2211, 8));
}

/// A conditional write over a pointer and its neighbour: where it does not happen, the pointer is still whole.
#[test]
fn a_conditional_write_leaves_pointers_whole() {
    let mut bench = Bench::<Planes>::new(32);
    let a = bench.alloc(BaseKind::Heap, 16, Init::Zero);
    let b = bench.alloc(BaseKind::Heap, 16, Init::Zero);
    bench.store_at(a, 0, 4, Value::Ptr { base: b, offset: 8 });
    bench.store_at(a, 4, 2, Value::Int(0x1234));
    let i = bench.symbol("i", 32);
    let (pa, pb) = (bench.terms.base(a), bench.terms.base(b));
    let five = bench.terms.constant(32, 5);
    let here = bench.terms.eq(i, five);
    let p = bench.terms.ite(here, pa, pb);
    let p = bench.terms.to_value(p);
    bench.store(p, 6, Value::Int(0xffff_ffff_ffff));
    let Value::Term(word) = bench.load_at(a, 0, 4) else {
        panic!("it depends on i")
    };
    let cases = bench.terms.cases(word);
    assert!(cases.iter().any(|case| case.base == Some(b)), "{cases:?}");
}

/// Section 2.3: the multi-write `(σ:λω. ω_A ≤ ω < ω_A + n, λω. (ω − ω_A) mod 2)` sets even elements to 0 and odd ones
/// to 1, and no others.
#[test]
fn a_multi_write_of_a_function_of_the_offset() {
    let mut bench = Bench::<Planes>::new(32);
    let array = bench.alloc(BaseKind::Heap, 100, Init::Undefined);
    let (n, k) = (bench.symbol("n", 32), bench.symbol("k", 32));
    bench.below(n, 51);
    bench.below(k, 100);
    // The array begins at 10 here.
    let start = bench.word(10);
    let index = testing::index(&mut bench);
    let variable = bench.terms.symbol(index);
    let bit = bench.terms.extract(variable, 0, 1);
    let what = Progression {
        start,
        cells: Cells {
            count: n,
            stride: 1,
            bytes: 1,
            index,
            value: bench.terms.zext(bit, 8),
        },
    };
    bench.progress(array, &what);
    let p = bench.at(array, k);
    let value = bench.load(p, 1);
    let value = bench.terms.of_value(value, 8);
    let distance = bench.terms.sub(k, start);
    let inside = bench.terms.ult(distance, n);
    let odd = bench.terms.extract(distance, 0, 1);
    let odd = bench.terms.zext(odd, 8);
    let right = bench.terms.eq(value, odd);
    let holds = bench.terms.implies(inside, right);
    assert!(bench.must(holds));
    let wrong = bench.terms.not(right);
    let outside = bench.terms.not(inside);
    let free = bench.terms.and(outside, wrong);
    assert!(bench.may(free), "elsewhere nothing is known");
    assert_eq!(
        bench.memory.directory.contents(array).in_list(&bench.terms).len(),
        1,
        "one record"
    );
}

#[test]
fn progressions_agree_with_writes_one_by_one() {
    testing::progressions_agree_with_writes_one_by_one::<Planes>(&());
}

/// Section 3: the test for initialisation of all places of a λ-address is the formula `∀ω. φ(ω) → ψ(ω)`, here for the n
/// bytes from 10 on after m of them were written.
#[test]
fn all_of_a_set_of_places_is_initialised() {
    let mut bench = Bench::<Planes>::new(32);
    let array = bench.alloc(BaseKind::Heap, 100, Init::Undefined);
    let (n, m) = (bench.symbol("n", 32), bench.symbol("m", 32));
    bench.below(n, 20);
    bench.below(m, 20);
    let (start, zero) = (bench.word(10), Value::Int(0));
    let p = bench.at(array, start);
    bench.done(|memory, cx| memory.fill(cx, p, zero, Value::Term(m)));
    let bound = bench.terms.symbol_id(Symbol {
        name: "omega".into(),
        kind: SymbolKind::Bound,
        sort: Sort::Bits(32),
    });
    let variable = bench.terms.symbol(bound);
    let place = bench.terms.add(start, variable);
    let written = bench
        .memory
        .directory
        .contents(array)
        .initialised(&mut bench.terms, place);
    let all = bench.terms.forall(bound, n, written);
    let enough = bench.terms.ule(n, m);
    let same = bench.terms.eq(all, enough);
    assert!(bench.must(same));
}

/// Section 3: a multi-allocation of φ segments of the common size ψ is one write into *Sizes*; a deallocation writes 0
/// for one of them.
#[test]
fn a_multi_allocation_is_one_base_with_many_members() {
    let mut bench = Bench::<Planes>::new(64);
    let (count, k, m) = (bench.symbol("phi", 64), bench.symbol("k", 64), bench.symbol("m", 64));
    bench.below(count, 1001);
    let inside = bench.terms.ult(k, count);
    bench.assume(inside);
    let inside = bench.terms.ult(m, count);
    bench.assume(inside);
    let what = Alloc {
        kind: BaseKind::Heap,
        size: Value::Int(8),
        align: 16,
        site: 1000,
        init: Init::Zero,
    };
    let many = Many { count, most: 1001 };
    let (memory, base) = bench.with(|mut memory, cx| {
        let base = memory.alloc_many(cx, what, many);
        (memory, base)
    });
    bench.memory = memory;
    let base = base.expect("there is room");
    let member = |bench: &mut Bench<Planes>, number, at| {
        let at = bench.word(at);
        let start = bench.terms.member(number, 5);
        let offset = bench.terms.add(start, at);
        bench.at(base, offset)
    };
    // Block k is written, block m is read: 42 exactly where they are the same.
    let p = member(&mut bench, k, 4);
    bench.store(p, 4, Value::Int(42));
    let p = member(&mut bench, m, 4);
    let value = bench.load(p, 4);
    let value = bench.terms.of_value(value, 32);
    let answer = bench.terms.constant(32, 42);
    let (found, same) = (bench.terms.eq(value, answer), bench.terms.eq(k, m));
    let agree = bench.terms.eq(found, same);
    assert!(bench.must(agree));
    // Bytes after a block, and blocks that were never made, are out of bounds.
    for (number, at) in [(k, 8), (k, 32), (k, 4096), (k, u64::MAX), (count, 0)] {
        let p = member(&mut bench, number, at);
        let branches = bench.with(|memory, cx| memory.load(cx, p, 1));
        assert!(
            branches
                .iter()
                .all(|branch| matches!(branch.end, End::Fault(_)) || !bench.may(branch.guard))
        );
    }
    // Only the start of a block can be freed; the fault says how far from it the pointer is.
    let (p, inner) = (member(&mut bench, k, 1), bench.word(1));
    let branches = bench.with(|memory, cx| memory.free(cx, p));
    for branch in branches {
        let told =
            matches!(&branch.end, End::Fault(fault) if fault.kind == FaultKind::InvalidFree && fault.offset == inner);
        assert!(told || !bench.may(branch.guard));
    }
    // After one is freed, it is gone and the others are still there.
    let p = member(&mut bench, k, 0);
    bench.done(|memory, cx| memory.free(cx, p));
    let branches = bench.with(|memory, cx| memory.free(cx, p));
    for branch in branches {
        assert!(
            matches!(&branch.end, End::Fault(fault) if fault.kind == FaultKind::DoubleFree) || !bench.may(branch.guard)
        );
    }
    let p = member(&mut bench, m, 0);
    let other = bench.terms.not(same);
    let branches = bench.with(|memory, cx| memory.load(cx, p, 1));
    for branch in branches {
        let possible = bench.terms.and(branch.guard, other);
        assert!(matches!(branch.end, End::Done(_)) || !bench.may(possible));
    }
}

/// Sections 2.1 and 4 keep values of one type in their own plane, so that a read deals with no others. Fields of
/// records are distinguished by their offsets: writes to one field at any index raise no question for a reader of
/// another, even of the same type.
#[test]
fn members_of_records_do_not_collide() {
    for (size, members) in [(12, [0, 4, 8]), (24, [0, 8, 16]), (40, [0, 24, 36]), (20, [0, 4, 12])] {
        let mut bench = Bench::<Planes>::new(32);
        let table = bench.alloc(BaseKind::Heap, 6 * size, Init::Zero);
        let place = |bench: &mut Bench<Planes>, name: &str, member: u64| {
            let index = bench.symbol(name, 32);
            bench.below(index, 6);
            let (size, member) = (bench.word(size), bench.word(member));
            let offset = bench.terms.mul(index, size);
            let offset = bench.terms.add(offset, member);
            bench.at(table, offset)
        };
        let [read, other, beside] = members;
        let wanted = place(&mut bench, "i", read);
        bench.store(wanted, 4, Value::Int(42));
        let before = bench.collisions();
        for k in 0..10 {
            for member in [other, beside] {
                let p = place(&mut bench, &format!("k{k}_{member}"), member);
                bench.store(p, 4, Value::Int(k));
            }
        }
        assert_eq!(bench.load(wanted, 4), Value::Int(42), "records of {size} bytes");
        assert_eq!(bench.collisions(), before, "records of {size} bytes");
    }
}

/// Section 4: without an analysis that finds the writes that are read with another type, each would be repeated in
/// every plane. Here a write is one record, and a union can be read through every member.
#[test]
fn a_write_is_one_record_for_readers_of_every_type() {
    let mut bench = Bench::<Planes>::new(64);
    let table = bench.alloc(BaseKind::Heap, 6 * 24, Init::Zero);
    let index = bench.symbol("i", 64);
    bench.below(index, 6);
    let (size, member) = (bench.word(24), bench.word(8));
    let offset = bench.terms.mul(index, size);
    let offset = bench.terms.add(offset, member);
    let p = bench.at(table, offset);
    bench.store(p, 4, Value::Int(0x4049_0fdb));
    assert_eq!(bench.memory.directory.contents(table).in_list(&bench.terms).len(), 1);
    for (n, value) in [(1, 0xdb), (2, 0x0fdb), (4, 0x4049_0fdb), (8, 0x4049_0fdb)] {
        let read = bench.load(p, n);
        let always = bench.terms.tru();
        assert!(bench.is_when(always, read, value, n), "{n} bytes");
    }
}
