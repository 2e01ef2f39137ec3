//! What lies behind a link's transmitter: random loss, propagation, jitter, and the packets in flight.

use super::change::LinkChange;
use super::config::LinkConfig;
use super::flight::Flight;
use super::impair::{Delays, Late, Losses};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// What became of a packet that was offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is on its way behind others that are already scheduled.
    Queued,
    /// It is on its way and first: schedule its delivery.
    First(Time),
    /// It is on its way among those that others overtake; where there is a time, schedule the delivery of the first of those.
    Late(Option<Time>),
    /// The buffer is full.
    Dropped,
    /// It is transmitted and will not arrive.
    Lost,
}

/// A wire.
#[derive(Debug)]
pub struct Wire {
    delay: Duration,
    last_delivery: Time,
    /// The packets on their way.
    pub flight: Flight,
    losses: Option<Box<Losses>>,
    delays: Option<Box<Delays>>,
    late: Option<Box<Late>>,
}

impl Wire {
    /// The wire of `config` in the run of `seed`.
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

    /// The same, whose loss, jitter and reordering may change.
    pub fn changing(config: &LinkConfig, seed: u64) -> Self {
        Self {
            losses: Some(Box::new(Losses::changing(config, seed))),
            delays: Some(Box::new(Delays::changing(config, seed))),
            late: Some(Box::new(Late::changing(config, seed))),
            ..Self::new(config, seed)
        }
    }

    /// Packets that it takes from now on meet what has changed.
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

    /// Takes a packet whose transmission ends at `end`.
    // Both kinds of link call it, once for every packet: a call would cost more than what it does.
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
        // Jitter keeps order: nothing arrives before its predecessor.
        let delivery = (end + delay).max(self.last_delivery);
        self.last_delivery = delivery;
        if self.flight.add(delivery, packet) { Fate::First(delivery) } else { Fate::Queued }
    }

    /// How many packets are on their way.
    pub fn held(&self) -> usize {
        self.flight.len() + self.late.as_ref().map_or(0, |late| late.flight.len())
    }

    /// The first of the packets that others overtake arrives; and when the next one will.
    #[cold]
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        let flight = &mut self.late.as_mut()?.flight;
        // What was lost on the way has left its event behind.
        if flight.first()? <= now { flight.land() } else { None }
    }

    /// Takes out all that is on its way.
    pub fn clear(&mut self) -> impl Iterator<Item = Packet> {
        let late = self.late.as_mut().map(|late| late.flight.clear());
        self.flight.clear().chain(late.into_iter().flatten())
    }
}
