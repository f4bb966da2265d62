//! Errors of handlers themselves: no errors of the program, but stops.
//!
//! What a handler does with the program's memory is the program's access. Everything else that goes wrong while one is
//! active is its own mistake: what it does with its own variables, and what it decides by memory that the program never
//! wrote.

use super::dispatch::NO_STACK;
use super::support::is_support;
use crate::fault::Error;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{FaultKind, Model};
use mneme_program::{HANDLER_PREFIX, Program, Site};
use mneme_term::BaseId;
use rustc_hash::FxHashSet;

/// Is this the name of something that a handler defines?
fn is_of_handler(name: &str) -> bool {
    name.starts_with(HANDLER_PREFIX) && !is_support(name)
}

/// The sites of variables and blocks that belong to handlers.
pub(super) fn own_sites(program: &Program) -> FxHashSet<u32> {
    let globals = program.globals.iter().filter(|global| is_of_handler(&global.name));
    let in_handler = |site: &Site| {
        let function = site.function.map(|id| program.function(id));
        function.is_some_and(|function| is_of_handler(&function.name))
    };
    let sites = program.sites.iter().enumerate();
    let sites = sites
        .filter(|(_, site)| in_handler(site))
        .map(|(index, _)| index as u32);
    globals.map(|global| global.site.0).chain(sites).collect()
}

impl<M: Model> Worker<'_, M> {
    /// Does an object belong to a handler, and not to the program?
    pub(crate) fn is_of_handler(&self, base: BaseId) -> bool {
        self.handlers.own.contains(&self.terms.base_info(base).site)
    }

    /// Does a handler call the library, and not the program?
    pub(crate) fn is_for_handler(&self, state: &State<M>) -> bool {
        let calls = || is_of_handler(&self.program.function(state.frame().function).name);
        !self.handlers.own.is_empty() && calls()
    }

    /// Why a path stops at an error that is a handler's own.
    pub(crate) fn broken_handler(&self, state: &State<M>, error: &Error) -> Option<String> {
        if !state.serving.is_active() {
            return None;
        }
        let own = match error {
            Error::StackExhaustion(_) => return Some(NO_STACK.into()),
            Error::OfHandler(..) => false,
            Error::Memory(fault) => {
                let frees = matches!(fault.kind, FaultKind::DoubleFree | FaultKind::InvalidFree);
                frees || fault.base.is_some_and(|base| self.is_of_handler(base))
            }
            _ => true,
        };
        own.then(|| {
            self.in_handler(
                state,
                &format!("an error in a handler, {}", error.rule().default_message()),
            )
        })
    }

    /// With the line of the handler that the path is at.
    pub(crate) fn in_handler(&self, state: &State<M>, what: &str) -> String {
        match self.stack(state).first().filter(|place| place.line > 0) {
            Some(place) => format!("{what} at {}", place.brief()),
            None => what.into(),
        }
    }
}
