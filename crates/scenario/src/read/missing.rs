//! Features that are not modelled: their keys are refused by name, with what to use instead.

use super::tree::{Kind, Tree};
use crate::path::Segment;
use crate::problems::Problems;

/// A key that is refused, its feature, and what to use instead.
pub(super) type Missing = (&'static str, &'static str, &'static str);

/// Refuses keys of features that are not modelled, and removes them.
pub(super) fn refuse_missing(item: &mut Tree, place: &[Segment], missing: &[Missing], problems: &mut Problems) {
    for &(key, feature, instead) in missing {
        if item.get(key).is_some_and(|value| !matches!(value.kind, Kind::Null)) {
            let message = format!("not modelled: {feature}");
            problems.add(place.iter().cloned().chain([key.into()]), message, Some(instead.to_owned()));
            item.remove(&[key.into()]);
        }
    }
}
