//! Capacity changes in H-TCP: the maximum throughput between two congestion events.

use crate::Ack;
use windward_units::{Duration, Time};

/// Acknowledged packets per second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Throughput {
    /// Packets acknowledged since `began`.
    acked: f64,
    began: Time,
    /// Smoothed throughput.
    mean: f64,
    /// Maximum of `mean` since the last event, and in the period before it.
    greatest: f64,
    before: f64,
}

impl Throughput {
    /// Restarts the count at `now`.
    pub fn restart(&mut self, now: Time) {
        (self.acked, self.began) = (0.0, now);
    }

    /// Adds the packets of `ack`, with the last event's end at `since`: a sample for each `window` packets.
    #[inline]
    pub fn on_ack(&mut self, ack: &Ack, window: f64, since: Time) {
        self.acked += ack.acked.count();
        let span = ack.now.since(self.began);
        if self.acked < window || span < ack.base_rtt || span == Duration::ZERO {
            return;
        }
        let sample = self.acked / span.as_secs();
        if ack.now.since(since) < ack.base_rtt * 4 {
            (self.mean, self.greatest) = (sample, sample);
        } else {
            self.mean = (3.0 * self.mean + sample) / 4.0;
            self.greatest = self.greatest.max(self.mean);
        }
        self.restart(ack.now);
    }

    /// True if it is about the same as before the last event; stores it for the next.
    pub fn is_steady(&mut self) -> bool {
        let before = std::mem::replace(&mut self.before, self.greatest);
        (4.0 * before..=6.0 * before).contains(&(5.0 * self.greatest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, near};
    use windward_units::Packets;

    #[test]
    fn a_change_of_throughput_by_a_fifth_halves() {
        let mut throughput = Throughput { before: 100.0, ..Throughput::default() };
        // 120 of 100 are steady, then 150 of 120 are not, then 150 of 150 are.
        for (greatest, is_steady) in [(120.0, true), (150.0, false), (150.0, true), (119.0, false)] {
            throughput.greatest = greatest;
            assert_eq!(throughput.is_steady(), is_steady, "{greatest}");
        }
    }

    #[test]
    fn throughput_is_counted_over_a_window() {
        // 40 packets in 100 ms, at once after the event: 400 a second. Half a second later, 60 in 100 ms: (3·400 +
        // 600)/4.
        let mut throughput = Throughput::default();
        let packets = |count, now| Ack { acked: Packets::new(count), ..ack(now, 0, 40.0) };
        throughput.on_ack(&packets(39.0, 50), 40.0, Time::ZERO);
        assert_eq!(throughput.mean, 0.0);
        throughput.on_ack(&packets(1.0, 100), 40.0, Time::ZERO);
        near(throughput.mean, 400.0, 1e-9);
        throughput.began = Time::from_nanos(400_000_000);
        throughput.on_ack(&packets(60.0, 500), 40.0, Time::ZERO);
        near(throughput.mean, 450.0, 1e-9);
        near(throughput.greatest, 450.0, 1e-9);
    }
}
