//! The reference: memory as plain arrays of bytes, run under one assignment of the symbols. Nothing in it is symbolic.

use super::script::{Input, Pointer, Step};
use super::symbols::Inputs;
use mneme_memory::{AccessKind, Death, FaultKind, Life};
use mneme_term::{BaseKind, truncate};

/// One byte of memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Byte {
    Undefined,
    Known(u8),
    /// A byte of a pointer that was loaded as something other than a word: its value is guaranteed, but not that it can
    /// be used as a pointer.
    Piece(u8),
    /// Byte `index` of a pointer into an object.
    Pointer {
        object: usize,
        offset: u64,
        index: u32,
        value: u8,
    },
}

impl Byte {
    pub fn value(self) -> Option<u8> {
        match self {
            Byte::Undefined => None,
            Byte::Known(value) | Byte::Piece(value) | Byte::Pointer { value, .. } => Some(value),
        }
    }
}

/// A pointer under an assignment: into an object, or a plain number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PlainPointer {
    pub object: Option<usize>,
    pub offset: u64,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub address: u64,
    pub size: u64,
    pub kind: BaseKind,
    pub life: Life,
    pub constant: bool,
    pub exposed: bool,
    pub bytes: Vec<Byte>,
}

/// What a step does.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The step mentions something that does not exist, or a pointer with undefined bytes or bytes of several pointers.
    Skipped,
    Done,
    Loaded(Vec<Byte>),
    /// The object that a pointer belongs to.
    Object(PlainPointer),
    Fault {
        kind: FaultKind,
        place: PlainPointer,
        len: Option<u64>,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Plain {
    pub objects: Vec<Option<Object>>,
    pub registers: Vec<Option<Vec<Byte>>>,
}

/// Ends a step early: with a fault, or because it cannot be run.
type Early<T> = Result<T, Outcome>;

impl Plain {
    pub fn place(&self, inputs: &Inputs, p: &Pointer) -> Option<PlainPointer> {
        let width = inputs.pointer_width();
        let shifted = |place: PlainPointer, by: u64| PlainPointer {
            offset: truncate(place.offset.wrapping_add(by), width),
            ..place
        };
        match p {
            Pointer::At { object, at } => {
                self.object(*object)?;
                Some(PlainPointer {
                    object: Some(*object),
                    offset: inputs.number(*at),
                })
            }
            Pointer::Number(at) => Some(PlainPointer {
                object: None,
                offset: inputs.number(*at),
            }),
            Pointer::Address { object, at } => {
                let start = PlainPointer {
                    object: None,
                    offset: self.object(*object)?.address,
                };
                Some(shifted(start, inputs.number(*at)))
            }
            Pointer::Register { register, plus } => {
                let bytes = self.registers.get(*register)?.as_ref()?;
                Some(shifted(as_pointer(bytes, width / 8)?, *plus))
            }
            Pointer::Choice { symbol, below, yes, no } => {
                let (yes, no) = (self.place(inputs, yes)?, self.place(inputs, no)?);
                Some(if inputs.symbol(*symbol) < *below { yes } else { no })
            }
            Pointer::Table { symbol, entries } => {
                let all: Option<Vec<PlainPointer>> = entries.iter().map(|entry| self.place(inputs, entry)).collect();
                Some(all?[(inputs.symbol(*symbol) & 3) as usize])
            }
        }
    }

    pub fn input(&self, inputs: &Inputs, input: &Input, bytes: u32) -> Option<Vec<Byte>> {
        let known = |bytes: Vec<u8>| bytes.into_iter().map(Byte::Known).collect::<Vec<_>>();
        match input {
            Input::Bytes(bytes) => Some(known(bytes.clone())),
            Input::Symbol(symbol) => Some(known(inputs.data(*symbol, bytes))),
            Input::Mixed { low, symbol, width } => {
                let mut all = low.clone();
                all.extend(inputs.data(*symbol, *width));
                Some(known(all))
            }
            Input::Register(register) => {
                let loaded = self.registers.get(*register)?.clone()?;
                (loaded.len() == bytes as usize).then_some(loaded)
            }
            Input::Pointer(p) => {
                let PlainPointer { object, offset } = self.place(inputs, p)?;
                let start = object.map_or(0, |object| self.live_or_dead(object).address);
                let address = start.wrapping_add(offset);
                let byte = |index: u32| {
                    let value = (address >> (8 * index)) as u8;
                    object.map_or(Byte::Known(value), |object| Byte::Pointer {
                        object,
                        offset,
                        index,
                        value,
                    })
                };
                Some((0..inputs.pointer_width() / 8).map(byte).collect())
            }
        }
    }

    pub fn object(&self, object: usize) -> Option<&Object> {
        self.objects.get(object)?.as_ref()
    }

    fn live_or_dead(&self, object: usize) -> &Object {
        self.object(object).expect("a place is in an object that exists")
    }

    fn bytes_mut(&mut self, object: usize) -> &mut [Byte] {
        &mut self.objects[object]
            .as_mut()
            .expect("a place is in an object that exists")
            .bytes
    }

    /// What a number refers to: the exposed object that contains it, or that it is one past the end of.
    pub fn provenance(&self, inputs: &Inputs, place: PlainPointer) -> PlainPointer {
        if place.object.is_some() {
            return place;
        }
        for (id, object) in self.objects.iter().enumerate() {
            if let Some(object) = object
                && object.exposed
            {
                let offset = truncate(place.offset.wrapping_sub(object.address), inputs.pointer_width());
                if offset <= object.size {
                    return PlainPointer {
                        object: Some(id),
                        offset,
                    };
                }
            }
        }
        place
    }

    /// Where an access goes. `None`: it touches no byte.
    fn access(
        &self,
        inputs: &Inputs,
        place: PlainPointer,
        len: u64,
        kind: AccessKind,
    ) -> Early<Option<(usize, usize)>> {
        if len == 0 {
            return Ok(None);
        }
        let place = self.provenance(inputs, place);
        let fault = |kind| {
            Err(Outcome::Fault {
                kind,
                place,
                len: Some(len),
            })
        };
        let Some(id) = place.object else {
            return fault(if place.offset < 4096 {
                FaultKind::Null(kind)
            } else {
                FaultKind::Wild(kind)
            });
        };
        let object = self.live_or_dead(id);
        match object.life {
            Life::Alive => {}
            Life::Freed => return fault(FaultKind::UseAfterFree(kind)),
            Life::Ended(Death::Return) => return fault(FaultKind::UseAfterReturn(kind)),
            Life::Ended(Death::Scope) => return fault(FaultKind::UseAfterScope(kind)),
            Life::Unborn => unreachable!("here an object is, or is not"),
        }
        if place.offset.checked_add(len).is_none_or(|end| end > object.size) {
            return fault(FaultKind::OutOfBounds(kind));
        }
        if object.constant && kind == AccessKind::Write {
            return fault(FaultKind::WriteToConstant);
        }
        Ok(Some((id, place.offset as usize)))
    }

    fn write(&mut self, inputs: &Inputs, place: PlainPointer, bytes: &[Byte]) -> Early<Outcome> {
        if let Some((id, at)) = self.access(inputs, place, bytes.len() as u64, AccessKind::Write)? {
            self.bytes_mut(id)[at..at + bytes.len()].copy_from_slice(bytes);
        }
        Ok(Outcome::Done)
    }

    /// Runs a step. `addresses` says where objects are put.
    pub fn step(&mut self, inputs: &Inputs, step: &Step, addresses: &[u64]) -> Outcome {
        self.run(inputs, step, addresses).unwrap_or_else(|early| early)
    }

    fn run(&mut self, inputs: &Inputs, step: &Step, addresses: &[u64]) -> Early<Outcome> {
        let skip = Outcome::Skipped;
        match step {
            Step::Alloc {
                object,
                kind,
                size,
                zero,
                ..
            } => {
                self.allocate(*object, addresses[*object], *kind, inputs.number(*size), *zero);
                Ok(Outcome::Done)
            }
            Step::InitBytes { object, at, bytes } => {
                self.object(*object).ok_or(skip)?;
                let known: Vec<_> = bytes.iter().copied().map(Byte::Known).collect();
                self.bytes_mut(*object)[*at as usize..][..known.len()].copy_from_slice(&known);
                Ok(Outcome::Done)
            }
            Step::InitValue {
                object,
                at,
                bytes,
                value,
            } => {
                self.object(*object).ok_or(skip.clone())?;
                let value = self.input(inputs, value, *bytes).ok_or(skip)?;
                self.bytes_mut(*object)[*at as usize..][..value.len()].copy_from_slice(&value);
                Ok(Outcome::Done)
            }
            Step::Protect { object } => self.change(*object, |object| object.constant = true),
            Step::Expose { object } => self.change(*object, |object| object.exposed = true),
            Step::End { object, death } => self.change(*object, |object| object.life = Life::Ended(*death)),
            Step::Begin { object } => self.change(*object, |object| {
                object.life = Life::Alive;
                object.bytes.fill(Byte::Undefined);
            }),
            Step::Free { p } => {
                let place = self.place(inputs, p).ok_or(skip)?;
                self.free(inputs, place)
            }
            Step::Load { p, bytes, register } => {
                let place = self.place(inputs, p).ok_or(skip)?;
                self.load(inputs, place, *bytes, *register)
            }
            Step::Store { p, bytes, value } => {
                let place = self.place(inputs, p).ok_or(skip.clone())?;
                let value = self.input(inputs, value, *bytes).ok_or(skip)?;
                self.write(inputs, place, &value)
            }
            Step::Copy { to, from, len } => {
                let (to, from) = (self.place(inputs, to), self.place(inputs, from));
                let (to, from, len) = (to.ok_or(skip.clone())?, from.ok_or(skip)?, inputs.number(*len));
                match self.access(inputs, from, len, AccessKind::Read)? {
                    Some((id, at)) => {
                        let bytes = self.live_or_dead(id).bytes[at..at + len as usize].to_vec();
                        self.write(inputs, to, &bytes)
                    }
                    None => Ok(Outcome::Done),
                }
            }
            Step::Fill { p, byte, len } => {
                let place = self.place(inputs, p).ok_or(skip.clone())?;
                let byte = self.input(inputs, byte, 1).ok_or(skip)?[0];
                let len = inputs.number(*len);
                if let Some((id, at)) = self.access(inputs, place, len, AccessKind::Write)? {
                    self.bytes_mut(id)[at..at + len as usize].fill(byte);
                }
                Ok(Outcome::Done)
            }
            Step::MakeBits { p, bytes, symbol } => {
                let place = self.place(inputs, p).ok_or(skip)?;
                let bytes: Vec<_> = inputs.data(*symbol, *bytes).into_iter().map(Byte::Known).collect();
                self.write(inputs, place, &bytes)
            }
            Step::MakeBytes { p, len, array } => {
                let place = self.place(inputs, p).ok_or(skip)?;
                let len = inputs.number(*len);
                self.access(inputs, place, len, AccessKind::Write)?;
                let bytes: Vec<_> = (0..len).map(|k| Byte::Known(inputs.element(*array, k))).collect();
                self.write(inputs, place, &bytes)
            }
            Step::Check { p, len, kind } => {
                let place = self.place(inputs, p).ok_or(skip)?;
                self.access(inputs, place, inputs.number(*len), *kind)?;
                Ok(Outcome::Done)
            }
            Step::Object { p } => {
                let place = self.place(inputs, p).ok_or(skip)?;
                Ok(self.object_of(self.provenance(inputs, place)))
            }
        }
    }

    fn allocate(&mut self, object: usize, address: u64, kind: BaseKind, size: u64, zero: bool) {
        let byte = if zero { Byte::Known(0) } else { Byte::Undefined };
        let slots = self.objects.len().max(object + 1);
        self.objects.resize(slots, None);
        self.objects[object] = Some(Object {
            address,
            size,
            kind,
            life: Life::Alive,
            constant: false,
            exposed: false,
            bytes: vec![byte; size as usize],
        });
    }

    fn load(&mut self, inputs: &Inputs, place: PlainPointer, bytes: u32, register: usize) -> Early<Outcome> {
        let found = self.access(inputs, place, bytes as u64, AccessKind::Read)?;
        let (id, at) = found.expect("a load has at least one byte");
        let mut loaded = self.live_or_dead(id).bytes[at..at + bytes as usize].to_vec();
        if 8 * bytes != inputs.pointer_width() {
            for byte in &mut loaded {
                if let Byte::Pointer { value, .. } = *byte {
                    *byte = Byte::Piece(value);
                }
            }
        }
        let slots = self.registers.len().max(register + 1);
        self.registers.resize(slots, None);
        self.registers[register] = Some(loaded.clone());
        Ok(Outcome::Loaded(loaded))
    }

    fn object_of(&self, place: PlainPointer) -> Outcome {
        let kind = match place.object.map(|object| self.live_or_dead(object).life) {
            Some(Life::Alive) => return Outcome::Object(place),
            Some(Life::Freed) => FaultKind::UseAfterFree(AccessKind::Read),
            Some(Life::Ended(Death::Return)) => FaultKind::UseAfterReturn(AccessKind::Read),
            Some(Life::Ended(Death::Scope)) => FaultKind::UseAfterScope(AccessKind::Read),
            Some(Life::Unborn) => unreachable!("here an object is, or is not"),
            None => FaultKind::Null(AccessKind::Read),
        };
        Outcome::Fault { kind, place, len: None }
    }

    fn change(&mut self, object: usize, f: impl FnOnce(&mut Object)) -> Early<Outcome> {
        match self.objects.get_mut(object) {
            Some(Some(object)) => {
                f(object);
                Ok(Outcome::Done)
            }
            _ => Err(Outcome::Skipped),
        }
    }

    fn free(&mut self, inputs: &Inputs, place: PlainPointer) -> Early<Outcome> {
        let place = self.provenance(inputs, place);
        let fault = |kind| Err(Outcome::Fault { kind, place, len: None });
        let Some(id) = place.object else {
            return if place.offset == 0 {
                Ok(Outcome::Done)
            } else {
                fault(FaultKind::InvalidFree)
            };
        };
        let object = self.live_or_dead(id);
        match object.life {
            _ if object.kind != BaseKind::Heap || place.offset != 0 => fault(FaultKind::InvalidFree),
            Life::Alive => self.change(id, |object| object.life = Life::Freed),
            _ => fault(FaultKind::DoubleFree),
        }
    }
}

/// Bytes as a pointer: all of one pointer in order, or plain numbers. `None` for undefined bytes and mixtures.
pub fn as_pointer(bytes: &[Byte], word: u32) -> Option<PlainPointer> {
    if bytes.len() != word as usize {
        return None;
    }
    if let Byte::Pointer { object, offset, .. } = bytes[0] {
        let whole = |(k, byte): (usize, &Byte)| match *byte {
            Byte::Pointer {
                object: o,
                offset: at,
                index,
                ..
            } => (o, at, index as usize) == (object, offset, k),
            _ => false,
        };
        return bytes.iter().enumerate().all(whole).then_some(PlainPointer {
            object: Some(object),
            offset,
        });
    }
    let mut number = 0;
    for (k, byte) in bytes.iter().enumerate() {
        let Byte::Known(value) = *byte else { return None };
        number |= (value as u64) << (8 * k);
    }
    Some(PlainPointer {
        object: None,
        offset: number,
    })
}
