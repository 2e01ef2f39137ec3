//! Clients that send requests over two-way connections: open and closed loops, players and browsers.

use super::flow::LawChoice;
use super::source::Spread;
use super::tcp::TcpOptions;
use crate::packet::NodeId;
use crate::page::PageConfig;
use crate::size::Size;
use crate::topology::Route;
use crate::video::VideoConfig;
use std::sync::Arc;
use windward_units::{BitRate, Bytes, Duration, Time};

/// A client that sends requests to a server, which answers each with a response; a video player and a browser are such
/// clients too.
#[derive(Clone, Debug)]
pub struct AppConfig {
    /// Names the application's random streams; different for every application.
    pub key: u64,
    /// Node of the client.
    pub client: NodeId,
    /// Node of the server.
    pub server: NodeId,
    /// Route from the client to the server.
    pub forward: Route,
    /// Route from the server to the client.
    pub backward: Route,
    /// Congestion control law of both ends; not TFRC.
    pub law: LawChoice,
    /// TCP parameters of both ends.
    pub tcp: TcpOptions,
    /// Start of the arrivals.
    pub start: Time,
    /// End of the arrivals; `None`: the end of the run. Requests that have arrived are served to their end.
    pub stop: Option<Time>,
    /// Arrivals of the requests.
    pub arrivals: Arrivals,
    /// Bytes of a request; positive.
    pub request: Bytes,
    /// Bytes of a response, unless the arrivals give them.
    pub response: Size,
    /// Time for which the server has data, in the place of a number of bytes, over a connection of its own: mean, and
    /// distribution. `None`: until the last byte of the response.
    pub on: Option<(Duration, Spread)>,
    /// Time at the server from the request's last byte to the first byte of the response.
    pub service: Duration,
    /// Use of connections.
    pub connections: ConnectionUse,
    /// Time after which a response is late; `None`: never.
    pub deadline: Option<Duration>,
    /// The path when nothing else uses it, for slowdowns.
    pub ideal: Ideal,
}

impl AppConfig {
    /// True if the demand depends on the network: a player or a browser asks, or a response has a time.
    pub fn is_elastic(&self) -> bool {
        matches!(self.arrivals, Arrivals::Video(_) | Arrivals::Page(_)) || self.on.is_some()
    }

    /// True if the application draws from the seed.
    pub fn is_random(&self) -> bool {
        let arrives = match &self.arrivals {
            Arrivals::Video(_) => return false,
            Arrivals::Page(page) => return page.is_reading_random && page.visits > 1,
            Arrivals::Periodic { .. } | Arrivals::Times(_) => false,
            Arrivals::Poisson { .. } => true,
            Arrivals::Closed { spread, .. } => *spread != Spread::Fixed,
        };
        let is_fixed = self.on.map_or(matches!(self.response, Size::Fixed(_)), |(_, spread)| spread == Spread::Fixed);
        arrives || !is_fixed
    }
}

/// Arrivals of requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Open loop: the first at the start, then one after every span; positive.
    Periodic {
        /// Time between two requests.
        every: Duration,
    },
    /// Open loop: a Poisson process.
    Poisson {
        /// Mean time between two requests; positive.
        mean: Duration,
    },
    /// Closed loop: each user thinks, sends a request and waits for the response.
    Closed {
        /// Number of users, positive and below 2^24.
        users: u32,
        /// Mean time of thinking.
        think: Duration,
        /// Its distribution.
        spread: Spread,
    },
    /// Open loop: times in order, counted from the start, each with the bytes of the response if they are given.
    Times(Arc<[(Duration, Option<Bytes>)]>),
    /// A video player, one chunk after the other; responses have the sizes of the chunks.
    Video(Arc<VideoConfig>),
    /// A browser, which asks for the objects of a page as it discovers them.
    Page(Arc<PageConfig>),
}

/// Use of connections by requests. A connection carries one request at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionUse {
    /// A new connection for each request; the server closes it after the response.
    New,
    /// Connections stay open. A request takes the one that was used last among the idle ones, or a new one. Requests
    /// wait while `most` connections are in use.
    Kept {
        /// Largest number of connections; positive.
        most: u32,
    },
}

/// A path without other traffic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    /// Rate of the slowest link on the way of the response; zero if it is not known.
    pub rate: BitRate,
    /// Propagation delay of both ways.
    pub rtt: Duration,
}

impl Ideal {
    /// Time of a response of `size` bytes in segments of `tcp`: a round trip, and its transmission with headers.
    pub fn time(&self, size: u64, tcp: &TcpOptions) -> f64 {
        let bits = Self::wire_bytes(size, tcp) as f64 * 8.0;
        let rate = self.rate.as_bits_per_sec();
        self.rtt.as_secs() + if rate > 0 { bits / rate as f64 } else { f64::NAN }
    }

    /// Bytes of a response of `size` bytes with the headers of its segments.
    pub fn wire_bytes(size: u64, tcp: &TcpOptions) -> u64 {
        size + size.div_ceil(tcp.segment.count()) * tcp.header_bytes()
    }
}
