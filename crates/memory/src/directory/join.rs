//! Merging directories (thesis §2.5, §5.2.2).
//!
//! Bases are the same on all paths: the *n*th object of a site. An object that not all members have is *gone* for the
//! others. Pages and entries that the members share are not visited. Addresses are kept where no two objects overlap;
//! otherwise one gets a new address, provided that neither the program nor a path condition has looked at the old one.

use super::{Directory, Entry, Gone, Header, Life, Object};
use crate::cx::NO_SITE;
use crate::pick::{Apart, Join};
use crate::{Layout, Pages};
use mneme_term::{BaseId, BaseKind, Value};
use std::rc::Rc;

/// Merges the payloads of the members that have an object.
type Payload<'a, T> = dyn FnMut(&mut Join, &[(usize, &Entry<T>)]) -> Result<T, Apart> + 'a;

impl<T: Clone> Directory<T> {
    /// The directory that is member i where the tree chooses i. `payload` merges the payloads of the members that have
    /// the object.
    pub fn merge(join: &mut Join, members: &[&Directory<T>], payload: &mut Payload<T>) -> Result<Directory<T>, Apart> {
        let layouts: Vec<&Layout> = members.iter().map(|member| &member.layout).collect();
        let layout = Layout::join(&layouts).ok_or(Apart("addresses were used again on one side"))?;
        let mut merged = members[0].clone();
        merged.layout = layout;
        let counts: Vec<&Pages<u32>> = members.iter().map(|member| &member.counts).collect();
        for site in Pages::differing(&counts) {
            if let Some(most) = counts.iter().filter_map(|counts| counts.get(site)).max() {
                merged.counts.insert(site, *most);
            }
        }
        let objects: Vec<&Pages<Object<T>>> = members.iter().map(|member| &member.objects).collect();
        let mut moved = Vec::new();
        for base in Pages::differing(&objects) {
            let found: Vec<Option<&Object<T>>> = objects.iter().map(|objects| objects.get(base)).collect();
            let Some(first) = found.iter().flatten().next() else {
                continue;
            };
            if found.iter().all(|object| object.is_some_and(|object| object.is(first))) {
                continue;
            }
            let object = merge_object(join, BaseId(base), &found, payload)?;
            let header = object.header();
            let keeps = |object: &Option<&Object<T>>| {
                object.is_some_and(|object| {
                    let other = object.header();
                    (other.address, other.room) == (header.address, header.room)
                })
            };
            if !found.iter().all(keeps) {
                moved.push(BaseId(base));
            }
            merged.objects.insert(base, object);
        }
        merged.make_room(join, &moved)?;
        Ok(merged)
    }

    /// Gives new addresses to those of `new` that overlap with others.
    fn make_room(&mut self, join: &mut Join, new: &[BaseId]) -> Result<(), Apart> {
        for kind in [BaseKind::Heap, BaseKind::Stack, BaseKind::Global, BaseKind::Function] {
            let of_kind = |base: &&BaseId| self.header(**base).is_some_and(|header| header.kind == kind);
            let new: Vec<BaseId> = new.iter().filter(of_kind).copied().collect();
            if new.is_empty() {
                continue;
            }
            let keeps = |(base, header): &(BaseId, &Header)| {
                header.kind == kind && (header.life == Life::Alive || header.exposed) && !new.contains(base)
            };
            let range = |header: &Header| (header.address, header.address + header.room.max(1));
            let mut taken: Vec<(u64, u64)> = self.headers().filter(keeps).map(|(_, header)| range(header)).collect();
            taken.sort_unstable();
            for base in new {
                let header = self.header(base).expect("it was merged");
                let (from, to) = range(header);
                let at = taken.partition_point(|&(start, _)| start < from);
                let behind = taken.get(at).is_some_and(|&(start, _)| start < to);
                let before = at.checked_sub(1).is_some_and(|at| taken[at].1 > from);
                if !behind && !before {
                    taken.insert(at, (from, to));
                    continue;
                }
                if header.life != Life::Alive && !header.exposed {
                    continue;
                }
                if header.exposed || (join.pinned)(base) {
                    return Err(Apart("an address that the program has looked at differs"));
                }
                let align = join.terms.base_info(base).align;
                let address = self.layout.place(kind, header.room, align);
                let address = address.ok_or(Apart("there is no room for objects of both sides"))?;
                let header = self.header_mut(base).expect("just seen");
                header.address = address;
                let place = range(header);
                let at = taken.partition_point(|&taken| taken < place);
                taken.insert(at, place);
            }
        }
        Ok(())
    }
}

impl<T> Object<T> {
    /// Whether the two are identical.
    fn is(&self, other: &Object<T>) -> bool {
        match (self, other) {
            (Object::Live(one), Object::Live(other)) => Rc::ptr_eq(one, other),
            (Object::Dead(one), Object::Dead(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

fn merge_object<T: Clone>(
    join: &mut Join,
    base: BaseId,
    found: &[Option<&Object<T>>],
    payload: &mut Payload<T>,
) -> Result<Object<T>, Apart> {
    let headers: Vec<&Header> = found.iter().flatten().map(|object| object.header()).collect();
    let live: Vec<(usize, &Entry<T>)> = found
        .iter()
        .enumerate()
        .filter_map(|(member, object)| match object {
            Some(Object::Live(entry)) => Some((member, &**entry)),
            _ => None,
        })
        .collect();
    let first = live.first().map_or(headers[0], |(_, entry)| &entry.header);
    let alike =
        |header: &&Header| header.kind == first.kind && header.init == first.init && header.constant == first.constant;
    if !headers.iter().all(alike) {
        return Err(Apart("an object is constant on one side"));
    }
    let mut header = first.clone();
    header.exposed = headers.iter().any(|header| header.exposed);
    header.pinned = headers.iter().any(|header| header.pinned);
    header.room = headers.iter().map(|header| header.room).max().unwrap_or(0);
    header.round = headers.iter().map(|header| header.round).max().unwrap_or(0);
    if headers
        .iter()
        .any(|header| (header.exposed || header.pinned) && header.address != first.address)
    {
        return Err(Apart("an address that the program has looked at differs"));
    }
    if headers.iter().any(|header| header.address != first.address) && (join.pinned)(base) {
        return Err(Apart("an address that the path speaks of differs"));
    }
    if live.is_empty() {
        if headers.iter().any(|header| header.life != first.life) {
            return Err(Apart("an object died in different ways"));
        }
        return Ok(Object::Dead(Rc::new(header)));
    }
    if live.iter().any(|(_, entry)| entry.header.shadow != first.shadow) {
        return Err(Apart("poisoned bytes differ"));
    }
    if live.iter().any(|(_, entry)| entry.header.family != first.family) {
        return Err(Apart("blocks that a loop made differ"));
    }
    header.size = merge_size(join, &live);
    header.gone = merge_lives(join, found);
    header.measure();
    let payload = payload(join, &live)?;
    Ok(Object::Live(Rc::new(Entry { header, payload })))
}

fn merge_size<T>(join: &mut Join, live: &[(usize, &Entry<T>)]) -> Value {
    let first = live[0].1.header.size;
    if live.iter().all(|(_, entry)| entry.header.size == first) {
        return first;
    }
    let width = join.terms.pointer_width();
    let size = |member| live.iter().find(|(index, _)| *index == member);
    let chosen = join.pick.choose_value(join.terms, width, |_, member| {
        size(member).map(|(_, entry)| entry.header.size)
    });
    chosen.expect("some member has the object")
}

/// For which inputs the object is gone, with a guard for each reason.
fn merge_lives<T>(join: &mut Join, found: &[Option<&Object<T>>]) -> Option<Rc<Vec<Gone>>> {
    type Way = (Life, u32);
    let ways_of = |object: &Option<&Object<T>>| -> Vec<Way> {
        match object {
            None => vec![(Life::Unborn, NO_SITE)],
            Some(Object::Dead(header)) => vec![(header.life, header.freed)],
            Some(Object::Live(entry)) => entry.header.gone().iter().map(|gone| (gone.life, gone.freed)).collect(),
        }
    };
    let mut ways: Vec<Way> = Vec::new();
    for way in found.iter().flat_map(ways_of) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let mut merged = Vec::new();
    for (life, freed) in ways {
        let when = join.pick.choose(join.terms, |terms, member| {
            Some(match found[member] {
                Some(Object::Live(entry)) => {
                    let same = |gone: &&Gone| (gone.life, gone.freed) == (life, freed);
                    let mut any = terms.fls();
                    for gone in entry.header.gone().iter().filter(same) {
                        any = terms.or(any, gone.when);
                    }
                    any
                }
                object if ways_of(&object).contains(&(life, freed)) => terms.tru(),
                _ => terms.fls(),
            })
        });
        let when = when.expect("every member has a life");
        if !join.terms.is_false(when) {
            merged.push(Gone { when, life, freed });
        }
    }
    (!merged.is_empty()).then(|| Rc::new(merged))
}
