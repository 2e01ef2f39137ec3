//! RACK: losses by the time of sending (RFC 8985), as Linux has it.
//!
//! A segment is lost when one that was sent later has been delivered and the round trip of that one, with a reordering window,
//! has passed since. The names in capitals are the RFC's.

use windward_units::Duration;

/// RACK.reo_wnd grows for this many recoveries after a duplicate was reported (RFC 8985 §6.2 step 4).
const PERSIST: u32 = 16;
/// Most steps of a quarter of the least round trip (Linux counts them in eight bits).
const MOST_STEPS: u32 = 255;
/// Duplicates that show a loss where nothing was ever reordered (RFC 8985 §6.2 step 4: DupThresh).
const DUP_THRESH: u32 = 3;
/// Most segments of reordering that are believed (Linux: `tcp_max_reordering`).
const MOST_REORDERING: u32 = 300;

/// What RACK knows.
#[derive(Clone, Debug)]
pub struct Rack {
    /// RACK.xmit_ts: when the last sent of the delivered segments was sent.
    pub sent_at: u64,
    /// Its number, for RACK.end_seq.
    pub number: u32,
    /// RACK.rtt.
    rtt: u64,
    /// RACK.min_RTT, least ever.
    min_rtt: u64,
    /// Something was delivered since losses were last looked for.
    pub has_advanced: bool,
    /// The farthest, in segments, that one was overtaken; at least DupThresh (Linux: `reordering`).
    reordering: u32,
    /// How often reordering was seen: RACK.reordering_seen.
    seen: u32,
    /// RACK.reo_wnd_mult.
    steps: u32,
    /// RACK.reo_wnd_persist.
    persist: u32,
    /// A duplicate was reported that may be due to reordering.
    is_duplicated: bool,
    /// Segments delivered when the window last grew (RACK.dsack_round).
    grew_at: u32,
}

impl Rack {
    /// Nothing known.
    pub const fn new() -> Self {
        Self {
            sent_at: 0,
            number: 0,
            rtt: 0,
            min_rtt: u64::MAX,
            has_advanced: false,
            reordering: DUP_THRESH,
            seen: 0,
            steps: 1,
            persist: 0,
            is_duplicated: false,
            grew_at: 0,
        }
    }

    /// §6.2 step 1: a round-trip sample.
    #[inline]
    pub fn sample(&mut self, rtt: Duration) {
        self.min_rtt = self.min_rtt.min(rtt.as_nanos());
    }

    /// When a repetition was sent at the latest if it is what arrived `now`, and not the original.
    #[inline]
    pub fn latest_repeat(&self, now: u64) -> u64 {
        now.saturating_sub(if self.min_rtt == u64::MAX { 0 } else { self.min_rtt })
    }

    /// §6.2 step 2: of the segments delivered now, `(sent_at, number)` was sent last. RACK.rtt is that of the one looked at last: the
    /// highest, sent at `highest`, which need not be the same.
    #[inline]
    pub fn advance(&mut self, now: u64, (sent_at, number): (u64, u32), highest: u64) {
        self.rtt = now - highest;
        self.has_advanced = true;
        if (sent_at, number) > (self.sent_at, self.number) {
            (self.sent_at, self.number) = (sent_at, number);
        }
    }

    /// Whether a segment was sent before the last of those that were delivered.
    #[inline]
    pub fn is_overtaken(&self, sent_at: u64, number: u32) -> bool {
        (sent_at, number) < (self.sent_at, self.number)
    }

    /// §6.2 step 3: a segment sent once was delivered with others above it there already, `distance` segments ahead.
    #[cold]
    pub fn note_reordering(&mut self, distance: u32) {
        self.reordering = self.reordering.max(distance).min(MOST_REORDERING);
        self.seen += 1;
    }

    /// Whether reordering was seen beyond what duplicates are counted to.
    #[inline]
    pub fn is_far(&self) -> bool {
        self.reordering > DUP_THRESH
    }

    /// The farthest, in segments, that one was overtaken; at least DupThresh.
    pub fn reordering(&self) -> u32 {
        self.reordering
    }

    /// How often it was seen.
    pub fn reorderings(&self) -> u32 {
        self.seen
    }

    /// The receiver reports a duplicate of what a loss by time repeated.
    #[cold]
    pub fn note_duplicate(&mut self) {
        // Without reordering it was not the window that was too small.
        self.is_duplicated |= self.seen > 0;
    }

    /// §6.2 step 4: adapts the window, once a round trip: an ACK of a segment that was sent when `delivered_then` were delivered,
    /// and now it is `delivered`.
    #[inline]
    pub fn adapt(&mut self, delivered_then: u32, delivered: u32) {
        if delivered_then == 0 {
            return;
        }
        if self.is_duplicated && delivered_then < self.grew_at {
            self.is_duplicated = false;
        }
        if self.is_duplicated {
            self.steps = (self.steps + 1).min(MOST_STEPS);
            self.is_duplicated = false;
            self.grew_at = delivered;
            self.persist = PERSIST;
        } else if self.persist == 0 {
            self.steps = 1;
        }
    }

    /// A recovery ended, undone by reported duplicates or not at all.
    pub fn count_recovery(&mut self, is_undone: bool) {
        self.persist = if is_undone { (self.persist + 1).min(PERSIST) } else { self.persist.saturating_sub(1) };
    }

    /// §6.2 step 4: RACK.reo_wnd, in nanoseconds, with so many segments SACKed.
    pub fn window(&self, is_recovering: bool, sacked: u32, srtt: Duration) -> u64 {
        if self.seen == 0 && (is_recovering || sacked >= self.reordering) {
            return 0;
        }
        (self.min_rtt / 4).saturating_mul(u64::from(self.steps)).min(srtt.as_nanos())
    }

    /// RACK.rtt, in nanoseconds.
    #[inline]
    pub fn rtt(&self) -> u64 {
        self.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const SRTT: Duration = Duration::from_millis(100);

    fn rack() -> Rack {
        let mut rack = Rack::new();
        rack.sample(Duration::from_millis(80));
        rack
    }

    /// §6.2 step 4: a quarter of the least round trip, unless nothing was ever reordered and either three are SACKed or losses are
    /// being repaired.
    #[test]
    fn without_reordering_three_duplicates_are_enough() {
        let mut rack = rack();
        assert_eq!([0, 2, 3].map(|sacked| rack.window(false, sacked, SRTT)), [20 * MS, 20 * MS, 0]);
        assert_eq!(rack.window(true, 0, SRTT), 0);
        rack.note_reordering(2);
        assert_eq!([rack.window(false, 3, SRTT), rack.window(true, 3, SRTT)], [20 * MS, 20 * MS]);
    }

    /// §6.2 step 4: a step for each round trip with a duplicate, at most the smoothed round trip; back to one after 16 recoveries.
    #[test]
    fn duplicates_widen_the_window_for_sixteen_recoveries() {
        let mut rack = rack();
        rack.note_duplicate();
        rack.adapt(10, 20);
        assert_eq!(rack.steps, 1, "nothing was reordered");
        rack.note_reordering(1);
        for (then, now) in [(10, 20), (15, 25), (20, 40)] {
            rack.note_duplicate();
            rack.adapt(then, now);
        }
        // The second came within the round trip of the first.
        assert_eq!((rack.steps, rack.window(false, 0, SRTT)), (3, 60 * MS));
        for _ in 0..9 {
            rack.note_duplicate();
            rack.adapt(rack.grew_at, rack.grew_at + 1);
        }
        assert_eq!(rack.window(false, 0, SRTT), 100 * MS);
        for _ in 0..15 {
            rack.count_recovery(false);
            rack.adapt(90, 91);
        }
        assert_eq!(rack.steps, 12);
        rack.count_recovery(false);
        rack.adapt(90, 91);
        assert_eq!(rack.steps, 1);
    }

    /// §6.2 step 2: by time of sending, then by number.
    #[test]
    fn the_last_sent_counts() {
        let mut rack = rack();
        rack.advance(100, (40, 7), 40);
        rack.advance(110, (30, 9), 30);
        assert_eq!((rack.sent_at, rack.number, rack.rtt()), (40, 7, 80));
        assert_eq!([(40, 6), (40, 7), (39, 9)].map(|(at, number)| rack.is_overtaken(at, number)), [true, false, true]);
    }
}
