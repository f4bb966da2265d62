//! Functions without a body that the engine executes itself, by name. A table of contents; each family has its file.

mod alloc;
mod checks;
mod ends;
mod io;
mod outside;
mod poison;
mod ranges;
mod sizes;
mod symbolic;

pub use alloc::{Allocations, EXCESSIVE, HEAP_ALIGNMENT, LARGEST_OBJECT};
pub use ranges::Same;
pub(crate) use symbolic::number_of;

use crate::demand::Missing;
use crate::fault::Error;
use crate::handlers;
use crate::native::{self, Arg, Returns};
use crate::options::UnknownCalls;
use crate::state::State;
use crate::step::Buffer;
use crate::then::{Then, Write};
use crate::worker::{Flow, Worker};
use mneme_memory::{AccessKind, Model, Shade};
use mneme_program::{Call, Scalar, ScalarKind};
use mneme_term::Value;

/// What the engine does for a call, given the arguments.
pub(crate) type Execute<M> = fn(&mut Worker<'_, M>, &mut State<M>, &Call, &[Value]) -> Flow;

/// The least number of arguments of a function that the engine knows, and what it does.
fn known<M: Model>(name: &str) -> Option<(usize, Execute<M>)> {
    Some(match name {
        "malloc" => (1, |worker, state, call, args| worker.malloc(state, call, args[0])),
        "calloc" => (2, |worker, state, call, args| {
            worker.calloc(state, call, args[0], args[1])
        }),
        "realloc" => (2, |worker, state, call, args| {
            worker.realloc(state, call, args[0], args[1])
        }),
        "aligned_alloc" | "memalign" => (2, |worker, state, call, args| {
            worker.aligned_alloc(state, call, args[0], args[1])
        }),
        "free" | "cfree" => (1, |worker, state, _, args| worker.free(state, args[0], Then::Advance)),
        "memcpy" => (3, |worker, state, call, args| {
            worker.copy_apart(state, args[0], args[1], args[2], Then::answer(call, args[0]))
        }),
        "memmove" => (3, |worker, state, call, args| {
            worker.copy_block(state, args[0], args[1], args[2], Then::answer(call, args[0]))
        }),
        "memset" => (3, |worker, state, call, args| {
            let byte = worker.term(args[1], 32);
            let byte = worker.terms.extract(byte, 0, 8);
            let byte = worker.terms.to_value(byte);
            worker.fill_block(state, args[0], byte, args[2], Then::answer(call, args[0]))
        }),
        "klee_make_symbolic" => (3, |worker, state, _, args| {
            worker.make_symbolic(state, args[0], args[1], None, args[2])
        }),
        "__mneme_make_input" => (4, |worker, state, _, args| {
            worker.make_symbolic(state, args[0], args[1], Some(args[2]), args[3])
        }),
        "klee_assume" => (1, |worker, state, call, args| worker.assume(state, call, args[0])),
        "__mneme_is_symbolic" => (1, |worker, state, call, args| {
            let symbolic = matches!(args[0], Value::Term(term) if !worker.terms.symbols(term).is_empty());
            worker.answer(state, call, Value::bool(symbolic))
        }),
        "__mneme_concretize" => (1, |worker, state, call, args| worker.example(state, call, args[0])),
        "__mneme_fix" => (1, |worker, state, call, args| worker.fix(state, call, args[0])),
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => (1, |worker, state, call, args| {
            let dst = (!call.results.is_empty()).then_some(call.dst);
            worker.set_jump(state, args[0], Buffer::Library, dst)
        }),
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => {
            (2, |worker, state, _, args| worker.library_long_jump(state, args))
        }
        "__mneme_exit" | "_exit" => (1, |worker, state, _, args| worker.exit(state, args[0])),
        "klee_silent_exit" => (1, |worker, _, _, _| {
            worker.stats.paths.excluded += 1;
            Flow::End
        }),
        "__mneme_unreachable" => (0, |worker, state, _, _| worker.fail(state, Error::Unreachable)),
        "__mneme_abort" => (0, |worker, state, _, _| worker.fail(state, Error::Abort)),
        "__mneme_assert_fail" => (1, |worker, state, _, args| {
            let text = worker.string(state, args[0]);
            worker.fail(state, Error::Assertion(text))
        }),
        "__mneme_reach_error" => (0, |worker, state, _, _| worker.fail(state, Error::Reached)),
        "__mneme_report" => (1, |worker, state, _, args| {
            let text = worker.string(state, args[0]);
            worker.fail(state, Error::Reported(text))
        }),
        "__mneme_object_size" => (1, |worker, state, call, args| {
            worker.object_size_of(state, call, args[0])
        }),
        "__mneme_poison" => (2, |worker, state, _, args| {
            worker.mark_poison(state, args[0], args[1], Shade::Poisoned)
        }),
        "__mneme_unpoison" => (2, |worker, state, _, args| {
            worker.mark_poison(state, args[0], args[1], Shade::Clean)
        }),
        "__mneme_is_poisoned" => (1, |worker, state, call, args| worker.is_poisoned(state, call, args[0])),
        "__mneme_read_all" => (2, |worker, state, _, args| {
            worker.access_all(state, args[0], args[1], AccessKind::Read)
        }),
        "__mneme_write_all" => (2, |worker, state, _, args| {
            worker.access_all(state, args[0], args[1], AccessKind::Write)
        }),
        "__mneme_may_share" => (2, |worker, state, call, args| {
            worker.may_share(state, call, [args[0], args[1]])
        }),
        "__mneme_apart" => (4, |worker, state, _, args| {
            worker.check_apart(state, [args[0], args[2]], [args[1], args[3]])
        }),
        "__ubsan_handle_out_of_bounds_abort" => (2, |worker, state, _, args| {
            worker.index_outside(state, args[0], args[1])
        }),
        "__ubsan_handle_shift_out_of_bounds_abort" => (3, |worker, state, _, args| {
            worker.shift_outside(state, args[0], [args[1], args[2]])
        }),
        "__ubsan_handle_vla_bound_not_positive_abort" => {
            (2, |worker, state, _, args| worker.array_size(state, args[0], args[1]))
        }
        "__ubsan_handle_implicit_conversion_abort" => (3, |worker, state, _, args| {
            worker.lossy_conversion(state, args[0], [args[1], args[2]])
        }),
        // Only for floating-point numbers: the engine sees divisions of integers itself.
        "__ubsan_handle_divrem_overflow_abort" => {
            (3, |worker, state, _, _| worker.fail(state, Error::FloatDivisionByZero))
        }
        // Only for unsigned numbers: the engine sees signed overflow itself.
        "__ubsan_handle_add_overflow_abort"
        | "__ubsan_handle_sub_overflow_abort"
        | "__ubsan_handle_mul_overflow_abort" => (3, |worker, state, _, _| worker.fail(state, Error::UnsignedOverflow)),
        "__ubsan_handle_negate_overflow_abort" => {
            (2, |worker, state, _, _| worker.fail(state, Error::UnsignedOverflow))
        }
        "__mneme_arguments" => (3, |worker, state, call, args| {
            if let Some(main) = worker.program.main {
                let begin = worker.main_with(main, args);
                std::rc::Rc::make_mut(&mut state.pending).push(begin);
            }
            worker.answer(state, call, Value::ZERO)
        }),
        "__mneme_outside_size" => (1, |worker, state, call, args| worker.outside_size(state, call, args[0])),
        "__mneme_outside_bytes" => (2, |worker, state, call, args| {
            worker.outside_bytes(state, call, args[0], args[1])
        }),
        "__mneme_outside_directory" => (2, |worker, state, call, args| {
            worker.outside_directory(state, call, args[0], args[1])
        }),
        "__mneme_outside_entry" => (3, |worker, state, call, args| {
            worker.outside_entry(state, call, [args[0], args[1], args[2]])
        }),
        "__mneme_stays_concrete" => (3, |worker, state, call, args| {
            worker.stays_concrete(state, call, [args[0], args[1], args[2]])
        }),
        "__mneme_write" => (3, |worker, state, _, args| {
            worker.write(state, args[0], args[1], args[2])
        }),
        "klee_warning" => (1, |worker, state, call, args| {
            let text = worker.string(state, args[0]);
            tracing::warn!("{text}");
            worker.answer(state, call, Value::ZERO)
        }),
        "klee_open_merge" => (0, |worker, state, call, _| {
            worker.open_by_hand(state);
            worker.answer(state, call, Value::ZERO)
        }),
        "klee_close_merge" => (0, |worker, state, call, _| {
            worker.close_by_hand(state);
            worker.answer(state, call, Value::ZERO)
        }),
        "klee_set_forking" => (1, |worker, state, call, _| worker.answer(state, call, Value::ZERO)),
        "klee_stack_trace" | "klee_warning_once" | "klee_print_expr" | "klee_print_range" => {
            (0, |worker, state, call, _| worker.answer(state, call, Value::ZERO))
        }
        _ => return handlers::known(name),
    })
}

impl<M: Model> Worker<'_, M> {
    pub fn library_call(&mut self, state: &mut State<M>, call: &Call, name: &str) -> Flow {
        let args: Vec<Value> = call.args.iter().map(|arg| self.get(state, arg.value)).collect();
        if let Some(id) = self.stand_in(state, name, &args) {
            return self.enter(state, call, id);
        }
        match known(name) {
            None => self.native_call(state, call, name, &args),
            Some((expected, _)) if args.len() < expected => {
                let what = format!("`{name}` is called with too few arguments");
                self.fail(state, Error::InvalidCall(what))
            }
            Some((_, execute)) => execute(self, state, call, &args),
        }
    }

    /// `setjmp` never returns 0 a second time.
    fn library_long_jump(&mut self, state: &mut State<M>, args: &[Value]) -> Flow {
        let value = self.term(args[1], 32);
        let zero = self.terms.constant(32, 0);
        let one = self.terms.constant(32, 1);
        let is_zero = self.terms.eq(value, zero);
        let value = self.terms.ite(is_zero, one, value);
        let value = self.terms.to_value(value);
        self.long_jump(state, args[0], Buffer::Library, value)
    }

    /// Continues after the call with this result.
    pub(crate) fn answer(&mut self, state: &mut State<M>, call: &Call, value: Value) -> Flow {
        self.resume(state, Then::answer(call, value));
        Flow::On
    }

    fn native_call(&mut self, state: &mut State<M>, call: &Call, name: &str, args: &[Value]) -> Flow {
        if !native::is_allowed(name) || call.results.len() > 1 {
            return match self.options.unknown_calls {
                UnknownCalls::Stop => self.unsupported(state, format!("the undefined function `{name}`")),
                _ => self.unknown_call(state, call, name, args, Missing::Body),
            };
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
        // What the function changed is stored as the program would store it, faults included.
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
