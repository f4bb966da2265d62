//! Regular patterns of paths (thesis §6.2.1): which leaves have paths ω1 ω2^k ω3, where a path is the word of its
//! conditions' hashes.
//!
//! Repetitions are searched in the longest words first (§6.5): for every period, runs are extended as far as they go in
//! both directions, and the decomposition that most of the leaves match is taken.

use rustc_hash::FxHashMap;

/// Longer periods, and patterns beyond this number, are not searched for.
const LONGEST_PERIOD: usize = 24;
pub const MOST_PATTERNS: usize = 8;
/// Fewer leaves are no pattern, nor are leaves that repeat something less often than twice.
const FEWEST: usize = 3;

/// Leaves whose paths are `prefix` + `period` * k + `suffix`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// Lengths of ω1, ω2 and ω3.
    pub prefix: usize,
    pub period: usize,
    pub suffix: usize,
    /// Leaves, by their index, and how often they repeat ω2. From the fewest to the most.
    pub members: Vec<(usize, u64)>,
}

/// Patterns of some of the words, each with several of them, without overlap. Words are pairwise different.
pub fn patterns(words: &[Vec<u64>]) -> Vec<Pattern> {
    let mut left: FxHashMap<&[u64], usize> = words.iter().enumerate().map(|(at, word)| (&word[..], at)).collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(words[at].len()), at));
    let mut found = Vec::new();
    for longest in order {
        if !left.contains_key(&words[longest][..]) {
            continue;
        }
        let candidates = decompositions(&words[longest]);
        let matching = candidates
            .into_iter()
            .map(|parts| matching(&words[longest], parts, &left));
        // The first of the best: the shortest period, and the earliest start.
        let Some(best) = matching.reduce(|best, other| {
            if other.members.len() > best.members.len() {
                other
            } else {
                best
            }
        }) else {
            continue;
        };
        let often = best.members.iter().any(|&(_, times)| times >= 2);
        if best.members.len() >= FEWEST && often {
            for &(at, _) in &best.members {
                left.remove(&words[at][..]);
            }
            found.push(best);
        }
    }
    found
}

/// Ways to write a word as ω1 ω2^k ω3 with k at least 2: (length of ω1, length of ω2, k).
fn decompositions(word: &[u64]) -> Vec<(usize, usize, usize)> {
    let mut out = Vec::new();
    for period in 1..=LONGEST_PERIOD.min(word.len() / 2) {
        let mut start = 0;
        while start + 2 * period <= word.len() {
            let repeats = |at: &usize| word[*at] == word[*at + period];
            let end = (start..word.len() - period).take_while(repeats).last();
            let Some(end) = end.map(|last| last + 1 + period) else {
                start += 1;
                continue;
            };
            for shift in 0..period {
                let times = (end - start).saturating_sub(shift) / period;
                if times >= 2 && is_primitive(&word[start + shift..start + shift + period]) {
                    out.push((start + shift, period, times));
                }
            }
            start = end - period + 1;
        }
    }
    out
}

/// Is a word no repetition of a shorter one?
fn is_primitive(word: &[u64]) -> bool {
    let n = word.len();
    !(1..=n / 2).any(|period| n.is_multiple_of(period) && (period..n).all(|at| word[at] == word[at - period]))
}

/// The leaves that match a decomposition of a word.
fn matching(word: &[u64], (prefix, period, times): (usize, usize, usize), left: &FxHashMap<&[u64], usize>) -> Pattern {
    let suffix = &word[prefix + period * times..];
    let longest = left.keys().map(|word| word.len()).max().unwrap_or(0);
    let most = longest.saturating_sub(prefix + suffix.len()) / period;
    let mut members = Vec::new();
    for times in 0..=most {
        let mut wanted = word[..prefix].to_vec();
        for _ in 0..times {
            wanted.extend_from_slice(&word[prefix..prefix + period]);
        }
        wanted.extend_from_slice(suffix);
        members.extend(left.get(&wanted[..]).map(|&at| (at, times as u64)));
    }
    Pattern {
        prefix,
        period,
        suffix: suffix.len(),
        members,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters as numbers.
    fn words(all: &[&str]) -> Vec<Vec<u64>> {
        all.iter().map(|word| word.bytes().map(u64::from).collect()).collect()
    }

    /// Fig. 6.2 and Table 6.1: (W, GB, GY) and (W, GB, R).
    #[test]
    fn the_patterns_of_table_6_1() {
        let all = words(&["WR", "WGY", "WGBR", "WGBGY", "WGBGBR", "WGBGBGY", "WGBGBGBR"]);
        let found = patterns(&all);
        let pattern = |suffix, members: &[(usize, u64)]| Pattern {
            prefix: 1,
            period: 2,
            suffix,
            members: members.to_vec(),
        };
        assert_eq!(
            found,
            [
                pattern(1, &[(0, 0), (2, 1), (4, 2), (6, 3)]),
                pattern(2, &[(1, 0), (3, 1), (5, 2)]),
            ]
        );
    }

    #[test]
    fn what_comes_before_and_after_is_not_repeated() {
        let found = patterns(&words(&["XYabab", "XYab", "XYababab", "XYababZ", "aab"]));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].prefix, found[0].period, found[0].suffix), (2, 2, 0));
        assert_eq!(found[0].members, [(1, 1), (0, 2), (2, 3)]);
        // `aaaa` repeats `a`, not `aa`; two words are no pattern.
        assert!(patterns(&words(&["aaaa", "aa"])).is_empty());
        assert_eq!(patterns(&words(&["aaaa", "aa", "aaaaa"]))[0].period, 1);
        assert!(patterns(&words(&["abc", "abd", "b"])).is_empty());
    }
}
