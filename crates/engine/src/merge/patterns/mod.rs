//! Pattern-based merging (thesis chapter 6): paths that are the same but for numbers become one state with a quantified
//! condition.
//!
//! The paths to the leaves of a context's tree are words of hashes that forget constants (`shape.rs`), first those of
//! more than a byte, then all; leaves whose words are ω1 ω2^k ω3 form a partition (`regular.rs`); its conditions and
//! values are terms in k (`formula.rs`). A value that is no such term is a choice over k. What is in no partition, or
//! has no formula, is merged by the tree, as is everything if the hash does not tell siblings apart.

mod formula;
mod regular;
mod shape;

use super::expect::Mergeable;
use super::join::{Arrived, Encoded, Merged};
use super::tree::Tree;
use super::{Mode, Root};
use crate::state::State;
use crate::worker::Worker;
use formula::{Cut, Formula, cut};
use mneme_memory::{Apart, Model, Pick, Truth};
use mneme_term::{Assignment, Bits, SymbolId, TermId};
use regular::{MOST_PATTERNS, Pattern, patterns};
pub use shape::instance;
use shape::{Forget, Shapes};
use std::cell::RefCell;
use std::rc::Rc;

/// With `--merge auto`, fewer states than this are not merged in this way.
const MANY: usize = 12;

/// What was merged by a pattern: k, and its value in each member.
#[derive(Clone, Debug)]
pub struct Repeated {
    pub times: SymbolId,
    pub of_members: Vec<u64>,
}

impl<M: Model> Worker<'_, M> {
    /// Merges states that left a context by one exit, as far as their paths follow patterns. Returns the others.
    pub(super) fn merge_by_patterns(
        &mut self,
        tree: &Tree,
        root: &Root,
        group: Vec<Arrived<M>>,
        number: &mut u32,
        out: &mut Vec<Merged<M>>,
    ) -> Vec<Arrived<M>> {
        let wanted = match self.options.merge.mode {
            Mode::Patterns => true,
            Mode::Auto => group.len() >= MANY,
            Mode::None | Mode::Loops | Mode::Tree => false,
        };
        if !wanted {
            return group;
        }
        let mut group = group;
        for forget in [Forget::Wide, Forget::All] {
            if group.len() >= 3 {
                group = self.merge_by_hash(tree, root, group, forget, number, out);
            }
        }
        group
    }

    fn merge_by_hash(
        &mut self,
        tree: &Tree,
        root: &Root,
        group: Vec<Arrived<M>>,
        forget: Forget,
        number: &mut u32,
        out: &mut Vec<Merged<M>>,
    ) -> Vec<Arrived<M>> {
        let paths: Vec<Vec<TermId>> = { group.iter() }
            .map(|arrived| tree.path(&mut self.terms, arrived.node))
            .collect();
        let mut shapes = Shapes::of(&mut self.terms, &tree.conditions(), forget);
        let terms = &mut self.terms;
        if !tree.tells_siblings_apart(|condition| shapes.hash(terms, condition)) {
            self.stats.merging.kept_apart("conditions that differ in a number only");
            return group;
        }
        let word = |path: &Vec<TermId>| path.iter().map(|&condition| shapes.hash(terms, condition)).collect();
        let words: Vec<Vec<u64>> = paths.iter().map(word).collect();
        let found = patterns(&words);
        if found.len() > MOST_PATTERNS {
            self.stats.merging.kept_apart("too many patterns");
            return group;
        }
        let mut group: Vec<Option<Arrived<M>>> = group.into_iter().map(Some).collect();
        for pattern in &found {
            let Some(formula) = self.formula(&mut shapes, &paths, &words, pattern, &group) else {
                self.stats.merging.kept_apart("conditions of no formula");
                continue;
            };
            let taken = formula
                .members
                .iter()
                .map(|&(leaf, _)| group[leaf].take().expect("in one pattern"));
            let taken: Vec<Arrived<M>> = taken.collect();
            let leaves: Vec<usize> = formula.members.iter().map(|&(leaf, _)| leaf).collect();
            match self.merge_pattern(tree, root, formula, taken, *number) {
                Ok(merged) => {
                    *number += 1;
                    self.stats.merging.merges += 1;
                    self.stats.merging.patterns += 1;
                    self.stats.merging.states += leaves.len() as u64;
                    out.push(merged);
                }
                Err((Apart(why), members)) => {
                    self.stats.merging.kept_apart(why);
                    leaves
                        .into_iter()
                        .zip(members)
                        .for_each(|(leaf, member)| group[leaf] = Some(member));
                }
            }
        }
        group.into_iter().flatten().collect()
    }

    /// The formula of a pattern, with the leaf whose end follows from the rest of its path, if there is one.
    fn formula(
        &mut self,
        shapes: &mut Shapes,
        paths: &[Vec<TermId>],
        words: &[Vec<u64>],
        pattern: &Pattern,
        group: &[Option<Arrived<M>>],
    ) -> Option<Formula> {
        let counter = |arrived: &Arrived<M>| arrived.state.merge.patterns;
        let number = group.iter().flatten().map(counter).max().unwrap_or(0) + 1;
        let in_pattern = |leaf: &usize| pattern.members.iter().any(|(member, _)| member == leaf);
        let left: Vec<usize> = (0..group.len())
            .filter(|leaf| group[*leaf].is_some() && !in_pattern(leaf))
            .collect();
        if let Some(cut) = cut(words, pattern, &left)
            && let Some(formula) = Formula::of(&mut self.terms, shapes, paths, pattern, Some(&cut), number)
            && let Some(arrived) = &group[cut.leaf]
            && self.follows(&arrived.state, &formula, &cut)
        {
            return Some(formula);
        }
        Formula::of(&mut self.terms, shapes, paths, pattern, None, number)
    }

    /// Does what is missing at the end of a path follow from it?
    fn follows(&mut self, state: &State<M>, formula: &Formula, cut: &Cut) -> bool {
        (0..formula.last.len())
            .filter(|step| !cut.steps.contains(step))
            .all(|step| {
                let holds = instance(&mut self.terms, formula.last[step], formula.times, cut.times);
                let fails = self.terms.not(holds);
                matches!(self.may(state, fails), Truth::Never)
            })
    }

    /// Merges the members of a pattern. If that fails, they are returned.
    fn merge_pattern(
        &mut self,
        tree: &Tree,
        root: &Root,
        mut formula: Formula,
        mut members: Vec<Arrived<M>>,
        number: u32,
    ) -> Result<Merged<M>, (Apart, Vec<Arrived<M>>)> {
        let k = self.terms.symbol(formula.times);
        let width = self.terms.width(k);
        let mut of_members = Vec::new();
        for (index, (member, (place, times))) in members.iter_mut().zip(&mut formula.members).enumerate() {
            // From here on, members have the numbers of their states.
            *place = index;
            of_members.push(*times);
            repeats(&mut member.state, formula.times, &Bits::new(width, *times));
        }
        let condition = formula.condition(&mut self.terms);
        let mut pick = Pick::default();
        let mut rest = None;
        for (member, &times) in of_members.iter().enumerate().rev() {
            let this = pick.member(member);
            let number = self.terms.constant(width, times);
            let here = self.terms.eq(k, number);
            rest = Some(match rest {
                Some(rest) => pick.choice(here, this, rest),
                None => this,
            });
        }
        let times = formula.times;
        let shapes = RefCell::new(Shapes::default());
        let pick = pick.with_form(move |terms, of| formula.value(terms, &mut shapes.borrow_mut(), of));
        let encoded = Encoded {
            pick,
            condition,
            repeated: Some(Repeated { times, of_members }),
        };
        let merged = self.merge_encoded(tree, root, Mergeable::All, &members, number, encoded);
        merged.map_err(|apart| (apart, members))
    }
}

/// The state is the member of a pattern in which k has this value. k is new to it.
fn repeats<M: Model>(state: &mut State<M>, symbol: SymbolId, times: &Bits) {
    let with = |values: &Assignment| {
        let mut values = values.clone();
        values.values.insert(symbol, times.clone());
        Rc::new(values)
    };
    state.path.condition.learn(symbol, times.clone());
    state.path.seeds.extend(with);
    if !state.notes.witnesses.is_empty() {
        for witness in Rc::make_mut(&mut state.notes.witnesses) {
            witness.inputs = with(&witness.inputs);
        }
    }
}
