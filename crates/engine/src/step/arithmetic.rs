//! Integer arithmetic, comparisons, casts, select.

use crate::commit::{Ending, Outcome, Outcomes};
use crate::concrete;
use crate::fast;
use crate::fault::Error;
use crate::state::State;
use crate::then::Then;
use crate::worker::{Flow, Worker};
use mneme_memory::Model;
use mneme_program::{BinOp, CastOp, Operand, Pred, Undefined};
use mneme_solver::Looks;
use mneme_term::{TermId, Value};

/// A binary operation without its operands.
#[derive(Copy, Clone)]
pub(super) struct Operation {
    pub op: BinOp,
    pub width: u32,
    pub nsw: bool,
    pub undefined: Undefined,
}

/// Divisions stay where they are: they trap.
fn may_be_moved(op: BinOp) -> bool {
    !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn step_bin(&mut self, state: &mut State<M>, op: Operation, dst: u32, operands: [Operand; 2]) -> Flow {
        let [a, b] = operands.map(|operand| self.get(state, operand));
        let width = op.width;
        let overflows = match op.nsw && self.options.check_overflow {
            true => self.overflow_of(op.op, width, a, b),
            false => None,
        };
        if overflows.is_none()
            && let Some(value) = fast::bin(op.op, width, self.pointer_width(), &a, &b)
        {
            return self.done(state, dst, value);
        }
        let (a, b) = match (op.op, a, b) {
            (BinOp::Sub | BinOp::Add, Value::Ptr { .. }, Value::Ptr { .. }) => {
                (self.bits(state, a), self.bits(state, b))
            }
            (BinOp::Add | BinOp::Sub, ..) => (a, b),
            _ => (self.bits(state, a), self.bits(state, b)),
        };
        let (x, y) = (self.term(a, width), self.term(b, width));
        let value = self.binary(op.op, x, y);
        let mut missing = self.undefined_results(op.op, width, x, y);
        missing.extend(overflows.map(|guard| (guard, Error::SignedOverflow)));
        let undefined = match may_be_moved(op.op) {
            true => op.undefined,
            false => Undefined::Error,
        };
        self.unless_missing(state, undefined, missing, value, dst)
    }

    /// The result of an instruction that is undefined where one of the guards holds.
    pub(super) fn unless_missing(
        &mut self,
        state: &mut State<M>,
        undefined: Undefined,
        missing: Vec<(TermId, Error)>,
        mut value: TermId,
        dst: u32,
    ) -> Flow {
        let mut outcomes: Outcomes<M> = Outcomes::new();
        let mut wrong = self.terms.fls();
        for (guard, error) in missing {
            if self.terms.is_false(guard) {
                continue;
            }
            if undefined == Undefined::Poison {
                let poison = self.poison(state, self.terms.width(value));
                value = self.terms.ite(guard, poison, value);
                continue;
            }
            if error != Error::SignedOverflow
                && let Some(flow) = self.check_defined(state, guard)
            {
                return flow;
            }
            wrong = self.terms.or(wrong, guard);
            outcomes.push(Outcome::new(guard, Ending::Error(error)));
        }
        let guard = self.terms.not(wrong);
        if !self.terms.is_false(guard) {
            let value = self.value(state, value);
            outcomes.push(Outcome::new(guard, Ending::Go(Then::Give(dst, value))));
        }
        self.commit(state, outcomes)
    }

    /// The conditions under which an operation has no result in C, whatever the signs; disjoint.
    fn undefined_results(&mut self, op: BinOp, width: u32, a: TermId, b: TermId) -> Vec<(TermId, Error)> {
        let zero = self.terms.constant(width, 0);
        match op {
            BinOp::UDiv | BinOp::URem => vec![(self.terms.eq(b, zero), Error::DivisionByZero)],
            BinOp::SDiv | BinOp::SRem => {
                let by_zero = self.terms.eq(b, zero);
                let ones = self.terms.not(zero);
                let one = self.terms.constant(width, 1);
                let top = self.terms.constant(width, width as u64 - 1);
                let least = self.terms.shl(one, top);
                let (negates, lowest) = (self.terms.eq(b, ones), self.terms.eq(a, least));
                let overflows = self.terms.and(negates, lowest);
                vec![(by_zero, Error::DivisionByZero), (overflows, Error::SignedOverflow)]
            }
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                let limit = self.terms.constant(width, width as u64);
                vec![(self.terms.uge(b, limit), Error::InvalidShift { width })]
            }
            _ => Vec::new(),
        }
    }

    /// The condition that the absolute value of a number does not fit; `None`: never.
    pub(super) fn overflow_of_abs(&mut self, width: u32, a: TermId) -> Option<TermId> {
        let one = self.terms.constant(width, 1);
        let top = self.terms.constant(width, width as u64 - 1);
        let least = self.terms.shl(one, top);
        let overflows = self.terms.eq(a, least);
        (!self.terms.is_false(overflows) && !self.may_be_undefined(overflows)).then_some(overflows)
    }

    /// The condition that the result of a signed operation does not fit; `None`: never.
    fn overflow_of(&mut self, op: BinOp, width: u32, a: Value, b: Value) -> Option<TermId> {
        if !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) {
            return None;
        }
        let (a, b) = (self.term(a, width), self.term(b, width));
        let wide = if op == BinOp::Mul { 2 * width } else { width + 1 };
        let (x, y) = (self.terms.sext(a, wide), self.terms.sext(b, wide));
        let exact = self.binary(op, x, y);
        let low = self.terms.extract(exact, 0, width);
        let back = self.terms.sext(low, wide);
        let overflows = self.terms.ne(back, exact);
        // Overflow is not checked for an unwritten value: that it is unwritten is reported where it matters.
        let asked = !self.terms.is_false(overflows) && !self.may_be_undefined(overflows);
        asked.then_some(overflows)
    }

    pub(super) fn binary(&mut self, op: BinOp, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.terms;
        match op {
            BinOp::Add => terms.add(a, b),
            BinOp::Sub => terms.sub(a, b),
            BinOp::Mul => terms.mul(a, b),
            BinOp::UDiv => terms.udiv(a, b),
            BinOp::SDiv => terms.sdiv(a, b),
            BinOp::URem => terms.urem(a, b),
            BinOp::SRem => terms.srem(a, b),
            BinOp::And => terms.and(a, b),
            BinOp::Or => terms.or(a, b),
            BinOp::Xor => terms.xor(a, b),
            BinOp::Shl => terms.shl(a, b),
            BinOp::LShr => terms.lshr(a, b),
            BinOp::AShr => terms.ashr(a, b),
        }
    }

    /// The value of a term; where it compares pointers and no input is involved, the layout decides.
    pub(super) fn value(&mut self, state: &mut State<M>, term: TermId) -> Value {
        if self.terms.width(term) == 1
            && self.terms.has_base(term)
            && self.terms.symbols(term).is_empty()
            && self.looks(state, term) == Looks::No
            && !self.asks_for_order(state, term)
        {
            for base in self.terms.bases(term) {
                state.memory.pin(*base);
            }
            return Value::bool(self.evaluate(state, term).low_u64() != 0);
        }
        self.terms.to_value(term)
    }

    pub(super) fn compare(&mut self, state: &mut State<M>, pred: Pred, width: u32, a: Operand, b: Operand) -> Value {
        let (a, b) = (self.get(state, a), self.get(state, b));
        if let Some(holds) = fast::cmp(pred, width, &a, &b) {
            return Value::bool(holds);
        }
        if let (Some(x), Some(y)) = (self.address(state, a), self.address(state, b)) {
            if self.asks_for_place(state, pred, width, [a, b]) {
                self.counters.address_dependent += 1;
            } else {
                self.pin_unless_equal_anywhere(state, pred, [a, b]);
                return Value::bool(concrete::cmp(pred, width, x, y));
            }
        }
        let (x, y) = (self.term(a, width), self.term(b, width));
        let term = self.comparison(pred, x, y);
        self.value(state, term)
    }

    /// The layout decides the order of objects, and whether the end of one is the start of another.
    fn pin_unless_equal_anywhere(&mut self, state: &mut State<M>, pred: Pred, values: [Value; 2]) {
        if matches!(pred, Pred::Eq | Pred::Ne) && values.iter().all(|&value| self.is_inside(state, value)) {
            return;
        }
        self.counters.address_dependent += 1;
        for value in values {
            if let Value::Ptr { base, .. } = value {
                state.memory.pin(base);
            }
        }
    }

    /// Is it inside a live object, or null? Whether such pointers are equal does not depend on where objects lie.
    pub(crate) fn is_inside(&self, state: &State<M>, value: Value) -> bool {
        match value {
            Value::Ptr { base, offset } => {
                let within = matches!(state.memory.size(base), Some(Value::Int(size)) if offset <= size);
                within && state.memory.is_alive(base)
            }
            Value::Int(n) => mneme_term::truncate(n, self.pointer_width()) == 0,
            _ => false,
        }
    }

    pub(crate) fn comparison(&mut self, pred: Pred, x: TermId, y: TermId) -> TermId {
        let terms = &mut self.terms;
        match pred {
            Pred::Eq => terms.eq(x, y),
            Pred::Ne => terms.ne(x, y),
            Pred::Ult => terms.ult(x, y),
            Pred::Ule => terms.ule(x, y),
            Pred::Ugt => terms.ugt(x, y),
            Pred::Uge => terms.uge(x, y),
            Pred::Slt => terms.slt(x, y),
            Pred::Sle => terms.sle(x, y),
            Pred::Sgt => terms.sgt(x, y),
            Pred::Sge => terms.sge(x, y),
        }
    }

    /// The number of a concrete pointer or integer.
    fn address(&self, state: &State<M>, value: Value) -> Option<u64> {
        match value {
            Value::Int(n) => Some(n),
            Value::Ptr { base, offset } => {
                let address = state.memory.bases().concrete_address(base).wrapping_add(offset);
                Some(mneme_term::truncate(address, self.pointer_width()))
            }
            _ => None,
        }
    }

    pub(super) fn step_cast(
        &mut self,
        state: &mut State<M>,
        op: CastOp,
        from: u32,
        to: u32,
        dst: u32,
        src: Operand,
    ) -> Flow {
        let value = self.get(state, src);
        let value = if from <= 64 && to <= 64 {
            self.bits(state, value)
        } else {
            value
        };
        if let (Value::Int(n), true) = (value, to <= 64) {
            return self.done(state, dst, Value::Int(concrete::cast(op, from, to, n)));
        }
        let term = self.term(value, from);
        let term = match op {
            CastOp::Trunc => self.terms.extract(term, 0, to),
            CastOp::ZExt => self.terms.zext(term, to),
            CastOp::SExt => self.terms.sext(term, to),
        };
        let value = self.value(state, term);
        self.done(state, dst, value)
    }

    pub(super) fn step_select(
        &mut self,
        state: &mut State<M>,
        width: u32,
        dst: u32,
        cond: Operand,
        yes: Operand,
        no: Operand,
    ) -> Flow {
        let cond = self.get(state, cond);
        let (yes, no) = (self.get(state, yes), self.get(state, no));
        let value = match cond {
            Value::Int(n) => {
                if n != 0 {
                    yes
                } else {
                    no
                }
            }
            _ => {
                let cond = self.term(cond, 1);
                self.remember_choice(state, cond);
                let (yes, no) = (self.term(yes, width), self.term(no, width));
                let term = self.terms.ite(cond, yes, no);
                self.value(state, term)
            }
        };
        let Value::Term(term) = value else {
            return self.done(state, dst, value);
        };
        if !self.program.function(state.frame().function).own {
            return self.done(state, dst, value);
        }
        if let Some(flow) = self.check_computed(state, term) {
            return flow;
        }
        let value = self.without_poison(term);
        self.done(state, dst, value)
    }

    pub(super) fn step_gep(
        &mut self,
        state: &mut State<M>,
        dst: u32,
        base: Operand,
        offset: i64,
        indices: &[(Operand, u16, u64)],
    ) -> Flow {
        let pointer_width = self.pointer_width();
        let base = self.get(state, base);
        let mut value = base;
        if offset != 0 {
            value = self.displace(value, Value::Int(mneme_term::truncate(offset as u64, pointer_width)));
        }
        for &(index, width, scale) in indices {
            let index = self.get(state, index);
            let distance = match index {
                Value::Int(n) => {
                    let n = (mneme_term::sign_extend(n, width as u32) as u64).wrapping_mul(scale);
                    Value::Int(mneme_term::truncate(n, pointer_width))
                }
                _ => {
                    let term = self.term(index, width as u32);
                    let wide = self.terms.resize_sext(term, pointer_width);
                    let scale = self.terms.constant(pointer_width, scale);
                    let term = self.terms.mul(wide, scale);
                    self.terms.to_value(term)
                }
            };
            value = self.displace(value, distance);
        }
        let value = match value {
            Value::Term(term) => self.value(state, term),
            value => value,
        };
        if let Some(flow) = self.check_null_offset(state, base, value, dst) {
            return flow;
        }
        self.done(state, dst, value)
    }

    pub(crate) fn displace(&mut self, p: Value, distance: Value) -> Value {
        let width = self.pointer_width();
        if let Value::Int(n) = distance
            && let Some(value) = fast::displace(&p, n, width)
        {
            return value;
        }
        let (p, distance) = (self.term(p, width), self.term(distance, width));
        // The distance between two blocks of one loop is a number: adding it to a pointer leaves its block.
        let distance = match self.terms.has_base(distance) {
            true => distance,
            false => self.terms.flatten_members(distance),
        };
        let sum = self.terms.add(p, distance);
        self.terms.to_value(sum)
    }
}
