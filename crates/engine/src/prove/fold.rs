//! Folding: nodes of a list that only their neighbours refer to become a chain, and chains side by side become one.
//!
//! A state implies what it is folded to: each node that goes is like one of the chain's shapes, and separate from all
//! else. What is forgotten is how many there are, and, where shapes are joined, which is like which.

use super::chains::{Chain, Field, Place, Shape, Tail, What, backward, bases_in_nodes, forward, pointer};
use super::{Prover, Why};
use crate::leaks::bases_of;
use crate::state::{Pending, State};
use crate::worker::Worker;
use mneme_memory::{Life, Model, NO_SITE};
use mneme_term::{BaseId, BaseKind, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Larger blocks are no nodes.
const LARGEST_NODE: u64 = 512;
/// Larger objects are not searched for places that refer to nodes.
const LARGEST_OBJECT: u64 = 4096;
/// How many shapes the nodes of a chain may have.
const MOST_SHAPES: usize = 6;
/// How deep lists are in nodes of lists.
const DEEPEST: u32 = 4;

/// Who refers to a block of the heap: all places, or `None` if there are others.
type Referrers = FxHashMap<BaseId, Option<Vec<Place>>>;

/// What makes up a node: its shape, and what goes with it.
struct Parts {
    shape: Shape,
    blocks: Vec<BaseId>,
    /// The places where inner chains begin.
    inner: Vec<Place>,
}

impl<M: Model> Worker<'_, M> {
    /// Folds what can be folded. `mixed`: nodes of different shapes may be in one chain.
    pub(super) fn fold(
        &mut self,
        prover: &Prover<M>,
        state: &mut State<M>,
        chains: &mut Vec<Chain>,
    ) -> Result<bool, Why> {
        let mut changed = false;
        'again: loop {
            if self.is_over() {
                return Err(super::OVER);
            }
            let referrers = self.referrers(state, chains);
            let mut nodes: Vec<BaseId> = referrers.keys().copied().collect();
            nodes.sort_unstable();
            for node in nodes {
                if self.fold_node(prover, state, chains, &referrers, node)?.is_some() {
                    changed = true;
                    continue 'again;
                }
            }
            return Ok(changed);
        }
    }

    /// Which places refer to the live blocks of the heap.
    fn referrers(&mut self, state: &State<M>, chains: &[Chain]) -> Referrers {
        let mut out: Referrers = { state.memory.alive(BaseKind::Heap).into_iter() }
            .map(|base| (base, Some(Vec::new())))
            .collect();
        let mut other: Vec<BaseId> = bases_in_nodes(chains).into_iter().collect();
        for level in 0..state.frames.len() {
            let frame = state.frames[level].clone();
            let live = self.read_later(&frame, level + 1 == state.frames.len());
            for (&value, _) in frame.slots.iter().zip(live).filter(|(_, live)| *live) {
                bases_of(&self.terms, value, &mut other);
            }
            let further = frame.variadic().iter();
            further.for_each(|arg| bases_of(&self.terms, arg.value, &mut other));
        }
        for pending in state.pending.iter() {
            if let Pending::Call { args, .. } | Pending::Main { args, .. } | Pending::Second { args, .. } = pending {
                args.iter().for_each(|&arg| bases_of(&self.terms, arg, &mut other));
            }
        }
        let mut scratch = state.clone();
        for kind in [BaseKind::Global, BaseKind::Stack, BaseKind::Heap] {
            for base in state.memory.alive(kind) {
                let mut referred = state.memory.references(&mut self.terms, base);
                referred.retain(|target| out.contains_key(target));
                if !referred.is_empty() {
                    self.note_places(&mut scratch, chains, base, referred, &mut out, &mut other);
                }
            }
        }
        for base in other {
            if let Some(places) = out.get_mut(&base) {
                *places = None;
            }
        }
        out
    }

    /// Where an object refers to blocks.
    fn note_places(
        &mut self,
        scratch: &mut State<M>,
        chains: &[Chain],
        base: BaseId,
        referred: Vec<BaseId>,
        out: &mut Referrers,
        other: &mut Vec<BaseId>,
    ) {
        let word = self.pointer_width() / 8;
        let size = scratch.memory.header(base).map(|header| header.size);
        let Some(Value::Int(size)) = size.filter(|size| matches!(size, Value::Int(n) if *n <= LARGEST_OBJECT)) else {
            return other.extend(referred);
        };
        let mut found = FxHashSet::default();
        let mut at = 0;
        while at + u64::from(word) <= size {
            let here = (base, at);
            let target = match (forward(chains, here), backward(chains, here)) {
                (Some(chain), _) => match chain.tail.end {
                    Value::Ptr { base, .. } => Some(base),
                    _ => None,
                },
                (_, Some(chain)) => Some(chain.from.0),
                _ => match self.read_bytes(scratch, base, at, word) {
                    Some(Value::Ptr { base, .. }) => Some(base),
                    Some(Value::Term(term)) => {
                        other.extend(self.terms.bases(term));
                        None
                    }
                    Some(_) => None,
                    None => return other.extend(referred),
                },
            };
            if let Some(target) = target {
                found.insert(target);
                if let Some(Some(places)) = out.get_mut(&target) {
                    places.push(here);
                }
            }
            at += u64::from(word);
        }
        other.extend(referred.into_iter().filter(|target| !found.contains(target)));
    }

    /// Can a block become part of a chain, as far as it alone is concerned?
    fn is_node(&self, state: &State<M>, base: BaseId) -> Option<u64> {
        let header = state.memory.header(base)?;
        let fits = header.kind == BaseKind::Heap
            && header.life == Life::Alive
            && header.gone().is_empty()
            && header.is_like(header)
            && !header.constant
            && !header.is_looked_at()
            && !state.leaks.reported.contains(&base);
        match header.size {
            Value::Int(size) if fits && size <= LARGEST_NODE && size == header.room => Some(size),
            _ => None,
        }
    }

    /// Makes a node part of the chain in front of it, if it can be.
    fn fold_node(
        &mut self,
        prover: &Prover<M>,
        state: &mut State<M>,
        chains: &mut Vec<Chain>,
        referrers: &Referrers,
        node: BaseId,
    ) -> Result<Option<()>, Why> {
        let Some(Some(places)) = referrers.get(&node) else {
            return Ok(None);
        };
        if places.is_empty() || places.len() > 2 {
            return Ok(None);
        }
        for (index, &from) in places.iter().enumerate() {
            let back = places
                .iter()
                .enumerate()
                .find(|(other, _)| *other != index)
                .map(|(_, place)| *place);
            let Some((parts, tail, last)) = self.as_node(prover, state, chains, referrers, node, from, back) else {
                continue;
            };
            let goes: FxHashSet<BaseId> = parts.blocks.iter().copied().collect();
            chains.retain(|chain| {
                chain.from != from && !goes.contains(&chain.from.0) && !parts.inner.contains(&chain.from)
            });
            for &block in &parts.blocks {
                if !state.memory.fast_free(block, NO_SITE) {
                    return Err("a block that cannot be folded");
                }
            }
            let chain = self.put_chain(state, from, last, tail)?;
            chains.push(chain);
            state.leaks.held = Default::default();
            return Ok(Some(()));
        }
        Ok(None)
    }

    /// What `node` becomes if the place `from` in front of it begins a chain, to whose last node `back` refers.
    #[allow(clippy::too_many_arguments)]
    fn as_node(
        &mut self,
        prover: &Prover<M>,
        state: &State<M>,
        chains: &[Chain],
        referrers: &Referrers,
        node: BaseId,
        from: Place,
        back: Option<Place>,
    ) -> Option<(Parts, Tail, Option<Place>)> {
        let size = self.is_node(state, node)?;
        let (front, next) = from;
        if front == node || self.is_node(state, front)? != size {
            return None;
        }
        let mut scratch = state.clone();
        let before = forward(chains, from).cloned();
        let after = forward(chains, (node, next)).cloned();
        let lead = match &before {
            Some(before) => before.tail.end,
            None => self.read_word(&mut scratch, from)?,
        };
        let Value::Ptr { base, offset: into } = lead else {
            return None;
        };
        if base != node {
            return None;
        }
        let end = match &after {
            Some(after) => after.tail.end,
            None => self.read_word(&mut scratch, (node, next))?,
        };
        if !matches!(end, Value::Int(_) | Value::Ptr { .. }) {
            return None;
        }
        let parts: Vec<&Chain> = [&before, &after].into_iter().flatten().collect();
        if prover.way.rows && parts.is_empty() {
            let Value::Ptr { base: second, .. } = end else {
                return None;
            };
            if second == node || second == front || self.is_node(state, second)? != size {
                return None;
            }
        }
        if parts.iter().any(|part| part.tail.into != into) {
            return None;
        }
        // Which way back the nodes have.
        let links = match parts.first() {
            Some(part) => part.tail.back,
            None => self.link_back(&mut scratch, node, next, front, size),
        };
        if parts.iter().any(|part| part.tail.back != links) {
            return None;
        }
        if let Some((prev, target)) = links {
            let refers = match &before {
                Some(before) if before.last.is_some() => before.last == Some((node, prev)),
                _ => before.is_none() && self.read_word(&mut scratch, (node, prev)) == Some(pointer(front, target)),
            };
            if !refers {
                return None;
            }
        }
        // Who refers to the last node.
        let last = match (&after, back) {
            (Some(after), back) => (after.last == back).then_some(back)?,
            (None, None) => None,
            (None, Some(back)) => {
                let (_, target) = links?;
                let refers = self.read_word(&mut scratch, back) == Some(pointer(node, target));
                let beyond = matches!(end, Value::Ptr { base, .. } if base == back.0);
                (refers && beyond).then_some(Some(back))?
            }
        };
        if last.is_some() && links.is_none() {
            return None;
        }
        let mut parts = Parts {
            shape: self.shape_of(state, node, size),
            blocks: vec![node],
            inner: Vec::new(),
        };
        let special = [Some((next, What::Next)), links.map(|(prev, _)| (prev, What::Prev))];
        let special: Vec<(u64, What)> = special.into_iter().flatten().collect();
        if special.len() == 2 && special[0].0 == special[1].0 {
            return None;
        }
        self.describe(prover, &mut scratch, chains, referrers, node, &special, &mut parts, 0)?;
        let mut nodes = before.map_or(Vec::new(), |before| before.tail.nodes);
        let more = after.map_or(Vec::new(), |after| after.tail.nodes);
        for shape in std::iter::once(parts.shape.clone()).chain(more) {
            if !add_shape(&mut nodes, shape, prover.way.mixed) {
                return None;
            }
        }
        let tail = Tail {
            end,
            into,
            back: links,
            nodes,
        };
        Some((parts, tail, last))
    }

    fn shape_of(&self, state: &State<M>, base: BaseId, size: u64) -> Shape {
        let info = self.terms.base_info(base);
        debug_assert!(state.memory.is_alive(base));
        Shape {
            site: info.site,
            align: info.align,
            size,
            fields: Vec::new(),
        }
    }

    fn read_word(&mut self, scratch: &mut State<M>, (base, offset): Place) -> Option<Value> {
        let bytes = self.pointer_width() / 8;
        self.read_bytes(scratch, base, offset, bytes)
    }

    /// The place of a node that refers to the one in front of it, and where in that it points to.
    fn link_back(
        &mut self,
        scratch: &mut State<M>,
        node: BaseId,
        next: u64,
        front: BaseId,
        size: u64,
    ) -> Option<(u64, u64)> {
        let word = u64::from(self.pointer_width() / 8);
        let places = (0..size / word).map(|index| index * word).filter(|&at| at != next);
        let places: Vec<u64> = places.collect();
        places
            .into_iter()
            .find_map(|at| match self.read_word(scratch, (node, at)) {
                Some(Value::Ptr { base, offset }) if base == front => Some((at, offset)),
                _ => None,
            })
    }

    /// What a block holds.
    #[allow(clippy::too_many_arguments)]
    fn describe(
        &mut self,
        prover: &Prover<M>,
        scratch: &mut State<M>,
        chains: &[Chain],
        referrers: &Referrers,
        block: BaseId,
        special: &[(u64, What)],
        parts: &mut Parts,
        depth: u32,
    ) -> Option<()> {
        let word = u64::from(self.pointer_width() / 8);
        let size = parts.shape.size;
        let mut at = 0;
        while at < size {
            if let Some((_, what)) = special.iter().find(|(offset, _)| *offset == at) {
                parts.shape.push(at, word as u32, what.clone());
                at += word;
                continue;
            }
            if backward(chains, (block, at)).is_some() {
                return None;
            }
            if let Some(chain) = forward(chains, (block, at)) {
                // Of its nodes, none else knows.
                if chain.last.is_some() {
                    return None;
                }
                parts.inner.push((block, at));
                parts
                    .shape
                    .push(at, word as u32, What::List(Box::new(chain.tail.clone())));
                at += word;
                continue;
            }
            if at % word == 0
                && at + word <= size
                && let Some(Value::Ptr { base, offset }) = self.read_word(scratch, (block, at))
            {
                let what = self.describe_pointer(
                    prover,
                    scratch,
                    chains,
                    referrers,
                    block,
                    at,
                    (base, offset),
                    parts,
                    depth,
                )?;
                parts.shape.push(at, word as u32, what);
                at += word;
                continue;
            }
            let limit = special
                .iter()
                .map(|(offset, _)| *offset)
                .filter(|&offset| offset > at)
                .min();
            let limit = limit.unwrap_or(size);
            let (bytes, what) = [8, 4, 2, 1].into_iter().find_map(|bytes: u64| {
                let fits = at % bytes == 0 && at + bytes <= limit && (bytes <= word || bytes == 8);
                let whole = fits.then(|| self.plain_field(prover, scratch, block, at, bytes as u32))??;
                Some((bytes, whole))
            })?;
            parts.shape.push(at, bytes as u32, what);
            at += bytes;
        }
        Some(())
    }

    #[allow(clippy::too_many_arguments)]
    fn describe_pointer(
        &mut self,
        prover: &Prover<M>,
        scratch: &mut State<M>,
        chains: &[Chain],
        referrers: &Referrers,
        block: BaseId,
        at: u64,
        (base, offset): Place,
        parts: &mut Parts,
        depth: u32,
    ) -> Option<What> {
        if base == block {
            return Some(What::Own(offset));
        }
        if parts.blocks.contains(&base) {
            return None;
        }
        let sole = matches!(referrers.get(&base), Some(Some(places)) if places[..] == [(block, at)]);
        let size = sole.then(|| self.is_node(scratch, base)).flatten();
        let Some(size) = size.filter(|_| depth < DEEPEST) else {
            return Some(What::Is(pointer(base, offset)));
        };
        let mut inner = Parts {
            shape: self.shape_of(scratch, base, size),
            blocks: std::mem::take(&mut parts.blocks),
            inner: std::mem::take(&mut parts.inner),
        };
        inner.blocks.push(base);
        let done = self.describe(prover, scratch, chains, referrers, base, &[], &mut inner, depth + 1);
        parts.blocks = inner.blocks;
        parts.inner = inner.inner;
        done?;
        Some(What::Block(Box::new(inner.shape), offset))
    }

    /// Bytes that are one number, or that nothing was written to.
    fn plain_field(
        &mut self,
        prover: &Prover<M>,
        scratch: &mut State<M>,
        block: BaseId,
        at: u64,
        bytes: u32,
    ) -> Option<What> {
        let any = self.options.uninit == crate::options::Uninit::Any;
        match self.read_bytes(scratch, block, at, bytes)? {
            Value::Int(number) => Some(What::Is(Value::Int(number))),
            Value::Undef => Some(if any { What::Any } else { What::Unwritten }),
            Value::Ptr { .. } => None,
            Value::Term(term) if self.terms.has_base(term) => None,
            Value::Term(term) => {
                let whole = bytes == 1 || prover.is_stored(block, block, at, bytes);
                if self.is_defined(term) {
                    let split = bytes == 8 && !whole;
                    return (!split).then_some(What::Any);
                }
                // Nothing of it is defined, or it is looked at more closely.
                let unwritten = bytes == 1 || self.is_all_unwritten(term);
                (unwritten && !self.is_poison(term)).then_some(What::Unwritten)
            }
        }
    }

    fn is_all_unwritten(&self, term: mneme_term::TermId) -> bool {
        use mneme_term::{Op, SymbolKind};
        match self.terms.op(term) {
            Op::Symbol(symbol) => matches!(self.terms.symbol_info(symbol).kind, SymbolKind::Uninit(_)),
            Op::Concat => self
                .terms
                .children(term)
                .iter()
                .all(|&part| self.is_all_unwritten(part)),
            Op::Extract { .. } | Op::Select => self.is_all_unwritten(self.terms.children(term)[0]),
            _ => false,
        }
    }

    /// Does it depend on an operation that has no result?
    fn is_poison(&self, term: mneme_term::TermId) -> bool {
        use mneme_term::{Origin, SymbolKind};
        self.terms.symbols(term).iter().any(|&symbol| {
            matches!(
                self.terms.symbol_info(symbol).kind,
                SymbolKind::Uninit(Origin::Operation { .. })
            )
        })
    }
}

impl Shape {
    fn push(&mut self, offset: u64, bytes: u32, what: What) {
        self.fields.push(Field { offset, bytes, what });
    }

    /// With fields that end at these offsets, too.
    fn cut(&self, at: &BTreeSet<u64>) -> Option<Shape> {
        let mut out = Shape {
            fields: Vec::new(),
            ..*self
        };
        for field in &self.fields {
            let end = field.offset + u64::from(field.bytes);
            let mut from = field.offset;
            for to in at
                .iter()
                .copied()
                .filter(|&at| at > from && at < end)
                .chain([end])
                .collect::<Vec<_>>()
            {
                let bytes = (to - from) as u32;
                let what = match &field.what {
                    what if bytes == field.bytes => what.clone(),
                    What::Is(Value::Int(number)) => {
                        let shifted = number >> (8 * (from - field.offset));
                        What::Is(Value::Int(shifted & (u64::MAX >> (64 - 8 * bytes))))
                    }
                    what @ (What::Any | What::Unwritten) => what.clone(),
                    _ => return None,
                };
                out.push(from, bytes, what);
                from = to;
            }
        }
        Some(out)
    }
}

/// Both with fields at the same offsets.
fn aligned(one: &Shape, other: &Shape) -> Option<(Shape, Shape)> {
    if one.size != other.size || one.site != other.site || one.align != other.align {
        return None;
    }
    let ends = |shape: &Shape| {
        { shape.fields.iter() }
            .map(|field| field.offset)
            .collect::<BTreeSet<u64>>()
    };
    if ends(one) == ends(other) {
        return Some((one.clone(), other.clone()));
    }
    let all = &ends(one) | &ends(other);
    Some((one.cut(&all)?, other.cut(&all)?))
}

/// Is every block like `other` also like `one`? Then the bases of one correspond to those of the other as `same` says.
pub(super) fn covers(one: &Shape, other: &Shape, same: &mut Vec<(BaseId, BaseId)>) -> bool {
    let Some((one, other)) = aligned(one, other) else {
        return false;
    };
    one.fields
        .iter()
        .zip(&other.fields)
        .all(|(a, b)| match (&a.what, &b.what) {
            (What::Next, What::Next) | (What::Prev, What::Prev) => true,
            (What::Any, What::Any | What::Is(Value::Int(_))) | (What::Unwritten, What::Unwritten) => true,
            (What::Is(a), What::Is(b)) => is_same(*a, *b, same),
            (What::Own(a), What::Own(b)) => a == b,
            (What::Block(a, from), What::Block(b, at)) => from == at && covers(a, b, same),
            (What::List(a), What::List(b)) => tail_covers(a, b, same),
            (What::List(a), What::Is(value)) => is_same(a.end, *value, same),
            _ => false,
        })
}

fn tail_covers(one: &Tail, other: &Tail, same: &mut Vec<(BaseId, BaseId)>) -> bool {
    let alike = one.into == other.into && one.back == other.back && is_same(one.end, other.end, same);
    alike
        && other.nodes.iter().all(|node| {
            one.nodes.iter().any(|shape| {
                let before = same.len();
                let covered = covers(shape, node, same);
                if !covered {
                    same.truncate(before);
                }
                covered
            })
        })
}

/// Are these the same if bases correspond?
fn is_same(one: Value, other: Value, same: &mut Vec<(BaseId, BaseId)>) -> bool {
    match (one, other) {
        (Value::Ptr { base, offset }, Value::Ptr { base: like, offset: at }) => {
            same.push((base, like));
            offset == at
        }
        (one, other) => one == other,
    }
}

/// The least shape found that covers both. Numbers are joined only if `numbers` says so.
fn join(one: &Shape, other: &Shape, numbers: bool) -> Option<Shape> {
    let (mut joined, other) = aligned(one, other)?;
    for (field, b) in joined.fields.iter_mut().zip(&other.fields) {
        let number = |what: &What| matches!(what, What::Any | What::Is(Value::Int(_)));
        let what = match (&field.what, &b.what) {
            (a, b) if a == b => a.clone(),
            (a, b) if numbers && number(a) && number(b) => What::Any,
            (What::Block(a, from), What::Block(b, at)) if from == at => {
                What::Block(Box::new(join(a, b, numbers)?), *from)
            }
            (What::List(a), What::List(b)) => What::List(Box::new(join_tails(a, b)?)),
            (What::List(a), What::Is(value)) if a.end == *value => What::List(a.clone()),
            (What::Is(value), What::List(b)) if b.end == *value => What::List(b.clone()),
            _ => return None,
        };
        field.what = what;
    }
    Some(joined)
}

fn join_tails(one: &Tail, other: &Tail) -> Option<Tail> {
    if one.end != other.end || one.into != other.into || one.back != other.back {
        return None;
    }
    let mut joined = one.clone();
    let added = other
        .nodes
        .iter()
        .all(|shape| add_shape(&mut joined.nodes, shape.clone(), true));
    added.then_some(joined)
}

/// Makes the shapes of a chain cover one more. False: they cannot.
pub(super) fn add_shape(nodes: &mut Vec<Shape>, shape: Shape, mixed: bool) -> bool {
    let is_in = |node: &Shape| {
        let mut same = Vec::new();
        covers(node, &shape, &mut same) && same.iter().all(|(a, b)| a == b)
    };
    if nodes.iter().any(is_in) {
        return true;
    }
    if absorb(nodes, &shape, false) {
        return true;
    }
    if !mixed && !nodes.is_empty() {
        return false;
    }
    if nodes.len() < MOST_SHAPES {
        nodes.push(shape);
        return true;
    }
    absorb(nodes, &shape, true)
}

/// Makes one of the shapes cover one more.
fn absorb(nodes: &mut [Shape], shape: &Shape, numbers: bool) -> bool {
    let joined = nodes
        .iter_mut()
        .find_map(|node| Some((join(node, shape, numbers)?, node)));
    joined.map(|(joined, node)| *node = joined).is_some()
}
