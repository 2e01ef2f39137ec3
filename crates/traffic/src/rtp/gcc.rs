//! GCC: Google's congestion control as draft-ietf-rmcat-gcc-02 has it.
//!
//! Packets sent within 5 ms form a group, and d(i) is how much longer group i took after the one before than its sender
//! did, in milliseconds (§5.2). A Kalman filter estimates its mean (§5.3): z = d − m, k = (e + q)/(v + e + q), m ← m +
//! k·z, e ← (1 − k)(e + q), with z at most 3√v, and v ← max(α·v + (1 − α)z², 1), α = (1 − χ)^(30/(1000·f_max)).
//!
//! The path is overused when the estimate exceeds the threshold γ for 10 ms without falling, underused below −γ. γ
//! moves towards |m| by K_u per millisecond above it and K_d below, within 6 and 600 ms, and not beyond 15 ms away
//! (§5.4).
//!
//! The delay-based rate (§5.5) falls to 0.85 of the received rate at overuse, stays during underuse, and else rises: by
//! 8 % a second, or near the received rate of earlier decreases by half a packet a response time; it is at most 1.5
//! times the received rate. The loss-based rate (§6) takes a share p of losses in a report: above 10 % it falls by p/2,
//! below 2 % it rises by 5 %. The target is the lesser.
//!
//! **Where we differ**
//! * What browsers do has moved on: a trend line in the place of the filter, another loss-based rate, and probes.
//! * The estimate is compared after multiplication by the number of groups, at most 60, as implementations do. The
//!   draft's threshold of 12.5 ms presupposes it: without it a rate 80 % above the link's would not be overuse.
//! * Of the ranges that the draft gives, χ = 0.01 and a received rate over 0.5 s are taken.
//! * The pacer sends at the target, or faster so that nothing waits longer than 250 ms.

use super::control::{Control, Feedback};
use std::collections::VecDeque;
use windward_units::Time;

/// Time within which packets form a group, in nanoseconds.
const BURST: u64 = 5_000_000;
const CHI: f64 = 0.01;
const Q: f64 = 1e-3;
const E_0: f64 = 0.1;
/// v(0): the draft has none; that of implementations.
const V_0: f64 = 50.0;
/// Groups whose fastest succession is f_max.
const K: usize = 50;
const K_U: f64 = 0.01;
const K_D: f64 = 0.000_18;
/// Thresholds, in milliseconds: the first, the least, the largest, and the distance beyond which it does not move.
const THRESHOLD: f64 = 12.5;
const THRESHOLDS: [f64; 2] = [6.0, 600.0];
const FAR: f64 = 15.0;
/// Most groups by which the estimate is multiplied.
const MOST_GROUPS: u32 = 60;
/// Milliseconds of overuse.
const OVERUSE_TIME: f64 = 10.0;
const BETA: f64 = 0.85;
const ETA: f64 = 1.08;
/// Window of the received rate, in nanoseconds.
const WINDOW: u64 = 500_000_000;
/// Weight of a new received rate in the average of those at decreases.
const SMOOTHING: f64 = 0.05;
/// Longest wait at the sender, in seconds.
const LONGEST_WAIT: f64 = 0.25;

/// Packets sent within a burst.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// Time of sending of the first, in nanoseconds.
    began: u64,
    sent: u64,
    arrived: u64,
}

/// Estimate of the delay gradient (§5.3), in milliseconds.
#[derive(Clone, Debug)]
struct Filter {
    m: f64,
    e: f64,
    v: f64,
}

impl Filter {
    fn new() -> Self {
        Self { m: 0.0, e: E_0, v: V_0 }
    }

    /// Takes d(i), with f_max in groups per second.
    fn update(&mut self, d: f64, f_max: f64) {
        let z = d - self.m;
        let alpha = libm::pow(1.0 - CHI, 30.0 / f_max);
        let bounded = z.clamp(-3.0 * self.v.sqrt(), 3.0 * self.v.sqrt());
        self.v = (alpha * self.v + (1.0 - alpha) * bounded * bounded).max(1.0);
        let k = (self.e + Q) / (self.v + self.e + Q);
        self.m += k * bounded;
        self.e = (1.0 - k) * (self.e + Q);
    }
}

/// Use of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Usage {
    Normal,
    Over,
    Under,
}

/// Over-use detector (§5.4).
#[derive(Clone, Debug)]
struct Detector {
    threshold: f64,
    /// Time above the threshold, in milliseconds; `None` below.
    above: Option<f64>,
    last: f64,
    usage: Usage,
}

impl Detector {
    fn new() -> Self {
        Self { threshold: THRESHOLD, above: None, last: 0.0, usage: Usage::Normal }
    }

    /// Takes an estimate, `elapsed` milliseconds after the one before.
    fn detect(&mut self, m: f64, elapsed: f64) {
        if m > self.threshold {
            let above = self.above.map_or(elapsed / 2.0, |above| above + elapsed);
            self.above = Some(above);
            if above > OVERUSE_TIME && m >= self.last {
                self.usage = Usage::Over;
            }
        } else {
            self.above = None;
            self.usage = if m < -self.threshold { Usage::Under } else { Usage::Normal };
        }
        self.last = m;
        let off = m.abs() - self.threshold;
        if off <= FAR {
            let k = if off < 0.0 { K_D } else { K_U };
            self.threshold = (self.threshold + elapsed * k * off).clamp(THRESHOLDS[0], THRESHOLDS[1]);
        }
    }
}

/// Received rates at decreases: average, and variance relative to it.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    rate: Option<f64>,
    variance: f64,
}

impl Link {
    fn update(&mut self, rate: f64) {
        let mean = self.rate.map_or(rate, |mean| mean + SMOOTHING * (rate - mean));
        let error = rate - mean;
        self.variance = (1.0 - SMOOTHING) * self.variance + SMOOTHING * error * error;
        self.rate = Some(mean);
    }

    /// True within three standard deviations, which are at least 2.5 % of the mean.
    fn is_near(&self, rate: f64) -> bool {
        self.rate.is_some_and(|mean| (rate - mean).abs() <= self.spread(mean))
    }

    /// True above that.
    fn is_exceeded(&self, rate: f64) -> bool {
        self.rate.is_some_and(|mean| rate > mean + self.spread(mean))
    }

    fn spread(&self, mean: f64) -> f64 {
        3.0 * self.variance.sqrt().max(0.025 * mean)
    }
}

/// State of the delay-based rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Hold,
    Increase,
}

/// The state of a stream.
#[derive(Clone, Debug)]
pub struct Gcc {
    least: f64,
    most: f64,
    packet: f64,
    /// The latest group and the one before.
    groups: [Option<Group>; 2],
    count: u32,
    /// Milliseconds between the arrivals of the latest groups.
    spacings: VecDeque<f64>,
    filter: Filter,
    detector: Detector,
    state: State,
    link: Link,
    by_delay: f64,
    by_loss: f64,
    updated: Option<Time>,
    arrivals: VecDeque<(u64, u32)>,
    /// Bytes of the arrivals.
    received: u64,
    first_arrival: Option<u64>,
    rtt: f64,
}

impl Gcc {
    /// A stream with bounds of its target and packets of up to `packet` bytes.
    pub fn new([least, most]: [f64; 2], packet: u32) -> Self {
        Self {
            least,
            most,
            packet: f64::from(packet),
            groups: [None; 2],
            count: 0,
            spacings: VecDeque::with_capacity(K),
            filter: Filter::new(),
            detector: Detector::new(),
            state: State::Increase,
            link: Link::default(),
            by_delay: least,
            by_loss: least,
            updated: None,
            arrivals: VecDeque::new(),
            received: 0,
            first_arrival: None,
            rtt: 0.0,
        }
    }

    fn arrive(&mut self, sent: u64, arrived: u64) {
        let [Some(group), before] = &mut self.groups else {
            self.groups[0] = Some(Group { began: sent, sent, arrived });
            return;
        };
        let is_burst = sent < group.began + BURST;
        // A packet that caught up belongs to the group that it caught.
        let has_caught_up = arrived < group.arrived + BURST
            && (arrived.saturating_sub(group.arrived) as i64) < sent as i64 - group.sent as i64;
        if is_burst || has_caught_up {
            (group.sent, group.arrived) = (group.sent.max(sent), group.arrived.max(arrived));
            return;
        }
        if let Some(before) = before {
            let millis = |late: u64, early: u64| (late as f64 - early as f64) / 1e6;
            let spacing = millis(group.arrived, before.arrived);
            let d = spacing - millis(group.sent, before.sent);
            if self.spacings.len() == K {
                self.spacings.pop_front();
            }
            self.spacings.push_back(spacing.max(1.0));
            self.count = (self.count + 1).min(MOST_GROUPS);
            let least = self.spacings.iter().copied().fold(f64::INFINITY, f64::min);
            self.filter.update(d, 1e3 / least);
            self.detector.detect(self.filter.m * f64::from(self.count), spacing);
        }
        self.groups = [Some(Group { began: sent, sent, arrived }), self.groups[0]];
    }

    /// Received rate in bits per second; `None` before the window is full.
    fn received_rate(&self) -> Option<f64> {
        let (&(latest, _), first) = (self.arrivals.back()?, self.first_arrival?);
        (latest >= first + WINDOW).then(|| self.received as f64 * 8e9 / WINDOW as f64)
    }

    fn update_by_delay(&mut self, now: Time) {
        let received = self.received_rate();
        let elapsed = self.updated.map_or(0.0, |before| now.since(before).as_secs());
        match self.detector.usage {
            Usage::Over => {
                let received = received.unwrap_or(self.by_delay);
                if self.link.is_exceeded(received) {
                    self.link = Link::default();
                }
                self.link.update(received);
                self.by_delay = self.by_delay.min(BETA * received);
                self.state = State::Hold;
                // The next report is judged anew.
                self.detector.above = None;
                self.detector.usage = Usage::Normal;
            }
            Usage::Under => self.state = State::Hold,
            Usage::Normal if self.state == State::Hold => self.state = State::Increase,
            Usage::Normal => {
                let received = received.unwrap_or(self.by_delay);
                if self.link.is_exceeded(received) {
                    self.link = Link::default();
                }
                self.by_delay = if self.link.is_near(received) {
                    let frame = self.by_delay / 30.0;
                    let bits = frame / libm::ceil(frame / (8.0 * self.packet));
                    let share = 0.5 * (elapsed / (0.1 + self.rtt)).min(1.0);
                    self.by_delay + (share * bits).max(1000.0 * elapsed.min(1.0))
                } else {
                    self.by_delay * libm::pow(ETA, elapsed.min(1.0))
                };
                self.by_delay = self.by_delay.min((1.5 * received).max(self.least));
            }
        }
        self.by_delay = self.by_delay.clamp(self.least, self.most);
        self.updated = Some(now);
    }
}

impl Control for Gcc {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if let Some(rtt) = feedback.rtt {
            self.rtt = rtt.as_secs();
        }
        let mut lost = 0;
        for fate in feedback.fates {
            let Some(arrived) = fate.arrived else {
                lost += 1;
                continue;
            };
            let arrived = arrived.as_nanos();
            self.first_arrival.get_or_insert(arrived);
            self.arrivals.push_back((arrived, fate.bytes));
            self.received += u64::from(fate.bytes);
            self.arrive(fate.sent.as_nanos(), arrived);
        }
        if let Some(&(latest, _)) = self.arrivals.back() {
            while let Some(&(oldest, bytes)) = self.arrivals.front()
                && oldest + WINDOW < latest
            {
                self.arrivals.pop_front();
                self.received -= u64::from(bytes);
            }
        }
        self.update_by_delay(feedback.now);
        let share = f64::from(lost) / feedback.fates.len() as f64;
        if share > 0.1 {
            self.by_loss *= 1.0 - 0.5 * share;
        } else if share < 0.02 {
            self.by_loss *= 1.05;
        }
        self.by_loss = self.by_loss.clamp(self.least, self.most);
    }

    fn target(&self, _queued: u64) -> f64 {
        self.by_delay.min(self.by_loss)
    }

    fn pacing(&self, queued: u64) -> f64 {
        self.target(queued).max(queued as f64 * 8.0 / LONGEST_WAIT)
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Fate;
    use super::*;
    use windward_units::Duration;

    /// d = 3 ms from rest: v = max(0.99·50 + 0.01·9, 1) = 49.59 at 30 groups a second, k = 0.101/49.691, m = 3k; then e
    /// = (1 − k)·0.101.
    #[test]
    fn the_filter_is_that_of_the_draft() {
        let mut filter = Filter::new();
        filter.update(3.0, 30.0);
        let k = 0.101 / 49.691;
        assert!((filter.v - 49.59).abs() < 1e-9 && (filter.m - 3.0 * k).abs() < 1e-12);
        assert!((filter.e - (1.0 - k) * 0.101).abs() < 1e-12);
        // At most three deviations count.
        let mut filter = Filter::new();
        filter.update(1000.0, 30.0);
        assert!((filter.v - (49.5 + 4.5)).abs() < 1e-9, "{}", filter.v);
    }

    /// Above the threshold for more than 10 ms, and not while falling. The threshold follows: 12.5 + 33·0.01·(20 −
    /// 12.5).
    #[test]
    fn overuse_takes_time_and_no_fall() {
        let mut detector = Detector::new();
        detector.detect(10.0, 33.0);
        assert_eq!(detector.usage, Usage::Normal);
        assert!((detector.threshold - (12.5 - 33.0 * 0.000_18 * 2.5)).abs() < 1e-12);
        let mut detector = Detector::new();
        detector.detect(20.0, 12.0);
        assert_eq!(detector.usage, Usage::Normal);
        assert!((detector.threshold - (12.5 + 12.0 * 0.01 * 7.5)).abs() < 1e-12);
        detector.detect(19.0, 12.0);
        assert_eq!(detector.usage, Usage::Normal);
        detector.detect(19.5, 12.0);
        assert_eq!(detector.usage, Usage::Over);
        detector.detect(-20.0, 12.0);
        assert_eq!(detector.usage, Usage::Under);
        // Far away it stays.
        let before = detector.threshold;
        detector.detect(before + 15.1, 12.0);
        assert_eq!(detector.threshold, before);
    }

    fn report(gcc: &mut Gcc, tenth: u64, lost: usize) {
        let now = Time::from_nanos((tenth + 1) * 100_000_000);
        let fate = |at: usize| {
            let sent = Time::from_nanos(tenth * 100_000_000 + at as u64 * 10_000_000);
            let arrived = (at >= lost).then_some(sent + Duration::from_millis(20));
            Fate { sent, arrived, bytes: 1250, is_marked: false }
        };
        let fates: Vec<Fate> = (0..10).map(fate).collect();
        gcc.on_feedback(&Feedback { now, fates: &fates, rtt: Some(Duration::from_millis(40)) });
    }

    /// 1 Mbit/s in packets of 1250 bytes without queues. The loss-based rate: × 1.05 without losses, kept at 10 %, ×
    /// 0.8 at 40 %. The delay-based one: 8 % a second, and at most 1.5 times what is received.
    #[test]
    fn rates_follow_losses_and_what_is_received() {
        let mut gcc = Gcc::new([100e3, 10e6], 1250);
        (gcc.by_loss, gcc.by_delay) = (1e6, 0.8e6);
        report(&mut gcc, 0, 0);
        assert!((gcc.by_loss - 1.05e6).abs() < 1.0);
        report(&mut gcc, 1, 1);
        assert!((gcc.by_loss - 1.05e6).abs() < 1.0);
        report(&mut gcc, 2, 4);
        assert!((gcc.by_loss - 0.84e6).abs() < 1.0);
        // From 0.1 s to 0.3 s.
        assert!((gcc.by_delay - 0.8e6 * libm::pow(1.08, 0.2)).abs() < 1.0, "{}", gcc.by_delay);
        gcc.by_delay = 2e6;
        (3..20).for_each(|tenth| report(&mut gcc, tenth, 0));
        // The window of half a second holds 50 packets and the one at its begin.
        assert!((gcc.by_delay - 1.5 * 1.02e6).abs() < 1.0, "{}", gcc.by_delay);
        // Overuse: 0.85 of it.
        gcc.detector.usage = Usage::Over;
        gcc.update_by_delay(Time::from_nanos(2_000_000_000));
        assert!((gcc.by_delay - 0.85 * 1.02e6).abs() < 1.0, "{}", gcc.by_delay);
        assert_eq!(gcc.state, State::Hold);
    }
}
