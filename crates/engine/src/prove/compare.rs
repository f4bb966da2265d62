//! Is a state one of those that an abstract state stands for, apart from numbers?
//!
//! Both are walked side by side from their variables, globals and stack objects along all pointers. Blocks of the heap
//! correspond by their role: the state of a later round has other blocks at the same places. What both hold is the
//! same, or it is a hole of the abstract state, or it becomes one: a number, or the offset of a pointer to one object.
//! Every byte that the program can still read is compared; what it cannot reach does not matter.

use super::Prover;
use super::chains::{Chain, Place, Tail, backward, forward, places_in, pointer};
use super::fold::{add_shape, covers};
use crate::options::Uninit;
use crate::state::{Frame, State};
use crate::worker::Worker;
use mneme_memory::{End, Life, Model, Truth};
use mneme_program::{Scalar, Slot, width_before};
use mneme_term::{BaseId, BaseKind, Op, Origin, SymbolId, SymbolKind, TermId, Value};
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
    /// The chains that the abstract state would need, if it does not have them.
    pub chains: Option<Vec<Chain>>,
}

/// What a value is, apart from its number.
enum Part {
    Number(TermId),
    Pointer(BaseId, TermId),
}

/// A state with its chains.
pub(super) struct Folded<'a, M: Model> {
    pub state: &'a State<M>,
    pub chains: &'a [Chain],
}

impl<M: Model> Copy for Folded<'_, M> {}

impl<M: Model> Clone for Folded<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

/// The walk.
struct Walk<'a> {
    holes: &'a [Hole],
    old_chains: &'a [Chain],
    chains: &'a [Chain],
    /// Forward places of both where at least one has a chain.
    tails: Vec<(Place, Place)>,
    index: FxHashMap<Home, usize>,
    /// The object of the state for each one of the abstract state, and back.
    to: FxHashMap<BaseId, BaseId>,
    back: FxHashMap<BaseId, BaseId>,
    open: Vec<(BaseId, BaseId)>,
    /// Symbols of bytes that were not written: those of the abstract state and those of the state, both ways.
    unwritten: (FxHashMap<SymbolId, SymbolId>, FxHashMap<SymbolId, SymbolId>),
    /// Objects that are the same in both.
    unchanged: Vec<BaseId>,
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
        old: Folded<M>,
        holes: &[Hole],
        now: Folded<M>,
    ) -> Option<Matched> {
        let (old_chains, chains) = (old.chains, now.chains);
        let (old, state) = (old.state, now.state);
        if !agree(old, state) {
            return None;
        }
        let mut walk = Walk {
            holes,
            old_chains,
            chains,
            tails: Vec::new(),
            index: holes
                .iter()
                .enumerate()
                .map(|(index, hole)| (hole.home, index))
                .collect(),
            to: FxHashMap::default(),
            back: FxHashMap::default(),
            open: Vec::new(),
            unwritten: Default::default(),
            unchanged: Vec::new(),
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
        let mut needed = old_chains.to_vec();
        let mut compared = 0;
        loop {
            while let Some((one, other)) = walk.open.pop() {
                self.compare_objects(prover, &mut walk, old, state, one, other)?;
            }
            let Some(&(place, here)) = walk.tails.get(compared) else {
                break;
            };
            compared += 1;
            compare_nodes(prover, &mut walk, &mut needed, place, here)?;
        }
        let is_compared = |chain: &Chain| walk.tails.iter().any(|&(_, here)| here == chain.from);
        if !chains
            .iter()
            .all(|chain| is_compared(chain) || !walk.back.contains_key(&chain.from.0))
        {
            return None;
        }
        let changed = needed.len() != old_chains.len()
            || needed.iter().zip(old_chains).any(|(one, other)| one.tail != other.tail);
        walk.out.chains = changed.then_some(needed);
        let whole = |(hole, value): (&Hole, &Option<TermId>)| hole.kind == Kind::Bytes || value.is_some();
        if !holes.iter().zip(&walk.out.values).all(whole) {
            return None;
        }
        if !self.is_apart(&walk, old) {
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

    /// Are these bytes that nothing was written to, in objects that correspond? Wherever the one state has them, the
    /// other has the others.
    fn are_unwritten(&self, walk: &mut Walk, before: TermId, now: TermId) -> bool {
        match (self.terms.op(before), self.terms.op(now)) {
            (Op::Symbol(one), Op::Symbol(other)) => {
                let kind = |symbol| &self.terms.symbol_info(symbol).kind;
                let unwritten = |symbol| matches!(kind(symbol), SymbolKind::Uninit(Origin::Site(_)));
                let (to, back) = &mut walk.unwritten;
                unwritten(one)
                    && unwritten(other)
                    && *to.entry(one).or_insert(other) == other
                    && *back.entry(other).or_insert(one) == one
            }
            (Op::Const, Op::Const) => before == now,
            (one, other) => {
                let (parts, like) = (self.terms.children(before), self.terms.children(now));
                let pure = matches!(one, Op::Concat | Op::Extract { .. } | Op::Select);
                let same =
                    one == other && parts.len() == like.len() && self.terms.width(before) == self.terms.width(now);
                pure && same && parts.iter().zip(like).all(|(&a, &b)| self.are_unwritten(walk, a, b))
            }
        }
    }

    /// Symbols of unwritten bytes that differ must not be in objects that were not compared.
    fn is_apart(&mut self, walk: &Walk, old: &State<M>) -> bool {
        let moved: Vec<SymbolId> = { walk.unwritten.0.iter() }
            .filter(|(one, other)| one != other)
            .map(|(one, _)| *one)
            .collect();
        if moved.is_empty() {
            return true;
        }
        let mut scratch = old.clone();
        walk.unchanged.iter().all(|&base| {
            let header = old.memory.header(base);
            let Some(header) = header.filter(|header| !header.constant && header.life == Life::Alive) else {
                return true;
            };
            if header.kind == BaseKind::Function {
                return true;
            }
            let Value::Int(size) = header.size else { return false };
            size <= LARGEST * 32
                && (0..size.div_ceil(8)).all(|index| {
                    let bytes = (size - 8 * index).min(8);
                    let at = |byte: u64| 8 * index + byte;
                    let whole = if bytes == 8 {
                        self.read_bytes(&mut scratch, base, at(0), 8)
                    } else {
                        None
                    };
                    let values: Vec<Option<Value>> = match whole {
                        Some(value) => vec![Some(value)],
                        None => (0..bytes)
                            .map(|byte| self.read_bytes(&mut scratch, base, at(byte), 1))
                            .collect(),
                    };
                    values.into_iter().all(|value| match value {
                        Some(Value::Term(term)) => {
                            !self.terms.symbols(term).iter().any(|symbol| moved.contains(symbol))
                        }
                        Some(_) => true,
                        None => false,
                    })
                })
        })
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
        if let (None, Value::Term(before), Value::Term(now)) = (hole, before, now)
            && self.terms.width(before) == self.terms.width(now)
            && !(self.is_defined(before) && self.is_defined(now))
        {
            return self.are_unwritten(walk, before, now).then_some(());
        }
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
                for &symbol in self.terms.symbols(term).to_vec().iter() {
                    if matches!(self.terms.symbol_info(symbol).kind, SymbolKind::Uninit(Origin::Site(_))) {
                        let (to, back) = &mut walk.unwritten;
                        let same = *to.entry(symbol).or_insert(symbol) == symbol
                            && *back.entry(symbol).or_insert(symbol) == symbol;
                        same.then_some(())?;
                    }
                }
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
        let size = now.size;
        self.note_same(walk, size)?;
        let has_holes = walk.holes.iter().any(|hole| hole.home.is_in(one));
        let mut linked = places_in(walk.old_chains, one);
        linked.extend(places_in(walk.chains, other));
        if one == other && !has_holes && linked.is_empty() && state.memory.is_unchanged(&old.memory, one) {
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
                if linked.contains(&at) {
                    agrees = self.compare_links(walk, &mut memories, (one, at), (other, at));
                    at += u64::from(self.pointer_width() / 8);
                    continue;
                }
                let limit = linked.iter().copied().filter(|&place| place > at).min();
                let limit = limit.unwrap_or(size);
                let bytes = [8, 4, 2, 1]
                    .into_iter()
                    .find(|&bytes| at % bytes == 0 && at + bytes <= limit);
                let bytes = bytes.expect("one byte always fits");
                agrees = self.compare_bytes(prover, walk, &mut memories, (one, other), at, bytes as u32);
                at += bytes;
            }
            let many = { walk.holes.iter() }.filter(|hole| hole.home.is_in(one)).count() + walk.out.new.len() - found;
            if agrees.is_some() && many <= MOST_HOLES {
                return Some(());
            }
        }
        if !linked.is_empty() {
            return None;
        }
        let plain = scattered || self.is_plain(old, one) && self.is_plain(state, other);
        if !plain {
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

    /// Places at which a chain of one of the states begins or ends.
    fn compare_links(
        &mut self,
        walk: &mut Walk,
        memories: &mut (State<M>, State<M>),
        place: Place,
        here: Place,
    ) -> Option<()> {
        let (one, other) = (forward(walk.old_chains, place), forward(walk.chains, here));
        let backwards = (backward(walk.old_chains, place), backward(walk.chains, here));
        let bytes = self.pointer_width() / 8;
        let mut read = |worker: &mut Self, new: bool, (base, offset): Place| {
            let memory = if new { &mut memories.1 } else { &mut memories.0 };
            worker.read_bytes(memory, base, offset, bytes)
        };
        let (base, offset) = place;
        if walk.index.contains_key(&Home::Bytes { base, offset, bytes }) {
            return None;
        }
        if backwards.0.is_some() || backwards.1.is_some() {
            if one.is_some() || other.is_some() {
                return None;
            }
            // The two forward places are compared, which speaks of these, too.
            let mut front = |new: bool, chain: Option<&Chain>, place: Place| match chain {
                Some(chain) => Some(chain.from.0),
                None => match read(self, new, place)? {
                    Value::Ptr { base, .. } => Some(base),
                    _ => None,
                },
            };
            let (front, there) = (front(false, backwards.0, place)?, front(true, backwards.1, here)?);
            return walk.pair(front, there);
        }
        let end = match one {
            Some(chain) => chain.tail.end,
            None => read(self, false, place)?,
        };
        let now = match other {
            Some(chain) => chain.tail.end,
            None => read(self, true, here)?,
        };
        let beyond = match (end, now) {
            (Value::Ptr { base, offset }, Value::Ptr { base: like, offset: at }) if offset == at => {
                walk.pair(base, like)?;
                Some((base, like))
            }
            (Value::Int(one), Value::Int(other)) if one == other => None,
            _ => return None,
        };
        // A chain without nodes is what both places hold then.
        match (one, other) {
            (Some(one), Some(other)) => {
                let alike = one.tail.into == other.tail.into && one.tail.back == other.tail.back;
                let lasts = match (one.last, other.last) {
                    (None, None) => true,
                    (Some(last), Some(like)) => beyond == Some((last.0, like.0)) && last.1 == like.1,
                    _ => false,
                };
                if !alike || !lasts {
                    return None;
                }
            }
            (Some(one), None) => {
                if let (Some((_, at)), Some((_, into))) = (one.last, one.tail.back) {
                    let back = (beyond?.1, at);
                    if read(self, true, back)? != pointer(here.0, into) {
                        return None;
                    }
                }
            }
            (None, Some(other)) => {
                if let (Some((_, at)), Some((_, into))) = (other.last, other.tail.back) {
                    let back = (beyond?.0, at);
                    if read(self, false, back)? != pointer(place.0, into) {
                        return None;
                    }
                }
            }
            (None, None) => return None,
        }
        walk.tails.push((place, here));
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

/// Are the nodes of a chain of the state like those that the abstract state has in the same place? If not, it needs
/// more.
fn compare_nodes<M: Model>(
    prover: &Prover<M>,
    walk: &mut Walk,
    needed: &mut Vec<Chain>,
    place: Place,
    here: Place,
) -> Option<()> {
    let Some(chain) = forward(walk.chains, here) else {
        return Some(());
    };
    let index = needed.iter().position(|known| known.from == place);
    let mut nodes = index.map_or(Vec::new(), |index| needed[index].tail.nodes.clone());
    let mut more = Vec::new();
    for shape in &chain.tail.nodes {
        let pairs = nodes.iter().find_map(|known| {
            let mut pairs = Vec::new();
            covers(known, shape, &mut pairs).then_some(pairs)
        });
        match pairs {
            Some(pairs) => pairs.into_iter().try_for_each(|(one, other)| walk.pair(one, other))?,
            None => more.push(shape.clone()),
        }
    }
    if more.is_empty() && index.is_some() {
        return Some(());
    }
    let tail = Tail {
        nodes: more,
        ..chain.tail.clone()
    };
    let mut tail = tail.renamed(&mut |base| walk.back.get(&base).copied())?;
    for shape in std::mem::take(&mut tail.nodes) {
        if !add_shape(&mut nodes, shape, prover.way.mixed) {
            return None;
        }
    }
    match index {
        Some(index) => needed[index].tail.nodes = nodes,
        None => {
            let beyond = match tail.end {
                Value::Ptr { base, .. } => Some(base),
                _ => None,
            };
            needed.push(Chain {
                from: place,
                last: chain.last.and_then(|(_, at)| Some((beyond?, at))),
                tail: Tail { nodes, ..tail },
                shown: chain.shown,
            });
        }
    }
    Some(())
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
