//! The receiver: loss detection (§5.1), grouping of losses into events (§5.2), the receive rate and the timing of
//! reports (§6).

use super::equation;
use super::intervals::LossIntervals;
use crate::network::TfrcOptions;
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Number of later packets after which a missing one counts as lost (NDUPACK, §5.1).
const NDUPACK: usize = 3;

/// A received packet.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    number: u32,
    at: Time,
}

/// Report from the receiver to the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// Timestamp of the last packet, and the time since its arrival.
    pub stamp: u64,
    pub delay: Duration,
    /// Number after that of the last packet.
    pub end: u32,
    /// X_recv, in bytes per second.
    pub rate: f64,
    /// p, the loss event rate.
    pub loss: f64,
}

/// The receiving end of a flow.
#[derive(Debug)]
pub struct Receiver {
    segment: f64,
    /// Number below which all packets are known to have arrived or be lost, and the arrival time of the last arrived
    /// one.
    base: u32,
    base_at: Option<Time>,
    /// Packets that arrived beyond the first gap, by number.
    beyond: VecDeque<Arrival>,
    /// First lost packet of the last loss event, and the time at which it would have arrived.
    event: Option<(u32, Time)>,
    intervals: LossIntervals,
    /// Arrival times of packets, as far back as a rate needs them.
    arrivals: VecDeque<Time>,
    /// The sender's R in the last packet.
    rtt: Duration,
    last: Option<(u64, Time, u32)>,
    reported_at: Option<Time>,
    is_reported: bool,
    reported_loss: f64,
    most_rate: f64,
    /// Number of loss events so far.
    pub events: u64,
}

impl Receiver {
    /// A receiver of packets of `segment` bytes, starting with number `first`.
    pub fn new(segment: f64, first: u32, options: TfrcOptions) -> Self {
        Self {
            segment,
            base: first,
            base_at: None,
            beyond: VecDeque::with_capacity(16),
            event: None,
            intervals: LossIntervals::new(options),
            arrivals: VecDeque::with_capacity(64),
            rtt: Duration::ZERO,
            last: None,
            reported_at: None,
            is_reported: true,
            reported_loss: 0.0,
            most_rate: 0.0,
            events: 0,
        }
    }

    /// Starts the next connection between the same ends, with packet numbers from `first`.
    pub fn renew(&mut self, first: u32, options: TfrcOptions) {
        *self = Self { events: self.events, ..Self::new(self.segment, first, options) };
    }

    /// Handles the arrival of a packet that was sent at `stamp` by a sender with this `rtt`. Returns true if a report
    /// is due at once.
    pub fn receive(&mut self, now: Time, number: u32, stamp: u64, rtt: Duration) -> bool {
        self.rtt = rtt;
        self.arrivals.push_back(now);
        let end = self.last.map_or(0, |(_, _, end)| end).max(number + 1);
        self.last = Some((stamp, now, end));
        let is_first = self.reported_at.is_none();
        self.is_reported = false;
        let has_event = number >= self.base && self.place(Arrival { number, at: now });
        is_first || (has_event && self.loss() > self.reported_loss)
    }

    /// Inserts a packet and detects losses. Returns true for a new loss event.
    fn place(&mut self, arrival: Arrival) -> bool {
        let at = self.beyond.partition_point(|other| other.number < arrival.number);
        self.beyond.insert(at, arrival);
        let mut has_event = false;
        while let Some(&first) = self.beyond.front() {
            if first.number > self.base {
                if self.beyond.len() < NDUPACK {
                    break;
                }
                has_event |= self.lose(first, arrival.at);
            }
            self.beyond.pop_front();
            (self.base, self.base_at) = (first.number + 1, Some(first.at));
        }
        has_event
    }

    /// Marks all packets from the base to before `next` lost. Returns true if that starts a loss event.
    fn lose(&mut self, next: Arrival, now: Time) -> bool {
        let before = self.base_at.unwrap_or(next.at);
        // §5.2: interpolates the arrival times of lost packets between their neighbours.
        let gap = f64::from(next.number - self.base + 1);
        let mut has_event = false;
        for number in self.base..next.number {
            let place = f64::from(number - self.base + 1) / gap;
            let at = before + next.at.since(before).scale(place);
            match self.event {
                Some((_, begin)) if at <= begin + self.rtt => continue,
                Some((first, _)) => self.intervals.close(f64::from(number - first)),
                None => self.begin_history(now),
            }
            self.event = Some((number, at));
            self.events += 1;
            has_event = true;
        }
        has_event
    }

    /// §6.3.1: the first interval is the one that yields the current rate.
    fn begin_history(&mut self, now: Time) {
        let target = self.most_rate.max(self.measure(now));
        let rtt = self.rtt.as_secs();
        self.intervals.close(1.0 / equation::loss(self.segment, rtt, target.max(self.segment / rtt)));
    }

    /// Returns p.
    fn loss(&self) -> f64 {
        let open = self.event.map_or(0, |(first, _)| self.base - first);
        self.intervals.loss_event_rate(f64::from(open))
    }

    /// X_recv (§6.2): over the last round trip, or since the last report if that is longer ago.
    fn measure(&self, now: Time) -> f64 {
        let span = self.reported_at.map_or(Duration::ZERO, |at| now.since(at)).max(self.rtt);
        let begin = now.as_nanos().saturating_sub(span.as_nanos());
        let count = self.arrivals.iter().rev().take_while(|at| at.as_nanos() > begin).count();
        self.segment * count as f64 / span.as_secs()
    }

    /// Returns the report and the time of the next one; `None` if no packet arrived since the last report.
    pub fn report(&mut self, now: Time) -> Option<(Feedback, Time)> {
        let (stamp, came, end) = self.last?;
        if self.is_reported {
            return None;
        }
        // The first packet alone yields no rate (§6.3).
        let rate = if self.reported_at.is_none() { 0.0 } else { self.measure(now) };
        self.most_rate = self.most_rate.max(rate);
        let loss = self.loss();
        (self.reported_at, self.is_reported, self.reported_loss) = (Some(now), true, loss);
        while self.arrivals.front().is_some_and(|at| now.since(*at) > self.rtt * 2) {
            self.arrivals.pop_front();
        }
        Some((Feedback { stamp, delay: now.since(came), end, rate, loss }, now + self.rtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    const RTT: Duration = Duration::from_millis(100);

    /// Packets arrive every 10 ms, except for the lost ones. Returns those at which a report is due at once.
    fn receive(receiver: &mut Receiver, numbers: std::ops::Range<u32>, lost: &[u32]) -> Vec<u32> {
        let arrive = numbers.filter(|number| !lost.contains(number));
        arrive.filter(|&number| receiver.receive(millis(10 * u64::from(number)), number, 0, RTT)).collect()
    }

    /// 20, 22 and 29 are within 100 ms of 20, which is one event. 31 is not, and closes an interval of 11 packets. The
    /// loss of 20 is detected when 21, 23 and 24 have arrived, and that of 31 with 34.
    #[test]
    fn losses_of_a_round_trip_are_one_event() {
        let mut receiver = Receiver::new(1000.0, 0, TfrcOptions::default());
        assert_eq!(receive(&mut receiver, 0..1, &[]), [0]);
        let first = receiver.report(millis(0)).expect("a packet came").0;
        assert_eq!((first.rate, first.loss, first.end), (0.0, 0.0, 1));
        assert!(receive(&mut receiver, 1..20, &[]).is_empty());
        let second = receiver.report(millis(190)).expect("packets came").0;
        // 19 packets since the last report, 190 ms ago.
        assert!((second.rate - 100_000.0).abs() < 1e-6, "{}", second.rate);
        assert_eq!(receive(&mut receiver, 20..31, &[20, 22, 29]), [24]);
        assert_eq!(receiver.events, 1);
        // The first interval yields 100 kB/s at 100 ms: by the equation p = 1.2 %.
        let p = receiver.report(millis(300)).expect("packets came").0.loss;
        assert!((equation::rate(1000.0, 0.1, p) / 100_000.0 - 1.0).abs() < 1e-6, "{p}");
        assert_eq!(receive(&mut receiver, 31..36, &[31]), [34]);
        assert_eq!(receiver.events, 2);
        // The mean of the intervals 1/p and 11 is (1/p + 11)/2.
        let both = receiver.report(millis(350)).expect("packets came").0.loss;
        assert!((1.0 / both - (1.0 / p + 11.0) / 2.0).abs() < 1e-6);
        assert_eq!(receiver.report(millis(360)), None);
    }

    /// A packet overtaken by two others is not lost.
    #[test]
    fn a_late_packet_is_not_lost() {
        let mut receiver = Receiver::new(1000.0, 0, TfrcOptions::default());
        for (at, number) in [0, 1, 3, 4, 2, 5, 6, 7].into_iter().enumerate() {
            receiver.receive(millis(10 * at as u64), number, 0, RTT);
        }
        assert_eq!((receiver.events, receiver.base), (0, 8));
    }
}
