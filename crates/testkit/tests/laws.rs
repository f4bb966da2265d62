//! The laws of memory for every model: see `mneme_testkit::laws`.

use mneme_memory::objects::Objects;
use mneme_memory::planes::Planes;
use mneme_memory::planes_naive::PlanesNaive;
use mneme_testkit::laws;

laws!(Objects, objects);
laws!(Planes, planes);
laws!(PlanesNaive, planes_naive);
