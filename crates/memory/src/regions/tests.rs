//! The worked examples of *A Memory Model for Static Analysis of C Programs*: Table 1, sections 4.3, 5 and 6.

use super::region::{Field, Hierarchy, Region, RegionId, Shape, Space};
use super::{Options, Regions, Views};
use crate::Init;
use crate::testing::Bench;
use mneme_term::{BaseId, BaseKind, SymbolKind, TermId, Value};
use std::sync::Arc;

const INT: Shape = Shape::Scalar { bytes: 4 };
const POINTER: Shape = Shape::Scalar { bytes: 8 };

fn array(of: Shape, count: u64) -> Shape {
    Shape::Array {
        of: Arc::new(of),
        count: Some(count),
    }
}

fn structure(name: &str, shape: Shape) -> Shape {
    let bytes = shape.bytes().expect("it has a size");
    let field = Field {
        name: name.into(),
        at: 0,
        shape: Arc::new(shape),
    };
    Shape::Struct {
        bytes,
        fields: vec![field],
    }
}

/// Objects with names and shapes, as a program declares them.
struct Program {
    bench: Bench<Regions>,
    hierarchy: Hierarchy,
    objects: Vec<(&'static str, BaseId, Shape)>,
}

impl Program {
    fn new(views: Views) -> Program {
        let options = Options {
            views,
            ..Options::default()
        };
        Program {
            bench: Bench::with_options(64, &options),
            hierarchy: Hierarchy::default(),
            objects: Vec::new(),
        }
    }

    fn object(&mut self, name: &'static str, kind: BaseKind, shape: Shape) -> BaseId {
        let bytes = shape.bytes().expect("it has a size");
        let base = self.bench.alloc(kind, bytes, Init::Undefined);
        self.objects.push((name, base, shape));
        base
    }

    /// The region that a scalar of `n` bytes at a pointer is.
    fn region(&mut self, pointer: Value, n: u64) -> RegionId {
        let Value::Ptr { base, offset } = pointer else {
            panic!("a location is a region")
        };
        let (_, _, shape) = self.objects.iter().find(|(_, known, _)| *known == base).unwrap();
        let kind = self.bench.terms.base_info(base).kind;
        let object = self.hierarchy.object(base, kind);
        self.hierarchy.part(object, Some(shape), offset, n)
    }

    fn name(&self, region: RegionId) -> String {
        let object = |base: BaseId| {
            let known = self.objects.iter().find(|(_, known, _)| *known == base);
            known.map_or("?".into(), |(name, ..)| name.to_string())
        };
        self.hierarchy.name(region, &object, &|_: TermId| "p".into())
    }

    /// What the paper's tables print for a scalar.
    fn value(&mut self, base: BaseId, offset: u64, n: u32) -> String {
        match self.bench.load_at(base, offset, n) {
            Value::Int(number) => number.to_string(),
            Value::Ptr { base, offset: 0 } => self
                .objects
                .iter()
                .find(|(_, known, _)| *known == base)
                .unwrap()
                .0
                .into(),
            Value::Term(term) => {
                let symbols = self.bench.terms.symbols(term).to_vec();
                let undefined = |symbol| matches!(self.bench.terms.symbol_info(symbol).kind, SymbolKind::Uninit(_));
                assert!(symbols.into_iter().all(undefined));
                "undefined".into()
            }
            other => panic!("{other:?}"),
        }
    }
}

fn at(base: BaseId, offset: u64) -> Value {
    Value::Ptr { base, offset }
}

/// Table 1: what l-values are.
#[test]
fn expressions_have_the_regions_of_table_1() {
    let mut program = Program::new(Views::Bytes);
    let x = program.object("x", BaseKind::Stack, INT);
    let a = program.object("a", BaseKind::Global, array(INT, 4));
    let s = program.object("s", BaseKind::Stack, structure("d", INT));
    let p = program.object("p", BaseKind::Stack, POINTER);
    // variable x: VarRegion(x), in the space of its storage class.
    let region = program.region(at(x, 0), 4);
    assert_eq!(program.name(region), "x");
    let space = program.hierarchy.parent(region).unwrap();
    assert_eq!(*program.hierarchy.get(space), Region::Space(Space::Stack));
    assert_eq!(program.hierarchy.parent(space), None);
    // a[e]: ElementRegion(l-value(a), r-value(e)).
    let element = program.region(at(a, 8), 4);
    assert_eq!(program.name(element), "a[2]");
    let whole = program.hierarchy.parent(element).unwrap();
    assert_eq!(program.name(whole), "a");
    // s.d: FieldRegion(l-value(s), d); p->d with p = &s is the same region, and so is *&s.d.
    let field = program.region(at(s, 0), 4);
    assert_eq!(program.name(field), "s.d");
    program.bench.store_at(p, 0, 8, at(s, 0));
    let through = program.bench.load_at(p, 0, 8);
    assert_eq!(program.region(through, 4), field);
    // Arithmetic happens to elements; any other region is element 0 of itself.
    assert_eq!(program.hierarchy.moved(element, 1, 4), program.region(at(a, 12), 4));
    let own = program.hierarchy.moved(region, 1, 4);
    assert_eq!(program.name(own), "x[1]");
    // A symbolic pointer points to a region of its own.
    let term = program.bench.symbol("p", 64);
    let symbolic = program.hierarchy.symbolic(term);
    let next = program.hierarchy.field(symbolic, &"next".into());
    assert_eq!(program.name(next), "SymRegion{p}->next");
    assert_eq!(program.hierarchy.symbolic(term), symbolic);
}

/// Table 1: what r-values are, and which l-values `*` gives back.
#[test]
fn expressions_have_the_values_of_table_1() {
    let mut program = Program::new(Views::Bytes);
    let x = program.object("x", BaseKind::Stack, INT);
    let a = program.object("a", BaseKind::Global, array(INT, 4));
    let s = program.object("s", BaseKind::Stack, structure("d", INT));
    let p = program.object("p", BaseKind::Stack, POINTER);
    // constant n: n; variable x: Store(l-value(x)).
    program.bench.store_at(x, 0, 4, Value::Int(2));
    assert_eq!(program.value(x, 0, 4), "2");
    // a[e]: Store(l-value(a[e])), the element at r-value(e). The array itself has no value, its elements have theirs.
    let Value::Int(e) = program.bench.load_at(x, 0, 4) else {
        panic!("x is a number")
    };
    program.bench.store_at(a, 4 * e, 4, Value::Int(7));
    assert_eq!(program.value(a, 8, 4), "7");
    // s.d: Store(l-value(s.d)).
    program.bench.store_at(s, 0, 4, Value::Int(9));
    assert_eq!(program.value(s, 0, 4), "9");
    // &expr: l-value(expr), which is a value like any other.
    program.bench.store_at(p, 0, 8, at(s, 0));
    assert_eq!(program.value(p, 0, 8), "s");
    // *expr: its l-value is r-value(expr); p->d: Store(FieldRegion(r-value(p), d)).
    let to = program.bench.load_at(p, 0, 8);
    assert_eq!(program.region(to, 4), program.region(at(s, 0), 4));
    program.bench.store(to, 4, Value::Int(11));
    assert_eq!(program.value(s, 0, 4), "11");
    // alloca(n) and malloc(n): regions of their own, in the spaces of their storage classes.
    let space = |program: &mut Program, base: BaseId| {
        let mut region = program.region(at(base, 0), 4);
        while let Some(parent) = program.hierarchy.parent(region) {
            region = parent;
        }
        program.hierarchy.get(region).clone()
    };
    let local = program.object("AllocaReg0", BaseKind::Stack, array(INT, 2));
    let block = program.object("MallocReg0", BaseKind::Heap, array(INT, 2));
    let other = program.object("MallocReg1", BaseKind::Heap, array(INT, 2));
    assert_eq!(space(&mut program, local), Region::Space(Space::Stack));
    assert_eq!(space(&mut program, block), Region::Space(Space::Heap));
    assert_eq!(space(&mut program, a), Region::Space(Space::Static));
    assert_ne!(program.region(at(block, 4), 4), program.region(at(other, 4), 4));
}

/// The tables of section 5: `sp->p = &data; sp->p->d = 3; a[1] = data.d;`.
#[test]
fn values_are_bound_as_in_section_5() {
    let mut program = Program::new(Views::Bytes);
    let data = program.object("data", BaseKind::Stack, structure("d", INT));
    let sp = program.object("sp", BaseKind::Stack, POINTER);
    let a = program.object("a", BaseKind::Stack, array(INT, 2));
    let state = |program: &mut Program, block: Option<BaseId>| {
        let mut all = vec![
            program.value(data, 0, 4),
            program.value(sp, 0, 8),
            program.value(a, 0, 4),
            program.value(a, 4, 4),
        ];
        all.extend(block.map(|block| program.value(block, 0, 8)));
        all.join(" ")
    };
    let start = state(&mut program, None);
    assert_eq!(start, "undefined undefined undefined undefined");
    // sp = malloc(sizeof(struct s2));
    let block = program.object("MallocReg0", BaseKind::Heap, structure("p", POINTER));
    program.bench.store_at(sp, 0, 8, at(block, 0));
    let made = state(&mut program, Some(block));
    assert_eq!(made, "undefined MallocReg0 undefined undefined undefined");
    // sp->p = &data;
    let to = program.bench.load_at(sp, 0, 8);
    program.bench.store(to, 8, at(data, 0));
    let linked = state(&mut program, Some(block));
    assert_eq!(linked, "undefined MallocReg0 undefined undefined data");
    // sp->p->d = 3;
    let to = program.bench.load_at(block, 0, 8);
    program.bench.store(to, 4, Value::Int(3));
    let set = state(&mut program, Some(block));
    assert_eq!(set, "3 MallocReg0 undefined undefined data");
    // a[1] = data.d;
    let read = program.bench.load_at(data, 0, 4);
    program.bench.store_at(a, 4, 4, read);
    let end = state(&mut program, Some(block));
    assert_eq!(end, "3 MallocReg0 undefined 3 data");
    let names: Vec<_> = [(data, 0, 4), (sp, 0, 8), (a, 0, 4), (a, 4, 4), (block, 0, 8)]
        .map(|(base, offset, n)| {
            let region = program.region(at(base, offset), n);
            program.name(region)
        })
        .into();
    assert_eq!(names, ["data.d", "sp", "a[0]", "a[1]", "MallocReg0.p"]);
}

/// Section 4.3: `buf1[0] = 'a'; buf2[0] = 0; char c = buf1[0];` on one block. The paper says that `c` is undefined, a
/// machine that it is 0.
#[test]
fn a_view_hides_the_bindings_of_another_where_the_paper_says_so() {
    for (views, expected) in [(Views::Bytes, "0"), (Views::Paper, "undefined")] {
        let mut program = Program::new(views);
        let block = program.object("block", BaseKind::Heap, array(Shape::Scalar { bytes: 1 }, 10));
        program.bench.store_at(block, 0, 1, Value::Int(b'a'.into()));
        assert_eq!(program.value(block, 0, 1), "97");
        program.bench.store_at(block, 0, 4, Value::Int(0));
        assert_eq!(program.value(block, 0, 4), "0");
        assert_eq!(program.value(block, 0, 1), expected, "{views:?}");
        // The view that is written is in effect; the rest of the other one is lost.
        program.bench.store_at(block, 1, 1, Value::Int(7));
        assert_eq!(program.value(block, 1, 1), "7");
        let rest = program.value(block, 2, 2);
        assert_eq!(rest, expected, "{views:?}");
    }
}

/// Section 6: `buf.data[1]` and `p->data[1]` are the same region, so the path to the null dereference of `q` has the
/// condition $1 != 1 and $1 == 1.
#[test]
fn one_symbol_for_one_object_refutes_the_path_of_section_6() {
    let mut program = Program::new(Views::Bytes);
    let buf = program.object("buf", BaseKind::Stack, structure("data", array(INT, 2)));
    let symbol = program.bench.symbol("$1", 32);
    program.bench.store_at(buf, 4, 4, Value::Term(symbol));
    let p = program.object("p", BaseKind::Stack, POINTER);
    program.bench.store_at(p, 0, 8, at(buf, 0));
    let Value::Ptr { base, offset } = program.bench.load_at(p, 0, 8) else {
        panic!("p is a pointer")
    };
    let (direct, through) = (program.region(at(buf, 4), 4), program.region(at(base, offset + 4), 4));
    assert_eq!((direct, &*program.name(direct)), (through, "buf.data[1]"));
    let one = program.bench.terms.constant(32, 1);
    let first = program.bench.load_at(buf, 4, 4);
    let second = program.bench.load_at(base, offset + 4, 4);
    let [first, second] = [first, second].map(|value| program.bench.terms.of_value(value, 32));
    let (is_one, is_one_again) = (program.bench.terms.eq(first, one), program.bench.terms.eq(second, one));
    let not_one = program.bench.terms.not(is_one);
    program.bench.assume(not_one);
    assert!(!program.bench.may(is_one_again));
}
