//! What is bound to the regions of one object.
//!
//! [`Contents`] holds the bindings: a default for all of them, records for what was bound at symbolic indices or copied
//! as a whole, and a layer of what was bound directly. With [`Views::Paper`], `views` also says where direct bindings
//! begin and how wide they are: a binding is lost when another view of its bytes is written, and is undefined for a
//! reader of another width (section 4.3). Bytes without a view have a default binding, which every view reads.

use crate::contents::{Contents, Default as Initial, maybe};
use crate::directory::Header;
use crate::places::{self, Place, Taken};
use crate::{Apart, Cx, Join, Spread};
use mneme_term::{BaseId, TermId, Terms, Tracer, Value};
use smallvec::smallvec;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a read through another view than that of the last write gives.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Views {
    /// The bytes, as a machine does.
    #[default]
    Bytes,
    /// An undefined value.
    Paper,
}

#[derive(Clone, Debug)]
pub struct Bindings {
    contents: Contents,
    kept: Option<Kept>,
}

/// Views that are kept apart.
#[derive(Clone, Debug)]
struct Kept {
    /// Where direct bindings begin, and their bytes. They do not overlap.
    views: Rc<BTreeMap<u64, u32>>,
    /// What is read where a binding was lost.
    undefined: Rc<Contents>,
}

/// What a copy read.
#[derive(Debug)]
pub struct Copied {
    taken: Vec<Taken>,
    /// The views from the start of the copy on, if it is known where that is.
    views: Option<BTreeMap<u64, u32>>,
}

impl Bindings {
    /// Nothing is bound yet: the storage class says what is read.
    pub fn of_object(base: BaseId, header: &Header, pointer_width: u32, views: Views) -> Bindings {
        let initial = Initial::Undefined {
            base,
            round: header.round,
        };
        let kept = || Kept {
            views: Rc::default(),
            undefined: Rc::new(Contents::new(header.room, pointer_width, initial)),
        };
        Bindings {
            contents: Contents::of_object(base, header, pointer_width),
            kept: (views == Views::Paper).then(kept),
        }
    }

    #[inline(always)]
    pub fn fast_load(&self, offset: u64, n: u32) -> Option<Value> {
        match &self.kept {
            Some(kept) if kept.hides(offset, n) => None,
            _ => self.contents.fast_load(offset, n),
        }
    }

    #[inline(always)]
    pub fn fast_store(&mut self, offset: u64, n: u32, value: Value) -> bool {
        self.kept.is_none() && self.contents.fast_store(offset, n, value)
    }

    pub fn read(&self, terms: &mut Terms, offset: Value, n: u32) -> Value {
        let contents = match (&self.kept, offset) {
            (Some(kept), Value::Int(at)) if kept.hides(at, n) => &kept.undefined,
            _ => &self.contents,
        };
        contents.read(terms, &mut maybe, offset, n)
    }

    /// A direct binding, where `guard` holds.
    pub fn bind(&mut self, terms: &mut Terms, guard: TermId, offset: Value, n: u32, value: Value) {
        self.see(terms, guard, offset, Value::Int(n.into()));
        self.contents.write(terms, &mut maybe, guard, offset, n, value);
        if let (Some(kept), Value::Int(at)) = (&mut self.kept, offset) {
            Rc::make_mut(&mut kept.views).insert(at, n);
        }
    }

    /// Many bytes at once: a default binding, or a structure as a whole.
    pub fn spread(&mut self, cx: &mut Cx, place: &Place, len: Value, what: &Spread<Copied>) {
        let plain = match what {
            Spread::Byte(byte) => Spread::Byte(*byte),
            Spread::Bytes(bytes) => Spread::Bytes(bytes),
            Spread::Symbol(symbol) => Spread::Symbol(*symbol),
            Spread::Copy(copied) => Spread::Copy(&copied.taken),
        };
        self.see(cx.terms, place.guard, place.offset, len);
        places::spread(cx, &smallvec![place.clone()], len, &plain, |cx, place, part| {
            part.write(&mut self.contents, cx.terms, place.guard, place.offset, len);
        });
        if let (Some(kept), Value::Int(at), Value::Int(len)) = (&mut self.kept, place.offset, len)
            && let Spread::Copy(Copied { views: Some(views), .. }) = what
        {
            let whole = views.iter().filter(|&(&start, &n)| start + u64::from(n) <= len);
            Rc::make_mut(&mut kept.views).extend(whole.map(|(&start, &n)| (at + start, n)));
        }
    }

    /// What a copy from these places reads.
    pub fn copied<'a>(places: impl Iterator<Item = (&'a Place, &'a Bindings)>) -> Copied {
        let (mut taken, mut views) = (Vec::new(), Vec::new());
        for (place, bindings) in places {
            views.push(bindings.kept.as_ref().zip(match place.offset {
                Value::Int(at) => Some(at),
                _ => None,
            }));
            taken.push(Taken {
                guard: place.guard,
                from: Rc::new(bindings.contents.clone()),
                at: place.offset,
            });
        }
        let from = |(kept, at): (&Kept, u64)| kept.views.range(at..).map(|(start, &n)| (start - at, n)).collect();
        let views = match views[..] {
            [Some(sole)] => Some(from(sole)),
            _ => None,
        };
        Copied { taken, views }
    }

    /// Another view of these bytes is written: what other views have bound there is lost.
    fn see(&mut self, terms: &mut Terms, guard: TermId, offset: Value, len: Value) {
        let Some(kept) = &mut self.kept else { return };
        let (Value::Int(at), Value::Int(len)) = (offset, len) else {
            // Which ones are lost depends on the inputs: what is left of them is read as bytes.
            kept.views = Rc::default();
            return;
        };
        let end = at + len;
        for (start, n) in kept.over(at, len).collect::<Vec<_>>() {
            Rc::make_mut(&mut kept.views).remove(&start);
            let (last, undefined) = (start + u64::from(n), kept.undefined.clone());
            for (from, to) in [(start, at), (end, last)] {
                if from < to {
                    let (from, len) = (Value::Int(from), Value::Int(to - from));
                    self.contents.copy(terms, guard, from, &undefined, from, len);
                }
            }
        }
    }

    pub fn merge(join: &mut Join, members: &[(usize, &Bindings)]) -> Result<Bindings, Apart> {
        let contents: Vec<_> = members
            .iter()
            .map(|&(index, member)| (index, &member.contents))
            .collect();
        let contents = Contents::merge(join, &contents)?;
        let (_, first) = members[0];
        let kept = first.kept.as_ref().map(|kept| {
            let everywhere = |start: &u64, n: &u32| {
                let views = members.iter().filter_map(|(_, member)| member.kept.as_ref());
                views.clone().all(|kept| kept.views.get(start) == Some(n))
            };
            let views = kept.views.iter().filter(|(start, n)| everywhere(start, n));
            Kept {
                views: Rc::new(views.map(|(&start, &n)| (start, n)).collect()),
                undefined: kept.undefined.clone(),
            }
        });
        Ok(Bindings { contents, kept })
    }

    /// Where something is bound directly, as ranges of bytes.
    pub fn direct(&self) -> Vec<(u64, u64)> {
        self.contents.in_layer()
    }

    pub fn references(&self, terms: &mut Terms) -> Vec<BaseId> {
        self.contents.references(terms)
    }

    pub fn trace(&self, tracer: &mut Tracer) {
        self.contents.trace(tracer);
    }
}

impl Kept {
    /// The views that share a byte with these.
    fn over(&self, at: u64, len: u64) -> impl Iterator<Item = (u64, u32)> {
        let before = self.views.range(..at.saturating_add(len)).rev();
        before
            .map(|(&start, &n)| (start, n))
            .take_while(move |&(start, n)| start + u64::from(n) > at)
    }

    /// Whether a view is cut by one of `n` bytes at `offset`. A view inside it is a part of what it reads.
    fn hides(&self, offset: u64, n: u32) -> bool {
        let end = offset + u64::from(n);
        let cut = |(start, n): (u64, u32)| start < offset || start + u64::from(n) > end;
        self.over(offset, n.into()).any(cut)
    }
}
