//! Functions without a body that the engine executes itself, by name. A table of contents; each family has its file.

mod alloc;
mod checks;
mod ends;
mod io;
mod poison;
mod ranges;
mod sizes;
mod symbolic;

pub use alloc::{Allocations, HEAP_ALIGNMENT, LARGEST_OBJECT};
pub use ranges::Same;

use crate::fault::Error;
use crate::native::{self, Arg, Returns};
use crate::state::State;
use crate::step::Buffer;
use crate::then::{Then, Write};
use crate::worker::{Flow, Worker};
use mneme_memory::{Memory, Shade};
use mneme_program::{Call, Scalar, ScalarKind};
use mneme_term::Value;

impl<M: Memory> Worker<'_, M> {
    pub fn library_call(&mut self, state: &mut State<M>, call: &Call, name: &str) -> Flow {
        let args: Vec<Value> = call.args.iter().map(|arg| self.get(state, arg.value)).collect();
        let Some(expected) = parameters(name) else {
            return self.native_call(state, call, name, &args);
        };
        if args.len() < expected {
            return self.fail(
                state,
                Error::InvalidCall(format!("`{name}` is called with too few arguments")),
            );
        }
        match name {
            "malloc" => self.malloc(state, call, args[0]),
            "calloc" => self.calloc(state, call, args[0], args[1]),
            "realloc" => self.realloc(state, call, args[0], args[1]),
            "aligned_alloc" | "memalign" => self.aligned_alloc(state, call, args[0], args[1]),
            "free" | "cfree" => self.free(state, args[0], Then::Advance),
            "memcpy" => {
                let dst = args[0];
                self.copy_apart(state, dst, args[1], args[2], Then::answer(call, dst))
            }
            "memmove" => {
                let dst = args[0];
                self.copy_block(state, dst, args[1], args[2], Then::answer(call, dst))
            }
            "memset" => {
                let dst = args[0];
                let byte = self.term(args[1], 32);
                let byte = self.terms.extract(byte, 0, 8);
                let byte = self.terms.to_value(byte);
                self.fill_block(state, dst, byte, args[2], Then::answer(call, dst))
            }
            "klee_make_symbolic" => self.make_symbolic(state, args[0], args[1], args[2]),
            "klee_assume" => self.assume(state, call, args[0]),
            "__mneme_is_symbolic" => {
                let symbolic = matches!(args[0], Value::Term(term) if !self.terms.symbols(term).is_empty());
                self.answer(state, call, Value::bool(symbolic))
            }
            "__mneme_concretize" => self.example(state, call, args[0]),
            "__mneme_fix" => self.fix(state, call, args[0]),
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => {
                let dst = (!call.results.is_empty()).then_some(call.dst);
                self.set_jump(state, args[0], Buffer::Library, dst)
            }
            "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => self.library_long_jump(state, &args),
            "__mneme_exit" | "_exit" => self.exit(state, args[0]),
            "klee_silent_exit" => {
                self.stats.excluded += 1;
                Flow::End
            }
            "__mneme_unreachable" => self.fail(state, Error::Unreachable),
            "__mneme_abort" => self.fail(state, Error::Abort),
            "__mneme_assert_fail" => {
                let text = self.string(state, args[0]);
                self.fail(state, Error::Assertion(text))
            }
            "__mneme_reach_error" => self.fail(state, Error::Reached),
            "__mneme_report" => {
                let text = self.string(state, args[0]);
                self.fail(state, Error::Reported(text))
            }
            "__mneme_object_size" => self.object_size_of(state, call, args[0]),
            "__mneme_poison" => self.mark_poison(state, args[0], args[1], Shade::Poisoned),
            "__mneme_unpoison" => self.mark_poison(state, args[0], args[1], Shade::Clean),
            "__mneme_read_all" => self.read_all(state, args[0], args[1]),
            "__mneme_may_share" => self.may_share(state, call, [args[0], args[1]]),
            "__mneme_apart" => self.check_apart(state, [args[0], args[2]], [args[1], args[3]]),
            "__ubsan_handle_out_of_bounds_abort" => self.index_outside(state, args[0], args[1]),
            "__ubsan_handle_shift_out_of_bounds_abort" => self.shift_outside(state, args[0], [args[1], args[2]]),
            "__mneme_is_poisoned" => self.is_poisoned(state, call, args[0]),
            "__mneme_existing_file" => {
                let name = self.string(state, args[0]);
                self.unsupported(state, format!("the file `{name}`, which the program did not make"))
            }
            "__mneme_write" => self.write(state, args[0], args[1], args[2]),
            "__mneme_read" => self.answer(state, call, Value::Int(0)),
            "klee_warning" => {
                let text = self.string(state, args[0]);
                tracing::warn!("{text}");
                self.answer(state, call, Value::ZERO)
            }
            "klee_open_merge" => {
                self.open_by_hand(state);
                self.answer(state, call, Value::ZERO)
            }
            "klee_close_merge" => {
                self.close_by_hand(state);
                self.answer(state, call, Value::ZERO)
            }
            "klee_set_forking" | "klee_stack_trace" | "klee_warning_once" | "klee_print_expr" | "klee_print_range" => {
                self.answer(state, call, Value::ZERO)
            }
            name => self.unsupported(state, format!("the function `{name}`")),
        }
    }

    /// `setjmp` never returns 0 for the second time.
    fn library_long_jump(&mut self, state: &mut State<M>, args: &[Value]) -> Flow {
        let value = self.term(args[1], 32);
        let zero = self.terms.constant(32, 0);
        let one = self.terms.constant(32, 1);
        let is_zero = self.terms.eq(value, zero);
        let value = self.terms.ite(is_zero, one, value);
        let value = self.terms.to_value(value);
        self.long_jump(state, args[0], Buffer::Library, value)
    }

    /// Goes on after the call with this result.
    fn answer(&mut self, state: &mut State<M>, call: &Call, value: Value) -> Flow {
        self.resume(state, Then::answer(call, value));
        Flow::On
    }

    fn native_call(&mut self, state: &mut State<M>, call: &Call, name: &str, args: &[Value]) -> Flow {
        if !native::is_allowed(name) || call.results.len() > 1 {
            return self.unsupported(state, format!("the undefined function `{name}`"));
        }
        let mut native = Vec::new();
        let mut places = Vec::new();
        for (&value, arg) in args.iter().zip(&call.args) {
            if let Value::Term(term) = value
                && let Some(flow) = self.check_defined(state, term)
            {
                return flow;
            }
            native.push(match (arg.ty.kind, value) {
                (ScalarKind::OtherFloat, _) => {
                    return self.unsupported(
                        state,
                        format!("`{name}` with a floating-point number of {} bits", arg.ty.bits),
                    );
                }
                (ScalarKind::Float, _) => Arg::Float(self.concretise_wide(state, value, arg.ty.width())),
                (ScalarKind::Extended, _) => Arg::Extended(self.concretise_wide(state, value, arg.ty.width())),
                (ScalarKind::Pointer, Value::Ptr { base, offset }) => {
                    let Some(bytes) = self.object_bytes(state, base, offset) else {
                        return self.unsupported(state, format!("`{name}` on memory that is not concrete"));
                    };
                    places.push((base, offset, bytes.clone()));
                    Arg::Buffer(bytes)
                }
                _ => Arg::Int(self.concretise(state, value, arg.ty.width())),
            });
        }
        let result = call.results.first().copied();
        let returns = match result.map(|ty| ty.kind) {
            Some(ScalarKind::Float) => Returns::Float,
            Some(ScalarKind::Extended) => Returns::Extended,
            Some(ScalarKind::OtherFloat) => {
                return self.unsupported(state, format!("the undefined function `{name}`"));
            }
            _ => Returns::Int,
        };
        let Some(reply) = self.native.call(name, &native, returns) else {
            return self.unsupported(state, format!("a native call of `{name}` that failed"));
        };
        // What the function changed is stored as the program would have stored it, faults included.
        let mut writes = Vec::new();
        for ((base, offset, before), after) in places.into_iter().zip(reply.buffers) {
            let changed = before
                .into_iter()
                .zip(after)
                .enumerate()
                .filter(|(_, (old, new))| old != new);
            writes.extend(changed.map(|(k, (_, new))| Write::Store {
                place: Value::Ptr {
                    base,
                    offset: offset + k as u64,
                },
                ty: Scalar::int(8),
                value: Value::Int(new.into()),
            }));
        }
        let width = result.map_or(64, |ty| ty.width());
        let value = self.wide(width, reply.result);
        self.write_all(state, writes, Then::answer(call, value))
    }
}

/// How many arguments a function that the engine knows takes at least.
fn parameters(name: &str) -> Option<usize> {
    Some(match name {
        "klee_open_merge"
        | "klee_close_merge"
        | "klee_stack_trace"
        | "klee_warning_once"
        | "klee_print_expr"
        | "klee_print_range"
        | "__mneme_abort"
        | "__mneme_reach_error"
        | "__mneme_unreachable" => 0,
        "malloc"
        | "free"
        | "cfree"
        | "klee_assume"
        | "__mneme_is_symbolic"
        | "__mneme_concretize"
        | "__mneme_fix"
        | "__mneme_exit"
        | "_exit"
        | "klee_silent_exit"
        | "__mneme_object_size"
        | "__mneme_is_poisoned"
        | "klee_warning"
        | "klee_set_forking"
        | "__mneme_existing_file"
        | "setjmp"
        | "_setjmp"
        | "sigsetjmp"
        | "__sigsetjmp"
        | "__mneme_report"
        | "__mneme_assert_fail" => 1,
        "calloc"
        | "realloc"
        | "aligned_alloc"
        | "memalign"
        | "__mneme_poison"
        | "__mneme_unpoison"
        | "longjmp"
        | "_longjmp"
        | "siglongjmp"
        | "__longjmp_chk"
        | "__mneme_read_all"
        | "__mneme_may_share"
        | "__ubsan_handle_out_of_bounds_abort" => 2,
        "memcpy"
        | "memmove"
        | "memset"
        | "klee_make_symbolic"
        | "__mneme_write"
        | "__mneme_read"
        | "__ubsan_handle_shift_out_of_bounds_abort" => 3,
        "__mneme_apart" => 4,
        _ => return None,
    })
}
