//! What a solver answers to `(get-value …)`, for a number and an array.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mneme_solver::parse_values;
use mneme_term::{Sort, Symbol, SymbolKind, Terms};

fuzz_target!(|data: &[u8]| {
    let mut terms = Terms::new(64);
    let mut symbol = |name: &str, sort| {
        terms.symbol_id(Symbol {
            name: name.into(),
            kind: SymbolKind::Input,
            sort,
        })
    };
    let symbols = [
        symbol("n", Sort::Bits(37)),
        symbol("a", Sort::Array { index: 64, element: 8 }),
    ];
    let _ = parse_values(&terms, &symbols, data);
});
