//! Paths of the keys of a cell.

use crate::check::common::place;
use crate::path::Segment;

/// Path of a key of a cell, or of a key of a table in it.
pub(super) fn path<const N: usize>(at: usize, keys: [&'static str; N]) -> Vec<Segment> {
    place("cell", at, keys.map(Segment::from))
}
