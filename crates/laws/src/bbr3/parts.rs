//! State of the law's parts; their behaviour is in files of their own.

use windward_units::{Duration, Time};

/// ACK phase of the probe (`BBR.ack_phase`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Acks {
    #[default]
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// State of probing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeBw {
    pub(super) acks: Acks,
    pub(super) cycle_at: Time,
    pub(super) wait: Duration,
    pub(super) rounds: u32,
    /// `is_bw_probe_sample`.
    pub(super) is_sample: bool,
    /// `prev_probe_too_high`, `prev_probe_precautionary`.
    pub(super) was_too_high: bool,
    pub(super) was_precautionary: bool,
    pub(super) up_rounds: u32,
    pub(super) up_acked: f64,
    pub(super) acked_per_packet: f64,
    /// True if the window was full in this round, and in the last.
    pub(super) is_full: [bool; 2],
}

impl Default for ProbeBw {
    fn default() -> Self {
        Self {
            acks: Acks::Init,
            cycle_at: Time::ZERO,
            wait: Duration::ZERO,
            rounds: 0,
            is_sample: false,
            was_too_high: false,
            was_precautionary: false,
            up_rounds: 0,
            up_acked: 0.0,
            acked_per_packet: f64::INFINITY,
            is_full: [false; 2],
        }
    }
}

/// Minimum round-trip time and the time of its next measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeRtt {
    pub(super) min_rtt: Duration,
    pub(super) min_rtt_at: Time,
    /// min_rtt before this ACK, and the one that bounds the window of this ProbeRTT.
    pub(super) prior: Duration,
    pub(super) bound: Duration,
    /// `probe_rtt_min_delay` and its stamp.
    pub(super) delay: Duration,
    pub(super) delay_at: Time,
    pub(super) has_begun: bool,
    pub(super) is_expired: bool,
    pub(super) ends: Option<Time>,
    pub(super) has_round: bool,
}

impl Default for ProbeRtt {
    fn default() -> Self {
        Self {
            min_rtt: Duration::MAX,
            min_rtt_at: Time::ZERO,
            prior: Duration::MAX,
            bound: Duration::MAX,
            delay: Duration::MAX,
            delay_at: Time::ZERO,
            has_begun: false,
            is_expired: false,
            ends: None,
            has_round: false,
        }
    }
}

/// `bw_shortterm` and `inflight_shortterm`, and the round in which losses are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTerm {
    /// `bw_shortterm`; infinite without losses.
    pub(super) bw: f64,
    /// `inflight_shortterm`.
    pub(super) inflight: f64,
    pub(super) bw_latest: f64,
    pub(super) inflight_latest: f64,
    /// `is_loss_in_round`.
    pub(super) has_loss: bool,
    /// `loss_round_start`.
    pub(super) is_round_start: bool,
    pub(super) round_delivered: f64,
    /// ACKs of this round that showed losses.
    pub(super) events: u32,
}

impl Default for ShortTerm {
    fn default() -> Self {
        Self {
            bw: f64::INFINITY,
            inflight: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            has_loss: false,
            is_round_start: false,
            round_delivered: 0.0,
            events: 0,
        }
    }
}
