//! The generator of random expressions and environments.

use super::Random;
use super::env::{BASES, Env, test_base};
use super::expr::{Expr, Kind, Operator};
use crate::{ArrayValue, Bits, Sort, SymbolKind, address_range};
use std::collections::BTreeMap;

/// Generates expressions and environments.
pub struct Gen {
    pub random: Random,
    pointer_width: u32,
    /// Expressions made before, to be repeated.
    pool: Vec<Expr>,
    /// Bound variables in scope.
    scope: Vec<Expr>,
    bound: u32,
    /// Whether expressions may mention bases.
    pub pointers: bool,
    /// Whether expressions may be quantified.
    pub quantifiers: bool,
}

/// Symbols of each width; few, so that they meet.
const SYMBOLS: u64 = 3;
const ARRAY: Sort = Sort::Array { index: 8, element: 8 };

impl Gen {
    pub fn new(seed: u64) -> Gen {
        Gen::with_pointer_width(seed, 64)
    }

    pub fn with_pointer_width(seed: u64, pointer_width: u32) -> Gen {
        Gen {
            random: Random::new(seed),
            pointer_width,
            pool: Vec::new(),
            scope: Vec::new(),
            bound: 0,
            pointers: true,
            quantifiers: true,
        }
    }

    pub fn expr(&mut self, width: u32, depth: u32) -> Expr {
        let expr = self.fresh(width, depth);
        if self.scope.is_empty() {
            if self.pool.len() >= 40 {
                let at = self.random.below(40) as usize;
                self.pool[at] = expr.clone();
            } else {
                self.pool.push(expr.clone());
            }
        }
        expr
    }

    fn fresh(&mut self, width: u32, depth: u32) -> Expr {
        if depth == 0 || self.random.below(12) == 0 {
            return self.leaf(width);
        }
        if self.random.below(5) == 0 {
            let same: Vec<Expr> = self
                .pool
                .iter()
                .filter(|e| e.sort == Sort::Bits(width))
                .cloned()
                .collect();
            if !same.is_empty() {
                return self.random.pick(&same).clone();
            }
        }
        if self.random.below(6) == 0
            && let Some(expr) = self.pattern(width, depth)
        {
            return expr;
        }
        match self.random.below(if width == 1 { 16 } else { 13 }) {
            0..=4 => self.binary(width, depth),
            5 => {
                let operator = *self.random.pick(&[Operator::Not, Operator::Neg]);
                let x = self.expr(width, depth - 1);
                Expr::op(operator, Sort::Bits(width), vec![x])
            }
            6 | 7 => {
                let c = self.expr(1, depth - 1);
                let (a, b) = (self.expr(width, depth - 1), self.expr(width, depth - 1));
                Expr::op(Operator::Ite, Sort::Bits(width), vec![c, a, b])
            }
            8 if width > 1 => {
                let high = 1 + self.random.below(width as u64 - 1) as u32;
                let high = if width > 8 && self.random.below(2) == 0 {
                    high.next_multiple_of(8).min(width - 1)
                } else {
                    high
                };
                let (a, b) = (self.expr(high, depth - 1), self.expr(width - high, depth - 1));
                Expr::op(Operator::Concat, Sort::Bits(width), vec![a, b])
            }
            9 => {
                let from = *self.random.pick(&[8, 32, 64, 65, 128]);
                if from <= width {
                    return self.binary(width, depth);
                }
                let x = self.expr(from, depth - 1);
                let most = (from - width) as u64;
                let low = match self.random.below(3) {
                    0 => 0,
                    1 => (self.random.below(most + 1) / 8 * 8) as u32,
                    _ => self.random.below(most + 1) as u32,
                };
                Expr::op(Operator::Extract(low), Sort::Bits(width), vec![x])
            }
            10 if width > 1 => {
                let narrow: Vec<u32> = [1, 8, 32, 64].into_iter().filter(|&w| w < width).collect();
                let from = *self.random.pick(&narrow);
                let operator = *self.random.pick(&[Operator::ZExt, Operator::SExt]);
                let x = self.expr(from, depth - 1);
                Expr::op(operator, Sort::Bits(width), vec![x])
            }
            11 => self.lookup(width, depth),
            12 if width == 8 && self.random.below(2) == 0 => {
                let (a, b) = (self.expr(8, depth - 1), self.expr(8, depth - 1));
                Expr::op(Operator::Apply, Sort::Bits(8), vec![a, b])
            }
            12 if width == 8 => {
                let (a, i) = (self.array(depth - 1), self.expr(8, depth - 1));
                Expr::op(Operator::Select, Sort::Bits(8), vec![a, i])
            }
            13.. if self.quantifiers && self.random.below(8) == 0 => self.forall(depth),
            13.. => self.comparison(depth),
            _ => self.binary(width, depth),
        }
    }

    fn leaf(&mut self, width: u32) -> Expr {
        let in_scope: Vec<Expr> = self
            .scope
            .iter()
            .filter(|e| e.sort == Sort::Bits(width))
            .cloned()
            .collect();
        if !in_scope.is_empty() && self.random.below(2) == 0 {
            return self.random.pick(&in_scope).clone();
        }
        match self.random.below(10) {
            0..=3 => Expr::constant(self.random.bits(width)),
            4..=6 if width == self.pointer_width && self.pointers => {
                Expr::new(Kind::Base(self.random.below(BASES as u64) as u32), Sort::Bits(width))
            }
            _ => {
                let name = format!("x{width}_{}", self.random.below(SYMBOLS));
                Expr::new(Kind::Symbol(name, SymbolKind::Input), Sort::Bits(width))
            }
        }
    }

    fn binary(&mut self, width: u32, depth: u32) -> Expr {
        use Operator::*;
        let all = [
            Add, Add, Add, Sub, Sub, Mul, UDiv, URem, SDiv, SRem, And, And, Or, Or, Xor, Shl, LShr, AShr,
        ];
        let operator = *self.random.pick(&all);
        let a = self.expr(width, depth - 1);
        let b = match self.random.below(4) {
            0 => Expr::constant(self.random.bits(width)),
            1 if matches!(operator, Shl | LShr | AShr) => {
                Expr::constant(Bits::new(width, self.random.below(width as u64 + 2)))
            }
            _ => self.expr(width, depth - 1),
        };
        let children = if self.random.below(4) == 0 {
            vec![b, a]
        } else {
            vec![a, b]
        };
        Expr::op(operator, Sort::Bits(width), children)
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        use Operator::*;
        let all = [Eq, Eq, Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge, Implies];
        let operator = *self.random.pick(&all);
        let width = if operator == Implies {
            1
        } else {
            *self.random.pick(&[1, 8, 8, 32, 64, 64, 65, 128])
        };
        let a = self.expr(width, depth - 1);
        let b = match self.random.below(3) {
            0 => Expr::constant(self.random.bits(width)),
            1 if width > 1 => {
                // Something that shares a part with the other side.
                let c = Expr::constant(self.random.bits(width));
                Expr::op(
                    *self.random.pick(&[Add, Xor, And, Mul]),
                    Sort::Bits(width),
                    vec![a.clone(), c],
                )
            }
            _ => self.expr(width, depth - 1),
        };
        let children = if self.random.below(3) == 0 {
            vec![b, a]
        } else {
            vec![a, b]
        };
        Expr::op(operator, Sort::Bits(1), children)
    }

    /// Shapes that random choice would hardly ever produce.
    fn pattern(&mut self, width: u32, depth: u32) -> Option<Expr> {
        match (width, self.random.below(4)) {
            (1, 0) if self.pointers => Some(self.pointer_comparison(depth)),
            (1, _) => Some(self.literals(depth)),
            (_, 0 | 1) if width == self.pointer_width && self.pointers => Some(self.pointer(depth)),
            (2.., _) => Some(self.rejoined(width, depth)),
            _ => None,
        }
    }

    /// Base + offset with an offset of small range, sometimes negative; or a choice between pointers.
    pub fn pointer(&mut self, depth: u32) -> Expr {
        let sort = Sort::Bits(self.pointer_width);
        if depth > 1 && self.random.below(2) == 0 {
            return self.pointer_choice(depth);
        }
        let base = Expr::new(Kind::Base(self.random.below(BASES as u64) as u32), sort);
        let offset = match self.random.below(4) {
            0 => return base,
            1 => Expr::constant(self.random.bits(self.pointer_width)),
            _ => {
                let narrow = *self.random.pick(&[8, 12, 13, 16, 31]);
                let x = self.expr(narrow, depth.saturating_sub(1));
                Expr::op(*self.random.pick(&[Operator::ZExt, Operator::SExt]), sort, vec![x])
            }
        };
        Expr::op(Operator::Add, sort, vec![base, offset])
    }

    fn pointer_choice(&mut self, depth: u32) -> Expr {
        let sort = Sort::Bits(self.pointer_width);
        let (a, mut b) = (self.pointer(depth - 1), self.pointer(depth - 1));
        match self.random.below(4) {
            0 => {
                let (index, c) = (self.expr(8, 1), self.pointer(1));
                let some = [a, b, c, Expr::constant(Bits::zero(self.pointer_width))];
                let mut children = vec![index, self.random.pick(&some).clone()];
                let keys: Vec<u64> = (0..2 + self.random.below(6)).collect();
                children.extend(keys.iter().map(|_| self.random.pick(&some).clone()));
                Expr::new(Kind::Lookup(keys, children), sort)
            }
            1 => {
                let by = self.leaf(self.pointer_width);
                Expr::op(*self.random.pick(&[Operator::Add, Operator::Sub]), sort, vec![a, by])
            }
            choice => {
                if choice == 2 {
                    b = self.leaf(self.pointer_width);
                }
                let c = self.expr(1, 1);
                Expr::op(Operator::Ite, sort, vec![c, a, b])
            }
        }
    }

    fn pointer_comparison(&mut self, depth: u32) -> Expr {
        use Operator::*;
        let operator = *self.random.pick(&[Eq, Ult, Ule, Slt]);
        let (a, b) = (self.pointer(depth), self.pointer(depth));
        Expr::op(operator, Sort::Bits(1), vec![a, b])
    }

    /// A conjunction or disjunction of comparisons of one term with close constants.
    fn literals(&mut self, depth: u32) -> Expr {
        use Operator::*;
        let width = *self.random.pick(&[3, 8, 64, 65]);
        let x = self.expr(width, depth - 1);
        let near = self.random.bits(width);
        let connective = *self.random.pick(&[And, Or]);
        let literal = |random: &mut Random| {
            let c = Expr::constant(near.add(&Bits::new(width, random.below(4))));
            let operator = *random.pick(&[Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge]);
            Expr::op(operator, Sort::Bits(1), vec![x.clone(), c])
        };
        let mut expr = literal(&mut self.random);
        for _ in 0..1 + self.random.below(3) {
            let next = literal(&mut self.random);
            expr = Expr::op(connective, Sort::Bits(1), vec![expr, next]);
        }
        expr
    }

    /// A concatenation of extracts of one term, most of which continue each other.
    fn rejoined(&mut self, width: u32, depth: u32) -> Expr {
        let source = if self.random.below(2) == 0 { width } else { width + 8 };
        let x = self.expr(source, depth - 1);
        let y = Expr::op(Operator::Not, Sort::Bits(source), vec![x.clone()]);
        let mut above = width;
        let mut parts: Vec<Expr> = Vec::new();
        while above > 0 {
            let size = 1 + self.random.below(above as u64) as u32;
            above -= size;
            let slip = if self.random.below(6) == 0 {
                self.random.below((source - above - size) as u64 + 1) as u32
            } else {
                0
            };
            let from = if self.random.below(6) == 0 { &y } else { &x };
            parts.push(Expr::op(
                Operator::Extract(above + slip),
                Sort::Bits(size),
                vec![from.clone()],
            ));
        }
        // Nested either way.
        while parts.len() > 1 {
            let at = self.random.below(parts.len() as u64 - 1) as usize;
            let low = parts.remove(at + 1);
            let sort = Sort::Bits(parts[at].width() + low.width());
            parts[at] = Expr::op(Operator::Concat, sort, vec![parts[at].clone(), low]);
        }
        parts.remove(0)
    }

    fn lookup(&mut self, width: u32, depth: u32) -> Expr {
        let index_width = *self.random.pick(&[1, 3, 8, 8, 32, 64]);
        let index = self.expr(index_width, depth - 1);
        let step = *self.random.pick(&[1, 1, 8]);
        let count = self.random.below(10);
        let mut keys: Vec<u64> = (0..count).map(|_| self.random.below(12) * step).collect();
        keys.sort_unstable();
        keys.dedup();
        let some: Vec<Expr> = (0..3).map(|_| self.expr(width, (depth - 1).min(1))).collect();
        let mut children = vec![index, self.random.pick(&some).clone()];
        let constants = self.random.below(2) == 0;
        for _ in &keys {
            let value = if constants {
                Expr::constant(self.random.bits(width))
            } else {
                self.random.pick(&some).clone()
            };
            children.push(value);
        }
        Expr::new(Kind::Lookup(keys, children), Sort::Bits(width))
    }

    fn forall(&mut self, depth: u32) -> Expr {
        self.bound += 1;
        let name = format!("i{}", self.bound);
        let limit = self.expr(3, (depth - 1).min(2));
        let limit = Expr::op(Operator::ZExt, Sort::Bits(8), vec![limit]);
        self.scope
            .push(Expr::new(Kind::Symbol(name.clone(), SymbolKind::Bound), Sort::Bits(8)));
        let body = self.comparison(depth.max(2) - 1);
        self.scope.pop();
        Expr::new(Kind::Forall(name, limit, body), Sort::Bits(1))
    }

    /// An array of bytes with byte indices.
    pub fn array(&mut self, depth: u32) -> Expr {
        match self.random.below(if depth == 0 { 2 } else { 6 }) {
            0 => Expr::new(
                Kind::Symbol(format!("a{}", self.random.below(2)), SymbolKind::Input),
                ARRAY,
            ),
            1 => {
                let value = self.expr(8, depth.saturating_sub(1));
                Expr::op(Operator::ConstArray, ARRAY, vec![value])
            }
            2 => {
                let c = self.expr(1, depth - 1);
                let (a, b) = (self.array(depth - 1), self.array(depth - 1));
                Expr::op(Operator::Ite, ARRAY, vec![c, a, b])
            }
            _ => {
                let (a, i, v) = (self.array(depth - 1), self.expr(8, depth - 1), self.expr(8, depth - 1));
                Expr::op(Operator::Store, ARRAY, vec![a, i, v])
            }
        }
    }

    /// Values for everything that the expression mentions, and a layout of the bases.
    pub fn env(&mut self, expr: &Expr) -> Env {
        let mut symbols = BTreeMap::new();
        expr.symbols(&mut symbols);
        let mut env = Env {
            addresses: self.layout(),
            ..Env::default()
        };
        for (name, sort) in symbols {
            match sort {
                Sort::Bits(width) => {
                    let value = self.value(width, &env.addresses);
                    env.values.insert(name, value);
                }
                Sort::Array { element, .. } => {
                    let entries = (0..6)
                        .map(|_| (self.random.below(256), self.random.bits(element)))
                        .collect();
                    env.arrays.insert(
                        name,
                        ArrayValue {
                            entries,
                            default: Some(self.random.bits(element)),
                        },
                    );
                }
            }
        }
        env
    }

    fn value(&mut self, width: u32, addresses: &[u64]) -> Bits {
        if width == self.pointer_width && self.random.below(3) == 0 {
            // A number near an address.
            let address = *self.random.pick(addresses);
            return Bits::new(width, address.wrapping_add(self.random.below(5)).wrapping_sub(2));
        }
        self.random.bits(width)
    }

    /// Different, aligned addresses anywhere within the limits; often close to each other or to an end.
    fn layout(&mut self) -> Vec<u64> {
        let (low, high) = address_range(self.pointer_width).expect("a supported pointer width");
        let mut addresses: Vec<u64> = Vec::new();
        while addresses.len() < BASES as usize {
            let align = test_base(addresses.len() as u32).align;
            let near = match self.random.below(4) {
                0 => low,
                1 => high - 4 * align,
                2 if !addresses.is_empty() => *self.random.pick(&addresses),
                _ => low + self.random.below(high - low),
            };
            let address = near.saturating_add(self.random.below(40)).next_multiple_of(align);
            if (low..=high).contains(&address) && !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        addresses
    }
}
