//! Input of a law from its host.

/// Measurements of a host since its last call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time in seconds on a monotonic clock with any origin.
    pub now: f64,
    /// Mean round-trip time in seconds over the connections that received data and have been open for
    /// [`Params::settle`](super::Params::settle) seconds; `None` if there are none. Without evidence nothing changes.
    pub rtt: Option<f64>,
    /// Least RTT of this path, in seconds, best from handshakes. Infinite while unknown.
    pub rtt_min: f64,
    /// Rate of arrivals on all connections, in bit/s.
    pub rate: f64,
    /// Connections open or opening.
    pub connections: u32,
    /// Bytes still to be requested or received; `None` if unknown.
    pub remaining: Option<f64>,
}
