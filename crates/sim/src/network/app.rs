//! Applications over two-way connections.

use super::application::{Application, ConnectionUse, Demand};
use super::arrivals::Arrivals;
use super::flow::LawChoice;
use super::tcp::TcpOptions;
use crate::topology::Route;
use std::sync::Arc;
use windward_elements::packet::NodeId;
use windward_elements::size::Size;
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

/// Generates the configuration of any kind, which dispatches statically.
macro_rules! configurations {
    ($($(#[$doc:meta])* $name:ident($config:ty, $state:ty, $rows:tt, $series:tt),)*) => {
        /// Kind of an application.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AppKind {
            $($(#[$doc])* $name($config),)*
        }

        impl AppKind {
            /// True if the application draws from the seed.
            pub fn is_random(&self) -> bool {
                match self { $(Self::$name(config) => config.is_random(),)* }
            }
            /// The demand; `None` if it depends on the network.
            pub fn demand(&self) -> Option<Demand<'_>> {
                match self { $(Self::$name(config) => config.demand(),)* }
            }
            /// Arrivals, and the use of connections; `None` for one client that waits for each response.
            pub fn arrivals(&self) -> Option<(&Arrivals, ConnectionUse)> {
                match self { $(Self::$name(config) => config.arrivals(),)* }
            }
            /// Sets of connections.
            pub fn pools(&self) -> u32 {
                match self { $(Self::$name(config) => config.pools(),)* }
            }
            /// True if several requests share a connection, over QUIC each on a stream of its own.
            pub fn has_streams(&self) -> bool {
                match self { $(Self::$name(config) => config.has_streams(),)* }
            }
        }
    };
}

applications!(configurations);

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
