//! Two functions on the same arguments (`mneme equiv`): do they return the same and write the same?
//!
//! The first runs to its end. What it left is kept, everything that it was given is as it was before, and the second
//! runs. Then one query per path says whether some input of the path makes a difference. Where the first function
//! itself goes wrong, C does not say what the second has to do: such paths are left out.
//!
//! New blocks on the heap are compared by what they hold, not by their addresses.

use super::{Object, Stage};
use crate::fault::Error;
use crate::image;
use crate::state::{Pending, State};
use crate::worker::{Flow, Worker};
use mneme_memory::{End, Heap, Life, Model, Reason, Truth};
use mneme_program::FunctionId;
use mneme_term::{BaseId, SymbolKind, TermId, Tracer, Value};
use std::rc::Rc;

/// What a path of the first function left, and what both begin with.
#[derive(Clone)]
pub struct First<M: Model> {
    /// Memory as it is before a function runs, with the first objects made on demand.
    origin: Heap<M>,
    /// How many objects there were then.
    objects: usize,
    left: Option<Rc<Left<M>>>,
}

struct Left<M: Model> {
    memory: Heap<M>,
    result: Rc<Vec<Value>>,
    output: Vec<Value>,
    /// The code with which it ended the program.
    ended: Option<Value>,
}

impl<M: Model> First<M> {
    pub(crate) fn trace(&self, tracer: &mut Tracer) {
        self.origin.trace(tracer);
        if let Some(left) = &self.left {
            left.memory.trace(tracer);
            left.result
                .iter()
                .chain(&left.output)
                .chain(&left.ended)
                .for_each(|&value| tracer.value(value));
        }
    }
}

/// The variable that `errno` is.
const ERRNO: &str = "__errno_location.value";
/// How deep new blocks are compared.
const DEEPEST: u32 = 4;
/// The largest of them.
const LARGEST: u64 = 4096;

impl<M: Model> Worker<'_, M> {
    /// Prepares a path that runs two functions.
    pub(super) fn expect_second(&mut self, state: &mut State<M>, args: &[Value]) -> Option<Vec<Pending>> {
        let name = self.options.same_as.as_ref()?;
        let function = self.program.find_function(name)?;
        state.first = Some(Rc::new(First {
            origin: state.memory.clone(),
            objects: state.demand.objects.len(),
            left: None,
        }));
        Some(vec![
            Pending::Compare,
            Pending::Second {
                function,
                args: args.to_vec(),
            },
        ])
    }

    /// Is the function running with which another is compared?
    pub(crate) fn is_reference(&self, state: &State<M>) -> bool {
        state.first.as_ref().is_some_and(|first| first.left.is_none())
    }

    /// The first function has returned: everything that it was given is as it was before.
    pub(crate) fn begin_second(&mut self, state: &mut State<M>, function: FunctionId, args: Vec<Value>) -> Flow {
        let first = state.first.clone().expect("there are two functions");
        let mut memory = first.origin.clone();
        let objects = state.demand.objects.clone();
        for (index, object) in objects.iter().enumerate() {
            let header = state.memory.header(object.base).expect("objects are not forgotten");
            let (size, room) = (header.size, header.room);
            if index >= first.objects {
                let align = self.terms.base_info(object.base).align;
                let again = self.allocate_latent(&mut memory, size, align);
                if again != Some(object.base) {
                    return self.end_at(state, &Reason::Changed);
                }
            }
            if let Stage::Born(contents) = &object.stage {
                memory.begin(object.base);
                let width = self.pointer_width();
                image::with_path(&mut self.terms, &mut *self.solver, &state.path.condition, |cx| {
                    memory.init_symbol(cx, object.base, room, contents.bytes);
                    for &(offset, pointer) in &contents.pointers {
                        let pointer = cx.terms.to_value(pointer);
                        memory.init_value(cx, object.base, offset, width / 8, pointer);
                    }
                });
            }
        }
        let memory = std::mem::replace(&mut state.memory, memory);
        let output = std::mem::take(&mut state.output);
        state.first = Some(Rc::new(First {
            left: Some(Rc::new(Left {
                memory,
                result: state.demand.result.clone(),
                output: output.bytes.clone(),
                ended: state.demand.ended,
            })),
            ..First::clone(&first)
        }));
        if state.demand.ended.is_some() {
            state.demand.ended = None;
        }
        if output.cut {
            return self.end_at(state, &Reason::Limit("the output that is compared"));
        }
        let pending = Rc::make_mut(&mut state.pending);
        pending.push(Pending::Call { function, args });
        Flow::On
    }

    /// One of two functions ends the program: so does the other one, or they differ.
    pub(crate) fn one_ends(&mut self, state: &mut State<M>, code: Value) -> Flow {
        while let Some(frame) = state.frames.pop() {
            state.bury(&frame);
        }
        state.demand.ended = Some(code);
        state.demand.returned(Vec::new());
        Flow::On
    }

    /// Both have returned: is there an input for which they differ?
    pub(crate) fn compare_both(&mut self, state: &mut State<M>) -> Flow {
        let left = state.first.as_ref().and_then(|first| first.left.clone());
        let left = left.expect("the first function has returned");
        let (what, differs) = match self.differences(state, &left) {
            Ok(differences) => self.any_of(state, differences),
            Err(why) => return self.unsupported(state, why),
        };
        match self.may(state, differs) {
            Truth::Never => Flow::On,
            Truth::Sometimes(witness) => {
                self.narrow_to(state, differs, witness);
                let what = what
                    .into_iter()
                    .find(|(_, term)| self.evaluate(state, *term).low_u64() == 1);
                let what = what.map_or("what they do".into(), |(what, _)| what);
                self.fail(state, Error::Differs(what))
            }
            Truth::Unknown(why) => self.unanswered(state, why),
        }
    }

    fn any_of(&mut self, _: &State<M>, differences: Vec<(String, TermId)>) -> (Vec<(String, TermId)>, TermId) {
        let mut any = self.terms.fls();
        for (_, term) in &differences {
            any = self.terms.or(any, *term);
        }
        (differences, any)
    }

    /// Where they may differ, and when.
    fn differences(&mut self, state: &State<M>, left: &Left<M>) -> Result<Vec<(String, TermId)>, &'static str> {
        let mut out = Vec::new();
        match (left.ended, state.demand.ended) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                let term = self.differ(state, left, [a, b], 0)?;
                out.push(("how they end the program".into(), term));
            }
            _ => out.push(("whether they return".into(), self.terms.tru())),
        }
        for (&a, &b) in left.result.iter().zip(state.demand.result.iter()) {
            let term = self.differ(state, left, [a, b], DEEPEST)?;
            out.push(("what they return".into(), term));
        }
        let output = &state.output;
        if output.cut {
            return Err("output that cannot be compared");
        }
        let mut printed = match output.bytes.len() == left.output.len() {
            true => self.terms.fls(),
            false => self.terms.tru(),
        };
        for (&a, &b) in left.output.iter().zip(&output.bytes) {
            let term = self.differ(state, left, [a, b], 0)?;
            printed = self.terms.or(printed, term);
        }
        out.push(("what they print".into(), printed));
        let objects = state.demand.objects.clone();
        for object in objects.iter() {
            if let Stage::Born(_) = object.stage {
                let term = self.object_differs(state, left, object)?;
                let variable = self.is_variable(state, object);
                let place = if variable { "" } else { "what " };
                let verb = if variable { "" } else { " points to" };
                out.push((format!("what they leave in {place}`{}`{verb}", object.name), term));
            }
        }
        let returned = left.ended.is_none() && state.demand.ended.is_none();
        if let Some((base, bytes)) = state.demand.result_at.filter(|_| returned) {
            let term = self.bytes_differ(state, left, base, bytes)?;
            out.push(("what they return".into(), term));
        }
        for (base, name) in self.own_variables(state) {
            let bytes = state.memory.header(base).map_or(0, |header| header.room);
            let term = self.bytes_differ(state, left, base, bytes)?;
            out.push((format!("what they leave in `{name}`"), term));
        }
        Ok(out)
    }

    /// Variables that keep their first values, but may be written; and `errno`.
    fn own_variables(&self, state: &State<M>) -> Vec<(BaseId, String)> {
        let globals = self.program.globals.iter().enumerate();
        let own = globals.filter_map(|(index, global)| {
            let site = &self.program.sites[global.site.index()];
            let base = self.image.global_bases[index];
            let errno = global.runtime && global.name == ERRNO;
            let own = !global.runtime && site.function.is_none() && !global.constant && !global.only_read;
            let name = if errno { "errno" } else { site.name.as_deref()? };
            let told = errno || own && !name.starts_with('.') && state.demand.position(base).is_none();
            (told && state.memory.is_alive(base)).then(|| (base, name.to_owned()))
        });
        own.collect()
    }

    /// Whether both left different bytes in an object that was there before.
    fn bytes_differ(
        &mut self,
        state: &State<M>,
        left: &Left<M>,
        base: BaseId,
        bytes: u64,
    ) -> Result<TermId, &'static str> {
        let word = self.pointer_width() / 8;
        let (mut any, mut at) = (self.terms.fls(), 0);
        while at < bytes {
            let n = match at + u64::from(word) <= bytes {
                true => word,
                false => 1,
            };
            let read = |worker: &mut Self, memory: &Heap<M>| {
                let cell = worker.cell(state, memory, base, at, n);
                cell.map(|(value, _)| value).ok_or("bytes that cannot be read")
            };
            let values = [read(self, &left.memory)?, read(self, &state.memory)?];
            let differs = self.differ(state, left, values, DEEPEST)?;
            any = self.terms.or(any, differs);
            at += u64::from(n);
        }
        Ok(any)
    }

    /// When an object has been freed.
    fn is_freed(&mut self, memory: &Heap<M>, base: BaseId) -> TermId {
        let Some(header) = memory.header(base) else {
            return self.terms.tru();
        };
        if !matches!(header.life, Life::Alive | Life::Unborn) {
            return self.terms.tru();
        }
        let mut freed = self.terms.fls();
        for gone in header.gone() {
            freed = self.terms.or(freed, gone.when);
        }
        freed
    }

    /// Whether an object that both were given ends differently.
    fn object_differs(&mut self, state: &State<M>, left: &Left<M>, object: &Object) -> Result<TermId, &'static str> {
        let Stage::Born(contents) = &object.stage else {
            return Ok(self.terms.fls());
        };
        let header = |memory: &Heap<M>| memory.header(object.base).map(|header| (header.life, header.room));
        let before = header(&left.memory).filter(|(life, _)| *life != Life::Unborn);
        let Some((life, room)) = header(&state.memory) else {
            return Err("an object that is gone");
        };
        let (one, other) = (
            self.is_freed(&left.memory, object.base),
            self.is_freed(&state.memory, object.base),
        );
        let mut any = self.terms.ne(one, other);
        if life != Life::Alive || before.is_some_and(|(before, _)| before != Life::Alive) {
            return Ok(any);
        }
        let freed = self.terms.or(one, other);
        let remains = self.terms.not(freed);
        let (width, array) = (self.pointer_width(), self.terms.symbol(contents.bytes));
        let mut at = 0;
        while at < room {
            let pointer = contents.pointers.iter().find(|(offset, _)| *offset == at);
            let n = pointer.map_or(1, |_| width / 8);
            let place = self.terms.constant(width, at);
            let initial = match pointer {
                Some(&(_, pointer)) => pointer,
                None => self.terms.select(array, place),
            };
            let initial = self.terms.to_value(initial);
            let (one, exists) = match before {
                Some(_) => self.cell(state, &left.memory, object.base, at, n),
                None => Some((initial, self.terms.tru())),
            }
            .ok_or("bytes that cannot be read")?;
            let (other, here) = self
                .cell(state, &state.memory, object.base, at, n)
                .ok_or("bytes that cannot be read")?;
            let differs = self.differ(state, left, [one, other], DEEPEST)?;
            let there = self.terms.and(exists, here);
            let there = self.terms.and(there, remains);
            let differs = self.terms.and(there, differs);
            any = self.terms.or(any, differs);
            at += u64::from(n);
        }
        Ok(any)
    }

    /// What an object holds in a memory, and when it is large enough for that.
    pub(super) fn cell(
        &mut self,
        state: &State<M>,
        memory: &Heap<M>,
        base: BaseId,
        at: u64,
        n: u32,
    ) -> Option<(Value, TermId)> {
        if let Some(value) = memory.fast_load(base, at, n) {
            return Some((value, self.terms.tru()));
        }
        let place = Value::Ptr { base, offset: at };
        let branches = image::with_path(&mut self.terms, &mut *self.solver, &state.path.condition, |cx| {
            memory.clone().load(cx, place, n)
        });
        branches.into_iter().find_map(|branch| match branch.end {
            End::Done(value) => Some((value, branch.guard)),
            _ => None,
        })
    }

    /// When two values differ: the first function's, and the second's.
    fn differ(
        &mut self,
        state: &State<M>,
        left: &Left<M>,
        values: [Value; 2],
        deep: u32,
    ) -> Result<TermId, &'static str> {
        let [a, b] = values;
        if a == b {
            return Ok(self.terms.fls());
        }
        let is_new = |memory: &Heap<M>, value: Value| match value {
            Value::Ptr { base, offset } => {
                let header = memory.header(base)?;
                let new = header.kind == mneme_term::BaseKind::Heap && state.demand.position(base).is_none();
                new.then_some((base, offset, header.size, header.life))
            }
            _ => None,
        };
        if let (Some(one), Some(other)) = (is_new(&left.memory, a), is_new(&state.memory, b)) {
            return self.block_differs(state, left, [one, other], deep);
        }
        match (a, b) {
            (Value::Undef, _) => return Ok(self.terms.fls()),
            (_, Value::Undef) => return Ok(self.terms.tru()),
            _ => {}
        }
        let width = |value: Value| match value {
            Value::Term(term) => Some(self.terms.width(term)),
            Value::Ptr { .. } => Some(self.pointer_width()),
            _ => None,
        };
        let width = width(a).or(width(b)).unwrap_or(64);
        let (a, b) = (self.term(a, width), self.term(b, width));
        if width > 8 && !self.terms.has_base(a) && self.may_be_undefined(a) {
            return self.bytes_of_words_differ(state, left, [a, b], width);
        }
        // What the first leaves undefined, the second may leave as it likes.
        if self.may_be_undefined(a) && !self.terms.has_kind(a, SymbolKind::Input) {
            return Ok(self.terms.fls());
        }
        let unclear = self.depends_on_undefined(a);
        if !matches!(self.may(state, unclear), Truth::Never) {
            return Err("values that may be undefined");
        }
        // What the second leaves undefined, where the first does not, is a difference, too.
        let (apart, undefined) = (self.terms.ne(a, b), self.depends_on_undefined(b));
        Ok(self.terms.or(apart, undefined))
    }

    /// Of a word only some bytes may be undefined.
    fn bytes_of_words_differ(
        &mut self,
        state: &State<M>,
        left: &Left<M>,
        words: [TermId; 2],
        width: u32,
    ) -> Result<TermId, &'static str> {
        let mut any = self.terms.fls();
        for low in (0..width).step_by(8) {
            let bytes = words.map(|word| {
                let byte = self.terms.extract(word, low, 8.min(width - low));
                self.terms.to_value(byte)
            });
            let differs = self.differ(state, left, bytes, 0)?;
            any = self.terms.or(any, differs);
        }
        Ok(any)
    }

    fn block_differs(
        &mut self,
        state: &State<M>,
        left: &Left<M>,
        blocks: [(BaseId, u64, Value, Life); 2],
        deep: u32,
    ) -> Result<TermId, &'static str> {
        let [(a, at_a, size_a, life_a), (b, at_b, size_b, life_b)] = blocks;
        let (Value::Int(size), Value::Int(other)) = (size_a, size_b) else {
            return Err("new blocks of symbolic size");
        };
        if deep == 0 || size > LARGEST {
            return Err("new blocks that lead far");
        }
        if (at_a, size, life_a) != (at_b, other, life_b) {
            return Ok(self.terms.tru());
        }
        let mut any = self.terms.fls();
        if life_a != Life::Alive {
            return Ok(any);
        }
        let word = self.pointer_width() / 8;
        let mut at = 0;
        while at < size {
            let n = if at.is_multiple_of(word.into()) && at + u64::from(word) <= size {
                word
            } else {
                1
            };
            let (one, _) = self
                .cell(state, &left.memory, a, at, n)
                .ok_or("bytes that cannot be read")?;
            let (other, _) = self
                .cell(state, &state.memory, b, at, n)
                .ok_or("bytes that cannot be read")?;
            let differs = self.differ(state, left, [one, other], deep - 1)?;
            any = self.terms.or(any, differs);
            at += u64::from(n);
        }
        Ok(any)
    }
}
