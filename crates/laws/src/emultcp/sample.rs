//! What a host tells a law.

/// What a host measured since its last call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds on a clock that never goes back; any zero.
    pub now: f64,
    /// Mean round-trip time in seconds over the connections that received data and are open for [`Params::settle`](super::Params::settle)
    /// seconds; `None` if there are none. No evidence changes nothing.
    pub rtt: Option<f64>,
    /// The least RTT seen on this path, in seconds: handshakes see it best. Infinite while none is known.
    pub rtt_min: f64,
    /// What arrived on all connections, in bit/s.
    pub rate: f64,
    /// Connections open or opening.
    pub connections: u32,
    /// Bytes still to be requested or received; `None`: no end known.
    pub remaining: Option<f64>,
}
