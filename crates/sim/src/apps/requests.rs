//! Requests at run time: the size of each response.

use super::arrivals::Process;
use crate::network::{AppConfig, RequestsConfig};

/// Requests of a client.
pub struct Requests {
    pub config: RequestsConfig,
    pub process: Process,
}

impl Requests {
    /// Requests of the application `app` before the first.
    pub fn new(config: &RequestsConfig, app: &AppConfig, seed: u64) -> Self {
        Self { config: config.clone(), process: Process::new(&config.arrivals, app, seed) }
    }

    /// Bytes of the response to the request with the number `number`.
    pub fn size(&mut self, number: u64, user: u32) -> u64 {
        let drawn = self.config.response.draw(self.process.lengths(user));
        self.process.given(number).unwrap_or(drawn)
    }
}
