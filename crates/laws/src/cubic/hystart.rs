//! HyStart++: slow start that ends before it overflows the queue.
//!
//! RFC 9406. Per round trip, after 8 samples: if the least RTT of the round exceeds the last round's by clamp(last/8, 4
//! ms, 16 ms), growth is divided by 4 (conservative slow start, CSS). If the RTT then falls below the one that began
//! CSS, slow start resumes; after 5 rounds of CSS it ends. An ACK counts for at most L = 8 packets, the value for hosts
//! that do not pace.

use crate::Ack;
use windward_units::Duration;

const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
const MIN_RTT_DIVISOR: f64 = 8.0;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
const L: f64 = 8.0;

/// The first slow start of a flow. The variables are RFC 9406 §4.2's.
#[derive(Clone, Debug)]
pub(crate) struct HyStart {
    round: u64,
    samples: u32,
    current_round_min_rtt: Duration,
    last_round_min_rtt: Duration,
    css_baseline_min_rtt: Duration,
    /// Rounds of CSS so far; `None` in standard slow start.
    css_rounds: Option<u32>,
}

impl HyStart {
    pub(crate) fn new() -> Self {
        Self {
            round: 0,
            samples: 0,
            current_round_min_rtt: Duration::MAX,
            last_round_min_rtt: Duration::MAX,
            css_baseline_min_rtt: Duration::MAX,
            css_rounds: None,
        }
    }

    /// Window increase on `ack`, in packets.
    pub(crate) fn growth(&mut self, ack: &Ack) -> f64 {
        if ack.round != self.round {
            self.begin_round(ack.round);
        }
        if let Some(rtt) = ack.rtt {
            self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
            self.samples += 1;
        }
        if self.samples >= N_RTT_SAMPLE {
            self.judge();
        }
        let growth = ack.acked.count().min(L);
        if self.css_rounds.is_some() { growth / CSS_GROWTH_DIVISOR } else { growth }
    }

    /// True if CSS has completed its rounds: congestion avoidance begins.
    pub(crate) fn has_ended(&self) -> bool {
        self.css_rounds.is_some_and(|rounds| rounds > CSS_ROUNDS)
    }

    fn begin_round(&mut self, round: u64) {
        self.round = round;
        self.last_round_min_rtt = self.current_round_min_rtt;
        self.current_round_min_rtt = Duration::MAX;
        self.samples = 0;
        if let Some(rounds) = &mut self.css_rounds {
            *rounds += 1;
        }
    }

    fn judge(&mut self) {
        if self.css_rounds.is_some() {
            if self.current_round_min_rtt < self.css_baseline_min_rtt {
                self.css_baseline_min_rtt = Duration::MAX;
                self.css_rounds = None;
            }
        } else if self.last_round_min_rtt != Duration::MAX {
            let last = self.last_round_min_rtt;
            let threshold = last.scale(1.0 / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
            if self.current_round_min_rtt >= last + threshold {
                self.css_baseline_min_rtt = self.current_round_min_rtt;
                self.css_rounds = Some(1);
            }
        }
    }
}
