//! Sessions at run time: the length of each transfer.

use super::arrivals::Process;
use super::kind::{Kind, PORTS};
use super::request::Request;
use crate::network::{AppConfig, Length, SessionConfig};
use windward_units::Time;

/// Transfers of a client.
pub struct Session {
    length: Length,
    process: Process,
    /// Bytes of a transfer that a time ends: as many segments as have numbers, more than any run can send.
    endless: u64,
}

impl Kind for Session {
    type Config = SessionConfig;

    fn new(config: &SessionConfig, app: &AppConfig, seed: u64) -> Self {
        let endless = u64::from(u32::MAX - 1) * app.tcp.segment.count();
        Self { length: config.length.clone(), process: Process::new(&config.arrivals, app, seed), endless }
    }

    fn users(&self) -> u32 {
        self.process.users()
    }

    fn first(&mut self, user: u32, _: Time) -> Option<Time> {
        self.process.first(user)
    }

    fn ask(&mut self, now: Time, request: Request) -> (Request, Option<Time>) {
        let lengths = self.process.lengths(request.user);
        let (size, on) = match &self.length {
            Length::Bytes(size) => {
                let drawn = size.draw(lengths);
                (self.process.given(request.number).unwrap_or(drawn), None)
            }
            // The server has data for this time.
            Length::Time { mean, spread } => (self.endless, Some(spread.draw(*mean, lengths))),
        };
        (Request { size, on, ..request }, self.process.next(now, request.number))
    }

    fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time> {
        self.process.think(user).map(|think| now + think)
    }

    fn closes(&self) -> bool {
        true
    }

    fn most(&self) -> u32 {
        PORTS
    }
}
