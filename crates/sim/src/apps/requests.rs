//! Requests at run time: their arrivals, and the size of each response.

use super::arrivals::Process;
use super::kind::{Kind, PORTS};
use super::request::Request;
use crate::network::{AppConfig, ConnectionUse, RequestsConfig};
use windward_units::{Duration, Time};

/// Requests of a client.
pub struct Requests {
    config: RequestsConfig,
    process: Process,
}

impl Kind for Requests {
    type Config = RequestsConfig;

    fn new(config: &RequestsConfig, app: &AppConfig, seed: u64) -> Self {
        Self { config: config.clone(), process: Process::new(&config.arrivals, app, seed) }
    }

    fn users(&self) -> u32 {
        self.process.users()
    }

    fn first(&mut self, user: u32, _: Time) -> Option<Time> {
        self.process.first(user)
    }

    fn ask(&mut self, now: Time, request: Request) -> (Request, Option<Time>) {
        let drawn = self.config.response.draw(self.process.lengths(request.user));
        let size = self.process.given(request.number).unwrap_or(drawn);
        (Request { size, ..request }, self.process.next(now, request.number))
    }

    fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time> {
        self.process.think(user).map(|think| now + think)
    }

    fn service(&self, _: &Request) -> Duration {
        self.config.service
    }

    fn closes(&self) -> bool {
        self.config.connections == ConnectionUse::New
    }

    fn most(&self) -> u32 {
        match self.config.connections {
            ConnectionUse::New => PORTS,
            ConnectionUse::Kept { most } => most.min(PORTS),
        }
    }

    fn deadline(&self) -> Option<Duration> {
        self.config.deadline
    }
}
