//! Sessions: sizes or times of their transfers.

use super::arrivals::{Place, arrivals};
use super::shared::inside;
use super::sizes::size;
use crate::format::Session;
use crate::problems::Problems;
use windward_sim::{Length, SessionConfig, Spread};

/// Clients of a table.
pub struct Transfers<'a> {
    app: &'a Session,
    length: Length,
}

/// Clients of a table; reports problems.
pub fn transfers<'a>(app: &'a Session, at: usize, problems: &mut Problems) -> Option<Transfers<'a>> {
    let length = match (&app.size, app.on) {
        (Some(sizes), None) => Length::Bytes(size(sizes, "size", at, problems)?),
        (None, Some(on)) => {
            Length::Time { mean: on.0, spread: app.on_spread.map_or(Spread::Exponential, Spread::from) }
        }
        (given, _) => {
            let key = if given.is_some() { "on" } else { "size" };
            problems.add(inside(at, [key.into()]), "give either `size` or `on`", None);
            return None;
        }
    };
    if app.on.is_none() && app.on_spread.is_some() {
        problems.add(inside(at, ["on_spread".into()]), "`on_spread` needs `on`", None);
    }
    Some(Transfers { app, length })
}

impl Transfers<'_> {
    /// Transfers of the client at `place`; reports problems.
    pub fn config(&self, place: Place<'_>, at: usize, problems: &mut Problems) -> Option<SessionConfig> {
        let size = if let Length::Bytes(size) = &self.length { Some(size) } else { None };
        let arrivals = arrivals(&self.app.arrivals, size, place, at, problems)?;
        Some(SessionConfig { arrivals, length: self.length.clone() })
    }
}
