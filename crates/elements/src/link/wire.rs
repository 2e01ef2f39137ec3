//! Wire behind a link's transmitter: random loss, propagation, jitter, reordering, and the packets in flight.

use super::config::{Delay, LinkChange, LinkConfig};
use super::delays::DelayTrace;
use super::flight::Flight;
use super::impair::{Delays, Holder, Late, Listed, Losses};
use crate::packet::{Kind, Packet};
use std::sync::Arc;
use windward_units::{Duration, Time};

/// Fate of a packet offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// In flight behind others that are already scheduled.
    Queued,
    /// First in flight: its delivery must be scheduled.
    First(Time),
    /// Arrives alone at the time given, early enough for the caller to keep the packet: it is not in flight.
    Passed(Time),
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
    /// Constant delay; the least of a recording.
    delay: Duration,
    last_delivery: Time,
    /// Packets in flight.
    pub flight: Flight,
    /// `None` for a wire that only delays, as most do.
    impairments: Option<Box<Impairments>>,
}

/// Loss, aggregation, recorded delays, jitter and reordering.
#[derive(Debug)]
struct Impairments {
    recorded: Option<Arc<DelayTrace>>,
    listed: Option<Listed>,
    holder: Option<Holder>,
    losses: Option<Losses>,
    delays: Option<Delays>,
    late: Option<Late>,
}

impl Wire {
    /// Creates the wire of `config` in the run of `seed`.
    pub fn new(config: &LinkConfig, seed: u64) -> Self {
        let losses = Losses::new(config, seed);
        let delays = Delays::new(config, seed);
        let late = Late::new(config, seed);
        let (listed, holder) = (Listed::new(config), Holder::new(config));
        let recorded = recorded(&config.delay);
        let is_random = losses.is_some() || delays.is_some() || late.is_some();
        let is_clean = !is_random && recorded.is_none() && listed.is_none() && holder.is_none();
        let impairments = (!is_clean).then(|| Box::new(Impairments { recorded, listed, holder, losses, delays, late }));
        Self { delay: config.delay.least(), last_delivery: Time::ZERO, flight: Flight::default(), impairments }
    }

    /// Creates a wire whose loss, jitter and reordering may change.
    pub fn changing(config: &LinkConfig, seed: u64) -> Self {
        let impairments = Impairments {
            recorded: recorded(&config.delay),
            listed: Listed::new(config),
            holder: Holder::new(config),
            losses: Some(Losses::changing(config, seed)),
            delays: Some(Delays::changing(config, seed)),
            late: Some(Late::changing(config, seed)),
        };
        Self { impairments: Some(Box::new(impairments)), ..Self::new(config, seed) }
    }

    /// Applies a change to the packets that follow.
    pub fn change(&mut self, change: &LinkChange) {
        self.delay = change.delay.as_ref().map_or(self.delay, Delay::least);
        let Some(impairments) = self.impairments.as_deref_mut() else { return };
        let Impairments { recorded, losses, delays, late, .. } = impairments;
        if let Some(delay) = &change.delay {
            *recorded = self::recorded(delay);
        }
        if let (Some(loss), Some(losses)) = (change.loss, losses) {
            losses.change(loss);
        }
        if let (Some(jitter), Some(delays)) = (change.jitter, delays) {
            delays.change(jitter);
        }
        if let (Some(reorder), Some(late)) = (change.reorder, late) {
            late.change(reorder);
        }
    }

    /// Sends a packet whose transmission ends at `end`. One that arrives before `until` with none in flight passes.
    // Both types of link call it once per packet: a call would cost more than its body.
    #[inline(always)]
    pub fn carry(&mut self, end: Time, packet: Packet, until: Time) -> Fate {
        let delay = match &mut self.impairments {
            None => self.delay,
            Some(impairments) => match impairments.draw(end, self.delay, packet) {
                Ok(delay) if impairments.thins(&packet) => {
                    let delivery = (end + delay).max(self.last_delivery);
                    if self.flight.supersede(delivery, packet) {
                        return Fate::Lost;
                    }
                    delay
                }
                Ok(delay) => delay,
                Err(fate) => return fate,
            },
        };
        // Jitter keeps order: no packet arrives before its predecessor.
        let delivery = (end + delay).max(self.last_delivery);
        self.last_delivery = delivery;
        if delivery < until && self.flight.is_empty() {
            return Fate::Passed(delivery);
        }
        if self.flight.add(delivery, packet) { Fate::First(delivery) } else { Fate::Queued }
    }

    /// Number of packets in flight.
    #[inline]
    pub fn held(&self) -> usize {
        self.flight.count() + self.late().map_or(0, |late| late.flight.count())
    }

    #[inline]
    fn late(&self) -> Option<&Late> {
        self.impairments.as_deref()?.late.as_ref()
    }

    #[inline]
    fn late_mut(&mut self) -> Option<&mut Late> {
        self.impairments.as_deref_mut()?.late.as_mut()
    }

    /// Delivers the first of the reordered packets; returns the time of the next one as well.
    #[cold]
    pub fn land_late(&mut self, now: Time) -> Option<(Packet, Option<Time>)> {
        let flight = &mut self.late_mut()?.flight;
        // Packets lost on the wire leave their events behind.
        if flight.first()? <= now { flight.land() } else { None }
    }

    /// Removes all packets in flight.
    pub fn clear(&mut self) -> impl Iterator<Item = Packet> {
        let late = self.impairments.as_deref_mut().and_then(|impairments| impairments.late.as_mut());
        let late = late.map(|late| late.flight.clear());
        self.flight.clear().chain(late.into_iter().flatten())
    }
}

impl Impairments {
    /// True if the packet is an ACK that may take the place of an earlier one.
    #[inline]
    fn thins(&self, packet: &Packet) -> bool {
        packet.kind == Kind::Ack && self.holder.as_ref().is_some_and(Holder::thins)
    }

    /// Delay of a packet whose transmission ends at `end`, or the fate of one that is lost or overtaken.
    #[inline]
    fn draw(&mut self, end: Time, delay: Duration, packet: Packet) -> Result<Duration, Fate> {
        // Every packet has a number, those that random loss takes as well.
        let is_listed = self.listed.as_mut().is_some_and(Listed::strikes);
        if let Some(losses) = &mut self.losses
            && losses.strikes()
        {
            return Err(Fate::Lost);
        }
        if is_listed {
            return Err(Fate::Lost);
        }
        let held = self.holder.as_mut().map_or(Duration::ZERO, |holder| holder.release(end).since(end));
        let delay = held + self.recorded.as_ref().map_or(delay, |trace| trace.at(end + held));
        let delay = match &mut self.delays {
            None => delay,
            Some(delays) => delays.draw(delay),
        };
        if let Some(late) = &mut self.late
            && let Some(longer) = late.takes()
        {
            return Err(Fate::Late(late.carry(end + delay + longer, packet)));
        }
        Ok(delay)
    }
}

/// Recording of a delay that is not constant.
fn recorded(delay: &Delay) -> Option<Arc<DelayTrace>> {
    match delay {
        Delay::Constant(_) => None,
        Delay::Recorded(trace) => Some(trace.clone()),
    }
}
