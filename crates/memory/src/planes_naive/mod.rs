//! The `planes-naive` model: segment-offset-plane memory as a plain list of write records
//! (Trtík, Strejček: *Symbolic Memory with Pointers*, sections 2 and 5). Small, slow, right.
//!
//! A segment is a base, an address is segment:offset, both possibly symbolic; no load or store forks because a pointer
//! is symbolic. A read compares its address with every record from the newest to the oldest, asks the solver which
//! collisions are possible, and nests what is left in an if-then-else over the default value δ(σ, ω); or, as the paper
//! measures it, gives the solver one expression over all records to simplify ([`Reads`]). Multi-writes (memset,
//! memcpy, initialisers, symbolic buffers, summarised loops) are records with a λ-address: all offsets in a range, or
//! at equal distances, with a value that is a function of the distance from its start.
//!
//! Section 4's fallback holds: every write is visible to readers of every type. One list of records with their widths
//! does that, where a list for each plane would have to repeat each write in all of them. `Sizes` is the directory that
//! models share.

mod join;
mod records;
mod simplified;
#[cfg(test)]
mod tests;

use crate::directory::{Directory, Header, Init};
use crate::{Apart, Cx, Heap, Join, Loops, Model, Progression};
use mneme_solver::Simplifier;
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use records::{Place, Places, Reader, Record, Span, Spread};
use smallvec::smallvec;
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub reads: Reads,
}

/// How the model reads through its list of writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Reads {
    /// From the newest write to one that is certainly read, with a query for each that may be.
    #[default]
    List,
    /// One expression over all of them, which the solver simplifies: what the paper measures.
    Solver,
}

#[derive(Clone, Default, Debug)]
pub struct PlanesNaive {
    /// Oldest first. Append-only, so a prefix of it is the memory at an earlier time.
    records: Rc<Vec<Record>>,
    /// With [`Reads::Solver`], shared by all states.
    simplifier: Option<Rc<RefCell<Simplifier>>>,
}

/// What a copy reads: the first records up to a number, at these places.
pub struct Earlier {
    from: Places,
    until: usize,
}

impl PlanesNaive {
    fn record(&mut self, places: Places, span: Span) {
        Rc::make_mut(&mut self.records).push(Record { places, span });
    }
}

fn reader(heap: &Heap<PlanesNaive>) -> Reader<'_> {
    Reader {
        sizes: &heap.directory,
        simplifier: heap.model.simplifier.as_deref(),
    }
}

/// Places with their offsets as terms.
fn spelt(cx: &mut Cx, places: &crate::Places) -> Places {
    let spell = |place: &crate::Place| Place {
        guard: place.guard,
        base: place.base,
        offset: cx.word(place.offset),
    };
    places.iter().map(spell).collect()
}

fn write_cells(heap: &mut Heap<PlanesNaive>, cx: &mut Cx, base: BaseId, what: &Progression) {
    let place = Place {
        guard: cx.terms.tru(),
        base,
        offset: what.start,
    };
    heap.model.record(smallvec![place], Span::Cells(what.cells));
}

impl Model for PlanesNaive {
    type Options = Options;
    type Payload = ();
    type Snapshot = Earlier;

    const LOOPS: Option<Loops<Self>> = Some(Loops {
        write_cells,
        families: false,
    });

    fn new(options: &Options) -> Self {
        PlanesNaive {
            records: Rc::default(),
            simplifier: (options.reads == Reads::Solver).then(Rc::default),
        }
    }

    fn payload(&mut self, base: BaseId, header: &Header, _: u32) {
        if header.round > 0 {
            let (round, len) = (header.round, header.size);
            self.record(Places::new(), Span::Reset { base, round, len });
        }
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &crate::Places, n: u32) -> Value {
        let places = spelt(cx, places);
        let term = records::read(cx, reader(heap), &heap.model.records, &places, n);
        cx.terms.to_value(term)
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &crate::Places, bytes: u32, value: Value) {
        let places = spelt(cx, places);
        heap.model.record(places, Span::Cell { bytes, value });
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &crate::Places, len: Value, what: &crate::Spread<Earlier>) {
        let spread = match what {
            crate::Spread::Bytes(bytes) => {
                for place in places {
                    let Value::Int(offset) = place.offset else {
                        unreachable!("objects just made are written at concrete places")
                    };
                    let (base, bytes) = (place.base, (*bytes).into());
                    heap.model.record(Places::new(), Span::Block { base, offset, bytes });
                }
                return;
            }
            crate::Spread::Byte(byte) => Spread::Byte(cx.terms.of_value(*byte, 8)),
            crate::Spread::Symbol(symbol) => Spread::Symbol(*symbol),
            crate::Spread::Copy(Earlier { from, until }) => Spread::Copy {
                from: from.clone(),
                until: *until,
            },
        };
        let (places, len) = (spelt(cx, places), cx.word(len));
        heap.model.record(places, Span::Range { len, spread });
    }

    fn snapshot(heap: &Heap<Self>, cx: &mut Cx, places: &crate::Places) -> Earlier {
        Earlier {
            from: spelt(cx, places),
            until: heap.model.records.len(),
        }
    }

    fn merge(join: &mut Join, members: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        let directories: Vec<&Directory<()>> = members.iter().map(|member| &member.directory).collect();
        let directory = Directory::merge(join, &directories, &mut |_, _| Ok(()))?;
        let lists: Vec<&Rc<Vec<Record>>> = members.iter().map(|member| &member.model.records).collect();
        let records = join::records(join, &lists)?;
        let simplifier = members[0].model.simplifier.clone();
        Ok(Heap {
            directory,
            model: PlanesNaive { records, simplifier },
        })
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        records::references(terms, &heap.model.records, base)
    }

    fn trace(&self, _: &Directory<()>, tracer: &mut Tracer) {
        self.records.iter().for_each(|record| record.trace(tracer));
        if let Some(simplifier) = &self.simplifier {
            simplifier.borrow().terms_are_collected();
        }
    }
}

/// The default value δ of `n` bytes of `base` at `offset`.
fn default(cx: &mut Cx, init: Init, round: u32, base: BaseId, offset: TermId, n: u32) -> TermId {
    if init == Init::Zero {
        return cx.terms.constant(8 * n, 0);
    }
    let symbol = crate::uninitialised(cx.terms, base, round);
    records::bytes_of_symbol(cx, symbol, offset, n)
}
