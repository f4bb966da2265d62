//! Runs a script on a model and on the reference side by side.
//!
//! The script's inputs choose among the branches, so the run is one path. What was observed on it is then compared
//! again under other inputs that take the same path.

use super::plain::{Outcome, Plain};
use super::script::{Input, Number, Pointer, Script, Step};
use super::symbols::{Inputs, Symbols};
use mneme_memory::{
    Alloc, Branches, Counters, Cx, End, Fault, Heap, Init, Join, Model, ObjectInfo, Pick, References, Source,
};
use mneme_solver::{Answer, Budget, ChainOptions, PathCondition, Query, Solver, chain};
use mneme_term::{Assignment, BaseId, Sort, Symbol, SymbolKind, TermId, Terms, Value, truncate};
use std::rc::Rc;
use std::time::Duration;

/// What is checked in addition to the results of the steps.
#[derive(Copy, Clone, Default, Debug)]
pub struct Checks {
    /// With the solver: the guards of every operation partition the path.
    pub partition: bool,
    /// Collect terms after each step.
    pub collect: bool,
    /// Nothing is symbolic: every operation has one branch, whose guard is literally true.
    pub concrete: bool,
    /// Clone the heap before this step.
    pub fork: Option<usize>,
    /// How many other inputs to try for the same path.
    pub others: u64,
    /// From this step on, some steps are also run in another order, and the two resulting heaps are merged.
    pub merge: Option<usize>,
}

/// What broke the law, and where.
pub type Verdict<T> = Result<T, String>;

/// What a step did on the path that was taken.
pub enum Seen {
    Skipped,
    Done,
    Loaded(Value, u32),
    Object(ObjectInfo),
    Fault(Fault),
}

pub struct Run<M: Model> {
    pub(super) terms: Terms,
    solver: Box<dyn Solver>,
    pub(super) path: PathCondition,
    pub(super) memory: Heap<M>,
    counters: Counters,
    pub(super) symbols: Symbols,
    pub(super) bases: Vec<Option<BaseId>>,
    pub(super) addresses: Vec<u64>,
    registers: Vec<Option<(Value, u32)>>,
    pub(super) seen: Vec<Seen>,
    /// Hashes of all guards and values, for comparing runs.
    transcript: Vec<u64>,
    pub(super) checks: Checks,
}

/// How many heaps were merged: a law that is never exercised always holds.
pub static MERGED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

const BUDGET: Budget = Budget {
    time: Some(Duration::from_secs(10)),
    ..Budget::UNLIMITED
};

/// The most bytes of an object of symbolic size.
const MOST: u64 = 64;

/// How many steps the other side of a merge runs.
const WINDOW: usize = 8;

/// Runs the script; the transcript of guards and values, or what is wrong.
pub fn run<M: Model>(options: &M::Options, script: &Script, checks: Checks) -> Verdict<Vec<u64>> {
    let mut terms = Terms::new(script.pointer_width);
    let symbols = Symbols::new(&mut terms);
    let mut run = Run {
        memory: Heap::<M>::new(script.pointer_width, options),
        solver: chain(&ChainOptions::default()).expect("the linked solver starts"),
        path: PathCondition::new(),
        counters: Counters::default(),
        bases: Vec::new(),
        addresses: Vec::new(),
        registers: Vec::new(),
        seen: Vec::new(),
        transcript: Vec::new(),
        terms,
        symbols: symbols.clone(),
        checks,
    };
    let assignment = Rc::new(symbols.assignment(&run.terms, &script.inputs, script.data));
    let inputs = Inputs::new(script, &symbols, assignment.clone());
    for &(symbol, bound) in &script.bounds {
        let term = symbols.extended(&mut run.terms, symbol);
        let bound = run.terms.constant(script.pointer_width, bound);
        let below = run.terms.ult(term, bound);
        run.path.assume(&mut run.terms, below, assignment.clone());
    }
    let mut plain = Plain::default();
    let mut fork = None;
    let mut sibling = None;
    for (n, step) in script.steps.iter().enumerate() {
        if checks.merge == Some(n) {
            sibling = Some(run.elsewhere(&inputs, plain.clone(), &script.steps[n..])?);
        }
        if checks.merge.map(|begin| begin + WINDOW / 2) == Some(n)
            && let Some(sibling) = sibling.take()
            && !run.join(&inputs, sibling, script.data)
        {
            return Ok(Vec::new());
        }
        if checks.fork == Some(n) {
            fork = Some((run.memory.clone(), run.path.clone(), plain.clone()));
            run.vandalise(&plain);
        }
        run.step(&inputs, &mut plain, step, n)
            .map_err(|what| format!("step {n}: {what}"))?;
        if checks.collect {
            run.collect();
        }
    }
    if let Some((memory, path, plain)) = fork {
        (run.memory, run.path) = (memory, path);
        run.read_back(&inputs, &plain)
            .map_err(|what| format!("the clone has changed: {what}"))?;
    }
    run.others(script, &inputs)?;
    Ok(run.transcript)
}

impl<M: Model> Run<M> {
    fn change(&mut self, change: impl FnOnce(&mut Heap<M>, &mut Cx)) {
        self.memory = self.cx(|mut memory, cx| {
            change(&mut memory, cx);
            memory
        });
    }

    pub(super) fn cx<T>(&mut self, f: impl FnOnce(Heap<M>, &mut Cx) -> T) -> T {
        let memory = self.memory.clone();
        let Run {
            terms,
            solver,
            path,
            counters,
            ..
        } = self;
        f(
            memory,
            &mut Cx {
                terms,
                solver: &mut **solver,
                path,
                budget: BUDGET,
                counters,
                site: mneme_memory::NO_SITE,
                at: 0,
                calls: &mneme_memory::NoCalls,
                seen: &[],
            },
        )
    }

    /// The heap after the next few steps in the opposite order.
    fn elsewhere(&mut self, inputs: &Inputs, mut plain: Plain, steps: &[Step]) -> Verdict<Heap<M>> {
        let before = (self.memory.clone(), self.path.clone(), self.registers.clone());
        let (bases, addresses) = (self.bases.clone(), self.addresses.clone());
        let seen = self.seen.len();
        for (n, step) in steps[..WINDOW.min(steps.len())].iter().enumerate().rev() {
            self.step(inputs, &mut plain, step, n)
                .map_err(|what| format!("on the other side: {what}"))?;
        }
        self.seen.truncate(seen);
        (self.bases, self.addresses) = (bases, addresses);
        let other = std::mem::replace(&mut self.memory, before.0);
        (self.path, self.registers) = (before.1, before.2);
        Ok(other)
    }

    /// Merges the heap with another one, which only unused inputs would choose. False: the two cannot be merged, or
    /// objects move.
    fn join(&mut self, inputs: &Inputs, other: Heap<M>, data: u64) -> bool {
        let side = self.terms.symbol_id(Symbol {
            name: "side".into(),
            kind: SymbolKind::Input,
            sort: Sort::Bits(8),
        });
        let side = self.terms.symbol(side);
        let zero = self.terms.constant(8, 0);
        let here = self.terms.eq(side, zero);
        let mut pick = Pick::default();
        // It must make no difference whether this side is the first or the last member.
        let last = data % 2 == 1;
        let (this, that) = (pick.member(last as usize), pick.member(!last as usize));
        pick.choice(here, this, that);
        let members = match last {
            true => [&other, &self.memory],
            false => [&self.memory, &other],
        };
        let spoken_of: Vec<BaseId> = self
            .path
            .clauses()
            .iter()
            .flat_map(|&clause| self.terms.bases(clause).to_vec())
            .collect();
        let mut join = Join {
            terms: &mut self.terms,
            pick: &pick,
            pinned: &|base| spoken_of.contains(&base),
            patience: 1 << 14,
            references: References::Any,
            widest_hot: 0,
            made: 0,
        };
        let Ok(merged) = Heap::merge(&mut join, &members) else {
            return false;
        };
        let address = |memory: &Heap<M>, base: BaseId| memory.header(base).map(|header| header.address);
        let moved = |base: &BaseId| address(&merged, *base) != address(&self.memory, *base);
        if self.bases.iter().flatten().any(moved) {
            return false;
        }
        self.memory = merged;
        self.path.assume(&mut self.terms, here, inputs.assignment.clone());
        MERGED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        true
    }

    fn collect(&mut self) {
        let Run {
            terms,
            memory,
            path,
            solver,
            registers,
            seen,
            ..
        } = self;
        terms.collect(|tracer| {
            memory.trace(tracer);
            path.trace(tracer);
            solver.trace(tracer);
            registers.iter().flatten().for_each(|&(value, _)| tracer.value(value));
            for seen in seen {
                match seen {
                    Seen::Loaded(value, _) => tracer.value(*value),
                    Seen::Object(info) => [info.offset, info.size].into_iter().for_each(|v| tracer.value(v)),
                    Seen::Fault(fault) => fault.len.into_iter().chain([fault.offset]).for_each(|t| tracer.term(t)),
                    Seen::Skipped | Seen::Done => {}
                }
            }
        });
    }

    // ---- building

    fn pointer(&mut self, p: &Pointer) -> Value {
        let term = self.pointer_term(p);
        self.terms.to_value(term)
    }

    fn pointer_term(&mut self, p: &Pointer) -> TermId {
        let width = self.terms.pointer_width();
        match p {
            Pointer::At { object, at } => {
                let offset = self.symbols.number(&mut self.terms, *at);
                self.terms
                    .pointer(self.bases[*object].expect("the reference has it"), offset)
            }
            Pointer::Number(at) => self.symbols.number(&mut self.terms, *at),
            Pointer::Address { object, at } => {
                let offset = self.symbols.number(&mut self.terms, *at);
                let start = self.terms.constant(width, self.addresses[*object]);
                self.terms.add(start, offset)
            }
            Pointer::Register { register, plus } => {
                let (value, _) = self.registers[*register].expect("the reference has it");
                let value = self.terms.of_value(value, width);
                let plus = self.terms.constant(width, truncate(*plus, width));
                self.terms.add(value, plus)
            }
            Pointer::Choice { symbol, below, yes, no } => {
                let index = self.symbols.extended(&mut self.terms, *symbol);
                let below = self.terms.constant(width, *below);
                let condition = self.terms.ult(index, below);
                let (yes, no) = (self.pointer_term(yes), self.pointer_term(no));
                self.terms.ite(condition, yes, no)
            }
            Pointer::Table { symbol, entries } => {
                let index = self.symbols.extended(&mut self.terms, *symbol);
                let three = self.terms.constant(width, 3);
                let index = self.terms.and(index, three);
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| self.pointer_term(&entries[k]));
                self.terms.lookup(index, &[(0, a), (1, b), (2, c)], d)
            }
        }
    }

    fn input(&mut self, input: &Input, bytes: u32) -> Value {
        let constant = |terms: &mut Terms, bytes: &[u8]| {
            terms.constant_bits(&mneme_term::Bits::from_bytes_le(8 * bytes.len() as u32, bytes))
        };
        let term = match input {
            Input::Bytes(bytes) => constant(&mut self.terms, bytes),
            Input::Symbol(symbol) => self.terms.symbol(self.symbols.data(*symbol, bytes)),
            Input::Mixed { low, symbol, width } => {
                let low = constant(&mut self.terms, low);
                let high = self.terms.symbol(self.symbols.data(*symbol, *width));
                self.terms.concat(high, low)
            }
            Input::Pointer(p) => self.pointer_term(p),
            Input::Register(register) => return self.registers[*register].expect("the reference has it").0,
        };
        self.terms.to_value(term)
    }

    // ---- one step

    fn step(&mut self, inputs: &Inputs, plain: &mut Plain, step: &Step, n: usize) -> Verdict<()> {
        if let Step::Alloc {
            object,
            kind,
            size,
            align,
            zero,
        } = *step
        {
            let size = self.size(inputs, size);
            self.alloc(
                inputs,
                object,
                Alloc {
                    kind,
                    size,
                    align,
                    site: object as u32 % 3,
                    init: if zero { Init::Zero } else { Init::Undefined },
                },
            )?;
        }
        let expected = plain.step(inputs, step, &self.addresses);
        let seen = if expected == Outcome::Skipped {
            Seen::Skipped
        } else {
            self.act(inputs, step, n)?
        };
        self.compare(inputs, step, &seen, &expected)?;
        if let (Seen::Loaded(value, bytes), Outcome::Loaded(reference)) = (&seen, &expected) {
            self.keeps_provenance(inputs, *value, *bytes, reference)?;
        }
        self.seen.push(seen);
        Ok(())
    }

    /// The size of an object, with the path restricted to small sizes.
    fn size(&mut self, inputs: &Inputs, size: Number) -> Value {
        let term = self.symbols.number(&mut self.terms, size);
        let most = self.terms.constant(self.terms.pointer_width(), MOST);
        let small = self.terms.ule(term, most);
        if let Number::Linear(_) = size {
            self.path.assume(&mut self.terms, small, inputs.assignment.clone());
        }
        self.terms.to_value(term)
    }

    fn alloc(&mut self, inputs: &Inputs, object: usize, what: Alloc) -> Verdict<()> {
        let branches = self.cx(|memory, cx| memory.alloc(cx, what));
        let End::Done(Value::Ptr { base, offset: 0 }) = self.take(inputs, branches)? else {
            return Err("an allocation does not give a pointer".into());
        };
        if self.bases.contains(&Some(base)) {
            return Err(format!("{base:?} is given to two objects"));
        }
        let slots = self.bases.len().max(object + 1);
        self.bases.resize(slots, None);
        self.addresses.resize(slots, 0);
        self.bases[object] = Some(base);
        self.addresses[object] = self.memory.header(base).ok_or("an object without a header")?.address;
        Ok(())
    }

    /// Performs a step; the reference has found everything that it mentions.
    fn act(&mut self, inputs: &Inputs, step: &Step, n: usize) -> Verdict<Seen> {
        let base = |run: &Self, object: usize| run.bases[object].expect("the reference has it");
        let number = |run: &mut Self, number| {
            let term = run.symbols.number(&mut run.terms, number);
            run.terms.to_value(term)
        };
        let branches = match step {
            Step::Alloc { .. } => return Ok(Seen::Done),
            Step::InitBytes { object, at, bytes } => {
                let base = base(self, *object);
                self.change(|memory, cx| memory.init_bytes(cx, base, *at, bytes));
                return Ok(Seen::Done);
            }
            Step::InitValue {
                object,
                at,
                bytes,
                value,
            } => {
                let (base, value) = (base(self, *object), self.input(value, *bytes));
                self.change(|memory, cx| memory.init_value(cx, base, *at, *bytes, value));
                return Ok(Seen::Done);
            }
            Step::Protect { object } => {
                self.memory.protect(base(self, *object));
                return Ok(Seen::Done);
            }
            Step::Expose { object } => {
                let address = self.memory.expose(base(self, *object));
                let same = address == self.addresses[*object];
                return if same {
                    Ok(Seen::Done)
                } else {
                    Err("an exposed object has moved".into())
                };
            }
            Step::End { object, death } => {
                self.memory.end(base(self, *object), *death);
                return Ok(Seen::Done);
            }
            Step::Begin { object } => {
                self.memory.begin(base(self, *object));
                return Ok(Seen::Done);
            }
            Step::Load { p, bytes, register } => return self.load(inputs, p, *bytes, *register),
            Step::Object { p } => {
                let p = self.pointer(p);
                let branches = self.cx(|memory, cx| memory.object(cx, p));
                return Ok(match self.take(inputs, branches)? {
                    End::Done(info) => Seen::Object(info),
                    End::Fault(fault) => Seen::Fault(fault),
                    End::Stop(reason) => return Err(format!("stop: {reason}")),
                });
            }
            Step::Free { p } => {
                let p = self.pointer(p);
                self.cx(|memory, cx| memory.free(cx, p))
            }
            Step::Store { p, bytes, value } => {
                let (p, value) = (self.pointer(p), self.input(value, *bytes));
                let branches = self.cx(|memory, cx| memory.store(cx, p, *bytes, value));
                if let Value::Ptr { base, offset } = p {
                    let mut quick = self.memory.clone();
                    if quick.fast_store(base, offset, *bytes, value) {
                        self.is_certain(&branches)
                            .map_err(|what| format!("fast_store succeeds, but {what}"))?;
                        if n.is_multiple_of(2) {
                            self.memory = quick;
                            return Ok(Seen::Done);
                        }
                    }
                }
                branches
            }
            Step::Copy { to, from, len } => {
                let (to, from, len) = (self.pointer(to), self.pointer(from), number(self, *len));
                self.cx(|memory, cx| memory.copy(cx, to, from, len))
            }
            Step::Fill { p, byte, len } => {
                let (p, byte, len) = (self.pointer(p), self.input(byte, 1), number(self, *len));
                self.cx(|memory, cx| memory.fill(cx, p, byte, len))
            }
            Step::MakeBits { p, bytes, symbol } => {
                let (p, symbol) = (self.pointer(p), self.symbols.data(*symbol, *bytes));
                self.cx(|memory, cx| memory.make_symbolic(cx, p, Value::Int(*bytes as u64), Source::Bits(symbol)))
            }
            Step::MakeBytes { p, len, array } => {
                let (p, len, symbol) = (self.pointer(p), number(self, *len), self.symbols.array(*array));
                self.cx(|memory, cx| memory.make_symbolic(cx, p, len, Source::Bytes(symbol)))
            }
            Step::Check { p, len, kind } => {
                let (p, len) = (self.pointer(p), number(self, *len));
                self.cx(|memory, cx| memory.check(cx, p, len, *kind))
            }
        };
        Ok(match self.take(inputs, branches)? {
            End::Done(()) => Seen::Done,
            End::Fault(fault) => Seen::Fault(fault),
            End::Stop(reason) => return Err(format!("stop: {reason}")),
        })
    }

    fn load(&mut self, inputs: &Inputs, p: &Pointer, bytes: u32, register: usize) -> Verdict<Seen> {
        let p = self.pointer(p);
        let branches = self.cx(|memory, cx| memory.load(cx, p, bytes));
        if let Value::Ptr { base, offset } = p
            && let Some(quick) = self.memory.fast_load(base, offset, bytes)
        {
            let found = self
                .is_certain(&branches)
                .map_err(|what| format!("fast_load succeeds, but {what}"))?;
            if *found != quick {
                return Err(format!("fast_load gives {quick:?}, load {found:?}"));
            }
        }
        let value = match self.take(inputs, branches)? {
            End::Done(value) => value,
            End::Fault(fault) => return Ok(Seen::Fault(fault)),
            End::Stop(reason) => return Err(format!("stop: {reason}")),
        };
        let term = self.terms.of_value(value, 8 * bytes);
        if self.terms.width(term) != 8 * bytes {
            return Err(format!("a value of {} bits for {bytes} bytes", self.terms.width(term)));
        }
        if self.terms.to_value(term) != value {
            return Err(format!(
                "{value:?} is not the one spelling of {}",
                self.terms.display(term)
            ));
        }
        self.transcript.push(self.terms.structural_hash(term));
        let slots = self.registers.len().max(register + 1);
        self.registers.resize(slots, None);
        self.registers[register] = Some((value, bytes));
        Ok(Seen::Loaded(value, bytes))
    }

    /// The result of an operation that has only one.
    fn is_certain<'b, T>(&self, branches: &'b Branches<M, T>) -> Verdict<&'b T> {
        let all: Vec<_> = branches.iter().collect();
        match all[..] {
            [branch] if self.terms.is_true(branch.guard) => match &branch.end {
                End::Done(value) => Ok(value),
                _ => Err("the general operation does not".into()),
            },
            _ => Err("the general operation branches".into()),
        }
    }

    /// Follows the branch that the inputs choose.
    pub(super) fn take<T>(&mut self, inputs: &Inputs, branches: Branches<M, T>) -> Verdict<End<T>> {
        let guards: Vec<TermId> = branches.iter().map(|branch| branch.guard).collect();
        self.transcript
            .extend(guards.iter().map(|&guard| self.terms.structural_hash(guard)));
        if self.checks.concrete && !matches!(guards[..], [guard] if self.terms.is_true(guard)) {
            return Err(format!("a concrete operation has {} branches", guards.len()));
        }
        if self.checks.partition {
            self.partition(&guards)?;
        }
        let taken: Vec<usize> = (0..guards.len()).filter(|&k| self.holds(inputs, guards[k])).collect();
        let [taken] = taken[..] else {
            let all: Vec<_> = guards
                .iter()
                .map(|&guard| self.terms.display(guard).to_string())
                .collect();
            return Err(format!("branches {taken:?} are taken at the same time, of {all:#?}"));
        };
        self.path
            .assume(&mut self.terms, guards[taken], inputs.assignment.clone());
        let branch = branches.into_iter().nth(taken).expect("an index of it");
        self.memory = branch.memory;
        Ok(branch.end)
    }

    /// Law: guards are disjoint and cover the path.
    fn partition(&mut self, guards: &[TermId]) -> Verdict<()> {
        if matches!(guards, [guard] if self.terms.is_true(*guard)) {
            return Ok(());
        }
        let mut none = self.terms.tru();
        for (k, &guard) in guards.iter().enumerate() {
            let not = self.terms.not(guard);
            none = self.terms.and(none, not);
            for &other in &guards[..k] {
                let both = self.terms.and(guard, other);
                if let Some(witness) = self.witness(both) {
                    let (a, b) = (self.terms.display(guard), self.terms.display(other));
                    return Err(format!("guards overlap: {a} and {b}, with {witness:?}"));
                }
            }
        }
        match self.witness(none) {
            Some(witness) => Err(format!("no guard holds with {witness:?}")),
            None => Ok(()),
        }
    }

    pub(super) fn witness(&mut self, goal: TermId) -> Option<Rc<Assignment>> {
        let hint = self.path.assignment().clone();
        let Run {
            terms,
            solver,
            path,
            memory,
            ..
        } = self;
        let query = Query {
            assumptions: path.clauses(),
            goal,
            bases: memory.bases(),
            hint: Some(&hint),
        };
        match solver.check(terms, &query, BUDGET) {
            Answer::Sat(witness) => Some(witness),
            Answer::Unsat | Answer::Unknown(_) => None,
        }
    }
}
