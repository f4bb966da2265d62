//! For unit tests: a model with terms, a solver and a path around it, and operations with a single outcome.

use crate::{Alloc, Branches, Calls, Cells, Counters, Cx, End, Heap, Init, Model, Progression, Truth};
use mneme_solver::{Budget, ChainOptions, PathCondition, Solver, chain};
use mneme_term::{BaseId, BaseKind, Op, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Value};
use rustc_hash::FxHashSet;

pub struct Bench<M: Model> {
    pub terms: Terms,
    pub memory: Heap<M>,
    solver: Box<dyn Solver>,
    path: PathCondition,
    pub counters: Counters,
    sites: u32,
    /// The active calls, innermost first.
    pub calls: Vec<u64>,
}

impl Calls for Vec<u64> {
    fn innermost(&self, count: usize) -> Vec<u64> {
        self.iter().copied().take(count).collect()
    }
}

impl<M: Model> Bench<M> {
    pub fn new(pointer_width: u32) -> Bench<M> {
        Bench::with_options(pointer_width, &M::Options::default())
    }

    pub fn with_options(pointer_width: u32, options: &M::Options) -> Bench<M> {
        Bench {
            terms: Terms::new(pointer_width),
            memory: Heap::new(pointer_width, options),
            solver: chain(&ChainOptions::default()).expect("the linked solver starts"),
            path: PathCondition::new(),
            counters: Counters::default(),
            sites: 0,
            calls: Vec::new(),
        }
    }

    pub fn with<T>(&mut self, f: impl FnOnce(Heap<M>, &mut Cx) -> T) -> T {
        let memory = self.memory.clone();
        let Bench {
            terms,
            solver,
            path,
            counters,
            calls,
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
                site: crate::NO_SITE,
                at: 0,
                calls: &*calls,
                seen: &[],
            },
        )
    }

    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How many questions about collisions were asked.
    pub fn collisions(&self) -> u64 {
        let rows = &self.counters.operations;
        let names = ["read_hits", "read_misses", "write_hits", "write_misses"];
        names.iter().map(|name| rows.get(name)).sum()
    }

    pub fn may(&mut self, condition: TermId) -> bool {
        match self.with(|memory, cx| cx.may(memory.bases(), condition)) {
            Truth::Sometimes(_) => true,
            Truth::Never => false,
            Truth::Unknown(why) => panic!("{why}"),
        }
    }

    /// Whether the path implies the condition.
    pub fn must(&mut self, condition: TermId) -> bool {
        let not = self.terms.not(condition);
        !self.may(not)
    }

    pub fn assume(&mut self, condition: TermId) {
        match self.with(|memory, cx| cx.may(memory.bases(), condition)) {
            Truth::Sometimes(witness) => self.path.assume(&mut self.terms, condition, witness),
            other => panic!("cannot assume what is {other:?}"),
        }
    }

    /// The only possible outcome on the path, which is valid.
    pub fn done<T: std::fmt::Debug>(&mut self, f: impl FnOnce(Heap<M>, &mut Cx) -> Branches<M, T>) -> T {
        let branches = self.with(f);
        let mut possible: Vec<_> = branches.into_iter().filter(|branch| self.may(branch.guard)).collect();
        assert_eq!(possible.len(), 1, "one branch is possible");
        let branch = possible.pop().expect("one branch");
        self.memory = branch.memory;
        match branch.end {
            End::Done(value) => value,
            other => panic!("{other:?}"),
        }
    }

    pub fn progress(&mut self, base: BaseId, what: &Progression) {
        let loops = M::LOOPS.expect("a model with summaries of loops");
        self.memory = self.with(|mut memory, cx| {
            (loops.write_cells)(&mut memory, cx, base, what);
            memory
        });
    }

    pub fn alloc(&mut self, kind: BaseKind, size: u64, init: Init) -> BaseId {
        let what = Alloc {
            kind,
            size: Value::Int(size),
            align: 8,
            site: self.sites,
            init,
        };
        self.sites += 1;
        match self.done(|memory, cx| memory.alloc(cx, what)) {
            Value::Ptr { base, offset: 0 } => base,
            other => panic!("an allocation gave {other:?}"),
        }
    }

    pub fn symbol(&mut self, name: &str, bits: u32) -> TermId {
        let symbol = Symbol {
            name: name.into(),
            kind: SymbolKind::Input,
            sort: Sort::Bits(bits),
        };
        let symbol = self.terms.symbol_id(symbol);
        self.terms.symbol(symbol)
    }

    pub fn word(&mut self, n: u64) -> TermId {
        self.terms.constant(self.terms.pointer_width(), n)
    }

    /// Assumes `t < limit`, unsigned.
    pub fn below(&mut self, t: TermId, limit: u64) {
        let limit = self.terms.constant(self.terms.width(t), limit);
        let condition = self.terms.ult(t, limit);
        self.assume(condition);
    }

    pub fn at(&mut self, base: BaseId, offset: TermId) -> Value {
        let p = self.terms.pointer(base, offset);
        self.terms.to_value(p)
    }

    pub fn load(&mut self, p: Value, bytes: u32) -> Value {
        self.done(|memory, cx| memory.load(cx, p, bytes))
    }

    pub fn store(&mut self, p: Value, bytes: u32, value: Value) {
        self.done(|memory, cx| memory.store(cx, p, bytes, value));
    }

    /// `n` bytes at a concrete place.
    pub fn load_at(&mut self, base: BaseId, offset: u64, bytes: u32) -> Value {
        self.load(Value::Ptr { base, offset }, bytes)
    }

    pub fn store_at(&mut self, base: BaseId, offset: u64, bytes: u32, value: Value) {
        self.store(Value::Ptr { base, offset }, bytes, value);
    }

    pub fn copy(&mut self, to: Value, from: Value, len: Value) {
        self.done(|memory, cx| memory.copy(cx, to, from, len));
    }

    pub fn fill(&mut self, p: Value, byte: u64, len: Value) {
        self.done(|memory, cx| memory.fill(cx, p, Value::Int(byte), len));
    }

    /// Whether `value`, of `bytes` bytes, equals `expected` on the path.
    pub fn equal(&mut self, value: Value, expected: TermId) -> bool {
        let value = self.terms.of_value(value, self.terms.width(expected));
        let same = self.terms.eq(value, expected);
        self.must(same)
    }

    /// Whether `value` is the number `n` where `condition` holds.
    pub fn is_when(&mut self, condition: TermId, value: Value, n: u64, bytes: u32) -> bool {
        let value = self.terms.of_value(value, 8 * bytes);
        let n = self.terms.constant(8 * bytes, n);
        let same = self.terms.eq(value, n);
        let implied = self.terms.implies(condition, same);
        self.must(implied)
    }

    /// How often an operation occurs in a value.
    pub fn count(&self, value: Value, wanted: impl Fn(Op) -> bool) -> usize {
        let Value::Term(root) = value else { return 0 };
        let (mut seen, mut stack) = (FxHashSet::default(), vec![root]);
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                self.terms.for_each_child(t, |child| stack.push(child));
            }
        }
        seen.into_iter().filter(|&t| wanted(self.terms.op(t))).count()
    }
}

/// Concrete bytes of an object just made.
pub fn init<M: Model>(bench: &mut Bench<M>, base: BaseId, offset: u64, bytes: &[u8]) {
    bench.memory = bench.with(|mut memory, cx| {
        memory.init_bytes(cx, base, offset, bytes);
        memory
    });
}

/// The symbol that numbers the cells of a progression.
pub fn index<M: Model>(bench: &mut Bench<M>) -> SymbolId {
    bench.terms.symbol_id(Symbol {
        name: "tau".into(),
        kind: SymbolKind::Bound,
        sort: Sort::Bits(64),
    })
}

/// Cells with gaps: the bytes between them stay, and a reader of another width sees the right bytes.
pub fn progressions_agree_with_writes_one_by_one<M: Model>(options: &M::Options) {
    for (stride, bytes) in [(1, 1), (4, 4), (8, 4), (3, 2), (12, 4), (2, 1)] {
        for width in [1, 2, 4] {
            let mut bench = Bench::<M>::with_options(32, options);
            let (many, single) = (
                bench.alloc(BaseKind::Heap, 64, Init::Zero),
                bench.alloc(BaseKind::Heap, 64, Init::Zero),
            );
            let (n, k) = (bench.symbol("n", 32), bench.symbol("k", 32));
            bench.below(n, 5);
            bench.below(k, 61);
            let index = index(&mut bench);
            let variable = bench.terms.symbol(index);
            let factor = bench.terms.constant(64, 0x0203_0507);
            let value = bench.terms.mul(variable, factor);
            let value = bench.terms.extract(value, 0, 8 * bytes);
            for base in [many, single] {
                bench.store_at(base, 5, 4, Value::Int(0xa1b2_c3d4));
            }
            let what = Progression {
                start: bench.word(2),
                cells: Cells {
                    count: n,
                    stride,
                    bytes,
                    index,
                    value,
                },
            };
            bench.progress(many, &what);
            for number in 0..4 {
                let number_term = bench.terms.constant(64, number);
                let value = bench
                    .terms
                    .substitute(value, &mut |_, t| (t == variable).then_some(number_term));
                let place = bench.word(2 + number * stride);
                let p = bench.at(single, place);
                let old = bench.load(p, bytes);
                let old = bench.terms.of_value(old, 8 * bytes);
                let number = bench.word(number);
                let counted = bench.terms.ult(number, n);
                let value = bench.terms.ite(counted, value, old);
                bench.store(p, bytes, Value::Term(value));
            }
            let [a, b] = [many, single].map(|base| {
                let p = bench.at(base, k);
                let value = bench.load(p, width);
                bench.terms.of_value(value, 8 * width)
            });
            let same = bench.terms.eq(a, b);
            assert!(bench.must(same), "stride {stride}, {bytes} bytes, read {width}");
        }
    }
}
