//! What a memory model is: which objects an access may go to, which of them share a branch, and how bytes are kept.
//!
//! Everything else belongs to the heap ([`Heap`]), once for all models. A model's methods get the heap they belong to:
//! its `directory` holds the model's payload of each live object, its `model` is the model itself. What all paths of a
//! run share (learnt contexts, a separate solver) sits behind an `Rc` in the model: a clone of the heap shares it.

use crate::directory::{Directory, Header};
use crate::heap::Heap;
use crate::places::{Places, together};
use crate::resolve::Resolution;
use crate::{AccessKind, Apart, Branches, Cx, Join, Progression};
use mneme_term::{BaseId, SymbolId, TermId, Terms, Tracer, Value};
use std::fmt::Debug;

/// An access of `len` bytes (pointer width) at `p`.
#[derive(Copy, Clone, Debug)]
pub struct Access {
    pub p: Value,
    pub len: Value,
    pub kind: AccessKind,
}

/// Places that share a branch, which is possible where `guard` holds.
#[derive(Clone, Debug)]
pub struct Group {
    pub guard: TermId,
    pub places: Places,
    /// The only object that the branch is about, if there is just one: it exists where the guard holds.
    pub sole: Option<BaseId>,
}

impl Group {
    /// One branch for several places.
    pub fn of(cx: &mut Cx, mut places: Places) -> Group {
        let guard = together(cx, &mut places);
        let sole = match &places[..] {
            [place] => Some(place.base),
            _ => None,
        };
        Group { guard, places, sole }
    }
}

/// Many bytes that are written at once, from the start of a place on.
#[derive(Debug)]
pub enum Spread<'a, S> {
    /// All of them are this byte, of width 8.
    Byte(Value),
    /// These bytes; there are as many as are written.
    Bytes(&'a [u8]),
    /// Byte i is element i of an array from pointer-wide indices to bytes.
    Symbol(SymbolId),
    /// What [`Model::snapshot`] took.
    Copy(&'a S),
}

/// A variable that no pointer refers to: the engine keeps it outside of the heap.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub bytes: u32,
    pub value: Value,
}

/// What an object is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    /// Of an object that the program did not make, and that the pointer of this name refers to.
    pub pointee: Option<Pointee>,
}

/// What is known of an object to which a symbolic pointer refers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Pointee {
    /// The number of the C type of one element.
    pub c_type: Option<u32>,
}

/// What objects are called.
pub type Names<'a> = dyn Fn(BaseId) -> Option<Name> + 'a;

/// A capability: the heap in the model's own notation, under the clauses of a path, if the user wants to see it.
/// Objects without a name are left out.
pub type Notation<M> = fn(&Heap<M>, &mut Terms, &[TermId], &[Variable], &Names) -> Option<String>;

/// What a model does when an object has been allocated.
pub type Birth<M> = fn(&mut Heap<M>, &mut Cx, BaseId);

/// A capability: the effects of all iterations of a loop at once.
pub struct Loops<M: Model> {
    /// Writes many cells of a live object, which are all inside it.
    pub write_cells: fn(&mut Heap<M>, &mut Cx, BaseId, &Progression),
    /// Whether one object may stand for many, a stride apart.
    pub families: bool,
}

/// A memory model.
///
/// Laws (checked for every model in `crates/testkit`): guards are disjoint and cover the path; a load returns what was
/// stored last; a clone is isolated from its origin; on concrete programs the model is a plain array of bytes; merging
/// agrees with every member.
pub trait Model: Clone + Default + Debug {
    /// What a user may choose; the registry of models parses it.
    type Options: Clone + Default + Debug;
    /// What the model keeps for each live object, in the object's entry of the directory: the fast path has one
    /// look-up.
    type Payload: Clone + Debug;
    /// What bytes were when a copy read them.
    type Snapshot;

    /// Whether the run's capacity bounds sizes that are terms; otherwise only [`crate::largest_symbolic`] does.
    const BOUNDED_SIZES: bool = true;
    const LOOPS: Option<Loops<Self>> = None;
    const NOTATION: Option<Notation<Self>> = None;

    fn new(options: &Self::Options) -> Self;

    // ---- life

    /// The payload of an object whose life begins; if `header.round` is not 0, it begins again, uninitialised.
    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Self::Payload;
    /// What is done when an object has been allocated, if anything: allocations need a context then.
    fn births(&self) -> Option<Birth<Self>> {
        None
    }
    /// `free(p)`. The heap's own rules are [`Heap::free_any`], with one branch, and [`Heap::free_each`], with one
    /// branch per object.
    fn free(heap: Heap<Self>, cx: &mut Cx, p: Value) -> Branches<Self, ()> {
        heap.free_any(cx, p)
    }

    // ---- where an access goes

    /// What an access may meet, under disjoint guards that cover the path. A model may make objects here, and state
    /// facts about the symbols that it makes.
    fn resolve(heap: &mut Heap<Self>, cx: &mut Cx, access: &Access) -> Resolution {
        heap.directory.resolve(cx, access.p, access.len, access.kind)
    }
    /// Which of the places of an access share a branch: all of them, unless the model says otherwise.
    fn gather(_heap: &mut Heap<Self>, cx: &mut Cx, _access: &Access, places: Places) -> Vec<Group> {
        vec![Group::of(cx, places)]
    }

    // ---- bytes

    /// The value at a concrete place of a live object, in bounds, if that builds no term.
    fn fast_load(&self, _payload: &Self::Payload, _offset: u64, _n: u32) -> Option<Value> {
        None
    }
    /// Stores at a concrete place of a live object, in bounds, if that builds no term; false: nothing happened.
    fn fast_store(&mut self, _payload: &mut Self::Payload, _offset: u64, _n: u32, _value: Value) -> bool {
        false
    }
    /// The value of `n` bytes at whichever of `places` applies.
    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value;
    /// Writes `n` bytes at each of the places where its guard holds.
    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value);
    /// The same for `len` bytes, pointer width.
    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Self::Snapshot>);
    /// The bytes at `places` and after them, as they are now.
    fn snapshot(heap: &Heap<Self>, cx: &mut Cx, places: &Places) -> Self::Snapshot;

    // ---- as a whole

    /// The heap that is `members[i]` where the tree of `join` chooses i. [`Directory::merge`] does the headers.
    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart>;
    /// Does a live object certainly hold what it holds in another heap? A model that keeps all bytes in its payloads
    /// need only compare entries ([`Directory::shares`]); `false`: nothing is known.
    fn is_unchanged(_heap: &Heap<Self>, _other: &Heap<Self>, _base: BaseId) -> bool {
        false
    }
    /// The bases that the contents of an object may refer to.
    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId>;
    /// Traces the terms that the model and its payloads hold.
    fn trace(&self, directory: &Directory<Self::Payload>, tracer: &mut Tracer);
}
