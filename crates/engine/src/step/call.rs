//! Calls: of functions with a body, through pointers, of the library.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::fast;
use crate::fault::{Error, Exhausted};
use crate::state::{Results, State, VarArg};
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{Arg, Call, Callee, Extension, FunctionId, Inst, OperandKind, Scalar, Signature};
use mneme_term::{BaseId, Op, TermId, Value};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    pub(super) fn step_call(&mut self, state: &mut State<M>, call: &Call) -> Flow {
        match call.callee {
            Callee::Direct(id) => self.enter(state, call, id),
            Callee::Indirect(operand) => {
                let target = self.get(state, operand);
                let target = match self.defined_pointer(state, target) {
                    Ok(target) => target,
                    Err(flow) => return flow,
                };
                self.call_pointer(state, call, target)
            }
        }
    }

    fn call_pointer(&mut self, state: &mut State<M>, call: &Call, target: Value) -> Flow {
        match target {
            Value::Ptr { base, offset: 0 } if self.image.functions.contains_key(&base) => {
                let id = self.image.functions[&base];
                self.enter_through_pointer(state, call, id)
            }
            Value::Ptr { base, .. } => {
                let data = !self.image.functions.contains_key(&base);
                let what = if data {
                    "call of data"
                } else {
                    "call into the middle of a function"
                };
                self.fail(state, Error::InvalidCall(what.into()))
            }
            Value::Int(0) => self.fail(state, Error::InvalidCall("call through a null pointer".into())),
            Value::Int(n) => match self.function_at(state, n) {
                Some(id) => self.enter_through_pointer(state, call, id),
                None => self.fail(
                    state,
                    Error::InvalidCall(format!("call of address {n:#x}, where no function is")),
                ),
            },
            Value::Term(term) => {
                let zero = self.terms.constant(self.program.target.pointer_width, 0);
                let cases = self.terms.cases(term);
                let mut outcomes: Outcomes<M> = Outcomes::new();
                let Callee::Indirect(operand) = call.callee else {
                    unreachable!("only pointers are decided here")
                };
                let decided = |base| match operand.kind() {
                    OperandKind::Slot(slot) => Then::Decide(slot, Value::Ptr { base, offset: 0 }),
                    _ => Then::Again,
                };
                let mut bad = self.terms.fls();
                for case in cases.iter() {
                    let mut rest = case.guard;
                    let candidates = match case.base {
                        Some(base) => self
                            .image
                            .functions
                            .get(&base)
                            .map(|&id| (base, id))
                            .into_iter()
                            .collect(),
                        None => self.functions_of_integer(state, case.offset),
                    };
                    for (base, id) in candidates {
                        let entry = match case.base {
                            Some(_) => zero,
                            None => self.terms.base(base),
                        };
                        let here = self.terms.eq(case.offset, entry);
                        let good = self.terms.and(rest, here);
                        if !self.terms.is_false(good) {
                            let base = self.image.function_bases[id.index()];
                            outcomes.push(Outcome::new(good, Ending::Go(decided(base))));
                        }
                        let elsewhere = self.terms.not(here);
                        rest = self.terms.and(rest, elsewhere);
                    }
                    bad = self.terms.or(bad, rest);
                }
                if !self.terms.is_false(bad) {
                    let error =
                        Error::InvalidCall("call through a pointer that is not the address of a function".into());
                    outcomes.push(Outcome::new(bad, Ending::Error(error)));
                }
                self.commit(state, outcomes)
            }
            Value::Undef => unreachable!("operands are named before they are used"),
        }
    }

    /// The functions that a pointer without a base may refer to: those that the program has turned into numbers before,
    /// those whose bytes it is made of, and those in an equality of the path (`p == f`).
    fn functions_of_integer(&self, state: &State<M>, pointer: TermId) -> Vec<(BaseId, FunctionId)> {
        let clauses = state.path.condition.clauses().iter().copied();
        let equalities = clauses.filter(|&clause| self.terms.op(clause) == Op::Eq);
        let mut named: FxHashSet<BaseId> = FxHashSet::default();
        for term in equalities.chain([pointer]).filter(|&term| self.terms.has_base(term)) {
            named.extend(self.terms.bases(term));
        }
        let bases = self.image.function_bases.iter().enumerate();
        let candidate = |base: BaseId| named.contains(&base) || state.memory.is_exposed(base);
        bases
            .filter(|&(_, &base)| candidate(base))
            .map(|(index, &base)| (base, FunctionId(index as u32)))
            .collect()
    }

    /// The function whose address the program has turned into a number before.
    fn function_at(&self, state: &State<M>, address: u64) -> Option<FunctionId> {
        let found =
            self.image.function_bases.iter().position(|&base| {
                state.memory.is_exposed(base) && state.memory.bases().concrete_address(base) == address
            });
        found.map(|index| FunctionId(index as u32))
    }

    /// A call with a type other than the function's own: the arguments would not be where the function expects them.
    fn enter_through_pointer(&mut self, state: &mut State<M>, call: &Call, id: FunctionId) -> Flow {
        let callee = self.program.function(id);
        match mismatch(&call.signature, &callee.signature, self.program.target.pointer_width) {
            Some(what) => {
                let error = Error::InvalidCall(format!("`{}` {what}", callee.name));
                self.fail(state, error)
            }
            None => self.enter(state, call, id),
        }
    }

    pub(crate) fn enter(&mut self, state: &mut State<M>, call: &Call, id: FunctionId) -> Flow {
        if let Some(flow) = self.tell_of_call(state, call, id) {
            return flow;
        }
        let callee = self.program.function(id);
        if callee.is_declaration() {
            return self.library_call(state, call, &callee.name);
        }
        if let Some(flow) = self.not_inlined(state, call, callee) {
            return flow;
        }
        if state.frames.len() >= self.options.max_calls {
            return self.fail(state, Error::StackExhaustion(Exhausted::Calls));
        }
        let taken = state.frame().stack;
        let stack = taken.saturating_add(callee.frame);
        if stack > self.options.max_stack && callee.frame <= self.options.max_stack {
            let needed = Value::Int(callee.frame);
            return self.fail(state, Error::StackExhaustion(Exhausted::Bytes { needed, taken }));
        }
        let params = &callee.signature.params;
        let mut slots = vec![Value::Undef; callee.slots as usize];
        for (index, param) in params.iter().enumerate() {
            slots[index] = match call.args.get(index) {
                Some(arg) if arg.ty.bits == param.bits => self.get(state, arg.value),
                // The caller saw another prototype: the register holds the value, wider or narrower.
                Some(arg) if arg.ty.bits <= 64 && param.bits <= 64 && arg.ty.kind == param.kind => {
                    let value = self.get(state, arg.value);
                    let term = self.term(value, arg.ty.width());
                    let term = self.terms.resize_zext(term, param.width());
                    self.terms.to_value(term)
                }
                Some(_) => {
                    let what = format!("`{}` is called with an argument of another type", callee.name);
                    return self.fail(state, Error::InvalidCall(what));
                }
                None => self.undefined(state, param.width()),
            };
        }
        let results = match call.results == callee.signature.results {
            true => Results::Slots(call.dst),
            false => Results::Converted,
        };
        let mut frame = fast::new_frame(id, slots, results, stack);
        if callee.signature.variadic {
            frame.rare_mut().variadic = call.args[params.len().min(call.args.len())..]
                .iter()
                .map(|arg| self.variadic(state, arg))
                .collect();
        }
        state.frames.push(Rc::new(frame));
        if self.coverage.reach(callee.first_inst) {
            state.path.reach_new(state.path.steps);
        }
        if stack > self.options.max_stack {
            return self.too_large_a_frame(state, taken);
        }
        self.open_at_call(state);
        Flow::On
    }

    /// The locals of the function just entered do not fit any stack: the largest of them is blamed.
    pub(crate) fn too_large_a_frame(&mut self, state: &mut State<M>, taken: u64) -> Flow {
        let function = self.program.function(state.frame().function);
        let locals = function.code.iter().filter_map(|inst| match *inst {
            Inst::Alloca { size, site, .. } => Some((size, site)),
            _ => None,
        });
        let largest = locals.max_by_key(|&(size, site)| (size, Reverse(site.0)));
        let line = largest.map_or(0, |(_, site)| self.program.sites[site.index()].loc.line);
        let at = |wanted: &dyn Fn(u32) -> bool| function.locs.iter().position(|loc| wanted(loc.line));
        let there = at(&|here| here == line && line > 0).or_else(|| at(&|here| here > 0));
        state.frame_mut().pc = there.unwrap_or(0) as u32;
        let needed = Value::Int(function.frame);
        self.fail(state, Error::StackExhaustion(Exhausted::Bytes { needed, taken }))
    }

    /// The results of `id` for a caller that assumes another function type: what is in the same register, cut, or with
    /// the bits that the function puts above it. An unwanted result is lost; a missing one may be any value.
    pub(super) fn converted(
        &mut self,
        state: &mut State<M>,
        call: &Call,
        id: FunctionId,
        given: &[Value],
    ) -> Vec<Value> {
        let callee = self.program.function(id);
        let real = callee.signature.results.iter();
        let mut given = real.zip(given);
        let convert = |wanted: &Scalar| match given.next() {
            Some((real, &value)) if alike(real, wanted) => value,
            Some((real, &value)) if real.is_integral() && wanted.is_integral() => {
                let term = self.term(value, real.width());
                let term = match callee.extension {
                    Extension::Zero => self.terms.resize_zext(term, wanted.width()),
                    Extension::Sign => self.terms.resize_sext(term, wanted.width()),
                };
                self.terms.to_value(term)
            }
            _ => self.undefined(state, wanted.width()),
        };
        call.results.iter().map(convert).collect()
    }

    fn variadic(&self, state: &State<M>, arg: &Arg) -> VarArg {
        let value = self.get(state, arg.value);
        let (bytes, byval) = match arg.byval {
            Some((bytes, _)) => (bytes, true),
            None => (arg.ty.bytes(), false),
        };
        VarArg {
            value,
            bytes,
            align: arg.align as u32,
            kind: arg.ty.kind,
            leads: arg.leads,
            byval,
        }
    }
}

/// What is wrong with calling a function of type `real` as one of type `believed`. The ABI decides: types may differ in
/// name as long as every argument and the result are passed the same way. A call without a prototype (`int (*)()`)
/// looks like one of a variadic function and assumes nothing; with 32-bit pointers it looks like any other, and surplus
/// arguments do no harm.
fn mismatch(believed: &Signature, real: &Signature, pointer_width: u32) -> Option<&'static str> {
    if !believed.variadic {
        let enough = match real.variadic || pointer_width == 32 {
            true => believed.params.len() >= real.params.len(),
            false => believed.params.len() == real.params.len(),
        };
        if !enough {
            return Some("is called through a pointer to a function with another number of parameters");
        }
        if !believed.params.iter().zip(&real.params).all(|(a, b)| alike(a, b)) {
            return Some("is called through a pointer to a function with parameters of other types");
        }
    }
    // A result that the caller does not want does no harm.
    let returns = believed.results.is_empty()
        || believed.results.len() == real.results.len()
            && believed.results.iter().zip(&real.results).all(|(a, b)| alike(a, b));
    (!returns).then_some("is called through a pointer to a function that returns something else")
}

/// Are they passed the same way?
fn alike(a: &Scalar, b: &Scalar) -> bool {
    a.bits == b.bits && (a.kind == b.kind || a.is_integral() && b.is_integral())
}
