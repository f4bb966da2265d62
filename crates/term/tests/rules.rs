//! What the constructors make of typical terms. `random.rs` checks that the rules are right; these tests check that
//! they fire.

mod common;

use common::*;
use mneme_term::{Assignment, Bits, Op, TermId, Terms};

/// Terms with three symbols of a width.
fn setup(width: u32) -> (Terms, TermId, TermId, TermId) {
    let mut t = Terms::new(64);
    let (x, y, z) = (
        symbol(&mut t, "x", width),
        symbol(&mut t, "y", width),
        symbol(&mut t, "z", width),
    );
    (t, x, y, z)
}

#[test]
fn sums_have_one_spelling() {
    let (mut t, x, y, z) = setup(32);
    let c = t.constant(32, 5);
    let xy = t.add(x, y);
    let one = t.add(xy, z);
    let zc = t.add(c, z);
    let yzc = t.add(y, zc);
    let two = t.add(yzc, x);
    let two = t.sub(two, c);
    assert_eq!(one, two);
    assert_eq!(t.children(one).len(), 3);
    let double = t.add(x, x);
    let two = t.constant(32, 2);
    assert_eq!(double, t.mul(two, x));
    let gone = t.sub(one, xy);
    assert_eq!(gone, z);
    // 3·(x + 5) - 3·x = 15
    let three = t.constant(32, 3);
    let sum = t.add(x, c);
    let (product, multiple) = (t.mul(three, sum), t.mul(x, three));
    let fifteen = t.sub(product, multiple);
    assert_eq!(t.as_const(fifteen), Some(15));
}

#[test]
fn complement_is_negation_minus_one() {
    let (mut t, x, ..) = setup(32);
    let not = t.not(x);
    let one = t.constant(32, 1);
    let negated = t.neg(x);
    assert_eq!(t.add(not, one), negated);
    assert_eq!(t.sub(negated, one), not);
}

#[test]
fn parts_fold_back_however_they_nest() {
    let mut t = Terms::new(64);
    let p = {
        let i = symbol(&mut t, "i", 32);
        let eight = t.constant(64, 8);
        let wide = t.sext(i, 64);
        let offset = t.mul(wide, eight);
        let base = base_id(&mut t, 1);
        t.pointer(base, offset)
    };
    let x = symbol(&mut t, "x", 64);
    let c = t.constant(64, 0x1234_5678_9abc);
    let masked = t.and(x, c);
    let cut = t.constant(64, 0xff0);
    let run = t.and(x, cut);
    for value in [p, x, run, masked] {
        let bytes: Vec<TermId> = (0..8).map(|i| t.extract(value, 8 * i, 8)).collect();
        let up = bytes[1..].iter().fold(bytes[0], |low, &high| t.concat(high, low));
        let down = bytes[..7].iter().rev().fold(bytes[7], |high, &low| t.concat(high, low));
        let pairs: Vec<TermId> = bytes.chunks(2).map(|pair| t.concat(pair[1], pair[0])).collect();
        let halves: Vec<TermId> = pairs.chunks(2).map(|pair| t.concat(pair[1], pair[0])).collect();
        let tree = t.concat(halves[1], halves[0]);
        if value != masked {
            assert_eq!(up, value, "{}", t.display(up));
        }
        assert_eq!(up, down, "{} and {}", t.display(up), t.display(down));
        assert_eq!(up, tree, "{} and {}", t.display(up), t.display(tree));
    }
}

/// A table of pointers, read byte by byte: all bytes make the same choice, so the word is a choice between the
/// pointers. With one byte of another pointer, it is only bits.
#[test]
fn bytes_that_choose_alike_are_a_choice_between_pointers() {
    for with_tables in [true, false] {
        let mut t = match with_tables {
            true => Terms::new(64),
            false => Terms::without_tables(64),
        };
        let (i, c) = (symbol(&mut t, "i", 8), symbol(&mut t, "c", 1));
        let entries: Vec<(u64, TermId)> = (0..5).map(|n| (n, pointer(&mut t, n as u32, 3 * n))).collect();
        let null = t.constant(64, 0);
        let table = t.lookup(i, &entries, null);
        let word = t.ite(c, entries[2].1, table);
        let byte = |t: &mut Terms, whole: TermId, at: u32| {
            let part = |t: &mut Terms, p| t.extract(p, 8 * at, 8);
            let parts: Vec<(u64, TermId)> = entries.iter().map(|&(n, p)| (n, part(t, p))).collect();
            let (zero, chosen) = (t.constant(8, 0), part(t, whole));
            let table = t.lookup(i, &parts, zero);
            t.ite(c, chosen, table)
        };
        let mut joined = byte(&mut t, entries[2].1, 0);
        for at in 1..8 {
            let high = byte(&mut t, entries[2].1, at);
            joined = t.concat(high, joined);
        }
        assert_eq!(joined, word, "{}", t.display(joined));
        let mut bits = byte(&mut t, entries[2].1, 0);
        for at in 1..8 {
            let high = byte(&mut t, entries[1].1, at);
            bits = t.concat(high, bits);
        }
        assert!(!t.is_pointer(bits), "{}", t.display(bits));
    }
}

#[test]
fn bytes_shifted_together_are_a_concatenation() {
    let mut t = Terms::new(64);
    let (a, b) = (symbol(&mut t, "a", 8), symbol(&mut t, "b", 8));
    let (wide_a, wide_b) = (t.zext(a, 32), t.zext(b, 32));
    let eight = t.constant(32, 8);
    let shifted = t.shl(wide_a, eight);
    let both = t.or(shifted, wide_b);
    let joined = t.concat(a, b);
    assert_eq!(both, t.zext(joined, 32));
    let back = t.lshr(both, eight);
    assert_eq!(back, wide_a);
    let mask = t.constant(32, 0xff);
    assert_eq!(t.and(both, mask), wide_b);
}

#[test]
fn booleans_of_c_vanish() {
    let (mut t, x, y, _) = setup(32);
    let less = t.slt(x, y);
    let wide = t.zext(less, 32);
    let zero = t.constant(32, 0);
    assert_eq!(t.ne(wide, zero), less);
    let not = t.eq(wide, zero);
    assert_eq!(not, t.sle(y, x));
    let again = t.zext(not, 32);
    assert_eq!(t.eq(again, zero), less);
    let (five, seven) = (t.constant(32, 5), t.constant(32, 7));
    let choice = t.ite(less, five, seven);
    assert_eq!(t.eq(choice, seven), not);
    let six = t.constant(32, 6);
    assert_eq!(t.ult(choice, six), less);
    assert_eq!(t.eq(choice, six), t.fls());
    // !!x
    let truth = t.ne(x, zero);
    let wide = t.zext(truth, 32);
    let twice = t.ne(wide, zero);
    assert_eq!(twice, truth);
}

#[test]
fn equalities_are_solved_for_the_unknown() {
    let (mut t, x, y, z) = setup(32);
    let (three, ten) = (t.constant(32, 3), t.constant(32, 10));
    let sum = t.add(x, three);
    let seven = t.constant(32, 7);
    assert_eq!(t.eq(sum, ten), t.eq(x, seven));
    let (xy, xz) = (t.add(x, y), t.add(x, z));
    assert_eq!(t.eq(xy, xz), t.eq(y, z));
    let byte = symbol(&mut t, "b", 8);
    let wide = t.zext(byte, 32);
    let large = t.constant(32, 256);
    assert_eq!(t.eq(wide, large), t.fls());
    let four = t.constant(32, 4);
    let quad = t.mul(wide, four);
    assert_eq!(t.eq(quad, ten), t.fls());
    let (twelve, narrow) = (t.constant(32, 12), t.constant(8, 3));
    assert_eq!(t.eq(quad, twelve), t.eq(byte, narrow));
    let flags = t.constant(32, 8);
    let bit = t.and(x, flags);
    let zero = t.constant(32, 0);
    let is_set = t.ne(bit, zero);
    assert_eq!(is_set, t.extract(x, 3, 1));
}

#[test]
fn offsets_of_elements_are_compared_as_indices() {
    let (mut t, x, y, _) = setup(16);
    let wide = |t: &mut Terms, a, to, factor| {
        let (a, factor) = (t.zext(a, to), t.constant(to, factor));
        t.mul(a, factor)
    };
    let (a, b) = (wide(&mut t, x, 64, 24), wide(&mut t, y, 64, 24));
    assert_eq!(t.eq(a, b), t.eq(x, y));
    // 2^12 · x = 2^12 · y does not say that the upper bits are equal.
    let (a, b) = (wide(&mut t, x, 24, 1 << 12), wide(&mut t, y, 24, 1 << 12));
    let (equal, same) = (t.eq(a, b), t.eq(x, y));
    assert_ne!(equal, same);
}

/// For every factor of six bits, and all values of two elements.
#[test]
fn equal_multiples_mean_equal_factors_only_where_they_do() {
    let (mut t, x, y, _) = setup(4);
    let [Op::Symbol(x_id), Op::Symbol(y_id)] = [t.op(x), t.op(y)] else {
        panic!("symbols")
    };
    for factor in 0..64 {
        let [a, b] = [x, y].map(|index| {
            let (index, factor) = (t.zext(index, 6), t.constant(6, factor));
            t.mul(index, factor)
        });
        let equal = t.eq(a, b);
        for (m, n) in (0..16_u64).flat_map(|m| (0..16).map(move |n| (m, n))) {
            let mut model = Assignment::default();
            model.values.insert(x_id, Bits::new(4, m));
            model.values.insert(y_id, Bits::new(4, n));
            let expected = m * factor % 64 == n * factor % 64;
            assert_eq!(
                t.eval_bool(equal, &model.with_addresses(&|_| 0)),
                expected,
                "{factor} * {m}, {n}"
            );
        }
    }
}

#[test]
fn connectives_absorb() {
    let (mut t, x, y, z) = setup(1);
    let or = t.or(x, y);
    assert_eq!(t.and(x, or), x);
    let not_x = t.not(x);
    let or = t.or(not_x, y);
    assert_eq!(t.and(x, or), t.and(x, y));
    let xy = t.and(x, y);
    let xyz = t.and(z, xy);
    assert_eq!(t.and(xyz, not_x), t.fls());
    assert_eq!(t.or(xyz, xy), xy);
    let eq = t.eq(x, y);
    let ne = t.ne(x, y);
    assert_eq!(t.or(eq, ne), t.tru());
}

#[test]
fn comparisons_of_one_term_combine() {
    let (mut t, x, ..) = setup(8);
    let c = |t: &mut Terms, n| t.constant(8, n);
    let (three, five, four) = (c(&mut t, 3), c(&mut t, 5), c(&mut t, 4));
    let (a, b) = (t.ult(x, three), t.ult(x, five));
    assert_eq!(t.and(a, b), a);
    assert_eq!(t.or(a, b), b);
    let above = t.ugt(x, three);
    assert_eq!(t.and(a, above), t.fls());
    assert_eq!(t.and(above, b), t.eq(x, four));
    let (is_four, is_five) = (t.eq(x, four), t.eq(x, five));
    assert_eq!(t.and(is_four, is_five), t.fls());
    let not_five = t.not(is_five);
    assert_eq!(t.and(is_four, not_five), is_four);
    assert_eq!(t.or(not_five, is_five), t.tru());
}

#[test]
fn ranges_decide_comparisons() {
    let mut t = Terms::new(64);
    let byte = symbol(&mut t, "b", 8);
    let wide = t.zext(byte, 64);
    let ten = t.constant(64, 10);
    let sum = t.add(wide, ten);
    assert_eq!(t.range(sum), (10, 265));
    let limit = t.constant(64, 266);
    assert_eq!(t.ult(sum, limit), t.tru());
    let eight = t.constant(64, 8);
    let product = t.mul(wide, eight);
    assert_eq!(t.known_zero_low_bits(product), 3);
    let three = t.constant(64, 3);
    let odd = t.add(product, three);
    assert_eq!(t.eq(odd, product), t.fls());
    let rest = t.urem(wide, ten);
    assert_eq!(t.ult(rest, ten), t.tru());
    let back = t.sub(sum, ten);
    assert_eq!(back, wide);
    let negative = t.neg(wide);
    let zero = t.constant(64, 0);
    let from_top = t.add(negative, limit);
    assert_eq!(t.range(from_top), (11, 266));
    assert_eq!(t.slt(from_top, zero), t.fls());
}

#[test]
fn division_by_powers_of_two_is_cutting() {
    let (mut t, x, ..) = setup(32);
    let eight = t.constant(32, 8);
    let quotient = t.udiv(x, eight);
    let part = t.extract(x, 3, 29);
    assert_eq!(quotient, t.zext(part, 32));
    let rest = t.urem(x, eight);
    let low = t.extract(x, 0, 3);
    assert_eq!(rest, t.zext(low, 32));
}

#[test]
fn pointers_with_one_base_are_compared_by_offset() {
    let mut t = Terms::new(64);
    let base = base_id(&mut t, 1);
    let (i, j) = (symbol(&mut t, "i", 16), symbol(&mut t, "j", 16));
    let (i, j) = (t.zext(i, 64), t.zext(j, 64));
    let (p, q) = (t.pointer(base, i), t.pointer(base, j));
    assert_eq!(t.eq(p, q), t.eq(i, j));
    assert_eq!(t.ult(p, q), t.ult(i, j));
    assert_eq!(t.ule(p, q), t.ule(i, j));
    assert_eq!(t.sub(p, q), t.sub(i, j));
    // An offset that may reach below the start of memory says nothing about addresses.
    let k = symbol(&mut t, "k", 64);
    let r = t.pointer(base, k);
    let compared = t.ult(r, q);
    assert!(t.has_base(compared));
}

#[test]
fn a_pointer_rounded_to_its_alignment_is_a_pointer() {
    let mut t = Terms::new(64);
    let p = pointer(&mut t, 1, 0);
    let (far, near, mask) = (t.constant(64, 39), t.constant(64, 32), t.constant(64, !15));
    let sum = t.add(p, far);
    let (rounded, expected) = (t.and(sum, mask), t.add(p, near));
    assert_eq!(rounded, expected, "{}", t.display(rounded));
    // Three bits of this one are not known.
    let coarse = t.constant(64, !127);
    let open = t.and(sum, coarse);
    assert!(!t.is_pointer(open));
}

#[test]
fn defaults_of_a_table_matter_beyond_its_keys() {
    let (mut t, x, y, i) = setup(32);
    let entries: Vec<(u64, TermId)> = (3..9).map(|key| (key, t.constant(32, 7 * key))).collect();
    let (one, other) = (t.lookup(i, &entries, x), t.lookup(i, &entries, y));
    let equal = t.eq(one, other);
    let [three, eight] = [3, 8].map(|key| t.constant(32, key));
    let (above, below) = (t.ule(three, i), t.ule(i, eight));
    let (listed, same) = (t.and(above, below), t.eq(x, y));
    assert_eq!(equal, t.or(listed, same), "{}", t.display(equal));
    // With gaps between the keys, the defaults matter there too.
    let (one, other) = (t.lookup(i, &entries[..2], x), t.lookup(i, &entries[1..], y));
    assert_eq!(
        {
            let equal = t.eq(one, other);
            t.op(equal)
        },
        Op::Eq
    );
}

#[test]
fn bases_are_different_and_not_null() {
    let mut t = Terms::new(64);
    let (p, q) = (pointer(&mut t, 1, 0), pointer(&mut t, 2, 0));
    let null = t.constant(64, 0);
    assert_eq!(t.eq(p, null), t.fls());
    assert_eq!(t.eq(p, q), t.fls());
    // One past the end of an object may be the address of another, as far as the term tells.
    let past = pointer(&mut t, 1, 16);
    let unknown = t.eq(past, q);
    assert_eq!(t.op(unknown), Op::Eq);
    // Alignment is known.
    let inside = pointer(&mut t, 1, 4);
    assert_eq!(t.eq(inside, q), t.fls());
    let three = t.constant(64, 3);
    assert_eq!(t.and(p, three), null);
}

#[test]
fn choices_between_pointers_stay_outside() {
    let mut t = Terms::new(64);
    let (p, q) = (pointer(&mut t, 1, 0), pointer(&mut t, 2, 8));
    let c = symbol(&mut t, "c", 1);
    let choice = t.ite(c, p, q);
    let four = t.constant(64, 4);
    let moved = t.add(choice, four);
    let (p4, q4) = (t.add(p, four), t.add(q, four));
    assert_eq!(moved, t.ite(c, p4, q4));
    assert_eq!(t.eq(choice, p), {
        let other = t.eq(q, p);
        t.or(c, other)
    });
    let null = t.constant(64, 0);
    let maybe = t.ite(c, p, null);
    assert_eq!(t.eq(maybe, null), t.not(c));
    assert_eq!(t.eq(maybe, p), c);
}

#[test]
fn tables_fold() {
    let mut t = Terms::new(64);
    let i = symbol(&mut t, "i", 8);
    let c: Vec<TermId> = (0..10).map(|n| t.constant(32, n * n)).collect();
    let entries: Vec<(u64, TermId)> = (0..10).map(|n| (n, c[n as usize])).collect();
    let default = t.constant(32, 1000);
    let table = t.lookup(i, &entries, default);
    assert!(matches!(t.op(table), Op::Lookup(_)));
    let three = t.constant(8, 3);
    assert_eq!(t.lookup(three, &entries, default), c[3]);
    // Through an extension, and scaled.
    let wide = t.zext(i, 64);
    assert_eq!(t.lookup(wide, &entries, default), table);
    let eight = t.constant(64, 8);
    let scaled = t.mul(wide, eight);
    let spread: Vec<_> = entries.iter().map(|&(k, v)| (8 * k, v)).collect();
    assert_eq!(t.lookup(scaled, &spread, default), table);
    // Comparisons become conditions on the index.
    assert_eq!(t.eq(table, c[3]), t.eq(i, three));
    let nothing = t.constant(32, 17);
    assert_eq!(t.eq(table, nothing), t.fls());
    let five = t.constant(8, 5);
    let limit = t.constant(32, 25);
    assert_eq!(t.ult(table, limit), t.ult(i, five));
    // Bytes of a table, joined, are the table.
    let bytes: Vec<TermId> = (0..4).map(|n| t.extract(table, 8 * n, 8)).collect();
    let joined = bytes[1..].iter().fold(bytes[0], |low, &high| t.concat(high, low));
    assert_eq!(joined, table, "{}", t.display(joined));
}

#[test]
fn tables_of_few_values_are_choices() {
    let mut t = Terms::new(64);
    let i = symbol(&mut t, "i", 8);
    let (a, b, d) = (
        symbol(&mut t, "a", 32),
        symbol(&mut t, "b", 32),
        symbol(&mut t, "d", 32),
    );
    assert_eq!(t.lookup(i, &[(1, d), (2, d)], d), d);
    let (one, two) = (t.constant(8, 1), t.constant(8, 2));
    let (is_one, is_two) = (t.eq(i, one), t.eq(i, two));
    let inner = t.ite(is_two, b, d);
    let want = t.ite(is_one, a, inner);
    assert_eq!(t.lookup(i, &[(2, b), (1, a)], d), want);
    let run: Vec<_> = (0..=9).map(|k| (k, a)).collect();
    let ten = t.constant(8, 10);
    let below = t.ult(i, ten);
    assert_eq!(t.lookup(i, &run, d), t.ite(below, a, d));
    // Every value of a bit has an entry: the default cannot be reached.
    let bit = t.extract(i, 0, 1);
    assert_eq!(t.lookup(bit, &[(0, a), (1, a)], d), a);
    assert_eq!(t.lookup(bit, &[(0, a), (1, b)], d), t.ite(bit, b, a));
    // Keys that the index cannot have.
    let three = t.extract(i, 0, 2);
    assert_eq!(t.lookup(three, &[(4, a), (100, b)], d), d);
}

#[test]
fn chains_of_tests_on_one_index_are_a_table() {
    let mut t = Terms::new(64);
    let i = symbol(&mut t, "i", 32);
    let values: Vec<TermId> = (0..6).map(|n| symbol(&mut t, &format!("v{n}"), 32)).collect();
    let mut chain = values[0];
    for k in 1..6 {
        let key = t.constant(32, k);
        let here = t.eq(i, key);
        chain = t.ite(here, values[k as usize], chain);
    }
    let entries: Vec<_> = (1..6).map(|k| (k, values[k as usize])).collect();
    assert_eq!(chain, t.lookup(i, &entries, values[0]));
}

#[test]
fn reads_see_through_writes() {
    let mut t = Terms::new(64);
    let a = array(&mut t, "a", 32, 8);
    let (i, v, w) = (symbol(&mut t, "i", 32), symbol(&mut t, "v", 8), symbol(&mut t, "w", 8));
    let one = t.constant(32, 1);
    let next = t.add(i, one);
    let written = t.store(a, i, v);
    let twice = t.store(written, next, w);
    assert_eq!(t.select(twice, i), v);
    assert_eq!(t.select(twice, next), w);
    let over = t.store(written, i, w);
    assert_eq!(over, t.store(a, i, w));
    let same = t.select(a, i);
    assert_eq!(t.store(a, i, same), a);
    let zero = t.constant(8, 0);
    let empty = t.const_array(32, zero);
    assert_eq!(t.select(empty, i), zero);
}

#[test]
fn narrow_arithmetic_stays_narrow() {
    let mut t = Terms::new(64);
    let (a, b) = (symbol(&mut t, "a", 8), symbol(&mut t, "b", 8));
    let (x, y) = (t.sext(a, 32), t.sext(b, 32));
    let sum = t.add(x, y);
    assert_eq!(t.extract(sum, 0, 8), t.add(a, b));
    let product = t.mul(x, y);
    assert_eq!(t.extract(product, 0, 8), t.mul(a, b));
    let exclusive = t.xor(x, y);
    assert_eq!(t.extract(exclusive, 0, 8), t.xor(a, b));
    let less = t.slt(x, y);
    assert_eq!(less, t.slt(a, b));
}
