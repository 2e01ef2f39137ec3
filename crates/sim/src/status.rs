//! What is counted at a port, and what is to be seen of it.

use windward_units::{Duration, Time};

/// What a link counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets whose transmission has begun.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets refused by the full buffer, or dropped by the discipline of the queue.
    pub dropped: u64,
    /// Packets marked by the discipline of the queue.
    pub marked: u64,
    /// Packets lost on the wire.
    pub lost: u64,
    /// How long the transmitter was busy, in nanoseconds; of 802.11, how long the MAC had a packet of the link in hand, to contend for
    /// the air and to send it; where its rate is recorded, the share of the opportunities' bytes that
    /// were used, of the time that passed.
    pub busy: u64,
    /// How long the packets whose transmission has begun had waited, in nanoseconds.
    pub waited: u128,
    /// Packets that waited times how long they did, in packet nanoseconds: of every wait only what lies within the counting.
    pub backlog_time: u128,
    /// Most packets waiting at once.
    pub max_backlog: u64,
}

/// The books of packets that wait in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Packets waiting, and the sum of the instants at which they came, in nanoseconds.
    count: u64,
    since: u128,
    /// How long those that left since the last reset had waited.
    waited: u128,
    /// How long those that waited at the last reset had waited by then, less what those waited that a discipline dropped since.
    before: i128,
    longest: u64,
}

impl Line {
    /// A packet comes.
    #[inline]
    pub fn join(&mut self, now: Time) {
        self.count += 1;
        self.since += u128::from(now.as_nanos());
        self.longest = self.longest.max(self.count);
    }

    /// A packet that came at `since` leaves.
    #[inline]
    pub fn leave(&mut self, since: Time, now: Time) {
        self.count -= 1;
        self.since -= u128::from(since.as_nanos());
        self.waited += u128::from(now.since(since).as_nanos());
    }

    /// A packet that came at `since` is dropped: that it waited counts, but not for those that are sent.
    #[inline]
    pub fn drop(&mut self, since: Time, now: Time) {
        self.count -= 1;
        self.since -= u128::from(since.as_nanos());
        self.before -= i128::from(now.since(since).as_nanos());
    }

    /// How long those who wait have waited, added up.
    fn waiting(&self, now: Time) -> u128 {
        (u128::from(self.count) * u128::from(now.as_nanos())).saturating_sub(self.since)
    }

    /// Counts from now on.
    pub fn reset(&mut self, now: Time) {
        *self = Self { waited: 0, before: self.waiting(now) as i128, longest: self.count, ..*self };
    }

    /// `counts` with what is known of waiting until `now`.
    pub fn show(&self, now: Time, counts: Counts) -> Counts {
        let backlog_time = (self.waited + self.waiting(now)).saturating_add_signed(-self.before);
        Counts { waited: self.waited, backlog_time, max_backlog: self.longest, ..counts }
    }
}

/// What can be seen of a port from outside: by whoever records it, and by nodes and laws that look across layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Packets waiting.
    pub backlog: usize,
    /// How long one that comes now would wait; in a medium, as it reckons.
    pub queue_delay: Duration,
    /// Bits a second at which the port sends, or would.
    pub rate: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// From 0 and 10 to 30 and 60, counted from 20 to 50: two for 10 ns, then one for 20 ns.
    #[test]
    fn only_the_waiting_within_the_counting_counts() {
        let mut line = Line::default();
        line.join(at(0));
        line.join(at(10));
        line.reset(at(20));
        line.leave(at(0), at(30));
        let counts = line.show(at(50), Counts::default());
        assert_eq!((counts.waited, counts.backlog_time, counts.max_backlog), (30, 40, 2));
        line.reset(at(50));
        line.leave(at(10), at(60));
        let counts = line.show(at(70), Counts::default());
        assert_eq!((counts.waited, counts.backlog_time, counts.max_backlog), (50, 10, 1));
    }

    /// Of two that come at 0 one is dropped at 30 and one sent at 40: counted from 10, they waited for 20 and 30 ns.
    #[test]
    fn what_is_dropped_has_waited_too() {
        let mut line = Line::default();
        line.join(at(0));
        line.join(at(0));
        line.reset(at(10));
        line.drop(at(0), at(30));
        line.leave(at(0), at(40));
        let counts = line.show(at(50), Counts::default());
        assert_eq!((counts.waited, counts.backlog_time), (40, 50));
    }
}
