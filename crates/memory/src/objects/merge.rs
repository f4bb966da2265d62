//! `merge`: one branch for all objects; a load is a conditional value, a store a conditional write into each.

use super::Group;
use crate::Cx;
use crate::merge::{Places, together};

pub(super) fn gather(cx: &mut Cx, mut places: Places) -> Vec<Group> {
    cx.counters.forks_avoided += places.len() as u64 - 1;
    let guard = together(cx, &mut places);
    vec![Group {
        guard,
        places,
        sole: None,
    }]
}
