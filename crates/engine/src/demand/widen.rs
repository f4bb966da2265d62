//! Loops of more rounds than the run goes.
//!
//! A function that is run alone is not to be lost in its loops: after some rounds the state at the head of the loop is
//! *widened*, so that it stands for the states of all later rounds. Numbers that the loop changes become anything,
//! pointers anything inside or around the object that they refer to, and what the loop writes holds anything. From there
//! one more round is made, and the loop is left; an error that depends on what was widened is not reported, since its
//! inputs may not exist.

use super::unknown::Missing;
use crate::options::UnknownCalls;
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Callee, Function, Inst, Liveness, Loop, Operand, Slot, width_before};
use mneme_term::{BaseId, Sort, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// The state is at a branch of a loop that has decided all its rounds: it goes on at the head, for all later ones, or
    /// ends if it has done so before. `None`: loops are not widened in this run.
    pub(crate) fn widen_loop(&mut self, state: &mut State<M>) -> Option<Flow> {
        let most = self.options.loop_rounds?;
        if self.options.unknown_calls != UnknownCalls::Havoc || self.options.on_demand.is_none() {
            return None;
        }
        let (id, pc) = (state.frame().function, state.frame().pc);
        let function = self.program.function(id);
        let loops = self.image.loops(self.program, id);
        let index = loops.innermost(function.block_of(pc))?;
        let this = loops.get(index).clone();
        if state.frame().widened().contains(&this.header) {
            self.stats.paths.excluded += 1;
            return Some(Flow::End);
        }
        self.begin_unknown(state, "the loop", Missing::Rounds);
        if let Err(flow) = self.widen_memory(state, function, &this) {
            return Some(flow);
        }
        self.widen_slots(state, function, &this);
        *self
            .stats
            .approximated
            .entry("loops of more rounds do anything")
            .or_default() += 1;
        let rare = state.frame_mut().rare_mut();
        rare.widened.retain(|&header| !this.contains(header));
        rare.widened.push(this.header);
        // Its own branches decide one more round, those of inner loops as many as ever.
        let own = |branch: u32| loops.innermost(function.block_of(branch)) == Some(index);
        rare.rounds
            .retain(|&(branch, _)| own(branch) || !this.contains(function.block_of(branch)));
        let of_loop = rare.rounds.iter_mut().filter(|(branch, _)| own(*branch));
        of_loop.for_each(|(_, count)| *count = most - 1);
        state.frame_mut().pc = function.blocks[this.header.0 as usize].start;
        Some(Flow::On)
    }

    /// The variables that the loop changes and that are read from its head on.
    fn widen_slots(&mut self, state: &mut State<M>, function: &Function, this: &Loop) {
        let mut written = FxHashSet::default();
        for inst in instructions(function, this) {
            inst.for_each_def(function, &mut |slot| _ = written.insert(slot));
            for edge in inst.edges(function) {
                written.extend(function.edges[edge.index()].moves.iter().map(|&(slot, _)| slot));
            }
        }
        let id = state.frame().function;
        let liveness = self.liveness.entry(id).or_insert_with(|| Liveness::of(function));
        let live = liveness.entering(this.header).to_vec();
        let start = function.blocks[this.header.0 as usize].start;
        let changed = (0..function.slots).filter(|slot| live[*slot as usize] && written.contains(slot));
        for slot in changed.collect::<Vec<Slot>>() {
            let old = state.frame().slots[slot as usize];
            if let Some(new) = self.any_like(state, function, start, slot, old) {
                state.frame_mut().slots[slot as usize] = new;
            }
        }
    }

    /// Any value that a variable may have in a later round; `None`: it stays as it is.
    fn any_like(
        &mut self,
        state: &mut State<M>,
        function: &Function,
        start: u32,
        slot: Slot,
        old: Value,
    ) -> Option<Value> {
        let pointer = self.pointer_width();
        let mut bases = Vec::new();
        crate::leaks::bases_of(&self.terms, old, &mut bases);
        bases.sort_unstable();
        bases.dedup();
        match (old, &bases[..]) {
            (Value::Undef, _) => None,
            (_, &[base]) if !matches!(old, Value::Term(term) if self.terms.width(term) != pointer) => {
                let offset = self.unknown_number(state, pointer);
                let base = self.terms.base(base);
                let moved = self.terms.add(base, offset);
                Some(self.terms.to_value(moved))
            }
            (_, &[]) => {
                let width = match old {
                    Value::Term(term) => self.terms.width(term),
                    _ => width_before(function, pointer, start, slot)?,
                };
                // A null pointer, or a number that did not change so far.
                if width > 64 || width == pointer && old == Value::ZERO {
                    return None;
                }
                let number = self.unknown_number(state, width);
                Some(self.terms.to_value(number))
            }
            // One of several objects.
            _ => None,
        }
    }

    fn unknown_number(&mut self, state: &mut State<M>, width: u32) -> mneme_term::TermId {
        let symbol = self.unknown_symbol(state, "", Sort::Bits(width));
        self.terms.symbol(symbol)
    }

    /// What the loop writes, as far as its last round shows where.
    fn widen_memory(&mut self, state: &mut State<M>, function: &Function, this: &Loop) -> Result<(), Flow> {
        let program = self.program;
        let mut written: Vec<BaseId> = Vec::new();
        for inst in instructions(function, this) {
            let at = match *inst {
                Inst::Store { ptr, .. } => ptr,
                Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } => dst,
                Inst::Call { call } => {
                    let call = &function.calls[call.index()];
                    let callee = match call.callee {
                        Callee::Direct(callee) => Some(callee),
                        Callee::Indirect(_) => None,
                    };
                    if callee.is_none_or(|callee| !self.writes_nothing(callee)) {
                        let args: Vec<Value> = call.args.iter().map(|arg| self.get(state, arg.value)).collect();
                        let callee = callee.map(|callee| program.function(callee));
                        self.let_write(state, callee, &args)?;
                    }
                    continue;
                }
                _ => continue,
            };
            self.add_bases(state, at, &mut written);
        }
        written.sort_unstable();
        written.dedup();
        for base in written {
            let constant = state.memory.header(base).is_none_or(|header| header.constant);
            if constant || !state.memory.is_alive(base) || self.image.functions.contains_key(&base) {
                continue;
            }
            // What it refers to now may be found in it by later rounds.
            let inside = state.memory.references(&mut self.terms, base);
            Rc::make_mut(&mut state.leaks.reported).extend(inside);
            self.forget(state, base)?;
        }
        Ok(())
    }

    fn add_bases(&mut self, state: &State<M>, pointer: Operand, out: &mut Vec<BaseId>) {
        let pointer = self.get(state, pointer);
        crate::leaks::bases_of(&self.terms, pointer, out);
    }
}

fn instructions<'a>(function: &'a Function, this: &'a Loop) -> impl Iterator<Item = &'a Inst> {
    let code = |block: &mneme_program::BlockId| {
        let block = &function.blocks[block.0 as usize];
        &function.code[block.start as usize..block.end as usize]
    };
    this.blocks.iter().flat_map(code)
}
