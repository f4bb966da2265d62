//! Objects on demand: pointers of which nothing is known, and the birth of what they refer to.

use super::{Contents, Missing, Object, Stage};
use crate::image::{self, OwnSite, own_site};
use crate::options::{Aliases, UnknownCalls};
use crate::state::State;
use crate::step::call_at;
use crate::worker::{Flow, Worker};
use mneme_memory::{Alloc, Heap, Init, Model, Reason, Truth};
use mneme_program::{CField, Callee, Kind, Type};
use mneme_term::{BaseId, BaseKind, Sort, TermId, Value};
use std::rc::Rc;

/// A pointer that something is wanted of.
pub(super) struct Want<'a> {
    /// As C writes it.
    pub name: &'a str,
    pub to: Option<Type>,
    /// How many pointers lead to what it refers to.
    pub depth: u32,
    /// It is not null.
    pub nonnull: bool,
    /// Nothing else refers to what it refers to.
    pub restrict: bool,
    /// Bytes that it refers to, at least.
    pub least: u64,
}

/// A pointer inside an object.
struct Cell {
    offset: u64,
    /// From the object (`.next`, `[2].name`).
    path: String,
    to: Type,
}

/// What the pointers in an object are called by, and how deep they lead.
pub(super) struct Owner {
    pub name: Rc<str>,
    /// Of one element.
    pub c_type: Option<Type>,
    pub depth: u32,
    /// It is a variable, and not what a pointer refers to.
    pub variable: bool,
}

/// The most pointers of one object that refer to something.
const MOST_POINTERS: usize = 64;
/// The most elements of an object that holds pointers, and of an array of structures or arrays.
const POINTERS: u64 = 4;
/// The most bytes of an array of structures or arrays that has several elements.
const LARGEST_ARRAY: u64 = 1024;
/// Bytes of an object without a type.
const UNTYPED: u64 = 64;
/// What the byte that decides about a pointer says: null; then an object of its own; then one of the others.
const OWN: u64 = 1;

/// How large an object is: bytes before its elements, bytes of an element, the least number of them, and a power of
/// two: how many numbers there are.
struct Extent {
    before: u64,
    element: u64,
    least: u64,
    most: u64,
    align: u64,
}

impl<M: Model> Worker<'_, M> {
    fn extent(&self, to: Option<Type>, least: u64) -> Extent {
        let program = self.program;
        let limit = self.on_demand().elements.next_power_of_two();
        let align = to.map_or(1, |ty| program.align_of(ty));
        if let Some((bytes, of)) = to.and_then(|ty| Some((program.size_of(ty)?, program.flexible_array(ty)?.1)))
            && let Some(element @ 1..) = program.size_of(of)
        {
            let most = match program.kind(of) {
                Kind::Struct { .. } | Kind::Pointer { .. } => limit.min(POINTERS),
                _ => limit,
            };
            return Extent {
                before: bytes,
                element,
                least: 0,
                most,
                align,
            };
        }
        let (element, most) = match to.map(|ty| (program.kind(ty), program.size_of(ty))) {
            Some((Kind::Struct { .. } | Kind::Array { .. }, Some(bytes))) if bytes > 0 => {
                let several = (LARGEST_ARRAY / bytes).max(1).next_power_of_two();
                (bytes, limit.min(POINTERS).min(several))
            }
            Some((Kind::Pointer { .. }, Some(bytes))) => (bytes, limit.min(POINTERS)),
            Some((_, Some(bytes))) if bytes > 0 => (bytes, limit),
            _ => (1, limit.max(UNTYPED)),
        };
        let least = least.div_ceil(element).max(1);
        Extent {
            before: 0,
            element,
            least,
            most,
            align,
        }
    }

    /// A pointer that is null, refers to an object of its own, or to another of the same type; `which` says what, a
    /// byte of input. `None`: no room.
    pub(super) fn unknown_pointer(&mut self, state: &mut State<M>, which: TermId, want: Want) -> Option<Value> {
        let is_code = want
            .to
            .is_some_and(|ty| matches!(self.program.kind(ty), Kind::Function));
        let stage = match () {
            () if is_code => Stage::Code,
            () if want.to.is_some_and(|ty| self.is_stream(ty)) => Stage::Stream,
            () if want.depth >= self.on_demand().depth => Stage::TooDeep,
            () => Stage::Latent,
        };
        let (size, room, align) = match stage {
            Stage::Latent => {
                let extent = self.extent(want.to, want.least);
                let room = extent.before + extent.element * (extent.least + extent.most - 1);
                (self.unknown_size(state, want.name, &extent), room, extent.align)
            }
            _ => (Value::Int(1), 1, 1),
        };
        let own = self.allocate_latent(&mut state.memory, size, align)?;
        debug_assert!(state.memory.header(own).is_some_and(|header| header.room >= room));
        // Whoever called the function still has it.
        Rc::make_mut(&mut state.leaks.reported).insert(own);
        let zero = self.terms.constant(8, 0);
        let is_null = match want.nonnull {
            true => self.terms.fls(),
            false => self.terms.eq(which, zero),
        };
        let mut owned = self.terms.not(is_null);
        let offset = self.offset(state, &want);
        let mut pointer = self.terms.pointer(own, offset);
        for (code, other, exists) in self.others(state, &want, is_code).into_iter().rev() {
            let code = self.terms.constant(8, code);
            let chosen = self.terms.eq(which, code);
            let here = self.terms.and(chosen, exists);
            let elsewhere = self.terms.not(here);
            owned = self.terms.and(owned, elsewhere);
            self.keep_inside(state, &want, here, other, offset);
            let other = self.terms.pointer(other, offset);
            pointer = self.terms.ite(here, other, pointer);
        }
        self.keep_inside(state, &want, owned, own, offset);
        let null = self.terms.constant(self.pointer_width(), 0);
        let pointer = self.terms.ite(is_null, null, pointer);
        Rc::make_mut(&mut state.demand.objects).push(Object {
            base: own,
            name: want.name.into(),
            c_type: want.to,
            depth: want.depth,
            owned,
            restrict: want.restrict,
            stage,
        });
        Some(self.terms.to_value(pointer))
    }

    /// What else the pointer may refer to: the code that says so, the object, and where that exists.
    fn others(&self, state: &State<M>, want: &Want, is_code: bool) -> Vec<(u64, BaseId, TermId)> {
        let Some(to) = want
            .to
            .filter(|_| self.on_demand().aliases != Aliases::Never && !is_code && !want.restrict)
        else {
            return Vec::new();
        };
        // Buffers in a structure are its own: only those of arguments, and structures, are worth a path.
        let shared = |object: &Object| {
            matches!(self.program.kind(to), Kind::Struct { .. }) || object.depth == 0 && want.depth == 0
        };
        let is_other = |object: &Object| {
            let alive = matches!(object.stage, Stage::Latent | Stage::Born(_)) && !object.restrict;
            let same = object.c_type.is_some_and(|ty| self.program.is_same_type(ty, to));
            // Every object can be seen as bytes.
            let overlaps = self.may_overlap(want) && object.depth == 0 && (same || self.is_bytes(to));
            alive && (overlaps || same && shared(object))
        };
        let all = state
            .demand
            .objects
            .iter()
            .enumerate()
            .filter(|(_, object)| is_other(object));
        let coded = all.map(|(index, object)| (OWN + 1 + index as u64, object.base, object.owned));
        coded.take_while(|&(code, ..)| code < 256).collect()
    }

    /// Is it a buffer of an argument that may begin inside of another?
    fn may_overlap(&self, want: &Want) -> bool {
        let structure = want
            .to
            .is_some_and(|ty| matches!(self.program.kind(ty), Kind::Struct { .. }));
        self.on_demand().aliases == Aliases::Overlapping && want.depth == 0 && !structure
    }

    /// Characters, or bytes without a type.
    fn is_bytes(&self, ty: Type) -> bool {
        match self.program.kind(ty) {
            Kind::Base { encoding, .. } => encoding.is_character(),
            kind => kind == Kind::Void,
        }
    }

    /// How far inside of an object the pointer refers to: to an element of it, or to its end.
    fn offset(&mut self, state: &mut State<M>, want: &Want) -> TermId {
        let width = self.pointer_width();
        if !self.may_overlap(want) {
            return self.terms.constant(width, 0);
        }
        let element = want.to.and_then(|ty| self.program.size_of(ty)).unwrap_or(1);
        let at = self.input(state, &format!("{}.at", want.name), Sort::Bits(8), 1, None);
        let at = self.terms.zext(at, width);
        let element = self.terms.constant(width, element);
        self.terms.mul(at, element)
    }

    /// Where the pointer refers to this object, it is inside of it, with as many bytes behind it as the source says.
    fn keep_inside(&mut self, state: &mut State<M>, want: &Want, here: TermId, base: BaseId, offset: TermId) {
        let width = self.pointer_width();
        let size = state.memory.header(base).expect("it was made").size;
        let size = self.term(size, width);
        let least = self.terms.constant(width, want.least);
        // Both are small.
        let end = self.terms.add(offset, least);
        let fits = self.terms.ule(end, size);
        let elsewhere = self.terms.not(here);
        let holds = self.terms.or(elsewhere, fits);
        self.demand(state, holds);
    }

    /// The size of an object of unknown extent.
    fn unknown_size(&mut self, state: &mut State<M>, pointer: &str, extent: &Extent) -> Value {
        let &Extent {
            before,
            element,
            least,
            most,
            ..
        } = extent;
        if most == 1 {
            return Value::Int(before + element * least);
        }
        let bits = most.trailing_zeros();
        let name = format!("{pointer}.more");
        let bytes = u64::from(bits.div_ceil(8));
        let whole = self.input(state, &name, Sort::Bits(8 * bytes as u32), bytes, None);
        let low = self.terms.extract(whole, 0, bits);
        let width = self.pointer_width();
        let more = self.terms.zext(low, width);
        let least = self.terms.constant(width, before + element * least);
        let element = self.terms.constant(width, element);
        let more = self.terms.mul(more, element);
        let size = self.terms.add(more, least);
        self.terms.to_value(size)
    }

    pub(super) fn allocate_latent(&mut self, memory: &mut Heap<M>, size: Value, align: u64) -> Option<BaseId> {
        let site = own_site(self.program, OwnSite::OnDemand);
        let what = Alloc {
            kind: BaseKind::Heap,
            size,
            align,
            site,
            init: Init::Zero,
        };
        let base = image::allocate(memory, &mut self.terms, &mut *self.solver, what)?;
        memory.postpone(base);
        Some(base)
    }

    /// The object is accessed for the first time.
    pub(super) fn bear(&mut self, state: &mut State<M>, base: BaseId) -> Result<(), Flow> {
        let index = state.demand.position(base).expect("only such objects are latent");
        let object = state.demand.objects[index].clone();
        match object.stage {
            Stage::TooDeep => {
                return Err(self.end_at(state, &Reason::Limit("the depth of structures made on demand")));
            }
            Stage::Code => return Err(self.call_unknown(state, &object.name)),
            Stage::Stream => return Err(self.unsupported(state, "a stream that the caller has opened")),
            // Bytes without a type hold pointers to functions, too.
            Stage::Latent if object.c_type.is_none() && self.is_called(state, base) => {
                return Err(self.call_unknown(state, &object.name));
            }
            Stage::Latent | Stage::Global | Stage::Born(_) => {}
        }
        if self.is_trial() {
            return Err(self.irregular("it meets an object made on demand"));
        }
        state.memory.begin(base);
        let header = state.memory.header(base).expect("it was just made");
        let (size, room) = (header.size, header.room);
        let width = self.pointer_width();
        let sort = Sort::Array {
            index: width,
            element: 8,
        };
        let global = object.stage == Stage::Global;
        let name = match global || object.depth == 0 && size == Value::Int(room) && header.kind == BaseKind::Global {
            true => object.name.to_string(),
            false => format!("*{}", object.name),
        };
        let array = self.input(state, &name, sort, room, object.c_type);
        let inputs = Rc::make_mut(&mut state.path.inputs);
        inputs.last_mut().expect("it was just made").len = size;
        let symbol = self.terms.symbols(array)[0];
        self.change_memory(state, |memory, cx| memory.init_symbol(cx, base, room, symbol));
        let owner = Owner {
            name: object.name.clone(),
            c_type: object.c_type,
            depth: object.depth,
            variable: global,
        };
        let pointers = self.unknown_pointers(state, base, room, array, &owner)?;
        if let Some(ty) = object.c_type.filter(|_| !global) {
            self.keep_counted(state, size, room, array, ty);
        }
        let contents = Rc::new(Contents {
            bytes: symbol,
            pointers,
        });
        Rc::make_mut(&mut state.demand.objects)[index].stage = Stage::Born(contents);
        Ok(())
    }

    /// The source says that the array at the end has as many elements as a member tells.
    fn keep_counted(&mut self, state: &mut State<M>, size: Value, room: u64, array: TermId, ty: Type) {
        let program = self.program;
        let known = || {
            let (_, of) = program.flexible_array(ty)?;
            let element = program.size_of(of).filter(|&bytes| bytes > 0)?;
            Some((program.count_of(ty)?, program.size_of(ty)?, element))
        };
        let Some((count, before, element)) = known() else {
            return;
        };
        let room = room - before;
        let width = self.pointer_width();
        let mut bytes = (count.offset_bits / 8..(count.offset_bits + count.size_bits) / 8).rev();
        let mut number = None;
        for at in &mut bytes {
            let at = self.terms.constant(width, at);
            let byte = self.terms.select(array, at);
            number = Some(number.map_or(byte, |high| self.terms.concat(high, byte)));
        }
        if let Some(number) = number.filter(|&number| self.terms.width(number) <= width) {
            let number = self.terms.zext(number, width);
            let before = self.terms.constant(width, before);
            let size = self.term(size, width);
            let rest = self.terms.sub(size, before);
            let fits = self.fits(number, element, rest, room);
            self.keep(state, fits, number, room / element);
        }
    }

    /// Callers see to it that a condition holds, which says that there is room for `count` elements. More than `most`
    /// are cut off, and counted.
    pub(super) fn keep(&mut self, state: &mut State<M>, condition: TermId, count: TermId, most: u64) {
        let most = self.terms.constant(self.pointer_width(), most);
        let beyond = self.terms.ult(most, count);
        if !self.repeats(state) && !matches!(self.may(state, beyond), Truth::Never) {
            self.stop(state, &Reason::Limit("the size of objects made on demand"));
        }
        let before = state.path.condition.clauses().len();
        self.demand(state, condition);
        state.suppose(before);
    }

    /// So many elements are in an object of this size, with room for a limited number of bytes.
    pub(super) fn fits(&mut self, count: TermId, element: u64, size: TermId, room: u64) -> TermId {
        let width = self.pointer_width();
        // The product does not overflow.
        let most = self.terms.constant(width, room / element);
        let small = self.terms.ule(count, most);
        let element = self.terms.constant(width, element);
        let bytes = self.terms.mul(count, element);
        let inside = self.terms.ule(bytes, size);
        self.terms.and(small, inside)
    }

    /// The pointers in an object whose bytes are those of `array`, by its type: nothing is known of them.
    pub(super) fn unknown_pointers(
        &mut self,
        state: &mut State<M>,
        base: BaseId,
        room: u64,
        array: TermId,
        owner: &Owner,
    ) -> Result<Vec<(u64, TermId)>, Flow> {
        let width = self.pointer_width();
        let mut pointers = Vec::new();
        for (number, cell) in self.cells(owner.c_type, room).into_iter().enumerate() {
            let at = self.terms.constant(width, cell.offset);
            let which = self.terms.select(array, at);
            let deep = number >= MOST_POINTERS;
            let want = Want {
                name: &member(&owner.name, &cell.path, owner.variable),
                to: Some(cell.to),
                depth: if deep { u32::MAX } else { owner.depth + 1 },
                nonnull: false,
                restrict: false,
                least: 0,
            };
            let Some(pointer) = self.unknown_pointer(state, which, want) else {
                return Err(self.no_room(state));
            };
            self.change_memory(state, |memory, cx| {
                memory.init_value(cx, base, cell.offset, width / 8, pointer);
            });
            pointers.push((cell.offset, self.term(pointer, width)));
        }
        Ok(pointers)
    }

    pub(super) fn no_room(&mut self, state: &State<M>) -> Flow {
        self.end_at(state, &Reason::Limit("the address space is full"))
    }

    /// Whether the instruction that is executed calls this as a function.
    fn is_called(&self, state: &State<M>, base: BaseId) -> bool {
        let call = call_at(self.program, state.frame());
        let Some(Callee::Indirect(callee)) = call.map(|call| &call.callee) else {
            return false;
        };
        let mut bases = Vec::new();
        crate::leaks::bases_of(&self.terms, self.get(state, *callee), &mut bases);
        bases.contains(&base)
    }

    /// A call through a pointer to a function of which nothing is known.
    pub(super) fn call_unknown(&mut self, state: &mut State<M>, pointer: &str) -> Flow {
        let Some(call) = call_at(self.program, state.frame()) else {
            return self.unsupported(state, "a function of which nothing is known");
        };
        if self.options.unknown_calls == UnknownCalls::Stop {
            return self.call_back(state, call, pointer);
        }
        let args: Vec<Value> = call.args.iter().map(|arg| self.get(state, arg.value)).collect();
        self.unknown_call(state, call, pointer, &args, Missing::Body)
    }

    /// What a stream of the C library holds is the library's own affair: no caller could fill it in.
    fn is_stream(&self, ty: Type) -> bool {
        matches!(&*self.program.type_name(ty), "FILE" | "struct _IO_FILE")
    }

    /// The pointers in an object of `room` bytes.
    fn cells(&self, c_type: Option<Type>, room: u64) -> Vec<Cell> {
        let mut out = Vec::new();
        let Some((ty, bytes)) = c_type.and_then(|ty| Some((ty, self.program.size_of(ty)?))) else {
            return out;
        };
        if let Some((array, of)) = self.program.flexible_array(ty)
            && let Some(size @ 1..) = self.program.size_of(of)
        {
            self.pointers_in(ty, 0, String::new(), &mut out);
            let name = array.name.as_deref().unwrap_or_default();
            let first = array.offset_bits / 8;
            for index in 0..room.saturating_sub(first) / size {
                self.pointers_in(of, first + index * size, format!(".{name}[{index}]"), &mut out);
            }
            return out;
        }
        let mut elements = room.checked_div(bytes).unwrap_or(0);
        // Those of an array of structures are made when they are read (`late`): a node of a list is hardly ever in one.
        if !matches!(self.program.kind(ty), Kind::Pointer { .. }) {
            elements = elements.min(1);
        }
        for index in 0..elements {
            let path = match elements {
                1 => String::new(),
                _ => format!("[{index}]"),
            };
            self.pointers_in(ty, index * bytes, path, &mut out);
        }
        out
    }

    /// Where the pointers are that an object of `room` bytes may have behind its first element.
    pub(super) fn places_of_pointers(&self, owner: &Owner, room: u64) -> Vec<u64> {
        let bytes = owner.c_type.and_then(|ty| self.program.size_of(ty)).unwrap_or(0);
        let first = self.cells(owner.c_type, room);
        let elements = 1..room.checked_div(bytes).unwrap_or(0);
        let all = elements.flat_map(|index| first.iter().map(move |cell| cell.offset + index * bytes));
        all.take_while(|at| at + u64::from(self.pointer_width() / 8) <= room)
            .take(MOST_POINTERS)
            .collect()
    }

    fn pointers_in(&self, ty: Type, offset: u64, path: String, out: &mut Vec<Cell>) {
        match self.program.kind(ty) {
            Kind::Pointer { to } => out.push(Cell { offset, path, to }),
            Kind::Array { of, count: Some(count) } => {
                let Some(bytes) = self.program.size_of(of) else { return };
                for index in 0..count {
                    self.pointers_in(of, offset + index * bytes, format!("{path}[{index}]"), out);
                }
            }
            // Which member of a union counts is not known before one is read (`late`).
            Kind::Struct {
                fields, union: false, ..
            } => {
                for CField {
                    name,
                    offset_bits,
                    c_type,
                    size_bits,
                } in fields
                {
                    if *size_bits > 0 && offset_bits.is_multiple_of(8) {
                        let path = match name {
                            Some(name) => format!("{path}.{name}"),
                            None => path.clone(),
                        };
                        self.pointers_in((*c_type).into(), offset + offset_bits / 8, path, out);
                    }
                }
            }
            _ => {}
        }
    }
}

/// `p->next`, `g.next`, `p[2]`: a part of what `p` points to, or of the variable `g`.
pub(super) fn member(owner: &str, path: &str, variable: bool) -> String {
    match (path.strip_prefix('.'), variable) {
        (Some(field), false) => format!("{owner}->{field}"),
        (None, false) if path.is_empty() => format!("*{owner}"),
        _ => format!("{owner}{path}"),
    }
}
