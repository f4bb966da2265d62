//! Calls of functions, and the inline assembly that does nothing.

use super::function::FunctionLowering;
use super::shape::{Lowered, unsupported};
use crate::ir::*;
use crate::llvm::{Opcode, TypeKind, Value, ValueKind};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn call(&mut self, v: Value<'m>, dst: Slot) -> Lowered<()> {
        let called = self.cx.resolve_alias(v.called_value());
        if let Some((text, constraints)) = called.inline_asm() {
            return self.inline_assembly(v, &text, &constraints, dst);
        }
        if let Some(known) = self.cx.known_intrinsic(called) {
            return self.intrinsic(v, called, known, dst);
        }
        if is_alloca(v, called) {
            return self.alloca_function(v, dst);
        }
        let callee = match called.kind() {
            ValueKind::LLVMFunctionValueKind => match self.cx.functions.get(&called) {
                Some(&id) => Callee::Direct(id),
                None => return unsupported(format!("a call of {}", called.name())),
            },
            ValueKind::LLVMGlobalIFuncValueKind => {
                return unsupported(format!("the indirect function {}", called.name()));
            }
            _ => Callee::Indirect(self.scalar(called)?),
        };
        let signature = self.cx.signature(v.called_type())?;
        let args = self.arguments(v)?;
        let noreturn = self.cx.attributes.noreturn;
        let noreturn = v.call_attribute(noreturn) || called.has_function_attribute(noreturn);
        let site = Site {
            kind: SiteKind::Heap,
            name: None,
            align: u64::from(self.cx.pointer_bits) / 4,
            loc: self.loc,
            function: Some(self.id),
            c_type: None,
            fixed: false,
        };
        let site = self.cx.add_site(site);
        let results = signature.results.clone();
        self.out.calls.push(Call {
            callee,
            args,
            dst,
            results,
            signature,
            site,
            noreturn,
        });
        self.emit(Inst::Call {
            call: CallId(self.out.calls.len() as u32 - 1),
        });
        Ok(())
    }

    fn arguments(&mut self, v: Value<'m>) -> Lowered<Vec<Arg>> {
        let mut args = Vec::new();
        for (i, arg) in v.args().into_iter().enumerate() {
            let byval = self.byval_argument(v, i as u32);
            let align = self.variadic_align(arg, byval);
            let shape = self.cx.shapes.of(arg.ty())?;
            let values = self.flat(arg)?;
            for (j, (ty, value)) in shape.scalars().zip(values).enumerate() {
                args.push(Arg {
                    value,
                    ty,
                    byval,
                    leads: j == 0,
                    align,
                });
            }
        }
        Ok(args)
    }

    fn byval_argument(&self, v: Value<'m>, index: u32) -> Option<(u32, u32)> {
        let ty = v.arg_attribute(index, self.cx.attributes.byval)?.type_value()?;
        let align = v
            .arg_attribute(index, self.cx.attributes.align)
            .map_or(0, |a| a.int_value());
        Some(self.cx.byval(ty, align))
    }

    /// Alignment in a variable argument area: a word, or 16 for types aligned that way.
    fn variadic_align(&self, arg: Value<'m>, byval: Option<(u32, u32)>) -> u8 {
        let word = u64::from(self.cx.pointer_bits) / 8;
        let natural = byval.map_or_else(|| self.cx.layout.align(arg.ty()), |(_, align)| align.into());
        natural.clamp(word, 128) as u8
    }

    /// Programs use such assembly to prevent optimisation (`asm("" : "+r"(x))`). Here it does nothing.
    fn inline_assembly(&mut self, v: Value<'m>, text: &str, constraints: &str, dst: Slot) -> Lowered<()> {
        let outputs = self.cx.shapes.of(v.ty())?.len();
        let constraints: Vec<&str> = constraints.split(',').filter(|c| !c.starts_with('~')).collect();
        let written: Vec<&&str> = constraints.iter().filter(|c| c.starts_with('=')).collect();
        let to_memory = written.iter().filter(|c| c.starts_with("=*")).count();
        if !does_nothing(text) || written.len() - to_memory != outputs {
            return unsupported("inline assembly");
        }
        let args = v.args();
        let inputs: Vec<&str> = constraints[written.len()..].to_vec();
        // An input that shares a place in memory with an output is stored there, unless it was just loaded from it.
        for (i, constraint) in inputs.iter().enumerate() {
            let Some(output) = constraint
                .parse()
                .ok()
                .filter(|&o: &usize| written.get(o).is_some_and(|w| w.starts_with("=*")))
            else {
                continue;
            };
            let place = written[..output].iter().filter(|w| w.starts_with("=*")).count();
            let (Some(&input), Some(&address)) = (args.get(i + to_memory), args.get(place)) else {
                return unsupported("inline assembly");
            };
            let loaded = input.opcode() == Some(Opcode::LLVMLoad) && input.operand(0) == address;
            if !loaded {
                self.store_input(v, input, place as u32, address)?;
            }
        }
        let mut sources = Vec::new();
        for output in 0..outputs {
            let tied = inputs.iter().position(|c| c.parse() == Ok(output));
            let Some(source) = tied.and_then(|i| args.get(i + to_memory)) else {
                return unsupported("inline assembly");
            };
            sources.push(self.scalar(*source)?);
        }
        self.moves(dst, &sources);
        Ok(())
    }

    /// Stores an input of assembly at its output number `place`, with the width of that output.
    fn store_input(&mut self, v: Value<'m>, input: Value<'m>, place: u32, address: Value<'m>) -> Lowered<()> {
        let element = v.arg_attribute(place, self.cx.attributes.element_type);
        let Some(ty) = element.and_then(|attribute| attribute.type_value()) else {
            return unsupported("inline assembly");
        };
        let to = self.cx.shapes.of(ty)?;
        let from = self.scalar_type(input)?;
        let [leaf] = to.leaves[..] else {
            return unsupported("inline assembly");
        };
        let (value, ptr) = (self.scalar(input)?, self.scalar(address)?);
        let narrow = self.temporary(1);
        self.resize(value, from.bits, leaf.scalar.bits, narrow);
        self.store_scalar(ptr, leaf.scalar, Operand::slot(narrow));
        Ok(())
    }
}

/// A function that the program declares and cannot define: its object belongs to the caller's frame.
fn is_alloca(call: Value<'_>, called: Value<'_>) -> bool {
    called.kind() == ValueKind::LLVMFunctionValueKind
        && called.is_declaration()
        && called.name() == "alloca"
        && call.args().len() == 1
        && call.ty().kind() == TypeKind::LLVMPointerTypeKind
}

/// Whether it is empty, or only comments and `nop`.
fn does_nothing(text: &str) -> bool {
    text.split(['\n', ';'])
        .map(|line| line.split(['#', '/']).next().unwrap_or("").trim())
        .all(|line| matches!(line, "" | "nop" | "pause" | "rep nop"))
}
