//! The concrete path: instructions on machine integers and concrete pointers, run in one loop that builds no term and
//! makes no query.
//!
//! `run` executes until an instruction needs the general treatment of `step` (a symbolic operand, a library call,
//! anything that can fail), and leaves the state in front of it. What it does execute agrees with `step`: both compute
//! through `concrete`.

use crate::concrete;
use crate::coverage::Coverage;
use crate::handlers::{HandlerStack, Handlers, Outermost};
use crate::image::{Image, Shortcut};
use crate::library::{EXCESSIVE, HEAP_ALIGNMENT};
use crate::merge::Watch;
use crate::state::{Frame, Results, State};
use mneme_memory::{AccessKind, Alloc, Death, Heap, Init, Model};
use mneme_program::{BinOp, Call, Callee, EdgeId, Function, FunctionId, Inst, Operand, OperandKind, Pred, Program};
use mneme_term::{BaseKind, Terms, Value, sign_extend, truncate};
use std::rc::Rc;

/// Offsets below this are compared without looking at addresses: base + offset cannot wrap.
const NEAR: u64 = 1 << 28;

/// What makes an instruction need the general treatment although its operands are concrete.
pub struct Options {
    pub max_calls: usize,
    /// Bytes.
    pub max_stack: u64,
    pub check_overflow: bool,
    /// Everything that may lose a pointer is checked.
    pub check_leaks: bool,
    pub check_alignment: bool,
    /// An allocation is a fork.
    pub malloc_may_fail: bool,
    /// Handlers listen to allocations.
    pub heard: bool,
    /// Handlers of concrete accesses.
    pub outermost: Option<Outermost>,
}

impl Options {
    pub fn new(options: &crate::options::Options, handlers: &Handlers) -> Options {
        Options {
            max_calls: options.max_calls,
            max_stack: options.max_stack,
            check_overflow: options.check_overflow,
            check_leaks: options.check_leaks,
            check_alignment: options.check_alignment,
            malloc_may_fail: options.malloc_may_fail,
            heard: handlers.listen_to_allocations(),
            outermost: handlers.of_concrete_accesses(),
        }
    }
}

/// What the fast loop did.
#[derive(Copy, Clone, Debug, Default)]
pub struct Done {
    pub instructions: u64,
    pub loads: u64,
    pub stores: u64,
    /// Accesses that handlers serve.
    pub served: u64,
}

/// Executes up to `budget` instructions and returns how many. If `WATCHED`, it stops at the end of the merging context
/// that `watch` describes; if `SERVED`, handlers serve concrete accesses.
#[allow(clippy::too_many_arguments)]
pub fn run<M: Model, const WATCHED: bool, const SERVED: bool>(
    program: &Program,
    image: &Image,
    terms: &mut Terms,
    state: &mut State<M>,
    coverage: &Coverage,
    options: &Options,
    watch: Watch,
    budget: u64,
) -> Done {
    let pointer_width = program.target.pointer_width;
    let mut executed = 0;
    let (mut loads, mut stores, mut served) = (0, 0, 0);
    // A frame that the next handler can have.
    let mut spare: Option<Rc<Frame>> = None;
    'frame: loop {
        let State { frames, memory, .. } = state;
        let depth = frames.len();
        let frame = Rc::make_mut(frames.last_mut().expect("a running state has a frame"));
        let function = program.function(frame.function);
        let constants = &image.constants[frame.function.index()][..];
        let slots = &mut frame.slots[..];
        let mut pc = frame.pc as usize;

        macro_rules! get {
            ($operand:expr) => {
                match $operand.kind() {
                    OperandKind::Slot(slot) => &slots[slot as usize],
                    OperandKind::Constant(index) => &constants[index as usize],
                }
            };
        }
        macro_rules! leave {
            () => {{
                frame.pc = pc as u32;
                return Done {
                    instructions: executed,
                    loads,
                    stores,
                    served,
                };
            }};
        }
        // Calls the handler of an access, if one sees it.
        macro_rules! serve {
            ($kind:expr, $ty:expr, $base:expr, $offset:expr, $dst:expr, $($value:expr)?) => {{
                let (base, offset) = ($base, $offset);
                if state.serving.sees(base, offset, $ty.bytes())
                    && let Some(id) = options.outermost.as_ref().and_then(|outermost| outermost.of($kind, $ty))
                {
                    let callee = program.function(id);
                    let stack = frame.stack.saturating_add(callee.frame);
                    if depth >= options.max_calls || stack > options.max_stack {
                        leave!();
                    }
                    let Some(handler) = state.serving.enter($dst, HandlerStack::Concrete, false) else {
                        leave!()
                    };
                    let args = [Value::Ptr { base, offset }, $($value)?];
                    frame.pc = pc as u32;
                    executed += 1;
                    served += 1;
                    let results = Results::Served(handler);
                    frames.push(handler_frame(spare.take(), id, callee.slots, &args, results, stack));
                    continue 'frame;
                }
            }};
        }
        macro_rules! go {
            ($edge:expr) => {{
                let edge = $edge;
                pc = take_edge(function, constants, slots, edge);
                if coverage.take(function.first_edge + edge.0, function.first_inst + pc as u32) {
                    state.path.reach_new(state.path.steps + executed);
                }
                if WATCHED && watch.is_left(depth, pc) {
                    executed += 1;
                    leave!();
                }
            }};
        }

        loop {
            if executed >= budget {
                leave!();
            }
            match function.code[pc] {
                Inst::Move { dst, src } => slots[dst as usize] = *get!(src),
                Inst::Bin {
                    op,
                    width,
                    nsw,
                    dst,
                    a,
                    b,
                    ..
                } => {
                    if nsw && options.check_overflow {
                        leave!();
                    }
                    let Some(value) = bin(op, width as u32, pointer_width, get!(a), get!(b)) else {
                        leave!()
                    };
                    slots[dst as usize] = value;
                }
                Inst::Cmp { pred, width, dst, a, b } => {
                    let Some(holds) = cmp(pred, width as u32, get!(a), get!(b)) else {
                        leave!()
                    };
                    slots[dst as usize] = Value::bool(holds);
                }
                Inst::Cast { op, from, to, dst, src } if to <= 64 => match get!(src) {
                    &Value::Int(n) => slots[dst as usize] = Value::Int(concrete::cast(op, from as u32, to as u32, n)),
                    _ => leave!(),
                },
                Inst::Select { dst, cond, yes, no, .. } => match get!(cond) {
                    Value::Int(n) => match if *n != 0 { get!(yes) } else { get!(no) } {
                        Value::Term(_) => leave!(),
                        &value => slots[dst as usize] = value,
                    },
                    _ => leave!(),
                },
                Inst::Freeze { dst, src } => match get!(src) {
                    Value::Term(_) => leave!(),
                    &value => slots[dst as usize] = value,
                },
                Inst::Field { dst, base, offset } => {
                    let Some(value) = displace_valid(get!(base), offset as u64, pointer_width) else {
                        leave!()
                    };
                    slots[dst as usize] = value;
                }
                Inst::Index {
                    width,
                    dst,
                    base,
                    index,
                    scale,
                } => {
                    let &Value::Int(index) = get!(index) else { leave!() };
                    let distance = (sign_extend(index, width as u32) as u64).wrapping_mul(scale as u64);
                    let Some(value) = displace_valid(get!(base), distance, pointer_width) else {
                        leave!()
                    };
                    slots[dst as usize] = value;
                }
                Inst::Load { ty, align, dst, ptr } => {
                    let &Value::Ptr { base, offset } = get!(ptr) else {
                        leave!()
                    };
                    if options.check_alignment && !is_aligned(offset, align) {
                        leave!();
                    }
                    if SERVED {
                        serve!(AccessKind::Read, ty, base, offset, dst,);
                    }
                    let Some(value) = memory.fast_load(base, offset, ty.bytes()) else {
                        leave!()
                    };
                    slots[dst as usize] = value;
                    loads += 1;
                }
                Inst::Store { ty, align, ptr, value } => {
                    if options.check_leaks {
                        leave!();
                    }
                    let &Value::Ptr { base, offset } = get!(ptr) else {
                        leave!()
                    };
                    if SERVED {
                        serve!(AccessKind::Write, ty, base, offset, 0, *get!(value));
                    }
                    if options.check_alignment && !is_aligned(offset, align) {
                        leave!();
                    }
                    if !memory.fast_store(base, offset, ty.bytes(), *get!(value)) {
                        leave!();
                    }
                    stores += 1;
                }
                Inst::SlotInit { .. } | Inst::SlotStore { .. } | Inst::Return { .. } if options.check_leaks => leave!(),
                Inst::SlotInit { slot } => slots[slot as usize] = Value::Undef,
                Inst::SlotLoad { dst, slot, .. } => match slots[slot as usize] {
                    Value::Undef => leave!(),
                    value => slots[dst as usize] = value,
                },
                Inst::SlotStore { slot, value, .. } => slots[slot as usize] = *get!(value),
                Inst::Jump { edge } => {
                    go!(edge);
                    executed += 1;
                    continue;
                }
                Inst::Branch { cond, yes, no } => {
                    let &Value::Int(n) = get!(cond) else { leave!() };
                    go!(if n != 0 { yes } else { no });
                    executed += 1;
                    continue;
                }
                Inst::CmpBranch {
                    pred,
                    width,
                    a,
                    b,
                    yes,
                    no,
                } => {
                    let Some(holds) = cmp(pred, width as u32, get!(a), get!(b)) else {
                        leave!()
                    };
                    go!(if holds { yes } else { no });
                    executed += 1;
                    continue;
                }
                Inst::Switch { switch } => {
                    let switch = &function.switches[switch.index()];
                    let &Value::Int(n) = get!(switch.value) else { leave!() };
                    let edge = match switch.cases.binary_search_by_key(&n, |&(value, _)| value) {
                        Ok(index) => switch.cases[index].1,
                        Err(_) => switch.default,
                    };
                    go!(edge);
                    executed += 1;
                    continue;
                }
                Inst::Call { call } => {
                    let call = &function.calls[call.index()];
                    let Callee::Direct(id) = call.callee else { leave!() };
                    let callee = program.function(id);
                    if let Some(shortcut) = image.shortcuts[id.index()] {
                        if options.heard {
                            leave!();
                        }
                        let [arg] = &call.args[..] else { leave!() };
                        let result = match (shortcut, *get!(arg.value)) {
                            (Shortcut::Malloc, Value::Int(size)) if !options.malloc_may_fail && !function.runtime => {
                                heap_object(memory, terms, call, size)
                            }
                            (Shortcut::Free, Value::Ptr { base, offset: 0 })
                                if !options.check_leaks && !function.runtime =>
                            {
                                memory.fast_free(base, call.site.0).then_some(Value::Undef)
                            }
                            _ => None,
                        };
                        let Some(result) = result else { leave!() };
                        if !call.results.is_empty() {
                            slots[call.dst as usize] = result;
                        }
                        executed += 1;
                        pc += 1;
                        continue;
                    }
                    if image.is_observed(id) {
                        leave!();
                    }
                    if callee.is_declaration() || callee.signature != call.signature || depth >= options.max_calls {
                        leave!();
                    }
                    let stack = frame.stack.saturating_add(callee.frame);
                    if stack > options.max_stack {
                        leave!();
                    }
                    if call.args.len() != callee.signature.params.len() {
                        leave!();
                    }
                    // The program looks at addresses for its library.
                    let has_base = |value| matches!(value, Value::Term(term) if terms.has_base(term));
                    if callee.runtime && !function.runtime && call.args.iter().any(|arg| has_base(*get!(arg.value))) {
                        leave!();
                    }
                    let mut fresh = vec![Value::Undef; callee.slots as usize];
                    for (slot, arg) in fresh.iter_mut().zip(&call.args) {
                        *slot = *get!(arg.value);
                    }
                    frame.pc = pc as u32;
                    executed += 1;
                    let results = Results::Slots(call.dst);
                    frames.push(Rc::new(new_frame(id, fresh, results, stack)));
                    if coverage.reach(callee.first_inst) {
                        state.path.reach_new(state.path.steps + executed);
                    }
                    continue 'frame;
                }
                Inst::Return { first, count } if depth > 1 => {
                    if WATCHED && depth <= watch.depth {
                        leave!();
                    }
                    let dst = match frame.results {
                        Results::Slots(dst) => dst as usize,
                        Results::Served(served) if count < 2 => {
                            state.serving.leave(served);
                            served.dst as usize
                        }
                        Results::Served(_) | Results::Heard(_) | Results::Converted => leave!(),
                    };
                    let operands = &function.operands[first as usize..(first + count) as usize];
                    let mut results = [Value::Undef; 4];
                    if operands.len() > results.len() {
                        leave!();
                    }
                    for (result, &operand) in results.iter_mut().zip(operands) {
                        *result = *get!(operand);
                    }
                    for &base in frame.locals.iter() {
                        memory.end(base, Death::Return);
                    }
                    executed += 1;
                    let done = frames.pop();
                    if SERVED {
                        spare = done;
                    }
                    let caller = Rc::make_mut(frames.last_mut().expect("the depth was at least two"));
                    caller.slots[dst..dst + count as usize].copy_from_slice(&results[..count as usize]);
                    caller.pc += 1;
                    continue 'frame;
                }
                _ => leave!(),
            }
            executed += 1;
            pc += 1;
        }
    }
}

/// Whether an offset is a multiple of 2 to that power; objects themselves are aligned.
pub fn is_aligned(offset: u64, align: u8) -> bool {
    offset & ((1 << align) - 1) == 0
}

/// `malloc(size)`.
fn heap_object<M: Model>(memory: &mut Heap<M>, terms: &mut Terms, call: &Call, size: u64) -> Option<Value> {
    if size > EXCESSIVE {
        return None;
    }
    let what = Alloc {
        kind: BaseKind::Heap,
        size: Value::Int(size),
        align: HEAP_ALIGNMENT,
        site: call.site.0,
        init: Init::Undefined,
    };
    let base = memory.fast_alloc(terms, what)?;
    Some(Value::Ptr { base, offset: 0 })
}

/// The frame of a handler, made of one that is not needed any more.
#[inline(always)]
fn handler_frame(
    spare: Option<Rc<Frame>>,
    id: FunctionId,
    slots: u32,
    args: &[Value],
    results: Results,
    stack: u64,
) -> Rc<Frame> {
    if let Some(mut spare) = spare
        && let Some(frame) = Rc::get_mut(&mut spare)
        && frame.locals.is_empty()
        && frame.rare.is_none()
    {
        frame.slots.clear();
        frame.slots.extend_from_slice(args);
        frame.slots.resize(slots as usize, Value::Undef);
        (frame.function, frame.pc, frame.results, frame.stack) = (id, 0, results, stack);
        return spare;
    }
    let mut all = vec![Value::Undef; slots as usize];
    all[..args.len()].copy_from_slice(args);
    Rc::new(new_frame(id, all, results, stack))
}

/// The frame of a call, which takes the stack up to `stack` bytes.
pub fn new_frame(function: FunctionId, slots: Vec<Value>, results: Results, stack: u64) -> Frame {
    Frame {
        function,
        pc: 0,
        slots,
        locals: Vec::new(),
        stack,
        results,
        rare: None,
    }
}

/// The moves of an edge, all at once; returns where it leads.
#[inline(always)]
pub fn take_edge(function: &Function, constants: &[Value], slots: &mut [Value], edge: EdgeId) -> usize {
    let edge = &function.edges[edge.index()];
    let read = |slots: &[Value], operand: Operand| match operand.kind() {
        OperandKind::Slot(slot) => slots[slot as usize],
        OperandKind::Constant(index) => constants[index as usize],
    };
    match edge.moves.as_slice() {
        [] => {}
        &[(dst, src)] => slots[dst as usize] = read(slots, src),
        moves => {
            let values: smallvec::SmallVec<[Value; 8]> = moves.iter().map(|&(_, src)| read(slots, src)).collect();
            for (&(dst, _), value) in moves.iter().zip(values) {
                slots[dst as usize] = value;
            }
        }
    }
    edge.pc as usize
}

#[inline(always)]
pub fn bin(op: BinOp, width: u32, pointer_width: u32, a: &Value, b: &Value) -> Option<Value> {
    match (a, b) {
        (&Value::Int(a), &Value::Int(b)) if width <= 64 => concrete::bin(op, width, a, b).map(Value::Int),
        (Value::Ptr { .. }, &Value::Int(n)) if op == BinOp::Add => displace(a, n, pointer_width),
        (Value::Ptr { .. }, &Value::Int(n)) if op == BinOp::Sub => displace(a, n.wrapping_neg(), pointer_width),
        (&Value::Int(n), Value::Ptr { .. }) if op == BinOp::Add => displace(b, n, pointer_width),
        (Value::Ptr { base: p, offset: x }, Value::Ptr { base: q, offset: y }) if op == BinOp::Sub && p == q => {
            Some(Value::Int(truncate(x.wrapping_sub(*y), pointer_width)))
        }
        _ => None,
    }
}

#[inline(always)]
pub fn cmp(pred: Pred, width: u32, a: &Value, b: &Value) -> Option<bool> {
    match (a, b) {
        (&Value::Int(a), &Value::Int(b)) if width <= 64 => Some(concrete::cmp(pred, width, a, b)),
        (&Value::Ptr { base: p, offset: x }, &Value::Ptr { base: q, offset: y }) if p == q => match pred {
            Pred::Eq => Some(x == y),
            Pred::Ne => Some(x != y),
            _ if x < NEAR && y < NEAR => Some(concrete::cmp(pred, width, x, y)),
            _ => None,
        },
        (Value::Ptr { offset, .. }, Value::Int(0)) | (Value::Int(0), Value::Ptr { offset, .. }) if *offset < NEAR => {
            match pred {
                Pred::Eq => Some(false),
                Pred::Ne => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `p + distance`.
#[inline(always)]
pub fn displace(p: &Value, distance: u64, pointer_width: u32) -> Option<Value> {
    match *p {
        Value::Ptr { base, offset } => Some(Value::Ptr {
            base,
            offset: truncate(offset.wrapping_add(distance), pointer_width),
        }),
        Value::Int(n) => Some(Value::Int(truncate(n.wrapping_add(distance), pointer_width))),
        _ => None,
    }
}

/// The same for a pointer that is not null: offsets from null may be errors.
#[inline(always)]
fn displace_valid(p: &Value, distance: u64, pointer_width: u32) -> Option<Value> {
    match p {
        Value::Int(0) => None,
        p => displace(p, distance, pointer_width),
    }
}
