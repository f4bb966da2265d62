//! Which objects a pointer may refer to: a points-to analysis of the whole program (thesis §3.1).
//!
//! Inclusion-based (Andersen), flow- and context-insensitive, field-sensitive: contents are distinguished by constant
//! offsets and, if an index is variable, by their distance modulo its scale, so that one field of all elements of an
//! array is one place. Calls through pointers are resolved on the fly. An abstract object stands for everything that
//! one site makes.
//!
//! ```text
//! let points_to = PointsTo::new(&program);
//! points_to.partition(&program)               // all of the next
//! points_to.segment(site)                     // objects of sites with one number belong into one segment (§3.2.3.1)
//! points_to.targets(function, pc)             // the sites that the pointers of an access may refer to
//! ```
//!
//! Segments are the finest partition of objects in which no dereferenced pointer refers to two parts. A call site of
//! the program that calls the C library stands for what is allocated inside the call, as it does when the program runs.
//!
//! Pointers computed by other means than sums, differences and masks (a product, shifted bits), and values stored
//! through an unknown pointer, are not followed. Users of the result must check where a pointer really leads.

mod collect;
mod graph;
mod location;

use crate::ir::{FunctionId, Program, SiteId};
use collect::Collector;
use graph::Node;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Pointee {
    /// Arguments of the program, and the results of unknown functions.
    Unknown,
    Site(SiteId),
    Function(FunctionId),
    /// Made by the engine for a function: its variable arguments.
    Engine,
}

const UNKNOWN: u32 = 0;

/// What a pointer may refer to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Targets {
    /// Objects of these sites only, in order; functions included.
    Sites(Vec<SiteId>),
    Anything,
}

impl Targets {
    pub fn include(&self, site: SiteId) -> bool {
        match self {
            Targets::Anything => true,
            Targets::Sites(sites) => sites.binary_search(&site).is_ok(),
        }
    }
}

/// Number of a segment.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegmentId(pub u32);

pub struct PointsTo<'p> {
    collector: Collector<'p>,
    /// The objects that a site of the program stands for in addition to its own.
    stands_for: FxHashMap<SiteId, BTreeSet<u32>>,
    segments: Vec<u32>,
}

impl<'p> PointsTo<'p> {
    pub fn new(program: &'p Program) -> PointsTo<'p> {
        let mut collector = Collector::new(program);
        collector.run();
        let stands_for = library_allocations(program, &collector);
        let segments = segments(&collector, &stands_for);
        PointsTo {
            collector,
            stands_for,
            segments,
        }
    }

    /// The segment that the objects of a site belong to. `None`: the analysis knows no such object.
    pub fn segment(&self, site: SiteId) -> Option<SegmentId> {
        if self.gave_up() {
            return None;
        }
        let object = self.objects_of(site).next()?;
        Some(SegmentId(self.segments[object as usize]))
    }

    /// Whether the analysis took too long: then nothing is known.
    pub fn gave_up(&self) -> bool {
        self.collector.graph.gave_up()
    }

    /// The segment of each site, by its number.
    pub fn partition(&self, program: &Program) -> Vec<Option<SegmentId>> {
        (0..program.sites.len() as u32)
            .map(|site| self.segment(SiteId(site)))
            .collect()
    }

    /// What the pointer of an instruction that accesses memory may refer to; for a copy, the destination's targets come
    /// first.
    pub fn targets(&self, function: FunctionId, pc: u32) -> Vec<Targets> {
        let nodes = self.collector.accesses.get(&(function, pc));
        nodes.into_iter().flatten().map(|&node| self.targets_of(node)).collect()
    }

    fn targets_of(&self, node: Node) -> Targets {
        if self.gave_up() {
            return Targets::Anything;
        }
        let objects: BTreeSet<u32> = self.collector.graph.set(node).objects().collect();
        let known = |object: &u32| {
            let object = self.collector.objects[*object as usize];
            matches!(object, Pointee::Site(_) | Pointee::Function(_))
        };
        if !objects.iter().all(known) {
            return Targets::Anything;
        }
        let own = self.collector.by_site.iter();
        let own = own
            .filter(|(_, object)| objects.contains(object))
            .map(|(site, _)| *site);
        let through = self.stands_for.iter();
        let through = through.filter(|(_, through)| !through.is_disjoint(&objects));
        let mut sites: Vec<SiteId> = own.chain(through.map(|(site, _)| *site)).collect();
        sites.sort();
        sites.dedup();
        Targets::Sites(sites)
    }

    fn objects_of(&self, site: SiteId) -> impl Iterator<Item = u32> {
        let own = self.collector.by_site.get(&site).copied();
        let through = self.stands_for.get(&site).into_iter().flatten().copied();
        own.into_iter().chain(through)
    }
}

/// What is allocated inside the C library on behalf of each call in the program itself.
fn library_allocations(program: &Program, collector: &Collector) -> FxHashMap<SiteId, BTreeSet<u32>> {
    let mut inside: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); program.functions.len()];
    for (index, function) in program.functions.iter().enumerate().filter(|(_, f)| f.runtime) {
        let made = function
            .calls
            .iter()
            .filter_map(|call| collector.by_site.get(&call.site));
        inside[index].extend(made);
    }
    let library = |id: FunctionId| program.function(id).runtime;
    loop {
        let mut changed = false;
        for &(caller, _, callee) in &collector.links {
            if library(caller) && library(callee) && caller != callee {
                let more: Vec<u32> = inside[callee.index()]
                    .difference(&inside[caller.index()])
                    .copied()
                    .collect();
                changed |= !more.is_empty();
                inside[caller.index()].extend(more);
            }
        }
        if !changed {
            break;
        }
    }
    let mut out: FxHashMap<SiteId, BTreeSet<u32>> = FxHashMap::default();
    for &(caller, call, callee) in &collector.links {
        if !library(caller) && library(callee) {
            let site = program.function(caller).calls[call.index()].site;
            out.entry(site).or_default().extend(&inside[callee.index()]);
        }
    }
    out
}

fn segments(collector: &Collector, stands_for: &FxHashMap<SiteId, BTreeSet<u32>>) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..collector.objects.len() as u32).collect();
    let unite = |parents: &mut Vec<u32>, objects: &mut dyn Iterator<Item = u32>| {
        let mut first = None;
        for object in objects {
            if !matches!(collector.objects[object as usize], Pointee::Site(_)) {
                continue;
            }
            let root = root(parents, object);
            let known = *first.get_or_insert(root);
            let (low, high) = (known.min(root), known.max(root));
            parents[high as usize] = low;
            first = Some(low);
        }
    };
    for &node in collector.accesses.values().flatten() {
        unite(&mut parents, &mut collector.graph.set(node).objects());
    }
    let mut sites: Vec<&SiteId> = stands_for.keys().collect();
    sites.sort();
    for site in sites {
        unite(&mut parents, &mut stands_for[site].iter().copied());
    }
    (0..parents.len() as u32)
        .map(|object| root(&mut parents, object))
        .collect()
}

fn root(parents: &mut [u32], mut object: u32) -> u32 {
    while parents[object as usize] != object {
        let up = parents[parents[object as usize] as usize];
        parents[object as usize] = up;
        object = up;
    }
    object
}
