//! The state of a running link as JSON.

use crate::quality::Quality;
use crate::wire::Totals;
use serde_json::{Map, Value, json};
use windward_sim::LinkStats;
use windward_tables::{Data, Frame, Row};

/// Totals so far: `seconds`, `down` and `up` (a row for each link on the way of a packet, in this order), `quality`.
pub(super) fn report(totals: &Totals, routes: &[Vec<u32>; 2], missed: u64) -> Value {
    let [down, up] =
        routes.each_ref().map(|route| route.iter().map(|&port| Value::from(hop(totals, port))).collect::<Vec<_>>());
    let quality = Quality { missed, ..totals.quality.clone() };
    let mut timing = row(quality.clone());
    timing.insert("problem".to_owned(), quality.problem().into());
    json!({ "seconds": totals.at.as_secs(), "down": down, "up": up, "quality": timing })
}

/// A port's row of the table of links, with its rows of the media's tables.
fn hop(totals: &Totals, port: u32) -> Map<String, Value> {
    let mut fields = row::<LinkStats>(totals.links.get(port as usize).cloned().unwrap_or_default());
    for Frame { table, columns } in &totals.media.0 {
        let Some((Data::Unsigned32(ports), "link")) = columns.first().zip(table.columns.first().map(|one| one.name))
        else {
            continue;
        };
        if let Some(at) = ports.iter().position(|&one| one == port) {
            let rest = table.columns.iter().zip(columns).skip(1);
            fields.extend(rest.map(|(about, data)| (about.name.to_owned(), value(data, at))));
        }
    }
    fields
}

fn row<R: Row>(row: R) -> Map<String, Value> {
    let columns = R::columns(&[row]);
    R::TABLE.columns.iter().zip(&columns).map(|(about, data)| (about.name.to_owned(), value(data, 0))).collect()
}

/// A value of a column; null for a mean of nothing.
fn value(data: &Data, at: usize) -> Value {
    match data {
        Data::Double(values) => values[at].into(),
        Data::Unsigned(values) => values[at].into(),
        Data::Unsigned32(values) => values[at].into(),
        Data::Truth(values) => values[at].into(),
        Data::Blocks(blocks) => value(&blocks.unpack(), at),
    }
}
