//! The worked examples of *Symbolic Memory with Pointers*, sections 2 and 3, with the paper's numbers.

use super::PlanesNaive;
use super::records::{Span, Spread};
use super::{Options, Reads};
use crate::Init;
use crate::testing::{self, Bench};
use mneme_term::{BaseId, BaseKind, Op, SymbolKind, TermId, Value};

/// The state of Figure 2 after line 6, `A[3*i+1] = 999`.
struct Figure2 {
    bench: Bench<PlanesNaive>,
    /// The segments 1 (global data), 2 (stack) and 3 (from `malloc`).
    segments: [BaseId; 3],
    n: TermId,
    i: TermId,
}

/// Pointers have 4 bytes in the paper; with 8, the index is sign-extended as in C.
fn figure_2(pointer_width: u32) -> Figure2 {
    figure_2_read(pointer_width, Reads::List)
}

fn reading(reads: Reads) -> Options {
    Options { reads }
}

fn figure_2_read(pointer_width: u32, reads: Reads) -> Figure2 {
    let mut bench = Bench::<PlanesNaive>::with_options(pointer_width, &reading(reads));
    let word = pointer_width / 8;
    let (n, i) = (bench.symbol("n", 32), bench.symbol("i", 32));
    // Sizes are concrete here: 4n bytes for n = 64, and an i that keeps 3i + 1 below it.
    bench.below(i, 21);
    // Before line 3: Sizes = [(1:0, 4), (2:0, 1024)], A is NULL, n and i are on the stack.
    let data = bench.alloc(BaseKind::Global, word as u64, Init::Zero);
    let stack = bench.alloc(BaseKind::Stack, 1024, Init::Undefined);
    bench.store_at(data, 0, word, Value::Int(0));
    bench.store_at(stack, 0, 4, Value::Term(n));
    bench.store_at(stack, 4, 4, Value::Term(i));
    // 3: A = (int*)malloc(n * sizeof(int));
    let heap = bench.alloc(BaseKind::Heap, 4 * 64, Init::Undefined);
    bench.store_at(data, 0, word, Value::Ptr { base: heap, offset: 0 });
    // 4, 5: A[3] = 777; A[4] = 888;
    for (index, value) in [(3, 777), (4, 888)] {
        let Value::Ptr { base, offset } = bench.load_at(data, 0, word) else {
            panic!("A is a pointer")
        };
        bench.store_at(base, offset + 4 * index, 4, Value::Int(value));
    }
    // 6: A[3*i+1] = 999;
    let Value::Term(index) = bench.load_at(stack, 4, 4) else {
        panic!("i is symbolic")
    };
    let three = bench.terms.constant(32, 3);
    let one = bench.terms.constant(32, 1);
    let index = bench.terms.mul(index, three);
    let index = bench.terms.add(index, one);
    let index = bench.terms.resize_sext(index, pointer_width);
    let four = bench.word(4);
    let offset = bench.terms.mul(index, four);
    let p = bench.at(heap, offset);
    bench.store(p, 4, Value::Int(999));
    Figure2 {
        bench,
        segments: [data, stack, heap],
        n,
        i,
    }
}

const BOTH: [u32; 2] = [32, 64];

/// Integers = [(2:0, n), (2:4, i), (3:4*3, 777), (3:4*4, 888), (3:4(3i+1), 999)], Segments and Offsets = [(1:0, 0:0),
/// (1:0, 3:0)], in the order of the writes.
#[test]
fn figure_2_leaves_the_records_of_the_paper() {
    for width in BOTH {
        let Figure2 {
            bench,
            segments: [data, stack, heap],
            n,
            i,
        } = figure_2(width);
        let records = bench.memory.model.records.iter().map(|record| {
            let [place] = &record.places[..] else {
                panic!("every address of the example has one segment")
            };
            let Span::Cell { value, .. } = record.span else {
                panic!("the example has no multi-writes")
            };
            (place.base, bench.terms.as_const(place.offset), value)
        });
        let a = Value::Ptr { base: heap, offset: 0 };
        let expected = [
            (data, Some(0), Value::Int(0)),
            (stack, Some(0), Value::Term(n)),
            (stack, Some(4), Value::Term(i)),
            (data, Some(0), a),
            (heap, Some(4 * 3), Value::Int(777)),
            (heap, Some(4 * 4), Value::Int(888)),
            (heap, None, Value::Int(999)),
        ];
        assert_eq!(records.collect::<Vec<_>>(), expected);
        let sizes = [data, stack, heap].map(|segment| bench.memory.header(segment).expect("it was made").size);
        assert_eq!(sizes, [Value::Int(width as u64 / 8), Value::Int(1024), Value::Int(256)]);
    }
}

/// "We can further see that the equation 2 = 3i does not have any solution": A[3] is 777, and no if-then-else.
#[test]
fn reading_a_3_gives_777() {
    for width in BOTH {
        let Figure2 {
            mut bench,
            segments: [.., heap],
            ..
        } = figure_2(width);
        assert_eq!(bench.load_at(heap, 4 * 3, 4), Value::Int(777));
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
            i,
            ..
        } = figure_2(width);
        let Value::Term(default) = bench.load_at(heap, 4 * 5, 4) else {
            panic!("a symbol")
        };
        assert!(bench.terms.has_uninit(default));
        assert!(
            !bench.terms.has_kind(default, SymbolKind::Input),
            "5 = 3i + 1 has no solution"
        );
        assert_eq!(
            bench.load_at(heap, 4 * 5, 4),
            Value::Term(default),
            "the default stays the same"
        );
        let value = bench.load_at(heap, 4 * 7, 4);
        let two = bench.terms.constant(32, 2);
        let is_two = bench.terms.eq(i, two);
        assert!(bench.is_when(is_two, value, 999, 4));
        let otherwise = bench.terms.not(is_two);
        assert!(!bench.is_when(otherwise, value, 999, 4));
    }
}

/// Section 3: 3:4(3i+1) collides with 3:52, when i = 4, and with 3:4*4, but with none of 3:4*3, 2:0, 2:4.
#[test]
fn collisions_of_the_symbolic_write() {
    let Figure2 {
        mut bench,
        segments: [_, stack, heap],
        n,
        i,
    } = figure_2(32);
    let value = bench.load_at(heap, 52, 4);
    let four = bench.terms.constant(32, 4);
    let is_four = bench.terms.eq(i, four);
    assert!(bench.is_when(is_four, value, 999, 4));
    assert_eq!(bench.load_at(stack, 0, 4), Value::Term(n));
    assert_eq!(bench.load_at(stack, 4, 4), Value::Term(i));
}

/// Section 2.3: `memset(A, 0, n)` is one record, (σ : λω. ω_A <= ω < ω_A + n, 0). A[k] is 0 for k < n, and unchanged
/// for k >= n.
#[test]
fn memset_of_symbolic_length_is_one_multi_write() {
    for width in BOTH {
        let mut bench = Bench::<PlanesNaive>::new(width);
        let a = bench.alloc(BaseKind::Stack, 16, Init::Undefined);
        let start = Value::Ptr { base: a, offset: 0 };
        bench.fill(start, 7, Value::Int(16));
        let (n, k) = (bench.symbol("n", width), bench.symbol("k", width));
        bench.below(n, 17);
        bench.below(k, 16);
        bench.fill(start, 0, Value::Term(n));
        assert_eq!(bench.memory.model.records.len(), 2, "one record for each memset");
        assert!(
            matches!(&bench.memory.model.records[1].span, Span::Range { len, spread: Spread::Byte(_) } if *len == n)
        );
        let p = bench.at(a, k);
        let value = bench.load(p, 1);
        let inside = bench.terms.ult(k, n);
        let outside = bench.terms.not(inside);
        assert!(bench.is_when(inside, value, 0, 1));
        assert!(bench.is_when(outside, value, 7, 1));
        // At a concrete offset: A[3] depends only on n, and is decided where n is.
        let value = bench.load_at(a, 3, 1);
        let three = bench.word(3);
        let inside = bench.terms.ult(three, n);
        assert!(bench.is_when(inside, value, 0, 1));
        bench.assume(inside);
        assert_eq!(bench.load_at(a, 3, 1), Value::Int(0), "the solver knows that 3 < n");
        let value = bench.load_at(a, 2, 4);
        let four = bench.word(4);
        let exactly = bench.terms.eq(n, four);
        assert!(
            bench.is_when(exactly, value, 0x0707_0000, 4),
            "half inside, half outside"
        );
    }
}

/// Section 4: what was written with one type is read with another.
#[test]
fn writes_are_visible_to_readers_of_every_type() {
    let mut bench = Bench::<PlanesNaive>::new(64);
    let a = bench.alloc(BaseKind::Heap, 16, Init::Zero);
    bench.store_at(a, 0, 4, Value::Int(0x4433_2211));
    bench.store_at(a, 3, 2, Value::Int(0xbbaa));
    assert_eq!(bench.load_at(a, 0, 8), Value::Int(0xbb_aa33_2211));
    assert_eq!(bench.load_at(a, 2, 2), Value::Int(0xaa33));
}

/// A copy is a multi-write whose value is what the source held at the time, even after the source is freed.
#[test]
fn a_copy_outlives_its_source() {
    let mut bench = Bench::<PlanesNaive>::new(64);
    let (from, to) = (
        bench.alloc(BaseKind::Heap, 8, Init::Zero),
        bench.alloc(BaseKind::Heap, 8, Init::Undefined),
    );
    let (p, q) = (Value::Ptr { base: from, offset: 0 }, Value::Ptr { base: to, offset: 0 });
    bench.store_at(from, 0, 1, Value::Int(5));
    bench.copy(q, p, Value::Int(8));
    bench.store_at(from, 0, 1, Value::Int(6));
    bench.done(|memory, cx| memory.free(cx, p));
    assert_eq!(bench.load(q, 8), Value::Int(5));
}

/// Section 5: the expression over all records, simplified by the solver, has the values of Figure 2.
#[test]
fn the_solver_simplifies_reads() {
    for width in BOTH {
        let Figure2 {
            mut bench,
            segments: [_, stack, heap],
            n,
            i,
        } = figure_2_read(width, Reads::Solver);
        assert_eq!(bench.load_at(stack, 0, 4), Value::Term(n), "no other record collides");
        let value = bench.load_at(heap, 4 * 3, 4);
        let expected = bench.terms.constant(32, 777);
        assert!(bench.equal(value, expected));
        let value = bench.load_at(heap, 4 * 4, 4);
        let one = bench.terms.constant(32, 1);
        let is_one = bench.terms.eq(i, one);
        let (a, b) = (bench.terms.constant(32, 999), bench.terms.constant(32, 888));
        let expected = bench.terms.ite(is_one, a, b);
        assert!(bench.equal(value, expected));
    }
}

#[test]
fn progressions_agree_with_writes_one_by_one() {
    for reads in [Reads::List, Reads::Solver] {
        testing::progressions_agree_with_writes_one_by_one::<PlanesNaive>(&reading(reads));
    }
}
