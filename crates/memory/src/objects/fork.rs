//! `fork`: one branch for each object that a pointer may refer to (thesis §2.2).

use crate::places::Places;
use crate::{Cx, Group};
use smallvec::smallvec;

pub(super) fn gather(cx: &mut Cx, places: Places) -> Vec<Group> {
    let alone = |place| Group::of(cx, smallvec![place]);
    places.into_iter().map(alone).collect()
}
