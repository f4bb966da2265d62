//! Measures small queries: `cargo run --release -p mneme-solver --example small_queries`.
//!
//! Queries as a symbolic executor asks them: a few comparisons of input bytes, a sum with bounds, a table lookup, a
//! product. Prints microseconds per query for the plain backends and for the chain, and the chain's statistics.

use std::time::{Duration, Instant};

use mneme_solver::{Budget, ChainOptions, Interrupt, NoBases, PathCondition, Query, Sat, Solver, Z3, chain};
use mneme_term::{Sort, Symbol, SymbolKind, TermId, Terms};

fn symbol(terms: &mut Terms, name: String, width: u32) -> TermId {
    let s = terms.symbol_id(Symbol {
        name,
        kind: SymbolKind::Input,
        sort: Sort::Bits(width),
    });
    terms.symbol(s)
}

/// Decisions of a path over fresh symbols, one shape each.
fn path(terms: &mut Terms, shape: usize, n: usize) -> Vec<TermId> {
    let mut byte = |i: usize| symbol(terms, format!("b{n}_{i}"), 8);
    let bytes: Vec<TermId> = (0..8).map(&mut byte).collect();
    let mut wide: Vec<TermId> = bytes.iter().map(|&b| terms.zext(b, 32)).collect();
    match shape {
        0 => (0..7)
            .map(|i| {
                let limit = terms.constant(8, 40 + (n as u64 * 13 + i as u64) % 50);
                terms.ult(limit, bytes[i])
            })
            .collect(),
        1 => {
            let mut clauses = Vec::new();
            let mut sum = wide.remove(0);
            for (i, &w) in wide.iter().enumerate() {
                sum = terms.add(sum, w);
                let limit = terms.constant(32, 100 + 7 * (n as u64 % 40) + 30 * i as u64);
                clauses.push(terms.ult(limit, sum));
            }
            clauses
        }
        2 => {
            let entries: Vec<(u64, TermId)> = (0..200)
                .map(|k| (k, terms.constant(32, (k * k + n as u64) % 97)))
                .collect();
            let zero = terms.constant(32, 0);
            (0..4)
                .map(|i| {
                    let value = terms.lookup(wide[i], &entries, zero);
                    let limit = terms.constant(32, 90);
                    terms.ult(limit, value)
                })
                .collect()
        }
        _ => {
            let mut clauses = Vec::new();
            for i in 0..3 {
                let product = terms.mul(wide[i], wide[i + 1]);
                let limit = terms.constant(32, 1000 + 100 * (n as u64 % 30));
                clauses.push(terms.ult(limit, product));
            }
            clauses
        }
    }
}

fn run(solver: &mut dyn Solver, shape: usize, hints: bool) -> (u32, Duration) {
    let mut terms = Terms::new(64);
    let (mut asked, mut time) = (0, Duration::ZERO);
    for n in 0..60 {
        let decisions = path(&mut terms, shape, n);
        let mut condition = PathCondition::new();
        for &goal in &decisions {
            // Both sides of the branch, as the engine would.
            for goal in [terms.not(goal), goal] {
                let hint = hints.then(|| condition.assignment().clone());
                let query = Query {
                    assumptions: condition.clauses(),
                    goal,
                    bases: &NoBases,
                    hint: hint.as_ref(),
                };
                let start = Instant::now();
                let answer = solver.check(
                    &mut terms,
                    &query,
                    Budget {
                        time: Some(Duration::from_secs(10)),
                        ..Budget::UNLIMITED
                    },
                );
                time += start.elapsed();
                asked += 1;
                if let (true, mneme_solver::Answer::Sat(witness)) = (decisions.contains(&goal), answer) {
                    condition.assume(&mut terms, goal, witness);
                }
            }
        }
    }
    (asked, time)
}

fn main() {
    for (shape, name) in ["bytes", "sums", "tables", "products"].iter().enumerate() {
        let mut plain = Z3::new(Interrupt::new());
        let (asked, time) = run(&mut plain, shape, false);
        let (_, blasted) = run(&mut Sat::new(Interrupt::new()), shape, false);
        let mut whole = chain(&ChainOptions::default()).expect("the linked solvers need no setting up");
        let (_, chained) = run(&mut *whole, shape, true);
        let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(asked);
        println!(
            "{name}: {asked} queries; Z3 alone {:.0} us each, SAT alone {:.0}, chain {:.1} us each",
            each(time),
            each(blasted),
            each(chained)
        );
        let mut rows = Vec::new();
        whole.stats(&mut rows);
        for row in rows {
            println!(
                "    {:20} asked {:5} answered {:5} {:.1} ms",
                row.name,
                row.asked,
                row.answered,
                row.time_s * 1e3
            );
        }
    }
}
