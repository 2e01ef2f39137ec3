//! Requests: sizes of responses and the use of connections.

use super::arrivals::{Place, arrivals};
use super::shared::request;
use super::sizes::size;
use crate::format::{Requests, Reuse};
use crate::problems::Problems;
use windward_sim::{ConnectionUse, RequestsConfig, Size};
use windward_units::Bytes;

/// Clients of a table.
pub struct Clients<'a> {
    app: &'a Requests,
    response: Size,
}

/// Bytes of a request, and the clients of a table; reports problems.
pub fn clients<'a>(app: &'a Requests, at: usize, problems: &mut Problems) -> Option<(Bytes, Clients<'a>)> {
    let request = request(app.request.0, at, problems);
    let response = size(&app.response, "response", at, problems)?;
    Some((request?, Clients { app, response }))
}

impl Clients<'_> {
    /// Requests of the client at `place`; reports problems.
    pub fn config(&self, place: Place<'_>, at: usize, problems: &mut Problems) -> Option<RequestsConfig> {
        let Self { app, response } = self;
        Some(RequestsConfig {
            arrivals: arrivals(&app.arrivals, Some(response), place, at, problems)?,
            response: response.clone(),
            service: app.service.0,
            connections: match app.connections {
                Reuse::New => ConnectionUse::New,
                Reuse::Pool => ConnectionUse::Kept { most: u32::MAX },
                Reuse::Most(count) => ConnectionUse::Kept { most: count.0 },
            },
            deadline: app.deadline.map(|deadline| deadline.0),
        })
    }
}
