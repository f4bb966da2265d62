//! `fork`: one branch for each object that a pointer may refer to (thesis §2.2).

use super::Group;
use crate::Cx;
use crate::merge::{Place, Places, together};
use smallvec::smallvec;

pub(super) fn gather(cx: &mut Cx, places: Places) -> Vec<Group> {
    let alone = |place: Place| {
        let sole = Some(place.base);
        let mut places: Places = smallvec![place];
        let guard = together(cx, &mut places);
        Group { guard, places, sole }
    };
    places.into_iter().map(alone).collect()
}
