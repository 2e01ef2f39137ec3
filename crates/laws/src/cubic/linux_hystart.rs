//! HyStart of Linux 2.6.31: two signs that slow start has filled the path.
//!
//! S. Ha and I. Rhee, "Hybrid slow start for high-bandwidth and long-distance networks", PFLDnet 2008. From a window of
//! 16 packets on, slow start ends where
//!
//! * ACKs that follow one another within 2 ms have lasted for half the least round trip (ACK train), or
//! * the least of a round's first 8 samples exceeds the least round trip by clamp(least/16, 2 ms, 16 ms) (delay).

const LOW_WINDOW: u64 = 16;
const MIN_SAMPLES: u32 = 8;
const TRAIN_GAP_MS: u64 = 2;
const DELAY_MIN_MS: f64 = 2.0;
const DELAY_MAX_MS: f64 = 16.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    round: u64,
    round_start: u64,
    /// Time of the train's last ACK, in ms.
    last: u64,
    rtt: u64,
    samples: u32,
    /// True once a sign was found: later rounds are ignored.
    has_ended: bool,
}

impl HyStart {
    pub(crate) fn new() -> Self {
        Self { round: 0, round_start: 0, last: 0, rtt: u64::MAX, samples: 0, has_ended: false }
    }

    /// True if this ACK of slow start, with a sample of `rtt` ms at `now` ms, shows that the path is full.
    pub(crate) fn ends_slow_start(&mut self, round: u64, now: u64, cwnd: u64, rtt: u64, min_rtt: u64) -> bool {
        if round != self.round {
            *self = Self { round, round_start: now, last: now, has_ended: self.has_ended, ..Self::new() };
        }
        if self.has_ended || cwnd < LOW_WINDOW {
            return false;
        }
        if now - self.last <= TRAIN_GAP_MS {
            self.last = now;
            self.has_ended = 2 * (now - self.round_start) >= min_rtt;
        }
        if self.samples < MIN_SAMPLES {
            self.rtt = self.rtt.min(rtt);
            self.samples += 1;
        } else {
            let threshold = (min_rtt as f64 / 16.0).clamp(DELAY_MIN_MS, DELAY_MAX_MS);
            self.has_ended |= self.rtt as f64 > min_rtt as f64 + threshold;
        }
        self.has_ended
    }
}
