//! One iteration of a loop, executed for all iterations at once.
//!
//! On a copy of the state, what the loop carries from one iteration to the next becomes its current value plus a
//! symbol; then the body runs, from the header back to it, like any code. Meanwhile `commit` makes no states: it
//! records each exit of the loop (an edge, an error) and continues along the outcome that stays. If several stay, the
//! loop cannot be summarised.

use crate::commit::{Ending, Outcomes};
use crate::fault::Error;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Alloc, Branch, End, Free, Many, Model, Truth};
use mneme_program::{Block, BlockId, Call, Callee, Function, FunctionId, Inst, Loops, Scalar, Slot, width_before};
use mneme_term::{BaseId, Sort, Symbol, SymbolId, SymbolKind, TermId, Value};
use std::rc::Rc;

/// The most instructions of one iteration.
const LONGEST: u32 = 1000;

/// Why a loop is executed and not summarised.
pub type Why = &'static str;

/// A place in memory that may be a variable of the loop.
pub(super) type Cell = (Value, Scalar);

/// What the solver is asked while an iteration is executed.
#[derive(Copy, Clone, PartialEq)]
pub(super) enum Care {
    /// Nothing: infeasible outcomes are treated like others.
    Rough,
    /// Which outcomes are feasible where the iteration stays in the loop.
    Full,
}

/// What is recorded while an iteration is executed.
pub struct Recording {
    care: Care,
    /// What the loop carries in memory.
    cells: Vec<Cell>,
    function: FunctionId,
    frames: usize,
    found: Rc<Loops>,
    index: u32,
    pub exits: Vec<Exit>,
    pub accesses: Vec<Access>,
    pub blocks: Vec<Blocks>,
    pub frees: Vec<Frees>,
    /// What it does may depend on undefined values.
    pub doubtful: bool,
    pub failed: Option<Why>,
}

/// An exit of the loop, in the order in which the body reaches them.
pub struct Exit {
    /// The condition for leaving here, given that the iteration has come this far.
    pub guard: TermId,
    pub slots: Vec<Value>,
    pub pc: u32,
    pub error: Option<Error>,
    /// How many accesses were made before.
    pub accesses: usize,
}

/// An allocation of the body: one block in each iteration.
#[derive(Clone)]
pub struct Blocks {
    pub what: Alloc,
    pub base: BaseId,
    /// The number of an iteration's block.
    pub change: SymbolId,
    /// They are `1 << shift` bytes apart.
    pub shift: u32,
    /// How many exits come before it.
    pub exits: usize,
}

/// A `free` of the body.
pub struct Frees {
    /// What it frees under which condition: the feasible cases, in order.
    pub ways: Vec<(TermId, Free)>,
    pub site: u32,
    /// How many exits come before it.
    pub exits: usize,
}

#[derive(Clone)]
pub struct Access {
    pub kind: AccessKind,
    pub place: Value,
    pub ty: Scalar,
    /// What was stored.
    pub value: Option<Value>,
}

/// Where a variable that the loop carries lives.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Home {
    Slot(Slot),
    /// A place in memory whose address does not change.
    Cell {
        place: Value,
        ty: Scalar,
    },
    /// Nowhere: the number of the block that an iteration allocates.
    Blocks,
}

/// A variable that the loop changes.
pub struct Carried {
    pub home: Home,
    /// Its value at the header now; `Undef`: it has none yet.
    pub before: Value,
    pub width: u32,
    /// What other iterations add to it.
    pub change: SymbolId,
    /// Its value at the header after the iteration.
    pub after: Value,
}

/// An iteration from the header back to it.
pub struct Iteration {
    pub carried: Vec<Carried>,
    pub exits: Vec<Exit>,
    pub accesses: Vec<Access>,
    pub blocks: Vec<Blocks>,
    pub frees: Vec<Frees>,
    /// What it does may depend on undefined values.
    pub doubtful: bool,
    /// The blocks it passed through.
    pub visited: Vec<u32>,
}

impl Iteration {
    /// How many exits come before an access.
    pub(super) fn exits_before(&self, access: usize) -> usize {
        self.exits.partition_point(|exit| exit.accesses <= access)
    }
}

/// What is known of a loop independently of any state.
pub struct Plan {
    pub found: Rc<Loops>,
    pub index: u32,
    pub header: Block,
    /// Slots that are carried, with their widths.
    pub slots: Vec<(Slot, u32)>,
}

impl Plan {
    pub fn contains(&self, block: BlockId) -> bool {
        self.found.get(self.index).contains(block)
    }
}

/// Instructions that a summary can handle: they compute, access memory at one place, or continue somewhere.
fn is_regular(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Move { .. }
            | Inst::Bin { .. }
            | Inst::Cmp { .. }
            | Inst::Cast { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Field { .. }
            | Inst::Index { .. }
            | Inst::Gep { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::SlotInit { .. }
            | Inst::SlotLoad { .. }
            | Inst::SlotStore { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::CmpBranch { .. }
            | Inst::Switch { .. }
    )
}

impl<M: Model> Worker<'_, M> {
    /// What must be known of a loop before it is tried.
    pub(super) fn plan(&mut self, id: FunctionId, index: u32) -> Result<Plan, Why> {
        let function = self.program.function(id);
        let found = self.image.loops(self.program, id);
        if found.is_outer(index) {
            return Err("a loop in it");
        }
        let this = found.get(index);
        let mut written = vec![false; function.slots as usize];
        for block in &this.blocks {
            let block = &function.blocks[block.0 as usize];
            for inst in &function.code[block.start as usize..block.end as usize] {
                if !is_regular(inst) && !self.is_allocation(function, inst) {
                    return Err("a call or an operation on blocks of memory");
                }
                inst.for_each_def(function, &mut |slot| written[slot as usize] = true);
                for edge in inst.edges(function) {
                    let moves = &function.edges[edge.index()].moves;
                    moves.iter().for_each(|&(dst, _)| written[dst as usize] = true);
                }
            }
        }
        let live = self
            .liveness
            .entry(id)
            .or_insert_with(|| mneme_program::Liveness::of(function));
        let live = live.entering(this.header);
        let header = function.blocks[this.header.0 as usize].clone();
        let mut slots = Vec::new();
        for slot in (0..function.slots).filter(|&slot| written[slot as usize] && live[slot as usize]) {
            match width_before(function, self.program.target.pointer_width, header.start, slot) {
                Some(width) if width <= 64 => slots.push((slot, width)),
                _ => return Err("a variable of an unusual width"),
            }
        }
        Ok(Plan {
            header,
            found,
            index,
            slots,
        })
    }

    /// A call that allocates or frees a block.
    fn is_allocation(&self, function: &Function, inst: &Inst) -> bool {
        let Inst::Call { call } = *inst else { return false };
        let Callee::Direct(callee) = function.calls[call.index()].callee else {
            return false;
        };
        let callee = self.program.function(callee);
        M::LOOPS.is_some_and(|loops| loops.families)
            && callee.is_declaration()
            && matches!(callee.name.as_str(), "malloc" | "calloc" | "free")
    }

    /// Executes an iteration from the header on, with symbolic values for what the loop carries. `cells` are places in
    /// memory that it carries; `known` is a condition that holds in every iteration.
    pub(super) fn iterate(
        &mut self,
        state: &State<M>,
        plan: &Plan,
        cells: &[Cell],
        known: TermId,
        care: Care,
    ) -> Result<Iteration, Why> {
        let mut scratch = state.clone();
        if !self.terms.is_true(known) {
            let Truth::Sometimes(witness) = self.may(state, known) else {
                return Err("it may never end");
            };
            scratch.path.condition.assume(&mut self.terms, known, witness);
        }
        scratch.loops.watch = None;
        let mut carried = Vec::new();
        for &(slot, width) in &plan.slots {
            let before = state.frame().slots[slot as usize];
            let change = self.change(carried.len(), width);
            if before != Value::Undef {
                let open = self.open(before, width, change);
                scratch.set(slot, open);
            }
            carried.push(Carried {
                home: Home::Slot(slot),
                before,
                width,
                change,
                after: Value::Undef,
            });
        }
        for &(place, ty) in cells {
            let before = self.peek(&mut scratch, place, ty)?;
            let change = self.change(carried.len(), ty.width());
            let open = self.open(before, ty.width(), change);
            self.poke(&mut scratch, place, ty, open)?;
            carried.push(Carried {
                home: Home::Cell { place, ty },
                before,
                width: ty.width(),
                change,
                after: Value::Undef,
            });
        }
        let (unnamed, address_dependent) = (state.unnamed, self.counters.address_dependent);
        self.summaries.recording = Some(Recording {
            care,
            cells: cells.to_vec(),
            function: state.frame().function,
            frames: state.frames.len(),
            found: plan.found.clone(),
            index: plan.index,
            exits: Vec::new(),
            accesses: Vec::new(),
            blocks: Vec::new(),
            frees: Vec::new(),
            doubtful: false,
            failed: None,
        });
        let visited = self.run_once(&mut scratch, plan);
        let recording = self.summaries.recording.take().expect("set before");
        if std::mem::replace(&mut self.counters.address_dependent, address_dependent) != address_dependent {
            return Err("it looks at addresses");
        }
        let visited = visited?;
        if scratch.unnamed != unnamed {
            return Err("it uses values that were never set");
        }
        for variable in &mut carried {
            variable.after = match variable.home {
                Home::Slot(slot) => scratch.frame().slots[slot as usize],
                Home::Cell { place, ty } => self.peek(&mut scratch, place, ty)?,
                Home::Blocks => unreachable!("these come later"),
            };
        }
        for blocks in &recording.blocks {
            let width = self.pointer_width();
            let (change, one) = (self.terms.symbol(blocks.change), self.terms.constant(width, 1));
            carried.push(Carried {
                home: Home::Blocks,
                before: Value::ZERO,
                width,
                change: blocks.change,
                after: Value::Term(self.terms.add(change, one)),
            });
        }
        Ok(Iteration {
            carried,
            exits: recording.exits,
            accesses: recording.accesses,
            blocks: recording.blocks,
            frees: recording.frees,
            doubtful: recording.doubtful,
            visited,
        })
    }

    fn run_once(&mut self, scratch: &mut State<M>, plan: &Plan) -> Result<Vec<u32>, Why> {
        let function = self.program.function(scratch.frame().function);
        let mut visited = Vec::new();
        let frames = scratch.frames.len();
        for _ in 0..LONGEST {
            let pc = scratch.frame().pc;
            if function.blocks[function.block_of(pc).0 as usize].start == pc {
                visited.push(pc);
            }
            let flow = self.step(scratch);
            let failed = self.summaries.recording.as_ref().and_then(|recording| recording.failed);
            if let Some(why) = failed {
                return Err(why);
            }
            if flow != Flow::On || self.cut {
                return Err("it does not come back");
            }
            // A branch whose condition is known makes no outcomes that `record` could distinguish.
            if scratch.frames.len() != frames || !plan.contains(function.block_of(scratch.frame().pc)) {
                return Err("every way leaves it");
            }
            if scratch.frame().pc == plan.header.start {
                return Ok(visited);
            }
        }
        Err("a long way")
    }

    /// The symbol of the change of a carried variable.
    fn change(&mut self, number: usize, width: u32) -> SymbolId {
        self.terms.symbol_id(Symbol {
            name: format!("change!{number}"),
            kind: SymbolKind::Bound,
            sort: Sort::Bits(width),
        })
    }

    fn open(&mut self, before: Value, width: u32, change: SymbolId) -> Value {
        let (before, change) = (self.term(before, width), self.terms.symbol(change));
        let open = self.terms.add(before, change);
        self.terms.to_value(open)
    }

    /// The value at a place that is certainly valid.
    pub(crate) fn peek(&mut self, state: &mut State<M>, place: Value, ty: Scalar) -> Result<Value, Why> {
        let memory = state.memory.clone();
        let branches = self.with_memory(state, |memory, cx| memory.load(cx, place, ty.bytes()));
        state.memory = memory;
        match branches.sole().map(|branch| branch.end) {
            Some(End::Done(value)) => Ok(value),
            _ => Err("a variable that cannot be read"),
        }
    }

    pub(crate) fn poke(&mut self, state: &mut State<M>, place: Value, ty: Scalar, value: Value) -> Result<(), Why> {
        let branches = self.with_memory(state, |memory, cx| memory.store(cx, place, ty.bytes(), value));
        match branches.sole() {
            Some(Branch {
                memory,
                end: End::Done(()),
                ..
            }) => {
                state.memory = memory;
                Ok(())
            }
            _ => Err("a variable that cannot be written"),
        }
    }

    /// What `commit` does while an iteration is executed.
    pub(crate) fn record(&mut self, state: &mut State<M>, outcomes: Outcomes<M>) -> Flow {
        // Any of the heaps knows the addresses that occur in the guards.
        if let Some(memory) = outcomes.iter().find_map(|outcome| outcome.memory.as_ref()) {
            state.memory = memory.clone();
        }
        let mut staying: Vec<(TermId, State<M>)> = Vec::new();
        for outcome in outcomes {
            if self.terms.is_false(outcome.guard) {
                continue;
            }
            if outcome.facts.is_some() {
                return self.irregular("it makes values of its own");
            }
            let (next, error) = match outcome.end {
                Ending::Stop(_) | Ending::Fail(..) => return self.irregular("it cannot be executed"),
                Ending::Error(_) if !self.is_possible(state, outcome.guard) => continue,
                Ending::Error(error) => (state.clone(), Some(error)),
                Ending::Go(then) => {
                    let mut next = state.clone();
                    if let Some(memory) = outcome.memory {
                        next.memory = memory;
                    }
                    self.resume(&mut next, then);
                    (next, None)
                }
            };
            let program = self.program;
            let recording = self.summaries.recording.as_mut().expect("only then");
            let function = program.function(recording.function);
            let inside = |state: &State<M>| {
                let block = function.block_of(state.frame().pc);
                state.frames.len() != recording.frames || recording.found.get(recording.index).contains(block)
            };
            if error.is_none() && inside(&next) {
                staying.push((outcome.guard, next));
            } else {
                let frame = next.frame();
                let exit = Exit {
                    guard: outcome.guard,
                    slots: frame.slots.clone(),
                    pc: frame.pc,
                    error,
                    accesses: recording.accesses.len(),
                };
                recording.exits.push(exit);
            }
        }
        if staying.len() > 1 {
            staying.retain(|&(guard, _)| self.is_possible(state, guard));
        }
        let Some((guard, mut next)) = staying.pop() else {
            return self.irregular("every way leaves it");
        };
        if !staying.is_empty() {
            return self.irregular("several ways through it");
        }
        // The rest of the body is executed only if it stays.
        if self.care() == Care::Full && !self.terms.is_true(guard) {
            match self.may(state, guard) {
                Truth::Never => return self.irregular("every way leaves it"),
                Truth::Sometimes(witness) => next.path.condition.assume(&mut self.terms, guard, witness),
                Truth::Unknown(_) => {}
            }
        }
        *state = next;
        Flow::On
    }

    fn care(&self) -> Care {
        self.summaries.recording.as_ref().expect("only then").care
    }

    /// Is a condition feasible in the current iteration? Always, where the solver is not asked.
    fn is_possible(&mut self, state: &State<M>, guard: TermId) -> bool {
        self.care() == Care::Rough || !matches!(self.may(state, guard), Truth::Never)
    }

    /// The current iteration depends on undefined values where `differs` holds.
    pub(crate) fn doubt(&mut self, state: &State<M>, differs: TermId) -> Option<Flow> {
        if self.is_possible(state, differs)
            && let Some(recording) = &mut self.summaries.recording
        {
            recording.doubtful = true;
        }
        None
    }

    /// The current iteration cannot be summarised.
    pub(crate) fn irregular(&mut self, why: Why) -> Flow {
        if let Some(recording) = &mut self.summaries.recording {
            recording.failed.get_or_insert(why);
        }
        Flow::End
    }

    /// An allocation during the iteration: this iteration's block among those of all.
    pub(crate) fn record_allocation(&mut self, state: &mut State<M>, call: &Call, what: Alloc) -> Flow {
        if !M::LOOPS.is_some_and(|loops| loops.families) || self.options.malloc_may_fail || self.options.check_leaks {
            return self.irregular("it allocates memory");
        }
        let width = self.pointer_width();
        let recording = self.summaries.recording.as_ref().expect("only then");
        let (number, exits) = (recording.blocks.len(), recording.exits.len());
        let change = self.terms.symbol_id(Symbol {
            name: format!("change!block!{number}"),
            kind: SymbolKind::Bound,
            sort: Sort::Bits(width),
        });
        let zero = self.terms.constant(width, 0);
        let many = Many {
            count: self.terms.not(zero),
            most: 1,
        };
        let made = self.with_memory(state, |mut memory, cx| {
            let base = memory.alloc_many(cx, what, many);
            (memory, base)
        });
        state.memory = made.0;
        let family = |base: &BaseId| state.memory.header(*base)?.family.clone();
        let Some((base, family)) = made.1.and_then(|base| Some((base, family(&base)?))) else {
            return self.irregular("there is no room for what it allocates");
        };
        let shift = family.shift;
        let number = self.terms.symbol(change);
        let distance = self.terms.member(number, shift);
        let block = self.terms.pointer(base, distance);
        if !call.results.is_empty() {
            state.set(call.dst, Value::Term(block));
        }
        state.advance();
        let recording = self.summaries.recording.as_mut().expect("only then");
        recording.blocks.push(Blocks {
            what,
            base,
            change,
            shift,
            exits,
        });
        Flow::On
    }

    /// A `free` during the iteration.
    pub(crate) fn record_free(&mut self, state: &mut State<M>, p: Value) -> Flow {
        if !M::LOOPS.is_some_and(|loops| loops.families) || self.options.check_leaks {
            return self.irregular("it frees memory");
        }
        let site = self.calling_site(state);
        let memory = state.memory.clone();
        let ways = self.with_memory(state, |memory, cx| memory.frees(cx, p));
        state.memory = memory;
        let orderly = |way: &Free| !matches!(way, Free::Fault(_));
        let mut ways: Vec<(TermId, Free)> = ways.into_iter().filter(|(_, way)| orderly(way)).collect();
        ways.retain(|&(guard, _)| self.is_possible(state, guard));
        if let [(guard, _)] = &mut ways[..] {
            // The iteration that stays has taken this outcome.
            *guard = self.terms.tru();
        }
        let branches = self.with_memory(state, |memory, cx| {
            cx.site = site;
            memory.free(cx, p)
        });
        let flow = self.commit_memory(state, branches, |()| Then::Advance);
        if let (Flow::On, Some(recording)) = (flow, &mut self.summaries.recording) {
            let exits = recording.exits.len();
            recording.frees.push(Frees { ways, site, exits });
        }
        flow
    }

    /// Records an access.
    pub(crate) fn accessed(&mut self, state: &mut State<M>, flow: Flow, access: Access) {
        let Some(recording) = self.summaries.recording.as_mut().filter(|_| flow == Flow::On) else {
            return;
        };
        let (kind, place, ty) = (access.kind, access.place, access.ty);
        recording.accesses.push(access);
        if let (AccessKind::Write, Value::Term(place), Care::Full) = (kind, place, recording.care) {
            self.keep_apart(state, place, ty);
        }
    }

    /// A store at a moving place is assumed not to touch what the loop carries in the same object: otherwise a counter
    /// beside an array would depend on the array. `check_independence` verifies that when all iterations are known.
    fn keep_apart(&mut self, state: &mut State<M>, place: TermId, ty: Scalar) {
        let Some((base, offset)) = self.terms.split_pointer(place) else {
            return;
        };
        let cells = self.summaries.recording.as_ref().expect("only then").cells.clone();
        let width = self.pointer_width();
        let terms = &mut self.terms;
        let offset = terms.flatten_members(offset);
        let mut apart = terms.tru();
        for (cell, cell_ty) in cells {
            let Value::Ptr {
                base: other,
                offset: at,
            } = cell
            else {
                continue;
            };
            if other != base {
                continue;
            }
            let at = terms.constant(width, at);
            let (forth, back) = (terms.sub(offset, at), terms.sub(at, offset));
            for (distance, ty) in [(forth, cell_ty), (back, ty)] {
                let bytes = terms.constant(width, ty.bytes().into());
                let clear = terms.ule(bytes, distance);
                apart = terms.and(apart, clear);
            }
        }
        if terms.is_true(apart) {
            return;
        }
        match self.may(state, apart) {
            Truth::Never => _ = self.irregular("iterations that depend on each other"),
            Truth::Sometimes(witness) => state.path.condition.assume(&mut self.terms, apart, witness),
            Truth::Unknown(_) => {}
        }
    }
}
