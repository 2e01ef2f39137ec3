//! Controlled delay (CoDel; Nichols and Jacobson, RFC 8289): drops packets at the head when the minimum delay over an
//! interval has stayed above a target, at a rate that rises with time.

use super::discipline::{Configure, Queue, Site, Waiting};
use super::line::{Line, Rule, Ruled};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Parameters of CoDel (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDelConfig {
    /// Acceptable standing delay.
    pub target: Duration,
    /// Time for which the delay must be above `target` before the first drop: a round trip.
    pub interval: Duration,
    /// True if ECN-capable packets are marked instead of dropped.
    pub marks: bool,
}

impl Default for CoDelConfig {
    /// RFC 8289 §4.2 and §4.3.
    fn default() -> Self {
        Self { target: Duration::from_millis(5), interval: Duration::from_millis(100), marks: false }
    }
}

impl Configure for CoDelConfig {
    type Queue = Ruled<CoDel>;
    const IS_RANDOM: bool = false;

    fn build(self, site: Site) -> Self::Queue {
        Ruled::new(CoDel::new(self), site.buffer)
    }

    fn with_marks(self, marks: bool) -> Option<Self> {
        Some(Self { marks, ..self })
    }
}

/// Implementation that a state machine follows where RFC 8289 leaves a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// RFC 8289: spares a queue of up to a full-size packet (§5.4, `maxpacket`); exact square roots.
    Rfc8289,
    /// Linux's mac80211: spares the last packet of a queue alone; the delay must be above the target for more than an
    /// interval; times in units of 1024 ns; square roots by one step of Newton's method per drop.
    Mac80211,
}

impl Version {
    /// Bytes left in the queue up to which no packet is dropped.
    #[inline]
    const fn spared_bytes(self) -> u64 {
        match self {
            Self::Rfc8289 => 1514,
            Self::Mac80211 => 0,
        }
    }

    /// Nanoseconds as the implementation counts them.
    #[inline]
    const fn rounded(self, nanos: u64) -> u64 {
        match self {
            Self::Rfc8289 => nanos,
            Self::Mac80211 => nanos >> UNIT << UNIT,
        }
    }
}

/// Binary logarithm of Linux's unit of time in nanoseconds.
const UNIT: u32 = 10;

/// Age in intervals up to which the last drop state is resumed at its rate (RFC 8289 §5.5).
const MEMORY: u64 = 16;

/// CoDel state machine of one queue (RFC 8289 §5).
#[derive(Clone, Copy, Debug, Default)]
pub struct Control {
    /// Time at which the delay will have been above the target for an interval; `None` while it is below.
    first_above: Option<Time>,
    is_dropping: bool,
    drop_next: Time,
    /// Drops since the drop state was entered.
    count: u32,
    last_count: u32,
    /// Linux's 1/√count in 65536ths.
    inverse_root: u16,
}

impl Control {
    /// Initial state of an empty queue.
    pub const fn new() -> Self {
        Self { first_above: None, is_dropping: false, drop_next: Time::ZERO, count: 0, last_count: 0, inverse_root: 0 }
    }

    /// Next packet to send (RFC 8289 §5.5, `deque`). `first` removes the first packet of the queue and returns it with
    /// the bytes left behind it. `marked` counts the marked packets.
    #[inline]
    pub fn take(
        &mut self,
        (config, version): (&CoDelConfig, Version),
        now: Time,
        first: &mut impl FnMut() -> Option<(Waiting, u64)>,
        marked: &mut u64,
        mut dropped: impl FnMut(Waiting),
    ) -> Option<Waiting> {
        let now = Time::from_nanos(version.rounded(now.as_nanos()));
        let (mut head, mut is_late) = self.look(config, version, now, first);
        if self.is_dropping {
            if !is_late {
                self.is_dropping = false;
            }
            while self.is_dropping && now >= self.drop_next {
                let mut waiting = head?;
                self.count += 1;
                self.approach_root();
                // A mark leaves the head in place: it is sent, and the next mark is due with a later packet.
                if config.marks && waiting.packet.ecn.mark() {
                    *marked += 1;
                    self.drop_next = self.after(config, version, self.drop_next);
                    return Some(waiting);
                }
                dropped(waiting);
                (head, is_late) = self.look(config, version, now, first);
                if is_late {
                    self.drop_next = self.after(config, version, self.drop_next);
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
                // One packet alone is dropped on entry: the next head leaves even if it is late (RFC 8289 §5.5).
                (head, _) = self.look(config, version, now, first);
            }
            self.is_dropping = true;
            let delta = self.count.saturating_sub(self.last_count);
            let interval = Duration::from_nanos(version.rounded(config.interval.as_nanos()));
            let is_recent = now.since(self.drop_next) < interval * MEMORY;
            if delta > 1 && is_recent {
                self.count = delta;
                self.approach_root();
            } else {
                self.count = 1;
                self.inverse_root = u16::MAX;
            }
            self.drop_next = self.after(config, version, now);
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
        version: Version,
        now: Time,
        first: &mut impl FnMut() -> Option<(Waiting, u64)>,
    ) -> (Option<Waiting>, bool) {
        let Some((waiting, bytes)) = first() else {
            // An empty queue has no standing delay.
            self.first_above = None;
            return (None, false);
        };
        let since = Time::from_nanos(version.rounded(waiting.since.as_nanos()));
        let target = version.rounded(config.target.as_nanos());
        if now.since(since).as_nanos() < target || bytes <= version.spared_bytes() {
            self.first_above = None;
            return (Some(waiting), false);
        }
        let interval = Duration::from_nanos(version.rounded(config.interval.as_nanos()));
        let first_above = *self.first_above.get_or_insert(now + interval);
        let is_late = match version {
            Version::Rfc8289 => now >= first_above,
            Version::Mac80211 => now > first_above,
        };
        (Some(waiting), is_late)
    }

    /// Control law: the interval between drops shrinks with the square root of their number (RFC 8289 §3.4).
    #[inline]
    fn after(&self, config: &CoDelConfig, version: Version, time: Time) -> Time {
        match version {
            Version::Rfc8289 => time + config.interval.scale(1.0 / f64::from(self.count).sqrt()),
            Version::Mac80211 => {
                let units = config.interval.as_nanos() >> UNIT;
                time + Duration::from_nanos((units * u64::from(self.inverse_root)) >> 16 << UNIT)
            }
        }
    }

    /// Linux's step towards 1/√count: x ← x/2·(3 − count·x²), in 32 bits behind the point of which 16 are kept.
    #[inline]
    const fn approach_root(&mut self) {
        let root = (self.inverse_root as u64) << 16;
        let square = (root * root) >> 32;
        let rest = (3_u64 << 32).wrapping_sub((self.count as u64).wrapping_mul(square));
        let next = ((rest >> 2).wrapping_mul(root)) >> 31;
        self.inverse_root = (next as u32 >> 16) as u16;
    }
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
        self.control.take((&self.config, Version::Rfc8289), now, &mut first, marked, dropped)
    }
}
