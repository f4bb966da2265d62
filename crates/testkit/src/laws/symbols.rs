//! The symbols that scripts use, and their values under an assignment.

use super::script::{Extension, INDICES, Linear, Number, SYMBOLS, Script, WIDTHS};
use mneme_term::{
    ArrayValue, Assignment, BaseId, Bits, FunId, Model, Sort, Symbol, SymbolId, SymbolKind, TermId, Terms, sign_extend,
    truncate,
};
use std::rc::Rc;

/// Elements of an array symbol that an assignment gives values to.
const ELEMENTS: u64 = 80;

#[derive(Clone, Debug)]
pub struct Symbols {
    pub indices: Vec<SymbolId>,
    /// For each width, `SYMBOLS` symbols.
    data: Vec<[SymbolId; SYMBOLS]>,
    arrays: [SymbolId; SYMBOLS],
}

/// A mixing function for values that only need to differ.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_add(0x7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Symbols {
    pub fn new(terms: &mut Terms) -> Symbols {
        let width = terms.pointer_width();
        let mut symbol = |name: String, sort| {
            terms.symbol_id(Symbol {
                name,
                kind: SymbolKind::Input,
                sort,
            })
        };
        let indices = INDICES.iter().enumerate().map(|(k, &(bits, _))| {
            let bits = if bits == 0 { width } else { bits };
            symbol(format!("i{k}"), Sort::Bits(bits))
        });
        let indices = indices.collect();
        let data = WIDTHS
            .iter()
            .map(|&n| [0, 1, 2].map(|k| symbol(format!("d{k}:{n}"), Sort::Bits(8 * n))));
        let data = data.collect();
        let arrays = [0, 1, 2].map(|k| {
            symbol(
                format!("a{k}"),
                Sort::Array {
                    index: width,
                    element: 8,
                },
            )
        });
        Symbols { indices, data, arrays }
    }

    pub fn data(&self, symbol: usize, bytes: u32) -> SymbolId {
        let at = WIDTHS
            .iter()
            .position(|&n| n == bytes)
            .expect("a width that scripts use");
        self.data[at][symbol]
    }

    pub fn array(&self, array: usize) -> SymbolId {
        self.arrays[array]
    }

    /// Index symbols as given, data made from a number.
    pub fn assignment(&self, terms: &Terms, indices: &[u64], data: u64) -> Assignment {
        let mut assignment = Assignment::default();
        for (&symbol, &value) in self.indices.iter().zip(indices) {
            let Sort::Bits(width) = terms.symbol_info(symbol).sort else {
                unreachable!("indices are bits")
            };
            assignment
                .values
                .insert(symbol, Bits::new(width, truncate(value, width)));
        }
        for (at, &bytes) in WIDTHS.iter().enumerate() {
            for &symbol in &self.data[at] {
                let words = [mix(data, symbol.0 as u64), mix(data, !(symbol.0 as u64))];
                let words = &words[..(8 * bytes).div_ceil(64) as usize];
                assignment.values.insert(symbol, Bits::from_words(8 * bytes, words));
            }
        }
        for &symbol in &self.arrays {
            let element = |k| (k, Bits::new(8, mix(mix(data, symbol.0 as u64), k) & 0xff));
            let entries = (0..ELEMENTS).map(element).collect();
            assignment.arrays.insert(symbol, ArrayValue { entries, default: None });
        }
        assignment
    }

    pub fn number(&self, terms: &mut Terms, number: Number) -> TermId {
        let width = terms.pointer_width();
        match number {
            Number::Const(n) => terms.constant(width, truncate(n, width)),
            Number::Linear(Linear { symbol, scale, plus }) => {
                let term = self.extended(terms, symbol);
                let scale = terms.constant(width, scale);
                let plus = terms.constant(width, truncate(plus, width));
                let product = terms.mul(term, scale);
                terms.add(product, plus)
            }
        }
    }

    /// An index symbol at pointer width.
    pub fn extended(&self, terms: &mut Terms, symbol: usize) -> TermId {
        let width = terms.pointer_width();
        let term = terms.symbol(self.indices[symbol]);
        match INDICES[symbol].1 {
            Extension::Zero => terms.resize_zext(term, width),
            Extension::Sign => terms.resize_sext(term, width),
        }
    }
}

/// The values of the symbols.
#[derive(Clone)]
pub struct Inputs<'a> {
    pub symbols: &'a Symbols,
    pub assignment: Rc<Assignment>,
    width: u32,
}

impl<'a> Inputs<'a> {
    pub fn new(script: &Script, symbols: &'a Symbols, assignment: Rc<Assignment>) -> Inputs<'a> {
        Inputs {
            symbols,
            assignment,
            width: script.pointer_width,
        }
    }

    pub fn with(&self, assignment: Rc<Assignment>) -> Inputs<'a> {
        Inputs {
            assignment,
            ..self.clone()
        }
    }

    pub fn pointer_width(&self) -> u32 {
        self.width
    }

    /// An index symbol at pointer width.
    pub fn symbol(&self, symbol: usize) -> u64 {
        let (bits, extension) = INDICES[symbol];
        let value = self
            .assignment
            .values
            .get(&self.symbols.indices[symbol])
            .map_or(0, Bits::low_u64);
        match extension {
            Extension::Zero => value,
            Extension::Sign => truncate(sign_extend(value, bits) as u64, self.width),
        }
    }

    pub fn number(&self, number: Number) -> u64 {
        match number {
            Number::Const(n) => truncate(n, self.width),
            Number::Linear(Linear { symbol, scale, plus }) => {
                truncate(self.symbol(symbol).wrapping_mul(scale).wrapping_add(plus), self.width)
            }
        }
    }

    pub fn data(&self, symbol: usize, bytes: u32) -> Vec<u8> {
        match self.assignment.values.get(&self.symbols.data(symbol, bytes)) {
            Some(bits) => bits.to_bytes_le()[..bytes as usize].to_vec(),
            None => vec![0; bytes as usize],
        }
    }

    pub fn element(&self, array: usize, index: u64) -> u8 {
        let array = self.assignment.arrays.get(&self.symbols.array(array));
        array.map_or(0, |array| array.element(index, 8).low_u64() as u8)
    }
}

/// Evaluation under an assignment, in which undefined bytes are conspicuous: never the zero that a test may expect.
pub struct Judge<'a> {
    pub terms: &'a Terms,
    pub assignment: &'a Assignment,
    pub address: &'a dyn Fn(BaseId) -> u64,
}

impl Model for Judge<'_> {
    fn bits(&self, s: SymbolId, width: u32) -> Bits {
        match self.assignment.values.get(&s) {
            Some(bits) => bits.clone(),
            None if matches!(self.terms.symbol_info(s).kind, SymbolKind::Uninit(_)) => Bits::ones(width),
            None => Bits::zero(width),
        }
    }

    fn element(&self, s: SymbolId, index: u64, width: u32) -> Bits {
        match self.assignment.arrays.get(&s) {
            Some(array) => array.element(index, width),
            None if matches!(self.terms.symbol_info(s).kind, SymbolKind::Uninit(_)) => {
                Bits::new(width, mix(s.0 as u64, index) % 0xff + 1)
            }
            None => Bits::zero(width),
        }
    }

    fn address(&self, b: BaseId) -> u64 {
        (self.address)(b)
    }

    fn apply(&self, _: FunId, _: &[Bits], width: u32) -> Bits {
        Bits::zero(width)
    }
}
