//! A readable listing of lowered functions, for tests and debugging.

use crate::ir::*;
use std::fmt::{self, Display, Formatter, Write};

/// Writes a sequence with separators.
fn join<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn lower<T: fmt::Debug>(name: T) -> String {
    format!("{name:?}").to_lowercase()
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            ScalarKind::Int => write!(f, "i{}", self.bits),
            ScalarKind::Float => write!(f, "f{}", self.bits),
            ScalarKind::Extended | ScalarKind::OtherFloat => write!(f, "x{}", self.bits),
            ScalarKind::Pointer => f.write_str("ptr"),
        }
    }
}

impl Display for Signature {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        join(f, &self.params)?;
        if self.variadic {
            f.write_str(if self.params.is_empty() { "..." } else { ", ..." })?;
        }
        f.write_str(") -> (")?;
        join(f, &self.results)?;
        f.write_char(')')
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            let kind = if global.constant { "constant" } else { "variable" };
            writeln!(f, "{kind} {}: {} bytes", global.name, global.size)?;
        }
        for function in self.functions.iter().filter(|f| !f.is_declaration()) {
            write!(
                f,
                "{}",
                Listing {
                    program: self,
                    function
                }
            )?;
        }
        Ok(())
    }
}

impl Program {
    /// The code of one function as text.
    pub fn listing(&self, name: &str) -> Option<String> {
        let function = self.function(self.find_function(name)?);
        Some(
            Listing {
                program: self,
                function,
            }
            .to_string(),
        )
    }
}

struct Listing<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}{} [{} slots]",
            self.function.name, self.function.signature, self.function.slots
        )?;
        for (i, block) in self.function.blocks.iter().enumerate() {
            writeln!(f, "b{i}:")?;
            for inst in &self.function.code[block.start as usize..block.end as usize] {
                f.write_str("  ")?;
                self.inst(f, inst)?;
                f.write_char('\n')?;
            }
        }
        Ok(())
    }
}

impl Listing<'_> {
    fn op(&self, operand: Operand) -> String {
        match operand.kind() {
            OperandKind::Slot(slot) => format!("%{slot}"),
            OperandKind::Constant(index) => self.constant(&self.function.constants[index as usize]),
        }
    }

    fn constant(&self, constant: &Constant) -> String {
        match constant {
            Constant::Int(n) => n.to_string(),
            Constant::Wide { words, .. } => {
                let digits: String = words.iter().rev().map(|w| format!("{w:016x}")).collect();
                format!("0x{digits}")
            }
            Constant::Global { global, offset: 0 } => {
                format!("@{}", self.program.globals[global.index()].name)
            }
            Constant::Global { global, offset } => {
                format!("@{}{offset:+}", self.program.globals[global.index()].name)
            }
            Constant::Function(id) => format!("@{}", self.program.function(*id).name),
            Constant::Undef { .. } => "undef".to_owned(),
        }
    }

    fn edge(&self, id: EdgeId) -> String {
        let edge = &self.function.edges[id.index()];
        let mut text = format!("b{}", edge.target.0);
        if !edge.moves.is_empty() {
            let moves: Vec<String> = edge
                .moves
                .iter()
                .map(|&(slot, src)| format!("%{slot} = {}", self.op(src)))
                .collect();
            let _ = write!(text, "[{}]", moves.join(", "));
        }
        text
    }

    fn inst(&self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        let op = |o: Operand| self.op(o);
        match *inst {
            Inst::Move { dst, src } => write!(f, "%{dst} = {}", op(src)),
            Inst::Freeze { dst, src } => write!(f, "%{dst} = freeze {}", op(src)),
            Inst::Bin {
                op: o,
                width,
                nsw,
                undefined: _,
                dst,
                a,
                b,
            } => {
                let flag = if nsw { " nsw" } else { "" };
                write!(f, "%{dst} = {}{flag} i{width} {}, {}", lower(o), op(a), op(b))
            }
            Inst::Cmp { pred, width, dst, a, b } => {
                write!(f, "%{dst} = {} i{width} {}, {}", lower(pred), op(a), op(b))
            }
            Inst::Cast {
                op: o,
                from,
                to,
                dst,
                src,
            } => {
                write!(f, "%{dst} = {} i{from} {} to i{to}", lower(o), op(src))
            }
            Inst::Select {
                width,
                dst,
                cond,
                yes,
                no,
            } => {
                write!(f, "%{dst} = select i{width} {} ? {} : {}", op(cond), op(yes), op(no))
            }
            Inst::FloatBin {
                op: o,
                width,
                dst,
                a,
                b,
            } => {
                write!(f, "%{dst} = f{} f{width} {}, {}", lower(o), op(a), op(b))
            }
            Inst::FloatNeg { width, dst, src } => write!(f, "%{dst} = fneg f{width} {}", op(src)),
            Inst::FloatCmp { pred, width, dst, a, b } => {
                write!(f, "%{dst} = f{} f{width} {}, {}", lower(pred), op(a), op(b))
            }
            Inst::FloatCast {
                op: o,
                from,
                to,
                dst,
                src,
                ..
            } => {
                write!(f, "%{dst} = {} {from} {} to {to}", lower(o), op(src))
            }
            Inst::Field { dst, base, offset } => write!(f, "%{dst} = {} {offset:+}", op(base)),
            Inst::Index {
                width,
                dst,
                base,
                index,
                scale,
            } => {
                write!(f, "%{dst} = {} + i{width} {} * {scale}", op(base), op(index))
            }
            Inst::Gep { dst, base, gep } => {
                let gep = &self.function.geps[gep.index()];
                write!(f, "%{dst} = {} {:+}", op(base), gep.offset)?;
                gep.indices
                    .iter()
                    .try_for_each(|&(index, width, scale)| write!(f, " + i{width} {} * {scale}", op(index)))
            }
            _ => self.effect(f, inst),
        }
    }

    /// Instructions that touch memory, variables or the control flow.
    fn effect(&self, f: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        let op = |o: Operand| self.op(o);
        match *inst {
            Inst::Load { ty, dst, ptr, .. } => write!(f, "%{dst} = load {ty} {}", op(ptr)),
            Inst::Store { ty, ptr, value, .. } => write!(f, "store {ty} {}, {}", op(value), op(ptr)),
            Inst::Alloca {
                width,
                dst,
                size,
                count,
                site,
            } => {
                write!(f, "%{dst} = alloca i{width} {} * {size} {}", op(count), self.site(site))
            }
            Inst::SlotInit { slot } => write!(f, "init %{slot}"),
            Inst::SlotLoad { ty, dst, slot, site } => {
                write!(f, "%{dst} = slot {ty} %{slot} {}", self.site(site))
            }
            Inst::SlotStore { ty, slot, value } => write!(f, "slot {ty} %{slot} = {}", op(value)),
            Inst::LifetimeStart { ptr, size } => write!(f, "start {} {size}", op(ptr)),
            Inst::LifetimeEnd { ptr, size } => write!(f, "end {} {size}", op(ptr)),
            Inst::StackSave { dst } => write!(f, "%{dst} = stacksave"),
            Inst::StackRestore { ptr } => write!(f, "stackrestore {}", op(ptr)),
            Inst::ByvalCopy { slot, size, site } => {
                write!(f, "%{slot} = copy {size} bytes {}", self.site(site))
            }
            Inst::MemCopy {
                overlap, dst, src, len, ..
            } => {
                let name = if overlap { "memmove" } else { "memcpy" };
                write!(f, "{name} {}, {}, {}", op(dst), op(src), op(len))
            }
            Inst::MemSet { dst, byte, len, .. } => {
                write!(f, "memset {}, {}, {}", op(dst), op(byte), op(len))
            }
            Inst::Intrinsic { id } => self.intrinsic(f, &self.function.intrinsics[id.index()]),
            Inst::Call { call } => self.call(f, &self.function.calls[call.index()]),
            Inst::Return { first, count } => {
                f.write_str("return ")?;
                let all = &self.function.operands[first as usize..(first + count) as usize];
                join(f, all.iter().map(|&o| op(o)))
            }
            Inst::Jump { edge } => write!(f, "jump {}", self.edge(edge)),
            Inst::Branch { cond, yes, no } => {
                write!(f, "if {} then {} else {}", op(cond), self.edge(yes), self.edge(no))
            }
            Inst::CmpBranch {
                pred,
                width,
                a,
                b,
                yes,
                no,
            } => {
                write!(f, "if {} i{width} {}, {}", lower(pred), op(a), op(b))?;
                write!(f, " then {} else {}", self.edge(yes), self.edge(no))
            }
            Inst::Switch { switch } => {
                let switch = &self.function.switches[switch.index()];
                write!(f, "switch i{} {}: ", switch.width, op(switch.value))?;
                join(f, switch.cases.iter().map(|&(n, e)| format!("{n} => {}", self.edge(e))))?;
                write!(f, ", default => {}", self.edge(switch.default))
            }
            Inst::Unreachable => f.write_str("unreachable"),
            Inst::Spin => f.write_str("spin"),
            Inst::Unsupported { what } => {
                write!(f, "unsupported: {}", self.function.unsupported[what as usize])
            }
            _ => Ok(()),
        }
    }

    fn site(&self, site: SiteId) -> String {
        let name = self.program.sites[site.index()].name.as_deref();
        format!("\"{}\"", name.unwrap_or(""))
    }

    fn intrinsic(&self, f: &mut Formatter<'_>, intrinsic: &Intrinsic) -> fmt::Result {
        if let Some(dst) = intrinsic.dst {
            write!(f, "%{dst} = ")?;
        }
        write!(f, "{} i{}(", lower(intrinsic.op), intrinsic.width)?;
        join(f, intrinsic.args.iter().map(|&a| self.op(a)))?;
        f.write_char(')')
    }

    fn call(&self, f: &mut Formatter<'_>, call: &Call) -> fmt::Result {
        if !call.results.is_empty() {
            write!(f, "%{} = ", call.dst)?;
        }
        let callee = match &call.callee {
            Callee::Direct(id) => self.program.function(*id).name.clone(),
            Callee::Indirect(operand) => format!("*{}", self.op(*operand)),
        };
        write!(f, "call {callee}(")?;
        join(
            f,
            call.args.iter().map(|arg| match arg.byval {
                Some((size, _)) => format!("byval({size}) {}", self.op(arg.value)),
                None => format!("{} {}", arg.ty, self.op(arg.value)),
            }),
        )?;
        f.write_char(')')
    }
}
