//! Separation logic: a process that decides spatial formulas, such as cvc5.
//!
//! cvc5 has no incremental mode for separation logic, so that every question is a process of its own. A question is
//! about one address E and heaplets at constant addresses; what the heaplets hold does not matter for where they are,
//! so every value is left open (`−`). Only the verdict is used: there are no assignments of heaps.

use super::process::{Session, Silence};
use crate::ground::Ground;
use crate::stage::lower;
use crate::{Budget, Interrupt, Query, Unknown};
use mneme_term::{Sort, Symbol, SymbolKind, TermId, Terms};
use std::fmt::Write;
use std::time::Instant;

/// What is asked about an address E, under the assumptions and the goal of a query.
#[derive(Copy, Clone, Debug)]
pub enum Spatial<'a> {
    /// `Σ * E ↦ −`: E is none of the addresses of Σ.
    Apart(&'a [u64]),
    /// `F ↦ − ∧ E ↦ −`, both of the same heap: E is F.
    Same(u64),
}

/// A solver for separation logic.
#[derive(Clone, Debug)]
pub struct Separation {
    command: Vec<String>,
}

impl Default for Separation {
    fn default() -> Self {
        let words = ["cvc5", "--lang=smt2", "--quiet"];
        Separation {
            command: words.map(str::to_string).to_vec(),
        }
    }
}

impl Separation {
    /// The program that is started.
    pub fn program(&self) -> &str {
        &self.command[0]
    }

    /// Whether the formula is satisfiable.
    pub fn may(
        &self,
        terms: &mut Terms,
        query: &Query,
        e: TermId,
        spatial: Spatial,
        budget: Budget,
    ) -> Result<bool, Unknown> {
        let script = script(terms, query, e, spatial);
        let session = Session::start(&self.command).map_err(|error| {
            tracing::error!(%error, program = self.program(), "the solver of separation logic cannot be started");
            Unknown::Failed
        })?;
        session.send(script);
        let deadline = budget.time.map(|time| Instant::now() + time);
        let verdict = session.receive(deadline, &Interrupt::new());
        let verdict = verdict.map_err(|silence| match silence {
            Silence::Deadline => Unknown::Timeout,
            Silence::Interrupted => Unknown::Interrupted,
            Silence::Ended => Unknown::Failed,
        })?;
        match verdict.atom() {
            Some("sat") => Ok(true),
            Some("unsat") => Ok(false),
            Some("unknown") => Err(Unknown::GaveUp),
            _ => {
                tracing::error!("the verdict of the solver of separation logic is not understood");
                Err(Unknown::Failed)
            }
        }
    }
}

/// The whole question in SMT-LIB 2.
fn script(terms: &mut Terms, query: &Query, e: TermId, spatial: Spatial) -> String {
    let width = terms.pointer_width();
    let name = terms.symbol_id(Symbol {
        name: "heaplet!E".into(),
        kind: SymbolKind::Fresh,
        sort: Sort::Bits(width),
    });
    let symbol = terms.symbol(name);
    let is_e = terms.eq(symbol, e);
    let mut clauses: Vec<TermId> = query.clauses().chain([is_e]).collect();
    let ground = Ground::of(terms, clauses.iter().copied(), query.bases);
    clauses
        .iter_mut()
        .for_each(|clause| *clause = lower(terms, &ground, *clause));
    clauses.extend_from_slice(ground.side());
    let name = terms.smtlib_name(name);
    let text = terms.smtlib(&clauses);
    // Its first line names a logic without heaps, its last one asks.
    let asserted = text.split_once('\n').map_or("", |(_, rest)| rest);
    let asserted = asserted.trim_end().trim_end_matches("(check-sat)");
    let mut out = format!("(set-logic ALL)\n(declare-heap ((_ BitVec {width}) (_ BitVec 8)))\n{asserted}");
    let (junction, addresses) = match spatial {
        Spatial::Apart(addresses) => ("sep", addresses),
        Spatial::Same(ref address) => ("and", std::slice::from_ref(address)),
    };
    // Two descriptions of one heaplet agree on its value.
    let any = |index: usize| match spatial {
        Spatial::Apart(_) => format!("heaplet!{index}"),
        Spatial::Same(_) => "heaplet!0".into(),
    };
    let values = match spatial {
        Spatial::Apart(_) => addresses.len() + 1,
        Spatial::Same(_) => 1,
    };
    for index in 0..values {
        writeln!(out, "(declare-const heaplet!{index} (_ BitVec 8))").expect("strings grow");
    }
    write!(out, "(assert ({junction} (pto {name} {})", any(0)).expect("strings grow");
    for (index, address) in addresses.iter().enumerate() {
        let digits = width as usize / 4;
        write!(out, " (pto #x{address:0digits$x} {})", any(index + 1)).expect("strings grow");
    }
    out.push_str("))\n(check-sat)\n(exit)\n");
    out
}
