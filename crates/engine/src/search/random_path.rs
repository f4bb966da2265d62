//! Random walks from the root of the tree of forks: each branching point is a coin, so that states high in the tree,
//! with few constraints, are preferred and loops that fork all the time do not starve the rest.

use super::{Facts, Rng, Searcher, StateId};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct RandomPath {
    nodes: Vec<Node>,
    free: Vec<u32>,
    leaves: FxHashMap<StateId, u32>,
    /// One tree for the first state, and one for each that was left behind.
    roots: Vec<u32>,
}

struct Node {
    parent: Option<u32>,
    content: Content,
}

enum Content {
    State(StateId),
    Fork(Vec<u32>),
}

impl RandomPath {
    fn node(&mut self, parent: Option<u32>, content: Content) -> u32 {
        let node = Node { parent, content };
        match self.free.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    fn leaf(&mut self, parent: Option<u32>, state: StateId) -> u32 {
        let index = self.node(parent, Content::State(state));
        self.leaves.insert(state, index);
        index
    }
}

impl Searcher for RandomPath {
    fn select(&mut self, _: &[Facts], rng: &mut Rng) -> StateId {
        let mut at = self.roots[rng.below(self.roots.len() as u64) as usize];
        loop {
            match &self.nodes[at as usize].content {
                Content::State(state) => return *state,
                Content::Fork(children) => at = children[rng.below(children.len() as u64) as usize],
            }
        }
    }

    fn added(&mut self, parent: Option<StateId>, children: &[StateId]) {
        let Some(parent) = parent else {
            for &child in children {
                let root = self.leaf(None, child);
                self.roots.push(root);
            }
            return;
        };
        // The parent's leaf becomes a fork whose first child is the parent itself, further along.
        let fork = self.leaves[&parent];
        let mut kids = vec![self.leaf(Some(fork), parent)];
        for &child in children {
            kids.push(self.leaf(Some(fork), child));
        }
        self.nodes[fork as usize].content = Content::Fork(kids);
    }

    fn removed(&mut self, state: StateId) {
        let Some(mut at) = self.leaves.remove(&state) else {
            return;
        };
        loop {
            self.free.push(at);
            let Some(parent) = self.nodes[at as usize].parent else {
                self.roots.retain(|&root| root != at);
                return;
            };
            let Content::Fork(children) = &mut self.nodes[parent as usize].content else {
                unreachable!("a parent is a fork")
            };
            children.retain(|&child| child != at);
            match children[..] {
                [] => at = parent,
                // A fork with one child is no choice: the child takes its place.
                [only] => {
                    let grand = self.nodes[parent as usize].parent;
                    self.nodes[only as usize].parent = grand;
                    match grand {
                        None => {
                            let place = self.roots.iter_mut().find(|root| **root == parent);
                            *place.expect("a node without a parent is a root") = only;
                        }
                        Some(grand) => {
                            let Content::Fork(children) = &mut self.nodes[grand as usize].content else {
                                unreachable!("a parent is a fork")
                            };
                            let place = children.iter_mut().find(|child| **child == parent);
                            *place.expect("a child is listed by its parent") = only;
                        }
                    }
                    self.free.push(parent);
                    return;
                }
                _ => return,
            }
        }
    }
}
