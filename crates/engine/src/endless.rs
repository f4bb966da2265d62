//! Endless loops: a state that comes back exactly as it was does so for ever.
//!
//! Now and then a state that has run for long is watched: whether a loop begins a round with the calls and variables
//! that it began an earlier one with, which costs little. If it does, the next round is examined, instruction by
//! instruction: there must be no decision, no new input, output or object, and no store that changes memory. Then
//! nothing else can differ, and the path never ends. Loops with longer rounds, or that change memory and change it back,
//! are not seen.

use crate::fault::Error;
use crate::merge::Watch;
use crate::options::Loops;
use crate::state::{Frame, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason};
use mneme_program::{Callee, Function, Inst, Operand, OperandKind};
use mneme_term::{BaseId, Value};
use std::rc::Rc;

/// The longest round of a loop that is noticed, in instructions.
const LONGEST_ROUND: u64 = 1 << 14;
/// Watching may begin in a call of the loop, whose rest counts; then one round leads to where the loop begins, and the
/// next one back there.
const MOST_ROUNDS: u64 = 3;
/// How often variables are compared, for each slice that the path has run: watching takes a small share of the time.
const VISITS: u64 = 64;

impl<M: Model> Worker<'_, M> {
    /// Ends a path that never ends by itself.
    pub(crate) fn endless(&mut self, state: &State<M>) -> Flow {
        if self.options.check_termination {
            return self.fail(state, Error::Endless);
        }
        self.abandon(state, &Reason::Endless);
        Flow::End
    }

    /// Watches a state for one round, if it is time: after 1, 2, 4 … slices. `None`: it goes on as usual.
    pub(crate) fn watch_for_return(&mut self, state: &mut State<M>, slice: u64) -> Option<Flow> {
        let slices = state.path.steps / slice;
        let repeats = state.path.guide.is_some() || self.is_silent();
        let other_ways = self.options.loops == Loops::Compact || self.points_to.is_some();
        if !slices.is_power_of_two() || repeats || other_ways || state.merge.member.is_some() {
            return None;
        }
        match self.comes_back(state, slices) {
            Ok(true) => self.follow_round(state),
            Ok(false) => None,
            Err(flow) => Some(flow),
        }
    }

    /// Runs until a loop begins a round as it began an earlier one: `true`; or for long, or until a decision.
    fn comes_back(&mut self, state: &mut State<M>, slices: u64) -> Result<bool, Flow> {
        let decided = decisions(state);
        let mut visits = VISITS.saturating_mul(slices);
        let mut left = MOST_ROUNDS * LONGEST_ROUND;
        // The depth of the frame whose loops are watched, and where these begin.
        let (mut depth, mut inside) = (0, Vec::new());
        let mut before = Vec::new();
        while left > 0 && !state.frames.is_empty() && decisions(state) == decided {
            if depth == 0 || state.frames.len() < depth {
                depth = state.frames.len();
                inside = between_heads(self.program.function(state.frame().function));
                before.clear();
            }
            let budget = self.instruction_budget(left);
            if budget == 0 {
                return Ok(false);
            }
            let watch = Watch { depth, inside: &inside };
            let done = self.run_fast_within(state, budget, Some(watch));
            state.path.steps += done.instructions;
            self.count_fast(&done, None);
            left -= done.instructions;
            let at_head = |state: &State<M>| watch.is_left(state.frames.len(), state.frame().pc as usize);
            if done.instructions == 0 || done.instructions < budget && !at_head(state) {
                if let Some(flow) = self.one_step(state) {
                    return Err(flow);
                }
                left = left.saturating_sub(1);
            }
            if state.frames.is_empty() || !at_head(state) {
                continue;
            }
            if before.is_empty() {
                before = state.frames.clone();
                inside.fill(true);
                inside[state.frame().pc as usize] = false;
            } else if same_calls(&before, &state.frames) {
                return Ok(true);
            }
            visits -= 1;
            if visits == 0 {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Executes one round of a loop and ends the path if that changes nothing.
    fn follow_round(&mut self, state: &mut State<M>) -> Option<Flow> {
        let before = state.frames.clone();
        let decided = decisions(state);
        let mut head = position(state);
        let mut came_back = false;
        for _ in 0..2 * LONGEST_ROUND {
            if self.instruction_budget(1) == 0 || !self.is_repeatable(state) {
                return None;
            }
            let stored = self.about_to_store(state);
            if let Some(flow) = self.one_step(state) {
                return Some(flow);
            }
            if let Some((base, offset, bytes, old)) = stored
                && state.memory.fast_load(base, offset, bytes) != Some(old)
            {
                return None;
            }
            if state.frames.is_empty() || decisions(state) != decided {
                return None;
            }
            head = head.min(position(state));
            came_back |= same_calls(&before, &state.frames);
            if came_back && position(state) == head {
                return Some(self.endless(state));
            }
        }
        None
    }

    /// One instruction, counted as usual.
    fn one_step(&mut self, state: &mut State<M>) -> Option<Flow> {
        let done = self.run_fast(state, 1);
        state.path.steps += 1;
        if done.instructions > 0 {
            self.count_fast(&done, None);
            return None;
        }
        self.count(1, None);
        self.stats.slow_steps += 1;
        let flow = self.step(state);
        if self.cut {
            state.path.steps -= 1;
            self.stats.instructions -= 1;
            return Some(Flow::End);
        }
        (flow != Flow::On).then_some(flow)
    }

    /// Whether the next instruction changes only variables and calls, or memory by a plain store.
    fn is_repeatable(&self, state: &State<M>) -> bool {
        let frame = state.frame();
        let function = self.program.function(frame.function);
        match function.code[frame.pc as usize] {
            Inst::Call { call } => match function.calls[call.index()].callee {
                Callee::Direct(id) => {
                    let callee = self.program.function(id);
                    self.image.shortcuts[id.index()].is_none() && !callee.is_declaration() && !callee.runtime
                }
                Callee::Indirect(_) => false,
            },
            Inst::Return { .. } => frame.locals.is_empty(),
            Inst::Store { .. } => self.about_to_store(state).is_some(),
            Inst::Alloca { .. }
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave { .. }
            | Inst::StackRestore { .. }
            | Inst::ByvalCopy { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. }
            | Inst::Intrinsic { .. }
            | Inst::Unsupported { .. } => false,
            _ => true,
        }
    }

    /// Where the next instruction stores, and what is there.
    fn about_to_store(&self, state: &State<M>) -> Option<(BaseId, u64, u32, Value)> {
        let frame = state.frame();
        let Inst::Store { ty, ptr, .. } = self.program.function(frame.function).code[frame.pc as usize] else {
            return None;
        };
        let Value::Ptr { base, offset } = self.operand(frame, ptr) else {
            return None;
        };
        let old = state.memory.fast_load(base, offset, ty.bytes())?;
        Some((base, offset, ty.bytes(), old))
    }

    fn operand(&self, frame: &Frame, operand: Operand) -> Value {
        match operand.kind() {
            OperandKind::Slot(slot) => frame.slots[slot as usize],
            OperandKind::Constant(index) => self.image.constants[frame.function.index()][index as usize],
        }
    }
}

/// What has been decided and named on the path.
fn decisions<M: Model>(state: &State<M>) -> (usize, usize, u32) {
    let clauses = state.path.condition.clauses().len();
    (state.path.trail.len(), clauses, state.unnamed)
}

/// Where a function may run before a loop begins a round: everywhere but at the targets of jumps that lead back.
fn between_heads(function: &Function) -> Vec<bool> {
    let mut inside = vec![true; function.code.len()];
    for block in &function.blocks {
        for successor in &block.successors {
            let start = function.blocks[successor.0 as usize].start;
            inside[start as usize] &= start > block.start;
        }
    }
    inside
}

/// How many calls are active, and where the last one is: a loop begins where this is least.
fn position<M: Model>(state: &State<M>) -> (usize, u32) {
    (state.frames.len(), state.frame().pc)
}

/// Whether the same calls are active, at the same places and with the same variables.
fn same_calls(before: &[Rc<Frame>], now: &[Rc<Frame>]) -> bool {
    let same = |a: &Frame, b: &Frame| {
        a.function == b.function
            && a.pc == b.pc
            && a.slots == b.slots
            && a.locals == b.locals
            && a.stack == b.stack
            && a.variadic().is_empty()
            && a.marks().len() == b.marks().len()
    };
    before.len() == now.len()
        && before
            .iter()
            .zip(now)
            .rev()
            .all(|(a, b)| Rc::ptr_eq(a, b) || same(a, b))
}
