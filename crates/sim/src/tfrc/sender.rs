//! The sender: the allowed rate X (§4.3), and its decrease without feedback (§4.4).

use super::equation;
use super::receiver::Feedback;
use crate::network::TfrcOptions;
use libm::sqrt;
use windward_units::{Duration, Time};

/// Weight of the old R in the new one (§4.3 step 2), and of the old √R (§4.5).
const Q: f64 = 0.9;

/// t_mbi: maximum interval between packets in seconds (§4.3).
const LONGEST_GAP: f64 = 64.0;

/// No-feedback timeout before the first round-trip sample (§4.2).
const FIRST_TIMEOUT: Duration = Duration::from_millis(2000);

/// Capacity for reports that may fall into two round trips: one per round trip, more at loss events.
const REPORTS: usize = 16;

/// The sending end of a flow.
#[derive(Clone, Debug)]
pub struct Sender {
    segment: f64,
    has_reduction: bool,
    /// X, in bytes per second.
    rate: f64,
    /// R, in seconds; 0 before the first sample.
    rtt: f64,
    last_rtt: Duration,
    /// R_sqmean, √s.
    root: f64,
    /// tld: time at which X was last doubled.
    doubled_at: Time,
    /// p as last reported, and X_Bps at that p.
    loss: f64,
    equation: f64,
    /// Number of connections whose rate this one has, a real number from 1 on.
    connections: f64,
    /// X_recv_set (§4.3): receive rates with the times of their reports, newest last; infinite at first.
    received: [(f64, Time); REPORTS],
    count: usize,
}

impl Sender {
    /// A sender of segments of `segment` bytes.
    pub fn new(segment: f64, options: TfrcOptions) -> Self {
        Self {
            segment,
            has_reduction: options.oscillation_reduction,
            rate: segment,
            rtt: 0.0,
            last_rtt: Duration::ZERO,
            root: 0.0,
            doubled_at: Time::ZERO,
            loss: 0.0,
            equation: f64::INFINITY,
            connections: 1.0,
            received: [(f64::INFINITY, Time::ZERO); REPORTS],
            count: 1,
        }
    }

    /// R; zero before the first sample.
    pub fn rtt(&self) -> Duration {
        Duration::from_secs(self.rtt)
    }

    /// Latest sample of the round-trip time; zero before the first.
    pub fn last_rtt(&self) -> Duration {
        self.last_rtt
    }

    /// Number of connections whose rate this one has.
    pub fn connections(&self) -> f64 {
        self.connections
    }

    /// Sends at the rate of so many connections from the next report on.
    pub fn emulate(&mut self, connections: f64) {
        self.connections = connections.max(1.0);
    }

    /// Round-trip time that packets tell the receiver, which groups losses into events by it and reports once in it:
    /// R/n, in which n connections together send what one sends in R. Its p is then that of each of them.
    pub fn told_rtt(&self) -> Duration {
        Duration::from_secs(self.rtt / self.connections)
    }

    /// p, as last reported.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// X, in bytes per second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// X_inst (§4.5), in bytes per second.
    pub fn instant_rate(&self) -> f64 {
        let sample = self.last_rtt.as_secs();
        if !self.has_reduction || sample <= 0.0 {
            return self.rate;
        }
        (self.rate * self.root / sqrt(sample)).max(self.least())
    }

    /// Packets per round trip at rate X.
    pub fn window(&self) -> f64 {
        self.rate * self.rtt / self.segment
    }

    /// Interval between packets.
    pub fn gap(&self) -> Duration {
        Duration::from_secs(self.segment / self.instant_rate())
    }

    fn least(&self) -> f64 {
        self.segment / LONGEST_GAP
    }

    /// W_init/R (§4.2): four segments, at most 4380 bytes, but at least two segments.
    fn initial_rate(&self) -> f64 {
        (4.0 * self.segment).min((2.0 * self.segment).max(4380.0)) / self.rtt
    }

    /// Records the duration `sample` of the exchange that opened the connection.
    pub fn establish(&mut self, now: Time, sample: Duration) {
        self.sample(sample);
        self.rate = self.initial_rate();
        self.doubled_at = now;
        self.received = [(f64::INFINITY, now); REPORTS];
        self.count = 1;
    }

    fn sample(&mut self, sample: Duration) {
        let seconds = sample.as_secs();
        (self.rtt, self.root) = if self.rtt == 0.0 {
            (seconds, sqrt(seconds))
        } else {
            (Q * self.rtt + (1.0 - Q) * seconds, Q * self.root + (1.0 - Q) * sqrt(seconds))
        };
        self.last_rtt = sample;
    }

    /// Handles feedback (§4.3). Returns the sample of the round-trip time.
    pub fn on_feedback(&mut self, now: Time, feedback: &Feedback) -> Duration {
        let echo = Duration::from_nanos(now.as_nanos() - feedback.stamp);
        let sample = Duration::from_nanos(echo.as_nanos().saturating_sub(feedback.delay.as_nanos()));
        self.sample(sample);
        self.note_received(now, feedback.rate);
        self.loss = feedback.loss;
        if self.loss > 0.0 {
            self.equation = self.connections * equation::rate(self.segment, self.rtt, self.loss);
            self.take_equation();
        } else if now.since(self.doubled_at).as_secs() >= self.rtt {
            self.rate = (2.0 * self.rate).min(self.limit()).max(self.initial_rate());
            self.doubled_at = now;
        }
        sample
    }

    /// "Update X_recv_set()": removes rates older than two round trips.
    fn note_received(&mut self, now: Time, rate: f64) {
        let oldest = 2.0 * self.rtt;
        let mut kept = 0;
        for at in 0..self.count {
            let entry = self.received[at];
            // With more reports than the capacity the oldest is dropped.
            if now.since(entry.1).as_secs() <= oldest && self.count - at < REPORTS {
                self.received[kept] = entry;
                kept += 1;
            }
        }
        self.received[kept] = (rate, now);
        self.count = kept + 1;
    }

    /// recv_limit.
    fn limit(&self) -> f64 {
        2.0 * self.most_received()
    }

    fn most_received(&self) -> f64 {
        self.received[..self.count].iter().map(|entry| entry.0).fold(0.0, f64::max)
    }

    fn take_equation(&mut self) {
        self.rate = self.equation.min(self.limit()).max(self.least());
    }

    /// No-feedback timeout: max(4R, 2s/X).
    pub fn timeout(&self) -> Duration {
        if self.rtt == 0.0 {
            return FIRST_TIMEOUT;
        }
        Duration::from_secs((4.0 * self.rtt).max(2.0 * self.segment / self.rate))
    }

    /// Handles the expiry of the no-feedback timer (§4.4).
    pub fn on_timeout(&mut self, now: Time) {
        if self.loss == 0.0 {
            self.rate = (self.rate / 2.0).max(self.least());
            return;
        }
        let received = self.most_received();
        // If the limit is already twice the receive rate, it is halved; otherwise the equation's rate is.
        let limit = if self.equation > 2.0 * received { received } else { self.equation / 2.0 };
        self.received[0] = (limit.max(self.least()) / 2.0, now);
        self.count = 1;
        self.take_equation();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    fn feedback(sent: u64, rate: f64, loss: f64) -> Feedback {
        Feedback { stamp: millis(sent).as_nanos(), delay: Duration::ZERO, end: 1, rate, loss }
    }

    fn sender() -> Sender {
        let mut sender = Sender::new(1000.0, TfrcOptions::default());
        sender.establish(millis(0), Duration::from_millis(100));
        sender
    }

    /// Four segments of 1000 bytes in 100 ms, then a doubling per round trip, up to twice the receive rate.
    #[test]
    fn the_rate_doubles_until_the_receiver_does_not_follow() {
        let mut sender = sender();
        assert_eq!(sender.rate(), 40_000.0);
        assert_eq!(sender.gap(), Duration::from_millis(25));
        sender.on_feedback(millis(110), &feedback(10, 0.0, 0.0));
        assert_eq!(sender.rate(), 80_000.0);
        // Less than a round trip later.
        sender.on_feedback(millis(150), &feedback(50, 40_000.0, 0.0));
        assert_eq!(sender.rate(), 80_000.0);
        sender.on_feedback(millis(250), &feedback(150, 80_000.0, 0.0));
        assert_eq!(sender.rate(), 160_000.0);
        // The infinite initial rate has been removed; the link carries 100 kB/s.
        sender.on_feedback(millis(360), &feedback(260, 100_000.0, 0.0));
        assert_eq!(sender.rate(), 200_000.0);
        sender.on_feedback(millis(470), &feedback(370, 100_000.0, 0.0));
        assert_eq!(sender.rate(), 200_000.0);
        assert_eq!(sender.timeout(), Duration::from_millis(400));
    }

    /// At 1 % loss X is 112 332 bytes per second (see the equation); without feedback half of that, then a quarter. At
    /// first the receive rate of 200 kB/s is no limit: X_recv_set becomes {X/4}, X = X/2. Then 2·X_recv = X/2 is below
    /// the equation's rate, and it is halved.
    #[test]
    fn silence_halves_the_rate() {
        let mut sender = sender();
        sender.on_feedback(millis(100), &feedback(0, 200_000.0, 0.01));
        let full = sender.rate();
        assert!((full / 112_332.0 - 1.0).abs() < 2e-5);
        sender.on_timeout(millis(500));
        assert!((sender.rate() / (full / 2.0) - 1.0).abs() < 1e-12);
        sender.on_timeout(millis(900));
        assert!((sender.rate() / (full / 4.0) - 1.0).abs() < 1e-12);
        (0..60).for_each(|_| sender.on_timeout(millis(900)));
        assert!((sender.rate() - 1000.0 / 64.0).abs() < 1e-9);
    }

    /// R = 0.9·100 + 0.1·200 = 110 ms, and √R likewise: the instantaneous rate is lower by the factor (0.9·√0.1 +
    /// 0.1·√0.2)/√0.2.
    #[test]
    fn a_longer_round_trip_slows_the_instant() {
        let mut sender = sender();
        sender.on_feedback(millis(200), &feedback(0, 1e9, 0.01));
        assert_eq!(sender.rtt(), Duration::from_millis(110));
        let ratio = sender.instant_rate() / sender.rate();
        assert!((ratio - (0.9 * sqrt(0.5) + 0.1)).abs() < 1e-12, "{ratio}");
    }
}
