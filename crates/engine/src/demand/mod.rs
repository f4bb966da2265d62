//! What a function that is run alone is given: objects that nobody made (symMMU, section 4.3).
//!
//! A pointer of which nothing is known is null, refers to an object of its own, or to one of the same type that is
//! there already: a term with a base in each case, over one byte of input that says which. So resolution, comparison
//! and merging need to know nothing of it, and every model supports it. Its own object has a base, an address and a
//! size from the beginning, and no bytes ([`mneme_memory::Heap::postpone`]) until an instruction wants to access it:
//! then the path forks over what the pointer refers to (decisions of the trail like all others), and the object is
//! born: its bytes are inputs, its pointers are again pointers of which nothing is known. So lists and trees come out
//! by themselves, each shape once: a pointer refers to an object of an earlier pointer only where that one refers to
//! its own.
//!
//! - `entry`: arguments and globals. `birth`: objects. `late`: pointers that no type tells of. `decided`: pointers that a
//!   path has decided about. `callback`: functions that a caller passes. `shape`: what a test of the function looks like.
//!   `second`: another function on the same arguments. `unknown`: calls of functions of which nothing is known.
//!   `odd`: errors that only an unusual caller brings about.
//!
//! Where this differs from the paper: its translation table, keyed by hashes of pointer expressions, is not needed
//! where an expression has a base. Types say which bytes are pointers, so that a pointer has one identity from the
//! first time it is read. Instead of a radius that doubles, the size of an object is a term from the beginning: an
//! access beyond it is an error on the paths where the object is smaller, and those where it is larger go on. Objects
//! lie where `Layout` puts them, in the order in which they were wanted; if the function looks at their addresses,
//! these are symbols, whose low bits are bounded only by the alignment of the type (1 for characters and `void`).

mod birth;
mod callback;
mod decided;
mod entry;
mod late;
mod odd;
mod second;
mod shape;
mod unknown;
mod widen;

pub(crate) use decided::Decided;
pub use entry::can_be_alone;
pub use second::First;
pub(crate) use unknown::Missing;

use crate::commit::{Ending, Outcome};
use crate::fault::Error;
use crate::options::{Callers, UnknownCalls};
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_finding::{Assumption, Call, Passed, Target};
use mneme_memory::{FaultKind, Life, Model, Reason, Truth};
use mneme_program::{Callee, Function, Inst, IntrinsicOp, Operand, Scalar, ScalarKind, Type};
use mneme_term::{BaseId, BaseKind, SymbolId, TermId, Tracer, Value};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// What the function of a path was given, and what it returned. One pointer for a fork to copy, as most runs explore
/// no function alone.
#[derive(Clone, Default, PartialEq)]
pub struct Demand(Rc<Given>);

#[derive(Clone, Default, PartialEq)]
pub struct Given {
    /// In the order in which pointers to them were met.
    objects: Rc<Vec<Object>>,
    args: Rc<Vec<Argument>>,
    result: Rc<Vec<Value>>,
    /// Calls of functions of which nothing is known.
    unknown: Rc<Vec<unknown::Unknown>>,
    /// What functions that the caller passed have returned, call by call.
    returned: Rc<Vec<callback::Returned>>,
    /// Where the machine has the function put what it returns, and how many bytes that are.
    result_at: Option<(BaseId, u64)>,
    /// With two functions: the code with which the one that runs has ended the program.
    ended: Option<Value>,
}

impl Deref for Demand {
    type Target = Given;

    fn deref(&self) -> &Given {
        &self.0
    }
}

impl DerefMut for Demand {
    fn deref_mut(&mut self) -> &mut Given {
        Rc::make_mut(&mut self.0)
    }
}

#[derive(Clone, PartialEq)]
struct Argument {
    name: Rc<str>,
    c_type: Option<Type>,
    value: Value,
    scalar: Scalar,
}

/// An object that nobody made.
#[derive(Clone, PartialEq)]
struct Object {
    base: BaseId,
    /// The pointer that it belongs to, as C writes it; the name of a global.
    name: Rc<str>,
    /// Of one element.
    c_type: Option<Type>,
    /// How many pointers lead to it.
    depth: u32,
    /// Where its pointer refers to it, and not to null or to another object.
    owned: TermId,
    /// No other pointer refers to it.
    restrict: bool,
    stage: Stage,
}

#[derive(Clone, PartialEq)]
enum Stage {
    /// Nothing has accessed it.
    Latent,
    Born(Rc<Contents>),
    /// It is deeper in a structure than the run goes.
    TooDeep,
    /// It is a function.
    Code,
    /// It is a stream of the C library.
    Stream,
    Global,
}

/// What an object held when it was born.
#[derive(PartialEq)]
struct Contents {
    bytes: SymbolId,
    /// Offsets and values of its pointers.
    pointers: Vec<(u64, TermId)>,
}

impl Demand {
    fn position(&self, base: BaseId) -> Option<usize> {
        self.objects.iter().position(|object| object.base == base)
    }

    /// The pointer that an object made on demand belongs to.
    pub(crate) fn pointer_to(&self, base: BaseId) -> Option<(&str, Option<Type>)> {
        let object = self.objects.iter().find(|object| object.base == base);
        object.map(|object| (&*object.name, object.c_type))
    }

    /// What the function was given.
    pub(crate) fn bases(&self) -> impl Iterator<Item = BaseId> + '_ {
        self.objects.iter().map(|object| object.base)
    }

    pub(crate) fn returned(&mut self, results: Vec<Value>) {
        self.result = Rc::new(results);
    }

    pub(crate) fn trace(&self, tracer: &mut Tracer) {
        self.args.iter().for_each(|arg| tracer.value(arg.value));
        self.result.iter().for_each(|&value| tracer.value(value));
        self.ended.iter().for_each(|&value| tracer.value(value));
        self.unknown.iter().for_each(|call| call.trace(tracer));
        self.returned.iter().for_each(|call| call.trace(tracer));
        for object in self.objects.iter() {
            tracer.term(object.owned);
            if let Stage::Born(contents) = &object.stage {
                contents.pointers.iter().for_each(|&(_, pointer)| tracer.term(pointer));
            }
        }
    }
}

/// The operands of an instruction through which it may access memory.
fn accessed(program: &mneme_program::Program, function: &Function, inst: Inst) -> SmallVec<[Operand; 2]> {
    let mut out = SmallVec::new();
    match inst {
        Inst::Load { ptr, .. } | Inst::Store { ptr, .. } => out.push(ptr),
        Inst::MemCopy { dst, src, .. } => out.extend([dst, src]),
        Inst::MemSet { dst, .. } => out.push(dst),
        Inst::ByvalCopy { slot, .. } => out.push(Operand::slot(slot)),
        Inst::Intrinsic { id } => {
            let intrinsic = &function.intrinsics[id.index()];
            if intrinsic.op == IntrinsicOp::ObjectSize {
                out.extend(intrinsic.args.first().copied());
            }
        }
        Inst::Call { call } => {
            let call = &function.calls[call.index()];
            let library = match call.callee {
                Callee::Direct(id) => program.function(id).is_declaration(),
                Callee::Indirect(callee) => {
                    out.push(callee);
                    false
                }
            };
            let pointers = call.args.iter().filter(|arg| arg.ty.kind == ScalarKind::Pointer);
            out.extend(
                pointers
                    .filter(|arg| library || arg.byval.is_some())
                    .map(|arg| arg.value),
            );
        }
        _ => {}
    }
    out
}

impl<M: Model> Worker<'_, M> {
    /// Before an instruction: the objects that it wants to access are there. Otherwise it is executed again where it is
    /// decided which these are.
    pub(crate) fn meet_demand(&mut self, state: &mut State<M>, function: &Function, inst: Inst) -> Result<(), Flow> {
        if self.options.on_demand.is_none() {
            return Ok(());
        }
        if let Inst::Cmp { width, a, b, .. } | Inst::CmpBranch { width, a, b, .. } = inst {
            if u32::from(width) == self.pointer_width() {
                self.use_decided(state, &[a, b]);
            }
            return Ok(());
        }
        let pointers = accessed(self.program, function, inst);
        self.use_decided(state, &pointers);
        for &operand in &pointers {
            let pointer = self.get(state, operand);
            self.meet(state, pointer, inst)?;
        }
        self.use_decided(state, &pointers);
        self.make_late_pointers(state, inst)
    }

    /// Has the caller of a function run alone made this block, wherever it likes?
    pub(crate) fn is_given_block(&self, state: &State<M>, base: BaseId) -> bool {
        let kind = state.memory.header(base).map(|header| header.kind);
        kind == Some(BaseKind::Heap) && state.demand.position(base).is_some()
    }

    fn is_latent(&self, state: &State<M>, base: BaseId) -> bool {
        let header = state.memory.header(base);
        header.is_some_and(|header| header.life == Life::Unborn) && state.demand.position(base).is_some()
    }

    fn meet(&mut self, state: &mut State<M>, pointer: Value, inst: Inst) -> Result<(), Flow> {
        let term = match pointer {
            Value::Ptr { base, .. } if self.is_latent(state, base) => return self.bear(state, base),
            Value::Term(term) if self.terms.width(term) == self.pointer_width() => term,
            _ => return Ok(()),
        };
        let cases = self.terms.cases(term);
        if let [case] = &cases[..]
            && case.base.is_none()
        {
            return self.meet_number(state, term, inst);
        }
        let given = |base| state.demand.position(base).is_some();
        if !cases.iter().any(|case| case.base.is_some_and(given)) {
            return Ok(());
        }
        let is_latent = |case: &mneme_term::Case| case.base.is_some_and(|base| self.is_latent(state, base));
        if !cases.iter().any(is_latent) {
            return self.decide(state, term, &cases);
        }
        if self.is_trial() {
            return Err(self.irregular("it meets an object made on demand"));
        }
        if let Some(flow) = self.suppose_not_null(state, term) {
            return Err(flow);
        }
        let mut possible = Vec::new();
        for case in cases.iter() {
            match self.may(state, case.guard) {
                Truth::Never => {}
                Truth::Sometimes(_) => possible.push(case),
                Truth::Unknown(why) => return Err(self.unanswered(state, why)),
            }
        }
        let bases = possible.iter().filter_map(|case| case.base);
        let wanted = bases.into_iter().find(|&base| self.is_latent(state, base));
        if let [case] = possible[..] {
            self.remember(state, term, case);
        }
        match wanted {
            None => Ok(()),
            Some(base) if possible.len() == 1 => self.bear(state, base),
            Some(_) => {
                let way = |guard| Outcome::new(guard, Ending::Go(Then::Again));
                let outcomes = cases.iter().map(|case| way(case.guard)).collect();
                Err(self.commit(state, outcomes))
            }
        }
    }

    /// A number that was not known to be a pointer, because it comes from bytes without a type: nobody knows what it
    /// refers to.
    fn meet_number(&mut self, state: &mut State<M>, number: TermId, inst: Inst) -> Result<(), Flow> {
        let symbols = self.terms.symbols(number);
        let given = |object: &Object| match &object.stage {
            Stage::Born(contents) => symbols.contains(&contents.bytes),
            _ => false,
        };
        let argument = |arg: &Argument| arg.value == Value::Term(number);
        let told = state.demand.unknown.iter().any(|call| call.is_told_in(symbols));
        if !told && !state.demand.objects.iter().any(given) && !state.demand.args.iter().any(argument) {
            return Ok(());
        }
        match self.options.unknown_calls {
            UnknownCalls::Stop => Err(self.unsupported(state, "a pointer among bytes that no type says to be one")),
            UnknownCalls::Havoc | UnknownCalls::Return => Err(self.unknown_location(state, number, inst)),
        }
    }

    /// Does an error assume that an object is no larger than it was made? With a larger one the path would go on.
    pub(crate) fn is_beyond_given(&self, state: &State<M>, error: &Error) -> bool {
        let Error::Memory(fault) = error else { return false };
        // A variable is as large as its declaration says.
        let given = |base: BaseId| {
            let object = state.demand.position(base).map(|index| &state.demand.objects[index]);
            object.is_some_and(|object| !self.is_variable(state, object))
        };
        matches!(fault.kind, FaultKind::OutOfBounds(_)) && fault.base.is_some_and(given)
    }

    /// What an error assumes of the caller.
    pub(crate) fn assumption(&self, state: &State<M>, error: &Error, call: &Call) -> Assumption {
        let is_null = matches!(error, Error::Memory(fault) if matches!(fault.kind, FaultKind::Null(_)));
        let aliases = |target: &Target, name: &str| match *target {
            Target::Object(index, _) => call.objects[index].name != name,
            _ => false,
        };
        let among_arguments = call.arguments.iter().any(|arg| match &arg.value {
            Passed::Pointer(target) => aliases(target, &arg.name),
            _ => false,
        });
        let in_objects = call.objects.iter().enumerate().any(|(index, object)| {
            let back = |target: &Target| matches!(*target, Target::Object(to, _) if to <= index);
            object.pointers.iter().any(|(_, target)| back(target))
        });
        let nulls = |target: &Target| *target == Target::Null;
        let passes_null = call
            .arguments
            .iter()
            .any(|arg| matches!(&arg.value, Passed::Pointer(target) if nulls(target)))
            || call
                .objects
                .iter()
                .any(|object| object.pointers.iter().any(|(_, target)| nulls(target)));
        let failing = state.allocations.fallible.iter();
        let failing = failing
            .filter(|one| self.evaluate(state, one.fails).low_u64() == 1)
            .count();
        match () {
            () if self.is_beyond_given(state, error) => Assumption::Extent,
            () if state.notes.odd && is_null => Assumption::Null,
            () if state.notes.odd || error.is_of_assertions() => Assumption::Unchecked,
            () if is_null && failing > 0 => Assumption::Failure,
            () if is_null && self.options.callers == Callers::Any && passes_null => Assumption::Null,
            () if among_arguments || in_objects => Assumption::Aliasing,
            () if self.rests_on_calls(state) => Assumption::Calls,
            () => Assumption::Values,
        }
    }

    /// Ends a path at an object that is not made.
    fn end_at(&mut self, state: &State<M>, reason: &Reason) -> Flow {
        self.stop(state, reason);
        Flow::End
    }
}
