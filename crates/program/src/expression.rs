//! What an instruction is in C: `t->buckets[h]`, reconstructed from the lowered code and debug information.
//!
//! Nothing is stored for this: the definitions of operands are searched in the code on demand, that is, when an error
//! is reported. Types come from the variables that an expression begins with. Unknown parts are `…`; an instruction of
//! which nothing is known has no expression.

mod print;
mod walk;

use crate::ir::*;
use walk::Walk;

/// The C text of an instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    pub text: String,
    /// Integers that it is computed from, in order of appearance.
    pub parts: Vec<Part>,
    /// The pointer that it goes through.
    pub pointer: Option<String>,
}

/// A part of an expression whose value is still in a slot of the frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    pub text: String,
    pub slot: Slot,
    pub bits: u16,
    pub signed: bool,
}

/// A decision of the program.
#[derive(Clone, PartialEq, Debug)]
pub enum Test {
    /// The condition is true when the first edge of the branch is taken.
    Condition(Expression),
    /// The value that a `switch` examines.
    Value(Expression),
}

/// Longer texts say no more than the source line.
const LONGEST: usize = 80;

impl Program {
    /// What the instruction accesses, computes, calls or tests.
    pub fn expression(&self, function: FunctionId, pc: u32) -> Option<Expression> {
        let mut walk = Walk::new(self, function, pc);
        let text = walk.instruction()?;
        finish(walk, text)
    }

    /// The condition or value that a branch or switch decides by.
    pub fn test(&self, function: FunctionId, pc: u32) -> Option<Test> {
        let expression = self.expression(function, pc)?;
        match self.function(function).code.get(pc as usize)? {
            Inst::Branch { .. } | Inst::CmpBranch { .. } => Some(Test::Condition(expression)),
            Inst::Switch { .. } => Some(Test::Value(expression)),
            _ => None,
        }
    }

    /// The C type of what an operand of the instruction at `pc` points to.
    pub fn pointee(&self, function: FunctionId, pc: u32, operand: Operand) -> Option<crate::Type> {
        Walk::new(self, function, pc).pointee(operand)
    }
}

fn finish(walk: Walk, text: String) -> Option<Expression> {
    if text == print::UNKNOWN || text.chars().count() > LONGEST {
        return None;
    }
    Some(Expression {
        text,
        parts: walk.parts,
        pointer: walk.pointer,
    })
}
