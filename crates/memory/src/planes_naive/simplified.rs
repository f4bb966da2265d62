//! Reading as section 5 describes it: "a nested *ite* expression containing all records of the list", which the solver
//! simplifies.
//!
//! The plane of a read is the set of writes of its width. Each of them is in the expression, whatever its segment, with
//! the collision formula σ' = σ ∧ ω' = ω as it stands; only Z3 decides any of them. Writes of other widths and
//! multi-writes into a segment of the read are in its plane as well (section 4); where they may cover only a part of
//! what is read, it is read byte by byte.

use super::records::{Hit, Place, Places, Reader, Record, Span, hit, never_written, read_bytes};
use crate::Cx;
use mneme_solver::{Atom, Choice, Simplifier};
use mneme_term::{TermId, Terms, Value};
use smallvec::smallvec;
use std::cell::RefCell;

/// Segments are numbers of this many bits, for comparison.
const SEGMENT_WIDTH: u32 = 32;
/// The segment of a write that did not happen.
const NULL: u64 = 0;

pub fn read(
    cx: &mut Cx,
    reader: Reader,
    simplifier: &RefCell<Simplifier>,
    records: &[Record],
    places: &Places,
    n: u32,
) -> TermId {
    let address = Address::of(cx.terms, places);
    let mut choices: Vec<Choice> = Vec::new();
    for (index, record) in records.iter().enumerate() {
        if let Span::Cell { bytes, value } = record.span
            && bytes == n
            && whole(cx.terms, record, places, n)
        {
            choices.push(collision(cx.terms, record, value, &address, n));
            continue;
        }
        for place in places {
            match hit(cx, reader, records, index, record, place, n) {
                Hit::Never => {}
                Hit::Partly => return read_bytes(cx, reader, records, places, n),
                Hit::When(condition, value) => choices.push(Choice {
                    when: smallvec![Atom::Holds(place.guard), Atom::Holds(condition)],
                    value,
                }),
            }
        }
    }
    let oldest = never_written(cx, reader, places, n);
    match simplifier.borrow_mut().choose(cx.terms, oldest, &choices) {
        // The solver does not know pointers, and may take them apart.
        Some(simplified) if !cx.terms.has_base(simplified) => simplified,
        _ => nested(cx.terms, oldest, &choices),
    }
}

/// σ : ω, as terms.
struct Address {
    segment: TermId,
    offset: TermId,
}

impl Address {
    /// One of the places; the last if no guard holds.
    fn of(terms: &mut Terms, places: &[Place]) -> Address {
        let (last, others) = places.split_last().expect("an access has a place");
        let mut address = Address {
            segment: segment(terms, last),
            offset: last.offset,
        };
        for place in others {
            let segment = segment(terms, place);
            address.segment = terms.ite(place.guard, segment, address.segment);
            address.offset = terms.ite(place.guard, place.offset, address.offset);
        }
        address
    }
}

fn segment(terms: &mut Terms, place: &Place) -> TermId {
    terms.constant(SEGMENT_WIDTH, u64::from(place.base.0) + 1)
}

/// Whether a write of `n` bytes and a read of `n` bytes always overlap completely or not at all.
fn whole(terms: &mut Terms, record: &Record, places: &Places, n: u32) -> bool {
    let mut meets = |origin: &Place, place: &Place| {
        let distance = terms.sub(place.offset, origin.offset);
        n.is_power_of_two() && terms.known_zero_low_bits(distance) >= n.trailing_zeros()
    };
    places.iter().all(|place| {
        let mut shared = record.places.iter().filter(|origin| origin.base == place.base);
        shared.all(|origin| meets(origin, place))
    })
}

/// ite(σ' = σ ∧ ω' = ω, ν', …)
fn collision(terms: &mut Terms, record: &Record, value: Value, address: &Address, n: u32) -> Choice {
    let written = Address::of(terms, &record.places);
    let somewhere = match &record.places[..] {
        [place] => place.guard,
        places => places.iter().fold(terms.fls(), |any, place| terms.or(any, place.guard)),
    };
    let null = terms.constant(SEGMENT_WIDTH, NULL);
    let segment = terms.ite(somewhere, written.segment, null);
    Choice {
        when: smallvec![
            Atom::Equal(segment, address.segment),
            Atom::Equal(written.offset, address.offset)
        ],
        value: terms.of_value(value, 8 * n),
    }
}

/// The expression itself, if the solver's answer is unusable.
fn nested(terms: &mut Terms, oldest: TermId, choices: &[Choice]) -> TermId {
    choices.iter().fold(oldest, |rest, choice| {
        let condition = choice.when.iter().fold(terms.tru(), |all, atom| {
            let atom = match *atom {
                Atom::Equal(one, other) => terms.eq(one, other),
                Atom::Holds(condition) => condition,
            };
            terms.and(all, atom)
        });
        terms.ite(condition, choice.value, rest)
    })
}
