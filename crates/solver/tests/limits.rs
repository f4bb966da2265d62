//! Budgets hold, interrupts work, and no process can make us wait: each test would hang or take minutes if that were
//! wrong.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mneme_solver::{
    Answer, BackendChoice, Budget, ChainOptions, Interrupt, NoBases, Patience, Portfolio, Process, Query, Sat, Solver,
    SolverError, Unknown, Z3, chain,
};
use mneme_term::{Sort, Symbol, SymbolKind, TermId, Terms};

/// One test at a time: in Z3 4.8.12 timers of contexts in different threads interfere, and a run has only one thread
/// that asks.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn symbol(terms: &mut Terms, name: &str, width: u32) -> TermId {
    let s = terms.symbol_id(Symbol {
        name: name.into(),
        kind: SymbolKind::Input,
        sort: Sort::Bits(width),
    });
    terms.symbol(s)
}

/// The factors of a product of two primes of 32 bits: bit-blasting takes far more than seconds.
fn hard(terms: &mut Terms) -> TermId {
    let (x, y) = (symbol(terms, "x", 32), symbol(terms, "y", 32));
    let (wide_x, wide_y) = (terms.zext(x, 64), terms.zext(y, 64));
    let product = terms.mul(wide_x, wide_y);
    let number = terms.constant(64, 2_860_486_313 * 3_367_900_313);
    let found = terms.eq(product, number);
    let one = terms.constant(32, 1);
    let (big_x, big_y) = (terms.ult(one, x), terms.ult(x, y));
    let both = terms.and(big_x, big_y);
    terms.and(found, both)
}

fn easy(terms: &mut Terms) -> TermId {
    let x = symbol(terms, "x", 32);
    let limit = terms.constant(32, 10);
    terms.ult(limit, x)
}

fn ask(solver: &mut dyn Solver, terms: &mut Terms, goal: TermId, budget: Budget) -> (Answer, Duration) {
    let start = Instant::now();
    let query = Query {
        assumptions: &[],
        goal,
        bases: &NoBases,
        hint: None,
    };
    let answer = solver.check(terms, &query, budget);
    (answer, start.elapsed())
}

fn unknown(answer: &Answer) -> Option<Unknown> {
    match answer {
        Answer::Unknown(why) => Some(*why),
        _ => None,
    }
}

fn processes(interrupt: &Interrupt) -> Vec<Process> {
    let start = |command: &str| {
        Process::start(command, interrupt.clone())
            .map_err(|e| eprintln!("skipped: {e}"))
            .ok()
    };
    ["z3 -in", "cvc5"].iter().filter_map(|command| start(command)).collect()
}

#[test]
fn time_runs_out() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let (hard, easy) = (hard(&mut terms), easy(&mut terms));
    let interrupt = Interrupt::new();
    let mut solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(Z3::new(interrupt.clone())),
        Box::new(Sat::new(interrupt.clone())),
        chain(&ChainOptions::default()).expect("Z3 is linked in"),
    ];
    solvers.extend(
        processes(&interrupt)
            .into_iter()
            .map(|p| Box::new(p) as Box<dyn Solver>),
    );
    for solver in &mut solvers {
        let (answer, time) = ask(
            &mut **solver,
            &mut terms,
            hard,
            Budget::time(Duration::from_millis(200)),
        );
        assert_eq!(unknown(&answer), Some(Unknown::Timeout), "{answer:?}");
        assert!(time < Duration::from_secs(10), "200 ms became {time:?}");
        // It continues afterwards.
        assert!(
            ask(&mut **solver, &mut terms, easy, Budget::time(Duration::from_secs(20)))
                .0
                .is_sat()
        );
    }
}

#[test]
fn a_hard_query_waits_if_there_is_little_patience() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let (hard, easy) = (hard(&mut terms), easy(&mut terms));
    let mut solver = Portfolio::new(Interrupt::new());
    for (patience, [of_hard, of_easy]) in [(Patience::Brief, [true, false]), (Patience::None, [true, true])] {
        let budget = Budget {
            patience,
            ..Budget::time(Duration::from_secs(60))
        };
        let mut waits = |goal| {
            let (answer, _) = ask(&mut solver, &mut terms, goal, budget);
            matches!(answer, Answer::Unknown(Unknown::Postponed))
        };
        assert_eq!((waits(hard), waits(easy)), (of_hard, of_easy), "{patience:?}");
    }
    let mut rows = Vec::new();
    solver.stats(&mut rows);
    assert_eq!(
        rows.last().map(|row| row.asked),
        Some(1),
        "what waits does not count as asked"
    );
}

#[test]
fn steps_run_out_at_the_same_point() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let (hard, easy) = (hard(&mut terms), easy(&mut terms));
    let budget = Budget {
        steps: Some(100_000),
        ..Budget::UNLIMITED
    };
    let none = Budget {
        steps: Some(0),
        ..Budget::UNLIMITED
    };
    let solvers: [Box<dyn Solver>; 3] = [
        Box::new(Z3::new(Interrupt::new())),
        Box::new(Sat::new(Interrupt::new())),
        Box::new(Portfolio::new(Interrupt::new())),
    ];
    for mut solver in solvers {
        let (answer, _) = ask(&mut *solver, &mut terms, hard, budget);
        assert_eq!(unknown(&answer), Some(Unknown::Timeout));
        assert!(ask(&mut *solver, &mut terms, easy, budget).0.is_sat());
        let (answer, _) = ask(&mut *solver, &mut terms, easy, none);
        assert_eq!(unknown(&answer), Some(Unknown::Timeout));
    }
}

#[test]
fn interrupts_from_another_thread() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let (hard, easy) = (hard(&mut terms), easy(&mut terms));
    let interrupt = Interrupt::new();
    let mut solvers: Vec<Box<dyn Solver>> = vec![
        Box::new(Z3::new(interrupt.clone())),
        Box::new(Sat::new(interrupt.clone())),
        Box::new(Portfolio::new(interrupt.clone())),
    ];
    solvers.extend(
        processes(&interrupt)
            .into_iter()
            .map(|p| Box::new(p) as Box<dyn Solver>),
    );
    for solver in &mut solvers {
        // Also at the very beginning of a query.
        for delay in [0, 1, 100] {
            let switch = interrupt.clone();
            let other = thread::spawn(move || {
                thread::sleep(Duration::from_millis(delay));
                switch.fire();
            });
            let (answer, time) = ask(&mut **solver, &mut terms, hard, Budget::UNLIMITED);
            other.join().expect("firing does not panic");
            assert_eq!(unknown(&answer), Some(Unknown::Interrupted));
            assert!(time < Duration::from_secs(10), "{delay} ms became {time:?}");
            assert_eq!(
                unknown(&ask(&mut **solver, &mut terms, easy, Budget::UNLIMITED).0),
                Some(Unknown::Interrupted)
            );
            interrupt.clear();
            assert!(ask(&mut **solver, &mut terms, easy, Budget::UNLIMITED).0.is_sat());
        }
    }
}

/// Whenever it is fired, an interrupt neither gets lost nor spoils a later query.
#[test]
fn interrupts_at_any_moment() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let easy = easy(&mut terms);
    let interrupt = Interrupt::new();
    let mut solver = Z3::new(interrupt.clone());
    for round in 0..300 {
        let switch = interrupt.clone();
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_micros(round * 5));
            switch.fire();
        });
        let (answer, _) = ask(&mut solver, &mut terms, easy, Budget::UNLIMITED);
        assert!(
            answer.is_sat() || unknown(&answer) == Some(Unknown::Interrupted),
            "{answer:?}"
        );
        other.join().expect("firing does not panic");
        interrupt.clear();
        let (answer, _) = ask(&mut solver, &mut terms, easy, Budget::UNLIMITED);
        assert!(answer.is_sat(), "round {round}: {answer:?}");
    }
}

/// Even in the middle of a search, a thousand times: Z3 4.8.12 corrupts its heap if it continues with what was stopped.
#[test]
fn a_thousand_interrupts_leave_the_heap_in_order() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let (hard, easy) = (hard(&mut terms), easy(&mut terms));
    let interrupt = Interrupt::new();
    let mut solver = Z3::new(interrupt.clone());
    for round in 0..1000 {
        let switch = interrupt.clone();
        let other = thread::spawn(move || {
            thread::sleep(Duration::from_micros(round * 7));
            switch.fire();
        });
        let (answer, _) = ask(&mut solver, &mut terms, hard, Budget::UNLIMITED);
        other.join().expect("firing does not panic");
        assert_eq!(unknown(&answer), Some(Unknown::Interrupted), "round {round}");
        interrupt.clear();
        if round % 10 == 0 {
            let (answer, _) = ask(&mut solver, &mut terms, easy, Budget::UNLIMITED);
            assert!(answer.is_sat(), "round {round}: {answer:?}");
        }
    }
}

#[test]
fn bad_processes_fail_and_do_not_hang() {
    let _alone = alone();
    let mut terms = Terms::new(64);
    let goal = easy(&mut terms);
    let script = tempfile::NamedTempFile::new().expect("a temporary file");
    let budget = Budget::time(Duration::from_millis(500));
    let scripts = [
        // Exits at once; echoes its input; says nothing; floods; says sat without values; lies about the values.
        ("exit 3", Unknown::Failed),
        ("cat", Unknown::Failed),
        ("exec sleep 1000", Unknown::Timeout),
        ("while true; do echo '(((('; done", Unknown::Failed),
        ("while true; do echo nonsense; done", Unknown::Failed),
        ("echo sat; echo '((x y z))'; exec sleep 1000", Unknown::Failed),
        ("echo sat; echo '((x #x00000000))'; exec sleep 1000", Unknown::Failed),
        ("echo sat; exec sleep 1000", Unknown::Timeout),
        ("echo unknown; echo unknown; exec sleep 1000", Unknown::GaveUp),
    ];
    for (text, expected) in scripts {
        std::fs::write(script.path(), text).expect("the file can be written");
        let command = format!("sh {}", script.path().display());
        let mut solver = Process::start(&command, Interrupt::new()).expect("a shell");
        for _ in 0..2 {
            let (answer, time) = ask(&mut solver, &mut terms, goal, budget);
            assert_eq!(unknown(&answer), Some(expected), "{text}");
            assert!(time < Duration::from_secs(10), "{text}: {time:?}");
        }
    }
}

#[test]
fn a_missing_solver_is_an_error_that_says_so() {
    let _alone = alone();
    let options = ChainOptions {
        backend: BackendChoice::Process("no-such-solver --x".into()),
        ..Default::default()
    };
    let error = chain(&options).err().expect("there is no such command");
    assert!(matches!(error, SolverError::Start { .. }));
    assert!(
        error
            .to_string()
            .starts_with("the solver `no-such-solver --x` cannot be started: "),
        "{error}"
    );
    let empty = ChainOptions {
        backend: BackendChoice::Process(" ".into()),
        ..Default::default()
    };
    assert!(matches!(chain(&empty).err(), Some(SolverError::EmptyCommand)));
}

#[test]
fn logged_queries_can_be_replayed() {
    let _alone = alone();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let log = directory.path().join("queries");
    let options = ChainOptions {
        log_queries: Some(log.clone()),
        ..Default::default()
    };
    let mut solver = chain(&options).expect("Z3 is linked in");
    let mut terms = Terms::new(64);
    let (x, y) = (symbol(&mut terms, "x", 32), symbol(&mut terms, "y", 32));
    let product = terms.mul(x, y);
    let seven = terms.constant(32, 77);
    let goal = terms.ult(seven, product);
    assert!(ask(&mut *solver, &mut terms, goal, Budget::UNLIMITED).0.is_sat());
    let text = std::fs::read_to_string(log.join("000001.smt2")).expect("the query was logged");
    assert!(text.starts_with("; expected: sat\n"), "{text}");
    let replay = std::process::Command::new("z3").arg(log.join("000001.smt2")).output();
    match replay {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "sat"),
        Err(error) => eprintln!("not replayed: {error}"),
    }
    let file = log.join("000001.smt2");
    let error = chain(&ChainOptions {
        log_queries: Some(file),
        ..Default::default()
    })
    .err()
    .expect("a file is no directory");
    assert!(error.to_string().starts_with("queries cannot be logged to"), "{error}");
}
