//! The memory diagrams of the thesis, with its own numbers: Figs 1.3, 3.3 and 3.4. Pointers have 32 bits there.

use super::home::Home;
use super::{Objects, Options, PieceSize, Resolve, Split};
use crate::testing::Bench;
use crate::{AccessKind, End, FaultKind, Init};
use mneme_term::{BaseId, BaseKind, TermId, Value};

fn bench(resolve: Resolve, split: Option<Split>) -> Bench<Objects> {
    let config = Options {
        resolve,
        split,
        ..Options::default()
    };
    Bench::with_options(32, &config)
}

/// `ptrs` with `n` cells, and the objects they point to.
fn pointers(bench: &mut Bench<Objects>, n: u64, size: u64, init: Init) -> (BaseId, Vec<BaseId>) {
    let array = bench.alloc(BaseKind::Heap, 4 * n, Init::Zero);
    let rows: Vec<BaseId> = (0..n).map(|_| bench.alloc(BaseKind::Heap, size, init)).collect();
    for (k, &base) in rows.iter().enumerate() {
        bench.store_at(array, 4 * k as u64, 4, Value::Ptr { base, offset: 0 });
    }
    (array, rows)
}

/// A 32-bit symbol below `limit`.
fn below(bench: &mut Bench<Objects>, name: &str, limit: u64) -> TermId {
    let symbol = bench.symbol(name, 32);
    bench.below(symbol, limit);
    symbol
}

/// `array[index]`, a pointer.
fn cell(bench: &mut Bench<Objects>, array: BaseId, index: TermId) -> Value {
    let four = bench.word(4);
    let offset = bench.terms.mul(index, four);
    bench.at(array, offset)
}

/// Fig. 1.3, top: with n = 1, reading `ptrs[k]` for 0 ≤ k < 2 is out of bounds where 4k ≥ 4, that is, for k = 1.
#[test]
fn one_cell_is_read_out_of_bounds_where_k_is_1() {
    let mut bench = bench(Resolve::Fork, None);
    let (ptrs, rows) = pointers(&mut bench, 1, 10, Init::Undefined);
    let k = below(&mut bench, "k", 2);
    let p = cell(&mut bench, ptrs, k);
    let branches = bench.with(|memory, cx| memory.load(cx, p, 4));
    let possible: Vec<_> = branches.into_iter().filter(|branch| bench.may(branch.guard)).collect();
    assert_eq!(possible.len(), 2);
    for branch in possible {
        let (zero, one) = (bench.word(0), bench.word(1));
        let (is_0, is_1) = (bench.terms.eq(k, zero), bench.terms.eq(k, one));
        let expected = match branch.end {
            End::Done(value) => {
                let (value, row) = (bench.terms.of_value(value, 32), bench.terms.base(rows[0]));
                let same = bench.terms.eq(value, row);
                let implied = bench.terms.implies(branch.guard, same);
                assert!(bench.must(implied));
                is_0
            }
            End::Fault(fault) => {
                assert_eq!(fault.kind, FaultKind::OutOfBounds(AccessKind::Read));
                is_1
            }
            End::Stop(reason) => panic!("{reason}"),
        };
        let same = bench.terms.eq(branch.guard, expected);
        assert!(bench.must(same));
    }
}

/// Fig. 1.3, bottom: with n = 2, the read is valid, and `s[0] = 'a'` may write either of the two objects.
#[test]
fn two_cells_lead_to_two_objects() {
    for (resolve, paths) in [(Resolve::Fork, 2), (Resolve::Merge, 1), (Resolve::DynamicSegments, 1)] {
        let mut bench = bench(resolve, None);
        let (ptrs, rows) = pointers(&mut bench, 2, 10, Init::Undefined);
        let k = below(&mut bench, "k", 2);
        let p = cell(&mut bench, ptrs, k);
        let s = bench.load(p, 4);
        let branches = bench.with(|memory, cx| memory.store(cx, s, 1, Value::Int(b'a'.into())));
        let possible: Vec<_> = branches.into_iter().filter(|branch| bench.may(branch.guard)).collect();
        assert_eq!(possible.len(), paths, "{resolve:?}");
        for branch in possible {
            bench.memory = branch.memory;
            for (number, &row) in rows.iter().enumerate() {
                let number = bench.word(number as u64);
                let here = bench.terms.eq(k, number);
                let here = bench.terms.and(branch.guard, here);
                if bench.may(here) {
                    let value = bench.load_at(row, 0, 1);
                    assert!(bench.is_when(here, value, b'a'.into(), 1), "{resolve:?}");
                }
            }
        }
    }
}

/// Fig. 3.3: reading `array[i][j]` moves the two rows of 256 bytes into one segment of 512, the first at its start and
/// the second at 256; `array` itself is unchanged.
#[test]
fn two_rows_become_one_segment() {
    let mut bench = bench(Resolve::DynamicSegments, None);
    let (array, rows) = pointers(&mut bench, 2, 256, Init::Zero);
    bench.store_at(rows[1], 99, 1, Value::Int(1));
    let (i, j) = (below(&mut bench, "i", 2), below(&mut bench, "j", 100));
    let p = cell(&mut bench, array, i);
    let row = bench.load(p, 4);
    let row = bench.terms.of_value(row, 32);
    let p = bench.terms.add(row, j);
    let value = bench.load(Value::Term(p), 1);
    assert_eq!(bench.memory.seat(rows[0]), Some((0, 0)));
    assert_eq!(bench.memory.seat(rows[1]), Some((0, 256)));
    assert_eq!(bench.memory.model.segments.get(0).end(), 512);
    assert_eq!(bench.memory.seat(array), None);
    for (number, &base) in rows.iter().enumerate() {
        let cell = bench.load_at(array, 4 * number as u64, 4);
        assert_eq!(cell, Value::Ptr { base, offset: 0 });
    }
    let (one, last) = (bench.word(1), bench.word(99));
    let (second, at_last) = (bench.terms.eq(i, one), bench.terms.eq(j, last));
    let there = bench.terms.and(second, at_last);
    let elsewhere = bench.terms.not(there);
    assert!(bench.is_when(there, value, 1, 1));
    assert!(bench.is_when(elsewhere, value, 0, 1));
}

/// Fig. 3.4: on the path to the first row, `array[i][j]` with j < 100 splits its 256 bytes into four pieces of 64, two
/// of which the read may be in.
#[test]
fn a_row_becomes_four_pieces_of_which_two_are_read() {
    let split = Split {
        size: PieceSize::Bytes(64),
        above: 200,
    };
    let mut bench = bench(Resolve::Fork, Some(split));
    let row = bench.alloc(BaseKind::Heap, 256, Init::Zero);
    let j = below(&mut bench, "j", 100);
    let p = bench.at(row, j);
    let branches = bench.with(|memory, cx| memory.load(cx, p, 1));
    let possible: Vec<_> = branches.into_iter().filter(|branch| bench.may(branch.guard)).collect();
    assert_eq!(possible.len(), 2);
    for branch in possible {
        let Home::Pieces(pieces) = &branch.memory.directory.get(row).expect("it lives").payload else {
            panic!("it is split");
        };
        assert_eq!(pieces.parts.len(), 4);
    }
}
