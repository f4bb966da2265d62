//! The points-to analysis on small programs: what is kept apart, and what belongs together.

mod common;

use common::load_with;
use mneme_program::*;

/// Compiles its own program and asks whether objects belong to one segment. `alloc(n)` in the source is the *n*th
/// allocation.
struct Case(Program);

impl Case {
    fn new(source: &str) -> Case {
        let head = "typedef unsigned long size_t; void *malloc(size_t); void *realloc(void *, size_t); void free(void *);\n\
                    void *memcpy(void *, const void *, size_t); int unknown(void);\n";
        Case(load_with(&format!("{head}{source}"), &Options::default()))
    }

    /// The sites of calls of allocators, by their place in the source.
    fn allocations(&self) -> Vec<SiteId> {
        let is_allocator = |id: FunctionId| matches!(self.0.function(id).name.as_str(), "malloc" | "realloc");
        let calls = self.0.functions.iter().flat_map(|function| &function.calls);
        let mut sites: Vec<SiteId> = calls
            .filter(|call| matches!(call.callee, Callee::Direct(id) if is_allocator(id)))
            .map(|call| call.site)
            .collect();
        let place = |site: &SiteId| {
            let loc = self.0.sites[site.index()].loc;
            (loc.line, loc.column)
        };
        sites.sort_by_key(place);
        sites
    }

    fn variable(&self, name: &str) -> SiteId {
        let named = |site: &Site| site.name.as_deref() == Some(name);
        SiteId(self.0.sites.iter().position(named).expect("a variable in memory") as u32)
    }

    #[track_caller]
    fn apart(&self, a: SiteId, b: SiteId) {
        let points_to = PointsTo::new(&self.0);
        assert_ne!(points_to.segment(a), points_to.segment(b), "{}", self.0);
    }

    #[track_caller]
    fn together(&self, a: SiteId, b: SiteId) {
        let points_to = PointsTo::new(&self.0);
        assert!(points_to.segment(a).is_some(), "the object is not seen");
        assert_eq!(points_to.segment(a), points_to.segment(b), "{}", self.0);
    }
}

#[test]
fn objects_that_no_pointer_confuses_are_apart() {
    let case = Case::new("int main(void) { int *a = malloc(4), *b = malloc(4); *a = 1; *b = 2; return *a + *b; }");
    let [a, b] = case.allocations()[..] else { panic!("two") };
    case.apart(a, b);
}

#[test]
fn objects_of_one_pointer_are_together() {
    let case = Case::new(
        "int main(void) { int *a = malloc(4), *b = malloc(4), *c = malloc(4); *c = 3;\n\
         int *p = unknown() ? a : b; *p = 1; return *c; }",
    );
    let [a, b, c] = case.allocations()[..] else {
        panic!("three")
    };
    case.together(a, b);
    case.apart(a, c);
}

#[test]
fn fields_are_distinguished_even_in_arrays() {
    let case = Case::new(
        "struct pair { int *x; long n; int *y; };\n\
         static struct pair table[10];\n\
         int main(void) { for (int i = 0; i < 10; i++) { table[i].x = malloc(4);\n\
         table[i].y = malloc(4); }\n\
         int k = unknown(); *table[k].x = 1; *table[k].y = 2; return 0; }",
    );
    let [x, y] = case.allocations()[..] else { panic!("two") };
    case.apart(x, y);
}

#[test]
fn a_pointer_that_walks_over_an_array_meets_the_same_fields() {
    let case = Case::new(
        "struct pair { int *x; int *y; };\n\
         int main(void) { struct pair *table = malloc(160);\n\
         for (struct pair *p = table; p < table + 10; p++) { p->x = malloc(4);\n\
         p->y = malloc(4); }\n\
         *table[unknown()].x = 1; *table[unknown()].y = 2; return *table->x; }",
    );
    let [table, x, y] = case.allocations()[..] else {
        panic!("three")
    };
    case.apart(x, y);
    case.apart(table, x);
}

#[test]
fn the_rows_of_hash_tables_share_a_segment_without_the_buckets() {
    // Fig. 3.1 of the thesis: one function makes the nodes of all tables.
    let case = Case::new(
        "typedef struct node { long data; unsigned key; struct node *next; } node;\n\
         typedef struct { node **buckets; size_t size; } table;\n\
         static void init(table *t, size_t n) { t->buckets = malloc(n * sizeof(node *)); t->size = n; }\n\
         static void insert(table *t, unsigned k) { node *p = malloc(sizeof *p); p->key = k;\n\
         p->next = t->buckets[k % t->size]; t->buckets[k % t->size] = p; }\n\
         int main(void) { table one, other; init(&one, 30); init(&other, 30); insert(&one, 1); insert(&other, 2);\n\
         for (node *p = one.buckets[unknown() % 30]; p; p = p->next) if (p->key == 1) return 1; return 0; }",
    );
    let [buckets, nodes] = case.allocations()[..] else {
        panic!("two")
    };
    case.apart(buckets, nodes);
    case.together(case.variable("one"), case.variable("other"));
}

#[test]
fn calls_through_pointers_are_followed() {
    let case = Case::new(
        "static int *make(void) { return malloc(4); }\n\
         static int *other(void) { return malloc(4); }\n\
         static int *(*const table[])(void) = {make, other};\n\
         int main(void) { int *p = table[unknown()](); *p = 1; return 0; }",
    );
    let [a, b] = case.allocations()[..] else { panic!("two") };
    case.together(a, b);
}

#[test]
fn copies_of_structures_keep_their_fields_apart() {
    let case = Case::new(
        "struct pair { int *x; int *y; };\n\
         static int use(struct pair by_value) { return *by_value.x; }\n\
         int main(void) { struct pair a, b, c; a.x = malloc(4);\n\
         a.y = malloc(4); memcpy(&b, &a, sizeof a); c = b; *c.x = 1; *c.y = 2; return use(c); }",
    );
    let [x, y] = case.allocations()[..] else { panic!("two") };
    case.apart(x, y);
    let copied = Case::new(
        "int main(void) { int *a = malloc(4), *b = malloc(4), *c;\n\
         int **from = unknown() ? &a : &b; char *to = (char *)&c;\n\
         for (int i = 0; i < 8; i++) to[i] = ((char *)from)[i];\n\
         *c = 1; return 0; }",
    );
    let [a, b] = copied.allocations()[..] else {
        panic!("two")
    };
    copied.together(a, b);
}

#[test]
fn variable_arguments_are_followed() {
    let case = Case::new(
        "static int last(int n, ...) { __builtin_va_list list; __builtin_va_start(list, n); int *p = 0;\n\
         while (n--) p = __builtin_va_arg(list, int *); __builtin_va_end(list); return *p; }\n\
         int main(void) { int *a = malloc(4), *b = malloc(4), *c = malloc(4); *c = 0; return last(2, a, b); }",
    );
    let [a, b, c] = case.allocations()[..] else {
        panic!("three")
    };
    case.together(a, b);
    case.apart(a, c);
}

#[test]
fn a_reallocated_block_keeps_what_it_held() {
    let case = Case::new(
        "int main(void) { int **p = malloc(8); p[0] = malloc(4);\n\
         p = realloc(p, 16); p[1] = malloc(4); int *q = p[unknown()]; *q = 1; return 0; }",
    );
    let [old, first, new, second] = case.allocations()[..] else {
        panic!("four")
    };
    case.together(first, second);
    case.apart(old, new);
    case.apart(old, first);
}

#[test]
fn the_start_of_a_structure_is_found_from_its_member() {
    let case = Case::new(
        "struct link { struct link *next; }; struct item { int *value; struct link link; };\n\
         int main(void) { struct item *item = malloc(sizeof *item); item->value = malloc(4);\n\
         struct link *l = &item->link; l->next = l;\n\
         struct item *back = (struct item *)((char *)l->next - __builtin_offsetof(struct item, link));\n\
         *back->value = 1; return 0; }",
    );
    let [item, value] = case.allocations()[..] else {
        panic!("two")
    };
    case.apart(item, value);
    let points_to = PointsTo::new(&case.0);
    let main = case.0.main.expect("main");
    let function = case.0.function(main);
    let written = (0..).zip(&function.code).filter_map(|(pc, inst)| match inst {
        Inst::Store { .. } => Some(points_to.targets(main, pc)),
        _ => None,
    });
    assert_eq!(written.last(), Some(vec![Targets::Sites(vec![value])]));
}

/// After `longjmp`, variables have the values they had when it was called.
#[test]
fn what_a_variable_becomes_before_longjmp_counts_after_setjmp() {
    let case = Case::new(
        "typedef long jmp_buf[25]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); static jmp_buf env;\n\
         int main(void) { int *a = malloc(4), *b = malloc(4), *c = malloc(4); *c = 3; int *p = a;\n\
         if (setjmp(env)) return *p; p = b; longjmp(env, 1); }",
    );
    let [a, b, c] = case.allocations()[..] else {
        panic!("three")
    };
    case.together(a, b);
    case.apart(a, c);
}
