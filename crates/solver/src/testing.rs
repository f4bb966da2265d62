//! What the tests of this crate share: a bench to build terms on, a table of bases, and a source of random queries.

use mneme_term::{BaseId, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, Tracer};

use crate::{Answer, BaseTable, Budget, Extent, Interrupt, NoBases, Query, Solver, Stage, Z3};

pub(crate) struct Bench {
    pub terms: Terms,
}

impl Bench {
    pub fn new() -> Self {
        Bench { terms: Terms::new(64) }
    }

    pub fn symbol_id(&mut self, name: &str, width: u32) -> SymbolId {
        self.terms.symbol_id(Symbol {
            name: name.into(),
            kind: SymbolKind::Input,
            sort: Sort::Bits(width),
        })
    }

    pub fn symbol(&mut self, name: &str, width: u32) -> TermId {
        let s = self.symbol_id(name, width);
        self.terms.symbol(s)
    }

    pub fn array(&mut self, name: &str, index: u32, element: u32) -> TermId {
        let sort = Sort::Array { index, element };
        let s = self.terms.symbol_id(Symbol {
            name: name.into(),
            kind: SymbolKind::Input,
            sort,
        });
        self.terms.symbol(s)
    }

    /// Asks for the conjunction of the clauses; the last is the goal.
    pub fn ask(&mut self, solver: &mut dyn Solver, clauses: &[TermId]) -> Answer {
        let (&goal, assumptions) = clauses.split_last().expect("a goal");
        let query = Query {
            assumptions,
            goal,
            bases: &NoBases,
            hint: None,
        };
        solver.check(&mut self.terms, &query, Budget::UNLIMITED)
    }
}

pub(crate) fn z3() -> Box<dyn Solver> {
    Box::new(Z3::new(Interrupt::new()))
}

/// Nothing may reach this one.
pub(crate) struct NeverAsked;

impl Solver for NeverAsked {
    fn check(&mut self, _: &mut Terms, _: &Query, _: Budget) -> Answer {
        panic!("this query need not be asked")
    }

    fn trace(&self, _: &mut Tracer) {}

    fn stats(&self, _: &mut Vec<Stage>) {}
}

/// Bases at given addresses, 4096 apart from `first`.
pub(crate) struct Flat {
    pub first: u64,
}

impl BaseTable for Flat {
    fn address(&self, terms: &mut Terms, b: BaseId) -> TermId {
        terms.constant(terms.pointer_width(), self.concrete_address(b))
    }

    fn concrete_address(&self, b: BaseId) -> u64 {
        self.first + 4096 * u64::from(b.0)
    }

    fn extent(&self, terms: &mut Terms, _: BaseId) -> Extent {
        Extent {
            size: terms.constant(64, 16),
            capacity: 16,
        }
    }

    fn is_alive(&self, _: BaseId) -> bool {
        true
    }

    fn layout(&self, _: &mut Terms, _: &[BaseId]) -> Vec<TermId> {
        Vec::new()
    }
}
