//! Dual queue with coupled PI² (DualPI2; De Schepper, Briscoe and White, RFC 9332, appendix A): scalable (L4S) flows
//! have a queue of their own, whose marks are coupled to the controller of the classic queue.
//!
//! One controller steers the delay by a base probability p'. Classic packets are dropped or marked with probability
//! p'². Scalable packets (ECT(1) and CE) are marked with the larger of k·p' and a ramp over their own short delay.
//! Marks and drops are evenly spaced, as in the RFC's `recur`: at probability p every 1/p-th packet.

use super::discipline::{Buffer, Configure, Queue, Site, Waiting, recurs};
use super::tail::Tail;
use crate::ecn::Codepoint;
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Parameters of DualPI2 (RFC 9332).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Config {
    /// Target delay of classic packets.
    pub target: Duration,
    /// Update interval of the base probability.
    pub update: Duration,
    /// Integral gain: change of the base probability per update and second of error.
    pub alpha: f64,
    /// Proportional gain: change of the base probability per second by which the delay has risen.
    pub beta: f64,
    /// k: ratio of the marking probability of scalable packets to the base probability; at least 1.
    pub coupling: f64,
    /// Delay above which scalable packets are marked independently of the classic queue.
    pub threshold: Duration,
    /// Range of delays above `threshold` over which the marking probability rises to one; zero is a step.
    pub range: Duration,
    /// Scheduler between the two queues.
    pub sharing: Sharing,
}

/// Scheduler between the two queues of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sharing {
    /// Weighted round robin with this share of bytes for the classic queue, above 0 and below 1.
    Weighted(f64),
    /// Time-shifted FIFO: scalable packets are served as if they had arrived earlier by this time.
    Shifted(Duration),
}

impl DualPi2Config {
    /// Default share of the classic queue.
    pub const CLASSIC_SHARE: f64 = 0.1;
}

impl Default for DualPi2Config {
    /// RFC 9332 appendix A.1, except for the update interval, its gains (RFC: 15 ms, 0.15 and 3) and the share of the
    /// classic queue, which are those of Linux.
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            update: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            threshold: Duration::from_micros(800),
            range: Duration::from_micros(400),
            sharing: Sharing::Weighted(Self::CLASSIC_SHARE),
        }
    }
}

impl Configure for DualPi2Config {
    type Queue = DualPi2;
    const IS_RANDOM: bool = false;

    fn build(self, site: Site) -> Self::Queue {
        DualPi2::new(self, site.buffer)
    }

    /// Marks are its nature.
    fn with_marks(self, _: bool) -> Option<Self> {
        None
    }
}

/// Full-size packet in bytes, for the scheduler's initial credit.
const PACKET: f64 = 1514.0;

/// A queue with its deterministic sequence of marks or drops.
#[derive(Debug)]
struct Lane {
    queue: Tail,
    /// Accumulated marking or drop probability (`count`), and that of overload drops.
    count: f64,
    drops: f64,
}

impl Lane {
    fn new(buffer: Buffer) -> Self {
        Self { queue: Tail::new(buffer), count: 0.0, drops: 0.0 }
    }

    fn wait(&self, now: Time) -> Duration {
        self.queue.since().map_or(Duration::ZERO, |since| now.since(since))
    }

    fn size(&self) -> Option<f64> {
        self.queue.head().map(|head| f64::from(head.packet.size))
    }
}

/// DualPI2: two queues under one controller.
#[derive(Debug)]
pub struct DualPi2 {
    config: DualPi2Config,
    buffer: Buffer,
    scalable: Lane,
    classic: Lane,
    /// Base probability p'.
    base: f64,
    last_delay: Duration,
    next_update: Time,
    /// Credit of the classic queue in bytes: it is served next if positive.
    credit: f64,
    marked: u64,
}

/// Decision on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Sent,
    Marked,
    Dropped,
}

impl DualPi2 {
    /// Empty queues that share `buffer`.
    pub fn new(config: DualPi2Config, buffer: Buffer) -> Self {
        Self {
            config,
            buffer,
            scalable: Lane::new(buffer),
            classic: Lane::new(buffer),
            base: 0.0,
            last_delay: Duration::ZERO,
            next_update: Time::ZERO + config.update,
            credit: first_credit(&config),
            marked: 0,
        }
    }

    /// Makes the updates that are due: the delay at each follows from the arrival times of the first packets.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            self.update();
            self.next_update += self.config.update;
        }
    }

    /// Controller update (`dualpi2_update`, with the longer of the two delays, as overload requires).
    fn update(&mut self) {
        let at = self.next_update;
        let DualPi2Config { target, alpha, beta, .. } = self.config;
        let delay = self.classic.wait(at).max(self.scalable.wait(at));
        let change =
            alpha * (delay.as_secs() - target.as_secs()) + beta * (delay.as_secs() - self.last_delay.as_secs());
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.last_delay = delay;
    }

    /// True if the scalable queue is served next; `None` if both are empty.
    fn is_scalables_turn(&self, now: Time) -> Option<bool> {
        match (self.scalable.size(), self.classic.size()) {
            (None, None) => None,
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            (Some(_), Some(_)) => Some(match self.config.sharing {
                Sharing::Weighted(_) => self.credit <= 0.0,
                Sharing::Shifted(shift) => self.scalable.wait(now) + shift >= self.classic.wait(now),
            }),
        }
    }

    /// Charges the scheduler for a packet of `size` bytes; the credit changes only while the other queue is waiting.
    fn charge(&mut self, is_scalable: bool, size: u32) {
        let Sharing::Weighted(share) = self.config.sharing else { return };
        let size = f64::from(size);
        match (self.scalable.size(), self.classic.size()) {
            (_, Some(_)) if is_scalable => self.credit += share * size,
            (Some(_), _) if !is_scalable => self.credit -= (1.0 - share) * size,
            (None, None) => self.credit = first_credit(&self.config),
            _ => {}
        }
    }

    /// Decides on a departing packet after a wait of `wait`, with `behind` packets left in its queue (`dualpi2_dequeue`
    /// with its overload variant).
    fn judge(&mut self, is_scalable: bool, ecn: Codepoint, wait: Duration, behind: usize) -> Verdict {
        let DualPi2Config { coupling, threshold, range, .. } = self.config;
        let (coupled, squared) = (coupling * self.base, self.base * self.base);
        if !is_scalable {
            if !recurs(&mut self.classic.count, squared) {
                return Verdict::Sent;
            }
            // RFC 9332 appendix A: at p_Cmax the queue is overloaded, and marks no longer replace drops.
            let is_overloaded = squared >= (1.0 / (coupling * coupling)).min(1.0);
            return if is_overloaded || ecn == Codepoint::NotCapable { Verdict::Dropped } else { Verdict::Marked };
        }
        let own = match behind {
            // With nothing behind it a mark would shorten no queue.
            0 => 0.0,
            _ if wait >= threshold + range => 1.0,
            _ if wait > threshold => (wait - threshold).ratio(range),
            _ => 0.0,
        };
        // RFC 9332 appendix A: marks cannot rise beyond one, so scalable packets are dropped as classic ones are.
        if coupled >= 1.0 && recurs(&mut self.scalable.drops, squared) {
            return Verdict::Dropped;
        }
        let probability = own.max(coupled).min(1.0);
        if recurs(&mut self.scalable.count, probability) { Verdict::Marked } else { Verdict::Sent }
    }

    /// Applies the decision: returns the packet, marked or not, or `None` if it is dropped.
    fn admit(&mut self, is_scalable: bool, mut packet: Packet, wait: Duration, behind: usize) -> Option<Packet> {
        match self.judge(is_scalable, packet.ecn.codepoint(), wait, behind) {
            Verdict::Sent => Some(packet),
            Verdict::Marked => {
                self.marked += u64::from(packet.ecn.mark());
                Some(packet)
            }
            Verdict::Dropped => None,
        }
    }

    fn lane(&mut self, is_scalable: bool) -> &mut Lane {
        if is_scalable { &mut self.scalable } else { &mut self.classic }
    }
}

/// Classifier (RFC 9331 §5.1, RFC 9332 §2.3).
fn is_scalable(packet: &Packet) -> bool {
    matches!(packet.ecn.codepoint(), Codepoint::Scalable | Codepoint::Marked)
}

/// Initial credit: the scalable queue goes first.
fn first_credit(config: &DualPi2Config) -> f64 {
    match config.sharing {
        Sharing::Weighted(share) => PACKET * (2.0 * share - 1.0),
        Sharing::Shifted(_) => 0.0,
    }
}

impl Queue for DualPi2 {
    fn offer(&mut self, now: Time, packet: Packet, wait: Duration, _: impl FnMut(Waiting)) -> bool {
        self.catch_up(now);
        let has_room = !self.buffer.is_full(self.packets() as u64, self.bytes(), packet.size, wait);
        if has_room {
            self.lane(is_scalable(&packet)).queue.join(now, packet);
        }
        has_room
    }

    fn resize(&mut self, buffer: Buffer) {
        self.buffer = buffer;
    }

    fn pass(&mut self, now: Time, packet: Packet) -> Option<Packet> {
        self.catch_up(now);
        self.admit(is_scalable(&packet), packet, Duration::ZERO, 0)
    }

    fn take(&mut self, now: Time, mut dropped: impl FnMut(Waiting)) -> Option<Waiting> {
        self.catch_up(now);
        loop {
            let is_scalable = self.is_scalables_turn(now)?;
            let queue = &mut self.lane(is_scalable).queue;
            let waiting = queue.leave()?;
            let behind = queue.packets();
            match self.admit(is_scalable, waiting.packet, now.since(waiting.since), behind) {
                Some(packet) => {
                    self.charge(is_scalable, packet.size);
                    return Some(Waiting { packet, ..waiting });
                }
                None => dropped(waiting),
            }
        }
    }

    fn since(&self) -> Option<Time> {
        let [scalable, classic] = [&self.scalable, &self.classic].map(|lane| lane.queue.since());
        scalable.into_iter().chain(classic).min()
    }

    fn packets(&self) -> usize {
        self.scalable.queue.packets() + self.classic.queue.packets()
    }

    fn bytes(&self) -> u64 {
        self.scalable.queue.bytes() + self.classic.queue.bytes()
    }

    fn marked(&self) -> u64 {
        self.marked
    }
}

#[cfg(test)]
impl DualPi2 {
    pub fn base(&self) -> f64 {
        self.base
    }

    pub fn catch_up_to(&mut self, now: Time) {
        self.catch_up(now);
    }

    /// Freezes the controller at `base`, without updates.
    pub fn hold(&mut self, base: f64) {
        (self.base, self.next_update) = (base, Time::NEVER);
    }
}
