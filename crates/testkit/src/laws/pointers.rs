//! Laws about pointers: they survive memory, they may have several bases, and numbers may stand for them.

use super::factor;
use super::symbols::Judge;
use mneme_memory::{AccessKind, Alloc, Branch, Branches, Counters, Cx, End, FaultKind, Heap, Init, Model};
use mneme_solver::{Budget, ChainOptions, PathCondition, Solver, chain};
use mneme_term::testing::Random;
use mneme_term::{Assignment, BaseId, BaseKind, Bits, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Value};
use std::rc::Rc;

/// A model with objects whose byte k is known, and what it needs around it.
struct Bench<M: Model> {
    terms: Terms,
    solver: Box<dyn Solver>,
    path: PathCondition,
    memory: Heap<M>,
    counters: Counters,
    word: u32,
    objects: Vec<(BaseId, u64)>,
}

/// Byte `at` of object `k`.
fn content(k: usize, at: u64) -> u8 {
    (16 * (k + 1) as u64 + at) as u8
}

impl<M: Model> Bench<M> {
    fn new(options: &M::Options, pointer_width: u32, sizes: &[u64]) -> Bench<M> {
        let mut bench = Bench {
            terms: Terms::new(pointer_width),
            solver: chain(&ChainOptions::default()).expect("the linked solver starts"),
            path: PathCondition::new(),
            memory: Heap::new(pointer_width, options),
            counters: Counters::default(),
            word: pointer_width / 8,
            objects: Vec::new(),
        };
        for (k, &size) in sizes.iter().enumerate() {
            let what = Alloc {
                kind: BaseKind::Global,
                size: Value::Int(size),
                align: 8,
                site: k as u32,
                init: Init::Zero,
            };
            let Value::Ptr { base, .. } = bench.only(|memory, cx| memory.alloc(cx, what)) else {
                panic!("an object begins at its base")
            };
            let bytes: Vec<u8> = (0..size).map(|at| content(k, at)).collect();
            let memory = bench.memory.clone();
            bench.memory = bench.cx(memory, |mut memory, cx| {
                memory.init_bytes(cx, base, 0, &bytes);
                memory
            });
            bench.objects.push((base, size));
        }
        bench
    }

    fn cx<T>(&mut self, memory: Heap<M>, f: impl FnOnce(Heap<M>, &mut Cx) -> T) -> T {
        let Bench {
            terms,
            solver,
            path,
            counters,
            ..
        } = self;
        f(
            memory,
            &mut Cx {
                terms,
                solver: &mut **solver,
                path,
                budget: Budget::UNLIMITED,
                counters,
                site: mneme_memory::NO_SITE,
                at: 0,
                calls: &mneme_memory::NoCalls,
                seen: &[],
            },
        )
    }

    /// An operation that can only succeed.
    fn only<T>(&mut self, f: impl FnOnce(Heap<M>, &mut Cx) -> Branches<M, T>) -> T {
        let memory = self.memory.clone();
        let branches = self.cx(memory, f);
        let Branch { guard, memory, end, .. } = branches.sole().expect("nothing is symbolic about this operation");
        assert!(self.terms.is_true(guard));
        self.memory = memory;
        match end {
            End::Done(value) => value,
            End::Fault(fault) => panic!("{fault:?}"),
            End::Stop(reason) => panic!("{reason}"),
        }
    }

    fn at(&self, object: usize, offset: u64) -> Value {
        Value::Ptr {
            base: self.objects[object].0,
            offset,
        }
    }

    fn load(&mut self, p: Value, bytes: u32) -> Value {
        let value = self.only(|memory, cx| memory.load(cx, p, bytes));
        if let Value::Ptr { base, offset } = p
            && let Some(quick) = self.memory.fast_load(base, offset, bytes)
        {
            assert_eq!(quick, value, "fast_load agrees with load");
        }
        value
    }

    fn store(&mut self, p: Value, bytes: u32, value: Value) {
        self.only(|memory, cx| memory.store(cx, p, bytes, value));
    }

    fn symbol(&mut self, name: &str, bits: u32) -> SymbolId {
        self.terms.symbol_id(Symbol {
            name: name.into(),
            kind: SymbolKind::Input,
            sort: Sort::Bits(bits),
        })
    }

    fn address(&self, object: usize) -> u64 {
        self.memory.header(self.objects[object].0).expect("it was made").address
    }

    fn judge<T>(&self, symbol: SymbolId, value: Bits, f: impl FnOnce(&Judge) -> T) -> T {
        let mut assignment = Assignment::default();
        assignment.values.insert(symbol, value);
        let address = |base: BaseId| self.memory.header(base).expect("only these bases").address;
        f(&Judge {
            terms: &self.terms,
            assignment: &assignment,
            address: &address,
        })
    }

    /// The branch that is taken when the symbol has this value; there is only one.
    fn taken<T: Clone>(&self, branches: &Branches<M, T>, symbol: SymbolId, value: Bits) -> Branch<M, T> {
        let taken: Vec<_> = self.judge(symbol, value.clone(), |judge| {
            branches
                .iter()
                .filter(|branch| self.terms.eval_bool(branch.guard, judge))
                .collect()
        });
        assert_eq!(taken.len(), 1, "one branch is taken with {value:?}");
        taken[0].clone()
    }

    /// Compares what an access of four bytes should find at a place with what the model says.
    fn agree(&self, symbol: SymbolId, value: Bits, end: &End<Value>, expected: Result<(usize, u64), FaultKind>) {
        let context = format!("with the symbol {value:?}");
        match (end, expected) {
            (End::Done(found), Ok((object, at))) => {
                let found = match *found {
                    Value::Int(n) => n,
                    Value::Term(term) => self.judge(symbol, value, |judge| self.terms.eval_u64(term, judge)),
                    other => panic!("{other:?} for four bytes of a number"),
                };
                let bytes: [u8; 4] = [0, 1, 2, 3].map(|k| content(object, at + k));
                assert_eq!(found, u32::from_le_bytes(bytes) as u64, "{context}");
            }
            (End::Fault(fault), Err(kind)) => assert_eq!(fault.kind, kind, "{context}"),
            (end, expected) => panic!("{end:?} instead of {expected:?} {context}"),
        }
    }
}

/// Storing a pointer and loading it back gives the same value: aligned or not, copied as a block, byte by byte or in
/// pieces, moved onto itself, with neighbours overwritten.
pub fn pointers_survive<M: Model>(options: &M::Options) {
    for seed in 0..60 * factor() {
        let mut random = Random::new(seed);
        let mut bench = Bench::<M>::new(options, if seed % 3 == 0 { 32 } else { 64 }, &[40, 40, 16, 24]);
        let word = bench.word as u64;
        let p = pointer(&mut bench, &mut random);
        let at = random.below(word + 8);
        let there = bench.at(0, at);
        bench.store(there, bench.word, p);
        assert_eq!(bench.load(there, bench.word), p, "seed {seed}: stored at {at}");
        for round in 0..4 {
            let (from, to) = (bench.at(0, at), random.below(word + 9));
            let way = random.below(5);
            let target = if way == 3 { 0 } else { 1 };
            let place = |bench: &Bench<M>, k: u64| bench.at(target, to + k);
            match way {
                0 => {
                    for k in 0..word {
                        let byte = bench.load(bench.at(0, at + k), 1);
                        bench.store(place(&bench, k), 1, byte);
                    }
                }
                1 => {
                    let (to, len) = (place(&bench, 0), Value::Int(word));
                    bench.only(|memory, cx| memory.copy(cx, to, from, len));
                }
                2 => {
                    let cut = 1 + random.below(word - 1);
                    let high = bench.load(bench.at(0, at + cut), (word - cut) as u32);
                    let low = bench.load(from, cut as u32);
                    bench.store(place(&bench, cut), (word - cut) as u32, high);
                    bench.store(place(&bench, 0), cut as u32, low);
                }
                3 => {
                    // Overlapping, and back again.
                    let back = Value::Int(word);
                    let moved = place(&bench, 0);
                    bench.only(|memory, cx| memory.copy(cx, moved, from, back));
                    assert_eq!(
                        bench.load(moved, bench.word),
                        p,
                        "seed {seed}, round {round}: moved from {at} to {to}"
                    );
                    bench.only(|memory, cx| memory.copy(cx, from, moved, back));
                    assert_eq!(
                        bench.load(from, bench.word),
                        p,
                        "seed {seed}, round {round}: moved back to {at}"
                    );
                    continue;
                }
                _ => {
                    let (to, from) = (bench.at(1, 0), bench.at(0, 0));
                    bench.only(|memory, cx| memory.copy(cx, to, from, Value::Int(40)));
                    assert_eq!(
                        bench.load(bench.at(1, at), bench.word),
                        p,
                        "seed {seed}, round {round}: all copied"
                    );
                    continue;
                }
            }
            if to > 0 {
                bench.store(bench.at(1, to - 1), 1, Value::Int(7));
            }
            bench.store(bench.at(1, to + word), 2, Value::Int(0x0808));
            let copied = place(&bench, 0);
            assert_eq!(
                bench.load(copied, bench.word),
                p,
                "seed {seed}, round {round}: way {way} from {at} to {to}"
            );
        }
    }
}

/// A pointer: concrete, with a symbolic offset, or a choice.
fn pointer<M: Model>(bench: &mut Bench<M>, random: &mut Random) -> Value {
    let width = 8 * bench.word;
    let (a, b) = (bench.at(2, random.below(17)), bench.at(3, random.below(25)));
    let symbol = bench.symbol("s", 8);
    let symbol = bench.terms.symbol(symbol);
    let terms = &mut bench.terms;
    let term = match random.below(4) {
        0 | 1 => return a,
        2 => {
            let a = terms.of_value(a, width);
            let offset = terms.zext(symbol, width);
            terms.add(a, offset)
        }
        _ => {
            let (a, b) = (terms.of_value(a, width), terms.of_value(b, width));
            let limit = terms.constant(8, 7);
            let condition = terms.ult(symbol, limit);
            terms.ite(condition, a, b)
        }
    };
    terms.to_value(term)
}

/// Loads and stores through pointers with several bases, chosen by `?:` and by tables: for every value of the selector,
/// the value is the selected object's, the write reaches it alone, and arms out of bounds fault.
pub fn choices_of_bases<M: Model>(options: &M::Options) {
    for pointer_width in [32, 64] {
        let mut bench = Bench::<M>::new(options, pointer_width, &[16, 12, 9]);
        let selector = bench.symbol("selector", 8);
        // Object and offset for each value of the selector; `None`: null.
        let arms = [
            Some((0, 2)),
            Some((1, 0)),
            Some((0, 13)),
            None,
            Some((2, 5)),
            Some((1, 8)),
            Some((2, 6)),
            Some((0, 2)),
        ];
        let default = Some((1, 3));
        let arm = |n: u64| arms.get(n as usize).copied().unwrap_or(default);
        let place = |n: u64, kind: AccessKind| match arm(n) {
            None => Err(FaultKind::Null(kind)),
            Some((object, at)) if at + 4 > [16, 12, 9][object] => Err(FaultKind::OutOfBounds(kind)),
            Some(place) => Ok(place),
        };
        for p in [
            table(&mut bench, selector, &arms, default),
            chain_of_choices(&mut bench, selector, &arms, default),
        ] {
            let memory = bench.memory.clone();
            let loaded = bench.cx(memory.clone(), |memory, cx| memory.load(cx, p, 4));
            let stored = bench.cx(memory.clone(), |memory, cx| {
                memory.store(cx, p, 4, Value::Int(0xaabbccdd))
            });
            for n in 0..256 {
                let value = Bits::new(8, n);
                let end = bench.taken(&loaded, selector, value.clone()).end;
                bench.agree(selector, value.clone(), &end, place(n, AccessKind::Read));
                let stored = bench.taken(&stored, selector, value);
                match (stored.end, place(n, AccessKind::Write)) {
                    (End::Done(()), Ok(_)) => {}
                    (End::Fault(fault), Err(kind)) => assert_eq!(fault.kind, kind, "selector {n}"),
                    (end, expected) => panic!("selector {n}: {end:?} instead of {expected:?}"),
                }
            }
            for branch in stored {
                if let End::Done(()) = branch.end {
                    written(&mut bench, selector, branch, &|n| place(n, AccessKind::Write).ok());
                }
            }
            bench.memory = memory;
        }
    }
}

/// All bytes after a store of `dd cc bb aa` at the selected place, for every selector that takes this branch.
fn written<M: Model>(
    bench: &mut Bench<M>,
    selector: SymbolId,
    branch: Branch<M, ()>,
    place: &dyn Fn(u64) -> Option<(usize, u64)>,
) {
    let taking: Vec<u64> = (0..256)
        .filter(|&n| {
            bench.judge(selector, Bits::new(8, n), |judge| {
                bench.terms.eval_bool(branch.guard, judge)
            })
        })
        .collect();
    let mut witness = Assignment::default();
    witness.values.insert(selector, Bits::new(8, taking[0]));
    let outside = bench.path.clone();
    bench.path.assume(&mut bench.terms, branch.guard, Rc::new(witness));
    bench.memory = branch.memory;
    for (k, (base, size)) in bench.objects.clone().into_iter().enumerate() {
        for at in 0..size {
            let value = bench.load(Value::Ptr { base, offset: at }, 1);
            for &n in &taking {
                let found = match value {
                    Value::Int(byte) => byte,
                    Value::Term(term) => {
                        bench.judge(selector, Bits::new(8, n), |judge| bench.terms.eval_u64(term, judge))
                    }
                    other => panic!("{other:?} for a byte"),
                };
                let expected = match place(n) {
                    Some((object, start)) if object == k && (start..start + 4).contains(&at) => {
                        [0xdd, 0xcc, 0xbb, 0xaa][(at - start) as usize]
                    }
                    _ => content(k, at),
                };
                assert_eq!(found, expected as u64, "byte {at} of object {k}, selector {n}");
            }
        }
    }
    bench.path = outside;
}

type Arm = Option<(usize, u64)>;

fn arm_term<M: Model>(bench: &mut Bench<M>, arm: Arm) -> TermId {
    let width = 8 * bench.word;
    let value = arm.map_or(Value::ZERO, |(object, at)| bench.at(object, at));
    bench.terms.of_value(value, width)
}

fn table<M: Model>(bench: &mut Bench<M>, selector: SymbolId, arms: &[Arm], default: Arm) -> Value {
    let index = bench.terms.symbol(selector);
    let entries: Vec<(u64, TermId)> = arms
        .iter()
        .enumerate()
        .map(|(k, &arm)| (k as u64, arm_term(bench, arm)))
        .collect();
    let default = arm_term(bench, default);
    let term = bench.terms.lookup(index, &entries, default);
    bench.terms.to_value(term)
}

fn chain_of_choices<M: Model>(bench: &mut Bench<M>, selector: SymbolId, arms: &[Arm], default: Arm) -> Value {
    let index = bench.terms.symbol(selector);
    let mut term = arm_term(bench, default);
    for (k, &arm) in arms.iter().enumerate() {
        let value = arm_term(bench, arm);
        let key = bench.terms.constant(8, k as u64);
        let condition = bench.terms.eq(index, key);
        term = bench.terms.ite(condition, value, term);
    }
    bench.terms.to_value(term)
}

/// A plain number refers to an object if the path says that it equals a pointer, or if the object's address was exposed
/// and the number lies in it; otherwise it is null or wild.
pub fn numbers_refer_to_exposed_objects<M: Model>(options: &M::Options) {
    for pointer_width in [32, 64] {
        let mut bench = Bench::<M>::new(options, pointer_width, &[16, 12, 9]);
        let number = bench.symbol("number", pointer_width);
        let p = Value::Term(bench.terms.symbol(number));
        let starts = [0, 1, 2].map(|k| bench.address(k));
        let memory = bench.memory.clone();
        let hidden = bench.cx(memory.clone(), |memory, cx| memory.load(cx, p, 4));
        let mut exposed = memory.clone();
        for object in [0, 2] {
            assert_eq!(
                exposed.expose(bench.objects[object].0),
                starts[object],
                "an object stays where it is"
            );
        }
        let seen = bench.cx(exposed, |memory, cx| memory.load(cx, p, 4));
        let near = starts.into_iter().flat_map(|start| start - 3..start + 20);
        for n in near.chain([0, 1, 4095, 4096, 77777]) {
            let value = Bits::new(pointer_width, n);
            let wild = if n < 4096 {
                FaultKind::Null(AccessKind::Read)
            } else {
                FaultKind::Wild(AccessKind::Read)
            };
            let end = bench.taken(&hidden, number, value.clone()).end;
            bench.agree(number, value.clone(), &end, Err(wild));
            let inside = [0, 2]
                .into_iter()
                .find(|&k| n >= starts[k] && n - starts[k] <= bench.objects[k].1);
            let expected = match inside {
                Some(k) if n - starts[k] + 4 <= bench.objects[k].1 => Ok((k, n - starts[k])),
                Some(_) => Err(FaultKind::OutOfBounds(AccessKind::Read)),
                None => Err(wild),
            };
            let end = bench.taken(&seen, number, value.clone()).end;
            bench.agree(number, value, &end, expected);
        }
        let target = bench.at(1, 4);
        let target = bench.terms.of_value(target, pointer_width);
        let Value::Term(term) = p else {
            unreachable!("a symbol is a term")
        };
        let equal = bench.terms.eq(term, target);
        let mut witness = Assignment::default();
        witness.values.insert(number, Bits::new(pointer_width, starts[1] + 4));
        bench.path.assume(&mut bench.terms, equal, Rc::new(witness));
        let known = bench.cx(memory, |memory, cx| memory.load(cx, p, 4));
        let value = Bits::new(pointer_width, starts[1] + 4);
        let end = bench.taken(&known, number, value.clone()).end;
        bench.agree(number, value, &end, Ok((1, 4)));
    }
}
