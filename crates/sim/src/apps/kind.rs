//! Clients of any kind at run time.

use super::request::{Request, Served};
use crate::network::AppConfig;
use windward_tables::Frames;
use windward_units::{Duration, Time};

/// Connections that a client can have with one server: Linux's ephemeral ports (`ip_local_port_range`, 32768 to 60999).
pub const PORTS: u32 = 28_232;

/// Tables of kinds of applications at the end of a run.
pub struct Own {
    pub tables: Frames,
    /// Objects of the pages so far: objects are numbered over all pages.
    pub objects: u32,
}

/// A kind of client at run time.
pub trait Kind {
    /// Its configuration.
    type Config;

    /// Client of `config` in the application `app` before its first request.
    fn new(config: &Self::Config, app: &AppConfig, seed: u64) -> Self;

    /// Number of arrival processes: one, or one for each user.
    fn users(&self) -> u32 {
        1
    }

    /// Time of the first request of a user, or of the open loop, of an application that begins at `start`.
    fn first(&mut self, _user: u32, start: Time) -> Option<Time> {
        Some(start)
    }

    /// Completes `request`, which arrives now. Returns it with the time of the next one of an open loop.
    fn ask(&mut self, now: Time, request: Request) -> (Request, Option<Time>);

    /// Time of the next request of a user whose response is complete now; `None` in an open loop.
    fn next_of_user(&mut self, now: Time, user: u32) -> Option<Time>;

    /// Time at the server before the response to a request.
    fn service(&self, _request: &Request) -> Duration {
        Duration::ZERO
    }

    /// True if the server closes a connection after its first response.
    fn closes(&self) -> bool {
        false
    }

    /// Most connections of a pool.
    fn most(&self) -> u32 {
        1
    }

    /// Time after which a response is late.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Notes a new connection.
    fn note_connection(&mut self) {}

    /// Notes a response that is complete.
    fn note_served(&mut self, _served: &Served, _connection: u64) {}

    /// Takes out the requests that it holds back.
    fn take_held(&mut self) -> Vec<Request> {
        Vec::new()
    }

    /// Adds its own rows of the application `app`, from the first time to the second, the end of the run.
    fn report(&mut self, _app: u32, _span: [Time; 2], _own: &mut Own) {}
}
