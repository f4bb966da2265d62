//! Unwritten memory: where it comes from, and which parts of it a path depends on.

use super::Note;
use super::object::c_name;
use crate::options::Uninit;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_program::SiteKind;
use mneme_term::{Sort, SymbolKind, TermId, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a symbol for unwritten bytes stands for.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Origin {
    /// An object of this site.
    Site(u32),
    /// An undefined argument or result.
    Value,
}

impl Origin {
    /// From the symbol's name: `uninit!KIND!SITE!…`, or `uninit!value!N`.
    fn of(name: &str) -> Option<Origin> {
        let mut parts = name.strip_prefix("uninit!")?.split('!');
        match parts.next()? {
            "value" => Some(Origin::Value),
            _ => Some(Origin::Site(parts.next()?.parse().ok()?)),
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// Where the unwritten bytes that terms depend on come from.
    pub(super) fn unwritten(&mut self, terms: &[TermId]) -> BTreeSet<Origin> {
        let mut origins = BTreeSet::new();
        for &term in terms {
            if !self.terms.has_kind(term, SymbolKind::Uninit) {
                continue;
            }
            let symbols = self.terms.symbols(term);
            let symbols = symbols.iter().map(|&symbol| self.terms.symbol_info(symbol));
            let unwritten = symbols.filter(|symbol| symbol.kind == SymbolKind::Uninit);
            origins.extend(unwritten.filter_map(|symbol| Origin::of(&symbol.name)));
        }
        origins
    }

    /// The unwritten memory whose contents decide where the path goes or, if it `exits`, what its result is. Empty
    /// where reading such memory is an error.
    pub(crate) fn unwritten_needs(&mut self, state: &State<M>, exits: bool) -> Vec<String> {
        if self.options.uninit == Uninit::Fault {
            return Vec::new();
        }
        let mut terms = state.path.clauses().to_vec();
        if exits {
            let results = state.output.bytes.iter().chain([&state.exit_code]);
            terms.extend(results.filter_map(|value| match value {
                Value::Term(term) => Some(*term),
                _ => None,
            }));
        }
        let terms: Vec<TermId> = terms.into_iter().map(|term| self.on_inputs(state, term)).collect();
        let origins = self.unwritten(&terms);
        origins.into_iter().map(|origin| self.unwritten_name(origin)).collect()
    }

    /// The value of a term that depends on unwritten bytes, for the inputs of the state's test: there it may no longer
    /// depend on them.
    fn on_inputs(&mut self, state: &State<M>, term: TermId) -> TermId {
        if !self.terms.has_kind(term, SymbolKind::Uninit) {
            return term;
        }
        let mut inputs = FxHashMap::default();
        for symbol in self.terms.symbols(term).to_vec() {
            let info = self.terms.symbol_info(symbol);
            if info.kind != SymbolKind::Uninit && matches!(info.sort, Sort::Bits(_)) {
                let input = self.terms.symbol(symbol);
                let value = self.evaluate(state, input);
                inputs.insert(input, self.terms.constant_bits(&value));
            }
        }
        self.terms.substitute_map(term, &inputs)
    }

    fn unwritten_name(&self, origin: Origin) -> String {
        match origin {
            Origin::Site(site) => self.site_name(site),
            Origin::Value => "an undefined value".into(),
        }
    }

    /// `x` (a.c:5); the block allocated at a.c:9.
    pub(crate) fn site_name(&self, site: u32) -> String {
        let Some(site) = self.program.sites.get(site as usize) else {
            return "an object".into();
        };
        let place = self.site_place(site).map(|place| place.brief());
        match (c_name(site), &site.kind, place) {
            (_, SiteKind::Heap, Some(place)) => format!("the block allocated at {place}"),
            (Some(name), _, Some(place)) => format!("`{name}` ({place})"),
            (Some(name), _, None) => format!("`{name}`"),
            (None, _, Some(place)) => format!("an object at {place}"),
            (None, _, None) => "an object".into(),
        }
    }

    /// A description of unwritten memory.
    pub(super) fn unwritten_note(&self, site: u32) -> Option<Note> {
        let site = self.program.sites.get(site as usize)?;
        let place = self.site_place(site)?;
        let text = match (c_name(site), &site.kind) {
            (_, SiteKind::Heap) => "the memory is allocated here".into(),
            (Some(name), _) => format!("`{name}` is declared here"),
            (None, _) => return None,
        };
        Some(Note::new(text, Some(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn names_of_symbols_tell_where_they_come_from() {
        assert_eq!(Origin::of("uninit!Heap!12!0!0"), Some(Origin::Site(12)));
        assert_eq!(Origin::of("uninit!slot!3!7"), Some(Origin::Site(3)));
        assert_eq!(Origin::of("uninit!value!3"), Some(Origin::Value));
        assert_eq!(Origin::of("n"), None);
        assert_eq!(Origin::of("poison!1!12!0"), None);
    }
}
