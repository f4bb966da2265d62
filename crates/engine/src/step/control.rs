//! Jumps, branches, switches, returns.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fast;
use crate::state::{Frame, Results, State};
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason};
use mneme_program::{Call, EdgeId, Inst, Operand, Program, Switch};
use mneme_term::{TermId, Value};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    pub(crate) fn take(&mut self, state: &mut State<M>, edge: EdgeId) {
        let id = state.frame().function;
        let function = self.program.function(id);
        let constants = &self.image.constants[id.index()];
        let frame = state.frame_mut();
        let pc = fast::take_edge(function, constants, &mut frame.slots, edge);
        frame.pc = pc as u32;
        let (edge, block) = (function.first_edge + edge.0, function.first_inst + pc as u32);
        if !self.is_trial() && self.coverage.take(edge, block) {
            state.path.reach_new(state.path.steps);
        }
    }

    pub(super) fn branch(&mut self, state: &mut State<M>, cond: Value, yes: EdgeId, no: EdgeId) -> Flow {
        let cond = match cond {
            Value::Int(n) => {
                self.take(state, if n != 0 { yes } else { no });
                return Flow::On;
            }
            _ => self.term(cond, 1),
        };
        let negation = self.terms.not(cond);
        self.jump(state, cond, &[(cond, yes), (negation, no)])
    }

    /// Follows every edge whose guard is feasible. `deciding` is what the choice depends on.
    fn jump(&mut self, state: &mut State<M>, deciding: TermId, edges: &[(TermId, EdgeId)]) -> Flow {
        if let Some(flow) = self.check_defined(state, deciding) {
            return flow;
        }
        // What leaves a merging context is one fork deeper than its beginning.
        let limited = state.merge.member.is_none();
        if limited && self.options.max_depth.is_some_and(|most| state.path.depth >= most) {
            // The branch is not taken yet: the run that continues here counts it.
            self.stats.instructions -= u64::from(state.path.guide.is_none());
            self.park(state, state.path.steps - 1, "depth");
            return Flow::End;
        }
        if let Some(flow) = self.compact_at_branch(state) {
            return flow;
        }
        if self.is_round_too_many(state) {
            return self.widen_loop(state).unwrap_or_else(|| {
                self.abandon(state, &Reason::Limit("rounds of a loop"));
                Flow::End
            });
        }
        let leaving = self.watchable(state);
        // The index of an outcome is its position among all, whatever is known about their guards.
        let possible = |guard: TermId| !self.terms.is_false(guard);
        let several = edges.iter().filter(|&&(guard, _)| possible(guard)).count() > 1;
        let mut outcomes: Outcomes<M> = Outcomes::new();
        for &(guard, edge) in edges {
            if several || possible(guard) {
                outcomes.push(Outcome::new(guard, Ending::Go(Then::Take(edge))));
            }
        }
        self.watch(leaving, state);
        self.commit_branch(state, outcomes, Some(deciding))
    }

    /// Counts how often this call comes to the branch, if that is in a loop of the program's own.
    fn is_round_too_many(&mut self, state: &mut State<M>) -> bool {
        let Some(most) = self.options.loop_rounds else {
            return false;
        };
        let frame = state.frame();
        let function = self.program.function(frame.function);
        let block = function.block_of(frame.pc);
        let in_loop = || {
            self.image
                .loops(self.program, frame.function)
                .innermost(block)
                .is_some()
        };
        if function.runtime || self.is_trial() || !in_loop() {
            return false;
        }
        let (pc, rounds) = (frame.pc, &mut state.frame_mut().rare_mut().rounds);
        let known = rounds.iter_mut().find(|(branch, _)| *branch == pc);
        match known {
            Some((_, count)) => *count += 1,
            None => rounds.push((pc, 1)),
        }
        rounds.iter().any(|&(branch, count)| branch == pc && count > most)
    }

    /// A state has reached the beginning of a block.
    pub(crate) fn reach_block(&mut self, state: &mut State<M>) {
        let frame = state.frame();
        let block = self.program.function(frame.function).first_inst + frame.pc;
        if !self.is_trial() && self.coverage.reach(block) {
            state.path.reach_new(state.path.steps);
        }
    }

    pub(super) fn step_switch(&mut self, state: &mut State<M>, switch: &Switch) -> Flow {
        let width = switch.width as u32;
        let value = self.get(state, switch.value);
        let value = self.bits(state, value);
        if let Value::Int(n) = value {
            let case = switch.cases.binary_search_by_key(&n, |&(value, _)| value);
            let edge = case.map_or(switch.default, |index| switch.cases[index].1);
            self.take(state, edge);
            return Flow::On;
        }
        let term = self.term(value, width);
        let function = self.program.function(state.frame().function);
        // Cases that lead to the same block with the same moves are one outcome.
        let mut ways: Vec<(TermId, EdgeId)> = Vec::new();
        let mut any = self.terms.fls();
        let edges = &function.edges;
        let same = |a: EdgeId, b: EdgeId| {
            let (a, b) = (&edges[a.index()], &edges[b.index()]);
            a.pc == b.pc && a.moves == b.moves
        };
        let mut default = self.terms.fls();
        for &(case, edge) in &switch.cases {
            let case = self.terms.constant(width, case);
            let equal = self.terms.eq(term, case);
            any = self.terms.or(any, equal);
            if same(edge, switch.default) {
                default = self.terms.or(default, equal);
                continue;
            }
            match ways.iter_mut().find(|(_, way)| same(*way, edge)) {
                Some((guard, _)) => *guard = self.terms.or(*guard, equal),
                None => ways.push((equal, edge)),
            }
        }
        let none = self.terms.not(any);
        let default = self.terms.or(default, none);
        ways.push((default, switch.default));
        self.jump(state, term, &ways)
    }

    pub(super) fn step_return(&mut self, state: &mut State<M>, operands: &[Operand]) -> Flow {
        let results: Vec<Value> = operands.iter().map(|&operand| self.get(state, operand)).collect();
        if state.frames.len() == 1
            && Some(state.frame().function) == self.program.main
            && let Some(&code) = results.first()
            && let Some(flow) = self.check_exit_code(state, code)
        {
            return flow;
        }
        if self.options.check_leaks {
            self.leaks_at_return(state, &results);
        }
        if self.options.check_escapes {
            self.escapes_at_return(state, &results);
        }
        let frame = state.frames.pop().expect("a running state has a frame");
        state.bury(&frame);
        if state.frames.is_empty() {
            if Some(frame.function) == self.program.main {
                state.exit_code = results.first().copied().unwrap_or(Value::ZERO);
            }
            if self.options.on_demand.is_some() {
                state.demand.returned(results);
            }
            return Flow::On;
        }
        let (dst, results) = match frame.results {
            Results::Slots(dst) => (dst, results),
            Results::Served(served) => (served.dst, self.served_result(served, results)),
            Results::Heard(_) => return Flow::On,
            Results::Converted => {
                let call = calling(self.program, state.frame());
                (call.dst, self.converted(state, call, frame.function, &results))
            }
        };
        let dst = dst as usize;
        let caller = Rc::make_mut(state.frames.last_mut().expect("not empty"));
        caller.slots[dst..dst + results.len()].copy_from_slice(&results);
        caller.pc += 1;
        Flow::On
    }
}

/// The call that a frame is at.
pub(crate) fn call_at<'p>(program: &'p Program, frame: &Frame) -> Option<&'p Call> {
    let function = program.function(frame.function);
    match function.code[frame.pc as usize] {
        Inst::Call { call } => Some(&function.calls[call.index()]),
        _ => None,
    }
}

/// The call that a frame waits for.
pub(crate) fn calling<'p>(program: &'p Program, frame: &Frame) -> &'p Call {
    call_at(program, frame).expect("a function was called here")
}
