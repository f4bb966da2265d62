//! What the bases of a query stand for, and evaluation with these addresses.

use mneme_term::{Assignment, BaseId, Bits, Evaluator, TermId, Terms};
use smallvec::SmallVec;

use crate::BaseTable;

/// The lowering of the bases that occur in some clauses.
#[derive(Debug, Default)]
pub(crate) struct Ground {
    /// Sorted by base.
    addresses: SmallVec<[(BaseId, TermId); 4]>,
    /// Constraints between the addresses.
    side: Vec<TermId>,
}

impl Ground {
    pub fn of(terms: &mut Terms, clauses: impl Iterator<Item = TermId>, table: &dyn BaseTable) -> Ground {
        let mut bases: SmallVec<[BaseId; 4]> = SmallVec::new();
        for clause in clauses {
            if terms.has_base(clause) {
                bases.extend_from_slice(terms.bases(clause));
            }
        }
        if bases.is_empty() {
            return Ground::default();
        }
        bases.sort_unstable();
        bases.dedup();
        let side = table.layout(terms, &bases);
        let addresses = bases.iter().map(|&b| (b, table.address(terms, b))).collect();
        Ground { addresses, side }
    }

    pub fn side(&self) -> &[TermId] {
        &self.side
    }

    pub fn address(&self, b: BaseId) -> TermId {
        let at = self
            .addresses
            .binary_search_by_key(&b, |&(base, _)| base)
            .expect("a base of the query");
        self.addresses[at].1
    }

    /// The address of every base, if all are constants with nothing left to choose. Only then may an answer be kept for
    /// another query: two states can place the same base differently.
    pub fn flat(&self, terms: &Terms) -> Option<Addresses> {
        if !self.side.is_empty() {
            return None;
        }
        self.addresses
            .iter()
            .map(|&(b, t)| Some((b, terms.as_const(t)?)))
            .collect::<Option<_>>()
            .map(Addresses)
    }

    pub fn is_flat(&self, terms: &Terms) -> bool {
        self.side.is_empty() && self.addresses.iter().all(|&(_, t)| terms.as_const(t).is_some())
    }

    /// The addresses under an assignment.
    pub fn under(&self, terms: &Terms, assignment: &Assignment) -> Addresses {
        let none = |b: BaseId| -> u64 { panic!("the address of a base mentions the base {b:?}") };
        let number = |t: TermId| match terms.as_const(t) {
            Some(number) => number,
            None => terms.eval_u64(t, &assignment.with_addresses(&none)),
        };
        Addresses(self.addresses.iter().map(|&(b, t)| (b, number(t))).collect())
    }
}

/// Numbers for bases, sorted by base.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Addresses(SmallVec<[(BaseId, u64); 4]>);

impl Addresses {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sorted.
    pub fn bases(&self) -> impl Iterator<Item = BaseId> {
        self.0.iter().map(|&(b, _)| b)
    }

    pub fn get(&self, b: BaseId) -> Option<u64> {
        self.0
            .binary_search_by_key(&b, |&(base, _)| base)
            .ok()
            .map(|at| self.0[at].1)
    }

    /// Whether these addresses are among `other`'s.
    pub fn agree_with(&self, other: &Addresses) -> bool {
        self.0.iter().all(|&(b, number)| other.get(b) == Some(number))
    }

    /// Whether all clauses are true under the assignment.
    pub fn satisfied(&self, terms: &Terms, mut clauses: impl Iterator<Item = TermId>, assignment: &Assignment) -> bool {
        let address = |b: BaseId| self.get(b).unwrap_or(0);
        let model = assignment.with_addresses(&address);
        let mut evaluator = Evaluator::new(terms, &model);
        clauses.all(|clause| evaluator.eval_bool(clause))
    }

    pub fn eval(&self, terms: &Terms, t: TermId, assignment: &Assignment) -> Bits {
        let address = |b: BaseId| self.get(b).unwrap_or(0);
        terms.eval(t, &assignment.with_addresses(&address))
    }
}

/// Whether the assignment satisfies all clauses, with bases where the table puts them.
pub(crate) fn satisfies(
    terms: &mut Terms,
    clauses: impl Iterator<Item = TermId> + Clone,
    table: &dyn BaseTable,
    assignment: &Assignment,
) -> bool {
    let ground = Ground::of(terms, clauses.clone(), table);
    ground.under(terms, assignment).satisfied(terms, clauses, assignment)
}
