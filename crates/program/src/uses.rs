//! What the value of a slot is used for later: whether it chooses addresses, ends loops, decides branches, goes to
//! memory, or becomes a floating-point number.
//!
//! Merging asks this first: a choice between values that nothing depends on costs nothing, while one that chooses an
//! address is part of every query from then on (Kuznetsov et al., *Efficient State Merging in Symbolic Execution*: hot
//! variables). The answer is the least solution of the flow through a function and its callees, so it does not depend
//! on the order of questions. Values are not followed through memory; the analysis only collects the widths of values
//! that are read from memory and choose addresses or end loops.

use crate::ir::*;
use crate::loops::Loops;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A set of uses.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Uses(u8);

impl Uses {
    pub const NONE: Uses = Uses(0);
    /// It is an address, an index, a length or a size, or its use is unknown.
    pub const PLACE: Uses = Uses(1);
    /// It decides whether a loop continues.
    pub const ROUNDS: Uses = Uses(2);
    /// It decides a branch.
    pub const BRANCH: Uses = Uses(4);
    /// It is written to memory.
    pub const STORED: Uses = Uses(8);
    /// The function returns it.
    pub const RETURNED: Uses = Uses(16);
    /// It is computed with as a floating-point number, or becomes one: that is done for one value only, and the others
    /// are lost.
    pub const POINT: Uses = Uses(32);
    /// The uses that make a choice between values costly.
    pub const HOT: Uses = Uses(Uses::PLACE.0 | Uses::ROUNDS.0 | Uses::POINT.0);

    #[must_use]
    pub fn and(self, other: Uses) -> Uses {
        Uses(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Uses) -> Uses {
        Uses(self.0 & !other.0)
    }

    pub fn any_of(self, other: Uses) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Uses) {
        self.0 |= other.0;
    }
}

/// Uses of the slots of functions, computed on demand.
#[derive(Default)]
pub struct UseMap {
    /// For the parameters of each function.
    params: FxHashMap<FunctionId, Rc<[Uses]>>,
    /// For all slots at the beginning of each block.
    entering: FxHashMap<FunctionId, Rc<Entering>>,
    hot_in_memory: Option<Vec<u32>>,
}

type Entering = Vec<Vec<Uses>>;

/// The most blocks times slots of a function that is analysed; in larger ones every value is assumed to choose
/// addresses.
const LARGEST: usize = 1 << 22;

impl UseMap {
    /// Uses of all slots before the instruction at `pc`.
    pub fn before(&mut self, program: &Program, function: FunctionId, pc: u32) -> Vec<Uses> {
        self.from(program, function, pc)
    }

    /// Uses of all slots after the instruction at `pc`, which is not the last of its block.
    pub fn after(&mut self, program: &Program, function: FunctionId, pc: u32) -> Vec<Uses> {
        self.from(program, function, pc + 1)
    }

    fn from(&mut self, program: &Program, id: FunctionId, pc: u32) -> Vec<Uses> {
        let function = program.function(id);
        if is_large(function) {
            return vec![Uses::PLACE; function.slots as usize];
        }
        self.solve(program, id);
        let entering = self.entering.entry(id).or_insert_with(|| {
            let flow = Flow::new(function, &self.params);
            Rc::new(flow.solve())
        });
        let entering = entering.clone();
        let block = function.block_of(pc).0 as usize;
        Flow::new(function, &self.params).through(&entering, block, pc)
    }

    /// The widths, in bytes, of the numbers that the program's own code reads from memory to choose an address or to
    /// end a loop.
    pub fn hot_in_memory(&mut self, program: &Program) -> &[u32] {
        if self.hot_in_memory.is_none() {
            let mut hot = Vec::new();
            for (index, function) in program.functions.iter().enumerate() {
                if !function.runtime && !is_large(function) {
                    self.solve(program, FunctionId(index as u32));
                    Flow::new(function, &self.params).hot_loads(&mut hot);
                }
            }
            hot.sort_unstable();
            hot.dedup();
            self.hot_in_memory = Some(hot);
        }
        self.hot_in_memory.as_deref().expect("just found")
    }

    /// Finds the uses of the parameters of a function and of everything that it calls.
    fn solve(&mut self, program: &Program, id: FunctionId) {
        if self.params.contains_key(&id) {
            return;
        }
        let mut new: Vec<FunctionId> = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if self.params.contains_key(&id) {
                continue;
            }
            let function = program.function(id);
            let count = function.signature.params.len();
            if function.is_declaration() || is_large(function) {
                self.params.insert(id, vec![Uses::PLACE; count].into());
                continue;
            }
            self.params.insert(id, vec![Uses::NONE; count].into());
            new.push(id);
            for call in &function.calls {
                if let Callee::Direct(callee) = call.callee {
                    open.push(callee);
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            // Callees come last.
            for &id in new.iter().rev() {
                let entering = Flow::new(program.function(id), &self.params).solve();
                let count = self.params[&id].len();
                let uses = entering.first().map_or(&[][..], |first| &first[..count]);
                if *self.params[&id] != *uses {
                    self.params.insert(id, uses.into());
                    changed = true;
                }
            }
        }
    }
}

fn is_large(function: &Function) -> bool {
    function.blocks.len() * function.slots as usize > LARGEST
}

/// The flow through one function, given what its callees do with their parameters.
struct Flow<'a> {
    function: &'a Function,
    params: &'a FxHashMap<FunctionId, Rc<[Uses]>>,
    /// For each block, whether its end may leave a loop.
    leaves: Vec<bool>,
}

impl<'a> Flow<'a> {
    fn new(function: &'a Function, params: &'a FxHashMap<FunctionId, Rc<[Uses]>>) -> Flow<'a> {
        let mut leaves = vec![false; function.blocks.len()];
        let loops = Loops::of(function);
        for (index, block) in function.blocks.iter().enumerate() {
            let around = |found: &&crate::loops::Loop| found.contains(BlockId(index as u32));
            let out = |found: &crate::loops::Loop| block.successors.iter().any(|&next| !found.contains(next));
            leaves[index] = loops.all().iter().filter(around).any(out);
        }
        Flow {
            function,
            params,
            leaves,
        }
    }

    /// The widths of loads whose result is hot.
    fn hot_loads(&self, widths: &mut Vec<u32>) {
        let entering = self.solve();
        for (index, block) in self.function.blocks.iter().enumerate() {
            for pc in block.start..block.end {
                if let Inst::Load { ty, dst, .. } = self.function.code[pc as usize]
                    && !widths.contains(&ty.bytes())
                    && self.through(&entering, index, pc + 1)[dst as usize].any_of(Uses::HOT)
                {
                    widths.push(ty.bytes());
                }
            }
        }
    }

    fn solve(&self) -> Entering {
        let function = self.function;
        let mut entering = vec![vec![Uses::NONE; function.slots as usize]; function.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..function.blocks.len()).rev() {
                let uses = self.through(&entering, block, function.blocks[block].start);
                if uses != entering[block] {
                    entering[block] = uses;
                    changed = true;
                }
            }
        }
        entering
    }

    /// Uses before `pc`, which is in `block`.
    fn through(&self, entering: &Entering, block: usize, pc: u32) -> Vec<Uses> {
        let function = self.function;
        let end = function.blocks[block].end;
        let mut uses = vec![Uses::NONE; function.slots as usize];
        if let Some(last) = end.checked_sub(1) {
            for edge in function.code[last as usize].edges(function) {
                let edge = &function.edges[edge.index()];
                let mut there = entering[edge.target.0 as usize].clone();
                let moved: Vec<(Operand, Uses)> = edge
                    .moves
                    .iter()
                    .map(|&(dst, src)| (src, there[dst as usize]))
                    .collect();
                edge.moves.iter().for_each(|&(dst, _)| there[dst as usize] = Uses::NONE);
                moved.into_iter().for_each(|(src, used)| read(&mut there, src, used));
                uses.iter_mut().zip(there).for_each(|(uses, there)| uses.add(there));
            }
        }
        let decides = match self.leaves[block] {
            true => Uses::ROUNDS,
            false => Uses::BRANCH,
        };
        for pc in (pc..end).rev() {
            self.step(&mut uses, &function.code[pc as usize], decides);
        }
        uses
    }

    /// From after an instruction to before it. `decides`: what a branch here decides.
    fn step(&self, uses: &mut [Uses], inst: &Inst, decides: Uses) {
        let function = self.function;
        let mut result = Uses::NONE;
        inst.for_each_def(function, &mut |slot| {
            result.add(std::mem::take(&mut uses[slot as usize]));
        });
        let mut give =
            |operands: &[Operand], used: Uses| operands.iter().for_each(|&operand| read(uses, operand, used));
        match *inst {
            Inst::Load { ptr, .. } => give(&[ptr], Uses::PLACE),
            Inst::Store { ptr, value, .. } => {
                give(&[ptr], Uses::PLACE);
                give(&[value], Uses::STORED);
            }
            Inst::Alloca { count, .. } => give(&[count], Uses::PLACE),
            Inst::ByvalCopy { slot, .. } => uses[slot as usize].add(Uses::PLACE),
            Inst::MemCopy { dst, src, len, .. } => give(&[dst, src, len], Uses::PLACE),
            Inst::MemSet { dst, byte, len, .. } => {
                give(&[dst, len], Uses::PLACE);
                give(&[byte], Uses::STORED);
            }
            Inst::Branch { cond, .. } => give(&[cond], decides),
            Inst::CmpBranch { a, b, .. } => give(&[a, b], decides),
            Inst::Switch { switch } => give(&[function.switches[switch.index()].value], decides),
            Inst::Return { first, count } => {
                give(
                    &function.operands[first as usize..(first + count) as usize],
                    Uses::RETURNED,
                );
            }
            Inst::Intrinsic { id } => {
                let intrinsic = &function.intrinsics[id.index()];
                let used = match (intrinsic.dst, intrinsic.op) {
                    (Some(_), op) if op.is_on_floats() => Uses::POINT,
                    (Some(_), _) => result,
                    (None, IntrinsicOp::Assume) => Uses::BRANCH,
                    (None, _) => Uses::PLACE,
                };
                give(&intrinsic.args, used);
            }
            Inst::Call { call } => self.call(uses, &function.calls[call.index()], result),
            Inst::FloatBin { a, b, .. } | Inst::FloatCmp { a, b, .. } => give(&[a, b], Uses::POINT),
            Inst::FloatNeg { src, .. } | Inst::FloatCast { src, .. } => give(&[src], Uses::POINT),
            // What is stored is a pointer.
            Inst::Field { .. } | Inst::Index { .. } | Inst::Gep { .. } if result.any_of(Uses::STORED) => {
                let used = result.and(Uses::PLACE);
                inst.for_each_use(function, &mut |slot| uses[slot as usize].add(used));
            }
            // The end of a variable's lifetime says nothing about its value.
            Inst::LifetimeStart { .. } | Inst::LifetimeEnd { .. } | Inst::StackRestore { .. } => {}
            _ => inst.for_each_use(function, &mut |slot| uses[slot as usize].add(result)),
        }
    }

    fn call(&self, uses: &mut [Uses], call: &Call, result: Uses) {
        let known = match call.callee {
            Callee::Direct(callee) => self.params.get(&callee),
            Callee::Indirect(callee) => {
                read(uses, callee, Uses::PLACE);
                None
            }
        };
        for (index, arg) in call.args.iter().enumerate() {
            let inside = match known {
                Some(params) if call.signature.variadic && index >= params.len() => match arg.ty.kind {
                    ScalarKind::Int | ScalarKind::Pointer => Uses::STORED,
                    ScalarKind::Float | ScalarKind::Extended | ScalarKind::OtherFloat => Uses::POINT,
                },
                Some(params) => params.get(index).copied().unwrap_or(Uses::PLACE),
                None => Uses::PLACE,
            };
            let returned = match inside.any_of(Uses::RETURNED) {
                true => result,
                false => Uses::NONE,
            };
            read(uses, arg.value, inside.without(Uses::RETURNED).and(returned));
        }
    }
}

fn read(uses: &mut [Uses], operand: Operand, used: Uses) {
    if let OperandKind::Slot(slot) = operand.kind() {
        uses[slot as usize].add(used);
    }
}
