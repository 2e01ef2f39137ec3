//! Delay of packets by cause, from their arrival at the queue to their delivery.
//!
//! The causes of a packet are disjoint parts of its delay: their sum is the delay. Before its first byte is sent, a
//! packet waits for a site during a handover, for a grant (until the base station can have known of it), for a station
//! that sleeps, and otherwise behind others. Then its blocks are sent once; what delays it beyond is the cause that
//! ends the wait: a block that HARQ or RLC sent again, or a handover.

use std::collections::VecDeque;
use windward_tables::{Histogram, table};
use windward_units::{Duration, Time};

/// Number of causes.
const CAUSES: usize = 8;
/// Most outages of a station that are remembered.
const OUTAGES: usize = 16;
/// Initial room for reports.
const REPORTS: usize = 64;

/// Cause of a part of a packet's delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Queue,
    Grants,
    Sleep,
    Transmission,
    Harq,
    Rlc,
    Handover,
    Decoding,
}

const _: () = assert!(Cause::Decoding as usize + 1 == CAUSES);

table! {
    /// Delay of the radio links of LTE and NR cells by cause. Of the delivered packets, from their arrival at the queue
    /// to their delivery; the means of all causes add up to the mean delay.
    pub struct RanDelayStats: "ran_delays", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// Packets delivered.
        packets: u64 ["packets"],
        /// Mean delay.
        mean_delay_s: f64 ["s"],
        /// Median delay.
        delay_p50_s: f64 binned ["s"],
        /// 95th percentile of the delay.
        delay_p95_s: f64 binned ["s"],
        /// 99th percentile of the delay.
        delay_p99_s: f64 binned ["s"],
        /// Mean wait behind other packets, in the station's queue and for the scheduler, and for the next slot of the
        /// direction.
        queue_s: f64 ["s"],
        /// Mean wait for a grant: until the first block that the base station can grant after it has heard of the
        /// packet. 0 for a downlink.
        grants_s: f64 ["s"],
        /// Mean wait for a station that sleeps (DRX). 0 for an uplink.
        drx_s: f64 ["s"],
        /// Mean time from the start of a packet's first block to the end of its last one, each sent once.
        transmission_s: f64 ["s"],
        /// Mean wait for blocks that HARQ sent again: those of the packet, and those before it.
        harq_s: f64 ["s"],
        /// Mean wait for parts that RLC sent again, or that the receiver gave up.
        rlc_s: f64 ["s"],
        /// Mean wait for handovers: without a site, and for packets that the target sent anew.
        handover_s: f64 ["s"],
        /// Time from the end of the block that completes a packet to its delivery.
        decoding_s: f64 ["s"],
    }
}

/// Delays of delivered packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Delays {
    delays: Histogram,
    /// Sum by cause, in nanoseconds.
    sums: [u64; CAUSES],
    /// Packets beyond the budget.
    late: u64,
}

impl Delays {
    /// Counts a packet with these parts of its delay, in nanoseconds; beyond `budget` it is late.
    #[inline]
    pub fn count(&mut self, budget: Duration, parts: [(Cause, u64); CAUSES]) {
        let mut total = 0;
        for (cause, part) in parts {
            self.sums[cause as usize] += part;
            total += part;
        }
        self.delays.record(total);
        self.late += u64::from(total > budget.as_nanos());
    }

    /// Counts from now.
    pub fn reset(&mut self) {
        self.delays.clear();
        self.sums = [0; CAUSES];
        self.late = 0;
    }

    /// Adds the packets of another bearer.
    pub fn merge(&mut self, other: &Self) {
        self.delays.merge(&other.delays);
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, more)| *sum += more);
        self.late += other.late;
    }

    /// Packets, the mean delay, its percentiles, and the share of late packets.
    pub fn summary(&self) -> (u64, f64, [f64; 3], f64) {
        let packets = self.delays.count();
        let of = |sum: f64| sum / packets as f64;
        (packets, of(self.sum() as f64 * 1e-9), self.delays.percentiles(), of(self.late as f64))
    }

    /// Sum of all delays, in nanoseconds.
    pub fn sum(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// Row of the link.
    pub fn row(&self, link: u32) -> RanDelayStats {
        let (packets, mean_delay_s, [delay_p50_s, delay_p95_s, delay_p99_s], _) = self.summary();
        let of = |cause: Cause| self.sums[cause as usize] as f64 * 1e-9 / packets as f64;
        RanDelayStats {
            link,
            packets,
            mean_delay_s,
            delay_p50_s,
            delay_p95_s,
            delay_p99_s,
            queue_s: of(Cause::Queue),
            grants_s: of(Cause::Grants),
            drx_s: of(Cause::Sleep),
            transmission_s: of(Cause::Transmission),
            harq_s: of(Cause::Harq),
            rlc_s: of(Cause::Rlc),
            handover_s: of(Cause::Handover),
            decoding_s: of(Cause::Decoding),
        }
    }
}

/// Times in which a direction of a station cannot send for another reason than other packets.
#[derive(Debug)]
pub(super) struct Waits {
    /// Newest outages by handovers.
    outages: VecDeque<(Time, Time)>,
    /// Newest sleep at whose begin there was nothing else to send.
    sleep: (Time, Time),
    /// Blocks of an uplink: the time at which each was made, and the first slot that a grant by its report reaches.
    reports: VecDeque<(Time, Time)>,
}

impl Waits {
    pub fn new() -> Self {
        Self {
            outages: VecDeque::with_capacity(OUTAGES),
            sleep: (Time::ZERO, Time::ZERO),
            reports: VecDeque::with_capacity(REPORTS),
        }
    }

    /// Adds an outage.
    pub fn lose(&mut self, from: Time, to: Time) {
        if self.outages.len() == OUTAGES {
            self.outages.pop_front();
        }
        self.outages.push_back((from, to));
    }

    /// The station sleeps.
    pub fn sleep(&mut self, from: Time, to: Time) {
        self.sleep = (from, to);
    }

    /// The base station knows the report of a block of `made`, and a grant reaches slot `reaches` first; no packet has
    /// waited since before `oldest`.
    pub fn hear(&mut self, made: Time, reaches: Time, oldest: Option<Time>) {
        // A block that HARQ repeated may report late.
        if self.reports.back().is_some_and(|last| last.0 >= made) {
            return;
        }
        let oldest = oldest.unwrap_or(made);
        while self.reports.front().is_some_and(|first| first.0 < oldest) {
            self.reports.pop_front();
        }
        self.reports.push_back((made, reaches));
    }

    /// Time without a site in an interval.
    #[inline]
    pub fn outage(&self, from: Time, to: Time) -> Duration {
        let mut sum = Duration::ZERO;
        for &outage in self.outages.iter().rev().take_while(|outage| outage.1 > from) {
            sum += overlap(outage, (from, to));
        }
        sum
    }

    /// Time asleep in an interval, without that of outages.
    #[inline]
    pub fn asleep(&self, from: Time, to: Time) -> Duration {
        let (from, to) = (self.sleep.0.max(from), self.sleep.1.min(to));
        if to > from { to.since(from) - self.outage(from, to) } else { Duration::ZERO }
    }

    /// End of the wait for a grant of a packet that arrived at `since` and is sent at `now`.
    pub fn granted(&self, since: Time, now: Time) -> Time {
        let covering = self.reports.partition_point(|report| report.0 < since);
        self.reports.get(covering).map_or(now, |report| report.1.min(now)).max(since)
    }
}

/// Length of the common part of two intervals.
#[inline]
fn overlap(one: (Time, Time), other: (Time, Time)) -> Duration {
    let (from, to) = (one.0.max(other.0), one.1.min(other.1));
    if to > from { to.since(from) } else { Duration::ZERO }
}
