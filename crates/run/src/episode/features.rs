//! Observations of an agent: scale-free features of one interval.

use std::ops::Range;
use windward_laws::Heard;
use windward_sim::FlowState;
use windward_units::Time;

/// Features of an interval, in this order: name, least and greatest value.
pub const FEATURES: [(&str, f32, f32); 13] = [
    ("latency_inflation", -1.0, 10.0),
    ("latency_ratio", 1.0, 1e4),
    ("send_ratio", 0.0, 1e3),
    ("loss", 0.0, 1.0),
    ("marks", 0.0, 1.0),
    ("rate_share", 0.0, 1.0),
    ("flight_share", 0.0, 10.0),
    ("queue_share", 0.0, 1.0),
    ("base_age", 0.0, 10.0),
    ("action", -1.0, 1.0),
    ("rate_mbps", 0.0, 1e6),
    ("rtt_s", 0.0, 1e3),
    ("cwnd", 0.0, 1e9),
];

/// Figures of an interval for rewards, in this order.
pub const FIGURES: [&str; 12] = [
    "goodput_bps",
    "sent_pps",
    "acked_pps",
    "rtt_s",
    "base_rtt_s",
    "loss",
    "marks",
    "cwnd",
    "log_share",
    "best_bps",
    "is_open",
    "clipped",
];

/// An interval of a flow.
pub(super) struct Interval<'a> {
    pub heard: &'a Heard,
    pub before: &'a FlowState,
    pub after: &'a FlowState,
    pub length_s: f64,
    pub now: Time,
    pub action: f64,
    /// Largest delivery rate so far, this interval included.
    pub greatest_rate: f64,
}

/// `x / y`, or `other` where `y` is none.
pub(super) fn over(x: f64, y: f64, other: f64) -> f64 {
    if y > 0.0 { x / y } else { other }
}

impl Interval<'_> {
    /// Segments sent.
    pub fn sent(&self) -> f64 {
        (self.after.sent - self.before.sent) as f64
    }

    /// Share of the packets found lost among those and the delivered ones.
    pub fn loss(&self) -> f64 {
        over(self.heard.lost, self.heard.acked + self.heard.lost, 0.0)
    }

    /// Share of the marked packets among the delivered ones.
    pub fn marks(&self) -> f64 {
        over(self.heard.marked, self.heard.acked, 0.0)
    }

    /// Mean of the round-trip samples in seconds; without one the smoothed round-trip time.
    pub fn rtt(&self) -> f64 {
        mean(&self.heard.rtts).unwrap_or_else(|| self.after.srtt.as_secs())
    }

    /// Bits that have arrived.
    pub fn bits(&self) -> f64 {
        8.0 * (self.after.arrived - self.before.arrived) as f64
    }

    /// The features, before they are clipped.
    pub fn features(&self) -> [f64; FEATURES.len()] {
        let Self { heard, after, length_s, .. } = self;
        let (rtt, base) = (self.rtt(), heard.base_rtt.as_secs());
        let is_idle = heard.acked == 0.0 || self.sent() >= 1000.0 * heard.acked;
        [
            over(increase(&heard.rtts), *length_s, 0.0),
            over(rtt, base, 1.0),
            if is_idle { 1.0 } else { self.sent() / heard.acked },
            self.loss(),
            self.marks(),
            over(heard.rate, self.greatest_rate, 0.0),
            over(f64::from(after.flight), after.cwnd, 0.0),
            1.0 - over(base, rtt, 1.0).min(1.0),
            libm::log10(over(self.now.since(heard.base_at).as_secs(), base, 1.0).max(1.0)),
            self.action,
            over(self.bits(), *length_s, 0.0) / 1e6,
            rtt,
            after.cwnd,
        ]
    }
}

/// Mean of the second half of the samples less that of the first: Aurora's latency increase.
fn increase(rtts: &[f64]) -> f64 {
    let (first, second) = rtts.split_at(rtts.len() / 2);
    match (mean(first), mean(second)) {
        (Some(first), Some(second)) => second - first,
        _ => 0.0,
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The last features of an agent, the oldest first.
pub(super) struct History {
    values: Vec<f32>,
    chosen: Vec<usize>,
}

impl History {
    /// A history of `length` intervals of the features with the indices `chosen`, of which none has been.
    pub fn new(length: usize, chosen: &[usize]) -> Self {
        let rest = |&at: &usize| if FEATURES[at].1 > 0.0 { FEATURES[at].1 } else { 0.0 };
        let one: Vec<f32> = chosen.iter().map(rest).collect();
        Self { values: one.repeat(length), chosen: chosen.to_vec() }
    }

    /// Adds an interval in place of the oldest. Returns the number of its features that were out of range.
    pub fn push(&mut self, features: &[f64]) -> u32 {
        let count = self.chosen.len();
        let last: Range<usize> = self.values.len() - count..self.values.len();
        self.values.copy_within(count.., 0);
        let mut clipped = 0;
        for (value, &at) in self.values[last].iter_mut().zip(&self.chosen) {
            let (_, least, most) = FEATURES[at];
            let given = features[at] as f32;
            *value = given.clamp(least, most);
            clipped += u32::from(*value != given);
        }
        clipped
    }

    /// The features of all intervals.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Duration;

    #[test]
    fn the_features_of_an_interval_are_those_worked_out_by_hand() {
        let ms = Duration::from_millis;
        let before = FlowState { sent: 10, arrived: 10_000, ..FlowState::default() };
        let after =
            FlowState { sent: 30, arrived: 24_480, flight: 20, cwnd: 40.0, srtt: ms(50), ..FlowState::default() };
        let heard = Heard {
            acks: 4,
            acked: 8.0,
            marked: 2.0,
            lost: 2.0,
            rtts: vec![0.040, 0.050, 0.060, 0.050],
            rate: 100.0,
            base_rtt: ms(40),
            base_at: Time::ZERO,
        };
        let interval = Interval {
            heard: &heard,
            before: &before,
            after: &after,
            length_s: 0.1,
            now: Time::ZERO + ms(400),
            action: 0.5,
            greatest_rate: 200.0,
        };
        let found = interval.features();
        // (55 - 45) ms in 100 ms; 50/40; 20/8; 2/10; 2/8; 100/200; 20/40; 1 - 40/50; log10(400/40); 14480 bytes in 0.1
        // s.
        let expected = [0.1, 1.25, 2.5, 0.2, 0.25, 0.5, 0.5, 0.2, 1.0, 0.5, 1.1584, 0.05, 40.0];
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-12, "{}: {found}", FEATURES[at].0);
        }
    }

    #[test]
    fn a_history_forgets_the_oldest_and_counts_what_is_out_of_range() {
        let mut history = History::new(2, &[1, 3]);
        assert_eq!(history.values(), [1.0, 0.0, 1.0, 0.0]);
        let mut features = [0.0; FEATURES.len()];
        (features[1], features[3]) = (2.0, 0.5);
        assert_eq!(history.push(&features), 0);
        (features[1], features[3]) = (0.5, 3.0);
        assert_eq!(history.push(&features), 2);
        assert_eq!(history.values(), [2.0, 0.5, 1.0, 1.0]);
    }
}
