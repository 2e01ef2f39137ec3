//! Timing quality of an emulation.

use crate::error::Error;
use hdrhistogram::Histogram;
use windward_units::Duration;

/// A packet that leaves so much after its time is late.
pub const LATE: Duration = Duration::from_millis(1);

/// A run with more late packets than this, as a share, is not trustworthy, nor one with more late applications.
const LATE_SHARE: f64 = 0.01;

windward_tables::table! {
    /// Timing quality of an emulation, one row per seed. The lateness of a packet is the time between the instant at
    /// which the network delivers it and the instant at which the emulator handed it to the kernel. That of an
    /// application is the time for which it waits for a processor, or from a timer to its answer.
    pub struct Quality: "timing", Totals, "", IfAny;
    about {
        /// Seed.
        seed: u64 fixed [""],
        /// Reason why the seed is not to be trusted; empty if it is.
        problem: Text fixed [""],
    }
    columns {
        /// Packets delivered.
        packets: u64 ["packets"],
        /// Median of the lateness.
        late_p50_s: f64 ["s"],
        /// 99th percentile of the lateness.
        late_p99_s: f64 ["s"],
        /// Largest lateness.
        late_max_s: f64 ["s"],
        /// Packets that were more than 1 ms late, divided by all delivered ones. Above 1 % the seed is not to be
        /// trusted.
        late_share: f64 [""],
        /// Packets that devices dropped because the emulator did not read them in time.
        missed: u64 ["packets"],
        /// Packets dropped because too many were under way for the emulator's memory.
        overflowed: u64 ["packets"],
        /// Times at which applications had data to handle, or a timer.
        app_wakeups: u64 ["times"],
        /// 99th percentile of the lateness of applications.
        app_late_p99_s: f64 ["s"],
        /// Largest lateness of applications.
        app_late_max_s: f64 ["s"],
        /// Times at which applications were more than 1 ms late, divided by all. Above 1 % the seed is not to be
        /// trusted.
        app_late_share: f64 [""],
        /// Processor time of the emulator per packet; zero without packets.
        cpu_per_packet_s: f64 ["s"],
        /// True if the emulator ran before all other programs (SCHED_FIFO).
        is_realtime: bool [""],
    }
}

impl Quality {
    /// Why results are not to be trusted; `None` where they are.
    pub fn problem(&self) -> Option<String> {
        let mut problems = Vec::new();
        if self.late_share > LATE_SHARE {
            let share = 100.0 * self.late_share;
            problems.push(format!("{share:.1} % of the packets left more than 1 ms late (allowed: 1 %)"));
        }
        if self.app_late_share > LATE_SHARE {
            let share = 100.0 * self.app_late_share;
            problems.push(format!("applications were more than 1 ms late {share:.1} % of the times (allowed: 1 %)"));
        }
        if self.missed > 0 {
            problems.push(format!("{} packets were lost before the emulator read them", self.missed));
        }
        if self.overflowed > 0 {
            problems.push(format!("{} packets did not fit into the emulator's memory", self.overflowed));
        }
        (!problems.is_empty()).then(|| problems.join("; "))
    }

    /// Adds the processor time of the emulator.
    pub(crate) fn add_processor_time(&mut self, time: Duration) {
        self.cpu_per_packet_s = if self.packets == 0 { 0.0 } else { time.as_secs() / self.packets as f64 };
    }

    /// Adds the lateness figures of applications.
    pub(crate) fn add_applications(&mut self, lateness: &Lateness) {
        self.app_wakeups = lateness.0.len();
        self.app_late_p99_s = lateness.quantile(0.99);
        self.app_late_max_s = lateness.quantile(1.0);
        self.app_late_share = lateness.share();
    }
}

/// Counts lateness.
pub(crate) struct Lateness(Histogram<u64>);

impl Lateness {
    /// Up to 100 s, to three digits.
    pub(crate) fn new() -> Result<Self, Error> {
        let histogram = Histogram::new_with_bounds(1, 100_000_000_000, 3);
        histogram.map(Self).map_err(|error| Error::Impossible(error.to_string()))
    }

    /// A packet left so late.
    #[inline]
    pub(crate) fn record(&mut self, late: Duration) {
        self.0.saturating_record(late.as_nanos());
    }

    /// Adds another count.
    pub(crate) fn add(&mut self, other: &Self) {
        // Both have the same bounds.
        _ = self.0.add(&other.0);
    }

    /// Lateness that a share `quantile` does not exceed, in seconds.
    fn quantile(&self, quantile: f64) -> f64 {
        Duration::from_nanos(self.0.value_at_quantile(quantile)).as_secs()
    }

    /// Share of the late ones; zero without any.
    fn share(&self) -> f64 {
        let late = self.0.count_between(LATE.as_nanos() + 1, u64::MAX);
        if self.0.is_empty() { 0.0 } else { late as f64 / self.0.len() as f64 }
    }

    /// Returns the lateness figures of packets; all others are at their defaults.
    pub(crate) fn quality(&self) -> Quality {
        Quality {
            packets: self.0.len(),
            late_p50_s: self.quantile(0.5),
            late_p99_s: self.quantile(0.99),
            late_max_s: self.quantile(1.0),
            late_share: self.share(),
            ..Quality::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_trusted_up_to_one_late_packet_in_a_hundred() {
        let mut lateness = Lateness::new().unwrap();
        (0..990).for_each(|_| lateness.record(Duration::from_micros(40)));
        (0..10).for_each(|_| lateness.record(Duration::from_millis(5)));
        let quality = lateness.quality();
        assert_eq!((quality.packets, quality.problem()), (1000, None));
        assert!((quality.late_p50_s - 40e-6).abs() < 1e-7 && (quality.late_max_s - 5e-3).abs() < 1e-5);
        lateness.record(Duration::from_millis(5));
        let why = lateness.quality().problem().expect("one too many");
        assert!(why.starts_with("1.1 % of the packets left more than 1 ms late"), "{why}");
        let missed = Quality { missed: 3, ..quality };
        assert_eq!(missed.problem().as_deref(), Some("3 packets were lost before the emulator read them"));
    }

    /// JSON has no infinity: a summary without packets could not be written.
    #[test]
    fn processor_time_is_zero_without_packets() {
        let mut lateness = Lateness::new().unwrap();
        let cost = |lateness: &Lateness| {
            let mut quality = lateness.quality();
            quality.add_processor_time(Duration::from_micros(30));
            quality.cpu_per_packet_s
        };
        assert_eq!(cost(&lateness), 0.0);
        (0..2).for_each(|_| lateness.record(Duration::ZERO));
        assert!((cost(&lateness) - 15e-6).abs() < 1e-12);
    }

    #[test]
    fn a_run_is_trusted_with_one_late_application_in_a_hundred() {
        let (mut one, mut other) = (Lateness::new().unwrap(), Lateness::new().unwrap());
        (0..99).for_each(|_| one.record(Duration::from_micros(40)));
        other.record(Duration::from_millis(5));
        one.add(&other);
        let mut quality = Lateness::new().unwrap().quality();
        quality.add_applications(&one);
        assert_eq!((quality.app_wakeups, quality.problem()), (100, None));
        assert!((quality.app_late_max_s - 5e-3).abs() < 1e-5 && quality.app_late_p99_s < 1e-4);
        one.add(&other);
        quality.add_applications(&one);
        let why = quality.problem().expect("one too many");
        assert_eq!(why, "applications were more than 1 ms late 2.0 % of the times (allowed: 1 %)");
    }
}
