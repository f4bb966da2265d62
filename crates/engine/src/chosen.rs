//! Where the program went wrong when an unwritten value matters only later.
//!
//! A branch that the compiler turned into a choice between two values (`select`) decides nothing by itself: if its
//! condition depends on unwritten bytes, so does its result, and the error shows where that is used. The report names
//! the branch. The exit code is the last possible use of a value.

use crate::options::Uninit;
use crate::state::{Frame, State};
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Inst, OperandKind};
use mneme_term::{SymbolId, SymbolKind, TermId, Value};
use std::rc::Rc;

/// The first choice by a condition that depends on this symbol.
#[derive(Clone)]
pub struct Chosen {
    symbol: SymbolId,
    pub frames: Vec<Rc<Frame>>,
}

/// What several paths recorded: the first for each symbol.
pub(crate) fn merge<'a>(lists: impl Iterator<Item = &'a Rc<Vec<Chosen>>>) -> Rc<Vec<Chosen>> {
    let mut merged: Rc<Vec<Chosen>> = Rc::default();
    for list in lists {
        if merged.is_empty() {
            merged = list.clone();
        } else if !Rc::ptr_eq(&merged, list) {
            for chosen in list.iter() {
                if merged.iter().all(|known| known.symbol != chosen.symbol) {
                    Rc::make_mut(&mut merged).push(chosen.clone());
                }
            }
        }
    }
    merged
}

impl<M: Model> Worker<'_, M> {
    /// Does this depend on unwritten bytes, as far as can be seen, and is that an error?
    pub(crate) fn may_be_undefined(&self, term: TermId) -> bool {
        self.options.uninit == Uninit::Fault && self.terms.has_uninit(term)
    }

    /// Remembers where a condition that depends on unwritten bytes chose between two values.
    pub(crate) fn remember_choice(&mut self, state: &mut State<M>, condition: TermId) {
        if !self.may_be_undefined(condition) {
            return;
        }
        for &symbol in self.terms.symbols(condition) {
            let new = state.notes.chosen.iter().all(|chosen| chosen.symbol != symbol);
            if new && matches!(self.terms.symbol_info(symbol).kind, SymbolKind::Uninit(_)) {
                let frames = state.frames.clone();
                Rc::make_mut(&mut state.notes.chosen).push(Chosen { symbol, frames });
            }
        }
    }

    /// If `term` must not depend on unwritten bytes but does: the state as it was where the program went wrong.
    pub(crate) fn at_choice(&self, state: &State<M>, term: TermId) -> Option<State<M>> {
        let symbols = self.terms.symbols(term);
        let chosen = state
            .notes
            .chosen
            .iter()
            .find(|chosen| symbols.contains(&chosen.symbol))?;
        Some(State {
            frames: chosen.frames.clone(),
            ..state.clone()
        })
    }

    /// The exit code is output: the parent process sees its low byte.
    pub(crate) fn check_exit_code(&mut self, state: &mut State<M>, code: Value) -> Option<Flow> {
        let Value::Term(term) = code else { return None };
        if !self.may_be_undefined(term) {
            return None;
        }
        let width = self.terms.width(term).min(8);
        let byte = self.terms.extract(term, 0, width);
        // The returning instruction is at the closing brace; the value comes from the `return` before it.
        let pc = state.frame().pc;
        if let Some(given) = self.given_at(state.frame(), code) {
            state.frame_mut().pc = given;
        }
        let flow = self.check_defined(state, byte);
        state.frame_mut().pc = pc;
        flow
    }

    /// Where the frame's function stored the value that it is about to return.
    fn given_at(&self, frame: &Frame, value: Value) -> Option<u32> {
        let function = self.program.function(frame.function);
        if !matches!(function.code.get(frame.pc as usize), Some(Inst::Return { .. })) {
            return None;
        }
        let gives = |inst: &Inst| match *inst {
            Inst::SlotStore {
                slot, value: stored, ..
            } => {
                let OperandKind::Slot(from) = stored.kind() else {
                    return false;
                };
                frame.slots[from as usize] == value && frame.slots[slot as usize] == value
            }
            _ => false,
        };
        let found = function.code.iter().rposition(gives);
        found.map(|pc| pc as u32)
    }
}
