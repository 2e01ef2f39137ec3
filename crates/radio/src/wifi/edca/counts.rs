//! Counters by queue, by rate and by size of A-MPDU.

use crate::wifi::ppdu::Mode;
use windward_elements::status::Line;
use windward_tables::Histogram;
use windward_units::{Duration, Time};

/// Counters of the packets of a link and a category.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueCounts {
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets dropped by the full buffer or by the discipline.
    pub dropped: u64,
    /// Packets marked by the discipline.
    pub marked: u64,
    /// Packets whose first transmission began.
    pub sent: u64,
    /// Packets before their first transmission.
    pub line: Line,
    /// Times from arrival to delivery in order.
    pub delays: Histogram,
}

impl QueueCounts {
    /// Starts counting from now.
    pub fn reset(&mut self, now: Time) {
        (self.arrived, self.dropped, self.marked, self.sent) = (0, 0, 0, 0);
        self.line.reset(now);
        self.delays.clear();
    }
}

/// Counters of PPDUs at one rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateCount {
    pub mode: Mode,
    /// PPDUs with data.
    pub ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// Acknowledged MPDUs.
    pub successes: u64,
    /// Air time of the PPDUs.
    pub time: Duration,
}

/// Counters of PPDUs by rate.
#[derive(Clone, Debug, Default)]
pub(super) struct RateCounts {
    all: Vec<RateCount>,
    /// Place of the rate of the last PPDU.
    last: usize,
}

impl RateCounts {
    /// Counts a PPDU of `mpdus` MPDUs.
    #[inline]
    pub fn send(&mut self, mode: Mode, mpdus: u64, time: Duration) {
        if self.all.get(self.last).is_none_or(|count| count.mode != mode) {
            self.find(mode);
        }
        let count = &mut self.all[self.last];
        count.ppdus += 1;
        count.mpdus += mpdus;
        count.time += time;
    }

    /// Counts acknowledged MPDUs of the last PPDU.
    #[inline]
    pub fn succeed(&mut self, mpdus: u64) {
        if let Some(count) = self.all.get_mut(self.last) {
            count.successes += mpdus;
        }
    }

    #[cold]
    fn find(&mut self, mode: Mode) {
        let known = self.all.iter().position(|count| count.mode == mode);
        self.last = known.unwrap_or_else(|| {
            self.all.push(RateCount { mode, ppdus: 0, mpdus: 0, successes: 0, time: Duration::ZERO });
            self.all.len() - 1
        });
    }

    /// Starts counting anew.
    pub fn reset(&mut self) {
        for count in &mut self.all {
            *count = RateCount { mode: count.mode, ppdus: 0, mpdus: 0, successes: 0, time: Duration::ZERO };
        }
    }

    /// Rates that were used, the slowest first.
    pub fn used(&self) -> Vec<RateCount> {
        let mut used: Vec<_> = self.all.iter().copied().filter(|count| count.ppdus > 0).collect();
        used.sort_by_key(|count| (count.mode.bits_per_sec(), count.mode.streams(), count.mode.mcs()));
        used
    }
}

/// Largest number of MPDUs in a PPDU.
const LARGEST: usize = 256;

/// Counters of PPDUs by the number of their MPDUs.
#[derive(Clone, Debug, Default)]
pub(super) struct SizeCounts(Vec<u64>);

impl SizeCounts {
    /// Counts a PPDU of `mpdus` MPDUs.
    #[inline]
    pub fn count(&mut self, mpdus: usize) {
        if self.0.is_empty() {
            self.0.resize(LARGEST + 1, 0);
        }
        if let Some(count) = self.0.get_mut(mpdus) {
            *count += 1;
        }
    }

    /// Starts counting anew.
    pub fn reset(&mut self) {
        self.0.fill(0);
    }

    /// Sizes that occurred, and how often.
    pub fn used(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        (0..).zip(self.0.iter().copied()).filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::ppdu::{Format, Guard, Width};

    fn mode(mcs: u8) -> Mode {
        Mode::new(Format::Vht, Width::Mhz80, 1, Guard::Ns400, mcs).expect("VHT has it")
    }

    #[test]
    fn rates_are_counted_apart_and_sorted() {
        let mut rates = RateCounts::default();
        rates.succeed(5);
        let span = Duration::from_micros(100);
        for (mcs, mpdus, acknowledged) in [(9, 64, 60), (3, 10, 10), (9, 30, 0)] {
            rates.send(mode(mcs), mpdus, span);
            rates.succeed(acknowledged);
        }
        let used: Vec<_> = rates.used().iter().map(|count| (count.mode.mcs(), count.ppdus, count.mpdus)).collect();
        assert_eq!(used, [(3, 1, 10), (9, 2, 94)]);
        assert_eq!((rates.used()[1].successes, rates.used()[1].time), (60, span * 2));
        rates.reset();
        assert!(rates.used().is_empty());
    }

    #[test]
    fn sizes_are_counted() {
        let mut sizes = SizeCounts::default();
        [1, 64, 64, 256].into_iter().for_each(|size| sizes.count(size));
        assert_eq!(sizes.used().collect::<Vec<_>>(), [(1, 1), (64, 2), (256, 1)]);
        sizes.reset();
        assert_eq!(sizes.used().count(), 0);
    }
}
