//! Pointers among bytes of which no type says that they are pointers: in unions, behind a `void *`, in elements behind the
//! first one of an array of structures, in characters.
//!
//! Such bytes become a pointer of which nothing is known when they are loaded as one, unless the path already depends on
//! them as numbers: then nobody knows what they refer to. A copy of a whole structure is left as it is.

use super::birth::{Owner, Want, member};
use super::{Contents, Object, Stage};
use crate::state::State;
use crate::worker::{Flow, Worker};
use mneme_memory::{Life, Model};
use mneme_program::{CField, Inst, Kind, ScalarKind, Type};
use mneme_term::{BaseId, Op, SymbolId, TermId, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The most nodes of a condition that are looked at.
const MOST_NODES: usize = 1 << 14;

impl<M: Model> Worker<'_, M> {
    /// Before a pointer is loaded: if it is bytes of an object made on demand, it becomes a pointer.
    pub(super) fn make_late_pointers(&mut self, state: &mut State<M>, inst: Inst) -> Result<(), Flow> {
        let Inst::Load { ty, ptr, .. } = inst else {
            return Ok(());
        };
        if ty.kind != ScalarKind::Pointer {
            return Ok(());
        }
        match self.get(state, ptr) {
            Value::Ptr { base, offset } => self.make_late_pointer(state, base, offset),
            // Any of its elements may be meant.
            Value::Term(term) => {
                let bases: Vec<_> = self.terms.cases(term).iter().filter_map(|case| case.base).collect();
                bases
                    .into_iter()
                    .try_for_each(|base| self.make_pointers_of_elements(state, base))
            }
            _ => Ok(()),
        }
    }

    fn make_late_pointer(&mut self, state: &mut State<M>, base: BaseId, offset: u64) -> Result<(), Flow> {
        let word = self.pointer_width() / 8;
        let memory = state.memory.clone();
        let Some((Value::Term(loaded), _)) = self.cell(state, &memory, base, offset, word) else {
            return Ok(());
        };
        let Some((symbol, at)) = self.bytes_of_word(loaded) else {
            return Ok(());
        };
        let given = |object: &Object| matches!(&object.stage, Stage::Born(contents) if contents.bytes == symbol);
        let Some(index) = state.demand.objects.iter().position(given) else {
            return Ok(());
        };
        let pointer = match self.pointer_of(state, index, at) {
            Some(pointer) => pointer,
            None if self.is_trial() => return Err(self.irregular("it meets an object made on demand")),
            None => match self.new_late_pointer(state, index, symbol, at)? {
                Some(pointer) => pointer,
                None => return Ok(()),
            },
        };
        let value = self.terms.to_value(pointer);
        self.change_memory(state, |memory, cx| memory.init_value(cx, base, offset, word, value));
        Ok(())
    }

    /// The array of symbolic bytes, and the place in it, that a word consists of.
    fn bytes_of_word(&self, word: TermId) -> Option<(SymbolId, u64)> {
        if self.terms.op(word) != Op::Concat {
            return None;
        }
        let bytes = self.terms.children(word);
        let mut found = None;
        for (distance, &byte) in bytes.iter().rev().enumerate() {
            let (symbol, at) = self.given_byte(byte)?;
            let (array, first) = *found.get_or_insert((symbol, at));
            if symbol != array || at != first + distance as u64 {
                return None;
            }
        }
        found.filter(|_| bytes.len() as u32 * 8 == self.pointer_width())
    }

    /// The array of symbolic bytes, and the place in it, that a byte comes from.
    fn given_byte(&self, byte: TermId) -> Option<(SymbolId, u64)> {
        if self.terms.op(byte) != Op::Select {
            return None;
        }
        let &[array, index] = self.terms.children(byte) else {
            return None;
        };
        match self.terms.op(array) {
            Op::Symbol(symbol) => Some((symbol, self.terms.as_const(index)?)),
            _ => None,
        }
    }

    fn pointer_of(&self, state: &State<M>, index: usize, at: u64) -> Option<TermId> {
        let Stage::Born(contents) = &state.demand.objects[index].stage else {
            return None;
        };
        let mut pointers = contents.pointers.iter();
        pointers.find(|(offset, _)| *offset == at).map(|&(_, pointer)| pointer)
    }

    /// A pointer in the bytes of an object, from `at` on. `None`: the path depends on them as numbers, or on a pointer
    /// that shares bytes with it.
    fn new_late_pointer(
        &mut self,
        state: &mut State<M>,
        index: usize,
        symbol: SymbolId,
        at: u64,
    ) -> Result<Option<TermId>, Flow> {
        let object = state.demand.objects[index].clone();
        let Stage::Born(contents) = &object.stage else {
            return Ok(None);
        };
        let width = self.pointer_width();
        let word = u64::from(width / 8);
        let overlaps = |&(offset, _): &(u64, TermId)| offset.abs_diff(at) < word;
        if contents.pointers.iter().any(overlaps) || self.is_looked_at(state, symbol, at) {
            return Ok(None);
        }
        let (path, to) = self.typed_pointer(object.c_type, at);
        let variable = object.stage == Stage::Global || self.is_variable(state, &object);
        let array = self.terms.symbol(symbol);
        let place = self.terms.constant(width, at);
        let which = self.terms.select(array, place);
        let want = Want {
            name: &member(&object.name, &path, variable),
            to,
            depth: object.depth + 1,
            nonnull: false,
            restrict: false,
            least: 0,
        };
        let Some(pointer) = self.unknown_pointer(state, which, want) else {
            return Err(self.no_room(state));
        };
        let term = self.term(pointer, width);
        let mut pointers = contents.pointers.clone();
        pointers.push((at, term));
        pointers.sort_unstable_by_key(|(offset, _)| *offset);
        let bytes = contents.bytes;
        Rc::make_mut(&mut state.demand.objects)[index].stage = Stage::Born(Rc::new(Contents { bytes, pointers }));
        // Where the object still holds these bytes, it holds the pointer.
        let alive = state.memory.header(object.base).map(|header| header.life) == Some(Life::Alive);
        let memory = state.memory.clone();
        if alive
            && let Some((Value::Term(now), _)) = self.cell(state, &memory, object.base, at, width / 8)
            && self.bytes_of_word(now) == Some((symbol, at))
        {
            self.change_memory(state, |memory, cx| {
                memory.init_value(cx, object.base, at, width / 8, pointer);
            });
        }
        Ok(Some(term))
    }

    /// Where the index is not known, each element behind the first has its pointers.
    fn make_pointers_of_elements(&mut self, state: &mut State<M>, base: BaseId) -> Result<(), Flow> {
        let Some(object) = state.demand.position(base).map(|index| &state.demand.objects[index]) else {
            return Ok(());
        };
        let element = object.c_type.and_then(|ty| self.program.size_of(ty));
        let (Stage::Born(_), Some(element @ 1..)) = (&object.stage, element) else {
            return Ok(());
        };
        let owner = Owner {
            name: object.name.clone(),
            c_type: object.c_type,
            depth: object.depth,
            variable: false,
        };
        let Some(room) = state
            .memory
            .header(base)
            .map(|header| header.room)
            .filter(|&room| room > element)
        else {
            return Ok(());
        };
        for at in self.places_of_pointers(&owner, room) {
            self.make_late_pointer(state, base, at)?;
        }
        Ok(())
    }

    /// Where the type of an object has a pointer: its path, and what it points to, if the type says so.
    fn typed_pointer(&self, c_type: Option<Type>, at: u64) -> (String, Option<Type>) {
        let program = self.program;
        let element = c_type.and_then(|ty| Some((ty, program.size_of(ty).filter(|&bytes| bytes > 0)?)));
        let mut found = Vec::new();
        if let Some((ty, bytes)) = element {
            match (at / bytes, program.flexible_array(ty)) {
                (0, _) => self.pointers_at(ty, at, String::new(), &mut found),
                (index, None) => self.pointers_at(ty, at % bytes, format!("[{index}]"), &mut found),
                // Behind a structure is more of the array at its end.
                (_, Some((array, of))) => {
                    let first = array.offset_bits / 8;
                    let name = array.name.as_deref().unwrap_or_default();
                    if let Some(bytes @ 1..) = program.size_of(of) {
                        let path = format!(".{name}[{}]", (at - first) / bytes);
                        self.pointers_at(of, (at - first) % bytes, path, &mut found);
                    }
                }
            }
        }
        match &found[..] {
            [] => (format!("@{at}"), None),
            [(path, to), others @ ..] => {
                let same = others.iter().all(|(_, other)| self.program.is_same_type(*to, *other));
                (path.clone(), same.then_some(*to))
            }
        }
    }

    /// The pointers at an offset of a type: several, if they are members of a union.
    fn pointers_at(&self, ty: Type, at: u64, path: String, out: &mut Vec<(String, Type)>) {
        match self.program.kind(ty) {
            Kind::Pointer { to } if at == 0 => out.push((path, to)),
            Kind::Array { of, .. } => {
                if let Some(bytes @ 1..) = self.program.size_of(of) {
                    self.pointers_at(of, at % bytes, format!("{path}[{}]", at / bytes), out);
                }
            }
            Kind::Struct { fields, .. } => {
                let holds =
                    |field: &&CField| (field.offset_bits..field.offset_bits + field.size_bits).contains(&(8 * at));
                for field in fields.iter().filter(holds) {
                    let path = match &field.name {
                        Some(name) => format!("{path}.{name}"),
                        None => path.clone(),
                    };
                    self.pointers_at(field.c_type.into(), at - field.offset_bits / 8, path, out);
                }
            }
            _ => {}
        }
    }

    /// Whether the path depends on a word of an array of symbolic bytes.
    fn is_looked_at(&self, state: &State<M>, symbol: SymbolId, at: u64) -> bool {
        let word = u64::from(self.pointer_width() / 8);
        let clauses = state.path.condition.clauses().iter().copied();
        let mut pending: Vec<TermId> = clauses.collect();
        let mut seen = FxHashSet::default();
        while let Some(term) = pending.pop() {
            if !self.terms.symbols(term).contains(&symbol) || !seen.insert(term) {
                continue;
            }
            if seen.len() > MOST_NODES {
                return true;
            }
            match (self.given_byte(term), self.terms.op(term)) {
                (Some((array, place)), _) if array == symbol && (at..at + word).contains(&place) => return true,
                (Some(_), _) => {}
                // The array with another index, or as a whole.
                (None, Op::Symbol(_)) => return true,
                (None, _) => pending.extend(self.terms.children(term)),
            }
        }
        false
    }

    /// Whether a byte is part of what became a pointer.
    pub(super) fn is_byte_of_pointer(&self, state: &State<M>, byte: TermId) -> bool {
        let Some((symbol, at)) = self.given_byte(byte) else {
            return false;
        };
        let word = u64::from(self.pointer_width() / 8);
        state.demand.objects.iter().any(|object| match &object.stage {
            Stage::Born(contents) if contents.bytes == symbol => {
                let mut pointers = contents.pointers.iter();
                pointers.any(|&(offset, _)| (offset..offset + word).contains(&at))
            }
            _ => false,
        })
    }
}
