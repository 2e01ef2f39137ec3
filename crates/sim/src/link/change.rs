//! Scheduled changes of a link.

use super::config::{Jitter, LinkConfig, Loss, Rate, Reorder};
use crate::queue::Buffer;
use windward_units::{Duration, Time};

/// Change of a link's parameters. `None` leaves a parameter unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkChange {
    /// Transmission rate.
    pub rate: Option<Rate>,
    /// Propagation delay of the packets whose transmission ends from then on.
    pub delay: Option<Duration>,
    /// Buffer limit. Queued packets stay.
    pub buffer: Option<Buffer>,
    /// Random loss of the packets whose transmission ends from then on.
    pub loss: Option<Loss>,
    /// Random extra delay of the packets whose transmission ends from then on.
    pub jitter: Option<Jitter>,
    /// Reordering of the packets whose transmission ends from then on; `Some(None)` ends it.
    pub reorder: Option<Option<Reorder>>,
    /// Start (`Some(false)`) or end (`Some(true)`) of an outage.
    pub is_up: Option<bool>,
    /// Packets lost at the change.
    pub drops: Drops,
}

/// Packets that a link loses at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drops {
    /// None: packets in flight arrive, queued packets stay.
    #[default]
    Nothing,
    /// Packets in flight, including the one in transmission.
    Flight,
    /// Packets in flight, including the one in transmission, and queued packets.
    All,
}

/// A change and its time.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkStep {
    /// Time of the change.
    pub at: Time,
    /// The change.
    pub change: LinkChange,
}

impl LinkChange {
    /// Applies the change to a configuration, which does not hold whether the link is up.
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
