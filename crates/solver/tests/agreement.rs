//! Every stage, and the chain as a whole, agrees with the plain backend: random clauses, assumed one after the other as
//! the engine would, with and without hints, with bases at fixed addresses, and with terms collected in between.

use std::rc::Rc;
use std::time::Duration;

use mneme_solver::stage::{
    CanonicalCache, Components, Elements, Equalities, Independence, Lowering, OwnAssignment, Recent, Refuted, Trivial,
};
use mneme_solver::{
    Answer, BackendChoice, BaseTable, Budget, Cache, ChainOptions, Extent, Interrupt, PathCondition, Query, Solver, Z3,
    chain,
};
use mneme_term::testing::{BASES, Gen, Random, test_base};
use mneme_term::{Assignment, BaseId, Sort, Symbol, SymbolKind, TermId, Terms};

/// Steps decide, so the tests do the same on every machine; the time limit is for processes.
const BUDGET: Budget = Budget {
    time: Some(Duration::from_secs(2)),
    steps: Some(60_000),
    ..Budget::UNLIMITED
};

/// Five bases, every page one of them, in an order that depends on the turn.
#[derive(Copy, Clone, Default)]
struct Pages {
    turn: u64,
}

impl BaseTable for Pages {
    fn address(&self, terms: &mut Terms, b: BaseId) -> TermId {
        terms.constant(64, self.concrete_address(b))
    }

    fn concrete_address(&self, b: BaseId) -> u64 {
        let page = (u64::from(b.0) * (1 + self.turn) + 2 * self.turn) % 7;
        0x10000 + 4096 * (page + 100 * self.turn)
    }

    fn extent(&self, terms: &mut Terms, _: BaseId) -> Extent {
        Extent {
            size: terms.constant(64, 64),
            capacity: 64,
        }
    }

    fn is_alive(&self, _: BaseId) -> bool {
        true
    }

    fn layout(&self, _: &mut Terms, _: &[BaseId]) -> Vec<TermId> {
        Vec::new()
    }
}

fn plain() -> Box<dyn Solver> {
    Box::new(Lowering::new(Box::new(Z3::new(Interrupt::new()))))
}

/// A decision of a path. Functions are left out: assignments say nothing about them.
fn decision(terms: &mut Terms, generator: &mut Gen) -> TermId {
    loop {
        let depth = 1 + generator.random.below(3) as u32;
        let clause = generator.expr(1, depth).build(terms);
        if !terms.has_apply(clause) && !terms.is_true(clause) && !terms.is_false(clause) {
            return clause;
        }
    }
}

fn satisfied(terms: &Terms, pages: Pages, clauses: &[TermId], assignment: &Assignment) -> bool {
    let address = |b| pages.concrete_address(b);
    let model = assignment.with_addresses(&address);
    clauses.iter().all(|&clause| terms.eval_bool(clause, &model))
}

#[derive(Copy, Clone, PartialEq)]
enum Setup {
    WithHints,
    WithoutHints,
    Collecting,
}

/// Walks random paths with `solver`, comparing each answer with the plain backend's. Returns how many were compared.
fn walk(solver: &mut dyn Solver, seeds: std::ops::Range<u64>, setup: Setup) -> usize {
    let mut reference = plain();
    let mut compared = 0;
    let mut terms = Terms::new(64);
    for i in 0..BASES {
        terms.base_id(test_base(i));
    }
    let pages = Pages::default();
    for seed in seeds {
        let mut generator = Gen::new(seed);
        generator.quantifiers = seed % 4 == 0;
        let mut path = PathCondition::new();
        for _ in 0..6 {
            let goal = decision(&mut terms, &mut generator);
            let hint = (setup != Setup::WithoutHints).then(|| Rc::clone(path.assignment()));
            let assumptions = path.clauses().to_vec();
            let query = Query {
                assumptions: &assumptions,
                goal,
                bases: &pages,
                hint: hint.as_ref(),
            };
            let answer = solver.check(&mut terms, &query, BUDGET);
            let expected = reference.check(&mut terms, &Query { hint: None, ..query }, BUDGET);
            let text = || {
                let clauses: Vec<String> = query.clauses().map(|c| terms.display(c).to_string()).collect();
                format!("seed {seed}: {answer:?}, expected {expected:?}\n{}", clauses.join("\n"))
            };
            match (&answer, &expected) {
                (Answer::Sat(_), Answer::Sat(_)) | (Answer::Unsat, Answer::Unsat) => compared += 1,
                (Answer::Unknown(why), _) | (_, Answer::Unknown(why)) => {
                    assert_ne!(*why, mneme_solver::Unknown::Failed, "{}", text());
                }
                _ => panic!("{}", text()),
            }
            if let Answer::Sat(witness) = answer {
                let clauses: Vec<TermId> = query.clauses().collect();
                assert!(
                    satisfied(&terms, pages, &clauses, &witness),
                    "seed {seed}: an assignment that is none"
                );
                path.assume(&mut terms, goal, witness);
            }
            if setup == Setup::Collecting {
                terms.collect(|tracer| {
                    path.trace(tracer);
                    solver.trace(tracer);
                    reference.trace(tracer);
                });
            }
        }
    }
    compared
}

fn agree(mut solver: impl Solver, seeds: std::ops::Range<u64>, setup: Setup) {
    let queries = (seeds.end - seeds.start) as usize * 6;
    let compared = walk(&mut solver, seeds, setup);
    assert!(
        compared * 10 > queries * 8,
        "only {compared} of {queries} answers could be compared"
    );
}

#[test]
fn trivial() {
    agree(Trivial::new(plain()), 0..25, Setup::WithHints);
}

#[test]
fn own_assignment() {
    agree(OwnAssignment::new(plain()), 100..125, Setup::WithHints);
}

#[test]
fn independence() {
    agree(Independence::new(plain()), 200..240, Setup::WithHints);
}

#[test]
fn elements() {
    agree(Elements::new(plain()), 300..340, Setup::WithoutHints);
}

#[test]
fn equalities() {
    agree(Equalities::new(plain()), 400..440, Setup::WithoutHints);
}

#[test]
fn components() {
    agree(Components::new(plain()), 500..530, Setup::WithoutHints);
}

#[test]
fn recent() {
    agree(Recent::new(plain()), 600..630, Setup::WithoutHints);
}

#[test]
fn refuted() {
    agree(Refuted::new(plain()), 700..730, Setup::WithoutHints);
}

#[test]
fn canonical_cache() {
    agree(
        CanonicalCache::new(plain(), Cache::default()),
        800..850,
        Setup::WithoutHints,
    );
}

/// A pointer into one of two objects, one past the end included, and rarely beyond.
fn pointer(terms: &mut Terms, random: &mut Random) -> TermId {
    let mut symbol = |terms: &mut Terms, name: &str, width: u32| {
        let name = format!("{name}{}", random.below(3));
        let sort = Sort::Bits(width);
        let kind = SymbolKind::Input;
        let id = terms.symbol_id(Symbol { name, kind, sort });
        terms.symbol(id)
    };
    let (flag, near) = (symbol(terms, "flag", 1), symbol(terms, "near", 5));
    let near = terms.zext(near, 64);
    let far = terms.constant(64, *random.pick(&[0, 0, 1, 17, 64, 65, 1 << 12]));
    let [a, b] = [near, far].map(|offset| {
        let base = terms.base_id(test_base(random.below(3) as u32));
        terms.pointer(base, offset)
    });
    terms.ite(flag, a, b)
}

/// Mostly comparisons that do not depend on addresses.
fn comparison(terms: &mut Terms, random: &mut Random) -> TermId {
    let (a, b) = (pointer(terms, random), pointer(terms, random));
    match random.below(8) {
        0..4 => terms.eq(a, b),
        4 => terms.ne(a, b),
        5 => terms.ult(a, b),
        6 => terms.ule(a, b),
        _ => {
            let (a, b) = (terms.extract(a, 4, 12), terms.extract(b, 4, 12));
            terms.ult(a, b)
        }
    }
}

/// Comparisons of pointers, with the objects elsewhere each time: what is reused is right.
#[test]
fn canonical_cache_at_other_addresses() {
    let mut cache = CanonicalCache::new(plain(), Cache::AddressAware);
    let mut reference = plain();
    let mut terms = Terms::new(64);
    for i in 0..BASES {
        terms.base_id(test_base(i));
    }
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let clauses: Vec<TermId> = (0..2).map(|_| comparison(&mut terms, &mut random)).collect();
        for turn in 0..4 {
            let query = Query {
                assumptions: &clauses[1..],
                goal: clauses[0],
                bases: &Pages { turn },
                hint: None,
            };
            let (answer, expected) = (
                cache.check(&mut terms, &query, BUDGET),
                reference.check(&mut terms, &query, BUDGET),
            );
            assert_eq!(answer.is_sat(), expected.is_sat(), "seed {seed}, turn {turn}");
        }
    }
    let mut rows = Vec::new();
    cache.stats(&mut rows);
    let details = &rows[0].details;
    assert!(details.get("hits at other addresses") > 30, "{details:?}");
    let agnostic = details.get("address-agnostic");
    assert!(0 < agnostic && agnostic < rows[0].asked, "some addresses matter");
}

#[test]
fn whole_chain_with_hints() {
    agree(
        chain(&ChainOptions::default()).expect("Z3 is linked in"),
        1000..1080,
        Setup::WithHints,
    );
}

#[test]
fn whole_chain_without_hints() {
    agree(
        chain(&ChainOptions::default()).expect("Z3 is linked in"),
        1100..1150,
        Setup::WithoutHints,
    );
}

#[test]
fn whole_chain_with_collections() {
    agree(
        chain(&ChainOptions::default()).expect("Z3 is linked in"),
        1200..1250,
        Setup::Collecting,
    );
}

#[test]
fn chain_without_caches() {
    let options = ChainOptions {
        cache: None,
        ..ChainOptions::default()
    };
    agree(chain(&options).expect("Z3 is linked in"), 1300..1330, Setup::WithHints);
}

/// The same queries through another process: translation and printing agree.
#[test]
fn processes() {
    for command in ["z3 -in", "cvc5"] {
        let options = ChainOptions {
            backend: BackendChoice::Process(command.into()),
            cache: None,
            ..ChainOptions::default()
        };
        match chain(&options) {
            Ok(solver) => agree(solver, 1400..1410, Setup::WithHints),
            Err(error) => eprintln!("skipped: {error}"),
        }
    }
}

/// More seeds on demand: `MNEME_FUZZ_CASES=5000 cargo test -p mneme-solver --test agreement many_paths`.
#[test]
fn many_paths() {
    let cases = std::env::var("MNEME_FUZZ_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let solver = chain(&ChainOptions::default()).expect("Z3 is linked in");
    if cases > 0 {
        agree(solver, 10_000..10_000 + cases, Setup::WithHints);
    }
}
