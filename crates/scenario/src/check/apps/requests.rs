//! Requests: sizes of responses and the use of connections.

use super::shared::request;
use super::sizes::size;
use crate::format::{Requests, Reuse};
use crate::problems::Problems;
use windward_sim::{AppConfig, ConnectionUse};

/// Properties common to the clients of a table; reports problems.
pub fn config(app: &Requests, connections: AppConfig, at: usize, problems: &mut Problems) -> Option<AppConfig> {
    let request = request(app.request.0, at, problems);
    let response = size(&app.response, "response", at, problems)?;
    Some(AppConfig {
        request: request?,
        response,
        service: app.service.0,
        connections: match app.connections {
            Reuse::New => ConnectionUse::New,
            Reuse::Pool => ConnectionUse::Kept { most: u32::MAX },
            Reuse::Most(count) => ConnectionUse::Kept { most: count.0 },
        },
        deadline: app.deadline.map(|deadline| deadline.0),
        ..connections
    })
}
