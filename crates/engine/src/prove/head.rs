//! The abstract states of a loop head: what they hold, what they cover, and how they grow.
//!
//! An abstract state is a state in which some places (*holes*) hold a symbol of their own. It stands for every state
//! that holds the same apart from these, with numbers in them that satisfy its path condition. So a state is covered if
//! it corresponds to the abstract one ([`super::compare`]), and if its own path condition implies every clause of the
//! abstract one, with its values in place of the symbols. Only this check is trusted: which places become holes and
//! which clauses are tried ([`super::templates`]) is a guess.

use super::chains::{Chain, backward, forward};
use super::compare::{Folded, Hole, Home, Kind, Matched, New};
use super::templates::{Atom, guesses};
use super::{Prover, SHORT, Why};
use crate::state::State;
use crate::worker::Worker;
use mneme_memory::{Model, Truth};
use mneme_program::{Constant, Scalar};
use mneme_solver::PathCondition;
use mneme_term::{Assignment, Sort, Symbol, SymbolId, SymbolKind, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many clauses are asked about at a time.
const AT_ONCE: usize = 48;
/// After so many changes, no new clauses are guessed: what holds only becomes less.
const GUESSING: u32 = 8;
/// How many examples guesses are built from.
const EXAMPLES: usize = 12;

pub(super) struct Head<M: Model> {
    pub state: State<M>,
    pub chains: Rc<Vec<Chain>>,
    pub holes: Vec<Hole>,
    /// How often it has grown.
    pub generation: u32,
    /// What it holds besides symbols, as a hash.
    pub print: u64,
}

impl<M: Model> Head<M> {
    pub fn folded(&self) -> Folded<'_, M> {
        Folded {
            state: &self.state,
            chains: &self.chains,
        }
    }
}

/// A state that an abstract one has to cover, with its value of each hole.
pub(super) struct Member<M: Model> {
    state: State<M>,
    values: FxHashMap<TermId, TermId>,
}

impl<M: Model> Worker<'_, M> {
    /// A symbol for a number of which nothing is known.
    pub(super) fn any_value(&mut self, width: u32) -> TermId {
        let symbol = self.own_symbol("any", Sort::Bits(width));
        self.terms.symbol(symbol)
    }

    fn hole_name(&self, state: &State<M>, home: Home) -> String {
        match home {
            Home::Slot { level, slot } => {
                let function = self.program.function(state.frames[level].function);
                self.slot_name(function, slot).unwrap_or("?").into()
            }
            Home::Bytes { base, offset, .. } => self.place_name(base, offset),
            Home::Whole(base) => self.place_name(base, 0),
        }
    }

    pub(super) fn own_symbol(&mut self, name: &str, sort: Sort) -> SymbolId {
        self.proving.made += 1;
        self.terms.symbol_id(Symbol {
            name: format!("{name}#{}", self.proving.made),
            kind: SymbolKind::Fresh,
            sort,
        })
    }

    /// Is the state covered? It corresponds as `matched` says.
    pub(super) fn is_covered_by(&mut self, head: &Head<M>, matched: &Matched, state: &State<M>) -> bool {
        if !matched.new.is_empty() || matched.chains.is_some() {
            return false;
        }
        let member = Member {
            state: state.clone(),
            values: self.values_of(&head.holes, &matched.values),
        };
        let mut clauses = head.state.path.condition.clauses().to_vec();
        let all = clauses.len();
        self.keep_implied(&member, &mut clauses, true, &mut Vec::new());
        clauses.len() == all
    }

    fn values_of(&mut self, holes: &[Hole], values: &[Option<TermId>]) -> FxHashMap<TermId, TermId> {
        let known = holes.iter().zip(values).filter(|(hole, _)| hole.kind != Kind::Bytes);
        let known: Vec<(SymbolId, TermId)> = known
            .filter_map(|(hole, value)| Some((hole.symbol, (*value)?)))
            .collect();
        known
            .into_iter()
            .map(|(symbol, value)| (self.terms.symbol(symbol), value))
            .collect()
    }

    /// Keeps the clauses that hold for every input that leads to a state. `all`: it is enough to know whether that is
    /// all of them. The examples that refute clauses are collected.
    fn keep_implied(
        &mut self,
        member: &Member<M>,
        clauses: &mut Vec<TermId>,
        all: bool,
        examples: &mut Vec<Rc<Assignment>>,
    ) {
        let own: FxHashSet<TermId> = member.state.path.condition.clauses().iter().copied().collect();
        let mut pending: Vec<(TermId, TermId)> = Vec::new();
        let mut kept: FxHashSet<TermId> = FxHashSet::default();
        for &clause in clauses.iter() {
            let here = self.terms.substitute_map(clause, &member.values);
            match self.terms.is_true(here) || own.contains(&here) {
                true => _ = kept.insert(clause),
                false if self.terms.is_false(here) && all => return clauses.clear(),
                false if self.terms.is_false(here) => {}
                false => pending.push((clause, here)),
            }
        }
        let mut chunks: Vec<Vec<(TermId, TermId)>> = pending.chunks(AT_ONCE).map(<[_]>::to_vec).collect();
        while let Some(mut chunk) = chunks.pop() {
            let mut broken = self.terms.fls();
            for &(_, here) in &chunk {
                let not = self.terms.not(here);
                broken = self.terms.or(broken, not);
            }
            if self.is_over() {
                return clauses.clear();
            }
            match self.may_within(&member.state, broken, SHORT) {
                Truth::Never => kept.extend(chunk.iter().map(|(clause, _)| *clause)),
                _ if all => return clauses.clear(),
                Truth::Sometimes(example) => {
                    let before = chunk.len();
                    chunk.retain(|&(_, here)| !self.evaluate_with(&member.state, here, &example).is_zero());
                    examples.push(example);
                    if !chunk.is_empty() && chunk.len() < before {
                        chunks.push(chunk);
                    }
                }
                Truth::Unknown(_) if chunk.len() > 1 => {
                    let rest = chunk.split_off(chunk.len() / 2);
                    chunks.extend([chunk, rest]);
                }
                Truth::Unknown(_) => {}
            }
        }
        clauses.retain(|clause| kept.contains(clause));
    }

    /// An abstract state that stands for at least a state: symbols in it are holes.
    pub(super) fn new_head(
        &mut self,
        prover: &Prover<M>,
        state: &State<M>,
        chains: &Rc<Vec<Chain>>,
        print: u64,
    ) -> Result<Head<M>, Why> {
        let (new, fixed) = self.symbolic_holes(prover, state, chains);
        let mut renamed: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut grown = self.with_holes(state, &[], &new)?;
        let mut exact = Vec::new();
        for (hole, new) in grown.1.iter().zip(&new) {
            let (own, value) = (self.terms.symbol(hole.symbol), new.now.expect("a symbolic value"));
            if matches!(self.terms.op(value), mneme_term::Op::Symbol(_)) {
                renamed.entry(value).or_insert(own);
            }
            exact.push((own, value));
        }
        // What is known of symbols that are holes now is known of these.
        let known: FxHashSet<TermId> = renamed.keys().copied().collect();
        let mut candidates = Vec::new();
        let speaks = |worker: &mut Self, term: TermId| {
            let symbols = worker.terms.symbols(term).to_vec();
            symbols.iter().all(|&symbol| {
                let is_array = matches!(worker.terms.symbol_info(symbol).sort, Sort::Array { .. });
                let own = worker.terms.symbol(symbol);
                is_array || fixed.contains(&symbol) || known.contains(&own)
            })
        };
        for clause in state.path.condition.clauses().to_vec() {
            if !self.terms.has_base(clause) && speaks(self, clause) {
                candidates.push(self.terms.substitute_map(clause, &renamed));
            }
        }
        for (own, value) in exact {
            if speaks(self, value) {
                let value = self.terms.substitute_map(value, &renamed);
                candidates.push(self.terms.eq(own, value));
            }
        }
        let nows: Vec<Option<TermId>> = new.iter().map(|new| new.now).collect();
        let member = Member {
            state: state.clone(),
            values: self.values_of(&grown.1, &nows),
        };
        let same: Vec<TermId> = Vec::new();
        self.fill_in(&mut grown, &[member], candidates, &same, true);
        Ok(Head {
            state: grown.0,
            chains: chains.clone(),
            holes: grown.1,
            generation: 0,
            print,
        })
    }

    /// The least abstract state found that stands for all that `head` stands for, and for a state.
    pub(super) fn widen(&mut self, head: &Head<M>, matched: &Matched, state: &State<M>) -> Result<Head<M>, Why> {
        let given_up: Vec<_> = { matched.new.iter() }
            .filter_map(|new| match new.home {
                Home::Whole(base) => Some(base),
                _ => None,
            })
            .collect();
        let stays = |hole: &Hole| !given_up.iter().any(|&base| hole.home.is_in(base));
        let lost: FxHashSet<SymbolId> = head
            .holes
            .iter()
            .filter(|hole| !stays(hole))
            .map(|hole| hole.symbol)
            .collect();
        let kept: Vec<Hole> = head.holes.iter().copied().filter(|hole| stays(hole)).collect();
        let mut grown = self.with_holes(&head.state, &kept, &matched.new)?;
        let mut chains = head.chains.clone();
        if let Some(needed) = &matched.chains {
            let mut put = Vec::new();
            for Chain { from, last, tail, .. } in needed.iter().cloned() {
                put.push(self.put_chain(&mut grown.0, from, last, tail)?);
            }
            chains = Rc::new(put);
        }
        let known: FxHashMap<SymbolId, Option<TermId>> = {
            let all = head.holes.iter().zip(&matched.values);
            all.map(|(hole, value)| (hole.symbol, *value)).collect()
        };
        let old_values: Vec<Option<TermId>> = { grown.1.iter().enumerate() }
            .map(|(index, hole)| match index.checked_sub(kept.len()) {
                Some(index) => matched.new[index].old,
                None => Some(self.terms.symbol(hole.symbol)),
            })
            .collect();
        let new_values: Vec<Option<TermId>> = { grown.1.iter().enumerate() }
            .map(|(index, hole)| match index.checked_sub(kept.len()) {
                Some(index) => matched.new[index].now,
                None => known[&hole.symbol],
            })
            .collect();
        let members = [
            Member {
                state: head.state.clone(),
                values: self.values_of(&grown.1, &old_values),
            },
            Member {
                state: state.clone(),
                values: self.values_of(&grown.1, &new_values),
            },
        ];
        let mut candidates = head.state.path.condition.clauses().to_vec();
        candidates.retain(|&clause| !self.terms.symbols(clause).iter().any(|symbol| lost.contains(symbol)));
        self.fill_in(
            &mut grown,
            &members,
            candidates,
            &matched.same,
            head.generation < GUESSING,
        );
        Ok(Head {
            state: grown.0,
            chains,
            holes: grown.1,
            generation: head.generation + 1,
            print: head.print,
        })
    }

    /// A state with new holes.
    fn with_holes(&mut self, state: &State<M>, kept: &[Hole], new: &[New]) -> Result<(State<M>, Vec<Hole>), Why> {
        let mut state = state.clone();
        let mut holes = kept.to_vec();
        for new in new {
            let name = self.hole_name(&state, new.home);
            let sort = match new.kind {
                Kind::Bytes => Sort::Array {
                    index: self.pointer_width(),
                    element: 8,
                },
                Kind::Number | Kind::Pointer(_) => Sort::Bits(new.width),
            };
            let symbol = self.own_symbol(&name, sort);
            holes.push(Hole {
                home: new.home,
                kind: new.kind,
                width: new.width,
                symbol,
            });
            if let Home::Whole(base) = new.home {
                let room = state.memory.header(base).ok_or("an object that is gone")?.room;
                self.change_memory(&mut state, |memory, cx| memory.init_symbol(cx, base, room, symbol));
                continue;
            }
            let own = self.terms.symbol(symbol);
            let value = match new.kind {
                Kind::Pointer(base) => self.terms.pointer(base, own),
                _ => own,
            };
            match new.home {
                Home::Slot { level, slot } => {
                    Rc::make_mut(&mut state.frames[level]).slots[slot as usize] = Value::Term(value);
                }
                Home::Bytes { base, offset, bytes } => {
                    let place = Value::Ptr { base, offset };
                    self.poke(&mut state, place, Scalar::int(8 * bytes as u16), Value::Term(value))?;
                }
                Home::Whole(_) => unreachable!("just seen"),
            }
        }
        Ok((state, holes))
    }

    /// Gives an abstract state the clauses that hold for all members, guessed ones included.
    fn fill_in(
        &mut self,
        grown: &mut (State<M>, Vec<Hole>),
        members: &[Member<M>],
        mut candidates: Vec<TermId>,
        same: &[TermId],
        guess: bool,
    ) {
        let mut examples: Vec<(usize, Rc<Assignment>)> = { members.iter().enumerate() }
            .map(|(index, member)| (index, member.state.path.condition.assignment().clone()))
            .collect();
        for round in 0..3 {
            if guess {
                let atoms = self.atoms(&grown.1, members, same, &examples);
                let thresholds = self.thresholds(&grown.0);
                candidates.extend(guesses(&mut self.terms, &atoms, &thresholds));
            }
            let mut seen = FxHashSet::default();
            candidates.retain(|clause| seen.insert(*clause));
            let before = candidates.len();
            for (index, member) in members.iter().enumerate() {
                let mut found = Vec::new();
                self.keep_implied(member, &mut candidates, false, &mut found);
                let room = EXAMPLES.saturating_sub(examples.len());
                examples.extend(found.into_iter().take(room).map(|example| (index, example)));
            }
            if !guess || candidates.len() == before || round == 2 {
                break;
            }
        }
        let last = members.last().expect("an abstract state has members");
        let mut values = last.state.path.condition.assignment().as_ref().clone();
        for hole in &grown.1 {
            let own = self.terms.symbol(hole.symbol);
            if let Some(&value) = last.values.get(&own) {
                let bits = self.evaluate(&last.state, value);
                values.values.insert(hole.symbol, bits);
            }
        }
        let witness = Rc::new(values);
        let mut condition = PathCondition::new();
        let always = self.terms.tru();
        condition.assume(&mut self.terms, always, witness.clone());
        for clause in candidates {
            condition.assume(&mut self.terms, clause, witness.clone());
        }
        grown.0.path.condition = condition;
        grown.0.leaks.held = Default::default();
    }

    /// Numbers with their values in the examples.
    fn atoms(
        &mut self,
        holes: &[Hole],
        members: &[Member<M>],
        same: &[TermId],
        examples: &[(usize, Rc<Assignment>)],
    ) -> Vec<Atom> {
        let own = holes
            .iter()
            .filter(|hole| hole.kind != Kind::Bytes)
            .map(|hole| (hole.symbol, hole.width));
        let own: Vec<(SymbolId, u32)> = own.collect();
        let mut all: Vec<(TermId, u32)> = own
            .into_iter()
            .map(|(symbol, width)| (self.terms.symbol(symbol), width))
            .collect();
        all.extend(same.iter().take(8).map(|&term| (term, self.terms.width(term))));
        let mut out = Vec::new();
        for (term, width) in all {
            let samples = examples.iter().map(|(index, example)| {
                let member = &members[*index];
                let value = member.values.get(&term).copied().unwrap_or(term);
                self.evaluate_with(&member.state, value, example).low_u64()
            });
            let samples = samples.collect();
            out.push(Atom { term, width, samples });
        }
        out
    }

    /// The constants of the active functions of the program, and their neighbours.
    fn thresholds(&self, state: &State<M>) -> BTreeSet<u64> {
        let mut out = BTreeSet::from([0, 1]);
        for frame in state.frames.iter().rev() {
            let function = self.program.function(frame.function);
            for constant in &function.constants {
                if let Constant::Int(n) = *constant {
                    out.extend([n.wrapping_sub(1), n, n.wrapping_add(1)]);
                }
            }
            if out.len() > 24 {
                break;
            }
        }
        out
    }

    /// The variables and holes of a state that hold symbols, and the symbols that stay because sizes depend on them.
    fn symbolic_holes(
        &mut self,
        prover: &Prover<M>,
        state: &State<M>,
        chains: &[Chain],
    ) -> (Vec<New>, FxHashSet<SymbolId>) {
        let mut fixed = FxHashSet::default();
        for (_, header) in state.memory.directory.headers() {
            if let Value::Term(size) = header.size {
                fixed.extend(self.terms.symbols(size).iter().copied());
            }
        }
        let mut places: Vec<(Home, Value)> = Vec::new();
        for level in 0..state.frames.len() {
            let frame = state.frames[level].clone();
            let live = self.read_later(&frame, level + 1 == state.frames.len());
            let slots = frame.slots.iter().enumerate().filter(|(slot, _)| live[*slot]);
            places.extend(slots.map(|(slot, &value)| {
                (
                    Home::Slot {
                        level,
                        slot: slot as u32,
                    },
                    value,
                )
            }));
        }
        let mut scratch = state.clone();
        for (base, offset, bytes) in prover.stored_places() {
            let linked = [forward(chains, (base, offset)), backward(chains, (base, offset))];
            let reaches = state.memory.is_alive(base) && linked.iter().all(Option::is_none);
            if let Some(value) = reaches.then(|| scratch.memory.fast_load(base, offset, bytes)).flatten() {
                let overlaps = |&(home, _): &(Home, Value)| match home {
                    Home::Bytes {
                        base: other,
                        offset: at,
                        bytes: n,
                    } => other == base && at < offset + u64::from(bytes) && offset < at + u64::from(n),
                    _ => false,
                };
                if !places.iter().any(overlaps) {
                    places.push((Home::Bytes { base, offset, bytes }, value));
                }
            }
        }
        scratch.task = None;
        let mut new = Vec::new();
        for (home, value) in places {
            let Value::Term(term) = value else { continue };
            let width = self.terms.width(term);
            if width > 64 || !self.is_defined(term) {
                continue;
            }
            let (kind, part) = if !self.terms.has_base(term) {
                (Kind::Number, term)
            } else {
                match self.terms.split_pointer(term) {
                    Some((base, offset)) if !self.terms.has_base(offset) => (Kind::Pointer(base), offset),
                    _ => continue,
                }
            };
            if self.terms.symbols(part).iter().all(|symbol| fixed.contains(symbol)) {
                continue;
            }
            new.push(New {
                home,
                kind,
                width,
                old: None,
                now: Some(part),
            });
        }
        (new, fixed)
    }
}
