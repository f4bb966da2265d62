//! Symbolic inputs and assumptions.

use crate::commit::Ending;
use crate::fault::Error;
use crate::image::{self, OwnSite};
use crate::state::{Input, State};
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason, Source, Truth};
use mneme_program::{Call, Inst, Type};
use mneme_term::{Sort, Symbol, SymbolKind, Value};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    /// Of the bytes, those before `size` are the input; all if it is not given.
    pub(super) fn make_symbolic(
        &mut self,
        state: &mut State<M>,
        p: Value,
        len: Value,
        size: Option<Value>,
        name: Value,
    ) -> Flow {
        let width = self.pointer_width();
        let (len, most) = match self.input_length(state, len) {
            Ok(length) => length,
            Err(flow) => return flow,
        };
        let name = match name {
            Value::Int(0) => "unnamed".into(),
            name => self.string(state, name),
        };
        let name = state.path.inputs.free_name(name);
        if most > 1 << 24 {
            return self.fail(state, Error::InvalidCall(format!("a symbolic input of {most} bytes")));
        }
        if let Some(given) = &self.options.given {
            let found = given.inputs.iter().find(|(other, _)| *other == name);
            let bytes = found.map_or(&[][..], |(_, bytes)| bytes);
            let bytes = (0..most as usize).map(|k| bytes.get(k).copied().unwrap_or(0)).collect();
            return self.make_given(state, p, len, name, bytes);
        }
        let (source, bytes): (Source, Rc<[_]>) = if matches!(len, Value::Int(1 | 2 | 4 | 8)) {
            let sort = Sort::Bits(8 * most as u32);
            let symbol = self.terms.symbol_id(Symbol {
                name: name.clone(),
                kind: SymbolKind::Input,
                sort,
            });
            let whole = self.terms.symbol(symbol);
            self.stats.seed_gaps += { &mut state.path.seeds }.meet(&self.options.seeds, &name, symbol, sort, most);
            (
                Source::Bits(symbol),
                (0..most as u32).map(|k| self.terms.extract(whole, 8 * k, 8)).collect(),
            )
        } else {
            let sort = Sort::Array {
                index: width,
                element: 8,
            };
            let symbol = self.terms.symbol_id(Symbol {
                name: name.clone(),
                kind: SymbolKind::Input,
                sort,
            });
            let array = self.terms.symbol(symbol);
            self.stats.seed_gaps += { &mut state.path.seeds }.meet(&self.options.seeds, &name, symbol, sort, most);
            let byte = |worker: &mut Self, k| {
                let index = worker.terms.constant(width, k);
                worker.terms.select(array, index)
            };
            (Source::Bytes(symbol), (0..most).map(|k| byte(self, k)).collect())
        };
        let c_type = self.symbolic_type(state, p, most);
        let input = Input {
            name: name.into(),
            bytes,
            len: size.unwrap_or(len),
            c_type,
        };
        self.stats.inputs += u64::from(!self.repeats(state));
        let branches = self.with_memory(state, |memory, cx| memory.make_symbolic(cx, p, len, source));
        let input = Rc::new(input);
        self.commit_memory(state, branches, |()| Then::Meet(input.clone()))
    }

    /// What would be symbolic has these bytes.
    fn make_given(&mut self, state: &mut State<M>, p: Value, len: Value, name: String, bytes: Vec<u8>) -> Flow {
        let Some(base) = self.make(state, OwnSite::Arguments, bytes.len() as u64) else {
            return self.unsupported(state, "an input that does not fit the address space");
        };
        image::with_cx(&mut self.terms, &mut *self.solver, |cx| {
            state.memory.init_bytes(cx, base, 0, &bytes);
        });
        let input = Rc::new(Input {
            name: name.into(),
            bytes: bytes.iter().map(|&byte| self.terms.constant(8, byte.into())).collect(),
            len,
            c_type: None,
        });
        let from = Value::Ptr { base, offset: 0 };
        let branches = self.with_memory(state, |memory, cx| memory.copy(cx, p, from, len));
        self.commit_memory(state, branches, |()| Then::Meet(input.clone()))
    }

    /// The length of an input, and its upper bound. Otherwise the call is executed again where the length is within
    /// limits.
    fn input_length(&mut self, state: &mut State<M>, len: Value) -> Result<(Value, u64), Flow> {
        let len = match self.size(state, len, None)? {
            Value::Term(len) => len,
            len => return Ok((len, self.concretise(state, len, self.pointer_width()))),
        };
        if !M::BOUNDED_SIZES {
            // Every byte of an input is written into a test, so an input is bounded where an object is not.
            let capacity = self.bounded_capacity(state, len);
            let limit = self.terms.constant(self.pointer_width(), capacity);
            let longer = self.terms.ult(limit, len);
            if !matches!(self.may(state, longer), Truth::Never) {
                let stop = Ending::Stop(Reason::Capacity);
                return Err(self.fork(state, longer, stop, Ending::Go(Then::Again)));
            }
        }
        let most = self.bound(state, len)?;
        Ok((Value::Term(len), most))
    }

    /// One value of `value`, which must not depend on unwritten memory.
    pub(super) fn example(&mut self, state: &mut State<M>, call: &Call, value: Value) -> Flow {
        // It is for output, which is then one of several possible on the path.
        if !matches!(value, Value::Int(_)) && !state.output.cut {
            Rc::make_mut(&mut state.output).cut = true;
        }
        let Value::Term(term) = value else {
            return self.answer(state, call, value);
        };
        if let Some(flow) = self.check_defined(state, term) {
            return flow;
        }
        let example = Value::Int(self.evaluate(state, term).low_u64());
        self.answer(state, call, example)
    }

    /// One possible value of `value`, to which the path is narrowed; the loss of others is counted.
    pub(super) fn fix(&mut self, state: &mut State<M>, call: &Call, value: Value) -> Flow {
        if let Value::Term(term) = value
            && let Some(flow) = self.check_defined(state, term)
        {
            return flow;
        }
        let fixed = Value::Int(self.concretise(state, value, self.pointer_width()));
        self.answer(state, call, fixed)
    }

    /// The C type of the `len` bytes at `p` that are made symbolic: as spelled in the call, as declared for the object,
    /// or the return type of the library function that makes an input.
    fn symbolic_type(&self, state: &State<M>, p: Value, len: u64) -> Option<Type> {
        let sized = |ty: &Type| self.program.size_of(*ty).is_some();
        let returned = self.program.function(state.frame().function).returns.map(Type::from);
        self.spelled_type(state)
            .filter(sized)
            .or_else(|| self.declared_type(p).filter(sized))
            .or_else(|| returned.filter(|ty| self.program.size_of(*ty) == Some(len)))
    }

    fn declared_type(&self, p: Value) -> Option<Type> {
        let Value::Ptr { base, offset: 0 } = p else {
            return None;
        };
        let site = self.site_of(base)?;
        site.c_type.map(Type::from)
    }

    fn spelled_type(&self, state: &State<M>) -> Option<Type> {
        let frame = state.frame();
        let function = self.program.function(frame.function);
        let Inst::Call { call } = function.code[frame.pc as usize] else {
            return None;
        };
        let object = function.calls[call.index()].args.first()?;
        self.program.pointee(frame.function, frame.pc, object.value)
    }

    pub(super) fn assume(&mut self, state: &mut State<M>, call: &Call, condition: Value) -> Flow {
        let width = call.args[0].ty.width();
        let term = self.term(condition, width);
        let zero = self.terms.constant(width, 0);
        let holds = self.terms.ne(term, zero);
        self.restrict(state, holds, Then::answer(call, Value::ZERO))
    }
}

/// The number of an input called `other` among those that were made under `name`.
pub(crate) fn number_of(other: &str, name: &str) -> Option<usize> {
    let rest = other.strip_prefix(name)?;
    if rest.is_empty() {
        return Some(0);
    }
    let digits = rest.strip_prefix('_')?;
    (!digits.starts_with(['0', '+'])).then(|| digits.parse().ok())?
}
