//! BBR, version 1: paces at the maximum recent delivery rate and keeps at most two bandwidth-delay products in flight.
//!
//! N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh and V. Jacobson, "BBR: congestion-based congestion control",
//! ACM Queue 14(5), 2016, DOI 10.1145/3012426.3022184; following Linux 6.18 (net/ipv4/tcp_bbr.c, win_minmax.c,
//! tcp_rate.c). Rates B in packets a second, times in seconds, windows W in packets, g the gains of the state:
//!
//! * B: maximum delivery rate of ten round trips; R: minimum round-trip time of 10 s
//! * pacing rate 0.99·g·B, which only rises until the pipe is full. At first g·W/srtt with the handshake's srtt
//! * target T(g) = ⌈g·B·R⌉ + 3·Q, made even, and 2 more while probing with g = 5/4; Q: segments per burst handed to the
//!   device
//! * W ← min(W + acked, T(2) + extra), at least 4; extra: recent ACK aggregation above B, at most 100 ms of B
//! * Startup, g = 2.89: until B has not grown by a quarter in three round trips. Drain, g = 0.34: until T(1) are in
//!   flight
//! * ProbeBW: g = 5/4, 3/4, then six phases of 1, a phase as long as R; 5/4 goes on until T(5/4) are in flight or a
//!   packet is lost, 3/4 ends as soon as T(1) are in flight. Begins in a random phase, but not in 3/4
//! * ProbeRTT: when R is 10 s old, W ≤ 4 for 200 ms and a round trip
//! * recovery: in the first round trip a packet for a packet delivered, then W + acked; W is restored afterwards. A
//!   timeout leaves 1
//! * policer: two intervals of 4 to 16 round trips with at least 20 % of losses and rates within an eighth give the
//!   rate for the next 48 round trips
//!
//! **Where we differ**
//! * Real numbers replace the kernel's fractions of 2⁻⁸ and 2⁻²⁴, nanoseconds its microseconds and jiffies. The gains
//!   are those of its integers: 739/256 and 88/256.
//! * The kernel chooses Q by bytes: at least 2 from 1.2 Mbit/s on, here with segments of 1448 bytes.
//! * A lone last segment is not recognised as a delayed ACK (`is_ack_delayed`), which Linux keeps out of R when R has
//!   expired.
//! * The kernel also acts on ACKs that deliver nothing, so its window may subtract their losses a moment earlier.

mod aggregation;
mod policer;
#[cfg(test)]
mod tests;

use crate::shared::max_filter::MaxFilter;
use crate::{Ack, Congestion, CongestionKind, Law, Needs, Repair, Start};
use aggregation::Aggregation;
use policer::{Interval, Policer};
use windward_units::{Duration, PacketRate, Packets, Time, splitmix64};

params! {
    /// Parameters of [`Bbr`].
    Params {
        /// Limit of bandwidth-delay products in flight while probing for bandwidth.
        cwnd_gain: f64 = 2, from 1 to 10, note " (`bbr_cwnd_gain`)";
        /// Window of the minimum-RTT filter, in seconds.
        min_rtt_window: f64 = 10, from 0.1 to 1e6, note " (`bbr_min_rtt_win_sec`)";
        /// Time with four packets in flight to measure the minimum RTT again, in seconds.
        probe_rtt: f64 = 0.2, from 0.001 to 10, note " (`bbr_probe_rtt_mode_ms`)";
        /// Detect a policer, and send at its rate.
        policer: bool = true;
    }
}

/// State of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// The law and its state. Boxed: a flow holds the law itself, and most laws are small.
#[derive(Clone, Debug)]
pub struct Bbr(Box<State>);

#[derive(Clone, Debug)]
struct State {
    params: Params,
    random: u64,
    cwnd: f64,
    /// Packets a second.
    pacing_rate: f64,
    has_rtt: bool,
    mode: Mode,
    // The path
    bandwidth: MaxFilter,
    min_rtt: Duration,
    /// Time of the sample R; `None` before the connection has begun.
    min_rtt_at: Option<Time>,
    // Round trips
    rounds: u64,
    is_round_start: bool,
    /// Delivered packets at the end of the round trip: a packet sent after that many ends it.
    round_ends_at: f64,
    // Gains
    pacing_gain: f64,
    cwnd_gain: f64,
    phase: usize,
    phase_at: Time,
    // Startup
    is_full: bool,
    full_bandwidth: f64,
    full_rounds: u32,
    // ProbeRTT
    probe_rtt_ends: Option<Time>,
    has_probe_round: bool,
    is_idle_restart: bool,
    /// Samples of packets sent with at most this many delivered are app-limited and do not measure the path.
    limited_until: f64,
    // Recovery
    repair: Repair,
    is_conserving: bool,
    prior_cwnd: f64,
    policer: Policer,
    aggregation: Aggregation,
}

/// 2/ln 2, the least gain that doubles the rate in every round trip, in the kernel's integers.
const HIGH_GAIN: f64 = 739.0 / 256.0;
/// Round trips of the bandwidth filter.
const BANDWIDTH_ROUNDS: u64 = 10;
/// Pacing gain that drains Startup's queue in about a round trip.
const DRAIN_GAIN: f64 = 88.0 / 256.0;
const PACING_GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Number of possible first phases: all but that of 3/4.
const FIRST_PHASES: u64 = 7;
/// Pacing rate as a share of the bandwidth, below 1 to keep queues short.
const PACING_MARGIN: f64 = 0.99;
/// Minimum window, so that delayed ACKs do not stop it.
const LEAST_CWND: f64 = 4.0;
/// Window of a connection without round-trip samples, and the minimum in slow start.
const INITIAL_CWND: f64 = 10.0;
/// Growth of the bandwidth below which Startup considers the pipe full, and the number of round trips for it.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Default round-trip time of the handshake.
const NOMINAL_RTT: f64 = 1e-3;
/// Linux hands the device the data of 2⁻¹⁰ s at once, at least two segments from 1.2 Mbit/s on, at most 64 KiB.
const PIECES_PER_SECOND: f64 = 1024.0;
const TWO_SEGMENT_RATE: f64 = 1.2e6 / (8.0 * SEGMENT);
const MOST_SEGMENTS: f64 = 44.0;
/// Bytes of a segment, for the kernel's byte counts.
const SEGMENT: f64 = 1448.0;

impl Bbr {
    /// A new connection with `initial` packets of window.
    pub fn new(params: Params, initial: Packets) -> Self {
        let mut state = State {
            params,
            random: 0,
            cwnd: initial.count().max(1.0),
            pacing_rate: 0.0,
            has_rtt: false,
            mode: Mode::Startup,
            bandwidth: MaxFilter::default(),
            min_rtt: Duration::MAX,
            min_rtt_at: None,
            rounds: 0,
            is_round_start: false,
            round_ends_at: 0.0,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            phase: 0,
            phase_at: Time::ZERO,
            is_full: false,
            full_bandwidth: 0.0,
            full_rounds: 0,
            probe_rtt_ends: None,
            has_probe_round: false,
            is_idle_restart: false,
            limited_until: -1.0,
            repair: Repair::Nothing,
            is_conserving: false,
            prior_cwnd: 0.0,
            policer: Policer::default(),
            aggregation: Aggregation::default(),
        };
        state.pace_by_rtt(NOMINAL_RTT);
        Self(Box::new(state))
    }
}

impl Law for Bbr {
    const NEEDS: Needs = Needs { drives_recovery: true, reads_samples: true, counts_acks: false, ..Needs::CLASSIC };

    fn on_start(&mut self, start: &Start) {
        let state = &mut *self.0;
        state.random = start.seed;
        state.min_rtt_at = Some(start.now);
        state.aggregation.restart(start.now);
        if let Some(rtt) = start.rtt {
            (state.min_rtt, state.has_rtt) = (rtt, true);
            state.pace_by_rtt(rtt.as_secs());
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        let state = &mut *self.0;
        let is_limited = ack.app_limited || ack.sample.delivered_at_send.count() <= state.limited_until;
        state.update_bandwidth(ack, is_limited);
        state.update_aggregation(ack);
        state.update_phase(ack);
        state.check_full(is_limited);
        state.check_drain(ack);
        state.update_min_rtt(ack);
        state.update_gains();
        state.set_pacing_rate(ack);
        state.set_cwnd(ack);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let state = &mut *self.0;
        state.save_cwnd();
        if event.kind == CongestionKind::Timeout {
            // As if a round trip had ended with a loss.
            state.repair = Repair::Timeout;
            state.full_bandwidth = 0.0;
            state.is_round_start = true;
            state.cwnd = 1.0;
            state.look_for_policer(None);
        }
    }

    fn cwnd(&self) -> Packets {
        Packets::new(self.0.cwnd)
    }

    fn pacing_rate(&self) -> Option<PacketRate> {
        Some(PacketRate::per_sec(self.0.pacing_rate))
    }

    fn send_quantum(&self) -> u32 {
        self.0.quantum() as u32
    }

    fn on_restart(&mut self, now: Time) {
        let state = &mut *self.0;
        state.is_idle_restart = true;
        state.aggregation.restart(now);
        match state.mode {
            // No bursts into a queue that others may have filled.
            Mode::ProbeBw => state.pace(1.0),
            Mode::ProbeRtt => state.check_probe_rtt_done(now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn on_undo(&mut self, _before: Packets) {
        let state = &mut *self.0;
        (state.full_bandwidth, state.full_rounds) = (0.0, 0);
        state.policer = Policer::default();
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        let state = &*self.0;
        sink("bandwidth", state.bandwidth());
        sink("min_rtt", if state.min_rtt == Duration::MAX { 0.0 } else { state.min_rtt.as_secs() });
        sink("pacing_gain", state.pacing_gain);
        sink("mode", f64::from(state.mode as u8));
        sink("extra_acked", state.aggregation.extra());
    }
}

impl State {
    /// B, or the policer's rate if one was found.
    fn bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.bandwidth.max())
    }

    fn update_bandwidth(&mut self, ack: &Ack, is_limited: bool) {
        let sample = &ack.sample;
        self.is_round_start = false;
        if !is_valid(ack) {
            return;
        }
        if sample.delivered_at_send.count() >= self.round_ends_at {
            self.round_ends_at = sample.delivered.count();
            self.rounds += 1;
            self.is_round_start = true;
            self.is_conserving = false;
        }
        self.look_for_policer(Some((ack, is_limited)));
        let rate = (sample.delivered - sample.delivered_at_send).count() / sample.interval.as_secs();
        // An application that had little to send makes a low rate; one above B is a bandwidth that the path has.
        if !is_limited || rate >= self.bandwidth.max() {
            self.bandwidth.push(self.rounds, rate, BANDWIDTH_ROUNDS);
        }
    }

    /// Detects a policer. `ack` is `None` after a timeout, which only reports a loss.
    fn look_for_policer(&mut self, ack: Option<(&Ack, bool)>) {
        if !self.params.policer {
            return;
        }
        let is_probing = self.mode == Mode::ProbeBw;
        let interval = match ack {
            Some((ack, is_limited)) => Interval {
                now: ack.now,
                delivered: ack.sample.delivered.count(),
                lost: ack.sample.lost.count(),
                has_loss: ack.lost.count() > 0.0,
                is_limited,
                is_round_start: self.is_round_start,
            },
            None => self.policer.at_timeout(),
        };
        if self.policer.update(&interval, is_probing) {
            self.begin_probing(interval.now);
        }
    }

    fn update_aggregation(&mut self, ack: &Ack) {
        if is_valid(ack) {
            let bandwidth = self.bandwidth();
            self.aggregation.update(ack.now, ack.acked.count(), bandwidth, self.cwnd, self.is_round_start);
        }
    }

    // ProbeBW

    fn update_phase(&mut self, ack: &Ack) {
        if self.mode == Mode::ProbeBw && self.is_phase_over(ack) {
            self.next_phase(ack.now);
        }
    }

    fn is_phase_over(&self, ack: &Ack) -> bool {
        let is_full_length = ack.now.since(self.phase_at) > self.min_rtt;
        if self.pacing_gain == 1.0 {
            return is_full_length;
        }
        let flight = self.flight_at_next_send(ack, ack.sample.prior_flight.count());
        let bandwidth = self.bandwidth.max();
        if self.pacing_gain > 1.0 {
            return is_full_length && (ack.lost.count() > 0.0 || flight >= self.target(bandwidth, self.pacing_gain));
        }
        is_full_length || flight <= self.target(bandwidth, 1.0)
    }

    fn next_phase(&mut self, now: Time) {
        self.phase = (self.phase + 1) % PACING_GAINS.len();
        self.phase_at = now;
    }

    fn begin_probing(&mut self, now: Time) {
        self.mode = Mode::ProbeBw;
        self.random = splitmix64(self.random);
        self.phase = PACING_GAINS.len() - 1 - (self.random % FIRST_PHASES) as usize;
        self.next_phase(now);
    }

    /// Packets in the network when pacing releases the next ones, given `flight` now.
    fn flight_at_next_send(&self, ack: &Ack, flight: f64) -> f64 {
        let delivered = (self.bandwidth() * ack.sample.next_send.since(ack.now).as_secs()).floor();
        let sent = if self.pacing_gain > 1.0 { self.quantum() } else { 0.0 };
        (flight + sent - delivered).max(0.0)
    }

    // Startup and Drain

    fn check_full(&mut self, is_limited: bool) {
        if self.is_full || !self.is_round_start || is_limited {
            return;
        }
        if self.bandwidth.max() >= self.full_bandwidth * FULL_GROWTH {
            (self.full_bandwidth, self.full_rounds) = (self.bandwidth.max(), 0);
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= FULL_ROUNDS;
    }

    fn check_drain(&mut self, ack: &Ack) {
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain {
            let flight = self.flight_at_next_send(ack, ack.flight.count());
            if flight <= self.target(self.bandwidth.max(), 1.0) {
                self.begin_probing(ack.now);
            }
        }
    }

    // ProbeRTT

    fn update_min_rtt(&mut self, ack: &Ack) {
        let measured_at = *self.min_rtt_at.get_or_insert(ack.now);
        let is_expired = ack.now.since(measured_at) > Duration::from_secs(self.params.min_rtt_window);
        if let Some(rtt) = ack.rtt
            && (rtt < self.min_rtt || is_expired)
        {
            self.min_rtt = rtt;
            self.min_rtt_at = Some(ack.now);
        }
        if is_expired && !self.is_idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_ends = None;
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(ack);
        }
        self.is_idle_restart = false;
    }

    fn probe_rtt(&mut self, ack: &Ack) {
        let delivered = ack.sample.delivered.count();
        self.limited_until = (delivered + ack.flight.count()).max(1.0);
        if self.probe_rtt_ends.is_some() {
            self.has_probe_round |= self.is_round_start;
            if self.has_probe_round {
                self.check_probe_rtt_done(ack.now);
            }
        } else if ack.flight.count() <= LEAST_CWND {
            self.probe_rtt_ends = Some(ack.now + Duration::from_secs(self.params.probe_rtt));
            self.has_probe_round = false;
            self.round_ends_at = delivered;
        }
    }

    fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt_ends.is_none_or(|ends| now <= ends) {
            return;
        }
        self.min_rtt_at = Some(now);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.is_full {
            self.begin_probing(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    // What it decides

    fn update_gains(&mut self) {
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBw if self.policer.rate().is_some() => (1.0, self.params.cwnd_gain),
            Mode::ProbeBw => (PACING_GAINS[self.phase], self.params.cwnd_gain),
            Mode::ProbeRtt => (1.0, 1.0),
        };
    }

    fn set_pacing_rate(&mut self, ack: &Ack) {
        if !self.has_rtt && ack.srtt > Duration::ZERO {
            self.has_rtt = true;
            self.pace_by_rtt(ack.srtt.as_secs());
        }
        self.pace(self.pacing_gain);
    }

    fn pace(&mut self, gain: f64) {
        let rate = PACING_MARGIN * gain * self.bandwidth();
        if rate > self.pacing_rate || (self.is_full && rate > 0.0) {
            self.pacing_rate = rate;
        }
    }

    fn pace_by_rtt(&mut self, rtt: f64) {
        self.pacing_rate = PACING_MARGIN * HIGH_GAIN * self.cwnd / rtt;
    }

    /// Q.
    fn quantum(&self) -> f64 {
        let least = if self.pacing_rate < TWO_SEGMENT_RATE { 1.0 } else { 2.0 };
        (self.pacing_rate / PIECES_PER_SECOND).floor().clamp(least, MOST_SEGMENTS)
    }

    /// ⌈g·B·R⌉.
    fn bdp(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.min_rtt == Duration::MAX {
            return INITIAL_CWND;
        }
        (gain * bandwidth * self.min_rtt.as_secs()).ceil()
    }

    /// T(g).
    fn target(&self, bandwidth: f64, gain: f64) -> f64 {
        self.allow_for_pieces(self.bdp(bandwidth, gain))
    }

    fn allow_for_pieces(&self, packets: f64) -> f64 {
        let even = ((packets + 3.0 * self.quantum()) / 2.0).ceil() * 2.0;
        let is_up = self.mode == Mode::ProbeBw && self.phase == 0;
        if is_up { even + 2.0 } else { even }
    }

    fn set_cwnd(&mut self, ack: &Ack) {
        let acked = ack.acked.count();
        if !self.recover_or_restore(ack) {
            let extra = if self.is_full { self.aggregation.allowance(self.bandwidth()) } else { 0.0 };
            let target = self.allow_for_pieces(self.bdp(self.bandwidth(), self.cwnd_gain) + extra);
            if self.is_full {
                self.cwnd = (self.cwnd + acked).min(target);
            } else if self.cwnd < target || ack.sample.delivered.count() < INITIAL_CWND {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(LEAST_CWND);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(LEAST_CWND);
        }
    }

    /// Handles recovery; true if packets are conserved: one is sent for each that is delivered, in the first round trip
    /// of recovery.
    fn recover_or_restore(&mut self, ack: &Ack) -> bool {
        let (was, is) = (self.repair, ack.sample.repair);
        self.repair = is;
        let conserved = (ack.flight + ack.acked).count();
        if ack.lost.count() > 0.0 {
            self.cwnd = (self.cwnd - ack.lost.count()).max(1.0);
        }
        if is == Repair::Losses && was != Repair::Losses {
            self.is_conserving = true;
            self.round_ends_at = ack.sample.delivered.count();
            self.cwnd = conserved;
        } else if was != Repair::Nothing && is == Repair::Nothing {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.is_conserving = false;
        }
        if self.is_conserving {
            self.cwnd = self.cwnd.max(conserved);
        }
        self.is_conserving
    }

    /// Saves the window before recovery or ProbeRTT cuts it.
    fn save_cwnd(&mut self) {
        let is_whole = self.repair == Repair::Nothing && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if is_whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }
}

/// True if the ACK has a valid rate. An ACK sooner than any packet could arrive acknowledges an earlier transmission.
fn is_valid(ack: &Ack) -> bool {
    ack.sample.interval > Duration::ZERO && ack.sample.interval >= ack.base_rtt
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{cardwell2016bbr,
  author = {Neal Cardwell and Yuchung Cheng and C. Stephen Gunn and Soheil Hassas Yeganeh and Van Jacobson},
  title = {{BBR}: Congestion-Based Congestion Control},
  journal = {ACM Queue},
  volume = {14}, number = {5}, pages = {20--53}, year = {2016},
  doi = {10.1145/3012426.3022184}
}";
