//! Histograms of times with logarithmic buckets, for percentiles in bounded memory.
//!
//! The buckets are log-linear: 128 of equal width in every octave, from one nanosecond to 2^64. A bucket is thus at
//! most 1/128 = 0.78 % as wide as its lower bound, and its middle within 0.39 % of every value in it. Below 256 ns a
//! bucket holds one value. The bucket of a value takes a count of leading zeros and two shifts.
//!
//! Memory follows what is used. Counts are 16 bits wide, in blocks of 8 buckets that exist once one of them has a
//! count; a count that overflows is noted apart. A flow whose round-trip times stay within an octave takes 300 bytes; a
//! histogram that is empty or has zeros alone allocates nothing. Two histograms have the same buckets, so adding their
//! counts gives the histogram of both.

/// Buckets of an octave, as a power of two.
const BITS: u32 = 7;

/// Largest width of a bucket as a share of its lower bound.
pub const WIDTH: f64 = 1.0 / (1 << BITS) as f64;

/// Buckets of a block.
const BLOCK: usize = 8;

/// Least number of blocks for which memory is reserved at a time; of many, a half more.
const MORE: usize = 4;

/// Blocks by which the range of known blocks grows.
const SPAN: usize = 8;

/// Mark of a block without counts.
const ABSENT: u16 = u16::MAX;

/// Counts of times by length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Times of zero that were counted in one go, or while their block was absent.
    zeros: u64,
    counts: Option<Box<Counts>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Number of the first block in `places`.
    first: usize,
    /// Place of each block in `blocks`.
    places: Vec<u16>,
    blocks: Vec<[u16; BLOCK]>,
    /// Buckets whose count overflowed, and how often.
    overflows: Option<Box<Overflows>>,
}

/// Buckets and how often each overflowed.
type Overflows = Vec<(u16, u32)>;

/// A bucket with counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Least time in the bucket, in nanoseconds.
    pub least: u64,
    /// Largest time in the bucket, in nanoseconds.
    pub most: u64,
    /// Number of times in it.
    pub count: u64,
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

impl Counts {
    /// Counts a time if its block is there, and its count does not overflow.
    #[inline]
    fn record(&mut self, bucket: usize) -> Option<()> {
        let place = *self.places.get((bucket / BLOCK).wrapping_sub(self.first))?;
        let count = &mut self.blocks.get_mut(place as usize)?[bucket % BLOCK];
        *count = count.checked_add(1)?;
        Some(())
    }

    /// Adds to a bucket, whose block is made if it is absent.
    fn add(&mut self, bucket: usize, count: u64) {
        let block = bucket / BLOCK;
        let begin = block / SPAN * SPAN;
        if self.places.is_empty() {
            self.first = begin;
        }
        if begin < self.first {
            self.places.splice(0..0, std::iter::repeat_n(ABSENT, self.first - begin));
            self.first = begin;
        }
        let at = block - self.first;
        if at >= self.places.len() {
            let length = begin + SPAN - self.first;
            self.places.reserve_exact(length - self.places.len());
            self.places.resize(length, ABSENT);
        }
        if self.places[at] == ABSENT {
            if self.blocks.len() == self.blocks.capacity() {
                self.blocks.reserve_exact(MORE.max(self.blocks.len() / 2));
            }
            self.places[at] = self.blocks.len() as u16;
            self.blocks.push([0; BLOCK]);
        }
        let place = &mut self.blocks[self.places[at] as usize][bucket % BLOCK];
        let sum = u64::from(*place) + count;
        *place = sum as u16;
        if sum >> 16 > 0 {
            let more = u32::try_from(sum >> 16).unwrap_or(u32::MAX);
            let all = self.overflows.get_or_insert_default();
            match all.iter_mut().find(|(known, _)| usize::from(*known) == bucket) {
                Some((_, overflows)) => *overflows = overflows.saturating_add(more),
                None => all.push((bucket as u16, more)),
            }
        }
    }

    fn overflows(&self) -> impl Iterator<Item = &(u16, u32)> {
        self.overflows.iter().flat_map(|all| all.iter())
    }

    fn count(&self) -> u64 {
        let low: u64 = self.blocks.as_flattened().iter().map(|&count| u64::from(count)).sum();
        self.overflows().fold(low, |sum, &(_, times)| sum + (u64::from(times) << 16))
    }

    /// Buckets with counts, in rising order.
    fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        let blocks = (self.first..).zip(&self.places).filter(|(_, place)| **place != ABSENT);
        let all = blocks.flat_map(|(block, &place)| (block * BLOCK..).zip(self.blocks[place as usize]));
        all.filter_map(|(bucket, count)| {
            let overflows = self.overflows().find(|(known, _)| usize::from(*known) == bucket);
            let count = u64::from(count) + overflows.map_or(0, |(_, times)| u64::from(*times) << 16);
            let (least, most) = bounds(bucket);
            (count > 0).then_some(Bucket { least, most, count })
        })
    }
}

impl Histogram {
    /// Counts a time.
    #[inline]
    pub fn record(&mut self, nanos: u64) {
        let bucket = bucket(nanos);
        if self.counts.as_mut().and_then(|counts| counts.record(bucket)).is_none() {
            self.add(bucket, 1);
        }
    }

    /// Counts a time several times.
    pub fn record_many(&mut self, nanos: u64, count: u64) {
        if count > 0 {
            self.add(bucket(nanos), count);
        }
    }

    #[cold]
    fn add(&mut self, bucket: usize, count: u64) {
        match bucket {
            0 => self.zeros += count,
            _ => self.counts.get_or_insert_default().add(bucket, count),
        }
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for bucket in other.buckets() {
            self.record_many(bucket.least, bucket.count);
        }
    }

    /// The times that were counted since `before`, an earlier state of this histogram.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut known = before.buckets().peekable();
        let mut rest = Self::default();
        for bucket in self.buckets() {
            let earlier = known.next_if(|other| other.least == bucket.least).map_or(0, |other| other.count);
            debug_assert!(earlier <= bucket.count, "counts never shrink");
            rest.record_many(bucket.least, bucket.count.saturating_sub(earlier));
        }
        rest
    }

    /// Removes all counts and keeps the memory.
    pub fn clear(&mut self) {
        self.zeros = 0;
        if let Some(counts) = &mut self.counts {
            counts.blocks.iter_mut().for_each(|block| block.fill(0));
            counts.overflows = None;
        }
    }

    /// Buckets with counts, in rising order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        let mut others = self.counts.iter().flat_map(|counts| counts.buckets()).peekable();
        let zeros = self.zeros + others.next_if(|bucket| bucket.least == 0).map_or(0, |bucket| bucket.count);
        let first = (zeros > 0).then_some(Bucket { least: 0, most: 0, count: zeros });
        first.into_iter().chain(others)
    }

    /// Number of times.
    pub fn count(&self) -> u64 {
        self.zeros + self.counts.as_ref().map_or(0, |counts| counts.count())
    }

    /// The 50th, 95th and 99th percentiles in seconds; see [`Self::quantiles`].
    pub fn percentiles(&self) -> [f64; 3] {
        self.quantiles([500, 950, 990])
    }

    /// Quantiles in seconds of rising shares, which are given in thousandths. Each is the middle of its bucket; NaN
    /// without times. The quantile of p is the least time that a share p of all does not exceed.
    pub fn quantiles<const N: usize>(&self, shares: [u64; N]) -> [f64; N] {
        let total = self.count();
        let (mut buckets, mut below, mut found) = (self.buckets(), 0, f64::NAN);
        shares.map(|share| {
            let rank = (total * share).div_ceil(1000);
            while below < rank
                && let Some(bucket) = buckets.next()
            {
                below += bucket.count;
                found = (bucket.least as f64 + bucket.most as f64) / 2e9;
            }
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times counted after the copy, in buckets that the copy has and in others.
    #[test]
    fn a_histogram_since_an_earlier_one_has_the_rest() {
        let mut all = Histogram::default();
        all.record_many(0, 3);
        all.record_many(1000, 70_000);
        let before = all.clone();
        all.record_many(0, 2);
        all.record_many(1000, 5);
        all.record_many(7, 1);
        let rest: Vec<(u64, u64)> = all.since(&before).buckets().map(|bucket| (bucket.least, bucket.count)).collect();
        assert_eq!(rest, [(0, 2), (7, 1), (1000, 5)]);
        assert_eq!(before.since(&before).count(), 0);
    }
    use proptest::prelude::*;

    /// By hand: 256 ns is the first of the second octave, whose buckets are 2 ns wide; 1 ms = 2^19 · 1.9073 is in
    /// bucket (19 − 7) · 128 + ⌊10^6 / 2^12⌋ = 1536 + 244.
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
    fn counts_beyond_sixteen_bits_are_kept() {
        let mut histogram = Histogram::default();
        (0..70_000).for_each(|_| histogram.record(1_000));
        histogram.record_many(2_000, 1 << 40);
        histogram.record_many(2_000, 5);
        let counts: Vec<u64> = histogram.buckets().map(|bucket| bucket.count).collect();
        assert_eq!(counts, [70_000, (1 << 40) + 5]);
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        assert_eq!(twice.count(), 2 * histogram.count());
        histogram.clear();
        assert_eq!(histogram.count(), 0);
    }

    #[test]
    fn memory_follows_what_is_used() {
        // 100 to 150 ms: the last 66 buckets of an octave and the first 16 of the next, 11 blocks.
        let histogram = of(&(100..150).map(|ms| ms * 1_000_000).collect::<Vec<_>>());
        let counts = histogram.counts.expect("it has counts");
        assert!(counts.blocks.capacity() <= 12 && counts.places.capacity() <= 24);
        let mut zeros = Histogram::default();
        zeros.record_many(0, 1000);
        assert!(zeros.counts.is_none() && zeros.percentiles() == [0.0; 3]);
    }
}
