//! Requests on their way, and the connections between which they choose.

use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// A request that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Its number, from zero.
    pub number: u64,
    /// The user who sent it, in a closed loop; of a page, the object.
    pub user: u32,
    /// Connections that it uses: those of this origin.
    pub pool: u32,
    /// Time of its arrival.
    pub intended: Time,
    /// Bytes of its response.
    pub size: u64,
    /// Time for which the server has data, if it is that which ends the response.
    pub on: Option<Duration>,
}

/// A request in service.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    pub request: Request,
    /// Time at which a connection took it.
    pub start: Time,
    /// Arrival of the first byte of the response.
    pub first_byte: Option<Time>,
    /// True if the connection had carried a request before.
    pub is_reused: bool,
    /// Retransmissions and timeouts of the connection before.
    pub before: [u64; 2],
}

/// Connections between which requests choose.
#[derive(Debug, Default)]
pub struct Pool {
    /// Connections that take another request, by their slots; the one used last comes last.
    pub ready: Vec<u32>,
    /// Number of connections that are open or opening.
    pub open: u32,
    /// Number of connections of a page that are opening, for the first request that waits then.
    pub opening: u32,
    /// Requests that wait for a connection.
    pub waiting: VecDeque<Request>,
}
