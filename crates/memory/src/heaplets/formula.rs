//! The symbolic heap as text, in the notation of the slides: Π ∧ Σs * Σh, a segment as `E ↦ F⁰, …, Fⁿ⁻¹`.
//!
//! A value of several bytes is written once, with the number of the byte behind it: `x⁰, x¹, x², x³`. `−` is any
//! value: a byte that was never written.

use super::Heaplets;
use crate::contents::maybe;
use crate::{Heap, Life, Names, Variable};
use mneme_term::{BaseId, BaseKind, Op, SymbolKind, TermId, Terms, Value};
use std::fmt::Write;

/// More bytes of a segment are not written out.
const MOST_BYTES: u64 = 64;
/// A longer value is not, either.
const LONGEST: usize = 48;

/// A symbolic heap in the notation of the slides. Globals belong to neither Σs nor Σh in C; they are on top of Σs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    /// The constraints of Π.
    pub pure: Vec<String>,
    /// The segments of Σs and Σh.
    pub stack: Vec<String>,
    pub heap: Vec<String>,
}

impl std::fmt::Display for Formula {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let joined = |parts: &[String], by: &str, none: &str| match parts {
            [] => none.to_string(),
            _ => parts.join(by),
        };
        writeln!(f, "Π  = {}", joined(&self.pure, " ∧ ", "true"))?;
        writeln!(f, "Σs = {}", joined(&self.stack, " * ", "emp"))?;
        write!(f, "Σh = {}", joined(&self.heap, " * ", "emp"))
    }
}

impl Formula {
    /// The formula of a heap under the clauses of Π; `name` names the segments that are shown, others are left out.
    pub fn of(
        heap: &Heap<Heaplets>,
        terms: &mut Terms,
        clauses: &[TermId],
        variables: &[Variable],
        name: &Names,
    ) -> Formula {
        let mut formula = Formula {
            pure: clauses.iter().map(|&clause| shown(terms, clause, name)).collect(),
            stack: Vec::new(),
            heap: Vec::new(),
        };
        for Variable {
            name: location,
            bytes,
            value,
        } in variables
        {
            let byte = |terms: &mut Terms, at| {
                let value = (*value != Value::Undef).then(|| terms.of_value(*value, 8 * bytes))?;
                Some(terms.extract(value, 8 * at, 8))
            };
            let parts: Vec<String> = (0..*bytes)
                .map(|at| byte(terms, at).map_or("−".into(), |byte| spelt(terms, byte, name)))
                .collect();
            formula.stack.push(format!("{location} ↦ {}", parts.join(", ")));
        }
        let live: Vec<(BaseId, BaseKind)> = heap
            .directory
            .headers()
            .filter(|(_, header)| header.life == Life::Alive)
            .map(|(base, header)| (base, header.kind))
            .collect();
        for (base, kind) in live {
            let Some(location) = name(base).map(|name| name.text) else {
                continue;
            };
            let text = format!("{location} ↦ {}", bytes(heap, terms, base, name));
            match kind {
                BaseKind::Heap => formula.heap.push(text),
                BaseKind::Stack | BaseKind::Global => formula.stack.push(text),
                BaseKind::Function => {}
            }
        }
        formula
    }
}

/// The values of a segment, byte by byte.
fn bytes(heap: &Heap<Heaplets>, terms: &mut Terms, base: BaseId, name: &Names) -> String {
    let header = heap.directory.header(base).expect("it is alive");
    let (size, room) = (header.size, header.room);
    let shown_bytes = room.min(MOST_BYTES);
    let contents = heap.directory.contents(base);
    let mut parts: Vec<String> = Vec::new();
    for at in 0..shown_bytes {
        let byte = contents.read(terms, &mut maybe, Value::Int(at), 1);
        let byte = terms.of_value(byte, 8);
        parts.push(spelt(terms, byte, name));
    }
    let mut text = parts.join(", ");
    match size {
        Value::Int(n) if n > shown_bytes => _ = write!(text, ", … ({n} bytes)"),
        Value::Int(_) => {}
        other => {
            let width = terms.pointer_width();
            let size = terms.of_value(other, width);
            _ = write!(text, " ({} bytes)", shown(terms, size, name));
        }
    }
    if text.is_empty() { "nothing".into() } else { text }
}

/// One byte: a number, `−`, or which part of a value it is.
fn spelt(terms: &mut Terms, byte: TermId, name: &Names) -> String {
    if let Some(number) = terms.as_const(byte) {
        return number.to_string();
    }
    let (of, index) = part_of(terms, byte);
    match unwritten(terms, of) {
        true => "−".into(),
        false => format!("{}{}", shown(terms, of, name), superscript(index)),
    }
}

/// The value that a byte is a part of, and which part.
fn part_of(terms: &Terms, byte: TermId) -> (TermId, u32) {
    match terms.op(byte) {
        Op::Extract { low, .. } if low % 8 == 0 => (terms.children(byte)[0], low / 8),
        _ => (byte, 0),
    }
}

/// A byte that was never written.
fn unwritten(terms: &Terms, value: TermId) -> bool {
    let symbols = terms.symbols(value);
    matches!(terms.op(value), Op::Select | Op::Symbol(_))
        && !symbols.is_empty()
        && symbols
            .iter()
            .all(|&s| matches!(terms.symbol_info(s).kind, SymbolKind::Uninit(_)))
}

fn superscript(index: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| DIGITS[c.to_digit(10).expect("a number has digits") as usize];
    index.to_string().chars().map(digit).collect()
}

/// A term with its segments by name.
fn shown(terms: &mut Terms, term: TermId, name: &Names) -> String {
    if let Value::Ptr { base, offset } = terms.to_value(term) {
        let location = name(base).map_or_else(|| format!("base{}", base.0), |name| name.text);
        return match offset {
            0 => location,
            _ => format!("{location} + {offset}"),
        };
    }
    let mut text = terms.display(term).to_string();
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST).chain(['…']).collect();
    }
    text
}
