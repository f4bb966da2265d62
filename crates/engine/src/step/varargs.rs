//! Variable arguments: `va_start` lays them out in memory as the ABI does, where the code that clang emits for `va_arg`
//! looks for them.
//!
//! x86-64: six general and eight vector registers, saved to an area of 176 bytes, and the stack for the rest. i386: the
//! stack alone.

use crate::image::{OwnSite, own_site};
use crate::state::{State, VarArg};
use crate::then::{Then, Write};
use crate::worker::{Flow, Worker};
use mneme_memory::{Alloc, Init, Model};
use mneme_program::{Inst, Scalar, ScalarKind};
use mneme_term::{BaseId, BaseKind, Value};

const GENERAL_END: u32 = 48;
const VECTOR_END: u32 = 176;

/// How far each area is filled.
struct Areas {
    general: u32,
    vector: u32,
    stack: u32,
}

enum Area {
    Saved(u32),
    Stack(u32),
}

impl<M: Model> Worker<'_, M> {
    pub(super) fn va_start(&mut self, state: &mut State<M>, list: Value) -> Flow {
        let pointer = self.pointer();
        let word = pointer.bytes();
        let args = state.frame().variadic().to_vec();
        let mut areas = if word == 8 {
            self.fixed_arguments(state)
        } else {
            Areas {
                general: GENERAL_END,
                vector: VECTOR_END,
                stack: 0,
            }
        };
        let (general, vector) = (areas.general, areas.vector);
        let mut places = Vec::new();
        for arg in &args {
            let place = match places.last() {
                // Parts of one argument lie side by side.
                Some((Area::Saved(at), before)) if !arg.leads => Area::Saved(at + before),
                Some((Area::Stack(_), _)) if !arg.leads => {
                    let at = areas.stack;
                    areas.stack += arg.bytes;
                    Area::Stack(at)
                }
                _ => areas.place(arg, word),
            };
            places.push((place, arg.bytes));
        }
        let stack_size = areas.stack.next_multiple_of(word);
        let align = args.iter().map(|arg| arg.align).max().unwrap_or(1).max(16);
        let stack = match self.argument_area(state, stack_size, align) {
            Ok(base) => base,
            Err(flow) => return flow,
        };
        let saved = match word {
            8 => match self.argument_area(state, VECTOR_END, 16) {
                Ok(base) => Some(base),
                Err(flow) => return flow,
            },
            _ => None,
        };
        let mut writes = Vec::new();
        for (arg, (place, _)) in args.iter().zip(places) {
            let (base, offset) = match place {
                Area::Saved(offset) => (saved.expect("only x86-64 saves registers"), offset as u64),
                Area::Stack(offset) => (stack, offset as u64),
            };
            if arg.byval {
                writes.push(Write::Copy {
                    to: Value::Ptr { base, offset },
                    from: arg.value,
                    len: arg.bytes.into(),
                });
            } else {
                self.change_memory(state, |memory, cx| {
                    memory.init_value(cx, base, offset, arg.bytes, arg.value);
                });
            }
        }
        let stack = Value::Ptr { base: stack, offset: 0 };
        if writes.is_empty() {
            let saved = saved.map_or(Value::ZERO, |base| Value::Ptr { base, offset: 0 });
            let [general, vector] = [general, vector].map(|n| Value::Int(n.into()));
            if let Some(flow) = self.run_support(state, "va_start", 1, &[list, general, vector, stack, saved]) {
                return flow;
            }
        }
        let mut fields = vec![];
        match saved {
            // { gp_offset, fp_offset, overflow_arg_area, reg_save_area }
            Some(saved) => {
                fields.push((0, Scalar::int(32), Value::Int(general as u64)));
                fields.push((4, Scalar::int(32), Value::Int(vector as u64)));
                fields.push((8, pointer, stack));
                fields.push((16, pointer, Value::Ptr { base: saved, offset: 0 }));
            }
            None => fields.push((0, pointer, stack)),
        }
        for (offset, ty, value) in fields {
            let place = self.displace(list, Value::Int(offset));
            writes.push(Write::Store { place, ty, value });
        }
        self.write_all(state, writes, Then::Advance)
    }

    /// How much of the registers the declared parameters have used.
    fn fixed_arguments(&self, state: &State<M>) -> Areas {
        let function = self.program.function(state.frame().function);
        let mut areas = Areas {
            general: 0,
            vector: GENERAL_END,
            stack: 0,
        };
        for (index, param) in function.signature.params.iter().enumerate() {
            let on_stack = |inst: &Inst| matches!(inst, Inst::ByvalCopy { slot, .. } if *slot == index as u32);
            match param.kind {
                ScalarKind::Float => areas.vector = (areas.vector + 16).min(VECTOR_END),
                ScalarKind::Int | ScalarKind::Pointer if !function.code.iter().any(on_stack) => {
                    areas.general = (areas.general + param.bytes().next_multiple_of(8)).min(GENERAL_END);
                }
                _ => {}
            }
        }
        areas
    }

    fn argument_area(&mut self, state: &mut State<M>, size: u32, align: u32) -> Result<BaseId, Flow> {
        let site = own_site(self.program, OwnSite::VariableArguments);
        let (size, align) = (Value::Int(size as u64), align as u64);
        let what = Alloc {
            kind: BaseKind::Stack,
            size,
            align,
            site,
            init: Init::Undefined,
        };
        let branches = self.with_memory(state, |memory, cx| memory.alloc(cx, what));
        let Value::Ptr { base, .. } = self.sole(state, branches)? else {
            return Err(self.unsupported(state, "variable arguments"));
        };
        state.frame_mut().locals.push(base);
        Ok(base)
    }

    pub(super) fn va_copy(&mut self, state: &mut State<M>, dst: Value, src: Value) -> Flow {
        let bytes = if self.pointer_width() == 64 { 24 } else { 4 };
        if let Some(flow) = self.run_support(state, "move", 2, &[dst, src, Value::Int(bytes)]) {
            return flow;
        }
        self.copy_block(state, dst, src, Value::Int(bytes), Then::Advance)
    }
}

impl Areas {
    fn place(&mut self, arg: &VarArg, word: u32) -> Area {
        let general = matches!(arg.kind, ScalarKind::Int | ScalarKind::Pointer) && !arg.byval;
        let bytes = arg.bytes.next_multiple_of(8);
        if general && self.general + bytes <= GENERAL_END {
            self.general += bytes;
            return Area::Saved(self.general - bytes);
        }
        if arg.kind == ScalarKind::Float && !arg.byval && self.vector + 16 <= VECTOR_END {
            self.vector += 16;
            return Area::Saved(self.vector - 16);
        }
        self.stack = self.stack.next_multiple_of(arg.align.max(word));
        let at = self.stack;
        self.stack += arg.bytes;
        Area::Stack(at)
    }
}
