//! The execution tree of a merging context (thesis §2.4), and the two encodings made from it.
//!
//! Every fork inside the context adds children, each with its condition. Algorithm 5 makes one condition of the paths
//! to some of the leaves: what all share is written once, and a subtree all of whose leaves are wanted is `true`.
//! Algorithm 6 chooses between their values by the conditions at the forks. Both are linear in the number of nodes. The
//! tree may have more than two children at a fork, and children that were *lost*: they ended inside the context, or
//! were given up.

use mneme_memory::Pick;
use mneme_term::{TermId, Terms, Tracer};

#[derive(Clone, Debug)]
pub struct Tree {
    /// Parents come before their children.
    nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Node {
    condition: TermId,
    children: Vec<u32>,
    parent: u32,
    /// There were other children that lead to no leaf.
    lost: bool,
    /// It continues below another node.
    moved: bool,
    /// Below it are nodes that have moved elsewhere in the tree.
    moves_out: bool,
    /// Everything below it has.
    gone: bool,
    /// How many clauses the path condition had when the node was made.
    clauses: usize,
}

impl Tree {
    pub const ROOT: u32 = 0;

    /// A tree with a root whose path condition has this many clauses.
    pub fn new(terms: &Terms, clauses: usize) -> Tree {
        let root = Node {
            condition: terms.tru(),
            children: Vec::new(),
            parent: Tree::ROOT,
            lost: false,
            moved: false,
            moves_out: false,
            gone: false,
            clauses,
        };
        Tree { nodes: vec![root] }
    }

    pub fn child(&mut self, parent: u32, condition: TermId, clauses: usize) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            condition,
            children: Vec::new(),
            parent,
            lost: false,
            moved: false,
            moves_out: false,
            gone: false,
            clauses,
        });
        self.nodes[parent as usize].children.push(index);
        index
    }

    /// Merges several leaves into one (§6.3): a child of their lowest common ancestor, first among its children, so
    /// that its condition, which says everything, is tested before those of the paths that led to them.
    pub fn rejoin(&mut self, terms: &mut Terms, leaves: &[u32], clauses: usize) -> u32 {
        let ancestor = leaves
            .iter()
            .copied()
            .reduce(|one, other| self.common_ancestor(one, other));
        let ancestor = ancestor.expect("there are leaves");
        let mut condition = terms.fls();
        for &leaf in leaves {
            let mut way = terms.tru();
            let mut node = leaf;
            while node != ancestor {
                way = terms.and(self.nodes[node as usize].condition, way);
                self.nodes[node as usize].moves_out = true;
                node = self.nodes[node as usize].parent;
            }
            self.nodes[leaf as usize].moved = true;
            self.leave(leaf);
            condition = terms.or(condition, way);
        }
        let index = self.child(ancestor, condition, clauses);
        self.nodes[ancestor as usize].children.rotate_right(1);
        index
    }

    /// Nothing is below a node any more, nor below those above it that have no other child.
    fn leave(&mut self, mut node: u32) {
        while node != Tree::ROOT
            && self.nodes[node as usize]
                .children
                .iter()
                .all(|&child| self.nodes[child as usize].gone)
        {
            self.nodes[node as usize].gone = true;
            node = self.nodes[node as usize].parent;
        }
    }

    fn common_ancestor(&self, mut one: u32, mut other: u32) -> u32 {
        // Parents have smaller numbers than their children.
        while one != other {
            if one > other {
                one = self.nodes[one as usize].parent;
            } else {
                other = self.nodes[other as usize].parent;
            }
        }
        one
    }

    /// The conditions from the root to a node. A node that is left with one child because what was below the others has
    /// moved elsewhere is one with it (§6.3).
    pub fn path(&self, terms: &mut Terms, mut node: u32) -> Vec<TermId> {
        let mut path: Vec<TermId> = Vec::new();
        let mut alone = false;
        while node != Tree::ROOT {
            let Node { condition, parent, .. } = self.nodes[node as usize];
            match path.last_mut() {
                Some(last) if alone => *last = terms.and(condition, *last),
                _ => path.push(condition),
            }
            let siblings = &self.nodes[parent as usize].children;
            alone = siblings.len() > 1
                && siblings
                    .iter()
                    .all(|&other| other == node || self.nodes[other as usize].gone);
            node = parent;
        }
        path.reverse();
        path
    }

    pub fn conditions(&self) -> Vec<TermId> {
        self.nodes.iter().map(|node| node.condition).collect()
    }

    /// Is a hash valid for this tree: is it different for all children of a node (Definition 6.2.1)?
    pub fn tells_siblings_apart(&self, mut hash: impl FnMut(TermId) -> u64) -> bool {
        self.nodes.iter().all(|node| {
            let mut hashes: Vec<u64> = { node.children.iter() }
                .map(|&child| hash(self.nodes[child as usize].condition))
                .collect();
            hashes.sort_unstable();
            hashes.windows(2).all(|pair| pair[0] != pair[1])
        })
    }

    /// Some child of a node leads to no leaf.
    pub fn lose(&mut self, node: u32) {
        self.nodes[node as usize].lost = true;
    }

    /// How many clauses the path condition had when a node was made.
    pub fn clauses(&self, node: u32) -> usize {
        self.nodes[node as usize].clauses
    }

    /// How many clauses it had when the context began.
    pub fn root_clauses(&self) -> usize {
        self.clauses(Tree::ROOT)
    }

    /// The condition for reaching one of `leaves` (Algorithm 5). `leaves` are in order.
    pub fn condition(&self, terms: &mut Terms, leaves: &[u32]) -> TermId {
        let mut complete = vec![false; self.nodes.len()];
        let mut conditions = vec![terms.fls(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if node.children.is_empty() {
                if node.moved {
                    complete[index] = true;
                } else if leaves.binary_search(&(index as u32)).is_ok() {
                    complete[index] = true;
                    conditions[index] = node.condition;
                }
                continue;
            }
            complete[index] = !node.lost && node.children.iter().all(|&child| complete[child as usize]);
            conditions[index] = if complete[index] && !node.moves_out {
                node.condition
            } else {
                let mut any = terms.fls();
                for &child in &node.children {
                    any = terms.or(any, conditions[child as usize]);
                }
                terms.and(node.condition, any)
            };
        }
        conditions[0]
    }

    /// Are there paths that lead to none of `leaves`?
    pub fn leads_elsewhere(&self, leaves: &[u32]) -> bool {
        self.nodes.iter().enumerate().any(|(index, node)| {
            node.lost || node.children.is_empty() && !node.moved && leaves.binary_search(&(index as u32)).is_err()
        })
    }

    /// Chooses between the values of `leaves` by the conditions of the forks (Algorithm 6). Member i is `leaves[i]`.
    pub fn pick(&self, leaves: &[u32]) -> Pick {
        let mut pick = Pick::default();
        let mut branches = vec![None; self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().rev() {
            branches[index] = match leaves.binary_search(&(index as u32)) {
                Ok(member) => Some(pick.member(member)),
                Err(_) => {
                    let mut chosen = None;
                    for &child in node.children.iter().rev() {
                        let Some(branch) = branches[child as usize] else {
                            continue;
                        };
                        chosen = Some(match chosen {
                            Some(rest) => pick.choice(self.nodes[child as usize].condition, branch, rest),
                            None => branch,
                        });
                    }
                    chosen
                }
            };
        }
        pick
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.nodes.iter().for_each(|node| tracer.term(node.condition));
    }
}

/// The condition that one of several conjunctions holds (Algorithm 1's *merge-pc*).
pub fn disjunction(terms: &mut Terms, members: &[TermId]) -> TermId {
    let mut any = terms.fls();
    for &member in members {
        any = terms.or(any, member);
    }
    any
}

/// Chooses by the members' own conditions, one after another (Algorithm 1's *merge-values*).
pub fn chain(members: &[TermId]) -> Pick {
    let mut pick = Pick::default();
    let mut rest = None;
    for (member, &condition) in members.iter().enumerate().rev() {
        let this = pick.member(member);
        rest = Some(match rest {
            Some(rest) => pick.choice(condition, this, rest),
            None => this,
        });
    }
    pick
}

#[cfg(test)]
mod tests {
    use super::*;
    use mneme_term::{Assignment, Bits, Sort, Symbol, SymbolId, SymbolKind};

    /// The program of Fig. 5.3 with capacity 3, and its tree of Fig. 5.4.
    struct Example {
        terms: Terms,
        n: SymbolId,
        z: SymbolId,
        tree: Tree,
        /// s1, s3, s5, s7, s8.
        leaves: [u32; 5],
        /// What was added to their path conditions inside the loop.
        phi: [TermId; 5],
    }

    fn example() -> Example {
        let mut terms = Terms::new(64);
        let mut symbol = |name: &str| {
            terms.symbol_id(Symbol {
                name: name.into(),
                kind: SymbolKind::Input,
                sort: Sort::Bits(64),
            })
        };
        let (n, z) = (symbol("n"), symbol("z"));
        let (size, flag) = (terms.symbol(n), terms.symbol(z));
        let mut tree = Tree::new(&terms, 1);
        let mut fork = |terms: &mut Terms, parent: u32, yes: TermId| {
            let no = terms.not(yes);
            (tree.child(parent, yes, 0), tree.child(parent, no, 0), yes, no)
        };
        let more = |terms: &mut Terms, k: u64| {
            let k = terms.constant(64, k);
            terms.ult(k, size)
        };
        let zero = terms.constant(64, 0);
        let c0 = more(&mut terms, 0);
        let (s2, s1, n_0, not_0) = fork(&mut terms, Tree::ROOT, c0);
        let stops = terms.eq(flag, zero);
        let (s3, s4, _, goes) = fork(&mut terms, s2, stops);
        let c1 = more(&mut terms, 1);
        let (s6, s5, n_1, not_1) = fork(&mut terms, s4, c1);
        let c2 = more(&mut terms, 2);
        let (s8, s7, n_2, not_2) = fork(&mut terms, s6, c2);
        let mut all = |conditions: &[TermId]| conditions.iter().fold(terms.tru(), |all, &one| terms.and(all, one));
        let phi = [
            not_0,
            all(&[n_0, stops]),
            all(&[n_0, goes, not_1]),
            all(&[n_0, goes, n_1, not_2]),
            all(&[n_0, goes, n_1, n_2]),
        ];
        Example {
            terms,
            n,
            z,
            tree,
            leaves: [s1, s3, s5, s7, s8],
            phi,
        }
    }

    impl Example {
        /// The group of the loop's regular exit: s1, s5, s7, s8, in the order of the tree.
        fn group(&self) -> Vec<u32> {
            let [s1, _, s5, s7, s8] = self.leaves;
            let mut group = vec![s1, s5, s7, s8];
            group.sort_unstable();
            group
        }

        fn value(&self, term: TermId, n: u64, z: u64) -> u64 {
            let mut assignment = Assignment::default();
            assignment.values.insert(self.n, Bits::new(64, n));
            assignment.values.insert(self.z, Bits::new(64, z));
            self.terms.eval_u64(term, &assignment.with_addresses(&|_| 0))
        }
    }

    #[test]
    fn the_constraint_of_the_group_is_the_one_of_the_thesis() {
        let mut example = example();
        let group = example.group();
        let condition = example.tree.condition(&mut example.terms, &group);
        // (n <= 0) or (n > 0 and z != 0): nothing of the complete subtree below.
        assert_eq!(example.terms.display(condition).to_string(), "(z != 0) || (n == 0)");
        let plain = disjunction(&mut example.terms, &[0, 2, 3, 4].map(|i| example.phi[i]));
        for (n, z) in (0..5).flat_map(|n| (0..3).map(move |z| (n, z))) {
            assert_eq!(
                example.value(condition, n, z),
                example.value(plain, n, z),
                "n = {n}, z = {z}"
            );
        }
    }

    #[test]
    fn the_state_that_breaks_is_a_group_of_its_own() {
        let mut example = example();
        let s3 = example.leaves[1];
        let condition = example.tree.condition(&mut example.terms, &[s3]);
        assert_eq!(condition, example.phi[1]);
        assert!(example.tree.leads_elsewhere(&[s3]));
        let mut all = example.leaves;
        all.sort_unstable();
        assert!(!example.tree.leads_elsewhere(&all));
        let condition = example.tree.condition(&mut example.terms, &all);
        assert!(example.terms.is_true(condition));
    }

    #[test]
    fn the_value_of_p_2_is_the_one_of_the_thesis() {
        let mut example = example();
        let group = example.group();
        let old = example.terms.symbol_id(Symbol {
            name: "a[2]".into(),
            kind: SymbolKind::Input,
            sort: Sort::Bits(8),
        });
        let old = example.terms.symbol(old);
        let two = example.terms.constant(8, 2);
        let s8 = example.leaves[4];
        let values: Vec<TermId> = group.iter().map(|&leaf| if leaf == s8 { two } else { old }).collect();
        let tree = example.tree.pick(&group);
        let optimised = tree
            .choose(&mut example.terms, |_, member| Some(values[member]))
            .unwrap();
        // ite(n <= 0, a[2], ite(n <= 1, a[2], ite(n <= 2, a[2], 2))), which terms simplify to this.
        assert_eq!(example.terms.display(optimised).to_string(), "(2 <u n) ? 2 : a[2]");
        // The original procedure chooses by whole path conditions.
        let order = [0, 2, 3, 4].map(|i| example.phi[i]);
        let plain = chain(&order);
        let by_order = [old, old, old, two];
        let original = plain
            .choose(&mut example.terms, |_, member| Some(by_order[member]))
            .unwrap();
        let mut nested = two;
        for phi in [example.phi[3], example.phi[2], example.phi[0]] {
            nested = example.terms.ite(phi, old, nested);
        }
        assert_eq!(original, nested);
        assert!(example.terms.depth_or_size(optimised) <= example.terms.depth_or_size(original));
    }

    /// Two rounds of a loop that counts how often z has a bit; equal states are merged after the second.
    #[test]
    fn leaves_that_became_one_are_chosen_by_the_condition_of_all_their_ways() {
        let mut example = example();
        let terms = &mut example.terms;
        let z = terms.symbol(example.z);
        let mut has = |bit: u64| {
            let bit = terms.constant(64, bit);
            let masked = terms.and(z, bit);
            let zero = terms.constant(64, 0);
            let not = terms.eq(masked, zero);
            (terms.not(not), not)
        };
        let [(a, not_a), (b, not_b)] = [has(1), has(2)];
        let mut tree = Tree::new(terms, 0);
        let [yes, no] = [a, not_a].map(|way| tree.child(Tree::ROOT, way, 0));
        let [two, one] = [b, not_b].map(|way| tree.child(yes, way, 0));
        let [other_one, none] = [b, not_b].map(|way| tree.child(no, way, 0));
        let joined = tree.rejoin(terms, &[one, other_one], 0);
        assert!(!tree.leads_elsewhere(&[two, none, joined]));
        let all = tree.condition(terms, &[two, none, joined]);
        assert!(terms.is_true(all));
        let condition = tree.condition(terms, &[joined]);
        let outer = tree.condition(terms, &[two, none]);
        let values: Vec<TermId> = [2, 0, 1].map(|n| terms.constant(8, n)).into();
        let count = tree
            .pick(&[two, none, joined])
            .choose(terms, |_, member| Some(values[member]));
        let count = count.expect("all have a value");
        // They continue and are merged with others once more.
        let [third, rest] = [a, not_a].map(|way| tree.child(joined, way, 0));
        let again = tree.rejoin(terms, &[two, third], 0);
        let again = tree.condition(terms, &[again]);
        let left = tree.condition(terms, &[none, rest]);
        for z in 0..4u64 {
            assert_eq!(
                example.value(condition, 0, z),
                u64::from(z.count_ones() == 1),
                "z = {z}"
            );
            assert_eq!(example.value(outer, 0, z), u64::from(z.count_ones() != 1), "z = {z}");
            assert_eq!(example.value(count, 0, z), u64::from(z.count_ones()), "z = {z}");
            assert_eq!(example.value(again, 0, z), u64::from(z == 3 || z == 1), "z = {z}");
            assert_eq!(example.value(left, 0, z), u64::from(z == 0 || z == 2), "z = {z}");
        }
    }

    #[test]
    fn what_a_path_assumes_on_its_way_stays_in_the_condition() {
        let mut example = example();
        let s7 = example.leaves[3];
        let z = example.terms.symbol(example.z);
        let nine = example.terms.constant(64, 9);
        let assumed = example.terms.ult(z, nine);
        example.tree.lose(s7);
        let narrowed = example.tree.child(s7, assumed, 0);
        let group = [example.leaves[4], narrowed];
        let condition = example.tree.condition(&mut example.terms, &group);
        for (n, z) in (0..5).flat_map(|n| [0, 1, 8, 9].map(move |z| (n, z))) {
            let reached = z != 0 && (n > 2 || n == 2 && z < 9);
            assert_eq!(example.value(condition, n, z) == 1, reached, "n = {n}, z = {z}");
        }
        assert!(example.tree.leads_elsewhere(&group));
    }
}
