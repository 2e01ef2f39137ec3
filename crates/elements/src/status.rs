//! Counters of a port, and its visible state.

use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// Counters of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets whose transmission has started.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped by the full buffer or by the queue discipline.
    pub dropped: u64,
    /// Packets marked by the queue discipline.
    pub marked: u64,
    /// Packets lost on the wire.
    pub lost: u64,
    /// Busy time of the transmitter, in nanoseconds. On 802.11a, b and g: time for which the MAC had a packet of the
    /// link in hand, to contend for the air and to send it; on 802.11n, ac and ax: air time of the link's exchanges. On
    /// links with a recorded rate: elapsed time multiplied by the share of the opportunities' bytes that were used. In
    /// LTE and NR cells: the slots of its blocks, each multiplied by the share of resource blocks.
    pub busy: u64,
    /// Total wait of the packets whose transmission has started, in nanoseconds.
    pub waited: u128,
    /// Waiting packets integrated over time, in packet nanoseconds; only the part of each wait after the reset counts.
    pub backlog_time: u128,
    /// Most packets waiting at once.
    pub max_backlog: u64,
}

/// Counters of a link's transmitter. The other [`Counts`] are those of its queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// Packets whose transmission has started.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets lost on the wire.
    pub lost: u64,
    /// Busy time, in nanoseconds.
    pub busy: u64,
}

impl From<Sent> for Counts {
    #[inline]
    fn from(Sent { packets, bytes, lost, busy }: Sent) -> Self {
        Self { packets, bytes, lost, busy, ..Self::default() }
    }
}

/// Accounting of the packets that wait in a line, with the histogram of their waits.
#[derive(Clone, Debug, Default)]
pub struct Line {
    books: Books,
    /// Waits of the packets that left since the last reset.
    waits: Histogram,
}

impl Line {
    /// Records the arrival of a packet.
    #[inline]
    pub fn join(&mut self, now: Time) {
        self.books.join(now);
    }

    /// Records the departure of a packet that arrived at `since`.
    #[inline]
    pub fn leave(&mut self, since: Time, now: Time) {
        self.waits.record(now.since(since).as_nanos());
        self.books.leave(since, now);
    }

    /// Records the drop of a packet that arrived at `since`: its wait counts, but not among those of sent packets.
    #[inline]
    pub fn drop(&mut self, since: Time, now: Time) {
        self.books.drop(since, now);
    }

    /// Records the arrival of a packet that `offer` queues at `now`, unless `offer` returns false. The packet arrives
    /// before `offer` drops others in its place.
    #[inline]
    pub fn admit(&mut self, now: Time, offer: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.books;
        self.join(now);
        let is_taken = offer(self);
        if !is_taken {
            self.undo(before);
        }
        is_taken
    }

    /// The sums alone.
    #[inline]
    pub fn books(&self) -> Books {
        self.books
    }

    /// Undoes what happened since `books` were copied. No packet may have left meanwhile.
    #[inline]
    pub fn undo(&mut self, books: Books) {
        debug_assert_eq!(self.books.waited, books.waited, "no packet has left");
        self.books = books;
    }

    /// Waits of the packets that left since the last reset.
    #[inline]
    pub fn waits(&self) -> &Histogram {
        &self.waits
    }

    /// Starts counting from now.
    pub fn reset(&mut self, now: Time) {
        self.books.reset(now);
        self.waits.clear();
    }

    /// Completes `counts` by the waits until `now`.
    #[inline]
    pub fn show(&self, now: Time, counts: Counts) -> Counts {
        self.books.show(now, counts)
    }

    /// Waits of the packets sent since the last reset, of which there are `packets`: those that passed an
    /// empty queue never joined the line and waited for zero.
    pub fn all_waits(&self, packets: u64) -> Histogram {
        let mut waits = self.waits.clone();
        waits.record_many(0, packets.saturating_sub(waits.count()));
        waits
    }
}

/// Sums over the packets of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// Number of waiting packets, and the sum of their arrival times, in nanoseconds.
    count: u64,
    since: u128,
    /// Total wait of the packets that left since the last reset.
    waited: u128,
    /// Total wait, up to the last reset, of the packets that waited then, less that of packets that a discipline
    /// dropped since.
    before: i128,
    longest: u64,
}

impl Books {
    /// Records the arrival of a packet.
    #[inline]
    pub fn join(&mut self, now: Time) {
        self.count += 1;
        self.since += u128::from(now.as_nanos());
        self.longest = self.longest.max(self.count);
    }

    /// Records the departure of a packet that arrived at `since`.
    #[inline]
    pub fn leave(&mut self, since: Time, now: Time) {
        self.count -= 1;
        self.since -= u128::from(since.as_nanos());
        self.waited += u128::from(now.since(since).as_nanos());
    }

    /// Records the drop of a packet that arrived at `since`: its wait counts, but not among those of sent packets.
    #[inline]
    pub fn drop(&mut self, since: Time, now: Time) {
        self.count -= 1;
        self.since -= u128::from(since.as_nanos());
        self.before -= i128::from(now.since(since).as_nanos());
    }

    /// Total wait so far of the packets that are waiting.
    #[inline]
    fn waiting(&self, now: Time) -> u128 {
        (u128::from(self.count) * u128::from(now.as_nanos())).saturating_sub(self.since)
    }

    /// Starts counting from now.
    pub fn reset(&mut self, now: Time) {
        *self = Self { waited: 0, before: self.waiting(now) as i128, longest: self.count, ..*self };
    }

    /// Completes `counts` by the waits until `now`.
    #[inline]
    pub fn show(&self, now: Time, counts: Counts) -> Counts {
        let backlog_time = (self.waited + self.waiting(now)).saturating_add_signed(-self.before);
        Counts { waited: self.waited, backlog_time, max_backlog: self.longest, ..counts }
    }
}

/// Cause of a packet's loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The queue was full or its discipline dropped the packet.
    Queue,
    /// The packet was sent and lost on the way.
    Sent,
    /// The hop limit was exceeded.
    TimeToLive,
    /// A node had no route.
    NoRoute,
}

const _: () = assert!(Cause::NoRoute as usize + 1 == CAUSES);

/// Number of causes.
pub const CAUSES: usize = 4;

/// Visible state of a port: for recorders, and for nodes and laws that look across layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// Packets waiting.
    pub backlog: usize,
    /// Wait of a packet that would arrive now; an estimate in a medium.
    pub queue_delay: Duration,
    /// Rate at which the port sends, or would send, in bits per second.
    pub rate: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    /// Packets wait from 0 to 30 ns and from 10 to 60 ns, counted from 20 to 50 ns: two for 10 ns, then one for 20 ns.
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

    /// Two packets arrive at 0; one is dropped at 30 ns and one sent at 40 ns. Counted from 10 ns, they waited
    /// for 20 and 30 ns.
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
