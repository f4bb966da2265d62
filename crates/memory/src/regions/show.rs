//! The store as text: each region with what is bound to it, as in the tables of section 5.

use super::Regions;
use super::bindings::Bindings;
use super::region::{Hierarchy, Shape, Shapes, scalars};
use crate::{Heap, Name, Names, Pointee, Variable};
use mneme_term::{BaseId, Case, SymbolKind, TermId, Terms, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The most regions of one object that are shown.
const MOST: usize = 64;
/// The longest term that is shown.
const LONGEST: usize = 60;
/// Bytes of an element of an object without a shape.
const ELEMENT: u64 = 4;

pub fn store(heap: &Heap<Regions>, terms: &mut Terms, shapes: &Shapes, variables: &[Variable], name: &Names) -> String {
    let mut out = "the regions of the path hold\n".to_owned();
    let plain = plain_names(heap, variables, name);
    // A pointer to an object of the caller's refers to a symbolic region.
    let name = |base: BaseId| {
        plain.get(&base).map(|(text, pointee)| match pointee {
            Some(_) => format!("SymRegion{{{text}}}"),
            None => text.clone(),
        })
    };
    for variable in variables {
        let own = short(&variable.name, variables.iter().map(|other| &*other.name));
        _ = writeln!(out, "{own} = {}", value(terms, variable.value, &name));
    }
    let mut hierarchy = Hierarchy::default();
    let objects: Vec<_> = heap
        .directory
        .headers()
        .map(|(base, header)| (base, header.site))
        .collect();
    for (base, site) in objects {
        let (Some((own, pointee)), Some(entry)) = (plain.get(&base), heap.directory.get(base)) else {
            continue;
        };
        // What cannot be written is in the program's text.
        if entry.header.constant {
            continue;
        }
        let room = entry.header.room;
        let (object, shape) = match pointee {
            None => {
                let shape = shapes.sites.get(site as usize).and_then(Option::as_ref);
                (hierarchy.object(base, entry.header.kind), shape.cloned())
            }
            Some(pointee) => {
                let pointer = terms.base(base);
                let one = pointee.c_type.and_then(|ty| shapes.types.get(ty as usize)?.clone());
                (hierarchy.symbolic(pointer), one.map(|one| repeated(one, room)))
            }
        };
        let parts = match &shape {
            Some(shape) => scalars(shape, MOST),
            None => elements(terms, &entry.payload),
        };
        // What a symbolic region has held from the start says nothing.
        let direct = entry.payload.direct();
        let is_bound = |at, n| pointee.is_none() || direct.iter().any(|&(from, to)| from < at + n && at < to);
        for (at, n) in parts
            .into_iter()
            .filter(|&(at, n)| n <= 8 && at + n <= room && is_bound(at, n))
        {
            let region = hierarchy.part(object, shape.as_ref(), at, n);
            let bound = entry.payload.read(terms, Value::Int(at), n as u32);
            let region = hierarchy.name(region, &|_| own.clone(), &|_| own.clone());
            _ = writeln!(out, "{region} = {}", value(terms, bound, &name));
        }
    }
    out
}

/// Objects as C names them; those of one name keep the function and the number that tell them apart.
fn plain_names(
    heap: &Heap<Regions>,
    variables: &[Variable],
    name: &Names,
) -> BTreeMap<BaseId, (String, Option<Pointee>)> {
    let all: Vec<(BaseId, Name)> = {
        let bases = heap.directory.headers().map(|(base, _)| base);
        bases.filter_map(|base| Some((base, name(base)?))).collect()
    };
    let texts = || {
        let objects = all.iter().map(|(_, name)| &*name.text);
        objects.chain(variables.iter().map(|variable| &*variable.name))
    };
    let named = all
        .iter()
        .map(|(base, name)| (*base, (short(&name.text, texts()), name.pointee)));
    named.collect()
}

/// The name without what only tells it from others, if it is the only one.
fn short<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> String {
    fn last(name: &str) -> &str {
        let own = name.rsplit(':').next().unwrap_or(name);
        own.trim_start_matches('&').trim_end_matches("@0")
    }
    match all.filter(|other| last(other) == last(name)).count() {
        0 | 1 => last(name).to_owned(),
        _ => name.trim_start_matches('&').to_owned(),
    }
}

/// As many of these as there is room for.
fn repeated(one: Shape, room: u64) -> Shape {
    match one.bytes().and_then(|bytes| room.checked_div(bytes)) {
        None | Some(0 | 1) => one,
        count => Shape::Array {
            of: Arc::new(one),
            count,
        },
    }
}

/// What is bound directly in an object without a shape: pointers, and otherwise words.
fn elements(terms: &mut Terms, bindings: &Bindings) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    for (mut at, end) in bindings.direct() {
        while at < end && out.len() < MOST {
            let pointer = 2 * ELEMENT;
            let is_pointer = at.is_multiple_of(pointer)
                && at + pointer <= end
                && match bindings.read(terms, Value::Int(at), pointer as u32) {
                    Value::Ptr { .. } => true,
                    Value::Term(term) => terms.cases(term).iter().any(|case| case.base.is_some()),
                    _ => false,
                };
            let n = if is_pointer { pointer } else { ELEMENT.min(end - at) };
            out.push((at, n));
            at += n;
        }
    }
    out
}

fn value(terms: &mut Terms, value: Value, name: &dyn Fn(BaseId) -> Option<String>) -> String {
    let object = |base: BaseId| name(base).unwrap_or_else(|| "an object".into());
    match value {
        Value::Int(number) => number.to_string(),
        Value::Ptr { base, offset: 0 } => object(base),
        Value::Ptr { base, offset } => format!("{} + {offset}", object(base)),
        Value::Undef => "undefined".into(),
        Value::Term(term) => {
            let symbols = terms.symbols(term);
            let undefined = |symbol| matches!(terms.symbol_info(symbol).kind, SymbolKind::Uninit(_));
            match !symbols.is_empty() && symbols.iter().all(|&symbol| undefined(symbol)) {
                true => "undefined".into(),
                false => {
                    if let Some(text) = pointers(terms, term, &object) {
                        return text;
                    }
                    let text = terms.display(term).to_string();
                    match text.char_indices().nth(LONGEST) {
                        Some((end, _)) => format!("{}…", &text[..end]),
                        None => text,
                    }
                }
            }
        }
    }
}

/// What a pointer may refer to. `None`: it is a number.
fn pointers(terms: &mut Terms, term: TermId, object: &dyn Fn(BaseId) -> String) -> Option<String> {
    if terms.width(term) > 64 || !terms.has_base(term) {
        return None;
    }
    let cases = terms.cases(term);
    let one = |case: &Case| match (case.base, terms.as_const(case.offset)) {
        (Some(base), Some(0)) => object(base),
        (Some(base), Some(offset)) => format!("{} + {offset}", object(base)),
        (Some(base), None) => format!("{} + …", object(base)),
        (None, Some(0)) => "null".into(),
        (None, _) => "a number".into(),
    };
    (cases.iter().any(|case| case.base.is_some())).then(|| cases.iter().map(one).collect::<Vec<_>>().join(" or "))
}
