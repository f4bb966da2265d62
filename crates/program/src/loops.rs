//! Natural loops of a function: each is closed by a back edge to a dominating block.
//!
//! Back edges to the same header form one loop. A cycle that is entered at several places is not a natural loop and has
//! no entry here.

use crate::ir::{Block, BlockId, EdgeId, Function};

/// The loops of a function, outer before inner.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    all: Vec<Loop>,
    /// For each block its innermost loop.
    innermost: Vec<Option<u32>>,
}

#[derive(Clone, Debug)]
pub struct Loop {
    /// Every path into the loop leads through it.
    pub header: BlockId,
    /// All blocks, those of inner loops included, in order.
    pub blocks: Vec<BlockId>,
    /// Edges back to the header.
    pub back: Vec<EdgeId>,
    /// Edges that leave the loop.
    pub exits: Vec<EdgeId>,
    /// The next outer loop.
    pub parent: Option<u32>,
    /// Its nesting depth, itself included.
    pub depth: u32,
}

impl Loop {
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.binary_search(&block).is_ok()
    }
}

impl Loops {
    pub fn of(function: &Function) -> Loops {
        let edges = Edges::of(function);
        let mut loops = find(&function.blocks);
        for found in &mut loops.all {
            for &block in &found.blocks {
                for &edge in &edges.of_block[block.0 as usize] {
                    let target = function.edges[edge.index()].target;
                    if target == found.header {
                        found.back.push(edge);
                    } else if found.blocks.binary_search(&target).is_err() {
                        found.exits.push(edge);
                    }
                }
            }
        }
        loops
    }

    pub fn all(&self) -> &[Loop] {
        &self.all
    }

    pub fn get(&self, index: u32) -> &Loop {
        &self.all[index as usize]
    }

    /// The number of the innermost loop that a block is in.
    pub fn innermost(&self, block: BlockId) -> Option<u32> {
        self.innermost.get(block.0 as usize).copied().flatten()
    }

    /// Whether a loop contains others.
    pub fn is_outer(&self, index: u32) -> bool {
        self.all.iter().any(|found| found.parent == Some(index))
    }

    /// The number of the loop that has this block as its header.
    pub fn headed_by(&self, block: BlockId) -> Option<u32> {
        let index = self.innermost(block)?;
        (self.get(index).header == block).then_some(index)
    }
}

/// The edges that leave each block.
struct Edges {
    of_block: Vec<Vec<EdgeId>>,
}

impl Edges {
    fn of(function: &Function) -> Edges {
        let of_block = function.blocks.iter().map(|block| match block.end.checked_sub(1) {
            Some(last) if block.end > block.start => {
                let mut edges = function.code[last as usize].edges(function);
                edges.sort();
                edges.dedup();
                edges
            }
            _ => Vec::new(),
        });
        Edges {
            of_block: of_block.collect(),
        }
    }
}

/// Headers, blocks and nesting.
fn find(blocks: &[Block]) -> Loops {
    let dominators = Dominators::of(blocks);
    let mut all: Vec<Loop> = Vec::new();
    for &header in &dominators.order {
        let header = BlockId(header);
        let closes = |&&block: &&u32| {
            let leads_back = blocks[block as usize].successors.contains(&header);
            leads_back && dominators.dominates(header.0, block)
        };
        let latches: Vec<u32> = dominators.order.iter().filter(closes).copied().collect();
        if !latches.is_empty() {
            all.push(Loop {
                header,
                blocks: body(&dominators, header.0, latches),
                back: Vec::new(),
                exits: Vec::new(),
                parent: None,
                depth: 1,
            });
        }
    }
    // Of two loops that share blocks one contains the other.
    all.sort_by_key(|found| (std::cmp::Reverse(found.blocks.len()), found.header));
    let mut innermost: Vec<Option<u32>> = vec![None; blocks.len()];
    for index in 0..all.len() {
        let parent = innermost[all[index].header.0 as usize];
        all[index].parent = parent;
        all[index].depth = parent.map_or(1, |parent| all[parent as usize].depth + 1);
        for block in &all[index].blocks {
            innermost[block.0 as usize] = Some(index as u32);
        }
    }
    Loops { all, innermost }
}

/// The blocks that reach a latch without going through the header.
fn body(dominators: &Dominators, header: u32, latches: Vec<u32>) -> Vec<BlockId> {
    let mut inside = vec![header];
    let mut open = latches;
    while let Some(block) = open.pop() {
        if !inside.contains(&block) {
            inside.push(block);
            open.extend(&dominators.predecessors[block as usize]);
        }
    }
    inside.sort();
    inside.into_iter().map(BlockId).collect()
}

/// Immediate dominators (Cooper, Harvey, Kennedy: *A Simple, Fast Dominance Algorithm*).
struct Dominators {
    /// Reachable blocks in reverse postorder.
    order: Vec<u32>,
    /// For each block its place in `order`.
    place: Vec<Option<usize>>,
    /// For each place the place of its immediate dominator.
    immediate: Vec<usize>,
    /// Reachable ones.
    predecessors: Vec<Vec<u32>>,
}

impl Dominators {
    fn of(blocks: &[Block]) -> Dominators {
        let order = reverse_postorder(blocks);
        let mut place = vec![None; blocks.len()];
        let mut predecessors = vec![Vec::new(); blocks.len()];
        for (index, &block) in order.iter().enumerate() {
            place[block as usize] = Some(index);
            for successor in &blocks[block as usize].successors {
                predecessors[successor.0 as usize].push(block);
            }
        }
        let mut immediate: Vec<Option<usize>> = vec![None; order.len()];
        if let Some(first) = immediate.first_mut() {
            *first = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (index, &block) in order.iter().enumerate().skip(1) {
                let known = predecessors[block as usize]
                    .iter()
                    .filter_map(|&before| place[before as usize])
                    .filter(|&before| immediate[before].is_some());
                let common = known.reduce(|a, b| meet(&immediate, a, b));
                if immediate[index] != common {
                    immediate[index] = common;
                    changed = true;
                }
            }
        }
        Dominators {
            immediate: immediate.into_iter().map(|one| one.expect("reachable")).collect(),
            order,
            place,
            predecessors,
        }
    }

    fn dominates(&self, above: u32, below: u32) -> bool {
        let (Some(above), Some(mut below)) = (self.place[above as usize], self.place[below as usize]) else {
            return false;
        };
        while below > above {
            below = self.immediate[below];
        }
        below == above
    }
}

fn meet(immediate: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        *later = immediate[*later].expect("its place is known");
    }
    a
}

fn reverse_postorder(blocks: &[Block]) -> Vec<u32> {
    let mut order = Vec::new();
    if blocks.is_empty() {
        return order;
    }
    let mut seen = vec![false; blocks.len()];
    seen[0] = true;
    let mut open: Vec<(u32, usize)> = vec![(0, 0)];
    while let Some((block, next)) = open.last_mut() {
        match blocks[*block as usize].successors.get(*next) {
            Some(successor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[successor.0 as usize], true) {
                    open.push((successor.0, 0));
                }
            }
            None => {
                order.push(*block);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(successors: &[&[u32]]) -> Vec<Block> {
        let block = |to: &&[u32]| Block {
            start: 0,
            end: 0,
            successors: to.iter().map(|&b| BlockId(b)).collect(),
        };
        successors.iter().map(block).collect()
    }

    fn shape(loops: &Loops) -> Vec<(u32, Vec<u32>, Option<u32>, u32)> {
        let blocks = |found: &Loop| found.blocks.iter().map(|b| b.0).collect();
        let one = |found: &Loop| (found.header.0, blocks(found), found.parent, found.depth);
        loops.all().iter().map(one).collect()
    }

    #[test]
    fn a_while_loop_is_its_header_and_its_body() {
        let loops = find(&graph(&[&[1], &[2, 3], &[1], &[]]));
        assert_eq!(shape(&loops), [(1, vec![1, 2], None, 1)]);
        assert_eq!(loops.innermost(BlockId(2)), Some(0));
        assert_eq!(loops.innermost(BlockId(3)), None);
        assert_eq!(loops.headed_by(BlockId(1)), Some(0));
        assert_eq!(loops.headed_by(BlockId(2)), None);
    }

    #[test]
    fn a_block_that_leads_to_itself_is_a_loop() {
        let loops = find(&graph(&[&[1], &[1, 2], &[]]));
        assert_eq!(shape(&loops), [(1, vec![1], None, 1)]);
    }

    #[test]
    fn inner_loops_know_their_outer_one() {
        // 1 { 2 { 3 } 4 { 5 } }
        let loops = find(&graph(&[&[1], &[2, 6], &[3, 4], &[2], &[5, 1], &[4], &[]]));
        assert_eq!(
            shape(&loops),
            [
                (1, vec![1, 2, 3, 4, 5], None, 1),
                (2, vec![2, 3], Some(0), 2),
                (4, vec![4, 5], Some(0), 2)
            ]
        );
        assert_eq!(loops.innermost(BlockId(5)), Some(2));
    }

    #[test]
    fn continue_makes_two_back_edges_of_one_loop() {
        let loops = find(&graph(&[&[1], &[2, 4], &[1, 3], &[1], &[]]));
        assert_eq!(shape(&loops), [(1, vec![1, 2, 3], None, 1)]);
    }

    #[test]
    fn a_cycle_with_two_entries_is_not_a_natural_loop() {
        let loops = find(&graph(&[&[1, 2], &[2, 3], &[1], &[]]));
        assert_eq!(shape(&loops), []);
    }

    #[test]
    fn unreachable_blocks_belong_nowhere() {
        let loops = find(&graph(&[&[1], &[], &[1, 2]]));
        assert_eq!(shape(&loops), []);
        let loops = find(&graph(&[&[1], &[1, 3], &[1], &[]]));
        assert_eq!(shape(&loops), [(1, vec![1], None, 1)]);
    }
}
