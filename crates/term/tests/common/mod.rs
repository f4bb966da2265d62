//! Short names for tests.

use mneme_term::{BaseId, BaseInfo, BaseKind, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms};

pub fn symbol_id(terms: &mut Terms, name: &str, width: u32) -> SymbolId {
    terms.symbol_id(Symbol {
        name: name.into(),
        kind: SymbolKind::Input,
        sort: Sort::Bits(width),
    })
}

pub fn symbol(terms: &mut Terms, name: &str, width: u32) -> TermId {
    let id = symbol_id(terms, name, width);
    terms.symbol(id)
}

pub fn array(terms: &mut Terms, name: &str, index: u32, element: u32) -> TermId {
    let sort = Sort::Array { index, element };
    let id = terms.symbol_id(Symbol {
        name: name.into(),
        kind: SymbolKind::Input,
        sort,
    });
    terms.symbol(id)
}

pub fn base_id(terms: &mut Terms, site: u32) -> BaseId {
    terms.base_id(BaseInfo {
        kind: BaseKind::Heap,
        site,
        align: 16,
        n: 0,
    })
}

pub fn pointer(terms: &mut Terms, site: u32, offset: u64) -> TermId {
    let base = base_id(terms, site);
    let offset = terms.constant(terms.pointer_width(), offset);
    terms.pointer(base, offset)
}
