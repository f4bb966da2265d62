//! The laws of memory for every model: see `mneme_testkit::laws`.

use mneme_memory::objects::Objects;
use mneme_memory::planes::Planes;
use mneme_memory::planes_naive::PlanesNaive;
use mneme_memory::{Config, Resolve};
use mneme_testkit::laws;

fn resolving(resolve: Resolve) -> Config {
    Config {
        resolve,
        ..Config::default()
    }
}

laws!(Objects, objects);
laws!(Objects, objects_fork, resolving(Resolve::Fork));
laws!(Objects, objects_merge, resolving(Resolve::Merge));
laws!(Objects, objects_dynamic_segments, resolving(Resolve::DynamicSegments));
laws!(Planes, planes);
laws!(PlanesNaive, planes_naive);
