//! From an operand back to the variables it is computed from.

mod address;

use super::Part;
use super::print::{Binding, Text, binary, character, comparison, float_comparison, infix};
use crate::c_type::Kind;
use crate::ir::*;
use crate::{Encoding, Type};
use address::Address;

/// Expressions nested more deeply than this are not shown.
const DEEPEST: u32 = 24;
/// Longer lists of arguments are abbreviated.
const LONGEST_ARGUMENTS: usize = 48;

pub(super) struct Walk<'a> {
    program: &'a Program,
    function: &'a Function,
    /// The instruction in question.
    at: u32,
    depth: u32,
    pub parts: Vec<Part>,
    pub pointer: Option<String>,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, function: FunctionId, at: u32) -> Walk<'a> {
        Walk {
            program,
            function: program.function(function),
            at,
            depth: 0,
            parts: Vec::new(),
            pointer: None,
        }
    }

    pub fn instruction(&mut self) -> Option<String> {
        let at = self.at;
        match *self.function.code.get(at as usize)? {
            Inst::Load { ty, ptr, .. } | Inst::Store { ty, ptr, .. } => self.access(at, ptr, ty),
            Inst::MemCopy {
                width,
                dst,
                src,
                len,
                overlap,
            } => {
                let name = if overlap { "memmove" } else { "memcpy" };
                self.copy(at, name, width, [dst, src, len])
            }
            Inst::MemSet { width, dst, byte, len } => {
                let args = [(dst, 64), (byte, 8), (len, width)];
                Some(self.call_text(at, "memset", &args).text)
            }
            Inst::Bin { dst, .. } | Inst::Cmp { dst, .. } => Some(self.defined(at, dst)?.text),
            Inst::Call { call } => Some(self.call(at, &self.function.calls[call.index()]).text),
            Inst::Branch { cond, .. } | Inst::Select { cond, .. } => Some(self.value(at, cond, 1).text),
            Inst::CmpBranch { pred, width, a, b, .. } => Some(self.compare(at, pred, width, a, b).text),
            Inst::Switch { switch } => {
                let switch = &self.function.switches[switch.index()];
                Some(self.value(at, switch.value, switch.width).text)
            }
            _ => None,
        }
    }

    pub fn pointee(&mut self, operand: Operand) -> Option<Type> {
        match self.address(self.at, operand)? {
            Address::Place { ty, .. } => Some(ty),
            Address::Pointer(pointer) => self.pointed_to(&pointer),
        }
    }

    // ---- definitions

    /// Where the slot got the value that the instruction at `pc` reads.
    fn definition(&self, pc: u32, slot: Slot) -> Option<u32> {
        let defines = |at: &u32| {
            let mut found = false;
            let code = &self.function.code[*at as usize];
            code.for_each_def(self.function, &mut |defined| found |= defined == slot);
            found
        };
        let block = self
            .function
            .blocks
            .iter()
            .find(|block| (block.start..block.end).contains(&pc))?;
        if let Some(at) = (block.start..pc).rev().find(defines) {
            return Some(at);
        }
        // Only values with one definition outlive their block.
        if self
            .function
            .edges
            .iter()
            .any(|edge| edge.moves.iter().any(|&(dst, _)| dst == slot))
        {
            return None;
        }
        let mut all = (0..self.function.code.len() as u32).filter(defines);
        all.next().filter(|_| all.next().is_none())
    }

    /// Whether the value that `slot` got at `defined` is still there when the instruction in question runs.
    fn is_intact(&self, slot: Slot, defined: u32) -> bool {
        self.definition(self.at, slot) == Some(defined)
    }

    // ---- values

    fn value(&mut self, pc: u32, operand: Operand, width: u16) -> Text {
        if self.depth >= DEEPEST {
            return Text::unknown();
        }
        self.depth += 1;
        let text = match operand.kind() {
            OperandKind::Slot(slot) => match self.definition(pc, slot) {
                Some(at) => self.defined(at, slot),
                None => self.named(slot, None),
            },
            OperandKind::Constant(index) => self.constant(index, width),
        };
        self.depth -= 1;
        text.unwrap_or_else(Text::unknown)
    }

    /// An operand of floating-point arithmetic.
    fn number(&mut self, pc: u32, operand: Operand, width: u16) -> Text {
        let OperandKind::Constant(index) = operand.kind() else {
            return self.value(pc, operand, width);
        };
        let literal = match (width, &self.function.constants[index as usize]) {
            (32, Constant::Int(bits)) => format!("{:?}", f32::from_bits(*bits as u32)),
            (64, Constant::Int(bits)) => format!("{:?}", f64::from_bits(*bits)),
            _ => return Text::unknown(),
        };
        Text::new(literal, Binding::Unary, None)
    }

    /// A value that debug information names: in optimised code variables are values.
    fn named(&self, slot: Slot, pc: Option<u32>) -> Option<Text> {
        let value = self
            .function
            .values
            .iter()
            .find(|value| value.slot == slot && value.pc == pc)?;
        let ty = value.c_type.map(Type::from);
        Some(Text::new(value.name.clone(), Binding::Postfix, ty))
    }

    fn constant(&mut self, index: u32, width: u16) -> Option<Text> {
        match self.function.constants[index as usize] {
            Constant::Int(n) => Some(number(n, width, Encoding::Signed)),
            Constant::Global { global, offset } => {
                let address = self.global(global, offset)?;
                Some(self.pointer_text(address))
            }
            Constant::Function(id) => {
                let function = self.program.function(id);
                let name = function.source_name.as_ref().unwrap_or(&function.name);
                Some(Text::new(name.clone(), Binding::Postfix, None))
            }
            _ => None,
        }
    }

    /// The value that the instruction at `at` gives to `slot`.
    fn defined(&mut self, at: u32, slot: Slot) -> Option<Text> {
        if let Some(text) = self.named(slot, Some(at)) {
            return Some(text);
        }
        match self.function.code[at as usize] {
            Inst::SlotLoad {
                ty, slot: kept, site, ..
            } => {
                let site = &self.program.sites[site.index()];
                let text = Text::new(site.name.clone()?, Binding::Postfix, site.c_type.map(Type::from));
                let unchanged = self.definition(at, kept).filter(|&stored| self.is_intact(kept, stored));
                let slot = if self.is_intact(slot, at) {
                    Some(slot)
                } else {
                    unchanged.map(|_| kept)
                };
                self.note_part(&text, slot, ty);
                Some(text)
            }
            Inst::Load { ty, ptr, .. } => {
                let (text, _, c_type) = self.object(at, ptr, ty.bytes().into(), Some(ty.kind))?;
                let binding = if text.starts_with('*') {
                    Binding::Unary
                } else {
                    Binding::Postfix
                };
                let text = Text::new(text, binding, c_type);
                let slot = self.is_intact(slot, at).then_some(slot);
                self.note_part(&text, slot, ty);
                Some(text)
            }
            Inst::Move { src, .. } | Inst::Freeze { src, .. } => Some(self.value(at, src, 64)),
            Inst::Cast { op, from, to, src, .. } => {
                let text = self.value(at, src, from);
                // If the operand is gone, its extension still has its value.
                if let CastOp::SExt | CastOp::ZExt = op
                    && matches!(text.binding, Binding::Unary | Binding::Postfix)
                    && self.is_intact(slot, at)
                {
                    self.note_part(&text, Some(slot), Scalar::int(to));
                }
                Some(text)
            }
            Inst::FloatCast { from, src, .. } => Some(self.value(at, src, from)),
            Inst::Bin { op, width, a, b, .. } => Some(self.binary(at, op, width, a, b)),
            Inst::FloatBin { op, width, a, b, .. } => {
                let op = match op {
                    FloatOp::Add => BinOp::Add,
                    FloatOp::Sub => BinOp::Sub,
                    FloatOp::Mul => BinOp::Mul,
                    FloatOp::Div => BinOp::SDiv,
                    FloatOp::Rem => return None,
                };
                let (op, binding) = binary(op);
                let (a, b) = (self.number(at, a, width), self.number(at, b, width));
                Some(infix(&a, op, &b, binding))
            }
            Inst::Cmp { pred, width, a, b, .. } => Some(self.compare(at, pred, width, a, b)),
            Inst::FloatCmp { pred, width, a, b, .. } => {
                let (op, binding) = float_comparison(pred)?;
                let (a, b) = (self.number(at, a, width), self.number(at, b, width));
                Some(infix(&a, op, &b, binding))
            }
            Inst::Select {
                width, cond, yes, no, ..
            } => Some(self.select(at, width, cond, yes, no)),
            Inst::Field { .. }
            | Inst::Index { .. }
            | Inst::Gep { .. }
            | Inst::Alloca { .. }
            | Inst::ByvalCopy { .. } => {
                let address = self.address(at + 1, Operand::slot(slot))?;
                Some(self.pointer_text(address))
            }
            Inst::Call { call } => Some(self.call(at, &self.function.calls[call.index()])),
            _ => None,
        }
    }

    fn note_part(&mut self, text: &Text, slot: Option<Slot>, ty: Scalar) {
        let (Some(slot), ScalarKind::Int, Some(c_type)) = (slot, ty.kind, text.ty) else {
            return;
        };
        let signed = match self.program.kind(c_type) {
            Kind::Base { encoding, .. } => encoding.is_signed(),
            Kind::Enum { .. } => false,
            _ => return,
        };
        if self.parts.iter().all(|part| part.text != text.text) {
            self.parts.push(Part {
                text: text.text.clone(),
                slot,
                bits: ty.bits,
                signed,
            });
        }
    }

    fn binary(&mut self, at: u32, op: BinOp, width: u16, a: Operand, b: Operand) -> Text {
        if width == 1 {
            if op == BinOp::Xor && self.is_constant(b, 1) {
                let inner = self.value(at, a, 1);
                return Text::new(format!("!{}", inner.within(Binding::Unary)), Binding::Unary, None);
            }
            let (op, binding) = match op {
                BinOp::And => ("&&", Binding::And),
                BinOp::Or => ("||", Binding::Or),
                _ => return Text::unknown(),
            };
            let (a, b) = (self.value(at, a, 1), self.value(at, b, 1));
            return infix(&a, op, &b, binding);
        }
        let left = self.value(at, a, width);
        let ty = left.ty;
        let text = match (op, self.constant_value(b)) {
            (BinOp::Add, Some(n)) if sign_extend(n, width) < 0 => {
                let n = number(sign_extend(n, width).unsigned_abs(), 64, Encoding::Unsigned);
                infix(&left, "-", &n, Binding::Sum)
            }
            (BinOp::Sub, _) if self.constant_value(a) == Some(0) => {
                let inner = self.value(at, b, width);
                return Text::new(format!("-{}", inner.within(Binding::Unary)), Binding::Unary, inner.ty);
            }
            (BinOp::Xor, Some(n)) if sign_extend(n, width) == -1 => {
                return Text::new(format!("~{}", left.within(Binding::Unary)), Binding::Unary, ty);
            }
            _ => {
                let right = self.value(at, b, width);
                let (op, binding) = binary(op);
                infix(&left, op, &right, binding)
            }
        };
        Text { ty, ..text }
    }

    fn compare(&mut self, at: u32, pred: Pred, width: u16, a: Operand, b: Operand) -> Text {
        let left = self.value(at, a, width);
        // `if (x)` on something that is already a condition.
        if let (Pred::Ne | Pred::Eq, Some(0)) = (pred, self.constant_value(b))
            && matches!(
                left.binding,
                Binding::Equality | Binding::Relation | Binding::And | Binding::Or
            )
        {
            return match pred {
                Pred::Ne => left,
                _ => Text::new(format!("!({})", left.text), Binding::Unary, None),
            };
        }
        let kind = left.ty.map(|ty| self.program.kind(ty));
        let right = match (self.constant_value(b), kind) {
            (Some(0), Some(Kind::Pointer { .. })) => Text::new("NULL", Binding::Postfix, None),
            (Some(n), Some(Kind::Base { encoding, .. })) if encoding.is_character() && character(n).is_some() => {
                Text::new(character(n).expect("just seen"), Binding::Postfix, None)
            }
            (Some(n), _) => {
                let unsigned = matches!(pred, Pred::Ult | Pred::Ule | Pred::Ugt | Pred::Uge);
                number(n, width, if unsigned { Encoding::Unsigned } else { Encoding::Signed })
            }
            (None, _) => self.value(at, b, width),
        };
        let (op, binding) = comparison(pred);
        infix(&left, op, &right, binding)
    }

    fn select(&mut self, at: u32, width: u16, cond: Operand, yes: Operand, no: Operand) -> Text {
        let cond = self.value(at, cond, 1);
        if width == 1 && self.is_constant(no, 0) {
            let yes = self.value(at, yes, 1);
            return infix(&cond, "&&", &yes, Binding::And);
        }
        if width == 1 && self.is_constant(yes, 1) {
            let no = self.value(at, no, 1);
            return infix(&cond, "||", &no, Binding::Or);
        }
        let (yes, no) = (self.value(at, yes, width), self.value(at, no, width));
        let text = format!("{} ? {} : {}", cond.within(Binding::Or), yes.text, no.text);
        Text::new(text, Binding::Conditional, yes.ty)
    }

    fn call(&mut self, at: u32, call: &Call) -> Text {
        let mut returns = None;
        let name = match &call.callee {
            Callee::Direct(id) => {
                let function = self.program.function(*id);
                returns = function.returns.map(Type::from);
                function.source_name.clone().unwrap_or_else(|| function.name.clone())
            }
            Callee::Indirect(operand) => {
                let callee = self.value(at, *operand, 64);
                callee.within(Binding::Postfix)
            }
        };
        let args: Vec<(Operand, u16)> = call.args.iter().map(|arg| (arg.value, arg.ty.bits)).collect();
        Text {
            ty: returns,
            ..self.call_text(at, &name, &args)
        }
    }

    fn call_text(&mut self, at: u32, name: &str, args: &[(Operand, u16)]) -> Text {
        let texts: Vec<String> = args
            .iter()
            .map(|&(arg, width)| self.value(at, arg, width).text)
            .collect();
        let mut list = texts.join(", ");
        if list.chars().count() > LONGEST_ARGUMENTS {
            list = super::print::UNKNOWN.into();
        }
        Text::new(format!("{name}({list})"), Binding::Postfix, None)
    }

    /// An assignment of structures, or a call of `memcpy` or `memmove`.
    fn copy(&mut self, at: u32, name: &str, width: u16, [dst, src, len]: [Operand; 3]) -> Option<String> {
        if let Some(bytes) = self.constant_value(len) {
            let mut structure = |operand| {
                let address = self.pointee_at(at, operand)?;
                let whole = matches!(self.program.kind(address), Kind::Struct { bytes: size, .. } if size == bytes);
                self.object(at, operand, bytes, None)
                    .map(|(text, ..)| text)
                    .filter(|_| whole)
            };
            if let (Some(to), Some(from)) = (structure(dst), structure(src)) {
                return Some(format!("{to} = {from}"));
            }
        }
        Some(self.call_text(at, name, &[(dst, 64), (src, 64), (len, width)]).text)
    }

    fn pointee_at(&mut self, at: u32, operand: Operand) -> Option<Type> {
        match self.address(at, operand)? {
            Address::Place { ty, .. } => Some(ty),
            Address::Pointer(pointer) => self.pointed_to(&pointer),
        }
    }

    fn constant_value(&self, operand: Operand) -> Option<u64> {
        match operand.kind() {
            OperandKind::Constant(index) => match self.function.constants[index as usize] {
                Constant::Int(n) => Some(n),
                _ => None,
            },
            OperandKind::Slot(_) => None,
        }
    }

    fn is_constant(&self, operand: Operand, n: u64) -> bool {
        self.constant_value(operand) == Some(n)
    }
}

fn sign_extend(n: u64, width: u16) -> i64 {
    let unused = 64 - u32::from(width.clamp(1, 64));
    ((n << unused) as i64) >> unused
}

fn number(n: u64, width: u16, encoding: Encoding) -> Text {
    let signed = sign_extend(n, width);
    let text = if width > 1 && encoding.is_signed() {
        signed.to_string()
    } else {
        n.to_string()
    };
    let binding = if text.starts_with('-') {
        Binding::Unary
    } else {
        Binding::Postfix
    };
    Text::new(text, binding, None)
}

/// A short readable string constant.
fn string_literal(bytes: &[u8]) -> Option<String> {
    let text = bytes.strip_suffix(b"\0")?;
    let readable = text.len() <= 24
        && text
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~') && !b"\\\"".contains(byte));
    readable.then(|| format!("\"{}\"", String::from_utf8_lossy(text)))
}
