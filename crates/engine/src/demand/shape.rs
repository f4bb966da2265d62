//! What a test of a function looks like: the objects that its arguments lead to under the assignment of a path, and
//! what is left of them after the call. Pointers are told by what they refer to; addresses play no part.

use super::{Object, Stage};
use crate::image;
use crate::state::State;
use crate::worker::Worker;
use mneme_finding::{Argument, Call, Given, Home, Kind, Passed, Target};
use mneme_memory::{End, Life, Model};
use mneme_program::{self as program, ScalarKind, Type};
use mneme_term::{BaseId, Value, sign_extend};

/// The objects that a call brings along, while they are collected.
struct Collected {
    /// Indices into the objects of the state.
    found: Vec<usize>,
}

impl<M: Model> Worker<'_, M> {
    /// The call that leads along this path, with what it does if it `exits`.
    pub(crate) fn call_of(&mut self, state: &State<M>, exits: bool) -> Option<Call> {
        self.options.on_demand?;
        let function = self.program.function(self.program.main?);
        let name = function.source_name.clone().unwrap_or_else(|| function.name.clone());
        let file = self.program.files.get(function.loc.file as usize);
        let mut call = Call {
            function: name,
            file: file.cloned().unwrap_or_default(),
            ..Call::default()
        };
        let mut collected = Collected { found: Vec::new() };
        let args = state.demand.args.clone();
        for arg in args.iter() {
            let ty = arg.c_type.map(|ty| self.program.kind(ty));
            let value = match ty {
                // By value, and so are numbers in several registers.
                Some(program::Kind::Struct { .. } | program::Kind::Base { .. }) => match arg.value {
                    Value::Ptr { base, .. } => self.index_of(state, base, &mut collected).map(Passed::Structure),
                    _ => None,
                },
                Some(program::Kind::Pointer { .. }) | None if !matches!(arg.value, Value::Int(_)) => {
                    Some(Passed::Pointer(self.refers_to(state, arg.value, &mut collected)))
                }
                _ => None,
            };
            let bytes = |worker: &Self| {
                let mut bytes = match arg.value {
                    Value::Term(term) => worker.evaluate(state, term).to_bytes_le(),
                    value => worker.number_now(state, value).to_le_bytes().to_vec(),
                };
                bytes.resize(arg.scalar.bytes() as usize, 0);
                match arg.scalar.kind {
                    ScalarKind::Float | ScalarKind::Extended => Passed::Float(bytes),
                    _ => Passed::Number(bytes),
                }
            };
            call.arguments.push(Argument {
                name: arg.name.to_string(),
                c_type: arg.c_type.map_or("void *".into(), |ty| self.program.type_name(ty)),
                value: value.unwrap_or_else(|| bytes(self)),
                structure: arg.c_type.and_then(|ty| self.structure(ty)),
                signed: ty.is_some_and(|ty| matches!(ty, program::Kind::Base { encoding, .. } if encoding.is_signed())),
                text: String::new(),
            });
        }
        for returned in state.demand.returned.clone().iter() {
            call.returns.push(match returned.scalar.kind {
                ScalarKind::Pointer => Passed::Pointer(self.refers_to(state, returned.value, &mut collected)),
                _ => {
                    let n = self.number_now(state, returned.value).to_le_bytes();
                    Passed::Number(n[..returned.scalar.bytes() as usize].to_vec())
                }
            });
        }
        let globals = (0..state.demand.objects.len()).filter(|&index| {
            let object = &state.demand.objects[index];
            matches!(object.stage, Stage::Born(_)) && self.is_variable(state, object)
        });
        for index in globals.collect::<Vec<_>>() {
            self.add(index, &mut collected);
        }
        let mut next = 0;
        while let Some(&index) = collected.found.get(next) {
            let given = self.given(state, &state.demand.objects[index].clone(), &mut collected);
            call.objects.push(given);
            next += 1;
        }
        self.write_texts(state, &mut call, &collected);
        call.result = self.kind_of_result(function);
        if exits {
            self.predict(state, &mut call, &mut collected);
        }
        Some(call)
    }

    /// Bytes of the structure that a parameter is or points to.
    fn structure(&self, ty: Type) -> Option<u64> {
        let of = match self.program.kind(ty) {
            program::Kind::Pointer { to } => to,
            _ => ty,
        };
        match self.program.kind(of) {
            program::Kind::Struct { bytes, .. } => Some(bytes),
            program::Kind::Unknown => Some(0),
            _ => None,
        }
    }

    fn number_now(&self, state: &State<M>, value: Value) -> u64 {
        match value {
            Value::Int(n) => n,
            Value::Term(term) => self.evaluate(state, term).low_u64(),
            Value::Ptr { .. } | Value::Undef => 0,
        }
    }

    pub(super) fn is_variable(&self, state: &State<M>, object: &Object) -> bool {
        let site = state.memory.header(object.base).map(|header| header.site as usize);
        site.is_some_and(|site| site < self.program.sites.len())
    }

    fn add(&self, index: usize, collected: &mut Collected) -> usize {
        match collected.found.iter().position(|&found| found == index) {
            Some(place) => place,
            None => {
                collected.found.push(index);
                collected.found.len() - 1
            }
        }
    }

    fn index_of(&self, state: &State<M>, base: BaseId, collected: &mut Collected) -> Option<usize> {
        let index = state.demand.position(base)?;
        Some(self.add(index, collected))
    }

    /// What a pointer refers to under the state's assignment.
    fn refers_to(&mut self, state: &State<M>, pointer: Value, collected: &mut Collected) -> Target {
        let (base, offset) = match pointer {
            Value::Ptr { base, offset } => (Some(base), offset),
            Value::Int(n) => (None, n),
            Value::Undef => return Target::Elsewhere,
            Value::Term(term) => {
                let cases = self.terms.cases(term);
                let holds = |case: &&mneme_term::Case| self.evaluate(state, case.guard).low_u64() == 1;
                match cases.iter().find(holds) {
                    Some(case) => (case.base, self.evaluate(state, case.offset).low_u64()),
                    None => return Target::Elsewhere,
                }
            }
        };
        let offset_here = sign_extend(offset, self.pointer_width());
        match base {
            None if offset == 0 => Target::Null,
            None => Target::Elsewhere,
            Some(base) => match state.demand.position(base) {
                None => Target::Elsewhere,
                Some(index) if state.demand.objects[index].stage == Stage::Code => Target::Code,
                Some(index) => Target::Object(self.add(index, collected), offset_here),
            },
        }
    }

    fn given(&mut self, state: &State<M>, object: &Object, collected: &mut Collected) -> Given {
        let size = self.size_of(state, object.base).unwrap_or(1);
        let width = self.pointer_width();
        let (mut bytes, mut pointers) = (vec![0; size as usize], Vec::new());
        if let Stage::Born(contents) = &object.stage {
            let array = self.terms.symbol(contents.bytes);
            for (k, byte) in bytes.iter_mut().enumerate() {
                let at = self.terms.constant(width, k as u64);
                let term = self.terms.select(array, at);
                *byte = self.evaluate(state, term).low_u64() as u8;
            }
            for &(offset, pointer) in &contents.pointers {
                if offset + u64::from(width / 8) > size {
                    continue;
                }
                bytes[offset as usize..][..(width / 8) as usize].fill(0);
                let pointer = self.terms.to_value(pointer);
                pointers.push((offset, self.refers_to(state, pointer, collected)));
            }
        }
        let header = state.memory.header(object.base);
        let seen = state.addresses.seen.iter().find(|seen| seen.base == object.base);
        let address = seen.map(|seen| self.evaluate(state, seen.address).low_u64());
        Given {
            name: object.name.to_string(),
            home: match (self.is_variable(state, object), &object.stage) {
                (true, _) => Home::Variable,
                (false, _) if header.is_some_and(|header| header.kind == mneme_term::BaseKind::Global) => {
                    Home::Argument
                }
                _ => Home::Heap,
            },
            bytes,
            pointers,
            address,
            text: String::new(),
            remains: header.is_some_and(|header| {
                let mut gone = header.gone().iter();
                let is_gone = gone.any(|gone| self.evaluate(state, gone.when).low_u64() == 1);
                !is_gone && matches!(header.life, Life::Alive | Life::Unborn)
            }),
        }
    }

    /// Arguments and objects as C writes them.
    fn write_texts(&self, state: &State<M>, call: &mut Call, collected: &Collected) {
        let word = (self.pointer_width() / 8) as usize;
        let named = call.clone();
        for arg in &mut call.arguments {
            arg.text = match &arg.value {
                Passed::Pointer(Target::Object(index, offset)) => {
                    let object = &named.objects[*index];
                    match object.name == arg.name && *offset == 0 {
                        true => format!(
                            "pointer to {}",
                            crate::explain::count(object.bytes.len() as u64, "byte")
                        ),
                        false => named.target(Target::Object(*index, *offset)),
                    }
                }
                Passed::Pointer(target) => named.target(*target),
                Passed::Structure(_) => "structure".into(),
                Passed::Number(bytes) | Passed::Float(bytes) => {
                    let ty = state.demand.args.iter().find(|given| *given.name == arg.name);
                    let ty = ty.and_then(|given| given.c_type);
                    let text = ty.and_then(|ty| self.program.literal(ty, bytes));
                    text.unwrap_or_else(|| hex(bytes))
                }
            };
        }
        for (given, &index) in call.objects.iter_mut().zip(&collected.found) {
            let mut bytes = given.bytes.clone();
            // Pointers are numbered, and told by their names.
            for (number, (offset, _)) in given.pointers.iter().enumerate() {
                let code = (number as u64 + 1).to_le_bytes();
                bytes[*offset as usize..][..word].copy_from_slice(&code[..word]);
            }
            let name = |code: u64| {
                let (_, target) = given.pointers.get((code as usize).checked_sub(1)?)?;
                Some(named.target(*target))
            };
            let ty = state.demand.objects[index].c_type;
            let text = ty.and_then(|ty| self.program.literal_naming(ty, &bytes, &name));
            given.text = text.unwrap_or_else(|| hex(&given.bytes));
        }
    }

    fn kind_of_result(&self, function: &program::Function) -> Kind {
        let [scalar] = function.signature.results[..] else {
            return Kind::Nothing;
        };
        let is = |ty: Type| self.program.kind(ty);
        match (scalar.kind, function.returns.map(|ty| is(ty.into()))) {
            (ScalarKind::Pointer, _) => Kind::Pointer,
            (_, Some(program::Kind::Struct { .. })) => Kind::Nothing,
            (ScalarKind::Int, _) if scalar.bits <= 64 => Kind::Number { bytes: scalar.bytes() },
            (ScalarKind::Float, _) if scalar.bits <= 64 => Kind::Float { bytes: scalar.bytes() },
            _ => Kind::Nothing,
        }
    }

    /// What a test prints after the call.
    fn predict(&mut self, state: &State<M>, call: &mut Call, collected: &mut Collected) {
        let word = u64::from(self.pointer_width() / 8);
        let known = collected.found.len();
        let result = state.demand.result.first().copied();
        match (call.result, result) {
            (Kind::Number { bytes } | Kind::Float { bytes }, Some(value)) => {
                let n = self.number_now(state, value).to_le_bytes();
                let digits = n[..bytes as usize].iter().rev().map(|byte| format!("{byte:02x}"));
                call.prints.push(format!("returned 0x{}", digits.collect::<String>()));
            }
            (Kind::Pointer, Some(value)) => {
                let target = self.refers_to(state, value, collected);
                call.prints.push(format!("returned <{}>", call.target(target)));
            }
            _ => {}
        }
        for place in 0..known {
            let given = call.objects[place].clone();
            let object = state.demand.objects[collected.found[place]].clone();
            if !given.remains || given.home == Home::Argument {
                continue;
            }
            let (mut bytes, mut pointers) = (Vec::new(), Vec::new());
            for at in 0..given.bytes.len() as u64 {
                bytes.push(self.byte_now(state, object.base, at));
            }
            for &(offset, before) in &given.pointers {
                let after = match self.value_now(state, object.base, offset, word as u32) {
                    Some(value) => self.refers_to(state, value, collected),
                    None => before,
                };
                pointers.push((offset, after));
            }
            let line = call.printed(&given.name, &bytes, &pointers, word);
            call.prints.push(line);
        }
    }

    fn byte_now(&mut self, state: &State<M>, base: BaseId, at: u64) -> Option<u8> {
        if matches!(state.memory.header(base)?.life, Life::Unborn) {
            return Some(0);
        }
        match self.value_now(state, base, at, 1)? {
            Value::Int(n) => Some(n as u8),
            Value::Term(term) if self.is_byte_of_pointer(state, term) => None,
            Value::Term(term) if !self.terms.has_base(term) && !self.may_be_undefined(term) => {
                Some(self.evaluate(state, term).low_u64() as u8)
            }
            _ => None,
        }
    }

    /// What an object holds at the end of the path.
    pub(super) fn value_now(&mut self, state: &State<M>, base: BaseId, at: u64, n: u32) -> Option<Value> {
        if let Some(value) = state.memory.fast_load(base, at, n) {
            return Some(value);
        }
        let place = Value::Ptr { base, offset: at };
        let branches = image::with_path(&mut self.terms, &mut *self.solver, &state.path.condition, |cx| {
            state.memory.clone().load(cx, place, n)
        });
        let holds = |guard| self.evaluate(state, guard).low_u64() == 1;
        branches.into_iter().find_map(|branch| match branch.end {
            End::Done(value) if holds(branch.guard) => Some(value),
            _ => None,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    all.join(" ")
}
