//! A state: one path through the program, as far as it has come.
//!
//! Everything in it is shared until written (frames, slots, memory pages, path condition), so that a fork copies a few pointers. Its
//! identity (names of inputs, numbers of bases) depends on the path alone.

use crate::chosen::Chosen;
use crate::frontier::Guide;
use crate::leaks::Leaks;
use crate::library::Allocations;
use crate::loops::Attempts;
use crate::merge::{Member, Standing};
use crate::seeds::Seed;
use crate::step::Addresses;
use crate::then::Task;
use crate::trail::{Choice, Decision, Trail};
use mneme_memory::{Calls, Heap, Model};
use mneme_program::{FunctionId, ScalarKind, Slot, Type};
use mneme_solver::PathCondition;
use mneme_term::{Assignment, BaseId, TermId, Tracer, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone)]
pub struct State<M: Model> {
    // ---- what the program sees
    pub memory: Heap<M>,
    pub frames: Vec<Rc<Frame>>,
    /// What runs when the bottom frame returns, next last.
    pub pending: Rc<Vec<Pending>>,
    /// What `main` or `exit` gave.
    pub exit_code: Value,
    /// What it has written to standard output.
    pub output: Rc<Output>,
    /// What is left of the instruction that is being executed.
    pub task: Option<Rc<Task>>,
    /// How many places of `setjmp` it has numbered.
    pub marks: u32,
    /// How many values without a name (undefined slots) it has named.
    pub unnamed: u32,
    pub allocations: Allocations,
    pub addresses: Addresses,

    // ---- the path
    pub path: PathCondition,
    pub inputs: Rc<Vec<Input>>,
    /// Forks from the root to here.
    pub depth: u32,
    /// What was decided on the way here.
    pub trail: Trail,
    /// Places on the way here where something was to be decided.
    pub points: u64,
    /// Instructions executed on this path.
    pub steps: u64,
    /// Its instruction count when it last reached a block that no path had reached before.
    pub last_new: u64,
    /// Tests whose inputs lead here.
    pub seeds: Rc<Vec<Seed>>,
    /// Where it is in the tree of a saved run, as long as it only repeats what was done there.
    pub guide: Option<Guide>,
    pub merge: Standing,
    pub loops: Attempts,

    // ---- what is told later
    pub leaks: Leaks,
    pub notes: Notes,
}

/// What a path remembers for those who read of it.
#[derive(Clone, Default)]
pub struct Notes {
    /// Choices by conditions that depend on unwritten bytes, by the first of each such byte.
    pub chosen: Rc<Vec<Chosen>>,
    /// Loops that were summarised.
    pub rounds: Rc<Vec<Rounds>>,
    /// The last pointers to several objects that were accessed.
    pub meant: Rc<Vec<Meant>>,
    /// Inputs of paths that have become one with this one, and that have reached what no path had reached before.
    pub witnesses: Rc<Vec<Witness>>,
}

impl Notes {
    fn trace(&self, tracer: &mut Tracer) {
        for frame in self.chosen.iter().flat_map(|chosen| &chosen.frames) {
            frame.trace(tracer);
        }
        self.meant.iter().for_each(|meant| tracer.term(meant.pointer));
        self.rounds.iter().for_each(|rounds| tracer.term(rounds.count));
    }
}

/// What each of several states has learnt, the greatest of each key.
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

/// Inputs that lead to something new.
#[derive(Clone)]
pub struct Witness {
    /// The instructions that their path had executed when it got there.
    pub reached: u64,
    pub inputs: Rc<Assignment>,
}

/// The beginning of what a path has written, for comparison with a native run.
#[derive(Clone, Default)]
pub struct Output {
    pub bytes: Vec<Value>,
    /// What came later is too much, or an example of what could come.
    pub cut: bool,
}

#[derive(Clone)]
pub struct Frame {
    pub function: FunctionId,
    pub pc: u32,
    pub slots: Vec<Value>,
    /// Stack objects that die when it returns.
    pub locals: Vec<BaseId>,
    /// Bytes of stack that it and its callers take.
    pub stack: u64,
    pub results: Results,
    /// Arguments beyond the declared parameters, ready for `va_start`.
    pub variadic: Vec<VarArg>,
    /// Where it called `setjmp`.
    pub marks: Vec<Mark>,
}

impl Frame {
    /// A number of the instruction that it is at.
    pub fn instruction(&self) -> u64 {
        (self.function.0 as u64) << 32 | self.pc as u64
    }

    fn trace(&self, tracer: &mut Tracer) {
        self.slots.iter().for_each(|&v| tracer.value(v));
        self.variadic.iter().for_each(|v| tracer.value(v.value));
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
    /// The caller believes in another type of function; its call says in which.
    Converted,
}

/// A call of `setjmp` that `longjmp` may return from again.
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
    /// It begins an argument; false for the later parts of one that is a vector or structure.
    pub leads: bool,
    /// The value is the address of a structure of that many bytes.
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

/// The first access through a pointer that may mean one of several objects; the inputs say which.
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
    /// Terms of width 8: as many as there can be.
    pub bytes: Rc<[TermId]>,
    /// How many of them there are, pointer width.
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
    /// After `main`: what `exit` does.
    Exit,
}

impl<M: Model> State<M> {
    /// Is it in the same context as a `member`?
    pub(crate) fn is_in(&self, member: Member) -> bool {
        self.merge.member.is_some_and(|own| own.context() == member.context())
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

    /// Goes on to the next instruction.
    pub fn advance(&mut self) {
        self.frame_mut().pc += 1;
    }

    /// Writes down a decision at the point that was met last.
    pub fn decide(&mut self, choice: Choice) {
        self.decide_object(choice, None);
    }

    /// A decision that is also one between objects.
    pub fn decide_object(&mut self, choice: Choice, object: Option<BaseId>) {
        let frame = self.frame();
        let decision = Decision {
            point: self.points,
            function: frame.function,
            pc: frame.pc,
            steps: self.steps,
            choice,
            object,
        };
        self.trail.push(decision);
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.memory.trace(tracer);
        self.path.trace(tracer);
        tracer.value(self.exit_code);
        self.output.bytes.iter().for_each(|&v| tracer.value(v));
        self.frames.iter().for_each(|frame| frame.trace(tracer));
        self.inputs.iter().for_each(|input| input.trace(tracer));
        self.task.iter().for_each(|task| task.trace(tracer));
        self.allocations.trace(tracer);
        self.addresses.trace(tracer);
        self.notes.trace(tracer);
        for pending in self.pending.iter() {
            if let Pending::Call { args, .. } | Pending::Main { args, .. } = pending {
                args.iter().for_each(|&v| tracer.value(v));
            }
        }
    }
}
