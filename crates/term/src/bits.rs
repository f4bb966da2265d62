//! Bit-vector constants of any width, with the operations of SMT-LIB.
//!
//! Invariant: bits at and above the width are zero, so that equality and hashing are structural. Constants of up to 64
//! bits are a machine word; only wider ones allocate. Every binary operation expects operands of one width.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bits {
    width: u32,
    repr: Repr,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Widths up to 64.
    Small(u64),
    /// Widths above 64: `width.div_ceil(64)` words, least significant first.
    Wide(Box<[u64]>),
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

impl Bits {
    /// `value` zero-extended or truncated to `width`.
    pub fn new(width: u32, value: u64) -> Bits {
        if width <= 64 {
            Bits {
                width,
                repr: Repr::Small(value & mask(width)),
            }
        } else {
            Bits::from_words(width, &[value])
        }
    }

    /// From little-endian words; missing words are zero, surplus bits are dropped.
    pub fn from_words(width: u32, words: &[u64]) -> Bits {
        if width <= 64 {
            return Bits::new(width, words.first().copied().unwrap_or(0));
        }
        let count = width.div_ceil(64) as usize;
        let mut own: Box<[u64]> = (0..count).map(|i| words.get(i).copied().unwrap_or(0)).collect();
        if !width.is_multiple_of(64) {
            own[count - 1] &= mask(width % 64);
        }
        Bits {
            width,
            repr: Repr::Wide(own),
        }
    }

    pub fn from_bool(b: bool) -> Bits {
        Bits::new(1, b as u64)
    }

    pub fn from_u128(width: u32, value: u128) -> Bits {
        Bits::from_words(width, &[value as u64, (value >> 64) as u64])
    }

    pub fn zero(width: u32) -> Bits {
        Bits::new(width, 0)
    }

    pub fn one(width: u32) -> Bits {
        Bits::new(width, 1)
    }

    pub fn ones(width: u32) -> Bits {
        Bits::zero(width).not()
    }

    /// 2 to the power `bit`.
    pub fn power(width: u32, bit: u32) -> Bits {
        Bits::one(width).shl_by(bit)
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn words(&self) -> &[u64] {
        match &self.repr {
            Repr::Small(w) => std::slice::from_ref(w),
            Repr::Wide(words) => words,
        }
    }

    /// The value, if it fits in 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.repr {
            Repr::Small(w) => Some(*w),
            Repr::Wide(words) => words[1..].iter().all(|&w| w == 0).then(|| words[0]),
        }
    }

    pub fn to_u128(&self) -> Option<u128> {
        let words = self.words();
        let high = words.get(1).copied().unwrap_or(0);
        words
            .iter()
            .skip(2)
            .all(|&w| w == 0)
            .then(|| (high as u128) << 64 | words[0] as u128)
    }

    pub fn low_u64(&self) -> u64 {
        self.words()[0]
    }

    pub fn to_bytes_le(&self) -> Vec<u8> {
        let count = self.width.div_ceil(8) as usize;
        self.words().iter().flat_map(|w| w.to_le_bytes()).take(count).collect()
    }

    pub fn from_bytes_le(width: u32, bytes: &[u8]) -> Bits {
        let words: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect();
        Bits::from_words(width, &words)
    }

    /// The same bits with another byte at bit `8 * index`.
    pub fn with_byte(&self, index: u32, byte: u8) -> Bits {
        let low = 8 * index;
        debug_assert!(low + 8 <= self.width);
        let hole = Bits::new(8, 0xff).zext(self.width).shl_by(low).not();
        let byte = Bits::new(8, byte as u64).zext(self.width).shl_by(low);
        self.and(&hole).or(&byte)
    }

    /// `0x…`, without leading zeros.
    pub fn to_hex(&self) -> String {
        let digits: String = self.words().iter().rev().map(|w| format!("{w:016x}")).collect();
        let short = digits.trim_start_matches('0');
        format!("0x{}", if short.is_empty() { "0" } else { short })
    }

    pub fn bit(&self, i: u32) -> bool {
        i < self.width && self.words()[(i / 64) as usize] >> (i % 64) & 1 == 1
    }

    pub fn sign(&self) -> bool {
        self.bit(self.width - 1)
    }

    pub fn is_zero(&self) -> bool {
        self.words().iter().all(|&w| w == 0)
    }

    pub fn is_one(&self) -> bool {
        self.low_u64() == 1 && self.words()[1..].iter().all(|&w| w == 0)
    }

    pub fn is_ones(&self) -> bool {
        match &self.repr {
            Repr::Small(w) => *w == mask(self.width),
            Repr::Wide(_) => self.not().is_zero(),
        }
    }

    pub fn count_ones(&self) -> u32 {
        self.words().iter().map(|w| w.count_ones()).sum()
    }

    /// The width, for zero.
    pub fn trailing_zeros(&self) -> u32 {
        let mut count = 0;
        for &word in self.words() {
            if word != 0 {
                return count + word.trailing_zeros();
            }
            count += 64;
        }
        self.width
    }

    /// `Some(k)` for 2 to the power `k`.
    pub fn as_power(&self) -> Option<u32> {
        (self.count_ones() == 1).then(|| self.trailing_zeros())
    }

    /// Position above the highest set bit: how many bits the value needs.
    pub fn bit_length(&self) -> u32 {
        for (i, &word) in self.words().iter().enumerate().rev() {
            if word != 0 {
                return i as u32 * 64 + 64 - word.leading_zeros();
            }
        }
        0
    }

    fn zip(&self, other: &Bits, f: impl Fn(u64, u64) -> u64) -> Bits {
        debug_assert_eq!(self.width, other.width);
        match (&self.repr, &other.repr) {
            (Repr::Small(a), Repr::Small(b)) => Bits::new(self.width, f(*a, *b)),
            _ => {
                let words: Vec<u64> = self.words().iter().zip(other.words()).map(|(&a, &b)| f(a, b)).collect();
                Bits::from_words(self.width, &words)
            }
        }
    }

    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b)
    }

    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b)
    }

    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b)
    }

    pub fn not(&self) -> Bits {
        match &self.repr {
            Repr::Small(a) => Bits::new(self.width, !a),
            Repr::Wide(words) => {
                let words: Vec<u64> = words.iter().map(|&w| !w).collect();
                Bits::from_words(self.width, &words)
            }
        }
    }

    pub fn neg(&self) -> Bits {
        match &self.repr {
            Repr::Small(a) => Bits::new(self.width, a.wrapping_neg()),
            Repr::Wide(_) => self.not().add(&Bits::one(self.width)),
        }
    }

    pub fn add(&self, other: &Bits) -> Bits {
        debug_assert_eq!(self.width, other.width);
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bits::new(self.width, a.wrapping_add(*b));
        }
        let mut carry = false;
        let mut words = Vec::with_capacity(self.words().len());
        for (&a, &b) in self.words().iter().zip(other.words()) {
            let (sum, c1) = a.overflowing_add(b);
            let (sum, c2) = sum.overflowing_add(carry as u64);
            carry = c1 | c2;
            words.push(sum);
        }
        Bits::from_words(self.width, &words)
    }

    pub fn sub(&self, other: &Bits) -> Bits {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Bits) -> Bits {
        debug_assert_eq!(self.width, other.width);
        if let (Repr::Small(a), Repr::Small(b)) = (&self.repr, &other.repr) {
            return Bits::new(self.width, a.wrapping_mul(*b));
        }
        let (a, b) = (self.words(), other.words());
        let mut words = vec![0u64; a.len()];
        for i in 0..a.len() {
            let mut carry = 0u128;
            for j in 0..a.len() - i {
                let sum = words[i + j] as u128 + a[i] as u128 * b[j] as u128 + carry;
                words[i + j] = sum as u64;
                carry = sum >> 64;
            }
        }
        Bits::from_words(self.width, &words)
    }

    /// Quotient and remainder; `(all ones, self)` for a zero divisor.
    fn divide(&self, other: &Bits) -> (Bits, Bits) {
        debug_assert_eq!(self.width, other.width);
        if other.is_zero() {
            return (Bits::ones(self.width), self.clone());
        }
        if let (Some(a), Some(b)) = (self.to_u128(), other.to_u128()) {
            return (Bits::from_u128(self.width, a / b), Bits::from_u128(self.width, a % b));
        }
        let mut quotient = vec![0u64; self.words().len()];
        let mut rest = Bits::zero(self.width);
        for i in (0..self.bit_length()).rev() {
            // The bit shifted out of `rest` belongs to the comparison: the remainder may briefly need width + 1 bits.
            let overflow = rest.sign();
            rest = rest.shl_by(1).or(&Bits::new(self.width, self.bit(i) as u64));
            if overflow || !rest.ult(other) {
                rest = rest.sub(other);
                quotient[(i / 64) as usize] |= 1 << (i % 64);
            }
        }
        (Bits::from_words(self.width, &quotient), rest)
    }

    pub fn udiv(&self, other: &Bits) -> Bits {
        self.divide(other).0
    }

    pub fn urem(&self, other: &Bits) -> Bits {
        self.divide(other).1
    }

    fn abs(&self) -> Bits {
        if self.sign() { self.neg() } else { self.clone() }
    }

    pub fn sdiv(&self, other: &Bits) -> Bits {
        let quotient = self.abs().udiv(&other.abs());
        if self.sign() != other.sign() {
            quotient.neg()
        } else {
            quotient
        }
    }

    pub fn srem(&self, other: &Bits) -> Bits {
        let rest = self.abs().urem(&other.abs());
        if self.sign() { rest.neg() } else { rest }
    }

    /// A shift distance, saturated at the width.
    fn distance(&self, by: &Bits) -> u32 {
        by.to_u64().map_or(self.width, |n| n.min(self.width as u64) as u32)
    }

    pub fn shl(&self, by: &Bits) -> Bits {
        self.shl_by(self.distance(by))
    }

    pub fn lshr(&self, by: &Bits) -> Bits {
        self.lshr_by(self.distance(by))
    }

    pub fn ashr(&self, by: &Bits) -> Bits {
        let n = self.distance(by);
        if self.sign() {
            self.not().lshr_by(n).not()
        } else {
            self.lshr_by(n)
        }
    }

    pub fn shl_by(&self, n: u32) -> Bits {
        if n >= self.width {
            return Bits::zero(self.width);
        }
        match &self.repr {
            Repr::Small(a) => Bits::new(self.width, a << n),
            Repr::Wide(a) => {
                let (whole, part) = ((n / 64) as usize, n % 64);
                let words: Vec<u64> = (0..a.len())
                    .map(|i| {
                        let word = |j: usize| if i >= j { a[i - j] } else { 0 };
                        let low = if part == 0 { 0 } else { word(whole + 1) >> (64 - part) };
                        word(whole) << part | low
                    })
                    .collect();
                Bits::from_words(self.width, &words)
            }
        }
    }

    pub fn lshr_by(&self, n: u32) -> Bits {
        if n >= self.width {
            return Bits::zero(self.width);
        }
        match &self.repr {
            Repr::Small(a) => Bits::new(self.width, a >> n),
            Repr::Wide(a) => {
                let (whole, part) = ((n / 64) as usize, n % 64);
                let word = |i: usize| a.get(i).copied().unwrap_or(0);
                let words: Vec<u64> = (0..a.len())
                    .map(|i| {
                        let high = if part == 0 {
                            0
                        } else {
                            word(i + whole + 1) << (64 - part)
                        };
                        word(i + whole) >> part | high
                    })
                    .collect();
                Bits::from_words(self.width, &words)
            }
        }
    }

    pub fn ult(&self, other: &Bits) -> bool {
        debug_assert_eq!(self.width, other.width);
        self.words().iter().rev().lt(other.words().iter().rev())
    }

    pub fn ule(&self, other: &Bits) -> bool {
        !other.ult(self)
    }

    pub fn slt(&self, other: &Bits) -> bool {
        match (self.sign(), other.sign()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ult(other),
        }
    }

    pub fn sle(&self, other: &Bits) -> bool {
        !other.slt(self)
    }

    /// `self` above `low`.
    pub fn concat(&self, low: &Bits) -> Bits {
        let width = self.width + low.width;
        self.zext(width).shl_by(low.width).or(&low.zext(width))
    }

    /// `width` bits starting at bit `low`.
    pub fn extract(&self, low: u32, width: u32) -> Bits {
        debug_assert!(low + width <= self.width);
        match &self.repr {
            Repr::Small(a) => Bits::new(width, a >> low),
            Repr::Wide(_) => Bits::from_words(width, self.lshr_by(low).words()),
        }
    }

    pub fn zext(&self, width: u32) -> Bits {
        debug_assert!(width >= self.width);
        Bits::from_words(width, self.words())
    }

    pub fn sext(&self, width: u32) -> Bits {
        debug_assert!(width >= self.width);
        if self.sign() {
            self.not().zext(width).not()
        } else {
            self.zext(width)
        }
    }

    /// The inverse modulo 2 to the width, of an odd number.
    pub fn odd_inverse(&self) -> Bits {
        debug_assert!(self.bit(0));
        // Newton: each step doubles the number of correct low bits, and x·x = 1 (mod 8) for odd x.
        let two = Bits::new(self.width, 2);
        let mut inverse = self.clone();
        let mut correct = 3;
        while correct < self.width {
            inverse = inverse.mul(&two.sub(&self.mul(&inverse)));
            correct *= 2;
        }
        inverse
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.to_hex(), self.width)
    }
}
