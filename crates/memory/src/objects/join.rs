//! Merging heaps. A segment that all members have with the same objects is merged as one; objects of other segments
//! first get bytes of their own.

use super::Objects;
use super::home::Home;
use crate::contents::{Contents, Default as Unwritten};
use crate::directory::{Directory, Entry};
use crate::{Apart, Heap, Join};
use mneme_term::{BaseId, Terms, Value};
use std::rc::Rc;

pub(super) fn merge(join: &mut Join, members: &[&Heap<Objects>]) -> Result<Heap<Objects>, Apart> {
    let kept = super::segment::alike(members);
    let at_home: Vec<Heap<Objects>> = members.iter().map(|member| member.settled(join.terms, &kept)).collect();
    let directories: Vec<&Directory<Home>> = at_home.iter().map(|member| &member.directory).collect();
    let directory = Directory::merge(join, &directories, &mut |join, entries| home(join, &at_home, entries))?;
    let segments = super::segment::merge(join, &at_home, &kept)?;
    let model = Objects {
        segments,
        ..members[0].model.clone()
    };
    Ok(Heap { directory, model })
}

fn home(join: &mut Join, members: &[Heap<Objects>], entries: &[(usize, &Entry<Home>)]) -> Result<Home, Apart> {
    if let Home::Member { segment, delta } = entries[0].1.payload {
        let there = |entry: &Entry<Home>| matches!(entry.payload, Home::Member { segment: s, delta: d } if (s, d) == (segment, delta));
        if entries.iter().all(|(_, entry)| there(entry)) {
            return Ok(Home::Member { segment, delta });
        }
    }
    let own: Vec<(usize, Contents)> = entries
        .iter()
        .map(|&(index, entry)| (index, members[index].own(join.terms, entry)))
        .collect();
    let own: Vec<(usize, &Contents)> = own.iter().map(|(index, contents)| (*index, contents)).collect();
    Ok(Home::Whole(Contents::merge(join, &own)?))
}

impl Heap<Objects> {
    /// The bytes of one object alone.
    fn own(&self, terms: &mut Terms, entry: &Entry<Home>) -> Contents {
        match &entry.payload {
            Home::Whole(contents) => contents.clone(),
            Home::Pieces(pieces) => pieces.assemble(terms),
            Home::Member { segment, delta } => {
                let room = entry.header.room;
                let mut own = Contents::new(room, terms.pointer_width(), Unwritten::Zero);
                let from = Rc::new(self.model.segments.get(*segment).contents.clone());
                let always = terms.tru();
                own.copy(
                    terms,
                    always,
                    Value::Int(0),
                    &from,
                    Value::Int(*delta),
                    Value::Int(room),
                );
                own
            }
        }
    }

    /// The same heap in which only the segments `kept` are left.
    fn settled(&self, terms: &mut Terms, kept: &[u32]) -> Heap<Objects> {
        let mut settled = self.clone();
        for base in self.seated() {
            let (segment, _) = self.seat(base).expect("it has a seat");
            if !kept.contains(&segment) {
                let own = self.own(terms, self.directory.get(base).expect("it lives"));
                *settled.directory.home_mut(base) = Home::Whole(own);
            }
        }
        settled
    }

    /// The objects that are in segments.
    fn seated(&self) -> Vec<BaseId> {
        let members = self
            .model
            .segments
            .iter()
            .flat_map(|(_, segment)| segment.members.iter().copied());
        let mut seated: Vec<BaseId> = members.filter(|&base| self.seat(base).is_some()).collect();
        seated.sort_unstable();
        seated.dedup();
        seated
    }
}
