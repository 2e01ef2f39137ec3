//! From text to the fields of the format: TOML or JSON to a tree that knows where everything stands, then the tree
//! to the structs of [`crate::format`], collecting what is wrong.

mod deserialize;
mod tree;

pub(crate) use deserialize::OneOf;
pub(crate) use tree::{Kind, Tree};

use crate::error::{Problems, Segment};
use crate::format::File;
use deserialize::Fault;
use serde::de::DeserializeOwned;

/// The lists of tables of a file; each of their tables is read by itself, so that one wrong table hides no other.
const LISTS: [&str; 4] = ["node", "link", "flow", "background"];

/// Reads a file from its tree; what is wrong goes to `problems`.
pub(crate) fn file(tree: &Tree, problems: &mut Problems) -> Option<File> {
    let mut rest = tree.clone();
    for list in LISTS {
        match rest.get(list).map(|tree| &tree.kind) {
            None | Some(Kind::Null | Kind::List(_)) => {}
            Some(_) => {
                let message = format!("`{list}` is a list of tables");
                problems.add([list.into()], message, Some(format!("each begins with [[{list}]]")));
            }
        }
        rest.remove(&[list.into()]);
    }
    let file: Option<File> = table(rest, &[], problems);
    let (node, link) = (entries(tree, "node", problems), entries(tree, "link", problems));
    let (flow, background) = (entries(tree, "flow", problems), entries(tree, "background", problems));
    Some(File { node: node?, link: link?, flow: flow?, background: background?, ..file? })
}

/// The tables of a list; `None` if one is wrong.
fn entries<T: DeserializeOwned>(tree: &Tree, list: &'static str, problems: &mut Problems) -> Option<Vec<T>> {
    let Some(Kind::List(items)) = tree.get(list).map(|tree| &tree.kind) else { return Some(Vec::new()) };
    let read = |(at, item): (usize, &Tree)| table(item.clone(), &[list.into(), Segment::Index(at)], problems);
    let read: Vec<Option<T>> = items.iter().enumerate().map(read).collect();
    read.into_iter().collect()
}

/// Reads one table. Serde stops at the first fault; so what is at fault is taken out and the rest is read again,
/// until nothing is left to complain about.
fn table<T: DeserializeOwned>(mut tree: Tree, place: &[Segment], problems: &mut Problems) -> Option<T> {
    let mut removed: Vec<Vec<Segment>> = Vec::new();
    loop {
        let Fault { path, text, missing, .. } = match T::deserialize(&tree) {
            Ok(value) if removed.is_empty() => return Some(value),
            Ok(_) => return None,
            Err(fault) => fault.in_order(),
        };
        let whole = path.iter().cloned().chain(missing.map(Segment::from)).collect::<Vec<_>>();
        if missing.is_some() && removed.contains(&whole) {
            return None;
        }
        problems.add_refusal(place.iter().chain(&path).cloned(), &text);
        // A list is taken out whole: its other items mean something else without the wrong one.
        let key = path.iter().rposition(|segment| !matches!(segment, Segment::Index(_)));
        let path = path[..key.map_or(0, |at| at + 1)].to_vec();
        if missing.is_some() || problems.is_full() || !tree.remove(&path) {
            return None;
        }
        removed.push(path);
    }
}
