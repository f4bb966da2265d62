//! The interface of memory supports models that differ from the existing ones: two sketches that define only the
//! differences.
//!
//! - A store with symbolic regions, as in a static analyser: a pointer without an object gets one when it is
//!   dereferenced, of unknown extent.
//! - A heap of formulas, as in separation logic: `free` follows the model's own rules.

use mneme_memory::{
    Access, AccessKind, Alloc, Apart, Branches, Contents, Counters, Cx, Directory, End, Fault, FaultKind, Header, Heap,
    Init, Join, Model, NO_SITE, NoCalls, Places, Resolution, Resolved, Spread, Taken, Target,
};
use mneme_solver::{Budget, ChainOptions, PathCondition, chain};
use mneme_term::{BaseId, BaseKind, Sort, Symbol, SymbolKind, TermId, Terms, Tracer, Value};
use mneme_testkit::example::Example;
use smallvec::smallvec;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// What makes a sketch different from the example.
trait Sketch: Clone + Default + std::fmt::Debug {
    fn resolve(heap: &mut Heap<Like<Self>>, cx: &mut Cx, access: &Access) -> Resolution {
        heap.directory.resolve(cx, access.p, access.len, access.kind)
    }
    fn free(heap: Heap<Like<Self>>, cx: &mut Cx, p: Value) -> Branches<Like<Self>, ()> {
        heap.free_any(cx, p)
    }
}

/// The example with the differences of a sketch.
#[derive(Clone, Debug, Default)]
struct Like<S> {
    sketch: S,
}

/// The heap of the example, to ask it about bytes.
fn plain<S: Sketch>(heap: &Heap<Like<S>>) -> Heap<Example> {
    Heap {
        directory: heap.directory.clone(),
        model: Example,
    }
}

fn with_plain<S: Sketch, T>(heap: &mut Heap<Like<S>>, act: impl FnOnce(&mut Heap<Example>) -> T) -> T {
    let mut inner = plain(heap);
    let value = act(&mut inner);
    heap.directory = inner.directory;
    value
}

impl<S: Sketch> Model for Like<S> {
    type Options = ();
    type Payload = Contents;
    type Snapshot = Vec<Taken>;

    fn new(_: &()) -> Self {
        Like::default()
    }

    fn payload(&mut self, base: BaseId, header: &Header, pointer_width: u32) -> Contents {
        Contents::of_object(base, header, pointer_width)
    }

    fn resolve(heap: &mut Heap<Self>, cx: &mut Cx, access: &Access) -> Resolution {
        S::resolve(heap, cx, access)
    }

    fn free(heap: Heap<Self>, cx: &mut Cx, p: Value) -> Branches<Self, ()> {
        S::free(heap, cx, p)
    }

    fn read(heap: &Heap<Self>, cx: &mut Cx, places: &Places, n: u32) -> Value {
        Example::read(&plain(heap), cx, places, n)
    }

    fn write(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, n: u32, value: Value) {
        with_plain(heap, |heap| Example::write(heap, cx, places, n, value));
    }

    fn spread(heap: &mut Heap<Self>, cx: &mut Cx, places: &Places, len: Value, what: &Spread<Vec<Taken>>) {
        with_plain(heap, |heap| Example::spread(heap, cx, places, len, what));
    }

    fn snapshot(heap: &Heap<Self>, cx: &mut Cx, places: &Places) -> Vec<Taken> {
        Example::snapshot(&plain(heap), cx, places)
    }

    fn merge(_: &mut Join, _: &[&Heap<Self>]) -> Result<Heap<Self>, Apart> {
        Err(Apart("sketches do not merge"))
    }

    fn references(heap: &Heap<Self>, terms: &mut Terms, base: BaseId) -> Vec<BaseId> {
        Example::references(&plain(heap), terms, base)
    }

    fn trace(&self, directory: &Directory<Contents>, tracer: &mut Tracer) {
        Example.trace(directory, tracer);
    }
}

/// The object of each pointer that had none.
#[derive(Clone, Debug, Default)]
struct Regions(Rc<HashMap<TermId, BaseId>>);

const REGION_SITE: u32 = 1000;
const MOST: u64 = 1 << 16;

impl Sketch for Regions {
    fn resolve(heap: &mut Heap<Like<Self>>, cx: &mut Cx, access: &Access) -> Resolution {
        let Value::Term(p) = access.p else {
            return heap.directory.resolve(cx, access.p, access.len, access.kind);
        };
        if cx.terms.has_base(p) {
            return heap.directory.resolve(cx, access.p, access.len, access.kind);
        }
        let mut facts = None;
        let base = match heap.model.sketch.0.get(&p) {
            Some(&base) => base,
            None => {
                // Its extent is unknown: at least far enough for this access.
                let extent = symbol(cx.terms, "extent", cx.terms.pointer_width());
                let (len, most) = (cx.word(access.len), cx.word_const(MOST));
                let (least, bounded) = (cx.terms.ule(len, extent), cx.terms.ule(extent, most));
                facts = Some(cx.terms.and(least, bounded));
                let what = Alloc {
                    kind: BaseKind::Heap,
                    size: Value::Term(extent),
                    align: 1,
                    site: REGION_SITE,
                    init: Init::Undefined,
                };
                let width = heap.directory.pointer_width();
                let payload = |base, header: &Header| Contents::of_object(base, header, width);
                let base = heap
                    .directory
                    .add(cx.terms, what, MOST, payload)
                    .expect("there is room");
                Rc::make_mut(&mut heap.model.sketch.0).insert(p, base);
                base
            }
        };
        let zero = cx.word_const(0);
        let null = cx.terms.eq(p, zero);
        let there = cx.terms.not(null);
        let at_null = Fault {
            kind: FaultKind::Null(access.kind),
            base: None,
            offset: p,
            len: None,
        };
        let offset = Value::Int(0);
        let targets = smallvec![
            Resolved {
                guard: there,
                target: Target::Object { base, offset }
            },
            Resolved {
                guard: null,
                target: Target::Fault(at_null)
            },
        ];
        Resolution { targets, facts }
    }
}

/// Blocks that were freed. The directory is not consulted.
#[derive(Clone, Debug, Default)]
struct Heaplets(Rc<BTreeSet<BaseId>>);

impl Sketch for Heaplets {
    fn resolve(heap: &mut Heap<Like<Self>>, cx: &mut Cx, access: &Access) -> Resolution {
        let mut resolution = heap.directory.resolve(cx, access.p, access.len, access.kind);
        for resolved in &mut resolution.targets {
            if let Target::Object { base, offset } = resolved.target
                && heap.model.sketch.0.contains(&base)
            {
                resolved.target = Target::Fault(Fault {
                    kind: FaultKind::UseAfterFree(access.kind),
                    base: Some(base),
                    offset: cx.word(offset),
                    len: None,
                });
            }
        }
        resolution
    }

    fn free(mut heap: Heap<Like<Self>>, cx: &mut Cx, p: Value) -> Branches<Like<Self>, ()> {
        let Value::Ptr { base, .. } = p else {
            panic!("the sketch frees blocks that are known")
        };
        let end = match Rc::make_mut(&mut heap.model.sketch.0).insert(base) {
            true => End::Done(()),
            false => End::Fault(Fault {
                kind: FaultKind::DoubleFree,
                base: Some(base),
                offset: cx.word_const(0),
                len: None,
            }),
        };
        Branches::only(cx.terms, heap, end)
    }
}

fn symbol(terms: &mut Terms, name: &str, width: u32) -> TermId {
    let symbol = terms.symbol_id(Symbol {
        name: name.into(),
        kind: SymbolKind::Input,
        sort: Sort::Bits(width),
    });
    terms.symbol(symbol)
}

fn with_cx<T>(terms: &mut Terms, act: impl FnOnce(&mut Cx) -> T) -> T {
    let mut solver = chain(&ChainOptions::default()).expect("the linked solver starts");
    act(&mut Cx {
        terms,
        solver: &mut *solver,
        path: &PathCondition::new(),
        budget: Budget::UNLIMITED,
        counters: &mut Counters::default(),
        site: NO_SITE,
        at: 0,
        calls: &NoCalls,
        seen: &[],
    })
}

/// A region is made by the access that needs it; every branch states what is known of its extent; the next access finds
/// it.
#[test]
fn a_model_can_make_objects_while_it_resolves() {
    let mut terms = Terms::new(64);
    let p = Value::Term(symbol(&mut terms, "p", 64));
    let heap: Heap<Like<Regions>> = Heap::new(64, &());
    let branches = with_cx(&mut terms, |cx| heap.store(cx, p, 4, Value::Int(7)));
    assert_eq!(branches.iter().count(), 2, "an object, or null");
    assert!(branches.iter().all(|branch| branch.facts.is_some()));
    let stored = branches.into_iter().find(|branch| matches!(branch.end, End::Done(())));
    let heap = stored.expect("the store may go well").memory;
    let again = with_cx(&mut terms, |cx| heap.load(cx, p, 4));
    assert!(again.iter().all(|branch| branch.facts.is_none()), "nothing new is made");
    let read = again.iter().find_map(|branch| match branch.end {
        End::Done(value) => Some(value),
        _ => None,
    });
    assert_eq!(read, Some(Value::Int(7)));
}

/// A model's own rules for `free` are the only ones.
#[test]
fn a_model_frees_by_its_own_rules() {
    let mut terms = Terms::new(64);
    let mut heap: Heap<Like<Heaplets>> = Heap::new(64, &());
    let what = Alloc {
        kind: BaseKind::Heap,
        size: Value::Int(8),
        align: 8,
        site: 1,
        init: Init::Zero,
    };
    let base = heap.fast_alloc(&mut terms, what).expect("there is room");
    let p = Value::Ptr { base, offset: 0 };
    let freed = with_cx(&mut terms, |cx| heap.free(cx, p)).sole().expect("one outcome");
    assert_eq!(freed.end, End::Done(()));
    let used = with_cx(&mut terms, |cx| {
        freed.memory.clone().check(cx, p, Value::Int(1), AccessKind::Read)
    });
    let kind = |end: &End<()>| match end {
        End::Fault(fault) => Some(fault.kind),
        _ => None,
    };
    let used = used.sole().expect("one outcome");
    assert_eq!(kind(&used.end), Some(FaultKind::UseAfterFree(AccessKind::Read)));
    let again = with_cx(&mut terms, |cx| freed.memory.free(cx, p))
        .sole()
        .expect("one outcome");
    assert_eq!(kind(&again.end), Some(FaultKind::DoubleFree));
}
