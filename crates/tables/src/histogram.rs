//! Histograms of times with logarithmic buckets, for percentiles in bounded memory.
//!
//! The buckets are log-linear: 128 of equal width in every octave, from one nanosecond to 2^64. A bucket is thus at most
//! 1/128 = 0.78 % as wide as its lower bound, and its middle within 0.39 % of every value in it. Below 256 ns a bucket
//! holds one value. The bucket of a value takes a count of leading zeros and two shifts.
//!
//! Counts are kept in blocks of 16 buckets, only for blocks in use: a flow whose round-trip times stay within an octave
//! takes half a kibibyte. Two histograms have the same buckets, so adding their counts gives the histogram of both.

/// Buckets of an octave, as a power of two.
const BITS: u32 = 7;

/// Largest width of a bucket as a share of its lower bound.
pub const WIDTH: f64 = 1.0 / (1 << BITS) as f64;

/// Buckets of a block.
const BLOCK: usize = 16;

/// Mark of a block without counts.
const ABSENT: u16 = u16::MAX;

/// Counts of times by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Number of the first block in `places`.
    first: u32,
    /// Place of each block in `blocks`.
    places: Vec<u16>,
    blocks: Vec<[u32; BLOCK]>,
}

/// A bucket with counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Least time in the bucket, in nanoseconds.
    pub least: u64,
    /// Largest time in the bucket, in nanoseconds.
    pub most: u64,
    /// Number of times in it.
    pub count: u32,
}

/// Bucket of a time.
#[inline]
const fn bucket(nanos: u64) -> usize {
    let shift = u64::BITS - 1 - BITS - (nanos | 1 << BITS).leading_zeros();
    ((shift << BITS) as usize) + (nanos >> shift) as usize
}

/// Least and largest time of a bucket.
const fn bounds(bucket: usize) -> (u64, u64) {
    let shift = (bucket >> BITS).saturating_sub(1);
    let least = ((bucket - (shift << BITS)) as u64) << shift;
    (least, least + ((1 << shift) - 1))
}

impl Histogram {
    /// Counts a time.
    #[inline]
    pub fn record(&mut self, nanos: u64) {
        let bucket = bucket(nanos);
        let block = (bucket / BLOCK).wrapping_sub(self.first as usize);
        if let Some(&place) = self.places.get(block)
            && let Some(counts) = self.blocks.get_mut(place as usize)
        {
            counts[bucket % BLOCK] = counts[bucket % BLOCK].saturating_add(1);
        } else {
            self.add(bucket, 1);
        }
    }

    /// Counts a time several times.
    pub fn record_many(&mut self, nanos: u64, count: u64) {
        if count > 0 {
            self.add(bucket(nanos), u32::try_from(count).unwrap_or(u32::MAX));
        }
    }

    /// Adds to a bucket, whose block is made if it is absent.
    #[cold]
    fn add(&mut self, bucket: usize, count: u32) {
        let block = (bucket / BLOCK) as u32;
        if self.places.is_empty() {
            self.first = block;
        }
        if block < self.first {
            let more = (self.first - block) as usize;
            self.places.splice(0..0, std::iter::repeat_n(ABSENT, more));
            self.first = block;
        }
        let at = (block - self.first) as usize;
        if at >= self.places.len() {
            self.places.resize(at + 1, ABSENT);
        }
        if self.places[at] == ABSENT {
            self.places[at] = self.blocks.len() as u16;
            self.blocks.push([0; BLOCK]);
        }
        let counts = &mut self.blocks[self.places[at] as usize];
        counts[bucket % BLOCK] = counts[bucket % BLOCK].saturating_add(count);
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for bucket in other.buckets() {
            self.add(self::bucket(bucket.least), bucket.count);
        }
    }

    /// Removes all counts and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.iter_mut().for_each(|counts| counts.fill(0));
    }

    /// Buckets with counts, in rising order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        (self.first as usize..).zip(&self.places).filter(|(_, place)| **place != ABSENT).flat_map(|(block, &place)| {
            let counts = (block * BLOCK..).zip(self.blocks[place as usize]).filter(|(_, count)| *count > 0);
            counts.map(|(bucket, count)| {
                let (least, most) = bounds(bucket);
                Bucket { least, most, count }
            })
        })
    }

    /// Number of times.
    pub fn count(&self) -> u64 {
        self.blocks.iter().flatten().map(|&count| u64::from(count)).sum()
    }

    /// The 50th, 95th and 99th percentiles in seconds, each the middle of its bucket; NaN without times. The p-th
    /// percentile is the least time that p per cent of all do not exceed.
    pub fn percentiles(&self) -> [f64; 3] {
        let total = self.count();
        [50, 95, 99].map(|percent| {
            let rank = (total * percent).div_ceil(100);
            let mut below = 0;
            let found = self.buckets().find(|bucket| {
                below += u64::from(bucket.count);
                below >= rank
            });
            found.map_or(f64::NAN, |bucket| (bucket.least as f64 + bucket.most as f64) / 2e9)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By hand: 256 ns is the first of the second octave, whose buckets are 2 ns wide; 1 ms = 2^19 · 1.9073 is in bucket
    /// (19 − 7) · 128 + ⌊10^6 / 2^12⌋ = 1536 + 244.
    #[test]
    fn buckets_are_log_linear() {
        assert_eq!([0, 1, 255, 256, 257, 258].map(bucket), [0, 1, 255, 256, 256, 257]);
        assert_eq!((bucket(1_000_000), bounds(1780)), (1780, (244 << 12, (245 << 12) - 1)));
        assert_eq!((bucket(u64::MAX), bounds(bucket(u64::MAX)).1), (7423, u64::MAX));
    }

    /// From 1 µs to 10^4 s, buckets follow each other without a gap, and none is wider than said.
    #[test]
    fn buckets_cover_all_times() {
        let (first, last) = (bucket(1_000), bucket(10_000_000_000_000));
        assert_eq!(last - first, 4247);
        for at in first..last {
            let (least, most) = bounds(at);
            assert_eq!((bucket(least), bucket(most), bounds(at + 1).0), (at, at, most + 1));
            assert!((most + 1 - least) as f64 <= WIDTH * least as f64);
        }
    }

    fn of(times: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        times.iter().for_each(|&time| histogram.record(time));
        histogram
    }

    /// Times over all magnitudes, or around one.
    fn times() -> impl Strategy<Value = Vec<u64>> {
        let wide = (0_u32..44, 0_u64..1 << 44).prop_map(|(shift, value)| value >> shift);
        let narrow = 30_000_000_u64..60_000_000;
        prop_oneof![prop::collection::vec(wide, 1..400), prop::collection::vec(narrow, 1..400)]
    }

    proptest! {
        #[test]
        fn percentiles_are_within_a_bucket(mut times in times()) {
            let found = of(&times).percentiles();
            times.sort_unstable();
            for (percent, found) in [50, 95, 99].into_iter().zip(found) {
                let exact = times[(times.len() * percent).div_ceil(100) - 1] as f64 / 1e9;
                prop_assert!((found - exact).abs() <= WIDTH / 2.0 * exact + 1e-15, "{percent}: {found} for {exact}");
            }
        }

        #[test]
        fn a_merged_histogram_is_that_of_the_union(first in times(), second in times()) {
            let mut merged = of(&first);
            merged.merge(&of(&second));
            let whole = of(&[first, second].concat());
            prop_assert!(merged.buckets().eq(whole.buckets()));
            prop_assert_eq!(merged.count(), whole.count());
        }
    }

    #[test]
    fn counts_are_removed_and_added() {
        let mut histogram = of(&[5, 5, 9_000]);
        histogram.clear();
        assert!(histogram.percentiles()[0].is_nan() && histogram.buckets().next().is_none());
        histogram.record_many(0, 98);
        histogram.record(1_000_000);
        assert_eq!(histogram.count(), 99);
        assert_eq!(histogram.percentiles()[..2], [0.0, 0.0]);
        assert!((histogram.percentiles()[2] - 1e-3).abs() < 4e-6);
    }

    #[test]
    fn memory_follows_what_is_used() {
        // 100 to 150 ms: the last 66 buckets of an octave and the first 16 of the next.
        let histogram = of(&(100..150).map(|ms| ms * 1_000_000).collect::<Vec<_>>());
        assert!(histogram.blocks.len() <= 6, "{}", histogram.blocks.len());
    }
}
