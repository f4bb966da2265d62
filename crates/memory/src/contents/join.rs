//! Merging the contents of one object in several heaps.
//!
//! Where the members' layers differ, a cell is chosen at the width in which it is stored there. Records that not all
//! members share are written under the condition that their member is chosen, after the shared ones: guards of
//! different members are disjoint, so their order does not matter.

use super::layer::{CHUNK, Fresh, Layer, Piece, Shape};
use super::record::{Record, Span};
use super::{Contents, maybe};
use crate::pick::{Apart, Join};
use mneme_term::{TermId, Terms, Value};
use std::rc::Rc;

impl Contents {
    /// The contents that are those of member i where the tree chooses i.
    pub fn merge(join: &mut Join, members: &[(usize, &Contents)]) -> Result<Contents, Apart> {
        let (_, first) = members[0];
        let len = members.iter().map(|(_, member)| member.shape.len).max().unwrap_or(0);
        let fitted: Vec<(usize, Contents)> = members
            .iter()
            .map(|&(index, member)| (index, member.fitted(join.terms, len)))
            .collect();
        if fitted.iter().any(|(_, member)| member.default != first.default) {
            return Ok(overlaid(
                join.terms,
                |terms, index| when(join.pick, terms, index),
                fitted,
            ));
        }
        let records = merge_records(join, &fitted)?;
        // Zeros that only repeat what lies below must not hide the records of others.
        let laid_bare = |(index, mut member): (usize, Contents)| {
            if member.fresh() == Fresh::Zeros && records.is_some() {
                member.top.erase_zeros(0..len);
            }
            (index, member)
        };
        let members: Vec<(usize, Contents)> = fitted.into_iter().map(laid_bare).collect();
        let mut merged = Contents {
            records,
            ..members[0].1.clone()
        };
        let chunks = members.iter().map(|(_, member)| member.top.chunks()).max().unwrap_or(0);
        for index in 0..chunks {
            let tops: Vec<&Layer> = members.iter().map(|(_, member)| &member.top).collect();
            if !Layer::share(&tops, index) {
                let start = index as u64 * CHUNK;
                merge_chunk(join, &members, &mut merged, start..len.min(start + CHUNK))?;
            }
        }
        Ok(merged)
    }

    /// The same contents in a larger object.
    fn fitted(&self, terms: &mut Terms, len: u64) -> Contents {
        let mut fitted = self.clone();
        if self.shape.len == len {
            return fitted;
        }
        fitted.shape = Shape { len, ..self.shape };
        fitted.top = Layer::default();
        let (shape, fresh) = (fitted.shape, fitted.fresh());
        self.top.present(0..self.shape.len, |at, piece| match piece {
            Piece::Absent(_) => {}
            Piece::Bytes(bytes) => fitted.top.write_bytes(terms, at, bytes, shape, fresh),
            Piece::Value { value, bytes, .. } => fitted.top.write(terms, at, bytes, value, shape, fresh),
        });
        fitted
    }

    /// The `n` bytes at a concrete place.
    fn at(&self, terms: &mut Terms, at: u64, n: u32) -> Value {
        self.read(terms, &mut maybe, Value::Int(at), n)
    }
}

fn when(pick: &crate::pick::Pick, terms: &mut Terms, index: usize) -> TermId {
    pick.when(terms, |member| member == index)
}

/// Members that begin with different defaults: each but the first is copied over what was before, under the condition
/// that it is chosen.
fn overlaid(
    terms: &mut Terms,
    mut when: impl FnMut(&mut Terms, usize) -> TermId,
    members: Vec<(usize, Contents)>,
) -> Contents {
    let mut members = members.into_iter();
    let (_, mut merged) = members.next().expect("there are members");
    let len = Value::Int(merged.shape.len);
    for (index, member) in members {
        let guard = when(terms, index);
        merged.copy(terms, guard, Value::Int(0), &Rc::new(member), Value::Int(0), len);
    }
    merged
}

/// What all share, then what each has of its own.
fn merge_records(join: &mut Join, members: &[(usize, Contents)]) -> Result<Option<Rc<Vec<Record>>>, Apart> {
    let first = &members[0].1;
    let same = |member: &Contents| match (&member.records, &first.records) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    };
    if members.iter().all(|(_, member)| same(member)) {
        return Ok(first.records.clone());
    }
    let shared = |at: &usize| {
        let record = first.records().get(*at);
        let alike = |member: &Contents| match (record, member.records().get(*at)) {
            (Some(one), Some(other)) => one.is(other),
            _ => false,
        };
        members.iter().all(|(_, member)| alike(member))
    };
    let common = (0..).take_while(shared).count();
    join.may_write_differently()?;
    let mut records = first.records()[..common].to_vec();
    for (index, member) in members {
        let guard = when(join.pick, join.terms, *index);
        for record in &member.records()[common..] {
            guarded(join.terms, record, guard, first.shape.len, &mut records);
        }
    }
    Ok((!records.is_empty()).then(|| Rc::new(records)))
}

/// A record of an object of `len` bytes that only counts where `guard` holds.
fn guarded(terms: &mut Terms, record: &Record, guard: TermId, len: u64, out: &mut Vec<Record>) {
    match record {
        Record::At {
            guard: own,
            offset,
            span,
        } => out.push(Record::At {
            guard: terms.and(*own, guard),
            offset: *offset,
            span: span.clone(),
        }),
        Record::Layer(layer) => {
            let width = terms.pointer_width();
            layer.present(0..len, |at, piece| {
                let mut cell = |terms: &mut Terms, at: u64, value: TermId, bytes: u32| {
                    let offset = terms.constant(width, at);
                    let span = Span::Cell { value, bytes };
                    out.push(Record::At { guard, offset, span });
                };
                match piece {
                    Piece::Absent(_) => {}
                    Piece::Value { bytes, .. } => {
                        let value = piece.term(terms);
                        cell(terms, at, value, bytes);
                    }
                    Piece::Bytes(bytes) => {
                        for (k, part) in bytes.chunks(8).enumerate() {
                            let value = Piece::Bytes(part).term(terms);
                            cell(terms, at + 8 * k as u64, value, part.len() as u32);
                        }
                    }
                }
            });
        }
    }
}

/// Merges a range of one chunk that the members do not share.
fn merge_chunk(
    join: &mut Join,
    members: &[(usize, Contents)],
    merged: &mut Contents,
    range: std::ops::Range<u64>,
) -> Result<(), Apart> {
    let mut at = range.start;
    while at < range.end {
        let stretch = Stretch::at(join.terms, members, at, range.end);
        let n = match stretch {
            Stretch::Same(n) => {
                at += n;
                continue;
            }
            Stretch::Differs(n) => n,
        };
        join.spend()?;
        let values: Vec<(usize, Value)> = members
            .iter()
            .map(|(index, member)| (*index, member.at(join.terms, at, n as u32)))
            .collect();
        join.may_differ(n, values.iter().map(|&(_, value)| value))?;
        let chosen = join.pick.choose_value(join.terms, 8 * n as u32, |_, index| {
            values
                .iter()
                .find(|(member, _)| *member == index)
                .map(|&(_, value)| value)
        });
        let value = chosen.expect("some member has the object");
        if let Value::Term(term) = value {
            join.made += u64::from(join.terms.depth_or_size(term));
        }
        let (shape, fresh) = (merged.shape, merged.fresh());
        merged.top.write(join.terms, at, n as u32, value, shape, fresh);
        at += n;
    }
    Ok(())
}

/// How many bytes from some place on are the same for all members, or form one cell that differs.
enum Stretch {
    Same(u64),
    Differs(u64),
}

impl Stretch {
    fn at(terms: &Terms, members: &[(usize, Contents)], at: u64, end: u64) -> Stretch {
        let mut least = end - at;
        let mut whole = 0;
        let mut bytes = true;
        let (mut absent, mut alike) = (true, true);
        let mut seen: Option<(Value, u32, u32)> = None;
        for (index, (_, member)) in members.iter().enumerate() {
            member.top.piece(at, end, |piece| match piece {
                Piece::Absent(n) => {
                    least = least.min(n);
                    (bytes, alike) = (false, false);
                }
                Piece::Bytes(run) => {
                    least = least.min(run.len() as u64);
                    (absent, alike) = (false, false);
                }
                Piece::Value {
                    value,
                    size,
                    from,
                    bytes: n,
                } => {
                    least = least.min(n as u64);
                    if from == 0 && n == size {
                        whole = whole.max(n as u64);
                    }
                    alike &= index == 0 || seen == Some((value, size, from));
                    seen = Some((value, size, from));
                    (bytes, absent) = (false, false);
                }
            });
        }
        if absent || alike {
            return Stretch::Same(least);
        }
        if bytes {
            return Stretch::of_bytes(members, at, least);
        }
        if whole > 0 {
            return Stretch::Differs(uncut(terms, members, at, whole.min(end - at)));
        }
        Stretch::Differs(aligned(at, least))
    }

    /// `len` bytes at `at` are plain in all members.
    fn of_bytes(members: &[(usize, Contents)], at: u64, len: u64) -> Stretch {
        let bytes = |member: &Contents, from: u64, n: u64| -> Vec<u8> {
            let mut out = vec![0; n as usize];
            member.top.piece(from, from + n, |piece| {
                if let Piece::Bytes(run) = piece {
                    out[..run.len()].copy_from_slice(run);
                }
            });
            out
        };
        let all: Vec<Vec<u8>> = members.iter().map(|(_, member)| bytes(member, at, len)).collect();
        let differs = |k: &usize| all.iter().any(|bytes| bytes[*k] != all[0][*k]);
        let same = (0..len as usize).find(differs).map_or(len, |k| k as u64);
        if same > 0 {
            return Stretch::Same(same);
        }
        // Small numbers, some of them negative, as wide as their sign extension.
        let extends = |n: usize, sign: u8| move |bytes: &Vec<u8>| bytes[1..n].iter().all(|&byte| byte == sign);
        let small = |n: usize| {
            let either = |bytes: &Vec<u8>| extends(n, 0)(bytes) || extends(n, 0xff)(bytes);
            len as usize >= n && at.is_multiple_of(n as u64) && all.iter().all(either)
        };
        let n = match (small(8), small(4)) {
            (true, _) if all.iter().any(extends(8, 0xff)) => 8,
            (_, true) => 4,
            _ => 1,
        };
        Stretch::Differs(n)
    }
}

/// At most `n` bytes at `at` that do not cut a pointer of any member.
fn uncut(terms: &Terms, members: &[(usize, Contents)], at: u64, mut n: u64) -> u64 {
    let is_pointer = |value: Value| match value {
        Value::Ptr { .. } => true,
        Value::Term(term) => terms.has_base(term),
        _ => false,
    };
    for (_, member) in members {
        member.top.pieces(at..at + n, |start, piece| {
            if let Piece::Value {
                value, size, from: 0, ..
            } = piece
                && size == member.shape.word
                && is_pointer(value)
            {
                n = n.min(if start > at { start - at } else { size as u64 });
            }
        });
    }
    n
}

/// The largest cell of up to `most` bytes that a machine would write at `at`.
fn aligned(at: u64, most: u64) -> u64 {
    [8, 4, 2, 1]
        .into_iter()
        .find(|&n| n <= most && at.is_multiple_of(n))
        .expect("a byte fits everywhere")
}
