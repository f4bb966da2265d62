//! The store as text: each region with what is bound to it, as in the tables of section 5.

use super::Regions;
use super::region::{Hierarchy, Shapes, scalars};
use crate::{Heap, Names, Variable};
use mneme_term::{BaseId, SymbolKind, Terms, Value};
use std::fmt::Write;

/// The most regions of one object that are shown.
const MOST: usize = 64;
/// The longest term that is shown.
const LONGEST: usize = 60;
/// Bytes of an element of an object without a shape.
const ELEMENT: u64 = 4;

pub fn store(heap: &Heap<Regions>, terms: &mut Terms, shapes: &Shapes, variables: &[Variable], name: &Names) -> String {
    let mut out = String::new();
    for variable in variables {
        _ = writeln!(out, "{} = {}", variable.name, value(terms, variable.value, name));
    }
    let mut hierarchy = Hierarchy::default();
    let objects: Vec<_> = heap
        .directory
        .headers()
        .map(|(base, header)| (base, header.site))
        .collect();
    for (base, site) in objects {
        let (Some(own), Some(entry)) = (name(base), heap.directory.get(base)) else {
            continue;
        };
        let shape = shapes.sites.get(site as usize).and_then(Option::as_ref);
        let parts = match shape {
            Some(shape) => scalars(shape, MOST),
            None => elements(&entry.payload.direct()),
        };
        let object = hierarchy.object(base, entry.header.kind);
        for (at, n) in parts
            .into_iter()
            .filter(|&(at, n)| n <= 8 && at + n <= entry.header.room)
        {
            let region = hierarchy.part(object, shape, at, n);
            let bound = entry.payload.read(terms, Value::Int(at), n as u32);
            let region = hierarchy.name(region, &|_| own.clone(), &|_| String::new());
            _ = writeln!(out, "{region} = {}", value(terms, bound, name));
        }
    }
    out
}

/// What is bound directly in an object without a shape.
fn elements(ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let each = |&(start, end): &(u64, u64)| {
        let starts = (start..end).step_by(ELEMENT as usize);
        starts.map(move |at| (at, ELEMENT.min(end - at)))
    };
    ranges.iter().flat_map(each).take(MOST).collect()
}

fn value(terms: &Terms, value: Value, name: &Names) -> String {
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
