//! Rules that random terms seldom exercise, for all values of a few bits.

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

/// `(x * 2^k + c) & mask`, where the masked bits are known, and where they are not.
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

/// `c * x + d` with x sign- and zero-extended: every value lies on the stride, and both ends are values unless
/// something wraps.
#[test]
fn multiples_lie_on_a_stride() {
    const WIDE: u32 = 8;
    let signed = |n: i64| u64::from(n as u8);
    for (sign, c, d) in [false, true]
        .into_iter()
        .flat_map(|sign| (-9..=9).flat_map(move |c: i64| [-7, 0, 3, 60].map(|d: i64| (sign, c, d))))
    {
        let mut terms = Terms::new(64);
        let x = input(&mut terms, "x", WIDTH);
        let wide = match sign {
            true => terms.sext(x, WIDE),
            false => terms.zext(x, WIDE),
        };
        let [factor, addend] = [c, d].map(|n| terms.constant(WIDE, signed(n)));
        let product = terms.mul(wide, factor);
        let sum = terms.add(product, addend);
        let strided = terms.strided(sum);
        let values: Vec<i64> = VALUES
            .map(|is| i64::from(value(&terms, sum, &[(x, is)]) as u8 as i8))
            .collect();
        assert!(
            values.iter().all(|&v| strided.contains(v)),
            "{strided:?} has not all of {values:?}"
        );
        let wraps = VALUES
            .map(|is| if sign { (is as i64) << 60 >> 60 } else { is as i64 })
            .any(|x| {
                let exact = c * x + d;
                !(-128..128).contains(&(c * x)) || !(-128..128).contains(&exact)
            });
        if !wraps {
            let ends = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
            assert_eq!((strided.low, strided.high), ends, "{c} * x + {d}");
            assert_eq!(strided.steps(), if c == 0 { 0 } else { 15 }, "{c} * x + {d}");
        }
    }
}

/// `lookup(c * x + d, table)` with x sign-extended, zero-extended or as wide as the index: the index loses factor and
/// addend where that is exact, and the meaning stays the same.
#[test]
fn indices_lose_factor_and_addend() {
    const WIDE: u32 = 8;
    let mut plain = 0;
    for (widening, c, d) in (0..3).flat_map(|w| (0..16u64).flat_map(move |c| [0, 3, 250].map(|d: u64| (w, c, d)))) {
        let mut terms = Terms::new(64);
        let x = input(&mut terms, "x", WIDTH);
        let (wide, y) = match widening {
            0 => (terms.zext(x, WIDE), x),
            1 => (terms.sext(x, WIDE), x),
            _ => {
                let y = input(&mut terms, "y", WIDE);
                (y, y)
            }
        };
        let [factor, addend, default] = [c, d, 77].map(|n| terms.constant(WIDE, n));
        let product = terms.mul(wide, factor);
        let index = terms.add(product, addend);
        let keys = [0, 3, 6, 8, 15, 18, 33, 48, 63, 120, 250, 255];
        let entries: Vec<(u64, TermId)> = keys.iter().map(|&key| (key, terms.constant(WIDE, key ^ 5))).collect();
        let found = terms.lookup(index, &entries, default);
        plain += u32::from(matches!(terms.op(found), Op::Lookup(_)) && terms.children(found)[0] == y);
        let [symbol] = *terms.symbols(y) else {
            panic!("an input is a symbol")
        };
        for is in 0..1u64 << terms.width(y) {
            let mut assignment = Assignment::default();
            assignment.values.insert(symbol, Bits::new(terms.width(y), is));
            let model = assignment.with_addresses(&|_| 0);
            let at = terms.eval_u64(index, &model);
            let expected = if keys.contains(&at) { at ^ 5 } else { 77 };
            assert_eq!(
                terms.eval_u64(found, &model),
                expected,
                "{} at {is}",
                terms.display(found)
            );
        }
    }
    assert!(plain > 20, "only {plain} indices became the input itself");
}
