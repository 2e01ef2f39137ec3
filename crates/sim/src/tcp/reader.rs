//! Applications that read what arrives at their own pace.

use crate::network::Reading;
use windward_units::{Duration, Time};

/// An application that reads.
#[derive(Clone, Debug)]
pub struct Reader {
    reading: Reading,
    /// Bytes read since `since`, the start of the current busy period.
    taken: u64,
    since: Time,
    /// Time before which it does not read.
    busy_until: Time,
}

impl Reader {
    /// A reader before its first byte.
    pub fn new(reading: Reading) -> Self {
        Self { reading, taken: 0, since: Time::ZERO, busy_until: Time::ZERO }
    }

    /// Bytes that it reads now, of `waiting` ones. A reader with a rate takes at most a chunk, and is then busy for the
    /// time that the rate gives it.
    pub fn take(&mut self, now: Time, waiting: u64) -> u64 {
        if waiting == 0 || now < self.free_at(now) {
            return 0;
        }
        let Some(rate) = self.reading.rate else { return waiting };
        let bytes = waiting.min(self.reading.chunk.count());
        if now > self.busy_until {
            (self.since, self.taken) = (now, 0);
        }
        self.taken += bytes;
        // Counted from the start of the busy period, so that rounding does not add up.
        let nanos = u128::from(self.taken) * 8_000_000_000 / u128::from(rate.as_bits_per_sec());
        self.busy_until = self.since + Duration::from_nanos(nanos as u64);
        bytes
    }

    /// True if it would read all of `waiting` bytes now.
    pub fn drains(&self, now: Time, waiting: u64) -> bool {
        self.free_at(now) <= now && (self.reading.rate.is_none() || waiting <= self.reading.chunk.count())
    }

    /// Time at which it reads again: after the work on the last bytes, and outside pauses.
    pub fn free_at(&self, now: Time) -> Time {
        let at = now.max(self.busy_until);
        let pause = self.reading.pauses.iter().find(|(from, to)| *from <= at && at < *to);
        pause.map_or(at, |(_, to)| *to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::{BitRate, Bytes};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// 8 Mbit/s are 1 kB/ms: chunks of 3 kB take 3 ms each, less takes less. After an idle time the clock starts anew.
    #[test]
    fn a_rate_is_kept_while_data_wait() {
        let rate = Some(BitRate::bits_per_sec(8_000_000));
        let mut reader = Reader::new(Reading { rate, chunk: Bytes::new(3000), pauses: [].into() });
        assert_eq!((reader.take(at(1), 10_000), reader.free_at(at(1))), (3000, at(4)));
        assert_eq!(reader.take(at(3), 7000), 0);
        assert_eq!((reader.take(at(4), 7000), reader.free_at(at(4))), (3000, at(7)));
        assert_eq!((reader.take(at(7), 1000), reader.free_at(at(7))), (1000, at(8)));
        assert_eq!((reader.take(at(20), 3000), reader.free_at(at(20))), (3000, at(23)));
    }

    /// A reader without a rate takes all, except in a pause: from 10 ms to 30 ms, its end excluded.
    #[test]
    fn a_pause_holds_everything() {
        let pauses = [(at(10), at(30))].into();
        let mut reader = Reader::new(Reading { rate: None, chunk: Bytes::new(1448), pauses });
        assert_eq!(reader.take(at(9), 10_000), 10_000);
        assert_eq!((reader.take(at(10), 5000), reader.free_at(at(10))), (0, at(30)));
        assert_eq!(reader.take(at(30), 5000), 5000);
    }
}
