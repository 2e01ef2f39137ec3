//! Applications over two-way connections.

use super::arrivals::Arrivals;
use super::flow::LawChoice;
use super::requests::RequestsConfig;
use super::session::{Length, SessionConfig};
use super::tcp::TcpOptions;
use crate::topology::Route;
use std::sync::Arc;
use windward_elements::packet::NodeId;
use windward_elements::size::Size;
use windward_traffic::page::PageConfig;
use windward_traffic::video::VideoConfig;
use windward_units::{BitRate, Bytes, Duration, Time};

/// A client that sends requests to a server, which answers each with a response.
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
    /// Bytes of a request; positive.
    pub request: Bytes,
    /// The path when nothing else uses it, for slowdowns.
    pub ideal: Ideal,
    /// Kind, with its demand.
    pub kind: AppKind,
}

/// Kind of an application.
#[derive(Clone, Debug, PartialEq)]
pub enum AppKind {
    /// Requests with responses of a size.
    Requests(RequestsConfig),
    /// Transfers that come and go.
    Session(SessionConfig),
    /// A video player, one chunk after the other.
    Video(Arc<VideoConfig>),
    /// A browser, which asks for the objects of a page as it discovers them.
    Page(Arc<PageConfig>),
}

/// Demand that does not depend on the network, but for the pace of a closed loop.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a> {
    /// Arrivals of the requests.
    pub arrivals: &'a Arrivals,
    /// Bytes of a response, unless the arrivals give them.
    pub response: &'a Size,
    /// Time at the server from the request's last byte to the first byte of the response.
    pub service: Duration,
}

impl AppKind {
    /// The demand; `None` if it depends on the network: a player or a browser asks, or a transfer has a time.
    pub fn demand(&self) -> Option<Demand<'_>> {
        match self {
            Self::Requests(RequestsConfig { arrivals, response, service, .. }) => {
                Some(Demand { arrivals, response, service: *service })
            }
            Self::Session(SessionConfig { arrivals, length: Length::Bytes(response) }) => {
                Some(Demand { arrivals, response, service: Duration::ZERO })
            }
            Self::Session(_) | Self::Video(_) | Self::Page(_) => None,
        }
    }

    /// True if the application draws from the seed.
    pub fn is_random(&self) -> bool {
        match self {
            Self::Requests(requests) => requests.arrivals.is_random() || !matches!(requests.response, Size::Fixed(_)),
            Self::Session(session) => session.arrivals.is_random() || session.length.is_random(),
            Self::Video(_) => false,
            Self::Page(page) => page.is_reading_random && page.visits > 1,
        }
    }
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

    /// Mean bytes of responses of `size` with the headers of their segments.
    pub fn mean_wire_bytes(size: &Size, tcp: &TcpOptions) -> f64 {
        size.mean() + size.mean_segments(tcp.segment.count() as f64) * tcp.header_bytes() as f64
    }

    /// Bytes of a response of `size` bytes with the headers of its segments.
    pub fn wire_bytes(size: u64, tcp: &TcpOptions) -> u64 {
        size + size.div_ceil(tcp.segment.count()) * tcp.header_bytes()
    }
}
