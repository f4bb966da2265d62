//! Tests to start from: their paths are explored first.
//!
//! A state carries the seeds whose inputs lead along its path. At a fork, each seed follows the side that its inputs
//! satisfy, and that side is feasible without a query. A state without seeds is like any other, so all paths are
//! explored in the end.

use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Model, Truth};
use mneme_solver::Patience;
use mneme_term::{ArrayValue, Assignment, Bits, Sort, SymbolId, TermId};
use std::rc::Rc;

/// Inputs of a test, by name.
pub type SeedTest = Vec<(String, Vec<u8>)>;

/// A test that follows a path.
#[derive(Clone)]
struct Seed {
    /// Index into the tests that were given.
    test: usize,
    /// Values of the inputs that the path has met so far; they satisfy the path.
    values: Rc<Assignment>,
}

/// The tests that follow a path.
#[derive(Clone, Default)]
pub struct Seeds(Rc<Vec<Seed>>);

impl Seeds {
    pub fn all(tests: &[SeedTest]) -> Seeds {
        let seed = |test| Seed {
            test,
            values: Rc::default(),
        };
        Seeds(Rc::new((0..tests.len()).map(seed).collect()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The inputs of each seed.
    pub fn values(&self) -> impl Iterator<Item = &Rc<Assignment>> {
        self.0.iter().map(|seed| &seed.values)
    }

    /// Those whose inputs satisfy a condition.
    fn filtered(&self, holds: impl Fn(&Assignment) -> bool) -> Seeds {
        let satisfying = self.0.iter().filter(|seed| holds(&seed.values));
        Seeds(Rc::new(satisfying.cloned().collect()))
    }

    /// Extends the inputs of each seed.
    pub fn extend(&mut self, more: impl Fn(&Assignment) -> Rc<Assignment>) {
        if !self.is_empty() {
            for seed in Rc::make_mut(&mut self.0) {
                seed.values = more(&seed.values);
            }
        }
    }

    /// A new input of the program: every seed gives it a value, zero where the test has none. Returns how many tests
    /// lack it or give it with another size.
    pub fn meet(&mut self, tests: &[SeedTest], name: &str, symbol: SymbolId, sort: Sort, len: u64) -> u64 {
        let mut gaps = 0;
        if self.is_empty() {
            return gaps;
        }
        for seed in Rc::make_mut(&mut self.0) {
            let given = tests[seed.test].iter().find(|(input, _)| input == name);
            gaps += u64::from(given.is_none_or(|(_, bytes)| bytes.len() as u64 != len));
            let mut bytes = given.map_or(Vec::new(), |(_, bytes)| bytes.clone());
            bytes.resize(len as usize, 0);
            let values = Rc::make_mut(&mut seed.values);
            match sort {
                Sort::Bits(width) => _ = values.values.insert(symbol, Bits::from_bytes_le(width, &bytes)),
                Sort::Array { element, .. } => {
                    let entries = bytes.iter().enumerate();
                    let entries = entries.map(|(index, &byte)| (index as u64, Bits::new(element, byte.into())));
                    let array = ArrayValue {
                        entries: entries.collect(),
                        default: None,
                    };
                    values.arrays.insert(symbol, array);
                }
            }
        }
        gaps
    }

    /// Every seed satisfies its own member, and so the merged state.
    pub fn merge(members: &[&Seeds]) -> Seeds {
        match members.iter().all(|member| member.is_empty()) {
            true => members[0].clone(),
            false => Seeds(Rc::new(
                members.iter().flat_map(|member| member.0.iter().cloned()).collect(),
            )),
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// The seeds of a state that satisfy `condition`.
    pub(crate) fn seeds_with(&self, state: &State<M>, condition: TermId) -> Seeds {
        if state.path.seeds.is_empty() {
            return state.path.seeds.clone();
        }
        let holds = |values: &Assignment| !self.evaluate_with(state, condition, values).is_zero();
        state.path.seeds.filtered(holds)
    }

    /// Can `condition` hold on the path? A seed that satisfies it shows that without a query.
    pub(crate) fn may_seeded(&mut self, state: &State<M>, condition: TermId, patience: Patience) -> Truth {
        match self.seeds_with(state, condition).values().next() {
            Some(witness) => Truth::Sometimes(witness.clone()),
            None => self.may_soon(state, condition, patience),
        }
    }

    /// Narrows a path to the inputs for which `condition` holds; `witness` is one of them. Seeds that do not fit are
    /// dropped; the first that fits becomes the state's assignment.
    pub fn narrow_to(&mut self, state: &mut State<M>, condition: TermId, witness: Rc<Assignment>) {
        let seeds = self.seeds_with(state, condition);
        let witness = seeds.values().next().cloned().unwrap_or(witness);
        state.path.seeds = seeds;
        state.path.condition.assume(&mut self.terms, condition, witness);
    }
}
