//! Applications that write at a rate.

use crate::network::Writing;
use windward_units::{Duration, Time};

/// An application that writes.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    writing: Writing,
    /// Time of the first write.
    start: Time,
    /// Writes so far, and their bytes.
    count: u64,
    written: u64,
}

impl Writer {
    /// A writer that begins at `start`.
    pub fn new(writing: Writing, start: Time) -> Self {
        Self { writing, start, count: 0, written: 0 }
    }

    /// Bytes of the write that is due now.
    pub fn write(&mut self) -> u64 {
        self.count += 1;
        let bytes = self.writing.bytes_of(self.count) - self.written;
        self.written += bytes;
        bytes
    }

    /// Time of the next write.
    pub fn next(&self) -> Time {
        self.start + self.writing.time_of(self.count)
    }
}

impl Writing {
    /// Time from the first write to the one with the index `count`.
    fn time_of(self, count: u64) -> Duration {
        match self {
            Self::Periodic { every, .. } | Self::Fixed { every, .. } => every * count,
            Self::Chunks { chunk, rate } => {
                let bits = 8 * u128::from(count) * u128::from(chunk.count());
                Duration::from_nanos((bits * 1_000_000_000 / u128::from(rate.as_bits_per_sec())) as u64)
            }
        }
    }

    /// Bytes of the first `count` writes.
    fn bytes_of(self, count: u64) -> u64 {
        match self {
            Self::Periodic { rate, every } => {
                let nanos = u128::from(count) * u128::from(every.as_nanos());
                (nanos * u128::from(rate.as_bits_per_sec()) / 8_000_000_000) as u64
            }
            Self::Chunks { chunk, .. } | Self::Fixed { chunk, .. } => count * chunk.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::{BitRate, Bytes};

    /// 1 Mbit/s in chunks of 1000 B is a write every 8 ms; every 3 ms it is 375 B. 100 kbit/s every 1 ms is 12.5 B, so
    /// 12 and 13 in turn.
    #[test]
    fn rates_are_exact() {
        let start = Time::ZERO + Duration::from_millis(5);
        let rate = BitRate::bits_per_sec;
        let of = |writing, count: usize| {
            let mut writer = Writer::new(writing, start);
            (0..count).map(|_| (writer.next().since(start).as_nanos() / 1000, writer.write())).collect::<Vec<_>>()
        };
        let chunks = Writing::Chunks { chunk: Bytes::new(1000), rate: rate(1_000_000) };
        assert_eq!(of(chunks, 3), [(0, 1000), (8000, 1000), (16_000, 1000)]);
        let periodic = |bits, ms| Writing::Periodic { rate: rate(bits), every: Duration::from_millis(ms) };
        assert_eq!(of(periodic(1_000_000, 3), 2), [(0, 375), (3000, 375)]);
        assert_eq!(of(periodic(100_000, 1), 4), [(0, 12), (1000, 13), (2000, 12), (3000, 13)]);
        let fixed = Writing::Fixed { chunk: Bytes::new(70), every: Duration::from_millis(2) };
        assert_eq!(of(fixed, 2), [(0, 70), (2000, 70)]);
    }
}
