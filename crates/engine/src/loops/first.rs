//! When a condition first holds that compares values which change by a constant in each iteration.
//!
//! With τ the number of the iteration, such a value is `start + τ · step` modulo 2^width, and for many comparisons the
//! first τ at which they hold is a term without a quantifier. Wrapping is taken into account: where a step could jump
//! over the wanted value, [`First::valid`] says so.

use mneme_term::{Op, SymbolId, TermId, Terms, truncate};

/// Bits of the number of an iteration.
pub const COUNT: u32 = 64;

/// The first iteration in which a condition holds.
#[derive(Copy, Clone, Debug)]
pub struct First {
    /// Where this does not hold, the other two are meaningless.
    pub valid: TermId,
    /// There is such an iteration.
    pub exists: TermId,
    /// Its number, where it exists.
    pub index: TermId,
}

/// `start + τ · step`, of at most 64 bits.
#[derive(Copy, Clone, Debug)]
pub struct Affine {
    pub start: TermId,
    pub step: u64,
}

impl Affine {
    /// `t` as a function of `tau`, if it has this form.
    pub fn of(terms: &mut Terms, t: TermId, tau: SymbolId) -> Option<Affine> {
        let width = terms.width(t);
        if !terms.symbols(t).contains(&tau) {
            return Some(Affine { start: t, step: 0 });
        }
        if width > COUNT {
            return None;
        }
        let variable = terms.symbol(tau);
        let [zero, one] = [0, 1].map(|n| terms.constant(COUNT, n));
        let start = at(terms, t, variable, zero);
        let next = at(terms, t, variable, one);
        let difference = terms.sub(next, start);
        let step = terms.as_const(difference)?;
        let affine = Affine { start, step };
        (affine.at(terms, variable) == t).then_some(affine)
    }

    pub fn falls(self, terms: &Terms) -> bool {
        matches!(Direction::of(terms, self), Direction::Down(_))
    }

    /// The value in iteration `count`.
    pub fn at(self, terms: &mut Terms, count: TermId) -> TermId {
        let width = terms.width(self.start);
        let count = terms.resize_zext(count, width);
        let step = terms.constant(width, self.step);
        let way = terms.mul(count, step);
        terms.add(self.start, way)
    }
}

/// `t` with `count` in place of the variable.
fn at(terms: &mut Terms, t: TermId, variable: TermId, count: TermId) -> TermId {
    terms.substitute(t, &mut |_, part| (part == variable).then_some(count))
}

impl First {
    /// For a condition on `tau`. `None`: its form has no such term.
    pub fn of(terms: &mut Terms, condition: TermId, tau: SymbolId) -> Option<First> {
        if !terms.symbols(condition).contains(&tau) {
            return Some(First {
                exists: condition,
                ..First::at_once(terms)
            });
        }
        let children = terms.children(condition).to_vec();
        match terms.op(condition) {
            Op::Or => First::of_any(terms, &children, tau),
            Op::And => First::of_guarded(terms, &children, tau),
            Op::Not => First::of_negation(terms, children[0], tau),
            op => First::of_comparison(terms, op, &children, tau, true),
        }
        .or_else(|| First::of_bit(terms, condition, tau))
    }

    fn of_negation(terms: &mut Terms, inner: TermId, tau: SymbolId) -> Option<First> {
        let children = terms.children(inner).to_vec();
        let op = terms.op(inner);
        if !matches!(op, Op::And | Op::Or) {
            return First::of_comparison(terms, op, &children, tau, false);
        }
        let parts: Vec<TermId> = children.into_iter().map(|part| terms.not(part)).collect();
        match op {
            Op::And => First::of_any(terms, &parts, tau),
            _ => First::of_guarded(terms, &parts, tau),
        }
    }

    /// A single bit that flips in every iteration.
    fn of_bit(terms: &mut Terms, condition: TermId, tau: SymbolId) -> Option<First> {
        let opposite = terms.not(condition);
        let opposite = Affine::of(terms, opposite, tau)?;
        Some(First::zero(terms, opposite))
    }

    fn of_any(terms: &mut Terms, parts: &[TermId], tau: SymbolId) -> Option<First> {
        let mut first = First::never(terms);
        for &part in parts {
            let other = First::of(terms, part, tau)?;
            first = first.earlier(terms, other);
        }
        Some(first)
    }

    /// A conjunction of which at most one part changes.
    fn of_guarded(terms: &mut Terms, parts: &[TermId], tau: SymbolId) -> Option<First> {
        let mut guard = terms.tru();
        let mut changing = None;
        for &part in parts {
            if !terms.symbols(part).contains(&tau) {
                guard = terms.and(guard, part);
            } else if changing.replace(part).is_some() {
                return None;
            }
        }
        let first = First::of(terms, changing?, tau)?;
        let idle = terms.not(guard);
        Some(First {
            valid: terms.or(idle, first.valid),
            exists: terms.and(guard, first.exists),
            index: first.index,
        })
    }

    /// For `a op b`, or its opposite.
    fn of_comparison(terms: &mut Terms, op: Op, sides: &[TermId], tau: SymbolId, holds: bool) -> Option<First> {
        let &[a, b] = sides else { return None };
        if op == Op::Eq {
            let difference = terms.sub(a, b);
            let difference = Affine::of(terms, difference, tau)?;
            return Some(match holds {
                true => First::zero(terms, difference),
                false => First::not_zero(terms, difference),
            });
        }
        let (signed, strict) = match op {
            Op::Ult => (false, true),
            Op::Ule => (false, false),
            Op::Slt => (true, true),
            Op::Sle => (true, false),
            _ => return None,
        };
        let (mut a, mut b) = (Affine::of(terms, a, tau)?, Affine::of(terms, b, tau)?);
        if signed {
            for side in [&mut a, &mut b] {
                let width = terms.width(side.start);
                let sign = terms.constant(width, 1 << (width - 1));
                side.start = terms.add(side.start, sign);
            }
        }
        // a < b and not a <= b are `strict`; the opposite of each swaps the sides.
        let ((low, high), strict) = if holds { ((a, b), strict) } else { ((b, a), !strict) };
        match (low.step, high.step) {
            (0, 0) => None,
            (0, _) if strict => Some(First::above(terms, high, low.start)),
            (0, _) => Some(First::at_least(terms, high, low.start)),
            (_, 0) if strict => Some(First::below(terms, low, high.start)),
            (_, 0) => Some(First::at_most(terms, low, high.start)),
            _ => None,
        }
    }

    pub fn at_once(terms: &mut Terms) -> First {
        First {
            valid: terms.tru(),
            exists: terms.tru(),
            index: terms.constant(COUNT, 0),
        }
    }

    pub fn never(terms: &mut Terms) -> First {
        First {
            exists: terms.fls(),
            ..First::at_once(terms)
        }
    }

    /// The earlier of two.
    pub fn earlier(self, terms: &mut Terms, other: First) -> First {
        let before = other.is_before(terms, self);
        First {
            valid: terms.and(self.valid, other.valid),
            exists: terms.or(self.exists, other.exists),
            index: terms.ite(before, other.index, self.index),
        }
    }

    pub fn is_before(self, terms: &mut Terms, other: First) -> TermId {
        let less = terms.ult(self.index, other.index);
        let alone = terms.not(other.exists);
        let before = terms.or(alone, less);
        terms.and(self.exists, before)
    }

    /// value ≥ bound, unsigned like all that follow.
    fn at_least(terms: &mut Terms, value: Affine, bound: TermId) -> First {
        match Direction::of(terms, value) {
            Direction::Up(step) => First::climb(terms, value.start, step, bound),
            // Like the climb of the complement: ~value < -bound, where the bound is not 0.
            Direction::Down(step) => {
                let (start, limit) = (terms.not(value.start), terms.neg(bound));
                let first = First::around(terms, start, step, limit);
                let zero = terms.constant(terms.width(bound), 0);
                let always = terms.eq(bound, zero);
                first.unless(terms, always, First::at_once)
            }
        }
    }

    /// value < bound
    fn below(terms: &mut Terms, value: Affine, bound: TermId) -> First {
        match Direction::of(terms, value) {
            Direction::Up(step) => First::around(terms, value.start, step, bound),
            Direction::Down(step) => {
                let (start, limit) = (terms.not(value.start), terms.neg(bound));
                let first = First::climb(terms, start, step, limit);
                let zero = terms.constant(terms.width(bound), 0);
                let empty = terms.eq(bound, zero);
                first.unless(terms, empty, First::never)
            }
        }
    }

    /// value > bound
    fn above(terms: &mut Terms, value: Affine, bound: TermId) -> First {
        let (next, last) = successor(terms, bound);
        First::at_least(terms, value, next).unless(terms, last, First::never)
    }

    /// value ≤ bound
    fn at_most(terms: &mut Terms, value: Affine, bound: TermId) -> First {
        let (next, last) = successor(terms, bound);
        First::below(terms, value, next).unless(terms, last, First::at_once)
    }

    fn unless(self, terms: &mut Terms, special: TermId, otherwise: impl Fn(&mut Terms) -> First) -> First {
        if terms.is_false(special) {
            return self;
        }
        let other = otherwise(terms);
        First {
            valid: terms.or(special, self.valid),
            exists: terms.ite(special, other.exists, self.exists),
            index: terms.ite(special, other.index, self.index),
        }
    }

    /// A climbing value reaches a bound without wrapping.
    fn climb(terms: &mut Terms, start: TermId, step: u64, bound: TermId) -> First {
        let width = terms.width(start);
        // The last step overshoots by less than one: it must not leave the range.
        let last = terms.constant(width, truncate(step.wrapping_neg(), width));
        let arrives = match step {
            1 => terms.tru(),
            _ => terms.ule(bound, last),
        };
        let there = terms.ule(bound, start);
        let gap = terms.sub(bound, start);
        let index = match terms.range(start).1 <= terms.range(bound).0 {
            true => rounds_or_none(terms, gap, step),
            false => {
                let rounds = rounds(terms, gap, step);
                let zero = terms.constant(width, 0);
                terms.ite(there, zero, rounds)
            }
        };
        First {
            valid: terms.or(there, arrives),
            exists: terms.tru(),
            index: terms.resize_zext(index, COUNT),
        }
    }

    /// A climbing value is below a bound: at once, or when it wraps.
    fn around(terms: &mut Terms, start: TermId, step: u64, bound: TermId) -> First {
        let width = terms.width(start);
        let zero = terms.constant(width, 0);
        let there = terms.ult(start, bound);
        let gap = terms.neg(start);
        let rounds = rounds(terms, gap, step);
        let index = terms.ite(there, zero, rounds);
        let empty = terms.eq(bound, zero);
        // After wrapping it is less than one step.
        let step = terms.constant(width, step);
        let lands = terms.ule(step, bound);
        let sure = terms.or(empty, lands);
        First {
            valid: terms.or(there, sure),
            exists: terms.not(empty),
            index: terms.resize_zext(index, COUNT),
        }
    }

    fn zero(terms: &mut Terms, value: Affine) -> First {
        let width = terms.width(value.start);
        let zero = terms.constant(width, 0);
        if value.step == 0 {
            return First {
                exists: terms.eq(value.start, zero),
                ..First::at_once(terms)
            };
        }
        // step = odd · 2^shift: the equation has a solution if the start is a multiple of 2^shift, and then one below
        // 2^(width - shift).
        let shift = value.step.trailing_zeros();
        let odd = value.step >> shift;
        let gap = terms.neg(value.start);
        let rest = terms.extract(gap, shift, width - shift);
        let inverse = terms.constant(width - shift, truncate(inverse(odd), width - shift));
        let index = terms.mul(rest, inverse);
        let exists = match shift {
            0 => terms.tru(),
            _ => {
                let low = terms.extract(gap, 0, shift);
                let none = terms.constant(shift, 0);
                terms.eq(low, none)
            }
        };
        First {
            valid: terms.tru(),
            exists,
            index: terms.resize_zext(index, COUNT),
        }
    }

    fn not_zero(terms: &mut Terms, value: Affine) -> First {
        let zero = terms.constant(terms.width(value.start), 0);
        let is_zero = terms.eq(value.start, zero);
        if value.step == 0 {
            return First {
                exists: terms.not(is_zero),
                ..First::at_once(terms)
            };
        }
        First {
            index: terms.resize_zext(is_zero, COUNT),
            ..First::at_once(terms)
        }
    }
}

/// The direction of a value, and how far it goes in each step.
enum Direction {
    Up(u64),
    Down(u64),
}

impl Direction {
    fn of(terms: &Terms, value: Affine) -> Direction {
        let width = terms.width(value.start);
        match value.step >> (width - 1) {
            0 => Direction::Up(value.step),
            _ => Direction::Down(truncate(value.step.wrapping_neg(), width)),
        }
    }
}

/// `t + 1`, and whether it overflows.
fn successor(terms: &mut Terms, t: TermId) -> (TermId, TermId) {
    let width = terms.width(t);
    let (one, zero) = (terms.constant(width, 1), terms.constant(width, 0));
    let next = terms.add(t, one);
    (next, terms.eq(next, zero))
}

/// How many steps a gap of at least 1 takes; a gap of 0 counts as 2^width.
fn rounds(terms: &mut Terms, gap: TermId, step: u64) -> TermId {
    if step == 1 {
        return gap;
    }
    let width = terms.width(gap);
    let (step, one) = (terms.constant(width, step), terms.constant(width, 1));
    let rest = terms.sub(gap, one);
    let whole = terms.udiv(rest, step);
    terms.add(whole, one)
}

/// The same, where a gap of 0 takes none.
fn rounds_or_none(terms: &mut Terms, gap: TermId, step: u64) -> TermId {
    if step == 1 {
        return gap;
    }
    let width = terms.width(gap);
    let wide = terms.zext(gap, width + 1);
    let (step, more) = (terms.constant(width + 1, step), terms.constant(width + 1, step - 1));
    let rounded = terms.add(wide, more);
    let whole = terms.udiv(rounded, step);
    terms.extract(whole, 0, width)
}

/// The inverse of an odd number modulo 2^64 (Newton).
fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

/// The condition that a narrow value does not wrap in the first `count` steps, as a signed or an unsigned number: its
/// extension to more bits then changes regularly, too.
pub fn stays_in_range(terms: &mut Terms, value: Affine, signed: bool, count: TermId) -> TermId {
    let width = terms.width(value.start);
    let mut start = value.start;
    if signed {
        let sign = terms.constant(width, 1 << (width - 1));
        start = terms.add(start, sign);
    }
    let (room, step) = match Direction::of(terms, value) {
        Direction::Up(step) => (terms.not(start), step),
        Direction::Down(step) => (start, step),
    };
    let step = terms.constant(width, step);
    let most = terms.udiv(room, step);
    let most = terms.resize_zext(most, COUNT);
    terms.ule(count, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_term::{Sort, Symbol, SymbolKind};

    const WIDTH: u32 = 4;
    const ALL: u64 = 1 << WIDTH;

    fn tau(terms: &mut Terms) -> SymbolId {
        terms.symbol_id(Symbol {
            name: "tau".into(),
            kind: SymbolKind::Bound,
            sort: Sort::Bits(COUNT),
        })
    }

    fn signed(n: u64) -> i64 {
        mneme_term::sign_extend(n, WIDTH)
    }

    type Compare = (fn(&mut Terms, TermId, TermId) -> TermId, fn(u64, u64) -> bool);

    const COMPARISONS: [Compare; 10] = [
        (Terms::eq, |a, b| a == b),
        (Terms::ne, |a, b| a != b),
        (Terms::ult, |a, b| a < b),
        (Terms::ule, |a, b| a <= b),
        (Terms::ugt, |a, b| a > b),
        (Terms::uge, |a, b| a >= b),
        (Terms::slt, |a, b| signed(a) < signed(b)),
        (Terms::sle, |a, b| signed(a) <= signed(b)),
        (Terms::sgt, |a, b| signed(a) > signed(b)),
        (Terms::sge, |a, b| signed(a) >= signed(b)),
    ];

    /// Every start, step and bound of four bits, with the moving value on either side: the term agrees with counting.
    #[test]
    fn closed_forms_agree_with_counting() {
        let mut terms = Terms::new(64);
        let tau = tau(&mut terms);
        let mut unsure = 0;
        for (compare, holds) in COMPARISONS {
            for case in 0..2 * ALL.pow(3) {
                let (start, step, bound) = (case % ALL, case / ALL % ALL, case / ALL.pow(2) % ALL);
                let swapped = case >= ALL.pow(3);
                let variable = terms.symbol(tau);
                let start_term = terms.constant(WIDTH, start);
                let value = Affine {
                    start: start_term,
                    step,
                };
                let value = value.at(&mut terms, variable);
                let limit = terms.constant(WIDTH, bound);
                let condition = match swapped {
                    true => compare(&mut terms, limit, value),
                    false => compare(&mut terms, value, limit),
                };
                let Some(first) = First::of(&mut terms, condition, tau) else {
                    panic!("no closed form of {}", terms.display(condition));
                };
                if terms.is_false(first.valid) {
                    unsure += 1;
                    continue;
                }
                assert!(terms.is_true(first.valid));
                let at = |t: u64| (start + t * step) % ALL;
                let expected = (0..ALL).find(|&t| match swapped {
                    true => holds(bound, at(t)),
                    false => holds(at(t), bound),
                });
                let found = terms
                    .is_true(first.exists)
                    .then(|| terms.as_const(first.index).expect("a number"));
                assert_eq!(
                    found,
                    expected,
                    "{start} + t * {step} with {bound}: {}",
                    terms.display(condition)
                );
                if step == 1 || step == ALL - 1 {
                    assert!(terms.is_true(first.valid));
                }
            }
        }
        assert!(unsure > 0 && unsure < 10 * 2 * ALL.pow(3) / 4, "{unsure}");
    }

    #[test]
    fn steps_of_one_are_always_sure() {
        let mut terms = Terms::new(64);
        let tau = tau(&mut terms);
        let variable = terms.symbol(tau);
        for (compare, _) in COMPARISONS {
            for step in [1, ALL - 1] {
                let symbols = ["v", "n"].map(|name| {
                    let symbol = terms.symbol_id(Symbol {
                        name: name.into(),
                        kind: SymbolKind::Input,
                        sort: Sort::Bits(WIDTH),
                    });
                    terms.symbol(symbol)
                });
                let value = Affine {
                    start: symbols[0],
                    step,
                };
                let value = value.at(&mut terms, variable);
                let condition = compare(&mut terms, value, symbols[1]);
                let first = First::of(&mut terms, condition, tau).expect("a closed form");
                for n in 0..ALL * ALL {
                    let numbers = [n % ALL, n / ALL].map(|n| terms.constant(WIDTH, n));
                    let put = |terms: &mut Terms, t| {
                        terms.substitute(t, &mut |_, t| symbols.iter().position(|&s| s == t).map(|i| numbers[i]))
                    };
                    let valid = put(&mut terms, first.valid);
                    assert!(terms.is_true(valid));
                }
            }
        }
    }

    /// `stays_in_range` is exact for every start, step and count.
    #[test]
    fn extensions_of_what_stays_in_range_change_regularly() {
        let mut terms = Terms::new(64);
        for case in 0..2 * ALL.pow(3) {
            let (start, step, count) = (case % ALL, case / ALL % ALL, case / ALL.pow(2) % ALL);
            let as_signed = case >= ALL.pow(3);
            if step == 0 {
                continue;
            }
            let number = |n: u64| if as_signed { signed(n) } else { n as i64 };
            let signed_step = signed(step);
            let exact = |t: u64| number(start) + t as i64 * signed_step;
            let wrapped = |t: u64| number((start + t * step) % ALL);
            // Half a turn is the same in both directions: it counts as downwards.
            let expected = (0..=count).all(|t| exact(t) == wrapped(t));
            let value = Affine {
                start: terms.constant(WIDTH, start),
                step,
            };
            let count = terms.constant(COUNT, count);
            let said = stays_in_range(&mut terms, value, as_signed, count);
            assert_eq!(terms.is_true(said), expected, "{start} {step} {as_signed}");
        }
    }
}
