//! Controlled delay (CoDel; Nichols and Jacobson, RFC 8289): drops packets at the head when the minimum delay over an
//! interval has stayed above a target, at a rate that rises with time.

use super::config::CoDelConfig;
use super::discipline::{Queue, Waiting};
use super::line::{Line, Rule};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Conditions under which a delay above the target does not count, which implementations choose differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Bytes left in the queue up to which no packet is dropped (RFC 8289 §5.4, `maxpacket`).
    bytes: u64,
    /// True if the delay must have been above the target for longer than an interval, not just for an interval.
    is_strict: bool,
}

impl Allowance {
    /// A full-size packet, as in RFC 8289.
    pub const FULL_PACKET: Self = Self { bytes: 1514, is_strict: false };
    /// The last packet of the queue alone, as in Linux's mac80211.
    pub const LAST_PACKET: Self = Self { bytes: 0, is_strict: true };
}

/// Age in intervals up to which the last drop state is resumed at its rate (RFC 8289 §5.5).
const MEMORY: u64 = 16;

/// CoDel state machine of one queue (RFC 8289 §5).
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// Time at which the delay will have been above the target for an interval; `None` while it is below.
    first_above: Option<Time>,
    is_dropping: bool,
    drop_next: Time,
    /// Drops since the drop state was entered.
    count: u32,
    last_count: u32,
}

impl Control {
    /// Initial state of an empty queue.
    pub const fn new() -> Self {
        Self { first_above: None, is_dropping: false, drop_next: Time::ZERO, count: 0, last_count: 0 }
    }

    /// Next packet to send (RFC 8289 §5.5, `deque`). `first` removes the first packet of the queue and returns it with
    /// the bytes left behind it. `marked` counts the marked packets.
    #[inline]
    pub fn take(
        &mut self,
        (config, allowance): (&CoDelConfig, Allowance),
        now: Time,
        first: &mut impl FnMut() -> Option<(Waiting, u64)>,
        marked: &mut u64,
        mut dropped: impl FnMut(Waiting),
    ) -> Option<Waiting> {
        let (mut head, mut is_late) = self.look(config, allowance, now, first);
        if self.is_dropping {
            if !is_late {
                self.is_dropping = false;
            }
            while self.is_dropping && now >= self.drop_next {
                let mut waiting = head?;
                self.count += 1;
                if config.marks && waiting.packet.ecn.mark() {
                    *marked += 1;
                    self.drop_next = after(config, self.drop_next, self.count);
                    return Some(waiting);
                }
                dropped(waiting);
                (head, is_late) = self.look(config, allowance, now, first);
                if is_late {
                    self.drop_next = after(config, self.drop_next, self.count);
                } else {
                    self.is_dropping = false;
                }
            }
        } else if is_late {
            let mut waiting = head?;
            if config.marks && waiting.packet.ecn.mark() {
                *marked += 1;
                head = Some(waiting);
            } else {
                dropped(waiting);
                (head, _) = self.look(config, allowance, now, first);
            }
            self.is_dropping = true;
            let delta = self.count.saturating_sub(self.last_count);
            let is_recent = now.since(self.drop_next) < config.interval * MEMORY;
            self.count = if delta > 1 && is_recent { delta } else { 1 };
            self.drop_next = after(config, now, self.count);
            self.last_count = self.count;
        }
        head
    }

    /// Resets the state for an empty queue: the delay is not above the target.
    #[inline]
    pub fn rest(&mut self) {
        self.first_above = None;
        self.is_dropping = false;
    }

    /// Counts a drop made from outside as if by the controller.
    #[inline]
    pub const fn note_drop(&mut self) {
        self.count += 1;
    }

    /// Removes the first packet; the flag is true if the delay has been above the target for an interval (`dodeque`).
    #[inline]
    fn look(
        &mut self,
        config: &CoDelConfig,
        allowance: Allowance,
        now: Time,
        first: &mut impl FnMut() -> Option<(Waiting, u64)>,
    ) -> (Option<Waiting>, bool) {
        let Some((waiting, bytes)) = first() else {
            self.first_above = None;
            return (None, false);
        };
        if now.since(waiting.since) < config.target || bytes <= allowance.bytes {
            self.first_above = None;
            return (Some(waiting), false);
        }
        let first_above = *self.first_above.get_or_insert(now + config.interval);
        let is_late = if allowance.is_strict { now > first_above } else { now >= first_above };
        (Some(waiting), is_late)
    }
}

/// Control law: the interval between drops shrinks with the square root of their number (RFC 8289 §3.4).
#[inline]
fn after(config: &CoDelConfig, time: Time, count: u32) -> Time {
    time + config.interval.scale(1.0 / f64::from(count).sqrt())
}

/// A FIFO queue under CoDel.
#[derive(Debug)]
pub struct CoDel {
    config: CoDelConfig,
    control: Control,
}

impl CoDel {
    /// Initial state of an empty queue.
    pub const fn new(config: CoDelConfig) -> Self {
        Self { config, control: Control::new() }
    }
}

impl Rule for CoDel {
    #[inline]
    fn offer(&mut self, line: &mut Line, now: Time, packet: Packet, wait: Duration) -> bool {
        line.queue.offer(now, packet, wait, |_| ())
    }

    #[inline]
    fn pass(&mut self, _: &mut Line, _: Time, packet: Packet) -> Option<Packet> {
        self.control.rest();
        Some(packet)
    }

    #[inline]
    fn take(&mut self, line: &mut Line, now: Time, dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        let Line { queue, marked } = line;
        let mut first = || queue.leave().map(|waiting| (waiting, queue.bytes()));
        self.control.take((&self.config, Allowance::FULL_PACKET), now, &mut first, marked, dropped)
    }
}
