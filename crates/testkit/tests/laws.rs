//! The laws of memory for every model: see `mneme_testkit::laws`.

use mneme_memory::heaplets::{AllocCheck, Heaplets, Options as HeapletsOptions};
use mneme_memory::objects::{Objects, Options, PieceSize, Resolve, Split};
use mneme_memory::planes::Planes;
use mneme_memory::planes_naive::{self as naive, PlanesNaive, Reads};
use mneme_memory::regions::Regions;
use mneme_testkit::example::Example;
use mneme_testkit::laws;
use std::sync::Arc;

fn resolving(resolve: Resolve) -> Options {
    Options {
        resolve,
        ..Options::default()
    }
}

/// Pieces so small that there are borders everywhere.
fn splitting(resolve: Resolve) -> Options {
    let split = Split {
        size: PieceSize::Bytes(8),
        above: 8,
    };
    Options {
        split: Some(split),
        ..resolving(resolve)
    }
}

/// One pointer may refer to any object.
fn in_one_part() -> Options {
    Options {
        partition: Some(Arc::new(vec![Some(0); 1 << 10])),
        ..resolving(Resolve::StaticSegments)
    }
}

/// A read is an expression over all writes, simplified by the solver.
fn simplifying() -> naive::Options {
    naive::Options { reads: Reads::Solver }
}

/// A query for each heaplet.
fn by_queries() -> HeapletsOptions {
    HeapletsOptions {
        check: AllocCheck::Smt,
        ..HeapletsOptions::default()
    }
}

laws!(Heaplets, heaplets);
laws!(Heaplets, heaplets_smt, by_queries());
laws!(Objects, objects);
laws!(Objects, objects_static_segments, in_one_part());
laws!(Objects, objects_fork_split, splitting(Resolve::Fork));
laws!(Objects, objects_merge_split, splitting(Resolve::Merge));
laws!(
    Objects,
    objects_dynamic_segments_split,
    splitting(Resolve::DynamicSegments)
);
laws!(Objects, objects_fork, resolving(Resolve::Fork));
laws!(Objects, objects_merge, resolving(Resolve::Merge));
laws!(Objects, objects_dynamic_segments, resolving(Resolve::DynamicSegments));
laws!(Example, example);
laws!(Planes, planes);
laws!(PlanesNaive, planes_naive);
laws!(PlanesNaive, planes_naive_simplified, simplifying());
laws!(Regions, regions);
