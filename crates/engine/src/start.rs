//! The first state: what runs before `main`, and what `main` is given.

use crate::addresses::Addresses;
use crate::demand::{Decided, Demand};
use crate::handlers::Serving;
use crate::image::{self, OwnSite, own_site};
use crate::leaks::Leaks;
use crate::library::Allocations;
use crate::loops::Attempts;
use crate::merge::Standing;
use crate::path::Path;
use crate::seeds::Seeds;
use crate::state::{Notes, Pending, State};
use crate::worker::Worker;
use mneme_memory::{Alloc, Heap, Init, Model};
use mneme_program::FunctionId;
use mneme_term::{BaseId, BaseKind, Value};
use std::rc::Rc;

impl<M: Model> Worker<'_, M> {
    pub(crate) fn first_state(&mut self, memory: Heap<M>) -> Option<State<M>> {
        let mut state = State {
            memory,
            frames: Vec::new(),
            pending: Rc::default(),
            exit_code: Value::ZERO,
            output: Rc::default(),
            task: None,
            marks: 0,
            unnamed: 0,
            allocations: Allocations::default(),
            addresses: Addresses::default(),
            demand: Demand::default(),
            decided: Decided::default(),
            first: None,
            serving: Serving::default(),
            path: Path {
                seeds: Seeds::all(&self.options.seeds),
                guide: self.sessions.start(),
                ..Path::default()
            },
            merge: Standing::default(),
            loops: Attempts::default(),
            leaks: Leaks::default(),
            notes: Notes::default(),
        };
        if self.options.on_demand.is_some() {
            self.enter_alone(&mut state)?;
            return Some(state);
        }
        let handler = |&function: &FunctionId| Pending::Handler { function };
        let mut pending: Vec<Pending> = self.handlers.cleanup.iter().rev().map(handler).collect();
        pending.push(Pending::Exit);
        if let Some(main) = self.program.main {
            let all = self.arguments(&mut state)?;
            pending.push(match self.program.inputs {
                Some(function) => Pending::Call { function, args: all },
                None => self.main_with(main, &all),
            });
        }
        for &function in self.program.constructors.iter().rev() {
            pending.push(Pending::Call {
                function,
                args: Vec::new(),
            });
        }
        pending.extend(self.handlers.init.iter().rev().map(handler));
        state.pending = Rc::new(pending);
        Some(state)
    }

    /// `main` with as many of its arguments as it takes.
    pub fn main_with(&self, main: FunctionId, all: &[Value]) -> Pending {
        let count = self.program.function(main).signature.params.len();
        let all = all.iter().copied().chain(std::iter::repeat(Value::ZERO));
        Pending::Main {
            function: main,
            args: all.take(count).collect(),
        }
    }

    /// `argc`, `argv`, `envp`.
    fn arguments(&mut self, state: &mut State<M>) -> Option<Vec<Value>> {
        let pointer = self.pointer();
        let step = pointer.bytes() as u64;
        let strings = std::iter::once(&self.options.program_name).chain(&self.options.args);
        let mut pointers = Vec::new();
        for string in strings {
            let mut bytes = string.clone().into_bytes();
            bytes.push(0);
            let base = self.make(state, OwnSite::Arguments, bytes.len() as u64)?;
            image::with_cx(&mut self.terms, &mut *self.solver, |cx| {
                state.memory.init_bytes(cx, base, 0, &bytes);
            });
            pointers.push(Value::Ptr { base, offset: 0 });
        }
        let argc = pointers.len() as u64;
        let argv = self.make(state, OwnSite::ArgumentVector, (argc + 1) * step)?;
        for (index, value) in pointers.into_iter().enumerate() {
            let at = index as u64 * step;
            image::with_cx(&mut self.terms, &mut *self.solver, |cx| {
                state.memory.init_value(cx, argv, at, step as u32, value);
            });
        }
        let envp = self.make(state, OwnSite::Environment, step)?;
        Some(vec![
            Value::Int(argc),
            Value::Ptr { base: argv, offset: 0 },
            Value::Ptr { base: envp, offset: 0 },
        ])
    }

    pub(crate) fn make(&mut self, state: &mut State<M>, site: OwnSite, size: u64) -> Option<BaseId> {
        let site = own_site(self.program, site);
        let what = Alloc {
            kind: BaseKind::Global,
            size: Value::Int(size),
            align: 16,
            site,
            init: Init::Zero,
        };
        image::allocate(&mut state.memory, &mut self.terms, &mut *self.solver, what)
    }
}
