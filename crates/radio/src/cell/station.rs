//! Queue, transmissions and counters of a station.

use super::channel::Channel;
use super::config::StationConfig;
use super::scheduler::Candidate;
use std::collections::VecDeque;
use windward_elements::packet::Packet;
use windward_elements::queue::{Front, Waiting};
use windward_elements::status::{Books, Counts, Line};
use windward_tables::{Histogram, table};
use windward_units::{Duration, Time};

/// Fate of a packet that left the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// Arrival at this time.
    Arrives(Time),
    /// Lost: not decoded, and given up.
    Lost,
    /// Dropped by the queue discipline.
    Dropped,
}

/// A packet that has left the queue, or will in this slot.
#[derive(Clone, Copy, Debug)]
struct Gone {
    since: Time,
    /// Start of its transmission, or time of its drop.
    at: Time,
    is_dropped: bool,
}

impl Gone {
    fn leave(self, line: &mut Line) {
        match self.is_dropped {
            true => line.drop(self.since, self.at),
            false => line.leave(self.since, self.at),
        }
    }

    fn leave_books(self, books: &mut Books) {
        match self.is_dropped {
            true => books.drop(self.since, self.at),
            false => books.leave(self.since, self.at),
        }
    }
}

/// Capacity of a station in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    /// Start.
    pub start: Time,
    /// Length in seconds.
    pub span: f64,
    /// Rate in bits a second.
    pub rate: f64,
    /// True if a packet that does not fit is begun.
    pub carries: bool,
    /// Transmissions after which a packet is lost.
    pub max_transmissions: u32,
}

/// Counters of a station beyond those of a link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Air {
    /// Number of slots.
    pub slots: u64,
    /// Slots in which the scheduler chose the station.
    pub served_slots: u64,
    /// Transmissions that were not decoded.
    pub errors: u64,
    /// Rate that the channel offered, in bits a second, summed over all slots.
    pub offered: f64,
    /// Rate that the channel offered, in bits a second, summed over the slots served.
    pub served: f64,
    /// Signal-to-noise ratio, summed over all slots.
    pub snr: f64,
}

table! {
    /// Stations of cells: the columns that other links lack. A station's other totals are in `links`.
    pub struct CellStationStats: "stations", Totals, "link", IfAny;
    columns {
        /// Link of the station.
        link: u32 @ "links" fixed [""],
        /// Slots in which the scheduler chose the station, as a share of all slots.
        airtime: f64 [""],
        /// Mean of the signal-to-noise ratio over all slots, as a ratio of powers.
        mean_snr: f64 [""],
        /// Mean of the rate that the channel offered, over all slots.
        offered_bps: f64 ["bit/s"],
        /// Mean of the rate that the channel offered in the slots in which the station was served. Above `offered_bps`
        /// if the scheduler exploits the fading. NaN if the station was never served.
        served_bps: f64 ["bit/s"],
        /// Transmissions that were not decoded.
        errors: u64 ["transmissions"],
    }
}

impl Air {
    /// Row of the station whose port is `link`.
    pub(crate) fn row(&self, link: u32) -> CellStationStats {
        let slots = self.slots as f64;
        CellStationStats {
            link,
            airtime: self.served_slots as f64 / slots,
            mean_snr: self.snr / slots,
            offered_bps: self.offered / slots,
            served_bps: self.served / self.served_slots as f64,
            errors: self.errors,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Station {
    pub channel: Channel,
    /// State for the scheduler, kept current except for the head-of-line delay.
    pub view: Candidate,
    pub air: Air,
    pub counts: Counts,
    line: Line,
    /// Packets that leave in this slot and are not yet counted in the queue statistics.
    gone: VecDeque<Gone>,
    /// End of its transmission.
    sends_until: Time,
    /// Bits of the packets that left in this slot.
    pub delivered: f64,
    pub queue: Front,
    /// Number of marks at the last reset.
    marked_before: u64,
    delay: Duration,
    /// Bits of the first packet that have been sent.
    begun: f64,
    /// Failed transmissions of the first packet.
    failures: u32,
}

impl Station {
    /// Creates the station of `config` in the run of `seed`; served alone it would have `rate` bits a second.
    pub(crate) fn new(config: &StationConfig, channel: Channel, average: f64, rate: f64, seed: u64) -> Self {
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
            line: Line::default(),
            gone: VecDeque::with_capacity(64),
            sends_until: Time::ZERO,
            delivered: 0.0,
            queue: Front::new(config.queue, config.buffer, rate, config.key, seed),
            marked_before: 0,
            delay: config.delay,
            begun: 0.0,
            failures: 0,
        }
    }

    /// Queues a packet; returns false if it is refused. Packets dropped in its place go to `dropped`.
    pub(crate) fn offer(&mut self, now: Time, packet: Packet, mut dropped: impl FnMut(Packet)) -> bool {
        self.settle(now);
        let Self { queue, line, counts, .. } = self;
        line.admit(now, |line| {
            queue.offer(now, packet, |waiting| {
                line.drop(waiting.since, now);
                counts.dropped += 1;
                dropped(waiting.packet);
            })
        })
    }

    /// Counts the packets that have left by now.
    pub(crate) fn settle(&mut self, now: Time) {
        while let Some(&gone) = self.gone.front()
            && gone.at <= now
        {
            self.gone.pop_front();
            gone.leave(&mut self.line);
        }
    }

    /// Packet in transmission, taken from the queue at `begin` if none is. Drops by the discipline go to `report`.
    #[inline]
    fn head(&mut self, begin: Time, report: &mut impl FnMut(Packet, Fate)) -> Option<Waiting> {
        let Self { queue, gone, counts, .. } = self;
        queue.head(begin, |waiting| {
            counts.dropped += 1;
            gone.push_back(Gone { since: waiting.since, at: begin, is_dropped: true });
            report(waiting.packet, Fate::Dropped);
        })
    }

    /// Occupies the carrier for `span`.
    pub(crate) fn use_air(&mut self, start: Time, span: Duration) {
        self.counts.busy += span.as_nanos();
        self.sends_until = start + span;
    }

    /// Counters from the last reset to `now`.
    pub(crate) fn counts(&self, now: Time) -> Counts {
        let mut books = self.line.books();
        self.gone.iter().take_while(|gone| gone.at <= now).for_each(|gone| gone.leave_books(&mut books));
        let busy = self.counts.busy.saturating_sub(self.sends_until.since(now).as_nanos());
        let marked = self.queue.marked() - self.marked_before;
        books.show(now, Counts { busy, marked, ..self.counts })
    }

    /// Waits of the packets sent since the last reset.
    pub(crate) fn all_waits(&mut self, now: Time) -> Histogram {
        self.settle(now);
        self.line.all_waits(self.counts.packets)
    }

    /// Restarts the counters.
    pub(crate) fn reset_counts(&mut self, now: Time) {
        self.settle(now);
        self.line.reset(now);
        self.marked_before = self.queue.marked();
        self.counts = Counts { busy: self.sends_until.since(now).as_nanos(), ..Counts::default() };
        self.air = Air::default();
    }

    /// Updates the scheduler's input at the beginning of a slot.
    pub(crate) fn look(&mut self, now: Time) {
        self.view.backlog_packets = self.queue.packets() as u64;
        self.view.backlog_bits = self.queue.bytes() as f64 * 8.0 - self.begun;
        self.view.head_wait = self.queue.oldest().map_or(Duration::ZERO, |since| now.since(since));
    }

    /// Sends the packets of a grant, and returns the seconds used; the fates of packets go to `report`. `fails` draws
    /// whether a transmission of so many bits is not decoded.
    pub(crate) fn serve(
        &mut self,
        grant: &Grant,
        mut fails: impl FnMut(f64) -> bool,
        mut report: impl FnMut(Packet, Fate),
    ) -> f64 {
        let budget = grant.rate * grant.span;
        let mut sent = 0.0;
        loop {
            let begin = grant.start + Duration::from_secs(sent / grant.rate);
            let Some(Waiting { since, packet }) = self.head(begin, &mut report) else { break };
            let bits = f64::from(packet.size) * 8.0;
            let need = bits - self.begun;
            // Tolerates rounding: 160 bits at 0.1 bits a nanosecond must take 1600 ns, not a slot more.
            if sent + need > budget * (1.0 + 1e-12) {
                break;
            }
            sent += need;
            // A repetition sends all bits of the packet again.
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
            self.queue.leave();
            self.counts.packets += 1;
            self.counts.bytes += u64::from(packet.size);
            self.gone.push_back(Gone { since, at: begin, is_dropped: false });
            if is_lost {
                self.counts.lost += 1;
                report(packet, Fate::Lost);
                continue;
            }
            self.delivered += bits;
            let delivery = grant.start + Duration::from_secs(sent / grant.rate) + self.delay;
            report(packet, Fate::Arrives(delivery));
        }
        if self.queue.packets() > 0 {
            // The rest of the grant begins the next packet, or is lost.
            if grant.carries {
                self.begun += (budget - sent).max(0.0);
            }
            sent = budget;
        }
        sent / grant.rate
    }
}
