//! Compares what pointers refer to with what the points-to analysis says: for tests.

use crate::state::State;
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_program::{Inst, Operand, SiteId};
use mneme_term::{BaseId, Value};

impl<M: Model> Worker<'_, M> {
    /// Panics where the next instruction accesses memory through a pointer to an object that the analysis excludes.
    pub(crate) fn check_points_to(&mut self, state: &State<M>) {
        let Some(points_to) = self.points_to.clone() else {
            return;
        };
        let frame = state.frame();
        let (id, function) = (frame.function, self.program.function(frame.function));
        let pointers: &[Operand] = match function.code[frame.pc as usize] {
            Inst::Load { ptr, .. } | Inst::Store { ptr, .. } | Inst::MemSet { dst: ptr, .. } => &[ptr],
            Inst::MemCopy { dst, src, .. } => &[dst, src],
            _ => return,
        };
        let targets = points_to.targets(id, frame.pc);
        for (&pointer, targets) in pointers.iter().zip(targets) {
            for base in self.bases_of(state, pointer) {
                let site = SiteId(self.terms.base_info(base).site);
                let own = site.index() >= self.program.sites.len();
                assert!(
                    own || targets.include(site),
                    "a pointer in `{}` refers to {:?}, not to one of {targets:?}",
                    function.name,
                    self.program.sites[site.index()]
                );
            }
        }
    }

    fn bases_of(&mut self, state: &State<M>, pointer: Operand) -> Vec<BaseId> {
        match self.get(state, pointer) {
            Value::Ptr { base, .. } => vec![base],
            Value::Term(term) => self.terms.cases(term).iter().filter_map(|case| case.base).collect(),
            _ => Vec::new(),
        }
    }
}
