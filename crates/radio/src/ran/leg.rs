//! One direction of a station: its queue, its byte stream through RLC, and the receiver at the far end.
//!
//! RLC is a byte stream: a packet that is taken from the queue occupies the next `size` bytes of it, and a block
//! carries an interval of new bytes and intervals that RLC repeats. Headers take room in blocks and none in the stream.
//! The receiver is the set of bytes that arrived; packets below the lowest missing byte are delivered.

mod handover;
mod receiver;

use super::bearer::Guarantee;
use super::channel::{Channel, GROUPS, capacity, each_group, effective, linear};
use super::delay::{Cause, Delays, Waits};
use super::harq::{GAPS, PROCESSES, Process, Stage, Status};
use super::intervals::{Interval, Received};
use super::phy::Report;
use super::report::Air;
use super::rlc::{Pdcp, Rlc, RlcMode};
use crate::choose::Candidate;
use std::collections::VecDeque;
use windward_elements::engine::Stream;
use windward_elements::packet::Packet;
use windward_elements::queue::{AnyQueue, Queue};
use windward_elements::status::{Counts, Line};
use windward_units::{Duration, Time};

/// Initial room for packets between sender and receiver.
const ROOM: usize = 1024;
/// Most parts that wait for a retransmission by RLC.
const REPEATS: usize = 64;

/// A packet of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sdu {
    /// First byte after it.
    pub end: u64,
    /// Arrival at the queue.
    since: Time,
    /// Time at which its first byte was sent.
    pub sent: Time,
    /// End of the block that had its last byte first.
    due: Time,
    /// Parts of the wait in the queue: without a site, and for a grant or asleep.
    outage: Duration,
    idle: Duration,
    /// True if its loss is known and counted.
    is_gone: bool,
    pub packet: Packet,
}

/// A timer of a receiver that waits for a gap to close.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GapTimer {
    /// Expiry, if it runs.
    pub expiry: Option<Time>,
    /// End of what had arrived when it started.
    trigger: u64,
}

impl GapTimer {
    /// Starts or stops the timer after an arrival at `now`.
    fn follow(&mut self, now: Time, length: Duration, received: &Received) {
        if self.expiry.is_some() && !received.has_gap_below(self.trigger) {
            self.expiry = None;
        }
        if self.expiry.is_none() && received.has_gap_below(received.high()) {
            *self = Self { expiry: Some(now + length), trigger: received.high() };
        }
    }

    /// True if the timer has expired; it stops then.
    fn expires(&mut self, now: Time) -> bool {
        let is_over = self.expiry.is_some_and(|expiry| expiry <= now);
        if is_over {
            self.expiry = None;
        }
        is_over
    }
}

/// Fate of a packet that leaves the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Delivered.
    Arrives,
    /// Given up by the receiver.
    Lost,
    /// Lost before, with its block.
    Gone,
}

/// Parameters of a bearer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub rlc: Rlc,
    pub pdcp: Pdcp,
    /// Time after which a receiver gives up a gap; `None`: never.
    pub give_up: Option<Duration>,
    /// Delay above which a delivered packet is late.
    pub budget: Duration,
}

/// Reports on groups of resource blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bands {
    /// Ratio per layer that the CQI of each group stands for, in decibels; −∞ out of range.
    snr: [f64; GROUPS],
    /// ln(1 + γ) of each.
    capacities: [f64; GROUPS],
}

impl Bands {
    /// Reports of the same ratio in decibels on all groups.
    pub fn all(snr: f64) -> Self {
        Self { snr: [snr; GROUPS], capacities: [capacity(linear(snr)); GROUPS] }
    }

    /// Sets the report on a group; `None` out of range.
    pub fn set(&mut self, group: usize, snr: Option<f64>) {
        self.snr[group] = snr.unwrap_or(f64::NEG_INFINITY);
        self.capacities[group] = snr.map_or(0.0, |snr| capacity(linear(snr)));
    }

    /// Report on a group, in decibels.
    #[inline]
    pub fn at(&self, group: usize) -> f64 {
        self.snr[group]
    }
}

/// A direction of a bearer.
#[derive(Debug)]
pub(super) struct Leg {
    pub terms: Terms,
    pub guarantee: Option<Guarantee>,
    pub queue: AnyQueue,
    pub counts: Counts,
    marked_before: u64,
    pub air: Air,
    pub delays: Delays,
    pub waits: Waits,
    pub channel: Channel,
    pub errors: Stream,
    /// True for an uplink.
    is_up: bool,
    /// Report in use, and its number; `None` before the first.
    pub report: Report,
    /// Reports on the groups of resource blocks of a selective channel in the downlink.
    pub bands: Option<Box<Bands>>,
    pub reported: Option<u64>,
    /// Time from which reports are of the present site.
    pub attached: Time,
    /// Offset of the outer loop, in decibels.
    pub offset: f64,
    pub view: Candidate,
    /// Slot up to which the averages are current.
    pub averaged: u64,
    pub processes: [Process; PROCESSES],
    /// Number of processes that are not free.
    pub busy: usize,
    /// True if the leg is in its direction's list of active ones.
    pub is_active: bool,
    /// First byte that no block has carried, and the end of the packets that were taken from the queue.
    next: u64,
    numbered: u64,
    sdus: VecDeque<Sdu>,
    /// Packets at the front of `sdus` that are delivered and not yet acknowledged.
    delivered: usize,
    /// Packets of `sdus` whose loss is counted.
    gone: usize,
    /// End of the packets that were taken from the queue before the counters began.
    counted_from: u64,
    pub received: Received,
    /// Intervals that the receiver has given up; rare.
    abandoned: Vec<Interval>,
    /// t-Reassembly in acknowledged mode: it ends in a status report.
    pub reassembly: GapTimer,
    /// The timer after which the receiver gives up.
    pub reordering: GapTimer,
    /// End of the gaps that a status report names.
    highest_status: u64,
    /// Ends of the parts whose polls wait for an answer until all below them is known.
    polls: Vec<u64>,
    /// True if a status report is due, and the earliest time for it.
    pub owes_status: bool,
    pub status_from: Time,
    /// True if the other direction knows of it.
    pub asks_status: bool,
    /// Parts that RLC sends again.
    repeats: VecDeque<Interval>,
    repeat_bytes: u64,
    /// Start of the lowest missing part, and how often it was named.
    named: (u64, u32),
    /// Packets since the last poll, end of the stream at it, and expiry of t-PollRetransmit.
    unpolled: u64,
    polled: u64,
    pub poll_expiry: Option<Time>,
    /// Newest part: a receiver does not miss it if its block is lost.
    last_part: Interval,
    /// End of what the last handover began to send anew.
    renewed: u64,
}

impl Leg {
    pub fn new(
        queue: AnyQueue,
        channel: Channel,
        errors: Stream,
        is_up: bool,
        report: Report,
        view: Candidate,
        (terms, guarantee): (Terms, Option<Guarantee>),
    ) -> Self {
        Self {
            terms,
            guarantee,
            queue,
            counts: Counts::default(),
            marked_before: 0,
            air: Air::default(),
            delays: Delays::default(),
            waits: Waits::new(),
            channel,
            errors,
            is_up,
            report,
            bands: None,
            reported: None,
            attached: Time::ZERO,
            offset: 0.0,
            view,
            averaged: 0,
            processes: [Process::default(); PROCESSES],
            busy: 0,
            is_active: false,
            next: 0,
            numbered: 0,
            sdus: VecDeque::with_capacity(ROOM),
            delivered: 0,
            gone: 0,
            counted_from: 0,
            received: Received::new(),
            abandoned: Vec::with_capacity(GAPS),
            reassembly: GapTimer::default(),
            reordering: GapTimer::default(),
            highest_status: 0,
            polls: Vec::with_capacity(PROCESSES),
            owes_status: false,
            status_from: Time::ZERO,
            asks_status: false,
            repeats: VecDeque::with_capacity(REPEATS),
            repeat_bytes: 0,
            named: (0, 0),
            unpolled: 0,
            polled: 0,
            poll_expiry: None,
            last_part: (0, 0),
            renewed: 0,
        }
    }

    /// Queues a packet of the link whose waits are `line`; returns false if it is refused. Packets dropped in its place
    /// go to `dropped`.
    pub fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, mut dropped: impl FnMut(Packet)) -> bool {
        let Self { queue, counts, .. } = self;
        line.admit(now, |line| {
            // The waiting time is unknown.
            queue.offer(now, packet, Duration::ZERO, |waiting| {
                line.drop(waiting.since, now);
                counts.dropped += 1;
                dropped(waiting.packet);
            })
        })
    }

    /// Reported ratio in decibels for a block on these groups of resource blocks.
    #[inline]
    pub fn reported_on(&self, groups: u32) -> f64 {
        match &self.bands {
            None => self.report.snr,
            Some(bands) => effective(each_group(groups).map(|group| bands.capacities[group])),
        }
    }

    /// Bytes that wait to be sent, with headers.
    #[inline]
    pub fn backlog(&self) -> u64 {
        let headers = self.terms.rlc.headers;
        let begun = self.numbered - self.next;
        let begun = if begun > 0 { begun + headers[1] } else { 0 };
        let repeats = self.repeat_bytes + headers[1] * self.repeats.len() as u64;
        self.queue.bytes() + headers[0] * self.queue.packets() as u64 + begun + repeats
    }

    /// Packets that wait and have not been begun.
    pub fn waiting(&self) -> usize {
        self.queue.packets()
    }

    /// Packets between their first byte and their delivery.
    pub fn held(&self) -> u64 {
        (self.sdus.len() - self.delivered - self.gone) as u64
    }

    /// A process that is free.
    #[inline]
    pub fn free_process(&self, processes: usize) -> Option<usize> {
        self.processes[..processes].iter().position(|process| process.stage == Stage::Free)
    }

    /// Fills a block from `now` to `end` of `room` bytes with repeated parts, the packet that is begun, and packets of
    /// the queue; discarded ones go to `discarded`. Returns the bytes of stream in it.
    pub fn fill(
        &mut self,
        line: &mut Line,
        (now, end): (Time, Time),
        mut room: u64,
        process: &mut Process,
        mut discarded: impl FnMut(Packet),
    ) -> u64 {
        let Terms { rlc, pdcp, .. } = self.terms;
        let [header, continuation] = rlc.headers;
        let mut carried = 0;
        // RLC sends parts again before new data (TS 36.322 §5.1.3.1.1): the receiver holds back all packets behind a
        // gap. One place of the block remains for new data.
        while process.part_count + 1 < process.parts.len()
            && room > continuation
            && let Some((from, to)) = self.repeats.pop_front()
        {
            let until = to.min(from + room - continuation);
            room -= continuation + (until - from);
            carried += until - from;
            self.repeat_bytes -= until - from;
            process.add((from, until));
            process.has_repeats = true;
            if until < to {
                self.repeats.push_front((until, to));
            }
        }
        // The stream goes out in order: the packet that is begun precedes those of the queue.
        let from = self.next;
        if self.next < self.numbered && room > continuation {
            let taken = (self.numbered - self.next).min(room - continuation);
            self.next += taken;
            room -= continuation + taken;
            if self.next == self.numbered
                && let Some(last) = self.sdus.back_mut()
                // A packet that goes out anew after a handover keeps the end of its first transmission: the rest counts
                // as handover.
                && self.renewed < self.numbered
            {
                last.due = end;
            }
        }
        while self.next == self.numbered && room > header {
            // The window counts packets that have arrived and are not acknowledged: without a status report it stays
            // closed.
            if rlc.window.is_some_and(|window| self.sdus.len() as u64 >= window) {
                break;
            }
            let Self { queue, counts, air, waits, is_up, .. } = self;
            let Some(waiting) = queue.take(now, |waiting| {
                line.drop(waiting.since, now);
                counts.dropped += 1;
                discarded(waiting.packet);
            }) else {
                break;
            };
            // discardTimer (TS 38.323 §5.3). The age decides here only: RLC keeps a packet of which any part has been
            // sent (TS 38.322 §5.4).
            if pdcp.discard.is_some_and(|most| now.since(waiting.since) > most) {
                line.drop(waiting.since, now);
                counts.dropped += 1;
                air.discarded += 1;
                discarded(waiting.packet);
                continue;
            }
            line.leave(waiting.since, now);
            counts.packets += 1;
            counts.bytes += u64::from(waiting.packet.size);
            let size = u64::from(waiting.packet.size);
            let since = waiting.since;
            let outage = waits.outage(since, now);
            // Each instant of the wait has one cause: time without a site is not waiting for a grant too.
            let idle = match *is_up {
                true => {
                    let granted = waits.granted(since, now);
                    granted.since(since) - waits.outage(since, granted)
                }
                false => waits.asleep(since, now),
            };
            self.numbered += size;
            self.unpolled += 1;
            let packet = waiting.packet;
            let (sent, is_gone) = (now, false);
            self.sdus.push_back(Sdu { end: self.numbered, since, sent, due: end, outage, idle, is_gone, packet });
            let taken = size.min(room - header);
            self.next += taken;
            room -= header + taken;
        }
        if self.next > from {
            self.last_part = (from, self.next);
            process.add(self.last_part);
            carried += self.next - from;
        }
        // A poll is a bit of a data PDU: a block with a status report alone has none.
        if carried > 0 {
            self.poll(now, process);
        }
        if let Some(guarantee) = &mut self.guarantee {
            guarantee.spend(carried);
        }
        carried
    }

    /// Adds a poll to a block where acknowledged mode wants one.
    fn poll(&mut self, now: Time, process: &mut Process) {
        let rlc = &self.terms.rlc;
        if rlc.mode != RlcMode::Acknowledged {
            return;
        }
        // TS 36.322 §5.2.2, TS 38.322 §5.3.3: both buffers are empty, the window stalls, or pollPDU packets have gone
        // out. pollByte is infinite.
        let is_last = self.next == self.numbered && self.queue.packets() == 0 && self.repeats.is_empty();
        let is_blocked = rlc.window.is_some_and(|window| self.sdus.len() as u64 >= window);
        if is_last || is_blocked || self.unpolled >= rlc.poll_packets {
            process.has_poll = true;
            self.unpolled = 0;
            self.polled = self.next;
            self.poll_expiry = Some(now + rlc.poll_retransmit);
        }
    }

    /// Counts the loss of a packet that was taken from the queue since the counters began: the link's packets do not
    /// include others.
    fn count_loss(&mut self, sdu: &Sdu, is_lost: bool) {
        self.counts.lost += u64::from(is_lost && sdu.end > self.counted_from);
    }

    /// Loses the packets of a block that HARQ has given up. In unacknowledged mode nothing repairs them, and without a
    /// later block the receiver never learns of them.
    #[cold]
    pub fn lose(&mut self, at: usize, mut lost: impl FnMut(Packet)) {
        if self.terms.rlc.mode != RlcMode::Unacknowledged {
            return;
        }
        let process = self.processes[at];
        for &(from, to) in process.parts() {
            let mut next = self.sdus.partition_point(|sdu| sdu.end <= from);
            while let Some(sdu) = self.sdus.get_mut(next)
                && sdu.end - u64::from(sdu.packet.size) < to
            {
                if !std::mem::replace(&mut sdu.is_gone, true) {
                    let sdu = *sdu;
                    self.gone += 1;
                    self.count_loss(&sdu, true);
                    lost(sdu.packet);
                }
                next += 1;
            }
        }
    }

    /// Counts the delay of a packet that is delivered after `end` by its causes; `cause` ended its wait for others.
    #[inline]
    pub fn count_delay(&mut self, sdu: &Sdu, (end, cause): (Time, Cause), decoding: Duration) {
        let queued = sdu.sent.since(sdu.since).as_nanos() - sdu.outage.as_nanos() - sdu.idle.as_nanos();
        let away = self.waits.outage(sdu.sent, end).as_nanos();
        let radio = end.since(sdu.sent).as_nanos() - away;
        // The last byte may have been due within an interruption, which is counted apart.
        let transmission = sdu.due.since(sdu.sent).as_nanos().min(radio);
        let mut waits = [0; 3];
        let by = if sdu.end <= self.renewed { Cause::Handover } else { cause };
        let at = match by {
            Cause::Handover => 0,
            Cause::Rlc => 1,
            _ => 2,
        };
        waits[at] = radio - transmission;
        let idle = sdu.idle.as_nanos();
        let (grants, sleep) = if self.is_up { (idle, 0) } else { (0, idle) };
        self.delays.count(
            self.terms.budget,
            [
                (Cause::Queue, queued),
                (Cause::Grants, grants),
                (Cause::Sleep, sleep),
                (Cause::Transmission, transmission),
                (Cause::Harq, waits[2]),
                (Cause::Rlc, waits[1]),
                (Cause::Handover, waits[0] + away + sdu.outage.as_nanos()),
                (Cause::Decoding, decoding.as_nanos()),
            ],
        );
    }

    /// Takes a status report at the sender.
    pub fn acknowledge(&mut self, status: &Status) {
        if self.polled <= status.upto {
            self.poll_expiry = None;
        }
        let gaps = &status.gaps[..status.count];
        // RETX_COUNT reaches maxRetxThreshold (TS 38.322 §5.3.2). The lowest gap alone is counted: it holds back all
        // others. A radio link failure would follow; here the part is given up, and the stream goes on.
        // A part that still waits for its retransmission is not counted again.
        if let Some(&first) = gaps.first().filter(|first| !self.is_repeated(**first)) {
            self.named = if self.named.0 == first.0 { (first.0, self.named.1 + 1) } else { (first.0, 1) };
            if self.named.1 > self.terms.rlc.max_retransmissions {
                self.air.failures += 1;
                self.abandon(first);
            }
        }
        for &gap in gaps {
            // A part that is pending already is not considered again (TS 38.322 §5.3.2).
            // A gap that has closed since is not repeated: its block came late.
            let is_open = self.received.gaps().any(|open| open.0 < gap.1 && gap.0 < open.1);
            if !self.is_repeated(gap) && is_open && self.repeats.len() < REPEATS {
                self.repeats.push_back(gap);
                self.repeat_bytes += gap.1 - gap.0;
                self.air.repeats += 1;
            }
        }
        let acknowledged = gaps.first().map_or(status.upto, |first| first.0);
        while self.delivered > 0 && self.sdus.front().is_some_and(|sdu| sdu.end <= acknowledged) {
            self.sdus.pop_front();
            self.delivered -= 1;
        }
    }

    /// True if a retransmission of bytes of `part` is waiting.
    fn is_repeated(&self, part: (u64, u64)) -> bool {
        self.repeats.iter().any(|waiting| waiting.0 < part.1 && part.0 < waiting.1)
    }

    /// Handles t-PollRetransmit: if nothing else is to be sent, the last part goes again with a poll.
    pub fn repeat_poll(&mut self, now: Time) {
        if self.poll_expiry.is_none_or(|expiry| expiry > now) {
            return;
        }
        let rlc = &self.terms.rlc;
        self.poll_expiry = Some(now + rlc.poll_retransmit);
        let (from, to) = self.last_part;
        let has_more = self.queue.packets() > 0 || self.next < self.numbered || !self.repeats.is_empty();
        let is_blocked = rlc.window.is_some_and(|window| self.sdus.len() as u64 >= window);
        // TS 36.322 §5.2.2.3, TS 38.322 §5.3.3: otherwise the next block with data carries the poll.
        // A part that waits already carries the poll when it goes.
        if to > from && (!has_more || is_blocked) && !self.is_repeated((from, to)) {
            self.repeats.push_back((from, to));
            self.repeat_bytes += to - from;
            self.air.repeats += 1;
        }
    }

    /// Earliest timer of receiver and sender.
    pub fn first_expiry(&self) -> Option<Time> {
        let owed = (self.owes_status && !self.asks_status).then_some(self.status_from);
        [self.reassembly.expiry, self.reordering.expiry, self.poll_expiry, owed].into_iter().flatten().min()
    }

    /// Counters since the last reset, without waits.
    pub fn counts(&self) -> Counts {
        Counts { marked: self.queue.marked() - self.marked_before, ..self.counts }
    }

    /// Restarts the counters.
    pub fn reset_counts(&mut self) {
        self.marked_before = self.queue.marked();
        self.counts = Counts::default();
        self.counted_from = self.numbered;
        self.air.reset();
        self.delays.reset();
    }
}
