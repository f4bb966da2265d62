//! Z3's simplifier for choices among many values: the expression is built as given, without any simplification of ours,
//! and Z3's result comes back as a term.

use std::ffi::c_int;

use mneme_term::{TermId, Terms};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::context::Context;
use super::ffi::{self, Ast};
use super::model;
use super::translate::{Leaf, Translation};

/// A part of a condition. Its two sides are not compared before Z3 does so.
#[derive(Copy, Clone, Debug)]
pub enum Atom {
    Equal(TermId, TermId),
    Holds(TermId),
}

/// A value that applies where all conditions hold.
#[derive(Clone, Debug)]
pub struct Choice {
    pub when: SmallVec<[Atom; 2]>,
    pub value: TermId,
}

/// A Z3 of its own, separate from the one that answers queries. Nothing interrupts it.
pub struct Simplifier {
    translation: Translation,
}

impl Default for Simplifier {
    fn default() -> Self {
        Simplifier {
            translation: Translation::new(Context::new()),
        }
    }
}

impl std::fmt::Debug for Simplifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Simplifier")
    }
}

impl Simplifier {
    /// The value of the last choice that holds, otherwise `otherwise`, simplified. `None`: Z3's answer is not a term.
    pub fn choose(&mut self, terms: &mut Terms, otherwise: TermId, choices: &[Choice]) -> Option<TermId> {
        self.translation.renew();
        // What stays is translated first, so that everything made afterwards can be released.
        let mut parts = vec![self.translation.translate(terms, otherwise)];
        for choice in choices {
            for &atom in &choice.when {
                let (one, other) = match atom {
                    Atom::Equal(one, other) => (one, other),
                    Atom::Holds(condition) => (condition, condition),
                };
                parts.push(self.translation.translate(terms, one));
                parts.push(self.translation.translate(terms, other));
            }
            parts.push(self.translation.translate(terms, choice.value));
        }
        let kept = self.translation.context.held();
        let nested = self.nest(choices, &parts);
        // SAFETY: the context is alive and holds the expression; the result is held at once.
        let simplified = unsafe { ffi::Z3_simplify(self.translation.context.raw, nested) };
        let simplified = self.translation.context.hold(simplified);
        let term = match self.translation.context.take_failure() {
            None => self.lift(terms, simplified),
            Some(message) => {
                tracing::debug!(message, "Z3 did not simplify");
                None
            }
        };
        self.translation.context.release_from(kept);
        term
    }

    /// The nested if-then-else over all choices, of their translated parts.
    fn nest(&self, choices: &[Choice], parts: &[Ast]) -> Ast {
        let mut parts = parts.iter().copied();
        let mut next = || parts.next().expect("as many as were translated");
        let mut whole = next();
        for choice in choices {
            let atoms: SmallVec<[Ast; 2]> = choice
                .when
                .iter()
                .map(|atom| {
                    let (one, other) = (next(), next());
                    match atom {
                        Atom::Equal(..) => self.translation.fold(ffi::Z3_mk_eq, &[one, other]),
                        Atom::Holds(_) => one,
                    }
                })
                .collect();
            let condition = self.translation.nary(ffi::Z3_mk_and, &atoms);
            whole = self.translation.ite(condition, next(), whole);
        }
        whole
    }

    /// Terms will be collected: their ids will be reused.
    pub fn terms_are_collected(&self) {
        self.translation.terms_are_collected();
    }

    /// The term of an AST, if every operation in it exists as a term.
    fn lift(&self, terms: &mut Terms, root: Ast) -> Option<TermId> {
        let c = self.translation.context.raw;
        let mut lifted: FxHashMap<Ast, TermId> = FxHashMap::default();
        let mut stack = vec![(root, false)];
        while let Some((ast, ready)) = stack.pop() {
            if lifted.contains_key(&ast) {
                continue;
            }
            if let Some(leaf) = self.translation.leaf(ast) {
                let term = match leaf {
                    Leaf::Symbol(symbol) => terms.symbol(symbol),
                    Leaf::Base(base) => terms.base(base),
                };
                lifted.insert(ast, term);
                continue;
            }
            // SAFETY (here and below): `ast` is a part of the root, which the context holds; its kind is checked before
            // an accessor is used.
            match unsafe { ffi::Z3_get_ast_kind(c, ast) } {
                ffi::NUMERAL_AST => {
                    let number = unsafe {
                        let width = ffi::Z3_get_bv_sort_size(c, ffi::Z3_get_sort(c, ast));
                        model::numeral(c, ast, width)
                    }?;
                    lifted.insert(ast, terms.constant_bits(&number));
                }
                ffi::APP_AST => {
                    let count = unsafe { ffi::Z3_get_app_num_args(c, ast) };
                    let arguments = (0..count).map(|i| unsafe { ffi::Z3_get_app_arg(c, ast, i) });
                    if ready {
                        let arguments: SmallVec<[TermId; 3]> = arguments.map(|argument| lifted[&argument]).collect();
                        let term = self.node(terms, ast, &arguments)?;
                        lifted.insert(ast, term);
                    } else {
                        stack.push((ast, true));
                        stack.extend(arguments.map(|argument| (argument, false)));
                    }
                }
                _ => return None,
            }
        }
        lifted.get(&root).copied()
    }

    /// An operation on arguments that are already terms.
    fn node(&self, terms: &mut Terms, ast: Ast, arguments: &[TermId]) -> Option<TermId> {
        let c = self.translation.context.raw;
        // SAFETY: `ast` is an application; only parameters of its own operation are read.
        let (declaration, operation) = unsafe {
            let declaration = ffi::Z3_get_app_decl(c, ast);
            (declaration, ffi::Z3_get_decl_kind(c, declaration))
        };
        let parameter = |i| unsafe { ffi::Z3_get_decl_int_parameter(c, declaration, i) } as u32;
        let (&first, rest) = match arguments.split_first() {
            Some(parts) => parts,
            None => {
                return match operation {
                    ffi::OP_TRUE => Some(terms.tru()),
                    ffi::OP_FALSE => Some(terms.fls()),
                    _ => None,
                };
            }
        };
        if let Some(binary) = binary(operation) {
            return Some(rest.iter().fold(first, |left, &right| binary(terms, left, right)));
        }
        match (operation, rest) {
            (ffi::OP_NOT | ffi::OP_BNOT, []) => Some(terms.not(first)),
            (ffi::OP_BNEG, []) => Some(terms.neg(first)),
            (ffi::OP_EXTRACT, []) => {
                let (high, low) = (parameter(0), parameter(1));
                Some(terms.extract(first, low, high - low + 1))
            }
            (ffi::OP_ZERO_EXT, []) => Some(terms.zext(first, terms.width(first) + parameter(0))),
            (ffi::OP_SIGN_EXT, []) => Some(terms.sext(first, terms.width(first) + parameter(0))),
            (ffi::OP_ITE, &[then, otherwise]) => Some(terms.ite(first, then, otherwise)),
            (ffi::OP_STORE, &[index, value]) => Some(terms.store(first, index, value)),
            (ffi::OP_EQ | ffi::OP_IFF, &[other]) => Some(terms.eq(first, other)),
            (ffi::OP_IMPLIES, &[other]) => Some(terms.implies(first, other)),
            (ffi::OP_SELECT, &[index]) => Some(terms.select(first, index)),
            (ffi::OP_ULEQ, &[other]) => Some(terms.ule(first, other)),
            (ffi::OP_ULT, &[other]) => Some(terms.ult(first, other)),
            (ffi::OP_UGEQ, &[other]) => Some(terms.uge(first, other)),
            (ffi::OP_UGT, &[other]) => Some(terms.ugt(first, other)),
            (ffi::OP_SLEQ, &[other]) => Some(terms.sle(first, other)),
            (ffi::OP_SLT, &[other]) => Some(terms.slt(first, other)),
            (ffi::OP_SGEQ, &[other]) => Some(terms.sge(first, other)),
            (ffi::OP_SGT, &[other]) => Some(terms.sgt(first, other)),
            _ => None,
        }
    }
}

type Binary = fn(&mut Terms, TermId, TermId) -> TermId;

/// Operations that take their arguments from left to right, two at a time.
fn binary(operation: c_int) -> Option<Binary> {
    Some(match operation {
        ffi::OP_AND | ffi::OP_BAND => Terms::and,
        ffi::OP_OR | ffi::OP_BOR => Terms::or,
        ffi::OP_XOR | ffi::OP_BXOR => Terms::xor,
        ffi::OP_BADD => Terms::add,
        ffi::OP_BSUB => Terms::sub,
        ffi::OP_BMUL => Terms::mul,
        ffi::OP_BUDIV | ffi::OP_BUDIV_I => Terms::udiv,
        ffi::OP_BUREM | ffi::OP_BUREM_I => Terms::urem,
        ffi::OP_BSDIV | ffi::OP_BSDIV_I => Terms::sdiv,
        ffi::OP_BSREM | ffi::OP_BSREM_I => Terms::srem,
        ffi::OP_CONCAT => Terms::concat,
        ffi::OP_BSHL => Terms::shl,
        ffi::OP_BLSHR => Terms::lshr,
        ffi::OP_BASHR => Terms::ashr,
        _ => return None,
    })
}
