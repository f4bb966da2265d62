//! Random expressions mean the same built through the simplifying constructors as evaluated as plain trees.

use mneme_term::testing::{Expr, Gen, Operator};
use mneme_term::{Sort, TermId, Terms, sign_extend};

/// Builds `count` expressions of each width and compares them under several environments.
///
/// `MNEME_TEST_FACTOR=100` runs more cases, `MNEME_TEST_SEED=7` different ones.
fn check(seed: u64, pointer_width: u32, widths: &[u32], depth: u32, count: u64) {
    let number = |name: &str, otherwise| std::env::var(name).map_or(otherwise, |n| n.parse().expect("a number"));
    let (factor, variant) = (number("MNEME_TEST_FACTOR", 1), number("MNEME_TEST_SEED", 0));
    for &width in widths {
        for i in 0..count * factor {
            let seed = (seed | variant << 48) ^ (i << 8 | width as u64) << 8;
            let mut generator = Gen::with_pointer_width(seed, pointer_width);
            let mut terms = Terms::new(pointer_width);
            // A few smaller ones first, to be reused inside the larger.
            generator.expr(width, 2);
            generator.expr(1, 2);
            let expr = generator.expr(width, depth);
            let term = expr.build(&mut terms);
            assert_eq!(terms.sort(term), Sort::Bits(width));
            for _ in 0..8 {
                compare(&mut generator, &terms, &expr, term, seed);
            }
        }
    }
}

fn compare(generator: &mut Gen, terms: &Terms, expr: &Expr, term: TermId, seed: u64) {
    let env = generator.env(expr);
    let (want, got) = (expr.eval(&env), terms.eval(term, &env.model(terms)));
    assert_eq!(
        want,
        got,
        "seed {seed}: {}\nbecame {}\nunder {env:?}",
        expr.smtlib(),
        terms.display(term)
    );
    if want.width() <= 64 {
        let (value, (lo, hi)) = (want.low_u64(), terms.range(term));
        let (ones, zeros) = terms.known_bits(term);
        assert!(
            lo <= value && value <= hi,
            "seed {seed}: range {lo}..={hi} of {}",
            terms.display(term)
        );
        assert!(
            ones & !value == 0 && zeros & value == 0,
            "seed {seed}: known bits of {}",
            terms.display(term)
        );
        let (signed, strided) = (sign_extend(value, want.width()), terms.strided(term));
        assert!(
            strided.contains(signed),
            "seed {seed}: {signed} is not in {strided:?} of {}",
            terms.display(term)
        );
    }
}

const WIDTHS: [u32; 7] = [1, 1, 8, 32, 64, 65, 128];

#[test]
fn shallow_expressions() {
    check(1, 64, &WIDTHS, 2, 4000);
}

#[test]
fn medium_expressions() {
    check(2, 64, &WIDTHS, 4, 2000);
}

#[test]
fn deep_expressions() {
    check(3, 64, &WIDTHS, 6, 150);
}

#[test]
fn pointers_of_32_bits() {
    check(4, 32, &[1, 1, 32, 64], 3, 2500);
}

/// Words whose bytes come from choices between pointers, from one choice or from several.
#[test]
fn bytes_of_pointers_side_by_side() {
    for pointer_width in [64, 32] {
        for seed in 0..6000 {
            let mut generator = Gen::with_pointer_width(seed, pointer_width);
            let mut terms = Terms::new(pointer_width);
            let pointers = [generator.pointer(3), generator.pointer(2)];
            let byte = |at: u32| {
                // In every eighth word one byte belongs to the other pointer.
                let stray = seed % 8 == 0 && u64::from(at) == seed / 8 % u64::from(pointer_width / 8);
                let whole = pointers[usize::from(stray)].clone();
                Expr::op(Operator::Extract(8 * at), Sort::Bits(8), vec![whole])
            };
            let word = (1..pointer_width / 8).fold(byte(0), |low, at| {
                let sort = Sort::Bits(8 * (at + 1));
                Expr::op(Operator::Concat, sort, vec![byte(at), low])
            });
            let term = word.build(&mut terms);
            for _ in 0..8 {
                compare(&mut generator, &terms, &word, term, seed);
            }
        }
    }
}
