//! NADA: network-assisted dynamic adaptation (RFC 8698).
//!
//! The aggregate congestion signal, in the same unit as a delay (§4.2):
//!
//! * d̃ = d for d < QTH, else QTH·exp(−λ(d − QTH)/QTH), with the queueing delay d. It is used while the latest loss
//!   event is less than MULTILOSS mean loss intervals away, after which d̃ passes into d within another such interval
//! * x = d̃ + DMARK·(p_mark/PMRREF)² + DLOSS·(p_loss/PLRREF)²
//!
//! The reference rate r (§4.3), δ after the last update:
//!
//! * accelerated ramp-up, if within LOGWIN no packet was lost and every queueing delay was below QEPS:
//!   r ← max(r, (1 + γ)·r_recv) with γ = min(GAMMA_MAX, QBOUND/(rtt + DELTA + DFILT))
//! * otherwise gradual update: r ← r − κ·(δ/τ)·((x − PRIO·XREF·RMAX/r)/τ)·r − κ·η·((x − x_prev)/τ)·r
//!
//! It rests at x = PRIO·XREF·RMAX/r. The encoder has r − BETA_V·8·B·FPS and the sender r + BETA_S·8·B·FPS, both within
//! RMIN and RMAX, with B bytes that wait (§5.2.2).
//!
//! **Where we differ**
//! * The sender computes x from reports on each packet, as in §5.3's alternative; the RFC's receiver reports x itself.
//! * x is at most 500 ms, as in the authors' implementation for ns-3. Without the bound, half of the packets lost make
//!   an x of 25 s, and while that decays the term in x − x_prev multiplies r by up to eleven every 100 ms.
//! * The base delay is the least of the whole run: clocks do not drift.
//! * Losses that were sent within a round trip of the first of them are one loss event, as in RFC 5348; the RFC leaves
//!   the grouping open.

use super::control::{Control, Feedback};
use std::collections::VecDeque;
use windward_units::Time;

/// Reference congestion level, in seconds.
const XREF: f64 = 0.010;
const KAPPA: f64 = 0.5;
const ETA: f64 = 2.0;
/// Upper bound of the round-trip time in the gradual update, in seconds.
const TAU: f64 = 0.5;
/// Interval of the reports that ramp-up expects, in seconds.
const DELTA: f64 = 0.1;
/// Observation window, in nanoseconds.
const LOGWIN: u64 = 500_000_000;
/// Queueing delay that counts as build-up, in seconds.
const QEPS: f64 = 0.010;
/// Bound of the filtering delay, in seconds.
const DFILT: f64 = 0.120;
const GAMMA_MAX: f64 = 0.5;
/// Queueing delay that a ramp-up may cause, in seconds.
const QBOUND: f64 = 0.050;
const MULTILOSS: f64 = 7.0;
/// Queueing delay from which it is warped, in seconds.
const QTH: f64 = 0.050;
const LAMBDA: f64 = 0.5;
const PLRREF: f64 = 0.01;
const PMRREF: f64 = 0.01;
/// Penalty of the reference loss ratio, in seconds.
const DLOSS: f64 = 0.010;
/// Penalty of the reference marking ratio, in seconds.
const DMARK: f64 = 0.002;
/// Largest x, in seconds.
const XMAX: f64 = 0.5;
/// Weight of a new loss or marking ratio.
const ALPHA: f64 = 0.1;
const BETA_V: f64 = 0.1;
const BETA_S: f64 = 0.1;
/// Packets of the minimum filter of queueing delays.
const TAPS: usize = 15;
/// Weights of loss intervals, the newest first (RFC 5348 §5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// A packet of the observation window.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Time of its arrival; of a lost one, that of the last arrival before.
    at: u64,
    bytes: u32,
    is_lost: bool,
    is_marked: bool,
    /// True if its queueing delay was QEPS or more.
    is_late: bool,
}

/// Sums over the observation window.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    packets: u32,
    bytes: u64,
    lost: u32,
    marked: u32,
    late: u32,
}

impl Sums {
    /// Adds a packet, or takes it away.
    fn count(&mut self, seen: Seen, sign: i32) {
        let add = |to: &mut u32, is_true: bool| *to = to.wrapping_add_signed(sign * i32::from(is_true));
        add(&mut self.packets, true);
        add(&mut self.lost, seen.is_lost);
        add(&mut self.marked, seen.is_marked);
        add(&mut self.late, seen.is_late);
        let bytes = if seen.is_lost { 0 } else { i64::from(seen.bytes) };
        self.bytes = self.bytes.wrapping_add_signed(i64::from(sign) * bytes);
    }
}

/// Loss events, in packets.
#[derive(Clone, Debug, Default)]
struct LossIntervals {
    closed: [f64; 8],
    count: usize,
    /// Packets since the first lost one of the latest event.
    open: f64,
    has_loss: bool,
    /// Packets sent until then belong to the latest event.
    until: u64,
}

impl LossIntervals {
    fn lose(&mut self, sent: u64, rtt: f64) {
        if self.has_loss && sent <= self.until {
            return;
        }
        if self.has_loss {
            self.closed.rotate_right(1);
            self.closed[0] = self.open;
            self.count = (self.count + 1).min(WEIGHTS.len());
        }
        (self.has_loss, self.open) = (true, 0.0);
        self.until = sent + (rtt * 1e9) as u64;
    }

    /// Mean of the closed intervals; of the open one if there is no other.
    fn mean(&self) -> f64 {
        if self.count == 0 {
            return self.open;
        }
        let terms = self.closed.iter().zip(&WEIGHTS).take(self.count);
        let (sum, weights) = terms.fold((0.0, 0.0), |(sum, all), (own, weight)| (sum + own * weight, all + weight));
        sum / weights
    }
}

/// The state of a stream.
#[derive(Clone, Debug)]
pub struct Nada {
    least: f64,
    most: f64,
    priority: f64,
    fps: f64,
    /// r_ref, in bits per second.
    rate: f64,
    /// x of the last update, in seconds.
    signal: f64,
    updated: Option<Time>,
    /// Least one-way delay, in nanoseconds.
    base: u64,
    /// Latest queueing delays, in seconds.
    taps: [f64; TAPS],
    seen: u64,
    window: VecDeque<Seen>,
    sums: Sums,
    last_arrival: u64,
    loss: f64,
    marking: f64,
    intervals: LossIntervals,
    rtt: f64,
}

impl Nada {
    /// A stream with RMIN and RMAX, PRIO, and a number of frames per second.
    pub fn new([least, most]: [f64; 2], priority: f64, fps: f64) -> Self {
        Self {
            least,
            most,
            priority,
            fps,
            rate: least,
            signal: 0.0,
            updated: None,
            base: u64::MAX,
            taps: [f64::INFINITY; TAPS],
            seen: 0,
            window: VecDeque::new(),
            sums: Sums::default(),
            last_arrival: 0,
            loss: 0.0,
            marking: 0.0,
            intervals: LossIntervals::default(),
            rtt: 0.0,
        }
    }

    fn record(&mut self, feedback: &Feedback<'_>) {
        for fate in feedback.fates {
            let mut is_late = false;
            if let Some(arrived) = fate.arrived {
                let delay = arrived.as_nanos() - fate.sent.as_nanos();
                self.base = self.base.min(delay);
                let queued = (delay - self.base) as f64 / 1e9;
                self.taps[(self.seen % TAPS as u64) as usize] = queued;
                self.seen += 1;
                is_late = queued >= QEPS;
                self.last_arrival = self.last_arrival.max(arrived.as_nanos());
            } else {
                self.intervals.lose(fate.sent.as_nanos(), self.rtt);
            }
            self.intervals.open += 1.0;
            let (bytes, is_marked) = (fate.bytes, fate.is_marked);
            let seen = Seen { at: self.last_arrival, bytes, is_lost: fate.arrived.is_none(), is_marked, is_late };
            self.window.push_back(seen);
            self.sums.count(seen, 1);
        }
        while let Some(&oldest) = self.window.front()
            && oldest.at + LOGWIN < self.last_arrival
        {
            self.window.pop_front();
            self.sums.count(oldest, -1);
        }
        let of_window = |part: u32| f64::from(part) / f64::from(self.sums.packets.max(1));
        self.loss += ALPHA * (of_window(self.sums.lost) - self.loss);
        self.marking += ALPHA * (of_window(self.sums.marked) - self.marking);
    }

    /// x, in seconds.
    fn congestion(&self) -> f64 {
        let least = self.taps.iter().copied().fold(f64::INFINITY, f64::min);
        let delay = if least.is_finite() { least } else { 0.0 };
        let (open, mean) = (self.intervals.open, self.intervals.mean());
        let share = if self.intervals.has_loss { (open / mean - MULTILOSS).clamp(0.0, 1.0) } else { 1.0 };
        let delay = share * delay + (1.0 - share) * warp(delay);
        (delay + penalty(DMARK, self.marking / PMRREF) + penalty(DLOSS, self.loss / PLRREF)).min(XMAX)
    }
}

/// d̃ of a queueing delay, in seconds.
fn warp(delay: f64) -> f64 {
    if delay < QTH { delay } else { QTH * libm::exp(-LAMBDA * (delay - QTH) / QTH) }
}

/// Penalty of a ratio relative to its reference.
fn penalty(scale: f64, ratio: f64) -> f64 {
    scale * ratio * ratio
}

impl Control for Nada {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if let Some(rtt) = feedback.rtt {
            self.rtt = rtt.as_secs();
        }
        self.record(feedback);
        let signal = self.congestion();
        if let Some(before) = self.updated.replace(feedback.now) {
            if self.sums.lost == 0 && self.sums.late == 0 {
                let gamma = (QBOUND / (self.rtt + DELTA + DFILT)).min(GAMMA_MAX);
                let received = self.sums.bytes as f64 * 8e9 / LOGWIN as f64;
                self.rate = self.rate.max((1.0 + gamma) * received);
            } else {
                let delta = feedback.now.since(before).as_secs();
                let offset = signal - self.priority * XREF * self.most / self.rate;
                let change = delta / TAU * offset / TAU + ETA * (signal - self.signal) / TAU;
                self.rate -= KAPPA * change * self.rate;
            }
            self.rate = self.rate.clamp(self.least, self.most);
        }
        self.signal = signal;
    }

    fn target(&self, queued: u64) -> f64 {
        (self.rate - BETA_V * 8.0 * queued as f64 * self.fps).max(self.least)
    }

    fn pacing(&self, queued: u64) -> f64 {
        (self.rate + BETA_S * 8.0 * queued as f64 * self.fps).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Fate;
    use super::*;
    use windward_units::Duration;

    /// Warped delays by hand: 50 ms stays, 100 ms becomes 50·e^−½ = 30.3 ms, then 18.4, 11.2 and 4.1 ms. Losses of 0.5,
    /// 1, 2 and 5 % weigh 2.5, 10, 40 and 250 ms, a mark in a hundred 2 ms.
    #[test]
    fn delays_are_warped_and_losses_weigh_by_their_square() {
        for (delay, warped) in
            [(0.049, 0.049), (0.05, 0.05), (0.1, 0.0303), (0.15, 0.0184), (0.2, 0.0112), (0.3, 0.0041)]
        {
            assert!((warp(delay) - warped).abs() < 6e-5, "{delay}: {}", warp(delay));
        }
        for (loss, weight) in [(0.005, 0.0025), (0.01, 0.010), (0.02, 0.040), (0.05, 0.250)] {
            assert!((penalty(DLOSS, loss / PLRREF) - weight).abs() < 1e-12);
        }
        assert!((penalty(DMARK, 0.01 / PMRREF) - 0.002).abs() < 1e-12);
    }

    /// A fluid link of some rate between streams and their reports every 100 ms, 20 ms away: shares and queueing
    /// delays.
    fn rest(capacity: f64, priorities: &[f64], ranges: &[f64]) -> (Vec<f64>, f64) {
        const BYTES: f64 = 1000.0;
        let mut streams: Vec<Nada> =
            priorities.iter().zip(ranges).map(|(&priority, &most)| Nada::new([150e3, most], priority, 30.0)).collect();
        let mut fates: Vec<Vec<Fate>> = vec![Vec::new(); streams.len()];
        // Streams in step would find each other's packets before them, and take that for the base delay.
        let mut due: Vec<f64> = (0..streams.len()).map(|at| at as f64 * BYTES / streams.len() as f64).collect();
        let mut queue = 0.0f64;
        let step = 1_000_000;
        for tick in 1..600_000_u64 {
            let now = Time::from_nanos(tick * step);
            for ((stream, fates), due) in streams.iter().zip(&mut fates).zip(&mut due) {
                *due += stream.rate * 1e-3 / 8.0;
                while *due >= BYTES {
                    *due -= BYTES;
                    queue += BYTES * 8.0;
                    let arrived = Some(now + Duration::from_secs(0.02 + queue / capacity));
                    fates.push(Fate { sent: now, arrived, bytes: BYTES as u32, is_marked: false });
                }
            }
            queue = (queue - capacity * 1e-3).max(0.0);
            if tick % 100 == 0 {
                for (stream, fates) in streams.iter_mut().zip(&mut fates) {
                    if !fates.is_empty() {
                        let rtt = Some(Duration::from_millis(40));
                        stream.on_feedback(&Feedback { now, fates, rtt });
                        fates.clear();
                    }
                }
            }
        }
        (streams.iter().map(|stream| stream.rate).collect(), queue / capacity)
    }

    /// A stream alone takes all, and rests at a queueing delay of XREF·RMAX/C: 25 ms at 0.6 Mbit/s, 15 ms at 1 Mbit/s,
    /// 10 ms at 1.5 Mbit/s; the granularity is a packet of 8000 bits.
    #[test]
    fn it_rests_where_the_signal_says() {
        for (capacity, delay) in [(0.6e6, 0.025), (1.0e6, 0.015)] {
            let (rates, queue) = rest(capacity, &[1.0], &[1.5e6]);
            assert!((rates[0] / capacity - 1.0).abs() < 0.02, "{rates:?}");
            assert!((queue - delay).abs() < 8000.0 / capacity, "{queue} and {delay}");
        }
    }

    /// Shares are proportional to PRIO·RMAX: 1 to 2 by either.
    #[test]
    fn shares_are_weighted() {
        for (priorities, ranges) in [([1.0, 2.0], [1.5e6, 1.5e6]), ([1.0, 1.0], [1.5e6, 3.0e6])] {
            let (rates, _) = rest(1.5e6, &priorities, &ranges);
            assert!((rates[1] / rates[0] / 2.0 - 1.0).abs() < 0.05, "{rates:?}");
            assert!(((rates[0] + rates[1]) / 1.5e6 - 1.0).abs() < 0.05, "{rates:?}");
        }
    }

    /// Losses 100 packets apart, in round trips of 40 ms: after 700 packets the delay counts in full step by step.
    #[test]
    fn loss_intervals_end_the_warping() {
        let mut intervals = LossIntervals::default();
        for at in 0..=400_u64 {
            if at % 100 == 0 {
                intervals.lose(at * 10_000_000, 0.04);
            } else if at % 100 == 3 {
                // 30 ms later: the same event.
                intervals.lose(at * 10_000_000, 0.04);
            }
            intervals.open += 1.0;
        }
        assert_eq!((intervals.count, intervals.mean(), intervals.open), (4, 100.0, 1.0));
    }
}
