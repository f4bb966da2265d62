//! A memory model outside `mneme-memory`: the complete model that `docs/adding-a-model.md` explains. It uses only
//! public interfaces.
//!
//! Every object has its own contents; an access through a pointer to several objects is one branch, with a conditional
//! value. The heap does everything else: which objects exist, bounds, lives, `free`, resolution.

use mneme_memory::{
    Apart, Contents, Cx, Directory, Header, Heap, Join, Model, Places, Spread, Taken, choose, maybe, spread,
};
use mneme_term::{BaseId, Terms, Tracer, Value};

#[derive(Copy, Clone, Debug, Default)]
pub struct Example;

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
        spread(cx, places, len, what, |cx, place, part| {
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
        Ok(Heap {
            directory,
            model: Example,
        })
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        heap.directory.references(terms, base)
    }

    fn trace(&self, directory: &Directory<Contents>, tracer: &mut Tracer) {
        directory.trace_contents(tracer);
    }
}
