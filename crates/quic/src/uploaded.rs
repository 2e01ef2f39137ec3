//! Network of an upload, and its course.

use bytes::BytesMut;
use windward_network::{Duration, Network, Time, Unusable};

/// Course of an upload.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uploaded {
    /// Time at which the client's handshake was complete.
    pub connected: Option<Time>,
    /// Time at which the client knew that all was received.
    pub completed: Option<Time>,
    /// Bytes that the server's application read, in whatever order they came.
    pub received: u64,
    /// Packets sent.
    pub sent: u64,
    /// Packets declared lost.
    pub lost: u64,
    /// Smoothed round-trip time at the end.
    pub rtt: Duration,
    /// Sum of all datagrams' sizes, times and directions: equal runs have equal sums.
    pub digest: u64,
}

/// Network of one flow from `a` to `b` over a link of `rate` and `delay` each way, as scenario files write them.
/// `packets` fit the buffer of the way there; the way back has no bound.
///
/// # Errors
/// [`Unusable::Scenario`] for a rate or a delay that no link has.
pub fn bottleneck(rate: &str, delay: &str, packets: u64) -> Result<Network<BytesMut>, Unusable> {
    let text = format!(
        r#"
name = "bottleneck"
duration = "60 s"
node = [{{ name = "a" }}, {{ name = "b" }}]
flow = [{{ from = "a", to = "b", law = "cubic" }}]

[[link]]
from = "a"
to = "b"
rate = "{rate}"
delay = "{delay}"
buffer = "{packets} packets"
reverse = {{ buffer = "unlimited" }}
"#
    );
    Network::from_toml(&text, &[], 1)
}
