//! List chains: nodes in a row of which only the ends are objects.
//!
//! A chain stands in a *forward* place, which holds the pointer to the first of its nodes, or, if it has none, to what
//! follows. Each node is a block of the heap with a place of the same offset, which leads to the next. In a doubly
//! linked chain each node also refers to the one before, and a *backward* place may refer to the last one. No other
//! place refers to a node, and no two nodes are the same: ∗ of separation logic.
//!
//! In memory, both places hold a symbol of their own, so that whoever reads one without asking gets any number. Before
//! an instruction accesses such a place, the chain is unfolded there: it is empty, or it has a first (or last) node,
//! which becomes an object like any other.

use super::{Going, Prover, Why};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Alloc, End, Init, Model};
use mneme_program::{Callee, Inst, Scalar};
use mneme_term::{BaseId, BaseKind, Sort, TermId, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// A place in an object.
pub(super) type Place = (BaseId, u64);

/// A chain between objects.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The forward place.
    pub from: Place,
    /// The backward place.
    pub last: Option<Place>,
    pub tail: Tail,
    /// What memory holds in the two places.
    pub shown: (TermId, Option<TermId>),
}

/// Any number of nodes in a row, also none.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tail {
    /// What the last node's forward place holds.
    pub end: Value,
    /// Where in a node the forward places point to.
    pub into: u64,
    /// In nodes of a doubly linked chain: the place that refers to the node before, and where in that it points to.
    pub back: Option<(u64, u64)>,
    /// Each node is like one of these.
    pub nodes: Vec<Shape>,
}

/// What is known of a block.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shape {
    pub site: u32,
    pub align: u64,
    pub size: u64,
    /// In the order of their offsets, without gaps.
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Field {
    pub offset: u64,
    pub bytes: u32,
    pub what: What,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum What {
    /// The forward place and the one that refers back.
    Next,
    Prev,
    Is(Value),
    /// Any number.
    Any,
    Unwritten,
    /// A pointer to this offset of the block itself.
    Own(u64),
    /// A pointer to this offset of a block that nothing else refers to.
    Block(Box<Shape>, u64),
    /// A chain begins here.
    List(Box<Tail>),
}

impl Tail {
    /// The bases that nodes refer to, and the ends of chains in them.
    pub fn references(&self, out: &mut Vec<BaseId>) {
        self.nodes.iter().for_each(|node| node.references(out));
    }

    /// With other bases.
    pub fn renamed(&self, name: &mut dyn FnMut(BaseId) -> Option<BaseId>) -> Option<Tail> {
        let nodes: Option<Vec<Shape>> = self.nodes.iter().map(|node| node.renamed(name)).collect();
        Some(Tail {
            end: renamed(self.end, name)?,
            nodes: nodes?,
            ..*self
        })
    }
}

impl Shape {
    fn references(&self, out: &mut Vec<BaseId>) {
        for field in &self.fields {
            match &field.what {
                What::Is(Value::Ptr { base, .. }) => out.push(*base),
                What::Block(shape, _) => shape.references(out),
                What::List(tail) => {
                    if let Value::Ptr { base, .. } = tail.end {
                        out.push(base);
                    }
                    tail.references(out);
                }
                _ => {}
            }
        }
    }

    fn renamed(&self, name: &mut dyn FnMut(BaseId) -> Option<BaseId>) -> Option<Shape> {
        let mut shape = self.clone();
        for field in &mut shape.fields {
            match &mut field.what {
                What::Is(value) => *value = renamed(*value, name)?,
                What::Block(inner, _) => **inner = inner.renamed(name)?,
                What::List(tail) => **tail = tail.renamed(name)?,
                _ => {}
            }
        }
        Some(shape)
    }
}

fn renamed(value: Value, name: &mut dyn FnMut(BaseId) -> Option<BaseId>) -> Option<Value> {
    match value {
        Value::Ptr { base, offset } => Some(Value::Ptr {
            base: name(base)?,
            offset,
        }),
        value => Some(value),
    }
}

pub(super) fn forward(chains: &[Chain], place: Place) -> Option<&Chain> {
    chains.iter().find(|chain| chain.from == place)
}

pub(super) fn backward(chains: &[Chain], place: Place) -> Option<&Chain> {
    chains.iter().find(|chain| chain.last == Some(place))
}

/// The offsets of an object at which chains begin or end.
pub(super) fn places_in(chains: &[Chain], base: BaseId) -> Vec<u64> {
    let places = chains.iter().flat_map(|chain| [Some(chain.from), chain.last]);
    let places = places.flatten().filter(|place| place.0 == base);
    places.map(|place| place.1).collect()
}

/// Which end of a chain.
#[derive(Copy, Clone, Debug)]
pub(super) enum Side {
    First,
    Last,
}

impl<M: Model> Worker<'_, M> {
    fn pointer_bytes(&self) -> u32 {
        self.pointer_width() / 8
    }

    pub(super) fn word(&self) -> Scalar {
        Scalar::int(self.pointer_width() as u16)
    }

    /// The chain that the next instruction accesses.
    pub(super) fn touched(&self, going: &Going<M>) -> Option<(usize, Side)> {
        if going.chains.is_empty() {
            return None;
        }
        let state = &going.state;
        let frame = state.frame();
        let function = self.program.function(frame.function);
        let inst = function.code[frame.pc as usize];
        let word = u64::from(self.pointer_bytes());
        let at = |base: BaseId, from: u64, to: u64| {
            let hit = |place: Place| place.0 == base && from < place.1.saturating_add(word) && place.1 < to;
            going.chains.iter().enumerate().find_map(|(index, chain)| {
                if hit(chain.from) {
                    return Some((index, Side::First));
                }
                chain.last.filter(|&last| hit(last)).map(|_| (index, Side::Last))
            })
        };
        let anywhere = |value: Value| match value {
            Value::Ptr { base, .. } => at(base, 0, u64::MAX),
            Value::Term(term) => { self.terms.bases(term).iter() }.find_map(|&base| at(base, 0, u64::MAX)),
            _ => None,
        };
        match inst {
            Inst::Load { ty, ptr, .. } | Inst::Store { ty, ptr, .. } => match self.get(state, ptr) {
                Value::Ptr { base, offset } => at(base, offset, offset.saturating_add(ty.bytes().into())),
                value => anywhere(value),
            },
            Inst::Call { call } => {
                let call = &function.calls[call.index()];
                let inside = match call.callee {
                    Callee::Direct(id) => !self.program.function(id).is_declaration(),
                    Callee::Indirect(_) => false,
                };
                match inside {
                    true => None,
                    false => { call.args.iter() }.find_map(|arg| anywhere(self.get(state, arg.value))),
                }
            }
            Inst::MemCopy { dst, src, .. } => [dst, src].into_iter().find_map(|it| anywhere(self.get(state, it))),
            Inst::MemSet { dst: ptr, .. } | Inst::LifetimeStart { ptr, .. } | Inst::LifetimeEnd { ptr, .. } => {
                anywhere(self.get(state, ptr))
            }
            Inst::Intrinsic { id } => {
                let args = &function.intrinsics[id.index()].args;
                args.iter().find_map(|&arg| anywhere(self.get(state, arg)))
            }
            Inst::ByvalCopy { slot, .. } => anywhere(frame.slots[slot as usize]),
            _ => None,
        }
    }

    /// All that the accessed end of a chain can be.
    pub(super) fn unfold(
        &mut self,
        prover: &mut Prover<M>,
        going: Going<M>,
        (index, side): (usize, Side),
    ) -> Result<(), Why> {
        let mut rest = (*going.chains).clone();
        let chain = rest.remove(index);
        self.is_in_place(&going.state, &chain)?;
        let Chain { from, last, tail, .. } = chain;
        let cases = std::iter::once(None).chain(tail.nodes.iter().map(Some));
        for case in cases {
            let (mut state, mut chains) = (going.state.clone(), rest.clone());
            match case {
                None => {
                    self.poke(&mut state, place(from), self.word(), tail.end)?;
                    if let (Some(last), Some((_, into))) = (last, tail.back) {
                        self.poke(&mut state, place(last), self.word(), pointer(from.0, into))?;
                    }
                }
                Some(shape) => {
                    let node = self.make_block(prover, &mut state, shape, &mut chains)?;
                    let next = shape.offset_of(&What::Next).ok_or("a node without a link")?;
                    let prev = shape.offset_of(&What::Prev);
                    let (inner, tail) = match side {
                        Side::First => {
                            self.poke(&mut state, place(from), self.word(), pointer(node, tail.into))?;
                            if let (Some(prev), Some((_, into))) = (prev, tail.back) {
                                self.poke(&mut state, place((node, prev)), self.word(), pointer(from.0, into))?;
                            }
                            (((node, next), last), tail.clone())
                        }
                        Side::Last => {
                            let (last, prev) = last.zip(prev).ok_or("a node without a link back")?;
                            let (_, into) = tail.back.ok_or("a node without a link back")?;
                            self.poke(&mut state, place(last), self.word(), pointer(node, into))?;
                            self.poke(&mut state, place((node, next)), self.word(), tail.end)?;
                            let end = pointer(node, tail.into);
                            ((from, Some((node, prev))), Tail { end, ..tail.clone() })
                        }
                    };
                    let chain = self.put_chain(&mut state, inner.0, inner.1, tail)?;
                    chains.push(chain);
                }
            }
            state.leaks.held = Default::default();
            prover.work.push(Going {
                state,
                from: going.from,
                was: going.was,
                visits: going.visits.clone(),
                chains: Rc::new(chains),
                unfolded: going.unfolded + 1,
            });
        }
        Ok(())
    }

    /// Has nothing but the prover changed the places of a chain?
    pub(super) fn is_in_place(&mut self, state: &State<M>, chain: &Chain) -> Result<(), Why> {
        self.is_forward_in_place(state, chain)?;
        match chain.last.zip(chain.shown.1) {
            Some((last, shown)) => self.still_holds(state, last, shown),
            None => Ok(()),
        }
    }

    pub(super) fn is_forward_in_place(&mut self, state: &State<M>, chain: &Chain) -> Result<(), Why> {
        self.still_holds(state, chain.from, chain.shown.0)
    }

    fn still_holds(&mut self, state: &State<M>, (base, offset): Place, shown: TermId) -> Result<(), Why> {
        let bytes = self.pointer_bytes();
        let mut state = state.clone();
        let alive = state.memory.is_alive(base);
        let there = alive.then(|| self.read_bytes(&mut state, base, offset, bytes));
        let same = there.flatten() == Some(Value::Term(shown));
        same.then_some(()).ok_or("a list that was changed unseen")
    }

    /// Puts a chain into a state. Its places have the references that it has however many nodes there are, for those
    /// who look for what can be reached.
    pub(super) fn put_chain(
        &mut self,
        state: &mut State<M>,
        from: Place,
        last: Option<Place>,
        tail: Tail,
    ) -> Result<Chain, Why> {
        let shown = self.show(tail.end);
        self.poke(state, place(from), self.word(), Value::Term(shown))?;
        let mut back = None;
        if let (Some(last), Some((_, into))) = (last, tail.back) {
            let shown = self.show(pointer(from.0, into));
            self.poke(state, place(last), self.word(), Value::Term(shown))?;
            back = Some(shown);
        }
        let shown = (shown, back);
        Ok(Chain {
            from,
            last,
            tail,
            shown,
        })
    }

    /// Any value, one of which is this.
    fn show(&mut self, value: Value) -> TermId {
        let width = self.pointer_width();
        let any = self.own_symbol("list", Sort::Bits(width));
        let any = self.terms.symbol(any);
        match value {
            Value::Ptr { .. } => {
                let which = self.own_symbol("list", Sort::Bits(1));
                let which = self.terms.symbol(which);
                let value = self.terms.of_value(value, width);
                self.terms.ite(which, value, any)
            }
            _ => any,
        }
    }

    /// A block like this, except for its links.
    fn make_block(
        &mut self,
        prover: &mut Prover<M>,
        state: &mut State<M>,
        shape: &Shape,
        chains: &mut Vec<Chain>,
    ) -> Result<BaseId, Why> {
        let what = Alloc {
            kind: BaseKind::Heap,
            size: Value::Int(shape.size),
            align: shape.align,
            site: shape.site,
            init: Init::Undefined,
        };
        let made = self.with_memory(state, |memory, cx| memory.alloc(cx, what)).sole();
        let made = made.ok_or("a block that cannot be made")?;
        let End::Done(Value::Ptr { base, .. }) = made.end else {
            return Err("a block that cannot be made");
        };
        state.memory = made.memory;
        for field in &shape.fields {
            let (at, ty) = ((base, field.offset), Scalar::int(8 * field.bytes as u16));
            let value = match &field.what {
                What::Next | What::Prev | What::Unwritten => continue,
                What::Is(value) => *value,
                What::Any => {
                    prover.stored.insert((base.0, field.offset, field.bytes));
                    let name = self.place_name(base, field.offset);
                    let any = self.own_symbol(&name, Sort::Bits(8 * field.bytes));
                    Value::Term(self.terms.symbol(any))
                }
                What::Own(offset) => pointer(base, *offset),
                What::Block(inner, offset) => {
                    let inner = self.make_block(prover, state, inner, chains)?;
                    pointer(inner, *offset)
                }
                What::List(tail) => {
                    let chain = self.put_chain(state, at, None, (**tail).clone())?;
                    chains.push(chain);
                    continue;
                }
            };
            self.poke(state, place(at), ty, value)?;
        }
        Ok(base)
    }

    /// The chains of an abstract state, for people.
    pub(super) fn describe_chains(&self, chains: &[Chain]) -> Vec<String> {
        let describe = |chain: &Chain| {
            let (from, end) = (
                self.place_name(chain.from.0, chain.from.1),
                self.value_name(chain.tail.end),
            );
            let back = chain
                .last
                .map(|(base, offset)| format!(", and back from {}", self.place_name(base, offset)));
            let nodes = self.describe_nodes(&chain.tail);
            format!("{from} leads to {end}{} through {nodes}", back.unwrap_or_default())
        };
        chains.iter().map(describe).collect()
    }

    fn value_name(&self, value: Value) -> String {
        match value {
            Value::Int(0) => "null".into(),
            Value::Int(number) => number.to_string(),
            Value::Ptr { base, offset } => format!("&{}", self.place_name(base, offset)),
            _ => "?".into(),
        }
    }

    fn describe_nodes(&self, tail: &Tail) -> String {
        let nodes: Vec<String> = tail.nodes.iter().map(|node| self.describe_block(node)).collect();
        let linked = if tail.back.is_some() { " linked both ways" } else { "" };
        format!("any number of blocks {}{linked}", nodes.join(" or "))
    }

    fn describe_block(&self, shape: &Shape) -> String {
        let fields = shape.fields.iter().filter_map(|field| {
            let what = match &field.what {
                What::Next => "next".into(),
                What::Prev => "previous".into(),
                What::Is(value) => self.value_name(*value),
                What::Any => "any number".into(),
                What::Unwritten => return None,
                What::Own(offset) => format!("&itself+{offset}"),
                What::Block(inner, _) => self.describe_block(inner),
                What::List(tail) => format!("{} up to {}", self.describe_nodes(tail), self.value_name(tail.end)),
            };
            Some(format!("+{}: {what}", field.offset))
        });
        let fields: Vec<String> = fields.collect();
        format!("{{{}}}", fields.join(", "))
    }
}

impl Shape {
    pub fn offset_of(&self, what: &What) -> Option<u64> {
        self.fields
            .iter()
            .find(|field| field.what == *what)
            .map(|field| field.offset)
    }
}

pub(super) fn place((base, offset): Place) -> Value {
    Value::Ptr { base, offset }
}

pub(super) fn pointer(base: BaseId, offset: u64) -> Value {
    Value::Ptr { base, offset }
}

/// The bases that chains refer to besides those in their places.
pub(super) fn bases_in_nodes(chains: &[Chain]) -> FxHashSet<BaseId> {
    let mut out = Vec::new();
    chains.iter().for_each(|chain| chain.tail.references(&mut out));
    out.into_iter().collect()
}
