//! Pacing: the time of the next segment of a sender that spreads its window over the round trip.

use crate::tcp::timer::Timer;
use windward_units::{Duration, Time};

/// Paced senders send at this multiple of cwnd/srtt, so that pacing does not hold back the window, and at twice
/// cwnd/srtt while slow start doubles it (Linux's factors, `tcp_pacing_ca_ratio` and `tcp_pacing_ss_ratio`).
pub const GAIN: f64 = 1.2;
pub const SLOW_START_GAIN: f64 = 2.0;

/// State of pacing.
#[derive(Clone, Debug)]
pub struct Pacing {
    /// True if the connection is paced whatever its law says.
    pub is_on: bool,
    /// Time from which the next segment may leave.
    pub next_send: Time,
    burst: Burst,
    /// The timer of the gap.
    pub timer: Timer,
}

/// Segments sent at once. Linux hands several segments to the device in one piece and then waits for the pacing time of
/// all of them (`tcp_update_skb_after_send`). A late burst may catch up by at most half of that time.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    at: Time,
    late: Duration,
    count: u32,
    most: u32,
}

impl Burst {
    /// True if another segment belongs to the burst.
    fn goes_on(&self, now: Time) -> bool {
        self.at == now && self.count < self.most
    }
}

impl Pacing {
    /// State before the first segment.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, next_send: Time::ZERO, burst: Burst::default(), timer: Timer::off() }
    }

    /// True if a segment may leave now.
    #[inline]
    pub fn allows(&self, now: Time) -> bool {
        now >= self.next_send || self.burst.goes_on(now)
    }

    /// Records the transmission of a segment with this gap to the next one, where `quantum` segments leave at once.
    pub fn on_send(&mut self, now: Time, gap: Duration, quantum: u32) {
        if quantum <= 1 {
            self.next_send = now + gap;
            return;
        }
        if !self.burst.goes_on(now) {
            self.burst = Burst { at: now, late: now.since(self.next_send), count: 0, most: quantum };
        }
        self.burst.count += 1;
        let span = gap * u64::from(self.burst.count);
        self.next_send = now + span.saturating_sub(self.burst.late.min(span.scale(0.5)));
    }
}
