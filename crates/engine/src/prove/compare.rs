//! Is a state one of those that an abstract state stands for, apart from numbers?
//!
//! Both are walked side by side from their variables, globals and stack objects along all pointers. Blocks of the heap
//! correspond by their role: the state of a later round has other blocks at the same places. What both hold is the
//! same, or it is a hole of the abstract state, or it becomes one: a number, or the offset of a pointer to one object.
//! Every byte that the program can still read is compared; what it cannot reach does not matter.

use super::Prover;
use crate::options::Uninit;
use crate::state::{Frame, State};
use crate::worker::Worker;
use mneme_memory::{End, Life, Model, Truth};
use mneme_program::{Scalar, Slot, width_before};
use mneme_term::{BaseId, BaseKind, Origin, SymbolId, SymbolKind, TermId, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The largest object that is compared byte by byte.
const LARGEST: u64 = 2048;
/// An object in which more numbers differ is taken as a whole.
const MOST_HOLES: usize = 16;

/// Where a hole of an abstract state is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Home {
    Slot {
        level: usize,
        slot: Slot,
    },
    Bytes {
        base: BaseId,
        offset: u64,
        bytes: u32,
    },
    /// All bytes of an object.
    Whole(BaseId),
}

impl Home {
    pub fn is_in(self, object: BaseId) -> bool {
        matches!(self, Home::Bytes { base, .. } | Home::Whole(base) if base == object)
    }
}

/// What a hole may hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Number,
    /// A pointer to this object, with any offset.
    Pointer(BaseId),
    /// Any bytes.
    Bytes,
}

/// A place of an abstract state that holds a symbol of its own.
#[derive(Copy, Clone, Debug)]
pub(super) struct Hole {
    pub home: Home,
    pub kind: Kind,
    pub width: u32,
    pub symbol: SymbolId,
}

/// A hole that the abstract state does not have yet.
#[derive(Copy, Clone, Debug)]
pub(super) struct New {
    pub home: Home,
    pub kind: Kind,
    pub width: u32,
    /// What the abstract state holds there, and what the state; not for whole objects.
    pub old: Option<TermId>,
    pub now: Option<TermId>,
}

/// How a state corresponds to an abstract one.
#[derive(Default)]
pub(super) struct Matched {
    /// For each hole, what the state holds there.
    pub values: Vec<Option<TermId>>,
    pub new: Vec<New>,
    /// Symbolic numbers that both hold.
    pub same: Vec<TermId>,
}

/// What a value is, apart from its number.
enum Part {
    Number(TermId),
    Pointer(BaseId, TermId),
}

/// The walk.
struct Walk<'a> {
    holes: &'a [Hole],
    index: FxHashMap<Home, usize>,
    /// The object of the state for each one of the abstract state, and back.
    to: FxHashMap<BaseId, BaseId>,
    back: FxHashMap<BaseId, BaseId>,
    open: Vec<(BaseId, BaseId)>,
    out: Matched,
}

impl Walk<'_> {
    /// An object of the abstract state corresponds to one of the state.
    fn pair(&mut self, one: BaseId, other: BaseId) -> Option<()> {
        match (self.to.get(&one), self.back.get(&other)) {
            (None, None) => {
                self.to.insert(one, other);
                self.back.insert(other, one);
                self.open.push((one, other));
                Some(())
            }
            (Some(&known), _) if known == other => Some(()),
            _ => None,
        }
    }
}

impl<M: Model> Worker<'_, M> {
    /// How `state` corresponds to `old`, which has these holes. `None`: not at all.
    pub(super) fn correspond(
        &mut self,
        prover: &Prover<M>,
        old: &State<M>,
        holes: &[Hole],
        state: &State<M>,
    ) -> Option<Matched> {
        if !agree(old, state) {
            return None;
        }
        let mut walk = Walk {
            holes,
            index: holes
                .iter()
                .enumerate()
                .map(|(index, hole)| (hole.home, index))
                .collect(),
            to: FxHashMap::default(),
            back: FxHashMap::default(),
            open: Vec::new(),
            out: Matched {
                values: vec![None; holes.len()],
                ..Matched::default()
            },
        };
        for level in 0..state.frames.len() {
            let (one, other) = (old.frames[level].clone(), state.frames[level].clone());
            let top = level + 1 == state.frames.len();
            self.compare_frames(&mut walk, level, top, &one, &other)?;
        }
        let globals = state.memory.alive(BaseKind::Global);
        if globals != old.memory.alive(BaseKind::Global) {
            return None;
        }
        globals.into_iter().try_for_each(|base| walk.pair(base, base))?;
        while let Some((one, other)) = walk.open.pop() {
            self.compare_objects(prover, &mut walk, old, state, one, other)?;
        }
        let whole = |(hole, value): (&Hole, &Option<TermId>)| hole.kind == Kind::Bytes || value.is_some();
        if !holes.iter().zip(&walk.out.values).all(whole) {
            return None;
        }
        // What nothing refers to has been reported as lost, or will be.
        let is_known = |base: &BaseId| walk.back.contains_key(base);
        if self.options.check_leaks && !state.memory.alive(BaseKind::Heap).iter().all(is_known) {
            return None;
        }
        Some(walk.out)
    }

    fn compare_frames(&mut self, walk: &mut Walk, level: usize, top: bool, one: &Frame, other: &Frame) -> Option<()> {
        let alike = one.function == other.function
            && one.pc == other.pc
            && one.results == other.results
            && one.stack == other.stack
            && one.marks().is_empty()
            && other.marks().is_empty()
            && one.variadic().is_empty()
            && other.variadic().is_empty()
            && one.locals.len() == other.locals.len();
        if !alike {
            return None;
        }
        for (&one, &other) in one.locals.iter().zip(&other.locals) {
            walk.pair(one, other)?;
        }
        let live = self.read_later(other, top);
        for slot in (0..other.slots.len()).filter(|&slot| live[slot]) {
            let (before, now) = (one.slots[slot], other.slots[slot]);
            let home = Home::Slot {
                level,
                slot: slot as Slot,
            };
            let width = self.slot_width(other, top, slot as Slot, &[before, now]);
            self.compare_values(walk, home, width, before, now)?;
        }
        Some(())
    }

    /// Which slots of a frame matter from here on.
    pub(super) fn read_later(&mut self, frame: &Frame, top: bool) -> Vec<bool> {
        let mut live = self.live_slots(frame, top);
        if self.options.check_leaks {
            let variables = &self.image.variables[frame.function.index()];
            live.iter_mut()
                .zip(variables)
                .for_each(|(live, variable)| *live |= variable);
        }
        live
    }

    pub(super) fn slot_width(&self, frame: &Frame, top: bool, slot: Slot, values: &[Value]) -> Option<u32> {
        let own = values.iter().find_map(|value| match *value {
            Value::Term(term) => Some(self.terms.width(term)),
            Value::Ptr { .. } => Some(self.pointer_width()),
            _ => None,
        });
        let function = self.program.function(frame.function);
        let read_at = if top { frame.pc } else { frame.pc + 1 };
        own.or_else(|| width_before(function, self.pointer_width(), read_at, slot))
    }

    fn compare_values(
        &mut self,
        walk: &mut Walk,
        home: Home,
        width: Option<u32>,
        before: Value,
        now: Value,
    ) -> Option<()> {
        let hole = walk.index.get(&home).copied();
        if hole.is_none() && before == now {
            return self.note_same(walk, now);
        }
        let width = width.filter(|&width| width <= 64)?;
        if let (
            None,
            Value::Ptr { base, offset },
            Value::Ptr {
                base: other,
                offset: at,
            },
        ) = (hole, before, now)
            && offset == at
        {
            return walk.pair(base, other);
        }
        let now = self.part(now, width)?;
        if let Some(index) = hole {
            let value = match (walk.holes[index].kind, now) {
                (Kind::Number, Part::Number(value)) => value,
                (Kind::Pointer(base), Part::Pointer(other, offset)) => {
                    walk.pair(base, other)?;
                    offset
                }
                _ => return None,
            };
            walk.out.values[index] = Some(value);
            return Some(());
        }
        let (kind, old, now) = match (self.part(before, width)?, now) {
            (Part::Number(old), Part::Number(now)) => (Kind::Number, old, now),
            (Part::Pointer(base, old), Part::Pointer(other, now)) => {
                walk.pair(base, other)?;
                (Kind::Pointer(base), old, now)
            }
            _ => return None,
        };
        walk.out.new.push(New {
            home,
            kind,
            width,
            old: Some(old),
            now: Some(now),
        });
        Some(())
    }

    /// Both hold this.
    fn note_same(&mut self, walk: &mut Walk, value: Value) -> Option<()> {
        match value {
            Value::Ptr { base, .. } => walk.pair(base, base)?,
            Value::Term(term) => {
                let bases = self.terms.bases(term).to_vec();
                if bases.is_empty() && self.terms.width(term) <= 64 && !walk.out.same.contains(&term) {
                    walk.out.same.push(term);
                }
                bases.into_iter().try_for_each(|base| walk.pair(base, base))?;
            }
            Value::Int(_) | Value::Undef => {}
        }
        Some(())
    }

    /// A value as a number, or as a pointer to one object. `None`: it is neither, or not defined.
    fn part(&mut self, value: Value, width: u32) -> Option<Part> {
        match value {
            Value::Int(number) => Some(Part::Number(self.terms.constant(width, number))),
            Value::Ptr { base, offset } => {
                let offset = self.terms.constant(width, offset);
                Some(Part::Pointer(base, offset))
            }
            // Read later, it is any value.
            Value::Undef => (self.options.uninit == Uninit::Any).then(|| Part::Number(self.any_value(width))),
            Value::Term(term) if !self.is_defined(term) => None,
            Value::Term(term) if !self.terms.has_base(term) => Some(Part::Number(term)),
            Value::Term(term) => {
                let (base, offset) = self.terms.split_pointer(term)?;
                (!self.terms.has_base(offset)).then_some(Part::Pointer(base, offset))
            }
        }
    }

    /// Is it no error if something depends on a value? Then it may be replaced by a symbol.
    pub(super) fn is_defined(&self, term: TermId) -> bool {
        let any = self.options.uninit == Uninit::Any;
        self.terms
            .symbols(term)
            .iter()
            .all(|&symbol| match self.terms.symbol_info(symbol).kind {
                SymbolKind::Uninit(Origin::Operation { .. }) => false,
                SymbolKind::Uninit(_) => any,
                _ => true,
            })
    }

    fn compare_objects(
        &mut self,
        prover: &Prover<M>,
        walk: &mut Walk,
        old: &State<M>,
        state: &State<M>,
        one: BaseId,
        other: BaseId,
    ) -> Option<()> {
        let (kind, info) = (self.terms.base_info(one).kind, self.terms.base_info(other));
        if kind != info.kind || matches!(kind, BaseKind::Global | BaseKind::Function) && one != other {
            return None;
        }
        let (before, now) = (old.memory.header(one)?, state.memory.header(other)?);
        let looked_at = before.is_looked_at() || now.is_looked_at();
        if !before.is_like(now) || looked_at && (one != other || before.is_looked_at() != now.is_looked_at()) {
            return None;
        }
        if now.life != Life::Alive || kind == BaseKind::Function {
            return Some(());
        }
        // Leaks are told apart by where their blocks were allocated.
        if self.options.check_leaks && kind == BaseKind::Heap && self.terms.base_info(one).site != info.site {
            return None;
        }
        let (size, room) = (now.size, now.room);
        let has_holes = walk.holes.iter().any(|hole| hole.home.is_in(one));
        if one == other && !has_holes && state.memory.is_unchanged(&old.memory, one) {
            let references = state.memory.references(&mut self.terms, one);
            return references.into_iter().try_for_each(|base| walk.pair(base, base));
        }
        if walk.index.contains_key(&Home::Whole(one)) {
            return self.is_plain(state, other).then_some(());
        }
        let whole = New {
            home: Home::Whole(one),
            kind: Kind::Bytes,
            width: 8,
            old: None,
            now: None,
        };
        let found = walk.out.new.len();
        let scattered = prover.is_scattered(info.site) && self.is_plain(old, one) && self.is_plain(state, other);
        if let Value::Int(size) = size
            && size <= LARGEST
            && !scattered
        {
            let mut memories = (old.clone(), state.clone());
            let mut at = 0;
            let mut agrees = Some(());
            while at < size && agrees.is_some() {
                let bytes = [8, 4, 2, 1]
                    .into_iter()
                    .find(|&bytes| at % bytes == 0 && at + bytes <= size);
                let bytes = bytes.expect("one byte always fits");
                agrees = self.compare_bytes(prover, walk, &mut memories, (one, other), at, bytes as u32);
                at += bytes;
            }
            let many = { walk.holes.iter() }.filter(|hole| hole.home.is_in(one)).count() + walk.out.new.len() - found;
            if agrees.is_some() && many <= MOST_HOLES {
                return Some(());
            }
        }
        let plain = scattered || self.is_plain(old, one) && self.is_plain(state, other);
        if room > LARGEST * 32 || !plain {
            return None;
        }
        walk.out.new.truncate(found);
        walk.out.new.push(whole);
        // Holes in it are given up.
        for (hole, value) in walk.holes.iter().zip(&mut walk.out.values) {
            if hole.home.is_in(one) && value.is_none() {
                *value = Some(self.terms.constant(hole.width, 0));
            }
        }
        Some(())
    }

    fn compare_bytes(
        &mut self,
        prover: &Prover<M>,
        walk: &mut Walk,
        memories: &mut (State<M>, State<M>),
        (one, other): (BaseId, BaseId),
        offset: u64,
        bytes: u32,
    ) -> Option<()> {
        let home = Home::Bytes {
            base: one,
            offset,
            bytes,
        };
        let is_inside = |hole: &Hole| match hole.home {
            Home::Bytes { base, offset: at, .. } => base == one && (offset..offset + u64::from(bytes)).contains(&at),
            _ => false,
        };
        let exact = walk.index.contains_key(&home);
        let before = self.read_bytes(&mut memories.0, one, offset, bytes)?;
        let now = self.read_bytes(&mut memories.1, other, offset, bytes)?;
        let cut = !exact && (walk.holes.iter().any(is_inside));
        if !exact && !cut && before == now {
            return self.note_same(walk, now);
        }
        let pointers = matches!((before, now), (Value::Ptr { .. }, Value::Ptr { .. }));
        let whole = pointers || prover.is_stored(one, other, offset, bytes);
        if exact || !cut && (whole || bytes == 1) {
            return self.compare_values(walk, home, Some(8 * bytes), before, now);
        }
        let half = bytes / 2;
        if half == 0 {
            return None;
        }
        self.compare_bytes(prover, walk, memories, (one, other), offset, half)?;
        self.compare_bytes(prover, walk, memories, (one, other), offset + u64::from(half), half)
    }

    pub(super) fn read_bytes(&mut self, state: &mut State<M>, base: BaseId, offset: u64, bytes: u32) -> Option<Value> {
        if let Some(value) = state.memory.fast_load(base, offset, bytes) {
            return Some(value);
        }
        let ty = Scalar::int(8 * bytes as u16);
        self.peek(state, Value::Ptr { base, offset }, ty).ok()
    }

    /// Does an object hold no pointers, and nothing that is not defined? Then it may hold any bytes.
    fn is_plain(&mut self, state: &State<M>, base: BaseId) -> bool {
        let Some(header) = state.memory.header(base) else {
            return false;
        };
        if header.constant || !state.memory.references(&mut self.terms, base).is_empty() {
            return false;
        }
        // A byte at any place: its term has all that the object may hold.
        let size = self.term(header.size, self.pointer_width());
        let place = self.any_value(self.pointer_width());
        let inside = self.terms.ult(place, size);
        let mut state = state.clone();
        let Truth::Sometimes(witness) = self.may(&state, inside) else {
            return false;
        };
        state.path.condition.assume(&mut self.terms, inside, witness);
        let pointer = self.terms.pointer(base, place);
        let pointer = self.terms.to_value(pointer);
        let read = self.with_memory(&mut state, |memory, cx| memory.load(cx, pointer, 1));
        let values: Vec<Value> = { read.into_iter() }
            .filter_map(|branch| match branch.end {
                End::Done(value) => Some(value),
                _ => None,
            })
            .collect();
        let plain = |value: &Value| match *value {
            Value::Term(byte) => self.is_defined(byte) && !self.terms.has_base(byte),
            value => value != Value::Undef,
        };
        values.len() == 1 && values.iter().all(plain)
    }
}

/// Do the parts of both states agree that are not compared hole by hole?
fn agree<M: Model>(one: &State<M>, other: &State<M>) -> bool {
    let seen = |state: &State<M>| !state.addresses.seen.is_empty() || state.addresses.crammed;
    one.frames.len() == other.frames.len()
        && (Rc::ptr_eq(&one.pending, &other.pending) || one.pending.is_empty() && other.pending.is_empty())
        && one.exit_code == other.exit_code
        && one.task.is_none()
        && other.task.is_none()
        && one.marks == other.marks
        && one.allocations.capacities == other.allocations.capacities
        && !seen(one)
        && !seen(other)
        && one.leaks.reported == other.leaks.reported
        && one.merge.member.is_none()
        && other.merge.member.is_none()
}
