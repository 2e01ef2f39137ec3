//! From text to the fields of the format: TOML or JSON to a tree with the positions of all values, then the tree to the
//! structs of [`crate::format`]. Problems are collected.

mod cell;
mod deserialize;
mod missing;
mod source;
mod table;
mod tree;

pub(crate) use source::without_mark;
pub use source::{MAX_RECORDING, read_text};
pub(crate) use table::table;
pub(crate) use tree::{Kind, Tree};

use crate::format::{Change, File, Lists};
use crate::path::Segment;
use crate::problems::Problems;
use missing::{Missing, refuse_missing};
use serde::de::DeserializeOwned;

/// Lists of tables of a file. Each table is read separately, so that a problem in one does not hide those of others.
const LISTS: [&str; 9] = ["node", "link", "cell", "wifi", "region", "change", "flow", "app", "background"];

/// Reads a file from its tree; problems go to `problems`.
pub(crate) fn file(tree: &Tree, problems: &mut Problems) -> Option<File> {
    let mut rest = tree.clone();
    for list in LISTS {
        match rest.get(list).map(|tree| &tree.kind) {
            None | Some(Kind::Null | Kind::List(_)) => {}
            Some(_) => {
                let message = format!("`{list}` must be a list of tables");
                problems.add([list.into()], message, Some(format!("each begins with [[{list}]]")));
            }
        }
        rest.remove(&[list.into()]);
    }
    let file: Option<File> = table(rest, &[], problems);
    let (node, link) = (entries(tree, "node", problems), entries(tree, "link", problems));
    let (cell, wifi) = (cell::read(tree, problems), entries(tree, "wifi", problems));
    let (region, change) = (entries(tree, "region", problems), changes(tree, problems));
    let (flow, app) = (entries(tree, "flow", problems), entries(tree, "app", problems));
    let background = entries(tree, "background", problems);
    let (node, link, cell, wifi, region, change) = (node?, link?, cell?, wifi?, region?, change?);
    Some(File { node, link, cell, wifi, region, change, flow: flow?, app: app?, background: background?, ..file? })
}

/// Reads the lists of a network without flows.
pub(crate) fn links(tree: &Tree, problems: &mut Problems) -> Option<Lists> {
    let (node, link) = (entries(tree, "node", problems), entries(tree, "link", problems));
    let (cell, wifi) = (cell::read(tree, problems), entries(tree, "wifi", problems));
    let (change, background) = (changes(tree, problems), entries(tree, "background", problems));
    Some(Lists { node: node?, link: link?, cell: cell?, wifi: wifi?, change: change?, background: background? })
}

/// Changes of LTE and NR cells that are not modelled, and what to use instead.
const MISSING_CHANGES: [Missing; 3] = [
    ("site", "sites that change", "change the `snr` of stations, or let a `motion` lead out of the site's reach"),
    ("power", "powers that change", "change the `snr` of stations"),
    ("interference", "interference that changes", "change the `snr` of stations, or add a [[cell.site]] with stations"),
];

/// Reads the changes of a file; `None` if one is wrong.
fn changes(tree: &Tree, problems: &mut Problems) -> Option<Vec<Change>> {
    let before = problems.len();
    if let Some(Kind::List(items)) = tree.get("change").map(|tree| &tree.kind) {
        for (at, item) in items.iter().enumerate() {
            refuse_missing(&mut item.clone(), &["change".into(), Segment::Index(at)], &MISSING_CHANGES, problems);
        }
    }
    // What is left lacks what was refused, which is not the fault.
    if problems.len() > before { None } else { entries(tree, "change", problems) }
}

/// Reads the tables of a list; `None` if one is wrong.
fn entries<T: DeserializeOwned>(tree: &Tree, list: &'static str, problems: &mut Problems) -> Option<Vec<T>> {
    let items = match tree.get(list).map(|tree| &tree.kind) {
        None | Some(Kind::Null) => return Some(Vec::new()),
        Some(Kind::List(items)) => items,
        Some(_) => return None,
    };
    let read = |(at, item): (usize, &Tree)| table(item.clone(), &[list.into(), Segment::Index(at)], problems);
    let read: Vec<Option<T>> = items.iter().enumerate().map(read).collect();
    read.into_iter().collect()
}
