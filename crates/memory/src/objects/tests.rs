//! Contents in use: what the base layer, tables and updates give for reads.

use super::{Objects, Options, PieceSize, Resolve, Split};
use crate::testing::{self, Bench};
use crate::{Alloc, Init, Source};
use mneme_term::{BaseId, BaseKind, Op, Sort, Symbol, SymbolKind, TermId, Value};

fn bench() -> Bench<Objects> {
    Bench::new(64)
}

/// An object whose byte k is k.
fn counting(bench: &mut Bench<Objects>, size: u64) -> BaseId {
    let base = bench.alloc(BaseKind::Global, size, Init::Zero);
    let bytes: Vec<u8> = (0..size).map(|k| k as u8).collect();
    testing::init(bench, base, 0, &bytes);
    base
}

/// A 64-bit index below `limit`: if `limit` is a power of two the terms know its range, otherwise only the path does.
fn index(bench: &mut Bench<Objects>, name: &str, limit: u64) -> TermId {
    if limit.is_power_of_two() {
        let symbol = bench.symbol(name, limit.trailing_zeros());
        return bench.terms.zext(symbol, 64);
    }
    let symbol = bench.symbol(name, 64);
    bench.below(symbol, limit);
    symbol
}

fn is(bench: &mut Bench<Objects>, term: TermId, n: u64) -> TermId {
    let n = bench.terms.constant(bench.terms.width(term), n);
    bench.terms.eq(term, n)
}

fn start(base: BaseId) -> Value {
    Value::Ptr { base, offset: 0 }
}

/// A write at a symbolic offset: a concrete read gives the written value where the offsets are equal, and the old one
/// elsewhere; a later concrete write hides both.
#[test]
fn concrete_reads_after_a_symbolic_write() {
    let mut bench = bench();
    let a = counting(&mut bench, 16);
    let i = index(&mut bench, "i", 16);
    let p = bench.at(a, i);
    bench.store(p, 1, Value::Int(0xaa));
    assert_eq!(bench.memory.fast_load(a, 5, 1), None, "no fast path past an update");
    let value = bench.load_at(a, 5, 1);
    let hit = is(&mut bench, i, 5);
    let miss = bench.terms.not(hit);
    assert!(bench.is_when(hit, value, 0xaa, 1));
    assert!(bench.is_when(miss, value, 5, 1));
    let wide = bench.load_at(a, 4, 4);
    assert!(bench.is_when(hit, wide, 0x0706_aa04, 4), "one byte of a wider read");
    bench.store_at(a, 4, 4, Value::Int(0x0102_0304));
    assert_eq!(bench.load_at(a, 4, 4), Value::Int(0x0102_0304));
    assert_eq!(bench.load_at(a, 5, 2), Value::Int(0x0203));
}

/// An aligned write at a symbolic index and an aligned read make one comparison, not one per byte.
#[test]
fn aligned_writes_stay_in_one_piece() {
    let mut bench = bench();
    let a = bench.alloc(BaseKind::Heap, 64, Init::Zero);
    let i = index(&mut bench, "i", 16);
    let four = bench.word(4);
    let offset = bench.terms.mul(i, four);
    let p = bench.at(a, offset);
    let d = bench.symbol("d", 32);
    bench.store(p, 4, Value::Term(d));
    let value = bench.load_at(a, 8, 4);
    let hit = is(&mut bench, i, 2);
    let zero = bench.terms.constant(32, 0);
    let expected = bench.terms.ite(hit, d, zero);
    assert_eq!(value, Value::Term(expected));
    assert_eq!(bench.load(p, 4), Value::Term(d), "read where it was written");
}

/// Reading a constant table at a symbolic index is one lookup of whole entries; equal entries are not repeated.
#[test]
fn a_constant_table_is_a_lookup() {
    let mut bench = bench();
    let a = bench.alloc(BaseKind::Global, 16 * 4, Init::Zero);
    for k in [1u64, 2, 3, 5, 7, 11, 13] {
        testing::init(&mut bench, a, 4 * k, &(1000 * k as u32).to_le_bytes());
    }
    bench.memory.protect(a);
    let i = index(&mut bench, "i", 16);
    let four = bench.word(4);
    let offset = bench.terms.mul(i, four);
    let p = bench.at(a, offset);
    let value = bench.load(p, 4);
    assert_eq!(bench.count(value, |op| matches!(op, Op::Lookup(_))), 1);
    assert_eq!(
        bench.count(value, |op| matches!(op, Op::Ite | Op::Select | Op::Concat)),
        0,
        "no bytes glued together"
    );
    for k in 0..16 {
        let here = is(&mut bench, i, k);
        let expected = if [1, 2, 3, 5, 7, 11, 13].contains(&k) {
            1000 * k
        } else {
            0
        };
        assert!(bench.is_when(here, value, expected, 4), "entry {k}");
    }
}

/// A table of pointers read at a symbolic index is a choice between these pointers.
#[test]
fn a_table_of_pointers_keeps_its_bases() {
    let mut bench = bench();
    let targets = [counting(&mut bench, 8), counting(&mut bench, 12)];
    let table = bench.alloc(BaseKind::Global, 32, Init::Zero);
    for (k, target) in [(0, targets[0]), (1, targets[1]), (3, targets[0])] {
        bench.store_at(
            table,
            8 * k,
            8,
            Value::Ptr {
                base: target,
                offset: k,
            },
        );
    }
    let i = index(&mut bench, "i", 4);
    let eight = bench.word(8);
    let offset = bench.terms.mul(i, eight);
    let p = bench.at(table, offset);
    let Value::Term(value) = bench.load(p, 8) else {
        panic!("a choice")
    };
    let bases: Vec<_> = bench.terms.cases(value).iter().map(|case| case.base).collect();
    assert!(bases.contains(&Some(targets[0])) && bases.contains(&Some(targets[1])) && bases.contains(&None));
    assert_eq!(bases.len(), 3, "one case for each base, and null");
}

/// A byte written into a pointer keeps the bytes around it, and writing the old byte back makes it a pointer again.
#[test]
fn a_pointer_cut_in_the_middle() {
    for at in [0, 3, 8] {
        let mut bench = bench();
        let (a, target) = (bench.alloc(BaseKind::Heap, 24, Init::Zero), counting(&mut bench, 8));
        let p = Value::Ptr {
            base: target,
            offset: 4,
        };
        bench.store_at(a, at, 8, p);
        assert_eq!(bench.load_at(a, at, 8), p);
        let byte = bench.load_at(a, at + 2, 1);
        bench.store_at(a, at + 2, 1, Value::Int(0x55));
        let address = bench.memory.header(target).expect("it was made").address + 4;
        let value = bench.load_at(a, at, 8);
        let expected = bench.word(address & !0xff_0000 | 0x55_0000);
        assert!(bench.equal(value, expected), "at {at}");
        bench.store_at(a, at + 2, 1, byte);
        assert_eq!(bench.load_at(a, at, 8), p, "at {at}");
    }
}

/// A pointer beside a buffer that is written at a symbolic index, which only the path keeps inside the buffer, is still
/// a pointer.
#[test]
fn a_symbolic_write_nearby_leaves_a_pointer() {
    let mut bench = bench();
    let (a, target) = (bench.alloc(BaseKind::Heap, 24, Init::Zero), counting(&mut bench, 8));
    bench.store_at(
        a,
        16,
        8,
        Value::Ptr {
            base: target,
            offset: 4,
        },
    );
    let i = index(&mut bench, "i", 13);
    let p = bench.at(a, i);
    bench.store(p, 1, Value::Int(0xaa));
    let loaded = bench.load_at(a, 16, 8);
    assert_eq!(
        bench.load(loaded, 1),
        Value::Int(4),
        "only the object that it points to is possible"
    );
}

/// memcpy of symbolic length: the pointers that it covers stay pointers.
#[test]
fn a_copy_of_symbolic_length_copies_pointers() {
    let mut bench = bench();
    let (a, b) = (
        bench.alloc(BaseKind::Heap, 24, Init::Zero),
        bench.alloc(BaseKind::Heap, 24, Init::Zero),
    );
    let target = counting(&mut bench, 8);
    bench.store_at(
        a,
        8,
        8,
        Value::Ptr {
            base: target,
            offset: 3,
        },
    );
    let n = index(&mut bench, "n", 25);
    bench.copy(start(b), start(a), Value::Term(n));
    let sixteen = bench.word(16);
    let enough = bench.terms.uge(n, sixteen);
    bench.assume(enough);
    let loaded = bench.load_at(b, 8, 8);
    assert_eq!(bench.load(loaded, 1), Value::Int(3));
}

/// memmove onto itself, in both directions: the bytes are those from before.
#[test]
fn overlapping_copies() {
    for (to, from) in [(3, 0), (0, 3), (1, 0), (8, 0), (5, 5)] {
        let mut bench = bench();
        let a = counting(&mut bench, 24);
        let d = bench.symbol("d", 32);
        bench.store_at(a, 6, 4, Value::Term(d));
        bench.copy(
            Value::Ptr { base: a, offset: to },
            Value::Ptr { base: a, offset: from },
            Value::Int(16),
        );
        let moved = bench.load_at(a, to + 6 - from, 4);
        assert_eq!(moved, Value::Term(d), "from {from} to {to}");
        let first = bench.load_at(a, to, 1);
        assert_eq!(first, Value::Int(from), "from {from} to {to}");
    }
}

/// Values, fills, copies and symbolic reads across offset 4096, where one chunk ends and the next begins.
#[test]
fn chunk_boundaries() {
    let mut bench = bench();
    let a = bench.alloc(BaseKind::Heap, 10_000, Init::Zero);
    let d = bench.symbol("d", 64);
    for at in 4089..4097 {
        bench.store_at(a, at, 8, Value::Term(d));
        assert_eq!(bench.load_at(a, at, 8), Value::Term(d), "at {at}");
        bench.store_at(a, at, 8, Value::Int(0x8877_6655_4433_2211));
        assert_eq!(bench.load_at(a, at, 8), Value::Int(0x8877_6655_4433_2211), "at {at}");
        assert_eq!(bench.load_at(a, at + 8, 1), Value::Int(0), "at {at}");
    }
    let target = Value::Ptr { base: a, offset: 9 };
    bench.store_at(a, 4092, 8, target);
    assert_eq!(bench.load_at(a, 4092, 8), target, "a pointer in two chunks");
    bench.copy(
        Value::Ptr { base: a, offset: 8184 },
        Value::Ptr { base: a, offset: 4086 },
        Value::Int(20),
    );
    assert_eq!(bench.load_at(a, 8190, 8), target, "and copied into two others");
    bench.fill(Value::Ptr { base: a, offset: 4090 }, 0x33, Value::Int(12));
    assert_eq!(bench.load_at(a, 4093, 4), Value::Int(0x3333_3333));
    let i = index(&mut bench, "i", 16);
    let near = bench.word(4088);
    let offset = bench.terms.add(i, near);
    let p = bench.at(a, offset);
    let value = bench.load(p, 2);
    for (k, expected) in [(1, 0x3311), (2, 0x3333), (7, 0x3333), (12, 0x3333), (14, 0x8877)] {
        let here = is(&mut bench, i, k);
        let exact = bench.load_at(a, 4088 + k, 2);
        if k != 1 {
            assert_eq!(exact, Value::Int(expected), "at {k}");
        }
        let exact = bench.terms.of_value(exact, 16);
        let found = bench.terms.of_value(value, 16);
        let same = bench.terms.eq(found, exact);
        let implied = bench.terms.implies(here, same);
        assert!(bench.must(implied), "at {k}");
    }
}

/// Zeroed memory needs no chunk: reads of any width, anywhere, are zero.
#[test]
fn zero_is_a_default() {
    let mut bench = bench();
    let a = bench.alloc(BaseKind::Heap, 1 << 30, Init::Zero);
    for (at, bytes) in [(0, 1), (4093, 8), (4095, 3), (1 << 29, 4)] {
        assert_eq!(bench.load_at(a, at, bytes), Value::Int(0), "{bytes} bytes at {at}");
    }
    let i = index(&mut bench, "i", 1 << 20);
    let p = bench.at(a, i);
    assert_eq!(bench.load(p, 4), Value::Int(0), "at a symbolic offset too");
    bench.store_at(a, 100, 1, Value::Int(1));
    let value = bench.load(p, 1);
    let there = is(&mut bench, i, 100);
    let elsewhere = bench.terms.not(there);
    assert!(bench.is_when(there, value, 1, 1) && bench.is_when(elsewhere, value, 0, 1));
    bench.fill(start(a), 0, Value::Int(1 << 30));
    assert_eq!(bench.load(p, 1), Value::Int(0), "zeroed again");
}

/// memset and memcpy of symbolic length change what lies below the length, and nothing else.
#[test]
fn fills_and_copies_of_symbolic_length() {
    let mut bench = bench();
    let (a, b) = (counting(&mut bench, 16), bench.alloc(BaseKind::Heap, 16, Init::Zero));
    let n = index(&mut bench, "n", 9);
    bench.fill(Value::Ptr { base: a, offset: 4 }, 0xee, Value::Term(n));
    assert_eq!(bench.load_at(a, 3, 1), Value::Int(3), "before the fill");
    assert!(
        bench.load_at(a, 12, 1) == Value::Int(12) || {
            let value = bench.load_at(a, 12, 1);
            let always = bench.terms.tru();
            bench.is_when(always, value, 12, 1)
        }
    );
    bench.copy(
        Value::Ptr { base: b, offset: 2 },
        Value::Ptr { base: a, offset: 2 },
        Value::Term(n),
    );
    for k in 0..8 {
        let k_term = bench.word(k);
        let inside = bench.terms.ult(k_term, n);
        let outside = bench.terms.not(inside);
        let filled = bench.load_at(a, 4 + k, 1);
        assert!(
            bench.is_when(inside, filled, 0xee, 1) && bench.is_when(outside, filled, 4 + k, 1),
            "fill, byte {k}"
        );
        let copied = bench.load_at(b, 2 + k, 1);
        assert!(bench.is_when(outside, copied, 0, 1), "copy, byte {k} outside");
        let original = bench.load_at(a, 2 + k, 1);
        let original = bench.terms.of_value(original, 8);
        let copied = bench.terms.of_value(copied, 8);
        let same = bench.terms.eq(copied, original);
        let implied = bench.terms.implies(inside, same);
        assert!(bench.must(implied), "copy, byte {k} inside");
    }
}

/// What a copy of unknown length cannot reach is not read from its source, which may be too small.
#[test]
fn a_copy_of_symbolic_length_does_not_look_past_its_source() {
    let mut bench = bench();
    let (a, b) = (counting(&mut bench, 8), bench.alloc(BaseKind::Heap, 64, Init::Zero));
    let n = index(&mut bench, "n", 9);
    bench.copy(Value::Ptr { base: b, offset: 20 }, start(a), Value::Term(n));
    for (at, expected) in [(0, 0), (19, 0), (40, 0), (60, 0)] {
        let value = bench.load_at(b, at, 4);
        let always = bench.terms.tru();
        assert!(at == 19 || bench.is_when(always, value, expected, 4), "at {at}");
    }
}

/// A symbolic buffer is its symbol: whole and in part, by bits and by bytes.
#[test]
fn symbolic_buffers() {
    let mut bench = bench();
    let a = bench.alloc(BaseKind::Stack, 16, Init::Undefined);
    let array = Symbol {
        name: "s".into(),
        kind: SymbolKind::Input,
        sort: Sort::Array { index: 64, element: 8 },
    };
    let array = bench.terms.symbol_id(array);
    bench.done(|memory, cx| memory.make_symbolic(cx, start(a), Value::Int(16), Source::Bytes(array)));
    let symbol = bench.terms.symbol(array);
    let five = bench.word(5);
    let element = bench.terms.select(symbol, five);
    assert_eq!(bench.load_at(a, 5, 1), Value::Term(element));
    let part = Value::Ptr { base: a, offset: 8 };
    bench.done(|memory, cx| memory.make_symbolic(cx, part, Value::Int(6), Source::Bytes(array)));
    assert_eq!(bench.load_at(a, 8 + 5, 1), Value::Term(element));
    assert_eq!(
        bench.load_at(a, 5, 1),
        Value::Term(element),
        "bytes before the part stay"
    );
    let bits = Symbol {
        name: "t".into(),
        kind: SymbolKind::Input,
        sort: Sort::Bits(32),
    };
    let bits = bench.terms.symbol_id(bits);
    bench.done(|memory, cx| memory.make_symbolic(cx, start(a), Value::Int(4), Source::Bits(bits)));
    let symbol = bench.terms.symbol(bits);
    assert_eq!(bench.load_at(a, 0, 4), Value::Term(symbol));
}

/// Parts of cells are represented like any values: constants are numbers, pointers are pointers.
#[test]
fn parts_of_cells_have_one_spelling() {
    let mut bench = bench();
    let (a, target) = (
        bench.alloc(BaseKind::Heap, 32, Init::Undefined),
        counting(&mut bench, 8),
    );
    let d = bench.symbol("d", 8);
    let low = bench.terms.constant(56, 0x77_6655_4433_2211);
    let mixed = bench.terms.concat(d, low);
    bench.store_at(a, 5, 8, Value::Term(mixed));
    bench.store_at(a, 9, 1, Value::Int(0));
    assert_eq!(bench.load_at(a, 5, 4), Value::Int(0x4433_2211));
    assert_eq!(bench.load_at(a, 12, 1), Value::Term(d));
    let p = Value::Ptr {
        base: target,
        offset: 2,
    };
    let pointer = bench.terms.of_value(p, 64);
    let wide = bench.terms.concat(pointer, d);
    bench.store_at(a, 16, 9, Value::Term(wide));
    bench.store_at(a, 16, 1, Value::Int(0));
    assert_eq!(bench.load_at(a, 17, 8), p);
}

/// Copies at symbolic places within one object keep snapshots that share their history: each is traced once, not once
/// per way to it.
#[test]
fn shared_snapshots_are_traced_once() {
    let mut bench = bench();
    let a = counting(&mut bench, 64);
    for k in 0..64 {
        let i = index(&mut bench, &format!("i{k}"), 8);
        let p = bench.at(a, i);
        bench.copy(start(a), p, Value::Int(32));
    }
    bench.terms.collect(|tracer| bench.memory.trace(tracer));
    assert!(bench.terms.len() > 64, "the places of all copies are kept");
}

/// Context-based resolution (thesis §3.2.3.3): five rows come from one instruction in a function that two places call.
/// A pointer to one of the two rows of the first place is queried for five rows the first time. Later, the calls around
/// the allocation distinguish its two rows from the others, for which one query is enough; without calls, all five look
/// alike. For a pointer that may refer to another row, that one query is wasted.
#[test]
fn an_instruction_asks_for_objects_of_contexts_that_it_has_met() {
    for (contexts, again, other, misses) in [(0, 5, 5, 0), (1, 3, 6, 1), (4, 3, 6, 1)] {
        let config = Options {
            resolve: Resolve::DynamicSegments,
            contexts,
            ..Options::default()
        };
        let mut bench = Bench::<Objects>::with_options(64, &config);
        let row = |bench: &mut Bench<Objects>, caller: u64| {
            bench.calls = vec![caller, 1];
            let what = Alloc {
                kind: BaseKind::Heap,
                size: Value::Int(4096),
                align: 16,
                site: 7,
                init: Init::Zero,
            };
            let row = bench.done(|memory, cx| memory.alloc(cx, what));
            bench.terms.of_value(row, 64)
        };
        let mut questions = |choice: &str, possible: u64| {
            let rows = [10, 10, 20, 20, 20].map(|caller| row(&mut bench, caller));
            let choice = index(&mut bench, choice, 5);
            let mut p = rows[4];
            for (number, &row) in rows.iter().enumerate().rev() {
                let this = is(&mut bench, choice, number as u64);
                p = bench.terms.ite(this, row, p);
            }
            bench.below(choice, possible);
            let before = bench.counters().resolution.get("queries");
            bench.load(Value::Term(p), 1);
            bench.counters().resolution.get("queries") - before
        };
        assert_eq!(questions("x", 2), 5, "{contexts}");
        assert_eq!(questions("y", 2), again, "{contexts}");
        assert_eq!(questions("z", 3), other, "{contexts}");
        assert_eq!(bench.counters().resolution.get("by_context"), 2, "{contexts}");
        assert_eq!(bench.counters().resolution.get("context_misses"), misses, "{contexts}");
        // The rows of the pointers x, y and z, and no others.
        assert_eq!(
            bench.counters().resolution.get("segment_members"),
            2 + 2 + 3,
            "{contexts}"
        );
    }
}

/// The program of the thesis, §5.2.4, with its own numbers: `p = calloc(n, 1)` with capacity 3, `p[n - 1] = 17` where 0
/// < n < 3. Cells beyond every size that the path allows are in no value that is read: neither in `p[0]` nor at an
/// unknown offset.
#[test]
fn cells_above_the_size_are_in_no_read() {
    let mut bench = bench();
    let n = bench.symbol("n", 64);
    bench.below(n, 4);
    let what = Alloc {
        kind: BaseKind::Heap,
        size: Value::Term(n),
        align: 8,
        site: 0,
        init: Init::Zero,
    };
    let Value::Ptr { base, offset: 0 } = bench.done(|memory, cx| memory.alloc(cx, what)) else {
        panic!("an object")
    };
    let empty = is(&mut bench, n, 0);
    let some = bench.terms.not(empty);
    bench.assume(some);
    bench.below(n, 3);
    let one = bench.word(1);
    let last = bench.terms.sub(n, one);
    let p = bench.at(base, last);
    bench.store(p, 1, Value::Int(17));
    let first = bench.load_at(base, 0, 1);
    let (hit, written, zero) = (
        is(&mut bench, n, 1),
        bench.terms.constant(8, 17),
        bench.terms.constant(8, 0),
    );
    let expected = bench.terms.ite(hit, written, zero);
    assert_eq!(first, Value::Term(expected));
    let k = bench.symbol("k", 64);
    let inside = bench.terms.ult(k, n);
    bench.assume(inside);
    let p = bench.at(base, k);
    let value = bench.load(p, 1);
    let hit = bench.terms.eq(k, last);
    let expected = bench.terms.ite(hit, written, zero);
    assert_eq!(value, Value::Term(expected));
}

/// Many cells at once, in a whole object and in one that is split where it is read.
#[test]
fn progressions_agree_with_writes_one_by_one() {
    let small = Split {
        size: PieceSize::Bytes(8),
        above: 8,
    };
    for split in [None, Some(small)] {
        let config = Options {
            split,
            ..Options::default()
        };
        testing::progressions_agree_with_writes_one_by_one::<Objects>(&config);
    }
}

/// Two paths that join the same objects at the same place build the same terms, although each joins them separately:
/// what the thesis gains by reusing a segment on other paths (§3.2.3.2), a solver's cache gains from equal terms.
/// Another object on one of the paths changes nothing.
#[test]
fn segments_of_two_paths_need_not_be_shared() {
    let config = Options {
        resolve: Resolve::DynamicSegments,
        ..Options::default()
    };
    let mut bench = Bench::<Objects>::with_options(64, &config);
    let (a, b) = (counting(&mut bench, 16), counting(&mut bench, 24));
    let (c, i) = (bench.symbol("c", 1), index(&mut bench, "i", 8));
    let (to_a, to_b) = (bench.terms.pointer(a, i), bench.terms.pointer(b, i));
    let p = bench.terms.ite(c, to_a, to_b);
    let p = bench.terms.to_value(p);
    let origin = bench.memory.clone();
    let on_a_path = |bench: &mut Bench<Objects>, others: u64| {
        bench.memory = origin.clone();
        for _ in 0..others {
            bench.alloc(BaseKind::Heap, 8, Init::Zero);
        }
        bench.store(p, 1, Value::Int(0xaa));
        (bench.load(p, 1), bench.load_at(b, 3, 1))
    };
    let one = on_a_path(&mut bench, 0);
    assert_eq!(one, on_a_path(&mut bench, 0));
    assert_eq!(one, on_a_path(&mut bench, 2));
    assert_eq!(
        bench.counters().resolution.get("segments"),
        3,
        "each path has made its own"
    );
}

/// What an instruction was found to refer to on one path is known on the others: contexts are learnt for the whole run.
#[test]
fn contexts_are_learnt_across_paths() {
    let config = Options {
        resolve: Resolve::DynamicSegments,
        ..Options::default()
    };
    let mut bench = Bench::<Objects>::with_options(64, &config);
    let objects: Vec<BaseId> = (0..3).map(|_| counting(&mut bench, 4096)).collect();
    let c = bench.symbol("c", 8);
    let pointers: Vec<(u64, TermId)> = (0..3u64).map(|k| (k, bench.terms.base(objects[k as usize]))).collect();
    let p = bench.terms.lookup(c, &pointers[..2], pointers[2].1);
    let p = bench.terms.to_value(p);
    bench.below(c, 2);
    let origin = bench.memory.clone();
    bench.store(p, 1, Value::Int(1));
    assert_eq!(bench.counters().resolution.get("by_context"), 0);
    bench.memory = origin;
    bench.store(p, 1, Value::Int(1));
    assert_eq!(bench.counters().resolution.get("by_context"), 1, "a sibling knows it");
}
