//! Interface of a scheduling rule: the state that it sees, and its choice.

use windward_units::{Duration, Time};

/// State of a cell at the beginning of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Number of slots before this one.
    pub number: u64,
    /// Start of the slot.
    pub now: Time,
    /// The stations, in the order of the network.
    pub stations: &'a [Candidate],
}

/// State of a station for its scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Packets in the queue.
    pub backlog_packets: u64,
    /// Bits in the queue.
    pub backlog_bits: f64,
    /// Head-of-line delay; zero for an empty queue.
    pub head_wait: Duration,
    /// Signal-to-noise ratio of this slot, linear.
    pub snr: f64,
    /// Rate of the station in this slot, in bits a second.
    pub rate: f64,
    /// Filtered delivery rate, in bits a second.
    pub average_rate: f64,
    /// Filtered rate that the channel offered, served or not, in bits a second.
    pub average_offer: f64,
    /// a of M-LWDF and the EXP rule: −ln δ/T for a delay above T with probability δ, in 1/s.
    pub urgency: f64,
}

impl Candidate {
    /// True if the station has a packet and a usable channel.
    #[inline]
    pub fn is_servable(&self) -> bool {
        self.backlog_packets > 0 && self.rate > 0.0
    }
}

/// A scheduling rule.
pub trait Choose {
    /// Index into [`Slot::stations`] of the station to serve; `None`: no station.
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize>;
}
