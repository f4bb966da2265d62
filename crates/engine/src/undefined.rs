//! What depends on undefined values: bytes that were never written, and results of operations that have none
//! (*poison*).
//!
//! Both are symbols of kind *uninit*. It is an error if two of their values make the program behave differently for the
//! same input. Poison stands for the result of an operation that a compiler may have moved to where the program would
//! not do it: a shift past the width is harmless as long as its result is not used.

use crate::fast;
use crate::fault::Error;
use crate::frontier::Guidance;
use crate::options::Uninit;
use crate::state::{Results, State};
use crate::trail::Choice;
use crate::worker::{Flow, Worker};
use mneme_memory::{Model, Reason, Truth};
use mneme_program::{BinOp, FunctionId, Inst};
use mneme_solver::Unknown;
use mneme_term::{Assignment, Bits, Origin, Sort, Symbol, SymbolId, SymbolKind, TermId, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Undefined values.
#[derive(Copy, Clone, PartialEq)]
enum Which {
    All,
    Poison,
}

#[derive(Copy, Clone, PartialEq)]
enum Other {
    Renamed,
    Zeros,
    Ones,
}

/// What is left of a path without the inputs for which something depends on undefined values.
enum Rest {
    Defined,
    Nothing,
    /// Something, but it could not be separated from the other inputs.
    Unclear,
}

/// How many examples of undefined values that matter are tried before a path is given up.
const MOST_EXAMPLES: usize = 8;

impl<M: Model> Worker<'_, M> {
    /// Does what the program does next depend on undefined values? Then that is an error, and the state continues only
    /// with inputs for which it does not. `None`: nothing to report.
    ///
    /// Two runs on the same input whose undefined values differ must agree on `term`.
    pub fn check_defined(&mut self, state: &mut State<M>, term: TermId) -> Option<Flow> {
        self.check(state, term, self.faulty())
    }

    /// The program has computed `term`, whether it is used or not: it must not be poison.
    pub fn check_computed(&mut self, state: &mut State<M>, term: TermId) -> Option<Flow> {
        self.check(state, term, Which::Poison)
    }

    /// A term that passed `check_computed`, and so has the same value for all poison, written without it.
    pub(crate) fn without_poison(&mut self, term: TermId) -> Value {
        let term = match self.mentions(term, Which::Poison) {
            true => self.with_other_values(term, Which::Poison, Other::Zeros),
            false => term,
        };
        self.terms.to_value(term)
    }

    /// What must not decide anything.
    fn faulty(&self) -> Which {
        match self.options.uninit {
            Uninit::Any => Which::Poison,
            Uninit::Fault => Which::All,
        }
    }

    fn check(&mut self, state: &mut State<M>, term: TermId, which: Which) -> Option<Flow> {
        if !self.mentions(term, which) {
            return None;
        }
        if self.is_trial() {
            let other = self.with_other_values(term, which, Other::Renamed);
            let differs = self.terms.ne(term, other);
            return self.doubt(state, differs);
        }
        let again = match self.at_point(state) {
            Guidance::Free => None,
            Guidance::Ways(ways) => Some(ways[0].1),
            Guidance::Determined => return None,
            Guidance::Lost => {
                self.stop(state, &Reason::Changed);
                return Some(Flow::End);
            }
        };
        let goal = self.depends(state, term, which);
        let witness = match self.may(state, goal) {
            Truth::Never => return None,
            Truth::Sometimes(witness) => witness,
            Truth::Unknown(why) => return Some(self.unanswered(state, why)),
        };
        if state.serving.is_active() {
            let what = "a handler that decides by memory that was never written (mneme_is_unwritten)";
            let what = self.in_handler(state, what);
            return Some(self.unsupported(state, what));
        }
        let mut faulty = state.clone();
        faulty.path.condition.assume(&mut self.terms, goal, witness);
        let rest = self.keep_defined(state, term, which, goal);
        if let Err(why) = rest
            && self.limit_reached().is_some()
        {
            return Some(self.unanswered(state, why));
        }
        if again.is_none() {
            self.report_undefined(&faulty, term);
        }
        match rest {
            Ok(Rest::Defined) => {
                state.decide(Choice::Defined);
                state.path.guide = again;
                None
            }
            Ok(Rest::Nothing) => Some(Flow::End),
            Ok(Rest::Unclear) => {
                self.abandon(state, &Reason::Limit("ways in which undefined values matter"));
                Some(Flow::End)
            }
            Err(why) => Some(self.unanswered(state, why)),
        }
    }

    /// The condition that two values of undefined symbols, for one input, make a difference to the term.
    fn depends(&mut self, state: &State<M>, term: TermId, which: Which) -> TermId {
        let other = self.with_other_values(term, which, Other::Renamed);
        let mut goal = self.terms.ne(term, other);
        for clause in state.path.condition.clauses().to_vec() {
            if self.mentions(clause, which) {
                let renamed = self.with_other_values(clause, which, Other::Renamed);
                goal = self.terms.and(goal, renamed);
            }
        }
        goal
    }

    /// Narrows the path to inputs for which `term` does not depend on undefined values: those for which all-zero
    /// values, all-one values and the values of each counterexample agree. Are there such inputs?
    fn keep_defined(
        &mut self,
        state: &mut State<M>,
        term: TermId,
        which: Which,
        goal: TermId,
    ) -> Result<Rest, Unknown> {
        let zeros = self.with_other_values(term, which, Other::Zeros);
        let ones = self.with_other_values(term, which, Other::Ones);
        let mut agree = self.terms.eq(zeros, ones);
        for _ in 0..MOST_EXAMPLES {
            match self.may(state, agree) {
                Truth::Never => return Ok(Rest::Nothing),
                Truth::Unknown(why) => return Err(why),
                Truth::Sometimes(witness) => {
                    state.path.seeds = self.seeds_with(state, agree);
                    state.path.condition.assume(&mut self.terms, agree, witness);
                }
            }
            let example = match self.may(state, goal) {
                Truth::Never => return Ok(Rest::Defined),
                Truth::Sometimes(example) => example,
                Truth::Unknown(why) => return Err(why),
            };
            agree = self.agreement(term, which, &example);
        }
        Ok(Rest::Unclear)
    }

    /// `term` is the same with both sets of undefined values of an example.
    fn agreement(&mut self, term: TermId, which: Which, example: &Assignment) -> TermId {
        let other = self.with_other_values(term, which, Other::Renamed);
        let [a, b] = [term, other].map(|side| {
            let mut map = FxHashMap::default();
            for symbol in self.undefined_symbols(side, which) {
                map.insert(self.terms.symbol(symbol), self.exemplified(symbol, example));
            }
            self.terms.substitute_map(side, &map)
        });
        self.terms.eq(a, b)
    }

    /// The value of a symbol in an example.
    fn exemplified(&mut self, symbol: SymbolId, example: &Assignment) -> TermId {
        match self.terms.symbol_info(symbol).sort {
            Sort::Bits(width) => {
                let bits = example.values.get(&symbol).cloned().unwrap_or(Bits::zero(width));
                self.terms.constant_bits(&bits)
            }
            Sort::Array { index, element } => {
                let value = example.arrays.get(&symbol).cloned().unwrap_or_default();
                let default = value.default.clone().unwrap_or(Bits::zero(element));
                let default = self.terms.constant_bits(&default);
                let mut array = self.terms.const_array(index, default);
                for (at, bits) in &value.entries {
                    let (at, bits) = (self.terms.constant(index, *at), self.terms.constant_bits(bits));
                    array = self.terms.store(array, at, bits);
                }
                array
            }
        }
    }

    /// Something depends on `term`, which is undefined under the state's assignment. Poison is reported where it was
    /// made.
    fn report_undefined(&mut self, state: &State<M>, term: TermId) {
        let poison: Vec<SymbolId> = self.undefined_symbols(term, Which::Poison);
        let other = self.with_other_values(term, Which::Poison, Other::Renamed);
        let differs = self.evaluate(state, term) != self.evaluate(state, other);
        let origin = poison.first().map(|&symbol| self.terms.symbol_info(symbol).kind);
        let Some(SymbolKind::Uninit(Origin::Operation { function, pc })) = origin.filter(|_| differs) else {
            let chosen = self.at_choice(state, term);
            return self.error(chosen.as_ref().unwrap_or(state), &Error::Uninitialised(term));
        };
        let function = FunctionId(function);
        let code = self.program.function(function);
        let error = match code.code[pc as usize] {
            Inst::Bin {
                op: BinOp::Shl | BinOp::LShr | BinOp::AShr,
                width,
                ..
            } => Error::InvalidShift { width: width.into() },
            Inst::FloatCast { to, .. } => Error::InvalidConversion { width: to.into() },
            Inst::Intrinsic { id } if code.intrinsics[id.index()].op.counts_zeros() => Error::BitCount,
            _ => Error::SignedOverflow,
        };
        let used = self.stack(state).into_iter().find(|place| !place.runtime);
        let error = Error::NoResult(Box::new(error), used);
        match code.locs[pc as usize].line {
            0 => self.error(state, &error),
            _ => self.error(&self.moved_to(state, function, pc), &error),
        }
    }

    /// The state as if it were at another instruction. What the frame's slots held then is not known.
    fn moved_to(&self, state: &State<M>, function: FunctionId, pc: u32) -> State<M> {
        let mut moved = state.clone();
        match moved.frames.iter().rposition(|frame| frame.function == function) {
            Some(index) => moved.frames.truncate(index + 1),
            None => moved.frames = vec![Rc::new(fast::new_frame(function, Vec::new(), Results::Slots(0), 0))],
        }
        let frame = moved.frame_mut();
        frame.pc = pc;
        frame.slots.clear();
        moved
    }

    /// An undefined value.
    pub(crate) fn undefined(&mut self, state: &mut State<M>, width: u32) -> Value {
        let name = format!("uninit!value!{}", state.unnamed);
        self.fresh_undefined(state, name, Origin::Value, width)
    }

    /// What is computed from an undefined value is another one, where no term can express it. `None`: all are defined,
    /// or may have any value.
    pub(crate) fn spoiled(&mut self, state: &mut State<M>, operands: &[Value], width: u32) -> Option<Value> {
        let which = self.faulty();
        let given = |term: TermId| self.terms.has_kind(term, SymbolKind::Input) || !self.mentions(term, which);
        let terms: Vec<TermId> = { operands.iter() }
            .filter_map(|&operand| match operand {
                Value::Term(term) if !given(term) => Some(term),
                _ => None,
            })
            .collect();
        // What members of a merged path left undefined may be mentioned without being used.
        let source = terms.into_iter().find(|&term| {
            let depends = self.depends(state, term, which);
            !matches!(self.may(state, depends), Truth::Never)
        })?;
        let first = self.undefined_symbols(source, which)[0];
        let Symbol { name, kind, .. } = self.terms.symbol_info(first).clone();
        let name = format!("{name}!{}", state.unnamed);
        Some(Value::Term(self.undefined_symbol(state, name, kind, width)))
    }

    /// The result of the state's current instruction, where it has none.
    pub(crate) fn poison(&mut self, state: &mut State<M>, width: u32) -> TermId {
        let frame = state.frame();
        let (function, pc) = (frame.function, frame.pc);
        // Numbers are unique on a path but not between paths: the instruction distinguishes these.
        let name = format!("poison!{}!{pc}!{}", function.0, state.unnamed);
        let function = function.0;
        self.undefined_symbol(
            state,
            name,
            SymbolKind::Uninit(Origin::Operation { function, pc }),
            width,
        )
    }

    pub(crate) fn fresh_undefined(&mut self, state: &mut State<M>, name: String, origin: Origin, width: u32) -> Value {
        Value::Term(self.undefined_symbol(state, name, SymbolKind::Uninit(origin), width))
    }

    fn undefined_symbol(&mut self, state: &mut State<M>, name: String, kind: SymbolKind, width: u32) -> TermId {
        state.unnamed += 1;
        let sort = Sort::Bits(width);
        let symbol = self.terms.symbol_id(Symbol { name, kind, sort });
        self.terms.symbol(symbol)
    }

    /// `freeze`: an undefined value becomes one fixed value for all uses, here 0.
    pub(crate) fn freeze(&mut self, value: Value) -> Value {
        match value {
            Value::Term(term) => {
                let frozen = self.with_other_values(term, self.faulty(), Other::Zeros);
                self.terms.to_value(frozen)
            }
            value => value,
        }
    }

    fn mentions(&self, term: TermId, which: Which) -> bool {
        self.terms.has_uninit(term) && (which == Which::All || !self.undefined_symbols(term, which).is_empty())
    }

    fn undefined_symbols(&self, term: TermId, which: Which) -> Vec<SymbolId> {
        let wanted = |&symbol: &SymbolId| {
            let kind = self.terms.symbol_info(symbol).kind;
            match which {
                Which::All => matches!(kind, SymbolKind::Uninit(_)),
                Which::Poison => matches!(kind, SymbolKind::Uninit(Origin::Operation { .. })),
            }
        };
        self.terms.symbols(term).iter().copied().filter(wanted).collect()
    }

    /// Where `term` depends on undefined values: it has another value if they have.
    pub(crate) fn depends_on_undefined(&mut self, term: TermId) -> TermId {
        let other = self.with_other_values(term, Which::All, Other::Renamed);
        self.terms.ne(term, other)
    }

    fn with_other_values(&mut self, term: TermId, which: Which, other: Other) -> TermId {
        let mut map = FxHashMap::default();
        for symbol in self.undefined_symbols(term, which) {
            let info = self.terms.symbol_info(symbol).clone();
            let from = self.terms.symbol(symbol);
            let to = match other {
                Other::Renamed => {
                    let renamed = Symbol {
                        name: format!("{}!other", info.name),
                        ..info
                    };
                    let renamed = self.terms.symbol_id(renamed);
                    self.terms.symbol(renamed)
                }
                Other::Zeros | Other::Ones => self.filled(info.sort, other),
            };
            map.insert(from, to);
        }
        self.terms.substitute_map(term, &map)
    }

    fn filled(&mut self, sort: Sort, other: Other) -> TermId {
        let constant = |worker: &mut Self, width| {
            let zero = worker.terms.constant(width, 0);
            if other == Other::Ones {
                worker.terms.not(zero)
            } else {
                zero
            }
        };
        match sort {
            Sort::Bits(width) => constant(self, width),
            Sort::Array { index, element } => {
                let value = constant(self, element);
                self.terms.const_array(index, value)
            }
        }
    }
}
