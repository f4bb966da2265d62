//! The benchmarks, from the lowest layer to the highest.

use crate::Work;
use mneme_engine::Options;
use mneme_engine::testing::{Paused, run_silently};
use mneme_memory::objects::Objects;
use mneme_memory::{Alloc, Heap, Init};
use mneme_program::{Program, RuntimeModule};
use mneme_solver::{Budget, ChainOptions, NoBases, Query, Solver, chain};
use mneme_term::{Assignment, BaseId, BaseKind, Bits, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Value};
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;

type Prepare = fn() -> Work;

pub const ALL: [(&str, Prepare); 12] = [
    ("term-build", term_build),
    ("term-simplify", term_simplify),
    ("term-evaluate", term_evaluate),
    ("query-one-byte", query_one_byte),
    ("query-cached-assignment", query_own_assignment),
    ("fast-load", fast_load),
    ("fast-store", fast_store),
    ("malloc-free", malloc_free),
    ("interpret-arithmetic", || interpret("ARITHMETIC")),
    ("interpret-memory", || interpret("MEMORY")),
    ("interpret-calls", || interpret("CALLS")),
    ("fork", fork),
];

fn symbol(terms: &mut Terms, name: &str, width: u32) -> (SymbolId, TermId) {
    let id = terms.symbol_id(Symbol {
        name: name.into(),
        kind: SymbolKind::Input,
        sort: Sort::Bits(width),
    });
    (id, terms.symbol(id))
}

/// Fresh terms that nothing simplifies: a chain of products and exclusive ors.
fn term_build() -> Work {
    const N: u64 = 10_000;
    let mut terms = Terms::new(64);
    let (_, x) = symbol(&mut terms, "x", 32);
    let (_, y) = symbol(&mut terms, "y", 32);
    Work {
        operations: N,
        run: Box::new(move || {
            let mut t = x;
            for _ in 0..N / 2 {
                let product = terms.mul(t, y);
                t = terms.xor(product, x);
            }
            black_box(t);
        }),
    }
}

/// A word taken apart into bytes and put together again.
fn term_simplify() -> Work {
    const N: u64 = 10_000;
    let mut terms = Terms::new(64);
    let words: Vec<TermId> = (0..100).map(|i| symbol(&mut terms, &format!("w{i}"), 32).1).collect();
    Work {
        operations: N,
        run: Box::new(move || {
            for i in 0..N as usize {
                let word = words[i % words.len()];
                let parts = [24, 16, 8, 0].map(|low| terms.extract(word, low, 8));
                let [a, b, c, d] = parts;
                let (high, low) = (terms.concat(a, b), terms.concat(c, d));
                let whole = terms.concat(high, low);
                assert_eq!(whole, word);
            }
        }),
    }
}

/// A node of a term under an assignment.
fn term_evaluate() -> Work {
    const NODES: u64 = 100;
    const TIMES: u64 = 200;
    let mut terms = Terms::new(64);
    let (id, x) = symbol(&mut terms, "x", 32);
    let mut t = x;
    for _ in 0..NODES / 2 {
        let product = terms.mul(t, x);
        t = terms.xor(product, x);
    }
    let mut model = Assignment::default();
    model.values.insert(id, Bits::new(32, 12345));
    Work {
        operations: NODES * TIMES,
        run: Box::new(move || {
            for _ in 0..TIMES {
                black_box(terms.eval(t, &model.with_addresses(&|_| 0)));
            }
        }),
    }
}

/// Whether a character can be what it has not been so far: the whole chain, with a path of 20 clauses.
fn query_one_byte() -> Work {
    const N: u64 = 1_000;
    let mut terms = Terms::new(64);
    let (id, c) = symbol(&mut terms, "c", 8);
    let clauses: Vec<TermId> = (0..20)
        .map(|n| {
            let n = terms.constant(8, n);
            terms.ne(c, n)
        })
        .collect();
    let goals: Vec<TermId> = (20..220)
        .map(|n| {
            let n = terms.constant(8, n);
            terms.eq(c, n)
        })
        .collect();
    asking(terms, id, 255, clauses, goals, N)
}

/// A goal that the path's own assignment satisfies.
fn query_own_assignment() -> Work {
    const N: u64 = 10_000;
    let mut terms = Terms::new(64);
    let (id, x) = symbol(&mut terms, "x", 32);
    let clauses: Vec<TermId> = (0..20)
        .map(|n| {
            let n = terms.constant(32, n);
            terms.ne(x, n)
        })
        .collect();
    let goals = (100..300)
        .map(|n| {
            let n = terms.constant(32, n);
            terms.ult(n, x)
        })
        .collect();
    asking(terms, id, 1000, clauses, goals, N)
}

fn asking(mut terms: Terms, id: SymbolId, value: u64, clauses: Vec<TermId>, goals: Vec<TermId>, n: u64) -> Work {
    let Sort::Bits(width) = terms.symbol_info(id).sort else {
        unreachable!("a scalar")
    };
    let mut hint = Assignment::default();
    hint.values.insert(id, Bits::new(width, value));
    let hint = Rc::new(hint);
    let mut solver: Box<dyn Solver> = chain(&ChainOptions::default()).expect("the linked solvers start");
    Work {
        operations: n,
        run: Box::new(move || {
            for i in 0..n as usize {
                let query = Query {
                    assumptions: &clauses,
                    goal: goals[i % goals.len()],
                    bases: &NoBases,
                    hint: Some(&hint),
                };
                assert!(solver.check(&mut terms, &query, Budget::UNLIMITED).is_sat());
            }
        }),
    }
}

const OBJECTS: u32 = 1_000;

fn heap_object(site: u32) -> Alloc {
    Alloc {
        kind: BaseKind::Heap,
        size: Value::Int(64),
        align: 16,
        site,
        init: Init::Zero,
    }
}

fn heap() -> (Terms, Heap<Objects>, Vec<BaseId>) {
    let mut terms = Terms::new(64);
    let mut memory = Heap::new(64, &Default::default());
    let bases = (0..OBJECTS).map(|_| {
        let base = memory.fast_alloc(&mut terms, heap_object(1)).expect("there is room");
        assert!(memory.fast_store(base, 8, 4, Value::Int(7)));
        base
    });
    let bases = bases.collect();
    (terms, memory, bases)
}

fn fast_load() -> Work {
    const N: u64 = 100_000;
    let (_, memory, bases) = heap();
    Work {
        operations: N,
        run: Box::new(move || {
            for i in 0..N as usize {
                black_box(memory.fast_load(bases[i % bases.len()], 8, 4));
            }
        }),
    }
}

fn fast_store() -> Work {
    const N: u64 = 100_000;
    let (_, mut memory, bases) = heap();
    Work {
        operations: N,
        run: Box::new(move || {
            for i in 0..N as usize {
                let base = bases[i % bases.len()];
                black_box(memory.fast_store(base, 8, 4, Value::Int(i as u64)));
            }
        }),
    }
}

fn malloc_free() -> Work {
    const N: u64 = 10_000;
    let (mut terms, mut memory, _) = heap();
    Work {
        operations: N,
        run: Box::new(move || {
            for _ in 0..N {
                let base = memory.fast_alloc(&mut terms, heap_object(2)).expect("there is room");
                memory.fast_store(base, 0, 1, Value::Int(1));
                assert!(memory.fast_free(base, 3));
            }
        }),
    }
}

/// One instruction of a loop of concrete code, start and end of the exploration included.
fn interpret(part: &str) -> Work {
    let program = compiled("src/interpret.c", &[part]);
    let explored = move || {
        let solver = chain(&ChainOptions::default()).expect("the linked solvers start");
        run_silently::<Objects>(&program, &Options::default(), solver).expect("the program fits")
    };
    let stats = explored();
    let paths = &stats.paths;
    assert_eq!((paths.completed, paths.stopped, paths.faulted), (1, 0, 0));
    Work {
        operations: stats.instructions,
        run: Box::new(move || {
            black_box(explored());
        }),
    }
}

/// A fork of a state with 1,000 objects and 20 frames that goes on to write a byte.
fn fork() -> Work {
    const N: u64 = 2_000;
    let program = compiled("src/fork.c", &[]);
    let solver = chain(&ChainOptions::default()).expect("the linked solvers start");
    let paused = Paused::<Objects>::before(&program, &Options::default(), solver, "fork_here")
        .expect("the program fits")
        .expect("the program gets there");
    assert_eq!((paused.objects(), paused.frames()), (1000, 20));
    let mut forks = Vec::with_capacity(N as usize);
    Work {
        operations: N,
        run: Box::new(move || {
            for i in 0..N as usize {
                forks.push(paused.fork(i));
            }
        }),
    }
}

/// A program of this crate.
fn compiled(file: &str, defines: &[&str]) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let runtime = mneme_runtime::modules(64).iter();
    let options = mneme_program::Options {
        runtime: runtime
            .map(|module| RuntimeModule {
                name: module.name,
                bitcode: module.bitcode,
            })
            .collect(),
        defines: defines.iter().map(|define| define.to_string()).collect(),
        ..Default::default()
    };
    mneme_program::load(&[file], &options).expect("the program compiles")
}
