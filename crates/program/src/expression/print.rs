//! Texts of C expressions, with parentheses where C needs them.

use crate::Type;
use crate::ir::{BinOp, FloatPred, Pred};

/// Stands for anything unknown.
pub const UNKNOWN: &str = "…";

/// How tightly an operator binds, loosest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Binding {
    Conditional,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Postfix,
}

/// The text of a value.
#[derive(Clone, Debug)]
pub struct Text {
    pub text: String,
    pub binding: Binding,
    pub ty: Option<Type>,
}

impl Text {
    pub fn new(text: impl Into<String>, binding: Binding, ty: Option<Type>) -> Text {
        Text {
            text: text.into(),
            binding,
            ty,
        }
    }

    pub fn unknown() -> Text {
        Text::new(UNKNOWN, Binding::Postfix, None)
    }

    pub fn is_unknown(&self) -> bool {
        self.text == UNKNOWN
    }

    /// The text as an operand of something that binds like `least`.
    pub fn within(&self, least: Binding) -> String {
        if self.binding < least {
            format!("({})", self.text)
        } else {
            self.text.clone()
        }
    }
}

/// `a op b`; operators of one level group to the left.
pub fn infix(a: &Text, op: &str, b: &Text, binding: Binding) -> Text {
    let tighter = match binding {
        Binding::Or => Binding::And,
        Binding::And => Binding::BitOr,
        Binding::Equality => Binding::Relation,
        Binding::Relation => Binding::Shift,
        Binding::Shift => Binding::Sum,
        Binding::Sum => Binding::Product,
        Binding::Product => Binding::Unary,
        // People often get the precedence of these wrong.
        _ => Binding::Unary,
    };
    let left = if matches!(
        binding,
        Binding::BitAnd | Binding::BitOr | Binding::BitXor | Binding::Shift
    ) {
        Binding::Sum
    } else {
        binding
    };
    Text::new(format!("{} {op} {}", a.within(left), b.within(tighter)), binding, None)
}

pub fn binary(op: BinOp) -> (&'static str, Binding) {
    match op {
        BinOp::Add => ("+", Binding::Sum),
        BinOp::Sub => ("-", Binding::Sum),
        BinOp::Mul => ("*", Binding::Product),
        BinOp::UDiv | BinOp::SDiv => ("/", Binding::Product),
        BinOp::URem | BinOp::SRem => ("%", Binding::Product),
        BinOp::And => ("&", Binding::BitAnd),
        BinOp::Or => ("|", Binding::BitOr),
        BinOp::Xor => ("^", Binding::BitXor),
        BinOp::Shl => ("<<", Binding::Shift),
        BinOp::LShr | BinOp::AShr => (">>", Binding::Shift),
    }
}

pub fn comparison(pred: Pred) -> (&'static str, Binding) {
    match pred {
        Pred::Eq => ("==", Binding::Equality),
        Pred::Ne => ("!=", Binding::Equality),
        Pred::Ult | Pred::Slt => ("<", Binding::Relation),
        Pred::Ule | Pred::Sle => ("<=", Binding::Relation),
        Pred::Ugt | Pred::Sgt => (">", Binding::Relation),
        Pred::Uge | Pred::Sge => (">=", Binding::Relation),
    }
}

pub fn float_comparison(pred: FloatPred) -> Option<(&'static str, Binding)> {
    Some(match pred {
        FloatPred::Oeq | FloatPred::Ueq => ("==", Binding::Equality),
        FloatPred::One | FloatPred::Une => ("!=", Binding::Equality),
        FloatPred::Olt | FloatPred::Ult => ("<", Binding::Relation),
        FloatPred::Ole | FloatPred::Ule => ("<=", Binding::Relation),
        FloatPred::Ogt | FloatPred::Ugt => (">", Binding::Relation),
        FloatPred::Oge | FloatPred::Uge => (">=", Binding::Relation),
        FloatPred::False | FloatPred::True | FloatPred::Ord | FloatPred::Uno => return None,
    })
}

/// A character constant, if it is readable.
pub fn character(n: u64) -> Option<String> {
    Some(match n {
        0x0a => "'\\n'".into(),
        0x09 => "'\\t'".into(),
        0x0d => "'\\r'".into(),
        0x27 => "'\\''".into(),
        0x5c => "'\\\\'".into(),
        0x20..=0x7e => format!("'{}'", n as u8 as char),
        _ => return None,
    })
}
