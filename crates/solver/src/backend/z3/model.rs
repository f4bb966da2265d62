//! From a Z3 model to an assignment of the query's symbols.

use std::collections::BTreeSet;
use std::ffi::CStr;

use mneme_term::{ArrayValue, Assignment, Bits, Sort, SymbolId, TermId, Terms};

use super::context::{Scope, Solver};
use super::ffi::{self, Ast};
use super::translate::Translation;

/// The model after a satisfiable check, restricted to the symbols of the clauses. `None` if Z3 gives a value in a form
/// that is not understood.
pub(super) fn read(
    translation: &Translation,
    scope: &Scope<'_>,
    terms: &Terms,
    clauses: impl Iterator<Item = TermId>,
) -> Option<Assignment> {
    let symbols: BTreeSet<SymbolId> = clauses
        .flat_map(|clause| terms.symbols(clause).iter().copied())
        .collect();
    let model = Model::of(scope.solver)?;
    let mut found = Assignment::default();
    for s in symbols {
        let Some(constant) = translation.symbol(s) else {
            continue;
        };
        match terms.symbol_info(s).sort {
            Sort::Bits(width) => {
                // What the model leaves open is 0, as in every assignment.
                if let Some(value) = model.scalar(constant) {
                    found.values.insert(s, value.bits(width)?);
                }
            }
            Sort::Array { element, .. } => _ = found.arrays.insert(s, model.eval(constant)?.array(element)?),
        }
    }
    Some(found)
}

/// The value of a numeral.
///
/// # Safety
/// `ast` is a live numeral of the live context.
pub(super) unsafe fn numeral(c: ffi::Context, ast: Ast, width: u32) -> Option<Bits> {
    let mut small = 0;
    // SAFETY: as the caller says.
    if width <= 64 && unsafe { ffi::Z3_get_numeral_uint64(c, ast, &mut small) } {
        return Some(Bits::new(width, small));
    }
    // SAFETY: as above; the string lives until the next call.
    let digits = unsafe {
        let digits = ffi::Z3_get_numeral_binary_string(c, ast);
        if digits.is_null() {
            return None;
        }
        CStr::from_ptr(digits).to_bytes()
    };
    let mut words = vec![0u64; width.div_ceil(64) as usize];
    for (at, digit) in digits.iter().rev().enumerate().filter(|(at, _)| *at < width as usize) {
        words[at / 64] |= u64::from(*digit == b'1') << (at % 64);
    }
    Some(Bits::from_words(width, &words))
}

struct Model<'a> {
    solver: &'a Solver,
    raw: ffi::Model,
}

impl<'a> Model<'a> {
    fn of(solver: &'a Solver) -> Option<Self> {
        let c = solver.context.raw;
        // SAFETY: the solver's last check was satisfiable; the model is counted up at once, and down in `drop`.
        unsafe {
            let raw = ffi::Z3_solver_get_model(c, solver.raw);
            if raw.is_null() {
                return None;
            }
            ffi::Z3_model_inc_ref(c, raw);
            Some(Model { solver, raw })
        }
    }

    /// The model's value of a constant; cheaper than evaluation.
    fn scalar(&self, constant: Ast) -> Option<ModelValue<'_>> {
        let c = self.solver.context.raw;
        // SAFETY: model and constant are alive, a constant is an application; the value is counted up before the next
        // call.
        let value = unsafe { ffi::Z3_model_get_const_interp(c, self.raw, ffi::Z3_get_app_decl(c, constant)) };
        (!value.is_null()).then(|| ModelValue::new(self, value))
    }

    fn eval(&self, t: Ast) -> Option<ModelValue<'_>> {
        let c = self.solver.context.raw;
        let mut value = std::ptr::null_mut();
        // SAFETY: model and term are alive; the value is counted up before the next call.
        let known = unsafe { ffi::Z3_model_eval(c, self.raw, t, true, &mut value) };
        (known && !value.is_null()).then(|| ModelValue::new(self, value))
    }
}

impl Drop for Model<'_> {
    fn drop(&mut self) {
        // SAFETY: counted up in `of`.
        unsafe { ffi::Z3_model_dec_ref(self.solver.context.raw, self.raw) };
    }
}

/// A value in a model; keeps its AST, with all its parts, alive.
struct ModelValue<'a> {
    model: &'a Model<'a>,
    c: ffi::Context,
    ast: Ast,
}

impl<'a> ModelValue<'a> {
    fn new(model: &'a Model<'a>, ast: Ast) -> Self {
        let c = model.solver.context.raw;
        // SAFETY: `ast` is alive.
        unsafe { ffi::Z3_inc_ref(c, ast) };
        ModelValue { model, c, ast }
    }

    fn bits(&self, width: u32) -> Option<Bits> {
        // SAFETY: `ast` is alive; its kind is checked before an accessor is used.
        unsafe {
            if ffi::Z3_get_ast_kind(self.c, self.ast) != ffi::NUMERAL_AST {
                return match ffi::Z3_get_bool_value(self.c, self.ast) {
                    ffi::L_TRUE => Some(Bits::one(width)),
                    ffi::L_FALSE => Some(Bits::zero(width)),
                    _ => None,
                };
            }
            numeral(self.c, self.ast, width)
        }
    }

    /// `(store (store ((as const …) d) i v) j w)`, or a function's graph.
    fn array(self, element: u32) -> Option<ArrayValue> {
        let mut result = ArrayValue::default();
        let mut at = self;
        loop {
            // SAFETY: `at.ast` is alive and an application where the accessors need one.
            let kind = unsafe {
                if ffi::Z3_get_ast_kind(at.c, at.ast) != ffi::APP_AST {
                    return None;
                }
                ffi::Z3_get_decl_kind(at.c, ffi::Z3_get_app_decl(at.c, at.ast))
            };
            match kind {
                ffi::OP_STORE => {
                    let (index, value) = (at.part(1).index()?, at.part(2).bits(element)?);
                    result.entries.entry(index).or_insert(value);
                    at = at.part(0);
                }
                ffi::OP_CONST_ARRAY => {
                    result.default = Some(at.part(0).bits(element)?);
                    return Some(result);
                }
                ffi::OP_AS_ARRAY => return at.graph(element, result),
                _ => return None,
            }
        }
    }

    /// The rest of an array that is given as a function.
    fn graph(&self, element: u32, mut result: ArrayValue) -> Option<ArrayValue> {
        let c = self.c;
        // SAFETY: each handle is counted up before the next call that could free it, and down when done.
        unsafe {
            let function = ffi::Z3_get_as_array_func_decl(c, self.ast);
            let interpretation = ffi::Z3_model_get_func_interp(c, self.model.raw, function);
            if interpretation.is_null() {
                return None;
            }
            ffi::Z3_func_interp_inc_ref(c, interpretation);
            let mut understood = true;
            for i in 0..ffi::Z3_func_interp_get_num_entries(c, interpretation) {
                let entry = ffi::Z3_func_interp_get_entry(c, interpretation, i);
                ffi::Z3_func_entry_inc_ref(c, entry);
                let index = ModelValue::new(self.model, ffi::Z3_func_entry_get_arg(c, entry, 0)).index();
                let value = ModelValue::new(self.model, ffi::Z3_func_entry_get_value(c, entry)).bits(element);
                ffi::Z3_func_entry_dec_ref(c, entry);
                match (index, value) {
                    (Some(index), Some(value)) => _ = result.entries.entry(index).or_insert(value),
                    _ => understood = false,
                }
            }
            let default = ffi::Z3_func_interp_get_else(c, interpretation);
            if !default.is_null() {
                result.default = ModelValue::new(self.model, default).bits(element);
            }
            ffi::Z3_func_interp_dec_ref(c, interpretation);
            understood.then_some(result)
        }
    }

    fn index(&self) -> Option<u64> {
        self.bits(64)?.to_u64()
    }

    fn part(&self, i: u32) -> ModelValue<'a> {
        // SAFETY: `ast` is an application with more than `i` arguments: the callers know its kind.
        ModelValue::new(self.model, unsafe { ffi::Z3_get_app_arg(self.c, self.ast, i) })
    }
}

impl Drop for ModelValue<'_> {
    fn drop(&mut self) {
        // SAFETY: counted up in `new`.
        unsafe { ffi::Z3_dec_ref(self.c, self.ast) };
    }
}
