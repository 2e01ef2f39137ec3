//! How stations forward by backlog.

use crate::backlog::BacklogConfig;
use windward_units::Duration;

/// How stations forward by backlog.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackpressureConfig {
    /// The rule.
    pub backlog: BacklogConfig,
    /// A station that has told its backlogs to nobody for so long broadcasts them; positive.
    pub report: Duration,
    /// Bytes that a frame takes to tell the backlog of one commodity.
    pub entry: u32,
    /// p̃ is over the last one to two of these spans; positive.
    pub memory: Duration,
    /// What p̃ counts.
    pub failures: Failures,
    /// How ACKs go.
    pub acks: Acks,
    /// A rule of a user's own in place of (2), by its index among the [`Makers`](crate::Makers) of who runs the network; `None`: (2).
    pub rule: Option<u32>,
}

/// What p̃ is the failed share of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// Of packets: one fails when the MAC gives it up.
    #[default]
    Packets,
    /// Of the MAC's attempts, collisions included.
    Attempts,
}

/// How ACKs go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acks {
    /// The way of fewest hops, before all data.
    #[default]
    Shortest,
    /// By backlog, those of each flow as a commodity of their own.
    Backlog,
}

impl Default for BackpressureConfig {
    fn default() -> Self {
        Self {
            backlog: BacklogConfig::default(),
            report: Duration::from_millis(100),
            entry: 2,
            memory: Duration::from_millis(1000),
            failures: Failures::default(),
            acks: Acks::default(),
            rule: None,
        }
    }
}
