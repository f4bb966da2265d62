//! Access policies as C code (symMMU §3): handlers serve memory accesses of the program in place of the built-in
//! resolution.
//!
//! A handler is a C file (`mneme_handler.h`), compiled and linked with the program. An access that it serves is a call:
//! the handler's frame is pushed, and its result is that of the access. It is code like any other, so that searchers,
//! limits, resuming and merging treat an expensive access like the program itself; the primitives that it calls
//! (`primitives.rs`) ask at most one query each. Accesses of handlers themselves are not served, unless they ask for it
//! (`mneme_translate`), and whatever nests too deeply is a counted stop.
//!
//! Invariant: without handlers nothing here runs on the concrete path. Absent: knowledge of memory models; handlers see
//! the `Heap` alone.

mod broken;
mod dispatch;
mod primitives;
mod support;
mod tlb;

pub use dispatch::{HandlerStack, Request, Served, Serving};
pub(crate) use primitives::{known, places};
pub(crate) use support::is_support;

use crate::image::named;
use mneme_memory::AccessKind;
use mneme_program::{FunctionId, HANDLER_PREFIX, Program, Scalar};
use mneme_term::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use support::{ALLOCATIONS, EVENTS, Support};
pub use tlb::Tlb;

/// The handlers of a run, outermost first, by the names that they were compiled with.
#[derive(Clone, Debug, Default)]
pub struct HandlerOptions {
    /// For accesses through symbolic pointers.
    pub symbolic: Vec<String>,
    /// For the others.
    pub concrete: Vec<String>,
    /// Objects that a state keeps from the handlers of concrete accesses, at most.
    pub tlb: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum HandlerError {
    #[error(
        "the handler `{0}` serves nothing: define at least one function of mneme_handler.h, such as mneme_load_8, in a \
         file that includes it"
    )]
    Nothing(String),
}

/// How the names of functions begin that hear of calls: `__mneme_handler_before_CALLED__NAME`.
const BEFORE: &str = "__mneme_handler_before_";

/// The bits of an access that can be served.
const WIDTHS: [u16; 5] = [8, 16, 32, 64, 128];

/// The functions of a stack of handlers for one kind and width of access, with the places of their handlers.
type Row = Vec<(usize, FunctionId)>;

/// Handlers one above the other.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    loads: [Row; WIDTHS.len()],
    stores: [Row; WIDTHS.len()],
}

/// The functions of the program that handlers are made of.
#[derive(Clone, Debug, Default)]
pub struct Handlers {
    symbolic: Stack,
    concrete: Stack,
    pub tlb: usize,
    /// What to call before and after the program.
    pub init: Vec<FunctionId>,
    pub cleanup: Vec<FunctionId>,
    /// What to call when something happens, by the number of the event.
    listeners: [Vec<FunctionId>; EVENTS.len()],
    /// What to call before calls of a function.
    before: FxHashMap<FunctionId, Vec<FunctionId>>,
    support: Support,
    /// Where the objects are made that handlers have for themselves.
    own: FxHashSet<u32>,
    any: bool,
}

impl Stack {
    fn find(program: &Program, names: &[String]) -> Stack {
        let row = |what: &str| {
            let named = names.iter().enumerate();
            named
                .filter_map(|(place, name)| Some((place, entry(program, what, name)?)))
                .collect()
        };
        Stack {
            loads: WIDTHS.map(|bits| row(&format!("load_{bits}"))),
            stores: WIDTHS.map(|bits| row(&format!("store_{bits}"))),
        }
    }

    fn row(&self, kind: AccessKind, ty: Scalar) -> Option<&Row> {
        let width = WIDTHS.iter().position(|&bits| bits == ty.bits)?;
        Some(match kind {
            AccessKind::Read => &self.loads[width],
            AccessKind::Write => &self.stores[width],
        })
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.loads.iter().chain(&self.stores)
    }
}

/// The outermost handler for each width, of loads and of stores.
#[derive(Copy, Clone)]
pub struct Outermost {
    loads: [Option<FunctionId>; WIDTHS.len()],
    stores: [Option<FunctionId>; WIDTHS.len()],
}

impl Outermost {
    /// Those of 128 bits are left to the general treatment.
    #[inline(always)]
    pub fn of(&self, kind: AccessKind, ty: Scalar) -> Option<FunctionId> {
        let width = WIDTHS.iter().take(4).position(|&bits| bits == ty.bits)?;
        match kind {
            AccessKind::Read => self.loads[width],
            AccessKind::Write => self.stores[width],
        }
    }
}

/// A function that a handler defines.
fn entry(program: &Program, what: &str, handler: &str) -> Option<FunctionId> {
    let id = program.find_function(&format!("{HANDLER_PREFIX}{what}__{handler}"))?;
    (!program.function(id).is_declaration()).then_some(id)
}

/// What handlers want to be called before, and with what, outermost first.
fn before(program: &Program, handlers: &[&String]) -> FxHashMap<FunctionId, Vec<FunctionId>> {
    let ids = || (0..program.functions.len()).map(|index| FunctionId(index as u32));
    let mut before: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    for handler in handlers {
        let suffix = format!("__{handler}");
        for hook in ids().filter(|&id| !program.function(id).is_declaration()) {
            let name = program.function(hook).name.strip_prefix(BEFORE);
            let Some(name) = name.and_then(|name| name.strip_suffix(&suffix)) else {
                continue;
            };
            let name = [name.to_owned()];
            for called in ids().filter(|&id| named(program.function(id), &name)) {
                before.entry(called).or_default().push(hook);
            }
        }
    }
    before
}

impl Handlers {
    pub fn find(program: &Program, options: &HandlerOptions) -> Result<Handlers, HandlerError> {
        let mut names: Vec<&String> = Vec::new();
        for name in options.symbolic.iter().chain(&options.concrete) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let all = |what: &str| names.iter().filter_map(|name| entry(program, what, name)).collect();
        let handlers = Handlers {
            symbolic: Stack::find(program, &options.symbolic),
            concrete: Stack::find(program, &options.concrete),
            tlb: options.tlb,
            init: all("init"),
            cleanup: all("cleanup"),
            listeners: EVENTS.map(all),
            before: before(program, &names),
            support: Support::find(program),
            own: broken::own_sites(program),
            any: !names.is_empty(),
        };
        match names.iter().find(|name| !handlers.has(program, name)) {
            Some(name) => Err(HandlerError::Nothing(name.to_string())),
            None => Ok(handlers),
        }
    }

    /// Does the handler of this name define anything?
    fn has(&self, program: &Program, name: &str) -> bool {
        let rows = self
            .symbolic
            .rows()
            .chain(self.concrete.rows())
            .flatten()
            .map(|&(_, id)| id);
        let hooks = [&self.init, &self.cleanup].into_iter().chain(&self.listeners);
        let hooks = hooks.chain(self.before.values());
        let hooks = hooks.flatten().copied();
        let suffix = format!("__{name}");
        rows.chain(hooks).any(|id| program.function(id).name.ends_with(&suffix))
    }

    /// Does a handler listen to allocations?
    pub fn listen_to_allocations(&self) -> bool {
        self.listeners[ALLOCATIONS..].iter().any(|all| !all.is_empty())
    }

    /// The functions whose calls a handler hears of.
    pub fn heard(&self) -> impl Iterator<Item = FunctionId> {
        self.before.keys().copied()
    }

    /// Is there a handler for accesses through such pointers?
    fn wants(&self, p: Value) -> bool {
        let stack = match p {
            Value::Term(_) => &self.symbolic,
            _ => &self.concrete,
        };
        stack.rows().any(|row| !row.is_empty())
    }

    /// The outermost handlers of concrete accesses, for the fast loop; `None`: there are none.
    pub fn of_concrete_accesses(&self) -> Option<Outermost> {
        let first = |row: &Row| row.first().map(|&(_, id)| id);
        let outermost = Outermost {
            loads: self.concrete.loads.each_ref().map(first),
            stores: self.concrete.stores.each_ref().map(first),
        };
        self.wants(Value::ZERO).then_some(outermost)
    }

    fn stack(&self, which: HandlerStack) -> &Stack {
        match which {
            HandlerStack::Symbolic => &self.symbolic,
            HandlerStack::Concrete => &self.concrete,
        }
    }
}
