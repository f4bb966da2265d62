//! Tables: the value of a list of entries at an index.
//!
//! Normal form of a `Lookup`: the index is neither a constant nor an extension; every key is possible for the index; no
//! entry equals the default; there are at least three entries with at least two different values, or the set of keys is
//! too scattered for a condition.

use super::linear::Quotient;
use crate::flags::Flags;
use crate::{Op, TermId, Terms, sign_extend, truncate};
use rustc_hash::FxHashMap;

/// A set of keys with at most this many runs becomes a condition on the index.
const MAX_RUNS: usize = 4;

impl Terms {
    /// The value of `entries` at `index` (keys unique; compared with the zero-extended index), `default` where no key
    /// matches.
    pub fn lookup(&mut self, index: TermId, entries: &[(u64, TermId)], default: TermId) -> TermId {
        assert!(
            entries.iter().all(|&(_, t)| self.sort(t) == self.sort(default)),
            "entries of a table have different sorts"
        );
        if let Some(at) = self.as_bits(index) {
            let entry = at.to_u64().and_then(|at| entries.iter().find(|&&(k, _)| k == at));
            return entry.map_or(default, |&(_, t)| t);
        }
        let values = entries.iter().map(|&(_, value)| value).chain([default]);
        if let Some(base) = self.common_base(values) {
            let offsets: Vec<_> = entries.iter().map(|&(k, t)| (k, self.sub(t, base))).collect();
            let default = self.sub(default, base);
            let offset = self.lookup(index, &offsets, default);
            return self.add(base, offset);
        }
        if !self.with_tables {
            let values = entries.iter().map(|&(_, value)| value).chain([default]);
            return match values.into_iter().any(|value| self.has_base(value)) {
                true => self.lookup_by_choices(index, entries, default),
                false => self.lookup_in_array(index, entries, default),
            };
        }
        let (index, mut entries) = self.narrow_index(index, entries.to_vec());
        entries.sort_unstable_by_key(|&(k, _)| k);
        debug_assert!(
            entries.windows(2).all(|w| w[0].0 < w[1].0),
            "keys of a table are not unique"
        );
        let facts = self.facts(index);
        if self.width(index) <= 64 {
            entries.retain(|&(k, _)| facts.lo <= k && k <= facts.hi && k & facts.zeros == 0 && !k & facts.ones == 0);
        }
        let default = if self.covers(index, entries.len()) {
            most_frequent(&entries)
        } else {
            default
        };
        entries.retain(|&(_, t)| t != default);
        if entries.is_empty() {
            return default;
        }
        if self.flags(index).has(Flags::CONST)
            && let Some(t) = self.lookup_by_tree(index, &entries, default)
        {
            return t;
        }
        if let Some(t) = self.lookup_as_condition(index, &entries, default) {
            return t;
        }
        if let [(k, t)] | [(k, t), _] = entries[..] {
            let rest = match entries.get(1) {
                Some(&(k, t)) => self.choose_at(index, k, t, default),
                None => default,
            };
            return self.choose_at(index, k, t, rest);
        }
        let width = self.width(default);
        let table = self.intern_table(entries);
        self.intern(
            Op::Lookup(table),
            width,
            self.node(default).index_width,
            [index, default].into_iter().collect(),
        )
    }

    /// The value of `entries` at `index`, which is one of their keys.
    pub fn lookup_among(&mut self, index: TermId, entries: &[(u64, TermId)]) -> TermId {
        // Among equally frequent values the last becomes the default and needs no test: values come in the order of the
        // table.
        let backwards: Vec<(u64, TermId)> = entries.iter().rev().copied().collect();
        self.lookup(index, entries, most_frequent(&backwards))
    }

    /// The same as a read of an array in which every entry was written.
    fn lookup_in_array(&mut self, index: TermId, entries: &[(u64, TermId)], default: TermId) -> TermId {
        let width = self.width(index);
        let mut array = self.const_array(width, default);
        for &(key, value) in entries.iter().filter(|(key, _)| width >= 64 || key >> width == 0) {
            let key = self.constant(width, key);
            array = self.store(array, key, value);
        }
        self.select(array, index)
    }

    /// Pointers become choices: an array would keep only their addresses, not their objects.
    fn lookup_by_choices(&mut self, index: TermId, entries: &[(u64, TermId)], default: TermId) -> TermId {
        let choose = |other, &(key, value): &(u64, TermId)| self.choose_at(index, key, value, other);
        entries.iter().rev().fold(default, choose)
    }

    fn choose_at(&mut self, index: TermId, key: u64, then: TermId, other: TermId) -> TermId {
        let at = self.equals_key(index, key);
        self.ite(at, then, other)
    }

    fn equals_key(&mut self, index: TermId, key: u64) -> TermId {
        let key = self.constant(self.width(index), key);
        self.eq(index, key)
    }

    /// Simplifies the index: extensions, known low bits, addends and factors are removed.
    fn narrow_index(&mut self, index: TermId, mut entries: Vec<(u64, TermId)>) -> (TermId, Vec<(u64, TermId)>) {
        let mut index = index;
        while self.width(index) <= 64 {
            let width = self.width(index);
            entries.retain(|&(k, _)| truncate(k, width) == k);
            index = match (self.op(index), self.children(index)) {
                (Op::ZExt, &[x]) => x,
                (Op::SExt, &[x]) => {
                    let narrow = self.width(x);
                    let fits = |k| truncate(sign_extend(k, narrow) as u64, width) == k;
                    rekey(&mut entries, |k| fits(k).then(|| truncate(k, narrow)));
                    x
                }
                (Op::Concat, &[.., last]) if self.is_const(last) => {
                    let (shift, low) = (self.width(last), self.facts(last).ones);
                    rekey(&mut entries, |k| (truncate(k, shift) == low).then_some(k >> shift));
                    self.extract(index, shift, width - shift)
                }
                (Op::Add | Op::Mul, _) => {
                    let Some(Quotient { rest, factor, addend }) = self.divide(index) else {
                        break;
                    };
                    rekey(&mut entries, |k| {
                        let multiple = sign_extend(k.wrapping_sub(addend), width);
                        (multiple % factor == 0).then(|| truncate((multiple / factor) as u64, width))
                    });
                    rest
                }
                _ => break,
            };
        }
        (index, entries)
    }

    /// Whether `count` different possible keys cover all values of the index.
    fn covers(&self, index: TermId, count: usize) -> bool {
        let width = self.width(index);
        if width > 64 || count == 0 {
            return false;
        }
        let facts = self.facts(index);
        let unknown = width - (facts.zeros | facts.ones).count_ones();
        let by_bits = if unknown >= 64 { u64::MAX } else { 1 << unknown };
        count as u64 >= by_bits.min((facts.hi - facts.lo).saturating_add(1))
    }

    fn lookup_by_tree(&mut self, index: TermId, entries: &[(u64, TermId)], default: TermId) -> Option<TermId> {
        let map: FxHashMap<u64, TermId> = entries.iter().copied().collect();
        self.map_leaves(index, &mut |terms, leaf| {
            let at = terms.as_bits(leaf).expect("all leaves are constants").to_u64();
            at.and_then(|at| map.get(&at).copied()).unwrap_or(default)
        })
    }

    /// Entries with the same value are a condition on the index, if their keys form few runs.
    fn lookup_as_condition(&mut self, index: TermId, entries: &[(u64, TermId)], default: TermId) -> Option<TermId> {
        let value = entries[0].1;
        if entries.iter().any(|&(_, t)| t != value) {
            return None;
        }
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for &(k, _) in entries {
            match runs.last_mut() {
                Some((_, end)) if *end + 1 == k => *end = k,
                _ => runs.push((k, k)),
            }
            if runs.len() > MAX_RUNS {
                return None;
            }
        }
        let mut member = self.fls;
        for (from, to) in runs {
            let within = if from == to {
                self.equals_key(index, from)
            } else {
                let width = self.width(index);
                let (from, to) = (self.constant(width, from), self.constant(width, to));
                let (above, below) = (self.ule(from, index), self.ule(index, to));
                self.and(above, below)
            };
            member = self.or(member, within);
        }
        Some(self.ite(member, value, default))
    }

    /// A choice on the index of a table, or a chain of three choices on one index, is a table.
    pub(crate) fn ite_into_table(&mut self, c: TermId, t: TermId, e: TermId) -> Option<TermId> {
        if !self.with_tables || self.width(t) == 1 || self.node(t).index_width != 0 {
            return None;
        }
        let (index, key) = self.as_key_test(c)?;
        if let (Op::Lookup(table), &[other, default]) = (self.op(e), self.children(e))
            && other == index
        {
            let mut entries: Vec<_> = self.table(table).iter().copied().filter(|&(k, _)| k != key).collect();
            entries.push((key, t));
            return Some(self.lookup(index, &entries, default));
        }
        let (d, then, rest) = self.as_choice(e)?;
        let (second, second_key) = self.as_key_test(d)?;
        let (f, third, default) = self.as_choice(rest)?;
        let (last, last_key) = self.as_key_test(f)?;
        if second != index || last != index || second_key == last_key || key == second_key || key == last_key {
            return None;
        }
        Some(self.lookup(index, &[(key, t), (second_key, then), (last_key, third)], default))
    }

    fn as_choice(&self, t: TermId) -> Option<(TermId, TermId, TermId)> {
        match (self.op(t), self.children(t)) {
            (Op::Ite, &[c, a, b]) => Some((c, a, b)),
            _ => None,
        }
    }

    fn as_key_test(&self, c: TermId) -> Option<(TermId, u64)> {
        match (self.op(c), self.children(c)) {
            (Op::Eq, &[index, key]) if !self.has_base(index) => Some((index, self.as_const(key)?)),
            _ => None,
        }
    }

    /// Two tables of constants at one index, side by side.
    pub(crate) fn concat_lookups(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (Op::Lookup(upper), &[index, high_default]) = (self.op(high), self.children(high)) else {
            return None;
        };
        let (Op::Lookup(lower), &[other, low_default]) = (self.op(low), self.children(low)) else {
            return None;
        };
        if index != other || !self.flags(high).has(Flags::CONST) || !self.flags(low).has(Flags::CONST) {
            return None;
        }
        let (upper, lower) = (
            self.table_data(upper).entries.clone(),
            self.table_data(lower).entries.clone(),
        );
        let mut both: FxHashMap<u64, (TermId, TermId)> = FxHashMap::default();
        for &(k, t) in upper.iter() {
            both.insert(k, (t, low_default));
        }
        for &(k, t) in lower.iter() {
            both.entry(k).or_insert((high_default, low_default)).1 = t;
        }
        self.rewrite(|terms| {
            let entries: Vec<_> = both.into_iter().map(|(k, (h, l))| (k, terms.concat(h, l))).collect();
            let default = terms.concat(high_default, low_default);
            terms.lookup(index, &entries, default)
        })
    }
}

/// Gives entries their new keys, and drops those without one.
fn rekey(entries: &mut Vec<(u64, TermId)>, key: impl Fn(u64) -> Option<u64>) {
    entries.retain_mut(|(k, _)| match key(*k) {
        Some(new) => {
            *k = new;
            true
        }
        None => false,
    });
}

/// The most frequent value of the entries; the first of equally frequent ones.
fn most_frequent(entries: &[(u64, TermId)]) -> TermId {
    let mut counts: FxHashMap<TermId, usize> = FxHashMap::default();
    for &(_, t) in entries {
        *counts.entry(t).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    entries
        .iter()
        .map(|&(_, t)| t)
        .find(|t| counts[t] == most)
        .expect("a table that covers its index has entries")
}
