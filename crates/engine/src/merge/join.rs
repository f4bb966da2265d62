//! Merging states (thesis §2.5, Algorithms 1 and 4).
//!
//! The members are at the same place, with the same functions on the stack. What they agree on is shared; between
//! different slots and memory a tree of conditions chooses. Only what can be expressed exactly is merged: otherwise the
//! members stay apart, and the reason is counted.

use super::expect::Mergeable;
use super::patterns::Repeated;
use super::tree::{Tree, chain, disjunction};
use super::{Encoding, Root, Standing};
use crate::addresses::Addresses;
use crate::chosen;
use crate::demand::Decided;
use crate::inputs::Inputs;
use crate::leaks::{Held, Leaks};
use crate::library::Allocations;
use crate::loops::Attempts;
use crate::path::Path;
use crate::seeds::Seeds;
use crate::state::{Frame, Input, Notes, Output, State, Witness};
use crate::trail::{Choice, Decision, Members};
use crate::worker::Worker;
use mneme_memory::{Apart, Death, Heap, Join, Life, Model, Pick, References};
use mneme_program::{FunctionId, Liveness, Slot, width_before};
use mneme_term::{BaseId, BaseKind, TermId, Value};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How many cells of memory may differ in one merge.
const MAX_DIFFERING_CELLS: usize = 1 << 14;

/// A state that has reached the end of its context.
pub struct Arrived<M: Model> {
    pub node: u32,
    pub state: State<M>,
}

/// The result of merging a group: the state, and the condition of its inputs relative to the beginning of the context.
pub struct Merged<M: Model> {
    pub state: State<M>,
    pub condition: TermId,
    pub leaves: Vec<u32>,
    /// The condition says what a symbol of its own stands for.
    pub defines: bool,
}

/// How a merged state says which member it is.
pub struct Encoded {
    pub pick: Pick,
    /// Relative to the beginning of the context.
    pub condition: TermId,
    pub repeated: Option<Repeated>,
}

/// A part of each state.
fn of<'a, M: Model, T>(states: &[&'a State<M>], part: impl Fn(&'a State<M>) -> &'a T) -> Vec<&'a T> {
    states.iter().map(|state| part(state)).collect()
}

/// What all members have in common.
fn common<T: Copy + PartialEq>(members: &[&Rc<Vec<T>>]) -> Rc<Vec<T>> {
    if members.iter().all(|member| Rc::ptr_eq(member, members[0])) {
        return members[0].clone();
    }
    let all = members[0].iter().copied();
    Rc::new(
        all.filter(|one| members.iter().all(|member| member.contains(one)))
            .collect(),
    )
}

/// Accesses and loops are reported only if all members have them: the inputs do not say whose they are.
fn merge_notes<M: Model>(states: &[&State<M>], root: &Root) -> Notes {
    Notes {
        odd: false,
        supposed: states[0].notes.supposed.clone(),
        equates_nulls: states.iter().all(|state| state.notes.equates_nulls),
        found_null: common(&of(states, |state| &state.notes.found_null)),
        chosen: chosen::merge(states.iter().map(|state| &state.notes.chosen)),
        rounds: common(&of(states, |state| &state.notes.rounds)),
        meant: common(&of(states, |state| &state.notes.meant)),
        witnesses: witnesses(states, root),
    }
}

/// A loop that was too much for one member is left alone by all.
fn merge_crowded<M: Model>(states: &[&State<M>]) -> Rc<BTreeSet<(FunctionId, u32)>> {
    let mut all = states[0].merge.crowded.clone();
    for state in states
        .iter()
        .filter(|state| !Rc::ptr_eq(&state.merge.crowded, &states[0].merge.crowded))
    {
        Rc::make_mut(&mut all).extend(state.merge.crowded.iter().copied());
    }
    all
}

impl<M: Model> Worker<'_, M> {
    /// Merges the members of a group into as few states as possible. `number` tells apart the states that leave one
    /// context.
    pub(super) fn merge_group(
        &mut self,
        tree: &Tree,
        root: &Root,
        members: Vec<Arrived<M>>,
        number: &mut u32,
        out: &mut Vec<Merged<M>>,
    ) {
        let mut pending = vec![members];
        pending.retain(|members| !members.is_empty());
        while let Some(mut group) = pending.pop() {
            if group.len() == 1 {
                let Arrived { node, state } = group.pop().expect("one member");
                let condition = tree.condition(&mut self.terms, &[node]);
                out.push(Merged {
                    state,
                    condition,
                    leaves: vec![node],
                    defines: false,
                });
                continue;
            }
            match self.merge_states(tree, root, root.which, &group, *number) {
                Ok(merged) => {
                    *number += 1;
                    self.stats.merging.merges += 1;
                    self.stats.merging.states += group.len() as u64;
                    out.push(merged);
                }
                Err(Apart(why)) => {
                    self.stats.merging.kept_apart(why);
                    let rest = group.split_off(group.len() / 2);
                    pending.push(rest);
                    pending.push(group);
                }
            }
        }
    }

    pub(super) fn merge_states(
        &mut self,
        tree: &Tree,
        root: &Root,
        which: Mergeable,
        group: &[Arrived<M>],
        number: u32,
    ) -> Result<Merged<M>, Apart> {
        let leaves: Vec<u32> = group.iter().map(|member| member.node).collect();
        let common = tree.root_clauses();
        let (pick, condition) = match self.options.merge.encoding() {
            Encoding::Plain => {
                let states: Vec<&State<M>> = group.iter().map(|member| &member.state).collect();
                let own = self.all_added(&states, common);
                (chain(&own), disjunction(&mut self.terms, &own))
            }
            Encoding::Tree => (tree.pick(&leaves), tree.condition(&mut self.terms, &leaves)),
        };
        if which != Mergeable::Same && self.terms.has_forall(condition) {
            return Err(Apart("a quantified condition would choose values"));
        }
        let encoded = Encoded {
            pick,
            condition,
            repeated: None,
        };
        self.merge_encoded(tree, root, which, group, number, encoded)
    }

    pub(super) fn merge_encoded(
        &mut self,
        tree: &Tree,
        root: &Root,
        which: Mergeable,
        group: &[Arrived<M>],
        number: u32,
        encoded: Encoded,
    ) -> Result<Merged<M>, Apart> {
        let Encoded {
            pick,
            condition,
            repeated,
        } = encoded;
        let leaves: Vec<u32> = group.iter().map(|member| member.node).collect();
        let states: Vec<&State<M>> = group.iter().map(|member| &member.state).collect();
        agree(&states)?;
        let common = tree.root_clauses();
        let mut joined = states[0].path.condition.clone();
        joined.restart(&mut self.terms, common, condition);
        let inputs = self.merge_inputs(&states)?;
        let mut frames = Vec::with_capacity(states[0].frames.len());
        for level in 0..states[0].frames.len() {
            frames.push(self.merge_frame(&pick, &states, level)?);
        }
        let memory = self.merge_memory(which, &pick, &states)?;
        let first = states[0];
        let most = |of: fn(&State<M>) -> u64| states.iter().map(|state| of(state)).max().unwrap_or(0);
        // Every field by name: a new field of a state has to say how it is merged.
        let mut merged = State {
            memory,
            frames,
            // They agree on these.
            pending: first.pending.clone(),
            exit_code: first.exit_code,
            task: None,
            output: self.merge_output(&pick, &states),
            serving: first.serving.clone(),
            marks: most(|state| state.marks.into()) as u32,
            unnamed: most(|state| state.unnamed.into()) as u32,
            allocations: Allocations::merge(&of(&states, |state| &state.allocations)),
            addresses: Addresses::merge(&of(&states, |state| &state.addresses)),
            demand: first.demand.clone(),
            decided: Decided::merge(&of(&states, |state| &state.decided)),
            first: first.first.clone(),
            path: Path {
                condition: joined,
                inputs,
                depth: root.depth + 1,
                trail: root.trail.clone(),
                points: most(|state| state.path.points),
                steps: most(|state| state.path.steps),
                last_new: most(|state| state.path.last_new),
                covers_new: states.iter().any(|state| state.path.covers_new),
                seeds: Seeds::merge(&of(&states, |state| &state.path.seeds)),
                // The episode has it meanwhile.
                guide: None,
            },
            // The caller says where the result belongs.
            merge: Standing {
                member: first.merge.member,
                waits: first.merge.waits,
                patterns: most(|state| state.merge.patterns.into()) as u32 + u32::from(repeated.is_some()),
                crowded: merge_crowded(&states),
            },
            loops: Attempts::merge(&of(&states, |state| &state.loops)),
            leaks: Leaks {
                reported: first.leaks.reported.clone(),
                held: Held::default(),
            },
            notes: merge_notes(&states, root),
        };
        let frame = merged.frame();
        let decision = Decision {
            point: root.points,
            function: frame.function,
            pc: frame.pc,
            steps: root.steps,
            choice: Choice::Merged(number),
            object: None,
        };
        let members = self.remembered(which, &states, common);
        merged.path.trail.push_merged(decision, members);
        self.measure(&states, &merged, condition);
        if self.options.merge.paranoid {
            let own = self.all_added(&states, common);
            self.check_merge(&states, &own, &merged, common, condition, repeated.as_ref())?;
        }
        Ok(Merged {
            state: merged,
            condition,
            leaves,
            defines: repeated.is_some(),
        })
    }

    /// What reports say later about members that differ.
    fn remembered(&mut self, which: Mergeable, states: &[&State<M>], common: usize) -> Option<Rc<Members>> {
        if which == Mergeable::Same {
            return None;
        }
        let member = |state: &&State<M>| (state.path.condition.clone(), state.path.trail.clone());
        let all = states.iter().map(member).collect();
        let members = Rc::new(Members { common, all });
        self.merging.remember(&members);
        Some(members)
    }

    fn all_added(&mut self, states: &[&State<M>], common: usize) -> Vec<TermId> {
        states.iter().map(|state| self.added(state, common)).collect()
    }

    /// What a path has added to its condition since the context began.
    pub(super) fn added(&mut self, state: &State<M>, common: usize) -> TermId {
        let mut all = self.terms.tru();
        for &clause in &state.path.condition.clauses()[common..] {
            all = self.terms.and(all, clause);
        }
        all
    }

    fn merge_memory(&mut self, which: Mergeable, pick: &Pick, states: &[&State<M>]) -> Result<Heap<M>, Apart> {
        if states
            .iter()
            .any(|state| state.addresses.seen != states[0].addresses.seen)
        {
            return Err(Apart("the program has looked at different addresses"));
        }
        let patience = match which {
            Mergeable::All | Mergeable::Cold => MAX_DIFFERING_CELLS,
            Mergeable::Same => 0,
        };
        let widest_hot = match which {
            Mergeable::All | Mergeable::Same => 0,
            Mergeable::Cold => self.widest_hot(),
        };
        let references = match which {
            Mergeable::Cold | Mergeable::Same => References::Same,
            Mergeable::All if self.options.check_leaks => References::SameObjects,
            Mergeable::All => References::Any,
        };
        let mut spoken_of: FxHashSet<BaseId> = FxHashSet::default();
        for state in states {
            spoken_of.extend(state.addresses.seen.iter().map(|seen| seen.base));
            for &clause in state.path.condition.clauses() {
                spoken_of.extend(self.terms.bases(clause));
            }
        }
        let mut join = Join {
            terms: &mut self.terms,
            pick,
            pinned: &|base| spoken_of.contains(&base),
            patience,
            references,
            widest_hot,
            made: 0,
        };
        let members: Vec<&Heap<M>> = states.iter().map(|state| &state.memory).collect();
        let merged = Heap::merge(&mut join, &members);
        self.stats.merging.values += join.made;
        merged
    }

    fn merge_frame(&mut self, pick: &Pick, states: &[&State<M>], level: usize) -> Result<Rc<Frame>, Apart> {
        let frames: Vec<&Rc<Frame>> = states.iter().map(|state| &state.frames[level]).collect();
        let first = frames[0];
        if frames.iter().all(|frame| Rc::ptr_eq(frame, first)) {
            return Ok(first.clone());
        }
        let mut merged = Frame::clone(first);
        let longest = frames
            .iter()
            .max_by_key(|frame| frame.locals.len())
            .expect("there are frames");
        merged.locals = longest.locals.clone();
        merged.stack = frames.iter().map(|frame| frame.stack).max().unwrap_or(first.stack);
        let top = level + 1 == states[0].frames.len();
        let live = self.live_slots(first, top);
        let read_at = if top { first.pc } else { first.pc + 1 };
        let variables = self.image.variables[first.function.index()].clone();
        for slot in 0..merged.slots.len() {
            let values: Vec<Value> = frames.iter().map(|frame| frame.slots[slot]).collect();
            if values.iter().all(|&value| value == values[0]) {
                continue;
            }
            merged.slots[slot] = match live[slot] || variables[slot] && self.options.check_leaks {
                false => Value::Undef,
                true => match out_of_scope(states, &values).filter(|_| !variables[slot]) {
                    Some(value) => value,
                    None => self.merge_slot(pick, first.function, read_at, slot as u32, &values)?,
                },
            };
        }
        Ok(Rc::new(merged))
    }

    /// One of several values of a slot that is read at `pc` or later.
    fn merge_slot(
        &mut self,
        pick: &Pick,
        function: FunctionId,
        pc: u32,
        slot: Slot,
        values: &[Value],
    ) -> Result<Value, Apart> {
        if values.contains(&Value::Undef) {
            return Err(Apart("a variable has a value on one side only"));
        }
        let of_addresses = |value: &Value| match *value {
            Value::Term(term) => self.terms.has_base(term) && self.terms.symbols(term).is_empty(),
            _ => false,
        };
        if values.iter().any(of_addresses) {
            return Err(Apart("bits of an address differ"));
        }
        if self.options.check_leaks && !self.same_bases(values) {
            return Err(Apart("a pointer differs, and leaks are looked for"));
        }
        let pointer_width = self.pointer_width();
        let own_width = |value: &Value| match value {
            Value::Term(term) => Some(self.terms.width(*term)),
            Value::Ptr { .. } => Some(pointer_width),
            _ => None,
        };
        let width = values.iter().find_map(own_width);
        if values.iter().filter_map(own_width).any(|other| Some(other) != width) {
            return Err(Apart("values of different width"));
        }
        let code = self.program.function(function);
        let width = width.or_else(|| width_before(code, pointer_width, pc, slot));
        let width = width.ok_or(Apart("a value of unknown width differs"))?;
        let chosen = pick.choose_value(&mut self.terms, width, |_, member| Some(values[member]));
        Ok(chosen.expect("every member has a value"))
    }

    /// Do all refer to the same objects?
    fn same_bases(&self, values: &[Value]) -> bool {
        let bases = |value: &Value| -> Vec<BaseId> {
            match value {
                Value::Ptr { base, .. } => vec![*base],
                Value::Term(term) => self.terms.bases(*term).to_vec(),
                _ => Vec::new(),
            }
        };
        values.iter().all(|value| bases(value) == bases(&values[0]))
    }

    /// Which slots of a frame are read later. Where `longjmp` may come back, all of them.
    pub(crate) fn live_slots(&mut self, frame: &Frame, top: bool) -> Vec<bool> {
        if !frame.marks().is_empty() {
            return vec![true; frame.slots.len()];
        }
        let function = self.program.function(frame.function);
        let liveness = self.liveness.entry(frame.function);
        let liveness = liveness.or_insert_with(|| Liveness::of(function));
        if top {
            liveness.before(function, frame.pc)
        } else {
            let mut live = liveness.after(function, frame.pc);
            function.code[frame.pc as usize].for_each_def(function, &mut |slot| live[slot as usize] = false);
            live
        }
    }

    /// Inputs that all members have. No choice is made between those that only some have.
    fn merge_inputs(&self, states: &[&State<M>]) -> Result<Rc<Inputs>, Apart> {
        let first = &states[0].path.inputs;
        let same = |inputs: &Rc<Inputs>| {
            let alike = |(one, other): (&Input, &Input)| {
                one.name == other.name && one.bytes == other.bytes && one.len == other.len
            };
            Rc::ptr_eq(inputs, first) || inputs.len() == first.len() && inputs.iter().zip(first.iter()).all(alike)
        };
        match states.iter().all(|state| same(&state.path.inputs)) {
            true => Ok(first.clone()),
            false => Err(Apart("one side has made more inputs")),
        }
    }

    fn merge_output(&mut self, pick: &Pick, states: &[&State<M>]) -> Rc<Output> {
        let first = &states[0].output;
        if states.iter().all(|state| Rc::ptr_eq(&state.output, first)) {
            return first.clone();
        }
        let shortest = states.iter().map(|state| state.output.bytes.len()).min().unwrap_or(0);
        let differs = |state: &&State<M>| state.output.cut || state.output.bytes.len() > shortest;
        let cut = states.iter().any(differs);
        let byte = |worker: &mut Self, at: usize| {
            let values: Vec<Value> = states.iter().map(|state| state.output.bytes[at]).collect();
            if values.contains(&Value::Undef) || values.iter().all(|&value| value == values[0]) {
                return values[0];
            }
            let chosen = pick.choose_value(&mut worker.terms, 8, |_, member| Some(values[member]));
            chosen.expect("every member has a value")
        };
        let bytes = (0..shortest).map(|at| byte(self, at)).collect();
        Rc::new(Output { bytes, cut })
    }

    /// How large the merged terms are, written out (Figs 5.12 and 5.13).
    fn measure(&mut self, states: &[&State<M>], merged: &State<M>, condition: TermId) {
        self.stats.merging.constraints += u64::from(self.terms.depth_or_size(condition));
        let mut size = 0;
        for (level, frame) in merged.frames.iter().enumerate() {
            if Rc::ptr_eq(frame, &states[0].frames[level]) {
                continue;
            }
            for (slot, value) in frame.slots.iter().enumerate() {
                if let (Value::Term(term), true) = (value, *value != states[0].frames[level].slots[slot]) {
                    size += u64::from(self.terms.depth_or_size(*term));
                }
            }
        }
        self.stats.merging.values += size;
    }
}

/// The address of a variable that is out of scope. Each time its scope is entered it is another object, so members that
/// entered it more often hold another one; but none can use it, and when the scope is entered again, it is a new one
/// for all.
fn out_of_scope<M: Model>(states: &[&State<M>], values: &[Value]) -> Option<Value> {
    let mut ended = None;
    let mut place = None;
    for (state, &value) in states.iter().zip(values) {
        let Value::Ptr { base, offset } = value else {
            return None;
        };
        let header = state.memory.header(base)?;
        if *place.get_or_insert((header.site, offset)) != (header.site, offset) || header.kind != BaseKind::Stack {
            return None;
        }
        if header.life == Life::Ended(Death::Scope) {
            ended = Some(value);
        }
    }
    ended
}

/// Merge-compatibility, apart from values and memory.
fn agree<M: Model>(states: &[&State<M>]) -> Result<(), Apart> {
    let first = states[0];
    for state in states {
        if !same_pending(first, state) || state.exit_code != first.exit_code {
            return Err(Apart("what runs after the program differs"));
        }
        if state.serving != first.serving {
            return Err(Apart("handlers differ"));
        }
        if state.task.is_some() {
            return Err(Apart("an instruction is not done yet"));
        }
        let (one, other) = (&state.allocations.fallible, &first.allocations.fallible);
        if !Rc::ptr_eq(one, other) && one != other {
            return Err(Apart("allocations that may fail differ"));
        }
        let same_first = match (&state.first, &first.first) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() == other.is_none(),
        };
        if state.demand != first.demand || !same_first {
            return Err(Apart("objects made on demand differ"));
        }
        if !Rc::ptr_eq(&state.leaks.reported, &first.leaks.reported) && state.leaks.reported != first.leaks.reported {
            return Err(Apart("leaks differ"));
        }
        for (one, other) in first.frames.iter().zip(&state.frames) {
            frames_agree(one, other)?;
        }
    }
    Ok(())
}

fn frames_agree(one: &Rc<Frame>, other: &Rc<Frame>) -> Result<(), Apart> {
    if Rc::ptr_eq(one, other) {
        return Ok(());
    }
    let common = one.locals.len().min(other.locals.len());
    if one.locals[..common] != other.locals[..common] {
        return Err(Apart("stack objects of different order"));
    }
    let marks =
        |frame: &Frame| -> Vec<(u32, u32)> { frame.marks().iter().map(|mark| (mark.number, mark.pc)).collect() };
    if one.results != other.results || marks(one) != marks(other) || one.widened() != other.widened() {
        return Err(Apart("calls differ"));
    }
    let values = |frame: &Frame| -> Vec<Value> { frame.variadic().iter().map(|arg| arg.value).collect() };
    match values(one) == values(other) {
        true => Ok(()),
        false => Err(Apart("variable arguments differ")),
    }
}

fn same_pending<M: Model>(one: &State<M>, other: &State<M>) -> bool {
    use crate::state::Pending;
    let alike = |(one, other): (&Pending, &Pending)| match (one, other) {
        (
            Pending::Call { function, args },
            Pending::Call {
                function: other_function,
                args: other_args,
            },
        )
        | (
            Pending::Main { function, args },
            Pending::Main {
                function: other_function,
                args: other_args,
            },
        ) => function == other_function && args == other_args,
        (Pending::Exit, Pending::Exit) => true,
        _ => false,
    };
    Rc::ptr_eq(&one.pending, &other.pending)
        || one.pending.len() == other.pending.len() && one.pending.iter().zip(other.pending.iter()).all(alike)
}

/// Inputs that reach what was reached first since the context began, besides those of the merged state itself.
fn witnesses<M: Model>(states: &[&State<M>], root: &Root) -> Rc<Vec<Witness>> {
    let mut all: Vec<Witness> = Vec::new();
    for (index, state) in states.iter().enumerate() {
        let own = Witness {
            reached: state.path.last_new,
            inputs: state.path.condition.assignment().clone(),
        };
        let is_new = index > 0 && own.reached > root.steps && own.reached != states[0].path.last_new;
        for witness in state.notes.witnesses.iter().chain(is_new.then_some(&own)) {
            if all.iter().all(|known| known.reached != witness.reached) {
                all.push(witness.clone());
            }
        }
    }
    Rc::new(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_all_members_have_is_told() {
        let of = |all: &[u32]| Rc::new(all.to_vec());
        let (one, other, third) = (of(&[1, 2, 3]), of(&[1, 3]), of(&[3, 1, 4]));
        assert_eq!(*common(&[&one, &other, &third]), [1, 3]);
        assert!(Rc::ptr_eq(&common(&[&one, &one.clone()]), &one));
    }

    #[test]
    fn what_one_member_has_tried_in_vain_is_not_tried_again() {
        let attempts = |tried: &[(u32, u32)], summaries| Attempts {
            tried: Rc::new(
                tried
                    .iter()
                    .map(|&(index, times)| ((FunctionId(0), index), times))
                    .collect(),
            ),
            summaries,
            ..Attempts::default()
        };
        let merged = Attempts::merge(&[&attempts(&[(0, 1), (1, 2)], 4), &attempts(&[(1, 1), (2, 3)], 7)]);
        let tried: Vec<(u32, u32)> = { merged.tried.iter() }
            .map(|(&(_, index), &times)| (index, times))
            .collect();
        assert_eq!((tried, merged.summaries), (vec![(0, 1), (1, 2), (2, 3)], 7));
    }
}
