//! Sessions: sizes or times of their transfers.

use super::shared::inside;
use super::sizes::size;
use crate::format::Session;
use crate::problems::Problems;
use windward_sim::{self as sim, AppConfig, ConnectionUse};

/// Properties common to the transfers of a table; reports problems.
pub fn config(app: &Session, connections: AppConfig, at: usize, problems: &mut Problems) -> Option<AppConfig> {
    let spread = app.on_spread.map_or(sim::Spread::Exponential, sim::Spread::from);
    let (response, on) = match (&app.size, app.on) {
        (Some(sizes), None) => (size(sizes, "size", at, problems)?, None),
        (None, Some(on)) => (connections.response, Some((on.0, spread))),
        (given, _) => {
            let key = if given.is_some() { "on" } else { "size" };
            problems.add(inside(at, [key.into()]), "give either `size` or `on`", None);
            return None;
        }
    };
    if on.is_none() && app.on_spread.is_some() {
        problems.add(inside(at, ["on_spread".into()]), "`on_spread` needs `on`", None);
    }
    Some(AppConfig { response, on, connections: ConnectionUse::New, ..connections })
}
