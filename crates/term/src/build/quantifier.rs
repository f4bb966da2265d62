//! Uninterpreted functions and bounded quantification.

use crate::{FunId, Op, SymbolId, TermId, Terms};

impl Terms {
    pub fn apply(&mut self, f: FunId, args: &[TermId]) -> TermId {
        let function = self.function_info(f);
        let fits =
            function.args.len() == args.len() && function.args.iter().zip(args).all(|(&w, &t)| self.width(t) == w);
        assert!(fits, "arguments of {} have other widths", function.name);
        let result = function.result;
        self.mk(Op::Apply(f), result, args)
    }

    /// For all values of `bound` below `limit` (unsigned, of the symbol's width): `body`.
    pub fn forall(&mut self, bound: SymbolId, limit: TermId, body: TermId) -> TermId {
        let variable = self.symbol(bound);
        assert!(
            self.width(body) == 1 && self.same_width(variable, limit) > 0,
            "ill-sorted forall"
        );
        if body == self.tru || !self.symbols(body).contains(&bound) {
            let zero = self.constant(self.width(limit), 0);
            let empty = self.eq(limit, zero);
            return self.or(empty, body);
        }
        match self.as_const(limit) {
            Some(0) => self.tru,
            Some(1) => {
                let zero = self.constant(self.width(limit), 0);
                self.substitute(body, &mut |_, t| (t == variable).then_some(zero))
            }
            _ => self.mk(Op::Forall(bound), 1, &[limit, body]),
        }
    }
}
