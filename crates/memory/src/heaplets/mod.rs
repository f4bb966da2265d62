//! The `heaplets` model: symbolic heaps of separation logic (Beck: *Solver-based Analysis of Memory Safety using
//! Separation Logic*).
//!
//! A state is Π ∧ Σ. Π is the path condition. Σ = Σs * Σh is a set of *heaplets* `E ↦ F`, one for each byte of each
//! live object; a *segment* is an object, `E ↦ F₀, …, Fₙ₋₁` are its bytes. `*` says that no two of them are the same
//! byte: segments are bases, and a base is never another ([`crate::Directory`]). So DECLARE and MALLOC add a segment,
//! FREE, FUNRET and OUTOFSCOPE take one away, ASSIGN replaces bytes; `tests.rs` has one test for each rule.
//!
//! What is the model's own: *is E allocated, and which heaplet is it?* ([`check`]) in three ways
//! ([`AllocCheck`]), and the formula in the notation of the slides ([`formula`]). The bytes of a segment are kept
//! lazily ([`Contents`]): a heaplet is spelt out when it is asked for. An object of many bytes that is accessed
//! somewhere between them stays whole, and E ↦ F then stands for all heaplets that E may equal.
//!
//! SSA indices (`x@1`) tell the lives of a variable apart: a base counts them, per site and path. Leaks are
//! reachability over the references of segments, which the engine decides for all models.

mod check;
mod formula;
#[cfg(test)]
mod tests;

use crate::contents::{Contents, maybe};
use crate::directory::{Directory, Header};
use crate::places::{self, Places, Taken};
use crate::{Access, Apart, Cx, Heap, Join, Model, Names, Notation, Resolution, Spread, Variable};
pub use formula::Formula;
use mneme_solver::Separation;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use std::rc::Rc;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub check: AllocCheck,
    /// Show the symbolic heap with every finding.
    pub dump: bool,
}

/// How the model finds out whether an address is allocated, and where.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum AllocCheck {
    /// A solver for separation logic, in a process of its own.
    Sl,
    /// One query for each heaplet.
    Smt,
    /// The very same expression is looked up first; then each query's model names a heaplet.
    #[default]
    Model,
}

#[derive(Clone, Debug, Default)]
pub struct Heaplets {
    options: Rc<Options>,
    separation: Rc<Separation>,
}

/// The heap, if the user wants to see it.
fn shown(
    heap: &Heap<Heaplets>,
    terms: &mut Terms,
    path: &[TermId],
    variables: &[Variable],
    name: &Names,
) -> Option<String> {
    let wanted = heap.model.options.dump;
    wanted.then(|| {
        format!(
            "the symbolic heap is\n{}",
            Formula::of(heap, terms, path, variables, name)
        )
    })
}

impl Model for Heaplets {
    type Options = Options;
    type Payload = Contents;
    type Snapshot = Vec<Taken>;

    const NOTATION: Option<Notation<Self>> = Some(shown);

    fn new(options: &Options) -> Self {
        Heaplets {
            options: Rc::new(options.clone()),
            separation: Rc::default(),
        }
    }

    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Contents {
        Contents::of_object(base, header, pointer_width)
    }

    fn resolve(heap: &mut Heap<Self>, cx: &mut Cx, access: &Access) -> Resolution {
        check::resolve(heap, cx, access)
    }

    #[inline(always)]
    fn fast_load(&self, contents: &Contents, offset: u64, n: u32) -> Option<Value> {
        contents.fast_load(offset, n)
    }

    #[inline(always)]
    fn fast_store(&mut self, contents: &mut Contents, offset: u64, n: u32, value: Value) -> bool {
        contents.fast_store(offset, n, value)
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value {
        places::choose(cx, places, n, |cx, place| {
            heap.directory
                .contents(place.base)
                .read(cx.terms, &mut maybe, place.offset, n)
        })
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value) {
        for place in places {
            let contents = heap.directory.contents_mut(place.base);
            contents.write(cx.terms, &mut maybe, place.guard, place.offset, n, value);
        }
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Vec<Taken>>) {
        places::spread(cx, places, len, what, |cx, place, part| {
            let contents = heap.directory.contents_mut(place.base);
            part.write(contents, cx.terms, place.guard, place.offset, len);
        });
    }

    fn snapshot(heap: &Heap<Self>, _: &mut Cx, places: &Places) -> Vec<Taken> {
        heap.directory.take(places)
    }

    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        let directories: Vec<_> = members.iter().map(|member| &member.directory).collect();
        let directory = Directory::merge_contents(join, &directories)?;
        let model = members[0].model.clone();
        Ok(Heap { directory, model })
    }

    fn is_unchanged(heap: &Heap<Self>, other: &Heap<Self>, base: BaseId) -> bool {
        heap.directory.shares(&other.directory, base)
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        heap.directory.references(terms, base)
    }

    fn trace(&self, directory: &Directory<Contents>, tracer: &mut Tracer) {
        directory.trace_contents(tracer);
    }
}
