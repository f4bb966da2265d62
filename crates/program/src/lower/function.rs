//! One function: slots, blocks, edges, and the tables that its instructions refer to.

use super::Lowering;
use super::constant::integer;
use super::shape::{Lowered, Unsupported, unsupported};
use super::slots::Slots;
use crate::debug::{UNKNOWN, Variable};
use crate::ir::*;
use crate::llvm::{Block as LlvmBlock, Opcode, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The operands of one flattened value.
pub(super) type Flat = SmallVec<[Operand; 2]>;

/// Bytes of stack that a call takes in addition to its locals: the return address, the frame pointer, and saved values.
const CALL: u64 = 32;
const STACK_ALIGNMENT: u64 = 16;
/// More than any stack has.
const MOST_STACK: u64 = 1 << 60;

/// A function while it is being lowered.
pub(super) struct FunctionLowering<'a, 'm> {
    pub cx: &'a mut Lowering<'m>,
    pub id: FunctionId,
    pub out: Function,
    pub slots: Slots<'m>,
    pub blocks: FxHashMap<LlvmBlock<'m>, BlockId>,
    /// For each edge (from, to): the phi nodes of `to` and what they become.
    pub phis: FxHashMap<(LlvmBlock<'m>, LlvmBlock<'m>), Vec<(Value<'m>, Value<'m>)>>,
    /// Variables of debug information by the value they describe.
    pub variables: FxHashMap<Value<'m>, Variable>,
    pub constant_values: FxHashMap<Value<'m>, Flat>,
    pool: FxHashMap<Constant, u32>,
    pub loc: Loc,
    /// Slots for intermediate results; those of an instruction are free again after it.
    pub temporaries: u32,
    most_temporaries: u32,
    /// Blocks that jumps to unknown labels reach, made after all others.
    pub dead_end: Option<BlockId>,
}

/// The parameters as C declares them, with what their attributes say.
fn params<'m>(cx: &mut Lowering<'m>, function: Value<'m>) -> Vec<Param> {
    let types = cx.debug.params(function);
    // The address of a structure that is returned comes before them.
    let first = function
        .params()
        .len()
        .checked_sub(types.len())
        .filter(|&more| more <= 1);
    let attribute = |index: usize, kind| function.param_attribute((first? + index) as u32, kind);
    let (nonnull, dereferenceable) = (cx.attributes.nonnull, cx.attributes.dereferenceable);
    let param = |(index, c_type)| {
        let least = attribute(index, dereferenceable).map_or(0, |attribute| attribute.int_value());
        Param {
            name: None,
            c_type,
            nonnull: least > 0 || attribute(index, nonnull).is_some(),
            restrict: attribute(index, cx.attributes.noalias).is_some(),
            least,
        }
    };
    types.into_iter().enumerate().map(param).collect()
}

pub(super) fn lower_function<'m>(cx: &mut Lowering<'m>, function: Value<'m>) -> Function {
    let name = function.name();
    let id = cx.functions[&function];
    let (source_name, loc) = cx.debug.function(function);
    let site = cx.function_site(source_name.clone().unwrap_or_else(|| name.clone()), id, loc);
    let signature = cx.signature(function.value_type());
    let mut out = empty_function(name, source_name, site, loc);
    out.returns = cx.debug.returns(function);
    out.params = params(cx, function);
    if function.has_result_attribute(cx.attributes.signext) {
        out.extension = Extension::Sign;
    }
    out.own = function.is_own(cx.own_kind);
    match signature {
        Ok(signature) => out.signature = signature,
        Err(Unsupported(what)) => {
            if !function.is_declaration() {
                out.unsupported.push(what);
                out.code.push(Inst::Unsupported { what: 0 });
                out.locs.push(loc);
                out.blocks.push(Block {
                    start: 0,
                    end: 1,
                    successors: Vec::new(),
                });
            }
            return out;
        }
    }
    out.slots = out.signature.params.len() as u32;
    if function.is_declaration() {
        return out;
    }
    let slots = Slots::of(cx, function, out.slots);
    let mut lowering = FunctionLowering {
        cx,
        id,
        out,
        slots,
        blocks: FxHashMap::default(),
        phis: FxHashMap::default(),
        variables: FxHashMap::default(),
        constant_values: FxHashMap::default(),
        pool: FxHashMap::default(),
        loc,
        temporaries: 0,
        most_temporaries: 0,
        dead_end: None,
    };
    lowering.body(function);
    lowering.out.frame = lowering.out.frame.next_multiple_of(STACK_ALIGNMENT) + CALL;
    lowering.out
}

fn empty_function(name: String, source_name: Option<String>, site: SiteId, loc: Loc) -> Function {
    Function {
        name,
        source_name,
        signature: Signature::default(),
        returns: None,
        params: Vec::new(),
        extension: Extension::default(),
        slots: 0,
        code: Vec::new(),
        locs: Vec::new(),
        blocks: Vec::new(),
        constants: Vec::new(),
        operands: Vec::new(),
        edges: Vec::new(),
        calls: Vec::new(),
        switches: Vec::new(),
        geps: Vec::new(),
        intrinsics: Vec::new(),
        unsupported: Vec::new(),
        values: Vec::new(),
        site,
        loc,
        first_inst: 0,
        first_edge: 0,
        frame: 0,
        own: false,
        runtime: false,
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    fn body(&mut self, function: Value<'m>) {
        let blocks = function.blocks();
        for (i, &block) in blocks.iter().enumerate() {
            self.blocks.insert(block, BlockId(i as u32));
        }
        for &block in &blocks {
            self.look_ahead(block);
        }
        for &block in &blocks {
            let start = self.out.code.len() as u32;
            if start == 0 {
                self.name_params(function);
                self.copy_byval_params(function);
            }
            let successors = self.block(block);
            self.out.blocks.push(Block {
                start,
                end: self.out.code.len() as u32,
                successors,
            });
        }
        if let Some(id) = self.dead_end {
            debug_assert_eq!(id.0 as usize, self.out.blocks.len());
            let start = self.out.code.len() as u32;
            self.emit(Inst::Unreachable);
            self.out.blocks.push(Block {
                start,
                end: start + 1,
                successors: Vec::new(),
            });
        }
        for edge in &mut self.out.edges {
            edge.pc = self.out.blocks[edge.target.0 as usize].start;
        }
        self.out.slots = self.slots.count + self.most_temporaries;
    }

    /// Collects what earlier instructions need to know about a block: its phi nodes and the names of variables.
    fn look_ahead(&mut self, block: LlvmBlock<'m>) {
        for instruction in block.instructions() {
            match instruction.opcode() {
                Some(Opcode::LLVMPHI) => {
                    for (value, from) in instruction.incoming() {
                        let moves = self.phis.entry((from, block)).or_default();
                        if moves.last().is_none_or(|&(phi, _)| phi != instruction) {
                            moves.push((instruction, value));
                        }
                    }
                }
                Some(Opcode::LLVMCall) if self.cx.is_debug_intrinsic(instruction) => {
                    self.note_variable(instruction);
                }
                _ => {}
            }
        }
    }

    /// `llvm.dbg.declare(address, variable, …)` names a stack object.
    fn note_variable(&mut self, instruction: Value<'m>) {
        let args = instruction.args();
        if let [address, variable, ..] = args[..]
            && let Some(described) = address.described_value()
            && let Some(node) = variable.as_meta()
            && !self.variables.contains_key(&described)
            && let Some(variable) = self.cx.debug.variable(node)
        {
            self.name_param(&variable);
            self.variables.insert(described, variable);
        }
    }

    /// Debug information describes the parameters before all other variables, in their order.
    fn name_param(&mut self, variable: &Variable) {
        let unnamed = self.out.params.iter_mut().find(|param| param.name.is_none());
        if let Some(param) = unnamed.filter(|param| Some(param.c_type) == variable.c_type) {
            param.name.clone_from(&variable.name);
        }
    }

    fn name_params(&mut self, function: Value<'m>) {
        for param in function.params() {
            if let Some(slot) = self.slots.of_value(param) {
                self.name_value(param, slot, None);
            }
        }
    }

    /// Records the name that debug information gives to a value.
    fn name_value(&mut self, value: Value<'m>, slot: Slot, pc: Option<u32>) {
        if let Some(variable) = self.variables.get(&value)
            && let Some(name) = variable.name.clone()
        {
            self.out.values.push(NamedValue {
                slot,
                pc,
                name,
                c_type: variable.c_type,
            });
        }
    }

    fn copy_byval_params(&mut self, function: Value<'m>) {
        let params = function.params();
        for (i, &param) in params.iter().enumerate() {
            let Some(ty) = function
                .param_attribute(i as u32, self.cx.attributes.byval)
                .and_then(|a| a.type_value())
            else {
                continue;
            };
            let align = function
                .param_attribute(i as u32, self.cx.attributes.align)
                .map_or(0, |a| a.int_value());
            let (size, align) = self.cx.byval(ty, align);
            let site = self.stack_site(param, align.into());
            self.take_stack(size.into(), align.into());
            if let Some(slot) = self.slots.of_value(param) {
                self.emit(Inst::ByvalCopy { slot, size, site });
            }
        }
    }

    /// Adds a local variable of this size to the frame.
    pub(super) fn take_stack(&mut self, size: u64, align: u64) {
        let start = self.out.frame.next_multiple_of(align.max(1));
        self.out.frame = start.saturating_add(size).min(MOST_STACK);
    }

    fn block(&mut self, block: LlvmBlock<'m>) -> Vec<BlockId> {
        let mut successors = Vec::new();
        for instruction in block.instructions() {
            let Some(opcode) = instruction.opcode() else { continue };
            if opcode == Opcode::LLVMPHI
                || self.slots.fused.contains(&instruction)
                || self.slots.idle.contains(&instruction)
            {
                continue;
            }
            let loc = self.cx.debug.location(instruction);
            self.loc = loc;
            self.temporaries = 0;
            let start = self.out.code.len();
            let result = if is_terminator(opcode) {
                self.terminator(block, instruction, opcode)
                    .map(|next| successors = next)
            } else {
                let dst = self.slots.of_value(instruction);
                let result = self.operation(instruction, opcode, dst.unwrap_or(0));
                if let Some(dst) = dst
                    && opcode != Opcode::LLVMAlloca
                    && self.out.code.len() > start
                {
                    self.name_value(instruction, dst, Some(self.out.code.len() as u32 - 1));
                }
                result
            };
            if let Err(Unsupported(what)) = result {
                self.out.code.truncate(start);
                self.out.locs.truncate(start);
                self.emit_unsupported(what);
            }
        }
        successors
    }

    fn emit_unsupported(&mut self, what: String) {
        let known = self.out.unsupported.iter().position(|w| *w == what);
        let what = known.unwrap_or_else(|| {
            self.out.unsupported.push(what);
            self.out.unsupported.len() - 1
        });
        self.emit(Inst::Unsupported { what: what as u32 });
    }

    pub fn emit(&mut self, inst: Inst) {
        self.out.code.push(inst);
        self.out.locs.push(self.loc);
    }

    /// `count` consecutive slots that are free until the next instruction.
    pub fn temporary(&mut self, count: u32) -> Slot {
        let slot = self.slots.count + self.temporaries;
        self.temporaries += count;
        self.most_temporaries = self.most_temporaries.max(self.temporaries);
        slot
    }

    /// An entry of the constant pool.
    pub fn pool(&mut self, constant: Constant) -> Operand {
        if let Some(&index) = self.pool.get(&constant) {
            return Operand::constant(index);
        }
        let index = self.out.constants.len() as u32;
        self.out.constants.push(constant.clone());
        self.pool.insert(constant, index);
        Operand::constant(index)
    }

    pub fn int(&mut self, bits: u32, value: u64) -> Operand {
        self.pool(integer(bits, &[value]))
    }

    /// The scalars of any value.
    pub fn flat(&mut self, value: Value<'m>) -> Lowered<Flat> {
        if let Some(slot) = self.slots.of_value(value) {
            let count = self.cx.shapes.of(value.ty())?.len() as u32;
            return Ok((slot..slot + count).map(Operand::slot).collect());
        }
        if value.is_constant() {
            return self.constant_operands(value);
        }
        unsupported(format!("a value of type {}", value.ty()))
    }

    /// A value that is one scalar.
    pub fn scalar(&mut self, value: Value<'m>) -> Lowered<Operand> {
        match self.flat(value)?[..] {
            [operand] => Ok(operand),
            _ => unsupported(format!("a value of type {} in this place", value.ty())),
        }
    }

    /// The scalar that a type consists of.
    pub fn scalar_type(&mut self, value: Value<'m>) -> Lowered<Scalar> {
        match &self.cx.shapes.of(value.ty())?.leaves[..] {
            [leaf] => Ok(leaf.scalar),
            _ => unsupported(format!("a value of type {} in this place", value.ty())),
        }
    }

    /// The site of a stack object, named as debug information names it.
    pub fn stack_site(&mut self, object: Value<'m>, align: u64) -> SiteId {
        let variable = self.variables.get(&object);
        let loc = variable.map_or(self.loc, |v| v.loc);
        let site = Site {
            kind: SiteKind::Stack,
            name: variable.and_then(|v| v.name.clone()),
            align: align.max(1),
            loc: if loc == UNKNOWN { self.out.loc } else { loc },
            function: Some(self.id),
            c_type: variable.and_then(|v| v.c_type),
            fixed: false,
        };
        self.cx.add_site(site)
    }
}

fn is_terminator(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMRet
            | LLVMBr
            | LLVMSwitch
            | LLVMIndirectBr
            | LLVMInvoke
            | LLVMUnreachable
            | LLVMCallBr
            | LLVMResume
            | LLVMCleanupRet
            | LLVMCatchRet
            | LLVMCatchSwitch
    )
}
