//! Where merging is expected to pay (`--merge auto`).
//!
//! One state instead of several saves all the work of the others, but adds a choice to every query that depends on what
//! they differ in. It surely pays where nothing costly depends on that. A slot is *hot* where its value is used for an
//! address, an index, a length or a size, or decides how long a loop runs (`Uses`; *query count estimation* of
//! Kuznetsov et al.): states are merged if they agree on hot slots, on pointers in memory, and on numbers in memory
//! that are as wide as some that are hot where they are read. Other differences become choices.
//!
//! States wait for each other only in loops that should soon be over: innermost loops that call nothing that loops (as
//! in the thesis, §5.3), and only until too many have waited there on the path. The decision depends on the program and
//! the path alone.

use super::join::Arrived;
use crate::state::{Frame, Results, State};
use crate::worker::Worker;
use mneme_memory::Model;
use mneme_program::{Callee, FunctionId, Inst, UseMap, Uses};
use mneme_term::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Which of the states that leave a region by one exit are merged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Mergeable {
    /// As many as possible.
    All,
    /// Those that differ in nothing hot.
    Cold,
    /// Those that differ in nothing.
    Same,
}

/// What is known about the program.
#[derive(Default)]
pub struct Expectations {
    uses: UseMap,
    /// Loops examined so far, and whether they are short.
    short: FxHashMap<(FunctionId, u32), bool>,
}

impl<M: Model> Worker<'_, M> {
    /// Is it worthwhile to wait for the states of a loop?
    pub(super) fn is_promising(&mut self, state: &State<M>, function: FunctionId, number: u32) -> bool {
        if state.merge.crowded.contains(&(function, number)) {
            return false;
        }
        if let Some(&known) = self.merging.expectations.short.get(&(function, number)) {
            return known;
        }
        let short = self.is_short(function, number);
        self.merging.expectations.short.insert((function, number), short);
        short
    }

    /// Is there no other loop in it, nor in what it calls?
    fn is_short(&self, id: FunctionId, number: u32) -> bool {
        let loops = self.image.loops(self.program, id);
        if loops.is_outer(number) {
            return false;
        }
        let function = self.program.function(id);
        let mut open = Vec::new();
        for block in &loops.get(number).blocks {
            let block = &function.blocks[block.0 as usize];
            for inst in &function.code[block.start as usize..block.end as usize] {
                if let Inst::Call { call } = inst {
                    open.push(&function.calls[call.index()].callee);
                }
            }
        }
        let mut called = FxHashSet::default();
        while let Some(callee) = open.pop() {
            let &Callee::Direct(callee) = callee else {
                return false;
            };
            if !called.insert(callee) {
                continue;
            }
            let inner = self.program.function(callee);
            if callee == id || !self.image.loops(self.program, callee).all().is_empty() {
                return false;
            }
            open.extend(inner.calls.iter().map(|call| &call.callee));
        }
        !self.calls_itself(&called)
    }

    /// Does one of these functions, which call no others, call itself, directly or indirectly?
    fn calls_itself(&self, all: &FxHashSet<FunctionId>) -> bool {
        let mut left = all.clone();
        loop {
            let calls_none = |&id: &FunctionId| {
                let calls = &self.program.function(id).calls;
                !calls
                    .iter()
                    .any(|call| matches!(call.callee, Callee::Direct(callee) if left.contains(&callee)))
            };
            let done: Vec<FunctionId> = left.iter().copied().filter(calls_none).collect();
            if done.is_empty() {
                return !left.is_empty();
            }
            done.iter().for_each(|id| _ = left.remove(id));
        }
    }

    /// The width in bytes of the widest number that is hot where the program reads it from memory.
    pub(super) fn widest_hot(&mut self) -> u32 {
        let hot = self.merging.expectations.uses.hot_in_memory(self.program);
        hot.last().copied().unwrap_or(0)
    }

    /// Splits a group into states that agree on everything hot.
    pub(super) fn alike_where_hot(&mut self, group: Vec<Arrived<M>>) -> Vec<Vec<Arrived<M>>> {
        let Some(first) = group.first() else {
            return Vec::new();
        };
        let uses = self.uses_at(&first.state.frames);
        let widest = self.widest_hot();
        let mut known: FxHashMap<Vec<Value>, usize> = FxHashMap::default();
        let mut out: Vec<Vec<Arrived<M>>> = Vec::new();
        for arrived in group {
            let key = self.hot_values(&uses, widest, &arrived.state.frames);
            let index = *known.entry(key).or_insert(out.len());
            match out.get_mut(index) {
                Some(group) => group.push(arrived),
                None => out.push(vec![arrived]),
            }
        }
        out
    }

    /// What is stored to memory is judged there by its width (`Join::widest_hot`), and likewise here.
    fn hot_values(&self, uses: &[Vec<Uses>], widest: u32, frames: &[Rc<Frame>]) -> Vec<Value> {
        let mut out = Vec::new();
        for (uses, frame) in uses.iter().zip(frames) {
            for (&used, &value) in uses.iter().zip(&frame.slots) {
                if used.any_of(Uses::HOT) {
                    out.push(value);
                } else if used.any_of(Uses::STORED) {
                    let hot = self.is_pointer(value) || widest > 1 && !self.is_byte(value);
                    out.push(if hot { value } else { Value::Undef });
                }
            }
        }
        out
    }

    fn is_byte(&self, value: Value) -> bool {
        matches!(value, Value::Term(term) if self.terms.width(term) <= 8)
    }

    fn is_pointer(&self, value: Value) -> bool {
        match value {
            Value::Ptr { .. } => true,
            Value::Term(term) => self.terms.has_base(term),
            Value::Int(_) | Value::Undef => false,
        }
    }

    /// What the slots of every frame are used for from here on.
    fn uses_at(&mut self, frames: &[Rc<Frame>]) -> Vec<Vec<Uses>> {
        let program = self.program;
        let map = &mut self.merging.expectations.uses;
        let mut out = Vec::with_capacity(frames.len());
        // What the result of `main` is used for.
        let mut returned = Uses::NONE;
        for (level, frame) in frames.iter().enumerate() {
            let top = level + 1 == frames.len();
            let mut uses = match top {
                true => map.before(program, frame.function, frame.pc),
                false => map.after(program, frame.function, frame.pc),
            };
            for used in &mut uses {
                if used.any_of(Uses::RETURNED) {
                    *used = used.without(Uses::RETURNED).and(returned);
                }
            }
            if let Some(next) = frames.get(level + 1) {
                let function = program.function(frame.function);
                returned = match (next.results, function.code[frame.pc as usize]) {
                    (Results::Slots(dst), Inst::Call { call }) => {
                        let count = function.calls[call.index()].results.len();
                        let results = &mut uses[dst as usize..dst as usize + count];
                        // Not reached yet.
                        results
                            .iter_mut()
                            .fold(Uses::NONE, |all, used| all.and(std::mem::take(used)))
                    }
                    _ => Uses::PLACE,
                };
            }
            out.push(uses);
        }
        out
    }
}
