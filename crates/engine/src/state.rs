//! A state: one path through the program, up to where it is now.
//!
//! Everything in it is shared until written (frames, slots, memory pages, path condition), so that a fork copies a few
//! pointers. Its identity (names of inputs, numbers of bases) depends on the path alone.

use crate::addresses::Addresses;
use crate::chosen::Chosen;
use crate::demand::{Decided, Demand, First};
use crate::handlers::{Served, Serving};
use crate::leaks::Leaks;
use crate::library::Allocations;
use crate::loops::Attempts;
use crate::merge::{Member, Standing};
use crate::path::Path;
use crate::then::Task;
use crate::trail::{Choice, Decision};
use mneme_memory::{Calls, Death, Heap, Model};
use mneme_program::{BlockId, FunctionId, ScalarKind, Slot, Type};
use mneme_term::{Assignment, BaseId, TermId, Tracer, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone)]
pub struct State<M: Model> {
    // ---- what the program sees
    pub memory: Heap<M>,
    pub frames: Vec<Rc<Frame>>,
    /// What runs when the bottom frame returns; the next one is last.
    pub pending: Rc<Vec<Pending>>,
    /// What `main` returned or `exit` was given.
    pub exit_code: Value,
    /// What the path has written to standard output.
    pub output: Rc<Output>,
    /// The rest of the instruction that is being executed.
    pub task: Option<Rc<Task>>,
    /// How many places of `setjmp` have been numbered.
    pub marks: u32,
    /// How many unnamed values (undefined slots) have been given names.
    pub unnamed: u32,
    pub allocations: Allocations,
    pub addresses: Addresses,
    /// What a function that is run alone was given.
    pub demand: Demand,
    pub(crate) decided: Decided,
    /// If another function runs after it on the same arguments: what they begin with, and what the first left.
    pub first: Option<Rc<First<M>>>,
    pub serving: Serving,

    // ---- the path
    pub path: Path,
    pub merge: Standing,
    pub loops: Attempts,

    // ---- for reports
    pub leaks: Leaks,
    pub notes: Notes,
}

/// What a path records for reports.
#[derive(Clone, Default)]
pub struct Notes {
    /// What happens now needs an unusual caller ([`crate::options::Callers`]).
    pub odd: bool,
    /// Clauses of the path that only say that the caller is not unusual: the function has not tested this.
    pub supposed: Rc<Vec<TermId>>,
    /// Functions that were called and found that a pointer of the caller's is null.
    pub found_null: Rc<Vec<FunctionId>>,
    /// A comparison found two pointers of the caller's equal that are both null.
    pub equates_nulls: bool,
    /// Choices by conditions that depend on unwritten bytes; for each such byte the first.
    pub chosen: Rc<Vec<Chosen>>,
    /// Loops that were summarised.
    pub rounds: Rc<Vec<Rounds>>,
    /// The most recent accesses through pointers to several objects.
    pub meant: Rc<Vec<Meant>>,
    /// Inputs of paths merged into this one that reached something no path had reached before.
    pub witnesses: Rc<Vec<Witness>>,
}

impl Notes {
    fn trace(&self, tracer: &mut Tracer) {
        for frame in self.chosen.iter().flat_map(|chosen| &chosen.frames) {
            frame.trace(tracer);
        }
        self.meant.iter().for_each(|meant| tracer.term(meant.pointer));
        self.supposed.iter().for_each(|&clause| tracer.term(clause));
        self.rounds.iter().for_each(|rounds| tracer.term(rounds.count));
    }
}

/// What several states have learnt: the greatest value of each key.
pub fn greatest<'a, K: Copy + Ord + 'a, V: Copy + Ord + Default + 'a>(
    maps: impl Iterator<Item = &'a Rc<BTreeMap<K, V>>>,
) -> Rc<BTreeMap<K, V>> {
    let mut all: Rc<BTreeMap<K, V>> = Rc::default();
    for map in maps {
        if all.is_empty() {
            all = map.clone();
        } else if !Rc::ptr_eq(map, &all) {
            for (&key, &value) in map.iter() {
                let most = Rc::make_mut(&mut all).entry(key).or_default();
                *most = value.max(*most);
            }
        }
    }
    all
}

/// Inputs that reach something new.
#[derive(Clone)]
pub struct Witness {
    /// Instructions that their path had executed by then.
    pub reached: u64,
    pub inputs: Rc<Assignment>,
}

/// The beginning of a path's output, for comparison with a native run.
#[derive(Clone, Default)]
pub struct Output {
    pub bytes: Vec<Value>,
    /// Later output is left out: there is too much, or it is only an example of what the program could write.
    pub cut: bool,
}

#[derive(Clone)]
pub struct Frame {
    pub function: FunctionId,
    pub pc: u32,
    pub slots: Vec<Value>,
    /// Stack objects that die when it returns.
    pub locals: Vec<BaseId>,
    /// Bytes of stack used by this frame and its callers.
    pub stack: u64,
    pub results: Results,
    /// Without it, nothing of the kind: most frames are made and copied without.
    pub rare: Option<Box<Rare>>,
}

/// What few frames have.
#[derive(Clone, Default)]
pub struct Rare {
    /// Arguments beyond the declared parameters, ready for `va_start`.
    pub variadic: Vec<VarArg>,
    /// Where it called `setjmp`.
    pub marks: Vec<Mark>,
    /// Branches of loops that inputs decide, and how often it has come to each.
    pub rounds: Vec<(u32, u32)>,
    /// Heads of loops at which it stands for all later rounds ([`crate::demand`]).
    pub widened: Vec<BlockId>,
}

impl Frame {
    /// An id of the instruction that the frame is at.
    pub fn instruction(&self) -> u64 {
        (self.function.0 as u64) << 32 | self.pc as u64
    }

    pub fn variadic(&self) -> &[VarArg] {
        self.rare.as_ref().map_or(&[], |rare| &rare.variadic)
    }

    pub fn marks(&self) -> &[Mark] {
        self.rare.as_ref().map_or(&[], |rare| &rare.marks)
    }

    pub fn widened(&self) -> &[BlockId] {
        self.rare.as_ref().map_or(&[], |rare| &rare.widened)
    }

    pub fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.slots.iter().for_each(|&v| tracer.value(v));
        self.variadic().iter().for_each(|v| tracer.value(v.value));
    }
}

/// The frames of a state, the innermost last.
pub struct Stack<'a>(pub &'a [Rc<Frame>]);

impl Calls for Stack<'_> {
    fn innermost(&self, count: usize) -> Vec<u64> {
        let callers = self.0.iter().rev().skip(1);
        callers.take(count).map(|frame| frame.instruction()).collect()
    }
}

/// Where the results of a function go.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Results {
    /// Into the caller's slots, from this one on.
    Slots(Slot),
    /// The caller assumes another function type; its call says which.
    Converted,
    /// The function is part of a handler.
    Served(Served),
    /// The function is part of a handler that hears of the call before it is made.
    Heard(Served),
}

/// A call of `setjmp` that `longjmp` may return to.
#[derive(Copy, Clone)]
pub struct Mark {
    pub number: u32,
    pub pc: u32,
    pub dst: Option<Slot>,
}

#[derive(Copy, Clone)]
pub struct VarArg {
    pub value: Value,
    pub bytes: u32,
    pub align: u32,
    pub kind: ScalarKind,
    /// True for the start of an argument; false for the later parts of a vector or structure.
    pub leads: bool,
    /// The value is the address of a structure of this many bytes.
    pub byval: bool,
}

/// A loop that was summarised.
#[derive(Copy, Clone, PartialEq)]
pub struct Rounds {
    /// Instructions that the path had executed.
    pub steps: u64,
    pub function: FunctionId,
    /// Where the header ends.
    pub pc: u32,
    /// How often the body is executed completely.
    pub count: TermId,
}

/// The first access through a pointer that may refer to one of several objects; the inputs decide which.
#[derive(Copy, Clone, PartialEq)]
pub struct Meant {
    /// Instructions that the path had executed, this one included.
    pub steps: u64,
    pub function: FunctionId,
    pub pc: u32,
    pub pointer: TermId,
}

/// A symbolic input of the program.
#[derive(Clone)]
pub struct Input {
    pub name: Rc<str>,
    /// Terms of width 8, as many as there can be.
    pub bytes: Rc<[TermId]>,
    /// How many of them there are, in pointer width.
    pub len: Value,
    /// The C type of the object, or of its elements.
    pub c_type: Option<Type>,
}

impl Input {
    pub fn trace(&self, tracer: &mut Tracer) {
        self.bytes.iter().for_each(|&t| tracer.term(t));
        tracer.value(self.len);
    }
}

#[derive(Clone)]
pub enum Pending {
    Call {
        function: FunctionId,
        args: Vec<Value>,
    },
    /// `main` itself: its result is the exit code.
    Main {
        function: FunctionId,
        args: Vec<Value>,
    },
    /// A function of a handler.
    Handler {
        function: FunctionId,
    },
    /// After `main`: what `exit` does.
    Exit,
    /// Another function, on what the first was given.
    Second {
        function: FunctionId,
        args: Vec<Value>,
    },
    /// Compare what both have done.
    Compare,
}

impl<M: Model> State<M> {
    /// Is it in the same context as `member`?
    pub(crate) fn is_in(&self, member: Member) -> bool {
        self.merge.member.is_some_and(|own| own.context() == member.context())
    }

    /// The clauses of the path from this one on say only that the caller is not unusual.
    pub fn suppose(&mut self, from: usize) {
        let clauses = &self.path.condition.clauses()[from..];
        Rc::make_mut(&mut self.notes.supposed).extend(clauses);
    }

    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a running state has a frame")
    }

    pub fn frame_mut(&mut self) -> &mut Frame {
        Rc::make_mut(self.frames.last_mut().expect("a running state has a frame"))
    }

    pub fn set(&mut self, slot: Slot, value: Value) {
        self.frame_mut().slots[slot as usize] = value;
    }

    /// Moves on to the next instruction.
    pub fn advance(&mut self) {
        self.frame_mut().pc += 1;
    }

    /// A frame has been removed: its objects die, and a handler is not active any more.
    pub fn bury(&mut self, frame: &Frame) {
        for &base in &frame.locals {
            self.memory.end(base, Death::Return);
        }
        if let Results::Served(served) | Results::Heard(served) = frame.results {
            self.serving.leave(served);
        }
    }

    /// Records a decision at the most recent point.
    pub fn decide(&mut self, choice: Choice) {
        self.decide_object(choice, None);
    }

    /// Records a decision that also selects an object.
    pub fn decide_object(&mut self, choice: Choice, object: Option<BaseId>) {
        let frame = self.frame();
        let decision = Decision {
            point: self.path.points,
            function: frame.function,
            pc: frame.pc,
            steps: self.path.steps,
            choice,
            object,
        };
        self.path.trail.push(decision);
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.memory.trace(tracer);
        self.path.trace(tracer);
        tracer.value(self.exit_code);
        self.output.bytes.iter().for_each(|&v| tracer.value(v));
        self.frames.iter().for_each(|frame| frame.trace(tracer));
        self.task.iter().for_each(|task| task.trace(tracer));
        self.allocations.trace(tracer);
        self.addresses.trace(tracer);
        self.demand.trace(tracer);
        self.decided.trace(tracer);
        self.first.iter().for_each(|first| first.trace(tracer));
        self.notes.trace(tracer);
        for pending in self.pending.iter() {
            if let Pending::Call { args, .. } | Pending::Main { args, .. } | Pending::Second { args, .. } = pending {
                args.iter().for_each(|&v| tracer.value(v));
            }
        }
    }
}
