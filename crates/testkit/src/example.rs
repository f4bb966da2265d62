//! A memory model outside `mneme-memory`: the complete model that `docs/adding-a-model.md` explains. It uses only
//! public interfaces.
//!
//! Every object has its own contents; an access through a pointer to several objects is one branch, with a conditional
//! value. The heap does everything else: which objects exist, bounds, lives, `free`, resolution.

use mneme_memory::{
    Apart, Contents, Cx, Directory, Header, Heap, Join, Model, Place, Places, Spread, Taken, choose, maybe, spread,
};
use mneme_term::{BaseId, Terms, Tracer, Value};
use std::rc::Rc;

#[derive(Copy, Clone, Debug, Default)]
pub struct Example;

fn contents(heap: &Heap<Example>, base: BaseId) -> &Contents {
    &heap.directory.get(base).expect("resolution names live objects").payload
}

fn contents_mut(heap: &mut Heap<Example>, base: BaseId) -> &mut Contents {
    &mut heap
        .directory
        .get_mut(base)
        .expect("resolution names live objects")
        .payload
}

impl Model for Example {
    type Options = ();
    type Payload = Contents;
    type Snapshot = Vec<Taken>;

    fn new(_: &()) -> Self {
        Example
    }

    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Contents {
        Contents::of_object(base, header, pointer_width)
    }

    fn fast_load(&self, contents: &Contents, offset: u64, n: u32) -> Option<Value> {
        contents.fast_load(offset, n)
    }

    fn fast_store(&mut self, contents: &mut Contents, offset: u64, n: u32, value: Value) -> bool {
        contents.fast_store(offset, n, value)
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value {
        choose(cx, places, n, |cx, place| {
            contents(heap, place.base).read(cx.terms, &mut maybe, place.offset, n)
        })
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value) {
        for place in places {
            let contents = contents_mut(heap, place.base);
            contents.write(cx.terms, &mut maybe, place.guard, place.offset, n, value);
        }
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Vec<Taken>>) {
        spread(cx, places, len, what, |cx, place, part| {
            let contents = contents_mut(heap, place.base);
            part.write(contents, cx.terms, place.guard, place.offset, len);
        });
    }

    fn snapshot(heap: &Heap<Self>, _: &mut Cx, places: &Places) -> Vec<Taken> {
        let taken = |place: &Place| Taken {
            guard: place.guard,
            from: Rc::new(contents(heap, place.base).clone()),
            at: place.offset,
        };
        places.iter().map(taken).collect()
    }

    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        let directories: Vec<_> = members.iter().map(|member| &member.directory).collect();
        let directory = Directory::merge(join, &directories, &mut |join, entries| {
            let contents: Vec<_> = entries.iter().map(|&(index, entry)| (index, &entry.payload)).collect();
            Contents::merge(join, &contents)
        })?;
        Ok(Heap {
            directory,
            model: Example,
        })
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        let entry = heap.directory.get(base);
        entry.map_or(Vec::new(), |entry| entry.payload.references(terms))
    }

    fn trace(&self, directory: &Directory<Contents>, tracer: &mut Tracer) {
        directory.live().for_each(|entry| entry.payload.trace(tracer));
    }
}
