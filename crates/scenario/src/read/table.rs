//! One table of a file, with all problems in it.

use super::deserialize::Fault;
use super::tree::Tree;
use crate::path::Segment;
use crate::problems::Problems;
use serde::de::DeserializeOwned;

/// Reads one table. Serde stops at the first fault, so the faulty part is removed and the rest is read again until no
/// fault remains.
pub(crate) fn table<T: DeserializeOwned>(mut tree: Tree, place: &[Segment], problems: &mut Problems) -> Option<T> {
    let mut removed: Vec<Vec<Segment>> = Vec::new();
    loop {
        let Fault { path, text, missing, meant, known, .. } = match T::deserialize(&tree) {
            Ok(value) if removed.is_empty() => return Some(value),
            Ok(_) => return None,
            Err(fault) => fault.in_order(),
        };
        let key = missing.map(Segment::from);
        let at_fault: Vec<_> = path.iter().cloned().chain(key).collect();
        // Errors that only follow from the removal are reported already.
        if !removed.iter().any(|gone| gone.starts_with(&at_fault)) {
            problems.add_refusal(place.iter().chain(&path).cloned(), &text);
        }
        // A list is removed whole: without the wrong item its other items have another meaning.
        let key = path.iter().rposition(|segment| !matches!(segment, Segment::Index(_)));
        let path = path[..key.map_or(0, |at| at + 1)].to_vec();
        if !tree.remove(&path) {
            return None;
        }
        if problems.is_full() && !known.is_empty() {
            // Unknown keys beyond those shown are only counted: there may be thousands.
            problems.count(tree.remove_unknown(&path[..path.len() - 1], known));
        }
        // The key that was meant is not missing.
        removed.extend(meant.map(|key| path[..path.len() - 1].iter().cloned().chain([key.into()]).collect()));
        removed.push(path);
    }
}
