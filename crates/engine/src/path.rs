//! The path of a state: which way it came, and which inputs lead along it.

use crate::frontier::Guide;
use crate::inputs::Inputs;
use crate::seeds::Seeds;
use crate::trail::Trail;
use mneme_solver::PathCondition;
use mneme_term::Tracer;
use std::rc::Rc;

#[derive(Clone, Default)]
pub struct Path {
    /// What holds for all inputs that lead here.
    pub condition: PathCondition,
    pub inputs: Rc<Inputs>,
    /// Forks from the root to here.
    pub depth: u32,
    /// The decisions that led here.
    pub trail: Trail,
    /// Points on the path where there was something to decide.
    pub points: u64,
    /// Instructions executed on this path.
    pub steps: u64,
    /// The instruction count when this path last reached a block that no path had reached before.
    pub last_new: u64,
    /// It is the one path whose test is to show that such a block can be reached.
    pub covers_new: bool,
    /// Tests whose inputs lead here.
    pub seeds: Seeds,
    /// The position in the tree of a saved run, as long as the state only repeats what was done there.
    pub guide: Option<Guide>,
}

impl Path {
    /// The path reaches a block that no path had reached before.
    pub fn reach_new(&mut self, steps: u64) {
        self.last_new = steps;
        self.covers_new = true;
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.condition.trace(tracer);
        self.inputs.iter().for_each(|input| input.trace(tracer));
    }
}
