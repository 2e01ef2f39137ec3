//! Configuration of backpressure forwarding.

use windward_elements::backpressure::WeightConfig;
use windward_units::Duration;

/// Backpressure forwarding over 802.11.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackpressureConfig {
    /// Rule of forwarding.
    pub weight: WeightConfig,
    /// Longest time without telling neighbours the backlogs, after which a station broadcasts them; positive.
    pub report: Duration,
    /// Bytes per commodity in a frame's list of backlogs.
    pub entry: u32,
    /// Averaging time of p̃, which covers the last one to two of these spans; positive.
    pub memory: Duration,
    /// Events that p̃ counts.
    pub failures: Failures,
    /// Forwarding of ACKs.
    pub acks: Acks,
    /// User-defined rule in place of (2), by its index among the [`Hooks`](crate::Hooks) of the run; `None`: (2).
    pub rule: Option<u32>,
}

/// Unit of the failure share p̃.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// Packets: a packet fails when the MAC gives it up.
    #[default]
    Packets,
    /// Attempts of the MAC, collisions included.
    Attempts,
}

/// Forwarding of ACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acks {
    /// Along the path of fewest hops, before all data. An ACK that the MAC gives up is lost.
    Shortest,
    /// Along the path of fewest hops, in order of arrival with the data. The station keeps an ACK that the MAC gives
    /// up.
    #[default]
    Fifo,
    /// As [`Fifo`](Self::Fifo), along the path of fewest expected attempts by the losses of the links at the start (D.
    /// De Couto and others, "A High-Throughput Path Metric", MobiCom 2003).
    Loss,
    /// By backlog, as a commodity of its own for each flow.
    Backlog,
}

impl Acks {
    /// True if ACKs wait in line with data and stay at a station whose MAC gives them up.
    pub fn wait_in_line(self) -> bool {
        matches!(self, Self::Fifo | Self::Loss)
    }
}

impl Default for BackpressureConfig {
    fn default() -> Self {
        Self {
            weight: WeightConfig::default(),
            report: Duration::from_millis(100),
            entry: 2,
            memory: Duration::from_millis(1000),
            failures: Failures::default(),
            acks: Acks::default(),
            rule: None,
        }
    }
}
