//! The `regions` model: the region store of Clang's static analyser (Xu, Kremenek, Zhang: *A Memory Model for Static
//! Analysis of C Programs*).
//!
//! Every l-value has a region, and aliased l-values have the same one: a region is a base, and below it the path of
//! fields and elements to an offset ([`region`]). The store binds values to regions ([`bindings`]): a *direct* binding
//! by an assignment, a *default* one for all that a `memset` or the storage class says, *lazily*, when it is first read
//! (section 7); a copied structure is bound as a whole and taken apart by its readers.
//!
//! What the paper leaves unknown is exact here where a machine is: an element at a symbolic index is a conditional
//! value, and bytes that are known are read back through any view (section 4.3). With [`Views::Paper`] a read through
//! another view than the last write's is undefined, as the paper prints it.

mod bindings;
pub mod region;
mod show;
#[cfg(test)]
mod tests;

pub use bindings::{Bindings, Views};

use crate::directory::{Directory, Header};
use crate::places::{self, Place, Places};
use crate::{Apart, Cx, Heap, Join, Model, Names, Notation, Spread, Variable};
use bindings::Copied;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use region::Shapes;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub views: Views,
    /// For showing the store, if it is to be shown.
    pub shapes: Option<Arc<Shapes>>,
}

#[derive(Clone, Debug, Default)]
pub struct Regions {
    options: Options,
}

impl Directory<Bindings> {
    fn bindings(&self, base: BaseId) -> &Bindings {
        &self.get(base).expect("resolution names objects that exist").payload
    }

    fn bindings_mut(&mut self, base: BaseId) -> &mut Bindings {
        &mut self.get_mut(base).expect("resolution names objects that exist").payload
    }
}

/// The heap, if the user wants to see it.
fn shown(
    heap: &Heap<Regions>,
    terms: &mut Terms,
    _: &[TermId],
    variables: &[Variable],
    name: &Names,
) -> Option<String> {
    let shapes = heap.model.options.shapes.as_ref()?;
    Some(show::store(heap, terms, shapes, variables, name))
}

impl Model for Regions {
    type Options = Options;
    type Payload = Bindings;
    type Snapshot = Copied;

    const NOTATION: Option<Notation<Self>> = Some(shown);

    fn new(options: &Options) -> Self {
        Regions {
            options: options.clone(),
        }
    }

    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Bindings {
        Bindings::of_object(base, header, pointer_width, self.options.views)
    }

    #[inline(always)]
    fn fast_load(&self, bindings: &Bindings, offset: u64, n: u32) -> Option<Value> {
        bindings.fast_load(offset, n)
    }

    #[inline(always)]
    fn fast_store(&mut self, bindings: &mut Bindings, offset: u64, n: u32, value: Value) -> bool {
        bindings.fast_store(offset, n, value)
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value {
        places::choose(cx, places, n, |cx, place| {
            heap.directory.bindings(place.base).read(cx.terms, place.offset, n)
        })
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value) {
        for place in places {
            let bindings = heap.directory.bindings_mut(place.base);
            bindings.bind(cx.terms, place.guard, place.offset, n, value);
        }
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Copied>) {
        for place in places {
            heap.directory.bindings_mut(place.base).spread(cx, place, len, what);
        }
    }

    fn snapshot(heap: &Heap<Self>, _: &mut Cx, places: &Places) -> Copied {
        let bindings = |place: &'_ Place| heap.directory.bindings(place.base);
        Bindings::copied(places.iter().map(|place| (place, bindings(place))))
    }

    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        let directories: Vec<_> = members.iter().map(|member| &member.directory).collect();
        let directory = Directory::merge(join, &directories, &mut |join, entries| {
            let bindings: Vec<_> = entries.iter().map(|&(index, entry)| (index, &entry.payload)).collect();
            Bindings::merge(join, &bindings)
        })?;
        Ok(Heap {
            directory,
            model: members[0].model.clone(),
        })
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        let entry = heap.directory.get(base);
        entry.map_or(Vec::new(), |entry| entry.payload.references(terms))
    }

    fn trace(&self, directory: &Directory<Bindings>, tracer: &mut Tracer) {
        directory.live().for_each(|entry| entry.payload.trace(tracer));
    }
}
