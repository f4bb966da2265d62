//! Laws of `commit`: guards partition, and nothing is lost.

use super::*;
use crate::observer::{Future, Novelty, Observer, TestCase};
use crate::search::Rng;
use crate::{Frontier, Options};
use mneme_finding::{Finding, Location};
use mneme_memory::objects::Objects;
use mneme_program::{Block, Extension, Function, FunctionId, Inst, Loc, Program, Signature, SiteId, Target};
use mneme_solver::{ChainOptions, chain};
use mneme_term::{Sort, Symbol, SymbolId, SymbolKind, Value};

/// Inputs have this many bits, so that all can be tried.
const BITS: u32 = 6;
const VALUES: u64 = 1 << BITS;

#[derive(Default)]
struct Heard {
    stops: Vec<String>,
}

impl Observer for Heard {
    fn completed(&mut self, _: &TestCase) {}
    fn found(&mut self, _: &Finding, _: &TestCase, _: Novelty) {}
    fn unfinished(&mut self, _: &TestCase, _: &str, _: Future) {}
    fn caught_up(&mut self) {}
    fn stopped(&mut self, reason: &str, _: Option<&Location>) {
        self.stops.push(reason.to_string());
    }
    fn save(&mut self, _: &Frontier) {}
    fn output(&mut self, _: u64, _: &[u8]) {}
}

/// A function with one slot that does nothing.
fn program() -> Program {
    let main = Function {
        name: "main".into(),
        source_name: None,
        signature: Signature {
            params: Vec::new(),
            results: Vec::new(),
            variadic: false,
        },
        returns: None,
        params: Vec::new(),
        extension: Extension::Zero,
        slots: 1,
        code: vec![Inst::Spin],
        locs: vec![Loc::default()],
        blocks: vec![Block {
            start: 0,
            end: 1,
            successors: Vec::new(),
        }],
        constants: Vec::new(),
        operands: Vec::new(),
        edges: Vec::new(),
        calls: Vec::new(),
        switches: Vec::new(),
        geps: Vec::new(),
        intrinsics: Vec::new(),
        unsupported: Vec::new(),
        values: Vec::new(),
        site: SiteId(0),
        loc: Loc::default(),
        first_inst: 0,
        first_edge: 0,
        frame: 0,
        own: true,
        runtime: false,
    };
    Program {
        target: Target { pointer_width: 64 },
        functions: vec![main],
        globals: Vec::new(),
        sites: Vec::new(),
        files: Vec::new(),
        types: Vec::new(),
        counts: mneme_program::Counts::default(),
        main: Some(FunctionId(0)),
        inputs: None,
        constructors: Vec::new(),
        destructors: Vec::new(),
        instructions: 1,
        places: 1,
    }
}

/// A worker and a state in `main`, with an input.
fn with_state(options: &Options, act: impl FnOnce(&mut Worker<Objects>, State<Objects>, SymbolId)) -> Heard {
    let (program, mut heard) = (program(), Heard::default());
    let solver = chain(&ChainOptions::default()).expect("a solver");
    let model = Default::default();
    let (mut worker, mut state) =
        Worker::<Objects>::new(&program, options, &model, solver, &mut heard).expect("there is room for no globals");
    assert_eq!(worker.next_pending(&mut state), Flow::On);
    let sort = Sort::Bits(BITS);
    let input = worker.terms.symbol_id(Symbol {
        name: "x".into(),
        kind: SymbolKind::Input,
        sort,
    });
    state.path.seeds.meet(&worker.options.seeds, "x", input, sort, 1);
    act(&mut worker, state, input);
    heard
}

fn holds_for(worker: &Worker<Objects>, term: TermId, input: SymbolId, value: u64) -> bool {
    let mut values = Assignment::default();
    values.values.insert(input, mneme_term::Bits::new(BITS, value));
    worker.terms.eval_bool(term, &values.with_addresses(&|_| 0))
}

/// The values of the input that the path allows.
fn values_of(worker: &Worker<Objects>, state: &State<Objects>, input: SymbolId) -> Vec<u64> {
    let all =
        |&value: &u64| { state.path.condition.clauses().iter() }.all(|&clause| holds_for(worker, clause, input, value));
    (0..VALUES).filter(all).collect()
}

/// A part of the inputs, by a condition as programs have them.
fn part(worker: &mut Worker<Objects>, input: SymbolId, rng: &mut Rng) -> TermId {
    let (x, n) = (
        worker.terms.symbol(input),
        worker.terms.constant(BITS, rng.below(VALUES)),
    );
    match rng.below(4) {
        0 => worker.terms.eq(x, n),
        1 => worker.terms.ult(x, n),
        2 => {
            let masked = worker.terms.and(x, n);
            let zero = worker.terms.constant(BITS, 0);
            worker.terms.eq(masked, zero)
        }
        _ => worker.terms.slt(n, x),
    }
}

/// Guards of two to four outcomes, disjoint and covering.
fn partition(worker: &mut Worker<Objects>, input: SymbolId, rng: &mut Rng) -> Vec<TermId> {
    let mut rest = worker.terms.tru();
    let mut guards = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let this = part(worker, input, rng);
        guards.push(worker.terms.and(rest, this));
        let other = worker.terms.not(this);
        rest = worker.terms.and(rest, other);
    }
    guards.push(rest);
    guards
}

/// Compares where the inputs of a random tree of outcomes should go with where they went: by states, and by the
/// worker's counts where a path ends in an error or a stop.
fn random_tree(options: &Options, seed: u64) {
    with_state(options, |worker, state, input| {
        let mut rng = Rng::new(seed);
        let seeds = state.path.seeds.clone();
        let (mut pending, mut ended, mut expected) = (vec![(state, 0)], Vec::new(), 0);
        while let Some((mut state, depth)) = pending.pop() {
            let before = values_of(worker, &state, input);
            if depth == 4 {
                assert!(!before.is_empty(), "nobody can come here");
                ended.push((before, state));
                continue;
            }
            let guards = partition(worker, input, &mut rng);
            let mut outcomes = Outcomes::new();
            let mut going = Vec::new();
            for (n, &guard) in guards.iter().enumerate() {
                let these = { before.iter() }.filter(|&&value| holds_for(worker, guard, input, value));
                let possible = these.count() > 0;
                let end = match rng.below(6) {
                    0 => Ending::Error(Error::Abort),
                    1 => Ending::Stop(Reason::Endless),
                    _ => Ending::Go(Then::Decide(0, Value::Int(n as u64))),
                };
                match end {
                    Ending::Go(_) if possible => going.push(n as u64),
                    _ => expected += usize::from(possible),
                }
                outcomes.push(Outcome::new(guard, end));
            }
            state.path.steps += 1;
            let flow = worker.commit(&mut state, outcomes);
            let mut alive = std::mem::take(&mut worker.spawned);
            alive.extend((flow != Flow::End).then_some(state));
            let mut gone: Vec<u64> = Vec::new();
            for state in &alive {
                let Value::Int(way) = state.frame().slots[0] else {
                    panic!("the way is a number")
                };
                let mut wanted = before.clone();
                wanted.retain(|&value| holds_for(worker, guards[way as usize], input, value));
                assert_eq!(
                    values_of(worker, state, input),
                    wanted,
                    "what a path says of its inputs"
                );
                gone.push(way);
            }
            gone.sort_unstable();
            assert_eq!(gone, going, "each possible way once");
            pending.extend(alive.into_iter().map(|state| (state, depth + 1)));
        }
        let stopped: u64 = worker.stats.paths.stop_reasons.values().sum();
        assert_eq!(
            (worker.stats.paths.faulted + stopped) as usize,
            expected,
            "nothing is lost"
        );
        assert_eq!(
            worker.stats.paths.stop_reasons.len(),
            usize::from(stopped > 0),
            "{:?}",
            worker.stats.paths.stop_reasons
        );
        // Every seed reaches the end of its path, or the point where it ended before.
        for (values, state) in &ended {
            for seed in state.path.seeds.values() {
                let value = seed.values[&input].low_u64();
                assert!(values.contains(&value), "a seed on a path of others");
            }
        }
        for seed in seeds.values() {
            let value = seed.values[&input].low_u64();
            let here = ended.iter().filter(|(values, _)| values.contains(&value));
            for (_, state) in here {
                let carried = { state.path.seeds.values() }.any(|seed| seed.values[&input].low_u64() == value);
                assert!(carried, "a seed was dropped");
            }
        }
    });
}

#[test]
fn all_possible_ways_of_random_trees_are_gone_and_no_others() {
    for seed in 0..60 {
        random_tree(&Options::default(), seed);
    }
}

#[test]
fn seeds_change_nothing_about_the_ways_and_go_along() {
    let mut rng = Rng::new(1);
    for seed in 0..60 {
        let test = |rng: &mut Rng| vec![("x".to_string(), vec![rng.below(VALUES) as u8])];
        let options = Options {
            seeds: (0..1 + rng.below(4)).map(|_| test(&mut rng)).collect(),
            ..Options::default()
        };
        random_tree(&options, seed);
    }
}

/// Outcomes for the inputs below `limits[0]`, then below `limits[1]`, and so on.
fn below(worker: &mut Worker<Objects>, input: SymbolId, limits: &[u64]) -> Outcomes<Objects> {
    let x = worker.terms.symbol(input);
    let mut from = 0;
    let mut outcomes = Outcomes::new();
    for (n, &limit) in limits.iter().enumerate() {
        let (low, high) = (worker.terms.constant(BITS, from), worker.terms.constant(BITS, limit));
        let (above, below) = (worker.terms.ule(low, x), worker.terms.ult(x, high));
        let guard = worker.terms.and(above, below);
        outcomes.push(Outcome::new(guard, Ending::Go(Then::Decide(0, Value::Int(n as u64)))));
        from = limit;
    }
    outcomes
}

#[test]
fn inputs_that_no_guard_covers_are_a_counted_stop() {
    let heard = with_state(&Options::default(), |worker, mut state, input| {
        let mut outcomes = below(worker, input, &[1, 10, 20]);
        // The state's own assignment is 0.
        outcomes.remove(0);
        assert_eq!(worker.commit(&mut state, outcomes), Flow::Fork);
        assert_eq!(values_of(worker, &state, input), Vec::from_iter(1..10));
        assert_eq!(values_of(worker, &worker.spawned[0], input), Vec::from_iter(10..20));
    });
    assert_eq!(heard.stops, ["unsupported: internal: no outcome is possible (?:0)"]);
}

#[test]
fn a_path_without_any_outcome_does_not_vanish() {
    let heard = with_state(&Options::default(), |worker, mut state, input| {
        let mut outcomes = below(worker, input, &[10, 20]);
        let x = worker.terms.symbol(input);
        let limit = worker.terms.constant(BITS, 30);
        let large = worker.terms.ult(limit, x);
        assert_eq!(worker.restrict(&mut state, large, Then::Again), Flow::On);
        assert_eq!(worker.commit(&mut state, std::mem::take(&mut outcomes)), Flow::End);
        assert_eq!(worker.commit(&mut state, outcomes), Flow::End);
    });
    assert_eq!(heard.stops, ["unsupported: internal: no outcome is possible (?:0)"; 2]);
}

#[test]
fn facts_are_added_with_the_guard_and_without_one() {
    // One outcome; several, of which one is feasible; several feasible ones.
    for (limits, ways) in [(&[VALUES - 1][..], 1), (&[1, VALUES - 1], 1), (&[20, VALUES - 1], 2)] {
        let heard = with_state(&Options::default(), |worker, mut state, input| {
            let x = worker.terms.symbol(input);
            let from = worker.terms.constant(BITS, if ways == 1 { 1 } else { 0 });
            let to = worker.terms.constant(BITS, VALUES - 1);
            for clause in [worker.terms.ule(from, x), worker.terms.ult(x, to)] {
                assert_eq!(worker.restrict(&mut state, clause, Then::Again), Flow::On);
            }
            let made = worker.terms.symbol_id(Symbol {
                name: "made".into(),
                kind: SymbolKind::Fresh,
                sort: Sort::Bits(BITS),
            });
            let made = worker.terms.symbol(made);
            let one = worker.terms.constant(BITS, 1);
            let next = worker.terms.add(x, one);
            let fact = worker.terms.eq(made, next);
            let mut outcomes = below(worker, input, limits);
            outcomes.iter_mut().for_each(|outcome| outcome.facts = Some(fact));
            assert_ne!(worker.commit(&mut state, outcomes), Flow::End);
            let spawned = std::mem::take(&mut worker.spawned);
            assert_eq!(1 + spawned.len(), ways);
            for state in spawned.iter().chain([&state]) {
                assert!(state.path.condition.clauses().contains(&fact));
                let holds = |clause: &TermId| worker.evaluate(state, *clause).low_u64() == 1;
                assert!(
                    state.path.condition.clauses().iter().all(holds),
                    "the assignment satisfies the path"
                );
            }
        });
        assert_eq!(heard.stops, [""; 0]);
    }
}
