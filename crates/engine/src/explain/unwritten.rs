//! Unwritten memory: where it comes from, and which parts of it a path depends on.

use super::Note;
use super::object::c_name;
use crate::options::Uninit;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_program::SiteKind;
use mneme_term::{Origin, Sort, SymbolKind, TermId, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl<M: Model> Worker<'_, M> {
    /// Where the unwritten bytes that terms depend on come from.
    pub(super) fn unwritten(&mut self, terms: &[TermId]) -> BTreeSet<Origin> {
        let mut origins = BTreeSet::new();
        for &term in terms {
            if !self.terms.has_uninit(term) {
                continue;
            }
            let symbols = self.terms.symbols(term);
            origins.extend(
                symbols
                    .iter()
                    .filter_map(|&symbol| match self.terms.symbol_info(symbol).kind {
                        // Poison is an error where it was made.
                        SymbolKind::Uninit(Origin::Operation { .. }) => None,
                        SymbolKind::Uninit(origin) => Some(origin),
                        _ => None,
                    }),
            );
        }
        origins
    }

    /// The unwritten memory whose contents decide where the path goes or, if it `exits`, what its result is. Empty
    /// where reading such memory is an error.
    pub(crate) fn unwritten_needs(&mut self, state: &State<M>, exits: bool) -> Vec<String> {
        if self.options.uninit == Uninit::Fault {
            return Vec::new();
        }
        let mut terms = state.path.condition.clauses().to_vec();
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
        if !self.terms.has_uninit(term) {
            return term;
        }
        let mut inputs = FxHashMap::default();
        for symbol in self.terms.symbols(term).to_vec() {
            let info = self.terms.symbol_info(symbol);
            if !matches!(info.kind, SymbolKind::Uninit(_)) && matches!(info.sort, Sort::Bits(_)) {
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
            Origin::Operation { .. } | Origin::Value => "an undefined value".into(),
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
