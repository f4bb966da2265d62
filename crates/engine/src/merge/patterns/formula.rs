//! Formula patterns (thesis §6.2.2 and §6.2.3): what the paths of a regular pattern have in common, as formulas in a
//! number.
//!
//! The paths of the members are φ1, then φ2 for i = 1 … k, then φ3 for k, each member with its own k. The merged
//! condition (Definition 6.2.6) says so with a symbol for k and a quantifier for i. Formulas and values are found by
//! [`General`], and used only if the instances that they were found from are exactly theirs.

use super::regular::Pattern;
use super::shape::{General, Shapes, instance};
use mneme_term::{Sort, Symbol, SymbolId, SymbolKind, TermId, Terms};

/// A pattern of paths with its formulas.
#[derive(Debug)]
pub struct Formula {
    /// k, and the variable of the quantifier, which is `i - 1`.
    pub times: SymbolId,
    before: SymbolId,
    /// Leaves, and how often each repeats φ2.
    pub members: Vec<(usize, u64)>,
    pub first: TermId,
    /// φ2 in the variable of the quantifier.
    pub repeated: TermId,
    /// φ3 in k, a formula for each step of the path.
    pub last: Vec<TermId>,
}

/// A leaf that ends like the members of a pattern, but part of the end follows from what comes before: the program did
/// not fork there.
pub struct Cut {
    pub leaf: usize,
    pub times: u64,
    /// Which steps of φ3 its path has.
    pub steps: Vec<usize>,
}

impl Formula {
    /// `paths` are the conditions from the root to each leaf; `number` distinguishes k from those of other merges.
    pub fn of(
        terms: &mut Terms,
        shapes: &mut Shapes,
        paths: &[Vec<TermId>],
        pattern: &Pattern,
        cut: Option<&Cut>,
        number: u32,
    ) -> Option<Formula> {
        let Pattern {
            prefix, period, suffix, ..
        } = *pattern;
        let mut members = pattern.members.clone();
        members.extend(cut.map(|cut| (cut.leaf, cut.times)));
        let &(longest, most) = members.iter().max_by_key(|&&(_, times)| times)?;
        let longest = &paths[longest];
        let shared = |&(leaf, times): &(usize, u64)| {
            let length = prefix + times as usize * period;
            paths[leaf][..length] == longest[..length]
        };
        if !members.iter().all(shared) {
            return None;
        }
        let (times, before) = symbols(terms, most, number);
        let k = terms.symbol(times);
        let k = terms.zext(k, 64);
        let mut last = Vec::new();
        let at: Vec<u64> = pattern.members.iter().map(|&(_, times)| times).collect();
        for step in 0..suffix {
            let step_of = |&(leaf, times): &(usize, u64)| paths[leaf][prefix + times as usize * period + step];
            let instances: Vec<TermId> = pattern.members.iter().map(step_of).collect();
            last.push(fitting(terms, shapes, times, k, &at, 0, &instances)?);
        }
        if let Some(cut) = cut {
            let start = prefix + cut.times as usize * period;
            for (at, &step) in cut.steps.iter().enumerate() {
                if instance(terms, last[step], times, cut.times) != paths[cut.leaf][start + at] {
                    return None;
                }
            }
        }
        let i = terms.symbol(before);
        let (i, one) = (terms.zext(i, 64), terms.constant(64, 1));
        let i = terms.add(i, one);
        let at: Vec<u64> = (1..=most).collect();
        let mut repeated = terms.tru();
        for step in 0..period {
            let instances: Vec<TermId> = (0..most as usize)
                .map(|i| longest[prefix + i * period + step])
                .collect();
            let step = fitting(terms, shapes, before, i, &at, 1, &instances)?;
            repeated = terms.and(repeated, step);
        }
        Some(Formula {
            times,
            before,
            first: conjunction(terms, &longest[..prefix]),
            members,
            repeated,
            last,
        })
    }

    /// The condition of the merged state, relative to the root.
    pub fn condition(&self, terms: &mut Terms) -> TermId {
        let k = terms.symbol(self.times);
        let range = self.range(terms);
        let all = terms.forall(self.before, k, self.repeated);
        let last = conjunction(terms, &self.last);
        [self.first, all, last]
            .into_iter()
            .fold(range, |all, part| terms.and(all, part))
    }

    /// k is that of one of the members.
    fn range(&self, terms: &mut Terms) -> TermId {
        let mut numbers: Vec<u64> = self.members.iter().map(|&(_, times)| times).collect();
        numbers.sort_unstable();
        let k = terms.symbol(self.times);
        let width = terms.width(k);
        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
        if high - low + 1 == numbers.len() as u64 {
            let (low, high) = (terms.constant(width, low), terms.constant(width, high));
            let (from, to) = (terms.ule(low, k), terms.ule(k, high));
            return terms.and(from, to);
        }
        numbers.iter().fold(terms.fls(), |any, &number| {
            let number = terms.constant(width, number);
            let this = terms.eq(k, number);
            terms.or(any, this)
        })
    }

    /// The value that is `of[l].1` for the member `of[l].0`, as a term in k.
    pub fn value(&self, terms: &mut Terms, shapes: &mut Shapes, of: &[(usize, TermId)]) -> Option<TermId> {
        let at: Vec<u64> = of.iter().map(|&(member, _)| self.members[member].1).collect();
        let instances: Vec<TermId> = of.iter().map(|&(_, value)| value).collect();
        let k = terms.symbol(self.times);
        let k = terms.zext(k, 64);
        fitting(terms, shapes, self.times, k, &at, 0, &instances)
    }
}

/// A term in a symbol whose instances are exactly these. `variable` is the symbol plus `offset`, and `at[l]` its value
/// in instance l.
fn fitting(
    terms: &mut Terms,
    shapes: &mut Shapes,
    symbol: SymbolId,
    variable: TermId,
    at: &[u64],
    offset: u64,
    instances: &[TermId],
) -> Option<TermId> {
    let found = General::new(shapes, at, variable).of(terms, instances)?;
    let same = |(&at, &wanted): (&u64, &TermId)| instance(terms, found, symbol, at - offset) == wanted;
    at.iter().zip(instances).all(same).then_some(found)
}

fn symbols(terms: &mut Terms, most: u64, number: u32) -> (SymbolId, SymbolId) {
    // As narrow as possible: the width is a fact about the range.
    let width = (u64::BITS - most.leading_zeros()).max(2);
    let mut symbol = |name: String, kind| {
        terms.symbol_id(Symbol {
            name,
            kind,
            sort: Sort::Bits(width),
        })
    };
    let times = symbol(format!("times!{number}"), SymbolKind::Fresh);
    (times, symbol(format!("time!{number}"), SymbolKind::Bound))
}

pub fn conjunction(terms: &mut Terms, all: &[TermId]) -> TermId {
    all.iter().fold(terms.tru(), |all, &one| terms.and(all, one))
}

/// The leaves whose words are those of a pattern with something missing in the end, the longest of them.
pub fn cut(words: &[Vec<u64>], pattern: &Pattern, left: &[usize]) -> Option<Cut> {
    let Pattern {
        prefix, period, suffix, ..
    } = *pattern;
    let &(longest, times) = pattern.members.last()?;
    let (word, times) = (&words[longest], times as usize);
    let (start, end) = (&word[..prefix], &word[prefix + times * period..]);
    let repeated = &word[prefix..prefix + period];
    let of = |&leaf: &usize| {
        let rest = words[leaf].strip_prefix(start)?;
        let full = rest.chunks_exact(period).take_while(|part| *part == repeated).count();
        // Part of the end may look like a repetition.
        let fewest = full.saturating_sub(suffix.div_ceil(period));
        (fewest..=full).rev().find_map(|times| {
            let steps = places(&rest[times * period..], end)?;
            (steps.len() < suffix).then_some(Cut {
                leaf,
                times: times as u64,
                steps,
            })
        })
    };
    let cuts = left.iter().filter_map(of);
    let free = |cut: &Cut| !pattern.members.iter().any(|&(_, times)| times == cut.times);
    cuts.filter(free).max_by_key(|cut| cut.times)
}

/// Where the letters of a word are in a longer one, in order.
fn places(word: &[u64], longer: &[u64]) -> Option<Vec<usize>> {
    let mut from = 0;
    let mut out = Vec::new();
    for letter in word {
        let at = from + longer[from..].iter().position(|other| other == letter)?;
        out.push(at);
        from = at + 1;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::regular::patterns;
    use super::super::shape::Forget;
    use super::*;
    use crate::merge::tree::Tree;

    struct Example {
        terms: Terms,
        n: TermId,
        s: TermId,
    }

    impl Example {
        fn new() -> Example {
            let mut terms = Terms::new(64);
            let mut symbol = |name: &str, sort| {
                let id = terms.symbol_id(Symbol {
                    name: name.into(),
                    kind: SymbolKind::Input,
                    sort,
                });
                terms.symbol(id)
            };
            let n = symbol("n", Sort::Bits(64));
            let s = symbol("s", Sort::Array { index: 64, element: 8 });
            Example { terms, n, s }
        }

        /// `n > i`, and its negation.
        fn more(&mut self, i: u64) -> [TermId; 2] {
            let i = self.terms.constant(64, i);
            let more = self.terms.ult(i, self.n);
            [more, self.terms.not(more)]
        }

        /// `s[i] = c`, and its negation.
        fn is(&mut self, i: u64, c: u64) -> [TermId; 2] {
            let (i, c) = (self.terms.constant(64, i), self.terms.constant(8, c));
            let element = self.terms.select(self.s, i);
            let same = self.terms.eq(element, c);
            [same, self.terms.not(same)]
        }

        /// The leaves of Fig. 6.2, which lead to the same exit: n2, n5, n6, n9, n10, n13, n14.
        fn paths(&mut self, iterations: u64) -> Vec<Vec<TermId>> {
            let mut paths = Vec::new();
            let mut so_far = Vec::new();
            for i in 0..iterations {
                let [[more, no_more], [same, other]] = [self.more(i), self.is(i, 97)];
                paths.push([&so_far[..], &[no_more]].concat());
                so_far.push(more);
                paths.push([&so_far[..], &[other]].concat());
                so_far.push(same);
            }
            let [_, no_more] = self.more(iterations);
            paths.push([&so_far[..], &[no_more]].concat());
            paths
        }
    }

    fn words(terms: &mut Terms, shapes: &mut Shapes, paths: &[Vec<TermId>]) -> Vec<Vec<u64>> {
        let word = |path: &Vec<TermId>| path.iter().map(|&condition| shapes.hash(terms, condition)).collect();
        paths.iter().map(word).collect()
    }

    #[test]
    fn the_hash_forgets_numbers_but_not_negations() {
        let mut example = Example::new();
        let conditions: Vec<[TermId; 2]> = (0..3).map(|i| example.more(i)).collect();
        let mut shapes = Shapes::of(&mut example.terms, &conditions.concat(), Forget::All);
        let [yes, no] = [0, 1].map(|side| {
            let hashes: Vec<u64> = { conditions.iter() }
                .map(|way| shapes.hash(&mut example.terms, way[side]))
                .collect();
            assert!(
                hashes.iter().all(|&hash| hash == hashes[0]),
                "h(n > 0) = h(n > 1) = h(n > 2)"
            );
            hashes[0]
        });
        assert_ne!(yes, no);
        let equal = [0, 1, 2].map(|i| example.is(i, 97)[0]);
        let hashes = equal.map(|t| shapes.hash(&mut example.terms, t));
        assert!(
            hashes.iter().all(|&hash| hash == hashes[0]),
            "h(s[0] = 97) = h(s[1] = 97)"
        );
    }

    /// Table 6.1 and Example 6.2.3, with the tree of Fig. 6.2.
    #[test]
    fn the_merged_states_of_table_6_1() {
        let mut example = Example::new();
        let paths = example.paths(3);
        let terms = &mut example.terms;
        let mut shapes = Shapes::of(terms, &paths.concat(), Forget::All);
        let words = words(terms, &mut shapes, &paths);
        let found = patterns(&words);
        let formulas: Vec<Formula> = found
            .iter()
            .map(|pattern| Formula::of(terms, &mut shapes, &paths, pattern, None, 1).expect("a formula pattern"))
            .collect();
        let [no_more, other] = &formulas[..] else {
            panic!("two partitions");
        };
        assert_eq!(no_more.members, [(0, 0), (2, 1), (4, 2), (6, 3)], "n2, n6, n10, n14");
        assert_eq!(other.members, [(1, 0), (3, 1), (5, 2)], "n5, n9, n13");
        let (n, s, nothing) = (example.n, example.s, terms.tru());
        let mut formulas_in = |symbol: SymbolId| {
            let x = terms.symbol(symbol);
            let (x, a) = (terms.zext(x, 64), terms.constant(8, 97));
            let element = terms.select(s, x);
            let (more, same) = (terms.ult(x, n), terms.eq(element, a));
            let (one, other) = (terms.constant(64, 1), terms.not(same));
            let next = terms.add(x, one);
            // `n <= x`, as it is written here.
            let no_more = terms.ult(n, next);
            [terms.and(more, same), terms.and(more, other), no_more]
        };
        // (true, n > x - 1 and s[x - 1] = 97, n > x and not s[x] = 97); the variable of the quantifier is x - 1.
        let ([repeated, _, _], [_, unlike, _]) = (formulas_in(other.before), formulas_in(other.times));
        let [_, _, ends] = formulas_in(no_more.times);
        assert_eq!((no_more.first, other.first), (nothing, nothing));
        assert_eq!(
            (other.repeated, no_more.repeated),
            (repeated, formulas_in(no_more.before)[0])
        );
        assert_eq!(
            (conjunction(terms, &other.last), conjunction(terms, &no_more.last)),
            (unlike, ends)
        );
        // pc: 0 <= k <= 2 or 3, the quantified formula, and what holds for k.
        let range = other.range(terms);
        let in_range = [0, 1, 2, 3].map(|number| instance(terms, range, other.times, number));
        assert_eq!(in_range.map(|within| terms.is_true(within)), [true, true, true, false]);
        let range = no_more.range(terms);
        assert!(terms.is_true(range), "two bits are at most 3");
        let merged = other.condition(terms);
        let symbols = [n, s].map(|t| terms.symbols(t)[0]);
        for (number, leaf) in [(0, 1), (1, 3), (2, 5)] {
            let here = instance(terms, merged, other.times, number);
            let path = conjunction(terms, &paths[leaf]);
            for (n, bytes) in (0..5).flat_map(|n| (0..8u64).map(move |bytes| (n, bytes))) {
                let mut inputs = mneme_term::Assignment::default();
                inputs.values.insert(symbols[0], mneme_term::Bits::new(64, n));
                let array = inputs.arrays.entry(symbols[1]).or_default();
                for at in 0..3 {
                    array
                        .entries
                        .insert(at, mneme_term::Bits::new(8, 97 + (bytes >> at & 1)));
                }
                let inputs = inputs.with_addresses(&|_| 0);
                assert_eq!(
                    terms.eval_bool(here, &inputs),
                    terms.eval_bool(path, &inputs),
                    "k = {number}, n = {n}"
                );
            }
        }
        // vars: count is k, p is the same for all.
        let count: Vec<(usize, TermId)> = (0..3).map(|k| (k, terms.constant(32, k as u64))).collect();
        let count = other.value(terms, &mut shapes, &count).expect("k");
        assert_eq!(terms.symbols(count), [other.times]);
        for number in 0..3 {
            let here = instance(terms, count, other.times, number);
            assert_eq!(terms.as_const(here), Some(number));
        }
    }

    /// Fig. 6.3 and Example 6.3.1: with "ab", n2 and n4 of every round become one node, and n3 one with n5.
    #[test]
    fn the_tree_of_fig_6_3_is_that_of_fig_6_2() {
        let mut example = Example::new();
        let mut tree = Tree::new(&example.terms, 0);
        let (mut start, mut leaves, mut merged) = (Tree::ROOT, Vec::new(), Vec::new());
        for i in 0..3 {
            let [[more, no_more], [a, not_a], [b, not_b]] = [example.more(i), example.is(i, 97), example.is(i, 98)];
            let n1 = tree.child(start, more, 0);
            leaves.push(tree.child(start, no_more, 0));
            let [n2, n3] = [a, not_a].map(|way| tree.child(n1, way, 0));
            let [n4, n5] = [b, not_b].map(|way| tree.child(n3, way, 0));
            let terms = &mut example.terms;
            start = tree.rejoin(terms, &[n2, n4], 0);
            leaves.push(n5);
            // n_new.c and n5.c are those of Fig. 6.3, both below n1.
            let (second, neither) = (terms.and(not_a, b), terms.and(not_a, not_b));
            let either = terms.or(a, second);
            merged.push([more, either]);
            let above: Vec<TermId> = merged[..i as usize].concat();
            assert_eq!(tree.path(terms, start), [&above[..], &[more, either]].concat());
            assert_eq!(tree.path(terms, n5), [&above[..], &[more, neither]].concat());
        }
        let [_, no_more] = example.more(3);
        leaves.push(tree.child(start, no_more, 0));
        let terms = &mut example.terms;
        let paths: Vec<Vec<TermId>> = leaves.iter().map(|&leaf| tree.path(terms, leaf)).collect();
        let mut shapes = Shapes::of(terms, &tree.conditions(), Forget::Wide);
        assert!(tree.tells_siblings_apart(|condition| shapes.hash(terms, condition)));
        let words = words(terms, &mut shapes, &paths);
        let found = patterns(&words);
        let members: Vec<_> = found.iter().map(|pattern| pattern.members.clone()).collect();
        assert_eq!(
            members,
            [vec![(0, 0), (2, 1), (4, 2), (6, 3)], vec![(1, 0), (3, 1), (5, 2)]]
        );
        for (pattern, suffix) in found.iter().zip([1, 2]) {
            assert_eq!((pattern.prefix, pattern.period, pattern.suffix), (0, 2, suffix));
            let formula = Formula::of(terms, &mut shapes, &paths, pattern, None, 1).expect("a formula pattern");
            for (round, &[more, either]) in merged.iter().enumerate() {
                let round = instance(terms, formula.repeated, formula.before, round as u64);
                assert_eq!(round, terms.and(more, either));
            }
        }
    }

    /// `while (s[i] != 0 && s[i] != 58) i++`: what is forgotten decides whether the two conditions are one letter.
    #[test]
    fn characters_tell_conditions_apart() {
        let mut example = Example::new();
        let (mut paths, mut so_far) = (Vec::new(), Vec::new());
        for i in 0..4 {
            for c in [0, 58] {
                let [same, other] = example.is(i, c);
                paths.push([&so_far[..], &[same]].concat());
                so_far.push(other);
            }
        }
        let terms = &mut example.terms;
        let mut shapes = Shapes::of(terms, &paths.concat(), Forget::Wide);
        let letters = words(terms, &mut shapes, &paths);
        let found = patterns(&letters);
        assert_eq!(found.len(), 2);
        for (number, pattern) in found.iter().enumerate() {
            assert_eq!((pattern.period, pattern.members.len()), (2, 4));
            Formula::of(terms, &mut shapes, &paths, pattern, None, number as u32).expect("a formula");
        }
        let mut shapes = Shapes::of(terms, &paths.concat(), Forget::All);
        let letters = words(terms, &mut shapes, &paths);
        let found = patterns(&letters);
        assert!(Formula::of(terms, &mut shapes, &paths, &found[0], None, 0).is_none());
    }

    #[test]
    fn an_end_that_follows_from_the_rest_is_found() {
        let mut example = Example::new();
        let mut paths = example.paths(5);
        // n <= 5 is known: the loop ends without a fork.
        paths.last_mut().expect("the last exit").pop();
        let terms = &mut example.terms;
        let mut shapes = Shapes::of(terms, &paths.concat(), Forget::All);
        let words = words(terms, &mut shapes, &paths);
        let found = patterns(&words);
        let pattern = found
            .iter()
            .find(|pattern| pattern.suffix == 1)
            .expect("the regular exit");
        let cut = cut(&words, pattern, &[10]).expect("it is the same pattern");
        assert_eq!((cut.leaf, cut.times, cut.steps.len()), (10, 5, 0));
        let formula = Formula::of(terms, &mut shapes, &paths, pattern, Some(&cut), 1).expect("a formula");
        assert_eq!(formula.members.len(), 6);
        let implied = instance(terms, formula.last[0], formula.times, 5);
        assert_eq!(terms.display(implied).to_string(), "n <u 6");
    }

    #[test]
    fn numbers_on_no_line_are_no_pattern() {
        let mut example = Example::new();
        let squares: Vec<(usize, TermId)> = (0..4)
            .map(|k: usize| (k, example.terms.constant(32, (k * k) as u64)))
            .collect();
        let paths = example.paths(5);
        let terms = &mut example.terms;
        let mut shapes = Shapes::of(terms, &paths.concat(), Forget::All);
        let words = words(terms, &mut shapes, &paths);
        let pattern = &patterns(&words)[0];
        let formula = Formula::of(terms, &mut shapes, &paths, pattern, None, 1).expect("a formula");
        assert!(formula.value(terms, &mut shapes, &squares).is_none());
    }
}
