//! A station's queue, its transmissions and what it counts.

use super::channel::Channel;
use super::config::StationConfig;
use super::scheduler::Candidate;
use crate::link::Counts;
use crate::network::Buffer;
use crate::packet::Packet;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Packets for which a station has room from the beginning.
const ROOM: usize = 1024;

/// What became of a packet that a slot sent.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// It is on its way behind others.
    Sent,
    /// It is on its way and the station's first: it arrives then.
    First(Time),
    /// It did not get through and is given up.
    Lost(Packet),
}

/// The bits that a station gets in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    /// When they begin.
    pub start: Time,
    /// How long they last, in seconds.
    pub span: f64,
    /// Bits a second.
    pub rate: f64,
    /// A packet that does not fit is begun.
    pub carries: bool,
    /// Transmissions after which a packet is lost.
    pub max_transmissions: u32,
}

/// Totals of a station beyond what a link counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Air {
    /// Slots that passed.
    pub slots: u64,
    /// Slots in which the scheduler named it.
    pub served_slots: u64,
    /// Transmissions that were not decoded.
    pub errors: u64,
    /// Bits a second that the channel offered, summed over all slots.
    pub offered: f64,
    /// The same over the slots in which it was served.
    pub served: f64,
    /// Signal-to-noise ratio, summed over all slots.
    pub snr: f64,
}

#[derive(Debug)]
pub(crate) struct Station {
    pub channel: Channel,
    /// As the scheduler sees it; kept up to date but for the wait of the head.
    pub view: Candidate,
    pub air: Air,
    pub counts: Counts,
    /// Bits of the packets that left in this slot.
    pub delivered: f64,
    waiting: VecDeque<(Time, Packet)>,
    waiting_bytes: u64,
    in_flight: VecDeque<(Time, Packet)>,
    delay: Duration,
    buffer: Buffer,
    /// Bits of the first packet that are sent already.
    begun: f64,
    /// Transmissions of the first packet that failed.
    failures: u32,
}

impl Station {
    pub(crate) fn new(config: &StationConfig, channel: Channel, average: f64) -> Self {
        let room = match config.buffer {
            Buffer::Packets(most) => most.min(ROOM as u64) as usize,
            _ => ROOM,
        };
        let view = Candidate {
            urgency: config.urgency,
            average_rate: average,
            average_offer: average,
            ..Candidate::default()
        };
        Self {
            channel,
            view,
            air: Air::default(),
            counts: Counts::default(),
            delivered: 0.0,
            waiting: VecDeque::with_capacity(room),
            waiting_bytes: 0,
            in_flight: VecDeque::with_capacity(ROOM),
            delay: config.delay,
            buffer: config.buffer,
            begun: 0.0,
            failures: 0,
        }
    }

    /// Takes a packet into the queue; false where it is full.
    pub(crate) fn offer(&mut self, now: Time, packet: Packet) -> bool {
        let is_full = match self.buffer {
            Buffer::Packets(most) => self.waiting.len() as u64 >= most,
            Buffer::Bytes(most) => self.waiting_bytes + u64::from(packet.size) > most.count(),
            Buffer::Unlimited | Buffer::Time(_) => false,
        };
        if is_full {
            self.counts.dropped += 1;
            return false;
        }
        self.waiting.push_back((now, packet));
        self.waiting_bytes += u64::from(packet.size);
        self.counts.max_backlog = self.counts.max_backlog.max(self.waiting.len() as u64);
        true
    }

    /// Packets waiting.
    pub(crate) fn backlog(&self) -> usize {
        self.waiting.len()
    }

    /// Brings the scheduler's view up to date at the beginning of a slot.
    pub(crate) fn look(&mut self, now: Time) {
        self.view.backlog_packets = self.waiting.len() as u64;
        self.view.backlog_bits = self.waiting_bytes as f64 * 8.0 - self.begun;
        self.view.head_wait = self.waiting.front().map_or(Duration::ZERO, |(arrival, _)| now.since(*arrival));
    }

    /// Sends what the grant carries, and returns the seconds used; what happens to packets goes to `report`. `fails` draws
    /// whether a transmission of so many bits is not decoded.
    pub(crate) fn serve(
        &mut self,
        grant: &Grant,
        fails: &mut dyn FnMut(f64) -> bool,
        report: &mut dyn FnMut(Outcome),
    ) -> f64 {
        let budget = grant.rate * grant.span;
        let mut sent = 0.0;
        while let Some(&(arrival, packet)) = self.waiting.front() {
            let bits = f64::from(packet.size) * 8.0;
            let need = bits - self.begun;
            // A hair more than the budget still fits: 160 bits at 0.1 bits a nanosecond must take 1600 ns, not a slot more.
            if sent + need > budget * (1.0 + 1e-12) {
                break;
            }
            let begin = grant.start + Duration::from_secs(sent / grant.rate);
            sent += need;
            self.begun = 0.0;
            if fails(bits) {
                self.air.errors += 1;
                self.failures += 1;
                if self.failures < grant.max_transmissions {
                    continue;
                }
            }
            let is_lost = self.failures >= grant.max_transmissions;
            self.failures = 0;
            self.waiting.pop_front();
            self.waiting_bytes -= u64::from(packet.size);
            self.counts.packets += 1;
            self.counts.bytes += u64::from(packet.size);
            self.counts.waited += begin.since(arrival).as_nanos();
            if is_lost {
                self.counts.lost += 1;
                report(Outcome::Lost(packet));
                continue;
            }
            self.delivered += bits;
            let delivery = grant.start + Duration::from_secs(sent / grant.rate) + self.delay;
            self.in_flight.push_back((delivery, packet));
            report(if self.in_flight.len() == 1 { Outcome::First(delivery) } else { Outcome::Sent });
        }
        if !self.waiting.is_empty() {
            // The rest of the grant begins the next packet, or is lost.
            if grant.carries {
                self.begun += (budget - sent).max(0.0);
            }
            sent = budget;
        }
        sent / grant.rate
    }

    /// Takes the packet that arrives now, and says when the next one will.
    pub(crate) fn deliver(&mut self) -> Option<(Packet, Option<Time>)> {
        let (_, packet) = self.in_flight.pop_front()?;
        Some((packet, self.in_flight.front().map(|next| next.0)))
    }
}
