//! Dual queue with coupled PI² (De Schepper, Briscoe and White, RFC 9332, appendix A): scalable flows in a queue of their own whose
//! marks are coupled to what the others' controller asks for.
//!
//! One controller steers the delay by a base probability p'. Classic packets are dropped or marked with p'², scalable ones
//! (ECT(1) and CE) marked with k·p' or what a ramp over their own short delay asks for, whichever is more. Marks and drops
//! come evenly, as the RFC's `recur` has it: where a probability is p, every 1/p-th packet.

use super::config::{DualPi2Config, Sharing};
use super::discipline::{Buffer, Queue, Waiting};
use super::tail::Tail;
use crate::ecn::Codepoint;
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// The largest usual packet, by which the scheduler's first turn is reckoned.
const PACKET: f64 = 1514.0;

/// A queue and its even sequence of marks or drops.
#[derive(Debug)]
struct Lane {
    queue: Tail,
    /// What has been added up of probabilities (`count`), and of those of drops in overload.
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

/// Two queues under one controller.
#[derive(Debug)]
pub struct DualPi2 {
    config: DualPi2Config,
    buffer: Buffer,
    scalable: Lane,
    classic: Lane,
    /// p'.
    base: f64,
    last_delay: Duration,
    next_update: Time,
    /// Above zero it is the classic queue's turn, in bytes.
    credit: f64,
    marked: u64,
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Sent,
    Marked,
    Dropped,
}

/// Whether an event of this probability comes now (`recur`).
fn recurs(count: &mut f64, probability: f64) -> bool {
    *count += probability;
    let comes = *count > 1.0;
    if comes {
        *count -= 1.0;
    }
    comes
}

impl DualPi2 {
    /// Empty queues with room for `buffer` together.
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

    /// Makes the updates that were due: the delay at each is known from since when the first packets wait.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            self.update();
            self.next_update += self.config.update;
        }
    }

    /// The controller (`dualpi2_update`, with the longer of both delays, as overload asks for).
    fn update(&mut self) {
        let at = self.next_update;
        let DualPi2Config { target, alpha, beta, .. } = self.config;
        let delay = self.classic.wait(at).max(self.scalable.wait(at));
        let change =
            alpha * (delay.as_secs() - target.as_secs()) + beta * (delay.as_secs() - self.last_delay.as_secs());
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.last_delay = delay;
    }

    /// Whose turn it is; `None` where nothing waits.
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

    /// A packet of `size` bytes was sent while the other queue waited, or did not.
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

    /// What becomes of the packet that goes, which leaves its queue with `behind` more packets after a wait of `wait`
    /// (`dualpi2_dequeue` and its form for overload).
    fn judge(&mut self, is_scalable: bool, ecn: Codepoint, wait: Duration, behind: usize) -> Verdict {
        let DualPi2Config { coupling, threshold, range, .. } = self.config;
        let (coupled, squared) = (coupling * self.base, self.base * self.base);
        if !is_scalable {
            if !recurs(&mut self.classic.count, squared) {
                return Verdict::Sent;
            }
            let is_overloaded = squared >= (1.0 / (coupling * coupling)).min(1.0);
            return if is_overloaded || ecn == Codepoint::NotCapable { Verdict::Dropped } else { Verdict::Marked };
        }
        let own = match behind {
            0 => 0.0,
            _ if wait >= threshold + range => 1.0,
            _ if wait > threshold => (wait - threshold).ratio(range),
            _ => 0.0,
        };
        if coupled >= 1.0 && recurs(&mut self.scalable.drops, squared) {
            return Verdict::Dropped;
        }
        let probability = own.max(coupled).min(1.0);
        if recurs(&mut self.scalable.count, probability) { Verdict::Marked } else { Verdict::Sent }
    }

    /// The packet as it goes on; `None` where it is dropped.
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

/// The classifier (RFC 9331 §5.1, RFC 9332 §2.3).
fn is_scalable(packet: &Packet) -> bool {
    matches!(packet.ecn.codepoint(), Codepoint::Scalable | Codepoint::Marked)
}

/// The scalable queue goes first.
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

    /// Holds the controller: no update comes.
    pub fn hold(&mut self, base: f64) {
        (self.base, self.next_update) = (base, Time::NEVER);
    }
}
