//! RFC 6675's scoreboard: the state of every segment in flight, arranged so that each segment is examined once.
//!
//! Counters reduce RFC 6675's `pipe` to a subtraction. The ranges of SACKed segments yield the news in an ACK without a
//! scan. Without SACK, each duplicate counts as if it had SACKed one segment (equivalent to the inflation of RFC 6582
//! §3.2).

mod send_order;
#[cfg(test)]
mod tests;

use crate::tcp::ranges::Ranges;
use send_order::SendOrder;
use windward_elements::packet::Range;

/// Duplicates after which a segment counts as lost (RFC 5681 §3.2).
pub const DUP_THRESH: u32 = 3;

/// Segments for which a board keeps room.
const LEAST_ROOM: usize = 16;

const SACKED: u8 = 1;
const LOST: u8 = 2;
/// Retransmitted and, as far as is known, in flight.
const RETRANSMITTED: u8 = 4;
/// Sent more than once: Karn's rule excludes its RTT sample.
const AGAIN: u8 = 8;

/// A segment in flight, with the sender's state when it was last sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// Time of the last transmission, in nanoseconds.
    pub sent_at: u64,
    /// Time of transmission of the packet with the latest delivery known then (delivery rate estimation).
    pub first_sent_at: u64,
    /// Time of the latest delivery known then.
    pub delivered_at: u64,
    /// Segments delivered by then.
    pub delivered: u32,
    /// Segments found lost by then.
    pub lost: u32,
    /// Segments in flight, this one included.
    pub flight: u32,
    /// True if the sender had no more data.
    pub is_app_limited: bool,
    /// State flags of the scoreboard.
    pub(super) flags: u8,
}

/// Segments delivered by one ACK.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// Number of segments reported for the first time.
    pub count: u32,
    /// The one of these that was sent last.
    pub newest: Option<Segment>,
    /// Time of transmission of the oldest segment that was sent only once.
    pub oldest_clean: Option<u64>,
    /// Time of transmission of the newest segment that was sent only once.
    pub newest_clean: Option<u64>,
    /// Lowest number of a segment that was sent only once.
    pub lowest_clean: Option<u32>,
    /// True if the cumulative ACK covered a segment that was sent more than once.
    pub has_repeated: bool,
    /// Time in nanoseconds. A segment that was retransmitted later is not the one that arrived.
    pub repeats_until: u64,
    /// Time of transmission and number of the segment sent last, later retransmissions excluded.
    pub latest: Option<(u64, u32)>,
    /// Number and time of transmission of the highest segment delivered.
    pub highest: Option<(u32, u64)>,
}

/// All segments between the cumulative ACK and the newest transmission.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    una: u32,
    next: u32,
    sacked: u32,
    lost: u32,
    retransmitted: u32,
    ring: Vec<Segment>,
    /// Segments neither SACKed nor waiting for retransmission, if losses are detected by time.
    order: SendOrder,
    ranges: Ranges,
    /// Limit below which all unSACKed segments are marked lost, if losses are detected by counting.
    lost_below: u32,
    /// Segments that were marked lost; some may have been retransmitted or delivered since.
    waiting: Ranges,
}

impl Scoreboard {
    /// An empty board with room for `capacity` segments before the ring grows. `is_by_time` enables loss detection by
    /// time of transmission.
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

    /// Takes out the storage of the board as an empty one.
    pub fn take_storage(&mut self) -> Self {
        Self {
            una: 0,
            next: 0,
            sacked: 0,
            lost: 0,
            retransmitted: 0,
            // A segment is written whole when it is sent.
            ring: std::mem::take(&mut self.ring),
            order: self.order.take_storage(),
            ranges: self.ranges.take_storage(),
            lost_below: 0,
            waiting: self.waiting.take_storage(),
        }
    }

    /// Returns the board for a flow whose segments below `number` are all acknowledged.
    pub fn starting_at(mut self, number: u32) -> Self {
        debug_assert!(self.outstanding() == 0, "nothing has been sent");
        (self.una, self.next, self.lost_below) = (number, number, number);
        self
    }

    /// First unacknowledged segment.
    #[inline]
    pub fn una(&self) -> u32 {
        self.una
    }

    /// Next new segment.
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

    /// Segments estimated to be in flight: RFC 6675's `pipe`.
    #[inline]
    pub fn pipe(&self) -> u32 {
        (self.outstanding() + self.retransmitted).saturating_sub(self.sacked + self.lost)
    }

    /// Segments marked lost and not delivered since.
    #[inline]
    pub fn lost(&self) -> u32 {
        self.lost
    }

    /// Retransmitted segments whose fate is unknown.
    #[inline]
    pub fn retransmitted(&self) -> u32 {
        self.retransmitted
    }

    /// True if no segment is known to be out of order, lost or retransmitted.
    #[inline]
    pub fn is_calm(&self) -> bool {
        (self.sacked, self.lost, self.retransmitted) == (0, 0, 0)
    }

    /// One past the highest SACKed segment, or the first unacknowledged one.
    #[inline]
    pub fn fack(&self) -> u32 {
        self.ranges.end().max(self.una)
    }

    /// True if a segment in flight was sent more than once.
    pub fn is_repeated(&self, number: u32) -> bool {
        (self.una..self.next).contains(&number) && self.at(number).flags & AGAIN != 0
    }

    /// True if a segment is, as far as is known, in flight.
    pub fn is_under_way(&self, number: u32) -> bool {
        (self.una..self.next).contains(&number) && self.at(number).flags & (SACKED | LOST) == 0
    }

    /// Time in nanoseconds at which the first unacknowledged segment was last sent.
    #[inline]
    pub fn head_sent_at(&self) -> u64 {
        self.at(self.una).sent_at
    }

    /// True if the first unacknowledged segment is marked lost.
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

    /// Records the transmission of a new segment.
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

    /// Records the retransmission of `number`, which [`Self::next_lost`] or [`Self::next_unsure`] returned.
    pub fn resend(&mut self, number: u32, segment: Segment) {
        let slot = self.at_mut(number);
        let flags = slot.flags;
        *slot = Segment { flags: flags | RETRANSMITTED | AGAIN, ..segment };
        if flags & RETRANSMITTED == 0 {
            self.retransmitted += 1;
        }
        self.put_last(number);
    }

    /// Records the retransmission of `number` as a probe. The original may well be in flight: both count as one
    /// segment.
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

    fn grow(&mut self) {
        self.resize(self.ring.len() * 2);
    }

    /// Gives back most of the memory if little of it is used.
    pub fn tidy(&mut self) {
        let used = self.outstanding() as usize;
        if self.ring.len() > LEAST_ROOM && 4 * used <= self.ring.len() {
            self.resize((2 * used).next_power_of_two().max(LEAST_ROOM));
        }
    }

    /// Moves the segments in flight to a ring for `capacity`, a power of two.
    #[cold]
    fn resize(&mut self, capacity: usize) {
        let mut ring = vec![Segment::default(); capacity];
        for number in self.una..self.next {
            ring[number as usize & (capacity - 1)] = *self.at(number);
        }
        self.ring = ring;
        if self.order.is_on() {
            self.order.resize(capacity);
        }
    }

    /// Marks `number` delivered, if it was not before.
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
        // RFC 8985 §6.2 step 2: a retransmission sent less than the least round trip ago has not arrived; the ACK is of
        // the original.
        if is_clean || segment.sent_at <= delivery.repeats_until {
            delivery.latest = delivery.latest.max(Some((segment.sent_at, number)));
            delivery.highest = delivery.highest.max(Some((number, segment.sent_at)));
        }
    }

    /// Advances the cumulative ACK to `to`, which is above [`Self::una`] and at most [`Self::next`].
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
        // Segments that arrived before a retransmission have waited for it, and so have those that are acknowledged
        // again after a lost ACK. Neither gives an RTT sample (Karn's rule, as in Linux).
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

    /// Records that the receiver has `block`.
    pub fn sack(&mut self, block: Range, delivery: &mut Delivery) {
        let block = (block.0.max(self.una), block.1.min(self.next));
        // Below the cumulative ACK: a late or duplicate report.
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

    /// Handles a duplicate ACK without SACK: one more segment has arrived, but its number is unknown.
    pub fn duplicate(&mut self, delivery: &mut Delivery) {
        // At least the first segment is missing.
        if self.sacked + 1 < self.outstanding() {
            self.sacked += 1;
            delivery.count += 1;
        }
    }

    /// Advances the cumulative ACK to `to` on a connection without SACK. Duplicates already counted for the segments
    /// that it covers are not counted again.
    pub fn acknowledge_counting(&mut self, to: u32, is_partial: bool, delivery: &mut Delivery) {
        let counted = self.sacked;
        let covered = to - self.una;
        // The first covered segment was missing; the others may have been counted.
        let known = counted.min(covered - 1);
        self.acknowledge(to, delivery);
        delivery.count -= known.min(delivery.count);
        // Outside recovery an advance restarts the count (RFC 5681 §3.2).
        self.sacked = if is_partial { counted - known } else { 0 };
        self.sacked = self.sacked.min(self.outstanding().saturating_sub(1));
    }

    /// Marks segments lost by RFC 6675 §4 `IsLost`: unSACKed segments with [`DUP_THRESH`] SACKed ones above. Returns
    /// their number.
    pub fn mark_lost(&mut self) -> u32 {
        if self.sacked < DUP_THRESH {
            return 0;
        }
        // Third-highest SACKed number: each hole below it has three SACKed segments above.
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

    /// Marks all unSACKed segments lost after a timeout (RFC 6675 §5.1), retransmissions included.
    pub fn mark_all_lost(&mut self, keeps_sacked: bool) -> u32 {
        // Duplicates do not say which segments arrived: all go out again.
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

    /// RFC 8985 §6.2 step 5: marks segments lost that were sent at least `span` nanoseconds ago and for which
    /// `is_overtaken` holds, retransmissions included. Returns their number, and the time of transmission of the last
    /// overtaken segment that is not lost yet.
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

    /// Handles a timeout with loss detection by time: marks the first segment lost, and all segments sent no later than
    /// `until`, in nanoseconds.
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

    /// Marks a segment lost that is neither SACKed nor waiting for retransmission.
    fn mark_by_time(&mut self, number: u32) {
        self.order.remove(number);
        let segment = self.at_mut(number);
        let flags = segment.flags;
        segment.flags = (flags | LOST) & !RETRANSMITTED;
        self.retransmitted -= u32::from(flags & RETRANSMITTED != 0);
        self.lost += u32::from(flags & LOST == 0);
        self.waiting.insert((number, number + 1), |_| ());
    }

    /// Clears all losses after a spurious timeout.
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

    /// First lost segment that waits for retransmission: RFC 6675 §4 NextSeg, rule 1.
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

    /// First segment below the highest SACKed one that is neither SACKed, nor lost, nor retransmitted: NextSeg, rule 3.
    pub fn next_unsure(&self) -> Option<u32> {
        let bound = self.ranges.end();
        (self.lost_below.max(self.una)..bound).find(|&n| self.at(n).flags & (SACKED | LOST | RETRANSMITTED) == 0)
    }

    /// Newest segment, if it is not SACKed: NextSeg, rule 4.
    pub fn rescue(&self) -> Option<u32> {
        let newest = self.next.checked_sub(1)?;
        (newest >= self.una && self.at(newest).flags & (SACKED | RETRANSMITTED) == 0).then_some(newest)
    }
}
