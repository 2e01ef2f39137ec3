//! What a rule is, and what it sees.

use windward_units::{Duration, Time};

/// What a scheduler knows at the beginning of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Slots before this one.
    pub number: u64,
    /// When it begins.
    pub now: Time,
    /// The stations, in the order of the network.
    pub stations: &'a [Candidate],
}

/// A station as its scheduler sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Packets waiting.
    pub backlog_packets: u64,
    /// Bits waiting.
    pub backlog_bits: f64,
    /// How long the first of them has waited; zero without any.
    pub head_wait: Duration,
    /// Signal-to-noise ratio of this slot, linear.
    pub snr: f64,
    /// Bits a second that the station would get in this slot.
    pub rate: f64,
    /// Filtered rate of what was delivered, in bits a second.
    pub average_rate: f64,
    /// Filtered rate of what the channel offered, served or not, in bits a second.
    pub average_offer: f64,
    /// a of M-LWDF and the EXP rule: −ln δ/T for a wait above T with probability δ, in 1/s.
    pub urgency: f64,
}

impl Candidate {
    /// Whether serving it would move anything.
    #[inline]
    pub fn is_servable(&self) -> bool {
        self.backlog_packets > 0 && self.rate > 0.0
    }
}

/// A scheduling rule.
pub trait Choose {
    /// The station to serve, as an index into [`Slot::stations`]; `None`: nobody.
    fn choose(&mut self, slot: &Slot<'_>) -> Option<usize>;
}

/// The first of the stations of largest weight among those for which `is_eligible`.
#[inline]
pub(super) fn largest(
    stations: &[Candidate],
    is_eligible: impl Fn(&Candidate) -> bool,
    weight: impl Fn(&Candidate) -> f64,
) -> Option<usize> {
    let mut best = None;
    let mut most = f64::NEG_INFINITY;
    for (index, station) in stations.iter().enumerate() {
        if is_eligible(station) {
            let weight = weight(station);
            if weight > most || best.is_none() {
                (best, most) = (Some(index), weight);
            }
        }
    }
    best
}
