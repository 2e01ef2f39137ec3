//! Received parts of a byte stream: the lowest missing byte, and what has been received above it.

/// Half-open interval of stream bytes.
pub(super) type Interval = (u64, u64);

/// Initial room for intervals above a gap: two for each of 16 HARQ processes.
const ROOM: usize = 32;

/// Received bytes of a stream.
#[derive(Debug)]
pub(super) struct Received {
    /// First byte that is missing.
    pub low: u64,
    /// Intervals above `low`, in order; they do not touch.
    above: Vec<Interval>,
}

impl Received {
    pub fn new() -> Self {
        Self { low: 0, above: Vec::with_capacity(ROOM) }
    }

    /// End of the highest interval.
    #[inline]
    pub fn high(&self) -> u64 {
        self.above.last().map_or(self.low, |last| last.1)
    }

    /// Adds an interval.
    #[inline]
    pub fn insert(&mut self, (from, to): Interval) {
        if from <= self.low && self.above.is_empty() {
            self.low = self.low.max(to);
            return;
        }
        let from = from.max(self.low);
        if to <= from {
            return;
        }
        // The run of intervals that the new one touches becomes one.
        let first = self.above.partition_point(|other| other.1 < from);
        let last = self.above.partition_point(|other| other.0 <= to);
        match first < last {
            true => {
                let merged = (self.above[first].0.min(from), self.above[last - 1].1.max(to));
                self.above[first] = merged;
                self.above.drain(first + 1..last);
            }
            false => self.above.insert(first, (from, to)),
        }
        if let Some(&(from, to)) = self.above.first()
            && from <= self.low
        {
            self.low = to;
            self.above.remove(0);
        }
    }

    /// Forgets parts of packets: intervals shrink to the boundaries of packets, which `floor` gives at or below a place
    /// and `ceiling` at or above it.
    pub fn shrink(&mut self, floor: impl Fn(u64) -> u64, ceiling: impl Fn(u64) -> u64) {
        self.low = floor(self.low);
        self.above.retain_mut(|part| {
            *part = (ceiling(part.0), floor(part.1));
            part.0 < part.1
        });
    }

    /// Missing intervals below the end of the highest received one, in order.
    pub fn gaps(&self) -> impl Iterator<Item = Interval> {
        let begins = std::iter::once(self.low).chain(self.above.iter().map(|interval| interval.1));
        begins.zip(&self.above).map(|(from, next)| (from, next.0))
    }

    /// True if a byte below `limit` is missing.
    #[inline]
    pub fn has_gap_below(&self, limit: u64) -> bool {
        self.low < limit && !self.above.is_empty()
    }

    /// First missing byte at or above `place`.
    pub fn first_missing(&self, place: u64) -> u64 {
        if place <= self.low {
            return self.low;
        }
        let within = self.above.iter().find(|interval| place < interval.1);
        match within {
            Some(&(from, to)) if from <= place => to,
            _ => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_close_in_any_order() {
        let mut received = Received::new();
        received.insert((0, 10));
        received.insert((20, 30));
        received.insert((40, 50));
        assert_eq!((received.low, received.high()), (10, 50));
        assert_eq!(received.gaps().collect::<Vec<_>>(), [(10, 20), (30, 40)]);
        assert!(received.has_gap_below(11) && !received.has_gap_below(10));
        assert_eq!([0, 12, 25, 35, 45, 60].map(|place| received.first_missing(place)), [10, 12, 30, 35, 50, 60]);
        received.insert((30, 40));
        assert_eq!(received.gaps().collect::<Vec<_>>(), [(10, 20)]);
        received.insert((5, 15));
        assert_eq!(received.low, 15);
        received.insert((12, 22));
        assert_eq!((received.low, received.gaps().count()), (50, 0));
        received.insert((0, 3));
        assert_eq!(received.low, 50);
    }

    /// Packets of 10 bytes: partial ones are forgotten, the first missing one begins anew.
    #[test]
    fn parts_of_packets_are_forgotten() {
        let mut received = Received::new();
        for part in [(0, 14), (18, 33), (36, 39), (45, 60)] {
            received.insert(part);
        }
        received.shrink(|place| place / 10 * 10, |place| place.div_ceil(10) * 10);
        assert_eq!((received.low, received.high()), (10, 60));
        assert_eq!(received.gaps().collect::<Vec<_>>(), [(10, 20), (30, 50)]);
    }

    /// Against a set of bytes: 400 random intervals.
    #[test]
    fn intervals_are_sets_of_bytes() {
        let mut stream = windward_elements::engine::Stream::new(1, 2, windward_elements::engine::Purpose::Loss);
        for _ in 0..40 {
            let (mut received, mut bytes) = (Received::new(), [false; 100]);
            for _ in 0..10 {
                let from = (stream.uniform() * 90.0) as u64;
                let to = from + 1 + (stream.uniform() * 9.0) as u64;
                received.insert((from, to));
                bytes[from as usize..to as usize].fill(true);
                let low = bytes.iter().position(|is| !is).unwrap_or(100) as u64;
                let high = bytes.iter().rposition(|is| *is).map_or(0, |at| at as u64 + 1);
                assert_eq!((received.low, received.high().max(low)), (low, high.max(low)));
                let missing: u64 = received.gaps().map(|(from, to)| to - from).sum();
                let counted = (low..high).filter(|&at| !bytes[at as usize]).count() as u64;
                assert_eq!(missing, counted);
            }
        }
    }
}
