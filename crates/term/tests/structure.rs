//! Deep terms, collection, substitution, cases, sets of symbols, independence of history.

mod common;

use common::*;
use mneme_term::testing::Gen;
use mneme_term::{Assignment, Bits, Op, Sort, Symbol, SymbolKind, TermId, Terms, Value};
use rustc_hash::FxHashMap;

const DEEP: u64 = 1_000_000;

/// A chain of a million nodes: `… ((x ^ y) / y) ^ y …`, so that no rule shortens it.
fn chain(terms: &mut Terms) -> TermId {
    let (mut t, y) = (symbol(terms, "x", 32), symbol(terms, "y", 32));
    for _ in 0..DEEP / 2 {
        let exclusive = terms.xor(t, y);
        t = terms.udiv(exclusive, y);
    }
    t
}

#[test]
fn a_million_nodes_need_no_stack() {
    let mut terms = Terms::new(64);
    let deep = chain(&mut terms);
    assert!(terms.len() as u64 >= DEEP);
    assert_eq!(terms.symbols(deep).len(), 2);

    let (x, y) = (symbol_id(&mut terms, "x", 32), symbol_id(&mut terms, "y", 32));
    let mut assignment = Assignment::default();
    assignment.values.insert(x, Bits::new(32, 1));
    assignment.values.insert(y, Bits::new(32, 2));
    let value = terms.eval(deep, &assignment.with_addresses(&|_| 0));
    // (1 ^ 2) / 2 = 1
    assert_eq!(value, Bits::new(32, 1));

    let (x, y) = (terms.symbol(x), terms.symbol(y));
    let (one, two) = (terms.constant(32, 1), terms.constant(32, 2));
    let map: FxHashMap<TermId, TermId> = [(x, one), (y, two)].into_iter().collect();
    assert_eq!(terms.substitute_map(deep, &map), one);

    let text = terms.display(deep).to_string();
    assert!(text.len() as u64 > DEEP);
    let goal = terms.eq(deep, x);
    let script = terms.smtlib(&[goal]);
    let nesting = script.lines().map(|line| line.matches('(').count()).max();
    assert!(nesting < Some(400), "deep terms are cut");

    let before = terms.len();
    assert_eq!(terms.collect(|tracer| tracer.term(deep)), before - terms.len());
    assert_eq!(terms.eval(deep, &assignment.with_addresses(&|_| 0)), Bits::new(32, 1));
    terms.collect(|_| {});
    assert_eq!(terms.len(), 2);
}

#[test]
fn deep_choices_sums_and_connectives_need_no_stack() {
    let mut terms = Terms::new(64);
    let mut tree = pointer(&mut terms, 0, 0);
    let mut sum = symbol(&mut terms, "s", 64);
    let mut all = terms.tru();
    let mut memory = array(&mut terms, "a", 64, 8);
    for i in 0..20_000 {
        let c = symbol(&mut terms, &format!("c{i}"), 1);
        let x = symbol(&mut terms, &format!("x{i}"), 64);
        let p = pointer(&mut terms, i % 7, i as u64);
        tree = terms.ite(c, p, tree);
        sum = terms.add(sum, x);
        all = terms.and(all, c);
        let byte = terms.extract(x, 0, 8);
        memory = terms.store(memory, x, byte);
    }
    let eight = terms.constant(64, 8);
    let moved = terms.add(tree, eight);
    assert_eq!(terms.cases(moved).len(), 7);
    let assignment = Assignment::default();
    let model = assignment.with_addresses(&|b| 4096 + 16 * b.0 as u64);
    assert_eq!(terms.eval_u64(moved, &model), 4096 + 8);
    assert_eq!(terms.eval_u64(sum, &model), 0);
    assert!(!terms.eval_bool(all, &model));
    assert_eq!(terms.symbols(sum).len(), 20_001);
    let index = symbol(&mut terms, "i", 64);
    let read = terms.select(memory, index);
    let model = assignment.with_addresses(&|_| 4096);
    assert_eq!(terms.eval_u64(read, &model), 0);
}

#[test]
fn long_sums_still_cancel_their_constants() {
    let mut terms = Terms::new(64);
    let base = base_id(&mut terms, 1);
    let mut p = terms.base(base);
    let one = terms.constant(64, 1);
    for i in 0..100 {
        let x = symbol(&mut terms, &format!("x{i}"), 64);
        p = terms.add(p, x);
        p = terms.add(p, one);
    }
    // The base stays visible in however long a sum.
    assert_eq!(terms.cases(p)[0].base, Some(base));
    let q = terms.add(p, one);
    let difference = terms.sub(q, p);
    assert_eq!(difference, one);
}

#[test]
fn collection_keeps_what_is_marked_and_the_rest_can_be_built_again() {
    let mut terms = Terms::new(64);
    let mut kept: Vec<(u64, TermId, String)> = Vec::new();
    for round in 0..30u64 {
        for seed in round * 10..round * 10 + 10 {
            let mut generator = Gen::new(seed);
            let term = generator.expr(64, 4).build(&mut terms);
            terms.cases(term);
            terms.symbols(term);
            let text = terms.display(term).to_string();
            if seed % 3 == 0 {
                kept.push((seed, term, text));
            }
        }
        if round % 5 == 4 {
            kept.drain(..kept.len() / 2);
        }
        let roots: Vec<TermId> = kept.iter().map(|k| k.1).collect();
        terms.collect(|tracer| roots.iter().for_each(|&t| tracer.value(Value::Term(t))));
        for (seed, term, text) in &kept {
            assert_eq!(terms.display(*term).to_string(), *text);
            let mut generator = Gen::new(*seed);
            let expr = generator.expr(64, 4);
            // Hash-consing still finds every live node.
            assert_eq!(expr.build(&mut terms), *term);
            let env = generator.env(&expr);
            assert_eq!(expr.eval(&env), terms.eval(*term, &env.model(&terms)));
        }
    }
    terms.collect(|_| {});
    assert_eq!(terms.len(), 2);
}

#[test]
fn terms_do_not_depend_on_what_was_built_before() {
    let mut one = Terms::new(64);
    let mut other = Terms::new(64);
    // A different history: other ids for everything.
    for seed in (0..100).rev() {
        Gen::new(seed + 1000).expr(64, 3).build(&mut other);
    }
    for seed in 0..300 {
        let expr = Gen::new(seed).expr(64, 4);
        let (a, b) = (expr.build(&mut one), expr.build(&mut other));
        assert_eq!(one.display(a).to_string(), other.display(b).to_string());
        assert_eq!(one.structural_hash(a), other.structural_hash(b));
    }
}

#[test]
fn substitution_is_evaluation_when_everything_is_replaced() {
    for seed in 0..1500 {
        let mut terms = Terms::new(64);
        let mut generator = Gen::new(seed);
        let expr = generator.expr(32, 4);
        let term = expr.build(&mut terms);
        if terms.has_array(term) || terms.has_apply(term) {
            continue;
        }
        let env = generator.env(&expr);
        let replaced = terms.substitute(term, &mut |terms, t| match terms.op(t) {
            Op::Symbol(s) if terms.symbol_info(s).kind == SymbolKind::Input => {
                let name = terms.symbol_info(s).name.clone();
                Some(terms.constant_bits(&env.values[&name]))
            }
            Op::Base(b) => {
                let address = env.addresses[terms.base_info(b).site as usize];
                Some(terms.constant(64, address))
            }
            _ => None,
        });
        assert_eq!(terms.eval(replaced, &env.model(&terms)), expr.eval(&env), "seed {seed}");
        if !terms.has_forall(term) {
            assert_eq!(
                terms.as_bits(replaced),
                Some(expr.eval(&env)),
                "seed {seed}: {}",
                terms.display(replaced)
            );
        }
    }
}

#[test]
fn cases_partition_and_describe_the_pointer() {
    let mut with_bases = 0;
    for seed in 0..3000 {
        let mut terms = Terms::new(64);
        let mut generator = Gen::new(seed);
        let expr = if seed % 4 == 0 {
            generator.expr(64, 4)
        } else {
            generator.pointer(5)
        };
        let term = expr.build(&mut terms);
        let cases = terms.cases(term);
        with_bases += (cases.iter().filter(|c| c.base.is_some()).count() > 1) as u32;
        for _ in 0..6 {
            let env = generator.env(&expr);
            let model = env.model(&terms);
            let holding: Vec<_> = cases.iter().filter(|c| terms.eval_bool(c.guard, &model)).collect();
            assert_eq!(holding.len(), 1, "seed {seed}: {}", terms.display(term));
            let case = holding[0];
            let address = case.base.map_or(0, |b| env.addresses[terms.base_info(b).site as usize]);
            let value = terms.eval_u64(case.offset, &model).wrapping_add(address);
            assert_eq!(value, expr.eval(&env).low_u64(), "seed {seed}: {}", terms.display(term));
        }
        let mut bases: Vec<_> = cases.iter().filter_map(|c| c.base).collect();
        bases.sort();
        bases.dedup();
        assert_eq!(
            bases.len(),
            cases.iter().filter(|c| c.base.is_some()).count(),
            "one case for each base"
        );
    }
    assert!(
        with_bases > 300,
        "the generator makes pointers with several bases ({with_bases})"
    );
}

#[test]
fn cases_of_a_table_are_grouped() {
    let mut terms = Terms::new(64);
    let h = symbol(&mut terms, "h", 8);
    let null = terms.constant(64, 0);
    let (a, b, a8) = (
        pointer(&mut terms, 1, 0),
        pointer(&mut terms, 2, 0),
        pointer(&mut terms, 1, 8),
    );
    let table = terms.lookup(h, &[(0, a), (1, b), (2, a), (5, a8), (9, b)], null);
    let cases = terms.cases(table);
    assert_eq!(cases.len(), 3);
    let of = |terms: &mut Terms, site| {
        let base = base_id(terms, site);
        *cases.iter().find(|c| c.base == Some(base)).expect("a case")
    };
    let five = terms.constant(8, 5);
    let is_five = terms.eq(h, five);
    let (zero, eight) = (terms.constant(64, 0), terms.constant(64, 8));
    assert_eq!(of(&mut terms, 1).offset, terms.ite(is_five, eight, zero));
    assert_eq!(of(&mut terms, 2).offset, zero);
    let nothing = cases.iter().find(|c| c.base.is_none()).expect("null");
    assert_eq!(nothing.offset, null);
}

#[test]
fn values_have_one_spelling() {
    let mut terms = Terms::new(64);
    let base = base_id(&mut terms, 1);
    for offset in [0, 8, u64::MAX] {
        let value = Value::Ptr { base, offset };
        let term = terms.of_value(value, 64);
        assert_eq!(terms.to_value(term), value);
    }
    let term = terms.of_value(Value::Int(300), 8);
    assert_eq!(terms.to_value(term), Value::Int(44));
}

#[test]
fn quantified_symbols_are_not_free() {
    let mut terms = Terms::new(64);
    let bound = terms.symbol_id(Symbol {
        name: "i".into(),
        kind: SymbolKind::Bound,
        sort: Sort::Bits(8),
    });
    let (i, x) = (terms.symbol(bound), symbol(&mut terms, "x", 8));
    let body = terms.ult(i, x);
    let limit = symbol(&mut terms, "n", 8);
    assert!(terms.has_kind(body, SymbolKind::Bound));
    let all = terms.forall(bound, limit, body);
    assert!(!terms.has_kind(all, SymbolKind::Bound));
    assert!(terms.has_forall(all));
    assert_eq!(terms.symbols(all).len(), 2);
    let zero = terms.constant(8, 0);
    assert_eq!(terms.forall(bound, zero, body), terms.tru());
}

#[test]
fn text_is_readable() {
    let mut terms = Terms::new(64);
    let (x, y) = (symbol(&mut terms, "x", 32), symbol(&mut terms, "y", 32));
    let three = terms.constant(32, 3);
    let difference = terms.sub(x, three);
    let less = terms.slt(difference, y);
    assert_eq!(terms.display(less).to_string(), "(x - 3) <s y");
    let p = pointer(&mut terms, 7, 16);
    assert_eq!(terms.display(p).to_string(), "&heap7.0 + 16");
    let ne = terms.ne(x, y);
    let text = terms.display(ne).to_string();
    assert!(text == "x != y" || text == "y != x", "{text}");
    let byte = terms.extract(x, 8, 8);
    assert_eq!(terms.display(byte).to_string(), "x[15:8]");
}
