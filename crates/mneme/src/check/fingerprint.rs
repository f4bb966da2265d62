//! What the results of a function depend on, as a number: two programs for which it is equal have the same function,
//! with the same callees and all that these refer to.

use mneme_program::{CTypeId, Function, Global, Program};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// What a text in Rust's notation refers to by number.
const NUMBERED: [&str; 4] = ["FunctionId(", "GlobalId(", "SiteId(", "CTypeId("];

/// The numbers of all functions.
pub fn fingerprints(program: &Program) -> Vec<u64> {
    Names(program).fingerprints()
}

/// A program, of which things are told by name.
struct Names<'a>(&'a Program);

impl Names<'_> {
    /// For each function, a number that is equal for programs in which the function, everything that it may call, and
    /// all that these refer to are equal, lines included. What else the program has, and how that is numbered, does not
    /// count, but for its types and files.
    fn fingerprints(&self) -> Vec<u64> {
        let shared = self.shared_fingerprint();
        let functions: Vec<Node> = self.0.functions.iter().map(|f| self.node(&function_text(f))).collect();
        let globals: Vec<Node> = self.0.globals.iter().map(|g| self.node(&global_text(g))).collect();
        let number = functions.len();
        let node = |index: usize| functions.get(index).unwrap_or_else(|| &globals[index - number]);
        (0..number)
            .map(|root| {
                let mut reached = vec![false; number + globals.len()];
                reached[root] = true;
                let mut pending = vec![root];
                // The sum does not depend on the order in which they are numbered.
                let mut sum = 0u64;
                while let Some(index) = pending.pop() {
                    sum = sum.wrapping_add(node(index).digest);
                    for &next in &node(index).refers {
                        if !std::mem::replace(&mut reached[next], true) {
                            pending.push(next);
                        }
                    }
                }
                digest(&(shared, functions[root].digest, sum))
            })
            .collect()
    }

    /// Of target, files and types. Types are told by name, so that their order does not count.
    fn shared_fingerprint(&self) -> u64 {
        let mut types: Vec<String> = self.0.types.iter().map(|ty| self.told(&format!("{ty:?}")).0).collect();
        types.sort_unstable();
        types.dedup();
        digest(&(format!("{:?}{:?}", self.0.target, self.0.counts), &self.0.files, types))
    }

    fn node(&self, text: &str) -> Node {
        let (text, mut refers) = self.told(text);
        refers.sort_unstable();
        refers.dedup();
        Node {
            digest: digest(&text),
            refers,
        }
    }

    /// The text with names in place of numbers, and the functions and variables in it: variables are numbered after all
    /// functions.
    fn told(&self, text: &str) -> (String, Vec<usize>) {
        let (mut out, mut refers) = (String::with_capacity(text.len()), Vec::new());
        let mut rest = text;
        loop {
            let next = NUMBERED.iter().filter_map(|kind| Some((rest.find(kind)?, *kind))).min();
            let Some((at, kind)) = next else { break };
            let number = at + kind.len();
            let digits = rest[number..].find(')').map_or(0, |end| end);
            let index: usize = rest[number..number + digits].parse().unwrap_or(usize::MAX);
            out.push_str(&rest[..number]);
            match kind {
                "FunctionId(" => {
                    out.push_str(self.0.functions.get(index).map_or("", |f| &f.name));
                    refers.extend((index < self.0.functions.len()).then_some(index));
                }
                "GlobalId(" => {
                    let global = self.0.globals.get(index);
                    out.push_str(global.map_or("", |g| g.name.split('.').next().unwrap_or_default()));
                    refers.extend(global.map(|_| self.0.functions.len() + index));
                }
                "SiteId(" => {
                    let site = self.0.sites.get(index).map(|site| {
                        let name = site.c_type.map(|ty| self.0.type_name(ty.into()));
                        format!(
                            "{:?} {:?} {} {:?} {name:?} {}",
                            site.kind, site.name, site.align, site.loc, site.fixed
                        )
                    });
                    out.push_str(&site.unwrap_or_default());
                }
                _ if index < self.0.types.len() => out.push_str(&self.0.type_name(CTypeId(index as u32).into())),
                _ => {}
            }
            rest = &rest[number + digits..];
        }
        out.push_str(rest);
        (out, refers)
    }
}

fn digest(what: &impl Hash) -> u64 {
    let mut hash = DefaultHasher::new();
    what.hash(&mut hash);
    hash.finish()
}

/// A function or a variable: what it is, and the numbers of what it refers to.
struct Node {
    digest: u64,
    refers: Vec<usize>,
}

fn function_text(f: &Function) -> String {
    // What only numbers the function among the others is left out.
    let Function {
        name,
        source_name,
        signature,
        returns,
        params,
        extension,
        slots,
        code,
        locs,
        blocks,
        constants,
        operands,
        edges,
        calls,
        switches,
        geps,
        intrinsics,
        unsupported,
        values,
        site: _,
        loc,
        first_inst: _,
        first_edge: _,
        frame,
        own,
        runtime,
    } = f;
    let head = (
        name,
        source_name,
        signature,
        returns,
        params,
        extension,
        slots,
        loc,
        frame,
        own,
        runtime,
    );
    let body = (
        code,
        locs,
        blocks,
        constants,
        operands,
        edges,
        calls,
        switches,
        geps,
        intrinsics,
        unsupported,
        values,
    );
    format!("{head:?}{body:?}")
}

fn global_text(global: &Global) -> String {
    let Global {
        // Strings are numbered by their names.
        name: _,
        size,
        align,
        constant,
        only_read,
        external,
        init,
        site,
        runtime,
    } = global;
    format!(
        "{:?}",
        (size, align, constant, only_read, external, init, site, runtime)
    )
}
