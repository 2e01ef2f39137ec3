//! HyStart of Linux 6: two signs that slow start has filled the path.
//!
//! S. Ha and I. Rhee, "Hybrid slow start for high-bandwidth and long-distance networks", PFLDnet 2008; `hystart_update`
//! of `net/ipv4/tcp_cubic.c`. From a window of 16 packets on, slow start ends where
//!
//! * ACKs that follow one another within 2 ms have lasted for more than half of the least round trip and 1 ms (ACK
//!   train), or
//! * the least of a round's samples, from the ninth on, exceeds the least round trip by clamp(least/8, 4 ms, 16 ms)
//!   (delay).
//!
//! **Where we differ**: the ACK train's millisecond for batches of packets is fixed; the kernel's is shorter for
//! senders above 2 Gbit/s.

const LOW_WINDOW: u64 = 16;
const MIN_SAMPLES: u32 = 8;
const TRAIN_GAP_US: u64 = 2_000;
const BATCH_US: u64 = 1_000;
const DELAY_MIN_US: u64 = 4_000;
const DELAY_MAX_US: u64 = 16_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    round: u64,
    round_start: u64,
    /// Time of the train's last ACK, in µs.
    last: u64,
    rtt: u64,
    samples: u32,
    has_ended: bool,
}

impl Default for HyStart {
    fn default() -> Self {
        Self { round: 0, round_start: 0, last: 0, rtt: u64::MAX, samples: 0, has_ended: false }
    }
}

impl HyStart {
    /// True if this ACK of slow start, with a sample of `rtt` µs at `now` µs, shows that the path is full.
    pub(crate) fn ends_slow_start(&mut self, round: u64, now: u64, cwnd: u64, rtt: u64, min_rtt: u64) -> bool {
        if self.has_ended {
            return false;
        }
        if round != self.round {
            *self = Self { round, round_start: now, last: now, ..Self::default() };
        }
        if cwnd < LOW_WINDOW {
            return false;
        }
        if now - self.last <= TRAIN_GAP_US {
            self.last = now;
            self.has_ended = now - self.round_start > (min_rtt + BATCH_US) / 2;
        }
        self.rtt = self.rtt.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
        } else {
            self.has_ended |= self.rtt > min_rtt + (min_rtt / 8).clamp(DELAY_MIN_US, DELAY_MAX_US);
        }
        self.has_ended
    }
}
