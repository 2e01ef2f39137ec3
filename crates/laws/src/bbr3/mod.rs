//! BBR, version 3: BBR that limits losses to 2 % and leaves headroom for other flows.
//!
//! draft-ietf-ccwg-bbr, "BBR Congestion Control", the working group's copy of 3 August 2026; the names are the draft's.
//! Rates in packets per second, volumes in packets, times in seconds.
//!
//! * bw = min(max_bw, bw_shortterm), pacing rate 0.99·gain·bw; max_bw: maximum delivery rate of this cycle and the
//!   previous one
//! * cwnd ← min(cwnd + acked, cwnd_gain·bw·min_rtt + extra_acked), at least 4 and 3 bursts, at most the limit of the
//!   state: inflight_longterm, less 15 % of it in CRUISE and ProbeRTT, and inflight_shortterm
//! * Startup (gains 2.77 and 2) until three rounds have grown the rate by less than a quarter, or a round of recovery
//!   loses more than 2 % in 6 places; Drain (0.5) until a bandwidth-delay product is in flight, or three rounds have
//!   passed
//! * ProbeBW: DOWN (0.9) until a bandwidth-delay product is in flight and 15 % of inflight_longterm is free; CRUISE (1)
//!   for 2 to 3 s, or as many rounds as there are packets in flight (at most 63) if that is sooner; REFILL (1) for a
//!   round; UP (1.25, window 2.25) until the rate has stopped growing, or more than 2 % is lost
//! * UP raises inflight_longterm by 1, 2, 4, … packets a round; more than 2 % lost in UP or REFILL set it to the flight
//!   at that point, not below 0.7 of the target; the next UP then ends there (precaution)
//! * a round with losses outside of Startup, REFILL and UP: bw_shortterm and inflight_shortterm ← max(latest, 0.7 of
//!   them)
//! * ProbeRTT: every 5 s without a lower sample, half a bandwidth-delay product in flight for 200 ms and a round;
//!   min_rtt counts 10 s
//! * after recovery the window is restored; a timeout leaves one packet
//!
//! **Where we differ**
//! * The draft handles each lost packet with its own send-time state. Here an ACK that reports losses is handled once,
//!   with the send-time state of the newest packet that it delivers. Losses are detected by packets sent a few later,
//!   so that the states differ by a few packets.
//! * Loss events are counted as ACKs that report losses.
//! * `C.is_cwnd_limited`: the window was full when an ACK arrived, in this round or the last.
//! * No response to ECN marks: the draft has none.

mod parts;
mod probe_bw;
mod probe_rtt;
mod short_term;
#[cfg(test)]
mod tests;

use crate::shared::max_filter::MaxFilter;
use crate::{Ack, Congestion, CongestionKind, Law, Needs, Repair, Start};
use parts::{ProbeBw, ProbeRtt, ShortTerm};
use windward_units::{Duration, PacketRate, Packets, Time, splitmix64};

params! {
    /// Parameters of [`Bbr3`].
    Params {
        /// Share of losses that a probe for bandwidth may cause.
        loss_threshold: f64 = 0.02, from 0.001 to 0.5, note " (`BBR.LossThresh`)";
        /// Least share that a round with losses leaves.
        beta: f64 = 0.7, from 0.1 to 1, note " (`BBR.Beta`)";
        /// Share of the measured capacity of the path left to others.
        headroom: f64 = 0.15, from 0 to 0.9, note " (`BBR.Headroom`)";
        /// Time between measurements of the round-trip time, in seconds.
        probe_rtt_interval: f64 = 5, from 0.1 to 1e6, note " (`BBR.ProbeRTTInterval`)";
        /// Window of the minimum-RTT filter, in seconds.
        min_rtt_window: f64 = 10, from 0.1 to 1e6, note " (`BBR.MinRTTFilterLen`)";
        /// End a probe for bandwidth at the flight at which the last one lost too much.
        precaution: bool = true, note " (Precautionary Bandwidth Probing)";
        /// Compare the flight before the ACK for it, as Linux's BBRv3 does, and not the flight after it.
        prior_flight: bool = false;
        /// Size ProbeRTT's window by the minimum RTT of before its expiry.
        prior_min_rtt: bool = false, note "; proposed in the draft's issue 109";
    }
}

/// State of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl Phase {
    /// Gains of the pacing rate and of the window.
    const fn gains(self) -> (f64, f64) {
        match self {
            Self::Startup => (2.77, 2.0),
            Self::Drain => (0.5, 2.0),
            Self::Down => (0.9, 2.0),
            Self::Cruise | Self::Refill => (1.0, 2.0),
            Self::Up => (1.25, 2.25),
            Self::ProbeRtt => (1.0, 0.5),
        }
    }

    const fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    const fn is_accelerating(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}

/// The law and its state. Boxed: a flow holds the law itself, and most laws are small.
#[derive(Clone, Debug)]
pub struct Bbr3(Box<State>);

/// Rate sample of an ACK: the draft's RS.
#[derive(Clone, Copy, Debug, Default)]
struct RateSample {
    rate: f64,
    delivered: f64,
    is_limited: bool,
    /// Packets in flight when the newest packet delivered was sent, and packets lost since then.
    tx_in_flight: f64,
    lost: f64,
}

#[derive(Clone, Debug)]
struct State {
    params: Params,
    random: u64,
    now: Time,
    rs: RateSample,
    phase: Phase,
    cwnd: f64,
    pacing_rate: f64,
    has_rtt: bool,
    bw: f64,
    /// Maximum rates of the last cycle and of this one.
    max_bw: [f64; 2],
    // Rounds
    delivered: f64,
    next_round_delivered: f64,
    round_count: u64,
    is_round_start: bool,
    // "Filled the pipe"
    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    drain_start_round: u64,
    // Long-term model
    inflight_longterm: f64,
    probe: ProbeBw,
    short: ShortTerm,
    rtt: ProbeRtt,
    limited_until: f64,
    is_idle_restart: bool,
    // Recovery
    repair: Repair,
    prior_cwnd: f64,
    undo: Undo,
    // Aggregation
    extra_acked: MaxFilter,
    extra_since: Time,
    extra_delivered: f64,
}

/// State that a spurious recovery restores.
#[derive(Clone, Copy, Debug, Default)]
struct Undo {
    phase: Option<Phase>,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

/// Pacing rate as a share of the bandwidth.
const PACING_MARGIN: f64 = 0.99;
/// `BBR.MinPipeCwnd`.
const MIN_PIPE: f64 = 4.0;
/// Minimum window in slow start, and the window of a connection without round-trip samples.
const INITIAL_CWND: f64 = 10.0;
/// Default round-trip time of the handshake.
const NOMINAL_RTT: f64 = 1e-3;
/// Growth of the rate below which the pipe is considered full, and the number of rounds for it.
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
/// Maximum rounds of Drain.
const DRAIN_ROUNDS: u64 = 3;
/// Rounds of the aggregation filter, after Startup.
const EXTRA_ROUNDS: u64 = 10;
/// `C.send_quantum`: data of a millisecond, two segments to 64 KiB.
const QUANTUM: f64 = 1e-3;
const MOST_SEGMENTS: f64 = 44.0;

impl Bbr3 {
    /// A new connection with `initial` packets of window.
    pub fn new(params: Params, initial: Packets) -> Self {
        let mut state = State {
            params,
            random: 0,
            now: Time::ZERO,
            rs: RateSample::default(),
            phase: Phase::Startup,
            cwnd: initial.count().max(1.0),
            pacing_rate: 0.0,
            has_rtt: false,
            bw: 0.0,
            max_bw: [0.0; 2],
            delivered: 0.0,
            next_round_delivered: 0.0,
            round_count: 0,
            is_round_start: false,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_start_round: 0,
            inflight_longterm: f64::INFINITY,
            probe: ProbeBw::default(),
            short: ShortTerm::default(),
            rtt: ProbeRtt::default(),
            limited_until: -1.0,
            is_idle_restart: false,
            repair: Repair::Nothing,
            prior_cwnd: 0.0,
            undo: Undo::default(),
            extra_acked: MaxFilter::default(),
            extra_since: Time::ZERO,
            extra_delivered: 0.0,
        };
        state.pace_by_rtt(NOMINAL_RTT);
        Self(Box::new(state))
    }
}

impl Law for Bbr3 {
    const NEEDS: Needs = Needs { drives_recovery: true, reads_samples: true, counts_acks: false, ..Needs::CLASSIC };
    const NOT_IN_LINUX: Option<&'static str> = Some(
        "Linux has version 1 of BBR; kernels with version 3 call it `bbr` too\nhint: `law = \"bbr\"`, or `simulate`",
    );

    fn on_start(&mut self, start: &Start) {
        let state = &mut *self.0;
        (state.random, state.now, state.extra_since) = (start.seed, start.now, start.now);
        state.rtt.start(start);
        if let Some(rtt) = start.rtt {
            state.has_rtt = true;
            state.pace_by_rtt(rtt.as_secs());
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let state = &mut *self.0;
        if event.kind == CongestionKind::Mark {
            return;
        }
        state.save_cwnd();
        state.save_state();
        if event.kind == CongestionKind::Timeout {
            state.repair = Repair::Timeout;
            state.short.note_loss(state.delivered);
            state.cwnd = 1.0;
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
        (state.now, state.is_idle_restart) = (now, true);
        (state.extra_since, state.extra_delivered) = (now, 0.0);
        if state.phase.is_probe_bw() {
            state.pace(1.0);
        } else if state.phase == Phase::ProbeRtt {
            state.check_probe_rtt_done();
        }
    }

    fn on_undo(&mut self, _before: Packets) {
        self.0.undo_recovery();
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        let state = &*self.0;
        // Without a bound there is none to show.
        let bound = |value: f64| if value.is_finite() { value } else { 0.0 };
        sink("max_bw", state.max_bw());
        sink("bw", state.bw);
        sink("min_rtt", bound(state.rtt.min_rtt_secs().unwrap_or(0.0)));
        sink("phase", f64::from(state.phase as u8));
        sink("inflight_longterm", bound(state.inflight_longterm));
        sink("inflight_shortterm", bound(state.short.inflight));
    }
}

impl State {
    fn on_ack(&mut self, ack: &Ack) {
        let sample = &ack.sample;
        self.now = ack.now;
        self.delivered = sample.delivered.count();
        self.probe.note_flight(sample.prior_flight.count(), self.cwnd);
        let is_valid = sample.interval > Duration::ZERO && sample.interval >= ack.base_rtt;
        let is_limited = ack.app_limited || sample.delivered_at_send.count() <= self.limited_until;
        let count = (sample.delivered - sample.delivered_at_send).count();
        self.rs = RateSample {
            rate: if is_valid { count / sample.interval.as_secs() } else { 0.0 },
            delivered: count,
            is_limited,
            tx_in_flight: ack.flight_at_send.count(),
            lost: (sample.lost - sample.lost_at_send).count(),
        };
        if ack.lost.count() > 0.0 {
            self.handle_losses();
        }
        if is_valid {
            self.update_model(ack);
        }
        self.update_control(ack);
    }

    fn update_model(&mut self, ack: &Ack) {
        let prior_delivered = ack.sample.delivered_at_send.count();
        self.short.hear(&self.rs, prior_delivered, self.delivered);
        self.update_max_bw(prior_delivered);
        if self.short.is_round_start {
            self.adapt_lower_bounds();
        }
        self.update_aggregation(ack);
        self.check_full_bw();
        self.check_startup_high_loss(ack);
        if self.phase == Phase::Startup && self.full_bw_reached {
            self.phase = Phase::Drain;
            self.drain_start_round = self.round_count;
        }
        self.check_drain_done(ack.flight.count());
        self.update_probe_bw(ack);
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        self.short.advance(&self.rs);
        self.bw = self.max_bw().min(self.short.bw);
    }

    fn update_control(&mut self, ack: &Ack) {
        if !self.has_rtt && ack.srtt > Duration::ZERO {
            self.has_rtt = true;
            self.pace_by_rtt(ack.srtt.as_secs());
        }
        self.pace(self.phase.gains().0);
        if self.repair != Repair::Nothing && ack.sample.repair == Repair::Nothing {
            self.restore_cwnd();
        }
        self.repair = ack.sample.repair;
        self.set_cwnd(ack.acked.count());
    }

    // Rates and rounds

    fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    fn update_max_bw(&mut self, prior_delivered: f64) {
        self.is_round_start = prior_delivered >= self.next_round_delivered;
        if self.is_round_start {
            self.start_round();
            self.round_count += 1;
            self.probe.count_round();
        }
        if self.rs.rate >= self.max_bw() || !self.rs.is_limited {
            self.max_bw[1] = self.max_bw[1].max(self.rs.rate);
        }
    }

    fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// Advances the filter by a cycle, unless the cycle had no samples.
    fn advance_max_bw(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }

    fn update_aggregation(&mut self, ack: &Ack) {
        let mut expected = self.bw * ack.now.since(self.extra_since).as_secs();
        if self.extra_delivered <= expected {
            (self.extra_delivered, self.extra_since, expected) = (0.0, ack.now, 0.0);
        }
        self.extra_delivered += ack.acked.count();
        let extra = (self.extra_delivered - expected).min(self.cwnd);
        let window = if self.full_bw_reached { EXTRA_ROUNDS } else { 1 };
        self.extra_acked.push(self.round_count, extra, window);
    }

    // Startup and Drain

    fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }

    fn check_full_bw(&mut self) {
        if self.full_bw_now || !self.is_round_start || self.rs.is_limited {
            return;
        }
        if self.rs.rate >= self.full_bw * FULL_GROWTH {
            self.reset_full_bw();
            self.full_bw = self.rs.rate;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= FULL_ROUNDS;
        self.full_bw_reached |= self.full_bw_now;
    }

    fn check_drain_done(&mut self, flight: f64) {
        let is_done =
            || flight <= self.inflight(self.bw, 1.0) || self.round_count > self.drain_start_round + DRAIN_ROUNDS;
        if self.phase == Phase::Drain && is_done() {
            self.start_down();
        }
    }

    // Volumes

    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        self.rtt.min_rtt_secs().map_or(INITIAL_CWND, |rtt| gain * bw * rtt)
    }

    /// `Inflight(bw, gain)`.
    fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.allow_for_pieces(self.bdp(bw, gain))
    }

    fn allow_for_pieces(&self, volume: f64) -> f64 {
        let volume = volume.max(3.0 * self.quantum()).max(MIN_PIPE);
        if self.phase == Phase::Up { volume + 2.0 } else { volume }
    }

    /// Target of packets in flight: `TargetInflight()`.
    fn target_inflight(&self) -> f64 {
        self.bdp(self.bw, 1.0).min(self.cwnd)
    }

    fn inflight_with_headroom(&self) -> f64 {
        let headroom = (self.params.headroom * self.inflight_longterm).max(1.0);
        // Without a bound there is none.
        if self.inflight_longterm.is_finite() {
            (self.inflight_longterm - headroom).max(MIN_PIPE)
        } else {
            f64::INFINITY
        }
    }

    // What it decides

    fn quantum(&self) -> f64 {
        (self.pacing_rate * QUANTUM).floor().clamp(2.0, MOST_SEGMENTS)
    }

    fn pace(&mut self, gain: f64) {
        let rate = PACING_MARGIN * gain * self.bw;
        if rate > self.pacing_rate || (self.full_bw_reached && rate > 0.0) {
            self.pacing_rate = rate;
        }
    }

    fn pace_by_rtt(&mut self, rtt: f64) {
        self.pacing_rate = Phase::Startup.gains().0 * self.cwnd / rtt;
    }

    fn set_cwnd(&mut self, acked: f64) {
        let (_, gain) = self.phase.gains();
        let most = self.allow_for_pieces(self.bdp(self.bw, gain) + self.extra_acked.max());
        if self.full_bw_reached {
            self.cwnd = (self.cwnd + acked).min(most);
        } else if self.cwnd < most || self.delivered < INITIAL_CWND {
            self.cwnd += acked;
        }
        self.cwnd = self.cwnd.max(MIN_PIPE);
        if self.phase == Phase::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        let bound = match self.phase {
            Phase::Down | Phase::Refill | Phase::Up => self.inflight_longterm,
            Phase::Cruise | Phase::ProbeRtt => self.inflight_with_headroom(),
            Phase::Startup | Phase::Drain => f64::INFINITY,
        };
        self.cwnd = self.cwnd.min(bound.min(self.short.inflight).max(MIN_PIPE));
    }

    // Recovery

    fn save_cwnd(&mut self) {
        let is_whole = self.repair == Repair::Nothing && self.phase != Phase::ProbeRtt;
        self.prior_cwnd = if is_whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn save_state(&mut self) {
        self.undo = Undo {
            phase: None,
            bw_shortterm: self.short.bw,
            inflight_shortterm: self.short.inflight,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// `HandleSpuriousLossDetection()`.
    fn undo_recovery(&mut self) {
        self.restore_cwnd();
        self.short.has_loss = false;
        self.reset_full_bw();
        self.short.bw = self.short.bw.max(self.undo.bw_shortterm);
        self.short.inflight = self.short.inflight.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        match self.undo.phase.take() {
            Some(Phase::Startup) if self.phase != Phase::Startup => {
                self.full_bw_reached = false;
                if self.phase != Phase::ProbeRtt {
                    self.phase = Phase::Startup;
                }
            }
            Some(Phase::Up) if !matches!(self.phase, Phase::Up | Phase::ProbeRtt) => self.start_refill(),
            _ => {}
        }
    }

    /// A number from 0 to 1.
    fn draw(&mut self) -> f64 {
        self.random = splitmix64(self.random);
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@misc{cardwell2026bbr3,
  author = {Neal Cardwell and Ian Swett and Joseph Beshay},
  title = {{BBR} Congestion Control},
  howpublished = {Internet-Draft draft-ietf-ccwg-bbr, work in progress},
  year = {2026},
  url = {https://datatracker.ietf.org/doc/draft-ietf-ccwg-bbr/}
}";
