//! Wire behind a link's transmitter: random loss, propagation, jitter, reordering, and the packets in flight.

use super::config::{LinkChange, LinkConfig};
use super::flight::Flight;
use super::impair::{Delays, Late, Losses};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Fate of a packet offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// In flight behind others that are already scheduled.
    Queued,
    /// First in flight: its delivery must be scheduled.
    First(Time),
    /// In flight among the reordered packets; at the time given, if any, the first of them must be delivered.
    Late(Option<Time>),
    /// Dropped: the buffer is full.
    Dropped,
    /// Transmitted, but lost on the wire.
    Lost,
}

/// Propagation with loss, jitter and reordering.
#[derive(Debug)]
pub struct Wire {
    delay: Duration,
    last_delivery: Time,
    /// Packets in flight.
    pub flight: Flight,
    losses: Option<Box<Losses>>,
    delays: Option<Box<Delays>>,
    late: Option<Box<Late>>,
}

impl Wire {
    /// Creates the wire of `config` in the run of `seed`.
    pub fn new(config: &LinkConfig, seed: u64) -> Self {
        Self {
            delay: config.delay,
            last_delivery: Time::ZERO,
            flight: Flight::default(),
            losses: Losses::new(config, seed).map(Box::new),
            delays: Delays::new(config, seed).map(Box::new),
            late: Late::new(config, seed).map(Box::new),
        }
    }

    /// Creates a wire whose loss, jitter and reordering may change.
    pub fn changing(config: &LinkConfig, seed: u64) -> Self {
        Self {
            losses: Some(Box::new(Losses::changing(config, seed))),
            delays: Some(Box::new(Delays::changing(config, seed))),
            late: Some(Box::new(Late::changing(config, seed))),
            ..Self::new(config, seed)
        }
    }

    /// Applies a change to the packets that follow.
    pub fn change(&mut self, change: &LinkChange) {
        self.delay = change.delay.unwrap_or(self.delay);
        if let (Some(loss), Some(losses)) = (change.loss, &mut self.losses) {
            losses.change(loss);
        }
        if let (Some(jitter), Some(delays)) = (change.jitter, &mut self.delays) {
            delays.change(jitter);
        }
        if let (Some(reorder), Some(late)) = (change.reorder, &mut self.late) {
            late.change(reorder);
        }
    }

    /// Sends a packet whose transmission ends at `end`.
    // Both types of link call it once per packet: a call would cost more than its body.
    #[inline(always)]
    pub fn carry(&mut self, end: Time, packet: Packet) -> Fate {
        if let Some(losses) = &mut self.losses
            && losses.strikes()
        {
            return Fate::Lost;
        }
        let delay = match &mut self.delays {
            None => self.delay,
            Some(delays) => delays.draw(self.delay),
        };
        if let Some(late) = &mut self.late
            && let Some(longer) = late.takes()
        {
            return Fate::Late(late.carry(end + delay + longer, packet));
        }
        // Jitter keeps order: no packet arrives before its predecessor.
        let delivery = (end + delay).max(self.last_delivery);
        self.last_delivery = delivery;
        if self.flight.add(delivery, packet) { Fate::First(delivery) } else { Fate::Queued }
    }

    /// Number of packets in flight.
    pub fn held(&self) -> usize {
        self.flight.len() + self.late.as_ref().map_or(0, |late| late.flight.len())
    }

    /// Delivers the first of the reordered packets; returns the time of the next one as well.
    #[cold]
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        let flight = &mut self.late.as_mut()?.flight;
        // Packets lost on the wire leave their events behind.
        if flight.first()? <= now { flight.land() } else { None }
    }

    /// Removes all packets in flight.
    pub fn clear(&mut self) -> impl Iterator<Item = Packet> {
        let late = self.late.as_mut().map(|late| late.flight.clear());
        self.flight.clear().chain(late.into_iter().flatten())
    }
}
