//! A Z3 context, and a solver in it. Together with the translation, the only owner of raw handles.
//!
//! Soundness of the `unsafe` code in this folder rests on four facts.
//! 1. A context is used only by the thread that made it: handles are raw pointers, so nothing here is `Send`. The one
//!    exception is `Z3_interrupt`, which Z3 documents as callable from any thread; see [`Scope::check`].
//! 2. Objects live in a reference-counted context. Every handle that survives the next call into Z3 has been counted
//!    up, by [`Context::hold`] or where it is created, and is counted down before its context, which it keeps alive by
//!    an `Rc`.
//! 3. No null handle is passed to Z3: whatever a constructor returns goes through `hold`, which replaces null by a
//!    valid handle and remembers the failure.
//! 4. The error handler does nothing, so Z3 neither prints nor aborts nor unwinds through Rust; errors are read
//!    afterwards.

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ffi;
use crate::{Budget, Interrupt, Unknown};

pub(super) struct Context {
    pub raw: ffi::Context,
    /// ASTs counted up, to be counted down by `release`.
    held: RefCell<Vec<ffi::Ast>>,
    failed: Cell<bool>,
}

unsafe extern "C" fn ignore(_: ffi::Context, _: std::ffi::c_int) {}

impl Context {
    pub fn new() -> Rc<Context> {
        // SAFETY: the configuration is alive until the context is made from it, and is not used afterwards.
        let raw = unsafe {
            let config = ffi::Z3_mk_config();
            let raw = ffi::Z3_mk_context_rc(config);
            ffi::Z3_del_config(config);
            ffi::Z3_set_error_handler(raw, Some(ignore));
            raw
        };
        assert!(!raw.is_null(), "Z3 cannot make a context");
        Rc::new(Context {
            raw,
            held: RefCell::new(Vec::new()),
            failed: Cell::new(false),
        })
    }

    /// Keeps an AST until `release`.
    pub fn hold(&self, ast: ffi::Ast) -> ffi::Ast {
        let ast = if ast.is_null() {
            self.failed.set(true);
            // SAFETY: the context is alive; `true` always exists.
            unsafe { ffi::Z3_mk_true(self.raw) }
        } else {
            ast
        };
        // SAFETY: `ast` is a live AST of this context, just made.
        unsafe { ffi::Z3_inc_ref(self.raw, ast) };
        self.held.borrow_mut().push(ast);
        ast
    }

    pub fn held(&self) -> usize {
        self.held.borrow().len()
    }

    /// Releases all held ASTs. The caller forgets them.
    pub fn release(&self) {
        self.release_from(0);
    }

    /// Releases those that came after the first `kept`.
    pub fn release_from(&self, kept: usize) {
        let gone = self.held.borrow_mut().split_off(kept);
        for ast in gone {
            // SAFETY: counted up in `hold`, once for this entry.
            unsafe { ffi::Z3_dec_ref(self.raw, ast) };
        }
    }

    /// The failure of a constructor since the last call, if any.
    pub fn take_failure(&self) -> Option<String> {
        self.failed.take().then(|| {
            // SAFETY: the context is alive; the message is a NUL-terminated string that lives until the next call.
            unsafe {
                let code = ffi::Z3_get_error_code(self.raw);
                match code {
                    ffi::OK => "no reason given".to_string(),
                    _ => CStr::from_ptr(ffi::Z3_get_error_msg(self.raw, code))
                        .to_string_lossy()
                        .into_owned(),
                }
            }
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.release();
        // SAFETY: everything that refers to the context holds an `Rc` to it, so nothing refers to it any more.
        unsafe { ffi::Z3_del_context(self.raw) };
    }
}

pub(super) enum Verdict {
    Sat,
    Unsat,
    Unknown(Unknown),
}

/// A solver that is kept from query to query; what a query asserts lives in a [`Scope`].
///
/// Making a solver costs twice as much as a small query. The first `push` makes Z3 set up all its theories, so what a
/// solver can do does not depend on its first query.
pub(super) struct Solver {
    pub context: Rc<Context>,
    pub raw: ffi::Solver,
    budget: Cell<Budget>,
    /// It was stopped in the middle of a query. Z3 4.8.12 corrupts its heap when such a solver pops a scope, so it is
    /// not used again: it is dropped with its context.
    spoiled: Cell<bool>,
}

impl Solver {
    /// For small queries: no preprocessing.
    pub fn simple(context: Rc<Context>) -> Solver {
        // SAFETY: the context is alive.
        let raw = unsafe { ffi::Z3_mk_simple_solver(context.raw) };
        Solver::adopt(context, raw)
    }

    /// For hard queries over bit-vectors alone: reduces them as a whole and passes them to a SAT solver with this seed.
    pub fn for_bits(context: Rc<Context>, seed: u32) -> Solver {
        const STEPS: [&CStr; 5] = [c"simplify", c"propagate-values", c"bit-blast", c"aig", c"sat"];
        let c = context.raw;
        // SAFETY: the context is alive; every tactic and the parameters are counted up at once, and down when the next
        // holds them.
        let raw = unsafe {
            let held = |tactic| {
                ffi::Z3_tactic_inc_ref(c, tactic);
                tactic
            };
            let mut whole = held(ffi::Z3_mk_tactic(c, STEPS[0].as_ptr()));
            for step in &STEPS[1..] {
                let next = held(ffi::Z3_mk_tactic(c, step.as_ptr()));
                let both = held(ffi::Z3_tactic_and_then(c, whole, next));
                ffi::Z3_tactic_dec_ref(c, whole);
                ffi::Z3_tactic_dec_ref(c, next);
                whole = both;
            }
            let params = ffi::Z3_mk_params(c);
            ffi::Z3_params_inc_ref(c, params);
            ffi::Z3_params_set_uint(c, params, ffi::Z3_mk_string_symbol(c, c"random_seed".as_ptr()), seed);
            let seeded = held(ffi::Z3_tactic_using_params(c, whole, params));
            ffi::Z3_params_dec_ref(c, params);
            ffi::Z3_tactic_dec_ref(c, whole);
            let raw = ffi::Z3_mk_solver_from_tactic(c, seeded);
            ffi::Z3_tactic_dec_ref(c, seeded);
            raw
        };
        Solver::adopt(context, raw)
    }

    fn adopt(context: Rc<Context>, raw: ffi::Solver) -> Solver {
        // SAFETY: a solver just made in this live context, counted up at once.
        unsafe { ffi::Z3_solver_inc_ref(context.raw, raw) };
        Solver {
            context,
            raw,
            budget: Cell::new(Budget::UNLIMITED),
            spoiled: Cell::new(false),
        }
    }

    pub fn is_spoiled(&self) -> bool {
        self.spoiled.get()
    }

    pub fn scope(&self, budget: Budget) -> Scope<'_> {
        assert!(!self.is_spoiled(), "a solver that was stopped is not asked again");
        if self.budget.replace(budget) != budget {
            self.limit(budget);
        }
        // SAFETY: context and solver are alive.
        unsafe { ffi::Z3_solver_push(self.context.raw, self.raw) };
        Scope { solver: self }
    }

    fn limit(&self, budget: Budget) {
        let time = budget.time.map_or(u64::MAX, |time| time.as_millis().max(1) as u64);
        let time = u32::try_from(time).unwrap_or(u32::MAX);
        // For steps, Z3 takes 0 as "no limit".
        let steps = budget.steps.map_or(0, |steps| u32::try_from(steps).unwrap_or(u32::MAX));
        // SAFETY: all handles belong to the live context; the parameters are counted up at once, and down when set.
        unsafe {
            let c = self.context.raw;
            let params = ffi::Z3_mk_params(c);
            ffi::Z3_params_inc_ref(c, params);
            ffi::Z3_params_set_uint(c, params, ffi::Z3_mk_string_symbol(c, c"timeout".as_ptr()), time);
            ffi::Z3_params_set_uint(c, params, ffi::Z3_mk_string_symbol(c, c"rlimit".as_ptr()), steps);
            // Otherwise Z3 catches the signal while it works, and code that waits for it is not notified.
            ffi::Z3_params_set_bool(c, params, ffi::Z3_mk_string_symbol(c, c"ctrl_c".as_ptr()), false);
            ffi::Z3_solver_set_params(c, self.raw, params);
            ffi::Z3_params_dec_ref(c, params);
        }
    }
}

/// The assertions of one query; dropping it retracts them.
pub(super) struct Scope<'a> {
    pub solver: &'a Solver,
}

impl Scope<'_> {
    pub fn assert(&self, ast: ffi::Ast) {
        // SAFETY: `ast` is held by the same context.
        unsafe { ffi::Z3_solver_assert(self.solver.context.raw, self.solver.raw, ast) };
    }

    /// Runs until an answer, the end of the budget, or an interrupt.
    pub fn check(&self, interrupt: &Interrupt) -> Verdict {
        struct Handle(ffi::Context);
        // SAFETY: the handle goes to another thread for one purpose, `Z3_interrupt`, which takes the context's own lock
        // and is documented for use from other threads. The context outlives the closure: dropping `busy` below waits
        // until no thread is inside it and removes it, and `self` keeps the context alive until then.
        unsafe impl Send for Handle {}
        impl Handle {
            fn interrupt(&self) {
                // SAFETY: as above.
                unsafe { ffi::Z3_interrupt(self.0) }
            }
        }
        let handle = Handle(self.solver.context.raw);
        let (fired, fire) = {
            let fired = Arc::new(AtomicBool::new(false));
            (Arc::clone(&fired), fired)
        };
        let busy = interrupt.while_busy(Box::new(move || {
            fire.store(true, Ordering::SeqCst);
            handle.interrupt();
        }));
        // SAFETY: context and solver are alive.
        let result =
            (!interrupt.is_set()).then(|| unsafe { ffi::Z3_solver_check(self.solver.context.raw, self.solver.raw) });
        drop(busy);
        let verdict = match result {
            // Even if an answer came first: the context is cancelled now, and its answers are meaningless.
            _ if fired.load(Ordering::SeqCst) => Verdict::Unknown(Unknown::Interrupted),
            None => return Verdict::Unknown(Unknown::Interrupted),
            Some(ffi::L_TRUE) => Verdict::Sat,
            Some(ffi::L_FALSE) => Verdict::Unsat,
            Some(_) => Verdict::Unknown(self.reason()),
        };
        if let Verdict::Unknown(Unknown::Interrupted | Unknown::Timeout | Unknown::Failed) = verdict {
            self.solver.spoiled.set(true);
        }
        verdict
    }

    fn reason(&self) -> Unknown {
        // SAFETY: a NUL-terminated string that lives until the next call into Z3.
        let reason = unsafe {
            let text = ffi::Z3_solver_get_reason_unknown(self.solver.context.raw, self.solver.raw);
            if text.is_null() {
                String::new()
            } else {
                CStr::from_ptr(text).to_string_lossy().into_owned()
            }
        };
        tracing::debug!(reason, "Z3 does not know");
        match () {
            _ if ["timeout", "cancel", "resource"]
                .iter()
                .any(|word| reason.contains(word)) =>
            {
                Unknown::Timeout
            }
            _ if ["memout", "memory"].iter().any(|word| reason.contains(word)) => Unknown::Failed,
            _ => Unknown::GaveUp,
        }
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        if self.solver.is_spoiled() {
            return;
        }
        // SAFETY: pushed when the scope was made.
        unsafe { ffi::Z3_solver_pop(self.solver.context.raw, self.solver.raw, 1) };
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        // SAFETY: counted up in `new`; the context is alive.
        unsafe { ffi::Z3_solver_dec_ref(self.context.raw, self.raw) };
    }
}
