//! Constants compute like the machine does.

use mneme_term::Bits;
use mneme_term::testing::Random;

/// Corner values first, then random ones.
fn sample(random: &mut Random, width: u32) -> u128 {
    let all = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let value = match random.below(8) {
        0 => 0,
        1 => 1,
        2 => all,
        3 => 1 << (width - 1),
        4 => all >> 1,
        5 => 1 << random.below(width as u64),
        _ => (random.next() as u128) << 64 | random.next() as u128,
    };
    value & all
}

fn signed(value: u128, width: u32) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

#[test]
fn operations_agree_with_machine_arithmetic() {
    let mut random = Random::new(1);
    for width in [1, 2, 7, 8, 31, 32, 63, 64, 65, 100, 127, 128] {
        for _ in 0..2000 {
            let (x, y) = (sample(&mut random, width), sample(&mut random, width));
            let (a, b) = (Bits::from_u128(width, x), Bits::from_u128(width, y));
            let (sx, sy) = (signed(x, width), signed(y, width));
            let check = |got: Bits, want: u128| assert_eq!(got, Bits::from_u128(width, want));
            check(a.add(&b), x.wrapping_add(y));
            check(a.sub(&b), x.wrapping_sub(y));
            check(a.mul(&b), x.wrapping_mul(y));
            check(a.neg(), x.wrapping_neg());
            check(a.and(&b), x & y);
            check(a.or(&b), x | y);
            check(a.xor(&b), x ^ y);
            check(a.not(), !x);
            check(a.udiv(&b), x.checked_div(y).unwrap_or(u128::MAX));
            check(a.urem(&b), x.checked_rem(y).unwrap_or(x));
            let division_by_zero = if sx < 0 { 1 } else { u128::MAX };
            check(
                a.sdiv(&b),
                if y == 0 {
                    division_by_zero
                } else {
                    sx.wrapping_div(sy) as u128
                },
            );
            check(a.srem(&b), if y == 0 { x } else { sx.wrapping_rem(sy) as u128 });
            assert_eq!(a.ult(&b), x < y);
            assert_eq!(a.ule(&b), x <= y);
            assert_eq!(a.slt(&b), sx < sy);
            assert_eq!(a.sle(&b), sx <= sy);
            let n = random.below(width as u64 + 3) as u32;
            let by = Bits::new(width.max(16), n as u64);
            let fits = n < width;
            check(a.shl(&by), if fits { x << n } else { 0 });
            check(a.lshr(&by), if fits { x >> n } else { 0 });
            check(a.ashr(&by), (sx >> n.min(width - 1)) as u128);
            assert_eq!(a.to_u128(), Some(x));
            assert_eq!(Bits::from_bytes_le(width, &a.to_bytes_le()), a);
            assert_eq!(a.bit_length(), 128 - x.leading_zeros());
            assert_eq!(a.trailing_zeros(), x.trailing_zeros().min(width));
            if x & 1 == 1 {
                assert!(a.mul(&a.odd_inverse()).is_one());
            }
            let low = random.below(width as u64) as u32;
            let part = 1 + random.below((width - low) as u64) as u32;
            assert_eq!(a.extract(low, part), Bits::from_u128(part, x >> low));
            if width <= 64 {
                assert_eq!(a.concat(&b), Bits::from_u128(2 * width, x << width | y));
                assert_eq!(a.sext(128), Bits::from_u128(128, sx as u128));
                assert_eq!(a.zext(128), Bits::from_u128(128, x));
            }
        }
    }
}

#[test]
fn division_of_very_wide_numbers_inverts_multiplication() {
    let mut random = Random::new(2);
    for width in [129, 192, 200, 256, 300] {
        for _ in 0..200 {
            let words: Vec<u64> = (0..5).map(|_| random.next()).collect();
            let a = Bits::from_words(width, &words);
            let by = random.below(width as u64 - 1) as u32;
            let b = Bits::from_words(width, &[random.next(), random.next(), random.next()]).lshr_by(by);
            if b.is_zero() {
                continue;
            }
            let (quotient, rest) = (a.udiv(&b), a.urem(&b));
            assert!(rest.ult(&b));
            assert_eq!(quotient.mul(&b).add(&rest), a);
            assert!(quotient.is_zero() || !quotient.mul(&b).ult(&quotient), "no overflow");
        }
    }
}

#[test]
fn hexadecimal_has_no_leading_zeros() {
    assert_eq!(Bits::new(32, 0).to_hex(), "0x0");
    assert_eq!(Bits::new(32, 0xabc).to_hex(), "0xabc");
    assert_eq!(Bits::from_words(100, &[1, 2]).to_hex(), "0x20000000000000001");
}
