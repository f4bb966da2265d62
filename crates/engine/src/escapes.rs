//! Local variables whose address outlives them.
//!
//! When the function that a run begins with returns, its caller has what it returned and what the caller gave it:
//! arguments, globals, and blocks that these refer to. A pointer to a local variable among that is no error as long as
//! nobody follows it, but hardly ever meant. Pointers are looked for at aligned places; a report's
//! test brings one there.

use crate::fault::Error;
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_term::{BaseId, BaseKind, Value};
use rustc_hash::FxHashSet;

/// Bytes of an object in which pointers are looked for.
const MOST_BYTES: u64 = 4096;
/// Objects that are looked at.
const MOST_OBJECTS: usize = 64;

impl<M: Model> Worker<'_, M> {
    /// `state` is about to leave a function with these results.
    pub(crate) fn escapes_at_return(&mut self, state: &State<M>, results: &[Value]) {
        let is_first = state.frames.len() == 1 && Some(state.frame().function) == self.program.main;
        if !is_first || self.is_trial() {
            return;
        }
        let mut seen = FxHashSet::default();
        let mut pending: Vec<(BaseId, Option<BaseId>)> = Vec::new();
        for &result in results {
            let bases = self.certain_bases(state, result);
            pending.extend(bases.into_iter().map(|base| (base, None)));
        }
        let given = state.demand.bases().filter(|&base| state.memory.is_alive(base));
        pending.extend(given.map(|base| (base, Some(base))));
        while let Some((base, holder)) = pending.pop() {
            if !seen.insert(base) || seen.len() > MOST_OBJECTS {
                continue;
            }
            let is_given = state.demand.bases().any(|given| given == base);
            if self.terms.base_info(base).kind == BaseKind::Stack && !is_given && !self.is_runtimes(base) {
                self.error_going_on(state, &Error::Escape { local: base, holder });
                continue;
            }
            if !state.memory.is_alive(base) {
                continue;
            }
            let bytes = u64::from(self.pointer_width() / 8);
            let room = state.memory.header(base).map_or(0, |header| header.room);
            let size = room.min(MOST_BYTES);
            for offset in (0..size)
                .step_by(bytes as usize)
                .filter(|offset| offset + bytes <= size)
            {
                if let Some(value) = state.memory.fast_load(base, offset, bytes as u32) {
                    let inside = self.certain_bases(state, value);
                    pending.extend(inside.into_iter().map(|inner| (inner, Some(base))));
                }
            }
        }
    }

    /// Not the program's own: a variable of a function of the C library.
    fn is_runtimes(&self, base: BaseId) -> bool {
        let site = self.site_of(base);
        let function = site.and_then(|site| site.function);
        function.is_none_or(|id| self.program.function(id).runtime)
    }

    /// What a value refers to for the inputs that the state stands for.
    fn certain_bases(&mut self, state: &State<M>, value: Value) -> Vec<BaseId> {
        match value {
            Value::Ptr { base, .. } => vec![base],
            Value::Term(term) if self.terms.width(term) == self.pointer_width() && self.terms.has_base(term) => {
                let cases = self.terms.cases(term);
                let mut bases = Vec::new();
                for case in cases.iter() {
                    let holds = !self.evaluate(state, case.guard).is_zero();
                    bases.extend(case.base.filter(|_| holds));
                }
                bases
            }
            _ => Vec::new(),
        }
    }
}
