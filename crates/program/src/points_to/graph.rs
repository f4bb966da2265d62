//! Inclusion constraints between sets of locations, and their least solution (Andersen), by difference propagation.
//!
//! A node is a value: a slot, a constant, or a *cell* of an object, which is what one kind of store leaves at a
//! location. A load reads all cells that it overlaps, including those added later.

use super::location::{Location, Set, Shift, gcd};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

pub type Node = u32;

/// An object with more cells than this has a single one for all further locations.
const CELLS: usize = 96;
/// The most steps of the analysis, about a second: in some programs every pointer may refer to everything.
const MOST_STEPS: u64 = 4_000_000;
/// An unknown length.
pub const ALL: u64 = u64::MAX >> 1;

#[derive(Default)]
struct Values {
    set: Set,
    /// What was added and not yet propagated.
    fresh: Vec<Location>,
    copies: Vec<(Node, Shift)>,
    loads: Vec<(u64, Node)>,
    stores: Vec<(u64, Node)>,
    /// Block copies that have it as source or destination.
    sources: Vec<usize>,
    destinations: Vec<usize>,
    /// The calls that go through it.
    calls: Vec<u32>,
}

/// What is known of the contents of an object.
#[derive(Default)]
struct Contents {
    cells: Vec<(Location, u64, Node)>,
    readers: Vec<(Location, u64, Node)>,
    /// From this location, this many bytes, to that location.
    copiers: Vec<(Location, u64, Location)>,
}

struct BlockCopy {
    to: Node,
    from: Node,
    len: u64,
}

#[derive(Default)]
pub struct Graph {
    nodes: Vec<Values>,
    contents: Vec<Contents>,
    edges: FxHashSet<(Node, Node, Shift)>,
    links: FxHashSet<(Location, u64, Location)>,
    blocks: Vec<BlockCopy>,
    reads: FxHashSet<(Location, u64, Node)>,
    work: VecDeque<Node>,
    steps: u64,
    /// Functions that calls were found to reach: the object and the call.
    pub reached: Vec<(u32, u32)>,
}

impl Graph {
    pub fn node(&mut self) -> Node {
        self.nodes.push(Values::default());
        self.nodes.len() as Node - 1
    }

    pub fn nodes(&mut self, count: u32) -> Node {
        let first = self.nodes.len() as Node;
        (0..count).for_each(|_| self.nodes.push(Values::default()));
        first
    }

    pub fn object(&mut self) -> u32 {
        self.contents.push(Contents::default());
        self.contents.len() as u32 - 1
    }

    pub fn set(&self, node: Node) -> &Set {
        &self.nodes[node as usize].set
    }

    /// Whether it took too long: then the solution is incomplete.
    pub fn gave_up(&self) -> bool {
        self.steps > MOST_STEPS
    }

    pub fn add(&mut self, node: Node, location: Location) {
        self.steps += 1;
        let values = &mut self.nodes[node as usize];
        if let Some(added) = values.set.insert(location) {
            if values.fresh.is_empty() {
                self.work.push_back(node);
            }
            values.fresh.push(added);
        }
    }

    /// `to` gets what `from` has, shifted.
    pub fn copy(&mut self, from: Node, to: Node, shift: Shift) {
        if (from == to && shift == Shift::NONE) || !self.edges.insert((from, to, shift)) {
            return;
        }
        self.nodes[from as usize].copies.push((to, shift));
        let known: Vec<Location> = self.set(from).iter().collect();
        known.into_iter().for_each(|at| self.add(to, at.shifted(shift)));
    }

    /// `dst` gets what the `bytes` bytes at `ptr` hold.
    pub fn load(&mut self, ptr: Node, bytes: u64, dst: Node) {
        self.nodes[ptr as usize].loads.push((bytes, dst));
        let known: Vec<Location> = self.set(ptr).iter().collect();
        known.into_iter().for_each(|at| self.read(at, bytes, dst));
    }

    pub fn store(&mut self, ptr: Node, bytes: u64, value: Node) {
        self.nodes[ptr as usize].stores.push((bytes, value));
        let known: Vec<Location> = self.set(ptr).iter().collect();
        known.into_iter().for_each(|at| self.write(at, bytes, value));
    }

    pub fn block_copy(&mut self, to: Node, from: Node, len: u64) {
        let index = self.blocks.len();
        self.blocks.push(BlockCopy { to, from, len });
        self.nodes[from as usize].sources.push(index);
        self.nodes[to as usize].destinations.push(index);
        let known: Vec<Location> = self.set(from).iter().collect();
        known.into_iter().for_each(|at| self.copy_from(index, at));
    }

    /// `call` calls every function that `callee` refers to.
    pub fn call(&mut self, callee: Node, call: u32) {
        self.nodes[callee as usize].calls.push(call);
        let known: Vec<u32> = self.set(callee).objects().collect();
        self.reached.extend(known.into_iter().map(|object| (object, call)));
    }

    /// Propagates until a call reaches a new function or nothing is new.
    pub fn propagate(&mut self) {
        while !self.gave_up()
            && let Some(node) = self.work.pop_front()
        {
            let fresh = std::mem::take(&mut self.nodes[node as usize].fresh);
            for index in 0..self.nodes[node as usize].copies.len() {
                let (to, shift) = self.nodes[node as usize].copies[index];
                fresh.iter().for_each(|at| self.add(to, at.shifted(shift)));
            }
            for index in 0..self.nodes[node as usize].loads.len() {
                let (bytes, dst) = self.nodes[node as usize].loads[index];
                fresh.iter().for_each(|&at| self.read(at, bytes, dst));
            }
            for index in 0..self.nodes[node as usize].stores.len() {
                let (bytes, value) = self.nodes[node as usize].stores[index];
                fresh.iter().for_each(|&at| self.write(at, bytes, value));
            }
            for index in 0..self.nodes[node as usize].sources.len() {
                let block = self.nodes[node as usize].sources[index];
                fresh.iter().for_each(|&at| self.copy_from(block, at));
            }
            for index in 0..self.nodes[node as usize].destinations.len() {
                let block = self.nodes[node as usize].destinations[index];
                fresh.iter().for_each(|&at| self.copy_to(block, at));
            }
            for &call in &self.nodes[node as usize].calls {
                self.reached.extend(fresh.iter().map(|at| (at.object, call)));
            }
        }
    }

    fn read(&mut self, at: Location, bytes: u64, dst: Node) {
        let reader = (at, bytes, dst);
        if !self.reads.insert(reader) {
            return;
        }
        let contents = &mut self.contents[at.object as usize];
        contents.readers.push(reader);
        self.steps += contents.cells.len() as u64;
        let met = contents.cells.iter();
        let met: Vec<Node> = met
            .filter(|(place, size, _)| place.meets(*size, at, bytes))
            .map(|cell| cell.2)
            .collect();
        met.into_iter().for_each(|cell| self.copy(cell, dst, Shift::NONE));
    }

    fn write(&mut self, at: Location, bytes: u64, value: Node) {
        let cell = self.cell(at, bytes);
        self.copy(value, cell, Shift::NONE);
    }

    /// What is stored at a location.
    pub fn cell(&mut self, at: Location, bytes: u64) -> Node {
        let find = |contents: &Contents, at: Location, bytes: u64| {
            let mut cells = contents.cells.iter();
            cells
                .find(|(place, size, _)| (*place, *size) == (at, bytes))
                .map(|cell| cell.2)
        };
        let contents = &self.contents[at.object as usize];
        if let Some(cell) = find(contents, at, bytes) {
            return cell;
        }
        let (mut at, mut bytes) = (at, bytes);
        if contents.cells.len() >= CELLS {
            (at, bytes) = (at.shifted(Shift::ANYWHERE), 1);
            if let Some(cell) = find(contents, at, bytes) {
                return cell;
            }
        }
        let cell = self.node();
        let contents = &mut self.contents[at.object as usize];
        contents.cells.push((at, bytes, cell));
        self.steps += contents.readers.len() as u64;
        let readers: Vec<Node> = contents
            .readers
            .iter()
            .filter(|(place, size, _)| place.meets(*size, at, bytes))
            .map(|reader| reader.2)
            .collect();
        let copiers: Vec<(Location, Location)> = contents
            .copiers
            .iter()
            .filter(|(from, len, _)| from.meets(*len, at, bytes))
            .map(|&(from, _, to)| (from, to))
            .collect();
        readers.into_iter().for_each(|dst| self.copy(cell, dst, Shift::NONE));
        copiers
            .into_iter()
            .for_each(|(from, to)| self.move_cell((at, bytes, cell), from, to));
        cell
    }

    fn copy_from(&mut self, block: usize, from: Location) {
        let BlockCopy { to, len, .. } = self.blocks[block];
        let known: Vec<Location> = self.set(to).iter().collect();
        known.into_iter().for_each(|to| self.link(from, len, to));
    }

    fn copy_to(&mut self, block: usize, to: Location) {
        let BlockCopy { from, len, .. } = self.blocks[block];
        let known: Vec<Location> = self.set(from).iter().collect();
        known.into_iter().for_each(|from| self.link(from, len, to));
    }

    fn link(&mut self, from: Location, len: u64, to: Location) {
        if !self.links.insert((from, len, to)) {
            return;
        }
        let contents = &mut self.contents[from.object as usize];
        contents.copiers.push((from, len, to));
        let met = contents.cells.iter();
        let met: Vec<(Location, u64, Node)> = met
            .filter(|(place, size, _)| place.meets(*size, from, len))
            .copied()
            .collect();
        met.into_iter().for_each(|cell| self.move_cell(cell, from, to));
    }

    /// A cell of a copied block appears at the same distance from the start of the copy.
    fn move_cell(&mut self, (at, bytes, cell): (Location, u64, Node), from: Location, to: Location) {
        let offset = at.offset.wrapping_sub(from.offset).wrapping_add(to.offset);
        let stride = gcd(gcd(at.stride, from.stride), to.stride);
        let copy = self.cell(Location::new(to.object, offset, stride), bytes);
        self.copy(cell, copy, Shift::NONE);
    }
}
