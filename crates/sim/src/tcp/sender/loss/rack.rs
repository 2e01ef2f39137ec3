//! RACK: loss detection by time of transmission (RFC 8985), as in Linux.
//!
//! A segment is lost when one that was sent later has been delivered, and the round-trip time of that one plus a
//! reordering window has elapsed since. The names in capitals are the RFC's.

use windward_units::Duration;

/// RACK.reo_wnd grows for this many recoveries after a duplicate was reported (RFC 8985 §6.2 step 4).
const PERSIST: u32 = 16;
/// Maximum number of reordering steps, each a quarter of the minimum RTT (Linux counts them in eight bits).
const MOST_STEPS: u32 = 255;
/// Duplicates that indicate a loss as long as no reordering was seen (RFC 8985 §6.2 step 4: DupThresh).
const DUP_THRESH: u32 = 3;
/// Maximum reordering distance in segments (Linux: `tcp_max_reordering`).
const MOST_REORDERING: u32 = 300;

/// State of RACK.
#[derive(Clone, Debug)]
pub struct Rack {
    /// RACK.xmit_ts: time of transmission of the delivered segment that was sent last.
    pub sent_at: u64,
    /// Number of that segment, for RACK.end_seq.
    pub number: u32,
    /// RACK.rtt.
    rtt: u64,
    /// RACK.min_RTT, the minimum over the whole connection.
    min_rtt: u64,
    /// True if segments were delivered since the last search for losses.
    pub has_advanced: bool,
    /// Largest reordering distance in segments; at least DupThresh (Linux: `reordering`).
    reordering: u32,
    /// Number of reordering events: RACK.reordering_seen.
    seen: u32,
    /// RACK.reo_wnd_mult.
    steps: u32,
    /// RACK.reo_wnd_persist.
    persist: u32,
    /// True if a duplicate was reported that may be due to reordering.
    is_duplicated: bool,
    /// Segments delivered when the reordering window last grew (RACK.dsack_round).
    grew_at: u32,
}

impl Rack {
    /// Creates the initial state.
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

    /// §6.2 step 1: takes a round-trip sample.
    #[inline]
    pub fn sample(&mut self, rtt: Duration) {
        self.min_rtt = self.min_rtt.min(rtt.as_nanos());
    }

    /// Latest sending time of a retransmission that can have arrived by `now`. If it was sent later, the original
    /// arrived.
    #[inline]
    pub fn latest_repeat(&self, now: u64) -> u64 {
        now.saturating_sub(if self.min_rtt == u64::MAX { 0 } else { self.min_rtt })
    }

    /// §6.2 step 2: among the segments delivered now, `(sent_at, number)` was sent last. RACK.rtt is the RTT of the
    /// last one processed: the segment with the highest number, sent at `highest`, which may be another one.
    #[inline]
    pub fn advance(&mut self, now: u64, (sent_at, number): (u64, u32), highest: u64) {
        self.rtt = now - highest;
        self.has_advanced = true;
        if (sent_at, number) > (self.sent_at, self.number) {
            (self.sent_at, self.number) = (sent_at, number);
        }
    }

    /// True if a segment was sent before the delivered segment that was sent last.
    #[inline]
    pub fn is_overtaken(&self, sent_at: u64, number: u32) -> bool {
        (sent_at, number) < (self.sent_at, self.number)
    }

    /// §6.2 step 3: a segment that was sent once is delivered after others `distance` segments above it.
    #[cold]
    pub fn note_reordering(&mut self, distance: u32) {
        self.reordering = self.reordering.max(distance).min(MOST_REORDERING);
        self.seen += 1;
    }

    /// True if reordering beyond the duplicate threshold was seen.
    #[inline]
    pub fn is_far(&self) -> bool {
        self.reordering > DUP_THRESH
    }

    /// Largest reordering distance in segments; at least DupThresh.
    pub fn reordering(&self) -> u32 {
        self.reordering
    }

    /// Number of reordering events.
    pub fn reorderings(&self) -> u32 {
        self.seen
    }

    /// Records a reported duplicate of a segment that RACK retransmitted.
    #[cold]
    pub fn note_duplicate(&mut self) {
        // Without reordering, a small window was not the cause.
        self.is_duplicated |= self.seen > 0;
    }

    /// §6.2 step 4: adapts the window once per round trip, on the ACK of a segment sent when `delivered_then` segments
    /// were delivered; the count is now `delivered`.
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

    /// Counts a recovery that ended, either undone by reported duplicates (`is_undone`) or not undone at all.
    pub fn count_recovery(&mut self, is_undone: bool) {
        self.persist = if is_undone { (self.persist + 1).min(PERSIST) } else { self.persist.saturating_sub(1) };
    }

    /// §6.2 step 4: RACK.reo_wnd in nanoseconds, with `sacked` segments SACKed.
    pub fn reordering_window(&self, is_recovering: bool, sacked: u32, srtt: Duration) -> u64 {
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

    /// §6.2 step 4: a quarter of the minimum RTT, unless no reordering was ever seen and either three segments are
    /// SACKed or losses are being repaired.
    #[test]
    fn without_reordering_three_duplicates_are_enough() {
        let mut rack = rack();
        assert_eq!([0, 2, 3].map(|sacked| rack.reordering_window(false, sacked, SRTT)), [20 * MS, 20 * MS, 0]);
        assert_eq!(rack.reordering_window(true, 0, SRTT), 0);
        rack.note_reordering(2);
        assert_eq!([rack.reordering_window(false, 3, SRTT), rack.reordering_window(true, 3, SRTT)], [20 * MS, 20 * MS]);
    }

    /// §6.2 step 4: one step for each round trip with a duplicate, up to the smoothed RTT; back to one step after 16
    /// recoveries.
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
        // The second duplicate came within the round trip of the first.
        assert_eq!((rack.steps, rack.reordering_window(false, 0, SRTT)), (3, 60 * MS));
        for _ in 0..9 {
            rack.note_duplicate();
            rack.adapt(rack.grew_at, rack.grew_at + 1);
        }
        assert_eq!(rack.reordering_window(false, 0, SRTT), 100 * MS);
        for _ in 0..15 {
            rack.count_recovery(false);
            rack.adapt(90, 91);
        }
        assert_eq!(rack.steps, 12);
        rack.count_recovery(false);
        rack.adapt(90, 91);
        assert_eq!(rack.steps, 1);
    }

    /// §6.2 step 2: order by time of transmission, then by number.
    #[test]
    fn the_last_sent_counts() {
        let mut rack = rack();
        rack.advance(100, (40, 7), 40);
        rack.advance(110, (30, 9), 30);
        assert_eq!((rack.sent_at, rack.number, rack.rtt()), (40, 7, 80));
        assert_eq!([(40, 6), (40, 7), (39, 9)].map(|(at, number)| rack.is_overtaken(at, number)), [true, false, true]);
    }
}
