//! Circuits for operations on words. A word is its literals, the least significant first.

use super::gates::{Gates, Lit};

pub(super) type Word = Vec<Lit>;

/// A term of a sum: the word shifted left, added or subtracted.
pub(super) struct Summand<'a> {
    pub word: &'a [Lit],
    pub shift: usize,
    pub negative: bool,
}

impl Gates {
    pub fn word(&mut self, width: u32) -> Word {
        (0..width).map(|_| self.input()).collect()
    }

    pub fn zip(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Word {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    pub fn mux_word(&mut self, c: Lit, then: &[Lit], other: &[Lit]) -> Word {
        if c.is_constant() || then == other {
            return if c == Lit::FALSE { other } else { then }.to_vec();
        }
        then.iter().zip(other).map(|(&a, &b)| self.mux(c, a, b)).collect()
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut all = Lit::TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            all = self.and(all, !differ);
            if all == Lit::FALSE {
                break;
            }
        }
        all
    }

    /// Unsigned `a < b`.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::FALSE, |less, (&a, &b)| self.maj(!a, b, less))
    }

    /// Signed `a < b`: unsigned with the signs exchanged.
    pub fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (sign, below) = (a.len() - 1, &a[..a.len() - 1]);
        let less = self.less(below, &b[..sign]);
        self.maj(a[sign], !b[sign], less)
    }

    pub fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Word {
        let mut sum = Word::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let bit;
            (bit, carry) = self.full_adder(a, b, carry);
            sum.push(bit);
        }
        sum
    }

    pub fn negate(&mut self, a: &[Lit]) -> Word {
        let zero = vec![Lit::FALSE; a.len()];
        let flipped: Word = a.iter().map(|&a| !a).collect();
        self.add(&flipped, &zero, Lit::TRUE)
    }

    /// `constant` plus all summands. A subtrahend is added inverted, with a one that an adder takes as its carry.
    pub fn sum(&mut self, width: usize, constant: &[Lit], summands: &[Summand]) -> Word {
        let mut ones = 0;
        let mut words = Vec::new();
        for summand in summands {
            let shifted = std::iter::repeat_n(Lit::FALSE, summand.shift).chain(summand.word.iter().copied());
            let mut word: Word = shifted.take(width).collect();
            word.resize(width, Lit::FALSE);
            if summand.negative {
                word.iter_mut().for_each(|lit| *lit = !*lit);
                ones += 1;
            }
            words.push(word);
        }
        let mut constant = constant.to_vec();
        let mut carries = 0;
        let zero = vec![Lit::FALSE; width];
        if constant == zero && ones < words.len() {
            carries = ones;
        } else {
            for _ in 0..ones {
                constant = self.add(&constant, &zero, Lit::TRUE);
            }
            if constant != zero {
                words.push(constant);
            }
        }
        // Balanced as far as possible: a balanced tree of sums propagates in fewer steps than a chain.
        while words.len() > 1 {
            let mut next = Vec::with_capacity(words.len().div_ceil(2));
            let mut pairs = words.chunks_exact(2);
            for pair in &mut pairs {
                let carry = Lit::constant(carries > 0);
                carries = carries.saturating_sub(1);
                next.push(self.add(&pair[0], &pair[1], carry));
            }
            next.extend(pairs.remainder().first().cloned());
            words = next;
        }
        words.pop().unwrap_or(zero)
    }

    /// The product. The operand with fewer unknown bits selects the rows.
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Word {
        let unknown = |word: &[Lit]| word.iter().filter(|lit| !lit.is_constant()).count();
        let (a, b) = if unknown(a) < unknown(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = vec![Lit::FALSE; width];
        for (shift, &choose) in b.iter().enumerate().filter(|(_, lit)| **lit != Lit::FALSE) {
            let row: Word = a[..width - shift].iter().map(|&a| self.and(a, choose)).collect();
            let high = self.add(&sum[shift..], &row, Lit::FALSE);
            sum[shift..].copy_from_slice(&high);
        }
        sum
    }

    /// Quotient and remainder, unsigned. Dividing by zero gives all ones and the dividend; the circuit does that by
    /// itself.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let width = a.len();
        // A remainder is below a constant divisor, and below 2^k after k bits of the dividend.
        let bound = match b.iter().all(|lit| lit.is_constant()) {
            true => b.iter().rposition(|&lit| lit == Lit::TRUE).map_or(width, |top| top + 1),
            false => width,
        };
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest: Word = Vec::new();
        for i in (0..width).rev() {
            rest.insert(0, a[i]);
            let (near, far) = b.split_at(rest.len());
            let less = self.less(&rest, near);
            let beyond = self.any(far.iter().copied());
            let enough = self.and(!less, !beyond);
            let flipped: Word = near.iter().map(|&b| !b).collect();
            let difference = self.add(&rest, &flipped, Lit::TRUE);
            quotient[i] = enough;
            rest = self.mux_word(enough, &difference, &rest);
            rest.truncate(bound);
        }
        rest.resize(width, Lit::FALSE);
        (quotient, rest)
    }

    pub fn signed_divide(&mut self, a: &[Lit], b: &[Lit]) -> (Word, Word) {
        let sign = a.len() - 1;
        let (low, high) = (self.magnitude(a), self.magnitude(b));
        let (quotient, rest) = self.divide(&low, &high);
        let differ = self.xor(a[sign], b[sign]);
        let (less, minus) = (self.negate(&quotient), self.negate(&rest));
        (
            self.mux_word(differ, &less, &quotient),
            self.mux_word(a[sign], &minus, &rest),
        )
    }

    fn magnitude(&mut self, a: &[Lit]) -> Word {
        let negative = self.negate(a);
        self.mux_word(a[a.len() - 1], &negative, a)
    }

    /// A barrel shifter to the right, `fill` coming in at the top. Shifts to the left are shifts of the reversed word.
    pub fn shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Word {
        let width = a.len();
        let stages = (width.next_power_of_two().trailing_zeros() as usize).min(by.len());
        let mut word = a.to_vec();
        for (stage, &bit) in by[..stages].iter().enumerate() {
            let distance = 1 << stage;
            let shifted: Word = (0..width)
                .map(|i| word.get(i + distance).copied().unwrap_or(fill))
                .collect();
            word = self.mux_word(bit, &shifted, &word);
        }
        let beyond = self.any(by[stages..].iter().copied());
        self.mux_word(beyond, &vec![fill; width], &word)
    }

    /// The value of the entry whose key is the index; `default` if there is none. Entries are sorted by key.
    ///
    /// A tree over the bits of the key; bits that all keys of a part have in common are compared at once.
    pub fn lookup(&mut self, index: &[Lit], entries: &[(u64, Word)], default: &Word) -> Word {
        let beyond = index.get(64..).unwrap_or_default().to_vec();
        let index = &index[..index.len().min(64)];
        let entries = match index.len() {
            64 => entries,
            width => &entries[..entries.partition_point(|&(key, _)| key >> width == 0)],
        };
        let found = self.lookup_below(index, entries, default);
        let beyond = self.any(beyond);
        self.mux_word(beyond, default, &found)
    }

    /// As [`Gates::lookup`], where the keys agree in all bits above the index. The depth of recursion is at most 64.
    fn lookup_below(&mut self, index: &[Lit], entries: &[(u64, Word)], default: &Word) -> Word {
        let (Some((first, value)), Some((last, _))) = (entries.first(), entries.last()) else {
            return default.clone();
        };
        let is = |bit: usize| first >> bit & 1 == 1;
        // The keys differ below bit `split`.
        let split = (64 - (first ^ last).leading_zeros()) as usize;
        let mut same = Lit::TRUE;
        for (bit, &lit) in index.iter().enumerate().skip(split) {
            same = self.and(same, if is(bit) { lit } else { !lit });
        }
        let found = match split.checked_sub(1) {
            None => value.clone(),
            Some(bit) => {
                let (low, high) = entries.split_at(entries.partition_point(|&(key, _)| key >> bit & 1 == 0));
                let low = self.lookup_below(&index[..bit], low, default);
                let high = self.lookup_below(&index[..bit], high, default);
                self.mux_word(index[bit], &high, &low)
            }
        };
        self.mux_word(same, &found, default)
    }
}
