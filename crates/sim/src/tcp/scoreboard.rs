//! What became of every segment in flight: RFC 6675's scoreboard, kept so that each segment is looked at once.
//!
//! The counts make RFC 6675's `pipe` a subtraction; the ranges of SACKed segments find the news in an ACK without a
//! scan. Without SACK, duplicates are counted as if each had SACKed one segment (RFC 6582 §3.2's inflation, seen
//! from the other side).

#[cfg(test)]
mod tests;

use super::order::SendOrder;
use super::ranges::Ranges;
use crate::packet::Range;

/// Duplicates after which a segment counts as lost (RFC 5681 §3.2).
pub const DUP_THRESH: u32 = 3;

const SACKED: u8 = 1;
const LOST: u8 = 2;
/// Sent again and, as far as is known, on its way.
const RETRANSMITTED: u8 = 4;
/// Sent more than once: Karn's rule forbids its sample.
const AGAIN: u8 = 8;

/// A segment in flight: what the sender knew when it sent it last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// When it was sent, in nanoseconds.
    pub sent_at: u64,
    /// When the packet was sent whose delivery was the latest known then (delivery rate estimation).
    pub first_sent_at: u64,
    /// When the sender last learned of a delivery before sending it.
    pub delivered_at: u64,
    /// Segments delivered by then.
    pub delivered: u32,
    /// Segments found lost by then.
    pub lost: u32,
    /// Segments in flight, this one included.
    pub flight: u32,
    /// The sender had no more data.
    pub is_app_limited: bool,
    /// The sender had no more data, or the receiver no room for it, while the window let more out.
    pub is_unused: bool,
    /// Kept by the scoreboard.
    pub(super) flags: u8,
}

/// What one ACK delivered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// Segments reported for the first time.
    pub count: u32,
    /// Of those, the one sent last.
    pub newest: Option<Segment>,
    /// When the oldest of those that were sent only once was sent.
    pub oldest_clean: Option<u64>,
    /// When the newest of those that were sent only once was sent.
    pub newest_clean: Option<u64>,
    /// The lowest number of those that were sent only once.
    pub lowest_clean: Option<u32>,
    /// What was acknowledged held a segment sent more than once.
    pub has_repeated: bool,
    /// A segment that was sent again after this, in nanoseconds, is not what arrived.
    pub repeats_until: u64,
    /// When the one sent last was sent, without such segments, and its number.
    pub latest: Option<(u64, u32)>,
    /// When the highest of them was sent.
    pub highest: Option<(u32, u64)>,
}

/// All segments between the cumulative ACK and the newest sent.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    una: u32,
    next: u32,
    sacked: u32,
    lost: u32,
    retransmitted: u32,
    ring: Vec<Segment>,
    /// Those neither SACKed nor waiting for retransmission, where losses are found by time.
    order: SendOrder,
    ranges: Ranges,
    /// All unSACKed segments below are marked lost, where losses are found by counting.
    lost_below: u32,
    /// Segments that were marked lost, some of which may have been sent again or delivered since.
    waiting: Ranges,
}

impl Scoreboard {
    /// Nothing sent; room for `capacity` segments before the ring grows. `is_by_time` where losses are found by the time of
    /// sending.
    pub fn new(capacity: usize, is_by_time: bool) -> Self {
        let capacity = capacity.next_power_of_two();
        Self {
            una: 0,
            next: 0,
            sacked: 0,
            lost: 0,
            retransmitted: 0,
            ring: vec![Segment::default(); capacity],
            order: if is_by_time { SendOrder::new(capacity) } else { SendOrder::off() },
            ranges: Ranges::default(),
            lost_below: 0,
            waiting: Ranges::default(),
        }
    }

    /// The same board, of a flow whose segments below `number` are all acknowledged.
    pub fn starting_at(mut self, number: u32) -> Self {
        debug_assert!(self.outstanding() == 0, "nothing has been sent");
        (self.una, self.next, self.lost_below) = (number, number, number);
        self
    }

    /// The first segment not acknowledged.
    #[inline]
    pub fn una(&self) -> u32 {
        self.una
    }

    /// The next new segment.
    #[inline]
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Segments sent and not cumulatively acknowledged.
    #[inline]
    pub fn outstanding(&self) -> u32 {
        self.next - self.una
    }

    /// Segments SACKed, or counted by duplicates.
    #[inline]
    pub fn sacked(&self) -> u32 {
        self.sacked
    }

    /// Segments believed to be on their way: RFC 6675's `pipe`.
    #[inline]
    pub fn pipe(&self) -> u32 {
        (self.outstanding() + self.retransmitted).saturating_sub(self.sacked + self.lost)
    }

    /// Segments marked lost and not delivered since.
    #[inline]
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// Segments sent again of which nothing more is known.
    #[inline]
    pub fn retransmitted(&self) -> u32 {
        self.retransmitted
    }

    /// Whether nothing is known to be out of order, lost or sent again.
    #[inline]
    pub fn is_calm(&self) -> bool {
        (self.sacked, self.lost, self.retransmitted) == (0, 0, 0)
    }

    /// One past the highest SACKed segment, or the first not acknowledged.
    #[inline]
    pub fn fack(&self) -> u32 {
        self.ranges.end().max(self.una)
    }

    /// Whether a segment in flight was sent more than once.
    pub fn is_repeated(&self, number: u32) -> bool {
        (self.una..self.next).contains(&number) && self.at(number).flags & AGAIN != 0
    }

    /// Whether a segment is, as far as is known, on its way.
    pub fn is_under_way(&self, number: u32) -> bool {
        (self.una..self.next).contains(&number) && self.at(number).flags & (SACKED | LOST) == 0
    }

    /// When the first segment not acknowledged was sent last, in nanoseconds.
    #[inline]
    pub fn head_sent_at(&self) -> u64 {
        self.at(self.una).sent_at
    }

    /// Whether the first unacknowledged segment is marked lost.
    #[inline]
    pub fn is_first_lost(&self) -> bool {
        self.lost > 0 && self.una < self.next && self.at(self.una).flags & LOST != 0
    }

    #[inline]
    fn slot(&self, number: u32) -> usize {
        number as usize & (self.ring.len() - 1)
    }

    #[inline]
    fn at(&self, number: u32) -> &Segment {
        &self.ring[self.slot(number)]
    }

    #[inline]
    fn at_mut(&mut self, number: u32) -> &mut Segment {
        let slot = self.slot(number);
        &mut self.ring[slot]
    }

    /// Records a new segment.
    #[inline]
    pub fn send(&mut self, segment: Segment) {
        if self.outstanding() as usize == self.ring.len() {
            self.grow();
        }
        *self.at_mut(self.next) = segment;
        if self.order.is_on() {
            self.order.append(self.next);
        }
        self.next += 1;
    }

    /// Records that `number`, which [`Self::next_lost`] or [`Self::next_unsure`] named, is sent again.
    pub fn resend(&mut self, number: u32, segment: Segment) {
        let slot = self.at_mut(number);
        let flags = slot.flags;
        *slot = Segment { flags: flags | RETRANSMITTED | AGAIN, ..segment };
        if flags & RETRANSMITTED == 0 {
            self.retransmitted += 1;
        }
        self.put_last(number);
    }

    /// Records that `number`, which may well be on its way, is sent again as a probe: it counts as one segment in flight.
    pub fn probe(&mut self, number: u32, segment: Segment) {
        let slot = self.at_mut(number);
        *slot = Segment { flags: slot.flags | AGAIN, ..segment };
        self.put_last(number);
    }

    fn put_last(&mut self, number: u32) {
        if self.order.is_on() {
            self.order.remove(number);
            self.order.append(number);
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mut ring = vec![Segment::default(); self.ring.len() * 2];
        for number in self.una..self.next {
            ring[number as usize & (self.ring.len() * 2 - 1)] = *self.at(number);
        }
        self.ring = ring;
        if self.order.is_on() {
            self.order.grow(self.ring.len());
        }
    }

    /// Takes `number` as delivered, if that is news.
    #[inline]
    fn deliver(&mut self, number: u32, delivery: &mut Delivery) {
        let segment = *self.at(number);
        if segment.flags & LOST != 0 {
            self.lost -= 1;
        }
        if segment.flags & RETRANSMITTED != 0 {
            self.retransmitted -= 1;
        }
        delivery.count += 1;
        if delivery.newest.is_none_or(|newest| newest.sent_at <= segment.sent_at) {
            delivery.newest = Some(segment);
        }
        if segment.flags & AGAIN == 0 {
            delivery.oldest_clean.get_or_insert(segment.sent_at);
            delivery.newest_clean = Some(segment.sent_at);
        }
        if self.order.is_on() {
            self.deliver_by_time(number, &segment, delivery);
        }
    }

    fn deliver_by_time(&mut self, number: u32, segment: &Segment, delivery: &mut Delivery) {
        self.order.remove(number);
        let is_clean = segment.flags & AGAIN == 0;
        if is_clean {
            delivery.lowest_clean = Some(delivery.lowest_clean.map_or(number, |lowest| lowest.min(number)));
        }
        if is_clean || segment.sent_at <= delivery.repeats_until {
            delivery.latest = delivery.latest.max(Some((segment.sent_at, number)));
            delivery.highest = delivery.highest.max(Some((number, segment.sent_at)));
        }
    }

    /// The cumulative ACK moves to `to`, which is above [`Self::una`] and at most [`Self::next`].
    #[inline]
    pub fn acknowledge(&mut self, to: u32, delivery: &mut Delivery) {
        for number in self.una..to {
            let flags = self.at(number).flags;
            delivery.has_repeated |= flags & AGAIN != 0;
            if flags & SACKED == 0 {
                self.deliver(number, delivery);
            } else {
                self.sacked -= 1;
            }
        }
        // What arrived before a repetition has waited for it, as what is acknowledged again after a lost ACK: neither tells the round
        // trip (Karn's rule; Linux has it so).
        if delivery.has_repeated {
            (delivery.oldest_clean, delivery.newest_clean) = (None, None);
        }
        self.una = to;
        if !self.ranges.is_empty() {
            self.ranges.remove_below(to);
        }
        if !self.waiting.is_empty() {
            self.waiting.remove_below(to);
        }
        self.lost_below = self.lost_below.max(to);
    }

    /// The receiver has `block`.
    pub fn sack(&mut self, block: Range, delivery: &mut Delivery) {
        let block = (block.0.max(self.una), block.1.min(self.next));
        if block.0 >= block.1 {
            return;
        }
        let mut ranges = std::mem::take(&mut self.ranges);
        ranges.insert(block, |(from, to)| {
            for number in from..to {
                self.deliver(number, delivery);
                let segment = self.at_mut(number);
                segment.flags = SACKED | segment.flags & AGAIN;
            }
            self.sacked += to - from;
        });
        self.ranges = ranges;
    }

    /// A duplicate ACK without SACK: one more segment has arrived, nobody knows which.
    pub fn duplicate(&mut self, delivery: &mut Delivery) {
        // At least the first segment is missing.
        if self.sacked + 1 < self.outstanding() {
            self.sacked += 1;
            delivery.count += 1;
        }
    }

    /// The cumulative ACK moves to `to` on a connection without SACK: the duplicates counted for the segments it
    /// covers are no news.
    pub fn acknowledge_counting(&mut self, to: u32, is_partial: bool, delivery: &mut Delivery) {
        let counted = self.sacked;
        let covered = to - self.una;
        // The first of the covered segments was missing; the others may have been counted.
        let known = counted.min(covered - 1);
        self.acknowledge(to, delivery);
        delivery.count -= known.min(delivery.count);
        // Outside recovery an advance starts the count anew (RFC 5681 §3.2).
        self.sacked = if is_partial { counted - known } else { 0 };
        self.sacked = self.sacked.min(self.outstanding().saturating_sub(1));
    }

    /// Marks lost what RFC 6675 §4 `IsLost` calls so: unSACKed segments with [`DUP_THRESH`] SACKed ones above.
    /// Returns how many.
    pub fn mark_lost(&mut self) -> u32 {
        if self.sacked < DUP_THRESH {
            return 0;
        }
        // The third-largest SACKed number: below it, every hole has three SACKed segments above.
        let mut missing = DUP_THRESH;
        let mut bound = self.una;
        for (from, to) in self.ranges.descending() {
            if to - from >= missing {
                bound = to - missing;
                break;
            }
            missing -= to - from;
        }
        let mut found = 0;
        for number in self.lost_below.max(self.una)..bound {
            found += self.mark(number);
        }
        self.lost_below = self.lost_below.max(bound);
        found
    }

    /// Marks the first unacknowledged segment lost, on a connection without SACK.
    pub fn mark_first_lost(&mut self) -> u32 {
        if self.una < self.next { self.mark(self.una) } else { 0 }
    }

    fn mark(&mut self, number: u32) -> u32 {
        let segment = self.at_mut(number);
        if segment.flags & (SACKED | LOST) != 0 {
            return 0;
        }
        segment.flags |= LOST;
        self.lost += 1;
        self.waiting.insert((number, number + 1), |_| ());
        1
    }

    /// After a timeout all that is not SACKed counts as lost (RFC 6675 §5.1), retransmissions included.
    pub fn mark_all_lost(&mut self, keeps_sacked: bool) -> u32 {
        if !keeps_sacked {
            self.sacked = 0;
        }
        let mut found = 0;
        for number in self.una..self.next {
            let segment = self.at_mut(number);
            if segment.flags & RETRANSMITTED != 0 {
                segment.flags &= !RETRANSMITTED;
                self.waiting.insert((number, number + 1), |_| ());
            }
            found += self.mark(number);
        }
        self.retransmitted = 0;
        self.lost_below = self.next;
        found
    }

    /// RFC 8985 §6.2 step 5: marks lost what was sent `span` ago or longer, in nanoseconds, of those segments of which
    /// `is_overtaken` holds, repetitions included. Returns how many, and when the last of the others was sent.
    pub fn mark_overtaken(
        &mut self,
        now: u64,
        span: u64,
        is_overtaken: impl Fn(u64, u32) -> bool,
    ) -> (u32, Option<u64>) {
        let mut found = 0;
        while let Some(number) = self.order.first()
            && self.at(number).sent_at + span <= now
            && is_overtaken(self.at(number).sent_at, number)
        {
            self.mark_by_time(number);
            found += 1;
        }
        let Self { order, ring, .. } = self;
        let sent_at = |number: u32| ring[number as usize & (ring.len() - 1)].sent_at;
        let last = order.overtaken(|number| is_overtaken(sent_at(number), number));
        (found, last.map(sent_at))
    }

    /// A timeout, where losses are found by time: the first segment is lost, and what was sent no later than `until`, in
    /// nanoseconds.
    pub fn mark_timed_out(&mut self, until: u64) -> u32 {
        let mut found = 0;
        for number in self.una..self.next {
            let Segment { flags, sent_at, .. } = *self.at(number);
            let is_waiting = flags & (LOST | RETRANSMITTED) == LOST;
            if flags & SACKED == 0 && !is_waiting && (number == self.una || sent_at <= until) {
                self.mark_by_time(number);
                found += 1;
            }
        }
        found
    }

    /// Marks lost a segment that neither is SACKed nor waits.
    fn mark_by_time(&mut self, number: u32) {
        self.order.remove(number);
        let segment = self.at_mut(number);
        let flags = segment.flags;
        segment.flags = (flags | LOST) & !RETRANSMITTED;
        self.retransmitted -= u32::from(flags & RETRANSMITTED != 0);
        self.lost += u32::from(flags & LOST == 0);
        self.waiting.insert((number, number + 1), |_| ());
    }

    /// The timeout was spurious: nothing is known to be lost.
    pub fn unmark_lost(&mut self) {
        for number in self.una..self.next {
            let segment = self.at_mut(number);
            segment.flags &= !(LOST | RETRANSMITTED);
        }
        (self.lost, self.retransmitted) = (0, 0);
        self.lost_below = self.una;
        self.waiting.remove_below(self.next);
        if self.order.is_on() {
            let mut sent: Vec<(u64, u32)> = (self.una..self.next)
                .filter(|&number| self.at(number).flags & SACKED == 0)
                .map(|number| (self.at(number).sent_at, number))
                .collect();
            sent.sort_unstable();
            self.order.refill(sent.into_iter().map(|(_, number)| number));
        }
    }

    /// The first lost segment that waits for retransmission: RFC 6675 §4 NextSeg, rule 1.
    #[inline]
    pub fn next_lost(&mut self) -> Option<u32> {
        if self.lost == 0 {
            return None;
        }
        while let Some(number) = self.waiting.first() {
            if self.at(number).flags & (LOST | RETRANSMITTED) == LOST {
                return Some(number);
            }
            self.waiting.remove_below(number + 1);
        }
        None
    }

    /// The first segment below the highest SACKed one that is neither SACKed, nor lost, nor sent again: NextSeg,
    /// rule 3.
    pub fn next_unsure(&self) -> Option<u32> {
        let bound = self.ranges.end();
        (self.lost_below.max(self.una)..bound).find(|&n| self.at(n).flags & (SACKED | LOST | RETRANSMITTED) == 0)
    }

    /// The newest segment, where it is not SACKed: NextSeg, rule 4.
    pub fn rescue(&self) -> Option<u32> {
        let newest = self.next.checked_sub(1)?;
        (newest >= self.una && self.at(newest).flags & (SACKED | RETRANSMITTED) == 0).then_some(newest)
    }
}
