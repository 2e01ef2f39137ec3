//! What is counted at a port, and what is to be seen of it.

use windward_units::Duration;

/// What a link counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets whose transmission has begun.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets refused by the full buffer.
    pub dropped: u64,
    /// Packets lost on the wire.
    pub lost: u64,
    /// How long the transmitter was busy, in nanoseconds; where its rate is recorded, the share of the opportunities' bytes that
    /// were used, of the time that passed.
    pub busy: u64,
    /// Waiting time of the packets accepted, in nanoseconds.
    pub waited: u64,
    /// Most packets found waiting, the arriving one included.
    pub max_backlog: u64,
}

/// What can be seen of a port from outside: by whoever records it, and by nodes and laws that look across layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Packets waiting.
    pub backlog: usize,
    /// How long one that comes now would wait; in a medium, as it reckons.
    pub queue_delay: Duration,
    /// Bits a second at which the port sends, or would.
    pub rate: f64,
}
