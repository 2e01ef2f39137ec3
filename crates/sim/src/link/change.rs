//! What becomes of a link at given times.

use super::config::{Jitter, LinkConfig, Loss, Rate, Reorder};
use crate::queue::Buffer;
use windward_units::{Duration, Time};

/// What a link is from a time on. What is `None` stays as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkChange {
    /// How fast it transmits.
    pub rate: Option<Rate>,
    /// Propagation delay of the packets whose transmission ends from then on.
    pub delay: Option<Duration>,
    /// How much may wait. What waits already stays.
    pub buffer: Option<Buffer>,
    /// Random loss of the packets whose transmission ends from then on.
    pub loss: Option<Loss>,
    /// Random extra delay; likewise.
    pub jitter: Option<Jitter>,
    /// Packets that others overtake, or none any more, of those whose transmission ends from then on.
    pub reorder: Option<Option<Reorder>>,
    /// Whether it transmits.
    pub is_up: Option<bool>,
    /// What is lost then.
    pub drops: Drops,
}

/// What a link loses at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drops {
    /// Nothing: what is in flight arrives, what waits goes on waiting.
    #[default]
    Nothing,
    /// What is in flight, the packet in transmission included.
    Flight,
    /// That, and what waits.
    All,
}

/// A change, and when it happens.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkStep {
    /// When.
    pub at: Time,
    /// What.
    pub change: LinkChange,
}

impl LinkChange {
    /// Writes down what a link is from then on; whether it is up stands elsewhere.
    pub fn apply(&self, link: &mut LinkConfig) {
        let Self { rate, delay, buffer, loss, jitter, reorder, is_up: _, drops: _ } = self;
        link.rate = rate.clone().unwrap_or_else(|| link.rate.clone());
        link.delay = delay.unwrap_or(link.delay);
        link.buffer = buffer.unwrap_or(link.buffer);
        link.loss = loss.unwrap_or(link.loss);
        link.jitter = jitter.unwrap_or(link.jitter);
        link.reorder = reorder.unwrap_or(link.reorder);
    }
}
