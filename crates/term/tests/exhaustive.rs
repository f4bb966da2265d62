//! Rules that random terms seldom meet, for all values of a few bits.

use mneme_term::testing::input;
use mneme_term::{Assignment, Bits, Op, TermId, Terms};

const WIDTH: u32 = 4;
const VALUES: std::ops::Range<u64> = 0..1 << WIDTH;

fn value(terms: &Terms, t: TermId, inputs: &[(TermId, u64)]) -> u64 {
    let mut assignment = Assignment::default();
    for &(input, value) in inputs {
        let [symbol] = *terms.symbols(input) else {
            panic!("an input is a symbol")
        };
        assignment.values.insert(symbol, Bits::new(WIDTH, value));
    }
    terms.eval_u64(t, &assignment.with_addresses(&|_| 0))
}

/// `lookup(i, table, x) == lookup(i, table, y)`, with tables whose keys follow one another and with others.
#[test]
fn one_table_with_two_defaults() {
    for keys in [&[0, 1, 2][..], &[3, 4, 5, 6], &[13, 14, 15], &[2], &[1, 3], &[0, 15]] {
        let mut terms = Terms::new(64);
        let [i, x, y] = ["i", "x", "y"].map(|name| input(&mut terms, name, WIDTH));
        let entries: Vec<(u64, TermId)> = keys.iter().map(|&key| (key, terms.constant(WIDTH, key ^ 5))).collect();
        let sides = [x, y].map(|default| terms.lookup(i, &entries, default));
        let equal = terms.eq(sides[0], sides[1]);
        for (i_is, x_is, y_is) in VALUES.flat_map(|i| VALUES.flat_map(move |x| VALUES.map(move |y| (i, x, y)))) {
            let expected = keys.contains(&i_is) || x_is == y_is;
            let got = value(&terms, equal, &[(i, i_is), (x, x_is), (y, y_is)]);
            assert_eq!(
                got,
                expected.into(),
                "{} at {i_is}, {x_is}, {y_is}",
                terms.display(equal)
            );
        }
    }
}

/// `(x * 2^k + c) & mask`: whatever the mask takes away is known, or not.
#[test]
fn sums_with_known_low_bits_are_masked() {
    let mut sums = 0;
    for (k, c, mask) in (0..WIDTH).flat_map(|k| VALUES.flat_map(move |c| VALUES.map(move |mask| (k, c, mask)))) {
        let mut terms = Terms::new(64);
        let x = input(&mut terms, "x", WIDTH);
        let [factor, addend, bits] = [1 << k, c, mask].map(|n| terms.constant(WIDTH, n));
        let product = terms.mul(x, factor);
        let sum = terms.add(product, addend);
        let masked = terms.and(sum, bits);
        sums += u32::from(terms.op(masked) == Op::Add && masked != sum);
        for x_is in VALUES {
            let expected = ((x_is << k) + c) & mask & (VALUES.end - 1);
            assert_eq!(
                value(&terms, masked, &[(x, x_is)]),
                expected,
                "{}",
                terms.display(masked)
            );
        }
    }
    assert!(sums > 0, "the rule happens");
}
