//! Clauses as comparisons of sums.

use mneme_term::{Op, Sort, SymbolId, TermId, Terms};
use smallvec::SmallVec;

const MOST_PARTS: usize = 8;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    Less { signed: bool },
    AtMost { signed: bool },
    Equal,
    Different,
}

/// Terms that are added up as integers; the empty sum is 0.
pub type Parts = SmallVec<[TermId; 4]>;

/// `parts + offset`, modulo the width of the comparison that it is a side of.
#[derive(Clone, Debug)]
pub struct Side {
    pub parts: Parts,
    pub offset: i128,
}

#[derive(Clone, Debug)]
pub struct Comparison {
    pub relation: Relation,
    pub width: u32,
    pub left: Side,
    pub right: Side,
}

/// What a clause implies. Its alternatives are kept apart.
#[derive(Clone, Default, Debug)]
pub struct Reading {
    pub comparisons: Vec<Comparison>,
    pub gaps: Vec<Gap>,
}

/// `for all i < k: rest + i != other`, modulo a width: a sum that has not passed another at first has not in the end.
#[derive(Clone, Debug)]
pub struct Gap {
    /// With i as a part of its left side.
    pub differ: Comparison,
    pub rest: Parts,
    /// The rest with the parts of k, and the constant in k.
    pub until: Parts,
    pub offset: i128,
}

/// What a clause implies, and its disjunctions as lists of alternatives.
pub fn read(
    terms: &Terms,
    clause: TermId,
    positive: bool,
    out: &mut Reading,
    disjunctions: &mut Vec<Vec<(TermId, bool)>>,
) {
    let mut stack = vec![(clause, positive)];
    while let Some((t, positive)) = stack.pop() {
        match (terms.op(t), positive) {
            (Op::Not, _) if terms.width(t) == 1 => stack.push((terms.children(t)[0], !positive)),
            (Op::And, true) | (Op::Or, false) => {
                stack.extend(terms.children(t).iter().map(|&child| (child, positive)));
            }
            (Op::And, false) | (Op::Or, true) => {
                disjunctions.push(terms.children(t).iter().map(|&child| (child, positive)).collect());
            }
            (Op::Forall(bound), true) => {
                let (limit, body) = (terms.children(t)[0], terms.children(t)[1]);
                let mut inner = Reading::default();
                read(terms, body, true, &mut inner, &mut Vec::new());
                let differ = inner.comparisons.into_iter();
                out.gaps
                    .extend(differ.filter_map(|differ| gap(terms, bound, limit, &differ)));
            }
            _ => out.comparisons.extend(comparison(terms, t, positive)),
        }
    }
}

fn gap(terms: &Terms, bound: SymbolId, limit: TermId, differ: &Comparison) -> Option<Gap> {
    let depends = |part: &TermId| terms.symbols(*part).contains(&bound);
    let Comparison { left, right, .. } = differ;
    let (left, right) = if right.parts.iter().any(depends) {
        (right, left)
    } else {
        (left, right)
    };
    let of_bound = left.parts.iter().filter(|part| depends(part));
    let rest: Parts = left.parts.iter().copied().filter(|part| !depends(part)).collect();
    let [only] = of_bound.collect::<SmallVec<[&TermId; 2]>>()[..] else {
        return None;
    };
    if differ.relation != Relation::Different || terms.op(*only) != Op::Symbol(bound) || right.parts.iter().any(depends)
    {
        return None;
    }
    let whole = side(terms, limit);
    // A number below which there is something, or the term itself.
    let (times, offset) = match whole.offset {
        0 if whole.parts.len() <= 1 => (whole.parts, 0),
        constant if whole.parts.is_empty() => (whole.parts, constant),
        _ => ([limit].into_iter().collect(), 0),
    };
    let mut until: Parts = rest.iter().chain(&times).copied().collect();
    sort(terms, &mut until);
    let differ = Comparison {
        left: left.clone(),
        right: right.clone(),
        ..*differ
    };
    Some(Gap {
        differ,
        rest,
        until,
        offset,
    })
}

fn sort(terms: &Terms, parts: &mut Parts) {
    parts.sort_unstable_by_key(|&part| terms.structural_hash(part));
}

fn comparison(terms: &Terms, t: TermId, positive: bool) -> Option<Comparison> {
    let &[left, right] = terms.children(t) else { return None };
    if !matches!(terms.sort(left), Sort::Bits(2..=64)) || terms.has_base(t) {
        return None;
    }
    let (relation, swapped) = match (terms.op(t), positive) {
        (Op::Eq, true) => (Relation::Equal, false),
        (Op::Eq, false) => (Relation::Different, false),
        (Op::Ult | Op::Slt, true) => (
            Relation::Less {
                signed: terms.op(t) == Op::Slt,
            },
            false,
        ),
        (Op::Ule | Op::Sle, true) => (
            Relation::AtMost {
                signed: terms.op(t) == Op::Sle,
            },
            false,
        ),
        (Op::Ult | Op::Slt, false) => (
            Relation::AtMost {
                signed: terms.op(t) == Op::Slt,
            },
            true,
        ),
        (Op::Ule | Op::Sle, false) => (
            Relation::Less {
                signed: terms.op(t) == Op::Sle,
            },
            true,
        ),
        _ => return None,
    };
    let (left, right) = if swapped { (right, left) } else { (left, right) };
    Some(Comparison {
        relation,
        width: terms.width(left),
        left: side(terms, left),
        right: side(terms, right),
    })
}

fn side(terms: &Terms, t: TermId) -> Side {
    let mut side = Side {
        parts: Parts::new(),
        offset: 0,
    };
    let summands = match terms.op(t) {
        Op::Add => terms.children(t),
        _ => &[t],
    };
    summands.iter().for_each(|&part| side.add(terms, part));
    if side.parts.len() > MOST_PARTS {
        side = Side {
            parts: [t].into_iter().collect(),
            offset: 0,
        };
    }
    sort(terms, &mut side.parts);
    side
}

impl Side {
    /// Adds a term as an integer. An extended sum that does not wrap around is the sum of its parts.
    fn add(&mut self, terms: &Terms, mut t: TermId) {
        while terms.op(t) == Op::ZExt {
            t = terms.children(t)[0];
        }
        match (terms.op(t), terms.as_const(t)) {
            (_, Some(constant)) => self.offset += i128::from(constant),
            (Op::Add, None) if is_exact(terms, t) => {
                for &part in terms.children(t) {
                    self.add(terms, part);
                }
            }
            _ => self.parts.push(t),
        }
    }
}

/// Does a sum of its width never wrap around?
fn is_exact(terms: &Terms, sum: TermId) -> bool {
    let greatest = terms.children(sum).iter().map(|&part| i128::from(terms.range(part).1));
    terms.width(sum) <= 64 && greatest.sum::<i128>() < 1 << terms.width(sum)
}
