//! Windowed maximum filter with three samples instead of all (K. Nichols; Linux, lib/win_minmax.c).

/// Maximum of a window of round trips. Holds the best, second best and third best, each later than the one before: when
/// the best has expired, the second takes its place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MaxFilter {
    best: [Entry; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    round: u64,
    rate: f64,
}

impl MaxFilter {
    /// A filter with `rate` of the round trip `round`, however small.
    pub(crate) fn at(round: u64, rate: f64) -> Self {
        Self { best: [Entry { round, rate }; 3] }
    }

    pub(crate) fn max(&self) -> f64 {
        self.best[0].rate
    }

    /// Adds `rate` of the round trip `round`; the last `window` round trips count.
    pub(crate) fn push(&mut self, round: u64, rate: f64, window: u64) {
        let entry = Entry { round, rate };
        if rate >= self.best[0].rate || round - self.best[2].round > window {
            self.best = [entry; 3];
            return;
        }
        if rate >= self.best[1].rate {
            (self.best[1], self.best[2]) = (entry, entry);
        } else if rate >= self.best[2].rate {
            self.best[2] = entry;
        }
        self.age(entry, window);
    }

    /// Expires the best, and ensures that second and third come from later parts of the window.
    fn age(&mut self, entry: Entry, window: u64) {
        let age = entry.round - self.best[0].round;
        if age > window {
            self.best = [self.best[1], self.best[2], entry];
            if entry.round - self.best[0].round > window {
                self.best = [self.best[1], self.best[2], entry];
            }
        } else if self.best[1].round == self.best[0].round && age > window / 4 {
            (self.best[1], self.best[2]) = (entry, entry);
        } else if self.best[2].round == self.best[1].round && age > window / 2 {
            self.best[2] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 in round 0, then 50 to 61 in rounds 1 to 12: the best counts through round 10. In round 11 the best of the
    /// later rounds follows it, the newest, because they rise.
    #[test]
    fn the_best_counts_for_ten_round_trips() {
        let mut filter = MaxFilter::default();
        filter.push(0, 100.0, 10);
        for round in 1..=10 {
            filter.push(round, 49.0 + round as f64, 10);
            assert_eq!(filter.max(), 100.0);
        }
        filter.push(11, 60.0, 10);
        assert_eq!(filter.max(), 60.0);
    }

    /// Falling rates, one per round trip: 100, 99, ... The second is taken when the first quarter of the window has
    /// passed (round 3: 97), the third at its half (round 6: 94). In round 11 (89) the best expires and 97 is the best;
    /// in round 14 it expires in turn.
    #[test]
    fn second_and_third_come_from_later_parts_of_the_window() {
        let mut filter = MaxFilter::default();
        let mut bests = Vec::new();
        for round in 0..=17 {
            filter.push(round, 100.0 - round as f64, 10);
            bests.push(filter.max());
        }
        assert_eq!(bests[..11], [100.0; 11]);
        assert_eq!(bests[11..14], [97.0; 3]);
        assert_eq!(bests[14..17], [94.0; 3]);
    }

    #[test]
    fn after_a_silence_only_the_newest_counts() {
        let mut filter = MaxFilter::default();
        filter.push(0, 100.0, 10);
        filter.push(30, 10.0, 10);
        assert_eq!(filter.max(), 10.0);
    }
}
