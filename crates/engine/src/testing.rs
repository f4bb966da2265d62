//! For benchmarks: a run without output, and one that is paused to measure what a fork costs.

use crate::observer::Silent;
use crate::state::State;
use crate::worker::{Flow, Worker};
use crate::{EngineError, Options, Stats};
use mneme_memory::Model;
use mneme_program::{Callee, Inst, Program};
use mneme_solver::Solver;
use mneme_term::{BaseId, BaseKind, Value};

/// A state in front of a call.
pub struct Paused<M: Model> {
    state: State<M>,
    heap: Vec<BaseId>,
}

/// Explores a program without reporting anything.
pub fn run_silently<M: Model>(
    program: &Program,
    options: &Options,
    solver: Box<dyn Solver>,
) -> Result<Stats, EngineError> {
    crate::explore::<M>(program, options, &M::Options::default(), solver, &mut Silent)
}

impl<M: Model> Paused<M> {
    /// Runs the only path of a program up to the first call of the function `name`; `None` if it does not get there.
    pub fn before(
        program: &Program,
        options: &Options,
        solver: Box<dyn Solver>,
        name: &str,
    ) -> Result<Option<Self>, EngineError> {
        let mut observer = Silent;
        let (mut worker, mut state) =
            Worker::<M>::new(program, options, &M::Options::default(), solver, &mut observer)?;
        let there = |state: &State<M>| {
            let frame = state.frame();
            let function = program.function(frame.function);
            match function.code[frame.pc as usize] {
                Inst::Call { call } => {
                    matches!(function.calls[call.index()].callee, Callee::Direct(id) if program.function(id).name == name)
                }
                _ => false,
            }
        };
        loop {
            if state.frames.is_empty() {
                if worker.next_pending(&mut state) == Flow::End {
                    return Ok(None);
                }
            } else if there(&state) {
                let heap = state.memory.alive(BaseKind::Heap);
                return Ok(Some(Paused { state, heap }));
            } else if worker.step(&mut state) != Flow::On {
                return Ok(None);
            }
        }
    }

    pub fn objects(&self) -> usize {
        self.heap.len()
    }

    pub fn frames(&self) -> usize {
        self.state.frames.len()
    }

    /// A fork that has run a little: it wrote a register and a byte of one of its objects.
    pub fn fork(&self, nth: usize) -> impl Sized + use<M> {
        let mut other = self.state.clone();
        other.advance();
        let base = self.heap[nth % self.heap.len()];
        let stored = other.memory.fast_store(base, 0, 1, Value::Int(1));
        assert!(stored, "the object is alive and concrete");
        other
    }
}
