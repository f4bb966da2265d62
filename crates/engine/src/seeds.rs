//! Tests to start from: their paths are explored first.
//!
//! A state carries the seeds whose inputs lead along its path. At a fork, each seed follows the side that its inputs
//! satisfy, and that side is feasible without a query. A state without seeds is like any other, so all paths are
//! explored in the end.

use crate::state::State;
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_term::{ArrayValue, Assignment, Bits, Sort, SymbolId, TermId};
use std::rc::Rc;

/// Inputs of a test, by name.
pub type SeedTest = Vec<(String, Vec<u8>)>;

/// A test that follows a path.
#[derive(Clone)]
pub struct Seed {
    /// Index into the tests that were given.
    test: usize,
    /// Values of the inputs that the path has met so far; they satisfy the path.
    values: Rc<Assignment>,
}

impl Seed {
    pub fn values(&self) -> &Assignment {
        &self.values
    }
}

pub fn all(tests: &[SeedTest]) -> Rc<Vec<Seed>> {
    let seed = |test| Seed {
        test,
        values: Rc::default(),
    };
    Rc::new((0..tests.len()).map(seed).collect())
}

/// The seeds, extended by more values.
pub fn extended(seeds: &Rc<Vec<Seed>>, more: impl Fn(&Assignment) -> Rc<Assignment>) -> Rc<Vec<Seed>> {
    if seeds.is_empty() {
        return seeds.clone();
    }
    let one = |seed: &Seed| Seed {
        test: seed.test,
        values: more(&seed.values),
    };
    Rc::new(seeds.iter().map(one).collect())
}

impl<M: Model> Worker<'_, M> {
    /// The seeds of a state that satisfy `guard`, and the inputs of the first of them.
    pub fn seeds_with(&self, state: &State<M>, guard: TermId) -> (Rc<Vec<Seed>>, Option<Rc<Assignment>>) {
        if state.seeds.is_empty() {
            return (state.seeds.clone(), None);
        }
        let bases = state.memory.bases();
        let address = |b| bases.concrete_address(b);
        let holds = |seed: &&Seed| {
            let model = seed.values.with_addresses(&address);
            self.terms.eval(guard, &model).low_u64() == 1
        };
        let left: Vec<Seed> = state.seeds.iter().filter(holds).cloned().collect();
        let witness = left.first().map(|seed| seed.values.clone());
        (Rc::new(left), witness)
    }

    /// Narrows a path to the inputs for which `condition` holds; `witness` is one of them. Seeds that do not fit are
    /// dropped; the first that fits becomes the state's assignment.
    pub fn narrow_to(&mut self, state: &mut State<M>, condition: TermId, witness: Rc<Assignment>) {
        let (seeds, known) = self.seeds_with(state, condition);
        state.seeds = seeds;
        state.path.assume(&mut self.terms, condition, known.unwrap_or(witness));
    }

    /// A new input of the program: every seed gives it a value, zero where the test has none.
    pub fn seed_input(&mut self, state: &mut State<M>, name: &str, symbol: SymbolId, sort: Sort, len: u64) {
        if state.seeds.is_empty() {
            return;
        }
        for seed in Rc::make_mut(&mut state.seeds) {
            let inputs = &self.options.seeds[seed.test];
            let given = inputs.iter().find(|(input, _)| input == name);
            if given.is_none_or(|(_, bytes)| bytes.len() as u64 != len) {
                self.stats.seed_gaps += 1;
            }
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
    }
}
