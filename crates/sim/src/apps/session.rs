//! Sessions at run time: the length of each transfer.

use super::arrivals::Process;
use crate::network::{AppConfig, Length, SessionConfig};
use windward_units::Duration;

/// Transfers of a client.
pub struct Session {
    length: Length,
    pub process: Process,
    /// Bytes of a transfer that a time ends: as many segments as have numbers, more than any run can send.
    endless: u64,
}

impl Session {
    /// Transfers of the application `app` before the first.
    pub fn new(config: &SessionConfig, app: &AppConfig, seed: u64) -> Self {
        let endless = u64::from(u32::MAX - 1) * app.tcp.segment.count();
        Self { length: config.length.clone(), process: Process::new(&config.arrivals, app, seed), endless }
    }

    /// Bytes of the transfer with the number `number`, and the time for which the server has data if that ends it.
    pub fn length(&mut self, number: u64, user: u32) -> (u64, Option<Duration>) {
        let lengths = self.process.lengths(user);
        match &self.length {
            Length::Bytes(size) => {
                let drawn = size.draw(lengths);
                (self.process.given(number).unwrap_or(drawn), None)
            }
            Length::Time { mean, spread } => (self.endless, Some(spread.draw(*mean, lengths))),
        }
    }
}
