//! Pointers that a path has decided about: what such a term means is known, and need not be asked again.
//!
//! A pointer made on demand is a term with many cases. Once the path admits only one of them, every later access and
//! comparison through it takes the pointer itself, so that going along a list costs no more than if a program had made
//! it.

use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Truth};
use mneme_program::{Operand, OperandKind};
use mneme_term::{Case, TermId, Tracer, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What pointers are, each under the condition of the path.
#[derive(Clone, Default)]
pub(crate) struct Decided(Rc<FxHashMap<TermId, Value>>);

/// The most cases of a pointer to objects that are all there, of which each is asked for.
const MOST_CASES: usize = 16;

impl Decided {
    /// What holds in all of several states.
    pub(crate) fn merge(all: &[&Decided]) -> Decided {
        let [first, others @ ..] = all else {
            return Decided::default();
        };
        if others.iter().all(|other| Rc::ptr_eq(&other.0, &first.0)) {
            return (*first).clone();
        }
        let agree = |term: &TermId, value: &Value| others.iter().all(|other| other.0.get(term) == Some(value));
        let kept = first.0.iter().filter(|(term, value)| agree(term, value));
        Decided(Rc::new(kept.map(|(&term, &value)| (term, value)).collect()))
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer) {
        for (&term, &value) in self.0.iter() {
            tracer.term(term);
            tracer.value(value);
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// Operands that the path has decided about become what they mean.
    pub(super) fn use_decided(&mut self, state: &mut State<M>, operands: &[Operand]) {
        if state.decided.0.is_empty() {
            return;
        }
        for &operand in operands {
            if let (OperandKind::Slot(slot), Value::Term(term)) = (operand.kind(), self.get(state, operand))
                && let Some(&value) = state.decided.0.get(&term)
            {
                state.set(slot, value);
            }
        }
    }

    /// Remembers the one case of a pointer that is possible on the path.
    pub(super) fn remember(&mut self, state: &mut State<M>, pointer: TermId, case: &Case) {
        let term = match case.base {
            Some(base) => self.terms.pointer(base, case.offset),
            None => case.offset,
        };
        let value = self.terms.to_value(term);
        Rc::make_mut(&mut state.decided.0).insert(pointer, value);
    }

    /// A pointer to objects that are all there: only one of them may be possible by now.
    pub(super) fn decide(&mut self, state: &mut State<M>, pointer: TermId, cases: &[Case]) -> Result<(), Flow> {
        let mut possible = None;
        if cases.len() > MOST_CASES {
            return Ok(());
        }
        for case in cases {
            match self.may(state, case.guard) {
                Truth::Never => {}
                Truth::Sometimes(_) if possible.is_none() => possible = Some(case),
                Truth::Sometimes(_) => return Ok(()),
                Truth::Unknown(why) => return Err(self.unanswered(state, why)),
            }
        }
        if let Some(case) = possible {
            self.remember(state, pointer, case);
        }
        Ok(())
    }
}
