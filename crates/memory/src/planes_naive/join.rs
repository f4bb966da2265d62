//! Merging lists of records: what all share, then what each has of its own, under the condition that it is chosen.

use super::records::{Place, Places, Record, Span, Spread};
use crate::{Apart, Join};
use mneme_term::{Bits, TermId, Terms};
use smallvec::smallvec;
use std::rc::Rc;

pub fn records(join: &mut Join, members: &[&Rc<Vec<Record>>]) -> Result<Rc<Vec<Record>>, Apart> {
    if members.iter().all(|member| Rc::ptr_eq(member, members[0])) {
        return Ok(members[0].clone());
    }
    let shared = |at: &usize| match members[0].get(*at) {
        Some(record) => members
            .iter()
            .all(|member| member.get(*at).is_some_and(|other| record.is(other))),
        None => false,
    };
    let common = (0..).take_while(shared).count();
    join.may_write_differently()?;
    let mut merged = members[0][..common].to_vec();
    for (index, member) in members.iter().enumerate() {
        let guard = join.pick.when(join.terms, |chosen| chosen == index);
        // The length of the merged list after each of the member's own records.
        let mut lengths = vec![merged.len()];
        for record in &member[common..] {
            append(join.terms, &mut merged, record, guard, common, &lengths);
            lengths.push(merged.len());
        }
    }
    Ok(Rc::new(merged))
}

/// Appends a record that only counts where `guard` holds.
fn append(
    terms: &mut Terms,
    merged: &mut Vec<Record>,
    record: &Record,
    guard: TermId,
    common: usize,
    lengths: &[usize],
) {
    let mut push = |places: Places, span: Span| merged.push(Record { places, span });
    let at = |terms: &mut Terms, base, offset: u64| -> Places {
        let offset = terms.constant(terms.pointer_width(), offset);
        smallvec![Place { guard, base, offset }]
    };
    match &record.span {
        Span::Block { base, offset, bytes } => {
            for (k, part) in bytes.chunks(8).enumerate() {
                let value = terms.constant_bits(&Bits::from_bytes_le(8 * part.len() as u32, part));
                let value = terms.to_value(value);
                let places = at(terms, *base, offset + 8 * k as u64);
                let bytes = part.len() as u32;
                push(places, Span::Cell { bytes, value });
            }
        }
        Span::Reset { base, round, len } => {
            let places = at(terms, *base, 0);
            let spread = Spread::Symbol(crate::uninitialised(terms, *base, *round));
            let width = terms.pointer_width();
            let len = terms.of_value(*len, width);
            push(places, Span::Range { len, spread });
        }
        Span::Cell { .. } | Span::Range { .. } | Span::Cells(_) => {
            let narrowed = record.places.iter().map(|place| Place {
                guard: terms.and(place.guard, guard),
                ..place.clone()
            });
            let places: Places = narrowed.collect();
            let mut span = record.span.clone();
            if let Span::Range {
                spread: Spread::Copy { until, .. },
                ..
            } = &mut span
                && *until > common
            {
                *until = lengths[*until - common];
            }
            push(places, span);
        }
    }
}

impl Record {
    /// Whether two records are surely the same, by a quick test.
    fn is(&self, other: &Record) -> bool {
        same_places(&self.places, &other.places)
            && match (&self.span, &other.span) {
                (
                    Span::Cell { bytes, value },
                    Span::Cell {
                        bytes: other_bytes,
                        value: other_value,
                    },
                ) => (bytes, value) == (other_bytes, other_value),
                (
                    Span::Range { len, spread },
                    Span::Range {
                        len: other_len,
                        spread: other_spread,
                    },
                ) => len == other_len && spread.is(other_spread),
                (Span::Cells(cells), Span::Cells(other)) => cells == other,
                (
                    Span::Block { base, offset, bytes },
                    Span::Block {
                        base: other_base,
                        offset: other_offset,
                        bytes: other_bytes,
                    },
                ) => (base, offset) == (other_base, other_offset) && Rc::ptr_eq(bytes, other_bytes),
                (
                    Span::Reset { base, round, len },
                    Span::Reset {
                        base: other_base,
                        round: other_round,
                        len: other_len,
                    },
                ) => (base, round, len) == (other_base, other_round, other_len),
                _ => false,
            }
    }
}

impl Spread {
    fn is(&self, other: &Spread) -> bool {
        match (self, other) {
            (Spread::Byte(one), Spread::Byte(other)) => one == other,
            (Spread::Symbol(one), Spread::Symbol(other)) => one == other,
            (
                Spread::Copy { from, until },
                Spread::Copy {
                    from: other_from,
                    until: other_until,
                },
            ) => until == other_until && same_places(from, other_from),
            _ => false,
        }
    }
}

fn same_places(one: &Places, other: &Places) -> bool {
    let same =
        |(one, other): (&Place, &Place)| (one.guard, one.base, one.offset) == (other.guard, other.base, other.offset);
    one.len() == other.len() && one.iter().zip(other).all(same)
}
