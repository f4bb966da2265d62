//! Several values that become one: a tree of conditions, with the members at its leaves, says which of them it is.
//!
//! The tree is the encoding. A chain over the members' path conditions is ordinary state merging; the execution tree in
//! which the members forked is that of the thesis (§5.2.3, Algorithm 6). The code that merges does not see the
//! difference.

use mneme_term::{TermId, Terms, Tracer, Value};
use std::rc::Rc;

/// A tree of conditions; children come before their parents, the root is last.
#[derive(Clone, Debug, Default)]
pub struct Pick {
    nodes: Vec<Node>,
    form: Option<Form>,
}

/// Finds the term that has a given value for each of some members, without a choice between them.
type FindForm = dyn Fn(&mut Terms, &[(usize, TermId)]) -> Option<TermId>;

#[derive(Clone)]
struct Form(Rc<FindForm>);

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a closed form")
    }
}

#[derive(Copy, Clone, Debug)]
enum Node {
    Member(usize),
    If { condition: TermId, yes: Branch, no: Branch },
}

/// A part of a tree under construction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Branch(usize);

impl Pick {
    /// Values for which `form` finds a term need no choice.
    pub fn with_form(mut self, form: impl Fn(&mut Terms, &[(usize, TermId)]) -> Option<TermId> + 'static) -> Pick {
        self.form = Some(Form(Rc::new(form)));
        self
    }

    pub fn member(&mut self, member: usize) -> Branch {
        self.nodes.push(Node::Member(member));
        Branch(self.nodes.len() - 1)
    }

    pub fn choice(&mut self, condition: TermId, yes: Branch, no: Branch) -> Branch {
        self.nodes.push(Node::If { condition, yes, no });
        Branch(self.nodes.len() - 1)
    }

    /// The term that is `of(i)` where member i is chosen. Members without a value do not matter; `None` if none has
    /// one.
    pub fn choose(&self, terms: &mut Terms, mut of: impl FnMut(&mut Terms, usize) -> Option<TermId>) -> Option<TermId> {
        let mut values: Vec<(usize, TermId)> = Vec::new();
        for node in &self.nodes {
            if let Node::Member(member) = *node {
                values.extend(of(terms, member).map(|value| (member, value)));
            }
        }
        if let Some(Form(form)) = &self.form
            && let [(_, first), _, ..] = values[..]
            && terms.width(first) > 1
            && let Some(value) = form(terms, &values)
        {
            return Some(value);
        }
        let mut values = values.into_iter().peekable();
        let mut found: Vec<Option<TermId>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match *node {
                Node::Member(member) => values.next_if(|&(of, _)| of == member).map(|(_, value)| value),
                Node::If { condition, yes, no } => match (found[yes.0], found[no.0]) {
                    (Some(yes), Some(no)) => Some(terms.ite(condition, yes, no)),
                    (one, other) => one.or(other),
                },
            };
            found.push(value);
        }
        found.pop().flatten()
    }

    /// The same for values of `width` bits, all of which are defined.
    pub fn choose_value(
        &self,
        terms: &mut Terms,
        width: u32,
        mut of: impl FnMut(&mut Terms, usize) -> Option<Value>,
    ) -> Option<Value> {
        let term = self.choose(terms, |terms, member| {
            let value = of(terms, member)?;
            Some(terms.of_value(value, width))
        })?;
        Some(terms.to_value(term))
    }

    /// The condition under which one of the members that `of` names is chosen.
    pub fn when(&self, terms: &mut Terms, mut of: impl FnMut(usize) -> bool) -> TermId {
        let condition = self.choose(terms, |terms, member| {
            Some(if of(member) { terms.tru() } else { terms.fls() })
        });
        condition.unwrap_or_else(|| terms.fls())
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        for node in &self.nodes {
            if let Node::If { condition, .. } = node {
                tracer.term(*condition);
            }
        }
    }
}

/// Why several heaps cannot be merged.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Apart(pub &'static str);

/// What merging needs in addition to the members.
pub struct Join<'a> {
    pub terms: &'a mut Terms,
    pub pick: &'a Pick,
    /// Whether some member's path mentions the address of this base.
    pub pinned: &'a dyn Fn(mneme_term::BaseId) -> bool,
    /// How many more cells may differ.
    pub patience: usize,
    pub references: References,
    /// Numbers of two up to this many bytes are not merged, since the program chooses addresses or ends loops by some
    /// of them.
    pub widest_hot: u32,
    /// The size of the cells that were made, written out as terms.
    pub made: u64,
}

/// Which cells may be merged although they hold different pointers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum References {
    /// All of them.
    Any,
    /// Those that refer to the same objects in all members, so that no object seems to be referenced where it is not.
    SameObjects,
    /// None: what is reached through such a pointer would be a choice as well.
    Same,
}

impl Join<'_> {
    /// Whether these values of one cell of `bytes` may be merged.
    pub(crate) fn may_differ(&self, bytes: u64, values: impl Iterator<Item = Value>) -> Result<(), Apart> {
        if (2..=u64::from(self.widest_hot)).contains(&bytes) {
            return Err(Apart("numbers in memory differ"));
        }
        let bases = |value: Value| match value {
            Value::Ptr { base, .. } => vec![base],
            Value::Term(term) => self.terms.bases(term).to_vec(),
            _ => Vec::new(),
        };
        let mut all = values.map(bases);
        let alike = match self.references {
            References::Any => return Ok(()),
            References::SameObjects => {
                let first = all.next();
                all.all(|other| Some(other) == first)
            }
            References::Same => all.all(|bases| bases.is_empty()),
        };
        match alike {
            true => Ok(()),
            false => Err(Apart("pointers in memory differ")),
        }
    }

    /// Whether writes to non-constant places may differ.
    pub(crate) fn may_write_differently(&self) -> Result<(), Apart> {
        match self.references {
            References::Any => Ok(()),
            _ => Err(Apart("writes to symbolic places differ")),
        }
    }

    /// Counts one more cell that differs.
    pub(crate) fn spend(&mut self) -> Result<(), Apart> {
        self.patience = self.patience.checked_sub(1).ok_or(Apart("too many bytes differ"))?;
        Ok(())
    }
}
