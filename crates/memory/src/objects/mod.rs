//! The `objects` model: every base has its own bytes (thesis §2.2, KLEE's model, with bounds by the pointer's own base).
//!
//! Composed of three parts: *addressing* (flat: an address for life, given by `Layout`), *resolution* (fork: one branch for each
//! object that a pointer may refer to) and *contents* (bytes, cells, updates).

#[cfg(test)]
mod tests;

use crate::branch::{AccessKind, Branches, End};
use crate::contents::{Contents, answered_by_contents, maybe};
use crate::directory::{Alloc, Directory, only, out_of_addresses, push};
use crate::resolve::Target;
use crate::{Cx, Memory, Source};
use mneme_program::Scalar;
use mneme_term::{BaseId, Value};
use std::rc::Rc;

#[derive(Clone, Default, Debug)]
pub struct Objects {
    directory: Directory<Contents>,
}

impl Objects {
    /// One branch for each place that `len` bytes at `p` can be; `act` does the work where the access is in order.
    fn each<T>(
        mut self,
        cx: &mut Cx,
        p: Value,
        len: Value,
        kind: AccessKind,
        nothing: impl Fn() -> T,
        mut act: impl FnMut(&mut Cx, &mut Objects, BaseId, Value) -> T,
    ) -> Branches<Self, T> {
        let mut out = Branches::new();
        let targets = self.directory.resolve(cx, p, len, kind);
        let last = targets.len() - 1;
        for (i, resolved) in targets.into_iter().enumerate() {
            let mut memory = if i == last {
                std::mem::take(&mut self)
            } else {
                self.clone()
            };
            let end = match resolved.target {
                Target::Object { base, offset } => {
                    memory.directory.settle(base);
                    End::Done(act(cx, &mut memory, base, offset))
                }
                Target::Fault(fault) => End::Fault(fault),
                Target::Nothing => End::Done(nothing()),
            };
            push(cx.terms, &mut out, resolved.guard, || (memory, end));
        }
        out
    }
}

impl Memory for Objects {
    answered_by_contents!(directory, free_each);

    fn alloc(mut self, cx: &mut Cx, what: Alloc) -> Branches<Self, Value> {
        let Value::Int(len) = what.size else {
            return only(
                cx.terms,
                self,
                End::Stop(crate::Reason::Unsupported("an allocation of symbolic size".into())),
            );
        };
        match self.directory.add_contents(cx.terms, what, len) {
            Some(base) => only(cx.terms, self, End::Done(Value::Ptr { base, offset: 0 })),
            None => out_of_addresses(cx.terms, self),
        }
    }

    fn load(self, cx: &mut Cx, p: Value, ty: Scalar) -> Branches<Self, Value> {
        let n = ty.bytes();
        let undefined = || unreachable!("a load has at least one byte");
        self.each(
            cx,
            p,
            Value::Int(n as u64),
            AccessKind::Read,
            undefined,
            |cx, memory, base, offset| memory.directory.contents(base).read(cx.terms, &mut maybe, offset, n),
        )
    }

    fn store(self, cx: &mut Cx, p: Value, ty: Scalar, value: Value) -> Branches<Self, ()> {
        let n = ty.bytes();
        self.each(
            cx,
            p,
            Value::Int(n as u64),
            AccessKind::Write,
            || (),
            |cx, memory, base, offset| {
                let always = cx.terms.tru();
                memory
                    .directory
                    .contents_mut(base)
                    .write(cx.terms, &mut maybe, always, offset, n, value);
            },
        )
    }

    fn copy(self, cx: &mut Cx, dst: Value, src: Value, len: Value) -> Branches<Self, ()> {
        let mut out = Branches::new();
        let sources = self.directory.resolve(cx, src, len, AccessKind::Read);
        for source in sources {
            let memory = self.clone();
            let (from, at) = match source.target {
                Target::Object { base, offset } => (base, offset),
                Target::Fault(fault) => {
                    push(cx.terms, &mut out, source.guard, || (memory, End::Fault(fault)));
                    continue;
                }
                Target::Nothing => {
                    push(cx.terms, &mut out, source.guard, || (memory, End::Done(())));
                    continue;
                }
            };
            let branches = memory.each(
                cx,
                dst,
                len,
                AccessKind::Write,
                || (),
                |cx, memory, base, offset| {
                    let from = Rc::new(memory.directory.contents(from).clone());
                    let always = cx.terms.tru();
                    memory
                        .directory
                        .contents_mut(base)
                        .copy(cx.terms, always, offset, &from, at, len);
                },
            );
            for branch in branches {
                let guard = cx.terms.and(source.guard, branch.guard);
                push(cx.terms, &mut out, guard, || (branch.memory, branch.end));
            }
        }
        out
    }

    fn fill(self, cx: &mut Cx, dst: Value, byte: Value, len: Value) -> Branches<Self, ()> {
        self.each(
            cx,
            dst,
            len,
            AccessKind::Write,
            || (),
            |cx, memory, base, offset| {
                let always = cx.terms.tru();
                memory
                    .directory
                    .contents_mut(base)
                    .fill(cx.terms, always, offset, byte, len);
            },
        )
    }

    fn make_symbolic(self, cx: &mut Cx, p: Value, len: Value, source: Source) -> Branches<Self, ()> {
        self.each(
            cx,
            p,
            len,
            AccessKind::Write,
            || (),
            |cx, memory, base, offset| {
                let contents = memory.directory.contents_mut(base);
                let always = cx.terms.tru();
                match source {
                    Source::Bits(symbol) => {
                        let value = cx.terms.symbol(symbol);
                        let bytes = cx.terms.width(value) / 8;
                        contents.write(cx.terms, &mut maybe, always, offset, bytes, Value::Term(value));
                    }
                    Source::Bytes(symbol) => {
                        let from = Contents::of_symbol(cx.terms, symbol, len);
                        contents.copy(cx.terms, always, offset, &from, Value::Int(0), len);
                    }
                }
            },
        )
    }

    fn check(self, cx: &mut Cx, p: Value, len: Value, kind: AccessKind) -> Branches<Self, ()> {
        self.each(cx, p, len, kind, || (), |_, _, _, _| ())
    }
}
