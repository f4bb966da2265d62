//! One query as clauses in its own CaDiCaL, which can be run several times, each time a little longer.

use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, Status, Terminator};
use mneme_term::{Assignment, Bits, SymbolId, TermId, Terms};
use rustc_hash::FxHashMap;

use super::blast::{Blaster, Refused, Size};
use super::gates::{Cnf, Lit};
use crate::{Interrupt, Unknown};

/// How long a run may take. Conflicts are counted the same way on every machine.
#[derive(Copy, Clone, Debug, Default)]
pub(in crate::backend) struct Effort {
    pub conflicts: Option<u64>,
    pub time: Option<Duration>,
}

pub(in crate::backend) enum Verdict {
    Sat(Assignment),
    Unsat,
    Unknown(Unknown),
}

pub(super) struct Problem<'a> {
    blaster: Blaster<'a>,
    /// `None` if a clause is false for all values of the symbols.
    cnf: Option<Cnf>,
    solver: CaDiCal,
}

impl<'a> Problem<'a> {
    pub fn new(terms: &'a Terms, clauses: impl Iterator<Item = TermId>, size: Size) -> Result<Self, Refused> {
        let mut blaster = Blaster::new(terms, size);
        let mut roots = Vec::new();
        for clause in clauses {
            roots.push(blaster.blast(clause)?[0]);
        }
        roots.extend_from_slice(&blaster.side);
        // The positions of reads must be known to say what an array contains.
        let reads = blaster.arrays.iter().flat_map(|(_, reads)| reads);
        let indices: Vec<Lit> = reads.flat_map(|read| read.index.iter().copied()).collect();
        let cnf = blaster.gates.clauses(&roots, &indices);
        let mut solver = CaDiCal::new();
        for (option, value) in OPTIONS {
            solver.set(option, value);
        }
        if let Some(cnf) = &cnf {
            solver.resize(cnf.count);
            cnf.iter().for_each(|clause| solver.clause6(clause));
        }
        Ok(Problem { blaster, cnf, solver })
    }

    /// Tries these values first: neighbouring queries have neighbouring answers.
    pub fn prefer(&mut self, values: &FxHashMap<SymbolId, Bits>) {
        let Some(cnf) = &self.cnf else { return };
        for (s, word) in &self.blaster.symbols {
            let Some(value) = values.get(s) else { continue };
            for (i, &lit) in word.iter().enumerate() {
                if let Some(literal) = cnf.find(lit) {
                    self.solver.phase(if value.bit(i as u32) { literal } else { -literal });
                }
            }
        }
    }

    /// What earlier runs learnt is kept.
    pub fn run(&mut self, effort: Effort, interrupt: &Interrupt) -> Verdict {
        if self.cnf.is_none() {
            return Verdict::Unsat;
        }
        let deadline = effort.time.and_then(|time| Instant::now().checked_add(time));
        self.solver.connect_terminator(Stop {
            deadline,
            interrupt: interrupt.clone(),
            calls: 0,
        });
        let conflicts = effort
            .conflicts
            .map_or(-1, |conflicts| i32::try_from(conflicts).unwrap_or(i32::MAX));
        self.solver.limit("conflicts", conflicts);
        let status = self.solver.solve();
        self.solver.disconnect_terminator();
        match status {
            Status::SATISFIABLE => Verdict::Sat(self.assignment()),
            Status::UNSATISFIABLE => Verdict::Unsat,
            Status::UNKNOWN if interrupt.is_set() => Verdict::Unknown(Unknown::Interrupted),
            Status::UNKNOWN => Verdict::Unknown(Unknown::Timeout),
        }
    }

    /// Symbols that no clause mentions are left out, and so 0.
    fn assignment(&mut self) -> Assignment {
        let Problem { blaster, cnf, solver } = self;
        let cnf = cnf.as_ref().expect("a satisfiable problem has clauses");
        let mut bit = |lit: Lit| match cnf.find(lit) {
            _ if lit.is_constant() => lit == Lit::TRUE,
            Some(literal) => solver.val(literal) == literal,
            None => false,
        };
        let mut bits = |word: &[Lit]| {
            let mut words = vec![0; word.len().div_ceil(64)];
            for (i, &lit) in word.iter().enumerate() {
                words[i / 64] |= u64::from(bit(lit)) << (i % 64);
            }
            Bits::from_words(word.len() as u32, &words)
        };
        let mut found = Assignment::default();
        for (s, word) in &blaster.symbols {
            found.values.insert(*s, bits(word));
        }
        for (s, reads) in &blaster.arrays {
            let array = found.arrays.entry(*s).or_default();
            for read in reads {
                array.entries.insert(bits(&read.index).low_u64(), bits(&read.element));
            }
        }
        found
    }
}

const OPTIONS: [(&str, i32); 2] = [
    // No extra variables: they would require ours to be declared.
    ("factor", 0),
    // Zeros first: such inputs are easier to read.
    ("phase", 0),
];

struct Stop {
    deadline: Option<Instant>,
    interrupt: Interrupt,
    calls: u32,
}

impl Terminator for Stop {
    fn terminated(&mut self) -> bool {
        self.calls = self.calls.wrapping_add(1);
        // The clock is checked less often than the switch.
        let late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.interrupt.is_set() || (self.calls.is_multiple_of(16) && late())
    }
}
