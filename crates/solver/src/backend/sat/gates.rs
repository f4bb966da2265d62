//! Gates: a boolean circuit with shared nodes, simplified while it is built, and its clauses.
//!
//! Invariants. Equal gates are one node. No gate has a constant input, or two inputs that are equal or opposite, so a
//! literal is constant only if it is [`Lit::FALSE`] or [`Lit::TRUE`]. The inputs of a gate are older than the gate: the
//! order of nodes is topological. `Xor`, `Mux` and `Maj` gates keep negations outside as far as possible, so that more
//! of them are equal.

use std::ops::Not;

use rustc_hash::FxHashMap;

/// A node of the circuit or its negation.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Lit(u32);

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn negated_if(self, condition: bool) -> Lit {
        Lit(self.0 ^ u32::from(condition))
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Gate {
    /// The constant, and the free inputs.
    Input,
    And(Lit, Lit),
    Xor(Lit, Lit),
    /// Condition, then, else.
    Mux(Lit, Lit, Lit),
    /// At least two of three.
    Maj(Lit, Lit, Lit),
}

pub(super) struct Gates {
    nodes: Vec<Gate>,
    known: FxHashMap<Gate, Lit>,
}

impl Gates {
    pub fn new() -> Gates {
        Gates {
            nodes: vec![Gate::Input],
            known: FxHashMap::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Lit {
        let lit = Lit(u32::try_from(self.nodes.len() << 1).expect("fewer than 2^31 gates"));
        self.nodes.push(gate);
        lit
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(&lit) = self.known.get(&gate) {
            return lit;
        }
        let lit = self.push(gate);
        self.known.insert(gate, lit);
        lit
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Lit::FALSE, _) => Lit::FALSE,
            (Lit::TRUE, _) => b,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.gate(Gate::And(a, b)),
        }
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negated = a.is_negated() != b.is_negated();
        let (a, b) = (a.negated_if(a.is_negated()), b.negated_if(b.is_negated()));
        let (a, b) = (a.min(b), a.max(b));
        let result = match (a, b) {
            (Lit::FALSE, _) => b,
            _ if a == b => Lit::FALSE,
            _ => self.gate(Gate::Xor(a, b)),
        };
        result.negated_if(negated)
    }

    pub fn mux(&mut self, c: Lit, then: Lit, other: Lit) -> Lit {
        let (c, then, other) = match c.is_negated() {
            true => (!c, other, then),
            false => (c, then, other),
        };
        match (c, then, other) {
            (Lit::FALSE, _, _) => other,
            _ if then == other => then,
            _ if then == !other => self.xor(c, other),
            _ if then == Lit::TRUE || then == c => self.or(c, other),
            _ if then == Lit::FALSE || then == !c => self.and(!c, other),
            _ if other == Lit::TRUE || other == !c => self.or(!c, then),
            _ if other == Lit::FALSE || other == c => self.and(c, then),
            _ => {
                let negated = then.is_negated();
                self.gate(Gate::Mux(c, then.negated_if(negated), other.negated_if(negated)))
                    .negated_if(negated)
            }
        }
    }

    pub fn maj(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        match inputs {
            [Lit::FALSE, _, _] => self.and(b, c),
            [Lit::TRUE, _, _] => self.or(b, c),
            _ if a == b => a,
            _ if b == c => b,
            _ if a == !b => c,
            _ if b == !c => a,
            _ => {
                let negated = a.is_negated();
                let [a, b, c] = inputs.map(|lit| lit.negated_if(negated));
                self.gate(Gate::Maj(a, b, c)).negated_if(negated)
            }
        }
    }

    pub fn any(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        lits.into_iter().fold(Lit::FALSE, |any, lit| self.or(any, lit))
    }

    /// Sum and carry of three bits.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.maj(a, b, c))
    }

    /// The clauses that make all `roots` true and define `observed`. `None` if a root is false.
    pub fn clauses(&self, roots: &[Lit], observed: &[Lit]) -> Option<Cnf> {
        let roots = self.conjuncts(roots)?;
        let mut cnf = Cnf {
            variables: vec![0; self.nodes.len()],
            count: 0,
            clauses: Vec::new(),
            ends: Vec::new(),
        };
        let uses = self.uses(&roots, observed);
        // From the roots down: users of a node are younger. A conjunction used once, positively, by another is inlined
        // there.
        let mut inlined = vec![false; self.nodes.len()];
        let mut parts = Vec::new();
        for node in (1..self.nodes.len()).rev() {
            if uses[node] == 0 || inlined[node] {
                continue;
            }
            let out = cnf.literal(Lit((node as u32) << 1));
            match self.nodes[node] {
                Gate::Input => {}
                Gate::And(a, b) => {
                    parts.clear();
                    let mut open = vec![a, b];
                    while let Some(lit) = open.pop() {
                        match self.nodes[lit.node()] {
                            Gate::And(a, b) if !lit.is_negated() && uses[lit.node()] == 1 => {
                                inlined[lit.node()] = true;
                                open.extend([a, b]);
                            }
                            _ => parts.push(cnf.literal(lit)),
                        }
                    }
                    for &part in &parts {
                        cnf.clause(&[-out, part]);
                    }
                    parts.iter_mut().for_each(|part| *part = -*part);
                    parts.push(out);
                    cnf.clause(&parts);
                }
                Gate::Xor(a, b) => {
                    let (a, b) = (cnf.literal(a), cnf.literal(b));
                    for clause in [[-out, a, b], [-out, -a, -b], [out, -a, b], [out, a, -b]] {
                        cnf.clause(&clause);
                    }
                }
                Gate::Mux(c, a, b) => {
                    let (c, a, b) = (cnf.literal(c), cnf.literal(a), cnf.literal(b));
                    for clause in [[-out, -c, a], [out, -c, -a], [-out, c, b], [out, c, -b]] {
                        cnf.clause(&clause);
                    }
                    // Redundant, but propagates the value where both sides agree.
                    cnf.clause(&[-out, a, b]);
                    cnf.clause(&[out, -a, -b]);
                }
                Gate::Maj(a, b, c) => {
                    let (a, b, c) = (cnf.literal(a), cnf.literal(b), cnf.literal(c));
                    for (x, y) in [(a, b), (a, c), (b, c)] {
                        cnf.clause(&[-out, x, y]);
                        cnf.clause(&[out, -x, -y]);
                    }
                }
            }
        }
        for root in roots {
            let root = cnf.literal(root);
            cnf.clause(&[root]);
        }
        Some(cnf)
    }

    /// The roots with conjunctions taken apart. A conjunction stays a gate if something else uses it.
    fn conjuncts(&self, roots: &[Lit]) -> Option<Vec<Lit>> {
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<Lit> = roots.to_vec();
        let mut result = Vec::new();
        while let Some(lit) = open.pop() {
            match self.nodes[lit.node()] {
                _ if lit == Lit::FALSE => return None,
                _ if lit == Lit::TRUE => {}
                Gate::And(a, b) if !lit.is_negated() => {
                    if !std::mem::replace(&mut seen[lit.node()], true) {
                        open.extend([a, b]);
                    }
                }
                _ => result.push(lit),
            }
        }
        result.sort_unstable();
        result.dedup();
        Some(result)
    }

    /// How often each node in the cones of the literals is used.
    fn uses(&self, roots: &[Lit], observed: &[Lit]) -> Vec<u32> {
        let mut uses = vec![0; self.nodes.len()];
        // Two, so that an observed conjunction is not inlined.
        observed.iter().for_each(|lit| uses[lit.node()] += 2);
        roots.iter().for_each(|root| uses[root.node()] += 1);
        for node in (1..self.nodes.len()).rev() {
            if uses[node] == 0 {
                continue;
            }
            let mut count = |lit: Lit| uses[lit.node()] += 1;
            match self.nodes[node] {
                Gate::Input => {}
                Gate::And(a, b) | Gate::Xor(a, b) => [a, b].into_iter().for_each(&mut count),
                Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => [a, b, c].into_iter().for_each(&mut count),
            }
        }
        uses
    }
}

/// Clauses over variables numbered from 1.
pub(super) struct Cnf {
    /// By node; 0 for nodes outside the cone of the roots.
    variables: Vec<i32>,
    pub count: i32,
    clauses: Vec<i32>,
    /// Where each clause ends in `clauses`.
    ends: Vec<u32>,
}

impl Cnf {
    fn literal(&mut self, lit: Lit) -> i32 {
        let variable = &mut self.variables[lit.node()];
        if *variable == 0 {
            self.count += 1;
            *variable = self.count;
        }
        if lit.is_negated() { -*variable } else { *variable }
    }

    fn clause(&mut self, lits: &[i32]) {
        self.clauses.extend_from_slice(lits);
        self.ends.push(self.clauses.len() as u32);
    }

    pub fn iter(&self) -> impl Iterator<Item = &[i32]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let clause = &self.clauses[begin as usize..end as usize];
            begin = end;
            clause
        })
    }

    /// The literal in the clauses, if they mention it.
    pub fn find(&self, lit: Lit) -> Option<i32> {
        match self.variables[lit.node()] {
            0 => None,
            variable if lit.is_negated() => Some(-variable),
            variable => Some(variable),
        }
    }
}

#[cfg(test)]
impl Gates {
    /// The value of every node, given those of the inputs in the order they were made.
    pub fn simulate(&self, mut inputs: impl FnMut(Lit) -> bool) -> Vec<bool> {
        let mut values = vec![false; self.nodes.len()];
        for node in 1..self.nodes.len() {
            let value = |lit: Lit| values[lit.node()] != lit.is_negated();
            values[node] = match self.nodes[node] {
                Gate::Input => inputs(Lit((node as u32) << 1)),
                Gate::And(a, b) => value(a) && value(b),
                Gate::Xor(a, b) => value(a) != value(b),
                Gate::Mux(c, a, b) => value(if value(c) { a } else { b }),
                Gate::Maj(a, b, c) => u8::from(value(a)) + u8::from(value(b)) + u8::from(value(c)) >= 2,
            };
        }
        values
    }

    pub fn value(values: &[bool], lit: Lit) -> bool {
        values[lit.node()] != lit.is_negated()
    }
}
